#!/usr/bin/env python3
"""Thunder's own samples of every operator, compiled, and what noclobber says of the traces: thunder_opinfos.py [--only PATTERN] [--keep DIRECTORY]

Needs lightning-thunder 0.2.6 with what its tests import, and the package noclobber (`make thunder-opinfos` installs both). Forward: one
sample of an operator as it is called without gradients; backward: one whose floating inputs want gradients, with the backward run. A
sample that Thunder refuses, or that runs otherwise than the operator itself, is not counted: nothing is known of it. Where compiled results lie in
other arguments than the operator's own, what is said is printed. None of the rest may be refuted, and of them at least as many must be proved as are
written here.
"""
from __future__ import annotations

import argparse
import collections
import contextlib
import fnmatch
import io
import itertools
import pathlib
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")

import noclobber.thunder
import thunder
import torch
from noclobber import program as nc
from thunder.tests.opinfos import opinfos

LEAST = {"forward": 0.95, "backward": 0.90}
SHARED = "results lie in arguments where the operator's own do not, or the other way round"
SAMPLES = 4  # of an operator that are tried until one runs
DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64)  # likewise


def leaves(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from leaves(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from leaves(each)


def called(function, sample, backward):
    """The results and the gradients of what wants some, and which results lie in the storage of which argument."""
    result, arguments = list(leaves(function(*sample.args, **sample.kwargs))), list(leaves([sample.args, sample.kwargs]))
    shared = [(k, j) for k, r in enumerate(result) for j, a in enumerate(arguments) if r.untyped_storage().data_ptr() == a.untyped_storage().data_ptr()
              and r.numel()]
    seen = [t.detach().clone() for t in result]
    if backward:
        given, scalars = [t for t in arguments if t.requires_grad], [t.sum() for t in result if t.requires_grad]
        if not given or not scalars:
            raise ValueError("nothing to differentiate")
        seen += [g for g in torch.autograd.grad(sum(scalars), given, allow_unused=True) if g is not None]
    return seen, shared


def sample(info, dtype, number, backward):
    """Made anew each time; TypeError where there are not so many."""
    torch.manual_seed(0)
    return next(itertools.islice(info.sample_inputs(torch.device("cpu"), dtype, requires_grad=backward), number, None))


def compiled(info, backward, folder):
    """"" and the traces in `folder`, or why nothing is known."""
    why = ""
    for dtype, number in itertools.product(DTYPES[: 1 if backward else None], range(SAMPLES)):
        try:
            pair = [sample(info, dtype, number, backward) for _ in range(2)]
            want, apart = called(info.torch_reference or info.op, pair[0], backward)
            jfn = thunder.jit(info.op)
            with contextlib.redirect_stdout(io.StringIO()):
                got, together = called(jfn, pair[1], backward)
        except Exception as error:  # noqa: BLE001, whatever the compiler or the operator raises
            why = why or f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:120]}"
            continue
        near = len(got) == len(want) and all(g.shape == w.shape and torch.allclose(g.double(), w.double(), 1e-3, 1e-3, equal_nan=True)
                                             for g, w in zip(got, want) if not g.is_complex())
        if not near:
            why = why or "runs otherwise"
            continue
        noclobber.thunder.write(jfn, folder)
        return SHARED if together != apart else ""
    return why


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="*")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--ways", default="forward,backward")
    options = parser.parse_args()
    torch.set_num_threads(1)
    bad, under = [], []
    with tempfile.TemporaryDirectory() as scratch:
        for way in options.ways.split(","):
            folders, shared, left_out = {}, {}, collections.Counter()
            for info in opinfos:
                if not fnmatch.fnmatch(info.name, options.only):
                    continue
                folder = (options.keep or pathlib.Path(scratch)) / way / info.name
                folder.mkdir(parents=True, exist_ok=True)
                why = compiled(info, way == "backward", folder)
                if why == SHARED:
                    shared[info.name] = folder
                elif why:
                    left_out[why] += 1
                    print(f"none {way:8} {info.name:34} {why}", flush=True)
                else:
                    folders[info.name] = folder
            bad += judged(way, folders, shared, under)
            print(f"{way}: {sum(left_out.values())} left out, {left_out['runs otherwise']} of them run otherwise")
    print(*bad, sep="\n")
    return 1 if bad or under else 0


def judged(way, folders, shared, under):
    found = collections.defaultdict(list)
    for record in nc.all_records(["check", *map(str, [*folders.values(), *shared.values()])]):
        found[record.get("input")].append(record)
    proved, reasons, bad = 0, collections.Counter(), []
    for name, folder in folders.items():
        records = [r for r in found[str(folder)] if r["kind"] in ("check", "error")]
        states = {r.get("status", "unreadable") for r in records}
        if states == {"proved"}:
            proved += 1
            continue
        why = {f"{u['reason']}: {', '.join(u['names'])[:100]}" for r in records for u in r.get("unknown", [])}
        why |= {r["message"][:160] for r in records if r["kind"] == "error"}
        why |= {f"{f['rule']}: {f['message'][:100]}" for r in records for f in r.get("findings", []) if f["status"] == "refuted"}
        print(f"{'BAD ' if states & {'refuted', 'unreadable'} else 'open'} {way:8} {name:34} {'; '.join(sorted(why))[:400]}", flush=True)
        bad += [f"{name} {way}: {', '.join(sorted(states))}" ] if states & {"refuted", "unreadable"} else []
        reasons.update(u["reason"] for r in records for u in r.get("unknown", []))
    for name, folder in shared.items():
        rules = sorted({f["rule"] for r in found[str(folder)] for f in r.get("findings", []) if f["status"] == "refuted"})
        print(f"share {way:8} {name:34} {SHARED}: {', '.join(rules) or 'nothing is said of it'}", flush=True)
    share = proved / max(1, len(folders))
    print(f"{way}: {len(folders)} operators, {proved} proved ({share:.1%}, at least {LEAST[way]:.0%}); {dict(reasons)}")
    under += [way] if share < LEAST[way] else []
    return bad


if __name__ == "__main__":
    sys.exit(main())
