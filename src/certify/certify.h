// Certificates with evidence: found by search, then decided again exactly as nc-check does.
#pragma once
#include <string>

#include "src/values/certificate.h"

namespace noclobber {

/// The text of a certificate, and the answer of nc-check to it.
struct Certified {
  std::string text;
  checker::Answer answer;
};

/// The text of `content` (Traces over `space`, no evidence yet) with the lemmas and derivations it needs, as
/// far as they are found. The reader and the rules of nc-check make the answer from that text alone.
Certified certified(Space& space, Certificate& content);

/// The text of `content` with a refutation: an element at which the last check breaks for the symbols'
/// values. `order`: of graph steps; empty: as listed. If none is found within 20,000 elements the text has no
/// refutation, and nc-check answers "not proved".
std::string refuted(Space& space, Certificate content, const std::vector<std::uint32_t>& order);

}  // namespace noclobber
