"""ExecuTorch's planner for tools/record_origins.py: results in place of their first operand, as they may be, or with one mistake."""
import contextlib
import pathlib
import tempfile
from unittest import mock

import torch
from executorch.exir import ExecutorchBackendConfig, memory, memory_planning, to_edge
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.tensor import TensorSpec

ELEMENTWISE = ("add", "sub", "mul", "relu", "sigmoid", "tanh", "exp", "neg", "maximum", "clamp", "abs", "sqrt")


def chain(x, y):
    scaled = torch.sigmoid(torch.relu(torch.matmul(x, x.T) @ y) + y) * y
    return scaled - 1


def viewed(x, y):
    t = torch.exp(x)
    return torch.neg(t.view(6, 4)) @ t


def returned(x, y):
    t = torch.exp(x)
    return t, torch.abs(t) * y


def grown(x, y):
    t, w = torch.exp(x[:1]), torch.exp(y)
    return (t + w) * (w * 2)


def squared(x, y):
    t = torch.exp(x[:, :4])
    return t @ t + 1


def softened(x, y):
    return torch.softmax(torch.exp(x), -1) + y


def freed(x, y):
    return torch.relu(torch.exp(x)) + torch.sin(y)


def consumers(x, y, w):
    t = torch.exp(x)
    return torch.maximum(t, y) * torch.maximum(t, w)


def outlived(x, y):
    return torch.maximum(torch.exp(x), y) + torch.exp(y) * y


# name -> (program, mistake or "", operators that may be in place)
PLANS = {
    "chain-right": (chain, "", ELEMENTWISE),
    "chain-dead-slot": (chain, "lives not extended", ELEMENTWISE),
    "views-right": (viewed, "", ELEMENTWISE),
    "views-view-users": (viewed, "users of the value alone", ELEMENTWISE),
    "outp-output-not-user": (returned, "the return is no user", ELEMENTWISE),
    "bigger-right": (grown, "", ELEMENTWISE),
    "bigger-larger": (grown, "any size", ELEMENTWISE),
    "mm-non-elementwise": (squared, "", ("mm",)),
    "softmax-non-elementwise": (softened, "", ("_softmax",)),
    "freed-right": (freed, "", ELEMENTWISE),
    "freed-free": (freed, "freed behind the step", ELEMENTWISE),
    "two-consumers-maximum": (consumers, "no users", ("maximum",)),
    "lifetime-extended": (outlived, "", ("maximum",)),
}
RUN_OTHERWISE = {"chain-dead-slot", "views-view-users", "outp-output-not-user", "bigger-larger", "mm-non-elementwise", "two-consumers-maximum"}
# What of a recording is kept beside the plan: the functional program and what ships.
WHOLE = ("chain-right", "views-right", "mm-non-elementwise", "softmax-non-elementwise")


def ordered(alignment, specs, *args, **kwargs):
    """ExecuTorch's greedy algorithm, which takes what is of one size in any order: the first that is used first."""
    return memory_planning.greedy(alignment, sorted(specs, key=lambda s: (s.lifetime, s.allocated_memory)), *args, **kwargs)


def family(node):
    """The value behind views, and all views of it."""
    while node.target is memory.view:
        node = node.args[0]
    found = [node]
    for one in found:
        found += [user for user in one.users if user.target is memory.view]
    return found


def readers(node, operand, mistake):
    """Who else reads what `node` would overwrite, by what the planner looks at."""
    values = [operand] if mistake == "users of the value alone" else family(operand)
    found = [user for value in values for user in value.users if user is not node and user not in values]
    if mistake == "the return is no user":
        found = [user for user in found if user.op != "output"]
    return [] if mistake == "no users" else found


def operand_of(node, mistake, operators):
    """The planner's record of what the result may lie on, or None."""
    if node.op != "call_function" or not node.args or not isinstance(node.args[0], torch.fx.Node):
        return None
    operand, base = node.args[0], family(node.args[0])[0]
    spec, own = base.meta.get("spec"), node.meta.get("spec")
    named = any(str(node.target).removeprefix("aten.").partition(".")[0] == name for name in operators)
    if not named or base.op == "placeholder" or not isinstance(spec, TensorSpec) or readers(node, operand, mistake):
        return None
    fits = mistake == "any size" or (spec.nbytes(), spec.dtype) == (own.nbytes(), own.dtype)
    return spec if fits else None


class InPlace(MemoryPlanningPass):
    """The idea of the pull request: the result of an element-wise operator takes the place of its first operand."""

    def __init__(self, mistake, operators):
        super().__init__(memory_planning_algo=memory_planning.MemoryPlanningAlgorithmSuite([ordered]))
        self.mistake, self.operators = mistake, operators

    def run(self, module, signature=None):
        self._set_alloc_node_spec(module)
        pairs = []
        for node in list(module.graph.nodes):
            if (base := operand_of(node, self.mistake, self.operators)) is None:
                continue
            pairs.append((node, node.meta["spec"], base))
        if self.mistake != "any size":  # a larger result on a smaller operand is refused by the planner itself
            for _, own, base in pairs:
                own.storage_base = base
        unextended = mock.patch.object(memory_planning, "_extend_storage_base_lifetimes", lambda specs: None)
        with unextended if self.mistake == "lives not extended" else contextlib.nullcontext():
            planned = super().run(module, signature)
        for node, own, base in pairs:
            if self.mistake == "any size":
                own.mem_id, own.mem_offset, own.mem_obj_id = base.mem_id, base.mem_offset, base.mem_obj_id
            if self.mistake == "freed behind the step":
                with module.graph.inserting_after(node):
                    module.graph.call_function(memory.free, (base,)).meta["spec"] = None
        return planned


def lowered(program, inputs, folder, planner):
    import noclobber.executorch as nce

    class Module(torch.nn.Module):
        forward = staticmethod(program)

    edge = to_edge(torch.export.export(Module(), inputs, strict=False))
    # A graph that frees a record of the planner is printed as Python that holds the record, which 1.5.1 cannot compile again.
    with nce.watch(out=folder), mock.patch.object(TensorSpec, "__repr__", lambda spec: "None"):
        edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=planner))


def same_as_eager(program, inputs, file):
    """Does the portable runtime give what eager mode gives?"""
    from executorch.runtime import Runtime, Verification

    wants = program(*inputs)
    wants = wants if isinstance(wants, tuple) else (wants,)
    method = Runtime.get().load_program(file, verification=Verification.Minimal).load_method("forward")
    return all(torch.allclose(got, want) for got, want in zip(method.execute(inputs), wants, strict=True))


def recorded():
    """File below corpus/origins: what it holds."""
    for name, (program, mistake, operators) in PLANS.items():
        sizes = [(3, 2)] * 3 if program is consumers else [(3, 2)] * 2 if program is outlived else [(4, 6)] * 2
        inputs = tuple(torch.arange(1.0, 1 + r * c).reshape(r, c) * (1 + 3 * k) / 16 for k, (r, c) in enumerate(sizes))
        with tempfile.TemporaryDirectory() as folder:
            lowered(program, inputs, folder, InPlace(mistake, operators))
            file = (pathlib.Path(folder) / "program.pte").read_bytes()
            if same_as_eager(program, inputs, file) != (name not in RUN_OTHERWISE):
                raise AssertionError(f"{name}: what the runtime gives is not as it was")
            (plan,) = pathlib.Path(folder).glob("*_plan.*.case.json")
            yield f"planner/{name}.plan.case.json", plan.read_bytes()
            if name in WHOLE:
                yield f"planner/{name}.functional.case.json", (pathlib.Path(folder) / "functional.forward.case.json").read_bytes()
                yield f"planner/{name}.pte", file
