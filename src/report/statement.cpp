// Statements in the notation of FX text.
#include <fmt/format.h>

#include <string_view>

#include "src/report/record.h"

namespace noclobber {

namespace {

constexpr std::size_t kShownItems = 8;  // of a list or of the arguments: a foreach step has thousands
constexpr int kShownDepth = 6;

std::string value_text(const Graph& graph, ValueId id) {
  if (!id.valid() || id.index >= graph.values.size()) return "_";
  return graph.values[id.index].name;
}

std::string arg_text(const Graph& graph, const Arg& arg, int depth);

std::string items_text(const Graph& graph, const std::vector<Arg>& items, int depth) {
  std::string out;
  for (std::size_t k = 0; k < items.size() && k < kShownItems; ++k) {
    if (k > 0) out += ", ";
    out += arg_text(graph, items[k], depth);
  }
  if (items.size() > kShownItems) out += fmt::format(", … {} more", items.size() - kShownItems);
  return out;
}

std::string arg_text(const Graph& graph, const Arg& arg, int depth) {
  switch (arg.kind) {
    case Arg::Kind::none:
      return "None";
    case Arg::Kind::ref:
      return value_text(graph, arg.ref);
    case Arg::Kind::sym:
      return arg.sym.text();
    case Arg::Kind::real:
      return fmt::format("{}", arg.real);
    case Arg::Kind::boolean:
      return arg.boolean ? "True" : "False";
    case Arg::Kind::text:
      return fmt::format("'{}'", arg.text);
    case Arg::Kind::dtype:
      return std::string(name(arg.dtype));
    case Arg::Kind::device:
      return fmt::format("'{}'", arg.text);
    case Arg::Kind::graph:
      return arg.text;
    case Arg::Kind::list:
      return depth >= kShownDepth ? "[…]" : fmt::format("[{}]", items_text(graph, arg.list, depth + 1));
  }
  return "?";
}

/// "aten.copy_.default" -> "copy_", "mylib.foo.default" -> "mylib.foo".
std::string_view short_op(std::string_view op) {
  const std::size_t dot = op.rfind('.');
  if (dot != std::string_view::npos && op.find('.') != dot) op = op.substr(0, dot);
  for (const std::string_view common : {"aten.", "prims."}) {
    if (op.starts_with(common)) return op.substr(common.size());
  }
  return op;
}

/// Keywords about the placement of a result are omitted: they do not matter to what is overwritten.
bool is_placement(std::string_view name) {
  return name == "layout" || name == "device" || name == "pin_memory";
}

bool reads_tensor(const std::vector<Arg>& args) {
  for (const Arg& arg : args) {
    if (arg.kind == Arg::Kind::ref) return true;
    if (arg.kind == Arg::Kind::list && !arg.list.empty() && arg.list[0].kind == Arg::Kind::ref) return true;
  }
  return false;
}

std::string call_text(const Graph& graph, const Step& step) {
  std::string out = fmt::format("{}({}", short_op(step.op), items_text(graph, step.args, 0));
  bool first = step.args.empty();
  for (const auto& [key, arg] : step.kwargs) {
    const bool factory_dtype = key == "dtype" && !reads_tensor(step.args);
    if (is_placement(key) || factory_dtype || arg.kind == Arg::Kind::none) continue;
    out += fmt::format("{}{}={}", first ? "" : ", ", key, arg_text(graph, arg, 0));
    first = false;
  }
  return out + ")";
}

std::string return_text(const Graph& graph) {
  const char* comma = graph.outputs.size() == 1 ? "," : "";
  return fmt::format("return ({}{})", items_text(graph, graph.outputs, 0), comma);
}

}  // namespace

std::string statement_text(const Graph& graph, std::uint32_t step) {
  if (step >= graph.steps.size()) return return_text(graph);
  const Step& what = graph.steps[step];
  std::string results;
  for (std::size_t k = 0; k < what.results.size() && k < kShownItems; ++k) {
    if (k > 0) results += ", ";
    results += value_text(graph, what.results[k]);
  }
  if (what.results.size() > kShownItems) results += ", …";
  return results.empty() ? call_text(graph, what) : fmt::format("{} = {}", results, call_text(graph, what));
}

}  // namespace noclobber
