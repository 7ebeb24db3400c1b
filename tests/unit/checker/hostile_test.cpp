// Texts that lie, by hand: each was once believed, or broke what read it. Beside it the honest one.
#include "tests/catch.h"
#include "tests/unit/checker/hand_text.h"

namespace hostile_test {

using namespace noclobber::testing;

TEST_CASE("what nobody wrote is not chosen beside what a solver claims", "[hostile]") {
  for (const bool claimed : {false, true})
    for (const bool twice : {false, true}) {
      HandText c;
      const auto all = [&](int storage) { return c.view(storage, "f32", 0, {4}); };
      const auto shows = [&](int first) {
        Words out{c.output(all(first))};
        if (twice) out.push_back(c.output(all(0)));
        return out;
      };
      const auto before = c.trace({.storages = {c.storage(1, {4}, 0, "e")}, .outputs = shows(0)});
      const auto after = c.trace({.storages = {c.storage(1, {4}, 0, "e"), c.storage(1, {4}, 0, "z")},
                                  .steps = {c.fill("0", all(1))},
                                  .outputs = shows(1)});
      if (claimed) c.claims = {twice ? "4 0 1 0" : "4 0 0 0"};
      const std::string text = c.text(before, after);
      if (!twice)
        proves(text);
      else
        proves_nothing(text, claimed ? kOneOpen : "what nobody wrote is chosen twice");
    }
}

TEST_CASE("one byte that nobody wrote is not chosen as four", "[hostile]") {
  for (const bool repeated : {true, false}) {
    HandText c;
    const auto elements = [&](int storage) { return c.view(storage, "f32", 4, {3}); };
    const Nums bytes{3, 4};
    const auto to = c.view(0, "u8", 1, bytes, {c.reshape(bytes, {3, 4, 1}, {"1 1", "2 2", "2 3"})});
    const auto from = repeated
                          ? c.view(1, "u8", 1, bytes, {c.affine({3}, {3, 4}, {0}, {{0, 0, 1}})})
                          : c.view(1, "u8", 1, bytes, {c.reshape(bytes, {3, 4, 1}, {"1 1", "2 2", "2 3"})});
    const auto in = [&] { return c.storage(0, {3}, 4, "in"); };
    const auto before =
        c.trace({.storages = {c.storage(1, {3}, 4, "o"), c.storage(1, {3}, repeated ? 1 : 4, "s"), in()},
                 .inputs = {c.input("x", elements(2))},
                 .steps = {c.move(to, from)},
                 .outputs = {c.output(elements(0))}});
    const auto after = c.trace(
        {.storages = {in()}, .inputs = {c.input("x", elements(0))}, .outputs = {c.output(elements(0))}});
    const std::string text = c.text(before, after);
    repeated ? proves_nothing(text, kOneOpen) : proves(text);
  }
}

TEST_CASE("no dimension has the place of the byte", "[hostile]") {
  for (const int rank : {4, 998, 999, 1000, 1001}) {
    HandText c;
    Nums shape(static_cast<std::size_t>(rank - 1), 1), at(static_cast<std::size_t>(rank - 1), 0);
    shape.push_back(4);
    Nums parts = shape;
    parts.push_back(4);
    at.push_back(1), at.push_back(1);  // byte 1 of element 1
    const auto clears = c.view(0, "u8", 1, {1}, {c.affine(parts, {1, 1}, at, {})});
    const auto trace = [&](const Words& steps) {
      return c.trace({.storages = {c.storage(0, shape, 4, "x", true)}, .steps = steps});
    };
    const std::string text = c.text(trace({}), trace({c.fill("0", clears)}));
    rank < 999 ? proves_nothing(text, kOneOpen) : is_unreadable(text, "fewer dimensions");
  }
}

TEST_CASE("edges that are not in order make no path", "[hostile]") {
  const auto text = [](const std::vector<std::pair<int, int>>& edges) {
    HandText c;
    std::vector<std::pair<int, int>> touches{{198, 63}, {199, 63}, {130, 64}, {140, 64}};
    for (int k = 0; k < 63; ++k) touches.insert(touches.end(), {{2 * k, k}, {2 * k + 1, k}});
    std::ranges::sort(touches);
    HandTrace t;
    for (int k = 0; k < 65; ++k) t.storages.push_back(c.storage(1, {1}, 0, "s" + std::to_string(k)));
    for (const auto& [origin, storage] : touches)
      t.steps.push_back(c.fill(std::to_string(origin), c.view(storage, "f32", 0, {1}), origin));
    for (const auto& [from, to] : edges) t.edges.push_back(std::to_string(from) + " " + std::to_string(to));
    const std::string trace = c.trace(t);
    return c.text(trace, trace);
  };
  std::vector<std::pair<int, int>> near;
  for (int k = 0; k < 63; ++k) near.emplace_back(2 * k, 2 * k + 1);
  const auto with = [&](const std::vector<std::pair<int, int>>& more) {
    auto out = near;
    out.insert(out.end(), more.begin(), more.end());
    return out;
  };
  auto right = with({{198, 199}, {130, 140}});
  std::ranges::sort(right);
  proves(text(right));
  auto missing = with({{198, 199}, {130, 131}, {130, 132}, {1, 140}});
  std::ranges::sort(missing);
  proves_nothing(text(missing), kOneOpen);
  right.emplace_back(200, 1 << 20);
  is_unreadable(text(right), "a graph step");
  is_unreadable(text(with({{130, 131}, {130, 132}, {1, 140}, {198, 199}})), "edges in order");
}

TEST_CASE("a Trace's own numbers are the same at every index", "[hostile]") {
  for (const bool free : {false, true}) {
    HandText c;
    const auto trace = [&](const Words& maps) {
      return c.trace({.storages = {c.storage(0, {4}, 0, "x")},
                      .inputs = {c.input("x", c.view(0, "f32", 0, {4}))},
                      .outputs = {c.output(c.view(0, "f32", 0, {4}, maps))}});
    };
    const auto map =
        free ? c.affine({4}, {4}, {"i 0 " + c.number(4)}, {}) : c.affine({4}, {4}, {0}, {{0, 0, 1}});
    const std::string text = c.text(trace({}), trace({map}));
    free ? is_unreadable(text, "numbers without an index") : proves(text);
  }
}

TEST_CASE("a slice, or one element repeated, shows not all of an input", "[hostile]") {
  const auto text = [](bool by_one, std::int64_t start, std::int64_t length, std::int64_t shown) {
    HandText c;
    c.sharing_may_grow = false;
    const auto all = [&] { return c.view(0, "f32", 0, {4}); };
    const auto part =
        c.view(0, "f32", 0, {length}, {c.affine({4}, {length}, {start}, {{0, 0, by_one ? 1 : 0}})});
    const auto trace = [&](const std::string& out) {
      return c.trace({.storages = {c.storage(0, {4}, 0, "in", true)},
                      .inputs = {c.input("x", all())},
                      .steps = {c.fill("1", all())},
                      .outputs = {c.output(out)}});
    };
    const auto after =
        shown == 4 ? all() : c.view(0, "f32", 0, {shown}, {c.affine({4}, {shown}, {0}, {{0, 0, 1}})});
    return c.text(trace(part), trace(after));
  };
  proves(text(true, 0, 4, 4));
  proves_nothing(text(false, 0, 4, 4), kOneOpen);  // element 0, four times
  proves_nothing(text(true, 2, 2, 2), kOneOpen);
}

TEST_CASE("a diagonal or a permutation shows other places of an input", "[hostile]") {
  const auto text = [](const Nums& shape, const std::vector<std::tuple<int, int, Num>>& was,
                       const std::vector<std::tuple<int, int, Num>>& is) {
    HandText c;
    c.sharing_may_grow = false;
    const auto all = [&] { return c.view(0, "f32", 0, {4, 4}); };
    const auto trace = [&](const std::vector<std::tuple<int, int, Num>>& factors) {
      return c.trace(
          {.storages = {c.storage(0, {4, 4}, 0, "in", true)},
           .inputs = {c.input("x", all())},
           .steps = {c.fill("1", all())},
           .outputs = {c.output(c.view(0, "f32", 0, shape, {c.affine({4, 4}, shape, {0, 0}, factors)}))}});
    };
    return c.text(trace(was), trace(is));
  };
  proves(text({4, 4}, {{1, 0, 1}, {0, 1, 1}}, {{1, 0, 1}, {0, 1, 1}}));
  proves_nothing(text({4, 4}, {{1, 0, 1}, {0, 1, 1}}, {{0, 0, 1}, {1, 1, 1}}), kOneOpen);
  proves(text({4}, {{0, 0, 1}, {0, 1, 1}}, {{0, 0, 1}, {0, 1, 1}}));
  proves_nothing(text({4}, {{0, 0, 1}, {0, 1, 1}}, {{0, 1, 1}}), kOneOpen);
  proves_nothing(text({4, 4}, {{0, 0, 1}, {0, 1, 1}}, {{0, 0, 1}, {1, 1, 1}}), kOneOpen);
  proves_nothing(text({4, 4}, {{0, 0, 1}, {1, 0, 1}}, {{0, 0, 1}, {1, 1, 1}}), kOneOpen);
  proves_nothing(text({4, 4}, {{0, 0, 1}}, {{0, 0, 1}, {1, 1, 1}}), kOneOpen);
}

TEST_CASE("groups of a reshape have equally many elements", "[hostile]") {
  const auto text = [](const Words& groups) {
    HandText c;
    const auto to = c.view(0, "f32", 0, {3, 2}, {c.reshape({2, 3}, {3, 2}, groups)});
    const auto trace = c.trace({.storages = {c.storage(1, {2, 3}, 0, "o"), c.storage(0, {3, 2}, 0, "x")},
                                .inputs = {c.input("x", c.view(1, "f32", 0, {3, 2}))},
                                .steps = {c.move(to, c.view(1, "f32", 0, {3, 2}))},
                                .outputs = {c.output(c.view(0, "f32", 0, {2, 3}))}});
    return c.text(trace, trace);
  };
  proves(text({"2 2"}));
  proves(text({"0 0", "2 2"}));
  is_unreadable(text({"1 1", "2 2"}), "groups of equally many elements");
  is_unreadable(text({"2 1", "2 2"}), "groups of equally many elements");
  is_unreadable(text({"2 2", "1 1"}), "groups of equally many elements");
  is_unreadable(text({}), "groups of all dimensions");
}

TEST_CASE("the element that a witness names has all its indices", "[hostile]") {
  const auto text = [](const std::string& index, std::int64_t start) {
    HandText c;
    const auto part = [&](std::int64_t first) {
      return c.view(0, "f32", 0, {2}, {c.affine({4}, {2}, {first}, {{0, 0, 1}})});
    };
    const auto trace = [&](std::int64_t first) {
      return c.trace({.storages = {c.storage(0, {4}, 0, "in", true)},
                      .inputs = {c.input("x", c.view(0, "f32", 0, {4}))},
                      .outputs = {c.output(part(first))}});
    };
    c.refutation = "1 4 0 0 0 " + index + " 0 0 0";
    return c.text(trace(1), trace(start));
  };
  refutes(text("1 0", 2));
  refutes(text("1 1", 2));
  for (const char* index : {"0", "2 0 0", "1 2", "1 -1"}) proves_nothing(text(index, 2), kNothing);
  for (const char* index : {"0", "1 0"}) proves_nothing(text(index, 1), kNothing);
}

}  // namespace hostile_test
