#!/usr/bin/env python3
"""Asks a second solver what Z3 was asked: crosscheck.py NOCLOBBER [INPUT...]

Runs `noclobber check --engine z3 --dump-smt2` on every input (default: all of corpus/), then cvc5 on every question.
Fails where one solver says sat and the other unsat, or where no question was compared.  Needs the module cvc5, see
`make crosscheck`.
"""
import collections
import hashlib
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
EFFORT = "200000"  # cvc5's resource units per question
FOLDERS = ("cases", "inductor", "oneshot", "later", "logs")
STATUS = re.compile(r"\(set-info :status (\w+)\)")


def corpus():
    for folder in FOLDERS:
        for path in sorted((ROOT / "corpus" / folder).rglob("*")):
            if path.name.endswith((".json", ".log", ".log.gz")):
                yield str(path.relative_to(ROOT))


def dump(binary, inputs, folder):
    """One folder of questions per input; the checks of two inputs may have one name."""
    for number, name in enumerate(inputs):
        subprocess.run([binary, "check", "--engine", "z3", "--dump-smt2", f"{folder}/{number:04}", name], cwd=ROOT,
                       capture_output=True, timeout=600)


def second_answer(path):
    """Z3's recorded answer and cvc5's own."""
    import cvc5
    text = path.read_text(encoding="utf-8")
    first = STATUS.search(text).group(1)
    solver = cvc5.Solver()
    solver.setOption("rlimit-per", EFFORT)
    parser = cvc5.InputParser(solver)
    # Its own status would make cvc5 stop where it disagrees.
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, STATUS.sub("", text), path.name)
    symbols = parser.getSymbolManager()
    second = "unknown"
    try:
        while not (command := parser.nextCommand()).isNull():
            said = str(command.invoke(solver, symbols)).strip()
            second = said if said in ("sat", "unsat") else second
            if said.startswith("(error"):
                return path.name, first, said
    except RuntimeError as fault:
        return path.name, first, f"error: {fault}"
    return path.name, first, second


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.splitlines()[0])
    binary, inputs = os.path.abspath(sys.argv[1]), sys.argv[2:] or list(corpus())
    count, faults = collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        dump(binary, inputs, folder)
        unique = {}
        for path in sorted(pathlib.Path(folder).rglob("*.smt2")):
            unique.setdefault(hashlib.sha256(path.read_bytes()).digest(), path)
        with multiprocessing.Pool() as pool:
            for name, first, second in pool.imap(second_answer, unique.values(), chunksize=8):
                kind = "unknown" if "unknown" in (first, second) else "agree" if first == second else "disagree"
                count[kind] += 1
                if kind == "disagree":
                    faults.append(f"{name}: Z3 says {first}, cvc5 says {second}")
    print("\n".join(faults), end="\n" if faults else "")
    print(f"crosscheck: {len(inputs)} inputs, {count.total()} questions: {count['agree']} agree, "
          f"{count['disagree']} disagree, {count['unknown']} unknown to one of the two")
    return 1 if faults or not count["agree"] else 0


if __name__ == "__main__":
    sys.exit(main())
