// Reads one GRAPH of noclobber.case/1. Internal to formats/case: case_json.cpp puts the graphs together.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/base/name_table.h"
#include "src/graph/case.h"
#include "src/text/json.h"
#include "src/text/plain_json.h"

namespace noclobber {

/// The facts from the rest of the document that graphs refer to.
struct CaseJsonContext {
  std::map<std::string, SymbolRange> symbols;
  std::map<std::string, std::size_t> body_inputs;  // number of inputs of each body, by name
  std::map<std::string, int> declared;             // declared operators -> number of results; -1: a list
  std::map<std::string, std::string> longest;      // schema with most results, if declared with several
};

class GraphJsonReader {
 public:
  GraphJsonReader(const CaseJsonContext& context, JsonFaults& faults) : context_(context), faults_(faults) {}

  /// `unread`: the steps, if `json` leaves them out. Then `after` with a later step is a fault, too.
  Graph read(const OrderedJson& json, const JsonAt& at, PlainList* unread = nullptr);
  /// Bodies that steps of the last graph refer to.
  const std::set<std::string>& used_bodies() const { return used_bodies_; }

  /// An integer expression over declared symbols.
  SymExpr expression(const OrderedJson& json, const JsonAt& at, bool may_be_negative);
  void check_symbols(const SymExpr& value, const JsonAt& at);

 private:
  void graph_facts(const OrderedJson& json, const JsonAt& at);
  void inputs(const OrderedJson& json, const JsonAt& at);
  Input input(const OrderedJson& json, const JsonAt& at);
  void input_flags(const OrderedJson& json, const JsonAt& at, Input& result);
  std::vector<Arg> contents(const OrderedJson& json, const JsonAt& at, const std::optional<Type>& type);
  void steps(const OrderedJson& json, const JsonAt& at);
  void steps(PlainList& listed, const JsonAt& at);
  void names(const OrderedJson& step, const JsonAt& at);
  void label(const OrderedJson& step, const JsonAt& at);
  Step step(const OrderedJson& json, const JsonAt& at);
  Value step_value(std::size_t number) const;
  void rest(const OrderedJson& json, const JsonAt& at, Step& step);
  void results(const OrderedJson& json, const JsonAt& at, Step& step);
  void step_texts(const OrderedJson& json, const JsonAt& at, Step& step);
  const Shared<std::string>& op(const OrderedJson& json, const JsonAt& at);
  std::string full_op(const OrderedJson& json, const JsonAt& at);
  void check_results(const Step& step, const JsonAt& at);
  void check_control(const Step& step, const JsonAt& at);
  void finals(const OrderedJson& json, const JsonAt& at);
  ValueId new_value(const OrderedJson& json, const JsonAt& at, Value value);
  /// The value of that name, if it is defined so far; else an invalid id.
  ValueId defined(std::string_view name) const;
  std::string_view name_of(std::uint32_t value) const { return graph_.values[value].name; }
  std::vector<SymExpr> sizes(const OrderedJson& json, const JsonAt& at);
  std::optional<Type> type(const OrderedJson& json, const JsonAt& at);
  Arg argument(const OrderedJson& json, const JsonAt& at);
  Arg tagged(const OrderedJson& json, const JsonAt& at);
  Arg number_or_text(const OrderedJson& json);
  std::vector<Arg> arguments(const OrderedJson& json, const JsonAt& at);

  const CaseJsonContext& context_;
  JsonFaults& faults_;
  Graph graph_;
  NameNumbers values_;                            // defined so far
  std::unordered_map<std::string, bool> labels_;  // ids so far, or every name and id; true: a result
  std::unordered_map<std::string, Shared<std::string>> ops_;  // by their spelling
  std::set<std::string> used_bodies_;
};

/// Checks that the ordering edges of `graph` can be satisfied: without `dataflow`, no `after` names a later
/// step; def-use, `after` and stream edges have no cycle.
void check_order(const Graph& graph, const JsonAt& at, bool dataflow, JsonFaults& faults);

}  // namespace noclobber
