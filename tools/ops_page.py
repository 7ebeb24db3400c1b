#!/usr/bin/env python3
"""Prints docs/ops.md: what is known of each operator. ops_page.py [ROOT]

Read from src/ops/table_*.def, the schemas in corpus/schemas/aten.txt, and corpus/ops_evidence.tsv
(operator<TAB>what<TAB>count); an operator without a line there is untested.
"""
import collections
import pathlib
import re
import sys

FAMILIES = {
    "views": "Views and names",
    "moves": "Moving data",
    "pointwise": "Element by element",
    "compute": "Functions of all they read",
    "effects": "What schemas do not say",
}
ROW = re.compile(r'^OP\("([^"]+)"(.*)\)$')
FIELD = re.compile(r"\.(\w+) = (\{[^}]*\}|\"[^\"]*\"|[\w:]+)")
HIDDEN = {"unsupported": "not modelled", "opaque": ""}
HEAD = """# What is known of each operator

Made by `tools/ops_page.py` from the operator table; do not edit. An operator that is not listed is what its PyTorch schema
says: a function of all it reads, which writes and shares what the schema marks. In-place, `out=` and `*_copy` forms follow
from the row of the functional operator.

- **does**: what becomes of storages. *Nothing in this column*: a function of what it reads.
- **rules**: which elements a view shows or a move takes, and shapes and types of results.
- **more**: element by element although no tag says so; tokens; neutral arguments (`x + 0`), exact arithmetic on whole
  numbers, other names of the same function.
- **evidence**: what was compared with recorded results of PyTorch, and how often.
"""


def rows(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("//"):
            continue
        match = ROW.match(line)
        if not match:
            sys.exit(f"{path}:{number}: expected OP(\"name\", .field = value, ...)")
        yield match[1], {key: value.strip('"') for key, value in FIELD.findall(match[2])}


def extras(fields):
    said = []
    if fields.get("reach") == "Reach::elementwise":
        said.append("element by element")
    if "token" in fields:
        said.append({"Token::effects": "in the order of effects", "Token::generator": "draws random numbers",
                     "Token::both": "in the order of effects, draws random numbers"}[fields["token"]])
    if "in_flight" in fields:
        said.append("results in use until the wait" if fields["in_flight"] == "Flight::results"
                    else "operands and results in use until the wait")
    if "neutral" in fields:
        _, value, commutes, sign = (part.strip() for part in fields["neutral"].strip("{}").split(","))
        said.append(f"{value} changes nothing" + (" on either side" if commutes == "true" else "") +
                    (", but for -0" if sign == "true" else ""))
    if "fold" in fields:
        said.append("exact on whole numbers")
    if "same_as" in fields:
        said.append(f"the same as `{fields['same_as']}`")
    if "note" in fields:
        said.append(fields["note"])
    return "; ".join(said)


def evidence(root):
    seen = collections.defaultdict(list)
    path = root / "corpus/ops_evidence.tsv"
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            parts = line.split("\t")
            if len(parts) == 3 and parts[2].isdigit() and not line.startswith("#"):
                seen[".".join(parts[0].split(".")[:2])].append((parts[1], int(parts[2])))
    return seen


def proof(seen, op):
    total = collections.Counter()
    for what, count in seen.get(op, []):
        total[what] += count
    return ", ".join(f"{what} {count}" for what, count in sorted(total.items())) or "untested"


def page(root):
    seen = evidence(root)
    print(HEAD)
    listed = set()
    for family, title in FAMILIES.items():
        print(f"## {title}\n\n| operator | does | rules | more | evidence |\n| --- | --- | --- | --- | --- |")
        for op, fields in rows(root / f"src/ops/table_{family}.def"):
            listed.add(op)
            does = fields.get("meaning", "opaque").replace("_", " ")
            rules = [fields[key].removesuffix("_rule").removesuffix("_moves").removesuffix("_shape")
                     for key in ("view", "moves", "shape") if key in fields]
            print(f"| `{op}` | {HIDDEN.get(does, does)} | {', '.join(rules)} | {extras(fields)} | {proof(seen, op)} |")
        print()
    bare = [f"`{op}` ({proof(seen, op)})" for op in sorted(set(seen) - listed)]
    print("## By schema alone, with evidence\n")
    print(", ".join(bare) + "." if bare else "None.")


if __name__ == "__main__":
    page(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]))
