#!/usr/bin/env python3
"""What a call is: random calls, and the same calls with any one ingredient changed, have different keys in `noclobber trace`.

NC_BIN_DIR names another folder with the program. Standard library only.
"""
import copy
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")) / "noclobber"
DTYPES = ("f64", "f32", "f16", "bf16", "i64", "i32", "i8", "u8")
NUMBERS = (2, 3, -1, 0, 2**33 + 3, 0.1, 0.5, 2.5, 1e-40, 65504.0)
# operator, those that it may be exchanged for, number of tensors, attributes by place and by name
CALLS = [
    ("aten.add.Tensor", ("aten.sub.Tensor",), 2, [], {"alpha": 2}),
    ("aten.mul.Tensor", ("aten.div.Tensor", "aten.remainder.Tensor", "aten.fmod.Tensor"), 2, [], {}),
    ("aten.add.Scalar", ("aten.sub.Scalar", "aten.rsub.Scalar"), 1, [2, 3], {}),
    ("aten.mul.Scalar", ("aten.pow.Tensor_Scalar", "aten.remainder.Scalar"), 1, [3], {}),
    ("aten.clamp.default", (), 1, [-1, 2], {}),
    ("aten.hardtanh.default", (), 1, [-1, 3], {}),
    ("aten.threshold.default", (), 1, [2, 3], {}),
    ("aten.leaky_relu.default", ("aten.elu.default",), 1, [0.5], {}),
    ("aten.gelu.default", (), 1, [], {"approximate": "tanh"}),
    ("aten.div.Tensor_mode", (), 2, [], {"rounding_mode": "floor"}),
    ("aten.maximum.default", ("aten.minimum.default", "aten.fmax.default"), 2, [], {}),
    ("aten.sin.default", ("aten.cos.default", "aten.exp.default"), 1, [], {}),
    ("aten.softplus.default", (), 1, [2, 3], {}),
]
TEXTS = {"tanh": "none", "floor": "trunc"}
PROMOTING = {"aten.add.Scalar", "aten.mul.Scalar", "aten.clamp.default"}  # 2.0 makes floats of integers, 2 does not


def case(call):
    """A call as a case: its tensors are (dtype, rank, device)."""
    op, tensors, args, kwargs = call
    inputs = [{"name": f"x{k}", "type": {"dtype": d, "shape": [4] * rank, **({"device": on} if on else {})}}
              for k, (d, rank, on) in enumerate(tensors)]
    step = {"name": "r", "op": op, "args": [{"ref": i["name"]} for i in inputs] + args, "kwargs": kwargs}
    return {"format": "noclobber.case/1", "name": "call", "after": {"inputs": inputs, "steps": [step], "outputs": [{"ref": "r"}]}}


def other_number(rng, number, by_type):
    """Another number, or the same one of another type."""
    if by_type and rng.random() < 0.7 and isinstance(number, int):
        return float(number)
    return rng.choice([n for n in NUMBERS if n != number])


def changed(rng, row, call):
    """(ingredient, call with that one changed)"""
    op, tensors, args, kwargs = copy.deepcopy(call)
    ways = ["dtype", "rank", "device"] + ["name"] * bool(row[1]) + ["argument"] * bool(args) + ["keyword"] * bool(kwargs)
    way = rng.choice(ways)
    k = rng.randrange(len(tensors))
    dtype, rank, device = tensors[k]
    if way == "dtype":
        tensors[k] = (rng.choice([d for d in DTYPES if d != dtype]), rank, device)
    elif way == "rank":
        tensors[k] = (dtype, 1 - rank, device)
    elif way == "device":
        tensors = [(d, r, "cuda:0" if device == "cpu" else "cpu") for d, r, _ in tensors]
    elif way == "name":
        op = rng.choice(row[1])
    elif way == "argument":
        at = rng.randrange(len(args))
        args[at] = other_number(rng, args[at], op in PROMOTING and tensors[0][0][0] in "iu")
    else:
        name = rng.choice(list(kwargs))
        kwargs[name] = TEXTS[kwargs[name]] if isinstance(kwargs[name], str) else other_number(rng, kwargs[name], False)
    return way, (op, tensors, args, kwargs)


def branch(inner, name="x", text="cond", attribute=2):
    """cond whose branch computes `inner` of what it calls `name`."""
    body = {"inputs": [{"name": name, "type": {"dtype": "f32", "shape": [4]}}],
            "steps": [{"name": name + "y", "op": f"aten.{inner}.Scalar", "args": [{"ref": name}, attribute]}], "outputs": [{"ref": name + "y"}]}
    other = {"inputs": [{"name": "x", "type": {"dtype": "f32", "shape": [4]}}],
             "steps": [{"name": "y", "op": "aten.sin.default", "args": [{"ref": "x"}]}], "outputs": [{"ref": "y"}]}
    inputs = [{"name": "x", "type": {"dtype": "f32", "shape": [4]}}, {"name": "p", "type": {"dtype": "bool", "shape": []}}]
    step = {"names": ["r"], "op": f"higher_order.{text}", "args": [{"ref": "p"}, {"graph": "t"}, {"graph": "f"}, [{"ref": "x"}]],
            "types": [{"dtype": "f32", "shape": [4]}]}
    return {"format": "noclobber.case/1", "name": "call", "graphs": {"t": body, "f": other}, "order": "dataflow",
            "after": {"inputs": inputs, "steps": [step], "outputs": [{"ref": "r"}]}}


def keys_of(cases):
    """Per case what its Trace says of the call, without the numbers of storages."""
    with tempfile.TemporaryDirectory() as folder:
        for number, one in enumerate(cases):
            pathlib.Path(folder, f"{number:05}.json").write_text(json.dumps(one))
        ran = subprocess.run([BINARY, "trace", folder], capture_output=True, text=True, timeout=300, check=False)
    sections = {pathlib.Path(s.split(" ", 1)[0]).stem: s for s in re.split(r"^# ", ran.stdout, flags=re.M)[1:]}
    steps = [re.findall(r"^step \d+ (.*?)  # graph step", sections[f"{k:05}"], flags=re.M) for k in range(len(cases))]
    return ["; ".join(re.sub(r"\bS(\d+)", "S", s) for s in found) for found in steps]


class Keys(unittest.TestCase):
    def test_any_one_ingredient_changes_the_key(self):
        rng, pairs = random.Random(31), []
        for _ in range(400):
            row = rng.choice(CALLS)
            tensors = [(rng.choice(DTYPES), rng.choice((0, 1, 1)), "cpu") for _ in range(row[2])]
            call = (row[0], tensors, list(row[3]), dict(row[4]))
            pairs.append((call, *changed(rng, row, call)))
        keys = keys_of([case(one) for call, _, other in pairs for one in (call, other)])
        seen = {}
        for k, (call, way, other) in enumerate(pairs):
            before, after = keys[2 * k], keys[2 * k + 1]
            if before and after:
                seen[way] = seen.get(way, 0) + 1
                self.assertNotEqual(before, after, (way, call, other))
        self.assertEqual(set(seen), {"dtype", "rank", "device", "name", "argument", "keyword"})
        self.assertGreater(min(seen.values()), 15, seen)

    def test_what_a_body_computes_is_in_the_key_and_what_it_calls_it_is_not(self):
        first, *others = keys_of([branch("mul"), branch("mul", name="s0"), branch("mul", name="q"), branch("add"),
                                  branch("mul", attribute=2.0), branch("mul", attribute=3)])
        self.assertIn("mul", first)
        self.assertEqual(others[0], first)
        self.assertEqual(others[1], first)
        for other in others[2:]:
            self.assertNotEqual(other, first)


if __name__ == "__main__":
    unittest.main()
