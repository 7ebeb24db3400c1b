#!/usr/bin/env python3
"""Nothing is lost, and what cannot be written is named: full disks, folders that are none, Ctrl-C, crashes of a campaign.

NC_BIN_DIR names another folder with the program.  Standard library only.
"""
import ctypes
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import time
import unittest

from cli_test import BINARY, PROVED, REFUTED, SECONDS, UNKNOWN, Cli

FULL = "/dev/full"  # every write to it fails: no space left
NOWHERE = "/dev/null/x"  # no folder can be made there
FINDS = ["fuzz", "--pass", "echo no", "--count", "2", "--reduction", "1", "--quiet", "--profile", "views"]


@unittest.skipUnless(os.path.exists(FULL), "no /dev/full")
class FullDisk(Cli):
    """Exit code 2 where all would be well, and 1 stays 1; never 0, never 4, always the name of what is full."""

    def on_full(self, *arguments):
        with open(FULL, "wb") as full:
            run = subprocess.run([BINARY, *arguments], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
                                 timeout=SECONDS, cwd=self.folder)
        return run.returncode, run.stderr.decode().count("error: standard output: cannot be written"), run.stderr

    def test_standard_output(self):
        proved, refuted, unknown = (self.write(n, t) for n, t in (("p.json", PROVED), ("r.json", REFUTED), ("u.json", UNKNOWN)))
        records = self.write("records.jsonl", self.run_it("check", refuted, proved, "--json").stdout)
        for code, *arguments in [
                (1, "check", refuted), (1, "check", refuted, "--json"), (1, "check", refuted, "--output-format", "sarif"),
                (1, "diff", proved, refuted), (2, "check", proved), (2, "check", unknown), (2, "trace", proved),
                (2, "trace", proved, "--json"), (2, "reduce", refuted), (2, "extract", refuted), (2, "explain"),
                (2, "explain", "NC001"), (2, "ops", "--may-reuse", "executorch"), (2, "completions", "bash"),
                (2, "render", records, "--to", "sarif"), (2, "render", records, "--to", "text"), (2, "--version"), (2, "--help"),
                (2, "--print-options-md"), (2, "advise", refuted, "--repair"), (2, "fuzz", "--count", "1"),
                (2, "fuzz", "--count", "1", "--json"), (2, "fuzz", "--emit", "programs", "--count", "3"), (1, *FINDS), (1, *FINDS, "--json")]:
            with self.subTest(arguments):
                said, named, errors = self.on_full(*arguments)
                self.assertEqual((said, named if code == 2 else min(named, 1)), (code, 1 if code == 2 else named), errors)
                self.assertNotIn(b"internal error", errors)

    def test_reports_are_written_though_standard_output_is_not(self):
        refuted = self.write("r.json", REFUTED)
        code, named, errors = self.on_full("check", refuted, "--output-format", "sarif", "--junit", "junit.xml", "--records", "r.jsonl")
        self.assertEqual((code, named), (1, 1), errors)
        self.assertIn('failures="1"', (self.folder / "junit.xml").read_text())
        self.assertEqual([json.loads(line)["kind"] for line in (self.folder / "r.jsonl").read_text().splitlines()], ["check", "summary"])

    def test_records(self):
        """A file of records that is not whole is an error, however few bytes are missing."""
        proved, refuted = self.write("p.json", PROVED), self.write("r.json", REFUTED)
        for code, *arguments in [(2, "check", proved), (1, "check", refuted), (2, "diff", proved, proved), (2, "fuzz", "--count", "1"),
                                 (2, "fuzz", "--pass", "cat", "--count", "1", "--quiet", "--profile", "views")]:
            with self.subTest(arguments):
                options = [] if arguments[0] == "diff" else ["--records", FULL]
                run = self.run_it(*(arguments if options else ["check", proved, "--against", proved, "--records", FULL]), *options)
                self.assertEqual(run.returncode, code, run.stderr)
                self.assertIn(b"noclobber: error: /dev/full: cannot be written", run.stderr)
        for *arguments, _ in [("check", proved, 0), ("fuzz", "--count", "1", 0), (*FINDS[:4], "1", 0)]:
            run = self.expect(2, *arguments, "--records", NOWHERE)
            self.assertIn(b"noclobber: error: /dev/null/x: cannot be written: Not a directory", run.stderr)
            self.assertFalse(run.stdout)

    def test_standard_error(self):
        with open(FULL, "wb") as full:
            run = subprocess.run([BINARY, "check", self.write("r.json", REFUTED), "none.json", "--stats", "--timings"], stdout=subprocess.PIPE,
                                 stderr=full, timeout=SECONDS)
        self.assertEqual((run.returncode, run.stdout[:6]), (1, b"error["))


class NoFolder(Cli):
    """What a campaign or a check writes besides its records."""

    def test_campaigns(self):
        for code, place, *arguments in [
                (2, "/dev/null/x/", "fuzz", "--emit", NOWHERE, "--count", "3"),
                (2, "/dev/null/x/", "fuzz", "--pass", "cat", "--emit", NOWHERE, "--count", "3", "--profile", "views", "--quiet"),
                (1, "/dev/null/x/1-unreadable/why.txt", *FINDS, "--out", NOWHERE),
                (1, "/dev/null/x/1-unreadable-", *FINDS, "--corpus", NOWHERE, "--out", str(self.folder / "found")),
                (2, "/dev/null/x", "fuzz", "--count", "1", "--known", NOWHERE)]:
            with self.subTest(arguments):
                run = self.expect(code, *arguments)
                self.assertIn(f"noclobber: error: {place}".encode(), run.stderr)
                self.assertLess(run.stderr.count(place.encode()), 9)  # not one for each of many programs
        run = self.expect(2, "fuzz", "--count", "1", env={"TMPDIR": NOWHERE})
        self.assertIn(b"no folder for temporary files", run.stderr)
        (self.folder / "known").write_text("# of last year\n0123456789abcdef  certificate\n")
        self.expect(0, "fuzz", "--count", "1", "--known", str(self.folder / "known"))

    def test_names_that_are_no_utf_8(self):
        out = os.fsencode(self.folder) + b"/o\xff"
        run = self.expect(1, *FINDS, "--json", "--out", out)
        self.assertIn("o\ufffd/1-unreadable", json.loads(run.stdout.splitlines()[0])["folder"])
        self.assertTrue(os.path.exists(out + b"/1-unreadable/why.txt"))

    def test_certificates_and_questions(self):
        """One that cannot be written is an error beside the check, which keeps its verdict."""
        (self.folder / "c" / "same.cert").mkdir(parents=True)
        records = self.records(2, "check", self.write("p.json", PROVED), self.write("r.json", REFUTED), "--certificate",
                               str(self.folder / "c"), "--fail-on", "none")
        self.assertEqual([(r["kind"], r.get("status")) for r in records],
                         [("check", "proved"), ("error", None), ("check", "refuted"), ("summary", None)])
        self.assertEqual(records[1]["input"], str(self.folder / "c" / "same.cert"))
        self.assertTrue((self.folder / "c" / "in-place.cert").is_file())
        (self.folder / "q" / "same-001.smt2").mkdir(parents=True)
        records = self.records(2, "check", str(self.folder / "p.json"), "--dump-smt2", str(self.folder / "q"), "--engine", "z3")
        self.assertEqual([r["input"] for r in records if r["kind"] == "error"], [str(self.folder / "q" / "same-001.smt2")])


class Interrupted(Cli):
    """Ctrl-C: what was decided is told, whatever it is told to, and the exit code is 130."""

    def interrupt(self, *arguments, ready, cwd=None):
        """Runs a check that ends in standard input, which stays open; interrupts it once `ready()`."""
        with subprocess.Popen([BINARY, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=self.folder) as run:
            until = time.monotonic() + SECONDS
            while not ready():
                self.assertLess(time.monotonic(), until)
                time.sleep(0.01)
            run.send_signal(signal.SIGINT)
            out, err = run.stdout.read(), run.stderr.read()  # standard input is still open
            self.assertEqual(run.wait(timeout=SECONDS), 130, err)
        return out.decode(), err.decode()

    def lines(self, name="now.jsonl"):
        path = self.folder / name
        return path.read_text().splitlines() if path.exists() else []

    def test_records_reports_and_text(self):
        for name, text in (("p.json", PROVED), ("r.json", REFUTED), ("b.json", "{")):
            self.write(name, text)
        options = ["--records", "now.jsonl", "--junit", "junit.xml", "--sarif", "r.sarif", "--jobs", "1"]
        out, err = self.interrupt("check", "p.json", "r.json", "b.json", "-", *options, ready=lambda: len(self.lines()) == 3)
        records = [json.loads(line) for line in self.lines()]
        self.assertEqual([(r["kind"], r.get("status"), r.get("exit")) for r in records],
                         [("check", "proved", None), ("check", "refuted", None), ("error", None, None), ("summary", None, 130)])
        self.assertRegex(out.splitlines()[0], r"^error\[NC003\]")  # a refutation is not hidden
        self.assertIn("2 pairs checked: 1 proved, 1 refuted, 0 unknown", " ".join(out.split()))
        self.assertIn("; 1 error; interrupted", " ".join(out.split()))
        self.assertIn("b.json", err)
        self.assertIn('failures="1"', (self.folder / "junit.xml").read_text())
        (run,) = json.loads((self.folder / "r.sarif").read_text())["runs"]
        self.assertEqual((len(run["results"]), run["invocations"][0]["executionSuccessful"]), (1, False))

    def test_a_check_that_is_done_before_an_earlier_one(self):
        """Two threads: the first check takes long, the second is done and waits for its turn."""
        steps = [{"name": f"y{k}", "op": "aten.sin.default", "args": [{"ref": f"y{k - 1}" if k else "x"}],
                  "types": [{"dtype": "f32", "shape": [2, 3]}]} for k in range(150000)]
        graph = {"inputs": [{"name": "x", "type": {"dtype": "f32", "shape": [2, 3]}}], "steps": steps, "outputs": [{"ref": "y9"}]}
        self.write("long.json", {"format": "noclobber.case/1", "name": "long", "before": graph, "after": graph})
        self.write("r.json", REFUTED)
        began = time.monotonic()
        self.expect(0, "check", str(self.folder / "long.json"))
        whole = time.monotonic() - began
        os.mkfifo(self.folder / "at.json")  # is opened for reading when r.json was given out
        def ready():
            with open(self.folder / "at.json", "w") as fifo:
                fifo.write(PROVED)
            time.sleep(min(0.2, whole / 10))
            return True
        out, _ = self.interrupt("check", "long.json", "r.json", "at.json", "-", "--jobs", "2", "--json", ready=ready)
        ids = [json.loads(line).get("id") for line in out.splitlines()]
        self.assertIn("in-place", ids)
        self.assertNotIn("long", ids)

    def test_comparisons(self):
        """Checks that were not reached are neither gone nor repaired; a cut old run is not compared with."""
        self.write("r.json", REFUTED), self.write("p.json", PROVED)
        old = self.run_it("check", "r.json", "p.json", "--json", cwd=self.folder)
        self.write("old.jsonl", old.stdout)
        options = ["--records", "now.jsonl", "--jobs", "1"]
        for inputs, changes in ((["p.json", "-"], []), (["r.json", "-"], ["preexisting"])):
            (self.folder / "now.jsonl").unlink(missing_ok=True)
            self.interrupt("check", *inputs, "--against", "old.jsonl", *options, ready=lambda: len(self.lines()) == 1)
            records = [json.loads(line) for line in self.lines()]
            self.assertEqual([r["change"] for r in records if r["kind"] == "change"], changes)
            self.assertEqual([r["exit"] for r in records if "exit" in r], [130, 130])
        whole = self.run_it("check", "p.json", "--against", "old.jsonl", "--json", cwd=self.folder).stdout.splitlines()
        self.assertEqual([r["change"] for r in map(json.loads, whole) if r["kind"] == "change"], ["fixed", "vanished"])
        began = time.monotonic()
        out, _ = self.interrupt("check", "p.json", "--against", "-", "--json", ready=lambda: time.monotonic() > began + 0.5)
        self.assertEqual([(r["kind"], r["exit"]) for r in map(json.loads, out.splitlines())], [("summary", 130)])

    def test_progress_on_a_terminal(self):
        """One line, which is drawn after a while, over itself, and is gone before other text; --quiet draws none."""
        for options, drawn in (([], True), (["--quiet"], False)):
            ours, theirs = pty.openpty()
            path = self.write("p.json", PROVED)
            with subprocess.Popen([BINARY, "check", path, "none.json", "-", *options], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                  stderr=theirs) as run:
                time.sleep(1)
                run.stdin.write(UNKNOWN.encode())
                run.stdin.close()
                self.assertEqual(run.wait(timeout=SECONDS), 2)
            os.close(theirs)
            text = b""
            while select.select([ours], [], [], 0.1)[0]:
                try:
                    text += os.read(ours, 1 << 16) or b""
                except OSError:
                    break
            os.close(ours)
            screen = text.decode().replace("\r\n", "\n")
            lines = re.findall(r"\r(\d+ checked in \d+ s)\x1b\[K", screen)
            self.assertEqual((len(lines) > 2, set(lines) <= {"1 checked in 0 s", "1 checked in 1 s"}), (drawn, True), screen)
            self.assertLess(len(lines), 15)  # ten a second
            self.assertTrue(not drawn or screen.endswith("\r\x1b[K"), screen)
            self.assertIn("noclobber: error: none.json: cannot be opened", screen)


class Told(Cli):
    """Errors of what was read and is no case, the text of a Trace as a record, and what `reduce` keeps."""

    def test_a_case_that_is_none(self):
        for bound, code in (("n >= 6", 2), ("n >= 5", 0)):
            case = json.loads(PROVED) | {"symbols": {"n": {"min": 2, "max": 5}}, "assume": [bound]}
            record, *_ = self.records(code, "check", self.write("n.json", case))
            self.assertEqual((record["kind"], record.get("where"), record.get("message")), ("check", None, None) if code == 0 else
                             ("error", "same", "/symbols: no value of the symbols satisfies ranges and relations"))
        self.assertIn(b"error: " + os.fsencode(self.write("n.json", json.dumps(case).replace("n >= 5", "n >= 9"))) + b": same: /symbols: ",
                      self.run_it("check", str(self.folder / "n.json")).stderr)

    def test_traces_as_records(self):
        paths = [self.write("p.json", PROVED), self.write("\x1b.json", REFUTED), self.write("b.json", "{")]
        run = self.expect(2, "trace", *paths, "--json")
        records = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual([(r["kind"], r["input"], r.get("id"), r.get("what")) for r in records],
                         [("trace", paths[0], "same", "pair"), ("trace", paths[1], "in-place", "pair"), ("error", paths[2], None, None)])
        text = self.expect(2, "trace", *paths).stdout.decode()
        self.assertEqual(text, "\n".join(f"# {r['input']} {r['id']}\n{r['text']}".replace("\x1b", "\\x1b") for r in records[:2]))
        self.assertIn(b"trace after\n", text.encode())

    def test_what_is_made_small_keeps_its_first_finding(self):
        """Not another, however small it would be: a stale read beside a write into an input; one of two unknown operators."""
        kind, ref = {"dtype": "f32", "shape": [2, 3]}, lambda name: {"ref": name}
        step = lambda name, op, *args: {"name": name, "op": op, "args": [ref(a) for a in args], "types": [kind]}
        graph = lambda steps, *out: {"inputs": [{"name": "x", "type": kind}], "steps": steps, "outputs": [ref(o) for o in out]}
        names = [("c", "clone", "x"), ("s", "sin", "c"), ("e", "exp", "c")]
        before = [step(n, f"aten.{op}.default", *a) for n, op, *a in names] + [step("z", "aten.add.Tensor", "s", "e")]
        after = [step("c", "aten.clone.default", "x"), step("s", "aten.sin_.default", "c"), *before[2:], step("w", "aten.neg_.default", "x")]
        odd = [step("a", "nobody.knows.default", "x"), step("b", "aten.sin.default", "a"), step("d", "aten.as_strided.default", "x")]
        for first, code, one, two in (("NC001", 1, graph(before, "z", "x"), graph(after, "z", "x")), ("unsupported-op", 3, graph(odd, "b", "d"), graph(odd, "b", "d"))):
            whole = self.write("whole.json", {"format": "noclobber.case/1", "name": "n", "before": one, "after": two})
            was = self.records(code, "check", whole)[0]
            run = self.expect(0, "reduce", whole)
            now = self.records(code, "check", self.write("small.json", run.stdout))[0]
            at = lambda r: [(f.get("rule") or f["reason"], f["fingerprint"]) for f in r["findings"] or r["unknown"]]
            self.assertEqual((at(was)[0][0], at(now)), (first, at(was)[:1]))
            self.assertGreater(len(at(was)), 1)
            self.assertLess(now["counts"]["steps"], was["counts"]["steps"])
            self.assertIn(b"noclobber: reduced: ", run.stderr)
        for path, words in ((self.write("p.json", PROVED), b"is proved: there is no finding to keep"), ("none.json", b"cannot be opened")):
            run = self.expect(2, "reduce", path)
            self.assertEqual((run.stdout, b"error: " + os.fsencode(path) + b": " + words in run.stderr), (b"", True), run.stderr)


class Campaign(Cli):
    """`fuzz` of noclobber itself: what it prints, writes and ends with."""
    # A folder for temporary files in which no file can be made: the text of every certificate is missing, which nc-check cannot read.
    BLIND = 'ln -s /proc/sys "$TMPDIR/noclobber-fuzz-$$" && exec "$0" "$@"'

    def blind(self, code, *options):
        run = subprocess.run(["sh", "-c", self.BLIND, BINARY, "fuzz", "--count", "30", "--jobs", "2", "--certificate", self.folder / "certificates",
                              "--out", self.folder / "found", *options], env={**os.environ, "TMPDIR": str(self.folder)},
                             capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual(run.returncode, code, run.stderr)
        return run.stdout

    def test_a_contradiction(self):
        out = self.blind(4)
        found = re.match(r"contradiction\[certificate\] ([0-9a-f]{16}) seed (\d+)[^:]*: nc-check cannot read the certificate: ", out)
        self.assertTrue(found, out)
        self.assertIn("\n1 contradictions, 0 known\n", out)
        mark, seed = found[1], int(found[2])
        self.assertIn(f"again: noclobber fuzz --start {seed} --count 1\n", out)
        whole, small = (json.loads((self.folder / "found" / f"certificate-{seed}{end}.json").read_text()) for end in ("", ".min"))
        self.assertLess(len(small["after"]["steps"]), len(whole["after"]["steps"]))
        *_, record, score = map(json.loads, self.blind(4, "--json", "--records", self.folder / "records.jsonl").splitlines())
        self.assertEqual((record["kind"], record["what"], record["seed"], record["fingerprint"]), ("contradiction", "certificate", seed, mark))
        self.assertEqual((record["case"], score["kind"]), (str(self.folder / "found" / f"certificate-{seed}.json"), "score"))
        self.assertEqual([json.loads(line) for line in (self.folder / "records.jsonl").read_text().splitlines()], [record, score])
        self.write("known", f"# told\n{mark} certificate\n")
        self.assertRegex(self.blind(0, "--known", self.folder / "known"), r"\n0 contradictions, [1-9]\d* known\n")
        self.write("known", f"{mark[:-1]}\n")
        self.blind(4, "--known", self.folder / "known")

    def test_which_seeds_are_unknown(self):
        """A line for every reason and name that the score counts, and again for the seed alone."""
        run = self.expect(0, "fuzz", "--count", "120", "--json", "--out", str(self.folder / "found"))
        names = json.loads(run.stdout.splitlines()[-1])["unknown_names"]
        show = lambda text, *options: [line for line in self.expect(0, "fuzz", *options, "--show-unknown", text, "--out", str(self.folder / "found"))
                                       .stdout.decode().splitlines() if line.startswith("seed ")]
        for text in ("not-replayed", "approximated aten.ne", "unsupported-op", "no such reason"):
            lines = show(text, "--count", "120")
            said = [n.split(" (not supported)")[0].split(" (fault)")[0] for n, count in names.items() for _ in range(count)]
            self.assertEqual(sorted(line.split(": ", 1)[1] for line in lines), sorted(n for n in said if text in n))
            self.assertEqual(len(lines) > 0, text != "no such reason")
            for line in lines[:1]:
                seed = line.split()[1]
                self.assertEqual(show(text, "--start", seed, "--count", "1"), [l for l in lines if l.startswith(f"seed {seed} ")])
        run = self.expect(0, "fuzz", "--count", "120", "--json", "--show-unknown", "not-replayed", "--out", str(self.folder / "found"))
        *told, score = map(json.loads, run.stdout.splitlines())
        self.assertEqual({r["kind"] for r in told}, {"unknown"})
        self.assertEqual(sorted(f"{r['reason']} {r['name']}" for r in told), sorted(n for n in said if "not-replayed" in n))

    def test_exhaustive_keeps_what_is_open(self):
        """With next to no effort the fifth program of three steps is open: the case is written, and is unknown by itself, too."""
        run = self.expect(0, "fuzz", "--exhaustive", "3", "--effort", "1", "--time", "10", "--out", str(self.folder / "found"))
        *_, last = (line for line in run.stdout.decode().splitlines() if " steps, " in line)
        self.assertIn("3 steps, 3 buffers (cut short by --time): ", last)
        self.assertTrue(last.endswith(" 0 refuted without one, 0 wrong"), last)
        made = int(re.search(r" (\d+) open ", last)[1])
        self.assertGreater(made, 0)
        files = sorted((self.folder / "found").iterdir())
        self.assertEqual([f.name for f in files], sorted(f"open-3-{k}.json" for k in range(min(made, 20))))
        self.expect(3, "check", str(files[0]), "--effort", "1")
        self.assertIn(b"  open for resource-limit: ", run.stdout)

    def crash(self, number, who):
        """Sends the signal to a thread of a campaign: the first or another."""
        with subprocess.Popen([BINARY, "fuzz", "--start", "300", "--time", "60", "--jobs", "1", "--out", self.folder / "found"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
            until, threads = time.monotonic() + SECONDS, []
            while not threads and time.monotonic() < until:
                time.sleep(0.3)
                threads = [int(t) for t in os.listdir(f"/proc/{run.pid}/task") if (int(t) == run.pid) == (who == "first")]
            ctypes.CDLL(None).syscall(234, run.pid, threads[0], number)  # tgkill
            return run.wait(timeout=SECONDS), run.stderr.read().decode()

    @unittest.skipUnless(os.uname().machine == "x86_64" and os.path.exists("/proc/self/task"), "Linux on x86-64")
    def test_a_crash_names_its_seed(self):
        for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE):
            code, said = self.crash(int(number), "worker")
            found = re.fullmatch(rf"noclobber: signal {int(number)} at seed (\d+); again: noclobber fuzz --start \1 --count 1\n", said)
            self.assertEqual((code, bool(found)), (4, True), said)
            self.assertGreaterEqual(int(found[1]), 300)
        code, said = self.crash(int(signal.SIGABRT), "first")  # which examines nothing: `timeout -s ABRT` of a hang asks for the seeds
        self.assertEqual((code, said), (4, "noclobber: signal 6 outside of a seed\n"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
