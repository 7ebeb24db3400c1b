#!/usr/bin/env python3
"""Time and memory of `noclobber check`, beside tlparse rendering the same log in the same run.

bench.py [LOG...]: logs of corpus/ plus a synthetic pair of 5,000 steps plus the LOGs named (`.gz` too).  Every figure
is the median of three runs; both programs get plain text.  Exit 1 if a limit is passed.  See docs/benchmarks.md.
"""
import gzip, hashlib, json, os, pathlib, re, shutil, statistics, subprocess, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parent.parent
VENV = ROOT / "build/venv-bench"
TLPARSE = "tlparse==0.4.3"
LOGS = ["tlparse/multi_rank_runtime_rank_4", "sound/lstm_lm", "sound/ok-attention"]
RUNS = 3
MAX_RATIO = 2.0       # times tlparse
MAX_PAIR_SECONDS = 0.3
MAX_RUN_SECONDS = 5.0  # of the interpreter, per 1,000 steps of a log's longest graph on its real shapes
MIN_MODELLED = 0.995   # of the steps of all logs
MAX_MEMORY = 1 << 30  # bytes
STARTS = 40
MAX_START = 0.005      # seconds of processor time
MAX_CHECK_RATIO = 0.1  # nc-check over proving, in processor time of whole programs
# Chains (tools/gen_chains.py) whose proving takes about a second, or as long as rules alone decide them.
CHAINS = {"steps": 200000, "kv": 20000, "recurrent": 20000, "opaque": 20000, "pair": 15000, "permuted": 1000, "cat": 1000}
SAID = ["obligations", "by rule", "derivations", "assumed of the solver"]  # numbers in nc-check's answer


def tlparse():
    program = VENV / "bin/tlparse"
    stamp = VENV / f".{TLPARSE}"
    if not stamp.exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        subprocess.run([VENV / "bin/pip", "install", "--quiet", TLPARSE], check=True)
        stamp.touch()
    return program


def once(command):
    """(exit code, seconds, peak bytes) of one run."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, time.perf_counter() - start, usage.ru_maxrss * 1024


def median(command, allowed):
    """(exit code, median seconds, greatest peak) of RUNS runs."""
    runs = [once(command) for _ in range(RUNS)]
    code = runs[0][0]
    if any(r[0] != code for r in runs) or code not in allowed:
        sys.exit(f"bench: exit code {[r[0] for r in runs]}: {' '.join(map(str, command))}")
    return code, statistics.median(r[1] for r in runs), max(r[2] for r in runs)


def record(name, text):
    """One artifact of a TORCH_TRACE log."""
    body = "".join(f"\t{line}\n" for line in text.splitlines())
    digest = hashlib.md5("\n".join(text.splitlines()).encode()).hexdigest()
    return (f'V0101 00:00:00.000000 1 bench.py:1] {{"artifact": {{"name": "{name}", "encoding": "string"}}, "frame_id": 0, '
            f'"frame_compile_id": 0, "attempt": 0, "has_payload": "{digest}"}}\n{body}')


def graph(buffers, steps, result):
    inputs = ", ".join(f'{name}: "f32[64, 32][32, 1]cpu"' for name in [*buffers, "source"])
    body = "".join(f'        {name}: "f32[{shape}][32, 1]cpu" = torch.ops.aten.{call}\n' for name, shape, call in steps)
    return f"class <lambda>(torch.nn.Module):\n    def forward(self, {inputs}):\n{body}        return ({result},)\n"


def synthetic(rows=1246, width=16):
    """A log with one pair of 5,000 steps: `rows` updates of slices of `width` buffers, functional and in place."""
    buffers = [f"arg{b}_1" for b in range(width)]
    latest, before, after = dict(enumerate(buffers)), [], []
    for i in range(rows):
        b, low = i % width, i * 7 % 61
        buffer, old = buffers[b], latest[b]
        shared = lambda source: [(f"slice_{i}", "4, 32", f"slice.Tensor({source}, 0, {low}, {low + 4})"),
                                 (f"mul_{i}", "4, 32", f"mul.Tensor(slice_{i}, 1.5)")]
        scatter = f"slice_scatter.default({old}, mul_{i}, 0, {low}, {low + 4})"
        before += [*shared(old), (f"sin_{i}", "4, 32", f"sin.default(mul_{i})"), (f"scatter_{i}", "64, 32", scatter)]
        after += [*shared(buffer), (f"sin_{i}", "4, 32", f"sin.default(mul_{i})"),
                  (f"write_{i}", "4, 32", f"copy_.default(slice_{i}, mul_{i})")]
        latest[b] = f"scatter_{i}"
    before += [(f"copy__{b}", "64, 32", f"copy_.default({buffers[b]}, {latest[b]})") for b in latest]
    result = f"sin_{rows - 1}"
    return record("before_post_grad_graph", graph(buffers, before, result)) + record(
        "inductor_post_grad_graph", graph(buffers, after, result)), len(before)


def plain(path, folder):
    """A copy as plain text, made piece by piece: a child's peak is counted from this program's own."""
    target = folder / path.name.removesuffix(".gz")
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as source, target.open("wb") as copy:
        shutil.copyfileobj(source, copy)
    return target


def interpreted(tests, log):
    """What the interpreter says of the log's longest graph, with its share of the limit, and whether it took too long."""
    said = subprocess.run([tests, "--time-graph", log], capture_output=True, text=True, check=True).stdout.strip()
    if not said.endswith(" ran"):
        return said, False
    steps, _, seconds = said.split()[:3]
    share = float(seconds) / (MAX_RUN_SECONDS * max(int(steps), 1000) / 1000)
    return f"{said}, {share:.2f} of the limit", share > 1


def started(noclobber):
    """Prints what a start without Z3 takes, in processor time: the greatest part of a short run's wall time is the machine's."""
    def cpu():
        child = subprocess.Popen([noclobber, "--version"], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        return usage.ru_utime + usage.ru_stime
    seconds = statistics.median(cpu() for _ in range(STARTS))
    print(f"start-up without Z3: {1000 * seconds:.1f} ms of processor time (median of {STARTS}, limit {1000 * MAX_START:g})")
    return [f"start-up: {1000 * seconds:.1f} ms"] if seconds > MAX_START else []


def processor(command):
    """Least processor time, least wall time and greatest peak of RUNS runs."""
    runs = []
    for _ in range(RUNS):
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        runs.append((usage.ru_utime, time.perf_counter() - start, usage.ru_maxrss / 1024))
    return min(r[0] for r in runs), min(r[1] for r in runs), max(r[2] for r in runs)


def checked_chains(noclobber, folder):
    """Prints nc-check beside proving for inputs of about a second: whole programs, one after the other."""
    failed = []
    for kind, size in CHAINS.items():
        case, certificates = folder / f"{kind}.json", folder / f"certificates of {kind}"
        with case.open("w") as out:
            subprocess.run([sys.executable, ROOT / "tools/gen_chains.py", kind, str(size)], stdout=out, check=True)
        certificates.mkdir()
        proving = processor([noclobber, "check", "--jobs", "1", case])
        writing = processor([noclobber, "check", "--jobs", "1", case, "--certificate", certificates])
        checking = processor([noclobber.parent / "nc-check", *certificates.iterdir()])
        ratio = checking[0] / proving[0]
        print(f"nc-check, {kind} {size}: {checking[0]:.3f} s user, {checking[1]:.3f} s wall, {checking[2]:.0f} MB; proving "
              f"{proving[0]:.3f} s user, {proving[1]:.3f} s wall, with the certificate {writing[0]:.3f} s user; ratio {ratio:.2f}, "
              f"wall {checking[1] / proving[1]:.2f}", flush=True)
        if proving[0] >= 1 and ratio > MAX_CHECK_RATIO:
            failed.append(f"nc-check, {kind} {size}: ratio {ratio:.2f}, limit {MAX_CHECK_RATIO:g}")
        case.unlink()
    return failed


def decided_again(noclobber, pair, folder):
    """Prints what the verdicts over corpus/logs rest on, and nc-check's time beside that of proving."""
    failed, total = [], dict.fromkeys(SAID, 0)
    logs = sorted(pathlib.Path(ROOT / "corpus/logs").glob("*/*.log.gz"))
    for name, inputs in [("corpus/logs", logs), (pair.name, [pair])]:
        certificates = folder / f"certificates of {name.replace('/', ' ')}"
        certificates.mkdir()
        proving = median([noclobber, "check", "--jobs", "1", *inputs], {0, 1, 3})[1]
        subprocess.run([noclobber, "check", "--certificate", certificates, *inputs], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        checking, answers = 0.0, {}
        for certificate in sorted(certificates.iterdir()):
            start = time.perf_counter()
            said = subprocess.run([noclobber.parent / "nc-check", certificate], capture_output=True, text=True).stdout
            checking += time.perf_counter() - start
            answer = said.split(":")[0].strip() or "unreadable"
            answers[answer] = answers.get(answer, 0) + 1
            for what in SAID:
                found = re.findall(rf"(\d+) {what}", said.partition("\n")[0])
                total[what] += int(found[-1]) if found else 0
        print(f"nc-check, {name}: {checking:.3f} s for {sum(answers.values())} certificates {answers}, proving {proving:.3f} s, "
              f"ratio {checking / proving:.2f} (limit {MAX_CHECK_RATIO:g} where proving takes a second)")
        if proving >= 1 and checking / proving > MAX_CHECK_RATIO:
            failed.append(f"nc-check, {name}: ratio {checking / proving:.2f}, limit {MAX_CHECK_RATIO:g}")
    every = max(total["obligations"], 1)
    print("evidence: " + ", ".join(f"{n} {what} ({100 * n / every:.1f} %)" for what, n in total.items()))
    return failed


def modelled(noclobber, logs):
    """Prints how many steps of the logs were understood."""
    said = subprocess.run([noclobber, "check", "--json", *logs], capture_output=True, text=True).stdout
    checks = [r for r in map(json.loads, said.splitlines()) if r["kind"] == "check"]
    steps, known = (sum(r["counts"][what] for r in checks) for what in ("steps", "modelled"))
    share = known / max(steps, 1)
    print(f"modelled: {known} of {steps} steps of {len(checks)} checks in {len(logs)} logs "
          f"({100 * share:.2f} %, limit {100 * MIN_MODELLED:g})")
    return [f"modelled: {100 * share:.2f} % of the steps"] if share < MIN_MODELLED else []


def main():
    noclobber = pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build/bin")) / "noclobber"
    other = tlparse()
    failed = []
    with tempfile.TemporaryDirectory() as temp:
        folder = pathlib.Path(temp)
        text, steps = synthetic()
        pair = folder / f"synthetic pair of {steps} steps.log"
        pair.write_text(text)
        paths = [ROOT / f"corpus/logs/{name}.log.gz" for name in LOGS] + [pathlib.Path(a) for a in sys.argv[1:]]
        logs = [pair] + [plain(path, folder) for path in paths]
        print(f"{'log':34} {'MB':>6} {'tlparse s':>10} {'check s':>8} {'ratio':>6} {'peak MB':>8}  verdict")
        for log in logs:
            out = folder / "out"
            rendered = median([other, log, "-o", out, "--overwrite", "--no-browser"], {0, 1})
            shutil.rmtree(out, ignore_errors=True)
            code, seconds, peak = median([noclobber, "check", "--json", log], {0, 1, 2, 3})
            ratio = seconds / rendered[1]
            verdict = {0: "proved", 1: "refuted", 2: "nothing to check", 3: "unknown"}[code]
            print(f"{log.name[:34]:34} {log.stat().st_size / 1e6:6.2f} {rendered[1]:10.3f} {seconds:8.3f} {ratio:6.2f} "
                  f"{peak / 2**20:8.1f}  {verdict}", flush=True)
            if log != pair and ratio > MAX_RATIO:  # the pair is two bare graphs: nothing for tlparse to render
                failed.append(f"{log.name}: ratio {ratio:.1f}, limit {MAX_RATIO:g}")
            failed += [f"{log.name}: {peak / 2**20:.0f} MB, limit {MAX_MEMORY >> 20}"] if peak > MAX_MEMORY else []
            if log == pair and seconds > MAX_PAIR_SECONDS:
                failed.append(f"{log.name}: {seconds:.2f} s, limit {MAX_PAIR_SECONDS:g}")
            said, slow = interpreted(noclobber.parent / "nc_tests", log)
            print(f"{'':34} interpreter: {said}", flush=True)
            failed += [f"{log.name}: {said}, limit {MAX_RUN_SECONDS:g} s for 1,000 steps"] if slow else []
            if log == pair and code != 0:
                failed.append(f"{log.name}: {verdict}, expected proved")
        failed += started(noclobber) + decided_again(noclobber, pair, folder) + checked_chains(noclobber, folder)
        failed += modelled(noclobber, sorted(ROOT.glob("corpus/logs/*/*.log.gz")) + paths[len(LOGS):])
    for name in ("headers", "reach"):  # what stays by hand, beside the library that it could be
        said = subprocess.run([noclobber.parent / "nc_tests", f"[.{name.removesuffix('s')}-speed]"], capture_output=True, text=True)
        print(next((line for line in said.stdout.splitlines() if line.startswith(name)), f"{name}: nc_tests does not run"))
    for fault in failed:
        print(f"bench: {fault}", file=sys.stderr)
    print(f"limits: ratio {MAX_RATIO:g}, pair {MAX_PAIR_SECONDS:g} s, peak {MAX_MEMORY >> 20} MB: "
          f"{'kept' if not failed else f'{len(failed)} passed over'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
