#!/usr/bin/env python3
"""Random pairs of views: proved to be apart, or refuted, exactly where enumeration says so."""
import os, pathlib, re, subprocess, sys, unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class ViewPairs(unittest.TestCase):
    def test_against_enumeration(self):
        done = subprocess.run([sys.executable, ROOT / "tools" / "view_pairs.py", "--concrete", "250", "--symbolic", "150",
                               "--seed", "7"], capture_output=True, text=True, timeout=250, env=os.environ)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for kind, count in (("concrete", 250), ("symbolic", 150)):
            answered, decided, solver = map(int, re.search(
                rf"{kind}: (\d+) of \d+ pairs answered, (\d+) decided \((\d+) with", done.stdout).groups())
            self.assertEqual(answered, count)
            self.assertGreaterEqual(decided, 0.97 * count, done.stdout)
            self.assertLessEqual(solver, 0.15 * count, done.stdout)


if __name__ == "__main__":
    unittest.main()
