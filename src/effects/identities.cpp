#include "src/effects/identities.h"

#include <algorithm>
#include <cmath>

#include "src/effects/dispatch.h"
#include "src/effects/emit.h"
#include "src/effects/fills.h"
#include "src/effects/opaque.h"
#include "src/effects/results.h"
#include "src/effects/tracer.h"
#include "src/effects/view_steps.h"

namespace noclobber::effects {

namespace {

/// The step at hand is an instance of a row; `argument` of the call stays, or is a number.
void note_identity(Tracer& t, const Call& call, const Identity& row, TraceIdentity::Form form,
                   std::size_t argument, std::string text, std::string assumes = "") {
  if (t.identities.at_hand) return;
  TraceIdentity out{row.name,          form, static_cast<std::uint32_t>(argument), 0, std::move(text),
                    std::move(assumes)};
  for (std::size_t k = 0; k < argument; ++k)
    if (t.seen(call.arguments[k]) != nullptr) ++out.read;
  t.identities.at_hand = std::move(out);
}

/// The table's row of that form about what is called.
const Identity* identity(const Call& call, Identity::Form form) {
  const OpRow* row = call.row;
  return row != nullptr ? find_identity(form, row->op) : nullptr;
}

/// Is what that operand holds changed by the call itself, before it has read all of it? So it is where the
/// target shows other elements of the same storage.
bool meets_target(const Tracer& t, const Call& call, const Binding& operand) {
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    if (!call.schema->arguments[k].written) continue;
    const Binding* target = t.seen(call.arguments[k]);
    if (target != nullptr && target->view.storage == operand.view.storage && !(target->view == operand.view))
      return true;
  }
  return false;
}

/// Are the arguments from `first` on what the schema says when nothing is given?
bool only_defaults_behind(const Call& call, std::size_t first) {
  for (std::size_t k = first; k < call.arguments.size(); ++k) {
    const SchemaSlot& slot = call.schema->arguments[k];
    const bool target = slot.written && slot.keyword_only;
    const bool unset = call.arguments[k].kind == Arg::Kind::none;
    if (!target && !unset && !(slot.fallback && *slot.fallback == call.arguments[k])) return false;
  }
  return true;
}

/// Where the one result goes: the written argument, or a fresh storage. Nothing if it is not as computed.
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

/// Arithmetic on whole numbers that stand everywhere: `full` and scalars.
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

/// Does the row hold for that type, as far as identities are used? What it assumes is noted.
bool may_use(Tracer& t, const Identity& row, Dtype dtype, std::string_view about) {
  if (!row.exact.contains(dtype) && !row.assumed.contains(dtype)) return false;
  ++t.identities.simpler;
  const bool exact = row.exact.contains(dtype);
  if (!exact) t.identities.inexact.emplace(about);
  const bool used = t.request.use == Identities::all || (exact && t.request.use == Identities::exact);
  if (used) t.identities.built_by.emplace(row.name);
  return used;
}

/// What is assumed where a neutral argument is left out.
std::string assumption(const Call& call, const Identity& row) {
  return std::string(row.assumes) + " in " + std::string(call.row->op) + " with " + std::to_string(row.value);
}

/// Does this argument change nothing about the other, whose type is `dtype`, to the bit or by assumption?
bool is_neutral(const Tracer& t, const Call& call, const Identity& row, std::size_t argument,
                const InferredMeta& meta, Dtype dtype) {
  const Arg& arg = call.arguments[argument];
  const Binding* bound = t.seen(arg);
  const auto value = bound != nullptr ? constant_of(t, *bound) : whole(arg, dtype);
  return value == row.value && meta.dtype && *meta.dtype == dtype &&
         (row.exact.contains(dtype) || row.assumed.contains(dtype));
}

/// A multiple of zero is zero, but for its sign: x - (-1) * 0 is x + 0, which of -0 makes 0.
bool takes_multiple(const Call& call, const Identity& row, const InferredMeta& meta) {
  if (!row.scaled || call.arguments.size() < 3 || call.schema->arguments[2].name != "alpha" ||
      !only_defaults_behind(call, 3))
    return false;
  const auto alpha = whole(call.arguments[2], Dtype::i64);
  return alpha && (*alpha > 0 || row.assumed.contains(*meta.dtype) || !is_floating(*meta.dtype));
}

/// x + 0, x * 1: what x holds, in a storage of its own or in its own place.
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
         call.number);  // in place as well: what may not be written may not be written with itself
    bind(t, call, 0, *out);
    return true;
  }
  return false;
}

/// A call that the graph does not have, of which nothing is said: what it returns, until the names are cut.
Arg aside(Tracer& t, const Call& call, const char* op, std::vector<Arg> arguments) {
  Step step;
  step.op = op;
  step.results = {ValueId(t.names.bound.size())};
  t.names.bound.emplace_back();
  const bool was = std::exchange(t.at_hand.hushed, true);
  dispatch(t, call_of(t, step, *t.ops.find(op), std::move(arguments), call.number));
  t.at_hand.hushed = was;
  return Arg::of(step.results[0]);
}

/// addmm(c, a, b) is mm(a, b) + c, where nothing is scaled, no type changes and the sum is as large as the
/// product: the two round differently.
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

/// An extent as an argument; nothing if it is no number and no type says it.
std::optional<Arg> extent_of(const Tracer& t, const Call& call, const Shape& shape, std::size_t dim) {
  if (const auto number = t.space.value(shape[dim])) return Arg::of(SymExpr(*number));
  const Type* type = said(t, call, 0);
  return type != nullptr && dim < type->shape.size() ? std::optional(Arg::of(type->shape[dim]))
                                                     : std::nullopt;
}

/// A call's result that is a line along one dimension, and the same everywhere else.
bool upright(Tracer& t, const Call& call, const InferredMeta& meta, Binding line, std::size_t dim) {
  Shape shape(meta.shape.size() - dim, t.space.constant(1));
  shape[0] = meta.shape[dim];
  line.view.maps.push_back(reshape_map({meta.shape[dim]}, shape));
  line.view.shape = shape;
  const auto everywhere = broadcast_to(t, line, meta.shape);
  const auto out = everywhere ? fresh_for(t, call, 0, meta) : std::nullopt;
  if (!out) return false;
  move(t, *out, *everywhere, call.number);
  bind(t, call, 0, *out);
  return true;
}

/// The sums so far of one whole number everywhere are its multiples, as Inductor counts them: from 1, or as
/// doubles from 0 and one more. Whole numbers wrap around alike, and reals hold them all or it is not so.
bool counted_up(Tracer& t, const Call& call, const Identity& row, const InferredMeta& meta) {
  const auto from = t.bound_of(call.arguments[0]);
  const auto dim = from && !call.schema->writes() ? whole(call.arguments[1], Dtype::i64) : std::nullopt;
  if (!dim) return false;
  const auto number = constant_of(t, *from);
  const std::size_t rank = meta.shape.size();
  const bool real = is_floating(*meta.dtype);
  if (!number || rank == 0 || !row.exact.contains(*meta.dtype)) return false;
  const Arg& device = t.known.constants.at(from->view.storage).device;
  const std::size_t at = static_cast<std::size_t>(*dim < 0 ? *dim + static_cast<std::int64_t>(rank) : *dim);
  const auto length = at < rank ? extent_of(t, call, meta.shape, at) : std::nullopt;
  if (!length || device.kind != Arg::Kind::device) return false;
  std::int64_t last = 0;
  if (real && (!length->sym.is_constant() || __builtin_mul_overflow(length->sym.constant(), *number, &last) ||
               !holds_whole(*meta.dtype, last)))
    return false;
  ++t.identities.simpler;
  if (t.request.use == Identities::none) return false;
  t.identities.built_by.emplace(row.name);
  const std::size_t own = t.names.bound.size();
  const Arg one = Arg::of(SymExpr(1));
  Arg line = aside(t, call, "prims.iota.default",
                   {*length, real ? Arg::of(SymExpr(0)) : one, one, Arg::of_dtype(Dtype::i64), device,
                    Arg::of_bool(false)});
  const char* convert = "prims.convert_element_type.default";
  if (real)
    line = aside(t, call, convert,
                 {aside(t, call, "aten.add.Tensor", {line, one, one}), Arg::of_dtype(Dtype::f64)});
  line = aside(t, call, "aten.mul.Tensor", {line, Arg::of(SymExpr(*number))});
  if (real) line = aside(t, call, convert, {line, Arg::of_dtype(*meta.dtype)});
  const auto counted = t.bound_of(line);
  t.names.bound.resize(own);
  return counted && upright(t, call, meta, *counted, at);
}

}  // namespace

/// A scalar that is a whole number which the type holds exactly, and no -0.
std::optional<std::int64_t> whole(const Arg& arg, Dtype dtype) {
  std::optional<std::int64_t> value;
  if (arg.kind == Arg::Kind::sym && arg.sym.is_constant()) value = arg.sym.constant();
  if (arg.kind == Arg::Kind::boolean) value = arg.boolean ? 1 : 0;
  if (arg.kind == Arg::Kind::real && std::fabs(arg.real) < 1e15 && arg.real == std::floor(arg.real) &&
      !(arg.real == 0 && std::signbit(arg.real)))
    value = static_cast<std::int64_t>(arg.real);
  return value && holds_whole(dtype, *value) ? value : std::nullopt;
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
                 *count = identity(call, counted);
  if (fold == nullptr && keep == nullptr && fuse == nullptr && count == nullptr) return false;
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
         (keep != nullptr && neutral(t, call, *keep, meta[0])) ||
         (fuse != nullptr && sum_apart(t, call, *fuse, meta[0])) ||
         (count != nullptr && counted_up(t, call, *count, meta[0]));
}

/// Remembers what a product is of, as far as both graphs have a name for it: its inputs.
void note_product(Tracer& t, const Call& call, const Parts& parts) {
  const OpRow* row = call.row;
  if (row == nullptr || product_of(row->op) != row->op) return;
  std::string of;
  for (const Operand& o : parts.operands) {
    const TraceStorage& storage = t.trace.storages[o.bound.view.storage];
    of += storage.start == TraceStorage::Start::given ? storage.key + ";" : ";";
  }
  for (const Binding& w : parts.writes) t.known.products[w.view.storage] = of;
}

/// A sum with a product is a sum to a product: it does not matter in which order two numbers are added. Of
/// two products the one goes first that has the lesser name.
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

/// A tensor of one whole number is the scalar, where it neither widens the result nor has another type.
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
