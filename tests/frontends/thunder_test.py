#!/usr/bin/env python3
"""Runs Thunder and noclobber on programs and compares: thunder_test.py [--only NAME] [--keep DIRECTORY]

Needs lightning-thunder 0.2.6 and the package noclobber (`make test-thunder` installs both). A program is wrong where
the compiled function does something else than eager execution, on any of a few contents; nothing else decides what is
expected. A wrong one must be refuted at the transform that broke it, a right one nowhere. The last trace is executed
in other orders of its names, and the claim about every order must agree.
"""
from __future__ import annotations

import argparse
import collections
import pathlib
import sys
import tempfile
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
warnings.filterwarnings("ignore")

import thunder_run
import torch
from noclobber import program as nc
from thunder_programs import PROGRAMS

SEEDS = (1, 2, 3)
ORDERS = 200
MINIMUM_PROVED = 0.9  # of the programs that are right when run


def complaints(name: str, run: thunder_run.Run, records: list[dict]) -> list[str]:
    """Where noclobber and execution differ."""
    refuted = [r for r in records if r.get("status") == "refuted"]
    errors = [r["message"] for r in records if r["kind"] == "error"]
    said = [f"unreadable: {e}" for e in errors]
    if run.crash:
        return said + ([] if refuted else [f"the compiler raised {run.crash.split(':')[0]}, nothing is refuted"])
    if run.difference and not refuted:
        said.append("wrong when run, refuted nowhere")
    late = all(f["property"] == "return-not-last" for r in refuted for f in r["findings"])  # wrong, seen or not
    if not run.difference and refuted and not late:
        said.append(f"right when run, {refuted[0]['id']} is refuted")
    last = [r["every_order"] for r in records if "every_order" in r and not r["id"].startswith("bw")][-1:]
    if run.orders and last:
        if run.orders != "same" and last != ["refuted"]:
            said.append(f"other orders differ ({run.orders}), every order is {last[0]}")
        if run.orders == "same" and last == ["refuted"]:
            said.append("no order differs, every order is refuted")
    return said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    tally, bad = collections.Counter(), []
    with tempfile.TemporaryDirectory() as scratch:
        runs = {}
        for name, each in PROGRAMS.items():
            if not options.only or options.only == name:
                folder = (options.keep or pathlib.Path(scratch)) / name.replace("/", ".")
                folder.mkdir(parents=True, exist_ok=True)
                orders = 0 if each.backward else ORDERS
                runs[name] = thunder_run.run(each.function, each.inputs, each.mode, folder, orders, SEEDS, each.backward)
        found = collections.defaultdict(list)
        for record in nc.all_records(["check", *(str(r.folder) for r in runs.values())]):
            found[record.get("input")].append(record)
        for name, run in runs.items():
            records = [r for r in found[str(run.folder)] if r["kind"] in ("check", "error")]
            said = complaints(name, run, records)
            bad += [f"{name}: {s}" for s in said]
            state = "crash" if run.crash else "wrong" if run.difference else "right"
            proved = all(r.get("status") == "proved" for r in records)
            tally[state], tally["proved"] = tally[state] + 1, tally["proved"] + (state == "right" and proved)
            print(f"{'BAD ' if said else 'ok  '} {name:34} {run.crash or run.difference or 'right'}\n       {shown(records)}")
    print(*bad, sep="\n")
    print(f"thunder: {len(runs)} programs, {tally['wrong']} wrong when run, {tally['crash']} refused by Thunder, "
          f"{tally['right']} right ({tally['proved']} proved), {len(bad)} complaints")
    return 1 if bad or not runs or tally["proved"] < MINIMUM_PROVED * tally["right"] else 0


def shown(records: list[dict]) -> str:
    """What is not proved, by transform, and the claim about every order of the last trace."""
    parts = []
    for r in records:
        if r["kind"] == "check" and r["status"] != "proved":
            rules = sorted({f["property"] for f in r["findings"]} | {u["reason"] for u in r.get("unknown", [])})
            parts.append(f"{r['id']}={r['status']}({','.join(rules)})")
    orders = [r["every_order"] for r in records if "every_order" in r]
    return " ".join([*(parts or ["proved"]), f"every order: {orders[-1] if orders else 'none'}"])


if __name__ == "__main__":
    sys.exit(main())
