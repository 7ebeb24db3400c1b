#!/usr/bin/env python3
"""Prints every operator schema that the installed torch registers: dump_schemas.py > corpus/schemas/aten.txt

One line each, SCHEMA <tab> TAGS <tab> DISPATCH, sorted by operator name; then the higher-order operators,
which have no schema.  With --libraries, those of torchao, torchvision and transformers instead, for
corpus/schemas/libraries.txt.  Needs torch, or those as well; nothing else here does.
"""
import importlib
import sys

import torch

# These register operators when they are imported; some are absent from some builds.
MODULES = (
    "torch._prims", "torch._prims_common", "torch._refs", "torch._inductor.inductor_prims",
    "torch._inductor.lowering", "torch._higher_order_ops", "torch.ao.quantization.fx._decomposed",
    "torch.distributed._functional_collectives", "torch.distributed._symmetric_memory",
    "torch.distributed.fsdp._fully_shard._fsdp_collectives", "torch.export",
)
LIBRARIES = ("torchao", "torchao.ops", "torchao.quantization", "torchvision", "transformers.integrations.moe",
             "transformers.integrations.msa_attention")
NAMESPACES = ("torchao", "torchvision", "transformers", "transformers_msa")  # of tensors, not of files and devices
KEYS = (
    ("Meta", "meta"),
    ("CompositeImplicitAutograd", "composite_implicit"),
    ("CompositeExplicitAutograd", "composite_explicit"),
    ("CompositeExplicitAutogradNonFunctional", "composite_nonfunctional"),
    ("CPU", "cpu"),
)


def full_name(schema):
    return schema.name + (f".{schema.overload_name}" if schema.overload_name else "")


def tags_of(schema):
    """Names of the operator's tags; none for what only TorchScript knows."""
    namespace, name = schema.name.split("::")
    try:
        packet = getattr(getattr(torch.ops, namespace), name)
        overload = getattr(packet, schema.overload_name or "default")
    except (AttributeError, RuntimeError):
        return []
    return sorted(tag.name for tag in overload.tags)


def dispatch_of(schema):
    """Short names of the dispatch keys that have a kernel."""
    name = full_name(schema)
    if not torch._C._dispatch_has_kernel(name):
        return ["jit_only"]
    return [short for key, short in KEYS if torch._C._dispatch_has_kernel_for_dispatch_key(name, key)]


def main():
    libraries = sys.argv[1:] == ["--libraries"]
    for module in LIBRARIES if libraries else MODULES:
        try:
            importlib.import_module(module)
        except ImportError:
            if libraries:
                raise
    schemas = {full_name(schema): schema for schema in torch._C._jit_get_all_schemas()}
    if libraries:
        schemas = {name: s for name, s in schemas.items() if name.split("::")[0] in NAMESPACES
                   and "composite_implicit" not in dispatch_of(s)}  # graphs have what those are made of
    for _, schema in sorted(schemas.items()):
        print(schema, ",".join(tags_of(schema)) or "-", ",".join(dispatch_of(schema)) or "-", sep="\t")
    for name in sorted([] if libraries else torch._ops._higher_order_ops):
        print(f"higher_order::{name}", "higher_order", "-", sep="\t")


if __name__ == "__main__":
    main()
