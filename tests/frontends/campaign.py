#!/usr/bin/env python3
"""A campaign that goes on where it was: campaign.py SUBJECT [--count N] [--seconds S] [--out DIR] [--profiles A,B] [--without PATTERN]

SUBJECT: inductor-passes, inductor (whole compilations), executorch-passes, executorch (whole lowerings), executorch-reinplace,
thunder-passes, thunder. Each needs its
framework and the package noclobber. Seeds that are done are lines of DIR/ledger.jsonl, findings are folders of DIR. Causes that are in
docs/found, and refusals, are counted and not made small. Exit code 1: there is a cause that is not known.
"""
import argparse
import pathlib
import re
import resource
import sys
import warnings

warnings.filterwarnings("ignore")

SUBJECTS = ("inductor-passes", "inductor", "executorch-passes", "executorch", "executorch-reinplace", "thunder-passes", "thunder")
VIEWED = "(t|slice|select|unfold|view|unsqueeze|squeeze|transpose|as_strided|diagonal|expand|split|unbind|detach|alias)"
REFUSED_BY_THUNDER = r"crash: RuntimeError: (Can't safely cast fill_value|Shapes were expected to be the same|unsupported operation: more than one element)"
# What docs/found, its list of public reports or docs/campaigns.md tells of, by "what: cause".
KNOWN = {
    # `* 1` is its operand, also where that lies otherwise (pytorch#197893), or is a view that is written later; the constant that is
    # summed up is in docs/found.
    "inductor-passes": "refuted: pass; ((alias-growth|metadata); before (add|sub|mul|div|_to_copy)|metadata; before cumsum|"
                       f"stale-read; before {VIEWED}; clobber copy_); read return$",
    "inductor": r"refuted: (constant_fold_uniform_value|remove_no_ops|joint_graph_constant_folding); alias-growth",
    # A value that is given back, or that state or an argument becomes, is no reader for the released pass: tests/frontends/fuzz_test.py.
    "executorch-passes": r"refuted: (reinplace|write-back); stale-read; .*read (return|copy_)$",
    "executorch": r"(?!)",
    "executorch-reinplace": r"(?!)",
    "thunder-passes": rf"{REFUSED_BY_THUNDER}|refuted: \d+_grad-transform-pass; alias-growth; before (flip|repeat); read return$",
    "thunder": REFUSED_BY_THUNDER,
}
REPLACED = ("aten.add.Tensor", "aten.mul.Tensor", "aten.sub.Tensor", "aten.neg.default", "aten.relu.default")


def campaign(subject: str, **options):
    import noclobber

    if subject == "inductor-passes":
        from noclobber import passes_only
        return noclobber.torch.fuzz_pass(passes_only.all_passes, **options)
    if subject == "inductor":
        return noclobber.torch.fuzz_compile(**options)
    if subject == "executorch-passes":
        return noclobber.executorch.fuzz_passes(**options)
    if subject == "thunder-passes":
        return noclobber.thunder.fuzz_passes(**options)
    if subject == "thunder":
        return noclobber.thunder.fuzz_jit(**options)
    return noclobber.executorch.fuzz_lower(reinplaced=REPLACED if subject == "executorch-reinplace" else (), **options)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("subject", choices=SUBJECTS)
    parser.add_argument("--count", type=int, default=200000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--profiles", default="")
    parser.add_argument("--without", default="")
    options = parser.parse_args()
    out = options.out or pathlib.Path("build/campaigns") / options.subject
    found = campaign(options.subject, count=options.count, seed=options.seed, seconds=options.seconds, out=out, ledger=out / "ledger.jsonl",
                     profiles=[p for p in options.profiles.split(",") if p], without=options.without,
                     known=lambda what, cause: bool(re.match(KNOWN[options.subject], f"{what}: {cause}")))
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(f"{options.subject}: {found}\n{sum(u.ru_utime + u.ru_stime for u in used):.0f} s of processor time in this run")
    return 1 if found.causes else 0


if __name__ == "__main__":
    sys.exit(main())
