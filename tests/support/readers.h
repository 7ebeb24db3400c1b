// Every reader of untrusted bytes behind one call: for libFuzzer, for the damaged texts of the unit tests,
// and for corpus/readings.tsv.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/lower/checks.h"

namespace noclobber::testing {

struct Reader {
  std::string_view name;
  /// What it makes of the bytes, or what is wrong with them, and where. Fails by crashing, hanging or eating
  /// memory only.
  std::string (*text)(const std::string& bytes);
};

/// By name: case, certificate, csv, fx, log, mlx, pt2, pte, thunder.
std::span<const Reader> readers();
/// nullptr: no reader of that name.
const Reader* find_reader(std::string_view name);
/// What is said of each graph or pair, and the graphs themselves.
std::string checks_text(std::vector<TraceCheck> checks);

}  // namespace noclobber::testing
