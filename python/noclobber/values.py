"""PyTorch's values as `noclobber.case/1` writes them. Nothing here imports PyTorch: values are known by what they have."""
from __future__ import annotations

import functools
import hashlib
import math
import re

DTYPES = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "float8_e4m3fn": "f8e4m3fn",
    "float8_e5m2": "f8e5m2", "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8", "uint64": "u64",
    "uint32": "u32", "uint16": "u16", "uint8": "u8", "bool": "bool", "complex64": "c64", "complex128": "c128"}


class Unwritable(ValueError):
    """A value that the format has no form for; the message names it."""


@functools.cache
def dtype_name(dtype: object) -> str:
    """`f32` of torch.float32. Raises Unwritable for a type the format does not have."""
    name = str(dtype).removeprefix("torch.")
    if name not in DTYPES:
        raise Unwritable(f"dtype {dtype}")
    return DTYPES[name]


def is_symbolic(value: object) -> bool:
    """A SymInt, SymFloat or SymBool."""
    return hasattr(value, "node") and hasattr(value.node, "expr")


def is_tensor(value: object) -> bool:
    """A tensor, or the description of one."""
    return hasattr(value, "dtype") and hasattr(value, "shape") and hasattr(value, "stride")


def expression(value: object) -> int | str:
    """An EXPR: an integer, or the text of a symbolic size. Raises Unwritable for functions the format lacks."""
    if isinstance(value, int):
        return int(value)
    expr = value.node.expr if is_symbolic(value) else value
    if getattr(expr, "is_Integer", False):
        return int(expr)
    return sympy_text(expr)


_BINARY = {"FloorDiv": "//", "CleanDiv": "//", "Mod": "%", "PythonMod": "%"}


def sympy_text(expr: object) -> str:
    """A sympy expression in the format's language: + - * // % min max. Raises Unwritable."""
    kind, args = type(expr).__name__, [*expr.args]
    if not args:
        text = str(expr)
        if not re.fullmatch(r"\w+|-?\d+", text):
            raise Unwritable(f"size {expr}")
        return text
    texts = [sympy_text(a) for a in args]
    if kind in ("Add", "Mul"):
        return "(" + (" + " if kind == "Add" else "*").join(texts) + ")"
    if kind in _BINARY:
        return f"({texts[0]} {_BINARY[kind]} {texts[1]})"
    if kind in ("Max", "Min"):
        text = texts[0]
        for other in texts[1:]:
            text = f"{kind.lower()}({text}, {other})"
        return text
    if kind == "Pow" and getattr(args[1], "is_Integer", False) and 0 < int(args[1]) <= 8:
        return "(" + "*".join([texts[0]] * int(args[1])) + ")"
    if getattr(expr, "is_Function", False):  # a function of its arguments, of which nothing else is known
        return f"{kind}({', '.join(texts)})"
    raise Unwritable(f"size {expr}")


FEW = 64  # elements whose numbers are written


def contents_of(tensor: object) -> dict:
    """`sha256` and, of few plain numbers, `value` of an input; {} where its bytes cannot be read."""
    import torch

    try:
        rows = tensor.detach().cpu().contiguous().reshape(-1)
        held = {"sha256": hashlib.sha256(rows.view(torch.uint8).numpy().tobytes()).hexdigest()}
    except Exception:  # noqa: BLE001, descriptions of tensors and types of other libraries hold no bytes
        return {}
    if rows.numel() <= FEW and str(rows.dtype) in ("torch.float32", "torch.float64", "torch.int64", "torch.int32"):
        held["value"] = [n if math.isfinite(n) else str(n) for n in rows.tolist()]
    return held


def _is_strided(value: object) -> bool:
    return _names_strided(getattr(value, "layout", "strided"))


@functools.cache
def _names_strided(layout: object) -> bool:
    return "strided" in str(layout)


def bounds_of(known: object) -> dict[str, int]:
    """"min" and "max" of a range of PyTorch's, as far as they are numbers of a sensible size; {} of None."""
    sides = (("min", getattr(known, "lower", None)), ("max", getattr(known, "upper", None)))
    return {side: int(value) for side, value in sides
            if getattr(value, "is_Integer", isinstance(value, int)) and abs(int(value)) < 2**62}


def symbols_in(value: object) -> set[str]:
    """Names of the symbols in a symbolic size, tensor description, or sequence of these."""
    if is_tensor(value):
        more = [*value.stride(), value.storage_offset()] if callable(value.stride) and _is_strided(value) else []
        sizes = [*value.shape, *more]
        return set() if all(type(s) is int for s in sizes) else symbols_in(sizes)
    if isinstance(value, (list, tuple)):
        return set().union(*map(symbols_in, value))
    if is_symbolic(value):
        return {str(s) for s in value.node.expr.free_symbols}
    return set()


def tensor_type(value: object, strides_too: bool = False) -> dict:
    """TYPE of a tensor or of its description; strides are written where they are not the contiguous ones, symbolic ones
    with `strides_too`."""
    shape = _expressions(value.shape)
    written = {"dtype": dtype_name(value.dtype), "shape": shape}
    if not _is_strided(value):
        raise Unwritable(f"layout {value.layout}")
    strides = value.stride() if callable(value.stride) else value.stride
    are_numbers = all(type(s) is int for s in shape)
    if strides_too and not are_numbers:
        written["stride"] = _expressions(strides)
    elif are_numbers:
        strides = _expressions(strides)
        if math.prod(shape) and not _contiguous(shape, strides):
            written["stride"] = strides
    return written


def _expressions(sizes: object) -> list:
    return [s if type(s) is int else expression(s) for s in sizes]


def _contiguous(shape: list[int], strides: list[int]) -> bool:
    running = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size != 1 and stride != running:
            return False
        running *= size
    return True


def argument(value: object) -> object:
    """ARG of a literal: numbers, text, dtypes, devices, layouts, lists. Raises Unwritable."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, complex):  # as it is read in text: two are equal as they are written
        return f"{value.imag:.17g}j" if value.real == 0 else f"complex({value.real:.17g}, {value.imag:.17g})"
    if is_symbolic(value):
        return {"sym": str(expression(value))}
    if isinstance(value, (list, tuple)):
        return [argument(v) for v in value]
    kind = type(value).__name__
    if kind == "dtype":
        return {"dtype": dtype_name(value)}
    if kind == "device":
        return {"device": str(value)}
    if kind in ("memory_format", "layout"):
        return str(value).removeprefix("torch.")
    raise Unwritable(f"{kind} {value}")


@functools.lru_cache(maxsize=4096)  # each pass writes the same places again
def location(stack_trace: str | None) -> str | None:
    """`model.py:29 in forward` of the innermost frame of a recorded stack trace that lies in a file."""
    found = re.findall(r'File "([^"<]+)", line (\d+), in (\S+)', stack_trace or "")
    return "{}:{} in {}".format(*found[-1]) if found else None
