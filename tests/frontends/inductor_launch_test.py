#!/usr/bin/env python3
"""`noclobber run` with PyTorch itself: inductor_launch_test.py

Needs torch 2.15.0 (`make test-inductor` installs it). Kernels are made and not compiled.
"""
from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

BIN = pathlib.Path(os.environ["NOCLOBBER_BIN"]).resolve()
BEGIN = """
import torch
from torch._inductor import async_compile
async_compile.AsyncCompile.cpp_pybinding = lambda *_, **__: (lambda *_, **__: None)
torch.set_num_threads(1)
"""
TRAINS = """
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
torch.compile(model)(torch.randn(3, 4)).sum().backward()
"""
FALLS_BACK = """
torch._dynamo.config.suppress_errors = True
def refuses(module, inputs):
    raise RuntimeError("refused")
def left_alone(x):
    return x.sin() + 1
print(torch.compile(left_alone, backend=refuses)(torch.randn(3)).shape)
"""
WRONG = """
def put_rows(y):
    y[0] = 1
    copy = y.clone()
    y.zero_()
    return copy
torch.compile(put_rows)(torch.ones(4, 5))
"""


class Launched(unittest.TestCase):
    def run_it(self, text, *options):
        with tempfile.TemporaryDirectory(prefix="nc_launch_") as folder:
            program = pathlib.Path(folder) / "train.py"
            program.write_text(BEGIN + textwrap.dedent(text))
            ran = subprocess.run([BIN / "noclobber", "run", *options, "--", sys.executable, program], capture_output=True, text=True,
                                 timeout=900, cwd=folder, env={**os.environ, "TMPDIR": folder})
            left = [p.name for p in pathlib.Path(folder).glob("noclobber_*")]
        return ran.returncode, ran.stdout, ran.stderr, left

    def test_training_is_judged_with_its_backward(self):
        code, out, err, left = self.run_it(TRAINS + FALLS_BACK)
        self.assertEqual(code, 0, out + err)
        self.assertIn("forward with backward 1", out)
        self.assertIn("post-grad passes 2", out)
        self.assertIn("left_alone", out)
        self.assertIn("runs uncompiled", out)
        self.assertEqual(left, [], "everything is proved: nothing stays")

    def test_a_wrong_program(self):
        code, out, err, left = self.run_it(WRONG)
        self.assertEqual(code, 1, out + err)
        self.assertIn("error[NC001]", out)
        self.assertEqual(len(left), 1)

    def test_a_program_that_fails(self):
        code, out, err, _ = self.run_it(TRAINS + "\nraise SystemExit(3)\n")
        self.assertEqual(code, 2, out + err)
        self.assertIn("ended with exit code 3", err)
        self.assertIn("0 refuted", out)

    def test_nothing_is_compiled(self):
        code, out, err, _ = self.run_it("print(torch.ones(2))")
        self.assertEqual(code, 2, out + err)


if __name__ == "__main__":
    unittest.main()
