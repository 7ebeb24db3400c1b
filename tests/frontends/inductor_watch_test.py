#!/usr/bin/env python3
"""Watches Inductor's passes: inductor_watch_test.py

Needs torch 2.15.0 and pytest (`make test-inductor` installs both). Programs are those of inductor_test.py and a few more:
what is wrong when run must be refuted at one pass, every recorded pass of a right one proved; and what is compiled must be
the same, with the same counters, whether somebody watches or not.
"""
from __future__ import annotations

import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import inductor_run
import inductor_test
import torch
from torch._dynamo.utils import counters

import noclobber
import noclobber.torch as nct

torch.set_num_threads(1)


@torch.library.custom_op("watched::double_into", mutates_args=("into",))
def double_into(into: torch.Tensor, x: torch.Tensor) -> None:
    into.copy_(x * 2)


def uses_own_operator(x, z, k):
    into = torch.zeros_like(x)
    double_into(into, x)
    return into + x,


def drops_out(x, z, k):
    return torch.nn.functional.dropout(x, 0.5).sum(),


def takes_rows(x, z, k):
    return x[k].softmax(-1), x @ x.t(), x.view(-1)[1:]


def rows_of_written(x, z, k):
    """The caller is given a view of the argument, whatever the graph returns for it."""
    x[k] = z
    return x.sin(), x[:2]


RIGHT = (uses_own_operator, takes_rows, rows_of_written, inductor_test.new_row, inductor_test.put_rows_only, inductor_test.filled_all,
         inductor_test.fresh_copy, inductor_test.times_two, inductor_test.halved_and_back)
WRONG = (inductor_test.put_rows, inductor_test.filled_row, inductor_test.kept_copy, inductor_test.times_one)

DRAWS = (drops_out,)  # `rand` as Inductor's own draws: two runs differ


class Watched(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="nc_watch_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        torch._dynamo.reset()

    def compiled(self, function, dynamic=False, make=inductor_test.inputs):
        """(results, graphs as the passes leave them, counters) of one compilation and call."""
        counters.clear()
        log = self.folder / "log"
        results = inductor_run.Compiled(function, log, dynamic)(*make(4))
        text = "".join(sorted(p.read_text() for p in log.glob("*.log")))
        for path in log.glob("*.log"):
            path.unlink()
        graphs = [p for p in text.split("\nV") if '"name": "after_post_grad_graph"' in p or '"name": "before_post_grad_graph"' in p]
        return results, [g.split("\n", 1)[1] for g in graphs], copy.deepcopy(dict(counters))

    def test_verdicts(self):
        for functions, wanted in ((RIGHT + DRAWS, {"proved"}), (WRONG, {"proved", "refuted"})):
            for function in functions:
                for dynamic in (False, True):
                    with self.subTest(function.__name__, dynamic=dynamic):
                        torch._dynamo.reset()
                        with nct.watch(self.folder / f"{function.__name__}{dynamic}") as watching:
                            self.compiled(function, dynamic)
                        self.assertEqual(watching.problems, [])
                        records = watching.run()
                        self.assertGreater(len(records) + watching.unchanged, 20)
                        said = {r["status"] for r in records if r["stage"] != "invariants"}
                        self.assertEqual(said | {"proved"}, wanted)
                        told = ["sharing"] if function is inductor_test.times_one else []  # its joint pass returns the input
                        self.assertEqual([b.split(":")[0] for b in watching.broken], told)

    def written(self, function, **config):
        """Operators of the cases that one compilation is recorded as, all of which are proved."""
        with torch._inductor.config.patch(**config), nct.watch(self.folder / function.__name__, fresh=True) as watching:
            self.compiled(function)
        self.assertEqual(watching.problems, [])
        self.assertEqual({r["status"] for r in watching.run()}, {"proved"})
        return {s["op"] for _, [path] in watching.checks for side in ("before", "after") for s in json.loads(path.read_text())[side]["steps"]}

    def test_draws_in_their_order(self):
        def draws_twice(x, z, k):
            return torch.nn.functional.dropout(torch.nn.functional.dropout(x, 0.4) + z, 0.3), torch.rand(3)
        self.assertIn("higher_order.control_deps", self.written(draws_twice, fallback_random=True))

    def test_lists_written_in_place(self):
        def adds(x, z, k):
            torch._foreach_add_([x, z], 1.0)
            return x * 2, z * 3
        self.assertIn("aten._foreach_add_.Scalar", self.written(adds))

    def test_complex_numbers(self):
        def turned(x, z, k):
            return torch.view_as_real(torch.view_as_complex(torch.stack((x, x.sin()), -1)) * 2j + (1 - 2j)).sum(0) * 1.5,
        self.assertIn("aten.view_as_real.default", self.written(turned))

    def test_draws_of_a_checkpoint(self):
        weight = torch.ones(1, requires_grad=True)

        def drawn_again(x, z, k):
            def block(y):
                kept = torch.nn.functional.dropout(y.sin(), 0.5)
                put = torch.zeros_like(kept)
                put[:1] = kept[:1]
                return put * kept
            return torch.utils.checkpoint.checkpoint(block, x * weight, use_reentrant=False).sum(),
        for fallback in (False, True):
            torch._dynamo.reset()
            self.assertIn("higher_order.run_and_save_rng_state", self.written(drawn_again, fallback_random=fallback))

    def test_regions_that_write(self):
        @torch.compiler.nested_compile_region
        def region(a, b):
            a.add_(b)
            return a.cos()

        def called_twice(x, z, k):
            own = x.sin()
            return region(own, x) + region(own, x), own
        self.assertIn("higher_order.invoke_subgraph", self.written(called_twice))

        def branched(x, z, k):
            def one(a):
                a.mul_(2)
                return a.cos()

            def other(a):
                a.add_(1)
                return a.sin()
            own = x.sin()
            return torch.cond(x.sum() > 0, one, other, (own,)), own
        torch._dynamo.reset()
        with torch.no_grad():
            self.assertIn("higher_order.cond", self.written(branched))

    def test_nothing_is_changed(self):
        for function in RIGHT + WRONG + DRAWS:
            for dynamic in (False, True):
                with self.subTest(function.__name__, dynamic=dynamic):
                    torch._dynamo.reset()
                    alone = self.compiled(function, dynamic)
                    torch._dynamo.reset()
                    with nct.watch(self.folder / "nc"):
                        watched = self.compiled(function, dynamic)
                    self.assertTrue(alone[1])
                    self.assertEqual(alone[1], watched[1])
                    self.assertEqual(alone[2], watched[2])
                    if function is not drops_out:
                        self.assertTrue(all(map(torch.equal, alone[0], watched[0])))

    def test_what_is_remembered_is_as_written_anew(self):
        """A step is taken over only where it would be written again as it is, and a plain call has a quicker way."""
        exported, seen = nct._exported, [0, 0]

        def both(module, memory=None):
            remembered, anew = exported(module, memory), exported(module)
            steps = remembered.graph["steps"]
            self.assertEqual(json.dumps(remembered.graph), json.dumps(anew.graph))
            self.assertEqual(remembered.written, anew.written)
            seen[0] += memory is not None
            seen[1] += sum(step is known for step in steps for known in before.get(module, ()))
            before[module] = steps
            return remembered

        before: dict = {}
        with unittest.mock.patch.object(nct, "_exported", both):
            for function in (*RIGHT, *WRONG, *DRAWS):
                for dynamic in (False, True):
                    torch._dynamo.reset()
                    before.clear()
                    with nct.watch(self.folder / f"{function.__name__}{dynamic}", fresh=True) as watching:
                        self.compiled(function, dynamic)
                    self.assertEqual(watching.problems, [])
        self.assertGreater(seen[0], 40)
        self.assertGreater(seen[1], 20, "steps are taken over")

    def test_the_hooks_are_gone_afterwards(self):
        from torch._inductor import compile_fx, pattern_matcher
        from torch.fx.passes.graph_transform_observer import GraphTransformObserver as Observer

        before = (compile_fx._recursive_post_grad_passes, Observer.__enter__, torch.fx.Graph.eliminate_dead_code,
                  pattern_matcher.GraphPatternEntry.apply)
        with self.assertRaises(KeyError), nct.watch(self.folder):
            raise KeyError
        self.assertEqual(before, (compile_fx._recursive_post_grad_passes, Observer.__enter__,
                                  torch.fx.Graph.eliminate_dead_code, pattern_matcher.GraphPatternEntry.apply))
        self.assertTrue((self.folder / "recording.json").exists())

    def test_the_pass_is_named_and_the_folder_kept(self):
        with self.assertRaises(noclobber.Refuted) as raised, nct.watch(self.folder / "nc", fail_on="refuted"):
            self.compiled(inductor_test.put_rows)
        self.assertIn("reinplace_inplaceable_ops", raised.exception.passes[0])
        self.assertEqual(raised.exception.folder, self.folder / "nc")
        self.assertTrue(list((self.folder / "nc").glob("*.case.json")))

    def test_strict(self):
        with self.assertRaises(noclobber.program.NotProved), nct.watch(self.folder / "nc", fail_on="unknown", strict=True):
            self.compiled(inductor_test.fresh_copy)

    def test_a_pass_of_the_user_is_named(self):
        def swaps(graph):
            for node in graph.nodes:
                if node.target is torch.ops.aten.sub.Tensor:
                    node.args = node.args[::-1]

        from torch._inductor import config

        with config.patch(post_grad_custom_pre_pass=swaps), nct.watch(self.folder / "nc") as watching:
            self.compiled(lambda x, z, k: (x - z,))
        refuted = [r for r in watching.run() if r["status"] == "refuted"]
        self.assertEqual([r["findings"][0]["pass"] for r in refuted], ["post_grad_custom_pre_pass"])

    def test_what_would_be_too_large_is_named(self):
        with nct.watch(self.folder / "nc", most_bytes=1) as watching:
            self.compiled(inductor_test.put_rows)
        self.assertEqual(watching.checks, [])
        self.assertIn("1 bytes at most", watching.problems[0])
        self.assertEqual(noclobber.program.worst(watching.run()), "unknown")

    def artifacts(self, log):
        """(name, what the log's header says, content) of what noclobber has written into PyTorch's log."""
        parts = [part.partition("\n") for path in log.glob("*.log") for part in path.read_text().split("\nV")]
        heads = [(json.loads(head[head.index("{"):]), payload) for head, _, payload in parts if '"name": "noclobber' in head]
        return [(about["artifact"]["name"], about, json.loads(payload)) for about, payload in heads]

    def test_findings_are_artifacts_of_the_log(self):
        def writes(graph):
            sine = next((n for n in graph.nodes if n.target is torch.ops.aten.sin.default), None)
            if sine is not None:
                sine.target = torch.ops.aten.sin_.default

        from torch._inductor import config

        rows = ((inductor_test.put_rows, {}, "refuted"), (lambda x, z, k: (x + z).sin(), {"post_grad_custom_pre_pass": writes}, "proved"))
        for number, (function, settings, status) in enumerate(rows):
            with self.subTest(status):
                log = self.folder / f"log{number}"
                with config.patch(**settings), nct.watch(self.folder / f"nc{number}") as watching:
                    inductor_run.Compiled(function, log)(*inductor_test.inputs(4))
                inductor_run._log_into(str(log))
                records = watching.run()
                inductor_run._log_into(tempfile.gettempdir())
                found = {name: (about, content) for name, about, content in self.artifacts(log)}
                about, content = found["noclobber"]
                self.assertEqual((about["frame_id"], about["frame_compile_id"]), (0, 0))
                self.assertEqual(content["checked"], len([r for r in records if r["stage"] != "invariants"]))
                self.assertEqual([p["findings"][0]["rule"] for p in content["passes"]], ["NC001"] if status == "refuted" else [])
                broken = found.get("noclobber_broken_invariant", (about, {"broken": []}))
                self.assertEqual(broken[1]["broken"], watching.broken)
                self.assertEqual((broken[0]["frame_id"], bool(watching.broken)), (0, bool(settings)))
                self.assertTrue(noclobber.program.check(log), "what is not PyTorch's is passed by")

    def test_two_modules(self):
        kept = []

        def keeps(module, inputs):
            return torch._dynamo.backends.common.aot_autograd(fw_compiler=lambda m, _: kept.append(m) or m)(module, inputs)

        torch.compile(lambda x: (x * 2).sin(), backend=keeps)(torch.ones(3))
        before, after = copy.deepcopy(kept[0]), copy.deepcopy(kept[0])
        nct.assert_noclobber(before, after)
        for node in after.graph.nodes:
            if node.target is torch.ops.aten.sin.default:
                node.target = torch.ops.aten.sin_.default
        nct.assert_noclobber(before, after)
        for node in after.graph.nodes:
            if node.target is torch.ops.aten.sin_.default:
                node.args = (next(n for n in after.graph.nodes if n.op == "placeholder"),)
        with self.assertRaises(noclobber.Refuted):
            nct.assert_noclobber(before, after)

    def test_pytest(self):
        (self.folder / "test_it.py").write_text(textwrap.dedent("""
            import torch
            def rows(y):
                y[0] = 1
                copy = y.clone()
                y.zero_()
                return copy
            def test_wrong():
                torch.compile(rows, backend=backend)(torch.ones(4, 5))
            def test_right():
                torch.compile(lambda y: y.sin() * 2, backend=backend)(torch.ones(4, 5))
            def test_nothing():
                pass
            import inductor_run
            def backend(graph, inputs):
                return inductor_run.backend(graph, inputs)
        """))
        paths = [str(pathlib.Path(__file__).resolve().parent), os.environ.get("PYTHONPATH", "")]
        ran = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "noclobber.pytest_plugin", "--noclobber",
                              "--noclobber-out", str(self.folder / "kept"), str(self.folder / "test_it.py")],
                             capture_output=True, text=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)})
        self.assertIn("1 failed, 2 passed", ran.stdout, ran.stdout + ran.stderr)
        self.assertIn("reinplace_inplaceable_ops", ran.stdout)
        self.assertTrue(list((self.folder / "kept").rglob("*.case.json")))

    def test_real_kernels_are_the_same(self):
        from torch._inductor import config
        from torch._inductor.utils import run_and_get_code

        def f(x):
            x[0] = 1
            return x.softmax(-1) + 1

        codes = []
        for watched in (False, True):
            torch._dynamo.reset()
            with config.patch(force_disable_caches=True):
                if watched:
                    with nct.watch(self.folder / "nc", fail_on="unknown"):
                        codes.append(run_and_get_code(torch.compile(f), torch.ones(4, 5)))
                else:
                    codes.append(run_and_get_code(torch.compile(f), torch.ones(4, 5)))
        self.assertTrue(torch.equal(codes[0][0], codes[1][0]))
        without_number = [[re.sub(r"AOT ID: \['\d+_", "", c) for c in code] for _, code in codes]
        self.assertEqual(without_number[0], without_number[1])


if __name__ == "__main__":
    unittest.main()
