#include "src/report/reasons.h"

#include <fmt/format.h>

#include <algorithm>

namespace noclobber {

namespace {

#define NC_REASON(code, title, help, text) UnknownReason{code, title, help, text},
constexpr UnknownReason kReasons[] = {
#include "src/report/reasons.def"
};
#undef NC_REASON

}  // namespace

std::span<const UnknownReason> unknown_reasons() { return kReasons; }

const UnknownReason* find_reason(std::string_view code) {
  const auto* found = std::ranges::find(kReasons, code, &UnknownReason::code);
  return found == std::end(kReasons) ? nullptr : found;
}

std::string explain_text(const UnknownReason& reason) {
  return fmt::format("unknown[{}]: {}\n{}", reason.code, reason.title, reason.text);
}

}  // namespace noclobber
