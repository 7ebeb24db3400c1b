"""Planners for ExecuTorch that give results the places of operands that die there: a careful one, which looks whether the operator reads
each element before it writes it, and one that does not look.
"""
from executorch.exir.memory_planning import greedy

# Their kernels go through the elements of operands and result in one order.
ELEMENTWISE = {"abs", "add", "clamp", "div", "exp", "logical_not", "maximum", "mul", "neg", "pow", "relu", "remainder", "sign", "sin", "sub", "where"}


def in_place(alignment, specs, graph_module, *more, **options):
    return _planned(_may_share, alignment, specs, graph_module, *more, **options)


def in_place_anyhow(alignment, specs, graph_module, *more, **options):
    return _planned(lambda node, operand: True, alignment, specs, graph_module, *more, **options)


def _planned(may_share, alignment, specs, graph_module, *more, **options):
    """A greedy plan in which such operands end before their reader begins; what the specs say of lifetimes stays."""
    planned, changed = {id(s) for s in specs}, []
    for number, node in enumerate(graph_module.graph.nodes):
        spec = node.meta.get("spec")
        if "out" not in node.kwargs or id(spec) not in planned:
            continue
        for operand in (a.meta.get("spec") for a in node.args if hasattr(a, "meta")):
            if id(operand) in planned and operand.lifetime[1] == number and operand.lifetime[0] < spec.lifetime[0] and may_share(node, operand):
                changed.append((operand, operand.lifetime))
                operand.lifetime = [operand.lifetime[0], spec.lifetime[0] - 1]
                break
    result = greedy(alignment, specs, graph_module, *more, **options)
    for operand, lifetime in changed:
        operand.lifetime = lifetime
    return result


def _may_share(node, operand) -> bool:
    spec, name = node.meta["spec"], str(getattr(node.target, "_name", node.target)).replace("::", ".").split(".")[1]
    return name in ELEMENTWISE and (operand.dtype, list(operand.shape), operand.stride) == (spec.dtype, list(spec.shape), spec.stride)
