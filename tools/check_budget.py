#!/usr/bin/env python3
"""Refuses functions and files that are too long: check_budget.py [ROOT]

In checker/, src/ and tests/: a file has at most 400 lines, a function at most 60 (checker/: 30), and in
checker/ and src/ nine of ten functions have at most 30; checker/ has at most CHECKER_LINES lines in total.  Lines
of a brace block after a line `// table` count for neither functions nor files; .def files are tables.

Functions are found by their braces, which is exact enough for code in the house format.
"""
import math
import pathlib
import re
import sys
from typing import NamedTuple

FILE_LINES = 400
FUNCTION_LINES = 60
FUNCTION_P90 = 30
CHECKER_FUNCTION_LINES = 30
CHECKER_LINES = 3856  # docs/decisions/0015-contents-are-followed.md, what it refuses since, sharing, identities (0018), one text (0019), bits (0023), doors and numbers of lemmas (0024), stated live ranges in any order


class Function(NamedTuple):
    name: str
    first: int
    last: int

    @property
    def lines(self):
        return self.last - self.first + 1


TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<d>[^\s()\\]{0,16})\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'""",
    re.DOTALL)


def blanked(text):
    """`text` with comments, literals and directives made blank; offsets and newlines stay."""
    def blank(piece):
        return re.sub(r"[^\n]", " ", piece)

    text = TOKEN.sub(lambda m: blank(m.group()), text)
    lines, out, skip, continued = text.split("\n"), [], 0, False
    for line in lines:
        directive = re.match(r"\s*#\s*(\w+)", line)
        word = directive.group(1) if directive and not continued else ""
        if skip and word in ("if", "ifdef", "ifndef"):
            skip += 1
        elif skip and word == "endif":
            skip -= 1
        elif not skip and word in ("else", "elif"):  # one branch of a choice keeps the braces in pairs
            skip = 1
        out.append(blank(line) if word or continued or skip else line)
        continued = bool(word or continued) and line.endswith("\\")
    return "\n".join(out)


def without_groups(text, opening, closing):
    out, depth = [], 0
    for c in text:
        depth += c == opening
        if not depth:
            out.append(c)
        depth -= c == closing and depth > 0
    return "".join(out)


def without_template(head):
    while True:
        found = re.search(r"\btemplate\s*<", head)
        if not found:
            return head
        depth, end = 1, found.end()
        while end < len(head) and depth:
            depth += (head[end] == "<") - (head[end] == ">")
            end += 1
        head = head[:found.start()] + head[end:]


def kind(head):
    """What a brace after `head`, outside of any function, opens: scope, function or value."""
    head = re.sub(r"\b(public|private|protected)\s*:(?!:)", " ", without_template(head)).strip()
    head = re.sub(r"\[\[.*?\]\]", " ", head, flags=re.DOTALL).strip()
    if re.match(r"(inline\s+)?namespace\b|extern\s*$", head):
        return "scope"
    if re.match(r"((static|constexpr|const|inline|typedef)\s+)*(class|struct|union|enum)\b", head):
        if not re.search(r"\)\s*(const|noexcept|override|final)?\s*$", head) or "=" not in head:
            if not re.match(r"((static|const|inline)\s+)*(struct|class|enum)\s+[\w:]+\s*[&*]*\s+[\w:~]+\s*\(", head):
                return "scope"
    flat = without_groups(head, "(", ")")
    flat = re.sub(r"operator\s*(\(\)|[-+*/%^&|~!=<>]+|\[\])", "operator", flat)
    is_lambda = re.search(r"=\s*\[", flat) and not re.search(r"[=,(]\s*$", head)
    if is_lambda and re.search(r"(\)|\]|mutable|noexcept|->\s*[\w:<>&* ]+)\s*$", head):
        return "function"
    if "(" not in head or "=" in flat:
        return "value"
    # The members of a constructor: `A(int x) : x_{x} {`.
    if re.search(r"\)\s*(noexcept\s*)?:(?!:)", head) and re.search(r"[:,]\s*[\w:<>]+$", head):
        return "value"
    return "function"


def name_of(head):
    head = without_template(head)
    found = re.search(r"([\w:~]*operator\s*[^\s\w(]+|[\w:~]+)\s*\(", head)
    return found.group(1) if found else "lambda"


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def functions(text):
    """The functions of a blanked source, outermost ones only."""
    stack, head_from = [], 0
    found = []
    for match in re.finditer(r"[{};]", text):
        at, c = match.start(), match.group()
        inside = any(opened[0] == "function" for opened in stack)
        if c == "{":
            head = text[head_from:at]
            what = "value" if inside or (stack and stack[-1][0] == "value") else kind(flatten(head))
            stack.append((what, head_from, at))
            if what == "scope":
                head_from = at + 1
        elif c == "}":
            what, start, _ = stack.pop() if stack else ("scope", at, at)
            if what == "function":
                head = text[start:at]
                first = start + len(head) - len(skip_label(head))
                found.append(Function(name_of(skip_label(head)), line_of(text, first), line_of(text, at)))
            if what != "value":
                head_from = at + 1
        elif not inside and not (stack and stack[-1][0] == "value") and open_parens(text[head_from:at]) <= 0:
            head_from = at + 1
    return found


def flatten(head):
    """A head whose finished brace groups (constructor members, default arguments) are gone."""
    return without_groups(head, "{", "}")


def open_parens(head):
    return head.count("(") - head.count(")")


def skip_label(head):
    return re.sub(r"^(\s*(public|private|protected)\s*:(?!:))*\s*", "", head)


def tables(raw, text):
    """Line ranges of the brace blocks that follow a line `// table`."""
    ranges = []
    for marker in re.finditer(r"^[ \t]*// table\b[^\n]*\n", raw, re.MULTILINE):
        depth = 0
        for brace in re.finditer(r"[{}]", text[marker.end():]):
            depth += 1 if brace.group() == "{" else -1
            if depth <= 0:
                ranges.append((line_of(text, marker.end()), line_of(text, marker.end() + brace.start())))
                break
    return ranges


def in_tables(first, last, ranges):
    return sum(max(0, min(last, b) - max(first, a) + 1) for a, b in ranges)


def check_file(path, name, lengths):
    raw = path.read_text(encoding="utf-8")
    text = blanked(raw)
    total, exempt = len(raw.splitlines()), tables(raw, text)
    counted = total - in_tables(1, total, exempt)
    if counted > FILE_LINES:
        yield f"{name}:{FILE_LINES}: the file has {counted} lines, {FILE_LINES} are allowed"
    limit = CHECKER_FUNCTION_LINES if name.startswith("checker/") else FUNCTION_LINES
    for f in functions(text):
        lines = f.lines - in_tables(f.first, f.last, exempt)
        if not name.startswith("tests/"):
            lengths.append((lines, f"{name}:{f.first}: {f.name}"))
        if lines > limit:
            yield f"{name}:{f.first}: {f.name} has {lines} lines, {limit} are allowed"


def percentile(lengths):
    """The 90th percentile and, where it is too high, the functions above it."""
    ranked = sorted(lengths)
    if not ranked:
        return 0, []
    p90 = ranked[math.ceil(0.9 * len(ranked)) - 1][0]
    return p90, [f"{where} has {n} lines" for n, where in ranked if n > FUNCTION_P90] if p90 > FUNCTION_P90 else []


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    lengths, messages, checker = [], [], 0
    for top in ("checker", "src", "tests"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in {".h", ".cpp"} or not path.is_file():
                continue
            name = path.relative_to(root).as_posix()
            messages += check_file(path, name, lengths)
            checker += len(path.read_text(encoding="utf-8").splitlines()) if top == "checker" else 0
    if checker > CHECKER_LINES:
        messages.append(f"checker/:1: {checker} lines, {CHECKER_LINES} are allowed")
    p90, longest = percentile(lengths)
    if longest:
        messages += longest + [f"checker/, src/:1: p90 of function lengths is {p90}, {FUNCTION_P90} is allowed"]
    print("\n".join(messages), end="\n" if messages else "")
    print(f"budget: {len(lengths)} functions, p90 {p90} lines, checker/ {checker} lines, {len(messages)} refused")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
