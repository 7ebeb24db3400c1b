#!/usr/bin/env python3
"""`noclobber.executorch.check` and `watch` as their users call them: names of passes, one lowering, the configuration, the folder.

Needs executorch 1.5.1 and the package noclobber (`make test-executorch` installs both).
"""
import copy
import logging
import pathlib
import shutil
import tempfile
import unittest
import warnings
from unittest import mock

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import torch
from executorch.exir import EdgeCompileConfig, EdgeProgramManager, ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower
from executorch.exir.dialects._ops import ops
from executorch.exir.pass_base import ExportedProgramPassBase, ExportedProgramPassResult, PassResult
import executorch.exir.passes.reinplace as reinplace
from executorch.exir.passes import MemoryPlanningPass

import noclobber.executorch as nx
from noclobber import program

EDGE = EdgeCompileConfig(_check_ir_validity=False)
LATER = ["write-back", "view-elision", "out-variants", "plan", "end-to-end", "program"]


class Adds(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(2, 4))

    def forward(self, x):
        self.seen.add_(x)
        return torch.relu(x + self.seen), x * 2


def exported():
    return torch.export.export(Adds().eval(), (torch.ones(2, 4),), strict=False)


def edge():
    return to_edge(exported(), compile_config=EDGE)


def negated(module):
    """Wrong: what was relu is a negation."""
    for node in module.graph.nodes:
        if node.op == "call_function" and "relu" in str(node.target):
            node.target = ops.edge.aten.neg.default
    module.recompile()
    return PassResult(module, True)


def seen_again(module):
    """Right: sums go through a copy of theirs."""
    for node in list(module.graph.nodes):
        if node.op == "call_function" and "aten.add.Tensor" in str(node.target):
            with module.graph.inserting_after(node):
                made = module.graph.call_function(ops.edge.aten.view_copy.default, (node, [2, 4]))
            made.meta = copy.copy(node.meta)
            node.replace_all_uses_with(made)
            made.args = (node, [2, 4])
    module.recompile()
    return PassResult(module, True)


class Products(torch.nn.Module):
    """Three receivers: a buffer and two outputs."""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(2, 4))

    def forward(self, x, y):
        self.seen.add_(x)
        return x * y, x - self.seen


def returned(change):
    """A pass that changes the list of what is returned, whose specs stay; its name is that of `change`."""
    def changed(module):
        output = next(n for n in module.graph.nodes if n.op == "output")
        output.args = (tuple(change(list(output.args[0]))),)
        module.graph.eliminate_dead_code()
        module.recompile()
        return PassResult(module, True)

    changed.__name__ = change.__name__
    return changed


def exchanged(outputs): return [outputs[0], outputs[2], outputs[1]]
def mutation_returned(outputs): return [outputs[1], outputs[0], outputs[2]]
def doubled(outputs): return [outputs[0], outputs[2], outputs[2]]
def dropped(outputs): return outputs[:2]
def mutation_dropped(outputs): return outputs[1:]


def renamed(module):
    """Right: what is returned comes of new nodes."""
    for node in list(module.graph.nodes):
        if node.op == "call_function":
            with module.graph.inserting_after(node):
                made = module.graph.call_function(node.target, node.args, node.kwargs)
            made.meta = copy.copy(node.meta)
            node.replace_all_uses_with(made)
            module.graph.erase_node(node)
    module.recompile()
    return PassResult(module, True)


def nothing(module):
    return PassResult(module, True)  # so it says


class Negated(ExportedProgramPassBase):
    def call(self, exported_program):
        negated(exported_program.graph_module)
        return ExportedProgramPassResult(exported_program, True)


def stages(report):
    return [(r["stage"], r["status"]) for r in report]


class Hook(unittest.TestCase):
    def setUp(self):
        self.transform = EdgeProgramManager.transform
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="nc_hook_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        temporary = mock.patch.object(tempfile, "tempdir", str(self.folder / "temporary"))
        (self.folder / "temporary").mkdir()
        temporary.start()
        self.addCleanup(temporary.stop)

    def left(self):
        """Folders that nobody took away."""
        return [p for p in (self.folder / "temporary").iterdir() if p.name.startswith("noclobber-")]

    def watched(self, transform_passes, **config):
        with nx.watch(self.folder / "nc") as watching:
            made = to_edge_transform_and_lower(exported(), transform_passes=transform_passes, compile_config=EDGE)
            made.to_executorch(ExecutorchBackendConfig(**config))
        self.assertEqual(watching.problems, [])
        return watching, watching.run()

    def test_what_is_right_is_lowered_once(self):
        given, own = edge(), EdgeProgramManager.to_executorch
        with mock.patch.object(EdgeProgramManager, "to_executorch", autospec=True, side_effect=own) as lowering:
            report = nx.check(given)
        self.assertEqual((lowering.call_count, stages(report)), (1, [(s, "proved") for s in LATER]))
        self.assertEqual(bytes(report.lowered.buffer), bytes(given.to_executorch().buffer))
        self.assertEqual(self.left(), [])

    def test_a_pass_of_the_edge_dialect_has_its_name(self):
        watching, report = self.watched([nothing, seen_again, negated])
        self.assertEqual(stages(report), [("seen_again", "proved"), ("negated", "refuted"), *((s, "proved") for s in LATER)])
        self.assertGreaterEqual(watching.unchanged, 1)
        self.assertTrue((self.folder / "nc" / "02_negated.forward.case.json").exists())

    def test_outputs_that_a_pass_moves_are_named(self):
        program = torch.export.export(Products().eval(), (torch.ones(2, 4), torch.ones(2, 4)), strict=False)
        for change in (exchanged, mutation_returned, doubled, dropped, mutation_dropped):
            with self.subTest(change.__name__), nx.watch(self.folder / change.__name__) as watching:
                to_edge_transform_and_lower(program, transform_passes=[returned(change)], compile_config=EDGE)
            first = watching.run()[0]
            self.assertEqual((first["stage"], first["status"], watching.problems), (change.__name__, "refuted", []))
            self.assertEqual([f["rule"] for f in first["findings"] if not f.get("follows")], ["NC022"], change.__name__)
        with nx.watch(self.folder / "right") as watching:
            to_edge_transform_and_lower(program, transform_passes=[renamed], compile_config=EDGE).to_executorch()
        self.assertEqual({r["status"] for r in watching.run()}, {"proved"})

    def test_a_pass_of_programs_has_its_name(self):
        _, report = self.watched([Negated()])
        self.assertEqual(stages(report)[0], ("Negated", "refuted"))

    def test_a_pass_of_the_configuration_has_its_name(self):
        with self.assertRaises(program.Refuted) as raised:
            nx.check(edge(), ExecutorchBackendConfig(passes=[seen_again, negated]))
        self.assertEqual(raised.exception.passes[0], "negated")
        self.assertEqual(self.left(), [raised.exception.folder])
        self.assertIn(str(raised.exception.folder), str(raised.exception))
        self.assertTrue((raised.exception.folder / "program.pte").exists())

    def test_methods_have_their_names(self):
        with nx.watch(self.folder / "nc") as watching:
            both = to_edge_transform_and_lower({"one": exported(), "other": exported()}, transform_passes={"other": [negated]}, compile_config=EDGE)
            both.to_executorch()
        refuted = [p.name for p in (self.folder / "nc").glob("*_negated.*")]
        self.assertEqual((watching.problems, refuted), ([], ["01_negated.other.case.json"]))

    def test_passes_that_raise_are_left_as_they_were(self):
        def failing(module):
            raise KeyError("x")

        given = [nothing, failing]
        with self.assertRaises(Exception), nx.watch(self.folder / "nc"):
            to_edge_transform_and_lower(exported(), transform_passes=given, compile_config=EDGE)
        self.assertEqual(given, [nothing, failing])
        self.assertIs(EdgeProgramManager.transform, self.transform)

    def test_the_configuration_is_left_alone(self):
        config = ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(share_mutable_buffers=True))
        for _ in range(2):
            self.assertEqual({s for _, s in stages(nx.check(edge(), config))}, {"proved"})
        self.assertEqual(config.memory_planning_pass.state.graph_modules, [])
        self.assertGreater(len(edge().to_executorch(config).buffer), 0)

    def test_operators_to_put_in_place_are_those_of_the_configuration(self):
        """A lowering without them would be proved whatever the pass does."""
        class Sums(torch.nn.Module):
            def forward(self, x, y):
                made = torch.exp(x)
                return made + y, made * y

        sums = to_edge(torch.export.export(Sums(), (torch.ones(3, 4), torch.ones(3, 4))), compile_config=EDGE)
        config = ExecutorchBackendConfig(run_reinplace_pass=True, reinplace_extra_ops=frozenset({ops.edge.aten.mul.Tensor}))
        made = nx.check(sums, config, out=self.folder / "right", fail_on=None)
        self.assertIn(("reinplace", "proved"), stages(made))
        self.assertIn("aten.mul_.Tensor", (self.folder / "right" / "01_reinplace.forward.case.json").read_text())
        wrong = frozenset({ops.edge.aten.add.Tensor})
        with mock.patch.object(reinplace, "_is_safe_to_reinplace", lambda *_: True):
            with self.assertRaisesRegex(program.Refuted, "reinplace"):
                nx.check(sums, ExecutorchBackendConfig(run_reinplace_pass=True, reinplace_extra_ops=wrong))

    def test_unknown_is_an_error_where_it_is_asked_for(self):
        unknown = [{"kind": "check", "status": "unknown", "input": "i", "stage": "plan", "findings": [], "unknown": [{"reason": "budget", "names": ["n"]}]}]
        with mock.patch.object(nx.Recorder, "run", lambda self: unknown):
            self.assertEqual(stages(nx.check(edge())), [("plan", "unknown")])
            with self.assertRaises(program.NotProved) as raised:
                nx.check(edge(), fail_on="unknown")
            self.assertEqual(stages(nx.check(edge(), fail_on=None)), [("plan", "unknown")])
            with self.assertRaises(program.NotProved), nx.watch(self.folder / "nc", fail_on="unknown"):
                edge().to_executorch()
        self.assertIn("budget: n", str(raised.exception))
        self.assertEqual(len(self.left()), 1)
        self.assertIn(str(self.left()[0]), str(raised.exception))


if __name__ == "__main__":
    unittest.main()
