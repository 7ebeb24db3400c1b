#!/usr/bin/env python3
"""Makes src/ops/vocabulary.inc from corpus/schemas/*.txt: make_vocabulary.py [--check]

Each line is SCHEMA <tab> TAGS <tab> DISPATCH.  A line without an argument list (a
higher-order operator) becomes a schema that takes and gives anything.  Tags that src/ops/schema.h does
not name are dropped, and so is DISPATCH.  --check writes nothing and fails if the file is stale.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "corpus/schemas"
TARGET = ROOT / "src/ops/vocabulary.inc"
# The bits of `enum class Tag` in src/ops/schema.h.
TAGS = {
    "pointwise": 1, "inplace_view": 2, "nondeterministic_seeded": 4, "maybe_aliasing_or_mutating": 8,
    "view_copy": 16, "data_dependent_output": 32, "dynamic_output_shape": 64, "out": 128, "inplace": 256,
    "core": 512, "reduction": 1024, "higher_order": 2048,
}
# Schemas that say what their operator does not do.
CORRECTED = {
    "prims::as_strided(Tensor(a!) a, SymInt[] size, SymInt[] stride, SymInt storage_offset) -> Tensor(a!)":
        "prims::as_strided(Tensor(a) a, SymInt[] size, SymInt[] stride, SymInt storage_offset) -> Tensor(a)",
}
NAME = re.compile(r"([A-Za-z_]\w*)::([A-Za-z_]\w*)(?:\.([A-Za-z_]\w*))?(?=\(|$)")
DELIMITER = "s"


def entry_of(line, place):
    """(operator name, schema, tag bits) of one line."""
    fields = line.split("\t")
    if len(fields) != 3:
        sys.exit(f"{place}: {len(fields)} fields, expected 3")
    schema, tags, _ = fields
    schema = CORRECTED.get(schema, schema)
    match = NAME.match(schema)
    if match is None:
        sys.exit(f"{place}: no operator name in {schema!r}")
    if match.end() == len(schema):
        schema += "(...) -> ..."
    if f'){DELIMITER}"' in schema:
        sys.exit(f"{place}: the schema cannot be a raw string")
    namespace, name, overload = match.groups()
    bits = sum(TAGS.get(tag, 0) for tag in tags.split(","))
    return f"{namespace}.{name}.{overload or 'default'}", schema, bits


def digest(entries):
    """FNV-1a, 64 bits, of every "name<tab>schema<tab>bits<newline>"."""
    value = 0xCBF29CE484222325
    for name, schema, bits in entries:
        for byte in f"{name}\t{schema}\t{bits}\n".encode():
            value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def vocabulary():
    entries = sorted(entry_of(line, f"{source.name}:{number}") for source in SOURCES.glob("*.txt")
                     for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1) if line)
    for one, next_one in zip(entries, entries[1:]):
        if one[0] == next_one[0]:
            sys.exit(f"{one[0]} stands there twice")
    lines = [
        f"// Made by tools/{pathlib.Path(__file__).name} from corpus/schemas; do not edit.",
        "// clang-format off",
        f'constexpr std::string_view kVocabularyDigest = "{digest(entries)}";',
        "constexpr VocabularyEntry kVocabulary[] = {",
    ]
    lines += [f'{{"{name}", R"{DELIMITER}({schema}){DELIMITER}", {bits}}},' for name, schema, bits in entries]
    lines += ["};", "// clang-format on"]
    return "\n".join(lines) + "\n"


def main():
    made = vocabulary()
    if sys.argv[1:] == ["--check"]:
        if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != made:
            sys.exit(f"{TARGET.relative_to(ROOT)} is stale: run tools/{pathlib.Path(__file__).name}")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        TARGET.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
