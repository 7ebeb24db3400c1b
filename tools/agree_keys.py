#!/usr/bin/env python3
"""PyTorch is asked whether calls with one key are one function: agree_keys.py BINARY [--seed N] [--count N]

A call is drawn, and others that differ from it in one thing: an attribute or its type, a default written out, a dtype, a rank, an
overload. `noclobber trace` says what their keys are and how their operands are read. Calls of which it says the same are run by PyTorch on
the same contents, which tell apart integers beyond 2^32, f64 that are no f32, halves, NaN and -0.0, and must agree to the bit.
The last line counts; exit code 1 where two do not agree, 2 where nothing was compared. Needs torch (`make agree-keys`).
"""
from __future__ import annotations

import argparse
import collections
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import torch

DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64, "i32": torch.int32,
          "i8": torch.int8, "u8": torch.uint8, "bool": torch.bool}
SCALARS = (2, 2.0, 1, 1.0, True, False, 0, -0.0, -1, 0.1, 3, 2**33 + 3, float(2**33 + 3), 65504.0, math.nan, math.inf)
PAIRS = [f"aten.{name}.Tensor" for name in ("add", "sub", "mul", "div", "remainder", "fmod", "eq", "ne", "lt", "ge", "bitwise_and", "rsub", "floor_divide")]
PAIRS += ["aten.maximum.default", "aten.minimum.default", "aten.atan2.default", "aten.pow.Tensor_Tensor", "aten.logical_and.default",
          "aten.div.Tensor_mode", "aten.copysign.Tensor", "aten.fmax.default", "aten.floor_divide.default"]
SINGLES = [f"aten.{name}.Scalar" for name in ("add", "sub", "mul", "div", "remainder", "fmod", "eq", "lt", "rsub", "leaky")]
SINGLES += ["aten.pow.Tensor_Scalar", "aten.pow.Scalar", "aten.div.Scalar_mode", "aten.clamp.default", "aten.clamp_min.default",
            "aten.leaky_relu.default", "aten.hardtanh.default", "aten.threshold.default", "aten.gelu.default", "aten.softplus.default",
            "aten.sum.default", "aten.sum.dim_IntList", "aten.mean.default", "aten.mean.dim", "aten.amax.default", "aten.prod.default",
            "aten.cumsum.default", "aten._softmax.default", "aten._to_copy.default", "aten.full_like.default", "aten.round.decimals",
            "aten.any.dim", "aten.nan_to_num.default", "aten.elu.default", "aten.celu.default", "aten.var.correction", "aten.std.correction",
            "aten.logit.default", "aten.roll.default", "aten.flip.default", "aten.cumprod.default", "aten.norm.ScalarOpt_dim", "aten.argmax.default"]
OPTIONAL = {"alpha": SCALARS, "min": SCALARS, "max": SCALARS, "negative_slope": SCALARS, "min_val": SCALARS, "max_val": SCALARS, "beta": SCALARS,
            "threshold": SCALARS, "value": SCALARS, "fill_value": SCALARS, "other": SCALARS, "exponent": SCALARS, "self": SCALARS,
            "correction": (0, 1, 2, 1.0), "dim": (0, -1), "keepdim": (False, True), "dtype": tuple(DTYPES), "half_to_float": (False,),
            "approximate": ("none", "tanh"), "rounding_mode": ("trunc", "floor", None), "decimals": (0, 1, 2), "nan": (None, 0.0, 1.0), "posinf": (None, 2.0),
            "neginf": (None,), "scale": SCALARS, "input_scale": SCALARS, "eps": (None, 0.1, 0.25), "shifts": ([1], [2], [-1]), "dims": ([0], [-1]),
            "p": (2, 2.0, 1, math.inf), "stable": (False, True)}
LISTS = {"dims", "shifts"}


class Call:
    """An overload with what its tensors are and what it is told."""

    def __init__(self, op: str, tensors: list[tuple[str, int]], told: dict):
        self.op, self.tensors, self.told = op, tensors, told

    def overload(self):
        _, name, overload = self.op.split(".")
        return getattr(getattr(torch.ops.aten, name), overload)

    def parts(self, tensors: list) -> tuple[list, dict]:
        """Arguments in the order of the schema; what has a default and is not told is left out, and named behind it."""
        args, kwargs, left, behind = [], {}, list(tensors), False
        for slot in self.overload()._schema.arguments:
            tensor = "Tensor" in str(slot.type) and left
            if not tensor and slot.name not in self.told:
                behind = True
                continue
            value = left.pop(0) if tensor else self.told[slot.name]
            if slot.kwarg_only or behind:
                kwargs[slot.name] = value
            else:
                args.append(value)
        return args, kwargs

    def case(self) -> dict:
        names = ["x", "y"][: len(self.tensors)]
        args, kwargs = self.parts([{"ref": name} for name in names])
        step = {"name": "r", "op": self.op, "args": [written(a) for a in args], "kwargs": {k: written(v, k) for k, v in kwargs.items()}}
        inputs = [{"name": n, "type": {"dtype": d, "shape": [4] * rank}} for n, (d, rank) in zip(names, self.tensors, strict=True)]
        return {"format": "noclobber.case/1", "name": "call", "after": {"inputs": inputs, "steps": [step], "outputs": [{"ref": "r"}]}}

    def run(self, contents: list[torch.Tensor]) -> torch.Tensor | None:
        args, kwargs = self.parts(contents)
        kwargs = {k: DTYPES[v] if k == "dtype" and v is not None else v for k, v in kwargs.items()}
        try:
            return self.overload()(*args, **kwargs)
        except (RuntimeError, IndexError, TypeError, ValueError):
            return None


def written(value, name: str = ""):
    if name == "dtype" and isinstance(value, str):
        return {"dtype": value}
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf"
    return [written(v) for v in value] if isinstance(value, list) else value


def drawn(rng: random.Random) -> Call:
    while True:
        op = rng.choice(PAIRS + SINGLES)
        try:
            call = Call(op, [], {})
            slots = call.overload()._schema.arguments
        except AttributeError:
            continue
        for slot in slots:
            kind = str(slot.type)
            if kind == "Tensor":
                call.tensors.append((rng.choice(list(DTYPES)), rng.choice((0, 1, 1))))
            elif slot.name in OPTIONAL and (not slot.has_default_value() or rng.random() < 0.5):
                value = rng.choice(OPTIONAL[slot.name])
                call.told[slot.name] = [value] if kind.startswith(("List", "Optional[List")) and not isinstance(value, list) else value
        return call


def near(rng: random.Random, call: Call) -> Call:
    """The same with one thing changed, which may mean the same: 2 and 2.0, a default that is written out."""
    out = Call(call.op, list(call.tensors), dict(call.told))
    slots = out.overload()._schema.arguments
    ways = rng.randrange(5)
    if ways == 0 and out.tensors:
        k = rng.randrange(len(out.tensors))
        out.tensors[k] = (rng.choice(list(DTYPES)), rng.choice((0, 1)))
    elif ways == 1:
        family, name, overload = out.op.split(".")
        others = [o for o in getattr(torch.ops.aten, name).overloads() if o != overload and "out" not in o]
        if others:
            out.op = f"{family}.{name}.{rng.choice(others)}"
    else:
        known = [s for s in slots if s.name in OPTIONAL and "Tensor" not in str(s.type)]
        if known:
            slot = rng.choice(known)
            told = out.told.get(slot.name)
            if slot.has_default_value() and ways == 2:
                out.told.pop(slot.name, None) if slot.name in out.told else out.told.update({slot.name: slot.default_value})
            elif isinstance(told, int | float) and ways == 3 and math.isfinite(told):
                out.told[slot.name] = rng.choice((float(told), int(told), bool(told), -told))
            elif not isinstance(told, list):
                out.told[slot.name] = rng.choice(OPTIONAL[slot.name])
    return out


VALUES = {True: [[0.1, -0.0, math.nan, 16777217.0], [65504.0, -2.5, math.inf, 1e-40], [-0.0, 0.0, 1.0, -1.0], [3e38, 0.3, -math.inf, 1 + 1e-12]],
          False: [[2**33 + 3, -(2**40) - 1, 5, 0], [-1, 3, 127, -128], [1, 0, -7, 2**62]]}


def contents(dtype: str, rank: int, number: int) -> torch.Tensor:
    floating = DTYPES[dtype].is_floating_point
    rows = VALUES[floating]
    made = torch.tensor(rows[number % len(rows)], dtype=torch.float64 if floating else torch.int64).to(DTYPES[dtype])
    return made if rank else made[number // 4 % 4].clone()


def bits(value: torch.Tensor):
    value = torch.where(value.isnan(), torch.full_like(value, math.nan), value) if value.is_floating_point() else value
    return str(value.dtype), tuple(value.shape), value.contiguous().reshape(-1).view(torch.uint8).tolist()


def keys_of(binary: str, calls: list[Call]) -> list[str | None]:
    """What the Trace says of each call: its key, and the types and views of what it reads and writes."""
    with tempfile.TemporaryDirectory() as folder:
        for number, call in enumerate(calls):
            pathlib.Path(folder, f"{number:06}.json").write_text(json.dumps(call.case()))
        ran = subprocess.run([binary, "trace", folder], capture_output=True, text=True, timeout=600)
    out: list[str | None] = [None] * len(calls)
    for section in re.split(r"^# ", ran.stdout, flags=re.M)[1:]:
        number = int(pathlib.Path(section.split(" ", 1)[0].split("\n")[0]).stem)
        steps = re.findall(r"^step \d+ (.*?)  # graph step", section, flags=re.M)
        if len(steps) == 1 and "\nunknown " not in section:
            out[number] = f"{calls[number].tensors} {re.sub(r'S[0-9]+', 'S', steps[0])} {re.findall(r'^output .*', section, flags=re.M)}"
    return out


def compared(group: list[Call], counts: collections.Counter) -> None:
    first = group[0]
    for other in group[1:]:
        if (other.op, other.told) == (first.op, first.told):
            continue
        counts["pairs"] += 1
        for number in range(16):
            given = [[contents(d, rank, number + 5 * k) for k, (d, rank) in enumerate(c.tensors)] for c in (first, other)]
            a, b = first.run(given[0]), other.run(given[1])
            if a is None or b is None:
                counts["raising"] += 1
                continue
            counts["runs"] += 1
            if bits(a) != bits(b):
                counts["differ"] += 1
                print(f"differ: {first.op} {first.told} and {other.op} {other.told} of {first.tensors}: {a.tolist()} {b.tolist()}", flush=True)
                break


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=2000, help="calls, each with eight near ones")
    options = parser.parse_args()
    rng, counts = random.Random(options.seed), collections.Counter()
    calls = []
    for _ in range(options.count):
        call = drawn(rng)
        calls += [call, *(near(rng, call) for _ in range(8))]
    groups = collections.defaultdict(list)
    for start in range(0, len(calls), 9000):
        part = calls[start:start + 9000]
        for call, key in zip(part, keys_of(options.binary, part), strict=True):
            counts["calls"] += 1
            if key is not None:
                counts["keys told"] += 1
                groups[key].append(call)
    for group in groups.values():
        compared(group, counts)
    print(f"{counts['calls']} calls, {counts['keys told']} with a key, {len(groups)} keys; {counts['pairs']} pairs of other calls with one key, "
          f"{counts['runs']} runs, {counts['differ']} differ")
    return 2 if not counts["runs"] else int(counts["differ"] > 0)


if __name__ == "__main__":
    sys.exit(main())
