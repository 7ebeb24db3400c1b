#!/usr/bin/env python3
"""Changes one place of a source file at a time; every change must make a test fail.

mutate.py [--tests FILTER...] [--limit N] [--timeout S] FILE...

All changes of all files are compiled into as few programs as lines allow, each behind a number that NC_MUTANT
selects while it runs (none: the file as it is), so that a change costs one run of the tests that fail first.
Changes whose text does not compile are left out.  The tree is copied to build/mutants; nothing here is touched.
FILTERs are Catch2 filters, tried in order; the default suits checker/.

Prints one line per file and per survivor; ends with 1 if something survived that tools/mutants.tsv
(FILE<TAB>LINE OF TEXT<TAB>CHANGE<TAB>REASON) does not list.
"""
import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
TREE = ROOT / "build/mutants"
PRELUDE = """#ifndef NC_MUTATION
#define NC_MUTATION
#include <cstdlib>
namespace nc_mutation {
inline int chosen() {
  static const int number = [] { const char* text = std::getenv("NC_MUTANT"); return text ? std::atoi(text) : -1; }();
  return number;
}
inline bool on(int number) { return chosen() == number; }
inline int plus(int number) { return on(number) ? 1 : 0; }
inline int minus(int number) { return on(number) ? -1 : 0; }
}  // namespace nc_mutation
#endif
"""
FILTERS = ["[poly],[map],[term]", "[rules],[obligation],[checker]", "[trace]", "[certificate]", "[random],[identity]", "~[slow]"]

# name, pattern of one line, what is put before and behind the match; {n} is the number. Nothing that stands there
# is taken away, so that several changes of one line compile together.
RULES = [
    ("<= becomes <", r" <= (?=[\w(*-])", "", "nc_mutation::minus({n}) + "),
    ("< becomes <=", r" < (?=[\w(*-])", "", "nc_mutation::plus({n}) + "),
    (">= becomes >", r" >= (?=[\w(*-])", "", "nc_mutation::plus({n}) + "),
    ("> becomes >=", r" > (?=[\w(*-])", "", "nc_mutation::minus({n}) + "),
    ("condition turned", r"\bif \((?!constexpr)", None, None),
    ("== becomes !=", r"(?<![\w.\]>])[a-zA-Z_][\w.\[\]]*(?:\(\))? == [\w.:]+(?=[\s;)])", "((", ") != nc_mutation::on({n}))"),
    ("!= becomes ==", r"(?<![\w.\]>])[a-zA-Z_][\w.\[\]]*(?:\(\))? != [\w.:]+(?=[\s;)])", "((", ") != nc_mutation::on({n}))"),
    ("and becomes or", r"(?<=return )(.+) && ([^&|]+)(?=;)", "nc_mutation::on({n}) ? ((\\1) || (\\2)) : (", ")"),
    ("or becomes and", r"(?<=return )([^&]+) \|\| ([^&|]+)(?=;)", "nc_mutation::on({n}) ? ((\\1) && (\\2)) : (", ")"),
    ("true becomes false", r"\btrue\b", "(", " != nc_mutation::on({n}))"),
    ("false becomes true", r"\bfalse\b", "(", " != nc_mutation::on({n}))"),
    ("+ 1 becomes + 0", r"\+ 1\b", "", " + nc_mutation::minus({n})"),
    ("- 1 becomes - 0", r"- 1\b", "", " + nc_mutation::plus({n})"),
    ("statement left out", r"^(\s+)[\w.\->\[\]]+(?:\(.*\)| [+*|-]?= .+);$", "\\1if (!nc_mutation::on({n}))", ""),
]


def is_code(line):
    text = line.strip()
    return bool(text) and not text.startswith(("#", "//", "/*", "*", "template", "using", "static_assert", "constexpr"))


def condition(line, start):
    """From behind `if (` to the parenthesis that closes it; None where there is no plain condition."""
    depth = 1
    for at in range(start, len(line)):
        depth += {"(": 1, ")": -1}.get(line[at], 0)
        if depth == 0:
            return None if ";" in line[start:at] else (start, at)
    return None


def mutants_of(text, name="", first=0):
    """[(file, line index, rule, begin, end, what is put before, what is put behind)], numbered from `first`."""
    out = []
    for index, line in enumerate(text.splitlines()):
        if not is_code(line):
            continue
        code = line.split("  // ")[0]
        for rule, pattern, before, behind in RULES:
            for match in re.finditer(pattern, code):
                number = str(first + len(out))
                if before is None:
                    span = condition(code, match.end())
                    if span:
                        out.append((name, index, rule, *span, f"nc_mutation::on({number}) != static_cast<bool>(", ")"))
                    continue
                put = match.expand(before.replace("{n}", number)), behind.replace("{n}", number)
                out.append((name, index, rule, match.start(), match.end(), *put))
    return out


def changed_line(line, changes):
    """`line` with all of these changes; those that enclose others stand outside."""
    puts = []
    for *_, begin, end, before, behind in changes:
        puts.append((begin, 1, -end, before))
        puts.append((end, 0, -begin, behind))
    out, at = "", 0
    for position, _, _, put in sorted(puts, key=lambda p: p[:3]):
        out, at = out + line[at:position] + put, position
    return out + line[at:]


def assembled(text, mutants):
    """The file with these changes; the line where its prelude begins, and how many lines that has."""
    lines = text.splitlines()
    for index in {m[1] for m in mutants}:
        lines[index] = changed_line(lines[index], [m for m in mutants if m[1] == index])
    last = max([k for k, line in enumerate(lines) if line.startswith("#include")], default=-1)
    lines[last + 1:last + 1] = PRELUDE.splitlines()
    return "\n".join(lines) + "\n", last + 1, len(PRELUDE.splitlines())


def run(command, env=None, timeout=None, before=None):
    return subprocess.run(command, cwd=TREE, capture_output=True, text=True, env=env, timeout=timeout, errors="replace",
                          preexec_fn=before)


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


def write_tree(texts, mutants, numbers):
    """Every file with its share of the changes; where the preludes stand."""
    places = {}
    for name, text in texts.items():
        content, at, many = assembled(text, [mutants[k] for k in numbers if mutants[k][0] == name])
        places[name] = (at, many)
        if (TREE / name).read_text(encoding="utf-8") != content:
            (TREE / name).write_text(content, encoding="utf-8")
    return places


def compiled(texts, mutants, numbers, env):
    """The numbers that compile together, after the program with them is built; and those that do not."""
    left, refused = list(numbers), []
    while True:
        places = write_tree(texts, mutants, left)
        made = build(env)
        if made.returncode == 0:
            return left, refused
        said, bad = made.stdout + made.stderr, set()
        for name, (at, many) in places.items():
            for line in re.findall(re.escape(name) + r":(\d+):\d+: error", said):
                index = int(line) - 1
                bad.add((name, index if index < at else index - many))
        out = [k for k in left if mutants[k][:2] in bad]
        if not out:
            sys.exit(f"mutate: the tree does not compile:\n{said[-3000:]}")
        refused += out
        left = [k for k in left if k not in set(out)]


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))


def killed_by(number, filters, env, timeout):
    """The filter that failed, "timeout", or None."""
    for one in filters:
        try:
            ran = run(["build/bin/nc_tests", "--abort", one], {**env, "NC_MUTANT": str(number)}, timeout, limits)
        except subprocess.TimeoutExpired:
            return "timeout"
        if ran.returncode != 0:
            return one
    return None


def listed_reasons():
    page = ROOT / "tools/mutants.tsv"
    rows = page.read_text(encoding="utf-8").splitlines() if page.exists() else []
    return {tuple(row.split("\t")[:3]) for row in rows if row and not row.startswith("#")}


def tried(texts, mutants, numbers, options, env):
    """Numbers that survive, and how many were run at all. What does not compile in company is tried by itself."""
    survivors, ran, waiting = [], 0, [list(numbers)]
    while waiting:
        here, refused = compiled(texts, mutants, waiting.pop(0), env)
        if refused and len({mutants[k][:2] for k in refused}) < len(refused):
            alone = {}
            for k in refused:  # the first of each line, then the second, ...
                alone.setdefault(sum(mutants[j][:2] == mutants[k][:2] for j in refused if j < k), []).append(k)
            waiting += alone.values()
        for k in here:
            ran += 1
            how = killed_by(k, options.tests, env, options.timeout)
            if not how:
                survivors.append(k)
            if options.log:
                with open(options.log, "a", encoding="utf-8") as log:
                    log.write(f"{mutants[k][0]}:{mutants[k][1] + 1}\t{mutants[k][2]}\t{how or 'SURVIVES'}\n")
    return survivors, ran


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    parser.add_argument("--tests", nargs="*", default=FILTERS)
    parser.add_argument("--limit", type=int, default=0, help="mutants in all, evenly spread")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--log", help="one line per mutant, as it is tried")
    options = parser.parse_args()
    env = {**os.environ, "CCACHE_BASEDIR": str(TREE), "CCACHE_NOHASHDIR": "1"}
    copied_tree()
    texts, mutants = {}, []
    for name in options.files:
        name = str(pathlib.Path(name).resolve().relative_to(ROOT))
        texts[name] = (ROOT / name).read_text(encoding="utf-8")
        mutants += mutants_of(texts[name], name, len(mutants))
    step = len(mutants) / options.limit if options.limit else 0
    wanted = range(len(mutants)) if step <= 1 else sorted({int(k * step) for k in range(options.limit)})
    survivors, ran = tried(texts, mutants, wanted, options, env)
    for name in texts:
        shutil.copyfile(ROOT / name, TREE / name)
    print(f"{ran} mutants of {len(texts)} files, {ran - len(survivors)} killed ({100 * (ran - len(survivors)) / max(1, ran):.1f} %)")
    accepted, unexplained = listed_reasons(), 0
    for number in sorted(survivors):
        name, index, rule = mutants[number][:3]
        row = (name, texts[name].splitlines()[index].strip(), rule)
        unexplained += row not in accepted
        print(f"  survives{' (listed)' if row in accepted else ''}: {name}:{index + 1}: {rule}: {row[1]}", flush=True)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
