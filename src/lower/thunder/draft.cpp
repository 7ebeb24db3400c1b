#include "src/lower/thunder/draft.h"

#include <fmt/format.h>

namespace noclobber {
namespace {

ThunderLayout layout_of(const Type& type) {
  if (type.strides != Type::Strides::given) return ThunderLayout::plain;
  bool plain = true, ordered = true;
  std::int64_t dense = 1, last = 0;
  for (std::size_t k = type.shape.size(); k-- > 0;) {
    const std::int64_t size = type.shape[k].constant(), stride = type.stride[k].constant();
    if (size != 1) {
      plain = plain && stride == dense;
      ordered = ordered && (stride == 0 || stride >= last);
      if (stride != 0) last = stride;
    }
    if (__builtin_mul_overflow(dense, size, &dense)) plain = false;
  }
  return plain ? ThunderLayout::plain : ordered ? ThunderLayout::ordered : ThunderLayout::open;
}

}  // namespace

std::string ThunderDraft::free_name(const std::string& wanted) {
  std::string out = wanted;
  for (int k = used[wanted]++; k > 0 && used.contains(out); ++k) out = fmt::format("{}__{}", wanted, k);
  if (out != wanted) ++used[out];
  return out;
}

ValueId ThunderDraft::new_value(const std::string& name, std::optional<Type> type, ThunderLayout layout) {
  Value value;
  value.name = free_name(name);
  if (type && layout != ThunderLayout::plain) type->strides = Type::Strides::unknown;
  value.type = std::move(type);
  graph.values.push_back(std::move(value));
  layouts.push_back(layout);
  return ValueId(graph.values.size() - 1);
}

ValueId ThunderDraft::add_input(const std::string& name, std::optional<Type> type) {
  const ThunderLayout layout = type ? layout_of(*type) : ThunderLayout::open;
  const ValueId id = new_value(name, std::move(type), ThunderLayout::plain);
  layouts[id.index] = layout;
  graph.values[id.index].at = static_cast<std::uint32_t>(graph.inputs.size());
  Input input;
  input.value = id;
  graph.inputs.push_back(std::move(input));
  return id;
}

ValueId ThunderDraft::gradient(const std::string& name, std::optional<Type> type) {
  if (const auto known = gradients.find(name); known != gradients.end()) return known->second;
  return gradients[name] = add_input(name, std::move(type));
}

const std::string& ThunderDraft::step_name(std::uint32_t step) const {
  for (const ValueId id : graph.steps[step].results)
    if (id.valid()) return graph.values[id.index].name;
  return graph.steps[step].extras->id;
}

ThunderMark ThunderDraft::mark() const {
  return {graph.steps.size(), graph.values.size(), graph.inputs.size(), ops.size(), assumed.size(), believed};
}

void ThunderDraft::back_to(const ThunderMark& mark) {
  graph.steps.resize(mark.steps);
  graph.values.resize(mark.values);
  layouts.resize(mark.values);
  graph.inputs.resize(mark.inputs);
  ops.resize(mark.ops);
  assumed.resize(mark.assumed);
  believed = mark.believed;
  std::erase_if(gradients, [&](const auto& g) { return g.second.index >= mark.values; });
  std::erase_if(undefined, [&](ValueId id) { return id.index >= mark.values; });
}

}  // namespace noclobber
