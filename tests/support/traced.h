// A Case as its Traces and its certificate, for tests.
#pragma once
#include <algorithm>
#include <map>
#include <string>

#include "checker/check.h"
#include "src/certify/certificate_text.h"
#include "src/certify/certify.h"
#include "src/certify/nonnegative.h"
#include "src/effects/effects.h"
#include "src/prover/prover.h"

namespace noclobber::testing {

struct Modelled {
  Space space = searching_space();
  Traced traced;
  Boundary boundary;
  std::map<std::string, std::int64_t> symbols;
};

/// false: the case has operators of its own that cannot be read.
inline bool model(const Case& value, Modelled& out) {
  const auto ops = make_op_set(value.ops);
  if (!ops) return false;
  Sizes sizes(out.space);
  sizes.declare(value.symbols, value.assume);
  out.traced = trace_case(value, *ops, sizes);
  out.boundary.compare_strides = value.compare_strides;
  out.boundary.sharing_may_grow = value.sharing_may_grow;
  out.boundary.sharing_may_shrink = value.sharing_may_shrink;
  out.symbols = sample(value);
  return true;
}

inline Certificate unsigned_certificate(const Modelled& m) {
  Certificate out;
  out.about = "test";
  out.symbols = m.symbols;
  out.checks.push_back({"", m.traced.before, m.traced.after, m.boundary, {}});
  return out;
}

using checker::Answer;
using Said = Answer::Said;

/// What nc-check says of a certificate's text.
inline Answer nc_check(const std::string& text) {
  Space space;
  return checker::check(text, space);
}
/// What it says of a certificate by hand: lemmas and evidence are those that stand in it.
inline Answer nc_check(Space& space, const Certificate& content) {
  return nc_check(certificate_text(space, content));
}
inline std::string certified_text(Space& space, Certificate content) {
  return certified(space, content).text;
}
/// With all evidence that is found for it, and no other.
inline Answer nc_check_certified(Space& space, const Certificate& content) {
  const Answer bare = nc_check(space, content);
  return bare.said == Said::unreadable ? bare : nc_check(certified_text(space, content));
}

/// The same Trace, where its steps can be read as they are listed: no order counts but that.
inline Trace as_listed(Trace trace) {
  std::vector<std::uint32_t> origins;
  for (const TraceStep& s : trace.steps) origins.push_back(s.origin);
  std::ranges::sort(origins);
  for (std::size_t k = 0; k < origins.size() && !trace.any_order; ++k) trace.steps[k].origin = origins[k];
  return trace;
}

}  // namespace noclobber::testing
