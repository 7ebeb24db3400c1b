#!/usr/bin/env python3
"""The Thunder corpus: every row of expected.tsv gets its verdict, for the reason it names, the same twice."""
import csv, json, os, pathlib, subprocess, unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CORPUS = ROOT / "corpus" / "thunder"
FOLDERS = (CORPUS, ROOT / "corpus" / "thunder_agree", 
           ROOT / "corpus" / "thunder_users")  # imported ones; ones that were got wrong once; ones that users met
CHECKER = pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")) / "noclobber"
STATUS = {0: "proved", 1: "refuted", 3: "unknown"}
FLOOR = {"proved": 64, "refuted": 65, "unknown": 7}  # fewer rows mean that some were lost
FUSION, ALIASES, GRADIENTS = "Fusion", "Update aliases for in-place ops", "Grad transform pass"
BROKEN_BY = {"t1-war-chain": FUSION, "t3-inplace-out-view-read-input": FUSION, "t5-bn-write-late": FUSION,
             "t6-eval-dropout-deep": FUSION, "t10-rows": ALIASES, "t11-int-view": ALIASES,
             "t15-split-intermediate": FUSION, "t17-mutated-after-save": GRADIENTS, "t18-remat-forward-only": FUSION,
             "pr2777-tanh-saved-dataflow": FUSION, "../thunder_agree/sin-recomputed": "Rematerialization",
             "../thunder_agree/slice-kept": GRADIENTS}


def rows():
    found = []
    for folder in FOLDERS:
        with (folder / "expected.tsv").open(newline="") as table:
            for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE):
                found.append(row | {"folder": f"{folder.name}/{row['folder']}"})
    return found


def run(row, *more):
    files = [str(pathlib.Path("corpus") / row["folder"] / name) for name in row["files"].split()]
    verb = "compare" if len(files) == 2 else "check"
    done = subprocess.run([CHECKER, verb, *files, "--json", "--order", row["order"], *more], cwd=ROOT,
                          capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout


def findings(output):
    for line in output.splitlines():
        for finding in json.loads(line).get("findings", []):
            if finding["status"] == "refuted" and finding["replayed"]:
                yield finding


class ThunderCorpus(unittest.TestCase):
    def test_no_row_was_lost(self):
        for verdict, least in FLOOR.items():
            self.assertGreaterEqual(sum(r["verdict"] == verdict for r in rows()), least, verdict)

    def test_verdicts(self):
        for row in rows():
            with self.subTest(folder=row["folder"], files=row["files"], why=row["why"]):
                code, output = run(row)
                self.assertEqual(STATUS.get(code, code), row["verdict"])
                if row["verdict"] == "refuted":
                    named = {f["property"] for f in findings(output)}
                    self.assertTrue(named & set(row["property"].split(",")), named)

    def test_the_pass_that_broke_it_is_named(self):
        for row in rows():
            if row["verdict"] == "refuted" and row["files"] == ".":
                with self.subTest(folder=row["folder"]):
                    self.assertTrue(all(f["pass"] for f in findings(run(row)[1])))

    def test_the_first_transform_that_broke_it_is_named(self):
        for folder, broken_by in BROKEN_BY.items():
            with self.subTest(folder=folder):
                code, output = run(dict(folder=f"thunder/{folder}", files=".", order="program"))
                self.assertEqual((code, next(findings(output))["pass"]), (1, broken_by))

    def test_the_same_twice(self):
        for row in rows()[:6]:
            self.assertEqual(run(row, "--jobs", "1"), run(row, "--jobs", "2"))

    def test_every_order_is_reported_beside_the_given_one(self):
        war = dict(folder="thunder/a5-view-war", files="04_dead-code-elimination.trace.txt", order="program")
        code, output = run(war)
        self.assertEqual((code, json.loads(output.splitlines()[0])["every_order"]), (0, "refuted"))
        calm = dict(folder="thunder/t18-control-functional", files=".", order="program")
        self.assertEqual({json.loads(l).get("every_order") for l in run(calm)[1].splitlines()} - {None}, {"proved"})

    def test_both_engines_say_the_same(self):
        for row in rows():
            with self.subTest(folder=row["folder"], files=row["files"]):
                said = [[(r.get("id"), r.get("status"), r.get("every_order")) for r in map(json.loads, output.splitlines())]
                        for _, output in (run(row), run(row, "--engine", "z3"))]
                self.assertEqual(*said)

    def test_a_wrong_order_names_the_dependences_it_lacks(self):
        war = dict(folder="thunder/a5-view-war", files="04_dead-code-elimination.trace.txt", order="dataflow")
        record = json.loads(run(war)[1].splitlines()[0])
        self.assertEqual([(d["first"]["code"], d["then"]["code"]) for d in record["repairs"]],
                         [("e += d.flatten()", "d.div_(x)")])
        self.assertIn("e += d.flatten() (a5-view-war.py:5) before d.div_(x)", record["findings"][0]["help"])

    def test_barriers_that_order_nothing_are_counted(self):
        plain = dict(folder="thunder/t18-control-functional", files=".", order="program")
        self.assertFalse(any("lints" in json.loads(line) for line in run(plain)[1].splitlines()))
        chain = dict(folder="thunder_agree/view-of-kept", files="03_update-aliases-for-in-place-ops.trace.txt",
                     order="program")
        lint = json.loads(run(chain)[1].splitlines()[0])["lints"][0]
        self.assertEqual((lint["rule"], lint["property"]), ("NC040", "lint-barrier"))
        self.assertGreater(lint["barriers"], 0)
        self.assertTrue(all(place["statement"] for place in lint["idle"]))

    def test_superfluous_barriers_of_a_forward_and_of_its_backward(self):
        for folder, counts in (("pr2777-main", [(1, 1)]), ("pr2777-branch", [(5, 5), (1, 1)])):
            _, output = run(dict(folder=f"thunder_users/{folder}", files=".", order="program"))
            lints = [lint for line in output.splitlines() for lint in json.loads(line).get("lints", [])]
            self.assertEqual([(lint["barriers"], len(lint["idle"])) for lint in lints], counts)

    def test_orders_count_from_the_pass_that_puts_barriers_in(self):
        _, output = run(dict(folder="thunder/a5-view-war", files=".", order="program"))
        claimed = {r["id"]: "every_order" in r for r in map(json.loads, output.splitlines()) if r["kind"] == "check"}
        before = ("01_return-arguments-to-track-copies-onto-them", "02_remove-context-manager-prims")
        self.assertEqual([name for name, claims in claimed.items() if not claims], list(before))

    def test_one_bad_trace_hides_no_other(self):
        _, output = run(dict(folder="thunder_users/one-bad-of-three", files=".", order="program"))
        said = [(r["id"], r["status"]) for r in map(json.loads, output.splitlines()) if r["kind"] == "check"]
        self.assertEqual(said, [("01_b", "refuted"), ("02_c", "proved")])

    def test_barriers_of_a_chain_are_superfluous(self):
        chain = dict(folder="thunder/issue-2768-chain", files="03_update-aliases-for-in-place-ops.trace.txt",
                     order="program")
        code, output = run(chain)
        record = json.loads(output.splitlines()[0])
        self.assertEqual((code, record["status"], record["every_order"]), (0, "proved", "proved"))
        lint = record["lints"][0]
        self.assertEqual((lint["rule"], lint["barriers"], len(lint["idle"])), ("NC040", 4, 4))
        some = dict(folder="thunder_agree/gradient-behind-view", files="04_dead-code-elimination.trace.txt", order="program")
        lint = json.loads(run(some)[1].splitlines()[0])["lints"][0]
        self.assertEqual((lint["barriers"], len(lint["idle"])), (3, 2))

    def test_a_trace_that_is_cut_is_unreadable(self):
        text = (CORPUS / "t1-war-chain" / "06_after-fusion-fusion.trace.txt").read_text()
        for end in (len(text) // 2, len(text) - 20):
            done = subprocess.run([CHECKER, "check", "-"], input=text[:end], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"line \d+, column \d+")


if __name__ == "__main__":
    unittest.main()
