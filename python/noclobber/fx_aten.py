"""A graph of PyTorch's compiler, joint or after autograd, as the GRAPH of a case.

What a printed graph lacks is written with it: storages and offsets of inputs, which values share a storage by their
descriptions, ranges and guards of the symbols, schemas of operators that are not ATen's, contents of small constants.
"""
from __future__ import annotations

import contextlib
import re

from . import schemas, values
from .fx_case import Exported
from .fx_graph import GraphWriter, _flat, hop_name
from .fx_plain import KNOWN, Memory, plain_step, storage_of
from .values import Unwritable

AS_TRACED = "inputs share storage as traced"  # PyTorch guards it nowhere (pytorch#184481)
SCATTERS = {"aten.slice.Tensor": "aten.slice_scatter.default", "aten.select.int": "aten.select_scatter.default",
            "aten.diagonal.default": "aten.diagonal_scatter.default",
            "aten.as_strided.default": "aten.as_strided_scatter.default"}
# Operators that run bodies: arguments before the operands, and how these are called where a wrapper numbers them.
REGIONS = {"invoke_subgraph": (("subgraph", "identifier"), "arg"), "cond": (("pred", "true_fn", "false_fn"), "operand")}
SAVED_DRAWS = ("run_and_save_rng_state", "run_with_rng_state")  # of checkpoints: a draw that is made again
FEW = 64  # elements of a constant that are written


class AtenWriter(GraphWriter):
    """Writes the nodes of one graph module as it stands: nothing is left out, nothing is put in its place."""

    def __init__(self, module: object, args: dict, hints: dict | None = None, path: str = "", memory: Memory | None = None):
        super().__init__(module, args, hints, path)
        self.lies_in: dict[object, str] = {}  # storage -> the first value on it
        self.memory = memory

    def type_of(self, val: object) -> dict:
        return values.tensor_type(val, strides_too=True)

    def contents_of(self, tensor: object) -> dict:
        return values.contents_of(tensor) if tensor.numel() <= FEW else {}

    def arg(self, value: object) -> object:
        if isinstance(value, slice) or isinstance(value, dict):
            raise Unwritable(f"{type(value).__name__} as an argument")
        if hasattr(value, "_schema") and not hasattr(value, "meta"):
            return schemas.qualified(value)
        return super().arg(value)

    def _call(self, node: object) -> None:
        if self.memory is None:
            return self._call_anew(node)
        step = self.memory.step(node, self.args, self.first_on) or plain_step(self, node)
        if step is None:
            return self._call_anew(node)
        self.written.steps.append(step)

    def _call_anew(self, node: object) -> None:
        called = getattr(node.target, "__name__", str(node.target))
        if called in ("_generalized_scatter", "_inplace_generalized_scatter"):
            return self._scatter(node, in_place=called.startswith("_inplace"))
        if _is_higher_order(node.target) and hop_name(node.target) in ("auto_functionalized", "auto_functionalized_v2"):
            return self._functionalized(node)
        if _is_higher_order(node.target) and hop_name(node.target) == "with_effects":
            raise Unwritable("with_effects")
        if called == "control_deps":
            return self._control_flow(node)
        if hop_name(node.target) in SAVED_DRAWS:
            return self._drawn(node)
        before = len(self.written.steps)
        super()._call(node)
        val = node.meta.get("val")
        if values.is_symbolic(val) and node in self.args and self.args[node] is None:
            del self.args[node]  # whoever reads it cannot be written either
        for step in self.written.steps[before:]:
            self._note_storages(step, val)

    def _operator(self, node: object, overload: object) -> None:
        """As it is called: out arguments stay arguments."""
        self._declare(overload)
        args, kwargs = [self.arg(a) for a in node.args], {k: self.arg(v) for k, v in node.kwargs.items()}
        returns = len(overload._schema.returns)
        if returns == 0:
            self.written.steps.append(_with_place({"names": [], "op": schemas.qualified(overload), "args": args}
                                                  | ({"kwargs": kwargs} if kwargs else {}), node))
            self.args[node] = None
            if schemas.qualified(overload).startswith("aten._foreach_"):
                self.results[node] = args[0]  # indexed although it returns nothing: what it has written
        elif returns > 1 and node.meta.get("val") is None:
            raise Unwritable(f"{node.name}: {returns} results that nothing describes")
        else:
            self._step(node, schemas.qualified(overload), args, kwargs, "FRESH")

    def _function(self, node: object) -> None:
        """A function of Python, which Inductor lowers as one: pure, and known by its name alone."""
        if (overload := _only_overload(node.target)) is not None:
            return self._operator(node, overload)
        module, called = getattr(node.target, "__module__", None), getattr(node.target, "__qualname__", None)
        val = node.meta.get("val")
        if not module or not called or not values.is_tensor(val) or node.kwargs:
            raise Unwritable(f"call of {node.target}")
        name = re.sub(r"\W+", "_", f"{module}.{called}")
        args = [self.arg(a) for a in node.args]
        kinds = [_kind_of(a) for a in args]
        schema = f"python::{name}({', '.join(f'{k} a{n}' for n, k in enumerate(kinds))}) -> Tensor"
        self.written.ops[schema] = {"schema": schema}
        self._step(node, f"python.{name}.default", args, {}, "FRESH")

    def _drawn(self, node: object) -> None:
        """A draw from the generator's state, saved or given: the results of the call inside one by one, as text has them."""
        overload = next((a for a in node.args if hasattr(a, "_schema") and not hasattr(a, "meta")), None)
        val = node.meta.get("val")
        if overload is None or val is None or overload._schema.name.split("::")[0] not in KNOWN:
            raise Unwritable(f"{node.name}: {hop_name(node.target)} of {overload}")
        step = {"op": f"higher_order.{hop_name(node.target)}", "args": [self.arg(a) for a in node.args]}
        if node.kwargs:
            step["kwargs"] = {k: self.arg(v) for k, v in node.kwargs.items()}
        if values.is_tensor(val):
            self.args[node] = {"ref": node.name}
            named = {"name": node.name, "types": [self.type_of(val)]}
        else:
            leaves: list[str] = []
            self.results[node] = self.args[node] = _refs(val, node.name, leaves)
            named = {"names": leaves, "types": [self.type_of(v) if values.is_tensor(v) else None for v in _flat(val)]}
        self.written.steps.append(_with_place(named | step, node))

    def _declare(self, overload: object) -> None:
        if overload._schema.name.split("::")[0] not in KNOWN and (declared := schemas.declaration(overload)):
            self.written.ops[declared["schema"]] = declared

    def _scatter(self, node: object, in_place: bool) -> None:
        """Inductor's form of a scatter through several views: in place a `copy_` into the last of them, else a scatter
        into each."""
        into, source, views = node.args
        given = [([self.arg(a) for a in v.args], {k: self.arg(x) for k, x in v.kwargs.items()}) for v in views]
        names = [schemas.qualified(v.target) for v in views]
        places = [self.arg(into)]
        for number, (name, (args, kwargs)) in enumerate(zip(names, given)):
            if in_place or number + 1 < len(names):
                places.append(self._emit(node, f"{node.name}__view{number}", name, [places[-1], *args], kwargs))
        value = self.arg(source)
        if in_place:
            self._emit(node, f"{node.name}__copy", "aten.copy_.default", [places[-1], value])
            self.args[node] = self._emit(node, node.name, "aten.alias.default", places[:1], barrier=True)
            return
        for number in reversed(range(len(names))):
            args, kwargs = given[number]
            if names[number] not in SCATTERS:
                raise Unwritable(f"{node.name}: a scatter through {names[number]}")
            made = node.name if number == 0 else f"{node.name}__part{number}"
            value = self._emit(node, made, SCATTERS[names[number]], [places[number], value, *args], kwargs)
        self.args[node] = value

    def _functionalized(self, node: object) -> None:
        """Clones of what the operator writes, the views that it is given, the call, and the clones as its results; only
        the clones that reinplacing has left to be made, if it has seen the node."""
        overload, given = node.args[0], dict(node.kwargs)
        if _is_higher_order(overload) and hop_name(overload) in REGIONS:
            return self._functionalized_region(node, *REGIONS[hop_name(overload)])
        if not hasattr(overload, "_schema") or node.args[1:] or any(a.kwarg_only and schemas.writes(a)
                                                                    for a in overload._schema.arguments):
            raise Unwritable(f"{node.name}: {hop_name(node.target)} of {overload}")
        self._declare(overload)
        cloned = node.meta.get("only_clone_these_tensors")
        wrapped = _Functionalized(self, node, given, None if cloned is None else set(cloned))
        args = [wrapped.argument(a) for a in overload._schema.arguments]
        returns = len(overload._schema.returns)
        own = [f"{node.name}__{k}" for k in range(returns)]
        val = node.meta.get("val")
        step = {"names": own, "op": schemas.qualified(overload), "args": args}
        if isinstance(val, (list, tuple)) and returns:
            step["types"] = [self.type_of(v) if values.is_tensor(v) else None for v in val[:returns]]
        self.written.steps.append(_with_place(step, node))
        self._give_back(node, own, wrapped)

    def _functionalized_region(self, node: object, first: tuple[str, ...], operand: str) -> None:
        """The same of an operator that runs bodies, which say by themselves what they write."""
        cloned = node.meta.get("only_clone_these_tensors")
        given = {k: v for k, v in node.kwargs.items() if k != "_op_schema"}
        wrapped = _Functionalized(self, node, given, None if cloned is None else set(cloned))
        insides = [self._body(given[n]) for n in first if getattr(given[n], "op", "") == "get_attr"]
        count = len(insides[0].outputs)
        if not wrapped.second or any(i.constants or len(i.outputs) != count for i in insides):
            raise Unwritable(f"{node.name}: bodies with constants, or that give other results")
        operands: list = []
        while (name := f"{operand}{len(operands)}") in given or f"_{name}_base_index" in given:
            operands.append(self.arg(given[name]) if name in given else wrapped._view(f"_{name}"))
        known = [k for k in given if k in first or k.startswith(operand) or k.endswith("_base_index")]
        if len([k for k in known if k not in first]) != len(operands):
            raise Unwritable(f"{node.name}: operands that are not numbered")
        args = [self.arg(given[n]) for n in first] + ([operands] if operand == "operand" else operands)
        own = [f"{node.name}__{k}" for k in range(count)]
        types = [self.type_of(v) if values.is_tensor(v) else None for v in node.meta["val"][:count]]
        step = {"names": own, "op": f"higher_order.{hop_name(node.args[0])}", "args": args, "types": types}
        self.written.steps.append(_with_place(step, node))
        self._give_back(node, own, wrapped)

    def _give_back(self, node: object, own: list[str], wrapped: _Functionalized) -> None:
        """The call's results: its own, and what it has made of its bases."""
        results: list = [{"ref": n} for n in own] or [None]
        for number, base in enumerate(wrapped.bases):
            results.append([self._result(node, f"{number}_{k}", b) for k, b in enumerate(base)]
                           if isinstance(base, list) else self._result(node, number, base))
        self.results[node] = results
        self.args[node] = results

    def _result(self, node: object, number: int | str, base: object) -> object:
        """What the call has made of a base."""
        if base is None:
            return None
        return self._emit(node, f"{node.name}__result{number}", "aten.alias.default", [base], barrier=True)

    def _emit(self, node: object, name: str, op: str, args: list, kwargs: dict | None = None, barrier: bool = False) -> dict:
        step = {"name": name, "op": op, "args": args} | ({"kwargs": kwargs} if kwargs else {})
        if barrier:
            step["barrier"] = True
        self.written.steps.append(_with_place(step, node))
        return {"ref": name}

    def _control_flow(self, node: object) -> None:
        if node.kwargs:
            raise Unwritable(f"{node.name}: {hop_name(node.target)} with keyword arguments")
        super()._control_flow(node)

    def _item(self, node: object, val: object) -> None:
        super()._item(node, val)
        if self.written.items[-1].isidentifier():
            self.written.steps[-1]["tells"] = self.written.items[-1]

    def _note_storages(self, step: dict, val: object) -> None:
        """For each result whose description shares its storage with an earlier value's, the first of these."""
        names = step.get("names", [step.get("name")])
        several = val if isinstance(val, (list, tuple)) else [val]
        shared = [self.on_storage(n, v) for n, v in zip(names, several)]
        if any(shared):
            step["lies_in"] = shared

    def on_storage(self, name: str, val: object) -> str | None:
        """The first value on the storage that `val` describes; None if that is `name` itself."""
        return self.first_on(name, storage_of(val))

    def first_on(self, name: str, storage: object) -> str | None:
        first = self.lies_in.setdefault(storage, name) if storage is not None else name
        return None if first == name else first


class _Functionalized:
    """Arguments of the operator inside `auto_functionalized`, made step by step."""

    def __init__(self, writer: AtenWriter, node: object, given: dict, cloned: set | None):
        self.writer, self.node, self.given, self.cloned = writer, node, given, cloned
        self.second = hop_name(node.target) == "auto_functionalized_v2"
        self.bases: list = []
        if self.second:
            self.bases = [self._base(k, k, b) for k, b in enumerate(given.get("_all_bases", ()))]

    def argument(self, argument: object) -> object:
        name = argument.name
        if not schemas.writes(argument):
            return self.writer.arg(self.given[name]) if name in self.given else self._default(argument)
        if not self.second:
            return self._first(name)
        if f"_{name}_length" in self.given:
            length = self.given[f"_{name}_length"]
            return None if length is None else [self._view(f"_{name}_{k}") for k in range(length)]
        return self._view(f"_{name}")

    def _default(self, argument: object) -> object:
        if not argument.has_default_value():
            raise Unwritable(f"{self.node.name}: {argument.name} is not given")
        return values.argument(argument.default_value)

    def _first(self, name: str) -> object:
        value = self.given.get(name)
        if isinstance(value, (list, tuple)):
            made = [self._base(f"{len(self.bases)}_{k}", name, v) for k, v in enumerate(value)]
            self.bases.append(made)
            return made
        self.bases.append(self._base(len(self.bases), name, value))
        return self.bases[-1]

    def _base(self, number: int | str, key: object, value: object) -> object:
        if value is None:
            return None
        if self.cloned is not None and key not in self.cloned:
            return self.writer.arg(value)
        return self.writer._emit(self.node, f"{self.node.name}__base{number}", "aten.clone.default", [self.writer.arg(value)])

    def _view(self, prefix: str) -> object:
        index, given = self.given[f"{prefix}_base_index"], self.given
        if index is None:
            return None
        base, name = self.bases[index], f"{self.node.name}_{prefix}"
        if f"{prefix}_alias" in given:
            return self.writer._emit(self.node, name, "aten.alias.default", [base])
        if f"{prefix}_storage_offset" in given:
            self._starts_at_zero(index)
            parts = [self.writer.arg(given[f"{prefix}_{p}"]) for p in ("size", "stride", "storage_offset")]
            return self.writer._emit(self.node, name, "aten.as_strided.default", [base, *parts])
        if f"{prefix}_slice_dim" in given:
            parts = [self.writer.arg(given[f"{prefix}_slice_{p}"]) for p in ("dim", "start", "end")]
            return self.writer._emit(self.node, name, "aten.slice.Tensor", [base, *parts])
        return base

    def _starts_at_zero(self, index: int) -> None:
        """Offsets of `as_strided` count from the start of the storage, which a clone of a part does not have."""
        val = self.given["_all_bases"][index].meta.get("val")
        offset = val.storage_offset() if values.is_tensor(val) else None
        if not isinstance(offset, int) or offset != 0:
            raise Unwritable(f"{self.node.name}: a view of a part of a storage")


def export(module: object, memory: Memory | None = None) -> Exported:
    """GRAPH of a graph module whose nodes carry descriptions of their values. Raises Unwritable where it cannot be.
    `memory`: of the same graph at an earlier time."""
    writer = AtenWriter(module, {}, memory=memory)
    inputs = [entry for node in module.graph.nodes if node.op == "placeholder" for entry in _input(writer, node)]
    _share(inputs)
    written = writer.write()
    graph = {"inputs": inputs + written.constants, "steps": written.steps, "outputs": written.outputs}
    environment = shape_env_of(module)
    return Exported(graph, written, ranges(environment, written.symbols), written.held, assumed(environment, written.symbols))


def shape_env_of(module: object) -> object:
    """The shape environment that the descriptions in a graph speak of, if they have symbols."""
    for node in module.graph.nodes:
        val = node.meta.get("val")
        for each in val if isinstance(val, (list, tuple)) else [val]:
            if values.is_symbolic(each):
                return each.node.shape_env
            mode = getattr(each, "fake_mode", None)
            if mode is not None and mode.shape_env is not None:
                return mode.shape_env
    return None


def ranges(environment: object, symbols: set[str]) -> dict[str, dict]:
    """`symbols` of a case: what the shape environment knows of each."""
    known = {str(s): r for s, r in getattr(environment, "var_to_range", {}).items()}
    return {name: ({"unbacked": True} if name.startswith("u") else {}) | values.bounds_of(known.get(name))
            for name in sorted(symbols)}


def assumed(environment: object, symbols: set[str]) -> list[str]:
    """`assume` of a case: guards, and what symbols were replaced by, as far as they speak of `symbols` only."""
    stated = [guard.expr for guard in getattr(environment, "guards", [])]
    found = [_relation(e) for e in stated if {str(s) for s in e.free_symbols} <= symbols]
    for symbol, by in getattr(environment, "replacements", {}).items():
        if str(symbol) in symbols and {str(s) for s in by.free_symbols} <= symbols:
            with contextlib.suppress(Unwritable):
                found.append(f"{symbol} == {values.sympy_text(by)}")
    return list(dict.fromkeys(f for f in found if f))


_SIGNS = {"Equality": "==", "Unequality": "!=", "LessThan": "<=", "StrictLessThan": "<", "GreaterThan": ">=",
          "StrictGreaterThan": ">"}


def _relation(expr: object) -> str | None:
    sign = _SIGNS.get(type(expr).__name__)
    with contextlib.suppress(Unwritable):
        if sign:
            return f"{values.sympy_text(expr.args[0])} {sign} {values.sympy_text(expr.args[1])}"
    return None


def _input(writer: AtenWriter, node: object) -> list[dict]:
    val = node.meta.get("val")
    writer.written.symbols |= values.symbols_in(val)
    if not values.is_tensor(val):
        writer.args[node] = values.argument(val)
        return []
    entry = {"name": node.name, "type": writer.type_of(val), "kind": "user"}
    writer.args[node] = {"ref": node.name} if writer.memory is None else writer.memory.ref(node.name)
    writer.on_storage(node.name, val)
    return [entry | {"_val": val}]


def _share(inputs: list[dict]) -> None:
    """Storage, its size and the offset of inputs that share one."""
    vals = {entry["name"]: entry.pop("_val") for entry in inputs}
    keys = {name: storage_of(val) for name, val in vals.items()}
    counts = [k for k in keys.values() if k is not None]
    numbers: dict[object, str] = {}
    for entry in inputs:
        val, key = vals[entry["name"]], keys[entry["name"]]
        offset = values.expression(val.storage_offset())
        if offset != 0:
            entry["type"]["offset"] = offset
        if key is not None and counts.count(key) > 1:
            entry["storage"] = numbers.setdefault(key, f"S{len(numbers)}")
        if key is not None and (offset != 0 or "storage" in entry):
            numel = _numel(val)
            if numel is not None:
                entry["storage_numel"] = numel


def _numel(val: object) -> int | None:
    size = val.untyped_storage().nbytes()
    return size // val.dtype.itemsize if isinstance(size, int) and size % val.dtype.itemsize == 0 else None


def _refs(val: object, name: str, leaves: list[str]) -> object:
    """A reference for each description in nested tuples; their names are added to `leaves`."""
    if isinstance(val, (list, tuple)):
        return [_refs(v, name, leaves) for v in val]
    leaves.append(f"{name}__{len(leaves)}")
    return {"ref": leaves[-1]}


def _with_place(step: dict, node: object) -> dict:
    place = values.location(node.meta.get("stack_trace"))
    return step | {"loc": place} if place else step


def _kind_of(arg: object) -> str:
    """The type in a schema of an argument as it is written. Raises Unwritable."""
    if isinstance(arg, dict) and len(arg) == 1:
        return {"ref": "Tensor", "sym": "SymInt", "dtype": "ScalarType", "device": "Device"}[next(iter(arg))]
    if isinstance(arg, list) and arg and len({_kind_of(a) for a in arg}) == 1:
        return _kind_of(arg[0]) + "[]"
    kinds = {bool: "bool", int: "SymInt", float: "float", str: "str", type(None): "Tensor?"}
    if type(arg) not in kinds:
        raise Unwritable(f"argument {arg}")
    return kinds[type(arg)]


def _only_overload(target: object) -> object | None:
    """The operator that a packet of overloads without out arguments stands for, if it is only one."""
    if type(target).__name__ != "OpOverloadPacket":
        return None
    found = [getattr(target, n) for n in target.overloads() if not schemas.outs(getattr(target, n))]
    return found[0] if len(found) == 1 else None


def _is_higher_order(target: object) -> bool:
    return type(target).__module__.startswith("torch._higher_order_ops")
