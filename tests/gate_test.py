#!/usr/bin/env python3
"""What is made of records: other forms, comparisons, baselines. NC_BIN_DIR names another folder with the program."""
import json
import os
import pathlib
import random
import re
import subprocess
import unittest

from in_folder import InFolder

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = str(pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")).resolve() / "noclobber")
SECONDS = 120


class Gate(InFolder):
    made = {}

    def run_it(self, *arguments, cwd=ROOT, **more):
        return subprocess.run([BINARY, *map(str, arguments)], cwd=cwd, capture_output=True, timeout=SECONDS, **more)

    def records(self, *inputs):
        """The records of a run as bytes, whatever its verdict; each run is made once."""
        if inputs in self.made:
            return self.made[inputs]
        ran = self.run_it("check", *inputs, "--json")
        self.assertIn(ran.returncode, (0, 1, 2, 3), ran.stderr)
        return self.made.setdefault(inputs, ran.stdout)


class Records(Gate):
    def test_read_again(self):
        """Records that are read and written are the same bytes: nothing that a report needs is lost."""
        for command, *inputs in (("check", "corpus/cases", "corpus/oneshot", "corpus/thunder", "corpus/programs"),
                                 ("check", "corpus/logs"), ("advise", "corpus/cases")):
            text = self.run_it(command, *inputs, "--json").stdout
            self.assertGreater(text.count(b"\n"), 20)
            ran = self.run_it("render", "-", "--to", "records", input=text)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            for line, (one, other) in enumerate(zip(text.splitlines(), ran.stdout.splitlines()), 1):
                self.assertEqual(one, other, f"line {line} of {command} {inputs}")
            self.assertEqual(text, ran.stdout)

    def test_text(self):
        """`render` says what `check` says, but for the time."""
        said = self.run_it("check", "corpus/cases", "corpus/logs/miscompiled").stdout.decode()
        text = self.records("corpus/cases", "corpus/logs/miscompiled")
        ran = self.run_it("render", self.write("r.jsonl", text))
        self.assertEqual(re.sub(r" \(\d+\.\d s\)", "", said), ran.stdout.decode())

    def test_cut(self):
        """Wherever records are cut, those before it are read, and the cut is an error."""
        text = self.records("corpus/cases")
        lines = text.splitlines(keepends=True)
        random.seed(1)
        for at in [*random.sample(range(1, len(text)), 12), len(lines[0]), len(text) - 1]:
            ran = self.run_it("render", "-", "--to", "records", input=text[:at])
            whole = text[:at].count(b"\n")
            if at == len(text) - 1:  # only the last newline is missing
                self.assertEqual((ran.returncode, ran.stdout), (0, text))
                continue
            self.assertEqual(ran.returncode, 2)
            got = ran.stdout.splitlines(keepends=True)
            self.assertEqual(got[:whole], lines[:whole])
            error = json.loads(got[-1])
            self.assertEqual((error["kind"], len(got)), ("error", whole + 1))
            self.assertEqual(error["where"], f"line {whole + (0 if text[:at].endswith(b'}' + chr(10).encode()) else 1)}")
            self.assertIn("ended before it was done", error["message"])

    def test_damaged(self):
        """A line that is no record is named; the others are all there."""
        lines = self.records("corpus/cases").splitlines()
        lines[2] = b"not a record"
        lines[4] = b'{"schema":"noclobber.result/1","kind":"check","status":7}'
        lines[6] = b'{"schema":"noclobber.result/1","kind":"check","status":"proved","findings":[{"rule":3}]}'
        lines[8] = b'{"schema":"noclobber.result/1","kind":"something new","x":1}'
        ran = self.run_it("render", "-", "--to", "records", input=b"\n".join(lines) + b"\n")
        self.assertEqual(ran.returncode, 2)
        kept = [line for k, line in enumerate(lines) if k not in (2, 4, 6, 8)]
        got = ran.stdout.splitlines()
        self.assertEqual([line for line in got if b'"kind":"error"' not in line], kept)
        self.assertEqual([json.loads(line)["where"] for line in got if b'"kind":"error"' in line],
                         ["line 3", "line 5", "line 7"])

    def test_joined(self):
        """Files are shown as one run; findings are counted through all."""
        text = self.records("corpus/logs/miscompiled/b198094-slice-zero.log.gz")
        path = self.write("r.jsonl", text)
        for ran in (self.run_it("render", path, path, "--to", "records"),
                    self.run_it("render", "-", "--to", "records", input=text + text)):
            self.assertEqual(ran.returncode, 0, ran.stderr)
            records = [json.loads(line) for line in ran.stdout.splitlines()]
            prints = [f["fingerprint"] for r in records if r["kind"] == "check" for f in r["findings"] if "follows" not in f]
            self.assertEqual(prints, [prints[0], prints[0] + "#2"])
            self.assertEqual([(r["proved"], r["refuted"]) for r in records if r["kind"] == "summary"], [(2, 2)])

    def test_no_records(self):
        path = self.write("a.json", '{"format":"noclobber.case/1"}')
        for command in (["render", path], ["render", self.folder / "missing"], ["render", path, "--to", "pdf"], ["render"]):
            ran = self.run_it(*command)
            self.assertEqual((ran.returncode, ran.stdout), (2, b""), command)
        ran = self.run_it("check", self.write("r.jsonl", self.records("corpus/cases/order-barrier-step.accept.json")))
        self.assertEqual(ran.returncode, 2)
        self.assertIn(b"holds records of a run", ran.stderr)


if __name__ == "__main__":
    unittest.main()
