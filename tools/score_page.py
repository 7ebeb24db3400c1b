#!/usr/bin/env python3
"""Runs `noclobber fuzz` and writes docs/score.md: score_page.py [--seconds N] [--start SEED] [--count N].

What is written depends on the seeds alone, but for the line that names machine and time.
"""
import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEAD = """# Score of the checker

Made by `make score` (`tools/score_page.py`); do not edit. Random programs, rewritten soundly or with one fault of a
named class. A fault is *visible* where a run of both graphs, or the construction of the fault, shows that it changes
what a caller sees; *caught* is a visible one that is not proved. A fault that no run shows may rightly be proved.

"""


def share(part, whole):
    return "–" if whole == 0 else f"{100 * part / whole:.2f} %"


def page(score, seconds):
    classes = score["classes"]
    sound = classes.get("sound", {"made": 0, "proved": 0, "unknown": 0, "refuted": 0})
    version = subprocess.run([ROOT / "build/bin/noclobber", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    yield HEAD
    yield (f"{version}: {score['checks']:,} checks of {score['seeds']:,} seeds, {seconds / 3600:.2f} h on {os.cpu_count()} cores "
           f"({platform.machine()}, other work running). {sound['made']:,} sound rewrites: {share(sound['proved'], sound['made'])} "
           f"proved, {share(sound['unknown'], sound['made'])} unknown, {sound['refuted']} refuted.\n\n")
    yield "| fault | made | visible | caught | refuted | unknown | proved |\n| --- | --- | --- | --- | --- | --- | --- |\n"
    for name, t in classes.items():
        if name == "sound":
            continue
        caught = t["visible"] - t["proved"]
        yield (f"| {name} | {t['made']:,} | {t['visible']:,} | {share(caught, t['visible'])} | {t['refuted']:,} | "
               f"{t['unknown']:,} | {t['proved']} |\n")
    yield "\n## Reached\n\n| what | how often |\n| --- | --- |\n"
    for what in ("kinds", "rules", "evidence", "unknown"):
        yield f"| {what} | " + ", ".join(f"{k} {n:,}" for k, n in (score[what] or {}).items()) + " |\n"
    yield f"\nOperator rows: {score['rows_reached']} of {score['rows']}. Not reached: " + ", ".join(score["rows_missed"]) + ".\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--start", type=int, default=1)
    parser.add_argument("--count", type=int, default=0)
    options = parser.parse_args()
    bound = ["--count", str(options.count)] if options.count else ["--time", str(options.seconds)]
    start = time.monotonic()
    ran = subprocess.run([ROOT / "build/bin/noclobber", "fuzz", "--json", "--start", str(options.start), *bound, "--out",
                          ROOT / "build/fuzz-findings"], stdout=subprocess.PIPE, text=True)
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    for line in lines[:-1]:
        print(f"contradiction: {line['what']}, seed {line['seed']}: {line['message']}", file=sys.stderr)
    if not lines or lines[-1]["kind"] != "score":
        sys.exit("score: noclobber fuzz ended without a score")
    (ROOT / "docs/score.md").write_text("".join(page(lines[-1], time.monotonic() - start)), encoding="utf-8")
    sys.exit(ran.returncode)


if __name__ == "__main__":
    main()
