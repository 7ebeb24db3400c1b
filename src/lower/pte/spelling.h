// What rules of other spellings are made of. Internal to the reader of exported programs.
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

/// The next step of a graph, which becomes another one; what it needs is appended before.
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

  /// A step before this one, of one result.
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

  /// The first result of a step of several.
  Arg emit_first(const char* op, PteArgs args, std::size_t results) {
    const Arg first = emit(op, std::move(args));
    graph_.steps.back().results.resize(results);
    return first;
  }

  /// Of the result, whose type is known.
  Dtype dtype() const { return graph_.value(step_.results[0]).type->dtype; }
  /// In the dtype of the result.
  Arg scalar(const Arg& value) {
    return emit("aten.scalar_tensor.default", {value}, {{"dtype", Arg::of_dtype(dtype())}});
  }
  /// The dtype of a number that is an operand. PyTorch computes doubles with all its digits, which ExecuTorch
  /// does not.
  Dtype lifted_dtype(const Arg& value) const {
    if (value.kind != Arg::Kind::real) return Dtype::i64;
    return dtype() == Dtype::f64 && !holds_exactly(Dtype::f32, value.real) ? Dtype::f64 : Dtype::f32;
  }
  Arg lifted(Arg value) {
    const Dtype own = lifted_dtype(value);
    if (own == Dtype::f32) value.real = static_cast<double>(static_cast<float>(value.real));
    return emit("aten.full.default", {Arg::of(PteArgs{}), value}, {{"dtype", Arg::of_dtype(own)}});
  }
  /// A number that is an operand, in the dtype of the result.
  Arg operand(const Arg& value) {
    const Arg made = lifted(value);
    return lifted_dtype(value) == dtype() ? made : converted(made, dtype());
  }
  Arg converted(const Arg& value, Dtype to) {
    return emit("aten._to_copy.default", {value}, {{"dtype", Arg::of_dtype(to)}});
  }

  /// The step itself: its result is number `which` of `results`.
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

/// What a rule asks of the result: that its type is known, or that it is a float of which PyTorch makes no
/// wider one on the way.
enum class PteAsked : std::uint8_t { nothing, type, wide };

template <class Rules>
struct PteSpellingRow {
  std::string_view op;
  void (Rules::*rule)();
  PteAsked of_result = PteAsked::nothing;
};

/// Runs the rule of the step's operator; false where it has none, or not the one result that is asked for.
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

/// Activations of several steps; false where the step is none.
bool respell_activation(Graph& graph, Step& next);
bool is_respelled_activation(std::string_view op);

/// What moves elements or chooses among them, in several steps; false where the step is none such.
bool rearrange(Graph& graph, Step& next);

/// Losses and other functions of a few steps; false where the step is none.
bool respell_loss(Graph& graph, Step& next);

/// What chooses elements by computed places, and products of others that are turned; false where the step is
/// none.
bool respell_places(Graph& graph, Step& next);

/// Numbers at equal distances, and grids of them; false where the step is none.
bool respell_grid(Graph& graph, Step& next);

/// Cells of recurrent layers and sums in Einstein's notation; false where the step is none, or not a plain
/// one.
bool respell_product(Graph& graph, Step& next);

/// A recurrent layer as the steps of its trips; false where it is none, or one of which sizes are not known.
bool unroll(Graph& graph, Step& next);

}  // namespace noclobber
