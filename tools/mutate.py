#!/usr/bin/env python3
"""Changes one place of a source file at a time; every change must make a test fail.

mutate.py [--tests FILTER...] [--limit N] [--timeout S] FILE...

All changes of a file are compiled into one program, each behind a number that NC_MUTANT selects while it runs
(none: the file as it is), so that a file costs one compilation and a change costs one run of the tests that
fail first.  Changes whose text does not compile are left out.  The tree is copied to build/mutants; nothing
here is touched.  FILTERs are Catch2 filters, tried in order; the default suits checker/.

Prints one line per file and per survivor; ends with 1 if something survived that tools/mutants.tsv
(FILE<TAB>LINE OF TEXT<TAB>CHANGE<TAB>REASON) does not list.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
TREE = ROOT / "build/mutants"
PRELUDE = """#include <cstdlib>
namespace nc_mutation {
inline int chosen() {
  static const int number = [] { const char* text = std::getenv("NC_MUTANT"); return text ? std::atoi(text) : -1; }();
  return number;
}
inline bool on(int number) { return chosen() == number; }
inline int plus(int number) { return on(number) ? 1 : 0; }
inline int minus(int number) { return on(number) ? -1 : 0; }
}  // namespace nc_mutation
"""
FILTERS = ["[poly],[map],[term]", "[rules],[obligation],[checker]", "[trace]", "[certificate]", "[random],[identity]", "~[slow]"]

# name, pattern of one line, replacement: {n} is the number, groups by \\1.
RULES = [
    ("<= becomes <", r" <= (?=[\w(*-])", " <= nc_mutation::minus({n}) + "),
    ("< becomes <=", r" < (?=[\w(*-])", " < nc_mutation::plus({n}) + "),
    (">= becomes >", r" >= (?=[\w(*-])", " >= nc_mutation::plus({n}) + "),
    ("> becomes >=", r" > (?=[\w(*-])", " > nc_mutation::minus({n}) + "),
    ("condition turned", r"\bif \((?!constexpr)(.+)\) (?=\S)|\bif \((?!constexpr)(.+)\)$", None),
    ("== becomes !=", r"(\b[\w.\[\]]+(?:\(\))?) == ([\w.:]+)(?=[\s;)])", "((\\1 == \\2) != nc_mutation::on({n}))"),
    ("!= becomes ==", r"(\b[\w.\[\]]+(?:\(\))?) != ([\w.:]+)(?=[\s;)])", "((\\1 != \\2) != nc_mutation::on({n}))"),
    ("and becomes or", r"return (.+) && ([^&|]+);", "return nc_mutation::on({n}) ? ((\\1) || (\\2)) : ((\\1) && (\\2));"),
    ("or becomes and", r"return ([^&]+) \|\| ([^&|]+);",
     "return nc_mutation::on({n}) ? ((\\1) && (\\2)) : ((\\1) || (\\2));"),
    ("true becomes false", r"\btrue\b", "(!nc_mutation::on({n}))"),
    ("false becomes true", r"\bfalse\b", "(nc_mutation::on({n}))"),
    ("+ 1 becomes + 0", r"\+ 1\b", "+ 1 + nc_mutation::minus({n})"),
    ("- 1 becomes - 0", r"- 1\b", "- 1 + nc_mutation::plus({n})"),
    ("statement left out", r"^(\s+)([\w.\->\[\]]+(?:\(.*\)| [+*|-]?= .+));$", "\\1if (!nc_mutation::on({n})) \\2;"),
]


def is_code(line):
    text = line.strip()
    return bool(text) and not text.startswith(("#", "//", "/*", "*", "template", "using", "static_assert", "constexpr"))


def turned(line, match, number):
    """`if (COND)` with the parenthesis that closes it."""
    start = line.index("(", match.start())
    depth = 0
    for at in range(start, len(line)):
        depth += {"(": 1, ")": -1}.get(line[at], 0)
        if depth == 0:
            inner = line[start + 1:at]
            if ";" in inner:
                return None
            return f"{line[:start]}(nc_mutation::on({number}) != static_cast<bool>({inner})){line[at + 1:]}"
    return None


def mutants_of(text):
    """[(line index, rule, changed line)], each with its own number, the list's index."""
    out = []
    for index, line in enumerate(text.splitlines()):
        if not is_code(line):
            continue
        code = line.split("  // ")[0]
        for name, pattern, replacement in RULES:
            for match in re.finditer(pattern, code):
                number = len(out)
                if replacement is None:
                    changed = turned(code, match, number)
                else:
                    changed = code[:match.start()] + match.expand(replacement.replace("{n}", str(number))) + code[match.end():]
                if changed is not None:
                    out.append((index, name, changed))
    return out


def assembled(text, mutants, numbers):
    """The file with these changes, at most one of each line; where its prelude begins and how long it is."""
    lines = text.splitlines()
    for number in numbers:
        index, _, changed = mutants[number]
        lines[index] = changed
    last = max([k for k, line in enumerate(lines) if line.startswith("#include")], default=-1)
    lines[last + 1:last + 1] = PRELUDE.splitlines()
    return "\n".join(lines) + "\n", last + 1, len(PRELUDE.splitlines())


def rounds_of(mutants):
    """Numbers in as few compilations as lines allow: one change of each line at a time."""
    rounds = []
    for number, (index, _, _) in enumerate(mutants):
        for one in rounds:
            if all(mutants[k][0] != index for k in one):
                one.append(number)
                break
        else:
            rounds.append([number])
    return rounds


def run(command, env=None, timeout=None):
    return subprocess.run(command, cwd=TREE, capture_output=True, text=True, env=env, timeout=timeout, errors="replace")


def copied_tree():
    TREE.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    for name in filter(None, listed):
        source, target = ROOT / name, TREE / name
        if not source.is_file():
            continue
        if target.exists() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        shutil.copymode(source, target)
    (TREE / "build").mkdir(exist_ok=True)
    if not (TREE / "build/z3").exists():
        (TREE / "build/z3").symlink_to(ROOT / "build/z3")


def build(env):
    made = run(["cmake", "--preset", "default"], env)
    if made.returncode == 0:
        made = run(["cmake", "--build", "--preset", "default", "--target", "nc_tests"], env)
    return made


def compiled(name, text, mutants, numbers, env):
    """The numbers that compile, after the program with them is built."""
    numbers = list(numbers)
    while True:
        content, at, many = assembled(text, mutants, numbers)
        (TREE / name).write_text(content, encoding="utf-8")
        made = build(env)
        if made.returncode == 0:
            return numbers
        bad = {int(line) - 1 for line in re.findall(re.escape(name) + r":(\d+):\d+: error", made.stdout + made.stderr)}
        bad = {line if line < at else line - many for line in bad}
        left = [k for k in numbers if mutants[k][0] not in bad]
        if len(left) == len(numbers):
            sys.exit(f"mutate: {name} does not compile:\n{(made.stdout + made.stderr)[-3000:]}")
        numbers = left


def killed_by(number, filters, env, timeout):
    """The filter that failed, "timeout", or None."""
    for one in filters:
        try:
            ran = run(["build/bin/nc_tests", "--abort", one], {**env, "NC_MUTANT": str(number)}, timeout)
        except subprocess.TimeoutExpired:
            return "timeout"
        if ran.returncode != 0:
            return one
    return None


def listed_reasons():
    page = ROOT / "tools/mutants.tsv"
    rows = page.read_text(encoding="utf-8").splitlines() if page.exists() else []
    return {tuple(row.split("\t")[:3]) for row in rows if row and not row.startswith("#")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    parser.add_argument("--tests", nargs="*", default=FILTERS)
    parser.add_argument("--limit", type=int, default=0, help="mutants per file, evenly spread")
    parser.add_argument("--timeout", type=float, default=300)
    options = parser.parse_args()
    env = {**os.environ, "CCACHE_BASEDIR": str(TREE), "CCACHE_NOHASHDIR": "1"}
    copied_tree()
    accepted, unexplained = listed_reasons(), 0
    for name in options.files:
        name = str(pathlib.Path(name).resolve().relative_to(ROOT)) if pathlib.Path(name).is_absolute() else name
        text = (ROOT / name).read_text(encoding="utf-8")
        mutants, killed, survivors = mutants_of(text), 0, []
        if options.limit and len(mutants) > options.limit:
            step = len(mutants) / options.limit
            wanted = {int(k * step) for k in range(options.limit)}
        else:
            wanted = set(range(len(mutants)))
        for numbers in rounds_of(mutants):
            numbers = compiled(name, text, mutants, [k for k in numbers if k in wanted], env) if wanted & set(numbers) else []
            for number in numbers:
                if killed_by(number, options.tests, env, options.timeout):
                    killed += 1
                else:
                    survivors.append(number)
        shutil.copyfile(ROOT / name, TREE / name)
        print(f"{name}: {killed + len(survivors)} mutants, {killed} killed", flush=True)
        for number in survivors:
            index, rule, _ = mutants[number]
            row = (name, text.splitlines()[index].strip(), rule)
            known = row in accepted
            unexplained += not known
            print(f"  survives{' (listed)' if known else ''}: {name}:{index + 1}: {rule}: {row[1]}", flush=True)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
