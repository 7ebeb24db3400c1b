#!/usr/bin/env python3
"""Time and memory of plans as tables, beside the limits they are held to: bench_plans.py [PLAN.csv...]

Every named plan is held to 5 ms; without any, one of the size of a real allocation problem is made.  Processor time of
whole processes, least of three runs.  Exit 1 if a limit is passed.  See docs/benchmarks.md.
"""
import os, pathlib, random, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build/bin"))
ROWS = [1_000_000, 5_000_000]
SECONDS = 1.0           # for the first of them, with reading
PEAK = 200 << 20        # bytes, likewise
GROWTH = 1.25           # time of a row among the most over that among the least
AGAIN = 0.1             # nc-check over checking
SMALL, SMALL_SECONDS = 500, 0.005
RUNS = 3


def rows(n, seed=7):
    """`n` buffers without a gap between them: the rectangle of time and bytes, cut again and again."""
    rand = random.Random(seed).random
    side = max(8, int(4 * n ** 0.5))
    todo, number = [(0, side, 0, side, n)], 0
    while todo:
        t, w, y, h, k = todo.pop()
        if k == 1:
            yield f"{number},{t},{t + w},{64 * h},{64 * y}\n"
            number += 1
            continue
        along, full, other = (True, w, h) if h == 1 or (w > 1 and rand() < w / (w + h)) else (False, h, w)
        cut = min(max(full // 2 + int((rand() - 0.5) * full * 0.5), 1), full - 1)
        part = min(max(round(k * cut / full), 1, k - (full - cut) * other), k - 1, cut * other)
        todo += ([(t, cut, y, h, part), (t + cut, w - cut, y, h, k - part)] if along else
                 [(t, w, y, cut, part), (t, w, y + cut, h - cut, k - part)])


def write(path, n):
    lines = list(rows(n))
    random.Random(n).shuffle(lines)
    with open(path, "w") as out:
        out.write("id,lower,upper,size,offset\n")
        out.writelines(lines)
    return str(path)


def measured(*command):
    """(least seconds of processor time, greatest peak in bytes); ends where the exit code is not 0."""
    runs = []
    for _ in range(RUNS):
        null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
        child = os.posix_spawn(command[0], command, os.environ, file_actions=null)
        _, status, usage = os.wait4(child, 0)
        if os.waitstatus_to_exitcode(status) != 0:
            sys.exit(f"bench: exit code {os.waitstatus_to_exitcode(status)}: {' '.join(command)}")
        runs.append((usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024))
    return min(r[0] for r in runs), max(r[1] for r in runs)


def main():
    failed = []

    def held(what, value, limit, unit):
        print(f"{what}: {value:.4g} {unit}, limit {limit:g} {unit}, ratio {value / limit:.2f}", flush=True)
        if value > limit:
            failed.append(what)

    noclobber, nc_check = str(BIN / "noclobber"), str(BIN / "nc-check")
    with tempfile.TemporaryDirectory() as folder:
        each = []
        for n in ROWS:
            plan = write(f"{folder}/{n}.csv", n)
            seconds, peak = measured(noclobber, "check", plan)
            measured(noclobber, "check", plan, "--certificate", f"{folder}/proof")
            again, _ = measured(nc_check, f"{folder}/proof/{n}.cert")
            each.append(seconds / n)
            if n == ROWS[0]:
                held(f"{n} buffers, time", seconds, SECONDS, "s")
                held(f"{n} buffers, memory", peak / 2**20, PEAK / 2**20, "MB")
            else:
                print(f"{n} buffers: {seconds:.2f} s, {peak / 2**20:.0f} MB")
            held(f"{n} buffers, nc-check over checking", again / seconds, AGAIN, "times")
        held("a row among the most over one among the least", each[-1] / each[0], GROWTH, "times")
        plans = sys.argv[1:] or [write(f"{folder}/small.csv", SMALL)]
        held(f"slowest of {len(plans)} small plans", max(measured(noclobber, "check", p)[0] for p in plans),
             SMALL_SECONDS, "s")
    print(f"plans: {'limits kept' if not failed else 'passed over: ' + ', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
