#!/usr/bin/env python3
"""The time of ExecuTorch's own Verifier.verify_storage_reuse beside that of noclobber, on one plan in one run.

executorch_speed.py [TENSORS]: 4,000 by default, which takes the verifier a minute or more. The graph is a chain of
additions in out-variants, each at the lowest free place. Exit 1 if noclobber takes more than a thousandth. `make bench-executorch`.
"""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import types
import warnings

warnings.filterwarnings("ignore")

import torch
from executorch.exir import memory
from executorch.exir.memory_planning import Verifier
from executorch.exir.tensor import TensorSpec

import noclobber.executorch as nc
from noclobber import program

SHARE = 1 / 1000
RUNS = 5


def planned(count: int) -> torch.fx.GraphModule:
    """Each tensor is the sum of the one before it and of one a little earlier, so that several live at once."""
    graph, example = torch.fx.Graph(), torch.zeros(16)

    def described(node: torch.fx.Node, spec: TensorSpec) -> torch.fx.Node:
        node.meta.update(val=example, spec=spec)
        return node

    values = [described(graph.placeholder("x"), TensorSpec.from_tensor(example))]
    specs = [values[0].meta["spec"]]
    for k in range(1, count):
        spec = TensorSpec.from_tensor(example)
        place = described(graph.call_function(memory.alloc, (((16,), torch.float32),)), spec)
        values.append(described(graph.call_function(
            torch.ops.aten.add.out, (values[-1], values[max(0, k - 1 - k % 7)]), {"out": place}), spec))
        specs.append(spec)
    graph.output((values[-1],))
    last = list(range(count))
    for k in range(1, count):
        last[k - 1] = last[max(0, k - 1 - k % 7)] = k
    last[-1] = count
    for k, spec in enumerate(specs):
        spec.lifetime, spec.mem_id = [k, last[k]], 1
    place_all(specs)
    module = torch.fx.GraphModule(torch.nn.Module(), graph)
    module.meta["non_const_buffer_sizes"] = [0, max(s.mem_offset + s.allocated_memory for s in specs)]
    return module


def place_all(specs: list[TensorSpec]) -> None:
    """The lowest bytes that are free from the first to the last step of each."""
    alive: list[TensorSpec] = []
    for k, spec in enumerate(specs):
        alive = [s for s in alive if s.lifetime[1] >= k]
        taken = {s.mem_offset for s in alive}
        spec.mem_obj_id = spec.mem_offset = next(o for o in range(0, 1 << 30, 64) if o not in taken)
        spec.mem_obj_id //= 64
        alive.append(spec)


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    module = planned(count)
    spec = types.SimpleNamespace
    signature = spec(input_specs=[spec(kind=spec(name="USER_INPUT"), target=None)],
                     output_specs=[spec(kind=spec(name="USER_OUTPUT"), target=None)])
    exported = nc.export_written_back(module, signature, planned=True)
    content = nc.case("chain", exported, plan=nc.plan_of(module, exported))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "plan.case.json"
        path.write_text(json.dumps(content))
        (record,) = program.check(path)
        seconds = min(processor_time([program.binary(), "check", str(path)]) for _ in range(RUNS))
    begin = time.process_time()
    Verifier(module, True, True, True).verify_storage_reuse()
    theirs = time.process_time() - begin
    print(f"plan of {count} tensors: {record['status']}; verify_storage_reuse {theirs:.1f} s, noclobber {seconds:.4f} s, "
          f"limit {SHARE:g} of it, ratio to the limit {seconds / theirs / SHARE:.2f}")
    return 0 if record["status"] == "proved" and seconds <= SHARE * theirs else 1


def processor_time(command: list[str]) -> float:
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(child.pid, 0)
    child.returncode = 0
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    sys.exit(main())
