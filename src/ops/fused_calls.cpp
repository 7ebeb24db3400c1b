#include "src/ops/fused_calls.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "src/graph/rewritten.h"
#include "src/graph/uses.h"
#include "src/ops/meaning.h"
#include "src/ops/schema.h"

namespace noclobber {
namespace {

constexpr std::string_view kPython = "python.";
constexpr std::string_view kLowering = "python.torch__inductor_fx_passes_";

bool is_lowering(const Step& step) {
  return step.op->starts_with(kLowering) && step.results.size() == 1 && step.results[0].valid();
}

/// True if the step computes one result from its operands and has no other effect.
bool only_computes(const Step& step) {
  const Schema* schema = find_schema(step.op);
  const auto is_aliased = [](const SchemaSlot& slot) { return slot.written; };
  return schema != nullptr && !schema->has(Tag::nondeterministic_seeded) && !schema->has(Tag::higher_order) &&
         std::ranges::none_of(schema->arguments, is_aliased) && step.results.size() == 1 &&
         step.results[0].valid();
}

/// Finds the value of `before` at the places where readers of a value of `after` use it. Empty if readers
/// disagree, or have no counterparts.
class Counterparts {
 public:
  Counterparts(const Graph& before, const Graph& after) : before_(before), after_(after) {
    for (std::size_t k = 0; k < before.steps.size(); ++k)
      for (const ValueId result : before.steps[k].results)
        if (result.valid()) makers_.emplace(before.value(result).name, k);
  }

  std::optional<ValueId> counterpart(ValueId wanted) {
    found_.reset();
    disagree_ = false;
    for (const Step& step : after_.steps) {
      const auto twin = step.results.empty() || !step.results[0].valid()
                            ? makers_.end()
                            : makers_.find(after_.value(step.results[0]).name);
      if (twin != makers_.end()) take_all(before_.steps[twin->second].args, step.args, wanted);
    }
    take_all(before_.outputs, after_.outputs, wanted);
    if (!found_ || disagree_) return std::nullopt;
    const Value &was = before_.value(*found_), &is = after_.value(wanted);
    const bool alike =
        was.type && is.type && was.type->dtype == is.type->dtype && was.type->shape == is.type->shape;
    return alike ? found_ : std::nullopt;
  }

 private:
  void take_all(const std::vector<Arg>& was, const std::vector<Arg>& is, ValueId wanted) {
    for (std::size_t k = 0; k < was.size() && was.size() == is.size(); ++k) take(was[k], is[k], wanted);
  }
  void take(const Arg& was, const Arg& is, ValueId wanted) {
    if (is.kind == Arg::Kind::list && was.kind == Arg::Kind::list) return take_all(was.list, is.list, wanted);
    if (is.kind != Arg::Kind::ref || is.ref != wanted) return;
    disagree_ = disagree_ || was.kind != Arg::Kind::ref || (found_ && *found_ != was.ref);
    if (was.kind == Arg::Kind::ref) found_ = was.ref;
  }

  const Graph& before_;
  const Graph& after_;
  std::unordered_map<std::string, std::size_t> makers_;
  std::optional<ValueId> found_;
  bool disagree_ = false;
};

/// The steps that compute `wanted` from the values named in `given`, in order; empty if they need other
/// values.
std::optional<std::vector<std::size_t>> steps_between(const Graph& graph, ValueId wanted,
                                                      const std::set<std::string>& given) {
  std::set<std::size_t> needed;
  std::vector<ValueId> open{wanted};
  while (!open.empty()) {
    const Value& value = graph.value(open.back());
    const bool is_wanted = open.back() == wanted;
    open.pop_back();
    if (!is_wanted && given.contains(value.name)) continue;
    if (value.from != Value::From::step || !only_computes(graph.steps[value.at])) return std::nullopt;
    if (needed.insert(value.at).second)
      for (const ValueId use : uses_of(graph.steps[value.at])) open.push_back(use);
  }
  return std::vector<std::size_t>(needed.begin(), needed.end());
}

class FusedWriter {
 public:
  explicit FusedWriter(Case& value) : before_(*value.before), after_(value.after) {}

  std::vector<std::string> run() {
    const Graph as_was = after_;
    Counterparts places(before_, as_was);
    GraphRewriter out(after_);
    std::map<std::string, std::set<std::string>> told;
    for (Step& step : out.take_old()) {
      const auto place = is_lowering(step) ? places.counterpart(step.results[0]) : std::nullopt;
      const auto between = place ? steps_between(before_, *place, given_to(as_was, step)) : std::nullopt;
      if (!between) {
        out.append(std::move(step));
        continue;
      }
      for (const std::size_t at : *between) told[step.op].insert(before_.steps[at].op);
      write(out, as_was, step, *place, *between);
    }
    return sentences(told);
  }

 private:
  static std::set<std::string> given_to(const Graph& graph, const Step& step) {
    std::set<std::string> out;
    for (const ValueId use : uses_of(step)) out.insert(graph.value(use).name);
    return out;
  }

  /// Writes the steps of `before` with the operands of `step`; the last one defines the result of `step`.
  void write(GraphRewriter& out, const Graph& as_was, const Step& step, ValueId place,
             const std::vector<std::size_t>& between) {
    std::map<ValueId, ValueId> known;
    std::unordered_map<std::string, ValueId> given;
    for (const ValueId use : uses_of(step)) given.emplace(as_was.value(use).name, use);
    for (const std::size_t at : between) {
      Step copy = before_.steps[at];
      const ValueId made = copy.results[0];
      for (Arg& arg : copy.args) rename(arg, known, given);
      for (auto& [key, arg] : copy.kwargs.items()) rename(arg, known, given);
      copy.line = step.line;
      if (made == place) {
        copy.results = step.results;
        out.append(std::move(copy));
      } else {
        const auto keywords = copy.kwargs;
        const SharedType& type = before_.value(made).type;
        const std::string op = copy.op;
        known.emplace(made, out.add(copy, op, copy.args, type ? *type : Type{}, before_.value(made).name));
        out.last().kwargs = keywords;
      }
    }
  }

  void rename(Arg& arg, const std::map<ValueId, ValueId>& known,
              const std::unordered_map<std::string, ValueId>& given) const {
    for (Arg& item : arg.list.items()) rename(item, known, given);
    if (arg.kind != Arg::Kind::ref || !arg.ref.valid()) return;
    const auto inner = known.find(arg.ref);
    arg.ref = inner != known.end() ? inner->second : given.at(before_.value(arg.ref).name);
  }

  static std::vector<std::string> sentences(const std::map<std::string, std::set<std::string>>& told) {
    std::vector<std::string> out;
    for (const auto& [op, means] : told) {
      std::string text(base_name(op).substr(kPython.size()));
      text += " computes";
      for (const std::string& inner : means) text += (text.ends_with("computes") ? " " : ", ") + inner;
      out.push_back(text + " of what it is given");
    }
    return out;
  }

  const Graph& before_;
  Graph& after_;
};

}  // namespace

std::vector<std::string> assume_fused_calls(Case& value) {
  if (!value.before || std::ranges::none_of(value.after.steps, is_lowering)) return {};
  return FusedWriter(value).run();
}

}  // namespace noclobber
