"""ExecuTorch 1.5.1, MLX backend: a weight of a convolution and of a transposed one is laid out for the first of them alone."""
import logging
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "frontends"), str(ROOT / "python")]
logging.disable(logging.WARNING)

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

import mlx_edits  # noqa: E402
import origins_mlx  # noqa: E402


class Tied(torch.nn.Module):
    """An autoencoder whose decoder has the weight of its encoder."""

    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.rand(4, 4, 3, 3))

    def forward(self, x):
        return F.conv_transpose2d(torch.relu(F.conv2d(x, self.w, padding=1)), self.w, padding=1)


class Apart(Tied):
    def __init__(self):
        super().__init__()
        self.v = torch.nn.Parameter(self.w.detach().clone() + 1)

    def forward(self, x):
        return F.conv_transpose2d(torch.relu(F.conv2d(x, self.w, padding=1)), self.v, padding=1)


def off(module, x):
    """How far the payload, run by the meaning of its instructions, is from eager execution."""
    _, program, data = mlx_edits.lowered(module, (x,))
    ((made,),) = mlx_edits.results(program, data, [(x,)], {})
    return float((made - module(x)).abs().max())


torch.manual_seed(0)
x = torch.rand(1, 4, 5, 5)
with tempfile.TemporaryDirectory() as scratch, torch.no_grad():
    origins_mlx.generated(scratch)
    tied, apart = off(Tied(), x), off(Apart(), x)
print(f"payload against eager: {tied:.3g} off with one weight, {apart:.3g} with two")
sys.exit(0 if tied > 1 and apart < 1e-3 else 1)
