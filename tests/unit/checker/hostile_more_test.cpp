// More texts that lie: numbers that overflow, and witnesses of what does not differ.
#include "tests/unit/checker/hand_text.h"

namespace hostile_more_test {

using namespace noclobber::testing;

namespace {

/// Negates y of shape b into o of shape a, which is seen as b.
std::string reshaped(const Nums& a, const Nums& b, const Words& groups) {
  HandText c;
  const auto trace =
      c.trace({.storages = {c.storage(0, a, 0, "x"), c.storage(1, a, 0, "o"), c.storage(0, b, 0, "y")},
               .inputs = {c.input("x", c.view(0, "f32", 0, a)), c.input("y", c.view(2, "f32", 0, b))},
               .steps = {c.step({.key = "neg",
                                 .reads = {c.view(2, "f32", 0, b)},
                                 .writes = {c.view(1, "f32", 0, b, {c.reshape(a, b, groups)})},
                                 .elementwise = true})},
               .outputs = {c.output(c.view(1, "f32", 0, a))}});
  return c.text(trace, trace);
}

/// Two elements from `start` of what f made are cleared, in both graphs.
std::string cleared(const Num& start, bool both) {
  HandText c;
  c.symbols = {"1:s 1 0 0 5"};
  c.number("s 1:s");  // number 0
  const auto row = [&](int storage) { return c.view(storage, "f32", 0, {8}); };
  const auto trace = [&](const Num& first) {
    const auto part = c.view(1, "f32", 0, {2}, {c.affine({8}, {2}, {first}, {{0, 0, 1}})});
    return c.trace(
        {.storages = {c.storage(0, {8}, 0, "x"), c.storage(1, {8}, 0, "o")},
         .inputs = {c.input("x", row(0))},
         .steps = {c.step({.key = "f", .reads = {row(0)}, .writes = {row(1)}, .elementwise = true}),
                   c.fill("0", part, 1)},
         .outputs = {c.output(row(1))}});
  };
  return c.text(trace(start), trace(both ? start : Num(3)));
}

/// f of the first two elements of x, one element of which was cleared before in `after`.
std::string f_of_part(std::int64_t element, bool lemma, const std::string& refutation) {
  HandText c;
  if (lemma) c.lemmas = {"0 0 0 1 0 0"};
  c.refutation = refutation;
  const auto part = [&](std::int64_t start, std::int64_t length) {
    return c.view(0, "f32", 0, {length}, {c.affine({4}, {length}, {start}, {{0, 0, 1}})});
  };
  const auto out = c.view(1, "f32", 0, {2});
  const auto trace = [&](bool clears) {
    const auto f = c.step({.key = "f", .reads = {part(0, 2)}, .writes = {out}, .origin = clears ? 1 : 0});
    return c.trace({.storages = {c.storage(0, {4}, 0, "in"), c.storage(1, {2}, 0, "o")},
                    .inputs = {c.input("x", c.view(0, "f32", 0, {4}))},
                    .steps = clears ? Words{c.fill("0", part(element, 1)), f} : Words{f},
                    .outputs = {c.output(out)}});
  };
  return c.text(trace(false), trace(true));
}

/// f of x into elements of so many bytes; 0: as a whole.
std::string of_widths(int before, int after, const std::string& key, const std::string& lemma,
                      const std::string& refutation = "0") {
  HandText c;
  if (!lemma.empty()) c.lemmas = {lemma};
  c.refutation = refutation;
  const auto trace = [&](int lanes, const std::string& op) {
    const auto x = c.view(0, "f32", 0, {2}), out = c.view(1, "f32", lanes, {2});
    return c.trace({.storages = {c.storage(0, {2}, 0, "x"), c.storage(1, {2}, lanes, "o")},
                    .inputs = {c.input("x", x)},
                    .steps = {c.step({.key = op, .reads = {x}, .writes = {out}})},
                    .outputs = {c.output(out)}});
  };
  return c.text(trace(before, "f"), trace(after, key));
}

/// x goes through t into o, of which bytes are shown; t has so many bytes in an element.
std::string moved(int before, int after, bool cleared, const std::string& refutation) {
  HandText c;
  c.refutation = refutation;
  const auto trace = [&](int lanes, bool clears) {
    const auto x = c.view(0, "f32", 4, {1}), t = c.view(1, "f32", lanes, {1}), o = c.view(2, "f32", 4, {1});
    const auto bytes = c.view(2, "u8", 1, {4}, {c.reshape({1, 4}, {4, 1}, {"2 1", "2 2"})});
    return c.trace(
        {.storages = {c.storage(0, {1}, 4, "x"), c.storage(1, {1}, lanes, "t"), c.storage(1, {1}, 4, "o")},
         .inputs = {c.input("x", x)},
         .steps = {c.move(t, x), clears ? c.fill("0", o, 1) : c.move(o, t, 1)},
         .outputs = {c.output(bytes)}});
  };
  return c.text(trace(before, false), trace(after, cleared));
}

/// x through g and f, which have one f32 for each of four bytes, and an operator of each into u, the bytes of
/// o; `other`: byte 1 of element 0 of g is another one then.
std::string of_bytes(bool other, bool shows_o) {
  HandText c;
  const Nums four{1, 4};
  const auto trace = [&](bool writes) {
    const auto x = c.view(0, "f32", 4, four), f = c.view(1, "f32", 0, four), u = c.view(2, "u8", 0, four);
    const auto g = c.view(4, "f32", 4, four);
    const auto o = c.view(3, "u8", 1, four, {c.reshape(four, {1, 4, 1}, {"1 1", "2 2", "2 3"})});
    const auto byte = c.view(4, "u8", 1, {1}, {c.affine({1, 4, 4}, {1, 1}, {0, 0, 1}, {})});
    Words steps{c.move(g, x)};
    if (writes) steps.push_back(c.fill("7", byte, 1));
    steps.push_back(c.move(f, g, 2));
    steps.push_back(c.step({.key = "q", .reads = {f}, .writes = {u}, .origin = 3, .elementwise = true}));
    steps.push_back(c.move(o, u, 4));
    return c.trace(
        {.storages = {c.storage(0, four, 4, "x"), c.storage(1, four, 0, "f"), c.storage(1, four, 0, "u"),
                      c.storage(1, {1}, 4, "o"), c.storage(1, four, 4, "g")},
         .inputs = {c.input("x", x)},
         .steps = steps,
         .outputs = {c.output(shows_o ? c.view(3, "f32", 4, {1}) : u)}});
  };
  return c.text(trace(false), trace(other));
}

}  // namespace

TEST_CASE("a byte of what is shown is no byte of what it was made of", "[hostile]") {
  proves(of_bytes(false, false));
  proves_nothing(of_bytes(true, false), kOneOpen);
  proves_nothing(of_bytes(true, true), kOneOpen);
}

TEST_CASE("a place that overflows is no place", "[hostile]") {
  constexpr std::int64_t huge = std::int64_t{1} << 62;
  proves(reshaped({2, 3}, {2, 3}, {"1 1", "2 2"}));
  proves(reshaped({2, huge}, {2, huge}, {"1 1", "2 2"}));
  proves_nothing(reshaped({2, huge, huge}, {huge, huge, 2}, {"3 3"}), kOneOpen);
  is_unreadable(reshaped({2, huge, huge}, {huge, huge, 2}, {"2 2", "3 3"}), "a count of elements");
}

TEST_CASE("a fact that overflows is no fact", "[hostile]") {
  proves(cleared(3, true));
  proves_nothing(cleared(4, false), kOneOpen);
  const auto from_s = [](const std::string& far) { return cleared("p 2 " + far + " 0 1 1 0", true); };
  for (const char* far : {"-4", "-9223372036854775806", "9223372036854775807"}) proves(from_s(far));
  proves_nothing(from_s("-9223372036854775807"), kOneOpen);
  is_unreadable(from_s("-9223372036854775808"), kNormal);
}

TEST_CASE("the element on a witness's path lies in its operand", "[hostile]") {
  proves(f_of_part(3, true, "0"));
  proves_nothing(f_of_part(1, true, "0"), "a lemma is not shown: two contents differ");
  refutes(f_of_part(1, false, "1 4 0 0 0 1 0 0 1 0 1 1 0"));
  for (const char* element : {"1 3", "1 -1", "0", "2 0 0", "1 0"})
    for (const std::int64_t cleared : {1, 3})
      proves_nothing(f_of_part(cleared, false, std::string("1 4 0 0 0 1 0 0 1 0 ") + element + " 0"),
                     kNothing);
  proves_nothing(f_of_part(1, false, "1 4 0 0 0 1 0 0 1 1 1 1 0"), kNothing);  // there is no such operand
}

TEST_CASE("a whole element is each of its bytes", "[hostile]") {
  proves(of_widths(0, 4, "f", "0 0 0 0 0 0"));
  proves(of_widths(4, 0, "f", "0 0 0 0 0 0"));
  proves_nothing(of_widths(0, 4, "f", ""), kOneOpen);
  const std::string at_0 = "1 4 0 0 0 1 0 0 0 0";
  proves_nothing(of_widths(0, 4, "f", "", at_0), kNothing);
  proves_nothing(of_widths(4, 0, "f", "", at_0), kNothing);
  refutes(of_widths(0, 4, "g", "", at_0));
  refutes(of_widths(4, 4, "g", "", at_0));
}

TEST_CASE("a whole element is none of its bytes alone", "[hostile]") {
  HandText c;
  c.lemmas = {"0 0 0 0 0 0"};
  const auto trace = [&](int lanes, const std::string& out) {
    const auto x = c.view(0, "f32", 0, {1});
    return c.trace({.storages = {c.storage(0, {1}, 0, "x"), c.storage(1, {1}, lanes, "o")},
                    .inputs = {c.input("x", x)},
                    .steps = {c.step({.key = "f", .reads = {x}, .writes = {c.view(1, "f32", lanes, {1})}})},
                    .outputs = {c.output(out)}});
  };
  const auto byte_2 = c.view(1, "u8", 1, {1}, {c.affine({1, 4}, {1, 1}, {0, 2}, {})});
  const auto whole = c.view(1, "f32", 0, {1});
  proves_nothing(c.text(trace(0, whole), trace(4, byte_2)), "2 obligations are open");  // its type, too
  proves_nothing(c.text(trace(4, byte_2), trace(0, whole)), "2 obligations are open");
}

TEST_CASE("what is only moved between widths is what it was", "[hostile]") {
  const std::string byte_2 = "1 4 0 0 0 1 2 0 0 0";
  proves(moved(4, 4, false, "0"));
  proves(moved(0, 0, false, "0"));
  proves(moved(0, 4, false, "0"));
  proves_nothing(moved(0, 4, false, byte_2), kNothing);
  proves_nothing(moved(4, 0, false, byte_2), kNothing);
  refutes(moved(0, 4, true, byte_2));
  refutes(moved(4, 4, true, byte_2));
}

TEST_CASE("a byte that runs may be any of an element's bytes", "[hostile]") {
  const auto text = [](const std::string& index) {
    HandText c;
    c.refutation = "1 4 0 0 0 1 " + index + " 0 0 0";
    const auto x = c.view(0, "f32", 4, {4});
    const auto bytes =
        c.view(0, "u8", 1, {4}, {c.affine({4, 4}, {4, 1}, {0, 0}, {{0, 1, 1}})});  // of element 0
    const auto trace = [&](const std::string& out) {
      return c.trace(
          {.storages = {c.storage(0, {4}, 4, "x")}, .inputs = {c.input("x", x)}, .outputs = {c.output(out)}});
    };
    return c.text(trace(x), trace(bytes));
  };
  proves_nothing(text("0"), kNothing);
  refutes(text("1"));
}

TEST_CASE("inputs that are one for the symbols' values are no witness", "[hostile]") {
  for (const char* value : {"3", "4"}) {
    HandText c;
    c.symbols = {"1:s 0 0 3", std::string("1:t 0 0 ") + value};
    const auto trace = [&](const char* size) {
      return c.trace({.storages = {c.storage(0, {size}, 0, "x")},
                      .inputs = {c.input("x", c.view(0, "f32", 0, {size}))}});
    };
    const auto before = trace("s 1:s"), after = trace("s 1:t");
    proves_nothing(c.text(before, after), kOneOpen);
    c.refutation = "1 2 0 0 0 0 0 0 0";
    *value == '4' ? refutes(c.text(before, after)) : proves_nothing(c.text(before, after), kNothing);
  }
}

TEST_CASE("a placement without a storage, where there are none", "[hostile]") {
  const auto text = [](std::int64_t size, const std::string& storage) {
    HandText c;
    const auto placement = "1:a 0 " + c.number(0) + " " + c.number(size) + " 0 4 " + storage + " 0";
    return c.text("", c.trace({.storages = {}, .arenas = c.numbers({64}), .placements = {placement}}));
  };
  proves(text(16, "0"));
  proves(text(64, "0"));
  proves_nothing(text(65, "0"), kOneOpen);
  is_unreadable(text(16, "1 0"), "a storage of the trace");
}

}  // namespace hostile_more_test
