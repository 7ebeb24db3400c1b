// Certificates that lie in one place, each beside its honest twin: evidence, unwritten contents, bytes,
// bodies.
#include <algorithm>

#include "src/certify/certificate_text.h"
#include "src/formats/case/case_json.h"
#include "src/values/certificate.h"
#include "tests/catch.h"
#include "tests/support/damage.h"
#include "tests/support/traced.h"

namespace forged_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

using Rule = Line::Rule;

bool proved(const std::string& json) {
  const auto value = read_case_json(json);
  REQUIRE(value);
  Modelled m;
  REQUIRE(model(*value, m));
  return nc_check(certified_text(m.space, unsigned_certificate(m))).said == Said::proved;
}

std::string graph(const std::string& inputs, const std::string& steps, const std::string& output) {
  return R"({"inputs": [)" + inputs + R"(], "steps": [)" + steps + R"(], "outputs": [{"ref": ")" + output +
         R"("}]})";
}
std::string pair_of(const std::string& before, const std::string& after) {
  return R"({"format": "noclobber.case/1", "name": "forged", "before": )" + before + R"(, "after": )" +
         after + "}";
}
std::string input(const std::string& name, const std::string& shape) {
  return R"({"name": ")" + name + R"(", "type": {"dtype": "f32", "shape": )" + shape + "}}";
}
std::string step(const std::string& name, const std::string& op, const std::string& args) {
  return R"({"name": ")" + name + R"(", "op": "aten.)" + op + R"(", "args": [)" + args + "]}";
}
std::string use(const std::string& name) { return R"({"ref": ")" + name + R"("})"; }

/// Bytes 1..3 of t are those of `source`; then u = neg(t), of which bytes from..3 are those of x.
std::string bytewise(const std::string& source, const std::string& from) {
  const auto bytes = [](const std::string& view, const std::string& of, const std::string& first) {
    return step(view + "b", "view.dtype", use(of) + R"(, {"dtype": "u8"})") + ", " +
           step(view, "slice.Tensor", use(view + "b") + ", 0, " + first + ", 4") + ", ";
  };
  return graph(input("x", "[1]") + ", " + input("y", "[1]") + ", " + input("z", "[1]"),
               step("t", "clone.default", use("x")) + ", " + bytes("tv", "t", "1") +
                   bytes("sv", source, "1") + step("c1", "copy_.default", use("tv") + ", " + use("sv")) +
                   ", " + step("u", "neg.default", use("t")) + ", " + bytes("uv", "u", from) +
                   bytes("xv", "x", from) + step("c2", "copy_.default", use("uv") + ", " + use("xv")),
               "u");
}

/// `after` stores 0 into x[0:last], `before` into all of x, which has one element; 0 <= s <= 5, 0 <= t <= 5.
struct Forged {
  Space space;
  Certificate content;
  PolyId s = space.symbol("s"), t = space.symbol("t"), one = space.constant(1);

  explicit Forged(bool whole) {
    space.range("s", 0, 5), space.range("t", 0, 5);
    content.about = "forged";
    content.symbols = {{"s", 0}, {"t", 0}};
    Trace before;
    before.storages.push_back({TraceStorage::Start::given, "in:x", {one}, 0, true, true});
    before.inputs = {{"x", {0, {}, {one}, "f32", 0}}};
    TraceStep fill;
    fill.kind = TraceStep::Kind::fill;
    fill.key = "f32:0";
    fill.writes = {{0, {}, {one}, "f32", 0}};
    before.steps = {fill};
    Trace after = before;
    if (!whole) {
      Map map{Map::Kind::slice, {one}, {s}, 0, 0, 0, one, {}, {}};
      after.steps[0].writes = {{0, {map}, {s}, "f32", 0}};
    }
    content.checks.push_back({"", before, after, {}, {}});
  }
  PolyId positive() { return space.sub(s, one); }
  Answer answer() { return nc_check(space, content); }
};

Line line(Rule rule, PolyId poly) { return {rule, 0, 0, 0, poly, 0}; }
Line line(Rule rule, std::uint32_t a, std::uint32_t b) { return {rule, a, b, 0, 0, 0}; }

}  // namespace

TEST_CASE("the whole storage is the whole storage, without evidence", "[forged]") {
  CHECK(Forged(true).answer().said == Said::proved);
  CHECK(Forged(false).answer().said == Said::not_proved);
  CHECK(Forged(false).answer().why == "1 obligations are open");
}

TEST_CASE("an index of what may be empty shows nothing of places where it is not", "[forged]") {
  Forged f(false);
  const PolyId i = f.space.index(7, f.s);
  f.content.evidence = {
      {{}, {line(Rule::below, i), line(Rule::plain, i), line(Rule::add, 0, 1)}}};  // s - 1 >= 0
  const Answer a = f.answer();
  CHECK(a.said == Said::not_proved);
  CHECK(a.why == "derivation 0 is wrong");
}

TEST_CASE("a quotient by what may be 0 shows nothing of places where it is not", "[forged]") {
  Forged f(false);
  const PolyId q = f.space.quotient_in(f.t, f.s);
  REQUIRE(q != Space::kBad);
  f.content.evidence = {{{}, {line(Rule::divisor, q)}}};  // s - 1 >= 0
  CHECK(f.answer().why == "derivation 0 is wrong");
}

TEST_CASE("an index of an empty dimension does not show that -1 >= 0", "[forged]") {
  Forged f(false);
  const PolyId i = f.space.index(7, f.space.mul(f.s, f.t));  // bounded by its extent alone
  f.content.evidence = {{{}, {line(Rule::below, i), line(Rule::plain, i), line(Rule::add, 0, 1)}}};
  CHECK(f.answer().why == "derivation 0 is wrong");
  Space space;
  const PolyId none = space.index(7, space.constant(0));
  if (none != Space::kBad)
    CHECK_FALSE(
        space.derive({{}, {line(Rule::below, none), line(Rule::plain, none), line(Rule::add, 0, 1)}}));
  CHECK_FALSE(space.nonnegative(space.constant(-1)));
}

TEST_CASE("what occurs in what is shown, or in a fact that is used, may be used", "[forged]") {
  Space space;
  const PolyId s = space.symbol("s"), i = space.index(0, s),
               room = space.sub(space.sub(s, i), space.constant(1));
  CHECK(space.derive({{}, {line(Rule::below, i)}}));
  CHECK(space.nonnegative(room));
  const PolyId fact = space.sub(i, space.constant(2));
  const Derivation three{{fact}, {line(Rule::fact, fact), line(Rule::below, i), line(Rule::add, 0, 1)}};
  CHECK(space.derive(three));  // i >= 2 shows s - 3 >= 0
  CHECK(space.nonnegative(space.sub(s, space.constant(3)), {fact}));
  CHECK_FALSE(space.nonnegative(space.sub(s, space.constant(3))));
}

TEST_CASE("every line of a derivation is replayed", "[forged]") {
  Space space;
  space.range("s", 0, 5), space.range("t", 0, 5);
  const PolyId s = space.symbol("s"), t = space.symbol("t"), minus = space.scale(s, -1);
  const auto refused = [&](std::vector<Line> lines) { CHECK_FALSE(space.derive({{}, std::move(lines)})); };
  refused({});
  refused({line(Rule::plain, minus)});
  refused({line(Rule::fact, minus)});
  refused({line(Rule::below, s)});
  refused({line(Rule::above, s)});
  refused({line(Rule::divisor, s)});
  refused({line(Rule::add, 0, 0)});
  refused({line(Rule::plain, s), line(Rule::multiply, 0, 1)});
  refused({line(Rule::plain, s), {Rule::divide, 0, 0, 0, minus, s}});
  // 2 s + 1 >= 0 shows s >= 0, and 2 s - 2 + 1 >= 0 does not show s - 2 >= 0
  const PolyId two = space.constant(2), one = space.constant(1);
  CHECK(space.derive({{},
                      {line(Rule::plain, space.add(space.mul(two, t), one)),
                       line(Rule::plain, 0),
                       line(Rule::plain, one),
                       {Rule::divide, 0, 1, 2, t, two}}}));
  refused({line(Rule::plain, space.add(space.mul(two, t), one)),
           line(Rule::plain, 0),
           line(Rule::plain, one),
           {Rule::divide, 0, 1, 2, space.sub(t, two), two}});
  refused({line(Rule::plain, space.constant(INT64_MAX)), line(Rule::add, 0, 0)});
}

TEST_CASE("what is known of the running byte is known of that byte only", "[forged]") {
  CHECK(proved(pair_of(bytewise("y", "1"), bytewise("y", "1"))));
  CHECK_FALSE(
      proved(pair_of(bytewise("y", "1"), bytewise("z", "1"))));    // byte 0 of neg(t) depends on all of t
  CHECK(proved(pair_of(bytewise("y", "0"), bytewise("z", "0"))));  // all of u is x
}

TEST_CASE("unwritten contents are chosen once", "[forged]") {
  const std::string x = input("x", "[4, 4]"), empty = step("u", "empty.memory_format", "[4, 4]") + ", ";
  const auto half = [](const std::string& name, const std::string& of, const std::string& from) {
    return step(name, "slice.Tensor", use(of) + ", 0, " + from) + ", ";
  };
  const std::string cat = step("o", "cat.default", "[" + use("a") + ", " + use("b") + "]");
  const std::string turned = graph(x,
                                   empty + step("ut", "t.default", use("u")) + ", " + half("a", "u", "0, 2") +
                                       half("b", "ut", "2, 4") + cat,
                                   "o");
  const std::string straight = graph(x, empty + half("a", "u", "0, 2") + half("b", "u", "2, 4") + cat, "o");
  const std::string some = graph(x, empty + half("a", "u", "0, 2") + half("b", "x", "2, 4") + cat, "o");
  const std::string full = graph(x, half("a", "x", "0, 2") + half("b", "x", "2, 4") + cat, "o");
  CHECK(proved(pair_of(straight, full)));
  CHECK_FALSE(proved(pair_of(turned, some)));  // (0, 2) and (2, 0) are one element of u
  CHECK_FALSE(proved(pair_of(full, some)));
}

TEST_CASE("a body is shown by a check of both graphs, which stands before", "[forged]") {
  Forged f(true);
  const Check main = f.content.checks[0];
  const auto with_body = [&](std::vector<Check> checks) {
    Forged out(true);
    for (Check& check : checks) check.key = "body";
    checks.push_back(main);
    for (Trace* trace : {&*checks.back().before, &checks.back().after}) {
      trace->steps[0].kind = TraceStep::Kind::opaque;
      trace->steps[0].bodies = {"body"};
    }
    checks.back().lemmas = {{checker::Lemma::Kind::calls, 0, 0, 0, 0}};
    out.content.checks = std::move(checks);
    return nc_check(out.space, out.content);
  };
  Check single = main;
  single.before.reset();
  CHECK(with_body({main}).said == Said::proved);
  CHECK(with_body({}).why == "no check shows body body");
  CHECK(with_body({single}).why == "no check shows body body");
  CHECK(with_body({main, main}).why == "two checks are called body");
  Check wrong = main;
  wrong.after.steps.clear();
  CHECK(with_body({wrong}).said == Said::not_proved);
  CHECK(with_body({wrong}).why == "1 obligations are open");
}

TEST_CASE("a Trace that has no meaning is not read", "[forged]") {
  const auto with = [](const auto& change) {
    Forged out(true);
    Trace& after = out.content.checks[0].after;
    for (Trace* t : {&*out.content.checks[0].before, &after}) {
      t->storages.push_back({TraceStorage::Start::given, "in:c", {}, 0, true, true});
      t->inputs.push_back({"c", {1, {}, {}, "b8", 0}});
    }
    change(out, after);
    return out.answer().said;
  };
  CHECK(with([](Forged&, Trace&) {}) == Said::proved);
  CHECK(with([](Forged&, Trace& t) { t.storages[1].key = "in:x"; }) == Said::unreadable);
  CHECK(with([](Forged&, Trace& t) { t.storages[1].lanes = -1; }) == Said::unreadable);
  CHECK(with([](Forged&, Trace& t) { t.steps[0].origin = 0xffffffff; }) == Said::unreadable);
  CHECK(with([](Forged&, Trace& t) { t.edges = {{0, 0xffffffff}}; }) == Said::unreadable);
  CHECK(with([](Forged& f, Trace& t) { t.storages[1].shape = {f.space.constant(2)}; }) == Said::unreadable);
}

TEST_CASE("lives are those of the order in which steps run", "[forged]") {
  // a = sin(x); c = -a; b = cos(x), where a lay; d = b + c.
  const std::string text =
      R"({"format": "noclobber.case/1", "name": "forged", "names": "storages", "after": )" +
      graph(input("x", "[4]"),
            step("a", "sin.default", use("x")) + ", " + step("c", "neg.default", use("a")) + ", " +
                step("b", "cos.default", use("x")) + ", " +
                step("d", "add.Tensor", use("b") + ", " + use("c")),
            "d") +
      "}";
  const auto with = [&](const auto& change) {
    const auto value = read_case_json(text);
    REQUIRE(value);
    Modelled m;
    REQUIRE(model(*value, m));
    Certificate content = unsigned_certificate(m);
    Trace& t = content.checks[0].after;
    t.arenas = {m.space.constant(48)};
    const auto place = [&](StorageId key, std::int64_t offset, std::uint32_t first, std::uint32_t last) {
      StorageId s = 0;
      while (t.storages[s].key != "fresh " + std::to_string(key)) ++s;
      const PolyId at = m.space.constant(offset), size = m.space.constant(16);
      t.placements.push_back({"", 0, at, size, first, last, s, {}, {}});
    };
    place(0, 0, 0, 2), place(1, 16, 1, 4), place(2, 0, 2, 4), place(3, 32, 3, 5);
    t.placements[1].below = 0, t.placements[3].below = 1;
    change(t);
    return nc_check_certified(m.space, content).said;
  };
  using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  const auto in_any_order = [](const Edges& edges) {
    return [edges](Trace& t) { t.any_order = true, t.edges = edges; };
  };
  CHECK(with([](Trace&) {}) == Said::proved);
  CHECK(with([](Trace& t) { std::swap(t.steps[1], t.steps[2]); }) == Said::unreadable);  // b over a, then -a
  CHECK(with(in_any_order({{0, 1}, {1, 2}, {1, 3}, {2, 3}})) == Said::proved);
  CHECK(with(in_any_order({{0, 1}, {1, 3}, {2, 3}})) == Said::not_proved);  // b may be first
  // Empty ones beside: what would take hours to compare is not believed.
  const auto with_empty = [&](std::size_t count, bool any_order) {
    return with([&](Trace& t) {
      if (any_order) in_any_order({{0, 1}, {1, 2}, {1, 3}, {2, 3}})(t);
      const PolyId none = t.placements[0].offset;  // zero
      t.placements.insert(t.placements.end(), count, {"", 0, none, none, 0, 0, {}, {}, {}});
    });
  };
  CHECK(with_empty(1000, true) == Said::proved);
  CHECK(with_empty(10'000, false) == Said::proved);
  CHECK(with_empty(10'000, true) == Said::not_proved);
}

TEST_CASE("in any order a stated live range is over where a path says so", "[forged]") {
  // c = -x and b = cos(x) are independent; d = b + c. Two buffers without a storage, of c and of b.
  const auto value =
      read_case_json(R"({"format": "noclobber.case/1", "name": "forged", "names": "storages", "after": )" +
                     graph(input("x", "[4]"),
                           step("c", "neg.default", use("x")) + ", " + step("b", "cos.default", use("x")) +
                               ", " + step("d", "add.Tensor", use("b") + ", " + use("c")),
                           "d") +
                     "}");
  REQUIRE(value);
  using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  const auto with = [&](std::int64_t second, std::pair<std::uint32_t, std::uint32_t> life,
                        const Edges& edges) {
    Modelled m;
    REQUIRE(model(*value, m));
    Certificate content = unsigned_certificate(m);
    Trace& t = content.checks[0].after;
    const auto number = [&](std::int64_t n) { return m.space.constant(n); };
    t.arenas = {number(32)};
    t.placements.push_back({"", 0, number(0), number(16), 0, 1, {}, {}, {}});
    t.placements.push_back({"", 0, number(second), number(16), life.first, life.second, {}, {}, {}});
    t.any_order = true, t.edges = edges;
    return nc_check_certified(m.space, content).said;
  };
  const Edges loose{{0, 2}, {1, 2}}, tight{{0, 1}, {0, 2}, {1, 2}};
  CHECK(with(0, {1, 2}, tight) == Said::proved);
  CHECK(with(0, {1, 2}, loose) == Said::not_proved);  // b may run first
  CHECK(with(16, {1, 2}, loose) == Said::proved);     // on other bytes
  CHECK(with(8, {1, 2}, loose) == Said::not_proved);
  CHECK(with(0, {2, 3}, loose) == Said::proved);      // used by d alone
  CHECK(with(0, {1, 3}, loose) == Said::not_proved);  // by b and d
  CHECK(with(0, {0, 1}, tight) == Said::not_proved);  // at the same time
}

TEST_CASE("facts that the symbols' values do not show prove nothing", "[forged]") {
  for (const bool declared : {true, false}) {
    Forged f(true);
    const PolyId u = f.space.opaque("u", {f.t});
    if (!declared) f.space.assume_nonnegative(u);                       // has no value
    if (declared) f.space.assume_nonnegative(f.space.sub(f.t, f.one));  // t is 0
    CHECK(f.answer().said == Said::not_proved);
  }
}

TEST_CASE("extreme numbers in a certificate are refused, not computed with", "[forged]") {
  const std::string head =
      "noclobber.cert/2\nabout 1:x\ninputs 0\noperators 1:x\nassumptions 0\nsymbols 1\n 1:s 1 0 0 0\n";
  const std::string tail = "\nfacts 0\nviews 0\nstorages 0\nsteps 0\nevidence 0\nchecks 0\nrefutation 0\n";
  for (const char* numbers :
       {"3\np 1 -9223372036854775808 0\ni 0 0\np 1 1 1 1",
        "4\ns 1:s\np 1 -9223372036854775808 1 0\np 1 -1 1 0\nq 1 2", "4\ns 1:s\np 1 -2 0\nq 0 1\np 1 1 1 2",
        "3\ns 1:s\np 1 9223372036854775807 1 0\np 2 9 1 1 1 1 0", "3\ns 1:s\np 0\nq 0 1",
        "2\ns 1:s\np 18446744073709551615 1 1 0"}) {
    INFO(numbers);
    CHECK(nc_check(hashed(head + "numbers " + numbers + tail)).said == Said::unreadable);  // no check in it
  }
}

}  // namespace forged_test
