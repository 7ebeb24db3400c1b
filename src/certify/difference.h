// Where two Traces differ, for given values of the symbols: the evidence of a refutation.
#pragma once
#include <optional>

#include "src/values/certificate.h"

namespace noclobber {

/// Of the last check of a certificate, with its symbols as values and its graph steps in `order` (empty: as
/// listed). What is returned breaks it, by what nc-check says.
std::optional<checker::Refutation> find_difference(Space& space, const Certificate& certificate,
                                                   const std::vector<std::uint32_t>& order);

}  // namespace noclobber
