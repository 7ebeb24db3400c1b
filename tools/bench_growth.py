#!/usr/bin/env python3
"""How time and memory grow with the size of an input: bench_growth.py [CHECKER] [--size N]

Writes logs of one compilation for each kind, at N and at 2 N steps or so, checks them, and prints user time, peak
memory and the ratio of the two times. A kind that is linear doubles.
"""
import argparse, os, pathlib, resource, subprocess, sys, tempfile

HEADER = ('V1121 06:08:59.616000 8939 torch/x.py:1] {"artifact": {"name": "%s", "encoding": "string"}, "frame_id": 0, '
          '"frame_compile_id": 0, "attempt": 0, "has_payload": "4ed4995738fa6cd43021705d2f7f3834"}\n')
START = ('V1121 06:08:59.616000 8939 torch/x.py:1] {"dynamo_start": {"stack": []}, "frame_id": 0, '
         '"frame_compile_id": 0, "attempt": 0}\n')
SQUARE, ROW = "f32[64, 64][64, 1]cpu", "f32[64][1]cpu"


def graph(inputs, lines, outputs):
    """The text of a graph; inputs are (name, type), outputs names."""
    head = "class GraphModule(torch.nn.Module):\n    def forward(self, "
    head += ", ".join(f'{name}: "{kind}"' for name, kind in inputs) + "):\n"
    body = "".join(f"        {line}\n" for line in lines)
    return head + body + "        return (" + "".join(f"{o}, " for o in outputs) + ")\n        "


def step(name, kind, call):
    return f'{name}: "{kind}" = torch.ops.aten.{call}'


def record(name, text):
    return HEADER % name + "".join(f"\t{line}\n" for line in text.split("\n"))


def rows(n):
    return f"f32[{n}, 64][64, 1]cpu"


def pointwise(n):
    lines = [step(f"x{i}", SQUARE, f"{('add', 'mul', 'sub')[i % 3]}.Tensor({f'x{i - 1}' if i else 'a'}, b)") for i in range(n)]
    return (graph([("a", SQUARE), ("b", SQUARE)], lines, [f"x{n - 1}"]),) * 2


def residual(n):
    """Each value is used twice: there are 2^n ways from the end to the start."""
    lines = []
    for i in range(n):
        last = f"y{i - 1}" if i else "k"
        lines += [step(f"x{i}", SQUARE, f"sin.default({last})"), step(f"y{i}", SQUARE, f"add.Tensor({last}, x{i})")]
    write = step("w", SQUARE, "mul_.Tensor(a, 2.0)")
    copy = step("k", SQUARE, "clone.default(a)")
    return (graph([("a", SQUARE)], [copy, write, *lines], [f"y{n - 1}"]),
            graph([("a", SQUARE)], [copy, *lines, write], [f"y{n - 1}"]))


def view_writes(n):
    """for i in range(n): a[i] *= 2"""
    before, after, last = [], [], "a"
    for i in range(n):
        before += [step(f"s{i}", ROW, f"select.int({last}, 0, {i})"), step(f"m{i}", ROW, f"mul.Tensor(s{i}, 2.0)"),
                   step(f"c{i}", rows(n), f"select_scatter.default({last}, m{i}, 0, {i})")]
        after += [step(f"s{i}", ROW, f"select.int(a, 0, {i})"), step(f"m{i}", ROW, f"mul_.Tensor(s{i}, 2.0)")]
        last = f"c{i}"
    before.append(step("w", rows(n), f"copy_.default(a, {last})"))
    return graph([("a", rows(n))], before, []), graph([("a", rows(n))], after, [])


def view_outputs(n):
    lines = [step(f"s{i}", ROW, f"select.int(a, 0, {i})") for i in range(n)]
    return (graph([("a", rows(n))], lines, [f"s{i}" for i in range(n)]),) * 2


def fresh_views(n):
    """Views of one result; and the same of a larger one, where each lies elsewhere."""
    def of(first):
        lines = [step("b", rows(n + first), f"full.default([{n + first}, 64], 1.0)")]
        return graph([], lines + [step(f"s{i}", ROW, f"select.int(b, 0, {i + first})") for i in range(n)],
                     [f"s{i}" for i in range(n)])
    return of(0), of(1)


def appended(n):
    """A cache that is appended to, and read whole after each time."""
    before, after, last = [], [], "a"
    one = "f32[1, 64][64, 1]cpu"
    for i in range(n):
        before += [step(f"c{i}", rows(n), f"slice_scatter.default({last}, v, 0, {i}, {i + 1})"),
                   step(f"y{i}", rows(n), f"sin.default(c{i})")]
        after += [step(f"s{i}", one, f"slice.Tensor(a, 0, {i}, {i + 1})"), step(f"m{i}", one, f"copy_.default(s{i}, v)"),
                  step(f"y{i}", rows(n), "sin.default(a)")]
        last = f"c{i}"
    before.append(step("w", rows(n), f"copy_.default(a, {last})"))
    inputs, outputs = [("a", rows(n)), ("v", one)], [f"y{i}" for i in range(n)]
    return graph(inputs, before, outputs), graph(inputs, after, outputs)


def reordered(n):
    lines = [step(f"y{i}", SQUARE, f"mm.default(p{i}, w)") for i in range(n)]
    inputs, outputs = [(f"p{i}", SQUARE) for i in range(n)] + [("w", SQUARE)], [f"y{i}" for i in range(n)]
    return graph(inputs, lines, outputs), graph(inputs, lines[::-1], outputs)


def renamed(n):
    lines = []
    for i in range(n):
        lines += [step(f"a{i}", SQUARE, f"mul.Tensor(p, {i}.5)"), step(f"t{i}", "f32[64, 64][1, 64]cpu", f"t_.default(a{i})"),
                  step(f"s{i}", "f32[64, 64][1, 64]cpu", f"sin.default(t{i})")]
    return (graph([("p", SQUARE)], lines, [f"s{i}" for i in range(n)]),) * 2


def unbacked(n):
    lines = []
    for i in range(n):
        kind = f"i64[u{i}, 1][1, Max(1, u{i})]cpu"
        lines += [step(f"n{i}", kind, f"nonzero.default(p{i})"), step(f"s{i}", kind, f"mul.Tensor(n{i}, 2)")]
    return (graph([(f"p{i}", ROW) for i in range(n)], lines, [f"s{i}" for i in range(n)]),) * 2


KINDS = [pointwise, residual, view_writes, view_outputs, fresh_views, appended, reordered, renamed, unbacked]


def measured(checker, path):
    """User time in seconds, peak memory in MB and the last line of a check."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(writer, 1), os.dup2(writer, 2), os.close(reader)
        os.execv(checker, [checker, "check", str(path)])
    os.close(writer)
    with os.fdopen(reader) as said:
        text = said.read()
    usage = os.wait4(pid, 0)[2]
    return usage.ru_utime, usage.ru_maxrss / 1024, text.strip().splitlines()[-1]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("checker", nargs="?", default="build/bin/noclobber")
    options.add_argument("--size", type=int, default=500)
    given = options.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            found = []
            for n in (given.size, 2 * given.size):
                path = pathlib.Path(folder) / f"{kind.__name__}-{n}.log"
                before, after = kind(n)
                path.write_text(START + record("before_post_grad_graph", before) + record("inductor_post_grad_graph", after))
                found.append(measured(given.checker, path))
            (first, _, _), (second, memory, said) = found
            proved = "1 proved" in said
            bad += not proved
            print(f"{kind.__name__:14} {first:7.2f} s {second:7.2f} s   x{second / max(first, 0.01):4.1f} {memory:6.0f} MB  {'' if proved else said}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
