// Printed traces of Lightning Thunder.
#pragma once
#include <string>
#include <vector>

#include "src/lower/checks.h"

namespace noclobber {

/// A trace with the name of its file.
struct ThunderFile {
  std::string name;  // "05_grad-transform-pass"
  std::string text;
};
/// The checks of one text: its trace alone, or each pair of consecutive ones. `inputs`: the text of
/// `inputs.json` (noclobber.inputs/1) beside it, or "" if there is none. error of a check: "line N, column
/// M".
std::vector<TraceCheck> read_thunder(const ThunderFile& file, const std::string& inputs);
/// The check of BEFORE against AFTER, one trace each.
Result<Case> read_thunder_pair(const ThunderFile& before, const ThunderFile& after,
                               const std::string& inputs);
/// The checks of numbered traces in order: each consecutive pair, a joint trace by itself, and forward with
/// backward.
std::vector<TraceCheck> read_thunder_sequence(const std::vector<ThunderFile>& forward,
                                              const std::vector<ThunderFile>& backward,
                                              const std::string& inputs);

}  // namespace noclobber
