#!/usr/bin/env python3
"""`noclobber.fuzz`: a function of this process as the pass.

NC_BIN_DIR names another folder with the program.  Standard library only.
"""
import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
os.environ.setdefault("NOCLOBBER_BIN", os.environ.get("NC_BIN_DIR", str(ROOT / "build" / "bin")))
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests")]

import noclobber  # noqa: E402
import passes  # noqa: E402
from in_folder import InFolder  # noqa: E402


def of_graph(rewrite):
    return lambda case: case | {"after": rewrite(case["after"])}


class Fuzz(InFolder):
    def test_a_right_pass(self):
        campaign = noclobber.fuzz(of_graph(passes.reinplaced), count=30, out=self.folder).raise_if_convicted()
        self.assertGreater(campaign.proved, 20)

    def test_a_wrong_pass_and_its_small_case(self):
        with self.assertRaises(noclobber.Convicted) as caught:
            noclobber.fuzz(of_graph(passes.naive), count=25, reduction=60, out=self.folder).raise_if_convicted()
        self.assertTrue(caught.exception.campaign.cases())
        self.assertIn("made in place", str(caught.exception))

    def test_the_graph_alone_is_an_answer(self):
        self.assertFalse(noclobber.fuzz(lambda case: case["after"], count=10, out=self.folder).convicted)

    def test_what_a_pass_raises_is_a_crash(self):
        def raises(case):
            raise KeyError("no rule")
        causes = noclobber.fuzz(raises, count=3, reduction=4, out=self.folder).causes
        self.assertEqual([c["what"] for c in causes], ["crash"])
        self.assertIn("KeyError", causes[0]["cause"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
