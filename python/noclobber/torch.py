"""PyTorch: records what the passes of `torch.compile` do to each graph, and checks it.

    import noclobber.torch as nct

    with nct.watch(out="nc"):
        torch.compile(f)(x)

writes into `nc` one case for every pass that changed a graph: the graph before it, the graph after it, which pass and which
patterns. `noclobber check nc` judges them, `noclobber bisect nc` names the first that is wrong. What is compiled, the caches
and the counters are the same with and without. `watch(fail_on="refuted")` checks at the end of the block and raises
`noclobber.Refuted`. `assert_noclobber(before, after)` compares two graph modules.

Known to work with torch 2.15. Only compilations are seen: with a warm cache there is none, which the recording says;
`fresh=True` turns the caches of Inductor off inside the block.
"""
from __future__ import annotations

import contextlib
import dataclasses
import functools
import operator
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator

from . import fx_caller, fx_invariants, recorder, torch_artifacts
from .fx_aten import AS_TRACED, export
from .fx_case import Exported, case, with_contents
from .fx_plain import Memory

REINPLACES = ("reinplace_inplaceable_ops_core", "fx_reinplace")  # from such a pass on a graph writes
_CACHES = ("fxgraph_cache_hit", "fxgraph_cache_bypass_hit")


class Recorder(recorder.Recorder):
    """Writes the links of every compilation: one chain of graphs per graph module, from its first pass to its last."""

    def __init__(self, out: str | os.PathLike[str], most_bytes: int = recorder.MOST_BYTES):
        super().__init__(out, most_bytes)
        self.chains: dict[int, _Chain] = {}  # by id of the graph module, which the chain holds
        self.compilations: dict[str, object] = {}  # PyTorch's ids, by how stages begin
        self.wrappers: list[object] = []  # what AOTAutograd knows of the graphs that it compiles, one inside the other

    def begin(self, module: object, phase: str) -> None:
        """The graph module enters a sequence of passes."""
        wrapped = self.wrappers[-1] if self.wrappers and not self.chains and phase != "backward" else None
        chain = self.chains[id(module)] = _Chain(module, phase)
        self.compilations[_compile_id()] = _current_compilation()
        with self.problem(chain.title):
            chain.may_share = fx_caller.may_share(module, wrapped)
            chain.last = _exported(module, chain.memory)
            chain.broken = fx_invariants.shared(module.graph)  # what is given may share: passes may not add to it
            self._promises(chain, "given")

    def end(self, module: object) -> None:
        """It leaves them."""
        chain = self.chains.pop(id(module), None)
        if chain is not None:
            self._look(chain, "unobserved")

    def enter(self, module: object, name: str) -> None:
        """A pass starts on the module: what changed since the last one was done by nobody that is watched."""
        if (chain := self.chains.get(id(module))) is not None:
            self._look(chain, "unobserved")
            chain.running.append(name)

    def leave(self, module: object) -> None:
        """It is over."""
        if (chain := self.chains.get(id(module))) is not None and chain.running:
            self._look(chain, "/".join(chain.running))
            chain.running.pop()

    def matched(self, module: object, pattern: str) -> None:
        """A pattern is about to be applied."""
        if (chain := self.chains.get(id(module))) is not None:
            chain.patterns.append(pattern)

    def _look(self, chain: _Chain, name: str) -> None:
        with self.problem(f"{chain.title} {name}"):
            seen = _seen(chain.module)
            if _is_same(seen, chain.seen):
                self.unchanged += not chain.running
                return
            chain.seen = seen
            self._write(chain, name)

    def _write(self, chain: _Chain, name: str) -> None:
        described = chain.described()
        self._promises(chain, name, described)
        before, patterns = chain.last, list(dict.fromkeys(chain.patterns))
        chain.patterns.clear()
        chain.last = None  # what follows a graph that cannot be written starts anew
        after = chain.last = _exported(chain.module, chain.memory)
        names = [n.name for n in described if n not in chain.took_over]
        if before is None:
            self.skip(f"{chain.title} {name}", "the graph before it could not be written")
        elif not _is_alike(before, after):
            written = pair(f"{chain.title}/{name}", before, after, name, patterns, chain.may_share)
            self.link(f"{chain.title} {name}", written | ({} if chain.reinplaced else {"described": names}))
        else:
            self.unchanged += 1

    def _promises(self, chain: _Chain, name: str, described: Iterable[object] = ()) -> None:
        """Names what the pass broke of what is promised of every graph; `described`: nodes that it has described."""
        late = fx_invariants.behind_reinplacing(name) if chain.reinplaced else None
        chain.reinplaced = chain.reinplaced or name.endswith(REINPLACES)
        anew = {f"output {k}" for k, _ in chain.may_share}
        found = {b for b in fx_invariants.broken(chain.module, chain.reinplaced, described, chain.took_over) if b.invariant != "sharing" or b.node not in anew}
        news = sorted(found - chain.broken) + ([late] if late else [])
        told = [f"{b} (by {chain.title}/{name})" for b in news]
        self.broken += told
        chain.broken = found
        if told:
            torch_artifacts.tell("noclobber_broken_invariant", {"broken": told}, _current_compilation())

    def run(self, options: Iterable[str] = ()) -> list[dict]:
        """As of every recorder; what is found becomes artifacts of PyTorch's log, where one is written."""
        records = super().run(options)
        for title, compilation in self.compilations.items():
            torch_artifacts.tell_records(title, records, compilation)
        return records


class _Chain:
    """One graph module on its way through a sequence of passes."""

    def __init__(self, module: object, phase: str):
        self.module = module
        self.title = f"{_compile_id()}/{phase}"
        self.running: list[str] = []  # passes that are inside each other
        self.patterns: list[str] = []  # applied since the last look
        self.reinplaced = False  # from here on it writes
        self.broken: set[fx_invariants.Broken] = set()  # what did not hold at the last look
        self.vals = {n: n.meta.get("val") for n in module.graph.nodes}  # how nodes were described then
        self.took_over: set = set()  # nodes that are described as one that is gone was, which they stand for
        self.seen = _seen(module)
        self.last: Exported | None = None
        self.may_share: list[list] = []  # [output, input]: the caller's wrapper makes the output anew
        self.memory = Memory()

    def described(self) -> list[object]:
        """The nodes that were described since the last look; other descriptions lag behind what nodes are given."""
        known, self.vals = self.vals, {n: n.meta.get("val") for n in self.module.graph.nodes}
        ids = {id(val) for n, val in known.items() if n not in self.vals}
        self.took_over = {n for n, val in self.vals.items() if id(val) in ids and known.get(n, self) is not val}
        return [n for n, val in self.vals.items()
                if _is_operator(n) and known.get(n, self) is not val and all(map(_has_place, n.all_input_nodes))]


def pair(name: str, before: Exported, after: Exported, done_by: str = "", patterns: list[str] | None = None,
         may_share: list[list] | None = None) -> dict:
    """The case of a pass: both graphs have the constants of either. `may_share`: fx_caller.may_share."""
    before, after = _with_constants(before, after), _with_constants(after, before)
    written = case(name, after, before)
    named = [p for p in patterns or [] if p != "_"]
    facts = {"pass": done_by + (f" [{', '.join(named)}]" if named else ""), "assumed": [AS_TRACED]}
    if may_share:
        facts["may_share"] = may_share
    return written | {"source": "Inductor", "strides": "compare", "facts": facts}


@contextlib.contextmanager
def watch(out: str | os.PathLike[str] | None = None, *, fail_on: str | None = None, strict: bool = False, fresh: bool = False,
          most_bytes: int = recorder.MOST_BYTES) -> Iterator[Recorder]:
    """Records every compilation inside the block into the folder `out` (default: a temporary one); yields the Recorder.

    With `fail_on` ("refuted" or "unknown") what was recorded is checked at the end of the block; Refuted and NotProved
    name the pass and keep the folder. With `strict` what rests on an assumption other than that inputs do not overlap is
    unknown. `fresh` turns Inductor's caches off. `most_bytes` bounds the recording; what is left out is named.
    """
    import torch._inductor.config as config

    folder = out or tempfile.mkdtemp(prefix="noclobber-")
    watching = Recorder(folder, most_bytes)
    hits = _cache_hits()
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(recorder.replaced(_places(watching)))
            if fresh:
                stack.enter_context(config.patch(force_disable_caches=True))
            yield watching
    finally:
        if (more := _cache_hits() - hits) > 0:
            watching.skip("compilations", f"{more} came from a cache")
        watching.close()
    if fail_on:
        recorder.judge(watching.run(["--strict"] if strict else []), fail_on, folder)


def assert_noclobber(before: object, after: object, *, fail_on: str = "unknown") -> None:
    """Checks that graph module `after` does what `before` does. Their nodes carry descriptions of their values.

    Raises Refuted where a run shows that it does not, and NotProved, unless `fail_on` is "refuted", where nobody knows.
    """
    folder = tempfile.mkdtemp(prefix="noclobber-")
    compared = Recorder(folder)
    compared.link("compare", pair("compare", _exported(before), _exported(after)))
    recorder.judge(compared.run(), fail_on, folder)


def fuzz_compile(**options: object):
    """Random programs through `torch.compile`, every link checked: torch_fuzz.fuzz_compile."""
    from . import torch_fuzz

    return torch_fuzz.fuzz_compile(**options)


def fuzz_pass(function: Callable, **options: object):
    """Random graph modules through `function`, a pass: torch_fuzz.fuzz_pass."""
    from . import torch_fuzz

    return torch_fuzz.fuzz_pass(function, **options)


def _places(watching: Recorder) -> Iterator[tuple[object, str, Callable]]:
    """Where the passes are called: (owner, name, wrapper of what is there)."""
    import torch
    from torch._functorch._aot_autograd import graph_compile
    from torch._inductor import compile_fx, pattern_matcher
    from torch._inductor.fx_passes import joint_graph, post_grad, reinplace
    from torch.fx.passes import graph_transform_observer
    from torch.fx.passes import reinplace as fx_reinplace

    observer = graph_transform_observer.GraphTransformObserver
    yield observer, "__enter__", functools.partial(_entering, watching)
    yield observer, "__exit__", functools.partial(_leaving, watching)
    for name in ("aot_stage2_autograd", "aot_stage2_inference"):
        yield graph_compile, name, functools.partial(_wrapping, watching)
    yield compile_fx, "_recursive_joint_graph_passes", functools.partial(_sequence, watching, "joint")
    yield compile_fx, "_recursive_post_grad_passes", functools.partial(_sequence, watching, "post_grad")
    for owner, names in ((compile_fx, ("view_to_reshape",)),
                         (joint_graph, ("canonicalize_aten_ir_passes", "replace_random_passes", "stable_topological_sort")),
                         (post_grad, ("stable_topological_sort",)),
                         (reinplace, ("canonicalize_view_scatter_ops", "reinplace_inplaceable_ops_core",
                                      "decompose_generalized_scatter")),
                         (torch.fx.Graph, ("eliminate_dead_code",))):
        for name in names:
            yield owner, name, functools.partial(_around, watching, name)
    yield fx_reinplace, "reinplace", functools.partial(_called_alone, watching, "fx_reinplace")
    for entry in (pattern_matcher.LoweringPatternEntry, pattern_matcher.GraphPatternEntry,
                  pattern_matcher.ReplacementPatternEntry):
        yield entry, "apply", functools.partial(_applying, watching)


def _entering(watching: Recorder, original: Callable) -> Callable:
    @functools.wraps(original)
    def enter(self):
        watching.enter(self.gm, self.passname)
        return original(self)
    return enter


def _leaving(watching: Recorder, original: Callable) -> Callable:
    @functools.wraps(original)
    def leave(self, *error):
        result = original(self, *error)
        watching.leave(self.gm)
        return result
    return leave


def _around(watching: Recorder, name: str, original: Callable) -> Callable:
    """Of a function whose first argument is a graph or a graph module."""
    @functools.wraps(original)
    def around(graph, *args, **kwargs):
        module = getattr(graph, "owning_module", None) or graph
        watching.enter(module, name)
        try:
            return original(graph, *args, **kwargs)
        finally:
            watching.leave(module)
    return around


def _wrapping(watching: Recorder, original: Callable) -> Callable:
    @functools.wraps(original)
    def compiles(state, capture, *args, **kwargs):
        watching.wrappers.append(fx_caller.metadata_of(state, capture))
        try:
            return original(state, capture, *args, **kwargs)
        finally:
            watching.wrappers.pop()
    return compiles


def _sequence(watching: Recorder, phase: str, original: Callable) -> Callable:
    @functools.wraps(original)
    def sequence(module, *args, **kwargs):
        nested = id(module) in watching.chains
        if not nested:
            watching.begin(module, _phase(module, phase))
        try:
            return original(module, *args, **kwargs)
        finally:
            if not nested:
                watching.end(module)
    return sequence


def _called_alone(watching: Recorder, name: str, original: Callable) -> Callable:
    """Of a pass that users call by themselves, on a graph module."""
    @functools.wraps(original)
    def called(module, *args, **kwargs):
        nested = id(module) in watching.chains
        if not nested:
            watching.begin(module, "reinplace")
        watching.enter(module, name)
        try:
            return original(module, *args, **kwargs)
        finally:
            watching.leave(module)
            if not nested:
                watching.end(module)
    return called


def _applying(watching: Recorder, original: Callable) -> Callable:
    @functools.wraps(original)
    def apply(self, match, graph, node):
        watching.matched(graph.owning_module, _pattern_name(self))
        return original(self, match, graph, node)
    return apply


def _pattern_name(entry: object) -> str:
    named = getattr(entry, "pattern_name", None)
    handler = getattr(entry, "handler", None)
    return named or getattr(handler, "__name__", None) or type(entry).__name__


def _phase(module: object, phase: str) -> str:
    names = [n.name for n in module.graph.nodes if n.op == "placeholder"]
    tangents = any(n.startswith("tangents_") for n in names)
    if phase == "post_grad":
        return "backward" if tangents else "forward" if any(n.startswith("primals_") for n in names) else "inference"
    return phase


def _current_compilation() -> object | None:
    from torch._guards import CompileContext

    return CompileContext.current_compile_id()


def _compile_id() -> str:
    return str(_current_compilation() or "-").replace("/", "_")


def _seen(module: object) -> list[object]:
    """What tells that a graph has changed: FX never changes arguments in place, so it is enough to compare objects."""
    out: list[object] = []
    for n in module.graph.nodes:
        meta = n.meta
        out += (n, n.name, n.target, n.args, n.kwargs, meta.get("val"), meta.get("only_clone_these_tensors"))
    return out


def _is_operator(node: object) -> bool:
    return node.op == "call_function" and hasattr(node.target, "_schema")


def _has_place(node: object) -> bool:
    """Does a recorded step say where its value lies? Those that stand for a wrapper of operators do not."""
    return node.op in ("placeholder", "get_attr") or _is_operator(node)


def _is_same(seen: list[object], before: list[object]) -> bool:
    return len(seen) == len(before) and all(map(operator.is_, seen, before))


def _exported(module: object, memory: Memory | None = None) -> Exported:
    """The graph as it is now; no symbol is guarded and no tensor is made for it."""
    from torch._subclasses.fake_tensor import unset_fake_temporarily
    from torch.utils._python_dispatch import _disable_current_modes

    with unset_fake_temporarily(), _disable_current_modes():
        return export(module, memory)


def _is_alike(before: Exported, after: Exported) -> bool:
    return (before.graph, before.written.graphs) == (after.graph, after.written.graphs)


def _with_constants(exported: Exported, other: Exported) -> Exported:
    """The graph with the constants of the other one besides, and with what constants hold."""
    inputs = exported.graph["inputs"]
    names = {i["name"] for i in inputs}
    more = [i for i in other.graph["inputs"] if i["kind"] == "constant" and i["name"] not in names]
    return with_contents(dataclasses.replace(exported, graph=exported.graph | {"inputs": inputs + more},
                                             held=other.held | exported.held))


def _cache_hits() -> int:
    from torch._dynamo.utils import counters

    return sum(counters["inductor"].get(name, 0) for name in _CACHES) + counters["aot_autograd"].get("autograd_cache_hit", 0)
