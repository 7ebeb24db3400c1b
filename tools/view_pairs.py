#!/usr/bin/env python3
"""Random pairs of views of one tensor: is it proved that they are apart exactly where enumeration says so?

view_pairs.py [--concrete N] [--symbolic N] [--seed S]

Each pair is a case: `before` copies the second view before the first one is written, `after` behind it.  Proved means
that they never meet, refuted that they do.  Symbolic pairs have sizes in s0 and s1; they are enumerated for every
value up to 7.  Prints how many were decided, by what, and how long they took.  Exit 1 if an answer is wrong.
"""
import argparse
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LARGEST = 7  # value of a symbol that is enumerated


class Size:
    """a*s0 + b*s1 + c"""

    def __init__(self, a, b, c):
        self.parts = (a, b, c)

    def at(self, s0, s1):
        return self.parts[0] * s0 + self.parts[1] * s1 + self.parts[2]

    def json(self):
        a, b, c = self.parts
        return c if a == 0 and b == 0 else f"{a}*s0 + {b}*s1 + {c}"

    def arg(self):
        value = self.json()
        return {"sym": value} if isinstance(value, str) else value

    def plus(self, other, factor=1):
        return Size(*(x + factor * y for x, y in zip(self.parts, other.parts)))

    def number(self):
        return self.parts[2] if self.parts[:2] == (0, 0) else None


def whole(n):
    return Size(0, 0, n)


class View:
    """Steps that make a view, and a function from the symbols to (shape, strides, offset)."""

    def __init__(self, name, shape):
        self.name, self.last, self.shape, self.steps, self.made = name, "x", list(shape), [], []

    def step(self, op, *args):
        here = f"{self.name}{len(self.steps)}"
        self.steps.append({"name": here, "op": op, "args": [{"ref": self.last}, *args]})
        self.last = here

    def layout(self, base, s0, s1):
        sizes = [d.at(s0, s1) for d in base]
        strides = [1] * len(sizes)
        for k in reversed(range(len(sizes) - 1)):
            strides[k] = strides[k + 1] * max(sizes[k + 1], 1)
        state = (sizes, strides, 0)
        for change in self.made:
            state = change(*state, s0, s1)
        return state

    def select(self, dim, at):
        def change(sizes, strides, offset, s0, s1):
            return sizes[:dim] + sizes[dim + 1:], strides[:dim] + strides[dim + 1:], offset + at.at(s0, s1) * strides[dim]
        self.step("aten.select.int", dim, at.arg())
        self.made.append(change)
        del self.shape[dim]

    def slice(self, dim, low, high, by):
        def change(sizes, strides, offset, s0, s1):
            lo, hi = low.at(s0, s1), high.at(s0, s1)
            count = max(0, -(-(hi - lo) // by))
            return (sizes[:dim] + [count] + sizes[dim + 1:], strides[:dim] + [strides[dim] * by] + strides[dim + 1:],
                    offset + lo * strides[dim])
        self.step("aten.slice.Tensor", dim, low.arg(), high.arg(), by)
        self.made.append(change)
        length = high.plus(low, -1)
        self.shape[dim] = length if by == 1 else whole(-(-length.number() // by))

    def permute(self, order):
        def change(sizes, strides, offset, s0, s1):
            return [sizes[k] for k in order], [strides[k] for k in order], offset
        self.step("aten.permute.default", list(order))
        self.made.append(change)
        self.shape = [self.shape[k] for k in order]

    def diagonal(self, shift):
        def change(sizes, strides, offset, s0, s1):
            down, right = max(-shift, 0), max(shift, 0)
            count = max(0, min(sizes[0] - down, sizes[1] - right))
            return (sizes[2:] + [count], strides[2:] + [strides[0] + strides[1]],
                    offset + (down * strides[0] + right * strides[1] if count else 0))
        rows, columns = self.shape[0].number(), self.shape[1].number()
        self.step("aten.diagonal.default", shift)
        self.made.append(change)
        self.shape = self.shape[2:] + [whole(max(0, min(rows - max(-shift, 0), columns - max(shift, 0))))]

    def elements(self, base, s0, s1):
        sizes, strides, offset = self.layout(base, s0, s1)
        return {offset + sum(i * s for i, s in zip(at, strides)) for at in itertools.product(*map(range, sizes))}


def change(view, rng):
    """One more view operator that is in range for all sizes."""
    kind = rng.choice(["slice", "slice", "select", "permute", "diagonal"])
    if not view.shape:
        return
    dim = rng.randrange(len(view.shape))
    extent = view.shape[dim]
    n = extent.number()
    if kind == "permute":
        order = list(range(len(view.shape)))
        rng.shuffle(order)
        view.permute(order)
    elif kind == "diagonal" and len(view.shape) >= 2 and None not in (view.shape[0].number(), view.shape[1].number()):
        view.diagonal(rng.randint(-1, 1))
    elif kind == "select" and (n is None or n > 0):
        view.select(dim, rng.choice([whole(0), extent.plus(whole(-1))]) if n is None else whole(rng.randrange(n)))
    elif kind == "slice" and n is None:
        middle = rng.choice([Size(1, 0, 0), Size(0, 1, 0), whole(1), extent.plus(whole(-1))])
        if all(0 <= middle.at(a, b) <= extent.at(a, b) for a in range(1, 40) for b in range(1, 40)):
            low, high = rng.choice([(whole(0), middle), (middle, extent)])
            view.slice(dim, low, high, 1)
    elif kind == "slice":
        low = rng.randint(0, n)
        view.slice(dim, whole(low), whole(rng.randint(low, n)), rng.choice([1, 1, 2, 3]))


def sizes(rng, symbolic):
    if not symbolic:
        return [whole(rng.randint(1, 6)) for _ in range(rng.randint(1, 3))]
    kinds = [Size(1, 0, 0), Size(1, 1, 0), Size(2, 0, 0), Size(1, 0, 1), Size(0, 1, 2), whole(3)]
    return [rng.choice(kinds) for _ in range(rng.randint(1, 3))]


def type_of(shape):
    return {"dtype": "f32", "shape": [d.json() for d in shape]}


def pair(number, rng, symbolic):
    """(case, do the views meet for some sizes?)"""
    base = sizes(rng, symbolic)
    a, b = View("a", base), View("b", base)
    for view in (a, b):
        for _ in range(rng.randint(1, 3)):
            change(view, rng)
    values = range(1, LARGEST + 1) if symbolic else [1]
    meet = any(a.elements(base, s0, s1) & b.elements(base, s0, s1) for s0 in values for s1 in values)
    write = [*a.steps, {"name": "w", "op": "aten.copy_.default", "args": [{"ref": a.last}, {"ref": "y"}]}]
    read = [*b.steps, {"name": "r", "op": "aten.clone.default", "args": [{"ref": b.last}]}]
    inputs = [{"name": "x", "type": type_of(base), "mutable": True, "exit": "as_before"},
              {"name": "y", "type": type_of(a.shape)}]

    def graph(steps):
        return {"inputs": inputs, "steps": steps, "outputs": [{"ref": "r"}]}
    return {"format": "noclobber.case/1", "name": f"pair-{number}", "before": graph(read + write), "after": graph(write + read),
            "symbols": {"s0": {"min": 1}, "s1": {"min": 1}} if symbolic else {}}, meet


def run(checker, count, seed, symbolic):
    """Prints what became of `count` pairs; the number of wrong answers."""
    rng = random.Random(f"{seed} {symbolic}")
    meets, wrong, by_solver, said = {}, [], 0, {}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            case, meet = pair(number, rng, symbolic)
            meets[case["name"]] = meet
            pathlib.Path(folder, f"{number}.json").write_text(json.dumps(case))
        start = time.perf_counter()
        done = subprocess.run([checker, "check", "--json", "--jobs", "1", *pathlib.Path(folder).iterdir()],
                              capture_output=True, text=True)
        seconds = time.perf_counter() - start
        timed = subprocess.run([checker.parent / "nc_tests", "--time-rules", folder], capture_output=True, text=True).stdout
    for record in map(json.loads, done.stdout.splitlines()):
        if record["kind"] != "check":
            continue
        meet = meets.pop(record["id"])
        key = f"{record['status']}, {'meet' if meet else 'apart'}"
        said[key] = said.get(key, 0) + 1
        by_solver += record["counts"]["by_z3"] > 0
        if record["status"] == ("proved" if meet else "refuted"):
            wrong.append(record["id"])
    answered = sum(said.values())
    decided = sum(n for key, n in said.items() if not key.startswith("unknown"))
    print(f"{'symbolic' if symbolic else 'concrete'}: {answered} of {count} pairs answered, {decided} decided ({by_solver} with the "
          f"solver), {len(wrong)} wrong{' ' + ' '.join(wrong[:5]) if wrong else ''}; {seconds / count * 1000:.2f} ms each, with reading and replay")
    print("  " + ", ".join(f"{key}: {n}" for key, n in sorted(said.items())))
    print(f"  rules alone, processor time: {timed.strip()}")
    return len(wrong) + count - answered


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--concrete", type=int, default=10000, help="pairs with constant sizes")
    parser.add_argument("--symbolic", type=int, default=2000, help="pairs with symbolic sizes")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    checker = pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build/bin")) / "noclobber"
    wrong = 0
    for count, symbolic in ((options.concrete, False), (options.symbolic, True)):
        wrong += run(checker, count, options.seed, symbolic) if count > 0 else 0
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
