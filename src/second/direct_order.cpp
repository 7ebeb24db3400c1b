#include "src/second/direct_order.h"

#include <algorithm>
#include <map>
#include <set>

#include "src/second/direct_access.h"

namespace noclobber {
namespace {

using StepPair = std::pair<std::uint32_t, std::uint32_t>;

/// How two steps conflict on an element, the first listed step first.
enum class Clash : std::uint8_t { write_read, read_write, write_write };

constexpr std::size_t kMostSteps = 3000;
constexpr std::uint64_t kOrderEffort = 5'000'000;

std::string position(std::uint32_t step) { return "p" + std::to_string(step); }

void put_before(std::string& script, std::uint32_t first, std::uint32_t second) {
  script += "(assert (< " + position(first) + " " + position(second) + "))\n";
}

/// The number of graph steps of the Trace.
std::uint32_t steps_of(const Trace& trace) {
  std::uint32_t out = 0;
  for (const TraceStep& step : trace.steps) out = std::max(out, step.origin + 1);
  for (const auto& [earlier, later] : trace.edges) out = std::max({out, earlier + 1, later + 1});
  return out;
}

/// A comment line of the script, which no solver reads.
std::string remark(const std::string& text) {
  std::string out = "; " + text;
  for (char& c : out)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return out + "\n";
}

/// Declares one position per graph step and asserts the edges.
std::string positions(const Trace& trace, std::uint32_t count, const Questions& questions) {
  std::string out = remark("Where each step stands in an order:");
  for (std::uint32_t k = 0; k < count; ++k)
    if (const std::string said = questions.step(k); !said.empty()) out += remark(position(k) + ": " + said);
  for (std::uint32_t k = 0; k < count; ++k) out += "(declare-const " + position(k) + " Int)\n";
  out += remark("What must wait for what:");
  for (const auto& [earlier, later] : trace.edges) put_before(out, earlier, later);
  return out;
}

/// The meaning of the reversed pair, as text.
std::string reversed_comment(const StepPair& pair, Clash clash) {
  const std::string first = position(pair.first), second = position(pair.second);
  if (clash == Clash::write_read) return "R < D: " + second + " reads what " + first + " writes";
  if (clash == Clash::read_write) return "D < W < R: " + second + " overwrites what " + first + " reads";
  return "W < D: " + second + " is to overwrite what " + first + " writes";
}

/// The pairs of conflicting steps, in listed order, with the kind of the conflict.
std::map<StepPair, Clash> conflicts(DirectSizes& sizes, DirectAsk& ask, const Trace& trace) {
  std::map<StepPair, Clash> out;
  for (std::size_t b = 0; b < trace.steps.size(); ++b)
    for (std::size_t a = 0; a < b; ++a) {
      const TraceStep &x = trace.steps[a], &y = trace.steps[b];
      const StepPair pair = std::minmax(x.origin, y.origin);
      if (pair.first == pair.second || out.contains(pair)) continue;
      const auto meet = [&](const TraceViews& of, const TraceViews& with) {
        for (const TraceView& v : of)
          for (const TraceView& w : with)
            if (!never_meet(sizes, ask, v, w)) return true;
        return false;
      };
      if (meet(x.writes, y.reads))
        out.emplace(pair, Clash::write_read);
      else if (meet(x.writes, y.writes))
        out.emplace(pair, Clash::write_write);
      else if (meet(x.reads, y.writes))
        out.emplace(pair, Clash::read_write);
    }
  return out;
}

/// Moves from `pairs` to `open` the pairs that the model reverses; false if there are none.
bool take_reversed(std::map<StepPair, Clash>& pairs, const std::map<std::string, std::int64_t>& model,
                   std::vector<Unordered>& open) {
  const std::size_t had = pairs.size();
  for (auto it = pairs.begin(); it != pairs.end();) {
    const auto& [first, second] = it->first;
    const auto x = model.find(position(first)), y = model.find(position(second));
    if (x != model.end() && y != model.end() && y->second <= x->second) {
      open.push_back({first, second});
      it = pairs.erase(it);
    } else {
      ++it;
    }
  }
  return pairs.size() < had;
}

}  // namespace

OrderAnswer unordered_directly(const Space& space, const Trace& trace, Questions& questions) {
  OrderAnswer out;
  const std::uint32_t count = steps_of(trace);
  if (count > kMostSteps || trace.steps.size() > kMostSteps) return out;
  const std::string script = positions(trace, count, questions);
  // Cyclic dependences have no positions at all, so every question would be unsat.
  if (questions.ask(script, kOrderEffort).kind != SolverAnswer::Kind::sat) return out;
  Formulas formulas;
  DirectSizes sizes(space, formulas);
  DirectAsk ask(sizes, questions);
  std::map<StepPair, Clash> pairs = conflicts(sizes, ask, trace);
  while (!pairs.empty()) {
    std::string reversed = remark(
        "D defines a value, W overwrites it, R reads it. Is there an order in which one of these is so?");
    for (const auto& [pair, clash] : pairs) reversed += remark(reversed_comment(pair, clash));
    reversed += "(assert (or false";
    for (const auto& [pair, clash] : pairs)
      reversed += " (<= " + position(pair.second) + " " + position(pair.first) + ")";
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
