"""ExecuTorch 1.5.1: a quantised layer that is used twice has the bias of its first use in XNNPACK, whatever the second operand's scale is."""
import sys

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime, Verification
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e


class Shared(torch.nn.Module):
    def __init__(self, bias):
        super().__init__()
        self.layer = torch.nn.Linear(8, 4, bias=bias)

    def forward(self, x, y):
        return self.layer(x), self.layer(y)


def distances(bias):
    """Of what the program gives for x and for y from what the quantised module gives, relative to the largest number."""
    torch.manual_seed(0)
    module, given = Shared(bias).eval(), (torch.randn(3, 8), 20 * torch.randn(3, 8))
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(module, given).module(), quantizer)
    prepared(*given)
    quantised = convert_pt2e(prepared)
    file = to_edge_transform_and_lower(torch.export.export(quantised, given), partitioner=[XnnpackPartitioner()]).to_executorch().buffer
    program = Runtime.get().load_program(file, verification=Verification.Minimal)
    found = program.load_method("forward").execute(given)
    with torch.no_grad():
        return [float((f - m).abs().max() / m.abs().max()) for f, m in zip(found, quantised(*given), strict=True)]


with_bias, without = distances(True), distances(False)
print(f"with a bias: first use {with_bias[0]:.3f}, second use {with_bias[1]:.3f}; without: {without[0]:.3f}, {without[1]:.3f}")
sys.exit(0 if max(with_bias) > 0.1 and min(with_bias) < 0.02 and max(without) < 0.02 else 1)
