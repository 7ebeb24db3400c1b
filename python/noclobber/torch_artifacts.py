"""Findings as artifacts of PyTorch's log (`TORCH_TRACE`), which tlparse lists beside the graphs of their compilation.

`noclobber` holds what was said of the passes of a compilation, once they are checked; `noclobber_broken_invariant` a
promise that a pass broke, at the place in the log where it did.
"""
from __future__ import annotations

import collections
import json


def tell(name: str, content: dict, compilation: object | None) -> None:
    """Writes one artifact, where PyTorch writes a log; `compilation`: the id it belongs to."""
    from torch._logging import _internal as logs

    if logs.trace_log.handlers:
        logs.trace_structured("artifact", metadata_fn=lambda: {"name": name, "encoding": "json"},
                              payload_fn=lambda: json.dumps(content, indent=1), expect_trace_id=False, compile_id=compilation)


def tell_records(title: str, records: list[dict], compilation: object | None) -> None:
    """What was said of the passes whose stages begin with `title`."""
    own = [r for r in records if r.get("stage", "").startswith(title + "/")]
    if own:
        counts = collections.Counter(r["status"] for r in own)
        tell("noclobber", {"checked": len(own), **counts, "passes": [_short(r) for r in own if r["status"] != "proved"]}, compilation)


def _short(record: dict) -> dict:
    """The parts of a record that name what is wrong, or what is not known."""
    findings = [{k: f[k] for k in ("rule", "property", "pass", "message", "help") if f.get(k)}
                for f in record.get("findings", []) if f["status"] == "refuted"]
    unknown = [{"reason": u["reason"], "names": u.get("names", [])} for u in record.get("unknown", [])]
    return {"stage": record["stage"], "status": record["status"], "input": record["input"],
            **({"findings": findings} if findings else {}), **({"unknown": unknown} if unknown else {})}
