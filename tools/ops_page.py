#!/usr/bin/env python3
"""Prints docs/ops.md: what is known of each operator. ops_page.py [ROOT]

Read from src/ops/table_*.def, corpus/ops_evidence.tsv (an operator without a line there is untested),
corpus/ops_bare.tsv (what no kernel computes) and what the kernels in src/ops say when they decline.
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
IDENTITY = re.compile(r'IDENTITY\("[^"]*", (\w+), "([^"]*)", "([^"]*)", (.*)\)$')
HIDDEN = {"unsupported": "not modelled", "opaque": ""}
HEAD = """# What is known of each operator

Made by `tools/ops_page.py` from the operator table; do not edit. An operator that is not listed is what its PyTorch schema
says: a function of all it reads, which writes and shares what the schema marks. In-place, `out=` and `*_copy` forms follow
from the row of the functional operator.

- **does**: what becomes of storages. *Nothing in this column*: a function of what it reads.
- **rules**: which elements a view shows or a move takes, and shapes and types of results.
- **kernel**: what the interpreter computes it with; without one a digest of all that is read stands for the result.
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


def extras(own, fields, identities):
    said = []
    if fields.get("reach") == "Reach::elementwise":
        said.append("element by element")
    if "token" in fields:
        said.append({"Token::effects": "in the order of effects", "Token::generator": "draws random numbers",
                     "Token::both": "in the order of effects, draws random numbers"}[fields["token"]])
    if "in_flight" in fields:
        said.append("results in use until the wait" if fields["in_flight"] == "Flight::results"
                    else "operands and results in use until the wait")
    if "unread" in fields:
        said.append({"Unread::always": "of its argument the shape and type alone",
                     "Unread::given_p": "told a probability, of its argument the shape and type alone",
                     "Unread::beta_zero": "with `beta` 0 of the summand the shape and type alone"}[fields["unread"]])
    if "drawn" in fields:
        said.append({"Drawn::in_bulk": "draws in another way for what is contiguous",
                     "Drawn::as_read": "draws in the order in which its argument lies"}[fields["drawn"]])
    if (keeps := identities.get(("keeps", own))) is not None:
        said.append(f"{keeps['value']} changes nothing" + (" on either side" if "either" in keeps else "") +
                    (", but for -0" if "assumed" in keeps else ""))
    if ("folds", own) in identities:
        said.append("exact on whole numbers")
    if "same_as" in fields:
        said.append(f"the same as `{fields['same_as']}`")
    if (fused := identities.get(("fused", own))) is not None:
        said.append(f"`{fused['other']}` and a sum, but for rounding")
    if "note" in fields:
        said.append(fields["note"])
    return "; ".join(said)


def identity_rows(path):
    """(form, operator) -> fields of the table of identities."""
    out = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if match := IDENTITY.match(line):
            fields = {key: value.strip('"') for key, value in FIELD.findall(match[4])}
            out.update({(match[1], op): fields for op in (match[2], match[3]) if op})
    return out


def evidence(root):
    """By operator without overload: the columns of corpus/ops_evidence.tsv, added up."""
    seen = collections.defaultdict(collections.Counter)
    names, *lines = (root / "corpus/ops_evidence.tsv").read_text(encoding="utf-8").splitlines()
    for line in lines:
        found = dict(zip(names.split("\t"), line.split("\t")))
        total = seen[".".join(found["operator"].split(".")[:2])]
        total.update({what: int(found[what]) for what in ("calls", "exempt", "watched", "placed", "shapes")})
        total["open"] += found["tested"] != "yes"
    return seen


def proof(seen, op):
    if op not in seen:
        return "untested"
    said = {"calls": "calls", "exempt": "of them exempt", "watched": "accesses", "placed": "view places", "shapes": "shapes"}
    text = ", ".join(f"{seen[op][what]} {name}" for what, name in said.items() if seen[op][what])
    return text + (", incomplete" if seen[op]["open"] else "")


VIEWS = ("view", "may_view", "view_each", "resize", "set", "self_if_real")
BARE = """## What no kernel computes

A call of these runs without its numbers: equal operands give equal digests, which is enough to see that the right memory was
read and written, and not enough to compare results of different programs. The list is made from the vocabulary and the
kernels (`nc_tests --bare`); a call of PyTorch that `nc_tests --golden` counts as one without a kernel is of one of these
kinds, or of an operator without a row and without a kernel."""


def bare_reason(fields):
    """Why nothing computes an operator that has a row, and what becomes of its calls."""
    if fields.get("meaning") == "ignored":
        return "gives no tensor: numbers of shapes are read from the operands, the rest runs as a hash"
    if fields.get("meaning") in VIEWS:
        return "shows or renames memory: proofs follow its rule; a run takes the argument if that is all, or stops"
    if fields.get("meaning") == "random_or_self":
        return "the argument itself outside of training, else it draws random numbers and runs as a hash"
    if fields.get("meaning") == "wait":
        return "gives what was waited for"
    if "Token::" in fields.get("token", "") or "in_flight" in fields:
        return "has effects or draws random numbers: its place among them is compared; what it gives is read or hashed"
    return "no kernel: runs as a hash"


def declined(root):
    """What kernels say of calls that they leave to the hash."""
    said = collections.defaultdict(set)
    for path in sorted((root / "src/kernels").glob("*.cpp")):
        for call in re.findall(r'decline\(([^;]*"[^;]*)\);', path.read_text(encoding="utf-8")):
            said[path.stem].add("N".join(re.findall(r'"([^"]+)"', call)))
    return said


def bare(root):
    """The lines about operators, overloads and calls that no kernel computes."""
    fields_of = {op: fields for family in FAMILIES for op, fields in rows(root / f"src/ops/table_{family}.def")}
    whole, parts = collections.defaultdict(set), []
    _, *lines = (root / "corpus/ops_bare.tsv").read_text(encoding="utf-8").splitlines()
    for line in lines:
        op, why = line.split("\t")
        name = ".".join(op.split(".")[:2])
        if why == "no kernel":
            fields = fields_of[name if name in fields_of else name.split(".")[0] + ".*"]
            whole[bare_reason(fields)].add(name)
        else:
            parts.append(op)
    print(BARE)
    for why, names in sorted(whole.items()):
        print(f"\n**{why[0].upper() + why[1:]}**: " + ", ".join(f"`{name}`" for name in sorted(names)) + ".")
    print("\n**Overloads that the operator's kernel does not have: no kernel, they run as a hash**: " +
          ", ".join(f"`{op}`" for op in parts) + ".")
    print("\nCalls that a kernel declines, which then run as a hash:\n")
    for family, texts in sorted(declined(root).items()):
        print(f"- {family}: {'; '.join(sorted(texts))}.")
    print("\nWhat is `not modelled` above is not run at all, for the reason in its row.\n")


def page(root):
    seen, identities = evidence(root), identity_rows(root / "src/ops/identities.def")
    print(HEAD)
    listed = set()
    for family, title in FAMILIES.items():
        print(f"## {title}\n\n| operator | does | rules | kernel | more | evidence |\n| --- | --- | --- | --- | --- | --- |")
        for op, fields in rows(root / f"src/ops/table_{family}.def"):
            listed.add(op)
            does = fields.get("meaning", "opaque").replace("_", " ")
            rules = [fields[key].removesuffix("_rule").removesuffix("_moves").removesuffix("_shape")
                     for key in ("view", "moves", "shape") if key in fields]
            kernel = f"`{fields['kernel']}`" if "kernel" in fields else ""
            print(f"| `{op}` | {HIDDEN.get(does, does)} | {', '.join(rules)} | {kernel} | {extras(op, fields, identities)} | {proof(seen, op)} |")
        print()
    bare(root)
    alone = [f"`{op}` ({proof(seen, op)})" for op in sorted(set(seen) - listed)]
    print("## By schema alone, with evidence\n")
    print(", ".join(alone) + "." if alone else "None.")


if __name__ == "__main__":
    page(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]))
