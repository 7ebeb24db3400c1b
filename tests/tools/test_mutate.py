#!/usr/bin/env python3
"""mutate.py changes what it says, one change at a time, and leaves what is no code alone."""
import importlib.util
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("mutate", ROOT / "tools/mutate.py")
mutate = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(mutate)

TEXT = """#include <vector>
// a < b in a comment
int f(int a, int b) {
  if (a < b && g(a)) return 0;
  total += a;
  return a <= b;
}
"""


class Mutate(unittest.TestCase):
    def setUp(self):
        self.mutants = mutate.mutants_of(TEXT)

    def rules_of(self, line):
        return {rule for index, rule, _ in self.mutants if index == line}

    def test_each_kind_is_found_where_it_stands(self):
        self.assertEqual(self.rules_of(0) | self.rules_of(1), set())
        self.assertEqual(self.rules_of(3), {"< becomes <=", "condition turned"})
        self.assertEqual(self.rules_of(4), {"statement left out"})
        self.assertEqual(self.rules_of(5), {"<= becomes <"})

    def test_a_turned_condition_keeps_its_parentheses(self):
        (changed,) = [text for index, rule, text in self.mutants if rule == "condition turned"]
        self.assertEqual(changed.count("("), changed.count(")"))
        self.assertIn("static_cast<bool>(a < b && g(a))", changed)

    def test_rounds_hold_every_mutant_once_and_no_line_twice(self):
        rounds = mutate.rounds_of(self.mutants)
        self.assertEqual(sorted(k for one in rounds for k in one), list(range(len(self.mutants))))
        for one in rounds:
            lines = [self.mutants[k][0] for k in one]
            self.assertEqual(len(lines), len(set(lines)))

    def test_the_file_keeps_its_lines_behind_the_prelude(self):
        content, at, many = mutate.assembled(TEXT, self.mutants, [])
        lines = content.splitlines()
        self.assertEqual(lines[:at] + lines[at + many:], TEXT.splitlines())


if __name__ == "__main__":
    unittest.main()
