"""Random functions of PyTorch, as source text: views, writes, `out=`, other dtypes, control flow. Needs PyTorch.

A program is a list of lines over named tensors, grown by executing it: a line that PyTorch refuses is drawn again.
"""
from __future__ import annotations

import dataclasses
import functools
import random
import re

import torch

from . import drawn_flow

INPUTS = ("x", "y", "z", "s", "i", "h", "b", "m", "n")
BUFFERS = ("m", "n")  # held by the module where a form has modules
TIES = ("", "same", "turned", "part")  # how n lies on m


def tied(m: torch.Tensor, n: torch.Tensor, tie: str) -> torch.Tensor:
    return {"": n, "same": m, "turned": m.t(), "part": m[1:3]}[tie]


def inputs(flavour: int, tie: str = "") -> dict[str, torch.Tensor]:
    """The arguments of every program, made anew. Flavour 0 is plain; others hold what tells apart operators that are nearly one:
    -0.0, infinities, NaN, integers beyond 2^32, numbers that no narrower type holds."""
    given = {name: tensor.clone() for name, tensor in _contents(flavour).items()}
    return given | {"n": tied(given["m"], given["n"], tie)}


@functools.cache
def _contents(flavour: int) -> dict[str, torch.Tensor]:
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
    if flavour % 4 == 3:
        m, n = few(m), few(n)
    elif flavour % 4 == 1:
        m, n = m * 1000, n * 1000
        m[1, 2], n[0, 3] = -0.0, 0.0
    elif flavour % 4 == 2:
        m[2, 2], n[3, 1] = float("inf"), float("nan")
    return {"x": x, "y": y, "z": z, "s": s, "i": ints, "h": h, "b": b, "m": m, "n": n}


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
            return self.rng.choices(names, [k ** LIKE[0].recent for k in range(1, len(names) + 1)])[0]

        try:
            return re.sub(r"\{(\w)\}", one, template)
        except LookupError:
            return None

    def flow(self) -> str | None:
        floats = self.tensors("f")
        return drawn_flow.line(self.rng, floats, [n for n in floats if self.scope[n].dim()]) if floats else None

    def is_in_bounds(self, text: str) -> bool:
        """PyTorch does not ask whether the statistics of `native_batch_norm` have an element for each channel, and writes past their end."""
        found = re.match(r"torch\.native_batch_norm\((\w+), None, None, (\w+), (\w+),", text)
        return not found or all(self.scope[v].numel() == self.scope[found[1]].shape[1] for v in found.groups()[1:])

    def add(self, flow: float) -> bool:
        pool = self.rng.choices((VALUES, VIEWS, WRITES, ()), (*LIKE[0].mix, 13 * flow))[0]
        text = self.draw(self.rng.choice(pool)) if pool else self.flow()
        if text is None:
            return False
        if not self.is_in_bounds(text):
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
POOLS = (VALUES, VIEWS, WRITES, drawn_flow.BODIES, FLOW)
ALL = tuple(tuple(pool) for pool in POOLS)
FIRST = [list(pool) for pool in ALL]  # but for what is left out


def leave_out(pattern: str) -> None:
    """No line that matches is drawn from now on, nor control flow where it is named; what was left out before is drawn again."""
    for pool, every in zip(FIRST[:-1], ALL):
        pool[:] = [text for text in every if not re.search(pattern, text)]
    FIRST[-1][:] = [0] if re.search(pattern, "control flow") else ALL[-1]
    draw_often("")


@dataclasses.dataclass(frozen=True)
class Mixture:
    """What programs are like: lines that match `pattern` are drawn `times` as often, `mix` is how often values, views and writes are,
    the k-th name of the scope is drawn k to the power of `recent` as often as the first, `length` bounds the number of lines."""

    pattern: str = ""
    times: int = 10
    mix: tuple[int, int, int] = (5, 4, 4)
    recent: int = 1
    length: tuple[int, int] = (2, 8)

    def __add__(self, other: Mixture) -> Mixture:
        return Mixture("|".join(filter(None, (self.pattern, other.pattern))), max(self.times, other.times),
                       tuple(map(max, self.mix, other.mix)), max(self.recent, other.recent), max(self.length, other.length))


LIKE = [Mixture()]  # what programs are like now


def draw_often(pattern: str) -> None:
    """Lines and bodies that match are drawn ten times as often, control flow too where the pattern names it; "": as at first."""
    draw_as(Mixture(pattern))


def draw_as(mixture: Mixture) -> None:
    """Programs are like this from now on."""
    LIKE[0] = mixture
    for pool, first in zip(POOLS, FIRST, strict=True):
        pool[:] = first
    for pool in POOLS[:-1]:
        pool += (mixture.times - 1) * [text for text in pool if mixture.pattern and re.search(mixture.pattern, text)]
    if mixture.pattern and re.search(mixture.pattern, "control flow") and any(FLOW):
        FLOW[:] = [0.4]


def program(rng: random.Random, tie: str = "") -> tuple[list[str], list[str]]:
    """(lines, names that are returned)."""
    growing, wanted = Growing(rng, tie), rng.randint(*LIKE[0].length)
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
