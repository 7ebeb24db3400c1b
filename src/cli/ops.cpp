// `ops --may-reuse executorch`: for each operator, the operands whose memory its result may reuse. A memory
// planner that allocates results in place of operands needs this of its operators.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "src/cli/commands.h"
#include "src/ops/evidence.h"
#include "src/ops/meaning.h"
#include "src/ops/row.h"
#include "src/ops/schema.h"
#include "src/ops/shape_rules.h"
#include "src/plan/contract.h"

namespace noclobber {
namespace {

constexpr const char* kHead =
    "# The result of an operator may lie where one of its operands lies if that has no later reader (users "
    "through\n"
    "# views, the return and other operands of the same step count), and if all of these hold:\n"
    "#   shape   the operand has the shape of the result: it is not broadcast\n"
    "#   width   an element of it takes as many bytes as one of the result\n"
    "#   order   its dimensions lie in the same order, from the same first byte on\n"
    "#   apart   every other operand lies elsewhere, or at just the same bytes under the same conditions\n"
    "# Evidence: `tag` PyTorch tags the operator pointwise; `row` the operator table says so; `kernel` read "
    "off\n"
    "# ExecuTorch's portable kernel. `watched`: recorded calls of PyTorch were held against that, element "
    "by\n"
    "# element; `unwatched`: they were not. Operators that are not listed: none of their operands.\n";

/// The line of a functional operator; "" if its result may not reuse any operand.
std::string line_of(const std::string& op, const Schema& schema) {
  const std::string_view base = base_name(op);
  Case portable;
  portable.portable_kernels = true;
  const bool by_rows = rows_of_kernel(op, portable) == Rows::one_by_one;
  if ((!is_elementwise(op, schema) && !by_rows) || is_random(base, schema)) return "";
  std::vector<std::string> operands;
  for (const SchemaSlot& slot : schema.arguments)
    if (slot.type == SchemaSlot::Type::tensor && !slot.written) operands.push_back(slot.name);
  const auto tensor = [](const SchemaSlot& slot) { return slot.type == SchemaSlot::Type::tensor; };
  if (operands.empty() || schema.returns.empty() || !std::ranges::all_of(schema.returns, tensor)) return "";
  if (by_rows) operands.resize(1);
  std::string conditions = "shape width order";
  if (operands.size() > 1) conditions += " apart";
  const OpRow* row = find_row(base);
  const bool gives_truth = row != nullptr && row->shape == shape_rules::compare_shape;  // one byte an element
  if (gives_truth) conditions += ", so only operands of one byte an element";
  if (schema.returns.size() > 1) conditions += ", one of the results alone";
  const char* evidence = by_rows ? "kernel" : schema.has(Tag::pointwise) ? "tag" : "row";
  return fmt::format("{}\t{}\t{}\t{}, {}\n", op, fmt::join(operands, ", "), conditions, evidence,
                     row_tested(op) ? "watched" : "unwatched");
}

}  // namespace

int run_ops(const Options& options) {
  if (options.may_reuse != "executorch") {
    print_error("", "", "say what runs the operators: noclobber ops --may-reuse executorch");
    return kUsageError;
  }
  std::map<std::string, std::string> lines;  // by functional operator
  for (const std::string_view name : vocabulary()) {
    const Schema* out = find_schema(name);
    if (out == nullptr || out->ns != "aten" || !out->has(Tag::out)) continue;  // a planner places only out=
    const std::string pure = functional_op(name);
    const Schema* schema = pure.empty() || pure == name ? nullptr : find_schema(pure);
    if (schema == nullptr || schema->writes()) continue;
    if (std::string line = line_of(pure, *schema); !line.empty()) lines[pure] = std::move(line);
  }
  fmt::print("{}operator\toperands\tconditions\tevidence\n", kHead);
  for (const auto& [op, line] : lines) fmt::print("{}", line);
  return 0;
}

}  // namespace noclobber
