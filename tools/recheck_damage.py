#!/usr/bin/env python3
"""Damages certificates and compares what nc-recheck accepts: recheck_damage.py [COUNT] [SEED]

Certificates of the corpus with one to three words changed. Whatever nc-recheck accepts, a run of its Traces (tools/trace_run.py)
has to confirm, or nc-check to prove where there is no run to compare; what nc-check refuses of it is counted by its reason.
"""
import collections
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import trace_run
from recheck_table import BIN, FOLDERS, certificates, nc_recheck

MOST_BYTES = 6000
BATCH = 400


def sum_of(data):
    """checker/hash.cpp in Python."""
    total, mask = len(data), 2**64 - 1
    for k in range(0, len(data), 8):
        total = (total ^ int.from_bytes(data[k:k + 8], "little")) * 0x9e3779b97f4a7c15 & mask
        total ^= total >> 29
    return f"{total:016x}"


def signed(text):
    body = text[:text.rindex("\nsum ") + 1]
    return f"{body}sum {sum_of(body.encode())}\n"


def changed(text, dice):
    """One to three numbers changed, swapped with the next one, or the order of two lines."""
    start = text.index("\nfacts ") if dice.random() < 0.8 else text.index("\nnumbers ")
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        places = [m for m in re.finditer(r"(?<= )-?\d+(?=[ \n])", text) if m.start() > start]
        one = dice.choice(places)
        way = dice.randrange(4)
        new = {0: str(int(one.group()) + 1), 1: str(max(0, int(one.group()) - 1)), 2: dice.choice(places).group(), 3: str(dice.randrange(4))}[way]
        text = text[:one.start()] + new + text[one.end():]
    return text


def nc_check(cert):
    done = subprocess.run([BIN / "nc-check", cert], capture_output=True, text=True, timeout=60)
    return (done.stdout or done.stderr.partition(": ")[2]).strip().partition(" obligations,")[0] if done.returncode else "proved"


def judge(cert, alike, counts, wrong):
    text, said = cert.read_text(errors="surrogateescape"), nc_check(cert)
    found = trace_run.difference(text, alike)
    reason = said if said == "proved" else re.sub(r"\d+", "N", said.partition(";")[0].partition(": N")[0])[:80]
    counts["accepted; nc-check: " + reason] += 1
    counts["confirmed by a run" if found == "" else "no run to compare" if found is None else "contradicted"] += 1
    if found or (found is None and said != "proved" and "surplus" not in said):
        wrong.append((text, said, found))


def main():
    count, seed = (int(a) for a in (*sys.argv[1:3], *("2000", "1")[len(sys.argv[1:3]):]))
    dice, counts, wrong = random.Random(seed), collections.Counter(), []
    with tempfile.TemporaryDirectory(prefix="nc_damage_") as folder:
        base = pathlib.Path(folder)
        texts = []
        for name in FOLDERS:
            texts += [c.read_text(errors="surrogateescape") for c in certificates(f"corpus/{name}", base / name) if c.stat().st_size < MOST_BYTES]
        texts = [t for t in texts if t.startswith("noclobber.cert/1") and "\nrefutation 0\n" in t]
        for first in range(0, count, BATCH):
            certs = []
            for k in range(min(BATCH, count - first)):
                certs.append(base / f"d{k}.cert")
                certs[-1].write_text(signed(changed(dice.choice(texts), dice)), errors="surrogateescape")
            said, fault = nc_recheck(certs)
            if fault:
                wrong.append(("", fault, "nc-recheck fell over"))
            for cert in certs:
                counts["damaged"] += 1
                what = said[cert]
                if what and all(s.startswith("accepted") for s in what):
                    judge(cert, any("alike" in s for s in what), counts, wrong)
                else:
                    counts["unreadable" if any("unreadable" in s for s in what) else "refused"] += 1
    for what, n in counts.most_common():
        print(f"{n:7} {what}")
    for k, (text, said, found) in enumerate(wrong[:20]):
        pathlib.Path("build").mkdir(exist_ok=True)
        (pathlib.Path("build") / f"damaged-{seed}-{k}.cert").write_text(text, errors="surrogateescape")
        print(f"build/damaged-{seed}-{k}.cert: nc-check says {said!r}, a run {found!r}")
    print(f"recheck-damage: {counts['damaged']} damaged, {len(wrong)} not confirmed")
    return 1 if wrong or not counts["confirmed by a run"] else 0


if __name__ == "__main__":
    sys.exit(main())
