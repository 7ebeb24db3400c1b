// Finds where two Traces differ for given values of the symbols: the witness of a refutation.
#pragma once
#include <optional>

#include "src/values/certificate.h"

namespace noclobber {

/// A refutation of the last check of a certificate, with symbols as values and graph steps in `order` (empty:
/// as listed). nc-check accepts what is returned. Empty if none is found.
std::optional<checker::Refutation> find_difference(Space& space, const Certificate& certificate,
                                                   const std::vector<std::uint32_t>& order);

}  // namespace noclobber
