"""Exit code 0: the fault is there. Rematerialization computes a value again behind a write to what it was computed from."""
import sys
import warnings

warnings.filterwarnings("ignore")
import thunder
import torch
from thunder.executors import torch_compile
from thunder.executors.custom_op_ex import custom_op_ex
from thunder.torch.custom_op import _register_custom_op


@torch.library.custom_op("demo::bump", mutates_args=())
def bump(x: torch.Tensor) -> torch.Tensor:
    return x + 1


bump.register_fake(torch.empty_like)
_register_custom_op(bump)


def f(h):
    v = h * 2
    h.add_(1)
    c = torch.ops.demo.bump(h)  # stands between two regions that are fused
    return v + c


def run():
    return thunder.jit(f, executors=[custom_op_ex, torch_compile.torch_compile_ex])(torch.ones(3)).tolist()


wanted, got = f(torch.ones(3)).tolist(), run()
torch_compile.rematerialize = lambda trace: trace
without = run()
print(f"eager {wanted}, compiled {got}, without rematerialization {without}")
sys.exit(0 if got != wanted == without else 1)
