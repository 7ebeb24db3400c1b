// The rules a finding may break: code, property, title, and what `noclobber explain` says about them.
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
/// By code ("NC001", "nc001") or property ("stale-read"); nullptr if there is none.
const Rule* find_rule(std::string_view text);

/// Half a page: what the rule means, a small example, a real bug, how to repair. Ends with a newline.
std::string explain_text(const Rule& rule);

}  // namespace noclobber
