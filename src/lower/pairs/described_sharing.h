// Compares the storages that a recorder reports for values with what the operators do.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace noclobber {

/// For a case whose steps state where their results lie (`lies_in`) and which of them the pass described
/// (`described`): a sentence "aliasing: ..." for each described view that is not on the storage of its
/// operand, and for each described fresh result that is on the storage of an operand.
/// require: read_case_json reads the text.
std::vector<std::string> sharing_described_otherwise(std::string_view text);

}  // namespace noclobber
