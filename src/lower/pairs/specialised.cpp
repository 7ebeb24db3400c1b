#include "src/lower/pairs/specialised.h"

#include <map>

namespace noclobber {
namespace {

bool contains(const SymbolRange& range, std::int64_t number) {
  return number >= range.min && (!range.max || number <= *range.max) &&
         (range.multiple_of <= 1 || number % range.multiple_of == 0);
}

using KnownSizes = std::map<std::string, std::int64_t>;

/// Adds the sizes of one input to `numbers`. False if a range excludes one or another input contradicts it.
bool add_sizes(const Case& value, const Type& before, const Type& after, KnownSizes& numbers) {
  if (before.shape.size() != after.shape.size()) return true;
  for (std::size_t k = 0; k < before.shape.size(); ++k) {
    const std::string& symbol = before.shape[k].bare_symbol();
    const auto range = value.symbols.find(symbol);
    if (symbol.empty() || range == value.symbols.end() || !after.shape[k].is_constant()) continue;
    const std::int64_t number = after.shape[k].constant();
    if (!contains(range->second, number)) return false;
    if (numbers.emplace(symbol, number).first->second != number) return false;
  }
  return true;
}

}  // namespace

void assume_specialised(Case& value) {
  if (!value.before || value.symbols.empty()) return;
  std::map<std::string, const Type*> types;
  for (const Input& input : value.after.inputs)
    if (const Value& known = value.after.value(input.value); known.type) types[known.name] = &*known.type;
  KnownSizes numbers;
  for (const Input& input : value.before->inputs) {
    const Value& known = value.before->value(input.value);
    const auto same = types.find(known.name);
    if (known.type && same != types.end() && !add_sizes(value, *known.type, *same->second, numbers)) return;
  }
  for (const auto& [symbol, number] : numbers) {
    SymbolRange& range = value.symbols.at(symbol);
    if (range.min == number && range.max == number) continue;
    range = {number, number, 1, range.unbacked, number, true};
    value.assumed.push_back("AFTER is meant for " + symbol + " = " + std::to_string(number) + " alone");
  }
}

}  // namespace noclobber
