// Quantize-dequantize pairs. An exported program has one around every operator that it quantises, even around
// those that only move elements; ExecuTorch moves the integers.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "src/graph/uses.h"
#include "src/lower/pte/case.h"
#include "src/ops/meaning.h"
#include "src/ops/overloads.h"

namespace noclobber {
namespace {

constexpr std::int64_t kLeastByte = -128, kMostByte = 127;
constexpr int kMostMoves = 64;  // length of a chain of moves

/// The scale and zero point of a quantize or dequantize step.
struct ByteScale {
  double scale = 0;
  std::int64_t zero = 0;
  bool operator==(const ByteScale&) const = default;
};

std::optional<ByteScale> byte_scale(const Step& step, std::string_view op) {
  const bool fits = step.op == op && step.args.size() == 6 && step.kwargs.empty() &&
                    step.results.size() == 1 && step.args[0].kind == Arg::Kind::ref &&
                    step.args[1].kind == Arg::Kind::real && step.args[2].kind == Arg::Kind::sym &&
                    step.args[2].sym.is_constant() && step.args[5] == Arg::of_dtype(Dtype::i8);
  if (!fits) return std::nullopt;
  return ByteScale{step.args[1].real, step.args[2].sym.constant()};
}

const Step* maker(const Graph& graph, const Arg& arg) {
  if (arg.kind != Arg::Kind::ref || !arg.ref.valid()) return nullptr;
  const Value& value = graph.value(arg.ref);
  return value.from == Value::From::step ? &graph.steps[value.at] : nullptr;
}

/// True if the step only moves elements, or pads with zeros.
bool moves(const Graph& graph, const Step& step, const Schema& schema) {
  const auto& type = step.results[0].valid() ? graph.value(step.results[0]).type : SharedType();
  if ((type && type->dtype != Dtype::f32) || schema.writes()) return false;
  const Meaning meaning = meaning_of(base_name(step.op), schema);
  if (meaning == Meaning::random_or_self) {
    const auto arguments = bind_arguments(schema, step);
    return arguments && !draws(base_name(step.op), schema, *arguments);
  }
  if (meaning == Meaning::moved) {
    const Arg* with = argument_given(step, schema, "value");
    return with == nullptr || *with == Arg::of(SymExpr(0)) ||
           (with->kind == Arg::Kind::real && with->real == 0);
  }
  return meaning == Meaning::view || meaning == Meaning::may_view || meaning == Meaning::view_copy ||
         meaning == Meaning::clone || meaning == Meaning::concatenate ||
         (type && meaning == Meaning::may_convert);
}

using IsKept = std::function<bool(ValueId)>;

bool are_bytes(const Graph& graph, const Arg& arg, const ByteScale& scale, const IsKept& kept, int depth) {
  const Step* step = maker(graph, arg);
  if (step == nullptr || depth > kMostMoves || !kept(arg.ref)) return false;
  if (const auto own = byte_scale(*step, "quantized_decomposed.dequantize_per_tensor.default"))
    return *own == scale;
  const Schema* schema = find_schema(step->op);
  if (schema == nullptr || !moves(graph, *step, *schema)) return false;
  bool all = true, any = false;
  for (const Arg& given : step->args)
    for (const Arg& item : items_of(given)) {
      if (item.kind != Arg::Kind::ref) continue;
      any = true;
      all = all && are_bytes(graph, item, scale, kept, depth + 1);
    }
  return all && any;
}

class Requantised {
 public:
  explicit Requantised(Graph& graph) : graph_(graph) {
    for (std::size_t k = 0; k < graph.values.size(); ++k) shown_.push_back(k);
    for (const Step& step : graph.steps) share(step);
    for (const Step& step : graph.steps) note_writes(step);
  }

  void forget() {
    std::map<std::uint32_t, ValueId> by;
    for (const Step& step : graph_.steps) {
      const auto scale = byte_scale(step, "quantized_decomposed.dequantize_per_tensor.default");
      const Step* made = scale ? maker(graph_, step.args[0]) : nullptr;
      const auto again =
          made ? byte_scale(*made, "quantized_decomposed.quantize_per_tensor.default") : std::nullopt;
      const bool whole = again && made->args[3] == Arg::of(SymExpr(kLeastByte)) &&
                         made->args[4] == Arg::of(SymExpr(kMostByte)) && step.results[0].valid();
      if (!whole || *again != *scale || !bytes_return(scale->scale, scale->zero)) continue;
      const auto kept = [&](ValueId value) { return stays(value); };
      if (!kept(step.results[0]) || !kept(made->results[0]) ||
          !are_bytes(graph_, made->args[0], *scale, kept, 0))
        continue;
      const ValueId numbers = made->args[0].ref;
      const auto known = by.find(numbers.index);
      by[step.results[0].index] = known == by.end() ? numbers : known->second;
    }
    replace_uses(graph_, by);
  }

 private:
  void share(const Step& step) {
    const Schema* schema = find_schema(step.op);
    if (schema == nullptr) return;
    const Meaning meaning = meaning_of(base_name(step.op), *schema);
    const bool maybe = meaning == Meaning::random_or_self || meaning == Meaning::may_view ||
                       meaning == Meaning::may_convert || meaning == Meaning::view;
    for (std::size_t r = 0; r < step.results.size(); ++r) {
      if (!step.results[r].valid()) continue;
      const bool aliases = r < schema->returns.size() && !schema->returns[r].alias.empty();
      for (const Arg& arg : step.args)
        if ((aliases || maybe) && arg.kind == Arg::Kind::ref) join(step.results[r].index, arg.ref.index);
    }
  }
  std::size_t root(std::size_t k) const {
    while (shown_[k] != k) k = shown_[k];
    return k;
  }
  void join(std::size_t a, std::size_t b) { shown_[root(a)] = root(b); }

  /// A step without a known schema may write its arguments.
  void note_writes(const Step& step) {
    const Schema* schema = find_schema(step.op);
    for (std::size_t k = 0; k < step.args.size() + step.kwargs.size(); ++k) {
      const Arg& arg = k < step.args.size() ? step.args[k] : step.kwargs[k - step.args.size()].second;
      const bool kept = schema != nullptr && !schema->writes();
      for (const Arg& item : items_of(arg))
        if (!kept && item.kind == Arg::Kind::ref) written_[root(item.ref.index)] = true;
    }
  }
  bool stays(ValueId value) const { return !written_.contains(root(value.index)); }

  Graph& graph_;
  std::vector<std::size_t> shown_;       // per value: its parent in the union-find of alias sets
  std::map<std::size_t, bool> written_;  // by root of an alias set
};

}  // namespace

bool stands_for_bytes(const Graph& graph, ValueId value, double scale, std::int64_t zero) {
  return are_bytes(
      graph, Arg::of(value), {scale, zero}, [](ValueId) { return true; }, 0);
}

bool bytes_return(double scale, std::int64_t zero) {
  if (!(scale > 0) || zero < kLeastByte || zero > kMostByte) return false;
  const auto by = static_cast<float>(scale), inverse = static_cast<float>(1.0 / scale);
  for (std::int64_t byte = kLeastByte; byte <= kMostByte; ++byte) {
    const float number = (static_cast<float>(byte) - static_cast<float>(zero)) * by;
    if (std::nearbyint(number * inverse) + static_cast<float>(zero) != static_cast<float>(byte)) return false;
  }
  return true;
}

void forget_requantised(Graph& functional, const PteMethod& program) {
  const auto is_call = [](const Step& step) {
    return step.op->starts_with("delegate.") || step.op->starts_with("executorch_delegate.");
  };
  if (std::ranges::any_of(functional.steps, is_call)) return;
  const auto has_bytes = [](const PteDelegate& delegate) {
    return delegate.xnnpack && std::ranges::any_of(delegate.xnnpack->values, [](const XnnValue& value) {
             return value.quantum.has_value();
           });
  };
  if (std::ranges::any_of(program.delegates, has_bytes)) Requantised(functional).forget();
}

}  // namespace noclobber
