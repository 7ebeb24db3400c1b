"""Runs functions through Thunder and their traces in other orders: what noclobber's verdicts are compared with."""
from __future__ import annotations

import ast
import contextlib
import dataclasses
import io
import itertools
import pathlib
import random
import unittest.mock

import thunder
import torch
from thunder.executors.torch_compile import TorchCompileExecutor
from thunder.executors.torchex import ex as torch_executor
from thunder.extend import ImplInfo, register_executor

import noclobber.thunder

SCALES = ((1,), (37, 0.03), (0.03, 37))  # of the contents on which orders are compared, storage by storage
EVERY = 2000  # orders of a trace that are all run; of more some are
# Operators that a fusion backend for elementwise work leaves alone, so that barriers and matmuls split its regions.
NOT_FUSED = ("matmul", "linear", "update_aliases", "batch_norm", "topk")


class EagerRegions(TorchCompileExecutor):
    """Thunder's own fusion pass; only the regions are run as they are printed instead of being compiled."""

    def fuse(self, region, fusion_counter):
        with unittest.mock.patch.object(torch, "compile", lambda function, **_: function):
            return super().fuse(region, fusion_counter)


def _executor(name: str, left_out: tuple[str, ...]) -> EagerRegions:
    made = EagerRegions(name=name)
    register_executor(made)
    made._implmap = {op: ImplInfo() for op in torch_executor.implmap if not any(n in str(op).lower() for n in left_out)}
    return made


EXECUTORS = {"pointwise": _executor("pointwise_regions", NOT_FUSED), "all": _executor("all_regions", ())}
MODES = {
    "torch": {},
    "pointwise-dataflow": {"executors": [EXECUTORS["pointwise"]], "fusion_type": "dataflow"},
    "pointwise-consecutive": {"executors": [EXECUTORS["pointwise"]], "fusion_type": "consecutive"},
    "all-dataflow": {"executors": [EXECUTORS["all"]], "fusion_type": "dataflow"},
    "all-consecutive": {"executors": [EXECUTORS["all"]], "fusion_type": "consecutive"},
}


@dataclasses.dataclass
class Run:
    """One function, compiled and called. `difference` is "" where Thunder did what eager execution does; `crash` what
    the compiler raised; `orders` what executing the last trace in other orders showed: "same", or what differs."""

    difference: str = ""
    crash: str = ""
    refused: bool = False  # eager execution does not differentiate it: a saved tensor is overwritten
    orders: str = ""
    executed: int = 0
    every: bool = False  # no order was left out
    folder: pathlib.Path | None = None
    traces: list = dataclasses.field(default_factory=list)  # those of the compilation, as objects
    arguments: tuple = ()  # of the computation, for the first contents


def run(function, inputs, mode: str, folder: pathlib.Path, orders: int = 0, seeds: tuple[int, ...] = (0,),
        backward: bool = False) -> Run:
    """Compiles and calls, once per seed; `inputs` is called for fresh arguments after that manual seed."""
    result, compiled = Run(folder=folder), thunder.jit(function, **MODES[mode])
    for seed in seeds:
        want, result.refused = _expected(function, inputs, seed, backward)
        try:
            with kept_traces(result.traces), noclobber.thunder.watch(), contextlib.redirect_stdout(io.StringIO()):
                got = observe(compiled, _seeded(inputs, seed), backward)
        except Exception as error:  # noqa: BLE001, whatever the compiler raises
            result.crash = f"{type(error).__name__}: {str(error)[:200]}"
            with contextlib.suppress(Exception):
                noclobber.thunder.write(compiled, folder)
            return result
        result.difference = result.difference or difference(want, got)
    noclobber.thunder.write(compiled, folder)
    result.traces += thunder.last_traces(compiled)
    result.arguments = copied(_arguments(compiled, _seeded(inputs, seeds[0])))
    for seed in seeds if orders else ():
        trace, arguments = thunder.last_traces(compiled)[-1], _arguments(compiled, _seeded(inputs, seed))
        result.orders, executed, result.every = other_orders(trace, arguments, orders, random.Random(seed))
        result.executed += executed
        if result.orders != "same":
            break
    return result


@contextlib.contextmanager
def kept_traces(into: list):
    """Also the traces that are printed while they are fused."""
    note = noclobber.thunder._note_fusion

    def noting(seen, label, trace):
        into.append(trace)
        return note(seen, label, trace)

    with unittest.mock.patch.object(noclobber.thunder, "_note_fusion", noting):
        yield


def steps_differ(run: Run, before: str, after: str) -> bool | None:
    """Do two of the printed traces do different things when they are executed? None where they cannot be."""
    results = []
    for name in (before, after):
        text = (run.folder / f"{name}.trace.txt").read_text().rstrip("\n")
        found = [t for t in run.traces if str(t) == text]
        if not found:
            return None
        try:
            statements = Statements(found[0])
            results.append([statements.execute(list(range(len(statements.code))), scaled(run.arguments, scales))
                            for scales in SCALES])
        except Exception:  # noqa: BLE001, an early trace has no code, and a region may have the code it had before
            return None
    return any(difference(w, g) for w, g in zip(*results) if len(w) == len(g))


def differs_elsewhere(function, inputs, mode: str, backward: bool, seeds: range) -> bool:
    """Does Thunder do something else than eager execution on contents that were not tried, or in double precision?"""
    for seed, scales, wide in itertools.product(seeds, (*SCALES, (1e-3,)), (False, True)):
        def given(seed=seed, scales=scales, wide=wide):
            made = _seeded(inputs, seed)
            asked = [t.requires_grad for t in made]
            made = scaled(made, scales)
            return tuple(t.requires_grad_(a) for t, a in zip(doubled(made) if wide else made, asked))
        want = _expected(function, given, seed, backward)[0]
        with contextlib.redirect_stdout(io.StringIO()):
            got = observe(thunder.jit(function, **MODES[mode]), given(), backward)
        if difference(want, got, tolerance=1e-9 if wide else 1e-4):
            return True
    return False


def _expected(function, inputs, seed: int, backward: bool) -> tuple[list, bool]:
    """What eager execution does; where it refuses to differentiate, what the program without its writes does."""
    try:
        return observe(function, _seeded(inputs, seed), backward), False
    except RuntimeError as error:
        if not backward or "modified by an inplace operation" not in str(error):
            return [f"eager execution refuses: {str(error)[:80]}"], False
    return observe(torch.func.functionalize(function), _seeded(inputs, seed), backward), True


def differentiable(function, inputs) -> bool:
    """Is there anything that gradients could be compared with?"""
    with contextlib.suppress(RuntimeError):
        results = [t.untyped_storage()._cdata for t in _flat(function(*_seeded(inputs, 1))) if isinstance(t, torch.Tensor)]
        return len(set(results)) == len(results) and not isinstance(_expected(function, inputs, 1, True)[0][0], str)
    return False


def _seeded(inputs, seed: int):
    torch.manual_seed(seed)
    return inputs()


def _arguments(compiled, given) -> tuple:
    _, arguments, _ = thunder.compile_data(compiled).get_computation_and_inputs(*given)
    return tuple(arguments)


def observe(function, given, backward: bool) -> list:
    """Results, then contents of the inputs, then gradients of those that ask for one."""
    result = function(*given)
    outputs = [t for t in _flat(result)]
    if backward:
        total = sum((t.float() * _weights(t)).sum() for t in outputs if isinstance(t, torch.Tensor) and t.requires_grad)
        if isinstance(total, torch.Tensor):
            total.backward()
    seen = outputs + [t for t in _flat(given)]
    seen += [torch.zeros_like(t) if t.grad is None else t.grad for t in _flat(given)
             if backward and isinstance(t, torch.Tensor) and t.is_leaf and t.requires_grad]
    if isinstance(function, torch.nn.Module):
        seen += list(function.buffers())
    return [t.detach().clone() if isinstance(t, torch.Tensor) else t for t in seen]


def _weights(t: torch.Tensor) -> torch.Tensor:
    """Of the elements in the loss: those of a softmax add up to 1, so with equal ones every gradient is 0."""
    return torch.linspace(0.5, 1.5, t.numel()).reshape(t.shape)


def _flat(value) -> list:
    if isinstance(value, dict):
        return [t for v in value.values() for t in _flat(v)]
    return [t for v in value for t in _flat(v)] if isinstance(value, (list, tuple)) else [value]


def difference(want: list, got: list, exact: bool = False, tolerance: float = 1e-4) -> str:
    """The first difference of two lists of values, or ""."""
    if len(want) != len(got):
        return f"{len(got)} values, expected {len(want)}"
    for k, (w, g) in enumerate(zip(want, got)):
        if isinstance(w, torch.Tensor) != isinstance(g, torch.Tensor):
            return f"value {k}: another kind"
        if not isinstance(w, torch.Tensor):
            same = w == g
        elif w.shape != g.shape or w.dtype != g.dtype:
            same = False
        elif exact or not w.is_floating_point():
            same = torch.equal(w.nan_to_num(7.25), g.nan_to_num(7.25))
        else:
            same = torch.allclose(w, g, tolerance, tolerance / 10, equal_nan=True)
        if not same:
            return f"value {k}: {_short(g)}, expected {_short(w)}"
    return ""


def _short(value) -> str:
    return str([round(v, 4) for v in value.double().flatten()[:4].tolist()]) if isinstance(value, torch.Tensor) else str(value)


class Statements:
    """The statements of a trace's function with the names they need and make, executable in any order."""

    def __init__(self, trace):
        body = next(n for n in ast.parse(trace.python()).body if isinstance(n, ast.FunctionDef)).body
        self.context = {"torch": torch} | dict(trace.python_ctx())
        self.names = [p.name for p in trace.args]
        self.code, self.needs, self.makes = [], [], []
        for statement in body:
            if isinstance(statement, ast.Return):
                self.result = compile(ast.Expression(statement.value), "<return>", "eval")
            elif not isinstance(statement, ast.Delete):
                loaded, stored = set(), set()
                for node in ast.walk(statement):
                    if isinstance(node, ast.Name):
                        (stored if isinstance(node.ctx, ast.Store) else loaded).add(node.id)
                self.code.append(compile(ast.Module([statement], []), "<trace>", "exec"))
                self.needs.append(loaded)
                self.makes.append(stored)
        made_by = {name: i for i, names in enumerate(self.makes) for name in names}
        self.before = [{made_by[n] for n in needs if n in made_by and made_by[n] != i} for i, needs in enumerate(self.needs)]

    def execute(self, order: list[int], arguments: tuple) -> list:
        """Results and contents of the inputs after running the statements in this order on copies of the inputs."""
        copies = copied(arguments)
        names = dict(self.context) | dict(zip(self.names, copies))
        with torch.no_grad():
            for i in order:
                exec(self.code[i], names)  # noqa: S102, the compiler's own output
            result = eval(self.result, names)  # noqa: S307
        return [t.clone() if isinstance(t, torch.Tensor) else t for t in _flat(result) + list(copies)]

    def orders(self, limit: int, rng: random.Random) -> tuple[list[list[int]], bool]:
        """(all orders, True) where they are no more than EVERY; else `limit` of them at most: every statement as early
        and as late as dataflow lets it, then random ones."""
        every = list(itertools.islice(self._extensions([], set()), EVERY + 1))
        if len(every) <= EVERY:
            return every, True
        return [list(o) for o in itertools.islice(dict.fromkeys(map(tuple, self._candidates(limit, rng))), limit)], False

    def _extensions(self, order: list[int], done: set[int]):
        if len(order) == len(self.code):
            yield list(order)
        for i in range(len(self.code)):
            if i not in done and self.before[i] <= done:
                yield from self._extensions([*order, i], done | {i})

    def _candidates(self, limit: int, rng: random.Random):
        for pulled in range(len(self.code)):
            first = self._ancestors(pulled)
            yield self._greedy(lambda ready, first=first: min(ready, key=lambda i: (i not in first, i)))
            yield self._greedy(lambda ready, pulled=pulled: min(ready, key=lambda i: (i == pulled, i)))
        for _ in range(limit):
            yield self._greedy(rng.choice)

    def _ancestors(self, last: int) -> set[int]:
        found, todo = set(), [last]
        while todo:
            each = todo.pop()
            if each not in found:
                found.add(each)
                todo += self.before[each]
        return found

    def _greedy(self, choose) -> list[int]:
        done, order = set(), []
        while len(order) < len(self.code):
            ready = [i for i in range(len(self.code)) if i not in done and self.before[i] <= done]
            order.append(choose(ready))
            done.add(order[-1])
        return order


def other_orders(trace, arguments: tuple, limit: int, rng: random.Random) -> tuple[str, int, bool]:
    """("same" or the first difference, number of orders run, whether these were all there are)."""
    statements, count = Statements(trace), 0
    orders, every = statements.orders(limit, rng)
    for scales in SCALES:
        given = scaled(arguments, scales)
        want = statements.execute(list(range(len(statements.code))), given)
        for order in orders:
            count += 1
            if found := difference(want, statements.execute(order, given), exact=True):
                return f"{found} in order {order}", count, every
    return "same", count, every


def scaled(arguments: tuple, scales: tuple[float, ...]) -> tuple:
    """Other contents, in which a bound like that of clamp is passed or is not."""
    copies = copied(arguments)
    storages = {t.untyped_storage()._cdata: t for t in copies if isinstance(t, torch.Tensor)}
    for value, scale in zip(storages.values(), itertools.cycle(scales)):
        if value.is_floating_point():
            torch.empty(0, dtype=value.dtype).set_(value.untyped_storage()).mul_(scale)
    return copies


def orders_differ_elsewhere(run: Run, limit: int, seeds: range) -> bool:
    """Does an order of the last trace change something on contents that were not tried?"""
    for seed in seeds:
        given = copied(run.arguments)
        torch.manual_seed(seed)
        for value in given:
            if isinstance(value, torch.Tensor) and value.is_floating_point():
                torch.empty(0, dtype=value.dtype).set_(value.untyped_storage()).normal_()
        if other_orders(run.traces[-1], given, limit, random.Random(seed))[0] != "same":
            return True
    return False


def doubled(arguments: tuple) -> tuple:
    """The same numbers in float64, sharing storage alike."""
    storages, copies = {}, []
    for value in arguments:
        whole = torch.empty(0, dtype=value.dtype).set_(value.untyped_storage()).double()
        own = storages.setdefault(value.untyped_storage()._cdata, whole).untyped_storage()
        offset, shape, stride = value.storage_offset(), value.shape, value.stride()
        copies.append(torch.empty(0, dtype=torch.float64).set_(own, offset, shape, stride))
    return tuple(copies)


def copied(arguments: tuple) -> tuple:
    """Tensors like these, with contents of their own, sharing storage where these do."""
    storages, copies = {}, []
    for value in arguments:
        if not isinstance(value, torch.Tensor):
            copies.append(value)
            continue
        value = value.detach()
        storage = value.untyped_storage()
        own = storages.setdefault(storage._cdata, storage.clone())
        copies.append(torch.empty(0, dtype=value.dtype).set_(own, value.storage_offset(), value.shape, value.stride()))
    return tuple(copies)
