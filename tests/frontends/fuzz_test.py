#!/usr/bin/env python3
"""Compilers and their passes under test, with random programs: fuzz_test.py torch|executorch|thunder

Needs that framework and the package noclobber. Passes that are wrong in one way are convicted of it with a small program that a run
shows to differ, right ones are not.
"""
import contextlib
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest
import warnings
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "frontends")]
warnings.filterwarnings("ignore")

from in_folder import InFolder  # noqa: E402

import noclobber  # noqa: E402
import torch  # noqa: E402

IN_PLACE = {"sin": "sin_", "neg": "neg_", "abs": "abs_", "exp": "exp_"}


def overwrites(module):
    """A pass that makes functions of one tensor in place, whoever reads the tensor afterwards. PyTorch itself refuses that of expanded ones."""
    for node in module.graph.nodes:
        name = str(node.target).removeprefix("aten.").removesuffix(".default")
        given = node.args[0].meta["val"] if node.op == "call_function" and name in IN_PLACE else None
        if given is not None and given.dtype.is_floating_point and 0 not in given.stride():
            node.target = getattr(torch.ops.aten, IN_PLACE[name]).default
    module.recompile()


class Campaigns(InFolder):
    def convicted(self, campaign, runs_differ=True):
        """Causes, each with a refuted case that says so by itself."""
        self.assertTrue(campaign.causes, campaign)
        for cause in campaign.causes:
            self.assertEqual(cause["what"], "refuted", campaign)
            folder = pathlib.Path(cause["folder"])
            self.assertTrue(noclobber.check(folder / "case.json").refuted)
            self.assertLessEqual(cause["steps"], 5, (folder / "program.py").read_text())
            self.assertTrue(cause["differs"] or not runs_differ, cause)
        return campaign

    def clean(self, campaign, proved):
        self.assertEqual((campaign.causes, campaign.refuted), ([], 0), campaign)
        self.assertGreaterEqual(campaign.proved, proved, campaign)


class Torch(Campaigns):
    def test_a_pass_that_changes_nothing(self):
        self.clean(noclobber.torch.fuzz_pass(lambda module: None, count=40, out=self.folder), 30)

    def test_a_right_pass(self):
        self.clean(noclobber.torch.fuzz_pass(lambda module: module.graph.eliminate_dead_code() and None, count=30, seed=300, out=self.folder), 20)

    def test_a_pass_that_overwrites_what_is_read(self):
        found = noclobber.torch.fuzz_pass(overwrites, count=20, profiles=["pointwise"], without="out=", reduction=40, out=self.folder)
        self.convicted(found)
        self.assertTrue(any("clobber" in c["cause"] for c in found.causes))

    def test_a_long_program_is_made_small_in_few_tries(self):
        """Of 20 lines, for which 40 tries were not enough when lines went one at a time."""
        options = {"profiles": ["pointwise"], "without": "control flow", "out": self.folder}
        for seed in (27, 30):
            self.convicted(noclobber.torch.fuzz_pass(overwrites, seed=seed, count=1, reduction=40, **options))

    def test_a_pass_that_raises(self):
        def raises(module):
            raise KeyError("no rule")
        found = noclobber.torch.fuzz_pass(raises, count=4, reduction=8, out=self.folder)
        self.assertEqual([(c["what"], c["cause"]) for c in found.causes], [("crash", "KeyError: 'no rule'")])
        self.assertEqual((found.proved, found.programs), (0, 4))

    def test_an_alarm_is_a_finding_and_stops_nobody(self):
        """Seed 4733 of a campaign: it ended there, and the case was gone."""
        from unittest import mock

        from noclobber import program
        check = program.check

        def alarmed(*paths, **options):
            if any("aten.mul.Tensor" in pathlib.Path(p).read_text() for p in paths):
                raise program.ProgramError(f"{paths[0]}: {program.ALARM}: a run contradicts a proof (output 0: 1.5 became -2)")
            return check(*paths, **options)
        with mock.patch.object(program, "check", alarmed):
            found = noclobber.torch.fuzz_pass(lambda module: None, count=20, profiles=["pointwise"], without="out=", reduction=10, out=self.folder)
        self.assertEqual([c["what"] for c in found.causes], ["error"])
        self.assertIn(program.ALARM, found.causes[0]["cause"])
        self.assertIn("aten.mul.Tensor", (pathlib.Path(found.causes[0]["folder"]) / "case.json").read_text())
        self.assertEqual(found.programs, 20)
        self.assertGreater(found.proved, 2)

    def test_a_result_that_lies_in_an_argument_is_made_anew(self):
        """Seed 37 again: whoever puts it into the argument that is written changes nothing. One that is computed may not lie there."""
        from noclobber import compile_fuzz, passes_only, torch_fuzz

        def shares(module):
            output = next(n for n in module.graph.nodes if n.op == "output")
            output.args = (tuple(n for n in module.graph.nodes if n.op == "placeholder" and n.meta["val"].shape == (4, 6))[:len(output.args[0])],)

        def told(function, *lines):
            run = compile_fuzz._Run(torch_fuzz.Pass(function, True), self.folder, 0, True, lambda what, cause: False)
            programs = [compile_fuzz.Program(k, own, ("v0",)) for k, own in enumerate(lines)]
            return [[o.kind() for o in run.outcomes(programs, most)] for most in (1, len(programs))]
        views = [("v0 = n.unbind(0)[1]", "torch.sin(z, out=v0)"), ("v0 = m.t()", "v0.neg_()"), ("v0 = x", "v0.add_(y)")]
        self.assertEqual(told(passes_only.all_passes, *views), 2 * [3 * [("", "")]])
        for kinds in told(shares, ("v0 = x * 1.5",), ("v0 = x.clone()",)):
            self.assertEqual([what for what, _ in kinds], ["refuted", "refuted"])

    def test_a_module_that_does_not_run_is_none_of_the_pass(self):
        """Seed 37 of Inductor's passes: PyTorch's functionalization writes what `out=` resized back to a row that is too small."""
        from noclobber import compile_fuzz, passes_only, torch_fuzz
        resized = compile_fuzz.Program(1, ("v0 = n.unbind(0)[1]", "torch.sin(m, out=v0)"), ("v0",))
        plain = compile_fuzz.Program(2, ("v0 = n.unbind(0)[1]", "torch.sin(z, out=v0)"), ("v0",))
        run = compile_fuzz._Run(torch_fuzz.Pass(passes_only.all_passes, True), self.folder, 0, True, lambda what, cause: False)
        for most in (1, 2):
            self.assertEqual([o and o.kind() for o in run.outcomes([resized, plain], most)], [None, ("", "")])

    def test_a_wrong_pass_inside_of_inductor_is_named(self):
        with torch._inductor.config.patch(post_grad_custom_post_pass=lambda graph: overwrites(graph.owning_module)):
            found = noclobber.torch.fuzz_compile(count=6, profiles=["pointwise"], reduction=10, out=self.folder)
        self.assertTrue(any(c["what"] == "refuted" and "post_grad_custom_post_pass" in c["cause"] and c["differs"] for c in found.causes), found)

    def test_the_fixture_of_pytest(self):
        self.write("test_passes.py", """
import noclobber

def wrong(case):
    case["after"]["steps"] = [s | {"op": "aten.neg_.default"} if s["op"] == "aten.neg.default" else s for s in case["after"]["steps"]]
    return case

def test_right(noclobber_fuzz):
    assert noclobber_fuzz(noclobber.fuzz, lambda case: case).programs == 12

def test_wrong(noclobber_fuzz):
    noclobber_fuzz(noclobber.fuzz, wrong, count=40, reduction=20)
""")
        ran = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "noclobber.pytest_plugin", "--noclobber-seeds", "12", "-p",
                              "no:cacheprovider", "test_passes.py"], cwd=self.folder, capture_output=True, text=True,
                             env=os.environ | {"PYTHONPATH": str(ROOT / "python"), "NOCLOBBER_BIN": os.path.abspath(noclobber.binary())[:-10]})
        self.assertIn("1 failed, 1 passed", ran.stdout, ran.stdout + ran.stderr)
        self.assertIn("made in place", ran.stdout)

    def test_programs_of_a_seed_are_the_same(self):
        from noclobber import compile_fuzz
        self.assertEqual([compile_fuzz.draw(k) for k in range(5)], [compile_fuzz.draw(k) for k in range(5)])

    def test_what_one_campaign_leaves_out_the_next_one_draws(self):
        from noclobber import compile_fuzz
        as_it_is = {"count": 1, "out": self.folder}
        noclobber.torch.fuzz_pass(lambda module: None, **as_it_is)
        first = [compile_fuzz.draw(k) for k in range(20)]
        noclobber.torch.fuzz_pass(lambda module: None, without="control flow|_\\(", profiles=["pointwise", "control-flow"], **as_it_is)
        other = [compile_fuzz.draw(k) for k in range(20)]
        self.assertFalse([p.text for p in other if "higher_order" in p.text or "_(" in p.text.replace("index_select(", "")])
        noclobber.torch.fuzz_pass(lambda module: None, **as_it_is)
        self.assertEqual([compile_fuzz.draw(k) for k in range(20)], first)
        self.assertTrue(any("higher_order" in p.text for p in first))

    def test_a_smaller_program_has_fewer_lines_or_results(self):
        from noclobber import compile_fuzz
        made = compile_fuzz.Program(1, ("v0 = x.sin()", "v1 = v0 + y", "v0.neg_()"), ("v0", "v1"))
        found = {(p.lines, p.given) for p in compile_fuzz.smaller(made)}
        self.assertIn((("v0 = x.sin()", "v1 = v0 + y", "v0.neg_()"), ("v0",)), found)
        self.assertIn((("v0 = x.sin()", "v0.neg_()"), ("v0",)), found)
        self.assertIn((("v1 = x + y", "x.neg_()"), ("x", "v1")), found)
        self.assertTrue(all(len(lines) + len(given) < 5 for lines, given in found))

    def test_of_a_long_program_half_goes_first(self):
        from noclobber import compile_fuzz
        lines = tuple(f"v{k} = x + {k}" for k in range(8)) + ("v8, v9 = x.split(2)", "v8[0] = 1")
        found = [p.lines for p in compile_fuzz.smaller(compile_fuzz.Program(1, lines, ("v0", "v9")))]
        self.assertEqual(found[:5], [lines, lines, lines[:5], lines[5:], lines[:8]])
        self.assertIn(lines[:9], found)
        self.assertNotIn((), found)

    def campaigns(self, function, **options):
        """The same programs one by one, and many as one."""
        return [noclobber.torch.fuzz_pass(function, without="control flow", out=self.folder / str(most), most=most, **options)
                for most in (1, 25)]

    def test_many_as_one_are_told_apart(self):
        """A wrong pass and a right one: counts are the same, and so are the causes."""
        for function, profile in ((overwrites, "pointwise"), (lambda module: None, "writes")):
            alone, many = self.campaigns(function, count=30, seed=500, profiles=[profile], reduction=0)
            told = [[c.programs, c.proved, c.refuted, c.unknown, c.skipped, *sorted((x["what"], x["cause"]) for x in c.causes)] for c in (alone, many)]
            self.assertEqual(*told)
        self.assertGreater(alone.proved, 20)

    # Programs of docs/found that are made of lines; the others are right.
    FINDS = [(("v0 = x[0] * 1", "x.add_(y)"), "v0"), (("v0 = y.exp()", "y.add_(1)"), "v0"), (("v0 = x.clone()[0].clone()",), "v0"),
             (("v0 = torch.cat(x.split([2, 4], 1), 1)", "x.add_(1)"), "v0"), (("v0 = x.t() * 2",), "v0"),
             (("v0, v1 = torch._foreach_add([x, y], 1.0)", "x.copy_(v1)", "y.copy_(v0)", "v2 = s.sin()"), "v2")]

    def test_finds_are_found_among_other_programs(self):
        from noclobber import compile_fuzz, torch_fuzz

        def told(most):
            run = compile_fuzz._Run(torch_fuzz.Compile(), self.folder / str(most), 0, True, lambda what, cause: False)
            made = [compile_fuzz.Program(k, lines, (given,)) for k, (lines, given) in enumerate(self.FINDS)]
            return sorted((o.made.seed, *o.kind()) for o in run.outcomes(made, most))
        alone = told(1)
        self.assertEqual([what != "" for _, what, _ in alone], [True, False, True, True, False, True], alone)
        self.assertEqual(told(6), alone)

    def test_a_pass_that_exchanges_results_of_two_programs_is_convicted(self):
        """Each program alone is right; what is wrong is only seen where there are two."""
        def exchanges(module):
            output = next(n for n in module.graph.nodes if n.op == "output")
            values = list(output.args[0])
            types = [(v.meta["val"].shape, v.meta["val"].dtype) for v in values]
            alike = [(a, b) for a in range(len(values)) for b in range(a) if values[a] is not values[b] and types[a] == types[b]]
            if len(values) > 5 and alike:
                a, b = alike[0]
                values[a], values[b] = values[b], values[a]
                output.args = (tuple(values),)
            module.recompile()
        found = noclobber.torch.fuzz_pass(exchanges, count=12, seed=500, profiles=["pointwise"], without="control flow", reduction=12,
                                          out=self.folder)
        self.assertTrue(found.causes, found)
        self.assertIn("def f1(", (pathlib.Path(found.causes[0]["folder"]) / "program.py").read_text())

    def test_a_case_is_cut_where_nothing_is_shared(self):
        from noclobber import together
        value = {"dtype": "f32", "shape": [2]}

        def graph(op):
            inputs = [{"name": n, "type": value, "kind": "user"} for n in ("a", "b", "c")]
            steps = [{"name": "v", "op": "aten.sin.default", "args": [{"ref": "a"}], "types": [value], "loc": "program_7.py:1 in f"},
                     {"name": "w", "op": op, "args": [{"ref": "b"}], "types": [value]},
                     {"name": "u", "op": "aten.add.Tensor", "args": [{"ref": "w"}, {"ref": "c"}], "types": [value]}]
            return {"inputs": inputs, "steps": steps, "outputs": [{"ref": "v"}, {"ref": "u"}]}
        case = {"format": "noclobber.case/1", "name": "two", "before": graph("aten.neg.default"), "after": graph("aten.neg_.default")}
        cuts = together.cut(case)
        self.assertEqual([(c.inputs, c.outputs) for c in cuts], [([0], [0]), ([1, 2], [1])])
        self.assertEqual([[s["name"] for s in c.case["after"]["steps"]] for c in cuts], [["v"], ["w", "u"]])
        self.assertEqual(cuts[0].places, {"program_7.py:1 in f"})
        joined = case | {"after": case["after"] | {"outputs": [{"ref": "u"}, {"ref": "v"}]}}
        self.assertEqual(len(together.cut(joined)), 1)
        self.assertEqual(len(together.cut(case | {"plan": {"arenas": {}, "buffers": []}})), 1)

    def test_a_campaign_goes_on_where_it_was(self):
        options = {"count": 12, "seed": 40, "without": "control flow", "out": self.folder, "ledger": self.folder / "ledger.jsonl"}
        first = noclobber.torch.fuzz_pass(overwrites, **options | {"count": 5}, reduction=0)
        with open(self.folder / "ledger.jsonl", "a") as file:
            file.write('{"about": ')  # killed while it was written
        rest = noclobber.torch.fuzz_pass(overwrites, **options, reduction=0)
        again = noclobber.torch.fuzz_pass(overwrites, **options, reduction=0)
        whole = noclobber.torch.fuzz_pass(overwrites, **options | {"ledger": None}, reduction=0)
        counts = [(c.programs, c.proved, c.refuted, c.unknown, c.skipped) for c in (rest, again, whole)]
        self.assertEqual(first.programs, 5)
        self.assertEqual(counts, [counts[2]] * 3)
        self.assertEqual(len((self.folder / "ledger.jsonl").read_text().splitlines()), 3)


class Executorch(Campaigns):
    """The reinplacing pass as it was before its first repair."""

    def reinplaced(self, *changes, copied=True, **options):
        import executorch.exir.passes.reinplace as reinplace
        from executorch.exir.dialects._ops import ops

        text = inspect.getsource(reinplace.reinplace_pass)
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        names = dict(vars(reinplace))
        exec(text, names)  # noqa: S102, the pass itself
        aten = ops.edge.aten
        wanted = {aten.add.Tensor, aten.mul.Tensor, aten.sub.Tensor, aten.maximum.default}
        return noclobber.executorch.fuzz_pass(lambda program: names["reinplace_pass"](program, ops_to_inplace=wanted), copied=copied,
                                              profiles=["pointwise"], reduction=20, out=self.folder, **options)

    NOT_REVISITED = ("for node in reversed(ep.graph.nodes):", "for node in list(reversed(ep.graph.nodes)):")
    ALL_RECORDED = ("for arg_idx in mutated_args:\n                seen_nodes.add(node.args[arg_idx])", "seen_nodes.update(node.all_input_nodes)")
    NOT_SEEN = ("seen_nodes.add(node.args[arg_idx])", "pass")

    def test_before_the_repair(self):
        self.convicted(self.reinplaced(self.NOT_REVISITED, seed=22, count=18), runs_differ=False)

    def test_without_any_record(self):
        self.convicted(self.reinplaced(self.NOT_REVISITED, self.NOT_SEEN, seed=22, count=18), runs_differ=False)

    def test_both_repairs(self):
        """The released pass, whose walk meets the inserted node again, and one that records all operands itself."""
        for changes in ([], [self.NOT_REVISITED, self.ALL_RECORDED]):
            with self.subTest(changes=changes):
                self.clean(self.reinplaced(*changes, seed=22, count=18), 14)

    def test_the_released_pass_overwrites_what_a_buffer_holds_next(self):
        """Without copies: the new value of a buffer is no reader for it."""
        self.convicted(self.reinplaced(seed=22, count=1, copied=False), runs_differ=False)

    def test_whole_lowerings(self):
        self.clean(noclobber.executorch.fuzz_lower(count=8, out=self.folder), 6)
        self.clean(noclobber.executorch.fuzz_lower(count=4, out=self.folder, most=1), 3)

    def test_passes_without_the_front(self):
        self.clean(noclobber.executorch.fuzz_passes(count=50, out=self.folder), 45)

    def test_what_is_left_out_for_time_leaves_the_cases_as_they_are(self):
        """Programs as one, whose values ExecuTorch describes by calling everything again, and with what is known of them already: the
        same cases, but for the names of values."""
        from executorch.exir.passes import spec_prop_pass
        from noclobber import compile_fuzz, drawn, executorch_passes_fuzz, together

        drawn.leave_out(executorch_passes_fuzz.Passes.refused)
        drawn.draw_as(drawn.Mixture())
        batch = together.Batch(tuple(compile_fuzz.draw(seed) for seed in range(1, 26)))

        def cases(folder, quickly):
            subject = executorch_passes_fuzz.Passes()
            with mock.patch.object(executorch_passes_fuzz, "_quickly", quickly):
                written = subject.record(batch, self.folder / folder)
            return [numbered(path[0].read_text()) for _, path in written.checks], subject.buffer

        def numbered(text):
            known = {}
            case = json.loads(text)
            names = {n for side in ("before", "after") for s in case.get(side, {}).get("steps", []) for n in [s.get("name"), *s.get("names", [])] if n}
            return re.sub(r'"(\w+)"', lambda found: known.setdefault(found[1], f"v{len(known)}") if found[1] in names else found[1], text)
        (ours, none), (theirs, emitted) = cases("a", executorch_passes_fuzz._quickly), cases("b", lambda is_emitted: contextlib.nullcontext())
        self.assertEqual(ours, theirs)
        self.assertIsNone(none)
        self.assertTrue(emitted)
        self.assertIsNot(spec_prop_pass.ExportPass, executorch_passes_fuzz._described)

    def test_a_planner_that_frees_too_early(self):
        """Found in a plan that is of many programs, and one of them is convicted, whose run differs."""
        from executorch.exir.memory_planning import greedy

        def hasty(alignment, specs, *more, **options):
            for spec in specs:
                spec.lifetime = [spec.lifetime[0], max(spec.lifetime[0], spec.lifetime[1] - 2)]
            return greedy(alignment, specs, *more, **options)
        found = noclobber.executorch.fuzz_passes(planners=(greedy, hasty), count=10, profiles=["pointwise"], reduction=30, out=self.folder)
        self.convicted(found, runs_differ=False)
        self.assertTrue(all(c["cause"].startswith("plan; ") for c in found.causes), found)
        self.assertTrue(any(c["differs"] for c in found.causes), found)

    def test_planners_that_put_results_in_place(self):
        """The careful one is not convicted of a plan, nor does what it plans run otherwise; what the released reinplacing pass does is known."""
        import inplace_planner
        from executorch.exir.memory_planning import greedy

        def found_of(planner, count):
            return noclobber.executorch.fuzz_passes(planners=(greedy, planner), count=count, profiles=["pointwise"], reduction=4, out=self.folder / planner.__name__,
                                                    known=lambda what, cause: "reinplace; " in cause)
        right, wrong = found_of(inplace_planner.in_place, 20), found_of(inplace_planner.in_place_anyhow, 5)
        self.assertFalse(right.causes, right)
        self.assertTrue(all(c["cause"].startswith("plan; plan-overlap") for c in wrong.causes), wrong)
        self.assertTrue(any(c["differs"] for c in wrong.causes), wrong)

    def test_write_back_that_forgets(self):
        """Of the copies that write-back makes the last is dropped."""
        from executorch.exir.program import _program

        right = _program.insert_write_back_for_buffers_pass

        def forgets(program):
            module, signature = right(program)
            copies = [n for n in module.graph.nodes if str(n.target).startswith("aten.copy_")]
            for node in copies[-1:]:
                node.replace_all_uses_with(node.args[1])
                module.graph.erase_node(node)
            return module, signature
        with mock.patch.object(_program, "insert_write_back_for_buffers_pass", forgets):
            found = noclobber.executorch.fuzz_passes(count=8, profiles=["writes"], reduction=30, out=self.folder)
        self.convicted(found, runs_differ=False)

    def test_a_run_that_ends_the_process_is_no_run(self):
        """Seed 271 of `views`: the kernel of `sum` over the first dimension of a number that has none."""
        from noclobber import drawn, executorch_passes_fuzz
        from noclobber.compile_fuzz import Program
        from noclobber.together import Batch

        subject = executorch_passes_fuzz.Passes()
        with mock.patch.object(subject, "_run", lambda made: os.abort()):
            self.assertEqual(subject.suspects(Batch((Program(1, ("v0 = x.sin()",), ("v0",)),))), ([], ""))
        self.assertEqual(subject.not_run, 1)
        self.assertTrue(drawn.re.search(subject.refused, "v2 = s.sum(0)"))


class Thunder(Campaigns):
    def test_whole_compilations(self):
        self.clean(noclobber.thunder.fuzz_jit(count=15, out=self.folder), 10)

    def test_a_gradient_that_nobody_asked_for_is_none(self):
        """Thunder lets an output ask for gradients that depends on no leaf: they are zero."""
        self.clean(noclobber.thunder.fuzz_jit(seed=1051, count=1, out=self.folder), 1)

    def test_an_operator_without_a_gradient_is_not_taken(self):
        """A watched program with remainder_: Thunder says that it knows no gradient."""
        self.assertEqual(noclobber.thunder.fuzz_jit(seed=2, count=1, out=self.folder).skipped, 1)

    def test_a_transform(self):
        from thunder.core.transform_common import Transform

        self.clean(noclobber.thunder.fuzz_transform(Transform(), count=5, out=self.folder), 2)

    def test_passes_without_the_interpreter(self):
        self.clean(noclobber.thunder.fuzz_passes(count=20, out=self.folder), 17)

    def test_what_is_not_run_is_compiled_alike(self):
        """Of programs as one: the same traces, whether they are run or not, and whatever is remembered for time."""
        from noclobber import compile_fuzz, drawn, thunder_passes_fuzz, together

        drawn.leave_out(thunder_passes_fuzz.Passes.refused)
        for profile, seeds in (("views", (1, 2, 3, 4, 5, 6)), ("writes", (1, 2, 3, 4, 5))):
            drawn.draw_as(compile_fuzz.PROFILES[profile])
            batch = together.Batch(tuple(compile_fuzz.draw(seed) for seed in seeds))

            def traces(name, every, batch=batch):
                folder = self.folder / f"{len(batch.parts)}-{name}"
                subject = thunder_passes_fuzz.Passes(every=every)
                subject.record(batch, folder)
                self.assertEqual(subject.sides(batch) is None, every > 1)
                return {p.name: numbered(re.sub(r"took \d+", "took N", p.read_text())) for p in folder.glob("*")}

            def numbered(text):
                known = {}
                return re.sub(r"\bt\d+\b", lambda found: known.setdefault(found[0], f"t{len(known)}"), text)
            ran = traces("run", 1)
            self.assertEqual(ran, traces("not run", 2))
            with mock.patch.object(thunder_passes_fuzz, "_quickly", contextlib.nullcontext):
                self.assertEqual(ran, traces("slowly", 1))

    def test_the_first_trace_is_that_of_the_interpreter(self):
        """Up to names, and results that are arguments nobody computes with."""
        import thunder
        from noclobber import compile_fuzz, drawn, thunder_fuzz, thunder_passes_fuzz

        drawn.leave_out(thunder_passes_fuzz.Passes.refused)
        drawn.draw_as(drawn.Mixture())

        def operators(subject, made):
            subject.record(made, self.folder / f"{subject.name}-{made.seed}")
            return [b.sym.id for b in thunder.last_traces(subject.compiled)[0].bound_symbols]
        for seed in range(1, 9):
            made = compile_fuzz.draw(seed)
            whole, ours = (operators(subject, made) for subject in (thunder_fuzz.Jit(), thunder_passes_fuzz.Passes()))
            kept = [i for i in ours if i in whole]
            self.assertEqual([i for i in whole if i in kept], kept, made.text)

    def test_a_removal_of_dead_code_that_removes_writes(self):
        from thunder.core.transform_common import dce

        def removes(trace, *more):
            found = dce(trace, *more)
            found.bound_symbols = [b for b in found.bound_symbols if not str(b.sym.id).endswith("_") or b is found.bound_symbols[-1]]
            return found
        with mock.patch("thunder.dce", removes):
            found = noclobber.thunder.fuzz_passes(count=20, profiles=["writes"], reduction=30, out=self.folder)
        lost = [c for c in found.causes if "dead-code-elimination; lost-mutation" in c["cause"]]
        self.assertTrue(lost, found)
        self.assertTrue(all(c["differs"] for c in lost), found)


if __name__ == "__main__":
    which = sys.argv.pop(1)
    tests = unittest.defaultTestLoader.loadTestsFromTestCase({"torch": Torch, "executorch": Executorch, "thunder": Thunder}[which])
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(tests).wasSuccessful())
