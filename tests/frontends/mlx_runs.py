"""Runs payloads of MLX with PyTorch, by the meaning of their instructions: what tests/frontends/mlx_edits.py believes.

Arrays of MLX know no dtype of a number: an array without dimensions counts in type promotion as any other.
"""
import torch
import torch.nn.functional as F

DTYPES = {0: torch.uint8, 1: torch.int8, 2: torch.int16, 3: torch.int32, 4: torch.int64, 5: torch.float16, 6: torch.float32,
          11: torch.bool, 15: torch.bfloat16}


class Wrong(Exception):
    """The payload does what no payload may."""


def as_arrays(a, b):
    dtype = torch.promote_types(a.dtype, b.dtype)
    return a.to(dtype), b.to(dtype)


def binary(function):
    return lambda op, a, b: function(*as_arrays(a, b))


def literals(parts):
    if any(p.is_vid for p in parts):
        raise NotImplementedError("numbers out of registers")
    return [p.literal for p in parts]


def reduced(function):
    def run(op, x):
        axes = list(op.axes or range(x.dim()))
        return function(x, axes, op.keepdims, op)
    return run


def sliced(op, x):
    axis, start, stop = literals([op.axis, op.start, op.stop])
    index = [slice(None)] * x.dim()
    index[axis] = slice(start, min(stop, x.shape[axis]) if stop >= 0 else stop, op.step)
    return tuple(index)


def updated(op, dst, update):
    out = dst.clone()
    out[sliced(op, dst)] = update
    return out


def split(op, x):
    sizes = literals(op.sizes)
    return list(torch.split(x, sizes if len(sizes) > 1 else sizes[0], op.axis))


def clipped(op, x, *bounds):
    low, high = (iter(bounds), iter(bounds)) if False else (bounds[0] if op.a_min else None, bounds[-1] if op.a_max else None)
    out = x
    if low is not None:
        out = torch.maximum(*as_arrays(out, low))
    return torch.minimum(*as_arrays(out, high)) if high is not None else out


def product(op, a, b, bias=None):
    out = torch.matmul(*as_arrays(a, b)) * op.alpha
    return out if bias is None else torch.add(*as_arrays(out, bias * op.beta))


def convolved(op, x, w):
    # channels behind everything else, on both sides
    out = F.conv2d(x.permute(0, 3, 1, 2), w.permute(0, 3, 1, 2), None, (op.stride_h, op.stride_w), (op.padding_h, op.padding_w),
                   (op.dilation_h, op.dilation_w), op.groups)
    return out.permute(0, 2, 3, 1)


def grown(op, x, w):
    if op.groups != 1:
        raise ValueError("one group")
    out = F.conv_transpose2d(x.permute(0, 3, 1, 2), w.permute(3, 0, 1, 2), None, (op.stride_h, op.stride_w), (op.padding_h, op.padding_w),
                             (op.output_padding_h, op.output_padding_w), 1, (op.dilation_h, op.dilation_w))
    return out.permute(0, 2, 3, 1)


def padded(op, x):
    ends = literals(op.pad_width)
    if len(ends) != 2 * x.dim() or min(ends) < 0:
        raise ValueError("both ends of each axis, none negative")
    if op.mode == "constant":
        return F.pad(x, [n for k in range(len(ends) - 2, -1, -2) for n in ends[k:k + 2]], value=op.constant_value)
    out = x
    for axis in range(x.dim()):
        rows = torch.arange(-ends[2 * axis], x.shape[axis] + ends[2 * axis + 1]).clamp(0, x.shape[axis] - 1)
        out = out.index_select(axis, rows)
    return out


def strided(op, x):
    # what lies one row behind the other
    return torch.as_strided(x.contiguous(), literals(op.shape), literals(op.strides), op.offset).clone()


def counted(op):
    start, stop, step = literals([op.start, op.stop, op.step])
    return torch.arange(start, stop, step, dtype=torch.int32 if op.scalar_type is None else DTYPES[op.scalar_type])


def filled(op):
    if op.v.is_vid:
        raise NotImplementedError("numbers out of registers")
    return torch.full(literals(op.shape), op.v.literal, dtype=DTYPES[op.scalar_type])


def broadcast(op, x):
    wanted = literals(op.shape)
    more = len(wanted) - x.dim()
    return x.broadcast_to([x.shape[k - more] if n == -1 and k >= more else n for k, n in enumerate(wanted)])


def attended(op, q, k, v, mask=None):
    if len({t.dim() for t in (q, k, v)} | {4}) > 1 or k.shape[:3] != v.shape[:3] or q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3]:
        raise ValueError("queries, keys and values do not fit")  # PyTorch does not ask on every path
    return F.scaled_dot_product_attention(q, k, v, mask, is_causal=op.causal, scale=op.scale)


def normalised(op, x, *rest):
    rest = [row.to(x.dtype) for row in rest] if x.is_floating_point() else list(rest)  # MLX converts what is narrower
    weight = rest.pop(0) if op.weight else None
    return F.layer_norm(x, x.shape[-1:], weight, rest.pop(0) if op.bias else None, op.eps)


NODES = {
    "IdCopy": lambda op, x: x, "Contiguous": lambda op, x: x.contiguous(), "Addmm": product, "Conv2D": convolved,
    "Add": binary(torch.add), "Subtract": binary(torch.sub), "Multiply": binary(torch.mul), "Divide": binary(torch.div),
    "Maximum": binary(torch.maximum), "Minimum": binary(torch.minimum), "Power": binary(torch.pow), "Greater": binary(torch.gt),
    "Exp": lambda op, x: torch.exp(x), "Rsqrt": lambda op, x: torch.rsqrt(x), "Sigmoid": lambda op, x: torch.sigmoid(x),
    "Tanh": lambda op, x: torch.tanh(x), "Silu": lambda op, x: F.silu(x), "Gelu": lambda op, x: F.gelu(x, approximate=op.approximate),
    "Transpose": lambda op, x: x.permute(op.perm), "Reshape": lambda op, x: x.reshape(literals(op.shape)),
    "Softmax": lambda op, x: torch.softmax(x, op.axis), "Sdpa": attended, "LayerNorm": normalised, "Clip": clipped,
    "Sum": reduced(lambda x, axes, keep, op: x.sum(axes, keep)), "Mean": reduced(lambda x, axes, keep, op: x.mean(axes, keep)),
    "Max": reduced(lambda x, axes, keep, op: x.amax(axes, keep)),
    "Var": reduced(lambda x, axes, keep, op: x.var(axes, correction=op.ddof, keepdim=keep)),
    "Slice": lambda op, x: x[sliced(op, x)], "SliceUpdate": updated, "Split": split,
    "IndexCopy": lambda op, dst, update, at: dst.index_copy(op.axis, at.long(), update),
    "Take": lambda op, x, at: torch.index_select(x, op.axis, at.reshape(-1).long()).reshape(
        *x.shape[:op.axis], *at.shape, *x.shape[op.axis + 1:]),
    "Concatenate": lambda op, *parts: torch.cat(parts, op.axis), "AsType": lambda op, x: x.to(DTYPES[op.scalar_type]),
    "Pad": padded, "AsStrided": strided, "ARange": counted, "Full": filled, "BroadcastTo": broadcast, "ConvTranspose2D": grown,
    "Flip": lambda op, x: torch.flip(x, list(op.axes)), "GreaterEqual": binary(torch.ge),
    "RMSNorm": lambda op, x, *w: F.rms_norm(x, x.shape[-1:], w[0] if w else None, op.eps),
    "Roll": lambda op, x: torch.roll(x, literals(op.shift), list(op.axes)),
    "Where": lambda op, c, x, y: torch.where(c.bool(), *as_arrays(x, y)),
}


def tensors_of(op):
    """Registers that an instruction reads and writes, in the order of its fields."""
    reads, writes = [], []
    for name, value in vars(op).items():
        to = writes if name in ("out", "outs") else reads
        for one in value if isinstance(value, list) else [value]:
            if type(one).__name__ == "Tid":
                to.append(one)
            elif type(one).__name__ == "IntOrVidOrTid" and one.kind == 2:
                to.append(one.tid)
    return reads, writes


def run(graph, data, inputs, states):
    """Outputs, then what lasts. `data`: name to tensor, of constants; `states`: name to tensor."""
    spaces = [graph.num_constant_tensors, graph.num_input_tensors, graph.num_output_tensors, graph.num_mutable_buffer_tensors]
    held = {}
    for named in graph.named_slots:
        at, name = named.slot.idx, named.name.split("/", 1)[1]
        if at < spaces[0]:
            held[at] = data[named.name].to(DTYPES[graph.tensor_meta[at].scalar_type])
        elif sum(spaces[:3]) <= at < sum(spaces):
            held[at] = states[name]
    if len(graph.input_map) != len(inputs):
        raise Wrong("another number of inputs")
    for slot, value in zip(graph.input_map, inputs):
        held[slot.idx] = value
    for instruction in graph.instruction_chains[graph.main_chain_idx].instructions:
        op = instruction.op
        reads, writes = tensors_of(op)
        if any(at.idx not in held for at in reads):
            raise Wrong("a register is read that nothing wrote")
        if any(at.idx < spaces[0] for at in writes):
            raise Wrong("a constant is written")
        made = NODES[type(op).__name__.removesuffix("Node")](op, *[held[at.idx] for at in reads])
        for at, value in zip(writes, made if isinstance(made, list) else [made], strict=True):
            held[at.idx] = value
    if any(slot.idx not in held for slot in graph.output_map):
        raise Wrong("an output that nothing wrote")
    lasting = [held[n.slot.idx] for n in graph.named_slots if sum(spaces[:3]) <= n.slot.idx < sum(spaces)]
    return [held[slot.idx] for slot in graph.output_map] + lasting
