"""noclobber: checks storage reuse in tensor programs, from Python.

`noclobber.executorch` and `noclobber.thunder` attach to those compilers; neither they nor PyTorch are imported
here. The work is done by the program `noclobber`, which lies in this package.
"""
import importlib
from importlib import metadata

from .program import ProgramError, Refuted, binary, check, compare

__all__ = ["ProgramError", "Refuted", "__version__", "binary", "check", "compare"]

_ON_DEMAND = ("executorch", "thunder")  # each needs its framework


def __getattr__(name: str):
    """`noclobber.executorch`, `noclobber.thunder`: imported when they are first named."""
    if name in _ON_DEMAND:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ON_DEMAND})


try:
    __version__ = metadata.version("noclobber")
except metadata.PackageNotFoundError:  # used from a source tree
    __version__ = "0+source"
