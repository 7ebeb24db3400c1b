"""Exit code 0: the fault is there. `native_dropout` that drops nothing is its input, which is written later."""
import sys

import torch


def f(x):
    kept, _ = torch.native_dropout(x, 0.5, False)
    x.add_(1)
    return kept


wants, gets = f(torch.zeros(3)), torch.compile(f, backend="aot_eager_decomp_partition")(torch.zeros(3))
compiled = torch.compile(f)(torch.zeros(3))
print(f"eager {wants[0].item()}, decomposed {gets[0].item()}, compiled {compiled[0].item()}")
sys.exit(0 if not torch.equal(wants, compiled) else 1)
