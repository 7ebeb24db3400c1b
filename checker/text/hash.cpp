// SHA-256 (FIPS 180-4) for the files that a certificate is about; a faster checksum for its own text.
#include "checker/text/hash.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace noclobber {
namespace {

using State = std::array<std::uint32_t, 8>;

/// The first 32 bits of the fractional parts of the square and cube roots of the first primes.
// table
constexpr State kStart = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};
constexpr std::array<std::uint32_t, 64> kRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

void block(State& state, const unsigned char* bytes) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t k = 0; k < 64; ++k) w[k / 4] = w[k / 4] << 8 | bytes[k];
  for (std::size_t k = 16; k < 64; ++k) {
    const std::uint32_t x = w[k - 15], y = w[k - 2];
    w[k] = w[k - 16] + w[k - 7] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3) +
           (std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t k = 0; k < 64; ++k) {
    const std::uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                              ((e & f) ^ (~e & g)) + kRounds[k] + w[k];
    const std::uint32_t two =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
  }
  const State now{a, b, c, d, e, f, g, h};
  for (std::size_t k = 0; k < 8; ++k) state[k] += now[k];
}

std::string hexadecimal(std::uint64_t word, int digits) {
  std::string out;
  while (digits-- > 0) out += "0123456789abcdef"[word >> 4 * digits & 15];
  return out;
}

}  // namespace

std::string sha256(std::string_view bytes) {
  State state = kStart;
  const std::size_t whole = bytes.size() / 64 * 64;
  std::string tail(bytes.substr(whole)), out;
  tail += '\x80';
  while (tail.size() % 64 != 56) tail += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) tail += static_cast<char>(bytes.size() * 8ULL >> shift & 255);
  for (const std::string_view part : {bytes.substr(0, whole), std::string_view(tail)})
    for (std::size_t k = 0; k < part.size(); k += 64)
      block(state, reinterpret_cast<const unsigned char*>(part.data()) + k);
  for (std::uint32_t word : state) out += hexadecimal(word, 8);
  return out;
}

std::string checksum(std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little, "words are read as they lie");
  std::uint64_t sum = bytes.size();
  for (std::size_t k = 0; k < bytes.size(); k += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + k, std::min<std::size_t>(8, bytes.size() - k));
    sum = (sum ^ word) * 0x9e3779b97f4a7c15;
    sum ^= sum >> 29;
  }
  return hexadecimal(sum, 16);
}

}  // namespace noclobber
