#include "src/effects/identities.h"

#include <algorithm>
#include <cmath>

#include "src/effects/counted.h"
#include "src/effects/dispatch.h"
#include "src/effects/emit.h"
#include "src/effects/fills.h"
#include "src/effects/opaque.h"
#include "src/effects/results.h"
#include "src/effects/tracer.h"
#include "src/effects/view_steps.h"
#include "src/ops/array.h"

namespace noclobber::effects {

namespace {

/// Notes that the current step is an instance of a row; `argument` of the call is kept, or is a number.
void note_identity(Tracer& t, const Call& call, const Identity& row, TraceIdentity::Form form,
                   std::size_t argument, std::string text, std::string assumes = "") {
  if (t.identities.at_hand) return;
  for (const Arg& arg : call.arguments)
    if (const Binding* bound = t.seen(arg);
        bound != nullptr && constant_of(t, *bound) && !t.known.constants.at(bound->view.storage).shown)
      return;  // such rows are assumed: see show_rebuilt() in src/check
  TraceIdentity out{row.name,          form, static_cast<std::uint32_t>(argument), 0, std::move(text),
                    std::move(assumes)};
  for (std::size_t k = 0; k < argument; ++k)
    if (t.seen(call.arguments[k]) != nullptr) ++out.read;
  t.identities.at_hand = std::move(out);
}

/// The row of that form for the operator that is called; nullptr if there is none.
const Identity* identity(const Call& call, Identity::Form form) {
  const OpRow* row = call.row;
  return row != nullptr ? find_identity(form, row->op) : nullptr;
}

/// True if the call may overwrite the operand before it has read all of it: its target is another view of the
/// same storage.
bool meets_target(const Tracer& t, const Call& call, const Binding& operand) {
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    if (!call.schema->arguments[k].written) continue;
    const Binding* target = t.seen(call.arguments[k]);
    if (target != nullptr && target->view.storage == operand.view.storage && !(target->view == operand.view))
      return true;
  }
  return false;
}

/// True if the arguments from `first` on are unset, defaults or targets.
bool only_defaults_behind(const Call& call, std::size_t first) {
  for (std::size_t k = first; k < call.arguments.size(); ++k) {
    const SchemaSlot& slot = call.schema->arguments[k];
    const bool target = slot.written && slot.keyword_only;
    const bool unset = call.arguments[k].kind == Arg::Kind::none;
    if (!target && !unset && !(slot.fallback && *slot.fallback == call.arguments[k])) return false;
  }
  return true;
}

/// The destination of the only result: the written argument or a fresh storage. Empty if it has another meta.
std::optional<Binding> target_of(Tracer& t, const Call& call, const InferredMeta& meta) {
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    if (!call.schema->arguments[k].written) continue;
    const auto bound = t.bound_of(call.arguments[k]);
    if (!bound || bound->view.shape != meta.shape || bound->dtype != *meta.dtype) return std::nullopt;
    ++t.in_place;
    return bound;
  }
  return fresh_for(t, call, 0, meta);
}

/// Folds arithmetic on whole numbers that are the same everywhere: `full` and scalars.
bool folded(Tracer& t, const Call& call, const Identity& row, const InferredMeta& meta) {
  std::vector<std::int64_t> values;
  std::optional<Dtype> dtype;
  for (std::size_t k = 0; k < std::min<std::size_t>(2, call.arguments.size()); ++k)
    if (const Binding* bound = t.seen(call.arguments[k])) {
      if (dtype && *dtype != bound->dtype) return false;
      dtype = bound->dtype;
    }
  if (!dtype || !only_defaults_behind(call, 2)) return false;
  for (std::size_t k = 0; k < std::min<std::size_t>(2, call.arguments.size()); ++k) {
    const Binding* bound = t.seen(call.arguments[k]);
    const bool real = call.arguments[k].kind == Arg::Kind::real;
    if (real && !is_floating(*dtype)) return false;
    const auto value = bound ? constant_of(t, *bound) : whole(call.arguments[k], *dtype);
    if (!value || (bound && meets_target(t, call, *bound))) return false;
    values.push_back(*value);
  }
  const bool compares = *meta.dtype == Dtype::boolean;
  if (values.empty() || (!compares && *meta.dtype != *dtype) || !row.exact.contains(*dtype)) return false;
  ++t.identities.simpler;
  const auto value = row.fold(values[0], values.size() > 1 ? values[1] : 0, is_floating(*dtype));
  if (!value || !holds_whole(*meta.dtype, *value)) return false;
  if (t.request.use == Identities::none) {
    note_identity(t, call, row, TraceIdentity::Form::folds, 0,
                  scalar_text(t, Arg::of(SymExpr(*value)), *meta.dtype));
    t.identities.folded = value;
    return false;
  }
  const auto out = target_of(t, call, meta);
  if (!out) return false;
  t.identities.built_by.emplace(row.name);
  fill_with(t, *out, scalar_text(t, Arg::of(SymExpr(*value)), out->dtype), call.number);
  holds(t, *out, *value);
  bind(t, call, 0, *out);
  return true;
}

/// The number that an argument is everywhere. Empty if it is not known.
std::optional<double> real_of(const Tracer& t, const Call& call, std::size_t argument, Dtype dtype) {
  const Binding* bound = t.seen(call.arguments[argument]);
  if (bound == nullptr) return real_number(call.arguments[argument], dtype);
  if (bound->dtype != dtype || meets_target(t, call, *bound)) return std::nullopt;
  if (const auto number = constant_of(t, *bound)) return static_cast<double>(*number);
  const auto known = t.known.reals.find(bound->view.storage);
  return known != t.known.reals.end() && known->second.second == dtype ? std::optional(known->second.first)
                                                                       : std::nullopt;
}

/// Folds arithmetic on numbers that are the same everywhere and need not be whole.
bool computed(Tracer& t, const Call& call, const Identity& row, const InferredMeta& meta) {
  const std::size_t operands = row.unary ? 1 : 2;
  std::optional<Dtype> dtype;
  for (std::size_t k = 0; k < operands; ++k)
    if (const Binding* bound = t.seen(call.arguments[k])) {
      if (dtype && *dtype != bound->dtype) return false;
      dtype = bound->dtype;
    }
  const bool compares = *meta.dtype == Dtype::boolean;
  if (!dtype || !row.exact.contains(*dtype) || (!compares && *meta.dtype != *dtype) ||
      !only_defaults_behind(call, operands))
    return false;
  const auto a = real_of(t, call, 0, *dtype),
             b = row.unary ? std::optional(0.0) : real_of(t, call, 1, *dtype);
  if (!a || !b) return false;
  const auto value = real_number(Arg::of_real(row.compute(*a, *b)), *meta.dtype);
  if (!value) return false;
  ++t.identities.simpler;
  if (t.request.use == Identities::none) return false;
  const auto out = target_of(t, call, meta);
  if (!out) return false;
  t.identities.built_by.emplace(row.name);
  fill_with(t, *out, scalar_text(t, Arg::of_real(*value), out->dtype), call.number);
  if (const auto number = whole(Arg::of_real(*value), out->dtype))
    holds(t, *out, *number);
  else
    holds_real(t, *out, *value);
  bind(t, call, 0, *out);
  return true;
}

/// True if the row may be applied to that type, as far as identities are used. Notes what it assumes.
bool may_use(Tracer& t, const Identity& row, Dtype dtype, std::string_view about) {
  if (!row.exact.contains(dtype) && !row.assumed.contains(dtype)) return false;
  ++t.identities.simpler;
  const bool exact = row.exact.contains(dtype);
  if (!exact) t.identities.inexact.emplace(about);
  const bool used = t.request.use == Identities::all || (exact && t.request.use == Identities::exact);
  if (used) t.identities.built_by.emplace(row.name);
  return used;
}

/// The assumption behind dropping a neutral argument.
std::string assumption(const Call& call, const Identity& row) {
  return std::string(row.assumes) + " in " + std::string(call.row->op) + " with " + std::to_string(row.value);
}

/// True if this argument leaves the other, of type `dtype`, unchanged: to the bit, or by assumption.
bool is_neutral(const Tracer& t, const Call& call, const Identity& row, std::size_t argument,
                const InferredMeta& meta, Dtype dtype) {
  const Arg& arg = call.arguments[argument];
  const Binding* bound = t.seen(arg);
  const auto value = bound != nullptr ? constant_of(t, *bound) : whole(arg, dtype);
  return value == row.value && meta.dtype && *meta.dtype == dtype &&
         (row.exact.contains(dtype) || row.assumed.contains(dtype));
}

/// True if `alpha` leaves the argument neutral. A multiple of zero is zero, but for its sign: x - (-1) * 0 is
/// x + 0, which makes -0 into 0.
bool takes_multiple(const Call& call, const Identity& row, const InferredMeta& meta) {
  if (!row.scaled || call.arguments.size() < 3 || call.schema->arguments[2].name != "alpha" ||
      !only_defaults_behind(call, 3))
    return false;
  const auto alpha = whole(call.arguments[2], Dtype::i64);
  return alpha && (*alpha > 0 || row.assumed.contains(*meta.dtype) || !is_floating(*meta.dtype));
}

/// x + 0, x * 1: copies x, into a storage of its own or into the target.
bool neutral(Tracer& t, const Call& call, const Identity& row, const InferredMeta& meta) {
  const bool plain = only_defaults_behind(call, 2);
  if (!plain && !takes_multiple(call, row, meta)) return false;
  for (const std::size_t kept : {0U, 1U}) {
    if (kept == 1 && !plain) continue;
    const Binding *from = t.seen(call.arguments[kept]), *other = t.seen(call.arguments[1 - kept]);
    if (other != nullptr && meets_target(t, call, *other)) continue;
    if (from == nullptr || (kept == 1 && !row.either) || from->view.shape != meta.shape) continue;
    if (!is_neutral(t, call, row, 1 - kept, meta, from->dtype)) continue;
    if (!may_use(t, row, from->dtype, assumption(call, row))) {
      if (t.request.use == Identities::none)
        note_identity(t, call, row, TraceIdentity::Form::keeps, kept, "",
                      row.exact.contains(from->dtype) ? "" : assumption(call, row));
      continue;
    }
    const auto out = target_of(t, call, meta);
    if (!out) return false;
    move(t, *out, *from,
         call.number);  // in place as well: a read-only input may not be written, even with itself
    bind(t, call, 0, *out);
    return true;
  }
  return false;
}

/// addmm(c, a, b) is mm(a, b) + c if nothing is scaled, no type changes and c does not enlarge the product.
/// The two round differently.
bool sum_apart(Tracer& t, const Call& call, const Identity& row, const InferredMeta& meta) {
  if (call.schema->writes() || !only_defaults_behind(call, 3)) return false;
  const Schema* product = t.ops.find(std::string(row.other) + ".default");
  const Schema* sum = t.ops.find("aten.add.Tensor");
  const auto addend = t.bound_of(call.arguments[0]), left = t.bound_of(call.arguments[1]),
             right = t.bound_of(call.arguments[2]);
  if (!addend || !left || !right || addend->dtype != meta.dtype || left->dtype != meta.dtype ||
      right->dtype != meta.dtype || broadcast(t.space, meta.shape, addend->view.shape) != meta.shape)
    return false;
  if (!may_use(t, row, *meta.dtype,
               std::string(row.op) + " is " + std::string(row.other) + " and " + std::string(row.assumes)))
    return false;
  const std::size_t own = t.names.bound.size();
  const Arg made = aside(t, call, product->op.c_str(), {call.arguments[1], call.arguments[2]});
  Step add;
  add.op = sum->op;
  add.results = call.step->results;
  dispatch(t, call_of(t, add, *sum, {made, call.arguments[0], *sum->arguments[2].fallback}, call.number));
  t.names.bound.resize(own);
  return true;
}

}  // namespace

/// The value of a scalar that is a whole number which the type holds exactly. Empty for others and for -0.
std::optional<std::int64_t> whole(const Arg& arg, Dtype dtype) {
  std::optional<std::int64_t> value;
  if (arg.kind == Arg::Kind::sym && arg.sym.is_constant()) value = arg.sym.constant();
  if (arg.kind == Arg::Kind::boolean) value = arg.boolean ? 1 : 0;
  if (arg.kind == Arg::Kind::real && std::fabs(arg.real) < 1e15 && arg.real == std::floor(arg.real) &&
      !(arg.real == 0 && std::signbit(arg.real)))
    value = static_cast<std::int64_t>(arg.real);
  return value && holds_whole(dtype, *value) ? value : std::nullopt;
}

/// A scalar as doubles or floats store it, if that is a normal number or zero; a whole number of any type.
std::optional<double> real_number(const Arg& arg, Dtype dtype) {
  if (const auto number = whole(arg, dtype)) return static_cast<double>(*number);
  if (arg.kind != Arg::Kind::real || (dtype != Dtype::f64 && dtype != Dtype::f32)) return std::nullopt;
  const double stored = convert(Number::of_real(arg.real), dtype).as_real();
  const bool ordinary =
      dtype == Dtype::f64 ? std::isnormal(stored) : std::isnormal(static_cast<float>(stored));
  return ordinary || stored == 0 ? std::optional(stored) : std::nullopt;
}

std::optional<std::int64_t> constant_of(const Tracer& t, const Binding& bound) {
  const auto known = t.known.constants.find(bound.view.storage);
  return known != t.known.constants.end() && known->second.dtype == bound.dtype
             ? std::optional(known->second.value)
             : std::nullopt;
}

bool simplified(Tracer& t, const Call& call) {
  using enum Identity::Form;
  const Identity *fold = identity(call, folds), *keep = identity(call, keeps), *fuse = identity(call, fused),
                 *count = identity(call, counted), *compute = identity(call, rounds);
  if (fold == nullptr && keep == nullptr && fuse == nullptr && count == nullptr && compute == nullptr)
    return false;
  if (call.schema->returns.size() != 1 || call.schema->returns[0].type != SchemaSlot::Type::tensor)
    return false;
  std::vector<TensorMeta> metas;
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    const SchemaSlot& slot = call.schema->arguments[k];
    if (call.arguments[k].kind != Arg::Kind::ref || (slot.written && slot.keyword_only)) continue;
    const Binding* bound = t.seen(call.arguments[k]);
    if (bound == nullptr) return false;
    metas.push_back({bound->view.shape, bound->dtype});
  }
  const auto meta = inferred(t, call, metas);
  if (meta.empty() || !meta[0].dtype) return false;
  const Type* type = said(t, call, 0);
  if (type != nullptr && (type->dtype != *meta[0].dtype || t.sizes.of(type->shape) != meta[0].shape))
    return false;
  return (fold != nullptr && folded(t, call, *fold, meta[0])) ||
         (compute != nullptr && computed(t, call, *compute, meta[0])) ||
         (keep != nullptr && neutral(t, call, *keep, meta[0])) ||
         (fuse != nullptr && sum_apart(t, call, *fuse, meta[0])) ||
         (count != nullptr && counted_up(t, call, *count, meta[0]));
}

/// Remembers the operands of a matrix product by names that both graphs have: those of inputs.
void note_product(Tracer& t, const Call& call, const Parts& parts) {
  const OpRow* row = call.row;
  if (t.request.use != Identities::all || row == nullptr || product_of(row->op) != row->op) return;
  std::string of;
  for (const Operand& o : parts.operands) {
    const TraceStorage& storage = t.trace.storages[o.bound.view.storage];
    of += storage.start == TraceStorage::Start::given ? storage.key.text() + ";" : ";";
  }
  for (const Binding& w : parts.writes) t.known.products[w.view.storage] = of;
}

/// Puts a product first in a sum or a product with another operand: two numbers are added in either order. Of
/// two products the one with the lesser name comes first.
void product_first(Tracer& t, const Call& call, std::vector<Operand>& operands) {
  const Identity* row = identity(call, Identity::Form::turned);
  if (t.request.use != Identities::all || row == nullptr || operands.size() < 2 ||
      operands[1].argument != 1 || !row->exact.contains(operands[0].bound.dtype) ||
      !only_defaults_behind(call, 2))
    return;
  const auto first = t.known.products.find(operands[0].bound.view.storage),
             second = t.known.products.find(operands[1].bound.view.storage);
  if (second == t.known.products.end()) return;
  if (first == t.known.products.end() || second->second < first->second) {
    std::swap(operands[0], operands[1]);
    t.identities.built_by.emplace(row->name);
  }
}

/// Replaces a tensor of one whole number by the scalar, if it neither widens the result nor has another type.
std::optional<Call> with_scalars(Tracer& t, const Call& call) {
  const Identity* row = identity(call, Identity::Form::number);
  if (row == nullptr || call.arguments.size() < 2) return std::nullopt;
  const Binding *a = t.seen(call.arguments[0]), *b = t.seen(call.arguments[1]);
  if (a == nullptr || b == nullptr || a->dtype != b->dtype || !row->exact.contains(a->dtype))
    return std::nullopt;
  for (const std::size_t k : {1U, 0U}) {
    const Binding& constant = k == 0 ? *a : *b;
    const Binding& other = k == 0 ? *b : *a;
    const auto value = constant_of(t, constant);
    const auto wide = broadcast(t.space, other.view.shape, constant.view.shape);
    if (!value || call.schema->arguments[k].written || !wide || *wide != other.view.shape ||
        meets_target(t, call, constant))
      continue;
    ++t.identities.simpler;
    if (t.request.use == Identities::none) {
      note_identity(t, call, *row, TraceIdentity::Form::number, k, std::to_string(*value));
      return std::nullopt;
    }
    t.identities.built_by.emplace(row->name);
    Call out = call;
    out.arguments[k] = Arg::of(SymExpr(*value));
    return out;
  }
  return std::nullopt;
}

}  // namespace noclobber::effects
