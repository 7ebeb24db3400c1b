#!/usr/bin/env python3
"""What frontends record, pass by pass: the folder, `check`, `bisect`, the recorder. NC_BIN_DIR names another folder with
the program. PyTorch is not needed: the recordings in corpus/recordings were made with it."""
import collections
import importlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import types
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[1]
BIN = pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")).resolve()
os.environ["NOCLOBBER_BIN"] = str(BIN)
sys.path.insert(0, str(ROOT / "python"))

from in_folder import InFolder  # noqa: E402
from noclobber import program, recorder  # noqa: E402

RECORDINGS = ROOT / "corpus" / "recordings"
WRONG, RIGHT = RECORDINGS / "b198094-slice-zero", RECORDINGS / "slice-kept"
F32 = {"dtype": "f32", "shape": [4]}
ONE_STEP = {"inputs": [{"name": "x", "type": F32, "kind": "user", "mutable": False}],
            "steps": [{"name": "y", "op": "aten.relu.default", "args": [{"ref": "x"}], "types": [F32]}], "outputs": [{"ref": "y"}]}
REINPLACING = "reinplace_inplaceable_ops/reinplace_inplaceable_ops_core"


class Recordings(InFolder):
    def run_it(self, *arguments):
        ran = subprocess.run([BIN / "noclobber", *map(str, arguments)], capture_output=True, text=True, timeout=120)
        return ran.returncode, ran.stdout, ran.stderr

    def records(self, *arguments):
        code, out, _ = self.run_it(*arguments, "--json")
        return code, [json.loads(line) for line in out.splitlines()]

    def test_the_pass_is_named(self):
        code, records = self.records("check", WRONG)
        checks = [r for r in records if r["kind"] == "check"]
        self.assertEqual((code, len(checks)), (1, 4))
        refuted = [r for r in checks if r["status"] == "refuted"]
        self.assertEqual([r["findings"][0]["pass"] for r in refuted], [REINPLACING])
        self.assertIn("inputs share storage as traced", checks[0]["assumptions"])

    def test_a_right_twin_is_proved(self):
        code, records = self.records("check", RIGHT)
        self.assertEqual((code, {r["status"] for r in records if r["kind"] == "check"}), (0, {"proved"}))

    def test_bisect_ends_at_the_first(self):
        code, records = self.records("bisect", WRONG)
        self.assertEqual(code, 1)
        self.assertEqual([r["status"] for r in records if r["kind"] == "check"], ["proved", "proved", "refuted"])
        code, out, _ = self.run_it("bisect", WRONG)
        self.assertEqual(code, 1)
        self.assertIn(f"first refuted: {REINPLACING}", out)
        self.assertIn("after 2 that hold", out)

    def test_bisect_of_what_is_right(self):
        code, out, _ = self.run_it("bisect", RIGHT)
        self.assertEqual(code, 0)
        self.assertIn("no recorded pass is refuted", out)

    def test_what_changed_nothing_is_counted(self):
        self.assertIn("28 passes changed nothing", self.run_it("check", RIGHT)[2])

    def test_what_was_left_out_is_unknown(self):
        shutil.copytree(RIGHT, self.folder / "r")
        made = json.loads((self.folder / "r" / "recording.json").read_text())
        (self.folder / "r" / "recording.json").write_text(json.dumps(made | {"left_out": ["0_0/joint: too large"]}))
        code, records = self.records("check", self.folder / "r")
        self.assertEqual(code, 3)
        [unknown] = [u for r in records for u in r.get("unknown", [])] if code == 3 else [None]
        self.assertEqual((unknown["reason"], unknown["names"]), ("not-recorded", ["0_0/joint: too large"]))

    def test_a_broken_promise_is_unknown_by_name(self):
        shutil.copytree(RIGHT, self.folder / "r")
        made = json.loads((self.folder / "r" / "recording.json").read_text())
        told = ["functional: add_ (aten.add_) writes what it is given (by 0_0/joint/my_pass)"]
        (self.folder / "r" / "recording.json").write_text(json.dumps(made | {"broken": told}))
        code, records = self.records("check", self.folder / "r")
        self.assertEqual(code, 3)
        [unknown] = [u for r in records for u in r.get("unknown", [])]
        self.assertEqual((unknown["reason"], unknown["names"]), ("broken-invariant", told))
        written = recorder.Recorder(self.folder / "s")
        written.broken += told
        written.close()
        self.assertEqual(json.loads((self.folder / "s" / "recording.json").read_text())["broken"], told)
        with self.assertRaisesRegex(program.NotProved, "broken-invariant: functional: add_"):
            recorder.judge(written.run(), "unknown")

    def test_a_damaged_account_is_an_error(self):
        for text in ('{"format": "noclobber.recording/2"}', '{"format": "noclobber.recording/1", "left_out": 3}',
                     '{"format": "noclobber.recording/1", "links": "x"}', '{"format": "noclobber.recording/1"'):
            with self.subTest(text):
                (self.folder / "recording.json").write_text(text)
                self.assertEqual(self.run_it("check", self.folder)[0], 2)

    def test_the_recorder_is_bounded(self):
        written = recorder.Recorder(self.folder, most_bytes=100)
        self.assertIsNotNone(written.link("small", {"a": 1}))
        self.assertIsNone(written.link("large", {"a": "x" * 200}))
        self.assertEqual([stage for stage, _ in written.checks], ["small"])
        self.assertIn("100 bytes at most", json.loads((self.folder / "recording.json").read_text())["left_out"][0])

    def test_links_that_differ_by_name_are_decided_once(self):
        right = {"format": "noclobber.case/1", "name": "a", "before": ONE_STEP, "after": ONE_STEP}
        wrong = right | {"after": ONE_STEP | {"outputs": [{"ref": "x"}]}}
        later = right | {"order": "dataflow"}
        asked, check = [], program.check

        def counted(*paths, options=()):
            asked.append([pathlib.Path(p).name[:4] for p in paths])
            return check(*paths, options=options)

        for third, expected in ((later, [["0001", "0003"]]), (wrong, [["0001", "0003"], ["0001", "0002", "0003", "0004"]])):
            with self.subTest(third), unittest.mock.patch.object(program, "check", counted):
                written = recorder.Recorder(self.folder / ("w" if third is wrong else "r"))
                for name, content in (("a", right), ("b", right), ("c", third), ("d", third)):
                    written.link(f"pass {name}", content | {"name": name})
                records = written.run()
                self.assertEqual([(r["id"], r["stage"], pathlib.Path(r["input"]).name[:4]) for r in records],
                                 [(n, f"pass {n}", f"{k:04}") for k, n in enumerate("abcd", 1)])
                self.assertEqual({r["status"] for r in records[2:]}, {"refuted" if third is wrong else "proved"})
                self.assertEqual(asked, expected)  # where one is refuted, each is decided
                self.assertEqual(written.run(["--effort", "0"]), records)
                self.assertEqual(len(asked[-1]), 4)
                asked.clear()

    def test_a_fault_of_the_observer_is_named(self):
        written = recorder.Recorder(self.folder)
        with written.problem("pass p"):
            raise KeyError("x")
        self.assertEqual(written.problems, ["pass p: KeyError: 'x'"])

    def test_judging(self):
        proved, refuted = {"status": "proved", "input": "a"}, {"status": "refuted", "input": "b", "stage": "p", "findings": []}
        unknown = {"status": "unknown", "input": "c", "unknown": [{"reason": "approximated", "names": ["f"]}]}
        for fail_on in recorder.FAILS:
            self.assertEqual(recorder.judge([proved], fail_on), [proved])
        self.assertEqual(recorder.judge([proved, unknown], "refuted"), [proved, unknown])
        with self.assertRaisesRegex(program.NotProved, "approximated: f"):
            recorder.judge([proved, unknown], "unknown")
        with self.assertRaises(program.Refuted) as raised:
            recorder.judge([proved, refuted, unknown], "refuted", "nc")
        self.assertEqual((raised.exception.passes, raised.exception.folder), (["p"], "nc"))
        with self.assertRaises(ValueError):
            recorder.judge([], "sometimes")

    def test_replaced_functions_come_back(self):
        class Owner:
            kept = 1

        with recorder.replaced([(Owner, "kept", lambda old: old + 1), (Owner, "missing", lambda old: old)]):
            self.assertEqual(Owner.kept, 2)
        self.assertEqual(Owner.kept, 1)


class Trace:
    """A printed trace as Thunder holds it."""

    def __init__(self, text):
        self.text = text
        self.args = [types.SimpleNamespace(name=name) for name in re.search(r"def \w+\((.*)\)", text)[1].split(", ")]

    def __str__(self):
        return self.text

    def get_provenance(self):
        return self.text.splitlines()[0]


class ThunderCompilations(InFolder):
    """`noclobber.thunder` with a stand-in for Thunder: which of its traces are written, and which folders stay."""

    def setUp(self):
        super().setUp()
        fake = types.ModuleType("thunder")
        fake.CacheEntry = collections.namedtuple("CacheEntry", "computation_traces backward_traces prologue_traces")
        fake.compile_stats = lambda function: function
        fake.last_traces = lambda function: function.last_traces
        self.entry = fake.CacheEntry
        sys.modules["thunder"] = fake
        self.addCleanup(sys.modules.pop, "thunder")
        self.hook = importlib.import_module("noclobber.thunder")
        self.addCleanup(sys.modules.pop, "noclobber.thunder")

    def traces(self, folder, *names):
        return [Trace((ROOT / "corpus" / folder / name).read_text()) for name in names]

    def function(self, *entries):
        return types.SimpleNamespace(interpreter_cache=list(entries), last_traces=entries[-1].computation_traces,
                                     last_backward_traces=[], last_prologue_traces=[])

    def written(self, *entries):
        folder = self.hook.write(self.function(*entries), self.folder / "out")
        return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.txt"))

    def test_every_compilation_with_its_backward_and_prologue(self):
        forward = self.traces("thunder_users/pr2777-main", "00_x.trace.txt")
        backward = self.traces("thunder_users/pr2777-main", "bw00_x.trace.txt")
        one, two = (self.entry(list(forward), backward, forward) for _ in range(2))
        self.assertEqual(self.written(one), ["00_delete-last-used.trace.txt", "bw00_delete-last-used.trace.txt",
                                             "prologue.trace.txt"])
        shutil.rmtree(self.folder / "out")
        self.assertEqual(self.written(one, two), [f"{number}/{name}" for number in "01" for name in (
            "00_delete-last-used.trace.txt", "bw00_delete-last-used.trace.txt", "prologue.trace.txt")])

    def test_what_no_cache_holds_is_written_where_it_is_the_last(self):
        function = self.function(self.entry(self.traces("thunder_users/pr2777-main", "00_x.trace.txt"), None, None))
        function.interpreter_cache.clear()
        folder = self.hook.write(function, self.folder / "out")
        self.assertEqual([path.name for path in folder.iterdir()], ["00_delete-last-used.trace.txt"])

    def test_the_folder_of_a_refutation_is_kept_and_named(self):
        right = self.traces("thunder_users/used-while-bound", "0.trace.txt")
        wrong = self.traces("thunder_users/used-before-definition", "0.trace.txt")
        temporary = self.folder / "temporary"
        temporary.mkdir()
        with unittest.mock.patch("tempfile.tempdir", str(temporary)):
            self.assertEqual([r["status"] for r in self.hook.check(self.function(self.entry(right, [], [])))], ["proved"])
            self.assertEqual(list(temporary.iterdir()), [])
            with self.assertRaises(program.Refuted) as caught:  # though it is not the last one that is wrong
                self.hook.check(self.function(self.entry(wrong, [], []), self.entry(right, [], [])))
        kept, = temporary.iterdir()
        self.assertIn(str(kept), str(caught.exception))
        self.assertEqual(sorted(path.name for path in kept.iterdir()), ["0", "1"])


if __name__ == "__main__":
    unittest.main()
