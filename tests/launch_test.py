#!/usr/bin/env python3
"""`noclobber run -- PROGRAM`: a program that writes the traces a compiler would write. NC_BIN_DIR names another folder
with noclobber. PyTorch is not needed."""
import gzip
import json
import os
import pathlib
import signal
import subprocess
import sys
import unittest

from in_folder import InFolder

ROOT = pathlib.Path(__file__).resolve().parents[1]
BIN = pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")).resolve()
LOGS = ROOT / "corpus" / "logs"
RIGHT, WRONG = LOGS / "sound" / "ok-sgd-foreach.log.gz", LOGS / "miscompiled" / "b198094-slice-zero.log.gz"

# A "train.py": LOG CODE. What it was told lies in told.json.
STUB = """
import gzip, json, os, pathlib, sys
log, code = sys.argv[1], int(sys.argv[2])
folder = pathlib.Path(os.environ["TORCH_TRACE"])
told = {k: v for k, v in os.environ.items() if k.startswith(("TORCH_TRACE", "TORCHINDUCTOR_"))}
pathlib.Path("told.json").write_text(json.dumps({"environment": told, "empty": not any(folder.iterdir())}))
if log != "-":
    (folder / "dedicated_log_torch_trace_1.log").write_bytes(gzip.decompress(pathlib.Path(log).read_bytes()))
if code < 0:
    os.kill(os.getpid(), -code)
sys.exit(code)
"""

METRICS = ('V0521 11:50:42.931000 17 torch/a.py:1] {"compilation_metrics": {"co_name": "step", "co_filename": "train.py", '
           '"co_firstlineno": 29, "fail_type": "Unsupported"}, "frame_id": 7, "frame_compile_id": 0, "attempt": 0}\n')


class Launched(InFolder):
    def launch(self, log, code=0, *options, stub=STUB):
        self.write("train.py", stub)
        ran = subprocess.run([BIN / "noclobber", "run", *options, "--", sys.executable, "train.py", str(log), str(code)],
                             capture_output=True, text=True, timeout=120, cwd=self.folder,
                             env={**os.environ, "TMPDIR": str(self.folder), "TORCHINDUCTOR_FX_GRAPH_CACHE": "1"})
        return ran.returncode, ran.stdout, ran.stderr

    def test_what_it_compiles_is_checked(self):
        code, out, _ = self.launch(RIGHT)
        self.assertEqual(code, 0)
        self.assertIn("2 proved", out)
        self.assertIn("judged: joint passes 1, post-grad passes 1\n", out)
        self.assertIn("2 × inputs share storage as traced", out, "PyTorch guards it nowhere, and an input is written")
        code, out, err = self.launch(WRONG)
        self.assertEqual(code, 1)
        self.assertIn("error[NC001]", out)
        folder = pathlib.Path(err.split("traces: ")[1].strip())
        self.assertTrue(any(folder.iterdir()), "what is not proved stays")

    def test_what_the_program_prints_is_kept_apart_from_records(self):
        talks = 'print("epoch 17 of 40", flush=True)\n' + STUB
        self.assertTrue(self.launch(RIGHT, stub=talks)[1].startswith("epoch 17 of 40\n"))
        for options in (["--json"], ["--output-format", "sarif"]):
            code, out, err = self.launch(RIGHT, 0, *options, stub=talks)
            self.assertEqual((code, err.splitlines()[0]), (0, "epoch 17 of 40"))
            self.assertFalse("epoch 17" in out)
        for line in self.launch(RIGHT, 0, "--json", stub=talks)[1].splitlines():
            json.loads(line)

    def test_what_the_program_is_told(self):
        self.launch(RIGHT)
        told = json.loads((self.folder / "told.json").read_text())
        self.assertTrue(told["empty"])
        folder = pathlib.Path(told["environment"].pop("TORCH_TRACE"))
        self.assertFalse(folder.exists(), "everything is proved: nothing stays")
        self.assertEqual(told["environment"], {"TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1", "TORCHINDUCTOR_FX_GRAPH_CACHE": "0",
                                               "TORCHINDUCTOR_AUTOGRAD_CACHE": "0"})

    def test_how_the_program_ends_is_said(self):
        for log, ended, want in [(RIGHT, 7, 2), (WRONG, 7, 1), (RIGHT, -9, 2), (RIGHT, 1, 2)]:
            code, _, err = self.launch(log, ended)
            self.assertEqual(code, want)
            self.assertIn(f"ended with exit code {ended if ended > 0 else 128 - ended}", err)

    def test_nothing_compiled(self):
        code, _, err = self.launch("-")
        self.assertEqual(code, 2)
        self.assertIn("compiled nothing", err)
        code, _, err = self.launch("-", 5)
        self.assertEqual(code, 2)
        self.assertIn("ended with exit code 5", err)

    def test_a_program_that_is_not_there(self):
        ran = subprocess.run([BIN / "noclobber", "run", "--", "no-such-program"], capture_output=True, text=True, timeout=60)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("no-such-program: cannot be run", ran.stderr)

    def test_a_folder_of_ones_own(self):
        code, _, _ = self.launch(RIGHT, 0, "--out", "traces")
        self.assertEqual(code, 0)
        self.assertEqual([p.name for p in (self.folder / "traces").iterdir()], ["dedicated_log_torch_trace_1.log"])
        code, _, err = self.launch(RIGHT, 0, "--out", "traces")
        self.assertEqual(code, 2)
        self.assertIn("is not empty", err)

    def test_an_interrupt_is_for_the_program(self):
        """Ctrl-C goes to everything in the terminal's foreground: the program ends by it, and what it compiled is checked."""
        self.write("train.py", STUB.replace("sys.exit(code)", "print('ready', flush=True); import time; time.sleep(60)"))
        ran = subprocess.Popen([BIN / "noclobber", "run", "--", sys.executable, "train.py", str(RIGHT), "0"], cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                               env={**os.environ, "TMPDIR": str(self.folder)})
        self.assertEqual(ran.stdout.readline(), "ready\n")
        os.killpg(ran.pid, signal.SIGINT)
        out, err = ran.communicate(timeout=120)
        self.assertIn("2 proved", out)
        self.assertRegex(err, r"ended with exit code (1|130)\b")
        self.assertEqual(ran.returncode, 2)

    def test_options_of_check(self):
        code, out, _ = self.launch(RIGHT, 0, "--json", "--only", "0")
        self.assertEqual(code, 0)
        self.assertEqual({json.loads(line)["kind"] for line in out.splitlines()}, {"check", "summary"})

    def test_frames_that_run_uncompiled_are_named(self):
        log = self.write("more.log.gz", gzip.compress(gzip.decompress(RIGHT.read_bytes()) + METRICS.encode()))
        code, out, _ = self.launch(log)
        self.assertEqual(code, 0)
        self.assertIn("step (train.py:29) runs uncompiled (Unsupported)", out)


if __name__ == "__main__":
    unittest.main()
