// Prints certificates; checker/read.cpp reads them.
#pragma once
#include <string>

#include "checker/certificate.h"

namespace noclobber {

/// The text of `noclobber.cert/1`. `space` is that of the certificate's Traces, evidence and facts.
/// `numbered`: derivations that are left out, while what they are about keeps its place among the numbers.
std::string certificate_text(const Space& space, const Certificate& certificate,
                             const std::vector<Derivation>& numbered = {});
/// Without the facts that no evidence uses and that the symbols' values do not tell: what they say is of
/// functions that nobody computes, and nc-check wants each fact shown.
std::string lean_certificate_text(const Space& space, const Certificate& certificate);

}  // namespace noclobber
