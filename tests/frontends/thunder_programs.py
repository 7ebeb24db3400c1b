"""Programs for Thunder, each with a way of compiling it: correct ones and ones that it is known to get wrong.

What is wrong is found by running them, see thunder_test.py; names follow the list of faults in issue 7.
"""
from __future__ import annotations

import dataclasses
from collections.abc import Callable

import torch
import torch.nn.functional as F


@dataclasses.dataclass
class Program:
    function: Callable
    inputs: Callable[[], tuple]
    mode: str
    backward: bool = False


PROGRAMS: dict[str, Program] = {}


def program(name: str, inputs: Callable[[], tuple], *modes: str, backward: bool = False) -> Callable:
    """Registers the function below for each of the modes."""
    def register(function: Callable) -> Callable:
        for mode in modes or ("torch",):
            full = name if len(modes) < 2 else f"{name}/{mode}"
            PROGRAMS[full] = Program(function, inputs, mode, backward)
        return function
    return register


def squares(count: int = 2, size: int = 3) -> Callable[[], tuple]:
    return lambda: tuple(torch.randn(size, size) for _ in range(count))


def leaves(*shapes: tuple) -> Callable[[], tuple]:
    return lambda: tuple(torch.rand(*s).requires_grad_() for s in shapes)


def rows() -> tuple:
    table = torch.rand(2, 3)
    return table[0], table[1]


def halves() -> tuple:
    table = torch.rand(6)
    return table[0:4], table[2:6]


def bits() -> tuple:
    table = torch.rand(4) + 0.5
    return table, table.view(torch.int32)


def transposed() -> tuple:
    table = torch.rand(3, 3)
    return table, table.t()


FUSED = ("pointwise-dataflow", "pointwise-consecutive")
DATAFLOW = "pointwise-dataflow"
ALL = ("torch", "pointwise-dataflow", "all-consecutive")


@program("t1-chain", squares(), *ALL)
def t1_chain(a, b):
    c = b @ b @ b @ b @ b
    r = a * c
    a.sin_()
    return r, a


@program("t1-intermediate", squares(), *FUSED)
def t1_intermediate(a, b):
    t = a + 1
    c = b @ b @ b @ b @ b
    r = t * c
    t.exp_()
    return r, t


@program("t1-shipped", squares(), "all-dataflow", "all-consecutive")
def t1_shipped(a, b):
    c = a.exp() @ b
    r = a * c
    a.sin_()
    return r


@program("t3-view-of-result", lambda: (torch.rand(2, 3) + 0.5,), *ALL)
def t3_view_of_result(a):
    t = a.sin_()
    v = t.view(-1)
    v.tanh_()
    return a * 2


@program("t3-deep", squares(), *FUSED)
def t3_deep(a, b):
    t = a.sin_()
    v = t.view(-1)
    c = b @ b @ b @ b @ b
    a.mul_(c)
    return v * 2


@program("t4-dead", squares(), *FUSED)
def t4_dead(a, b):
    c = b @ b @ b @ b @ b
    c.sin_()
    return a + 1


@program("t4-dead-shallow", squares(1), *ALL)
def t4_dead_shallow(a):
    torch.neg(a).sin_()
    return a + 1


@program("t5-late", lambda: (torch.randn(4, 3), torch.zeros(3), torch.ones(3), torch.rand(3, 3)), DATAFLOW, "torch")
def t5_late(x, mean, var, b):
    c = x @ b @ b @ b
    y = F.batch_norm(c, mean, var, training=True)
    return y, mean * 2, var + 1


@program("t5-only", lambda: (torch.randn(4, 3), torch.zeros(3), torch.ones(3)), DATAFLOW)
def t5_only(x, mean, var):
    return F.batch_norm(x, mean, var, training=True)


@program("t6-dropout", squares(), *FUSED)
def t6_dropout(a, b):
    y = F.dropout(a, 0.5, training=False)
    c = b @ b @ b @ b @ b
    y.mul_(c)
    return a * 2


@program("t6-dropout-plain", squares(1), *ALL)
def t6_dropout_plain(a):
    y = F.dropout(a, 0.5, training=False)
    y.relu_()
    return a * 2


@program("t7-transposed", squares(), *FUSED)
def t7_transposed(a, b):
    y = a.mT
    c = b @ b @ b @ b @ b
    y.mul_(c)
    return a * 2


@program("t10-rows", rows, *ALL)
def t10_rows(y, z):
    y.add_(1)
    return z * 2


@program("t10-overlap", halves, *ALL)
def t10_overlap(x, y):
    x.mul_(10)
    return x + y


@program("t10-transposed", transposed)
def t10_transposed(x, y):
    x.add_(1)
    return y * 2


@program("t10-second", rows)
def t10_second(y, z):
    z.add_(100)
    return y.sum()


@program("t10-twin", lambda: (torch.rand(3), torch.rand(3)), *ALL)
def t10_twin(y, z):
    y.add_(1)
    return z * 2


@program("t11-bits", bits)
def t11_bits(x, y):
    x.add_(1)
    return y + 1


@program("t15-split", squares(), *FUSED)
def t15_split(a, b):
    t = b @ b
    u = t.split(2)[0]
    u.add_(1)
    return t


@program("t15-twin", squares(), *FUSED)
def t15_twin(a, b):
    t = b @ b
    u = t.split(2)[0]
    return u + 1


@program("t17-saved", leaves((3,)), backward=True)
def t17_saved(a):
    b = a * 2
    c = b * b
    b.add_(1)
    return c, b


@program("t17-sigmoid", leaves((4,)), backward=True)
def t17_sigmoid(a):
    s = torch.sigmoid(a)
    s.mul_(2)
    return s


@program("t17-twin", leaves((3,)), backward=True)
def t17_twin(a):
    b = a * 2
    c = b * b
    d = b + 1
    return c + d


@program("t18-forward", squares(1), *FUSED)
def t18_forward(a):
    b = a * 2
    c = b * b
    b.add_(1)
    s = b @ b
    return c + s


@program("t18-square", squares(), "all-consecutive", "all-dataflow", "pointwise-consecutive")
def t18_square(a, b):
    c = a * a
    a.add_(1)
    s = a @ b
    return c + s


@program("t18-twin", squares(), "all-consecutive", "pointwise-consecutive")
def t18_twin(a, b):
    c = a * a
    d = a + 1
    s = d @ b
    return c + s


@program("tanh-saved", leaves((4, 4)), DATAFLOW, backward=True)
def tanh_saved(a):
    b = a * 2
    b.tanh_()
    return b


@program("residual", leaves((3, 4), (4, 4)), DATAFLOW, backward=True)
def residual(x, w):
    h = x @ w
    h.tanh_()
    h.add_(x)
    return h


@program("functional", squares(), *ALL)
def functional(a, b):
    c = torch.tanh(a @ b) + a
    return c * c, c.sum(0)


@program("functional-backward", leaves((3, 3), (3, 3)), "torch", DATAFLOW, backward=True)
def functional_backward(a, b):
    return torch.tanh(a @ b) * a


@program("chained", squares(1), *ALL)
def chained(x):
    return x.add_(1).sin_().mul_(5)


@program("chunk", squares(1, 4), "torch", DATAFLOW)
def chunk(x):
    y, z = x.chunk(2, dim=0)
    y.relu_()
    return y + 1, z


@program("views-of-one", lambda: (torch.rand(2, 3),), "torch", DATAFLOW)
def views_of_one(x):
    a, b = x.view(-1), x.view(-1)
    x.add_(1)
    return a + 1, b + 1


@program("read-then-write", squares(), "torch", DATAFLOW)
def read_then_write(x, y):
    c, d = torch.exp(x), torch.tanh(y)
    e = c.view(-1)
    e += d.flatten()
    d.div_(x)
    return c, d, e


@program("setitem", squares(1, 4), "torch", DATAFLOW)
def setitem(x):
    x[:2] = 1.5
    return x * 2


@program("copy-to-input", squares(), "torch", DATAFLOW)
def copy_to_input(x, y):
    x.copy_(y * 2)
    return x + y


@program("cache", lambda: (torch.zeros(4, 3), torch.rand(2, 3), torch.rand(3, 3)), "torch", DATAFLOW)
def cache(k, x, w):
    k[1:3] = x @ w
    return k @ w


@program("momentum", squares(3), "torch", DATAFLOW)
def momentum(p, g, m):
    m.mul_(0.9).add_(g)
    p.sub_(m * 0.1)
    return p


@program("where", squares(), "torch", DATAFLOW)
def where(a, b):
    return torch.where(a > b, a, b).clamp(0.6, 1.2) + F.softmax(a, -1)


@program("sorted", squares(), "torch", DATAFLOW)
def sorted_(x, y):
    values, places = torch.sort(x, -1)
    return values, places, x.argsort(0), x.mul_(y)


@program("converted", squares(), "torch", DATAFLOW)
def converted(x, y):
    return x.double() * 2, y.half().float(), x.add_(y)


@program("convolved", lambda: (torch.rand(1, 2, 5, 5), torch.rand(3, 2, 3, 3)), "torch", DATAFLOW)
def convolved(x, w):
    return F.avg_pool2d(F.conv2d(x, w), 2).add_(1), x.mul_(2)


@program("merged_heads", leaves((2, 3, 4), (5, 8)), "torch", DATAFLOW, backward=True)
def merged_heads(x, w):
    return F.linear(x.transpose(0, 1).reshape(3, 8), w).sum()


@program("cross_entropy", lambda: (torch.randn(4, 3).requires_grad_(), torch.randn(5, 3).requires_grad_(),
                                   torch.tensor([0, 1, 2, 4])), "torch", DATAFLOW, backward=True)
def cross_entropy(x, w, t):
    return F.cross_entropy(F.linear(x, w).relu_(), t)


@program("log_softmax", leaves((3, 3), (3, 3)), "torch", DATAFLOW, backward=True)
def log_softmax(x, y):
    return (F.log_softmax(x * 2, -1) * y).sum() + torch.sign(x).sum()


@program("rows_by_list", squares(), "torch", DATAFLOW)
def rows_by_list(x, y):
    x[[0, 2]] = y[:2]
    x[1].add_(x[2] * 1)
    return x[[0, 2]], x.cpu() * 2
