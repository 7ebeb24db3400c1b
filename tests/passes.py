#!/usr/bin/env python3
"""Passes to test `noclobber fuzz --pass` with: passes.py NAME [--lines]

Each reads a case on standard input and writes it with `after` rewritten: steps that may run in place do. With --lines
one process answers a line with a line.  `careful` and `identity` are right; the others are wrong in one way each, or
are no passes at all (`dies`, `hangs`, `mute`, `chatty`, `moody`, `meddles`, `babbles`).
"""
import copy
import hashlib
import json
import sys
import time

IN_PLACE = {f"aten.{name}" for name in (
    "add.Tensor", "sub.Tensor", "mul.Tensor", "div.Tensor", "add.Scalar", "mul.Scalar", "neg.default", "relu.default",
    "exp.default", "sigmoid.default", "tanh.default", "abs.default", "sqrt.default")}
SAME_DTYPE_VIEWS = {f"aten.{name}" for name in (
    "slice.Tensor", "select.int", "permute.default", "transpose.int", "t.default", "unsqueeze.default", "squeeze.dim",
    "squeeze.default", "expand.default", "view.default", "reshape.default", "diagonal.default", "as_strided.default",
    "alias.default", "detach.default", "unfold.default")}
FRESH = IN_PLACE | {f"aten.{name}" for name in (
    "mm.default", "clone.default", "cat.default", "_softmax.default", "mean.dim", "threshold_backward.default",
    "maximum.default", "cumsum.default", "index_put.default", "slice_scatter.default", "select_scatter.default",
    "diagonal_scatter.default", "full.default")}
REPEATING = ("aten.expand.default", "aten.as_strided.default", "aten.unfold.default")


def refs(value):
    """Names that an argument refers to."""
    if isinstance(value, dict):
        return [value["ref"]] if "ref" in value else [r for v in value.values() for r in refs(v)]
    return [r for v in value for r in refs(v)] if isinstance(value, list) else []


def operands(step):
    return refs([step.get("args", []), list(step.get("kwargs", {}).values())])


def results(step):
    return [step["name"]] if "name" in step else step.get("names", [])


class Storage:
    """Which values may share storage: every value has parents, as far as the pass looks."""

    def __init__(self, graph, is_copy=lambda step: False):
        self.inputs = {i["name"] for i in graph["inputs"]}
        self.parents = {name: [] for name in self.inputs}
        shared = {}
        for entry in graph["inputs"]:
            if "storage" in entry:
                self.parents[entry["name"]] = shared.setdefault(entry["storage"], [])[:]
                shared[entry["storage"]].append(entry["name"])
        for step in graph["steps"]:
            fresh = step["op"] in FRESH or is_copy(step)
            for name in results(step):
                self.parents[name] = [] if fresh else [o for o in operands(step) if o in self.parents]

    def group(self, name):
        """All values that may share a byte with this one."""
        found, todo = {name}, [name]
        while todo:
            at = todo.pop()
            for other in [*self.parents.get(at, []), *(n for n, above in self.parents.items() if at in above)]:
                if other not in found:
                    found.add(other)
                    todo.append(other)
        return found

    def near(self, name):
        """The value, what it is a view of, and the views of either: not the views of those."""
        above = self.parents.get(name, [])
        return {name, *above, *(n for n, p in self.parents.items() if name in p or set(p) & set(above))}


def types_of(graph):
    found = {i["name"]: i["type"] for i in graph["inputs"]}
    for step in graph["steps"]:
        for name, kind in zip(results(step), step.get("types", [])):
            found[name] = kind
    return found


def alike(one, other):
    return bool(one and other) and (one["dtype"], one["shape"]) == (other["dtype"], other["shape"])


def shows_once(name, graph, storage):
    makers = {n: s["op"] for s in graph["steps"] for n in results(s)}
    return not any(makers.get(n) in REPEATING for n in storage.group(name))


def in_flight(graph):
    """Values of collectives: one that nobody waits for may read and write for ever."""
    return {n for s in graph["steps"] if "c10d_functional" in s["op"] for n in operands(s) + results(s)}


def in_place(op):
    system, name, overload = op.split(".")
    return f"{system}.{name}_.{overload}"


def reinplaced(before, fault=""):
    """Steps run in place on their first operand where nobody needs its old contents, but for the fault."""
    graph = copy.deepcopy(before)
    is_copy = (lambda step: step["op"] == "aten.view.dtype") if fault == "dtype-views" else (lambda step: False)
    storage, types = Storage(graph, is_copy), types_of(graph)
    for number, step in enumerate(graph["steps"]):
        args = step.get("args", [])
        if step["op"] not in IN_PLACE or not args or not isinstance(args[0], dict) or "ref" not in args[0]:
            continue
        target = args[0]["ref"]
        group = storage.near(target) if fault == "views-of-views" else storage.group(target)
        later = {r for s in graph["steps"][number + 1:] for r in operands(s)}
        later |= set(refs(graph["outputs"])) | set(refs(list(graph.get("final", {}).values())))
        others = {r for r in refs(args[1:]) if r != target or fault == "own-operands"}
        if group & storage.inputs or group & later or group & in_flight(graph) or not shows_once(target, graph, storage):
            continue
        if fault != "own-operands" and group & others:
            continue
        if alike(types.get(target), types.get(results(step)[0])):
            step["op"] = in_place(step["op"])
            storage.parents[results(step)[0]] = [target]
    return graph


def naive(before):
    """The name of the operand alone decides: views, inputs' views, broadcasts and operands are forgotten."""
    graph, inputs = copy.deepcopy(before), {i["name"] for i in before["inputs"]}
    for number, step in enumerate(graph["steps"]):
        args = step.get("args", [])
        if step["op"] not in IN_PLACE or not args or not isinstance(args[0], dict) or "ref" not in args[0]:
            continue
        later = {r for s in graph["steps"][number + 1:] for r in operands(s)}
        later |= set(refs(graph["outputs"])) | set(refs(list(graph.get("final", {}).values())))
        if args[0]["ref"] not in inputs | later:
            step["op"] = in_place(step["op"])
    return graph


def without_some_writes(before, one_in=1000):
    """Copies into inputs are left out, one in so many, as a hash of the program decides."""
    graph, inputs = copy.deepcopy(before), {i["name"] for i in before["inputs"]}
    seed = json.dumps(before, sort_keys=True).encode()
    used = {r for s in graph["steps"] for r in operands(s)} | set(refs(graph["outputs"]))

    def is_lost(step, number):
        is_write_back = step["op"] == "aten.copy_.default" and operands(step)[0] in inputs and not set(results(step)) & used
        digest = hashlib.sha256(seed + str(number).encode()).digest()
        return is_write_back and int.from_bytes(digest[:8], "big") % one_in == 0

    graph["steps"] = [s for k, s in enumerate(graph["steps"]) if not is_lost(s, k)]
    return graph


def meddled(case):
    """The program is changed on both sides."""
    for side in ("before", "after"):
        for step in case[side]["steps"]:
            if step["op"] in IN_PLACE and step["op"].endswith(".default"):
                step["op"] = "aten.abs.default" if step["op"] != "aten.abs.default" else "aten.neg.default"
    return case


REWRITES = {
    "identity": copy.deepcopy, "careful": reinplaced, "naive": naive,
    "views-of-views": lambda g: reinplaced(g, "views-of-views"), "own-operands": lambda g: reinplaced(g, "own-operands"),
    "dtype-views": lambda g: reinplaced(g, "dtype-views"), "lost-write-back": without_some_writes}


def answer(name, text, asked):
    if name == "dies" and "aten.neg" in text:
        raise ValueError("no rule for neg")
    if name == "hangs" and "aten.neg" in text:
        time.sleep(1000)
    if name == "mute" and "aten.neg" in text:
        return ""
    case = json.loads(text)
    case["after"] = REWRITES.get(name, copy.deepcopy)(case.get("before") or case["after"])
    if name == "moody" and asked % 2:
        case["title"] = "another answer"
    if name == "meddles":
        case = meddled(case)
    if name == "babbles":
        return "rewritten: " + json.dumps(case)
    return json.dumps(case) + ("\n" + json.dumps(case) if name == "chatty" else "")


def main():
    name = sys.argv[1]
    if "--lines" not in sys.argv:
        print(answer(name, sys.stdin.read(), 0))
        return
    for asked, line in enumerate(sys.stdin):
        print(answer(name, line, asked), flush=True)


if __name__ == "__main__":
    main()
