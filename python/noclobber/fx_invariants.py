"""What PyTorch promises of its joint and post-grad graphs, looked at in a graph (torch/_inductor/fx_passes/README.md).

| name | promise |
| --- | --- |
| `functional` | before reinplacing nothing is written but inputs, by `copy_` |
| `epilogue` | each input is copied into once, and nothing is computed behind the first such copy |
| `sharing` | before reinplacing no output shares storage with an input or another output that did not |
| `metadata` | a description says what PyTorch computes of those of the arguments (`fx_metadata`) |
| `unbacked` | each unbacked symbol is bound once, and before a description uses it |
| `reinplacing-last` | behind reinplacing nothing changes the graph but what takes wrappers apart |

What descriptions say of storages (`aliasing`) the program compares with what operators do, case by case.
A broken promise is no wrong result by itself: a later pass that relies on it makes one.
"""
from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Iterable, Iterator

from . import fx_metadata

# Passes that may change a graph behind reinplacing, by how their names begin.
BEHIND = ("reinplace", "decompose_", "fix_auto_functionalized", "eliminate_dead_code", "stable_topological_sort", "unobserved")
# Operators that share or not, whatever their schemas say.
MAY_SHARE = {"aten._unsafe_view", "aten.reshape", "aten.contiguous", "aten.to", "aten._to_copy", "aten._reshape_alias",
             "aten.lift_fresh", "aten.lift_fresh_copy", "prims.convert_element_type", "prims.device_put"}
# Writes that PyTorch itself allows everywhere.
ALLOWED = ("fsdp.", "inductor.resize_storage_bytes_", "aten.set_", "streams.")


@dataclasses.dataclass(frozen=True, order=True)
class Broken:
    """One promise that does not hold: at which node, and why."""

    invariant: str
    node: str
    why: str

    def __str__(self) -> str:
        return f"{self.invariant}: {self.node} {self.why}"


def broken(module: object, reinplaced: bool = False, described: Iterable[object] = (), took_over: Iterable[object] = ()) -> set[Broken]:
    """What does not hold of the graph. Once it is `reinplaced` it writes. `described`: nodes that are new to descriptions,
    or `took_over` that of a node which is gone."""
    found = set(_unbacked(module.graph))
    found |= {Broken("metadata", *said) for said in fx_metadata.described_otherwise(described, took_over)}
    if not reinplaced:
        found |= {*_functional(module.graph), *_epilogue(module.graph), *shared(module.graph)}
    return found


def behind_reinplacing(name: str) -> Broken | None:
    """Of a pass that changed a reinplaced graph."""
    inner = name.split("/")[0]
    return None if inner.startswith(BEHIND) else Broken("reinplacing-last", inner, "changes a graph that is reinplaced")


def shared(graph: object) -> set[Broken]:
    """Which outputs share storage with an input, or with an output before them: what a pass must not add to."""
    roots: dict = {}
    for node in graph.nodes:
        if node.op != "output":
            roots[node] = _root(node, roots)
    outputs = next(n for n in graph.nodes if n.op == "output").args[0]
    placed = [(k, roots[o]) for k, o in enumerate(_flat(outputs)) if o in roots and _storages(o.meta.get("val"))]
    found = {Broken("sharing", f"output {k}", f"shares storage with input {root[0].name}")
             for k, root in placed if root[0].op in ("placeholder", "get_attr")}
    return found | {Broken("sharing", f"output {k}", f"shares storage with output {i}")
                    for i, one in placed for k, other in placed if i < k and one == other}


def _root(node: object, roots: dict) -> tuple:
    """What made the storage that the node lies on: a node, and which of its results where it has several."""
    if node.target is operator.getitem:
        of, index = node.args
        is_own = roots[of][0] is of or of.target is operator.getitem
        return (*roots[of], index) if is_own else roots[of]
    lies_on = [roots[given] for given in _shared_with(node) if given in roots]
    return lies_on[0] if lies_on else (node,)


def _shared_with(node: object) -> list:
    """Arguments whose storage the result of an operator is on."""
    told = _sharing_of(node.target) if node.op == "call_function" else ()
    if told == ():
        return []
    if told is None:
        own = _storages(node.meta.get("val"))
        return [n for n in node.all_input_nodes if own & _storages(n.meta.get("val"))]
    given = [node.args[at] if at < len(node.args) else node.kwargs.get(name) for at, name in told]
    return [value for value in given if value is not None]


@functools.lru_cache(maxsize=4096)
def _sharing_of(target: object) -> tuple | None:
    """(position, name) of the arguments that share storage with the result, by the schema; None if only descriptions say."""
    schema = getattr(target, "_schema", None)
    if schema is None or not schema.returns:
        return ()
    if schema.name.replace("::", ".") in MAY_SHARE:
        return None
    told = schema.returns[0].alias_info
    if told is None:
        return ()
    return tuple((at, a.name) for at, a in enumerate(schema.arguments) if a.alias_info is not None
                 and (a.alias_info.before_set & told.before_set or "*" in a.alias_info.after_set))


def _schema(node: object) -> object:
    return getattr(node.target, "_schema", None) if node.op == "call_function" else None


def _name(node: object) -> str:
    """"aten.add", without overload."""
    return node.target._schema.name.replace("::", ".")


def _copied_into(node: object) -> object | None:
    """The input that an epilogue's copy writes."""
    if node.op != "call_function" or not _copies(node.target) or not node.args:
        return None
    target = node.args[0]
    return target if getattr(target, "op", "") in ("placeholder", "get_attr") else None


@functools.lru_cache(maxsize=4096)
def _copies(target: object) -> bool:
    schema = getattr(target, "_schema", None)
    return schema is not None and schema.name == "aten::copy_"


@functools.lru_cache(maxsize=4096)
def _writes(target: object) -> bool:
    """Where nothing may be written but inputs."""
    schema = getattr(target, "_schema", None)
    return schema is not None and schema.is_mutable and not schema.name.replace("::", ".").startswith(ALLOWED)


def _functional(graph: object) -> Iterator[Broken]:
    for node in graph.nodes:
        if node.op == "call_function" and _writes(node.target) and _copied_into(node) is None:
            yield Broken("functional", node.name, f"({_name(node)}) writes what it is given")


def _epilogue(graph: object) -> Iterator[Broken]:
    copied = set()
    for node in graph.nodes:
        target = _copied_into(node)
        if target is not None:
            if target in copied:
                yield Broken("epilogue", node.name, f"copies into {target.name} a second time")
            copied.add(target)
        elif copied and node.op == "call_function" and not _only_looks(node):
            yield Broken("epilogue", node.name, "is computed behind a copy into an input")


def _only_looks(node: object) -> bool:
    """A view, an item of a tuple, a size: no contents are made."""
    if node.target is operator.getitem or not _storages(node.meta.get("val")):
        return True
    schema = _schema(node)
    return schema is not None and (_name(node) in MAY_SHARE or _is_view(schema))


def _is_view(schema: object) -> bool:
    return any(r.alias_info is not None and not r.alias_info.is_write for r in schema.returns)


def _flat(value: object) -> list:
    return [v for item in value for v in _flat(item)] if isinstance(value, (list, tuple)) else [value]


def _storages(val: object) -> set[int]:
    """Identities of the storages that a description lies on."""
    if isinstance(val, (list, tuple)):
        return set().union(*map(_storages, val)) if val else set()
    storage = getattr(val, "untyped_storage", None)
    try:
        return {storage()._cdata} if storage is not None else set()
    except (NotImplementedError, RuntimeError):  # sparse and the like have none
        return set()


def _shape_env_of(graph: object) -> object | None:
    """Of the first description that has one: all of a graph are of one mode."""
    vals = [v for n in graph.nodes for v in _flat(n.meta.get("val"))]
    found = (getattr(getattr(v, "fake_mode", None), "shape_env", None) or getattr(getattr(v, "node", None), "shape_env", None)
             for v in vals)
    return next((env for env in found if env is not None), None)


def _unbacked(graph: object) -> Iterator[Broken]:
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols, resolve_unbacked_bindings
    from torch.utils._sympy.symbol import SymT, symbol_is_type

    def symbols(val: object) -> set:
        if isinstance(val, (list, tuple)):
            return set().union(*map(symbols, val)) if val else set()
        return set(free_unbacked_symbols(val)) if hasattr(val, "shape") or hasattr(val, "node") else set()

    shapes = _shape_env_of(graph)
    kinds = (SymT.UNBACKED_INT, SymT.UNBACKED_FLOAT)
    if shapes is not None and not any(symbol_is_type(s, kinds) for s in shapes.var_to_range):
        return  # there are none
    bound: set = set()
    for node in graph.nodes:
        val = node.meta.get("val")
        if node.op in ("placeholder", "get_attr"):
            bound |= symbols(val)
            continue
        bindings = node.meta.get("unbacked_bindings") or {}  # by the name that a symbol had
        for symbol in (resolve_unbacked_bindings(shapes, bindings) if shapes is not None else bindings):
            if symbol in bound:
                yield Broken("unbacked", node.name, f"binds {symbol} a second time")
            bound.add(symbol)
        if node.op == "call_function":
            for symbol in sorted(map(str, symbols(val) - bound)):
                yield Broken("unbacked", node.name, f"uses {symbol}, which nothing before it binds")
