// `--recheck`: nc-recheck, whose decision procedure is proved in Coq (checker/proof), is run besides
// nc-check.
#pragma once
#include <string>

namespace noclobber {

/// The path of nc-recheck in the folder of this program; "" if it is not there (`make recheck` builds it).
std::string rechecker();
/// True if the program accepts the certificate. It does not accept what it has no rules for.
bool rechecked(const std::string& program, const std::string& certificate);

}  // namespace noclobber
