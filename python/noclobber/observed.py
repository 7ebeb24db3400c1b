"""What a caller sees of one call of a function of PyTorch, and in what two calls differ. Needs PyTorch."""
from __future__ import annotations

import dataclasses

import torch

RELATIVE, ABSOLUTE = 1e-4, 1e-5  # a fused product rounds otherwise; faults of storage are far larger
HALF = 1e-2  # of numbers of 16 bits, relative and absolute


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
    asked = [(k, o) for k, o in enumerate(outputs) if o.requires_grad]  # by position: a compiler may let more of them ask
    found = torch.autograd.grad(sum((o * (k + 1)).sum() for k, o in asked), leaves,
                                allow_unused=True) if leaves and asked else [None] * len(leaves)
    gradients = [torch.zeros_like(leaf) if g is None else g for g, leaf in zip(found, leaves)]  # none asked for is none
    return Seen(*kept, gradients, storages, [o.stride() for o in outputs])


def difference(eager: Seen, compiled: Seen) -> str:
    """Which outputs, inputs and gradients differ, and whether storage is shared otherwise; "" if nothing does."""
    out = []
    for what in ("outputs", "inputs", "gradients"):
        ours, theirs = getattr(eager, what), getattr(compiled, what)
        if len(ours) != len(theirs):
            out.append(f"number of {what}")
        out += [f"{what[:-1]} {k}" for k, (a, b) in enumerate(zip(ours, theirs)) if not _alike(a, b)]
    return ", ".join(out + ["shared storage"] * (eager.storages != compiled.storages))


def _alike(a: torch.Tensor, b: torch.Tensor) -> bool:
    bounds = (HALF, HALF) if a.dtype in (torch.float16, torch.bfloat16) else (RELATIVE, ABSOLUTE)
    return a.shape == b.shape and a.dtype == b.dtype and (torch.equal(a, b) or torch.allclose(a, b, *bounds, equal_nan=True))


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
