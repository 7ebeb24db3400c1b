#!/usr/bin/env python3
"""Prints src/ops/accepted.inc: which types PyTorch was seen to take each operator with (environment of `make rows-agree`).

Runs PyTorch's own samples of every operator on the CPU, forward and backward, and each call that they come down to again with other
types of its tensors and other numbers. A form (src/ops/accepted.h) is printed if no call of it was refused. Halves, which kernels of
the CPU lack, count as taken where PyTorch's tables say that CUDA has them. Operators that no sample comes down to are called with
tensors of a few shapes, which do not suit all: of these a form is printed if any call of it was taken.
"""
import collections
import itertools
import sys
import warnings

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._python_dispatch import TorchDispatchMode

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
TYPES = {torch.bool: "b", torch.uint8: "u", torch.int8: "i", torch.int16: "i", torch.int32: "i", torch.int64: "i", torch.float16: "h",
         torch.bfloat16: "h", torch.float32: "f", torch.float64: "f", torch.complex64: "c", torch.complex128: "c"}
TRIED = [torch.bool, torch.uint8, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64,
         torch.complex128]
NUMBERS = [2, -2, 0.5, True]
CALLS_EACH = 3  # of one operator with the same ranks and kinds of arguments


def is_tensor(x):
    return isinstance(x, torch.Tensor)


def bound(func, args, kwargs):
    """Every argument, as the schema orders them, with its default where it is not given."""
    out = []
    for k, slot in enumerate(func._schema.arguments):
        if k < len(args) and not slot.kwarg_only:
            out.append(args[k])
        else:
            out.append(kwargs.get(slot.name, slot.default_value))
    return out


def called(func, values):
    plain = [v for v, slot in zip(values, func._schema.arguments) if not slot.kwarg_only]
    named = {slot.name: v for v, slot in zip(values, func._schema.arguments) if slot.kwarg_only}
    return func(*plain, **named)


def kind_of(slot):
    """The type of an argument, whether it may be left out or not."""
    text = str(slot.type)
    return text[len("Optional["):-1] if text.startswith("Optional[") else text


def letters_of(tensors):
    """Their types, each letter once."""
    return "".join(sorted({TYPES.get(t.dtype, "?") for t in tensors if is_tensor(t)}))


def number_letter(value):
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "t"
    if isinstance(value, int):
        return "m" if value < 0 else "n"
    if isinstance(value, float):
        return "r"
    if isinstance(value, torch.dtype):
        return TYPES.get(value, "?")
    return "?"


def form(func, values):
    tensors, others, types = "", "", collections.defaultdict(set)
    for value, slot in zip(values, func._schema.arguments):
        kind = kind_of(slot)
        if "Tensor" in str(slot.type):
            items = list(value) if isinstance(value, (list, tuple)) else [value]
            for item in items:
                if is_tensor(item) and item.dtype in TYPES:
                    types[TYPES[item.dtype]].add(item.dtype)
            if isinstance(value, (list, tuple)):
                tensors += "[" + letters_of(items) + "]"
            else:
                tensors += letters_of(items) if is_tensor(value) else number_letter(value)
        elif kind == "number" or isinstance(value, torch.dtype):
            others += number_letter(value)
        elif isinstance(value, str):
            others += "'" + value + "'"
        elif kind == "int" and value is None and "dtype" in slot.name:
            others += "-"
    mixed = "~" if any(len(t) > 1 for t in types.values()) else ""
    return tensors + mixed + (";" + others if others else "")


class Recorder(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.calls = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func.namespace in ("aten", "prims") and not func._schema.is_mutable and len(self.calls) < 400:
            try:
                values = bound(func, args, kwargs)
                flat = [i for v in values for i in (v if isinstance(v, (list, tuple)) else [v])]
                if all(0 < t.numel() <= 4000 and t.layout == torch.strided for t in flat if is_tensor(t)):
                    copies = [[i.detach().clone() if is_tensor(i) else i for i in v] if isinstance(v, (list, tuple)) else
                              v.detach().clone() if is_tensor(v) else v for v in values]
                    self.calls.append((func, copies))
            except Exception:
                pass
        return func(*args, **kwargs)


def changed(value, dtype):
    """Its numbers as that type, none of them 0 where 0 could be divided by."""
    if dtype == torch.bool:
        return torch.ones_like(value, dtype=dtype)
    if not dtype.is_floating_point and not dtype.is_complex:
        return (torch.nan_to_num(value.real if value.is_complex() else value.float(), 1, 1, 1).abs() % 3 + 1).to(dtype)
    return value.to(dtype)


def variants(func, values):
    places = []  # (argument, item or None) of tensors whose type may be another
    for k, value in enumerate(values):
        if is_tensor(value):
            places.append((k, None, value))
        elif isinstance(value, (list, tuple)):
            places += [(k, j, i) for j, i in enumerate(value) if is_tensor(i)]
    free = [p for p in places if p[2].is_floating_point() or p[2].is_complex()] or places

    def is_number(k, slot):
        given = isinstance(values[k], (bool, int, float))
        return kind_of(slot) == "number" and (given or slot.type.kind() == "OptionalType") or kind_of(slot) == "Tensor" and given

    numbers = [k for k, slot in enumerate(func._schema.arguments) if is_number(k, slot)]
    tried = [NUMBERS + ([None] if func._schema.arguments[k].type.kind() == "OptionalType" else []) for k in numbers]
    types_asked = [k for k, slot in enumerate(func._schema.arguments) if "dtype" in slot.name and str(slot.type) == "Optional[int]"]

    def with_types(types):
        out = [list(v) if isinstance(v, (list, tuple)) else v for v in values]
        for (k, j, value), dtype in zip(free, types):
            if j is None:
                out[k] = changed(value, dtype)
            else:
                out[k][j] = changed(value, dtype)
        return out

    combinations = {tuple(p[2].dtype for p in free)} | {(t,) * len(free) for t in TRIED}
    if len(free) == 2:
        combinations |= set(itertools.product(TRIED, TRIED))
    elif 2 < len(free) <= 6:
        for base in (torch.float32, torch.int64):
            for k in range(len(free)):
                combinations |= {(base,) * k + (t,) + (base,) * (len(free) - k - 1) for t in TRIED}
    for types in combinations:
        try:
            made = with_types(types)
        except Exception:
            continue
        yield made
        for k in types_asked:
            for dtype in (None, *TRIED):
                yield made[:k] + [dtype] + made[k + 1:]
        for given in itertools.product(*tried) if 0 < len(numbers) < 3 else ():
            yield [given[numbers.index(k)] if k in numbers else v for k, v in enumerate(made)]


SHAPES = [(4,), (2, 2), (1, 2, 4, 4)]
GIVEN = {"number": NUMBERS, "int": [0, 1], "List[int]": [[0], [1, 1]], "bool": [False, True], "float": [0.5]}


def calls_of_simple(func):
    """Calls of an operator that needs tensors, numbers and sizes alone, of each combination of types."""
    slots = [slot for slot in func._schema.arguments if not slot.has_default_value()]
    tensors = [slot for slot in slots if str(slot.type) == "Tensor"]
    others = [slot for slot in slots if str(slot.type) in GIVEN]
    if not 0 < len(tensors) <= 3 or len(others) > 2 or len(tensors) + len(others) != len(slots):
        return
    tried = TRIED if len(tensors) < 3 else TRIED[:1] + TRIED[3:4] + TRIED[6:7] + TRIED[8:9]
    for types in itertools.product(tried, repeat=len(tensors)):
        for shape in SHAPES:
            given = {slot.name: changed(torch.rand(shape), dtype) for slot, dtype in zip(tensors, types)}
            for more in itertools.product(*(GIVEN[str(slot.type)] for slot in others)):
                yield bound(func, (), given | {slot.name: value for slot, value in zip(others, more)})


def asked_alone(taken):
    """Operators that no sample comes down to: of each form whether some shape is taken."""
    for listed in sorted(torch._C._dispatch_get_all_op_names()):
        space, name = listed.split("::")
        packet, _, overload = name.partition(".")
        if space not in ("aten", "prims") or name.startswith("_"):
            continue
        func = getattr(getattr(getattr(torch.ops, space), packet), overload or "default")
        if str(func) in taken or func._schema.is_mutable or not func._schema.returns:
            continue
        for values in calls_of_simple(func):
            try:
                called(func, values)
                taken[str(func)].add(form(func, values))
            except Exception:
                pass


def main():
    seen = collections.defaultdict(int)
    taken, refused, on_cuda = collections.defaultdict(set), collections.defaultdict(set), collections.defaultdict(set)
    only = sys.argv[1:]
    for at, info in enumerate(op_db):
        if only and info.name not in only:
            continue
        print(f"{at} of {len(op_db)}: {info.name}", file=sys.stderr, end="\r")
        dtype = next((t for t in (torch.float32, torch.int64, torch.bool, torch.complex64) if t in info.dtypes), None)
        if dtype is None:
            continue
        gradient = dtype == torch.float32 and info.supports_autograd
        recorder = Recorder()
        try:
            samples = list(itertools.islice(info.sample_inputs("cpu", dtype, requires_grad=gradient), 16))
        except Exception:
            continue
        for sample in samples:
            try:
                with recorder:
                    out = info(sample.input, *sample.args, **sample.kwargs)
                    outs = [o for o in (out if isinstance(out, (list, tuple)) else [out]) if is_tensor(o) and o.requires_grad]
                    if gradient and outs:
                        sum(o.sum() for o in outs).backward()
            except Exception:
                pass
        halves = {torch.float16, torch.bfloat16} <= set(info.dtypesIfCUDA)
        for func, values in recorder.calls:
            kind = (func, tuple(i.dim() if is_tensor(i) else type(i).__name__ for v in values
                                for i in (v if isinstance(v, (list, tuple)) else [v])))
            seen[kind] += 1
            if seen[kind] > CALLS_EACH:
                continue
            name = str(func)
            for made in variants(func, values):
                one = form(func, made)
                if "?" in one or one in refused[name]:
                    continue
                try:
                    called(func, made)
                    taken[name].add(one)
                except Exception as error:
                    if halves and "h" in one and "not implemented for" in str(error):
                        on_cuda[name].add(one)
                    else:
                        refused[name].add(one)
    if not only:
        asked_alone(taken)
    for name in sorted(taken):
        forms = sorted((taken[name] | on_cuda[name]) - refused[name])
        if forms:
            print(f'    {{"{name}", "{" ".join(forms)}"}},')


if __name__ == "__main__":
    main()
