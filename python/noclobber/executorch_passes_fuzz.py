"""ExecuTorch's passes without its front: programs are traced by PyTorch alone, many as one, and become an edge dialect program whose
signature is written here. What `torch.export` and `to_edge` do to them is left out; `to_executorch` is ExecuTorch's own, whole.
"""
from __future__ import annotations

import contextlib
import copy
import functools
import io
import json
import operator
import os
import pathlib
from collections.abc import Callable, Iterator

import torch
from torch._subclasses.fake_tensor import FakeTensor
from executorch import exir
from executorch.exir.dialects._ops import ops as dialects
from executorch.exir import tensor as exir_tensor
from executorch.exir.passes import MemoryPlanningPass, spec_prop_pass
from executorch.exir.program import _program as exir_program
from executorch.exir.passes.insert_write_back_for_buffers_pass import _inplace_lineage, insert_write_back_for_buffers_pass
from executorch.exir.passes.reinplace import DEFAULT_INPLACEABLE_OPS, reinplace_pass
from executorch.exir.passes.spec_prop_pass import SpecPropPass
from executorch.exir.memory_planning import MemoryPlanningAlgorithmSuite, greedy, naive
from executorch.exir.tracer import _default_decomposition_table
from executorch.exir.verification.verifier import EXIREdgeDialectVerifier
from torch._export.passes.replace_view_ops_with_view_copy_ops_pass import get_view_copy_of_view_op, is_view_op
from torch.export import ExportedProgram
from torch.export.exported_program import ModuleCallEntry, ModuleCallSignature
from torch.fx.passes.shape_prop import TensorMetadata
from torch.fx.passes.infra.pass_base import PassResult
from torch.export.graph_signature import (ExportGraphSignature, InputKind, InputSpec, OutputKind, OutputSpec, TensorArgument)

from . import compile_fuzz, drawn, fx_trace, observed, recorder, together
from . import executorch as watching
from .compile_fuzz import Program, Skip
from .executorch_fuzz import CALLS, REFUSED, Lower, _edge_operator, quiet
from .fuzzing import Campaign
from .fx_case import case
from .together import Batch

REINPLACED = ("aten.add.Tensor", "aten.mul.Tensor", "aten.sub.Tensor", "aten.neg.default", "aten.relu.default", "aten.sin.default",
              "aten.index_copy.default", "aten.scatter.value", "aten.maximum.default")
EDGE = exir.EdgeCompileConfig(_check_ir_validity=False, _skip_dim_order=True)


KERNELS = r"\bs\.(sum|cumsum|softmax|amax|flip)\("  # of a tensor without dimensions, which the runtime refuses or dies of


class Passes(Lower):
    """Reinplacing and write-back on one copy, the whole of `to_executorch` on another, with a plan by each planner."""

    name, refused, most, whole = "executorch-passes", f"{REFUSED}|{KERNELS}", 25, ("out-variants",)

    def __init__(self, planners: tuple = (naive, greedy), every: int = together.EVERY):
        super().__init__(())
        self.planners, self.emitted, self.traced, self.not_run = planners, together.Sample(every), None, 0

    def record(self, made: Program | Batch, folder: pathlib.Path):
        batch = together.batch_of(made)
        with _quickly(is_emitted=self.emitted.takes(made)):
            self.traced = traced(batch)
            program = _program(self.traced, batch)
            written = _Recorder(folder)
            written.reinplaced_apart(program)
            signature = program.graph_signature
            names = list(signature.user_inputs)
            self.mutated = [names.index(name) for name in signature.user_inputs_to_mutate.values()]
            config = exir.ExecutorchBackendConfig(memory_planning_pass=_Planners(self.planners, written))
            with contextlib.redirect_stdout(io.StringIO()), watching.watch(folder, written):
                self.buffer = exir.EdgeProgramManager(program, compile_config=EDGE).to_executorch(config).buffer
        return written

    def difference(self, made: Program | Batch) -> str:
        return super().difference(together.batch_of(made))

    def suspects(self, made: Batch):
        try:
            return super().suspects(made)
        except RuntimeError:
            self.not_run += 1
            return [], ""

    def _differences(self, made: Batch) -> list[tuple[int, str]]:
        """In a process of its own: kernels that do not like what they are given may end it. Raises RuntimeError where there is no run."""
        if self.buffer is None:
            return []
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the runtime says there what it refuses
                os.write(writing, json.dumps(list(self._run(made))).encode())
            finally:
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as said:
            told = said.read()
        os.waitpid(child, 0)
        if not told:
            raise RuntimeError("the runtime does not run it")
        return [tuple(each) for each in json.loads(told)]

    def _run(self, made: Batch) -> Iterator[tuple[int, str]]:
        """What was traced is what the program means: where tracing itself takes it otherwise than eager mode, nothing is said."""
        from executorch.runtime import Runtime, Verification

        names = [name for name, _ in made.names]
        kept = {k: t for k, t in enumerate(made.arguments()) if names[k] in drawn.BUFFERS}
        method = Runtime.get().load_program(self.buffer, verification=Verification.Minimal).load_method("forward")
        for number, flavour in enumerate(CALLS):
            values = [kept.get(k, t) for k, t in enumerate(made.arguments(flavour))]
            users = [t for k, t in enumerate(values) if k not in kept]
            gets = [t.clone() for t in users]
            with torch.no_grad():
                results = [r.clone() for r in torch.fx.Interpreter(self.traced).run(*values)]
            out = [t.clone() for t in method.execute(gets)]
            wants = [users[k] for k in self.mutated] + results
            if said := observed.difference(*(observed.Seen(seen, [], [], [], []) for seen in (wants, out))):
                yield number + 1, said


class _Recorder(watching.Recorder):
    """Of a lowering: the functional program against its out-variants, and the plans alone."""

    def reinplaced_apart(self, program: ExportedProgram) -> None:
        self.functional_of = watching.export_functional(program)
        apart = _copied(program)
        before = watching.export_functional(apart)
        apart = reinplace_pass(apart, ops_to_inplace=_reinplaced())
        after = watching.export_functional(apart)
        if after.graph == before.graph:
            return
        self.link("reinplace", case("reinplace", after, before))
        module, signature = _written_back(apart)
        self.link("write-back", case("write-back", watching.export_written_back(module, signature, apart), before))

    def before(self, exported_program: object) -> None:
        self.functional[id(exported_program)] = self.functional_of
        self.hints[id(exported_program)] = watching.kwargs_of(self.functional_of.graph, self.functional_of.written.graphs)

    def written_back(self, exported_program: object, module: object, signature: object) -> None:
        self.current, self.signature = exported_program, signature

    def passed(self, step: str, module: object) -> None:
        if watching.STEPS.get(step) == "out-variants":
            super().passed(step, module)

    def plan(self, module: object, planner: str) -> None:
        after = watching.export_written_back(module, self.signature, self.current, self.hints.get(id(self.current)), planned=True)
        self.link("plan", case(f"plan-{planner}", after, plan=watching.plan_of(module, after)), f"plan.{planner}.case.json")

    def planned(self, methods: object) -> None:
        pass

    def emitted(self, buffer: bytes) -> None:
        pass


class _Planners(MemoryPlanningPass):
    """Plans by one planner after the other; the last plan is what the program gets."""

    def __init__(self, planners: tuple, written: _Recorder):
        super().__init__()
        self.planners, self.written = planners, written

    def run(self, module, signature=None):
        for number, planner in enumerate(self.planners):
            if number:
                _without_plan(module)
            self.memory_planning_algo = MemoryPlanningAlgorithmSuite([planner])
            result = super().run(module, signature)
            self.written.plan(module, planner.__name__)
        return result


def _without_plan(module: torch.fx.GraphModule) -> None:
    for node in module.graph.nodes:
        spec = node.meta.get("spec")
        for each in spec if isinstance(spec, (list, tuple)) else [spec]:
            if hasattr(each, "mem_id"):
                each.mem_id = each.mem_offset = each.mem_obj_id = None
                each.lifetime = [None, None]
        if getattr(node.target, "__name__", "") == "alloc":
            node.meta.pop("spec", None)


def traced(batch: Batch) -> torch.fx.GraphModule:
    """The programs as one graph of core ATen operators. Raises Skip where PyTorch traces none."""
    try:
        with torch.no_grad():
            module = fx_trace.traced_or_made(torch.func.functionalize(batch.function(), remove="mutations"), batch.arguments, _table())
    except Exception as error:  # noqa: BLE001, whatever tracing does not take
        raise Skip(str(error)) from error
    module.graph.eliminate_dead_code()
    _numbers_as_tensors(module)
    return module


def _numbers_as_tensors(module: torch.fx.GraphModule) -> None:
    """A number where an operator takes a tensor becomes a constant, as `to_edge` does it, but of a dtype that leaves the result as it is."""
    held: dict[tuple, str] = {}
    for node in module.graph.nodes:
        if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload):
            continue
        for at, (value, argument) in enumerate(zip(node.args, node.target._schema.arguments)):
            if isinstance(value, (bool, int, float)) and isinstance(argument.type, torch.TensorType):
                made = _tensor_of(value, [n.meta["val"] for n in node.all_input_nodes])
                name = held.setdefault((repr(value), made.dtype), f"_number{len(held)}")
                setattr(module, name, made)
                with module.graph.inserting_before(node):
                    constant = module.graph.get_attr(name)
                node.update_arg(at, constant)


def _tensor_of(value: float, operands: list) -> torch.Tensor:
    made = torch.tensor(value)
    for other in operands:
        if other.dtype.is_floating_point >= made.dtype.is_floating_point and (other.dim() == 0 or other.dtype is torch.float64):
            return torch.tensor(value, dtype=other.dtype)
    return made


def _program(traced: torch.fx.GraphModule, batch: Batch) -> ExportedProgram:
    """The traced graph again, named as ExecuTorch's passes name things: state, constants and arguments first, no writes."""
    graph, state, constants, inputs = torch.fx.Graph(), {}, {}, []
    given = list(zip((n for n in traced.graph.nodes if n.op == "placeholder"), batch.names, batch.arguments(), strict=True))
    now, anew = {}, set()  # nodes of the new graph; those of the old one whose value is to be told anew

    def put(node, name: str, kind: InputKind, target: str | None, value) -> None:
        now[node] = graph.placeholder(name)
        now[node].meta["val"] = value
        inputs.append(InputSpec(kind, TensorArgument(name), target, persistent=True if kind is InputKind.BUFFER else None))

    for node, (name, own), value in given:
        if name in drawn.BUFFERS:
            state[own] = value
            put(node, own, InputKind.BUFFER, own, node.meta["val"])
            now[node].meta["et_init_buffer"] = True  # as InitializedMutableBufferPass does
    mode = given[0][0].meta["val"].fake_mode
    lifted: dict[str, torch.fx.Node] = {}
    for node in traced.graph.find_nodes(op="get_attr"):
        if node.target in lifted:
            now[node] = now[lifted[node.target]]
            continue
        lifted[node.target] = node
        name = f"c{node.target}"
        constants[name] = getattr(traced, node.target)
        put(node, name, InputKind.CONSTANT_TENSOR, name, mode.from_tensor(constants[name]))
    for node, (name, own), _ in given:
        if name not in drawn.BUFFERS:
            put(node, own, InputKind.USER_INPUT, None, node.meta["val"])
    written = {}
    for node in traced.graph.nodes:
        if node.target is torch.ops.aten.copy_.default:
            written[now[node.args[0]].name] = now[node] = now[node.args[1]]
        elif node.op == "call_function":
            now[node] = _put(graph, node, now, anew, mode)
    results = [now[r] for r in traced.graph.output_node().args[0]]
    outs = [(value, OutputKind.BUFFER_MUTATION, name) for name, value in written.items() if name in state]
    outs += [(value, OutputKind.USER_INPUT_MUTATION, name) for name, value in written.items() if name not in state]
    _blame(graph, batch, results)
    outs += [(value, OutputKind.USER_OUTPUT, None) for value in results]
    graph.output(tuple(value for value, *_ in outs))
    signature = ExportGraphSignature(inputs, [OutputSpec(kind, TensorArgument(value.name), target) for value, kind, target in outs])
    return _exported(torch.nn.Module(), graph, signature, state, constants, len(results))


def _put(graph, node, now: dict, anew: set, mode) -> torch.fx.Node:
    """The call in the edge dialect: a view becomes a copy, and what its value is is told anew where that depends on one."""
    target, changed = node.target, bool(anew & set(node.all_input_nodes))
    if isinstance(target, torch._ops.OpOverload):
        if is_view_op(target._schema):
            target = get_view_copy_of_view_op(target._schema) or target
        elif target is torch.ops.aten._unsafe_view.default:
            target = torch.ops.aten.view_copy.default
        changed = changed or target is not node.target
        edge = _edge_of(target)
    else:
        edge = target
    made = graph.call_function(edge, *torch.fx.map_arg((node.args, node.kwargs), lambda n: now[n]))
    made.meta["val"] = node.meta["val"]
    if changed:
        anew.add(node)
        made.meta["val"] = _told(mode, target, _values(made.args), _values(made.kwargs))
    return made


def _told(mode, target: object, args: tuple, kwargs: dict) -> object:
    """What the call gives: PyTorch's own kernels say so of tensors without contents, and the mode of what they do not take."""
    try:
        if target is operator.getitem:
            return target(*args)
        with torch.no_grad():
            return _as_fake(mode, target(*_bare(args), **_bare(kwargs)))
    except Exception:  # noqa: BLE001, kernels that look at contents
        with mode:
            return target(*args, **kwargs)


def _bare(given: object) -> object:
    def bare(value: object) -> object:
        return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta") if isinstance(value, FakeTensor) else value
    return torch.fx.node.map_aggregate(given, bare)


def _as_fake(mode, made: object) -> object:
    if isinstance(made, (tuple, list)):
        return type(made)(_as_fake(mode, each) for each in made)
    return FakeTensor(mode, made, torch.device("cpu"))


def _exported(module, graph, signature: ExportGraphSignature, state: dict, constants: dict, results: int) -> ExportedProgram:
    users = len(signature.user_inputs)
    given = torch.utils._pytree.tree_structure((tuple(range(users)), {}))
    entry = ModuleCallEntry("", ModuleCallSignature([], [], given, torch.utils._pytree.tree_structure(tuple(range(results)))))
    return ExportedProgram(module, graph, signature, state, {}, [entry], None, constants, verifiers=[_verifier()])


@functools.cache
def _verifier() -> object:
    return EXIREdgeDialectVerifier(edge_compile_config=EDGE, class_only=True)


def _copied(program: ExportedProgram) -> ExportedProgram:
    """The program again. Its results are copies: the released reinplacing pass overwrites results, which is known."""
    graph, signature = torch.fx.Graph(), copy.deepcopy(program.graph_signature)
    outputs = list(graph.graph_copy(program.graph, val_map={}))
    for k, spec in enumerate(signature.output_specs):
        if spec.kind is OutputKind.USER_OUTPUT:
            made = graph.call_function(dialects.edge.aten.clone.default, (outputs[k],))
            made.meta = dict(outputs[k].meta)
            outputs[k], spec.arg = made, TensorArgument(made.name)
    graph.output(tuple(outputs))
    results = sum(s.kind is OutputKind.USER_OUTPUT for s in signature.output_specs)
    return _exported(torch.nn.Module(), graph, signature, program.state_dict, program.constants, results)


def _written_back(program: ExportedProgram) -> tuple:
    """What write-back leaves, its outputs where they were: those that need no copy come behind those that do, which is known."""
    specs, outputs = program.graph_signature.output_specs, program.graph.output_node().args[0]
    is_copied = [s.kind is not OutputKind.USER_OUTPUT and not _inplace_lineage(value, program.graph_signature, s.kind)
                 for s, value in zip(specs, outputs, strict=True)]
    module, signature = insert_write_back_for_buffers_pass(program)
    order = sorted(range(len(specs)), key=lambda k: not is_copied[k])
    places = dict(zip(order, module.graph.output_node().args[0], strict=True))
    module.graph.output_node().args = (tuple(places[k] for k in range(len(specs))),)
    return module, signature


@functools.cache
def _reinplaced() -> frozenset:
    return DEFAULT_INPLACEABLE_OPS | {_edge_operator(name) for name in REINPLACED}


def _blame(graph, batch: Batch, results: list) -> None:
    """Every node says of which program it is: that of the arguments and results which it is joined with."""
    joined, seeds, names = together.Joined(), {}, batch.names
    for node in graph.nodes:
        joined.join([node.name, *(n.name for n in node.all_input_nodes)])
    for part, ins, outs in together.slices(batch.parts):
        for name in [own for _, own in names[ins]] + [r.name for r in results[outs]]:
            seeds[joined.root(name)] = part.seed
    for node in graph.nodes:
        if node.op == "call_function" and (seed := seeds.get(joined.root(node.name))) is not None:
            node.meta["stack_trace"] = f'  File "{together.file_of(seed)}", line 1, in f\n    f'


def _values(given: object) -> object:
    return torch.fx.map_arg(given, lambda n: n.meta["val"])


def _edge_of(target: torch._ops.OpOverload) -> object:
    found = getattr(dialects.edge, target.namespace)
    return getattr(getattr(found, target._schema.name.split("::")[1]), target._overloadname)


_table = functools.cache(_default_decomposition_table)


@contextlib.contextmanager
def _quickly(is_emitted: bool) -> Iterator[None]:
    """Nothing calls the graph modules that passes leave, so that their Python code is not written; orders of dimensions are remembered; what
    values are is known, and not found anew by calling everything again."""
    changes = ((torch.fx.GraphModule, "recompile", lambda _: lambda self: None),
               (spec_prop_pass, "ExportPass", lambda _: lambda: _described),
               (exir_program, "ExecutorchProgramManager", lambda original: original if is_emitted else _NotEmitted),
               (exir_tensor, "dim_order_from_stride", _remembered),
               (SpecPropPass, "update_placeholder_tensor_specs", _with_known_signature),
               (MemoryPlanningPass, "run", _with_known_signature))
    with recorder.replaced(changes):
        yield


def _described(module: torch.fx.GraphModule) -> PassResult:
    """Describes what write-back has put there, and leaves the rest."""
    for node in module.graph.nodes:
        if node.op == "call_function":
            if "val" not in node.meta:
                node.meta["val"] = node.args[0].meta["val"]
            val = node.meta["val"]
            node.meta["tensor_meta"] = tuple(map(_metadata, val)) if isinstance(val, (list, tuple)) else _metadata(val)
    return PassResult(module, True)


def _metadata(val: torch.Tensor) -> TensorMetadata:
    return TensorMetadata(val.shape, val.dtype, False, val.stride(), None, False, {})


class _NotEmitted:
    buffer = None

    def __init__(self, *_):
        pass


@functools.cache
def _remembered(order_of: Callable) -> Callable:
    known = functools.cache(order_of)
    return lambda stride: (known if all(type(s) is int for s in stride) else order_of)(tuple(stride))


SIGNED = ("inputs_to_buffers", "inputs_to_parameters", "inputs_to_lifted_tensor_constants", "buffers_to_mutate")


def _with_known_signature(function: Callable) -> Callable:
    """The same function. While it runs no signature changes, so that what one says by name is put together once."""
    def once(told: property) -> property:
        known: dict[int, object] = {}

        def by_name(signature: ExportGraphSignature) -> object:
            if id(signature) not in known:
                known[id(signature)] = told.fget(signature)
            return known[id(signature)]
        return property(by_name)

    @functools.wraps(function)
    def called(*args, **options):
        with recorder.replaced([(ExportGraphSignature, name, once) for name in SIGNED]):
            return function(*args, **options)
    return called


def fuzz_passes(*, planners: tuple = (naive, greedy), every: int = together.EVERY, **options: object) -> Campaign:
    """Random programs through the passes of `to_executorch`, many as one, and every plan checked. Of `every` so many batches one is
    emitted, and runs for two calls; what goes alone always does. Options are those of `compile_fuzz.run`."""
    quiet()
    return compile_fuzz.run(Passes(planners, every), **options)
