// What a recorder says of its folder.
#include "src/formats/formats.h"
#include "src/formats/json.h"

namespace noclobber {

bool is_recording(std::string_view text) {
  constexpr std::size_t kNear = 256;  // recorders write the format first
  return text.substr(0, kNear).find("\"noclobber.recording/") != std::string_view::npos;
}

namespace {

std::uint64_t count_of(const OrderedJson& json, std::string_view key, JsonFaults& faults) {
  const OrderedJson* item = find_member(json, key);
  if (item == nullptr || faults.failed()) return 0;
  const JsonAt root;
  const std::int64_t count = faults.integer(*item, JsonAt(root, key));
  return count < 0 ? 0 : static_cast<std::uint64_t>(count);
}

}  // namespace

Result<Recording> read_recording(std::string_view text) {
  auto json = parse_strict_json(text);
  if (!json) return json.fault();
  Recording out;
  JsonFaults faults;
  const JsonAt root;
  if (faults.object(*json, root)) {
    const OrderedJson* format = find_member(*json, "format");
    if (format == nullptr || *format != "noclobber.recording/1")
      faults.fail(JsonAt(root, "format"), "is not noclobber.recording/1");
    out.links = count_of(*json, "links", faults);
    out.unchanged = count_of(*json, "unchanged", faults);
    const OrderedJson* left_out = find_member(*json, "left_out");
    const JsonAt at(root, "left_out");
    if (left_out != nullptr && !faults.failed() && faults.array(*left_out, at))
      for (std::size_t k = 0; k < left_out->size() && !faults.failed(); ++k)
        out.left_out.push_back(faults.text((*left_out)[k], JsonAt(at, k)));
  }
  if (faults.failed()) return faults.first();
  return out;
}

}  // namespace noclobber
