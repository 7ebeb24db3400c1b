#include "src/effects/boundary.h"

#include "src/effects/call_text.h"
#include "src/effects/dense.h"
#include "src/effects/emit.h"
#include "src/effects/results.h"
#include "src/effects/shown.h"
#include "src/effects/tracer.h"
#include "src/graph/uses.h"

namespace noclobber::effects {

Reached reached_by(const Tracer& t) {
  Reached out = t.reached;
  for (const Arg& arg : t.request.graph->outputs) {
    const auto bound = t.bound_of(arg);
    out.outputs.push_back(
        bound ? std::optional(Lies{bound->dtype, bound->view.shape, bound->strides, bound->offset})
              : std::nullopt);
  }
  return out;
}

namespace {

/// The flat index space of a storage that an input views through strides, and the input's map into it. Empty
/// if the strides are not known.
std::optional<std::pair<Shape, Map>> flat_input(Tracer& t, const Input& input, const Binding& bound) {
  if (!bound.strides) return std::nullopt;
  const Shape& shape = bound.view.shape;
  PolyId numel = t.space.add(bound.offset, t.space.constant(1));
  for (std::size_t k = 0; k < shape.size(); ++k)
    numel = t.space.add(numel, t.space.mul((*bound.strides)[k], t.space.sub(shape[k], t.space.constant(1))));
  if (may_be_empty(t.space, shape)) numel = bound.offset;
  if (input.storage_numel) numel = t.sizes.of(*input.storage_numel);
  Map map;
  map.kind = Map::Kind::strided;
  map.from = {numel};
  map.to = shape;
  map.start = bound.offset;
  map.strides = *bound.strides;
  return std::pair{Shape{numel}, map};
}

/// Adds a further input on a known storage. False unless it has the same type and lies within the storage.
bool join_storage(Tracer& t, StorageId known, const TraceStorage& more, Dtype dtype) {
  TraceStorage& old = t.trace.storages[known];
  if (t.storages.layouts[known].dtype != dtype ||
      !t.space.nonnegative(t.space.sub(old.shape[0], more.shape[0])))
    return false;
  old.writable = old.writable && more.writable;
  return true;
}

}  // namespace

/// Notes that elements of the storage are addressed by their position in it, so that the input views do not
/// tell which. `from_start`: relative to its first element, wherever those views begin.
void reaches(Tracer& t, StorageId storage, bool from_start) {
  t.reached.beyond.insert(storage);
  if (from_start) t.reached.from_start.insert(storage);
}

/// An input that is dense in a storage of its own gives the storage its index space; any other is a view of a
/// flat one.
void add_input(Tracer& t, const Input& input) {
  const Value& value = t.request.graph->value(input.value);
  if (!value.type) return t.unknown("no-metadata", value.name);
  const Dtype dtype = value.type->dtype;
  const Shape shape = t.sizes.of(value.type->shape);
  const auto strides = said_strides(t, *value.type, shape);
  Binding bound{{static_cast<StorageId>(t.trace.storages.size()), {}, shape, t.type_text(dtype), 0},
                dtype,
                strides,
                t.sizes.of(value.type->offset),
                0};
  const bool own = input.storage.empty() && bound.offset == 0 && !input.storage_numel &&
                   (!strides || is_dense(t.space, shape, *strides));
  TraceStorage storage;
  storage.start = TraceStorage::Start::given;
  storage.key = "in:" + (input.storage.empty() ? value.name : "storage " + input.storage);
  storage.shape = shape;
  storage.writable = !t.request.writable || t.request.writable->contains(value.name);
  if (!own) {
    const auto flat = flat_input(t, input, bound);
    if (!flat) return t.unknown("no-metadata", value.name);
    storage.shape = flat->first;
    bound.view.maps = {flat->second};
  }
  if (const auto known = t.storages.named.find(input.storage);
      !input.storage.empty() && known != t.storages.named.end()) {
    if (!join_storage(t, known->second, storage, dtype))
      return t.unknown("no-metadata", "inputs of storage " + input.storage);
    bound.view.storage = known->second;
    for (Map& map : bound.view.maps.edit()) map.from = t.trace.storages[known->second].shape;
  } else {
    if (t.request.lanes->contains(storage.key)) storage.lanes = t.parts(storage.key, dtype);
    if (!input.storage.empty()) t.storages.named[input.storage] = bound.view.storage;
    t.storages.layouts.push_back(
        {storage.shape, own ? strides : std::optional(std::vector<PolyId>{t.space.constant(1)}), dtype});
    t.trace.storages.push_back(std::move(storage));
  }
  bound.view.lanes = t.trace.storages[bound.view.storage].lanes;
  t.trace.inputs.push_back({value.name, bound.view});
  t.names.bound[input.value.index] = std::move(bound);
}

void add_finals(Tracer& t) {
  std::vector<std::pair<Binding, Binding>> moves;
  for (const auto& [id, arg] : t.request.graph->finals) {
    const auto from = t.bound_of(arg);
    if (!from || !t.names.bound[id.index]) return t.unknown("no-metadata", "final");
    Binding kept = fresh(t, from->view.shape, from->dtype, std::nullopt);
    move(t, kept, *from, static_cast<std::uint32_t>(t.request.graph->steps.size()));
    kept.since = t.now();
    moves.emplace_back(*t.names.bound[id.index], kept);
  }
  for (const auto& [to, from] : moves) {
    if (to.view.shape != from.view.shape) return t.unknown("no-metadata", "final");
    move(t, to, from, static_cast<std::uint32_t>(t.request.graph->steps.size()));
  }
}

void add_outputs(Tracer& t) {
  for (const Arg& arg : t.request.graph->outputs) {
    TraceOutput output;
    if (arg.kind == Arg::Kind::ref) {
      const auto bound = t.bound_of(arg);
      if (!bound) {
        t.unknown("no-metadata", t.request.graph->value(arg.ref).name);
      } else {
        if (t.is_shadow(bound->view.storage)) {
          const auto end = static_cast<std::uint32_t>(t.request.graph->steps.size());
          if (!t.request.value->sharing_may_grow)
            t.unknown("unsupported-op", "an output that shows elements that are not known");
          refresh_one(t, bound->view.storage, end, t.now());
        }
        output.view = bound->view;
        output.strides_known = bound->strides.has_value();
        if (bound->strides) output.strides = *bound->strides;
        if (t.request.names_are_values) output.reaching = bound->since;
      }
    } else {
      std::vector<ValueId> within;
      collect_uses(arg, within);
      if (!within.empty()) t.unknown("unsupported-op", "an output that is a list of tensors");
      output.scalar = attribute(t, arg);
    }
    t.trace.outputs.push_back(std::move(output));
  }
}

}  // namespace noclobber::effects
