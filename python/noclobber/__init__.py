"""noclobber: checks storage reuse in tensor programs, from Python.

`noclobber.executorch` and `noclobber.thunder` attach to those compilers; neither they nor PyTorch are imported
here. The work is done by the program `noclobber`, which lies in this package.
"""
from importlib import metadata

from .program import ProgramError, Refuted, binary, check, compare

__all__ = ["ProgramError", "Refuted", "__version__", "binary", "check", "compare"]

try:
    __version__ = metadata.version("noclobber")
except metadata.PackageNotFoundError:  # used from a source tree
    __version__ = "0+source"
