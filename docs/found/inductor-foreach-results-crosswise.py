"""Exit code 0: the fault is there. Results of one `_foreach` call that are written back crosswise stay where they were made."""
import sys

import torch


def f(x, y):
    first, second = torch._foreach_add([x, y], 1.0)
    x.copy_(second)
    y.copy_(first)


def both(x, y):
    first, _ = torch._foreach_add([x, y], 1.0)
    x.copy_(first)
    y.copy_(first)


def run(function):
    x, y = torch.zeros(3), torch.full((3,), 10.0)
    function(x, y)
    return x[0].item(), y[0].item()


seen = {function.__name__: (run(function), run(torch.compile(function))) for function in (f, both)}
for name, (eager, compiled) in seen.items():
    print(f"{name}: eager {eager}, compiled {compiled}")
sys.exit(0 if all(eager != compiled for eager, compiled in seen.values()) else 1)
