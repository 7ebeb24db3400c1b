"""Runs functions through Inductor's passes, and what comes out with PyTorch's own operators: no kernels are made.

Works with PyTorch 2.5 to 2.15, whose internals it replaces: the last graph is kept, and lowering ends at once.
"""
from __future__ import annotations

import copy
import dataclasses
import logging
import os
import pathlib
import tempfile

os.environ.setdefault("TORCH_TRACE", tempfile.gettempdir())  # PyTorch only makes a handler where it is set before
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"

import torch
import torch._inductor.compile_fx as compile_fx
import torch._logging._internal as torch_logs

logging.getLogger("torch").setLevel(logging.CRITICAL)
RELATIVE, ABSOLUTE = 1e-4, 1e-5  # a fused product rounds otherwise; faults of storage are far larger


class _Kept(Exception):
    """Lowering is not asked for."""


class _NoLowering:
    def __init__(self, *_, **__):
        raise _Kept


@dataclasses.dataclass
class Seen:
    """What a caller sees of one call: results, contents of arguments after it, gradients, and who shares storage."""

    outputs: list[torch.Tensor]
    inputs: list[torch.Tensor]
    gradients: list[torch.Tensor]
    storages: list[int]
    strides: list[tuple[int, ...]]  # of the results, as the passes leave them: lowering may give them others


def observe(function, arguments: list[torch.Tensor], spoil: int | None = None) -> Seen:
    """Calls it, and differentiates where arguments ask for it. `spoil`: the argument that the caller overwrites before
    the gradients are asked for, which autograd may refuse (RuntimeError)."""
    leaves = [a for a in arguments if a.requires_grad]
    given = [a * 1 if a.requires_grad else a for a in arguments]  # a leaf may not be written
    outputs = list(function(*given))
    places: dict[int, int] = {}
    storages = [places.setdefault(t.untyped_storage().data_ptr(), len(places)) for t in given + outputs]
    kept = [t.detach().clone() for t in outputs], [t.detach().clone() for t in given]
    if spoil is not None:
        given[spoil].zero_()
    asked = [o for o in outputs if o.requires_grad]
    gradients = torch.autograd.grad(sum((o * (k + 1)).sum() for k, o in enumerate(asked)), leaves,
                                    allow_unused=True) if leaves and asked else ()
    return Seen(*kept, [g for g in gradients if g is not None], storages, [o.stride() for o in outputs])


def difference(eager: Seen, compiled: Seen) -> str:
    """Which outputs, inputs and gradients differ, and whether storage is shared otherwise; "" if nothing does."""
    out = []
    for what in ("outputs", "inputs", "gradients"):
        ours, theirs = getattr(eager, what), getattr(compiled, what)
        if len(ours) != len(theirs):
            out.append(f"number of {what}")
        out += [f"{what[:-1]} {k}" for k, (a, b) in enumerate(zip(ours, theirs)) if not _alike(a, b)]
    return ", ".join(out + ["shared storage"] * (eager.storages != compiled.storages))


def shares_saved(function, compiled, make) -> bool:
    """Does a backward notice, after Inductor's passes and not before them, that the caller overwrote an argument? Where
    a view of it is saved, Inductor's own code notices nothing, and the gradient is wrong."""
    torch._dynamo.reset()
    before = torch.compile(function, backend="aot_eager")
    watched = [a.requires_grad for a in make()]
    return any(_notices(compiled, make, k) and not _notices(before, make, k) for k, w in enumerate(watched) if not w)


def _notices(function, make, argument: int) -> bool:
    try:
        return bool(difference(observe(function, make()), observe(function, make(), argument)))
    except RuntimeError:
        return True


def _alike(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and torch.allclose(a, b, RELATIVE, ABSOLUTE, equal_nan=True)


class Compiled:
    """`function` as Inductor's passes leave it. The log of its compilations goes into `folder`."""

    def __init__(self, function, folder: pathlib.Path, dynamic: bool = False):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        torch._dynamo.reset()
        self.function = torch.compile(function, backend=_backend, dynamic=dynamic)

    def __call__(self, *arguments):
        _log_into(str(self.folder))
        try:
            return self.function(*arguments)
        finally:
            _log_into(tempfile.gettempdir())


def uncompiled(function, watched: bool, dynamic: bool):
    """`function` as the first graph says that the log has before a pass: what is wrong there, no pair of graphs shows.
    Passes over a joint graph that has gradients are not logged."""
    torch._dynamo.reset()
    backend = _given if watched else "aot_eager"
    return torch.compile(function, backend=backend, dynamic=dynamic)


def _given(graph, inputs):
    return compile_fx.compile_fx(graph, inputs, inner_compile=lambda module, *_, **__: _interpreted(copy.deepcopy(module)))


def _backend(graph, inputs):
    return compile_fx.compile_fx(graph, inputs, inner_compile=_passes_only)


def _passes_only(graph, inputs, **options):
    kept, passes, lowering = [], compile_fx._recursive_post_grad_passes, compile_fx.GraphLowering

    def keeping(module, *args, **more):
        passes(module, *args, **more)
        module.recompile()
        kept.append(copy.deepcopy(module))

    compile_fx._recursive_post_grad_passes, compile_fx.GraphLowering = keeping, _NoLowering
    try:
        return compile_fx.compile_fx_inner(graph, inputs, **options)  # nothing to compute: no passes either
    except Exception as error:  # noqa: BLE001, PyTorch wraps what lowering raises
        if not any(isinstance(e, _Kept) for e in (error, error.__cause__, getattr(error, "inner_exception", None))):
            raise
    finally:
        compile_fx._recursive_post_grad_passes, compile_fx.GraphLowering = passes, lowering
    return _interpreted(kept[-1])  # bodies come before the graph that they belong to


def _interpreted(graph):
    def run(arguments):
        values = list(arguments)
        arguments.clear()
        with torch.no_grad():
            return list(torch.fx.Interpreter(graph).run(*values))

    run._boxed_call = True
    return run


def _log_into(folder: str) -> None:
    for handler in torch_logs.trace_log.handlers:
        if isinstance(handler, torch_logs.LazyTraceHandler):
            if handler.stream:
                handler.close()
            handler.stream, handler.root_dir = None, folder
