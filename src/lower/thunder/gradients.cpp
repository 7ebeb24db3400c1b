// Gradients of operators that Thunder registers automatically: it runs PyTorch's own derivative.
//
//   (t4, _) = roll_vjp(((x, 1), {}), t7)      of roll(x, 1), with the gradient t7 of its result
#include <algorithm>
#include <string>
#include <utility>

#include "src/lower/thunder/rows.h"
#include "src/ops/row.h"

namespace noclobber {

namespace {

using Vjp = ThunderBuilder::Call;

/// Appends the leaves of a tree in order. False if a leaf is no name.
bool leaves(const PythonExpr& expr, std::vector<PythonExpr>& out) {
  if (expr.kind == PythonExpr::Kind::sequence)
    return std::ranges::all_of(expr.items, [&](const PythonExpr& item) { return leaves(item, out); });
  out.push_back(expr);
  return expr.kind == PythonExpr::Kind::name;
}

void leaves(const ThunderThing& thing, std::vector<ThunderThing>& out) {
  if (thing.kind != ThunderThing::Kind::sequence) return out.push_back(thing);
  for (const ThunderThing& item : thing.items) leaves(item, out);
}

/// True if the operator's gradient may be a view of the incoming gradient, as that of a view may be. What
/// PyTorch detaches has no gradient.
bool may_show_gradient(const std::string& of) {
  const OpRow* row = find_row("aten." + of);
  if (row == nullptr || of == "detach") return false;
  using enum Meaning;
  constexpr Meaning kShows[] = {view, may_view, may_convert, self_if_real, random_or_self, reduce_or_self};
  return std::ranges::find(kShows, row->meaning) != std::end(kShows);
}

/// True if the operator draws random numbers: run again, it draws other ones.
bool draws(const std::string& name) {
  constexpr std::string_view kDraws[] = {"bernoulli", "dropout", "fractional", "gumbel", "multinomial",
                                         "normal",    "poisson", "rand",       "rrelu"};
  return std::ranges::any_of(kDraws,
                             [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

}  // namespace

bool thunder_vjp(ThunderBuilder& builder, const Vjp& call) {
  const ThunderStatement& s = *call.statement;
  const std::string of = call.name.substr(0, call.name.size() - std::min<std::size_t>(call.name.size(), 4));
  const bool known = call.name.ends_with("_vjp") && s.value.text.find('.') == std::string::npos &&
                     s.inner.empty() && call.args.size() >= 2 &&
                     call.args[0].kind == ThunderThing::Kind::sequence && call.args[0].items.size() == 2 &&
                     call.args[0].items[0].kind == ThunderThing::Kind::sequence &&
                     !call.args[0].items[1].items.empty();
  if (!known || draws(of)) return false;
  std::vector<PythonExpr> names;
  std::vector<ThunderThing> given;
  leaves(call.args[0].items[0], given);
  if (!leaves(s.target, names) || names.size() != given.size()) return false;
  // One result for each tensor argument, of the type of that tensor.
  ThunderStatement flat = s;
  flat.target.kind = PythonExpr::Kind::sequence;
  flat.target.items.clear();
  std::vector<Type> types;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto type = given[k].is_tensor() ? thunder_type_like(builder, given[k].id) : std::vector<Type>();
    if (type.empty() && names[k].text != "_") return false;
    if (type.empty()) continue;
    types.push_back(type[0]);
    flat.target.items.push_back(names[k]);
  }
  if (types.empty()) return false;
  Vjp own = call;
  own.statement = &flat;
  own.args = call.args[0].items[0].items;
  own.args.push_back(call.args[0].items[1]);
  own.args.back().kind = ThunderThing::Kind::sequence;
  std::vector<std::size_t> gradients;
  for (std::size_t k = 1; k < call.args.size(); ++k) {
    gradients.push_back(own.args.size());
    own.args.push_back(call.args[k]);
  }
  if (!may_show_gradient(of)) gradients.clear();
  return emit_thunder_function(
      builder, own, {.shared = gradients, .types = std::move(types), .layout = ThunderLayout::open});
}

}  // namespace noclobber
