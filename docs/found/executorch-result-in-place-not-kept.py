"""ExecuTorch 1.5.1: the result of a reinplaced operator lives no longer than that operator, so what comes later is put on it."""
import sys

import torch
from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.exir.memory_planning import MemoryPlanningAlgorithmSuite, naive
from executorch.exir.passes import MemoryPlanningPass
from executorch.runtime import Runtime, Verification


class Rows(torch.nn.Module):
    """Two rows are put anew; the result is read after something else was computed."""

    def forward(self, x, i, v):
        rows = torch.index_put(x * 2, [i], v)
        return torch.exp(x) * 0.5, rows


def run(**options):
    given = torch.arange(24.0).reshape(6, 4) / 8, torch.tensor([1, 5]), torch.ones(2, 4)
    edge = to_edge(torch.export.export(Rows(), given, strict=False))
    file = edge.to_executorch(ExecutorchBackendConfig(**options)).buffer
    program = Runtime.get().load_program(file, verification=Verification.Minimal)
    found = program.load_method("forward").execute(given)
    return ["as eager" if torch.allclose(a, b) else "wrong" for a, b in zip(found, Rows()(*given))]


plain = run()
naive_plan = run(run_reinplace_pass=True, memory_planning_pass=MemoryPlanningPass(memory_planning_algo=MemoryPlanningAlgorithmSuite(algo_list=[naive])))
greedy = run(run_reinplace_pass=True)
print(f"without reinplacing: {plain}; reinplaced, naive plan: {naive_plan}; reinplaced, default plan: {greedy}")
sys.exit(0 if "wrong" not in plain + naive_plan and "wrong" in greedy else 1)
