#!/usr/bin/env python3
"""What a plan says nothing of is named: as an assumption of the proof, as a reason for `unknown` with --strict and --no-assumptions.

NC_BIN_DIR names another folder with the program.  Standard library only.
"""
import json
import unittest

from cli_test import Cli

SAYS = "values without a place have memory of their own: "
NEG, RELU, EXP = "aten.neg.default", "aten.relu.default", "aten.exp2.default"


def typed(*shape, dtype="f32"):
    return {"dtype": dtype, "shape": list(shape)}


def step(name, op, *args, **more):
    args = [{"ref": a} if isinstance(a, str) else a for a in args]
    return {("names" if isinstance(name, list) else "name"): name, "op": op, "args": args} | more


def body(op):
    return {"inputs": [{"name": "x", "type": typed(4)}], "steps": [step("p", NEG, "x"), step("r", op, "p")], "outputs": [{"ref": "r"}]}


CHAIN = [step("x", NEG, "i"), step("y", RELU, "x"), step("z", EXP, "y")]
IN_PLACE = [step("x", NEG, "i"), step("y", "aten.relu_.default", "x"), step("z", EXP, "y")]
VIEW = [step("x", NEG, "i"), step("y", "aten.slice.Tensor", "x", 0, 1, 3), step("z", EXP, "y")]
TWO = [step(["a", "b"], "aten.topk.default", "i", 2), step("z", EXP, "b")]
DEAD = [step("d", NEG, "i"), step("z", EXP, "i")]
EMPTY = [step("e", "aten.slice.Tensor", "i", 0, 0, 0), step("d", NEG, "e"), step("z", EXP, "i")]
NUMBER = [step("n", "aten.sym_size.int", "i", 0), step("z", EXP, "i")]
BRANCH = [step("y", "higher_order.cond", "c", {"graph": "t"}, {"graph": "f"}, [{"ref": "i"}], types=[typed(4)]), step("z", EXP, "y")]
ARMS = {"t/p": 32, "t/r": 48, "f/p": 32, "f/r": 48}

# name: (steps, places, what has none); each that has some stands beside a twin that has none.
CASES = {
    "every value has a place": (CHAIN, {"x": 0, "y": 16, "z": 32}, ""),
    "not the one in the middle": (CHAIN, {"x": 0, "z": 16}, "y"),
    "not the output": (CHAIN, {"x": 0, "y": 16}, "z"),
    "none at all": (CHAIN, {}, "x, y, z"),
    "what is written in place, by its second name": (IN_PLACE, {"y": 0, "z": 16}, ""),
    "what is written in place, by no name": (IN_PLACE, {"z": 16}, "x"),
    "a view of what has a place": (VIEW, {"x": 0, "z": 16}, ""),
    "a view of what has none": (VIEW, {"z": 16}, "x"),
    "both results of a step": (TWO, {"a": 0, "b": 16, "z": 32}, ""),
    "one result of a step": (TWO, {"b": 16, "z": 32}, "a"),
    "a value that nobody reads": (DEAD, {"d": 0, "z": 16}, ""),
    "a value that nobody reads and that has none": (DEAD, {"z": 16}, "d"),
    "a value without bytes": (EMPTY, {"z": 0}, ""),
    "a number": (NUMBER, {"z": 0}, ""),
    "both arms": (BRANCH, ARMS | {"y": 0, "z": 16}, ""),
    "one arm in part": (BRANCH, {k: v for k, v in ARMS.items() if k != "f/r"} | {"y": 0, "z": 16}, "f/r"),
    "no arm": (BRANCH, {"y": 0, "z": 16}, "t/p, t/r, f/p, f/r"),
    "a result where the arms leave it": (BRANCH, ARMS | {"z": 16}, ""),
    "a result that nobody placed, of arms without places": (BRANCH, {"z": 16}, "y, t/p, t/r, f/p, f/r"),
}
BYTES = {"a": 8, "b": 16, "d": 16}


class Unplaced(Cli):
    def case(self, steps, places, required=()):
        inputs = [{"name": "i", "type": typed(4)}, {"name": "c", "type": typed(dtype="bool")}]
        size = lambda name: 8 if steps is TWO and name in ("a", "z") or steps is VIEW and name == "z" else BYTES.get(name, 16)
        buffers = [{"value": v, "arena": "1", "offset": at, "size": size(v)} for v, at in places.items()]
        return {"format": "noclobber.case/1", "name": "p", "graphs": {"t": body(RELU), "f": body(EXP)},
                "after": {"inputs": inputs, "steps": steps, "outputs": [{"ref": "z"}]},
                "plan": {"arenas": {"1": {"size": 256}}, "buffers": buffers, "required": list(required)}}

    def records(self, values, *options):
        """The check of each case, in order, of one run."""
        for k, value in enumerate(values):
            self.write(f"cases/{k:02}.json", json.dumps(value))
        lines = self.run_it("check", self.folder / "cases", "--json", *options).stdout.splitlines()
        found = [r for r in map(json.loads, lines) if r["kind"] == "check"]
        self.assertEqual(len(found), len(values))
        return found

    def test_what_has_no_place_is_named(self):
        values = [self.case(steps, places) for steps, places, _ in CASES.values()]
        reasons = lambda told: [n for u in told["unknown"] for n in u["names"] if "place" in n]
        runs = [self.records(values, *options) for options in ([], ["--no-assumptions"], ["--strict"])]
        for (name, (_, _, missing)), told, dropped, strict in zip(CASES.items(), *runs):
            with self.subTest(name):
                self.assertEqual(told["status"], "proved", told)
                self.assertEqual([a for a in told["assumptions"] if "place" in a], [SAYS + missing] if missing else [])
                self.assertEqual(reasons(dropped), ["places of " + missing] if missing else [])
                self.assertEqual(reasons(strict), [SAYS + missing] if missing else [])

    def test_what_is_required_is_refused(self):
        without, placed = self.records([self.case(CHAIN, places, ["y"]) for places in ({"x": 0, "z": 16}, {"x": 0, "y": 32, "z": 16})])
        self.assertEqual([f["rule"] for f in without["findings"]], ["NC031"])
        self.assertEqual(placed["status"], "proved")

    def test_of_many_only_the_first_are_named(self):
        steps = [step(f"v{k}", NEG, "i" if k == 0 else f"v{k - 1}") for k in range(12)] + [step("z", EXP, "v11")]
        (told,) = self.records([self.case(steps, {"z": 0})])
        self.assertEqual(told["assumptions"], [SAYS + ", ".join(f"v{k}" for k in range(8)) + " and 4 more"])


if __name__ == "__main__":
    unittest.main()
