#!/usr/bin/env python3
"""Refuses includes that the layers do not allow, two types of one name, and casts to what is no byte: check_layers.py [ROOT]

The table is section 3 of the architecture page.  A folder may include itself, `base` (but `checker/`
may not) and the folders listed for it; the list is not transitive.  Two headers that define one name in one
namespace break the rule of one definition, of which a linker says nothing.  Sanitized builds do not ask whether a pointer
is aligned for what it points to: nothing is cast to a pointer that must be aligned better than what it was.
"""
import pathlib
import re
import sys

ALLOWED = {
    "checker/kernel": set(),
    "checker/text": {"checker/kernel"},
    "checker/plan": {"checker/kernel", "checker/text"},
    "checker/refute": {"checker/kernel"},
    "checker": {"checker/kernel", "checker/text", "checker/plan", "checker/refute"},
    "trace": {"checker/kernel"},
    "values": {"trace", "checker/kernel"},
    "base": set(),
    "graph": set(),
    "text": set(),
    "ops": {"graph", "trace", "checker/text"},
    "kernels": {"ops", "graph"},
    "formats": {"text", "ops", "graph"},
    "lower": {"formats", "text", "ops", "graph"},
    "inputs": {"lower", "formats", "text", "graph"},
    "effects": {"ops", "kernels", "trace", "values"},
    "plan": {"effects"},
    "prover": {"trace", "values", "plan"},
    "second": {"trace", "values", "prover"},
    "certify": {"trace", "values", "checker", "checker/kernel", "checker/text", "checker/plan", "checker/refute", "prover"},
    "interp": {"ops", "kernels", "graph"},
    "watch": {"effects", "interp", "ops", "kernels", "graph", "trace"},
    "report": {"graph", "checker/kernel"},
    "check": {"effects", "plan", "prover", "second", "certify", "interp", "watch", "report", "lower", "ops", "graph", "trace", "values", "checker", "checker/kernel", "checker/text", "checker/plan"},
    "advise": {"check", "prover", "report", "ops", "graph"},
    "fuzz": {"lower", "formats", "text", "interp", "kernels", "ops", "graph", "report"},
    "run": {"check", "inputs", "report", "text", "ops", "graph"},
}
EVERYTHING = {"cli"}

# Later written changes of the table: (folder, may also include) -> why.
AMENDMENTS: dict[tuple[str, str], str] = {
    ("prover", "graph"): "the satisfying value of a case's own symbols is looked for before any Trace exists",
    ("effects", "graph"): "what a step is given, and what must run before what, are read off the graph",
    ("graph", "checker/text"): "constants of two files are compared by their SHA-256, which is written once",
    ("certify", "graph"): "the certificate of a plan that is a table holds its rows (graph/placement.h)",
    ("run", "lower"): "a check of a log is read by the worker that takes it (lower/checks.h)",
    ("run", "formats"): "a plan beside the buffers that another file wants, and declarations of operators, are no inputs of their own",
    ("run", "prover"): "whether there is a solver is asked before the first check",
    ("plan", "checker/kernel"): "places in an arena are polynomials (checker/kernel/poly.h)",
    ("plan", "graph"): "a plan names values of the graph",
    ("prover", "checker/kernel"): "what is >= 0 is searched for in the checker's arithmetic, and what is found is tried as nc-check does",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
Z3_HEADER = re.compile(r"(^|/)z3(\+\+|_\w+)?\.h$")
Z3_USER = "src/prover/z3.cpp"
STANDARD = re.compile(r"[a-z_]+")
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{")
CAST = re.compile(r"\breinterpret_cast<([^>]*)>")
BYTES = re.compile(r"(const )?(unsigned char|char|std::uint8_t|Bytef)\*")
# Files that cast otherwise -> what, and why.
OTHER_CASTS = {
    "src/prover/solver.cpp": "what the loader finds: functions by name, and a list in memory that is aligned for it",
}
TYPE = re.compile(r"^(?:struct|class|enum class|enum) (\w+)\b(?!;)[^;]*\{")


def folder_of(path):
    """The layer a root-relative path belongs to, or None."""
    parts = path.split("/")
    if parts[0] == "checker" and len(parts) > 1:
        return f"checker/{parts[1]}" if len(parts) > 2 else "checker"
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def may_include(folder, other):
    if folder in EVERYTHING or folder == other:
        return True
    if not folder.startswith("checker") and other == "base":
        return True
    return other in ALLOWED[folder] or (folder, other) in AMENDMENTS


def judge(path, bracket, target):
    """Why the file `path` may not include `target`; None where it may."""
    folder = folder_of(path)
    if folder not in ALLOWED and folder not in EVERYTHING:
        return f"the folder {folder} is not in the table of layers"
    if folder_of(target) is None and Z3_HEADER.search(target):
        return None if path == Z3_USER else f"only {Z3_USER} may include Z3 ({target})"
    if bracket == "<":
        if folder.startswith("checker") and not STANDARD.fullmatch(target):
            return f"checker/ uses the standard library only, not <{target}>"
        if folder_of(target):
            return f'write "{target}", not <{target}>'
        return None
    other = folder_of(target)
    if other is None:
        return f'"{target}" is not a path from the root, like "src/graph/case.h" or "checker/kernel/trace.h"'
    return None if may_include(folder, other) else f"{folder} may not include {other} ({target})"


def sources(root):
    for top in ("checker", "src"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in {".h", ".cpp", ".def", ".inc"} and path.is_file():
                yield path


def types_of(text):
    """The types that a header defines, with their namespaces."""
    namespace = ""
    for number, line in enumerate(text.splitlines(), 1):
        if found := NAMESPACE.match(line):
            namespace = found[1]
        elif found := TYPE.match(line):
            yield f"{namespace}::{found[1]}", number


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    seen = bad = 0
    types = {}
    for path in sources(root):
        name = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        for defined, number in types_of(text) if path.suffix == ".h" else ():
            if (first := types.setdefault(defined, f"{name}:{number}")) != f"{name}:{number}":
                bad += 1
                print(f"{name}:{number}: {defined} is defined in {first} too")
        for number, line in enumerate(text.splitlines(), 1):
            for target in CAST.findall(line) if name not in OTHER_CASTS else ():
                if not BYTES.fullmatch(target):
                    bad += 1
                    print(f"{name}:{number}: a cast to {target}, which is no byte")
            found = INCLUDE.match(line)
            if not found:
                continue
            seen += 1
            why = judge(name, *found.groups())
            if why:
                bad += 1
                print(f"{name}:{number}: {why}")
    print(f"layers: {seen} includes, {len(types)} types, {bad} refused")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
