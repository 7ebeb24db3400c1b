"""ExecuTorch's passes, one after the other: what of a graph a pass can have changed, and observers around passes.

A pass is called by its own name: that of a function, or of the class. One that left the graph as it was is counted and
not written.
"""
from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterator

from . import values


def name_of(each: object) -> str:
    """What ExecuTorch itself calls a pass."""
    return each.__name__ if inspect.isfunction(each) else type(each).__name__


def print_of(module: object) -> list[tuple]:
    """All of a graph module and of its bodies that an exporter looks at, but for the names of values: two that are
    equal are one program."""
    return [row for part in module.modules() for row in _rows(part)]


def _rows(part: object) -> Iterator[tuple]:
    from torch.fx.node import map_arg

    number = {node: f"%{k}" for k, node in enumerate(getattr(getattr(part, "graph", None), "nodes", ()))}
    for node in number:
        given = str(map_arg((node.args, node.kwargs), number.__getitem__))
        val = node.meta.get("val") if node.op != "output" else None
        if val is None and node.args and hasattr(node.args[0], "meta"):  # write-back describes no results
            val = node.args[0].meta.get("val")
        target = _name_of_target(node.target) if node.op not in ("placeholder", "output") else ""
        yield node.op, target, given, _described(val)


_name_of_target = functools.cache(str)  # of operators, which are asked in every pass


def _described(val: object) -> object:
    if isinstance(val, (list, tuple)):
        return tuple(map(_described, val))
    if not values.is_tensor(val):
        return str(val)
    strides = val.stride() if callable(getattr(val, "stride", None)) else ()
    return val.dtype, _sizes(val.shape), _sizes(strides)


def _sizes(sizes: object) -> object:
    """Sizes as what two of them can be compared by: symbols as text, which asks PyTorch nothing."""
    sizes = tuple(sizes)
    return sizes if all(type(s) is int for s in sizes) else str(sizes)


def observed(passes: list, look: Callable[[str, object], None]) -> list:
    """The same passes of graph modules, each of which `look` is told of when it has run: its name, and the graph."""
    def around(each: Callable) -> list:
        def looked(module):
            from torch.fx.passes.infra.pass_base import PassResult
            look(name_of(each), module)
            return PassResult(module, False)
        return [each, looked]
    return [one for each in passes for one in around(each)]


def in_manager(manager: object, program: object, look: Callable[[str, object], None]) -> Callable[[], None]:
    """Puts observers around the passes of a manager of passes; `look` is told the name of a pass, and the program as it
    is after it. Calling what is returned takes them away again."""
    from executorch.exir.pass_base import ExportedProgramPassBase

    kept, state = list(manager.passes), [program]

    def of_program(each):
        def call(self, given):
            result = each(given)
            state[0] = result.exported_program
            look(name_of(each), result.exported_program)
            return result
        return type(name_of(each), (ExportedProgramPassBase,), {"__call__": call, "call": call})()

    def of_module(each):
        @functools.wraps(each)
        def call(module):
            result = each(module)
            if result is not None:
                look(name_of(each), of(state[0], result.graph_module))
            return result
        return call

    def take_away():
        manager.passes[:] = kept

    manager.passes[:] = [of_program(p) if isinstance(p, ExportedProgramPassBase) else of_module(p) for p in kept]
    return take_away


def of(program: object, module: object) -> object:
    """`program` with another graph: its inputs and outputs keep their order, whatever they are called."""
    known = ("graph_signature", "state_dict", "constants", "range_constraints")
    return types.SimpleNamespace(graph_module=module, **{name: getattr(program, name) for name in known})
