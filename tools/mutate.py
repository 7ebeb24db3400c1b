#!/usr/bin/env python3
"""Changes one place of a source file at a time; every change must make `make test` fail.

mutate.py [--limit N [--seed N]] [--seconds S] [--jobs N] [--log LOG] [--cases REGEX] FILE...

All changes of all files are compiled into as few programs as lines allow, each behind a number that NC_MUTANT
selects while they run (none: the files as they are).  Changes whose text does not compile are left out.  Files are
those of C++, and src/ops/table_*.def, whose rows lose a field or get that of another rule.  The tree is copied to
build/mutants; nothing here is touched.

First every test case is run by itself, which tells what it takes and which changes it comes by.  Then each change
is tried with the cases that come by it, first those that are cheap and have killed most.

Prints the sum and a line per survivor; ends with 1 if something survived that tools/mutants.tsv
(FILE<TAB>LINE OF TEXT<TAB>CHANGE<TAB>REASON) does not list.  What it lists counts as surviving.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[1]
TREE = ROOT / "build/mutants"
TABLE, MAIN = "src/ops/table.cpp", "checker/main.cpp"
NAMES = "src/kernels/table.cpp"  # goes through all rows for the names of their kernels, which nothing changes
# Numbers begin at 1. A program says at its end, in the folder NC_MUTANTS_SEEN, which it came by.
PRELUDE = """#ifndef NC_MUTATION
#define NC_MUTATION
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <type_traits>
#include <unistd.h>
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wreturn-type"
namespace nc_mutation {
inline unsigned char seen[1 << 16];
struct Told {
  ~Told() {
    const char* folder = std::getenv("NC_MUTANTS_SEEN");
    if (folder == nullptr) return;
    std::FILE* file = std::fopen((folder + ("/" + std::to_string(getpid()))).c_str(), "a");
    std::fprintf(file, "%f\\n", static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
    for (int k = 1; k < (1 << 16); ++k) if (seen[k]) std::fprintf(file, "%d\\n", k);
    std::fclose(file);
  }
};
inline const Told told;
inline int chosen() {
  static const int number = [] { const char* text = std::getenv("NC_MUTANT"); return text ? std::atoi(text) : 0; }();
  return number;
}
inline bool here(int number) { seen[number] = 1; return chosen() == number; }
constexpr bool on(int number) { return std::is_constant_evaluated() ? false : here(number); }
inline bool in_row(int number) { return chosen() == number; }
// `a < at(1) + b + c` is `a < b + c`, or `a <= b + c`.
struct Here { bool other; };
template <class T> struct Bound { T value; bool other; };
constexpr Here at(int number) { return {on(number)}; }
template <class T> constexpr Bound<const T&> operator+(Here h, const T& v) { return {v, h.other}; }
template <class T, class U> constexpr auto operator+(const Bound<T>& b, const U& v) { return Bound<decltype(b.value + v)>{b.value + v, b.other}; }
template <class T, class U> constexpr auto operator-(const Bound<T>& b, const U& v) { return Bound<decltype(b.value - v)>{b.value - v, b.other}; }
template <class T, class U> constexpr bool operator<(const T& a, const Bound<U>& b) { return b.other ? a <= b.value : a < b.value; }
template <class T, class U> constexpr bool operator<=(const T& a, const Bound<U>& b) { return b.other ? a < b.value : a <= b.value; }
template <class T, class U> constexpr bool operator>(const T& a, const Bound<U>& b) { return b.other ? a >= b.value : a > b.value; }
template <class T, class U> constexpr bool operator>=(const T& a, const Bound<U>& b) { return b.other ? a > b.value : a >= b.value; }
}  // namespace nc_mutation
#endif
"""
SCRIPTS = ["tests/certificate_test.py", "tests/run_corpus.py", "tests/cli_test.py"]
GROUPS = [0.3, 3.0, 1e9]  # seconds of test cases that the first process runs, the second, ...

# name, pattern of one line, what is put before and behind the match; {n} is the number. Nothing that stands there
# is taken away, so that several changes of one line compile together.
# A comparison that is an operand of nothing but `&&`, `||`, `?:`: else the parentheses would change its meaning.
BEHIND, BEFORE = r"(?:(?<=\()|(?<=&& )|(?<=\|\| )|(?<=return )|(?<= = )|(?<=\? ))", r"(?=\)|;|,| &&| \|\|| \?)"
RULES = [
    ("<= becomes <", r" <= (?=[\w(*-])", "", "nc_mutation::at({n}) + "),
    ("< becomes <=", r" < (?=[\w(*-])", "", "nc_mutation::at({n}) + "),
    (">= becomes >", r" >= (?=[\w(*-])", "", "nc_mutation::at({n}) + "),
    ("> becomes >=", r" > (?=[\w(*-])", "", "nc_mutation::at({n}) + "),
    ("condition turned", r"\bif \((?!constexpr)", None, None),
    ("== becomes !=", BEHIND + r"[a-zA-Z_][\w.\[\]]*(?:\(\))? == [\w.:]+" + BEFORE, "((", ") != nc_mutation::on({n}))"),
    ("!= becomes ==", BEHIND + r"[a-zA-Z_][\w.\[\]]*(?:\(\))? != [\w.:]+" + BEFORE, "((", ") != nc_mutation::on({n}))"),
    ("and becomes or", r"(?<=return )(.+) && ([^&|]+)(?=;)", "nc_mutation::on({n}) ? ((\\1) || (\\2)) : (", ")"),
    ("or becomes and", r"(?<=return )([^&]+) \|\| ([^&|]+)(?=;)", "nc_mutation::on({n}) ? ((\\1) && (\\2)) : (", ")"),
    ("true becomes false", r"\btrue\b", "(", " != nc_mutation::on({n}))"),
    ("false becomes true", r"\bfalse\b", "(", " != nc_mutation::on({n}))"),
    ("+ 1 becomes + 0", r"\+ 1\b(?! [*/%])", "", " - (nc_mutation::on({n}) ? 1 : 0)"),
    ("- 1 becomes - 0", r"- 1\b(?! [*/%])", "", " + (nc_mutation::on({n}) ? 1 : 0)"),
    ("statement left out", r"^(\s+)[\w.\->\[\]]+(?:\(.*\)| [+*|-]?= .+);$", "{ if (!nc_mutation::on({n})) ", " }"),
]
# field of a row, what it may become; the first that it is not
FIELDS = {
    "meaning": ["opaque", "clone"], "view": ["nullptr", "alias_rule", "reversed_rule"],
    "moves": ["nullptr", "flip_moves", "roll_moves"], "shape": ["nullptr", "like_shape", "float_shape"],
    "fits": ["nullptr", "square_fits", "matrices_fit"],
    "reach": ["Reach::schema"], "token": ["Token::schema", "Token::generator", "Token::effects"],
    "in_flight": ["Flight::none", "Flight::results", "Flight::all"],
    "unread": ["Unread::never"], "drawn": ["Drawn::in_order"],
    "same_as": ['""'],
}
FIELD = re.compile(r"\.(" + "|".join(FIELDS) + r") = ((?:\{[^}]*\}|[\w:\".]+))(?=[,)])")


BODY = re.compile(r"\s*(?:for \(.*\)|if \(.*\)|else)$")


class Mutant(NamedTuple):
    number: int
    file: str
    index: int  # of the line
    rule: str
    begin: int
    end: int
    before: str
    behind: str


def is_comment(line):
    return line.strip().startswith("//") or not line.strip()


def is_code(line):
    text = line.strip()
    return bool(text) and not text.startswith(("#", "//", "/*", "*", "template", "using", "static_assert", "constexpr"))


def condition(line, start):
    """From behind `if (` to the parenthesis that closes it; None where there is no plain condition."""
    depth = 1
    for at in range(start, len(line)):
        depth += {"(": 1, ")": -1}.get(line[at], 0)
        if depth == 0:
            return None if ";" in line[start:at] or " = " in line[start:at] else (start, at)
    return None


def changes_of_row(line):
    """(rule, begin, end, before, behind) for each field that says something, of one row of the operator table."""
    for match in FIELD.finditer(line):
        field, value = match.groups()
        begin, end = match.span(2)
        others = [other for other in FIELDS[field] if other != value]
        for other in others[:1] if field == "meaning" and value != "unsupported" else others[:2]:
            yield f".{field} becomes {other}", begin, end, f"nc_mutation::in_row({{n}}) ? {other} : ", ""


def balanced(text):
    depth = 0
    for letter in text:
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(letter, 0)
        if depth < 0:
            return False
    return depth == 0 and " ? " not in text


def in_text(code, at):
    """Does a string begin before that place and end behind it?"""
    return len(re.findall(r'(?<![\\\'])"', code[:at])) % 2 == 1


def changes_of_line(line, begins):
    """`begins`: a statement may begin here. Otherwise as changes_of_row."""
    code = line.split("  // ")[0]
    for rule, pattern, before, behind in RULES:
        for match in re.finditer(pattern, code):
            if rule == "statement left out" and not begins or not all(map(balanced, match.groups())):
                continue
            if in_text(code, match.start()):
                continue
            if before is not None:
                yield rule, *match.span(), re.sub(r"\\(\d)", lambda m: match.group(int(m.group(1))), before), behind
            elif span := condition(code, match.end()):
                yield rule, *span, "nc_mutation::on({n}) != static_cast<bool>(", ")"


def mutants_of(text, name="", first=1):
    out, begins = [], True
    for index, line in enumerate(text.splitlines()):
        changes = changes_of_row(line) if name.endswith(".def") else changes_of_line(line, begins) if is_code(line) else ()
        code = line.split("  // ")[0].rstrip()
        begins = begins if is_comment(code) else code.endswith((";", "{", "}", ":")) or BODY.match(code) is not None
        for rule, begin, end, before, behind in changes:
            number = first + len(out)
            puts = (put.replace("{n}", str(number)) for put in (before, behind))
            out.append(Mutant(number, name, index, rule, begin, end, *puts))
    return out


def changed_line(line, mutants):
    """`line` with all of these changes; those that enclose others stand outside."""
    puts = []
    for m in mutants:
        puts.append((m.begin, 1, -m.end, m.before))
        puts.append((m.end, 0, -m.begin, m.behind))
    out, at = "", 0
    for position, _, _, put in sorted(puts, key=lambda p: p[:3]):
        out, at = out + line[at:position] + put, position
    return out + line[at:]


def assembled(text, mutants):
    """The file with these changes; the line where its prelude begins, and how many lines that has."""
    lines = text.splitlines()
    for index in {m.index for m in mutants}:
        lines[index] = changed_line(lines[index], [m for m in mutants if m.index == index])
    at = next((k for k, line in enumerate(lines) if line.startswith("#include")),
              next((k + 1 for k, line in enumerate(lines) if line.startswith("#pragma once")), 0))
    lines[at:at] = PRELUDE.splitlines()
    return "\n".join(lines).replace("std::_Exit(", "std::exit(") + "\n", at, len(PRELUDE.splitlines())


def run(command, env=None, timeout=None, cpu=None):
    def limits():
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        if cpu:
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu) + 1, int(cpu) + 2))

    return subprocess.run(command, cwd=TREE, capture_output=True, text=True, env=env, timeout=timeout, errors="replace",
                          preexec_fn=limits, stdin=subprocess.DEVNULL)


def copied_tree(but):
    TREE.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    known = set(listed)
    for folder in ("checker", "corpus", "src", "tests"):  # of an earlier copy
        for path in (TREE / folder).rglob("*"):
            if path.is_file() and str(path.relative_to(TREE)) not in known:
                path.unlink()
    for name in filter(None, listed):
        source, target = ROOT / name, TREE / name
        if not source.is_file() or name in but:
            continue
        if target.exists() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        shutil.copymode(source, target)
    (TREE / "build").mkdir(exist_ok=True)
    if not (TREE / "build/z3").exists():
        (TREE / "build/z3").symlink_to(ROOT / "build/z3")


def table_of(text, mutants):
    """The operator table made while the program runs, and telling which rows it was asked for."""
    rows = {}
    for m in mutants:
        op = (ROOT / m.file).read_text(encoding="utf-8").splitlines()[m.index].split('"')[1]
        rows.setdefault(op, []).append(m.number)
    numbers = "".join(f'{{"{op}", {{{", ".join(map(str, of))}}}}}, ' for op, of in rows.items())
    seen = ("static const std::unordered_map<std::string_view, std::vector<int>> numbers{%s};\n"
            "  if (const auto n = numbers.find(op); n != numbers.end()) for (int k : n->second) nc_mutation::seen[k] = 1;\n" % numbers)
    for old, new in [(r"constexpr auto kRows", "const auto kRows"), (r"static_assert\((?:.|\n)*?;\n", ""),
                     (r"(?<=  const auto at = rows.find\(op\);\n)", "  " + seen),
                     (r"op_rows\(\) \{ return", "op_rows() { for (const OpRow& r : op_table::kRows) row_named(r.op); return")]:
        text, times = re.subn(old, lambda _: new, text)
        if times != 1:
            sys.exit(f"mutate: {TABLE} has no longer one `{old}`")
    return text + "namespace noclobber { std::span<const OpRow> op_rows_for_names() { return op_table::kRows; } }\n"


def names_of(text):
    return text.replace(": op_rows()", ": op_rows_for_names()").replace(
        "namespace noclobber {\n", "namespace noclobber {\nstd::span<const OpRow> op_rows_for_names();\n", 1)


def write_tree(texts, mutants):
    """Every file with its share of the changes; where the preludes stand."""
    places, rows = {}, [m for m in mutants if m.file.endswith(".def")]
    texts = {MAIN: (ROOT / MAIN).read_text(encoding="utf-8")} | texts  # its end tells what was seen
    if rows:
        for name in (TABLE, NAMES):
            texts.setdefault(name, (ROOT / name).read_text(encoding="utf-8"))
    for name, text in texts.items():
        here = [m for m in mutants if m.file == name]
        if name.endswith(".def"):
            lines = text.splitlines()
            content, at, many = "\n".join(changed_line(line, [m for m in here if m.index == k])
                                          for k, line in enumerate(lines)) + "\n", 0, 0
        else:
            content, at, many = assembled(text, here)
        if name == TABLE and rows:
            content = table_of(content, rows)
        if name == NAMES and rows:
            content = names_of(content)
        places[name] = (at, many)
        if (TREE / name).read_text(encoding="utf-8") != content:
            (TREE / name).write_text(content, encoding="utf-8")
    return places


def build(env):
    made = run(["cmake", "--preset", "default"], env)
    if made.returncode == 0:
        made = run(["cmake", "--build", "--preset", "default", "--", "-k", "0"], env)
    return made


def compiled(texts, mutants, env):
    """The changes that compile together, after the programs with them are built; and those that do not."""
    left, refused = list(mutants), []
    while True:
        places = write_tree(texts, left)
        made = build(env)
        if made.returncode == 0:
            return left, refused
        said, bad = made.stdout + made.stderr, set()
        for name, (at, many) in places.items():
            for line in re.findall(re.escape(name) + r":(\d+):\d+: error", said):
                index = int(line) - 1
                bad.add((name, index if index < at else index - many))
        out = [m for m in left if (m.file, m.index) in bad]
        if not out:
            sys.exit(f"mutate: the tree does not compile:\n{said[-3000:]}")
        print(f"  {len(out)} changes on lines that do not compile", flush=True)
        refused += out
        left = [m for m in left if m not in set(out)]


def grouped(due):
    """[(seconds, name)], in that order, as lists that one process each runs."""
    groups, sizes = [], iter(GROUPS)
    for seconds, name in due:
        last = groups[-1] if groups and groups[-1][0][1] not in SCRIPTS else None
        if name in SCRIPTS or last is None or sum(s for s, _ in last) + seconds > size:
            groups.append([])
            size = next(sizes, GROUPS[-1])
        groups[-1].append((seconds, name))
    return groups


class Tests:
    """What each test case, and each script, costs and comes by."""

    def __init__(self, env, jobs, most, asked):
        self.env = {**env, "NC_BIN_DIR": str(TREE / "build/bin")}
        listed = run(["build/bin/nc_tests", "--list-test-names-only"], self.env).stdout
        names = [name for name in listed.splitlines() if re.match(asked, name)]
        self.cases, self.kills, self.most = [], {}, most
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for name, (seconds, seen) in zip(names, pool.map(self.of_case, names)):
                self.cases.append((seconds, seen, name))
        for script in filter(re.compile(asked).match, SCRIPTS):
            self.cases.append((*self.reached(["python3", script]), script))

    def of_case(self, name):
        return self.reached(["build/bin/nc_tests"], [name])

    def ran(self, command, names=(), cpu=None, **env):
        named = [",".join(re.sub(r'([\\,\[\]"~])', r"\\\1", name) for name in names)]
        return run(command + named * bool(names), {**self.env, **env}, 600, cpu)

    def reached(self, command, names=()):
        with tempfile.TemporaryDirectory(prefix="nc_mutants_") as folder:
            ran = self.ran(command, names, NC_MUTANTS_SEEN=folder)
            if ran.returncode or "No tests ran" in ran.stdout:  # as what reads the sources may
                print(f"  not asked, for it fails with no change chosen: {[*command, *names]}", flush=True)
                return 0, set()
            told = [page.read_text().split() for page in pathlib.Path(folder).iterdir()]
            return (sum(float(t) for page in told for t in page if "." in t),
                    {int(t) for page in told for t in page if "." not in t})

    def killer(self, number):
        """What failed: a test case, a script, "ended with ..." or "timeout"; None for a survivor."""
        due, spent = [], 0.0
        for seconds, seen, name in sorted(self.cases, key=lambda case: case[0] / (1 + self.kills.get(case[2], 0))):
            if number in seen and spent + seconds <= self.most:
                spent += seconds
                due.append((seconds, name))
        for group in grouped(due):
            names = [name for _, name in group]
            script = names[0] in SCRIPTS
            command = ["python3", names[0]] if script else ["build/bin/nc_tests", "--abort"]
            if said := self.failure(command, () if script else names, number, 5 + 5 * sum(s for s, _ in group)):
                said = names[0] if script else said
                self.kills[said] = self.kills.get(said, 0) + 1
                return said
        return None

    def failure(self, command, names, number, cpu):
        try:
            ran = self.ran(command, names, cpu, NC_MUTANT=str(number))
        except subprocess.TimeoutExpired:
            return "timeout"
        if ran.returncode == 0:
            return None
        failed = re.search(r"^-{60,}\n(.*)\n", ran.stdout, re.M)
        return failed.group(1) if failed else f"ended with {ran.returncode}"


def listed_reasons():
    page = ROOT / "tools/mutants.tsv"
    rows = page.read_text(encoding="utf-8").splitlines() if page.exists() else []
    return {tuple(row.split("\t")[:3]) for row in rows if row and not row.startswith("#")}


def place(mutant, text):
    """What tools/mutants.tsv calls it by; a line that is there twice comes with the one before it."""
    lines = [line.strip() for line in text.splitlines()]
    line = lines[mutant.index]
    if lines.count(line) > 1:
        line = f"{lines[mutant.index - 1]} {line}"
    return mutant.file, line, mutant.rule


def log_row(mutant, text, how):
    return f"{mutant.file}:{mutant.index + 1}\t{mutant.begin}\t{mutant.rule}\t{text.splitlines()[mutant.index].strip()}\t{how}\n"


def tried(texts, mutants, options, env):
    """What survives, and how many were tried at all. What does not compile in company is tried by itself."""
    survivors, tries, waiting = [], 0, [list(mutants)]
    while waiting:
        here, refused = compiled(texts, waiting.pop(0), env)
        if refused and len({(m.file, m.index) for m in refused}) < len(refused):
            alone = {}
            for m in refused:  # the first of each line, then the second, ...
                line = [r for r in refused if (r.file, r.index) == (m.file, m.index)]
                alone.setdefault(line.index(m), []).append(m)
            waiting += alone.values()
        if not here:
            continue
        print(f"  {len(here)} changes compile together", flush=True)
        tests = Tests(env, options.jobs, options.seconds, options.cases)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for m, how in zip(here, pool.map(lambda m: tests.killer(m.number), here)):
                tries += 1
                if not how:
                    survivors.append(m)
                if options.log:
                    with open(options.log, "a", encoding="utf-8") as log:
                        log.write(log_row(m, texts[m.file], how or "SURVIVES"))
    return survivors, tries


def wanted(mutants, texts, options):
    """All, or a uniform sample; without those that were killed before according to the log, and how many those are.
    The log keeps nothing else."""
    if options.limit:
        mutants = sorted(random.Random(options.seed).sample(mutants, min(options.limit, len(mutants))))
    log = pathlib.Path(options.log or "/nonexistent")
    rows = log.read_text(encoding="utf-8").splitlines(True) if log.exists() else []
    killed = [row for row in rows if not row.endswith("\tSURVIVES\n")]
    if rows:
        log.write_text("".join(killed), encoding="utf-8")
    known = {row.rpartition("\t")[0] for row in killed}
    left = [m for m in mutants if log_row(m, texts[m.file], "").rpartition("\t")[0] not in known]
    return left, len(mutants) - len(left)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    parser.add_argument("--limit", type=int, default=0, help="so many mutants, drawn at random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--listed", action="store_true", help="try those of tools/mutants.tsv as well")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1e9, help="of tests per mutant, at most")
    parser.add_argument("--cases", default="", help="test cases and scripts to ask, as a pattern of how they begin; with --log the "
                        "quickest first, and all for what is left")
    parser.add_argument("--log", help="a line per mutant tried; what was killed according to it is not tried again")
    options = parser.parse_args()
    env = {**os.environ, "CCACHE_BASEDIR": str(TREE), "CCACHE_NOHASHDIR": "1"}
    texts, mutants = {}, []
    for name in options.files:
        name = str(pathlib.Path(name).resolve().relative_to(ROOT))
        texts[name] = (ROOT / name).read_text(encoding="utf-8")
        mutants += mutants_of(texts[name], name, len(mutants) + 1)
    copied_tree({name for name in [*texts, TABLE, NAMES, MAIN] if (TREE / name).exists()})
    accepted, known = listed_reasons(), []
    chosen, before = wanted(mutants, texts, options)
    if not options.listed:
        known = [m for m in chosen if place(m, texts[m.file]) in accepted]
    survivors, tries = tried(texts, [m for m in chosen if m not in set(known)], options, env)
    for name in [*texts, TABLE, NAMES, MAIN]:
        shutil.copyfile(ROOT / name, TREE / name)
    total, left = before + tries + len(known), len(survivors) + len(known)
    print(f"{total} mutants of {len(texts)} files, {total - left} killed ({100 * (1 - left / max(1, total)):.1f} %), "
          f"{before} of them by an earlier run; {len(known)} listed survivors were not tried")
    unexplained = 0
    for m in survivors:
        row = place(m, texts[m.file])
        unexplained += row not in accepted
        print(f"  survives{' (listed)' if row in accepted else ''}: {m.file}:{m.index + 1}: {m.rule}: {row[1]}", flush=True)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
