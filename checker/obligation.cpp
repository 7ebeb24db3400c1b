#include "checker/obligation.h"

namespace noclobber {

namespace {
using Kind = Obligation::Kind;

void each(std::vector<Obligation>& out, Kind kind, std::size_t count, bool of_before) {
  for (std::uint32_t k = 0; k < count; ++k) out.push_back({kind, of_before, k, 0});
}

void of_one(std::vector<Obligation>& out, const Trace& trace, bool of_before) {
  each(out, Kind::modelled, trace.unknown.size(), of_before);
  each(out, Kind::claim, trace.claims.size(), of_before);
}

void of_after(std::vector<Obligation>& out, const Trace& after) {
  if (after.any_order) out.push_back({Kind::order, false, 0, 0});
  each(out, Kind::placed, after.placements.size(), false);
  for (std::uint32_t step = 0; step < after.steps.size(); ++step) {
    out.push_back({Kind::store, false, step, 0});
    out.push_back({Kind::clean, false, step, 0});
    for (std::uint32_t read = 0; read < after.steps[step].means.size(); ++read)
      out.push_back({Kind::current, false, step, read});
  }
}

/// Two outputs that are views of one input for the caller anyway.
bool both_may_share(const Boundary& boundary, std::uint32_t a, std::uint32_t b) {
  for (const auto& [output, input] : boundary.may_share)
    if (output == a && boundary.may_share.contains({b, input})) return true;
  return false;
}
}  // namespace

std::vector<Obligation> enumerate(const Trace* before, const Trace& after, const Boundary& boundary) {
  std::vector<Obligation> out;
  of_one(out, after, false);
  of_after(out, after);
  for (std::uint32_t k = 0; k < after.outputs.size(); ++k)
    if (after.outputs[k].means) out.push_back({Kind::current_output, false, k, 0});
  for (std::uint32_t k = 0; before == nullptr && k < after.outputs.size(); ++k)
    if (after.outputs[k].view) out.push_back({Kind::defined, false, k, 0});
  if (before == nullptr) return out;
  of_one(out, *before, true);
  out.push_back({Kind::frame, false, 0, 0});
  for (StorageId s = 0; s < after.storages.size(); ++s)
    if (after.storages[s].compared) out.push_back({Kind::exit, false, s, 0});
  for (std::uint32_t k = 0; k < after.outputs.size(); ++k) {
    out.push_back({Kind::type, false, k, 0});
    out.push_back({Kind::value, false, k, 0});
    if (boundary.sharing_may_grow || !after.outputs[k].view) continue;
    for (std::uint32_t x = 0; x < after.inputs.size(); ++x)
      if (!boundary.may_share.contains({k, x})) out.push_back({Kind::sharing, false, k, x});
    for (std::uint32_t j = 0; j < k; ++j)
      if (!both_may_share(boundary, k, j)) out.push_back({Kind::together, false, k, j});
  }
  return out;
}

/// The only questions a solver is asked: nothing it says about another kind counts.
static bool is_equality(Kind kind) {
  return kind == Kind::value || kind == Kind::exit || kind == Kind::current || kind == Kind::current_output;
}

Decision decide(Rules& rules, const std::vector<Obligation>& obligations,
                const std::set<Obligation>& by_solver, bool solver_only) {
  Decision out;
  for (const Obligation& o : obligations) {
    if (!(solver_only && is_equality(o.kind)) && rules.shown(o)) {
      ++out.by_rule;
    } else if (is_equality(o.kind) && by_solver.contains(o) && rules.contents(o).first != Terms::kBad &&
               rules.contents(o).second != Terms::kBad) {
      ++out.by_solver;
    } else {
      out.open.push_back(o);
    }
  }
  out.proved = out.open.empty();
  return out;
}

}  // namespace noclobber
