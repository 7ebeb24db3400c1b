#!/usr/bin/env python3
"""`noclobber advise --repair`: copies that make a refuted graph right, at the least cost, proved by a check of what is printed.

NC_BIN_DIR names another folder with the program.  Standard library only.
"""
import copy
import itertools
import json
import os
import pathlib
import subprocess
import unittest

from in_folder import InFolder

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = str(pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")) / "noclobber")


def step(name, op, *args):
    return {"name": name, "op": f"aten.{op}", "args": [{"ref": a} if isinstance(a, str) else a for a in args]}


def case(inputs, before, after, outputs):
    """`inputs`: shapes by name. Results are as large as their first operand."""
    graph = {"inputs": [{"name": n, "type": {"dtype": "f32", "shape": s}} for n, s in inputs.items()],
             "outputs": [{"ref": o} for o in outputs]}
    return {"format": "noclobber.case/1", "name": "repair", "before": graph | {"steps": before}, "after": graph | {"steps": after}}


def sized(steps, **types):
    return [s | {"types": [{"dtype": "f32", "shape": types[s["name"]]}]} for s in steps]


class Repair(InFolder):
    def run_on(self, value, *options):
        path = self.write("value.case.json", value)
        return subprocess.run([BINARY, "advise", "--repair", path, *options], capture_output=True, text=True, timeout=120)

    def verdict(self, value):
        path = self.write("checked.case.json", value)
        return subprocess.run([BINARY, "check", path], capture_output=True, timeout=120).returncode

    def repaired(self, value):
        """What is printed, which is proved; and the copies: operand names in order."""
        self.assertEqual(self.verdict(value), 1)
        ran = self.run_on(value)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        printed = json.loads(ran.stdout)
        self.assertEqual(self.verdict(printed), 0, ran.stdout)
        self.assertEqual(printed["before"], json.loads(json.dumps(printed["before"])))
        old = {s["name"] for s in value["after"]["steps"]}
        return printed, [s["args"][0]["ref"] for s in printed["after"]["steps"] if s["name"] not in old]

    def test_one_value_is_kept_where_many_writes_end_it(self):
        """A small value beside a large write: what is kept is the small one."""
        types = {"t": [8], "part": [2], "a": [8], "b": [2]}
        before = [step("t", "exp.default", "x"), step("part", "slice.Tensor", "t", 0, 0, 2), step("a", "neg.default", "t"),
                  step("b", "add.Tensor", "part", "part")]
        after = [s | ({"op": "aten.neg_.default"} if s["name"] == "a" else {}) for s in before]
        value = case({"x": [8]}, sized(before, **types), sized(after, **types), ["a", "b"])
        _, copied = self.repaired(value)
        self.assertEqual(copied, ["part"])

    def test_a_write_goes_to_a_copy_where_that_is_smaller(self):
        """A large value beside a small write: the write goes to a copy."""
        types = {"t": [8], "part": [2], "a": [2], "b": [8]}
        before = [step("t", "exp.default", "x"), step("part", "slice.Tensor", "t", 0, 0, 2), step("a", "neg.default", "part"),
                  step("b", "add.Tensor", "t", "t")]
        after = [s | ({"op": "aten.neg_.default"} if s["name"] == "a" else {}) for s in before]
        value = case({"x": [8]}, sized(before, **types), sized(after, **types), ["a", "b"])
        _, copied = self.repaired(value)
        self.assertEqual(copied, ["part"])

    def test_an_input_is_never_written(self):
        before = [step("a", "neg.default", "x")]
        after = [step("a", "neg_.default", "x")]
        value = case({"x": [4]}, sized(before, a=[4]), sized(after, a=[4]), ["a"])
        printed, copied = self.repaired(value)
        self.assertEqual(copied, ["x"])
        self.assertEqual(printed["after"]["steps"][-1]["args"][0]["ref"], printed["after"]["steps"][0]["name"])

    def test_what_copies_cannot_repair_is_said_to_be_so(self):
        before = [step("a", "neg.default", "x")]
        value = case({"x": [4]}, sized(before, a=[4]), sized([step("a", "abs.default", "x")], a=[4]), ["a"])
        ran = self.run_on(value)
        self.assertEqual((ran.returncode, ran.stdout), (1, ""))
        self.assertIn("not repaired by copies", ran.stderr)

    def test_what_is_right_is_left_alone(self):
        before = sized([step("a", "neg.default", "x")], a=[4])
        ran = self.run_on(case({"x": [4]}, before, before, ["a"]))
        self.assertEqual((ran.returncode, ran.stdout), (0, ""))
        self.assertIn("nothing to repair", ran.stderr)

    def test_no_fewer_writes_to_copies_would_do(self):
        """Of every set of writes undone, the cheapest that is proved costs no less than the copies do."""
        types = {"t": [4], "u": [4], "a": [4], "b": [4], "c": [4]}
        before = [step("t", "exp.default", "x"), step("u", "sigmoid.default", "x"), step("a", "neg.default", "t"),
                  step("b", "mul.Tensor", "u", "t"), step("c", "add.Tensor", "u", "a")]
        after = copy.deepcopy(before)
        after[2]["op"], after[3]["op"] = "aten.neg_.default", "aten.mul_.Tensor"
        value = case({"x": [4]}, sized(before, **types), sized(after, **types), ["b", "c"])
        _, copied = self.repaired(value)
        best = min(len(undone) for k in range(3) for undone in itertools.combinations((2, 3), k)
                   if self.verdict(value | {"after": value["after"] | {"steps": [
                       before_step | {"types": s["types"]} if n in undone else s
                       for n, (before_step, s) in enumerate(zip(before, value["after"]["steps"]))]}}) == 0)
        self.assertLessEqual(len(copied), best)
        self.assertGreater(best, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
