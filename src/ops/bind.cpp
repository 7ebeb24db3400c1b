#include <utility>

#include "src/ops/schema.h"

namespace noclobber {

namespace {

bool is_variadic(const SchemaSlot& slot) { return slot.type_text == "..."; }

/// The values found so far, one place per argument of the schema.
using BoundValues = std::vector<std::optional<Arg>>;

std::optional<Diagnostic> bind_positional(const Schema& schema, const std::vector<Arg>& args,
                                          BoundValues& into) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    const bool rest =
        !schema.arguments.empty() && is_variadic(schema.arguments.back()) && i + 1 >= schema.arguments.size();
    if (rest) {
      into.back()->list.edit().push_back(args[i]);
    } else if (i >= schema.arguments.size()) {
      return Diagnostic{"", std::to_string(args.size()) + " arguments, " + schema.op + " takes at most " +
                                std::to_string(schema.arguments.size())};
    } else {
      into[i] = args[i];
    }
  }
  return std::nullopt;
}

std::optional<Diagnostic> bind_keyword(const Schema& schema, const std::string& name, const Arg& value,
                                       BoundValues& into) {
  bool known = false;
  for (std::size_t i = 0; i < schema.arguments.size(); ++i) {
    if (schema.arguments[i].name != name || is_variadic(schema.arguments[i])) continue;
    known = true;
    if (into[i]) continue;  // a few schemas have two arguments of one name
    into[i] = value;
    return std::nullopt;
  }
  if (known) return Diagnostic{name, "given twice"};
  if (schema.arguments.empty() || !is_variadic(schema.arguments.back())) {
    return Diagnostic{name, "no argument of " + schema.op};
  }
  into.back()->list.edit().push_back(Arg::of(std::vector<Arg>{Arg::of_text(name), value}));
  return std::nullopt;
}

/// Converts a whole number given for a float.
Arg as_declared(const SchemaSlot& slot, Arg given) {
  for (Arg& item : given.list.items()) item = as_declared(slot, std::move(item));
  const bool floats = slot.type_text.starts_with("float");
  if (!floats || given.kind != Arg::Kind::sym || !given.sym.is_constant()) return given;
  return Arg::of_real(static_cast<double>(given.sym.constant()));
}

}  // namespace

Result<std::vector<Arg>> bind_arguments(const Schema& schema, const Step& step) {
  BoundValues values(schema.arguments.size());
  if (!values.empty() && is_variadic(schema.arguments.back())) values.back() = Arg::of(std::vector<Arg>{});
  if (const auto fault = bind_positional(schema, step.args, values)) return *fault;
  for (const auto& [name, value] : step.kwargs) {
    if (const auto fault = bind_keyword(schema, name, value, values)) return *fault;
  }
  std::vector<Arg> bound;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const SchemaSlot& slot = schema.arguments[i];
    if (values[i]) {
      bound.push_back(as_declared(slot, *std::move(values[i])));
    } else if (slot.fallback) {
      bound.push_back(*slot.fallback);
    } else if (slot.type_text.ends_with('?')) {
      bound.emplace_back();
    } else {
      return Diagnostic{slot.name, "missing"};
    }
  }
  return bound;
}

}  // namespace noclobber
