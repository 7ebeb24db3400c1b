#!/usr/bin/env python3
"""Refuses what stands outside of its room: check_rooms.py [ROOT]

1. An input has one row (`InputFormat`), in a file of its own, which the table of src/inputs/format.cpp lists once. Who is outside
   of the rooms that read and lower opens an input by its row; WITHOUT_ROW lists who does not, and why.
2. Operators are named in the table (.def and .inc files). Which other source names some, at most how many, and why, says the list
   kSpellers of tests/unit/ops/table_test.cpp, which holds the same; nothing there is listed for nothing.
3. Who takes bracketed lists apart stands in GRAMMARS with the language that it reads. Of Python's expressions there is one
   reader (docs/decisions/0020-python-expressions.md).
4. Each lemma of docs/trust.md stands in checker/ above the function that it is about, by its number, and no other does.
"""
import collections
import pathlib
import re
import sys

ROWS = "src/inputs/"
READ = ("formats", "lower", "inputs")  # rooms of readers, and who puts them into rows
ROW = re.compile(r"^const InputFormat (k\w+)\s*=\s*\{\s*\"([^\"]*)\"", re.MULTILINE)
LISTED = re.compile(r"kFormats\[\] = \{([^}]*)\}")
READER = re.compile(r"^[\w:<>, ]+ (read_\w+)\((?:const )?(?:std::vector<)?(?:std::string|ThunderFile|FileText)", re.MULTILINE)
WITHOUT_ROW = {
    "read_case_json": {"fuzz", "cli", "run"},  # what was written is read again; cli: of a pass, of the smallest case; run: of --ops
    "read_fx_text": {"fuzz"},
    "read_torch_trace": {"fuzz"},
    "read_plan_csv": {"fuzz", "run"},  # a plan beside the buffers that another file wants
    "read_side": {"cli", "run"},  # by the rows
    "read_thunder_directory": {"run"},  # several files are one input
    "read_tlparse_folder": {"run"},
    "read_debug_folder": {"run"},
    "read_thunder_pair": {"cli"},
    "read_file": {"cli", "fuzz", "report", "interp", "run", "check"},  # bytes, of whatever kind
}

SPELLERS = "tests/unit/ops/table_test.cpp"
SPELLER = re.compile(r'\{"((?:src|checker)/[^"]*)", (\d+),\s*"[^"]+"')
OPERATOR = re.compile(r'"(?:aten|prims|inductor|fsdp|quantized_decomposed|_?c10d(?:_functional)?)\.[A-Za-z0-9_]+')

PYTHON = "expressions of Python"
GRAMMARS = {
    "src/text/python_expr.h": PYTHON,
    "src/base/sym_parse.cpp": "sizes, as SymExpr::text() writes them",
    "src/formats/fx_text/fx_text.cpp": "the head of a graph's function",
    "src/formats/fx_text/fx_text_annotation.cpp": "annotations of types: f32[2, 3]",
    "src/formats/fx_text/fx_text_statement.cpp": "statements of FX text",
    "src/lower/thunder/facts.cpp": "types of tensors in a file of facts",
    "src/formats/thunder/text.cpp": "statements of a trace",
    "src/lower/torch_trace/facts.cpp": "sizes in records of a log",
    "src/text/plain_json.cpp": "JSON that is plain (docs/decisions/0021-plain-headers.md)",
    "src/ops/schema.cpp": "PyTorch's schemas",
    "src/ops/schema_default.cpp": "PyTorch's schemas",
    "src/ops/schema_type.cpp": "PyTorch's schemas",
}
COMMENT = re.compile(r"""//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*")""", re.DOTALL)
LITERAL = r"""(?:'{0}'|"[^"\\\n]?{0}[^"\\\n]?")"""
READS = r"(?:(?:take|take_word|expect|accept|eat|starts_with|ends_with|find|rfind|find_first_of)\(\s*|[=!]=\s*|case\s+){0}"
BRACKETS = [re.compile(READS.format(LITERAL.format(kind))) for kind in (r"[(\[]", r"[)\]]", ",")]


def sources(root):
    for path in sorted((root / "src").rglob("*")):
        if path.suffix in {".h", ".cpp", ".def", ".inc"} and path.is_file():
            text = path.read_text(encoding="utf-8")
            code = COMMENT.sub(lambda m: m.group(1) or re.sub(r"[^\n]", " ", m.group()), text)
            yield path.relative_to(root).as_posix(), code


def line(code, at):
    return code.count("\n", 0, at) + 1


def formats(files):
    """One row an input."""
    rows, names = {}, {}
    for name, code in files.items():
        for k, found in enumerate(ROW.finditer(code)):
            where = f"{name}:{line(code, found.start())}"
            if not name.startswith(ROWS + "format_") or k:
                yield f"{where}: the row of a format stands alone in a file {ROWS}format_NAME.cpp"
            for known, what in ((rows, found[1]), (names, found[2])):
                if what in known:
                    yield f"{where}: {what} is a row in {known[what]} too"
                known[what] = where
    table = files.get(ROWS + "format.cpp", "")
    listed = collections.Counter(re.findall(r"&(k\w+)", found[1]) if (found := LISTED.search(table)) else ())
    for row, where in rows.items():
        if listed[row] != 1:
            yield f"{where}: {row} is listed {listed[row]} times in {ROWS}format.cpp"
    for row in listed.keys() - rows.keys():
        yield f"{ROWS}format.cpp:1: {row} has no row"
    readers = set()
    for name, code in files.items():
        if name.split("/")[1] in READ and name.endswith(".h"):
            readers |= set(READER.findall(code))
    for name, code in files.items():
        folder = name.split("/")[1]
        for found in re.finditer(r"\b(read_\w+)\(", code) if folder not in READ else ():
            if found[1] in readers and folder not in WITHOUT_ROW.get(found[1], ()):
                yield f"{name}:{line(code, found.start())}: {found[1]} is not read by the row of its format"


def operators(files, spellers):
    """Names of operators outside of the table, by whom nothing says why."""
    used = set()
    for name, code in files.items():
        found = [] if name.endswith((".def", ".inc")) else list(OPERATOR.finditer(code))
        if not found:
            continue
        room = next((room for room in spellers if name.startswith(room)), None)
        used.add(room)
        if len(found) > spellers.get(room, 0):
            yield f"{name}:{line(code, found[-1].start())}: {len(found)} operators are named, {spellers.get(room, 0)} are allowed in {SPELLERS}"
    for room in spellers.keys() - used:
        if room.startswith("src/"):
            yield f"{SPELLERS}:1: {room} is listed, and names no operator"


def grammars(files):
    """Who takes bracketed lists apart."""
    for name, code in files.items():
        at = BRACKETS[0].search(code)
        if all(kind.search(code) for kind in BRACKETS) and name not in GRAMMARS:
            yield f"{name}:{line(code, at.start())}: brackets and commas are read here, of a language that is not in GRAMMARS"


def lemmas(root):
    """docs/trust.md and checker/ have the same ones."""
    page = root / "docs/trust.md"
    told = set(re.findall(r"^\*\*(\d+a?)\. ", page.read_text(encoding="utf-8"), re.MULTILINE)) if page.is_file() else set()
    kept = {}
    for path in sorted((root / "checker").rglob("*")):
        if path.suffix in {".h", ".cpp"}:
            kept |= {n: path.relative_to(root) for n in re.findall(r"^ *///.*\bLemma (\d+a?)\.$", path.read_text(encoding="utf-8"), re.MULTILINE)}
    for number in sorted(told - kept.keys()):
        yield f"docs/trust.md:1: lemma {number} stands above no function of checker/"
    for number in sorted(kept.keys() - told):
        yield f"{kept[number]}:1: lemma {number} is not in docs/trust.md"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    files = dict(sources(root))
    listed = root / SPELLERS
    spellers = {m[1]: int(m[2]) for m in SPELLER.finditer(listed.read_text(encoding="utf-8"))} if listed.is_file() else {}
    messages = [*formats(files), *operators(files, spellers), *grammars(files), *lemmas(root)]
    print("\n".join(messages), end="\n" if messages else "")
    rows = sum(len(ROW.findall(code)) for code in files.values())
    python = sum(what == PYTHON and name in files for name, what in GRAMMARS.items())
    print(f"rooms: {rows} formats, {len(spellers)} rooms besides the table that name operators, {python} readers of Python, "
          f"{len(messages)} refused")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
