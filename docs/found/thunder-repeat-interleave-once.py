"""Exit code 0: the fault is there. Each element repeated once is the argument itself, which is written later."""
import sys
import warnings

warnings.filterwarnings("ignore")
import thunder
import torch


def f(x, times=1):
    keys = x.repeat_interleave(times, 0)
    x.add_(1)
    return keys


wants, gets = f(torch.zeros(4, 6)), thunder.jit(f)(torch.zeros(4, 6))
print(f"eager {wants[0, 0].item()}, compiled {gets[0, 0].item()}")
sys.exit(0 if not torch.equal(wants, gets) else 1)
