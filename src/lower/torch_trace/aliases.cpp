// Which outputs of a compilation are views of its inputs, according to the metadata of AOTAutograd.
#include <algorithm>
#include <charconv>

#include "src/lower/torch_trace/facts.h"

namespace noclobber {
namespace {

/// The position of an input, counted from 0, by its name: arg3_1 -> 3, primals_4 -> 3. Empty for other names.
std::optional<std::int64_t> flat_position(std::string_view name) {
  const bool saved = name.starts_with("primals_");
  if (!saved && !name.starts_with("arg")) return std::nullopt;
  name.remove_prefix(saved ? 8 : 3);
  std::int64_t at = 0;
  const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), at);
  if (fault != std::errc() || end == name.data()) return std::nullopt;
  return saved ? at - 1 : at;
}

/// True if the wrapper copies an output of the graph into this input. AOTAutograd's rule: a mutation of the
/// data alone stays in the graph, unless autograd has to see it.
bool is_returned(std::string_view input) {
  const auto says = [&](std::string_view field) {
    const std::size_t at = input.find(field);
    return at != std::string_view::npos && input.substr(at + field.size()).starts_with("True");
  };
  const bool data = says("mutates_data="), names = says("mutates_metadata=");
  const bool storage = says("mutates_storage_metadata=") || says("mutation_inductor_storage_resize=");
  const bool unseen =
      says("mutations_hidden_from_autograd=") || says("mutations_under_no_grad_or_inference_mode=");
  const bool stays =
      says("keep_input_mutations=") && (data || storage) && ((!names && !says("requires_grad=")) || unseen);
  return (data || names || says("mutation_inductor_storage_resize=")) && !stays;
}

/// The text that follows each `head` between `begin` and `end`, up to the next `head`.
std::vector<std::string_view> entries(std::string_view text, std::string_view begin, std::string_view end,
                                      std::string_view head) {
  std::vector<std::string_view> out;
  const std::size_t from = text.find(begin), to = text.find(end, from);
  if (from == std::string_view::npos || to == std::string_view::npos) return out;
  text = text.substr(from, to - from);
  for (std::size_t at = text.find(head); at != std::string_view::npos; at = text.find(head)) {
    text.remove_prefix(at + head.size());
    out.push_back(text.substr(0, text.find(head)));
  }
  return out;
}

}  // namespace

void TraceFacts::read_aliases(std::string_view payload) {
  refilled_.clear();
  std::int64_t at = 0;
  for (std::string_view input : entries(payload, "input_info=[", "output_info=[", "InputAliasInfo(")) {
    if (is_returned(input)) refilled_.insert(at);
    ++at;
  }
  fates_.assign(refilled_.size(), Fate::copied);
  for (std::string_view own : entries(payload, "output_info=[",
                                      "num_intermediate_bases=", "OutputAliasInfo(output_type=<OutputType."))
    fates_.push_back(own.starts_with("alias_of_input") || own.starts_with("is_input") ? Fate::remade
                                                                                      : Fate::returned);
}

void TraceFacts::give_aliases(Case& value) const {
  if (fates_.size() > value.after.outputs.size()) return;
  for (std::uint32_t k = 0; k < fates_.size(); ++k)
    for (const Input& input : value.after.inputs) {
      const std::string& name = value.after.value(input.value).name;
      const auto position = flat_position(name);
      if (!position || fates_[k] == Fate::returned) continue;
      // An output that is copied into an input must not change when another input is refilled first.
      const bool changes = fates_[k] == Fate::copied && refilled_.contains(*position);
      if (!changes) value.may_share.emplace_back(k, name);
    }
}

}  // namespace noclobber
