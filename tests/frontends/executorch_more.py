"""More programs for executorch_test.py: the same kinds of faults with other operators, dtypes, dynamic sizes, control
flow, states and plans. Nothing here says what is wrong: that is found by running both."""
from __future__ import annotations

import torch
from torch.export import Dim

from executorch.exir.passes import MemoryPlanningPass
from executorch_programs import NEGATIVE, RP, STATE, V, W, X, Y, program, put, row, table

ROWS = {0: Dim("n", min=2, max=8)}
UNPLACED_IN = {"memory_planning_pass": MemoryPlanningPass(alloc_graph_input=False)}
UNPLACED_OUT = {"memory_planning_pass": MemoryPlanningPass(alloc_graph_output=False)}
UNPLACED = {"memory_planning_pass": MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False)}
ALIGNED = {"memory_planning_pass": MemoryPlanningPass(alignment=64)}


def whole(value: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return (value * 4).to(dtype)


# One operand, two takers: by annotation only.
for _name, _op, _args in [("minimum", torch.minimum, (X, Y, W)), ("where-gt", torch.gt, (X, Y, W)),
                          ("sub", torch.sub, (X, Y, W)), ("atan2", torch.atan2, (X, Y, W))]:
    def two_takers(self, x, y, w, op=_op):
        t = torch.exp(x)
        return op(t, y) * op(t, w)
    program(f"two-takers-{_name}", two_takers, *_args,
            extra=(f"aten.{ {'where-gt': 'gt.Tensor', 'sub': 'sub.Tensor'}.get(_name, _name + '.default') }",))


# What reads neighbours, and what does not.
def one_taker(op):
    def forward(self, x):
        return op(torch.exp(x)) + 1
    return forward


for _name, _op, _edge in [("cumsum", lambda t: torch.cumsum(t, 0), "aten.cumsum.default"),
                          ("softmax", lambda t: torch.softmax(t, -1), "aten._softmax.default"),
                          ("softmax-first", lambda t: torch.softmax(t, 0), "aten._softmax.default"),
                          ("log-softmax", lambda t: torch.log_softmax(t, -1), "aten._log_softmax.default"),
                          ("roll", lambda t: torch.roll(t, 1, 0), "aten.roll.default"),
                          ("tril", torch.tril, "aten.tril.default"),
                          ("transpose", lambda t: t.transpose(0, 1).contiguous(), "aten.transpose_copy.int"),
                          ("sigmoid", torch.sigmoid, "aten.sigmoid.default"),
                          ("clamp", lambda t: t.clamp(1, 9), "aten.clamp.default"),
                          ("gelu", torch.nn.functional.gelu, "aten.gelu.default"),
                          ("sort", lambda t: torch.sort(t, 0)[0], "aten.sort.default"),
                          ("amax", lambda t: t.amax(0, keepdim=True), "aten.amax.default"),
                          ("to-double", lambda t: t.to(torch.float64), "dim_order_ops._to_dim_order_copy.default"),
                          ("select", lambda t: t.index_select(0, torch.tensor([2, 0, 1])), "aten.index_select.default"),
                          ("logical-not", torch.logical_not, "aten.logical_not.default")]:
    program(f"one-taker-{_name}", one_taker(_op), table(1, 3, 3), extra=(_edge,))
    program(f"one-taker-{_name}-off", one_taker(_op), table(1, 3, 3))


def broadcast(self, x, y):
    t = torch.exp(x)
    return torch.maximum(t, y) + 1


program("broadcast-wide", broadcast, table(1, 1, 3), table(1, 3, 3), extra=("aten.maximum.default",))
program("broadcast-narrow", broadcast, table(1, 3, 3), table(1, 1, 3), extra=("aten.maximum.default",))


# Outputs, views and states in other dtypes.
def output_pair(self, x, i, v):
    t = x + x
    return t, put(t, i, v)


def freed(self, x, y, i, v):
    t = x * x
    u = put(t, i, v)
    p = y * y
    return u, p + y


def viewed(self, x, i, v):
    t = x + x
    w = t.view(-1)
    u = put(t, i, v)
    return u, w * w


def snapshot(self, i, v):
    old = self.s.view(-1)
    self.s.index_put_([i], v)
    return old * old


for _dtype in (torch.int32, torch.int64, torch.float64, torch.float16, torch.uint8):
    _tag = str(_dtype).removeprefix("torch.")
    program(f"output-pair-{_tag}", output_pair, whole(X, _dtype), row(1), whole(V, _dtype), config=RP)
    program(f"freed-{_tag}", freed, whole(X, _dtype), whole(W, _dtype), row(1), whole(V, _dtype), config=RP)
    program(f"viewed-{_tag}", viewed, whole(X, _dtype), row(1), whole(V, _dtype), config=RP)
    program(f"viewed-off-{_tag}", viewed, whole(X, _dtype), row(1), whole(V, _dtype))
    program(f"snapshot-{_tag}", snapshot, row(1), whole(V, _dtype), config=RP, s=whole(STATE, _dtype))
    program(f"snapshot-off-{_tag}", snapshot, row(1), whole(V, _dtype), s=whole(STATE, _dtype))


# Dynamic sizes.
def dynamic_pair(self, x, i, v):
    t = x * 2
    return t, put(t, i, v)


def dynamic_freed(self, x, y, i, v):
    t = x * 2
    u = put(t, i, v)
    p = y * y
    return u, p + y


def dynamic_view(self, x, i, v):
    t = torch.exp(x)
    w = t.view(-1)
    return put(t, i, v), w.sum()


def dynamic_cat(self, x, y):
    return torch.cat([x * 2, y], 0)[1:] + 1


for _name, _forward, _args in [("pair", dynamic_pair, (X, row(1), V)), ("freed", dynamic_freed, (X, Y, row(1), V)),
                               ("view", dynamic_view, (X, row(1), V))]:
    _shapes = {"x": ROWS, "y": ROWS, "i": None, "v": None}
    _used = {k: v for k, v in _shapes.items() if k != "y" or len(_args) == 4}
    program(f"dynamic-{_name}", _forward, *_args, config=RP, dynamic=_used)
    program(f"dynamic-{_name}-off", _forward, *_args, dynamic=_used)
program("dynamic-cat", dynamic_cat, X, Y, dynamic={"x": ROWS, "y": {0: Dim("m", min=2, max=8)}})
program("dynamic-mm", lambda self, x, y: torch.relu(x @ y) + 1, X, table(1, 2, 3), dynamic={"x": ROWS, "y": None})


# Control flow.
def cond_twice(self, p, x):
    a, b = torch.cond(p, lambda t: (t + 3, t * 2), lambda t: (t - 1, t * 5), (x,))
    c = torch.cond(p, lambda t: t * 3, lambda t: t * 4, (x,))
    return a + c, b + c


def cond_nested(self, p, q, x):
    def inner(t):
        return torch.cond(q, lambda u: u * 2, lambda u: u - 3, (t,))
    return torch.cond(p, lambda t: inner(t) + 1, lambda t: t * 5, (x,)) * 2


def cond_nested_twice(self, p, q, x):
    def inner(t):
        return torch.cond(q, lambda u: u * 2, lambda u: u - 3, (t,))
    a = torch.cond(p, lambda t: inner(t) + 1, lambda t: t * 5, (x,))
    b = torch.cond(p, lambda t: t + 3, lambda t: inner(t) * 5, (x,))
    return a + b, a


def cond_kept(self, p, x):
    a = torch.cond(p, lambda t: t.relu() + 1, lambda t: t * 2, (x,))
    y = a * a
    b = torch.cond(p, lambda t: t + 5, lambda t: t * 7, (y,))
    return b


def cond_output(self, p, x):
    return torch.cond(p, lambda t: t + 3, lambda t: t * 4, (x,)), x * 2


def cond_argument(self, p, x):
    return torch.cond(p, lambda t: t + 3, lambda t: t.sin(), (x * 2,)) + 1


def cond_view(self, p, x):
    a = torch.cond(p, lambda t: t + 3, lambda t: t - 1, (x,))
    return a.view(2, 3) * 2, a + 1


def mapped(self, x, y):
    return torch._higher_order_ops.map(lambda a, b: torch.exp(a) * b + 2, x, y) * 2


def mapped_twice(self, x, y):
    f = torch._higher_order_ops.map
    a = f(lambda t, b: t * b + 1, x, y)
    return f(lambda t, b: t + b, a, y) * a


def scanned(self, x):
    carry, all_ = torch._higher_order_ops.scan(lambda c, t: (c + t, c * t), x[0] * 0, x)
    return carry * 2, all_ + 1


def looped(self, x):
    n = torch.zeros((), dtype=torch.int64)
    _, y = torch._higher_order_ops.while_loop(lambda k, t: k < 3, lambda k, t: (k + 1, t * 2), (n, x))
    return y + 1


P, Q = torch.tensor(True), torch.tensor(False)
program("cond-twice", cond_twice, P, X)
program("cond-nested", cond_nested, P, Q, X)
program("cond-nested-twice", cond_nested_twice, P, Q, X)
program("cond-kept", cond_kept, P, X)
program("cond-output", cond_output, P, X)
program("cond-argument", cond_argument, P, X)
program("cond-view", cond_view, P, X)
program("cond-view-kept", cond_view, P, X, config={"remove_view_copy": False})
program("mapped", mapped, X, table(1, 2))
program("mapped-twice", mapped_twice, X, table(1, 2))
program("scanned", scanned, X)
program("looped", looped, X)


# States.
def three_ways(self, x):
    t = self.a + x
    self.a.copy_(self.b)
    self.b.copy_(self.c)
    self.c.copy_(t)
    return t * 2


def from_input(self, x):
    self.a.copy_(x)
    return self.a * 2


def returned(self, x):
    self.a.add_(x)
    return self.a


def returned_view(self, x):
    self.a.add_(x)
    return self.a.view(6)


def transposed(self, x):
    t = self.b.t().contiguous()
    y = self.a * 2
    self.a.copy_(t)
    self.b.add_(x.t().contiguous())
    return y + t


def sliced(self, x):
    self.a[1:].copy_(x[1:])
    return self.a + x


def cached(self, k, v, i):
    self.k.index_put_([i], k)
    self.v.index_put_([i], v)
    return torch.softmax(self.k @ k.transpose(0, 1), 0).transpose(0, 1) @ self.v


def cached_old(self, k, i):
    old = self.k * 1
    self.k.index_put_([i], k)
    return self.k - old


def cached_twice(self, k, i):
    self.k.index_put_([i], k)
    self.k.index_put_([i + 1], k * 2)
    return self.k.sum(0)


def same_source(self, x):
    t = x * 2
    self.a.copy_(t)
    self.b.copy_(t)
    return t


def state_of_state(self, x):
    y = self.b * 2
    self.b.copy_(self.a)
    self.a.add_(x)
    return self.b + y


A3 = {"a": STATE, "b": STATE, "c": STATE}
program("three-ways", three_ways, X, times=6, **A3)
program("from-input", from_input, X, a=STATE)
program("from-input-unplaced", from_input, X, a=STATE, config=UNPLACED_IN)
program("returned", returned, X, a=STATE)
program("returned-reinplaced", returned, X, a=STATE, config=RP)
program("returned-view", returned_view, X, a=STATE)
program("transposed", transposed, table(1, 3, 2), a=STATE, b=torch.zeros(2, 3))
program("sliced", sliced, X, a=STATE)
program("sliced-reinplaced", sliced, X, a=STATE, config=RP)
for _config, _tag in (({}, "off"), (RP, "on"), (RP | UNPLACED_OUT, "unplaced")):
    program(f"cached-{_tag}", cached, table(1, 1, 2), table(3, 1, 2), row(1), config=_config, k=STATE, v=STATE)
    program(f"cached-old-{_tag}", cached_old, table(1, 1, 2), row(1), config=_config, k=STATE)
    program(f"cached-twice-{_tag}", cached_twice, table(1, 1, 2), row(0), times=2, config=_config, k=torch.zeros(4, 2))
program("same-source", same_source, X, a=STATE, b=STATE)
program("state-of-state", state_of_state, X, a=STATE, b=STATE)


# Plans.
def branches(self, x, y):
    a, b, c = x + y, x * y, x - y
    d = a * b
    e = d + c
    return e * a, d


for _config, _tag in ((UNPLACED, "unplaced"), (UNPLACED_IN, "unplaced-in"), (UNPLACED_OUT, "unplaced-out"), (ALIGNED, "aligned")):
    program(f"branches-{_tag}", branches, X, Y, config=_config)
    program(f"output-pair-{_tag}", output_pair, X, row(1), V, config=RP | _config)
    program(f"freed-{_tag}", freed, X, Y, row(1), V, config=RP | _config)
program("same-twice", lambda self, x: (x + 1, x + 1), X)
program("passed-through", lambda self, x, y: (x, x + y), X, Y)
program("same-output-twice", lambda self, x: (lambda t: (t, t))(x + 1), X)
program("view-output", lambda self, x: (lambda t: (t, t.view(6)))(x + 1), X)
program("conv", lambda self, x: torch.relu(torch.conv2d(x, self.w)).mean((2, 3)), table(1, 1, 2, 4, 4), w=table(1, 2, 2, 3, 3))
program("negatives", lambda self, x: torch.abs(x).log() + torch.maximum(x, -x), NEGATIVE - 20)


# Numbers: returned, read out of tensors.
program("returned-size", lambda self, x: (x.shape[0] * 2, x + 1), X, dynamic={"x": ROWS})
program("returned-numbers", lambda self, x: (x + 1, 3, 2.5, True, None), X)
program("item", lambda self, x: x * x[0, 0].item() + x[1, 1].item(), X)
