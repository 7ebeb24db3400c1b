"""What an operator's schema says: what it writes, and which functional operator an out-variant stands for."""
from __future__ import annotations

import functools

KNOWN_NAMESPACES = ("aten", "prims")
# Reads of these are by element, by their documentation in executorch/exir/passes/dim_order_ops_registry.py.
ELEMENTWISE = ("dim_order_ops::_to_dim_order_copy", "dim_order_ops::_clone_dim_order")


def overload_of(target: object) -> object | None:
    """The PyTorch operator behind a node's target: itself, or what an edge or backend operator wraps; else None."""
    inner = getattr(target, "_op", target)
    if hasattr(inner, "_schema"):
        return inner
    return target if hasattr(target, "_schema") else None


@functools.cache
def qualified(overload: object) -> str:
    """`aten.add.Tensor` of an operator; `default` for the overload without a name."""
    schema = overload._schema
    return f"{schema.name.replace('::', '.')}.{schema.overload_name or 'default'}"


@functools.cache
def outs(overload: object) -> tuple[str, ...]:
    """Names of the arguments that an out-variant puts its results into, in order."""
    return tuple(a.name for a in overload._schema.arguments if a.kwarg_only and writes(a))


def writes(argument: object) -> bool:
    """Whether the schema marks the argument as written."""
    return argument.alias_info is not None and argument.alias_info.is_write


@functools.cache
def mutates(overload: object) -> bool:
    """Whether the operator writes an argument that is not an out-argument."""
    return any(writes(a) and not a.kwarg_only for a in overload._schema.arguments)


@functools.cache
def declaration(overload: object) -> dict | None:
    """OPDECL of an operator that is neither ATen nor prims; None for those."""
    schema = overload._schema
    if schema.name.split("::")[0] in KNOWN_NAMESPACES:
        return None
    declared = {"schema": str(schema)}
    if schema.name in ELEMENTWISE:
        declared |= {"result": "fresh", "access": "elementwise"}
    return declared


@functools.cache
def functional(overload: object) -> object | None:
    """The operator without out-arguments that gives the same results; None if no overload agrees.

    It has the arguments of the out-variant, and possibly more that have defaults (the out-variant of a conversion
    takes the dtype from `out`).
    """
    import torch

    given = [a for a in overload._schema.arguments if a.name not in outs(overload)]
    namespace, name = overload._schema.name.split("::")
    packet = getattr(getattr(torch.ops, namespace), name)
    candidates = [getattr(packet, n) for n in packet.overloads()]
    fits = [c for c in candidates if _stands_for(c, given)]
    return min(fits, key=lambda c: len(c._schema.arguments), default=None)


def _stands_for(candidate: object, given: list) -> bool:
    arguments = {a.name: a for a in candidate._schema.arguments}
    if any(writes(a) for a in arguments.values()):
        return False
    same = all(a.name in arguments and str(arguments[a.name].type) == str(a.type) for a in given)
    rest = set(arguments) - {a.name for a in given}
    return same and all(arguments[n].has_default_value() for n in rest)
