"""The graph that `make_fx(f, tracing_mode="fake")` gives, traced by calls on real tensors, in about a fifth of the time. Needs PyTorch.

What `make_fx` spends its time on is asking of each call, in Python, what would come of it. Here PyTorch's own kernels say so, on a few
elements, and the descriptions are made afterwards, with their storages. Control flow, calls whose result depends on contents, and whatever else
is not a call of an operator on plain tensors is left to `make_fx`.
"""
from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Mapping, Sequence

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.fx._lazy_graph_module import _make_graph_module
from torch.fx.passes.shape_prop import TensorMetadata, _extract_tensor_metadata
from torch.utils._python_dispatch import TorchDispatchMode, autograd_would_have_decomposed

ASKED = (torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape)  # of contents
CPU = torch.device("cpu")


class NotPlain(Exception):
    """`make_fx` is to trace it."""


def traced(function: Callable, arguments: Sequence[torch.Tensor], table: Mapping | None = None) -> torch.fx.GraphModule:
    """A module of calls of operators, each described by a fake tensor; `table`: decompositions. Writes into `arguments`. Raises NotPlain,
    and what the function raises."""
    calls = _Calls(arguments, inspect.unwrap(function).__code__.co_varnames, table or _as_made())
    with torch._C._DisableAutocast(), calls:
        results = function(*arguments)
    nodes = tuple(map(calls.node_of, results))
    if None in nodes:
        raise NotPlain("a result that no call made")
    calls.graph.output(nodes)
    calls.describe()
    return _make_graph_module(calls.root, calls.graph, "programs")


def traced_or_made(function: Callable, arguments: Callable[[], Sequence[torch.Tensor]], table: Mapping | None = None) -> torch.fx.GraphModule:
    """The same, by `make_fx` where it is not plain. Raises what `make_fx` raises."""
    try:
        return traced(function, arguments(), table)
    except Exception:  # noqa: BLE001, make_fx says what is wrong with it
        return make_fx(function, tracing_mode="fake", decomposition_table=table)(*arguments())


@functools.cache
def _as_made() -> Mapping:
    """What `make_fx` decomposes where it is told of no decompositions."""
    return torch._decomp.get_decompositions([torch.ops.aten.detach.default])


class _Calls(TorchDispatchMode):
    """Notes every call."""

    def __init__(self, arguments: Sequence[torch.Tensor], names: Sequence[str], table: Mapping):
        super().__init__()
        self.graph, self.root, self.table = torch.fx.Graph(), torch.nn.Module(), table
        self.storages: list[torch.UntypedStorage] = []  # so that they live. No tensor may: PyTorch copies what somebody else holds
        self.seen: list[tuple[torch.fx.Node, object, object]] = []  # (node, what its value is, and as `tensor_meta`)
        self.constants: list[torch.Tensor] = []
        for name, value in zip(names, arguments):
            self.note(self.graph.placeholder(f"{name}_1"), value)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if types and any(t not in (torch.Tensor, torch.nn.Parameter) for t in types) or not isinstance(func, torch._ops.OpOverload):
            raise NotPlain(str(func))
        if func in self.table:
            with self:
                return self.table[func](*args, **kwargs)
        if _is_composite(func) and autograd_would_have_decomposed(func, torch.utils._pytree.tree_leaves((args, kwargs))):
            with self:
                made = func.decompose(*args, **kwargs)
            if made is not NotImplemented:
                return made
        if _asks(func):
            raise NotPlain(str(func))
        if func is torch.ops.aten.lift_fresh.default:
            func = torch.ops.aten.lift_fresh_copy.default
        given = tuple(map(self.argument, args)), {k: self.argument(v) for k, v in kwargs.items()}
        node = self.graph.create_node("call_function", func, *given, name=_name(func))
        made = func(*args, **kwargs)
        self.note(node, made)
        return made

    def argument(self, value: object) -> object:
        if isinstance(value, torch.Tensor):
            return self.node_of(value) or self.constant(value)
        if isinstance(value, (list, tuple)):
            return type(value)(map(self.argument, value))
        return value

    def node_of(self, value: torch.Tensor) -> torch.fx.Node | None:
        node = getattr(value, "_node", None)
        return node if node is not None and node.graph is self.graph else None

    def constant(self, value: torch.Tensor) -> torch.fx.Node:
        name = f"_tensor_constant{len(self.constants)}"
        self.constants.append(value)
        setattr(self.root, name, value)
        node = self.graph.create_node("get_attr", name)
        value._node = node
        self.seen.append((node, self.look(value), None))
        return node

    def note(self, node: torch.fx.Node, made: object) -> None:
        if isinstance(made, torch.Tensor):
            made._node = node
            self.seen.append((node, self.look(made), _metadata(made)))
        elif isinstance(made, (list, tuple)) and all(isinstance(m, torch.Tensor) for m in made):
            self.seen.append((node, [self.look(m) for m in made], None))
            for k, each in enumerate(made):
                item = self.graph.create_node("call_function", operator.getitem, (node, k), name="getitem")
                self.note(item, each)
        else:
            raise NotPlain(f"{node.target} makes {type(made).__name__}")

    def look(self, value: torch.Tensor) -> tuple:
        storage = value.untyped_storage()
        self.storages.append(storage)
        return storage._cdata, storage.nbytes(), value.dtype, value.storage_offset(), value.shape, value.stride()

    def describe(self) -> None:
        """Tells each node by a fake tensor what its value is; views lie on the storage of what they are views of."""
        for constant in self.constants:  # they go with the module
            del constant._node
        with torch._functorch.config.patch(fake_tensor_allow_unsafe_data_ptr_access=False):
            mode = FakeTensorMode(allow_fallback_kernels=True, allow_non_fake_inputs=False, shape_env=ShapeEnv(), static_shapes=True)
        storages: dict[int, torch.UntypedStorage] = {}
        for node, look, known in self.seen:
            node.meta["val"] = tuple(_fake(mode, each, storages) for each in look) if isinstance(look, list) else _fake(mode, look, storages)
            if known is not None:
                node.meta["tensor_meta"] = known


def _metadata(value: torch.Tensor) -> TensorMetadata:
    if not value.is_contiguous():
        return _extract_tensor_metadata(value)
    return TensorMetadata(value.shape, value.dtype, value.requires_grad, value.stride(), torch.contiguous_format, False, {})


def _fake(mode: FakeTensorMode, look: tuple, storages: dict) -> FakeTensor:
    key, size, dtype, offset, shape, stride = look
    if key not in storages:
        storages[key] = torch.empty(size, dtype=torch.uint8, device="meta").untyped_storage()
    made = torch.empty(0, dtype=dtype, device="meta").set_(storages[key], offset, shape, stride)
    return FakeTensor(mode, made, CPU)


@functools.cache
def _asks(func: object) -> bool:
    return any(tag in func.tags for tag in ASKED)


@functools.cache
def _is_composite(func: object) -> bool:
    return func.has_kernel_for_dispatch_key(torch._C.DispatchKey.CompositeImplicitAutograd)


@functools.cache
def _name(func: object) -> str:
    return torch.fx.Graph()._target_to_str(func.overloadpacket.__name__)
