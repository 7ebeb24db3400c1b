// The rules that a finding can break: code, property, title and explanation.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace noclobber {

struct Rule {
  std::string_view code;      // "NC001"
  std::string_view property;  // "stale-read"
  std::string_view title;     // one lower-case clause
  bool lint = false;          // never changes the exit code
};

/// All rules, by code.
std::span<const Rule> rules();
/// By code ("NC001") or property ("stale-read"), in any case of letters; nullptr if there is none.
const Rule* find_rule(std::string_view text);

/// The meaning of the rule, a small example, real bugs and a repair. Ends with a newline.
std::string explain_text(const Rule& rule);

}  // namespace noclobber
