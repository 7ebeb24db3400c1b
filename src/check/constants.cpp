#include "src/check/constants.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "src/graph/constant_bytes.h"
#include "src/graph/uses.h"
#include "src/interp/interp.h"
#include "src/ops/layout.h"

namespace noclobber {
namespace {

/// An input of a graph with its value, which has the name and the type.
struct Told {
  const Input& input;
  const Value& value;
};

/// The contents in row-major order, encoded in their dtype. Empty if they are not given, or only as a digest.
std::optional<std::string> bytes_of(const Told& told) {
  if (!told.input.contents || !told.value.type) return std::nullopt;
  const Type& type = *told.value.type;
  const auto shape = constant_extents(type.shape);
  const auto elements = shape ? element_count(*shape) : std::nullopt;
  if (!elements) return std::nullopt;
  const auto count = static_cast<std::size_t>(*elements);
  const auto width = static_cast<std::size_t>(item_bytes(type.dtype));
  const std::vector<Arg>& given = *told.input.contents;
  constexpr std::size_t kMost = std::size_t{1} << 26;
  if (width == 0 || count > kMost || (given.size() != 1 && given.size() != count)) return std::nullopt;
  std::string out(count * width, '\0');
  for (std::size_t k = 0; k < count; ++k)
    store_number(type.dtype, reinterpret_cast<std::uint8_t*>(out.data()) + k * width,
                 constant_element(given[given.size() == 1 ? 0 : k]));
  return out;
}

/// True if the contents are known to differ. Digests are of the same bytes.
bool differ(const Told& a, const Told& b) {
  const auto left = bytes_of(a), right = bytes_of(b);
  if (left && right) return *left != *right;
  const auto digest = [](const Told& told, const std::optional<std::string>& bytes) {
    if (!told.input.digest.empty()) return *told.input.digest;
    return bytes ? digest_of(*bytes) : "";
  };
  const std::string one = digest(a, left), other = digest(b, right);
  return !one.empty() && !other.empty() && one != other;
}

bool is_told(const Input& input) { return input.contents.has_value() || !input.digest.empty(); }

/// The indices of inputs by name; empty if neither graph gives the contents of a constant.
std::unordered_map<std::string, std::size_t> places_by_name(const Graph& graph, const Graph& other) {
  std::unordered_map<std::string, std::size_t> out;
  if (std::ranges::none_of(graph.inputs, is_told) && std::ranges::none_of(other.inputs, is_told)) return out;
  for (std::size_t k = 0; k < graph.inputs.size(); ++k)
    out.emplace(graph.value(graph.inputs[k].value).name, k);
  return out;
}

/// Adds an input that nothing uses, in a storage of its own.
void add_unused(Graph& graph, Input like, Value value) {
  value.at = static_cast<std::uint32_t>(graph.inputs.size());
  like.value = ValueId(graph.values.size());
  like.storage.clear();
  like.storage_numel.reset();
  graph.values.push_back(std::move(value));
  graph.inputs.push_back(std::move(like));
}

std::string unused_name(const Graph& before, const Graph& after, const std::string& name) {
  std::set<std::string> taken;
  for (const Graph* graph : {&before, &after})
    for (const Value& value : graph->values) taken.insert(value.name);
  std::string out = name + "_before";
  for (int k = 1; taken.contains(out); ++k) out = name + "_before_" + std::to_string(k);
  return out;
}

}  // namespace

void tell_constants_apart(Case& value) {
  if (!value.before) return;
  Graph &before = *value.before, &after = value.after;
  const auto places = places_by_name(after, before);
  const std::size_t count = places.empty() ? 0 : before.inputs.size();
  for (std::size_t k = 0; k < count; ++k) {
    Input& left = before.inputs[k];
    const auto at = places.find(before.value(left.value).name);
    if (at == places.end()) continue;
    Input& right = after.inputs[at->second];
    if (!is_told(left) && !is_told(right)) continue;
    const Value was = before.value(left.value), is = after.value(right.value);
    const bool lie_together = !left.storage.empty() || !right.storage.empty();
    if (lie_together && differ({left, was}, {right, is})) {  // a shared storage cannot become two inputs
      if (is_used(before, left.value) || is_used(after, right.value)) value.one_sided.push_back(was.name);
    } else if (differ({left, was}, {right, is})) {
      const Input mine = left, other = right;
      const std::string own = unused_name(before, after, was.name);
      before.values[left.value.index].name = own;
      Value alone = was;
      alone.name = own;
      add_unused(before, other, is);
      add_unused(after, mine, alone);
    } else if (left.contents.has_value() != right.contents.has_value() && left.digest.empty() &&
               right.digest.empty()) {
      if (is_used(before, left.value) && is_used(after, right.value)) value.one_sided.push_back(was.name);
      (left.contents ? right : left).contents = left.contents ? left.contents : right.contents;
    }
  }
}

}  // namespace noclobber
