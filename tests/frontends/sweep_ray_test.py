#!/usr/bin/env python3
"""noclobber sweep --runner ray: ten workers of which three are killed say what one process says.

    sweep_ray_test.py [SEEDS [LOGS]]    how many seeds and logs (60, 12): the corpus's own logs, each of them several times
"""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SEEDS, LOGS = (int(sys.argv[k]) if len(sys.argv) > k else default for k, default in ((1, 60), (2, 12)))
WORKERS, KILLED, RESUMED = 10, 3, 2


def workers_of_ray():
    """Process numbers of workers that run a shard."""
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    return [int(line.split()[0]) for line in listed.splitlines() if "ray::work" in line and "ps -eo" not in line]


class Ray(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory(prefix="nc_test_")
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        self.manifest = self.folder / "manifest.jsonl"
        logs = sorted(path for path in (ROOT / "corpus/logs").rglob("*.log*") if path.is_file())
        self.assertTrue(logs)
        lines = []
        for k in range(LOGS):  # copies have names of their own
            copy = self.folder / f"{k}-{logs[k % len(logs)].name}"
            copy.write_bytes(logs[k % len(logs)].read_bytes())
            lines.append(copy.name)
        lines.append(json.dumps({"fuzz": {"start": 1, "count": SEEDS}}))
        self.manifest.write_text("\n".join(lines) + "\n")

    def command(self, out, *options):
        return [sys.executable, "-m", "noclobber.sweep", self.manifest, "--out", self.folder / out, "--seeds", "20", *options]

    def sweep(self, out, *options):
        return subprocess.run(self.command(out, *options), stdout=subprocess.PIPE, text=True, timeout=3600)

    def records(self, out):
        return (self.folder / out / "records.jsonl").read_text()

    def test_workers_that_are_killed_change_nothing(self):
        one = self.sweep("one", "--jobs", "1")
        self.assertIn(one.returncode, (0, 1, 3))
        random.seed(1)
        killed = 0
        with subprocess.Popen(self.command("ray", "--runner", "ray", "--jobs", str(WORKERS)), stdout=subprocess.PIPE,
                              text=True) as running:
            while running.poll() is None and killed < KILLED:
                if workers := workers_of_ray():
                    os.kill(random.choice(workers), signal.SIGKILL)
                    killed += 1
                time.sleep(random.uniform(0.1, 2))
            said, _ = running.communicate(timeout=3600)
        self.assertEqual(killed, KILLED, said)
        self.assertEqual(running.returncode, one.returncode, said)
        self.assertIn(", 0 lost)", said)
        self.assertEqual(self.records("one"), self.records("ray"))
        print(one.stdout, said, f"{killed} workers killed", sep="")

    def test_a_driver_that_is_killed_twice_resumes(self):
        one = self.sweep("one", "--jobs", "1")
        for share in range(1, RESUMED + 1):
            with subprocess.Popen(self.command("cut", "--jobs", "2"), stdout=subprocess.DEVNULL) as running:
                want = share * (LOGS + SEEDS // 20) // (RESUMED + 1)
                while running.poll() is None and len(list((self.folder / "cut").glob("results/*.json"))) < want:
                    time.sleep(0.02)
                running.kill()
        resumed = self.sweep("cut", "--runner", "ray", "--jobs", "2")
        self.assertEqual(resumed.returncode, one.returncode)
        self.assertNotIn("(0 kept", resumed.stdout)
        self.assertEqual(self.records("one"), self.records("cut"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
