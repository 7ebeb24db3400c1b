#!/usr/bin/env python3
"""The wheel in build/wheelhouse, as a new user meets it: a fresh environment, the commands of README.md, a page of a real log.

Run by `make test-wheel` behind `make wheel`. The log stands for what the second command, which needs PyTorch, would record. NC_WHEEL names
another wheel."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
LOG = ROOT / "corpus" / "logs" / "miscompiled" / "b198094-slice-zero.log.gz"
AUDITWHEEL = ROOT / "build" / "wheel-venv" / "bin" / "auditwheel"


def wheel():
    if named := os.environ.get("NC_WHEEL"):
        return pathlib.Path(named).resolve()
    found = list((ROOT / "build" / "wheelhouse").glob("*.whl"))
    if len(found) != 1:
        sys.exit(f"wheel_test: {len(found)} wheels in build/wheelhouse: run `make wheel`")
    return found[0]


def three_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"## Three commands\n.*?```sh\n(.*?)```", text, re.DOTALL)[1]
    return [line for line in block.splitlines() if line]


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.wheel = wheel()
        cls.temp = tempfile.TemporaryDirectory(prefix="nc_wheel_")
        cls.addClassCleanup(cls.temp.cleanup)
        cls.folder = pathlib.Path(cls.temp.name)
        # A user's own Z3 and other libraries of the same names: whoever looks there fails.
        own = cls.folder / "own"
        own.mkdir()
        for name in ("libz3.so", "libz3.so.5.4", "libnc_z3.so", "libzip.so.4", "libfmt.so.9"):
            (own / name).write_text("not a library\n")
        cls.environment = {"PATH": f"{cls.folder}/nc/bin:/usr/bin:/bin", "HOME": str(cls.folder), "LD_LIBRARY_PATH": str(own),
                           "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(cls.wheel.parent), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        cls.start = time.monotonic()
        install, record, cls.check = three_commands()
        cls.installed = cls.run_it(install)
        assert "TORCH_TRACE=traces" in record, record
        (cls.folder / "traces").mkdir()
        shutil.copy(LOG, cls.folder / "traces")
        cls.checked = cls.run_it(cls.check)
        print(f"three commands, less the recording: {time.monotonic() - cls.start:.1f} s", file=sys.stderr)

    @classmethod
    def run_it(cls, command):
        return subprocess.run(["bash", "-c", command], cwd=cls.folder, env=cls.environment, capture_output=True, text=True,
                              timeout=300, stdin=subprocess.DEVNULL)

    def test_three_commands_make_a_page(self):
        self.assertEqual(self.installed.returncode, 0, self.installed.stderr)
        self.assertEqual(self.checked.returncode, 1, self.checked.stderr)
        self.assertIn("error[NC001]", self.checked.stdout)
        page = (self.folder / re.search(r"--html (\S+)", self.check)[1]).read_text()
        self.assertIn("slice_scatter", page)
        self.assertIn("<svg", page)

    def test_programs(self):
        shown = json.loads(self.run_it("nc/bin/noclobber --version --json").stdout)
        self.assertEqual(shown["version"], (ROOT / "VERSION").read_text().strip())
        self.assertEqual((shown["z3"], shown["z3_fault"]), ("5.4.0", ""))
        case = ROOT / "corpus" / "cases" / "loop-ping-pong-buffers.accept.json"
        ran = self.run_it(f"nc/bin/noclobber check {case} --engine z3 --certificate certs")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        ran = self.run_it(f"nc/bin/noclobber check {case} --certificate certs && nc/bin/nc-check certs/*.cert {case}")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        exported = ROOT / "corpus" / "pt2" / "item.pt2"  # a zip
        self.assertIn(self.run_it(f"nc/bin/noclobber check {exported}").returncode, (0, 3))

    def test_package(self):
        code = f"import noclobber; print(noclobber.__version__, len(noclobber.check('{LOG}').refuted))"
        self.assertEqual(self.run_it(f'nc/bin/python -c "{code}"').stdout.split(), [(ROOT / "VERSION").read_text().strip(), "1"])
        self.assertEqual(self.run_it("nc/bin/python -m noclobber explain NC001").returncode, 0)

    def test_what_is_inside(self):
        self.assertRegex(self.wheel.name, r"^noclobber-[\d.]+-py3-none-manylinux_2_\d+_(x86_64|aarch64)\.")
        with zipfile.ZipFile(self.wheel) as inside:
            names = inside.namelist()
            points = inside.read(next(n for n in names if n.endswith("/entry_points.txt"))).decode()
        self.assertIn("pytest11", points)
        licences = {pathlib.Path(n).name for n in names if "/licenses/" in n}
        self.assertGreaterEqual(licences, {"LICENSE", "z3.txt", "libzip4.txt", "libssl3.txt", "libbz2-1.0.txt", "nlohmann-json3-dev.txt", "libcli11-dev.txt"})
        self.assertFalse([n for n in names if n.startswith(("corpus/", "tests/", "src/"))])

    @unittest.skipUnless(AUDITWHEEL.exists(), "auditwheel is where the wheel was built")
    def test_auditwheel_agrees(self):
        ran = subprocess.run([AUDITWHEEL, "show", self.wheel], capture_output=True, text=True,
                             env=os.environ | {"PATH": f"{AUDITWHEEL.parent}:{os.environ['PATH']}"})
        tag = re.search(r"manylinux_2_\d+_\w+?(?=\.)", self.wheel.name)[0]
        self.assertIn(f'"{tag}"', ran.stdout, ran.stderr)


if __name__ == "__main__":
    unittest.main()
