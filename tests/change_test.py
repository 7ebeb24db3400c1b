#!/usr/bin/env python3
"""`diff` and `check --against`: what a change brought, against a comparison in a few lines of Python and against what was
planted.  NC_BIN_DIR names another folder with the program."""
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import unittest

import mlx_payload
from in_folder import InFolder
from words_test import MORE, RULES, Pattern, case_of, given, plan_pattern, place, ref, step

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = str(pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")).resolve() / "noclobber")
CHANGES = "introduced", "fixed", "preexisting", "newly_unknown", "newly_proved", "vanished"
PATTERNS = {**RULES, **MORE}
PAYLOADS = {"NC022 of registers"}  # what no graph can break: a list of registers of a delegate


def planted(name, pattern, faults, apart):
    """A case `name` with so many faults of one shape; none: the right rewrite."""
    patterns = [pattern(k) for k in range(max(1, faults))]
    if faults == 0:
        (right,) = patterns
        if right.before is None:
            patterns = [plan_pattern(0, [place("a0", 0), place("d0", 32), place("y0", 64)])]
        else:
            right.after, right.after_outputs, right.case = right.before, right.outputs, {}
    return case_of(patterns, apart) | {"name": name}


def listing(faults, apart):
    """An MLX payload that lists so many temporaries as inputs; `apart`: with an instruction that nothing else needs."""
    own = range(2, 2 + faults)
    steps = [mlx_payload.copy(0, 1)] + [mlx_payload.copy(0, 2 + faults)] * apart
    return mlx_payload.payload([0, 1, 1, 0, faults + apart], [0, *own], [1], steps)


def waiting(faults, apart):
    """A graph in an order of its dependences with so many barriers that order nothing."""
    steps = [step("w", "copy_.default", "b", "x")]
    for k in range(faults):
        steps += [step(f"r{k}", "sin.default", f"x{k}", barrier=True), step(f"s{k}", "exp.default", f"r{k}")]
    inputs = [given("b", kind="buffer"), given("x"), *(given(f"x{k}") for k in range(faults))]
    return case_of([Pattern(inputs, steps, steps, [f"s{k}" for k in range(faults)], order="dataflow")], apart)


def unknown(name, op, apart):
    steps = [{"name": "y", "op": op, "args": [ref("x")], "types": [{"dtype": "f32", "shape": [4]}]}]
    return case_of([Pattern([given("x")], steps, steps, ["y"])], apart) | {"name": name}


def proved(name):
    steps = [step("y", "sin.default", "x")]
    return case_of([Pattern([given("x")], steps, steps, ["y"])]) | {"name": name}


def checks(text):
    return [r for r in map(json.loads, text.splitlines()) if r["kind"] == "check"]


def by_hand(old, new):
    """The comparison again: multisets of fingerprints, and of checks."""
    def findings(records):
        return collections.Counter(f["fingerprint"].partition("#")[0] for r in checks(records) for f in r["findings"]
                                   if f["status"] == "refuted" and "follows" not in f)

    def unknowns(records):
        return collections.Counter(u["fingerprint"] for r in checks(records) for u in r["unknown"])

    def made(records):
        return collections.Counter((r["id"], r["what"]) for r in checks(records))

    return {"introduced": findings(new) - findings(old), "fixed": findings(old) - findings(new),
            "preexisting": findings(old) & findings(new), "newly_unknown": unknowns(new) - unknowns(old),
            "vanished": made(old) - made(new)}


class Change(InFolder):
    def run_it(self, *arguments, **more):
        return subprocess.run([BINARY, *map(str, arguments)], cwd=ROOT, capture_output=True, timeout=120, **more)

    def inputs(self, name, *cases):
        home = self.folder / name
        home.mkdir()
        for case in cases:
            (home / f"{case['name']}.json").write_text(json.dumps(case))
        return home

    def faulty(self, folder, rule, count, apart=False):
        """A folder with a program that breaks `rule` so often."""
        if rule in PAYLOADS:
            self.write(f"{folder}/a.mlx", listing(count, apart))
            return self.folder / folder
        return self.inputs(folder, planted(rule.replace(" ", "-"), PATTERNS[rule], count, apart))

    def records(self, folder):
        path = folder.with_suffix(".jsonl")
        path.write_bytes(self.run_it("check", folder, "--json").stdout)
        return path

    def diff(self, *arguments, code):
        """Changes by kind, and the `diff` record."""
        ran = self.run_it(*arguments, "--json")
        self.assertEqual(ran.returncode, code, ran.stderr.decode())
        records = [json.loads(line) for line in ran.stdout.splitlines()]
        changes = {kind: [r for r in records if r.get("change") == kind] for kind in CHANGES}
        (total,) = (r for r in records if r["kind"] == "diff")
        self.assertEqual({kind: len(changes[kind]) for kind in CHANGES}, {kind: total[kind] for kind in CHANGES})
        self.assertEqual(total["exit"], code)
        return changes, ran.stdout


class TwoPasses(Change):
    def passes(self, count):
        """Cases of two passes: what the old and the new one make of the same programs, and what was planted."""
        choose = random.Random(9)
        old, new, faults = [], [], {"old": collections.Counter(), "new": collections.Counter()}
        for k in range(count):
            rule = list(PATTERNS)[k % len(PATTERNS)]
            name = f"p{k:03}-{rule.replace(' ', '-')}"
            was, now = (choose.choice([0, 0, 1, 1, 2]) for _ in range(2))
            where = choose.choice(["both"] * 8 + ["old", "new"])
            if where != "new":
                old.append(planted(name, PATTERNS[rule], was, apart=False))
                faults["old"][rule] += was
            if where != "old":
                new.append(planted(name, PATTERNS[rule], now, apart=choose.random() < 0.7))
                faults["new"][rule] += now
        for k, op in enumerate(["nobody.knows.default", "nobody.cares.default"] * 3):
            (old if k < 3 else new).append(unknown(f"u{k}", op, apart=k >= 3))
            (new if k < 3 else old).append(proved(f"u{k}"))
        return old, new, faults

    def test_against_the_comparison_by_hand(self):
        old_cases, new_cases, faults = self.passes(130)
        old, new = self.inputs("old", *old_cases), self.inputs("new", *new_cases)
        for home, count in ((old, 1), (new, 2)):
            (home / "m.mlx").write_bytes(listing(count, apart=home == new))
        changes, text = self.diff("diff", self.records(old), self.records(new), code=1)
        was, now = old.with_suffix(".jsonl").read_text(), new.with_suffix(".jsonl").read_text()
        expected = by_hand(was, now)
        for kind in ("introduced", "fixed", "preexisting"):
            got = collections.Counter(c["fingerprint"].partition("#")[0] for c in changes[kind])
            self.assertEqual(got, expected[kind], kind)
            self.assertGreater(len(got), 5, kind)
        self.assertEqual(collections.Counter(c["fingerprint"] for c in changes["newly_unknown"]), expected["newly_unknown"])
        self.assertEqual(collections.Counter((c["id"], c["what"]) for c in changes["vanished"]), expected["vanished"])
        self.assertEqual(sorted(c["id"] for c in changes["newly_proved"]), sorted(
            r["id"] for r in checks(now) if r["status"] == "proved"
            and any(o["id"] == r["id"] and o["what"] == r["what"] and o["status"] != "proved" for o in checks(was))))
        # What was planted, rule by rule: unrelated steps introduce nothing, a second fault of one shape is one.
        faults["old"]["NC022 of registers"], faults["new"]["NC022 of registers"] = 1, 2
        rules = {r: [rule for rule in [*PATTERNS, *PAYLOADS] if rule.startswith(r)] for r in {rule[:5] for rule in PATTERNS}}
        for code, names in rules.items():
            with self.subTest(code):
                net = sum(faults["new"][n] - faults["old"][n] for n in names)
                found = [sum(c["rule"] == code for c in changes[kind]) for kind in ("introduced", "fixed")]
                self.assertEqual(found[0] - found[1], net)
                if len(names) == 1:  # one shape: one of the two is none
                    self.assertEqual(min(found), 0)
        # Inputs instead of records, either side, `check --against`, and again: the same bytes.
        for one, other in ((old, new), (old, new.with_suffix(".jsonl")), (old.with_suffix(".jsonl"), new)):
            self.assertEqual(self.diff("diff", one, other, code=1)[1], text)
        both = self.diff("check", new, "--against", old, code=1)[1]
        self.assertEqual(b"".join(l for l in both.splitlines(True) if b'"kind":"change"' in l or b'"kind":"diff"' in l), text)
        self.assertEqual(checks(both), checks(now))

    def test_every_rule(self):
        """Of each rule: one more fault is introduced, one less fixed, an unrelated step changes nothing."""
        counts = lambda changes: [len(changes[kind]) for kind in CHANGES]
        for rule in [*PATTERNS, *PAYLOADS]:
            with self.subTest(rule):
                name = rule.replace(" ", "-")
                one, two, more = (self.records(self.faulty(f"{name}-{k}-{apart}", rule, k, apart))
                                  for k, apart in ((1, False), (2, False), (2, True)))
                apart = self.records(self.faulty(f"{name}-apart", rule, 1, apart=True))
                for new in (two, more):
                    self.assertEqual(counts(brought := self.diff("diff", one, new, code=1)[0]), [1, 0, 1, 0, 0, 0])
                    self.assertEqual(brought["introduced"][0]["rule"], rule[:5])
                self.assertEqual(counts(self.diff("diff", two, one, code=0)[0]), [0, 1, 1, 0, 0, 0])
                self.assertEqual(counts(self.diff("diff", one, apart, code=0)[0]), [0, 0, 1, 0, 0, 0])

    def test_no_rule_is_left_out(self):
        """Each rule that the page of records lists is above, but for advice, which is no change."""
        page = (ROOT / "docs" / "records.md").read_text()
        listed = dict(re.findall(r"^\| (NC\d{3}) \| `([^`]+)` \|", page, re.MULTILINE))
        advice = {rule for rule, name in listed.items() if name.startswith("lint-")}
        self.assertEqual({rule[:5] for rule in PATTERNS}, set(listed) - advice)
        self.assertEqual(advice, {"NC040", "NC041", "NC042"})

    def test_advice_is_no_change(self):
        """A barrier more that orders nothing: said of the check, and the gate stays open."""
        one, two = (self.records(self.inputs(f"b{k}", waiting(k, False) | {"name": "a"})) for k in (1, 2))
        lints = [checks(path.read_text())[0]["lints"] for path in (one, two)]
        self.assertEqual([[(lint["rule"], len(lint["idle"])) for lint in said] for said in lints], [[("NC040", 1)], [("NC040", 2)]])
        self.assertEqual(self.diff("diff", one, two, code=0)[0], {kind: [] for kind in CHANGES})


class Claims(Change):
    def test_a_graph_that_is_compared_with_another_one_now_has_not_vanished(self):
        """A graph alone, then beside what it means: the same check with a stronger claim. The other way a claim is gone."""
        alone = {k: v for k, v in proved("a").items() if k != "before"}
        one, two, other = self.inputs("one", alone), self.inputs("two", proved("a")), self.inputs("other", proved("b"))
        changes, _ = self.diff("diff", one, two, code=0)
        self.assertEqual({k for k in CHANGES if changes[k]}, set())
        for old, new in ((two, one), (one, other)):
            changes, _ = self.diff("diff", old, new, code=3)
            self.assertEqual([(c["id"], c["what"]) for c in changes["vanished"]], [("a", "pair" if old == two else "single")])
        both = self.inputs("both", alone, alone | {"name": "c"})  # one that takes the place of another takes it once
        changes, _ = self.diff("diff", both, two, code=3)
        self.assertEqual([c["id"] for c in changes["vanished"]], ["c"])


class Codes(Change):
    def test_fail_on(self):
        """Each kind of change, and what it makes of the exit code."""
        fault, fault2 = planted("a", RULES["NC001"], 1, False), planted("a", RULES["NC001"], 2, False)
        open_, done = unknown("b", "nobody.knows.default", False), proved("b")
        gone = proved("c")
        levels = (), ("--fail-on", "vanished"), ("--fail-on", "unknown"), ("--fail-on", "introduced"), ("--fail-on", "none")
        table = [([fault], [fault], [0, 0, 0, 0, 0]),
                 ([fault], [fault2], [1, 1, 1, 1, 0]),
                 ([fault2], [fault], [0, 0, 0, 0, 0]),
                 ([done], [open_], [3, 3, 3, 0, 0]),
                 ([open_], [done], [0, 0, 0, 0, 0]),
                 ([done, gone], [done], [3, 3, 0, 0, 0]),
                 ([fault, done, gone], [fault2, open_], [1, 1, 1, 1, 0])]
        for k, (old, new, codes) in enumerate(table):
            old, new = (self.records(self.inputs(f"{side}{k}", *cases)) for side, cases in (("o", old), ("n", new)))
            for level, code in zip(levels, codes):
                with self.subTest(k=k, level=level):
                    self.diff("diff", old, new, *level, code=code)
                    self.diff("check", new, "--against", old, *level, code=code)

    def test_precedence(self):
        """1 before 2 before 3; what cannot be read on either side is never silent."""
        fault = planted("a", RULES["NC001"], 1, False)
        old = self.records(self.inputs("old", proved("a"), proved("b")))
        broken = self.inputs("broken", proved("a"))
        (broken / "x.json").write_text('{"format":"noclobber.case/1"')
        self.diff("diff", old, broken, code=2)  # and b vanished
        self.diff("diff", broken, old, code=2)
        self.diff("diff", self.folder / "missing", old, code=2)
        self.diff("diff", old, self.folder / "missing", code=2)
        (broken / "y.json").write_text(json.dumps(fault))
        self.diff("diff", old, broken, code=1)
        self.diff("diff", old, broken, "--fail-on", "none", code=2)
        cut = self.folder / "cut.jsonl"
        cut.write_bytes(old.read_bytes()[:-200])
        self.diff("diff", old, cut, code=2)
        self.diff("diff", cut, old, code=2)
        alarm = self.folder / "alarm.jsonl"
        alarm.write_text(old.read_text().replace('"ran":', '"contradiction":"y is 1, not 2","ran":', 1))
        self.diff("diff", old, alarm, code=4)
        empty = self.inputs("empty")
        self.diff("diff", empty, old, code=2)
        for level in ("introduced", "vanished"):
            ran = self.run_it("check", broken, "--fail-on", level)
            self.assertEqual(ran.returncode, 2)
            self.assertIn(b"nothing to compare with", ran.stderr)

    def test_text(self):
        """A reviewer sees what is new in full, the rest as numbers; --list names all."""
        old = self.inputs("old", planted("a", RULES["NC001"], 1, False), proved("b"), proved("c"),
                          planted("d", RULES["NC002"], 1, False))
        new = self.inputs("new", planted("a", RULES["NC001"], 2, False), unknown("b", "nobody.knows.default", False), proved("d"))
        ran = self.run_it("diff", old, new)
        text = ran.stdout.decode()
        self.assertEqual(text.count("error["), 1)
        self.assertIn("newly unknown", text)
        self.assertIn("nobody.knows", text)
        self.assertIn("vanished", text)
        last = text.splitlines()[-1]
        self.assertTrue(last.startswith("✗ 1 introduced, 1 fixed, 1 preexisting; 2 newly unknown, 1 newly proved, 1 vanished ("), last)
        self.assertLess(len(text.splitlines()), 24)
        listed = self.run_it("diff", old, new, "--list").stdout.decode()
        for kind in CHANGES:
            self.assertEqual(sum(line.startswith(kind.replace("_", " ")) for line in listed.splitlines()),
                             2 if kind == "newly_unknown" else 1, kind)

    def test_one_shape_is_told_once(self):
        """Introduced findings of one fingerprint in several checks are told once, and counted."""
        old = self.inputs("old", *(planted(name, RULES["NC001"], 0, False) for name in "abc"))
        new = self.inputs("new", *(planted(name, RULES["NC001"], 1 + (name == "a"), False) for name in "abc"))
        text = self.run_it("diff", old, new).stdout.decode()
        self.assertEqual(text.count("error[NC001]"), 2)
        self.assertIn("  also in  2: ", text)
        self.assertIn("✗ 4 introduced, 0 fixed", text)
        self.assertEqual(self.run_it("diff", new, old, "--quiet").stdout, b"")
        self.assertIn(b"error[NC001]", self.run_it("diff", old, new, "--quiet").stdout)

    def test_one_more_stays_where_it_was(self):
        """Of equal findings the one in the check that had it before is the old one."""
        first, second = (planted(name, RULES["NC001"], 1, False) for name in "ba")
        old, new = self.inputs("old", first), self.inputs("new", first, second)
        changes, _ = self.diff("diff", old, new, code=1)
        self.assertEqual([c["id"] for c in changes["introduced"]], ["a"])
        self.assertEqual([c["id"] for c in changes["preexisting"]], ["b"])


if __name__ == "__main__":
    unittest.main()
