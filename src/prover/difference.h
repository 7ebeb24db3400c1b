// Where two Traces differ, for given values of the symbols: the evidence of a refutation.
#pragma once
#include <optional>
#include <string>

#include "checker/certificate.h"

namespace noclobber {

/// Of the last check of a certificate's text, read with its symbols as values and its graph steps in `order`
/// (empty: as listed). What is returned breaks it.
std::optional<Refutation> find_difference(const std::string& text, const std::vector<std::uint32_t>& order);

}  // namespace noclobber
