"""ExecuTorch 1.5.1: reinplaced, a method returns what its state holds in the place of an argument that it wrote, or two of those crosswise."""
import sys

import torch
from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.runtime import Runtime, Verification


class Cache(torch.nn.Module):
    """A row of the cache is put in place; an argument is written by a copy behind."""

    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(4))

    def forward(self, x, i):
        self.cache[i] = 1.0
        x.add_(10)
        return x * 2


class Two(torch.nn.Module):
    """The same with two arguments."""

    def forward(self, rows, x, i):
        rows[i] = 1.0
        x.add_(10)
        return x * 2


def run(module, *given, **options):
    edge = to_edge(torch.export.export(module, given, strict=False))
    file = edge.to_executorch(ExecutorchBackendConfig(**options)).buffer
    method = Runtime.get().load_program(file, verification=Verification.Minimal).load_method("forward")
    return [t.tolist() for t in method.execute(given)]


def both(module, *given):
    plain, reinplaced = (run(module, *[t.clone() for t in given], run_reinplace_pass=on) for on in (False, True))
    print(f"{type(module).__name__}: results {plain}, reinplaced {reinplaced}")
    return plain, reinplaced


x, i = torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([1])
(plain, cache), (wants, two) = both(Cache(), x, i), both(Two(), torch.zeros(4), x, i)
written = (x + 10).tolist()
right = plain == [written, (2 * x + 20).tolist()] and wants == [[0, 1, 0, 0], *plain]
sys.exit(0 if right and cache == [[0, 1, 0, 0], plain[1]] and two == [wants[1], wants[0], wants[2]] else 1)
