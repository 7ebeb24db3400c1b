"""Random programs through a compiler, every recorded link checked: the campaign that `fuzz_pass` and `fuzz_compile` of the frameworks
are. Needs PyTorch.

A Subject records what its compiler does to one program, and runs it. Programs are judged a batch at a time; what is refuted is made
small, line by line, with the compiler run again each time, and sorted by cause. Every finding says as well whether a run of the
framework differs from eager execution.
"""
from __future__ import annotations

import contextlib
import dataclasses
import gc
import json
import os
import pathlib
import random
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence

from . import drawn, observed, program, recorder, together
from .fuzzing import Campaign
from .ledger import Ledger
from .together import Batch

BATCH = 25  # programs that are judged by one run of the checker, or four times as many as the compiler takes as one
SHORT = 8  # lines of a program that goes one line at a time when it is made small
SHOWN = 2  # of one cause are made small, then every one at which their number doubles
FLAVOURS = (0, 3, 1, 2)  # contents of arguments that runs are compared on
# What programs are like, by profile.
PROFILES = {
    "control-flow": drawn.Mixture("control flow|body"),
    "dtype-views": drawn.Mixture(r"\.view\(torch", mix=(4, 6, 4)),
    "out": drawn.Mixture(r"out=", mix=(4, 3, 6)),
    "pointwise": drawn.Mixture(r"^\{[tf]\} [+*] \{g\}$|^\{f\}\.(exp|sin|relu)\(\)$|^torch\.maximum", 100, (12, 1, 1), length=(8, 20)),
    "scatter": drawn.Mixture(r"\[q\]|index_|scatter|masked_fill_|\]\.copy_|diagonal\(\)\.fill|\[1:\] =|\[0\] =|\[:, 0\] =", mix=(4, 4, 6)),
    "views": drawn.Mixture(r"\.t\(\)|\.view\(|\]$|as_strided|diagonal|unbind|split|chunk|narrow|unfold|expand", mix=(4, 6, 4)),
    "writes": drawn.Mixture(r"_\(", mix=(4, 4, 6)),
}


class Skip(Exception):
    """The program is none that the compiler takes."""


@dataclasses.dataclass(frozen=True)
class Program:
    """A function of the arguments of `drawn`; `watched`: gradients are asked for."""

    seed: int
    lines: tuple[str, ...]
    given: tuple[str, ...]
    watched: bool = False

    @property
    def text(self) -> str:
        return drawn.text_of(list(self.lines), list(self.given))

    def function(self) -> Callable:
        scope: dict = {"torch": drawn.torch}
        exec(compile(self.text, together.file_of(self.seed), "exec"), scope)  # noqa: S102, made by drawn
        return scope["f"]

    def arguments(self, flavour: int = 0) -> list:
        given = drawn.inputs(flavour)
        if self.watched:
            given |= {name: given[name].requires_grad_() for name in ("x", "y", "z")}
        return list(given.values())


class Subject:
    """A compiler under test."""

    name = "subject"
    refused = ""  # lines that it does not take
    gradients = 0.0  # how many of the programs ask for them
    most = 1  # programs that it takes as one
    whole: tuple[str, ...] = ()  # stages of which hardly anything but proofs comes: they are checked before they are cut, and not cut if they are proved
    by_position = False  # do recorded graphs have the arguments and the results of the program, in their order?

    def record(self, made: Program | Batch, folder: pathlib.Path) -> recorder.Recorder:
        """Writes what it does to the program. Raises Skip where it does not take it; what else it raises is a crash."""
        raise NotImplementedError

    def may_ask(self, lines: Sequence[str]) -> bool:
        """May gradients of a program of these lines be asked for?"""
        return True

    def sort(self, made: Program) -> object:
        """What of it those have to be like that are taken as one with it."""
        return made.watched

    def is_alone(self, made: Program) -> bool:
        """Would the compiler refuse it, and so all that are taken as one with it? It goes through the compiler alone."""
        return False

    def sides(self, made: Program | Batch) -> tuple[Callable, Callable] | None:
        """What was recorded last as it should run, and as it does; None where nothing is run."""
        return None

    def difference(self, made: Program) -> str:
        """In what a run of the compiled program differs from eager execution; "" for nothing, or nothing that is known."""
        sides = self.sides(made)
        return against(made, *sides) if sides else ""

    def suspects(self, made: Batch) -> tuple[list[Program], str]:
        """Those programs of it of which a run may differ, and in what: they are run alone."""
        sides = self.sides(made)
        return differing(made, *sides) if sides else ([], "")

    def blame(self, made: Program) -> str:
        """Which part of the compiler makes it differ, as far as runs tell."""
        return self.name

    def script(self, made: Program | Batch) -> str:
        """A script that shows the finding with the framework alone."""
        return made.text


REFUSALS = (RuntimeError, IndexError, ValueError, ZeroDivisionError)  # of contents that a program does not take


def against(made: Program, wants: Callable, gets: Callable) -> str:
    """In what the two differ on the first contents that tell."""
    for flavour in FLAVOURS:
        try:
            eager = observed.observe(wants, made.arguments(flavour))
        except REFUSALS:
            continue
        if said := observed.difference(eager, observed.observe(gets, made.arguments(flavour))):
            return said
    return ""


def differing(batch: Batch, wants: Callable, gets: Callable) -> tuple[list[Program], str]:
    """Programs of which something differs on some contents. Where one does not take the contents it is given the first ones."""
    found: list[Program] = []
    first = ""
    for flavour in FLAVOURS:
        taken = [flavour] * len(batch.parts)
        try:
            try:
                eager = observed.observe(wants, _arguments(batch, taken))
            except REFUSALS:
                taken = [_taken(part, flavour) for part in batch.parts]
                eager = observed.observe(wants, _arguments(batch, taken))
        except REFUSALS:
            continue
        ours = observed.observe(gets, _arguments(batch, taken))
        if said := observed.difference(eager, ours):
            first = first or said
            told = [p for p, *where in together.slices(batch.parts) if observed.difference(_of(eager, *where), _of(ours, *where))]
            found += [p for p in told or batch.parts if p not in found]
    return found, first


def _arguments(batch: Batch, flavours: Sequence[int]) -> list:
    return [a for part, flavour in zip(batch.parts, flavours) for a in together.arguments_of(part, flavour)]


def _of(seen: observed.Seen, arguments: slice, results: slice) -> observed.Seen:
    """What of it is of these arguments and results; of the gradients, which are not told apart, all."""
    count = len(seen.inputs)
    storages = seen.storages[arguments] + seen.storages[count + results.start:count + results.stop]
    first = {s: k for k, s in reversed(list(enumerate(storages)))}
    return observed.Seen(seen.outputs[results], seen.inputs[arguments], seen.gradients, [first[s] for s in storages], [])


def _taken(part: Program, flavour: int) -> int:
    """The flavour, or the first one where the program does not take it."""
    try:
        observed.observe(part.function(), part.arguments(flavour))
    except REFUSALS:
        return FLAVOURS[0]
    return flavour


@dataclasses.dataclass
class Outcome:
    """What became of one program: `records` of its links, its `crash`, in what a run of it `differs`."""

    made: Program | Batch
    records: list[dict] = dataclasses.field(default_factory=list)
    crash: str = ""
    differs: str = ""
    blamed: str = ""  # what of the compiler makes it differ, as far as runs tell
    folder: pathlib.Path | None = None
    apart: list = dataclasses.field(default_factory=list)  # of a batch: programs that are to be run alone,
    owners: dict[str, list] = dataclasses.field(default_factory=dict)  # and the programs that a link is of; all of them where it is not here
    whole: list[dict] = dataclasses.field(default_factory=list)  # and records of links that are proved as they are

    def kind(self) -> tuple[str, str]:
        """(what, cause) of what is to be said about it; ("", "") for nothing."""
        if self.crash:
            return "crash", re.sub(r"\d+", "N", self.crash)[:120]
        for record in self.records:
            if record["status"] == "error":
                return "error", re.sub(r"-?\d+(\.\d+)?", "N", record["message"])[:120]
        for record in self.records:
            if record["status"] == "refuted":
                return "refuted", cause_of(record)
        return ("wrong", f"{self.blamed}; {self.said()}; {parts_of(self.differs)}") if self.differs else ("", "")

    def said(self) -> str:
        """What is said of its links, none of which is refuted."""
        reasons = sorted({f"{u['reason']} {' '.join(u['names'][:1])}" for r in self.records for u in r.get("unknown", [])})
        return "unknown: " + reasons[0] if reasons else "every link proved"


def parts_of(differs: str) -> str:
    """What differs, without numbers."""
    return ", ".join(sorted({re.sub(r" \d+$", "", d) for d in differs.split(", ")}))


def innermost(error: BaseException) -> str:
    """What was raised first, of errors that are raised because of each other: one line."""
    while (inner := getattr(error, "inner_exception", None) or error.__cause__) is not None:
        error = inner
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"


def cause_of(record: dict) -> str:
    """The pass, the rule, and the operators that meet: one fix should cure one cause."""
    finding = next(f for f in record["findings"] if f["status"] == "refuted" and not f.get("follows"))
    stage = re.sub(r"^\S*/", "", (record.get("stage") or "").split(" ")[-1])
    meet = [f"{role} {_operator(finding[role])}" for role in ("before", "clobber", "read") if finding.get(role)]
    return "; ".join([stage or "compare", finding["property"], *meet])


def _operator(place: dict) -> str:
    found = re.search(r"= ([\w.]+)\(", place.get("statement", ""))
    return found[1] if found else re.sub(r"_?\d+$", "", place.get("name", ""))


def run(subject: Subject, *, count: int = 200, seed: int = 1, seconds: float = 0, profiles: Sequence[str] = (), without: str = "",
        reduction: int = 60, out: str | os.PathLike[str] | None = None, compare_runs: bool = True,
        known: Callable[[str, str], bool] | None = None, most: int | None = None, ledger: str | os.PathLike[str] | None = None) -> Campaign:
    """The programs of the seeds from `seed` on; `seconds` ends it earlier. `profiles` are names of PROFILES, lines that match `without`
    are left out. Findings are written into `out`, one folder a cause:
    `program.py`, `first.py`, the refuted link `case.json`, `record.jsonl`, `why.txt`. Ctrl-C keeps what was found. With
    `compare_runs` each program is run as well, and what differs where everything is proved or unknown is a finding too. Causes
    that are `known` are counted, and not made small."""
    drawn.leave_out("|".join(filter(None, (subject.refused, without))) or r"(?!)")
    drawn.draw_as(sum((PROFILES[p] for p in profiles), drawn.Mixture()))
    folder = pathlib.Path(out or tempfile.mkdtemp(prefix="noclobber-fuzz-"))
    at_work = _Run(subject, folder, reduction, compare_runs, known or (lambda what, cause: False))
    at_work.most = most or subject.most
    about = {"subject": subject.name, "profiles": list(profiles), "without": without, "refused": subject.refused, "runs": compare_runs}
    book = Ledger(ledger, about) if ledger else None
    if book:
        at_work.goes_on(book)
    end = time.monotonic() + seconds if seconds else float("inf")
    try:
        with _little_garbage():
            left = [s for s in range(seed, seed + count) if not book or s not in book.done]
            for number, seeds in enumerate(_in_batches(left, max(BATCH, 4 * at_work.most))):
                if time.monotonic() >= end:
                    break
                at_work.batch(seeds, end)
                if number % 4 == 3:
                    gc.collect()
    except KeyboardInterrupt:
        at_work.interrupted = True
    return at_work.campaign()


def _in_batches(seeds: list[int], size: int) -> Iterator[list[int]]:
    return (seeds[at:at + size] for at in range(0, len(seeds), size))


@contextlib.contextmanager
def _little_garbage() -> Iterator[None]:
    """What is alive is not looked at again, and nothing is collected in the middle of a program."""
    was = gc.isenabled()
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        if was:
            gc.enable()


class _Run:
    """One campaign: its counts and what it found."""

    def __init__(self, subject: Subject, folder: pathlib.Path, reduction: int, compare_runs: bool, known: Callable[[str, str], bool]):
        self.subject, self.folder, self.reduction, self.compare_runs, self.known = subject, folder, reduction, compare_runs, known
        self.counts = dict.fromkeys(("programs", "links", "proved", "refuted", "unknown", "skipped"), 0)
        self.seen: dict[tuple[str, str], int] = {}
        self.causes: dict[tuple[str, str], dict] = {}
        self.interrupted = False
        self.most, self.book, self.place, self.folders = 1, None, folder, 0
        folder.mkdir(parents=True, exist_ok=True)

    def goes_on(self, book: Ledger) -> None:
        """With the counts and the causes of the runs before."""
        self.book = book
        for name, n in book.counts.items():
            self.counts[name] = self.counts.get(name, 0) + n
        for what, cause, n in book.seen:
            self.seen[what, cause] = n
        for cause in book.causes:
            self.causes[cause["what"], cause["cause"]] = cause

    def batch(self, seeds: Sequence[int], end: float) -> None:
        before, seen = dict(self.counts), dict(self.seen)
        with tempfile.TemporaryDirectory(prefix="noclobber-") as scratch:
            self.place, done = pathlib.Path(scratch), list(seeds)
            taken = []
            for number, seed in enumerate(seeds):
                if time.monotonic() >= end:
                    done = done[:number]
                    break
                made = draw(seed, self.subject.gradients, self.subject.may_ask)
                taken += [made] if _runs(made) else []
            self.counts["programs"] += len(done)
            self.counts["skipped"] += len(done) - len(taken)
            told = self.outcomes(taken, self.most)
            self.counts["skipped"] += told.count(None)
            for outcome in sorted((o for o in told if o is not None), key=lambda o: o.made.seed):
                self.count(outcome)
        if self.book and done:
            self.book.note(done, {k: n - before.get(k, 0) for k, n in self.counts.items()},
                           [[*k, n - seen.get(k, 0)] for k, n in self.seen.items() if n != seen.get(k, 0)], list(self.causes.values()))
        self.tell()

    def outcomes(self, programs: Sequence[Program], most: int) -> list[Outcome | None]:
        """Of every program, judged. Up to `most` of them are taken as one, and told apart afterwards."""
        alone = {p.seed for p in programs if most > 1 and self.subject.is_alone(p)}
        made: list[Outcome | None] = [self.taken(p) for p in programs if p.seed in alone]
        sorts: dict[object, list[Program]] = {}
        for p in programs:
            if p.seed not in alone:
                sorts.setdefault(self.subject.sort(p), []).append(p)
        for alike in sorts.values():
            for at in range(0, len(alike), most):
                made += self.as_one(alike[at:at + most])
        self.judge(made)
        return [told for o in made for told in (self.told_apart(o) if o is not None and isinstance(o.made, Batch) else [o])]

    def judge(self, outcomes: Sequence[Outcome | None]) -> None:
        judged = [o for o in outcomes if o is not None]
        judge(judged)
        self.counts["links"] += sum(len(o.records) for o in judged)

    def told_apart(self, batch: Outcome) -> list[Outcome | None]:
        """What is said of each program of the batch. If what is said of them together is said of none alone, the batch is convicted."""
        seen, parts = sum(self.seen.values()), batch.made.parts
        found = taken_apart(batch, self.known)
        if found is None:
            half = (len(parts) + 1) // 2
            told = self.outcomes(parts, half)
        else:
            told, alone = found
            again = [self.taken(p) for p in alone]
            self.judge(again)
            told = told + again
        if batch.kind()[0] and sum(self.seen.values()) == seen and not any(o is not None and o.kind()[0] for o in told):
            self.convict(batch)
        return told

    def as_one(self, programs: Sequence[Program]) -> list[Outcome | None]:
        """What the compiler does to them, not judged yet: together, but for those that it refuses."""
        if len(programs) < 2:
            return [self.taken(p) for p in programs]
        batch = Batch(tuple(programs))
        outcome = Outcome(batch, folder=self.a_folder())
        try:
            written = self.subject.record(batch, outcome.folder)
            in_pieces(outcome, proved_whole(outcome, written.checks, self.subject.whole), self.subject.by_position)
            if self.compare_runs:
                outcome.apart, outcome.differs = self.subject.suspects(batch)
        except Exception as error:  # noqa: BLE001, whatever a compiler raises
            apart = batch.blamed(error)
            if not apart or len(apart) == len(programs):
                half = len(programs) // 2
                return self.as_one(programs[:half]) + self.as_one(programs[half:])
            return self.as_one([p for p in programs if p not in apart]) + [self.taken(p) for p in apart]
        return [outcome]

    def a_folder(self) -> pathlib.Path:
        self.folders += 1
        return self.place / str(self.folders)

    def taken(self, made: Program | Batch, folder: pathlib.Path | None = None) -> Outcome | None:
        """What the compiler does to it, not judged yet; None where it is none of its programs."""
        folder = folder or self.a_folder()
        outcome = Outcome(made, folder=folder)
        if not _runs(made):
            return None
        try:
            written = self.subject.record(made, folder)
            outcome.records = [{"stage": stage, "paths": paths} for stage, paths in written.checks]
            outcome.differs = self.subject.difference(made) if self.compare_runs else ""
            outcome.blamed = self.subject.blame(made) if outcome.differs else ""
        except Skip:
            return None
        except Exception as error:  # noqa: BLE001, whatever a compiler raises
            outcome.crash = innermost(error)
        return outcome

    def count(self, outcome: Outcome) -> None:
        worst = {r["status"] for r in outcome.records}
        for status in ("refuted", "unknown", "proved"):
            if status in worst or (status == "proved" and not worst and not outcome.crash):
                self.counts[status] += 1
                break
        self.convict(outcome)

    def convict(self, outcome: Outcome) -> None:
        what, cause = outcome.kind()
        if not what:
            return
        n = self.seen[what, cause] = self.seen.get((what, cause), 0) + 1
        if not self.known(what, cause) and (n <= SHOWN or n & (n - 1) == 0):
            self.keep(outcome, what, cause)

    def keep(self, first: Outcome, what: str, cause: str) -> None:
        small = self.reduced(first, what, cause)
        _, after = small.kind()
        key = (what, after)
        if not self.known(*key) and (key not in self.causes or len(small.made.lines) < self.causes[key]["steps"]):
            named = self.causes.get(key, {}).get("folder") or self.folder / f"{len(self.causes) + 1:03}-{recorder.slug(f'{what}-{after}')}"
            self.causes[key] = {"what": what, "cause": after, "seed": first.made.seed, "steps": len(small.made.lines),
                                "fingerprints": [], "folder": str(named), "differs": small.differs}
            write(small, first, pathlib.Path(named), self.subject)

    def reduced(self, first: Outcome, what: str, cause: str) -> Outcome:
        """Lines and results are taken away while the same pass breaks the same promise, and runs differ if they did."""
        small, tries = first, self.reduction if what != "crash" else self.reduction // 4
        kept = tempfile.TemporaryDirectory(prefix="noclobber-")
        same = "; ".join(cause.split("; ")[:2])
        progress, tried = True, {first.made}
        while progress and tries > 0:
            progress = False
            for made in smaller(small.made):
                if made in tried:
                    continue
                tried.add(made)
                tries -= 1
                if tries < 0:
                    break
                again = self.taken(made, pathlib.Path(kept.name) / str(tries))
                if again is None:
                    continue
                judge([again])
                kind, reason = again.kind()
                if kind == what and (what == "wrong" or "; ".join(reason.split("; ")[:2]) == same) and bool(again.differs) >= bool(first.differs):
                    small, progress = again, True
                    break
        small.scratch = kept  # it lives as long as the outcome
        return small

    def tell(self) -> None:
        told = {"kind": "campaign", "subject": self.subject.name, **self.counts, "causes": list(self.causes.values()),
                "seen": [[*k, n] for k, n in sorted(self.seen.items(), key=lambda item: -item[1])]}
        (self.folder / "campaign.json").write_text(json.dumps(told, indent=1) + "\n")

    def campaign(self) -> Campaign:
        self.tell()
        c = self.counts
        return Campaign(c["programs"], c["proved"], c["refuted"], c["unknown"], c["skipped"], list(self.causes.values()), self.folder,
                        self.interrupted)


def draw(seed: int, gradients: float = 0.0, may_ask: Callable[[Sequence[str]], bool] = lambda lines: True) -> Program:
    rng = random.Random(seed)
    lines, given = drawn.program(rng)
    return Program(seed, tuple(lines), tuple(given), rng.random() < gradients and may_ask(lines))


def _runs(made: Program | Batch) -> bool:
    """Does PyTorch take it, with its gradients?"""
    try:
        observed.observe(made.function(), made.arguments())
    except Exception:  # noqa: BLE001, whatever PyTorch refuses
        return False
    return True


def proved_whole(batch: Outcome, links: Sequence[tuple[str, list[pathlib.Path]]], whole: Sequence[str]) -> list[tuple[str, list[pathlib.Path]]]:
    """The links but those of the stages `whole` that are proved as they are. What is proved is run, however large it is."""
    stages = {str(paths[0]): stage for stage, paths in links if len(paths) == 1 and stage in whole}
    records = _checked(list(stages), "--run", "always") if stages else []
    batch.whole = [r | {"stage": stages[r["input"]]} for r in records if r["status"] == "proved"]
    proved = {r["input"] for r in batch.whole}
    return [(stage, paths) for stage, paths in links if str(paths[0]) not in proved]


def in_pieces(batch: Outcome, links: Sequence[tuple[str, list[pathlib.Path]]], by_position: bool) -> None:
    """The links of a batch, cut into what shares no value: small graphs are checked faster than large ones, and each is of some program."""
    for number, (stage, paths) in enumerate(links):
        pieces = together.cut(json.loads(paths[0].read_text())) if len(paths) == 1 and paths[0].name.endswith(".case.json") else []
        if len(pieces) < 2:
            batch.records.append({"stage": stage, "paths": paths})
            continue
        for k, piece in enumerate(pieces):
            path = batch.folder / f"piece-{number:03}-{k:03}.case.json"
            path.write_text(json.dumps(piece.case))
            batch.records.append({"stage": stage, "paths": [path]})
            if parts := piece.parts(batch.made, by_position):
                batch.owners[str(path)] = parts


def taken_apart(batch: Outcome, known: Callable[[str, str], bool]) -> tuple[list[Outcome], list[Program]] | None:
    """What is said of a batch, program by program, and the programs of which that is not known, or is bad for a cause that is not `known`: they
    are to be run alone. None where a link of all of them is not proved."""
    apart, together_bad = {id(p): p for p in batch.apart}, {}
    told = {id(p): Outcome(p, folder=batch.folder) for p in batch.made.parts}
    for record in batch.records:
        parts = batch.owners.get(record["input"], list(batch.made.parts))
        if record["status"] != "proved" and len(parts) == len(batch.made.parts):
            return None
        if record["status"] != "proved" and len(parts) > 1:
            together_bad |= {id(p): p for p in parts}
        for part in parts:
            told[id(part)].records.append(record)
    for key, outcome in told.items():
        causes = [cause_of(r) for r in outcome.records if r["status"] == "refuted"]
        if causes and all(known("refuted", cause) for cause in causes):
            apart.pop(key, None)
        elif causes:
            apart[key] = outcome.made
    apart |= together_bad
    return [o for key, o in told.items() if key not in apart], list(apart.values())


def judge(outcomes: Sequence[Outcome]) -> None:
    """Fills in the records of all of them."""
    single = {str(r["paths"][0]): (o, r["stage"]) for o in outcomes for r in o.records if len(r["paths"]) == 1}
    double = [(o, r["stage"], r["paths"]) for o in outcomes for r in o.records if len(r["paths"]) == 2]
    for outcome in outcomes:
        outcome.records = list(outcome.whole)
    paths = list(single)
    for at in range(0, len(paths), recorder.MOST_AT_ONCE):
        for record in _checked(paths[at:at + recorder.MOST_AT_ONCE]):
            at_fault = record["input"] if record["input"] in single else str(pathlib.Path(record["input"]).parent)
            outcome, stage = single[at_fault]
            outcome.records.append(record | {"stage": stage or record.get("id", "")})
    for outcome, stage, (before, after) in double:
        try:
            outcome.records += [r | {"stage": stage} for r in program.compare(before, after, options=("--jobs", "1"))]
        except program.ProgramError as error:
            if program.ALARM in str(error):
                outcome.records.append({"input": str(before), "status": "error", "message": str(error), "stage": stage})


def _checked(paths: Sequence[str], *options: str) -> list[dict]:
    """Their records. What noclobber cannot read, or contradicts itself about, has one of status "error" with its message: a finding about
    noclobber, which stops nobody."""
    try:
        return program.check(*paths, options=("--jobs", "1", *options))
    except program.ProgramError as error:
        if len(paths) > 1:
            return [record for path in paths for record in _checked([path], *options)]
        return [{"input": paths[0], "status": "error", "message": str(error).replace(paths[0], "case")}]


def smaller(made: Program | Batch) -> Iterator[Program | Batch]:
    """Programs with something taken away: results, then lines with all that rest on them, half of a long program first and then
    fewer, then lines whose value is another one's. Of
    several as one: half of them, one of them, then something of one."""
    if isinstance(made, Batch):
        half = len(made.parts) // 2
        several = [made.parts[half:], made.parts[:half], *(made.parts[:k] + made.parts[k + 1:] for k in range(len(made.parts)))]
        yield from (Batch(parts) for parts in dict.fromkeys(several) if 1 < len(parts) < len(made.parts))
        for k, part in enumerate(made.parts):
            yield from (Batch((*made.parts[:k], less, *made.parts[k + 1:])) for less in smaller(part))
        return
    if made.watched:
        yield dataclasses.replace(made, watched=False)
    for k in range(len(made.given)):
        if len(made.given) > 1:
            yield dataclasses.replace(made, given=made.given[:k] + made.given[k + 1:])
    size = len(made.lines) // 2 if len(made.lines) > SHORT else min(1, len(made.lines))
    while size:
        for end in range(len(made.lines), 0, -size):
            yield from _dropped(made, max(0, end - size), end)
        size //= 2
    yield from _renamed(made)


def _dropped(made: Program, first: int, end: int) -> Iterator[Program]:
    """These lines are gone, and all that rest on them."""
    lines, gone = [], set()
    for at, line in enumerate(made.lines):
        if first <= at < end or gone & set(re.findall(r"\bv\d+\b", line)):
            bound = re.match(r"(v\d+(?:, v\d+)*) = ", line)
            gone |= set(bound[1].split(", ")) if bound else set()
        else:
            lines.append(line)
    if given := tuple(name for name in made.given if name not in gone):
        yield dataclasses.replace(made, lines=tuple(lines), given=given)


def _renamed(made: Program) -> Iterator[Program]:
    """A line is gone, and the name that it bound is one of its operands, or an argument."""
    for k in reversed(range(len(made.lines))):
        bound = re.match(r"(v\d+) = (.*)", made.lines[k])
        if not bound:
            continue
        operands = [n for n in re.findall(r"\b(?:v\d+|[xyzsihbmn])\b(?!\()", bound[2])]
        for other in dict.fromkeys([*operands, "x"]):
            def put(text: str, other: str = other) -> str:
                return re.sub(rf"\b{bound[1]}\b", other, text)
            yield dataclasses.replace(made, lines=tuple(map(put, made.lines[:k] + made.lines[k + 1:])),
                                      given=tuple(dict.fromkeys(map(put, made.given))))


def write(small: Outcome, first: Outcome, folder: pathlib.Path, subject: Subject) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "program.py").write_text(subject.script(small.made))
    (folder / "first.py").write_text(first.made.text)
    what, cause = small.kind()
    run_says = f"a run differs: {small.differs}" if small.differs else "no run differs on the contents that were tried"
    (folder / "why.txt").write_text(f"{what}: {cause}\nseed {first.made.seed}\n{run_says}\n{small.crash}\n")
    bad = [r for r in small.records if r["status"] in ("error", "refuted")]
    if bad:
        (folder / "record.jsonl").write_text("".join(json.dumps(r) + "\n" for r in bad))
        if pathlib.Path(bad[0]["input"]).is_file():
            shutil.copyfile(bad[0]["input"], folder / "case.json")
