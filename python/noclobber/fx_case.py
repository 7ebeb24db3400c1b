"""A `noclobber.case/1` of graphs that an exporter has written."""
from __future__ import annotations

import dataclasses
import re

from .fx_graph import Written

FORMAT = "noclobber.case/1"


@dataclasses.dataclass
class Exported:
    """One graph as a GRAPH, and what the case around it needs."""

    graph: dict
    written: Written
    ranges: dict[str, dict]
    held: dict[str, dict] = dataclasses.field(default_factory=dict)  # what constants and state hold, by input
    assume: list[str] = dataclasses.field(default_factory=list)  # relations between symbols


def with_contents(exported: Exported) -> Exported:
    """The same graph, its inputs with what they hold: SHA-256, and the numbers where they are few."""
    inputs = [i | exported.held.get(i["name"], {}) for i in exported.graph["inputs"]]
    return dataclasses.replace(exported, graph=exported.graph | {"inputs": inputs})


def case(name: str, after: Exported, before: Exported | None = None, plan: dict | None = None) -> dict:
    """A `noclobber.case/1` of one graph or of a pair. Bodies of the same name that differ are kept apart."""
    parts = [e for e in (before, after) if e is not None]
    written = {"format": FORMAT, "name": name}
    if before:
        after = _same_items(before, after)
    symbols = {k: v for e in parts for k, v in e.ranges.items()}
    ops = {k: v for e in parts for k, v in e.written.ops.items()}
    graphs = dict(before.written.graphs) if before else {}
    renamed = {k: k + "__after" for k, g in after.written.graphs.items() if k in graphs and graphs[k] != g}
    graphs |= {renamed.get(k, k): _renamed(g, renamed) for k, g in after.written.graphs.items()}
    if symbols:
        written["symbols"] = symbols
    if assume := list(dict.fromkeys(a for e in parts for a in e.assume)):
        written["assume"] = assume
    if ops:
        written["ops"] = list(ops.values())
    if graphs:
        written["graphs"] = graphs
    if before:
        written["before"] = before.graph
    written["after"] = _renamed(after.graph, renamed)
    if plan:
        written["plan"] = plan | {"buffers": [b | {"value": _of_renamed(b["value"], renamed)} for b in plan["buffers"]]}
    return written


def _same_items(before: Exported, after: Exported) -> Exported:
    """`after` with the symbols of `before` for numbers that are read out of tensors: a pass that looks at the types
    again makes new ones. Both must read the same numbers in the same order, which is part of the check."""
    pairs = list(zip(before.written.items, after.written.items))
    if len(before.written.items) != len(after.written.items) or not all(a.isidentifier() and b.isidentifier() for b, a in pairs):
        return after
    names = {a: b for b, a in pairs}
    if not names:
        return after
    if len(names) != len(pairs) or set(names.values()) & (after.written.symbols - set(names)):
        return after
    known = re.compile(r"\b(" + "|".join(map(re.escape, names)) + r")\b")

    def renamed(value: object, of_symbols: bool = False) -> object:
        if isinstance(value, str):
            return known.sub(lambda m: names[m[0]], value) if of_symbols else value
        if isinstance(value, list):
            return [renamed(v, of_symbols) for v in value]
        if isinstance(value, dict):
            return {k: renamed(v, of_symbols or k in ("sym", "shape", "stride", "offset")) for k, v in value.items()}
        return value

    written = dataclasses.replace(after.written, items=before.written.items,
                                  graphs={k: renamed(g) for k, g in after.written.graphs.items()})
    ranges = {names.get(k, k): v for k, v in after.ranges.items()}
    return dataclasses.replace(after, graph=renamed(after.graph), written=written, ranges=ranges)


def _of_renamed(value: str, names: dict[str, str]) -> str:
    """"BODY/VALUE" of a body that is called otherwise."""
    body, slash, name = value.partition("/")
    return f"{names.get(body, body)}/{name}" if slash else value


def _renamed(value: object, names: dict[str, str]) -> object:
    """`value` with the bodies in `names` called otherwise."""
    if not names:
        return value
    if isinstance(value, dict):
        if set(value) == {"graph"}:
            return {"graph": names.get(value["graph"], value["graph"])}
        return {k: _renamed(v, names) for k, v in value.items()}
    return [_renamed(v, names) for v in value] if isinstance(value, list) else value
