#include "src/plan/checks.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

namespace noclobber {
namespace {

PlanFault fault_of(const PlanSample& sample, PlanFault::Kind kind, std::size_t buffer, std::string message,
                   const char* aspect) {
  const Plan& plan = *sample.scene.value.plan;
  PlanFault out;
  out.kind = kind;
  out.first = plan.buffers[buffer].name;
  out.arena = plan.arenas[plan.buffers[buffer].arena].name;
  out.symbols = sample.symbols;
  out.message = std::move(message);
  out.aspect = aspect;
  return out;
}

std::string text(std::int64_t number) { return std::to_string(number); }

/// "[4, 8)"
std::string range_of(std::int64_t begin, std::int64_t end) {
  return "[" + text(begin) + ", " + text(end) + ")";
}

PolyId bytes_taken(Space& space, PolyId count, int bits) {
  if (bits == 0) return Space::kBad;
  if (bits % 8 == 0) return space.scale(count, bits / 8);
  return space.quotient(space.add(space.scale(count, bits), space.constant(7)), space.constant(8));
}

/// Bytes of a view: its elements, or the whole storage if the view lies in it with gaps.
std::optional<PolyId> view_bytes(Space& space, const Traced& traced, const TraceView& view) {
  if (view.maps.size() == 1 && view.maps[0].kind == Map::Kind::strided)
    return bytes_taken(space, element_count(space, traced.after.storages[view.storage].shape),
                       bit_width(traced.views.layouts[view.storage].dtype));
  const auto dtype = parse_dtype(*view.type);
  if (!dtype) return std::nullopt;
  return bytes_taken(space, element_count(space, view.shape), bit_width(*dtype));
}

std::optional<PolyId> needed_bytes(const PlanScene& scene, ValueId id, Sizes& sizes) {
  Space& space = scene.space;
  const auto& views = scene.traced.views;
  if (id.index < views.values.size() && views.values[id.index])
    if (const auto bytes = view_bytes(space, scene.traced, *views.values[id.index])) return bytes;
  if (!scene.value.after.value(id).type) return std::nullopt;
  const Type& type = *scene.value.after.value(id).type;
  return bytes_taken(space, element_count(space, sizes.of(type.shape)), bit_width(type.dtype));
}

void bounds_of(const PlanSample& sample, std::size_t k, std::int64_t offset, std::int64_t size,
               std::int64_t arena, PlanAnswer& answer) {
  const Plan& plan = *sample.scene.value.plan;
  const PlanBuffer& buffer = plan.buffers[k];
  const std::string where = "arena " + plan.arenas[buffer.arena].name;
  const std::int64_t unit = plan.arenas[buffer.arena].alignment;
  std::int64_t end = 0;
  const auto report = [&](const char* aspect, const std::string& message, std::string expected,
                          std::string actual) {
    PlanFault out = fault_of(sample, PlanFault::Kind::bounds, k, buffer.name + message, aspect);
    out.expected = std::move(expected);
    out.actual = std::move(actual);
    answer.faults.push_back(std::move(out));
  };
  if (size < 0) return report("negative-size", " has a negative size", "a size of at least 0", text(size));
  if (offset < 0)
    return report("begins-before", " begins before " + where, "an offset of at least 0", text(offset));
  if (__builtin_add_overflow(offset, size, &end) || end > arena)
    return report("ends-behind", " ends behind " + where, "an end of at most " + text(arena),
                  text(offset) + " + " + text(size));
  if (offset % unit != 0)
    report("misaligned", " is not aligned in " + where, "a multiple of " + text(unit), text(offset));
}

/// Reports a view whose place puts the start of its storage before the arena.
void before_arena(const PlanSample& sample, const PlacedStorage& one, std::int64_t offset,
                  PlanAnswer& answer) {
  PlanFault out =
      fault_of(sample, PlanFault::Kind::bounds, one.buffers.front(),
               "what " + one.name + " is a view of begins before its arena", "view-begins-before");
  out.expected = "an offset of at least 0";
  out.actual = text(offset);
  answer.faults.push_back(std::move(out));
}

/// Bytes from the start of a storage to the end of its last entry.
std::int64_t room_of(const PlanSample& sample, const PlacedStorage& one) {
  std::int64_t out = 0;
  for (std::size_t j = 0; j < one.buffers.size(); ++j) {
    const auto start = number_of(sample.scene.space, one.starts[j], sample.symbols);
    const auto size = number_of(sample.scene.space, sample.numbers.sizes[one.buffers[j]], sample.symbols);
    std::int64_t end = 0;
    if (start && size && !__builtin_add_overflow(*start, *size, &end)) out = std::max(out, end);
  }
  return out;
}

}  // namespace

PlanNumbers plan_numbers(const PlanScene& scene, const PlacedStorages& placed, Sizes& sizes) {
  const Case& value = scene.value;
  PlanNumbers out;
  for (const PlanArena& arena : value.plan->arenas) out.arenas.push_back(sizes.of(arena.size));
  std::unordered_map<std::string_view, ValueId> names;
  for (std::size_t k = 0; k < value.after.values.size(); ++k)
    names.emplace(value.after.values[k].name, ValueId(k));
  for (std::size_t k = 0; k < value.plan->buffers.size(); ++k) {
    const PlanBuffer& buffer = value.plan->buffers[k];
    out.offsets.push_back(sizes.of(buffer.offset));
    out.sizes.push_back(sizes.of(buffer.size));
    const auto id = buffer.is_value ? names.find(buffer.name) : names.end();
    if (id == names.end()) continue;
    if (const auto bytes = needed_bytes(scene, id->second, sizes)) out.needed.emplace_back(k, *bytes);
  }
  for (const PlacedStorage& one : placed.storages)
    for (std::size_t j = 0; j < one.views.size(); ++j) {
      const auto& [traced, view] = one.views[j];
      if (traced == &scene.traced) continue;  // the graph's own values are handled above
      if (const auto bytes = view_bytes(scene.space, *traced, *view))
        out.needed.emplace_back(one.buffers[j], *bytes);
    }
  return out;
}

void names_placed(const Case& value, PlanAnswer& answer) {
  std::set<std::string> placed;
  const auto report = [&](const std::string& name, const char* aspect, const char* message) {
    PlanFault out;
    out.first = name;
    out.message = name + message;
    out.aspect = aspect;
    out.expected = "one place";
    answer.faults.push_back(std::move(out));
  };
  for (const PlanBuffer& buffer : value.plan->buffers)
    if (!placed.insert(buffer.name).second) report(buffer.name, "placed-twice", " is placed twice");
  for (const std::string& name : value.plan->required)
    if (!placed.contains(name)) report(name, "not-placed", " is required and not placed");
}

void lives_kept(const PlanScene& scene, const PlacedStorages& placed, PlanAnswer& answer) {
  const Plan& plan = *scene.value.plan;
  for (const PlacedStorage& one : placed.storages) {
    std::optional<std::int64_t> lower, upper;
    bool stated = true;
    for (const std::uint32_t k : one.buffers) {
      const PlanBuffer& buffer = plan.buffers[k];
      stated = stated && buffer.lower && buffer.upper;
      if (!stated) break;
      lower = std::min(lower.value_or(*buffer.lower), *buffer.lower);
      upper = std::max(upper.value_or(*buffer.upper), *buffer.upper);
    }
    if (!stated || !lower) continue;
    PlanFault out;
    out.first = one.name;
    out.actual = range_of(*lower, *upper);
    if (!one.storage && *upper < *lower) {
      out.message = one.name + " ends before it begins";
      out.aspect = "ends-before-begins";
      out.expected = "a life that does not end before it begins";
      answer.faults.push_back(std::move(out));
      continue;
    }
    if (!one.storage || one.last <= one.first || !scene.order.listed()) continue;
    if (*lower <= one.first && one.last <= *upper) continue;
    out.kind = PlanFault::Kind::lifetime;
    out.message = one.name + " lives shorter than it is used";
    out.aspect = "too-short";
    out.expected = range_of(one.first, one.last);
    if (one.first < one.last) out.read = static_cast<std::uint32_t>(one.last - 1);
    if (!one.is_input) out.define = static_cast<std::uint32_t>(one.first);
    answer.faults.push_back(std::move(out));
  }
}

bool inside_arenas(const PlanSample& sample, PlanAnswer& answer) {
  const Plan& plan = *sample.scene.value.plan;
  const Space& space = sample.scene.space;
  for (std::size_t k = 0; k < plan.buffers.size(); ++k) {
    const auto offset = number_of(space, sample.numbers.offsets[k], sample.symbols);
    const auto size = number_of(space, sample.numbers.sizes[k], sample.symbols);
    const auto arena = number_of(space, sample.numbers.arenas[plan.buffers[k].arena], sample.symbols);
    if (!offset || !size || !arena) return false;
    bounds_of(sample, k, *offset, *size, *arena, answer);
  }
  return true;
}

bool aliases_agree(const PlanSample& sample, PlanAnswer& answer) {
  const Plan& plan = *sample.scene.value.plan;
  const Space& space = sample.scene.space;
  for (const PlacedStorage& one : sample.placed.storages) {
    const auto base = number_of(space, one.base, sample.symbols);
    if (!base) return false;
    for (std::size_t j = 0; j < one.buffers.size(); ++j) {
      const std::size_t k = one.buffers[j];
      const auto offset = number_of(space, sample.numbers.offsets[k], sample.symbols);
      const auto start = number_of(space, one.starts[j], sample.symbols);
      const auto size = number_of(space, sample.numbers.sizes[k], sample.symbols);
      const auto bit = number_of(space, one.bits[j], sample.symbols);
      std::int64_t meant = 0;
      if (!offset || !start || !size || !bit || __builtin_add_overflow(*base, *start, &meant)) return false;
      if ((*offset == meant && *bit == 0 && plan.buffers[k].arena == one.arena) || *size == 0) continue;
      PlanFault out =
          fault_of(sample, PlanFault::Kind::metadata, k,
                   plan.buffers[k].name + " shares the storage of " + one.name + " and is placed elsewhere",
                   "elsewhere");
      out.second = one.name;
      out.expected = "offset " + text(meant) + (*bit != 0 ? " and a half" : "") + " of arena " +
                     plan.arenas[one.arena].name;
      out.actual = "offset " + text(*offset) + " of arena " + out.arena;
      answer.faults.push_back(std::move(out));
    }
  }
  return views_inside(sample, answer);
}

bool large_enough(const PlanSample& sample, PlanAnswer& answer) {
  const Plan& plan = *sample.scene.value.plan;
  for (const auto& [k, bytes] : sample.numbers.needed) {
    const auto needed = number_of(sample.scene.space, bytes, sample.symbols);
    const auto size = number_of(sample.scene.space, sample.numbers.sizes[k], sample.symbols);
    if (!needed || !size) return false;
    if (*size < 0 || *needed <= *size) continue;
    PlanFault out = fault_of(sample, PlanFault::Kind::size_fit, k,
                             plan.buffers[k].name + " does not fit into its place", "too-small");
    out.expected = text(*needed) + " bytes";
    out.actual = text(*size) + " bytes";
    answer.faults.push_back(std::move(out));
  }
  for (const PlacedStorage& one : sample.placed.storages) {
    const auto place = placement_of(sample.scene, one, sample.symbols);
    const auto bytes = number_of(sample.scene.space, one.bytes, sample.symbols);
    if (!place || !bytes) return false;
    if (!answer.faults.empty()) continue;
    if (place->offset < 0) before_arena(sample, one, place->offset, answer);
    if (place->size <= room_of(sample, one)) continue;
    PlanFault out = fault_of(sample, PlanFault::Kind::size_fit, one.buffers.front(),
                             one.name + " does not fit into its place", "all-too-small");
    out.expected = text(*bytes) + " bytes";
    out.actual = text(room_of(sample, one)) + " bytes";
    answer.faults.push_back(std::move(out));
  }
  return true;
}

std::optional<Placement> placement_of(const PlanScene& scene, const PlacedStorage& placed,
                                      const SymbolValues& symbols) {
  const auto base = number_of(scene.space, placed.base, symbols);
  const auto bytes = number_of(scene.space, placed.bytes, symbols);
  if (!base || !bytes) return std::nullopt;
  Placement out{placed.arena, *base, *bytes, placed.first, placed.last};
  for (std::size_t j = 0; j < placed.buffers.size(); ++j) {
    const auto start = number_of(scene.space, placed.starts[j], symbols);
    const auto size = scene.value.plan->buffers[placed.buffers[j]].size.evaluate(symbols);
    std::int64_t end = 0;
    if (!start || !size || __builtin_add_overflow(*start, *size, &end)) return std::nullopt;
    out.size = std::max(out.size, end);
  }
  std::int64_t end = 0;
  if (__builtin_add_overflow(out.offset, out.size, &end)) return std::nullopt;
  return out;
}

}  // namespace noclobber
