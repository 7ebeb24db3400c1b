#!/usr/bin/env python3
"""Refuses a class or struct with more than 40 methods: check_classes.py [ROOT]

In checker/ and src/. A method is a function that the body of the class declares, defined there or not: constructors, operators,
templates, static and defaulted ones count, and so does a friend function, which reaches into the class as a method does. Functions outside of
the class do not, nor do fields, whatever their types say. Each overload counts. A nested class has a count of its own. A base of which one
class alone is made is that class in two pieces: its methods count there, too.

Classes are read token by token, with comments, literals and directives made blank (tools/check_budget.py).
"""
import pathlib
import re
import sys
from typing import NamedTuple

from check_budget import blanked, line_of

METHODS = 40

TOKEN = re.compile(r"\w+|->|::|&&|\.\.\.|[^\s\w]")
CLOSING = {"(": ")", "[": "]", "{": "}"}
CLASS_KEYS = {"class", "struct", "union"}
NO_METHOD = {"using", "typedef", "static_assert", "namespace"}
TAKES_PARENTHESES = {"decltype", "alignas", "explicit", "noexcept", "requires", "__attribute__", "sizeof", "typeof"}


class Type(NamedTuple):
    name: str
    line: int
    own: int
    bases: list


class Reader:
    """Walks the tokens of one source and collects the classes of it, also those inside of functions and of other classes."""

    def __init__(self, text):
        self.text = text
        self.tokens = [(m.group(), m.start()) for m in TOKEN.finditer(text)]
        self.found = []

    def word(self, at):
        return self.tokens[at][0] if at < len(self.tokens) else ""

    def after(self, at):
        """The place after the group that opens at `at`."""
        closing = []
        while at < len(self.tokens):
            if self.word(at) in CLOSING:
                closing.append(CLOSING[self.word(at)])
            elif closing and self.word(at) == closing[-1]:
                closing.pop()
            at += 1
            if not closing:
                return at
        return at

    def after_angles(self, at):
        """The place after the <...> that opens at `at`; where there is none, that of the next token."""
        depth, start = 0, at
        while at < len(self.tokens) and self.word(at) not in (";", "}"):
            word = self.word(at)
            if word in CLOSING:
                at = self.after(at)
                continue
            depth += (word == "<") - (word == ">")
            at += 1
            if not depth:
                return at
        return start + 1

    def class_head(self, at):
        """Of the class whose key stands at `at`: its name, its bases, the place of its body's brace. None where no body follows."""
        name, bases, based, angles = "", [], False, 0
        at += 1
        while at < len(self.tokens):
            word = self.word(at)
            if word == "{":
                return name or "(unnamed)", bases, at
            if word in (";", ")", "=", ",", "&", "*") and not based:
                return None
            if word == ";":
                return None
            if word == ":" and not angles:
                based = True
            elif word in ("[", "(") or word == "alignas":
                at = self.after(at + (word == "alignas"))
                continue
            elif word == "<":
                at = self.after_angles(at)
                continue
            elif re.match(r"[A-Za-z_]", word) and word != "final":
                if based and word not in ("public", "private", "protected", "virtual"):
                    bases = bases[:-1] + [word] if self.word(at - 1) == "::" and bases else bases + [word]
                elif not based:
                    if name and self.word(at - 1) != "::":
                        return None  # `struct Call call(...) {`: a type that is named, not defined
                    name = word
            at += 1
        return None

    def region(self, at, end, inside):
        """Classes among the tokens that are in no class's own body: of namespaces, functions and values."""
        while at < end:
            if self.word(at) in CLASS_KEYS and self.word(at - 1) not in ("enum", "<", ",", "friend"):
                if head := self.class_head(at):
                    at = self.body(head, at, inside)
                    continue
            at += 1

    def body(self, head, key, outer):
        """Counts the class; gives the place after its brace."""
        name, bases, brace = head
        name = f"{outer}::{name}" if outer else name
        end = self.after(brace)
        at, own = brace + 1, 0
        place = len(self.found)
        self.found.append(None)
        while at < end - 1:
            at, methods = self.member(at, end - 1, name)
            own += methods
        self.found[place] = Type(name, line_of(self.text, self.tokens[key][1]), own, bases)
        return end

    def prefix(self, at):
        """The place after what may stand before a declaration and says nothing of its kind."""
        while True:
            word, following = self.word(at), self.word(at + 1)
            if word in ("public", "private", "protected") and following == ":":
                at += 2
            elif word == "template":
                at = self.after_angles(at + 1)
            elif word == "requires":
                at = self.constraint(at + 1)
            elif word == "[" and following == "[":
                at = self.after(at)
            elif word in (";", "friend", "inline", "static", "constexpr", "consteval", "virtual", "mutable", "const", "extern"):
                at += 1
            else:
                return at

    def constraint(self, at):
        """The place after a requires-clause: operands between && and ||, each a group, a requires-expression or a name."""
        while True:
            while self.word(at) == "!":
                at += 1
            if self.word(at) == "requires":
                at = self.after(at + 1) if self.word(at + 1) == "(" else at + 1
                at = self.after(at)
            elif self.word(at) == "(":
                at = self.after(at)
            else:
                at += 1
                while self.word(at) in ("<", "::"):
                    at = self.after_angles(at) if self.word(at) == "<" else at + 2
            if self.word(at) == "&&":
                at += 1
            elif self.word(at) == self.word(at + 1) == "|":
                at += 2
            else:
                return at

    def member(self, at, end, inside):
        """Reads one member: the place after it, and how many methods it declares."""
        at = self.prefix(at)
        if at >= end:
            return end, 0
        word = self.word(at)
        if word in NO_METHOD or word == "enum":
            return self.skip(at, end), 0
        if word in CLASS_KEYS and (head := self.class_head(at)):
            return self.skip(self.body(head, at, inside), end), 0
        return self.declared(at, end, inside)

    def skip(self, at, end):
        while at < end and self.word(at) != ";":
            at = self.after(at) if self.word(at) in CLOSING else at + 1
        return at + 1

    def declared(self, at, end, inside):
        """A declaration of fields or methods, from its type to its `;` or the end of its body."""
        methods, named, valued, start = 0, False, False, at  # named: the declarator at hand is a function
        while at < end:
            word, before = self.word(at), self.word(at - 1) if at > start else ""
            if word == ";":
                return at + 1, methods
            if word == "operator" and not valued and not named:
                at, named, methods = self.after_operator(at), True, methods + 1
                continue
            if word == "<" and not valued:
                at = self.after_angles(at)
                continue
            if word == "," and not valued:
                named = False
            elif word == "=":
                valued = True
            elif word == "," and valued and self.declares_another(at, end):
                named = valued = False
            elif word == "(" and not valued:
                if not named and before not in TAKES_PARENTHESES and self.is_function(at):
                    named, methods = True, methods + 1
                if named and self.word(self.after(at)) == ":" and self.word(self.after(at) + 1) != ":":
                    return self.after_members(self.after(at) + 1, end, inside), methods
            elif word == "noexcept" and named and self.word(at + 1) == ":":
                return self.after_members(at + 2, end, inside), methods
            elif word == "requires" and named:
                at = self.constraint(at + 1)
                continue
            elif word == "{" or word == "try":
                if named and not valued:
                    brace = at if word == "{" else at + 1
                    self.region(brace, self.after(brace), "")
                    return self.after(brace), methods
                self.region(at, self.after(at), "")
            at = self.after(at) if word in CLOSING else at + 1
        return end, methods

    def declares_another(self, at, end):
        """Does the comma after a value end it? `int a = 1, b();`: then a name and one of ( { = , ; [ follow."""
        return bool(re.match(r"[A-Za-z_]", self.word(at + 1))) and self.word(at + 2) in ("(", "{", "=", ",", ";", "[")

    def is_function(self, at):
        """Do parameters open at `at`, and not the declarator of a pointer to a function?"""
        if not re.match(r"[A-Za-z_]\w*$|>$", self.word(at - 1)):
            return False
        if self.word(at + 1) in ("*", "&", "&&") or (self.word(at + 2) == "::" and self.word(at + 3) == "*"):
            # `void (*f)(int)` is a field, `void (*f(int))(int)` a function that gives a pointer.
            inner = [self.word(k) for k in range(at + 1, self.after(at) - 1)]
            return "(" in inner
        return True

    def after_operator(self, at):
        """The place of the parameters of the operator whose keyword stands at `at`."""
        at += 1
        if self.word(at) == "(" and self.word(at + 1) == ")":
            return at + 2
        while at < len(self.tokens) and self.word(at) != "(":
            at += 1
        return at

    def after_members(self, at, end, inside):
        """The place after a constructor whose list of members begins at `at`: `x_(1), y_{2} {`."""
        while at < end:
            while at < end and self.word(at) not in ("(", "{"):
                at = self.after_angles(at) if self.word(at) == "<" else at + 1
            at = self.after(at)
            if self.word(at) == "...":
                at += 1
            if self.word(at) != ",":
                break
        self.region(at, self.after(at), "")
        return self.after(at)


def types_of(raw):
    reader = Reader(blanked(raw))
    reader.region(0, len(reader.tokens), "")
    return reader.found


def total(one, types, seen=frozenset()):
    """Its methods and those of bases that nothing else is made of."""
    out = one.own
    for base in set(one.bases) - seen:
        if sum(base in other.bases for other in types) == 1:
            out += sum(total(t, types, seen | {base}) for t in types if t.name.rsplit("::", 1)[-1] == base)
    return out


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    types, messages = [], []
    for top in ("checker", "src"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in {".h", ".cpp"} and path.is_file():
                name = path.relative_to(root).as_posix()
                types += [(name, one) for one in types_of(path.read_text(encoding="utf-8"))]
    all_types = [one for _, one in types]
    most = 0
    for where, one in types:
        methods = total(one, all_types)
        most = max(most, methods)
        if methods > METHODS:
            messages.append(f"{where}:{one.line}: {one.name} has {methods} methods, {METHODS} are allowed")
    print("\n".join(messages), end="\n" if messages else "")
    print(f"classes: {len(types)} types, at most {most} methods, {len(messages)} refused")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
