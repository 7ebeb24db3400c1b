"""Reads a certificate and runs its Traces, with sizes as they are in it and free operators: what checker/proof/Sem.v says,
written once more for tests. Values are hashes; equal ones stand for equal contents."""
import itertools
import re

MOST = 20_000  # elements that a run may visit
NO_RUN = "no run"  # a view leaves its storage: nothing is claimed of it


class TooLarge(Exception):
    pass


class Leaves(Exception):
    """A view leaves its storage: such a run is none."""


class Words:
    def __init__(self, text):
        self.text, self.at = text, 0

    def word(self):
        found = re.compile(r"[ \n]*([^ \n]+)").match(self.text, self.at)
        self.at = found.end()
        return found.group(1)

    def int(self):
        return int(self.word())

    def quoted(self):
        found = re.compile(r"[ \n]*(\d+):").match(self.text, self.at)
        self.at = found.end() + int(found.group(1))
        return self.text[found.end():self.at]

    def list(self, read):
        return [read() for _ in range(self.int())]

    def maybe(self, read):
        return read() if self.int() else None

    def ints(self):
        return self.list(self.int)


class Certificate:
    def __init__(self, text):
        w = self.w = Words(text)
        w.word(), w.word(), w.quoted(), w.word(), w.list(lambda: (w.quoted(), w.quoted()))
        w.word(), w.quoted(), w.word(), w.list(w.quoted), w.word()
        self.symbols = dict(w.list(lambda: (w.quoted(), w.maybe(w.int), w.maybe(w.int), w.int())[::3]))
        self.numbers = []
        w.word(), w.list(lambda: self.numbers.append(self.number())), w.word(), w.ints(), w.word()
        self.views = w.list(lambda: (w.quoted(), w.int(), w.ints(), w.list(self.map)))
        w.word()
        self.storages = w.list(lambda: (w.int(), w.ints(), w.int(), w.int(), w.int()))
        w.word()
        self.steps = w.list(lambda: (w.int(), w.quoted(), w.int(), w.int(), w.int(), w.list(w.ints), w.list(w.quoted)))
        w.word()
        self.spans = {"evidence": [self.span(lambda: w.list(lambda: (w.ints(), w.list(lambda: [w.int() for _ in range(6)]))))],
                      "lemma counts": [], "lemmas": [], "edges": [], "below": []}  # where these stand in the text
        w.word()
        self.checks = w.list(self.check)

    def span(self, read):
        start = self.w.at
        read()
        return start, self.w.at

    def note(self, what, read):
        self.spans[what].append(self.span(read))

    def number(self):
        w, kind = self.w, self.w.word()
        at = lambda k: self.numbers[k]
        if kind == "s":
            return self.symbols.get(w.quoted())
        if kind == "f":
            name, of = w.quoted(), w.ints()
            return hash(("f", name, tuple(map(at, of)))) % 7
        if kind == "i":
            return w.int(), w.int(), None  # of evidence alone
        if kind == "q":
            p, d = at(w.int()), at(w.int())
            return p // d if isinstance(p, int) and isinstance(d, int) and d > 0 else None
        total = 0
        for factor, of in (w.list(lambda: (w.int(), w.ints())) if kind == "p" else []):
            for k in of:
                factor = factor * at(k) if isinstance(at(k), int) and factor is not None else None
            total = total + factor if factor is not None and total is not None else None
        return total

    def map(self):
        w = self.w
        reshape, source, to = w.int(), w.ints(), w.ints()
        if reshape:
            return "reshape", source, to, w.list(lambda: (w.int(), w.int()))
        return "affine", source, to, [w.int() for _ in source], w.list(lambda: (w.int(), w.int(), w.int()))

    def view(self):
        return self.w.int(), self.w.int()

    def check(self):
        w = self.w
        key, before, after = w.quoted(), w.maybe(self.trace), self.trace()
        asked = w.int(), w.int(), w.int(), w.list(lambda: (w.int(), w.int()))
        w.list(lambda: [w.int() for _ in range(4)])
        count = []
        self.note("lemma counts", lambda: count.append(w.int()))
        lemma = lambda: (kind := w.int(), [w.int() for _ in range(4)], w.ints(), w.quoted() if kind == 3 else None)
        self.spans["lemmas"].append([self.span(lemma) for _ in range(count[0])])
        return key, before, after, asked

    def trace(self):
        w = self.w
        out = {"storages": w.list(lambda: (w.int(), w.quoted())), "inputs": w.list(lambda: (w.quoted(), self.view()))}
        w.int()
        out["steps"] = w.list(self.step)
        out["outputs"] = w.list(lambda: (w.maybe(self.view), w.quoted(), w.ints(), w.int(), w.maybe(w.int)))
        w.list(lambda: (w.int(), w.quoted(), w.int(), w.int())), w.list(lambda: (w.quoted(), w.quoted())), w.int()
        self.note("edges", lambda: w.list(lambda: (w.int(), w.int())))
        w.ints()
        w.list(lambda: (w.quoted(), [w.int() for _ in range(5)], w.maybe(lambda: (w.int(), w.ints())),
                        self.note("below", lambda: w.maybe(w.int))))
        return out

    def step(self):
        w, form = self.w, self.steps[self.w.int()]
        w.int()
        views = [self.view() for _ in range(form[3] + form[4])]
        w.ints(), w.int()
        return form, views[:form[3]], views[form[3]:]


def flat(shape, index):
    at = 0
    for extent, i in zip(shape, index):
        at = at * extent + i
    return at


def unflat(shape, at):
    out = []
    for extent in reversed(shape[1:]):
        out.append(at % extent if extent else 0)
        at = at // extent if extent else 0
    return (out + [at])[::-1] if shape else []


class Run:
    def __init__(self, certificate, trace, side):
        self.c, self.trace, self.side, self.memory, self.visited = certificate, trace, side, {}, 0
        self.shapes = [self.sizes(certificate.storages[form][1], certificate.storages[form][2]) for form, _ in trace["storages"]]
        for step in trace["steps"]:
            self.step(*step)

    def sizes(self, places, lanes=0):
        out = [self.c.numbers[k] for k in places] + ([lanes] if lanes else [])
        if not all(isinstance(e, int) for e in out):
            raise TooLarge
        return out

    def number(self, k):
        if not isinstance(self.c.numbers[k], int):
            raise Leaves
        return self.c.numbers[k]

    def box(self, view):
        _, lanes, shape, _ = self.c.views[view[0]]
        extents = self.sizes(shape, lanes)
        total = 1
        for e in extents:
            total *= max(e, 0)
        self.visited += total
        if self.visited > MOST:
            raise TooLarge
        return list(itertools.product(*(range(e) for e in extents)))

    def cell(self, view, index):
        number = self.number
        index = list(index)
        for kind, source, to, *rest in reversed(self.c.views[view[0]][3]):
            own, more = index[:len(to)], index[len(to):]
            if kind == "affine":
                out = [number(s) for s in rest[0]]
                for t, f, by in rest[1]:
                    out[f] += number(by) * own[t]
            else:
                out, a0, b0 = [], 0, 0
                for a, b in rest[0]:
                    shape = [number(k) for k in to[b0:b]]
                    out += unflat([number(k) for k in source[a0:a]], flat(shape, own[b0:b]))
                    a0, b0 = a, b
            index = out + more
        shape = self.shapes[view[1]]
        if len(index) != len(shape) or any(not 0 <= i < e for i, e in zip(index, shape)):
            raise Leaves
        return view[1], tuple(index)

    def at(self, cell):
        if cell not in self.memory:
            form, key = self.trace["storages"][cell[0]]
            start = self.c.storages[form][0]
            self.memory[cell] = hash((start, key, cell[1]) if start != 1 or self.side == 0 else (self.side, cell))
        return self.memory[cell]

    def read(self, view):
        return [self.at(self.cell(view, i)) for i in self.box(view)]

    def step(self, form, reads, writes):
        kind, key, each, *_, bodies = form
        type_of, lanes = lambda v: self.c.views[v[0]][0], lambda v: self.c.views[v[0]][1]
        found, stored = [self.read(r) for r in reads], {}
        whole = tuple((type_of(r), tuple(f)) for r, f in zip(reads, found))
        plain = not any(map(lanes, reads + writes))
        for slot, write in enumerate(writes):
            for k, i in enumerate(self.box(write)):
                if kind == 0 and type_of(reads[0]) == type_of(write) and lanes(reads[0]) == lanes(write):
                    value = found[0][k] if k < len(found[0]) else None
                elif kind == 1 and plain:
                    value = hash(("fill", key, type_of(write)))
                elif (kind == 0 or each) and plain:
                    value = hash((kind, key, type_of(write), tuple(type_of(r) for r in reads), tuple(f[k] for f in found)))
                else:
                    value = hash((kind, key, tuple(bodies), whole, tuple(type_of(w) for w in writes), slot, i))
                stored[self.cell(write, i)] = value
        self.memory.update(stored)

    def shown(self):
        return [(scalar, self.c.views[view[0]][0] if view else None, self.read(view) if view else None)
                for view, scalar, *_ in self.trace["outputs"]]

    def left(self):
        """What is compared at exit, by who it is."""
        out = {}
        for s, (form, key) in enumerate(self.trace["storages"]):
            start, _, _, _, compared = self.c.storages[form]
            if compared:
                out[start, key] = [self.at((s, i)) for i in itertools.product(*(range(e) for e in self.shapes[s]))]
        return out


def difference(text, alike=False):
    """What the runs of a certificate's checks show: "" that they agree, None that they are too large, NO_RUN, else where they do not.
    `alike`: fresh storages of one key and index hold the same in both."""
    certificate, ran, left = Certificate(text), False, False
    for key, before, after, _ in certificate.checks:
        try:
            one, other = Run(certificate, before or after, 0), Run(certificate, after, 0 if alike else 1)
            if one.shown() != other.shown():
                return f"{key}: outputs differ"
            if before and one.left() != other.left():
                return f"{key}: contents at exit differ"
            ran = True
        except TooLarge:
            continue
        except Leaves:
            left = True
    return "" if ran else NO_RUN if left else None
