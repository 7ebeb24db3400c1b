"""What a run of the program says, as objects: a Report of Checks, each with its Findings.

They are the records themselves (docs/records.md): a Report is a list, a Check and a Finding are dictionaries, so that
`record["status"]` and everything else of a record is there as it is written.
"""
from __future__ import annotations

import html
from collections.abc import Iterable

from . import program

_COLOURS = {"proved": "#1a7f37", "refuted": "#cf222e", "unknown": "#9a6700", "error": "#cf222e"}


class Finding(dict):
    """One finding of a check."""

    @property
    def rule(self) -> str:
        return self["rule"]

    @property
    def fingerprint(self) -> str:
        return self["fingerprint"]

    @property
    def message(self) -> str:
        return self.get("message", "")

    @property
    def witness(self) -> dict:
        return self.get("witness", {})

    @property
    def is_cause(self) -> bool:
        """Does it follow from no other finding of its check?"""
        return not self.get("follows")

    def __str__(self) -> str:
        return f"{self.rule} {self.property}: {self.message}"

    @property
    def property(self) -> str:  # the last: it hides the decorator
        return self["property"]


class Check(dict):
    """One check: a pair of graphs, a graph, a trace, a plan or a program."""

    @property
    def id(self) -> str:
        return self.get("id", "")

    @property
    def input(self) -> str:
        return self.get("input", "")

    @property
    def status(self) -> str:
        """"proved", "refuted" or "unknown"."""
        return self["status"]

    @property
    def proved(self) -> bool:
        return self.status == "proved"

    @property
    def refuted(self) -> bool:
        return self.status == "refuted"

    @property
    def unknown(self) -> bool:
        return self.status == "unknown"

    @property
    def findings(self) -> list[Finding]:
        return [Finding(f) for f in self.get("findings", [])]

    @property
    def reasons(self) -> list[dict]:
        """Why it is unknown: `reason` and `names` of each."""
        return list(self.get("unknown", []))

    @property
    def assumptions(self) -> list[str]:
        return list(self.get("assumptions", []))

    def __str__(self) -> str:
        return program.describe(self)

    def _repr_html_(self) -> str:
        return Report([self])._repr_html_()


class Report(list):
    """Checks in the order of the run. `lowered` is what a compiler made that ran for them, where one did."""

    lowered: object = None

    def __init__(self, records: Iterable[dict] = ()):
        super().__init__(Check(r) for r in records)

    @property
    def refuted(self) -> Report:
        return Report(r for r in self if r.refuted)

    @property
    def proved(self) -> Report:
        return Report(r for r in self if r.proved)

    @property
    def unknown(self) -> Report:
        return Report(r for r in self if r.unknown)

    @property
    def findings(self) -> list[Finding]:
        """Those that follow from no other, of all checks."""
        return [f for r in self for f in r.findings if f.is_cause]

    def raise_if_refuted(self) -> Report:
        """The report itself. Raises Refuted where a check is."""
        if self.refuted:
            raise program.Refuted(self)
        return self

    def __str__(self) -> str:
        counts = ", ".join(f"{len(part)} {name}" for name, part in self._parts())
        return "\n".join([f"{len(self)} checked: {counts}", *(str(r) for r in self if not r.proved)])

    def _parts(self) -> list[tuple[str, Report]]:
        return [("proved", self.proved), ("refuted", self.refuted), ("unknown", self.unknown)]

    def _repr_html_(self) -> str:
        """A table for notebooks: what is not proved, and how many are."""
        head = ", ".join(f'<b style="color:{_COLOURS[name]}">{len(part)} {name}</b>' for name, part in self._parts())
        rows = "".join(_row(r) for r in self if not r.proved)
        table = f"<table><tr><th>check</th><th>verdict</th><th>why</th></tr>{rows}</table>" if rows else ""
        return f"<div><p>noclobber: {len(self)} checked: {head}</p>{table}</div>"


def _row(record: Check) -> str:
    found = [f"{f.rule} {f.property}: {f.message}" for f in record.findings if f.is_cause]
    open_ = [f"{u['reason']}: {', '.join(u.get('names', []))}" for u in record.reasons]
    why = "<br>".join(html.escape(one) for one in found or open_)
    name = html.escape(f"{record.get('stage') or record.id} of {record.input}")
    return (f'<tr><td>{name}</td><td style="color:{_COLOURS.get(record.status, "inherit")}">{record.status}</td>'
            f'<td style="text-align:left">{why}</td></tr>')


def check(*inputs: program.Path, order: str | None = None, options: Iterable[str] = ()) -> Report:
    """What `noclobber check INPUT...` says; `order` is "program" or "dataflow". Raises ProgramError where an input
    cannot be read."""
    return Report(program.check(*inputs, order=order, options=options))


def compare(before: program.Path, after: program.Path, *, order: str | None = None, options: Iterable[str] = ()) -> Report:
    """What `noclobber compare BEFORE AFTER` says."""
    return Report(program.compare(before, after, order=order, options=options))
