"""Exit code 0: the fault is there. A number of Python becomes a tensor, which counts in the type of a result and is rounded."""
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


class Next(torch.nn.Module):
    def forward(self, position):
        return position.sum(dtype=torch.int32) + 1


class Scaled(torch.nn.Module):
    def forward(self, x):
        return x / 100000, x / 1e-8


def both(module, x):
    with contextlib.redirect_stdout(io.StringIO()):
        file = to_edge(torch.export.export(module, (x,))).to_executorch().buffer
        program = Runtime.get().load_program(file, verification=Verification.Minimal)
        method = program.load_method("forward")
        results = [r.clone() for r in method.execute((x,))]
    eager = module(x)
    return list(eager) if isinstance(eager, tuple) else [eager], results


(wants,), (gets,) = both(Next(), torch.tensor([2**31 - 1], dtype=torch.int32))
eager, lowered = both(Scaled(), torch.tensor([0.0, 1e-7, 60000.0], dtype=torch.float16))
print(f"i32 + 1: eager {wants.item()} ({wants.dtype}), .pte {gets.item()} ({gets.dtype})")
print(f"f16 / 100000, / 1e-8: eager {[t.tolist() for t in eager]}, .pte {[t.tolist() for t in lowered]}")
sys.exit(0 if wants.dtype != gets.dtype and not any(map(torch.equal, eager, lowered)) else 1)
