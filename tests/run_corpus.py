#!/usr/bin/env python3
"""Run the labelled corpus: run_corpus.py [CHECKER]

One run of the checker per folder of corpus/, verdicts compared file by file, everything twice (on all cores and on
one) with equal bytes.  A refuted case passes only if a replayed finding carries a property its row allows and the
findings name the steps its row points at.  `unknown` fails unless the row admits it in column `known`.
In corpus/later only a wrong verdict fails.  Dummy checkers have to fail, see dummies().
"""
import collections, csv, json, os, pathlib, re, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT / "corpus"
# Fewer cases than these (proved, refuted) means that some were lost; raise when adding.
FLOOR = {"cases": (181, 181), "inductor": (21, 11), "oneshot": (24, 24),
         "later": (3, 3)}
LOG_FLOOR = {"sound": 27, "miscompiled": 32, "tlparse": 11, "open": 2}
MAX_KNOWN = 0  # admitted unknowns outside of corpus/later
SUFFIX = {"proved": ".accept.json", "refuted": ".refute.json"}


def table(path):
    with path.open(newline="") as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


def listed(text):
    return set(text.split(",")) - {"-", ""}


def run(checker, arguments, *extra):
    """Exit code and output of one `check`; a checker that hangs or cannot start has no output."""
    try:
        done = subprocess.run([*checker, "check", "--json", "--run", "always", *extra, *arguments], cwd=ROOT, capture_output=True, timeout=300)
        return done.returncode, done.stdout
    except (OSError, subprocess.TimeoutExpired) as fault:
        return -1, str(fault).encode()


def records(output):
    """The check and error records, and the summary."""
    found, summary = [], None
    for line in output.decode(errors="replace").splitlines():
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            return [], None
        if record.get("kind") == "summary":
            summary = record
        else:
            found.append(record)
    return found, summary


def replayed(record):
    return [f for f in record.get("findings", []) if f.get("status") == "refuted" and f.get("replayed") is True]


def fault_in_verdict(expected, known, record):
    """Why the record's verdict is not the expected one, or None."""
    got = record.get("status", f"{record.get('kind')}: {record.get('message', '')}")
    if got == expected or (got == "unknown" and known != "-"):
        return None
    why = "; ".join(f"{u['reason']}: {', '.join(u.get('names', []))[:100]}" for u in record.get("unknown", []))
    return f"expected {expected}, got {got}" + (f" ({why})" if why else "")


def fault_in_case(row, found, decided):
    """Why the records found for this file are not what its row says, or None."""
    if len(found) != 1:
        return f"expected 1 record, got {len(found)}"
    record = found[0]
    if not decided:
        return fault_in_verdict(row["verdict"], "not decided yet", record)
    fault = fault_in_verdict(row["verdict"], row["known"], record)
    if fault or record["status"] != "refuted":
        return fault
    findings = replayed(record)
    allowed = listed(row["property"]) | listed(row["also"])
    right = [f for f in findings if f["property"] in allowed]
    if not right:
        return f"refuted for {sorted({f['property'] for f in findings})}, expected one of {sorted(allowed)}"
    named = {f.get(k, {}).get("name") for f in findings for k in ("define", "clobber", "read")}
    missing = listed(row["points_at"]) - named
    return f"refuted, but no finding points at {sorted(missing)}" if missing else None


def fault_in_exit(code, summary, found):
    """Whether exit code, summary and records tell one story."""
    count = collections.Counter(r.get("status", r.get("kind")) for r in found)
    want = 2 if count["error"] else 0
    want = 3 if count["unknown"] and not want else want
    want = 1 if count["refuted"] else want
    if code != want:
        return f"exit code {code}, the records say {want}"
    if summary is None or any(summary.get(k) != count[k] for k in ("proved", "refuted")) or summary.get("exit") != code:
        return "the summary does not count what was printed"
    return None


class Outcome:
    """Faults by test, in the order they were run, and the output they were read from."""
    def __init__(self):
        self.faults, self.output, self.stale = {}, [], []

    def failed(self):
        return {name: fault for name, fault in self.faults.items() if fault}


def run_cases(checker, folder, outcome, extra):
    rows = table(CORPUS / folder / "cases.tsv")
    files = sorted(p.name for p in (CORPUS / folder).glob("*.json"))
    code, output = run(checker, [f"corpus/{folder}/{f}" for f in files], *extra)
    found, summary = records(output)
    by_file = collections.defaultdict(list)
    for record in found:
        by_file[record.get("input", "")].append(record)
    counts = tuple(sum(r["verdict"] == v for r in rows) for v in ("proved", "refuted"))
    lost = [f"{n} of {least} cases" for n, least in zip(counts, FLOOR[folder], strict=True) if n < least]
    bad_names = [r["file"] for r in rows if not r["file"].endswith(SUFFIX[r["verdict"]])]
    outcome.faults[f"{folder}: every file has one row"] = (
        None if files == sorted(r["file"] for r in rows) else "cases.tsv and the files differ")
    outcome.faults[f"{folder}: no case was lost"] = "; ".join(lost) or None
    outcome.faults[f"{folder}: names say the verdict"] = ", ".join(bad_names) or None
    outcome.faults[f"{folder}: exit code"] = fault_in_exit(code, summary, found)
    for row in rows:
        mine = by_file[f"corpus/{folder}/{row['file']}"]
        outcome.faults[f"{folder}/{row['file']}"] = fault_in_case(row, mine, folder != "later")
        if row["known"] != "-" and mine and mine[0].get("status") != "unknown":
            outcome.stale.append(f"{folder}/{row['file']}")
    outcome.output.append(output)


def fault_in_check(row, record):
    fault = fault_in_verdict(row["verdict"], row["known"], record)
    if fault or record["status"] != "refuted":
        return fault
    rules = {f["rule"] for f in replayed(record)}
    return None if row["rule"] in rules else f"refuted by {sorted(rules)}, expected {row['rule']}"


def run_logs(checker, outcome, extra):
    rows = table(CORPUS / "logs/expected.tsv")
    for folder, least in LOG_FLOOR.items():
        mine = {(f"corpus/logs/{r['log']}", r["id"]): r for r in rows if r["log"].startswith(folder + "/")}
        code, output = run(checker, [f"corpus/logs/{folder}"], *extra)
        found, summary = records(output)
        checks = {(r.get("input"), r.get("id")): r for r in found}
        outcome.faults[f"logs/{folder}: no check was lost"] = f"{len(mine)} of {least}" if len(mine) < least else None
        outcome.faults[f"logs/{folder}: nothing else was checked"] = (
            ", ".join(f"{i} {j}" for i, j in checks.keys() - mine.keys()) or None)
        outcome.faults[f"logs/{folder}: exit code"] = fault_in_exit(code, summary, found)
        for key, row in mine.items():
            fault = fault_in_check(row, checks[key]) if key in checks else "not checked"
            outcome.faults[f"logs/{row['log']} {row['id']}"] = fault
            if row["known"] != "-" and checks.get(key, {}).get("status") != "unknown":
                outcome.stale.append(f"logs/{row['log']} {row['id']}")
        outcome.output.append(output)


def whole(checker, *extra):
    outcome = Outcome()
    for folder in FLOOR:
        run_cases(checker, folder, outcome, extra)
    run_logs(checker, outcome, extra)
    return outcome


DUMMY = '''import json, sys
expected = json.load(open({labels!r}))
files = [a for a in sys.argv[2:] if a.startswith("corpus/")]
finding = {{"rule": "NC001", "property": {property!r}, "status": "refuted", "replayed": {replayed}}}
count = {{"proved": 0, "refuted": 0, "unknown": 0}}
for key, verdict in expected:
    if key.split(" ")[0] not in files and not any(key.startswith(f + "/") for f in files):
        continue
    status = {status}
    count[status] += 1
    findings = [finding] if status == "refuted" else []
    print(json.dumps({{"kind": "check", "input": key.split(" ")[0], "id": key.split(" ")[-1], "status": status,
                       "findings": findings, "unknown": []}}))
code = 1 if count["refuted"] else 3 if count["unknown"] else 0
print(json.dumps({{"kind": "summary", "proved": count["proved"], "refuted": count["refuted"], "exit": code}}))
sys.exit(code)
'''


def labels():
    for folder in FLOOR:
        yield from ((f"corpus/{folder}/{r['file']}", r["verdict"]) for r in table(CORPUS / folder / "cases.tsv"))
    yield from ((f"corpus/logs/{r['log']} {r['id']}", r["verdict"]) for r in table(CORPUS / "logs/expected.tsv"))


def dummies(home):
    """Checkers that read nothing, each with the verdicts it must fail on."""
    (home / "labels.json").write_text(json.dumps(list(labels())))
    for name, status, prop, replay, fails_on in (
            ("always proved", '"proved"', "stale-read", True, {"refuted"}),
            ("always refuted", '"refuted"', "stale-read", True, {"proved"}),
            ("always unknown", '"unknown"', "stale-read", True, {"proved", "refuted"}),
            ("right for no reason", "verdict", "none", True, {"refuted"}),
            ("right without a run", "verdict", "stale-read", False, {"refuted"})):
        path = home / (name.replace(" ", "_") + ".py")
        path.write_text(DUMMY.format(labels=str(home / "labels.json"), status=status, property=prop, replayed=replay))
        yield name, [sys.executable, str(path)], fails_on


def fault_in_dummy(checker, fails_on):
    """None if every decided case with such a verdict failed, and at least one did in each folder."""
    failed = whole(checker).failed()
    passed = []
    for folder in FLOOR:
        rows = [r for r in table(CORPUS / folder / "cases.tsv") if r["verdict"] in fails_on and r["known"] == "-"]
        if folder != "later":
            passed += [r["file"] for r in rows if f"{folder}/{r['file']}" not in failed]
    if not failed:
        return "it passed the corpus"
    return f"it passed {len(passed)} cases, for example {passed[0]}" if passed else None


def report(faults):
    for name, fault in faults.items():
        if fault:
            print(f"FAIL {name}: {fault}")
    failed = sum(f is not None for f in faults.values())
    print(f"{len(faults) - failed} passed, {failed} failed")
    return 1 if failed or not faults else 0


def main():
    home = pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build/bin"))
    checker = [sys.argv[1]] if len(sys.argv) > 1 else [str(home / "noclobber")]
    outcome = whole(checker)
    faults = outcome.faults
    again = whole(checker, "--jobs", "1")
    faults["two runs, one of them on one core, give equal bytes"] = (
        None if outcome.output == again.output else "the outputs differ")
    known = [r for f in FLOOR if f != "later" for r in table(CORPUS / f / "cases.tsv") if r["known"] != "-"]
    known_logs = [r for r in table(CORPUS / "logs/expected.tsv") if r["known"] != "-"]
    admitted = len(known) + len(known_logs)
    faults["few unknowns are admitted"] = f"{admitted} of at most {MAX_KNOWN}" if admitted > MAX_KNOWN else None
    with tempfile.TemporaryDirectory() as temp:
        for name, dummy, fails_on in dummies(pathlib.Path(temp)):
            faults[f"a dummy checker fails: {name}"] = fault_in_dummy(dummy, fails_on)
    for row in known:
        print(f"note: unknown is admitted for {row['file']}: {row['known']}")
    for row in known_logs:
        print(f"note: unknown is admitted for {row['log']} {row['id']}: {row['known']}")
    for name in outcome.stale:
        print(f"note: {name} is decided now, its `known` can go")
    return report(faults)


if __name__ == "__main__":
    sys.exit(main())
