#include "src/graph/folded_constants.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

#include "src/graph/uses.h"

namespace noclobber {
namespace {

/// The constants of which nobody says what they hold, each with what merely copies it: the values of `graph`
/// that are such a constant, by id.
std::map<ValueId, ValueId> silent_copies(const Graph& graph) {
  std::map<ValueId, ValueId> out;
  for (const Input& input : graph.inputs)
    if (input.kind == Input::Kind::constant && !input.contents && input.digest.empty())
      out.emplace(input.value, input.value);
  for (const Step& step : graph.steps) {
    const bool copies = step.op.starts_with("aten.lift_fresh") && step.args.size() == 1 &&
                        step.args[0].kind == Arg::Kind::ref && step.results.size() == 1;
    const auto of = copies ? out.find(step.args[0].ref) : out.end();
    if (of != out.end()) out.emplace(step.results[0], of->second);
  }
  return out;
}

/// The call that fills the tensor, of that type, with a number; nullptr: nothing of the kind.
const Step* filled_by(const Graph& graph, const Arg& arg, const Type& like) {
  if (arg.kind != Arg::Kind::ref || !arg.ref.valid()) return nullptr;
  const Value& value = graph.value(arg.ref);
  if (value.from != Value::From::step || !value.type) return nullptr;
  const Step& step = graph.steps[value.at];
  if (step.op != "aten.full.default" || step.args.size() != 2) return nullptr;
  if (value.type->dtype != like.dtype || value.type->shape != like.shape) return nullptr;
  const Arg& number = step.args[1];
  const bool is_number = number.kind == Arg::Kind::real || number.kind == Arg::Kind::boolean ||
                         (number.kind == Arg::Kind::sym && number.sym.is_constant());
  return is_number ? &step : nullptr;
}

class Folding {
 public:
  explicit Folding(Case& value)
      : before_(*value.before), after_(value.after), copies_(silent_copies(before_)) {
    for (std::size_t k = 0; k < after_.steps.size(); ++k)
      for (const ValueId result : after_.steps[k].results)
        if (result.valid()) makers_.emplace(after_.value(result).name, k);
  }

  std::vector<std::string> run() {
    if (copies_.empty()) return {};
    for (const Step& step : before_.steps) take(step);
    if (before_.outputs.size() == after_.outputs.size())
      for (std::size_t k = 0; k < before_.outputs.size(); ++k) take(before_.outputs[k], after_.outputs[k]);
    std::vector<std::string> out;
    for (const auto& [constant, fill] : fills_)
      if (fill != nullptr) out.push_back(give(constant, *fill));
    return out;
  }

 private:
  /// What the call of the same result's name is given at the same places.
  void take(const Step& step) {
    const bool copies = step.results.size() == 1 && copies_.contains(step.results[0]);
    const auto named = std::ranges::find_if(step.results, [](ValueId id) { return id.valid(); });
    if (copies || named == step.results.end()) return;
    const auto twin = makers_.find(before_.value(*named).name);
    if (twin == makers_.end()) return;
    const Step& other = after_.steps[twin->second];
    if (other.op != step.op || other.args.size() != step.args.size()) return;
    for (std::size_t k = 0; k < step.args.size(); ++k) take(step.args[k], other.args[k]);
  }

  void take(const Arg& was, const Arg& is) {
    if (was.kind == Arg::Kind::list && is.kind == Arg::Kind::list && was.list.size() == is.list.size())
      for (std::size_t k = 0; k < was.list.size(); ++k) take(was.list[k], is.list[k]);
    const auto of = was.kind == Arg::Kind::ref ? copies_.find(was.ref) : copies_.end();
    if (of == copies_.end() || !before_.value(of->second).type) return;
    const Step* fill = filled_by(after_, is, *before_.value(of->second).type);
    if (fill == nullptr) return;
    const auto [at, is_first] = fills_.emplace(of->second, fill);
    if (!is_first && (at->second == nullptr || at->second->args != fill->args)) at->second = nullptr;
  }

  /// What copies the constant fills in the number instead.
  std::string give(ValueId constant, const Step& fill) {
    for (Step& step : before_.steps) {
      const auto of = step.results.size() == 1 ? copies_.find(step.results[0]) : copies_.end();
      if (of == copies_.end() || of->second != constant) continue;
      step.op = fill.op;
      step.args = fill.args;
      step.kwargs = fill.kwargs;
    }
    return before_.value(constant).name + " holds throughout what AFTER fills in for it";
  }

  Graph& before_;
  Graph& after_;
  std::map<ValueId, ValueId> copies_;
  std::unordered_map<std::string_view, std::size_t> makers_;  // steps of `after`, by names of their results
  std::map<ValueId, const Step*> fills_;                      // of `after`; nullptr: two calls disagree
};

}  // namespace

std::vector<std::string> assume_folded_constants(Case& value) {
  return value.before ? Folding(value).run() : std::vector<std::string>{};
}

}  // namespace noclobber
