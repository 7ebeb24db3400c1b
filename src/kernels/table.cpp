#include <algorithm>
#include <map>

#include "src/kernels/kernels.h"
#include "src/ops/row.h"

namespace noclobber {
namespace {

/// Runs the view operator of a *_copy operator, and copies the elements of its views to contiguous results.
void run_view_copy(Call& call, const KernelRow& row) {
  Call view;
  view.args = call.args;
  view.budget = call.budget;
  view.memory_left = call.memory_left;
  view.first_id = 0xfffffff0U;
  row.base->run(view, *row.base);
  if (view.fault) {
    call.fault = std::move(view.fault);
    return;
  }
  call.budget = view.budget;
  for (const Datum& result : view.results) {
    const Array out = call.output(result.tensor.at.dtype, result.tensor.at.shape);
    if (call.ok()) copy_elements(call, result.tensor, out);
  }
}

struct KernelTable {
  std::map<std::string_view, KernelRow> families;  // "add.Tensor"
  std::map<std::string, KernelRow, std::less<>> rows;

  KernelTable() {
    for (const auto& family : {view_kernels(), adapt_kernels(), reshape_kernels()}) add(family, true);
    for (const auto& family :
         {arithmetic_kernels(),  compare_kernels(), unary_kernels(),      create_kernels(),
          move_kernels(),        index_kernels(),   scatter_kernels(),    reduce_kernels(),
          order_kernels(),       matmul_kernels(),  norm_kernels(),       batch_norm_kernels(),
          convolution_kernels(), pool_kernels(),    activation_kernels(), attention_kernels(),
          special_kernels(),     tally_kernels(),   resample_kernels(),   fold_kernels(),
          distance_kernels(),    gradient_kernels()})
      add(family, false);
    bind_rows();
    add_copies();
  }

  void add(std::span<const KernelRow> family, bool shares) {
    for (const KernelRow& row : family) {
      KernelRow copy = row;
      copy.shares = shares;
      const bool fresh = families.emplace(row.op, copy).second;
      NC_CHECK(fresh, "a kernel has two functions for one overload");
    }
  }

  /// Adds the overloads of every operator whose row names a kernel.
  void bind_rows() {
    for (const OpRow& row : op_rows()) {
      if (row.kernel.empty()) continue;
      const std::string prefix = std::string(row.kernel) + ".";
      for (auto at = families.lower_bound(prefix); at != families.end() && at->first.starts_with(prefix);
           ++at) {
        const std::string op = std::string(row.op) + "." + std::string(at->first.substr(prefix.size()));
        if (has_schema(op)) rows.emplace(op, at->second);
      }
    }
    for (auto& [op, row] : rows) row.op = op;
  }

  void add_copies() {
    std::vector<KernelRow> copies;
    for (const auto& [op, row] : rows)
      if (row.shares) copies.push_back(row);
    for (const KernelRow& row : copies) {
      const std::size_t dot = row.op.rfind('.');
      const std::string op = std::string(row.op.substr(0, dot)) + "_copy" + std::string(row.op.substr(dot));
      KernelRow copy{{}, run_view_copy};
      copy.base = &rows.find(row.op)->second;
      const auto added = rows.emplace(op, copy).first;
      added->second.op = added->first;
    }
  }
};

const KernelTable& kernel_table() {
  static const KernelTable table;
  return table;
}

}  // namespace

const KernelRow* find_kernel(std::string_view op) {
  const auto found = kernel_table().rows.find(op);
  return found == kernel_table().rows.end() ? nullptr : &found->second;
}

std::vector<std::string_view> kernel_names() {
  std::vector<std::string_view> names;
  for (const auto& [op, row] : kernel_table().rows) names.push_back(op);
  return names;
}

std::vector<std::string_view> family_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, row] : kernel_table().families) names.push_back(name);
  return names;
}

void run_kernel(const KernelRow& row, Call& call) { row.run(call, row); }

}  // namespace noclobber
