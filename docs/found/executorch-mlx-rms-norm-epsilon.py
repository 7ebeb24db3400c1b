"""ExecuTorch 1.5.1, MLX backend: RMSNorm without an epsilon of its own gets 1e-5, where PyTorch takes 1.2e-7."""
import logging
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "frontends"), str(ROOT / "python")]
logging.disable(logging.WARNING)

import torch  # noqa: E402

import mlx_edits  # noqa: E402
import origins_mlx  # noqa: E402


def off(module, x):
    """The epsilon of the instruction, and how far the payload, run by the meaning of its instructions, is from eager execution."""
    _, program, data = mlx_edits.lowered(module, (x,))
    ((made,),) = mlx_edits.results(program, data, [(x,)], {})
    (op,) = (i.op for i in mlx_edits.Edits.chain(program))
    return op.eps, float((made - module(x)).abs().max())


torch.manual_seed(0)
x = torch.randn(2, 8) * 1e-3
with tempfile.TemporaryDirectory() as scratch, torch.no_grad():
    origins_mlx.generated(scratch)
    own, plain = off(torch.nn.RMSNorm(8), x), off(torch.nn.RMSNorm(8, eps=1e-6), x)
print(f"payload against eager: epsilon {own[0]}, {own[1]:.3g} off; of one that is given, {plain[0]}, {plain[1]:.3g} off")
sys.exit(0 if own[1] > 0.5 and plain[1] < 1e-5 else 1)
