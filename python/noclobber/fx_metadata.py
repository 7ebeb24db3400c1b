"""What descriptions of nodes say, against what PyTorch computes of the descriptions of their arguments.

Dtype, shape, device, strides and offset of every result are computed again with tensors that hold nothing, of no device at
first, and where these do not give what is described, in a mode of its own: the descriptions, guards and caches of the
compilation stay as they are. Only what a pass has just described is
looked at, since other descriptions may lag behind until PyTorch renews them. Sizes that are symbols are left to the
program, which recomputes metadata of every case.
"""
from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Iterator

from . import values

# Namespaces whose operators may be run again: those of users may do more than compute.
KNOWN = ("aten", "prims")


def described_otherwise(nodes: Iterable[object], took_over: Iterable[object] = ()) -> Iterator[tuple[str, str]]:
    """(name, why) of each node whose description is not what is computed. Nodes that cannot be computed are left out.

    Strides and offsets of those that `took_over` their description lag behind.
    """
    from torch._subclasses.fake_tensor import FakeTensorMode, unset_fake_temporarily
    from torch.utils._python_dispatch import _disable_current_modes

    nodes = [n for n in nodes if _can_be_computed(n)]
    if not nodes:
        return
    with unset_fake_temporarily(), _disable_current_modes(), _quiet():
        nodes = [n for n in nodes if not _is_as_computed(n)]
        mode = FakeTensorMode(allow_non_fake_inputs=True) if nodes else None
        for node in nodes:
            mode.cache_enabled = False
            for said, computed in zip(_flat(node.meta["val"]), _computed(node, mode)):
                if difference := _difference(said, computed, places=node not in took_over):
                    yield node.name, f"({node.target}) is described with {difference}"
                    break


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Nothing is logged of arguments that an operator refuses."""
    log = logging.getLogger("torch._subclasses.fake_tensor")
    was, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = was


def _can_be_computed(node: object) -> bool:
    import torch

    target = node.target
    if not isinstance(target, torch._ops.OpOverload) or target.namespace not in KNOWN:
        return False
    if {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape} & set(target.tags) or node.meta.get("val") is None:
        return False
    described = [n.meta.get("val") for n in node.all_input_nodes] + [node.meta["val"]]
    return all(d is not None and not values.symbols_in(d) for d in described) and _has_numbers_only(node)


def _has_numbers_only(node: object) -> bool:
    """Are all sizes among the arguments plain?"""
    from torch.fx.node import map_aggregate

    seen: list = []
    map_aggregate((node.args, node.kwargs), seen.append)
    return not any(values.is_symbolic(a) for a in seen)


def _is_as_computed(node: object) -> bool:
    """Is the description what the operator gives of tensors without a device? False: that is to be looked at again."""
    import torch

    device = _one_device(node)
    if device is None:
        return False
    try:
        given = {n: _like(n.meta["val"], "meta") for n in node.all_input_nodes}
        args, kwargs = torch.fx.node.map_arg(node.args, given.get), dict(torch.fx.node.map_arg(node.kwargs, given.get))
        if kwargs.get("device") is not None:
            kwargs["device"] = torch.device("meta")
        with torch.no_grad():
            computed = _flat(node.target(*args, **kwargs))
    except Exception:  # noqa: BLE001, whatever an operator raises
        return False
    said = _flat(node.meta["val"])
    return len(said) == len(computed) and all(_is_alike(s, c, device) for s, c in zip(said, computed))


def _one_device(node: object) -> object | None:
    """The device of everything that the node is given, where it names no other one."""
    import torch

    if any(isinstance(a, torch.device) for a in node.args):
        return None
    named = node.kwargs.get("device")
    devices = {v.device for n in node.all_input_nodes for v in _flat(n.meta["val"]) if values.is_tensor(v)}
    devices |= {named} if named is not None else set()
    return devices.pop() if len(devices) == 1 else None


def _is_alike(said: object, computed: object, device: object) -> bool:
    if not values.is_tensor(said) or not values.is_tensor(computed):
        return not values.is_tensor(said) and not values.is_tensor(computed)
    return (said.device == device and said.dtype == computed.dtype and said.shape == computed.shape
            and said.stride() == computed.stride() and said.storage_offset() == computed.storage_offset())


def _computed(node: object, mode: object) -> list:
    """Descriptions of the results; none where PyTorch refuses the arguments, which the program names by itself."""
    import torch
    from torch.fx.node import map_arg

    with mode, torch.no_grad():
        try:
            given = {n: _like(n.meta["val"]) for n in node.all_input_nodes}
            args, kwargs = map_arg(node.args, given.get), map_arg(node.kwargs, given.get)
            return _flat(node.target(*args, **kwargs))
        except Exception:  # noqa: BLE001, whatever an operator raises
            return []


def _like(val: object, device: str | None = None) -> object:
    """A tensor as `val` describes it, or several, on its device or another one; numbers are themselves."""
    import torch

    if isinstance(val, (list, tuple)):
        return type(val)(_like(v, device) for v in val)
    if not values.is_tensor(val):
        return val
    last = val.storage_offset() + sum((size - 1) * stride for size, stride in zip(val.shape, val.stride()))
    base = torch.empty(0 if val.numel() == 0 else last + 1, dtype=val.dtype, device=device or val.device)
    return base.as_strided(val.shape, val.stride(), val.storage_offset() if val.numel() else 0)


def _difference(said: object, computed: object, places: bool = True) -> str:
    """What of the two is not the same; "" where everything is. Strides count where they tell elements apart, if `places` do."""
    if not values.is_tensor(said) or not values.is_tensor(computed):
        return ""
    for what in ("dtype", "shape", "device"):
        one, other = getattr(said, what), getattr(computed, what)
        if one != other:
            return f"{what} {_text(one)}, and has {_text(other)}"
    if said.numel() == 0 or not places:
        return ""
    strides = [tuple(s for s, size in zip(t.stride(), t.shape) if size != 1) for t in (said, computed)]
    if strides[0] != strides[1]:
        return f"strides {_text(said.stride())}, and has {_text(computed.stride())}"
    offsets = said.storage_offset(), computed.storage_offset()
    return "" if offsets[0] == offsets[1] else f"offset {offsets[0]}, and has {offsets[1]}"


def _text(value: object) -> str:
    return str(list(value)) if isinstance(value, tuple) else str(value).removeprefix("torch.")


def _flat(value: object) -> list:
    return [v for item in value for v in _flat(item)] if isinstance(value, (list, tuple)) else [value]
