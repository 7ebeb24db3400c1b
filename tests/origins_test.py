#!/usr/bin/env python3
"""The points of corpus/origins/points.toml: each wrong form gets its rule and a line that names it, each right form a proof.

docs/origins.md is made of the same file. NC_BIN_DIR names another folder with the program. Standard library only.
"""
import json
import os
import pathlib
import subprocess
import sys
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import origins_cases  # noqa: E402

BINARY = str(pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")).resolve() / "noclobber")
HOME = ROOT / "corpus" / "origins"
POINTS = HOME / "points.toml"
TEXTS = {1: 9, 2: 9, 3: 5, 4: 7}  # points of each


def checks(run):
    """Exit code, check records and error records of a command."""
    ran = subprocess.run([BINARY, *run.split(), "--json"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    records = [json.loads(line) for line in ran.stdout.splitlines()]
    kinds = [[r for r in records if r["kind"] == kind] for kind in ("check", "error")]
    return ran.returncode, kinds[0], [f"{e.get('message')}" for e in kinds[1]] + [ran.stderr]


def causes(found):
    return [f for r in found for f in r["findings"] if "follows" not in f and f["replayed"]]


def lines(finding):
    """Everything by which a finding names what is at fault."""
    places = [finding.get(role) for role in ("define", "clobber", "read", "before")]
    return [p["statement"] for p in places if p] + [finding["message"]]


def idle(found):
    """Per check: how many barriers order nothing."""
    return [sum(len(lint["idle"]) for lint in r.get("lints", []) if lint["rule"] == "NC040") for r in found]


class Origins(unittest.TestCase):
    def forms(self):
        texts = tomllib.loads(POINTS.read_text(encoding="utf-8"))["text"]
        self.assertEqual({text["number"]: len(text["point"]) for text in texts}, TEXTS)
        for text in texts:
            for k, point in enumerate(text["point"], 1):
                for kind, forms in (("wrong", [point["wrong"]]), ("right", [point["right"]]), ("more", point.get("more", []))):
                    yield from ((f"{text['number']}.{k} {kind}", kind, form) for form in forms)

    def test_each_form(self):
        for name, kind, form in self.forms():
            with self.subTest(name, run=form["run"]):
                code, found, errors = checks(form["run"])
                if "error" in form:
                    self.assertEqual(code, 2)
                    self.assertTrue(any(form["error"] in error for error in errors), errors)
                    continue
                self.assertGreater(len(found), 0, errors)
                if "rule" in form:
                    self.assertEqual(code, 1)
                    own = [f for f in causes(found) if f["rule"] == form["rule"]]
                    self.assertTrue(any(form["line"] in line for f in own for line in lines(f)),
                                    [(f["rule"], lines(f)) for f in causes(found)])
                    self.assertTrue(all(f.get("help") for f in own), f"what to do about {[lines(f) for f in own]}?")
                else:
                    self.assertEqual((code, {r["status"] for r in found}), (0, {"proved"}), causes(found))
                if "lint" in form:
                    self.assertEqual(idle(found), form["lint"])
                self.assertTrue(kind != "wrong" or "rule" in form or "lint" in form)

    def test_cases_are_as_they_are_made(self):
        for name, text in origins_cases.written().items():
            self.assertEqual((HOME / name).read_text(encoding="utf-8"), text, name)

    def test_no_file_is_left_over(self):
        """Each recorded file is named by a point."""
        said = POINTS.read_text(encoding="utf-8")
        for path in HOME.rglob("*"):
            if path.is_file() and path.parent != HOME:
                own, folder = path.relative_to(ROOT).as_posix(), path.parent.relative_to(ROOT).as_posix()
                self.assertTrue(own in said or f'"check {folder}"' in said, own)


if __name__ == "__main__":
    unittest.main()
