#include "src/interp/replay_expectation.h"

#include <algorithm>

#include "src/ops/devices.h"

namespace noclobber {

namespace {

const Tensor* tensor_of(const Run& run, ValueId value) {
  if (!value.valid() || value.index >= run.values.size() || !run.values[value.index]) return nullptr;
  return &*run.values[value.index];
}

std::span<const std::uint8_t> element_at(const std::vector<std::uint8_t>& bytes, std::size_t width,
                                         std::size_t at) {
  if ((at + 1) * width > bytes.size()) return {};
  return std::span<const std::uint8_t>(bytes).subspan(at * width, width);
}

std::size_t elements_in(const std::vector<std::uint8_t>& bytes, Dtype type) {
  return bytes.size() / element_width(type);
}

/// 1 for every byte of the storage, except those that only inputs with free contents cover.
std::vector<std::uint8_t> kept_bytes(const Graph& graph, const Run& run, std::uint32_t storage,
                                     const std::set<std::string>& free_inputs) {
  const std::size_t size = run.storages[storage].bytes.size();
  std::vector<std::uint8_t> kept(size, 1);
  for (const bool free : {true, false}) {
    for (const Input& input : graph.inputs) {
      const Tensor* view = tensor_of(run, input.value);
      if (view == nullptr || view->storage != storage) continue;
      if (free_inputs.contains(graph.value(input.value).name) != free) continue;
      const std::vector<std::uint8_t> shown = shown_bytes(*view, size);
      for (std::size_t i = 0; i < size; ++i) {
        if (shown[i] != 0) kept[i] = free ? 0 : 1;
      }
    }
  }
  return kept;
}

void add_finals(Expectation& expected, const Graph& graph, const Run& run,
                const std::set<std::string>& free_inputs) {
  std::map<std::uint32_t, std::size_t> seen;
  for (const Input& input : graph.inputs) {
    const std::string& name = graph.value(input.value).name;
    const auto storage = run.input_storage.find(name);
    if (storage == run.input_storage.end()) continue;
    const auto [at, fresh] = seen.emplace(storage->second, expected.finals.size());
    if (!fresh) {
      expected.finals[at->second].inputs.push_back(name);
      continue;
    }
    Expectation::Final final;
    final.input = name;
    final.inputs = {name};
    if (const Tensor* view = tensor_of(run, input.value)) final.dtype = view->dtype;
    final.bytes = run.storages[storage->second].bytes;
    final.known = kept_bytes(graph, run, storage->second, free_inputs);
    expected.finals.push_back(std::move(final));
  }
}

}  // namespace

std::set<std::string> free_at_exit(const Case& value, const std::set<std::string>& written_before) {
  std::set<std::string> out;
  for (const Input& input : value.after.inputs) {
    const std::string& name = value.after.value(input.value).name;
    const bool free = input.exit ? *input.exit == Input::Exit::any
                                 : input.may_write.value_or(false) && !written_before.contains(name);
    if (free) out.insert(name);
  }
  return out;
}

Expectation expectation_of(const Graph& graph, const Run& run, const std::set<std::string>& free_inputs) {
  Expectation meant;
  const Devices devices(graph);
  for (std::size_t i = 0; i < run.outputs.size(); ++i) {
    const Run::Output& output = run.outputs[i];
    Expectation::Output expected{output.tensor, output.bytes, {}, output.scalar, true, ""};
    if (output.tensor) expected.known.assign(elements_in(output.bytes, output.tensor->dtype), 1);
    if (i < graph.outputs.size()) expected.device = devices.of(graph.outputs[i]);
    meant.outputs.push_back(std::move(expected));
  }
  add_finals(meant, graph, run, free_inputs);
  meant.shown = {shown_by(graph, run)};
  meant.effects = run.effects;
  return meant;
}

void narrow(Expectation& meant, const Graph& graph, const Run& run) {
  for (std::size_t i = 0; i < meant.outputs.size() && i < run.outputs.size(); ++i) {
    Expectation::Output& expected = meant.outputs[i];
    const Run::Output& other = run.outputs[i];
    if (expected.scalar != other.scalar) expected.scalar_known = false;
    if (!expected.tensor) continue;
    const std::size_t width = element_width(expected.tensor->dtype);
    const bool alike = other.bytes.size() == expected.bytes.size();
    for (std::size_t e = 0; e < expected.known.size(); ++e) {
      if (alike &&
          std::ranges::equal(element_at(expected.bytes, width, e), element_at(other.bytes, width, e)))
        continue;
      expected.known[e] = 0;
    }
  }
  for (Expectation::Final& final : meant.finals) {
    const auto storage = run.input_storage.find(final.input);
    if (storage == run.input_storage.end()) continue;
    const std::vector<std::uint8_t>& other = run.storages[storage->second].bytes;
    for (std::size_t b = 0; b < final.known.size(); ++b) {
      if (b >= other.size() || other[b] != final.bytes[b]) final.known[b] = 0;
    }
  }
  if (Shown shown = shown_by(graph, run); std::ranges::find(meant.shown, shown) == meant.shown.end())
    meant.shown.push_back(std::move(shown));
  if (run.effects != meant.effects) meant.effects_known = false;
}

void keep_defined(Expectation& meant, const Run& run) {
  for (std::size_t i = 0; i < std::min(meant.outputs.size(), run.outputs.size()); ++i) {
    std::vector<std::uint8_t>& known = meant.outputs[i].known;
    for (std::size_t e = 0; e < std::min(known.size(), run.outputs[i].defined.size()); ++e)
      if (run.outputs[i].defined[e] == 0) known[e] = 0;
  }
  for (Expectation::Final& final : meant.finals) {
    const auto storage = run.input_storage.find(final.input);
    if (storage == run.input_storage.end()) continue;
    const std::vector<std::uint8_t>& defined = run.storages[storage->second].defined;
    for (std::size_t b = 0; b < std::min(final.known.size(), defined.size()); ++b)
      if (defined[b] == 0) final.known[b] = 0;
  }
}

}  // namespace noclobber
