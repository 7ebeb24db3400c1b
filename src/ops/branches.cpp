#include "src/ops/branches.h"

#include <algorithm>
#include <functional>
#include <map>

#include "src/graph/bodies.h"

namespace noclobber {
namespace {

constexpr std::size_t kWorlds = 64, kSteps = 1U << 16;
constexpr int kNesting = 32;
constexpr const char* kBranch = "noclobber.branch.default";

/// control_deps((x, ...), body, operands...) runs its body after x, and does not read x.
bool waits(const Step& step) { return step.op->starts_with("higher_order.control_deps"); }

bool branches(const Step& step) {
  return step.op->starts_with("higher_order.cond") || step.op->starts_with("higher_order.invoke_subgraph") ||
         waits(step);
}

bool has_branches(const Graph& graph) {
  return std::any_of(graph.steps.begin(), graph.steps.end(), branches);
}

/// The outcome of each branch: decided ones first, then those met on the way, which are true.
struct Ways {
  std::vector<std::pair<std::string, bool>> taken;

  bool way(const std::string& key) {
    for (const auto& [name, truth] : taken)
      if (name == key) return truth;
    taken.emplace_back(key, true);
    return true;
  }
};

using Places = std::vector<std::optional<Arg>>;  // per value of a graph: its replacement

class Inliner {
 public:
  Inliner(const Case& value, Ways& ways) : case_(value), ways_(ways) {}

  std::optional<Graph> run(const Graph& top) {
    out_.name = top.name;
    out_.bodies = top.bodies;
    Places places(top.values.size());
    for (Input input : top.inputs) {
      const ValueId id = add(top.value(input.value).name, Value::From::input, out_.inputs.size(), 0,
                             top.value(input.value).type);
      places[input.value.index] = Arg::of(id);
      input.value = id;
      out_.inputs.push_back(std::move(input));
    }
    if (!steps(top, places, "", 0)) return std::nullopt;
    for (const Arg& arg : top.outputs) out_.outputs.push_back(placed(arg, places));
    for (const auto& [id, arg] : top.finals)
      out_.finals.emplace_back(places[id.index]->ref, placed(arg, places));
    if (failed_) return std::nullopt;
    return std::move(out_);
  }

 private:
  ValueId add(std::string name, Value::From from, std::size_t at, std::size_t result,
              std::optional<Type> type) {
    const ValueId id{static_cast<std::uint32_t>(out_.values.size())};
    out_.values.push_back({std::move(name), from, static_cast<std::uint32_t>(at),
                           static_cast<std::uint32_t>(result), std::move(type)});
    return id;
  }

  Arg placed(const Arg& arg, const Places& places) {
    if (arg.kind == Arg::Kind::ref) {
      if (arg.ref.index < places.size() && places[arg.ref.index]) return *places[arg.ref.index];
      failed_ = true;
      return {};
    }
    Arg out = arg;
    for (Arg& item : out.list.items()) item = placed(item, places);
    return out;
  }

  bool steps(const Graph& graph, Places& places, const std::string& prefix, int depth) {
    for (const Step& step : graph.steps) {
      if (!branches(step)) {
        copy(graph, step, places, prefix);
      } else if (depth > kNesting || !inline_body(graph, step, places, prefix, depth)) {
        return false;
      }
      if (failed_) return false;
    }
    return true;
  }

  void copy(const Graph& graph, const Step& step, Places& places, const std::string& prefix) {
    Step out = step;
    const auto take = [&](Arg& arg) {
      arg = placed(arg, places);
      if (!prefix.empty()) take_bodies(case_, graph, prefix, arg, out_);
    };
    for (Arg& arg : out.args) take(arg);
    for (auto& [name, arg] : out.kwargs.items()) take(arg);
    for (std::size_t k = 0; k < out.results.size(); ++k) {
      if (!step.results[k].valid()) continue;
      const Value& value = graph.value(step.results[k]);
      out.results[k] = add(prefix + value.name, Value::From::step, out_.steps.size(), k, value.type);
      places[step.results[k].index] = Arg::of(out.results[k]);
    }
    if (!out.extras->id.empty()) out.extras.edit().id = prefix + out.extras->id;
    out_.steps.push_back(std::move(out));
  }

  const Graph* body(const Graph& graph, const Arg& name) const {
    if (name.kind != Arg::Kind::graph) return nullptr;
    return find_body(case_, graph, out_, name.text);
  }

  /// The body that runs, and its operands. nullptr if the body is unknown.
  std::pair<const Graph*, std::vector<Arg>> chosen(const Graph& graph, const Step& step,
                                                   const Places& places) {
    const bool cond = step.op->starts_with("higher_order.cond");
    std::vector<Arg> operands;
    if (cond && step.args.size() >= 3) {
      if (step.args.size() > 3) operands = step.args[3].list;
      const Arg pred = placed(step.args[0], places);
      bool truth = pred.boolean;
      if (pred.kind != Arg::Kind::boolean) {
        const std::string key = "cond" + std::to_string(count_++);
        truth = ways_.way(key);
        if (pred.kind != Arg::Kind::ref) return {nullptr, {}};
        Step mark;
        mark.op = kBranch;
        mark.args = {pred, Arg::of_text(key)};
        mark.source = StepSource{step.source->loc, ""};
        out_.steps.push_back(std::move(mark));
      }
      return {body(graph, step.args[truth ? 1 : 2]), operands};
    }
    if (cond || step.args.empty()) return {nullptr, {}};
    if (waits(step)) {
      if (step.args.size() < 2) return {nullptr, {}};
      return {body(graph, step.args[1]), {step.args.begin() + 2, step.args.end()}};
    }
    for (std::size_t k = 1; k < step.args.size();
         ++k) {  // (body, "name", operands...) or (body, "name", [...])
      if (step.args[k].kind == Arg::Kind::list)
        operands.insert(operands.end(), step.args[k].list.begin(), step.args[k].list.end());
      else if (step.args[k].kind != Arg::Kind::text && step.args[k].kind != Arg::Kind::none)
        operands.push_back(step.args[k]);
    }
    return {body(graph, step.args[0]), operands};
  }

  /// False if the operand's dtype or shape differs from that of the body's input: the body states sizes by
  /// its own symbols.
  bool fits(const Arg& operand, const Value& input) const {
    const SharedType type = operand.kind == Arg::Kind::ref ? out_.value(operand.ref).type : SharedType();
    return !type || !input.type || (type->dtype == input.type->dtype && type->shape == input.type->shape);
  }

  bool inline_body(const Graph& graph, const Step& step, Places& places, const std::string& prefix,
                   int depth) {
    const auto [runs, operands] = chosen(graph, step, places);
    if (runs == nullptr || runs->inputs.size() != operands.size() || !runs->finals.empty()) return false;
    // A printed call has no result after the last one that is used; its body may return more.
    if (runs->outputs.size() < step.results.size() || !step.kwargs.empty()) return false;
    if (step.op->starts_with("higher_order.cond") && std::ranges::any_of(runs->outputs, gives_number))
      return false;
    Places inner(runs->values.size());
    for (std::size_t k = 0; k < operands.size(); ++k) {
      Arg& given = inner[runs->inputs[k].value.index].emplace(placed(operands[k], places));
      if (!fits(given, runs->value(runs->inputs[k].value))) return false;
    }
    const std::string own = prefix + std::to_string(out_.steps.size()) + ".";
    if (!steps(*runs, inner, own, depth + 1)) return false;
    for (std::size_t k = 0; k < step.results.size(); ++k)
      if (step.results[k].valid()) places[step.results[k].index] = placed(runs->outputs[k], inner);
    return true;
  }

  const Case& case_;
  Ways& ways_;
  Graph out_;
  int count_ = 0;
  bool failed_ = false;
};

/// Bounds on the worlds and steps of a graph, computed before anything is inlined. Each body is counted once,
/// however often it runs, so that a graph that would grow too large is not written out.
class Extent {
 public:
  Extent(const Case& value, const Graph& top) : case_(value), top_(top) {}
  bool is_small() { return small(of(top_)); }

 private:
  struct Count {
    std::size_t worlds = 1, steps = 0;
  };
  static constexpr Count kLarge{kWorlds + 1, kSteps + 1};
  static bool small(const Count& count) { return count.worlds <= kWorlds && count.steps <= kSteps; }

  Count of(const Graph& graph) {
    const auto [at, is_new] = known_.try_emplace(&graph, kLarge);  // for a recursive body
    if (!is_new) return at->second;
    if (++depth_ > kNesting + 1) return --depth_, kLarge;
    Count all;
    for (const Step& step : graph.steps) {
      const Count one = branches(step) ? of_branch(graph, step) : Count{1, 1};
      all.steps += one.steps;
      all.worlds *= one.worlds;
      if (!small(all)) all = kLarge;
    }
    --depth_;
    return known_[&graph] = all;
  }

  /// A cond counts both branches, or one if its predicate is a constant.
  Count of_branch(const Graph& graph, const Step& step) {
    Count out{0, 1};
    const bool cond = step.op->starts_with("higher_order.cond");
    const bool decided = cond && !step.args.empty() && step.args[0].kind == Arg::Kind::boolean;
    for (std::size_t k = 0; k < step.args.size(); ++k) {
      if (step.args[k].kind != Arg::Kind::graph) continue;
      if (decided && k != (step.args[0].boolean ? 1U : 2U)) continue;
      const Graph* body = find_body(case_, graph, top_, step.args[k].text);
      const Count inside = body != nullptr ? of(*body) : Count{};
      out.worlds += inside.worlds;
      out.steps = std::max(out.steps, 1 + inside.steps);
    }
    out.worlds = std::max<std::size_t>(out.worlds, 1);
    return small(out) ? out : kLarge;
  }

  const Case& case_;
  const Graph& top_;
  std::map<const Graph*, Count> known_;
  int depth_ = 0;
};

std::optional<World> world(const Case& value, Ways& ways) {
  World out{"", value};
  if (value.before) {
    out.value.before = Inliner(value, ways).run(*value.before);
    if (!out.value.before) return std::nullopt;
  }
  auto after = Inliner(value, ways).run(value.after);
  if (!after) return std::nullopt;
  out.value.after = *std::move(after);
  for (const auto& [key, truth] : ways.taken)
    out.name += (out.name.empty() ? "" : ", ") + key + (truth ? " true" : " false");
  return out;
}

}  // namespace

OpDecl branch_declaration() {
  OpDecl out;
  out.schema = "noclobber::branch(Tensor predicate, str which) -> ()";
  out.pure = false;
  return out;
}

std::vector<World> worlds_of(const Case& value) {
  std::vector<World> out;
  const bool any = has_branches(value.after) || (value.before && has_branches(*value.before));
  if (!any || value.dataflow) return {};
  if (!Extent(value, value.after).is_small() || (value.before && !Extent(value, *value.before).is_small()))
    return {};
  Ways ways;
  for (;;) {
    auto next = world(value, ways);
    if (!next || out.size() >= kWorlds) return {};
    out.push_back(*std::move(next));
    while (!ways.taken.empty() && !ways.taken.back().second) ways.taken.pop_back();
    if (ways.taken.empty()) return out;
    ways.taken.back().second = false;
  }
}

}  // namespace noclobber
