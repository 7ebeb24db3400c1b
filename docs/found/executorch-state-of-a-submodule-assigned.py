"""Exit code 0: the fault is there. A buffer of a submodule that is assigned anew keeps its first contents for ever."""
import contextlib
import io
import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import torch
from executorch.exir import to_edge
from executorch.runtime import Runtime, Verification


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x):
        self.seen = self.seen + x
        return self.seen * 1


class Outer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.counter = Counter()

    def forward(self, x):
        return self.counter(x)


def calls(run):
    return [run(torch.ones(1)).item() for _ in range(3)]


seen = {}
for make in (Counter, Outer):
    with contextlib.redirect_stdout(io.StringIO()):
        exported = torch.export.export(make(), (torch.ones(1),), strict=False)
        file = to_edge(exported).to_executorch().buffer
        program = Runtime.get().load_program(file, verification=Verification.Minimal)
        method = program.load_method("forward")
    lowered = calls(lambda x: method.execute((x,))[0])
    seen[make] = calls(make()), calls(torch.export.export(make(), (torch.ones(1),), strict=False).module()), lowered
    print(f"{make.__name__}: eager {seen[make][0]}, exported {seen[make][1]}, .pte {seen[make][2]}")
sys.exit(0 if seen[Outer][0] != seen[Outer][1] == seen[Outer][2] and seen[Counter][0] == seen[Counter][1] == seen[Counter][2] else 1)
