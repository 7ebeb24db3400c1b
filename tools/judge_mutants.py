#!/usr/bin/env python3
"""Takes repairs of wrong proofs out, one at a time: tools/judge.py must then find a wrong proof. judge_mutants.py [--only PATTERN]

Each row of REPAIRS is a class of fault that noclobber once proved, and what was mended since: places of source text, and what stands there
without the repair. All are compiled into one pair of programs (build/judge-mutants), each behind a number that NC_REPAIR_OUT selects while
they run. With all in, the judge must find nothing in the same pairs. The judge asks with `--run never`: what PyTorch shows is not to be
found by the run that noclobber makes itself. Prints a line per repair; exit code 1 where
one is not missed, or something is missed with all in.
"""
from __future__ import annotations

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import judge
import judge_programs as programs

TREE = ROOT / "build" / "judge-mutants"
PRELUDE = """#ifndef NC_WITHOUT
#include <cstdlib>
#define NC_WITHOUT_REPAIR(n) (std::getenv("NC_REPAIR_OUT") != nullptr && std::atoi(std::getenv("NC_REPAIR_OUT")) == (n))
#define NC_WITHOUT
#endif
"""


class Repair(NamedTuple):
    number: int
    name: str
    fault: str  # what is proved without it
    patches: list[tuple[str, str, str]]
    form: str
    changes: str  # ways to change a program, by name
    lines: list[str]  # a program of the attack's kind, which is changed at random
    given: list[str]


HOP = "torch.ops.higher_order"

# A number stays with its repair: what was built goes on telling them apart.
REPAIRS = [
    Repair(1, "zero-dim", "an operand of no dimensions stands for one of one element, where types are mixed",
           [("src/effects/draws.cpp", "return types.size() > 1 && dimensions && !out.empty()",
             "return !NC_WITHOUT && types.size() > 1 && dimensions && !out.empty()")],
           "log", "dimension_added", ["v0 = i.to(torch.int32)", "v1 = i.sum()", "v2 = v0 < v1"], ["v2"]),
    Repair(4, "body-names", "what a branch is given is its first operand",
           [("src/ops/branches.cpp", "emplace(placed(operands[k], places))", "emplace(placed(operands[NC_WITHOUT ? 0 : k], places))")],
           "log", "body_operand_changed",
           [f"v0 = {HOP}.cond(s > 0, lambda a0, a1: (a0 - a1,), lambda a0, a1: (a0 * a1,), (x, y,))[0]"], ["v0"]),
    Repair(6, "pt2-tied", "buffers that lie in one file of the archive have a storage each",
           [("src/lower/pt2/pt2.cpp", "if (sharing.size() < 2) return;", "if (NC_WITHOUT || sharing.size() < 2) return;")],
           "pt2", "line_moved", ["m.mul_(2)", "v0 = n + 1"], ["v0"]),
    Repair(7, "constants", "constants of one name are one, whatever the two files hold",
           [("src/check/constants.cpp", "if (!value.before) return;\n  Graph &before", "if (NC_WITHOUT || !value.before) return;\n  Graph &before")],
           "pt2", "constant_changed", ["v0 = y + torch.tensor([1.5])"], ["v0"]),
    Repair(8, "result-keys", "results of two programs that name them are matched by their places",
           [("src/lower/pairs/pairing_facts.cpp", "if (keys == own || before.outputs.size()", "if (NC_WITHOUT || keys == own || before.outputs.size()")],
           "pt2", "results_exchanged", ["v0 = x.sin()", "v1 = y.neg()"], ["v0", "v1"]),
    Repair(9, "bits", "a number that was widened and looked at as another type is that number",
           [("src/effects/widened.cpp", "from.dtype == held && from.view.lanes == 0 &&", "(NC_WITHOUT || (from.dtype == held && from.view.lanes == 0)) &&"),
            ("checker/kernel/identities.cpp", "read.form->lanes == 0 &&\n                    under.run->view(*under.stored).form->lanes == 0 &&",
             "(NC_WITHOUT || (read.form->lanes == 0 &&\n                    under.run->view(*under.stored).form->lanes == 0)) &&")],
           "log", "conversion_dropped", ["v0 = h.to(torch.float32).view(torch.int32).to(torch.int64)"], ["v0"]),
    Repair(10, "narrowed", "a number that went through a narrower type is that number",
           [("src/ops/identities.cpp", "return to == from || is_floating(to)", "return NC_WITHOUT || to == from || is_floating(to)"),
            ("src/effects/widened.cpp", "holds_all(to.dtype, from.dtype) &&", "(NC_WITHOUT || holds_all(to.dtype, from.dtype)) &&"),
            ("checker/kernel/identities.cpp", "return among(from, INTEGERS REALS \" bool\") && holds_all(between, from) &&",
             "if (NC_WITHOUT) return true;\n  return among(from, INTEGERS REALS \" bool\") && holds_all(between, from) &&")],
           "log", "conversion_dropped", ["v0 = x.to(torch.float16).to(torch.float64)"], ["v0"]),
    Repair(11, "reshaped", "reshape and contiguous always copy",
           [("src/effects/view_steps.cpp", "if (*shares) return bind_view(t, call, 0, all->front());",
             "if (!NC_WITHOUT && *shares) return bind_view(t, call, 0, all->front());")],
           "pt2", "line_moved", ["v0 = m.reshape(-1)", "v0.mul_(2)", "v1 = m.neg()"], ["v1"]),
    Repair(12, "sharing", "results may lie on one another and on arguments where they did not",
           [(f"{folder}/sharing.cpp", f"bool Sharing::with_{what}(std::uint32_t output) {{",
             f"bool Sharing::with_{what}(std::uint32_t output) {{\n  if (NC_WITHOUT) return true;")
            for folder in ("src/values", "checker") for what in ("inputs", "outputs")],
           "log", "clone_dropped", ["v0 = x.sin()", "v1 = v0.clone()"], ["v0", "v1"]),
    Repair(13, "silent-writes", "batch_norm in training writes no running statistics",
           [("src/ops/taken.cpp", "if (meaning_of(op, schema) != Meaning::normalize_running) return out;",
             "if (NC_WITHOUT || meaning_of(op, schema) != Meaning::normalize_running) return out;")],
           "log", "line_moved", ["v0 = m[0].clone()", "v1 = z * 2", "v2 = torch.native_batch_norm(y, None, None, z, v0, True, 0.1, 1e-5)[0]"], ["v1", "v2"]),
]


def chosen(text: str, number: int) -> str:
    return re.sub(r"\bNC_WITHOUT\b", f"NC_WITHOUT_REPAIR({number})", text)


def patched() -> None:
    """The tree, copied, with every repair behind its number."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
    texts: dict[str, str] = {}
    for repair in REPAIRS:
        for name, old, new in repair.patches:
            text = texts.setdefault(name, PRELUDE + (ROOT / name).read_text())
            if text.count(old) != 1:
                sys.exit(f"judge_mutants: {repair.name}: {name} holds its text {text.count(old)} times:\n{old}")
            texts[name] = text.replace(old, chosen(new, repair.number))
    for name in listed.stdout.splitlines():
        if name.startswith(("corpus/", "docs/")) or not (ROOT / name).is_file():
            continue
        at, text = TREE / name, texts.get(name) or None
        at.parent.mkdir(parents=True, exist_ok=True)
        if text is None and not (at.exists() and at.read_bytes() == (ROOT / name).read_bytes()):
            shutil.copy2(ROOT / name, at)
        elif text is not None and not (at.exists() and at.read_text() == text):
            at.write_text(text)


def build() -> None:
    patched()
    (TREE / "build").mkdir(exist_ok=True)
    if not (TREE / "build" / "z3").exists():
        (TREE / "build" / "z3").symlink_to(ROOT / "build" / "z3")
    for command in (["cmake", "--preset", "default", "-DNC_TESTS=OFF"],
                    ["cmake", "--build", "--preset", "default", "--target", "noclobber", "nc-check"]):
        ran = subprocess.run(command, cwd=TREE, capture_output=True, text=True)
        if ran.returncode:
            sys.exit(f"judge_mutants: {' '.join(command)}:\n{(ran.stdout + ran.stderr)[-4000:]}")


def asked(family: judge.Family, number: int, keep: pathlib.Path) -> dict:
    os.environ["NC_REPAIR_OUT"] = str(number)
    return family.judged(keep)


def judged(repair: Repair, families: int, first: int) -> tuple[str, str, int, int]:
    """(what is wrong, the first wrong proof, pairs, programs) of families, one after the other, until one shows that the repair is out."""
    programs.change_by(repair.changes)
    pairs = made = 0
    for seed in range(first, first + families):
        family = judge.Family(seed, repair.form, (repair.lines, repair.given))
        out = asked(family, repair.number, TREE / "kept" / repair.name)
        pairs, made = pairs + out["pairs"], made + out["programs"]
        missed = next((bad for bad in out["bad"] if bad[0] == "MISS"), None)
        if missed:
            clean = asked(family, 0, TREE / "kept" / "all-in")["outcomes"]["MISS"] == 0
            return "" if clean else "missed with the repair, too", f"{repair.form}-{seed}: {missed[3]}: {missed[4]}", pairs, made
    return "not found", "", pairs, made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--families", type=int, default=8, help="for each repair, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--built", action="store_true", help="as it was built before")
    options = parser.parse_args()
    if not options.built:
        build()
    os.environ["NOCLOBBER_BIN"] = str(TREE / "build" / "bin")
    judge.OPTIONS[:] = ["--run", "never"]
    judge.warm_up()
    chosen_ones = [repair for repair in REPAIRS if re.search(options.only, repair.name)]
    bad = 0
    for repair in chosen_ones:
        wrong, shown, pairs, made = judged(repair, options.families, options.seed)
        bad += bool(wrong)
        print(f"{repair.name}: {wrong or 'found'} in {pairs} pairs of {made} programs: {shown}", flush=True)
    print(f"judge_mutants: {len(chosen_ones) - bad} of {len(chosen_ones)} found")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
