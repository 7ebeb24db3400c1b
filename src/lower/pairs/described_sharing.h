// What a recorder says of the storages that values lie on, against what the operators do.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace noclobber {

/// Of a case whose steps say where their results lie (`lies_in`) and which of them were described by the pass
/// (`described`): a view that is described apart from what it is a view of, and a fresh result that is
/// described on a storage that it was given. A sentence each: "aliasing: ...". require: read_case_json reads
/// the text.
std::vector<std::string> sharing_described_otherwise(std::string_view text);

}  // namespace noclobber
