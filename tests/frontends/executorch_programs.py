"""Programs for ExecuTorch: correct ones and, by their names in the literature of issue 6, ones that it miscompiles.

Each is a module, the inputs of a few calls, and the configuration. Nothing here says what is wrong: that is found by
running both, see executorch_test.py.
"""
from __future__ import annotations

import dataclasses
from collections.abc import Callable

import torch
from torch import nn

RP = {"run_reinplace_pass": True}


@dataclasses.dataclass
class Program:
    """`calls` are argument tuples; `extra` are edge operators that reinplacing may also take."""

    module: Callable[[], nn.Module]
    calls: list[tuple]
    config: dict = dataclasses.field(default_factory=dict)
    extra: tuple[str, ...] = ()
    dynamic: object = None
    partitioners: tuple[Callable, ...] = ()  # classes; what they take becomes calls of delegates


def row(k: int = 1) -> torch.Tensor:
    return torch.tensor([k])


def table(start: float = 1.0, *shape: int) -> torch.Tensor:
    shape = shape or (3, 2)
    return torch.arange(start, start + torch.Size(shape).numel(), dtype=torch.float32).reshape(shape) / 4


def module(forward: Callable, **buffers: torch.Tensor) -> Callable[[], nn.Module]:
    """A class with these buffers and this forward."""
    class Made(nn.Module):
        def __init__(self):
            super().__init__()
            for name, value in buffers.items():
                self.register_buffer(name, value.clone())

    Made.forward = forward
    return Made


X, Y, W, I, V = table(1), table(-3), table(2), row(1), table(9, 1, 2)
NEGATIVE = table(-9)
STATE = torch.zeros(3, 2)
PROGRAMS: dict[str, Program] = {}


def varied(value: torch.Tensor, call: int) -> torch.Tensor:
    """The argument of a later call: other contents of the same kind, other rows."""
    if value.dtype == torch.bool:
        return value ^ (call % 2 == 1)
    if value.dtype == torch.int64 and value.dim() == 1:
        return (value + call) % 3
    generator = torch.Generator().manual_seed(value.numel() + 31 * call)
    step = torch.randint(-9, 9, value.shape, generator=generator)
    return (value + step / 4 if value.is_floating_point() else value + step.abs()).to(value.dtype)


def program(name: str, forward: Callable, *args, config: dict | None = None, extra: tuple[str, ...] = (),
            times: int = 3, dynamic: object = None, **buffers: torch.Tensor) -> None:
    calls = [tuple(varied(a, k) for a in args) for k in range(times)]
    PROGRAMS[name] = Program(module(forward, **buffers), calls, config or {}, extra, dynamic)


def put(t, i, v):
    return torch.ops.aten.index_put(t, [i], v)


# L1: the outputs of the graph are uses.
def l1a(self, x, i, v):
    t = x + 1
    return t, put(t, i, v)


def l1a_ok(self, x, i, v):
    t = x + 1
    return t * 2, put(t, i, v)


def l1b(self, i, v):
    t = self.s * 0.5 + 1
    self.s.copy_(t)
    return put(t, i, v)


def l1c(self, z, i, v):
    u = put(self.s, i, v)
    self.s.copy_(z * 2)
    return u * 1, u


def l1c_direct(self, z, i, v):
    u = put(self.s, i, v)
    self.s.copy_(z)
    return u


# L2: a use of an in-place result keeps its storage alive.
def l2(self, x, y, i, v):
    t = x * 2
    u = put(t, i, v)
    p = y * y
    q = p + y
    return u, q


def l2_used(self, x, y, i, v):
    t = x * 2
    u = put(t, i, v)
    p = y * y
    q = p + y
    return u + q


def l2_ok(self, x, y, i, v):
    t = x * 2
    u = put(t, i, v)
    return u + y


# L3: a view that was a copy becomes an alias.
def l3a(self, x, i, v):
    t = torch.exp(x)
    w = t.view(6)
    u = put(t, i, v)
    return u, w.sum()


def l3b(self, x, i, v):
    w = x.view(6)
    u = put(w, i, v)
    return u * 2, x + 1


def l3b_constant(self, x, i, v):
    return put(self.c.view(6), i, v) + x


def l3c(self, x, i, v):
    t = torch.exp(x)
    w = t.view(6)
    u = put(w, i, v)
    return u * 1, t + 1


def l3_ok(self, x, i, v):
    t = torch.exp(x)
    w = t.view(6)
    s = w.sum()
    u = put(t, i, v)
    return u * 1, s


# L4: a view of an updated state.
def l4(self, i, v):
    self.s.index_put_([i], v)
    return self.s.view(6) * 2


def l4_ok(self, i, v):
    self.s.index_put_([i], v)
    return self.s * 2


# L5: sharing by annotation does not count as a use.
def l5a(self, x, y, w):
    t = torch.exp(x)
    return torch.maximum(t, y) * torch.maximum(t, w)


def l5b(self, x, y, i, v):
    t, w = torch.exp(x), torch.exp(y)
    a = put(w, i, v)
    return a * torch.maximum(t, w)


def l5_ok(self, x, y, w):
    t = torch.exp(x)
    return torch.maximum(t, y) * w


# L8: what is written is also an argument.
def l8(self, x, i):
    t = torch.exp(x)
    return put(t, i, t) * 1


def l8_ok(self, x, i):
    t = torch.exp(x)
    return put(t, i, t * 1) * 1


# L10, N2: write-back.
def l10(self, x):
    y = self.b * 2 + self.a
    self.a.copy_(self.b)
    return y + x


def l10_counted(self, x):
    y = self.a * 1
    self.a.copy_(self.b)
    self.b.add_(x)
    return y


def l10_ok(self, x):
    self.a.copy_(self.b * 1)
    self.b.add_(x)
    return self.a + x


def l10_input(self, x, y):
    x.copy_(y)
    return x + 1


def n2(self, x):
    y = self.t + 1
    self.t.copy_(self.s.view(6))
    self.s.copy_(x)
    return y


def n2_ok(self, x):
    y = self.t + 1
    self.t.copy_(self.s.view(6) * 1)
    self.s.copy_(x)
    return y


def swap(self, x):
    t = self.a + x
    u = self.b * 2
    self.a.copy_(self.b)
    self.b.copy_(t)
    return u + t


def rotate(self, x):
    t = self.a * 1
    self.a.copy_(self.b + x)
    self.b.copy_(t)
    return self.a * x


# L11: positions of outputs.
def l11(self, x, i, v):
    self.a.index_put_([i], v)
    x.add_(1)
    return x * self.a


def l11_ok(self, x, i, v):
    self.a.index_put_([i], v)
    return x * self.a


# L12: operators that read neighbours.
def l12_mm(self, x, y):
    t = torch.exp(x)
    return torch.mm(t, y)


def l12_flip(self, x):
    return torch.flip(torch.exp(x), [0]) + 1


def l12_permute(self, x):
    return torch.exp(x).permute(1, 0).contiguous() + 1


# L14, N1: results of branches.
def l14(self, p, x):
    a = torch.cond(p, lambda t: torch.relu(t) * 2, lambda t: t - 1, (x,))
    b = torch.cond(p, lambda t: t + 3, lambda t: t * 5, (x,))
    return a + b, a


def l14_ok(self, p, x):
    a = torch.cond(p, lambda t: torch.relu(t) * 2, lambda t: t - 1, (x,))
    return a + x


def n1(self, p, x):
    return torch.cond(p, lambda t: t + 3, lambda t: t - 1, (x,)).view(6) * 2


for _name, _forward in {"l1a": l1a, "l1a-twin": l1a_ok}.items():
    program(_name, _forward, X, I, V, config=RP)
program("l1a-off", l1a, X, I, V)
program("l1b", l1b, I, V, config=RP, s=STATE)
program("l1b-off", l1b, I, V, s=STATE)
program("l1c", l1c_direct, X, I, V, config=RP, s=STATE)
program("l1c-computed", l1c, X, I, V, config=RP, s=STATE)
program("l1c-off", l1c_direct, X, I, V, s=STATE)
for _name, _forward in {"l2": l2, "l2-used": l2_used, "l2-twin": l2_ok}.items():
    program(_name, _forward, X, Y, I, V, config=RP)
program("l2-off", l2, X, Y, I, V)
program("l3a", l3a, X, I, V, config=RP)
program("l3a-off", l3a, X, I, V)
program("l3a-kept", l3a, X, I, V, config=RP | {"remove_view_copy": False})
program("l3b", l3b, X, I, table(9, 1), config=RP)
program("l3b-constant", l3b_constant, table(1, 6), I, table(9, 1), config=RP, c=table(5))
program("l3b-constant-twin", l3b_constant, table(1, 6), I, table(9, 1), c=table(5))
program("l3c", l3c, X, I, table(9, 1), config=RP)
program("l3-twin", l3_ok, X, I, V, config=RP)
program("l4", l4, I, V, config=RP, s=STATE)
program("l4-off", l4, I, V, s=STATE)
program("l4-twin", l4_ok, I, V, config=RP, s=STATE)
MAXIMUM, ADD = "aten.maximum.default", "aten.add.Tensor"
program("l5a", l5a, NEGATIVE, Y, W, extra=(MAXIMUM,))
program("l5a-off", l5a, X, Y, W)
program("l5b", l5b, X, Y, I, V, extra=(MAXIMUM,))
program("l5-twin", l5_ok, X, Y, W, extra=(MAXIMUM,))
program("l8", l8, X, torch.tensor([1, 0, 2]), config=RP)
program("l8-off", l8, X, torch.tensor([1, 0, 2]))
program("l8-twin", l8_ok, X, torch.tensor([1, 0, 2]), config=RP)
program("l10", l10, X, a=STATE, b=table(5))
program("l10-counted", l10_counted, X, a=STATE, b=STATE)
program("l10-twin", l10_ok, X, a=STATE, b=STATE)
program("l10-input", l10_input, X, Y)
program("n2", n2, X, s=STATE, t=torch.zeros(6))
program("n2-twin", n2_ok, X, s=STATE, t=torch.zeros(6))
program("swap", swap, X, a=STATE, b=STATE)
program("rotate", rotate, X, a=STATE, b=STATE)
program("l11", l11, X, I, V, config=RP, a=STATE)
program("l11-off", l11, X, I, V, a=STATE)
program("l11-twin", l11_ok, X, I, V, config=RP, a=STATE)
program("l12-mm", l12_mm, table(1, 2, 2), table(3, 2, 2), extra=("aten.mm.default",))
program("l12-flip", l12_flip, X, extra=("aten.flip.default",))
program("l12-permute", l12_permute, table(1, 2, 2), extra=("aten.permute_copy.default",))
program("l12-off", l12_mm, table(1, 2, 2), table(3, 2, 2))
program("l14", l14, torch.tensor(True), X)
program("l14-twin", l14_ok, torch.tensor(True), X)
program("n1", n1, torch.tensor(True), X)


# Correct programs of many kinds.
def kv_cache(self, x, i):
    self.k.index_put_([i], x)
    return torch.softmax(self.k @ x.transpose(0, 1), 0)


def chain(self, x, y):
    t = x + y
    for _ in range(6):
        t = torch.relu(t * y) + x
    return t


def precondition(self, x, i, v):
    return torch.ops.aten.index_put(torch.exp(x), [i], v, True) * 1


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.a, self.b, self.n = nn.Linear(4, 8), nn.Linear(8, 3), nn.LayerNorm(8)

    def forward(self, x):
        return torch.softmax(self.b(self.n(torch.relu(self.a(x)))), -1)


program("kv-cache", kv_cache, table(1, 1, 2), I, config=RP, k=STATE)
program("kv-cache-off", kv_cache, table(1, 1, 2), I, k=STATE)
program("chain", chain, X, Y)
program("chain-extra", chain, X, Y, extra=(ADD, "aten.mul.Tensor", "aten.relu.default"))
program("precondition-accumulate", precondition, X, I, V, config=RP)
program("precondition-off", precondition, X, I, V)
program("counter", lambda self, x: (self.n.add_(1), x * self.n)[1], X, config=RP, n=torch.zeros(1))
program("mutated-input", lambda self, x, y: (x.mul_(2), x + y)[1], X, Y)
program("views", lambda self, x: (x.view(6).view(2, 3) + 1).view(6).sum() + x, X)
program("split-cat", lambda self, x: torch.cat([t * 2 for t in x.split(1, 0)], 1), X)
program("map", lambda self, x, y: torch._higher_order_ops.map(lambda a, b: a * b + 1, x, y) * 2, X, table(1, 2))
program("dynamic", lambda self, x: torch.relu(x + 1).sum(0), X,
        dynamic={"x": {0: torch.export.Dim("n", min=2, max=8)}})
program("topk", lambda self, x: (torch.topk(x, 2)[0] + 1, torch.topk(x, 2)[1] * 2), table(1, 4))
PROGRAMS["small-model"] = Program(Small, [(table(1, 2, 4),)])
