#include "src/lower/pt2/tree.h"

#include <optional>

namespace noclobber {
namespace {

constexpr std::size_t kMostOutputs = 100000;

/// The child names in the context of a node: ["p", "q"] for a dictionary, [["x", "y"], []] for a class.
std::optional<std::vector<std::string>> names_in(const OrderedJson& context, std::size_t count, int depth) {
  constexpr int kDeepest = 3;
  if (!context.is_array() && !context.is_object()) return std::nullopt;
  std::vector<std::string> names;
  for (const OrderedJson& item : context)
    if (context.is_array() && item.is_string()) names.push_back(item.get<std::string>());
  if (names.size() == count && names.size() == context.size()) return names;
  if (depth == kDeepest) return std::nullopt;
  for (const OrderedJson& item : context)
    if (auto inside = names_in(item, count, depth + 1)) return inside;
  return std::nullopt;
}

/// A context is JSON inside a string.
std::optional<std::vector<std::string>> names_of(const OrderedJson& node, std::size_t count) {
  const OrderedJson* context = find_member(node, "context");
  if (context == nullptr || !context->is_string()) return std::nullopt;
  const auto inside = parse_strict_json(context->get_ref<const std::string&>());
  return inside ? names_in(*inside, count, 0) : std::nullopt;
}

/// Appends the paths of the leaves below a node. False if it is no node or there are too many leaves.
bool add_leaves(const OrderedJson& node, const std::string& path, std::vector<std::string>& out) {
  const OrderedJson* type = node.is_object() ? find_member(node, "type") : nullptr;
  const OrderedJson* children = type != nullptr ? find_member(node, "children_spec") : nullptr;
  if (children == nullptr || !children->is_array() || out.size() > kMostOutputs) return false;
  if (type->is_null()) {
    out.push_back(path);
    return children->empty();
  }
  const auto names = children->empty() ? std::nullopt : names_of(node, children->size());
  for (std::size_t k = 0; k < children->size(); ++k) {
    const std::string key = names ? "['" + (*names)[k] + "']" : "[" + std::to_string(k) + "]";
    if (!add_leaves((*children)[k], path + key, out)) return false;
  }
  return true;
}

/// The signature of the program itself, not of a submodule; nullptr if there is none.
const OrderedJson* own_signature(const OrderedJson& module) {
  const OrderedJson* calls = find_member(module, "module_call_graph");
  if (calls == nullptr || !calls->is_array()) return nullptr;
  for (const OrderedJson& call : *calls) {
    const OrderedJson* name = call.is_object() ? find_member(call, "fqn") : nullptr;
    if (name == nullptr || *name != "") continue;
    const OrderedJson* signature = find_member(call, "signature");
    return signature != nullptr && signature->is_object() ? signature : nullptr;
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> pt2_output_keys(const OrderedJson& module) {
  const OrderedJson* signature = own_signature(module);
  const OrderedJson* text = signature != nullptr ? find_member(*signature, "out_spec") : nullptr;
  if (text == nullptr || !text->is_string()) return {};
  const auto tree = parse_strict_json(text->get_ref<const std::string&>());  // [version, node]
  std::vector<std::string> out;
  const bool is_read = tree && tree->is_array() && tree->size() == 2 && add_leaves((*tree)[1], "", out);
  return is_read ? out : std::vector<std::string>();
}

}  // namespace noclobber
