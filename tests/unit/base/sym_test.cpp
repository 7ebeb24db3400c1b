#include "src/base/sym.h"

#include <cstdint>
#include <random>

#include "tests/catch.h"

namespace sym_test {

using namespace noclobber;

namespace {

SymExpr parsed(std::string_view text) {
  auto result = parse_sym(text);
  INFO(text);
  if (!result) FAIL(result.fault().where << ": " << result.fault().message);
  return *result;
}

std::string fault(std::string_view text) {
  auto result = parse_sym(text);
  INFO(text);
  REQUIRE_FALSE(result);
  return result.fault().where + ": " + result.fault().message;
}

std::string again(std::string_view text) { return parsed(text).text(); }

std::int64_t value(std::string_view text, const std::map<std::string, std::int64_t>& symbols = {}) {
  const auto result = parsed(text).evaluate(symbols);
  INFO(text);
  REQUIRE(result);
  return *result;
}

}  // namespace

TEST_CASE("symbolic integers print as they are read") {
  for (const char* text : {"s0",
                           "-s0",
                           "7",
                           "-7",
                           "n + x + 4",
                           "n - 4",
                           "2*s0 + 1",
                           "2*s0*s1",
                           "s0//2",
                           "-s0//3",
                           "-(s0//3)",
                           "s0**2",
                           "-s0**2",
                           "(-s0)**2",
                           "a - b",
                           "a - 2*b",
                           "a - (b + c)",
                           "a*(b + c)",
                           "a*(b//c)",
                           "a//b*c",
                           "a//b*2",
                           "a//(b//c)",
                           "min(a, b, c)",
                           "max(min(a, b), 1)",
                           "min(a, max(b, c))",
                           "a % b",
                           "(a % b) % c",
                           "a//(-2)",
                           "2**n",
                           "(-2)**n",
                           "a**b**c",
                           "TruncToInt(a)",
                           "f()",
                           "IntTrueDiv(a, b) + 1",
                           "a + -9223372036854775808",
                           "-9223372036854775808*a",
                           "9223372036854775807",
                           "-9223372036854775808",
                           "5//0",
                           "2**(-1)"}) {
    const SymExpr once = parsed(text);
    INFO(text << " -> " << once.text());
    CHECK(parsed(once.text()) == once);
  }
  CHECK(again("n + x + 4") == "n + x + 4");
  CHECK(again("4+x") == "x + 4");
  CHECK(again("2*s0+1") == "2*s0 + 1");
  CHECK(again("a - 2*b") == "a - 2*b");
  CHECK(again("((-u1)//3)") == "-u1//3");
  CHECK(again("a - b//c") == "a - b//c");
  CHECK(again("a - b//c*2") == "a - b//c*2");
}

TEST_CASE("constants are folded and collected, and nothing else is") {
  CHECK(parsed("x + 0") == SymExpr::symbol("x"));
  CHECK(parsed("1*x") == SymExpr::symbol("x"));
  CHECK(parsed("x//1") == SymExpr::symbol("x"));
  CHECK(parsed("x*0") == SymExpr(0));
  CHECK(parsed("x % 1") == SymExpr(0));
  CHECK(parsed("(x + 1) + (y + 2)") == parsed("x + y + 3"));
  CHECK(parsed("2*(x*3)*y") == parsed("6*x*y"));
  CHECK(parsed("--x") == SymExpr::symbol("x"));
  CHECK(parsed("min(3, 5) + max(3, 5)") == SymExpr(8));
  // Twins that must stay as they are: they have no value for some symbols, or have another structure.
  CHECK_FALSE(parsed("(x//y)*0").is_constant());
  CHECK_FALSE(parsed("(x % y) % 1").is_constant());
  CHECK_FALSE(parsed("f(x)*0").is_constant());
  CHECK_FALSE(parsed("5//0").is_constant());
  CHECK_FALSE(parsed("9223372036854775807 + 1").is_constant());
  CHECK_FALSE(parsed("x + y") == parsed("y + x"));
  CHECK_FALSE(parsed("x - x").is_constant());
}

TEST_CASE("division and remainder round towards minus infinity") {
  CHECK(value("7//2") == 3);
  CHECK(value("(-7)//2") == -4);
  CHECK(value("7//(-2)") == -4);
  CHECK(value("(-7)//(-2)") == 3);
  CHECK(value("(-7) % 3") == 2);
  CHECK(value("7 % (-3)") == -2);
  CHECK(value("a//b*b + a % b", {{"a", -17}, {"b", 5}}) == -17);
  CHECK(value("-2**2") == -4);
  CHECK(value("2**3**2") == 512);
}

TEST_CASE("values that do not exist or do not fit are no values") {
  CHECK(parsed("s0 + 1").evaluate({{"s0", 4}}) == 5);
  CHECK_FALSE(parsed("s0 + s1").evaluate({{"s0", 4}}));
  CHECK_FALSE(parsed("s0//s1").evaluate({{"s0", 4}, {"s1", 0}}));
  CHECK_FALSE(parsed("s0 % s1").evaluate({{"s0", 4}, {"s1", 0}}));
  CHECK_FALSE(parsed("s0 + 1").evaluate({{"s0", INT64_MAX}}));
  CHECK_FALSE(parsed("s0*s0").evaluate({{"s0", INT64_MAX}}));
  CHECK_FALSE(parsed("s0//(-1)").evaluate({{"s0", INT64_MIN}}));
  CHECK(parsed("s0 % (-1)").evaluate({{"s0", INT64_MIN}}) == 0);
  CHECK_FALSE(parsed("s0**s1").evaluate({{"s0", 10}, {"s1", 30}}));
  CHECK_FALSE(parsed("s0**s1").evaluate({{"s0", 2}, {"s1", -1}}));
  CHECK(parsed("s0**s1").evaluate({{"s0", -1}, {"s1", INT64_MAX}}) == -1);
  CHECK_FALSE(parsed("TruncToInt(s0)").evaluate({{"s0", 4}}));
}

TEST_CASE("sympy's functions are read as what they mean") {
  CHECK(parsed("Max(1, s0)") == parsed("max(1, s0)"));
  CHECK(parsed("Mod(a, b)") == parsed("a % b"));
  CHECK(parsed("PythonMod(a, b)") == parsed("a % b"));
  CHECK(parsed("FloorDiv(a, b)") == parsed("a//b"));
  CHECK(parsed("CleanDiv(a, b)") == parsed("a//b"));
  CHECK(parsed("ModularIndexing(a, b, c)") == parsed("(a//b) % c"));
  CHECK(parsed("Identity(a + 1)") == parsed("a + 1"));
  const SymExpr opaque = parsed("CeilToInt(IntTrueDiv(a, 2))");
  CHECK(opaque == SymExpr::opaque("CeilToInt", {SymExpr::opaque("IntTrueDiv", {SymExpr::symbol("a"), 2})}));
  CHECK(opaque.symbols() == std::vector<std::string>{"a"});
  CHECK(again("TruncToInt(1.5*ToFloat(s0))") == again("TruncToInt(1.5*ToFloat(s0))"));
  CHECK(parsed(again("TruncToInt(1.5e-3*ToFloat(s0))")) == parsed("TruncToInt(1.5e-3*ToFloat(s0))"));
  CHECK(fault("Mod(a)") == "column 1: 'Mod' takes 2 arguments");
  CHECK(fault("min()") == "column 1: 'min' takes 1 arguments");
  CHECK(fault("1 + int_oo") == "column 5: 'int_oo' is no integer");
  CHECK(fault("True") == "column 1: 'True' is no integer");
}

TEST_CASE("a fraction is floor division only where it is the whole integer") {
  CHECK(parsed("s0*s1/2") == parsed("s0*s1//2"));
  CHECK(parsed("6/3") == SymExpr(2));
  CHECK_FALSE(parsed("s0/2 + s1/2") == parsed("s0//2 + s1//2"));
  CHECK_FALSE(parsed("s0/2 + s1/2").evaluate({{"s0", 1}, {"s1", 1}}));
  CHECK(fault("7/2") == "column 4: a fraction is no integer");
}

TEST_CASE("what is no expression is refused with its column") {
  CHECK(fault("") == "column 1: unexpected end of the expression");
  CHECK(fault("a +") == "column 4: unexpected end of the expression");
  CHECK(fault("a b") == "column 3: unexpected 'b'");
  CHECK(fault("2s0") == "column 2: unexpected 's'");
  CHECK(fault("(a") == "column 3: expected ')'");
  CHECK(fault("a)") == "column 2: unexpected ')'");
  CHECK(fault("min(a,") == "column 7: unexpected end of the expression");
  CHECK(fault("a < b") == "column 3: unexpected '<'");
  CHECK(fault("9223372036854775808") == "column 1: integer does not fit 64 bits");
  CHECK(fault("s0 + 99999999999999999999999999") == "column 6: integer does not fit 64 bits");
  CHECK(fault(std::string(1, '\x80')) == "column 1: unexpected character");
}

TEST_CASE("nesting is bounded, breadth is not felt") {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '(') + "a" + std::string(depth, ')');
  };
  CHECK(parsed(nested(100)) == SymExpr::symbol("a"));
  for (const char* opening : {"(", "-", "min(1,", "a**", "f("}) {
    std::string text;
    while (text.size() < 16000) text += opening;
    CHECK_THAT(fault(text), Catch::Contains("nested too deep"));
  }
  std::string sum = "a";
  while (sum.size() < 16000) sum += " + a";
  CHECK(again(sum) == sum);
  CHECK_THAT(fault(sum + sum), Catch::Contains("longer than"));
}

TEST_CASE("relations are read in either spelling") {
  using Kind = SymRelation::Kind;
  const SymExpr a = SymExpr::symbol("a"), b = SymExpr::symbol("b");
  const auto relation = [](std::string_view text) { return *parse_relation(text); };
  CHECK(relation("a <= b") == SymRelation{Kind::le, a, b});
  CHECK(relation("a < b") == SymRelation{Kind::lt, a, b});
  CHECK(relation("a > b") == SymRelation{Kind::lt, b, a});
  CHECK(relation("a >= b") == SymRelation{Kind::le, b, a});
  CHECK(relation("a == b") == SymRelation{Kind::eq, a, b});
  CHECK(relation("Eq(a, 2*b)") == SymRelation{Kind::eq, a, 2 * b});
  CHECK(relation("Ne(a, b)") == relation("a != b"));
  CHECK(relation("Ge(a, b)") == relation("a >= b"));
  CHECK(relation("i + 4 <= n").left == parsed("i + 4"));
  for (const char* text :
       {"a", "a = b", "a <", "a < b < c", "Eq(a)", "Eq(a, b) + 1", "Eq(a, b", "", "True"}) {
    INFO(text);
    CHECK_FALSE(parse_relation(text));
  }
}

TEST_CASE("any expression that can be built prints so that it reads back") {
  using Op = SymExpr::Op;
  std::mt19937 random(7);
  const auto pick = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
  const std::int64_t numbers[] = {0, 1, -1, 2, -3, INT64_MAX, INT64_MIN};
  const Op ops[] = {Op::add, Op::mul, Op::floor_div, Op::mod, Op::min, Op::max, Op::pow};
  for (int round = 0; round < 20000; ++round) {
    std::vector<SymExpr> made = {SymExpr::symbol("x"), SymExpr::symbol("y")};
    for (int step = 0; step < 6; ++step) {
      SymExpr a = made[made.size() - 1 - pick(2)];
      SymExpr b =
          pick(2) == 0 ? SymExpr(numbers[pick(7)]) : made[pick(static_cast<std::uint32_t>(made.size()))];
      if (pick(3) == 0) std::swap(a, b);
      made.push_back(pick(12) == 0 ? SymExpr::opaque("F", {a, b}) : SymExpr::binary(ops[pick(7)], a, b));
    }
    const SymExpr& last = made.back();
    const auto read = parse_sym(last.text());
    INFO(last.text());
    REQUIRE(read);
    REQUIRE(*read == last);
  }
}

TEST_CASE("expressions as sympy's srepr writes them are those that str writes") {
  const char* kSame[][2] = {
      {"Add(Symbol('s0', positive=True, integer=True), Integer(1))", "s0 + 1"},
      {"Mul(Integer(2), Add(Integer(-1), Symbol('s77')))", "2*(s77 - 1)"},
      {"FloorDiv(Pow(Symbol('s0', integer=True), Integer(2)), Integer(3))", "(s0**2)//3"},
      {"ModularIndexing(Symbol('u0', integer=True), Integer(4), Integer(8))", "Mod(FloorDiv(u0, 4), 8)"},
      {"Max(Integer(1), Symbol('s1'))", "Max(1, s1)"},
      {"Where(s0 < 4, s1, 2)", "Where(Lt(s0, 4), s1, 2)"},
  };
  for (const auto& [one, other] : kSame) {
    INFO(one);
    CHECK(parsed(one) == parsed(other));
    CHECK(*parse_sym(parsed(one).text()) == parsed(one));
  }
  CHECK_FALSE(parsed("Where(s0 < 4, s1, 2)") == parsed("Where(s0 <= 4, s1, 2)"));
  CHECK_FALSE(parsed("Where(s0 < 4, s1, 2)") == parsed("Where(s0 < 4, 2, s1)"));
  CHECK(parsed("Where(s0 < 4, s1, 2)").text().starts_with("Where_lt("));
  CHECK(parsed("Where(s0 <= 4, s1, 2)").text().starts_with("Where_le("));
  for (const char* text : {"Symbol(s0)", "Symbol('s0", "Symbol('')", "Symbol('s0', integer)", "Integer()",
                           "Pow(s0)", "Where(s0, 1, 2)", "Where(s0 < 1, 2)", "Add(s0"}) {
    INFO(text);
    CHECK_FALSE(parse_sym(text));
  }
}

}  // namespace sym_test
