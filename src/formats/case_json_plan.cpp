#include "src/formats/case_json_plan.h"

#include <set>
#include <string>

namespace noclobber {
namespace {

class PlanJsonReader {
 public:
  PlanJsonReader(const Case& value, const CaseJsonContext& context, JsonFaults& faults)
      : faults_(faults), sizes_(context, faults) {
    add_values(value.after, "");
    for (const auto& [name, body] : value.bodies) add_values(body, name + "/");
  }

  void read(const OrderedJson& json, const JsonAt& at) {
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

 private:
  void add_values(const Graph& graph, const std::string& prefix) {
    for (const Value& value : graph.values) values_.insert(prefix + value.name);
  }

  void arenas(const OrderedJson& json, const JsonAt& at) {
    if (!faults_.object(json, at)) return;
    for (const auto& [name, item] : json.get_ref<const OrderedJson::object_t&>()) {
      const JsonAt here(at, name), at_alignment(here, "alignment");
      arenas_.insert(name);
      if (faults_.failed() || !faults_.object(item, here)) return;
      if (const OrderedJson* size = faults_.required(item, here, "size")) {
        sizes_.expression(*size, JsonAt(here, "size"), false);
      }
      const OrderedJson* alignment = find_member(item, "alignment");
      if (alignment != nullptr && faults_.integer(*alignment, at_alignment) < 1) {
        faults_.fail(at_alignment, "expected a positive integer");
      }
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
    if (id != nullptr) faults_.text(*id, JsonAt(at, "id"));
    if (value != nullptr && !is_in(*value, values_)) {
      faults_.fail(JsonAt(at, "value"), "unknown value " + show(*value));
    }
    if (!is_in(*arena, arenas_)) faults_.fail(JsonAt(at, "arena"), "unknown arena " + show(*arena));
    sizes_.expression(*offset, JsonAt(at, "offset"), true);
    sizes_.expression(*size, JsonAt(at, "size"), true);
    claims(json, at, id != nullptr);
  }

  void claims(const OrderedJson& json, const JsonAt& at, bool by_id) {
    for (const std::string_view key : {"lower", "upper"}) {
      const OrderedJson* item = find_member(json, key);
      if (item != nullptr) faults_.integer(*item, JsonAt(at, key));
      if (item == nullptr && by_id)
        faults_.fail(at, "a buffer without a value needs '" + std::string(key) + "'");
    }
    for (const std::string_view key : {"inplace_of", "view_of"}) {
      const OrderedJson* item = find_member(json, key);
      if (item == nullptr || is_in(*item, labels_) || is_in(*item, values_)) continue;
      faults_.fail(JsonAt(at, key), "unknown buffer or value " + show(*item));
    }
  }

  void required_ids(const OrderedJson& json, const JsonAt& at) {
    if (!faults_.array(json, at)) return;
    for (std::size_t k = 0; k < json.size() && !faults_.failed(); ++k) faults_.text(json[k], JsonAt(at, k));
  }

  JsonFaults& faults_;
  GraphJsonReader sizes_;
  std::set<std::string> values_;
  std::set<std::string> arenas_;
  std::set<std::string> labels_;
};

}  // namespace

void check_plan(const OrderedJson& json, const JsonAt& at, const Case& value, const CaseJsonContext& context,
                JsonFaults& faults) {
  PlanJsonReader(value, context, faults).read(json, at);
}

}  // namespace noclobber
