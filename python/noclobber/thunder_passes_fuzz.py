"""Thunder's passes without its front: a program is called with proxies, so that Thunder's own operators write its first trace, and the
rest is `thunder.jit`, whole. What is left out is the interpreter, which finds the first trace and the prologue, and `torch.compile`, which
gets the regions that are fused: they run with PyTorch's operators.
"""
from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import functools
import re
import types
import zlib
from collections.abc import Callable, Iterator

import thunder
import torch
from thunder.core import codeutils, prims, pytree
from thunder.core.jit_ext import bind_inputs
from thunder.core.proxies import TensorProxy, tensorproxy, variableify
from thunder.core.symbol import BoundSymbol
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
NUMBERED = re.compile(r"\b_\w+_\d+\b")  # an object that each trace numbers for itself
WRITES = re.compile(r"_\(|\] = |out=")


class Passes(Jit):
    """Gradients are asked for where nothing is written: those of what is written in place are known to be wrong (lightning-thunder#1284)."""

    name, refused, gradients = "thunder-passes", f"{REFUSED}|{KNOWN}", 0.6

    def may_ask(self, lines):
        return not any(WRITES.search(line) for line in lines)

    def writes(self, made: Program) -> bool:
        """Of such a program rematerialization is left out: that it computes again what was written in between is in docs/found."""
        return any(WRITES.search(line) for line in made.lines)

    def __init__(self, fused: bool = True, **options: object):
        super().__init__(**options)
        self.fused: list[TraceCtx] = []  # what the fusion executor leaves, of the last program
        if fused:
            self.options.setdefault("executors", [_executor()])

    def record(self, made: Program, folder):
        with _quickly():
            return self._recorded(made, folder)

    def _recorded(self, made: Program, folder):
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
        changes = ((torch_compile, "rematerialize", lambda original: _unchanged if self.writes(made) else original),
                   (thunder, "thunder_general_jit",
                    lambda _: lambda fn, args, kwargs, /, **more: traced(scope["f"], args, together.used(made))),
                   (torch_compile, "make_compiled", _when_called),
                   (torch_compile.TorchCompileExecutor, "fusion_pass", lambda _: kept))
        with recorder.replaced(changes):
            yield


def _unchanged(trace: TraceCtx) -> TraceCtx:
    return trace


@contextlib.contextmanager
def _quickly() -> Iterator[None]:
    """Thunder asks of every tree of values whether it may hold such, and prints a call again for every trace that it stands in: once is enough."""
    flatten, with_dataclass = pytree.tree_flatten, pytree.tree_flatten_with_dataclass
    were = flatten.__code__, with_dataclass.__code__
    flatten.__code__, with_dataclass.__code__ = _flatten.__code__, _with_dataclass.__code__  # others have them by name
    try:
        with recorder.replaced([(BoundSymbol, "python", _printed_once), (codeutils, "dataclasses", lambda _: _ByType)]):
            yield
    finally:
        flatten.__code__, with_dataclass.__code__ = were


class _ByType:
    """What Thunder's printer asks of `dataclasses`: the answer is remembered by type."""

    fields = staticmethod(dataclasses.fields)
    is_dataclass = staticmethod(lambda x: dataclasses.is_dataclass(x) if isinstance(x, type) else _is_dataclass(type(x)))


_is_dataclass = functools.cache(dataclasses.is_dataclass)


def _as_it_is(function: types.FunctionType) -> types.FunctionType:
    return types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)


pytree._noclobber = types.SimpleNamespace(flatten=_as_it_is(pytree.tree_flatten), with_dataclass=_as_it_is(pytree.tree_flatten_with_dataclass),
                                          trees=set(), leaves=set())


def _flatten(args, namespace="thunder"):
    if type(args) in _noclobber.trees:  # noqa: F821, a global of Thunder's module
        return optree.tree_flatten(args, none_is_leaf=True, namespace=namespace)  # noqa: F821
    found = _noclobber.flatten(args, namespace)  # noqa: F821, raises what is none
    _noclobber.trees.add(type(args))  # noqa: F821
    return found


def _with_dataclass(tree):
    found = tree_flatten(tree, namespace=OPTREE_NAMESPACE)  # noqa: F821
    if not _noclobber.leaves.issuperset(map(type, found[0])):  # noqa: F821
        found = _noclobber.with_dataclass(tree)  # noqa: F821
        _noclobber.leaves.update(map(type, found[0]))  # noqa: F821
    return found


def _printed_once(python: Callable) -> Callable:
    def lines(symbol, indent, commented=False, print_depth=1):
        known = symbol.__dict__.setdefault("_noclobber", {})
        key = indent, commented, print_depth, str(symbol.header)
        if key not in known:
            made = python(symbol, indent, commented, print_depth)
            if any(NUMBERED.search(line) for line in made):
                return made
            known[key] = made
        return list(known[key])
    return lines


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
