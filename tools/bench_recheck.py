#!/usr/bin/env python3
"""How much longer nc-recheck takes than nc-check, and how that grows: bench_recheck.py [--floor N] [SIZE...]

Processor time of both, the least of five runs (one beyond 50,000 steps), over the certificates of logs as tools/bench_growth.py
makes them, of so many steps (10000, 20000). A log whose certificate noclobber does not write within LONGEST is named as that.
Fails where nc-recheck takes more than N times as long (10) at the first size.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

from bench_growth import START, pointwise, record, renamed, residual, view_writes
from recheck_table import BIN

# steps of the graph for each of the builder's n
LONGEST = 240  # seconds
KINDS = [(pointwise, 1), (residual, 2), (renamed, 3), (view_writes, 3)]


def processor_time(*command):
    """(seconds, MB, first line that was said)"""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(writer, 1), os.dup2(writer, 2), os.close(reader)
        os.execv(command[0], command)
    os.close(writer)
    with os.fdopen(reader) as said:
        text = said.read()
    used = os.wait4(pid, 0)[2]
    return used.ru_utime + used.ru_stime, used.ru_maxrss // 1024, (text.splitlines() or [""])[0]


def certificate(kind, size, folder):
    before, after = kind(size)
    log, out = folder / "one.log", folder / f"{kind.__name__}-{size}"
    log.write_text(START + record("before_post_grad_graph", before) + record("inductor_post_grad_graph", after))
    try:
        subprocess.run([BIN / "noclobber", "check", log, "--run", "never", "--certificate", out], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return None
    return str(next(out.glob("*.cert")))


def compare(kind, size, cert, last):
    """(seconds of nc-recheck, ratio, both prove it)"""
    runs = 5 if size <= 50000 else 1
    checked, _, said = min(processor_time(str(BIN / "nc-check"), cert) for _ in range(runs))
    again, memory, word = min(processor_time(str(BIN / "nc-recheck"), cert) for _ in range(runs))
    proved = said.startswith("proved") and word.startswith("proved")
    grown = "" if last is None else f"  x{again / max(last, 0.01):.1f}"
    print(f"{kind.__name__:12} {size:7} steps  nc-check {checked:7.3f} s  nc-recheck {again:7.3f} s {memory:4} MB  "
          f"ratio {again / max(checked, 0.001):5.1f}{grown}{'' if proved else '  ' + said[:60] + ' | ' + word[:90]}", flush=True)
    return again, again / max(checked, 0.001), proved


def main():
    arguments = sys.argv[1:]
    floor = float(arguments[1]) if arguments[:1] == ["--floor"] else 10
    sizes = [int(a) for a in (arguments[2:] if arguments[:1] == ["--floor"] else arguments)] or [10000, 20000]
    bad = 0
    with tempfile.TemporaryDirectory(prefix="nc_bench_") as folder:
        for kind, each in KINDS:
            last = None
            for size in sizes:
                cert = certificate(kind, size // each, pathlib.Path(folder))
                if cert is None:
                    print(f"{kind.__name__:12} {size:7} steps  noclobber writes no certificate within {LONGEST} s", flush=True)
                    continue
                last, ratio, proved = compare(kind, size, cert, last)
                bad += not proved or (size == sizes[0] and ratio > floor)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
