#include "src/effects/raises.h"

#include <algorithm>

#include "src/effects/call_text.h"
#include "src/effects/draws.h"
#include "src/effects/emit.h"
#include "src/effects/forms.h"
#include "src/effects/identities.h"
#include "src/effects/opaque.h"
#include "src/effects/tracer.h"
#include "src/ops/raises.h"

namespace noclobber::effects {

namespace {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  return (a ^ (b + 0x9e3779b97f4a7c15ULL + (a << 6U) + (a >> 2U))) * 0xff51afd7ed558ccdULL;
}

std::uint64_t hash_of(const Map& map) {
  std::uint64_t out = static_cast<std::uint64_t>(map.kind);
  for (const std::uint64_t part :
       {std::uint64_t{map.dim}, std::uint64_t{map.other}, static_cast<std::uint64_t>(map.start),
        static_cast<std::uint64_t>(map.step)})
    out = mixed(out, part);
  for (const PolyId extent : map.to) out = mixed(out, static_cast<std::uint64_t>(extent));
  for (const PolyId stride : map.strides) out = mixed(out, static_cast<std::uint64_t>(stride));
  for (const std::uint32_t dim : map.order) out = mixed(out, dim);
  return out;
}

/// A hash of what a view holds now: equal if it was made by the same steps.
std::uint64_t shown_hash(const Tracer& t, const TraceView& view) {
  std::uint64_t out = 1;
  if (view.storage < t.known.stored.size() && t.known.stored[view.storage].contents) {
    out = *t.known.stored[view.storage].contents;
  } else if (const TraceStorage& storage = t.trace.storages[view.storage];
             storage.start == TraceStorage::Start::given) {
    out = std::hash<std::string>{}(storage.key);
  }
  for (const Map& map : view.maps) out = mixed(out, hash_of(map));
  return out;
}

/// True if all tensors and numbers are whole, and the divisor is not known to be nonzero.
bool may_divide_by_zero(const Tracer& t, const Call& call) {
  bool whole = true, safe = false;
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    const Arg& arg = call.arguments[k];
    const Binding* bound = t.seen(arg);
    if (call.schema->arguments[k].written && call.schema->arguments[k].keyword_only) continue;
    whole = whole && arg.kind != Arg::Kind::real && (!bound || !is_floating(bound->dtype)) &&
            (!bound || !is_complex(bound->dtype));
    if (k != 1) continue;
    const auto number = bound ? constant_of(t, *bound)
                        : arg.kind == Arg::Kind::sym && arg.sym.is_constant()
                            ? std::optional(arg.sym.constant())
                            : std::nullopt;
    safe = number && *number != 0;
  }
  return whole && !safe;
}

/// The devices that the call would bring together, if its kernels accept only one. Elementwise operators also
/// accept tensors without dimensions from the CPU.
std::string devices_brought_together(Tracer& t, const Call& call) {
  if (!t.devices.several) return "";
  const bool known = call.schema->ns == "aten" || call.schema->ns == "prims";
  if (!known || takes_any_device(call.functional_name()) || takes_any_device(call.op)) return "";
  if (!t.devices.placed) t.devices.placed.emplace(*t.request.graph);
  std::vector<std::string> all;
  for (const Arg& arg : call.arguments)
    for (const Arg& item : items_of(arg)) {
      const Binding* bound = t.seen(item);
      const std::string& device = bound ? t.devices.placed->of(item) : std::string();
      if (device.empty()) continue;
      const bool number = bound->view.shape.empty() && device == "cpu" && elementwise(call);
      if (!number) all.push_back(device);
    }
  std::string out;
  for (const std::string& device : all)
    if (same_device(device, all[0]) == false) out += device + ",";
  return out.empty() ? "" : all[0] + "," + out;
}

/// Pushes the step with a storage of its own, which it writes with what decides whether the call raises.
void push_raising(Tracer& t, const Call& call, TraceStep step, const std::vector<std::uint32_t>& reaching) {
  TraceStorage storage;
  storage.key = "raises " + std::to_string(t.noted.raised.size());
  storage.compared = false;
  const auto own = static_cast<StorageId>(t.trace.storages.size());
  t.trace.storages.push_back(std::move(storage));
  t.storages.layouts.emplace_back();
  step.writes = {{own, {}, {}, "token", 0}};
  step.origin = call.number;
  std::uint64_t hash = std::hash<std::string>{}(*step.key);
  for (const TraceView& read : step.reads) hash = mixed(hash, shown_hash(t, read));
  t.noted.raised.push_back({own, t.now(), *step.key, hash, call.step->op});
  push(t, std::move(step), reaching);
}

/// Notes that the contents of the arguments `over` decide whether the call raises.
void raises(Tracer& t, const Call& call, const std::vector<std::size_t>& over, const std::string& why) {
  TraceStep step;
  step.key = t.shared("raises " + why + attributes(t, call) + argument_types(t, call));
  std::vector<std::uint32_t> reaching;
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    if (call.schema->arguments[k].written && call.schema->arguments[k].keyword_only) continue;
    if (std::ranges::find(over, k) == over.end()) continue;
    for (const Arg& item : items_of(call.arguments[k])) {
      const Binding* bound = t.seen(item);
      if (bound == nullptr) continue;
      step.reads.push_back(bound->view);
      step.access.edit().push_back({Access::before_write});
      reaching.push_back(bound->since);
    }
  }
  push_raising(t, call, std::move(step), reaching);
}

/// A view of one element, or a write to one, by any operator: the index alone decides whether it raises.
void raises_over_index(Tracer& t, const Call& call) {
  const ViewRule rule = find_view_rule(call.op);
  if (!shows_one_element(rule)) return;
  const Binding* base = call.arguments.empty() ? nullptr : t.seen(call.arguments[0]);
  if (base == nullptr) return;
  std::vector<Arg> arguments = call.arguments;
  if (meaning_of(call.op, *call.schema) == Meaning::view_scatter) arguments.erase(arguments.begin() + 1);
  const auto doubted = doubted_index(t.sizes, rule, Viewed{base->view.shape}, arguments);
  if (!doubted) return;
  TraceStep step;
  step.key = t.shared("raises beyond " + size_text(t.space, doubted->extent) + " at " +
                      size_text(t.space, doubted->index));
  push_raising(t, call, std::move(step), {});
}

}  // namespace

/// Updates the hashes of what the written storages hold.
void hash_step(Tracer& t, const TraceStep& step) {
  std::uint64_t made = mixed(static_cast<std::uint64_t>(step.kind), std::hash<std::string>{}(*step.key));
  for (const TraceView& read : step.reads) made = mixed(made, shown_hash(t, read));
  if (step.kind == TraceStep::Kind::move) made = shown_hash(t, step.reads[0]);
  for (std::size_t k = 0; k < step.writes.size(); ++k) {
    const TraceView& to = step.writes[k];
    std::optional<std::uint64_t>& contents = t.known.of(to.storage).contents;
    const std::uint64_t own = k == 0 ? made : mixed(made, k);
    std::uint64_t now = to.maps.empty() ? own : contents.value_or(0);
    for (const Map& map : to.maps) now = mixed(mixed(now, hash_of(map)), own);
    contents = now;
  }
}

void note_raising(Tracer& t, const Call& call) {
  if (!t.request.value->before || call.declared != nullptr) return;
  note_form(t, call);
  const std::string devices = devices_brought_together(t, call);
  if (!devices.empty()) raises(t, call, {}, "on " + devices + ";");
  raises_over_index(t, call);
  const std::string_view op = call.functional_name();
  if (draws(call.op, *call.schema, call.arguments)) return;
  if (const auto over = raises_over(op, *call.schema, call.arguments)) raises(t, call, *over, "");
  if (divides_whole(op, *call.schema, call.arguments) && may_divide_by_zero(t, call))
    raises(t, call, {0, 1}, "");
}

}  // namespace noclobber::effects
