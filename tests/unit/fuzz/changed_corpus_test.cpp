// The given cases, each with one random change of `after`: what is proved of it, runs confirm.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>

#include "src/check/check.h"
#include "src/formats/case/case_json.h"
#include "src/fuzz/brute.h"
#include "src/fuzz/edits.h"
#include "src/fuzz/random.h"
#include "src/graph/uses.h"
#include "src/ops/schema.h"
#include "tests/catch.h"
#include "tests/support/corpus.h"
#include "tests/support/sample.h"

namespace changed_corpus_test {

using namespace noclobber;

namespace {

using Refs = std::vector<Arg*>;

void collect(Arg& arg, Arg::Kind kind, Refs& out) {
  if (arg.kind == kind) out.push_back(&arg);
  for (Arg& item : arg.list.items()) collect(item, kind, out);
}

Refs arguments(Step& step, Arg::Kind kind) {
  Refs out;
  for (Arg& arg : step.args) collect(arg, kind, out);
  for (auto& [name, arg] : step.kwargs.items()) collect(arg, kind, out);
  return out;
}

template <class T>
T* any_of(std::vector<T>& all, fuzz::Random& random) {
  return all.empty() ? nullptr
                     : &all[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(all.size())))];
}

/// Is every value made before it is used?
bool well_ordered(Graph& graph) {
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k)
    for (const Arg* arg : arguments(graph.steps[k], Arg::Kind::ref))
      if (const Value& v = graph.value(arg->ref); v.from == Value::From::step && v.at >= k) return false;
  return true;
}

/// Another value of the same type that is there before step `k`.
void exchange(Graph& graph, Arg& arg, std::size_t k, fuzz::Random& random) {
  std::vector<ValueId> fit;
  const Value& own = graph.value(arg.ref);
  for (std::uint32_t v = 0; v < graph.values.size(); ++v) {
    const Value& other = graph.values[v];
    const bool there = other.from == Value::From::input || other.at < k;
    const bool alike = own.type && other.type
                           ? own.type->shape == other.type->shape && own.type->dtype == other.type->dtype
                           : own.type == other.type;
    if (there && alike && !(ValueId(v) == arg.ref)) fit.push_back(ValueId(v));
  }
  if (const ValueId* by = any_of(fit, random)) arg.ref = *by;
}

/// The step goes; its first tensor stands for what it made.
void drop(Graph& graph, std::size_t k) {
  Step gone = graph.steps[k];
  graph.steps.erase(graph.steps.begin() + static_cast<std::ptrdiff_t>(k));
  const Refs given = arguments(gone, Arg::Kind::ref);
  if (given.empty() || gone.results.size() > 1) return;
  for (const ValueId made : gone.results) {
    const auto stand = [&](Arg& arg) {
      if (arg.ref == made) arg.ref = given[0]->ref;
    };
    for (Step& step : graph.steps)
      for (Arg* arg : arguments(step, Arg::Kind::ref)) stand(*arg);
    Refs shown;
    for (Arg& arg : graph.outputs) collect(arg, Arg::Kind::ref, shown);
    for (auto& [input, arg] : graph.finals) collect(arg, Arg::Kind::ref, shown);
    for (Arg* arg : shown) stand(*arg);
  }
}

/// One change of the graph; it may turn out to be none.
void change(Graph& graph, fuzz::Random& random) {
  if (graph.steps.empty()) return;
  const auto at = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(graph.steps.size())));
  Step& step = graph.steps[at];
  Refs refs = arguments(step, Arg::Kind::ref), numbers = arguments(step, Arg::Kind::sym);
  switch (random.below(6)) {
    case 0: {  // elsewhere
      const auto to = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(graph.steps.size())));
      Step moved = std::move(step);
      graph.steps.erase(graph.steps.begin() + static_cast<std::ptrdiff_t>(at));
      graph.steps.insert(graph.steps.begin() + static_cast<std::ptrdiff_t>(to), std::move(moved));
      return;
    }
    case 1:
      return drop(graph, at);
    case 2:
      if (Arg** arg = any_of(refs, random)) exchange(graph, **arg, at, random);
      return;
    case 3:
      if (const std::string op = fuzz::in_place_form(step.op); !op.empty()) {
        step.op = op;
      } else if (const std::string pure = functional_op(step.op); !pure.empty() && step.kwargs.empty()) {
        step.op = pure;
      }
      return;
    case 4:
      if (Arg** arg = any_of(numbers, random);
          arg != nullptr && (*arg)->sym.is_constant() &&
          (*arg)->sym.constant() < std::numeric_limits<std::int64_t>::max())
        (*arg)->sym = SymExpr((*arg)->sym.constant() + (random.chance(50) ? 1 : -1));
      return;
    default: {
      Refs shown;
      for (Arg& arg : graph.outputs) collect(arg, Arg::Kind::ref, shown);
      if (Arg** arg = any_of(shown, random)) exchange(graph, **arg, graph.steps.size(), random);
    }
  }
}

struct Tally {
  std::size_t made = 0, proved = 0, refuted = 0, unknown = 0, run = 0;
};

/// Checks changed cases; those that are proved are run.
void try_changes(const std::string& name, const Case& given, std::uint64_t seed, Tally& tally) {
  fuzz::Random random(seed);
  Case value = given;
  for (std::int64_t k = random.between(1, 2); k > 0; --k) {
    change(value.after, random);
    number_values(value.after);
  }
  if (!well_ordered(value.after)) return;
  const auto again = read_case_json(write_case_json(value));
  if (!again) return;
  ++tally.made;
  bool alarm = false;
  const Status status = check_case(*again, {}, alarm).status;
  CHECK_FALSE(alarm);
  tally.proved += status == Status::proved, tally.refuted += status == Status::refuted;
  tally.unknown += status == Status::unknown;
  if (status != Status::proved) return;
  const fuzz::BruteForce truth = fuzz::brute_force(*again);
  tally.run += truth.usable;
  INFO(name << ", seed " << seed << ": " << truth.difference << "\n" << write_case_json(*again));
  CHECK(truth.difference == "");
}

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace

TEST_CASE("changed cases: what is proved of a given case with a random change, runs confirm") {
  const std::uint64_t first = number_of("NC_SEED", 1), changes = number_of("NC_CHANGES", 3);
  const char* folder = std::getenv("NC_CASES");
  Tally tally;
  std::size_t number = 0;
  for (const auto& [name, value] : folder ? testing::corpus_cases(folder) : testing::corpus_cases()) {
    if (!value.before || value.plan || !testing::is_sampled(number++)) continue;
    for (std::uint64_t k = 0; k < changes; ++k) try_changes(name, value, first + k, tally);
  }
  std::cout << "changed cases: " << tally.made << ", " << tally.proved << " proved (" << tally.run
            << " run), " << tally.refuted << " refuted, " << tally.unknown << " unknown\n";
  CHECK(tally.run > testing::sampled(20));
  CHECK(tally.refuted > testing::sampled(100));
}

}  // namespace changed_corpus_test
