"""Exit code 0: the fault is there. What a buffer was before it is assigned anew is returned as what it is afterwards."""
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


class Delay(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.zeros(1))

    def forward(self, x):
        before = self.last
        self.last = x * 1
        return before


def calls(run):
    return [run(torch.full((1,), k)).clone().item() for k in (1.0, 2.0, 3.0)]


with contextlib.redirect_stdout(io.StringIO()):
    exported = torch.export.export(Delay(), (torch.ones(1),), strict=False)
    file = to_edge(exported).to_executorch().buffer
    program = Runtime.get().load_program(file, verification=Verification.Minimal)
    method = program.load_method("forward")
lowered = calls(lambda x: method.execute((x,))[0])
eager, again = calls(Delay()), calls(torch.export.export(Delay(), (torch.ones(1),), strict=False).module())
print(f"eager {eager}, exported {again}, .pte {lowered}")
sys.exit(0 if eager != again == lowered else 1)
