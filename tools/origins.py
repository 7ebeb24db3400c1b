#!/usr/bin/env python3
"""Makes docs/origins.md of corpus/origins/points.toml, on standard output."""
import pathlib
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
POINTS = ROOT / "corpus" / "origins" / "points.toml"
HEAD = """# The four texts this project comes from

Two pull requests to ExecuTorch, a note on Inductor's passes and a change of Lightning Thunder asked for what noclobber does. Each row is a
property that somebody cared about there, as a wrong form and a right one: what is run, which rule is broken, and the line that names it.
`tests/origins_test.py` runs every row, without a framework; the page is made of `corpus/origins/points.toml`. `make origins` records the inputs
again from the three frameworks and compares; [what cannot be recorded again](../corpus/origins/README.md) is said there, with the reason.
"""


def said(form):
    """What is said of a form."""
    if "error" in form:
        return f"not readable: `{form['error']}`"
    if "lint" in form:
        counts = " and ".join(str(n) for n in form["lint"])
        return f"proved, and {counts} barriers that order nothing (NC040)"
    if "rule" not in form:
        return "proved"
    return f"**{form['rule']}**" + (f" `{form['line']}`" if form["line"] else "")


def cell(forms):
    return "<br>".join(f"`{form['run']}`: {said(form)}" for form in forms).replace("|", "\\|")


def main():
    print(HEAD)
    for text in tomllib.loads(POINTS.read_text(encoding="utf-8"))["text"]:
        print(f"## {text['number']}. {text['title']}\n\nInputs: {text['recorded']}.\n")
        print("| | what was claimed or feared | wrong form | right form | input |\n| --- | --- | --- | --- | --- |")
        for k, point in enumerate(text["point"], 1):
            more = point.get("more", [])
            wrong = [point["wrong"], *(form for form in more if "rule" in form or "error" in form)]
            right = [point["right"], *(form for form in more if "rule" not in form and "error" not in form)]
            print(f"| {text['number']}.{k} | {point['claim']} | {cell(wrong)} | {cell(right)} | {point['from']} |")
        print()


if __name__ == "__main__":
    main()
