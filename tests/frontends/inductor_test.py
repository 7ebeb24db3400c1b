#!/usr/bin/env python3
"""Runs Inductor's passes and noclobber on programs and compares: inductor_test.py [--only NAME] [--keep DIRECTORY]

Needs torch 2.15.0 and the package noclobber (`make test-inductor` installs both). A program is wrong where the graph
that Inductor's passes leave does something else than eager execution does: results, contents of arguments, gradients,
or who shares storage. Nothing else decides what is expected: a wrong one must be refuted, a right one proved.
Which programs are wrong is PyTorch's matter, and printed.
"""
from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
warnings.filterwarnings("ignore")

import inductor_run
import torch
from noclobber import program as nc

FEWEST_WRONG = 5  # else what is compared is not compared


def inputs(size: int) -> list[torch.Tensor]:
    torch.manual_seed(size)
    return [torch.randn(size, 5), torch.randn(5), torch.tensor([0, 2, 1])]


def watched(size: int) -> list[torch.Tensor]:
    return [t.requires_grad_() if t.dim() == 2 else t for t in inputs(size)] + [torch.randn(size, 5)]


# Each pair: what is written is kept in a copy, and the like without the copy or without the second write.
def put_rows(y, z, k):
    y[k] = z
    copy = y.clone()
    y.relu_()
    return copy,


def put_rows_only(y, z, k):
    y[k] = z
    y.relu_()
    return y * 2,


def filled_row(y, z, k):
    y[0] = 1
    copy = y.clone()
    y.zero_()
    return copy,


def filled_all(y, z, k):
    y.fill_(1)
    copy = y.clone()
    y.zero_()
    return copy,


def added_rows(y, z, k):
    y.index_add_(0, k, torch.ones(3, 5))
    copy = y.clone()
    y.sin_()
    return copy,


def scattered(y, z, k):
    y.scatter_(0, k[:, None].expand(3, 5), 2.0)
    copy = y.clone()
    y.sin_()
    return copy,


def kept_copy(y, z, k):
    y[k] = z
    return y.clone(),


def fresh_copy(y, z, k):
    y[k] = z
    return y.sin(),


def times_one(y, z, k):
    return (y * 1)[0],


def times_two(y, z, k):
    return (y * 2)[0],


def there_and_back(y, z, k):
    return y.double().float() + z, y[1:].bfloat16().float().bfloat16()


def halved_and_back(y, z, k):
    return y.half().float() + z,


def saved_rows(x, z, k, y):
    y.diagonal().add_(1)
    return (x[0] * y[0]).sum(),


def new_contents(x, z, k, y):
    y[-1] = 0
    x.copy_(y)
    return x * z,


def new_row(y, z, k):
    y.copy_(z * 1)
    return y[0],


PROGRAMS = (put_rows, put_rows_only, filled_row, filled_all, added_rows, scattered, kept_copy, fresh_copy, times_one,
            times_two, there_and_back, halved_and_back, saved_rows, new_contents, new_row)


def judged(function, folder: pathlib.Path, dynamic: bool) -> tuple[str, str]:
    """(what differs when run, verdict)."""
    make = watched if function.__code__.co_argcount == 4 else inputs
    compiled = inductor_run.Compiled(function, folder, dynamic)
    differs = [inductor_run.difference(inductor_run.observe(function, make(n)),
                                       inductor_run.observe(compiled, make(n))) for n in ((4, 7) if dynamic else (4,))]
    if not any(differs) and make is watched and inductor_run.shares_saved(function, compiled, lambda: make(4)):
        differs.append("what is saved shares storage")
    return ", ".join(filter(None, differs)), nc.worst(nc.check(folder))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    bad, wrong = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        for function in PROGRAMS:
            for dynamic in (False, True):
                name = function.__name__ + dynamic * ", dynamic"
                if options.only not in (None, function.__name__):
                    continue
                differs, said = judged(function, (options.keep or pathlib.Path(scratch)) / name.replace(", ", "_"), dynamic)
                wrong += bool(differs)
                fits = said == ("refuted" if differs else "proved")
                print(f"  {name}: {'wrong when run: ' + differs if differs else 'right'}, {said}{'' if fits else ' !'}")
                bad += [] if fits else [name]
    if options.only is None and wrong < FEWEST_WRONG:
        bad.append(f"{wrong} programs are wrong, {FEWEST_WRONG} are needed")
    print(f"inductor: {len(bad)} complaints {', '.join(bad)}".rstrip())
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
