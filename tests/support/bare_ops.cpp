#include "tests/support/bare_ops.h"

#include <set>

#include "src/kernels/kernels.h"
#include "src/ops/row.h"

namespace noclobber::golden {
namespace {

bool computed(std::string_view op) {
  return find_kernel(op) != nullptr || find_kernel(item_op(op)) != nullptr;
}

/// Operators, without overload, of which some overload has a kernel, its own or that of its functional form.
std::set<std::string> served() {
  std::set<std::string> out;
  for (const std::string_view op : vocabulary())
    if (computed(op) || computed(functional_op(op))) out.insert(std::string(base_name(op)));
  return out;
}

}  // namespace

std::string bare_table() {
  const std::set<std::string> partly = served();
  std::string out = "operator\twhy\n";
  for (const std::string_view op : vocabulary()) {
    const OpRow* row = find_row(base_name(op));
    if (row == nullptr || row->meaning == Meaning::unsupported || computed(op)) continue;
    const std::string functional = functional_op(op);
    if (!functional.empty() && functional != op) continue;
    const bool part = partly.contains(std::string(base_name(op)));
    out += std::string(op) + (part ? "\tan overload its kernel does not have\n" : "\tno kernel\n");
  }
  return out;
}

}  // namespace noclobber::golden
