// Views of the checker's own nouns, made by hand of plain integers, and where their elements lie by
// enumeration.
#pragma once
#include "checker/kernel/trace.h"
#include "src/certify/nonnegative.h"
#include "src/fuzz/random.h"
#include "tests/support/evaluate.h"

namespace noclobber::testing::hand {

using checker::Condition;
using checker::Index;
using checker::Map;
using checker::Places;
using checker::Shape;
using checker::Truth;
using checker::ViewForm;
using fuzz::Random;
using noclobber::PolyId;
using noclobber::searching_space;
using noclobber::Space;
using Ints = std::vector<std::int64_t>;

struct IntFactor {
  std::uint32_t to = 0, from = 0;
  std::int64_t by = 1;
};
/// As checker::Map.
struct IntMap {
  bool reshape = false;
  Ints from, to;
  std::vector<Places> groups = {};
  Ints start = {};
  std::vector<IntFactor> factors = {};
};

inline IntMap slice(std::int64_t extent, std::int64_t start, std::int64_t length, std::int64_t step = 1) {
  return {false, {extent}, {length}, {}, {start}, {{0, 0, step}}};
}

inline std::int64_t elements(const Ints& shape) {
  std::int64_t out = 1;
  for (const std::int64_t extent : shape) out *= extent;
  return out;
}
inline std::vector<Ints> all_indices(const Ints& shape) {
  std::vector<Ints> out{{}};
  for (const std::int64_t extent : shape) {
    std::vector<Ints> longer;
    for (const Ints& at : out)
      for (std::int64_t k = 0; k < extent; ++k) longer.push_back(at), longer.back().push_back(k);
    out = std::move(longer);
  }
  return out;
}

/// Where element `at` of the map's `to` lies.
inline Ints parent(const IntMap& m, const Ints& at) {
  Ints out = m.reshape ? Ints(m.from.size(), 0) : m.start;
  for (const auto& [to, from, by] : m.factors) out[from] += by * at[to];
  std::size_t i = 0, j = 0;
  for (const auto& [a, b] : m.groups) {
    std::int64_t position = 0;
    for (; j < b; ++j) position = position * m.to[j] + at[j];
    for (std::size_t k = a; k-- > i; position /= m.from[k]) out[k] = position % m.from[k];
    i = a;
  }
  return out;
}

inline Index constants(Space& space, const Ints& values) {
  Index out;
  for (const std::int64_t v : values) out.push_back(space.constant(v));
  return out;
}

struct Seen {
  Ints base, shape;
  std::vector<IntMap> maps;
  ViewForm form;
  std::map<Ints, Ints> where = {};  // index in the view -> index in the storage

  bool meets_itself() const {
    std::set<Ints> roots;
    return std::ranges::any_of(where, [&](const auto& e) { return !roots.insert(e.second).second; });
  }
  bool meets(const Seen& other) const {
    std::set<Ints> roots;
    for (const auto& [at, root] : where) roots.insert(root);
    return std::ranges::any_of(other.where, [&](const auto& e) { return roots.contains(e.second); });
  }
};

inline Seen seen(Space& space, const Ints& base, const std::vector<IntMap>& maps) {
  Seen out{base, maps.empty() ? base : maps.back().to, maps, {}};
  for (const IntMap& m : maps) {
    Map made{m.reshape, constants(space, m.from), constants(space, m.to), m.groups,
             constants(space, m.start)};
    for (const auto& [to, from, by] : m.factors) made.factors.push_back({to, from, space.constant(by)});
    out.form.maps.push_back(std::move(made));
  }
  out.form.type = "f32";
  out.form.shape = constants(space, out.shape);
  for (const Ints& at : all_indices(out.shape)) {
    Ints root = at;
    for (auto m = maps.rbegin(); m != maps.rend(); ++m) root = parent(*m, root);
    out.where[at] = root;
  }
  return out;
}

inline Choice choice_of(const Shape& shape, const Ints& at) {
  Choice out;
  for (std::uint32_t k = 0; k < shape.size(); ++k) out.indices[{k, shape[k]}] = at[k];
  return out;
}

/// Values of an index; nothing where one has none.
inline std::optional<Ints> values(const Space& space, const Index& index, const Choice& choice) {
  Ints out;
  for (const PolyId p : index) {
    const auto value = evaluate(space, p, choice);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

}  // namespace noclobber::testing::hand
