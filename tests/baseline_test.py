#!/usr/bin/env python3
"""Baselines, settings, git bisect, and runs that are killed. NC_BIN_DIR names another folder with the program."""
import datetime
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import time
import tomllib
import unittest

from change_test import planted, proved, unknown
from in_folder import InFolder
from words_test import RULES

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = str(pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")).resolve() / "noclobber")
DAY = datetime.timedelta(days=1)


class Case(InFolder):
    def run_it(self, *arguments, code=None, cwd=None):
        ran = subprocess.run([BINARY, *map(str, arguments)], cwd=cwd or self.folder, capture_output=True, text=True, timeout=120)
        if code is not None:
            self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        return ran


class Baselines(Case):
    def setUp(self):
        super().setUp()
        self.write("in/a.json", planted("a", RULES["NC001"], 2, False))
        self.write("in/b.json", planted("b", RULES["NC002"], 1, False))
        self.write("in/c.json", unknown("c", "nobody.knows.default", False))
        self.write("in/d.json", proved("d"))
        self.records = self.write("r.jsonl", self.run_it("check", "in", "--json", code=1).stdout)
        self.draft = self.run_it("baseline", self.records, code=0).stdout

    def filled(self, expires="2999-12-31", reason="tracked as #12", owner="ann"):
        text = self.draft.replace('reason = ""', f'reason = "{reason}"').replace('owner = ""', f'owner = "{owner}"')
        return text.replace('expires = ""', f"expires = {expires}")

    def test_draft(self):
        """What was found, once for each fingerprint, with a count; it says nothing by itself."""
        entries = tomllib.loads(self.draft)["accept"]
        self.assertEqual([e["count"] for e in entries], [2, 1, 1, 1])
        self.assertTrue(all(e["reason"] == e["owner"] == e["expires"] == "" for e in entries))
        ran = self.run_it("check", "in", "--baseline", self.write("b.toml", self.draft), code=2)
        self.assertRegex(ran.stderr, r"b.toml: line 4: 'reason' of [0-9a-f]{16} is to be filled in")
        self.assertEqual(self.run_it("baseline", "-", cwd=self.folder).returncode, 2)

    def test_accepted(self):
        """What it accepts is counted, fails nothing and is news to nobody; one more fault of a shape is one too many."""
        path = self.write("b.toml", self.filled('"2999-12-31"'))
        ran = self.run_it("check", "in", "--baseline", path, code=0)
        self.assertIn("5 accepted by the baseline", ran.stdout)
        self.assertNotIn("error[", ran.stdout)
        self.assertEqual(ran.stderr, "")
        records = [json.loads(line) for line in self.run_it("check", "in", "--baseline", path, "--json", code=0).stdout.splitlines()]
        self.assertEqual((records[-1]["accepted"], records[-1]["accepted_checks"]), (5, {"refuted": 2, "unknown": 1}))
        self.assertEqual(records[0]["findings"][0]["accepted"], {"reason": "tracked as #12", "owner": "ann", "expires": "2999-12-31"})
        sarif = json.loads(self.run_it("check", "in", "--baseline", path, "--output-format", "sarif", code=0).stdout)
        self.assertEqual([r["suppressions"][0]["justification"] for r in sarif["runs"][0]["results"]], ["tracked as #12"] * 3)
        self.assertNotIn("<failure", self.run_it("check", "in", "--baseline", path, "--output-format", "junit").stdout)
        self.write("in/a.json", planted("a", RULES["NC001"], 3, True))
        self.assertEqual(self.run_it("check", "in", "--baseline", path, code=1).stdout.count("error[NC001]"), 1)
        self.run_it("check", "in", "--baseline", path, "--against", self.records, code=1)
        kept = tomllib.loads(self.run_it("baseline", self.write("n.jsonl", self.run_it(
            "check", "in", "--baseline", path, "--json").stdout), code=0).stdout)["accept"]
        self.assertEqual((kept[0]["count"], kept[0]["owner"]), (3, "ann"))  # what was written is kept

    def test_expired(self):
        """The last day is the day that is named; after it the entry accepts nothing, and is named."""
        today = datetime.datetime.now(datetime.timezone.utc).date()
        self.run_it("check", "in", "--baseline", self.write("b.toml", self.filled(today + DAY)), code=0)
        late = today - DAY
        ran = self.run_it("check", "in", "--baseline", self.write("b.toml", self.filled(late)), code=1)
        self.assertEqual(ran.stdout.count("error["), 3)
        self.assertEqual(len(re.findall(rf"error: .*b.toml: line \d+: expired on {late}, owner ann", ran.stderr)), 4)

    def test_not_needed(self):
        """An entry that matches nothing any more, or less, is named and fails nothing."""
        self.write("in/a.json", planted("a", RULES["NC001"], 1, False))
        self.write("in/b.json", proved("b"))
        ran = self.run_it("check", "in", "--baseline", self.write("b.toml", self.filled()), code=0)
        self.assertIn("matches 1 of 2", ran.stderr)
        self.assertEqual(ran.stderr.count("matches nothing any more"), 1)

    def test_refused(self):
        """A baseline that is not understood is no baseline."""
        good = self.filled()
        for change, said in ((("reason = ", "raeson = "), "did you mean 'reason'"), (("[[accept]]", "[[acept]]"), "did you mean 'accept'"),
                             (("count = 2", "count = 0"), "a number from 1"), (("2999-12-31", '"soon"'), "is no date"),
                             (("count = 2", "count = "), "line 6"), (('"ann"', '" "'), "'owner'")):
            ran = self.run_it("check", "in", "--baseline", self.write("b.toml", good.replace(*change, 1)), code=2)
            self.assertIn(said, ran.stderr)
            self.assertEqual(ran.stdout, "")
        self.run_it("check", "in", "--baseline", "missing.toml", code=2)


class Settings(Case):
    def shown(self, *arguments, cwd=None):
        """Each setting and where it comes from."""
        text = self.run_it("config", "show", *arguments, cwd=cwd, code=0).stdout
        values = tomllib.loads(text)
        origins = {line.split(" = ")[0]: line.rpartition("# ")[2] for line in text.splitlines()}
        self.assertEqual(set(values), set(origins))
        return {name: (values[name], origins[name]) for name in values}

    def test_order(self):
        """Command line, then file, then default; the nearest file upwards."""
        self.write("noclobber.toml", '# ours\nfail-on = "refuted"\njobs = 3\nstrict = true\nbaseline = "gate/b.toml"\n')
        below = self.folder / "a" / "b"
        below.mkdir(parents=True)
        shown = self.shown("--jobs", "2", cwd=below)
        self.assertEqual(shown["fail-on"], ("refuted", "../../noclobber.toml:2"))
        self.assertEqual(shown["jobs"], (2, "command line"))
        self.assertEqual(shown["strict"], (True, "../../noclobber.toml:4"))
        self.assertEqual(pathlib.Path(shown["baseline"][0]).resolve(), (self.folder / "gate" / "b.toml").resolve())
        self.assertEqual(shown["engine"], ("auto", "default"))
        self.write("a/pyproject.toml", "[project]\nname = 'x'\n")  # none of ours: looked past
        self.assertEqual(self.shown(cwd=below)["jobs"], (3, "../../noclobber.toml:3"))
        self.write("a/pyproject.toml", "[project]\nname = 'x'\n\n[tool.noclobber]\njobs = 5\n")
        self.assertEqual(self.shown(cwd=below)["jobs"], (5, "../pyproject.toml:5"))
        self.assertEqual(self.shown(cwd=below)["fail-on"], ("", "default"))
        self.assertEqual(self.shown("--config", "none", cwd=below)["jobs"], (0, "default"))
        self.assertEqual(self.shown("--config", self.folder / "noclobber.toml", cwd=below)["jobs"][0], 3)

    def test_it_works(self):
        case = self.write("u.json", unknown("u", "nobody.knows.default", False))
        self.run_it("check", case, code=3)
        self.write("noclobber.toml", 'fail-on = "refuted"\n')
        self.run_it("check", case, code=0)
        self.run_it("check", case, "--fail-on", "unknown", code=3)

    def test_faults(self):
        """What is not understood is an error with file, line and what was meant."""
        case = self.write("d.json", proved("d"))
        for text, said in (("\nfail_on = 'none'\n", "noclobber.toml:2: unknown key 'fail_on'; did you mean 'fail-on'?"),
                           ("jobs = 'two'", "noclobber.toml:1: 'jobs' must be a number"), ("jobs = -1", "'jobs' must be a number"),
                           ("strict = 1", "'strict' must be true or false"), ("fail-on = 'sometimes'", "must be one of unknown|"),
                           ("\n[check]\njobs = 1", "noclobber.toml:3: unknown key 'check'"), ("jobs = ", "noclobber.toml: line 1, column"),
                           ("config = 'x'", "unknown key 'config'")):
            self.write("noclobber.toml", text)
            ran = self.run_it("check", case, code=2)
            self.assertIn(said, ran.stderr)
            self.assertEqual(ran.stdout, "")
        (self.folder / "noclobber.toml").unlink()
        self.write("pyproject.toml", "[tool.noclobber]\nstrickt = true\n[tool.other]\nx = 1\n")
        self.assertIn("pyproject.toml:2: unknown key 'strickt'; did you mean 'strict'?", self.run_it("check", case, code=2).stderr)
        self.run_it("check", case, "--config", "missing.toml", code=2)
        self.run_it("config", "list", code=2)


class Bisect(Case):
    def test_git_bisect_run(self):
        """The first commit that brings a fault is found, past commits that cannot be judged."""
        def git(*arguments):
            env = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
            who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
            ran = subprocess.run(["git", *who, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60, env=env)
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
            return ran.stdout

        git("init", "-q")
        right, wrong = (planted("p", RULES["NC001"], k, False) for k in (0, 1))
        states = [right, right, '{"format":"noclobber.case/1"', right, unknown("p", "nobody.knows.default", False), right, wrong, wrong]
        for k, state in enumerate(states):
            self.write("pass.json", state)
            self.write("n", str(k))
            git("add", "-A")
            git("commit", "-q", "-m", f"commit {k}")
        git("bisect", "start", "HEAD", "HEAD~7")
        said = git("bisect", "run", BINARY, "check", "pass.json", "--git-bisect")
        self.assertRegex(said, r"is the first bad commit[\s\S]*commit 6")
        for state, code in ((right, 0), (wrong, 1), ("{", 125), (states[4], 125)):
            self.run_it("check", self.write("x.json", state), "--git-bisect", code=code)


class Killed(Case):
    def test_records_stay_readable(self):
        """Killed at any moment: whole lines but for the last, which is named, and a report is whole or not there."""
        whole = self.run_it("check", ROOT / "corpus/cases", "--json", "--jobs", "1").stdout.encode().splitlines(keepends=True)
        choose, cut = random.Random(3), 0
        for k in range(8):
            out, page = self.folder / f"out{k}.jsonl", self.folder / f"page{k}.sarif"
            with open(self.folder / f"said{k}", "wb") as said:
                run = subprocess.Popen([BINARY, "check", str(ROOT / "corpus/cases"), "--json", "--records", str(out), "--sarif", str(page),
                                        "--jobs", "1"], stdout=said, stderr=subprocess.DEVNULL)
                deadline = time.monotonic() + 60
                wanted = choose.randrange(0, 400_000)
                while run.poll() is None and time.monotonic() < deadline:
                    if out.exists() and out.stat().st_size >= wanted:
                        break
                    time.sleep(0.002)
                run.kill()
                self.assertIn(run.wait(), (-signal.SIGKILL, 1))
            for path in (out, self.folder / f"said{k}"):
                got = path.read_bytes().splitlines(keepends=True) if path.exists() else []
                lines = got[:-1] if got and not got[-1].endswith(b"\n") else got
                self.assertEqual(lines, whole[:len(lines)])
                self.assertTrue(whole[len(lines):len(lines) + 1] == [] or len(got) == len(lines) or whole[len(lines)].startswith(got[-1]))
                if not got:
                    continue
                ran = self.run_it("render", path, "--to", "records")
                self.assertEqual(ran.returncode, 0 if len(lines) == len(whole) else 2, ran.stderr)
                self.assertEqual(ran.stdout.encode().splitlines(keepends=True)[:len(lines)], lines)
                if len(lines) < len(whole):
                    cut += 1
                    self.assertIn("ended before it was done", ran.stderr)
            if page.exists():
                json.loads(page.read_text())
        self.assertGreater(cut, 4)


if __name__ == "__main__":
    unittest.main()
