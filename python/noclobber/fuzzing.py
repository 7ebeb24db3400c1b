"""Tests a pass or a planner with random programs: `noclobber fuzz --pass -` and `--planner -`, the pass or planner being a function
of this process.

    def my_pass(case):                      # a noclobber.case/1, `before` and `after` are the same program
        case["after"] = rewrite(case["after"])
        return case                         # or the graph alone, or None where the program is none of its business

    noclobber.fuzz(my_pass, count=500).raise_if_convicted()

What the pass raises is a crash of it.
"""
from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .program import ProgramError, binary


class Skip(Exception):
    """Raised by a pass: the program is none that it is about."""


class Convicted(AssertionError):
    """A pass was convicted; `campaign` says of what."""

    def __init__(self, campaign: Campaign):
        self.campaign = campaign
        super().__init__(str(campaign))


class Row(NamedTuple):
    """A buffer of a table: alive in the steps from `lower` on and before `upper`, `size` bytes."""

    name: str
    lower: int
    upper: int
    size: int


@dataclasses.dataclass
class Campaign:
    """What became of a campaign. `causes` are as in docs/fuzzing.md: what, cause, seed, steps, fingerprints, folder."""

    programs: int
    proved: int
    refuted: int
    unknown: int
    skipped: int  # programs that are not supported, by noclobber or by the pass or planner
    causes: list[dict]
    folder: pathlib.Path
    interrupted: bool = False

    @property
    def convicted(self) -> bool:
        return bool(self.causes)

    def cases(self) -> list[dict]:
        """The reduced case of each cause that is a refutation."""
        return [json.loads((pathlib.Path(c["folder"]) / "case.json").read_text()) for c in self.causes if c["what"] == "refuted"]

    def raise_if_convicted(self) -> Campaign:
        """This campaign, or Convicted."""
        if self.convicted:
            raise Convicted(self)
        return self

    def __str__(self) -> str:
        lines = [f"{self.programs} programs: {self.proved} proved, {self.refuted} refuted, {self.unknown} unknown, {self.skipped} skipped"]
        lines += [f"  {c['what']}: {c['cause']} ({c['steps']} steps, seed {c['seed']}), in {c['folder']}" for c in self.causes]
        return "\n".join(lines)


def fuzz(pass_fn: Callable[[dict], dict | None], *, count: int = 200, seed: int = 1, seconds: int = 0, profiles: Sequence[str] = (),
         out: str | os.PathLike[str] | None = None, reduction: int = 200, timeout: int = 60) -> Campaign:
    """Gives programs of the seeds from `seed` on to `pass_fn`, checks what comes back, makes small what is refuted.

    `seconds` ends the campaign earlier; `profiles` are names of docs/fuzzing.md. Findings are written into `out`. Ctrl-C ends
    the campaign and keeps what was found.
    """
    return _run(["--pass", "-"], pass_fn, count, seed, seconds, profiles, out, reduction, timeout)


def fuzz_planner(planner: Callable[[dict], dict | None], *, count: int = 200, seed: int = 1, seconds: int = 0, profiles: Sequence[str] = (),
                 out: str | os.PathLike[str] | None = None, reduction: int = 200, timeout: int = 60) -> Campaign:
    """Gives problems to `planner` and checks the plans. A problem is a case whose `plan["required"]` names what wants a place; the
    planner gives the plan (`arenas`, `buffers`) or the case with it. Options are those of `fuzz`.
    """
    return _run(["--planner", "-"], planner, count, seed, seconds, profiles, out, reduction, timeout)


def fuzz_tables(planner: Callable[[list[Row]], dict[str, int] | None], *, count: int = 200, seed: int = 1, seconds: int = 0,
                profiles: Sequence[str] = (), out: str | os.PathLike[str] | None = None, reduction: int = 200, timeout: int = 60) -> Campaign:
    """The same for a planner that knows live ranges and sizes alone: it is given rows and gives an offset for each name."""
    def answered(text: str) -> str | None:
        head, *lines = text.split()
        rows = [Row(name, *map(int, numbers)) for name, *numbers in (line.split(",") for line in lines)]
        offsets = planner(rows)
        if offsets is None:
            return None
        table = [f"{r.name},{r.lower},{r.upper},{r.size},{offsets[r.name]}" for r in rows if r.name in offsets]
        return "\n".join([f"{head},offset", *table]) + "\n"

    return _run(["--planner", "-", "--format", "csv"], answered, count, seed, seconds, profiles, out, reduction, timeout)


def _run(subject: Sequence[str], function: Callable, count: int, seed: int, seconds: int, profiles: Sequence[str],
         out: str | os.PathLike[str] | None, reduction: int, timeout: int) -> Campaign:
    folder = pathlib.Path(out or tempfile.mkdtemp(prefix="noclobber-fuzz-"))
    folder.mkdir(parents=True, exist_ok=True)
    records = folder / "campaign.jsonl"
    command = [binary(), "fuzz", *subject, "--quiet", "--start", str(seed), "--count", str(count), "--out", str(folder),
               "--records", str(records), "--reduction", str(reduction), "--timeout", str(timeout)]
    command += ["--time", str(seconds)] if seconds else []
    command += ["--profile", ",".join(profiles)] if profiles else []
    interrupted = False
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        try:
            _serve(running, function)
        except KeyboardInterrupt:  # the program has its own
            interrupted = True
        _, complaint = running.communicate()
    lines = [json.loads(line) for line in records.read_text().splitlines()] if records.exists() else []
    if not lines or lines[-1]["kind"] != "campaign":
        raise ProgramError(complaint.strip() or f"exit code {running.returncode}, no record")
    told = lines[-1]
    if told["alarms"]:
        raise ProgramError("soundness alarm: " + complaint.strip())
    return Campaign(told["programs"], told["proved"], told["refuted"], told["unknown"], told["beyond"], told["causes"], folder,
                    interrupted or told["interrupted"])


def _serve(running: subprocess.Popen, function: Callable) -> None:
    for line in running.stdout:
        try:
            answer = function(json.loads(line))
            text = json.dumps({"skip": "it gives nothing"} if answer is None else answer)
        except Skip as why:
            text = json.dumps({"skip": str(why)})
        except Exception as fault:  # noqa: BLE001, whatever a pass raises is a finding
            text = json.dumps({"error": f"{type(fault).__name__}: {fault}"})
        try:
            running.stdin.write(text.replace("\n", " ") + "\n")
            running.stdin.flush()
        except BrokenPipeError:
            return
