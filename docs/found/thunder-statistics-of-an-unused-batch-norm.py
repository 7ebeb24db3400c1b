"""Exit code 0: the fault is there. The statistics that `torch.native_batch_norm` updates stay as they were if its result is not used."""
import sys
import warnings

warnings.filterwarnings("ignore")
import thunder
import torch


def f(x, mean, var):
    torch.native_batch_norm(x, None, None, mean, var, True, 0.1, 1e-5)  # a calibrating pass: for its statistics alone
    return x * 2


def g(x, mean, var):
    return torch.native_batch_norm(x, None, None, mean, var, True, 0.1, 1e-5)[0]


def statistics(function):
    mean = torch.zeros(3)
    function(torch.ones(4, 3), mean, torch.ones(3))
    return mean.tolist()


seen = [(statistics(h), statistics(thunder.jit(h))) for h in (f, g)]
for name, (eager, compiled) in zip(("unused", "used"), seen):
    print(f"{name}: eager {eager}, compiled {compiled}")
sys.exit(0 if seen[0][0] != seen[0][1] and seen[1][0] == seen[1][1] else 1)
