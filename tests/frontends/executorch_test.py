#!/usr/bin/env python3
"""Runs ExecuTorch and noclobber on programs and compares: executorch_test.py [--only PATTERN] [--keep DIRECTORY]

Needs executorch 1.5.1 and the package noclobber (`make test-executorch` installs both). A program is wrong where the
runtime, or the compiler, does something else than eager execution; nothing else decides what is expected. A wrong
program must be refuted by at least one stage and by `compare functional.case.json program.pte`, a right one by none,
and the shares of those that are proved must not fall below what is written here.
"""
from __future__ import annotations

import argparse
import copy
import fnmatch
import pathlib
import sys
import tempfile
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
warnings.filterwarnings("ignore")

import torch
from executorch import exir
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower
from executorch.exir.dialects._ops import ops as edge_ops
from executorch.exir.serde.export_serialize import SerializeError
from torch._export.serde.serialize import SerializeError as TorchSerializeError
from executorch.runtime import Runtime, Verification

import noclobber.executorch
from noclobber import program as nc
import executorch_delegates  # noqa: F401, adds to PROGRAMS
import executorch_more  # noqa: F401
from executorch_programs import PROGRAMS, Program

NO_KERNEL = "not run: the portable runtime has no such kernel"
MINIMUM_PROVED = 0.9  # of the right programs, end to end


def config_of(program: Program) -> ExecutorchBackendConfig:
    options = dict(program.config)
    if program.extra:
        options["reinplace_extra_ops"] = frozenset(_edge_op(n) for n in program.extra)
    return ExecutorchBackendConfig(**options)


def _edge_op(name: str) -> object:
    found = edge_ops.edge
    for part in name.split("."):
        found = getattr(found, part)
    return found


def exported(program: Program) -> object:
    return torch.export.export(program.module().eval(), copy.deepcopy(program.calls[0]),
                               dynamic_shapes=program.dynamic, strict=False)


def eager(program: Program) -> list[list]:
    """Per call: the results, then the user inputs as the call left them."""
    module, seen = program.module().eval(), []
    with torch.no_grad():
        for call in copy.deepcopy(program.calls):
            result = module(*call)
            seen.append((_tensors(result), _tensors(call)))
    return seen


def _tensors(value: object) -> list:
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in _tensors(v)]
    return [value.clone()] if isinstance(value, torch.Tensor) else [value]


def executed(program: Program, buffer: bytes, mutated: list[int]) -> str:
    """"" where the runtime does what eager execution does, else the first difference. `mutated`: positions of user
    inputs that the program writes, which come back as extra leading results."""
    try:
        method = Runtime.get().load_program(buffer, verification=Verification.Minimal).load_method("forward")
        for number, (call, (want, inputs)) in enumerate(zip(program.calls, eager(program), strict=True)):
            got = _tensors(list(method.execute(copy.deepcopy(list(call)))))
            want = [inputs[k] for k in mutated] + want
            if len(got) != len(want):
                return f"call {number}: {len(got)} results, expected {len(want)}"
            for k, (g, w) in enumerate(zip(got, want)):
                same = g == w if not isinstance(w, torch.Tensor) else (
                    g.shape == w.shape and torch.allclose(g.float(), w.float(), 1e-4, 1e-5, equal_nan=True))
                if not same:
                    return f"call {number}, result {k}: {_short(g)}, eager {_short(w)}"
    except RuntimeError as error:
        if "0x:14" in str(error) or "0x14" in str(error):
            return NO_KERNEL
        return f"run time error: {str(error).splitlines()[0]}"
    return ""


def _short(value: object) -> str:
    return str(value.flatten()[:6].tolist()) if isinstance(value, torch.Tensor) else str(value)


def stages(records: list[dict]) -> str:
    shown = []
    for r in records:
        rules = sorted({f["property"] for f in r["findings"] if f["status"] == "refuted"})
        why = [f"{u['reason']}:{','.join(u['names'])[:160]}" for u in r.get("unknown", [])] if r["status"] == "unknown" else []
        shown.append(f"{r['stage']}={r['status']}" + (f"({','.join(rules + why)})" if rules + why else ""))
    return " ".join(shown)


def without_places(program: object) -> object:
    """The program without the places in the source that it came from."""
    for part in program.graph_module.modules():
        for node in getattr(part, "graph", torch.fx.Graph()).nodes:
            node.meta.pop("stack_trace", None)
    return program


def save_pt2(program: Program, edge: object, folder: pathlib.Path) -> list[pathlib.Path]:
    """The program as .pt2 files of every spelling: as exported, functional, and in ExecuTorch's dialect by two
    writers. Neither can write some programs: the dialect with control flow, empty lists."""
    saved = []
    for name, save, made in [("exported", torch.export.save, lambda: exported(program)),
                             ("functional", torch.export.save, lambda: exported(program).run_decompositions({})),
                             ("edge", exir.save, lambda: edge), ("edge-torch", torch.export.save, lambda: edge)]:
        path = folder / f"{name}.pt2"
        try:
            save(without_places(made()), path)
            saved.append(path)
        except (SerializeError, TorchSerializeError):
            path.unlink(missing_ok=True)
    return saved


def edge_of(program: Program) -> object:
    config = EdgeCompileConfig(_check_ir_validity=False)
    if not program.partitioners:
        return to_edge(exported(program), compile_config=config)
    return to_edge_transform_and_lower(exported(program), compile_config=config,
                                       partitioner=[made() for made in program.partitioners])


def examine(name: str, program: Program, folder: pathlib.Path) -> dict:
    """What execution and noclobber say of one program."""
    edge = edge_of(program)
    signature = edge.exported_program().graph_signature
    saved = [] if program.partitioners else save_pt2(program, edge.exported_program(), folder)
    written = set(signature.user_inputs_to_mutate.values())
    mutated = [i for i, n in enumerate(signature.user_inputs) if n in written]
    try:
        with noclobber.executorch.watch(folder) as recorder:
            made = edge.to_executorch(config_of(program))
    except Exception as error:  # noqa: BLE001, whatever the compiler raises
        return {"name": name, "execution": f"compiler: {type(error).__name__}", "records": []}
    try:
        records = recorder.run()
    except nc.ProgramError as error:
        records = [{"kind": "error", "stage": "cases", "status": "unreadable", "findings": [], "unknown": []}]
        recorder.problems.append(str(error))
    for path in saved:
        try:
            records += [r | {"stage": f"pt2:{path.stem}"} for r in nc.compare(path, folder / "program.pte")]
        except nc.ProgramError as error:
            records.append({"kind": "error", "stage": f"pt2:{path.stem}", "status": "unreadable", "findings": [], "unknown": []})
            recorder.problems.append(str(error))
    return {"name": name, "execution": executed(program, made.buffer, mutated), "records": records,
            "problems": recorder.problems}


def complaints(seen: dict) -> list[str]:
    """Where noclobber and execution differ, and where a known wrong program is not seen end to end."""
    records, said = seen["records"], []
    by_stage = {stage: nc.worst([r for r in records if r["stage"] == stage]) for stage in {r["stage"] for r in records}}
    if not records or seen["execution"] == NO_KERNEL:
        return []
    if seen["execution"]:
        if "refuted" not in by_stage.values():
            said.append("wrong when run, refuted nowhere")
        ends = ["program", *(s for s in by_stage if s.startswith("pt2:"))]
        ends += [] if seen["execution"].startswith("run time error") else ["end-to-end"]
        said += [f"wrong when run, {s} is {by_stage[s]}" for s in ends if by_stage.get(s, "refuted") != "refuted"]
    else:
        said += [f"right when run, {s} is refuted" for s, v in by_stage.items() if v == "refuted"]
        said += [f"right when run, {s} is {v}, program is proved" for s, v in by_stage.items()
                 if s.startswith("pt2:edge") and v != "proved" and by_stage.get("program") == "proved"]
    said += [f"not written: {p}" for p in seen.get("problems", [])]
    return said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="*")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    chosen = {n: p for n, p in PROGRAMS.items() if fnmatch.fnmatch(n, options.only)}
    wrong = right = proved = 0
    bad = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, program in chosen.items():
            folder = (options.keep or pathlib.Path(scratch)) / name
            folder.mkdir(parents=True, exist_ok=True)
            try:
                seen = examine(name, program, folder)
            except Exception as error:  # noqa: BLE001
                bad.append(f"{name}: {type(error).__name__}: {error}")
                print(bad[-1])
                continue
            wrong, right = wrong + bool(seen["execution"]), right + (not seen["execution"])
            whole = [r for r in seen["records"] if r["stage"] not in ("pt2:exported", "pt2:functional")]
            proved += not seen["execution"] and nc.worst(whole) == "proved"
            found = complaints(seen)
            bad += [f"{name}: {c}" for c in found]
            print(f"{'BAD ' if found else 'ok  '} {name:24} {seen['execution'] or 'right'}\n       {stages(seen['records'])}")
    print(*bad, sep="\n")
    print(f"executorch: {len(chosen)} programs, {wrong} wrong when run, {right} right ({proved} proved), {len(bad)} complaints")
    return 1 if bad or not chosen or proved < MINIMUM_PROVED * right else 0


if __name__ == "__main__":
    sys.exit(main())
