#!/usr/bin/env python3
"""Planners to test `noclobber fuzz --planner` with: planners.py NAME [--lines] [--csv]

Each reads a problem on standard input and writes a plan. `first-fit` and `in-place` are right; the others are wrong in one way each.
"""
import json
import sys

from passes import IN_PLACE, SAME_DTYPE_VIEWS, operands, results

VIEWS = SAME_DTYPE_VIEWS | {"aten.view.dtype"}
WIDTH = {"f64": 8, "i64": 8, "c64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i16": 2, "i8": 1, "u8": 1, "bool": 1}


def size_of(kind):
    count, span = 1, 1
    for n, stride in zip(kind["shape"], kind.get("stride") or [0] * len(kind["shape"])):
        count, span = count * n, span + (n - 1) * stride
    return (span if count and kind.get("stride") else count) * WIDTH[kind["dtype"]]


def is_write(step):
    name = step["op"].split(".")[1]
    return name.endswith("_") and not name.endswith("__")


class Lives:
    """Live ranges of storages: [first, last) in steps; leaving the graph is a step as well."""

    def __init__(self, graph, views=VIEWS):
        self.root, self.first, self.last, self.size = {}, {}, {}, {}
        for now, step in enumerate(graph["steps"]):
            for name in operands(step):
                self.last[self.root.get(name, name)] = now + 1
            out = step.get("kwargs", {}).get("out", {}).get("ref")
            shares = out or (operands(step)[0] if step["op"] in views or is_write(step) else None)
            for name, kind in zip(results(step), step.get("types", [])):
                root = self.root.get(shares, shares) or name
                self.root[name] = root
                self.first.setdefault(root, now)
                self.last[root] = now + 1
                self.size.setdefault(root, size_of(kind))
        leaving = [graph["outputs"], list(graph.get("final", {}).values())]
        for name in operands({"args": leaving}):
            self.last[self.root.get(name, name)] = len(graph["steps"]) + 1


def first_fit(rows, alignment):
    """rows: name -> (first, last, size). Offsets, and the bytes that they take."""
    placed, top = [], 0
    for name, (first, last, size) in rows.items():
        taken = sorted((at, at + s) for at, f, l, s in placed if f < last and first < l)
        at = 0
        for begin, end in taken:
            if at + size <= begin:
                break
            at = max(at, -(-end // alignment) * alignment)
        placed.append((at, first, last, size))
        top = max(top, at + size)
        yield name, at, top


def in_place_pairs(graph, lives, careful):
    """Results that take the place of their only operand, which nobody needs afterwards, as far as a careful planner looks."""
    types = {e["name"]: e["type"] for e in graph["inputs"]}
    named = {}
    for now, step in enumerate(graph["steps"]):
        types.update(zip(results(step), step.get("types", [])))
        made, given = results(step)[:1], operands(step)[:1]
        if not made or not given or lives.root.get(made[0]) != made[0]:
            continue
        over = named.get(given[0], given[0])
        alike = all(types[given[0]].get(k) == types[made[0]].get(k) for k in ("dtype", "shape", "stride"))
        if alike and step["op"] in IN_PLACE and operands(step).count(given[0]) == len(operands(step)) and over in lives.first and lives.root.get(given[0]) == given[0] and \
                (lives.last[over] == now + 1 or not careful) and lives.size[over] == lives.size[made[0]]:
            named[made[0]] = over
            lives.last[over] = lives.last[made[0]]
    return named


def plan(name, case):
    graph, wanted = case["after"], case["plan"]["required"]
    lives = Lives(graph, VIEWS if name != "forgets-views" else set())
    alignment = 1 if name == "unaligned" else case["plan"]["arenas"]["0"].get("alignment", 1)
    over = in_place_pairs(graph, lives, name == "in-place") if name in ("in-place", "reads-later") else {}
    short = 1 if name == "short" else 0
    rows = {w: (lives.first[w], max(lives.last[w] - short, lives.first[w] + 1), lives.size[w]) for w in wanted if w not in over}
    offsets, top = {}, 0
    for which, at, top in first_fit(rows, alignment):
        offsets[which] = at
    for made, which in over.items():
        offsets[made] = offsets[which]
    if name == "leaves-out" and len(offsets) > 3:
        offsets.popitem()
    return {"arenas": {"0": {"size": top - (1 if name == "small" and top else 0)}},
            "buffers": [{"value": w, "arena": "0", "offset": at, "size": lives.size[w]} for w, at in offsets.items()]}


def table(name, text):
    rows = {}
    for line in text.split()[1:]:
        which, *numbers = line.split(",")
        rows[which] = tuple(map(int, numbers))
    short = {w: (first, max(last - 1, first + 1), size) if name == "short" else (first, last, size)
             for w, (first, last, size) in rows.items()}
    out = ["id,lower,upper,size,offset"]
    out += [f"{which},{','.join(map(str, rows[which]))},{at}" for which, at, _ in first_fit(short, 1)]
    return "\n".join(out) + "\n"


def answer(name, text, csv):
    return table(name, text) if csv else json.dumps(plan(name, json.loads(text)))


def main():
    name, csv = sys.argv[1], "--csv" in sys.argv
    if "--lines" not in sys.argv:
        print(answer(name, sys.stdin.read(), csv))
        return
    for line in sys.stdin:
        print(json.dumps(table(name, json.loads(line))) if csv else answer(name, line, False), flush=True)


if __name__ == "__main__":
    main()
