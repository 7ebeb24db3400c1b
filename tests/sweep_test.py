#!/usr/bin/env python3
"""noclobber sweep: a shard says the same whenever, wherever and however often it runs."""
import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("NOCLOBBER_BIN", ROOT / "build/bin"))
CASES = sorted((ROOT / "corpus/cases").rglob("*.json"))[:6]

# A program that is lost at its first run for each shard, and at every one for seed 9000.
FRAGILE = """#!/bin/sh
case "$*" in *9000*) kill -9 $$;; esac
mark="{marks}/$(echo "$*" | cksum | cut -d' ' -f1)"
if [ ! -e "$mark" ] && [ "$1" = check ]; then touch "$mark"; kill -9 $$; fi
exec "{program}" "$@"
"""


class Sweep(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory(prefix="nc_test_")
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        self.manifest = self.folder / "manifest.jsonl"
        self.lines = [os.fspath(path) for path in CASES]
        self.lines.append(json.dumps({"fuzz": {"start": 1, "count": 45}}))
        self.lines.append(json.dumps({"fuzz": {"start": 16, "count": 1}, "options": [
            "--pass", f"{sys.executable} {ROOT / 'tests/passes.py'} naive --lines", "--persistent", "--profile", "views"]}))
        self.write()

    def write(self):
        self.manifest.write_text("\n".join(self.lines) + "\n")

    def command(self, out, *options):
        return [sys.executable, "-m", "noclobber.sweep", self.manifest, "--out", self.folder / out, "--seeds", "15",
                *options]

    def environment(self, folder=BIN):
        return {**os.environ, "PYTHONPATH": os.fspath(ROOT / "python"), "NOCLOBBER_BIN": os.fspath(folder)}

    def sweep(self, out, *options, folder=BIN):
        return subprocess.run(self.command(out, *options), capture_output=True, text=True, timeout=300,
                              env=self.environment(folder))

    def records(self, out):
        return (self.folder / out / "records.jsonl").read_text()

    def fragile(self):
        """A folder with a program that is lost now and then."""
        folder = self.folder / "fragile"
        (folder / "marks").mkdir(parents=True)
        program = folder / "noclobber"
        program.write_text(FRAGILE.format(marks=folder / "marks", program=BIN / "noclobber"))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return folder

    def test_records_are_those_of_the_program_whatever_the_jobs(self):
        one = self.sweep("one", "--jobs", "1")
        self.assertIn(one.returncode, (0, 1, 3), one.stderr)
        self.assertEqual(self.sweep("three", "--jobs", "3").returncode, one.returncode)
        self.assertEqual(self.records("one"), self.records("three"))
        own = subprocess.run([BIN / "noclobber", "check", CASES[0], "--json"], capture_output=True, text=True, timeout=60)
        self.assertEqual(self.records("one").splitlines()[:len(own.stdout.splitlines())],
                         [json.dumps(json.loads(line)) for line in own.stdout.splitlines()])
        seeds = [r["seeds"] for r in map(json.loads, self.records("one").splitlines()) if r["kind"] == "score"]
        self.assertEqual(seeds, [15, 15, 15])
        self.assertIn("<h2>Verdicts</h2>", (self.folder / "one/statistics.html").read_text())

    def test_a_sweep_that_was_killed_goes_on(self):
        whole = self.sweep("whole")
        with subprocess.Popen(self.command("killed", "--jobs", "1"), env=self.environment(),
                              stdout=subprocess.DEVNULL) as running:
            results = self.folder / "killed/results"
            for _ in range(600):
                if results.exists() and len(list(results.glob("*.json"))) >= 3:
                    break
                time.sleep(0.05)
            running.kill()
        kept = len(list(results.glob("*.json")))
        self.assertGreaterEqual(kept, 3)
        resumed = self.sweep("killed")
        self.assertEqual(resumed.returncode, whole.returncode)
        self.assertNotIn("(0 kept", resumed.stdout)
        self.assertEqual(self.records("whole"), self.records("killed"))

    def test_ctrl_c_keeps_what_was_found(self):
        with subprocess.Popen(self.command("cut", "--jobs", "1"), env=self.environment(), stdout=subprocess.PIPE,
                              text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler)) as running:
            while not list((self.folder / "cut").glob("results/*.json")):
                time.sleep(0.05)
            running.send_signal(signal.SIGINT)
            said, _ = running.communicate(timeout=120)
        self.assertEqual(running.returncode, 130)
        self.assertIn("(interrupted)", said)
        self.assertTrue(self.records("cut"))

    def test_a_program_that_is_lost_is_run_again(self):
        whole, fragile = self.sweep("whole"), self.fragile()
        again = self.sweep("again", folder=fragile)
        self.assertEqual(again.returncode, whole.returncode, again.stderr)
        self.assertEqual(self.records("whole"), self.records("again"))
        self.assertEqual(len(list((fragile / "marks").iterdir())), len(CASES))

    def test_a_shard_that_is_lost_every_time_is_an_error_and_tried_again(self):
        self.lines = [os.fspath(CASES[0]), json.dumps({"fuzz": {"start": 9000, "count": 1}})]
        self.write()
        lost = self.sweep("lost", folder=self.fragile())
        self.assertEqual(lost.returncode, 2)
        self.assertIn("1 lost", lost.stdout)
        self.assertIn("lost 3 times", json.loads(self.records("lost").splitlines()[-1])["message"])
        self.assertEqual(len(list((self.folder / "lost/results").iterdir())), 1)

    def test_parts_make_the_whole(self):
        whole = self.sweep("whole")
        for part in ("2/3", "3/3", "1/3"):
            self.sweep("parts", "--part", part)
        joined = self.sweep("parts")
        self.assertIn(f"{len(CASES) + 4} of {len(CASES) + 4} shards ({len(CASES) + 4} kept", joined.stdout)
        self.assertEqual(joined.returncode, whole.returncode)
        self.assertEqual(self.records("whole"), self.records("parts"))

    def test_two_runs_that_say_different_things_are_an_alarm(self):
        self.sweep("out")
        self.assertNotEqual(self.sweep("out", "--again").returncode, 4)
        for path in (self.folder / "out/results").iterdir():
            result = json.loads(path.read_text())
            if checks := [r for r in result["records"] if r["kind"] == "check"]:
                checks[0]["status"] = "unknown" if checks[0]["status"] == "proved" else "proved"
                path.write_text(json.dumps(result))
                break
        changed = self.sweep("out", "--again")
        self.assertEqual(changed.returncode, 4)
        self.assertIn("say different things", changed.stderr)

    def test_what_is_found_is_kept_beside_the_records(self):
        self.sweep("out")
        findings = [r for r in map(json.loads, self.records("out").splitlines()) if r["kind"] == "finding"]
        self.assertTrue(findings)
        for finding in findings:
            self.assertTrue((self.folder / "out" / finding["folder"] / "case.json").exists(), finding)

    def test_what_cannot_be_run_is_named(self):
        for line, word in (('{"chek": "a"}', "chek"), ('{"fuzz": {}}', "count"), ('{"compare": ["a"]}', "unpack"),
                           ("no-such-file", "no-such-file"), ("{", "Expecting")):
            self.lines = [os.fspath(CASES[0]), line]
            self.write()
            ran = self.sweep("out")
            self.assertEqual(ran.returncode, 2, line)
            self.assertIn(word, ran.stderr)
        self.lines = [os.fspath(CASES[0])] * 2
        self.write()
        self.assertIn("the same", self.sweep("out").stderr)
        self.assertEqual(self.sweep("out", "--part", "3/2").returncode, 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
