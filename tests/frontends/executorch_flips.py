#!/usr/bin/env python3
"""Flipped .pte files that ExecuTorch's runtime still loads: executorch_flips.py [COUNT] [SEED]

One to three bits of right programs are flipped, outside of the data of constants, until COUNT (1,000) of what came of it
were loaded and executed. `compare` with the functional program must not prove one whose results are others than those of
the program as it was. Each file is executed in a process of its own, which may crash. `make flips-executorch`.
"""
from __future__ import annotations

import collections
import copy
import os
import pathlib
import pickle
import random
import signal
import sys
import tempfile
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
warnings.filterwarnings("ignore")

import torch
from executorch.exir import EdgeCompileConfig, to_edge
from executorch.runtime import Runtime, Verification

import executorch_more  # noqa: F401, adds to PROGRAMS
import executorch_test as test
import noclobber.executorch
from executorch_programs import PROGRAMS
from noclobber import program as nc

NAMES = ["chain", "counter", "l1a-twin", "kv-cache", "l14-twin", "views", "l10-twin", "mutated-input", "topk", "split-cat",
         "dynamic", "map", "l11-off", "cached-on", "rotate"]
SECONDS = 20  # of one execution


def executed(buffer: bytes, calls: list[tuple]) -> object:
    """Results of all calls in a process of its own, "crash", or None where it was not loaded or refused to run."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1), os.dup2(silent, 2)
        signal.alarm(SECONDS)
        answer = None
        try:
            method = Runtime.get().load_program(buffer, verification=Verification.Minimal).load_method("forward")
            answer = [[r.tolist() if isinstance(r, torch.Tensor) else r for r in method.execute(copy.deepcopy(list(c)))]
                      for c in calls]
        except Exception:  # noqa: BLE001, the runtime's refusals
            pass
        with os.fdopen(write, "wb") as out:
            pickle.dump(answer, out)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as source:
        said = source.read()
    _, status = os.waitpid(child, 0)
    return pickle.loads(said) if status == 0 and said else "crash"


def flipped(buffer: bytes, free: range, rng: random.Random) -> bytes:
    out = bytearray(buffer)
    for _ in range(rng.randint(1, 3)):
        out[rng.choice(free)] ^= 1 << rng.randrange(8)
    return bytes(out)


def program_bytes(buffer: bytes) -> range:
    """Bytes of the tables: behind them, at a place that the extended header names, come the segments of data."""
    header = buffer[8:]
    size = int.from_bytes(header[8:16], "little") if header[:4].startswith(b"eh") else len(buffer)
    return range(8, min(size, len(buffer)))


def same(a: object, b: object) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return a == b or (a != a and b != b) or (isinstance(a, float) and isinstance(b, float) and abs(a - b) <= 1e-5 * (1 + abs(b)))


def main() -> int:
    count, rng = int(sys.argv[1]) if len(sys.argv) > 1 else 1000, random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    tally, bad, originals = collections.Counter(), [], []
    with tempfile.TemporaryDirectory() as scratch:
        for name in NAMES:
            program, folder = PROGRAMS[name], pathlib.Path(scratch) / name
            edge = to_edge(test.exported(program), compile_config=EdgeCompileConfig(_check_ir_validity=False))
            with noclobber.executorch.watch(folder):
                made = edge.to_executorch(test.config_of(program))
            originals.append((name, folder, bytes(made.buffer), program.calls, executed(bytes(made.buffer), program.calls)))
        while tally["executed"] < count:
            name, folder, buffer, calls, want = rng.choice(originals)
            changed = flipped(buffer, program_bytes(buffer), rng)
            got = executed(changed, calls)
            tally["tried"] += 1
            if got is None or got == "crash":
                tally["crash" if got else "refused"] += 1
                continue
            tally["executed"] += 1
            path = folder / "flipped.pte"
            path.write_bytes(changed)
            try:
                verdict = test.verdict_of(nc.compare(folder / "functional.forward.case.json", path))
            except nc.ProgramError:
                verdict = "unreadable"
            right = same(got, want)
            tally[f"{verdict}, {'same' if right else 'other'} results"] += 1
            if verdict == "proved" and not right:
                kept = pathlib.Path("build") / f"flipped-{name}-{len(bad)}.pte"
                kept.write_bytes(changed)
                bad.append(str(kept))
    print(dict(sorted(tally.items())))
    print(f"flips: {tally['executed']} executed, {len(bad)} proved with other results", *bad, sep="\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
