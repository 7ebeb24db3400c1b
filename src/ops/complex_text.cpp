#include "src/ops/complex_text.h"

#include <charconv>

namespace noclobber {
namespace {

/// The whole text as one number, with an optional sign in front.
std::optional<double> part(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with('+')) return std::nullopt;
  double out = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
  return fault == std::errc() && end == text.data() + text.size() ? std::optional(out) : std::nullopt;
}

std::optional<std::complex<double>> both(std::optional<double> real, std::optional<double> imaginary) {
  if (!real || !imaginary) return std::nullopt;
  return std::complex<double>(*real, *imaginary);
}

/// The position of the imaginary part: the last sign that is not that of an exponent. 0 if there is no real
/// part.
std::size_t sign_between(std::string_view text) {
  for (std::size_t k = text.size(); k-- > 1;)
    if ((text[k] == '+' || text[k] == '-') && text[k - 1] != 'e') return k;
  return 0;
}

}  // namespace

std::optional<std::complex<double>> complex_of_text(std::string_view text) {
  constexpr std::string_view kCall = "complex(";
  if (text.starts_with(kCall) && text.ends_with(')')) {
    text.remove_prefix(kCall.size());
    text.remove_suffix(1);
    const std::size_t comma = text.find(", ");
    if (comma == std::string_view::npos) return std::nullopt;
    return both(part(text.substr(0, comma)), part(text.substr(comma + 2)));
  }
  if (!text.ends_with('j')) return std::nullopt;
  text.remove_suffix(1);
  const std::size_t at = sign_between(text);
  return both(at == 0 ? 0.0 : part(text.substr(0, at)), part(text.substr(at)));
}

}  // namespace noclobber
