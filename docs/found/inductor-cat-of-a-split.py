"""Exit code 0: the fault is there. `torch.cat` of all parts of a split is the split tensor itself, whatever is written into it later."""
import sys

import torch


def f(x):
    copy = torch.cat(x.split([2, 4], 1), 1)
    x.add_(1)
    return copy


def alone(x):
    return torch.cat(x.split([2, 4], 1), 1)


x = torch.zeros(4, 6)
wants, gets, same = f(torch.zeros(4, 6)), torch.compile(f)(torch.zeros(4, 6)), torch.compile(alone)(x)
print(f"the copy: eager {wants[0, 0].item()}, compiled {gets[0, 0].item()}; compiled without the write, it is the argument: {same is x}")
sys.exit(0 if not torch.equal(wants, gets) and same.data_ptr() == x.data_ptr() else 1)
