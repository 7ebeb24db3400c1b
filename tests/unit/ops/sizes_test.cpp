// What ranges and relations of a dump become: facts about polynomials, each at its bound and just beyond it.
#include "src/ops/sizes.h"
#include "src/certify/nonnegative.h"
#include "tests/catch.h"
#include "tests/support/sample.h"

namespace sizes_test {

using namespace noclobber;

namespace {

/// Symbols s, t and u under some relations.
struct Known {
  Space space = searching_space();
  Sizes sizes{space};
  explicit Known(const std::map<std::string, SymbolRange>& symbols,
                 const std::vector<std::string>& assume = {}) {
    std::vector<SymRelation> relations;
    for (const std::string& text : assume) {
      const auto relation = parse_relation(text);
      REQUIRE(relation);
      relations.push_back(*relation);
    }
    sizes.declare(symbols, relations);
  }
  PolyId of(std::string_view text) {
    const auto expression = parse_sym(text);
    REQUIRE(expression);
    return sizes.of(*expression);
  }
  std::string text(std::string_view expression) { return size_text(space, of(expression)); }
  bool holds(std::string_view expression) { return space.nonnegative(of(expression)); }
};

SymbolRange range(std::int64_t min, std::optional<std::int64_t> max = std::nullopt, std::int64_t unit = 1) {
  SymbolRange out;
  out.min = min, out.max = max, out.multiple_of = unit;
  return out;
}

}  // namespace

TEST_CASE("a range says its bounds and no more") {
  Known known({{"s", range(3, 9)}, {"t", range(-2)}, {"u", range(0, 0)}, {"w", range(4, 4)}});
  CHECK(known.holds("s - 3"));
  CHECK_FALSE(known.holds("s - 4"));
  CHECK(known.holds("9 - s"));
  CHECK_FALSE(known.holds("8 - s"));
  CHECK(known.holds("t + 2"));
  CHECK_FALSE(known.holds("t + 1"));
  CHECK_FALSE(known.holds("1000 - t"));
  CHECK(known.of("u") == 0);
  CHECK(known.space.value(known.of("w + u")) == 4);
}

TEST_CASE("a symbol that is a multiple is a unit times another one") {
  Known known(
      {{"s", range(5, 11, 4)}, {"t", range(8, 11, 4)}, {"u", range(-8, 8, 4)}, {"w", range(4, 12, 4)}});
  CHECK(known.space.value(known.of("Mod(s, 4)")) == 0);
  CHECK(known.holds("s - 8"));
  CHECK_FALSE(known.holds("s - 9"));
  CHECK(known.holds("8 - s"));
  CHECK(known.holds("t - 8"));
  CHECK_FALSE(known.holds("t - 12"));
  CHECK(known.text("u") == "u");  // of negative ones nothing is said
  CHECK(known.holds("u + 8"));
  CHECK(known.holds("12 - w"));
  CHECK_FALSE(known.holds("11 - w"));
  CHECK(known.text("w // 4") == "w/4");
}

TEST_CASE("Mod(s, n) == 0 says that s is a multiple, and nothing else does") {
  const std::map<std::string, SymbolRange> all{{"s", range(0)}, {"t", range(0)}};
  CHECK(Known(all, {"Eq(Mod(s, 2), 0)"}).text("s") == "2*s/2");
  for (const char* text : {"Eq(Mod(s, 2), 1)", "Mod(s, 2) < 1", "Ne(Mod(s, 2), 0)", "Mod(s, 2) <= 0",
                           "Eq(Mod(s, t), 0)", "Eq(Mod(2*s, 4), 0)"}) {
    INFO(text);
    CHECK(Known(all, {text}).text("s") == "s");
  }
  CHECK(Known({{"s", range(0, std::nullopt, 6)}}, {"Eq(Mod(s, 2), 0)"}).text("s") == "6*s/6");
  CHECK(Known(all, {"Eq(Mod(s, 2), 0)", "Eq(Mod(s, 1), 0)"}).text("s") == "2*s/2");
}

TEST_CASE("what is the sum of multiples is a multiple") {
  const std::map<std::string, SymbolRange> all{{"s", range(2)}, {"t", range(0)}};
  Known halved(all, {"Eq(2*((s - 1)//2) + 2, s)"});  // a picture that is halved, doubled, and met again
  CHECK(halved.text("s") == "2*s/2");
  CHECK(halved.text("2*((s - 1)//2) + 2 - s") == "0");
  CHECK(Known(all, {"Eq(s, 4*((s + 3)//4))", "Eq(6*((s + 5)//6), s)"}).text("s") == "12*s/12");
  for (const char* text :
       {"Eq(2*((s - 1)//2) + 1, s)", "Eq(2*((s - 1)//2) + 2*t, 3*s)", "Eq(2*((s - 1)//2)*s, s)",
        "2*((s - 1)//2) + 2 <= s", "Eq(2*((s - 1)//2) + 3*(t//2), s)"}) {
    INFO(text);
    CHECK(Known(all, {text}).text("s") == "s");
  }
}

TEST_CASE("what all of an equality is multiplied by says nothing, unless it may be 0") {
  const std::map<std::string, SymbolRange> all{{"s", range(2)}, {"t", range(1)}, {"u", range(0)}};
  CHECK(Known(all, {"Eq(s*t, 2*t*(s//2))"}).text("s") == "2*s/2");
  CHECK(Known(all, {"Eq(s*t*t, 2*t*t*(s//2))"}).text("s") == "2*s/2");
  CHECK(Known(all, {"Eq(s*u, 2*u*(s//2))"}).text("s") == "s");
  CHECK(Known(all, {"Eq(s*t, 2*(s//2))"}).text("s") == "s");
}

TEST_CASE("where a size divided says where it lies") {
  const std::map<std::string, SymbolRange> all{{"s", range(2)}};
  CHECK(Known(all, {"Eq(s//2, 4)", "Eq(Mod(s, 2), 0)"}).text("s") == "8");
  CHECK(Known(all, {"Eq(s//2, 4)", "Eq(Mod(s, 2), 0)"}).text("s//(s//2)") == "2");
  Known open(all, {"Eq(s//2, 4)"});
  CHECK(open.text("s") == "s");
  CHECK((open.holds("s - 8") && open.holds("9 - s")));
  CHECK_FALSE((open.holds("s - 9") || open.holds("8 - s")));
  CHECK_FALSE(Known(all, {"Eq(s//(-2), 4)"}).holds("9 - s"));
}

/// siglip with dynamic sizes: the square of the patches along a side is the number of positions.
TEST_CASE("where the power of a size divided says where it lies, the quotient is a number") {
  const std::map<std::string, SymbolRange> all{{"s", range(8)}, {"t", range(-9)}};
  Known square(all, {"Eq((s//8)**2, 16)"});
  CHECK(square.text("s//8") == "4");
  CHECK(square.text("(s//8)**2*s") == "16*s");
  CHECK(square.text("s//16") == "2");
  CHECK(square.text("(s - 1)//8") == "-1+((7+s)//(8))");  // 3 or 4
  CHECK((square.holds("s - 32") && square.holds("39 - s")));
  CHECK_FALSE((square.holds("s - 33") || square.holds("38 - s")));
  CHECK(Known(all, {"Eq(16, (s//8)*(s//8))"}).text("s//8") == "4");
  CHECK(Known(all, {"Eq((s + 3)//8, 4)"}).text("(s + 3)//8") == "4");
  CHECK(Known(all, {"Eq((s//8)**3, 27)"}).text("s//8") == "3");
  for (const char* open : {"Eq((s//8)**2, 15)", "Eq((s//8)**2, s)", "Eq((s//8)*(s//4), 16)",
                           "Eq(2*(s//8)**2, 16)", "(s//8)**2 <= 16", "Eq((s//8)**2, -16)"})
    CHECK(Known(all, {open}).text("s//8") == "((s)//(8))");
  CHECK(Known(all, {"Eq((t//8)**2, 1)"}).text("t//8") == "((t)//(8))");  // -1 as well
}

/// Lengths behind strided slices and convolutions, one after the other.
TEST_CASE("the quotient of a quotient by numbers is one quotient") {
  Known known({{"s", range(2)}, {"t", range(2)}, {"u", range(4, 5)}});
  CHECK(known.text("(s//2)//2") == known.text("s//4"));
  CHECK(known.text("((s + 1)//2 + 3)//4") == known.text("(s + 7)//8"));
  CHECK(known.text("((s//3 + t)//5)//2") == known.text("(s + 3*t)//30"));
  CHECK(known.text("(((s//80) - 3)//2 - 1)//2 + 1") == known.text("(s - 240 - 160 + 320)//320"));
  CHECK(known.text("Mod(s//2, 4)") == known.text("s//2 - 4*(s//8)"));
  CHECK(known.text("u//4 + (u//2)//2") == "2");
  CHECK(known.text("(2*(s//3))//2") == known.text("s//3"));
  // Each of these is another number for some s and t.
  const std::pair<const char*, const char*> others[] = {{"(2*(s//3))//4", "s//3"},
                                                        {"(s//2)//3", "s//5"},
                                                        {"(s//2 + 1)//2", "(s + 1)//4"},
                                                        {"(s//t)//2", "s//2"}};
  for (const auto& [one, other] : others) CHECK(known.text(one) != known.text(other));
}

/// wav2vec2 with dynamic sizes: a waveform through seven convolutions.
TEST_CASE("where a quotient of quotients lies, the size lies") {
  const std::map<std::string, SymbolRange> all{{"s", range(2)}, {"b", range(2)}};
  const std::string length = "(((s//80) - 3)//2 - 1)//2 + 1";
  Known audio(all, {length + " > 1"});
  CHECK((audio.holds("s - 720") && audio.holds(length + " - 2") && audio.holds("b*(" + length + ") - 4")));
  CHECK_FALSE(
      (audio.holds("s - 721") || audio.holds(length + " - 3") || audio.holds("b*(" + length + ") - 5")));
  CHECK(audio.text("(32*b*(" + length + "))//(8*b*(" + length + "))") == "4");
  Known brief(all, {length + " <= 3"});
  CHECK((brief.holds("1359 - s") && brief.holds("3 - (" + length + ")")));
  CHECK_FALSE((brief.holds("1358 - s") || brief.holds("2 - (" + length + ")")));
  Known three(all, {"Eq(2*((s - 1)//4), 6)"});
  CHECK((three.holds("s - 13") && three.holds("16 - s")));
  CHECK_FALSE((three.holds("s - 14") || three.holds("15 - s")));
  CHECK_FALSE(Known(all, {"s//b < 3"}).holds("16 - s"));
}

/// mpt with dynamic sizes: the last s of 2048 positions.
TEST_CASE("what a size and another have as their maximum is not the lesser") {
  const std::map<std::string, SymbolRange> all{{"s", range(2)}, {"t", range(2)}};
  Known last(all, {"Eq(s, 2048 - Max(0, 2048 - s))"});
  CHECK(last.text("2048 - Max(0, 2048 - s)") == "s");
  CHECK((last.holds("2048 - s") && last.holds("s - 2")));
  CHECK_FALSE((last.holds("2047 - s") || last.holds("s - 3")));
  CHECK(Known(all, {"Eq(Max(s, 9), s)"}).text("Max(9, s)") == "s");
  CHECK(Known(all, {"Eq(Min(s, 9), s)"}).holds("9 - s"));
  CHECK(Known(all, {"Eq(9, Min(9, s))"}).holds("s - 9"));
  for (const char* open :
       {"Eq(s, 2048 - Max(0, 2047 - s))", "Eq(s, 2048 - Max(t, 2048 - s))",
        "Eq(s, 2048 - 2*Max(0, 2048 - s))", "s <= 2048 - Max(0, 2048 - s)", "Eq(s, t - Max(0, 2048 - s))"})
    CHECK_FALSE(Known(all, {open}).holds("2048 - s"));
}

/// vits with dynamic sizes: as many positions more than the 5 that it knows.
TEST_CASE("what exceeds a number that one of two does not is the other") {
  const std::map<std::string, SymbolRange> all{{"s", range(2)}, {"t", range(2)}};
  Known more(all, {"Max(0, s - 5) > 0"});
  CHECK((more.text("Max(0, s - 5)") == "-5+s" && more.text("Max(0, 5 - s)") == "0"));
  CHECK((more.holds("s - 6") && !more.holds("s - 7")));
  CHECK(Known(all, {"Max(3, s) > 7"}).holds("s - 8"));
  CHECK(Known(all, {"Min(9, s) < 7"}).holds("6 - s"));
  for (const char* open : {"Max(8, s) > 7", "Max(t, s) > 7", "Max(3, s) >= 3", "Min(6, s) < 7",
                           "Min(9, s) > 1", "Max(0, s - 5) < 9"})
    CHECK_FALSE((Known(all, {open}).holds("s - 3") || Known(all, {open}).holds("1000 - s")));
}

TEST_CASE("a count of pieces bounds what is cut, and no more") {
  const std::map<std::string, SymbolRange> all{{"s", range(2)}, {"t", range(1)}};
  Known three(all, {"Eq((s + t - 1)//t, 3)"});
  CHECK(three.holds("s - 2*t - 1"));
  CHECK_FALSE(three.holds("s - 2*t - 2"));
  CHECK(three.holds("3*t - s"));
  CHECK_FALSE(three.holds("3*t - s - 1"));
  CHECK_FALSE(Known(all, {"(s + t - 1)//t <= 3"}).holds("s - 2*t - 1"));
}

TEST_CASE("what is at least 0 and not 0 is at least 1") {
  const std::map<std::string, SymbolRange> all{{"s", range(0)}, {"t", range(0)}};
  CHECK(Known(all, {"s - t >= 0", "Ne(s - t, 0)"}).holds("s - t - 1"));
  CHECK(Known(all, {"Ne(s - t, 1)", "Ne(s, t)", "t <= s"}).holds("s - t - 2"));
  CHECK_FALSE(Known(all, {"s - t >= 0", "Ne(s - t, 0)"}).holds("s - t - 2"));
  CHECK_FALSE(Known(all, {"s - t >= 0", "Ne(s - t, 1)"}).holds("s - t - 1"));
  CHECK_FALSE(Known(all, {"s - t >= 0", "Ne(s, 0)"}).holds("s - t - 1"));
}

TEST_CASE("a relation holds at its bound and not beyond it") {
  const std::map<std::string, SymbolRange> all{{"s", range(0)}, {"t", range(0)}};
  Known less(all, {"s < t"}), at_most(all, {"s <= t"}), other(all, {"Ne(s, t)"});
  CHECK(less.holds("t - s - 1"));
  CHECK_FALSE(less.holds("t - s - 2"));
  CHECK(at_most.holds("t - s"));
  CHECK_FALSE(at_most.holds("t - s - 1"));
  CHECK_FALSE(other.holds("t - s"));
  CHECK_FALSE(other.holds("s - t"));
}

TEST_CASE("an equality gives a symbol in terms of the others, and its range stays a fact") {
  const std::map<std::string, SymbolRange> all{{"s", range(2, 7)}, {"t", range(0, 100)}};
  Known sum(all, {"Eq(s + t, 10)"});
  CHECK(sum.of("s + t") == sum.space.constant(10));
  CHECK(sum.holds("8 - t"));
  CHECK_FALSE(sum.holds("7 - t"));
  CHECK(sum.holds("t - 3"));
  CHECK_FALSE(sum.holds("t - 4"));
  Known twice(all, {"Eq(2*s, 4*t)"});
  CHECK(twice.of("s") == twice.of("2*t"));
  CHECK(twice.holds("t - 1"));
  CHECK_FALSE(twice.holds("t - 2"));
  Known uneven(all, {"Eq(2*s, 3*t)"});  // neither is a whole multiple of the other
  CHECK(uneven.text("s") == "s");
  CHECK(uneven.text("t") == "t");
  CHECK(uneven.holds("2*s - 3*t"));
  CHECK(uneven.holds("3*t - 2*s"));
  Known squared(all, {"Eq(s, t*t)"});
  CHECK(squared.of("s") == squared.of("t*t"));
  Known itself({{"s", range(1)}, {"t", range(0)}}, {"Eq(s*t, s)"});  // it stands in a product as well
  CHECK(itself.text("s") == "s");
  Known both(all, {"Eq(s, t)", "Eq(s, t + 0)"});
  CHECK(both.of("s") == both.of("t"));
  Known at_most(all, {"s <= t"});
  CHECK(at_most.of("s") != at_most.of("t"));
}

TEST_CASE("from 0 < a * b and 0 < a follows 0 < b") {
  const std::map<std::string, SymbolRange> all{{"s", range(1)}, {"t", range(-5, 50)}, {"u", range(0)}};
  CHECK(Known(all, {"0 < s*t"}).holds("t - 1"));
  CHECK(Known(all, {"0 < s*t"}).holds("50 - t"));
  CHECK_FALSE(Known(all, {"0 < s*t"}).holds("t - 2"));
  CHECK_FALSE(Known(all, {"0 <= s*t"}).holds("t - 1"));
  CHECK_FALSE(Known(all, {"0 < u*t"}).holds("t - 1"));
  CHECK_FALSE(Known(all, {"0 < -s*t"}).holds("t - 1"));
  CHECK_FALSE(Known(all, {"0 < s*t + 1"}).holds("t - 1"));
  CHECK_FALSE(Known(all, {"1 < s*t*u"}).holds("t - 1"));
}

TEST_CASE("functions of sizes are what they are where it can be told") {
  Known known({{"s", range(4)}, {"t", range(0, 4)}, {"u", range(0)}});
  CHECK(known.of("Min(s, t)") == known.of("t"));
  CHECK(known.of("Max(s, t)") == known.of("s"));
  CHECK(known.of("Min(t, s)") == known.of("t"));
  CHECK(known.of("Max(t, s)") == known.of("s"));
  CHECK(known.of("Min(s, u)") == known.of("Min(u, s)"));
  CHECK(known.of("Min(s, u)") != known.of("Max(s, u)"));
  CHECK(known.text("s**2") == known.text("s*s"));
  CHECK(known.text("s**0") == "1");
  CHECK(Known({{"s", range(4)}, {"t", range(0, 0)}}).text("s**t") == "1");
  CHECK(known.of("s**8") == known.of("s*s*s*s*s*s*s*s"));
  CHECK(known.text("s**9") == "pow(s, 9)");
  CHECK(known.text("2**u") == "pow(2, u)");
  CHECK(known.of("(4*s) // 2") == known.of("2*s"));
  CHECK(known.space.value(known.of("Mod(4*s, 2)")) == 0);
  CHECK(known.text("s // u") == "div(s, u)");
  CHECK(known.text("Mod(s, u)") == "mod(s, u)");
  CHECK(known.text("f(s, t + 1)") == "f(s, 1+t)");
  CHECK(known.text("f(s, t)") != known.text("f(t, s)"));
  CHECK(known.of("9223372036854775807*s + 9223372036854775807*s") == Space::kBad);
}

TEST_CASE("sizes as people read them") {
  Known known({{"s", range(4)}, {"t", range(1)}, {"u", range(0)}});
  CHECK(size_text(known.space, Space::kBad) == "?");
  CHECK(known.text("s - s") == "0");
  CHECK(known.text("-s") == "-s");
  CHECK(known.text("2*s") == "2*s");
  CHECK(known.text("-3*s*t") == "-3*s*t");
  CHECK(known.text("s*t - 1") == "-1+s*t");
  CHECK(known.text("s - t") == "s-t");
  CHECK(known.text("s // t") == "((s)//(t))");
  CHECK(known.text("2*(s // t)") == "2*((s)//(t))");
  CHECK(known.text("f()") == "f()");
  const Shape strides = contiguous_strides(known.space, {known.of("2"), known.of("s"), known.of("t")});
  CHECK(strides == Shape{known.of("s*t"), known.of("t"), known.of("1")});
  CHECK(contiguous_strides(known.space, {}).empty());
}

namespace {

const std::vector<std::string> kRelations{"Eq(Mod(s, 2), 0)",
                                          "Eq(s//2, 4)",
                                          "Eq(2*((s - 1)//2) + 2, s)",
                                          "Eq(s*t, 2*s*(t//2))",
                                          "Eq(3*((t + 2)//3), t)",
                                          "Eq((s + t - 1)//s, 3)",
                                          "Eq(t//s, 2)",
                                          "s - t >= 0",
                                          "Ne(s - t, 0)",
                                          "Ne(s, 1)",
                                          "t <= 2*(s//2)",
                                          "Eq(s, t + 1)",
                                          "Eq(4*(t//4), t)",
                                          "Ne(s - t, 1)",
                                          "Eq(t//3, 2)",
                                          "Eq(s*t, 2*t*(s//2))"};
const std::vector<std::string> kSizes{"s - 2",
                                      "s - 3",
                                      "8 - s",
                                      "9 - s",
                                      "s - t",
                                      "s - t - 1",
                                      "s - t - 2",
                                      "t - s",
                                      "t - 2*s",
                                      "t - 2*s - 1",
                                      "3*s - t",
                                      "3*s - t - 1",
                                      "s - 2*(s//2)",
                                      "2*((s - 1)//2) + 2 - s",
                                      "s - 2*((s - 1)//2) - 2",
                                      "t - 3*(t//3)",
                                      "3*(t//3) - t",
                                      "t - 4*(t//4)",
                                      "2*(t//2) - t",
                                      "t - 6",
                                      "8 - t",
                                      "s//2 - 4"};

bool holds_at(const std::string& text, const std::map<std::string, std::int64_t>& at) {
  const SymRelation r = *parse_relation(text);
  const auto a = r.left.evaluate(at), b = r.right.evaluate(at);
  if (!a || !b) return false;
  return r.kind == SymRelation::Kind::eq   ? *a == *b
         : r.kind == SymRelation::Kind::ne ? *a != *b
         : r.kind == SymRelation::Kind::lt ? *a < *b
                                           : *a <= *b;
}

}  // namespace

TEST_CASE("what is said of sizes under two relations is so wherever both hold") {
  const std::map<std::string, SymbolRange> all{{"s", range(1, 24)}, {"t", range(0, 24)}};
  int said = 0;
  for (std::size_t i = 0; i < kRelations.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      if (!testing::is_sampled(i + j)) continue;
      Known known(all, {kRelations[i], kRelations[j]});
      std::vector<std::map<std::string, std::int64_t>> places;
      for (std::int64_t at = 0; at < 24 * 25; ++at) {
        const std::map<std::string, std::int64_t> place{{"s", at % 24 + 1}, {"t", at / 24}};
        if (holds_at(kRelations[i], place) && holds_at(kRelations[j], place)) places.push_back(place);
      }
      for (const std::string& size : kSizes) {
        const bool claimed = known.holds(size), is_zero = known.text(size) == "0";
        said += claimed && !places.empty() ? 1 : 0;
        for (const auto& place : places) {
          INFO(kRelations[i] << ", " << kRelations[j] << ": " << size << " at s = " << place.at("s")
                             << ", t = " << place.at("t"));
          const auto value = parse_sym(size)->evaluate(place);
          REQUIRE(value);
          if (claimed) CHECK(*value >= 0);
          if (is_zero) CHECK(*value == 0);
        }
      }
    }
  CHECK(said > static_cast<int>(testing::sampled(300)));
}

}  // namespace sizes_test
