#!/usr/bin/env python3
"""What checking adds to compiling: hook_cost.py executorch|thunder [--times N]

Prints processor time, of this process and of what it starts, of a lowering (a jit) alone and of noclobber's check of it, in turns in one run. Needs the environment of
`make test-executorch` (`make test-thunder`) with torch's own layers only.
"""
import argparse
import copy
import gc
import logging
import os
import statistics
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import torch
from torch import nn


def seconds():
    t = os.times()
    return t.user + t.system + t.children_user + t.children_system


def timed(call):
    gc.collect()  # each begins with the same heap: one collection of all that PyTorch holds is a tenth of a small lowering
    start = seconds()
    call()
    return seconds() - start


def convolutions():
    block = lambda a, b: nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.ReLU(), nn.Conv2d(b, b, 3, padding=1), nn.Sigmoid())
    return nn.Sequential(block(3, 8), block(8, 16), block(16, 16), nn.Flatten(), nn.Linear(16 * 256, 10)), (torch.rand(1, 3, 16, 16),)


def attention():
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, dropout=0.0)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), (torch.rand(1, 6, 32),)


def perceptron():
    return nn.Sequential(*[nn.Sequential(nn.Linear(16, 16), nn.GELU(), nn.LayerNorm(16)) for _ in range(6)]), (torch.rand(4, 16),)


def executorch(module, inputs):
    """A lowering from the exported program on, alone and watched, with what was written checked behind it."""
    from executorch.exir import EdgeCompileConfig, to_edge
    from noclobber.executorch import watch

    program = torch.export.export(module, inputs, strict=False)
    lower = lambda: to_edge(copy.deepcopy(program), compile_config=EdgeCompileConfig(_check_ir_validity=False)).to_executorch()

    def checked():
        import tempfile
        with tempfile.TemporaryDirectory() as folder, watch(folder) as watching:
            lower()
            watching.run()

    return lower, checked


def thunder(module, inputs):
    import noclobber.thunder
    import thunder as compiler

    def jit():
        made = compiler.jit(copy.deepcopy(module))
        made(*inputs)
        return made

    return jit, lambda: noclobber.thunder.check(jit())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("framework", choices=("executorch", "thunder"))
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.backends.mha.set_fastpath_enabled(False)  # its kernel is one that Thunder does not know
    total = [0.0, 0.0]
    for network in (convolutions, attention, perceptron):
        torch.manual_seed(0)
        module, inputs = network()
        alone, checked = globals()[options.framework](module.eval().requires_grad_(False), inputs)
        alone(), checked()
        both = [(timed(alone), timed(checked)) for _ in range(options.times)]
        a, c = (statistics.median(one) for one in zip(*both))
        total = [total[0] + a, total[1] + c]
        print(f"{network.__name__:14} alone {a:.3f} s, checked {c:.3f} s, {c / a - 1:+.1%}", flush=True)
    print(f"{options.framework}: together {total[1] / total[0] - 1:+.1%}")


if __name__ == "__main__":
    main()
