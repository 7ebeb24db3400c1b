// What is asked of a certificate, and what is counted.
#include <algorithm>

#include "checker/kernel/rules.h"
#include "checker/text/hash.h"
#include "checker/text/read.h"
#include "src/values/certificate.h"
#include "tests/catch.h"
#include "tests/support/traced.h"

namespace judge_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

using Kind = Obligation::Kind;

TraceView all_of(StorageId storage, const Shape& shape) { return {storage, {}, shape, "f32", 0}; }

/// y = f(x), of 4 elements.
Certificate honest(Space& space, const char* after = "f") {
  const Shape four{space.constant(4)};
  Trace trace;
  trace.storages.push_back({TraceStorage::Start::given, "in:x", four, 0, true, true});
  trace.storages.push_back({TraceStorage::Start::undefined, "fresh 0", four, 0, true, false});
  trace.inputs = {{"x", all_of(0, four)}};
  TraceStep step;
  step.key = "f";
  step.reads = {all_of(0, four)}, step.writes = {all_of(1, four)};
  step.access = {{Access::any_time}};
  trace.steps = {step};
  trace.outputs.push_back({all_of(1, four), "", {}, false, std::nullopt});
  Certificate out;
  out.checks.push_back({"", trace, trace, {}, {}, {{checker::Lemma::Kind::calls, 0, 0, 0, 0}}});
  out.checks[0].after.steps[0].key = after;
  if (out.checks[0].after.steps[0].key != "f") out.checks[0].lemmas.clear();
  return out;
}

}  // namespace

TEST_CASE("an answer counts what was shown, how", "[judge]") {
  Space space;
  Certificate c = honest(space);
  const Answer out = nc_check(space, c);
  CHECK(out.said == Said::proved);
  CHECK(out.why.empty());
  CHECK(out.obligations == 7);
  CHECK(out.by_rule == 7);
  CHECK(out.by_solver == 0);
  CHECK(out.derivations == 0);
  CHECK(out.used == std::vector<std::vector<bool>>{{true}});
  c.checks.push_back(c.checks[0]);
  c.checks[0].key = "body";
  CHECK(nc_check(space, c).obligations == 14);
  CHECK(nc_check(space, c).by_rule == 14);
  c.checks[0].key = "";
  CHECK(nc_check(space, c).why == "two checks are called ");
}

TEST_CASE("what an answer says of inputs and assumptions stands in the certificate", "[judge]") {
  Space space;
  Certificate c = honest(space);
  c.inputs = {{"abc", "f"}, {"", "g h"}};
  c.assumptions = {"one", "another"};
  const Answer out = nc_check(space, c);
  CHECK(out.said == Said::proved);
  CHECK(out.inputs == c.inputs);
  CHECK(out.assumptions == c.assumptions);
}

TEST_CASE("a lemma is used, or it is one too many", "[judge]") {
  Space space;
  Certificate c = honest(space);
  const auto lemmas = c.checks[0].lemmas;
  c.checks[0].lemmas.clear();
  CHECK(nc_check(space, c).why == "1 obligations are open");
  c.checks[0].lemmas = {lemmas[0], {checker::Lemma::Kind::contents, 0, 0, 0, 0}};
  CHECK(nc_check(space, c).used == std::vector<std::vector<bool>>{{true, true}});  // x at exit
  c.checks[0].lemmas[1] = {checker::Lemma::Kind::contents, 1, 0, 1, 0};
  const Answer surplus = nc_check(space, c);
  CHECK(surplus.said == Said::not_proved);
  CHECK(surplus.why == "surplus evidence");
  CHECK(surplus.used == std::vector<std::vector<bool>>{{true, false}});
}

TEST_CASE("a solver's claims are counted, and none is one too many", "[judge]") {
  Space space;
  Certificate c = honest(space, "g");
  CHECK(nc_check(space, c).why == "1 obligations are open");
  const Obligation value{Kind::value, false, 0, 0};
  c.checks[0].by_solver = {value};
  const Answer claimed = nc_check(space, c);
  CHECK(claimed.said == Said::proved);
  CHECK(claimed.by_rule == 6);
  CHECK(claimed.by_solver == 1);
  c.checks[0].by_solver = {value, value};
  CHECK(nc_check(space, c).said == Said::unreadable);
  CHECK(nc_check(space, c).why.ends_with("expected another claim"));
  c.checks[0].by_solver = {value, {Kind::exit, false, 0, 0}};  // which a rule shows as well
  CHECK(nc_check(space, c).said == Said::proved);
  CHECK(nc_check(space, c).by_solver == 2);
  CHECK(nc_check(space, c).by_rule == 5);
  for (const Obligation& none :
       {Obligation{Kind::exit, false, 1, 0}, Obligation{Kind::value, false, 1, 0},
        Obligation{Kind::value, true, 0, 0}, Obligation{Kind::value, false, 0, 1},
        Obligation{Kind::exit, false, 1 << 20, 0}, Obligation{Kind::type, false, 0, 0}}) {
    c.checks[0].by_solver = {value, none};
    CHECK(nc_check(space, c).said == Said::not_proved);
    CHECK(nc_check(space, c).why == "surplus claims of a solver");
  }
}

TEST_CASE("a solver tells nothing of Traces in which a step disturbs itself", "[judge]") {
  for (const bool in_before : {true, false}) {
    Space space;
    Certificate c = honest(space, "g");
    c.checks[0].by_solver = {{Kind::value, false, 0, 0}};
    CHECK(nc_check(space, c).said == Said::proved);
    TraceStep& step = (in_before ? *c.checks[0].before : c.checks[0].after).steps[0];
    step.reads[0] = step.writes[0];
    CHECK(nc_check(space, c).said == Said::not_proved);
    step.access = {{Access::before_write}};
    CHECK(nc_check(space, c).said == Said::proved);
  }
}

TEST_CASE("evidence is used, or it is one too many", "[judge]") {
  Space space;
  space.range("n", 0, std::nullopt);
  const PolyId n = space.symbol("n"), i = space.index(0, n);
  Certificate c = honest(space);
  CHECK(nc_check(space, c).said == Said::proved);
  c.evidence = {{{}, {{Line::Rule::below, 0, 0, 0, i, 0}}}};  // n - 1 - i >= 0
  CHECK(nc_check(space, c).why == "surplus evidence");
  Space used;
  used.range("n", 0, std::nullopt);
  const PolyId two = used.constant(2), half = used.quotient_in(used.symbol("n"), two);
  Certificate placed;
  placed.checks.push_back({"", std::nullopt, {}, {}, {}});
  Trace& trace = placed.checks[0].after;
  trace.arenas = {used.symbol("n")};
  TracePlacement p;
  p.offset = 0, p.size = used.mul(two, half);
  p.last = 1;
  trace.placements = {p};
  CHECK(nc_check(used, placed).why == "1 obligations are open");
  placed.evidence = {{{}, {{Line::Rule::below, 0, 0, 0, half, 0}}}};  // n - 2 floor(n / 2) >= 0
  const Answer out = nc_check(used, placed);
  CHECK(out.said == Said::proved);
  CHECK(out.why.empty());
  CHECK(out.derivations == 1);
  placed.evidence.push_back(placed.evidence[0]);  // was there already
  CHECK(nc_check(used, placed).why == "derivation 1 is wrong");
}

TEST_CASE("facts hold at the values of the symbols, also where they just do", "[judge]") {
  for (const std::int64_t value : {2, 3, 4}) {
    Space space;
    space.assume_nonnegative(space.sub(space.symbol("s"), space.constant(3)));
    Certificate c = honest(space);
    c.symbols = {{"s", value}};
    const Answer out = nc_check(space, c);
    CHECK((out.said == Said::proved) == (value >= 3));
    CHECK(out.why == (value >= 3 ? "" : "the symbols' values do not show a fact"));
  }
}

namespace {

/// A graph of which everything is asked, and one of which little is.
struct Asked {
  Space space;
  Trace before, after;

  Asked() {
    const Certificate c = honest(space);
    before = after = c.checks[0].after;
    after.inputs.push_back({"y", after.inputs[0].view});
    after.unknown = {{"unsupported-op", "zoo.op"}};
    after.claims.resize(1);
    after.any_order = true;
    after.placements.resize(1);
    after.steps[0].reaching = {0};
    after.outputs[0].view = after.inputs[0].view;
    after.outputs.push_back(after.outputs[0]);
    after.outputs[0].reaching = 1;
    before.claims.resize(1);
  }
};

using All = std::vector<Obligation>;

All sorted(All all) {
  std::ranges::sort(all);
  return all;
}

/// What is asked; the checker and the prover enumerate it apart, and must agree.
All asked(Space& space, const Trace* before, const Trace& after, const Boundary& boundary) {
  Certificate content;
  content.checks.push_back({"", before != nullptr ? std::optional(*before) : std::nullopt, after, boundary});
  const std::string text = certificate_text(space, content);
  Space own;
  const checker::Certificate read = checker::read(own, text, false);
  const checker::Check& check = read.checks[0];
  All out;
  for (const checker::Obligation& o :
       checker::enumerate(check.before ? &*check.before : nullptr, check.after, check.boundary))
    out.push_back({static_cast<Kind>(o.kind), o.of_before, o.a, o.b});
  CHECK(sorted(enumerate(before, after, boundary)) == sorted(out));
  return sorted(out);
}

}  // namespace

TEST_CASE("what is asked of a graph, and of two", "[judge]") {
  Asked a;
  Boundary boundary;
  const All of_after{{Kind::modelled, false, 0, 0}, {Kind::claim, false, 0, 0},
                     {Kind::order, false, 0, 0},    {Kind::placed, false, 0, 0},
                     {Kind::store, false, 0, 0},    {Kind::clean, false, 0, 0},
                     {Kind::current, false, 0, 0},  {Kind::current_output, false, 0, 0}};
  All alone = of_after, both = of_after;
  alone.push_back({Kind::defined, false, 0, 0});
  alone.push_back({Kind::defined, false, 1, 0});
  for (const Obligation& o : All{{Kind::claim, true}, {Kind::frame}, {Kind::exit}}) both.push_back(o);
  for (const std::uint32_t k : {0U, 1U})
    for (const Obligation& o : All{{Kind::type, false, k},
                                   {Kind::value, false, k},
                                   {Kind::sharing, false, k},
                                   {Kind::together, false, k}})
      both.push_back(o);
  CHECK(asked(a.space, nullptr, a.after, boundary) == sorted(alone));
  CHECK(asked(a.space, &a.before, a.after, boundary) == sorted(both));
  Trace elsewhere = a.after;  // what lies on other storages shares nothing
  elsewhere.outputs[0].view->storage = 1;
  All fewer = both;
  std::erase(fewer, Obligation{Kind::sharing, false, 0, 0});
  CHECK(asked(a.space, &a.before, elsewhere, boundary) == sorted(fewer));
  elsewhere.storages[1].start = TraceStorage::Start::given;  // but what no input shows of the caller's does
  CHECK(asked(a.space, &a.before, elsewhere, boundary) == sorted(both));
  for (const std::uint32_t anew : {0U, 1U}) {  // the caller makes one of them, as a view of x
    boundary.may_share = {{anew, 0}};
    All rest = both;
    std::erase(rest, Obligation{Kind::together, false, anew, 0});
    CHECK(asked(a.space, &a.before, a.after, boundary) == sorted(rest));  // it may not show the other input
    boundary.may_share.insert({anew, 1});
    std::erase(rest, Obligation{Kind::sharing, false, anew, 0});
    CHECK(asked(a.space, &a.before, a.after, boundary) == sorted(rest));
  }
  boundary.may_share.clear();
  boundary.sharing_may_shrink = false;
  All same = both;
  for (std::uint32_t k = 0; k < a.before.outputs.size(); ++k)
    if (const auto& view = a.before.outputs[k].view) {
      same.push_back({Kind::together, true, k});
      if (std::ranges::any_of(a.before.inputs,
                              [&](const TraceInput& x) { return x.view.storage == view->storage; }))
        same.push_back({Kind::sharing, true, k});
    }
  CHECK(asked(a.space, &a.before, a.after, boundary) == sorted(same));
  boundary.sharing_may_shrink = true;
  boundary.sharing_may_grow = true;
  std::erase_if(both,
                [](const Obligation& o) { return o.kind == Kind::sharing || o.kind == Kind::together; });
  CHECK(asked(a.space, &a.before, a.after, boundary) == sorted(both));
}

TEST_CASE("a solver is asked about equalities alone", "[judge]") {
  const std::set<Kind> equalities{Kind::value, Kind::exit, Kind::current, Kind::current_output};
  for (auto kind = Kind::modelled; kind <= Kind::placed; kind = static_cast<Kind>(static_cast<int>(kind) + 1))
    CHECK(is_equality(kind) == equalities.contains(kind));
  Asked a;
  std::set<Kind> met;
  for (const bool single : {false, true}) {
    Certificate c;
    c.checks.push_back({"", single ? std::nullopt : std::optional(a.before), a.after, {}});
    for (const Obligation& o : enumerate(single ? nullptr : &a.before, a.after, {})) {
      c.checks[0].by_solver = {o};
      INFO(static_cast<int>(o.kind) << " " << o.a << " " << o.b);
      const bool counts = equalities.contains(o.kind) && o.a == 0;  // `before` has one output
      CHECK(nc_check(a.space, c).by_solver == (counts ? 1 : 0));
      met.insert(o.kind);
    }
  }
  CHECK(met.size() == static_cast<std::size_t>(Kind::placed) + 1);
}

TEST_CASE("sums are those that a certificate's page describes", "[judge]") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(checksum("") == "0000000000000000");
  CHECK(checksum("noclobber") == "17c1d1d45f1933a0");
  CHECK(checksum("12345678") == "4f0af08f98573ec2");
  CHECK(checksum("1234567812345678") == "fbaca7969cf2cf2d");
}

}  // namespace judge_test
