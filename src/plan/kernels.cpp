// What kernels ask or promise beyond what their operators do. Facts: ExecuTorch's portable
// index_put_ takes one index tensor of rank 1 and values of exactly the shape it writes, and stops with
// InvalidArgument at anything else (kernels/portable/cpu/op_index_put.cpp of 1.5.1). Its softmax takes the
// maximum and the sum of a row, then writes each element of it from the one at the same place, in one dim
// order (op_softmax.cpp), and no other library of ExecuTorch replaces that kernel. log_softmax does alike
// there, but the optimized library has a kernel of its own that promises the compiler that the two do not
// overlap.
#include <algorithm>

#include "src/plan/checks.h"

namespace noclobber {
namespace {

const Type* type_of(const Graph& graph, const Arg& arg) {
  if (arg.kind != Arg::Kind::ref || !graph.value(arg.ref).type) return nullptr;
  return &*graph.value(arg.ref).type;
}

/// Why the kernel refuses the call, or "". Nothing: it cannot be told.
std::optional<std::string> index_put_refusal(const Graph& graph, const Step& step) {
  if (step.args.size() < 3 || step.args[1].kind != Arg::Kind::list) return std::nullopt;
  const Type *self = type_of(graph, step.args[0]), *values = type_of(graph, step.args[2]);
  if (step.args.size() > 3 && step.args[3].kind == Arg::Kind::boolean && step.args[3].boolean)
    return "it accumulates";
  const auto& indices = step.args[1].list;
  const auto given = std::ranges::count_if(indices, [](const Arg& a) { return a.kind == Arg::Kind::ref; });
  if (given > 1) return "it takes one index tensor";
  if (indices.size() != 1 || given != 1) return std::nullopt;
  const Type* index = type_of(graph, indices[0]);
  if (self == nullptr || values == nullptr || index == nullptr) return std::nullopt;
  if (index->dtype == Dtype::boolean || index->dtype == Dtype::u8) return "its index is a mask";
  if (index->shape.size() != 1) return "its index tensor has not one dimension";
  if (values->dtype != self->dtype) return "its values have another dtype";
  std::vector<SymExpr> wanted = {index->shape[0]};
  if (!self->shape.empty()) wanted.insert(wanted.end(), self->shape.begin() + 1, self->shape.end());
  if (values->shape != wanted) return "its values would have to be broadcast";
  return "";
}

}  // namespace

Rows rows_of_kernel(std::string_view op, const Case& value) {
  const std::string_view base = op.substr(0, op.rfind('.'));
  if (base == "aten._softmax") return value.portable_kernels ? Rows::one_by_one : Rows::open;
  return base == "aten._log_softmax" ? Rows::open : Rows::mixed;
}

void kernels_accept(const Case& value, PlanAnswer& answer) {
  const Graph& graph = value.after;
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k) {
    if (graph.steps[k].op != "aten.index_put_.default") continue;
    ++answer.obligations;
    const auto refusal = index_put_refusal(graph, graph.steps[k]);
    if (!refusal) {
      answer.open.emplace_back("no-metadata", "arguments of " + graph.steps[k].op);
    } else if (!refusal->empty()) {
      PlanFault out;
      out.kind = PlanFault::Kind::refused;
      out.first = graph.value(graph.steps[k].args[0].ref).name;
      out.clobber = k;
      out.message = "the portable kernel of index_put_ refuses this call: " + *refusal;
      out.aspect = "refused";
      out.expected = "a result";
      out.actual = "InvalidArgument";
      answer.faults.push_back(std::move(out));
    }
  }
}

}  // namespace noclobber
