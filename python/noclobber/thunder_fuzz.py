"""Thunder under test: `noclobber.thunder.fuzz_jit()` and `noclobber.thunder.fuzz_transform(transform)`."""
from __future__ import annotations

import contextlib
import io
import pathlib
import types
import warnings
from collections.abc import Iterator

import thunder
import torch

from . import compile_fuzz, observed
from . import thunder as watching
from .compile_fuzz import Program, Skip, Subject
from .fuzzing import Campaign

REFUSED = r"@|transpose|unfold|fill_|out=|control"  # lines that Thunder does not take
NO_GRADIENT = "Failed to find a gradient transform"  # what it says of operators of which it knows none, such as remainder


class Jit(Subject):
    """`thunder.jit`: every trace against the one before it, fusions and backward as well."""

    name, refused, gradients = "thunder.jit", REFUSED, 0.3

    def __init__(self, **options: object):
        self.options, self.compiled = options, None

    def record(self, made: Program, folder: pathlib.Path):
        self.compiled = thunder.jit(made.function(), **self.options)
        with watching.watch(), compiled_or_skipped():
            observed.observe(self.compiled, made.arguments())
        watching.write(self.compiled, folder)
        return types.SimpleNamespace(checks=[("", [folder])])

    def sides(self, made: Program):
        return made.function(), self.compiled


@contextlib.contextmanager
def compiled_or_skipped() -> Iterator[None]:
    """Raises Skip where Thunder says that it takes no such program."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    except (NotImplementedError, RuntimeError) as error:
        if isinstance(error, NotImplementedError) or NO_GRADIENT in str(error):
            raise Skip(str(error)) from error
        raise


def quiet() -> None:
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")


def fuzz_jit(*, jit: dict | None = None, **options: object) -> Campaign:
    """Random programs through `thunder.jit(f, **jit)`, every pair of traces checked, every program run. Other options are those of
    `compile_fuzz.run`."""
    quiet()
    return compile_fuzz.run(Jit(**(jit or {})), **options)


def fuzz_transform(transform: object, **options: object) -> Campaign:
    """The same with a Transform of yours in the list of them; a finding names it where it is the one that is wrong."""
    return fuzz_jit(jit={"transforms": [transform]}, **options)
