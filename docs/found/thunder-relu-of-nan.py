"""Exit code 0: the fault is there. With gradients `relu` makes 0 of NaN; without them, as in eager mode, NaN stays."""
import sys
import warnings

warnings.filterwarnings("ignore")
import thunder
import torch


def loss(x):
    return torch.relu(x / x).sum()  # 0 / 0


def run(function, watched):
    return function(torch.zeros(3, requires_grad=watched)).item()


seen = {watched: (run(loss, watched), run(thunder.jit(loss), watched)) for watched in (False, True)}
for watched, (eager, compiled) in seen.items():
    print(f"{'with' if watched else 'without'} gradients: eager {eager}, compiled {compiled}")
sys.exit(0 if str(seen[False]) == "(nan, nan)" and str(seen[True]) == "(nan, 0.0)" else 1)
