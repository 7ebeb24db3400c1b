"""The form of Thunder for tools/judge.py: two traces in a folder, as Thunder writes them, run as Thunder runs them, and without its executors'
fusions. Inputs are those that the trace uses; of two programs that use others nothing is asked.
"""
from __future__ import annotations

import ast
import collections
import pathlib

import judge_programs as programs
import thunder
import torch

# What Thunder refuses.
REFUSED = r"@|transpose|unfold|fill_|out=|control"


class Trace:
    """The last trace of a function, run statement by statement. It has no strides, and they are not compared (docs/format.md)."""

    promises_strides = False

    def __init__(self, function):
        compiled = thunder.jit(function)
        compiled(*programs.inputs(0).values())
        trace = thunder.last_traces(compiled)[-1]
        self.text, self.names, self.context = str(trace), [p.name for p in trace.args], dict(trace.python_ctx())
        body = next(n for n in ast.parse(trace.python()).body if isinstance(n, ast.FunctionDef)).body
        self.code = compile(ast.Module([n for n in body if not isinstance(n, (ast.Return, ast.Delete))], []), "<trace>", "exec")
        self.result = compile(ast.Expression(next(n for n in body if isinstance(n, ast.Return)).value), "<return>", "eval")

    def given(self, flavour: int) -> dict[str, torch.Tensor]:
        return programs.inputs(flavour)

    def run(self, given: dict[str, torch.Tensor]) -> list[torch.Tensor]:
        names = {"torch": torch} | self.context | {name: given[name] for name in self.names}
        with torch.no_grad():
            exec(self.code, names)  # noqa: S102, the compiler's own output
            return list(eval(self.result, names))  # noqa: S307


def make(function, tie: str, keys: list[str]) -> tuple[bytes, Trace, tuple]:
    """What is written, what runs, and what two programs must have in common."""
    trace = Trace(function)
    return trace.text.encode(), trace, tuple(sorted(trace.names))


def asked(ask, folder: pathlib.Path, pairs: list) -> list[tuple[str, list[dict]]]:
    """Verdicts and records: every pair is a folder of two traces."""
    for k, pair in enumerate(pairs):
        (folder / f"{k}").mkdir(exist_ok=True)
        for at, side in enumerate(pair):
            (folder / f"{k}" / f"{at:02}.trace.txt").write_bytes(side.written)
    _, records, said = ask(["check", *(str(folder / f"{k}") for k in range(len(pairs)))], 900)
    found = collections.defaultdict(list)
    for record in records:
        if record.get("what") == "pair":
            found[pathlib.Path(record["input"]).name].append(record)
    return [(found[f"{k}"][0]["status"] if len(found[f"{k}"]) == 1 else "broken", found[f"{k}"] or [{"error": said}]) for k in range(len(pairs))]
