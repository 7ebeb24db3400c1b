#!/usr/bin/env python3
"""Runs the scripts that `extract --as pytorch` makes of every refuted check of the corpus, with PyTorch: scripts_run.py [TEXT...]

Each must end with 1 (the fault shows), 0 or 2, within a minute. Says how many show it, and of the others why not. With TEXT only
inputs whose names contain it. Exits 1 if fewer than FLOOR show the fault, or if a script ends otherwise.
"""
import collections
import contextlib
import io
import json
import os
import pathlib
import runpy
import signal
import subprocess
import sys
import tempfile

import torch  # noqa: F401, once for all scripts: each runs in a fork

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("NOCLOBBER_BIN", ROOT / "build" / "bin")).resolve() / "noclobber"
INPUTS = ("corpus/cases", "corpus/oneshot", "corpus/inductor", "corpus/logs/miscompiled", "corpus/recordings", "corpus/thunder",
          "corpus/programs")
FLOOR = 191  # of 246; 2 more did not end within their minute on a busy machine
SECONDS = 60
ENDS = {0: "does not show", 1: "shows", 2: "this PyTorch cannot run it"}


def refuted():
    ran = subprocess.run([BINARY, "check", *INPUTS, "--json"], capture_output=True, text=True, cwd=ROOT)
    records = [json.loads(line) for line in ran.stdout.splitlines()]
    return [r for r in records if r["kind"] == "check" and r["status"] == "refuted"]


def script_of(record):
    """(the script, "") or ("", why there is none)."""
    ran = subprocess.run([BINARY, "extract", record["input"], "--only", record["id"], "--as", "pytorch"],
                         capture_output=True, text=True, cwd=ROOT)
    return ran.stdout, ran.stderr.strip().rpartition(": ")[2]


def run(script):
    """(exit code, what it printed) of a script, in a fork of this process."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file, tempfile.TemporaryFile("w+") as out:
        file.write(script)
        file.flush()
        child = os.fork()
        if child == 0:
            signal.alarm(SECONDS)
            os.dup2(out.fileno(), 1)
            os.dup2(out.fileno(), 2)
            with contextlib.redirect_stdout(io.TextIOWrapper(os.fdopen(1, "wb", closefd=False), write_through=True)):
                try:
                    runpy.run_path(file.name, run_name="__main__")
                except SystemExit as end:
                    sys.stderr.flush()
                    os._exit(end.code or 0)
                except BaseException as error:  # noqa: BLE001, the script's own end
                    print(f"{type(error).__name__}: {error}")
            os._exit(99)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        return code, out.read().strip()


def main():
    counts, why, bad = collections.Counter(), collections.defaultdict(list), []
    for record in refuted():
        name = f"{record['input']} {record['id']}"
        if sys.argv[1:] and not any(text in name for text in sys.argv[1:]):
            continue
        script, fault = script_of(record)
        rules = ",".join(sorted({f["rule"] for f in record["findings"] if "follows" not in f}))
        if not script:
            counts["no script"] += 1
            why[f"no script: {fault}"].append(name)
            continue
        code, printed = run(script.replace("COMPILE = True", "COMPILE = False"))
        counts[ENDS.get(code, "ends otherwise")] += 1
        if code != 1:
            why[f"{ENDS.get(code, code)}, {rules}: {printed[-200:]}"].append(name)
        if code not in ENDS:
            bad.append(name)
    for reason, names in sorted(why.items(), key=lambda item: (-len(item[1]), item[0])):
        print(f"{len(names)} x {reason}\n    " + "\n    ".join(names))
    print(", ".join(f"{n} {what}" for what, n in sorted(counts.items())) + f"; PyTorch {torch.__version__}")
    wanted = 0 if sys.argv[1:] else FLOOR
    return 1 if bad or counts["shows"] < wanted else 0


if __name__ == "__main__":
    sys.exit(main())
