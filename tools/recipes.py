#!/usr/bin/env python3
"""Follows the recipes of CONTRIBUTING.md: applies the patch of each to a copy of the tree, builds, and makes its checks.

  recipes.py            all of it, in build/recipes (`make recipes`); a few minutes, most of it the first build
  recipes.py --dry      only whether each patch still applies, one after the other (the fast suite)
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = ROOT / "docs" / "recipes"
# Each on top of those before it: its patch, and command lines with the exit code that they have then.
RECIPES = [
    ("operator", [("check operator.accept.json", 0), ("check operator.refute.json", 3)]),
    ("kernel", [("check operator.accept.json", 0), ("check operator.refute.json", 1)]),
    ("format", [("compare format.before.txt format.accept.txt", 0), ("compare format.before.txt format.refute.txt", 1),
                ("check format.accept.txt", 0), ("check format.broken.txt", 2)]),
]


def touched(patch):
    """Paths that a patch changes or makes."""
    return [line.split("/", 1)[1].strip() for line in patch.read_text().splitlines() if line.startswith("+++ b/")]


def apply(name, tree):
    """error: what git says of a patch that does not apply any more."""
    # Inside of a repository git passes over, in silence, what a patch names outside of the folder.
    alone = os.environ | {"GIT_CEILING_DIRECTORIES": str(pathlib.Path(tree).resolve().parent)}
    done = subprocess.run(["git", "apply", "--whitespace=nowarn", HERE / f"{name}.patch"], cwd=tree, env=alone,
                          capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def dry():
    with tempfile.TemporaryDirectory() as tree:
        for name, _ in RECIPES:
            for path in touched(HERE / f"{name}.patch"):
                target = pathlib.Path(tree) / path
                if (ROOT / path).exists() and not target.exists():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(ROOT / path, target)
            if fault := apply(name, tree):
                return f"{name}.patch does not apply: {fault}"
    return ""


def follow():
    tree = ROOT / "build" / "recipes" / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for path in filter(None, files):
        if path.startswith(("src/", "checker/", "tests/", "cmake")) or "/" not in path:
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, tree / path)
    (tree / "build").mkdir()
    (tree / "build" / "z3").symlink_to(ROOT / "build" / "z3")
    bad = 0
    for name, checks in RECIPES:
        start = time.time()
        if fault := apply(name, tree):
            print(f"{name}: the patch does not apply: {fault}")
            return 1
        subprocess.run(["cmake", "--preset", "default"], cwd=tree, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", "--preset", "default", "--target", "noclobber"], cwd=tree, check=True,
                       stdout=subprocess.DEVNULL)
        for line, code in checks:
            done = subprocess.run([tree / "build/bin/noclobber", *line.split()], cwd=HERE, capture_output=True, text=True)
            good = done.returncode == code
            bad += not good
            print(f"{name}: noclobber {line}: exit {done.returncode}{'' if good else f', expected {code}'}")
            if not good:
                print(done.stdout + done.stderr)
        print(f"{name}: built and checked in {time.time() - start:.0f} s")
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dry", action="store_true")
    if parser.parse_args().dry:
        fault = dry()
        print(fault or f"recipes: {len(RECIPES)} patches apply")
        return 1 if fault else 0
    return follow()


if __name__ == "__main__":
    sys.exit(main())
