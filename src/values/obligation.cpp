#include "src/values/obligation.h"

#include <algorithm>
#include <unordered_map>

#include "src/values/sharing.h"

namespace noclobber {
using Kind = Obligation::Kind;

bool is_equality(Kind kind) {
  return kind == Kind::value || kind == Kind::exit || kind == Kind::current || kind == Kind::current_output;
}

/// Obligations on the sharing of outputs: with storages of the caller, whether or not an input covers the
/// elements, and with each other. The latter cannot be observed for outputs that the caller makes anew.
static void of_sharing(std::vector<Obligation>& out, const Trace& trace, const Boundary& boundary,
                       bool of_before) {
  std::unordered_map<StorageId, std::vector<std::uint32_t>> inputs;
  for (std::uint32_t x = 0; x < trace.inputs.size(); ++x) inputs[trace.inputs[x].view.storage].push_back(x);
  for (std::uint32_t k = 0; k < trace.outputs.size(); ++k) {
    const TraceView* view = output_view(trace, k);
    if (view == nullptr) continue;
    const auto asked = [&](std::uint32_t x) { return !boundary.may_share.contains({k, x}); };
    const std::vector<std::uint32_t>& shown = inputs[view->storage];
    const bool unseen = shown.empty() && trace.storages[view->storage].start == TraceStorage::Start::given;
    if (unseen || std::ranges::any_of(shown, asked)) out.push_back({Kind::sharing, of_before, k, 0});
    if (!made_anew(boundary, k)) out.push_back({Kind::together, of_before, k, 0});
  }
}

static void of_outputs(std::vector<Obligation>& out, const Trace& before, const Trace& after,
                       const Boundary& boundary) {
  for (std::uint32_t k = 0; k < after.outputs.size(); ++k) {
    out.push_back({Kind::type, false, k, 0});
    out.push_back({Kind::value, false, k, 0});
  }
  if (!boundary.sharing_may_grow) of_sharing(out, after, boundary, false);
  if (!boundary.sharing_may_shrink) of_sharing(out, before, boundary, true);
}

static void of_step(std::vector<Obligation>& out, const TraceStep& step, std::uint32_t number) {
  out.push_back({Kind::store, false, number, 0});
  out.push_back({Kind::clean, false, number, 0});
  for (std::uint32_t k = 0; k < step.reaching.size(); ++k) out.push_back({Kind::current, false, number, k});
}

std::vector<Obligation> enumerate(const Trace* before, const Trace& after, const Boundary& boundary) {
  std::vector<Obligation> out;
  const auto each = [&](Kind kind, std::size_t count, bool of_before) {
    for (std::uint32_t k = 0; k < count; ++k) out.push_back({kind, of_before, k, 0});
  };
  const auto understood = [&](const Trace& trace, bool of_before) {
    each(Kind::modelled, trace.unknown.size(), of_before);
    each(Kind::claim, trace.claims.size(), of_before);
  };
  understood(after, false);
  each(Kind::order, after.any_order ? 1 : 0, false);
  each(Kind::placed, after.placements.size(), false);
  for (std::uint32_t step = 0; step < after.steps.size(); ++step) of_step(out, after.steps[step], step);
  for (std::uint32_t k = 0; k < after.outputs.size(); ++k)
    if (after.outputs[k].reaching) out.push_back({Kind::current_output, false, k, 0});
  for (std::uint32_t k = 0; k < after.outputs.size() && before == nullptr; ++k)
    if (after.outputs[k].view) out.push_back({Kind::defined, false, k, 0});
  if (before == nullptr) return out;
  understood(*before, true);
  out.push_back({Kind::frame, false, 0, 0});
  for (StorageId s = 0; s < after.storages.size(); ++s)
    if (after.storages[s].compared) out.push_back({Kind::exit, false, s, 0});
  of_outputs(out, *before, after, boundary);
  return out;
}

Decision decide(Rules& rules, const std::vector<Obligation>& obligations,
                const std::set<Obligation>& by_solver, bool solver_only) {
  Decision out;
  for (const Obligation& o : obligations) {
    const bool equality = is_equality(o.kind);
    const auto claimed = [&] {
      if (!by_solver.contains(o)) return false;
      const auto [a, b] = rules.contents(o);
      return a != Terms::kBad && b != Terms::kBad;
    };
    if (!(solver_only && equality) && rules.shown(o))
      ++out.by_rule;
    else if (equality && claimed())
      ++out.by_solver;
    else
      out.open.push_back(o);
  }
  out.proved = out.open.empty();
  return out;
}

}  // namespace noclobber
