"""Exit code 0: the fault is there. `relu` of the 16-bit halves of a `cat` becomes `relu` of the floats."""
import sys

import torch


def f(x, y):
    return torch.relu(torch.cat([x, y]).view(torch.int16))


def g(x, y):
    return torch.tanh(torch.cat([x, y]).view(torch.int32))


x, y = torch.randn(4, generator=torch.Generator().manual_seed(0)), torch.ones(4)
wants, gets, meant, made = f(x, y), torch.compile(f)(x, y), g(x, y), torch.compile(g)(x, y)
print(f"relu: {(wants != gets).sum().item()} of {wants.numel()} differ; tanh: eager {meant.dtype}, compiled {made.dtype}")
sys.exit(0 if not torch.equal(wants, gets) else 1)
