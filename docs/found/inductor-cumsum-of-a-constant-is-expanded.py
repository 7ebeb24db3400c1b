"""Exit code 0: the fault is there. `cumsum` of a constant is a tensor whose elements share storage, so that a write to one is a write to many."""
import sys

import torch


def f(x):
    return torch.ones_like(x).cumsum(0)


def grown(function, x):
    rank = function(x)
    rank[0, 0] = 7  # by the caller, who was given a tensor of its own
    return rank


x = torch.zeros(4, 6, dtype=torch.int64)
wants, gets, given = grown(f, x), grown(torch.compile(f), x), torch.compile(f)(x)
print(f"first row after one element is written: eager {wants[0].tolist()}, compiled {gets[0].tolist()}; "
      f"strides {f(x).stride()} and {given.stride()}, {given.untyped_storage().nbytes()} bytes for 24 elements of 8")
sys.exit(0 if not torch.equal(wants, gets) and given.stride(1) == 0 else 1)
