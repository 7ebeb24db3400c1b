// Compares the contents that moves and fills of the Trace leave with the bytes of the run.
#include <algorithm>
#include <charconv>
#include <cstring>

#include "src/interp/replay_view.h"
#include "src/ops/array.h"
#include "src/watch/watch.h"

namespace noclobber {
namespace {

/// The integer behind the colon of a key ("i64:"). Empty for other keys.
std::optional<Number> filled_with(const std::string& key) {
  const std::size_t colon = key.find(':');
  if (colon == std::string::npos) return std::nullopt;
  std::int64_t value = 0;
  const char *begin = key.data() + colon + 1, *end = key.data() + key.size();
  const auto [rest, error] = std::from_chars(begin, end, value);
  return error == std::errc() && rest == end ? std::optional(Number::of(value)) : std::nullopt;
}

}  // namespace

const Watch::Left* Watch::left_at(StorageId storage, std::int64_t cell) const {
  const auto& places = places_[storage].left;
  const auto at = static_cast<std::size_t>(cell);
  if (at >= places.size() || places[at] >= left_.size()) return nullptr;
  const Left& left = left_[places[at]];  // may be a stale index, now of another cell
  return left.storage == storage && left.cell == cell ? &left : nullptr;
}

/// Element k of a view after the steps of the Trace that foresee() has simulated. Empty if unknown.
std::optional<Watch::Element> Watch::element(const TraceView& view, const CellList& cells, std::size_t k,
                                             const std::vector<Storage>& storages) const {
  const Place& place = places_[view.storage];
  const auto lanes = static_cast<std::size_t>(std::max<std::int64_t>(view.lanes, 1));
  Element out{};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::int64_t cell = cells[k * lanes + lane];
    if (const Left* left = left_at(view.storage, cell)) {
      if (!left->bytes) return std::nullopt;
      std::copy_n(left->bytes->first.begin(), left->bytes->second,
                  out.begin() + static_cast<std::ptrdiff_t>(lane));
      continue;
    }
    if (place.blind || !place.storage) return std::nullopt;
    const std::int64_t byte = place.at[static_cast<std::size_t>(cell)];
    if (byte == kNowhere) return std::nullopt;
    std::copy_n(storages[*place.storage].bytes.begin() + byte, place.width,
                out.begin() + static_cast<std::ptrdiff_t>(lane));
  }
  return out;
}

void Watch::put(const TraceView& view, const CellList& cells, std::size_t k,
                const std::optional<Element>& value) {
  const auto dtype = parse_dtype(*view.type);
  const auto lanes = static_cast<std::size_t>(std::max<std::int64_t>(view.lanes, 1));
  std::vector<std::uint32_t>& places = places_[view.storage].left;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::int64_t cell = cells[k * lanes + lane];
    const auto at = static_cast<std::size_t>(cell);
    if (at >= places.size()) places.resize(std::max(at + 1, places_[view.storage].at.size()));
    if (left_at(view.storage, cell) == nullptr) {
      places[at] = static_cast<std::uint32_t>(left_.size());
      left_.push_back({view.storage, cell, {}});
    }
    auto& left = left_[places[at]].bytes;
    left.reset();
    if (!value || !dtype) continue;
    Element bytes = *value;
    if (view.lanes > 0) bytes = {(*value)[lane]};
    left.emplace(bytes, view.lanes > 0 ? 1 : item_bytes(*dtype));
  }
}

void Watch::foresee(const TraceStep& step, const Seen& seen, const std::vector<Storage>& storages) {
  const bool moves = step.kind == TraceStep::Kind::move, fills = step.kind == TraceStep::Kind::fill;
  for (std::size_t w = 0; w < step.writes.size(); ++w) {
    if (!seen.writes[w]) continue;
    const TraceView& to = step.writes[w];
    const auto lanes = static_cast<std::size_t>(std::max<std::int64_t>(to.lanes, 1));
    const auto dtype = parse_dtype(*to.type);
    std::vector<std::optional<Element>> values(seen.writes[w]->size() / lanes);
    if (fills && dtype)
      if (const auto number = filled_with(*step.key)) {
        Element one{};
        store_number(*dtype, one.data(), *number);
        std::ranges::fill(values, one);
      }
    if (moves && dtype && seen.reads[0]) {
      const TraceView& from = step.reads[0];
      const auto of = parse_dtype(*from.type);
      for (std::size_t k = 0; k < values.size() && of; ++k) {
        values[k] = element(from, *seen.reads[0], k, storages);
        if (values[k] && *of != *dtype)
          store_number(*dtype, values[k]->data(),
                       convert(load_number(*of, Element(*values[k]).data()), *dtype));
      }
    }
    for (std::size_t k = 0; k < values.size(); ++k) put(to, *seen.writes[w], k, values[k]);
  }
}

/// Elements are compared as numbers, with all NaN alike. Lanes are single bytes, compared bit for bit.
void Watch::compare_contents(std::uint32_t step, const std::vector<Storage>& storages) {
  for (std::size_t k = first_; k < last_; ++k) {
    const TraceStep& s = what_.trace->steps[k];
    for (std::size_t w = 0; w < s.writes.size() && s.kind != TraceStep::Kind::opaque; ++w) {
      const TraceView& view = s.writes[w];
      const Place& place = places_[view.storage];
      const auto dtype = parse_dtype(*view.type);
      if (!seen_[k - first_].writes[w] || place.blind || !place.storage || !dtype) continue;
      for (const std::int64_t cell : *seen_[k - first_].writes[w]) {
        const Left* left = left_at(view.storage, cell);
        const std::int64_t byte = place.at[static_cast<std::size_t>(cell)];
        if (left == nullptr || !left->bytes || byte == kNowhere) continue;
        const auto& [bytes, width] = *left->bytes;
        const std::span<const std::uint8_t> there(storages[*place.storage].bytes.data() + byte,
                                                  static_cast<std::size_t>(width)),
            meant(bytes.data(), static_cast<std::size_t>(width));
        if (std::ranges::equal(there, meant)) continue;
        if (view.lanes == 0 && same_element(*dtype, there, meant)) continue;
        return say(name(step) + " leaves something else at byte " + std::to_string(byte) + " of " +
                   what_.trace->storages[view.storage].key.text() + " than its Trace says");
      }
    }
  }
}

}  // namespace noclobber
