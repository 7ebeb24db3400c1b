"""Exit code 0: the fault is there. What is computed of a part before that is written is computed of what was written."""
import sys

import torch
from torch._inductor import config


def f(m, y):
    part = m[1:3, 2:]
    v = part.exp()
    part[:, 0].copy_(y)
    return v.sin()


m, y = torch.arange(24.0).reshape(4, 6) / 24, torch.full((2,), 9.0)
wants, gets = f(m.clone(), y), torch.compile(f)(m.clone(), y)
torch._dynamo.reset()
with config.patch(reorder_for_locality=False):
    without = torch.compile(f)(m.clone(), y)
print(f"column 0: eager {wants[:, 0].tolist()}, compiled {gets[:, 0].tolist()}, with reorder_for_locality=False {without[:, 0].tolist()}")
sys.exit(0 if not torch.allclose(wants, gets) and torch.allclose(wants, without) else 1)
