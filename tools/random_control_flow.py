#!/usr/bin/env python3
"""Random loops, maps, scans and branches, noclobber's verdicts against PyTorch running them: random_control_flow.py

    random_control_flow.py --seed 0 --count 2000 --binary build/bin/noclobber --keep build/random_control_flow

Needs torch. Each program is a case of noclobber.case/1 whose bodies look at storages (as_strided, with and without an
offset), write what they carry, hand on views, exchange carries; its partner is a change of it: a step moved across the
operator, a clone dropped, an operand moved in its storage or exchanged, a body changed, or nothing. Both are run by
PyTorch's own higher-order operators in eager mode, on several contents. A miss is a difference with everything proved, a
false alarm a refutation of what never differs. Such pairs are kept in the folder. Exit code 1 where there are any.
"""
from __future__ import annotations

import argparse
import collections
import copy
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import warnings

import torch
from torch._higher_order_ops.map import map, map_impl
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

warnings.filterwarnings("ignore")
BATCH = 100
ORDERS = 12  # of a program that may run in any
HOP = torch.ops.higher_order
DTYPES = {torch.float32: "f32", torch.int64: "i64", torch.bool: "bool", torch.float64: "f64"}
NAMED = {name: dtype for dtype, name in DTYPES.items()}


def ref(name: str) -> dict:
    return {"ref": name}


def type_of(tensor: torch.Tensor, offset: bool = False, strides: bool = True) -> dict:
    out = {"dtype": DTYPES[tensor.dtype], "shape": list(tensor.shape)}
    if strides and not tensor.is_contiguous():
        out["stride"] = list(tensor.stride())
    if offset and tensor.storage_offset():
        out["offset"] = tensor.storage_offset()
    return out


class Runner:
    """Runs graphs of a case in PyTorch."""

    def __init__(self, case: dict, exporting: bool = False):
        self.bodies, self.exporting = case["graphs"], exporting

    def body(self, name: str):
        return lambda *args: tuple(self.graph(self.bodies[name], list(args)))

    def graph(self, graph: dict, args: list) -> list:
        values = {spec["name"]: arg for spec, arg in zip(graph["inputs"], args, strict=True)}
        for step in graph["steps"]:
            self.step(step, values)
        return [self.arg(out, values) for out in graph["outputs"]]

    def arg(self, arg, values: dict):
        if isinstance(arg, list):
            return [self.arg(item, values) for item in arg]
        if isinstance(arg, dict):
            if "ref" in arg:
                return values[arg["ref"]]
            return NAMED[arg["dtype"]] if "dtype" in arg else self.body(arg["graph"])
        return arg

    def step(self, step: dict, values: dict) -> None:
        args = [self.arg(arg, values) for arg in step["args"]]
        kwargs = {k: self.arg(v, values) for k, v in step.get("kwargs", {}).items() if k != "without_trips"}
        family, name, *overload = step["op"].split(".")
        if self.exporting and family != "aten":
            out = self.exported(name, args)
        elif family == "aten":
            out = getattr(getattr(torch.ops.aten, name), overload[0])(*args, **kwargs)
        elif name == "while_loop":
            condition = args[0]
            out = HOP.while_loop(lambda *a: condition(*a)[0], args[1], tuple(args[2]), tuple(args[3]))
        elif name == "map_impl":
            out = map_impl(args[0], args[1], tuple(args[2]))
        elif name == "scan":
            out = HOP.scan(args[0], args[1], args[2], tuple(args[3]))
        elif name == "cond":
            out = args[1](*args[3]) if bool(args[0]) else args[2](*args[3])
        else:
            out = args[0](*args[2:])  # invoke_subgraph
        if "names" in step:
            values.update(zip(step["names"], out, strict=True))
        elif "name" in step:
            values[step["name"]] = out[0] if isinstance(out, tuple | list) else out


    def exported(self, name: str, args: list):
        """The same as torch.export takes it."""
        if name == "while_loop":
            return while_loop(lambda *a: args[0](*a, *args[3])[0], lambda *a: args[1](*a, *args[3]), tuple(args[2]))
        if name == "cond":
            return torch.cond(args[0], args[1], args[2], tuple(args[3]))
        if name == "scan":
            carried = len(args[1])
            split = lambda c, x: (lambda out: (out[:carried], out[carried:]))(args[0](*c, *x, *args[3]))  # noqa: E731
            carry, out = scan(split, tuple(args[1]), tuple(args[2]))
            return (*carry, *out)
        if name == "map_impl":
            return map(lambda x: args[0](*x, *args[2]), tuple(args[1]))
        return args[0](*args[2:])


class Module(torch.nn.Module):
    def __init__(self, case: dict, side: str):
        super().__init__()
        self.case, self.side = case, side

    def forward(self, a, b, c, p):
        return tuple(Runner(self.case, True).graph(self.case[self.side], [a, b, c, p]))


SIGNATURES = {"aten.add_.Tensor", "aten.copy_.default", "aten.fill_.Scalar", "aten.neg_.default", "aten.mul_.Scalar"}


class Writer:
    """Grows one graph by executing it: a step that PyTorch refuses is drawn again."""

    def __init__(self, rng: random.Random, case: dict, prefix: str):
        self.rng, self.case, self.prefix = rng, case, prefix
        self.runner = Runner(case)
        self.inputs: list[dict] = []
        self.values: dict[str, torch.Tensor] = {}
        self.steps: list[dict] = []
        self.frozen: set[str] = set()

    def name(self) -> str:
        return f"{self.prefix}{len(self.values)}"

    def give(self, tensor: torch.Tensor, kind: str = "") -> str:
        name = self.name()
        offset = self.rng.random() < 0.5
        spec = {"name": name, "type": type_of(tensor, offset)}
        self.inputs.append(spec)
        self.values[name] = tensor
        return name

    def add(self, op: str, args: list, **more) -> str | None:
        name = self.name()
        step = {"name": name, "op": op, "args": args, **more}
        try:
            self.runner.step(step, self.values)
        except Exception:
            self.values.pop(name, None)
            return None
        self.steps.append(step)
        return name

    def floats(self, shape=None) -> list[str]:
        return [n for n, t in self.values.items() if isinstance(t, torch.Tensor) and t.dtype == torch.float32 and
                (shape is None or t.shape == shape)]

    def pick(self, shape=None) -> str:
        return self.rng.choice(self.floats(shape))

    def view(self) -> str | None:
        rng = self.rng
        name = self.pick()
        t = self.values[name]
        numel = t.untyped_storage().size() // 4
        kind = rng.randrange(8)
        if kind == 0 and t.dim():
            return self.add("aten.slice.Tensor", [ref(name), 0, rng.randrange(3), rng.choice([2, 3, 4, 9])])
        if kind == 1 and t.dim():
            return self.add("aten.select.int", [ref(name), 0, rng.randrange(t.shape[0] or 1)])
        if kind == 2 and t.dim() == 2:
            return self.add("aten.t.default", [ref(name)])
        if kind == 3:
            return self.add(rng.choice(["aten.alias.default", "aten.detach.default"]), [ref(name)])
        if kind == 4:
            return self.add("aten.reshape.default", [ref(name), rng.choice([[-1], [2, -1], [2, 2], [4]])])
        if kind == 5 and t.dim():
            return self.add("aten.slice.Tensor", [ref(name), 0, rng.randrange(2), 9, 2])
        size = rng.choice([list(t.shape), [2], [4], [2, 2]])
        stride = rng.choice([[1], [2], [3]]) if len(size) == 1 else rng.choice([[2, 1], [1, 2], [4, 1], [2, 2]])
        args = [ref(name), size, stride]
        if rng.random() < 0.5:
            args.append(rng.randrange(max(numel, 1)))
        return self.add("aten.as_strided.default", args)

    def sees(self, names: list[str], shape) -> str | None:
        """A view of one of them by where it lies in memory, added to what has the shape."""
        rng = self.rng
        size = list(shape)
        steps = [[1], [2], [3], [0]] if len(size) == 1 else [[2, 1], [1, 2], [4, 1], [1, 1], [3, 1]]
        args = [ref(rng.choice(names)), size, rng.choice(steps) if len(size) in (1, 2) else [1] * len(size)]
        if rng.random() < 0.5:
            args.append(rng.choice([0, 0, 1, 2]))
        seen = self.add("aten.as_strided.default", args)
        if seen is None:
            return None
        return self.add("aten.add.Tensor", [ref(self.pick(shape)), ref(seen)])

    def part(self) -> str | None:
        """A part of a larger storage."""
        rng = self.rng
        whole = [n for n in self.floats() if self.values[n].numel() >= 4 and self.values[n].dim() == 1]
        if not whole:
            return None
        base = ref(rng.choice(whole))
        size, strides = rng.choice([([2], [[1], [2], [3]]), ([4], [[1], [2]]), ([2, 2], [[2, 1], [1, 2], [4, 1], [4, 2], [1, 4]])])
        if rng.random() < 0.5 and len(size) == 1:
            step = rng.choice([1, 2])
            start = rng.randrange(3)
            return self.add("aten.slice.Tensor", [base, 0, start, start + step * size[0], step])
        return self.add("aten.as_strided.default", [base, size, rng.choice(strides), rng.randrange(3)])

    def compute(self) -> str | None:
        rng = self.rng
        name = self.pick()
        kind = rng.randrange(6)
        if kind < 2:
            other = self.pick(self.values[name].shape)
            return self.add(rng.choice(["aten.add.Tensor", "aten.sub.Tensor"]), [ref(name), ref(other)])
        if kind == 2:
            return self.add("aten.neg.default", [ref(name)])
        if kind == 3:
            return self.add("aten.clone.default", [ref(name)])
        if kind == 4:
            return self.add("aten.mul.Scalar", [ref(name), rng.choice([2, 3])])
        return self.add("aten.add.Scalar", [ref(name), rng.choice([1, 5])])

    def write(self) -> str | None:
        rng = self.rng
        names = [n for n in self.floats() if n not in self.frozen]
        if not names:
            return None
        name = rng.choice(names)
        kind = rng.randrange(4)
        if kind == 0:
            return self.add("aten.fill_.Scalar", [ref(name), rng.randrange(4)])
        if kind == 1:
            return self.add("aten.add_.Tensor", [ref(name), ref(self.pick(self.values[name].shape))])
        if kind == 2:
            return self.add("aten.copy_.default", [ref(name), ref(self.pick(self.values[name].shape))])
        return self.add("aten.mul_.Scalar", [ref(name), 2])

    def grow(self, count: int, views: float, writes: float) -> None:
        for _ in range(count):
            draw = self.rng.random()
            self.view() if draw < views else self.write() if draw < views + writes else self.compute()

    def graph(self, outputs: list[str]) -> dict:
        return {"inputs": self.inputs, "steps": self.steps, "outputs": [ref(n) if isinstance(n, str) else n for n in outputs]}


class Program:
    """One case: before, and bodies. `writes`: how much of their writes bodies keep, which torch.export takes none of."""

    def __init__(self, rng: random.Random, writes: float):
        self.rng, self.writes = rng, writes
        self.case = {"format": "noclobber.case/1", "name": "random", "graphs": {}}
        self.bodies = 0

    def body(self, operands: list, results: list, depth: int, writes: float, counts: bool = False) -> str:
        """A body for these operands whose results have the shapes of `results`; counts: its first carry is a counter."""
        rng = self.rng
        self.bodies += 1
        name = f"b{self.bodies}"
        w = Writer(rng, self.case, name + "v")
        writes *= self.writes
        given = [w.give(operand) if isinstance(operand, torch.Tensor) else None for operand in operands]
        for k, operand in enumerate(operands):
            if given[k] is None:
                given[k] = w.name()
                w.inputs.append({"name": given[k], "type": {"dtype": "i64", "shape": []}})
                w.values[given[k]] = operand
        w.inputs = [next(s for s in w.inputs if s["name"] == n) for n in given]
        tensors = [n for n, o in zip(given, operands, strict=True) if isinstance(o, torch.Tensor) and o.dtype == torch.float32]
        w.grow(rng.randrange(0, 3), 0.5, writes)
        for like in results[1:] if counts else results:
            if rng.random() < 0.6:
                w.sees(tensors, like.shape)
        if depth < 2 and rng.random() < 0.2:
            self.operator(w, depth + 1)
        w.grow(rng.randrange(1, 3), 0.3, writes)
        outputs = []
        for k, like in enumerate(results):
            if counts and k == 0:
                outputs.append(w.add("aten.add.Scalar", [ref(given[0]), 1]))
                continue
            fits = [n for n in w.floats(like.shape) if n not in outputs]
            fits = fits[-4:]
            near = [n for n in fits if w.values[n].stride() == like.stride()]
            near = near if rng.random() < 0.8 else []
            pool = near if near else fits
            if rng.random() < 0.6:
                pool = [n for n in pool if n not in given] or pool
            if not pool or rng.random() < 0.3:
                pool = [w.add("aten.neg.default", [ref(rng.choice(fits or pool or w.floats()))])]
            outputs.append(rng.choice(pool))
        self.case["graphs"][name] = w.graph(outputs)
        return name

    def operator(self, w: Writer, depth: int, focus: str = "") -> None:
        """`focus`: a part of a storage that the operator's body is given besides what it carries."""
        rng = self.rng
        kind = rng.choice(["while", "while", "while", "scan", "map", "cond", "cond", "invoke"])
        names = w.floats()
        parts = [n for n in names if w.values[n].numel() * 4 < w.values[n].untyped_storage().size()]
        names = names + 4 * parts
        more = [ref(rng.choice(names)) for _ in range(rng.randrange(0, 3))]
        if focus:
            more = [ref(focus)]
            names = [n for n in names if w.values[n].shape == w.values[focus].shape or w.values[n].dim() == 2]
        if kind != "while" and rng.random() < 0.2:
            more.insert(rng.randrange(len(more) + 1), rng.randrange(5))
        value = lambda arg: w.values[arg["ref"]] if isinstance(arg, dict) else arg  # noqa: E731
        keep = copy.deepcopy({n: t for n, t in w.values.items() if isinstance(t, torch.Tensor)})
        if kind == "while":
            zero = w.add("aten.zeros.default", [[]], kwargs={"dtype": {"dtype": "i64"}})
            plain = [n for n in names if w.values[n].is_contiguous()] if rng.random() < 0.8 else names
            carried = [zero] + [rng.choice(plain or names) for _ in range(rng.randrange(1, 3))]
            operands = [w.values[n] for n in carried] + [value(m) for m in more]
            limit = rng.choice([0, 1, 2, 2, 3])
            self.bodies += 1
            condition = f"c{self.bodies}"
            test = Writer(rng, self.case, condition + "v")
            for operand in operands:
                test.give(operand)
            test.add("aten.lt.Scalar", [ref(test.inputs[0]["name"]), limit])
            self.case["graphs"][condition] = test.graph([test.steps[-1]["name"]])
            body = self.body(operands, operands[: len(carried)], depth, 0.25, True)
            args = [{"graph": condition}, {"graph": body}, [ref(n) for n in carried], more]
            self.finish(w, keep, "higher_order.while_loop", args, len(carried), {"without_trips": "clone"})
        elif kind in ("scan", "map"):
            rows = [n for n in names if w.values[n].dim() == 2] or [n for n in names if w.values[n].dim() == 1]
            if not rows:
                return
            xs = [rng.choice(rows)]
            plain = [n for n in names if w.values[n].is_contiguous()] if rng.random() < 0.8 else names
            init = [rng.choice(plain or names) for _ in range(rng.randrange(0, 3))] if kind == "scan" else []
            operands = [w.values[n] for n in init] + [w.values[n][0] for n in xs] + [value(m) for m in more]
            results = operands[: len(init)] + [rng.choice([o for o in operands if isinstance(o, torch.Tensor)])]
            body = self.body(operands, results, depth, 0.05)
            lists = [[ref(n) for n in init]] if kind == "scan" else []
            self.finish(w, keep, "higher_order.scan" if kind == "scan" else "higher_order.map_impl",
                        [{"graph": body}, *lists, [ref(n) for n in xs], more], len(init) + 1, {})
        else:
            operands = [value(m) for m in more] or [w.values[names[0]]]
            more = more or [ref(names[0])]
            tensors = [o for o in operands if isinstance(o, torch.Tensor)]
            if not tensors:
                return
            results = [rng.choice(tensors) for _ in range(rng.randrange(1, 3))]
            if kind == "invoke":
                args = [{"graph": self.body(operands, results, depth, 0.2)}, "id", *more]
                return self.finish(w, keep, "higher_order.invoke_subgraph", args, len(results), {})
            predicates = [n for n, t in w.values.items() if isinstance(t, torch.Tensor) and t.dtype == torch.bool]
            if predicates:
                ways = [{"graph": self.body(operands, results, depth, 0.2)} for _ in range(2)]
                self.finish(w, keep, "higher_order.cond", [ref(predicates[0]), *ways, more], len(results), {})
        return None

    def finish(self, w: Writer, keep: dict, op: str, args: list, count: int, kwargs: dict) -> None:
        """Bodies were grown on the operands themselves: what they wrote is undone, as far as names tell."""
        for n, t in keep.items():
            if n in w.values:
                w.values[n].copy_(t)
        names = [f"{w.name()}r{k}" for k in range(count)]
        step = {"names": names, "op": op, "args": args}
        if kwargs:
            step["kwargs"] = kwargs
        try:
            w.runner.step(step, w.values)
        except Exception:
            return
        step["types"] = [type_of(w.values[n], strides=True) for n in names]
        for told, n in zip(step["types"], names, strict=True):
            if self.rng.random() < 0.5 or not w.values[n].is_contiguous():
                told["stride"] = None
        w.steps.append(step)

    def top(self) -> dict:
        rng = self.rng
        w = Writer(rng, self.case, "v")
        contents = inputs(0)
        for tensor in contents:
            w.give(tensor)
        for _ in range(rng.randrange(1, 3)):
            w.add("aten.clone.default", [ref(rng.choice(["v0", "v1"]))])
        if rng.random() < 0.5:
            self.focused(w)
            return self.closed(w)
        for _ in range(rng.randrange(1, 4)):
            w.part()
        w.grow(rng.randrange(0, 3), 0.8, 0.1)
        for _ in range(rng.choice([1, 1, 1, 2])):
            some = w.add("aten.as_strided.default", [ref(w.pick()), [1], [1], rng.randrange(8)])
            self.operator(w, 0)
            if some and rng.random() < 0.7:  # an element of what the operator may have seen
                w.add("aten.fill_.Scalar", [ref(some), 77])
            w.grow(rng.randrange(0, 4), 0.3, 0.5)
        return self.closed(w)

    def focused(self, w: Writer) -> None:
        """A part of a copy, and an element that lies near it: what the body of an operator may see, and a later write."""
        rng = self.rng
        base = w.steps[-1]["name"]
        part = w.part()
        while part is None or w.values[part]._base is not w.values[base]:
            part = w.part()
        element = w.add("aten.as_strided.default", [ref(base), [1], [1], rng.randrange(8)])
        like = w.add("aten.clone.default", [ref(part)])
        w.add("aten.neg.default", [ref(like)])
        self.operator(w, 0, part)
        w.add("aten.fill_.Scalar", [ref(element), 77])

    def closed(self, w: Writer) -> dict:
        """The graph of what was grown, with the contents of some of it as outputs."""
        rng = self.rng
        names = w.floats()
        outputs = list(dict.fromkeys(names[-1:] + [n for n in names if "r" in n][:3] + [rng.choice(names)]))
        for k, n in enumerate(outputs):  # contents alone
            outputs[k] = w.add("aten.clone.default", [ref(n)])
        return w.graph(outputs)


def inputs(flavour: int) -> list:
    make = torch.Generator().manual_seed(flavour)
    draw = lambda *shape: torch.randint(-9, 10, shape, generator=make).to(torch.float32)  # noqa: E731
    return [draw(8), draw(8), draw(2, 2), torch.tensor(flavour % 2 == 0)]


def uses(step: dict) -> set:
    out: set = set()

    def walk(arg):
        if isinstance(arg, list):
            for item in arg:
                walk(item)
        elif isinstance(arg, dict) and "ref" in arg:
            out.add(arg["ref"])

    walk(step["args"])
    return out


def made(step: dict) -> set:
    return set(step.get("names", [step.get("name")]))


class Change:
    """One change of `after`, in place; the name says which."""

    def __init__(self, rng: random.Random, case: dict):
        self.rng, self.case, self.after = rng, case, case["after"]

    def operators(self) -> list[int]:
        return [k for k, s in enumerate(self.after["steps"]) if s["op"].startswith("higher_order")]

    def moved(self) -> bool:
        """A write goes across an operator, if names allow it."""
        steps = self.after["steps"]
        writes = [k for k, s in enumerate(steps) if s["op"] in SIGNATURES]
        if not writes:
            return False
        at = self.rng.choice(writes)
        to = self.rng.randrange(len(steps))
        step = steps[at]
        between = steps[min(at, to): max(at, to) + 1]
        if to < at and any(made(s) & uses(step) for s in between if s is not step):
            return False
        if to > at and any(made(step) & uses(s) for s in between if s is not step):
            return False
        steps.insert(to, steps.pop(at))
        return to != at

    def aliased(self) -> bool:
        """A clone becomes a view of what it copies."""
        clones = [s for s in self.after["steps"] if s["op"] == "aten.clone.default"]
        clones = [s for s in clones if {s["name"]} & {n for t in self.after["steps"] for n in uses(t)}]
        if not clones:
            return False
        self.rng.choice(clones)["op"] = "aten.alias.default"
        return True

    def cloned(self) -> bool:
        """An operand, or a view, is copied first."""
        views = [s for s in self.after["steps"] if s["op"].split(".")[1] in ("slice", "select", "alias", "t", "as_strided")]
        if not views:
            return False
        view = self.rng.choice(views)
        at = self.after["steps"].index(view)
        name = view["name"]
        view["name"] = name + "s"
        self.after["steps"].insert(at + 1, {"name": name, "op": "aten.clone.default", "args": [ref(name + "s")]})
        return True

    def body(self) -> bool:
        """One step of a body of `after` changes."""
        case, rng = self.case, self.rng
        used = [a for k in self.operators() for a in self.after["steps"][k]["args"] if isinstance(a, dict) and "graph" in a]
        if not used:
            return False
        arg = rng.choice(used)
        graph = copy.deepcopy(case["graphs"][arg["graph"]])
        changed = self.step_of(graph)
        arg["graph"] += "x"
        case["graphs"][arg["graph"]] = graph
        return changed

    def step_of(self, graph: dict) -> bool:
        rng = self.rng
        if not graph["steps"]:
            return False
        step = rng.choice(graph["steps"])
        kind = rng.randrange(5)
        if step["op"] == "aten.as_strided.default" and kind < 3:
            step["args"] = step["args"][:3] if len(step["args"]) > 3 else [*step["args"], rng.randrange(5)]
        elif step["op"] == "aten.clone.default":
            step["op"] = "aten.alias.default"
        elif step["op"] in ("aten.alias.default", "aten.detach.default", "aten.slice.Tensor", "aten.select.int"):
            at = graph["steps"].index(step)
            name = step["name"]
            step["name"] = name + "s"
            graph["steps"].insert(at + 1, {"name": name, "op": "aten.clone.default", "args": [ref(name + "s")]})
        elif step["op"] in ("aten.neg.default",):
            step["op"] = "aten.neg_.default"
        elif step["op"] == "aten.add.Tensor" and kind < 3:
            step["op"] = "aten.add_.Tensor"
        elif step["op"] == "aten.add.Tensor":
            step["args"] = step["args"][::-1]
        elif len(graph["outputs"]) > 1 and kind == 4:
            graph["outputs"][-1], graph["outputs"][-2] = graph["outputs"][-2], graph["outputs"][-1]
        else:
            at = graph["steps"].index(step)
            to = rng.randrange(len(graph["steps"]))
            graph["steps"].insert(to, graph["steps"].pop(at))
            return at != to
        return True

    def operand(self) -> bool:
        """An operand is another tensor of its shape."""
        places = self.operators()
        lists = [a for k in places for a in self.after["steps"][k]["args"] if isinstance(a, list) and a]
        if not lists:
            return False
        chosen = self.rng.choice(lists)
        if len(chosen) > 1 and self.rng.random() < 0.5:
            self.rng.shuffle(chosen)
        else:
            at = self.rng.randrange(len(chosen))
            names = [n for s in self.after["steps"][: places[0]] for n in made(s)]
            if names:
                chosen[at] = ref(self.rng.choice(names))
        return True

    def run(self) -> str:
        kinds = ["moved", "moved", "aliased", "aliased", "cloned", "body", "body", "operand", "same"]
        for _ in range(6):
            kind = self.rng.choice(kinds)
            if kind == "same" or getattr(self, kind)():
                return kind
        return "same"


def reordered(graph: dict, rng: random.Random) -> dict:
    """The steps in another order that names allow."""
    left, known, steps = list(graph["steps"]), {spec["name"] for spec in graph["inputs"]}, []
    while left:
        step = rng.choice([s for s in left if uses(s) <= known])
        left.remove(step)
        steps.append(step)
        known |= made(step)
    return {**graph, "steps": steps}


def outcome(case: dict, graph: dict, flavour: int):
    """Contents of outputs and inputs, and which inputs are written; nothing where it cannot run."""
    given = inputs(flavour)
    versions = [t._version for t in given]
    try:
        with torch.no_grad():
            out = Runner(case).graph(graph, given)
    except Exception:
        return None
    written = {k for k, t in enumerate(given) if t._version != versions[k]}
    return [t.clone() if isinstance(t, torch.Tensor) else t for t in out + given], written


def same(one: list, other: list) -> bool:
    return all(a.shape == b.shape and a.dtype == b.dtype and torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b
               for a, b in zip(one, other, strict=True))


def differs(case: dict, contents: int, orders: int) -> str | None:
    """yes, no, raises where only `after` cannot run, writes where it alone writes an input; nothing where `before` cannot
    run. Under dataflow in any order."""
    rng = random.Random(0)
    graphs = [case["after"]]
    if case.get("order") == "dataflow":
        graphs += [reordered(case["after"], rng) for _ in range(orders)]
    for flavour in range(contents):
        one = outcome(case, case["before"], flavour)
        if one is None:
            return None
        for graph in graphs:
            other = outcome(case, graph, flavour)
            if other is None:
                return "raises"
            if not other[1] <= one[1]:
                return "writes"
            if not same(one[0], other[0]):
                return "yes"
    return "no"


def draw(seed: int, exported: bool = False) -> tuple[dict, str] | None:
    rng = random.Random(seed)
    program = Program(rng, 0 if exported else 1)
    try:
        before = program.top()
    except (IndexError, KeyError, RuntimeError, ValueError):
        return None
    case = program.case
    if not any(s["op"].startswith("higher_order") for s in before["steps"]):
        return None
    case["name"] = f"random-{seed}"
    case["before"] = before
    case["after"] = copy.deepcopy(before)
    kind = Change(rng, case).run()
    if rng.random() < 0.15:
        case["order"] = "dataflow"
    case["sharing"] = "any"
    return case, kind


def verdicts(binary: str, cases: dict[str, dict]) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        for name, case in cases.items():
            pathlib.Path(folder, name + ".json").write_text(json.dumps(case))
        run = subprocess.run([binary, "check", folder, "--json"], capture_output=True, text=True, timeout=900)
        out = {}
        for line in run.stdout.splitlines():
            record = json.loads(line)
            if "status" in record and "input" in record:
                out[pathlib.Path(record["input"]).stem] = record["status"]
        if not out:
            print(run.stderr[-2000:], file=sys.stderr)
        return out


def compared(binary: str, case: dict, folder: pathlib.Path) -> tuple[str, str] | None:
    """What torch.export writes of both graphs: do the two differ, and what is said of them? Nothing: it takes one not."""
    saved = []
    for side in ("before", "after"):
        try:
            program = torch.export.export(Module(case, side), tuple(inputs(0)), strict=False)
            torch.export.save(program, folder / f"{side}.pt2")
            saved.append(program.module())
        except Exception:
            return None
    found = "no"
    for flavour in range(3):
        results = []
        for module in saved:
            given = inputs(flavour)
            try:
                with torch.no_grad():
                    results.append([t.clone() for t in [*module(*given), *given]])
            except Exception:
                results.append(None)
        if results[0] is None:
            return None
        if results[1] is None or not same(results[0], results[1]):
            found = "yes"
    run = subprocess.run([binary, "compare", folder / "before.pt2", folder / "after.pt2", "--json"], capture_output=True,
                         text=True, timeout=300)
    records = [json.loads(line) for line in run.stdout.splitlines()]
    return found, next((r["status"] for r in records if "status" in r and "id" in r), "error")


def through_export(options, keep: pathlib.Path) -> int:
    counts: collections.Counter = collections.Counter()
    complaints, seed = 0, options.seed * 10_000_000
    with tempfile.TemporaryDirectory() as folder:
        while sum(counts.values()) < options.count:
            seed += 1
            drawn = draw(seed, exported=True)
            answer = compared(options.binary, drawn[0], pathlib.Path(folder)) if drawn else None
            if answer is None:
                continue
            counts[(drawn[1], *answer)] += 1
            if answer in (("yes", "proved"), ("no", "refuted")):
                complaints += 1
                print("miss" if answer[0] == "yes" else "alarm", seed, drawn[1], flush=True)
                for side in ("before", "after"):
                    shutil.copy(pathlib.Path(folder, side + ".pt2"), keep / f"{seed}.{side}.pt2")
    return report(counts, complaints)


def report(counts: collections.Counter, complaints: int) -> int:
    for (kind, found, status), number in sorted(counts.items()):
        print(f"{kind:8} differs {found:6} {status:8} {number}")
    print(f"{sum(counts.values())} pairs, {complaints} complaints")
    return 1 if complaints else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--binary", default="build/bin/noclobber")
    parser.add_argument("--keep", default="build/random_control_flow")
    parser.add_argument("--exported", action="store_true", help="pairs of .pt2 from torch.export, compared")
    options = parser.parse_args()
    keep = pathlib.Path(options.keep)
    keep.mkdir(parents=True, exist_ok=True)
    if options.exported:
        return through_export(options, keep)
    counts: collections.Counter = collections.Counter()
    complaints = 0
    seed = options.seed * 10_000_000
    while sum(counts.values()) < options.count:
        cases, kinds, truth = {}, {}, {}
        while len(cases) < BATCH:
            seed += 1
            drawn = draw(seed)
            if drawn is None:
                continue
            found = differs(drawn[0], 3, ORDERS)
            if found is not None:
                name = str(seed)
                cases[name], kinds[name], truth[name] = drawn[0], drawn[1], found
        for name, status in verdicts(options.binary, cases).items():
            counts[kinds[name], truth[name], status] += 1
            miss = status == "proved" and truth[name] != "no"
            alarm = status == "refuted" and truth[name] == "no" and differs(cases[name], 12, 10 * ORDERS) == "no"
            if miss or alarm:
                complaints += 1
                print("miss" if miss else "alarm", name, kinds[name], truth[name], flush=True)
                (keep / f"{'miss' if miss else 'alarm'}-{name}.json").write_text(json.dumps(cases[name], indent=1))
    return report(counts, complaints)


if __name__ == "__main__":
    sys.exit(main())
