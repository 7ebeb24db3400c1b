#!/usr/bin/env python3
"""`noclobber.thunder.check` and `watch` as their users call them: every compilation, what stands beside it, the folder, what is left out.

Needs lightning-thunder 0.2.6 and the package noclobber (`make test-thunder` installs both).
"""
import json
import logging
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import warnings
from unittest import mock

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import torch

import noclobber.thunder as nt
import thunder
from noclobber import program
from thunder.core.proxies import variableify
from thunder.core.trace import from_trace
from thunder.core.transform_common import Transform

BESIDE = {"prologue.trace.txt", "epilogue.trace.txt", "inputs.json"}


def doubled(x, w):
    y = x * 2
    y.add_(1)
    return (y @ w).sin()


def given(rows=3, grad=True):
    return torch.ones(rows, 4, requires_grad=grad), torch.ones(4, 5, requires_grad=grad)


class Lost(Transform):
    """Wrong: what was written in place is not copied back."""

    def transform_traces_pre_prologue(self, prologue, computation, epilogue, **kwargs):
        lost = from_trace(computation)
        made = {variableify(b.output): b.subsymbols[0].output for b in computation.bound_symbols if b.sym.name == "mul_"}
        lost.bound_symbols = [b.subsymbols[0] if b.sym.name == "mul_" else b.from_bsym_swap_proxies(made) for b in computation.bound_symbols]
        lost.set_provenance("# Constructed by Lost")
        return prologue, lost, epilogue


def stages(records):
    return [r["stage"] for r in records]


class Hook(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="nc_hook_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        temporary = mock.patch.object(tempfile, "tempdir", str(self.folder / "temporary"))
        (self.folder / "temporary").mkdir()
        temporary.start()
        self.addCleanup(temporary.stop)

    def left(self):
        """Folders that nobody took away."""
        return [p for p in (self.folder / "temporary").iterdir() if p.name.startswith("noclobber-")]

    def names(self, *below):
        return {p.name for p in self.folder.joinpath("nc", *below).iterdir()}

    def test_every_compilation_is_checked(self):
        jfn = thunder.jit(doubled)
        jfn(*given()).sum().backward()
        jfn(*given(6, grad=False))
        jfn(*given())
        report = nt.check(jfn, out=self.folder / "nc")
        self.assertEqual({r["status"] for r in report}, {"proved"})
        self.assertEqual(self.names(), {"0", "1"})
        self.assertIn("grad-transform-pass", stages(report))
        self.assertEqual([any(n.startswith("bw") for n in self.names(k)) for k in "01"], [True, False])
        for k in "01":
            self.assertLessEqual(BESIDE, self.names(k))
        rows = [json.loads((self.folder / "nc" / k / "inputs.json").read_text())["inputs"][0]["shape"] for k in "01"]
        self.assertEqual(rows, [[3, 4], [6, 4]])
        self.assertEqual(self.left(), [])

    def test_every_compilation_is_watched(self):
        for executors in (None, []):  # with a fusion executor, and with none
            with self.subTest(executors=executors):
                shutil.rmtree(self.folder / "nc", ignore_errors=True)
                options = {} if executors is None else {"executors": executors}
                with nt.watch(out=self.folder / "nc") as seen:
                    jfn, other = thunder.jit(doubled, **options), thunder.jit(lambda a: a.exp_(), cache="no caching", **options)
                    jfn(*given()).sum().backward()
                    jfn(*given(5))
                    other(torch.ones(3))
                    other(torch.ones(3))
                self.assertEqual((len(seen), self.names()), (4, set("0123")))
                self.assertEqual([any(n.startswith("bw") for n in self.names(k)) for k in "0123"], [True, True, False, False])
                self.assertEqual([BESIDE <= self.names(k) for k in "0123"], [True] * 4)
                self.assertEqual(any("fusion" in n for n in self.names("0")), executors is None)
                self.assertEqual({r["status"] for r in program.check(self.folder / "nc")}, {"proved"})
        jfn(*given(7))  # outside of the block
        self.assertEqual(len(seen), 4)

    def test_results_are_the_same(self):
        x, w = given()
        with nt.watch(out=self.folder / "nc"):
            watched = thunder.jit(doubled)(x, w)
        torch.testing.assert_close(watched, doubled(x, w))

    def test_what_is_refuted_names_pass_and_folder(self):
        def written(x):
            x.mul_(2)
            return x + 1

        jfn = thunder.jit(written, transforms=[Lost()])
        jfn(torch.ones(3))
        with self.assertRaises(program.Refuted) as raised:
            nt.check(jfn)
        self.assertEqual(raised.exception.passes[0], "lost")
        self.assertEqual({f["rule"] for f in raised.exception.findings}, {"NC006"})
        self.assertEqual(self.left(), [raised.exception.folder])
        self.assertIn(str(raised.exception.folder), str(raised.exception))
        self.assertEqual({r["status"] for r in nt.check(jfn, fail_on=None)}, {"proved", "refuted"})
        self.assertEqual(len(self.left()), 1)
        with self.assertRaises(program.Refuted) as raised, nt.watch(out=self.folder / "nc", fail_on="refuted"):
            thunder.jit(written, transforms=[Lost()])(torch.ones(3))
        self.assertEqual(raised.exception.passes[0], "lost")

    def test_unknown_is_an_error_where_it_is_asked_for(self):
        jfn = thunder.jit(doubled)
        jfn(*given())
        unknown = [{"kind": "check", "status": "unknown", "input": "i", "id": "05_grad-transform-pass", "findings": [],
                    "unknown": [{"reason": "budget", "names": ["n"]}]}]
        with mock.patch.object(program, "check", lambda *inputs, **options: unknown):
            self.assertEqual(stages(nt.check(jfn)), ["grad-transform-pass"])
            with self.assertRaises(program.NotProved) as raised:
                nt.check(jfn, fail_on="unknown")
            self.assertEqual(stages(nt.check(jfn, fail_on=None)), ["grad-transform-pass"])
            with self.assertRaises(program.NotProved), nt.watch(out=self.folder / "nc", fail_on="unknown"):
                thunder.jit(doubled)(*given())
        self.assertIn("budget: n", str(raised.exception))
        self.assertEqual(self.left(), [raised.exception.folder])
        with self.assertRaises(ValueError), nt.watch(fail_on="unknown"):
            pass

    def test_what_is_left_out_is_said(self):
        jfn = thunder.jit(doubled)
        jfn(*given())
        for record in nt.check(jfn):
            self.assertEqual(sorted(record["unchecked"]), ["epilogue", "grad_fn of results", "prologue"])
        jfn = thunder.jit(doubled)
        jfn(*given(grad=False))
        for record in nt.check(jfn, out=self.folder / "nc"):
            self.assertEqual(sorted(record["unchecked"]), ["epilogue", "prologue"])
        text = subprocess.run([program.binary(), "check", self.folder / "nc"], capture_output=True, text=True).stdout
        self.assertIn("not checked: epilogue, prologue", text)

    def test_one_forward_with_one_backward_is_an_input(self):
        jfn = thunder.jit(doubled)
        jfn(*given())
        nt.write(jfn, self.folder / "nc")
        forward = max(n for n in self.names() if n[0].isdigit())
        backward = min(n for n in self.names() if n.startswith("bw"))
        for name in self.names() - {forward, backward, "inputs.json"}:
            (self.folder / "nc" / name).unlink()
        records = program.check(self.folder / "nc")
        self.assertEqual([(r["id"] + ".trace.txt", r["status"]) for r in records], [(forward, "proved"), (backward, "proved")])

    def test_a_compilation_that_raises_leaves_what_it_had(self):
        class Failing(Transform):
            def transform_trace_post_optimization(self, computation_trace, **kwargs):
                raise KeyError("x")

        with self.assertRaises(KeyError), nt.watch(out=self.folder / "nc"):
            thunder.jit(doubled, transforms=[Failing()])(*given())
        self.assertTrue(any("before-fusion" in n for n in self.names("0")))
        self.assertEqual(nt._watching, [])


if __name__ == "__main__":
    unittest.main()
