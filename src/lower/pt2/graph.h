// Reads one graph of an exported program. Internal: pt2.cpp adds what the signature states.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "src/formats/fx_text/fx_text_annotation.h"
#include "src/graph/case.h"
#include "src/text/json.h"

namespace noclobber {

/// The state that all graphs of one program share.
struct Pt2Program {
  JsonFaults faults;
  FxSymbols symbols;
  std::map<std::string, std::int64_t> hints;  // values of symbols that the exporter saw
};

class Pt2Graph {
 public:
  explicit Pt2Graph(Pt2Program& program, int depth = 0)
      : program_(program), faults_(program.faults), depth_(depth) {}

  Graph read(const OrderedJson& json, const JsonAt& at);
  /// The tensor that `json` refers to, in the graph that was read last; invalid after a fault.
  ValueId tensor(const OrderedJson& json, const JsonAt& at);

 private:
  using Reader = Arg (Pt2Graph::*)(const OrderedJson&, const JsonAt&);
  struct Row {
    std::string_view tag;
    Reader read;
    bool is_list;
  };
  static const std::vector<Row>& rows();

  void types(const OrderedJson& json, const JsonAt& at);
  std::optional<Type> type(const OrderedJson& json, const JsonAt& at);
  std::vector<SymExpr> sizes(const OrderedJson& json, const JsonAt& at, std::string_view key);
  void scalars(const OrderedJson& json, const JsonAt& at, std::string_view key);
  SymExpr size(const OrderedJson& json, const JsonAt& at);
  Arg scalar(const OrderedJson& json, const JsonAt& at);
  void input(const OrderedJson& json, const JsonAt& at);
  void node(const OrderedJson& json, const JsonAt& at);
  void arguments(const OrderedJson& json, const JsonAt& at, Step& step);
  bool results(const OrderedJson& json, const JsonAt& at, Step& step);
  void result(const OrderedJson& json, const JsonAt& at, Step& step);
  void place(const OrderedJson& json, Step& step);
  void settle(const OrderedJson& json, const Step& step);
  ValueId new_value(const std::string& name, Value::From from, std::size_t at, std::size_t result,
                    const JsonAt& place);
  Arg argument(const OrderedJson& json, const JsonAt& at);
  const OrderedJson* only_member(const OrderedJson& json, const JsonAt& at, std::string& tag);

  Arg none(const OrderedJson&, const JsonAt&) { return {}; }
  Arg ref(const OrderedJson& json, const JsonAt& at);
  Arg optional_ref(const OrderedJson& json, const JsonAt& at);
  Arg refs(const OrderedJson& json, const JsonAt& at);
  Arg integer(const OrderedJson& json, const JsonAt& at) { return Arg::of(faults_.integer(json, at)); }
  Arg integers(const OrderedJson& json, const JsonAt& at);
  Arg real(const OrderedJson& json, const JsonAt& at);
  Arg boolean(const OrderedJson& json, const JsonAt& at) { return Arg::of_bool(faults_.boolean(json, at)); }
  Arg text(const OrderedJson& json, const JsonAt& at) { return Arg::of_text(faults_.text(json, at)); }
  Arg named(const OrderedJson& json, const JsonAt& at);
  Arg dtype(const OrderedJson& json, const JsonAt& at);
  Arg memory_format(const OrderedJson& json, const JsonAt& at);
  Arg layout(const OrderedJson& json, const JsonAt& at);
  Arg device(const OrderedJson& json, const JsonAt& at);
  Arg body(const OrderedJson& json, const JsonAt& at);
  Arg object(const OrderedJson& json, const JsonAt& at);
  Arg op_name(const OrderedJson& json, const JsonAt& at);
  Arg complex(const OrderedJson& json, const JsonAt& at);
  Arg dictionary(const OrderedJson& json, const JsonAt& at);

  Pt2Program& program_;
  JsonFaults& faults_;
  int depth_;
  Graph graph_;
  std::unordered_map<std::string, std::optional<Type>> types_;
  std::unordered_map<std::string, Arg> names_;  // tensors and scalars that are defined
};

}  // namespace noclobber
