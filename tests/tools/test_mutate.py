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
        return {m.rule for m in self.mutants if m.index == line}

    def test_each_kind_is_found_where_it_stands(self):
        self.assertEqual(self.rules_of(0) | self.rules_of(1), set())
        self.assertEqual(self.rules_of(3), {"< becomes <=", "condition turned"})
        self.assertEqual(self.rules_of(4), {"statement left out"})
        self.assertEqual(self.rules_of(5), {"<= becomes <"})

    def test_changes_of_one_line_stand_in_each_other(self):
        content, _, _ = mutate.assembled(TEXT, self.mutants)
        (line,) = [one for one in content.splitlines() if "g(a)" in one]
        self.assertEqual(line, "  if (nc_mutation::on(2) != static_cast<bool>(a < nc_mutation::at(1) + b && g(a))) return 0;")

    def test_what_is_text_is_no_code(self):
        rules = {m.rule for m in mutate.mutants_of('  return a ? "true" : "a < b + 1";\n')}
        self.assertEqual(rules, set())
        self.assertEqual({m.rule for m in mutate.mutants_of("  return a == '\"' || true;\n")} & {"true becomes false"}, {"true becomes false"})

    def test_a_statement_is_left_out_as_a_whole(self):
        content, _, _ = mutate.assembled(TEXT, [m for m in self.mutants if m.rule == "statement left out"])
        self.assertIn("{ if (!nc_mutation::on(3))   total += a; }", content)

    def test_a_comparison_inside_a_sum_is_left_alone(self):
        self.assertEqual([m.rule for m in mutate.mutants_of("  x(k + n == m, a == b + c);")], ["statement left out"])

    def test_fields_of_a_row_are_lost_or_those_of_another(self):
        row = 'OP("aten.t", .meaning = view, .view = t_rule, .drawn = Drawn::as_read, .note = "token = 1")'
        mutants = mutate.mutants_of(row, "table.def")
        self.assertEqual([m.rule for m in mutants],
                         [".meaning becomes opaque", ".view becomes nullptr", ".view becomes alias_rule", ".drawn becomes Drawn::in_order"])
        changed = mutate.changed_line(row, mutants[1:])
        self.assertIn(".view = nc_mutation::in_row(2) ? nullptr : nc_mutation::in_row(3) ? alias_rule : t_rule,", changed)
        self.assertIn(".drawn = nc_mutation::in_row(4) ? Drawn::in_order : Drawn::as_read,", changed)

    def test_the_file_keeps_its_lines_behind_the_prelude(self):
        content, at, many = mutate.assembled(TEXT, [])
        lines = content.splitlines()
        self.assertEqual(lines[:at] + lines[at + many:], TEXT.splitlines())


if __name__ == "__main__":
    unittest.main()
