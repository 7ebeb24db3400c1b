// Steps of a GRAPH: names, operators, ordering edges.
#include <algorithm>
#include <array>
#include <utility>

#include "src/formats/case/case_json_facts.h"
#include "src/formats/case/case_json_graph.h"

namespace noclobber {

// Every name of the graph, since `after` may name a later step.
void GraphJsonReader::collect_labels(const OrderedJson& steps, const JsonAt& at) {
  for (std::size_t k = 0; k < steps.size() && !faults_.failed(); ++k) {
    const JsonAt here(at, k);
    if (!steps[k].is_object()) continue;
    if (const OrderedJson* id = find_member(steps[k], "id")) label(*id, JsonAt(here, "id"));
    const auto result = [&](const OrderedJson& name) {
      if (!name.is_string()) return;
      const auto [old, fresh] = labels_.emplace(name.get<std::string>(), true);
      if (!fresh && !old->second) faults_.fail(here, "name " + in_quotes(old->first) + " is used twice");
    };
    if (const OrderedJson* name = find_member(steps[k], "name")) result(*name);
    const OrderedJson* names = find_member(steps[k], "names");
    if (names != nullptr && names->is_array()) std::for_each(names->begin(), names->end(), result);
  }
}

void GraphJsonReader::label(const OrderedJson& json, const JsonAt& at) {
  const std::string text = faults_.text(json, at);
  if (faults_.failed()) return;
  if (text.empty()) faults_.fail(at, "an empty name");
  if (!labels_.emplace(text, false).second) faults_.fail(at, "name " + in_quotes(text) + " is used twice");
}

Step GraphJsonReader::step(const OrderedJson& json, const JsonAt& at) {
  Step result;
  if (!faults_.object(json, at)) return result;
  const OrderedJson* called = faults_.required(json, at, "op");
  const OrderedJson* given = faults_.required(json, at, "args");
  if (faults_.failed()) return result;
  result.op = op(*called, JsonAt(at, "op"));
  result.args = arguments(*given, JsonAt(at, "args"));
  const JsonAt at_kwargs(at, "kwargs");
  const OrderedJson* kwargs = find_member(json, "kwargs");
  if (kwargs != nullptr && faults_.object(*kwargs, at_kwargs)) {
    for (const auto& [key, item] : kwargs->get_ref<const OrderedJson::object_t&>()) {
      if (faults_.failed()) break;
      result.kwargs.emplace_back(key, argument(item, JsonAt(at_kwargs, key)));
    }
  }
  if (!faults_.failed()) step_texts(json, at, result);
  if (!faults_.failed()) results(json, at, result);
  if (!faults_.failed()) check_results(result, at);
  if (!faults_.failed()) check_control(result, at);
  return result;
}

std::string GraphJsonReader::op(const OrderedJson& json, const JsonAt& at) {
  std::string text = faults_.text(json, at);
  if (faults_.failed()) return {};
  // What readers of programs make of a thing that no operator does is called by a sentence.
  if (text.starts_with("executorch.") && text.find(' ') != std::string::npos) return text;
  std::size_t parts = 0;
  for (std::size_t start = 0; start <= text.size(); ++parts) {
    const std::size_t end = std::min(text.find('.', start), text.size());
    if (!is_identifier(std::string_view(text).substr(start, end - start))) {
      faults_.fail(at, show(json) + " is not namespace.name.overload");
      return {};
    }
    start = end + 1;
  }
  if (parts < 2) faults_.fail(at, show(json) + " is not namespace.name.overload");
  if (text.starts_with("higher_order.")) {
    if (parts == 3 && text.ends_with(".default")) text.resize(text.size() - 8);
    return text;
  }
  return parts == 2 ? text + ".default" : text;
}

void GraphJsonReader::step_texts(const OrderedJson& json, const JsonAt& at, Step& step) {
  const auto read = [&](std::string_view key, Shared<std::string>& to) {
    if (const OrderedJson* item = find_member(json, key)) to = faults_.text(*item, JsonAt(at, key));
  };
  read("id", step.id);
  read("stream", step.stream);
  read("loc", step.loc);
  read("code", step.code);
  read_step_facts(json, at, step, faults_);
  const JsonAt at_after(at, "after");
  const OrderedJson* after = find_member(json, "after");
  if (after == nullptr || !faults_.array(*after, at_after)) return;
  for (std::size_t k = 0; k < after->size() && !faults_.failed(); ++k) {
    const JsonAt here(at_after, k);
    std::string name = faults_.text((*after)[k], here);
    if (!labels_.contains(name)) faults_.fail(here, "unknown step " + show((*after)[k]));
    step.after.push_back(std::move(name));
  }
}

void GraphJsonReader::results(const OrderedJson& json, const JsonAt& at, Step& step) {
  const OrderedJson* one = find_member(json, "name");
  const OrderedJson* many = find_member(json, "names");
  if ((one == nullptr) == (many == nullptr)) {
    faults_.fail(at, "exactly one of 'name' and 'names' is needed");
    return;
  }
  const JsonAt at_names(at, "names"), at_types(at, "types");
  if (many != nullptr && !faults_.array(*many, at_names)) return;
  const std::size_t count = many != nullptr ? many->size() : 1;
  const OrderedJson* types = find_member(json, "types");
  if (types != nullptr && !faults_.array(*types, at_types)) return;
  if (types != nullptr && types->size() != count) {
    faults_.fail(at_types,
                 std::to_string(types->size()) + " types for " + std::to_string(count) + " results");
    return;
  }
  for (std::size_t k = 0; k < count && !faults_.failed(); ++k) {
    Value value;
    value.from = Value::From::step;
    value.at = static_cast<std::uint32_t>(graph_.steps.size());
    value.result = static_cast<std::uint32_t>(k);
    if (types != nullptr) value.type = type((*types)[k], JsonAt(at_types, k));
    if (many == nullptr) {
      step.results.push_back(new_value(*one, JsonAt(at, "name"), std::move(value)));
    } else if ((*many)[k].is_null()) {
      step.results.emplace_back();  // a result nobody named
    } else {
      step.results.push_back(new_value((*many)[k], JsonAt(at_names, k), std::move(value)));
    }
  }
}

void GraphJsonReader::check_results(const Step& step, const JsonAt& at) {
  const auto declared = context_.declared.find(step.op);
  if (declared == context_.declared.end() || declared->second < 0 || step.results.empty()) return;
  if (step.results.size() == static_cast<std::size_t>(declared->second)) return;
  if (context_.longest.contains(step.op) && step.results.size() < static_cast<std::size_t>(declared->second))
    return;
  faults_.fail(at, std::to_string(step.results.size()) + " results, the schema of " + step.op + " has " +
                       std::to_string(declared->second));
}

// Control flow whose bodies take other than what is passed cannot mean anything.
void GraphJsonReader::check_control(const Step& step, const JsonAt& at) {
  static constexpr std::array<std::pair<std::string_view, std::size_t>, 4> kMostArguments = {
      {{"higher_order.cond", 4},
       {"higher_order.while_loop", 4},
       {"higher_order.scan", 4},
       {"higher_order.map_impl", 3}}};
  const auto row = std::find_if(kMostArguments.begin(), kMostArguments.end(),
                                [&](const auto& item) { return item.first == step.op; });
  if (row == kMostArguments.end()) return;
  const JsonAt at_args(at, "args");
  if (step.args.size() > row->second) {
    faults_.fail(at_args, std::to_string(step.args.size()) + " operands, " + step.op + " takes at most " +
                              std::to_string(row->second));
    return;
  }
  std::size_t operands = 0, bodies = 0;
  for (const Arg& arg : step.args) {
    if (arg.kind == Arg::Kind::list) operands += arg.list.size();
    if (arg.kind == Arg::Kind::graph) ++bodies;
  }
  if (bodies == 0) faults_.fail(at_args, "control flow without a body graph");
  for (std::size_t k = 0; k < step.args.size(); ++k) {
    if (step.args[k].kind != Arg::Kind::graph) continue;
    const std::size_t takes = context_.body_inputs.at(step.args[k].text);
    if (takes == operands) continue;
    faults_.fail(JsonAt(at_args, k), "body " + in_quotes(step.args[k].text) + " takes " +
                                         std::to_string(takes) + " inputs, " + std::to_string(operands) +
                                         " operands are given");
  }
}

namespace {

// Steps of a graph and what must run before what.
class OrderGraph {
 public:
  explicit OrderGraph(const Graph& graph) : successors_(graph.steps.size()), open_(graph.steps.size()) {
    for (std::size_t at = 0; at < graph.steps.size(); ++at) {
      if (!graph.steps[at].id.empty()) step_of_[graph.steps[at].id] = at;
    }
    for (const Value& value : graph.values) {
      if (value.from == Value::From::step) step_of_[value.name] = value.at;
    }
  }

  void add(std::size_t from, std::size_t to) {
    successors_[from].push_back(to);
    ++open_[to];
  }
  // The step behind a name; nothing for an input.
  std::optional<std::size_t> step_of(const std::string& name) const {
    const auto found = step_of_.find(name);
    return found == step_of_.end() ? std::nullopt : std::optional(found->second);
  }
  // A step on or behind a cycle, the first listed; nothing if there is none.
  std::optional<std::size_t> stuck() {
    std::vector<std::size_t> ready;
    for (std::size_t at = 0; at < open_.size(); ++at) {
      if (open_[at] == 0) ready.push_back(at);
    }
    while (!ready.empty()) {
      const std::size_t at = ready.back();
      ready.pop_back();
      for (const std::size_t next : successors_[at]) {
        if (--open_[next] == 0) ready.push_back(next);
      }
    }
    const auto found = std::find_if(open_.begin(), open_.end(), [](std::size_t count) { return count != 0; });
    return found == open_.end() ? std::nullopt : std::optional<std::size_t>(found - open_.begin());
  }

 private:
  std::vector<std::vector<std::size_t>> successors_;
  std::vector<std::size_t> open_;  // edges into a step that are not yet passed
  std::unordered_map<std::string, std::size_t> step_of_;
};

void add_uses(const Graph& graph, const Arg& arg, std::size_t to, OrderGraph& order) {
  for (const Arg& item : arg.list) add_uses(graph, item, to, order);
  if (arg.kind != Arg::Kind::ref || !arg.ref.valid()) return;
  const Value& value = graph.value(arg.ref);
  if (value.from == Value::From::step) order.add(value.at, to);
}

}  // namespace

void check_order(const Graph& graph, const JsonAt& at, bool dataflow, JsonFaults& faults) {
  OrderGraph order(graph);
  std::map<std::string, std::size_t> last_of_stream;
  const JsonAt at_steps(at, "steps");
  for (std::size_t k = 0; k < graph.steps.size(); ++k) {
    const Step& step = graph.steps[k];
    const JsonAt here(at_steps, k), at_after(here, "after");
    for (std::size_t edge = 0; edge < step.after.size(); ++edge) {
      const auto from = order.step_of(step.after[edge]);
      if (!from) continue;
      if (*from == k) faults.fail(JsonAt(at_after, edge), "step runs after itself");
      if (*from > k && !dataflow)
        faults.fail(JsonAt(at_after, edge), in_quotes(step.after[edge]) + " is listed later");
      order.add(*from, k);
    }
    for (const Arg& arg : step.args) add_uses(graph, arg, k, order);
    for (const auto& [key, arg] : step.kwargs) add_uses(graph, arg, k, order);
    if (step.stream.empty()) continue;
    const auto [last, first] = last_of_stream.emplace(step.stream, k);
    if (!first) order.add(std::exchange(last->second, k), k);
  }
  if (const auto stuck = order.stuck()) faults.fail(JsonAt(at_steps, *stuck), "ordering edges form a cycle");
}

}  // namespace noclobber
