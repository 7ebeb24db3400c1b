"""ExecuTorch: records what a lowering does to a program, pass by pass, and checks it.

    with noclobber.executorch.watch(out="nc"):
        edge = to_edge_transform_and_lower(exported, transform_passes, partitioner)
        program = edge.to_executorch(config)

writes into `nc`, for every method, a pair of the graphs before and after each pass of `transform_passes` (and of
`edge.transform`) that changed something (`NN_PASS.METHOD.case.json`), the functional program that `to_executorch` is given
(`functional.METHOD.case.json`), one pair of it with the graph after each later pass that changed something, those of
`config.passes` among them, the plan, and `program.pte`. Each pass has its own name, but for view elision and out variants.
What is compiled does not change.

    report = noclobber.executorch.check(edge, config)
    report.lowered.save("model.pte")

lowers once, a copy of `edge` with a copy of `config`, checks what was recorded, and raises `noclobber.Refuted` with the
findings and the folder that is kept. Known to work with ExecuTorch 1.5.1. The names it hooks are those of
`executorch.exir.program._program`.
"""
from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import os
import pathlib
import shutil
import tempfile
from collections.abc import Callable, Iterator

from . import executorch_passes as passes
from . import recorder, values
from .fx_case import Exported, case, with_contents
from .fx_graph import GraphWriter, Written, kwargs_of, place_of
from .report import Report
from .values import Unwritable

MUTATIONS = ("BUFFER_MUTATION", "USER_INPUT_MUTATION")
KINDS = {"USER_INPUT": "user", "PARAMETER": "parameter", "BUFFER": "buffer", "CONSTANT_TENSOR": "constant"}
# Passes after write-back whose graphs are called by what they are.
STEPS = {"ReplaceViewCopyWithViewPass": "view-elision", "ToOutVarPass": "out-variants"}


def export_functional(exported_program: object) -> Exported:
    """GRAPH of an ExportedProgram: mutations of buffers as `final`, those of user inputs as a last `copy_`."""
    signature, module = exported_program.graph_signature, exported_program.graph_module
    writer, inputs = _begin(module, signature)
    written = writer.write()
    graph = {"inputs": inputs + written.constants, "steps": written.steps, "outputs": []}
    held = _held(exported_program) | written.held
    final = {}
    placeholders = _placeholders(module)
    for kind, target, arg in _received(signature, written.outputs):
        if kind == "BUFFER_MUTATION":
            final[_buffer_name(signature, placeholders, target)] = arg
        elif kind == "USER_INPUT_MUTATION":
            graph["steps"].append(_written_back(target, arg, graph))
            graph["outputs"].append({"ref": f"{target}_written"})
        else:
            graph["outputs"].append(arg)
    if final:
        graph["final"] = final
    return Exported(graph, written, ranges_of(exported_program, written), held)


def export_written_back(module: object, signature: object, ranges: object = None, hints: dict | None = None,
                        planned: bool = False) -> Exported:
    """GRAPH of what runs after write-back: outputs by position, as the runtime returns them, without buffer mutations.

    With `planned`, user inputs that the planner placed are copied into their place first, as the runtime does.
    """
    writer, inputs = _begin(module, signature, hints, planned)
    copies = writer.written.steps[:]
    written = writer.write()
    outputs = [arg for kind, _, arg in _received(signature, written.outputs) if kind != "BUFFER_MUTATION"]
    for entry in inputs:
        if planned and entry["kind"] == "user" and any(c["args"] == [{"ref": entry["name"]}] for c in copies):
            entry["mutable"] = False
    graph = {"inputs": inputs + written.constants, "steps": written.steps, "outputs": outputs}
    return Exported(graph, written, ranges_of(ranges, written))


def ranges_of(source: object, written: Written) -> dict[str, dict]:
    """`symbols` of a case: the ranges that an exported program gives to the symbols a graph mentions."""
    constraints = {str(k): v for k, v in (getattr(source, "range_constraints", source) or {}).items()}
    symbols = {}
    for name in sorted(written.symbols):
        symbols[name] = {"unbacked": True} if name.startswith("u") else {}
        symbols[name] |= values.bounds_of(constraints.get(name))
        if name in written.most:
            symbols[name]["max"] = min(symbols[name].get("max", written.most[name]), written.most[name])
        if symbols[name].get("min", 0) < 0:
            del symbols[name]["min"]
    return symbols


def plan_of(module: object, exported: Exported) -> dict:
    """PLAN of a planned graph module: its arenas, and the place of every value that has one."""
    sizes = module.meta.get("non_const_buffer_sizes") or []
    alignment = max((s.alignment for s in _specs(module) if _is_planned(s)), default=16)
    return {"arenas": {str(i): {"size": int(size), "alignment": alignment} for i, size in enumerate(sizes) if i},
            "buffers": exported.written.places}


class Recorder(recorder.Recorder):
    """Writes what one or several calls of `to_executorch` do into a folder."""

    def __init__(self, out: str | os.PathLike[str]):
        super().__init__(out)
        self.functional: dict[int, Exported] = {}  # by id of the method's program
        self.hints: dict[int, dict] = {}
        self.current: object = None
        self.signature: object = None
        self.names: dict[int, str] = {}
        self.pending: list[tuple[str, object, Exported]] = []
        self.seen: list[tuple] = []  # the graph after the last pass
        self.methods: dict[int, str] = {}  # by id of a program of the edge dialect, while it is transformed

    @contextlib.contextmanager
    def transforming(self, manager: object, exported_program: object) -> Iterator[None]:
        """Around a manager of passes in the edge dialect: a link for each pass that changes something."""
        state, method = {}, self.methods.get(id(exported_program))
        if method is not None:
            with self.problem("passes of the edge dialect"):
                state |= {"method": method, "graph": export_functional(exported_program),
                          "seen": passes.print_of(exported_program.graph_module)}
                state["end"] = passes.in_manager(manager, exported_program, lambda *after: self._transformed(state, *after))
        try:
            yield
        finally:
            state.get("end", lambda: None)()

    def _transformed(self, state: dict, name: str, after: object) -> None:
        with self.problem(name):
            seen = passes.print_of(after.graph_module)
            if seen == state["seen"]:
                self.unchanged += 1
                return
            before, state["graph"], state["seen"] = state["graph"], export_functional(after), seen
            self._write(name, state["method"],
                        case(f"{state['method']}-{name}", with_contents(state["graph"]), with_contents(before)))

    def before(self, exported_program: object) -> None:
        """The functional program, at the entry of reinplacing."""
        with self.problem("functional program"):
            exported = export_functional(exported_program)
            self.functional[id(exported_program)] = exported
            self.hints[id(exported_program)] = kwargs_of(exported.graph, exported.written.graphs)

    def reinplaced(self, exported_program: object) -> None:
        """The graph that reinplacing left; its signature still says what is written back."""
        with self.problem("reinplacing"):
            self.pending.append(("reinplace", exported_program, export_functional(exported_program)))

    def written_back(self, exported_program: object, module: object, signature: object) -> None:
        """The graph with the copies that write-back inserted."""
        self.current, self.signature = exported_program, signature
        with self.problem("write-back"):
            self.seen = passes.print_of(module)
            after = export_written_back(module, signature, exported_program)
            self.pending.append(("write-back", exported_program, after))

    def method(self, name: str) -> None:
        """The name of the method whose passes run next: what was seen of it can be written."""
        self.names[id(self.current)] = name
        self._flush()

    def passed(self, name: str, module: object) -> None:
        """The graph after one later pass."""
        with self.problem(name):
            seen = passes.print_of(module)
            if seen == self.seen and name not in STEPS:
                self.unchanged += 1
                return
            self.seen, step = seen, STEPS.get(name, name)
            hints = self.hints.get(id(self.current))
            after = export_written_back(module, self.signature, self.current, hints)
            self.pending.append((step, self.current, after))
            self._flush()

    def planned(self, methods: object) -> None:
        """The planned graphs, at the entry of emission."""
        for name, exported_program in (methods.items() if isinstance(methods, dict) else [("forward", methods)]):
            with self.problem(f"plan of {name}"):
                module = exported_program.graph_module
                after = export_written_back(module, exported_program.graph_signature, exported_program,
                                            self.hints.get(id(exported_program)), planned=True)
                plan = plan_of(module, after)
                self._write("plan", name, case(f"{name}-plan", after, plan=plan))
                if before := self.functional.get(id(exported_program)):
                    unwritten = _without_caller_writes(before, after)
                    self._write("end-to-end", name, case(f"{name}-end-to-end", after, unwritten, plan))

    def emitted(self, buffer: bytes) -> None:
        """The program that ships."""
        path = self.write("program.pte", buffer)
        if path is None:
            return
        names = sorted(set(self.names.values()))
        self.checks += [("program", [self.out / f"functional.{name}.case.json", path]) for name in names
                        if (self.out / f"functional.{name}.case.json").exists()]
        if len(names) != 1:
            self.checks.append(("methods", [path]))

    def _flush(self) -> None:
        for step, owner, after in self.pending:
            name, before = self.names.get(id(owner)), self.functional.get(id(owner))
            if name is None or before is None:
                continue
            functional = self.out / f"functional.{name}.case.json"
            if not functional.exists() or step in ("reinplace", "write-back"):
                self.write(functional.name, case(name, with_contents(before)))
            self._write(step, name, case(f"{name}-{step}", after, before))
        self.pending = []

    def _write(self, step: str, name: str, content: dict) -> None:
        number = sum(1 for _, paths in self.checks if paths[0].name.split(".")[-3:-2] == [name]) + 1
        self.link(step, content, f"{number:02}_{recorder.slug(step)}.{name}.case.json")


@contextlib.contextmanager
def watch(out: str | os.PathLike[str], recorded_by: Recorder | None = None, *, fail_on: str | None = None) -> Iterator[Recorder]:
    """Records every lowering inside the block into the folder `out`; yields the Recorder, which is one of its own unless one is given.

    With `fail_on` ("refuted" or "unknown") what was recorded is checked at the end of the block; Refuted and NotProved
    name the passes.
    """
    from executorch.exir.program import _program as hooked

    watching = recorded_by or Recorder(out)
    names = ("_transform_with_pass_manager", "reinplace_pass", "weights_to_outputs_pass", "insert_write_back_for_buffers_pass",
             "edge_to_executorch_passes", "emit_program", "serialize_for_executorch")
    wrappers = _wrappers(watching, {name: getattr(hooked, name) for name in names})
    places = [(hooked, name, lambda _, name=name: wrappers[name]) for name in names]
    with recorder.replaced([*places, (hooked.EdgeProgramManager, "transform", lambda own: _naming(watching, own))]):
        yield watching
    if fail_on:
        recorder.judge(watching.run(), fail_on, out)


def check(edge: object, config: object = None, out: str | os.PathLike[str] | None = None, *,
          fail_on: str | None = "refuted") -> Report:
    """Lowers a copy of the EdgeProgramManager `edge` once, with a copy of `config`, and checks every step of it.

    Returns the records; `lowered` of the Report is the ExecutorchProgramManager that was made and checked. Raises
    noclobber.Refuted where a pass, the plan or the program is refuted, the first refuted one named first, and with
    fail_on="unknown" NotProved where nobody knows. `out` keeps what was recorded; without it the folder is kept, and
    named by the error, where there is one.
    """
    folder, keep = pathlib.Path(out or tempfile.mkdtemp(prefix="noclobber-")), out is not None
    try:
        with watch(folder) as watching:
            lowered = copy.deepcopy(edge).to_executorch(_own(config))
        records = watching.run()
        keep = True  # should the next line raise
        report = Report(recorder.judge(records, fail_on, folder))
        keep = out is not None
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    report.lowered = lowered
    return report


def _own(config: object) -> object:
    """A copy of a configuration: planning notes in it what it has planned, which the caller's lowering would meet again. Operators stay
    the objects that they are: a copy of one equals no operator of a graph, so that none of those to put in place would be."""
    from unittest import mock

    from executorch.exir.dialects.edge._ops import EdgeOpOverload

    with mock.patch.object(EdgeOpOverload, "__deepcopy__", lambda own, _: own, create=True):
        try:
            return copy.deepcopy(config)
        except Exception:  # noqa: BLE001, of passes that cannot be copied only the planner, which is the one that keeps notes
            return dataclasses.replace(config, memory_planning_pass=copy.deepcopy(config.memory_planning_pass))


def fuzz_lower(**options: object):
    """Random programs through `to_executorch`, every stage checked: executorch_fuzz.fuzz_lower."""
    from . import executorch_fuzz

    return executorch_fuzz.fuzz_lower(**options)


def fuzz_passes(**options: object):
    """Random programs through ExecuTorch's passes and planners, without its front: executorch_passes_fuzz.fuzz_passes."""
    from . import executorch_passes_fuzz

    return executorch_passes_fuzz.fuzz_passes(**options)


def fuzz_pass(function: Callable, **options: object):
    """Random programs of the edge dialect through `function`, a pass: executorch_fuzz.fuzz_pass."""
    from . import executorch_fuzz

    return executorch_fuzz.fuzz_pass(function, **options)


def _wrappers(watching: Recorder, original: dict[str, Callable]) -> dict[str, Callable]:
    """A replacement for each hooked function: calls it, returns what it returns, and tells the recorder."""

    def _transform_with_pass_manager(ep, manager, *args, **kwargs):
        with watching.transforming(manager, ep):
            return original["_transform_with_pass_manager"](ep, manager, *args, **kwargs)

    def reinplace_pass(ep, *args, **kwargs):
        watching.before(ep)
        result = original["reinplace_pass"](ep, *args, **kwargs)
        if result is not ep:
            watching.functional[id(result)] = watching.functional.get(id(ep))
            watching.hints[id(result)] = watching.hints.get(id(ep), {})
        watching.reinplaced(result)
        return result

    def weights_to_outputs_pass(ep, *args, **kwargs):
        if id(ep) not in watching.functional:
            watching.before(ep)
        return original["weights_to_outputs_pass"](ep, *args, **kwargs)

    def insert_write_back_for_buffers_pass(ep, *args, **kwargs):
        module, signature = original["insert_write_back_for_buffers_pass"](ep, *args, **kwargs)
        watching.written_back(ep, module, signature)
        return module, signature

    def edge_to_executorch_passes(config, name=None, *args, **kwargs):
        watching.method(name or "forward")
        return passes.observed(original["edge_to_executorch_passes"](config, name, *args, **kwargs), watching.passed)

    def emit_program(methods, *args, **kwargs):
        watching.planned(methods)
        return original["emit_program"](methods, *args, **kwargs)

    def serialize_for_executorch(*args, **kwargs):
        result = original["serialize_for_executorch"](*args, **kwargs)
        watching.emitted(bytes(result[0]))
        return result

    here = locals()
    return {name: here[name] for name in original}


def _naming(watching: Recorder, transform: Callable) -> Callable:
    @functools.wraps(transform)
    def named(self, *args, **kwargs):
        watching.methods = {id(p): name for name, p in self._edge_programs.items()}
        try:
            return transform(self, *args, **kwargs)
        finally:
            watching.methods = {}
    return named


def _begin(module: object, signature: object, hints: dict | None = None,
           planned: bool = False) -> tuple[GraphWriter, list[dict]]:
    """A writer that knows the placeholders, and the inputs that they are."""
    writer, inputs = GraphWriter(module, {}, hints), []
    mutated = {s.target for s in signature.output_specs if s.kind.name in MUTATIONS}
    for node, spec in zip(_placeholders(module), signature.input_specs, strict=True):
        val = node.meta.get("val")
        writer.written.symbols |= values.symbols_in(val)
        if not values.is_tensor(val):
            writer.args[node] = values.argument(val)
            continue
        kind = KINDS.get(spec.kind.name)
        if kind is None:
            raise Unwritable(f"input {node.name}: {spec.kind.name}")
        target = node.name if kind == "user" else spec.target
        inputs.append({"name": node.name, "type": values.tensor_type(val), "kind": kind,
                       "mutable": target in mutated})
        writer.args[node] = {"ref": node.name}
        if planned:
            _place_input(writer, node, inputs[-1])
    return writer, inputs


def _held(exported_program: object) -> dict[str, dict]:
    """Per placeholder of a constant or of state: what it holds, as far as it can be told."""
    signature, found = exported_program.graph_signature, {}
    sources = [getattr(exported_program, name, None) or {} for name in ("state_dict", "constants")]
    mutated = {s.target for s in signature.output_specs if s.kind.name in MUTATIONS}
    for node, spec in zip(_placeholders(exported_program.graph_module), signature.input_specs, strict=True):
        tensor = next((s[spec.target] for s in sources if spec.target in s), None)
        if spec.kind.name != "USER_INPUT" and values.is_tensor(tensor) and (held := values.contents_of(tensor)):
            if spec.target in mutated:
                held.pop("value", None)
            found[node.name] = held
    return found


def _place_input(writer: GraphWriter, node: object, entry: dict) -> None:
    """The runtime copies what the caller gives into a planned input; a planned buffer lies there for good."""
    spec, name = node.meta.get("spec"), node.name
    if place_of(spec) is None:
        return
    if entry["kind"] == "user":
        name = f"{node.name}__in"
        writer.written.steps.append(
            {"name": name, "op": "aten.clone.default", "args": [{"ref": node.name}], "types": [entry["type"]]})
        writer.args[node] = {"ref": name}
    writer.place(name, spec)


def _received(signature: object, outputs: list) -> Iterator[tuple[str, str | None, object]]:
    """(kind, target, value) of each output by position, as ExecuTorch takes them; one that no spec tells of goes to the caller."""
    specs = signature.output_specs
    for k, value in enumerate(outputs):
        yield (specs[k].kind.name, specs[k].target, value) if k < len(specs) else ("USER_OUTPUT", None, value)


def _written_back(target: str, value: object, graph: dict) -> dict:
    kind = next(i["type"] for i in graph["inputs"] if i["name"] == target)
    return {"name": f"{target}_written", "op": "aten.copy_.default", "args": [{"ref": target}, value], "types": [kind]}


def _without_caller_writes(before: Exported, after: Exported) -> Exported:
    """`before` for a runtime that copies its inputs: a mutated one is returned, the caller's tensor stays."""
    kept = {i["name"] for i in after.graph["inputs"] if i["kind"] == "user" and not i["mutable"]}
    dropped = {s["name"]: s["args"][1] for s in before.graph["steps"]
               if s.get("name", "").endswith("_written") and s["name"].removesuffix("_written") in kept}
    graph = dict(before.graph)
    graph["inputs"] = [i | {"mutable": i["mutable"] and i["name"] not in kept} for i in graph["inputs"]]
    graph["steps"] = [s for s in graph["steps"] if s.get("name") not in dropped]
    graph["outputs"] = [dropped.get(o["ref"], o) if isinstance(o, dict) and "ref" in o else o
                        for o in graph["outputs"]]
    return dataclasses.replace(before, graph=graph)


def _placeholders(module: object) -> list:
    return [n for n in module.graph.nodes if n.op == "placeholder"]


def _buffer_name(signature: object, placeholders: list, target: str) -> str:
    """The placeholder of the buffer that is called `target` in the module."""
    pairs = zip(placeholders, signature.input_specs, strict=True)
    return next(n.name for n, s in pairs if s.kind.name == "BUFFER" and s.target == target)


def _is_planned(spec: object) -> bool:
    """Has the planner given it a place? Constants have none, and keep an alignment of their own."""
    return not getattr(spec, "const", False) and getattr(spec, "mem_id", None) is not None


def _specs(module: object) -> list:
    """The planner's records in a graph."""
    found = []
    for node in module.graph.nodes:
        spec = node.meta.get("spec")
        found += [s for s in (spec if isinstance(spec, (list, tuple)) else [spec]) if hasattr(s, "alignment")]
    return found
