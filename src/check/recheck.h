// `--recheck`: nc-recheck, whose decision is proved in Coq (checker/proof), decides beside nc-check.
#pragma once
#include <string>

namespace noclobber {

/// The program nc-recheck beside this one; "" where it is not there (`make recheck` builds it).
std::string rechecker();
/// Does it accept the certificate? What is outside of what it knows it does not accept.
bool rechecked(const std::string& program, const std::string& certificate);

}  // namespace noclobber
