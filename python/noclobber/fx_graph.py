"""An FX graph as the GRAPH of a case: steps, control flow with its bodies, delegates, and places if it is planned.

Out-variants are written as the functional operator whose result lies at the planned place, allocations as nothing,
`memory.view` as a view. Sizes that the graph computes are expressions, not steps.
"""
from __future__ import annotations

import dataclasses
import hashlib
import math
import operator

from . import schemas, values
from .values import Unwritable

# Backends whose delegates are functions of their inputs, as the reader of .pte knows them.
FUNCTIONS = ("XnnpackBackend",)

# Steps that compute no value anybody reads: checks of sizes, and the planner's own.
READS_CONTENTS = ("aten._local_scalar_dense", "aten.item", "_local_scalar_dense", "item")
NO_EFFECT = ("aten._assert", "aten.sym_constrain_range", "prims._assert")


@dataclasses.dataclass
class Written:
    """What one graph contributes to a case."""

    steps: list[dict] = dataclasses.field(default_factory=list)
    constants: list[dict] = dataclasses.field(default_factory=list)  # inputs that stand for lifted constants
    outputs: list = dataclasses.field(default_factory=list)
    graphs: dict[str, dict] = dataclasses.field(default_factory=dict)
    ops: dict[str, dict] = dataclasses.field(default_factory=dict)
    symbols: set[str] = dataclasses.field(default_factory=set)
    most: dict[str, int] = dataclasses.field(default_factory=dict)  # of symbols: what their operator says
    places: list[dict] = dataclasses.field(default_factory=list)
    held: dict[str, dict] = dataclasses.field(default_factory=dict)  # what those constants hold, by name
    items: list[str] = dataclasses.field(default_factory=list)  # numbers read out of tensors, in order; "" no symbol


def _returned(lowered: object, results: list) -> list:
    """What a call of a delegate gives. New values of buffers that it owns stay inside, and the partitioner describes them as
    results; a pass that traces the call again may put symbols where the delegated graph has numbers."""
    inner = getattr(lowered, "original_module", None)
    specs = getattr(getattr(inner, "graph_signature", None), "output_specs", [])
    kept = [k for k, s in enumerate(specs) if s.kind.name != "BUFFER_MUTATION"]
    if len(specs) == len(results):
        results = [results[k] for k in kept]
    if len(kept) != len(results) or not hasattr(inner, "graph"):
        return results
    given = _flat(next(n for n in inner.graph.nodes if n.op == "output").args[0])
    known = [getattr(given[k], "meta", {}).get("val") for k in kept]
    return [k if values.is_tensor(k) and not values.symbols_in(k) and values.symbols_in(r) else r for k, r in zip(known, results)]


def _delegate_name(lowered: object) -> str | None:
    """The operator that the reader of .pte gives the delegate's payload: a digest of it and of what it is compiled for.

    None where a delegate may keep something, or is no lowered module.
    """
    backend = getattr(lowered, "backend_id", None)
    if backend not in FUNCTIONS:
        return None
    digest = hashlib.sha256(bytes(lowered.processed_bytes))
    for spec in lowered.compile_specs or []:
        digest.update(spec.key.encode() + b"\0" + bytes(spec.value) + b"\0")
    return f"executorch_delegate::{backend}_{digest.hexdigest()[:32]}"


class GraphWriter:
    """Writes the nodes of one graph module.

    `args` maps placeholders to what stands for them. `hints` are keyword arguments by path and step name that an
    out-variant lost (`dtype` of a conversion). `path` is the prefix of the names of bodies and of their constants.
    """

    def __init__(self, module: object, args: dict, hints: dict | None = None, path: str = ""):
        self.module, self.args, self.hints, self.path = module, dict(args), hints or {}, path
        self.written = Written()
        self.results: dict = {}  # node of a call with several results -> their ARGs
        self.places: dict[str, tuple[int, int]] = {}  # value -> (arena, offset in bytes) it has
        self.owners: dict[int, str] = {}  # id of a planner's record -> value it was written for

    def write(self) -> Written:
        """All steps in order, then the outputs."""
        for node in self.module.graph.nodes:
            if node.op == "call_function":
                self._call(node)
            elif node.op == "get_attr":
                self._attribute(node)
            elif node.op == "output":
                outputs = [self.arg(a) for a in _flat(node.args[0])]
                is_whole = hasattr(node.args[0], "op") and isinstance(outputs[0], list)  # a tuple by its name
                self.written.outputs = outputs[0] if is_whole else outputs
            elif node.op != "placeholder":
                raise Unwritable(f"node {node.name}: {node.op}")
        return self.written

    def arg(self, value: object) -> object:
        """ARG of an argument that may be or contain nodes."""
        if hasattr(value, "op") and hasattr(value, "meta"):
            if value not in self.args:
                raise Unwritable(f"use of {value.name}")
            return self.args[value]
        if isinstance(value, (list, tuple)):
            return [self.arg(v) for v in value]
        return values.argument(value)

    def contents_of(self, tensor: object) -> dict:
        """What a constant holds."""
        return values.contents_of(tensor)

    def type_of(self, val: object) -> dict:
        """TYPE of a tensor's description."""
        return values.tensor_type(val)

    def place(self, name: str, spec: object, **more: str) -> None:
        """A plan entry for `name`, if the planner gave it a place."""
        where = place_of(spec)
        if where is None:
            return
        self.places[name] = where
        base = getattr(spec, "storage_base", None)
        if base is not None and id(base) in self.owners:
            more["inplace_of"] = self.owners[id(base)]
        self.owners.setdefault(id(spec), name)
        self.written.places.append({"value": name, "arena": str(where[0]), "offset": where[1],
                                    "size": int(spec.nbytes()), **more})

    def _attribute(self, node: object) -> None:
        value = _attribute_of(self.module, node.target)
        if hasattr(value, "graph"):
            self.args[node] = {"graph": self.path + node.target}
        elif values.is_tensor(value):
            name = self.path + node.target
            self.written.constants.append(
                {"name": name, "type": self.type_of(value), "kind": "constant", "mutable": False})
            self.args[node] = {"ref": name}
            if held := self.contents_of(value):
                self.written.held[name] = held
        else:
            self.args[node] = None  # a lowered module: its call names it

    def _call(self, node: object) -> None:
        target, val = node.target, node.meta.get("val")
        name = getattr(target, "__name__", str(target))
        module = getattr(target, "__module__", "") or ""
        self.written.symbols |= values.symbols_in(val)
        if name.removeprefix("aten.").startswith("nonzero."):
            self._rows(node, val)
        if target is operator.getitem:
            self._getitem(node)
        elif module.startswith("executorch.exir.memory"):
            if name == "view":
                self._view(node)
        elif val is not None and not _has_tensors(val):
            self.args[node] = _scalar(val)
            if name.startswith(READS_CONTENTS):
                self._item(node, val)
        elif name == "executorch_call_delegate":
            self._delegate(node)
        elif type(target).__module__.startswith("torch._higher_order_ops"):
            self._control_flow(node)
        elif (overload := schemas.overload_of(target)) is not None:
            if not schemas.qualified(overload).startswith(NO_EFFECT):
                self._operator(node, overload)
        else:
            self._function(node)

    def _function(self, node: object) -> None:
        """A call of what is no operator."""
        raise Unwritable(f"call of {node.target}")

    def _rows(self, node: object, val: object) -> None:
        """There are no more of them than the operand has elements, which passes that trace again forget."""
        found, sizes = values.symbols_in(val), getattr(node.args[0].meta.get("val"), "shape", ())
        if len(found) == 1 and str(val.shape[0]) in found and all(isinstance(s, int) for s in sizes):
            self.written.most[found.pop()] = math.prod(sizes)

    def _item(self, node: object, val: object) -> None:
        """A number read out of a tensor: a step that must find there what it always found, and a symbol for it."""
        self.written.steps.append({"names": [], "op": "aten._local_scalar_dense.default",
                                   "args": [self.arg(node.args[0])]})
        self.written.items.append(str(values.expression(val)) if values.is_symbolic(val) else "")

    def _getitem(self, node: object) -> None:
        base, index = node.args
        if base in self.results:  # else of allocations, before anything is put into them
            self.args[node] = self.results[base][index]
            if isinstance(self.args[node], list):
                self.results[node] = self.args[node]

    def _view(self, node: object) -> None:
        """A view that costs nothing; it has a place of its own only where the planner looked at another record."""
        self._step(node, "aten.view.default", [self.arg(node.args[0]), self._sizes(node)], {}, "ALIAS")
        where = place_of(node.meta.get("spec"))
        if where is not None and where != self.places.get(node.name):
            self.place(node.name, node.meta["spec"])

    def _sizes(self, node: object) -> list:
        return [values.argument(s) for s in node.meta["val"].shape]

    def _operator(self, node: object, overload: object) -> None:
        kwargs = dict(node.kwargs)
        op, out_names = overload, schemas.outs(overload)
        if out_names:
            op = schemas.functional(overload)
            if op is None:
                raise Unwritable(f"{schemas.qualified(overload)}: no operator without out arguments")
            kwargs = {k: v for k, v in kwargs.items() if k not in out_names}
            known = {a.name for a in op._schema.arguments}
            lost = {k: v for k, v in self.hints.get(self.path + node.name, {}).items() if k in known and k not in kwargs}
        else:
            lost = {}
        if declared := schemas.declaration(op):
            self.written.ops[declared["schema"]] = declared
        written = {k: self.arg(v) for k, v in kwargs.items()} | lost
        fresh = "ALIAS" if schemas.mutates(op) else "FRESH"
        allocated = [node.kwargs[n] for n in out_names]
        self._step(node, schemas.qualified(op), [self.arg(a) for a in node.args], written, fresh, allocated)
        for place in allocated:
            if len(allocated) == 1 and hasattr(place, "op"):  # what was put there is also known by the place
                self.args[place] = self.args[node]
                if node in self.results:
                    self.results[place] = self.results[node]

    def _step(self, node: object, op: str, args: list, kwargs: dict, kind: str, also: list | None = None, val: object = None) -> None:
        """One step, its results' names and types, and with kind FRESH their places. `also`: nodes whose parts it is;
        `val`: what describes its results, where the node's own description does not."""
        val = node.meta.get("val") if val is None else val
        if val is None and kind == "ALIAS":
            val = node.args[0].meta.get("val")  # write-back describes no results
        step = self._named(node, val, [node, *(a for a in also or [] if hasattr(a, "users"))])
        step |= {"op": op, "args": args}
        if kwargs:
            step["kwargs"] = kwargs
        several = val if isinstance(val, (list, tuple)) else [] if val is None else [val]
        step["types"] = [self.type_of(v) if values.is_tensor(v) else None for v in several]
        if place := values.location(node.meta.get("stack_trace")):
            step["loc"] = place
        self.written.steps.append(step)
        specs = _flat(node.meta.get("spec"))
        names = step["names"] if "names" in step else [step["name"]]
        if kind == "FRESH" and len(specs) == len(names):
            for name, spec in zip(names, specs):
                self.place(name, spec)
        elif kind == "ALIAS" and isinstance(args[0], dict) and args[0].get("ref") in self.places:
            self.places[node.name] = self.places[args[0]["ref"]]

    def _named(self, node: object, val: object, known_by: list) -> dict:
        if not isinstance(val, (list, tuple)):
            self.args[node] = {"ref": node.name}
            return {"name": node.name}
        used = {u.args[1]: u.name for n in known_by for u in n.users if u.target is operator.getitem}
        names = [used.get(i, f"{node.name}__{i}") for i in range(len(val))]
        self.results[node] = [{"ref": n} for n in names]
        self.args[node] = list(self.results[node])
        return {"names": names}

    def _delegate(self, node: object) -> None:
        """An opaque call: it reads its arguments and makes fresh results."""
        operands = [a for a in node.args[1:]]
        if not all(hasattr(a, "meta") and values.is_tensor(a.meta.get("val")) for a in operands):
            raise Unwritable(f"delegate {node.name}: an operand that is no tensor")
        lowered = _attribute_of(self.module, node.args[0].target)
        results = _returned(lowered, _flat(node.meta["val"]))
        op = _delegate_name(lowered) or f"delegate::{node.args[0].name}"
        inputs = ", ".join(f"Tensor a{i}" for i in range(len(operands)))
        schema = f"{op}({inputs}) -> ({', '.join(['Tensor'] * len(results))})"
        self.written.ops[schema] = {"schema": schema}
        self._step(node, op.replace("::", ".") + ".default", [self.arg(a) for a in operands], {}, "FRESH", val=results)

    def _control_flow(self, node: object) -> None:
        args = [list(a) if isinstance(a, (list, tuple)) else a for a in node.args]
        bodies = [a for a in args if hasattr(a, "op") and a.op == "get_attr"]
        bodies = [b for b in bodies if hasattr(_attribute_of(self.module, b.target), "graph")]
        insides = [self._body(b) for b in bodies]
        if hop_name(node.target) == "cond":  # of the others nobody asks where their values lie
            self.written.places += [p | {"value": f"{self.path}{b.target}/{p['value']}"} if "/" not in p["value"] else p
                                    for b, inside in zip(bodies, insides) for p in inside.places]
        self._pass_constants(bodies, insides)
        lifted = [c for inside in insides for c in inside.constants]
        self.written.constants += lifted
        for inside in insides:
            self.written.held |= inside.held
        written = [self.arg(a) for a in args]
        extra = [{"ref": c["name"]} for c in lifted]
        if extra and isinstance(written[-1], list):
            written[-1] = written[-1] + extra
        elif extra:
            raise Unwritable(f"{node.name}: constants in a body without operands")
        before = len(self.written.places)
        # PyTorch clones what its loop carries if no trip runs; the format's own gives the operands back.
        named = {"without_trips": "clone"} if hop_name(node.target) == "while_loop" else {}
        self._step(node, f"higher_order.{hop_name(node.target)}", written, named, "FRESH")
        if hop_name(node.target) == "cond":
            self._place_as_in_branches(before, bodies)

    def _body(self, node: object) -> Written:
        module = _attribute_of(self.module, node.target)
        name = self.path + node.target
        placeholders = [n for n in module.graph.nodes if n.op == "placeholder"]
        inside = type(self)(module, {n: {"ref": n.name} for n in placeholders}, self.hints, name + "__").write()
        inputs = [{"name": n.name, "type": self.type_of(n.meta["val"])} for n in placeholders]
        self.written.graphs |= inside.graphs
        self.written.graphs[name] = {"inputs": inputs, "steps": inside.steps, "outputs": inside.outputs}
        self.written.ops |= inside.ops
        self.written.symbols |= inside.symbols
        self.written.most |= inside.most
        self.written.items += inside.items
        return inside

    def _pass_constants(self, bodies: list, insides: list[Written]) -> None:
        """Every body takes the constants of all, in one order: its own by name, those of others unused."""
        for body, inside in zip(bodies, insides):
            graph = self.written.graphs[self.path + body.target]
            own = {c["name"] for c in inside.constants}
            for constant in (c for other in insides for c in other.constants):
                name = constant["name"] if constant["name"] in own else "unused_" + constant["name"]
                graph["inputs"].append({"name": name, "type": constant["type"]})

    def _place_as_in_branches(self, before: int, bodies: list) -> None:
        """The result of a branch is re-pointed, not copied: it lies where both branches put it, or where each did."""
        entries = self.written.places[before:]
        del self.written.places[before:]
        outputs = [_output_specs(_attribute_of(self.module, b.target)) for b in bodies]
        for i, entry in enumerate(entries):
            where = {place_of(o[i]) for o in outputs}
            if len(where) == 1 and (place := where.pop()) is not None:
                self.written.places.append(entry | {"arena": str(place[0]), "offset": place[1]})
                self.places[entry["value"]] = place
            else:
                del self.places[entry["value"]]


def kwargs_of(graph: dict, graphs: dict[str, dict]) -> dict[str, dict]:
    """The keyword arguments of every named step, by the path of its body and its name: `hints` for a later graph."""
    found = {}
    for path, each in [("", graph), *((f"{name}__", body) for name, body in graphs.items())]:
        found |= {path + s["name"]: s["kwargs"] for s in each["steps"] if "name" in s and "kwargs" in s}
    return found


def place_of(spec: object) -> tuple[int, int] | None:
    """(arena, offset in bytes) of a planner's record; None if it was given no place."""
    if spec is None or isinstance(spec, (list, tuple)) or getattr(spec, "mem_id", None) is None:
        return None
    return None if spec.mem_offset is None else (spec.mem_id, spec.mem_offset)


def _attribute_of(module: object, path: str) -> object:
    for part in path.split("."):
        module = getattr(module, part)
    return module


def _flat(value: object) -> list:
    if isinstance(value, (list, tuple)):
        return [v for item in value for v in _flat(item)]
    return [value]


def _has_tensors(val: object) -> bool:
    return any(values.is_tensor(v) for v in _flat(val))


def _scalar(val: object) -> object:
    if isinstance(val, (list, tuple)):
        return [_scalar(v) for v in val]
    try:
        return values.argument(val)
    except Unwritable:
        return None  # a condition on sizes: only checks of sizes read it


def hop_name(target: object) -> str:
    name = getattr(target, "_name", None) or getattr(target, "__name__", str(target))
    return name.removeprefix("higher_order.")


def _output_specs(module: object) -> list:
    """The planner's records of what a body returns; None where a branch inside of it put that somewhere."""
    output = next(n for n in module.graph.nodes if n.op == "output")
    return [a.meta.get("spec") if hasattr(a, "meta") and a.target is not operator.getitem else None
            for a in _flat(output.args[0])]
