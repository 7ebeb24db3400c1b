#include "src/text/flat.h"

#include <utility>

namespace noclobber {

void FlatBytes::fail(std::size_t at, std::string message) {
  if (!fault_) fault_ = Diagnostic{"byte " + std::to_string(base_ + at), std::move(message)};
}

/// Offset of a field of `size` bytes; 0 if it is absent or there is a fault.
std::size_t FlatBytes::place(const FlatTable& in, unsigned field, std::size_t size) {
  const std::size_t slot = 4 + 2 * std::size_t{field};
  if (!in.there() || failed() || slot + 2 > in.vtable_size) return 0;
  const auto offset = load<std::uint16_t>(in.vtable + slot);
  if (offset == 0) return 0;
  if (offset >= 4 && offset + size <= in.size) return in.at + offset;
  fail(in.vtable + slot, "a field lies outside its table");
  return 0;
}

/// Follows the offset stored at `at`; 0 after a fault.
std::size_t FlatBytes::target(std::size_t at) {
  const auto offset = load<std::uint32_t>(at);
  if (offset >= 4 && holds(at, std::size_t{offset} + 4)) return at + offset;
  fail(at, "an offset leads outside the file");
  return 0;
}

FlatTable FlatBytes::open(std::size_t at) {
  if (at == 0 || failed()) return {};
  const std::int64_t vtable = static_cast<std::int64_t>(at) - load<std::int32_t>(at);
  if (vtable < 0 || !holds(static_cast<std::size_t>(vtable), 4)) {
    fail(at, "a table's layout lies outside the file");
    return {};
  }
  FlatTable out;
  out.at = at;
  out.vtable = static_cast<std::size_t>(vtable);
  out.vtable_size = load<std::uint16_t>(out.vtable);
  out.size = load<std::uint16_t>(out.vtable + 2);
  if (out.vtable_size >= 4 && out.vtable_size % 2 == 0 && holds(out.vtable, out.vtable_size) &&
      out.size >= 4 && holds(at, out.size))
    return out;
  fail(at, "a table does not fit into the file");
  return {};
}

FlatTable FlatBytes::root() {
  if (bytes_.size() < 8) {
    fail(bytes_.size(), "the file is cut off");
    return {};
  }
  return open(target(0));
}

FlatTable FlatBytes::table(const FlatTable& in, unsigned field) {
  const std::size_t at = place(in, field, 4);
  return at == 0 ? FlatTable{} : open(target(at));
}

FlatTable FlatBytes::table_at(const FlatVector& in, std::size_t k) {
  if (failed() || k >= in.count) return {};
  return open(target(in.at + 4 * k));
}

FlatVector FlatBytes::vector(const FlatTable& in, unsigned field, std::size_t element_size) {
  const std::size_t at = place(in, field, 4);
  const std::size_t start = at == 0 ? 0 : target(at);
  if (start == 0) return {};
  const auto count = load<std::uint32_t>(start);
  if (!holds(start + 4, std::size_t{count} * element_size)) {
    fail(start, "a list of " + std::to_string(count) + " elements leads outside the file");
    return {};
  }
  if (count > budget_) {
    fail(start, "the lists of this file overlap too much");
    return {};
  }
  budget_ -= count;
  return {start + 4, count};
}

std::string_view FlatBytes::bytes(const FlatTable& in, unsigned field) {
  const FlatVector all = vector(in, field, 1);
  return bytes_.substr(all.at, all.count);
}

std::string FlatBytes::text(const FlatTable& in, unsigned field) { return std::string(bytes(in, field)); }

}  // namespace noclobber
