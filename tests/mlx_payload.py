"""Payloads of MLX delegates from nothing: a FlatBuffer of registers and instructions, as src/formats/mlx/payload.cpp reads it."""
import struct

COUNTS, NUMBERS, CHAINS, MAIN, INPUTS, OUTPUTS = 1, 6, 7, 8, 10, 11  # fields of the root; COUNTS is the first of five
COPY = 2  # the number of an instruction, src/formats/mlx/nodes.def


def table(fields):
    """Writes a table of {number: bytes of a scalar, or a part} and returns where it begins."""
    def write(out):
        layout, size = [0] * (2 + max(fields, default=-1) + 1), 4
        for number in sorted(fields):
            layout[2 + number], size = size, size + (4 if callable(fields[number]) else len(fields[number]))
        layout[:2] = 2 * len(layout), size
        begin = len(out) + 2 * len(layout)
        out += struct.pack(f"<{len(layout)}Hi", *layout, 2 * len(layout))
        places = []
        for number in sorted(fields):
            places.append(len(out))
            out += bytes(4) if callable(fields[number]) else fields[number]
        for number, place in zip(sorted(fields), places):
            if callable(fields[number]):
                target = fields[number](out)
                out[place:place + 4] = struct.pack("<I", target - place)
        return begin
    return write


def parts(all_parts):
    def write(out):
        begin = len(out)
        out += struct.pack("<I", len(all_parts)) + bytes(4 * len(all_parts))
        for k, part in enumerate(all_parts):
            place = begin + 4 + 4 * k
            target = part(out)
            out[place:place + 4] = struct.pack("<I", target - place)
        return begin
    return write


def number(value):
    return struct.pack("<I", value)


def register(at):
    return table({0: number(at)})


def copy(source, target):
    return table({0: bytes([COPY]), 1: table({0: number(source), 1: number(target)})})


def payload(counts, inputs, outputs, instructions):
    """`counts`: constants, inputs, outputs, states and temporaries, numbered in this order from 0 on."""
    chain = table({0: parts(instructions)})
    root = {COUNTS + k: number(count) for k, count in enumerate(counts)}
    root |= {NUMBERS: number(0), CHAINS: parts([chain]), MAIN: number(0),
             INPUTS: parts([register(k) for k in inputs]), OUTPUTS: parts([register(k) for k in outputs])}
    out = bytearray(4)
    out[:4] = number(table(root)(out))
    return bytes(4) + b"MLX0" + struct.pack("<QQ", 24 + len(out), 0) + bytes(out)
