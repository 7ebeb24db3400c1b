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
PREFIX = "V0521 11:50:42.931000 3054118 torch/_inductor/compile_fx.py:1194] "


def as_bits(value: torch.Tensor) -> torch.Tensor:
    """NaN of any payload is one NaN: which one an operator gives is not its meaning."""
    value = value.detach().contiguous()
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


class Seen:
    """What a caller sees of one run: or the error it ends in."""

    def __init__(self, graph, flavour: int):
        given = programs.inputs(flavour)
        try:
            out = graph(*given.values())
        except (RuntimeError, IndexError, TypeError, ValueError) as error:
            self.error, self.facts, self.sharing = str(error), None, set()
            return
        self.error = ""
        named = [(f"in {k}", v) for k, v in given.items()] + [(f"out {k}", v) for k, v in enumerate(out)]
        self.facts = [(n, str(v.dtype), tuple(v.shape), tuple(s for s, e in zip(v.stride(), v.shape, strict=True) if e > 1) if v.numel() else ())
                      for n, v in named]
        self.contents = [as_bits(v) for _, v in named]
        self.written = {k for k, v in given.items() if v._version > 0}
        self.sharing = shared(named)


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


def traced(text: str):
    scope: dict = {"torch": torch}
    exec(compile(text, "program.py", "exec"), scope)  # noqa: S102, made by judge_programs
    return scope["f"], make_fx(scope["f"], tracing_mode="fake")(*programs.inputs(0).values())


def fx_text(graph) -> str:
    return graph.print_readable(print_output=False, include_stride=True, include_device=True)


def log_record(head: dict, payload: str) -> str:
    head |= {"frame_id": 0, "frame_compile_id": 0, "attempt": 0, "has_payload": "0" * 32}
    return PREFIX + json.dumps(head) + "\n" + "".join(f"\t{line}\n" for line in payload.splitlines())


def write(form: str, folder: pathlib.Path, functions, graphs) -> list[str]:
    """The pair in that form: what follows `noclobber`."""
    if form == "log":
        first, second = (fx_text(g).replace("class f(", "class <lambda>(") for g in graphs)
        (folder / "pair.log").write_text(log_record({"artifact": {"name": "before_post_grad_graph", "encoding": "string"}}, first)
                                         + log_record({"inductor_post_grad_graph": {}}, second))
        return ["check", str(folder / "pair.log")]
    names = []
    for name, function, graph in zip("ab", functions, graphs, strict=True):
        path = folder / f"{name}.{'txt' if form == 'fx' else 'pt2'}"
        names.append(str(path))
        if form == "fx":
            path.write_text(fx_text(graph))
            continue

        class Module(torch.nn.Module):
            def forward(self, x, y, z, s, i, h, b, run=function):
                return run(x, y, z, s, i, h, b)

        torch.export.save(torch.export.export(Module(), tuple(programs.inputs(0).values()), strict=False), path)
    return ["compare", *names]


def pair_of(seed: int):
    """(the change, text before, text after), or None where the change cannot be made."""
    rng = random.Random(seed)
    lines, given = programs.program(rng)
    first = programs.text_of(lines, given)
    names = []
    wanted = rng.choice((1, 1, 1, 2))
    for _ in range(20):
        made = programs.changed(rng, lines, given) if lines and len(names) < wanted else None
        if made is not None:
            name, lines, given = made
            names.append(name)
    second = programs.text_of(lines, given)
    return (" ".join(names), first, second) if names and second != first else None


def judge(seed: int, form: str, keep: pathlib.Path) -> tuple[str, str, str]:
    """(outcome, change, detail) of one pair."""
    pair = pair_of(seed)
    if pair is None:
        return "no change", "", ""
    change, first, second = pair
    try:
        functions, graphs = zip(*(traced(text) for text in (first, second)), strict=True)
    except Exception as error:  # noqa: BLE001, whatever tracing raises for a changed program
        return "not traced", change, type(error).__name__
    folder = keep / f"{form}-{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        command = write(form, folder, functions, graphs)
    except Exception as error:  # noqa: BLE001
        return done(folder, "not written", change, type(error).__name__)
    (folder / "program.py").write_text(f"# seed {seed}: {change}\n{first}\n\n# changed\n{second}")
    ran = subprocess.run([program.binary(), *command, "--json"], capture_output=True, text=True, timeout=120)
    if ran.returncode not in (0, 1, 3):
        return "broken", change, f"exit {ran.returncode} {ran.stderr[-200:]}"
    seen = next(filter(None, (difference(Seen(graphs[0], n), Seen(graphs[1], n)) for n in FLAVOURS)), "")
    status = {0: "proved", 1: "refuted", 3: "unknown"}[ran.returncode]
    records = [json.loads(line) for line in ran.stdout.splitlines()]
    assumed = [a for r in records for a in r.get("assumptions", []) if a.startswith("constants of one name")]
    if status == "proved" and seen and assumed:  # text does not hold what they hold
        return done(folder, "proved, assumed constants", change, "")
    if status == "proved" and seen:
        (folder / "record.json").write_text(ran.stdout)
        return "MISS", change, f"{seen} {next((r['assumptions'] for r in records if r.get('assumptions')), [])}"
    if status == "refuted" and not seen:
        seen = next(filter(None, (difference(Seen(graphs[0], n), Seen(graphs[1], n)) for n in MORE_FLAVOURS)), "")
        if not seen:
            (folder / "record.json").write_text(ran.stdout)
            return "ALARM", change, "; ".join(sorted({f"{f['rule']} {f['message']}" for r in records for f in r.get("findings", [])}))
    why = ";".join(sorted({f"{u['reason']}:{','.join(u['names'])[:60]}" for r in records for u in r.get("unknown", [])}))
    return done(folder, f"{status}, {'differs' if seen else 'same'}", change, why if status == "unknown" else "")


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
    items = [(seed, forms[seed % len(forms)], options.keep) for seed in range(options.seed, options.seed + options.count)]
    counts, by_change, reasons = collections.Counter(), collections.defaultdict(collections.Counter), collections.Counter()
    with multiprocessing.Pool(options.jobs) as pool:
        for seed, form, (outcome, change, detail) in pool.imap_unordered(work, items, chunksize=4):
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
