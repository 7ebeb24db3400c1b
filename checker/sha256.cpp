// FIPS 180-4.
#include <array>
#include <bit>
#include <cmath>

#include "checker/certificate.h"

namespace noclobber {
namespace {

using State = std::array<std::uint32_t, 8>;
using Words = std::array<std::uint32_t, 64>;

/// The first 32 bits of the fractional parts of the square and cube roots of the first primes.
std::pair<State, Words> constants() {
  const auto fraction = [](long double root) {
    return static_cast<std::uint32_t>((root - std::floor(root)) * 4294967296.0L);
  };
  std::pair<State, Words> out;
  std::size_t count = 0;
  for (int n = 2; count < 64; ++n) {
    bool prime = true;
    for (int d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
    if (!prime) continue;
    if (count < 8) out.first[count] = fraction(std::sqrt(static_cast<long double>(n)));
    out.second[count++] = fraction(std::cbrt(static_cast<long double>(n)));
  }
  return out;
}

void block(State& state, const unsigned char* bytes, const Words& rounds) {
  Words w{};
  for (std::size_t k = 0; k < 64; ++k) w[k / 4] = w[k / 4] << 8 | bytes[k];
  for (std::size_t k = 16; k < 64; ++k) {
    const std::uint32_t x = w[k - 15], y = w[k - 2];
    w[k] = w[k - 16] + w[k - 7] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3) +
           (std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t k = 0; k < 64; ++k) {
    const std::uint32_t one =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + rounds[k] + w[k];
    const std::uint32_t two =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
  }
  const State now{a, b, c, d, e, f, g, h};
  for (std::size_t k = 0; k < 8; ++k) state[k] += now[k];
}

}  // namespace

std::string sha256(std::string_view bytes) {
  static const auto [start, rounds] = constants();
  State state = start;
  const std::size_t whole = bytes.size() / 64 * 64;
  std::string tail(bytes.substr(whole)), out;
  tail += '\x80';
  while (tail.size() % 64 != 56) tail += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) tail += static_cast<char>(bytes.size() * 8ULL >> shift & 255);
  for (const std::string_view part : {bytes.substr(0, whole), std::string_view(tail)})
    for (std::size_t k = 0; k < part.size(); k += 64)
      block(state, reinterpret_cast<const unsigned char*>(part.data()) + k, rounds);
  for (std::uint32_t word : state)
    for (int shift = 28; shift >= 0; shift -= 4) out += "0123456789abcdef"[word >> shift & 15];
  return out;
}

}  // namespace noclobber
