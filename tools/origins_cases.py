#!/usr/bin/env python3
"""Writes the cases of corpus/origins that no framework is needed for: origins_cases.py [FOLDER]

What they stand for is told in corpus/origins/points.toml.
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
HOME = ROOT / "corpus" / "origins"


def given(name, dtype, *shape):
    return {"name": name, "type": {"dtype": dtype, "shape": list(shape)}}


def step(name, op, *args, **kwargs):
    out = {"name": name, "op": f"aten.{op}", "args": [{"ref": a} if isinstance(a, str) else a for a in args]}
    return out | ({"kwargs": kwargs} if kwargs else {})


def case(name, inputs, before, after, output):
    graphs = [{"inputs": inputs, "steps": steps, "outputs": [{"ref": output}]} for steps in (before, after)]
    return {"format": "noclobber.case/1", "name": name, "before": graphs[0], "after": graphs[1]}


def alphas():
    """t + other * alpha in place, where alpha is a constant of the dtype of `other` or of t."""
    inputs = [given("x", "f16", 4), given("other", "f32")]
    def steps(dtype, add):
        return [step("t", "neg.default", "x"), step("alpha", "full.default", [], 0.1, dtype={"dtype": dtype}),
                step("scaled", "mul.Tensor", "other", "alpha"), step("r", add, "t", "scaled")]
    before = steps("f32", "add.Tensor")
    yield "reinplace/alpha-of-other", inputs, before, steps("f32", "add_.Tensor"), "r"
    yield "reinplace/alpha-of-self", inputs, before, steps("f16", "add_.Tensor"), "r"


def bumped():
    """Plans as a bump allocator makes them: bytes of its own for every value. That suits what works element by element in
    place of its operand by choice, and not an in-place operator, whose result is its operand."""
    planned = json.loads((HOME / "planner" / "chain-right.plan.case.json").read_text(encoding="utf-8"))
    end, buffers = 0, []
    for buffer in planned["plan"]["buffers"]:
        buffers.append({k: v for k, v in buffer.items() if k != "inplace_of"} | {"offset": end})
        end += -(-buffer["size"] // 16) * 16
    arena = planned["plan"]["arenas"]["1"] | {"size": end}
    yield "planner/naive", planned | {"name": "naive", "plan": {"arenas": {"1": arena}, "buffers": buffers}}
    steps = [step("t", "neg.default", "x"), step("r", "relu_.default", "t"), step("s", "sum.default", "r")]
    for name, offset in (("planner/naive-on-operand", 0), ("planner/naive-apart", 16)):
        buffers = [{"value": value, "arena": "1", "offset": at, "size": size}
                   for value, at, size in (("t", 0, 16), ("r", offset, 16), ("s", 32, 4))]
        graph = {"inputs": [given("x", "f32", 4)], "steps": steps, "outputs": [{"ref": "s"}]}
        yield name, {"format": "noclobber.case/1", "name": name.partition("/")[2], "after": graph,
                     "plan": {"arenas": {"1": {"size": 48}}, "buffers": buffers}}


def written():
    """File below the folder: its text."""
    cases = {name: case(name.partition("/")[2], *rest) for name, *rest in alphas()} | dict(bumped())
    return {f"{name}.case.json": json.dumps(one, indent=1) + "\n" for name, one in cases.items()}


def main():
    home = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HOME
    for name, text in written().items():
        (home / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
