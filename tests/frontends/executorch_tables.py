#!/usr/bin/env python3
"""ExecuTorch's planners driven alone: executorch_tables.py [--count N] [TABLE.csv ...]

Tables of buffers, drawn ones and those that are given (`id,lower,upper,size`, half-open), as tensors with lifetimes; `greedy` and `naive` place
them, and every plan is checked. Exit code 1: a plan is refuted, or none was given. Needs executorch and the package noclobber.
"""
import argparse
import csv
import pathlib
import sys
import tempfile

import torch
from executorch.exir.memory_planning import greedy, naive
from executorch.exir.tensor import TensorSpec

import noclobber


def planned(planner, rows) -> dict:
    """Offsets by name of rows (name, lower, upper, size)."""
    module, specs = torch.fx.GraphModule(torch.nn.Module(), torch.fx.Graph()), {}
    for name, lower, upper, size in rows:
        spec = TensorSpec(torch.uint8, torch.Size([int(size)]))
        spec.lifetime = [int(lower), int(upper) - 1]  # both ends are steps at which it lives
        spec.realign(1)
        specs[name] = spec
    result = planner(1, list(specs.values()), module, None, 0)
    return {name: result.spec_dict[spec].mem_offset for name, spec in specs.items()}


def given(planner, path: pathlib.Path, folder: pathlib.Path) -> str:
    rows = [(r["id"], r["lower"], r["upper"], r["size"]) for r in csv.DictReader(path.open())]
    offsets = planned(planner, rows)
    out = folder / f"{path.stem}.{planner.__name__}.csv"
    with out.open("w") as file:
        file.write("id,lower,upper,size,offset\n" + "".join(",".join(map(str, (*row, offsets[row[0]]))) + "\n" for row in rows))
    records = noclobber.check(out)
    peak = max(offsets[name] + int(size) for name, _, _, size in rows)
    return f"{path.name}: {len(rows)} buffers, {planner.__name__} takes {peak} bytes, {noclobber.program.worst(records)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("tables", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    good, folder = True, pathlib.Path(tempfile.mkdtemp(prefix="noclobber-"))
    for planner in (greedy, naive):
        campaign = noclobber.fuzz_tables(lambda rows, planner=planner: planned(planner, rows), count=options.count, seed=options.seed, out=folder / planner.__name__)
        print(f"{planner.__name__}: {campaign}")
        good = good and not campaign.causes and campaign.proved > 0
        for path in options.tables:
            said = given(planner, path, folder)
            print(said)
            good = good and said.endswith(" proved")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
