#include "src/report/page_parts.h"

#include <algorithm>

#include "src/report/names.h"

namespace noclobber {

std::string anchor_of(const Finding& finding) {
  std::string out = "fp";
  for (const char c : finding.fingerprint) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    out += plain ? c : '_';
  }
  return finding.nth <= 1 ? out : out + "-" + std::to_string(finding.nth);
}

std::vector<Mark> marks_of(const Finding& finding) {
  std::vector<Mark> out;
  const auto add = [&](const std::optional<FindingPlace>& place, Mark::Role role) {
    if (!place) return;
    const std::int64_t step = place->step == kEntryStep ? -1 : std::int64_t{place->step};
    out.push_back({static_cast<int>(out.size()) + 1, role, &*place, step});
  };
  add(finding.define, Mark::Role::define);
  add(finding.clobber, Mark::Role::clobber);
  add(finding.read, Mark::Role::read);
  return out;
}

const Mark* mark_of(const std::vector<Mark>& marks, Mark::Role role) {
  const auto found = std::ranges::find(marks, role, &Mark::role);
  return found == marks.end() ? nullptr : &*found;
}

std::string_view role_class(Mark::Role role) {
  switch (role) {
    case Mark::Role::define:
      return "define";
    case Mark::Role::clobber:
      return "clobber";
    case Mark::Role::read:
      return "read";
  }
  return "";
}

}  // namespace noclobber
