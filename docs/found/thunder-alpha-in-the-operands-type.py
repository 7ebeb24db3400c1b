"""Exit code 0: the fault is there. With gradients `alpha` times the second operand is kept in that operand's type, in which it may not fit."""
import sys
import warnings

warnings.filterwarnings("ignore")
import thunder
import torch


def add(z, t):
    return torch.add(z, t, alpha=2)


def run(function, t, watched):
    return function(torch.ones(2, requires_grad=watched), t).tolist()


differ = set()
for t in (torch.tensor([100, 1], dtype=torch.int8), torch.tensor([60000.0, 1.0], dtype=torch.float16)):
    for watched in (False, True):
        eager, compiled = run(add, t, watched), run(thunder.jit(add), t, watched)
        print(f"{t.dtype}, {'with' if watched else 'without'} gradients: eager {eager}, compiled {compiled}")
        if eager != compiled:
            differ.add((t.dtype, watched))
sys.exit(0 if differ == {(torch.int8, True), (torch.float16, True)} else 1)
