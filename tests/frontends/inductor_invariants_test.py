#!/usr/bin/env python3
"""What PyTorch promises of its graphs: inductor_invariants_test.py

Needs torch 2.15.0 (`make test-inductor` installs it). For each promise a pass that breaks it alone is run on a recorded
graph, and has to be named with it; the graphs themselves keep all promises.
"""
from __future__ import annotations

import tempfile
import unittest

import torch
from torch.fx.experimental.proxy_tensor import make_fx

import noclobber.torch as nct
from noclobber import fx_invariants

aten = torch.ops.aten


def updated(x, y):
    z = x.sin() + y
    w = z.view(-1)[1:]
    x.copy_(z)
    return w * 2, z


def traced(f, *args, mode="fake"):
    return make_fx(torch.func.functionalize(f), tracing_mode=mode)(*args)


def written_in_place(module):
    node = next(n for n in module.graph.nodes if n.target is aten.add.Tensor)
    node.target = aten.add_.Tensor


def computed_late(module):
    copy = next(n for n in module.graph.nodes if n.target is aten.copy_.default)
    late = next(n for n in module.graph.nodes if n.target is aten.mul.Tensor)
    copy.append(late)


def copied_twice(module):
    copy = next(n for n in module.graph.nodes if n.target is aten.copy_.default)
    with module.graph.inserting_after(copy):
        module.graph.node_copy(copy, lambda n: n)


def described_apart(module):
    view = next(n for n in module.graph.nodes if n.target is aten.view.default)
    view.meta["val"] = view.meta["val"].clone()


def described_together(module):
    node = next(n for n in module.graph.nodes if n.target is aten.add.Tensor)
    node.meta["val"] = node.args[0].meta["val"]


def given_back(x, y):
    return x.clone(), (x * 2)[0], y.sin(), y.sin()


def clone_dropped(module):
    node = next(n for n in module.graph.nodes if n.target is aten.clone.default)
    node.replace_all_uses_with(node.args[0])
    module.graph.erase_node(node)


def results_merged(module):
    one, other = (n for n in module.graph.nodes if n.target is aten.sin.default)
    other.replace_all_uses_with(one)
    module.graph.erase_node(other)


def described_as(change):
    """A pass that describes the product anew, with one thing of it changed."""
    def describes(module):
        node = next(n for n in module.graph.nodes if n.target is aten.mul.Tensor)
        with node.meta["val"].fake_mode:
            node.meta["val"] = change(node.meta["val"])
    return describes


METADATA = {
    "dtype float64, and has float32": lambda v: v.double(),
    "strides [2], and has [1]": lambda v: v.new_empty(22)[::2],
    "offset 1, and has 0": lambda v: v.new_empty(12)[1:],
    "shape [12], and has [11]": lambda v: v.new_empty(12),
    "device meta, and has cpu": lambda v: v.to("meta"),
}


def binding_lost(module):
    next(n for n in module.graph.nodes if n.meta.get("unbacked_bindings")).meta["unbacked_bindings"] = {}


def bound_twice(module):
    binding = next(n for n in module.graph.nodes if n.meta.get("unbacked_bindings"))
    with module.graph.inserting_after(binding):
        module.graph.node_copy(binding, lambda n: n)


class Invariants(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.recorder = nct.Recorder(folder.name)

    def broken_by(self, breaks, module, name="my_pass"):
        """Names of the promises that the pass `breaks` is said to break."""
        self.recorder.begin(module, "joint")
        self.assertEqual(self.recorder.broken, [])
        self.run_pass(breaks, module, name)
        self.assertEqual(self.recorder.problems, [])
        for told in self.recorder.broken:
            self.assertIn(f"/joint/{name})", told)
        return {told.split(":")[0] for told in self.recorder.broken}

    def run_pass(self, breaks, module, name):
        self.recorder.enter(module, name)
        breaks(module)
        self.recorder.leave(module)

    def test_a_pass_that_breaks_one_promise_is_named(self):
        rows = [(written_in_place, "functional"), (computed_late, "epilogue"), (copied_twice, "epilogue")]
        for breaks, promise in rows:
            with self.subTest(breaks.__name__):
                self.setUp()
                module = traced(updated, torch.randn(3, 4), torch.randn(3, 4))
                self.assertEqual(fx_invariants.broken(module), set())
                self.assertEqual(self.broken_by(breaks, module), {promise})

    def test_descriptions_share_as_operators_do(self):
        for breaks, told in ((described_apart, "view (aten.view.default) is described apart from what it is a view of"),
                             (described_together, "add (aten.add.Tensor) is described on the storage of what it is given")):
            with self.subTest(breaks.__name__):
                self.setUp()
                module = traced(updated, torch.randn(3, 4), torch.randn(3, 4))
                self.assertEqual(self.broken_by(breaks, module), set())
                unknown = [u for r in self.recorder.run() for u in r.get("unknown", [])]
                self.assertEqual([(u["reason"], u["names"]) for u in unknown], [("broken-invariant", [f"aliasing: {told}"])])

    def test_a_description_that_is_taken_over_lags_behind(self):
        """As PyTorch describes a view that stands for the product with 1 that goes: apart from its base until it is renewed."""
        lags, counts = "strides [2], and has [1]", "shape [12], and has [11]"
        for told, change in ((None, lambda val: val), (None, METADATA[lags]), (counts, METADATA[counts])):
            with self.subTest(told):
                self.setUp()
                module = traced(lambda x: x.sin().view(-1).mul(1).cos(), torch.randn(11))
                view, same = (next(n for n in module.graph.nodes if n.target is t) for t in (aten.view.default, aten.mul.Tensor))
                with same.meta["val"].fake_mode:
                    same.meta["val"] = change(same.meta["val"])

                def replaced(module):
                    view.meta["val"] = same.meta["val"]
                    same.replace_all_uses_with(view)
                    module.graph.erase_node(same)

                self.broken_by(replaced, module)
                self.assertEqual(self.recorder.broken, [f"metadata: view (aten.view.default) is described with {told} (by -/joint/my_pass)"]
                                 if told else [])
                if not told and change is not METADATA[lags]:
                    self.assertEqual([r["status"] for r in self.recorder.run() if r["kind"] == "check"], ["proved"])

    def test_outputs_share_no_more_than_they_did(self):
        for breaks, told in ((clone_dropped, "sharing: output 0 shares storage with input x_1"),
                             (results_merged, "sharing: output 3 shares storage with output 2")):
            with self.subTest(breaks.__name__):
                self.setUp()
                module = traced(given_back, torch.randn(3, 4), torch.randn(3, 4))
                self.assertEqual(self.broken_by(breaks, module), {"sharing"})
                self.assertEqual(self.recorder.broken, [f"{told} (by -/joint/my_pass)"])
                refuted = [f["rule"] for r in self.recorder.run() for f in r.get("findings", []) if f["status"] == "refuted"]
                self.assertEqual(refuted, ["NC005"])

    def test_what_shares_from_the_start_may(self):
        module = traced(lambda x, y: (x.view(-1), *x.split(2), *x.sort(), y.t()), torch.randn(3, 4), torch.randn(3, 4))
        self.assertEqual(self.broken_by(lambda m: m.graph.eliminate_dead_code(), module), set())

    def test_metadata_is_what_is_computed(self):
        for told, change in METADATA.items():
            with self.subTest(told):
                self.setUp()
                module = traced(updated, torch.randn(3, 4), torch.randn(3, 4))
                self.assertEqual(self.broken_by(described_as(change), module), {"metadata"})
                self.assertEqual(self.recorder.broken,
                                 [f"metadata: mul (aten.mul.Tensor) is described with {told} (by -/joint/my_pass)"])
        self.setUp()
        module = traced(updated, torch.randn(3, 4), torch.randn(3, 4))
        self.assertEqual(self.broken_by(described_as(torch.empty_like), module), set())

    def test_the_older_reinplacing_is_a_pass(self):
        import torch.fx.passes.reinplace as older

        def right(x):
            return x.sin().add(1).mul(2).t()

        def wrong(x):
            return x.sin().unfold(0, 2, 1).add(1)

        for function, wanted in ((right, "proved"), (wrong, "refuted")):
            with self.subTest(function.__name__), tempfile.TemporaryDirectory() as folder:
                module = traced(function, torch.randn(4, 4))
                with nct.watch(folder) as watching:
                    older.reinplace(module, torch.randn(4, 4))
                self.assertEqual((watching.problems, watching.broken), ([], []))
                self.assertEqual([(r["stage"], r["status"]) for r in watching.run()], [("-/reinplace fx_reinplace", wanted)])

    def test_unbacked_symbols(self):
        for breaks in (binding_lost, bound_twice):
            with self.subTest(breaks.__name__):
                self.setUp()
                module = traced(lambda x: x.nonzero() * 2, torch.tensor([1, 0, 2]), mode="symbolic")
                self.assertEqual(fx_invariants.broken(module), set())
                breaks(module)
                self.assertEqual({b.invariant for b in fx_invariants.broken(module)}, {"unbacked"})

    def test_nothing_changes_a_reinplaced_graph(self):
        module = traced(updated, torch.randn(3, 4), torch.randn(3, 4))
        self.recorder.begin(module, "inference")
        self.run_pass(written_in_place, module, "reinplace_inplaceable_ops_core")
        self.run_pass(computed_late, module, "decompose_auto_functionalized")
        self.assertEqual(self.recorder.broken, [])
        self.run_pass(copied_twice, module, "my_pass")
        [told] = self.recorder.broken
        self.assertTrue(told.startswith("reinplacing-last: my_pass"), told)

    def test_a_promise_is_said_to_be_broken_once(self):
        module = traced(updated, torch.randn(3, 4), torch.randn(3, 4))
        self.assertEqual(self.broken_by(written_in_place, module), {"functional"})
        self.run_pass(copied_twice, module, "another")
        self.assertEqual([told.split(":")[0] for told in self.recorder.broken], ["functional", "epilogue"])


if __name__ == "__main__":
    unittest.main()
