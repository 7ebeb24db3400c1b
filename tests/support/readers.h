// Every reader of untrusted bytes behind one call: for libFuzzer, and for the damaged texts of the unit
// tests.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace noclobber::testing {

struct Reader {
  std::string_view name;
  void (*read)(const std::string& bytes);  // never fails but by crashing, hanging or eating memory
};

/// case, fx, log, pt2, pte, csv, thunder, certificate.
std::span<const Reader> readers();
/// nullptr: no reader of that name.
const Reader* find_reader(std::string_view name);

}  // namespace noclobber::testing
