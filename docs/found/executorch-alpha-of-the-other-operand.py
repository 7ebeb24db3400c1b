"""Exit code 0: the fault is there. Where the first operand of `add` is one element, `alpha` scales it and not the second one."""
import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import torch
from executorch import exir
from executorch.runtime import Runtime, Verification


class Scaled(torch.nn.Module):
    def forward(self, s, x):
        return torch.add(s, x, alpha=2)


def both(*given):
    buffer = exir.to_edge(torch.export.export(Scaled(), given)).to_executorch().buffer
    method = Runtime.get().load_program(buffer, verification=Verification.Minimal).load_method("forward")
    return Scaled()(*given).tolist(), method.execute(list(given))[0].tolist()


one, many = torch.tensor(10.0), torch.ones(3)
for name, given in (("one element first", (one, many)), ("one element second", (many, one)), ("[1] first", (one[None], many))):
    print(f"{name}: eager {both(*given)[0]}, ExecuTorch {both(*given)[1]}")
wrong, right = both(one, many), both(many, one)
sys.exit(0 if wrong[0] != wrong[1] and right[0] == right[1] else 1)
