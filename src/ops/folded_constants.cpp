#include "src/ops/folded_constants.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "src/graph/uses.h"
#include "src/ops/meaning.h"
#include "src/ops/schema.h"

namespace noclobber {
namespace {

/// True if the step returns the constant itself or a plain copy of it.
bool lifts(const Step& step) {
  return step.op->starts_with("aten.lift_fresh") && step.args.size() == 1 &&
         step.args[0].kind == Arg::Kind::ref && step.results.size() == 1;
}

/// True if the step neither writes an operand nor returns an alias of one.
bool only_reads(const Step& step) {
  return writes_nothing(step) && gives_fresh(meaning_of(base_name(step.op), *find_schema(step.op)));
}

/// The constants that may change before they are read, or that the caller may get an alias of. `shown` maps
/// the aliases of a constant to it.
std::set<ValueId> changing(const Graph& graph, const std::map<ValueId, ValueId>& shown) {
  std::set<ValueId> out;
  const auto see = [&](const std::vector<ValueId>& used) {
    for (const ValueId id : used)
      if (const auto of = shown.find(id); of != shown.end()) out.insert(of->second);
  };
  for (const Step& step : graph.steps)
    if (!lifts(step) && !only_reads(step)) see(uses_of(step));
  std::vector<ValueId> given;
  for (const Arg& output : graph.outputs) collect_uses(output, given);
  see(given);
  return out;
}

/// The constants that are only read and that are not known to hold several different numbers: maps each value
/// of `graph` that is one, or a copy of one, to the constant.
std::map<ValueId, ValueId> constant_copies(const Graph& graph) {
  std::map<ValueId, ValueId> out, shown;
  for (const Input& input : graph.inputs) {
    const bool is_told = input.contents.has_value();
    const bool is_one = is_told && std::ranges::all_of(*input.contents, [&](const Arg& number) {
                          return number == input.contents->front();
                        });
    if (input.kind == Input::Kind::constant &&
        (is_told ? is_one && !input.contents->empty() : input.digest.empty()))
      out.emplace(input.value, input.value);
  }
  if (out.empty()) return out;
  shown = out;
  for (const Step& step : graph.steps) {
    if (!lifts(step)) continue;
    const auto of = out.find(step.args[0].ref);
    if (of == out.end()) continue;
    const ValueId constant = of->second;
    if (!step.op->starts_with("aten.lift_fresh_copy") && shown.contains(step.args[0].ref))
      shown.emplace(step.results[0], constant);
    out.emplace(step.results[0], constant);
  }
  const std::set<ValueId> leave = changing(graph, shown);
  std::erase_if(out, [&](const auto& copy) { return leave.contains(copy.second); });
  return out;
}

/// The number as a tensor of that dtype holds it. Empty if it is not a number, is too large, or the dtype is
/// one whose rounding is not modelled here.
std::optional<double> held(const Arg& number, Dtype dtype) {
  const bool is_whole = number.kind == Arg::Kind::sym && number.sym.is_constant();
  const std::int64_t whole = is_whole ? number.sym.constant() : 0;
  if (whole > (1LL << 24) || whole < -(1LL << 24)) return std::nullopt;
  if (dtype == Dtype::i64 || dtype == Dtype::i32)
    return is_whole ? std::optional(static_cast<double>(whole)) : std::nullopt;
  if ((dtype != Dtype::f32 && dtype != Dtype::f64) || (!is_whole && number.kind != Arg::Kind::real))
    return std::nullopt;
  const double real = is_whole ? static_cast<double>(whole) : number.real;
  return dtype == Dtype::f64 ? real : static_cast<double>(static_cast<float>(real));
}

/// True if both numbers are known to fill a tensor of that dtype with the same bits.
bool same_fill(const Arg& one, const Arg& other, Dtype dtype) {
  const auto left = held(one, dtype), right = held(other, dtype);
  return left && right && *left == *right && std::signbit(*left) == std::signbit(*right);
}

/// The aten.full that defines the argument, of type `like`, with a number; nullptr if there is none.
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
      : before_(*value.before), after_(value.after), copies_(constant_copies(before_)) {
    for (std::size_t k = 0; k < (copies_.empty() ? 0 : after_.steps.size()); ++k)
      for (const ValueId result : after_.steps[k].results)
        if (result.valid()) makers_.emplace(after_.value(result).name, k);
  }

  std::vector<std::string> run() {
    if (copies_.empty()) return {};
    for (const Input& input : before_.inputs)
      if (input.contents && copies_.contains(input.value))
        told_.emplace(input.value, input.contents->front());
    for (const Step& step : before_.steps) take(step);
    if (before_.outputs.size() == after_.outputs.size())
      for (std::size_t k = 0; k < before_.outputs.size(); ++k) take(before_.outputs[k], after_.outputs[k]);
    std::vector<std::string> out;
    for (const auto& [constant, fill] : fills_)
      if (fill != nullptr) give(constant, *fill);
    for (const auto& [constant, fill] : fills_)
      if (fill != nullptr && !told_.contains(constant))
        out.push_back(before_.value(constant).name + " holds throughout what AFTER fills in for it");
    return out;
  }

 private:
  /// Compares with the call that has a result of the same name, argument by argument.
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
    const auto told = told_.find(of->second);
    if (fill == nullptr) return;
    if (told != told_.end() && !same_fill(told->second, fill->args[1], before_.value(of->second).type->dtype))
      return;
    const auto [at, is_first] = fills_.emplace(of->second, fill);
    if (!is_first && (at->second == nullptr || at->second->args != fill->args)) at->second = nullptr;
  }

  /// Replaces the copies of the constant by the fill.
  void give(ValueId constant, const Step& fill) {
    for (Step& step : before_.steps) {
      const auto of = step.results.size() == 1 ? copies_.find(step.results[0]) : copies_.end();
      if (of == copies_.end() || of->second != constant) continue;
      step.op = fill.op;
      step.args = fill.args;
      step.kwargs = fill.kwargs;
    }
  }

  Graph& before_;
  Graph& after_;
  std::map<ValueId, ValueId> copies_;
  std::map<ValueId, Arg> told_;  // the number that a constant is known to hold throughout
  std::unordered_map<std::string_view, std::size_t> makers_;  // steps of `after`, by names of their results
  std::map<ValueId, const Step*> fills_;                      // of `after`; nullptr: two calls disagree
};

}  // namespace

std::vector<std::string> assume_folded_constants(Case& value) {
  return value.before ? Folding(value).run() : std::vector<std::string>{};
}

}  // namespace noclobber
