"""Lightning Thunder: writes the traces of a compiled function and checks them.

    jfn = thunder.jit(f)
    jfn(x)
    noclobber.thunder.check(jfn)

writes the printed traces of every compilation that `jfn` holds with the storage facts of their inputs, runs
`noclobber check` over them, and raises `noclobber.Refuted` with the findings. Every pair of consecutive traces is a
check, so a finding names the transform that broke it. What is proved is what traces compute and write; whether a result
has a `grad_fn` is autograd's own affair, and prologue and epilogue are made from no other trace: `unchecked` of the
records says so. Fusion passes do not appear in Thunder's own list of traces: inside

    with noclobber.thunder.watch():
        jfn(x)

they are recorded too, before, between and after their steps, with backward, prologue and epilogue as soon as there are
such. What is compiled and run is the same with and without.

Thunder keeps no arguments of a call, so its computations are told, from the import of this module on, to note dtype,
shape, strides, offset and storage of what they are given; the tensors are not kept. A function that was compiled
before the import needs its arguments: `check(jfn, x)`. Known to work with lightning-thunder 0.2.6.
"""
from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib.abc
import importlib.util
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator

from . import program, recorder, values
from .report import Report

FORMAT = "noclobber.inputs/1"
_NOTE = "_noclobber_inputs"  # attribute of a first trace: storage facts of the inputs of the last call
_FUSIONS = "_noclobber_fusions"  # attribute of a first trace: [(position in the list, label, printed trace)]
_watching: list[list] = []  # lists of what is compiled, one for each block of `watch`


@dataclasses.dataclass
class Compiled:
    """What one compilation left: lists of traces; of one that raised, those of the computation alone."""
    traces: list
    backward: list = dataclasses.field(default_factory=list)
    prologue: list = dataclasses.field(default_factory=list)
    epilogue: list = dataclasses.field(default_factory=list)

    def note(self, entry: object) -> None:
        """What stands beside the computation in the compiler's cache."""
        for name in ("backward", "prologue", "epilogue"):
            setattr(self, name, getattr(entry, f"{name}_traces", None) or [])


def check(jfn: object, *args: object, out: str | os.PathLike[str] | None = None, order: str | None = None,
          fail_on: str | None = "refuted", **kwargs: object) -> Report:
    """Records of the traces of every compilation of `jfn`, forward and backward. Raises noclobber.Refuted where one is
    refuted, and with fail_on="unknown" NotProved where nobody knows.

    `args` and `kwargs` are those of the last call, for functions that were compiled before this module was imported.
    `out` keeps what was written; without it the folder is kept, and named by the error, where there is one.
    With order="dataflow" the claim is about every order that the names allow; otherwise the field `every_order` of the
    records reports it.
    """
    folder = pathlib.Path(out or tempfile.mkdtemp(prefix="noclobber-"))
    keep = out is not None
    try:
        write(jfn, folder, *args, **kwargs)
        records = _staged(program.check(folder, order=order))
        keep = True  # should the next line raise
        report = Report(recorder.judge(records, fail_on, folder))
        keep = out is not None
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    return report


def write(jfn: object, out: str | os.PathLike[str], *args: object, **kwargs: object) -> pathlib.Path:
    """Writes the traces of every compilation of `jfn` into the folder `out`: `NN_PASS.trace.txt`,
    `bwNN_PASS.trace.txt`, `prologue.trace.txt`, `epilogue.trace.txt`, and `inputs.json` where the inputs are known; of several compilations
    each into a folder `out/N` of its own. Returns the folder."""
    import thunder

    compiled = _compilations(thunder, jfn)
    for number, made in enumerate(compiled):
        written = recorder.Recorder(pathlib.Path(out) / str(number) if len(compiled) > 1 else out)
        last = made.traces is thunder.last_traces(jfn)
        _write_traces(made, written, inputs_of(jfn, *args, **kwargs) if last else _noted(made.traces))
    return pathlib.Path(out)


def inputs_of(jfn: object, *args: object, **kwargs: object) -> list[dict] | None:
    """Storage facts of the inputs of the computation of the last call, in the order of its arguments; None if nobody
    noted them and no arguments are given. Offsets and strides count elements; inputs of one `storage` share it."""
    import thunder

    traces = thunder.last_traces(jfn)
    if getattr(traces[0], _NOTE, None) is None and (args or kwargs):
        _, given, _ = thunder.compile_data(jfn).get_computation_and_inputs(*args, **kwargs)
        return _named(traces, _facts(given))
    return _noted(traces)


@contextlib.contextmanager
def watch(out: str | os.PathLike[str] | None = None, *, fail_on: str | None = None) -> Iterator[list[Compiled]]:
    """Records every compilation inside the block, and around its fusion passes. Yields the list of what was compiled;
    with `out`, the folder `out/N` holds the N-th at the end of the block, with its backward, prologue, epilogue and inputs.
    With `fail_on` ("refuted" or "unknown") what `out` holds is checked then; Refuted and NotProved name it."""
    from thunder.executors import torch_compile

    import thunder

    if fail_on and out is None:
        raise ValueError("fail_on: what is recorded needs a folder, out=")
    _install(thunder)
    seen: list[Compiled] = []
    places = [*_fusion_passes(), (torch_compile, "rematerialize", _step), (torch_compile, "dce", _step)]
    _watching.append(seen)
    try:
        with recorder.replaced((owner, name, lambda original, name=name, wrap=wrap: wrap(original, name, seen))
                               for owner, name, wrap in places):
            yield seen
    finally:
        _watching.remove(seen)
        for number, made in enumerate(seen if out else []):
            written = recorder.Recorder(pathlib.Path(out) / str(number))
            _write_traces(made, written, _noted(made.traces))
    if seen and fail_on:
        recorder.judge(_staged(program.check(out)), fail_on, out)


def transform(out: str | os.PathLike[str]) -> object:
    """A Transform for `thunder.jit(f, transforms=[...])` that prints what it is given into the folder `out` and
    returns the same objects."""
    from thunder.core.transform_common import Transform

    written, count = recorder.Recorder(out), iter(range(10**9))

    def note(trace: object, where: str) -> None:
        if trace is not None:
            written.write(f"{next(count):02}_{where}-{_slug(trace)}.trace.txt", str(trace) + "\n")

    class Observer(Transform):
        def transform_traces_pre_prologue(self, prologue_trace, computation_trace, epilogue_trace, **kwargs):
            note(computation_trace, "pre")
            return prologue_trace, computation_trace, epilogue_trace

        def transform_trace_post_optimization(self, computation_trace, **kwargs):
            note(computation_trace, "post")
            return computation_trace

    return Observer()


def fuzz_jit(**options: object):
    """Random programs through `thunder.jit`, every pair of traces checked: thunder_fuzz.fuzz_jit."""
    from . import thunder_fuzz

    return thunder_fuzz.fuzz_jit(**options)


def fuzz_passes(**options: object):
    """Random programs through the passes of `thunder.jit`, without its interpreter: thunder_passes_fuzz.fuzz_passes."""
    from . import thunder_passes_fuzz

    return thunder_passes_fuzz.fuzz_passes(**options)


def fuzz_transform(transform: object, **options: object):
    """The same with `transform` in the list of transforms: thunder_fuzz.fuzz_transform."""
    from . import thunder_fuzz

    return thunder_fuzz.fuzz_transform(transform, **options)


def _printed(traces: list) -> list[tuple[str, str]]:
    """(label, text) of a list of traces, with recorded fusions where they happened; repeated traces once."""
    fusions, printed, last = getattr(traces[0], _FUSIONS, []) if traces else [], [], None
    for position in range(len(traces) + 1):
        printed += [(label, text) for at, label, text in fusions if at == position]
        if position < len(traces) and traces[position] is not last:
            last = traces[position]
            printed.append((_slug(last), str(last)))
    return printed


def _write_printed(written: recorder.Recorder, traces: list, prefix: str = "") -> None:
    for number, (label, text) in enumerate(_printed(traces)):
        written.write(f"{prefix}{number:02}_{label}.trace.txt", text + "\n")


def _write_traces(made: Compiled, written: recorder.Recorder, facts: list[dict] | None) -> None:
    _write_printed(written, made.traces)
    _write_printed(written, made.backward, "bw")
    for name, beside in (("prologue", made.prologue), ("epilogue", made.epilogue)):
        if beside:
            written.write(f"{name}.trace.txt", str(beside[-1]) + "\n")
    if facts is not None:
        written.write("inputs.json", _lines(facts))


def _compilations(thunder: object, jfn: object) -> list[Compiled]:
    """Every compilation that `jfn` holds, in their order, and the last one."""
    stats, last = thunder.compile_stats(jfn), thunder.last_traces(jfn)
    held: list[Compiled] = []
    for entry in stats.interpreter_cache:
        if entry.computation_traces:
            _compiled(held, entry.computation_traces).note(entry)
    if not any(made.traces is last for made in held):
        of_last = [getattr(stats, f"last_{name}_traces", None) or [] for name in ("backward", "prologue", "epilogue")]
        held.append(Compiled(last, *of_last))
    return held


def _noted(traces: list) -> list[dict] | None:
    """Storage facts that the computation noted when it ran last."""
    return _named(traces, getattr(traces[0], _NOTE, None))


def _named(traces: list, facts: list[dict | None] | None) -> list[dict] | None:
    names = [getattr(p, "name", None) for p in traces[0].args]
    if facts is None or len(names) != len(facts):
        return None
    return [{"name": name} | of for name, of in zip(names, facts) if of is not None]


def _slug(trace: object) -> str:
    """The pass that made a trace, as part of a file name."""
    made = str(trace.get_provenance() or "").removeprefix("# ")
    made = re.sub(r"^Constructed by | \(took .*", "", made).strip() or "initial"
    return re.sub(r"[^a-z0-9]+", "-", made.lower()).strip("-")


def _lines(facts: list[dict]) -> str:
    rows = ",\n ".join(json.dumps(f) for f in facts)
    return f'{{"format": "{FORMAT}", "function": "computation", "inputs": [\n {rows}\n]}}\n'


def _facts(given: tuple) -> list[dict | None]:
    """Facts of each tensor among the inputs, None for other values."""
    import torch

    storages: dict[int, str] = {}
    found: list[dict | None] = []
    for value in given:
        if type(value) not in (torch.Tensor, torch.nn.Parameter) or value.layout is not torch.strided:
            found.append(None)
            continue
        key = value.untyped_storage()._cdata
        found.append({
            "dtype": values.dtype_name(value.dtype), "shape": list(value.shape), "stride": list(value.stride()),
            "offset": value.storage_offset(), "storage": storages.setdefault(key, f"S{len(storages)}"),
            "requires_grad": value.requires_grad})
    return found


def _install(thunder: object) -> None:
    """Makes computations note their inputs; what they compute and return stays."""
    if hasattr(thunder.CacheEntry, "_noclobber"):
        return
    original = thunder.CacheEntry

    @functools.wraps(original, updated=())
    def entry(prologue_fn, prologue_traces, computation_fn, computation_traces, *rest):
        @functools.wraps(computation_fn)
        def noting(*inputs):
            with contextlib.suppress(Exception):  # an observer's fault must not reach the caller
                setattr(computation_traces[0], _NOTE, _facts(inputs))
            return computation_fn(*inputs)
        made = original(prologue_fn, prologue_traces, noting, computation_traces, *rest)
        for seen in _watching:
            _compiled(seen, computation_traces).note(made)
        return made

    entry._noclobber = True
    thunder.CacheEntry = entry


class _WhenImported(importlib.abc.MetaPathFinder):
    """Installs the note taking when thunder is imported after this module."""

    def find_spec(self, name, path=None, target=None):
        if name != "thunder":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                _install(module)
            spec.loader.exec_module = exec_module
        return spec


def _fusion_passes() -> list[tuple]:
    """(class, "fusion_pass", wrapper) of every fusion executor that is defined now."""
    from thunder.extend import FusionExecutor

    found, todo = [], [FusionExecutor]
    while todo:
        each = todo.pop()
        todo += each.__subclasses__()
        if each is not FusionExecutor and "fusion_pass" in vars(each):
            found.append((each, "fusion_pass", _around))
    return found


def _note_fusion(seen: list[Compiled], label: str, trace: object) -> None:
    """Remembers a printed trace at the place in the list of traces that is being made."""
    from thunder.core.compile_data import _compile_data

    traces = getattr(_compile_data.get()[1], "last_traces", None)
    if not traces:
        return
    _compiled(seen, traces)
    notes = vars(traces[0]).setdefault(_FUSIONS, [])
    notes.append((len(traces), label, str(trace)))


def _compiled(seen: list[Compiled], traces: list) -> Compiled:
    """What is known of the compilation with these traces."""
    for made in seen:
        if made.traces is traces:
            return made
    seen.append(Compiled(traces))
    return seen[-1]


def _staged(records: list[program.Record]) -> list[program.Record]:
    """The records with the pass that each is about: "grad-transform-pass" of "05_grad-transform-pass/joint"."""
    return [r | {"stage": r["id"].split("/")[0].split("_", 1)[-1]} for r in records]


def _around(original: Callable, name: str, seen: list) -> Callable:
    @functools.wraps(original)
    def fusion_pass(self, trace):
        _note_fusion(seen, f"before-fusion-{_slug(trace)}", trace)
        result = original(self, trace)
        _note_fusion(seen, f"after-fusion-{_slug(result)}", result)
        return result
    return fusion_pass


def _step(original: Callable, name: str, seen: list) -> Callable:
    """Around a step inside a fusion pass: its result; for the first one also what it was given."""
    @functools.wraps(original)
    def step(trace, *args, **kwargs):
        if name == "rematerialize":
            _note_fusion(seen, "fused-before-rematerialization", trace)
        result = original(trace, *args, **kwargs)
        _note_fusion(seen, f"fused-{name}", result)
        return result
    return step


if "thunder" in sys.modules:
    _install(sys.modules["thunder"])
else:
    sys.meta_path.insert(0, _WhenImported())
