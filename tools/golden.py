#!/usr/bin/env python3
"""Records calls of PyTorch operators in the format of corpus/golden. Needs torch; the build does not.

  golden.py OUT --from DIR      every call of DIR's files again, in other dtypes, layouts and contents
  golden.py OUT --forms DIR     the same calls of the operator's other overloads, in place and with out=, with
                                dimensions counted from the end, sizes 0, elements that overlap, more dimensions
  golden.py OUT --samples       what torch's own sample inputs call, forwards and backwards
  golden.py OUT --check DIR     DIR's files again as they are; differences to what they say are listed
"""
import argparse
import collections
import json
import math
import os
import pathlib
import random
import warnings

import torch
import torch._inductor.inductor_prims  # registers prims of Inductor's own
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

LARGEST = 400  # elements of one storage
PER_SIGNATURE, PER_OP = 2, 60
DTYPES = [torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.int64, torch.int32, torch.int16,
          torch.int8, torch.uint8, torch.bool]
NAMES = {d: str(d).removeprefix("torch.") for d in
         [*DTYPES, torch.float32, torch.complex128, torch.float8_e4m3fn, torch.float8_e5m2]}
BY_NAME = {name: dtype for dtype, name in NAMES.items()}


def number(value):
    if isinstance(value, bool) or isinstance(value, int):
        return value
    if isinstance(value, complex):
        return {"re": value.real.hex(), "im": value.imag.hex()}
    return value.hex()


def flat(tensor):
    wide = tensor.float() if "float8" in str(tensor.dtype) else tensor
    return [number(v) for v in wide.resolve_conj().resolve_neg().reshape(-1).tolist()]


def whole_storage(tensor):
    """The storage of `tensor` as a flat tensor of its dtype."""
    count = tensor.untyped_storage().nbytes() // tensor.element_size()
    return torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage(), 0, (count,), (1,))


def finite(values):
    return all(t.isfinite().all() for t in values if isinstance(t, torch.Tensor) and t.is_floating_point())


def short_parameters(args):
    """A parameter with fewer elements than channels: its kernel reads behind it."""
    return any(isinstance(t, torch.Tensor) and t.numel() < args[0].shape[1] for t in args[1:5])


def spread_or_infinite(args):
    """It takes the last stride for 1; the maximum of a block skips NaN or does not, by its width."""
    given = [t for t in args if isinstance(t, torch.Tensor)]
    return any(t.dim() and t.stride(-1) != 1 for t in given) or not finite(given)


def infinite_and_padded(args):
    """Whether padding is multiplied, 0 * inf, is the choice of the library that computes it."""
    return not finite(args[:3]) and any(p > 0 for a in args[3:7] if isinstance(a, (list, tuple)) for p in a)


def least_integers(args):
    """The least integer divided by -1 ends the process."""
    whole = [t for t in args if isinstance(t, torch.Tensor) and not t.is_floating_point() and not t.is_complex()
             and t.dtype != torch.bool and t.numel()]
    return any(t.min() == torch.iinfo(t.dtype).min for t in whole)


def no_elements(args):
    """It divides by their number, and reads a gradient of another shape behind its memory."""
    return any(isinstance(t, torch.Tensor) and t.numel() == 0 for t in args) or args[0].shape != args[1].shape


def different_shapes(args):
    """The derivative takes its operands for one shape and reads behind the smaller one."""
    return args[0].shape != args[1].shape


def not_a_number(args):
    """Whole vectors give NaN, the rest behind them gives the gradient."""
    return args[1].isnan().any()


def odd_places(args):
    """Whole vectors treat NaN and -0 in another way than the elements behind them."""
    return bool((args[1].isnan() | ((args[1] == 0) & args[1].signbit())).any())


def infinite(args):
    """Terms that are infinite cancel or do not, by how the sum is split."""
    return not finite(args) or any(isinstance(t, torch.Tensor) and t.is_floating_point() and t.numel()
                                   and t.abs().max() >= 1e30 for t in args)


def accumulating(args):
    """Eager mode runs this prim twice."""
    return bool(args[3]) if len(args) > 3 else False


def nearly_constant(x):
    """Whether a channel lies so far from zero, against how it varies, that only rounding errors are left of it."""
    if x.dim() < 2 or x.numel() == 0 or not x.is_floating_point():
        return False
    channels = x.transpose(0, 1).reshape(x.shape[1], -1).double()
    return bool((channels.mean(1).abs() > 32 * channels.std(1, correction=0)).any())


def short_or_infinite(args):
    """A parameter read behind its end; infinite terms, of which the order of factors makes infinity or NaN; a
    channel that hardly varies, of which only rounding errors are left."""
    return short_parameters(args) or not finite(args) or nearly_constant(args[0])


def out_of_storage(args):
    """Nothing keeps it within the memory of its argument."""
    last = args[0].storage_offset() + sum((n - 1) * s for n, s in zip(args[1], args[2]))
    return last * args[0].element_size() >= args[0].untyped_storage().nbytes()


def unsorted(args):
    """Where a value belongs among bounds in disorder depends on the search."""
    bounds = next((a for a in args[::-1] if isinstance(a, torch.Tensor) and a.dim() == 1), None)
    return bounds is not None and not (bounds[1:] >= bounds[:-1]).all()


def one_narrow_element(args):
    """x - x is computed as x * scale + shift: nothing but rounding errors are left."""
    return math.prod(args[1]) == 1 and args[0].dtype in (torch.float16, torch.bfloat16)


def one_narrow_or_infinite(args):
    """x - x is computed as x * scale + shift, rounding errors alone; or infinite terms, which cancel or do not."""
    return one_narrow_element(args) or infinite(args)


def one_narrow_group(args):
    """x - x is computed as x * scale + shift, rounding errors alone; or infinite terms, which cancel or do not."""
    narrow = args[0].dtype in (torch.float16, torch.bfloat16)
    return infinite(args) or (narrow and args[4] * args[5] == args[6])


def smaller(args):
    """With out= a mask that is larger than self widens it twice."""
    return args[0].shape != torch.broadcast_shapes(args[0].shape, args[1].shape)


def nothing_to_multiply(args):
    """What is left takes self's shape, which is not the shape that the operator says."""
    return args[1].numel() == 0


def first_overlaps(args):
    """With out= what the functional form gives is copied twice."""
    return isinstance(args[0], torch.Tensor) and overlaps_itself(args[0])


def window_out_of_storage(args):
    """Nothing keeps the window within the memory of its argument."""
    last = sum((n - 1) * s for n, s in zip(args[2], args[3]))
    return args[0].numel() == 0 or last > sum((n - 1) * s for n, s in zip(args[0].shape, args[0].stride()))


# What PyTorch leaves open: the call is not recorded. corpus/golden/README.md says so.
OPEN = {"native_batch_norm": short_or_infinite, "_native_batch_norm_legit": short_or_infinite,
        "_native_batch_norm_legit_functional": short_or_infinite, "_batch_norm_with_update": short_or_infinite,
        "_batch_norm_with_update_functional": short_or_infinite, "cudnn_batch_norm": short_or_infinite,
        "_native_batch_norm_legit_no_training": short_or_infinite,
        "_scaled_dot_product_flash_attention_for_cpu": spread_or_infinite,
        "_scaled_dot_product_flash_attention_for_cpu_backward": spread_or_infinite,
        "addmv": nothing_to_multiply, "copy": first_overlaps, "native_layer_norm": one_narrow_or_infinite, "native_group_norm": one_narrow_group, "masked_scatter": smaller, "as_strided_scatter": window_out_of_storage, "_reshape_alias": out_of_storage, "bucketize": unsorted,
        "native_batch_norm_backward": no_elements, "batch_norm_backward": no_elements,
        "remainder": least_integers, "fmod": least_integers, "floor_divide": least_integers, "div": least_integers,
        "gcd": least_integers, "lcm": least_integers, "cbrt": least_integers,
        "convolution": infinite_and_padded, "convolution_backward": infinite_and_padded,
        "_softmax_backward_data": different_shapes, "_log_softmax_backward_data": different_shapes,
        "hardswish_backward": not_a_number,
        "hardshrink_backward": not_a_number, "logit_backward": odd_places, "softshrink_backward": not_a_number, "native_layer_norm_backward": infinite,
        "_unsafe_index_put": accumulating}


class Unfit(Exception):
    """A call that the format does not hold, or that is not worth recording."""


class Recorder:
    """Calls one operator and describes the call."""

    def __init__(self, op):
        self.op = op
        self.tensors, self.storages, self.keys = [], [], []

    def tensor(self, t):
        fit = (t.layout == torch.strided and t.device.type == "cpu" and t.dtype in NAMES and not t.is_conj()
               and not t.is_neg() and not t.is_quantized and type(t) in (torch.Tensor, torch.nn.Parameter))
        if not fit or t.untyped_storage().nbytes() > LARGEST * t.element_size():
            raise Unfit
        for i, known in enumerate(self.tensors):
            if known is t:
                return i
        key = t.untyped_storage()._cdata
        if key not in self.keys:
            self.keys.append(key)
            self.storages.append(whole_storage(t))
        self.tensors.append(t)
        return len(self.tensors) - 1

    def arg(self, value):
        if isinstance(value, torch.Tensor):
            return {"tensor": self.tensor(value)}
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float):
            return {"float": value.hex()}
        if isinstance(value, (list, tuple)):
            return [self.arg(v) for v in value]
        if isinstance(value, torch.dtype) and value in NAMES:
            return {"dtype": NAMES[value]}
        if isinstance(value, torch.device) and value.type == "cpu":
            return {"device": "cpu"}
        if isinstance(value, torch.memory_format):
            return {"memory_format": str(value).removeprefix("torch.")}
        raise Unfit

    def place(self, t):
        return {"dtype": NAMES[t.dtype], "shape": list(t.shape), "stride": list(t.stride()),
                "offset": t.storage_offset()}

    def output(self, value):
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool):
            return {"value": value}
        if not isinstance(value, torch.Tensor) or value.dtype not in NAMES or value.numel() > LARGEST:
            raise Unfit
        key = value.untyped_storage()._cdata
        same = [i for i, t in enumerate(self.tensors) if t is value]
        return {**self.place(value), "alias_of_storage": self.keys.index(key) if key in self.keys else None,
                "same_object_as_input": same[0] if same else None, "values": flat(value)}

    def contents(self):
        return [{"dtype": NAMES[s.dtype], "values": flat(s)} for s in self.storages]

    def call(self, args, kwargs):
        result = {"args": [self.arg(a) for a in args], "kwargs": {k: self.arg(v) for k, v in kwargs.items()}}
        places = [self.place(t) for t in self.tensors]
        result["storages"] = self.contents()
        result["tensors"] = [{**p, "storage": self.keys.index(t.untyped_storage()._cdata)}
                             for p, t in zip(places, self.tensors)]
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = self.op(*args, **kwargs)
        outputs = list(value) if isinstance(value, (list, tuple)) else [value]
        result["outputs"] = [self.output(v) for v in outputs]
        result["returns_list"] = isinstance(value, list)
        after = self.contents()
        if after != result["storages"]:
            result["storages_after"] = after
        if [self.place(t) for t in self.tensors] != places:
            result["tensors_after"] = [self.place(t) for t in self.tensors]
        return result


class Book:
    """Calls by operator, without repetition."""

    def __init__(self):
        self.calls = collections.defaultdict(list)
        self.seen = collections.Counter()
        self.left_out = collections.Counter()  # (operator, why)
        self.texts = set()

    def add(self, op, args, kwargs):
        """True if the call was made. Changes what the operator changes."""
        try:
            is_open = OPEN.get(op._schema.name.split("::")[1].removesuffix("_"))
            if is_open and (op.namespace != "aten" or is_open is not accumulating) and is_open(args):
                self.left_out[str(op), " ".join(is_open.__doc__.split())] += 1
                return False
            if any(isinstance(t, torch.Tensor) and overlaps_itself(t) for t in kwargs.values()):
                return False  # an out= whose elements share places: the order of stores decides
            shape = kwargs["out"].shape if isinstance(kwargs.get("out"), torch.Tensor) else None
            call = Recorder(op).call(args, kwargs)
            if shape is not None and kwargs["out"].shape != shape:  # resized, with a warning that it will raise
                return False
        except (Unfit, RuntimeError, TypeError, ValueError, IndexError, NotImplementedError, AssertionError,
                OverflowError):
            return False
        signature = (str(op), json.dumps([[t["dtype"], len(t["shape"]), sorted(t["stride"]) == t["stride"][::-1]]
                                          for t in call["tensors"]]), *sorted(call["kwargs"]), len(args))
        text = json.dumps([str(op), call])
        if text in self.texts or self.seen[signature] >= PER_SIGNATURE or len(self.calls[op]) >= PER_OP:
            return True
        self.texts.add(text)
        self.seen[signature] += 1
        self.calls[op].append(call)
        return True

    def write(self, out):
        out.mkdir(parents=True, exist_ok=True)
        for op, calls in self.calls.items():
            text = json.dumps({"op": str(op), "schema": str(op._schema), "torch": torch.__version__.split("+")[0],
                               "device": "cpu", "calls": calls}, separators=(",", ":"))
            if calls:
                (out / f"{op}.json").write_text(text + "\n")
        lines = [f"{op}\t{count}\t{why}\n" for (op, why), count in sorted(self.left_out.items())]
        (out / "open.tsv").write_text("operator\tcalls\twhy\n" + "".join(lines))


def read_number(value, dtype):
    if isinstance(value, dict):
        return complex(float.fromhex(value["re"]), float.fromhex(value["im"]))
    return float.fromhex(value) if isinstance(value, str) else value


def rebuilt(call):
    """Arguments of a recorded call."""
    storages = [torch.tensor([read_number(v, s["dtype"]) for v in s["values"]]).to(BY_NAME[s["dtype"]])
                if s["values"] else torch.empty(0, dtype=BY_NAME[s["dtype"]]) for s in call["storages"]]
    tensors = [torch.empty(0, dtype=BY_NAME[t["dtype"]])
               .set_(storages[t["storage"]].untyped_storage(), t["offset"], t["shape"], t["stride"])
               for t in call["tensors"]]

    def value(v):
        if isinstance(v, list):
            return [value(x) for x in v]
        if not isinstance(v, dict):
            return v
        kind, text = next(iter(v.items()))
        if kind == "tensor":
            return tensors[text]
        return {"float": lambda: float.fromhex(text), "dtype": lambda: BY_NAME[text], "device":
                lambda: torch.device(text), "memory_format": lambda: getattr(torch, text)}[kind]()

    return [value(a) for a in call["args"]], {k: value(v) for k, v in call["kwargs"].items()}


def copied(args, kwargs):
    """The same call on memory of its own, sharing as before."""
    memo = {}

    def copy(t):
        if not isinstance(t, torch.Tensor):
            return t
        key = t.untyped_storage()._cdata
        if key not in memo:
            memo[key] = t.untyped_storage().clone()
        if id(t) not in memo:
            memo[id(t)] = torch.empty(0, dtype=t.dtype).set_(memo[key], t.storage_offset(), t.shape, t.stride())
        return memo[id(t)]

    return pytree.tree_map(copy, (list(args), dict(kwargs)))


SPECIAL = {"float": [math.nan, math.inf, -math.inf, -0.0, 0.0, 1e30, -0.5, 0.5, 1.5, 2.5, 1e-40],
           "int": [0, -1, 127, -128, 255, 32767, 2**31 - 1, -2**31, 2**63 - 1, -2**63]}


def with_specials(t, draw):
    t = t.clone(memory_format=torch.preserve_format)
    if t.dtype == torch.bool or t.numel() == 0:
        return t
    for i in range(t.numel()):
        if draw.random() < 0.5:
            value = draw.choice(SPECIAL["float" if t.is_floating_point() or t.is_complex() else "int"])
            t.view(-1)[i] = torch.tensor(value).to(t.dtype) if t.is_contiguous() else t.view(-1)[i]
    return t


def reversed_memory(t):
    order = list(range(t.dim()))[::-1]
    return t.permute(order).contiguous().permute(order)


def with_gaps(t):
    if t.dim() == 0 or t.numel() == 0:
        return t.clone()
    return torch.stack([t, t], -1).reshape(*t.shape[:-1], -1)[..., 1::2]


def channels_last(t):
    return t.contiguous(memory_format=torch.channels_last) if t.dim() == 4 else reversed_memory(t)


def repeated(t):
    """The first row everywhere, with stride 0."""
    return t[:1].expand(t.shape) if t.dim() and t.shape[0] > 1 else t.clone()


def shifted(t):
    """Behind a few elements of its storage, before a few others."""
    around = torch.cat([t.new_ones(3), t.reshape(-1), t.new_ones(2)])
    return around.as_strided(t.shape, t.contiguous().stride(), 3)


LAYOUTS = [reversed_memory, with_gaps, channels_last, repeated, shifted]


def turned(t, draw):
    """The same elements, dimensions laid out in a drawn order."""
    order = draw.sample(range(t.dim()), t.dim())
    back = sorted(range(t.dim()), key=order.__getitem__)
    return t.permute(order).contiguous().permute(back)


def redrawn(t, draw):
    """Other contents, within what there was."""
    if t.numel() < 2:
        return t.clone()
    return t.reshape(-1)[torch.tensor([draw.randrange(t.numel()) for _ in range(t.numel())])].reshape(t.shape)


def variants(args, kwargs, draw):
    """Calls near the given one."""
    tensors = [t for t in pytree.tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)]
    floats = [t for t in tensors if t.is_floating_point()] or tensors

    def changed(change, chosen):
        ids = {id(t) for t in chosen}
        return pytree.tree_map(lambda v: change(v) if isinstance(v, torch.Tensor) and id(v) in ids else v,
                               (list(args), dict(kwargs)))

    yield list(args), dict(kwargs)
    yield changed(lambda t: redrawn(t, draw), floats)
    yield changed(lambda t: turned(redrawn(t, draw), draw), floats)
    dtype = draw.choice(DTYPES)
    yield changed(lambda t: turned(t.to(dtype), draw), floats)
    yield changed(lambda t: shifted(t.to(dtype)), floats)
    for layout in LAYOUTS:
        yield changed(layout, floats)
    if len(floats) > 1:
        for layout in LAYOUTS:
            yield changed(layout, [draw.choice(floats)])
    for dtype in DTYPES:
        yield changed(lambda t: t.to(dtype), floats)
        if len(floats) > 1:
            yield changed(lambda t: t.to(dtype), [draw.choice(floats)])
    yield changed(lambda t: with_specials(t.contiguous(), draw), floats)
    for dtype in (torch.float64, torch.int32, torch.float16):
        yield changed(lambda t: with_specials(t.to(dtype).contiguous(), draw), floats)
    if floats:
        yield changed(lambda t: t[:0] if t.dim() else t, floats)
        yield changed(lambda t: t.flatten()[0].clone() if t.numel() else t, [draw.choice(floats)])


def vary(book, op, args, kwargs, draw):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for some_args, some_kwargs in variants(args, kwargs, draw):
            book.add(op, *copied(some_args, some_kwargs))


def packet(name):
    namespace, op, overload = name.split(".")
    return getattr(getattr(getattr(torch.ops, namespace), op), overload)


def from_files(folder, book, draw):
    for path in sorted(folder.glob("*.json")):
        golden = json.loads(path.read_text())
        op = packet(golden["op"])
        for call in golden["calls"]:
            vary(book, op, *rebuilt(call), draw)


def as_wanted(value, wanted):
    """A number for a tensor and a tensor for a number, where an overload asks for it."""
    if isinstance(value, torch.Tensor) and wanted in ("Scalar", "number", "Optional[Scalar]", "int", "float"):
        return value.reshape(-1)[0].item() if value.numel() else 1
    if isinstance(value, (bool, int, float)) and wanted in ("Tensor", "Optional[Tensor]"):
        return torch.tensor(value)
    return value


def outs_like(value, draw):
    """Tensors to hold results, of their types and shapes: contiguous, or in another order or type."""
    def one(t):
        kind = draw.randrange(4)
        made = torch.zeros_like(t.to(draw.choice(DTYPES)) if kind == 3 else t)
        return turned(made, draw) if kind == 1 and t.dim() else with_gaps(made) if kind == 2 else made
    return [one(t) for t in (value if isinstance(value, (list, tuple)) else [value])]


def overloads(op):
    name = op._schema.name.split("::")[1]
    for each in {name, name.removesuffix("_"), name.removesuffix("_") + "_"}:
        found = getattr(getattr(torch.ops, op.namespace), each, None)
        for overload in found.overloads() if found is not None else []:
            yield getattr(found, overload)


def overlaps_itself(t):
    places = torch.arange(t.untyped_storage().nbytes()).as_strided(t.shape, t.stride(), t.storage_offset())
    return places.numel() != places.unique().numel()


# Kernels that store as if out= were contiguous and of their type, or lay it out anew: only such are recorded.
PLAIN_OUT = ("softmax", "avg_pool", "max_pool", "narrow_copy", "tril", "triu", "_pad", "upsample", "convolution",
             "batch_norm", "gelu")


def fits_form(other, args, kwargs):
    """Not an optional tensor where the overload wants one, and nothing that the order of stores decides."""
    for a in other._schema.arguments:
        value = kwargs.get(a.name) if a.kwarg_only else args[other._schema.arguments.index(a)]
        if not isinstance(value, torch.Tensor):
            if value is None and str(a.type) == "Tensor":
                return False
        elif a.alias_info is not None and a.alias_info.is_write:
            plain = a.is_out and any(part in other._schema.name for part in PLAIN_OUT)
            types = {t.dtype for t in pytree.tree_leaves(args) if isinstance(t, torch.Tensor)}
            if overlaps_itself(value) or (plain and not (value.is_contiguous() and value.dtype in types)):
                return False
    return True


def forms(op, args, kwargs, draw):
    """(overload, args, kwargs): the same call of other overloads."""
    names = [a.name for a in op._schema.arguments]
    given = {**dict(zip(names, args)), **kwargs}
    try:
        result = op(*copied(args, kwargs)[0], **copied(args, kwargs)[1])
    except Exception:  # a call that is not valid as it is
        return
    for other in overloads(op):
        wanted = other._schema.arguments
        some_args, some_kwargs, outs = [], {}, [a for a in wanted if a.is_out]
        if outs and not all(isinstance(t, torch.Tensor) for t in pytree.tree_leaves(result)):
            continue
        held = iter(outs_like(result, draw) if outs else [])
        for a in wanted:
            value = next(held, None) if a.is_out else given.get(a.name, a.default_value)
            if a.kwarg_only:
                some_kwargs[a.name] = value
            else:
                some_args.append(as_wanted(value, str(a.type)))
        some_kwargs = {k: v for k, v in some_kwargs.items() if v is not None}
        if fits_form(other, some_args, some_kwargs):
            yield other, some_args, some_kwargs


def from_the_end(op, args):
    """Dimensions counted from the end."""
    rank = next((t.dim() for t in pytree.tree_leaves(args) if isinstance(t, torch.Tensor)), 0)

    def turned_round(value):
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < rank:
            return value - rank
        return [turned_round(v) for v in value] if isinstance(value, (list, tuple)) else value
    return [turned_round(v) if "dim" in a.name else v for a, v in zip(op._schema.arguments, args)]


def emptied(t, size):
    """Dimensions of one size are of size 0."""
    return t[tuple(slice(0) if n == size else slice(None) for n in t.shape)]


def overlapping(t):
    """Rows that begin one element apart."""
    if t.dim() < 2 or t.numel() == 0:
        return t.clone()
    flat_elements = t.reshape(-1).repeat(2)
    return flat_elements.as_strided(t.shape, [1] * t.dim())


def lifted(t, rank, last):
    """More dimensions before, laid out with channels last."""
    if t.dim() == 0 or t.dim() >= rank or t.numel() == 0:
        return t.clone()
    wide = t.expand([2, 3, 2, 1][:rank - t.dim()] + list(t.shape)).contiguous()
    return wide.contiguous(memory_format=last)


def changes(args, kwargs, op):
    """Calls near the given one: the classes that go wrong alone. A change that does not fit is left out."""
    leaves = [t for t in pytree.tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)]

    def changed(change, chosen=leaves):
        ids = {id(t) for t in chosen}
        return pytree.tree_map(lambda v: change(v) if isinstance(v, torch.Tensor) and id(v) in ids else v,
                               (list(args), dict(kwargs)))

    def last(t):
        return t.contiguous(memory_format=torch.channels_last_3d) if t.dim() == 5 else t.clone()

    yield from_the_end(op, args), kwargs
    for size in sorted({n for t in leaves for n in t.shape if n}):
        yield changed(lambda t: emptied(t, size))
    yield changed(overlapping)
    yield changed(last)
    for rank, memory in ((4, torch.channels_last), (5, torch.channels_last_3d)):
        yield changed(lambda t: lifted(t, rank, memory))
        yield changed(lambda t: lifted(t, rank, memory), leaves[:1])
    yield changed(lambda t: t.expand(3, *t.shape), leaves[:1])


def add_forms(book, op, args, kwargs, draw):
    """The call and its changes, each in all forms."""
    for near_args, near_kwargs in [(args, kwargs), *changes(args, kwargs, op)]:
        defaults = [a.default_value for a in op._schema.arguments]
        if fits_form(op, [*near_args, *defaults[len(near_args):]], near_kwargs):
            book.add(op, *copied(near_args, near_kwargs))
        for other, other_args, other_kwargs in forms(op, near_args, near_kwargs, draw):
            book.add(other, *copied(other_args, other_kwargs))


def forms_of_file(path, draw, per_file):
    book = Book()
    golden = json.loads(path.read_text())
    op = packet(golden["op"])
    for call in draw.sample(golden["calls"], min(per_file, len(golden["calls"]))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            add_forms(book, op, *rebuilt(call), draw)
    return book


def forms_from_files(folder, book, seed, per_file=3):
    """Each file in a process of its own: some calls end theirs."""
    for path in sorted(folder.glob("*.json")):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            found = forms_of_file(path, random.Random(f"{seed} {path.name}"), per_file)
            with os.fdopen(writer, "w") as out:
                json.dump([{str(op): calls for op, calls in found.calls.items()},
                           [[*key, count] for key, count in found.left_out.items()]], out)
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as text:
            held = text.read()
        if os.waitpid(child, 0)[1] != 0:
            print(f"{path.name}: a call ended its process; none of its forms is recorded")
            continue
        calls, left_out = json.loads(held)
        for name, some in calls.items():
            book.calls[packet(name)] += some
        book.left_out.update({(op, why): count for op, why, count in left_out})


class Watch(TorchDispatchMode):
    """Records every operator that a sample calls, before it runs."""

    def __init__(self, book):
        super().__init__()
        self.book = book

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if torch.Tag.nondeterministic_seeded not in func.tags and "empty" not in str(func):
            try:
                self.book.add(func, *copied(args, kwargs))
            except (RuntimeError, NotImplementedError):
                pass
        return func(*args, **kwargs)


def from_samples(book, only):
    from torch.testing._internal.common_methods_invocations import op_db
    skipped = ("linalg", "fft", "special", "sparse", "nn.functional.ctc", "jiterator", "signal", "to_sparse")
    for info in op_db:
        if info.name.startswith(skipped) or (only and only not in info.name):
            continue
        for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.int32,
                      torch.uint8, torch.bool, torch.complex64):
            if dtype not in info.supported_dtypes("cpu"):
                continue
            backward = dtype == torch.float32 and info.supports_autograd
            try:
                for i, sample in enumerate(info.sample_inputs("cpu", dtype, requires_grad=backward)):
                    if i >= 24:
                        break
                    run_sample(book, info, sample, backward)
            except Exception:  # a sample generator that needs what is not installed
                continue


def run_sample(book, info, sample, backward):
    with Watch(book), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            out = info(sample.input, *sample.args, **sample.kwargs)
            if backward:
                leaves = [t for t in pytree.tree_leaves(out) if isinstance(t, torch.Tensor) and t.requires_grad]
                if leaves:
                    torch.autograd.backward([t.sum() for t in leaves])
        except Exception:  # some samples are meant to raise
            pass


def check(folder):
    bad = 0
    for path in sorted(folder.glob("*.json")):
        golden = json.loads(path.read_text())
        for i, call in enumerate(golden["calls"]):
            again = Recorder(packet(golden["op"])).call(*rebuilt(call))
            if again != call:
                bad += 1
                print(f"{path.name} call {i} differs")
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--from", dest="origin", type=pathlib.Path)
    parser.add_argument("--forms", type=pathlib.Path)
    parser.add_argument("--samples", nargs="?", const="", default=None, metavar="PART OF A NAME")
    parser.add_argument("--check", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    book, draw = Book(), random.Random(options.seed)
    if options.origin:
        from_files(options.origin, book, draw)
    if options.forms:
        forms_from_files(options.forms, book, options.seed)
    if options.samples is not None:
        from_samples(book, options.samples)
    book.write(options.out)
    print(sum(map(len, book.calls.values())), "calls of", len(book.calls), "operators")
    return 1 if options.check and check(options.check) else 0


if __name__ == "__main__":
    raise SystemExit(main())
