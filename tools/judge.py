#!/usr/bin/env python3
"""PyTorch is the judge: random functions and changes of them, noclobber's verdict against running both. judge.py [--count N]

    judge.py --seed 0 --count 50000 --forms fx,log,pt2 --jobs 2 --results build/judge/results.jsonl
    judge.py --forms thunder      (where Thunder is installed; --forms pte where ExecuTorch is)

A family is a random program and changes of it; each of its programs is traced by PyTorch itself (`make_fx`, `torch.export`) and written in
the form that PyTorch writes, and `noclobber` is asked about all ordered pairs of those that are written differently. Both are run
(tools/judge_sides.py). A **miss** is proved and differs; an **alarm** is refuted and differs nowhere, not on 52 more contents either. Both
are kept with their sources. With --results each family is a line of that file, and the same command goes on from it; --count says how
many pairs there shall be. The last line counts; exit code 1 where there is a miss or an alarm, 2 where nothing was judged. Needs torch
(`make judge` makes an environment).
"""
from __future__ import annotations

import argparse
import collections
import gc
import hashlib
import importlib
import itertools
import json
import logging
import multiprocessing
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
sys.path.insert(0, str(ROOT / "python"))
warnings.filterwarnings("ignore")

import judge_programs as programs
import torch
from judge_sides import MORE_FLAVOURS, Side, as_module, differs, traced
from noclobber import program

CHANGES = 12  # tried, of one program
MOST_BYTES = 6 << 30  # of a worker
OPTIONS: list[str] = []  # of noclobber
BAD = ("MISS", "ALARM", "broken")
STATUS = {0: "proved", 1: "refuted", 3: "unknown"}
PREFIX = "V0521 11:50:42.931000 3054118 torch/_inductor/compile_fx.py:1194] "


def log_record(number: int, head: dict, written: bytes) -> str:
    head |= {"frame_id": number, "frame_compile_id": 0, "attempt": 0, "has_payload": "0" * 32}
    payload = written.decode().replace("class f(", "class <lambda>(")
    return PREFIX + json.dumps(head) + "\n" + "".join(f"\t{line}\n" for line in payload.splitlines())


def ask(arguments: list[str], timeout: int) -> tuple[int, list[dict], str]:
    ran = subprocess.run([program.binary(), *arguments, *OPTIONS, "--json", "--jobs", "1"], capture_output=True, text=True, timeout=timeout)
    return ran.returncode, [json.loads(line) for line in ran.stdout.splitlines()], ran.stderr[-200:]


def asked_in_log(folder: pathlib.Path, pairs: list[tuple[Side, Side]]) -> list[tuple[str, list[dict]]]:
    """Verdicts and records: every pair is a compilation of one log."""
    path = folder / "pairs.log"
    path.write_text("".join(
        log_record(k, {"artifact": {"name": "before_post_grad_graph", "encoding": "string"}}, before.written)
        + log_record(k, {"inductor_post_grad_graph": {}}, after.written) for k, (before, after) in enumerate(pairs)))
    _, records, said = ask(["check", str(path)], 900)
    found = collections.defaultdict(list)
    for record in records:
        if match := re.match(r"-_(\d+)_0_0\b", record.get("id", "")):
            found[int(match[1])].append(record)
    return [(found[k][0]["status"] if len(found[k]) == 1 else "broken", found[k] or [{"error": said}]) for k in range(len(pairs))]


def asked_as_files(folder: pathlib.Path, pairs: list[tuple[Side, Side]]) -> list[tuple[str, list[dict]]]:
    """Verdicts and records of `compare`."""
    out, paths = [], {}
    for side in itertools.chain.from_iterable(pairs):
        if side not in paths:
            paths[side] = folder / f"{len(paths)}.{'pt2' if side.written[:2] == b'PK' else 'txt'}"
            paths[side].write_bytes(side.written)
    for before, after in pairs:
        code, records, said = ask(["compare", str(paths[before]), str(paths[after])], 120)
        out.append((STATUS.get(code, "broken"), records or [{"error": said}]))
    return out


REFUSED: list[str] = []  # by one of the forms
FORMS = {"fx": (traced, asked_as_files), "log": (traced, asked_in_log), "pt2": (as_module, asked_as_files)}


def load(form: str) -> None:
    """The forms that need a compiler of their own are imported where they are asked for."""
    if form in FORMS:
        return
    module = importlib.import_module(f"judge_{form}")
    REFUSED.append(module.REFUSED)
    programs.leave_out("|".join(REFUSED))
    FORMS[form] = module.make, lambda folder, pairs: module.asked(ask, folder, pairs)


class Family:
    """A program and changes of it, as PyTorch takes them. `made[k]`: the program that this one is made of, and by which changes."""

    def __init__(self, number: int, form: str, source: tuple[list[str], list[str]] | None = None):
        self.number, self.form, self.rng = number, form, random.Random(number)
        self.tie = self.rng.choice(programs.TIES) if form == "pt2" else ""
        self.sides: list[Side] = []
        self.made: list[tuple[int, str]] = []
        lines, given = source or programs.program(self.rng, self.tie)
        self.sources = [(lines, given, [f"k{k}" for k in range(len(given))])]
        if not self.add(-1, "", *self.sources[0]):
            return
        for _ in range(CHANGES):
            self.change()

    def add(self, parent: int, change: str, lines: list[str], given: list[str], keys: list[str]) -> bool:
        try:
            self.sides.append(Side(programs.text_of(lines, given), FORMS[self.form][0], self.tie, keys))
        except Exception:  # noqa: BLE001, whatever PyTorch raises
            return False
        self.made.append((parent, change))
        return True

    def change(self) -> None:
        """One more program, most often of the first one."""
        parent = 0 if self.rng.random() < 0.7 else self.rng.randrange(len(self.sources))
        lines, given, keys = self.sources[parent]
        names, keys, wanted = [], list(keys), self.rng.choice((1, 1, 1, 2))
        for _ in range(20):
            made = programs.changed(self.rng, lines, given) if lines and len(names) < wanted else None
            if made is None:
                continue
            name, lines, given = made
            names.append(name.split()[0])
            moved = re.match(r"results_exchanged (\d+) (\d+)", name)
            if moved and self.form == "pt2" and self.rng.random() < 0.5:
                a, b = int(moved[1]), int(moved[2])
                keys[a], keys[b] = keys[b], keys[a]
        if names and self.add(parent, " ".join(names), lines, given, keys):
            self.sources.append((lines, given, keys))

    def pairs(self) -> list[tuple[int, int]]:
        """Those that are written differently, one of each way of being so."""
        written = [(side.written if side.written[:2] != b"PK" else side.text, tuple(side.keys)) for side in self.sides]
        first = [written.index(w) for w in written]
        pairs = itertools.permutations(range(len(first)), 2) if self.form != "pte" else itertools.product(range(len(first)), repeat=2)
        return [(a, b) for a, b in pairs if first[a] == a and first[b] == b and self.sides[a].common == self.sides[b].common]

    def called(self, a: int, b: int) -> str:
        """What makes one of the other."""
        way = self.made[b] if self.made[b][0] == a else self.made[a] if self.made[a][0] == b else (0, "of one family")
        return way[1]

    def judged(self, keep: pathlib.Path) -> dict:
        """Counts of all its pairs, and those that are bad."""
        outcomes, changes, reasons, bad = collections.Counter(), collections.Counter(), collections.Counter(), []
        pairs = self.pairs()
        with tempfile.TemporaryDirectory() as scratch:
            answers = FORMS[self.form][1](pathlib.Path(scratch), [(self.sides[a], self.sides[b]) for a, b in pairs]) if pairs else []
        for (a, b), (status, records) in zip(pairs, answers, strict=True):
            outcome, detail = weighed(status, records, self.sides[a], self.sides[b])
            outcomes[outcome] += 1
            changes[f"{self.called(a, b).split()[0]}: {outcome}"] += 1
            if outcome.startswith("unknown"):
                reasons[re.sub(r"\d+", "N", detail)[:100]] += 1
            if outcome in BAD:
                bad.append([outcome, a, b, self.called(a, b), detail])
                self.keep(keep / f"{self.form}-{self.number}-{a}-{b}", a, b, records)
        return {"seed": self.number, "form": self.form, "programs": len(self.sides), "pairs": len(pairs), "outcomes": outcomes,
                "changes": changes, "reasons": reasons, "bad": bad}

    def keep(self, folder: pathlib.Path, a: int, b: int, records: list[dict]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        pair = self.sides[a], self.sides[b]
        (folder / "program.py").write_text(f"# seed {self.number}: {self.called(a, b)}; buffers {self.tie or 'apart'}\n" + "\n\n".join(
            f"# results {side.keys}\n{side.text}" for side in pair))
        (folder / "records.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
        FORMS[self.form][1](folder, [pair])


def weighed(status: str, records: list[dict], before: Side, after: Side) -> tuple[str, str]:
    """What noclobber says against what running both shows, and details."""
    if status not in STATUS.values():
        return "broken", str(records)[:200]
    seen = differs(before, after)
    assumed = [a for r in records for a in r.get("assumptions", []) if a.startswith("constants ")]
    if status == "proved" and seen:  # text does not hold what constants hold
        rests = next((r["assumptions"] for r in records if r.get("assumptions")), [])
        if any(a.startswith("-0 counts as 0") for a in rests) and not differs(before, after, one_zero=True):
            return "proved, assumed zeros", ""
        return ("proved, assumed constants", "") if assumed else ("MISS", f"{seen} {rests}")
    if status == "refuted" and not seen and not differs(before, after, MORE_FLAVOURS):
        found = "; ".join(sorted({f"{f['rule']} {f['message']}" for r in records for f in r.get("findings", [])}))
        return ("refuted, assumed constants", "") if assumed else ("ALARM", found)
    why = ";".join(sorted({f"{u['reason']}:{','.join(u['names'])[:60]}" for r in records for u in r.get("unknown", [])}))
    same = not seen and status != "refuted"
    return f"{status}, {'same' if same else 'differs'}", why if status == "unknown" else ""


def bounded() -> None:
    """A random program may ask for any amount of memory: it is refused then, where a killed worker would be waited for."""
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))


def work(item: tuple[int, str, pathlib.Path]) -> dict:
    return Family(*item[:2]).judged(item[2])


def warm_up() -> None:
    """What every worker needs is loaded once, and no collector looks at it again."""
    torch.set_num_threads(1)
    logging.disable()  # what tracing says of programs that it refuses
    Family(0, next(iter(FORMS)))
    gc.collect()
    gc.freeze()


class Results:
    """What is judged so far; with a file, of earlier runs of the same binary as well."""

    def __init__(self, path: pathlib.Path | None):
        self.path, self.counts, self.done = path, collections.Counter(), set()
        self.forms, self.changes, self.reasons = collections.defaultdict(collections.Counter), {}, collections.Counter()
        head = json.dumps({"binary": hashlib.sha256(pathlib.Path(program.binary()).read_bytes()).hexdigest()})
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text().splitlines() if path.exists() else []
        if lines and lines[0] != head:
            sys.exit(f"judge: {path} holds results of another binary")
        if not lines:
            path.write_text(head + "\n")
        for line in lines[1:]:
            self.count(json.loads(line))

    def add(self, family: dict) -> None:
        self.count(family)
        if self.path:
            with self.path.open("a") as file:
                file.write(json.dumps(family) + "\n")
        for outcome, a, b, change, detail in family["bad"]:
            print(f"{outcome} {family['form']}-{family['seed']}-{a}-{b} ({change}): {detail}", flush=True)

    def count(self, family: dict) -> None:
        self.done.add(family["seed"])
        self.counts.update(family["outcomes"])
        self.forms[family["form"]].update(family["outcomes"] | {"programs": family["programs"], "pairs": family["pairs"]})
        for text, number in family["changes"].items():
            change, outcome = text.split(": ", 1)
            self.changes.setdefault(change, collections.Counter())[outcome] += number
        self.reasons.update(family["reasons"])

    def print(self) -> None:
        for name, row in itertools.chain(sorted(self.changes.items()), sorted(self.forms.items())):
            print(name, dict(row))
        for reason, number in self.reasons.most_common(12):
            print(f"unknown {number} {reason}")
        bad = ", ".join(f"{self.counts[kind]} {kind}" for kind in BAD)
        print(f"judge: {self.counts.total()} pairs of {sum(r['programs'] for r in self.forms.values())} programs: {bad}; {dict(self.counts)}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=5000, help="pairs")
    parser.add_argument("--forms", default="log,log,log,fx,pt2", help="one after the other, by seed")
    parser.add_argument("--changes", default="", help="ways to change a program that match this expression")
    parser.add_argument("--often", default="", help="lines of programs to draw more often: see judge_programs.draw_often")
    parser.add_argument("--options", default="", help="of noclobber, between blanks")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=pathlib.Path, default=ROOT / "build" / "judge")
    parser.add_argument("--results", type=pathlib.Path)
    options = parser.parse_args()
    programs.change_by(options.changes)
    OPTIONS[:] = options.options.split()
    forms = options.forms.split(",")
    for form in forms:
        load(form)
    programs.draw_often(options.often)
    results = Results(options.results)
    shutil.rmtree(options.keep, ignore_errors=True) if not options.results else None
    seeds = (seed for seed in itertools.count(options.seed) if seed not in results.done)
    warm_up()
    with multiprocessing.Pool(options.jobs, initializer=bounded, maxtasksperchild=200) as pool:
        while results.counts.total() < options.count:
            items = [(seed, forms[seed % len(forms)], options.keep) for seed in itertools.islice(seeds, 10 * options.jobs)]
            for family in pool.imap_unordered(work, items):
                results.add(family)
            print(f"judge: {results.counts.total()}/{options.count} {dict(results.counts)}", file=sys.stderr, flush=True)
    results.print()
    return 2 if not results.counts else int(any(results.counts[kind] for kind in BAD))


if __name__ == "__main__":
    sys.exit(main())
