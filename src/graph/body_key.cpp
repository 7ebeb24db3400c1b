#include "src/graph/body_key.h"

#include <cstdio>
#include <map>

namespace noclobber {
namespace {

/// The length comes first, so that a concatenation of such texts is unambiguous.
std::string quoted(const std::string& text) { return std::to_string(text.size()) + ":" + text; }

/// The graph at hand and those around it, as far as they have bodies of their own, innermost first.
struct Scope {
  const Graph* graph = nullptr;
  const Scope* outer = nullptr;
};

class KeyWriter {
 public:
  explicit KeyWriter(const Case& value) : case_(value) {}

  std::string run(const Graph& graph) {
    const std::size_t last = number(graph, nullptr);
    std::string out;
    for (const std::string& text : texts_) out += quoted(text);
    return out + "#" + std::to_string(last);
  }

 private:
  const Scope* scope_of(const Graph& graph, const Scope* outer) {
    if (graph.bodies.empty()) return outer;
    return &scopes_.try_emplace({&graph, outer}, Scope{&graph, outer}).first->second;
  }

  std::size_t number(const Graph& graph, const Scope* outer) {
    const Scope* scope = scope_of(graph, outer);
    const auto [at, is_new] = numbers_.try_emplace({&graph, scope}, kOpen);
    if (!is_new) return at->second;  // kOpen: a recursive body
    std::string text = graph_text(graph, scope);
    const auto place = places_.try_emplace(text, texts_.size());
    if (place.second) texts_.push_back(std::move(text));
    return numbers_[{&graph, scope}] = place.first->second;
  }

  /// Every graph that the name may refer to, innermost scope first.
  std::string body_text(const std::string& name, const Scope* scope) {
    std::string out;
    const auto add = [&](const std::map<std::string, Graph>& bodies) {
      const auto body = bodies.find(name);
      if (body != bodies.end()) out += "#" + std::to_string(number(body->second, scope));
    };
    for (const Scope* at = scope; at != nullptr; at = at->outer) add(at->graph->bodies);
    add(case_.bodies);
    return out.empty() ? "?" + quoted(name) : out;
  }

  std::string arg_text(const Arg& arg, const Scope* scope) {
    std::string out = std::to_string(static_cast<int>(arg.kind));
    char real[64];
    switch (arg.kind) {
      case Arg::Kind::none:
        break;
      case Arg::Kind::ref:
        out += "v" + std::to_string(arg.ref.index);
        break;
      case Arg::Kind::sym:
        out += quoted(arg.sym.text());
        break;
      case Arg::Kind::real:
        std::snprintf(real, sizeof real, "%a", arg.real);
        out += quoted(real);
        break;
      case Arg::Kind::boolean:
        out += arg.boolean ? "t" : "f";
        break;
      case Arg::Kind::dtype:
        out += quoted(std::string(name(arg.dtype)));
        break;
      case Arg::Kind::text:
      case Arg::Kind::device:
        out += quoted(*arg.text);
        break;
      case Arg::Kind::graph:
        out += body_text(*arg.text, scope);
        break;
      case Arg::Kind::list:
        out += std::to_string(arg.list.size()) + "[";
        for (const Arg& item : arg.list) out += arg_text(item, scope);
        break;
    }
    return out + ",";
  }

  static std::string sizes_text(const std::vector<SymExpr>& sizes) {
    std::string out = std::to_string(sizes.size()) + "[";
    for (const SymExpr& size : sizes) out += quoted(size.text());
    return out;
  }

  static std::string type_text(const SharedType& type) {
    if (!type) return "-";
    return std::string(name(type->dtype)) + sizes_text(type->shape) +
           std::to_string(static_cast<int>(type->strides)) + sizes_text(type->stride) +
           quoted(type->offset.text()) + quoted(*type->device);
  }

  std::string input_text(const Graph& graph, const Input& input, const Scope* scope) {
    const Value& value = graph.value(input.value);
    std::string out =
        "in v" + std::to_string(input.value.index) + quoted(value.name) +
        std::to_string(static_cast<int>(input.kind)) +
        (input.may_write ? (*input.may_write ? "w" : "r") : "-") +
        (input.exit ? std::to_string(static_cast<int>(*input.exit)) : "-") + quoted(input.storage) +
        (input.storage_numel ? quoted(input.storage_numel->text()) : "-") + quoted(*input.digest);
    if (input.contents) out += arg_text(Arg::of(*input.contents), scope);
    return out + ";";
  }

  std::string graph_text(const Graph& graph, const Scope* scope) {
    std::string out = quoted(graph.device);
    for (const Input& input : graph.inputs) out += input_text(graph, input, scope);
    for (const auto& [name, number] : graph.numbers) out += "n" + quoted(name) + quoted(number.text());
    for (const Value& value : graph.values) out += type_text(value.type) + ";";
    for (const Step& step : graph.steps) {
      out += "step " + quoted(step.op) + quoted(step.extras->tells) + quoted(step.extras->stream) +
             std::to_string(step.unit) + (step.barrier ? "b" : "-") + (step.fused ? "f" : "-");
      for (const Arg& arg : step.args) out += arg_text(arg, scope);
      for (const auto& [name, arg] : step.kwargs) out += quoted(name) + "=" + arg_text(arg, scope);
      for (const ValueId id : step.results) out += "v" + std::to_string(id.index);
      out += ";";
    }
    for (const Arg& arg : graph.outputs) out += "out " + arg_text(arg, scope);
    for (const auto& [id, arg] : graph.finals)
      out += "at exit v" + std::to_string(id.index) + arg_text(arg, scope);
    return out;
  }

  static constexpr std::size_t kOpen = ~std::size_t{0};
  const Case& case_;
  std::map<std::pair<const Graph*, const Scope*>, Scope> scopes_;
  std::map<std::pair<const Graph*, const Scope*>, std::size_t> numbers_;
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> texts_;
};

}  // namespace

std::string body_key(const Case& value, const Graph& graph) { return KeyWriter(value).run(graph); }

}  // namespace noclobber
