"""Why nc-recheck accepts a certificate that nc-check refuses: each has a reason of REASONS, which is tried on the certificate.

A reason goes by what nc-check says and by a change of the text after which what nc-check asked for plays no part: nc-recheck has to
accept the changed text, too, or nc-check to prove it. A certificate without such a reason is a failure of tools/recheck_damage.py.
"""
import pathlib
import re
import tempfile

import trace_run

ROUNDS = 12  # lemmas that are left out one after the other


def put(text, changes):
    """The text with other words at spans: [((from, to), words)]."""
    for (start, end), words in sorted(changes, reverse=True):
        text = text[:start] + words + text[end:]
    return text


def spans(text):
    return trace_run.Certificate(text).spans


def without_evidence(text):
    return put(text, [(span, " 0") for span in spans(text)["evidence"]])


def without_lemmas(text, check=None, lemma=None):
    """Without all lemmas, or without one."""
    found = spans(text)
    counts, lemmas = found["lemma counts"], found["lemmas"]
    if check is None:
        return put(text, [(span, " 0") for span in counts] + [(span, "") for some in lemmas for span in some])
    return put(text, [(counts[check], f" {len(lemmas[check]) - 1}"), (lemmas[check][lemma], "")])


def without_below(text):
    return put(text, [(span, " 0") for span in spans(text)["below"]])


def with_sorted_edges(text):
    changes = []
    for start, end in spans(text)["edges"]:
        numbers = list(map(int, text[start:end].split()[1:]))
        pairs = sorted(set(zip(numbers[::2], numbers[1::2])))
        changes.append(((start, end), f" {len(pairs)}" + "".join(f" {a} {b}" for a, b in pairs)))
    return put(text, changes)


class Asked:
    """Both checkers, about changed texts."""

    def __init__(self, check, recheck, signed):
        self.check, self.recheck, self.signed = check, recheck, signed

    def ask(self, text, *options):
        """(what nc-check says, does nc-recheck accept it?)"""
        with tempfile.TemporaryDirectory(prefix="nc_reason_") as folder:
            cert = pathlib.Path(folder) / "one.cert"
            cert.write_text(self.signed(text), errors="surrogateescape")
            said, _ = self.recheck([cert], *options)
            return self.check(cert), bool(said[cert]) and all(s.startswith("accepted") for s in said[cert])

    def check_text(self, text):
        """What nc-check says."""
        return self.ask(text)[0]

    def accepted(self, text):
        return self.ask(text)[1]

    def one_less(self, text):
        """Each text with one lemma less."""
        for check, some in enumerate(spans(text)["lemmas"]):
            for lemma in range(len(some)):
                yield without_lemmas(text, check, lemma)


def surplus(asked, text):
    """Some lemmas less, one after the other, or without evidence: then nc-check proves it."""
    if asked.ask(without_evidence(text))[0] == "proved":
        return True
    for _ in range(ROUNDS):
        left = None
        for less in asked.one_less(text):
            said = asked.ask(less)[0]
            if said == "proved":
                return True
            if left is None and "surplus" in said:
                left = less
        if left is None:
            return False
        text = left
    return False


def needs_no_lemma(asked, text):
    """nc-recheck accepts it without any lemma, or without the one at which nc-check stops."""
    if asked.accepted(without_lemmas(text)):
        return True
    before = asked.ask(text)[0]
    for less in asked.one_less(text):
        said, accepted = asked.ask(less)
        if accepted and said != before:
            return True
    return False


def with_origins(text):
    """With a lemma, before each of writes, about what was there before these."""
    found, changes = spans(text), []
    for count, some in zip(found["lemma counts"], found["lemmas"], strict=True):
        more = 0
        for start, end in some:
            kind, a, b, c, d, writes = list(map(int, text[start:end].split()[:6]))
            if kind == 2 and min(b, d) >= writes:
                more += 1
                changes.append(((start, start), f" 1 {a} {b - writes} {c} {d - writes} 0"))
        changes.append((count, f" {len(some) + more}"))
    return put(text, changes)


def edges(asked, text):
    said, accepted = asked.ask(with_sorted_edges(text))
    return accepted and "edges in order" not in said


def simpler(said, text):
    """Is the line that nc-check names an index or a quotient? What these come to is for whoever computes with them."""
    found = re.search(r"line (\d+), byte", said)
    return bool(found) and text.splitlines()[int(found[1]) - 1].startswith(("i ", "q "))


REASONS = [
    ("simpler numbers", r"a number in normal form", lambda asked, text: simpler(asked.check_text(text), text),
     "nc-check wants a quotient that can be simplified, and an index of one element, written as what they come to; nc-recheck computes with neither"),
    ("surplus", r"not proved: surplus evidence", surplus,
     "nc-check wants that something rests on each lemma and derivation; nc-recheck leaves alone what it does not need"),
    ("neighbours of places", r"not proved: \d+ obligations are open", lambda asked, text: (
        bool(spans(text)["below"]) and asked.accepted(without_below(text))),
     "nc-check finds out by the neighbour that a placement names; nc-recheck compares each two placements"),
    ("a lemma too many", r"not proved: a lemma is not shown", lambda asked, text: any(asked.ask(t)[0] == "proved" for t in asked.one_less(text)),
     "nc-check wants each lemma to be shown, and proves it without that one; nc-recheck leaves out what says nothing new"),
    ("lemmas", r"not proved: (a lemma is not shown|\d+ obligations are open)", needs_no_lemma,
     "nc-recheck shows what is asked without the lemma: it follows contents element by element, or by another lemma"),
    ("what was there before", r"a lemma is not shown: what was there before", lambda asked, text: (
        asked.ask(with_origins(text))[0].startswith(("proved", "not proved: surplus"))),
     "nc-check wants a lemma about what was there before the writes of another; nc-recheck follows that itself"),
    ("no run", r"a lemma is not shown: a step that disturbs itself was met", lambda asked, text: trace_run.difference(text, False) == trace_run.NO_RUN,
     "a view leaves its storage, so that nothing runs and whatever is claimed of all runs holds; nc-check asks the same of its steps all the same"),
    ("derivations", r"derivation \d+ is wrong|where a rule uses nothing|a line|a rule|hypothes|a derivation|evidence|a number of the table",
     lambda asked, text: asked.accepted(without_evidence(text)), "nc-recheck replays no derivation: it reads them and does not use them"),
    ("derivations of something else", r"not proved: \d+ obligations are open", lambda asked, text: (
        "\nevidence 0\n" not in text and asked.accepted(without_evidence(text))),
     "a derivation shows something that nc-check does not ask for; nc-recheck replays none and does not use them"),
    ("element by element", r"not proved: (a lemma is not shown|\d+ obligations are open)", lambda asked, text: not asked.ask(text, "--by-maps")[1],
     "nc-check compares where elements lie for all at once; where sizes are small constants nc-recheck goes through the elements, and only so accepts it"),
    ("order of edges", r"edges in order", edges, "nc-check wants edges in order, so that equal texts are one; a set of edges has none"),
]


def reason(asked, text, said):
    """The name of the reason, or None."""
    for name, pattern, holds, _ in REASONS:
        if re.search(pattern, said) and holds(asked, text):
            return name
    return None
