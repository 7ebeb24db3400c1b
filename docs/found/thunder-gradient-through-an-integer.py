"""Exit code 0: the fault is there. What is converted to integers gets a gradient of 0 in Thunder, and what that meets makes NaN of it."""
import sys
import warnings

warnings.filterwarnings("ignore")
import thunder
import torch


def program(y):
    return y * 3, y.square().to(torch.int64)


def gradient(function, contents):
    y = torch.tensor(contents, requires_grad=True)
    function(y)[0].sum().backward()
    return y.grad.tolist()


said = {}
for contents in ([1.0, 2.0], [1.0, float("inf")]):
    said[contents[1]] = eager, compiled = str(gradient(program, contents)), str(gradient(thunder.jit(program), contents))
    print(f"y {contents}: eager {eager}, compiled {compiled}")
sys.exit(0 if said == {2.0: ("[3.0, 3.0]", "[3.0, 3.0]"), float("inf"): ("[3.0, 3.0]", "[3.0, nan]")} else 1)
