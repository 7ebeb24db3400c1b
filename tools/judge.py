#!/usr/bin/env python3
"""PyTorch is the judge: random functions and changes of them, noclobber's verdict against running both. judge.py [--count N]

    judge.py --seed 0 --count 2000 --forms fx,log,pt2 --jobs 2 --keep build/judge

Each pair is traced by PyTorch itself (`make_fx`, `torch.export`), written in the form that PyTorch writes, and given to `noclobber`. Both
graphs are run on contents that tell operators apart which are nearly one (-0.0, NaN, integers beyond 2^32, halves): results to the bit,
final contents of all arguments, dtypes, shapes, strides, and which places share memory. A **miss** is proved and differs; an
**alarm** is refuted and differs nowhere, not on the contents of the witness either. Both are kept with their sources. The last line counts;
exit code 1 where there is a miss or an alarm, 2 where nothing was judged. Needs torch (`make judge` makes an environment).
"""
from __future__ import annotations

import argparse
import collections
import functools
import io
import json
import logging
import multiprocessing
import pathlib
import random
import re
import subprocess
import sys
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
sys.path.insert(0, str(ROOT / "python"))
warnings.filterwarnings("ignore")

import judge_programs as programs
import torch
from noclobber import program
from torch.fx.experimental.proxy_tensor import make_fx

FLAVOURS = (0, 1, 2, 3, 5, 6, 7)
MORE_FLAVOURS = tuple(range(8, 60))  # for what is refuted and did not differ
CHANGES = 8  # of one program, seeds one after the other
SHARING = (0, 1)  # flavours in which who shares memory with whom is looked at
PREFIX = "V0521 11:50:42.931000 3054118 torch/_inductor/compile_fx.py:1194] "


def as_bits(value: torch.Tensor) -> torch.Tensor:
    """NaN of any payload is one NaN: which one an operator gives is not its meaning."""
    value = value.detach().clone().contiguous()
    if value.is_floating_point():
        value = torch.where(value.isnan(), torch.full_like(value, float("nan")), value)
    return value.reshape(-1).view(torch.uint8) if value.numel() else value.reshape(-1)


def bytes_of(value: torch.Tensor) -> list[int]:
    """The address of each element, in row-major order."""
    at = torch.tensor(value.data_ptr(), dtype=torch.int64)
    for k, (size, stride) in enumerate(zip(value.shape, value.stride(), strict=True)):
        steps = torch.arange(size) * stride * value.element_size()
        at = at.unsqueeze(-1) + steps.view([1] * k + [size])
    return at.reshape(-1).tolist() if value.numel() else []


def shared(named: list[tuple[str, torch.Tensor]]) -> set:
    """Pairs of places of different tensors that share a byte."""
    at = collections.defaultdict(list)
    for name, value in named:
        for index, address in enumerate(bytes_of(value)):
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

    def given(self, flavour: int) -> dict[str, torch.Tensor]:
        given = programs.inputs(flavour, self.tie)
        for name in programs.BUFFERS:
            self.buffers[name].copy_(given[name])
        return given | {name: self.buffers[name] for name in programs.BUFFERS}

    def run(self, given: dict[str, torch.Tensor]) -> list[torch.Tensor]:
        out = self.module(*(given[name] for name in programs.INPUTS if name not in programs.BUFFERS))
        return [value for _, value in sorted(out.items())]


class Seen:
    """What a caller sees of one run: or the error it ends in."""

    def __init__(self, program: Traced | Exported, flavour: int):
        given = program.given(flavour)
        versions = {k: v._version for k, v in given.items()}
        try:
            out = program.run(given)
        except (RuntimeError, IndexError, TypeError, ValueError) as error:
            self.error, self.facts, self.sharing = str(error), None, set()
            return
        self.error = ""
        named = [(f"in {k}", v) for k, v in given.items()] + [(f"out {k}", v) for k, v in enumerate(out)]
        self.facts = [(n, str(v.dtype), tuple(v.shape), tuple(s for s, e in zip(v.stride(), v.shape, strict=True) if e > 1) if v.numel() else ())
                      for n, v in named]
        self.contents = [as_bits(v) for _, v in named]
        self.written = {k for k, v in given.items() if v._version > versions[k]}
        self.sharing = shared(named) if flavour in SHARING else set()


def difference(before: Seen, after: Seen) -> str:
    if before.error:
        return ""  # outside of the claim
    if after.error:
        return f"raises: {after.error[:80]}"
    for a, b in zip(before.facts, after.facts, strict=False):
        if a != b:
            return f"facts: {a} {b}"
    if len(before.facts) != len(after.facts):
        return "number of results"
    for fact, a, b in zip(before.facts, before.contents, after.contents, strict=True):
        if not torch.equal(a, b):
            return f"contents of {fact[0]}"
    if stored := after.written - before.written:  # with the value that it holds: a caller may not allow any store
        return f"{min(stored)} is written"
    grown = after.sharing - before.sharing
    return f"sharing: {min(grown)}" if grown else ""


def fx_text(graph) -> str:
    return graph.print_readable(print_output=False, include_stride=True, include_device=True)


def log_record(head: dict, payload: str) -> str:
    head |= {"frame_id": 0, "frame_compile_id": 0, "attempt": 0, "has_payload": "0" * 32}
    return PREFIX + json.dumps(head) + "\n" + "".join(f"\t{line}\n" for line in payload.splitlines())


class Module(torch.nn.Module):
    """A function of PyTorch that holds two of its arguments, and names its results."""

    def __init__(self, function, tie: str, keys: list[str]):
        super().__init__()
        self.function, self.keys, given = function, keys, programs.inputs(0, tie)
        for name in programs.BUFFERS:
            self.register_buffer(name, given[name])

    def forward(self, x, y, z, s, i, h, b):
        return dict(zip(self.keys, self.function(x, y, z, s, i, h, b, self.m, self.n), strict=True))


class Side:
    """A program as text, as PyTorch writes it, and as it runs; for the first of a pair all of that is made once."""

    def __init__(self, text: str, form: str, tie: str, keys: list[str]):
        self.text, self.form, self.tie, self.keys, self.seen = text, form, tie, keys, {}
        scope: dict = {"torch": torch}
        exec(compile(text, "program.py", "exec"), scope)  # noqa: S102, made by judge_programs
        function = scope["f"]
        function(*programs.inputs(0, tie).values())  # most of what cannot be traced cannot be run
        self.graph = make_fx(function, tracing_mode="fake")(*programs.inputs(0, tie).values())
        self.program: Traced | Exported = Traced(self.graph, tie, keys)
        if form == "pt2":
            self.written = exported(Module(function, tie, keys))
            self.program = Exported(self.written, tie) if tie else self.program
        else:
            self.written = fx_text(self.graph).encode()

    def see(self, flavour: int) -> Seen:
        if flavour not in self.seen:
            self.seen[flavour] = Seen(self.program, flavour)
        return self.seen[flavour]


def exported(module: Module) -> bytes:
    given = [v for k, v in programs.inputs(0).items() if k not in programs.BUFFERS]
    file = io.BytesIO()
    torch.export.save(torch.export.export(module, tuple(given), strict=False), file)
    return file.getvalue()


def write(folder: pathlib.Path, sides: tuple[Side, Side]) -> list[str]:
    """The pair in its form: what follows `noclobber`."""
    folder.mkdir(parents=True, exist_ok=True)
    form = sides[0].form
    if form == "log":
        first, second = (side.written.decode().replace("class f(", "class <lambda>(") for side in sides)
        (folder / "pair.log").write_text(log_record({"artifact": {"name": "before_post_grad_graph", "encoding": "string"}}, first)
                                         + log_record({"inductor_post_grad_graph": {}}, second))
        return ["check", str(folder / "pair.log")]
    paths = [folder / f"{name}.{'txt' if form == 'fx' else 'pt2'}" for name in "ab"]
    for path, side in zip(paths, sides, strict=True):
        path.write_bytes(side.written)
    return ["compare", *map(str, paths)]


@functools.lru_cache(maxsize=1)
def first_of(number: int, form: str) -> tuple[list[str], list[str], Side] | None:
    """A program that changes are made of: lines, what is returned, all else; nothing where PyTorch does not take it."""
    rng = random.Random(number)
    tie = rng.choice(programs.TIES) if form == "pt2" else ""
    lines, given = programs.program(rng, tie)
    try:
        return lines, given, Side(programs.text_of(lines, given), form, tie, [f"k{k}" for k in range(len(given))])
    except Exception:  # noqa: BLE001, whatever PyTorch raises
        return None


def changed(seed: int, lines: list[str], given: list[str], form: str) -> tuple[str, str, list[str]] | None:
    """(changes, text, what results are called); nothing where the program is as it was."""
    rng, names, keys = random.Random(seed), [], [f"k{k}" for k in range(len(given))]
    first, wanted = programs.text_of(lines, given), rng.choice((1, 1, 1, 2))
    for _ in range(20):
        made = programs.changed(rng, lines, given) if lines and len(names) < wanted else None
        if made is None:
            continue
        name, lines, given = made
        names.append(name)
        moved = re.match(r"results_exchanged (\d+) (\d+)", name)
        if moved and form == "pt2" and rng.random() < 0.5:
            a, b = int(moved[1]), int(moved[2])
            keys[a], keys[b] = keys[b], keys[a]
    text = programs.text_of(lines, given)
    return (" ".join(names), text, keys) if names and text != first else None


def judge(seed: int, form: str, keep: pathlib.Path) -> tuple[str, str, str]:
    """(outcome, change, detail) of one pair."""
    first = first_of(seed // CHANGES, form)
    made = changed(seed, *first[:2], form) if first else None
    if made is None:
        return "no change" if first else "not traced", "", ""
    change, text, keys = made
    try:
        sides = first[2], Side(text, form, first[2].tie, keys)
    except Exception as error:  # noqa: BLE001, whatever PyTorch raises for a changed program
        return "not traced", change, type(error).__name__
    folder = keep / f"{form}-{seed}"
    command = write(folder, sides)
    (folder / "program.py").write_text(f"# seed {seed}: {change}; buffers {sides[0].tie or 'apart'}, results {keys}\n{sides[0].text}\n\n"
                                       f"# changed\n{text}")
    ran = subprocess.run([program.binary(), *command, "--json"], capture_output=True, text=True, timeout=120)
    if ran.returncode not in (0, 1, 3):
        return "broken", change, f"exit {ran.returncode} {ran.stderr[-200:]}"
    outcome = weighed(ran, sides, change)
    if outcome[0] in ("MISS", "ALARM"):
        (folder / "record.json").write_text(ran.stdout)
        return outcome
    return done(folder, *outcome)


def differs(sides: tuple[Side, Side], flavours) -> str:
    return next(filter(None, (difference(sides[0].see(n), sides[1].see(n)) for n in flavours)), "")


def weighed(ran: subprocess.CompletedProcess, sides: tuple[Side, Side], change: str) -> tuple[str, str, str]:
    """What noclobber says against what running both shows."""
    seen = differs(sides, FLAVOURS)
    status = {0: "proved", 1: "refuted", 3: "unknown"}[ran.returncode]
    records = [json.loads(line) for line in ran.stdout.splitlines()]
    assumed = [a for r in records for a in r.get("assumptions", []) if a.startswith("constants ")]
    if status == "proved" and seen:  # text does not hold what constants hold
        rests = next((r["assumptions"] for r in records if r.get("assumptions")), [])
        return ("proved, assumed constants", change, "") if assumed else ("MISS", change, f"{seen} {rests}")
    if status == "refuted" and not seen and not differs(sides, MORE_FLAVOURS):
        found = "; ".join(sorted({f"{f['rule']} {f['message']}" for r in records for f in r.get("findings", [])}))
        return ("refuted, assumed constants", change, "") if assumed else ("ALARM", change, found)
    why = ";".join(sorted({f"{u['reason']}:{','.join(u['names'])[:60]}" for r in records for u in r.get("unknown", [])}))
    same = not seen and status != "refuted"
    return f"{status}, {'same' if same else 'differs'}", change, why if status == "unknown" else ""


def done(folder: pathlib.Path, *outcome: str) -> tuple[str, str, str]:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    return outcome


def work(item) -> tuple[int, str, tuple[str, str, str]]:
    seed, form, keep = item
    torch.set_num_threads(1)
    logging.disable()  # what tracing says of programs that it refuses
    return seed, form, judge(seed, form, keep)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--forms", default="fx,fx,fx,log,pt2", help="one after the other, by seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=pathlib.Path, default=ROOT / "build" / "judge")
    options = parser.parse_args()
    forms = options.forms.split(",")
    items = [(seed, forms[seed // CHANGES % len(forms)], options.keep) for seed in range(options.seed, options.seed + options.count)]
    counts, by_change, reasons = collections.Counter(), collections.defaultdict(collections.Counter), collections.Counter()
    with multiprocessing.Pool(options.jobs) as pool:
        for seed, form, (outcome, change, detail) in pool.imap_unordered(work, items, chunksize=CHANGES):
            counts[outcome] += 1
            by_change[re.sub(r"\s.*", "", change)][outcome] += 1
            if outcome in ("MISS", "ALARM", "broken"):
                print(f"{outcome} {form}-{seed} ({change}): {detail}", flush=True)
            if outcome.startswith("unknown"):
                reasons[re.sub(r"\d+", "N", detail)[:100]] += 1
            if sum(counts.values()) % 500 == 0:
                print(f"judge: {sum(counts.values())}/{len(items)} {dict(counts)}", file=sys.stderr, flush=True)
    for change, row in sorted(by_change.items()):
        print(change or "-", dict(row))
    for reason, number in reasons.most_common(12):
        print(f"unknown {number} {reason}")
    judged = sum(n for outcome, n in counts.items() if ", " in outcome) + counts["MISS"] + counts["ALARM"]
    print(f"{judged} judged, {counts['MISS']} misses, {counts['ALARM']} alarms, {counts['broken']} broken; {dict(counts)}")
    return 2 if not judged else int(counts["MISS"] + counts["ALARM"] + counts["broken"] > 0)


if __name__ == "__main__":
    sys.exit(main())
