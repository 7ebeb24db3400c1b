#!/usr/bin/env python3
"""Edits payloads of MLX as a backend might write them by mistake, runs each, and compares: mlx_edits.py [--every N] [--only PATTERN ...] [--edits PATTERN]

Needs executorch 1.5.1 and the package noclobber (`make mlx-edits` installs both). Real graphs are lowered by ExecuTorch's MLX backend;
each edit changes one thing of a payload: a register, an operand that may be left out, the order of instructions, a number, a dtype, the lists of inputs and outputs. An
edit is wrong where running the payload, by the meaning of its instructions, gives other tensors than running the payload as it was; nothing else
decides. None that is wrong may be proved and none that is right refuted; of 100 wrong ones 95 must be refuted, each by a rule that names
what the run shows.
"""
import argparse
import collections
import contextlib
import copy
import dataclasses
import fnmatch
import json
import logging
import pathlib
import sys
import tempfile
import typing
import warnings
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "frontends")]
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import torch  # noqa: E402

import noclobber  # noqa: E402
import origins_mlx  # noqa: E402
from mlx_graphs import GRAPHS  # noqa: E402
from mlx_runs import DTYPES, Wrong, run, tensors_of  # noqa: E402

LEAST_REFUTED = 0.95
NUMBERS = ("perm", "axes", "axis", "start", "stop", "step", "shape", "sizes", "eps", "alpha", "beta", "scale", "causal", "keepdims", "ddof",
           "approximate", "scalar_type", "padding_h", "stride_w", "groups", "dims", "pad_width", "mode", "constant_value", "strides", "offset", "v",
           "output_padding_h", "dilation_w")


# What a run shows: the words of its error, and the rules that name it. A register that is overwritten too early (NC001) shows as
# anything: what it holds then decides.
KINDS = {
    "undefined": ("nothing wrote", {"NC002"}),
    "constant": ("a constant is written", {"NC003"}),
    "stops": ("", {"NC023", "NC001"}),
    "metadata": ("", {"NC020", "NC022", "NC001"}),
    "contents": ("", {"NC004", "NC001", "NC006", "NC009", "NC022"}),
}


def lowered(module, inputs):
    """The delegated graph as a case, the program of the payload, and its constants by name."""
    from executorch.backends.mlx import MLXPartitioner
    from executorch.backends.mlx.passes import get_default_passes
    from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
    from executorch.exir._serialize._named_data_store import NamedDataStore

    seen, constants, add = origins_mlx.Captured(), {}, NamedDataStore.add_named_data

    def noted(self, key, data_of_key=None, *args, data=None, **kwargs):
        constants[key] = data_of_key if data is None else data
        return add(self, key, constants[key], *args, **kwargs)

    with contextlib.ExitStack() as stack:
        for patch in (*seen.hooks(), mock.patch.object(NamedDataStore, "add_named_data", noted)):
            stack.enter_context(patch)
        to_edge_transform_and_lower(torch.export.export(module.eval(), inputs, strict=False), partitioner=[MLXPartitioner()],
                                    transform_passes=get_default_passes(), compile_config=EdgeCompileConfig(_check_ir_validity=False))
    if len(seen.programs) != 1:
        raise ValueError(f"{len(seen.programs)} delegates")
    return seen.filled[0], seen.programs[0], {n: as_tensor(seen.programs[0], n, d) for n, d in constants.items()}


def as_tensor(program, name, data):
    """Bytes that are stored under a name, as the payload says what they are."""
    if isinstance(data, torch.Tensor):
        return data
    at = next(n.slot.idx for n in program.named_slots if n.name == name)
    meta = program.tensor_meta[at]
    shape = [d.value if hasattr(d, "value") else d for d in meta.shape]
    return torch.frombuffer(bytearray(data), dtype=DTYPES[meta.scalar_type]).reshape(shape)


class Edits:
    """(what, the program with that change), each change of one thing."""

    def __init__(self, program):
        self.program = program
        self.count = sum((program.num_constant_tensors, program.num_input_tensors, program.num_output_tensors,
                          program.num_mutable_buffer_tensors, program.num_temp_tensors))
        self.size = len(self.chain(program))

    @staticmethod
    def chain(program):
        return program.instruction_chains[program.main_chain_idx].instructions

    def edited(self, what, edit):
        made = copy.deepcopy(self.program)
        edit(made, self.chain(made))
        return what, made

    def all(self):
        for k in range(self.size):
            yield from self.registers(k)
            yield from self.optional(k)
            yield from self.order(k)
            yield from self.numbers(k)
        yield from self.boundary()

    def registers(self, k):
        reads, writes = tensors_of(self.chain(self.program)[k].op)
        for at in range(self.count):
            for j, own in enumerate(reads):
                if own.idx != at:
                    yield self.edited(f"instruction {k} reads {at} as operand {j}",
                                      lambda p, c, j=j, at=at: setattr(tensors_of(c[k].op)[0][j], "idx", at))
            for j, own in enumerate(writes):
                if own.idx != at:
                    yield self.edited(f"instruction {k} writes {at}", lambda p, c, j=j, at=at: setattr(tensors_of(c[k].op)[1][j], "idx", at))
                    yield self.edited(f"instruction {k} writes {at}, and all who read it", lambda p, c, j=j, at=at: self.moved(p, c, k, j, at))

    def optional(self, k):
        """Operands that may be left out: left out, or another one."""
        op = self.chain(self.program)[k].op
        kind = next((type(one) for one in vars(op).values() if type(one).__name__ == "Tid"), None)
        for name in [f.name for f in dataclasses.fields(op) if f.type in ("Optional[Tid]", typing.Optional[kind])]:
            if getattr(op, name) is not None:
                yield self.edited(f"instruction {k}: without {name}", lambda p, c, n=name: setattr(c[k].op, n, None))
            else:
                for at in range(self.count):
                    yield self.edited(f"instruction {k}: {name} is {at}", lambda p, c, n=name, at=at: setattr(c[k].op, n, kind(idx=at)))

    @staticmethod
    def moved(program, chain, k, j, at):
        """The result is given another register: right unless that one is in use."""
        register = tensors_of(chain[k].op)[1][j]
        old, register.idx = register.idx, at
        for later in chain[k + 1:]:
            reads, writes = tensors_of(later.op)
            for one in reads:
                one.idx = at if one.idx == old else one.idx
            if any(one.idx == old for one in writes):
                return
        for slot in program.output_map:
            slot.idx = at if slot.idx == old else slot.idx

    def order(self, k):
        yield self.edited(f"instruction {k} is dropped", lambda p, c: c.pop(k))
        yield self.edited(f"instruction {k} runs twice", lambda p, c: c.insert(k, copy.deepcopy(c[k])))
        yield self.edited(f"instruction {k} runs again at the end", lambda p, c: c.append(copy.deepcopy(c[k])))
        if k:
            yield self.edited(f"instruction {k} comes one earlier", lambda p, c: c.insert(k - 1, c.pop(k)))

    def numbers(self, k):
        op = self.chain(self.program)[k].op
        for name in NUMBERS:
            for what, value in others(getattr(op, name, None)):
                yield self.edited(f"instruction {k}: {name} is {what}", lambda p, c, n=name, v=value: setattr(c[k].op, n, copy.deepcopy(v)))

    def boundary(self):
        p = self.program
        for name in ("input_map", "output_map"):
            slots = getattr(p, name)
            if len(slots) > 1:
                yield self.edited(f"{name} is reversed", lambda q, c, n=name: getattr(q, n).reverse())
            for j in range(len(slots)):
                for at in range(self.count if name == "output_map" else 0):
                    if slots[j].idx != at:
                        yield self.edited(f"output {j} is {at}", lambda q, c, j=j, at=at: setattr(q.output_map[j], "idx", at))
        for at in range(p.num_constant_tensors):
            for dtype in (3, 4, 5, 6):
                if p.tensor_meta[at].scalar_type != dtype:
                    yield self.edited(f"constant {at} is of {DTYPES[dtype]}", lambda q, c, at=at, d=dtype: setattr(q.tensor_meta[at], "scalar_type", d))


def others(value):
    """Other values of a number that an instruction holds."""
    kind = type(value).__name__
    if isinstance(value, bool):
        yield str(not value), not value
    elif isinstance(value, int):
        yield from ((str(v), v) for v in (value - 1, value + 1))
    elif isinstance(value, float):
        yield str(value * 2 + 1), value * 2 + 1
    elif isinstance(value, str):
        yield from ((v, v) for v in (("constant", "edge") if value in ("constant", "edge") else ("none", "tanh")) if v != value)
    elif kind == "FloatOrVid" and not value.is_vid:
        made = copy.deepcopy(value)
        made.literal = value.literal * 2 + 1
        yield str(made.literal), made
    elif kind == "IntOrVid" and not value.is_vid:
        for v in (value.literal - 1, value.literal + 1):
            made = copy.deepcopy(value)
            made.literal = v
            yield str(v), made
    elif isinstance(value, list) and value:
        if len(value) > 1 and value != value[::-1]:
            yield "reversed", value[::-1]
        for what, first in others(value[0]):
            yield f"{what} first", [first, *value[1:]]


def results(program, data, calls, states):
    """Of each call, or why the payload cannot do it."""
    out = []
    try:
        for inputs in calls:
            out.append([t.clone() for t in run(program, data, inputs, states)])
    except (Wrong, RuntimeError, IndexError, KeyError, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return out


def equal(left, right):
    if isinstance(left, str):
        return False
    return all(len(a) == len(b) and all(x.dtype == y.dtype and x.shape == y.shape and torch.equal(x.nan_to_num(7), y.nan_to_num(7))
                                        for x, y in zip(a, b)) for a, b in zip(left, right))


def outcome(found, meant):
    """What is wrong with what a payload gives, as a kind of KINDS; "" for nothing."""
    if isinstance(found, str):
        return next((kind for kind, (text, _) in KINDS.items() if text and text in found), "stops")
    if equal(found, meant):
        return ""
    alike = all(len(a) == len(b) and all(x.dtype == y.dtype and x.shape == y.shape for x, y in zip(a, b)) for a, b in zip(found, meant))
    return "contents" if alike else "metadata"


def reads_unwritten(program):
    """Would an instruction read what nothing wrote, if those before it did not stop?"""
    first = program.num_constant_tensors + program.num_input_tensors
    states = program.num_mutable_buffer_tensors
    held = {*range(first), *(first + program.num_output_tensors + k for k in range(states))}
    for instruction in Edits.chain(program):
        reads, writes = tensors_of(instruction.op)
        if any(at.idx not in held for at in reads):
            return True
        held |= {at.idx for at in writes}
    return False


def verdict(folder, program):
    from executorch.backends.mlx.serialization.mlx_graph_serialize import serialize_mlx_graph

    path = folder / "edited.mlx"
    path.write_bytes(serialize_mlx_graph(program))
    return noclobber.compare(folder / "graph.case.json", path)


def examined(name, folder, edits, every, listed, count):
    """Counts verdicts of all edits of one graph and yields complaints."""
    torch.manual_seed(1)
    module, inputs = GRAPHS[name][0](), GRAPHS[name][1]
    with torch.no_grad():
        for tensor in (*module.parameters(), *module.buffers()):  # two that hold the same would be one
            tensor.copy_(torch.rand(tensor.shape) + 0.25)
    graph, program, data = lowered(module, inputs())
    (folder / "graph.case.json").write_text(json.dumps(graph))
    calls, states = [inputs() for _ in range(2)], {n: torch.rand(b.shape) + 0.5 for n, b in module.named_buffers()}
    meant = results(program, data, calls, states)
    if isinstance(meant, str):
        raise ValueError(f"the payload does not run: {meant}")
    if not verdict(folder, program).proved:
        yield "the payload as it was written is not proved"
    for number, (what, made) in enumerate(one for one in Edits(program).all() if fnmatch.fnmatch(one[0], edits)):
        if number % every:
            continue
        found = results(made, data, calls, states)
        kind = outcome(found, meant)
        right = not kind
        said = verdict(folder, made)
        status = "refuted" if said.refuted else "proved" if said.proved else "unknown"
        count["right" if right else "wrong", status] += 1
        if (status == "proved" and not right) or (status == "refuted" and right):
            yield f"{what}: {'right' if right else 'wrong'} ({found if isinstance(found, str) else 'other tensors'}), {status}"
        if status == "refuted" and not right:
            rules = {f["rule"] for f in said[0]["findings"] if f["status"] == "refuted"}
            named = bool(rules & KINDS[kind][1]) or ("NC002" in rules and reads_unwritten(made))
            count["wrong", "named"] += named
            if not named:
                yield f"{what}: {kind} ({found if isinstance(found, str) else 'other tensors'}), refuted by {', '.join(sorted(rules))}"
        elif status == "unknown" and listed:
            print(f"     {name}: {what}: {'right' if right else 'wrong'}, unknown for", [(u["reason"], u["names"]) for u in said[0]["unknown"]])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=7, help="of the edits, one in so many")
    parser.add_argument("--only", nargs="+", default=["*"], metavar="PATTERN", help="of the graphs, in this order (all)")
    parser.add_argument("--edits", default="*", metavar="PATTERN", help="of the edits, these (all)")
    parser.add_argument("--list", action="store_true", help="what nothing was found out about")
    options = parser.parse_args()
    total, bad = collections.Counter(), []
    with tempfile.TemporaryDirectory() as scratch:
        origins_mlx.generated(scratch)
        for name in dict.fromkeys(name for pattern in options.only for name in fnmatch.filter(GRAPHS, pattern)):
            folder, count = pathlib.Path(scratch) / name, collections.Counter()
            folder.mkdir()
            try:
                found = list(examined(name, folder, options.edits, options.every, options.list, count))
            except Exception as error:  # noqa: BLE001
                found = [f"{type(error).__name__}: {error}"]
            bad += [f"{name}: {one}" for one in found]
            total += count
            print(f"{'BAD' if found else 'ok '} {name:14}", ", ".join(f"{a} {b} {n}" for (a, b), n in sorted(count.items()) if n), flush=True)
    wrong = sum(n for (kind, status), n in total.items() if kind == "wrong" and status != "named")
    right = sum(n for (kind, _), n in total.items() if kind == "right")
    share = total["wrong", "named"] / max(1, wrong)
    print(*bad, sep="\n")
    print(f"mlx: {wrong} wrong payloads, {share:.1%} refuted by the rule, {total['wrong', 'proved']} proved; {right} right ones, "
          f"{total['right', 'proved']} proved, {total['right', 'refuted']} refuted; {len(bad)} complaints")
    return 1 if bad or not wrong or share < LEAST_REFUTED else 0


if __name__ == "__main__":
    sys.exit(main())
