// Prints certificates; checker/text/read.cpp reads them.
#pragma once
#include <string>
#include <vector>

#include "src/values/certificate.h"

namespace noclobber {

/// The text of `noclobber.cert/2`, and where its parts end, so that evidence can be put into one that was
/// read in a space of its own.
struct CertificateText {
  /// After these of each check all but its lemmas, and its lemmas, which name no number; then the refutation.
  enum Part : std::uint8_t { head, count, numbers, forms, evidence, checks };
  std::string whole;
  std::vector<std::size_t> ends;  // of each part in the whole; its sum follows

  /// The lemmas are then those of `certificate`, of which this is the text but for lemmas and evidence.
  void put_lemmas(const Certificate& certificate);
  /// `read`: of this text, in `space`; the evidence is then these derivations.
  void put(Space& space, const checker::Certificate& read, const std::vector<Derivation>& derivations);
};

/// `space` is that of the certificate's Traces, evidence and facts. `lean`: of evidence only its numbers are
/// written, as a rule may find its way in their order; and facts that no evidence uses and that the symbols'
/// values do not tell are left out: what they say is of functions that nobody computes, and nc-check wants
/// each fact shown.
CertificateText certificate_parts(Space& space, const Certificate& certificate, bool lean = false);
inline std::string certificate_text(Space& space, const Certificate& certificate) {
  return certificate_parts(space, certificate).whole;
}

}  // namespace noclobber
