#!/usr/bin/env python3
"""Damages certificates and compares what nc-recheck accepts: recheck_damage.py [COUNT] [SEED]

Certificates of the corpus with one to three words changed. Whatever nc-recheck accepts, a run of its Traces (tools/trace_run.py)
has to confirm, or nc-check to prove where there is no run to compare (too large, or by identities, of which free operators know nothing);
each that nc-check refuses needs a reason of tools/recheck_reasons.py. Goes on where it was stopped (build/recheck-damage-SEED.json).
"""
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import recheck_reasons
import trace_run
from recheck_table import BIN, FOLDERS, ROOT, certificates, nc_recheck

MOST_BYTES = 6000
BATCH = 400
CONFIRMED = ("proved", "surplus", "a lemma too many")  # nc-check proves it, or what is left without something that it does not need


def sum_of(data):
    """checker/text/hash.cpp in Python."""
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


def judge(cert, words, counts, wrong):
    text, said = cert.read_text(errors="surrogateescape"), nc_check(cert)
    named = any("by identities" in s for s in words)
    found = None if named else trace_run.difference(text, any("alike" in s for s in words))
    reason = said if said == "proved" else recheck_reasons.reason(recheck_reasons.Asked(nc_check, nc_recheck, signed), text, said)
    counts["accepted; nc-check: " + (reason if said == "proved" else f"refused, {reason}" if reason else "refused for no known reason")] += 1
    counts["confirmed by a run" if found == "" else "by identities" if named else "too large to run" if found is None else
           "no run: a view leaves its storage" if found == trace_run.NO_RUN else "contradicted"] += 1
    if found not in (None, "", trace_run.NO_RUN) or reason is None or (found is None and reason not in CONFIRMED):
        wrong.append((text, said, found))


def honest():
    """Certificates of the corpus that are small and refute nothing."""
    with tempfile.TemporaryDirectory(prefix="nc_damage_") as folder:
        for name in FOLDERS:
            for cert in certificates(f"corpus/{name}", pathlib.Path(folder) / name):
                text = cert.read_text(errors="surrogateescape")
                if len(text) < MOST_BYTES and text.startswith("noclobber.cert/2") and "\nrefutation 0\n" in text:
                    yield text


def batch(texts, dice, counts, wrong):
    with tempfile.TemporaryDirectory(prefix="nc_damage_") as folder:
        certs = [pathlib.Path(folder) / f"d{k}.cert" for k in range(BATCH)]
        for cert in certs:
            cert.write_text(signed(changed(dice.choice(texts), dice)), errors="surrogateescape")
        said, fault = nc_recheck(certs)
        if fault:
            wrong.append(("", fault, "nc-recheck fell over"))
        for cert in certs:
            counts["damaged"] += 1
            words = said[cert]
            if words and all(s.startswith("accepted") for s in words):
                judge(cert, words, counts, wrong)
            else:
                counts["unreadable" if any("unreadable" in s for s in words) else "refused"] += 1


def main():
    count, seed = (int(a) for a in (*sys.argv[1:3], *("2000", "1")[len(sys.argv[1:3]):]))
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    state, source = build / f"recheck-damage-{seed}.json", build / f"recheck-damage-{seed}.texts.json"
    if not (state.exists() and source.exists()):
        state.unlink(missing_ok=True)
        source.write_text(json.dumps(list(honest())))
    texts, held = json.loads(source.read_text()), json.loads(state.read_text()) if state.exists() else {"counts": {}, "wrong": []}
    counts, wrong = collections.Counter(held["counts"]), held["wrong"]
    while counts["damaged"] < count:
        batch(texts, random.Random(seed * 1_000_003 + counts["damaged"]), counts, wrong)
        state.write_text(json.dumps({"counts": counts, "wrong": wrong}))
    for what, n in counts.most_common():
        print(f"{n:7} {what}")
    for name, _, _, why in recheck_reasons.REASONS:
        print(f"{name}: {why}")
    for k, (text, said, found) in enumerate(wrong[:20]):
        (build / f"damaged-{seed}-{k}.cert").write_text(text, errors="surrogateescape")
        print(f"build/damaged-{seed}-{k}.cert: nc-check says {said!r}, a run {found!r}")
    print(f"recheck-damage: {counts['damaged']} damaged, {len(wrong)} not confirmed")
    return 1 if wrong or not counts["confirmed by a run"] else 0


if __name__ == "__main__":
    sys.exit(main())
