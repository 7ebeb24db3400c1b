// Rewrites a program saved by torch.export to a functional program, as ExecuTorch does with every program
// before any storage is shared.
//
//   written inputs  are marked; the final contents of a user input are returned, before all other results
//   bodies          get unique names, wherever they were nested
//   numbers         in place of a tensor become constants, one for each number, and operands of bodies
//   promotion       of the operands of arithmetic becomes a conversion of its own
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "src/graph/uses.h"
#include "src/lower/pte/case.h"
#include "src/ops/overloads.h"

namespace noclobber {
namespace {

constexpr const char* kRoundedToHalf = "executorch.number_that_half_precision_rounds";

using Bodies = std::map<std::string, Graph>;

/// Moves nested bodies of the graph to `bodies`, and renames those whose name is taken.
void flatten(Graph& graph, Bodies& bodies) {
  std::map<std::string, Graph> own = std::exchange(graph.bodies, {});
  std::map<std::string, std::string> renamed;
  for (auto& [name, body] : own) {
    std::string free = name;
    for (int k = 1; bodies.contains(free); ++k) free = name + "_" + std::to_string(k);
    renamed[name] = body.name = free;
    bodies[free];  // reserves the name, also against bodies nested in it
    flatten(body, bodies);
    bodies[free] = std::move(body);
  }
  for (Step& step : graph.steps)
    for (Arg& arg : step.args)
      if (const auto at = renamed.find(arg.text); arg.kind == Arg::Kind::graph && at != renamed.end())
        arg.text = at->second;
}

/// Per value: the value whose storage it aliases, according to schemas.
std::vector<ValueId> shown(const Graph& graph) {
  std::vector<ValueId> out;
  for (std::size_t k = 0; k < graph.values.size(); ++k) out.emplace_back(k);
  for (const Step& step : graph.steps) {
    const Schema* schema = find_schema(step.op);
    for (std::size_t r = 0; schema && r < step.results.size() && r < schema->returns.size(); ++r)
      for (std::size_t k = 0; k < schema->arguments.size(); ++k) {
        const Arg* given = argument_given(step, *schema, schema->arguments[k].name);
        const bool shares = given != nullptr && !schema->returns[r].alias.empty() &&
                            schema->returns[r].alias == schema->arguments[k].alias &&
                            given->kind == Arg::Kind::ref && step.results[r].valid();
        if (shares) out[step.results[r].index] = out[given->ref.index];
      }
  }
  return out;
}

void mark_written(Graph& graph) {
  const std::vector<ValueId> roots = shown(graph);
  for (Input& input : graph.inputs) input.may_write = false;
  const auto mark = [&](ValueId id) {
    const Value& value = graph.value(roots[id.index]);
    if (value.from == Value::From::input) graph.inputs[value.at].may_write = true;
  };
  for (const auto& [id, arg] : graph.finals) mark(id);
  for (const Step& step : graph.steps) {
    const Schema* schema = find_schema(step.op);
    for (std::size_t k = 0; schema && k < schema->arguments.size(); ++k) {
      const Arg* given =
          schema->arguments[k].written ? argument_given(step, *schema, schema->arguments[k].name) : nullptr;
      std::vector<ValueId> written;
      if (given != nullptr) collect_uses(*given, written);
      std::ranges::for_each(written, mark);
    }
  }
}

/// Adds the final contents of written user inputs as the first results of the graph, and returns these
/// inputs.
std::vector<ValueId> return_written(Graph& graph) {
  std::vector<Arg> first;
  std::vector<ValueId> written;
  for (const Input& input : graph.inputs) {
    if (input.kind != Input::Kind::user || !input.may_write.value_or(false)) continue;
    const auto is_own = [&](const auto& entry) { return entry.first == input.value; };
    const auto at = std::ranges::find_if(graph.finals, is_own);
    first.push_back(at == graph.finals.end() ? Arg::of(input.value) : at->second);
    written.push_back(input.value);
    if (at != graph.finals.end()) graph.finals.erase(at);
  }
  graph.outputs.insert(graph.outputs.begin(), first.begin(), first.end());
  return written;
}

/// Appends a step `op` with these arguments, and returns its result.
Arg appended(Graph& graph, const std::string& name, const char* op, std::vector<Arg> args, ValueId like) {
  graph.values.push_back(
      {name, Value::From::step, static_cast<std::uint32_t>(graph.steps.size()), 0, graph.value(like).type});
  Step& step = graph.steps.emplace_back();
  step.op = op;
  step.args = std::move(args);
  step.results = {ValueId(graph.values.size() - 1)};
  return Arg::of(step.results[0]);
}

/// Stores the first results into these inputs, all at once, and returns the written inputs in their place.
void write_back(Graph& graph, const std::vector<ValueId>& written) {
  for (std::size_t k = 0; k < written.size(); ++k) {
    const Arg& result = graph.outputs[k];
    const bool moves = result.kind == Arg::Kind::ref && result.ref != written[k];
    if (moves && graph.value(result.ref).from == Value::From::input)
      graph.outputs[k] = appended(graph, graph.value(result.ref).name + "__old" + std::to_string(k),
                                  "aten.clone.default", {result}, result.ref);
  }
  for (std::size_t k = 0; k < written.size(); ++k) {
    Arg& result = graph.outputs[k];
    if (result.kind == Arg::Kind::ref && result.ref != written[k])
      result = appended(graph, graph.value(written[k]).name + "__written", "aten.copy_.default",
                        {Arg::of(written[k]), result}, written[k]);
  }
}

/// True if the tensor is known to have one element.
bool is_one(const Graph& graph, const Arg& arg) {
  if (arg.kind != Arg::Kind::ref || !arg.ref.valid() || !graph.value(arg.ref).type) return false;
  return std::ranges::all_of(graph.value(arg.ref).type->shape,
                             [](const SymExpr& size) { return size == SymExpr(1); });
}

/// Unifies operators with two spellings: the sum of all elements, and a number that is read out of a tensor.
void one_spelling(Graph& graph) {
  for (Step& step : graph.steps) {
    if (step.op == "aten.item.default" && step.args.size() == 1 && is_one(graph, step.args[0]))
      step.op = "aten._local_scalar_dense.default";
    if (step.op != "aten.sum.default" || step.args.size() != 1) continue;
    step.op = "aten.sum.dim_IntList";
    step.args.push_back(Arg::of(std::vector<Arg>{}));
  }
}

using Symbols = std::map<std::string, SymbolRange>;

/// True if `said`, such as "le(0, u0)" or "lt(u0, 8)", follows from the range of its symbol.
bool is_in_range(const SymExpr& said, const Symbols& symbols) {
  if (said.is_constant() || said.nodes().size() != 3) return false;
  const SymExpr::Node &left = said.nodes()[0], &right = said.nodes()[1], &relation = said.nodes()[2];
  const bool strict = relation.text == "lt";
  if (relation.op != SymExpr::Op::opaque || relation.number != 2 || (!strict && relation.text != "le"))
    return false;
  const bool below = left.op == SymExpr::Op::symbol && right.op == SymExpr::Op::constant;
  const bool above = left.op == SymExpr::Op::constant && right.op == SymExpr::Op::symbol;
  const auto at = below || above ? symbols.find(below ? left.text : right.text) : symbols.end();
  if (at == symbols.end() || !at->second.told) return false;
  const SymbolRange& range = at->second;
  if (below) return range.max && (strict ? *range.max < right.number : *range.max <= right.number);
  return strict ? range.min > left.number : range.min >= left.number;
}

/// Drops assertions that the range of a symbol implies, as ExecuTorch does.
void forget_ranges(Graph& graph, const Symbols& symbols) {
  const auto says_range = [&](const Step& step) {
    return step.op == "aten._assert_scalar.default" && step.results.empty() && !step.args.empty() &&
           step.args[0].kind == Arg::Kind::sym && is_in_range(step.args[0].sym, symbols);
  };
  std::vector<Step> kept;
  for (Step& step : graph.steps) {
    if (says_range(step)) continue;
    for (const ValueId id : step.results)
      if (id.valid()) graph.values[id.index].at = static_cast<std::uint32_t>(kept.size());
    kept.push_back(std::move(step));
  }
  graph.steps = std::move(kept);
}

/// The dtype of the tensor that a number becomes. Empty if it is no known number.
std::optional<Dtype> dtype_of_number(const Arg& arg) {
  if (arg.kind == Arg::Kind::real) return Dtype::f32;
  if (arg.kind == Arg::Kind::boolean) return Dtype::boolean;
  if (arg.kind == Arg::Kind::sym && arg.sym.is_constant()) return Dtype::i64;
  return std::nullopt;
}

/// True if a tensor of that dtype holds the number exactly.
bool keeps(Dtype dtype, const Arg& number) {
  if (number.kind == Arg::Kind::real) return holds_exactly(dtype, number.real);
  const bool whole = number.kind == Arg::Kind::sym && number.sym.is_constant();
  const bool half = dtype == Dtype::f16 || dtype == Dtype::bf16;
  return !whole || !half || holds_exactly(dtype, static_cast<double>(number.sym.constant()));
}

/// True if the number is above the largest or below the smallest normal number of a half-precision dtype.
bool leaves_half(const Arg& number, Dtype dtype) {
  double value = 0;
  if (number.kind == Arg::Kind::real) value = std::abs(number.real);
  if (number.kind == Arg::Kind::sym && number.sym.is_constant())
    value = std::abs(static_cast<double>(number.sym.constant()));
  if (dtype == Dtype::f16) return value != 0 && (value > 65504 || value < 0x1p-14);
  return dtype == Dtype::bf16 && value != 0 && (value > 0x1.fep127 || value < 0x1p-126);
}

/// True if the step computes in f64 or c128, which have more digits than a number lifted to f32.
bool is_double(const Graph& graph, const Step& step) {
  const auto is_one = [&](ValueId id) {
    const SharedType type = id.valid() ? graph.value(id).type : SharedType();
    return type && (type->dtype == Dtype::f64 || type->dtype == Dtype::c128);
  };
  return std::ranges::any_of(step.results, is_one) || std::ranges::any_of(uses_of(step), is_one);
}

Type scalar_type(Dtype dtype) {
  Type out;
  out.dtype = dtype;
  return out;
}

/// Rewrites the steps of a graph; each new step is put before the step that needs it.
class Lowering {
 public:
  Lowering(Graph& graph, Bodies& bodies) : graph_(graph), bodies_(bodies) {}

  void run() {
    std::vector<Arg> numbers;
    for (Step& step : graph_.steps) gather(step, numbers);
    for (const Arg& number : numbers) constant(number);
    rewrite(graph_, [&](const Arg& number) { return constant(number); });
  }

 private:
  using Constant = std::function<ValueId(const Arg&)>;

  static ValueId add(Graph& graph, const std::string& name, Value::From from, std::size_t at, Dtype dtype,
                     std::vector<SymExpr> shape = {}) {
    std::string free = free_name(graph, name);
    Type type = scalar_type(dtype);
    type.shape = std::move(shape);
    graph.values.push_back({std::move(free), from, static_cast<std::uint32_t>(at), 0, std::move(type)});
    return ValueId(graph.values.size() - 1);
  }

  static bool lifted(const Schema& schema, std::size_t k, const Arg& arg) {
    return k < schema.arguments.size() && schema.arguments[k].type == SchemaSlot::Type::tensor &&
           dtype_of_number(arg).has_value();
  }

  /// The bodies that the step runs. Their constants join the list that is its last argument.
  std::vector<Graph*> arms(const Step& step) {
    std::vector<Graph*> out;
    if (step.args.empty() || step.args.back().kind != Arg::Kind::list) return out;
    for (const Arg& arg : step.args)
      if (const auto at = bodies_.find(arg.text); arg.kind == Arg::Kind::graph && at != bodies_.end())
        out.push_back(&at->second);
    return out;
  }

  /// Collects the numbers of a step, and of the bodies it runs, in execution order.
  void gather(Step& step, std::vector<Arg>& numbers) {
    if (const Schema* schema = find_schema(step.op)) {
      for (std::size_t k = 0; k < step.args.size(); ++k)
        if (lifted(*schema, k, step.args[k]) && std::ranges::find(numbers, step.args[k]) == numbers.end())
          numbers.push_back(step.args[k]);
    }
    for (Graph* arm : arms(step)) {
      std::vector<Arg> inside;
      for (Step& inner : arm->steps) gather(inner, inside);
      for (const Arg& number : inside)
        if (std::ranges::find(numbers, number) == numbers.end()) numbers.push_back(number);
    }
  }

  ValueId constant(const Arg& number) {
    for (const auto& [known, id] : constants_)
      if (known == number) return id;
    const Dtype dtype = *dtype_of_number(number);
    const ValueId id = add(graph_, "number", Value::From::step, made_.size(), dtype);
    Step& step = made_.emplace_back();
    step.op = "aten.full.default";
    step.args = {Arg::of(std::vector<Arg>{}), number};
    if (dtype == Dtype::f32) step.args[1].real = static_cast<double>(static_cast<float>(number.real));
    step.kwargs = {{"dtype", Arg::of_dtype(dtype)}};
    step.results = {id};
    constants_.emplace_back(number, id);
    return id;
  }

  /// The number in f64, as PyTorch computes with it; ExecuTorch rounds it.
  static ValueId exact(Graph& graph, const Arg& number) {
    const ValueId id = add(graph, "number", Value::From::step, graph.steps.size(), Dtype::f64);
    Step& step = graph.steps.emplace_back();
    step.op = "aten.full.default";
    step.args = {Arg::of(std::vector<Arg>{}), number};
    step.kwargs = {{"dtype", Arg::of_dtype(Dtype::f64)}};
    step.results = {id};
    return id;
  }

  /// Replaces numbers in the steps of `graph` by constants; `constant` gives the one of a number.
  void rewrite(Graph& graph, const Constant& constant) {
    std::vector<Step> old = std::exchange(graph.steps, {});
    if (&graph == &graph_) graph.steps = std::exchange(made_, {});
    for (Step& step : old) {
      if (const Schema* schema = find_schema(step.op)) {
        const std::vector<Arg> said = step.args;
        for (std::size_t k = 0; k < step.args.size(); ++k)
          if (lifted(*schema, k, said[k])) step.args[k] = Arg::of(constant(said[k]));
        const bool doubles = is_double(graph, step);
        for (std::size_t k = 0; doubles && k < step.args.size(); ++k)
          if (lifted(*schema, k, said[k]) && !keeps(Dtype::f32, said[k]))
            step.args[k] = Arg::of(exact(graph, said[k]));
        promote(graph, step, said);
        respell(graph, step);
        decompose(graph, step);
      }
      for (Graph* arm : arms(step)) enter(*arm, step, constant);
      for (const ValueId id : step.results)
        if (id.valid()) graph.values[id.index].at = static_cast<std::uint32_t>(graph.steps.size());
      graph.steps.push_back(std::move(step));
    }
  }

  /// Makes constants of a body operands of the step that runs it; the other body takes them as well.
  void enter(Graph& arm, Step& step, const Constant& outer) {
    std::vector<std::pair<Arg, ValueId>> inside;
    rewrite(arm, [&](const Arg& number) {
      for (const auto& [known, id] : inside)
        if (known == number) return id;
      const Dtype dtype = *dtype_of_number(number);
      step.args.back().list.edit().push_back(Arg::of(outer(number)));
      ValueId own;
      for (Graph* each : arms(step)) {
        const ValueId id = add(*each, "number", Value::From::input, each->inputs.size(), dtype);
        each->inputs.emplace_back().value = id;
        if (each == &arm) own = id;
      }
      inside.emplace_back(number, own);
      return own;
    });
  }

  /// Converts the operands of arithmetic to the dtype of the result. `said`: the arguments before numbers
  /// became constants. A number outside the normal range of half precision is not converted, since PyTorch
  /// computes with more precision. If half precision only rounds it, an unknown operator makes no claim about
  /// the result.
  static void promote(Graph& graph, Step& step, const std::vector<Arg>& said) {
    static constexpr std::array kPromoted = {"aten.add.Tensor",      "aten.mul.Tensor",
                                             "aten.sub.Tensor",      "aten.div.Tensor",
                                             "aten.div.Tensor_mode", "aten.minimum.default"};
    if (std::ranges::find(kPromoted, functional_op(step.op)) == kPromoted.end() || step.results.size() != 1 ||
        !step.results[0].valid() || !graph.value(step.results[0]).type)
      return;
    const Dtype wanted = graph.value(step.results[0]).type->dtype;
    for (std::size_t k = 0; k < step.args.size(); ++k) {
      Arg& arg = step.args[k];
      if (arg.kind != Arg::Kind::ref || !graph.value(arg.ref).type) continue;
      const Type given = *graph.value(arg.ref).type;
      if (given.dtype == wanted || leaves_half(said[k], wanted)) continue;
      const ValueId id = add(graph, "promoted", Value::From::step, graph.steps.size(), wanted, given.shape);
      Step& copy = graph.steps.emplace_back();
      const bool half = wanted == Dtype::f16 || wanted == Dtype::bf16;
      copy.op = half && !keeps(wanted, said[k]) ? kRoundedToHalf : "aten._to_copy.default";
      copy.args = {arg};
      copy.kwargs = {{"dtype", Arg::of_dtype(wanted)}};
      copy.results = {id};
      arg = Arg::of(id);
    }
  }

  Graph& graph_;
  Bodies& bodies_;
  std::vector<Step> made_;  // constants, before all other steps
  std::vector<std::pair<Arg, ValueId>> constants_;
};

}  // namespace

std::string free_name(const Graph& graph, const std::string& wanted) {
  if (!graph.find(wanted).valid()) return wanted;
  std::size_t number = graph.values.size();  // nearly all smaller numbers are taken
  while (graph.find(wanted + "_" + std::to_string(number)).valid()) ++number;
  return wanted + "_" + std::to_string(number);
}

void as_executorch_lowers(Graph& exported, Bodies& bodies, const Symbols& symbols) {
  flatten(exported, bodies);
  forget_ranges(exported, symbols);
  one_spelling(exported);
  for (auto& [name, body] : bodies) one_spelling(body);
  mark_written(exported);
  const std::vector<ValueId> written = return_written(exported);
  Lowering(exported, bodies).run();
  write_back(exported, written);
}

}  // namespace noclobber
