#include "src/effects/renames.h"

#include <algorithm>

#include "src/effects/identities.h"
#include "src/effects/opaque.h"
#include "src/effects/results.h"
#include "src/effects/tracer.h"
#include "src/effects/view_steps.h"
#include "src/graph/uses.h"
#include "src/ops/same_tensor.h"

namespace noclobber::effects {

namespace {

/// True if the value's operator may return its argument itself.
bool may_be_argument(const Tracer& t, ValueId id) {
  const Value& value = t.request.graph->value(id);
  if (value.from == Value::From::input) return false;
  const std::string& op = t.request.graph->steps[value.at].op;
  const Schema* schema = t.ops.find(op);
  return schema == nullptr || !gives_fresh(meaning_of(base_name(op), *schema));
}

/// True if a name that is still needed may stand for the tensor of `id`, though first_names() keeps them
/// apart.
bool may_be_another(const Tracer& t, ValueId id, std::uint32_t number) {
  const ValueId own = t.names.first[id.index];
  const auto needed = [&](ValueId other) {  // an input's caller needs it
    return t.request.graph->value(other).from == Value::From::input ||
           is_used(*t.request.graph, other, number + 1);
  };
  for (std::size_t k = 0; k < t.names.bound.size(); ++k) {
    const ValueId other = t.names.first[k];
    if (t.names.bound[k] && other != own && t.names.bound[k]->view == t.names.bound[id.index]->view &&
        (may_be_argument(t, other) || may_be_argument(t, own)) && needed(ValueId(k)))
      return true;
  }
  return false;
}

/// True if the first argument may be bound to another view. Not for an input: its caller would observe the
/// new view, which is not compared.
bool may_rename(Tracer& t, const Call& call) {
  const ValueId id = call.arguments[0].ref;
  if (t.names.first.empty()) t.names.first = first_names(*t.request.graph, t.ops);
  const bool input = t.request.graph->value(t.names.first[id.index]).from == Value::From::input;
  const bool shared = !input && may_be_another(t, id, call.number);
  if (input) t.unknown("unsupported-op", call.step->op + " (of an input)");
  if (shared) t.unknown("unsupported-op", call.step->op + " (of what may have another name)");
  return !input && !shared;
}

/// Binds all names of the first argument to `shown`.
void rename(Tracer& t, const Call& call, const Binding& shown) {
  const ValueId own = t.names.first[call.arguments[0].ref.index];
  for (std::size_t k = 0; k < t.names.bound.size(); ++k) {
    if (!t.names.bound[k] || t.names.first[k] != own) continue;
    const bool stays = t.names.bound[k]->view.storage == shown.view.storage;
    const std::uint32_t since = stays ? t.names.bound[k]->since : shown.since;
    t.names.bound[k] = shown;
    t.names.bound[k]->since = since;
  }
  bind_view(t, call, 0, shown);
}

}  // namespace

/// t_, transpose_, unsqueeze_, squeeze_: binds the name of the first argument to another view.
void rebind(Tracer& t, const Call& call) {
  const auto base = t.tensor(call, 0);
  if (!base || !may_rename(t, call)) return;
  const auto all = views_of(t, call, std::string_view(call.op).substr(0, call.op.size() - 1), *base);
  if (!all) return t.unknown("no-metadata", call.step->op);
  rename(t, call, all->front());
}

/// set_(self, source): binds the name to the view of `source`.
void set(Tracer& t, const Call& call) {
  if (call.schema->overload != "source_Tensor") return t.unknown("unsupported-op", call.step->op);
  const auto base = t.tensor(call, 0), from = t.tensor(call, 1);
  if (base && from && may_rename(t, call)) rename(t, call, *from);
}

/// resize_(self, size): the elements of the storage from the offset of `self` on, if it holds as many; no
/// effect if the shape stays.
void resize(Tracer& t, const Call& call) {
  const auto base = t.tensor(call, 0);
  if (!base || !may_rename(t, call)) return;
  const Arg& size = call.arguments[1];
  std::optional<Binding> out;
  if (call.arguments.size() < 3 || call.arguments[2].kind == Arg::Kind::none) {
    Shape shape;
    for (const Arg& extent : size.list)
      shape.push_back(extent.kind == Arg::Kind::sym ? t.sizes.of(extent.sym) : Space::kBad);
    Map map;
    map.kind = Map::Kind::strided;
    map.to = shape;
    map.strides = contiguous_strides(t.space, shape);
    map.dim = 1;
    out = shape == base->view.shape ? base : viewed(t, *base, ViewMaps{{map}, shape, true});
  }
  if (!out) return t.unknown("unsupported-op", call.step->op + " (may need more storage)");
  rename(t, call, *out);
}

/// broadcast_tensors, meshgrid: each tensor of a list, expanded to one shape.
void view_each(Tracer& t, const Call& call) {
  std::vector<Binding> all;
  for (const Arg& arg : call.arguments[0].list) {
    const Binding* bound = t.seen(arg);
    if (bound == nullptr) return t.unknown("no-metadata", call.step->op);
    all.push_back(*bound);
  }
  const bool grid = call.op == "aten.meshgrid";
  const bool exchanged =
      grid && all.size() > 1 && call.arguments.size() > 1 && call.arguments[1].text == "xy";
  Shape shape;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (grid && all[k].view.shape.size() > 1) return t.unknown("no-metadata", call.step->op);
    const PolyId unit = t.space.constant(1);
    const auto wide = grid ? std::nullopt : broadcast(t.space, shape, all[k].view.shape);
    if (!grid && !wide) return t.unknown("no-metadata", call.step->op);
    if (wide) shape = *wide;
    if (grid) shape.push_back(all[k].view.shape.empty() ? unit : all[k].view.shape[0]);
  }
  if (exchanged) std::swap(shape[0], shape[1]);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::size_t at = exchanged && k < 2 ? 1 - k : k;
    if (grid) {
      Shape own(shape.size(), t.space.constant(1));
      own[at] = shape[at];
      const auto placed = viewed(t, all[k], ViewMaps{{reshape_map(all[k].view.shape, own)}, own});
      if (!placed) return t.unknown("no-metadata", call.step->op);
      all[k] = *placed;
    }
    const auto out = broadcast_to(t, all[k], shape);
    if (!out) return t.unknown("no-metadata", call.step->op);
    bind_view(t, call, k, *out);
  }
}

/// Whether an operator that sometimes returns its argument itself does so here. Empty if not known.
std::optional<bool> is_itself(Tracer& t, const Call& call) {
  const auto base = t.bound_of(call.arguments[0]);
  const Meaning meaning = meaning_of(call.op, *call.schema);
  if (!base) return std::nullopt;
  if (meaning == Meaning::self_if_real) return !is_complex(base->dtype);
  if (meaning == Meaning::random_or_self) {
    const Arg& p = call.arguments[1];
    const Arg& train = call.arguments[2];
    if (train.kind != Arg::Kind::boolean) return std::nullopt;
    const auto chance = whole(p, Dtype::f64);
    if (!train.boolean || chance == 0) return true;
    return p.kind == Arg::Kind::real || chance ? std::optional(false) : std::nullopt;
  }
  Shape asked;
  for (const Arg& extent : call.arguments[1].list)
    asked.push_back(extent.kind == Arg::Kind::sym ? t.sizes.of(extent.sym) : Space::kBad);
  const Shape& own = base->view.shape;
  if (asked.empty()) return false;  // to no dimension: always a sum
  if (asked == own) return true;
  if (asked.size() != own.size()) return false;
  for (std::size_t k = 0; k < own.size(); ++k)
    if (t.space.value(asked[k]) && t.space.value(own[k]) &&
        *t.space.value(asked[k]) != *t.space.value(own[k]))
      return false;
  return std::nullopt;
}

void self_if(Tracer& t, const Call& call, std::optional<bool> itself) {
  if (!itself) return t.unknown("unsupported-op", call.step->op + " (may be its argument)");
  if (!*itself) return opaque(t, call);
  const auto base = t.tensor(call, 0);
  if (base) bind_view(t, call, 0, *base);
}

}  // namespace noclobber::effects
