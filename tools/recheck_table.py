#!/usr/bin/env python3
"""What nc-recheck says of each check that nc-check proves, by reason: recheck_table.py [--floor N] [FOLDER...]

Checks the inputs of the folders (corpus/ without what is no input), writes their certificates, and has both decide. Where
nc-recheck accepts a whole certificate that nc-check does not, or refutes one, it says so and fails; below N of 100 accepted checks, too.
"""
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
BIN = pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build/bin"))
FOLDERS = ["cases", "inductor", "oneshot", "later", "thunder", "programs", "doc", "recordings", "logs"]


def certificates(folder, out):
    subprocess.run([BIN / "noclobber", "check", folder, "--run", "never", "--certificate", out], cwd=ROOT, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=600)
    return sorted(pathlib.Path(out).glob("*.cert"))


def nc_check(cert):
    done = subprocess.run([BIN / "nc-check", cert], capture_output=True, text=True, timeout=120)
    return done.stdout.partition(":")[0] if done.returncode != 2 else "unreadable"


def nc_recheck(certs, *options):
    """Per certificate what is said of each of its checks."""
    said = collections.defaultdict(list)
    done = subprocess.run([BIN / "nc-recheck", "--table", *options, *certs], capture_output=True, text=True, timeout=600)
    for line in done.stdout.splitlines():
        file, _, what = line.split("\t")
        said[pathlib.Path(file)].append(what)
    return said, done.stderr


def table(folder):
    """(how many checks of proved certificates by what is said of them, disagreements)"""
    with tempfile.TemporaryDirectory(prefix="nc_recheck_") as out:
        certs = certificates(folder, out)
        said, fault = nc_recheck(certs)
        counts, wrong = collections.Counter(), [f"{folder}: {fault}"] if fault else []
        for cert in certs:
            answer, all_of = nc_check(cert), said[cert]
            accepted = bool(all_of) and all(s.startswith("accepted") for s in all_of)
            if accepted and answer != "proved":
                wrong.append(f"{folder}: {cert.name}: nc-recheck accepts, nc-check says {answer}")
            if all_of[-1:] == ["refuted"] and answer != "refuted":
                wrong.append(f"{folder}: {cert.name}: nc-recheck refutes, nc-check says {answer}")
            if answer == "refuted":
                counts["refutation: " + (all_of[-1] if all_of else "nothing said")] += 1
            if not all_of:
                wrong.append(f"{folder}: {cert.name}: nc-recheck says nothing")
            if answer == "proved":
                counts.update(all_of)
        return counts, wrong


def of(counts, word):
    """How many begin with this word, and of how many proved checks."""
    told = sum(n for what, n in counts.items() if what.startswith(word))
    return told, sum(n for what, n in counts.items() if not what.startswith("refutation"))


def main():
    arguments = sys.argv[1:]
    floor = float(arguments[1]) if arguments[:1] == ["--floor"] else 0
    folders = arguments[2:] if floor else arguments
    whole, wrong = collections.Counter(), []
    for folder in folders or [f"corpus/{f}" for f in FOLDERS]:
        counts, faults = table(folder)
        accepted, every = of(counts, "accepted")
        refutations = of(counts, "refutation")[0]
        print(f"{folder}: {accepted} of {every} proved checks accepted, {counts['refutation: refuted']} of {refutations} refutations replayed")
        whole.update(counts)
        wrong += faults
    for what, count in whole.most_common():
        print(f"{count:6} {what}")
    accepted, every = of(whole, "accepted")
    share = 100 * accepted / max(every, 1)
    print(f"recheck: {accepted} of {every} accepted, {share:.1f} of 100; {len(wrong)} disagreements")
    for line in wrong:
        print(line)
    return 1 if wrong or share < floor else 0


if __name__ == "__main__":
    sys.exit(main())
