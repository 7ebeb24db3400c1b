#!/usr/bin/env python3
"""The page without a browser: it parses, its ids are its own, nothing is fetched, its records come out as they went in.

NC_BIN_DIR names another folder with the program. Standard library only.
"""
import base64
import html.parser
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree
import zlib

from in_folder import InFolder

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = str(pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")) / "noclobber")
INPUTS = ["corpus/logs/miscompiled", "corpus/logs/open", "corpus/cases", "corpus/thunder"]
VOID = {"meta", "br"}
MOST_BYTES = 2_000_000  # of a page of 1,000 checks


class Elements(html.parser.HTMLParser):
    """Every element with its attributes; an end that fits no begin is an error."""

    def __init__(self, text):
        super().__init__()
        self.all, self.open = [], []
        self.feed(text)
        self.close()
        if self.open:
            raise AssertionError(f"never ended: {self.open}")

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        assert len(names) == len(set(names)), (tag, attributes)
        self.all.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.all.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open, self.getpos())
        self.open.pop()


class Page(InFolder):
    def run_it(self, *arguments, **more):
        return subprocess.run([BINARY, *arguments], cwd=ROOT, capture_output=True, timeout=300, **more)

    def page_of(self, records):
        path = self.folder / "r.jsonl"
        path.write_bytes(records)
        ran = self.run_it("render", str(path), "--to", "html")
        self.assertEqual((ran.returncode, ran.stderr), (0, b""))
        return ran.stdout

    def judge(self, page, records):
        text = page.decode("utf-8", "strict")
        elements = Elements(text).all
        ids = [a["id"] for _, a in elements if "id" in a]
        self.assertEqual(len(ids), len(set(ids)))
        targets = {"#" + one for one in ids}
        for tag, a in elements:
            for name in ("src", "srcset", "data", "action", "ping"):
                self.assertNotIn(name, a, tag)
            self.assertFalse([n for n in a if n.startswith("on") or n == "style"], tag)
            if "href" in a:
                self.assertIn(a["href"], targets)
        self.assertEqual([t for t, _ in elements].count("script"), 2)
        self.assertFalse({"link", "iframe", "img", "object", "base", "form"} & {t for t, _ in elements})
        style = text[text.index("<style>"):text.index("</style>")]
        self.assertNotIn("@import", style)
        self.assertEqual(set(re.findall(r"url\([^)]*\)", style)), {"url(#hatch)"})
        for picture in re.findall(r"<svg role=.*?</svg>|<svg class=.(?:lanes|plan). role=.*?</svg>", text, re.DOTALL):
            root = xml.etree.ElementTree.fromstring(picture)
            self.assertEqual(root.get("role"), "img")
            self.assertTrue(root.get("aria-label"))
            self.assertEqual([child.tag for child in root[:2]], ["title", "desc"])
        path = self.folder / "p.html"
        path.write_bytes(page)
        back = self.run_it("render", str(path), "--to", "records")
        self.assertEqual(back.stdout, records)
        inside = re.search(r'<script type="application/zlib" id="noclobber-records">(.*?)</script>', text)[1]
        self.assertEqual(zlib.decompress(base64.b64decode(inside)), records)
        return elements, text

    def test_pages(self):
        for name in INPUTS:
            with self.subTest(input=name):
                records = self.run_it("check", name, "--json").stdout
                page = self.page_of(records)
                elements, text = self.judge(page, records)
                refuted = sum(json.loads(line).get("status") == "refuted" for line in records.splitlines())
                found = [a for t, a in elements if t == "details" and "finding" in a.get("class", "")]
                self.assertEqual(bool(found), bool(refuted))
                self.assertEqual(self.page_of(records), page)

    def test_beside_a_run(self):
        """--html writes the page of the records, whatever --jobs says, and is an input itself."""
        pages = []
        for jobs in "14":
            path = self.folder / f"{jobs}.html"
            ran = self.run_it("check", INPUTS[0], "--html", str(path), "--jobs", jobs, "--json")
            self.assertEqual(ran.returncode, 1)
            self.assertEqual(path.read_bytes(), self.page_of(ran.stdout))
            pages.append(path)
        self.assertEqual(pages[0].read_bytes(), pages[1].read_bytes())
        self.assertEqual(self.run_it("diff", *map(str, pages)).returncode, 0)
        self.assertEqual(os.listdir(self.folder).count("1.html"), 1)
        self.assertFalse([name for name in os.listdir(self.folder) if ".part" in name])
        lost = str(self.folder / "no" / "p.html")
        self.assertEqual(self.run_it("check", INPUTS[0], "--html", lost).returncode, 1, "attack 12: it hides no refutation")
        proved = next(p for p in sorted((ROOT / "corpus/cases").glob("*.accept.json")))
        self.assertEqual(self.run_it("check", proved).returncode, 0)
        self.assertEqual(self.run_it("check", proved, "--html", lost).returncode, 2)

    def test_names_cannot_become_markup(self):
        bad = "</script><script>alert(1)</script><!--\"'>&amp;\x1b"
        record = json.loads(self.run_it("check", INPUTS[0], "--json").stdout.splitlines()[1])

        def hostile(value):
            if isinstance(value, str):
                return bad
            if isinstance(value, list):
                return [hostile(one) for one in value]
            return {k: hostile(v) if k not in ("graph", "dtype") else v for k, v in value.items()} if isinstance(value, dict) else value

        kept = {"schema", "kind", "status", "rule", "counts", "properties", "fingerprint", "link"}
        for key in record:
            if key not in kept and key != "findings":
                record[key] = hostile(record[key])
        record["findings"] = [{k: v if k in kept else hostile(v) for k, v in f.items()} for f in record["findings"]]
        for finding in record["findings"]:
            finding["also_breaks"] = []
        path = self.folder / "bad.jsonl"
        path.write_text(json.dumps(record) + "\n")
        page = self.run_it("render", str(path), "--to", "html").stdout.decode()
        self.assertEqual([t for t, _ in Elements(page).all].count("script"), 2)
        self.assertNotIn("<!--", page)
        self.assertNotIn("\x1b", page)

    def thousand(self, lines, one_in):
        """Records of 1,000 checks, of which one in `one_in` is refuted, each for a cause of its own."""
        checks = [line for line in lines if line["kind"] == "check"]
        refuted = [check for check in checks if check["status"] == "refuted"]
        others = [check for check in checks if check["status"] != "refuted"]
        many = []
        for k in range(1000):
            of = refuted[k // one_in % len(refuted)] if k % one_in == 0 else others[k % len(others)]
            findings = [{**one, "fingerprint": f"{k}{one['fingerprint']}"} for one in of["findings"]]
            many.append({**of, "id": f"-_{k}_0_0/post_grad", "findings": findings})
        summary = {**lines[-1], "kind": "summary"}
        path = self.folder / "many.jsonl"
        path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in [*many, summary]))
        return self.run_it("render", str(path), "--to", "records").stdout

    def test_a_thousand_checks(self):
        """Few refuted, as in any log, or a quarter, as in a folder of faults: all are told, and as many drawn as fit."""
        lines = [json.loads(line) for name in INPUTS for line in self.run_it("check", name, "--json").stdout.splitlines()]
        for one_in in (10, 4):
            with self.subTest(refuted=f"one in {one_in}"):
                records = self.thousand(lines, one_in)
                start = time.monotonic()
                page = self.page_of(records)
                took = time.monotonic() - start
                if one_in == 4:
                    self.judge(page, records)
                told, drawn = page.count(b'<details class="finding"'), page.count(b'<svg class="lanes"') + page.count(b'<svg class="plan"')
                print(f"a page of 1,000 checks, {told} findings, {drawn} of them drawn: {len(page)} bytes in {took:.2f} s")
                self.assertLess(len(page), MOST_BYTES)
                self.assertGreaterEqual(told, 1000 // one_in)
                self.assertGreaterEqual(drawn, 60)

    def test_a_damaged_page(self):
        """Of a page that was cut or changed on its way the records are read as far as they go, and that is said."""
        records = self.run_it("check", INPUTS[0], "--json").stdout
        page = self.page_of(records)
        begin = page.index(b'id="noclobber-records">')
        end = page.index(b"</script>", begin)
        path = self.folder / "damaged.html"
        middle = (begin + end) // 2
        other = b"A" if page[middle:middle + 1] != b"A" else b"B"
        for name, damaged in [("cut", page[:middle]), ("cut at its end", page[:end - 8]),
                              ("changed", page[:middle] + other + page[middle + 1:])]:
            with self.subTest(name):
                path.write_bytes(damaged)
                ran = self.run_it("render", str(path), "--to", "records")
                self.assertNotEqual(ran.returncode, 0)
                self.assertIn(b"ended before it was done", ran.stdout + ran.stderr)
                whole = [line for line in ran.stdout.splitlines() if b'"kind":"check"' in line]
                # Behind a change a record may be another that reads as well, until the checksum at the end says that something was changed.
                sure = whole[:1] if name == "changed" else whole
                self.assertEqual(sure, records.splitlines()[:len(sure)])
                self.assertTrue(sure)

    def test_ended_at_any_moment(self):
        """Whenever the process is killed, the page is the old one or the new one."""
        path = self.folder / "page.html"
        arguments = [BINARY, "check", "corpus/logs/miscompiled", "--html", str(path)]
        start = time.monotonic()
        subprocess.run(arguments, cwd=ROOT, capture_output=True, timeout=300)
        took, whole = time.monotonic() - start, path.read_bytes()
        path.write_bytes(old := b"the old page\n")
        for k in range(12):
            process = subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(took * k / 10)
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.assertIn(path.read_bytes(), (old, whole))

    def test_lanes_on_a_terminal(self):
        for name, columns in [("corpus/logs/miscompiled/b198094-slice-zero.log.gz", 100),
                              ("corpus/cases/plan-touching-intervals.refute.json", 72)]:
            for locale in ("C.UTF-8", "C"):
                env = {**os.environ, "LC_ALL": locale, "COLUMNS": str(columns), "NO_COLOR": "1"}
                plain = self.run_it("check", name, env=env).stdout.decode().splitlines()
                drawn = self.run_it("check", name, "--lanes", env=env).stdout.decode().splitlines()
                extra = [line for line in drawn if line not in plain and "checked:" not in line]  # which says how long it took
                self.assertGreater(len(extra), 2, name)
                self.assertTrue(all(len(line) <= columns for line in extra))
                self.assertEqual(any(not line.isascii() for line in extra), locale == "C.UTF-8", extra)
                glyph = "▒" if locale == "C.UTF-8" else "#"
                self.assertTrue(any(glyph in line for line in extra), extra)


if __name__ == "__main__":
    unittest.main()
