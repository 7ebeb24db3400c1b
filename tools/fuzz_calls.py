#!/usr/bin/env python3
"""Prints src/fuzz/calls.inc: legal argument lists of operators, one JSON text per line, from corpus/golden.

{"op": "aten.add.Tensor", "tensors": [{"dtype": "float32", "shape": [3, 4], "stride": [4, 1], "values"?: [..]}],
 "args": [..], "kwargs": {..}} with arguments as the recordings spell them; `values` of integers and booleans
alone, as offsets, indices and masks must be legal.
"""
import json
import pathlib

PER_OPERATOR = 2
MOST_ELEMENTS = 64
WHOLE = {"int64", "int32", "bool"}


def tensor_of(call, tensor):
    out = {"dtype": tensor["dtype"], "shape": tensor["shape"], "stride": tensor["stride"]}
    if tensor["dtype"] in WHOLE:
        values = call["storages"][tensor["storage"]]["values"]
        out["values"] = [int(v) for v in values[tensor["offset"]:]]
    return out


def elements(shape):
    n = 1
    for extent in shape:
        n *= extent
    return n


def usable(call):
    return all(elements(t["shape"]) <= MOST_ELEMENTS for t in call["tensors"])


def main():
    root = pathlib.Path(__file__).resolve().parents[1]
    for path in sorted((root / "corpus/golden").glob("*.json")):
        recorded = json.loads(path.read_text(encoding="utf-8"))
        for call in [c for c in recorded["calls"] if usable(c)][:PER_OPERATOR]:
            line = {"op": recorded["op"], "tensors": [tensor_of(call, t) for t in call["tensors"]],
                    "args": call["args"], "kwargs": call["kwargs"]}
            print(f"R\"({json.dumps(line, separators=(',', ':'))})\",")


if __name__ == "__main__":
    main()
