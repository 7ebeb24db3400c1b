#!/usr/bin/env python3
"""Refuses generated pages that differ from what generates them: check_docs.py [--fix] [ROOT]

Each line of docs/generated.txt is `FILE<TAB>COMMAND`; the command runs in ROOT and what it prints must
be what FILE holds.  Empty lines and lines that begin with # are skipped; without the list there is
nothing to do.
"""
import difflib
import pathlib
import subprocess
import sys

LIST = "docs/generated.txt"


def entries(root):
    for number, line in enumerate((root / LIST).read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield number, *line.partition("\t")[::2]


def check(root, number, file, command, fix):
    """The messages about one entry."""
    if not command:
        return [f"{LIST}:{number}: expected FILE<TAB>COMMAND"]
    ran = subprocess.run(["bash", "-c", command], cwd=root, capture_output=True, text=True)
    if ran.returncode:
        return [f"{LIST}:{number}: `{command}` ended with {ran.returncode}: {ran.stderr.strip()}"]
    page = root / file
    held = page.read_text(encoding="utf-8") if page.exists() else ""
    if fix:
        page.write_text(ran.stdout, encoding="utf-8")
    if fix or held == ran.stdout:
        return []
    old, new = held.splitlines(), ran.stdout.splitlines()
    first = next((i for i, (a, b) in enumerate(zip(old, new), 1) if a != b), min(len(old), len(new)) + 1)
    diff = list(difflib.unified_diff(old, new, "held", "generated", lineterm="", n=1))[:20]
    return [f"{file}:{first}: differs from `{command}`; `tools/check_docs.py --fix` renews it", *diff]


def main():
    arguments = sys.argv[1:]
    fix = "--fix" in arguments
    arguments = [a for a in arguments if a != "--fix"]
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parents[1]
    if not (root / LIST).exists():
        print(f"docs: nothing is generated ({LIST} does not exist)")
        return 0
    pages, bad = 0, 0
    for number, file, command in entries(root):
        messages = check(root, number, file, command, fix)
        pages, bad = pages + 1, bad + bool(messages)
        for message in messages:
            print(message)
    print(f"docs: {pages} generated pages, {bad} refused")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
