#include <algorithm>
#include <functional>
#include <unordered_map>

#include "src/ops/schema.h"

namespace noclobber {

namespace {

/// How far two argument lists must agree. Alias marks, names and defaults never count.
enum class Agreement : std::uint8_t { all_types, positional_types };

struct KnownPartner {
  std::string_view op, pure;
};
/// Pairs that do not follow from names. The pure one takes the same arguments, and defaults for the rest.
constexpr KnownPartner kPartners[] = {
    // native_functions.yaml: the out form lacks the underscore of its pure form.
    {"aten.adaptive_avg_pool3d_backward.grad_input", "aten._adaptive_avg_pool3d_backward.default"},
    {"fsdp.chunk_cat.default", "aten._chunk_cat.default"},
    {"fsdp.copy_.default", "aten.copy.default"},
    {"fsdp.split_with_sizes_copy.default", "aten.split_with_sizes_copy.default"},
    {"prims.copy_to.default", "aten.copy.default"},
};

bool is_out_argument(const SchemaSlot& slot) { return slot.written && slot.keyword_only; }

bool is_out_form(const Schema& schema) {
  return std::any_of(schema.arguments.begin(), schema.arguments.end(), is_out_argument);
}

std::vector<std::string_view> types_of(const Schema& schema, Agreement agreement) {
  std::vector<std::string_view> types;
  for (const SchemaSlot& slot : schema.arguments) {
    if (is_out_argument(slot)) continue;
    if (agreement == Agreement::positional_types && slot.keyword_only) continue;
    types.push_back(slot.type_text);
  }
  return types;
}

/// The overloads of "ns.name" that write nothing and return at least `results` results.
std::vector<const Schema*> pure_overloads(const std::string& name, std::ptrdiff_t results) {
  const std::string prefix = name + ".";
  std::vector<const Schema*> found;
  const auto names = vocabulary();
  for (auto at = std::lower_bound(names.begin(), names.end(), prefix);
       at != names.end() && at->starts_with(prefix); ++at) {
    const Schema* schema = find_schema(*at);
    if (!schema->writes() && std::ssize(schema->returns) >= results) found.push_back(schema);
  }
  return found;
}

/// "out" -> "default", "dim_out" -> "dim", "Tensor" -> "Tensor".
std::string pure_overload_name(const Schema& schema) {
  if (!is_out_form(schema)) return schema.overload;
  if (schema.overload == "out") return "default";
  return schema.overload.ends_with("_out") ? schema.overload.substr(0, schema.overload.size() - 4)
                                           : schema.overload;
}

/// Names the pure form may have, the likeliest first.
std::vector<std::string> pure_names(const Schema& schema) {
  const std::string& name = schema.name;
  std::string stem = name;
  if (is_out_form(schema) && name.ends_with("_out")) {
    stem = name.substr(0, name.size() - 4);
  } else if (name.starts_with("__i") && name.ends_with("__")) {
    stem = "__" + name.substr(3);
  } else if (name.ends_with("_") && !name.ends_with("__")) {
    stem = name.substr(0, name.size() - 1);
  }
  std::vector<std::string> names = {schema.ns + "." + stem, schema.ns + "." + stem + "_functional"};
  // Some prims have their pure form in ATen only: prims._unsafe_index_put_, aten._unsafe_index_put.
  if (schema.ns == "prims" || schema.ns == "inductor_prims") names.push_back("aten." + stem);
  return names;
}

const Schema* agreeing(const std::vector<const Schema*>& candidates, const Schema& schema,
                       Agreement agreement) {
  const auto wanted = types_of(schema, agreement);
  const std::string preferred = pure_overload_name(schema);
  const Schema* only = nullptr;
  int count = 0;
  for (const Schema* candidate : candidates) {
    if (types_of(*candidate, agreement) != wanted) continue;
    if (candidate->overload == preferred) return candidate;
    only = candidate;
    ++count;
  }
  return count == 1 ? only : nullptr;
}

std::string pure_partner(const Schema& schema) {
  for (const KnownPartner& row : kPartners) {
    if (row.op == schema.op) return std::string(row.pure);
  }
  const auto results = std::count_if(schema.arguments.begin(), schema.arguments.end(),
                                     [](const SchemaSlot& slot) { return slot.written; });
  for (const std::string& name : pure_names(schema)) {
    const auto candidates = pure_overloads(name, results);
    for (const Agreement agreement : {Agreement::all_types, Agreement::positional_types}) {
      const Schema* found = agreeing(candidates, schema, agreement);
      if (found != nullptr) return found->op;
    }
  }
  return "";
}

/// For an overload over lists, the overloads that the operator on items may have.
constexpr std::pair<std::string_view, std::string_view> kItemOverloads[] = {
    // table
    {"default", "default"},          {"List", "Tensor"},       {"List", "default"},
    {"List", "Tensor_Tensor"},       {"Scalar", "Scalar"},     {"Scalar", "default"},
    {"Scalar", "Tensor_Scalar"},     {"ScalarList", "Scalar"}, {"ScalarList", "default"},
    {"ScalarList", "Tensor_Scalar"}, {"Tensor", "Tensor"},     {"ScalarAndTensor", "Scalar"},
};

/// Item operators with another name, or with another order of arguments, which are then matched by name.
constexpr KnownPartner kItems[] = {{"aten._foreach_norm.Scalar", "aten.linalg_vector_norm.default"}};

bool takes_items(const Schema& item, const Schema& list) {
  if (item.arguments.size() < list.arguments.size() || item.returns.size() > 1) return false;
  for (std::size_t k = list.arguments.size(); k < item.arguments.size(); ++k)
    if (!item.arguments[k].fallback) return false;
  for (std::size_t k = 0; k < list.arguments.size(); ++k) {
    const std::string& type = list.arguments[k].type_text;
    const std::string one = type.ends_with("[]") ? type.substr(0, type.size() - 2) : type;
    if (item.arguments[k].type_text != one || item.arguments[k].written != list.arguments[k].written)
      return false;
  }
  return true;
}

}  // namespace

std::string item_op(std::string_view op) {
  constexpr std::string_view kList = "._foreach_";
  const Schema* list = find_schema(op);
  const std::size_t at = op.find(kList);
  if (list == nullptr || at == std::string_view::npos) return "";
  for (const KnownPartner& row : kItems)
    if (row.op == list->op) return std::string(row.pure);
  const std::string_view name = op.substr(at + kList.size());
  const std::string item = std::string(op.substr(0, at)) + "." + std::string(name.substr(0, name.find('.')));
  for (const auto& [of_list, of_item] : kItemOverloads) {
    const Schema* schema = find_schema(item + "." + std::string(of_item));
    if (of_list == list->overload && schema != nullptr && takes_items(*schema, *list)) return schema->op;
  }
  return "";
}

std::vector<std::optional<std::size_t>> item_places(const Schema& list, const Schema& item) {
  std::vector<std::optional<std::size_t>> out(item.arguments.size());
  const bool in_order = takes_items(item, list);
  for (std::size_t k = 0; k < out.size(); ++k)
    for (std::size_t j = 0; j < list.arguments.size(); ++j)
      if (in_order ? j == k : list.arguments[j].name == item.arguments[k].name) out[k] = j;
  return out;
}

std::string functional_op(std::string_view op) {
  const Schema* schema = find_schema(op);
  if (schema == nullptr) return "";
  if (!schema->writes()) return schema->op;
  thread_local std::unordered_map<const Schema*, std::string> known;  // schemas live as long as the program
  const auto [at, is_new] = known.try_emplace(schema);
  if (is_new) at->second = pure_partner(*schema);
  return at->second;
}

}  // namespace noclobber
