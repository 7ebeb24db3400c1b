#!/usr/bin/env python3
"""`noclobber replay` and `extract --as pytorch`: what a record says can be run again, by the program and without it.

NC_BIN_DIR names another folder with the program. PyTorch is not needed: `make test-scripts` runs the scripts."""
import ast
import base64
import json
import os
import pathlib
import re
import struct
import subprocess
import unittest
import zlib

from in_folder import InFolder

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = str(pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")).resolve() / "noclobber")
INPUTS = ("corpus/cases", "corpus/oneshot", "corpus/logs/miscompiled", "corpus/thunder", "corpus/programs")
LOG = "corpus/logs/miscompiled/b198094-slice-zero.log.gz"
SCRIPTS = 55  # scripts made of a third of the refuted cases; what cannot be written says why
REASONS = ("PyTorch alone has no ", "the inputs of the witness ", "a plan without a graph ", "a list of registers ")

TENSOR = {"dtype": "f32", "shape": ["n"]}
WRONG = {"format": "noclobber.case/1", "name": "neg", "symbols": {"n": {"min": 3}},
         "before": {"inputs": [{"name": "x", "type": TENSOR}],
                    "steps": [{"name": "e", "op": "aten.exp.default", "args": [{"ref": "x"}]},
                              {"name": "y", "op": "aten.neg.default", "args": [{"ref": "e"}]},
                              {"name": "z", "op": "aten.mul.Tensor", "args": [{"ref": "y"}, {"ref": "e"}]}],
                    "outputs": [{"ref": "z"}]}}
WRONG["after"] = json.loads(json.dumps(WRONG["before"]).replace("aten.neg.default", "aten.neg_.default"))


class Again(InFolder):
    def run_it(self, *arguments, cwd=ROOT):
        return subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=300, cwd=cwd)

    def records(self, *inputs, name="records.jsonl", cwd=ROOT):
        """The path of the records of a check, and the refuted ones."""
        ran = self.run_it("check", *inputs, "--json", cwd=cwd)
        path = self.write(name, ran.stdout)
        return path, [r for r in map(json.loads, ran.stdout.splitlines()) if r.get("status") == "refuted"]


class Replay(Again):
    def test_every_witness_of_the_corpus_shows_again(self):
        """One run each, with the sizes and contents of the record: the same rule, place and numbers."""
        path, refuted = self.records(*INPUTS)
        causes = {(r["input"], r["id"], f["fingerprint"]): f for r in refuted for f in r["findings"] if "follows" not in f}
        ran = self.run_it("replay", path, "--json")
        shown = [json.loads(line) for line in ran.stdout.splitlines()]
        self.assertEqual({r["kind"] for r in shown}, {"replay"})
        self.assertEqual(len(shown), sum("follows" not in f for r in refuted for f in r["findings"]))
        self.assertGreater(len(shown), 180)
        self.assertEqual([(r["input"], r["id"], r["rule"]) for r in shown if not r["shows"]], [])
        self.assertEqual((ran.returncode, ran.stderr), (1, ""))
        for record in shown:
            witness = causes[record["input"], record["id"], record["fingerprint"]]["witness"]
            self.assertEqual(record["where"], witness.get("where", ""), record)

    def test_what_was_repaired_does_not_show(self):
        case = self.write("neg.json", WRONG)
        path, (record,) = self.records(case)
        ran = self.run_it("replay", path)
        witness = record["findings"][0]["witness"]
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertIn(": shows\n", ran.stdout)
        self.assertIn(f"{witness['where']} at {witness['index']}: expected {witness['expected']}, actual {witness['actual']}",
                      ran.stdout)
        self.write("neg.json", WRONG | {"after": WRONG["before"]})
        ran = self.run_it("replay", path)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertIn(": does not show\n", ran.stdout)

    def test_inputs_that_moved_with_their_records(self):
        (self.folder / "there").mkdir()
        self.write("there/neg.json", WRONG)
        self.records("neg.json", name="there/records.jsonl", cwd=self.folder / "there")
        self.assertEqual(self.run_it("replay", str(self.folder / "there" / "records.jsonl"), cwd=ROOT).returncode, 1)

    def test_two_files_that_were_compared(self):
        for side in ("before", "after"):
            self.write(f"{side}.json", {k: v for k, v in WRONG.items() if k not in ("before", "after")} | {"after": WRONG[side]})
        ran = self.run_it("compare", "before.json", "after.json", "--json", cwd=self.folder)
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertEqual(json.loads(ran.stdout.splitlines()[0])["before"], "before.json")
        self.write("records.jsonl", ran.stdout)
        self.assertEqual(self.run_it("replay", "records.jsonl", cwd=self.folder).returncode, 1)

    def test_a_plan_table(self):
        self.write("plan.csv", "id,lower,upper,size,offset\na,0,3,8,0\nb,1,2,8,4\nc,4,5,8,60\n")
        ran = self.run_it("check", "plan.csv", "--capacity", "64", "--json", cwd=self.folder)
        self.write("records.jsonl", ran.stdout)
        ran = self.run_it("replay", "records.jsonl", cwd=self.folder)
        self.assertEqual((ran.returncode, ran.stdout.count(": shows\n")), (1, 2), ran.stdout + ran.stderr)

    def test_only(self):
        path, refuted = self.records("corpus/cases/key-widened-bits.refute.json", LOG)
        ran = self.run_it("replay", path, "--only", refuted[0]["id"])
        self.assertEqual((ran.returncode, ran.stdout.count(" of corpus/")), (1, 1), ran.stdout + ran.stderr)

    def test_what_cannot_be_run_again(self):
        case = self.write("neg.json", WRONG)
        path, _ = self.records(case)
        (self.folder / "neg.json").unlink()
        ran = self.run_it("replay", path)
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertIn("neg.json", ran.stderr)
        self.write("neg.json", WRONG | {"name": "other"})
        self.assertIn("holds no check neg", self.run_it("replay", path).stderr)
        proved = self.write("proved.json", WRONG | {"after": WRONG["before"]})
        path, _ = self.records(proved)
        ran = self.run_it("replay", path)
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertIn("no finding", ran.stderr)


class Scripts(Again):
    def test_scripts_of_the_corpus(self):
        """Each is Python, the same bytes again, and speaks of its case; what cannot be written says why."""
        _, refuted = self.records("corpus/cases", "corpus/oneshot")
        made, left = 0, []
        for record in refuted[::3]:  # `make test-scripts` runs all of them
            ran = self.run_it("extract", record["input"], "--as", "pytorch")
            if ran.returncode:
                self.assertEqual((ran.returncode, ran.stdout), (2, ""))
                self.assertTrue(any(reason in ran.stderr for reason in REASONS), ran.stderr)
                left.append(record["input"])
                continue
            compile(ran.stdout, record["input"], "exec")
            self.assertIn(record["id"], ran.stdout)
            self.assertNotIn("import noclobber", ran.stdout)
            if made % 10 == 0:
                self.assertEqual(self.run_it("extract", record["input"], "--as", "pytorch").stdout, ran.stdout)
            made += 1
        self.assertGreaterEqual(made, SCRIPTS, left)

    def test_inputs_that_no_list_of_numbers_holds(self):
        """Complex numbers, floats of 8 bits and integers beyond i64 are bytes, as docs/records.md says what they are; others are not."""
        number = lambda at, code: struct.pack(code, 1 + at)
        for dtype, count, torch, one in (("c64", 6, "complex64", lambda at: struct.pack("<ff", 1 + at, -0.5)),
                                         ("u64", 3, "uint64", lambda at: number(at, "<Q")),
                                         ("f8e4m3fn", 4, "float8_e4m3fn", lambda at: bytes([(0x38, 0x40, 0x44, 0x48)[at]])),
                                         ("f32", 6, "float32", None), ("i64", 700, "int64", None)):
            kind = {"dtype": dtype, "shape": [count]}
            graph = lambda op: {"inputs": [{"name": "x", "type": kind}], "outputs": [{"ref": "y"}],
                                "steps": [{"name": "y", "op": op, "args": [{"ref": "x"}], "types": [kind]}]}
            case = self.write(f"{dtype}.json", {"format": "noclobber.case/1", "name": dtype, "before": graph("aten.neg.default"),
                                                "after": graph("aten.neg_.default")})
            ran = self.run_it("extract", case, "--as", "pytorch")
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            compile(ran.stdout, dtype, "exec")
            made = set(re.findall(r"storage\((torch\.\w+), (.*)\)\n", ran.stdout))
            if one is None:
                self.assertEqual(made, {(f"torch.{torch}", f"range(1, {count + 1})")})
                continue
            [(named, text)] = made
            self.assertEqual((named, zlib.decompress(base64.b64decode(ast.literal_eval(text)))), (f"torch.{torch}", b"".join(map(one, range(count)))))

    def test_of_a_log(self):
        """The program can be compiled again, too."""
        ran = self.run_it("extract", LOG, "--only", "[0/0] post-grad", "--as", "pytorch")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        compile(ran.stdout, LOG, "exec")
        self.assertIn("COMPILE = True", ran.stdout)
        for call in ("torch.ops.aten.slice_scatter.default(", "torch.ops.aten.copy_.default(", "storage(torch.int64, range(1, 25))"):
            self.assertIn(call, ran.stdout)

    def test_there_is_no_script_of_what_is_proved(self):
        case = self.write("proved.json", WRONG | {"after": WRONG["before"]})
        ran = self.run_it("extract", case, "--as", "pytorch")
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertIn("no fault to show", ran.stderr)

    def test_names_that_are_none_in_python(self):
        text = json.dumps(WRONG).replace('"e"', '"class"').replace('"y"', '"import"').replace('"z"', '"torch"')
        ran = self.run_it("extract", self.write("names.json", text), "--as", "pytorch")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        compile(ran.stdout, "names", "exec")


if __name__ == "__main__":
    unittest.main()
