"""What AOTAutograd's wrapper does with what a graph returns: outputs that are views of inputs it makes anew, and contents of inputs
that autograd watches it copies into them. A pass that lets such an output lie in an input changes nothing for the caller.
"""
from __future__ import annotations

import re
from collections.abc import Iterator

MADE_ANEW = ("alias_of_input", "is_input")  # names of the wrapper's kinds of outputs


def metadata_of(state: object, capture: object) -> object | None:
    """What AOTAutograd knows of a graph that it is about to compile."""
    inner = getattr(capture, "maybe_subclass_meta", None)
    return getattr(inner, "fw_metadata", None) or getattr(state, "fw_metadata", None)


def may_share(module: object, metadata: object | None) -> list[list]:
    """[output, input] for every output that may lie in that input: one that is made anew in any, one that is copied in those that
    nothing is copied into."""
    if metadata is None or getattr(metadata, "tokens", None):
        return []
    refilled = list(metadata.mutated_inp_runtime_indices)
    fates = [True] * len(refilled) + [getattr(o.output_type, "name", "") in MADE_ANEW for o in metadata.output_info]
    copied = len(refilled)
    inputs = list(_positions(module))
    return [[k, name] for k, counts in enumerate(fates) if counts
            for name, at in inputs if k >= copied or at not in refilled]


def _positions(module: object) -> Iterator[tuple[str, int]]:
    """Tensors that the caller gives, each with its position among them, which its name tells."""
    for node in module.graph.nodes:
        told = re.fullmatch(r"arg(\d+)_\d+|primals_(\d+)", node.name) if node.op == "placeholder" else None
        if told and hasattr(node.meta.get("val"), "untyped_storage"):
            yield node.name, int(told[1]) if told[1] else int(told[2]) - 1
