"""Thunder's passes without its front: a program is called with proxies, so that Thunder's own operators write its first trace, and the
rest is `thunder.jit`, whole. What is left out is the interpreter, which finds the first trace and the prologue, and `torch.compile`, which
gets the regions that are fused: they run with PyTorch's operators.
"""
from __future__ import annotations

import contextlib
import contextvars
import functools
import re
import types
import zlib
from collections.abc import Callable, Iterator

import thunder
import torch
from thunder.core import prims
from thunder.core.jit_ext import bind_inputs
from thunder.core.proxies import TensorProxy, tensorproxy, variableify
from thunder.core.trace import TraceCtx, TraceResults, tracectx
from thunder.executors import torch_compile
from thunder.executors.torchex import ex as pytorch_ex
from thunder.extend import ImplInfo

from . import compile_fuzz, drawn, observed, recorder, together
from . import thunder as watching
from .compile_fuzz import Program
from .fuzzing import Campaign
from .thunder_fuzz import REFUSED, Jit, compiled_or_skipped, quiet


class _Torch:
    """What a program calls `torch`: Thunder's operators where it has one of the name."""

    def __getattr__(self, name: str) -> object:
        theirs = getattr(torch, name)
        return theirs if isinstance(theirs, torch.dtype) else getattr(thunder.torch, name, theirs)


# What is known to go wrong with these lines is in docs/found: statistics of batch norms, NaN, bounds, copies instead
# of views, truth values that become integers. What is written from itself through indices is undefined.
KNOWN = r"native_batch_norm|relu|clamp|diagonal|masked_fill\(|(\w+)\.index_\w+_\(0, q, \1\["
SKIPPED = ("return-arguments-to-track-copies-onto-them", "remove-context-manager-prims", "unwrap-the-actual-return-value")
WRITES = re.compile(r"_\(|\] = |out=")


class Passes(Jit):
    """Gradients are asked for where nothing is written: those of what is written in place are known to be wrong (lightning-thunder#1284)."""

    name, refused, gradients = "thunder-passes", f"{REFUSED}|{KNOWN}", 0.6

    def may_ask(self, lines):
        return not any(WRITES.search(line) for line in lines)

    def __init__(self, fused: bool = True, **options: object):
        super().__init__(**options)
        self.fused: list[TraceCtx] = []  # what the fusion executor leaves, of the last program
        if fused:
            self.options.setdefault("executors", [_executor()])

    def record(self, made: Program, folder):
        self.compiled, self.fused = thunder.jit(made.function(), **self.options), []
        with self._without_interpreter(made), compiled_or_skipped():
            observed.observe(self.compiled, made.arguments())
        written, names = recorder.Recorder(folder), together.used(made)
        facts = watching._facts(tuple(t for name, t in zip(drawn.INPUTS, made.arguments(), strict=True) if name in names))
        watching._write_traces(self._traces(), thunder.last_backward_traces(self.compiled), [], written,
                               [{"name": name} | fact for name, fact in zip(names, facts, strict=True)])
        return types.SimpleNamespace(checks=[("", [folder])])

    def _traces(self) -> list[TraceCtx]:
        """Every trace but those that only drop or rename; what is fused stands before the values are deleted."""
        kept = [t for t in thunder.last_traces(self.compiled) if watching._slug(t) not in SKIPPED]
        at = next((k for k, t in enumerate(kept) if watching._slug(t) == "delete-last-used"), len(kept))
        return kept[:at] + self.fused + kept[at:]

    @contextlib.contextmanager
    def _without_interpreter(self, made: Program) -> Iterator[None]:
        scope: dict = {"torch": _Torch()}
        exec(compile(made.text, together.file_of(made.seed), "exec"), scope)  # noqa: S102, made by drawn
        fusion_pass = torch_compile.TorchCompileExecutor.fusion_pass

        def kept(executor, trace):
            self.fused.append(fusion_pass(executor, trace))
            return self.fused[-1]
        changes = ((thunder, "thunder_general_jit",
                    lambda _: lambda fn, args, kwargs, /, **more: traced(scope["f"], args, together.used(made))),
                   (torch_compile, "make_compiled", _when_called),
                   (torch_compile.TorchCompileExecutor, "fusion_pass", lambda _: kept))
        with recorder.replaced(changes):
            yield


@functools.cache
def _executor() -> torch_compile.TorchCompileExecutor:
    """As `torch_compile_ex`, but it leaves out one operator in three, as fusion executors do that know some: so there are several regions,
    and calls between them."""
    made = torch_compile.TorchCompileExecutor("some of them")
    made._implmap = {op: ImplInfo() for op in pytorch_ex.implmap if zlib.crc32(str(op).encode()) % 3 or "copy_" in str(op).lower()}
    return made


def _when_called(make: Callable) -> Callable:
    """Thunder compiles every region twice; of those that are run the second time is enough, and PyTorch's operators are."""
    def made(*args, **options):
        context, known = contextvars.copy_context(), []

        def region(*given):
            if not known:
                with recorder.replaced([(torch, "compile", lambda _: lambda function, **_: function)]):
                    known.append(context.run(make, *args, **options))
            return known[0](*given)
        return region
    return made


def traced(function: Callable, arguments: tuple, names: list[str]) -> TraceResults:
    """The traces that the interpreter would make: a prologue that checks nothing, the computation, an epilogue that returns."""
    prologue, computation, epilogue = TraceCtx(), TraceCtx(), TraceCtx()
    given = dict(zip(drawn.INPUTS, arguments, strict=True))
    with tracectx(computation):
        proxies = {name: tensorproxy(given[name], name=name, history=None) for name in names}
        results = tuple(function(*(proxies.get(name) for name in drawn.INPUTS)))
        returned = tuple({r.name: r for r in results if isinstance(r, TensorProxy)}.values())
        prims.python_return(returned)
    inputs = tuple(proxies.values())
    bind_inputs("computation", computation, tuple(map(variableify, inputs)), inputs)
    with tracectx(epilogue):
        prims.python_return(results)
    bind_inputs("epilogue", epilogue, tuple(map(variableify, returned)), returned)
    with tracectx(prologue):
        prims.python_return((inputs, ()))
    bind_inputs("prologue", prologue, tuple(map(variableify, inputs)), inputs)
    prologue._siginfo.args = [(name, None) for name in drawn.INPUTS]
    for trace in (prologue, epilogue):
        trace.names |= {p.name for p in (*inputs, *returned)}
    return TraceResults(prologue, computation, epilogue, [])


def fuzz_passes(*, fused: bool = True, jit: dict | None = None, **options: object) -> Campaign:
    """Random programs through the passes of `thunder.jit(f, **jit)`, every pair of traces checked, every program run. If `fused`, with the
    executor that gives regions to `torch.compile`, which runs them as they are. Options are those of `compile_fuzz.run`."""
    quiet()
    return compile_fuzz.run(Passes(fused, **(jit or {})), **options)
