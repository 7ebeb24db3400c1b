// Prints certificates; checker/read.cpp reads them.
#pragma once
#include <string>

#include "checker/certificate.h"

namespace noclobber {

/// The text of `noclobber.cert/1`. `space` is that of the certificate's Traces, evidence and facts.
std::string certificate_text(const Space& space, const Certificate& certificate);

}  // namespace noclobber
