#!/usr/bin/env python3
"""`noclobber fuzz --pass`: passes that are wrong in one way are convicted of that, right ones are not.

NC_BIN_DIR names another folder with the program.  Standard library only.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from in_folder import InFolder

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = str(pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")) / "noclobber")
PASSES = ROOT / "tests" / "passes.py"
PLANNERS = ROOT / "tests" / "planners.py"
MOST_STEPS = 6


class Pass(InFolder):
    def fuzz(self, name, *options, lines=True):
        """Exit code, and the records: findings, then the campaign."""
        command = f"{sys.executable} {PASSES} {name}" + (" --lines" if lines else "")
        records, out = self.folder / "records.jsonl", self.folder / "found"
        ran = subprocess.run([BINARY, "fuzz", "--pass", command, "--records", records, "--out", out, "--quiet",
                              *(["--persistent"] if lines else []), *options], capture_output=True, timeout=300)
        self.assertIn(ran.returncode, (0, 1, 2), ran.stderr.decode())
        return ran.returncode, [json.loads(line) for line in records.read_text().splitlines()]

    def convict(self, name, *options):
        """The causes a pass is convicted of; each with a small case that still refutes, by itself."""
        code, records = self.fuzz(name, *options)
        self.assertEqual(code, 1)
        *_, campaign = records
        self.assertEqual(campaign["kind"], "campaign")
        for cause in campaign["causes"]:
            folder = pathlib.Path(cause["folder"])
            checked = subprocess.run([BINARY, "check", "--json", folder / "case.json"], capture_output=True, timeout=120)
            self.assertEqual(checked.returncode, 1, cause)
            case = json.loads((folder / "case.json").read_text())
            self.assertLessEqual(len(case["after"]["steps"]), MOST_STEPS, cause)
            self.assertTrue((folder / "script.py").read_text())
            self.assertEqual(json.loads((folder / "record.jsonl").read_text())["status"], "refuted")
        return campaign

    def test_right_passes_are_not_convicted(self):
        for name in ("identity", "careful"):
            with self.subTest(name):
                code, (campaign,) = self.fuzz(name, "--count", "120")
                self.assertEqual(code, 0)
                self.assertEqual((campaign["refuted"], campaign["others"], campaign["causes"]), (0, {}, []))
                self.assertGreater(campaign["proved"], 90)

    def test_the_naive_pass(self):
        campaign = self.convict("naive", "--count", "80", "--reduction", "100")
        causes = {cause["cause"] for cause in campaign["causes"]}
        self.assertIn("made in place; seen through views", causes)
        self.assertGreater(campaign["refuted"], 8)
        self.assertGreater(campaign["proved"], 20)

    def one_cause(self, name, cause, *options):
        campaign = self.convict(name, *options)
        self.assertEqual([c["cause"] for c in campaign["causes"]], [cause])

    def test_views_of_views_forgotten(self):
        self.one_cause("views-of-views", "made in place; seen through views", "--count", "150", "--profile", "views")

    def test_own_operands_forgotten(self):
        self.one_cause("own-operands", "made in place; intra-op-overlap", "--count", "300", "--profile", "views")

    def test_views_of_another_dtype_forgotten(self):
        self.one_cause("dtype-views", "made in place; seen through views of another dtype", "--start", "250", "--count", "60",
                       "--profile", "views")

    def test_profiles_of_one_thing_convict_with_few_programs(self):
        """One write-back in a thousand is lost, and views of another dtype are rare elsewhere."""
        for name, profile, start, cause in (("dtype-views", "views-dtype", "50", "made in place; seen through views of another dtype"),
                                            ("lost-write-back", "write-backs", "118", "dropped a write")):
            with self.subTest(name):
                code, (*_, campaign) = self.fuzz(name, "--start", start, "--count", "10", "--profile", profile, "--reduction", "30")
                self.assertEqual((code, [c["cause"] for c in campaign["causes"]]), (1, [cause]))

    def test_a_pass_that_does_not_answer(self):
        for name, kind in (("dies", "crash"), ("mute", "silent"), ("meddles", "changed-question"), ("babbles", "unreadable")):
            with self.subTest(name):
                code, records = self.fuzz(name, "--count", "12", "--profile", "views,plans", "--reduction", "10")
                self.assertEqual(code, 1)
                self.assertEqual({cause["what"] for cause in records[-1]["causes"]}, {kind})

    def test_no_answer_in_time(self):
        code, records = self.fuzz("hangs", "--count", "4", "--profile", "views", "--reduction", "1", "--timeout", "2")
        self.assertEqual((code, {cause["what"] for cause in records[-1]["causes"]}), (1, {"hang"}))

    def test_two_answers(self):
        for name in ("chatty", "moody"):
            with self.subTest(name):
                code, records = self.fuzz(name, "--start", "16", "--count", "1", "--reduction", "5", "--profile", "views")
                self.assertEqual((code, {cause["what"] for cause in records[-1]["causes"]}), (1, {"two-answers"}))

    def test_a_process_for_each_program_and_fx_text(self):
        code, (campaign,) = self.fuzz("identity", "--count", "3", lines=False)
        self.assertEqual((code, campaign["programs"]), (0, 3))
        ran = subprocess.run([BINARY, "fuzz", "--pass", "cat", "--format", "fx", "--count", "20", "--profile", "views",
                              "--json", "--quiet"], capture_output=True, timeout=120)
        campaign = json.loads(ran.stdout.splitlines()[-1])
        self.assertEqual((ran.returncode, campaign["causes"]), (0, []), ran.stdout)
        self.assertGreater(campaign["proved"], 15)

    def test_a_command_that_does_not_exist(self):
        ran = subprocess.run([BINARY, "fuzz", "--pass", "/does/not/exist"], capture_output=True, timeout=120)
        self.assertEqual(ran.returncode, 2)
        self.assertIn(b"cannot be run", ran.stderr)

    def test_an_unknown_profile_names_the_known_ones(self):
        ran = subprocess.run([BINARY, "fuzz", "--pass", "cat", "--profile", "views,nets"], capture_output=True, timeout=120)
        self.assertEqual(ran.returncode, 2)
        self.assertIn(b"kv-cache", ran.stderr)

    def test_the_programs_are_written_and_the_same_for_a_seed(self):
        for folder in ("a", "b"):
            subprocess.run([BINARY, "fuzz", "--emit", self.folder / folder, "--count", "12"], check=True, timeout=120,
                           capture_output=True)
        files = sorted(p.name for p in (self.folder / "a").iterdir())
        self.assertGreater(len(files), 8)
        for name in files:
            text = (self.folder / "a" / name).read_text()
            self.assertEqual(text, (self.folder / "b" / name).read_text())
            case = json.loads(text)
            self.assertEqual(case["before"]["steps"], case["after"]["steps"])

    def test_the_corpus_is_kept_and_pruned(self):
        corpus = self.folder / "corpus"
        code, _ = self.fuzz("naive", "--count", "12", "--profile", "views", "--reduction", "60", "--corpus", corpus)
        kept = sorted(p.name for p in corpus.iterdir())
        self.assertEqual(code, 1)
        self.assertTrue(kept)
        code, records = self.fuzz("naive", "--count", "1", "--profile", "plans", "--corpus", corpus)
        self.assertEqual(code, 1)
        self.assertGreaterEqual(records[-1]["refuted"], len(kept))
        code, _ = self.fuzz("careful", "--count", "1", "--corpus", corpus)
        self.assertEqual((code, list(corpus.iterdir())), (0, []))

    def test_ctrl_c_keeps_what_was_found(self):
        records = self.folder / "records.jsonl"
        command = f"{sys.executable} {PASSES} naive --lines"
        with subprocess.Popen([BINARY, "fuzz", "--pass", command, "--persistent", "--count", "100000", "--records", records,
                               "--out", self.folder / "found", "--quiet"], stdout=subprocess.PIPE,
                              preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as running:  # else it is ignored, as in the background
            for _ in range(600):
                if records.exists() and records.read_text():
                    break
                time.sleep(0.1)
            running.send_signal(signal.SIGINT)
            try:
                self.assertEqual(running.wait(120), 130)
            finally:
                running.kill()
        *_, campaign = [json.loads(line) for line in records.read_text().splitlines()]
        self.assertTrue(campaign["interrupted"] and campaign["causes"])


class Planner(InFolder):
    def fuzz(self, name, *options, form="case"):
        """Exit code, and the record of the campaign."""
        command = f"{sys.executable} {PLANNERS} {name} --lines" + (" --csv" if form == "csv" else "")
        ran = subprocess.run([BINARY, "fuzz", "--planner", command, "--persistent", "--format", form, "--out", self.folder / "found",
                              "--json", "--quiet", "--reduction", "60", *options], capture_output=True, timeout=300)
        self.assertIn(ran.returncode, (0, 1), ran.stderr.decode())
        return ran.returncode, json.loads(ran.stdout.splitlines()[-1])

    def test_right_planners_are_not_convicted(self):
        for name, form in (("first-fit", "case"), ("in-place", "case"), ("first-fit", "csv")):
            with self.subTest(name=name, form=form):
                code, campaign = self.fuzz(name, "--count", "100", form=form)
                self.assertEqual((code, campaign["causes"]), (0, []))
                self.assertGreater(campaign["proved"], 50)

    def test_wrong_planners_are_convicted_of_what_they_do(self):
        for name, cause in (("short", "plan-overlap; in place of an operand"), ("forgets-views", "plan-overlap; read through another name"),
                            ("reads-later", "plan-overlap; in place of an operand"), ("small", "plan-bounds; ends-behind"),
                            ("unaligned", "plan-bounds; misaligned"), ("leaves-out", "plan-bounds; not-placed")):
            with self.subTest(name):
                code, campaign = self.fuzz(name, "--count", "40", "--profile", "plans,views,optimizer")
                self.assertEqual((code, [c["cause"] for c in campaign["causes"]]), (1, [cause]))
                folder = pathlib.Path(campaign["causes"][0]["folder"])
                problem, case = (json.loads((folder / f"{which}.json").read_text()) for which in ("program", "case"))
                self.assertLessEqual(len(problem["after"]["steps"]), MOST_STEPS)
                self.assertEqual((problem["plan"]["buffers"], problem["after"]), ([], case["after"]))
                self.assertEqual(subprocess.run([BINARY, "check", folder / "case.json"], capture_output=True, timeout=120).returncode, 1)

    def test_a_result_on_its_operand_may_be_seen_as_bytes(self):
        """Seed 740000117: it was refuted that `v3` lies on `v2`, as `v4` shows its bytes. Of equal elements alone it is proved."""
        def code(offset, seen=True):
            kind = {"dtype": "f32", "shape": [2, 6]}
            steps = [{"name": "v2", "op": "aten.sin.default", "args": [{"ref": "x"}], "types": [kind]},
                     {"name": "v3", "op": "aten.add.Tensor", "args": [{"ref": "v2"}, {"ref": "v2"}], "types": [kind]},
                     {"name": "v4", "op": "aten.view.dtype", "args": [{"ref": "v3"}, {"dtype": "u8"}], "types": [{"dtype": "u8", "shape": [2, 24]}]}]
            places = [{"value": v, "arena": "0", "offset": at, "size": 48} for v, at in (("v2", 0), ("v3", offset))]
            case = {"format": "noclobber.case/1", "name": "seen", "plan": {"arenas": {"0": {"size": 64}}, "buffers": places},
                    "after": {"inputs": [{"name": "x", "type": kind}], "steps": steps[:2 + seen], "outputs": [{"ref": "v4" if seen else "v3"}]}}
            path = self.folder / "case.json"
            path.write_text(json.dumps(case))
            return subprocess.run([BINARY, "check", path], capture_output=True, timeout=120).returncode
        self.assertEqual([code(0, seen=False), code(0), code(4), code(4, seen=False)], [0, 3, 1, 1])

    def test_a_table_is_made_small(self):
        code, campaign = self.fuzz("short", "--count", "10", form="csv")
        self.assertEqual((code, [c["cause"] for c in campaign["causes"]]), (1, ["plan-overlap; together"]))
        folder = pathlib.Path(campaign["causes"][0]["folder"])
        self.assertEqual(len((folder / "program.csv").read_text().split()), 3)  # the header and the two that meet

    def test_two_kinds_of_campaign_do_not_mix(self):
        for options in (["--pass", "cat", "--planner", "cat"], ["--planner", "cat", "--format", "fx"], ["--pass", "cat", "--format", "csv"]):
            ran = subprocess.run([BINARY, "fuzz", *options], capture_output=True, timeout=120)
            self.assertEqual(ran.returncode, 2, options)

    def test_a_planner_that_changes_the_problem(self):
        ran = subprocess.run([BINARY, "fuzz", "--planner", "sed '1s/$/,offset/; 2,$s/,[0-9]*$/,7,0/'", "--format", "csv", "--count", "4",
                              "--reduction", "5", "--out", self.folder / "found", "--json", "--quiet"], capture_output=True, timeout=120)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("changed-question", ran.stdout.decode())


if __name__ == "__main__":
    unittest.main(verbosity=2)
