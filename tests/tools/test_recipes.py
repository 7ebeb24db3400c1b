#!/usr/bin/env python3
"""The recipes of CONTRIBUTING.md still apply, and each of its patches is named there. `make recipes` follows them."""
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import recipes  # noqa: E402


class Recipes(unittest.TestCase):
    def test_each_patch_applies_on_top_of_those_before_it(self):
        self.assertEqual(recipes.dry(), "")

    def test_one_that_does_not_apply_is_told(self):
        held = recipes.HERE
        try:
            recipes.HERE = ROOT / "build"
            (recipes.HERE / "operator.patch").write_text((held / "operator.patch").read_text().replace("aten.isnan", "aten.isgone"))
            self.assertIn("does not apply", recipes.dry())
        finally:
            (ROOT / "build" / "operator.patch").unlink(missing_ok=True)
            recipes.HERE = held

    def test_the_page_names_each(self):
        page = (ROOT / "CONTRIBUTING.md").read_text()
        for patch in sorted((ROOT / "docs" / "recipes").glob("*.patch")):
            self.assertIn(f"docs/recipes/{patch.name}", page)
        self.assertEqual({p.stem for p in (ROOT / "docs" / "recipes").glob("*.patch")}, {name for name, _ in recipes.RECIPES})


if __name__ == "__main__":
    unittest.main()
