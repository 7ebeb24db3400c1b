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
        return {m[2] for m in self.mutants if m[1] == line}

    def test_each_kind_is_found_where_it_stands(self):
        self.assertEqual(self.rules_of(0) | self.rules_of(1), set())
        self.assertEqual(self.rules_of(3), {"< becomes <=", "condition turned"})
        self.assertEqual(self.rules_of(4), {"statement left out"})
        self.assertEqual(self.rules_of(5), {"<= becomes <"})

    def test_changes_of_one_line_stand_in_each_other(self):
        content, _, _ = mutate.assembled(TEXT, self.mutants)
        (line,) = [one for one in content.splitlines() if "g(a)" in one]
        self.assertEqual(line, "  if (nc_mutation::on(1) != static_cast<bool>(a < nc_mutation::plus(0) + b && g(a))) return 0;")

    def test_a_statement_is_left_out_as_a_whole(self):
        content, _, _ = mutate.assembled(TEXT, [m for m in self.mutants if m[2] == "statement left out"])
        self.assertIn("  if (!nc_mutation::on(2)) total += a;", content.replace("on(2))  ", "on(2)) "))

    def test_the_file_keeps_its_lines_behind_the_prelude(self):
        content, at, many = mutate.assembled(TEXT, [])
        lines = content.splitlines()
        self.assertEqual(lines[:at] + lines[at + many:], TEXT.splitlines())


if __name__ == "__main__":
    unittest.main()
