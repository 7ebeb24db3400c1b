// Prints certificates; checker/text/read.cpp reads them.
#pragma once
#include <string>
#include <vector>

#include "src/values/certificate.h"

namespace noclobber {

/// The text of `noclobber.cert/2` in parts, so that evidence can be put into one that was read in a space of
/// its own.
struct CertificateText {
  std::string head;       // up to the table of numbers
  std::size_t count = 0;  // of numbers
  std::string numbers;
  std::string forms;  // from the facts to the evidence
  std::string evidence;
  std::vector<std::string> checks;  // without their lemmas, which name no number
  std::vector<std::string> lemmas;  // of each check
  std::string refutation;

  std::string whole() const;
  /// The lemmas are then those of `certificate`, of which this is the text but for lemmas and evidence.
  void put_lemmas(const Certificate& certificate);
  /// `read`: of this text, in `space`; the evidence is then these derivations.
  void put(Space& space, const checker::Certificate& read, const std::vector<Derivation>& derivations);
};

/// `space` is that of the certificate's Traces, evidence and facts. Facts that no evidence uses and that the
/// symbols' values do not tell are left out, if `lean`: what they say is of functions that nobody computes,
/// and nc-check wants each fact shown.
CertificateText certificate_parts(Space& space, const Certificate& certificate, bool lean = false);
inline std::string certificate_text(Space& space, const Certificate& certificate) {
  return certificate_parts(space, certificate).whole();
}

}  // namespace noclobber
