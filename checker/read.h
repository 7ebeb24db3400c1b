// Reads a certificate: the Traces of one check as lines of tokens, and what was assumed.
//
//   noclobber.cert/0
//   symbols 1  2:s0 2 -            name, least, most ("-": none)
//   facts 1  (+ 4 s:2:s0)          polynomials that are >= 0 in every run
//   traces 2 ...                   before and after, or after alone
//   boundary 1 0 0                 strides compared, sharing may grow, pairs that may share
//   solver 1  4 0 0 0              obligations that a solver claims
//
// Texts are "length:bytes". Anything else than exactly this form is refused with the byte where it went
// wrong.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "checker/obligation.h"

namespace noclobber {

struct Certificate {
  std::optional<Trace> before;
  Trace after;
  Boundary boundary;
  std::set<Obligation> by_solver;
  std::string assumptions;  // of the verdict, for people
};

/// Polynomials are made in `space`. error: `fault` says why and where; the result is then empty.
std::optional<Certificate> read_certificate(Space& space, std::string_view text, std::string& fault);

}  // namespace noclobber
