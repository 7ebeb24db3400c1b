#!/usr/bin/env python3
"""Runs `noclobber fuzz` and writes docs/score.md.

score_page.py [--seconds N] [--start SEED] [--count N] [--scores FILE...] [--hours H]

FILEs hold scores that `noclobber fuzz --json` printed earlier; with them nothing is run, and --hours says how
long that took.  What is written depends on the seeds alone, but for the line that names machine and time.
"""
import argparse
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEAD = """# Score of the checker

Made by `make score` (`tools/score_page.py`); do not edit. Random programs over the operator table, rewritten soundly
or with one fault of a named class. A fault is *visible* where a run of both graphs, or the construction of the fault,
shows that it changes what a caller sees; *caught* is a visible one that is not proved. A fault that no run shows may
rightly be proved. A sound rewrite counts as *not supported* where the program beside itself is not proved either: the
checker does not know enough of an operator in it. A sound rewrite over symbols is sound for the sizes that it was run
with; one that is refuted breaks at others, which a replay shows.

Of `Reached`, cross-checks are what was asked besides: the second engine (`engines`, and how many both decided), `nc-check`
(`certificates`), the case as text, damaged text, both graphs as a log, with next to no effort (`starved`), with advice.
Evidence counts checks: who decided, then what their certificates hold where one was made (every fourth seed), by the names
of [certificate.md](certificate.md). Reasons for unknown count those of the cross-checks as well: with
next to no effort (resource-limit), and of texts that were damaged (unreadable).

"""
# Every reason that src/ gives for unknown.
REASONS = ("approximated", "no-metadata", "not-certified", "not-replayed", "resource-limit", "truncated-input", "unreadable", "unsupported-op")


def share(part, whole):
    return "–" if whole == 0 else f"{100 * part / whole:.2f} %"


def added(scores):
    """Counts of several runs over different seeds; what each of them missed."""
    out = {}
    for score in scores:
        for key, value in score.items():
            if isinstance(value, dict):
                out[key] = added([out.get(key, {}), value])
            elif key in ("rows_missed", "evidence_missed"):
                out[key] = sorted(set(out.get(key, value)) & set(value))
            elif isinstance(value, int) and key != "rows":
                out[key] = out.get(key, 0) + value
            else:
                out[key] = value
    return out


def reasons():
    """Why no program reaches a row: [(prefix of its name, reason)]."""
    page = ROOT / "tools/score_unreached.tsv"
    rows = page.read_text(encoding="utf-8").splitlines()
    return [tuple(row.split("\t")) for row in rows if row and not row.startswith("#")]


def unreached(score):
    rules, codes = reasons(), {}
    for row in score["rows_missed"]:
        why = next((reason for prefix, reason in rules if row.startswith(prefix)), "not seen in these seeds")
        codes.setdefault(why, []).append(row)
    for why, rows in sorted(codes.items(), key=lambda item: -len(item[1])):
        yield f"- {why} ({len(rows)}): " + ", ".join(f"`{row}`" for row in rows) + "\n"


def small_programs():
    """All programs of so many steps, as far as two minutes reach."""
    command = ["fuzz", "--exhaustive", "3", "--buffers", "3", "--time", "120", "--out", "build/fuzz-findings"]
    ran = subprocess.run([ROOT / "build/bin/noclobber", *command], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    yield "\n## All small programs\n\n"
    yield ("Every program of so many steps over views, pointwise operators, copies, a scatter and a reader of anything, every\n"
           "in-place choice and order, every plan of up to so many buffers; the verdicts against runs and lives. This scope fits\n"
           "in two minutes. Open is what is neither proved nor replayed, as a sum of one element in its place. Again: `make exhaustive`.\n\n")
    yield "```\n" + ran.stdout + "```\n"


def unseen(score):
    """Rules, reasons and kinds of evidence that no seed reached."""
    known = dict(reasons())
    rules = re.findall(r"NC_RULE\((NC\d+)", (ROOT / "src/report/rules.def").read_text(encoding="utf-8"))
    for code in rules:
        if code not in score["rules"]:
            yield f"{code}: {known.get(code, 'not seen in these seeds')}"
    for reason in REASONS:
        if reason not in score["unknown"]:
            yield f"{reason}: {known.get('reason:' + reason, 'not seen in these seeds')}"
    for kind in score["evidence_missed"]:
        yield f"evidence {kind}: {known.get('evidence:' + kind, 'not seen in these seeds')}"


def page(score, hours):
    classes = score["classes"]
    sound = {"made": 0, "proved": 0, "unknown": 0, "refuted": 0, "beyond": 0} | classes.get("sound", {})
    supported = sound["made"] - sound["beyond"]
    open_ones = sound["unknown"] - sound["beyond"]
    version = subprocess.run([ROOT / "build/bin/noclobber", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    yield HEAD
    yield (f"{version}: {score['checks']:,} checks of {score['seeds']:,} seeds, {hours:.2f} h on {os.cpu_count()} cores "
           f"({platform.machine()}, other work running).\n\n")
    yield (f"{sound['made']:,} sound rewrites, {sound['beyond']:,} of them of programs that are not supported; of the others "
           f"{share(sound['proved'], supported)} proved, {share(open_ones, supported)} ({open_ones}) unknown, "
           f"{sound['refuted']} refuted.\n\n")
    yield "| fault | made | visible | caught | refuted | unknown | proved |\n| --- | --- | --- | --- | --- | --- | --- |\n"
    for name, t in sorted(classes.items()):
        if name == "sound":
            continue
        caught = t["visible"] - t["proved"]
        yield (f"| {name} | {t['made']:,} | {t['visible']:,} | {share(caught, t['visible'])} | {t['refuted']:,} | "
               f"{t['unknown']:,} | {t['proved']} |\n")
    yield "\n## Reached\n\n| what | how often |\n| --- | --- |\n"
    for what in ("cross_checks", "kinds", "rules", "evidence", "unknown"):
        yield f"| {what.replace('_', '-')} | " + ", ".join(f"{k} {n:,}" for k, n in sorted((score[what] or {}).items())) + " |\n"
    yield "\n## Not reached\n\n"
    yield from (f"- {line}\n" for line in unseen(score))
    missed = len(score["rows_missed"])
    yield f"\nOperator rows: {score['rows'] - missed} of {score['rows']}." + (" The others:\n\n" if missed else "\n")
    yield from unreached(score)
    yield from small_programs()


def measured(options):
    bound = ["--count", str(options.count)] if options.count else ["--time", str(options.seconds)]
    start = time.monotonic()
    ran = subprocess.run([ROOT / "build/bin/noclobber", "fuzz", "--json", "--start", str(options.start), *bound, "--out",
                          ROOT / "build/fuzz-findings"], stdout=subprocess.PIPE, text=True)
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    for line in lines[:-1]:
        print(f"contradiction: {line['what']}, seed {line['seed']}: {line['message']}", file=sys.stderr)
    if not lines or lines[-1]["kind"] != "score":
        sys.exit("score: noclobber fuzz ended without a score")
    return lines[-1], (time.monotonic() - start) / 3600, ran.returncode


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--start", type=int, default=1)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--scores", nargs="*", default=[])
    parser.add_argument("--hours", type=float, default=0)
    options = parser.parse_args()
    if options.scores:
        found, code = [json.loads(pathlib.Path(name).read_text(encoding="utf-8")) for name in options.scores], 0
        score, hours = added(found), options.hours
    else:
        score, hours, code = measured(options)
    (ROOT / "docs/score.md").write_text("".join(page(score, hours)), encoding="utf-8")
    sys.exit(code)


if __name__ == "__main__":
    main()
