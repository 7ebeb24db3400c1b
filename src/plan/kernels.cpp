// What kernels require or promise beyond the semantics of their operators. ExecuTorch's portable index_put_
// takes one index tensor of i32 or i64 and rank 1, at any dimension, and values of exactly the shape that it
// writes. At anything else, and at negative indices, which index_put takes, it stops with InvalidArgument
// (kernels/portable/cpu/op_index_put.cpp of 1.5.1; confirmed by a run). Its softmax computes the maximum and
// the sum of a row, then writes each element of the row from the one at the same place, in one dim order
// (op_softmax.cpp), and no other library of ExecuTorch replaces that kernel. Its log_softmax does the same,
// but the optimized library has a kernel of its own that promises the compiler that operand and result do not
// overlap.
#include <algorithm>
#include <ranges>

#include "src/plan/checks.h"

namespace noclobber {
namespace {

const Type* type_of(const Graph& graph, const Arg& arg) {
  if (arg.kind != Arg::Kind::ref || !graph.value(arg.ref).type) return nullptr;
  return &*graph.value(arg.ref).type;
}

std::string sizes_text(const std::vector<SymExpr>& sizes) {
  std::string out = "[";
  for (const SymExpr& size : sizes) out += (out.size() > 1 ? "," : "") + size.text();
  return out + "]";
}

/// True if the two sizes are known to differ.
bool differs(const SymExpr& a, const SymExpr& b) {
  return a.is_constant() && b.is_constant() && a.constant() != b.constant();
}

/// Why the values do not have the shape of `self` with the length of the index at `dim`; "" if they do. Empty
/// optional: not known.
std::optional<std::string> values_refusal(const Type& self, std::size_t dim, const Type& index,
                                          const Type& values) {
  if (dim >= self.shape.size()) return "it indexes more dimensions than there are";
  std::vector<SymExpr> wanted = self.shape;
  wanted[dim] = index.shape[0];
  if (values.shape == wanted) return "";
  if (values.shape.size() == wanted.size() &&
      std::ranges::none_of(std::views::iota(std::size_t{0}, wanted.size()),
                           [&](std::size_t k) { return differs(values.shape[k], wanted[k]); }))
    return std::nullopt;
  return "its values would have to be broadcast from " + sizes_text(values.shape) + " to " +
         sizes_text(wanted);
}

/// True if one of the numbers that the tensor holds is negative. Empty if its contents are not known.
std::optional<bool> holds_negative(const Graph& graph, const Arg& tensor) {
  for (const Input& input : graph.inputs) {
    const bool lasts = input.kind != Input::Kind::user && !input.may_write.value_or(false);
    if (input.value != tensor.ref || !lasts || !input.contents) continue;
    return std::ranges::any_of(*input.contents, [](const Arg& number) {
      return number.kind == Arg::Kind::sym && number.sym.is_constant() && number.sym.constant() < 0;
    });
  }
  return std::nullopt;
}

/// Why the kernel refuses the call; "" if it accepts it. Empty optional: not known.
std::optional<std::string> index_put_refusal(const Graph& graph, const Step& step) {
  if (step.args.size() < 3 || step.args[1].kind != Arg::Kind::list) return std::nullopt;
  const Type *self = type_of(graph, step.args[0]), *values = type_of(graph, step.args[2]);
  if (step.args.size() > 3 && step.args[3].kind == Arg::Kind::boolean && step.args[3].boolean)
    return "it accumulates";
  const auto& indices = step.args[1].list;
  const auto given = [](const Arg& a) { return a.kind == Arg::Kind::ref; };
  const auto count = std::ranges::count_if(indices, given);
  if (count > 1) return "it takes one index tensor";
  if (count == 0) return "it has no index tensor";
  const auto at = std::ranges::find_if(indices, given);
  const Type* index = type_of(graph, *at);
  if (self == nullptr || values == nullptr || index == nullptr) return std::nullopt;
  if (index->dtype != Dtype::i64 && index->dtype != Dtype::i32)
    return "its index is a mask, or no i32 or i64";
  if (index->shape.size() != 1) return "its index tensor has not one dimension";
  if (values->dtype != self->dtype) return "its values have another dtype";
  if (holds_negative(graph, *at).value_or(false)) return "its indices are negative";
  return values_refusal(*self, static_cast<std::size_t>(at - indices.begin()), *index, *values);
}

bool puts_by_index(const Step& step) { return step.op == "aten.index_put_.default"; }

}  // namespace

Rows rows_of_kernel(std::string_view op, const Case& value) {
  const std::string_view base = op.substr(0, op.rfind('.'));
  const bool portable =
      value.portable_kernels || std::ranges::find(value.assumed, kPortableSoftmax) != value.assumed.end();
  if (base == "aten._softmax") return portable ? Rows::one_by_one : Rows::open;
  return base == "aten._log_softmax" ? Rows::open : Rows::mixed;
}

void assume_portable_softmax(Case& value) {
  if (!value.plan || value.portable_kernels) return;
  const auto place = [&](ValueId id) -> const PlanBuffer* {
    if (!id.valid()) return nullptr;
    const auto& buffers = value.plan->buffers;
    const auto at = std::ranges::find(buffers, value.after.value(id).name, &PlanBuffer::name);
    return at == buffers.end() ? nullptr : &*at;
  };
  for (const Step& step : value.after.steps) {
    if (!step.op->starts_with("aten._softmax.") || step.args.empty() || step.results.size() != 1) continue;
    const PlanBuffer *from = place(step.args[0].ref), *to = place(step.results[0]);
    if (from == nullptr || to == nullptr || from->arena != to->arena || from->offset != to->offset) continue;
    value.assumed.emplace_back(kPortableSoftmax);
    return;
  }
}

void assume_indices_not_negative(Case& value) {
  if (!value.portable_kernels) return;
  for (const Step& step : value.after.steps) {
    if (!puts_by_index(step) || step.args.size() < 2) continue;
    const auto& indices = step.args[1].list;
    if (std::ranges::all_of(indices, [&](const Arg& index) {
          return index.kind != Arg::Kind::ref || holds_negative(value.after, index).has_value();
        }))
      continue;
    value.assumed.emplace_back(kIndicesNotNegative);
    return;
  }
}

void kernels_accept(const Case& value, PlanAnswer& answer) {
  const Graph& graph = value.after;
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k) {
    if (!puts_by_index(graph.steps[k])) continue;
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
