#!/usr/bin/env python3
"""tools/check_proof.py refuses what it is there for, each time for the stated reason."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLEAN = "".join(f"* {h}: <none>\n\n" for h in (
    "Axioms", "Constants/Inductives relying on type-in-type", "Constants/Inductives relying on unsafe (co)fixpoints",
    "Inductives whose positivity is assumed"))


class Proof(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="nc_proof_")
        self.root = pathlib.Path(self.folder.name)
        shutil.copytree(ROOT / "checker/proof", self.root / "checker/proof")
        (self.root / "docs").mkdir()
        shutil.copy(ROOT / "docs/trust.md", self.root / "docs")

    def tearDown(self):
        self.folder.cleanup()

    def check(self, *options):
        done = subprocess.run([sys.executable, ROOT / "tools/check_proof.py", *options, self.root], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_the_proof_as_it_is(self):
        self.assertEqual(self.check()[0], 0, self.check()[1])

    def test_each_way_to_say_less(self):
        for line, why in [("Lemma x : False. Admitted.", "something is admitted"), ("Lemma x : False. admit.", "something is admitted"),
                          ("Axiom x : False.", "something is assumed"), ("Parameter x : nat.", "something is assumed"),
                          ("Conjecture x : False.", "something is assumed"), ("Variable x : False.", "outside of a section"),
                          ("Hypothesis x : False.", "outside of a section"), ("Unset Guard Checking.", "switched off"),
                          ("#[bypass_check(guard)] Fixpoint f (n : nat) : nat := f n.", "switched off"),
                          ("Extract Constant plus => \"(+)\".", "nobody reviewed"), ("Extract Inductive nat => int [ \"0\" \"succ\" ].", "nobody reviewed"),
                          ("Require Import ExtrOcamlNatInt.", "nobody reviewed"), ("Require Import Coq.Logic.Classical.", "library of axioms"),
                          ("Require Import FunctionalExtensionality.", "library of axioms")]:
            file = self.root / "checker/proof/Check.v"
            text = file.read_text()
            file.write_text(text + line + "\n")
            code, said = self.check()
            self.assertEqual(code, 1, line)
            self.assertIn(why, said, line)
            file.write_text(text + "(* " + line + " (* nested *) *)\n")
            self.assertEqual(self.check()[0], 0, line)
            file.write_text(text)

    def test_meaning_does_not_change_in_silence(self):
        file = self.root / "checker/proof/Sem.v"
        text = file.read_text()
        file.write_text(text.replace("Definition undefined : N := 1.", "Definition undefined : N := 2."))
        code, said = self.check()
        self.assertEqual(code, 1)
        self.assertIn("docs/trust.md: says nothing of this checker/proof/Sem.v", said)

    def test_lengths(self):
        file = self.root / "checker/proof/Sem.v"
        file.write_text(file.read_text() + "Definition x : nat :=\n" + "  S (\n" * 25 + "0" + ")" * 25 + ".\n")
        self.assertIn("a definition has 27 lines", self.check()[1])
        file = self.root / "checker/proof/Check.v"
        file.write_text(file.read_text() + "\n" * 400)
        self.assertIn("400 are allowed", self.check()[1])

    def test_an_axiom_that_coqchk_lists(self):
        said = self.root / "said"
        said.write_text(CLEAN)
        self.assertEqual(self.check("--coqchk", said)[0], 0)
        for was, now in [("* Axioms: <none>", "* Axioms:\n    NC.Check.x"), ("type-in-type: <none>", "type-in-type:\n  NC.Sem.x"), (CLEAN, "")]:
            said.write_text(CLEAN.replace(was, now))
            self.assertEqual(self.check("--coqchk", said)[0], 1, now)

    def test_an_empty_folder_is_no_proof(self):
        shutil.rmtree(self.root / "checker/proof")
        self.assertIn("there is no proof", self.check()[1])


if __name__ == "__main__":
    unittest.main()
