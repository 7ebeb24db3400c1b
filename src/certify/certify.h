// Certificates with their evidence: found by search, then decided again exactly as nc-check does.
#pragma once
#include <string>

#include "src/values/certificate.h"

namespace noclobber {

/// A certificate's text, and what nc-check answers to it.
struct Certified {
  std::string text;
  checker::Answer answer;
};

/// The text of `content` (Traces over `space`, no evidence yet), whose checks get what they rest on. The
/// answer is made by the reader and the rules of nc-check from that text alone.
Certified certified(Space& space, Certificate& content);

/// As certified(), with an element at which the last check breaks for the symbols' values. Without evidence
/// `order`: of graph steps, empty as listed. Without evidence where none is found within 20,000 elements:
/// nc-check then answers "not proved".
std::string refuted(Space& space, Certificate content, const std::vector<std::uint32_t>& order);

}  // namespace noclobber
