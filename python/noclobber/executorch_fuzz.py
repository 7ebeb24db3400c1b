"""ExecuTorch under test: `noclobber.executorch.fuzz_lower()` and `noclobber.executorch.fuzz_pass(fn)`."""
from __future__ import annotations

import contextlib
import copy
import io
import logging
import pathlib
import re
import warnings
from collections.abc import Callable, Iterable, Iterator

import torch
from executorch import exir

from . import compile_fuzz, drawn, observed, recorder, together
from . import executorch as watching
from .compile_fuzz import Program, Skip, Subject
from .fuzzing import Campaign
from .fx_case import case
from .together import Batch

# Types and operators that lowering or the portable runtime does not take.
REFUSED = r"view\(torch|diagonal|control|half|float16|as_strided|native_batch_norm|unfold|out="
USER = tuple(name for name in drawn.INPUTS if name not in drawn.BUFFERS)
CALLS = (0, 3)  # contents of the calls of one program, one after the other: buffers are kept between them


class Holder(torch.nn.Module):
    """A drawn function that holds two of its arguments."""

    def __init__(self, function: Callable, copied: bool = False):
        super().__init__()
        self.function, self.copied = function, copied
        given = drawn.inputs(0)
        for name in drawn.BUFFERS:
            self.register_buffer(name, given[name])

    def forward(self, x, y, z, s, i, h, b):
        given = (x, y, z, s, i, h, b, self.m, self.n)
        if not self.copied:
            return self.function(*given)
        return tuple(r.clone() for r in self.function(*(t.clone() for t in given)))


class HolderOfMany(torch.nn.Module):
    """The same of a batch: each program holds its own."""

    def __init__(self, batch: Batch, copied: bool = False):
        super().__init__()
        self.function, self.copied = batch.function(), copied
        self.names = batch.names
        for (name, own), value in zip(self.names, batch.arguments()):
            if name in drawn.BUFFERS:
                self.register_buffer(own, value)

    def forward(self, *given):
        each = iter(given)
        values = [getattr(self, own) if name in drawn.BUFFERS else next(each) for name, own in self.names]
        if not self.copied:
            return self.function(*values)
        return tuple(r.clone() for r in self.function(*(v.clone() for v in values)))


def held(made: Program | Batch, copied: bool = False) -> torch.nn.Module:
    return HolderOfMany(made, copied) if isinstance(made, Batch) else Holder(made.function(), copied)


def given(made: Program | Batch, flavour: int = 0) -> tuple:
    """What the module is called with."""
    if isinstance(made, Batch):
        return tuple(v for (name, _), v in zip(made.names, made.arguments(flavour)) if name not in drawn.BUFFERS)
    return tuple(v for name, v in drawn.inputs(flavour).items() if name in USER)


def edge_of(made: Program | Batch, copied: bool = False) -> object:
    """The program as ExecuTorch's edge dialect. Raises Skip where it is none that export or the dialect takes."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exported = torch.export.export(held(made, copied), given(made), strict=False)
            return exir.to_edge(exported, compile_config=exir.EdgeCompileConfig(_check_ir_validity=False))
    except Exception as error:  # noqa: BLE001, whatever they raise
        raise Skip(str(error)) from error


class Pass(Subject):
    """A function of an ExportedProgram, which it changes or of which it gives another one. Nothing is run: in the edge dialect a program
    has no memory yet."""

    name, refused, most = "pass", REFUSED, 20

    def __init__(self, function: Callable, copied: bool):
        self.function, self.copied = function, copied

    def record(self, made: Program, folder: pathlib.Path):
        program = edge_of(made, self.copied).exported_program()
        before = watching.export_functional(program)
        written = recorder.Recorder(folder)
        written.link("pass", case("pass", watching.export_functional(self.function(program) or program), before))
        return written


class Lower(Subject):
    """`to_executorch`: write-back, reinplacing where the configuration asks for it, view elision, out variants, the plan. What it makes
    runs on the portable runtime where that is installed and has the kernels."""

    name, refused, most = "to_executorch", REFUSED, 20

    def __init__(self, reinplaced: Iterable[str]):
        self.reinplaced = tuple(reinplaced)
        self.buffer, self.mutated = b"", []

    def record(self, made: Program, folder: pathlib.Path):
        edge = edge_of(made)
        signature = edge.exported_program().graph_signature
        names = list(signature.user_inputs)
        with contextlib.redirect_stdout(io.StringIO()), watching.watch(folder) as watched:
            self.buffer = edge.to_executorch(config_of(self.reinplaced, list(signature.buffers))).buffer
        self.mutated = [names.index(name) for name in signature.user_inputs_to_mutate.values()]
        return watched

    def difference(self, made: Program | Batch) -> str:
        try:
            return next((f"call {call}: {said}" for call, said in self._differences(made)), "")
        except RuntimeError:
            return ""  # no kernel, or a state that the runtime refuses

    def suspects(self, made: Batch):
        """By the numbers of what differs: inputs that are written come first, then results. What the runtime refuses it refuses of all."""
        owners = [part for part in made.parts for name in together.used(part) if name not in drawn.BUFFERS]
        owners = [owners[k] for k in self.mutated] + [part for part in made.parts for _ in part.given]
        found = dict(self._differences(made))
        numbers = {int(n) for said in found.values() for n in re.findall(r"output (\d+)", said)}
        return [p for p in made.parts if any(owners[n] is p for n in numbers)], next(iter(found.values()), "")

    def _differences(self, made: Program | Batch) -> Iterator[tuple[int, str]]:
        """(number of the call, in what it differs): buffers are kept from call to call."""
        from executorch.runtime import Runtime, Verification

        holder = held(made)
        method = Runtime.get().load_program(self.buffer, verification=Verification.Minimal).load_method("forward")
        for number, flavour in enumerate(CALLS):
            wants, gets = list(given(made, flavour)), [t.clone() for t in given(made, flavour)]
            with torch.no_grad():
                results = [r.clone() for r in holder(*wants)]
            out = [t.clone() for t in method.execute(gets)]
            wants = [wants[k] for k in self.mutated] + results
            if said := observed.difference(*(observed.Seen(seen, [], [], [], []) for seen in (wants, out))):
                yield number + 1, said


def config_of(reinplaced: Iterable[str] = (), buffers: Iterable[str] = drawn.BUFFERS) -> object:
    """The default configuration, with what these buffers hold first; one that reinplaces operators of the edge dialect, such as
    "aten.add.Tensor", where any are given."""
    from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass

    extra = frozenset(_edge_operator(name) for name in reinplaced)
    options = {"run_reinplace_pass": True, "reinplace_extra_ops": extra} if extra else {}
    return exir.ExecutorchBackendConfig(passes=[InitializedMutableBufferPass(list(buffers))], **options)


def _edge_operator(name: str) -> object:
    from executorch.exir.dialects._ops import ops

    found = ops.edge
    for part in re.split(r"\.", name):
        found = getattr(found, part)
    return found


def quiet() -> None:
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    logging.getLogger().setLevel(logging.CRITICAL)


def fuzz_pass(function: Callable, *, copied: bool = False, **options: object) -> Campaign:
    """Random programs of the edge dialect through `function`, which takes an ExportedProgram and changes it or gives another.

    With `copied` programs work on copies of what they are given and return copies, so that no value that a pass may overwrite is a
    result or what a buffer holds next: the released reinplacing pass overwrites both. Options are those of `compile_fuzz.run`.
    """
    quiet()
    return compile_fuzz.run(Pass(function, copied), **options)


def fuzz_lower(*, reinplaced: Iterable[str] = (), **options: object) -> Campaign:
    """Random programs through `to_executorch`, every stage and the plan checked, every program run, each for two calls.

    `reinplaced` names operators of the edge dialect that reinplacing is asked for, such as "aten.add.Tensor". Other options are
    those of `compile_fuzz.run`.
    """
    quiet()
    return compile_fuzz.run(Lower(reinplaced), **options)
