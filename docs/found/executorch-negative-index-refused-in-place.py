"""ExecuTorch 1.5.1: with reinplacing on, writing the last row by the index -1 is refused by the runtime; without it runs."""
import sys

import torch
from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.runtime import Runtime, Verification


class Last(torch.nn.Module):
    def forward(self, x, i, v):
        return torch.index_put(x * 1, [i], v)


def run(reinplaced, index):
    given = torch.arange(24.0).reshape(6, 4), torch.tensor([index]), torch.ones(1, 4)
    example = given[0], torch.tensor([5]), given[2]
    edge = to_edge(torch.export.export(Last(), example, strict=False))
    file = edge.to_executorch(ExecutorchBackendConfig(run_reinplace_pass=reinplaced)).buffer
    program = Runtime.get().load_program(file, verification=Verification.Minimal)
    try:
        (found,) = program.load_method("forward").execute(given)
    except RuntimeError as error:
        return str(error).split(" with ")[-1]
    return "as eager" if torch.equal(found, Last()(*given)) else "wrong"


seen = {(reinplaced, index): run(reinplaced, index) for reinplaced in (False, True) for index in (5, -1)}
for (reinplaced, index), said in seen.items():
    print(f"index {index}, {'with' if reinplaced else 'without'} reinplacing: {said}")
fault = seen[True, -1].startswith("error") and all(said == "as eager" for key, said in seen.items() if key != (True, -1))
sys.exit(0 if fault else 1)
