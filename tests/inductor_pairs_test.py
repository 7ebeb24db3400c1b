#!/usr/bin/env python3
"""Pairs of printed graphs as Inductor's passes leave them: folded constants, functions of lowering, wrapped operators that
nobody declares, nested regions, and what passes promise. Each proved one has a twin that is not. NC_BIN_DIR names another
folder with noclobber. PyTorch is not needed."""
import json
import os
import pathlib
import subprocess
import unittest

from in_folder import InFolder

ROOT = pathlib.Path(__file__).resolve().parents[1]
BIN = pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")).resolve()
T, R, C = '"f32[4, 4][4, 1]cpu"', '"f32[4][1]cpu"', '"i64[1][1]cpu"'


def graph(inputs, body, results, more=""):
    """The text of a graph: `inputs` "x: TYPE", statements, what is returned."""
    lines = "".join(f"        {line}\n" for line in body)
    return f"class GraphModule(torch.nn.Module):\n    def forward(self, {inputs}):\n{lines}        return ({results},)\n{more}"


def full(number, shape="[1]", dtype="int64"):
    return (f"torch.ops.aten.full.default({shape}, {number}, dtype = torch.{dtype}, layout = torch.strided, "
            "device = device(type='cpu'), pin_memory = False)")


class Pairs(InFolder):
    def compared(self, before, after, *options):
        """(status, record) of one pair."""
        ran = subprocess.run([BIN / "noclobber", "compare", self.write("before.txt", before), self.write("after.txt", after),
                              "--json", *options], capture_output=True, text=True, timeout=120)
        [record] = [r for r in map(json.loads, ran.stdout.splitlines()) if r["kind"] == "check"]
        return record["status"], record

    def reasons(self, record):
        return {u["reason"] for u in record.get("unknown", [])}


class FoldedWrites(Pairs):
    """A write that is gone because of what a constant holds, of which text tells nothing: judge 63000312."""

    def without(self, *writes):
        """The status where these are gone, and the reasons or rules."""
        constant = [f"_tensor_constant0: {T} = self._tensor_constant0", f"c: {T} = torch.ops.aten.lift_fresh_copy.default(_tensor_constant0)"]
        before = graph(f"x: {T}, v: {T}", [*constant, *writes, f"sin: {T} = torch.ops.aten.sin.default(v)"], "sin")
        status, record = self.compared(before, graph(f"x: {T}, v: {T}", [f"sin: {T} = torch.ops.aten.sin.default(v)"], "sin"))
        return status, self.reasons(record) or {f["rule"] for f in record["findings"]}

    def test_by_nothing_or_one(self):
        for write in ("add_.Tensor(x, c)", "sub_.Tensor(x, c)", "mul_.Tensor(x, c)", "div_.Tensor(x, c)", "add.out(x, c, out = x)"):
            with self.subTest(write):
                self.assertEqual(self.without(f"w: {T} = torch.ops.aten.{write}"), ("unknown", {"approximated"}))
        two = f"sum_1: {T} = torch.ops.aten.add.Tensor(x, c)", f"w: {T} = torch.ops.aten.copy_.default(x, sum_1)"
        self.assertEqual(self.without(*two), ("unknown", {"approximated"}))

    def test_whatever_it_holds(self):
        for write in ("copy_.default(x, c)", "copy_.default(x, v)", "mul_.Tensor(x, 2)"):
            with self.subTest(write):
                status, rules = self.without(f"w: {T} = torch.ops.aten.{write}")
                self.assertEqual((status, "NC006" in rules), ("refuted", True))


class FoldedConstants(Pairs):
    """A constant that the pass has seen, and a printed graph does not hold."""

    def before(self, more=()):
        return graph(f"x: {T}, v: {R}", [
            f"_tensor_constant0: {C} = self._tensor_constant0",
            f"lift_fresh_copy: {C} = torch.ops.aten.lift_fresh_copy.default(_tensor_constant0)",
            f"index_put: {T} = torch.ops.aten.index_put.default(x, [lift_fresh_copy], v)", *more], "index_put")

    def after(self, *filled, places="full_default"):
        return graph(f"x: {T}, v: {R}", [
            f"_tensor_constant0: {C} = self._tensor_constant0;  _tensor_constant0 = None",
            *(f"full_default{'_1' * k}: {C} = {text}" for k, text in enumerate(filled)),
            f"index_put: {T} = torch.ops.aten.index_put.default(x, [{places}], v)"], "index_put")

    def test_what_is_filled_in_is_taken_for_what_it_holds(self):
        status, record = self.compared(self.before(), self.after(full(2)))
        self.assertEqual(status, "proved")
        self.assertIn("_tensor_constant0 holds throughout what AFTER fills in for it", record["assumptions"])

    def test_strictly_nobody_knows(self):
        status, record = self.compared(self.before(), self.after(full(2)), "--strict")
        self.assertEqual((status, self.reasons(record)), ("unknown", {"assumed"}))

    def test_other_values_written(self):
        after = self.after(full(2)).replace(", v)", ", s)").replace("index_put:", f"s: {R} = torch.ops.aten.sin.default(v)\n        index_put:")
        self.assertEqual(self.compared(self.before(), after)[0], "refuted")

    def test_two_readers_that_disagree(self):
        more = [f"index_put_1: {T} = torch.ops.aten.index_put.default(index_put, [lift_fresh_copy], v)"]
        before = self.before(more).replace("return (index_put,)", "return (index_put, index_put_1,)")
        last = f"index_put_1: {T} = torch.ops.aten.index_put.default(index_put, [full_default_1], v)"
        after = self.after(full(2), full(1)).replace("return (index_put,)", f"{last}\n        return (index_put, index_put_1,)")
        self.assertNotEqual(self.compared(before, after)[0], "proved")
        after = after.replace("[full_default_1], v)", "[full_default], v)")
        self.assertEqual(self.compared(before, after)[0], "proved")

    def lifted(self, *steps, by="lift_fresh_copy", fill=None, returned="mul"):
        """What `steps` do with x and c: `by` of a constant, or what fills it in."""
        made = full("0.5", "[4, 4]", "float32") if fill else f"torch.ops.aten.{by}.default(_tensor_constant0)"
        made = [f"c: {T} = {made}", *steps] if "c:" not in "".join(steps) else [s.replace("MADE", made) for s in steps]
        return graph(f"x: {T}", [f"_tensor_constant0: {T} = self._tensor_constant0", *made, f"mul: {T} = torch.ops.aten.mul.Tensor(x, c)"], returned)

    def test_a_constant_that_changes_before_it_is_read(self):
        """It was taken to hold what it is filled with although it is written first, or the like through `lift_fresh`, which shows it."""
        write = f"add_: {T} = torch.ops.aten.add_.Tensor({{}}, x)"
        view = f"view: {T} = torch.ops.aten.view.default(_tensor_constant0, [4, 4])"
        cases = [([write.format("_tensor_constant0"), f"c: {T} = MADE"], "lift_fresh_copy", "mul"), ([write.format("_tensor_constant0")], "lift_fresh", "mul"),
                 ([write.format("c")], "lift_fresh", "mul"), ([view, write.format("view"), f"c: {T} = MADE"], "lift_fresh_copy", "mul"),
                 ([], "lift_fresh", "mul, c")]
        for steps, by, returned in cases:
            with self.subTest(steps, by=by):
                status, record = self.compared(self.lifted(*steps, by=by, returned=returned), self.lifted(*steps, fill=True, returned=returned))
                self.assertNotEqual(status, "proved")
                self.assertFalse([a for a in record.get("assumptions", []) if "holds throughout" in a])
        for steps, by in (([], "lift_fresh"), ([write.format("c")], "lift_fresh_copy"), ([f"sin: {T} = torch.ops.aten.sin.default(c)"], "lift_fresh")):
            with self.subTest(steps, by=by):
                self.assertEqual(self.compared(self.lifted(*steps, by=by), self.lifted(*steps, fill=True))[0], "proved")

    def told(self, number, fill, dtype="f32", strict=()):
        """The verdict where a recording tells what the constant holds."""
        x, c = {"dtype": "f32", "shape": [4]}, {"dtype": dtype, "shape": []}

        def side(op, args, **kwargs):
            made = {"name": "l", "op": op, "args": args, "types": [c]} | ({"kwargs": kwargs} if kwargs else {})
            return {"inputs": [{"name": "x", "type": x}, {"name": "c", "type": c, "kind": "constant", "mutable": False, "value": [number]}],
                    "steps": [made, {"name": "y", "op": "aten.mul.Tensor", "args": [{"ref": "x"}, {"ref": "l"}], "types": [x]}],
                    "outputs": [{"ref": "y"}]}
        case = {"format": "noclobber.case/1", "name": "told", "before": side("aten.lift_fresh_copy.default", [{"ref": "c"}]),
                "after": side("aten.full.default", [[], fill], dtype={"dtype": dtype})}
        ran = subprocess.run([BIN / "noclobber", "check", self.write("told.case.json", json.dumps(case)), "--json", *strict], capture_output=True,
                             text=True, timeout=120)
        [record] = [r for r in map(json.loads, ran.stdout.splitlines()) if r["kind"] == "check"]
        return record["status"]

    def test_what_it_is_told_to_hold(self):
        for number, fill, dtype in ((0.5, 0.5, "f32"), (3, 3, "i64"), (0.10000000149011612, 0.1, "f32"), (0.1, 0.1, "f64"), (3.0, 3, "f32")):
            with self.subTest(number, fill=fill, dtype=dtype):
                self.assertEqual(self.told(number, fill, dtype, ["--strict"]), "proved")
        for number, fill, dtype, status in ((0.5, 0.25, "f32", "refuted"), (3, 4, "i64", "refuted"), (0.10000000149011612, 0.1, "f64", "unknown"),
                                            (0.0, -0.0, "f32", "unknown")):
            with self.subTest(number, fill=fill, dtype=dtype):
                self.assertEqual(self.told(number, fill, dtype), status)

    def test_another_type_is_no_copy_of_it(self):
        after = self.after(full(2, "[1]", "int32")).replace(f"full_default: {C}", 'full_default: "i32[1][1]cpu"')
        self.assertNotEqual(self.compared(self.before(), after)[0], "proved")


class LoweringFunctions(Pairs):
    """Functions that a pattern puts in, of which a printed graph has the name alone."""

    before = graph(f"x: {T}, w: {T}, s: {R}", [
        f"permute: \"f32[4, 4][1, 4]cpu\" = torch.ops.aten.permute.default(w, [1, 0])",
        f"mm: {T} = torch.ops.aten.mm.default(x, permute)", f"mul: {T} = torch.ops.aten.mul.Tensor(mm, s)",
        f"add: {T} = torch.ops.aten.add.Tensor(mul, x)"], "add")

    def after(self, call, *first, last=f"add: {T} = torch.ops.aten.add.Tensor(fused, x)"):
        return graph(f"x: {T}, w: {T}, s: {R}", [*first, f"fused: {T} = torch__inductor_fx_passes_quantization_{call}", last], "add")

    def test_it_stands_for_what_stood_there(self):
        status, record = self.compared(self.before, self.after("woq([1, 0], x = x, weight = w, scales = s)"))
        self.assertEqual(status, "proved")
        self.assertIn("torch__inductor_fx_passes_quantization_woq computes aten.mm.default, aten.mul.Tensor, "
                      "aten.permute.default of what it is given", record["assumptions"])

    def test_of_what_was_written_before(self):
        first = f"cos: {T} = torch.ops.aten.cos.default(x)"
        before = self.before.replace("mm.default(x, ", "mm.default(cos, ").replace("permute:", f"{first}\n        permute:")
        self.assertEqual(self.compared(before, self.after("woq(cos, w, s)", first))[0], "proved")
        after = self.after("woq(cos, w, s)", first, f"sin_: {T} = torch.ops.aten.sin_.default(cos)")
        status, record = self.compared(before, after)
        self.assertEqual(status, "refuted")
        self.assertIn("NC009", {f["rule"] for f in record["findings"]})

    def test_it_needs_more_than_it_is_given(self):
        status, record = self.compared(self.before, self.after("woq(x, w)"))
        self.assertEqual((status, self.reasons(record) & {"unsupported-op"}), ("unknown", {"unsupported-op"}))

    def test_nobody_reads_it_at_a_known_place(self):
        after = self.after("woq(x, w, s)", last=f"other: {T} = torch.ops.aten.add.Tensor(fused, x)").replace("return (add", "return (other")
        self.assertEqual(self.compared(self.before, after)[0], "unknown")

    def test_what_stood_there_draws(self):
        before = graph(f"x: {T}", [f"mul: {T} = torch.ops.aten.bernoulli.p(x, 0.5)", f"add: {T} = torch.ops.aten.add.Tensor(mul, x)"], "add")
        after = graph(f"x: {T}", [f"fused: {T} = torch__inductor_fx_passes_a_b(x)", f"add: {T} = torch.ops.aten.add.Tensor(fused, x)"], "add")
        self.assertEqual(self.compared(before, after)[0], "unknown")


class WrappedChains(Pairs):
    """Operators that nobody declares, one of which reads what another one wrote."""

    before = graph(f"x: {T}, w: {R}", [
        f"mul: {T} = torch.ops.aten.mul.Tensor(x, 2)",
        "v0 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mine.norm_.default, w = w, _x_base_index = 0, _all_bases = [mul])",
        f"getitem_1: {T} = v0[1];  v0 = None",
        f"empty: {R} = torch.ops.aten.empty.memory_format([4], device = device(type='cpu'), pin_memory = False)",
        "v1 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mine.top.default, x = getitem_1, _v_base_index = 0, _all_bases = [empty])",
        f"getitem_2: {R} = v1[0]", f"getitem_3: {R} = v1[1]"], "getitem_1, getitem_2, getitem_3")

    def after(self, second):
        return graph(f"x: {T}, w: {R}", [
            f"mul: {T} = torch.ops.aten.mul.Tensor(x, 2)", "n = torch.ops.mine.norm_.default(mul, w);  n = None",
            f"empty: {R} = torch.ops.aten.empty.memory_format([4], device = device(type='cpu'), pin_memory = False)",
            *second], "mul, top, empty")

    def test_the_order_of_arguments_is_found(self):
        status, record = self.compared(self.before, self.after([f"top: {R} = torch.ops.mine.top.default(mul, empty)"]))
        self.assertEqual(status, "proved")
        self.assertIn("effects of mine.top.default inferred from how it is wrapped", record["assumptions"])

    def test_what_was_overwritten_between(self):
        after = self.after([f"sin_: {T} = torch.ops.aten.sin_.default(mul)", f"top: {R} = torch.ops.mine.top.default(mul, empty)"])
        self.assertNotEqual(self.compared(self.before, after)[0], "proved")


class NestedRegions(Pairs):
    """A body that gives more than is asked for."""

    def text(self, body, results, wanted="g0"):
        region = (f"    class region(torch.nn.Module):\n        def forward(self, a: {T}):\n"
                  + "".join(f"            {line}\n" for line in body) + f"            return ({results})\n")
        return graph(f"x: {T}", ["region = self.region", "invoke = torch.ops.higher_order.invoke_subgraph(region, 'r', x)",
                                 f"g0: {T} = invoke[0]"], wanted, region)

    def test_what_nobody_asks_for(self):
        one = [f"s: {T} = torch.ops.aten.sin.default(a)"]
        two = [*one, f"c: {T} = torch.ops.aten.view.default(a, [4, 4])"]
        self.assertEqual(self.compared(self.text(one, "s,"), self.text(two, "s, c"))[0], "proved")
        two = [*one, f"c: {T} = torch.ops.aten.cos_.default(s)"]
        self.assertEqual(self.compared(self.text(one, "s,"), self.text(two, "s, c"))[0], "refuted")


class Draws(Pairs):
    """What replace_random_passes does in two steps: each draw gets a seed of its own, then all seeds are drawn at once."""

    def text(self, *body):
        return graph("x: \"f32[4][1]cpu\"", body, "a, b")

    def seeded(self, *seeds):
        """Two draws from these seeds."""
        return self.text(*seeds, *(f"{name}: {R} = torch.ops.prims.inductor_random.default([4], {name}_seed, 'rand')" for name in "ab"))

    def test_in_two_steps(self):
        scalar = '"i64[][]cpu"'
        drawn = self.text(*(f"{n}: {R} = torch.ops.aten.rand.default([4], dtype = torch.float32, device = device(type='cpu'))" for n in "ab"))
        single = [f"{n}_seed: {scalar} = torch.ops.prims.inductor_seed.default(device(type='cpu'))" for n in "ab"]
        status, record = self.compared(drawn, self.seeded(*single))
        self.assertEqual(status, "proved")
        self.assertIn("numbers made from seeds are distributed as those of the generator, one seed to a draw", record["assumptions"])
        seeds = "seeds: \"i64[2][1]cpu\" = torch.ops.prims.inductor_seeds.default(2, device(type='cpu'))"
        look = [f"{n}_seed: {scalar} = torch.ops.prims.inductor_lookup_seed.default(seeds, {k})" for n, k in (("a", 0), ("b", 1), ("b", 0))]
        self.assertEqual(self.compared(self.seeded(*single), self.seeded(seeds, *look[:2]))[0], "proved")
        self.assertEqual(self.compared(drawn, self.seeded(seeds, *look[:2]))[0], "proved")
        self.assertNotEqual(self.compared(self.seeded(*single), self.seeded(seeds, look[0], look[2]))[0], "proved")
        shared = [single[0], f"b_seed: {scalar} = torch.ops.aten.alias.default(a_seed)"]
        self.assertNotEqual(self.compared(drawn, self.seeded(*shared))[0], "proved")


class Conjugates(Pairs):
    """`_conj` of complex numbers shows its argument's storage and sets a bit that readers look at."""

    Z, V = '"c64[4, 4][4, 1]cpu"', '"f32[4, 4, 2][8, 2, 1]cpu"'

    def text(self, body, results):
        return graph(f"x: {self.Z}, y: {self.Z}", [f"c: {self.Z} = torch.ops.aten._conj.default(x)", *body], results)

    def product(self, *body, of="c"):
        return self.text([*body, f"m: {self.Z} = torch.ops.aten.mul.Tensor({of}, y)"], "m")

    def test_read_and_not_written(self):
        kept = f"k: {self.Z} = torch.ops.aten.clone.default(c)"
        turned = [f"t: {self.Z.replace('[4, 1]c', '[1, 4]c')} = torch.ops.aten.permute.default({{}}, [1, 0])"]
        self.assertEqual(self.compared(self.product(), self.product(kept, of="k"))[0], "proved")
        self.assertEqual(self.compared(self.product(turned[0].format("c"), of="t"),
                                       self.product(kept, turned[0].format("k"), of="t"))[0], "proved")
        for other in ("x", "y"):
            self.assertNotEqual(self.compared(self.product(), self.product(of=other))[0], "proved")

    def test_written_before_it_is_read(self):
        copy = f"copy_: {self.Z} = torch.ops.aten.copy_.default(x, y)"
        first, last = self.product(copy), self.text([f"m: {self.Z} = torch.ops.aten.mul.Tensor(c, y)", copy], "m")
        self.assertEqual(self.compared(last, last)[0], "proved")
        self.assertNotEqual(self.compared(last, first)[0], "proved")
        self.assertNotEqual(self.compared(first, last)[0], "proved")
        self.assertNotEqual(self.compared(last, last, "--order", "dataflow")[0], "proved", "the write may run first")

    def test_one_with_gaps_is_left_alone(self):
        """A fresh tensor would lie otherwise."""
        half = '"c64[4, 2][4, 2]cpu"'
        body = [f"s: {half} = torch.ops.aten.slice.Tensor(x, 1, 0, 4, 2)", f"d: {half} = torch.ops.aten._conj.default(s)",
                'm: "c64[4, 2][2, 1]cpu" = torch.ops.aten.mul.Tensor(d, 2)']
        self.assertEqual(self.compared(self.text(body, "m"), self.text(body, "m"))[0], "unknown")

    def test_twice(self):
        twice = [f"d: {self.Z} = torch.ops.aten._conj.default(c)", f"m: {self.Z} = torch.ops.aten.mul.Tensor(d, y)"]
        kept = [f"k: {self.Z} = torch.ops.aten.clone.default(c)", twice[0].replace("(c)", "(k)"), twice[1]]
        self.assertEqual(self.compared(self.text(twice, "m"), self.text(kept, "m"))[0], "proved")
        self.assertNotEqual(self.compared(self.text(twice, "m"), self.product())[0], "proved")
        self.assertNotEqual(self.compared(self.text(kept[:2], "d"), self.text(kept[:2], "k"))[0], "proved")

    def test_the_bit_is_seen(self):
        kept = f"k: {self.Z} = torch.ops.aten.clone.default(c)"
        real = f"r: {self.V} = torch.ops.aten.view_as_real.default({{}})"
        right = self.text([kept, real.format("k")], "r")
        self.assertEqual(self.compared(right, right)[0], "proved")
        self.assertNotEqual(self.compared(right, self.text([real.format("c")], "r"))[0], "proved", "PyTorch refuses that")

    def test_what_shares_the_storage_is_returned(self):
        kept = f"k: {self.Z} = torch.ops.aten.clone.default(c)"
        seen = f"k: {self.Z} = torch.ops.aten._unsafe_view.default(c, [4, 4])"
        self.assertEqual(self.compared(self.text([kept], "k"), self.text([kept], "k"))[0], "proved")
        for after in (self.text([], "c"), self.text([seen], "k")):
            self.assertNotEqual(self.compared(self.text([kept], "k"), after)[0], "proved")


class Waiting(Pairs):
    """`control_deps` behind a call of several results, which nobody reads there, around another one: draws keep their order."""

    def after(self, behind="(first,)", given="getitem", probability="0.4", returned="own", more=""):
        body = (f"    class deps_body(torch.nn.Module):\n        def forward(self, arg_0: {T}):\n"
                f"            own = torch.ops.aten.native_dropout.default(arg_0, {probability}, True);  arg_0 = None\n{more}"
                f"            return {returned}\n")
        return graph(f"x: {T}", ["first = torch.ops.aten.native_dropout.default(x, 0.4, True)", f"getitem: {T} = first[0]",
                                 "deps_body = self.deps_body",
                                 f"second = torch.ops.higher_order.control_deps({behind}, deps_body, {given});  deps_body = None",
                                 f"getitem_1: {T} = second[0]"], "getitem_1", body)

    before = graph(f"x: {T}", ["first = torch.ops.aten.native_dropout.default(x, 0.4, True)", f"getitem: {T} = first[0]",
                               "second = torch.ops.aten.native_dropout.default(getitem, 0.4, True)", f"getitem_1: {T} = second[0]"], "getitem_1")

    def test_behind_a_tuple(self):
        for after in (self.after(), self.after("(first, getitem)"), self.after("(getitem,)"),
                      self.after(returned="(a,)", more=f"            a: {T} = own[0]\n")):
            with self.subTest(after):
                self.assertEqual(self.compared(self.before, after)[0], "proved")

    def test_another_call_behind_it(self):
        mask = f"            b: \"b8[4, 4][4, 1]cpu\" = own[1]\n            a: {T} = torch.ops.prims.convert_element_type.default(b, torch.float32)\n"
        for after in (self.after(given="x"), self.after(probability="0.3"), self.after(returned="(a,)", more=mask)):
            with self.subTest(after):
                self.assertEqual(self.compared(self.before, after)[0], "unknown")

    def test_of_what_can_be_run(self):
        def sorted_twice(text, dim=0):
            return text.replace("default(x, 0.4, True)", "default(x, 1)").replace(", 0.4, True)", f", {dim})").replace("native_dropout", "sort")
        before = sorted_twice(self.before)
        self.assertEqual(self.compared(before, sorted_twice(self.after()))[0], "proved")
        self.assertEqual(self.compared(before, sorted_twice(self.after(given="x")))[0], "refuted")
        self.assertEqual(self.compared(before, sorted_twice(self.after(), 1))[0], "refuted")

    def test_what_is_read_is_no_tuple(self):
        for after in (self.after(given="first"), self.after("(nobody,)")):
            ran = subprocess.run([BIN / "noclobber", "compare", self.write("before.txt", self.before), self.write("after.txt", after)],
                                 capture_output=True, text=True, timeout=120)
            self.assertEqual(ran.returncode, 2, ran.stdout)


class ForcedStrides(Pairs):
    def text(self, stride, then):
        return graph(f"x: {T}", [
            f"sin: {T} = torch.ops.aten.sin.default(x)",
            f"forced: {T} = torch.ops.prims.inductor_force_stride_order.default(sin, {stride})", *then], "forced, last")

    def test_the_argument_itself_where_they_are_right(self):
        after = [f"last: {T} = torch.ops.aten.cos.default(sin)"]
        self.assertEqual(self.compared(self.text("(4, 1)", after), self.text("(4, 1)", after))[0], "proved")
        before, after = [f"last: {T} = torch.ops.aten.cos.default(sin)"], [f"last: {T} = torch.ops.aten.cos_.default(sin)"]
        self.assertEqual(self.compared(self.text("(4, 1)", before), self.text("(4, 1)", after))[0], "refuted")

    def test_other_strides_are_not_known(self):
        after = [f"last: {T} = torch.ops.aten.cos.default(sin)"]
        self.assertEqual(self.compared(self.text("(1, 4)", after), self.text("(1, 4)", after))[0], "unknown")


class UntoldResults(Pairs):
    """Results that nobody reads, so that one graph's text or both do not describe them."""

    def loop(self, made="mm", of="map_impl", lists="[x]", inputs='a: "f32[4][1]cpu"', returned="sin"):
        body = ["body_0 = self.body_0", f"loop = torch.ops.higher_order.{of}(body_0, {lists}, [w])", f"second: {T} = loop[1];  loop = None"]
        inner = (f"    class body_0(torch.nn.Module):\n        def forward(self, {inputs}, w: {T}):\n"
                 f"            mm: {R} = torch.ops.aten.mv.default(w, a)\n            sin: {R} = torch.ops.aten.sin.default(a)\n"
                 f"            return [{returned}, {made}]\n")
        return graph(f"x: {T}, w: {T}, c: {R}", body, "second", inner)

    def test_map(self):
        self.assertEqual(self.compared(self.loop(), self.loop())[0], "proved")
        self.assertEqual(self.compared(self.loop(), self.loop(returned="a"))[0], "proved", "nobody reads what is another")
        self.assertEqual(self.compared(self.loop(), self.loop(returned="a", made="sin"))[0], "refuted")
        self.assertEqual(self.compared(self.loop(), self.loop(made="sin"))[0], "refuted")
        self.assertEqual(self.compared(self.loop(), self.loop(lists="[w]"))[0], "refuted")

    def test_scan(self):
        form = {"of": "scan", "lists": "[c], [x]", "inputs": f"b: {R}, a: {R}"}
        self.assertEqual(self.compared(self.loop(**form), self.loop(**form))[0], "proved")
        self.assertNotEqual(self.compared(self.loop(**form), self.loop("sin", **form))[0], "proved")

    def test_of_the_operator_of_a_wrapper(self):
        before = graph(f"x: {T}", [
            f"v: {R} = torch.ops.aten.empty.memory_format([4], device = device(type='cpu'), pin_memory = False)",
            "f0 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mine.top.default, x = x, _v_base_index = 0, _all_bases = [v])",
            f"getitem_1: {R} = f0[1];  f0 = None"], "getitem_1")

        def after(of):
            return graph(f"x: {T}", [
                f"v: {R} = torch.ops.aten.empty.memory_format([4], device = device(type='cpu'), pin_memory = False)",
                f"cos: {T} = torch.ops.aten.cos.default(x)", f"top: {R} = torch.ops.mine.top.default({of}, v);  top = None"], "v")
        self.assertEqual(self.compared(before, after("x"))[0], "proved")
        self.assertNotEqual(self.compared(before, after("cos"))[0], "proved", "it is given something else")

    def test_of_an_operator_with_several(self):
        def text(read, first="x"):
            return graph(f"x: {T}, y: {T}", [f"two = torch.ops.mine.two.default({first})", f"a: {T} = two[0]",
                                             *([f"b: {R} = two[1]"] if read else [])], "a")
        given = ["--ops", self.write("ops.txt", "mine::two(Tensor x) -> (Tensor, Tensor)\n")]
        self.assertEqual(self.compared(text(True), text(False), *given)[0], "proved")
        self.assertEqual(self.compared(text(False), text(True), *given)[0], "proved")
        self.assertNotEqual(self.compared(text(True), text(False, "y"), *given)[0], "proved")

    def test_of_an_operator_that_writes(self):
        def text(first, second, late=False, told=True):
            call = [f"two = torch.ops.mine.two.default({first}, {second})", f"a: {T} = two[0]", *([f"b: {R} = two[1]"] if told else [])]
            kept = [f"kept: {T} = torch.ops.aten.clone.default(y)"]
            return graph(f"x: {T}, y: {T}", [*call, *kept] if late else [*kept, *call], "a, kept")
        given = ["--ops", self.write("ops.txt", "mine::two(Tensor x, Tensor(a!) y) -> (Tensor, Tensor)\n")]
        self.assertEqual(self.compared(text("x", "y"), text("x", "y", told=False), *given)[0], "proved")
        self.assertEqual(self.compared(text("x", "y"), text("x", "y", late=True, told=False), *given)[0], "refuted", "read behind the write")
        self.assertEqual(self.compared(text("x", "y"), text("y", "x", told=False), *given)[0], "refuted", "the other one is written")

    def test_results_of_calls_that_change_places(self):
        def text(order, returned, told=True):
            calls = {n: [f"of_{n} = torch.ops.mine.two.default({n})", f"a_{n}: {T} = of_{n}[0]", *([f"b_{n}: {R} = of_{n}[1]"] if told else [])]
                     for n in order}
            return graph(f"x: {T}, y: {T}", [line for n in order for line in calls[n]], returned)
        given = ["--ops", self.write("ops.txt", "mine::two(Tensor x) -> (Tensor, Tensor)\n")]
        self.assertEqual(self.compared(text("xy", "a_x, a_y"), text("yx", "a_y, a_x", told=False), *given)[0], "refuted")
        self.assertEqual(self.compared(text("xy", "a_x, a_y"), text("xy", "a_x, a_x", told=False), *given)[0], "refuted")
        self.assertEqual(self.compared(text("xy", "a_x, a_y"), text("xy", "a_x, a_y", told=False), *given)[0], "proved")


class Gaps(Pairs):
    """`copy` into a slice lies as the slice does, and what lies between its elements is known to nobody: what is put into a
    tensor of that layout reads none of it, whatever it is called in either graph (DeepSeek's and T5's keys)."""

    HALF, CUT = '"f32[2, 2, 7, 4][56, 28, 4, 1]cpu"', '"f32[2, 2, 7, 4][112, 56, 8, 1]cpu"'
    WIDE, TURNED = '"f32[2, 2, 7, 8][112, 56, 8, 1]cpu"', '"f32[2, 2, 8, 7][112, 56, 1, 8]cpu"'

    def text(self, first="x", clones=0, scattered="copy_1", end=8):
        names = ["x", *(f"c{k}" for k in range(clones))]
        more = [f"{new}: {self.HALF} = torch.ops.aten.clone.default({old})" for old, new in zip(names, names[1:])]
        return graph(f'x: {self.HALF}, y: {self.HALF}, w: "f32[4, 7, 8][56, 8, 1]cpu"', [
            *more, f"empty: {self.WIDE} = torch.ops.aten.empty.memory_format([2, 2, 7, 8], device = device(type='cpu'), pin_memory = False)",
            f"slice_1: {self.CUT} = torch.ops.aten.slice.Tensor(empty, 3, 0, 4)",
            f"copy: {self.CUT} = torch.ops.aten.copy.default(slice_1, {names[-1] if first == 'x' else first})",
            f"slice_scatter: {self.WIDE} = torch.ops.aten.slice_scatter.default(empty, copy, 3, 0, 4)",
            f"slice_2: {self.CUT} = torch.ops.aten.slice.Tensor(slice_scatter, 3, 4, 8)",
            f"copy_1: {self.CUT} = torch.ops.aten.copy.default(slice_2, y)",
            f"slice_scatter_1: {self.WIDE} = torch.ops.aten.slice_scatter.default(slice_scatter, {scattered}, 3, {end - 4}, {end})",
            f"permute: {self.TURNED} = torch.ops.aten.permute.default(slice_scatter_1, [0, 1, 3, 2])",
            f"mul: {self.TURNED} = torch.ops.aten.mul.Scalar(permute, 0.5)",
            'view: "f32[4, 8, 7][56, 1, 8]cpu" = torch.ops.aten.view.default(mul, [4, 8, 7])',
            'bmm: "f32[4, 7, 7][49, 7, 1]cpu" = torch.ops.aten.bmm.default(w, view)'], "bmm")

    def test_nothing_of_a_gap_is_read(self):
        for before, after in ((0, 2), (2, 0), (1, 3)):
            status, record = self.compared(self.text(clones=before), self.text(clones=after))
            self.assertEqual((status, record["counts"]["by_z3"], record["checked_by"]), ("proved", 0, ["nc-check"]))

    def test_other_values_between_the_gaps(self):
        for other in (self.text("y"), self.text(scattered="copy"), self.text(end=7), self.text().replace("0.5", "0.25")):
            self.assertNotEqual(self.compared(self.text(clones=2), other)[0], "proved")


class Promises(InFolder):
    """What is promised of every joint and post-grad graph, in logs and in what a recorder wrote."""

    joint = [f"add: {T} = torch.ops.aten.add.Tensor(x, y)", f"sin: {T} = torch.ops.aten.sin.default(add)",
             f"copy_: {T} = torch.ops.aten.copy_.default(x, add)", f"copy__1: {T} = torch.ops.aten.copy_.default(y, sin)"]

    def checked(self, path):
        ran = subprocess.run([BIN / "noclobber", "check", path, "--json"], capture_output=True, text=True, timeout=120)
        records = [r for r in map(json.loads, ran.stdout.splitlines()) if r["kind"] == "check"]
        self.assumptions = [a for r in records for a in r.get("assumptions", [])]
        broken = [n for r in records for u in r.get("unknown", []) if u["reason"] == "broken-invariant" for n in u["names"]]
        return ran.returncode, [r["status"] for r in records], broken

    def log(self, before, after, stage="joint", inputs=f"x: {T}, y: {T}", returned="sin"):
        """What PyTorch writes of a stage; `after` returns the value called `returned`."""
        text = ""
        for when, body, result in (("before", before, "sin"), ("after", after, returned)):
            about = {"artifact": {"name": f"{when}_{stage}_graph", "encoding": "string"}, "frame_id": 0, "frame_compile_id": 0,
                     "attempt": 0, "has_payload": "0"}
            text += f"V1125 02:49:32.220000 13868 torch/a.py:1] {json.dumps(about)}\n"
            text += "".join(f"\t{line}\n" for line in graph(inputs, body, result).splitlines())
        return self.checked(self.write("dedicated_log_torch_trace_0.log", text))

    def test_a_joint_graph_that_keeps_them(self):
        self.assertEqual(self.log(self.joint, self.joint), (0, ["proved"], []))

    def test_each_is_named_alone(self):
        a, s, c, d = self.joint
        in_place = [a, f"clone: {T} = torch.ops.aten.clone.default(add)", f"sin_: {T} = torch.ops.aten.sin_.default(clone)", c,
                    d.replace("sin)", "sin_)")]
        rows = [("functional: sin_ (aten.sin_.default) writes what it is given", in_place, "sin_"),
                ("epilogue: sin is computed behind a copy into an input", [a, c, s, d], "sin"),
                ("epilogue: copy__2 copies into x a second time", [*self.joint, c.replace("copy_:", "copy__2:")], "sin"),
                ("epilogue: copies into x and y change places", [a, s, d, c], "sin")]
        for told, after, returned in rows:
            with self.subTest(told):
                self.assertEqual(self.log(self.joint, after, returned=returned), (3, ["unknown"], [told]))

    def test_reinplacing_writes(self):
        a, s, c, d = self.joint
        after = [a, c, s, d]
        self.assertEqual(self.log(self.joint, after, "post_grad")[2], [])

    def test_what_reinplacing_leaves_is_named_alone(self):
        a, s, c, d = self.joint
        rows = [("epilogue: copy__2 copies into x a second time", [*self.joint, c.replace("copy_:", "copy__2:")], "sin"),
                ("epilogue: copies into x and y change places", [a, s, d, c], "sin")]
        for told, after, returned in rows:
            with self.subTest(told):
                self.assertEqual(self.log(self.joint, after, "post_grad", returned=returned), (3, ["unknown"], [told]))

    def test_what_reinplacing_does_not_write_is_assumed_to_be_meant(self):
        a, s, c, d = self.joint
        in_place = [a, f"clone: {T} = torch.ops.aten.clone.default(add)", s.replace("sin.default(add)", "sin_.default(clone)"), c, d]
        told = "writes that Inductor's reinplacing does not make are meant by another pass: sin (aten.sin_.default)"
        self.assertEqual(self.log(self.joint, in_place, "post_grad"), (0, ["proved"], []))
        self.assertIn(told, self.assumptions)
        self.assertEqual(self.log(in_place, in_place, "post_grad"), (0, ["proved"], []))
        self.assertNotIn(told, self.assumptions)
        wrong = [a, s.replace("sin.default", "sin_.default"), c, d]
        self.assertEqual(self.log(self.joint, wrong, "post_grad")[1], ["refuted"])

    def test_reinplacing_may_write_its_own(self):
        put = "torch.ops.aten.index_put{}.default({}, [y], z)"
        inputs = f"x: {T}, y: \"i64[2][1]cpu\", z: \"f32[2, 4][4, 1]cpu\""
        before = [f"mul: {T} = torch.ops.aten.mul.Tensor(x, 2)", f"sin: {T} = {put.format('', 'mul')}"]
        after = [before[0], f"sin: {T} = {put.format('_', 'mul')}"]
        self.assertEqual(self.log(before, after, "post_grad", inputs), (0, ["proved"], []))
        self.assertEqual(self.log(after, after, "post_grad", inputs)[2], [])

    def test_sizes_that_are_read_out_of_a_tensor(self):
        size, inputs = '"i64[u0, 1][1, 1]cpu"', f"x: {T}, y: {C}"
        before = [f"nonzero: {size} = torch.ops.aten.nonzero.default(y)", f"sin: {size} = torch.ops.aten.sin.default(nonzero)"]
        self.assertEqual(self.log(before, before, inputs=inputs)[2], [])
        after = [f"full: {size} = torch.ops.aten.full.default([1, 1], 0)", *before]
        self.assertEqual(self.log(before, after, inputs=inputs)[2], ["unbacked: full uses u0, which nothing before it binds"])

    def recorded(self, described, change):
        """A recorded pass that has described these nodes; `change` is made in what it left."""
        path, = (ROOT / "corpus" / "recordings" / "slice-kept").glob("0001_*.case.json")
        case = json.loads(path.read_text())
        steps = {s["name"]: s for s in case["after"]["steps"]}
        change(steps)
        return self.checked(self.write("0001_x.case.json", case | {"described": described}))

    def test_descriptions_share_as_operators_do(self):
        steps = {}
        self.recorded([], steps.update)
        names = list(steps)
        self.assertEqual(self.recorded(names, lambda _: None), (0, ["proved"], []))
        view = next(n for n, s in steps.items() if s["op"] == "aten.slice.Tensor")
        code, statuses, broken = self.recorded(names, lambda s: s[view].pop("lies_in"))
        self.assertEqual((code, statuses), (3, ["proved", "unknown"]))
        self.assertEqual(broken, [f"aliasing: {view} (aten.slice.Tensor) is described apart from what it is a view of"])
        fresh = next(n for n, s in steps.items() if "lies_in" not in s and s["args"] and "ref" in s["args"][0])
        given = steps[fresh]["args"][0]["ref"]
        lies = steps.get(given, {}).get("lies_in", [given])
        _, _, broken = self.recorded(names, lambda s: s[fresh].update(lies_in=lies))
        self.assertEqual(broken, [f"aliasing: {fresh} ({steps[fresh]['op']}) is described on the storage of what it is given"])
        self.assertEqual(self.recorded([], lambda s: s[view].pop("lies_in"))[2], [], "an old description may lag behind")


class LoopsAlone(Pairs):
    """A graph without a partner whose loops run bodies: forward and backward of hop_map_train."""
    MAP = ("map_impl = torch.ops.higher_order.map_impl(body_graph_0, [x], [{}])", f"g: {T} = map_impl[0]")
    SCAN = ("scan = torch.ops.higher_order.scan(body_graph_0, [y], [x], [])", f"c: {R} = scan[0]", f"g: {T} = scan[1]")
    TIMES = 'while_loop = torch.ops.higher_order.while_loop(cond_graph_0, body_graph_0, (y,), ())', f"g: {R} = while_loop[0]"
    COND = f"""
    class cond_graph_0(torch.nn.Module):
        def forward(self, a: {R}):
            sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(a)
            lt: "b8[][]cpu" = torch.ops.aten.lt.Scalar(sum_1, 9)
            return lt
"""
    HALVES = [f"s: {R} = torch.ops.aten.sin.default(a)", 'p: "f32[{0}][1]cpu" = torch.ops.aten.slice.Tensor(s, 0, {1}, 4)',
              'q: "f32[{0}][1]cpu" = torch.ops.aten.slice.Tensor(s, 0, 0, {0})', 'w: "f32[{0}][1]cpu" = torch.ops.aten.add_.Tensor(p, q)']

    def alone(self, loop, inputs, body, returned="s", more=""):
        lines = "".join(f"            {line}\n" for line in [*body, f"return ({returned},)"])
        text = graph(f"x: {T}, y: {R}", ["body_graph_0 = self.body_graph_0", *(["cond_graph_0 = self.cond_graph_0"] if more else []), *loop],
                     "g", f"\n    class body_graph_0(torch.nn.Module):\n        def forward(self, {inputs}):\n{lines}{more}")
        ran = subprocess.run([BIN / "noclobber", "check", self.write("alone.txt", text), "--json"], capture_output=True, text=True, timeout=60)
        [record] = [r for r in map(json.loads, ran.stdout.splitlines()) if r["kind"] == "check"]
        self.assertEqual(record["what"], "single")
        return record["status"], {n for u in record["unknown"] for n in u["names"] if n.startswith("higher")}

    def test_what_only_computes_is_right(self):
        sin, cos = (f"{n}: {R} = torch.ops.aten.{op}.default({of})" for n, op, of in (("s", "sin", "a"), ("t", "cos_", "s")))
        halves = [line.format(2, 2) for line in self.HALVES]
        one, two = f"a: {R}", f"a: {R}, b: {R}"
        plain, given = [self.MAP[0].format(""), self.MAP[1]], [self.MAP[0].format("y"), self.MAP[1]]
        add = [f"s: {R} = torch.ops.aten.add.Tensor(a, b)"]
        for loop, inputs, body, *more in ((plain, one, [sin]), (plain, one, [sin, cos]), (plain, one, halves), (given, two, add),
                                          (self.SCAN, two, [*add, f"r: {R} = torch.ops.aten.sin.default(s)"], "s, r"),
                                          (self.TIMES, one, [sin], "s", self.COND), (self.TIMES, one, halves, "s", self.COND)):
            with self.subTest(body=body, loop=loop[0]):
                self.assertEqual(self.alone(loop, inputs, body, *more), ("proved", set()))

    def test_a_body_that_is_wrong_by_itself_is_not(self):
        halves = [line.format(3, 1) for line in self.HALVES]
        one, two = f"a: {R}", f"a: {R}, b: {R}"
        plain, given = [self.MAP[0].format(""), self.MAP[1]], [self.MAP[0].format("y"), self.MAP[1]]
        writes = " (a body that writes what is not carried)"
        for loop, inputs, body, named, *more in (
                (plain, one, [f"s: {R} = torch.ops.aten.sin_.default(a)"], "map_impl" + writes), (plain, one, halves, "map_impl"),
                (plain, one, [f"s: \"f32[5][1]cpu\" = torch.ops.aten.sin.default(a)"], "map_impl"),
                (given, two, [f"s: {R} = torch.ops.aten.add_.Tensor(b, a)"], "map_impl" + writes),
                (self.SCAN, two, [f"s: {R} = torch.ops.aten.add.Tensor(a, b)"], "scan (a body with effects or outputs that share storage)", "s, s"),
                (self.TIMES, one, halves, "while_loop", "s", self.COND),
                (self.SCAN, two, [*halves, f"r: {R} = torch.ops.aten.add.Tensor(s, b)"], "scan", "r, r")):
            with self.subTest(body=body, loop=loop[0]):
                self.assertEqual(self.alone(loop, inputs, body, *more), ("unknown", {f"higher_order.{named}"}))


class SavedDraws(Pairs):
    """Dropout of a checkpoint, drawn again from the generator's saved state: torch.utils.checkpoint of nn.Dropout, compiled."""
    DROP, RAND = "aten.native_dropout.default, {0}, 0.5, True", "aten.rand.default, [4, 4], dtype = torch.float32, device = device(type='cpu')"
    SEEDS = "prims.inductor_seeds.default, 1, device(type='cpu')"

    def plain(self, name, call):
        op, args = call.split(", ", 1)
        return f"{name}: {T} = torch.ops.{op}({args})"

    def dropped(self, of, number=""):
        return [f"d{number} = torch.ops.aten.native_dropout.default({of}, 0.5, True)", f"o{number}: {T} = d{number}[0]",
                f"m{number}: {self.B} = d{number}[1]"]

    def saved(self, call, number="", kept=T):
        """A draw whose state is s, and its first result o."""
        nested = [f"p{number} = r{number}[1]", f"o{number}: {kept} = p{number}[0]"] if "native" in call else [f"o{number}: {kept} = r{number}[1]"]
        return [f"r{number} = torch.ops.higher_order.run_and_save_rng_state(torch.ops.{call})",
                f'q{number}: "u8[5056][1]cpu" = r{number}[0]', *nested]

    def used(self, state, call, number=""):
        """The draw from that state: the mask m of a dropout, else the number m itself."""
        made = f"w{number} = torch.ops.higher_order.run_with_rng_state({state}, torch.ops.{call})"
        return [made, f"m{number}: {self.B} = w{number}[1]"] if "native" in call else [made.replace(f"w{number} =", f"m{number} =")]

    B = '"b8[4, 4][4, 1]cpu"'
    MASKED = f"g: {T} = torch.ops.aten.mul.Tensor(y, {{}})"

    def of(self, before, after, returned="o, g", inputs=f"x: {T}, y: {T}"):
        status, record = self.compared(*(graph(inputs, body, returned) for body in (before, after)))
        return status, self.reasons(record) | {f["property"] for f in record["findings"]}

    def programs(self):
        """What a checkpoint draws again, and the program that it means."""
        drop, masked, sin = self.DROP.format("x"), self.MASKED.format("m"), f"h: {T} = torch.ops.aten.sin.default(x)"
        again = sin.replace("h:", "h2:")
        rands = [self.plain("o", self.RAND), self.plain("o2", self.RAND), self.MASKED.format("o"), f"e: {T} = torch.ops.aten.mul.Tensor(g, o2)"]
        seeds = [*self.saved(self.SEEDS, "", '"i64[1][1]cpu"'), *self.used("q", self.SEEDS)]
        numbers = [f'l{n}: "i64[][]cpu" = torch.ops.prims.inductor_lookup_seed.default({v}, 0)\n        '
                   f"u{n}: {T} = torch.ops.prims.inductor_random.default([4, 4], l{n}, 'rand')" for n, v in (("", "o"), ("2", "m"))]
        # name: before, after, what is returned
        return {
            "dropout": ([*self.dropped("x"), masked], [*self.saved(drop), *self.used("q", drop), masked]),
            "of what is computed again": ([sin, *self.dropped("h"), masked],
                                          [sin, *self.saved(self.DROP.format("h")), again, *self.used("q", self.DROP.format("h2")), masked]),
            "numbers": ([self.plain("o", self.RAND), self.MASKED.format("o")],
                        [*self.saved(self.RAND), *self.used("q", self.RAND), masked]),
            "seeds": ([self.plain("u", self.RAND), self.MASKED.format("u")], [*seeds, *numbers, self.MASKED.format("u2")], "u, g"),
            "two draws": (rands, [*self.saved(self.RAND), *self.saved(self.RAND, "2"), *self.used("q", self.RAND), masked,
                                  *self.used("q2", self.RAND, "2"), f"e: {T} = torch.ops.aten.mul.Tensor(g, m2)"], "o, e"),
            "a draw behind it": ([*self.dropped("x"), self.plain("z", self.RAND), masked],
                                 [*self.saved(drop), self.plain("z", self.RAND), *self.used("q", drop), masked], "o, g, z"),
            "used twice": ([*self.dropped("x"), masked], [*self.saved(drop), *self.used("q", drop, "9"), *self.used("q", drop), masked]),
            "saved in both": ([*self.saved(drop), masked.replace("m)", "o)")], [*self.saved(drop), masked.replace("m)", "o)")], "o, g, q"),
            "bernoulli": ([f"o: {T} = torch.ops.aten.bernoulli.p(x, 0.5)", self.MASKED.format("o")],
                          [*self.saved("aten.bernoulli.p, x, 0.5"), *[line.replace("m =", f"m: {T} =") for line in self.used("q", "aten.bernoulli.p, x, 0.5")],
                           masked]),
        }

    def test_what_is_drawn_again_is_the_same(self):
        for name, case in self.programs().items():
            with self.subTest(name):
                self.assertEqual(self.of(*case), ("proved", set()))
        drop, masked = self.DROP.format("x"), self.MASKED.format("m")
        write = f"a: {T} = torch.ops.aten.add_.Tensor(x, 1)"
        before, after = [*self.dropped("x"), masked, write], [*self.saved(drop), write, *self.used("q", drop), masked]
        self.assertEqual(self.of(before, after), ("proved", set()), "nor of those that were written")
        for call in ("aten.bernoulli.p, x, 0.5", "aten.rand_like.default, x"):
            use = [line.replace("m =", f"m: {T} =") for line in self.used("q", call)]
            self.assertEqual(self.of([self.plain("o", call), masked.replace("m)", "o)"), write], [*self.saved(call), write, *use, masked]), ("proved", set()), call)
        two = [f"h: {T} = torch.ops.aten.sin.default(x)", *self.used("q", self.DROP.format("x")), self.MASKED.format("m")]
        other = [line.replace(", x, 0.5", ", h, 0.5") for line in two]
        self.assertEqual(self.of(two, other, "g", f'x: {T}, y: {T}, q: "u8[5056][1]cpu"'), ("proved", set()), "a mask is no function of contents")
        use = self.used("q", self.DROP.format("x"))
        given = f'x: {T}, y: {T}, q: "u8[5056][1]cpu", q2: "u8[5056][1]cpu"'
        backward = [*use, self.MASKED.format("m")]
        self.assertEqual(self.of(backward, backward, "g", given), ("proved", set()))
        other = [line.replace("(q,", "(q2,") for line in backward]
        self.assertEqual(self.of(backward, other, "g", given), ("refuted", {"value-mismatch"}))

    def test_what_is_drawn_otherwise_is_not(self):
        cases, drop, masked = self.programs(), self.DROP.format("x"), self.MASKED.format("m")
        before, after, *_ = cases["dropout"]
        write = f"a: {T} = torch.ops.aten.add_.Tensor(x, 1)"
        at = after.index(next(line for line in after if line.startswith("w =")))
        two = cases["two draws"]
        rows = [
            ("another probability", before, [after[0], *after[1:at], after[at].replace("0.5", "0.25"), *after[at + 1:]], "o, g"),
            ("drawn anew", before, [*after[:at], *self.dropped("x", "7")[:1], f"m: {self.B} = d7[1]", masked], "o, g"),
            ("of what was written", [*self.dropped("x"), masked.replace("m)", "o)"), write],
             [*after[:at], write, after[at], f"m: {T} = w[0]", masked], "o, g"),
            ("states exchanged", two[0], [line.replace("(q,", "(q9,").replace("(q2,", "(q,").replace("(q9,", "(q2,") for line in two[1]], "o, e"),
            ("drawn from one state", two[0], [*self.saved(self.RAND), *self.used("q", self.RAND), masked, f"e: {T} = torch.ops.aten.mul.Tensor(g, m)"], "o, e"),
            ("saved too late", [self.plain("z", self.RAND), *before], [*after[:at], self.plain("z", self.RAND), *after[at:]], "o, g, z"),
            ("another operator", before, [*after[:at], *[line.replace("m =", f"m: {T} =") for line in self.used("q", "aten.bernoulli.p, x, 0.5")], masked], "o, g"),
            ("not drawn at first", before, [f'q: "u8[5056][1]cpu" = torch.ops.aten.empty.memory_format([5056], dtype = torch.uint8)',
                                            f"w9 = torch.ops.higher_order.run_with_rng_state(q, torch.ops.{drop})", f"o: {T} = w9[0]", *after[at:]], "o, g"),
        ]
        told = {"drawn anew": ("refuted", {"repeated-write"}), "of what was written": ("refuted", {"stale-read"})}
        for name, one, other, returned in rows:
            with self.subTest(name):
                self.assertEqual(self.of(one, other, returned), told.get(name, ("unknown", {"approximated"})))

    def test_how_operands_lie_counts(self):
        """Masks are drawn in the order of memory."""
        across = T.replace("[4, 1]", "[1, 4]")
        one = [f"t: {across} = torch.ops.aten.permute.default(x, [1, 0])", *self.saved(self.DROP.format("t"), "", across)]
        plain = [*one, *self.used("q", self.DROP.format("t")), self.MASKED.format("m")]
        copied = [*one, f"c: {T} = torch.ops.aten.clone.default(t, memory_format = torch.contiguous_format)",
                  *self.used("q", self.DROP.format("c")), self.MASKED.format("m")]
        self.assertEqual(self.of(plain, plain)[0], "proved")
        self.assertNotEqual(self.of(plain, copied)[0], "proved")

    def test_a_state_that_an_input_must_hold_at_exit_is_unknown(self):
        """`final` is no return: the buffer would hold the bytes of the state."""
        state, kept = {"dtype": "u8", "shape": [5056]}, {"dtype": "f32", "shape": [4, 4]}
        for final, told in ((None, ("proved", set())), ({"k": {"ref": "o"}}, ("proved", set())), ({"x": {"ref": "q"}}, ("unknown", {"unsupported-op", "no-metadata"}))):
            program = {"inputs": [{"name": "x", "type": state, "kind": "buffer"}, {"name": "k", "type": kept, "kind": "buffer"}],
                       "steps": [{"names": ["q", "o"], "op": "higher_order.run_and_save_rng_state", "args": ["aten.rand.default", [4, 4]],
                                  "kwargs": {"dtype": {"dtype": "f32"}, "device": {"device": "cpu"}}, "types": [state, kept]}],
                       "outputs": [{"ref": "o"}, {"ref": "q"}], **({"final": final} if final else {})}
            path = self.write("final.json", {"format": "noclobber.case/1", "name": "final", "before": program, "after": program})
            ran = subprocess.run([BIN / "noclobber", "check", path, "--json"], capture_output=True, text=True, timeout=120)
            record = json.loads(ran.stdout.splitlines()[0])
            self.assertEqual((record["status"], self.reasons(record)), told, final)

    def test_a_state_that_goes_elsewhere_is_unknown(self):
        drop, masked = self.DROP.format("x"), self.MASKED.format("m")
        body = [*self.saved(drop), 'k: "u8[5056][1]cpu" = torch.ops.aten.clone.default(q)', *self.used("k", drop), masked]
        self.assertEqual(self.of(body, body)[0], "unknown")
        self.assertIn("unsupported-op", self.of(body, body)[1])


class FunctionalizedRegions(Pairs):
    """auto_functionalized of nested_compile_region and of torch.cond whose bodies write, and what reinplacing leaves of it."""

    def body(self, name, writes, result="m", inputs=f"a: {T}, b: {T}"):
        lines = "".join(f"            {line}\n" for line in [
            f"m: {T} = torch.ops.aten.mul.Tensor(a, b)", f"s: {T} = torch.ops.aten.sin.default(b)",
            *[f"c{k}: {T} = torch.ops.aten.copy_.default({to}, {by})" for k, (to, by) in enumerate(writes)]])
        return f"\n    class {name}(torch.nn.Module):\n        def forward(self, {inputs}):\n{lines}            return ({result},)\n"

    def program(self, calls, returned, writes=(("a", "m"), ("b", "s")), others=(("a", "s"),), result="m"):
        made = [f"z: {T} = torch.ops.aten.sin.default(x)", f"w: {T} = torch.ops.aten.cos.default(y)", "f = self.f", "g = self.g"]
        return graph(f'x: {T}, y: {T}, p: "b8[][]cpu"', [*made, *calls], returned, self.body("f", writes, result) + self.body("g", others, result))

    def wrapped(self, one="z", two="w", n="", given="_arg0_base_index = 0, _arg1_base_index = 1", bases=None, results=1):
        call = (f"v{n} = torch.ops.higher_order.auto_functionalized_v2(torch.ops.higher_order.invoke_subgraph, subgraph = f, identifier = 'f', "
                f"{given}, _all_bases = [{bases or f'{one}, {two}'}])")
        return [call, *[f"r{n or ''}{k or ''}: {T} = v{n}[{k}]" for k in range(results)], f"z{n or 1}: {T} = v{n}[{results}]",
                *([] if bases else [f"w{n or 1}: {T} = v{n}[{results + 1}]"])]

    @staticmethod
    def direct(one="z", two="w", n="", body="f"):
        return [f"i{n} = torch.ops.higher_order.invoke_subgraph({body}, 'f', {one}, {two})", f"r{n}: {T} = i{n}[0]"]

    def branch(self, bodies="f, g", wrapped=False):
        if not wrapped:
            return [f"i = torch.ops.higher_order.cond(p, {bodies}, (z, w))", f"r: {T} = i[0]"]
        one, two = bodies.split(", ")
        return [f"v = torch.ops.higher_order.auto_functionalized_v2(torch.ops.higher_order.cond, pred = p, true_fn = {one}, false_fn = {two}, "
                "_operand0_base_index = 0, _operand1_base_index = 1, _all_bases = [z, w])",
                f"r: {T} = v[0]", f"z1: {T} = v[1]", f"w1: {T} = v[2]"]

    COPY = f"k: {T} = torch.ops.aten.clone.default(z)"
    SLICED = "_arg0_base_index = 0, _arg0_slice_dim = 0, _arg0_slice_start = {}, _arg0_slice_end = {}, arg1 = h"

    def halves(self, first, last, wrapped=True):
        half = T.replace("[4, 4]", "[2, 4]")
        rest = f"h: {half} = torch.ops.aten.slice.Tensor(y, 0, 0, 2)"
        body = self.body("f", [("a", "m")]).replace(T, half)
        calls = [rest, "f = self.f", *(self.wrapped(given=self.SLICED.format(first, last), bases="x") if wrapped else
                                      [f"t: {half} = torch.ops.aten.slice.Tensor(k, 0, {first}, {last})", *self.direct("t", "h")])]
        calls = [c.replace("r:", f"r: {half} #").replace(f"# {T}", "") if c.startswith("r:") else c for c in calls]
        return graph(f"x: {T}, y: {T}", [*([] if wrapped else [self.COPY.replace("(z)", "(x)")]), *calls], "r, z1" if wrapped else "r, k", body)

    def both(self, before, after):
        status, record = self.compared(before, after)
        return status, self.reasons(record) | {f["property"] for f in record["findings"]}

    def test_a_case_that_is_extracted_is_read(self):
        """The schema that the wrapper is given was written as a graph that nobody knew."""
        text = self.program([c.replace("])", "], _op_schema = t)") for c in ["t = self._tree_spec_constant0", *self.wrapped()]], "r, z1, w1")
        path = self.write("alone.txt", text)
        case = subprocess.run([BIN / "noclobber", "extract", path], capture_output=True, text=True, check=True).stdout
        self.assertIn("auto_functionalized_v2", case)
        said = [subprocess.run([BIN / "noclobber", "check", p], capture_output=True).returncode for p in (path, self.write("alone.json", case))]
        self.assertEqual(said, [0, 0])

    def test_what_reinplacing_leaves(self):
        twice = self.program([*self.wrapped(), *self.wrapped("z1", "w1", "2")], "r, r2, z2, w2")
        rows = {
            "in place": (self.program(self.wrapped(), "r, z1, w1"), self.program(self.direct(), "r, z, w")),
            "twice": (twice, self.program([*self.direct(), *self.direct(n="2")], "r, r2, z, w")),
            "still wrapped": (twice, twice),
            "a copy is kept": (self.program(self.wrapped(), "r, z1, w1, z"), self.program([self.COPY, *self.direct("k")], "r, k, w, z")),
            "one is only read": (self.program(self.wrapped(given="_arg0_base_index = 0, arg1 = w", bases="z"), "r, z1, w", [("a", "m")]),
                                 self.program(self.direct(), "r, z, w", [("a", "m")])),
            "two results": (self.program(self.wrapped(results=2), "r, r1, z1, w1", result="m, s"),
                            self.program([*self.direct(), f"q: {T} = i[1]"], "r, q, z, w", result="m, s")),
            "nothing written": (self.program(self.wrapped(), "r, z1, w1", []), self.program(self.direct(), "r, z, w", [])),
            "a branch": (self.program(self.branch(wrapped=True), "r, z1, w1"), self.program(self.branch(), "r, z, w")),
            "a part": (self.halves(0, 2), self.halves(0, 2, wrapped=False)),
            "written out": (self.program(self.wrapped(), "r, z1, w1"),
                            self.program([f"m: {T} = torch.ops.aten.mul.Tensor(z, w)", f"s: {T} = torch.ops.aten.sin.default(w)"], "m, m.clone(), s")
                            .replace("return (m, m.clone(), s,)", f"n: {T} = torch.ops.aten.clone.default(m)\n        return (m, n, s,)")),
        }
        for name, case in rows.items():
            with self.subTest(name):
                self.assertEqual(self.both(*case), ("proved", set()))

    def test_what_it_may_not_leave(self):
        rows = {
            "the old is read": (self.program(self.wrapped(), "r, z1, w1, z"), self.program(self.direct(), "r, z, w, z"), "stale-read"),
            "a copy too late": (self.program(self.wrapped(), "r, z1, w1, z"), self.program([*self.direct(), self.COPY], "r, z, w, k"), "stale-read"),
            "the wrong one is copied": (self.program(self.wrapped(), "r, z1, w1, z"), self.program([self.COPY, *self.direct("z")], "r, k, w, z"), "signature"),
            "operands exchanged": (self.program(self.wrapped(), "r, z1, w1"), self.program(self.direct("w", "z"), "r, w, z"), "value-mismatch"),
            "another body": (self.program(self.wrapped(), "r, z1, w1"), self.program(self.direct(body="g"), "r, z, w"), "value-mismatch"),
            "a write is gone": (self.program(self.wrapped(), "r, z1, w1"), self.program(self.direct(), "r, z, w", [("a", "m")]), "value-mismatch"),
            "once, not twice": (self.program([*self.wrapped(), *self.wrapped("z1", "w1", "2")], "r, r2, z2, w2"),
                                self.program([*self.direct(), f"r2: {T} = torch.ops.aten.clone.default(r)"], "r, r2, z, w"), "value-mismatch"),
            "branches exchanged": (self.program(self.branch(wrapped=True), "r, z1, w1"), self.program(self.branch("g, f"), "r, z, w"), "value-mismatch"),
            "the old is read behind a branch": (self.program(self.branch(wrapped=True), "r, z1, w1, z"), self.program(self.branch(), "r, z, w, z"), "stale-read"),
            "another part": (self.halves(0, 2), self.halves(2, 4, wrapped=False), "value-mismatch"),
        }
        for name, (before, after, told) in rows.items():
            with self.subTest(name):
                status, why = self.both(before, after)
                self.assertEqual((status, told in why), ("refuted", True), why)


class ComplexFills(Pairs):
    """A complex number as joint passes write it where they fold a fill: torch.polar and its gradient."""
    K = '"c64[4, 4][4, 1]cpu"'

    def filled(self, one, other):
        """The status where one number is filled in, then the other."""
        graphs = [graph(f"m: {T}, x: {self.K}", [f'f: "c64[][]cpu" = {number}',
                                                 f'e: "b8[4, 4][4, 1]cpu" = torch.ops.aten.eq.Scalar(m, 0)',
                                                 f"w: {self.K} = torch.ops.aten.where.self(e, f, x)"], "w") for number in (one, other)]
        return self.compared(*graphs)[0]

    @staticmethod
    def scalar(number):
        return f"torch.ops.aten.scalar_tensor.default({number}, dtype = torch.complex64, layout = torch.strided, device = device(type='cpu'))"

    def test_one_number_is_the_same_however_it_is_written(self):
        for one, other in (("0", "0j"), ("3", "(3+0j)"), ("0.5", "(0.5+0j)"), ("(1+2j)", "(1+2j)"), ("-7", "(-7+0j)"),
                           ("2j", "2j"), ("1e+30", "(1e+30+0j)"), ("True", "(1+0j)")):
            with self.subTest(one):
                self.assertEqual(self.filled(self.scalar(one), full(other, "[]", "complex64")), "proved")

    def test_another_number_is_refuted(self):
        for one, other in (("0", "1j"), ("3", "(3+1j)"), ("0.5", "(0.25+0j)"), ("(1+2j)", "(1-2j)"), ("-7", "(7+0j)"), ("2j", "(2+0j)")):
            with self.subTest(one):
                self.assertEqual(self.filled(self.scalar(one), full(other, "[]", "complex64")), "refuted")

    def test_zeros_of_another_sign_are_not_proved(self):
        for one, other in (("3", "(3-0j)"), ("0", "(-0-0j)"), ("0", "(-0+0j)")):
            with self.subTest(other):
                self.assertNotEqual(self.filled(self.scalar(one), full(other, "[]", "complex64")), "proved")


if __name__ == "__main__":
    unittest.main()
