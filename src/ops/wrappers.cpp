#include "src/ops/wrappers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "src/graph/bodies.h"
#include "src/graph/uses.h"
#include "src/ops/decl.h"
#include "src/ops/wrapper_sites.h"

namespace noclobber {
namespace {

/// Appends the steps that replace a wrapper call to a graph.
class WrittenOut {
 public:
  explicit WrittenOut(Graph& graph) : graph_(graph) {}

  Step& push(const Step& like, const std::string& op, std::vector<Arg> args, Few<ValueId> results) {
    Step step;
    step.op = op;
    step.args = std::move(args);
    step.results = std::move(results);
    step.source = like.source;
    step.line = like.line;
    return graph_.steps.emplace_back(std::move(step));
  }

  /// Clones the bases, which the call may write.
  std::vector<ValueId> clones(const Step& step) {
    std::vector<ValueId> out;
    const Arg* listed = keyword(step, "_all_bases");
    for (const Arg& base : listed != nullptr ? *listed->list : std::vector<Arg>{})
      out.push_back(clone(step, base));
    return out;
  }
  ValueId clone(const Step& step, const Arg& base) {
    return emit(step, "aten.clone.default", {base}, "_base");
  }

  Arg view(const Step& step, const std::string& prefix, const std::vector<ValueId>& bases) {
    const Arg* base = keyword(step, prefix + "_base_index");
    if (base == nullptr || base->kind != Arg::Kind::sym || !base->sym.is_constant()) return {};
    const std::int64_t at = base->sym.constant();
    if (at < 0 || at >= static_cast<std::int64_t>(bases.size())) return {};
    const Arg whole = Arg::of(bases[static_cast<std::size_t>(at)]);
    if (const Arg* dim = keyword(step, prefix + "_slice_dim")) {
      const Arg* start = keyword(step, prefix + "_slice_start");
      const Arg* end = keyword(step, prefix + "_slice_end");
      return Arg::of(emit(step, "aten.slice.Tensor",
                          {whole, *dim, start ? *start : Arg{}, end ? *end : Arg{}}, "_view"));
    }
    const Arg* size = keyword(step, prefix + "_size");
    const Arg* stride = keyword(step, prefix + "_stride");
    const Arg* offset = keyword(step, prefix + "_storage_offset");
    if (size == nullptr || stride == nullptr) return whole;
    return Arg::of(
        emit(step, "aten.as_strided.default", {whole, *size, *stride, offset ? *offset : Arg{}}, "_view"));
  }

  /// Defines the wrapper's results from position `first` on as the bases after the call.
  void give_back(const Step& step, const std::vector<ValueId>& bases, std::size_t first) {
    for (std::size_t k = 0; k < bases.size() && k + first < step.results.size(); ++k)
      if (step.results[k + first].valid())
        push(step, "aten.alias.default", {Arg::of(bases[k])}, {step.results[k + first]}).barrier = true;
  }

 private:
  ValueId emit(const Step& like, const std::string& op, std::vector<Arg> args, const std::string& suffix) {
    Value value;
    value.name = "auto_functionalized_" + std::to_string(graph_.values.size()) + suffix;
    const ValueId id(graph_.values.size());
    graph_.values.push_back(std::move(value));
    push(like, op, std::move(args), {id});
    return id;
  }

  Graph& graph_;
};

/// The wrapper's results that are those of the wrapped operator, at most `count`.
std::vector<ValueId> own_results(const Step& step, std::size_t count) {
  const std::size_t most = std::min(count, step.results.size());
  std::vector<ValueId> out(step.results.begin(), step.results.begin() + static_cast<std::ptrdiff_t>(most));
  while (!out.empty() && !out.back().valid()) out.pop_back();
  return out;
}

/// Replaces the wrapper calls of one operator in a graph.
class Writer {
 public:
  /// `returns`: the number of results of the operator. If it is 0, the wrapper still has a place for one.
  Writer(Graph& graph, const std::string& op, const std::vector<Given>& order, std::size_t returns)
      : graph_(graph), out_(graph), op_(op), order_(order), returns_(returns) {}

  void run() {
    const std::vector<Step> old = std::exchange(graph_.steps, {});
    for (const Step& step : old) {
      if (is_wrapper(step) && wrapped_op(step) == op_) {
        write(step);
      } else {
        graph_.steps.push_back(step);
      }
    }
    number_values(graph_);
  }

 private:
  void write(const Step& step) {
    std::vector<ValueId> bases = out_.clones(step);
    std::vector<Arg> args;
    for (const Given& g : order_) {
      const Arg* plain = keyword(step, g.name);
      if (!g.written) {
        args.push_back(plain != nullptr ? *plain : g.fallback);
      } else if (step.op == kV1) {
        bases.push_back(out_.clone(step, plain != nullptr ? *plain : Arg{}));
        args.push_back(Arg::of(bases.back()));
      } else if (!g.list) {
        args.push_back(out_.view(step, "_" + g.name, bases));
      } else {
        const Arg* length = keyword(step, "_" + g.name + "_length");
        std::vector<Arg> items;
        for (std::int64_t k = 0; length != nullptr && k < length->sym.constant(); ++k)
          items.push_back(out_.view(step, "_" + g.name + "_" + std::to_string(k), bases));
        args.push_back(Arg::of(std::move(items)));
      }
    }
    out_.push(step, op_, std::move(args), own_results(step, returns_));
    out_.give_back(step, bases, std::max<std::size_t>(returns_, 1));
  }

  Graph& graph_;
  WrittenOut out_;
  const std::string& op_;
  const std::vector<Given>& order_;
  std::size_t returns_;
};

/// The argument names that a wrapper uses for an operator with bodies: first arguments, bodies among them,
/// then numbered operands.
struct RegionForm {
  std::string_view op, operand;
  std::vector<std::string> first;
};

const RegionForm* region_form(const Step& step) {
  static const std::vector<RegionForm> forms = {
      {"higher_order.invoke_subgraph", "arg", {"subgraph", "identifier"}},
      {"higher_order.cond", "operand", {"pred", "true_fn", "false_fn"}},
  };
  if (step.op != kV2) return nullptr;
  for (const RegionForm& form : forms)
    if (wrapped_op(step) == std::string(form.op) + ".default") return &form;
  return nullptr;
}

/// Replaces wrapper calls of operators with bodies, whose own steps state what they write.
class RegionWriter {
 public:
  RegionWriter(const Case& value, Graph& graph) : case_(value), graph_(graph), out_(graph) {}

  void run() {
    const std::vector<Step> old = std::exchange(graph_.steps, {});
    for (const Step& step : old) {
      const RegionForm* form = region_form(step);
      const auto results = form != nullptr ? body_results(step, *form) : std::nullopt;
      const auto operands = results ? operands_of(step, *form) : std::nullopt;
      if (operands)
        write(step, *form, *operands, *results);
      else
        graph_.steps.push_back(step);
    }
    number_values(graph_);
  }

 private:
  /// The number of results of every body; empty if they differ or a body is unknown.
  std::optional<std::size_t> body_results(const Step& step, const RegionForm& form) const {
    std::optional<std::size_t> out;
    for (const std::string& name : form.first) {
      const Arg* arg = keyword(step, name);
      if (arg == nullptr) return std::nullopt;
      if (arg->kind != Arg::Kind::graph) continue;
      const Graph* body = find_body(case_, graph_, arg->text);
      if (body == nullptr || (out && *out != body->outputs.size())) return std::nullopt;
      out = body->outputs.size();
    }
    return out;
  }

  /// The operands in the order of their numbers; empty if one is missing or is a list.
  static std::optional<std::vector<Given>> operands_of(const Step& step, const RegionForm& form) {
    std::map<std::string, Given> known;
    for (Given& g : given(step)) {
      if (g.list) return std::nullopt;
      std::string name = g.name;
      known.emplace(std::move(name), std::move(g));
    }
    std::vector<Given> out;
    for (;; out.push_back(known.at(std::string(form.operand) + std::to_string(out.size()))))
      if (!known.contains(std::string(form.operand) + std::to_string(out.size()))) break;
    if (out.size() + form.first.size() != known.size()) return std::nullopt;
    return out;
  }

  void write(const Step& step, const RegionForm& form, const std::vector<Given>& operands,
             std::size_t results) {
    const std::vector<ValueId> bases = out_.clones(step);
    std::vector<Arg> args, given;
    for (const std::string& name : form.first) args.push_back(*keyword(step, name));
    for (const Given& g : operands)
      given.push_back(g.written ? out_.view(step, "_" + g.name, bases) : g.plain);
    if (form.operand == "operand")
      args.push_back(Arg::of(std::move(given)));
    else
      args.insert(args.end(), given.begin(), given.end());
    out_.push(step, std::string(form.op), std::move(args), own_results(step, results));
    out_.give_back(step, bases, std::max<std::size_t>(results, 1));
  }

  const Case& case_;
  Graph& graph_;
  WrittenOut out_;
};

std::set<std::string> wrapped_ops(const Case& value) {
  std::set<std::string> out;
  for (const Graph* graph : {value.before ? &*value.before : nullptr, &value.after}) {
    if (graph == nullptr) continue;
    for (const Step& step : graph->steps)
      if (is_wrapper(step)) out.insert(wrapped_op(step));
  }
  return out;
}

}  // namespace

bool has_wrappers(const Case& value) { return !wrapped_ops(value).empty() || !effectful_ops(value).empty(); }

Readings written_out(const Case& value) {
  Readings out;
  out.cases.push_back(value);
  if (out.cases[0].before) RegionWriter(value, *out.cases[0].before).run();
  RegionWriter(value, out.cases[0].after).run();
  for (OpDecl& decl : effectful_ops(value)) {
    const std::string name = decl.schema.substr(0, decl.schema.find('('));
    out.inferred.push_back(full_op_name(name));
    out.cases[0].ops.push_back(std::move(decl));
  }
  const auto declared = make_op_set(out.cases[0].ops);
  const Case regions = out.cases[0];
  for (const std::string& op : wrapped_ops(regions)) {
    const std::vector<Site> wrapped = sites(regions, op, true), calls = sites(regions, op, false);
    const Schema* known = declared ? declared->find(op) : nullptr;
    const auto fitting = signatures(wrapped, calls, known);
    const std::size_t count = result_count(wrapped, calls, known);
    const bool any = known != nullptr ? !known->returns.empty()
                                      : count > 1 || gives_tensor(wrapped) || gives_tensor(calls);
    const std::size_t returns = any ? count : 0;
    if (known == nullptr) out.inferred.push_back(op);
    std::vector<Case> next;
    for (const Case& reading : out.cases)
      for (const std::vector<Given>& order : fitting) {
        next.push_back(reading);
        if (known == nullptr) next.back().ops.push_back(declaration(op, order, returns));
        if (next.back().before) Writer(*next.back().before, op, order, returns).run();
        Writer(next.back().after, op, order, returns).run();
      }
    out.cases = std::move(next);
    if (out.cases.size() > kReadings) out.cases.clear();
    if (out.cases.empty()) return out;
  }
  return out;
}

Case filling(Case reading, const std::vector<std::string>& inferred) {
  for (OpDecl& decl : reading.ops) {
    const auto schema = parse_schema(decl.schema);
    if (!schema || std::ranges::find(inferred, schema->op) == inferred.end()) continue;
    decl.reads_old.emplace();
    for (const SchemaSlot& slot : schema->arguments)
      if (slot.written) decl.writes[slot.name] = "all";
  }
  return reading;
}

}  // namespace noclobber
