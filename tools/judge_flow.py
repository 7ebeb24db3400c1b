"""Changes of lines with control flow, as noclobber.drawn_flow draws them; for tools/judge_programs.py."""
from __future__ import annotations

import re

from noclobber.drawn_flow import NUMBERS

def branches_exchanged(rng, lines, given):
    pattern = re.compile(r"cond\(([^()]*(?:\([^()]*\))?[^()]*), (lambda (?:(?!lambda).)*,\)), (lambda (?:(?!lambda).)*,\)), ")
    found = [(k, m) for k, text in enumerate(lines) for m in pattern.finditer(text)]
    if not found:
        return None
    k, m = rng.choice(found)
    lines[k] = lines[k][:m.start()] + f"cond({m[1]}, {m[3]}, {m[2]}, " + lines[k][m.end():]
    return True


METHODS = ("sin", "neg", "abs", "clone", "relu")


def body_changed(rng, lines, given):
    found = [(k, m) for k, text in enumerate(lines) if "lambda" in text for m in re.finditer(r"\.(sin|neg|abs|clone|relu)\(\)", text)]
    if not found:
        return None
    k, m = rng.choice(found)
    lines[k] = lines[k][:m.start()] + f".{rng.choice(METHODS)}()" + lines[k][m.end():]
    return True


def body_operand_changed(rng, lines, given):
    """A body uses another of its arguments."""
    found = [(k, m) for k, text in enumerate(lines) for m in re.finditer(r"\ba\d(?:_[r\d])*\b(?=[^:]*,\))", text) if text[m.end():m.end() + 1] != ":"]
    names = [m[0] for _, m in found]
    if len(set(names)) < 2:
        return None
    k, m = rng.choice(found)
    lines[k] = lines[k][:m.start()] + rng.choice(names) + lines[k][m.end():]
    return True


def constant_changed(rng, lines, given):
    """Another number in a constant: its name stays."""
    found = [(k, m) for k, text in enumerate(lines) for m in re.finditer(r"torch\.tensor\(\[?(-?[\d.]+)\]?\)", text)]
    if not found:
        return None
    k, m = rng.choice(found)
    lines[k] = lines[k][:m.start(1)] + rng.choice(NUMBERS) + lines[k][m.end(1):]
    return True


def seen_elsewhere(rng, lines, given):
    """A view by place begins at another place."""
    found = [(k, m) for k, text in enumerate(lines) for m in re.finditer(r"as_strided\(\[[\d, ]*\], \[[\d, ]*\](, \d+)?\)", text)]
    if not found:
        return None
    k, m = rng.choice(found)
    head = m[0][:-1].removesuffix(m[1] or "")
    lines[k] = lines[k][:m.start()] + head + rng.choice(("", ", 0", ", 1", ", 3")) + ")" + lines[k][m.end():]
    return True


WAYS = (branches_exchanged, body_changed, body_operand_changed, constant_changed, constant_changed, seen_elsewhere)
