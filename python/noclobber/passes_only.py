"""A backend of `torch.compile` that is Inductor without lowering: its passes run, no kernel is made, and what the passes leave runs
with PyTorch's own operators. Works with PyTorch 2.5 to 2.15, whose internals it replaces.
"""
from __future__ import annotations

import copy
import operator

import torch
import torch._inductor.compile_fx as compile_fx


class _Kept(Exception):
    """Lowering is not asked for."""


class _NoLowering:
    def __init__(self, *_, **__):
        raise _Kept


def backend(graph, inputs):
    """For `torch.compile(f, backend=backend)`."""
    return compile_fx.compile_fx(graph, inputs, inner_compile=_passes_only)


def _passes_only(graph, inputs, **options):
    kept, passes, lowering = [], compile_fx._recursive_post_grad_passes, compile_fx.GraphLowering

    def keeping(module, *args, **more):
        passes(module, *args, **more)
        module.recompile()
        kept.append(copy.deepcopy(module))

    compile_fx._recursive_post_grad_passes, compile_fx.GraphLowering = keeping, _NoLowering
    try:
        return compile_fx.compile_fx_inner(graph, inputs, **options)  # nothing to compute: no passes either
    except Exception as error:  # noqa: BLE001, PyTorch wraps what lowering raises
        if not any(isinstance(e, _Kept) for e in (error, error.__cause__, getattr(error, "inner_exception", None))):
            raise
    finally:
        compile_fx._recursive_post_grad_passes, compile_fx.GraphLowering = passes, lowering
    return interpreted(kept[-1])  # bodies come before the graph that they belong to


class _Interpreter(torch.fx.Interpreter):
    """Of a graph as Inductor leaves it: an operator over lists that writes and returns nothing is indexed, for what it has written."""

    def run_node(self, node):
        if node.target is operator.getitem and node.args[0] in self.env and self.env[node.args[0]] is None:
            return self.env[node.args[0].args[0][node.args[1]]]
        return super().run_node(node)


def interpreted(graph):
    """Runs a graph module without gradients; it takes its arguments as one list, which it empties."""
    def run(arguments):
        values = list(arguments)
        arguments.clear()
        with torch.no_grad():
            return list(_Interpreter(graph, garbage_collect_values=False).run(*values))

    run._boxed_call = True
    return run


def all_passes(module):
    """The passes over a graph module that is functional but for `copy_` into its inputs, as they follow each other in a compilation for
    inference: for `noclobber.torch.fuzz_pass`, which makes such modules without Dynamo and AOTAutograd."""
    from torch._inductor.virtualized import V

    inputs = [n.meta["val"] for n in module.graph.nodes if n.op == "placeholder"]
    mode = next(t.fake_mode for t in inputs if hasattr(t, "fake_mode"))
    with torch.no_grad(), V.set_fake_mode(mode), mode:
        compile_fx._recursive_joint_graph_passes(module)
        compile_fx.view_to_reshape(module)
        compile_fx.fake_tensor_prop(module, inputs)
        compile_fx._recursive_post_grad_passes(module, is_inference=True)
    module.recompile()
