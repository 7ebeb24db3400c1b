#!/usr/bin/env python3
"""Runs what the pages say: every example in README.md and its like, and in docs/.

    ```json file=relu.json        a file that the commands below it may name; any language, `file=` makes it one
    ```console                    `$ COMMAND` and what it prints, standard error behind standard output
    $ noclobber check relu.json
    ✓ 1 pair checked: ...
    ```

A block runs in a folder of its page that sees the tree (`corpus/`, `build/bin/` ...) and the files of the page.
`[exit N]` as last line of what a command prints is its exit code (0 where there is none), a line `...` stands for any lines,
and times such as `(0.1 s)` are any time.  Blocks in `sh` are for people and do not run; every link to a file must lead to one.

`tests/docs_test.py --renew PAGE...` writes into the pages what the commands print now (blocks with `...` are left): look at the
difference before you commit it.  NC_BIN_DIR names another folder with the programs.  Standard library only.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
BIN = pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")).resolve()
ELSEWHERE = {"certificate.md"}  # its blocks are held by tests/certificate_test.py
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]

FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]\n]*\]\((?!https?:|#|mailto:)([^)\s#]+)(?:#[^)\s]*)?\)")
TIME = re.compile(r"\(\d+\.\d s\)")


def blocks(page):
    """(line, language, name of the file or None, text) of each fenced block."""
    text = page.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        language, _, rest = found["info"].strip().partition(" ")
        name = re.search(r"file=(\S+)", rest)
        yield text.count("\n", 0, found.start()) + 1, language, name and name[1], found["text"]


def commands(text):
    """(command, lines that it prints, exit code) of a console block."""
    out = []
    for line in text.splitlines():
        if line.startswith("$ "):
            out.append((line[2:], []))
        else:
            if not out:
                raise AssertionError("a console block begins with a command")
            out[-1][1].append(line)
    for command, printed in out:
        code = 0
        while printed and not printed[-1].strip():
            printed.pop()
        if printed and (found := re.fullmatch(r"\[exit (\d+)\]", printed[-1])):
            code = int(found[1])
            printed.pop()
        yield command, printed, code


def matches(said, got):
    """Are the lines those of the page, `...` standing for any number of lines?"""
    said, got = ([TIME.sub("(TIME)", line.rstrip()) for line in lines] for lines in (said, got))
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line) + r"\n" for line in said)
    return re.fullmatch(pattern, "".join(line + "\n" for line in got)) is not None


class Pages(unittest.TestCase):
    maxDiff = None

    def folder(self):
        folder = tempfile.TemporaryDirectory(prefix="nc_docs_")
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        for entry in ROOT.iterdir():
            if entry.name not in ("build", ".git"):
                (path / entry.name).symlink_to(entry)
        (path / "build").mkdir()
        (path / "build" / "bin").symlink_to(BIN)
        return path

    def run_page(self, page):
        """Runs the commands of a page in their order: (line, command, said, code said, printed, code) of each."""
        folder = self.folder()
        environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "COLUMNS": "100", "NO_COLOR": "1"}
        for line, language, name, text in blocks(page):
            if name:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text, encoding="utf-8")
            for command, said, code in commands(text) if language == "console" else ():
                done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True,
                                      text=True, timeout=120, stdin=subprocess.DEVNULL)
                got = (done.stdout + done.stderr).rstrip("\n").splitlines()
                yield line, command, said, code, got, done.returncode

    def compare_page(self, page):
        ran = 0
        for line, command, said, code, got, ended in self.run_page(page):
            where = f"{page.relative_to(ROOT)}:{line}: $ {command}"
            self.assertEqual(ended, code, "\n".join([where, *got]))
            if not matches(said, got):
                self.assertEqual("\n".join(said), "\n".join(got), where)
            ran += 1
        return ran

    def test_examples(self):
        """Each command on each page prints what the page says, with its exit code."""
        ran = 0
        for page in PAGES:
            with self.subTest(page=page.name):
                ran += self.compare_page(page)
        self.assertGreaterEqual(ran, 12)

    def test_every_example_is_tested(self):
        """No block of a page looks like a command with output and escapes the test."""
        for page in PAGES:
            for line, language, _, text in blocks(page) if page.name not in ELSEWHERE else ():
                shown = any(part.startswith("$ ") for part in text.splitlines())
                self.assertEqual(shown, language == "console", f"{page.relative_to(ROOT)}:{line}: ```{language}")

    def test_links(self):
        for page in PAGES:
            for target in LINK.findall(page.read_text(encoding="utf-8")):
                self.assertTrue((page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}")

    def test_every_page_is_linked(self):
        """From the README on, each page is reached."""
        seen, todo = set(), [ROOT / "README.md"]
        while todo:
            page = todo.pop()
            if page in seen:
                continue
            seen.add(page)
            todo += [path for target in LINK.findall(page.read_text(encoding="utf-8"))
                     if (path := (page.parent / target).resolve()).suffix == ".md" and path.exists()]
        self.assertEqual({p.relative_to(ROOT) for p in PAGES} - {p.relative_to(ROOT) for p in seen if ROOT in p.parents},
                         set())

    def test_the_test(self):
        """A wrong line, a missing line and a wrong exit code are seen."""
        self.assertTrue(matches(["a", "...", "d (0.1 s)"], ["a", "b", "c", "d (7.2 s)"]))
        self.assertFalse(matches(["a", "..."], ["b"]))
        self.assertFalse(matches(["a", "b"], ["a"]))
        self.assertFalse(matches(["a"], ["a", "b"]))
        self.assertEqual(list(commands("$ x\nout\n[exit 3]\n")), [("x", ["out"], 3)])


def renew(page):
    """Writes what the commands of a page print now into it."""
    case, text = Pages(), page.read_text(encoding="utf-8")
    for _, command, said, code, got, ended in case.run_page(page):
        if any(line.strip() == "..." for line in said):
            continue
        old = [f"$ {command}", *said, *([f"[exit {code}]"] if code else [])]
        new = [f"$ {command}", *got, *([f"[exit {ended}]"] if ended else [])]
        text = text.replace("\n".join(old) + "\n", "\n".join(new) + "\n", 1)
    case.doCleanups()
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if "--renew" in sys.argv:
        for name in sys.argv[sys.argv.index("--renew") + 1:]:
            renew(pathlib.Path(name).resolve())
    else:
        unittest.main()
