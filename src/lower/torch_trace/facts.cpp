#include "src/lower/torch_trace/facts.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "src/formats/fx_text/fx_text_annotation.h"

namespace noclobber {
namespace {

using json = OrderedJson;

constexpr std::size_t kMostGuards = 500;

std::optional<std::int64_t> trace_parse_integer(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Parses "[2, int_oo]" or "VR[2, 1024]". A bound that is not a 64-bit integer is no bound.
SymbolRange trace_range(std::string_view text) {
  SymbolRange range;
  range.min = kFxUnbounded;
  const std::size_t open = text.find('['), comma = text.find(','), close = text.rfind(']');
  if (open == text.npos || comma == text.npos || close == text.npos || comma < open || close < comma)
    return range;
  if (const auto low = trace_parse_integer(text.substr(open + 1, comma - open - 1))) range.min = *low;
  const auto high = trace_parse_integer(text.substr(comma + 1, close - comma - 1));
  // Older versions write "no bound" as sys.maxsize or its predecessor.
  if (high && *high < std::numeric_limits<std::int64_t>::max() - 1) range.max = high;
  return range;
}

bool is_interpreted(const SymExpr& value) {
  return std::none_of(value.nodes().begin(), value.nodes().end(),
                      [](const SymExpr::Node& node) { return node.op == SymExpr::Op::opaque; });
}

/// The conjuncts of "(a) & (b)". Any other text is its only conjunct.
std::vector<std::string_view> trace_conjuncts(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (depth != 0 || text[i] != '&') continue;
    parts.push_back(text.substr(start, i - start));
    start = i + 1;
  }
  parts.push_back(text.substr(start));
  for (std::string_view& part : parts) {
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (parts.size() > 1 && part.starts_with('(') && part.ends_with(')'))
      part = part.substr(1, part.size() - 2);
  }
  return parts;
}

/// Narrows the symbol's range by a guard like "2 <= s0" or "s0 < 9". False if the guard has another form.
bool narrow_range(std::map<std::string, SymbolRange>& symbols, const SymRelation& guard) {
  const bool strict = guard.kind == SymRelation::Kind::lt;
  if (!strict && guard.kind != SymRelation::Kind::le) return false;
  const std::string& upper = guard.right.bare_symbol();
  const std::string& lower = guard.left.bare_symbol();
  std::int64_t bound = 0;
  if (guard.left.is_constant() && !upper.empty()) {
    SymbolRange& range = symbols[upper];
    if (__builtin_add_overflow(guard.left.constant(), strict ? 1 : 0, &bound)) return false;
    range.min = std::max(range.min, bound);
    return true;
  }
  if (!guard.right.is_constant() || lower.empty()) return false;
  SymbolRange& range = symbols[lower];
  if (__builtin_sub_overflow(guard.right.constant(), strict ? 1 : 0, &bound)) return false;
  range.max = std::min(range.max.value_or(bound), bound);
  return true;
}

}  // namespace

void TraceFacts::read(const json& meta) {
  if (const json* record = trace_object(meta, "create_symbol")) read_symbol(*record, false);
  if (const json* record = trace_object(meta, "create_unbacked_symbol")) read_symbol(*record, true);
  if (const json* record = trace_object(meta, "symbolic_shape_specialization")) read_specialization(*record);
  if (const json* record = trace_object(meta, "guard_added")) read_guard(*record);
  if (const json* record = trace_object(meta, "guard_added_fast")) read_guard(*record);
  if (const json* record = trace_object(meta, "describe_tensor")) read_tensor(*record);
  if (const json* record = trace_object(meta, "describe_source")) read_source(*record);
  if (const json* record = trace_object(meta, "describe_storage")) {
    const auto describer = trace_integer(*record, "describer_id"), id = trace_integer(*record, "id");
    const auto size = trace_integer(*record, "size");
    if (id && size) storage_bytes_[{describer.value_or(-1), *id}] = *size;
  }
}

void TraceFacts::read_symbol(const json& record, bool unbacked) {
  const std::string name = trace_text(record, "symbol");
  if (name.empty()) return;
  SymbolRange range = trace_range(trace_text(record, "vr"));
  range.unbacked = unbacked;
  range.hint = trace_parse_integer(trace_text(record, "val"));
  if (range.hint) hints_[name] = *range.hint;
  ranges_[name] = range;
}

void TraceFacts::read_specialization(const json& record) {
  const std::string name = trace_text(record, "symbol");
  const auto value = trace_parse_integer(trace_text(record, "value"));
  if (name.empty() || !value) return;
  SymbolRange& range = ranges_[name];
  range.min = *value;
  range.max = *value;
  range.hint = *value;
  hints_[name] = *value;
}

void TraceFacts::read_guard(const json& record) {
  const std::string text = trace_text(record, "expr");
  if (text.empty() || guards_.size() >= kMostGuards || !seen_guards_.insert(text).second) return;
  for (const std::string_view part : trace_conjuncts(text)) {
    auto relation = parse_relation(part);
    if (relation && is_interpreted(relation->left) && is_interpreted(relation->right) &&
        guards_.size() < kMostGuards)
      guards_.push_back(*std::move(relation));
  }
}

void TraceFacts::read_tensor(const json& record) {
  const auto id = trace_integer(record, "id");
  if (!id) return;
  const std::int64_t describer = trace_integer(record, "describer_id").value_or(-1);
  Tensor tensor;
  tensor.dtype = trace_text(record, "dtype");
  tensor.size = trace_integers(record, "size");
  tensor.stride = trace_integers(record, "stride");
  tensor.offset = trace_integer(record, "storage_offset").value_or(0);
  if (const auto storage = trace_integer(record, "storage")) tensor.storage = {describer, *storage};
  tensors_[{describer, *id}] = std::move(tensor);
}

void TraceFacts::read_source(const json& record) {
  const auto id = trace_integer(record, "id");
  if (!id) return;
  const TensorKey key{trace_integer(record, "describer_id").value_or(-1), *id};
  if (tensors_.contains(key) && seen_sources_.insert(key).second) sources_.push_back(key);
}

void TraceFacts::give_symbols(Case& value) const {
  for (auto& [name, range] : value.symbols) {
    const auto known = ranges_.find(name);
    if (known == ranges_.end()) continue;
    const SymbolRange printed = range;
    range = known->second;
    range.min = std::max(range.min, printed.min);
    range.unbacked = range.unbacked || printed.unbacked;
  }
  for (const SymRelation& guard : guards_) {
    bool is_known = true;
    for (const SymExpr* side : {&guard.left, &guard.right})
      for (const std::string& name : side->symbols()) is_known = is_known && value.symbols.contains(name);
    const bool is_constant = guard.left.is_constant() && guard.right.is_constant();
    if (is_known && !is_constant && !narrow_range(value.symbols, guard)) value.assume.push_back(guard);
  }
}

}  // namespace noclobber
