#include "tests/support/brute.h"

#include <algorithm>
#include <set>

#include "src/formats/formats.h"
#include "src/interp/interp.h"

namespace noclobber::testing {
namespace {

using Places =
    std::vector<std::pair<std::uint32_t, std::int64_t>>;  // of each byte of a tensor: storage, position

Places places(const Tensor& tensor) {
  const std::int64_t width = std::max(1, bit_width(tensor.dtype) / 8);
  Places out;
  std::int64_t count = 1;
  for (const std::int64_t extent : tensor.shape) count *= extent;
  for (std::int64_t at = 0; at < count; ++at) {
    std::int64_t rest = at, position = tensor.offset;
    for (std::size_t d = tensor.shape.size(); d-- > 0; rest /= tensor.shape[d])
      position += rest % tensor.shape[d] * tensor.stride[d];
    for (std::int64_t b = 0; b < width; ++b) out.emplace_back(tensor.storage, position * width + b);
  }
  return out;
}

/// Which byte of an output is which byte of an input's storage, or of an earlier output.
std::set<std::string> shares(const Run& run) {
  std::set<std::string> out;
  std::map<std::uint32_t, std::string> inputs;
  for (const auto& [name, storage] : run.input_storage) inputs.emplace(storage, name);
  std::vector<Places> all;
  for (const Run::Output& output : run.outputs)
    all.push_back(output.tensor ? places(*output.tensor) : Places{});
  for (std::size_t k = 0; k < all.size(); ++k)
    for (std::size_t b = 0; b < all[k].size(); ++b) {
      const std::string mine = "output " + std::to_string(k) + " byte " + std::to_string(b) + " is ";
      if (const auto input = inputs.find(all[k][b].first); input != inputs.end())
        out.insert(mine + input->second + " byte " + std::to_string(all[k][b].second));
      for (std::size_t j = 0; j < k; ++j)
        for (std::size_t c = 0; c < all[j].size(); ++c)
          if (all[j][c] == all[k][b])
            out.insert(mine + "output " + std::to_string(j) + " byte " + std::to_string(c));
    }
  return out;
}

std::string output_difference(const Run::Output& a, const Run::Output& b) {
  if (a.tensor.has_value() != b.tensor.has_value() || a.scalar != b.scalar) return "kind";
  if (!a.tensor) return "";
  if (a.tensor->dtype != b.tensor->dtype || a.tensor->shape != b.tensor->shape) return "metadata";
  const std::size_t width = static_cast<std::size_t>(std::max(1, bit_width(a.tensor->dtype) / 8));
  for (std::size_t at = 0; at < a.bytes.size(); ++at)
    if (a.defined[at / width] != 0 && a.bytes[at] != b.bytes[at]) return "byte " + std::to_string(at);
  return "";
}

std::string run_difference(const Run& a, const Run& b) {
  if (b.raised) return "raises: " + b.raised->message;
  if (!b.immutable_writes.empty()) return "writes an input";
  if (a.outputs.size() != b.outputs.size()) return "number of outputs";
  for (std::size_t k = 0; k < a.outputs.size(); ++k)
    if (const std::string d = output_difference(a.outputs[k], b.outputs[k]); !d.empty())
      return "output " + std::to_string(k) + ": " + d;
  for (const auto& [name, storage] : a.input_storage) {
    const Storage& was = a.storages[storage];
    const Storage& is = b.storages[b.input_storage.at(name)];
    for (std::size_t at = 0; at < was.bytes.size(); ++at)
      if (was.defined[at] != 0 && was.bytes[at] != is.bytes[at])
        return name + " at exit: byte " + std::to_string(at);
  }
  const auto before = shares(a), after = shares(b);
  for (const std::string& share : after)
    if (!before.contains(share)) return "sharing: " + share;
  return a.effects == b.effects ? "" : "effects";
}

std::set<std::string> input_names(const Graph& graph) {
  std::set<std::string> out;
  for (const Input& input : graph.inputs) out.insert(graph.value(input.value).name);
  return out;
}

std::set<std::string> written_inputs(const Run& run) {
  std::set<std::string> out;
  for (const auto& [name, storage] : run.input_storage) {
    const auto& writer = run.storages[storage].writer;
    if (std::any_of(writer.begin(), writer.end(), [](std::int32_t w) { return w >= 0; })) out.insert(name);
  }
  return out;
}

}  // namespace

BruteForce brute_force(const Case& value) {
  BruteForce out;
  for (const std::uint64_t contents : {0ULL, 2ULL, 5ULL, 8ULL, 12ULL, 23ULL, 38ULL}) {
    RunOptions options;
    options.contents_seed = contents;
    const auto before = run_graph(value, *value.before, input_names(*value.before), options);
    if (!before || before->raised || !before->unsupported.empty()) return {};
    const auto may_write = written_inputs(*before);
    for (const bool turned : {false, true}) {
      options.garbage_seed = turned ? 7 : 1;
      options.backwards = turned;
      const auto after = run_graph(value, value.after, may_write, options);
      if (!after || !after->unsupported.empty()) return {};
      out.usable = true;
      out.difference = run_difference(*before, *after);
      if (!out.difference.empty()) return out;
    }
  }
  return out;
}

std::string both_graphs(const Case& value) {
  return "before\n" + (value.before ? write_fx_text(*value.before) : "") + "after\n" +
         write_fx_text(value.after);
}

}  // namespace noclobber::testing
