// Two storages that overlap in bytes: when that is allowed, and which value is lost otherwise.
#include <algorithm>
#include <set>

#include "src/plan/checks.h"

namespace noclobber {
namespace {

const PlanBuffer& entry(const PlanScene& scene, const PlacedStorage& of) {
  return scene.value.plan->buffers[of.buffers.front()];
}

const PlanBuffer* buffer_named(const Plan& plan, const std::string& name) {
  for (const PlanBuffer& buffer : plan.buffers)
    if (!buffer.is_value && buffer.name == name) return &buffer;
  return nullptr;
}

/// The buffer at the end of a chain of `view_of`; a cyclic chain ends where it closes.
const PlanBuffer* root_of(const Plan& plan, const PlanBuffer& buffer) {
  std::set<std::string> seen;
  const PlanBuffer* at = &buffer;
  while (!at->view_of.empty() && seen.insert(at->name).second) {
    const PlanBuffer* next = buffer_named(plan, at->view_of);
    if (next == nullptr) break;
    at = next;
  }
  return at;
}

bool within(const Placement& inner, const Placement& outer) {
  return inner.offset >= outer.offset && inner.end() <= outer.end();
}

std::string range_text(std::int64_t first, std::int64_t last) {
  return "[" + std::to_string(first) + ", " + std::to_string(last) + ")";
}

std::string life_text(const Placement& place) { return range_text(place.first, place.last); }

}  // namespace

const PlanBuffer* claimed_base(const Plan& plan, const PlanBuffer& view) {
  return view.is_value || view.view_of.empty() ? nullptr : buffer_named(plan, view.view_of);
}

bool views_inside(const PlanSample& sample, PlanAnswer& answer) {
  const Plan& plan = *sample.scene.value.plan;
  for (const PlanBuffer& buffer : plan.buffers) {
    const PlanBuffer* base = claimed_base(plan, buffer);
    if (base == nullptr) continue;
    const auto number = [&](const SymExpr& size) { return size.evaluate(sample.symbols); };
    const auto a = number(buffer.offset), b = number(buffer.size), c = number(base->offset),
               d = number(base->size);
    if (!a || !b || !c || !d) return false;
    std::int64_t end = 0, base_end = 0;
    if (__builtin_add_overflow(*a, *b, &end) || __builtin_add_overflow(*c, *d, &base_end)) return false;
    if (buffer.arena == base->arena && *a >= *c && end <= base_end) continue;
    PlanFault out;
    out.kind = PlanFault::Kind::metadata;
    out.first = buffer.name;
    out.second = base->name;
    out.arena = plan.arenas[buffer.arena].name;
    out.symbols = sample.symbols;
    out.expected = "a place within that of " + base->name;
    out.actual = "offset " + std::to_string(*a) + " of arena " + out.arena;
    out.message = buffer.name + " is a view of " + base->name + " and does not lie within it";
    out.aspect = "view-outside";
    answer.faults.push_back(std::move(out));
  }
  return true;
}

bool said_to_be_views(const PlanScene& scene, const PlacedStorage& x, const PlacedStorage& y,
                      const Placement& a, const Placement& b) {
  if (x.storage || y.storage) return false;
  const Plan& plan = *scene.value.plan;
  return root_of(plan, entry(scene, x)) == root_of(plan, entry(scene, y)) &&
         (entry(scene, x).view_of == y.name || entry(scene, y).view_of == x.name || within(a, b) ||
          within(b, a));
}

std::optional<PlanFault> overlap_fault(const PlanScene& scene, const PlacedStorage& x, const PlacedStorage& y,
                                       const Placement& a, const Placement& b, const SymbolValues& symbols) {
  PlanFault out;
  out.kind = PlanFault::Kind::overlap;
  out.first = x.name;
  out.second = y.name;
  out.arena = scene.value.plan->arenas[x.arena].name;
  out.bytes = std::pair{std::max(a.offset, b.offset), std::min(a.end(), b.end())};
  out.symbols = symbols;
  out.aspect = "together";
  if (x.storage && y.storage) {
    auto lost = loss(scene, x, y, symbols);
    if (!lost) {
      lost = loss(scene, y, x, symbols);
      std::swap(out.first, out.second);
    }
    if (!lost) return std::nullopt;
    out.bytes = std::pair{lost->first, lost->last};
    if (lost->define != Touch::kNoStep) out.define = lost->define;
    out.clobber = lost->clobber;
    out.read = lost->read;
    if (!scene.order.listed()) out.aspect = "unordered";
  } else if (!meet_in_time(a, b)) {
    return std::nullopt;  // they may do so in another order than the listed one
  }
  const std::string shared =
      "bytes " + range_text(out.bytes->first, out.bytes->second) + " of arena " + out.arena;
  if (out.aspect == "unordered")
    out.message = x.name + " and " + y.name + " share " + shared + ", and nothing orders their uses";
  else
    out.message = x.name + " lives " + life_text(a) + ", " + y.name + " lives " + life_text(b) +
                  ", and they share " + shared;
  out.expected = out.first;
  out.actual = out.second;
  return out;
}

}  // namespace noclobber
