// The base of the rules that respell operators. Internal to the reader of exported programs.
#pragma once
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/lower/pte/case.h"

namespace noclobber {

using PteArgs = std::vector<Arg>;
using PteKeywords = std::vector<std::pair<std::string, Arg>>;
using PteSizes = std::vector<SymExpr>;

/// Rewrites the next step of a graph to another operator. The steps that it needs are appended before it.
class PteSpelling {
 public:
  PteSpelling(Graph& graph, Step& step, const Schema& schema) : graph_(graph), step_(step), schema_(schema) {}

 protected:
  static std::optional<std::int64_t> whole(const Arg& arg) {
    const bool known = arg.kind == Arg::Kind::sym && arg.sym.is_constant();
    return known ? std::optional(arg.sym.constant()) : std::nullopt;
  }
  static Arg number(std::int64_t value) { return Arg::of(SymExpr(value)); }
  static Arg sizes(const PteSizes& all) {
    PteArgs out;
    for (const SymExpr& size : all) out.push_back(Arg::of(size));
    return Arg::of(std::move(out));
  }

  Arg given(std::size_t k) const {
    if (k < step_.args.size()) return step_.args[k];
    for (const auto& [name, value] : step_.kwargs)
      if (name == schema_.arguments[k].name) return value;
    return schema_.arguments[k].fallback.value_or(Arg{});
  }

  const Type* type_of(std::size_t k) const { return type_of(given(k)); }
  const Type* type_of(const Arg& arg) const {
    if (arg.kind != Arg::Kind::ref || !arg.ref.valid()) return nullptr;
    const auto& type = graph_.value(arg.ref).type;
    return type ? &*type : nullptr;
  }

  /// Appends a step with one result before this one, and returns the result.
  Arg emit(const char* op, PteArgs args, PteKeywords kwargs = {}) {
    graph_.values.push_back({free_name(graph_, "respelled"),
                             Value::From::step,
                             static_cast<std::uint32_t>(graph_.steps.size()),
                             0,
                             {}});
    const ValueId id(graph_.values.size() - 1);
    Step& made = graph_.steps.emplace_back();
    made.op = op;
    made.args = std::move(args);
    made.kwargs = std::move(kwargs);
    made.results = {id};
    return Arg::of(id);
  }

  /// Appends a step with `results` results, and returns the first.
  Arg emit_first(const char* op, PteArgs args, std::size_t results) {
    const Arg first = emit(op, std::move(args));
    graph_.steps.back().results.resize(results);
    return first;
  }

  /// The dtype of the result, whose type must be known.
  Dtype dtype() const { return graph_.value(step_.results[0]).type->dtype; }
  /// A 0-d tensor of the number, in the dtype of the result.
  Arg scalar(const Arg& value) {
    return emit("aten.scalar_tensor.default", {value}, {{"dtype", Arg::of_dtype(dtype())}});
  }
  /// The dtype of a number as an operand. PyTorch computes f64 with all digits of the number; ExecuTorch does
  /// not.
  Dtype lifted_dtype(const Arg& value) const {
    if (value.kind != Arg::Kind::real) return Dtype::i64;
    return dtype() == Dtype::f64 && !holds_exactly(Dtype::f32, value.real) ? Dtype::f64 : Dtype::f32;
  }
  Arg lifted(Arg value) {
    const Dtype own = lifted_dtype(value);
    if (own == Dtype::f32) value.real = static_cast<double>(static_cast<float>(value.real));
    return emit("aten.full.default", {Arg::of(PteArgs{}), value}, {{"dtype", Arg::of_dtype(own)}});
  }
  /// A number as an operand, converted to the dtype of the result.
  Arg operand(const Arg& value) {
    const Arg made = lifted(value);
    return lifted_dtype(value) == dtype() ? made : converted(made, dtype());
  }
  Arg converted(const Arg& value, Dtype to) {
    return emit("aten._to_copy.default", {value}, {{"dtype", Arg::of_dtype(to)}});
  }

  /// Turns the step itself into `op`: its result is number `which` of `results`.
  void become(const char* op, PteArgs args, std::size_t results = 1, std::size_t which = 0) {
    step_.op = op;
    step_.args = std::move(args);
    step_.kwargs.clear();
    const ValueId own = step_.results[0];
    step_.results.assign(results, ValueId{});
    step_.results[which] = own;
    graph_.values[own.index].result = static_cast<std::uint32_t>(which);
  }

  Graph& graph_;
  Step& step_;
  const Schema& schema_;
};

/// The requirement of a rule on the result. `type`: its type is known. `wide`: it is f32 or f64, for which
/// PyTorch uses no wider intermediate dtype.
enum class PteAsked : std::uint8_t { nothing, type, wide };

template <class Rules>
struct PteSpellingRow {
  std::string_view op;
  void (Rules::*rule)();
  PteAsked of_result = PteAsked::nothing;
};

/// Runs the rule of the step's operator. False if it has none, or not the single result that the rule
/// requires.
template <class Rules>
bool respell_by(std::span<const PteSpellingRow<Rules>> rows, Graph& graph, Step& next) {
  const auto row = std::ranges::find(rows, *next.op, &PteSpellingRow<Rules>::op);
  const Schema* schema = row == rows.end() ? nullptr : find_schema(next.op);
  if (schema == nullptr || next.results.size() != 1 || !next.results[0].valid()) return false;
  const auto& type = graph.value(next.results[0]).type;
  if (row->of_result != PteAsked::nothing && !type) return false;
  if (row->of_result == PteAsked::wide && type->dtype != Dtype::f32 && type->dtype != Dtype::f64)
    return false;
  Rules rules(graph, next, *schema);
  (rules.*row->rule)();
  return true;
}

/// Respells an activation as several steps. False if the step is no such operator.
bool respell_activation(Graph& graph, Step& next);
bool is_respelled_activation(std::string_view op);

/// Respells an operator that moves or selects elements as several steps. False if the step is no such
/// operator.
bool rearrange(Graph& graph, Step& next);

/// Respells a loss or another function of a few steps. False if the step is no such operator.
bool respell_loss(Graph& graph, Step& next);

/// Respells an operator that indexes by computed positions, or a product that permutes another one. False if
/// the step is no such operator.
bool respell_places(Graph& graph, Step& next);

/// Respells linspace and affine grids. False if the step is no such operator.
bool respell_grid(Graph& graph, Step& next);

/// Respells cells of recurrent layers and einsum. False if the step is no such operator, or not a plain one.
bool respell_product(Graph& graph, Step& next);

/// Unrolls a recurrent layer to the steps of its trips. False if the step is none, or its sizes are not
/// known.
bool unroll(Graph& graph, Step& next);

}  // namespace noclobber
