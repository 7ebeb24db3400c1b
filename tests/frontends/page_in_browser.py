#!/usr/bin/env python3
"""The page in a browser (`make page-test`): no message on the console, no request, no label on another, keys and links.

Needs chromium, and fails without it. NC_BIN_DIR names another folder with the program; arguments that are files are logs or
records to be tried besides those of corpus/.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from browser import Browser  # noqa: E402

BINARY = str(pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")) / "noclobber")
INPUTS = [["corpus/logs/miscompiled"], ["corpus/logs/tlparse", "corpus/logs/sound"], ["corpus/logs/open"], ["corpus/cases"],
          ["corpus/thunder"]]

# Labels of one picture that lie on each other.
OVERLAPS = """(() => {
  const out = [];
  for (const svg of document.querySelectorAll("details[open] svg[role=img]")) {
    const boxes = [...svg.querySelectorAll("text")].map(t => [t.textContent, t.getBoundingClientRect()]);
    for (let i = 0; i < boxes.length; ++i) for (let j = 0; j < i; ++j) {
      const a = boxes[i][1], b = boxes[j][1];
      const x = Math.min(a.right, b.right) - Math.max(a.left, b.left), y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (x > 1 && y > 3) out.push(svg.id + ": " + boxes[i][0] + " / " + boxes[j][0]);
    }
  }
  return out;
})()"""


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="nc_page_")
        cls.browser = Browser().__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.folder.cleanup()

    def page_of(self, inputs):
        path = pathlib.Path(self.folder.name) / f"page{len(os.listdir(self.folder.name))}.html"
        if inputs[0].endswith(".jsonl"):
            page = subprocess.run([BINARY, "render", *inputs, "--to", "html"], cwd=ROOT, capture_output=True, timeout=600)
            path.write_bytes(page.stdout)
            return path
        subprocess.run([BINARY, "check", *inputs, "--html", str(path)], cwd=ROOT, capture_output=True, timeout=600)
        self.assertTrue(path.is_file(), inputs)
        return path

    def test_quiet_and_quick(self):
        for inputs in [*INPUTS, *([name] for name in EXTRA)]:
            with self.subTest(inputs=inputs):
                path = self.page_of(inputs)
                page = self.browser.open(path)
                self.assertEqual(page.messages, [])
                self.assertEqual(page.requests, [path.resolve().as_uri()])
                print(f"{inputs}: {path.stat().st_size} bytes, loaded in {page.load_seconds:.2f} s, worked {page.busy_seconds:.2f} s")

    def test_nothing_on_each_other(self):
        """No label lies on another, and no page is wider than its window."""
        for inputs in INPUTS[:1] + INPUTS[3:]:
            path = self.page_of(inputs)
            for width in (1280, 390):
                with self.subTest(inputs=inputs, width=width):
                    page = self.browser.open(path, width=width)
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                    self.assertEqual(page.evaluate(OVERLAPS), [])

    def test_keys(self):
        page = self.browser.open(self.page_of(INPUTS[0]))
        ids = page.evaluate("[...document.querySelectorAll('details.finding')].map(d => d.id)")
        self.assertGreater(len(ids), 2)
        for key, want in [("j", ids[0]), ("j", ids[1]), ("j", ids[2]), ("k", ids[1]), ("k", ids[0]), ("k", ids[0])]:
            page.press(key)
            self.assertEqual(page.evaluate("location.hash.slice(1)"), want)
            self.assertEqual(page.evaluate("document.activeElement.parentElement.id"), want)
        shown = "document.getElementById('%s').open" % ids[0]
        page.press("Enter")
        self.assertFalse(page.evaluate(shown))
        page.press("Enter")
        self.assertTrue(page.evaluate(shown))
        self.assertEqual(page.messages, [])

    def test_deep_links(self):
        path = self.page_of(["corpus/cases"])
        ids = self.browser.open(path).evaluate("[...document.querySelectorAll('details.finding')].map(d => d.id)")
        for anchor in (ids[1], ids[-1]):
            page = self.browser.open(path, anchor=anchor)
            self.assertTrue(page.evaluate(f"document.getElementById('{anchor}').open"))
            top = page.evaluate("new Promise(done => setTimeout(() => done(document.getElementById('%s')"
                                ".getBoundingClientRect().top), 900))" % anchor)
            self.assertLess(abs(top), 500, anchor)

    def test_records(self):
        """A script of the reader's own gets the records out of the page, as docs/page.md says."""
        path = self.page_of(INPUTS[0])
        said = (ROOT / "docs" / "page.md").read_text()
        script = said[said.index("```js\n") + 6:]
        got = self.browser.open(path).evaluate("(async () => {" + script[:script.index("```")] + "return records})()")
        want = subprocess.run([BINARY, "render", str(path), "--to", "records"], capture_output=True, timeout=600).stdout
        self.assertEqual(got.encode(), want)

    def test_dark_and_light(self):
        path = self.page_of(INPUTS[0])
        back = "getComputedStyle(document.body).backgroundColor"
        light, dark = self.browser.open(path).evaluate(back), self.browser.open(path, dark=True).evaluate(back)
        self.assertNotEqual(light, dark)
        page = self.browser.open(path)
        page.evaluate("document.getElementById('theme').click()")
        self.assertEqual(page.evaluate(back), dark)
        page.evaluate("document.getElementById('theme').click()")
        self.assertEqual(page.evaluate(back), light)


EXTRA = [argument for argument in sys.argv[1:] if os.path.exists(argument)]
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + [argument for argument in sys.argv[1:] if argument not in EXTRA], verbosity=2)
