"""MLX's backend for tools/record_origins.py: what its passes make of a delegated graph, and the payloads that it serializes.

The installed package holds the backend without the files that its own generator makes of the schema; a copy is given them.
"""
import contextlib
import copy
import importlib.util
import json
import logging
import pathlib
import shutil
import sys
import tempfile
from unittest import mock

import torch
from executorch.exir.pass_base import PassResult

A = torch.arange(6.0).reshape(2, 3) / 8


def seed(x, y, z):
    t, w = torch.exp(x), torch.exp(z)
    a = t + y
    return a * (w + t)


def sequence(x, y):
    scaled = torch.clamp(torch.relu(torch.sigmoid(x) + y) * y, -2, 2)
    return -(torch.nn.functional.gelu(torch.exp(scaled)) - y)


def clamped(x):
    return torch.clamp(torch.exp(x), 0.5, 2.0) + 1


def tower(x, y):
    s, c = torch.sin(x), torch.cos(y)
    m = s * c
    a = s + m
    return a, (c + a) * m


def consumers(x, y):
    t = torch.exp(x)
    return (t + y) * (t * y)


def returned(x):
    t = torch.exp(x)
    return t, torch.neg(t)


def scaled(x, other):
    return torch.neg(x).add_(other, alpha=0.1)


GRAPHS = {"two-consumers": (consumers, (A, A + 1)), "returned-and-used": (returned, (A,))}  # before and after the backend's reinplacing
PAYLOADS = {"seed": (seed, (A, A + 1, A + 2)), "chain": (sequence, (A, A + 1)), "clamp": (clamped, (A,)), "tower": (tower, (A, A + 1))}


def slot_taken(instructions):
    """The slot of t for t + y, as the pass hands it out that forgets that w + t reads t."""
    first, _, add, _, last = (instruction.op for instruction in instructions)
    add.out.idx = last.a.idx = first.out.idx


def written_early(instructions):
    """relu as the larger of x * 0 and x, which is computed into the slot of x."""
    relu, times = instructions[2].op, copy.deepcopy(instructions[3])
    times.op.a.idx, times.op.b.idx, times.op.out.idx = relu.a.idx, relu.b.idx, relu.out.idx
    relu.b.idx = relu.a.idx
    instructions.insert(2, times)


EDITS = {"seed-slot-taken": ("seed", slot_taken), "chain-written-early": ("chain", written_early)}


def generated(folder):
    """Lets executorch.backends.mlx be a copy in `folder` that has what the generator makes."""
    import executorch.backends
    import executorch.data.bin

    home = next(p for p in map(pathlib.Path, executorch.backends.__path__) if (p / "mlx").is_dir())
    shutil.copytree(home / "mlx", pathlib.Path(folder) / "mlx")
    here = pathlib.Path(folder) / "mlx" / "serialization"
    spec = importlib.util.spec_from_file_location("mlx_generate", here / "generate.py")
    generate = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = generate  # its dataclasses look for it
    spec.loader.exec_module(generate)
    with contextlib.redirect_stdout(None):
        generate.run_flatc(str(pathlib.Path(executorch.data.bin.__file__).parent / "flatc"))
        generate._fixup_flatc_imports()
    schema = generate.parse_fbs(here / "schema.fbs")
    (here / "mlx_graph_schema.py").write_text(generate.generate_python_schema(schema))
    (here / "_generated_serializers.py").write_text(generate.generate_python_serializers(schema))
    executorch.backends.__path__.insert(0, str(folder))


class Captured:
    """What the backend is given and makes of it: whole programs before and after its reinplacing, then delegates, of which a program may
    have several."""

    def __init__(self):
        self.graphs, self.reinplaced, self.delegated, self.payloads, self.programs = [], [], [], [], []
        self.filled = []  # the graphs, with what their constants hold

    def hooks(self):
        """Patches of the backend that let this see what it does."""
        import executorch.exir.passes.reinplace as reinplace
        from executorch.backends.mlx import preprocess
        from noclobber.executorch import export_functional
        from noclobber.fx_case import case, with_contents

        real, serialize, builder = reinplace.reinplace_pass, preprocess.serialize_mlx_graph, preprocess.MLXProgramBuilder

        def reinplace_pass(program, *args, **kwargs):
            before = export_functional(program)
            self.graphs.append(case("delegate", before))
            self.filled.append(case("delegate", with_contents(before)))
            result = real(program, *args, **kwargs)
            self.reinplaced.append(case("delegate", export_functional(result), before))
            return result

        def of_delegate(program, *args, **kwargs):
            self.delegated.append(case("delegate", export_functional(program)))
            return builder(program, *args, **kwargs)

        def serialize_mlx_graph(graph, *args):
            self.programs.append(copy.deepcopy(graph))
            self.payloads.append(serialize(graph, *args))
            return self.payloads[-1]

        return (mock.patch.object(reinplace, "reinplace_pass", reinplace_pass),
                mock.patch.object(preprocess, "MLXProgramBuilder", of_delegate),
                mock.patch.object(preprocess, "serialize_mlx_graph", serialize_mlx_graph))


def delegated(program, inputs, mixed=False):
    """Lowers the program to MLX. With `mixed` operands of two types are left as they are."""
    from executorch.backends.mlx import MLXPartitioner
    from executorch.backends.mlx.passes import get_default_passes
    from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
    from executorch.exir.passes.remove_mixed_type_operators import RemoveMixedTypeOperators

    class Module(torch.nn.Module):
        forward = staticmethod(program)

    seen = Captured()
    with contextlib.ExitStack() as stack:
        for patch in seen.hooks():
            stack.enter_context(patch)
        if mixed:
            stack.enter_context(mock.patch.object(RemoveMixedTypeOperators, "call", lambda self, module: PassResult(module, False)))
        to_edge_transform_and_lower(torch.export.export(Module(), inputs, strict=False), partitioner=[MLXPartitioner()],
                                    transform_passes=get_default_passes(),
                                    compile_config=EdgeCompileConfig(_check_ir_validity=False))
    return seen


def edited(graph, edit):
    """The payload with its instructions changed."""
    from executorch.backends.mlx.serialization.mlx_graph_serialize import serialize_mlx_graph

    graph = copy.deepcopy(graph)
    edit(graph.instruction_chains[graph.main_chain_idx].instructions)
    return serialize_mlx_graph(graph)


def recorded():
    """File below corpus/origins: what it holds."""
    logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory() as folder:
        generated(folder)
        for name, (program, inputs) in GRAPHS.items():
            yield f"mlx/{name}.reinplaced.case.json", json.dumps(delegated(program, inputs).reinplaced[0]).encode()
        for name, (program, inputs) in PAYLOADS.items():
            seen = delegated(program, inputs)
            yield f"mlx/{name}.case.json", json.dumps(seen.graphs[0]).encode()
            yield f"mlx/{name}.mlx", seen.payloads[0]
            for wrong, (of, edit) in EDITS.items():
                if of == name:
                    yield f"mlx/{wrong}.mlx", edited(seen.programs[0], edit)
