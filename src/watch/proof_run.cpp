#include "src/watch/proof_run.h"

#include <algorithm>
#include <deque>
#include <map>
#include <string_view>
#include <unordered_map>

#include "src/graph/uses.h"
#include "src/watch/watch.h"

namespace noclobber {

namespace {

/// Symbols that a step defines: the number of rows of nonzero, numbers that the host reads.
std::set<std::string> found_by_steps(const Case& value) {
  std::set<std::string> out;
  for (const auto& [symbol, range] : value.symbols)
    if (range.unbacked) out.insert(symbol);
  const auto add = [&](const Graph& graph) {
    for (const auto& [symbol, step] : sizes_made(graph))
      if (step) out.insert(symbol);
  };
  if (value.before) add(*value.before);
  add(value.after);
  return out;
}

/// True if only one graph gives the contents of a constant. The other has a digest, which no run can expand.
bool is_told_by_one(const Case& value) {
  if (!value.before) return false;
  std::unordered_map<std::string_view, bool> told;
  for (const Input& mine : value.before->inputs)
    told.emplace(value.before->value(mine.value).name, mine.contents.has_value());
  return std::ranges::any_of(value.after.inputs, [&](const Input& theirs) {
    const auto mine = told.find(value.after.value(theirs.value).name);
    return mine != told.end() && mine->second != theirs.contents.has_value();
  });
}

/// Number of elements of all values of a graph by its Trace, as a count of each shape.
class ElementCount {
 public:
  explicit ElementCount(const std::vector<std::optional<TraceView>>& views) {
    for (const auto& view : views)
      if (view)
        ++shapes_[view->shape];
      else
        ++others_;
  }
  std::int64_t under(const Symbols& symbols, const Space& space) const {
    std::int64_t all = kUnknown * others_;
    for (const auto& [shape, times] : shapes_)
      all = std::min(kMany, all + times * std::min(kMany / times, elements(shape, symbols, space)));
    return all;
  }

 private:
  static constexpr std::int64_t kUnknown = 64, kMany = std::int64_t{1} << 50;
  static std::int64_t elements(const Shape& shape, const Symbols& symbols, const Space& space) {
    std::int64_t n = 1;
    for (const PolyId extent : shape) {
      const auto size = extent == Space::kBad ? std::nullopt : space.value(extent, symbols);
      if (!size || *size < 0) return kUnknown;
      if (__builtin_mul_overflow(n, *size, &n)) return kMany;
    }
    return n;
  }

  std::map<Shape, std::int64_t> shapes_;
  std::int64_t others_ = 0;  // values without a view
};

}  // namespace

ProofRun run_proof(const Case& value, const Traced& running, const Space& space, const OpSet& ops, bool exact,
                   std::int64_t work) {
  ProofRun out;
  if (work <= 0 || is_told_by_one(value)) return out;
  std::deque<Symbols> sizes;  // each Watch holds a reference to one
  std::deque<Watch> all;
  std::set<const Onlooker*> of_before;
  const std::set<std::string> found = found_by_steps(value);
  bool doubtful = false;
  ConfirmOptions options;
  options.work = work;
  options.exact = exact;
  const ElementCount of_all_before(running.views_before.values), of_all(running.views.values);
  options.elements = [&](bool before, const Symbols& symbols) {
    return (before ? of_all_before : of_all).under(symbols, space);
  };
  options.onlooker = [&](bool before, const Symbols& symbols) -> Onlooker* {
    const Graph* graph = before ? &*value.before : &value.after;
    const Trace* trace = before ? &*running.before : &running.after;
    const auto& views = before ? running.views_before : running.views;
    Watch& watch = all.emplace_back(space, Watched{graph, trace, &views.values}, ops,
                                    sizes.emplace_back(symbols), found, work);
    if (before) of_before.insert(&watch);
    return &watch;
  };
  options.finish = [&](Onlooker& onlooker, const Run& run) {
    auto& watch = static_cast<Watch&>(onlooker);
    watch.finish(run);
    doubtful = doubtful || watch.doubtful();
    if (out.contradiction.empty() && !watch.fault().empty())
      out.contradiction = (of_before.contains(&onlooker) ? "before: " : "after: ") + watch.fault();
  };
  const Confirmed said = confirm(value, options);
  out.ran = said.ran && !doubtful;
  if (out.contradiction.empty()) out.contradiction = said.difference;
  return out;
}

ProofRun run_unwatched(const Case& value, bool exact, std::int64_t work) {
  ConfirmOptions options;
  options.work = work;
  options.exact = exact;
  Confirmed said = confirm(value, options);
  return {said.ran, std::move(said.difference)};
}

}  // namespace noclobber
