#!/usr/bin/env python3
"""Flipped .pte files that ExecuTorch's runtime still loads: executorch_flips.py [--start NUMBER] [--count NUMBER]

Of right programs either one to three bits are flipped, sometimes in the data of constants as well, or one number of
the method is edited, until COUNT (1,000) of what came of it were loaded and executed. Draw NUMBER is the same in every run. `compare` with the functional program must not prove one whose results are others than those of
the program as it was. Each file is executed in a process of its own, which may crash. `make flips-executorch`.
"""
from __future__ import annotations

import argparse
import collections
import dataclasses
import enum as enum_module
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
from executorch.exir._serialize._program import deserialize_pte_binary, serialize_pte_binary
from executorch.runtime import Runtime, Verification

import executorch_more  # noqa: F401, adds to PROGRAMS
import executorch_test as test
import noclobber.executorch
from executorch_programs import PROGRAMS
from noclobber import program as nc

NAMES = ["chain", "counter", "l1a-twin", "kv-cache", "l14-twin", "views", "l10-twin", "mutated-input", "topk", "split-cat",
         "dynamic", "map", "l11-off", "cached-on", "rotate"]
SECONDS = 20  # of one execution
STEP = 25  # executions between two lines of progress


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


def leaves(thing: object, found: list[tuple]) -> list[tuple]:
    """Every number below a dataclass or list: who holds it, and under which name or index."""
    names = vars(thing) if dataclasses.is_dataclass(thing) else range(len(thing)) if isinstance(thing, list) else []
    for name in names:
        value = getattr(thing, name) if isinstance(name, str) else thing[name]
        if isinstance(value, (bool, int, float)):
            found.append((thing, name, value))
        elif not isinstance(value, (str, bytes)):
            leaves(value, found)
    return found


def edited(buffer: bytes, rng: random.Random) -> bytes:
    """One number of the method is another one: an argument, a size, a place, an operand, a list."""
    whole = deserialize_pte_binary(buffer)
    plan = whole.program.execution_plan[0]
    places = leaves([plan.values, plan.chains[0].instructions, plan.inputs, plan.outputs, plan.non_const_buffer_sizes], [])
    holder, name, value = rng.choice(places)
    enum = type(value) if isinstance(value, enum_module.Enum) else None
    if enum:
        value = rng.choice(list(enum))
    elif isinstance(value, bool):
        value = not value
    elif isinstance(value, int):
        value = rng.choice([value + 1, value - 1, value ^ 1 << rng.randrange(6), rng.randrange(len(plan.values)), 0, -value])
    else:
        value = rng.choice([value + 1, -value, value * 0.5, 0.0])
    setattr(holder, name, value) if isinstance(name, str) else holder.__setitem__(name, value)
    return bytes(serialize_pte_binary(whole))


def program_bytes(buffer: bytes) -> range:
    """Bytes of the tables: behind them, at a place that the extended header names, come the segments of data."""
    header = buffer[8:]
    size = int.from_bytes(header[8:16], "little") if header[:4].startswith(b"eh") else len(buffer)
    return range(8, min(size, len(buffer)))


def same(a: object, b: object) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return a == b or (a != a and b != b) or (isinstance(a, float) and isinstance(b, float) and abs(a - b) <= 1e-5 * (1 + abs(b)))


def originals(scratch: pathlib.Path) -> list[tuple]:
    """Per program: its name, what was recorded of it, its bytes, calls, and results."""
    made = []
    for name in NAMES:
        program, folder = PROGRAMS[name], scratch / name
        edge = to_edge(test.exported(program), compile_config=EdgeCompileConfig(_check_ir_validity=False))
        with noclobber.executorch.watch(folder):
            buffer = bytes(edge.to_executorch(test.config_of(program)).buffer)
        made.append((name, folder, buffer, program.calls, executed(buffer, program.calls)))
    return made


def one(number: int, made: list[tuple]) -> tuple[str, str, bytes]:
    """Draws one flipped program by its number alone: what became of it, where it came from, its bytes."""
    rng = random.Random(number)
    name, folder, buffer, calls, want = rng.choice(made)
    way = rng.randrange(8)
    try:
        changed = edited(buffer, rng) if way < 4 else flipped(buffer, program_bytes(buffer) if way < 7 else range(8, len(buffer)), rng)
    except Exception:  # noqa: BLE001, what the serializer refuses
        return "not written", name, b""
    got = executed(changed, calls)
    if got is None or got == "crash":
        return "crash" if got else "refused", name, changed
    path = folder / "flipped.pte"
    path.write_bytes(changed)
    try:
        verdict = test.verdict_of(nc.compare(folder / "functional.forward.case.json", path))
    except nc.ProgramError:
        verdict = "unreadable"
    return f"{verdict}, {'same' if same(got, want) else 'other'} results", name, changed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="of programs that are executed")
    parser.add_argument("--start", type=int, default=0, help="number of the first draw; the last line of a run names the next")
    options = parser.parse_args()
    tally, bad, number = collections.Counter(), [], options.start
    with tempfile.TemporaryDirectory() as scratch:
        made = originals(pathlib.Path(scratch))
        while tally["executed"] < options.count:
            outcome, name, changed = one(number, made)
            tally[outcome] += 1
            tally["executed"] += "results" in outcome
            if outcome == "proved, other results":
                kept = pathlib.Path("build") / f"flipped-{name}-{number}.pte"
                kept.write_bytes(changed)
                bad.append(str(kept))
                print(f"BAD  draw {number}: {kept}", flush=True)
            number += 1
            if "results" in outcome and tally["executed"] % STEP == 0:
                print(f"draws {options.start} to {number - 1}: {dict(sorted(tally.items()))}", flush=True)
    print(f"flips: {tally['executed']} executed, {len(bad)} proved with other results; next draw: --start {number}", *bad, sep="\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
