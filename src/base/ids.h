// Typed indices into vectors. No pointers between nodes.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace noclobber {

/// An index into the vector of the things that Tag names. `kNone`: no such thing.
template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = 0xffffffffU;
  std::uint32_t index = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t at) : index(static_cast<std::uint32_t>(at)) {}
  constexpr bool valid() const { return index != kNone; }
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

}  // namespace noclobber

template <class Tag>
struct std::hash<noclobber::Id<Tag>> {
  std::size_t operator()(const noclobber::Id<Tag>& id) const noexcept { return id.index; }
};
