"""Exit code 0: the fault is there. What is repeated once is the operand itself: `repeat_interleave`, and with gradients `repeat`."""
import sys
import warnings

warnings.filterwarnings("ignore")
import thunder
import torch


def f(x, times=1):
    keys = x.repeat_interleave(times, 0)
    x.add_(1)
    return keys


def g(x, times=1):
    value = x * 2
    copy = value.repeat(times, 1)
    copy.add_(1)
    return value, copy


def trained(function):
    return function(torch.zeros(4, 6, requires_grad=True))[0][0, 0].item()


wants, gets = f(torch.zeros(4, 6))[0, 0].item(), thunder.jit(f)(torch.zeros(4, 6))[0, 0].item()
meant, made = trained(g), trained(thunder.jit(g))
print(f"repeat_interleave: eager {wants}, compiled {gets}; repeat with gradients: eager {meant}, compiled {made}")
sys.exit(0 if wants != gets and meant != made else 1)
