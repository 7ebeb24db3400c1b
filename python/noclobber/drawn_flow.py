"""Lines with control flow for drawn programs: cond, while_loop, scan and map, with bodies that hold constants, look at storages by
as_strided, write what they made themselves, and run bodies of their own.
"""
from __future__ import annotations

import random
import re

HOP = "torch.ops.higher_order"
NUMBERS = ("2", "-1", "3", "0.5", "1.5", "2.5", "0")
# {a} what the body is about, {b} any of its arguments, {c} a number: the shape and type of {a}, if PyTorch pleases.
BODIES = [
    "{a}.sin()", "{a}.neg()", "{a}.abs()", "{a} * {c}", "{a} + {c}", "{a} - {b}", "{a} * {b}", "{a}.clone()", "{a}.flip(0)", "{a}.cumsum(0)",
    "{a} + torch.tensor({c})", "{a} * torch.tensor({c})", "torch.tensor({c}) - {a}", "{a} + torch.tensor([{c}])", "torch.maximum({a}, {b})",
    "{a} + {b}.sum()", "torch.where({a} > {b}, {a}, {a} * {c})", "{a}.clone().add_({c})", "{a}.clone().mul_(torch.tensor({c}))",
    "{a} + {b}.as_strided([], [], {k})", "{a} + {b}.as_strided([6], [1], {k})", "{a} + {a}.as_strided([6], [1])", "{a} + {a}.as_strided([6], [2])",
    "torch.add({a}, {b}, out=torch.empty_like({a}))", "{a}.clone().copy_({b})", "{a}.relu() + {a}.t().sum()", "{a} + {a}[0]", "{a}.masked_fill({a} > 0, {c})",
]


def called(rng: random.Random, name: str, names: list[str]) -> str:
    text = rng.choice(BODIES)
    text = re.sub(r"\{b\}", lambda _: rng.choice(names), text.replace("{a}", name))
    text = re.sub(r"\{c\}", lambda _: rng.choice(NUMBERS), text)
    return text.replace("{k}", str(rng.randrange(8)))


def body(rng: random.Random, names: list[str], depth: int) -> str:
    """An expression over the arguments of the shape of the first of them."""
    text = called(rng, names[0], names)
    while rng.random() < 0.4:
        text = called(rng, f"({text})", names)
    if depth and rng.random() < 0.25:
        inner = [f"{n}_{depth}" for n in names]
        ways = [f"lambda {', '.join(inner)}: ({body(rng, inner, depth - 1)},)" for _ in range(2)]
        text = f"{HOP}.cond({names[0]}.sum() > {rng.choice(NUMBERS)}, {ways[0]}, {ways[1]}, ({', '.join(names)},))[0]"
    return text


def branch(rng: random.Random, operands: list[str], names: list[str]) -> str:
    first = f"lambda {', '.join(names)}: ({body(rng, names, 2)},)"
    second = f"lambda {', '.join(names)}: ({body(rng, names, 2)},)"
    asked = rng.choice([f"{operands[0]}.sum() > {rng.choice(NUMBERS)}", "s > 0", "b[0, 0]", "b.all()", "b.any()", f"{operands[-1]}.amax() > 1"])
    return f"{HOP}.cond({asked}, {first}, {second}, ({', '.join(operands)},))[0]"


def repeated(rng: random.Random, operands: list[str], names: list[str]) -> str:
    carried = rng.randint(1, len(operands))
    made = [body(rng, [names[k], *names], 1) for k in range(carried)]
    if rng.random() < 0.2:
        made.reverse()
    all_names = ", ".join(["j", *names])
    test = f"lambda {all_names}: j < {rng.choice((0, 1, 2, 2, 3))}"
    more = ", ".join(operands[carried:])
    return (f"{HOP}.while_loop({test}, lambda {all_names}: (j + 1, {', '.join(made)}), (torch.zeros((), dtype=torch.int64), "
            f"{', '.join(operands[:carried])}), ({more}{',' if more else ''}))[{rng.randint(1, carried)}]")


def scanned(rng: random.Random, operands: list[str], names: list[str]) -> str:
    """The carry is a row of the first operand, which is gone over."""
    rows, more = operands[0], operands[1:]
    carry, row, others = names[0], names[0] + "_r", names[1:]
    bodies = [body(rng, [carry, row, *others], 1), body(rng, [row, carry, *others], 1)]
    given = ", ".join([carry, row, *others])
    return (f"{HOP}.scan(lambda {given}: ({bodies[0]}, {bodies[1]}), [{rows}[0].clone()], [{rows}], "
            f"({', '.join(more)}{',' if more else ''}))[{rng.randrange(2)}]")


def mapped(rng: random.Random, operands: list[str], names: list[str]) -> str:
    more = ", ".join(operands[1:])
    return (f"{HOP}.map_impl(lambda {', '.join(names)}: ({body(rng, names, 1)},), [{operands[0]}], "
            f"({more}{',' if more else ''}))[0]")


def line(rng: random.Random, floats: list[str], whole: list[str]) -> str:
    """An expression; `whole`: those with a first dimension."""
    kind = rng.choice((branch, branch, branch, repeated, scanned, mapped))
    first = rng.choice((whole or floats) if kind in (scanned, mapped) else floats)
    operands = [first, *(rng.choice(floats) for _ in range(rng.randrange(3)))]
    operands = list(dict.fromkeys(operands))  # PyTorch takes no operand twice
    return kind(rng, operands, [f"a{k}" for k in range(len(operands))])
