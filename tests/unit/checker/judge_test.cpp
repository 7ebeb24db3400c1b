// What is asked of a certificate, and what is counted.
#include <algorithm>

#include "checker/certificate.h"
#include "tests/catch.h"

using namespace noclobber;

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
  out.checks.push_back({"", trace, trace, {}, {}});
  out.checks[0].after.steps[0].key = after;
  return out;
}

}  // namespace

TEST_CASE("a judgement counts what was shown, how", "[judge]") {
  Space space;
  Certificate c = honest(space);
  Judgement out = judge(space, c);
  CHECK(out.verdict == Judgement::Verdict::proved);
  CHECK(out.why.empty());
  CHECK(out.obligations == 6);
  CHECK(out.by_rule == 6);
  CHECK(out.by_solver == 0);
  CHECK(out.derivations == 0);
  c.checks.push_back(c.checks[0]);
  c.checks[0].key = "body";
  CHECK(judge(space, c).obligations == 12);
  CHECK(judge(space, c).by_rule == 12);
}

TEST_CASE("a solver's claims are counted, and none is one too many", "[judge]") {
  Space space;
  Certificate c = honest(space, "g");
  CHECK(judge(space, c).why == "1 obligations are open");
  const Obligation value{Kind::value, false, 0, 0};
  c.checks[0].by_solver = {value};
  const Judgement claimed = judge(space, c);
  CHECK(claimed.verdict == Judgement::Verdict::proved);
  CHECK(claimed.by_rule == 5);
  CHECK(claimed.by_solver == 1);
  c.checks[0].by_solver = {value, value};
  CHECK(judge(space, c).why == "surplus claims of a solver");
  c.checks[0].by_solver = {value, {Kind::exit, false, 0, 0}};  // shown by rule
  CHECK(judge(space, c).why == "surplus claims of a solver");
}

TEST_CASE("evidence is used, or it is one too many", "[judge]") {
  Space space;
  space.range("n", 0, std::nullopt);
  const PolyId n = space.symbol("n"), i = space.index(0, n);
  Certificate c = honest(space);
  c.evidence = {{{}, {{Line::Rule::below, 0, 0, 0, i, 0}}}};  // n - 1 - i >= 0
  CHECK(judge(space, c).why == "surplus evidence");
  Space used;
  used.range("n", 0, std::nullopt), used.range("m", 0, std::nullopt);
  const PolyId offset = used.symbol("m"), size = used.add(offset, used.symbol("n"));
  Certificate placed;
  placed.checks.push_back({"", std::nullopt, {}, {}, {}});
  Trace& trace = placed.checks[0].after;
  trace.arenas = {used.index(0, size)};
  TracePlacement p;
  p.offset = 0, p.size = used.index(1, trace.arenas[0]);
  p.last = 1;
  trace.placements = {p};
  CHECK(judge(used, placed).why == "1 obligations are open");
  placed.evidence = {{{},
                      {{Line::Rule::below, 0, 0, 0, p.size, 0},
                       {Line::Rule::plain, 0, 0, 0, used.constant(1), 0},
                       {Line::Rule::add, 0, 1, 0, 0, 0}}}};
  const Judgement out = judge(used, placed);
  CHECK(out.why.empty());
  CHECK(out.derivations == 1);
}

TEST_CASE("facts hold at the values of the symbols, also where they just do", "[judge]") {
  for (const std::int64_t value : {2, 3, 4}) {
    Space space;
    space.assume_nonnegative(space.sub(space.symbol("s"), space.constant(3)));
    Certificate c = honest(space);
    c.symbols = {{"s", value}};
    CHECK((judge(space, c).verdict == Judgement::Verdict::proved) == (value >= 3));
  }
}

TEST_CASE("what is asked of a graph, and of two", "[judge]") {
  Space space;
  const Certificate c = honest(space);
  Trace after = c.checks[0].after;
  after.inputs.push_back({"y", after.inputs[0].view});
  after.unknown = {{"unsupported-op", "zoo.op"}};
  after.claims.resize(1);
  after.any_order = true;
  after.placements.resize(1);
  after.steps[0].means = {0};
  after.outputs[0].view = after.inputs[0].view;
  after.outputs.push_back(after.outputs[0]);
  after.outputs[0].means = 1;
  Trace before = c.checks[0].after;
  before.claims.resize(1);
  Boundary boundary;
  using All = std::vector<Obligation>;
  const All of_after{{Kind::modelled, false, 0, 0}, {Kind::claim, false, 0, 0},
                     {Kind::order, false, 0, 0},    {Kind::placed, false, 0, 0},
                     {Kind::store, false, 0, 0},    {Kind::clean, false, 0, 0},
                     {Kind::current, false, 0, 0},  {Kind::current_output, false, 0, 0}};
  All alone = of_after, both = of_after;
  alone.push_back({Kind::defined, false, 0, 0});
  alone.push_back({Kind::defined, false, 1, 0});
  for (const Obligation& o :
       All{{Kind::claim, true}, {Kind::frame}, {Kind::exit}, {Kind::together, false, 1, 0}})
    both.push_back(o);
  for (const std::uint32_t k : {0U, 1U})
    for (const Obligation& o : All{{Kind::type, false, k},
                                   {Kind::value, false, k},
                                   {Kind::sharing, false, k, 0},
                                   {Kind::sharing, false, k, 1}})
      both.push_back(o);
  const auto sorted = [](All all) {
    std::ranges::sort(all);
    return all;
  };
  CHECK(sorted(enumerate(nullptr, after, boundary)) == sorted(alone));
  CHECK(sorted(enumerate(&before, after, boundary)) == sorted(both));
  Trace elsewhere = after;  // what lies on other storages shares nothing
  elsewhere.outputs[0].view->storage = 1;
  All fewer = both;
  std::erase(fewer, Obligation{Kind::sharing, false, 0, 0});
  std::erase(fewer, Obligation{Kind::sharing, false, 0, 1});
  std::erase(fewer, Obligation{Kind::together, false, 1, 0});
  CHECK(sorted(enumerate(&before, elsewhere, boundary)) == sorted(fewer));
  for (const std::uint32_t anew : {0U, 1U}) {  // the caller makes one of them, as a view of x
    boundary.may_share = {{anew, 0}};
    All rest = both;
    std::erase(rest, Obligation{Kind::sharing, false, anew, 0});
    std::erase(rest, Obligation{Kind::together, false, 1, 0});
    CHECK(sorted(enumerate(&before, after, boundary)) == sorted(rest));
  }
  boundary.sharing_may_grow = true;
  std::erase_if(both,
                [](const Obligation& o) { return o.kind == Kind::sharing || o.kind == Kind::together; });
  CHECK(sorted(enumerate(&before, after, boundary)) == sorted(both));
}

TEST_CASE("a solver is asked about equalities alone", "[judge]") {
  const std::set<Kind> equalities{Kind::value, Kind::exit, Kind::current, Kind::current_output};
  for (auto kind = Kind::modelled; kind <= Kind::placed; kind = static_cast<Kind>(static_cast<int>(kind) + 1))
    CHECK(is_equality(kind) == equalities.contains(kind));
}

TEST_CASE("sums are those that a certificate's page describes", "[judge]") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(checksum("") == "0000000000000000");
  CHECK(checksum("noclobber") == "17c1d1d45f1933a0");
  CHECK(checksum("12345678") == "4f0af08f98573ec2");
  CHECK(checksum("1234567812345678") == "fbaca7969cf2cf2d");
}
