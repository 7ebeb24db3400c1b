"""Changes of drawn functions of PyTorch, as source text; for tools/judge.py. The functions are those of noclobber.drawn.

A change of a program is one of the rewrites that passes make (sound ones among them) and their faults; whether it matters is for
PyTorch to say.
"""
from __future__ import annotations

import random
import re

import judge_flow
from noclobber.drawn import BUFFERS, INPUTS, NUMBERS, TIES, draw_often, inputs, leave_out, program, text_of, tied

__all__ = ["BUFFERS", "INPUTS", "TIES", "change_by", "changed", "draw_often", "inputs", "leave_out", "program", "text_of", "tied"]


def change_by(pattern: str) -> None:
    """The ways to change a program are those that match."""
    WAYS[:] = [way for way in ALL_WAYS if re.search(pattern, way.__name__)]


METHOD = re.compile(r"^(v\d+) = (\w+)\.(sin|exp|neg|abs|relu|square|sign|logical_not)\(\)$")
BINARY = re.compile(r"^(v\d+) = (\w+) ([+*-]) (\S+)$")
WRITE = re.compile(r"^(\w+)\.(sin|neg|relu|logical_not)_\(\)$")
NAME = {"+": "add", "*": "mul", "-": "sub"}


def changed(rng: random.Random, lines: list[str], given: list[str]) -> tuple[str, list[str], list[str]] | None:
    """(what was changed, lines, names that are returned); None: nothing to change in that way."""
    way, lines, given = rng.choice(WAYS), list(lines), list(given)
    out = way(rng, lines, given)
    return None if out is None or out == "" else (way.__name__ + (f" {out}" if isinstance(out, str) else ""), lines, given)


def clone_dropped(rng, lines, given):
    found = [k for k, line in enumerate(lines) if ".clone()" in line or ".contiguous()" in line]
    if not found:
        return None
    k = rng.choice(found)
    lines[k] = lines[k].replace(".clone()", "").replace(".contiguous()", "")
    return True


def clone_added(rng, lines, given):
    k = rng.randrange(len(lines))
    if not re.match(r"v\d+ = ", lines[k]):
        return None
    lines[k] += ".clone()"
    return True


def noop_dropped(rng, lines, given):
    found = [k for k, line in enumerate(lines) if re.search(r" (\* 1|\+ 0|/ 1)$", line)]
    if not found:
        return None
    k = rng.choice(found)
    lines[k] = re.sub(r" (\* 1|\+ 0|/ 1)$", "", lines[k])
    return True


def line_moved(rng, lines, given):
    if len(lines) < 2:
        return None
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    if a == b:
        return None
    lines.insert(b, lines.pop(a))
    return True


def line_dropped(rng, lines, given):
    lines.pop(rng.randrange(len(lines)))
    return bool(lines) or None


def line_repeated(rng, lines, given):
    k = rng.randrange(len(lines))
    lines.insert(rng.randrange(k, len(lines)) + 1, lines[k])
    return True


def number_changed(rng, lines, given):
    found = [(k, m) for k, line in enumerate(lines) for m in re.finditer(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", line.partition("=")[2] or line)]
    if not found:
        return None
    k, match = rng.choice(found)
    lines[k] = lines[k].replace(match[0], rng.choice((*NUMBERS, "0", "1", "2", "3")), 1)
    return True


def operand_changed(rng, lines, given):
    k = rng.randrange(len(lines))
    left, equals, right = lines[k].partition(" = ")
    head, body = (left + equals, right) if equals else ("", left)
    names = re.findall(r"\b(?:v\d+|[xyzsihbmn])\b", body)
    known = [*INPUTS, *(m[1] for line in lines[:k] if (m := re.match(r"(v\d+) = ", line)))]
    if not names:
        return None
    lines[k] = head + re.sub(rf"\b{rng.choice(names)}\b", rng.choice(known), body, count=1)
    return True


def in_place(rng, lines, given):
    found = [k for k, line in enumerate(lines) if METHOD.match(line) or BINARY.match(line)]
    if not found:
        return None
    k = rng.choice(found)
    if m := METHOD.match(lines[k]):
        lines[k] = f"{m[1]} = {m[2]}.{m[3]}_()"
    elif m := BINARY.match(lines[k]):
        lines[k] = f"{m[1]} = {m[2]}.{NAME[m[3]]}_({m[4]})"
    return True


def out_of_place(rng, lines, given):
    found = [k for k, line in enumerate(lines) if WRITE.match(line)]
    if not found:
        return None
    k = rng.choice(found)
    m = WRITE.match(lines[k])
    lines[k] = f"{m[1]}.copy_({m[1]}.{m[2]}())"
    return True


def into_out(rng, lines, given):
    found = [k for k, line in enumerate(lines) if BINARY.match(line)]
    if not found:
        return None
    k = rng.choice(found)
    m = BINARY.match(lines[k])
    target = rng.choice([*INPUTS, *(n[1] for line in lines[:k] if (n := re.match(r"(v\d+) = ", line)))])
    lines[k] = f"{m[1]} = torch.{NAME[m[3]]}({m[2]}, {m[4] if m[4][0].isalpha() else f'torch.tensor({m[4]})'}, out={target})"
    return True


def type_changed(rng, lines, given):
    found = [k for k, line in enumerate(lines) if re.search(r"torch\.(?:float\d\d|int\d+)", line)]
    if not found:
        return None
    k = rng.choice(found)
    lines[k] = re.sub(r"torch\.(?:float\d\d|int\d+)", rng.choice(("torch.float64", "torch.float16", "torch.int32", "torch.float32")), lines[k], count=1)
    return True


def conversion_dropped(rng, lines, given):
    """Or a look at the bits."""
    pattern = re.compile(r"\.(?:(?:to|view)\(torch\.\w+\)|double\(\)|half\(\)|float\(\))")
    found = [(k, m) for k, line in enumerate(lines) for m in pattern.finditer(line)]
    if not found:
        return None
    k, match = rng.choice(found)
    lines[k] = lines[k][:match.start()] + lines[k][match.end():]
    return True


def operands_exchanged(rng, lines, given):
    found = [k for k, line in enumerate(lines) if re.match(r"^(v\d+) = (\w+) ([+*<]|==) (\w+)$", line)]
    if not found:
        return None
    k = rng.choice(found)
    name, a, sign, b = re.match(r"^(v\d+) = (\w+) ([+*<]|==) (\w+)$", lines[k]).groups()
    lines[k] = f"{name} = {b} {sign} {a}"
    return True


def results_changed(rng, lines, given):
    made = [m[1] for line in lines if (m := re.match(r"(v\d+) = ", line))]
    if not made:
        return None
    given[rng.randrange(len(given))] = rng.choice([*made, *INPUTS])
    return True


def results_exchanged(rng, lines, given):
    """Two results change places; where results have keys, the keys may go along."""
    if len(given) < 2:
        return None
    a, b = rng.sample(range(len(given)), 2)
    given[a], given[b] = given[b], given[a]
    return f"{a} {b}"


def dimensionless(rng, lines, given):
    """A number becomes a tensor without dimensions, or one of one element."""
    found = [k for k, line in enumerate(lines) if BINARY.match(line) and BINARY.match(line)[4][0].isdigit()]
    if not found:
        return None
    k = rng.choice(found)
    m = BINARY.match(lines[k])
    lines[k] = f"{m[1]} = {m[2]} {m[3]} torch.tensor({rng.choice((m[4], f'[{m[4]}]'))})"
    return True


def dimension_added(rng, lines, given):
    """A tensor without dimensions gets one, of one element, or loses it."""
    scalars = {"s", *(m[1] for line in lines if (m := re.match(r"(v\d+) = \w+\.(?:sum|mean)\(\)$", line)))}
    found = [(k, m) for k, line in enumerate(lines) for m in re.finditer(r"\b(?:v\d+|s)\b(?!\.| = )", line) if m[0] in scalars and m.start()]
    if not found:
        return None
    k, m = rng.choice(found)
    lines[k] = lines[k][:m.start()] + m[0] + rng.choice((".reshape(1)", ".unsqueeze(0)", ".view(1)")) + lines[k][m.end():]
    return True


ALL_WAYS = (clone_dropped, clone_added, noop_dropped, line_moved, line_moved, line_dropped, line_repeated, number_changed, operand_changed, in_place,
        in_place, out_of_place, into_out, type_changed, conversion_dropped, operands_exchanged, results_changed, results_exchanged, dimensionless,
        dimension_added, dimension_added,
        *judge_flow.WAYS)
WAYS = list(ALL_WAYS)
