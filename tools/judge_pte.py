"""The form of ExecuTorch for tools/judge.py: a function as torch.export writes it, and one as ExecuTorch lowers it; both lowered, and run by the
portable runtime. Arguments are all given by the caller. What the runtime shows is results, and arguments that are written, as it
returns them.
"""
from __future__ import annotations

import contextlib
import io
import os
import pathlib

import judge_programs as programs
import torch
from executorch import exir
from executorch.runtime import Runtime, Verification

# Types and operators that the portable runtime has no kernels for, or that lowering does not take.
REFUSED = r"view\(torch|diagonal|control"


class Function(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, y, z, s, i, h, b, m, n):
        return self.function(x, y, z, s, i, h, b, m, n)


class Lowered:
    """A .pte, run: arguments that the program writes stand before its results."""

    def __init__(self, buffer: bytes, written: list[int]):
        self.buffer, self.written = buffer, written
        self.method = Runtime.get().load_program(buffer, verification=Verification.Minimal).load_method("forward")

    def given(self, flavour: int) -> dict[str, torch.Tensor]:
        return programs.inputs(flavour)

    def run(self, given: dict[str, torch.Tensor]) -> list[torch.Tensor]:
        out = [t.clone() for t in self.method.execute([t.clone() for t in given.values()])]
        for at, value in zip(self.written, out, strict=False):
            given[programs.INPUTS[at]].copy_(value)
        return out[len(self.written):]


def make(function, tie: str, keys: list[str]) -> tuple[bytes, Lowered, tuple]:
    program = torch.export.export(Function(function), tuple(programs.inputs(0).values()), strict=False)
    file = io.BytesIO()
    torch.export.save(program, file)
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        edge = exir.to_edge(program, compile_config=exir.EdgeCompileConfig(_check_ir_validity=False))
        signature = edge.exported_program().graph_signature
        buffer = edge.to_executorch().buffer
    named = list(signature.user_inputs)
    made = Lowered(buffer, [named.index(name) for name in signature.user_inputs_to_mutate.values()])
    made.run(made.given(0))
    return file.getvalue(), made, ()


def asked(ask, folder: pathlib.Path, pairs: list) -> list[tuple[str, list[dict]]]:
    """Verdicts and records of `compare`: the exported program of one and the lowered program of the other."""
    out = []
    for before, after in pairs:
        (folder / "before.pt2").write_bytes(before.written)
        (folder / "after.pte").write_bytes(after.program.buffer)
        code, records, said = ask(["compare", str(folder / "before.pt2"), str(folder / "after.pte")], 120)
        out.append(({0: "proved", 1: "refuted", 3: "unknown"}.get(code, "broken"), records or [{"error": said}]))
    return out
