// Prints certificates. checker/text/read.cpp reads them.
#pragma once
#include <string>
#include <vector>

#include "src/values/certificate.h"

namespace noclobber {

/// A text of `noclobber.cert/2` and the ends of its parts, so that lemmas and evidence can be replaced after
/// the text was read in another space.
struct CertificateText {
  /// The first parts. Then two parts per check: its fields, and its lemmas, which name no number of the
  /// table. The last part is the refutation.
  enum Part : std::uint8_t { head, count, numbers, forms, evidence, checks };
  std::string whole;
  std::vector<std::size_t> ends;  // of each part in `whole`; the checksum follows

  /// Replaces the lemmas by those of `certificate`, of which this is the text except for lemmas and evidence.
  void put_lemmas(const Certificate& certificate);
  /// Replaces the evidence by `derivations` of `space`, in which this text was read as `read`.
  void put(Space& space, const checker::Certificate& read, const std::vector<Derivation>& derivations);
};

/// `space` is that of the certificate's Traces, evidence and facts. `lean`: of the evidence only its numbers
/// are written, since a rule may depend on their order. Facts that no evidence uses and that have no value
/// at the symbols' values are left out: they are about uninterpreted functions, and nc-check evaluates each.
CertificateText certificate_parts(Space& space, const Certificate& certificate, bool lean = false);
inline std::string certificate_text(Space& space, const Certificate& certificate) {
  return certificate_parts(space, certificate).whole;
}

}  // namespace noclobber
