#include "src/prover/direct_order.h"

#include <algorithm>
#include <map>
#include <set>

#include "src/prover/direct_access.h"

namespace noclobber {
namespace {

using StepPair = std::pair<std::uint32_t, std::uint32_t>;

constexpr std::size_t kMostSteps = 3000;
constexpr std::uint64_t kOrderEffort = 5'000'000;

std::string position(std::uint32_t step) { return "p" + std::to_string(step); }

void put_before(std::string& script, std::uint32_t first, std::uint32_t second) {
  script += "(assert (< " + position(first) + " " + position(second) + "))\n";
}

/// Steps that made what the argument names.
void makers_of(const Graph& graph, const Arg& arg, std::set<std::uint32_t>& out) {
  for (const Arg& item : arg.list) makers_of(graph, item, out);
  if (arg.kind != Arg::Kind::ref || !arg.ref.valid()) return;
  const Value& value = graph.value(arg.ref);
  if (value.from == Value::From::step) out.insert(value.at);
}

/// Names that a control edge may use, and the step each stands for.
std::map<std::string, std::uint32_t> named_steps(const Graph& graph) {
  std::map<std::string, std::uint32_t> out;
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k) {
    if (!graph.steps[k].id.empty()) out[graph.steps[k].id] = k;
    for (ValueId id : graph.steps[k].results)
      if (id.valid()) out[graph.value(id).name] = k;
  }
  return out;
}

/// A position per step, and all that must be smaller than what.
std::string positions(const Graph& graph) {
  std::string out;
  const auto names = named_steps(graph);
  bool streams = false;
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k) {
    out += "(declare-const " + position(k) + " Int)\n";
    streams = streams || !graph.steps[k].stream.empty();
  }
  std::map<std::string, std::uint32_t> latest;
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k) {
    const Step& step = graph.steps[k];
    std::set<std::uint32_t> earlier;
    for (const Arg& arg : step.args) makers_of(graph, arg, earlier);
    for (const auto& [name, arg] : step.kwargs) makers_of(graph, arg, earlier);
    for (const std::string& name : step.after)
      if (const auto at = names.find(name); at != names.end()) earlier.insert(at->second);
    if (const auto at = latest.find(step.stream); streams && at != latest.end()) earlier.insert(at->second);
    latest[step.stream] = k;
    for (std::uint32_t e : earlier) put_before(out, e, k);
  }
  return out;
}

/// Pairs of steps, in listed order, that touch one element of a storage, one of them writing it.
std::set<StepPair> conflicts(DirectSizes& sizes, DirectAsk& ask, const Trace& trace, std::size_t steps) {
  std::set<StepPair> out;
  for (std::size_t b = 0; b < trace.steps.size(); ++b)
    for (std::size_t a = 0; a < b; ++a) {
      const TraceStep &x = trace.steps[a], &y = trace.steps[b];
      const StepPair pair = std::minmax(x.origin, y.origin);
      if (pair.first == pair.second || pair.second >= steps || out.contains(pair)) continue;
      const auto meet = [&](const std::vector<TraceView>& of, const std::vector<TraceView>& with) {
        for (const TraceView& v : of)
          for (const TraceView& w : with)
            if (!never_meet(sizes, ask, v, w)) return true;
        return false;
      };
      if (meet(x.writes, y.reads) || meet(x.writes, y.writes) || meet(x.reads, y.writes)) out.insert(pair);
    }
  return out;
}

/// Takes out of `pairs` those that the model has the other way round; false if there are none.
bool take_reversed(std::set<StepPair>& pairs, const std::map<std::string, std::int64_t>& model,
                   std::vector<Unordered>& open) {
  const std::size_t had = pairs.size();
  for (auto it = pairs.begin(); it != pairs.end();) {
    const auto x = model.find(position(it->first)), y = model.find(position(it->second));
    if (x != model.end() && y != model.end() && y->second <= x->second) {
      open.push_back({it->first, it->second});
      it = pairs.erase(it);
    } else {
      ++it;
    }
  }
  return pairs.size() < had;
}

}  // namespace

OrderAnswer unordered_directly(const Space& space, const Graph& graph, const Trace& trace,
                               Questions& questions) {
  OrderAnswer out;
  if (graph.steps.size() > kMostSteps || trace.steps.size() > kMostSteps) return out;
  const std::string script = positions(graph);
  // Dependences in a circle have no positions at all: every question would seem to be answered.
  if (questions.ask(script, kOrderEffort).kind != SolverAnswer::Kind::sat) return out;
  Formulas formulas;
  DirectSizes sizes(space, formulas);
  DirectAsk ask(sizes, questions);
  std::set<StepPair> pairs = conflicts(sizes, ask, trace, graph.steps.size());
  while (!pairs.empty()) {
    std::string reversed = "(assert (or false";
    for (const auto& [a, b] : pairs) reversed += " (<= " + position(b) + " " + position(a) + ")";
    const SolverAnswer answer = questions.ask(script + reversed + "))\n", kOrderEffort);
    if (answer.kind == SolverAnswer::Kind::unsat) break;
    if (answer.kind == SolverAnswer::Kind::none || !take_reversed(pairs, answer.model, out.open))
      return OrderAnswer{};
  }
  std::sort(out.open.begin(), out.open.end(), [](const Unordered& a, const Unordered& b) {
    return std::pair(a.first, a.second) < std::pair(b.first, b.second);
  });
  out.known = true;
  return out;
}

}  // namespace noclobber
