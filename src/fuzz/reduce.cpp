#include "src/fuzz/reduce.h"

#include <algorithm>
#include <set>

#include "src/formats/case/case_json.h"
#include "src/graph/uses.h"

namespace noclobber::fuzz {
namespace {

template <class Change>
void each_arg(Arg& arg, const Change& change) {
  change(arg);
  for (Arg& item : arg.list.items()) each_arg(item, change);
}

template <class Change>
void each_arg(Graph& graph, const Change& change) {
  for (Step& step : graph.steps) {
    for (Arg& arg : step.args) each_arg(arg, change);
    for (auto& [name, arg] : step.kwargs.items()) each_arg(arg, change);
  }
  for (Arg& arg : graph.outputs) each_arg(arg, change);
  for (auto& [input, arg] : graph.finals) each_arg(arg, change);
}

/// True if the value is read, or is an input whose final contents are stated.
bool is_named(const Graph& graph, ValueId value) {
  return is_used(graph, value) ||
         std::ranges::any_of(graph.finals, [&](const auto& f) { return f.first == value; });
}

/// Removes values that nothing refers to, and renumbers the rest.
void compact(Graph& graph, const std::set<std::uint32_t>& gone) {
  std::vector<ValueId> to(graph.values.size());
  std::vector<Value> kept;
  for (std::uint32_t k = 0; k < graph.values.size(); ++k) {
    if (gone.contains(k)) continue;
    to[k] = ValueId(kept.size());
    kept.push_back(std::move(graph.values[k]));
  }
  graph.values = std::move(kept);
  const auto move = [&](ValueId& id) {
    if (id.valid()) id = to[id.index];
  };
  each_arg(graph, [&](Arg& arg) {
    if (arg.kind == Arg::Kind::ref) move(arg.ref);
  });
  for (auto& [input, arg] : graph.finals) move(input);
  for (Input& input : graph.inputs) move(input.value);
  for (Step& step : graph.steps)
    for (ValueId& id : step.results) move(id);
  number_values(graph);
}

/// The first tensor argument.
ValueId first_operand(const Step& step) {
  for (const Arg& arg : step.args) {
    if (arg.kind == Arg::Kind::ref) return arg.ref;
    if (arg.kind == Arg::Kind::list && !arg.list.empty() && arg.list[0].kind == Arg::Kind::ref)
      return arg.list[0].ref;
  }
  return {};
}

void forget_name(Case& value, const std::string& name) {
  for (Graph* graph : {value.before ? &*value.before : nullptr, &value.after})
    if (graph != nullptr)
      for (Step& step : graph->steps)
        if (!step.extras->after.empty()) std::erase(step.extras.edit().after, name);
  if (!value.plan) return;
  std::erase_if(value.plan->buffers, [&](const PlanBuffer& b) { return b.is_value && b.name == name; });
  std::erase(value.plan->required, name);
}

/// Removes step `k`; its result becomes its first operand. False if another result is needed.
bool drop_step(Case& value, Graph& graph, std::size_t k) {
  const Step step = graph.steps[k];
  const ValueId by = first_operand(step);
  std::set<std::uint32_t> gone;
  for (std::size_t r = 0; r < step.results.size(); ++r) {
    if (!step.results[r].valid()) continue;
    gone.insert(step.results[r].index);
    if (!is_named(graph, step.results[r])) continue;
    if (r > 0 || !by.valid()) return false;
    each_arg(graph, [&](Arg& arg) {
      if (arg.kind == Arg::Kind::ref && arg.ref == step.results[r]) arg.ref = by;
    });
  }
  for (const std::uint32_t v : gone) forget_name(value, graph.values[v].name);
  forget_name(value, step.extras->id);
  graph.steps.erase(graph.steps.begin() + static_cast<std::ptrdiff_t>(k));
  compact(graph, gone);
  return true;
}

bool drop_input(Graph& graph, const std::string& name) {
  const ValueId id = graph.find(name);
  if (!id.valid() || graph.value(id).from != Value::From::input || is_named(graph, id)) return false;
  graph.inputs.erase(graph.inputs.begin() + graph.value(id).at);
  compact(graph, {id.index});
  return true;
}

/// Tries one change after the other; keeps those that preserve the finding.
class Reducer {
 public:
  Reducer(Case value, const std::function<bool(const Case&)>& same, std::size_t most)
      : value_(std::move(value)), same_(same), left_(most) {}

  Case run() {
    for (bool smaller = true; smaller && left_ > 0;) {
      smaller = outputs();
      smaller = pairs_of_steps() || smaller;
      smaller = single_steps() || smaller;
      smaller = extras() || smaller;
      smaller = inputs() || smaller;
      smaller = sizes() || smaller;
    }
    return std::move(value_);
  }

 private:
  bool keep(Case next) {
    if (left_ == 0) return false;
    const auto again = read_case_json(write_case_json(next));
    if (!again) return false;
    --left_;
    if (!same_(*again)) return false;
    value_ = std::move(next);
    return true;
  }

  template <class Change>
  bool attempt(const Change& change) {
    Case next = value_;
    return change(next) && keep(std::move(next));
  }

  bool outputs() {
    bool out = false;
    for (std::size_t k = value_.after.outputs.size(); k-- > 0;)
      out = attempt([&](Case& next) {
              const auto drop = [&](Graph& graph) {
                if (k < graph.outputs.size())
                  graph.outputs.erase(graph.outputs.begin() + static_cast<std::ptrdiff_t>(k));
              };
              drop(next.after);
              if (next.before) drop(*next.before);
              return true;
            }) ||
            out;
    return out;
  }

  /// Removes one step of each graph at once: a sound pair stays sound.
  bool pairs_of_steps() {
    bool out = false;
    for (std::size_t k = value_.after.steps.size(); k-- > 0 && value_.before;)
      for (std::size_t j = value_.before->steps.size(); j-- > 0;) {
        const bool done = attempt(
            [&](Case& next) { return drop_step(next, next.after, k) && drop_step(next, *next.before, j); });
        out = out || done;
        if (done) break;
      }
    return out;
  }

  bool single_steps() {
    bool out = false;
    for (std::size_t k = value_.after.steps.size(); k-- > 0;)
      out = attempt([&](Case& next) { return drop_step(next, next.after, k); }) || out;
    for (std::size_t k = value_.before ? value_.before->steps.size() : 0; k-- > 0;)
      out = attempt([&](Case& next) { return drop_step(next, *next.before, k); }) || out;
    for (const auto& [name, body] : std::map<std::string, Graph>(value_.bodies))
      for (std::size_t k = body.steps.size(); k-- > 0;)
        out = attempt([&](Case& next) {
                Graph& graph = next.bodies[name];
                return k < graph.steps.size() && drop_step(next, graph, k);
              }) ||
              out;
    return out;
  }

  /// Removes finals, edges, relations and places: whatever a case may go without.
  bool extras() {
    bool out = false;
    const auto without = [&](std::size_t count, const auto& list_of) {
      for (std::size_t k = count; k-- > 0;)
        out = attempt([&](Case& next) {
                auto& list = list_of(next);
                if (k >= list.size()) return false;
                list.erase(list.begin() + static_cast<std::ptrdiff_t>(k));
                return true;
              }) ||
              out;
    };
    without(
        value_.assume.size(), [](Case & c) -> auto& { return c.assume; });
    for (std::size_t k = value_.plan ? value_.plan->buffers.size() : 0; k-- > 0;)
      out = attempt([&](Case& next) { return drop_buffer(*next.plan, k); }) || out;
    if (value_.before)
      without(
          value_.before->finals.size(), [](Case & c) -> auto& { return c.before->finals; });
    without(
        value_.after.finals.size(), [](Case & c) -> auto& { return c.after.finals; });
    for (std::size_t s = 0; s < value_.after.steps.size(); ++s)
      without(
          value_.after.steps[s].extras->after.size(), [s](Case & c) -> auto& {
            return c.after.steps[s].extras.edit().after;
          });
    return out;
  }

  static bool drop_buffer(Plan& plan, std::size_t k) {
    if (k >= plan.buffers.size()) return false;
    std::erase(plan.required, plan.buffers[k].name);
    plan.buffers.erase(plan.buffers.begin() + static_cast<std::ptrdiff_t>(k));
    return true;
  }

  bool inputs() {
    bool out = false;
    for (const Input& input : std::vector<Input>(value_.after.inputs)) {
      const std::string name = value_.after.value(input.value).name;
      out = attempt([&](Case& next) {
              return drop_input(next.after, name) && (!next.before || drop_input(*next.before, name));
            }) ||
            out;
      if (out) break;  // ids have changed
    }
    return out;
  }

  /// Shrinks every size that equals one of the inputs', and fixes symbols at one value.
  bool sizes() {
    bool out = false;
    for (const auto& [name, range] : std::map<std::string, SymbolRange>(value_.symbols))
      for (std::int64_t at = range.min; at <= range.min + 3 && range.max != range.min; ++at)
        if (attempt([&](Case& next) {
              next.symbols[name].min = at;
              next.symbols[name].max = at;
              return true;
            })) {
          out = true;
          break;
        }
    std::set<std::int64_t> known;
    for (const Input& input : value_.after.inputs)
      if (const auto& type = value_.after.value(input.value).type)
        for (const SymExpr& size : type->shape)
          if (size.is_constant() && size.constant() > 1) known.insert(size.constant());
    for (const std::int64_t size : known)
      for (const std::int64_t to : {std::int64_t{1}, size / 2, size - 1})
        for (const bool arguments : {false, true})
          if (to > 0 && to < size && attempt([&](Case& next) { return resize(next, size, to, arguments); }))
            return true;
    return out;
  }

  static void exchange(SymExpr& size, std::int64_t from, std::int64_t to) {
    if (size.is_constant() && size.constant() == from) size = SymExpr(to);
  }

  static bool resize(Case& next, std::int64_t from, std::int64_t to, bool arguments) {
    for (Graph* graph : {next.before ? &*next.before : nullptr, &next.after}) {
      if (graph == nullptr) continue;
      for (Value& value : graph->values) {
        if (!value.type || value.type->strides == Type::Strides::given) continue;
        for (SymExpr& size : value.type.edit().shape) exchange(size, from, to);
      }
      if (arguments)
        each_arg(*graph, [&](Arg& arg) {
          if (arg.kind == Arg::Kind::sym) exchange(arg.sym, from, to);
        });
    }
    return true;
  }

  Case value_;
  const std::function<bool(const Case&)>& same_;
  std::size_t left_;
};

}  // namespace

std::string CaseSize::text() const {
  return std::to_string(steps) + " steps, " + std::to_string(inputs) + " inputs of " +
         std::to_string(elements) + " elements, " + std::to_string(outputs) + " outputs";
}

CaseSize size_of(const Case& value) {
  CaseSize out;
  out.steps = value.after.steps.size() + (value.before ? value.before->steps.size() : 0);
  for (const auto& [name, body] : value.bodies) out.steps += body.steps.size();
  out.inputs = value.after.inputs.size();
  out.outputs = value.after.outputs.size();
  for (const Input& input : value.after.inputs)
    if (const auto& type = value.after.value(input.value).type) {
      std::int64_t count = 1;
      for (const SymExpr& size : type->shape) {
        const std::int64_t extent = size.is_constant() ? size.constant() : 1;
        if (__builtin_mul_overflow(count, extent, &count)) count = 0;
      }
      if (__builtin_add_overflow(out.elements, count, &out.elements)) out.elements = 0;
    }
  return out;
}

Case reduce_case(const Case& value, const std::function<bool(const Case&)>& same, std::size_t most) {
  return Reducer(value, same, most).run();
}

}  // namespace noclobber::fuzz
