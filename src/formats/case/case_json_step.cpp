// Steps of a GRAPH: names, operators, ordering edges.
#include <algorithm>
#include <array>
#include <utility>

#include "src/formats/case/case_json_facts.h"
#include "src/formats/case/case_json_graph.h"

namespace noclobber {

// `after` may name a later step, so all names are collected before the first step is read.
void GraphJsonReader::steps(const OrderedJson& json, const JsonAt& at) {
  for (std::size_t k = 0; k < json.size() && !faults_.failed(); ++k) names(json[k], JsonAt(at, k));
  graph_.steps.reserve(json.size());
  graph_.values.reserve(graph_.values.size() + json.size());
  for (std::size_t k = 0; k < json.size() && !faults_.failed(); ++k)
    graph_.steps.push_back(step(json[k], JsonAt(at, k)));
}

void GraphJsonReader::steps(PlainList& listed, const JsonAt& at) {
  graph_.steps.reserve(listed.size());
  graph_.values.reserve(graph_.values.size() + listed.size());
  OrderedJson json;
  for (std::size_t k = 0; !faults_.failed() && listed.next(json); ++k) {
    const JsonAt here(at, k);
    if (json.is_object()) label(json, here);
    graph_.steps.push_back(step(json, here));
  }
  if (!listed.ended()) faults_.fail(at, "an object says a name twice");
}

void GraphJsonReader::names(const OrderedJson& step, const JsonAt& at) {
  if (!step.is_object()) return;
  label(step, at);
  const auto result = [&](const OrderedJson& name) {
    if (!name.is_string()) return;
    const auto [old, fresh] = labels_.emplace(name.get<std::string>(), true);
    if (!fresh && !old->second) faults_.fail(at, "name " + in_quotes(old->first) + " is used twice");
  };
  if (const OrderedJson* name = find_member(step, "name")) result(*name);
  const OrderedJson* names = find_member(step, "names");
  if (names != nullptr && names->is_array()) std::for_each(names->begin(), names->end(), result);
}

void GraphJsonReader::label(const OrderedJson& step, const JsonAt& at) {
  const OrderedJson* id = find_member(step, "id");
  if (id == nullptr) return;
  const JsonAt here(at, "id");
  const std::string text = faults_.text(*id, here);
  if (faults_.failed()) return;
  if (text.empty()) faults_.fail(here, "an empty name");
  if (defined(text).valid() || !labels_.emplace(text, false).second)
    faults_.fail(here, "name " + in_quotes(text) + " is used twice");
}

Step GraphJsonReader::step(const OrderedJson& json, const JsonAt& at) {
  Step result;
  if (!faults_.object(json, at)) return result;
  const OrderedJson* called = faults_.required(json, at, "op");
  const OrderedJson* given = faults_.required(json, at, "args");
  if (faults_.failed()) return result;
  result.op = op(*called, JsonAt(at, "op"));
  result.args = arguments(*given, JsonAt(at, "args"));
  constexpr std::size_t kLeast = 3;  // "op", "args" and a name: most steps have no more
  if (const OrderedJson* name = find_member(json, "name"); name != nullptr && json.size() == kLeast) {
    if (!faults_.failed()) result.results.push_back(new_value(*name, JsonAt(at, "name"), step_value(0)));
  } else {
    rest(json, at, result);
  }
  if (!faults_.failed()) check_results(result, at);
  if (!faults_.failed()) check_control(result, at);
  return result;
}

/// The value that is result `number` of the next step.
Value GraphJsonReader::step_value(std::size_t number) const {
  return {"", Value::From::step, static_cast<std::uint32_t>(graph_.steps.size()),
          static_cast<std::uint32_t>(number)};
}

void GraphJsonReader::rest(const OrderedJson& json, const JsonAt& at, Step& result) {
  const JsonAt at_kwargs(at, "kwargs");
  const OrderedJson* kwargs = find_member(json, "kwargs");
  if (kwargs != nullptr && faults_.object(*kwargs, at_kwargs)) {
    for (const auto& [key, item] : kwargs->get_ref<const OrderedJson::object_t&>()) {
      if (faults_.failed()) break;
      result.kwargs.edit().emplace_back(key, argument(item, JsonAt(at_kwargs, key)));
    }
  }
  if (!faults_.failed()) step_texts(json, at, result);
  if (!faults_.failed()) results(json, at, result);
}

/// The full name of the operator. Steps that call one operator share the string.
const Shared<std::string>& GraphJsonReader::op(const OrderedJson& json, const JsonAt& at) {
  static const Shared<std::string> none;
  if (!json.is_string()) return full_op(json, at), none;
  const std::string& spelled = json.get_ref<const std::string&>();
  if (const auto known = ops_.find(spelled); known != ops_.end()) return known->second;
  std::string full = full_op(json, at);
  return faults_.failed() ? none : ops_.emplace(spelled, std::move(full)).first->second;
}

std::string GraphJsonReader::full_op(const OrderedJson& json, const JsonAt& at) {
  std::string text = faults_.text(json, at);
  if (faults_.failed()) return {};
  // Readers of ExecuTorch programs name a step by a sentence if no operator corresponds to it.
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
  std::string id, stream;
  StepSource source;
  const auto read = [&](std::string_view key, auto& to) {
    if (const OrderedJson* item = find_member(json, key)) to = faults_.text(*item, JsonAt(at, key));
  };
  read("id", id);
  read("stream", stream);
  read("loc", source.loc);
  read("code", source.code);
  step.source = std::move(source);
  if (!id.empty()) step.extras.edit().id = std::move(id);
  if (!stream.empty()) step.extras.edit().stream = std::move(stream);
  read_step_facts(json, at, step, faults_);
  const JsonAt at_after(at, "after");
  const OrderedJson* after = find_member(json, "after");
  if (after == nullptr || !faults_.array(*after, at_after)) return;
  for (std::size_t k = 0; k < after->size() && !faults_.failed(); ++k) {
    const JsonAt here(at_after, k);
    std::string name = faults_.text((*after)[k], here);
    if (!labels_.contains(name) && !defined(name).valid())
      faults_.fail(here, "unknown step " + show((*after)[k]));
    step.extras.edit().after.push_back(std::move(name));
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
    Value value = step_value(k);
    if (types != nullptr) value.type = type((*types)[k], JsonAt(at_types, k));
    if (many == nullptr) {
      step.results.push_back(new_value(*one, JsonAt(at, "name"), std::move(value)));
    } else if ((*many)[k].is_null()) {
      step.results.emplace_back();  // a result without a name
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

// Control flow is refused if a body does not take as many inputs as operands are passed.
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

// The ordering edges between the steps of a graph.
class OrderGraph {
 public:
  explicit OrderGraph(const Graph& graph) : successors_(graph.steps.size()), open_(graph.steps.size()) {
    for (std::size_t at = 0; at < graph.steps.size(); ++at) {
      if (!graph.steps[at].extras->id.empty()) step_of_[graph.steps[at].extras->id] = at;
    }
    for (const Value& value : graph.values) {
      if (value.from == Value::From::step) step_of_[value.name] = value.at;
    }
  }

  void add(std::size_t from, std::size_t to) {
    successors_[from].push_back(to);
    ++open_[to];
  }
  // The step that defines a name; empty for an input.
  std::optional<std::size_t> step_of(const std::string& name) const {
    const auto found = step_of_.find(name);
    return found == step_of_.end() ? std::nullopt : std::optional(found->second);
  }
  // The first listed step on or after a cycle; empty if there is none.
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
  std::vector<std::size_t> open_;  // edges into a step whose source is not yet done
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
  const auto says_more = [](const Step& step) {
    return !step.extras->after.empty() || !step.extras->stream.empty();
  };
  if (std::ranges::none_of(graph.steps, says_more)) return;  // operands are always listed before their uses
  OrderGraph order(graph);
  std::map<std::string, std::size_t> last_of_stream;
  const JsonAt at_steps(at, "steps");
  for (std::size_t k = 0; k < graph.steps.size(); ++k) {
    const Step& step = graph.steps[k];
    const JsonAt here(at_steps, k), at_after(here, "after");
    for (std::size_t edge = 0; edge < step.extras->after.size(); ++edge) {
      const auto from = order.step_of(step.extras->after[edge]);
      if (!from) continue;
      if (*from == k) faults.fail(JsonAt(at_after, edge), "step runs after itself");
      if (*from > k && !dataflow)
        faults.fail(JsonAt(at_after, edge), in_quotes(step.extras->after[edge]) + " is listed later");
      order.add(*from, k);
    }
    for (const Arg& arg : step.args) add_uses(graph, arg, k, order);
    for (const auto& [key, arg] : step.kwargs) add_uses(graph, arg, k, order);
    if (step.extras->stream.empty()) continue;
    const auto [last, first] = last_of_stream.emplace(step.extras->stream, k);
    if (!first) order.add(std::exchange(last->second, k), k);
  }
  if (const auto stuck = order.stuck()) faults.fail(JsonAt(at_steps, *stuck), "ordering edges form a cycle");
}

}  // namespace noclobber
