#!/usr/bin/env python3
"""The recipes of docs/ci.md: each is YAML of the shape that its service reads, and its commands run, in a repository with two
commits. What needs a network or a frontend has a stand-in: `pip` does nothing, `python SCRIPT` copies the recording that the commit
holds to where the script would write one. git, the shell and noclobber are real.

Needs PyYAML, which `make setup-formats` puts into build/formats-venv.  NC_BIN_DIR names another folder with the program."""
import ast
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
VENV = ROOT / "build" / "formats-venv" / "bin" / "python"
try:
    import yaml
except ImportError:
    if not VENV.exists() or os.environ.get("NC_FORMATS") == "1":
        sys.exit("ci_recipes_test: PyYAML is missing: run `make setup-formats`")
    os.execve(VENV, [str(VENV), *sys.argv], os.environ | {"NC_FORMATS": "1"})

from docs_test import blocks  # noqa: E402
from in_folder import InFolder  # noqa: E402

BIN = pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")).resolve()
RECIPES = {name: text for _, _, name, text in blocks(ROOT / "docs" / "ci.md") if name}
ACTIONS = sorted(name for name in RECIPES if name.startswith("noclobber-"))
OUTSIDE = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "CI_", "GIT_"))}
# What the base and the head of the change record; the second is refuted.
RECORDINGS = {
    "inductor": ("corpus/logs/sound/ok-put-rows.log.gz", "corpus/logs/miscompiled/clone-put-rows.log.gz"),
    "executorch": ("corpus/cases/key-widened-bits.accept.json", "corpus/cases/key-widened-bits.refute.json"),
    "thunder": ("corpus/cases/key-quoted-texts.accept.json", "corpus/cases/key-quoted-texts.refute.json"),
}
PYTHON = """#!/bin/sh
# Stands for python: what the script of this commit records is what the commit holds.
out=${TORCH_TRACE:-$2}
mkdir -p "$out" && cp recording/* "$out/"
"""


class Recipes(InFolder):
    def setUp(self):
        super().setUp()
        self.tools = self.folder / "tools"
        self.tools.mkdir()
        for name, text in (("pip", "#!/bin/sh\nexit 0\n"), ("python", PYTHON)):
            (self.tools / name).write_text(text)
            (self.tools / name).chmod(0o755)
        self.checkout = self.folder / "checkout"
        self.environment = OUTSIDE | {
            "PATH": f"{self.tools}:{BIN}:{os.environ['PATH']}", "RUNNER_TEMP": str(self.folder / "temp"),
            "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(self.checkout), "CI_PROJECT_DIR": str(self.checkout),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"), "GIT_CONFIG_GLOBAL": "/dev/null",
            **{f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}
        (self.folder / "temp").mkdir()

    def git(self, *arguments):
        done = subprocess.run(["git", *arguments], cwd=self.checkout, env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def two_commits(self, base, head):
        """A repository whose commits hold these recordings; the name of the first one."""
        (self.checkout / "recording").mkdir(parents=True)
        self.git("init", "--quiet", ".")
        for number, source in enumerate((base, head)):
            for old in (self.checkout / "recording").iterdir():
                old.unlink()
            name = re.sub(r"^.*?\.(?:(?:accept|refute)\.)?", "recorded.", pathlib.Path(source).name)
            content = (ROOT / source).read_bytes()
            (self.checkout / "recording" / name).write_bytes(content.replace(b"-refute\"", b"-accept\""))
            (self.checkout / "number").write_text(str(number))
            self.git("add", "--all")
            self.git("commit", "--quiet", "--message", f"change {number}")
        return self.git("rev-parse", "HEAD~1")

    def run_steps(self, steps, more):
        """Runs commands as a service does, up to the first that fails; (its exit code, what was printed)."""
        printed = ""
        for command in steps:
            done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", command], cwd=self.checkout, timeout=120,
                                  env=self.environment | more, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            printed += done.stdout + done.stderr
            if done.returncode:
                return done.returncode, printed
        return 0, printed

    def run_action(self, name, base, head):
        (job,) = yaml.safe_load(RECIPES[name])["jobs"].values()
        sha = self.two_commits(base, head)
        commands = [s["run"].replace("${{ github.event.pull_request.base.sha }}", sha) for s in job["steps"] if "run" in s]
        self.assertFalse([c for c in commands if "${{" in c])
        return self.run_steps(commands, {k: str(v) for k, v in job.get("env", {}).items()})

    def test_actions_are_workflows(self):
        self.assertEqual(len(ACTIONS), 3)
        for name in ACTIONS:
            workflow = yaml.safe_load(RECIPES[name])
            self.assertIn("pull_request", workflow[True])  # YAML reads `on` as a truth value
            (job,) = workflow["jobs"].values()
            self.assertLessEqual(job.keys(), {"runs-on", "steps", "env"})
            for step in job["steps"]:
                self.assertEqual(len(step.keys() & {"run", "uses"}), 1, step)
                self.assertLessEqual(step.keys(), {"run", "uses", "with", "name", "if"})
                self.assertRegex(step.get("uses", "owner/action@v1"), r"^[\w-]+/[\w/-]+@v\d+$")

    def check_action(self, frontend):
        name = f"noclobber-{frontend}.yml"
        good, bad = RECORDINGS[frontend]
        code, printed = self.run_action(name, good, bad)
        self.assertEqual(code, 1, printed)
        self.assertIn("::error", printed)
        self.assertIn("introduced", printed)
        self.assertIn("<html", (self.checkout / "noclobber.html").read_text())
        self.assertIn("1 refuted", (self.folder / "summary.md").read_text())
        uploaded = [s["with"].get("path") or s["with"].get("sarif_file") for j in yaml.safe_load(RECIPES[name])["jobs"].values()
                    for s in j["steps"] if s.get("if") == "always()"]
        for file in uploaded:
            self.assertTrue((self.checkout / file).stat().st_size, file)

    def test_inductor(self):
        self.check_action("inductor")

    def test_executorch(self):
        self.check_action("executorch")

    def test_thunder(self):
        self.check_action("thunder")

    def test_what_was_there_before_passes(self):
        bad = RECORDINGS["inductor"][1]
        code, printed = self.run_action(ACTIONS[1], bad, bad)
        self.assertEqual(code, 0, printed)
        self.assertIn("1 preexisting", printed)

    def test_gitlab(self):
        job = yaml.safe_load(RECIPES[".gitlab-ci.yml"])["noclobber"]
        sha = self.two_commits(*RECORDINGS["inductor"])
        code, printed = self.run_steps(["\n".join(job["script"])], {"CI_MERGE_REQUEST_DIFF_BASE_SHA": sha, "GITHUB_ACTIONS": ""})
        self.assertEqual(code, 1, printed)
        for file in [*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()]:
            self.assertTrue((self.checkout / file).stat().st_size, file)
        self.assertIn("<failure", (self.checkout / job["artifacts"]["reports"]["junit"]).read_text())

    def test_pre_commit(self):
        """The files that a hook would be given, and what it says of them."""
        (own,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
        (repository,) = yaml.safe_load(RECIPES[".pre-commit-config.yaml"])["repos"]
        (local,) = repository["hooks"]
        self.assertEqual((own["id"], own["entry"], own["files"]), (local["id"], local["entry"], local["files"]))
        self.assertEqual(local["language"], "python")
        good, bad = ((ROOT / f"corpus/cases/key-widened-bits.{s}.json").read_bytes() for s in ("accept", "refute"))
        self.checkout.mkdir()
        for content, wanted in ((good, 0), (bad, 1)):
            (self.checkout / "a.case.json").write_bytes(content)
            given = [f.name for f in self.checkout.iterdir() if re.search(own["files"], f.name)]
            self.assertEqual(given, ["a.case.json"])
            code, printed = self.run_steps([" ".join([own["entry"], *given])], {"GITHUB_ACTIONS": ""})
            self.assertEqual(code, wanted, printed)
            self.assertEqual("error[" in printed, bool(wanted))

    def test_scripts_are_python(self):
        scripts = [name for name in RECIPES if name.endswith(".py")]
        self.assertEqual(sorted(scripts), ["record_executorch.py", "record_thunder.py"])
        sources = {name: (ROOT / "python" / "noclobber" / f"{name}.py").read_text() for name in ("executorch", "thunder")}
        for script in scripts:
            used = [node for node in ast.walk(ast.parse(RECIPES[script])) if isinstance(node, ast.Attribute)]
            for module, source in sources.items():
                for node in used:
                    if isinstance(node.value, ast.Attribute) and node.value.attr == module:
                        self.assertIn(f"\ndef {node.attr}(", source)

    def test_release_workflow(self):
        workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
        runs = "\n".join(s["run"] for j in workflow["jobs"].values() for s in j["steps"] if "run" in s)
        targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        made = set(re.findall(r"^make ([a-z0-9-]+)$", runs, re.MULTILINE))
        self.assertGreaterEqual(made, {"wheel", "test-wheel"})
        self.assertLessEqual(made, targets)
        self.assertTrue(any(s.get("uses", "").startswith("pypa/gh-action-pypi-publish@")
                            for j in workflow["jobs"].values() for s in j["steps"]))
        brewed = re.search(r"^brew install (.+)$", (ROOT / "docs" / "ci.md").read_text(), re.MULTILINE)
        self.assertIn(brewed[0], runs)


if __name__ == "__main__":
    unittest.main()
