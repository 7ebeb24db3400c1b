"""Graphs that MLX's backend of ExecuTorch takes whole, as modules with inputs: tests/frontends/mlx_edits.py lowers them."""
import torch
import torch.nn.functional as F
from torch import nn

R = torch.randn


class Perceptron(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 16), nn.Linear(16, 4)

    def forward(self, x):
        return self.b(F.gelu(self.a(x)))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = [nn.Linear(8, 8) for _ in range(4)]

    def forward(self, x):
        n, t, c = x.shape
        q, k, v = [m(x).view(n, t, 2, 4).transpose(1, 2) for m in (self.q, self.k, self.v)]
        return self.o(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(n, t, c))


class Weighted(nn.Module):
    def forward(self, x, y):
        w = torch.softmax(x @ y.transpose(-1, -2) * 0.5, -1)
        return w @ y, w.sum(-1)


class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.n, self.g = nn.LayerNorm(8), nn.Parameter(R(8))

    def forward(self, x):
        return self.n(x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * self.g) + x


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.c, self.d, self.n = nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4)

    def forward(self, x):
        y = F.relu(self.n(self.c(x)))
        return F.adaptive_avg_pool2d(self.d(y) + y, 1).flatten(1)


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.u, self.g, self.d = nn.Linear(8, 16), nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x):
        return x + self.d(F.silu(self.g(x)) * self.u(x))


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.zeros(4))
        self.register_buffer("m", torch.ones(4))

    def forward(self, x):
        self.n.add_(x)
        self.m.mul_(self.n)
        return self.n + self.m, x - self.m


class Cache(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(1, 2, 8, 4))
        self.register_buffer("values", torch.zeros(1, 2, 8, 4))

    def forward(self, q, k, v):
        self.keys[:, :, 2:4] = k
        self.values[:, :, 2:4] = v
        return F.scaled_dot_product_attention(q, self.keys, self.values)


class Indexed(nn.Module):
    """A cache that is written where `at` says, and the rows of a mask that are there."""

    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(1, 2, 8, 4))
        self.register_buffer("rows", torch.zeros(8, 8))

    def forward(self, q, k, at):
        self.keys.index_copy_(2, at, k)
        return torch.softmax(q @ self.keys.transpose(-1, -2) + self.rows[at], -1) @ self.keys


class Embedded(nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.p, self.o = nn.Embedding(10, 8), nn.Parameter(R(5, 8)), nn.Linear(8, 10, bias=False)

    def forward(self, at):
        return self.o(torch.tanh(self.e(at) + self.p))


class Parts(nn.Module):
    def forward(self, x, y):
        a, b, c = x.chunk(3, -1)
        return torch.cat([a * b, c - y, y], 0).permute(1, 0), torch.where(a > 0.5, b, c)


class Reductions(nn.Module):
    def forward(self, x):
        e = torch.exp(x - x.amax(-1, keepdim=True))
        return e / e.sum(-1, keepdim=True), x.var(-1), x.mean(0)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.w, self.u = nn.Linear(4, 12), nn.Linear(4, 12)

    def forward(self, x, h):
        (ar, az, an), (br, bz, bn) = self.w(x).split(4, -1), self.u(h).split(4, -1)
        r, z = torch.sigmoid(ar + br), torch.sigmoid(az + bz)
        return (1 - z) * torch.tanh(an + r * bn) + z * h


class Scaled(nn.Module):
    def forward(self, x, y):
        return torch.sub(torch.add(x, y, alpha=2), 1.5 - x, alpha=0.5).clamp(-1, 2) ** 2


class Rotary(nn.Module):
    def forward(self, x, c, s):
        a, b = x[..., :4], x[..., 4:]
        return torch.cat([a * c - b * s, a * s + b * c], -1)


class Pooled(nn.Module):
    def forward(self, x):
        return F.max_pool2d(x, 3, 2, 1), F.avg_pool2d(x.exp(), 2), F.max_pool2d(x.tanh(), 2, 1)


class Rolled(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = nn.RMSNorm(8, eps=1e-3)

    def forward(self, x):
        return torch.roll(self.n(x), (1, 2), (0, 1)) + x


class Padded(nn.Module):
    def forward(self, x, y):
        return F.pad(x, (1, 2), value=0.5) + y, torch.flip(y, [0]) * torch.full((7,), 2.0), F.leaky_relu(y, 0.1)


class Placed(nn.Module):
    def __init__(self):
        super().__init__()
        self.places, self.first = nn.Embedding(4, 8), nn.Parameter(R(1, 1, 8))

    def forward(self, x):
        return torch.cat([self.first.expand(x.shape[0], -1, -1), x + self.places(torch.arange(x.shape[1]))], 1)


class Grown(nn.Module):
    def __init__(self):
        super().__init__()
        self.G = nn.ConvTranspose2d(3, 2, 3, stride=2, padding=1, output_padding=1)

    def forward(self, x):
        return torch.relu(self.G(x))


GRAPHS = {
    "perceptron": (Perceptron, lambda: (R(2, 8),)), "attention": (Attention, lambda: (R(1, 3, 8),)),
    "weighted": (Weighted, lambda: (R(2, 3, 3), R(2, 3, 3))), "norms": (Norms, lambda: (R(3, 8),)),
    "convolutions": (Convolutions, lambda: (R(1, 3, 6, 6),)), "gated": (Gated, lambda: (R(2, 8),)),
    "counter": (Counter, lambda: (R(4),)), "cache": (Cache, lambda: (R(1, 2, 2, 4), R(1, 2, 2, 4), R(1, 2, 2, 4))),
    "indexed": (Indexed, lambda: (R(1, 2, 2, 4), R(1, 2, 2, 4), torch.randperm(8)[:2])),
    "embedded": (Embedded, lambda: (torch.randint(0, 10, (1, 5)),)), "parts": (Parts, lambda: (R(2, 9), R(2, 3))),
    "reductions": (Reductions, lambda: (R(3, 4),)), "recurrent": (Recurrent, lambda: (R(2, 4), R(2, 4))),
    "pooled": (Pooled, lambda: (R(1, 2, 6, 6),)), "padded": (Padded, lambda: (R(2, 4), R(2, 7))),
    "rolled": (Rolled, lambda: (R(3, 8),)), "placed": (Placed, lambda: (R(2, 3, 8),)), "grown": (Grown, lambda: (R(1, 3, 4, 4),)),
    "scaled": (Scaled, lambda: (R(3, 4), R(3, 4))), "rotary": (Rotary, lambda: (R(2, 3, 8), R(3, 4), R(3, 4))),
}
