"""ExecuTorch 1.5.1: XNNPACK resizes by the ratio of the sizes, not by the factor that the program gives."""
import sys

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime, Verification


def distance(backends, **options):
    """Of what the program returns from what the module returns, relative to the largest number."""
    torch.manual_seed(0)
    module, given = torch.nn.Upsample(mode="bilinear", **options).eval(), (torch.randn(1, 2, 5, 5),)
    file = to_edge_transform_and_lower(torch.export.export(module, given), partitioner=backends).to_executorch().buffer
    program = Runtime.get().load_program(file, verification=Verification.Minimal)
    found, meant = program.load_method("forward").execute(given)[0], module(*given)
    return float((found - meant).abs().max() / meant.abs().max())


wrong = distance([XnnpackPartitioner()], scale_factor=1.5)
right = {"portable": distance([], scale_factor=1.5), "factor 2": distance([XnnpackPartitioner()], scale_factor=2.0),
         "size 7": distance([XnnpackPartitioner()], size=(7, 7)),
         "corners": distance([XnnpackPartitioner()], scale_factor=1.5, align_corners=True)}
print(f"factor 1.5 of 5 x 5: {wrong:.3f}; " + ", ".join(f"{name}: {value:.1e}" for name, value in right.items()))
sys.exit(0 if wrong > 0.1 and max(right.values()) < 1e-5 else 1)
