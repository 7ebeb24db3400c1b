#include "tests/support/graph_text.h"

#include <set>

#include "src/formats/case/case_json.h"
#include "tests/catch.h"

namespace noclobber::testing {
namespace {

std::string argument_text(const Graph& graph, const Arg& arg) {
  switch (arg.kind) {
    case Arg::Kind::none:
      return "-";
    case Arg::Kind::ref:
      return graph.value(arg.ref).name;
    case Arg::Kind::sym:
      return arg.sym.text();
    case Arg::Kind::boolean:
      return arg.boolean ? "true" : "false";
    case Arg::Kind::dtype:
      return std::string(name(arg.dtype));
    case Arg::Kind::real:
      return std::to_string(arg.real);
    case Arg::Kind::list: {
      std::string out = "[";
      for (const Arg& item : arg.list) out += (out.size() > 1 ? " " : "") + argument_text(graph, item);
      return out + "]";
    }
    default:
      return "'" + std::string(arg.text) + "'";
  }
}

}  // namespace

std::string graph_text(const Graph& graph) {
  std::string out;
  for (std::size_t k = 0; k < graph.steps.size(); ++k) {
    const Step& step = graph.steps[k];
    for (std::size_t r = 0; r < step.results.size(); ++r) {
      out += (r > 0 ? ", " : "") + (step.results[r].valid() ? graph.value(step.results[r]).name : "_");
      if (!step.results[r].valid()) continue;
      const Value& value = graph.value(step.results[r]);
      if (!(value.from == Value::From::step && value.at == k && value.result == r)) out += " misplaced";
      if (value.type) out += ":" + std::string(name(value.type->dtype));
    }
    out += (step.results.empty() ? "" : " = ") + step.op + "(";
    for (std::size_t a = 0; a < step.args.size(); ++a)
      out += (a > 0 ? ", " : "") + argument_text(graph, step.args[a]);
    for (const auto& [key, arg] : step.kwargs) out += ", " + key + "=" + argument_text(graph, arg);
    out += std::string(")") + (step.barrier ? " barrier" : "") +
           (step.extras->id.empty() ? "" : " #" + std::string(step.extras->id)) + "\n";
  }
  out += "->";
  for (const Arg& arg : graph.outputs) out += " " + argument_text(graph, arg);
  for (const auto& [id, arg] : graph.finals)
    out += ", " + graph.value(id).name + " at exit " + argument_text(graph, arg);
  return out + "\n";
}

std::string with_inputs(const Graph& graph) {
  std::string out = "of";
  for (std::size_t k = 0; k < graph.inputs.size(); ++k) {
    const Input& input = graph.inputs[k];
    const Value& value = graph.value(input.value);
    CHECK((value.from == Value::From::input && value.at == k));
    out += " " + value.name +
           (input.kind == Input::Kind::buffer     ? ":buffer"
            : input.kind == Input::Kind::constant ? ":constant"
                                                  : "");
    if (input.may_write.value_or(false)) out += "!";
    if (input.kind != Input::Kind::user && !input.may_write) out += "?";
    if (input.contents) out += "=" + std::to_string(input.contents->size());
  }
  std::set<std::string> names;
  for (const Value& value : graph.values) CHECK((names.insert(value.name).second || value.name.empty()));
  return out + ":\n" + graph_text(graph);
}

std::string json_tensor(const std::string& name, const std::string& shape) {
  return R"({"name": ")" + name + R"(", "type": {"dtype": "f32", "shape": [)" + shape + "]}}";
}

std::string json_graph(const std::string& inputs, const std::string& steps, const std::string& outputs) {
  return R"({"inputs": [)" + inputs + R"(], "steps": [)" + steps + R"(], "outputs": [)" + outputs + "]}";
}

Case read_as(const std::string& more, const std::string& before, const std::string& after) {
  const auto value =
      read_case_json(R"({"format": "noclobber.case/1", "name": "t", )" + more +
                     (before.empty() ? "" : R"("before": )" + before + ", ") + R"("after": )" + after + "}");
  INFO((value ? "" : value.fault().where + " " + value.fault().message));
  REQUIRE(value);
  return *value;
}

}  // namespace noclobber::testing
