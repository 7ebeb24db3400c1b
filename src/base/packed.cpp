#include "src/base/packed.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "src/base/check.h"

namespace noclobber {

namespace {

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string to_base64(const std::vector<std::uint8_t>& bytes) {
  std::string out;
  out.reserve(bytes.size() / 3 * 4 + 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::size_t here = std::min<std::size_t>(3, bytes.size() - k);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) group = group << 8 | (i < here ? bytes[k + i] : 0U);
    for (std::size_t i = 0; i < 4; ++i) out += i <= here ? kBase64[group >> (18 - 6 * i) & 63U] : '=';
  }
  return out;
}

/// Decodes up to the first character outside of the alphabet.
std::vector<std::uint8_t> of_base64(std::string_view text) {
  std::vector<std::uint8_t> out;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char letter : text) {
    const std::size_t value = kBase64.find(letter);
    if (value == kBase64.npos) break;
    group = (group << 6 | static_cast<std::uint32_t>(value)) & 0xffffffU;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out.push_back(static_cast<std::uint8_t>(group >> bits & 0xffU));
  }
  return out;
}

}  // namespace

std::string packed(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::vector<std::uint8_t> out(size);
  const int state = compress2(out.data(), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(),
                              Z_BEST_COMPRESSION);
  NC_CHECK(state == Z_OK, "zlib packs whatever it is given");
  out.resize(size);
  return to_base64(out);
}

Unpacked unpacked(std::string_view text, std::size_t most) {
  std::vector<std::uint8_t> bytes = of_base64(text);
  Unpacked out;
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return out;
  stream.next_in = bytes.data();
  stream.avail_in = static_cast<uInt>(std::min<std::size_t>(bytes.size(), UINT32_MAX));
  std::array<char, std::size_t{1} << 16> chunk;
  std::size_t made = 0;
  int state = Z_OK;
  while (state == Z_OK && out.bytes.size() < most) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = chunk.size();
    state = inflate(&stream, Z_NO_FLUSH);
    made += chunk.size() - stream.avail_out;
    out.bytes.append(chunk.data(), std::min(made, most) - out.bytes.size());
  }
  out.whole = state == Z_STREAM_END && made <= most;
  inflateEnd(&stream);
  return out;
}

}  // namespace noclobber
