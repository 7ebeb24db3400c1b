#!/usr/bin/env python3
"""nc-check as users run it, and docs/certificate.md beside what the programs print.

certificate_test.py --fix renews the printed parts of the page.  NC_BIN_DIR names another folder with the programs.
"""
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import cli_test

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import recheck_damage
import recheck_reasons

ROOT = pathlib.Path(__file__).resolve().parents[1]
BIN = pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin"))
PAGE = ROOT / "docs/certificate.md"
BLOCK = re.compile(r"^```\n\$ (.*)\n((?:(?!```).*\n)*)```$", re.M)
LOG = ROOT / "corpus/logs/miscompiled/b198094-slice-zero.log.gz"


def printed(command):
    """What a command of the page prints; DIR is a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="nc_page_") as folder:
        line = command.replace("DIR", folder).replace("build/bin", str(BIN))
        return subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, text=True, timeout=60).stdout.replace(folder, "DIR")


def steady(text):
    """Without the digest of the operator table, which every new row changes, and the sums that it is part of."""
    return re.sub(r"^(operators 16:|sum )[0-9a-f]{16}$", r"\1-", text, flags=re.M)


class Page(unittest.TestCase):
    def test_shows_what_is_printed(self):
        blocks = BLOCK.findall(PAGE.read_text())
        self.assertGreaterEqual(len(blocks), 4)
        for command, shown in blocks:
            self.assertEqual(steady(printed(command)), steady(shown), command)


class NcCheck(cli_test.Cli):
    def issue(self, text, *more, name="case.json"):
        """Path of the input, and the certificates of its checks by file name."""
        path = self.write(name, text)
        out = self.folder / f"certs-{name}"
        out.mkdir(exist_ok=True)
        self.run_it("check", path, "--certificate", str(out), *more)
        return path, {p.name: p for p in sorted(out.iterdir())}

    def check(self, *arguments):
        return subprocess.run([BIN / "nc-check", *map(str, arguments)], capture_output=True, text=True, timeout=60)

    def test_plan_tables(self):
        plan = "id,lower,upper,size,offset\na,0,4,16,0\nb,2,6,8,16\nc,4,6,16,0\nempty,3,3,9,0\n"
        path, certs = self.issue(plan, name="plan.csv")
        (cert,) = certs.values()
        out = self.check(cert, path)
        self.assertEqual((out.returncode, out.stdout.split("; ")[1:]), (0, ["inputs bound", f"plan plan of {path}\n"]))
        self.assertTrue(out.stdout.startswith("proved: 6 obligations"), out.stdout)
        good = cert.read_text()
        for was, now, code, said in [("\n08 16 1\n", "\n08 15 1\n", 3, "not proved: row 1 in the order of time meets a neighbour"),
                                     ("\n08 16 1\n", "\n08 16 0\n", 3, "not proved: row 1 in the order of time meets a neighbour"),
                                     ("\n08 16 1\n", "\n08 16 2\n", 2, "expected one that is alive"),
                                     ("capacity 0", "capacity 23", 3, "not proved: row 1 in the order of time ends behind the arena"),
                                     ("2 1 1 1\n", "2 1 2 1\n", 3, "not proved"), ("rows 3", "rows 4", 2, "as many rows as there are"),
                                     ("rows 3", "rows 3 ", 0, "proved"), ("moments 3", "moments 2", 2, "expected as many rows as there are")]:
            self.assertIn(was, good)
            changed = good.replace(was, now)
            cert.write_text(changed[:changed.rindex("sum ") + 4] + self.sum_of(changed) + "\n")
            out = self.check(cert)
            self.assertEqual(out.returncode, code, (was, now, out.stdout, out.stderr))
            self.assertIn(said, out.stdout + out.stderr)
        cert.write_text(good.replace("08 16 1", "08 15 1"))
        self.assertEqual(self.check(cert).returncode, 2)  # the sum
        for length in range(0, len(good) - 1, 7):
            cert.write_text(good[:length])
            self.assertEqual(self.check(cert).returncode, 2, length)
        _, certs = self.issue(plan.replace("8,16", "8,15"), name="bad.csv")
        self.assertEqual(certs, {})

    @staticmethod
    def sum_of(text):
        """checker/text/hash.cpp in Python."""
        data, mask = text[:text.rindex("sum ")].encode() , 2**64 - 1
        total = len(data)
        for k in range(0, len(data), 8):
            word = int.from_bytes(data[k:k + 8], "little")
            total = (total ^ word) * 0x9e3779b97f4a7c15 & mask
            total ^= total >> 29
        return f"{total:016x}"

    def test_exit_codes_are_those_of_noclobber(self):
        for text, code, said in [(cli_test.PROVED, 0, "proved: "), (cli_test.REFUTED, 1, "refuted: "),
                                 (cli_test.UNKNOWN, 3, "not proved: ")]:
            _, certs = self.issue(text, name=f"case{code}.json")
            (cert,) = certs.values()
            out = self.check(cert)
            self.assertEqual((out.returncode, out.stdout[:len(said)]), (code, said))
            self.assertIn("input not bound", out.stdout)

    def test_a_witness_is_replayed_at_the_values_of_its_symbols(self):
        tensor = {"dtype": "f32", "shape": ["s0", 3]}
        text = cli_test.REFUTED.replace(json.dumps(cli_test.TENSOR), json.dumps(tensor))
        value = json.loads(text) | {"symbols": {"s0": {"min": 2, "max": 9}}}
        path, certs = self.issue(json.dumps(value))
        (cert,) = certs.values()
        self.assertIn("2:s0", cert.read_text())
        out = self.check(cert, path)
        self.assertEqual((out.returncode, out.stdout[:9]), (1, "refuted: "), out.stdout)

    def test_a_certificate_comes_through_a_pipe(self):
        rows = "".join(f"r{k},{k},{k + 2},16,{k % 2 * 16}\n" for k in range(9000))
        _, certs = self.issue("id,lower,upper,size,offset\n" + rows, name="plan.csv")
        (cert,) = certs.values()
        text = cert.read_bytes()
        self.assertGreater(len(text), 1 << 17)
        piped = subprocess.run([BIN / "nc-check", "/dev/stdin"], input=text, capture_output=True, timeout=60)
        self.assertEqual((piped.returncode, piped.stdout), (0, subprocess.run(
            [BIN / "nc-check", cert], capture_output=True, timeout=60).stdout), piped.stderr)

    def test_names_of_any_length(self):
        for length in range(470, 530):
            _, certs = self.issue(cli_test.case("n" * length, cli_test.SIN, cli_test.SIN), name=f"n{length}.json")
            for cert in certs.values():
                self.assertEqual(self.check(cert).returncode, 0, length)

    def test_says_what_it_is_and_what_it_proves(self):
        for option, said in [("--help", "usage: nc-check"), ("--version", "nc-check 0")]:
            out = self.check(option)
            self.assertEqual((out.returncode, out.stdout[:len(said)]), (0, said))
        for arguments in [(), ("--nothing",)]:
            out = self.check(*arguments)
            self.assertEqual((out.returncode, out.stdout), (2, ""))
        path, certs = self.issue(cli_test.PROVED)
        (cert,) = certs.values()
        self.assertTrue(self.check(cert).stdout.endswith(f"of {path}\n"), self.check(cert).stdout)
        self.assertIn("; pair ", self.check(cert).stdout)
        alone = json.loads(cli_test.PROVED)
        del alone["before"]
        _, certs = self.issue(json.dumps(alone), name="alone.json")
        (cert,) = certs.values()
        self.assertIn("; single graph ", self.check(cert).stdout)

    def test_a_second_checker_is_asked_where_that_is_wanted(self):
        folder = self.folder / "programs"
        folder.mkdir()
        shutil.copy(BIN / "noclobber", folder)
        path, certs = self.issue(cli_test.PROVED)
        (cert,) = certs.values()
        asked = [folder / "noclobber", "check", path, "--json", "--recheck"]
        out = subprocess.run(asked, capture_output=True, text=True, timeout=60)
        self.assertEqual((out.returncode, out.stdout), (2, ""))
        self.assertIn("--recheck: there is no nc-recheck beside this program", out.stderr)
        seen = self.folder / "seen"
        for code, agreed in [(0, ["nc-check", "nc-recheck"]), (3, ["nc-check"]), (2, ["nc-check"])]:
            program = folder / "nc-recheck"
            program.write_text(f"#!/bin/sh\ncat $1 > {seen}\necho said; exit {code}\n")
            program.chmod(0o755)
            out = subprocess.run(asked, capture_output=True, text=True, timeout=60)
            record = json.loads(out.stdout.splitlines()[0])
            self.assertEqual((out.returncode, record["status"], record["checked_by"]), (0, "proved", agreed), out.stderr)
            self.assertEqual(seen.read_text().split("about")[0], cert.read_text().split("about")[0])
            self.assertIn("\nchecks 1 ", seen.read_text())
        seen.unlink()
        pathlib.Path(path).write_text(cli_test.REFUTED)  # nothing is asked of what is not proved
        out = subprocess.run(asked, capture_output=True, text=True, timeout=60)
        self.assertEqual((out.returncode, seen.exists()), (1, False))

    @unittest.skipUnless((BIN / "nc-recheck").exists(), "make recheck builds it")
    def test_both_checkers_agree(self):
        out = subprocess.run([BIN / "noclobber", "check", "--json", "--recheck", "corpus/doc/slice-zero.accept.json"], cwd=ROOT,
                             capture_output=True, text=True, timeout=60)
        self.assertEqual(json.loads(out.stdout.splitlines()[0])["checked_by"], ["nc-check", "nc-recheck"], out.stderr)

    def recheck(self, *arguments):
        return subprocess.run([BIN / "nc-recheck", *map(str, arguments)], capture_output=True, text=True, timeout=60).stdout

    @unittest.skipUnless((BIN / "nc-recheck").exists(), "make recheck builds it")
    def test_equations_that_a_proof_rests_on_are_printed(self):
        out = self.folder / "equations"
        self.run_it("check", ROOT / "corpus/cases/key-widened-bits.accept.json", "--certificate", str(out))
        (cert,) = out.iterdir()
        said = self.recheck("--equations", cert)
        self.assertIn("taken to hold: f64(f32(x0)) = f64(x0)\n", said)
        self.assertIn("\nproved: 1 checks;", said)
        text = cert.read_text()
        self.assertEqual(text.count("13:convert-wider"), 1)
        cert.write_text(recheck_damage.signed(text.replace("13:convert-wider", "7:mul-one")))  # no row of this step
        said = self.recheck("--equations", cert)
        self.assertNotIn("taken to hold", said)
        self.assertIn("not proved: ", said)

    @unittest.skipUnless((BIN / "nc-recheck").exists(), "make recheck builds it")
    def test_what_no_input_shows_of_the_callers_may_not_be_shared(self):
        """A damaged text (`make damage`, cert/2): a storage of the caller's without an input, which an output came to lie on."""
        cert = self.only("pt-slice-overlap-by-one", "accepted")
        text = cert.read_text()
        fresh, given = "\n 1 1 0 0 1 0\n", "\n 0 1 0 0 1 0\n"  # the storage of `b`: what it holds at the beginning
        self.assertEqual(text.count(fresh), 1)
        cert.write_text(recheck_damage.signed(text.replace(fresh, given)))
        self.assertIn("not proved: 1 obligations are open", recheck_damage.nc_check(cert))
        self.assertIn("\toutside: an output on a storage of the caller's that no input shows\n", self.recheck("--table", cert))

    @unittest.skipUnless((BIN / "nc-recheck").exists(), "make recheck builds it")
    def test_nothing_is_written_over_what_is_given(self):
        """A plan by hand: t is written in the first step, on the bytes in which x is given."""
        cert, tables = self.folder / "given.cert", (
            "noclobber.cert/2\nabout 1:g\ninputs 0\noperators 16:af5357329514ff56\nassumptions 0\nsymbols 0\n"
            "numbers 5\np 0\np 1 4 0\np 1 16 0\np 1 1 0\np 1 32 0\nfacts 0\nviews 1\n 3:i32 0 1 1 0\n"
            "storages 2\n 0 1 1 0 0 0\n 1 1 1 0 1 0\nsteps 1\n 0 0: 0 1 1 1 1 1 0\nevidence 0\n")
        trace = ("checks 1 0: 0 4\n 0 4:in:x\n 0 6:in:src\n 1 7:fresh 0\n 1 7:fresh 1 2 1:x 0 0 3:src 0 1 0 2\n"
                 " 0 0 0 1 0 2 0 0\n 0 1 0 0 0 3 0 0 1 1 0 3 0: 1 3 1 0 0 0 0 0 1 4 2\n 1:t 0 0 2 0 1 1 2 1 0 0\n")
        for offset, words in [(2, "accepted"), (0, "not shown: places")]:
            place = f" 1:x 0 {offset} 2 0 2 1 0 1 0 {'1 0' if offset else '0'} 0 0 1 0 0 0\nrefutation 0\nsum 0\n"
            cert.write_text(recheck_damage.signed(tables + trace + place))
            self.assertIn(f"\t{words}\n", self.recheck("--table", cert))

    @unittest.skipUnless((BIN / "nc-recheck").exists(), "make recheck builds it")
    def test_moves_between_bytes_and_elements_are_calls(self):
        out = self.folder / "bytes"
        self.run_it("check", ROOT / "corpus/thunder/t7-squeeze-dim", "--certificate", str(out))
        pair = " 0 5 2 2 3 4 0 0\n 1 6 3 4 2 2 0 0\n"  # the bytes of the input are read, and then what was computed is put there
        turned = " 1 5 3 4 2 2 0 0\n 0 6 2 2 3 4 0 0\n"
        certs = [c for c in sorted(out.iterdir()) if c.read_text().count(pair) == 2]
        self.assertGreaterEqual(len(certs), 3)
        for cert in certs:
            text = cert.read_text()
            self.assertIn("\taccepted\n", self.recheck("--table", cert))
            first = text.index(pair) + len(pair)
            cert.write_text(recheck_damage.signed(text[:first] + text[first:].replace(pair, turned)))
            self.assertIn("\tnot shown: a lemma of ", self.recheck("--table", cert))

    def only(self, case, words):
        """The certificate of a case of the corpus, of whose checks nc-recheck says no other words."""
        out = self.folder / case
        self.run_it("check", ROOT / f"corpus/cases/{case}.accept.json", "--certificate", str(out))
        (cert,) = out.iterdir()
        self.assertEqual({line.split("\t")[2] for line in self.recheck("--table", cert).splitlines()}, {words})
        return cert

    @unittest.skipUnless((BIN / "nc-recheck").exists(), "make recheck builds it")
    def test_halves_of_any_size_are_apart(self):
        cert = self.only("sym-halves", "accepted")
        text = cert.read_text()
        half = " 3:f32 0 1 2 1 0 1 4 1 2 2 1 0 0 0\n"  # of 2 s elements those from s on
        self.assertEqual(text.count(half), 1)
        cert.write_text(recheck_damage.signed(text.replace(half, half.replace(" 2 2 1 0 0 0", " 2 0 1 0 0 0"))))  # from 1 on
        self.assertIn("\tnot shown: a lemma of calls\n", self.recheck("--table", cert))

    @unittest.skipUnless((BIN / "nc-recheck").exists(), "make recheck builds it")
    def test_both_checkers_read_one_text_of_a_content(self):
        cert = self.only("sym-halves", "accepted")
        text = cert.read_text()
        of_two, size = "p 1 2 1 2\nfacts 0\n", "numbers 5\n"
        self.assertEqual((text.count(of_two), text.count(size)), (1, 1))
        other = {"": "", "p 2 1 0 2 1 2": "", "p 2 2 1 2 1 0": "in order", "p 1 1 1 2": "in normal form", "p 1  2 1 2": "", "p 1 02 1 2": "zeros",
                 "p 1 2\n1 2": "one blank", "p 1 2 1 2 ": "", "p 1 0 1 2": "in order"}
        for number, why in other.items():
            cert.write_text(recheck_damage.signed(text.replace(of_two, f"{number}\nfacts 0\n") if number else text))
            said, code = recheck_damage.nc_check(cert), subprocess.run([BIN / "nc-recheck", cert], capture_output=True).returncode
            if number in ("", "p 2 1 0 2 1 2"):  # as it was, and of another size in normal form
                self.assertNotEqual(code, 2, number)
                self.assertNotIn("expected", said)
            else:
                self.assertEqual(code, 2, number)
                self.assertRegex(said, f"line 1[0-9], byte .*: expected .*{why}")
        for table, why in (("views", "another form"), ("storages", "another form"), ("steps", "another form"), ("numbers", "of those before")):
            lines = text.split("\n")
            at = next(k for k, line in enumerate(lines) if line.startswith(table + " "))
            many = int(lines[at].split()[1])
            lines[at:at + many + 1] = [f"{table} {many + 1}", *lines[at + 1:at + many + 1], lines[at + many]]  # the last one twice
            cert.write_text(recheck_damage.signed("\n".join(lines)))
            self.assertRegex(recheck_damage.nc_check(cert), f"expected .*{why}")
            self.assertRegex(self.recheck("--table", cert), f"expected .*{why}")
        cert.write_text(recheck_damage.signed(text.replace("noclobber.cert/2", "noclobber.cert/1", 1)))
        self.assertIn("which is no longer read: write it again", recheck_damage.nc_check(cert))
        self.assertIn("which is no longer read: write it again", self.recheck("--table", cert))

    @unittest.skipUnless((BIN / "nc-recheck").exists(), "make recheck builds it")
    def test_rooms_of_any_size_are_large_enough(self):
        cert = self.only("plan-symbolic-size", "accepted")
        text = cert.read_text()
        self.assertEqual(text.count("symbols 1\n 2:s0 1 1 1 8 1\n"), 1)
        cert.write_text(recheck_damage.signed(text.replace(" 2:s0 1 1 1 8 1\n", " 2:s0 1 1 1 9 1\n")))  # one element more than there is room
        self.assertIn("\tnot shown: places\n", self.recheck("--table", cert))

    def of_log(self, log, words):
        """The only certificate of a log of the corpus in which these words stand."""
        out = self.folder / pathlib.Path(log).name
        self.run_it("check", ROOT / f"corpus/logs/{log}.log.gz", "--certificate", str(out))
        (text,) = (text for text in (cert.read_text() for cert in out.iterdir()) if words in text)
        return text

    @unittest.skipUnless((BIN / "nc-recheck").exists(), "make recheck builds it")
    def test_what_nc_recheck_alone_accepts_has_a_reason(self):
        cert = self.only("plan-two-arenas", "accepted")
        asked = recheck_reasons.Asked(recheck_damage.nc_check, recheck_damage.nc_recheck, recheck_damage.signed)
        honest = cert.read_text()
        text = recheck_reasons.without_below(honest)  # what a placement says of its neighbour
        said, accepted = asked.ask(text)
        self.assertEqual((said.partition(":")[0], accepted), ("not proved", True))
        self.assertEqual(recheck_reasons.reason(asked, text, said), "neighbours of places")
        self.assertIsNone(recheck_reasons.reason(asked, text, "not proved: what nobody knows"))
        self.assertEqual(asked.ask(recheck_reasons.without_evidence(honest)), ("proved", True))
        # What damaged texts of `make recheck-damage` showed, with NC_SEED=12 and 14.
        lemma = " 4 1 5 1 5 1 0 2 5 2 5 2 1 0 "  # what a storage holds, and then a write of it
        honest = self.of_log("open/ok-kvcache-dynamic", lemma)
        self.assertEqual(asked.ask(honest), ("proved", True))
        text = honest.replace(lemma, " 4 1 6 1 5 1 0 2 5 2 5 2 1 0 ")
        self.assertEqual(recheck_reasons.reason(asked, text, asked.ask(text)[0]), "what was there before")
        diagonal = " 3:f32 0 1 0 1 0 2 0 1 1 0 2 2 2 0 0 3 0 1 3\n"
        text = self.of_log("miscompiled/saved-rows", "about 13:-_0_0_0_split\n")
        self.assertEqual(text.count(diagonal), 1)
        text = text.replace(diagonal, diagonal.replace(" 0 0 3 ", " 0 1 3 "))  # 2 i of 5 for i of 4: it leaves the storage (NC_SEED=14)
        self.assertTrue(asked.accepted(text))
        self.assertEqual(recheck_reasons.reason(asked, text, asked.ask(text)[0]), "no run")
        for other, why in [(honest.replace(lemma, " 5 1 5 1 5 1 0 1 5 1 5 1 0 2 5 2 5 2 1 0 "), "another lemma"),
                           (honest.replace("\nevidence 0\n", "\nevidence 1\n 0 1 8 0 0 0 0 0\n"), "a smaller kind")]:
            said, accepted = asked.ask(other)
            self.assertEqual((said.rpartition("expected ")[2], accepted), (why, False))

    @unittest.skipUnless((BIN / "nc-recheck").exists(), "make recheck builds it")
    def test_a_refutation_of_a_rule_is_replayed(self):
        for case, at, other in [("z19-tied-op-without-clone", "\nrefutation 1 6 0 1 0 ", "\nrefutation 1 6 0 0 0 ")]:
            out = self.folder / case
            self.run_it("check", ROOT / f"corpus/cases/{case}.refute.json", "--certificate", str(out))
            (cert,) = out.iterdir()
            text = cert.read_text()
            self.assertEqual(text.count(at), 1, text[text.index("\nrefutation"):][:60])
            self.assertIn("\trefuted\n", self.recheck("--table", cert))
            cert.write_text(recheck_damage.signed(text.replace(at, other)))
            self.assertIn("\tnot shown: a refutation\n", self.recheck("--table", cert))

    @unittest.skipUnless((BIN / "nc-recheck").exists(), "make recheck builds it")
    def test_a_refutation_is_replayed_with_operators_that_tell(self):
        out = self.folder / "refuted"
        self.run_it("check", ROOT / "corpus/doc/slice-zero.refute.json", "--certificate", str(out))
        (cert,) = out.iterdir()
        text, at = cert.read_text(), "\nrefutation 1 4 0 0 0 2 0 0 0 0 0\n"  # output 0 at [0, 0]
        self.assertEqual(text.count(at), 1)
        said = {at: (1, "refuted"), at.replace("2 0 0 0", "2 9 0 0"): (3, "not shown: a refutation"),  # no such element
                at.replace("1 4 0", "1 8 0"): (3, "outside: a refutation of sharing with no input"), "\nrefutation 0\n": (3, "not shown: an output")}
        for other, (code, words) in said.items():
            cert.write_text(recheck_damage.signed(text.replace(at, other)))
            done = subprocess.run([BIN / "nc-recheck", "--table", cert], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout.rstrip("\n").split("\t")[-1]), (code, words), other)

    @unittest.skipUnless((BIN / "nc-recheck").exists(), "make recheck builds it")
    def test_bodies_are_shown_before_they_are_used(self):
        cert = self.only("loop-ping-pong-buffers", "accepted")
        text = cert.read_text()
        self.assertGreater(text.count("\nchecks 3 11:loop0 body0 "), 0, text[text.index("\nchecks"):][:60])
        other = text.replace("11:loop0 body0 ", "11:loop9 body0 ", 1)  # in the table of steps: a body that no check shows
        self.assertLess(other.index("loop9"), other.index("\nchecks "))
        cert.write_text(recheck_damage.signed(other))
        self.assertIn("\toutside: a body that is not shown\n", self.recheck("--table", cert))

    def test_a_solver_is_taken_at_its_word_where_that_is_asked_for(self):
        path = ROOT / "corpus/cases/z61-padding-of-batch-1-kept.accept.json"
        out = self.folder / "solved"
        out.mkdir()
        ran = self.run_it("check", path, "--certificate", str(out), "--json")
        (record,) = [r for r in map(json.loads, ran.stdout.splitlines()) if r["kind"] == "check"]
        self.assertEqual((record["status"], record["checked_by"]), ("proved", []))
        self.assertIn("z3", " ".join(record["assumptions"]))
        (cert,) = out.iterdir()
        self.assertEqual(self.check("--accept-solver", cert).returncode, 0)
        doubted = self.check(cert)
        self.assertEqual((doubted.returncode, doubted.stdout.split(":")[0]), (3, "not proved"))
        self.assertEqual(self.run_it("check", path, "--strict").returncode, 3)

    def test_every_proof_of_the_corpus_is_accepted(self):
        """Each proved check has a certificate, and nc-check accepts it as it lies on the disk."""
        inputs = [p for p in sorted((ROOT / "corpus").rglob("*")) if p.is_file() and p.suffix in (".json", ".gz", ".pt2", ".pte")
                  and p.relative_to(ROOT / "corpus").parts[0] not in ("golden", "index", "schemas")]
        self.assertGreater(len(inputs), 200)
        accepted = 0
        for path in inputs:
            out = self.folder / f"proofs{accepted}-{path.stem}"
            out.mkdir(exist_ok=True)
            ran = self.run_it("check", path, "--json", "--jobs", "1", "--certificate", str(out))
            records = [r for r in map(json.loads, ran.stdout.splitlines()) if r["kind"] == "check"]
            taken = {}
            for record in records:
                name = re.sub(r"[^A-Za-z0-9_.-]", "_", record["id"]) or "check"
                taken[name] = taken.get(name, 0) + 1
                cert = out / (name + (f".{taken[name]}" if taken[name] > 1 else "") + ".cert")
                if record["status"] != "proved":
                    continue
                accept = [] if record["checked_by"] == ["nc-check"] else ["--accept-solver"]
                said = self.check(*accept, cert)
                self.assertEqual(said.returncode, 0, (path, record["id"], said.stdout, said.stderr))
                accepted += 1
        self.assertGreater(accepted, 200)

    def test_unreadable(self):
        _, certs = self.issue(cli_test.PROVED)
        (cert,) = certs.values()
        text = cert.read_bytes()
        damaged = {"empty": b"", "half": text[:len(text) // 2], "bit": text.replace(b"about", b"abouu"),
                   "tail": text + b"x", "binary": bytes(range(256)), "hash": text[:-3] + b"xx\n"}
        for name, content in damaged.items():
            out = self.check(self.write(name, content))
            self.assertEqual((out.returncode, out.stdout), (2, ""), name)
            self.assertIn("expected", out.stderr)
        self.assertEqual(self.check(self.folder / "missing").returncode, 2)
        self.assertEqual(self.check().returncode, 2)

    def test_no_evidence_is_surplus(self):
        """Seed 50027: what was searched for a claim that the solver made in the end is not written down."""
        steps = [{"name": "c", "op": "aten.cat.default", "args": [[{"ref": "x"}, {"ref": "x"}], 1]}]
        seen = {"name": "u", "op": "aten.view.dtype", "args": [{"ref": "c"}, {"dtype": "u8"}]}
        side = {"inputs": [{"name": "x", "type": {"dtype": "f32", "shape": [2, 3]}}], "outputs": [{"ref": "c"}]}
        text = json.dumps({"format": "noclobber.case/1", "name": "surplus", "order": "dataflow", "names": "storages",
                           "before": {**side, "steps": [*steps, seen]},
                           "after": {**side, "steps": [{**steps[0], "stream": "t0"}]}})
        path, certs = self.issue(text)
        (cert,) = certs.values()
        out = self.check("--accept-solver", cert, path)
        self.assertEqual((out.returncode, out.stdout.split(":")[0]), (0, "proved"), out.stdout)

    def certified(self, before, after, inputs, outputs=(), **more):
        """nc-check's exit code and first word for a pair of lists of steps, and noclobber's exit code."""
        side = {"inputs": inputs, "outputs": list(outputs)}
        text = json.dumps({"format": "noclobber.case/1", "name": "pair", "names": "storages", **more,
                           "before": {**side, "steps": before}, "after": {**side, "steps": after}})
        path, certs = self.issue(text)
        (cert,) = certs.values()
        out = self.check(cert, path)
        return out.returncode, out.stdout.split(":")[0], self.run_it("check", path).returncode

    def test_an_order_that_an_identity_leaves_out(self):
        """Seed 400023731: neg of what a fill stored is another fill, but reads it all the same."""
        one = {"dtype": "f32", "shape": [1], "stride": [1]}
        step = lambda name, op, ref, **more: {"name": name, "op": f"aten.{op}", "args": [{"ref": ref}], "types": [one], **more}
        x = [{"name": "x", "type": {"dtype": "f32", "shape": [1]}}]
        ones = step("o", "ones_like.out", "x", kwargs={"out": {"ref": "t"}})
        for read, code, said in [("t", (1, 1), "refuted"), ("o", (0, 0), "proved")]:
            steps = [step("t", "relu.default", "x"), ones, step("n", "neg.default", read)]
            got = self.certified(steps, steps, x, [{"ref": "n"}], order="dataflow")
            self.assertEqual(got, (code[0], said, code[1]))

    def test_a_fact_shows_itself(self):
        """Seed 992039295: under i >= 1 the checker looked for a derivation of i >= 1."""
        cut = lambda name, of, start, end: {"name": name, "op": "aten.slice.Tensor", "args": [{"ref": of}, 0, start, end, 1]}
        copy = lambda name, to, of: {"name": name, "op": "aten.copy_.default", "args": [{"ref": to}, {"ref": of}]}
        x = [{"name": "x", "type": {"dtype": "f32", "shape": [3, 1]}}]
        moved = [cut("low", "x", 0, 2), cut("high", "x", 1, 3),
                 {"name": "c", "op": "aten.clone.default", "args": [{"ref": "high"}]}, copy("m", "low", "c")]
        parts = [cut("p", "high", 1, 2), cut("q", "high", 0, 1)]
        # x[1] is x[2] by then: to copy it back is idle, to copy it on is not.
        self.assertEqual(self.certified([*moved, *parts, copy("n", "p", "q")], moved, x), (0, "proved", 0))
        other = [*moved, cut("o", "x", 0, 1), parts[1], copy("n", "o", "q")]
        self.assertEqual(self.certified(other, moved, x), (1, "refuted", 1))

    def test_inputs(self):
        path, certs = self.issue(cli_test.PROVED)
        (cert,) = certs.values()
        bound = self.check(cert, path)
        self.assertEqual(bound.returncode, 0)
        self.assertIn("inputs bound", bound.stdout)
        other = self.write("other.json", cli_test.REFUTED)
        for given, said in [((other,), "is not an input"), ((path, other), "is not an input"),
                            ((path, self.folder / "gone"), "cannot be read")]:
            out = self.check(cert, *given)
            self.assertEqual((out.returncode, out.stdout), (2, ""))
            self.assertIn(said, out.stderr)

    def test_an_input_that_was_not_given(self):
        before, after = self.write("a.txt", cli_test.FX.format(x="a", op="sin")), self.write(
            "b.txt", cli_test.FX.format(x="a", op="sin") + "\n")
        out = self.folder / "compared"
        out.mkdir()
        ran = self.run_it("compare", before, after, "--certificate", str(out))
        certs = list(out.iterdir())
        if ran.returncode == 2 or not certs:
            self.skipTest("compare writes no certificate")
        self.assertEqual(self.check(certs[0], before, after).returncode, 0)
        missing = self.check(certs[0], before)
        self.assertEqual(missing.returncode, 2)
        self.assertIn("was not given", missing.stderr)

    def test_a_packed_input_is_hashed_as_it_lies(self):
        path, certs = self.issue(gzip.compress(cli_test.log().encode(), mtime=0), name="log.gz")
        self.assertTrue(certs)
        plain = self.write("log", cli_test.log())
        for cert in certs.values():
            self.assertEqual(self.check(cert, path).returncode, 0)
            self.assertEqual(self.check(cert, plain).returncode, 2)

    def test_two_checks_of_one_id_are_two_certificates(self):
        a, b = self.write("a.json", cli_test.PROVED), self.write("b.json", cli_test.PROVED + "\n")
        out = self.folder / "both"
        out.mkdir()
        self.run_it("check", a, b, "--certificate", str(out))
        names = sorted(p.name for p in out.iterdir())
        self.assertEqual(len(names), 2)
        self.assertEqual([self.check(out / n).returncode for n in names], [0, 0])

    def test_runs_and_jobs_do_not_show(self):
        results = []
        for jobs in ("1", "1", "1", "2", "4"):
            out = self.folder / f"run{len(results)}"
            out.mkdir()
            self.run_it("check", str(LOG), str(ROOT / "corpus/doc/slice-zero.accept.json"), "--jobs", jobs, "--certificate",
                        str(out))
            results.append({p.name: p.read_bytes() for p in out.iterdir()})
        self.assertEqual(len(results[0]), 3)
        for other in results[1:]:
            self.assertEqual(other, results[0])


if __name__ == "__main__":
    if "--fix" in sys.argv:
        page = PAGE.read_text()
        PAGE.write_text(BLOCK.sub(lambda m: f"```\n$ {m[1]}\n{printed(m[1])}```", page))
        sys.exit(0)
    unittest.main(defaultTest=["Page", "NcCheck"])
