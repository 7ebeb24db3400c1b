"""How a program of tools/judge_programs.py is written by PyTorch, run, and seen by its caller; for tools/judge.py.

Runs are on contents that tell operators apart which are nearly one (-0.0, NaN, integers beyond 2^32, halves). What is seen: results
to the bit, final contents of all arguments, dtypes, shapes, strides, which arguments are written, and which places share memory.
"""
from __future__ import annotations

import collections
import io

import judge_programs as programs
import torch
from torch.fx.experimental.proxy_tensor import make_fx

FLAVOURS = (0, 1, 2, 3, 5, 6, 7)
MORE_FLAVOURS = tuple(range(8, 60))  # for what is refuted and did not differ
SHARING = (0, 1)  # flavours in which who shares memory with whom is looked at


def as_bits(value: torch.Tensor, one_zero: bool = False) -> bytes:
    """NaN of any payload is one NaN: which one an operator gives is not its meaning. `one_zero`: so are -0 and 0."""
    value = value.detach().clone().contiguous()
    if value.is_floating_point():
        value = torch.where(value.isnan(), torch.full_like(value, float("nan")), value)
        if one_zero:
            value = torch.where(value == 0, torch.zeros_like(value), value)
    return value.reshape(-1).view(torch.uint8).numpy().tobytes() if value.numel() else b""


def addresses(value: torch.Tensor) -> list[int]:
    """Where each element begins, in row-major order."""
    at = torch.tensor(value.data_ptr(), dtype=torch.int64)
    for k, (size, stride) in enumerate(zip(value.shape, value.stride(), strict=True)):
        steps = torch.arange(size) * stride * value.element_size()
        at = at.unsqueeze(-1) + steps.view([1] * k + [size])
    return at.reshape(-1).tolist() if value.numel() else []


def shared(named: list[tuple[str, torch.Tensor]]) -> set:
    """Pairs of places of different tensors that share a byte."""
    storages, at = collections.defaultdict(list), collections.defaultdict(list)
    for name, value in named:
        storages[value.untyped_storage().data_ptr()].append((name, value))
    for name, value in (pair for group in storages.values() if len(group) > 1 for pair in group):
        for index, address in enumerate(addresses(value)):
            for byte in range(address, address + value.element_size()):
                at[byte].append((name, index))
    return {(a, b) for places in at.values() for a in places for b in places if a[0] < b[0]}


class Traced:
    """A graph of make_fx, run on arguments."""

    def __init__(self, graph, tie: str, keys: list[str]):
        self.graph, self.tie, self.keys = graph, tie, keys

    def given(self, flavour: int) -> dict[str, torch.Tensor]:
        return programs.inputs(flavour, self.tie)

    def run(self, given: dict[str, torch.Tensor]) -> list[torch.Tensor]:
        return [value for _, value in sorted(zip(self.keys, self.graph(*given.values()), strict=True), key=lambda pair: pair[0])]


class Exported:
    """A .pt2 as it is loaded: it holds its buffers, tied ones on one storage."""

    def __init__(self, written: bytes, tie: str):
        self.module, self.tie = torch.export.load(io.BytesIO(written)).module(), tie
        self.buffers = dict(self.module.named_buffers())
        self.lie = {name: (b.untyped_storage(), b.storage_offset(), b.size(), b.stride()) for name, b in self.buffers.items()}

    def given(self, flavour: int) -> dict[str, torch.Tensor]:
        given = programs.inputs(flavour, self.tie)
        for name in programs.BUFFERS:
            self.buffers[name].set_(*self.lie[name])  # a program may have transposed it in place
            self.buffers[name].copy_(given[name])
        return given | {name: self.buffers[name] for name in programs.BUFFERS}

    def run(self, given: dict[str, torch.Tensor]) -> list[torch.Tensor]:
        out = self.module(*(given[name] for name in programs.INPUTS if name not in programs.BUFFERS))
        return [value for _, value in sorted(out.items())]


class Seen:
    """What a caller sees of one run: or the error it ends in."""

    def __init__(self, program, flavour: int):
        given = program.given(flavour)
        versions = {k: v._version for k, v in given.items()}
        try:
            out = program.run(given)
        except (RuntimeError, IndexError, TypeError, ValueError) as error:
            self.error, self.facts, self.contents, self.contents_but_zeros, self.sharing = str(error), None, [], [], set()
            return
        self.error = ""
        named = [(f"in {k}", v) for k, v in given.items()] + [(f"out {k}", v) for k, v in enumerate(out)]
        promised = getattr(program, "promises_strides", True)
        strides = lambda v: tuple(s for s, e in zip(v.stride(), v.shape, strict=True) if e > 1) if promised and v.numel() else ()  # noqa: E731
        self.facts = [(n, str(v.dtype), tuple(v.shape), strides(v)) for n, v in named]
        self.contents = [as_bits(v) for _, v in named]
        self.contents_but_zeros = [as_bits(v, one_zero=True) for _, v in named]
        self.written = {k for k, v in given.items() if v._version > versions[k]}
        self.sharing = shared(named) if flavour in SHARING else set()


def difference(before: Seen, after: Seen, one_zero: bool = False) -> str:
    if before.error:
        return ""  # outside of the claim
    if after.error:
        return f"raises: {after.error[:80]}"
    for a, b in zip(before.facts, after.facts, strict=False):
        if a != b:
            return f"facts: {a} {b}"
    if len(before.facts) != len(after.facts):
        return "number of results"
    contents = [seen.contents_but_zeros if one_zero else seen.contents for seen in (before, after)]
    for fact, a, b in zip(before.facts, *contents, strict=True):
        if a != b:
            return f"contents of {fact[0]}"
    if stored := after.written - before.written:  # with the value that it holds: a caller may not allow any store
        return f"{min(stored)} is written"
    grown = after.sharing - before.sharing
    return f"sharing: {min(grown)}" if grown else ""


class Module(torch.nn.Module):
    """A function of PyTorch that holds two of its arguments, and names its results."""

    def __init__(self, function, tie: str, keys: list[str]):
        super().__init__()
        self.function, self.keys, given = function, keys, programs.inputs(0, tie)
        for name in programs.BUFFERS:
            self.register_buffer(name, given[name])

    def forward(self, x, y, z, s, i, h, b):
        return dict(zip(self.keys, self.function(x, y, z, s, i, h, b, self.m, self.n), strict=True))


def exported(module: Module) -> bytes:
    given = [v for k, v in programs.inputs(0).items() if k not in programs.BUFFERS]
    file = io.BytesIO()
    torch.export.save(torch.export.export(module, tuple(given), strict=False), file)
    return file.getvalue()


def traced(function, tie: str, keys: list[str]) -> tuple[bytes, Traced, tuple]:
    graph = make_fx(function, tracing_mode="fake")(*programs.inputs(0, tie).values())
    return graph.print_readable(print_output=False, include_stride=True, include_device=True).encode(), Traced(graph, tie, keys), ()


def as_module(function, tie: str, keys: list[str]) -> tuple[bytes, Exported | Traced, tuple]:
    """Buffers that are tied are so where the file is loaded."""
    written = exported(Module(function, tie, keys))
    return written, Exported(written, tie) if tie else traced(function, tie, keys)[1], ()


class Side:
    """A program as source, as its form writes it, and as it runs; runs are made once. `common`: what two of them must have in common."""

    def __init__(self, text: str, maker, tie: str, keys: list[str]):
        self.text, self.tie, self.keys, self.seen = text, tie, keys, {}
        scope: dict = {"torch": torch}
        exec(compile(text, "program.py", "exec"), scope)  # noqa: S102, made by judge_programs
        function = scope["f"]
        function(*programs.inputs(0, tie).values())  # most of what cannot be traced cannot be run
        self.written, self.program, self.common = maker(function, tie, keys)

    def see(self, flavour: int) -> Seen:
        if flavour not in self.seen:
            self.seen[flavour] = Seen(self.program, flavour)
        return self.seen[flavour]


def differs(before: Side, after: Side, flavours=FLAVOURS, one_zero: bool = False) -> str:
    return next(filter(None, (difference(before.see(n), after.see(n), one_zero) for n in flavours)), "")
