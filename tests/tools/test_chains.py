#!/usr/bin/env python3
"""Chains of tools/gen_chains.py are proved without a solver; one write displaced or left out is refuted."""
import json, os, pathlib, subprocess, sys, tempfile, unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CHECKER = pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")) / "noclobber"
sys.path.insert(0, str(ROOT / "tools"))
import gen_chains  # noqa: E402

LENGTHS = {"kv": 300, "recurrent": 300, "opaque": 300, "permuted": 300, "cat": 120, "pair": 120}


def record(case):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "case.json"
        path.write_text(json.dumps(case))
        done = subprocess.run([CHECKER, "check", "--json", path], capture_output=True, text=True, timeout=120)
        return json.loads(done.stdout.splitlines()[0])


def without_last_write(case):
    """The same case, its last write left out of `after`."""
    steps = case["after"]["steps"]
    del steps[max(k for k, step in enumerate(steps) if step["op"] == "aten.copy_.default")]
    return case


def displaced(case):
    """The same case, the last row or slice written one place off."""
    step = [s for s in case["after"]["steps"] if s["op"] in ("aten.select.int", "aten.slice.Tensor")][-1]
    step["args"][2] = max(step["args"][2] - 1, 0) if step["args"][2] else 1
    if len(step["args"]) > 3:
        step["args"][3] = step["args"][2] + 1
    return case


class Chains(unittest.TestCase):
    def test_proved_by_rule(self):
        self.assertEqual(set(LENGTHS), set(gen_chains.KINDS) - {"steps", "listed", "ordered"})
        for kind, n in LENGTHS.items():
            with self.subTest(kind=kind):
                said = record(gen_chains.KINDS[kind](n))
                self.assertEqual((said["status"], said["counts"]["by_z3"]), ("proved", 0))

    def test_a_lost_write_is_refuted(self):
        for kind in LENGTHS:
            with self.subTest(kind=kind):
                self.assertEqual(record(without_last_write(gen_chains.KINDS[kind](12)))["status"], "refuted")

    def test_a_displaced_write_is_refuted(self):
        for kind in ("kv", "recurrent", "opaque", "permuted"):
            with self.subTest(kind=kind):
                self.assertEqual(record(displaced(gen_chains.KINDS[kind](12)))["status"], "refuted")


if __name__ == "__main__":
    unittest.main()
