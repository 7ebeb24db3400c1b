#!/usr/bin/env python3
"""Does ExecuTorch's runtime read all of an operand before a result that lies on it is written? executorch_order.py

Needs executorch 1.5.1 and two cores (`make executorch-order` installs it). The result of `eq`, one byte an element, is put on its operand, four bytes
an element. One thread goes through the elements from the first to the last, which is right by luck; portable kernels give their
elements to several threads where there are more than 32,768 of them, and then it is wrong. So a plan that shares such bytes is refuted at any size.
Exit code 1: no run of the large ones was wrong.
"""
import copy
import logging
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import torch  # noqa: E402
from executorch.exir import to_edge  # noqa: E402
from executorch.exir._serialize._program import deserialize_pte_binary, serialize_pte_binary  # noqa: E402
from executorch.exir.schema import KernelCall  # noqa: E402
from executorch.runtime import Runtime, Verification  # noqa: E402

RUNS = 20


class Asked(torch.nn.Module):
    def forward(self, x):
        return (x * 2.0 == 0).logical_not()


def shared(x):
    """Asked as a program, in which `x * 2.0 == 0` begins where `x * 2.0` does."""
    file = deserialize_pte_binary(to_edge(torch.export.export(Asked(), (x,), strict=False)).to_executorch().buffer)
    plan = file.program.execution_plan[0]
    calls = [i.instr_args for i in plan.chains[0].instructions if isinstance(i.instr_args, KernelCall)]
    asks = next(call for call in calls if plan.operators[call.op_index].name == "aten::eq")
    plan.values[asks.args[-1]].val.allocation_info = copy.deepcopy(plan.values[asks.args[0]].val.allocation_info)
    return bytes(serialize_pte_binary(file))


def wrong_runs(elements):
    x = (torch.arange(elements) % 7 - 3).float()
    held = shared(x)
    method = Runtime.get().load_program(held, verification=Verification.Minimal).load_method("forward")
    return sum(not torch.equal(method.execute([x])[0], Asked()(x)) for _ in range(RUNS))


def main():
    few = {n: wrong_runs(n) for n in (64, 32768)}
    many = {n: wrong_runs(n) for n in (1 << 18, 1 << 22)}
    for n, wrong in (few | many).items():
        print(f"{n} elements: {wrong} of {RUNS} runs are wrong")
    return 0 if any(many.values()) and not any(few.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
