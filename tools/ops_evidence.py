#!/usr/bin/env python3
"""Prints src/ops/evidence.inc: the operators that corpus/ops_evidence.tsv says are tested."""
import csv
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[1]

with open(ROOT / "corpus/ops_evidence.tsv", encoding="utf-8", newline="") as file:
    tested = sorted(row["operator"] for row in csv.DictReader(file, delimiter="\t") if row["tested"] == "yes")
for op in tested:
    print(f'    "{op}",')
