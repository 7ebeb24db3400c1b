"""Exit code 0: the fault is there. An argument that is written through a view is unchanged until the backward runs."""
import sys
import warnings

warnings.filterwarnings("ignore")
import thunder
import torch


def f(z, m):
    m[1].mul_(2)
    return z * 2


def contents(function):
    torch.manual_seed(0)
    z, m = torch.randn(4, 4, requires_grad=True), torch.randn(4, 4)
    out = function(z, m)
    behind_forward = m.clone()
    out.sum().backward()
    return behind_forward, m


(eager, eager_at_end), (compiled, compiled_at_end) = contents(f), contents(thunder.jit(f))
wrong, late = not torch.equal(eager, compiled), torch.equal(eager_at_end, compiled_at_end)
print("argument behind the forward:", "differs" if wrong else "the same", "- behind the backward:", "the same" if late else "differs")
sys.exit(0 if wrong else 1)
