// Operators after which a name stands for another view, and those that are their argument now and then.
#include <algorithm>

#include "src/effects/builder.h"

namespace noclobber {

/// Whether the first argument's name may stand for something else from now on. A caller sees what becomes of
/// an input's own view, and nothing compares that.
bool Builder::may_rename(const Call& call) {
  const Arg& arg = call.arguments[0];
  const bool known = arg.kind == Arg::Kind::ref && arg.ref.valid() && values_[arg.ref.index];
  if (!known) unknown("no-metadata", call.step->op);
  const bool input = known && request_.graph->value(arg.ref).from == Value::From::input;
  if (input) unknown("unsupported-op", call.step->op + " (of an input)");
  return known && !input;
}

/// t_, transpose_, unsqueeze_, squeeze_: the name of the first argument stands for another view from now on.
void Builder::rebind(const Call& call) {
  const auto base = tensor(call, 0);
  if (!base || !may_rename(call)) return;
  const auto all = views_of(call, std::string_view(call.op).substr(0, call.op.size() - 1), *base);
  if (!all) return unknown("no-metadata", call.step->op);
  values_[call.arguments[0].ref.index] = all->front();
  bind(call, 0, all->front());
}

/// set_(self, source): the name stands for what `source` shows.
void Builder::set(const Call& call) {
  if (call.schema->overload != "source_Tensor") return unknown("unsupported-op", call.step->op);
  const auto from = tensor(call, 1);
  if (!from || !may_rename(call)) return;
  values_[call.arguments[0].ref.index] = *from;
  bind(call, 0, *from);
}

/// resize_(self, size): the first elements of the storage, where it holds as many; nothing if the shape
/// stays.
void Builder::resize(const Call& call) {
  const auto base = tensor(call, 0);
  if (!base || !may_rename(call)) return;
  const Arg& size = call.arguments[1];
  std::optional<Binding> out;
  if (call.arguments.size() < 3 || call.arguments[2].kind == Arg::Kind::none) {
    Shape shape;
    for (const Arg& extent : size.list)
      shape.push_back(extent.kind == Arg::Kind::sym ? sizes_.of(extent.sym) : Space::kBad);
    Map map;
    map.kind = Map::Kind::strided;
    map.to = shape;
    map.strides = contiguous_strides(space_, shape);
    map.dim = 1;
    out = shape == base->view.shape ? base : viewed(*base, ViewMaps{{map}, shape, true});
  }
  if (!out) return unknown("unsupported-op", call.step->op + " (may need more storage)");
  values_[call.arguments[0].ref.index] = *out;
  bind(call, 0, *out);
}

/// broadcast_tensors, meshgrid: each of a list, repeated to one shape.
void Builder::view_each(const Call& call) {
  std::vector<Binding> all;
  for (const Arg& arg : call.arguments[0].list) {
    const auto bound = bound_of(arg);
    if (!bound) return unknown("no-metadata", call.step->op);
    all.push_back(*bound);
  }
  const bool grid = call.op == "aten.meshgrid";
  const bool exchanged =
      grid && all.size() > 1 && call.arguments.size() > 1 && call.arguments[1].text == "xy";
  Shape shape;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (grid && all[k].view.shape.size() > 1) return unknown("no-metadata", call.step->op);
    const PolyId unit = space_.constant(1);
    const auto wide = grid ? std::nullopt : broadcast(space_, shape, all[k].view.shape);
    if (!grid && !wide) return unknown("no-metadata", call.step->op);
    if (wide) shape = *wide;
    if (grid) shape.push_back(all[k].view.shape.empty() ? unit : all[k].view.shape[0]);
  }
  if (exchanged) std::swap(shape[0], shape[1]);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::size_t at = exchanged && k < 2 ? 1 - k : k;
    if (grid) {
      Shape own(shape.size(), space_.constant(1));
      own[at] = shape[at];
      const auto placed = viewed(all[k], ViewMaps{{reshape_map(all[k].view.shape, own)}, own});
      if (!placed) return unknown("no-metadata", call.step->op);
      all[k] = *placed;
    }
    const auto out = broadcast_to(all[k], shape);
    if (!out) return unknown("no-metadata", call.step->op);
    bind_view(call, k, *out);
  }
}

/// Whether an operator that now and then returns its argument itself does so here. Nothing: not known.
std::optional<bool> Builder::is_itself(const Call& call) {
  const auto base = bound_of(call.arguments[0]);
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
    asked.push_back(extent.kind == Arg::Kind::sym ? sizes_.of(extent.sym) : Space::kBad);
  const Shape& own = base->view.shape;
  if (asked == own) return true;
  if (asked.size() != own.size()) return false;
  for (std::size_t k = 0; k < own.size(); ++k)
    if (space_.value(asked[k]) && space_.value(own[k]) && *space_.value(asked[k]) != *space_.value(own[k]))
      return false;
  return std::nullopt;
}

void Builder::self_if(const Call& call, std::optional<bool> itself) {
  if (!itself) return unknown("unsupported-op", call.step->op + " (may be its argument)");
  if (!*itself) return opaque(call);
  const auto base = tensor(call, 0);
  if (base) bind_view(call, 0, *base);
}

}  // namespace noclobber
