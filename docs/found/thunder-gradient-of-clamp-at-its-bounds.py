"""Thunder 0.2.6: where an element lies on a bound of `clamp` its gradient is 0, where PyTorch gives 1; of NaN it is 1, where PyTorch gives 0."""
import sys

import thunder
import torch


def f(x):
    return x.clamp(-1, 1)


def gradient(function):
    x = torch.tensor([-2.0, -1.0, 0.0, 1.0, 2.0, float("nan")], requires_grad=True)
    function(x).sum().backward()
    return x.grad.tolist()


eager, compiled = gradient(f), gradient(thunder.jit(f))
print(f"eager {eager}, thunder.jit {compiled}")
sys.exit(0 if eager == [0, 1, 1, 1, 0, 0] and compiled == [0, 0, 1, 0, 0, 1] else 1)
