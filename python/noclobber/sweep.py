"""`noclobber sweep MANIFEST`: many inputs and many seeds, on one machine or on a cluster of Ray.

A manifest has a line for each item, as JSON (a bare path is `{"check": PATH}`); paths are relative to its folder:

    {"check": "logs/a.log", "options": ["--strict"]}
    {"compare": ["before.pt2", "after.pte"]}
    {"fuzz": {"start": 0, "count": 10000}, "options": ["--pass", "python3 my_pass.py", "--persistent"]}

Seeds are cut into parts. Each part is a shard, and `work` is the whole of what a worker does: a shard in, a result out,
which says the same whenever, wherever and however often it runs. A result is a file of the store (OUT/results), named
after what it is a result of: the item, the contents of its inputs and the program itself. What is there is not
run again, so a sweep that was killed goes on where it was; what does not say what it said before is an alarm.
"""
from __future__ import annotations

import argparse
import collections
import concurrent.futures
import hashlib
import html
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from . import program

ATTEMPTS = 3  # a worker that is lost, or ends with RETRY
RETRY, ALARM, INTERRUPTED = 75, 4, 130
SEEDS = 200  # of one shard
_SLOWEST = 20


class Lost(RuntimeError):
    """The program did not end by itself, or wants to be run again."""


class Manifest(ValueError):
    """A line that says nothing that can be run; the message names it."""


def shards_of(manifest: pathlib.Path, seeds: int = SEEDS) -> list[dict]:
    """What is to be run, in the order of the manifest; each with a name, a command and a key. Raises Manifest, OSError."""
    build = _digest(pathlib.Path(program.binary()))
    out = []
    for number, line in enumerate(manifest.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            item = json.loads(line) if line.lstrip().startswith("{") else {"check": line.strip()}
            commands = list(_commands(item, seeds))
        except (ValueError, KeyError, TypeError, AttributeError) as fault:
            raise Manifest(f"{manifest}:{number}: {fault}") from fault
        for name, command, inputs in commands:
            content = [build, command, [_digest(manifest.parent / path) for path in inputs]]
            key = hashlib.sha256(json.dumps(content).encode()).hexdigest()[:32]
            out.append({"name": name, "command": command, "folder": os.fspath(manifest.parent.resolve()), "key": key})
    twice = [key for key, many in collections.Counter(shard["key"] for shard in out).items() if many > 1]
    if twice:
        raise Manifest(f"{manifest}: two lines ask for the same: {next(s['name'] for s in out if s['key'] == twice[0])}")
    return out


def _commands(item: dict, seeds: int) -> Iterator[tuple[str, list[str], list[str]]]:
    """Name, command and input files of each shard of one item."""
    options = [str(option) for option in item.get("options", [])]
    kinds = sorted(item.keys() - {"options"})
    if kinds == ["check"]:
        paths = [item["check"]] if isinstance(item["check"], str) else list(item["check"])
        yield " ".join(paths), ["check", *paths, *options], paths
    elif kinds == ["compare"]:
        before, after = item["compare"]
        yield f"{before} -> {after}", ["compare", before, after, *options], [before, after]
    elif kinds == ["fuzz"]:
        first, count = int(item["fuzz"].get("start", 1)), int(item["fuzz"]["count"])
        for start in range(first, first + count, seeds):
            many = min(seeds, first + count - start)
            yield (f"seeds {start} to {start + many - 1}",
                   ["fuzz", "--start", str(start), "--count", str(many), *options], [])
    else:
        raise ValueError(f"expected one of check, compare and fuzz, and options; found {', '.join(kinds) or 'nothing'}")


def _digest(path: pathlib.Path) -> str:
    """Of a file, or of all files of a folder with their names."""
    digest = hashlib.sha256()
    for file in sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]:
        digest.update(file.relative_to(path).as_posix().encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def work(shard: dict) -> dict:
    """The result of a shard: exit code, records, and what the program wrote, by name. Raises Lost."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="noclobber-") as folder:
        found = pathlib.Path(folder) / "found"
        out = ["--out", os.fspath(found)] if shard["command"][0] == "fuzz" else []
        ran = subprocess.run([program.binary(), *shard["command"], "--json", "--quiet", "--jobs", "1", *out],
                             cwd=shard["folder"], capture_output=True, text=True)
        if ran.returncode < 0 or ran.returncode in (RETRY, INTERRUPTED):
            raise Lost(f"{shard['name']}: exit code {ran.returncode}")
        place = "found/" + hashlib.sha256(json.dumps(shard["command"]).encode()).hexdigest()[:16]
        text = ran.stdout.replace(os.fspath(found), place)
        files = {f"{place}/{file.relative_to(found).as_posix()}": file.read_text().replace(os.fspath(found), place)
                 for file in sorted(found.rglob("*")) if file.is_file()}
    records = [json.loads(line) for line in text.splitlines() if line]
    return {"schema": "noclobber.sweep/1", "key": shard["key"], "name": shard["name"], "exit": ran.returncode,
            "records": records or [_error(shard, ran.stderr.strip())], "files": files,
            "seconds": round(time.monotonic() - started, 3)}


def lost(shard: dict, fault: BaseException) -> dict:
    """What stands for a shard whose workers were lost time and again; it is not kept, so the next sweep tries again."""
    return {"schema": "noclobber.sweep/1", "key": shard["key"], "name": shard["name"], "exit": 2, "files": {},
            "records": [_error(shard, f"lost {ATTEMPTS} times: {fault}")], "seconds": 0.0, "lost": True}


def _error(shard: dict, message: str) -> dict:
    return {"schema": "noclobber.result/1", "kind": "error", "input": shard["name"], "where": "", "message": message}


def _said(result: dict) -> dict:
    return {name: result[name] for name in ("exit", "records", "files")}


class Store:
    """Results by key, each written whole or not at all."""

    def __init__(self, out: pathlib.Path):
        self.out, self.alarms = out, []
        (out / "results").mkdir(parents=True, exist_ok=True)

    def path(self, key: str) -> pathlib.Path:
        return self.out / "results" / f"{key}.json"

    def get(self, key: str) -> dict | None:
        """None: there is none, or what is there is no result (a disk was full): it is made anew."""
        try:
            return json.loads(self.path(key).read_text())
        except (OSError, ValueError):
            return None

    def put(self, result: dict) -> None:
        """Keeps the first of two that say the same; two that do not are an alarm, and the first stays."""
        if result.get("lost"):
            return
        old = self.get(result["key"])
        if old is not None:
            if _said(old) != _said(result):
                self.alarms.append(f"{result['name']}: two runs of one shard say different things")
            return
        for name, text in result["files"].items():
            path = self.out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        partial = self.path(result["key"]).with_suffix(f".{os.getpid()}.partial")
        partial.write_text(json.dumps(result))
        os.replace(partial, self.path(result["key"]))


def run_local(shards: list[dict], jobs: int) -> Iterator[dict]:
    """Results as they come, from `jobs` processes of the program at a time."""

    def attempt(shard: dict) -> dict:
        for left in range(ATTEMPTS, 0, -1):
            try:
                return work(shard)
            except Lost as fault:
                if left == 1:
                    return lost(shard, fault)
        raise AssertionError("the last attempt returns")

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        try:
            for done in concurrent.futures.as_completed([pool.submit(attempt, shard) for shard in shards]):
                yield done.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def run_ray(shards: list[dict], jobs: int, address: str | None = None) -> Iterator[dict]:
    """Results as they come, from the workers of a cluster (`address`) or of a Ray of this machine's own. Each node has
    the package and the inputs at the same paths; workers that are lost are replaced by Ray."""
    import ray

    ray.init(address=address, num_cpus=None if address else jobs, include_dashboard=None if address else False,
             log_to_driver=False, ignore_reinit_error=True)
    remote = ray.remote(max_retries=2 * ATTEMPTS, retry_exceptions=[Lost])(work)
    waiting, running = collections.deque(shards), {}
    while waiting or running:
        while waiting and len(running) < 4 * jobs:
            shard = waiting.popleft()
            running[remote.remote(shard)] = shard
        done, _ = ray.wait(list(running))
        for one in done:
            shard = running.pop(one)
            try:
                yield ray.get(one)
            except (Lost, ray.exceptions.RayError) as fault:
                yield lost(shard, fault)


class Score:
    """What was said so far."""

    def __init__(self, total: int):
        self.total, self.done, self.kept, self.lost = total, 0, 0, 0
        self.status, self.reasons, self.rules = collections.Counter(), collections.Counter(), collections.Counter()
        self.campaign, self.exits = collections.Counter(), set()
        self.slowest: list[tuple[float, str]] = []
        self.started = self.told = time.monotonic()

    def add(self, result: dict, is_kept: bool) -> None:
        self.done, self.kept = self.done + 1, self.kept + is_kept
        self.lost += bool(result.get("lost"))
        self.exits.add(result["exit"])
        self.slowest = sorted([*self.slowest, (result["seconds"], result["name"])], reverse=True)[:_SLOWEST]
        for record in result["records"]:
            if record["kind"] in ("check", "error"):
                self.status["error" if record["kind"] == "error" else record["status"]] += 1
                self.reasons.update(u["reason"] for u in record.get("unknown", []) if record.get("status") == "unknown")
                self.rules.update(f["rule"] for f in record.get("findings", []) if not f.get("follows"))
            elif record["kind"] == "campaign":
                self.campaign.update({name: record[name] for name in ("programs", "proved", "refuted", "unknown", "beyond")})
                self.rules.update(record["rules"])
            elif record["kind"] == "score":
                self.campaign.update({"seeds": record["seeds"], "checks": record["checks"]})

    def line(self) -> str:
        spent, fresh = time.monotonic() - self.started, self.done - self.kept
        left = f", about {spent / fresh * (self.total - self.done):.0f} s left" if 0 < fresh and self.done < self.total else ""
        slowest = f", slowest {self.slowest[0][1]} ({self.slowest[0][0]:.1f} s)" if self.slowest else ""
        parts = [", ".join(f"{many} {name}" for name, many in sorted(counted.items())) for counted in (self.status, self.campaign)]
        said = "; campaigns: ".join(parts) if parts[1] else parts[0]
        return f"{self.done} of {self.total} shards ({self.kept} kept, {self.lost} lost): {said or 'nothing yet'}{slowest}{left}"

    def exit_code(self, alarms: list[str]) -> int:
        if alarms:
            return ALARM
        return next((code for code in (ALARM, 1, 2, 3) if code in self.exits), 0 if self.done else 2)

    def page(self, alarms: list[str]) -> str:
        """One page of HTML: what was said, why it is unknown, which rules, what took longest."""
        tables = [("Verdicts", self.status.most_common()), ("Campaigns", sorted(self.campaign.items())),
                  ("Reasons for unknown", self.reasons.most_common()), ("Rules", self.rules.most_common()),
                  ("Slowest shards, seconds", [(name, seconds) for seconds, name in self.slowest]),
                  ("Alarms", [(alarm, 1) for alarm in alarms])]
        out = ["<!doctype html><meta charset=utf-8><title>noclobber sweep</title><style>body{font:15px/1.5 system-ui;"
               "max-width:60rem;margin:2rem auto;padding:0 1rem}td{padding:.1rem .6rem}td+td{text-align:right}"
               "td+td+td{width:40%}i{display:block;height:.7rem;background:#0969da}</style>",
               f"<h1>Sweep</h1><p>{html.escape(self.line())}</p>"]
        for title, rows in tables:
            most = max((many for _, many in rows), default=0) or 1
            lines = [f"<tr><td>{html.escape(str(name))}<td>{many}<td><i style='width:{100 * many / most:.0f}%'></i>"
                     for name, many in rows]
            out += [f"<h2>{title}</h2><table>", *lines, "</table>"] if rows else []
        return "\n".join(out) + "\n"


def sweep(manifest: pathlib.Path, out: pathlib.Path, *, runner: str = "local", jobs: int = 0, seeds: int = SEEDS,
          part: tuple[int, int] = (1, 1), again: bool = False, address: str | None = None, quiet: bool = False) -> int:
    """Runs what has no result yet (`again`: everything), writes OUT/records.jsonl and OUT/statistics.html, and returns
    the exit code. `part` (i, n): every n-th shard only, from the i-th on."""
    shards = shards_of(manifest, seeds)[part[0] - 1::part[1]]
    store, score = Store(out), Score(len(shards))
    results = {} if again else {s["key"]: kept for s in shards if (kept := store.get(s["key"])) is not None}
    for kept in results.values():
        score.add(kept, True)
    todo = [shard for shard in shards if shard["key"] not in results]
    jobs = jobs or os.cpu_count() or 1
    running = run_ray(todo, jobs, address) if runner == "ray" else run_local(todo, jobs)
    interrupted = False
    try:
        for result in running if todo else ():
            store.put(result)
            results[result["key"]] = result
            score.add(result, False)
            if not quiet and time.monotonic() - score.told > (2 if sys.stderr.isatty() else 30):
                score.told = time.monotonic()
                print(f"sweep: {score.line()}", file=sys.stderr)
    except KeyboardInterrupt:
        interrupted = True
    with open(out / "records.jsonl", "w") as file:
        for shard in shards:
            for record in results.get(shard["key"], {"records": []})["records"]:
                file.write(json.dumps(record) + "\n")
    (out / "statistics.html").write_text(score.page(store.alarms))
    for alarm in store.alarms:
        print(f"sweep: alarm: {alarm}", file=sys.stderr)
    print(f"{score.line()}{' (interrupted)' if interrupted else ''}; {out / 'records.jsonl'}, {out / 'statistics.html'}")
    return INTERRUPTED if interrupted else score.exit_code(store.alarms)


def main(arguments: list[str] | None = None) -> int:
    """Entry point of `noclobber sweep`."""
    parser = argparse.ArgumentParser(prog="noclobber sweep", description=__doc__.split("\n\n")[0],
                                     epilog="Exit codes: 0 proved, 1 refuted, 2 usage, unreadable or lost, 3 unknown, "
                                            "4 internal error or two runs that say different things, 130 interrupted.")
    parser.add_argument("manifest", type=pathlib.Path, help="a line for each item: a path, or JSON with check, compare or fuzz")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("noclobber-sweep"), help="results, records, statistics")
    parser.add_argument("--runner", choices=("local", "ray"), default="local")
    parser.add_argument("--address", help="of a Ray cluster (default: a Ray of this machine's own)")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="shards at a time (0: one per core)")
    parser.add_argument("--seeds", type=int, default=SEEDS, metavar="N", help="seeds of one shard")
    parser.add_argument("--part", default="1/1", metavar="I/N", help="every N-th shard from the I-th on: for job arrays")
    parser.add_argument("--again", action="store_true", help="run everything again: what differs is an alarm")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    asked = parser.parse_args(arguments)
    index, _, parts = asked.part.partition("/")
    if not (index.isdigit() and parts.isdigit() and 1 <= int(index) <= int(parts)):
        parser.error(f"--part {asked.part}: expected I/N, 1 <= I <= N")
    if asked.seeds < 1 or asked.jobs < 0:
        parser.error("--seeds is at least 1, --jobs at least 0")
    try:
        return sweep(asked.manifest, asked.out, runner=asked.runner, jobs=asked.jobs, seeds=asked.seeds,
                     part=(int(index), int(parts)), again=asked.again, address=asked.address, quiet=asked.quiet)
    except (Manifest, OSError, program.ProgramError, ImportError) as fault:
        hint = " (install noclobber[sweep])" if isinstance(fault, ImportError) else ""
        print(f"noclobber sweep: {fault}{hint}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
