"""Exit code 0: the fault is there. A copy made by `* 1` of a row is gone, and the row is read after it was written."""
import sys

import torch


def f(x, factor=1):
    old = x[0] * factor  # what the row was: a fresh tensor
    x.add_(1)
    return old


def swap(x, y):
    old = x.view(-1) * 1
    x.copy_(y)
    y.view(-1).copy_(old)


wants, gets = f(torch.zeros(4, 6)), torch.compile(f)(torch.zeros(4, 6))
eager, compiled = [torch.zeros(4), torch.ones(4)], [torch.zeros(4), torch.ones(4)]
swap(*eager)
torch.compile(swap)(*compiled)
print(f"the row before it was written: eager {wants[0].item()}, compiled {gets[0].item()}")
print(f"exchanged: eager {[t[0].item() for t in eager]}, compiled {[t[0].item() for t in compiled]}")
sys.exit(0 if not torch.equal(wants, gets) and not torch.equal(eager[1], compiled[1]) else 1)
