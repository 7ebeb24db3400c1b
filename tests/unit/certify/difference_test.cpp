// The search for a witness: what it finds breaks what it says, and it finds nothing where nothing is wrong.
#include "src/certify/difference.h"

#include "tests/catch.h"
#include "tests/support/traced.h"

namespace difference_test {

using namespace noclobber;
using namespace noclobber::testing;
using Kind = Obligation::Kind;
using Place = std::vector<std::int64_t>;

namespace {

constexpr StorageId kGiven = 0, kFresh = 1, kOther = 2;

struct Graphs {
  Space space = searching_space();
  const Shape four{space.constant(4)};
  Trace before;
  Boundary boundary;

  Graphs() {
    before.storages = {{TraceStorage::Start::given, "in:x", four, 0, true, false},
                       {TraceStorage::Start::undefined, "fresh 0", four, 0, true, false},
                       {TraceStorage::Start::undefined, "fresh 1", four, 0, true, false}};
    before.inputs = {{"x", part(kGiven, 0, 2)}};
  }
  TraceView part(StorageId storage, std::int64_t start, std::int64_t length, std::int64_t step = 1) {
    Map map;
    map.kind = Map::Kind::slice;
    map.from = four, map.to = {space.constant(length)};
    map.start = space.constant(start), map.step = space.constant(step);
    return {storage, {map}, map.to, "f32", 0};
  }
  static Trace showing(Trace trace, const std::vector<TraceView>& outputs) {
    for (const TraceView& view : outputs) trace.outputs.push_back({view, "", {}, false, std::nullopt});
    return trace;
  }
  /// A found witness is one for nc-check as well.
  std::optional<checker::Refutation> found(const std::optional<Trace>& first, const Trace& second) {
    Certificate content;
    content.about = "difference";
    content.checks.push_back({"", first, second, boundary});
    auto out = find_difference(space, content, {});
    content.refutation = out;
    CHECK((nc_check(space, content).said == Said::refuted) == out.has_value());
    return out;
  }
  std::optional<checker::Refutation> shown(const std::vector<TraceView>& was,
                                           const std::vector<TraceView>& is) {
    return found(showing(before, was), showing(before, is));
  }
};

}  // namespace

TEST_CASE("difference: outputs that become one, and those that were one", "[certify]") {
  Graphs g;
  const TraceView whole = g.part(kFresh, 0, 4), low = g.part(kFresh, 0, 2), high = g.part(kFresh, 2, 2),
                  odd = g.part(kFresh, 1, 2, 2), other = g.part(kOther, 0, 2);
  for (const std::vector<TraceView>& was : {std::vector{low, high}, {low, other}}) {
    CHECK_FALSE(g.shown(was, {low, high}));
    CHECK_FALSE(g.shown(was, {low, other}));
    const auto one = g.shown(was, {low, low}), some = g.shown(was, {low, odd});
    REQUIRE((one && some));
    CHECK((one->about.kind == Kind::together && one->about.a == 1));
    CHECK((one->index == Place{0} && one->other == Place{0}));
    CHECK((some->index == Place{0} && some->other == Place{1}));  // elements 1 of both lie apart
    CHECK(some->path[0].first == 0);
  }
  CHECK_FALSE(g.shown({low, low}, {low, low}));
  CHECK_FALSE(g.shown({low, low}, {low, high}));  // less of it is fine
  CHECK(g.shown({low, odd}, {low, low}));
  CHECK_FALSE(g.shown({whole, low}, {whole, low}));
  CHECK(g.shown({whole, low}, {whole, high}));
  g.boundary.sharing_may_shrink = false;
  const auto less = g.shown({low, low}, {low, high});
  REQUIRE(less);
  CHECK((less->about.kind == Kind::together && less->about.of_before));
}

TEST_CASE("difference: outputs on what the caller sees", "[certify]") {
  Graphs g;
  const TraceView fresh = g.part(kFresh, 0, 2), seen = g.part(kGiven, 0, 2), hidden = g.part(kGiven, 2, 2);
  const auto input = g.shown({fresh}, {seen}), element = g.shown({fresh}, {hidden});
  REQUIRE((input && element));
  CHECK(input->about.kind == Kind::sharing);
  CHECK((input->path.size() == 1 && input->index == Place{0} && input->other == Place{0}));
  CHECK((element->about.kind == Kind::sharing && element->path.empty()));
  CHECK_FALSE(g.shown({seen}, {seen}));
  CHECK_FALSE(g.shown({hidden}, {hidden}));
  CHECK_FALSE(g.shown({fresh}, {fresh}));
}

}  // namespace difference_test
