"""noclobber: checks storage reuse in tensor programs, from Python.

`noclobber.check` and `.compare` run the program `noclobber`, which lies in this package, and return a Report.
`noclobber.torch`, `.executorch` and `.thunder` attach to those compilers; neither they nor PyTorch are imported here.
"""
import importlib
from importlib import metadata

from .fuzzing import Campaign, Convicted, Row, Skip, fuzz, fuzz_planner, fuzz_tables
from .program import NotProved, ProgramError, Refuted, binary
from .report import Check, Finding, Report, check, compare

__all__ = ["Campaign", "Check", "Convicted", "Finding", "NotProved", "ProgramError", "Refuted", "Report", "Row", "Skip", "__version__",
           "binary", "check", "compare", "fuzz", "fuzz_planner", "fuzz_tables"]

_ON_DEMAND = ("executorch", "thunder", "torch")  # each needs its framework


def __getattr__(name: str):
    """`noclobber.torch` and the others: imported when they are first named."""
    if name in _ON_DEMAND:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ON_DEMAND})


try:
    __version__ = metadata.version("noclobber")
except metadata.PackageNotFoundError:  # used from a source tree
    __version__ = "0+source"
