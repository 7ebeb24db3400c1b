"""Programs of which a delegate of XNNPACK runs parts; added to those of executorch_programs.py."""
from __future__ import annotations

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner

from executorch_programs import PROGRAMS, Program, Small, table


class Stateful(Small):
    """A state that is added to outside of what a delegate takes, which is given it."""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(1, 4))

    def forward(self, x):
        self.seen.add_(x.sum(0, keepdim=True))
        return super().forward(x + self.seen)


class Between(Small):
    """Two delegates and a kernel that XNNPACK does not have between them; a number among the inputs."""

    def forward(self, x, k: int):
        first = torch.relu(self.a(x))
        return self.b(torch.cumsum(first, -1)) * k, first


for partitioned, made, call, sizes in (
        ("small-model", Small, (table(1, 2, 4),), None), ("state", Stateful, (table(1, 2, 4),), None),
        ("between", Between, (table(1, 2, 4), 3), None),
        ("dynamic", Small, (table(1, 2, 4),), {"x": {0: torch.export.Dim("n", min=1, max=8)}})):
    PROGRAMS[f"xnnpack-{partitioned}"] = Program(made, [call, call, call], dynamic=sizes, partitioners=(XnnpackPartitioner,))
