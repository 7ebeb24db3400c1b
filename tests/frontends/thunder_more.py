#!/usr/bin/env python3
"""A hundred further programs through Thunder, none of them in thunder_programs.py: thunder_more.py [--only PART]

Layers, losses, optimizers and states as functions, forward or with gradients, run beside eager execution; small networks under
`ddp` and `fsdp` of a process group that sends nothing (PyTorch's own "fake" backend), of which there is nothing to run against. What is right when
run, and what is distributed, must be refuted nowhere; what is wrong must be refuted, or is a wrong derivative of docs/found.
"""
from __future__ import annotations

import argparse
import collections
import pathlib
import sys
import tempfile
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
warnings.filterwarnings("ignore")

import thunder  # noqa: E402
import thunder_run  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

import noclobber  # noqa: E402
import noclobber.thunder  # noqa: E402

SEEDS = (1, 2)
WORLD = 2
MOST_UNKNOWN = 8
DERIVATIVES = ("squared",)  # wrong by docs/found/thunder-gradient-of-a-number-read-by-a-tensor.md, where no storage is at fault


def of(*shapes):
    return lambda: tuple(torch.randn(*s) for s in shapes)


def leaves(*shapes):
    return lambda: tuple((torch.rand(*s) + 0.1).requires_grad_() for s in shapes)


def attention(q, k, v):
    scores = (q @ k.transpose(-2, -1)) / q.shape[-1] ** 0.5
    return torch.softmax(scores, -1) @ v


def causal(q, k, v):
    keep = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()
    return torch.softmax((q @ k.transpose(-2, -1)).masked_fill(~keep, float("-inf")), -1) @ v


def heads(x, w):
    b, t, c = x.shape
    q, k, v = F.linear(x, w).split(c, 2)
    q, k, v = (p.view(b, t, 2, c // 2).transpose(1, 2) for p in (q, k, v))
    return attention(q, k, v).transpose(1, 2).reshape(b, t, c)


def rotary(x, angle):
    a, b = x.chunk(2, -1)
    return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1)


def rms(x, w):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w


def gru(x, h, wi, wh):
    r, z, n = F.linear(x, wi).chunk(3, 1)
    a, b, c = F.linear(h, wh).chunk(3, 1)
    r, z = torch.sigmoid(r + a), torch.sigmoid(z + b)
    return (1 - z) * torch.tanh(n + r * c) + z * h


def lstm(x, h, c, w, u):
    i, f, g, o = (F.linear(x, w) + F.linear(h, u)).chunk(4, 1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def adam(p, g, m, v):
    m.mul_(0.9).add_(g, alpha=0.1)
    v.mul_(0.99).add_(g * g, alpha=0.01)
    p.sub_(0.01 * m / (v.sqrt() + 1e-8))
    return p


def adagrad(p, g, s):
    s.add_(g * g)
    p.sub_(0.1 * g / (s.sqrt() + 1e-6))


def lion(p, g, m):
    step = torch.sign(m * 0.9 + g * 0.1)
    m.mul_(0.99).add_(g, alpha=0.01)
    p.sub_(step * 0.01)


def nesterov(p, g, m):
    m.mul_(0.9).add_(g)
    p.sub_((g + m * 0.9) * 0.1)


def clipped(g, h):
    norm = torch.sqrt((g * g).sum() + (h * h).sum())
    scale = torch.clamp(1.0 / (norm + 1e-6), max=1.0)
    g.mul_(scale)
    h.mul_(scale)
    return norm


def averaged(mean, x, n):
    mean.add_((x - mean) / (n + 1))
    return mean * 2


def running(mean, var, x):
    found, spread = x.mean(0), x.var(0)
    mean.mul_(0.9).add_(found * 0.1)
    var.mul_(0.9).add_(spread * 0.1)
    return (x - found) / (spread + 1e-5).sqrt()


def scan(x):
    state, out = x[0], []
    for k in range(1, 4):
        state = torch.tanh(state + x[k])
        out.append(state)
    return torch.stack(out)


def power(x, v):
    for _ in range(3):
        v = x @ v
        v = v / v.norm()
    return v


def counted(step, x):
    step.add_(1)
    return x / step


def swapped(a, b):
    kept = a.clone()
    a.copy_(b)
    b.copy_(kept)


def twice(a):
    a.add_(1)
    b = a * 2
    a.add_(1)
    return b + a


def mixed(x, lam):
    return lam * x + (1 - lam) * x.flip(0)


def moe(x, gate, a, b):
    share = torch.softmax(x @ gate, -1)
    return share[:, :1] * (x @ a) + share[:, 1:] * (x @ b)


def ssm(x, a, b):
    h = torch.zeros_like(x[:, 0])
    for t in range(3):
        h = h * a + x[:, t] * b
    return h


def focal(x, t):
    p = torch.sigmoid(x)
    return -(t * (1 - p) ** 2 * torch.log(p) + (1 - t) * p ** 2 * torch.log(1 - p)).mean()


def contrast(a, b):
    a, b = a / a.norm(dim=1, keepdim=True), b / b.norm(dim=1, keepdim=True)
    return F.cross_entropy(a @ b.t() / 0.1, torch.arange(a.shape[0]))


def dice(x, t):
    p = torch.sigmoid(x)
    return 1 - (2 * (p * t).sum() + 1) / (p.sum() + t.sum() + 1)


def patches(x):
    b, c, h, w = x.shape
    return x.reshape(b, c, h // 2, 2, w // 2, 2).permute(0, 2, 4, 1, 3, 5).reshape(b, -1, c * 4)


def shuffled(x):
    b, c, h, w = x.shape
    return x.view(b, 2, c // 2, h, w).transpose(1, 2).reshape(b, c, h, w)


SQ, ROW, IMAGE, SEQ = (4, 4), (4,), (1, 4, 4, 4), (2, 3, 4)
# name -> (function, arguments): run forward and, where the second letter is g, with gradients alone.
FORWARD = {
    "adam": (adam, lambda: (*of(SQ, SQ, SQ)(), torch.rand(SQ))), "adagrad": (adagrad, lambda: (*of(SQ, SQ)(), torch.rand(SQ))),
    "lion": (lion, of(SQ, SQ, SQ)), "nesterov": (nesterov, of(SQ, SQ, SQ)), "clipped": (clipped, of(SQ, ROW)),
    "averaged": (averaged, lambda: (*of(ROW, ROW)(), torch.tensor(3.0))),
    "running": (running, lambda: (torch.randn(4), torch.rand(4), torch.randn(8, 4))),
    "scan": (scan, of(SQ)), "power": (power, of(SQ, ROW)), "counted": (counted, lambda: (torch.tensor(1.0), torch.randn(4))),
    "swapped": (swapped, of(SQ, SQ)), "twice": (twice, of(SQ)), "mixed": (mixed, lambda: (torch.randn(4, 4), torch.rand(4, 1))),
    "patches": (patches, of(IMAGE)), "shuffled": (shuffled, of(IMAGE)), "causal": (causal, of(SEQ, SEQ, SEQ)),
    "embedding": (lambda w: F.embedding(torch.tensor([0, 2, 1]), w), of(SQ)),
    "one-hot": (lambda i: F.one_hot(i, 5), lambda: (torch.tensor([0, 3, 4]),)),
    "topk": (lambda x: torch.topk(x, 2)[0], of(SQ)), "argmax": (lambda x: x.argmax(-1), of(SQ)), "cumsum": (lambda x: x.cumsum(1), of(SQ)),
    "norms": (lambda x: (x.amax(0), x.mean(1), x.var(0), x.prod(1)), of(SQ)),
    "where": (lambda x, y: torch.where(x > y, x, y * 2), of(SQ, SQ)),
    "triangle": (lambda x: x.tril() + x.t().triu(1), of(SQ)), "outer": (lambda a, b: torch.outer(a, b), of(ROW, ROW)),
    "pool": (lambda x: F.max_pool2d(x, 2), of(IMAGE)), "mean-pool": (lambda x: F.avg_pool2d(x, 2), of(IMAGE)),
    "resized": (lambda x: F.interpolate(x, scale_factor=2.0), of(IMAGE)),
    "padded": (lambda x: F.pad(x, (1, 2)), of(SQ)), "stacked": (lambda a, b: torch.stack([a, b]).sum(0), of(SQ, SQ)),
    "gathered": (lambda x: x.gather(1, torch.tensor([[0, 1], [2, 0]])), of(SQ)),
    "halved": (lambda x: (x.half() * 2).float(), of(SQ)), "long": (lambda x: x.long() + 1, of(SQ)),
    "einsum": (lambda a, b: torch.einsum("ij,jk->ik", a, b), of(SQ, SQ)),
    "clamped": (lambda x: x.clamp(-1, 1).clamp_(0, 0.5), of(SQ)), "add-to-view": (lambda x: x.view(-1) + x.view(-1).flip(0), of(SQ)),
}
GRADIENTS = {
    "attention": (attention, leaves(SEQ, SEQ, SEQ)), "heads": (heads, leaves(SEQ, (12, 4))), "rotary": (rotary, leaves(SEQ, (3, 2))),
    "rms": (rms, leaves(SQ, ROW)),
    "gru": (gru, leaves((2, 4), (2, 4), (12, 4), (12, 4))), "lstm": (lstm, leaves((2, 4), (2, 4), (2, 4), (16, 4), (16, 4))),
    "moe": (moe, leaves(SQ, (4, 2), SQ, SQ)),
    "ssm": (ssm, leaves((2, 3, 4), ROW, ROW)), "focal": (focal, lambda: (torch.randn(4).requires_grad_(), torch.tensor([0.0, 1, 1, 0]))),
    "contrast": (contrast, leaves(SQ, SQ)), "dice": (dice, lambda: (torch.randn(4).requires_grad_(), torch.tensor([0.0, 1, 1, 0]))),
    "layer-norm": (lambda x, w, b: F.layer_norm(x, (4,), w, b), leaves(SQ, ROW, ROW)),
    "group-norm": (lambda x, w, b: F.group_norm(x, 2, w, b), leaves(IMAGE, ROW, ROW)),
    "conv": (lambda x, w: F.conv2d(x, w), leaves(IMAGE, (2, 4, 3, 3))),
    "conv-twice": (lambda x, w: F.relu(F.conv2d(F.relu(F.conv2d(x, w, padding=1)), w, padding=1)), leaves(IMAGE, (4, 4, 3, 3))),
    "mse": (lambda x, y: F.mse_loss(x, y), leaves(SQ, SQ)),
    "nll": (lambda x: F.nll_loss(F.log_softmax(x, 1), torch.tensor([0, 1, 2, 3])), leaves(SQ)),
    "swiglu": (lambda x, a, b: F.silu(x @ a) * (x @ b), leaves(SQ, SQ, SQ)), "gelu": (lambda x, a: F.gelu(x @ a), leaves(SQ, SQ)),
    "elu": (lambda x: F.elu(x) + F.selu(x), leaves(SQ)),
    "leaky": (lambda x: F.leaky_relu(x - 0.5), leaves(SQ)), "softplus": (lambda x: F.softplus(x).log(), leaves(SQ)),
    "highway": (lambda x, a, b: torch.sigmoid(x @ a) * torch.tanh(x @ b) + x, leaves(SQ, SQ, SQ)),
    "low-rank": (lambda x, w, a, b: x @ w + (x @ a) @ b, leaves(SQ, SQ, (4, 2), (2, 4))),
    "tied": (lambda x, w: (x @ w) @ w.t(), leaves(SQ, SQ)),
    "embedding-grad": (lambda w: F.embedding(torch.tensor([0, 2, 2]), w).sum(0), leaves(SQ)), "max": (lambda x: x.amax(1), leaves(SQ)),
    "broadcast": (lambda x, b: (x + b) * b, leaves(SQ, ROW)),
    "cat-grad": (lambda a, b: torch.cat([a, b * 2], 1).sin(), leaves(SQ, SQ)), "squared": (lambda x: (x * x).sum() * x, leaves(SQ)),
    "dropout-off": (lambda x: F.dropout(x * 2, 0.5, training=False), leaves(SQ)),
    "split-grad": (lambda x: [p * k for k, p in enumerate(x.split(2, 1))], leaves(SQ)),
    "rsqrt": (lambda x: torch.rsqrt(x) / (1 + torch.exp(-x)), leaves(SQ)),
    "distance": (lambda a, b: ((a[:, None] - b[None]) ** 2).sum(-1), leaves(SQ, SQ)),
    "permuted": (lambda x: x.permute(2, 0, 1).reshape(4, -1).tanh(), leaves(SEQ)),
    "index": (lambda x: x[torch.tensor([2, 0])] * x[1:3], leaves(SQ)),
    "bce": (lambda x: F.binary_cross_entropy_with_logits(x, torch.ones(4, 4)), leaves(SQ)),
    "smooth": (lambda x, y: F.smooth_l1_loss(x, y), leaves(SQ, SQ)),
}


class Block(nn.Module):
    def __init__(self, width=8, hidden=16):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Attention(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width, bias=False)

    def forward(self, x):
        return self.out(attention(*self.qkv(x).chunk(3, -1)))


class Tied(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.words, self.head = nn.Embedding(6, width), nn.Linear(width, 6, bias=False)
        self.head.weight = self.words.weight

    def forward(self, x):
        return self.head(torch.tanh(x @ self.words.weight.t()) @ self.words.weight)


NETWORKS = {
    "linear": lambda: nn.Linear(8, 8), "mlp": lambda: nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8)),
    "blocks": lambda: nn.Sequential(Block(), Block()), "attention": Attention, "tied": Tied,
    "gated": lambda: nn.Sequential(nn.Linear(8, 16), nn.SiLU(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 8)),
}


def distributed() -> dict:
    """name -> compiled network; each is called once, forward and backward."""
    from thunder.distributed import FSDPBucketingStrategy, FSDPType, ddp, fsdp

    ways = {"ddp": lambda m: ddp(m, broadcast_from=None), "ddp-unbucketed": lambda m: ddp(m, broadcast_from=None, bucket_size_in_mb=0),
            "fsdp-zero2": lambda m: fsdp(m, device=torch.device("cpu"), sharding_strategy=FSDPType.ZERO2, broadcast_from=None),
            "fsdp-zero3": lambda m: fsdp(m, device=torch.device("cpu"), sharding_strategy=FSDPType.ZERO3, broadcast_from=None),
            "fsdp-zero3-layers": lambda m: fsdp(m, device=torch.device("cpu"), sharding_strategy=FSDPType.ZERO3, broadcast_from=None, bucketing_strategy=FSDPBucketingStrategy.LAYER),
            }
    return {f"{way}/{net}": (make, wrap) for net, make in NETWORKS.items() for way, wrap in ways.items()}


def checked(folder: pathlib.Path) -> tuple[str, str]:
    """(worst status, what is not proved) of a folder of traces."""
    records = noclobber.program.check(folder)
    said = [f"{r['id']}: " + ", ".join(sorted({f["property"] for f in r["findings"] if f["status"] == "refuted"} | {u["reason"] for u in r.get("unknown", [])}))
            for r in records if r["status"] != "proved"]
    return noclobber.program.worst(records), "; ".join(said)


def alone(tally: collections.Counter, scratch: pathlib.Path) -> list[str]:
    bad = []
    for backward, table in ((False, FORWARD), (True, GRADIENTS)):
        for name, (function, inputs) in table.items():
            folder = scratch / name
            folder.mkdir()
            run = thunder_run.run(function, inputs, "torch", folder, 0, SEEDS, backward)
            status, why = ("", "") if run.crash else checked(folder)
            state = "crash" if run.crash else "wrong" if run.difference else "right"
            tally[state] += 1
            tally[f"{state}, {status}"] += not run.crash
            wrong = (state == "right" and status == "refuted") or (state == "wrong" and status == "proved" and name not in DERIVATIVES)
            bad += [f"{name}: {state} when run ({run.difference}), {status} ({why})"] * wrong
            print(f"{'BAD ' if wrong else 'ok  '} {name:22} {run.crash or run.difference or 'right'} {status} {why}", flush=True)
    return bad


def together(tally: collections.Counter, scratch: pathlib.Path) -> list[str]:
    from torch.testing._internal.distributed.fake_pg import FakeStore

    torch.distributed.init_process_group("fake", rank=0, world_size=WORLD, store=FakeStore())
    bad = []
    for name, (make, wrap) in distributed().items():
        torch.manual_seed(0)
        try:
            compiled = wrap(thunder.jit(make()))
            with noclobber.thunder.watch():
                result = compiled(torch.randn(4, 8, requires_grad=True))
                result.sum().backward()
            folder = noclobber.thunder.write(compiled, scratch / name.replace("/", "."))
        except Exception as error:  # noqa: BLE001, whatever the compiler raises
            tally["distributed crash"] += 1
            print(f"--   {name:30} {type(error).__name__}: {str(error)[:150]}", flush=True)
            continue
        status, why = checked(folder)
        texts = "\n".join(p.read_text() for p in folder.glob("*.txt"))
        sends = sum(w in texts for w in ("all_reduce", "all_gather", "reduce_scatter"))
        tally["distributed"] += 1
        tally[f"distributed, {status}"] += 1
        wrong = status == "refuted" or not sends
        bad += [f"{name}: {status} ({why}), {sends} kinds of collectives"] * wrong
        print(f"{'BAD ' if wrong else 'ok  '} {name:30} {status} {why}", flush=True)
    torch.distributed.destroy_process_group()
    return bad


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("alone", "distributed"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    tally, bad = collections.Counter(), []
    with tempfile.TemporaryDirectory(prefix="nc_") as scratch:
        if options.only != "distributed":
            bad += alone(tally, pathlib.Path(scratch))
        if options.only != "alone":
            bad += together(tally, pathlib.Path(scratch))
    print(*bad, sep="\n")
    print("thunder-more:", ", ".join(f"{n} {what}" for what, n in sorted(tally.items())), f"{len(bad)} complaints", sep=" ")
    unknown = sum(n for what, n in tally.items() if what.endswith("unknown"))
    return 1 if bad or tally["crash"] + tally["distributed crash"] > 5 or unknown > MOST_UNKNOWN else 0


if __name__ == "__main__":
    sys.exit(main())
