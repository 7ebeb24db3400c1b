// Complex numbers in attributes, which hold the text that a reader wrote: "complex(1, -2)", "1-2j" or "3j".
#pragma once
#include <complex>
#include <optional>
#include <string_view>

namespace noclobber {

/// The number, with the signs of its zeros; empty for any other text.
std::optional<std::complex<double>> complex_of_text(std::string_view text);

}  // namespace noclobber
