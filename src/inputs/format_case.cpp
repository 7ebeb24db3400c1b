// noclobber.case/1: one check, with one or two graphs, or with a plan.
#include "src/formats/case/case_json.h"
#include "src/inputs/format.h"
#include "src/inputs/recording.h"
#include "src/lower/pairs/described_sharing.h"

namespace noclobber {
namespace {

bool begins_case(std::string_view text) { return begin_of(text).starts_with('{'); }

/// Members may come in any order, so the whole file is searched, a piece at a time.
Looks looks_case(const Glimpse& file) {
  constexpr std::size_t kOverlap = 4096;  // a key and its value with white space are shorter
  for (std::string text = file.begin;;) {
    if (says_format(text, "noclobber.case")) return Looks::ours;
    const auto more = file.more();
    if (!more || more->empty()) return Looks::strange;
    if (text.size() > kOverlap) text.erase(0, text.size() - kOverlap);
    text += *more;
  }
}

Result<Opened> open_case(FileText file) {
  auto value = read_case_json(file.text);
  if (!value) return value.fault();
  Opened out;
  FileCheck& check = out.checks.emplace_back();
  check.what = value->plan ? "plan" : value->before ? "pair" : "single";
  std::string name = value->name;
  check.value = *std::move(value);
  if (auto otherwise = sharing_described_otherwise(file.text); !otherwise.empty()) {
    FileCheck& promise = out.checks.emplace_back();
    promise.id = (name.empty() ? name : name + "/") + kInvariantsId;
    promise.what = "pair";
    promise.left_out = std::move(otherwise);
  }
  return out;
}

Result<Side> side_of_case(const std::string& text, bool is_before) {
  auto value = read_case_json(text);
  if (!value) return value.fault();
  Side out;
  out.facts = *std::move(value);
  const bool take_before = is_before && out.facts.before.has_value();
  out.graph = take_before ? std::move(*out.facts.before) : std::move(out.facts.after);
  out.knows_storages = true;
  out.compares_strides = out.facts.compare_strides;
  return out;
}

}  // namespace

const InputFormat kCaseFormat = {"case", begins_case, looks_case, open_case, side_of_case};

}  // namespace noclobber
