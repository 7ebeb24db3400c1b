"""PyTorch under test: `noclobber.torch.fuzz_compile()` and `noclobber.torch.fuzz_pass(fn)`."""
from __future__ import annotations

import contextlib
import copy
import logging
import pathlib
from collections.abc import Callable

import torch
from torch.fx._lazy_graph_module import _use_lazy_graph_module
from torch.fx.experimental.proxy_tensor import make_fx

from . import compile_fuzz, drawn, fx_trace, observed, passes_only, together
from . import torch as watching
from .compile_fuzz import Program, Skip, Subject
from .fuzzing import Campaign
from .together import Batch

HEAD = "import torch\n\n\n"


class Compile(Subject):
    """Inductor's passes: all that runs before kernels are made. What they leave runs with PyTorch's own operators."""

    name, refused = "torch.compile", r"map_impl"
    gradients, most = 0.3, 20

    def __init__(self, backend: object = passes_only.backend, dynamic: bool = False):
        self.backend, self.dynamic = backend, dynamic
        self.compiled: Callable | None = None

    def record(self, made: Program, folder: pathlib.Path):
        torch._dynamo.reset()
        self.compiled = torch.compile(made.function(), backend=self.backend, dynamic=self.dynamic)
        with watching.watch(folder, fresh=True) as watched:
            try:
                observed.observe(self.compiled, made.arguments())
            except torch._dynamo.exc.UncapturedHigherOrderOpError as error:
                raise Skip(str(error)) from error
        return watched

    def blame(self, made: Program) -> str:
        torch._dynamo.reset()
        before = torch.compile(made.function(), backend="aot_eager", dynamic=self.dynamic)
        with contextlib.suppress(Exception):
            if compile_fuzz.against(made, made.function(), before):
                return "before the passes"
        return "the passes"

    def sides(self, made: Program):
        return made.function(), self.compiled

    def script(self, made: Program) -> str:
        given = "\n".join(f"    {line}" for line in _arguments(made))
        return (f"{HEAD}{made.text}\n\ndef arguments():\n    torch.manual_seed(0)\n{given}\n\n\n"
                "eager, compiled = arguments(), arguments()\n"
                "wants, gets = f(*eager), torch.compile(f)(*compiled)\n"
                "for name, a, b in [(f'result {k}', a, b) for k, (a, b) in enumerate(zip(wants, gets))] + "
                "[(f'argument {k}', a, b) for k, (a, b) in enumerate(zip(eager, compiled))]:\n"
                "    print(name, 'same' if torch.equal(a, b) else 'DIFFERS')\n")


def _arguments(made: Program | Batch) -> list[str]:
    shapes = ("torch.randn(4, 6)", "torch.randn(4, 6)", "torch.randn(6)", "torch.randn(())", "torch.randint(-5, 6, (4, 6))",
              "torch.randn(4, 6).half()", "torch.randn(4, 6) > 0", "torch.randn(4, 6)", "torch.randn(4, 6)")
    if isinstance(made, Batch):
        by_name = dict(zip(drawn.INPUTS, shapes, strict=True))
        shapes = [by_name[name] for name, _ in made.names]
    return [f"return [{', '.join(shapes)}]"]


class Pass(Subject):
    """A function of a graph module, which it changes or of which it gives another one."""

    name, most, by_position = "pass", 25, True
    refused = "native_batch_norm"  # says nothing of the statistics that it writes: functionalization leaves it as if it were pure

    def __init__(self, function: Callable, functional: bool):
        self.function, self.functional = function, functional
        self.given: object = None  # the graph module before the pass
        self.graph: object = None  # and after it
        self.anew: set[int] = set()  # results that the caller makes anew, as AOTAutograd's wrapper does: see fx_caller

    def record(self, made: Program, folder: pathlib.Path):
        with _use_lazy_graph_module(True):  # no Python code is written of what is never called
            return self._recorded(made, folder)

    def _recorded(self, made: Program, folder: pathlib.Path):
        module = traced(made, self.functional)
        self.anew = lie_in_arguments(made) if self.functional else set()
        self.given, before = copy.deepcopy(module), watching._exported(module)
        try:
            self.graph = self.function(module) or module
        except Exception as error:
            if not self.is_runnable(made):
                raise Skip("tracing left a module that does not run") from error
            raise
        self.graph.recompile()
        written, title = watching.Recorder(folder), getattr(self.function, "__name__", "pass")
        may_share = [[k, i["name"]] for k in sorted(self.anew) for i in before.graph["inputs"]]
        written.link("pass", watching.pair("pass", before, watching._exported(self.graph), title, may_share=may_share))
        return written

    def is_alone(self, made: Program) -> bool:
        """What functionalization refuses, or leaves so that it does not run."""
        try:
            if self.functional:
                functionalized(made)(*made.arguments())
        except Exception:  # noqa: BLE001, whatever PyTorch refuses
            return True
        return False

    def is_runnable(self, made: Program | Batch) -> bool:
        """Does what the pass was given run? It does not where `out=` resizes a view, of which functionalization knows nothing."""
        try:
            self.given(*made.arguments())
        except Exception:  # noqa: BLE001, whatever PyTorch refuses
            return False
        return True

    def sides(self, made: Program):
        return _runs(self.given, self.anew), _runs(self.graph, self.anew)


def _runs(module: torch.fx.GraphModule, anew: set[int]) -> Callable:
    return lambda *given: [r.clone() if k in anew else r for k, r in enumerate(module(*given))]


def lie_in_arguments(made: Program | Batch) -> set[int]:
    """Positions of the results that share storage with an argument when the program is run as it is."""
    seen = observed.observe(made.function(), made.arguments())
    given = seen.storages[:len(seen.inputs)]
    return {k for k, storage in enumerate(seen.storages[len(given):]) if storage in given}


def traced(made: Program, functional: bool) -> torch.fx.GraphModule:
    """A graph module of ATen's operators, each node with a fake tensor; mutations of arguments are `copy_` at its end where it is
    functional."""
    try:
        if functional:
            module = fx_trace.traced_or_made(functionalized(made), made.arguments)
        else:
            module = make_fx(made.function(), tracing_mode="fake")(*made.arguments())
    except Exception as error:  # noqa: BLE001, whatever tracing does not take
        raise Skip(str(error)) from error
    module.graph.eliminate_dead_code()
    module.recompile()
    return module


def functionalized(made: Program | Batch) -> Callable:
    return torch.func.functionalize(made.function(), remove="mutations")


def quiet() -> None:
    """One thread, and no word of programs that tracing refuses."""
    torch.set_num_threads(1)
    logging.getLogger("torch").setLevel(logging.CRITICAL)


def fuzz_compile(*, dynamic: bool = False, backend: object = passes_only.backend, **options: object) -> Campaign:
    """Whole random programs through `torch.compile`, every link that `watch` records checked, every program run. No kernels are made
    unless `backend` is another one. Options are those of `compile_fuzz.run`."""
    quiet()
    return compile_fuzz.run(Compile(backend, dynamic), **options)


def fuzz_pass(function: Callable, *, functional: bool = True, **options: object) -> Campaign:
    """Random graph modules through `function`, which takes one and changes it or gives another. Its nodes carry fake tensors.

    The harness exports its own graph before the pass sees it. With `functional` (the default) programs are as after
    AOTAutograd: writes into arguments are `copy_` at the end, and results that lie in arguments may lie in others afterwards, since
    the caller makes them anew; without it they are as they were traced. Options are those of `compile_fuzz.run`.
    """
    quiet()
    return compile_fuzz.run(Pass(function, functional), **options)
