// Whether a call's result aliases its arguments: the operator that runs decides, not the lines printed below
// it.
#include <algorithm>

#include "src/lower/thunder/builder.h"
#include "src/lower/thunder/writes.h"
#include "src/ops/infer.h"
#include "src/ops/row.h"

namespace noclobber {
namespace {

/// True if PyTorch's operator of that name returns a view of its first argument, false if it returns storage
/// of its own. Empty if that depends, or is not known.
std::optional<bool> shows_operand(const Graph& graph, const ThunderScopes& names, const ThunderStatement& s) {
  const std::string stem = thunder_stem(s.value.text);
  if (stem == "__getitem__" || stem == "getitem") {  // a 0-d integer tensor indexes like a number
    const auto is_index = [&](const std::string& name) {
      const ThunderThing* thing = names.find(name);
      const auto& type = thing != nullptr && thing->is_tensor() ? graph.value(thing->id).type : SharedType();
      return type && type->shape.empty() && type_category(type->dtype) == 1;
    };
    bool index = false;
    for (std::size_t k = 1; k < s.value.items.size(); ++k)
      each_thunder_name(s.value.items[k], [&](const std::string& name) { index = index || is_index(name); });
    return index ? std::optional(true) : std::nullopt;
  }
  const OpRow* row = find_row("aten." + stem);
  if (row == nullptr) return std::nullopt;
  using enum Meaning;
  if (row->meaning == view) return true;
  constexpr Meaning kFresh[] = {opaque, clone,        view_copy,   moved, fill,
                                empty,  view_scatter, concatenate, stack};
  return std::ranges::find(kFresh, row->meaning) != std::end(kFresh) ? std::optional(false) : std::nullopt;
}

/// True if the steps since `mark` make the value a view of older memory, false if they do not. Empty if that
/// depends.
std::optional<bool> shows_older(const Graph& graph, ValueId id, const ThunderMark& mark) {
  bool surely = true;
  for (std::size_t k = graph.steps.size(); k-- > mark.steps;) {
    const Step& maker = graph.steps[k];
    if (std::ranges::find(maker.results, id) == maker.results.end()) continue;
    const Schema* schema = find_schema(maker.op);
    if (schema == nullptr || schema->writes()) return std::nullopt;
    using enum Meaning;
    constexpr Meaning kShows[] = {view, may_view, may_convert, self_if_real, random_or_self, reduce_or_self};
    const Meaning meaning = meaning_of(base_name(maker.op), *schema);
    if (std::ranges::find(kShows, meaning) == std::end(kShows)) return false;
    if (maker.args.empty() || maker.args[0].kind != Arg::Kind::ref) return std::nullopt;
    surely = surely && meaning == view;
    id = maker.args[0].ref;
  }
  return id.index < mark.values && surely ? std::optional(true) : std::nullopt;
}

}  // namespace

std::optional<bool> thunder_shares_otherwise(const Graph& graph, const ThunderScopes& names,
                                             const ThunderStatement& s, const ThunderMark& mark) {
  if (!is_torch_call(s.value.text) || s.target.kind != PythonExpr::Kind::name) return false;
  for (std::size_t k = mark.steps; k < graph.steps.size(); ++k)
    if (const Schema* schema = find_schema(graph.steps[k].op); schema != nullptr && schema->writes())
      return false;
  const ThunderThing* made = names.find(s.target.text);
  const auto own = shows_operand(graph, names, s);
  if (!own || made == nullptr || !made->is_tensor()) return false;
  const auto below = shows_older(graph, made->id, mark);
  if (!below && !*own) return std::nullopt;
  return below && *below != *own;
}

}  // namespace noclobber
