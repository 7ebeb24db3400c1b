#!/usr/bin/env python3
"""Small models and functions through Inductor, every link checked: inductor_models.py [--only NAME]... [--cost]

Needs torch 2.15.0. Each is compiled for two training steps, or for inference, with every pass recorded and with PyTorch's
own log: of the passes that changed something at least 95 % must be proved, and nothing of either may be refuted, left out
or said to break a promise. With `--cost` the processor time of compiling (kernels are not compiled) is compared with what
recording and checking add to it: each model is compiled in turns with and without, and the medians are compared; since the
noise of that is as large, what the recorder itself takes is measured as well.
"""
from __future__ import annotations

import argparse
import collections
import contextlib
import pathlib
import resource
import statistics
import sys
import tempfile
import time
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
warnings.filterwarnings("ignore")

import inductor_run  # noqa: F401, makes PyTorch's log and turns caches off
import torch
from torch import nn
from torch.nn import functional as F

import noclobber.torch as nct
from noclobber import program as nc
from noclobber import recorder

FEWEST_PROVED = 0.95  # of passes that changed something, and of links
TURNS = 3  # compilations of each kind that are timed


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.inner = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1), nn.BatchNorm2d(channels), nn.ReLU(),
                                   nn.Conv2d(channels, channels, 3, padding=1), nn.BatchNorm2d(channels))

    def forward(self, x):
        return F.relu(x + self.inner(x))


class Attention(nn.Module):
    """Causal attention that keeps keys and values in buffers."""

    def __init__(self, width, heads, most):
        super().__init__()
        self.project, self.out, self.heads = nn.Linear(width, 3 * width), nn.Linear(width, width), heads
        self.register_buffer("keys", torch.zeros(1, heads, most, width // heads))
        self.register_buffer("values", torch.zeros(1, heads, most, width // heads))

    def forward(self, x, at):
        b, t, w = x.shape
        q, k, v = (p.view(b, t, self.heads, -1).transpose(1, 2) for p in self.project(x).split(w, -1))
        self.keys[:, :, at] = k
        self.values[:, :, at] = v
        return self.out(F.scaled_dot_product_attention(q, self.keys, self.values).transpose(1, 2).reshape(b, t, w))


class Rotary(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.project, self.out, self.heads = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width), heads

    def turned(self, x):
        half = x.shape[-1] // 2
        angle = torch.arange(x.shape[-2])[:, None] / 10000 ** (torch.arange(half) / half)
        one, two = x[..., :half], x[..., half:]
        return torch.cat((one * angle.cos() - two * angle.sin(), one * angle.sin() + two * angle.cos()), -1)

    def forward(self, x):
        b, t, w = x.shape
        q, k, v = (p.view(b, t, self.heads, -1).transpose(1, 2) for p in self.project(x).chunk(3, -1))
        q, k = self.turned(q), self.turned(k)
        weight = (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).masked_fill(torch.ones(t, t).triu(1).bool(), float("-inf"))
        return self.out((weight.softmax(-1) @ v).transpose(1, 2).reshape(b, t, w))


class Averaged(nn.Module):
    """A running average of what goes through."""

    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.register_buffer("mean", torch.zeros(width))

    def forward(self, x):
        y = self.linear(x)
        with torch.no_grad():
            self.mean.mul_(0.9).add_(y.mean(0), alpha=0.1)
        return y - self.mean.clone()


class Gated(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gate, self.up, self.down = (nn.Linear(width, width, bias=False) for _ in range(3))
        self.norm = nn.RMSNorm(width)

    def forward(self, x):
        y = self.norm(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Experts(nn.Module):
    def __init__(self, width, count):
        super().__init__()
        self.router, self.experts = nn.Linear(width, count), nn.Parameter(torch.randn(count, width, width) / width)

    def forward(self, x):
        weight, index = self.router(x).softmax(-1).topk(2, -1)
        return torch.einsum("nk,nkw->nw", weight, torch.einsum("nw,nkwv->nkv", x, self.experts[index]))


class Recurrent(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x):
        state = torch.zeros(x.shape[1], 8)
        state = (state, state) if isinstance(self.cell, nn.LSTMCell) else state
        for row in x:
            state = self.cell(row, state)
        return state[0] if isinstance(state, tuple) else state


def normal(*shape):
    return lambda: (torch.randn(*shape),)


def small_images():
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(72, 4))


def encoder(dropout=0.0):
    return nn.TransformerEncoderLayer(16, 2, 32, dropout=dropout, batch_first=True)


def residuals():
    return nn.Sequential(nn.Conv2d(3, 8, 3), Residual(8), Residual(8), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4))


# name -> (model, arguments, does it train)
MODELS = {
    "mlp": (lambda: nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4)), normal(5, 8), True),
    "mlp_gelu_norm": (lambda: nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 8)), normal(5, 8), True),
    "mlp_dropout": (lambda: nn.Sequential(nn.Linear(8, 32), nn.Dropout(0.5), nn.Linear(32, 4)), normal(5, 8), True),
    "cnn": (small_images, normal(2, 3, 8, 8), True),
    "cnn_inference": (lambda: small_images().eval(), normal(2, 3, 8, 8), False),
    "resnet": (residuals, normal(2, 3, 8, 8), True),
    "group_norm": (lambda: nn.Sequential(nn.Conv2d(4, 8, 3), nn.GroupNorm(2, 8), nn.SiLU(), nn.Conv2d(8, 4, 3)), normal(2, 4, 8, 8), True),
    "upsampling": (lambda: nn.Sequential(nn.Conv2d(3, 4, 3), nn.Upsample(scale_factor=2), nn.ConvTranspose2d(4, 3, 2, 2), nn.Tanh()),
                   normal(1, 3, 6, 6), True),
    "encoder": (encoder, normal(2, 5, 16), True),
    "encoder_dropout": (lambda: encoder(0.1), normal(2, 5, 16), True),
    "decoder": (lambda: nn.TransformerDecoderLayer(16, 2, 32, dropout=0.0, batch_first=True),
                lambda: (torch.randn(2, 5, 16), torch.randn(2, 7, 16)), True),
    "rotary": (lambda: nn.Sequential(Rotary(16, 2), Gated(16)), normal(2, 6, 16), True),
    "gated": (lambda: nn.Sequential(Gated(16), Gated(16)), normal(4, 16), True),
    "kv_cache": (lambda: Attention(16, 2, 9).eval(), lambda: (torch.randn(1, 2, 16), torch.tensor([3, 4])), False),
    "running_average": (lambda: Averaged(8), normal(5, 8), True),
    "lstm": (lambda: Recurrent(nn.LSTMCell(4, 8)), normal(3, 2, 4), True),
    "gru": (lambda: Recurrent(nn.GRUCell(4, 8)), normal(3, 2, 4), True),
    "embedding": (lambda: nn.Sequential(nn.Embedding(11, 8), nn.Linear(8, 11)), lambda: (torch.randint(0, 11, (3, 5)),), True),
    "experts": (lambda: Experts(8, 4), normal(6, 8), True),
    "autoencoder": (lambda: nn.Sequential(nn.Linear(12, 4), nn.Sigmoid(), nn.Linear(4, 12), nn.Unflatten(1, (3, 4)), nn.Softmax(-1)),
                    normal(5, 12), True),
}


def changed_rows(x):
    y = x.clone()
    y[0] = 1
    y[:, 1].mul_(2)
    return y * y.detach()


def grown(x):
    rows = [x]
    for _ in range(3):
        rows.append(rows[-1].sin() + rows[-1])
    return torch.cat(rows, 1)[:, 2:]


# Functions of a matrix that autograd differentiates.
FUNCTIONS = {
    "softmax": lambda x: x.softmax(-1) * x.log_softmax(0), "cross_entropy": lambda x: F.cross_entropy(x, torch.arange(4)),
    "cumulative": lambda x: x.cumsum(0) + x.abs().cumprod(1), "sorted": lambda x: x.sort(0)[0] * x.topk(2, 1)[0].sum(),
    "gathered": lambda x: x.gather(1, torch.tensor([[0], [1], [2], [3]])) + x[torch.tensor([1, 1, 0, 2])],
    "scattered": lambda x: torch.zeros(4, 5).scatter_add(1, torch.tensor([[0, 0, 1]] * 4), x[:, :3]),
    "rolled": lambda x: x.roll(1, 0) - x.flip(1), "unfolded": lambda x: x.unfold(0, 2, 1).sum(-1),
    "strided": lambda x: x.t()[1:].reshape(-1)[::2] * 3, "stacked": lambda x: torch.stack([x, x.sin()], 1).flatten(1),
    "chunks": lambda x: sum(c.exp() for c in x[:, :4].chunk(2, 1)), "where": lambda x: torch.where(x > 0, x, x.exp() - 1),
    "masked": lambda x: x.masked_fill(x < 0, 0.5).sum(0), "norm": lambda x: F.normalize(x, dim=1) * x.norm(),
    "var": lambda x: (x - x.mean(0)) / x.var(0).add(1e-5).sqrt(), "matmul": lambda x: x @ x.t() @ x,
    "einsum": lambda x: torch.einsum("ij,kj->ik", x, x * 2), "outer": lambda x: x[0][:, None] * x[1][None],
    "diagonal": lambda x: x.diagonal().exp().diag_embed(), "triangle": lambda x: x.tril() + x.triu(1),
    "padded": lambda x: F.pad(x, (1, 2), value=3.0).relu(), "pooled": lambda x: F.avg_pool1d(x[None], 2).squeeze(0),
    "clamped": lambda x: x.clamp(-1, 1).pow(2), "logsumexp": lambda x: x.logsumexp(1), "sigmoid": lambda x: F.silu(x) * F.mish(x),
    "smooth": lambda x: F.smooth_l1_loss(x, x.detach() * 0.5), "halves": lambda x: x.half().float() * 2,
    "doubles": lambda x: x.double().sum(0).float(), "repeated": lambda x: x.repeat(2, 1).view(2, 4, 5).mean(0),
    "maximum": lambda x: torch.maximum(x, x.flip(0)), "amax": lambda x: x / x.amax(1, keepdim=True),
    "bias": lambda x: F.linear(x, torch.ones(3, 5), torch.ones(3)).tanh(), "dropped": lambda x: F.dropout(x, 0.3),
    "noisy": lambda x: x + torch.randn_like(x) * 0.1, "prelu": lambda x: F.leaky_relu(x, 0.1) - F.elu(x),
    "indexed": lambda x: x.index_add(0, torch.tensor([0, 2]), x[:2]), "swapped": lambda x: torch.cat((x[:, 2:], x[:, :2]), 1),
    "selected": lambda x: x.index_select(1, torch.tensor([4, 0])).prod(1), "changed_rows": changed_rows, "grown": grown,
}


def momentum(parameters, buffers):
    """A step of SGD with momentum, in place, over lists."""
    torch._foreach_mul_(buffers, 0.9)
    torch._foreach_add_(buffers, [p.grad for p in parameters])
    torch._foreach_add_(parameters, buffers, alpha=-0.1)


def adam(parameters, firsts, seconds, step):
    """A step of Adam, in place."""
    step += 1
    for p, m, v in zip(parameters, firsts, seconds):
        m.lerp_(p.grad, 0.1)
        v.mul_(0.999).addcmul_(p.grad, p.grad, value=0.001)
        p.addcdiv_(m / (1 - 0.9 ** step), (v / (1 - 0.999 ** step)).sqrt().add_(1e-8), value=-0.01)


def given_steps():
    """Parameters with gradients, and as many tensors of each kind of state as an optimizer keeps."""
    parameters = [torch.randn(4, 3), torch.randn(5)]
    for p in parameters:
        p.grad = torch.randn_like(p)
    return parameters, [[torch.zeros_like(p) for p in parameters] for _ in range(2)]


def optimizers():
    parameters, (one, two) = given_steps()
    torch.compile(torch.no_grad()(momentum))(parameters, one)
    torch.compile(torch.no_grad()(adam))(parameters, one, two, torch.tensor(3.0))


def given_matrix():
    return (torch.randn(4, 5, requires_grad=True),)


def compiled(name):
    """Compiles the model: a forward, and two training steps where it trains."""
    torch.manual_seed(0)
    torch._dynamo.reset()
    if name == "optimizers":
        return optimizers()
    function = FUNCTIONS.get(name)
    make, arguments, trains = MODELS[name] if function is None else (lambda: function, given_matrix, True)
    model = make()
    step = torch.compile(model)
    for _ in range(2):
        with torch.set_grad_enabled(trains):
            out = step(*arguments())
        if trains:
            out.float().square().mean().backward()
    return None


def without_kernels():
    """Code is made and not compiled: what a kernel would compute stays as it is in memory."""
    from torch._inductor import async_compile

    def nothing(*_, **__):
        return lambda *_, **__: None

    for name in ("cpp_pybinding", "cpp"):
        setattr(async_compile.AsyncCompile, name, nothing)


def judged(name, folder):
    """How the passes that changed something were judged, how the links of the log, and how many passes changed nothing."""
    log = folder / "log"
    log.mkdir(parents=True)
    inductor_run._log_into(str(log))
    try:
        with nct.watch(folder / "nc", fresh=True) as watching:
            compiled(name)
    finally:
        inductor_run._log_into(tempfile.gettempdir())
    passes, links = watching.run(), nc.check(log)
    for record in passes + links:
        if record["status"] != "proved":
            print(f"    {record.get('stage') or record['id']}: {record['status']} {record.get('unknown') or record.get('findings')}"[:400])
    return (collections.Counter(r["status"] for r in passes), collections.Counter((r["link"], r["status"]) for r in links),
            watching.unchanged)


def spent():
    return sum(resource.getrusage(who).ru_utime + resource.getrusage(who).ru_stime
               for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


@contextlib.contextmanager
def timed_hooks():
    """Yields a list: its only item is the processor time that the recorder's hooks have taken."""
    taken, inside = [0.0], []

    def timed(method):
        def call(*args):
            if inside:
                return method(*args)
            inside.append(time.process_time())
            try:
                return method(*args)
            finally:
                taken[0] += time.process_time() - inside.pop()
        return call

    with recorder.replaced((nct.Recorder, name, timed) for name in ("begin", "end", "enter", "leave", "matched")):
        yield taken


def took(function):
    begin = time.process_time()
    function()
    return time.process_time() - begin


def cost(name, folder):
    """Processor seconds: all times of compiling alone, all of compiling while recorded, of the hooks in the latter, and of
    checking what was recorded."""
    def recorded():
        with nct.watch(folder, fresh=True) as watching:
            compiled(name)
        recorded.last = watching

    compiled(name)
    plain, watched, hooks = [], [], []
    for _ in range(TURNS):
        plain.append(took(lambda: compiled(name)))
        with timed_hooks() as taken:
            watched.append(took(recorded))
        hooks += taken
    begin = spent()
    recorded.last.run()
    return plain, watched, hooks, spent() - begin


def spread(times):
    return f"{statistics.median(times):.2f} s ({min(times):.2f} to {max(times):.2f})"


def all_costs(names, scratch) -> int:
    sums, shares = [0.0] * 4, []
    for name in names:
        plain, watched, hooks, checking = cost(name, scratch / name)
        print(f"  {name}: {spread(plain)}, recorded {spread(watched)}, hooks {spread(hooks)}, checked in {checking:.2f} s", flush=True)
        once = [*map(statistics.median, (plain, watched, hooks)), checking]
        sums = [s + o for s, o in zip(sums, once)]
        shares.append([100 * (once[1] / once[0] - 1), 100 * once[2] / once[0], 100 * checking / once[0]])
    alone, *more = sums
    total = [100 * (more[0] / alone - 1), 100 * more[1] / alone, 100 * more[2] / alone]
    print(f"models: compiling {alone:.1f} s")
    for what, all_, each in zip(("recording, by the difference", "recording, by its hooks", "checking"), total, zip(*shares)):
        print(f"models: {what}: {all_:+.1f} %; of one model {statistics.median(each):+.1f} % ({min(each):+.1f} to {max(each):+.1f})")
    return 0


def all_verdicts(names, scratch) -> int:
    passes, links, unchanged = collections.Counter(), collections.Counter(), 0
    for name in names:
        said, told, quiet = judged(name, scratch / name)
        passes, links, unchanged = passes + said, links + told, unchanged + quiet
        print(f"  {name}: passes {dict(said)}, {quiet} changed nothing; links {sum(told.values())}", flush=True)
    changed, linked = sum(passes.values()), sum(links.values())
    print(f"models: {len(names)} programs; of {changed} passes that changed something {dict(passes)}, {unchanged} changed nothing")
    print("models: links of the logs: " + ", ".join(f"{n} {link} {status}" for (link, status), n in sorted(links.items())))
    wrong = passes["refuted"] + sum(n for (_, status), n in links.items() if status == "refuted")
    proved = sum(n for (_, status), n in links.items() if status == "proved")
    return 1 if wrong or passes["proved"] < FEWEST_PROVED * changed or proved < FEWEST_PROVED * linked or not linked else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append")
    parser.add_argument("--cost", action="store_true", help="of the models alone")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    without_kernels()
    known = [*MODELS, "optimizers", *(() if options.cost else FUNCTIONS)]
    names = [n for n in known if not options.only or n in options.only]
    with tempfile.TemporaryDirectory() as scratch:
        return (all_costs if options.cost else all_verdicts)(names, options.keep or pathlib.Path(scratch))


if __name__ == "__main__":
    sys.exit(main())
