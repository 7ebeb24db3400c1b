#!/usr/bin/env python3
"""Edits payloads of XNNPACK, runs each, and compares: xnnpack_edits.py [--every N] [--only PATTERN] [--keep DIRECTORY]

Needs executorch 1.5.1 and the package noclobber (`make xnnpack-edits` installs both). Small modules are exported, lowered to XNNPACK and held
against what was exported: `compare exported.pt2 program.pte`. Then each number of a payload is changed, by one or to its neighbour's; operands
are exchanged; a byte of each constant is changed. An edit is wrong where the runtime gives other tensors than the module, or stops; nothing else
decides. None that is wrong may be proved, and none that is right refuted.
"""
import argparse
import collections
import copy
import fnmatch
import json
import logging
import os
import pathlib
import re
import struct
import sys
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "frontends")]
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import executorch.backends.xnnpack.serialization as serialization  # noqa: E402
import executorch.exir._serialize._flatbuffer as flat  # noqa: E402
import torch  # noqa: E402
from executorch.backends.xnnpack.serialization import xnnpack_graph_serialize  # noqa: E402
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner  # noqa: E402
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower  # noqa: E402
from executorch.exir._serialize._program import deserialize_pte_binary, serialize_pte_binary  # noqa: E402
from executorch.runtime import Runtime, Verification  # noqa: E402

import noclobber  # noqa: E402
import xnnpack_graphs  # noqa: E402

torch.set_num_threads(1)  # children that are forked have no threads
SCHEMA = pathlib.Path(serialization.__path__[0]) / "schema.fbs"
TABLE = 10  # where the header says where the table lies, and how large it is
NEAR = 1e-4
NEAR_QUANTISED = 0.02  # relative to the largest element: a step of the result or two
LEAST_PROVED = 0.9  # of what ExecuTorch lowers
CALLS = 3


def through_flatc(data, name, *options):
    with tempfile.TemporaryDirectory() as folder:
        given = pathlib.Path(folder) / name
        given.write_bytes(data)
        flat._run_flatc([*options, "-o", folder, str(SCHEMA), *(["--"] if name.endswith(".bin") else []), str(given)])
        return next(p for p in pathlib.Path(folder).iterdir() if p != given).read_bytes()


GRAPHS_OF = {}  # payloads that were written here: flatc prints fewer digits of a number than a scale has


def remembered():
    """Serialized graphs, as they were given to flatc."""
    from executorch.backends.xnnpack import xnnpack_preprocess
    serialize = xnnpack_preprocess.serialize_xnnpack_binary

    def recorded(graph, constants):
        seen = {}

        def kept(one):
            seen["text"] = json.dumps(one, cls=xnnpack_graph_serialize._DataclassEncoder)
            return convert(one)
        convert, xnnpack_graph_serialize.convert_to_flatbuffer = xnnpack_graph_serialize.convert_to_flatbuffer, kept
        try:
            payload = serialize(graph, constants)
        finally:
            xnnpack_graph_serialize.convert_to_flatbuffer = convert
        GRAPHS_OF[bytes(payload)] = json.loads(seen["text"], object_hook=lambda one: {k: v for k, v in one.items() if v is not None})
        return payload
    xnnpack_preprocess.serialize_xnnpack_binary = recorded


def read(payload):
    if payload in GRAPHS_OF:
        return copy.deepcopy(GRAPHS_OF[payload])
    at, size = struct.unpack_from("<II", payload, TABLE)
    text = through_flatc(payload[at:at + size], "graph.bin", "--json", "--strict-json", "--defaults-json", "--raw-binary").decode()
    return json.loads(re.sub(r"(-?)\binf\b", r"\1Infinity", text))


def written(payload, graph):
    at, size = struct.unpack_from("<II", payload, TABLE)
    text = json.dumps(graph).replace("-Infinity", "-inf").replace("Infinity", "inf")
    table = through_flatc(text.encode(), "graph.json", "--binary")
    behind, length = struct.unpack_from("<IQ", payload, TABLE + 8)
    moved = at + len(table) + (-(at + len(table)) % 16)
    head = bytearray(payload[:at])
    struct.pack_into("<IIIQ", head, TABLE, at, len(table), moved, length)
    return bytes(head) + table + bytes(moved - at - len(table)) + payload[behind:behind + length]


def lowered(module, inputs, folder):
    remembered()
    program = torch.export.export(module, copy.deepcopy(inputs), strict=False)
    torch.export.save(program, folder / "exported.pt2")
    edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()], compile_config=EdgeCompileConfig(_check_ir_validity=False))
    return edge.to_executorch().buffer


def in_child(work):
    """What a process of its own gives; None where it dies."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        try:
            os.write(write_end, json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return json.loads(said) if said else None


def far(module, calls, program):
    """How far the runtime is from the module; None where it does not run."""
    def work():
        method = Runtime.get().load_program(bytes(program), verification=Verification.Minimal).load_method("forward")
        worst = 0.0
        for inputs in calls:
            want = module(*copy.deepcopy(inputs))
            got = method.execute(list(copy.deepcopy(inputs)))
            for g, w in zip(got, [want] if isinstance(want, torch.Tensor) else want, strict=True):
                if g.shape != w.shape or bool((g.isnan() != w.isnan()).any()):
                    return 1e9
                worst = max(worst, float((g - w).abs().nan_to_num().max() / (w.abs().nan_to_num().max() + 1e-9)))
        return worst
    return in_child(work)


def numbers_of(node, path=()):
    """(path, value) of every number and flag below."""
    for key, value in (node.items() if isinstance(node, dict) else enumerate(node)):
        if isinstance(value, (dict, list)):
            yield from numbers_of(value, (*path, key))
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield (*path, key), value


def changed(graph, path, value):
    out = copy.deepcopy(graph)
    at = out
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return out


def edits(graph):
    """(what, graph) of every edit of the table."""
    for path, value in numbers_of({k: graph[k] for k in ("xnodes", "xvalues", "num_externs", "input_ids", "output_ids")}):
        others = [value + 1, value - 1] if isinstance(value, int) else [value + 0.25, -value, value * 1.5]
        if path[-1] == "flags":
            others = [value ^ 1, value ^ 2, value ^ 64]
        for other in others:
            if isinstance(value, float) or 0 <= other < 1 << 32:
                yield f"{'.'.join(map(str, path))}: {value} -> {other}", changed(graph, path, other)
    for k, node in enumerate(graph["xnodes"]):
        ids = [key for key in node["xnode_union"] if key.startswith(("input", "filter", "bias")) and node["xnode_union"][key] < 1 << 31]
        for a, b in zip(ids, ids[1:]):
            one = changed(graph, ("xnodes", k, "xnode_union", a), node["xnode_union"][b])
            yield f"xnodes.{k}: {a} and {b} exchanged", changed(one, ("xnodes", k, "xnode_union", b), node["xnode_union"][a])
        if "output_min_max" in node:
            out = copy.deepcopy(graph)
            del out["xnodes"][k]["output_min_max"]
            yield f"xnodes.{k}: no bounds", out
        out = copy.deepcopy(graph)
        del out["xnodes"][k]
        yield f"xnodes.{k}: left out", out
    for a in range(len(graph["xnodes"]) - 1):
        out = copy.deepcopy(graph)
        out["xnodes"][a], out["xnodes"][a + 1] = out["xnodes"][a + 1], out["xnodes"][a]
        yield f"xnodes.{a}: behind the next", out
    for k in range(1, len(graph["constant_data"]) - 1):
        out = copy.deepcopy(graph)
        data = out["constant_data"]
        data[k], data[k + 1] = data[k + 1], data[k]
        yield f"constant_data.{k}: exchanged with the next", out


def programs(buffer, every):
    """(what, program): edits of every payload of XNNPACK, one in `every`, and of its constants."""
    file, number = deserialize_pte_binary(buffer), 0
    for delegate in file.program.execution_plan[0].delegates:
        at = delegate.processed.index
        payload = bytes(file.program.backend_delegate_data[at].data)
        graph = read(payload)
        assert written(payload, graph) == payload
        for what, edited in edits(graph):
            number += 1
            if number % every:
                continue
            file.program.backend_delegate_data[at].data = written(payload, edited)
            yield what, bytes(serialize_pte_binary(file))
        file.program.backend_delegate_data[at].data = payload
        for one in graph["constant_data"]:
            number += 1
            if one["named_key"] and number % every == 0:
                yield f"constant {one['named_key'][:8]}: first byte", with_other_constant(buffer, one["named_key"], one["size"])


def with_other_constant(buffer, key, size):
    import hashlib
    for at in range(0, len(buffer) - size + 1, 16):
        if hashlib.sha256(buffer[at:at + size]).hexdigest() == key.removeprefix("scale_"):
            out = bytearray(buffer)
            out[at + min(2, size - 1)] ^= 0x40  # a higher bit of the fraction
            return bytes(out)
    raise ValueError("a constant that is not there")


def said(before, after):
    records = list(noclobber.compare(before, after))
    states = {r["status"] for r in records}
    why = [f"{u['reason']}:{','.join(u['names'])[:120]}" for r in records for u in r.get("unknown", [])]
    why += [f"{f['rule']}: {f['message'][:90]}" for r in records for f in r["findings"] if f["status"] == "refuted"]
    return next((s for s in ("refuted", "unreadable", "unknown") if s in states), "proved"), why


def tried(name, folder, every, count):
    """Complaints about one module and its edits."""
    module, inputs = xnnpack_graphs.made(name)
    torch.manual_seed(1)
    calls = [inputs] + [tuple(torch.randn_like(x) * xnnpack_graphs.SPREAD for x in inputs) for _ in range(CALLS - 1)]
    buffer, program = lowered(module, inputs, folder), folder / "program.pte"
    program.write_bytes(buffer)
    verdict, why = said(folder / "exported.pt2", program)
    near = NEAR_QUANTISED if ", " in name else NEAR
    distance = base = far(module, calls, buffer)
    right = distance is not None and distance <= near
    count["lowered", verdict] += 1
    print(f"{name:18} {verdict:8} run {distance} {'; '.join(why)[:200] if verdict != 'proved' else ''}", flush=True)
    if right and verdict in ("refuted", "unreadable") or (verdict == "proved" and not right):
        yield f"{name}: {verdict}, run {distance}"
    for what, edited in programs(buffer, every):
        program.write_bytes(edited)
        distance = far(module, calls, edited)
        wrong = distance is None or distance > near
        same = distance is not None and distance <= (base or 0) + 1e-6  # what is proved runs as the program that was lowered
        verdict, why = said(folder / "exported.pt2", program)
        count["stops" if distance is None else "wrong" if wrong else "right", verdict] += 1
        if verdict == "proved" and not (same if near == NEAR_QUANTISED else not wrong) or verdict == "refuted" and same:
            yield f"{name}: {what}: {verdict}, run {distance}, {'; '.join(why)[:160]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=7)
    parser.add_argument("--only", default="*")
    parser.add_argument("--no-edits", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    bad, count = [], collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        for name in fnmatch.filter(xnnpack_graphs.NAMES, options.only):
            folder = (options.keep or pathlib.Path(scratch)) / name
            folder.mkdir(parents=True, exist_ok=True)
            for one in tried(name, folder, 1 << 30 if options.no_edits else options.every, count):
                bad.append(one)
                print("BAD", one, flush=True)
    for key, n in sorted(count.items()):
        print(*key, n)
    modules = sum(n for key, n in count.items() if key[0] == "lowered")
    print(f"xnnpack edits: {modules} modules, {sum(count.values()) - modules} edits, {len(bad)} complaints")
    return 1 if bad or not modules or count["lowered", "proved"] < LEAST_PROVED * modules else 0


if __name__ == "__main__":
    sys.exit(main())
