#!/usr/bin/env python3
"""The Python package without a frontend: objects, what is imported when, `python -m noclobber`, and what pyproject.toml names.

NC_BIN_DIR names another folder with the program."""
import importlib
import os
import pathlib
import subprocess
import sys
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
BIN = pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")).resolve()
os.environ["NOCLOBBER_BIN"] = str(BIN)
sys.path.insert(0, str(ROOT / "python"))

import noclobber  # noqa: E402

WRONG, RIGHT = (str(ROOT / f"corpus/cases/key-widened-bits.{s}.json") for s in ("refute", "accept"))
LOGS = str(ROOT / "corpus/logs/miscompiled")


class Objects(unittest.TestCase):
    def test_a_report(self):
        report = noclobber.check(WRONG, RIGHT)
        self.assertEqual((len(report), len(report.refuted), len(report.proved), len(report.unknown)), (2, 1, 1, 0))
        (wrong,) = report.refuted
        self.assertEqual((wrong.refuted, wrong.proved, wrong.unknown, wrong.status), (True, False, False, "refuted"))
        self.assertEqual(wrong["status"], "refuted")  # it is the record
        self.assertEqual(wrong.input, WRONG)
        finding = report.findings[0]
        self.assertEqual((finding.rule, finding.property), (finding["rule"], finding["property"]))
        self.assertTrue(finding.message and finding.fingerprint and finding.witness["expected"])
        self.assertIn(finding.rule, str(report))
        with self.assertRaises(noclobber.Refuted) as caught:
            report.raise_if_refuted()
        self.assertEqual(caught.exception.findings[0]["fingerprint"], finding.fingerprint)
        self.assertEqual(noclobber.check(RIGHT).raise_if_refuted().proved[0].input, RIGHT)

    def test_for_notebooks(self):
        report = noclobber.check(LOGS)
        page = report._repr_html_()
        self.assertIn("11 refuted", page)
        self.assertEqual(page.count("<tr>"), 1 + len(report.refuted) + len(report.unknown))
        self.assertIn(report.findings[0].rule, page)
        hostile = noclobber.Report([{"status": "unknown", "id": "<script>", "input": "a&b", "unknown": [{"reason": "<b>"}]}])
        self.assertNotIn("<script>", hostile._repr_html_())
        self.assertNotIn("<b>:", hostile._repr_html_())
        self.assertEqual(hostile[0]._repr_html_(), hostile._repr_html_())

    def test_compare(self):
        with self.assertRaises(noclobber.ProgramError):
            noclobber.compare(RIGHT, str(ROOT / "README.md"))

    def test_unreadable(self):
        with self.assertRaises(noclobber.ProgramError):
            noclobber.check(str(ROOT / "nowhere"))


class Package(unittest.TestCase):
    def python(self, *arguments):
        return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd="/",
                              env=os.environ | {"PYTHONPATH": str(ROOT / "python")})

    def test_frontends_are_imported_when_they_are_named(self):
        code = ("import sys, noclobber\n"
                "heavy = {'torch', 'thunder', 'executorch', 'pytest', 'noclobber.torch', 'noclobber.thunder', 'noclobber.executorch'}\n"
                "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
                "assert {'torch', 'thunder', 'executorch'} <= set(dir(noclobber))\n"
                "noclobber.thunder.check, noclobber.executorch.check\n"
                "assert 'noclobber.thunder' in sys.modules and 'torch' not in sys.modules\n")
        ran = self.python("-c", code)
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_it_is_a_program(self):
        ran = self.python("-m", "noclobber", "check", WRONG)
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertTrue(self.python("-m", "noclobber", "--version").stdout.startswith("noclobber "))

    def test_entry_points(self):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        for target in [*project["scripts"].values()]:
            module, _, name = target.partition(":")
            self.assertTrue(callable(getattr(importlib.import_module(module), name)))
        ((name, module),) = project["entry-points"]["pytest11"].items()
        self.assertEqual(name, module)  # `-p MODULE` and the entry point are then one plugin
        self.assertTrue((ROOT / "python" / f"{module.replace('.', '/')}.py").exists())


if __name__ == "__main__":
    unittest.main()
