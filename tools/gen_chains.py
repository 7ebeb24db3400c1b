#!/usr/bin/env python3
"""Chains of updates as cases: what `make bench` times, and how time grows with the number of steps.

gen_chains.py KIND N > CASE: one `noclobber.case/1` pair of about N updates, functional before and in place after.

kv         N rows appended to a cache of symbolic length, each read whole afterwards
recurrent  N rows of a symbolic buffer, each computed from the row before
opaque     N updates of a slice, each followed by an operator that reads the whole buffer
permuted   N disjoint rows written in two different orders
cat        one cat of N pieces of symbolic lengths, against N writes of slices
pair       N rows of 16 buffers updated, four steps a row
steps      N pointwise steps, every other one in place
"""
import json
import sys

ROWS = "s0"


def kind(shape, dtype="f32"):
    return {"dtype": dtype, "shape": shape}


def given(name, shape, **more):
    return {"name": name, "type": kind(shape), **more}


def call(name, op, *args, **more):
    return {"name": name, "op": op, "args": [{"ref": a} if isinstance(a, str) else a for a in args], **more}


def sym(text):
    return {"sym": text}


def case(name, symbols, before, after, **more):
    return {"format": "noclobber.case/1", "name": name, "symbols": symbols, **more, "before": before, "after": after}


def graph(inputs, steps, outputs, final=None):
    result = {"inputs": inputs, "steps": steps, "outputs": [{"ref": o} for o in outputs]}
    return result | ({"final": {k: {"ref": v} for k, v in final.items()}} if final else {})


def kv(n):
    inputs = [given("cache", [n, "s0"], mutable=True, exit="as_before")] + [given(f"k{i}", [1, "s0"]) for i in range(n)]
    before, after, latest = [], [], "cache"
    for i in range(n):
        before += [call(f"c{i}", "aten.slice_scatter.default", latest, f"k{i}", 0, i, i + 1),
                   call(f"y{i}", "aten.sin.default", f"c{i}")]
        after += [call(f"r{i}", "aten.slice.Tensor", "cache", 0, i, i + 1), call(f"w{i}", "aten.copy_.default", f"r{i}", f"k{i}"),
                  call(f"y{i}", "aten.sin.default", "cache")]
        latest = f"c{i}"
    outputs = [f"y{i}" for i in range(n)]
    return case("kv", {"s0": {"min": 1}}, graph(inputs, before, outputs, {"cache": latest}), graph(inputs, after, outputs))


def recurrent(n):
    inputs = [given("h", [n + 1, "s0"], mutable=True, exit="as_before"), given("x", ["s0"])]
    before, after, latest = [], [], "h"
    for i in range(n):
        before += [call(f"p{i}", "aten.select.int", latest, 0, i), call(f"m{i}", "aten.mul.Tensor", f"p{i}", "x"),
                   call(f"t{i}", "aten.tanh.default", f"m{i}"), call(f"h{i}", "aten.select_scatter.default", latest, f"t{i}", 0, i + 1)]
        after += [call(f"p{i}", "aten.select.int", "h", 0, i), call(f"m{i}", "aten.mul.Tensor", f"p{i}", "x"),
                  call(f"t{i}", "aten.tanh.default", f"m{i}"), call(f"q{i}", "aten.select.int", "h", 0, i + 1),
                  call(f"w{i}", "aten.copy_.default", f"q{i}", f"t{i}")]
        latest = f"h{i}"
    outputs = [f"t{n - 1}"]
    return case("recurrent", {"s0": {"min": 1}}, graph(inputs, before, outputs, {"h": latest}), graph(inputs, after, outputs))


def opaque(n):
    inputs = [given("b", [n, "s0"], mutable=True, exit="as_before"), given("w", ["s0", "s0"])]
    before, after, latest = [], [], "b"
    for i in range(n):
        before += [call(f"m{i}", "aten.mm.default", latest, "w"), call(f"v{i}", "aten.slice.Tensor", f"m{i}", 0, 0, 1),
                   call(f"c{i}", "aten.slice_scatter.default", latest, f"v{i}", 0, i, i + 1)]
        after += [call(f"m{i}", "aten.mm.default", "b", "w"), call(f"v{i}", "aten.slice.Tensor", f"m{i}", 0, 0, 1),
                  call(f"r{i}", "aten.slice.Tensor", "b", 0, i, i + 1), call(f"z{i}", "aten.copy_.default", f"r{i}", f"v{i}")]
        latest = f"c{i}"
    return case("opaque", {"s0": {"min": 1}}, graph(inputs, before, [], {"b": latest}), graph(inputs, after, []))


def permuted(n):
    inputs = [given("b", [n, "s0"], mutable=True, exit="as_before")] + [given(f"x{i}", ["s0"]) for i in range(n)]
    before, after, latest = [], [], "b"
    for i in range(n):
        before.append(call(f"c{i}", "aten.select_scatter.default", latest, f"x{i}", 0, i))
        latest = f"c{i}"
    step = next(s for s in range(n // 2 + 1, n + 2) if all(s % p or n % p for p in range(2, n + 1)))
    for k in range(n):
        i = k * step % n
        after += [call(f"r{i}", "aten.select.int", "b", 0, i), call(f"w{i}", "aten.copy_.default", f"r{i}", f"x{i}")]
    return case("permuted", {"s0": {"min": 1}}, graph(inputs, before, [], {"b": latest}), graph(inputs, after, []))


def cat(n):
    symbols = {f"n{i}": {"min": 0} for i in range(n)}
    inputs = [given(f"x{i}", [f"n{i}"]) for i in range(n)]
    total = " + ".join(symbols)
    before = [{"name": "c", "op": "aten.cat.default", "args": [[{"ref": f"x{i}"} for i in range(n)]]},
              call("y", "aten.sin.default", "c")]
    after, low = [call("c", "aten.empty.memory_format", [sym(total)])], "0"
    for i in range(n):
        high = f"n{i}" if i == 0 else f"{low} + n{i}"
        after += [call(f"r{i}", "aten.slice.Tensor", "c", 0, sym(low) if i else 0, sym(high)),
                  call(f"w{i}", "aten.copy_.default", f"r{i}", f"x{i}")]
        low = high
    after += [call("y", "aten.sin.default", "c")]
    return case("cat", symbols, graph(inputs, before, ["y"]), graph(inputs, after, ["y"]))


def pair(n, width=16):
    names = [f"b{b}" for b in range(width)]
    inputs = [given(b, [64, 32], mutable=True, exit="as_before") for b in names]
    before, after, latest = [], [], {b: b for b in names}
    for i in range(n):
        b, low = names[i % width], i * 7 % 61
        for steps, source in ((before, latest[b]), (after, b)):
            steps += [call(f"s{i}", "aten.slice.Tensor", source, 0, low, low + 4), call(f"m{i}", "aten.mul.Tensor", f"s{i}", 1.5),
                      call(f"y{i}", "aten.sin.default", f"m{i}")]
        before.append(call(f"c{i}", "aten.slice_scatter.default", latest[b], f"m{i}", 0, low, low + 4))
        after.append(call(f"w{i}", "aten.copy_.default", f"s{i}", f"m{i}"))
        latest[b] = f"c{i}"
    return case("pair", {}, graph(inputs, before, [f"y{n - 1}"], latest), graph(inputs, after, [f"y{n - 1}"]))


def steps(n):
    before, after = [], []
    for i in range(n):
        source = f"v{i - 1}" if i else "x"
        before.append(call(f"v{i}", "aten.relu.default", source))
        after.append(call(f"v{i}", "aten.relu_.default" if i % 2 else "aten.relu.default", source))
    inputs, outputs = [given("x", [64, 32])], [f"v{n - 1}"]
    return case("steps", {}, graph(inputs, before, outputs), graph(inputs, after, outputs))


def listed(n):
    """One graph that writes every other value in place; in its listed order."""
    calls = [call(f"v{i}", "aten.relu_.default" if i % 2 else "aten.relu.default", f"v{i - 1}" if i else "x")
             for i in range(n)]
    return {"format": "noclobber.case/1", "name": "listed", "names": "storages",
            "after": graph([given("x", [64, 32])], calls, [f"v{n - 1}"])}


def ordered(n):
    """The same in every order that its names allow."""
    return listed(n) | {"name": "ordered", "order": "dataflow"}


KINDS = {f.__name__: f for f in (kv, recurrent, opaque, permuted, cat, pair, steps, listed, ordered)}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in KINDS or not sys.argv[2].isdecimal() or int(sys.argv[2]) < 1:
        sys.exit(__doc__)
    json.dump(KINDS[sys.argv[1]](int(sys.argv[2])), sys.stdout)
    print()


if __name__ == "__main__":
    main()
