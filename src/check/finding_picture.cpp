#include "src/check/finding_picture.h"

#include <algorithm>
#include <set>

#include "src/check/findings.h"
#include "src/graph/uses.h"

namespace noclobber {
namespace {

constexpr std::size_t kMostSteps = 32;      // of a slice
constexpr std::size_t kNamesPictured = 16;  // operands of a step
constexpr std::size_t kMostTypes = 120;
constexpr std::size_t kMostViews = 12;  // of a chain

/// "i64[4,6]"
std::string type_text(const Type& type) {
  std::string out = std::string(name(type.dtype)) + "[";
  for (std::size_t k = 0; k < type.shape.size(); ++k) out += (k > 0 ? "," : "") + type.shape[k].text();
  return out + "]";
}

const Type* type_of(const Graph& graph, const std::string& name) {
  const ValueId id = graph.find(name);
  return id.valid() && graph.value(id).type ? &*graph.value(id).type : nullptr;
}

std::string shape_text(const StorageLane::Shown& shown) {
  std::string out = std::string(name(shown.dtype)) + "[";
  for (std::size_t k = 0; k < shown.shape.size(); ++k)
    out += (k > 0 ? "," : "") + std::to_string(shown.shape[k]);
  return out + "]";
}

std::int64_t step_number(std::uint32_t step) { return step == Place::kEntry ? -1 : std::int64_t{step}; }

/// The names of the operands of a step or of the return.
std::vector<std::string> names_used(const Graph& graph, std::uint32_t step) {
  std::vector<ValueId> used;
  if (step < graph.steps.size()) used = uses_of(graph.steps[step]);
  if (step == graph.steps.size())
    for (const Arg& output : graph.outputs) collect_uses(output, used);
  std::vector<std::string> out;
  for (const ValueId id : used)
    if (id.valid() && std::ranges::find(out, graph.value(id).name) == out.end() &&
        out.size() < kNamesPictured)
      out.push_back(graph.value(id).name);
  return out;
}

void put_slice(Finding& finding, const Case& value) {
  const Graph& after = value.after;
  std::set<std::int64_t> steps, more;
  for (const auto* place : {&finding.define, &finding.clobber, &finding.read})
    if (*place && (*place)->step <= after.steps.size()) steps.insert((*place)->step);
  for (const Lane& lane : finding.lanes) {
    for (const std::int64_t step : lane.writes) more.insert(step);
    for (const std::int64_t step : lane.reads) more.insert(step);
    for (const Lane::Shown& shown : lane.values)
      if (shown.begin >= 0) more.insert(shown.begin);
  }
  for (const std::int64_t step : more)
    if (steps.size() < kMostSteps) steps.insert(step);
  for (const std::int64_t step : steps) {
    finding.slice.push_back(place_of_step(after, static_cast<std::uint32_t>(step)));
    finding.slice.back().uses = names_used(after, static_cast<std::uint32_t>(step));
  }
  if (!finding.before) return;
  finding.slice.push_back(*finding.before);
  if (value.before) finding.slice.back().uses = names_used(*value.before, finding.before->step);
}

const Lane::Shown* shown_in(const Lane& lane, const std::string& name) {
  const auto found = std::ranges::find(lane.values, name, &Lane::Shown::name);
  return found == lane.values.end() ? nullptr : &*found;
}

/// The chain of views from the storage to the name; empty if the name is not in the lane.
std::vector<std::string> chain_to(const Lane& lane, const std::string& name) {
  std::vector<std::string> out;
  for (const Lane::Shown* at = shown_in(lane, name); at != nullptr && out.size() < kMostViews;) {
    out.push_back(at->name);
    const std::string& of = at->of;
    at = of.empty() || std::ranges::find(out, of) != out.end() ? nullptr : shown_in(lane, of);
  }
  std::ranges::reverse(out);
  return out;
}

/// Sets the view chain of the first operand by which the step accesses the storage. The operand that is
/// written comes first.
void put_views(std::optional<FindingPlace>& place, const Lane& lane, const Graph& graph) {
  if (!place || place->graph != "after") return;
  for (const std::string& name : names_used(graph, place->step)) {
    place->views = chain_to(lane, name);
    if (!place->views.empty()) break;
  }
  if (place->views.size() < 2) place->views.clear();
}

/// The lane of the storage that the finding is about, else the first one; nullptr if there is none.
const Lane* lane_at_fault(const Finding& finding) {
  const auto own = std::ranges::find(finding.lanes, finding.storage, &Lane::storage);
  if (own != finding.lanes.end()) return &*own;
  return finding.lanes.empty() ? nullptr : &finding.lanes.front();
}

/// Adds the types of all names that the finding shows. A type that the dump does not state is that of the
/// run.
void put_types(Finding& finding, const Case& value) {
  std::map<std::string, std::string> known(finding.types.begin(), finding.types.end());
  finding.types.clear();
  std::set<std::string> seen;
  const auto add = [&](const Graph& graph, const std::string& name) {
    if (finding.types.size() >= kMostTypes || !seen.insert(name).second) return;
    const Type* type = type_of(graph, name);
    const std::string text = type != nullptr ? type_text(*type) : known[name];
    if (!text.empty()) finding.types.emplace_back(name, text);
  };
  for (const FindingPlace& place : finding.slice) {
    const bool before = place.graph == "before" && value.before;
    const Graph& graph = before ? *value.before : value.after;
    add(graph, place.name);
    for (const std::string& name : place.uses) add(graph, name);
  }
  for (const Lane& lane : finding.lanes)
    for (const Lane::Shown& shown : lane.values) add(value.after, shown.name);
}

}  // namespace

std::string type_and_bytes(const Graph& graph, const std::string& name) {
  const Type* type = type_of(graph, name);
  if (type == nullptr) return "";
  std::int64_t bits = bit_width(type->dtype);
  for (const auto& size : type->shape)
    if (!size.is_constant() || __builtin_mul_overflow(bits, size.constant(), &bits)) return type_text(*type);
  return type_text(*type) + ", " + std::to_string(bits / 8 + (bits % 8 != 0 ? 1 : 0)) + " B";
}

Dtype dtype_made(const Graph& graph, std::uint32_t step) {
  if (step >= graph.steps.size()) return Dtype::other;
  const Step& at = graph.steps[step];
  for (const auto& [key, arg] : at.kwargs)
    if (key == "dtype" && arg.kind == Arg::Kind::dtype) return arg.dtype;
  const bool typed = !at.results.empty() && at.results[0].valid() && graph.value(at.results[0]).type;
  return typed ? graph.value(at.results[0]).type->dtype : Dtype::other;
}

void put_lanes(Finding& out, const Witness& w) {
  for (const StorageLane& from : w.lanes) {
    Lane lane;
    lane.storage = from.storage;
    lane.bytes = from.bytes;
    for (const StorageLane::Shown& shown : from.values) {
      lane.values.push_back({shown.name, step_number(shown.begin), step_number(shown.end),
                             std::pair{shown.first_byte, shown.last_byte}, shown.of});
      out.types.emplace_back(shown.name, shape_text(shown));
    }
    lane.reads.assign(from.reads.begin(), from.reads.end());
    lane.writes.assign(from.writes.begin(), from.writes.end());
    out.lanes.push_back(std::move(lane));
  }
  for (const InputNumbers& input : w.numbers)
    out.witness_numbers.push_back({input.name, std::string(name(input.dtype)), input.shape, input.elements});
}

void put_picture(Finding& finding, const Case& value) {
  put_slice(finding, value);
  put_types(finding, value);
  const Lane* lane = lane_at_fault(finding);
  if (lane == nullptr) return;
  for (auto* place : {&finding.define, &finding.clobber, &finding.read})
    put_views(*place, *lane, value.after);
}

}  // namespace noclobber
