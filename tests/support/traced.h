// A Case as its Traces and its certificate, for tests.
#pragma once
#include <map>
#include <string>

#include "src/effects/effects.h"
#include "src/prover/certify.h"
#include "src/prover/nonnegative.h"
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

/// What nc-check says of a certificate's text.
enum class Said : std::uint8_t { unreadable, not_proved, refuted, proved };
struct Answer {
  Said said = Said::unreadable;
  std::string why;
};
inline Answer nc_check(const std::string& text) {
  Space space;
  std::string fault;
  const auto certificate = read_certificate(space, text, false, fault);
  if (!certificate) return {Said::unreadable, fault};
  if (certificate->refutation) {
    Space concrete;
    const auto again = read_certificate(concrete, text, true, fault);
    return {again && breaks(concrete, *again) ? Said::refuted : Said::not_proved,
            "the witness breaks nothing"};
  }
  const Judgement out = judge(space, *certificate);
  return {out.verdict == Judgement::Verdict::proved ? Said::proved : Said::not_proved, out.why};
}

}  // namespace noclobber::testing
