// The rows of the operator table that have been compared with PyTorch (corpus/ops_evidence.tsv, compiled in),
// and a digest that identifies the table.
#pragma once
#include <string>
#include <string_view>

namespace noclobber {

/// True if the kernel of `op` (with overload) agreed with recorded calls, its access contract was checked,
/// and its view maps and shape rule, if it has them, were compared. For an overload that writes, this must
/// hold of its functional operator, and the overload itself was seen in PyTorch to write and alias as its row
/// says.
bool row_tested(std::string_view op);

/// sha256 of the operator table: the text of its schemas and rows.
std::string table_digest();

}  // namespace noclobber
