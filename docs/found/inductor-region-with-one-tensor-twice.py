"""Exit code 0: the fault is there. A nested region is used again for arguments of which other ones are the same tensor."""
import sys

import torch


@torch.compiler.nested_compile_region
def g(a, b):
    a.add_(1)
    return a * b


def f(x, y):
    return g(x, x) + g(y, x)


@torch.compiler.nested_compile_region
def pure(a, b):
    return a * b + 1


def raises(x, y):
    return pure(y, x) + pure(x, x)


def run(function):
    try:
        return function(torch.full((2,), 3.0), torch.full((2,), 10.0))[0].item()
    except Exception as error:
        return type(error).__name__


wants, gets, meant, made = run(f), run(torch.compile(f, backend="aot_eager")), run(raises), run(torch.compile(raises, backend="aot_eager"))
print(f"one tensor twice first: eager {wants}, compiled {gets}\none tensor twice second: eager {meant}, compiled {made}")
sys.exit(0 if wants != gets and made == "IndexError" else 1)
