// Texts that would be proved if a case were left out, each beside an honest one.
#include "tests/unit/checker/hand_text.h"

namespace hostile_splits_test {

using namespace noclobber::testing;

TEST_CASE("an odd number is not 0, and may be more", "[hostile]") {
  const auto text = [](int other) {
    HandText c;
    const auto all = [&](int storage) { return c.view(storage, "f32", 0, {4}); };
    const auto rows = c.view(2, "f32", 0, {2}),
               last = c.view(3, "f32", 0, {2}, {c.affine({4}, {2}, {2}, {{0, 0, 1}})});
    const auto even = c.view(3, "f32", 0, {2}, {c.affine({4}, {2}, {0}, {{0, 0, 2}})});
    const auto trace = [&](int first) {  // y = first; y[2:] = z; y[::2], which begins with first[0]
      return c.trace({.storages = {c.storage(0, {4}, 0, "x"), c.storage(0, {4}, 0, "w"),
                                   c.storage(0, {2}, 0, "z"), c.storage(1, {4}, 0, "y")},
                      .inputs = {c.input("x", all(0)), c.input("w", all(1)), c.input("z", rows)},
                      .steps = {c.move(all(3), all(first), 0), c.move(last, rows, 1)},
                      .outputs = {c.output(even)}});
    };
    return c.text(trace(0), trace(other));
  };
  proves(text(0));
  proves_nothing(text(1), kOneOpen);
}

TEST_CASE("a view of the storage behind the last one is of none", "[hostile]") {
  const auto text = [](int storage) {
    HandText c;
    return c.text("", c.trace({.storages = {c.storage(0, {2}, 0, "x")},
                               .inputs = {c.input("x", c.view(storage, "f32", 0, {2}))}}));
  };
  proves(text(0));
  is_unreadable(text(1), "a storage of the trace");
}

}  // namespace hostile_splits_test
