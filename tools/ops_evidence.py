#!/usr/bin/env python3
"""Prints src/ops/evidence.inc: the operators that corpus/ops_evidence.tsv says are tested.

  ops_evidence.py --overloads   prints src/ops/evidence_overloads.inc: the overloads that write, and of which
                                corpus/overloads.tsv says that PyTorch writes and shares what the Trace says
"""
import csv
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def rows(name):
    with open(ROOT / "corpus" / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


if "--overloads" in sys.argv:
    listed = [r["overload"] for r in rows("overloads.tsv") if int(r["agree"]) > 0 and int(r["wrong"]) == 0]
else:
    listed = [r["operator"] for r in rows("ops_evidence.tsv") if r["tested"] == "yes"]
for op in sorted(listed):
    print(f'    "{op}",')
