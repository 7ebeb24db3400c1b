// Operators after which a name stands for another view, and those that are their argument now and then.
#include <algorithm>

#include "src/effects/builder.h"
#include "src/graph/uses.h"
#include "src/ops/same_tensor.h"

namespace noclobber {

/// Is that value made by an operator that may give its argument itself?
bool Builder::may_be_argument(ValueId id) const {
  const Value& value = request_.graph->value(id);
  if (value.from == Value::From::input) return false;
  const std::string& op = request_.graph->steps[value.at].op;
  const Schema* schema = ops_.find(op);
  return schema == nullptr || !gives_fresh(meaning_of(base_name(op), *schema));
}

/// May a tensor that is still needed under another name be the one that `id` names, where nothing says so?
bool Builder::may_be_another(ValueId id, std::uint32_t number) const {
  const ValueId own = first_names_[id.index];
  const auto needed = [&](ValueId other) {  // an input's caller needs it
    return request_.graph->value(other).from == Value::From::input ||
           is_used(*request_.graph, other, number + 1);
  };
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const ValueId other = first_names_[k];
    if (values_[k] && other != own && values_[k]->view == values_[id.index]->view &&
        (may_be_argument(other) || may_be_argument(own)) && needed(ValueId(k)))
      return true;
  }
  return false;
}

/// Whether the first argument may stand for something else from now on. A caller sees what becomes of an
/// input's own view, and nothing compares that.
bool Builder::may_rename(const Call& call) {
  const ValueId id = call.arguments[0].ref;
  if (first_names_.empty()) first_names_ = first_names(*request_.graph, ops_);
  const bool input = request_.graph->value(first_names_[id.index]).from == Value::From::input;
  const bool shared = !input && may_be_another(id, call.number);
  if (input) unknown("unsupported-op", call.step->op + " (of an input)");
  if (shared) unknown("unsupported-op", call.step->op + " (of what may have another name)");
  return !input && !shared;
}

/// The first argument, under all of its names, stands for what is shown from now on.
void Builder::rename(const Call& call, const Binding& shown) {
  const ValueId own = first_names_[call.arguments[0].ref.index];
  for (std::size_t k = 0; k < values_.size(); ++k) {
    if (!values_[k] || first_names_[k] != own) continue;
    const bool stays = values_[k]->view.storage == shown.view.storage;
    const std::uint32_t since = stays ? values_[k]->since : shown.since;
    values_[k] = shown;
    values_[k]->since = since;
  }
  bind_view(call, 0, shown);
}

/// t_, transpose_, unsqueeze_, squeeze_: the name of the first argument stands for another view from now on.
void Builder::rebind(const Call& call) {
  const auto base = tensor(call, 0);
  if (!base || !may_rename(call)) return;
  const auto all = views_of(call, std::string_view(call.op).substr(0, call.op.size() - 1), *base);
  if (!all) return unknown("no-metadata", call.step->op);
  rename(call, all->front());
}

/// set_(self, source): the name stands for what `source` shows.
void Builder::set(const Call& call) {
  if (call.schema->overload != "source_Tensor") return unknown("unsupported-op", call.step->op);
  const auto base = tensor(call, 0), from = tensor(call, 1);
  if (base && from && may_rename(call)) rename(call, *from);
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
  rename(call, *out);
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
  if (asked.empty()) return false;  // to no dimension: a sum, whatever it is of
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
