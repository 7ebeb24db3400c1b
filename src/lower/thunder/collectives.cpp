// Collectives of thunder.distributed: an operator that is in flight until its wait.
//
// A FUTURE in a trace is the buffer that the collective writes while it runs; `wait` returns that buffer.
// Source: https://github.com/Lightning-AI/lightning-thunder, thunder/distributed/prims.py, release 0.2.6.
#include <string>
#include <utility>

#include "src/lower/thunder/rows.h"

namespace noclobber {

namespace {

using Collective = ThunderBuilder::Call;
using Parts = ThunderBuilder::Emit;

std::optional<Arg> argument_of(const Collective& call, std::size_t at, std::string_view name) {
  const ThunderThing* thing = thunder_given(call, at, name);
  return thing == nullptr ? std::nullopt : thunder_argument(*thing);
}

bool is_true(const std::optional<Arg>& arg) {
  return arg && ((arg->kind == Arg::Kind::boolean && arg->boolean) ||
                 (arg->kind == Arg::Kind::sym && arg->sym == SymExpr(1)));
}

/// The first size of `large` divided by that of `small`. Empty if unknown, or not a whole number.
std::optional<std::int64_t> ratio(const std::vector<SymExpr>* small, const std::vector<SymExpr>* large) {
  if (small == nullptr || large == nullptr || small->empty() || large->empty()) return std::nullopt;
  if (!(*small)[0].is_constant() || !(*large)[0].is_constant()) return std::nullopt;
  const std::int64_t one = (*small)[0].constant(), all = (*large)[0].constant();
  if (one <= 0 || all % one != 0) return std::nullopt;
  return all / one;
}

/// Appends the step, and its wait unless the call leaves that to another statement.
bool run_collective(ThunderBuilder& builder, const Collective& call, Parts what, bool in_flight) {
  if (in_flight) {
    builder.emit(call, std::move(what));
    return true;
  }
  const ValueId made = builder.emit_part(call, std::move(what));
  builder.emit(call, {"_c10d_functional.wait_tensor.default", {Arg::of(made)}});
  return true;
}

/// True if the collective is along the first dimension: PyTorch has an operator for that one only.
bool along_first(const Collective& call, std::size_t at) {
  const auto dim = argument_of(call, at, "dim");
  return !dim || dim->kind == Arg::Kind::none || (dim->kind == Arg::Kind::sym && dim->sym == SymExpr(0));
}

/// The tensor operand of a collective; empty if it has none.
std::optional<Arg> subject_of(const Collective& call) {
  if (call.args.empty() || !call.args[0].is_tensor()) return std::nullopt;
  return Arg::of(call.args[0].id);
}

bool gather_all(ThunderBuilder& builder, const Collective& call, const Arg& group, bool in_flight) {
  const auto subject = subject_of(call);
  const auto type = thunder_tensor_type(call.statement->type);
  if (!subject || !type) return false;
  const auto size = ratio(thunder_shape(builder, &call.args[0]), &type->shape);
  if (!size) return false;
  return run_collective(builder, call,
                        {"_c10d_functional.all_gather_into_tensor.default",
                         {*subject, Arg::of(SymExpr(*size)), group},
                         {},
                         ThunderLayout::plain,
                         {*type}},
                        in_flight);
}

}  // namespace

/// `all_gather(a, group, do_async, dim)`
bool thunder_all_gather(ThunderBuilder& builder, const Collective& call, const ThunderRow&) {
  const auto group = argument_of(call, 1, "group");
  return group && along_first(call, 3) &&
         gather_all(builder, call, *group, is_true(argument_of(call, 2, "do_async")));
}

/// `all_reduce(a, op, group, do_async, skip_clone)`: without a clone it writes its operand.
bool thunder_all_reduce(ThunderBuilder& builder, const Collective& call, const ThunderRow&) {
  const auto subject = subject_of(call), op = argument_of(call, 1, "op"),
             group = argument_of(call, 2, "group");
  if (!subject || !op || !group) return false;
  const bool own = is_true(argument_of(call, 4, "skip_clone"));
  const std::string name =
      own ? "_c10d_functional.all_reduce_.default" : "_c10d_functional.all_reduce.default";
  const ValueId from = call.args[0].id;
  return run_collective(
      builder, call,
      {name, {*subject, *op, *group}, {}, builder.layout(from), thunder_type_like(builder, from)},
      is_true(argument_of(call, 3, "do_async")));
}

/// `broadcast(a, root, group, do_async)`
bool thunder_share(ThunderBuilder& builder, const Collective& call, const ThunderRow&) {
  const auto subject = subject_of(call), root = argument_of(call, 1, "root"),
             group = argument_of(call, 2, "group");
  if (!subject || !root || !group) return false;
  const ValueId from = call.args[0].id;
  return run_collective(builder, call,
                        {"_c10d_functional.broadcast.default",
                         {*subject, *root, *group},
                         {},
                         builder.layout(from),
                         thunder_type_like(builder, from)},
                        is_true(argument_of(call, 3, "do_async")));
}

/// `reduce_scatter(a, op, group, do_async, dim)`
bool thunder_reduce_scatter(ThunderBuilder& builder, const Collective& call, const ThunderRow&) {
  const auto subject = subject_of(call), op = argument_of(call, 1, "op"),
             group = argument_of(call, 2, "group");
  const auto type = thunder_tensor_type(call.statement->type);
  if (!subject || !op || !group || !type || !along_first(call, 4)) return false;
  const auto size = ratio(&type->shape, thunder_shape(builder, &call.args[0]));
  if (!size) return false;
  return run_collective(builder, call,
                        {"_c10d_functional.reduce_scatter_tensor.default",
                         {*subject, *op, Arg::of(SymExpr(*size)), *group},
                         {},
                         ThunderLayout::plain,
                         {*type}},
                        is_true(argument_of(call, 3, "do_async")));
}

/// `synchronize(a, group, kind)`: an alias of a replicated parameter; a sharded one is gathered.
bool thunder_synchronize(ThunderBuilder& builder, const Collective& call, const ThunderRow&) {
  const auto subject = subject_of(call), group = argument_of(call, 1, "group"),
             kind = argument_of(call, 2, "kind");
  if (!subject || !group || !kind || kind->kind != Arg::Kind::text) return false;
  if (kind->text->ends_with("FULLY_SHARDED")) return gather_all(builder, call, *group, false);
  if (!kind->text->ends_with("REPLICATED")) return false;
  const ValueId from = call.args[0].id;
  builder.emit(
      call, {"aten.alias.default", {*subject}, {}, builder.layout(from), thunder_type_like(builder, from)});
  return true;
}

bool thunder_wait(ThunderBuilder& builder, const Collective& call, const ThunderRow&) {
  const auto subject = subject_of(call);
  if (!subject) return false;
  builder.emit(call,
               {"_c10d_functional.wait_tensor.default", {*subject}, {}, builder.layout(call.args[0].id)});
  return true;
}

}  // namespace noclobber
