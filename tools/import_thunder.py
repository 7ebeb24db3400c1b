#!/usr/bin/env python3
"""Fill corpus/thunder from recorded Thunder cases: import_thunder.py DATA

DATA holds one folder per program with numbered traces, `inputs.json` and `case.json`.  Copies the traces and writes
`expected.tsv`; what is expected comes from the labels only, never from a run of noclobber.  Folders whose traces show
source lines of other projects are refused.  Two imports of the same data write the same bytes.
"""
import csv, json, pathlib, shutil, sys

CORPUS = pathlib.Path(__file__).resolve().parent.parent / "corpus" / "thunder"
COLUMNS = ["folder", "files", "order", "verdict", "property", "source", "why"]
CASES = """t1-war-chain t10-rows t11-int-view t15-split-intermediate t17-mutated-after-save t18-remat-forward-only
t3-inplace-out-view-read-input t5-bn-write-late t6-eval-dropout-deep a5-view-war pr2777-sin-nograd-dataflow
t18-remat-forward-simple a10-chunk-after a19-alias-args c5-setitem-backward a6-two-views-dataflow a7-view-both
t18-control-functional m-symbolic t7-squeeze-dim pr2777-sin-nograd
pr2777-tanh-saved pr2777-tanh-saved-dataflow t5-bn-only a-bn-only-read-none issue-2768-chain
t3-waw a-chain-functional-control t17-sigmoid-mutated copy-dst-returned-1109 m-residual-add""".split()


def rows_of(name, case):
    for files, verdict in zip(case["inputs"], case["expect_in"], strict=True):
        if verdict in ("proved", "refuted"):
            prop = "-" if verdict == "proved" else case["property"].replace("|", ",")
            yield dict(folder=name, files=" ".join(files), order=case["order"], verdict=verdict, property=prop,
                       source=case.get("ref") or "-", why=" ".join((case.get("why") or case["title"]).split()))


def main():
    data = pathlib.Path(sys.argv[1])
    rows = []
    for old in CORPUS.iterdir() if CORPUS.exists() else []:
        if old.is_dir():
            shutil.rmtree(old)
    for name in sorted(CASES):
        case = json.loads((data / name / "case.json").read_text())
        target = CORPUS / name
        target.mkdir(parents=True)
        for path in sorted((data / name).iterdir()):
            if path.name == "inputs.json" or path.name.endswith(".trace.txt"):
                text = path.read_text()
                if "site-packages" in text:
                    raise SystemExit(f"{path}: shows source lines of another project")
                (target / path.name).write_text(text)
        rows += rows_of(name, case)
    with (CORPUS / "expected.tsv").open("w", newline="") as out:
        table = csv.DictWriter(out, COLUMNS, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, escapechar="\\")
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    main()
