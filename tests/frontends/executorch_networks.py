#!/usr/bin/env python3
"""Lowers whole networks with ExecuTorch in several ways, runs them, and compares: executorch_networks.py [--only PATTERN] [--ways LIST]

Needs executorch 1.5.1 with torchvision and the package noclobber (`make test-executorch` installs both). A lowering is wrong where the
runtime gives other tensors than the network, called as often; nothing else decides. No verdict may contradict the run; the shares of
`unknown` may not exceed what is written here. Files of an earlier run are checked again with --keep DIRECTORY --again.
"""
import argparse
import collections
import contextlib
import copy
import fnmatch
import json
import logging
import pathlib
import sys
import tempfile
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "frontends")]
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import torch  # noqa: E402
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower  # noqa: E402
from executorch.exir.dialects._ops import ops as edge_ops  # noqa: E402
from executorch.runtime import Runtime, Verification  # noqa: E402

import noclobber  # noqa: E402
import noclobber.executorch  # noqa: E402
import origins_mlx  # noqa: E402
from executorch_nets import NETWORKS  # noqa: E402

WAYS = ("portable", "xnnpack", "quantised", "reinplacing", "mlx")
MOST_UNKNOWN = {"program": 0.05, "exported": 0.15, "functional": 0.05, "payload": 0.15}
CALLS = 2
NO_KERNEL, NOT_RUN = "no such kernel", "not run"  # payloads of MLX need a Mac
NOT_LOADED = "Failed to load"
# relative to the largest element: kernels add in another order, and a quantised step may round to the other side
NEAR = {"quantised": 0.2}
# Refuted, and right by the order in which one thread goes through few elements, which no contract promises (docs/decisions/0022-order-of-elements.md).
BY_ORDER = {("bert", "reinplacing"), ("masked", "reinplacing")}
IN_PLACE = ("add.Tensor", "mul.Tensor", "sub.Tensor", "relu.default", "sigmoid.default", "silu.default", "hardtanh.default")


def edge_op(name):
    packet, overload = name.split(".")
    return getattr(getattr(edge_ops.edge.aten, packet), overload)


def exported(module, inputs):
    return torch.export.export(module, copy.deepcopy(inputs), strict=False)


def quantised(module, inputs):
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    made = prepare_pt2e(exported(module, inputs).module(), XNNPACKQuantizer().set_global(get_symmetric_quantization_config()))
    made(*copy.deepcopy(inputs))
    return convert_pt2e(made)


def lowered(module, inputs, way, folder):
    """The network that was lowered, which the calls are held against."""
    module = quantised(module, inputs) if way == "quantised" else module
    program, config = exported(module, inputs), EdgeCompileConfig(_check_ir_validity=False)
    if way in ("xnnpack", "quantised"):
        from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
        edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()], compile_config=config)
    else:
        edge = to_edge(program, compile_config=config)
    torch.export.save(program, folder / "exported.pt2")
    extra = frozenset(edge_op(name) for name in IN_PLACE)
    options = {"run_reinplace_pass": True, "reinplace_extra_ops": extra} if way == "reinplacing" else {}
    with noclobber.executorch.watch(folder):
        made = edge.to_executorch(ExecutorchBackendConfig(**options))
    (folder / "program.pte").write_bytes(made.buffer)
    return module


def mlx_payloads(module, inputs, folder):
    from executorch.backends.mlx import MLXPartitioner
    from executorch.backends.mlx.passes import get_default_passes

    seen = origins_mlx.Captured()
    with contextlib.ExitStack() as stack:
        for patch in seen.hooks():
            stack.enter_context(patch)
        to_edge_transform_and_lower(exported(module, inputs), partitioner=[MLXPartitioner()], transform_passes=get_default_passes(),
                                    compile_config=EdgeCompileConfig(_check_ir_validity=False))
    for k, made in enumerate(seen.reinplaced):
        (folder / f"{k}.reinplaced.json").write_text(json.dumps(made))
    for k, (graph, payload) in enumerate(zip(seen.delegated, seen.payloads, strict=True)):
        (folder / f"{k}.case.json").write_text(json.dumps(graph))
        (folder / f"{k}.mlx").write_bytes(payload)


def tensors(value):
    return [t for v in value for t in tensors(v)] if isinstance(value, (list, tuple)) else [value]


def with_kernels(buffer):
    """The portable runtime has few kernels that write in place: the rest is done by those that write into `out`, which is self."""
    from executorch.exir._serialize._program import deserialize_pte_binary, serialize_pte_binary
    from executorch.exir.schema import KernelCall

    file = deserialize_pte_binary(buffer)
    for plan in file.program.execution_plan:
        reinplaced = {n for n, op in enumerate(plan.operators) if f"{op.name.removeprefix('aten::').removesuffix('_')}.{op.overload or 'default'}" in
                      IN_PLACE and op.name.endswith("_")}
        for number in reinplaced:
            plan.operators[number].name = plan.operators[number].name.removesuffix("_")
            plan.operators[number].overload = "out"
        for chain in plan.chains:
            for call in (i.instr_args for i in chain.instructions if isinstance(i.instr_args, KernelCall) and i.instr_args.op_index in reinplaced):
                call.args = [*call.args[:-1], call.args[0], call.args[0]]
    return bytes(serialize_pte_binary(file))


def far(module, inputs, folder, way):
    """How far the runtime is from the network, relative to the largest element; or why it does not run."""
    eager, worst = copy.deepcopy(module), 0.0
    try:
        held = (folder / "program.pte").read_bytes()  # for as long as the method
        held = with_kernels(held) if way == "reinplacing" else held
        program = Runtime.get().load_program(held, verification=Verification.Minimal)
        method = program.load_method("forward")
        for _ in range(CALLS):
            with torch.no_grad():
                want = tensors(eager(*copy.deepcopy(inputs)))
            got = tensors(list(method.execute(list(copy.deepcopy(inputs)))))
            if [t.shape for t in got] != [t.shape for t in want]:
                return "other shapes"
            worst = max(worst, *[float((g.float() - w.float()).abs().max() / (w.float().abs().max() + 1e-9)) for g, w in zip(got, want)])
    except RuntimeError as error:
        return NO_KERNEL if "0x14" in str(error) or "0x:14" in str(error) else str(error).splitlines()[0]
    return worst


def said(records):
    """(verdict, why)."""
    why = [f"{u['reason']}:{','.join(u['names'])[:300]}" for r in records for u in r.get("unknown", [])]
    why += [f"{f['rule']}: {f['message'][:120]}" for r in records for f in r["findings"] if f["status"] == "refuted"]
    states = {r["status"] for r in records}
    return next((s for s in ("refuted", "unreadable", "unknown") if s in states), "proved"), why


def verdicts(folder, way):
    """(which comparison, its verdict, why)."""
    if way == "mlx":
        for pass_ in sorted(folder.glob("*.reinplaced.json")):
            yield ("reinplaced", *said(list(noclobber.check(pass_))))
        for graph in sorted(folder.glob("*.case.json")):
            yield ("payload", *said(list(noclobber.compare(graph, graph.with_name(graph.name.replace(".case.json", ".mlx"))))))
        return
    program = folder / "program.pte"
    yield ("program", *said(list(noclobber.check(program))))
    for graph in folder.glob("functional.*.case.json"):
        yield ("functional", *said(list(noclobber.compare(graph, program))))
    yield ("exported", *said(list(noclobber.compare(folder / "exported.pt2", program))))


def examined(name, way, folder, again):
    """One network lowered in one way: what the run and the verdicts are."""
    torch.manual_seed(0)
    module, inputs = NETWORKS[name]()
    module, start = module.eval().requires_grad_(False), time.time()
    record = folder / "run.json"
    if not (again and record.exists()):
        if way == "mlx":
            mlx_payloads(module, inputs, folder)
            run = NOT_RUN
        else:
            run = far(lowered(module, inputs, way, folder), inputs, folder, way)
        record.write_text(json.dumps(run))
    run, made = json.loads(record.read_text()), time.time()
    return {"name": name, "way": way, "run": run, "verdicts": list(verdicts(folder, way)),
            "seconds": [round(made - start, 1), round(time.time() - made, 1)]}


def complaints(row):
    judged = row["run"] not in (NO_KERNEL, NOT_RUN)
    right = not isinstance(row["run"], str) and row["run"] <= NEAR.get(row["way"], 1e-3)
    differs = judged and not right
    for which, verdict, why in row["verdicts"]:
        by_order = (row["name"], row["way"]) in BY_ORDER and all(reason.startswith("NC030") for reason in why)
        if verdict == "unreadable" or (verdict == "refuted" and judged and right and not by_order):
            yield f"{which} is {verdict}, the run: {row['run']}: {'; '.join(why)[:300]}"
        if which == "functional" and isinstance(row["run"], str) and row["run"].startswith(NOT_LOADED):
            continue  # the functional graph calls the payload as well, whatever that is
        if verdict == "proved" and differs and which in ("exported", "functional"):
            yield f"{which} is proved, the run: {row['run']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="*")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--again", action="store_true", help="check what --keep holds")
    parser.add_argument("--json", type=pathlib.Path, help="a line for each network and way, added to this file")
    options = parser.parse_args()
    bad, count = [], collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        origins_mlx.generated(scratch)
        for name in fnmatch.filter(NETWORKS, options.only):
            for way in options.ways.split(","):
                folder = (options.keep or pathlib.Path(scratch)) / f"{name}.{way}"
                folder.mkdir(parents=True, exist_ok=True)
                if options.again and not (folder / "run.json").exists():
                    continue
                try:
                    row = examined(name, way, folder, options.again)
                except Exception as error:  # noqa: BLE001, whatever the compiler raises
                    print(f"not lowered: {name:20} {way:12} {type(error).__name__}: {str(error).splitlines()[:1]}", flush=True)
                    count["not lowered"] += 1
                    continue
                count["lowered"] += 1
                found = list(complaints(row))
                bad += [f"{name} {way}: {one}" for one in found]
                for which, verdict, _ in row["verdicts"]:
                    count[which, verdict] += 1
                print("BAD" if found else "ok ", f"{name:20} {way:12} run {row['run']}, seconds {row['seconds']},",
                      ", ".join(f"{w} {v}" + (f" ({'; '.join(y)[:300]})" if v != "proved" else "") for w, v, y in row["verdicts"]), flush=True)
                if options.json:
                    with options.json.open("a") as out:
                        out.write(json.dumps(row) + "\n")
    print(*bad, sep="\n")
    over = []
    for which, most in MOST_UNKNOWN.items():
        total = sum(n for key, n in count.items() if key[0] == which)
        share = count[which, "unknown"] / max(1, total)
        print(f"{which}: {total}, {count[which, 'proved']} proved, {share:.1%} unknown, at most {most:.0%}")
        over += [which] if share > most else []
    print(f"networks: {count['lowered']} lowered, {count['not lowered']} not, {len(bad)} complaints")
    return 1 if bad or over or not count["lowered"] else 0


if __name__ == "__main__":
    sys.exit(main())
