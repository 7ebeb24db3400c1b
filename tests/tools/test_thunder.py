#!/usr/bin/env python3
"""The Thunder corpus: every row of expected.tsv gets its verdict, for the reason it names, the same twice."""
import csv, json, os, pathlib, subprocess, unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CORPUS = ROOT / "corpus" / "thunder"
CHECKER = pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")) / "noclobber"
STATUS = {0: "proved", 1: "refuted", 3: "unknown"}
FLOOR = {"proved": 18, "refuted": 16}  # fewer rows mean that some were lost


def rows():
    with (CORPUS / "expected.tsv").open(newline="") as table:
        return list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))


def run(row, *more):
    files = [str(pathlib.Path("corpus/thunder") / row["folder"] / name) for name in row["files"].split()]
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

    def test_the_same_twice(self):
        for row in rows()[:6]:
            self.assertEqual(run(row, "--jobs", "1"), run(row, "--jobs", "2"))

    def test_every_order_is_reported_beside_the_given_one(self):
        war = dict(folder="a5-view-war", files="04_dead-code-elimination.trace.txt", order="program")
        code, output = run(war)
        self.assertEqual((code, json.loads(output.splitlines()[0])["every_order"]), (0, "refuted"))
        calm = dict(folder="t18-control-functional", files=".", order="program")
        self.assertEqual({json.loads(l).get("every_order") for l in run(calm)[1].splitlines()} - {None}, {"proved"})

    def test_a_trace_that_is_cut_is_unreadable(self):
        text = (CORPUS / "t1-war-chain" / "06_after-fusion-fusion.trace.txt").read_text()
        for end in (len(text) // 2, len(text) - 20):
            done = subprocess.run([CHECKER, "check", "-"], input=text[:end], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"line \d+, column \d+")


if __name__ == "__main__":
    unittest.main()
