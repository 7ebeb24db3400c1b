"""Runs the program `noclobber` and returns its records (`noclobber.result/1`)."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence

Record = dict
Path = "str | os.PathLike[str]"

PROVED, REFUTED, USAGE, UNKNOWN = 0, 1, 2, 3
ALARM = "soundness alarm"  # how the message of exit code 4 begins where noclobber contradicts itself
_HERE = pathlib.Path(__file__).resolve().parent


class ProgramError(RuntimeError):
    """The program is missing, or an input could not be read (exit codes 2 and 4)."""


class Refuted(AssertionError):
    """A run of the checked program goes wrong. `records` are all records, `findings` those of what is refuted,
    `passes` the stages that they name, the first one first; `folder` is where the recording is kept, if there is one."""

    def __init__(self, records: Sequence[Record], folder: Path | None = None):
        self.records, self.folder = list(records), folder
        refuted = [r for r in self.records if r.get("status") == "refuted"]
        self.findings = [f for r in refuted for f in r.get("findings", []) if f["status"] == "refuted"]
        self.passes = [r["stage"] for r in refuted if r.get("stage")]
        kept = [f"recorded in {os.fspath(folder)}"] if folder is not None else []
        super().__init__("\n".join([describe(r) for r in refuted] + kept))


class NotProved(AssertionError):
    """Nothing is refuted, and not everything is proved. `records` are all records."""

    def __init__(self, records: Sequence[Record], folder: Path | None = None):
        self.records, self.folder = list(records), folder
        open_ = [r for r in self.records if r.get("status") != "proved"]
        kept = [f"recorded in {os.fspath(folder)}"] if folder is not None else []
        super().__init__("\n".join([describe(r) for r in open_] + kept))


def binary(name: str = "noclobber") -> str:
    """Path of `name`: the environment's NOCLOBBER_BIN folder, else the one in this package, else on the PATH."""
    folder = os.environ.get("NOCLOBBER_BIN")
    candidates = [pathlib.Path(folder) / name] if folder else [_HERE / "bin" / name]
    for candidate in candidates:
        if candidate.is_file():
            return str(candidate)
    found = None if folder else _on_path(name)
    if not found:
        raise ProgramError(f"{name} is not in {candidates[0].parent}")
    return found


def check(*inputs: Path, order: str | None = None, options: Iterable[str] = ()) -> list[Record]:
    """Records of `noclobber check INPUT...`; `order` is "program" or "dataflow"."""
    return run(["check", *map(os.fspath, inputs)], order=order, options=options)


def compare(before: Path, after: Path, *, order: str | None = None, options: Iterable[str] = ()) -> list[Record]:
    """Records of `noclobber compare BEFORE AFTER`."""
    return run(["compare", os.fspath(before), os.fspath(after)], order=order, options=options)


def run(command: Sequence[str], *, order: str | None = None, options: Iterable[str] = ()) -> list[Record]:
    """Records of kind `check` of one run. Raises ProgramError with the program's own line where it cannot read."""
    records = all_records(command, order=order, options=options)
    errors = [f"{r['input']}: {r.get('where') or ''} {r['message']}" for r in records if r["kind"] == "error"]
    checks = [r for r in records if r["kind"] == "check"]
    if errors or not checks:
        raise ProgramError("; ".join(errors or ["nothing was checked"]))
    return checks


def all_records(command: Sequence[str], *, order: str | None = None, options: Iterable[str] = ()) -> list[Record]:
    """Records of every kind of one run. Raises ProgramError where there are none, or after an internal error."""
    extra = ["--order", order] if order else []
    ran = subprocess.run([binary(), *command, *extra, *options, "--json"], capture_output=True, text=True)
    records = [json.loads(line) for line in ran.stdout.splitlines() if line]
    if not records or ran.returncode not in (PROVED, REFUTED, USAGE, UNKNOWN):
        raise ProgramError(ran.stderr.strip() or f"exit code {ran.returncode}, no record")
    return records


def worst(records: Sequence[Record]) -> str:
    """The first of refuted, error, unknown and proved that one of them says. Raises ProgramError where none does."""
    said = {"error" if r["kind"] == "error" else r.get("status") for r in records}
    for status in ("refuted", "error", "unknown", "proved"):
        if status in said:
            return status
    raise ProgramError("nothing was checked")


def describe(record: Record) -> str:
    """One record as text: its status, then rule, message, source lines and repair of each refuted finding."""
    stage = f"{record['stage']}: " if record.get("stage") else ""
    lines = [f"{stage}{record['input']} {record.get('id') or ''}: {record['status']}".rstrip()]
    for finding in record.get("findings", []):
        if finding["status"] == "refuted" and not finding.get("follows"):
            lines.append(f"  {finding['rule']} {finding['property']}: {finding.get('message', '')}")
            lines += [f"    also breaks {f['rule']} {f['property']}: {f['message']}" for f in finding.get("also_breaks", [])]
            for role in ("define", "clobber", "read"):
                if place := finding.get(role):
                    where = f" ({place['loc']})" if place.get("loc") else ""
                    lines.append(f"    {role} {place.get('name', '')}{where}")
            if finding.get("help"):
                lines.append(f"    help {finding['help']}")
    lines += [f"  {u['reason']}: {', '.join(u.get('names', []))}" for u in record.get("unknown", [])
              if record.get("status") == "unknown"]
    return "\n".join(lines)


def main() -> None:
    """Entry point `noclobber`: becomes the program. `noclobber sweep` is of this package: its engine is Ray."""
    if sys.argv[1:2] == ["sweep"]:
        from . import sweep
        sys.exit(sweep.main(sys.argv[2:]))
    _become("noclobber")


def main_nc_check() -> None:
    """Entry point `nc-check`: becomes the program."""
    _become("nc-check")


def _become(name: str) -> None:
    try:
        path = binary(name)
    except ProgramError as error:
        sys.exit(f"{name}: {error}")
    os.execv(path, [path, *sys.argv[1:]])


def _on_path(name: str) -> str | None:
    """`name` on the PATH, unless it is the entry point of this package."""
    entry = pathlib.Path(sys.executable).parent / name
    found = shutil.which(name)
    return None if not found or pathlib.Path(found) == entry else found
