#!/usr/bin/env python3
"""Runs build/bin/noclobber as users do: exit codes, streams, records, hostile input.

NC_BIN_DIR names another folder with the program.  Standard library only.
"""
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import time
import unittest

from in_folder import InFolder

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = str(pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")).resolve() / "noclobber")
SECONDS = 60  # no input of these tests may take longer

TENSOR = {"dtype": "f32", "shape": [2, 3]}
PREFIX = "V0521 11:50:42.931000 3054118 torch/_inductor/compile_fx.py:1194] "
PLACE = {"frame_id": 0, "frame_compile_id": 0, "attempt": 0}

FX = '''class <lambda>(torch.nn.Module):
    def forward(self, {x}: "f32[2, 3][3, 1]cpu"):
        # File: model.py:3 in f, code: return x.sin()
        sin: "f32[2, 3][3, 1]cpu" = torch.ops.aten.{op}.default({x});  {x} = None
        return (sin,)
'''


def graph(*steps, output):
    return {"inputs": [{"name": "x", "type": TENSOR}],
            "steps": [{"name": name, "op": op, "args": [{"ref": a} for a in args], "types": [TENSOR]}
                      for name, op, *args in steps],
            "outputs": [{"ref": output}]}


def case(name, before, after):
    return json.dumps({"format": "noclobber.case/1", "name": name, "before": before, "after": after})


SIN = graph(("y", "aten.sin.default", "x"), output="y")
PROVED = case("same", SIN, SIN)
REFUTED = case("in-place", SIN, graph(("y", "aten.sin_.default", "x"), output="y"))
UNKNOWN = case("unknown-op", SIN, graph(("y", "nobody.knows.default", "x"), output="y"))


def record(kind, value, payload=None):
    head = {kind: value, **PLACE}
    if payload is None:
        return PREFIX + json.dumps(head) + "\n"
    lines = "".join(f"\t{line}\n" for line in payload.splitlines())
    return PREFIX + json.dumps({**head, "has_payload": "0" * 32}) + "\n" + lines


def log(op="sin"):
    return (record("artifact", {"name": "before_post_grad_graph", "encoding": "string"}, FX.format(x="a", op="sin"))
            + record("inductor_post_grad_graph", {}, FX.format(x="a", op=op)))


EMPTY_LOG = record("compilation_metrics", {"co_name": "f"})


class Cli(InFolder):
    def run_it(self, *arguments, env=None, **more):
        more.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run([BINARY, *arguments], capture_output=True, timeout=SECONDS,
                              env={**os.environ, **(env or {})}, **more)

    def expect(self, code, *arguments, **more):
        run = self.run_it(*arguments, **more)
        self.assertEqual(run.returncode, code, (arguments, run.stdout[-2000:], run.stderr[-2000:]))
        return run

    def records(self, code, *arguments, **more):
        run = self.expect(code, *arguments, "--json", **more)
        records = [json.loads(line) for line in run.stdout.decode("utf-8", "strict").splitlines()]
        self.assertTrue(all(r["schema"] == "noclobber.result/1" for r in records))
        self.assertEqual([r["kind"] for r in records].count("summary"), 1)
        self.assertEqual(records[-1]["kind"], "summary")
        self.assertEqual(records[-1]["exit"], code)
        return records


class Usage(Cli):
    def test_extract(self):
        """A check of any format, as a case, has the verdict that it has in its file."""
        inputs = ["corpus/logs/miscompiled/b198094-slice-zero.log.gz", "corpus/thunder/t6-eval-dropout-deep",
                  "corpus/programs/methods.pte", "corpus/pt2/item.pt2", "corpus/programs/moved-freed.pte"]
        def checks(*arguments):
            lines = self.run_it(*arguments, "--json").stdout.decode().splitlines()
            return [r for r in map(json.loads, lines) if r["kind"] == "check"]

        seen = 0
        for name in inputs:
            made = checks("check", str(ROOT / name))
            for record in made:
                ran = self.run_it("extract", str(ROOT / name), "--only", record["id"])
                self.assertEqual(ran.returncode, 0, ran.stderr)
                (again,) = checks("check", self.write("extracted.json", ran.stdout))
                for field in ("status", "counts", "assumptions"):
                    self.assertEqual(again[field], record[field], (name, record["id"], field))
                self.assertEqual([f["rule"] for f in again["findings"]], [f["rule"] for f in record["findings"]])
                seen += 1
        self.assertGreater(seen, 10)

    def test_extract_asks_which(self):
        ran = self.run_it("extract", str(ROOT / "corpus/programs/methods.pte"))
        self.assertEqual((ran.returncode, ran.stdout), (2, b""))
        self.assertIn(b"more than one check", ran.stderr)

    def test_help_and_version(self):
        for arguments in (["--help"], ["-h"], ["--version"], ["check", "--help"], ["trace", "-h"]):
            run = self.expect(0, *arguments)
            self.assertTrue(run.stdout)
            self.assertFalse(run.stderr)
        self.assertRegex(self.expect(0, "--version").stdout.decode(), r"^noclobber \d+\.\d+\.\d+\n")

    def test_the_help_names_every_profile(self):
        refused = self.expect(2, "fuzz", "--pass", "-", "--profile", "nope", "--count", "1").stderr.decode()
        profiles = refused.split("there are ")[1].strip().split(", ")
        self.assertIn("write-backs", profiles)
        said = re.split(r"[\s,:]+", self.expect(0, "fuzz", "--help").stdout.decode())
        self.assertEqual([name for name in profiles if name not in said], [])

    def test_usage_errors_are_2_and_leave_stdout_alone(self):
        good = self.write("good.json", PROVED)
        for arguments in ([], ["check"], ["compare", good], ["compare", good, good, good], ["nonsense"],
                          ["check", good, "--nonsense"], ["check", good, "--engine", "abc"],
                          ["check", good, "--jobs", "-1"], ["check", good, "--jobs", "x"],
                          ["check", good, "--effort", "99999999999999999999"], ["check", good, "--only", "5-"],
                          ["check", good, "--fail-on", "never"], ["check", good, "--order", "any"],
                          ["check", good, "--ops", "/nonexistent"], ["explain", "NC999"], ["--nonsense"]):
            run = self.expect(2, *arguments)
            self.assertFalse(run.stdout, arguments)
            self.assertTrue(run.stderr, arguments)

    def test_typos_get_a_suggestion(self):
        self.assertIn(b"did you mean 'check'?", self.expect(2, "chekc", "x").stderr)
        self.assertIn(b"did you mean '--json'?", self.expect(2, "check", "x", "--jsn").stderr)
        self.assertIn(b"did you mean NC001?", self.expect(2, "explain", "NC0011").stderr)
        self.assertNotIn(b"did you mean", self.expect(2, "zzzzzzzz").stderr)

    def test_ops_says_where_results_may_lie(self):
        text = self.expect(0, "ops", "--may-reuse", "executorch").stdout.decode()
        rows = {row.split("\t")[0]: row.split("\t")[1:] for row in text.splitlines() if not row.startswith("#")}
        self.assertGreater(len(rows), 150)
        self.assertEqual(rows["aten.add.Tensor"], ["self, other", "shape width order apart", "tag, watched"])
        self.assertEqual(rows["aten._softmax.default"], ["self", "shape width order", "kernel, watched"])
        self.assertIn("only operands of one byte", rows["aten.lt.Tensor"][1])
        for never in ("aten.mm.default", "aten.cumsum.default", "aten._log_softmax.default", "aten.native_dropout.default"):
            self.assertNotIn(never, rows)
        self.expect(2, "ops")

    def test_explain(self):
        rules, reasons = self.expect(0, "explain").stdout.decode().split("\n\nReasons for unknown:\n")
        listed = [line.split()[:2] for line in rules.splitlines()]
        self.assertGreaterEqual(len(listed), 20)
        for code, name in listed:
            text = self.expect(0, "explain", code).stdout
            self.assertEqual(text, self.expect(0, "explain", name).stdout)
            self.assertGreater(len(text.splitlines()), 10)
        for line in reasons.splitlines():
            code, title = line.split(maxsplit=1)
            self.assertTrue(self.expect(0, "explain", code).stdout.decode().startswith(f"unknown[{code}]: {title}\n"))

    def test_option_page_is_current(self):
        page = self.expect(0, "--print-options-md").stdout.decode()
        self.assertEqual(page, (ROOT / "docs" / "cli-options.md").read_text())

    def test_start_is_fast(self):
        times = []
        for _ in range(10):
            start = time.perf_counter()
            self.expect(0, "--version")
            times.append(time.perf_counter() - start)
        self.assertLess(min(times), 0.1)


class Verdicts(Cli):
    def test_exit_codes(self):
        proved, refuted = self.write("p.json", PROVED), self.write("r.json", REFUTED)
        unknown, broken = self.write("u.json", UNKNOWN), self.write("b.json", "{")
        self.expect(0, "check", proved)
        self.expect(1, "check", refuted)
        self.expect(3, "check", unknown)
        self.expect(2, "check", broken)
        self.expect(1, "check", proved, broken, unknown, refuted)  # nothing hides a refutation
        self.expect(2, "check", proved, broken, unknown)
        self.expect(3, "check", proved, unknown)
        self.expect(0, "check", proved, unknown, "--fail-on", "refuted")
        self.expect(1, "check", refuted, unknown, "--fail-on", "refuted")
        self.expect(0, "check", refuted, unknown, "--fail-on", "none")
        self.expect(2, "check", refuted, broken, "--fail-on", "none")

    def test_human_text(self):
        run = self.expect(0, "check", self.write("p.json", PROVED))
        self.assertRegex(run.stdout.decode(), r"^✓ 1 pair checked: 1 proved, 0 refuted, 0 unknown \(.*\) .*s\)\n$")
        self.assertFalse(run.stderr)
        text = self.expect(1, "check", self.write("r.json", REFUTED)).stdout.decode()
        self.assertRegex(text, r"^error\[NC\d{3}\]: ")
        self.assertIn("(replayed)", text)
        self.assertNotIn("\x1b", text)
        self.assertIn("unknown[", self.expect(3, "check", self.write("u.json", UNKNOWN)).stdout.decode())

    def test_colours_quiet_and_width(self):
        """--color before the environment, NO_COLOR before CLICOLOR_FORCE; --quiet; COLUMNS."""
        refuted, proved = self.write("r.json", REFUTED), self.write("p.json", PROVED)
        clean = {"NO_COLOR": "", "CLICOLOR_FORCE": "", "COLUMNS": ""}
        for options, env, coloured in [([], {}, False), (["--color", "always"], {}, True),
                                       ([], {"CLICOLOR_FORCE": "1"}, True), ([], {"CLICOLOR_FORCE": "0"}, False),
                                       ([], {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False),
                                       (["--color", "always"], {"NO_COLOR": "1"}, True),
                                       (["--color", "never"], {"CLICOLOR_FORCE": "1"}, False),
                                       (["--no-color"], {"CLICOLOR_FORCE": "1"}, False)]:
            text = self.expect(1, "check", refuted, *options, env={**clean, **env}).stdout.decode()
            self.assertEqual("\x1b[" in text, coloured, (options, env))
        self.expect(2, "check", proved, "--color", "sometimes")
        self.assertFalse(self.expect(0, "check", proved, "--quiet").stdout)
        quiet = self.expect(1, "check", proved, refuted, "--quiet").stdout.decode()
        self.assertRegex(quiet, r"^error\[NC\d{3}\]: ")
        self.assertNotIn(" checked: ", quiet)
        for columns in (50, 72, 100):
            text = self.expect(1, "check", refuted, env={**clean, "COLUMNS": str(columns)}).stdout.decode()
            lines = [line for line in text.splitlines() if not line.startswith("   ") and refuted not in line]
            self.assertLessEqual(max(map(len, lines)), columns)

    def test_records(self):
        paths = [self.write("p.json", PROVED), self.write("b.json", "{"), self.write("r.json", REFUTED)]
        records = self.records(1, "check", *paths)
        self.assertEqual([r["kind"] for r in records], ["check", "error", "check", "summary"])
        self.assertEqual([r["input"] for r in records[:3]], paths)
        self.assertEqual(records[0]["status"], "proved")
        self.assertEqual(records[0]["what"], "pair")
        self.assertEqual(records[0]["findings"], [])
        finding = records[2]["findings"][0]
        self.assertTrue(finding["replayed"])
        self.assertRegex(finding["rule"], r"^NC\d{3}$")
        self.assertRegex(finding["fingerprint"], r"^[0-9a-f]{16}$")
        self.assertEqual((records[3]["proved"], records[3]["refuted"], records[3]["error"]), (1, 1, 1))
        self.assertEqual(records[3]["pairs"], {"proved": 1, "refuted": 1, "unknown": 0})

    def test_same_bytes_whatever_the_threads_do(self):
        paths = [self.write(f"{k}.json", (PROVED, REFUTED, UNKNOWN, "{")[k % 4]) for k in range(24)]
        first = self.expect(1, "check", "--json", "--jobs", "1", *paths).stdout
        for jobs in ("2", "8"):
            self.assertEqual(first, self.expect(1, "check", "--json", "--jobs", jobs, *paths).stdout)

    def test_statistics_and_times_are_narration(self):
        path = self.write("p.json", PROVED)
        plain = self.expect(0, "check", path, "--json")
        loud = self.expect(0, "check", path, "--json", "--stats", "--timings")
        self.assertEqual(plain.stdout, loud.stdout)
        self.assertIn(b"stats: ", loud.stderr)
        self.assertIn(b"time: ", loud.stderr)

    def test_only_and_stdin(self):
        path = self.write("p.json", PROVED)
        self.expect(0, "check", path, "--only", "0")
        self.expect(2, "check", path, "--only", "1")
        self.expect(0, "check", "-", stdin=open(path, "rb"))

    def test_operators_from_a_file(self):
        same = graph(("y", "zoo.f.default", "x"), output="y")
        path = self.write("c.json", case("c", same, same))
        lines = self.write("ops.txt", "# ours\nzoo::f(Tensor x) -> Tensor\n")
        as_list = self.write("ops.json", '[{"schema": "zoo::f(Tensor x) -> Tensor"}]')
        self.expect(0, "check", path, "--ops", lines)
        self.expect(0, "check", path, "--ops", as_list)
        self.expect(2, "check", path, "--ops", self.write("bad.txt", "zoo::f("))

    def test_trace(self):
        run = self.expect(0, "trace", self.write("p.json", PROVED))
        self.assertTrue(run.stdout)
        self.expect(2, "trace", self.write("b.json", "{"))
        self.expect(2, "trace", self.write("e.log", EMPTY_LOG))


class Solver(Cli):
    """With and without the library that asks Z3: it is looked for beside the program."""

    def setUp(self):
        super().setUp()
        self.case = str(ROOT / "corpus" / "cases" / "z61-padding-of-batch-1-kept.accept.json")
        self.alone = self.folder / "alone" / "bin" / "noclobber"
        self.alone.parent.mkdir(parents=True)
        shutil.copy(BINARY, self.alone)

    def run_alone(self, *arguments):
        return subprocess.run([self.alone, *arguments], capture_output=True, timeout=SECONDS)

    def test_what_asks_for_a_solver_ends_without_one(self):
        for arguments in (["check", self.case, "--engine", "z3"], ["reduce", self.case, "--engine", "z3"],
                          ["fuzz", "--count", "1"], ["fuzz", "--exhaustive", "1"]):
            run = self.run_alone(*arguments)
            self.assertEqual(run.returncode, 2, arguments)
            self.assertFalse(run.stdout, arguments)
            self.assertIn(b"no solver: libnc_z3.so: cannot open", run.stderr)
            self.assertIn(str(self.alone.parent).encode() + b"/../lib", run.stderr)
        self.expect(0, "check", self.case, "--engine", "z3")
        self.expect(0, "fuzz", "--count", "1", "--out", self.folder / "findings")

    def test_unknown_for_want_of_a_solver_says_so(self):
        self.expect(0, "check", self.case)
        run = self.run_alone("check", self.case, "--json")
        self.assertEqual(run.returncode, 3, run.stderr)
        record = json.loads(run.stdout.splitlines()[0])
        self.assertIn(("resource-limit", ["solver (not found)"]), [(u["reason"], u["names"]) for u in record["unknown"]])
        starved = self.records(3, "check", self.case, "--effort", "1")[0]
        self.assertIn(("resource-limit", ["solver"]), [(u["reason"], u["names"]) for u in starved["unknown"]])

    def test_a_score_says_what_was_asked(self):
        run = self.expect(0, "fuzz", "--count", "64", "--json", "--out", self.folder / "findings")
        score = json.loads(run.stdout.splitlines()[-1])
        made = score["cross_checks"]
        for what in ("engines", "certificates", "texts", "damaged", "starved", "advice"):
            self.assertGreater(made[what], 0, what)
        self.assertGreater(made["engines-decided"], 0)
        self.assertLessEqual(made["engines-decided"], made["engines"])
        self.assertLessEqual(made["engines"], 16)
        text = self.expect(0, "fuzz", "--count", "64", "--out", self.folder / "findings").stdout.decode()
        self.assertIn(f"engines {made['engines']},", text)

    def test_a_seed_is_the_first_one_by_either_name(self):
        said = [self.expect(0, "fuzz", option, seed, "--count", "40", "--json", "--out", self.folder / "findings").stdout
                for option, seed in (("--start", "70"), ("--seed", "70"), ("--start", "71"))]
        self.assertEqual(said[0], said[1])
        self.assertNotEqual(said[0], said[2])


class Compare(Cli):
    def test_texts_and_cases(self):
        before = self.write("before.txt", FX.format(x="a", op="sin"))
        renamed = self.write("renamed.txt", FX.format(x="b", op="sin"))
        in_place = self.write("in_place.txt", FX.format(x="a", op="sin_"))
        records = self.records(0, "compare", before, renamed)
        self.assertEqual(records[0]["what"], "pair")
        self.records(1, "compare", before, in_place)
        self.expect(1, "compare", self.write("p.json", PROVED), self.write("r.json", REFUTED))

    # Every module begins its numbers again: the inner names are those of the outer module, too.
    IN_BRANCH = """class <lambda>(torch.nn.Module):
    def forward(self, p: "b8[]", n: "i64[]", x: "f32[4]"):
        body_0 = self.body_0
        m = torch.ops.higher_order.map_impl(body_0, [x], [])
        first: "f32[4]" = m[0]
        true_graph_0 = self.true_graph_0
        false_graph_0 = self.false_graph_0
        c = torch.ops.higher_order.cond(p, true_graph_0, false_graph_0, (n, first))
        last: "f32[4]" = c[0]
        return (last,)

    class body_0(torch.nn.Module):
        def forward(self, a: "f32[]"):
            b: "f32[]" = torch.ops.aten.mul.Tensor(a, 2.0)
            return (b,)

    class true_graph_0(torch.nn.Module):
        def forward(self, n: "i64[]", x: "f32[4]"):
            INNER

    class false_graph_0(torch.nn.Module):
        def forward(self, n: "i64[]", x: "f32[4]"):
            y: "f32[4]" = torch.ops.aten.neg.default(x)
            return (y,)
"""
    INNER = {"map": """body_0 = self.body_0
            m = torch.ops.higher_order.map_impl(body_0, [x], [])
            y: "f32[4]" = m[0]
            return (y,)

        class body_0(torch.nn.Module):
            def forward(self, a: "f32[]"):
                b: "f32[]" = torch.ops.aten.mul.Tensor(a, FACTOR)
                return (b,)""", "while": """goes_0 = self.goes_0
            body_0 = self.body_0
            w = torch.ops.higher_order.while_loop(goes_0, body_0, (n, x), ())
            k: "i64[]" = w[0]
            y: "f32[4]" = w[1]
            return (y,)

        class goes_0(torch.nn.Module):
            def forward(self, n: "i64[]", x: "f32[4]"):
                lt: "b8[]" = torch.ops.aten.lt.Scalar(n, 5)
                return lt

        class body_0(torch.nn.Module):
            def forward(self, n: "i64[]", x: "f32[4]"):
                k: "i64[]" = torch.ops.aten.add.Tensor(n, 1)
                y: "f32[4]" = torch.ops.aten.mul.Tensor(x, FACTOR)
                return (k, y)"""}

    def test_bodies_of_one_name(self):
        for kind, inner in self.INNER.items():
            text = self.IN_BRANCH.replace("INNER", inner)
            three, also, five = (self.write(f"{kind}{k}.py", text.replace("FACTOR", factor))
                                 for k, factor in enumerate(("3.0", "3.0", "5.0")))
            self.expect(0, "compare", three, also)
            self.expect(1, "compare", three, five)

    def test_which_item_a_symbol_is(self):
        text = """class <lambda>(torch.nn.Module):
    def forward(self, x: "f32[]", y: "f32[4]"):
        s: "Sym(FIRST)" = torch.ops.aten._local_scalar_dense.default(x)
        z: "f32[]" = torch.ops.aten.zero_.default(x)
        t: "Sym(SECOND)" = torch.ops.aten._local_scalar_dense.default(x)
        m: "f32[4]" = torch.ops.aten.mul.Tensor(y, USED)
        return (m,)
"""
        write = lambda name, first, second, used: self.write(
            name, text.replace("FIRST", first).replace("SECOND", second).replace("USED", used))
        before, also = write("a.py", "zuf0", "zuf1", "s"), write("b.py", "zuf0", "zuf1", "s")
        self.expect(0, "compare", before, also)
        self.expect(3, "compare", before, write("c.py", "zuf1", "zuf0", "t"))

    def test_constants_of_one_side(self):
        """A constant that one graph alone holds is no input that the other lacks."""
        head = """class f(torch.nn.Module):
    def forward(self, x: "f32[2][1]cpu"):
"""
        constant = """        c: "f32[2][1]cpu" = self._tensor_constant0
        y: "f32[2][1]cpu" = torch.ops.aten.mul.Tensor(x, c)
"""
        sine = """        z: "f32[2][1]cpu" = torch.ops.aten.sin.default(x)
        return (RESULT,)
"""
        plain = self.write("plain.py", head + sine.replace("RESULT", "z"))
        unread = self.write("unread.py", head + constant + sine.replace("RESULT", "z"))
        read = self.write("read.py", head + constant + sine.replace("RESULT", "y"))
        self.expect(0, "compare", plain, unread)
        self.expect(0, "compare", unread, plain)
        self.expect(3, "compare", plain, read)  # the text does not say what it holds

    def test_sizes_of_another_tracing(self):
        text = """class <lambda>(torch.nn.Module):
    def forward(self, x: "f32[4][1]cpu", y: "f32[4][1]cpu"):
        s: "Sym(TOLD)" = torch.ops.aten._local_scalar_dense.default(y)
        a: "i64[MADE, 1][1, MADE]cpu" = torch.ops.aten.nonzero.default(OF)
        r: "Sym(MADE)" = torch.ops.aten.sym_size.int(a, 0)
        n: "f32[MADE][1]cpu" = torch.ops.aten.full.default([r], 1.0, dtype = torch.float32)
        m: "f32[4][1]cpu" = torch.ops.aten.mul.Tensor(x, s)
        return (n, m)
"""
        write = lambda name, made, told, of: self.write(
            name, text.replace("MADE", made).replace("TOLD", told).replace("OF", of))
        before = write("a.py", "u0", "zuf0", "x")
        self.expect(0, "compare", before, write("b.py", "u5", "zuf3", "x"))
        self.expect(3, "compare", before, write("c.py", "u5", "zuf3", "y"))

    def test_a_body_in_a_tuple(self):
        """The mask of flex_attention stands inside of the block mask."""
        text = """class <lambda>(torch.nn.Module):
    def forward(self, q: "f32[1, 1, 4, 2]", i: "i32[1, 1, 1]"):
        score0 = self.score0
        mask0 = self.mask0
        f = torch.ops.higher_order.flex_attention(q, q, q, score0, (4, 4, i, mask0), 0.25, {}, (), ())
        g: "f32[1, 1, 4, 2]" = f[0]
        return (g,)

    class score0(torch.nn.Module):
        def forward(self, a: "f32[]", b: "i32[]", h: "i32[]", x: "i32[]", y: "i32[]"):
            return a

    class mask0(torch.nn.Module):
        def forward(self, b: "i32[]", h: "i32[]", x: "i32[]", y: "i32[]"):
            s: "b8[]" = torch.ops.aten.OP.Tensor(x, y)
            return s
"""
        ge, also, gt = (self.write(name, text.replace("OP", op))
                        for name, op in (("a.py", "ge"), ("b.py", "ge"), ("c.py", "gt")))
        self.expect(0, "compare", ge, also)
        self.expect(3, "compare", ge, gt)

    def test_what_is_no_graph(self):
        before = self.write("before.txt", FX.format(x="a", op="sin"))
        for other in (self.write("x.log", log()), self.write("x.txt", "hello"), self.write("e.txt", ""),
                      str(self.folder), str(self.folder / "none")):
            records = self.records(2, "compare", before, other)
            self.assertEqual(records[0]["kind"], "error")
            self.assertEqual(records[0]["input"], other)


class Logs(Cli):
    def test_pair_of_a_log(self):
        records = self.records(0, "check", self.write("a.log", log()))
        self.assertEqual(records[0]["id"], "-_0_0_0/post_grad")
        self.records(1, "check", self.write("b.log", log("sin_")))

    def test_packed_and_in_directories(self):
        self.write("logs/b/x.log.gz", gzip.compress(log("sin_").encode()))
        self.write("logs/a.log", log())
        self.write("logs/LICENSE", "hello")
        records = self.records(1, "check", str(self.folder / "logs"))
        checks = [r for r in records if r["kind"] == "check"]
        self.assertEqual([r["status"] for r in checks], ["proved", "refuted"])

    def test_directory_of_cases(self):
        case = (ROOT / "corpus/cases/z55-copy-erased-substitution-failed.refute.json").read_text()
        self.write("cases/a/one.json", case)
        self.write("cases/two.json", case.replace("noclobber.case/1", "other.format/1"))  # no case: not read
        self.write("cases/three.json", "[1, 2]")
        checks = [r for r in self.records(1, "check", str(self.folder / "cases")) if r["kind"] == "check"]
        self.assertEqual([r["input"].endswith("one.json") for r in checks], [True])
        self.write("none/two.json", '{"format": "other.format/1"}')
        self.assertIn(b"nothing in this directory", self.expect(2, "check", str(self.folder / "none")).stderr)

    def test_log_without_graphs(self):
        empty, good = self.write("e.log", EMPTY_LOG), self.write("g.log", log())
        self.assertIn(b"nothing to check", self.expect(2, "check", empty).stderr)
        run = self.expect(0, "check", empty, good)
        self.assertIn(b"noclobber: note: ", run.stderr)

    def test_cut_tail(self):
        whole = log() + record("artifact", {"name": "before_post_grad_graph", "encoding": "string"})
        records = self.records(3, "check", self.write("cut.log", whole[:-9]))
        self.assertEqual(records[0]["status"], "proved")
        self.assertIn("truncated-input", [u["reason"] for r in records[:-1] for u in r.get("unknown", [])])


class Streams(Cli):
    def test_interrupt_keeps_what_is_known(self):
        path = self.write("p.json", PROVED)
        run = subprocess.Popen([BINARY, "check", "--json", "--jobs", "1", path, "-"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first = run.stdout.readline()
        run.send_signal(signal.SIGINT)
        rest = run.stdout.read()
        self.assertEqual(run.wait(timeout=SECONDS), 130)
        for stream in (run.stdin, run.stdout, run.stderr):
            stream.close()
        self.assertEqual(json.loads(first)["status"], "proved")
        self.assertEqual(json.loads(rest.splitlines()[-1])["exit"], 130)

    def test_full_disk_is_no_success(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        path = self.write("p.json", PROVED)
        with open("/dev/full", "wb") as full:
            for extra in ([], ["--json"]):
                run = subprocess.run([BINARY, "check", path, *extra], stdout=full, stderr=subprocess.PIPE,
                                     timeout=SECONDS)
                self.assertEqual(run.returncode, 2)


class Hostile(Cli):
    """No input may crash, hang, or be taken for checked."""

    def refuse(self, path, codes=(2,), command=("check",)):
        run = self.run_it(*command, path, "--json")
        self.assertIn(run.returncode, codes, (path, run.stdout[-500:], run.stderr[-500:]))
        for line in run.stdout.splitlines():
            self.assertNotEqual(json.loads(line).get("status"), "proved")
        for line in run.stderr.decode("utf-8", "strict").splitlines():
            self.assertTrue(line.startswith("noclobber: "), line)
            self.assertLess(len(line), 10000)
            self.assertNotIn("internal error", line)
            self.assertFalse(any(ord(c) < 32 for c in line), repr(line))

    def test_no_input_at_all(self):
        (self.folder / "empty").mkdir()
        for path in ("empty", "none", "none/none", "\x1b[31mred"):
            self.refuse(str(self.folder / path))
        self.refuse(self.write("empty.json", ""))
        self.refuse("")
        self.refuse("/dev/null")

    def test_random_bytes(self):
        source = random.Random(7)
        for k in range(20):
            content = source.randbytes(source.randrange(1, 5000))
            for head in (b"", b"{", b"\x1f\x8b", b"class x(", PREFIX.encode(), b"\xff\xfe"):
                self.refuse(self.write(f"r{k}", head + content), codes=(2, 3))

    def test_damaged_good_files(self):
        source = random.Random(8)
        for name, text in (("c.json", REFUTED), ("g.txt", FX.format(x="a", op="sin")), ("t.log", log())):
            for k in range(40):
                content = bytearray(text.encode())
                for _ in range(source.randrange(1, 4)):
                    content[source.randrange(len(content))] = source.randrange(256)
                path = self.write(f"{k}{name}", bytes(content[:source.randrange(1, len(content) + 1)]))
                run = self.run_it("check", path, "--json")
                self.assertIn(run.returncode, (0, 1, 2, 3), (path, run.stderr[-500:]))

    def test_one_long_line(self):
        size = 100 << 20
        for k, head in enumerate((b"", b'{"format":"', PREFIX.encode() + b'{"str":["', b"class x(torch.nn.Module): ")):
            path = self.write(f"long{k}", head + b"a" * size)
            self.refuse(path, codes=(2, 3))
            os.unlink(path)

    def test_deep_nesting(self):
        depth = 1_000_000
        array = "[" * depth
        for k, text in enumerate((
                array, array + "]" * depth, '{"a":' * depth,
                '{"format":"noclobber.case/1","name":"n","after":{"inputs":[],"steps":[],"outputs":[' + array +
                "]" * depth + "]}}",
                '{"format":"noclobber.case/1","name":"n","assume":["' + "(" * depth + "1" + ")" * depth +
                ' <= n"],"symbols":{"n":{}},"after":{"inputs":[],"steps":[],"outputs":[]}}',
                FX.format(x="a", op="sin").replace("default(a)", "default(" + "[" * depth + ")"),
                FX.format(x="a", op="sin").replace("default(a)", "default(" + "-" * depth + "1)"),
                FX.format(x="a", op="sin").replace("2, 3]", "(" * depth + "2, 3]"))):
            self.refuse(self.write(f"deep{k}", text))
            self.refuse(self.write(f"deep{k}", text), command=("trace",))
        self.refuse(self.write("deep.log", PREFIX + '{"a":' + array + "\n"), codes=(2, 3))
        self.refuse(self.write("ops.json", array), command=("check", self.write("p.json", PROVED), "--ops"))

    def test_huge_numbers(self):
        for number in ("9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e999", "-1"):
            shape = f'{{"dtype": "f32", "shape": [{number}, {number}]}}'
            text = ('{"format":"noclobber.case/1","name":"n","after":{"inputs":[{"name":"x","type":' + shape +
                    '}],"steps":[{"name":"y","op":"aten.sin.default","args":[{"ref":"x"}]}],"outputs":[{"ref":"y"}]}}')
            self.assertIn(self.run_it("check", self.write("n.json", text)).returncode, (0, 2, 3))

    def test_packed(self):
        self.refuse(self.write("zeros.gz", gzip.compress(b"\0" * (100 << 20), 1)))
        self.refuse(self.write("cut.gz", gzip.compress(log().encode())[:-20]), codes=(2, 3))
        self.refuse(self.write("twice.gz", gzip.compress(gzip.compress(log().encode()))))

    def test_names_cannot_command_a_terminal(self):
        text = REFUTED.replace('"y"', '"\\u001b[31m\\u0007"').replace('"in-place"', '"\\u001b]0;x\\u0007"')
        run = self.run_it("check", self.write("e.json", text))
        self.assertNotIn(b"\x1b", run.stdout + run.stderr)
        self.assertNotIn(b"\x07", run.stdout + run.stderr)

    def test_loops_of_links(self):
        (self.folder / "loop").mkdir()
        os.symlink(self.folder / "loop", self.folder / "loop" / "again")
        os.symlink("nowhere", self.folder / "loop" / "x.log")
        os.mkfifo(self.folder / "loop" / "fifo.log")
        self.refuse(str(self.folder / "loop"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
