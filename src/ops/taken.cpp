// Brings arguments to one form, whichever way a call writes them.
#include <utility>

#include "src/ops/meaning.h"

namespace noclobber {

namespace {

/// Counts dimensions from the front: -1 is the last one. One that is out of range stays: PyTorch raises.
Arg from_front(Arg arg, std::int64_t rank) {
  for (Arg& item : arg.list.items()) item = from_front(std::move(item), rank);
  if (arg.kind != Arg::Kind::sym || !arg.sym.is_constant()) return arg;
  const std::int64_t at = arg.sym.constant();
  return at < 0 && at >= -rank ? Arg::of(SymExpr(at + rank)) : arg;
}

/// True if the argument is a dimension, or several, of argument `self`. Operators that add a dimension name
/// their argument otherwise, or are views.
bool is_dimension(const Schema& schema, std::size_t at) {
  const SchemaSlot &slot = schema.arguments[at], &first = schema.arguments[0];
  const bool named = slot.name == "dim" || slot.name == "dims";
  const bool whole = slot.type_text.starts_with("int") || slot.type_text.starts_with("SymInt");
  return schema.ns == "aten" && named && whole && first.name == "self" &&
         first.type == SchemaSlot::Type::tensor;
}

}  // namespace

Arg as_taken(const Schema& schema, std::size_t at, const Arg& arg, std::optional<std::size_t> rank) {
  if (at >= schema.arguments.size()) return arg;
  if (!rank || !is_dimension(schema, at)) return arg;
  // a tensor without dimensions counts as rank 1
  Arg out = from_front(arg, *rank == 0 ? 1 : static_cast<std::int64_t>(*rank));
  const bool listed = schema.arguments[at].type_text.find("[1]") != std::string::npos;
  return listed && out.kind == Arg::Kind::sym ? Arg::of(std::vector<Arg>{std::move(out)}) : out;
}

std::vector<std::size_t> silently_written(std::string_view op, const Schema& schema,
                                          const std::vector<Arg>& arguments) {
  std::vector<std::size_t> out;
  if (meaning_of(op, schema) != Meaning::normalize_running) return out;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const std::string& name = schema.arguments[k].name;
    const bool trains = name == "training" || name == "use_input_stats";
    if (trains && arguments[k].kind == Arg::Kind::boolean && !arguments[k].boolean) return {};
    const bool running = name == "running_mean" || name == "running_var";
    if (running && arguments[k].kind == Arg::Kind::ref) out.push_back(k);
  }
  return out;
}

}  // namespace noclobber
