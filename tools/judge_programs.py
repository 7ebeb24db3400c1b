"""Random functions of PyTorch and changes of them, as source text; for tools/judge.py.

A program is a list of lines over named tensors, grown by executing it: a line that PyTorch refuses is drawn again. A change
of a program is one of the rewrites that passes make (sound ones among them) and their faults; whether it matters is for
PyTorch to say.
"""
from __future__ import annotations

import random
import re

import judge_flow
import torch

INPUTS = ("x", "y", "z", "s", "i", "h", "b", "m", "n")
BUFFERS = ("m", "n")  # held by the module where a form has modules
TIES = ("", "same", "turned", "part")  # how n lies on m


def tied(m: torch.Tensor, n: torch.Tensor, tie: str) -> torch.Tensor:
    return {"": n, "same": m, "turned": m.t(), "part": m[1:3]}[tie]


def inputs(flavour: int, tie: str = "") -> dict[str, torch.Tensor]:
    """The arguments of every program. Flavour 0 is plain; others hold what tells apart operators that are nearly one:
    -0.0, infinities, NaN, integers beyond 2^32, numbers that no narrower type holds."""
    make = torch.Generator().manual_seed(flavour)
    rand = lambda *shape, dtype=torch.float32: torch.randn(*shape, generator=make, dtype=torch.float64).to(dtype)  # noqa: E731
    ints = torch.randint(-5, 6, (4, 6), generator=make)
    x, y, z = rand(4, 6), rand(4, 6), rand(6)
    s, h = rand(()), rand(4, 6, dtype=torch.float16)
    if flavour % 4 == 3:  # few values, many zeros
        few = lambda v: torch.randint(-1, 2, tuple(v.shape), generator=make).to(v.dtype)  # noqa: E731
        x, y, z, s, h = (few(v) for v in (x, y, z, s, h))
    elif flavour % 4 == 1:
        ints = ints * (2**33 + 3) + torch.randint(0, 9, (4, 6), generator=make)
        x[0, 1], x[2, 3], y[1, 1], z[2], h[0, 0] = -0.0, 3e38, -0.0, -0.0, -0.0
        x[3, 3], y[3, 3] = 16777217.0, 1e-40
    elif flavour % 4 == 2:
        x[1, 2], y[2, 2], z[0], h[3, 5] = float("nan"), float("inf"), float("-inf"), float("nan")
        y[0, 0], h[1, 1] = 65519.9, 65504.0
    b, m, n = rand(4, 6) > 0, rand(4, 6), rand(4, 6)
    return {"x": x, "y": y, "z": z, "s": s, "i": ints, "h": h, "b": b, "m": m, "n": tied(m, n, tie)}


# {t} any tensor, {f} of floats, {g} of floats too, {n} of integers, {k} of truth values, {m} of two dimensions, {v} of one,
# {w} what a line may write, {c} a number. The result, if the line has one, is a new name.
VALUES = [
    "{f}.sin()", "{f}.exp()", "{t}.neg()", "{t}.abs()", "{f}.relu()", "{t} + {g}", "{t} * {g}", "{t} - {c}", "{t} * {c}", "{t} + {c}",
    "{n} + {n}", "{n} * {c}", "{n} // 3", "{n}.remainder({t})", "{t} < {g}", "{t} == {t}", "{k}.logical_not()", "torch.where({k}, {t}, {g})",
    "torch.add({t}, {g}, alpha=2)", "{t}.sum(0)", "{t}.sum()", "{t}.amax(-1)", "{f}.mean()", "{t}.cumsum(0)", "{f}.softmax(-1)",
    "{t}.to(torch.float64)", "{t}.to(torch.float32)", "{t}.to(torch.float16)", "{t}.to(torch.int64)", "{t}.to(torch.int32)",
    "{t}.type_as({g})", "{t}.double().float()", "{f}.half().float()", "{t}.to(torch.int8)",
    "{t}.clone()", "{t}.contiguous()", "{t}.flip(0)", "torch.cat([{m}, {m}], 0)", "torch.stack([{v}, {v}])", "{t} @ {t}",
    "{t}.masked_fill({k}, {c})", "torch.zeros_like({t})", "torch.full_like({t}, {c})", "{t} * 1", "{t} + 0", "{t} / 1", "{m}.index_select(0, q)",
    "{m}.gather(1, p)", "torch.maximum({t}, {g})", "{f}.clamp(-1, 1)", "torch.ones(6) + {v}", "{f}.pow(2)", "{t}.square()", "{t}.sign()",
    "torch.native_batch_norm({m}, None, None, {v}, {v}, True, 0.1, 1e-5)[0]", "torch.tensor([1.5, -2.0])", "torch.tensor(3)", "torch.arange(6) * {n}", "{t}.new_zeros(3)",
]
VIEWS = [
    "{m}.t()", "{t}[0]", "{t}[-1]", "{t}[1:]", "{t}[::2]", "{m}[:, 1:4]", "{m}[1:3, 2:]", "{t}.reshape(-1)", "{t}.view(-1)", "{m}.unbind(0)[1]",
    "{t}.unsqueeze(0)", "{t}.squeeze()", "{m}.diagonal()", "{v}.expand(4, 6)", "{m}.split(2)[1]", "{t}.flatten()", "{f}.view(torch.int32)",
    "{n}.view(torch.int32)", "{h}.view(torch.int16)", "{t}.as_strided([2, 3], [3, 1])", "{t}.as_strided([3, 2], [1, 3], 1)", "{t}.detach()",
    "{t}.transpose(0, -1)", "{m}.narrow(1, 1, 3)", "{m}.chunk(2, 1)[1]", "{v}.unfold(0, 2, 2)", "{t}.view_as({t})",
]
WRITES = [
    "{w}.add_({g})", "{w}.mul_({c})", "{w}.sub_({c})", "{w}.sin_()", "{w}.neg_()", "{w}.zero_()", "{w}.fill_({c})", "{w}.copy_({t})",
    "{w}[0] = {c}", "{w}[1:] = {t}", "{w}[:, 0] = {c}", "{w}.relu_()", "{w}.clamp_(-1, 1)", "{w}.masked_fill_({k}, {c})",
    "{w}.index_add_(0, q, {m}[:3])", "{w}.index_copy_(0, q, {m}[:3])", "{w}[q] = {t}", "{w}.scatter_(1, p, {c})", "{w}.addcmul_({g}, {g})",
    "{w}.t().mul_({c})", "{w}.view(-1)[1:4].add_({c})", "{w}[1].copy_({w}[0])", "{w}.logical_not_()", "{w}.remainder_({t})", "{w}.bitwise_not_()",
    "torch.add({t}, {g}, out={w})", "torch.mul({t}, {g}, out={w})", "torch.sin({f}, out={w})", "torch.maximum({t}, {g}, out={w})",
    "{w}.diagonal().fill_({c})", "{w}.cumsum_(0)", "{w}.div_({c})", "{w}.pow_(2)", "{w}.floor_divide_(2)", "{w}.lt_({g})",
]
NUMBERS = ("2", "-1", "0", "1", "0.5", "1.5", "2.5", "4294967299", "0.1", "65519.9")
PLACES = {"q": "torch.tensor([0, 2, 1])", "p": "torch.tensor([[0, 1, 2], [2, 1, 0]])"}


def kinds(value: torch.Tensor) -> str:
    """The letters of the placeholders that a tensor may stand for."""
    out = "tw"
    out += "fg" if value.is_floating_point() else "k" if value.dtype == torch.bool else "n"
    out += "h" if value.dtype == torch.float16 else ""
    return out + {1: "v", 2: "m"}.get(value.dim(), "")


class Growing:
    """A program while it is drawn: its lines and what they leave."""

    def __init__(self, rng: random.Random, tie: str = ""):
        self.rng, self.lines, self.count = rng, [], 0
        self.scope: dict = {"torch": torch, **inputs(0, tie)}
        for name, text in PLACES.items():
            self.scope[name] = eval(text, self.scope)  # noqa: S307, written above

    def tensors(self, letter: str) -> list[str]:
        return [n for n, v in self.scope.items() if n not in PLACES and isinstance(v, torch.Tensor) and letter in kinds(v)]

    def draw(self, template: str) -> str | None:
        def one(found: re.Match) -> str:
            if found[1] == "c":
                return self.rng.choice(NUMBERS)
            names = self.tensors(found[1])
            if not names:
                raise LookupError
            return self.rng.choices(names, range(1, len(names) + 1))[0]

        try:
            return re.sub(r"\{(\w)\}", one, template)
        except LookupError:
            return None

    def flow(self) -> str | None:
        floats = self.tensors("f")
        return judge_flow.line(self.rng, floats, [n for n in floats if self.scope[n].dim()]) if floats else None

    def add(self, flow: float) -> bool:
        pool = self.rng.choices((VALUES, VIEWS, WRITES, ()), (5, 4, 4, 13 * flow))[0]
        text = self.draw(self.rng.choice(pool)) if pool else self.flow()
        if text is None:
            return False
        line = text if pool is WRITES else f"v{self.count} = {text}"
        try:
            exec(line, self.scope)  # noqa: S102, drawn from the lists above
        except Exception:  # noqa: BLE001, whatever PyTorch says of what it does not take
            return False
        self.count += pool is not WRITES
        self.lines.append(line)
        return all(v.numel() <= 200 for v in self.scope.values() if isinstance(v, torch.Tensor))


FLOW = [0, 0, 0.1, 0.4]  # how much of it, in a program


POOLS = (VALUES, VIEWS, WRITES, judge_flow.BODIES, FLOW)
FIRST = [list(pool) for pool in POOLS]


def leave_out(pattern: str) -> None:
    """No line that matches is drawn, nor control flow where it is named."""
    for pool in FIRST[:-1]:
        pool[:] = [text for text in pool if not re.search(pattern, text)]
    if re.search(pattern, "control flow"):
        FIRST[-1][:] = [0]
    draw_often("")


def draw_often(pattern: str) -> None:
    """Lines and bodies that match are drawn ten times as often, control flow too where the pattern names it; "": as at first."""
    for pool, first in zip(POOLS, FIRST, strict=True):
        pool[:] = first
    for pool in POOLS[:-1]:
        pool += 9 * [text for text in pool if pattern and re.search(pattern, text)]
    if pattern and re.search(pattern, "control flow"):
        FLOW[:] = [0.4]


def change_by(pattern: str) -> None:
    """The ways to change a program are those that match."""
    WAYS[:] = [way for way in ALL_WAYS if re.search(pattern, way.__name__)]


def program(rng: random.Random, tie: str = "") -> tuple[list[str], list[str]]:
    """(lines, names that are returned)."""
    growing, wanted = Growing(rng, tie), rng.randint(2, 8)
    flow = rng.choice(FLOW)
    for _ in range(200):
        growing.add(flow)
        if len(growing.lines) >= wanted:
            break
    made = [n for n in growing.scope if re.fullmatch(r"v\d+", n)] or ["x"]
    given = rng.sample(made, min(len(made), rng.randint(1, 3)))
    if rng.random() < 0.15:
        given.append(rng.choice(INPUTS))
    return growing.lines, given


def text_of(lines: list[str], given: list[str]) -> str:
    body = "".join(f"    {line}\n" for line in lines)
    places = "".join(f"    {name} = {text}\n" for name, text in PLACES.items() if re.search(rf"\b{name}\b", body))
    return f"def f({', '.join(INPUTS)}):\n{places}{body}    return {', '.join(given)},\n"


METHOD = re.compile(r"^(v\d+) = (\w+)\.(sin|exp|neg|abs|relu|square|sign|logical_not)\(\)$")
BINARY = re.compile(r"^(v\d+) = (\w+) ([+*-]) (\S+)$")
WRITE = re.compile(r"^(\w+)\.(sin|neg|relu|logical_not)_\(\)$")
NAME = {"+": "add", "*": "mul", "-": "sub"}


def changed(rng: random.Random, lines: list[str], given: list[str]) -> tuple[str, list[str], list[str]] | None:
    """(what was changed, lines, names that are returned); None: nothing to change in that way."""
    way, lines, given = rng.choice(WAYS), list(lines), list(given)
    out = way(rng, lines, given)
    return None if out is None or out == "" else (way.__name__ + (f" {out}" if isinstance(out, str) else ""), lines, given)


def clone_dropped(rng, lines, given):
    found = [k for k, line in enumerate(lines) if ".clone()" in line or ".contiguous()" in line]
    if not found:
        return None
    k = rng.choice(found)
    lines[k] = lines[k].replace(".clone()", "").replace(".contiguous()", "")
    return True


def clone_added(rng, lines, given):
    k = rng.randrange(len(lines))
    if not re.match(r"v\d+ = ", lines[k]):
        return None
    lines[k] += ".clone()"
    return True


def noop_dropped(rng, lines, given):
    found = [k for k, line in enumerate(lines) if re.search(r" (\* 1|\+ 0|/ 1)$", line)]
    if not found:
        return None
    k = rng.choice(found)
    lines[k] = re.sub(r" (\* 1|\+ 0|/ 1)$", "", lines[k])
    return True


def line_moved(rng, lines, given):
    if len(lines) < 2:
        return None
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    if a == b:
        return None
    lines.insert(b, lines.pop(a))
    return True


def line_dropped(rng, lines, given):
    lines.pop(rng.randrange(len(lines)))
    return bool(lines) or None


def line_repeated(rng, lines, given):
    k = rng.randrange(len(lines))
    lines.insert(rng.randrange(k, len(lines)) + 1, lines[k])
    return True


def number_changed(rng, lines, given):
    found = [(k, m) for k, line in enumerate(lines) for m in re.finditer(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", line.partition("=")[2] or line)]
    if not found:
        return None
    k, match = rng.choice(found)
    lines[k] = lines[k].replace(match[0], rng.choice((*NUMBERS, "0", "1", "2", "3")), 1)
    return True


def operand_changed(rng, lines, given):
    k = rng.randrange(len(lines))
    left, equals, right = lines[k].partition(" = ")
    head, body = (left + equals, right) if equals else ("", left)
    names = re.findall(r"\b(?:v\d+|[xyzsihbmn])\b", body)
    known = [*INPUTS, *(m[1] for line in lines[:k] if (m := re.match(r"(v\d+) = ", line)))]
    if not names:
        return None
    lines[k] = head + re.sub(rf"\b{rng.choice(names)}\b", rng.choice(known), body, count=1)
    return True


def in_place(rng, lines, given):
    found = [k for k, line in enumerate(lines) if METHOD.match(line) or BINARY.match(line)]
    if not found:
        return None
    k = rng.choice(found)
    if m := METHOD.match(lines[k]):
        lines[k] = f"{m[1]} = {m[2]}.{m[3]}_()"
    elif m := BINARY.match(lines[k]):
        lines[k] = f"{m[1]} = {m[2]}.{NAME[m[3]]}_({m[4]})"
    return True


def out_of_place(rng, lines, given):
    found = [k for k, line in enumerate(lines) if WRITE.match(line)]
    if not found:
        return None
    k = rng.choice(found)
    m = WRITE.match(lines[k])
    lines[k] = f"{m[1]}.copy_({m[1]}.{m[2]}())"
    return True


def into_out(rng, lines, given):
    found = [k for k, line in enumerate(lines) if BINARY.match(line)]
    if not found:
        return None
    k = rng.choice(found)
    m = BINARY.match(lines[k])
    target = rng.choice([*INPUTS, *(n[1] for line in lines[:k] if (n := re.match(r"(v\d+) = ", line)))])
    lines[k] = f"{m[1]} = torch.{NAME[m[3]]}({m[2]}, {m[4] if m[4][0].isalpha() else f'torch.tensor({m[4]})'}, out={target})"
    return True


def type_changed(rng, lines, given):
    found = [k for k, line in enumerate(lines) if re.search(r"torch\.(?:float\d\d|int\d+)", line)]
    if not found:
        return None
    k = rng.choice(found)
    lines[k] = re.sub(r"torch\.(?:float\d\d|int\d+)", rng.choice(("torch.float64", "torch.float16", "torch.int32", "torch.float32")), lines[k], count=1)
    return True


def conversion_dropped(rng, lines, given):
    """Or a look at the bits."""
    pattern = re.compile(r"\.(?:(?:to|view)\(torch\.\w+\)|double\(\)|half\(\)|float\(\))")
    found = [(k, m) for k, line in enumerate(lines) for m in pattern.finditer(line)]
    if not found:
        return None
    k, match = rng.choice(found)
    lines[k] = lines[k][:match.start()] + lines[k][match.end():]
    return True


def operands_exchanged(rng, lines, given):
    found = [k for k, line in enumerate(lines) if re.match(r"^(v\d+) = (\w+) ([+*<]|==) (\w+)$", line)]
    if not found:
        return None
    k = rng.choice(found)
    name, a, sign, b = re.match(r"^(v\d+) = (\w+) ([+*<]|==) (\w+)$", lines[k]).groups()
    lines[k] = f"{name} = {b} {sign} {a}"
    return True


def results_changed(rng, lines, given):
    made = [m[1] for line in lines if (m := re.match(r"(v\d+) = ", line))]
    if not made:
        return None
    given[rng.randrange(len(given))] = rng.choice([*made, *INPUTS])
    return True


def results_exchanged(rng, lines, given):
    """Two results change places; where results have keys, the keys may go along."""
    if len(given) < 2:
        return None
    a, b = rng.sample(range(len(given)), 2)
    given[a], given[b] = given[b], given[a]
    return f"{a} {b}"


def dimensionless(rng, lines, given):
    """A number becomes a tensor without dimensions, or one of one element."""
    found = [k for k, line in enumerate(lines) if BINARY.match(line) and BINARY.match(line)[4][0].isdigit()]
    if not found:
        return None
    k = rng.choice(found)
    m = BINARY.match(lines[k])
    lines[k] = f"{m[1]} = {m[2]} {m[3]} torch.tensor({rng.choice((m[4], f'[{m[4]}]'))})"
    return True


def dimension_added(rng, lines, given):
    """A tensor without dimensions gets one, of one element, or loses it."""
    scalars = {"s", *(m[1] for line in lines if (m := re.match(r"(v\d+) = \w+\.(?:sum|mean)\(\)$", line)))}
    found = [(k, m) for k, line in enumerate(lines) for m in re.finditer(r"\b(?:v\d+|s)\b(?!\.| = )", line) if m[0] in scalars and m.start()]
    if not found:
        return None
    k, m = rng.choice(found)
    lines[k] = lines[k][:m.start()] + m[0] + rng.choice((".reshape(1)", ".unsqueeze(0)", ".view(1)")) + lines[k][m.end():]
    return True


ALL_WAYS = (clone_dropped, clone_added, noop_dropped, line_moved, line_moved, line_dropped, line_repeated, number_changed, operand_changed, in_place,
        in_place, out_of_place, into_out, type_changed, conversion_dropped, operands_exchanged, results_changed, results_exchanged, dimensionless,
        dimension_added, dimension_added,
        *judge_flow.WAYS)
WAYS = list(ALL_WAYS)
