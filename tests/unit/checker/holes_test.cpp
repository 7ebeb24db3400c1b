// Texts that an earlier checker took for proofs, or that kept it from answering, each beside its honest twin.
#include <chrono>

#include "checker/check.h"
#include "tests/unit/checker/hand_text.h"

namespace holes_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

/// Both graphs return an input of this shape.
std::string returned(HandText& c, const Num& before, const Num& after) {
  const auto trace = [&](const Num& size) {
    const auto x = c.view(0, "f32", 0, {size});
    return c.trace(
        {.storages = {c.storage(0, {size}, 0, "x")}, .inputs = {c.input("x", x)}, .outputs = {c.output(x)}});
  };
  return c.text(trace(before), trace(after));
}

std::string symbol(const std::string& least, const std::string& most, const std::string& value) {
  return joined({"1:s", least, most, value});
}

/// A number that is made of itself, over and over.
std::string repeated(HandText& c, std::size_t count, const auto& next) {
  std::string out = c.number("s 1:s");
  for (std::size_t k = 0; k < count; ++k) out = c.number(next(out));
  return out;
}

/// y := f(x), y returned, with these lemmas.
std::string called(const Words& lemmas) {
  HandText c;
  c.lemmas = lemmas;
  const auto x = c.view(0, "f32", 0, {4}), y = c.view(1, "f32", 0, {4});
  const auto trace = c.trace({.storages = {c.storage(0, {4}, 0, "x"), c.storage(1, {4}, 0, "y")},
                              .inputs = {c.input("x", x)},
                              .steps = {c.step({.key = "f", .reads = {x}, .writes = {y}})},
                              .outputs = {c.output(y)}});
  return c.text(trace, trace);
}

double seconds(const std::string& text, checker::Answer& answer) {
  const auto start = std::chrono::steady_clock::now();
  Space space;
  answer = checker::check(text, space);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

TEST_CASE("a symbol that is not declared has no range, not any", "[holes]") {
  HandText c;
  const std::string bare = returned(c, "s 1:s", "s 1:s");
  is_unreadable(bare, "a symbol that was declared");
  HandText declared;
  declared.symbols = {symbol("0", "0", "3")};
  proves(returned(declared, "s 1:s", "s 1:s"));
}

TEST_CASE("two functions of sizes are two, whatever their names hold", "[holes]") {
  HandText c;
  const std::string zero = c.number(0);
  const Num plain = "f 3:x:0 0", of_zero = "f 1:x 1 " + zero;
  proves(returned(c, plain, plain));
  HandText d;
  d.number(0);
  const std::string text = returned(d, plain, of_zero);
  Space space;
  CHECK(checker::check(text, space).said == checker::Answer::Said::not_proved);
  Space both;
  CHECK(both.opaque("x:0", {}) != both.opaque("x", {0}));
  CHECK(both.opaque("x", {0}) != both.opaque("x", {0, 0}));
  CHECK(both.opaque("1", {0}) != both.opaque("", {0}));
  CHECK(both.opaque("x", {0}) == both.opaque("x", {0}));
}

TEST_CASE("a quotient means a number where its divisor is shown to be positive", "[holes]") {
  const auto text = [](const char* least, const char* value, bool divides) {
    HandText c;
    c.symbols = {symbol(least, "1 6", value)};
    const Num by = "s 1:s";
    const std::string of = c.number(24), s = c.number(by);
    const Num size = divides ? Num("q " + of + " " + s) : Num(by);
    return returned(c, size, size);
  };
  proves(text("1 1", "6", true));
  proves(text("1 0", "6", false));
  const std::string open = "a divisor is not shown to be positive";
  proves_nothing(text("1 0", "6", true), open);
  proves_nothing(text("1 -12", "6", true), open);
  proves_nothing(text("0", "6", true), open);
}

TEST_CASE("also inside of other numbers, and where a rule makes something simpler of it", "[holes]") {
  HandText c;
  c.symbols = {symbol("1 -3", "1 6", "2")};
  const std::string s = c.number("s 1:s"), two = c.number(2), half = c.number("q " + two + " " + s);
  proves_nothing(returned(c, "p 1 3 1 " + half, "p 1 3 1 " + half), "a divisor is not shown to be positive");
  HandText d;
  d.symbols = c.symbols;
  const std::string t = d.number("s 1:s"), twice = d.number("p 1 2 1 " + t);
  is_unreadable(returned(d, "q " + twice + " " + t, 2), kNormal);  // 2, but for s = 0
}

TEST_CASE("numbers that are nested or squared over and over take no time", "[holes]") {
  const auto quotients = [](std::size_t count, bool squared) {
    HandText c;
    c.symbols = {symbol("1 1", "0", "2")};
    const std::string two = c.number(2);
    const Num size = "q " +
                     repeated(c, count,
                              [&](const std::string& at) {
                                const std::string half = "q " + at + " " + two;
                                return squared ? "p 1 1 2 " + c.number(half) + " " + c.number(half) : half;
                              }) +
                     " " + two;
    return returned(c, size, size);
  };
  proves(quotients(20, false));
  checker::Answer answer;
  CHECK(seconds(quotients(40, true), answer) < 1);
  CHECK(answer.said != checker::Answer::Said::unreadable);
  CHECK(seconds(quotients(2'000, false), answer) < 5);
  CHECK(answer.said == checker::Answer::Said::unreadable);
}

TEST_CASE("no text asks for more work than its size allows", "[holes]") {
  HandText c;
  c.symbols = {symbol("1 1", "1 64", "2")};
  for (int k = 0; k < 60; ++k)
    c.symbols.push_back("2:t" + std::string(1, static_cast<char>('0' + k)) + " 1 1 1 9 1");
  std::string sum = "p 60";
  for (int k = 0; k < 60; ++k)
    sum += " 1 1 " + c.number("s 2:t" + std::string(1, static_cast<char>('0' + k)));
  std::string power = c.number(sum);
  for (int k = 0; k < 4000; ++k)
    power = c.number("p 2 " + std::to_string(k + 1) + " 2 " + power + " " + c.number(sum) + " 1 0");
  checker::Answer answer;
  CHECK(seconds(returned(c, 1, 1), answer) < 10);
  CHECK(answer.said != checker::Answer::Said::proved);
}

TEST_CASE("an extent far below 0 has no index", "[holes]") {
  for (const char* least : {"4611686018427387904", "1"}) {
    HandText c;
    c.symbols = {joined({"1:s 1", least, "0", least})};
    const std::string s = c.number("s 1:s"), extent = c.number("p 1 -2 1 " + s);
    c.number("i 3 " + extent);
    proves(returned(c, 4, 4));
  }
  Space space;
  space.range("s", std::int64_t{1} << 62, std::nullopt);
  CHECK(space.index(3, space.scale(space.symbol("s"), -2)) != Space::kBad);
}

TEST_CASE("what a lemma or a line does not use is 0, and no lemma is given twice in a row", "[holes]") {
  const std::string good = "0 0 0 0 0 0", unused = "0 where a lemma uses nothing";
  proves(called({good}));
  for (const char* bad : {"0 0 1 0 0 0", "0 0 0 0 1 0", "0 0 0 0 0 1 0", "1 0 0 0 0 1 0", "2 1 1 1 1 0"})
    is_unreadable(called({bad}), unused);
  is_unreadable(called({good, good}), "another lemma");
  proves_nothing(called({good, "1 0 0 0 0 0"}), checker::kSurplus);
}

TEST_CASE("a name means what was there before it is read", "[holes]") {
  const auto text = [](const std::string& time) {
    HandText c;
    const auto x = c.view(0, "f32", 0, {4}), y = c.view(1, "f32", 0, {4});
    std::string step = c.step({.key = "f", .reads = {x}, .writes = {y}});
    step.replace(step.size() - 3, 1, "1 " + time);
    return c.text("", c.trace({.storages = {c.storage(0, {4}, 0, "x"), c.storage(1, {4}, 0, "y")},
                               .inputs = {c.input("x", x)},
                               .steps = {step}}));
  };
  proves(text("0"));
  is_unreadable(text("1"), "a time before");
}

}  // namespace holes_test
