#!/usr/bin/env python3
"""Random functions through Thunder itself, noclobber's verdicts against running them: random_thunder.py [--count N]

    random_thunder.py --seed 0 --count 5000 --keep build/random_thunder

Needs lightning-thunder and the package noclobber (`make test-thunder` makes an environment that has both). Each
program is compiled one way, called on two contents, and its last trace is executed in up to --orders other orders of
its names. A miss is a difference with everything proved, a false alarm a refutation of what never differs. Programs
with complaints are kept in the folder, with their source; the last lines count. Exit code 1 where there are any.
"""
from __future__ import annotations

import argparse
import collections
import os
import pathlib
import random
import shutil
import sys
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "frontends"))
warnings.filterwarnings("ignore")

import thunder_run
import torch
from noclobber import program

BATCH = 100
SQUARE, ROW, FLAT, PAIR = (3, 3), (3,), (9,), (2, 3)
INPUTS = {
    "apart": ("torch.randn(3, 3), torch.randn(3, 3), torch.randn(3, 3)", (SQUARE,) * 3),
    "same": ("(lambda t: (t, t, torch.randn(3, 3)))(torch.randn(3, 3))", (SQUARE,) * 3),
    "view": ("(lambda t: (t, t.view(-1), torch.randn(3, 3)))(torch.randn(3, 3))", (SQUARE, FLAT, SQUARE)),
    "row": ("(lambda t: (t, t[1], torch.randn(3)))(torch.randn(3, 3))", (SQUARE, ROW, ROW)),
    "rows": ("(lambda t: (t[0], t[1], torch.randn(3, 3)))(torch.randn(2, 3))", (ROW, ROW, SQUARE)),
    "overlap": ("(lambda t: (t[0:3], t[2:5], torch.randn(3, 3)))(torch.randn(6))", (ROW, ROW, SQUARE)),
    "turned": ("(lambda t: (t, t.t(), torch.randn(3, 3)))(torch.randn(3, 3))", (SQUARE,) * 3),
}
WEIGHTS = {"apart": 8, "same": 1, "view": 1, "row": 1, "rows": 1, "overlap": 1, "turned": 1}
UNARY = ("torch.tanh({})", "torch.sin({})", "{} * 0.75", "{} + 0.5", "-{}", "torch.relu({})", "torch.sigmoid({})",
         "torch.abs({})", "torch.exp(torch.tanh({}))", "{} / 3")
BINARY = ("{} * {}", "{} + {}", "{} - {}", "torch.maximum({}, {})", "torch.where({0} > 0, {0}, {1})", "{} * 2 - {}")
WRITES = ("{}.add_(1.25)", "{}.mul_(0.5)", "{}.sin_()", "{}.tanh_()", "{}.neg_()", "{}.relu_()", "{}.sigmoid_()",
          "{}.zero_()", "{}.exp_()", "F.relu({}, inplace=True)")
WRITES2 = ("{}.add_({})", "{}.mul_({})", "{}.sub_({})", "{}.copy_({})")
VIEWS = {SQUARE: (("{}.view(-1)", FLAT), ("{}.t()", SQUARE), ("{}[0:2]", PAIR), ("{}[1]", ROW),
                  ("{}.transpose(0, 1)", SQUARE), ("{}.reshape(9)", FLAT), ("{}[2]", ROW), ("{}[1:3]", PAIR)),
         FLAT: (("{}.view(3, 3)", SQUARE), ("{}[0:3]", ROW), ("{}[6:9]", ROW), ("{}.reshape(3, 3)", SQUARE)),
         PAIR: (("{}[0]", ROW), ("{}[1]", ROW)),
         ROW: (("{}.view(3)", ROW), ("{}.unsqueeze(0).squeeze(0)", ROW))}


class Writer:
    """Writes one random function. `shapes` are of the names that can be used."""

    def __init__(self, rng: random.Random):
        self.rng, self.lines, self.shapes = rng, [], {}
        self.kind = rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        for name, shape in zip("abc", INPUTS[self.kind][1]):
            self.shapes[name] = shape

    def source(self) -> str:
        for _ in range(self.rng.randint(2, 8)):
            self.line()
        names = self.rng.sample(sorted(self.shapes), self.rng.randint(1, min(3, len(self.shapes))))
        body = "\n".join(f"    {line}" for line in self.lines)
        return (f"import torch\nimport torch.nn.functional as F\n\n\ndef f(a, b, c):\n{body}\n"
                f"    return {', '.join(names)},\n\n\ndef inputs():\n    return {INPUTS[self.kind][0]}\n")

    def line(self) -> None:
        kind = self.rng.choices(("unary", "binary", "matmul", "view", "write", "write2", "set", "named"),
                                (3, 3, 2, 4, 5, 3, 1, 2))[0]
        name = self.pick()
        same = self.pick(self.shapes[name])
        if kind == "unary":
            self.bind(self.rng.choice(UNARY).format(name), self.shapes[name])
        elif kind == "binary":
            self.bind(self.rng.choice(BINARY).format(name, same), self.shapes[name])
        elif kind == "matmul" and (square := self.pick(SQUARE)):
            self.bind(f"{square} @ {self.pick(SQUARE)} * 0.4", SQUARE)
        elif kind == "view":
            text, shape = self.rng.choice(VIEWS[self.shapes[name]])
            self.bind(text.format(name), shape)
        elif kind == "write":
            self.lines.append(self.rng.choice(WRITES).format(name))
        elif kind == "write2":
            self.lines.append(self.rng.choice(WRITES2).format(name, same))
        elif kind == "set":
            self.lines.append(f"{name}[0:1] = {self.rng.randint(2, 9)}.5")
        elif kind == "named":
            self.bind(self.rng.choice(WRITES).format(name), self.shapes[name])

    def pick(self, shape: tuple | None = None) -> str | None:
        """A name, of this shape if one is asked for, rather a late one than an early one."""
        names = [n for n, s in self.shapes.items() if shape in (None, s)]
        return self.rng.choices(names, range(1, len(names) + 1))[0] if names else None

    def bind(self, text: str, shape: tuple) -> None:
        name = f"v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        self.shapes[name] = shape


def compiled(seed: int, folder: pathlib.Path, orders: int) -> tuple[str, thunder_run.Run] | None:
    """(mode, what was seen) of the program of this seed; None where eager execution refuses it."""
    rng = random.Random(seed)
    source, mode = Writer(rng).source(), rng.choice(("torch", *thunder_run.MODES))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "program.py"
    path.write_text(f"# seed {seed}, {mode}\n{source}")
    names: dict = {}
    exec(compile(source, str(path), "exec"), names)  # noqa: S102, written above
    try:
        thunder_run.observe(names["f"], thunder_run._seeded(names["inputs"], 1), False)
    except (RuntimeError, IndexError, ValueError):
        return None
    return mode, thunder_run.run(names["f"], names["inputs"], mode, folder, orders, (1, 2))


def judged(records: list[dict]) -> tuple[str, str, set[str]]:
    """(verdict of all pairs, every_order of the last trace, reasons of what is unknown)."""
    statuses = {r["status"] for r in records}
    pairs = next((s for s in ("refuted", "error", "unknown") if s in statuses), "proved")
    reasons = {f"{u['reason']} {' '.join(u['names'][:2])}" for r in records for u in r.get("unknown", [])}
    return pairs, "none" if pairs == "error" else records[-1].get("every_order", "none"), reasons


def complaint(run: thunder_run.Run, pairs: str, every_order: str) -> str:
    if run.crash:
        return ""
    said = []
    if pairs == "error":
        said.append("unreadable")
    if run.difference and pairs == "proved":
        said.append("miss")
    if not run.difference and pairs == "refuted":
        said.append("false alarm")
    if run.orders and run.orders != "same" and every_order == "proved":
        said.append("miss in another order")
    if run.orders == "same" and every_order == "refuted":
        said.append("false alarm in every order")
    return ", ".join(said)


def checked(folders: list[pathlib.Path]) -> dict[str, list[dict]]:
    """Records by folder. A trace that cannot be read is a record of status error."""
    found: dict = collections.defaultdict(list)
    for record in program.all_records(["check", *map(str, folders)]):
        if record["kind"] == "check":
            found[record["input"]].append(record)
        elif record["kind"] == "error":
            found[str(record["input"])].append({"status": "error", "unknown": [], "every_order": "none"})
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--orders", type=int, default=200)
    parser.add_argument("--keep", type=pathlib.Path, default=ROOT / "build" / "random_thunder")
    options = parser.parse_args()
    tally, reasons, bad = collections.Counter(), collections.Counter(), 0
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as scratch:
        seed = options.seed
        while tally["programs"] < options.count:
            runs = {}
            while len(runs) < min(BATCH, options.count - tally["programs"]):
                folder = pathlib.Path(scratch) / str(seed)
                if (seen := compiled(seed, folder, options.orders)) is not None and any(folder.glob("*.trace.txt")):
                    runs[folder] = seen
                seed += 1
            records = checked(list(runs))
            for folder, (mode, run) in runs.items():
                pairs, every_order, why = judged(records.get(str(folder)) or [{"status": "error", "unknown": []}])
                count(tally, reasons, run, pairs, every_order, why)
                if found := complaint(run, pairs, every_order):
                    bad += 1
                    shutil.copytree(folder, options.keep / folder.name, dirs_exist_ok=True)
                    print(f"seed {folder.name} {mode}: {found}: run {run.difference or 'right'}, orders {run.orders},"
                          f" pairs {pairs}, every order {every_order}", flush=True)
                shutil.rmtree(folder)
    print(f"seeds {options.seed} to {seed - 1}: " + ", ".join(f"{k} {v}" for k, v in sorted(tally.items())))
    for reason, number in reasons.most_common(12):
        print(f"  unknown {number} times: {reason}")
    print(f"random_thunder: {tally['programs']} programs, {bad} complaints")
    return 1 if bad else 0


def count(tally: collections.Counter, reasons: collections.Counter, run: thunder_run.Run, pairs: str, every_order: str,
          why: set[str]) -> None:
    tally["programs"] += 1
    tally["orders executed"] += run.executed
    if run.crash:
        tally["compiler raised"] += 1
        return
    tally[f"{'wrong' if run.difference else 'right'} when run, pairs {pairs}"] += 1
    wrong = "same" if run.orders == "same" else "differ"
    tally[f"orders {wrong}, every order {every_order}"] += 1
    reasons.update(why)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    sys.exit(main())
