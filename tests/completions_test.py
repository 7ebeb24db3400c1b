#!/usr/bin/env python3
"""`noclobber completions SHELL` and `--version`. bash completes; zsh and fish read their scripts where they are installed.

NC_BIN_DIR names another folder with the program."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from in_folder import InFolder

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = str(pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")).resolve() / "noclobber")
OPTIONS = re.findall(r'^NC_OPTION\(\w+, \w+, [^,]+, "([^"]+)", "([^"]*)"', (ROOT / "src/run/options.def").read_text(), re.MULTILINE)


def run(*arguments):
    return subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=60)


class Completions(InFolder):
    @classmethod
    def setUpClass(cls):
        cls.scripts = {shell: run("completions", shell).stdout for shell in ("bash", "zsh", "fish")}

    def complete(self, *words):
        """What bash offers for the last of these words."""
        script = self.write("completion.bash", self.scripts["bash"])
        program = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _noclobber; '
                   'printf "%s\\n" "${COMPREPLY[@]}"')
        ran = subprocess.run(["bash", "-c", program, "bash", script, *words], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        return set(ran.stdout.split())

    def commands(self):
        listed = run("--help").stdout.split("Subcommands:")[1]
        return set(re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE))

    def test_commands(self):
        self.assertGreaterEqual(self.commands(), {"check", "replay", "extract", "completions"})
        self.assertEqual(self.complete("noclobber", ""), self.commands() | {"--help", "--version"})
        self.assertEqual(self.complete("noclobber", "com"), {"compare", "completions"})
        self.assertEqual(self.complete("noclobber", "--v"), {"--version"})

    def test_options_are_those_of_each_command(self):
        for command in sorted(self.commands()):
            helped = set(re.findall(r"^  (?:-\w,)?(--[\w-]+(?:,--[\w-]+)*)", run(command, "--help").stdout, re.MULTILINE))
            helped = {flag for flags in helped for flag in flags.split(",")}
            self.assertEqual(self.complete("noclobber", command, "-"), helped, command)

    def test_every_option_is_in_every_script(self):
        self.assertGreater(len(OPTIONS), 40)
        for flags, _ in OPTIONS:
            for flag in flags.split(","):
                self.assertIn(flag, self.scripts["bash"])
                self.assertIn(f"'{flag}", self.scripts["zsh"])
                self.assertIn(f" -l {flag[2:]} ", self.scripts["fish"])

    def test_values(self):
        for flags, value in OPTIONS:
            if "|" in value:
                flag = flags.split(",")[0]
                self.assertEqual(self.complete("noclobber", "check", flag, ""), set(value.split("|")), flag)
                self.assertEqual(self.complete("noclobber", "check", flag, "=", ""), set(value.split("|")), flag)
        self.assertEqual(self.complete("noclobber", "check", "--color", "a"), {"auto", "always"})
        self.assertIn("sarif", self.complete("noclobber", "render", "--to", ""))
        self.assertEqual(self.complete("noclobber", "explain", "NC00"), {f"NC00{k}" for k in range(1, 10)})
        self.assertEqual(self.complete("noclobber", "config", ""), {"show"})
        self.assertEqual(self.complete("noclobber", "completions", ""), {"bash", "zsh", "fish"})

    def test_files(self):
        (self.folder / "traces").mkdir()
        self.write("a model.pte", b"")
        found = self.complete("noclobber", "check", "")
        self.assertLessEqual({"traces", "a", "model.pte", "completion.bash"}, found)
        self.assertEqual(self.complete("noclobber", "check", "--certificate", ""), {"traces"})
        self.assertEqual(self.complete("noclobber", "check", "tr"), {"traces"})
        self.assertEqual(self.complete("noclobber", "check", "--jobs", ""), set())

    def test_shells_read_them(self):
        for shell, options in (("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-execute"])):
            script = self.write(f"script.{shell}", self.scripts[shell])
            self.assertTrue(self.scripts[shell])
            if shutil.which(shell):
                ran = subprocess.run([shell, *options, script], capture_output=True, text=True)
                self.assertEqual((ran.returncode, ran.stderr), (0, ""))

    def test_another_shell(self):
        ran = run("completions", "bsh")
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertIn("did you mean 'bash'?", ran.stderr)


class Version(unittest.TestCase):
    def test_it_names_what_a_verdict_depends_on(self):
        said = run("--version")
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        lines = dict(line.split(None, 1) for line in said.stdout.splitlines())
        version = (ROOT / "VERSION").read_text().strip()
        self.assertEqual(lines["noclobber"], version)
        self.assertRegex(lines["tables"], r"^[0-9a-f]{64}$")
        self.assertRegex(lines["z3"], r"^\d+\.\d+\.\d+")
        self.assertRegex(lines["build"], r"^(gcc|clang) \d+\.\d+\.\d+, \w+ \w+$")
        shown = json.loads(run("--version", "--json").stdout)
        self.assertEqual(shown["schema"], "noclobber.version/1")
        self.assertEqual({k: shown[k] for k in ("version", "tables", "z3", "build")},
                         {"version": version, **{k: lines[k] for k in ("tables", "z3", "build")}})

    def test_the_tables_are_those_of_records(self):
        ran = run("check", str(ROOT / "corpus/cases/key-widened-bits.accept.json"), "--json")
        self.assertIn(json.loads(run("--version", "--json").stdout)["tables"], ran.stdout)


if __name__ == "__main__":
    unittest.main()
