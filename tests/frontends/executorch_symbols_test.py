#!/usr/bin/env python3
"""Programs of symbolic sizes and numbers read out of tensors, lowered by ExecuTorch 1.5.1: executorch_symbols_test.py [NAME ...]

Each has a twin that computes something else. What is lowered is held against both exported programs, and the runtime is run. The program is to be
proved, and its twin refuted, but for those that are named below as unknown.
"""
import copy
import logging
import pathlib
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import torch  # noqa: E402
from executorch.exir import EdgeCompileConfig, to_edge  # noqa: E402
from executorch.runtime import Runtime, Verification  # noqa: E402
from torch import nn  # noqa: E402
from torch.export import Dim  # noqa: E402

import noclobber  # noqa: E402

SIZE = Dim("s", min=2, max=16)
ROWS = torch.arange(32.0).reshape(8, 4)
AT = torch.tensor(3)


def index(tensor, least, most):
    number = tensor.item()
    torch._check(number >= least)
    torch._check(number <= most)
    return number


def cached(self, x, where, by=1):
    self.cache[:, where] = x
    return self.cache.sum(1) * by


def copied(self, x, where, by=1):
    self.cache.index_copy_(1, where, x * by)
    return self.cache * 2


def stored(self, x, at, by=2):
    begin = index(at, 0, 15)
    self.cache[:, begin:begin + 1] = x
    return self.cache * by


def narrowed(self, x, at, by=0):
    begin = index(at, 0, 12)
    self.cache.narrow(1, begin, 2).copy_(x)
    return self.cache[:, :begin + 2 - by].sum(1)


# name: the program, its twin, what it is given, sizes that vary
PROGRAMS = {
    "sizes": (lambda m, x: nn.functional.gelu(x) + x.mean(1, keepdim=True), lambda m, x: nn.functional.gelu(x) - x.mean(1, keepdim=True),
              (torch.rand(4, 8),), ({0: SIZE},)),
    "slice-by-size": (lambda m, x, t: t[:x.shape[0]] + x, lambda m, x, t: t[16 - x.shape[0]:] + x,
                      (torch.rand(4, 8), torch.rand(16, 8)), ({0: SIZE}, None)),
    "item-index": (lambda m, x, i: x[index(i, 0, 7)] * 2, lambda m, x, i: x[7 - index(i, 0, 7)] * 2, (ROWS, AT), None),
    "item-next": (lambda m, x, i: x[index(i, 0, 6)] * 2, lambda m, x, i: x[index(i, 0, 6) + 1] * 2, (ROWS, AT), None),
    "item-bound": (lambda m, x, i: x[:index(i, 1, 8)].sum(0), lambda m, x, i: x[:index(i, 1, 8) - 1].sum(0), (ROWS, AT), None),
    "item-narrow": (lambda m, x, i: x.narrow(0, index(i, 0, 5), 2) + 1, lambda m, x, i: x.narrow(0, index(i, 0, 5), 2) + 2, (ROWS, AT), None),
    "item-full": (lambda m, x, i: x + torch.full((4,), i.item(), dtype=torch.float32),
                  lambda m, x, i: x + torch.full((4,), i.item() + 1, dtype=torch.float32), (ROWS, AT), None),
    "item-factor": (lambda m, x, i: x * i.item(), lambda m, x, i: x + i.item(), (ROWS, AT), None),
    "mask": (lambda m, x, n: x.masked_fill(torch.arange(8)[None, :] >= n[:, None], 0.0),
             lambda m, x, n: x.masked_fill(torch.arange(8)[None, :] > n[:, None], 0.0), (torch.rand(2, 8), torch.tensor([3, 5])), None),
    "mask-by-size": (lambda m, x, n: x.masked_fill(torch.arange(x.shape[1])[None, :] >= n[:, None], float("-inf")).softmax(-1),
                     lambda m, x, n: x.masked_fill(torch.arange(x.shape[1])[None, :] >= n[:, None], 0.0).softmax(-1),
                     (torch.rand(2, 8), torch.tensor([3, 5])), ({1: SIZE}, None)),
    "cache-put": (cached, lambda m, x, i: cached(m, x, i, 2), (torch.rand(1, 2, 4), torch.tensor([3, 4])), None),
    "cache-copy": (copied, lambda m, x, i: copied(m, x, i, 2), (torch.rand(1, 2, 4), torch.tensor([3, 4])), None),
    "cache-copy-by-size": (copied, lambda m, x, i: copied(m, x, i, 2), (torch.rand(1, 4, 4), torch.tensor([3, 4, 5, 6])), ({1: SIZE}, {0: SIZE})),
    "cache-item": (stored, lambda m, x, i: stored(m, x, i, 3), (torch.rand(1, 1, 4), AT), None),
    "cache-narrow": (narrowed, lambda m, x, i: narrowed(m, x, i, 1), (torch.rand(1, 2, 4), AT), None),
}
OPEN = ("item-factor",)  # ExecuTorch makes the number a tensor of 32 bits, and stops where it is none
TWINS_OPEN = ("item-factor", "item-full", "mask", "mask-by-size")  # no run is tried, or none shows it


class Program(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.register_buffer("cache", torch.zeros(1, 16, 4))

    def forward(self, *given):
        return self.function(self, *given)


def exported(function, given, sizes):
    return torch.export.export(Program(function).eval(), copy.deepcopy(given), dynamic_shapes=(sizes,) if sizes else None, strict=False)


def runs_right(buffer, function, given):
    method = Runtime.get().load_program(buffer, verification=Verification.Minimal).load_method("forward")
    with torch.no_grad():
        want = Program(function)(*copy.deepcopy(given))
    return torch.allclose(method.execute(list(copy.deepcopy(given)))[-1], want)


def statuses(name, folder):
    function, twin, given, sizes = PROGRAMS[name]
    program = exported(function, given, sizes)
    for called, one in (("right", program), ("twin", exported(twin, given, sizes))):
        torch.export.save(one, folder / f"{called}.pt2")
    made = to_edge(program, compile_config=EdgeCompileConfig(_check_ir_validity=False)).to_executorch()
    (folder / "right.pte").write_bytes(made.buffer)
    checks = [list(noclobber.compare(folder / f"{called}.pt2", folder / "right.pte")) for called in ("right", "twin")]
    return [noclobber.program.worst(records) for records in checks], runs_right(made.buffer, function, given)


def main():
    wrong = []
    for name in sys.argv[1:] or PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            (right, twin), runs = statuses(name, pathlib.Path(folder))
        wanted = ["unknown" if name in OPEN else "proved", "unknown" if name in TWINS_OPEN else "refuted"]
        bad = [right, twin] != wanted or not runs
        wrong += [name] if bad else []
        print("BAD" if bad else "ok ", f"{name:20} {right}, its twin {twin}{'' if runs else ', runs wrong'}", flush=True)
    print(f"symbols: {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
