// The reasons for `unknown` that records name.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace noclobber {

struct UnknownReason {
  std::string_view code;   // "unsupported-op"
  std::string_view title;  // one lower-case clause
  std::string_view help;   // what to try first; may be empty
  std::string_view text;   // what `noclobber explain` prints below the title
};

/// All reasons. A cause comes before the reasons that it often entails.
std::span<const UnknownReason> unknown_reasons();
/// By code; nullptr if there is none.
const UnknownReason* find_reason(std::string_view code);

/// The meaning of the reason, an example and a remedy. Ends with a newline.
std::string explain_text(const UnknownReason& reason);

}  // namespace noclobber
