// What an opaque step computes, as text: two steps of the same text are the same function of what they read.
#include <cstdio>

#include "src/effects/builder.h"

namespace noclobber {

std::string Builder::attribute(const Arg& arg) const {
  switch (arg.kind) {
    case Arg::Kind::none:
      return "-";
    case Arg::Kind::ref:
      return "T";
    case Arg::Kind::sym: {
      const PolyId size = sizes_.of(arg.sym);
      return size == Space::kBad ? "overflow " + arg.sym.text() : size_text(space_, size);
    }
    case Arg::Kind::real: {
      char text[64];
      std::snprintf(text, sizeof text, "%.17g", arg.real);
      return std::string(text) + "f";
    }
    case Arg::Kind::boolean:
      return arg.boolean ? "true" : "false";
    case Arg::Kind::text:
    case Arg::Kind::device:
    case Arg::Kind::graph:
      return "'" + arg.text + "'";
    case Arg::Kind::dtype:
      return std::string(name(arg.dtype));
    case Arg::Kind::list: {
      std::string out = "[";
      for (const Arg& item : arg.list) out += attribute(item) + ",";
      return out + "]";
    }
  }
  return "?";
}

/// An argument as part of what an operator computes. Whole numbers count alike for operators on floats.
std::string Builder::attribute_of(const Call& call, const OpRow* row, std::size_t argument) const {
  const Arg& given = call.arguments[argument];
  if (given.kind == Arg::Kind::ref || given.kind == Arg::Kind::none) return attribute(given);
  const auto first = bound_of(call.arguments[0]);
  const auto rank = first ? std::optional(first->view.shape.size()) : std::nullopt;
  const bool declared = call.declared != nullptr;
  const Arg arg = declared ? given : as_taken(*call.schema, argument, given, rank);
  const bool arithmetic = row != nullptr && row->fold != nullptr;
  const bool scalar = call.schema->ns == "aten" && !declared &&
                      call.schema->arguments[argument].type_text.starts_with("Scalar");
  if ((!arithmetic && !scalar) || arg.kind != Arg::Kind::real) return attribute(arg);
  for (const Arg& other : call.arguments) {
    const auto bound = bound_of(other);
    if (!bound) continue;
    const auto number = is_floating(bound->dtype) ? whole(arg, bound->dtype) : std::nullopt;
    return number ? std::to_string(*number) : attribute(arg);
  }
  return attribute(arg);
}

/// What is computed (the functional operator, or what its row says is the same) and everything it is given
/// but tensors. Overloads of arithmetic differ only in where a scalar stands.
std::string Builder::attributes(const Call& call) const {
  std::string out = call.functional;
  if (out.empty()) out = call.step->op;
  const OpRow* own = find_row(base_name(out));
  const bool declared = call.declared != nullptr;
  if (!declared && own != nullptr && !own->same_as.empty())
    out = std::string(own->same_as) + out.substr(base_name(out).size());
  const OpRow* row = functional_row(call);
  const bool arithmetic = row != nullptr && row->fold != nullptr;
  if (arithmetic) out = std::string(base_name(out));
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    const SchemaSlot& slot = call.schema->arguments[k];
    if (slot.written && slot.keyword_only) continue;
    const bool by_default = slot.fallback && *slot.fallback == call.arguments[k];
    if (by_default && (slot.keyword_only || arithmetic)) continue;
    out += ";" + (slot.keyword_only ? slot.name + "=" : "") + attribute_of(call, row, k);
  }
  return out;
}

}  // namespace noclobber
