"""Exit code 0: the fault is there. With the torch.compile executor, what is written through `type_as` is lost where nothing else is read of it."""
import sys
import warnings

warnings.filterwarnings("ignore")
import thunder
import torch
from thunder.executors.torch_compile import torch_compile_ex


def scale(z, x):
    v = z.type_as(x)  # z itself, as both are float32
    v.mul_(1.5)
    return x


def written(function):
    z = torch.tensor([5.0, 7.0])
    function(z, torch.ones(2))
    return z.tolist()


seen = {
    "eager": written(scale),
    "default executors": written(thunder.jit(scale)),
    "torch_compile_ex": written(thunder.jit(scale, executors=[torch_compile_ex])),
}
for name, z in seen.items():
    print(f"{name}: z is {z}")
sys.exit(0 if list(seen.values()) == [[7.5, 10.5], [7.5, 10.5], [5.0, 7.0]] else 1)
