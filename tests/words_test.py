#!/usr/bin/env python3
"""Fingerprints and words of findings, asked of the program as others use it.

For every rule that a case can break: a program with k faults of one shape has k findings' fingerprints, one more fault
is one more fingerprint, and a step that has nothing to do with them changes none.  NC_BIN_DIR names another folder
with the program.  Standard library only.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = str(pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")) / "noclobber")


def ref(name):
    return {"ref": name}


def given(name, shape=(4,), **more):
    return {"name": name, "type": {"dtype": "f32", "shape": list(shape)}, **more}


def step(name, op, *args, **more):
    return {"name": name, "op": f"aten.{op}", "args": [ref(a) if isinstance(a, str) else a for a in args], **more}


class Pattern:
    """One fault, all names ending in `k`: inputs, steps of both graphs, outputs of both."""
    def __init__(self, inputs, before, after, outputs, after_outputs=None, **case):
        self.inputs, self.before, self.after, self.outputs = inputs, before, after, outputs
        self.after_outputs, self.case = after_outputs or outputs, case


def nc001(k):
    both = [step(f"b{k}", "neg.default", f"x{k}")]
    end = [step(f"r{k}", "cumsum.default", f"b{k}", 0)]
    return Pattern([given(f"x{k}")], both + [step(f"w{k}", "mul.Scalar", f"b{k}", 3)] + end,
                   both + [step(f"w{k}", "mul_.Scalar", f"b{k}", 3)] + end, [f"w{k}", f"r{k}"])


def nc002(k):
    return Pattern([given(f"x{k}")], [step(f"u{k}", "cumsum.default", f"x{k}", 0)],
                   [step(f"B{k}", "empty.memory_format", [4]), step(f"u{k}", "cumsum.default", f"B{k}", 0)], [f"u{k}"])


def nc003(k):
    end = [step(f"z{k}", "neg.default", f"y{k}")]
    return Pattern([given(f"x{k}")], [step(f"y{k}", "mul.Scalar", f"x{k}", 2)] + end,
                   [step(f"y{k}", "mul_.Scalar", f"x{k}", 2)] + end, [f"z{k}"])


def nc004(k):
    return Pattern([given(f"x{k}"), given(f"p{k}")], [step(f"y{k}", "neg.default", f"x{k}")],
                   [step(f"y{k}", "neg.default", f"p{k}")], [f"y{k}"])


def nc005(k):
    return Pattern([given(f"x{k}")], [step(f"y{k}", "clone.default", f"x{k}")],
                   [step(f"y{k}", "alias.default", f"x{k}")], [f"y{k}"])


def nc005_outputs(k):
    both = [step(f"b{k}", "neg.default", f"x{k}")]
    return Pattern([given(f"x{k}")], both + [step(f"y{k}", "clone.default", f"b{k}")],
                   both + [step(f"y{k}", "alias.default", f"b{k}")], [f"b{k}", f"y{k}"])


def nc006(k):
    end = [step(f"r{k}", "neg.default", f"x{k}")]
    return Pattern([given(f"x{k}"), given(f"b{k}", kind="buffer")],
                   [step(f"w{k}", "copy_.default", f"b{k}", f"x{k}")] + end, end, [f"r{k}"])


def nc007(k):
    both = [step(f"b{k}", "neg.default", f"x{k}"), step(f"s{k}", "slice.Tensor", f"b{k}", 0, 1, 4),
            step(f"v{k}", "slice.Tensor", f"b{k}", 0, 0, 3)]
    return Pattern([given(f"x{k}")],
                   both + [step(f"c{k}", "clone.default", f"s{k}"), step(f"w{k}", "copy_.default", f"v{k}", f"c{k}")],
                   both + [step(f"w{k}", "copy_.default", f"v{k}", f"s{k}")], [f"b{k}"])


def nc008(k):
    both = [step(f"b{k}", "neg.default", f"x{k}"), step(f"e{k}", "expand.default", f"b{k}", [3, 4])]
    end = [step(f"s{k}", "exp.default", f"r{k}")]  # the overlapping view itself is not returned: that is a fault more
    return Pattern([given(f"x{k}"), given(f"y{k}", (3, 4))], both + [step(f"r{k}", "add.Tensor", f"e{k}", f"y{k}")] + end,
                   both + [step(f"r{k}", "add_.Tensor", f"e{k}", f"y{k}")] + end, [f"s{k}"])


def nc009(k):
    once = [step(f"w{k}", "add_.Tensor", f"b{k}", f"x{k}")]
    end = [step(f"r{k}", "cumsum.default", f"x{k}", 0)]
    return Pattern([given(f"x{k}"), given(f"b{k}", kind="buffer")], once + end,
                   once + [step(f"again{k}", "add_.Tensor", f"b{k}", f"x{k}")] + end, [f"r{k}"])


def nc010(k):
    steps = [step(f"r{k}", "cumsum.default", f"b{k}", 0), step(f"w{k}", "copy_.default", f"b{k}", f"x{k}")]
    return Pattern([given(f"b{k}", kind="buffer"), given(f"x{k}")], steps, steps, [f"r{k}"], order="dataflow")


def nc011(k):
    end = [step(f"r{k}", "neg.default", f"x{k}")]
    write = [step(f"w{k}", "copy_.default", f"b{k}", f"x{k}")]
    return Pattern([given(f"x{k}"), given(f"b{k}", kind="buffer")], write + end, (end, write), [f"r{k}"])


def nc020(k):
    both = [step(f"t{k}", "neg.default", f"x{k}")]
    return Pattern([given(f"x{k}")], both + [step(f"y{k}", "view.default", f"t{k}", [1, 4])], both, [f"y{k}"], [f"t{k}"])


def nc021(k):
    both = [step(f"h{k}", "neg.default", f"x{k}")]
    return Pattern([given(f"x{k}", (1,)), given(f"y{k}", (3,))], both + [step(f"r{k}", "add.Tensor", f"h{k}", f"y{k}")],
                   both + [step(f"r{k}", "add_.Tensor", f"h{k}", f"y{k}")], [f"r{k}"])


def nc022(k):
    both = [step(f"a{k}", "neg.default", f"x{k}"), step(f"m{k}", "cumsum.default", f"x{k}", 0)]
    return Pattern([given(f"x{k}")], both, both, [f"a{k}", f"m{k}"], [f"m{k}", f"a{k}"])


def nc023(k):
    both = [step(f"t{k}", "permute.default", f"x{k}", [1, 0])]
    return Pattern([given(f"x{k}", (2, 3))], both + [step(f"v{k}", "reshape.default", f"t{k}", [6])],
                   both + [step(f"v{k}", "view.default", f"t{k}", [6])], [f"v{k}"])


def plan_pattern(k, buffers):
    return Pattern([given(f"i{k}"), given(f"j{k}")], None,
                   [step(f"a{k}", "neg.default", f"i{k}"), step(f"d{k}", "relu.default", f"j{k}"),
                    step(f"y{k}", "cumsum.default", f"a{k}", 0)], [f"y{k}"], buffers=buffers)


def place(value, offset, **more):
    return {"value": value, "arena": "1", "offset": offset, "size": 16, **more}


def nc030(k):
    return plan_pattern(k, [place(f"a{k}", 96 * k), place(f"d{k}", 96 * k), place(f"y{k}", 96 * k + 32)])


def nc031(k):
    return plan_pattern(k, [place(f"a{k}", 96 * k + 8), place(f"d{k}", 96 * k + 32), place(f"y{k}", 96 * k + 64)])


def nc032(k):
    return plan_pattern(k, [place(f"a{k}", 96 * k, lower=0, upper=1), place(f"d{k}", 96 * k + 32),
                            place(f"y{k}", 96 * k + 64)])


def unrelated(graph):
    """With a step in front that nothing else has to do with, and its result as the last output."""
    graph["inputs"].append(given("other", (5,)))
    graph["steps"].insert(0, step("apart", "exp.default", "other"))
    graph["outputs"].append(ref("apart"))


def case_of(patterns, apart=False):
    """One program that has all the faults, one after the other."""
    def graph(inputs, steps, outputs):
        made = {"inputs": [dict(i) for i in inputs], "steps": [dict(s) for s in steps],
                "outputs": [ref(o) for o in outputs]}
        if apart:
            unrelated(made)
        return made

    inputs = [i for p in patterns for i in p.inputs]
    case = {"format": "noclobber.case/1", "name": "planted"}
    if patterns[0].before is not None:
        case["before"] = graph(inputs, [s for p in patterns for s in p.before], [o for p in patterns for o in p.outputs])
    if isinstance(patterns[0].after, tuple):  # some steps, the return, the rest
        first, late = ([s for p in patterns for s in p.after[k]] for k in (0, 1))
        leave = {"names": [], "op": "prims.return.default", "args": [ref(o) for p in patterns for o in p.after_outputs]}
        steps = first + [leave] + late
    else:
        steps = [s for p in patterns for s in p.after]
    case["after"] = graph(inputs, steps, [o for p in patterns for o in p.after_outputs])
    extra = {k: v for p in patterns for k, v in p.case.items() if k != "buffers"}
    buffers = [b for p in patterns for b in p.case.get("buffers", [])]
    if buffers:
        arena = {"size": 4096, "alignment": 16}
        if apart:
            buffers = buffers + [{"value": "apart", "arena": "1", "offset": 4000, "size": 20}]
            arena["size"] = 8192
            buffers[-1]["offset"] = 4096
            for b in buffers[:-1]:  # times count steps: one more stands in front
                for time in ("lower", "upper"):
                    if time in b:
                        b[time] += 1
        case["plan"] = {"arenas": {"1": arena}, "buffers": buffers}
    return case | extra


RULES = {"NC001": nc001, "NC002": nc002, "NC003": nc003, "NC004": nc004, "NC005": nc005, "NC006": nc006,
         "NC007": nc007, "NC008": nc008, "NC009": nc009, "NC010": nc010, "NC011": nc011, "NC020": nc020,
         "NC021": nc021, "NC022": nc022, "NC023": nc023, "NC030": nc030, "NC031": nc031, "NC032": nc032}
MORE = {"NC005 between outputs": nc005_outputs}


class Words(unittest.TestCase):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.addCleanup(self.temp.cleanup)
        self.folder = pathlib.Path(self.temp.name)

    def records(self, *cases):
        """The check records of a folder with these cases."""
        home = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for k, case in enumerate(cases):
            (home / f"case{k}.json").write_text(json.dumps(case))
        run = subprocess.run([BINARY, "check", "--json", str(home)], capture_output=True, text=True, timeout=120)
        found = [json.loads(line) for line in run.stdout.splitlines()]
        return [r for r in found if r.get("kind") == "check"]

    def prints(self, *cases):
        return {f["fingerprint"] for r in self.records(*cases) for f in r["findings"]}

    def test_one_more_fault_is_one_more_fingerprint(self):
        for name, pattern in {**RULES, **MORE}.items():
            with self.subTest(name):
                rule = name[:5]
                first = self.records(case_of([pattern(0)]))
                self.assertEqual(first[0]["status"], "refuted", first)
                self.assertIn(rule, {f["rule"] for f in first[0]["findings"] if "follows" not in f})
                old = {f["fingerprint"] for r in first for f in r["findings"]}
                self.assertEqual(len(old), 1, first[0]["findings"])
                for count in (2, 3):
                    new = self.prints(case_of([pattern(k) for k in range(count)]))
                    self.assertEqual(len(new - old), 1, (count, new, old))
                    self.assertLessEqual(old, new)
                    apart = self.prints(case_of([pattern(k) for k in range(count)], apart=True))
                    self.assertEqual(apart, new)
                    old = new

    def test_every_finding_names_a_line(self):
        """Whatever the rule, at least one line of `after` is shown, also where the fault is at the boundary alone."""
        for name, pattern in {**RULES, **MORE}.items():
            with self.subTest(name):
                for finding in self.records(case_of([pattern(0)]))[0]["findings"]:
                    named = [finding[role] for role in ("define", "clobber", "read") if role in finding]
                    self.assertTrue(named, finding["message"])
                    self.assertTrue(all(place["statement"] and place["note"] for place in named), named)

    def test_lines_of_a_fault_at_the_boundary(self):
        """What leaves, and the return; what follows is said of an input that leaves and of a step that does."""
        def lines(after, out, before=("y", "clone.default", "x")):
            pattern = Pattern([given("x")], [step(*before)], after, [before[0]], [out])
            (finding,) = (f for f in self.records(case_of([pattern]))[0]["findings"] if "follows" not in f)
            return finding["rule"], {role: (finding[role]["statement"], finding[role]["note"])
                                     for role in ("define", "clobber", "read", "before") if role in finding}
        returned = {"read": ("return (x,)", "output 0 shares storage with input x"),
                    "before": ("y = clone(x)", "makes what is meant")}
        self.assertEqual(lines([], "x"), ("NC005", {"define": ("input x", "what the caller gave")} | returned))
        self.assertEqual(lines([step("v", "view.default", "x", [4])], "v"),
                         ("NC005", {"define": ("v = view(x, [4])", "lies in the storage of x"),
                                    "read": ("return (v,)", "output 0 shares storage with input x"),
                                    "before": ("y = clone(x)", "makes what is meant")}))
        self.assertEqual(lines([step("c", "clone.default", "x"), step("v", "view.default", "c", [2, 2])], "v"),
                         ("NC020", {"define": ("v = view(c, [2, 2])", "has shape [2, 2]"),
                                    "read": ("return (v,)", "output 0 should have shape [4]"),
                                    "before": ("y = clone(x)", "makes what is meant")}))

    def test_one_more_file_is_one_more_fingerprint(self):
        for rule, pattern in RULES.items():
            with self.subTest(rule):
                one = case_of([pattern(0)])
                old, new = self.prints(one), self.prints(one, case_of([pattern(5)], apart=True))
                self.assertEqual((len(new - old), old - new), (1, set()))

    def test_two_stale_reads_in_one_output(self):
        def summed(count):
            patterns = [nc001(k) for k in range(2)]
            for p in patterns[count:]:
                p.after = p.before
            last = [step("sum", "add.Tensor", "r0", "r1")]
            both = Pattern([i for p in patterns for i in p.inputs], [s for p in patterns for s in p.before] + last,
                           [s for p in patterns for s in p.after] + last, ["sum"])
            found = self.records(case_of([both]))[0]["findings"]
            self.assertEqual({f["rule"] for f in found}, {"NC001"})
            return {f["fingerprint"] for f in found}
        self.assertEqual((len(summed(1)), len(summed(2)), len(summed(2) - summed(1))), (1, 2, 1))

    def test_reads_that_one_overwrite_breaks_are_one_fault(self):
        one = nc001(0)
        one.before, one.after = (steps + [step("q", "sin.default", "b0")] for steps in (one.before, one.after))
        one.outputs = one.after_outputs = ["w0", "r0", "q"]
        found = self.records(case_of([one]))[0]["findings"]
        self.assertEqual(len(found), 1)
        self.assertEqual(found[0]["reaches"], ["output 2"])

    def test_writes_into_one_immutable_input_are_two_faults(self):
        def written(*steps):
            end = [step("z", "neg.default", "y0")]
            return self.prints(case_of([Pattern([given("x")], [step("y0", "mul.Scalar", "x", 2)] + end,
                                                [step("y0", "mul_.Scalar", "x", 2), *steps] + end, ["z"])]))
        self.assertEqual(len(written(step("again", "zero_.default", "x")) - written()), 1)

    def test_steps_of_loop_bodies_are_named(self):
        def body(*steps, out):
            return {"inputs": [given("i", (1,)) | {"type": {"dtype": "i64", "shape": [1]}}, *map(given, "abx")],
                    "steps": [step("v", "add.Tensor", "a", "x"), *steps, step("i1", "add.Scalar", "i", 1)],
                    "outputs": [ref(o) for o in out]}
        test = body(out=["c"]) | {"steps": [step("c0", "lt.Scalar", "i", 3), step("c", "any.default", "c0")]}
        def loop(name):
            return {"names": ["n", "r1", "r2"], "op": "higher_order.while_loop",
                    "args": [{"graph": "test"}, {"graph": name}, [ref(z) for z in ("z", "a0", "b0")], [ref("x")]]}
        front = [step("a0", "clone.default", "p"), step("b0", "clone.default", "q"),
                 step("z", "zeros.default", [1], kwargs={"dtype": {"dtype": "i64"}})]
        case = case_of([Pattern([given("x"), given("p"), given("q")], front + [loop("pure")], front + [loop("in_place")],
                                ["r1", "r2"])])
        write = [step("w1", "copy_.default", "a", "v"), step("w2", "copy_.default", "b", "a")]
        case["graphs"] = {"test": test, "pure": body(out=["i1", "v", "a"]),
                          "in_place": body(*write, out=["i1", "w1", "w2"])}
        finding = self.records(case)[0]["findings"][0]
        named = {place["role"]: (place["body"], place["name"]) for place in finding["inside"]}
        self.assertEqual(named, {"define": ("in_place", "a"), "clobber": ("in_place", "w1"), "read": ("in_place", "w2")})

    def test_what_follows_has_the_fingerprint_of_its_cause(self):
        after = [step("y", "mul_.Scalar", "x", 2)]
        found = self.records(case_of([Pattern([given("x")], [step("y", "mul.Scalar", "x", 2)], after, ["y"])]))[0]["findings"]
        self.assertEqual({f["rule"] for f in found}, {"NC003", "NC004", "NC005"})
        self.assertEqual([f.get("follows") for f in found], [None, "NC003", "NC003"])
        self.assertEqual(len({f["fingerprint"] for f in found}), 1)
        self.assertEqual({f["rule"] for f in found[0]["also_breaks"]}, {"NC004", "NC005"})

    def test_rules_differ(self):
        prints = collections.Counter()
        for pattern in {**RULES, **MORE}.values():
            prints.update(self.prints(case_of([pattern(0)])))
        self.assertEqual(set(prints.values()), {1})

    def test_what_differs_tells_faults_apart(self):
        both = [step("t", "neg.default", "x")]
        def ending(*more, out):
            return self.prints(case_of([Pattern([given("x")], both + [step("y", "view.default", "t", [1, 4])],
                                                both + list(more), ["y"], [out])]))
        shape, dtype = ending(out="t"), ending(step("z", "view.dtype", "t", {"dtype": "i32"}), out="z")
        self.assertFalse(shape & dtype)
        end = plan_pattern(0, [place("a0", 4090), place("d0", 0), place("y0", 32)])
        begin = plan_pattern(0, [place("a0", -16), place("d0", 0), place("y0", 32)])
        self.assertFalse(self.prints(case_of([end])) & self.prints(case_of([begin])))

    def test_names_of_buffers_are_no_part_of_a_fingerprint(self):
        """Names that are letters of the words, or words, of what is said about them."""
        def renamed(case, names):
            text = json.dumps(case)
            for old, new in zip(("a0", "d0", "y0"), names):
                text = text.replace(f'"{old}"', f'"{new}"')
            return json.loads(text)

        faults = {"together": nc030(0), "misaligned": nc031(0), "too-short": nc032(0),
                  "begins-before": plan_pattern(0, [place("a0", -16), place("d0", 0), place("y0", 32)]),
                  "ends-behind": plan_pattern(0, [place("a0", 4096), place("d0", 0), place("y0", 32)]),
                  "placed-twice": plan_pattern(0, [place("a0", 64), place("d0", 0), place("y0", 32), place("a0", 64)]),
                  "too-small": plan_pattern(0, [place("a0", 64) | {"size": 8}, place("d0", 0), place("y0", 32)])}
        seen = collections.Counter()
        for aspect, pattern in faults.items():
            with self.subTest(aspect):
                case = case_of([pattern])
                finding = self.records(case)[0]["findings"][0]
                self.assertEqual(finding["aspect"], aspect)
                for names in (("e", "n", "s"), ("arena", "share", "is"), ("r", "arena_1", "bytes")):
                    again = self.records(renamed(case, names))[0]["findings"][0]
                    self.assertEqual(again["fingerprint"], finding["fingerprint"], again["message"])
                seen[finding["fingerprint"]] += 1
        self.assertEqual(set(seen.values()), {1})

    def test_records_have_what_a_picture_needs(self):
        record = self.records(case_of([nc001(0)]))[0]
        finding = record["findings"][0]
        self.assertEqual(record["link"], "pass")
        self.assertEqual({s["name"] for s in finding["slice"]["steps"]} & {"b0", "w0", "r0"}, {"b0", "w0", "r0"})
        self.assertLessEqual(sum(map(len, finding["slice"].values())), 60)
        lane = next(lane for lane in finding["lanes"] if lane["storage"] == "b0")
        self.assertIn(finding["clobber"]["step"], lane["writes"])
        self.assertIn(finding["read"]["step"], lane["reads"])
        b0 = next(v for v in lane["values"] if v["name"] == "b0")
        self.assertEqual((b0["begin"], b0["end"]), (finding["define"]["step"], finding["read"]["step"]))
        numbers = finding["witness"]["numbers"]
        self.assertEqual(len(numbers["inputs"]["x0"]["data"]), 4)
        self.assertEqual(str(numbers["expected"]), finding["witness"]["expected"])

    def test_contents_are_those_of_the_page(self):
        """A witness names what it filled the inputs with, and docs/records.md has the function."""
        page = (ROOT / "docs" / "records.md").read_text(encoding="utf-8")
        said = {}
        exec(re.search(r"```python file=contents.py\n(.*?)```", page, re.DOTALL)[1], said)

        def narrowed(dtype, via):
            def to(name, of, kind):
                return step(name, "_to_copy.default", of, kwargs={"dtype": {"dtype": kind}})
            inputs = [given(name, (12,)) for name in "xy"]
            for one in inputs:
                one["type"]["dtype"] = dtype
            last = [step("z", "add.Tensor", "x", "w")]
            return Pattern(inputs, [step("w", "clone.default", "y")] + last, [to("h", "y", via), to("w", "h", dtype)] + last, ["z"])

        for dtype, via, seed in (("f32", "f16", 1000001), ("f64", "f32", 1000001), ("i64", "i32", 1000001), ("i16", "u8", 0)):
            witness = self.records(case_of([narrowed(dtype, via)]))[0]["findings"][0]["witness"]
            for number, name in enumerate("xy"):
                with self.subTest(dtype=dtype, name=name):
                    self.assertTrue(witness["inputs"][name].endswith(f"contents({seed}, {number})")
                                    or witness["inputs"][name].startswith("arange("), witness["inputs"])
                    data = witness["numbers"]["inputs"][name]["data"]
                    self.assertEqual(data, [said["contents"](seed, number, dtype, at) for at in range(12)])

    def test_unknown_has_a_fingerprint(self):
        def unknown(*front):
            steps = [*front, {"name": "y", "op": "nobody.knows.default", "args": [ref("x")],
                              "types": [{"dtype": "f32", "shape": [4]}]}]
            return case_of([Pattern([given("x")], steps, steps, ["y"])])
        first, second = (self.records(unknown(*front))[0] for front in ((), (step("apart", "exp.default", "x"),)))
        self.assertEqual(first["status"], "unknown")
        self.assertEqual([u["fingerprint"] for u in first["unknown"]], [u["fingerprint"] for u in second["unknown"]])

    def test_reduce_keeps_the_fault(self):
        for rule, pattern in RULES.items():
            with self.subTest(rule):
                path = self.folder / "large.json"
                large = case_of([pattern(0), pattern(1)], apart=True)
                path.write_text(json.dumps(large))
                run = subprocess.run([BINARY, "reduce", str(path)], capture_output=True, text=True, timeout=120)
                self.assertEqual(run.returncode, 0, run.stderr)
                small = json.loads(run.stdout)
                self.assertLess(len(small["after"]["steps"]), len(large["after"]["steps"]))
                self.assertTrue(self.prints(small) & {f.split("#")[0] for f in self.prints(large)})

    def test_order_says_what_comes_first(self):
        def noted(steps):
            case = case_of([Pattern([given("b", kind="buffer"), given("x")], steps, steps, ["r"], order="dataflow")])
            finding = next(f for f in self.records(case)[0]["findings"] if f["rule"] == "NC010")
            return finding["clobber"]["note"], finding["read"]["note"]
        read, write = step("r", "neg.default", "b"), step("w", "copy_.default", "b", "x")
        clobber, reader = noted([write, read])
        self.assertIn("comes first", clobber)
        self.assertIn("means 2", reader)
        clobber, reader = noted([read, write])
        self.assertIn("comes last", clobber)
        self.assertIn("comes first", reader)

    def test_overwritten_only_where_something_was(self):
        finding = self.records(case_of([nc004(0)]))[0]["findings"][0]
        self.assertEqual(finding["rule"], "NC004")
        self.assertNotIn("overwritten", json.dumps(finding))


if __name__ == "__main__":
    unittest.main()
