"""ExecuTorch 1.5.1, MLX backend: one constant serves a number for all dtypes, so that a float16 result becomes float32."""
import contextlib
import logging
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "frontends"), str(ROOT / "python")]
logging.disable(logging.WARNING)

import torch  # noqa: E402

import mlx_runs  # noqa: E402
import origins_mlx  # noqa: E402
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower  # noqa: E402


class Both(torch.nn.Module):
    def forward(self, x, y):
        return torch.relu(x), torch.relu(y)


class Apart(torch.nn.Module):
    def forward(self, x, y):
        return torch.exp(x), torch.relu(y)


def dtypes(module, inputs):
    """Of the results, as the instructions of the payload make them: an array of MLX without dimensions counts as any other."""
    from executorch.backends.mlx import MLXPartitioner
    from executorch.backends.mlx.passes import get_default_passes

    seen = origins_mlx.Captured()
    with contextlib.ExitStack() as stack:
        for patch in seen.hooks():
            stack.enter_context(patch)
        to_edge_transform_and_lower(torch.export.export(module, inputs, strict=False), partitioner=[MLXPartitioner()],
                                    transform_passes=get_default_passes(), compile_config=EdgeCompileConfig(_check_ir_validity=False))
    (program,) = seen.programs
    zeros = {named.name: torch.tensor(0.0) for named in program.named_slots}
    return [t.dtype for t in mlx_runs.run(program, zeros, inputs, {})]


inputs = torch.ones(4), torch.ones(4, dtype=torch.float16)
meant = [t.dtype for t in Both()(*inputs)]
with tempfile.TemporaryDirectory() as scratch:
    origins_mlx.generated(scratch)
    both, apart = dtypes(Both(), inputs), dtypes(Apart(), inputs)
print(f"eager: {meant}\nrelu of both: {both}\nrelu of the second alone: {apart}")
sys.exit(0 if both == [torch.float32] * 2 and apart == meant else 1)
