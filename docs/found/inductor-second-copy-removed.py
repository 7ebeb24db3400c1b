"""Exit code 0: the fault is there. Two copies, one of a part of the other, are both removed: the result shares the argument's storage."""
import sys

import torch


def f(x):
    return x.clone()[0].clone()


def branch(x):
    copy = torch.cond(x.sum() > -1, lambda a: a.clone()[0].clone(), lambda a: a[0].sin(), (x,))
    return torch.index_put(copy, (torch.tensor([0, 2]),), torch.ones(2))


x, given = torch.zeros(4, 6), torch.zeros(4, 6)
row, _ = torch.compile(f)(x), torch.compile(branch)(given)
row.add_(1)
print("the argument behind a write into the result:", "written" if x.any() else "the same")
print("the argument of a branch that returns a copy:", "written" if given.any() else "the same")
sys.exit(0 if x.any() else 1)
