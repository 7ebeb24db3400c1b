// Which outputs of a compilation are views of its inputs, by what AOTAutograd recorded about them.
#include <algorithm>
#include <charconv>

#include "src/formats/torch_trace_facts.h"

namespace noclobber {
namespace {

/// The integer that follows the last `_` run of letters in an input's name: arg3_1 -> 3, primals_4 -> 3.
std::optional<std::int64_t> flat_position(std::string_view name) {
  const bool saved = name.starts_with("primals_");
  if (!saved && !name.starts_with("arg")) return std::nullopt;
  name.remove_prefix(saved ? 8 : 3);
  std::int64_t at = 0;
  const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), at);
  if (fault != std::errc() || end == name.data()) return std::nullopt;
  return saved ? at - 1 : at;
}

}  // namespace

void TraceFacts::read_aliases(std::string_view payload) {
  constexpr std::string_view kOutputs = "output_info=[", kOutput = "OutputAliasInfo(output_type=<OutputType.",
                             kBase = "base_idx=";
  output_bases_.clear();
  const std::size_t begin = payload.find(kOutputs);
  const std::size_t end = payload.find("num_intermediate_bases=", begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) return;
  std::string_view rest = payload.substr(begin, end - begin);
  for (std::size_t at = rest.find(kOutput); at != std::string_view::npos; at = rest.find(kOutput)) {
    rest.remove_prefix(at + kOutput.size());
    const bool of_input = rest.starts_with("alias_of_input") || rest.starts_with("is_input");
    const std::string_view own = rest.substr(0, rest.find(kOutput));
    const std::size_t base = own.find(kBase);
    std::int64_t position = 0;
    const std::string_view digits = base == std::string_view::npos ? "" : own.substr(base + kBase.size());
    const auto [stop, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), position);
    const bool known = of_input && fault == std::errc() && stop != digits.data();
    output_bases_.push_back(known ? std::optional(position) : std::nullopt);
  }
}

void TraceFacts::give_aliases(Case& value) const {
  if (output_bases_.size() > value.after.outputs.size()) return;
  for (std::uint32_t k = 0; k < output_bases_.size(); ++k) {
    if (!output_bases_[k]) continue;
    for (const Input& input : value.after.inputs) {
      const std::string& name = value.after.value(input.value).name;
      if (flat_position(name) == *output_bases_[k]) value.may_share.emplace_back(k, name);
    }
  }
}

}  // namespace noclobber
