#include "src/report/rules.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace noclobber {

namespace {

#define NC_RULE(code, property, title, lint) Rule{#code, property, title, lint},
constexpr Rule kRules[] = {
#include "src/report/rules.def"
};
#undef NC_RULE

bool same_letters(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

std::span<const Rule> rules() { return kRules; }

const Rule* find_rule(std::string_view text) {
  for (const Rule& rule : kRules) {
    if (same_letters(rule.code, text) || same_letters(rule.property, text)) return &rule;
  }
  return nullptr;
}

}  // namespace noclobber
