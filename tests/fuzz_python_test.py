#!/usr/bin/env python3
"""`noclobber.fuzz`, `fuzz_planner`, `fuzz_tables`: a function of this process as the pass or planner.

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
import planners  # noqa: E402
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


def first_fit(rows, short=0):
    """A right planner of tables; with `short` one that lets buffers go too early."""
    lives = {r.name: (r.lower, max(r.upper - short, r.lower + 1), r.size) for r in rows}
    return {name: at for name, at, _ in planners.first_fit(lives, 1)}


class Planner(InFolder):
    def test_a_right_planner(self):
        campaign = noclobber.fuzz_planner(lambda case: planners.plan("in-place", case), count=30, out=self.folder).raise_if_convicted()
        self.assertGreater(campaign.proved, 15)

    def test_a_planner_that_lets_go_too_early(self):
        with self.assertRaises(noclobber.Convicted) as caught:
            noclobber.fuzz_planner(lambda case: planners.plan("short", case), count=20, reduction=60, profiles=["plans"],
                                   out=self.folder).raise_if_convicted()
        self.assertTrue(all(case["plan"]["buffers"] for case in caught.exception.campaign.cases()))
        self.assertEqual({c["cause"].split(";")[0] for c in caught.exception.campaign.causes}, {"plan-overlap"})

    def test_tables(self):
        self.assertGreater(noclobber.fuzz_tables(first_fit, count=30, out=self.folder / "right").raise_if_convicted().proved, 20)
        wrong = noclobber.fuzz_tables(lambda rows: first_fit(rows, 1), count=10, reduction=60, out=self.folder / "wrong")
        self.assertEqual([c["cause"] for c in wrong.causes], ["plan-overlap; together"])

    def test_a_planner_that_leaves_a_buffer_out_or_gives_nothing(self):
        left = noclobber.fuzz_tables(lambda rows: {r.name: 0 for r in rows[1:]}, count=3, reduction=4, out=self.folder / "left")
        self.assertTrue(left.convicted)
        self.assertEqual(noclobber.fuzz_tables(lambda rows: None, count=3, out=self.folder / "none").skipped, 3)

    def test_what_a_planner_raises_is_a_crash(self):
        def raises(problem):
            raise KeyError("no place")
        for fuzz in (noclobber.fuzz_planner, noclobber.fuzz_tables):
            with self.subTest(fuzz=fuzz.__name__):
                causes = fuzz(raises, count=3, reduction=4, out=self.folder / fuzz.__name__).causes
                self.assertEqual([c["what"] for c in causes], ["crash"])
                self.assertIn("no place", causes[0]["cause"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
