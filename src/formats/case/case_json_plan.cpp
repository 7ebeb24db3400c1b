#include "src/formats/case/case_json_plan.h"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace noclobber {
namespace {

class PlanJsonReader {
 public:
  PlanJsonReader(const Case& value, const CaseJsonContext& context, JsonFaults& faults)
      : faults_(faults), sizes_(context, faults) {
    add_values(value.after, "");
    for (const auto& [name, body] : value.bodies) add_values(body, name + "/");
  }

  Plan read(const OrderedJson& json, const JsonAt& at) {
    parts(json, at);
    return std::move(plan_);
  }

 private:
  void parts(const OrderedJson& json, const JsonAt& at) {
    if (!faults_.object(json, at)) return;
    const OrderedJson* listed = faults_.required(json, at, "arenas");
    const OrderedJson* buffers = faults_.required(json, at, "buffers");
    if (faults_.failed()) return;
    arenas(*listed, JsonAt(at, "arenas"));
    const JsonAt at_buffers(at, "buffers");
    if (!faults_.array(*buffers, at_buffers)) return;
    for (const OrderedJson& item : *buffers) add_label(item);
    for (std::size_t k = 0; k < buffers->size() && !faults_.failed(); ++k) {
      buffer((*buffers)[k], JsonAt(at_buffers, k));
    }
    if (const OrderedJson* ids = find_member(json, "required")) required_ids(*ids, JsonAt(at, "required"));
  }

  void add_values(const Graph& graph, const std::string& prefix) {
    for (const Value& value : graph.values) values_.insert(prefix + value.name);
  }

  void arenas(const OrderedJson& json, const JsonAt& at) {
    if (!faults_.object(json, at)) return;
    for (const auto& [name, item] : json.get_ref<const OrderedJson::object_t&>()) {
      const JsonAt here(at, name), at_alignment(here, "alignment");
      arenas_.emplace(name, static_cast<std::uint32_t>(plan_.arenas.size()));
      PlanArena& arena = plan_.arenas.emplace_back();
      arena.name = name;
      if (faults_.failed() || !faults_.object(item, here)) return;
      if (const OrderedJson* size = faults_.required(item, here, "size")) {
        arena.size = sizes_.expression(*size, JsonAt(here, "size"), false);
      }
      const OrderedJson* alignment = find_member(item, "alignment");
      if (alignment == nullptr) continue;
      arena.alignment = faults_.integer(*alignment, at_alignment);
      if (arena.alignment < 1) faults_.fail(at_alignment, "expected a positive integer");
    }
  }

  static const OrderedJson* label(const OrderedJson& json) {
    const OrderedJson* id = find_member(json, "id");
    return id != nullptr ? id : find_member(json, "value");
  }

  void add_label(const OrderedJson& json) {
    const OrderedJson* named = json.is_object() ? label(json) : nullptr;
    if (named != nullptr && named->is_string()) labels_.insert(named->get<std::string>());
  }

  static bool is_in(const OrderedJson& json, const std::set<std::string>& names) {
    return json.is_string() && names.contains(json.get<std::string>());
  }

  void buffer(const OrderedJson& json, const JsonAt& at) {
    if (!faults_.object(json, at)) return;
    const OrderedJson* arena = faults_.required(json, at, "arena");
    const OrderedJson* offset = faults_.required(json, at, "offset");
    const OrderedJson* size = faults_.required(json, at, "size");
    if (faults_.failed()) return;
    const OrderedJson* value = find_member(json, "value");
    const OrderedJson* id = find_member(json, "id");
    if ((value == nullptr) == (id == nullptr)) {
      faults_.fail(at, "exactly one of 'value' and 'id' is needed");
      return;
    }
    PlanBuffer& out = plan_.buffers.emplace_back();
    out.is_value = value != nullptr;
    if (id != nullptr) out.name = faults_.text(*id, JsonAt(at, "id"));
    if (value != nullptr && !is_in(*value, values_)) {
      faults_.fail(JsonAt(at, "value"), "unknown value " + show(*value));
    } else if (value != nullptr) {
      out.name = value->get<std::string>();
    }
    const auto known = arena->is_string() ? arenas_.find(arena->get<std::string>()) : arenas_.end();
    if (known == arenas_.end()) return faults_.fail(JsonAt(at, "arena"), "unknown arena " + show(*arena));
    out.arena = known->second;
    out.offset = sizes_.expression(*offset, JsonAt(at, "offset"), true);
    out.size = sizes_.expression(*size, JsonAt(at, "size"), true);
    claims(json, at, out);
  }

  void claims(const OrderedJson& json, const JsonAt& at, PlanBuffer& out) {
    for (const auto& [key, time] : {std::pair{"lower", &out.lower}, std::pair{"upper", &out.upper}}) {
      const OrderedJson* item = find_member(json, key);
      if (item != nullptr) *time = faults_.integer(*item, JsonAt(at, key));
      if (item == nullptr && !out.is_value)
        faults_.fail(at, "a buffer without a value needs '" + std::string(key) + "'");
    }
    for (const auto& [key, other] :
         {std::pair{"inplace_of", &out.inplace_of}, std::pair{"view_of", &out.view_of}}) {
      const OrderedJson* item = find_member(json, key);
      if (item == nullptr) continue;
      if (!is_in(*item, labels_) && !is_in(*item, values_))
        return faults_.fail(JsonAt(at, key), "unknown buffer or value " + show(*item));
      *other = item->get<std::string>();
    }
  }

  void required_ids(const OrderedJson& json, const JsonAt& at) {
    if (!faults_.array(json, at)) return;
    for (std::size_t k = 0; k < json.size() && !faults_.failed(); ++k)
      plan_.required.push_back(faults_.text(json[k], JsonAt(at, k)));
  }

  JsonFaults& faults_;
  GraphJsonReader sizes_;
  std::set<std::string> values_;
  std::map<std::string, std::uint32_t> arenas_;
  std::set<std::string> labels_;
  Plan plan_;
};

OrderedJson size_json(const SymExpr& value) {
  return value.is_constant() ? OrderedJson(value.constant()) : OrderedJson(value.text());
}

OrderedJson buffer_json(const Plan& plan, const PlanBuffer& buffer) {
  OrderedJson out = OrderedJson::object();
  out[buffer.is_value ? "value" : "id"] = buffer.name;
  out["arena"] = plan.arenas[buffer.arena].name;
  out["offset"] = size_json(buffer.offset);
  out["size"] = size_json(buffer.size);
  if (buffer.lower) out["lower"] = *buffer.lower;
  if (buffer.upper) out["upper"] = *buffer.upper;
  if (!buffer.inplace_of.empty()) out["inplace_of"] = buffer.inplace_of;
  if (!buffer.view_of.empty()) out["view_of"] = buffer.view_of;
  return out;
}

}  // namespace

Plan read_plan(const OrderedJson& json, const JsonAt& at, const Case& value, const CaseJsonContext& context,
               JsonFaults& faults) {
  return PlanJsonReader(value, context, faults).read(json, at);
}

OrderedJson plan_json(const Plan& plan) {
  OrderedJson out = {{"arenas", OrderedJson::object()}, {"buffers", OrderedJson::array()}};
  for (const PlanArena& arena : plan.arenas) {
    OrderedJson& item = out["arenas"][arena.name];
    item["size"] = size_json(arena.size);
    if (arena.alignment != 1) item["alignment"] = arena.alignment;
  }
  for (const PlanBuffer& buffer : plan.buffers) out["buffers"].push_back(buffer_json(plan, buffer));
  if (!plan.required.empty()) out["required"] = plan.required;
  return out;
}

}  // namespace noclobber
