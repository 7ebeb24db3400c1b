#include "src/effects/results.h"

#include <algorithm>
#include <set>

#include "src/effects/dense.h"
#include "src/effects/tracer.h"
#include "src/kernels/kernels.h"
#include "src/ops/layout.h"

namespace noclobber::effects {

namespace {

/// True if strides with gaps surely place all elements apart: each steps over all of the smaller ones.
bool steps_over(Space& space, const Shape& shape, const std::vector<PolyId>& strides) {
  std::vector<std::size_t> dims;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (space.value(shape[k]) == 1) continue;
    const auto larger = [&](std::size_t other) {
      return space.nonnegative(space.sub(strides[other], strides[k]));
    };
    dims.insert(std::find_if_not(dims.begin(), dims.end(), larger), k);
  }
  PolyId within = space.constant(1), extent = space.constant(1);
  for (auto k = dims.rbegin(); k != dims.rend(); ++k) {
    const PolyId times = space.quotient(strides[*k], within);
    if (!space.same(space.mul(times, within), strides[*k]) || !space.nonnegative(space.sub(times, extent)))
      return false;
    within = strides[*k];
    extent = shape[*k];
  }
  return true;
}

/// Sizes or strides as numbers, -1 for those that are not constant.
Extents numbers_of(const Space& space, const std::vector<PolyId>& sizes) {
  Extents out;
  for (const PolyId size : sizes) out.push_back(space.value(size).value_or(-1));
  return out;
}

bool all_known(const Extents& numbers) {
  return std::ranges::none_of(numbers, [](auto n) { return n < 0; });
}

/// True if every dimension surely steps over all of the next one. There may be gaps.
bool is_row_major(Space& space, const Shape& shape, const std::vector<PolyId>& strides) {
  PolyId least = space.constant(1);
  for (std::size_t k = shape.size(); k-- > 0;) {
    if (!space.nonnegative(space.sub(strides[k], least))) return false;
    least = space.mul(strides[k], shape[k]);
  }
  return true;
}

/// The strides that a pointwise kernel gives its result, for operands of one floating type: it keeps their
/// order, without gaps. Empty unless sizes and strides are constant, or all operands are row-major.
std::optional<std::vector<PolyId>> iterated_strides(Tracer& t, const Call& call, const Shape& shape) {
  const std::string& op = call.functional.empty() ? *call.step->op : call.functional;
  const KernelRow* row = op.starts_with("aten.") ? find_kernel(op) : nullptr;
  const bool laid_by_operands = row != nullptr && row->pointwise != nullptr &&
                                (row->variant == 0 || row->variant == 4);  // 4: a way of rounding
  if (!laid_by_operands) return std::nullopt;
  const Extents extents = numbers_of(t.space, shape);
  std::vector<Geometry> operands;
  std::vector<const Binding*> tensors;
  std::set<Dtype> types;
  bool constant = all_known(extents);
  for (std::size_t k = 0; k < static_cast<std::size_t>(row->operands); ++k) {
    Geometry& own = operands.emplace_back();
    const Binding* bound = t.seen(call.arguments[k]);
    if (bound == nullptr) continue;  // a number
    if (!bound->strides) return std::nullopt;
    types.insert(bound->dtype);
    own.dtype = bound->dtype, own.shape = numbers_of(t.space, bound->view.shape),
    own.stride = numbers_of(t.space, *bound->strides);
    constant = constant && all_known(own.shape) && all_known(own.stride);
    tensors.push_back(bound);
  }
  if (types.size() != 1 || !is_floating(*types.begin())) return std::nullopt;
  if (!constant) {
    const bool keeps = std::ranges::all_of(tensors, [&](const Binding* tensor) {
      return tensor->view.shape == shape && is_row_major(t.space, shape, *tensor->strides);
    });
    return keeps ? std::optional(contiguous_strides(t.space, shape)) : std::nullopt;
  }
  std::vector<PolyId> out;
  for (const std::int64_t stride : iterator_strides(operands, extents))
    out.push_back(t.space.constant(stride));
  return out;
}

/// Strides of a result without metadata: those that the call asks for; contiguous, if all tensor arguments
/// are; else those of the kernel, which may keep its operands' order. Empty if the call asks for a format.
std::optional<std::vector<PolyId>> unsaid_strides(Tracer& t, const Call& call, const Shape& shape) {
  const auto& slots = call.schema->arguments;
  const bool sized = std::any_of(slots.begin(), slots.end(), [](const auto& slot) {
    return slot.name == "size" || slot.name == "shape";
  });
  const auto is_plain = [&](const Arg& arg) {
    const Binding* bound = t.seen(arg);
    return bound == nullptr ||
           (bound->strides && bound->strides == contiguous_strides(t.space, bound->view.shape));
  };
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    const Arg& arg = call.arguments[k];
    const std::string& name = slots[k].name;
    const bool strides = sized && (name == "stride" || name == "strides");
    if (strides && arg.kind == Arg::Kind::list && arg.list.size() == shape.size()) {
      Shape out;
      for (const Arg& stride : arg.list)
        out.push_back(stride.kind == Arg::Kind::sym ? t.sizes.of(stride.sym) : Space::kBad);
      return out;
    }
    const bool orders = name == "memory_format" || name == "physical_layout" || strides;
    if (orders && arg.kind != Arg::Kind::none) return std::nullopt;
    if (!is_plain(arg) || !std::all_of(arg.list.begin(), arg.list.end(), is_plain))
      return iterated_strides(t, call, shape);
  }
  return contiguous_strides(t.space, shape);
}

/// Strides of kernels that order a result in their own way: attention works with heads behind rows, and
/// nonzero fills a column per dimension. Empty for other kernels.
std::optional<std::vector<PolyId>> laid_by_kernel(Space& space, const std::string& op, std::size_t result,
                                                  const Shape& shape) {
  const std::string_view attention = "aten._scaled_dot_product_flash_attention_for_cpu";
  const PolyId one = space.constant(1);
  if (op == std::string(attention) + "_backward.default" && shape.size() == 4) {
    const PolyId row = space.mul(shape[1], shape[3]);
    return std::vector{space.mul(row, shape[2]), shape[3], row, one};
  }
  if (op == std::string(attention) + ".default" && result == 1 && shape.size() == 3)
    return std::vector{space.mul(shape[1], shape[2]), one, shape[1]};
  if (op == "aten.nonzero.default" && shape.size() == 2) return std::vector{one, shape[0]};
  return std::nullopt;
}

/// Claims that the dump's shape, type and strides of a result are those computed.
void claim(Tracer& t, const Call& call, std::size_t result, const Binding& bound) {
  const Type* type = said(t, call, result);
  if (type == nullptr) return;
  const auto say = [&](const char* what, PolyId said, PolyId computed) {
    if (said != computed || said == Space::kBad)
      t.trace.claims.push_back({call.number, what, said, computed});
  };
  const Shape shape = t.sizes.of(type->shape);
  say("rank", t.number(shape.size()), t.number(bound.view.shape.size()));
  say("dtype", t.number(static_cast<std::size_t>(type->dtype)),
      t.number(static_cast<std::size_t>(bound.dtype)));
  if (shape.size() != bound.view.shape.size()) return;
  for (std::size_t k = 0; k < shape.size(); ++k) say("size", shape[k], bound.view.shape[k]);
  if (type->strides != Type::Strides::given || !bound.strides) return;
  const auto strides = t.sizes.of(type->stride);
  for (std::size_t k = 0; k < shape.size(); ++k)
    if (t.space.value(shape[k]) != 1 && t.space.value(element_count(t.space, shape)) != 0)
      say("stride", strides[k], (*bound.strides)[k]);
}

}  // namespace

const Type* said(const Tracer& t, const Call& call, std::size_t result) {
  if (t.at_hand.hushed || result >= call.step->results.size() || !call.step->results[result].valid())
    return nullptr;
  const auto& type = t.request.graph->value(call.step->results[result]).type;
  return type ? &*type : nullptr;
}

std::optional<std::vector<PolyId>> said_strides(Tracer& t, const Type& type, const Shape& shape) {
  switch (type.strides) {
    case Type::Strides::contiguous:
      return contiguous_strides(t.space, shape);
    case Type::Strides::given:
      if (type.stride.size() != shape.size()) return std::nullopt;  // bind() claims the rank
      return t.sizes.of(type.stride);
    case Type::Strides::unknown:
      return std::nullopt;
  }
  return std::nullopt;
}

StorageKey fresh_key(Tracer& t, std::string_view stem) {
  auto at = t.storages.fresh.find(stem);
  if (at == t.storages.fresh.end())
    at = t.storages.fresh.emplace(stem, Storages::Fresh{std::string(stem) + " "}).first;
  return {at->second.before, at->second.count++};
}

/// Makes a storage for a result. One that is not written as a whole is numbered by type and shape, so that
/// both graphs give the same undefined contents one key, whatever else one of them makes. If strides leave
/// gaps or repeat elements the storage is flat, unless sizes are symbolic and elements are surely apart.
Binding fresh(Tracer& t, const Shape& shape, Dtype dtype, const std::optional<std::vector<PolyId>>& strides) {
  TraceStorage storage;
  std::string stem = "fresh";
  if (t.storages.unwritten) {
    stem = "unwritten " + std::string(name(dtype));
    for (const PolyId extent : shape) stem += "," + size_text(t.space, extent);
  }
  storage.key = fresh_key(t, stem);
  storage.compared = false;
  storage.shape = shape;
  if (has_negative(t.space, shape)) t.unknown("no-metadata", "a size below 0");
  Binding out{{static_cast<StorageId>(t.trace.storages.size()), {}, storage.shape, t.type_text(dtype), 0},
              dtype,
              strides,
              0,
              t.now()};
  auto layout = out.strides;
  const bool open =
      strides && std::any_of(shape.begin(), shape.end(), [&](PolyId e) { return !t.space.value(e); });
  if (open && !is_dense(t.space, shape, *strides) && steps_over(t.space, shape, *strides)) {
    layout = std::nullopt;  // with gaps: an element is known by its index
  } else if (strides && !is_dense(t.space, shape, *strides)) {
    PolyId numel = t.space.constant(1);
    for (std::size_t k = 0; k < shape.size(); ++k)
      numel = t.space.add(numel, t.space.mul((*strides)[k], t.space.sub(shape[k], t.space.constant(1))));
    Map map;
    map.kind = Map::Kind::strided;
    map.from = storage.shape = {numel};
    map.to = shape;
    map.strides = *strides;
    out.view.maps = {map};
    layout = std::vector<PolyId>{t.space.constant(1)};
  }
  if (t.request.lanes->contains(storage.key)) out.view.lanes = storage.lanes = t.parts(storage.key, dtype);
  t.storages.layouts.push_back({storage.shape, layout, dtype});
  t.trace.storages.push_back(std::move(storage));
  return out;
}

/// A fresh result: its type as the dump says, else by the operator's rule.
std::optional<Binding> fresh_for(Tracer& t, const Call& call, std::size_t result,
                                 const std::optional<InferredMeta>& rule) {
  if (const Type* type = said(t, call, result)) {
    const Shape shape = t.sizes.of(type->shape);
    Binding out = fresh(t, shape, type->dtype, said_strides(t, *type, shape));
    if (rule) {
      if (rule->shape.size() != shape.size()) {
        t.trace.claims.push_back({call.number, "rank", t.number(shape.size()), Space::kBad});
      } else {
        for (std::size_t k = 0; k < shape.size(); ++k)
          if (shape[k] != rule->shape[k])
            t.trace.claims.push_back({call.number, "size", shape[k], rule->shape[k]});
      }
      if (rule->dtype && *rule->dtype != type->dtype)
        t.trace.claims.push_back(
            {call.number, "dtype", t.number(static_cast<std::size_t>(type->dtype)), Space::kBad});
    }
    return out;
  }
  if (!rule || !rule->dtype) return std::nullopt;
  const auto own = laid_by_kernel(t.space, call.step->op, result, rule->shape);
  return fresh(t, rule->shape, *rule->dtype, own ? own : unsaid_strides(t, call, rule->shape));
}

/// The only result, which is written later or in pieces.
std::optional<Binding> unwritten_for(Tracer& t, const Call& call, const std::optional<InferredMeta>& rule) {
  t.storages.unwritten = true;
  auto out = fresh_for(t, call, 0, rule);
  t.storages.unwritten = false;
  return out;
}

void bind(Tracer& t, const Call& call, std::size_t result, Binding bound) {
  if (result >= call.step->results.size() || !call.step->results[result].valid()) return;
  claim(t, call, result, bound);
  const Type* type = said(t, call, result);
  const bool tells = type != nullptr && type->strides == Type::Strides::given;
  if (tells && !bound.strides && type->stride.size() == bound.view.shape.size())
    bound.strides = t.sizes.of(type->stride);
  bound.since = t.now();
  t.names.bound[call.step->results[result].index] = std::move(bound);
}

/// A view has the reaching definition of its base, whenever it is made; behind a barrier, what is there then.
void bind_view(Tracer& t, const Call& call, std::size_t result, Binding bound) {
  const std::uint32_t since = bound.since;
  bind(t, call, result, std::move(bound));
  if (result >= call.step->results.size() || !call.step->results[result].valid()) return;
  if (!call.step->barrier) t.names.bound[call.step->results[result].index]->since = since;
}

}  // namespace noclobber::effects
