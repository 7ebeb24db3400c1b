#!/usr/bin/env python3
"""Compilers and their passes under test, with random programs: fuzz_test.py torch|executorch|thunder

Needs that framework and the package noclobber. Passes that are wrong in one way are convicted of it with a small program that a run
shows to differ, right ones are not.
"""
import inspect
import os
import pathlib
import subprocess
import sys
import unittest
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests")]
warnings.filterwarnings("ignore")

from in_folder import InFolder  # noqa: E402

import noclobber  # noqa: E402
import torch  # noqa: E402

IN_PLACE = {"sin": "sin_", "neg": "neg_", "abs": "abs_", "exp": "exp_"}


def overwrites(module):
    """A pass that makes functions of one tensor in place, whoever reads the tensor afterwards."""
    for node in module.graph.nodes:
        name = str(node.target).removeprefix("aten.").removesuffix(".default")
        if node.op == "call_function" and name in IN_PLACE and node.args[0].meta["val"].dtype.is_floating_point:
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
        found = noclobber.torch.fuzz_pass(overwrites, count=30, profiles=["pointwise"], reduction=40, out=self.folder)
        self.convicted(found)
        self.assertTrue(any("clobber" in c["cause"] for c in found.causes))

    def test_a_pass_that_raises(self):
        def raises(module):
            raise KeyError("no rule")
        found = noclobber.torch.fuzz_pass(raises, count=4, reduction=8, out=self.folder)
        self.assertEqual([(c["what"], c["cause"]) for c in found.causes], [("crash", "KeyError: 'no rule'")])

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


class Thunder(Campaigns):
    def test_whole_compilations(self):
        self.clean(noclobber.thunder.fuzz_jit(count=15, out=self.folder), 10)

    def test_a_gradient_that_nobody_asked_for_is_none(self):
        """Thunder lets an output ask for gradients that depends on no leaf: they are zero."""
        self.clean(noclobber.thunder.fuzz_jit(seed=1051, count=1, out=self.folder), 1)

    def test_a_transform(self):
        from thunder.core.transform_common import Transform

        self.clean(noclobber.thunder.fuzz_transform(Transform(), count=5, out=self.folder), 2)


if __name__ == "__main__":
    which = sys.argv.pop(1)
    tests = unittest.defaultTestLoader.loadTestsFromTestCase({"torch": Torch, "executorch": Executorch, "thunder": Thunder}[which])
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(tests).wasSuccessful())
