// Maps, their inverses and `apart` against enumeration.
#include "src/trace/map.h"

#include <algorithm>
#include <iostream>
#include <numeric>
#include <set>

#include "src/certify/nonnegative.h"
#include "src/second/direct_access.h"
#include "src/values/term.h"
#include "tests/catch.h"
#include "tests/support/evaluate.h"
#include "tests/support/formula_value.h"
#include "tests/support/generator.h"

namespace map_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

using Ints = std::vector<std::int64_t>;

Shape shape_of(Space& space, const Ints& extents) {
  Shape out;
  for (const std::int64_t e : extents) out.push_back(space.constant(e));
  return out;
}

std::vector<Ints> all_indices(const Ints& shape) {
  std::vector<Ints> out;
  Ints at(shape.size(), 0);
  for (std::int64_t k = 0; k < count(shape); ++k) {
    out.push_back(at);
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++at[d] < shape[d]) break;
      at[d] = 0;
    }
  }
  return out;
}

/// A view over a base of one storage, and where each of its elements lies: row-major position in the base.
struct Chain {
  Ints base, shape;
  TraceView view;
  std::map<Ints, std::int64_t> where;  // index in the view -> element of the base
};

/// `old_of`: index of the parent for an index of the new view.
template <class Old>
void extend(Chain& chain, Ints shape, Map map, Space& space, Old old_of) {
  map.from = shape_of(space, chain.shape);
  map.to = shape_of(space, shape);
  std::map<Ints, std::int64_t> where;
  for (const Ints& at : all_indices(shape)) where[at] = chain.where.at(old_of(at));
  chain.where = std::move(where);
  chain.shape = std::move(shape);
  chain.view.shape = map.to;
  chain.view.maps.edit().push_back(std::move(map));
}

std::int64_t row_major_position(const Ints& shape, const Ints& at) {
  std::int64_t out = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) out = out * shape[k] + at[k];
  return out;
}
Ints from_position(const Ints& shape, std::int64_t position) {
  Ints out(shape.size(), 0);
  for (std::size_t k = shape.size(); k-- > 0; position /= shape[k]) out[k] = position % shape[k];
  return out;
}

void add_slice(Chain& c, Space& space, Random& random) {
  const auto d = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(c.shape.size())));
  Map map;
  map.kind = Map::Kind::slice;
  map.dim = static_cast<std::uint32_t>(d);
  const std::int64_t start = random.below(c.shape[d]), step = random.between(1, 3);
  Ints shape = c.shape;
  shape[d] = random.between(1, (c.shape[d] - start - 1) / step + 1);
  map.start = space.constant(start);
  map.step = space.constant(step);
  extend(c, shape, map, space, [&](Ints at) {
    at[d] = start + step * at[d];
    return at;
  });
}

void add_permute(Chain& c, Space& space, Random& random) {
  Map map;
  map.kind = Map::Kind::permute;
  map.order.resize(c.shape.size());
  std::iota(map.order.begin(), map.order.end(), 0U);
  for (std::size_t k = map.order.size(); k > 1; --k)
    std::swap(map.order[k - 1],
              map.order[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(k)))]);
  Ints shape;
  for (const std::uint32_t k : map.order) shape.push_back(c.shape[k]);
  const auto order = map.order;
  extend(c, shape, map, space, [&](const Ints& at) {
    Ints out(at.size());
    for (std::size_t k = 0; k < at.size(); ++k) out[order[k]] = at[k];
    return out;
  });
}

void add_reshape(Chain& c, Space& space, Random& random) {
  Ints shape;
  std::int64_t rest = count(c.shape);
  for (const std::int64_t p : {2, 3, 2, 5}) {
    if (rest % p != 0 || random.chance(40)) continue;
    shape.push_back(p);
    rest /= p;
  }
  shape.insert(shape.begin() + random.below(static_cast<std::int64_t>(shape.size()) + 1), rest);
  if (random.chance(20))
    shape.insert(shape.begin() + random.below(static_cast<std::int64_t>(shape.size()) + 1), 1);
  Map map;
  map.kind = Map::Kind::reshape;
  const Ints old = c.shape;
  extend(c, shape, map, space,
         [&](const Ints& at) { return from_position(old, row_major_position(shape, at)); });
}

void add_expand(Chain& c, Space& space, Random& random) {
  Ints shape = c.shape;
  for (std::int64_t& e : shape)
    if (e == 1 && random.chance(50)) e = 2;
  Map map;
  map.kind = Map::Kind::expand;
  const Ints old = c.shape;
  extend(c, shape, map, space, [&](Ints at) {
    for (std::size_t k = 0; k < at.size(); ++k)
      if (old[k] == 1) at[k] = 0;
    return at;
  });
}

void add_diagonal(Chain& c, Space& space, Random& random) {
  if (c.shape.size() < 2) return;
  Map map;
  map.kind = Map::Kind::diagonal;
  map.dim = static_cast<std::uint32_t>(random.below(static_cast<std::int64_t>(c.shape.size())));
  map.other = (map.dim + 1) % static_cast<std::uint32_t>(c.shape.size());
  const std::int64_t rows = random.below(c.shape[map.dim]), columns = random.below(c.shape[map.other]);
  map.start = space.constant(rows);
  map.step = space.constant(columns);
  Ints shape;
  for (std::size_t k = 0; k < c.shape.size(); ++k)
    if (k != map.dim && k != map.other) shape.push_back(c.shape[k]);
  shape.push_back(std::min(c.shape[map.dim] - rows, c.shape[map.other] - columns));
  const std::uint32_t dim = map.dim, other = map.other;
  const std::size_t rank = c.shape.size();
  extend(c, shape, map, space, [&](const Ints& at) {
    Ints out;
    std::size_t next = 0;
    for (std::size_t k = 0; k < rank; ++k)
      out.push_back(k == dim ? at.back() + rows : k == other ? at.back() + columns : at[next++]);
    return out;
  });
}

void add_unfold(Chain& c, Space& space, Random& random) {
  const auto d = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(c.shape.size())));
  const std::int64_t size = random.between(1, c.shape[d]), step = random.between(1, 3);
  Map map;
  map.kind = Map::Kind::unfold;
  map.dim = static_cast<std::uint32_t>(d);
  map.step = space.constant(step);
  Ints shape = c.shape;
  shape[d] = (c.shape[d] - size) / step + 1;
  shape.push_back(size);
  extend(c, shape, map, space, [&](Ints at) {
    at[d] = at[d] * step + at.back();
    at.pop_back();
    return at;
  });
}

void add_strided(Chain& c, Space& space, Random& random) {
  const std::int64_t room = count(c.shape);
  if (c.shape.size() != 1) return;
  Map map;
  map.kind = Map::Kind::strided;
  const std::int64_t start = random.below(room);
  std::int64_t left = room - 1 - start;
  Ints shape, strides;
  for (int k = 0; k < 2; ++k) {
    const std::int64_t stride = random.between(1, 4);
    shape.push_back(random.between(1, left / stride + 1));
    strides.push_back(stride);
    left -= stride * (shape.back() - 1);
  }
  map.start = space.constant(start);
  map.strides = shape_of(space, strides);
  extend(c, shape, map, space,
         [&](const Ints& at) { return Ints{start + at[0] * strides[0] + at[1] * strides[1]}; });
}

Chain random_chain(Space& space, Random& random, const Ints& base, bool only_injective) {
  Chain c;
  c.base = c.shape = base;
  c.view.shape = shape_of(space, base);
  for (const Ints& at : all_indices(base)) c.where[at] = row_major_position(base, at);
  using Add = void (*)(Chain&, Space&, Random&);
  const std::vector<Add> kinds{add_slice,    add_slice,   add_permute, add_reshape,
                               add_diagonal, add_strided, add_expand,  add_unfold};
  for (std::int64_t k = random.between(0, 3); k > 0; --k)
    kinds[static_cast<std::size_t>(random.below(only_injective ? 6 : 8))](c, space, random);
  return c;
}

Ints random_base(Random& random) {
  Ints out;
  for (std::int64_t k = random.between(1, 3); k > 0; --k) out.push_back(random.between(1, 5));
  if (random.chance(30)) return {random.between(1, 16)};
  return out;
}

/// Position in the base of a root index made of constants.
std::optional<std::int64_t> constant_position(const Space& space, const Ints& base, const Index& root) {
  Ints at;
  for (const PolyId p : root) {
    const auto v = space.value(p);
    if (!v) return std::nullopt;
    at.push_back(*v);
  }
  return row_major_position(base, at);
}

Choice choice_of(Space& space, const Shape& shape, const Ints& at) {
  Choice out;
  for (std::uint32_t k = 0; k < shape.size(); ++k) out.indices[{k, shape[k]}] = at[k];
  (void)space;
  return out;
}

}  // namespace

TEST_CASE("a view's elements lie where enumeration says, at constants and at symbolic indices", "[map]") {
  Random random(11);
  for (int round = 0; round < 1500; ++round) {
    Space space = searching_space();
    const Chain c = random_chain(space, random, random_base(random), false);
    const Index symbolic = root_index(space, c.view, running(space, c.view.shape));
    for (const auto& [at, element] : c.where) {
      const auto position = constant_position(space, c.base, root_index(space, c.view, shape_of(space, at)));
      REQUIRE(position);
      CHECK(*position == element);
      Ints root;
      for (const PolyId p : symbolic)
        root.push_back(evaluate(space, p, choice_of(space, c.view.shape, at)).value_or(-99));
      CHECK(row_major_position(c.base, root) == element);
    }
  }
}

TEST_CASE("an inverse finds exactly the elements of a view, and only views without repetition have one",
          "[map]") {
  Random random(12);
  int inverted = 0, invertible = 0;
  for (int round = 0; round < 1500; ++round) {
    Space space = searching_space();
    const Chain c = random_chain(space, random, random_base(random), false);
    std::map<std::int64_t, Ints> element_of;
    for (const auto& [at, element] : c.where) element_of[element] = at;
    const bool injective = element_of.size() == c.where.size();
    const Shape base = shape_of(space, c.base);
    const auto inverse = view_inverse(space, c.view, running(space, base));
    invertible += injective ? 1 : 0;
    if (!inverse) continue;
    CHECK(injective);
    ++inverted;
    for (const Ints& at : all_indices(c.base)) {
      const Choice choice = choice_of(space, base, at);
      bool inside = true;
      for (const Condition& condition : inverse->conditions)
        inside = inside && satisfied(condition, evaluate(space, condition.poly, choice).value());
      const auto known = element_of.find(row_major_position(c.base, at));
      REQUIRE(inside == (known != element_of.end()));
      if (!inside) continue;
      Ints index;
      for (const PolyId p : inverse->index) index.push_back(evaluate(space, p, choice).value());
      CHECK(index == known->second);
    }
  }
  std::cout << "inverse: found for " << inverted << " of " << invertible << " views without repetition\n";
  CHECK(inverted * 10 >= invertible * 8);
}

TEST_CASE("apart is never said of views that meet", "[map]") {
  Random random(13);
  int said = 0, disjoint = 0, pairs = 0;
  for (int round = 0; round < 3000; ++round) {
    Space space = searching_space();
    const Ints base = random_base(random);
    const Chain a = random_chain(space, random, base, false), b = random_chain(space, random, base, false);
    std::set<std::int64_t> mine;
    for (const auto& [at, element] : a.where) mine.insert(element);
    const bool meet =
        std::any_of(b.where.begin(), b.where.end(), [&](const auto& e) { return mine.contains(e.second); });
    const bool shown = apart(space, a.view, b.view);
    CHECK_FALSE((shown && meet));
    ++pairs;
    said += shown ? 1 : 0;
    disjoint += meet ? 0 : 1;
  }
  std::cout << "apart: shown for " << said << " of " << disjoint << " disjoint pairs (" << pairs
            << " pairs)\n";
  CHECK(said * 10 >= disjoint * 5);
}

TEST_CASE("the second engine's views and images are those of enumeration", "[map]") {
  int inverted = 0, invertible = 0;
  for (const bool glances : {false, true}) {
    Random random(14);
    for (int round = 0; round < 1000; ++round) {
      Space space;
      const Chain c = random_chain(space, random, random_base(random), false);
      Formulas f(glances);
      DirectSizes sizes(space, f);
      const auto root = root_of(sizes, c.view, any_index(sizes, c.view, "i"));
      const TraceView base{0, {}, shape_of(space, c.base), "", 0};
      const auto image = image_of(sizes, c.view, any_index(sizes, base, "r"));
      const auto values = [&](const DirectIndex& index, const std::string& name, const Ints& at) {
        std::map<std::string, std::int64_t> variables;
        for (std::size_t k = 0; k < at.size(); ++k) variables[name + std::to_string(k)] = at[k];
        Ints out;
        for (const FormulaId i : index) out.push_back(value_of(f, i, variables));
        return out;
      };
      std::map<std::int64_t, Ints> element_of;
      REQUIRE(root);
      for (const auto& [at, element] : c.where) {
        element_of[element] = at;
        REQUIRE(row_major_position(c.base, values(*root, "i", at)) == element);
      }
      const bool injective = element_of.size() == c.where.size();
      invertible += injective ? 1 : 0;
      if (!image || value_of(f, image->sound, {}) == 0) continue;
      CHECK(injective);
      ++inverted;
      for (const Ints& at : all_indices(c.base)) {
        const auto known = element_of.find(row_major_position(c.base, at));
        REQUIRE((values({image->inside}, "r", at)[0] != 0) == (known != element_of.end()));
        if (known != element_of.end()) CHECK(values(image->index, "r", at) == known->second);
      }
    }
  }
  std::cout << "second engine: images of " << inverted << " of " << invertible
            << " views without repetition\n";
  CHECK(inverted * 10 >= invertible * 8);
}

TEST_CASE("the solver says that views never meet exactly where they do not", "[map][solver]") {
  if (solver_version().empty()) {
    WARN("no solver found: its tests are skipped");
    return;
  }
  Random random(15);
  for (int round = 0; round < 150; ++round) {
    Space space;
    const Ints base = random_base(random);
    const Chain a = random_chain(space, random, base, false), b = random_chain(space, random, base, false);
    std::set<std::int64_t> mine;
    for (const auto& [at, element] : a.where) mine.insert(element);
    const bool meet =
        std::any_of(b.where.begin(), b.where.end(), [&](const auto& e) { return mine.contains(e.second); });
    Formulas f(round % 2 == 0);
    DirectSizes sizes(space, f);
    Questions questions;
    DirectAsk ask(sizes, questions);
    CHECK(never_meet(sizes, ask, a.view, b.view) != meet);
  }
}

}  // namespace map_test
