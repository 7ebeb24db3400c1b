"""Many independent programs as one, so that they are traced, compiled and checked once; and what is said of them, taken apart again.

The programs share no argument. What a compiler records of all of them is a case whose values fall into parts that have nothing to
do with each other, and each part is a case of its own.
"""
from __future__ import annotations

import dataclasses
import functools
import json
import re
from collections.abc import Iterable, Iterator, Sequence

from . import drawn


@dataclasses.dataclass(frozen=True)
class Batch:
    """Programs as one function, which takes the arguments that the first uses, then those of the second, and returns all results."""

    parts: tuple

    @property
    def seed(self) -> int:
        return self.parts[0].seed

    @property
    def watched(self) -> bool:
        return any(p.watched for p in self.parts)

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(line for p in self.parts for line in p.lines)

    @property
    def given(self) -> tuple[str, ...]:
        return tuple(name for p in self.parts for name in p.given)

    @property
    def names(self) -> list[tuple[str, str]]:
        """Of each argument, in order: what its program calls it, and what it is called here."""
        return [(name, f"{name}{k}") for k, part in enumerate(self.parts) for name in used(part)]

    @property
    def text(self) -> str:
        calls = [f"*f{k}({', '.join(f'{name}{k}' for name in used(part))})" for k, part in enumerate(self.parts)]
        bodies = "\n\n".join(_text(part, k) for k, part in enumerate(self.parts))
        return f"{bodies}\n\ndef f({', '.join(own for _, own in self.names)}):\n    return {', '.join(calls)},\n"

    def function(self, library: object = drawn.torch):
        """`library`: what the programs call `torch`."""
        scope: dict = {"torch": library}
        for k, part in enumerate(self.parts):
            exec(compile(_text(part, k), file_of(part.seed), "exec"), scope)  # noqa: S102, made by drawn
        exec(compile(self.text.rpartition("\n\n")[2], "<programs>", "exec"), scope)  # noqa: S102, written above
        return scope["f"]

    def arguments(self, flavour: int = 0) -> list:
        return [a for p in self.parts for a in arguments_of(p, flavour)]

    def without(self, gone: Iterable) -> Batch:
        return Batch(tuple(p for p in self.parts if all(p is not g for g in gone)))

    def blamed(self, error: BaseException) -> list:
        """The programs whose lines an error, or one that it came from, names or was raised in."""
        seeds, met = set(), set()
        while error is not None and id(error) not in met:
            met.add(id(error))
            at = error.__traceback__
            while at is not None:
                seeds |= set(re.findall(FILE, at.tb_frame.f_code.co_filename))
                at = at.tb_next
            seeds |= set(re.findall(FILE, str(error)))
            error = getattr(error, "inner_exception", None) or error.__cause__ or error.__context__
        return [p for p in self.parts if str(p.seed) in seeds]


def batch_of(made: object) -> Batch:
    return made if isinstance(made, Batch) else Batch((made,))


EVERY = 4  # of so many batches one is run


class Sample:
    """Of `every` so many batches one is run, and every program that goes alone."""

    def __init__(self, every: int):
        self.every, self.batches = every, 0

    def takes(self, made: object) -> bool:
        """Asked once of each."""
        if not isinstance(made, Batch):
            return True
        self.batches += 1
        return self.batches % self.every == 0


FILE = r"program_(\d+)\.py"


def file_of(seed: int) -> str:
    """What the text of a program is called where places in it are named."""
    return f"program_{seed}.py"


@functools.lru_cache(1000)
def used(part: object) -> list[str]:
    """The arguments that a program names, in their order."""
    words = set(re.findall(r"\b[a-z]\b", "\n".join([*part.lines, *part.given])))
    return [name for name in drawn.INPUTS if name in words]


def arguments_of(part: object, flavour: int) -> list:
    given = dict(zip(drawn.INPUTS, part.arguments(flavour), strict=True))
    return [given[name] for name in used(part)]


def _text(part: object, k: int) -> str:
    return re.sub(r"^def f\(.*\):", f"def f{k}({', '.join(used(part))}):", part.text, count=1)


def slices(parts: Sequence) -> Iterator[tuple[object, slice, slice]]:
    """(part, where its arguments are, where its results are)."""
    arguments = results = 0
    for part in parts:
        ends = arguments + len(used(part)), results + len(part.given)
        yield part, slice(arguments, ends[0]), slice(results, ends[1])
        arguments, results = ends


@dataclasses.dataclass
class Cut:
    """A part of a case: itself a case. `inputs` and `outputs`: which of the case's they are, by position; `places`: where its steps are."""

    case: dict
    inputs: list[int]
    outputs: list[int]
    places: set[str]

    def parts(self, batch: Batch, by_position: bool) -> list:
        """The programs that it is of; none where nobody can tell."""
        seeds = {s for place in self.places for s in re.findall(FILE, place)}
        found = [p for p in batch.parts if str(p.seed) in seeds]
        if by_position:
            found += [p for p, ins, outs in slices(batch.parts) if p not in found and (
                set(self.inputs) & set(range(ins.start, ins.stop)) or set(self.outputs) & set(range(outs.start, outs.stop)))]
        return found


def cut(case: dict) -> list[Cut]:
    """The case as cases that share no value: values are joined by the steps that name them, by the storage that inputs share, by
    symbols of sizes, and by the position at which both graphs return them. A case with a plan, or of one graph, is left whole."""
    sides = [case.get("before"), case.get("after")]
    if "plan" in case or None in sides:
        return [Cut(case, list(range(len(sides[1]["inputs"]))), list(range(len(sides[1]["outputs"]))), set())]
    joined, sizes = Joined(), case.get("symbols", {})
    for mark, graph in zip("ba", sides):
        inputs = {i["name"] for i in graph["inputs"]}

        def key(name: str, mark: str = mark, inputs: set = inputs) -> str:
            return f"i {name}" if name in inputs else f"{mark} {name}"

        for i in graph["inputs"]:
            joined.join([key(i["name"]), *([f"s {i['storage']}"] if "storage" in i else []), *_symbols(i, sizes)])
        for number, step in enumerate(graph["steps"]):
            joined.join([f"{mark}# {number}", *map(key, _results(step)), *map(key, _named(step)), *_symbols(step, sizes)])
        for number, output in enumerate(graph["outputs"]):
            joined.join([f"o {number}", *map(key, _refs(output))])
        for name, value in graph.get("final", {}).items():
            joined.join([key(name), *map(key, _refs(value))])
    sets = joined.sets()
    return [_part(case, sets[root]) for root in joined.roots(f"o {n}" for n in range(len(sides[1]["outputs"])))] or \
        [Cut(case, [], [], set())]


class Joined:
    """Names in sets that grow together."""

    def __init__(self):
        self.above: dict[str, str] = {}

    def root(self, name: str) -> str:
        self.above.setdefault(name, name)
        while self.above[name] != name:
            self.above[name] = self.above[self.above[name]]
            name = self.above[name]
        return name

    def join(self, names: Sequence[str]) -> None:
        for name in names:
            self.above[self.root(name)] = self.root(names[0])

    def sets(self) -> dict[str, list[str]]:
        """The names of each set, by its root."""
        found: dict[str, list[str]] = {}
        for name in list(self.above):
            found.setdefault(self.root(name), []).append(name)
        return found

    def roots(self, first: Iterable[str]) -> list[str]:
        """Every set but those that hold no input and no result, which nobody sees; in the order of `first`."""
        seen = [self.root(name) for name in [*first, *(n for n in self.above if n[0] == "i")]]
        return list(dict.fromkeys(seen))


def _part(case: dict, names: list[str]) -> Cut:
    def numbers(what: str) -> list[int]:
        return sorted(int(n[len(what):]) for n in names if n.startswith(what))

    given = {n[2:] for n in names if n.startswith("i ")}
    outputs = [n for n in numbers("o ") if n < len(case["after"]["outputs"])]
    part, places, bodies = dict(case), set(), set()
    inputs = [k for k, i in enumerate(case["before"]["inputs"]) if i["name"] in given]
    for mark, side in (("b", "before"), ("a", "after")):
        graph = case[side]
        steps = [graph["steps"][n] for n in numbers(f"{mark}# ")]
        own = given & {i["name"] for i in graph["inputs"]}
        part[side] = graph | {"inputs": [i for i in graph["inputs"] if i["name"] in own], "steps": steps,
                              "outputs": [graph["outputs"][n] for n in outputs if n < len(graph["outputs"])]}
        if "final" in graph:
            part[side]["final"] = {k: v for k, v in graph["final"].items() if k in own}
        places |= {s["loc"] for s in steps if "loc" in s}
        bodies |= {b for s in steps for b in _bodies(s)}
    if "graphs" in case:
        reached = set()
        while bodies - reached:
            name = (bodies - reached).pop()
            reached.add(name)
            bodies |= {b for s in case["graphs"].get(name, {}).get("steps", []) for b in _bodies(s)}
        part["graphs"] = {k: v for k, v in case["graphs"].items() if k in reached}
    if "described" in case:
        names = {n for s in part["after"]["steps"] for n in _results(s)}
        part["described"] = [n for n in case["described"] if n in names]
    if shared := case.get("facts", {}).get("may_share"):
        kept = [[outputs.index(o), name] for o, name in shared if o in outputs and any(i["name"] == name for i in part["before"]["inputs"])]
        part["facts"] = {k: v for k, v in case["facts"].items() if k != "may_share"} | ({"may_share": kept} if kept else {})
    return Cut(part, inputs, outputs, places)


def _symbols(value: dict, sizes: dict) -> list[str]:
    return [f"y {w}" for w in set(re.findall(r"[A-Za-z_]\w*", json.dumps(value))) & set(sizes)] if sizes else []


def _results(step: dict) -> list[str]:
    return [step["name"]] if "name" in step else [n for n in step.get("names", []) if n]


def _named(step: dict) -> list[str]:
    """Every value that a step names besides its results."""
    return [*_refs([step.get("args", []), step.get("kwargs", {})]), *(n for n in step.get("lies_in", []) if n)]


def _refs(value: object) -> list[str]:
    return _held(value, "ref")


def _bodies(step: dict) -> list[str]:
    return _held([step.get("args", []), step.get("kwargs", {})], "graph")


def _held(value: object, what: str) -> list[str]:
    if isinstance(value, dict):
        return [value[what]] if isinstance(value.get(what), str) else [r for v in value.values() for r in _held(v, what)]
    return [r for v in value for r in _held(v, what)] if isinstance(value, list) else []
