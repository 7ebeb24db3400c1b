// Methods and graphs made by hand: what no program in corpus/programs says.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "src/lower/pte/case.h"
#include "tests/catch.h"
#include "tests/support/graph_text.h"

namespace noclobber {

using testing::with_inputs;

/// A method whose values and instructions are added one by one. Arena 1 has 1024 bytes.
struct MadeMethod {
  using Id = std::uint32_t;
  PteMethod method;

  MadeMethod() {
    method.name = "forward";
    method.arenas = {0, 1024};
  }

  Id add(PteValue value) {
    method.values.push_back(std::move(value));
    return static_cast<Id>(method.values.size() - 1);
  }
  /// At that byte of arena 1; below 0: without a place.
  Id tensor(std::vector<std::int64_t> sizes, std::int64_t offset = -1, Dtype dtype = Dtype::f32) {
    PteValue value;
    value.kind = PteValue::Kind::tensor;
    value.tensor.dtype = dtype;
    for (std::size_t k = 0; k < sizes.size(); ++k)
      value.tensor.dim_order.push_back(static_cast<std::uint8_t>(k));
    value.tensor.sizes = std::move(sizes);
    if (offset >= 0) value.tensor.place = PteTensor::Place{1, offset};
    return add(std::move(value));
  }
  /// Given by the caller.
  Id given(std::vector<std::int64_t> sizes, std::int64_t offset = -1) {
    method.inputs.push_back(tensor(std::move(sizes), offset));
    return method.inputs.back();
  }
  /// Constant number `data` of the file, of which `digest` and `contents` are known.
  Id constant(std::vector<std::int64_t> sizes, std::uint32_t data, std::string digest = "",
              std::string contents = "") {
    const Id id = tensor(std::move(sizes));
    PteTensor& tensor = method.values[id].tensor;
    tensor.data = data;
    tensor.digest = std::move(digest);
    tensor.contents = std::move(contents);
    return id;
  }
  Id number(std::int64_t number, PteValue::Kind kind = PteValue::Kind::integer) {
    PteValue value;
    value.kind = kind;
    value.integer = number;
    return add(std::move(value));
  }
  Id flag(bool on) { return number(on ? 1 : 0, PteValue::Kind::boolean); }
  Id none() { return add({}); }
  Id list(PteValue::Kind kind, std::vector<std::int64_t> items) {
    PteValue value;
    value.kind = kind;
    value.items = std::move(items);
    return add(std::move(value));
  }
  PteTensor& of(Id id) { return method.values[id].tensor; }

  PteInstruction& instruction(PteInstruction::Kind kind, Id target, std::vector<Id> args) {
    PteInstruction& out = method.instructions.emplace_back();
    out.kind = kind;
    out.target = target;
    out.args = std::move(args);
    return out;
  }
  void call(const std::string& op, std::vector<Id> args) {
    method.operators.push_back(op);
    const auto number = static_cast<Id>(method.operators.size() - 1);
    instruction(PteInstruction::Kind::kernel, number, std::move(args));
  }
  void negate(Id x, Id out) { call("aten.neg.out", {x, out}); }
  void move(Id from, Id to) { instruction(PteInstruction::Kind::move, 0, {from, to}); }
  void jump(Id condition, std::size_t target) {
    instruction(PteInstruction::Kind::jump_false, static_cast<Id>(target), {condition});
  }

  Result<Case> read(const Graph* functional = nullptr) const { return case_of_pte(method, functional); }
  Case value(const Graph* functional = nullptr) const {
    auto out = read(functional);
    INFO((out ? "" : out.fault().message));
    REQUIRE(out);
    return *std::move(out);
  }
  /// The graph and its bodies with their inputs and what is assumed, or why there is none.
  std::string text(const Graph* functional = nullptr) const {
    const auto out = read(functional);
    if (!out) return out.fault().where + ": " + out.fault().message + "\n";
    std::string text = with_inputs(out->after);
    for (const auto& [name, body] : out->bodies) text += name + " " + with_inputs(body);
    for (const std::string& what : out->assumed) text += "if " + what + "\n";
    return text;
  }
};

/// A graph whose inputs and steps are added one by one. Tensors are of f32.
struct MadeGraph {
  Graph graph;

  static Type type(std::vector<SymExpr> shape, Dtype dtype = Dtype::f32) {
    Type out;
    out.dtype = dtype;
    out.shape = std::move(shape);
    return out;
  }
  Input& input(const std::string& name, Type type, Input::Kind kind = Input::Kind::user) {
    const auto number = static_cast<std::uint32_t>(graph.inputs.size());
    graph.values.push_back({name, Value::From::input, number, 0, std::move(type)});
    Input& out = graph.inputs.emplace_back();
    out.value = ValueId(graph.values.size() - 1);
    out.kind = kind;
    if (kind != Input::Kind::user) out.may_write = kind == Input::Kind::buffer;
    return out;
  }
  /// A step of one result.
  Step& step(const std::string& name, const std::string& op, std::vector<Arg> args, SharedType type = {}) {
    const auto number = static_cast<std::uint32_t>(graph.steps.size());
    graph.values.push_back({name, Value::From::step, number, 0, std::move(type)});
    Step& out = graph.steps.emplace_back();
    out.op = op;
    out.args = std::move(args);
    out.results = {ValueId(graph.values.size() - 1)};
    return out;
  }
  Arg arg(const std::string& name) const {
    const ValueId id = graph.find(name);
    REQUIRE(id.valid());
    return Arg::of(id);
  }
  std::vector<Arg> args(const std::vector<std::string>& names) const {
    std::vector<Arg> out;
    for (const std::string& name : names) out.push_back(arg(name));
    return out;
  }
  std::string text() const { return testing::graph_text(graph); }
};

}  // namespace noclobber
