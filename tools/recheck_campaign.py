#!/usr/bin/env python3
"""Random programs through both checkers: recheck_campaign.py [COUNT] [SEED]

`noclobber fuzz --certificate` makes COUNT programs (50,000), sound rewrites and planted faults, and writes the certificate of each
that it decides; nc-recheck says what it makes of these beside nc-check. Whatever nc-recheck accepts, nc-check has to prove;
what it refutes, nc-check has to refute.
Goes on where it was stopped (build/recheck-campaign-SEED.json).
"""
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from recheck_table import BIN, ROOT, nc_recheck

CHUNK = 1000


def chunk(seed, counts, wrong):
    """Certificates of seeds from this one on."""
    with tempfile.TemporaryDirectory(prefix="nc_campaign_") as folder:
        done = subprocess.run([BIN / "noclobber", "fuzz", "--start", str(seed), "--count", str(CHUNK), "--jobs", "1", "--run", "never",
                               "--certificate", folder, "--out", f"{folder}/findings"], capture_output=True, text=True)
        if done.returncode == 2:
            sys.exit(done.stderr)
        for line in done.stdout.splitlines():  # what a run contradicts is the matter of `make fuzz`
            if line.startswith("contradiction["):
                counts["noclobber fuzz: " + line[:150]] += 1
        if done.returncode not in (0, 4):
            wrong.append(f"seeds from {seed}: noclobber fuzz ends with {done.returncode}")
        certs = sorted(pathlib.Path(folder).glob("*.cert"), key=lambda c: int(c.name.partition(".")[0]))
        said, fault = nc_recheck(certs)
        if fault:
            wrong.append(f"seeds from {seed}: nc-recheck: {fault[:300]}")
        counts["programs"] += CHUNK
        for cert in certs:
            answer, words = cert.name.split(".")[1], said[cert]
            accepted = bool(words) and all(s.startswith("accepted") for s in words)
            counts[f"nc-check: {answer}"] += 1
            if words[-1:] == ["refuted"]:
                counts["refutations that nc-recheck replays"] += 1
                if answer != "refuted":
                    wrong.append(f"{cert.name}: nc-recheck refutes what nc-check calls {answer}")
            if answer == "proved":
                counts["of these accepted by nc-recheck" if accepted else
                       "of these: " + next((s for s in words if not s.startswith("accepted")), "nothing said")] += 1
            elif accepted:
                keep = ROOT / f"build/campaign-{cert.name}"
                shutil.copy(cert, keep)
                wrong.append(f"{keep.relative_to(ROOT)}: nc-recheck accepts what nc-check calls {answer}")


def main():
    count, seed = (int(a) for a in (*sys.argv[1:3], *("50000", "1")[len(sys.argv[1:3]):]))
    state = ROOT / f"build/recheck-campaign-{seed}.json"
    held = json.loads(state.read_text()) if state.exists() else {"counts": {}, "wrong": []}
    counts, wrong = collections.Counter(held["counts"]), held["wrong"]
    while counts["programs"] < count:
        chunk(seed + counts["programs"], counts, wrong)
        state.parent.mkdir(exist_ok=True)
        state.write_text(json.dumps({"counts": counts, "wrong": wrong}))
    for what, n in counts.most_common():
        print(f"{n:7} {what}")
    for line in wrong:
        print(line)
    print(f"recheck-campaign: {counts['programs']} programs, {counts['of these accepted by nc-recheck']} accepted by both, "
          f"{len(wrong)} disagreements")
    return 1 if wrong or not counts["of these accepted by nc-recheck"] else 0


if __name__ == "__main__":
    sys.exit(main())
