#!/usr/bin/env python3
"""Writes the exported programs of corpus/pt2.  Usage: make_pt2.py DIRECTORY [NAME_SUFFIX]

Needs PyTorch (any since 2.4); nothing else here does. The version decides the layout of the archive.
"""
import pathlib
import sys

import torch
from torch import nn
from torch.export import Dim, export, save


class Counter(nn.Module):
    """A buffer that is written, a parameter, a constant."""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(3))
        self.weight = nn.Parameter(torch.ones(3))

    def forward(self, x):
        self.seen.add_(x)
        return self.seen * self.weight + torch.tensor([1.0, 2.0, 3.0])


class Rows(nn.Module):
    """Sizes that are symbols, and an input that is written."""

    def forward(self, x, y):
        x.mul_(2)
        return torch.cat([x, y])[: x.shape[0] + 1], x.shape[0] * 2


class Branch(nn.Module):
    """A body per branch."""

    def forward(self, p, x):
        return torch.cond(p, lambda a: a.sin(), lambda a: a.cos() + 1, (x,))


class Values(nn.Module):
    """Arguments of many kinds: lists, tensors that may be missing, dtypes, devices, formats, infinities."""

    def forward(self, x, i):
        a = x.to(torch.float64, memory_format=torch.channels_last).clamp(min=-float("inf"), max=2.5)
        b = a.permute(0, 2, 3, 1)[:, i, ..., 1:]
        values, places = torch.topk(b, 2)
        parts = torch.split(values, [1, 1], dim=-1)
        full = torch.full((2, 3), 7, dtype=torch.int32, device="cpu")
        return {"first": parts[0], "rest": [parts[1], places]}, full, None, 3


class Item(nn.Module):
    """A size that only a run knows."""

    def forward(self, x, n):
        k = n.item()
        torch._check(k >= 2)
        torch._check(k <= 8)
        return torch.zeros(k, 2) + x


PROGRAMS = {
    "counter": lambda: export(Counter(), (torch.ones(3),)),
    "rows": lambda: export(
        Rows(), (torch.ones(4, 2), torch.ones(3, 2)),
        dynamic_shapes={"x": {0: Dim("n", min=2, max=64)}, "y": {0: Dim("m", min=2)}}),
    "branch": lambda: export(Branch(), (torch.tensor(True), torch.ones(4))),
    "values": lambda: export(Values(), (torch.ones(2, 3, 4, 5), torch.tensor([0, 2]))),
    "item": lambda: export(Item(), (torch.ones(2), torch.tensor(4))),
}


def forget_folder(program):
    """Places in the source without the folder that this file happens to lie in."""
    folder = str(pathlib.Path(__file__).resolve().parent) + "/"
    for module in program.graph_module.modules():
        for node in getattr(module, "graph", torch.fx.Graph()).nodes:
            if trace := node.meta.get("stack_trace"):
                node.meta["stack_trace"] = trace.replace(folder, "")


def main():
    folder = pathlib.Path(sys.argv[1])
    suffix = sys.argv[2] if len(sys.argv) > 2 else ""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in PROGRAMS.items():
        program = make()
        for stage, ep in (("", program), ("-core", program.run_decompositions({}))):
            path = folder / f"{name}{stage}{suffix}.pt2"
            forget_folder(ep)
            save(ep, path)
            print(path, path.stat().st_size, torch.__version__)


if __name__ == "__main__":
    main()
