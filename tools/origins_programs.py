"""Whole lowerings by ExecuTorch for tools/record_origins.py: caches, results that are no tensors, and program files with one thing edited."""
import copy
import pathlib
import tempfile

import torch
from executorch.exir import ExecutorchBackendConfig, memory_planning, to_edge
from executorch.exir._serialize._program import deserialize_pte_binary, serialize_pte_binary
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.schema import EValue, Bool, KernelCall, Tensor
from origins_planner import ordered


class Cached(torch.nn.Module):
    """A step of attention that puts its key and its value into caches."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.q, self.k, self.v, self.o = (torch.nn.Linear(4, 4, bias=False) for _ in range(4))
        self.n1, self.n2 = torch.nn.LayerNorm(4), torch.nn.LayerNorm(4)
        self.f1, self.f2 = torch.nn.Linear(4, 8), torch.nn.Linear(8, 4)
        self.register_buffer("kc", torch.zeros(6, 4))
        self.register_buffer("vc", torch.zeros(6, 4))

    def forward(self, x, pos):
        h = self.n1(x)
        self.kc.index_put_([pos], self.k(h))
        self.vc.index_put_([pos], self.v(h))
        seen = (torch.arange(6) <= pos).view(1, 6)
        weights = torch.softmax((self.q(h) @ self.kc.T).masked_fill(~seen, -1e9) * 0.5, -1)
        x = x + self.o(weights @ self.vc)
        return x + self.f2(torch.nn.functional.gelu(self.f1(self.n2(x))))


class Updated(torch.nn.Module):
    """What is stored in a buffer is also the operand of an operator that may be in place."""

    def __init__(self):
        super().__init__()
        self.register_buffer("s", torch.zeros(3, 2))

    def forward(self, x, i, v):
        new = self.s + 1
        self.s.copy_(new)
        return torch.index_put(new, [i], v)


class Positions(torch.nn.Module):
    """A buffer and an input are written, and there is a result."""

    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.zeros(3, 2))

    def forward(self, x, i, v):
        self.a.index_put_([i], v)
        x.add_(1)
        return x * self.a


class Sized(torch.nn.Module):
    def forward(self, x):
        return x.shape[0] * 2, x + 1


class Halved(torch.nn.Module):
    """One of the results is as large as a constant."""

    def forward(self, x):
        return x * torch.tensor(0.5), torch.sin(x[0, 0])


def lowered(module, inputs, folder, sizes=None, **config):
    import noclobber.executorch as nce

    planner = MemoryPlanningPass(memory_planning_algo=memory_planning.MemoryPlanningAlgorithmSuite([ordered]))
    edge = to_edge(torch.export.export(module, inputs, dynamic_shapes=sizes, strict=False))
    with nce.watch(out=folder):
        edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=planner, **config))
    return pathlib.Path(folder)


def edited(program, edit):
    """The program file with its one method changed."""
    file = deserialize_pte_binary(program)
    (plan,) = file.program.execution_plan
    edit(plan)
    return bytes(serialize_pte_binary(file))


def one_result_more(plan):
    plan.values.append(EValue(Bool(False)))
    plan.outputs.append(len(plan.values) - 1)


def constant_as_result(plan):
    """The kernel of the sine is given the constant of the program for its result."""
    (sine,) = (k for k, op in enumerate(plan.operators) if op.name == "aten::sin")
    (call,) = (i.instr_args for i in plan.chains[0].instructions if isinstance(i.instr_args, KernelCall) and i.instr_args.op_index == sine)
    constants = [k for k, value in enumerate(plan.values) if isinstance(value.val, Tensor) and value.val.data_buffer_idx > 0]
    own = call.args[-1]
    constant = next(k for k in constants if plan.values[k].val.scalar_type == plan.values[own].val.scalar_type)
    call.args[-2:] = [constant] * 2
    plan.outputs = [constant if k == own else k for k in plan.outputs]


def states():
    table, rows, values = torch.arange(6.0).reshape(3, 2), torch.tensor([1]), torch.ones(1, 2)
    yield "cache-attention", Cached().eval().requires_grad_(False), (torch.arange(4.0).reshape(1, 4), torch.tensor([2]))
    yield "cache-then-update", Updated(), (table, rows, values)
    yield "outputs-by-position", Positions(), (table, rows, values)


def recorded():
    """File below corpus/origins: what it holds."""
    for name, module, inputs in states():
        with tempfile.TemporaryDirectory() as folder:
            (case,) = lowered(module, inputs, folder, run_reinplace_pass=True).glob("*write-back*.case.json")
            yield f"reinplace/{name}.case.json", case.read_bytes()
    x = torch.arange(12.0).reshape(3, 4)
    rows = {"x": {0: torch.export.Dim("rows", min=2, max=8)}}
    for name, module, sizes, edit, wrong in (("returned-size", Sized(), rows, one_result_more, "returned-size-and-flag"),
                                             ("own-result", Halved(), None, constant_as_result, "constant-as-result")):
        with tempfile.TemporaryDirectory() as folder:
            home = lowered(module, (x,), folder, sizes)
            program = (home / "program.pte").read_bytes()
            yield f"programs/{name}.case.json", (home / "functional.forward.case.json").read_bytes()
        yield f"programs/{name}.pte", program
        yield f"programs/{wrong}.pte", edited(program, edit)
