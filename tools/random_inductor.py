#!/usr/bin/env python3
"""Random functions through Inductor's passes, noclobber's verdicts against running them: random_inductor.py [--count N]

    random_inductor.py --seed 0 --count 2000 --keep build/random_inductor

Needs torch and the package noclobber (`make inductor-agree` makes an environment that has both). Each program of views,
writes in place, copies and conversions is compiled with the sizes as they are or open, some with gradients; its last
graph is run with PyTorch's own operators, and compared with eager execution: results, contents of arguments, gradients,
who shares storage. A miss is a difference with everything proved that the first graph of the log does not
have, a false alarm a refutation of what never differs, on more contents either, and of which nothing that a backward
needs is shared. Programs with complaints are kept in the
folder with their source and log, and so are those that Inductor gets wrong; the last lines count. Exit code 1 where
there are complaints.
"""
from __future__ import annotations

import argparse
import collections
import pathlib
import random
import shutil
import sys
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "frontends"))
warnings.filterwarnings("ignore")

import inductor_run
import torch
from noclobber import program

DYNAMIC, BACKWARD, TURNED = 0.4, 0.3, 0.15  # of the programs
SIZES = (4, 7)
FUNCTIONS = ("sin", "cos", "exp", "neg", "abs", "sigmoid", "relu", "clone", "square")
# What a line may be: a name bound to a matrix "m" or a row "v", or a write (""). {m} {n}: matrices, {b}: a row.
LINES = [("m", f"{{m}}.{f}()") for f in FUNCTIONS] + [
    ("m", "{m} + {n}"), ("m", "{m} - {b}"), ("m", "{m} * {n}"), ("m", "{m} * 1"), ("m", "{m} + 0"), ("m", "{m} * 0.5"),
    ("m", "{m}.t().clone().t()"), ("m", "{m}.reshape(-1).view({m}.shape)"), ("m", "{m}.view(-1)[1:4].sum() + {n}"),
    ("m", "torch.where({m} > {n}, {n}, {b})"), ("m", "torch.cat([{m}[1:], {n}[:1]])"), ("m", "{m}.flip(0)"),
    ("m", "{m}.flip(1)"), ("m", "torch.softmax({m}, 0)"), ("m", "torch.log_softmax({m}, -1)"), ("m", "{m}.cumsum(0)"),
    ("m", "{m}.to(torch.float64).to(torch.float32)"), ("m", "{m}.to(torch.int32).to(torch.float32)"),
    ("m", "{m}.to(torch.float16).to(torch.float32)"), ("m", "torch.roll({m}, 1, 0)"), ("m", "{m}.contiguous()"),
    ("m", "{m}.masked_fill({n} > 0, 0.0)"), ("m", "{b}.expand_as({m})"), ("m", "{m}.index_select(0, k)[0] + {n}"),
    ("v", "{m}[0]"), ("v", "{m}[-1]"), ("v", "{m}[1]"), ("v", "{m}.sum(0)"), ("v", "{m}[k][1]"), ("v", "{b} * 1"),
    ("v", "{b}.clone()"), ("v", "{m}.amax(0)"), ("v", "{m}.unbind(0)[2]"), ("v", "{m}.split(2)[0][1]"),
    ("", "{m}.add_(1)"), ("", "{m}.mul_({n} * 1)"), ("", "{m}.sub_({b} * 1)"), ("", "{m}.sin_()"), ("", "{m}.relu_()"),
    ("", "{m}.zero_()"), ("", "{m}.fill_(3)"), ("", "{m}.clamp_(-1, 1)"), ("", "{m}.sigmoid_()"), ("", "{b}.mul_(2)"),
    ("", "{b}.add_(1)"), ("", "{m}.copy_({n} * 1)"), ("", "{m}.copy_({b} * 1)"), ("", "{m}[0] = 0"), ("", "{m}[1:] = 1.5"),
    ("", "{m}[::2] = z[0] * 1"), ("", "{m}[-1] = {b} * 1"), ("", "{m}[:, 0] = 0"), ("", "{m}[:, 1:] = 1.5"),
    ("", "{m}[..., -1] = 2"), ("", "{m}[k] = 0"), ("", "{m}[k] = {n}[k]"), ("", "{m}[k] = {b} * 1"),
    ("", "{m}.index_add_(0, k, {n}[:3] * 1)"), ("", "{m}.diagonal().mul_(2)"), ("", "{m}.diagonal().fill_(0)"),
    ("", "{m}.masked_fill_({n} > 0, 1.5)"), ("", "{m}.t()[0].add_(1)"), ("", "{m}.t()[1:].mul_(0.5)"),
    ("", "{m}.view(-1)[:3].neg_()"), ("", "{m}.index_copy_(0, k, {n}[:3] * 1)"),
    ("", "{m}.scatter_(0, k[:, None].expand(3, 5), 2.0)"), ("", "{m}.narrow(0, 1, 2).exp_()"),
    ("", "{m}.scatter_add_(0, k[:, None].expand(3, 5), {n}[:3] * 1)"), ("", "{m}[1].copy_({m}[0])"),
]


def source(rng: random.Random) -> str:
    """A function of two matrices x and y, a row z and three places k of a row."""
    names, lines = {"m": ["x", "y"], "v": ["z"]}, []
    for number in range(rng.randint(3, 9)):
        kind, text = rng.choice(LINES)
        late = {k: rng.choices(all_, range(1, len(all_) + 1), k=2) for k, all_ in names.items()}
        text = text.format(m=late["m"][0], n=late["m"][1], b=late["v"][0])
        lines.append(f"v{number} = {text}" if kind else text)
        if kind:
            names[kind].append(f"v{number}")
    every = names["m"] + names["v"]
    given = [name if rng.random() < 0.8 else f"{name}[0]" for name in rng.sample(every, rng.randint(1, min(3, len(every))))]
    body = "".join(f"    {line}\n" for line in lines)
    return f"import torch\n\n\ndef f(x, y, z, k):\n{body}    return {', '.join(given)},\n"


def arguments(size: int, seed: int, watched: bool, turned: bool) -> list[torch.Tensor]:
    torch.manual_seed(seed)
    x, y = torch.randn(size, 5), torch.randn(5, size).t() if turned else torch.randn(size, 5)
    return [x.requires_grad_(watched), y, torch.randn(5), torch.tensor([0, 2, 1])]


class Program:
    """The function of one seed, as Inductor's passes leave it; `refused` where eager execution refuses it."""

    def __init__(self, seed: int, folder: pathlib.Path):
        rng = random.Random(seed)
        text = source(rng)
        self.seed, self.folder = seed, folder
        self.dynamic, self.watched, self.turned = (rng.random() < p for p in (DYNAMIC, BACKWARD, TURNED))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "program.py").write_text(
            f"# seed {seed}{', open sizes' * self.dynamic}{', gradients' * self.watched}{', y turned' * self.turned}\n{text}")
        names: dict = {}
        exec(compile(text, str(folder / "program.py"), "exec"), names)  # noqa: S102, written above
        self.function = names["f"]
        self.crash, self.difference, self.compiled = "", "", None
        try:
            self.differs(self.function, 0)
            self.refused = False
        except (RuntimeError, IndexError):
            self.refused = True

    def make(self, size: int, seed: int) -> list[torch.Tensor]:
        return arguments(size, seed, self.watched, self.turned)

    def differs(self, other, seed: int) -> str:
        found = [inductor_run.difference(inductor_run.observe(self.function, self.make(n, seed)),
                                         inductor_run.observe(other, self.make(n, seed)))
                 for n in (SIZES if self.dynamic else SIZES[:1])]
        return next(filter(None, found), "")

    def run(self) -> None:
        self.compiled = inductor_run.Compiled(self.function, self.folder, self.dynamic)
        try:
            self.difference = self.differs(self.compiled, 0)
        except Exception as error:  # noqa: BLE001, whatever the compiler raises
            self.crash = f"{type(error).__name__}: {str(error)[:120]}"

    def wrong_before(self) -> bool:
        """Is the first graph of the log wrong already?"""
        return bool(self.differs(self.uncompiled(), 0))

    def uncompiled(self):
        return inductor_run.uncompiled(self.function, self.watched, self.dynamic)

    def confirmed(self) -> bool:
        """Does it differ on other contents, do passes change strides, or is something shared that a backward needs?"""
        if any(self.differs(self.compiled, seed) for seed in range(1, 6)):
            return True
        before, after = (inductor_run.observe(f, self.make(SIZES[0], 0)) for f in (self.uncompiled(), self.compiled))
        if before.strides != after.strides:
            return True
        return self.watched and inductor_run.shares_saved(self.function, self.compiled, lambda: self.make(SIZES[0], 0))


def judged(made: Program, tally: collections.Counter, reasons: collections.Counter) -> str:
    """What is to complain about, or ""."""
    records = [r for r in program.all_records(["check", str(made.folder)]) if r["kind"] in ("check", "error")]
    said = program.worst(records)
    tally[f"{'wrong' if made.difference else 'right'} when run, {said}"] += 1
    reasons.update(f"{u['reason']} {' '.join(u['names'][:2])}" for r in records for u in r.get("unknown", []))
    if said == "error":
        return "unreadable"
    if made.difference and said == "proved":
        before = made.wrong_before()
        tally["of them before any pair of the log"] += before
        return "" if before else f"miss: {made.difference}"
    if not made.difference and said == "refuted" and not made.confirmed():
        return "false alarm"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--keep", type=pathlib.Path, default=ROOT / "build" / "random_inductor")
    options = parser.parse_args()
    torch.set_num_threads(1)
    tally, reasons, bad = collections.Counter(), collections.Counter(), 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(options.seed, options.seed + options.count):
            made = Program(seed, pathlib.Path(scratch) / str(seed))
            if made.refused:
                tally["refused by eager execution"] += 1
                continue
            made.run()
            found = ""
            if made.crash:
                tally["compiler raised"] += 1
            elif not any(made.folder.glob("*.log")):
                tally["nothing to compile"] += 1
            else:
                found = judged(made, tally, reasons)
            if found or made.difference:
                shutil.copytree(made.folder, options.keep / str(seed), dirs_exist_ok=True)
                print(f"seed {seed}: {found or 'wrong, no complaint: ' + made.difference}", flush=True)
            bad += bool(found)
            shutil.rmtree(made.folder)
            if seed % 50 == 49:
                print(f"  seeds {options.seed} to {seed}, {bad} complaints", flush=True)
    print(", ".join(f"{k} {v}" for k, v in sorted(tally.items())))
    for reason, number in reasons.most_common(12):
        print(f"  unknown {number} times: {reason}")
    print(f"random_inductor: {bad} complaints")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
