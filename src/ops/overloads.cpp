#include "src/ops/overloads.h"

#include <algorithm>
#include <vector>

namespace noclobber {

namespace {

bool fits_number(std::string_view type, const Arg& arg) {
  if (type == "Scalar" || type == "float")
    return arg.kind == Arg::Kind::sym || arg.kind == Arg::Kind::real ||
           (type == "Scalar" && arg.kind == Arg::Kind::boolean);
  if (type == "int" || type == "SymInt") return arg.kind == Arg::Kind::sym;
  return type == "bool" && arg.kind == Arg::Kind::boolean;
}

bool fits_single(std::string_view type, const Arg& arg) {
  if (type == "ScalarType") return arg.kind == Arg::Kind::dtype;
  if (type == "Device") return arg.kind == Arg::Kind::device;
  if (type == "str" || type == "MemoryFormat" || type == "Layout") return arg.kind == Arg::Kind::text;
  return fits_number(type, arg);
}

/// True for a list of fitting items, or for one item if the type is `[N]`.
bool fits_list(std::string_view type, const Arg& arg) {
  const std::size_t bracket = type.find('[');
  const std::string_view item = type.substr(0, bracket);
  const auto fits_item = [&](const Arg& a) { return fits_number(item, a); };
  if (arg.kind == Arg::Kind::list) return std::ranges::all_of(arg.list, fits_item);
  return type.substr(bracket) != "[]" && fits_item(arg);
}

bool is_tensor_list(const SchemaSlot& slot, const Arg& arg) {
  const bool gaps = slot.type_text.starts_with("Tensor?");
  return arg.kind == Arg::Kind::list && std::ranges::all_of(arg.list, [&](const Arg& a) {
           return a.kind == Arg::Kind::ref || (gaps && a.kind == Arg::Kind::none);
         });
}

bool fits(const SchemaSlot& slot, const Arg& arg) {
  const bool optional = slot.type_text.ends_with('?');
  if (arg.kind == Arg::Kind::none) return optional || slot.fallback == arg;
  if (slot.type == SchemaSlot::Type::tensor) return arg.kind == Arg::Kind::ref;
  if (slot.type == SchemaSlot::Type::tensor_list) return is_tensor_list(slot, arg);
  std::string_view type = slot.type_text;
  if (optional) type.remove_suffix(1);
  return type.find('[') != std::string_view::npos ? fits_list(type, arg) : fits_single(type, arg);
}

/// An argument that equals its default always fits.
bool takes(const Schema& schema, const Step& step) {
  const auto bound = bind_arguments(schema, step);
  if (!bound || bound->size() != schema.arguments.size()) return false;
  for (std::size_t k = 0; k < bound->size(); ++k) {
    const SchemaSlot& slot = schema.arguments[k];
    if (!(slot.fallback && *slot.fallback == (*bound)[k]) && !fits(slot, (*bound)[k])) return false;
  }
  return true;
}

/// As PyTorch accepts them: no keyword-only argument by position, and none left out that has no default.
bool takes_as_written(const Schema& schema, const Step& step) {
  for (std::size_t k = 0; k < schema.arguments.size(); ++k) {
    const SchemaSlot& slot = schema.arguments[k];
    const bool named =
        std::ranges::any_of(step.kwargs, [&](const auto& entry) { return entry.first == slot.name; });
    const bool placed = k < step.args.size();
    if (placed ? slot.keyword_only : !named && !slot.fallback) return false;
  }
  return takes(schema, step);
}

/// True for TorchScript's own overloads: on numbers and lists of them, or named prim_ and tried after those
/// with the same arguments.
bool is_script(const Schema& schema) {
  const auto is_tensor = [](const SchemaSlot& slot) { return slot.type != SchemaSlot::Type::other; };
  return schema.overload.starts_with("prim_") || (std::ranges::none_of(schema.arguments, is_tensor) &&
                                                  std::ranges::none_of(schema.returns, is_tensor));
}

/// True if the step gives `out`.
bool fills(const Step& step) {
  return std::ranges::any_of(step.kwargs, [](const auto& entry) {
    return entry.first == "out" && entry.second.kind != Arg::Kind::none;
  });
}

/// The overloads that fill `out`, or the others.
std::vector<const Schema*> overloads_of(std::string_view op, bool filling) {
  const std::string prefix = std::string(op) + ".";
  const auto all = vocabulary();
  std::vector<const Schema*> out;
  for (auto at = std::ranges::lower_bound(all, std::string_view(prefix));
       at != all.end() && at->starts_with(prefix); ++at) {
    const Schema* schema = find_schema(*at);
    if (schema != nullptr && schema->has(Tag::out) == filling) out.push_back(schema);
  }
  return out;
}

}  // namespace

std::optional<std::string> first_overload(std::string_view op, const Step& step) {
  for (const Schema* schema : overloads_of(op, fills(step)))
    if (takes(*schema, step)) return schema->op;
  return std::nullopt;
}

std::optional<std::string> called_overload(const std::string& op, const Step& step) {
  const Schema* plain = find_schema(op + ".default");
  const bool filling = fills(step);
  const auto all = overloads_of(op, filling);
  if (filling && all.empty()) return std::nullopt;
  if (all.empty() || (all.size() == 1 && all.front() == plain)) return op + ".default";
  const Schema* only = nullptr;
  int count = 0;
  for (const Schema* schema : all) {
    if (is_script(*schema) || !takes_as_written(*schema, step)) continue;
    if (schema == plain) return schema->op;
    only = schema;
    ++count;
  }
  return count == 1 ? std::optional(only->op) : std::nullopt;
}

const Arg* argument_given(const Step& step, const Schema& schema, std::string_view name) {
  for (const auto& [keyword, arg] : step.kwargs)
    if (keyword == name) return &arg;
  for (std::size_t k = 0; k < std::min(step.args.size(), schema.arguments.size()); ++k)
    if (schema.arguments[k].name == name) return &step.args[k];
  return nullptr;
}

}  // namespace noclobber
