"""Runs functions through Inductor's passes, and what comes out with PyTorch's own operators: no kernels are made.

Works with PyTorch 2.5 to 2.15, whose internals it replaces: the last graph is kept, and lowering ends at once.
"""
from __future__ import annotations

import copy
import logging
import os
import pathlib
import tempfile

os.environ.setdefault("TORCH_TRACE", tempfile.gettempdir())  # PyTorch only makes a handler where it is set before
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"

import torch
import torch._inductor.compile_fx as compile_fx
import torch._logging._internal as torch_logs
from noclobber.observed import difference, observe, shares_saved  # noqa: F401, this module's callers use them
from noclobber.passes_only import backend, interpreted

logging.getLogger("torch").setLevel(logging.CRITICAL)


class Compiled:
    """`function` as Inductor's passes leave it. The log of its compilations goes into `folder`."""

    def __init__(self, function, folder: pathlib.Path, dynamic: bool = False):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        torch._dynamo.reset()
        self.function = torch.compile(function, backend=backend, dynamic=dynamic)

    def __call__(self, *arguments):
        _log_into(str(self.folder))
        try:
            return self.function(*arguments)
        finally:
            _log_into(tempfile.gettempdir())


def uncompiled(function, watched: bool, dynamic: bool):
    """`function` as the first graph says that the log has before a pass: what is wrong there, no pair of graphs shows.
    Passes over a joint graph that has gradients are not logged."""
    torch._dynamo.reset()
    return torch.compile(function, backend=_given if watched else "aot_eager", dynamic=dynamic)


def _given(graph, inputs):
    return compile_fx.compile_fx(graph, inputs, inner_compile=lambda module, *_, **__: interpreted(copy.deepcopy(module)))


def _log_into(folder: str) -> None:
    for handler in torch_logs.trace_log.handlers:
        if isinstance(handler, torch_logs.LazyTraceHandler):
            if handler.stream:
                handler.close()
            handler.stream, handler.root_dir = None, folder
