#!/usr/bin/env python3
"""How much longer nc-recheck takes than nc-check, and how that grows: bench_recheck.py [SIZE...]

User time of both over the certificates of logs as tools/bench_growth.py makes them, of so many steps (10000, 20000).
"""
import os
import pathlib
import subprocess
import sys
import tempfile

from bench_growth import START, pointwise, record, renamed, residual, view_writes
from recheck_table import BIN

# steps of the graph for each of the builder's n
KINDS = [(pointwise, 1), (residual, 2), (renamed, 3), (view_writes, 3)]


def user_time(*command):
    """(seconds, first line that was said)"""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(writer, 1), os.dup2(writer, 2), os.close(reader)
        os.execv(command[0], command)
    os.close(writer)
    with os.fdopen(reader) as said:
        text = said.read()
    return os.wait4(pid, 0)[2].ru_utime, (text.splitlines() or [""])[0]


def main():
    sizes = [int(a) for a in sys.argv[1:]] or [10000, 20000]
    bad = 0
    with tempfile.TemporaryDirectory(prefix="nc_bench_") as folder:
        for kind, each in KINDS:
            last = None
            for size in sizes:
                before, after = kind(size // each)
                log, out = pathlib.Path(folder) / "one.log", pathlib.Path(folder) / f"{kind.__name__}-{size}"
                log.write_text(START + record("before_post_grad_graph", before) + record("inductor_post_grad_graph", after))
                subprocess.run([BIN / "noclobber", "check", log, "--run", "never", "--certificate", out], stdout=subprocess.DEVNULL)
                cert = str(next(out.glob("*.cert")))
                checked, said = user_time(str(BIN / "nc-check"), cert)
                again, word = user_time(str(BIN / "nc-recheck"), cert)
                proved = said.startswith("proved") and word.startswith("proved")
                bad += not proved
                grown = "" if last is None else f"  x{again / max(last, 0.01):.1f}"
                print(f"{kind.__name__:12} {size:7} steps  nc-check {checked:7.2f} s  nc-recheck {again:7.2f} s  "
                      f"ratio {again / max(checked, 0.01):5.1f}{grown}{'' if proved else '  ' + said[:60] + ' | ' + word[:90]}", flush=True)
                last = again
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
