// `recording.json`, noclobber.recording/1: a recorder's summary of its folder. Passes that changed nothing
// become a note. Graphs that were left out, and promises of the compiler that a pass broke, become unknown
// checks.
#include <fmt/format.h>

#include "src/inputs/format.h"
#include "src/inputs/recording.h"
#include "src/text/json.h"

namespace noclobber {

namespace {

std::uint64_t count_of(const OrderedJson& json, std::string_view key, JsonFaults& faults) {
  const OrderedJson* item = find_member(json, key);
  if (item == nullptr || faults.failed()) return 0;
  const JsonAt root;
  const std::int64_t count = faults.integer(*item, JsonAt(root, key));
  return count < 0 ? 0 : static_cast<std::uint64_t>(count);
}

bool begins_recording(std::string_view text) {
  const std::string_view begin = begin_of(text);
  return begin.starts_with('{') && says_format(begin, "noclobber.recording");
}

Looks looks_recording(const Glimpse&) { return Looks::ours; }

std::vector<std::string> texts_of(const OrderedJson& json, std::string_view key, JsonFaults& faults) {
  std::vector<std::string> out;
  const OrderedJson* items = find_member(json, key);
  const JsonAt root, at(root, key);
  if (items == nullptr || faults.failed() || !faults.array(*items, at)) return out;
  for (std::size_t k = 0; k < items->size() && !faults.failed(); ++k)
    out.push_back(faults.text((*items)[k], JsonAt(at, k)));
  return out;
}

void add_unknown(Opened& opened, const char* id, std::vector<std::string> names) {
  if (names.empty()) return;
  FileCheck& check = opened.checks.emplace_back();
  check.id = id;
  check.what = "pair";
  check.left_out = std::move(names);
}

Result<Opened> open_recording(FileText file) {
  auto json = parse_strict_json(file.text);
  if (!json) return json.fault();
  std::uint64_t unchanged = 0;
  std::vector<std::string> left_out, broken;
  JsonFaults faults;
  const JsonAt root;
  if (faults.object(*json, root)) {
    const OrderedJson* format = find_member(*json, "format");
    if (format == nullptr || *format != "noclobber.recording/1")
      faults.fail(JsonAt(root, "format"), "is not noclobber.recording/1");
    count_of(*json, "links", faults);
    unchanged = count_of(*json, "unchanged", faults);
    left_out = texts_of(*json, "left_out", faults);
    broken = texts_of(*json, "broken", faults);
  }
  if (faults.failed()) return faults.first();
  Opened out;
  if (unchanged > 0)
    out.notes.push_back(
        {"", fmt::format("{} pass{} changed nothing", unchanged, unchanged == 1 ? "" : "es")});
  add_unknown(out, "recording", std::move(left_out));
  add_unknown(out, kInvariantsId, std::move(broken));
  return out;
}

Result<Side> side_of_recording(const std::string&, bool) {
  return Diagnostic{"", "says what a recorder wrote; `noclobber check` reads its folder"};
}

}  // namespace

const InputFormat kRecordingFormat = {"recording", begins_recording, looks_recording, open_recording,
                                      side_of_recording};

}  // namespace noclobber
