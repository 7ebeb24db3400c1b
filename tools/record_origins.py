#!/usr/bin/env python3
"""Records inputs of corpus/origins again from the compilers: record_origins.py inductor|executorch|thunder [--write]

inductor: small programs, compiled with one pass more, as it should be or with the one mistake that the point is about; what
noclobber.torch.watch writes of that pass is the case. executorch: the released reinplacing pass, and copies of it in each of
which one thing is undone; programs with caches, plans and payloads of MLX (origins_programs.py, origins_planner.py,
origins_mlx.py). thunder: traces where dead code elimination may remove what mutates, behind update_aliases and before it, and
what fusion puts behind the return. Exits 1 where a file differs from the one that is kept; --write keeps it. Needs what its
first argument names.
"""
import contextlib
import json
import pathlib
import re
import sys
import tempfile
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[1]
HOME = ROOT / "corpus" / "origins"
sys.path.insert(0, str(ROOT / "python"))


def inductor():
    """name -> (program, inputs, pass, after reinplacing)."""
    import torch
    aten = torch.ops.aten

    def nodes(graph, target):
        return [node for node in graph.nodes if node.target == target]

    def again(graph, node, target, args, kwargs=None):
        """`target` in the place of `node`, described as that."""
        with graph.inserting_before(node):
            new = graph.call_function(target, args, kwargs or {})
        new.meta = dict(node.meta)
        node.replace_all_uses_with(new)
        graph.erase_node(node)

    def counted(x, y):
        more = x + torch.ones_like(x)
        return more, more * y

    def folded(number):
        def change(graph):
            (node,) = nodes(graph, aten.add.Tensor)
            again(graph, node, aten.add.Tensor, (node.args[0], number))
        return change

    def kept(x, y):
        both = x + y
        sums = torch.cumsum(x, 0)
        x.copy_(both)
        return sums

    def copy_early(graph):
        (copy,), (sums,) = nodes(graph, aten.copy_.default), nodes(graph, aten.cumsum.default)
        sums.prepend(copy)

    def copy_last(graph):
        (copy,), (both,) = nodes(graph, aten.copy_.default), nodes(graph, aten.add.Tensor)
        copy.prepend(both)

    def drop_clones(graph):
        for node in nodes(graph, aten.clone.default):
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)

    def put(x, rows, values):
        twice = x * 2
        total = twice.cumsum(0)
        return total, torch.index_put(twice, [rows], values)

    def put_first(graph):
        target = aten.index_put_.default if nodes(graph, aten.index_put_.default) else aten.index_put.default
        (write,), (total,) = nodes(graph, target), nodes(graph, aten.cumsum.default)
        total.prepend(write)

    def filled(mask, other):
        found, more = torch.nonzero(mask), torch.nonzero(other)
        return torch.full([found.shape[0]], 2.0), more

    def sized_by(graph, which):
        """`full` again, of the size of another mask's result, or of the same."""
        (full,) = nodes(graph, aten.full.default)
        found = nodes(graph, aten.nonzero.default)[which]
        with graph.inserting_before(full):
            size = graph.call_function(aten.sym_size.int, (found, 0))
        size.meta = {"val": found.meta["val"].shape[0]}
        again(graph, full, aten.full.default, ([size], full.args[1]), full.kwargs)

    def size_of_other(graph):
        sized_by(graph, 1)

    def size_of_same(graph):
        sized_by(graph, 0)

    four, ints = torch.arange(4.0), torch.arange(4)
    rows = (torch.arange(8.0).reshape(4, 2), torch.tensor([1, 3]), torch.ones(2, 2))
    masks = (torch.tensor([True, False] * 3), torch.tensor([True] * 4 + [False] * 2))
    return {
        "metadata-stale": (counted, (ints, four), folded(1.0), False),
        "metadata-kept": (counted, (ints, four), folded(1), False),
        "epilogue-early": (kept, (four, four + 1), copy_early, False),
        "epilogue-last": (kept, (four, four + 1), copy_last, False),
        "clone-returned": (lambda x: x.clone(), (four,), drop_clones, False),
        "clone-inside": (lambda x: x.clone() * 2, (four,), drop_clones, False),
        "moved-behind-reinplacing": (put, rows, put_first, True),
        "moved-before-reinplacing": (put, rows, put_first, False),
        "bindings-other": (filled, masks, size_of_other, False),
        "bindings-kept": (filled, masks, size_of_same, False),
    }


def compile_with(program, inputs, change, behind):
    """Compiles the program with the pass `change` as well: the last before reinplacing, or the first behind it."""
    import torch
    from torch._inductor import config
    from torch._inductor.custom_graph_pass import CustomGraphPass
    from torch._inductor.fx_passes import post_grad
    from torch.fx.passes.graph_transform_observer import GraphTransformObserver

    class Change(CustomGraphPass):
        def __call__(self, graph):
            change(graph)

        def uuid(self):
            return None

    torch._dynamo.reset()
    torch._dynamo.config.capture_dynamic_output_shape_ops = True
    if not behind:
        with config.patch(post_grad_custom_post_pass=Change(), force_disable_caches=True):
            return torch.compile(program)(*inputs)
    then = post_grad.decompose_auto_functionalized

    def first(graph):
        GraphTransformObserver(graph.owning_module, "moved").apply_graph_pass(change)
        return then(graph)

    with mock.patch.object(post_grad, "decompose_auto_functionalized", first), config.patch(force_disable_caches=True):
        return torch.compile(program)(*inputs)


def recorded_by_inductor():
    import noclobber.torch as nct
    for name, (program, inputs, change, behind) in inductor().items():
        with tempfile.TemporaryDirectory() as folder:
            with nct.watch(out=folder):
                compile_with(program, inputs, change, behind)
            cases = sorted(pathlib.Path(folder).glob("*.case.json"))
            own = [path for path in cases if "custom" in path.name or "moved" in path.name] or cases
            yield f"inductor/{name}.case.json", own[0].read_text()


# What is undone in a copy of the released pass, and by what.
LIST = ("in reversed(ep.graph.nodes)", "in reversed(list(ep.graph.nodes))")  # the inserted node is not met again
MUTATED = ("seen_nodes.add(node.args[arg_idx])", "pass")
GUARD = ("if not _is_inplace_shape_dtype_compatible(node, consuming_node):", "if False:")
INPUTS = ("else:  # input but not mutable input\n        return False", "else:\n        return True")
# What else is kept of a lowering: its plan with the functional program, and what ships.
MORE = {"reads-forgotten": [("*_end-to-end.*", "reads-forgotten.planned.case.json")],
        "reads-recorded": [("functional.*", "reads.functional.case.json"), ("program.pte", "reads-recorded.pte")]}


def executorch():
    """name -> (program, inputs, sizes that vary, operators that may be in place, what is undone)."""
    import torch
    x, y, z = (torch.arange(12.0).reshape(3, 4) / k for k in (4, 8, 16))
    column = torch.arange(3.0).reshape(3, 1)
    rows = torch.export.Dim("rows", min=2, max=16)
    varies = ({0: rows}, {0: rows})

    def forgotten(x, y, z):
        t, w = torch.exp(x), torch.exp(z)
        return (t + y) * (w + t)

    def consumers(x, y, z):
        t = torch.exp(x)
        return (t + y) * (t + z)

    add = ("add.Tensor",)
    return {
        "reads-forgotten": (forgotten, (x, y, z), None, add, [LIST]),
        "reads-recorded": (forgotten, (x, y, z), None, add, []),
        "two-consumers-both": (consumers, (x, y, z), None, add, [LIST, MUTATED]),
        "two-consumers-one": (consumers, (x, y, z), None, add, []),
        "grown-by-broadcast": (lambda x, y, z: (torch.relu(y[0]) + x) * 2, (x, y, z), None, add, [GUARD]),
        "other-dtype": (lambda x, y, z: (torch.exp(x) < y).to(torch.float32) + z, (x, y, z), None, ("lt.Tensor",), [GUARD]),
        "input-written": (lambda x, y, z: (x + y) * z, (x, y, z), None, ("add.Tensor", "mul.Tensor"), [INPUTS]),
        "sizes-grown": (lambda x, y: torch.relu(x) + y, (column, y), varies, add, [GUARD]),
        "sizes-not-equal": (lambda x, y: torch.relu(x) + y, (column, y), varies, add, []),
        "sizes-equal": (lambda x, y: torch.relu(y) + x, (column, y), varies, add, []),
    }


def edited(edits):
    """The released pass, less what the edits take away."""
    from executorch.exir.passes import reinplace
    text = pathlib.Path(reinplace.__file__).read_text()
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    names = {"__name__": reinplace.__name__}
    exec(compile(text, reinplace.__file__, "exec"), names)
    return names["reinplace_pass"]


def recorded_by_executorch():
    import torch
    import noclobber.executorch as nce
    import origins_mlx
    import origins_planner
    import origins_programs
    from executorch.exir import ExecutorchBackendConfig, memory_planning, to_edge
    from executorch.exir.dialects._ops import ops
    from executorch.exir.passes import MemoryPlanningPass
    from executorch.exir.program import _program
    for name, (program, inputs, varies, operators, edits) in executorch().items():
        class Module(torch.nn.Module):
            forward = staticmethod(program)

        extra = frozenset(getattr(getattr(ops.edge.aten, o), v) for o, v in (one.split(".") for one in operators))
        edge = to_edge(torch.export.export(Module(), inputs, dynamic_shapes=varies, strict=False))
        config = ExecutorchBackendConfig(run_reinplace_pass=True, reinplace_extra_ops=extra, memory_planning_pass=MemoryPlanningPass(
            memory_planning_algo=memory_planning.MemoryPlanningAlgorithmSuite([origins_planner.ordered])))
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(_program, "reinplace_pass", edited(edits)):
            with contextlib.suppress(RuntimeError) if GUARD in edits else contextlib.nullcontext(), nce.watch(out=folder):
                edge.to_executorch(config)  # without the guard a later pass may raise: the case is there by then
            for file, kept in [("*_reinplace.*", f"{name}.case.json"), *MORE.get(name, [])]:
                (found,) = pathlib.Path(folder).glob(file)
                yield f"reinplace/{kept}", found.read_bytes()
    for module in (origins_programs, origins_planner, origins_mlx):
        yield from module.recorded()


def thunder_programs():
    def dead(a):
        b = a * 2
        c = b + 1
        b.sin_()
        return c

    def read(a):
        b = a * 2
        b.sin_()
        return b * 3

    return {"dead-removed": dead, "read-removed": read}


def recorded_by_thunder():
    """What mutates is removed where its result has no name that is used: behind update_aliases, and (`read`) before it."""
    import thunder
    import torch
    import noclobber.thunder as nct
    from thunder.core import prims, transform_common
    real = transform_common.has_tags

    def mutates(symbol):
        return symbol.sym.id == prims.PrimIDs.COPY_ or any(map(mutates, symbol.subsymbols))

    def removable(symbol, tags):
        return real(symbol, tags) and not mutates(symbol)

    for name, program in thunder_programs().items():
        early = name == "read-removed"
        changed = mock.patch.object(transform_common, "has_tags", removable)
        with tempfile.TemporaryDirectory() as folder, torch.no_grad():
            with contextlib.nullcontext() if early else changed:
                compiled = thunder.jit(program)
                compiled(torch.arange(4.0))
            if early:
                traces = thunder.last_traces(compiled)[:3]
                with changed:
                    traces.append(transform_common.dce(traces[-1]))
                written = nct.write(compiled, folder, torch.arange(4.0))
                files = {"02_as-it-was.trace.txt": str(traces[-2]), "03_dead-code-elimination.trace.txt": str(traces[-1])}
            else:
                written = nct.write(compiled, folder, torch.arange(4.0))
                files = {path.name: path.read_text() for path in sorted(written.glob("0[3-6]*.trace.txt"))}
            files["inputs.json"] = (written / "inputs.json").read_text()
        yield from traces_of(name, files)
    yield from traces_of("dead2", fused_without_barriers(thunder_programs()["dead-removed"]))


def fused_without_barriers(program):
    """The traces around dataflow fusion, by an executor of regions that leaves barriers alone."""
    import thunder
    import torch
    import noclobber.thunder as nct
    from thunder.executors.torch_compile import TorchCompileExecutor
    from thunder.executors.torchex import ex
    from thunder.extend import ImplInfo, register_executor

    regions = TorchCompileExecutor(name="TorchCompile")
    register_executor(regions)
    regions._implmap = {op: ImplInfo() for op in ex.implmap if "update_aliases" not in str(op).lower()}
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        with nct.watch(out=folder), mock.patch.object(torch, "compile", lambda function, **_: function):
            thunder.jit(program, executors=[regions], fusion_type="dataflow")(torch.arange(4.0))
        return {path.name: path.read_text() for path in sorted((pathlib.Path(folder) / "0").iterdir())
                if path.name[:2] in ("05", "06") or path.suffix == ".json"}


def traces_of(name, files):
    """What of traces does not change from run to run."""
    for file, text in files.items():
        text = re.sub(r"took \d+ milliseconds", "took 0 milliseconds", text)
        yield f"thunder/{name}/{file}", re.sub(r"# \S*record_origins.py:\d+:\s*", "# program.py: ", text)


def without_places(value):
    """The program's own lines move."""
    if isinstance(value, dict):
        return {k: without_places(v) for k, v in value.items() if k not in ("loc", "code")}
    return [without_places(v) for v in value] if isinstance(value, list) else value


def comparable(data):
    """What has to stay: a case without places in the program, a payload without the digest of the program's text."""
    if data.startswith(b"{"):
        return without_places(json.loads(data))
    return re.sub(rb"[0-9a-f]{4}/", b"0000/", data) if data[4:8] == b"MLX0" else data


def written(data):
    """As it is kept: without the folders of this machine."""
    if not data.startswith(b"{"):
        return data
    own = re.sub(re.escape(str(ROOT)).encode() + rb"/tools/\w+\.py", b"./program.py", data)
    return re.sub(rb'"/[^" ]*/site-packages/', b'"', own)


def main():
    recorders = {"inductor": recorded_by_inductor, "executorch": recorded_by_executorch, "thunder": recorded_by_thunder}
    bad = 0
    for name, data in recorders[sys.argv[1]]():
        path, data = HOME / name, written(data.encode() if isinstance(data, str) else data)
        same = path.exists() and comparable(path.read_bytes()) == comparable(data)
        if not same and "--write" in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            same = True
        print(f"{name}: {'as kept' if same else 'recorded differently'}", flush=True)
        bad += not same
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
