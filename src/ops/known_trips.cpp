#include "src/ops/known_trips.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "src/graph/bodies.h"
#include "src/graph/uses.h"
#include "src/ops/meaning.h"

namespace noclobber {
namespace {

using NumbersGiven = std::map<std::uint32_t, std::int64_t>;  // inputs of a graph, by ValueId

constexpr int kDeepestSum = 64;
constexpr std::int64_t kLargestCounter = (std::int64_t{1} << 31) - 1;

/// True if no step other than `but` that uses the value may write it or return an alias of it.
bool stays_as_it_is(const OpSet& ops, const Graph& graph, ValueId id, const Step* but) {
  return std::ranges::all_of(graph.steps, [&](const Step& step) {
    const std::vector<ValueId> used = uses_of(step);
    if (&step == but || std::ranges::find(used, id) == used.end()) return true;
    const Schema* schema = ops.find(step.op);
    return schema != nullptr && schema->ns == "aten" && !schema->writes() && !has_bodies(step) &&
           std::ranges::all_of(schema->returns, [](const SchemaSlot& slot) { return slot.alias.empty(); });
  });
}

bool is_whole_number(const Graph& graph, ValueId id, bool truth) {
  const SharedType& type = graph.value(id).type;
  if (!type) return true;  // arithmetic on whole numbers gives a whole number
  return type->shape.empty() &&
         (type->dtype == Dtype::i64 || type->dtype == Dtype::i32 || (truth && type->dtype == Dtype::boolean));
}

/// `aten.lt.Scalar` -> "lt"
std::string_view name_in_aten(const Step& step) {
  std::string_view op = step.op;
  if (!op.starts_with("aten.")) return {};
  op.remove_prefix(5);
  return op.substr(0, op.find('.'));
}

std::optional<std::int64_t> counted_by(std::string_view op, std::int64_t a, std::int64_t b) {
  if (op == "add") return a + b;
  if (op == "sub") return a - b;
  if (op == "mul") return a * b;
  if (op == "lt") return a < b;
  if (op == "le") return a <= b;
  if (op == "gt") return a > b;
  if (op == "ge") return a >= b;
  if (op == "ne") return a != b;
  if (op == "eq") return a == b;
  return std::nullopt;
}

bool compares(std::string_view op) { return op.size() == 2; }

/// Evaluates whole numbers of one graph, given those of its inputs.
class CountedNumbers {
 public:
  CountedNumbers(const OpSet& ops, const Graph& graph, const NumbersGiven& given, const Step* but = nullptr)
      : ops_(ops), graph_(graph), given_(given), but_(but) {}

  /// If `truth`, a boolean counts as 0 or 1.
  std::optional<std::int64_t> of(const Arg& arg, bool truth, int depth = 0) const {
    if (arg.kind == Arg::Kind::sym && arg.sym.is_constant()) return arg.sym.constant();
    if (arg.kind != Arg::Kind::ref || !arg.ref.valid() || depth > kDeepestSum) return std::nullopt;
    if (!is_whole_number(graph_, arg.ref, truth) || !stays_as_it_is(ops_, graph_, arg.ref, but_))
      return std::nullopt;
    const Value& value = graph_.value(arg.ref);
    if (value.from == Value::From::input) {
      const auto at = given_.find(arg.ref.index);
      return at == given_.end() ? std::nullopt : std::optional(at->second);
    }
    return made_by(graph_.steps[value.at], truth, depth);
  }

 private:
  std::optional<std::int64_t> made_by(const Step& step, bool truth, int depth) const {
    const std::string_view op = name_in_aten(step);
    if (step.results.size() != 1) return std::nullopt;
    if (op == "zeros" || op == "ones" || op == "full" || op == "scalar_tensor") return made(step, op);
    if (op == "clone" && step.args.size() == 1) return of(step.args[0], truth, depth + 1);
    if (step.args.size() != 2 || !step.kwargs.empty() || (compares(op) && !truth)) return std::nullopt;
    const auto a = of(step.args[0], false, depth + 1), b = of(step.args[1], false, depth + 1);
    if (!a || !b || std::max(std::abs(*a), std::abs(*b)) > kLargestCounter) return std::nullopt;
    return counted_by(op, *a, *b);
  }

  /// The value of a factory call of rank 0, whose dtype must be stated as i64 or i32.
  std::optional<std::int64_t> made(const Step& step, std::string_view op) const {
    const bool sized = op != "scalar_tensor";
    const bool no_sizes =
        sized && !step.args.empty() && step.args[0].kind == Arg::Kind::list && step.args[0].list.empty();
    const auto dtype = std::ranges::find(step.kwargs, "dtype", [](const auto& k) { return k.first; });
    const bool whole = dtype != step.kwargs.end() &&
                       (dtype->second.dtype == Dtype::i64 || dtype->second.dtype == Dtype::i32);
    const SharedType& type = graph_.value(step.results[0]).type;
    if ((sized && !no_sizes) || (!whole && !(type && is_whole_number(graph_, step.results[0], false))))
      return std::nullopt;
    if (op == "zeros") return 0;
    if (op == "ones") return 1;
    const std::size_t at = sized ? 1 : 0;
    const bool said =
        step.args.size() == at + 1 && step.args[at].kind == Arg::Kind::sym && step.args[at].sym.is_constant();
    return said ? std::optional(step.args[at].sym.constant()) : std::nullopt;
  }

  const OpSet& ops_;
  const Graph& graph_;
  const NumbersGiven& given_;
  const Step* but_;
};

/// The inputs that hold one known whole number and may not be written.
NumbersGiven constants_of(const Graph& graph) {
  NumbersGiven out;
  for (const Input& input : graph.inputs) {
    const bool held = input.contents && input.contents->size() == 1 && input.storage.empty() &&
                      !input.may_write.value_or(false);
    if (held && input.contents->front().kind == Arg::Kind::sym && input.contents->front().sym.is_constant())
      out[input.value.index] = input.contents->front().sym.constant();
  }
  return out;
}

/// True if result k of the body is returned once only, and is made by a step or is input k itself.
bool hands_on_alone(const Graph& body, std::size_t k) {
  std::vector<ValueId> returned;
  for (const Arg& output : body.outputs) collect_uses(output, returned);
  const Arg& made = body.outputs[k];
  return made.kind == Arg::Kind::ref && std::ranges::count(returned, made.ref) == 1 &&
         (body.value(made.ref).from == Value::From::step || made.ref == body.inputs[k].value);
}

/// True if the condition has no effect: it only computes.
bool only_asks(const OpSet& ops, const Graph& condition) {
  return std::ranges::all_of(condition.steps, [&](const Step& step) {
    const Schema* schema = ops.find(step.op);
    const std::string_view op = base_name(step.op);
    return schema != nullptr && schema->ns == "aten" && !schema->writes() && !has_bodies(step) &&
           !is_impure(op, *schema) && !is_random(op, *schema);
  });
}

std::size_t times_given(const Step& step, ValueId id) {
  const std::vector<ValueId> used = uses_of(step);
  return static_cast<std::size_t>(std::ranges::count(used, id));
}

}  // namespace

std::optional<std::int64_t> known_trips(const Case& value, const OpSet& ops, const Graph& graph,
                                        const Step& step, std::int64_t most) {
  if (step.args.size() < 3 || step.args[0].kind != Arg::Kind::graph || step.args[1].kind != Arg::Kind::graph)
    return std::nullopt;
  const Graph *condition = find_body(value, graph, step.args[0].text),
              *body = find_body(value, graph, step.args[1].text);
  if (condition == nullptr || body == nullptr || condition->outputs.size() != 1 ||
      !only_asks(ops, *condition))
    return std::nullopt;
  std::vector<Arg> operands = step.args[2].list;
  const std::size_t carried = operands.size();
  if (step.args.size() > 3)
    operands.insert(operands.end(), step.args[3].list.begin(), step.args[3].list.end());
  if (condition->inputs.size() != operands.size() || body->inputs.size() != operands.size() ||
      body->outputs.size() != carried)
    return std::nullopt;
  const NumbersGiven outside = constants_of(graph);
  std::map<std::size_t, std::int64_t> now;  // by operand
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (operands[k].kind == Arg::Kind::ref && times_given(step, operands[k].ref) != 1) continue;
    if (const auto known = CountedNumbers(ops, graph, outside, &step).of(operands[k], false)) now[k] = *known;
  }
  for (std::int64_t trips = 0; trips <= most; ++trips) {
    NumbersGiven before, inside;
    for (const auto& [k, number] : now) {
      before[condition->inputs[k].value.index] = number;
      inside[body->inputs[k].value.index] = number;
    }
    const auto again = CountedNumbers(ops, *condition, before).of(condition->outputs[0], true);
    if (!again) return std::nullopt;
    if (*again == 0) return trips;
    std::map<std::size_t, std::int64_t> next;
    for (const auto& [k, number] : now) {
      if (k < carried) {
        if (!hands_on_alone(*body, k)) continue;
        if (const auto made = CountedNumbers(ops, *body, inside).of(body->outputs[k], false)) next[k] = *made;
      } else if (stays_as_it_is(ops, *body, body->inputs[k].value, nullptr)) {
        next[k] = number;
      }
    }
    now = std::move(next);
  }
  return std::nullopt;
}

}  // namespace noclobber
