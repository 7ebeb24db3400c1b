"""Thunder's passes without its front: a program is called with proxies, so that Thunder's own operators write its first trace, and the
rest is `thunder.jit`, whole. What is left out is the interpreter, which finds the first trace and the prologue, and `torch.compile`, which
gets the regions that are fused: they run with PyTorch's operators.
"""
from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import functools
import inspect
import re
import sys
import types
import zlib
from collections.abc import Callable, Iterator

import thunder
import torch
from thunder.core import codeutils, prims, pytree, symbol as symbols
from thunder.core.jit_ext import bind_inputs
from thunder.core.proxies import TensorProxy, tensorproxy, variableify
from thunder.core.symbol import BoundSymbol
from thunder.core.trace import TraceCtx, TraceResults, tracectx
from thunder.executors import passes, pythonex, torch_compile
from thunder.executors.torchex import ex as pytorch_ex
from thunder.extend import ImplInfo

from . import compile_fuzz, drawn, observed, recorder, together
from . import thunder as watching
from .compile_fuzz import Program
from .fuzzing import Campaign
from .together import Batch
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

    name, refused, gradients, most = "thunder-passes", f"{REFUSED}|{KNOWN}", 0.6, 25

    def may_ask(self, lines):
        return not any(WRITES.search(line) for line in lines)

    def is_alone(self, made: Program) -> bool:
        """Of the derivatives that Thunder makes of these two nothing is known, so that no batch that has one would be proved."""
        return made.watched and any(re.search(r"\.(narrow|as_strided)\(", line) for line in made.lines)

    def writes(self, made: Program | Batch) -> bool:
        """Of such a program rematerialization is left out: that it computes again what was written in between is in docs/found."""
        return any(WRITES.search(line) for line in made.lines)

    def __init__(self, fused: bool = True, every: int = together.EVERY, **options: object):
        super().__init__(**options)
        self.run_too, self.is_run = together.Sample(every), True
        self.fused: list[TraceCtx] = []  # what the fusion executor leaves, of the last program
        if fused:
            self.options.setdefault("executors", [_executor()])

    def record(self, made: Program, folder):
        with _quickly():
            return self._recorded(made, folder)

    def _recorded(self, made: Program, folder):
        batch, self.is_run = together.batch_of(made), self.run_too.takes(made)
        self.compiled, self.fused = thunder.jit(batch.function(), **self.options), []
        names = [own for _, own in batch.names]
        with self._without_interpreter(batch, names), compiled_or_skipped():
            if self.is_run:
                observed.observe(self.compiled, batch.arguments())
            else:
                _compile(self.compiled, batch.arguments())
        written = recorder.Recorder(folder)
        facts = watching._facts(tuple(batch.arguments()))
        watching._write_traces(watching.Compiled(self._traces(), thunder.last_backward_traces(self.compiled)), written,
                               [{"name": name} | fact for name, fact in zip(names, facts, strict=True)])
        return types.SimpleNamespace(checks=[("", [folder])])

    def _traces(self) -> list[TraceCtx]:
        """Every trace but those that only drop or rename; what is fused stands before the values are deleted."""
        kept = [t for t in thunder.last_traces(self.compiled) if watching._slug(t) not in SKIPPED]
        at = next((k for k, t in enumerate(kept) if watching._slug(t) == "delete-last-used"), len(kept))
        return kept[:at] + self.fused + kept[at:]

    def sides(self, made: Program | Batch):
        if not self.is_run:
            return None
        return together.batch_of(made).function(), self.compiled

    def difference(self, made: Program | Batch) -> str:
        return super().difference(together.batch_of(made))

    def sort(self, made: Program) -> tuple:
        return made.watched, self.writes(made)

    @contextlib.contextmanager
    def _without_interpreter(self, made: Batch, names: list[str]) -> Iterator[None]:
        called = made.function(_Torch())
        fusion_pass = torch_compile.TorchCompileExecutor.fusion_pass

        def kept(executor, trace):
            self.fused.append(fusion_pass(executor, trace))
            return self.fused[-1]
        changes = ((torch_compile, "rematerialize", lambda original: _unchanged if self.writes(made) else original),
                   (thunder, "thunder_general_jit",
                    lambda _: lambda fn, args, kwargs, /, **more: traced(called, args, names)),
                   (torch_compile, "make_compiled", _when_called),
                   (torch_compile.TorchCompileExecutor, "fusion_pass", lambda _: kept))
        with recorder.replaced(changes):
            yield


class _Compiled(Exception):
    """All traces are there."""


def _compile(compiled: Callable, arguments: list) -> None:
    """All that is done in the first call of it but for what runs it: no code is made of any trace, nor of the prologue and the epilogue."""
    def stop(*_):
        raise _Compiled
    changes = ((thunder, "CacheEntry", lambda _: stop), (TraceCtx, "python_callable", lambda _: _no_callable),
               (thunder, "transform_to_torch_types", lambda _: lambda trace, **_: trace),
               (thunder, "transform_for_execution", _but_for_prologues))
    with recorder.replaced(changes), contextlib.suppress(_Compiled):
        compiled(*(a * 1 if a.requires_grad else a for a in arguments))


def _no_callable(*_, **__) -> None:
    return None


def _but_for_prologues(transform: Callable) -> Callable:
    return lambda trace, executors_list, **options: [trace] if executors_list == (pythonex.ex,) else transform(trace, executors_list, **options)


def _unchanged(trace: TraceCtx) -> TraceCtx:
    return trace


@contextlib.contextmanager
def _quickly() -> Iterator[None]:
    """Thunder asks of every tree of values whether it may hold such, and prints a call again for every trace that it stands in: once is enough."""
    flatten, with_dataclass = pytree.tree_flatten, pytree.tree_flatten_with_dataclass
    were = flatten.__code__, with_dataclass.__code__
    flatten.__code__, with_dataclass.__code__ = _flatten.__code__, _with_dataclass.__code__  # others have them by name
    try:
        with recorder.replaced([(BoundSymbol, "python", _printed_once), (BoundSymbol, "gather_ctxs", _gathered_once),
                                (codeutils, "dataclasses", lambda _: _ByType), (symbols, "inspect", lambda _: _Signatures),
                                (passes, "_transform_for_operator_executor_execution", _but_for_waits)]):
            yield
    finally:
        flatten.__code__, with_dataclass.__code__ = were


class _ByType:
    """What Thunder's printer asks of `dataclasses`: the answer is remembered by type."""

    fields = staticmethod(dataclasses.fields)
    is_dataclass = staticmethod(lambda x: dataclasses.is_dataclass(x) if isinstance(x, type) else _is_dataclass(type(x)))


class _Signatures:
    """What Thunder's symbols ask of `inspect`."""

    signature, getmodule = staticmethod(functools.cache(inspect.signature)), staticmethod(inspect.getmodule)


def _but_for_waits(transform: Callable) -> Callable:
    """Thunder transforms the whole trace once more, to see whether it waits for other processes, of which no program has any."""
    def transformed(trace, executors):
        return trace if sys._getframe(1).f_code.co_name == "apply_transforms_and_build_cache_entry" else transform(trace, executors)
    return transformed


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


def _gathered_once(gather: Callable) -> Callable:
    def contexts(symbol):
        if "_noclobber_contexts" not in symbol.__dict__:
            found = gather(symbol)
            if found[2]:
                return found
            symbol.__dict__["_noclobber_contexts"] = found
        return symbol.__dict__["_noclobber_contexts"]
    return contexts


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
    with tracectx(computation):
        proxies = {name: tensorproxy(value, name=name, history=None) for name, value in zip(names, arguments, strict=True)}
        results = tuple(function(*proxies.values()))
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
    prologue._siginfo.args = [(name, None) for name in names]
    for trace in (prologue, epilogue):
        trace.names |= {p.name for p in (*inputs, *returned)}
    return TraceResults(prologue, computation, epilogue, [])


def fuzz_passes(*, fused: bool = True, every: int = together.EVERY, jit: dict | None = None, **options: object) -> Campaign:
    """Random programs through the passes of `thunder.jit(f, **jit)`, many as one, every pair of traces checked. Of `every` so many batches
    one is run; what goes alone always is. If `fused`, with the executor that gives regions to `torch.compile`, which runs them as they
    are. Options are those of `compile_fuzz.run`."""
    quiet()
    return compile_fuzz.run(Passes(fused, every, **(jit or {})), **options)
