"""Exit code 0: the fault is there. With gradients a write through a diagonal is lost; without it is made."""
import sys
import warnings

warnings.filterwarnings("ignore")
import thunder
import torch


def f(x):
    covariance = x @ x
    covariance.diagonal().add_(1)
    return covariance * 1


def run(function, watched):
    x = torch.ones(2, 2, requires_grad=watched)
    return function(x)[0, 0].item()


seen = {watched: (run(f, watched), run(thunder.jit(f), watched)) for watched in (False, True)}
for watched, (eager, compiled) in seen.items():
    print(f"{'with' if watched else 'without'} gradients: eager {eager}, compiled {compiled}")
sys.exit(0 if seen[True][0] != seen[True][1] and seen[False][0] == seen[False][1] else 1)
