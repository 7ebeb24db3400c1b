// Which rows of the operator table have been compared with PyTorch: corpus/ops_evidence.tsv, compiled in;
// and which table they are.
#pragma once
#include <string>
#include <string_view>

namespace noclobber {

/// The kernel of `op` (with overload) agrees with recorded calls; its access contract was watched, and its
/// view maps and shape rule were compared where it has them. Of an overload that writes, so it is of its
/// functional operator, and of the overload itself it was seen in PyTorch that it writes and shares what its
/// row says.
bool row_tested(std::string_view op);

/// sha256 of the operator table: schemas and rows as they are written.
std::string table_digest();

}  // namespace noclobber
