"""Exit code 0: the fault is there. Two draws of one distribution are one draw behind CSEPass; of `rand_like` they stay two."""
import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import torch
from executorch.exir import EdgeCompileConfig, to_edge
from executorch.exir.passes.cse_pass import CSEPass


class Poisson(torch.nn.Module):
    def forward(self, x):
        return torch.poisson(x) - torch.poisson(x)


class Exponential(torch.nn.Module):
    def forward(self, x):
        return torch.empty_like(x).exponential_() - torch.empty_like(x).exponential_()


class Uniform(torch.nn.Module):
    def forward(self, x):
        return torch.rand_like(x) - torch.rand_like(x)


def differ(module):
    """Whether the two draws differ: in eager mode, before the pass, and behind it."""
    x = torch.full((100,), 50.0)
    edge = to_edge(torch.export.export(module, (x,), strict=False), compile_config=EdgeCompileConfig(_check_ir_validity=False))
    graph = edge.exported_program().graph_module
    seen = [module(x), torch.fx.Interpreter(graph).run(x)[0], torch.fx.Interpreter(CSEPass().call(graph).graph_module).run(x)[0]]
    return [bool(t.any()) for t in seen]


seen = {make.__name__: differ(make()) for make in (Poisson, Exponential, Uniform)}
for name, (eager, before, after) in seen.items():
    print(f"{name}: the draws differ in eager mode {eager}, before the pass {before}, behind it {after}")
sys.exit(0 if seen == {"Poisson": [True, True, False], "Exponential": [True, True, False], "Uniform": [True] * 3} else 1)
