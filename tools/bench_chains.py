#!/usr/bin/env python3
"""Time and memory of `noclobber check` on chains of updates (gen_chains.py), beside the limits they are held to.

Whole processes, processor time, least of three runs.  Exit 1 if a limit is passed.  See docs/benchmarks.md.
"""
import json, os, pathlib, sys, tempfile

import gen_chains

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMITS = [("kv", 100, 0.020), ("recurrent", 100, 0.020), ("opaque", 100, 0.020), ("permuted", 100, 0.060),
          ("cat", 100, 0.100), ("cat", 1000, 3.0), ("pair", 1250, 0.300)]  # kind, updates, seconds
GROWTH = 2.3         # time of 2n over time of n
GROWN = [25_000, 50_000, 100_000]  # steps of one graph
STEP_BYTES = 600     # a step of either graph, of the growth from the least to the most
STEP_SECONDS = 3e-6  # a step of either graph
ORDERED = [(100_000, 0.3, 50 << 20), (1_000_000, 10.0, 500 << 20)]  # steps, seconds and bytes beyond the listed order
RUNS = 3


def measured(noclobber, path, count=RUNS):
    """(exit code, least seconds of processor time, greatest peak in bytes)"""
    runs = []
    for _ in range(count):
        child = os.posix_spawn(noclobber, [noclobber, "check", "--json", path], os.environ,
                               file_actions=[(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)])
        _, status, usage = os.wait4(child, 0)
        runs.append((os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024))
    return runs[0][0], min(r[1] for r in runs), max(r[2] for r in runs)


def main():
    noclobber = str(pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build/bin")) / "noclobber")
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        def run(kind, n, count=RUNS):
            path = os.path.join(folder, f"{kind}{n}.json")
            with open(path, "w") as file:
                json.dump(gen_chains.KINDS[kind](n), file)
            return measured(noclobber, path, count)

        for kind, n, limit in LIMITS:
            code, seconds, _ = run(kind, n)
            print(f"{kind:10} {n:6}: {seconds:.3f} s, limit {limit:g} s, ratio {seconds / limit:.2f}", flush=True)
            failed += [f"{kind} {n}"] if seconds > limit or code != 0 else []
        grown = [run("steps", n) for n in GROWN]
        for n, (code, seconds, peak) in zip(GROWN, grown):
            each = seconds / (2 * n)
            print(f"steps      {n:6}: {seconds:.3f} s, {peak / 2**20:.0f} MB; {each * 1e6:.2f} us a step, "
                  f"limit {STEP_SECONDS * 1e6:g}, ratio {each / STEP_SECONDS:.2f}", flush=True)
            failed += [f"steps {n}"] if code != 0 or each > STEP_SECONDS else []
        for n, limit, most in ORDERED:
            listed, ordered = (run(kind, n, RUNS if n < 1_000_000 else 1) for kind in ("listed", "ordered"))
            seconds, peak = ordered[1] - listed[1], ordered[2] - listed[2]
            print(f"every order {n}: {seconds:.3f} s, limit {limit:g} s, ratio {seconds / limit:.2f}; "
                  f"{peak / 2**20:.0f} MB, limit {most / 2**20:.0f} MB, ratio {peak / most:.2f}", flush=True)
            failed += [f"every order {n}"] if seconds > limit or peak > most or listed[0] or ordered[0] else []
        ratio = max(b[1] / a[1] for a, b in zip(grown, grown[1:]))
        each = (grown[-1][2] - grown[0][2]) / (2 * (GROWN[-1] - GROWN[0]))
        print(f"2n over n: {ratio:.2f}, limit {GROWTH}; {each:.0f} bytes a step, limit {STEP_BYTES}, ratio {each / STEP_BYTES:.2f}")
        failed += ["growth of time"] if ratio > GROWTH else []
        failed += ["bytes a step"] if each > STEP_BYTES else []
    print(f"chains: {'limits kept' if not failed else 'passed over: ' + ', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
