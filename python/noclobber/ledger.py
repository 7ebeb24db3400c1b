"""What a campaign of several runs has done: a file of JSON Lines, a line for every few programs."""
from __future__ import annotations

import json
import os
import pathlib
from collections import Counter
from importlib import metadata

PACKAGES = ("torch", "executorch", "lightning-thunder")


class Ledger:
    """Appends to the file; what lines `about` the same campaign say (subject, profiles, what is left out, versions) counts, other lines stay as they are.
    A line that was not written to its end is as if it were not there."""

    def __init__(self, path: str | os.PathLike[str], about: dict):
        self.path = pathlib.Path(path)
        self.about = about | {"versions": versions()}
        self.done: set[int] = set()
        self.counts: Counter[str] = Counter()
        self.causes: list[dict] = []
        seen: Counter[tuple[str, str]] = Counter()
        for line in self.path.read_text().splitlines() if self.path.exists() else ():
            try:
                told = json.loads(line)
            except ValueError:
                continue
            if told["about"] != self.about or self.done & set(_of_ranges(told["seeds"])):
                continue
            self.done |= set(_of_ranges(told["seeds"]))
            self.counts.update(told["counts"])
            for what, cause, n in told["seen"]:
                seen[what, cause] += n
            self.causes = told["causes"]
        self.seen = [[*key, n] for key, n in seen.items()]

    def note(self, seeds: list[int], counts: dict[str, int], seen: list, causes: list[dict]) -> None:
        """These seeds are done: what they add to the counts and to how often each cause was seen, and all causes that are known now."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps({"about": self.about, "seeds": _ranges(seeds), "counts": counts, "seen": seen, "causes": causes})
        whole = not self.path.exists() or self.path.read_bytes()[-1:] in (b"", b"\n")
        with self.path.open("a") as file:
            file.write(("" if whole else "\n") + line + "\n")


def versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _ranges(seeds: list[int]) -> list[list[int]]:
    """[first, last] of each run of seeds."""
    found: list[list[int]] = []
    for seed in sorted(seeds):
        if found and found[-1][1] == seed - 1:
            found[-1][1] = seed
        else:
            found.append([seed, seed])
    return found


def _of_ranges(ranges: list[list[int]]) -> list[int]:
    return [s for first, last in ranges for s in range(first, last + 1)]
