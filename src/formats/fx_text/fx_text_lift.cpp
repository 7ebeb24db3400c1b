// A constant that a body of control flow reads by name becomes an operand of the step that runs the body, as
// AOTAutograd does with parameters: a name inside a body says as little about contents as one outside.
//
//   class true_graph_0:                             true_graph_0(x, c)
//     def forward(self, x):
//       c = self._tensor_constant0          ->      the graph holds `true_graph_0._tensor_constant0`,
//                                                   cond(p, true_graph_0, false_graph_0, [x, that])
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "src/formats/fx_text/fx_text_module.h"
#include "src/graph/bodies.h"
#include "src/graph/uses.h"

namespace noclobber {
namespace {

using HeldByName = std::map<std::string, std::pair<Input, Value>>;

/// The constants that a body reads by name. They are listed after the inputs that are passed to it.
HeldByName held_by(const Graph& body) {
  HeldByName out;
  for (const Input& input : body.inputs) {
    const Value& value = body.value(input.value);
    if (input.kind == Input::Kind::constant) out.emplace(value.name, std::pair(input, value));
  }
  return out;
}

/// The place of additional operands of a step, and the bodies that receive them.
struct MoreOperands {
  std::optional<std::size_t> list;  // number of the argument that lists them; empty: after all arguments
  std::vector<std::size_t> bodies;
};

std::vector<MoreOperands> more_operands(const Step& step) {
  constexpr std::string_view kHigherOrder = "higher_order.";
  if (!step.op->starts_with(kHigherOrder)) return {};
  const std::string_view op = std::string_view(step.op).substr(kHigherOrder.size());
  const auto is = [&](std::string_view name) {
    return op == name || (op.starts_with(name) && op[name.size()] == '.');
  };
  if (is("cond")) return {{3, {1, 2}}};
  if (is("while_loop")) return {{3, {0, 1}}};
  if (is("scan")) return {{3, {0}}};
  if (is("map") || is("map_impl") || is("associative_scan")) return {{2, {0}}};
  if (is("flex_attention")) return {{7, {3}}, {8, {4}}};
  if (is("invoke_subgraph")) return {{std::nullopt, {0}}};
  if (is("control_deps")) return {{std::nullopt, {1}}};
  return {};
}

/// The argument that is a body, or nullptr. flex_attention's mask is the last item of a list.
const Arg* body_argument(const Step& step, std::size_t at) {
  if (at >= step.args.size()) return nullptr;
  const Arg* arg = &step.args[at];
  if (arg->kind == Arg::Kind::list && !arg->list.empty()) arg = &arg->list.back();
  return arg->kind == Arg::Kind::graph ? arg : nullptr;
}

class ConstantLifter {
 public:
  explicit ConstantLifter(Graph& graph) : graph_(graph) {}

  void run() {
    for (auto& [name, body] : graph_.bodies) ConstantLifter(body).run();
    for (Step& step : graph_.steps)
      for (const MoreOperands& more : more_operands(step)) lift(step, more);
  }

 private:
  /// Bodies that share a list of operands all receive the constants of each of them.
  void lift(Step& step, const MoreOperands& more) {
    HeldByName held;
    for (const std::size_t at : more.bodies) {
      const Arg* arg = body_argument(step, at);
      const auto body = arg != nullptr ? graph_.bodies.find(arg->text) : graph_.bodies.end();
      if (body == graph_.bodies.end()) return;
      held.merge(held_by(as_read(*body)));
    }
    if (held.empty() || (more.list && *more.list > step.args.size())) return;
    if (more.list && *more.list == step.args.size()) step.args.push_back(Arg::of(std::vector<Arg>{}));
    if (more.list && step.args[*more.list].kind != Arg::Kind::list) return;
    for (const std::size_t at : more.bodies) {
      Arg& arg = step.args[at].kind == Arg::Kind::list ? step.args[at].list.edit().back() : step.args[at];
      arg.text = taking(arg.text, held);
    }
    std::vector<Arg>& operands = more.list ? step.args[*more.list].list.edit() : step.args;
    for (const auto& [name, one] : held) operands.push_back(Arg::of(held_here(name, one)));
  }

  const Graph& as_read(const std::pair<const std::string, Graph>& body) const {
    const auto known = as_read_.find(body.first);
    return known != as_read_.end() ? known->second : body.second;
  }

  /// The name of the body that receives those constants: its own, or a new one if another step passes others.
  std::string taking(const std::string& name, const HeldByName& held) {
    std::set<std::string> names;
    for (const auto& [constant, one] : held) names.insert(constant);
    const auto [known, is_new] = variants_.try_emplace({name, names}, name);
    if (!is_new) return known->second;
    const auto read = as_read_.find(name);
    if (read == as_read_.end()) {
      as_read_.emplace(name, graph_.bodies.at(name));
    } else {
      while (graph_.bodies.contains(known->second)) known->second += "_";
    }
    Graph body = as_read_.at(name);
    give(body, held);
    graph_.bodies.insert_or_assign(known->second, std::move(body));
    return known->second;
  }

  static void give(Graph& body, const HeldByName& held) {
    std::map<std::string, Input> own;
    for (const Input& input : body.inputs)
      if (input.kind == Input::Kind::constant) own.emplace(body.value(input.value).name, input);
    std::erase_if(body.inputs, [](const Input& input) { return input.kind == Input::Kind::constant; });
    for (const auto& [name, one] : held) {
      Input input;
      if (const auto mine = own.find(name); mine != own.end()) {
        input.value = mine->second.value;
      } else {
        input.value = ValueId(body.values.size());
        body.values.push_back(one.second);
      }
      body.inputs.push_back(std::move(input));
    }
    number_values(body);
  }

  /// The constant in the graph around the bodies, added if it is not there.
  ValueId held_here(const std::string& name, const std::pair<Input, Value>& one) {
    const auto [known, is_new] = here_.try_emplace(name, graph_.find(name));
    if (!is_new || known->second.valid()) return known->second;  // a module attribute: same constant
    Input input = one.first;
    input.value = known->second = ValueId(graph_.values.size());
    Value value = one.second;
    value.at = static_cast<std::uint32_t>(graph_.inputs.size());
    graph_.values.push_back(std::move(value));
    graph_.inputs.push_back(std::move(input));
    return known->second;
  }

  Graph& graph_;
  std::map<std::string, Graph> as_read_;  // original bodies that receive constants
  std::map<std::pair<std::string, std::set<std::string>>, std::string> variants_;
  std::map<std::string, ValueId> here_;
};

}  // namespace

void fx_lift_constants(Graph& graph) { ConstantLifter(graph).run(); }

}  // namespace noclobber
