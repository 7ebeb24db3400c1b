#!/usr/bin/env python3
"""Refuses what would make the proof say less than it seems to: check_proof.py [--coqchk OUTPUT] [ROOT]

In checker/proof/*.v: nothing is admitted or assumed outside of a section, no check of Coq is switched off, extraction
replaces nothing but what REVIEWED lists; a file has at most 400 lines, a definition of what is believed at most 25; and docs/trust.md
holds the digest of each file that has to be believed, so that none changes without a line there; each word that such a file
defines is used in an example.  --coqchk: instead, what `coqchk -o` printed has to list no axiom.
"""
import hashlib
import pathlib
import re
import sys

FILE_LINES = 400
DEFINITION_LINES = 25
BELIEVED = ["Sem.v", "Bodies.v"]  # what is proved is said there
EXAMPLES = ["Example.v", "Words.v", "Loops.v"]  # each word of what is believed at work
REVIEWED = {"ExtrOcamlBasic"}  # bool, option, list, pair, unit and comparison are those of OCaml
FORBIDDEN = [
    (r"\b(Admitted|admit|give_up)\b", "something is admitted"),
    (r"\b(Axioms?|Parameters?|Conjectures?)\b", "something is assumed"),
    (r"\b(Unset|Set)\s+(Guard|Positivity|Universe)\s+Checking\b|\bbypass_check\b|\btype-in-type\b|-impredicative-set",
     "a check of Coq is switched off"),
    (r"\bExtract\s+(Inlined\s+)?(Constant|Inductive)\b", "extraction replaces something that nobody reviewed"),
    (r"\bRequire\s+(Import\s+|Export\s+)?(?:Coq\.)?(Logic\.)?(Classical\w*|FunctionalExtensionality|ProofIrrelevance|"
     r"IndefiniteDescription|ChoiceFacts|Epsilon)\b", "a library of axioms"),
]
IN_SECTIONS = re.compile(r"^\s*(Variables?|Hypothes[ie]s|Context)\b")


def without_comments(text):
    """Comments become blank; they may be nested."""
    out, depth = [], 0
    for piece in re.split(r"(\(\*|\*\))", text):
        if piece == "(*" or (piece == "*)" and depth):
            depth += 1 if piece == "(*" else -1
        elif depth:
            out.append(re.sub(r"[^\n]", " ", piece))
        else:
            out.append(piece)
    return "".join(out)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def outside_of_sections(code):
    """Lines that assume something for all that follows."""
    depth = 0
    for number, line in enumerate(code.splitlines(), 1):
        depth += len(re.findall(r"^\s*(?:Section|Module)\b", line)) - len(re.findall(r"^\s*End\b", line))
        if depth == 0 and IN_SECTIONS.match(line):
            yield number


def long_definitions(code):
    """(line, lines) of each sentence that defines something and is too long."""
    at = 0
    for sentence in re.finditer(r"(?:[^.]|\.(?=\S))*\.(?=\s|$)", code):
        head = sentence.group().lstrip()
        first = code.count("\n", 0, sentence.end() - len(head)) + 1
        lines = head.count("\n") + 1
        if re.match(r"(Definition|Fixpoint|Inductive|Record|Notation)\b", head) and lines > DEFINITION_LINES:
            yield first, lines
        at = sentence.end()


def check_file(path, name):
    text = path.read_text(encoding="utf-8")
    code = without_comments(text)
    for pattern, what in FORBIDDEN:
        for found in re.finditer(pattern, code):
            yield f"{name}:{code.count(chr(10), 0, found.start()) + 1}: {what}: {found.group()}"
    for number in outside_of_sections(code):
        yield f"{name}:{number}: something is assumed outside of a section"
    for library in re.findall(r"\b(Extr(?!act)\w+)", code):
        if library not in REVIEWED:
            yield f"{name}: nobody reviewed the extraction of {library}"
    if len(text.splitlines()) > FILE_LINES:
        yield f"{name}: the file has {len(text.splitlines())} lines, {FILE_LINES} are allowed"
    if path.name in BELIEVED:
        for first, lines in long_definitions(code):
            yield f"{name}:{first}: a definition has {lines} lines, {DEFINITION_LINES} are allowed"


def check_digests(root):
    page = (root / "docs/trust.md").read_text(encoding="utf-8")
    for name in BELIEVED:
        held = digest(root / "checker/proof" / name)
        if f"`{name}` {held}" not in page:
            yield (f"docs/trust.md: says nothing of this checker/proof/{name}: what it says has changed, so write there what is "
                   f"meant by it now, and renew the digest: `{name}` {held}")


def check_examples(folder):
    """A stranger finds each word that is believed in an example."""
    text = "".join(without_comments((folder / name).read_text(encoding="utf-8")) for name in EXAMPLES if (folder / name).exists())
    for name in BELIEVED:
        code = without_comments((folder / name).read_text(encoding="utf-8"))
        for word in re.findall(r"^\s*(?:Definition|Fixpoint|Record|Inductive)\s+(\w+)", code, re.M):
            if not re.search(rf"\b{word}\b", text):
                yield f"checker/proof/{name}: no example of `{word}` in {' or '.join(EXAMPLES)}"


def check_rows(root):
    """identities.ml has the rows of identities.def, and no other."""
    table, own = root / "checker/kernel/identities.def", root / "checker/proof/identities.ml"
    if not (table.exists() and own.exists()):
        return
    rows = set(re.findall(r'^ROW\("([a-z-]+)"', table.read_text(encoding="utf-8"), re.M))
    text = own.read_text(encoding="utf-8")
    text = text[text.index("let rows"):text.index("(* --- numbers of types")]
    held = set(re.findall(r'keeps "([a-z-]+)"', text)) | {"convert-wider"}  # no row of a list there, but `passes`
    folds, numbers = text[text.index("List.map folds"):text.index("List.map numbered")], text[text.index("List.map numbered"):]
    held |= {"fold-" + n for n in re.findall(r'\("([a-z]+)", ', folds)} | {"number-" + n for n in re.findall(r'\("([a-z]+)", ', numbers)}
    held |= {"number-" + n for n in re.findall(r'"([a-z]+)"', numbers[numbers.rindex("["):])}
    for name in sorted(rows ^ held):
        yield f"checker/proof/identities.ml: {name} is a row of one table alone"


def check_coqchk(text):
    """What coqchk prints below each heading."""
    for heading in ("Axioms", "Constants/Inductives relying on type-in-type", "Constants/Inductives relying on unsafe (co)fixpoints",
                    "Inductives whose positivity is assumed"):
        if f"{heading}: <none>" not in re.sub(r"\s+", " ", text):
            yield f"coqchk: not `{heading}: <none>`"


def main():
    arguments = sys.argv[1:]
    output = pathlib.Path(arguments[1]).read_text(encoding="utf-8") if arguments[:1] == ["--coqchk"] else None
    if output is not None:
        messages = list(check_coqchk(output))
        print("\n".join(messages) or "proof: coqchk lists no axiom")
        return 1 if messages else 0
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parents[1]
    files = sorted((root / "checker/proof").glob("*.v"))
    messages = [] if files else ["checker/proof: there is no proof"]
    for path in files:
        messages += check_file(path, f"checker/proof/{path.name}")
    messages += check_digests(root) if files else []
    messages += check_examples(root / "checker/proof") if files else []
    messages += check_rows(root)
    for message in messages:
        print(message)
    proved = sum(len(re.findall(r"\bQed\.", without_comments(p.read_text(encoding="utf-8")))) for p in files)
    print(f"proof: {len(files)} files, {proved} proofs, {len(messages)} refused")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
