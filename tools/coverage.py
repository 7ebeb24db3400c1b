#!/usr/bin/env python3
"""Which lines the tests run, by room: coverage.py REPORT [--write]

REPORT is what `gcovr --json` made of a build of the preset `coverage` after its tests ran. Prints the table of docs/coverage.md, or
renews the page (--write), and lists each line of checker/ that no test runs: a line of the trusted part is either tested or has no
reason to be there. Exit: 1 if REPORT has no line of some room, as where a build or its counters are of another checkout.
"""
import argparse
import collections
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/coverage.md"
HEAD = """# Coverage of the tests

Made by `make coverage` (`tools/coverage.py`); do not edit. Lines and branches of the sources that run while all tests of `make test` run, counted
by gcc in a build without optimizations that move code (`-Og`); branches that only an exception takes are left out. Of tests that
take a sample of what they enumerate, one item in twelve is run, as with sanitizers (`NC_EVERY`). A function counts as entered once any of
its instances is.

A line that runs is not a line that is checked: what a changed line does to the tests is in [mutants.md](mutants.md). A line that does not run is
not checked by anything, and the lines of `checker/` among them are printed by name.

"""


def room_of(path):
    """The room of docs/architecture.md that `path` (relative to the root) belongs to."""
    parts = pathlib.PurePosixPath(path).parts
    if parts[0] == "checker":
        return "/".join(parts[:2]) if len(parts) > 2 else "checker"
    deep = parts[1] in ("formats", "lower") and len(parts) > 3
    return "/".join(parts[:3] if deep else parts[:2])


class Count:
    def __init__(self):
        self.lines, self.ran, self.branches, self.taken, self.functions, self.entered = [0] * 6

    def add(self, file):
        code = [line for line in file["lines"] if not line.get("gcovr/noncode")]
        self.lines += len(code)
        self.ran += sum(line["count"] > 0 for line in code)
        branches = [b for line in code for b in line["branches"]]
        self.branches += len(branches)
        self.taken += sum(b["count"] > 0 for b in branches)
        entered = collections.defaultdict(bool)
        for function in file["functions"]:
            entered[function["lineno"]] |= function["execution_count"] > 0
        self.functions += len(entered)
        self.entered += sum(entered.values())

    def row(self, name):
        cells = [name]
        for ran, all_ in ((self.ran, self.lines), (self.taken, self.branches), (self.entered, self.functions)):
            cells += [f"{all_:,}", f"{1000 * ran // all_ / 10} %" if all_ else "–"]  # 100.0 only if all of them
        return "| " + " | ".join(cells) + " |"


def missing_rooms(counted):
    """Rooms with sources of which the report has no line."""
    rooms = {room_of(f.relative_to(ROOT).as_posix()) for top in ("checker", "src") for f in (ROOT / top).rglob("*.cpp")}
    return sorted(rooms - counted)


def table(files):
    rooms, whole = collections.defaultdict(Count), {"checker": Count(), "src": Count()}
    for file in files:
        rooms[room_of(file["file"])].add(file)
        whole[file["file"].split("/")[0]].add(file)
    out = ["| room | lines | run | branches | taken | functions | entered |", "| --- | --- | --- | --- | --- | --- | --- |"]
    out += [count.row(f"`{room}`") for room, count in sorted(rooms.items())]
    out += [count.row(f"**all of `{top}/`**") for top, count in sorted(whole.items())]
    return out, set(rooms)


def never_run(files):
    for file in sorted(files, key=lambda f: f["file"]):
        if file["file"].startswith("checker/"):
            text = (ROOT / file["file"]).read_text(encoding="utf-8").splitlines()
            for line in file["lines"]:
                if line["count"] == 0 and not line.get("gcovr/noncode"):
                    yield f'{file["file"]}:{line["line_number"]}: {text[line["line_number"] - 1].strip()}'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("report", type=pathlib.Path)
    parser.add_argument("--write", action="store_true", help="renew docs/coverage.md")
    args = parser.parse_args()
    files = json.loads(args.report.read_text(encoding="utf-8"))["files"]
    lines, counted = table(files)
    missing = missing_rooms(counted)
    if missing:
        print(f"coverage.py: {args.report} has no line of {', '.join(missing)}", file=sys.stderr)
        return 1
    never = list(never_run(files))
    print("\n".join([*lines, "", f"{len(never)} lines of checker/ that no test runs", *never]))
    if args.write:
        PAGE.write_text(HEAD + "\n".join(lines) + f"\n\nLines of `checker/` that no test runs: {len(never)}.\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
