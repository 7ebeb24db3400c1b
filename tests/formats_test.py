#!/usr/bin/env python3
"""Reports for other programs: each against its consumer's schema (tests/schemas), and against what the records say.

Needs jsonschema and xmlschema, which `make setup-formats` puts into build/formats-venv.  NC_BIN_DIR names another
folder with the program."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[1]
VENV = ROOT / "build" / "formats-venv" / "bin" / "python"
try:
    import jsonschema
    import xmlschema
except ImportError:
    if not VENV.exists() or os.environ.get("NC_FORMATS") == "1":
        sys.exit("formats_test: jsonschema and xmlschema are missing: run `make setup-formats`")
    os.execve(VENV, [str(VENV), *sys.argv], os.environ | {"NC_FORMATS": "1"})

BINARY = str(pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")).resolve() / "noclobber")
INPUTS = "corpus/logs/miscompiled", "corpus/cases", "corpus/oneshot"
OUTSIDE = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "CI_"))}
MIB = 1 << 20

HOSTILE = 'x"<b>&]]>\n::error::%0A`````|\x1b[31m\u202e'  # ends strings, tags, fences, commands and lines
GRAPH = {"inputs": [{"name": "x", "type": {"dtype": "f32", "shape": [4]}}],
         "steps": [{"name": "y", "op": "aten.neg.default", "args": [{"ref": "x"}]}], "outputs": [{"ref": "y"}]}


def case(name, op):
    after = json.loads(json.dumps(GRAPH).replace("aten.neg.default", op))
    return json.dumps({"format": "noclobber.case/1", "name": name, "before": GRAPH, "after": after})


class Formats(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.temp = tempfile.TemporaryDirectory(prefix="nc_formats_")
        cls.addClassCleanup(cls.temp.cleanup)
        cls.folder = pathlib.Path(cls.temp.name)
        hostile = cls.folder / "host,ile: 100% <x>"
        hostile.mkdir()
        (hostile / f"{HOSTILE}.json".replace("/", "")).write_text(case("a", "aten.abs.default"))
        (hostile / "b.json").write_text(case("b", "nobody.knows.default"))
        (hostile / "c.json").write_text('{"format":"noclobber.case/1"')
        cls.files = {name: cls.folder / f"report.{name}" for name in ("sarif", "junit", "gitlab", "markdown")}
        options = [part for name, path in cls.files.items() for part in (f"--{name}", str(path))]
        cls.text = cls.run_it("check", *INPUTS, hostile, "--json", *options).stdout
        cls.path = cls.folder / "records.jsonl"
        cls.path.write_bytes(cls.text)
        cls.records = [json.loads(line) for line in cls.text.splitlines()]
        cls.checks = [r for r in cls.records if r["kind"] == "check"]
        cls.causes = [(r, f) for r in cls.checks for f in r["findings"] if "follows" not in f]
        cls.errors = [r for r in cls.records if r["kind"] == "error"]
        assert len(cls.causes) > 150 and len(cls.errors) == 1 and any(r["unknown"] for r in cls.checks)

    @staticmethod
    def run_it(*arguments, env=OUTSIDE, **more):
        return subprocess.run([BINARY, *map(str, arguments)], cwd=ROOT, capture_output=True, timeout=120, env=env, **more)

    def render(self, name, path=None):
        """The bytes of a report; those that `check` wrote are the same, and so is a second time."""
        ran = self.run_it("render", path or self.path, "--to", name)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(self.run_it("render", path or self.path, "--to", name).stdout, ran.stdout)
        if name in self.files and path is None:
            self.assertEqual(self.files[name].read_bytes(), ran.stdout, name)
        return ran.stdout.decode()

    def sarif(self, text):
        log = json.loads(text)
        schema = json.loads((ROOT / "tests/schemas/sarif-2.1.0-rtm.5.json").read_text())
        jsonschema.Draft4Validator(schema).validate(log)
        (run,) = log["runs"]
        return run

    def test_sarif(self):
        text = self.render("sarif")
        run = self.sarif(text)
        rules = run["tool"]["driver"]["rules"]
        self.assertEqual(len(run["results"]), len(self.causes))
        for (record, finding), result in zip(self.causes, run["results"]):
            self.assertEqual(result["ruleId"], finding["rule"])
            self.assertEqual(rules[result["ruleIndex"]]["id"], finding["rule"])
            self.assertEqual(result["partialFingerprints"]["noclobber/v2"], finding["fingerprint"])
            self.assertIn(finding["message"], result["message"]["text"])
            steps = [p for p in (finding.get(n) for n in ("define", "clobber", "read")) if p]
            flow = [at["location"] for f in result.get("codeFlows", []) for at in f["threadFlows"][0]["locations"]]
            for place, at in zip(steps, flow):
                self.assertIn(place.get("statement") or place["name"], at["message"]["text"])
                if "line" in place:
                    self.assertEqual(at["physicalLocation"]["region"]["startLine"], place["line"])
            self.assertGreaterEqual(len(flow), len(steps))
        prints = [r["partialFingerprints"]["primaryLocationLineHash"] for r in run["results"]]
        self.assertEqual(len(set(prints)), len(prints))
        self.assertTrue(any(len(r.get("codeFlows", [{"threadFlows": [{"locations": []}]}])[0]["threadFlows"][0]["locations"]) == 3
                            for r in run["results"]))
        for rule in rules:
            self.assertLessEqual(max(len(rule[k]["text"]) for k in ("shortDescription", "fullDescription", "help")), 1024)
        (invocation,) = run["invocations"]
        self.assertFalse(invocation["executionSuccessful"])
        notes = invocation["toolExecutionNotifications"]
        self.assertEqual([n["level"] for n in notes].count("error"), 1)
        self.assertEqual([n["level"] for n in notes].count("warning"), sum(len(r["unknown"]) for r in self.checks))
        uris = re.findall(r'"uri": "([^"]*)"', text)
        self.assertTrue(all(re.fullmatch(r"[A-Za-z0-9._~/%!$&'()*+,;=@:-]+", uri) for uri in uris))
        self.assertIn("host,ile%3A%20100%25%20%3Cx%3E", text)

    def test_sarif_of_a_refuted_check_without_a_finding(self):
        """As records of another program may have it: a result that names the check and the file, and counts."""
        record = next(r for r in self.checks if r["status"] == "refuted")
        path = self.folder / "bare.jsonl"
        path.write_text("".join(json.dumps(record | {"findings": [], "input": "a b.json", "id": "one", "status": status}) + "\n"
                                for status in ("refuted", "proved")) + json.dumps(self.records[-1]) + "\n")
        (result,) = self.sarif(self.render("sarif", path))["results"]
        self.assertEqual((result["level"], result["message"]["text"]), ("error", "one is refuted"))
        (place,) = result["locations"]
        self.assertEqual(place["physicalLocation"]["artifactLocation"], {"uri": "a%20b.json", "uriBaseId": "%SRCROOT%"})

    def test_text_of_errors(self):
        """Errors stand first, each with its place, and are counted; nothing of them commands a terminal."""
        text = self.render("text")
        lines = [line for line in text.splitlines() if line.startswith("error: ")]
        self.assertEqual(len(lines), len(self.errors))
        for line, error in zip(lines, self.errors):
            self.assertIn(error["message"][:20], line)
            self.assertIn("c.json: ", line)
        self.assertIn("; 1 error", " ".join(text.split()))
        path = self.folder / "errors.jsonl"
        path.write_text("".join(json.dumps({"schema": "noclobber.result/1", "kind": "error", "input": name, "where": where, "message": "no\x1b[2J"})
                                + "\n" for name, where in (("", ""), ("a", "line 3"), ("b", ""))) + json.dumps(self.records[-1]) + "\n")
        lines = self.render("text", path).splitlines()
        self.assertEqual([line.split("no")[0] for line in lines[:3]], ["error: ", "error: a: line 3: ", "error: b: "])
        self.assertNotIn("\x1b", "".join(lines))

    def test_sarif_of_nothing(self):
        for text in ("", '{"schema":"noclobber.result/1","kind":"summary","exit":0}\n'):
            path = self.folder / "few.jsonl"
            path.write_text(text or self.text.decode()[:40])
            self.sarif(self.run_it("render", path, "--to", "sarif").stdout)

    def test_junit(self):
        text = self.render("junit")
        xmlschema.XMLSchema(str(ROOT / "tests/schemas/junit-10.xsd")).validate(text)
        top = ElementTree.fromstring(text)
        cases = top.findall("testsuite/testcase")
        self.assertEqual(len(cases), len(self.checks) + len(self.errors))
        count = lambda kind: sum(case.find(kind) is not None for case in cases)
        summary = self.records[-1]
        self.assertEqual([count("failure"), count("skipped"), count("error")],
                         [summary["refuted"], summary["unknown_checks"], 1])
        self.assertEqual([top.get("failures"), top.get("errors")], [str(summary["refuted"]), "1"])
        for suite in top:
            self.assertEqual([int(suite.get(k)) for k in ("tests", "failures", "errors", "skipped")],
                             [len(suite), *(sum(c.find(k) is not None for c in suite) for k in ("failure", "error", "skipped"))])
        said = "".join(f.text for f in top.iter("failure"))
        self.assertIn("1. the value lives in arg1_1", said)
        self.assertEqual(len(list(top.iter("failure"))), len(self.causes))

    def commands(self, text):
        """(kind, properties, message) of each line, as the runner reads them."""
        out = []
        for line in text.splitlines():
            found = re.fullmatch(r"::(error|warning) ([^:]*)::(.*)", line)
            self.assertTrue(found, line)
            undo = lambda s: s.replace("%0D", "\r").replace("%0A", "\n").replace("%3A", ":").replace("%2C", ",").replace("%25", "%")
            pairs = dict(part.split("=", 1) for part in found[2].split(","))
            self.assertLessEqual(set(pairs), {"file", "line", "endLine", "title"})
            out.append((found[1], {k: undo(v) for k, v in pairs.items()}, undo(found[3])))
        return out

    def test_github(self):
        commands = self.commands(self.render("github"))
        errors = [c for c in commands if c[0] == "error"]
        self.assertEqual(len(errors), 10)
        self.assertEqual(errors[-1][2], f"and {len(self.causes) + 1 - 9} more")
        self.assertLessEqual(sum(c[0] == "warning" for c in commands), 10)
        slices = self.commands(self.run_it("check", "corpus/logs/miscompiled/b198094-slice-zero.log.gz", "--output-format",
                                           "github").stdout.decode())
        self.assertEqual([(c[0], c[1]["file"], c[1]["line"]) for c in slices], [("error", "program.py", "3")])
        self.assertIn("return reads arg1_1 after copy_ overwrote", slices[0][2])

    def test_inside_actions(self):
        """By itself inside of Actions: annotations where they are read, and the summary, which grows to its limit only."""
        summary = self.folder / "summary.md"
        summary.write_text("of a step before\n")
        env = OUTSIDE | {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
        log = "corpus/logs/miscompiled/b198094-slice-zero.log.gz"
        ran = self.run_it("check", log, env=env)
        self.assertEqual(ran.returncode, 1)
        self.assertEqual([line for line in ran.stdout.decode().splitlines() if line.startswith("::")][0][:9], "::error f")
        self.assertTrue(summary.read_text().startswith("of a step before\n### ❌ noclobber: 2 checks, 1 proved, 1 refuted"))
        ran = self.run_it("check", log, "--json", env=env)
        for line in ran.stdout.splitlines():
            json.loads(line)
        self.assertIn(b"::error file=program.py,line=3,", ran.stderr)
        size = summary.stat().st_size
        self.assertNotIn(b"::error", self.run_it("check", log, "--github", "never", env=env).stdout)
        self.assertNotIn(b"::error", self.run_it("check", log).stdout)
        self.assertEqual(summary.stat().st_size, size)
        for _ in range(12):
            summary.write_bytes(summary.read_bytes().ljust(MIB - 3000, b"x"))
            self.run_it("check", log, env=env)
        self.assertLessEqual(summary.stat().st_size, MIB)

    def test_gitlab(self):
        entries = json.loads(self.render("gitlab"))
        self.assertEqual([e["fingerprint"] for e in entries], [f["fingerprint"] for _, f in self.causes])
        for entry in entries:
            self.assertEqual(set(entry), {"description", "check_name", "fingerprint", "severity", "location"})
            self.assertIn(entry["severity"], {"info", "minor", "major", "critical", "blocker"})
            self.assertGreaterEqual(entry["location"]["lines"]["begin"], 1)
            self.assertTrue(entry["location"]["path"])

    def test_markdown(self):
        text = self.render("markdown")
        self.assertLessEqual(len(text.encode()), MIB)
        self.assertEqual(text.count("<details>"), 20)
        self.assertEqual(text.count("<details>"), text.count("</details>"))
        self.assertNotIn("\x1b", text)
        fence = None
        for line in text.splitlines():
            run = re.match(r"`{3,}", line)
            if fence is None and run:
                fence = run[0]
            elif fence is not None and re.fullmatch(r"`+", line) and len(line) >= len(fence):
                fence = None
        self.assertIsNone(fence)
        many = self.folder / "many.jsonl"
        (line,) = (l for l in self.text.splitlines() if b"b198094" in l and b'"refuted"' in l)
        many.write_bytes((line + b"\n") * 6000 + self.text.splitlines()[-1] + b"\n")
        ran = self.run_it("render", many, "--to", "markdown")
        self.assertLessEqual(len(ran.stdout), MIB)
        self.assertIn(b"more are left out here.", ran.stdout[-100:])

    def test_what_a_change_brought(self):
        """With --against only news fails, is annotated and listed; SARIF says of all whether it is new."""
        old = self.folder / "old.jsonl"
        gone = next(k for k, check in enumerate(self.checks) if check["status"] == "refuted" and len(check["findings"]) > 1)
        kept = [line for k, line in enumerate(self.text.splitlines(True)) if k != gone]
        old.write_bytes(b"".join(kept))
        files = {name: self.folder / f"new.{name}" for name in ("sarif", "junit", "records")}
        options = [part for name, path in files.items() for part in (f"--{name}", path)]
        ran = self.run_it("check", self.path, "--against", old, *options, "--output-format", "github")
        self.assertEqual(ran.returncode, 1)
        commands = self.commands(ran.stdout.decode())
        news = [f for f in self.checks[gone]["findings"] if "follows" not in f]
        self.assertEqual(sum(c[1]["title"].startswith("NC") for c in commands), len(news))
        run = self.sarif(files["sarif"].read_text())
        self.assertEqual([r["baselineState"] for r in run["results"]].count("new"), len(news))
        self.assertEqual({r["baselineState"] for r in run["results"]}, {"new", "unchanged"})
        top = ElementTree.fromstring(files["junit"].read_text())
        self.assertEqual(len(top.findall("testsuite/testcase/failure")), len(news))
        self.assertEqual(len(top.findall("testsuite/testcase/skipped")), 0)
        for name in ("sarif", "junit"):  # the records know it as well
            self.assertEqual(self.render(name, files["records"]), files[name].read_text())

    def test_paths(self):
        """A line of a file in the checkout is shown from its root: who reads a report knows no other path."""
        path = self.folder / "paths.jsonl"
        path.write_text(self.text.decode().replace('"./program.py', f'"{ROOT}/models/program.py'))
        one = self.folder / "one.jsonl"
        one.write_text("".join(l for l in path.read_text().splitlines(True) if "b198094" in l or '"summary"' in l))
        self.assertIn("::error file=models/program.py,line=3,", self.render("github", one))
        (result,) = self.sarif(self.render("sarif", one))["results"]
        self.assertEqual(result["locations"][0]["physicalLocation"]["artifactLocation"],
                         {"uri": "models/program.py", "uriBaseId": "%SRCROOT%"})
        ran = self.run_it("render", one, "--to", "github", env=OUTSIDE | {"GITHUB_WORKSPACE": f"{ROOT}/models"})
        self.assertIn(b"::error file=program.py,line=3,", ran.stdout)

    def test_any_text(self):
        """Whatever a record says stays text."""
        ((record, finding), *_), text = self.causes, self.text.decode()
        for field in (finding["message"], record["id"], finding["rule"], finding["help"] if "help" in finding else "return"):
            path = self.folder / "hostile.jsonl"
            path.write_text(text.replace(json.dumps(field)[1:-1], json.dumps(HOSTILE)[1:-1]))
            self.sarif(self.render("sarif", path))
            xmlschema.XMLSchema(str(ROOT / "tests/schemas/junit-10.xsd")).validate(self.render("junit", path))
            self.commands(self.render("github", path))
            json.loads(self.render("gitlab", path))
            outside = re.sub(r"(?ms)^(`{3,})text\n.*?^\1$", "", self.render("markdown", path))
            self.assertNotIn("<b>&", outside)
            self.assertNotIn("\n::error", outside)

    def test_not_written(self):
        for option in ("--sarif", "--junit", "--records", "--markdown"):
            ran = self.run_it("check", "corpus/cases/order-barrier-step.accept.json", option, self.folder / "no" / "x")
            self.assertEqual(ran.returncode, 2, option)
            self.assertIn(b"cannot be written", ran.stderr)


if __name__ == "__main__":
    unittest.main()
