"""Thunder 0.2.6 on the CPU: with gradients, a tensor without dimensions that meets a larger one gets a gradient that is not summed."""
import sys
import warnings

warnings.filterwarnings("ignore")

import thunder
import torch


def centred(x):
    return x - x.sum() / 4


def scaled(x):
    return x / x.sum()


def chosen(x):
    return torch.where(x > 0.5, x.sum(), x)


def gradient(function, x):
    x = x.clone().requires_grad_()
    (function(x) * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    return x.grad


given = torch.tensor([[0.25, 0.5], [0.75, 1.0]])
wrong = 0
for f in (centred, scaled, chosen):
    eager, compiled = gradient(f, given), gradient(thunder.jit(f), given)
    wrong += not torch.allclose(eager, compiled)
    print(f"{f.__name__}: eager {eager.flatten().tolist()}, compiled {compiled.flatten().tolist()}")
sys.exit(0 if wrong == 3 else 1)
