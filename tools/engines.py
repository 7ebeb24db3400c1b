#!/usr/bin/env python3
"""Compares the two engines over the corpus: engines.py [NOCLOBBER]

`--engine auto` (rules, Z3 for the rest) and `--engine z3` (questions made from the Traces alone) share no reasoning.
Wherever both decide a check they must decide alike, and each must decide nearly all that the other decides.
"""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("cases", "inductor", "oneshot", "later", "logs", "thunder")
LEAST_SHARE = 0.95  # of the checks that one engine decides, the other decides as many
DECIDED = ("proved", "refuted")


def verdicts(binary, folder, engine):
    """(input, id) -> status, for every record of a run; numbered where an id comes twice."""
    found = (ROOT / "corpus" / folder).iterdir() if folder == "thunder" else (ROOT / "corpus" / folder).rglob("*")
    inputs = sorted(str(p.relative_to(ROOT)) for p in found
                    if (p.is_dir() if folder == "thunder" else p.name.endswith((".json", ".log", ".log.gz"))))
    ran = subprocess.run([binary, "check", "--json", "--engine", engine, *inputs], cwd=ROOT, capture_output=True,
                         text=True, timeout=800)
    out = {}
    for line in ran.stdout.splitlines():
        record = json.loads(line)
        if record.get("kind") == "summary":
            continue
        key, number = (record.get("input", ""), record.get("id", record.get("where", ""))), 0
        while (*key, number) in out:
            number += 1
        # Of a trace also the claim about every order: 300 steps and fewer, as all of these are.
        out[(*key, number)] = record.get("status", "error")
        if record.get("every_order"):
            out[(key[0], f"{key[1]} in every order", number)] = record["every_order"]
    return out


def main():
    default = pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")) / "noclobber"
    binary = sys.argv[1] if len(sys.argv) > 1 else str(default)
    faults, shares = [], {"auto": 0, "z3": 0}
    total = both = 0
    for folder in FOLDERS:
        auto, z3 = (verdicts(binary, folder, engine) for engine in ("auto", "z3"))
        if not auto or auto.keys() != z3.keys():
            faults.append(f"{folder}: {len(auto)} and {len(z3)} records, and not of the same checks")
        alike = 0
        for key in sorted(auto.keys() & z3.keys()):
            mine, other = auto[key], z3[key]
            shares["auto"] += mine in DECIDED
            shares["z3"] += other in DECIDED
            alike += mine == other and mine in DECIDED
            if (mine in DECIDED and other in DECIDED or "error" in (mine, other)) and mine != other:
                faults.append(f"{key[0]} {key[1]}: auto says {mine}, z3 says {other}")
        only = [sum(a[k] in DECIDED and b[k] not in DECIDED for k in a.keys() & b.keys())
                for a, b in ((auto, z3), (z3, auto))]
        print(f"{folder}: {len(auto)} checks, {alike} decided alike by both, {only[0]} by auto only, {only[1]} by z3 only")
        total, both = total + len(auto), both + alike
    if min(shares.values()) < LEAST_SHARE * max(shares.values()):
        faults.append(f"one engine decides less than {LEAST_SHARE:.0%} of the other: {shares}")
    print("\n".join(faults), end="\n" if faults else "")
    print(f"engines: {total} checks, {both} decided alike, {len(faults)} faults")
    return 1 if faults or not both else 0


if __name__ == "__main__":
    sys.exit(main())
