#!/usr/bin/env python3
"""docs/gallery.md without a browser: its pictures are there, small, and of findings that the program still has.

NC_BIN_DIR names another folder with the program. Standard library only.
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import gallery  # noqa: E402

PAGE = ROOT / "docs" / "gallery.md"


class Gallery(unittest.TestCase):
    def test_page_and_pictures(self):
        """Each picture is on the page in light and dark, with the command that makes it and a sentence; no other file is there."""
        page = PAGE.read_text(encoding="utf-8")
        files = {f"{name}.{look}.png" for name in gallery.PICTURES for look in gallery.LOOKS}
        self.assertGreaterEqual(len(gallery.PICTURES), 10)
        self.assertEqual({path.name for path in gallery.HOME.iterdir()}, files)
        self.assertEqual(set(re.findall(r'"gallery/([^"]+)"', page)), files)
        self.assertLess(sum(path.stat().st_size for path in gallery.HOME.iterdir()), gallery.MOST_BYTES)
        for part, (name, (rule, arguments)) in zip(page.split("\n## ")[1:], gallery.PICTURES.items(), strict=True):
            self.assertTrue(part.startswith(rule + ": "), name)
            self.assertIn(f"gallery/{name}.light.png", part)
            self.assertIn(f"noclobber {' '.join(arguments)} --html", part)
            self.assertEqual(part.count("\nThe eye sees "), 1)

    def test_findings(self):
        """What a picture is said to show is found, and is a cause."""
        for name, (rule, arguments) in gallery.PICTURES.items():
            with self.subTest(name):
                ran = subprocess.run([gallery.BINARY, *arguments, "--json"], cwd=ROOT, capture_output=True, timeout=120)
                self.assertEqual(ran.returncode, 1, ran.stderr)
                found = [f["rule"] for line in ran.stdout.splitlines() for f in json.loads(line).get("findings", [])
                         if "follows" not in f]
                self.assertIn(rule, found)


if __name__ == "__main__":
    unittest.main()
