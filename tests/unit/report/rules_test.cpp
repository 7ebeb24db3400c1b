#include "src/report/rules.h"

#include <set>

#include "src/report/reasons.h"
#include "tests/catch.h"

namespace rules_test {

using namespace noclobber;

TEST_CASE("rules: codes and properties are unique and found in any case", "[report]") {
  std::set<std::string_view> codes, properties;
  for (const Rule& rule : rules()) {
    CHECK(codes.insert(rule.code).second);
    CHECK(properties.insert(rule.property).second);
    CHECK(find_rule(rule.code) == &rule);
    CHECK(find_rule(rule.property) == &rule);
  }
  CHECK(rules().size() == 21);
  CHECK(find_rule("nc001") == find_rule("stale-read"));
  CHECK(find_rule("NC00") == nullptr);
  CHECK(find_rule("") == nullptr);
}

TEST_CASE("rules: each is explained with example, origin and repair", "[report]") {
  for (const Rule& rule : rules()) {
    const std::string text = explain_text(rule);
    INFO(text);
    for (const char* part : {"\nExample\n", "\nSeen in\n", "\nRepair\n", "#"}) {
      CHECK(text.find(part) != std::string::npos);
    }
    CHECK(text.ends_with("\n"));
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      CHECK(text.find('\n', at) - at <= 110);
    }
    CHECK(rule.lint == (text.find("never changes the exit code") != std::string::npos));
  }
}

TEST_CASE("reasons: each says what to do", "[report]") {
  for (const UnknownReason& reason : unknown_reasons()) {
    const std::string text = explain_text(reason);
    INFO(text);
    CHECK(find_reason(reason.code) == &reason);
    CHECK(text.starts_with("unknown[" + std::string(reason.code) + "]: "));
    CHECK(text.find("\nWhat to do\n") != std::string::npos);
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      CHECK(text.find('\n', at) - at <= 115);
    }
  }
  CHECK(find_reason("unsupported") == nullptr);
}

}  // namespace rules_test
