#!/usr/bin/env python3
"""Random functions through Thunder itself, noclobber's verdicts against running them: random_thunder.py [--count N]

    random_thunder.py --seed 0 --count 5000 --keep build/random_thunder

Needs lightning-thunder and the package noclobber (`make thunder-agree` makes an environment that has both). Each
program is compiled one way and called on two contents; its last trace is executed in all orders of its names, or in
--orders of them where there are more than 2,000. Some programs are differentiated, and then not reordered. A miss is a
difference with everything proved, a false alarm a refutation of what never differs: neither the program, on more
contents then, nor the traces of the refuted pair. (Where a saved tensor is overwritten the joint trace is wrong, and a
later transform that computes it again may make it right: two refutations.)
Programs with complaints are kept in the folder, with their source; the last lines count. Exit code 1 where there are
any. After every 25 programs the counts are written there too (SEED.json): the same command goes on from them.
"""
from __future__ import annotations

import argparse
import collections
import json
import os
import pathlib
import random
import re
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

BATCH = 25
BACKWARD = 0.15  # of the programs
SQUARE, ROW, FLAT, PAIR, LINE = (3, 3), (3,), (9,), (2, 3), (1, 3)
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
HEAD = """import torch
import torch.nn.functional as F


class Sine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.cos())
        return x.sin_()

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        y.mul_(2)
        return x * y

    @staticmethod
    def backward(ctx, g):
        return g, g


"""
UNARY = ("torch.tanh({})", "torch.sin({})", "{} * 0.75", "{} + 0.5", "-{}", "torch.relu({})", "torch.sigmoid({})",
         "torch.abs({})", "torch.exp(torch.tanh({}))", "{} / 3", "F.softmax({}, -1)", "{}.clamp(-0.5, 1.5)", "{}.clone()",
         "F.gelu({})", "{0} - {0}.mean(0)", "{0} * {0}.sum(-1, keepdim=True)", "{}.cumsum(0)", "torch.flip({}, (0,))",
         "{}.to(torch.float64).to(torch.float32)", "{}.to(torch.int32).to(torch.float32)", "torch.sqrt({}.abs() + 1)",
         "{}.masked_fill({} > 0.5, 2.0)", "F.layer_norm({0}, ({0}.shape[-1],))", "{0} + {0}.amax(-1, keepdim=True)")
BINARY = ("{} * {}", "{} + {}", "{} - {}", "torch.maximum({}, {})", "torch.where({0} > 0, {0}, {1})", "{} * 2 - {}")
WRITES = ("{}.add_(1.25)", "{}.mul_(0.5)", "{}.sin_()", "{}.tanh_()", "{}.neg_()", "{}.relu_()", "{}.sigmoid_()",
          "{}.zero_()", "{}.exp_()", "F.relu({}, inplace=True)", "Sine.apply({})", "{}.clamp_(-1, 1)", "{}.div_(2)",
          "F.silu({}, inplace=True)", "{}.reciprocal_()", "F.hardswish({}, inplace=True)", "{0}.pow_(2)", "{}.fill_(0.25)")
WRITES2 = ("{}.add_({})", "{}.mul_({})", "{}.sub_({})", "{}.copy_({})", "{}.add_({}, alpha=0.5)", "{1}.copy_({0}.tanh())",
           "{}.div_({}.abs() + 1)", "Scaled.apply({}, {})")
ALIASES = ("F.dropout({}, 0.5, training=False)", "{}.contiguous()", "{}.to(torch.float32)", "{0}.type_as({0})",
           "{}.view_as({})", "{}[...]", "{}.float()")
VIEWS = {SQUARE: (("{}.view(-1)", FLAT), ("{}.t()", SQUARE), ("{}[0:2]", PAIR), ("{}[1]", ROW),
                  ("{}.transpose(0, 1)", SQUARE), ("{}.reshape(9)", FLAT), ("{}[2]", ROW), ("{}[1:3]", PAIR),
                  ("{}.flatten()", FLAT), ("{}.mT", SQUARE), ("{}.split(2)[0]", PAIR), ("{}.chunk(3)[1]", LINE),
                  ("{}[:, 1]", ROW), ("{}.unbind(0)[2]", ROW), ("{}.t()[0:2]", PAIR), ("{}.permute(1, 0)", SQUARE),
                  ("{}.select(0, 1)", ROW), ("{}.narrow(0, 1, 2)", PAIR), ("torch.movedim({}, 0, 1)", SQUARE)),
         FLAT: (("{}.view(3, 3)", SQUARE), ("{}[0:3]", ROW), ("{}[6:9]", ROW), ("{}.reshape(3, 3)", SQUARE)),
         PAIR: (("{}[0]", ROW), ("{}[1]", ROW), ("torch.cat(({0}, {0}))[0:3]", SQUARE), ("{}[1:2]", LINE)),
         LINE: (("{}.squeeze(0)", ROW), ("{}.expand(3, 3)", SQUARE), ("{}.view(3)", ROW), ("{}[0]", ROW)),
         ROW: (("{}.view(3)", ROW), ("{}.unsqueeze(0).squeeze(0)", ROW), ("{}.unsqueeze(0)", LINE), ("{}[None]", LINE),
               ("torch.stack(({0}, {0}, {0}))", SQUARE))}


class Writer:
    """Writes one random function. `shapes` are of the names that can be used."""

    def __init__(self, rng: random.Random, backward: bool):
        self.rng, self.lines, self.shapes, self.backward = rng, [], {}, backward
        self.kind = "apart" if backward else rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        for name, shape in zip("abc", INPUTS[self.kind][1]):
            if backward:
                self.bind(f"{name} * 1.5", shape)
            else:
                self.shapes[name] = shape

    def source(self) -> str:
        for _ in range(self.rng.randint(2, 9)):
            self.line()
        names = self.rng.sample(sorted(self.shapes), self.rng.randint(1, min(3, len(self.shapes))))
        body = "\n".join(f"    {line}" for line in self.lines)
        given = f"tuple(t.requires_grad_() for t in ({INPUTS[self.kind][0]}))" if self.backward else INPUTS[self.kind][0]
        return (f"{HEAD}def f(a, b, c):\n{body}\n    return {', '.join(names)},\n\n\n"
                f"def inputs():\n    return {given}\n")

    def line(self) -> None:
        kind = self.rng.choices(("unary", "binary", "matmul", "view", "write", "write2", "set", "named", "alias", "norm"),
                                (3, 3, 2, 4, 5, 3, 1, 2, 1, 1))[0]
        name = self.pick()
        shape = self.shapes[name]
        same = self.pick(shape)
        if kind == "unary":
            self.bind(self.rng.choice(UNARY).format(name, name), shape)
        elif kind == "binary":
            self.bind(self.rng.choice(BINARY).format(name, same), shape)
        elif kind == "alias":
            self.bind(self.rng.choice(ALIASES).format(name, name), shape)
        elif kind == "matmul" and (square := self.pick(SQUARE)):
            self.bind(f"{square} @ {self.pick(SQUARE)} * 0.4", SQUARE)
        elif kind == "norm" and (square := self.pick(SQUARE)) and (mean := self.pick(ROW)):
            self.bind(f"F.batch_norm({square}, {mean}, {self.pick(ROW)}, training={self.rng.random() < 0.8})", SQUARE)
        elif kind == "view":
            text, shape = self.rng.choice(VIEWS[shape])
            self.bind(text.format(name), shape)
        elif kind == "write":
            self.lines.append(self.written(WRITES).format(name, name))
        elif kind == "write2":
            self.lines.append(self.written(WRITES2).format(name, same))
        elif kind == "set":
            what = self.rng.choice((f"{self.rng.randint(2, 9)}.5", f"{same}[0:1]", f"{same}[0:1] * 0.5"))
            self.lines.append(f"{name}[0:1] = {what}")
        elif kind == "named":
            self.bind(self.written(WRITES).format(name, name), shape)

    def written(self, texts: tuple[str, ...]) -> str:
        """Not through autograd functions that hide it from eager execution, where gradients are compared."""
        return self.rng.choice([t for t in texts if not self.backward or "apply" not in t])

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
    backward = rng.random() < BACKWARD
    source, mode = Writer(rng, backward).source(), rng.choice(("torch", *thunder_run.MODES))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "program.py"
    path.write_text(f"# seed {seed}, {mode}{', backward' * backward}\n{source}")
    names: dict = {}
    exec(compile(source, str(path), "exec"), names)  # noqa: S102, written above
    try:
        thunder_run.observe(names["f"], thunder_run._seeded(names["inputs"], 1), False)
    except (RuntimeError, IndexError, ValueError):
        return None
    if backward and not thunder_run.differentiable(names["f"], names["inputs"]):
        return None  # also where two results are one tensor: Thunder drops the gradient of the second
    return mode, thunder_run.run(names["f"], names["inputs"], mode, folder, 0 if backward else orders, (1, 2), backward)


def judged(records: list[dict]) -> tuple[str, str, set[str]]:
    """(verdict of all pairs, every_order of the last trace, reasons of what is unknown)."""
    pairs = program.worst(records)
    reasons = {f"{u['reason']} {' '.join(u['names'][:2])}" for r in records for u in r.get("unknown", [])}
    last = [r["every_order"] for r in records if "every_order" in r and not r.get("id", "").startswith("bw")]
    return pairs, "none" if pairs == "error" or not last else last[-1], reasons


def mended(records: list[dict], backward: bool) -> bool:
    """Was what is wrong made right again? Where gradients are asked for, traces in between cannot be executed: there a
    later pair must be refuted as well, or not be known. A write behind the return is wrong too, whether or not somebody
    misses it, and Thunder's next step drops it."""
    refuted = [k for k, r in enumerate(records) if r["status"] == "refuted"]
    late = all(f["property"] == "return-not-last" for k in refuted for f in records[k]["findings"])
    return late or backward and any(r["status"] in ("refuted", "unknown") for r in records[refuted[0] + 1:])


def confirmed(folder: pathlib.Path, mode: str, run: thunder_run.Run, records: list[dict], backward: bool) -> bool:
    """Does executing the two traces of a refuted pair, or the program on other contents, show that it is right? An
    input that Thunder takes for another one, which has a storage of its own, is a fault even where both end the same."""
    names = sorted(p.name.removesuffix(".trace.txt") for p in folder.glob("[0-9]*.trace.txt"))
    refuted = [names.index(r["id"]) for r in records if r["status"] == "refuted" and r["id"] in names[1:]]
    executed = [thunder_run.steps_differ(run, names[at - 1], names[at]) for at in refuted]
    # A region inside of a fusion pass that is recomputed, and then dropped, cannot be run: both steps are refuted.
    if any(executed) or executed.count(None) > 1 or inputs_confused(folder):
        return True
    program_names: dict = {}
    path = folder / "program.py"
    exec(compile(path.read_text(), str(path), "exec"), program_names)  # noqa: S102, written above
    return thunder_run.differs_elsewhere(program_names["f"], program_names["inputs"], mode, backward, range(3, 9))


def inputs_confused(folder: pathlib.Path) -> bool:
    facts = folder / "inputs.json"
    storage = {f["name"]: f["storage"] for f in json.loads(facts.read_text())["inputs"]} if facts.exists() else {}
    said = {pair for path in folder.glob("[0-9]*.trace.txt")
            for pair in re.findall(r"\[alias tensor args\] `(\w+)` is replaced by `(\w+)`", path.read_text())}
    return any(a in storage and b in storage and storage[a] != storage[b] for a, b in said)


def complaint(folder: pathlib.Path, mode: str, run: thunder_run.Run, pairs: str, every_order: str,
              records: list[dict]) -> str:
    if run.crash:
        return ""
    said = []
    if pairs == "error":
        said.append("unreadable")
    if run.difference and pairs == "proved":
        said.append("miss")
    backward = ", backward" in (folder / "program.py").read_text().splitlines()[0]
    if not run.difference and pairs == "refuted" and not mended(records, backward) \
            and not confirmed(folder, mode, run, records, backward):
        said.append("false alarm")
    if run.orders and run.orders != "same" and every_order == "proved":
        said.append("miss in another order")
    if run.orders == "same" and every_order == "refuted" \
            and not thunder_run.orders_differ_elsewhere(run, 200, range(100, 120)):
        said.append("false alarm in every order")
    return ", ".join(said)


ERROR = {"kind": "error", "id": "", "status": "error", "unknown": [], "every_order": "none"}


def checked(folders: list[pathlib.Path]) -> dict[str, list[dict]]:
    """Records by folder. A trace that cannot be read is a record of status error."""
    found: dict = collections.defaultdict(list)
    for record in program.all_records(["check", *map(str, folders)]):
        if record["kind"] == "check":
            found[record["input"]].append(record)
        elif record["kind"] == "error":
            found[str(record["input"])].append(ERROR)
    return found


class Progress:
    """Counts of a campaign, and the seed it goes on with; kept in a file beside the complaints."""

    def __init__(self, keep: pathlib.Path, first: int):
        self.keep, self.path, self.first = keep, keep / f"{first}.json", first
        old = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.seed, self.bad = old.get("next", first), old.get("complaints", 0)
        self.tally, self.reasons = (collections.Counter(old.get(k)) for k in ("tally", "reasons"))

    def save(self) -> None:
        self.keep.mkdir(parents=True, exist_ok=True)
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps({"next": self.seed, "complaints": self.bad, "tally": self.tally,
                                   "reasons": self.reasons}, indent=1) + "\n")
        new.replace(self.path)
        print(f"  {self.tally['programs']} programs, seeds {self.first} to {self.seed - 1}, {self.bad} complaints",
              flush=True)


def batch(done: Progress, scratch: pathlib.Path, size: int, orders: int) -> None:
    """Runs and checks this many programs, and counts what came out."""
    runs = {}
    while len(runs) < size:
        folder = scratch / str(done.seed)
        if (seen := compiled(done.seed, folder, orders)) is not None and any(folder.glob("*.trace.txt")):
            runs[folder] = seen
        done.seed += 1
    records = checked(list(runs))
    for folder, (mode, run) in runs.items():
        found_in = records.get(str(folder)) or [ERROR]
        pairs, every_order, why = judged(found_in)
        count(done.tally, done.reasons, run, pairs, every_order, why)
        if found := complaint(folder, mode, run, pairs, every_order, found_in):
            done.bad += 1
            shutil.copytree(folder, done.keep / folder.name, dirs_exist_ok=True)
            print(f"seed {folder.name} {mode}: {found}: run {run.difference or 'right'}, orders {run.orders},"
                  f" pairs {pairs}, every order {every_order}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--orders", type=int, default=200)
    parser.add_argument("--keep", type=pathlib.Path, default=ROOT / "build" / "random_thunder")
    options = parser.parse_args()
    torch.set_num_threads(1)
    done = Progress(options.keep, options.seed)
    while done.tally["programs"] < options.count:
        with tempfile.TemporaryDirectory() as scratch:
            batch(done, pathlib.Path(scratch), min(BATCH, options.count - done.tally["programs"]), options.orders)
        done.save()
    tally, reasons, bad, seed = done.tally, done.reasons, done.bad, done.seed
    print(f"seeds {options.seed} to {seed - 1}: " + ", ".join(f"{k} {v}" for k, v in sorted(tally.items())))
    for reason, number in reasons.most_common(12):
        print(f"  unknown {number} times: {reason}")
    print(f"random_thunder: {tally['programs']} programs, {bad} complaints")
    return 1 if bad else 0


def count(tally: collections.Counter, reasons: collections.Counter, run: thunder_run.Run, pairs: str, every_order: str,
          why: set[str]) -> None:
    tally["programs"] += 1
    tally["orders executed"] += run.executed
    tally["programs in all orders"] += run.every
    if run.crash:
        tally["compiler raised"] += 1
        return
    state = "wrong" if run.difference else "refused by eager execution, right" if run.refused else "right"
    tally[f"{state} when run, pairs {pairs}"] += 1
    if run.orders:
        wrong = "same" if run.orders == "same" else "differ"
        tally[f"orders {wrong}, every order {every_order}"] += 1
    reasons.update(why)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    sys.exit(main())
