#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <iterator>
#include <mutex>

#include "src/base/name_table.h"
#include "src/ops/schema.h"

namespace noclobber {

namespace {

struct VocabularyEntry {
  std::string_view op, text;
  std::uint16_t tags;
};

#include "src/ops/vocabulary.inc"

constexpr auto kVocabularyNames = [] {
  std::array<std::string_view, std::size(kVocabulary)> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kVocabulary[i].op;
  return names;
}();

static_assert(std::is_sorted(kVocabularyNames.begin(), kVocabularyNames.end()));
static_assert(std::adjacent_find(kVocabularyNames.begin(), kVocabularyNames.end()) == kVocabularyNames.end());

/// The schemas parsed so far. An entry of `ready` is set once and then points into `parsed`.
struct ParsedVocabulary {
  std::array<std::atomic<const Schema*>, std::size(kVocabulary)> ready{};
  std::mutex lock;
  std::deque<Schema> parsed;  // guarded by `lock`; grows at its end only, so that pointers stay valid
};

ParsedVocabulary& parsed_vocabulary() {
  static ParsedVocabulary memory;
  return memory;
}

const Schema* parse_entry(std::size_t index) {
  ParsedVocabulary& memory = parsed_vocabulary();
  std::atomic<const Schema*>& slot = memory.ready[index];
  if (const Schema* known = slot.load(std::memory_order_acquire)) return known;
  const std::lock_guard<std::mutex> guard(memory.lock);
  if (const Schema* known = slot.load(std::memory_order_relaxed)) return known;
  Result<Schema> schema = parse_schema(kVocabulary[index].text);
  NC_CHECK(static_cast<bool>(schema), kVocabulary[index].text);
  schema->tags = kVocabulary[index].tags;
  memory.parsed.push_back(*std::move(schema));
  slot.store(&memory.parsed.back(), std::memory_order_release);
  return &memory.parsed.back();
}

/// The position of `op` in the vocabulary, or nullptr.
const std::size_t* number_of(std::string_view op) {
  static const auto numbers = [] {
    constexpr std::string_view kDefault = ".default";  // may be left out
    NameTable<std::size_t> out(2 * kVocabularyNames.size());
    for (std::size_t i = 0; i < kVocabularyNames.size(); ++i) {
      const std::string_view name = kVocabularyNames[i];
      out.add(name, i);
      if (name.ends_with(kDefault)) out.add(name.substr(0, name.size() - kDefault.size()), i);
    }
    return out;
  }();
  return numbers.find(op);
}

}  // namespace

const Schema* find_schema(std::string_view op) {
  const std::size_t* found = number_of(op);
  return found != nullptr ? parse_entry(*found) : nullptr;
}

bool has_schema(std::string_view op) { return number_of(op) != nullptr; }

std::span<const std::string_view> vocabulary() { return kVocabularyNames; }

std::string vocabulary_digest() { return std::string(kVocabularyDigest); }

}  // namespace noclobber
