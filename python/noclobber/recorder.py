"""What a frontend records, whatever its compiler: links of a chain (graph, pass, graph), written as they happen.

A recording is a folder that `noclobber check` reads: numbered cases or traces, and `recording.json`, which says what was
seen and not written, so that nothing is left out silently. A fault of the observer never reaches the compiler.
"""
from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pathlib
import re
from collections.abc import Callable, Iterable, Iterator

from . import program

FORMAT = "noclobber.recording/1"
MOST_BYTES = 1 << 30  # of one recording; what would be more is named and left out
MOST_AT_ONCE = 500  # files on one command line
FAILS = (None, "refuted", "unknown")


class Recorder:
    """Writes links into a folder.

    `checks` lists what was written as commands of the program, in order; `problems` names what could not be written and
    what was left out; `broken` promises of the compiler that a pass broke; `unchanged` counts passes that changed nothing.
    """

    def __init__(self, out: str | os.PathLike[str], most_bytes: int = MOST_BYTES):
        self.out = pathlib.Path(out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.checks: list[tuple[str, list[pathlib.Path]]] = []
        self.problems: list[str] = []
        self.broken: list[str] = []
        self.unchanged = 0
        self.most_bytes, self.bytes = most_bytes, 0
        self._same: dict[str, tuple[bytes, str]] = {}  # links by path: what they are but for their name, and the name
        self._number = len(list(self.out.glob("[0-9]*.case.json")))  # a folder can be recorded into again

    def write(self, name: str, content: str | bytes | dict) -> pathlib.Path | None:
        """Writes one file. Returns None, and says so in `problems`, where the recording would be too large."""
        data = json.dumps(content, separators=(",", ":")) if isinstance(content, dict) else content
        data = data.encode() if isinstance(data, str) else data
        if self.bytes + len(data) > self.most_bytes:
            self.skip(name, f"the recording is {self.most_bytes} bytes at most")
            return None
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        self.bytes += len(data)
        return path

    def link(self, stage: str, content: dict, name: str | None = None) -> pathlib.Path | None:
        """Writes one link, as the next numbered case if it has no `name`, and remembers it as a check."""
        self._number += 1
        text = json.dumps(content, separators=(",", ":"))
        path = self.write(name or f"{self._number:04}_{slug(stage)}.case.json", text)
        if path is not None:
            self.checks.append((stage, [path]))
            called = content.get("name", "")
            apart = text.replace(f'"name":{json.dumps(called)}', '"name":""', 1)
            self._same[str(path)] = (hashlib.sha256(apart.encode()).digest(), called)
        return path

    def skip(self, where: str, why: str) -> None:
        """Names what is not in the recording."""
        self.problems.append(f"{where}: {why}")
        self.close()

    @contextlib.contextmanager
    def problem(self, where: str) -> Iterator[None]:
        """What cannot be written is noted; the compilation that is watched goes on."""
        try:
            yield
        except Exception as error:  # noqa: BLE001, a fault of the observer must not reach the compiler
            self.skip(where, f"{type(error).__name__}: {error}")

    def close(self) -> None:
        """Writes `recording.json`."""
        written = {"format": FORMAT, "links": len(self.checks), "unchanged": self.unchanged, "left_out": self.problems}
        if self.broken:
            written["broken"] = self.broken
        part = self.out / "recording.json.part"
        part.write_text(json.dumps(written) + "\n")
        part.replace(self.out / "recording.json")

    def run(self, options: Iterable[str] = ()) -> list[program.Record]:
        """Records of every check, each with its `stage`. What could not be written is a record of status unknown.

        Links that are the same but for their names are decided once, where that is proved without a remark.
        """
        options = list(options)
        stages = {str(paths[0]): step for step, paths in self.checks if len(paths) == 1}
        alike = {} if options else self._alike(stages)
        records = self._decided([path for path in stages if path not in alike], options)
        if alike:
            records = self._spread(records, alike, list(stages)) or self._decided(list(stages), options)
        records = [r | {"stage": stages[r["input"]]} for r in records]
        for step, paths in self.checks:
            if len(paths) == 2:
                records += [r | {"stage": step} for r in program.compare(*paths, options=options)]
        return records + self.left_out()

    def _decided(self, paths: list[str], options: list[str]) -> list[program.Record]:
        return [r for at in range(0, len(paths), MOST_AT_ONCE) for r in program.check(*paths[at:at + MOST_AT_ONCE], options=options)]

    def _alike(self, paths: Iterable[str]) -> dict[str, str]:
        """Of links that are the same but for their names: each but the first, and the first."""
        first: dict[bytes, str] = {}
        found = {p: first.setdefault(self._same[p][0], p) for p in paths if p in self._same}
        return {p: f for p, f in found.items() if p != f}

    def _spread(self, records: list[program.Record], alike: dict[str, str], paths: list[str]) -> list[program.Record]:
        """The records of all `paths`, in their order; none where one that others are like is not plainly proved."""
        by_input = {r["input"]: [] for r in records}
        for r in records:
            by_input[r["input"]].append(r)
        if not all(_is_plain(r, self._same[first][1]) for first in alike.values() for r in by_input[first]):
            return []
        by_input |= {p: [r | {"input": p, "id": self._same[p][1]} for r in by_input[first]] for p, first in alike.items()}
        return [r for p in paths for r in by_input[p]]

    def left_out(self) -> list[program.Record]:
        """A record of status unknown for each of `problems`, and of `broken`."""
        return [{"kind": "check", "stage": stage, "input": str(self.out), "status": "unknown", "findings": [],
                 "unknown": [{"reason": reason, "names": [name]}]}
                for stage, reason, names in (("export", "not-written", self.problems),
                                             ("invariants", "broken-invariant", self.broken)) for name in names]


def _is_plain(record: program.Record, name: str) -> bool:
    """Proved, and nothing of it speaks of the name of the check."""
    return record.get("status") == "proved" and record.get("id") == name and not any(
        record.get(part) for part in ("findings", "unknown", "unchecked"))


def judge(records: list[program.Record], fail_on: str | None, folder: os.PathLike[str] | str | None = None) -> list[program.Record]:
    """The records. Raises Refuted, or with fail_on="unknown" NotProved, naming the pass and the folder that is kept."""
    if fail_on not in FAILS:
        raise ValueError(f"fail_on: {fail_on!r} is none of {FAILS}")
    if fail_on and any(r.get("status") == "refuted" for r in records):
        raise program.Refuted(records, folder)
    if fail_on == "unknown" and any(r.get("status") != "proved" for r in records):
        raise program.NotProved(records, folder)
    return records


@contextlib.contextmanager
def replaced(places: Iterable[tuple[object, str, Callable]]) -> Iterator[None]:
    """Inside the block, attributes `name` of `owner` are `wrap(original)`; places that do not exist are left alone."""
    originals = []
    try:
        for owner, name, wrap in places:
            if name in vars(owner):
                originals.append((owner, name, vars(owner)[name]))
                setattr(owner, name, wrap(vars(owner)[name]))
        yield
    finally:
        for owner, name, function in reversed(originals):
            setattr(owner, name, function)


def slug(text: str) -> str:
    """`text` as part of a file name."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-")[:80] or "step"
