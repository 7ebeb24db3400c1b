#include "src/effects/call_text.h"

#include <algorithm>
#include <cstdio>

#include "src/effects/identities.h"
#include "src/effects/tracer.h"

namespace noclobber::effects {

namespace {

/// With its length, so that its content cannot be taken for the text around it.
std::string sized_text(const std::string& text) { return std::to_string(text.size()) + "'" + text + "'"; }

bool is_text(const Arg& arg) { return arg.kind == Arg::Kind::text || arg.kind == Arg::Kind::device; }

/// The argument of that name; nullptr if there is none.
const SchemaSlot* slot_of(const Schema& schema, const std::string& name) {
  const auto at = std::ranges::find(schema.arguments, name, &SchemaSlot::name);
  return at == schema.arguments.end() ? nullptr : &*at;
}

/// True if both take the same arguments, except for keyword-only ones that are written.
bool take_alike(const Schema& a, const Schema& b) {
  const auto taken = [](const Schema& schema) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const SchemaSlot& slot : schema.arguments)
      if (!slot.written || !slot.keyword_only) out.emplace_back(slot.name, slot.type_text);
    return out;
  };
  return taken(a) == taken(b);
}

/// Text of an argument. For operators on floats a whole number has one text, as an integer or as a real.
std::string attribute_of(const Tracer& t, const Call& call, const OpRow* row, std::size_t argument) {
  const Arg& given = call.arguments[argument];
  if (given.kind == Arg::Kind::ref || given.kind == Arg::Kind::none) return attribute(t, given);
  const Binding* first = t.seen(call.arguments[0]);
  const auto rank = first != nullptr ? std::optional(first->view.shape.size()) : std::nullopt;
  const bool declared = call.declared != nullptr;
  const Arg arg = declared ? given : as_taken(*call.schema, argument, given, rank);
  if (is_text(arg) && call.schema->arguments[argument].type_text.starts_with("Device"))
    return attribute(t, Arg::of_device(arg.text));
  const bool arithmetic = row != nullptr && find_identity(Identity::Form::folds, row->op) != nullptr;
  const bool scalar = call.schema->ns == "aten" && !declared &&
                      call.schema->arguments[argument].type_text.starts_with("Scalar");
  if ((!arithmetic && !scalar) || arg.kind != Arg::Kind::real) return attribute(t, arg);
  for (const Arg& other : call.arguments) {
    const Binding* bound = t.seen(other);
    if (bound == nullptr) continue;
    const bool one = find_identity(Identity::Form::spelled, "")->exact.contains(bound->dtype);
    const auto number = one ? whole(arg, bound->dtype) : std::nullopt;
    return number ? std::to_string(*number) : attribute(t, arg);
  }
  return attribute(t, arg);
}

/// The operator that the text of a call names: the functional one, if it is known and, for a declared
/// operator, takes the same arguments.
const Schema& schema_meant(const Tracer& t, const Call& call) {
  const Schema* pure = call.functional.empty() ? nullptr : t.ops.find(call.functional);
  if (pure == nullptr) return *call.schema;
  return call.declared == nullptr || take_alike(*call.schema, *pure) ? *pure : *call.schema;
}

}  // namespace

/// No two attributes have one text: symbolic sizes stand in braces, texts have a length, and integers, reals
/// and booleans are told apart.
std::string attribute(const Tracer& t, const Arg& arg) {
  switch (arg.kind) {
    case Arg::Kind::none:
      return "-";
    case Arg::Kind::ref:
      return "T";
    case Arg::Kind::sym: {
      const PolyId size = t.sizes.of(arg.sym);
      if (size == Space::kBad) return "{overflow " + sized_text(arg.sym.text()) + "}";
      return t.space.value(size) ? size_text(t.space, size) : "{" + size_text(t.space, size) + "}";
    }
    case Arg::Kind::real: {
      char text[64];
      std::snprintf(text, sizeof text, "%.17g", arg.real);
      return std::string(text) + "f";
    }
    case Arg::Kind::boolean:
      return arg.boolean ? "true" : "false";
    case Arg::Kind::text:
      return sized_text(arg.text);
    case Arg::Kind::device:
      return "device " + sized_text(arg.text);
    case Arg::Kind::graph:
      return "graph " + sized_text(arg.text);
    case Arg::Kind::dtype:
      return std::string(name(arg.dtype));
    case Arg::Kind::list: {
      std::string out = "[";
      for (const Arg& item : arg.list) out += attribute(t, item) + ",";
      return out + "]";
    }
  }
  return "?";
}

/// The operator (the functional one, or the `same_as` of its row) and all of its arguments but tensors.
/// Overloads of arithmetic differ only in where a scalar stands, and are left out. An argument that is left
/// out is the default of the operator that the text names.
std::string attributes(const Tracer& t, const Call& call) {
  const Schema& meant = schema_meant(t, call);
  const bool declared = call.declared != nullptr;
  std::string out = meant.op;
  const OpRow* own = find_row(base_name(out));
  if (!declared && own != nullptr && !own->same_as.empty())
    out = std::string(own->same_as) + out.substr(base_name(out).size());
  const OpRow* row = call.row;
  const bool arithmetic = row != nullptr && find_identity(Identity::Form::folds, row->op) != nullptr;
  if (arithmetic) out = std::string(base_name(out));
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    const SchemaSlot& slot = call.schema->arguments[k];
    if (slot.written && slot.keyword_only) continue;
    const SchemaSlot* twin = slot_of(meant, slot.name);
    const bool by_default = twin != nullptr && twin->keyword_only == slot.keyword_only && twin->fallback &&
                            *twin->fallback == call.arguments[k];
    if (by_default && (slot.keyword_only || arithmetic)) continue;
    out += ";" + (slot.keyword_only ? slot.name + "=" : "") + attribute_of(t, call, row, k);
  }
  return out;
}

std::string type_text(const Tracer& t, const Binding& bound) {
  std::string out = std::string(name(bound.dtype)) + "[";
  for (const PolyId extent : bound.view.shape) out += size_text(t.space, extent) + ",";
  return out + "]";
}

std::string argument_types(const Tracer& t, const Call& call) {
  std::string out;
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    if (call.schema->arguments[k].written && call.schema->arguments[k].keyword_only) continue;
    for (const Arg& item : items_of(call.arguments[k]))
      if (const Binding* bound = t.seen(item)) out += ";" + type_text(t, *bound);
  }
  return out;
}

}  // namespace noclobber::effects
