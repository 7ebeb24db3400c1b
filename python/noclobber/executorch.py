"""ExecuTorch: records what `to_executorch` does to a program, and checks it.

    with noclobber.executorch.watch(out="nc"):
        program = edge.to_executorch(config)

writes into `nc`, for every method, the functional program (`functional.METHOD.case.json`), one pair of it with the
graph after each step that adds or removes sharing (`NN_STEP.METHOD.case.json`), the plan (`plan.METHOD.case.json`),
and `program.pte`. What is compiled does not change. `check(edge, config)` does both on a copy of `edge`, checks what
was recorded, and raises `noclobber.Refuted` with the findings.

Known to work with ExecuTorch 1.5.1. The names it hooks are those of `executorch.exir.program._program`.
"""
from __future__ import annotations

import contextlib
import copy
import dataclasses
import json
import os
import pathlib
import re
import tempfile
from collections.abc import Callable, Iterator

from . import program, values
from .fx_graph import GraphWriter, Written, kwargs_of, place_of
from .values import Unwritable

FORMAT = "noclobber.case/1"
MUTATIONS = ("BUFFER_MUTATION", "USER_INPUT_MUTATION")
KINDS = {"USER_INPUT": "user", "PARAMETER": "parameter", "BUFFER": "buffer", "CONSTANT_TENSOR": "constant"}
# Passes after write-back that change what shares storage, and the name of the graph they leave.
STEPS = {"ReplaceViewCopyWithViewPass": "view-elision", "ToOutVarPass": "out-variants"}


@dataclasses.dataclass
class Exported:
    """One graph as a GRAPH, and what the case around it needs."""

    graph: dict
    written: Written
    ranges: dict[str, dict]
    held: dict[str, dict] = dataclasses.field(default_factory=dict)  # what constants and state hold, by input


def with_contents(exported: Exported) -> Exported:
    """The same graph, its inputs with what they hold: SHA-256, and the numbers where they are few."""
    inputs = [i | exported.held.get(i["name"], {}) for i in exported.graph["inputs"]]
    return dataclasses.replace(exported, graph=exported.graph | {"inputs": inputs})


def export_functional(exported_program: object) -> Exported:
    """GRAPH of an ExportedProgram: mutations of buffers as `final`, those of user inputs as a last `copy_`."""
    signature, module = exported_program.graph_signature, exported_program.graph_module
    writer, inputs = _begin(module, signature)
    written = writer.write()
    graph = {"inputs": inputs + written.constants, "steps": written.steps, "outputs": []}
    held = _held(exported_program) | written.held
    final = {}
    placeholders = _placeholders(module)
    for spec, arg in zip(signature.output_specs, written.outputs, strict=True):
        kind = spec.kind.name
        if kind == "BUFFER_MUTATION":
            final[_buffer_name(signature, placeholders, spec.target)] = arg
        elif kind == "USER_INPUT_MUTATION":
            graph["steps"].append(_written_back(spec.target, arg, graph))
            graph["outputs"].append({"ref": f"{spec.target}_written"})
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
    kinds = [s.kind.name for s in signature.output_specs]
    outputs = [a for a, k in zip(written.outputs, kinds, strict=True) if k != "BUFFER_MUTATION"]
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
        if bounds := constraints.get(name):
            symbols[name] |= {side: int(value) for side, value in (("min", bounds.lower), ("max", bounds.upper))
                              if getattr(value, "is_Integer", isinstance(value, int)) and abs(int(value)) < 2**62}
        if name in written.most:
            symbols[name]["max"] = min(symbols[name].get("max", written.most[name]), written.most[name])
        if symbols[name].get("min", 0) < 0:
            del symbols[name]["min"]
    return symbols


def case(name: str, after: Exported, before: Exported | None = None, plan: dict | None = None) -> dict:
    """A `noclobber.case/1` of one graph or of a pair. Bodies of the same name that differ are kept apart."""
    parts = [e for e in (before, after) if e is not None]
    written = {"format": FORMAT, "name": name}
    if before:
        after = _same_items(before, after)
    symbols = {k: v for e in parts for k, v in e.ranges.items()}
    ops = {k: v for e in parts for k, v in e.written.ops.items()}
    graphs = dict(before.written.graphs) if before else {}
    renamed = {k: k + "__after" for k, g in after.written.graphs.items() if k in graphs and graphs[k] != g}
    graphs |= {renamed.get(k, k): _renamed(g, renamed) for k, g in after.written.graphs.items()}
    if symbols:
        written["symbols"] = symbols
    if ops:
        written["ops"] = list(ops.values())
    if graphs:
        written["graphs"] = graphs
    if before:
        written["before"] = before.graph
    written["after"] = _renamed(after.graph, renamed)
    if plan:
        written["plan"] = plan | {"buffers": [b | {"value": _of_renamed(b["value"], renamed)} for b in plan["buffers"]]}
    return written


def plan_of(module: object, exported: Exported) -> dict:
    """PLAN of a planned graph module: its arenas, and the place of every value that has one."""
    sizes = module.meta.get("non_const_buffer_sizes") or []
    alignment = max((s.alignment for s in _specs(module)), default=16)
    return {"arenas": {str(i): {"size": int(size), "alignment": alignment} for i, size in enumerate(sizes) if i},
            "buffers": exported.written.places}


def _same_items(before: Exported, after: Exported) -> Exported:
    """`after` with the symbols of `before` for numbers that are read out of tensors: a pass that looks at the types
    again makes new ones. Both must read the same numbers in the same order, which is part of the check."""
    pairs = list(zip(before.written.items, after.written.items))
    if len(before.written.items) != len(after.written.items) or not all(a.isidentifier() and b.isidentifier() for b, a in pairs):
        return after
    names = {a: b for b, a in pairs}
    if len(names) != len(pairs) or set(names.values()) & (after.written.symbols - set(names)):
        return after
    known = re.compile(r"\b(" + "|".join(map(re.escape, names)) + r")\b") if names else re.compile(r"(?!)")

    def renamed(value: object, of_symbols: bool = False) -> object:
        if isinstance(value, str):
            return known.sub(lambda m: names[m[0]], value) if of_symbols else value
        if isinstance(value, list):
            return [renamed(v, of_symbols) for v in value]
        if isinstance(value, dict):
            return {k: renamed(v, of_symbols or k in ("sym", "shape", "stride", "offset")) for k, v in value.items()}
        return value

    written = dataclasses.replace(after.written, items=before.written.items,
                                  graphs={k: renamed(g) for k, g in after.written.graphs.items()})
    ranges = {names.get(k, k): v for k, v in after.ranges.items()}
    return dataclasses.replace(after, graph=renamed(after.graph), written=written, ranges=ranges)


class Recorder:
    """Writes what one or several calls of `to_executorch` do into a folder.

    `checks` lists what was written as commands of the program, in the order of compilation; `problems` names what
    could not be written, so that nothing is skipped silently.
    """

    def __init__(self, out: str | os.PathLike[str]):
        self.out = pathlib.Path(out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.checks: list[tuple[str, list[pathlib.Path]]] = []
        self.problems: list[str] = []
        self.functional: dict[int, Exported] = {}  # by id of the method's program
        self.hints: dict[int, dict] = {}
        self.current: object = None
        self.signature: object = None
        self.names: dict[int, str] = {}
        self.pending: list[tuple[str, object, Exported]] = []

    def before(self, exported_program: object) -> None:
        """The functional program, at the entry of reinplacing."""
        with self._problem("functional program"):
            exported = export_functional(exported_program)
            self.functional[id(exported_program)] = exported
            self.hints[id(exported_program)] = kwargs_of(exported.graph, exported.written.graphs)

    def reinplaced(self, exported_program: object) -> None:
        """The graph that reinplacing left; its signature still says what is written back."""
        with self._problem("reinplacing"):
            self.pending.append(("reinplace", exported_program, export_functional(exported_program)))

    def written_back(self, exported_program: object, module: object, signature: object) -> None:
        """The graph with the copies that write-back inserted."""
        self.current, self.signature = exported_program, signature
        with self._problem("write-back"):
            after = export_written_back(module, signature, exported_program)
            self.pending.append(("write-back", exported_program, after))

    def method(self, name: str) -> None:
        """The name of the method whose passes run next: what was seen of it can be written."""
        self.names[id(self.current)] = name
        self._flush()

    def passed(self, step: str, module: object) -> None:
        """The graph after one later pass."""
        with self._problem(step):
            hints = self.hints.get(id(self.current))
            after = export_written_back(module, self.signature, self.current, hints)
            self.pending.append((step, self.current, after))
            self._flush()

    def planned(self, methods: object) -> None:
        """The planned graphs, at the entry of emission."""
        for name, exported_program in (methods.items() if isinstance(methods, dict) else [("forward", methods)]):
            with self._problem(f"plan of {name}"):
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
        path = self.out / "program.pte"
        path.write_bytes(buffer)
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
                functional.write_text(json.dumps(case(name, with_contents(before))))
            self._write(step, name, case(f"{name}-{step}", after, before))
        self.pending = []

    def _write(self, step: str, name: str, content: dict) -> None:
        number = sum(1 for _, paths in self.checks if paths[0].name.split(".")[-3:-2] == [name]) + 1
        path = self.out / f"{number:02}_{step}.{name}.case.json"
        path.write_text(json.dumps(content))
        self.checks.append((step, [path]))

    @contextlib.contextmanager
    def _problem(self, where: str) -> Iterator[None]:
        """What cannot be written is noted; the compilation that is watched goes on."""
        try:
            yield
        except Exception as error:  # noqa: BLE001, a fault of the observer must not reach the compiler
            self.problems.append(f"{where}: {type(error).__name__}: {error}")

    def run(self) -> list[program.Record]:
        """Records of every check, each with its `stage`. What could not be written is a record of status unknown."""
        records = []
        for step, paths in self.checks:
            ran = program.compare(*paths) if len(paths) == 2 else program.check(*paths)
            records += [r | {"stage": step} for r in ran]
        records += [{"kind": "check", "stage": "export", "input": str(self.out), "status": "unknown", "findings": [],
                     "unknown": [{"reason": "not-written", "names": [p]}]} for p in self.problems]
        return records


@contextlib.contextmanager
def watch(out: str | os.PathLike[str]) -> Iterator[Recorder]:
    """Records every `to_executorch` inside the block into the folder `out`; yields the Recorder."""
    from executorch.exir.program import _program as hooked

    recorder = Recorder(out)
    names = ("reinplace_pass", "weights_to_outputs_pass", "insert_write_back_for_buffers_pass",
             "edge_to_executorch_passes", "emit_program", "serialize_for_executorch")
    originals = {name: getattr(hooked, name) for name in names}
    for name, wrapper in _wrappers(recorder, originals).items():
        setattr(hooked, name, wrapper)
    try:
        yield recorder
    finally:
        for name, function in originals.items():
            setattr(hooked, name, function)


def check(edge: object, config: object = None, out: str | os.PathLike[str] | None = None) -> list[program.Record]:
    """Lowers a copy of the EdgeProgramManager `edge` with `config` and checks every step of it.

    Returns the records. Raises noclobber.Refuted where a step, the plan or the program is refuted; the first
    refuted stage is named first. `out` keeps what was recorded.
    """
    with contextlib.ExitStack() as stack:
        folder = out or stack.enter_context(tempfile.TemporaryDirectory(prefix="noclobber-"))
        with watch(folder) as recorder:
            copy.deepcopy(edge).to_executorch(config)
        return program.raise_if_refuted(recorder.run())


def _wrappers(recorder: Recorder, original: dict[str, Callable]) -> dict[str, Callable]:
    """A replacement for each hooked function: calls it, returns what it returns, and tells the recorder."""

    def reinplace_pass(ep, *args, **kwargs):
        recorder.before(ep)
        result = original["reinplace_pass"](ep, *args, **kwargs)
        if result is not ep:
            recorder.functional[id(result)] = recorder.functional.get(id(ep))
            recorder.hints[id(result)] = recorder.hints.get(id(ep), {})
        recorder.reinplaced(result)
        return result

    def weights_to_outputs_pass(ep, *args, **kwargs):
        if id(ep) not in recorder.functional:
            recorder.before(ep)
        return original["weights_to_outputs_pass"](ep, *args, **kwargs)

    def insert_write_back_for_buffers_pass(ep, *args, **kwargs):
        module, signature = original["insert_write_back_for_buffers_pass"](ep, *args, **kwargs)
        recorder.written_back(ep, module, signature)
        return module, signature

    def edge_to_executorch_passes(config, name=None, *args, **kwargs):
        recorder.method(name or "forward")
        return _observed(original["edge_to_executorch_passes"](config, name, *args, **kwargs), recorder)

    def emit_program(methods, *args, **kwargs):
        recorder.planned(methods)
        return original["emit_program"](methods, *args, **kwargs)

    def serialize_for_executorch(*args, **kwargs):
        result = original["serialize_for_executorch"](*args, **kwargs)
        recorder.emitted(bytes(result[0]))
        return result

    here = locals()
    return {name: here[name] for name in original}


def _observed(passes: list, recorder: Recorder) -> list:
    """The same passes, each of interest followed by one that only looks."""
    from torch.fx.passes.infra.pass_base import PassResult

    def look(step: str) -> Callable:
        def looked(module):
            recorder.passed(step, module)
            return PassResult(module, False)
        return looked

    observed = []
    for each in passes:
        observed.append(each)
        if step := STEPS.get(type(each).__name__):
            observed.append(look(step))
    return observed


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


def _specs(module: object) -> list:
    """The planner's records in a graph."""
    found = []
    for node in module.graph.nodes:
        spec = node.meta.get("spec")
        found += [s for s in (spec if isinstance(spec, (list, tuple)) else [spec]) if hasattr(s, "alignment")]
    return found


def _of_renamed(value: str, names: dict[str, str]) -> str:
    """"BODY/VALUE" of a body that is called otherwise."""
    body, slash, name = value.partition("/")
    return f"{names.get(body, body)}/{name}" if slash else value


def _renamed(value: object, names: dict[str, str]) -> object:
    """`value` with the bodies in `names` called otherwise."""
    if not names:
        return value
    if isinstance(value, dict):
        if set(value) == {"graph"}:
            return {"graph": names.get(value["graph"], value["graph"])}
        return {k: _renamed(v, names) for k, v in value.items()}
    return [_renamed(v, names) for v in value] if isinstance(value, list) else value
