#!/usr/bin/env python3
"""Fill corpus/ from a folder of labelled data: import_corpus.py DATA

DATA holds `cases/`, `oneshot/`, `inductor/`, `torch_trace/` and `torch_trace_models/`.  Writes corpus/{cases,later,
inductor,oneshot}/ with one `cases.tsv` each, and corpus/logs/.  Two imports of the same data write the same bytes.
Hand-kept and left alone: the READMEs, known.tsv, expected.tsv.  What a file is expected to do comes from DATA only,
never from a run of noclobber; known.tsv (folder, file, reason) is where an `unknown` is admitted.
"""
import csv, gzip, json, pathlib, re, shutil, sys

CORPUS = pathlib.Path(__file__).resolve().parent.parent / "corpus"
COLUMNS = ["file", "verdict", "property", "also", "culprit", "points_at", "known", "why", "source"]
DECIDED = {"before", "before,symbols", "before,ops", "ops", "before,ops,symbols", "after", "before,dataflow", "before,streams",
           "before,dataflow,ops", "before,control-flow", "plan", "plan,ops", "plan,symbols", "plan,control-flow", "plan-only",
           "plan,dataflow", "plan,streams"}
# Not decided yet: declared views of elements that are not known; a concatenation planned onto unwritten elements.
LATER = {"z03-concat-onto-input", "z12-match-cast-alias", "z65-share-data-not-known"}
# The fault of these is a wrong value that no single overwrite explains: no three steps to point at.
NO_STEPS = {"call-inputs-overlap-in-part", "pt-cat-out-over-input", "z18-reorder-through-views",
            "z53-fold-drops-uncovered-part", "z83-offset-before-clamp",
            # steps in the body of a loop, which have no place in a record yet
            "loop-carry-buffer-viewed-outside", "z08-elementwise-inplace-in-loop", "z86-buffer-reused-inside-loop"}
ONESHOT = """b-unknown_op_writing--dummy_0_inplace d-cross_iteration_insert--w_1_inplace d-nested_overlap--outer_0_inplace
l-elementwise_access_regression--f1_0_inplace l-not_elementwise--b_0_inplace m-conflict_on_B--C_2_inplace
m-dependence_through_call--A_0_inplace m-double_insert_slice_into_alias--e_0_inplace
m-extract_slice_linalg_readonly_use--D_2_inplace m-extract_slice_nonmatching_insert_slice--r0_0_inplace
m-extract_slice_to_linalg_write_use--D_2_inplace m-extract_slice_to_linalg_write_use-transitive--early_E
m-insert_slice_fun--r0_1_inplace m-insert_slice_insert_slice--early_r1 m-linalg_op_same_out_tensors-opaque--g_2_inplace
m-linalg_op_same_out_tensors_2-opaque--all_inplace m-matmul_on_tensors--f8_0_inplace
m-matmul_on_tensors-transfer--early_r m-private_func_read_write--cast_0_inplace m-to_tensor_op_not_writable--w_0_inplace
m-write_to_same_tensor_in_loop_out_of_place--B2_0_inplace s-different_repetitive_region_via_alias--f1_0_inplace
s-no_raw_conflict_after_repetitive_use--f5_0_inplace s-scf_for_with_tensor_insert_slice--for_0_inplace""".split()
INDUCTOR = {  # case: numbers of the passes
    "b195451-slice-return": "01 03 04", "b197893-div-one": "01", "b198031-reverse": "01", "b198094-slice-zero": "02 03 04",
    "b198101-dtypeview-i32": "04", "b198270-indexput-flip": "01", "g1-interm-v1": "02", "g1-mm-intermediate": "01 02",
    "g1-partial-overlap-op": "01 02", "g1-twice-input": "02", "g3-unfold-indexput": "01", "g4-setitem-clone": "01 02",
    "g5-midgraph-copy": "01", "g6-write-narrow": "03 04", "n-addzero-customop": "02", "n-mulone-scatter": "02",
    "n-scatter-diag-overlap": "02", "ok-kvcache-indexput": "03", "ok-sgd-foreach": "01", "ok-view-chain": "02 03",
    "ok-modify-inner": "01", "ok-customop-v1": "01", "n-mulone-copy": "01"}
LOGS = {"sound": ["inductor/ok-mlp-train", "inductor/ok-sgd-foreach", "inductor/ok-attention",
                  "torch_trace_models/lstm_lm.log.gz"],
        "open": ["inductor/ok-kvcache-dynamic"],
        "miscompiled": ["inductor/b198094-slice-zero", "inductor/g1-mm-intermediate", "inductor/g1-partial-overlap-op"],
        "tlparse": ["torch_trace/multi_rank_runtime_dedicated_log_torch_trace_rank_4.log",
                    "torch_trace/multi_rank_runtime_dedicated_log_torch_trace_rank_5.log",
                    "torch_trace/multi_rank_schedule_dedicated_log_torch_trace_rank_0_6u3fubwl.log",
                    "torch_trace/inductor_provenance_aot_log.txt", "torch_trace/inductor_provenance_jit_log.txt",
                    "torch_trace/links.log"]}


def table(path):
    with path.open(newline="") as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


def known(folder):
    path = CORPUS / "known.tsv"
    return {row["file"]: row["reason"] for row in table(path) if row["folder"] == folder} if path.exists() else {}


def write(folder, rows):
    """rows: dicts by COLUMNS plus `from`, the file to copy."""
    out = CORPUS / folder
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.json"):
        old.unlink()
    admitted = known(folder)
    rows.sort(key=lambda row: row["file"])
    with (out / "cases.tsv").open("w") as f:
        print(*COLUMNS, sep="\t", file=f)
        for row in rows:
            row["known"] = admitted.get(row["file"], "-")
            print(*(re.sub(r"\s+", " ", row.get(c) or "-") for c in COLUMNS), sep="\t", file=f)
            shutil.copyfile(row["from"], out / row["file"])
            (out / row["file"]).chmod(0o644)
    print(f"corpus/{folder}: {len(rows)} cases")


def hand_made(data):
    here, later = [], []
    for row in table(data / "cases/cases.tsv"):
        path = data / "cases" / row["file"]
        steps = re.findall(r"\b(?:def|write|read)=([^\s/]+)(?=\s|$)", row["culprit"])
        if row["file"].split(".")[0] in NO_STEPS:
            steps = []
        row |= {"from": path, "source": json.loads(path.read_text())["source"],
                "points_at": ",".join(dict.fromkeys(steps)) if row["verdict"] == "refuted" else "-"}
        (here if row["form"] in DECIDED and row["file"].split(".")[0] not in LATER else later).append(row)
    write("cases", here)
    write("later", later)


def oneshot(data):
    """The refuted decision beside the decisions as published, under one stem."""
    rows, by_file = [], {row["file"]: row for row in table(data / "oneshot/cases.tsv")}
    for name in ONESHOT:
        stem = name.split("--")[0]
        for kind, row in (("refute", by_file[f"{name}.json"]), ("accept", by_file[f"{stem}.json"])):
            assert row["expected"] == {"refute": "refuted", "accept": "proved"}[kind], row
            rows.append({"file": f"{stem.replace('_', '-')}.{kind}.json", "verdict": row["expected"],
                         "property": row["property"].replace("|", ",") if kind == "refute" else "-",
                         "culprit": f"decision={row['flipped']}" if kind == "refute" else "-",
                         "why": row["why"], "source": row["origin"], "from": data / "oneshot" / row["file"]})
    write("oneshot", rows)


def inductor(data):
    rows = []
    for name, passes in INDUCTOR.items():
        case = json.loads((data / "inductor" / name / "case.json").read_text())
        expect = {files[0]: e for files, e in zip(case["inputs"], case["expect_in"], strict=True)}
        for number in passes.split():
            (file,) = (f for f in expect if f.startswith(f"passes/{number}_") and f.endswith(".case.json"))
            verdict = expect[file]
            kind = {"refuted": "refute", "proved": "accept"}[verdict]
            stage = re.sub(r"[^a-z0-9]+", "-", file[len("passes/"):-len(".case.json")])
            rows.append({"file": f"{name}--{stage}.{kind}.json", "verdict": verdict,
                         "property": case["property"].replace("|", ",") if verdict == "refuted" else "-",
                         "why": case["why"] if verdict == "refuted" else f"{case['title']}: executed, no difference",
                         "source": f"torch 2.15.0, {case.get('ref') or 'recorded'}", "from": data / "inductor" / name / file})
    write("inductor", rows)


def logs(data):
    for folder, names in LOGS.items():
        out = CORPUS / "logs" / folder
        out.mkdir(parents=True, exist_ok=True)
        for name in names:
            path = data / name
            if path.is_dir():
                path = next(path.glob("trace.log*"))
            text = path.read_bytes()
            text = gzip.decompress(text) if path.suffix == ".gz" else text
            stem = re.sub(r"\.(log|txt)(\.gz)?$", "", pathlib.Path(name).name)
            stem = re.sub(r"_dedicated_log_torch_trace", "", stem)
            (out / f"{stem}.log.gz").write_bytes(gzip.compress(text, 9, mtime=0))
    shutil.copyfile(data / "torch_trace/LICENSE", CORPUS / "logs/tlparse/LICENSE")
    (CORPUS / "logs/tlparse/LICENSE").chmod(0o644)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    data = pathlib.Path(sys.argv[1])
    hand_made(data)
    oneshot(data)
    inductor(data)
    logs(data)


if __name__ == "__main__":
    main()
