"""Steps of nodes that are plain calls of operators, written quickly, and once while a pass leaves the node alone.

A node's step says what the node is called, what it calls and with what, what its result is described with, and where the
program stands; nothing of that is changed in place, so it is enough to compare objects. Sizes that are symbols are written
anew each time, since PyTorch may replace a symbol by another without touching a node.
"""
from __future__ import annotations

import contextlib
import dataclasses
import functools

from . import schemas, values
from .fx_graph import NO_EFFECT, READS_CONTENTS

# Namespaces whose operators the program knows by itself.
KNOWN = ("aten", "prims", "inductor_prims", "higher_order", "_c10d_functional", "c10d_functional")
_NOT_PLAIN = object()


@dataclasses.dataclass
class _Known:
    node: tuple  # what the step was written of
    given: list  # what its arguments stood for
    step: dict
    ref: dict  # what the node stands for
    storage: object  # the identity of the storage that its result is described on
    lies_in: str | None = None  # the first value on that storage, when it was written with one
    lying: dict | None = None  # the step with it


class Memory:
    """By node, the one step that it was written as. It holds the nodes."""

    def __init__(self):
        self._known: dict[object, _Known] = {}
        self._refs: dict[str, dict] = {}

    def ref(self, name: str) -> dict:
        """What stands for a value: one object, so that comparing it costs nothing."""
        return self._refs.setdefault(name, {"ref": name})

    def step(self, node: object, args: dict, first_on: object) -> dict | None:
        """The step of the node if it would be written as it was, which `args` is told; None if it has to be written.
        `first_on(name, storage)` is the first value on a storage, or None if that is the one of that name."""
        known = self._known.get(node)
        if known is None:
            return None
        said = known.node
        meta = node.meta
        is_same = (node.args is said[2] and meta.get("val") is said[4] and node.kwargs is said[3] and node.name is said[0]
                   and node.target is said[1] and meta.get("stack_trace") is said[5])
        if not is_same or [args.get(n) for n in node.all_input_nodes] != known.given:
            return None
        args[node] = known.ref
        lies_in = first_on(node.name, known.storage)
        if lies_in is None:
            return known.step
        if lies_in != known.lies_in:
            known.lies_in, known.lying = lies_in, known.step | {"lies_in": [lies_in]}
        return known.lying

    def keep(self, node: object, args: dict, step: dict, storage: object) -> None:
        """The step that the node was just written as: one result, no symbols, nothing declared."""
        meta = node.meta
        said = node.name, node.target, node.args, node.kwargs, meta.get("val"), meta.get("stack_trace")
        base, lies_in = step, None
        if "lies_in" in step:
            base, lies_in = {k: v for k, v in step.items() if k != "lies_in"}, step["lies_in"][0]
        args[node] = self.ref(node.name)
        self._known[node] = _Known(said, [args.get(n) for n in node.all_input_nodes], base, args[node], storage, lies_in,
                                   step if lies_in else None)


def plain_step(writer: object, node: object) -> dict | None:
    """The step of an operator that makes one tensor of numbers and tensors, without symbols; None of others. `writer` is
    told what the node stands for, and its memory keeps the step."""
    val = node.meta.get("val")
    if not _makes_one_tensor(node.target) or (described := _plain_type(val)) is None:
        return None
    args = [_plain_arg(writer, a) for a in node.args]
    kwargs = {k: _plain_arg(writer, v) for k, v in node.kwargs.items()}
    if _NOT_PLAIN in args or _NOT_PLAIN in kwargs.values():
        return None
    step = {"name": node.name, "op": schemas.qualified(node.target), "args": args}
    if kwargs:
        step["kwargs"] = kwargs
    step["types"] = [described]
    if place := values.location(node.meta.get("stack_trace")):
        step["loc"] = place
    storage = storage_of(val)
    if first := writer.first_on(node.name, storage):
        step["lies_in"] = [first]
    writer.memory.keep(node, writer.args, step, storage)
    return step


def storage_of(val: object) -> object:
    """The identity of the storage of a tensor's description; None where it has none."""
    with contextlib.suppress(Exception):  # descriptions of sparse tensors and of objects have no storage
        if values.is_tensor(val):
            return val.untyped_storage()._cdata
    return None


def _plain_arg(writer: object, value: object) -> object:
    kind = type(value)
    if kind.__name__ == "Node":
        return writer.args.get(value, _NOT_PLAIN)
    if kind in (int, bool, str) or value is None:
        return value
    if isinstance(value, (list, tuple)):
        items = [_plain_arg(writer, v) for v in value]
        return _NOT_PLAIN if _NOT_PLAIN in items else items
    return _NOT_PLAIN if values.is_symbolic(value) else writer.arg(value)


@functools.lru_cache(maxsize=4096)
def _makes_one_tensor(target: object) -> bool:
    """Is it an operator that the program knows by itself, with one tensor as its result and nothing else to say of it?"""
    schema = getattr(target, "_schema", None)
    if type(target).__name__ != "OpOverload" or schema is None or len(schema.returns) != 1:
        return False
    special = schemas.qualified(target).startswith((*NO_EFFECT, *READS_CONTENTS, "aten.nonzero."))
    return schema.name.split("::")[0] in KNOWN and not special and str(schema.returns[0].type) == "Tensor"


def _plain_type(val: object) -> dict | None:
    """TYPE of a description without symbols; None of others."""
    if not values.is_tensor(val) or values.symbols_in(val):
        return None
    return values.tensor_type(val, strides_too=True)
