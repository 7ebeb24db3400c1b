// Which places of outputs are one: the rules of both sides against enumeration.
#include "checker/kernel/sharing.h"
#include "checker/text/read.h"

#include <algorithm>

#include "src/certify/certificate_text.h"
#include "src/certify/nonnegative.h"
#include "src/values/sharing.h"
#include "tests/catch.h"
#include "tests/support/sample.h"
#include "tests/support/trace_boundary.h"
#include "tests/support/traced.h"

namespace sharing_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

constexpr StorageId kGiven = 0, kFresh = 1;

/// Two graphs that do nothing but show views of an input of 4 x 4 elements, and of a storage of their own.
struct Showing {
  Space space;
  Random random;
  Trace before, after;
  Boundary boundary;

  explicit Showing(std::uint64_t seed) : random(seed) {
    const PolyId four = space.constant(4);
    before.storages = {{TraceStorage::Start::given, "in:x", {four, four}, 0, true, true},
                       {TraceStorage::Start::undefined, "fresh 0", {four, four}, 0, true, false}};
    before.inputs = {{"x", whole(kGiven)}};
    if (pick(3) == 0) before.inputs[0].view = part(whole(kGiven));
    after = before;
    const auto outputs = 1 + pick(3);
    for (std::uint32_t k = 0; k < outputs; ++k) give(k);
  }
  std::uint32_t pick(std::uint32_t bound) { return static_cast<std::uint32_t>(random.below(bound)); }
  TraceView whole(StorageId storage) { return {storage, {}, before.storages[storage].shape, "f32", 0}; }
  /// Both graphs show something of one shape as output k: the same, the same elsewhere, or something else.
  void give(std::uint32_t k) {
    const TraceView was = shown();
    TraceView is = pick(2) == 0 ? was : shown();
    for (int tries = 0; tries < 40 && is.shape != was.shape; ++tries) is = shown();
    if (is.shape != was.shape) is = was;
    if (pick(4) == 0) is.storage = was.storage == kGiven ? kFresh : kGiven;
    before.outputs.push_back({was, "", {}, false, std::nullopt});
    after.outputs.push_back({is, "", {}, false, std::nullopt});
    if (pick(8) == 0) boundary.may_share.insert({k, 0});
  }
  TraceView shown() {
    TraceView out = whole(pick(3) == 0 ? kGiven : kFresh);
    for (std::uint32_t more = pick(4); more > 0; --more) out = part(std::move(out));
    return out;
  }
  static TraceView through(TraceView view, Map map) {
    view.shape = map.to;
    view.maps.edit().push_back(std::move(map));
    return view;
  }
  std::int64_t extent(const TraceView& view, std::size_t d) { return space.value(view.shape[d]).value(); }
  TraceView part(TraceView view) {
    if (view.shape.empty()) return view;
    Map map;
    map.from = map.to = view.shape;
    const auto d = pick(static_cast<std::uint32_t>(view.shape.size()));
    map.dim = d;
    switch (pick(5)) {
      case 0: {  // some of a dimension
        map.kind = Map::Kind::slice;
        const std::uint32_t start = pick(static_cast<std::uint32_t>(extent(view, d))), step = 1 + pick(2);
        const std::int64_t most = (extent(view, d) - start + step - 1) / step;
        map.start = space.constant(start), map.step = space.constant(step);
        map.to[d] = space.constant(1 + pick(static_cast<std::uint32_t>(most)));
        return through(std::move(view), map);
      }
      case 1: {
        map.kind = Map::Kind::permute;
        for (std::uint32_t k = 0; k < view.shape.size(); ++k) map.order.push_back(k);
        std::ranges::reverse(map.order), std::ranges::reverse(map.to);
        return through(std::move(view), map);
      }
      case 2: {
        map.kind = Map::Kind::expand;
        for (std::size_t k = 0; k < view.shape.size(); ++k)
          if (extent(view, k) == 1) map.to[k] = space.constant(2);
        return through(std::move(view), map);
      }
      case 3: {  // in one row
        map.kind = Map::Kind::reshape;
        map.to = {element_count(space, view.shape)};
        return through(std::move(view), map);
      }
      default: {  // windows, of a row
        if (view.shape.size() != 1 || extent(view, 0) < 3) return view;
        map.kind = Map::Kind::strided;
        map.dim = 0;
        map.start = space.constant(pick(2));
        map.to = {space.constant(2), space.constant(2)};
        map.strides = {space.constant(pick(2)), space.constant(1)};
        return through(std::move(view), map);
      }
    }
  }
};

struct Answers {
  bool by_search = true, by_checker = true;
};

Answers asked(Showing& s) {
  Answers out;
  const std::vector<Obligation> all = enumerate(&s.before, s.after, s.boundary);
  Certificate content;
  content.checks.push_back({"", s.before, s.after, s.boundary});
  Space searching = searching_space(), own = searching_space();
  const std::string text = certificate_text(s.space, content);
  const checker::Certificate read = checker::read(own, text, false);
  const checker::Check& check = read.checks[0];
  Terms terms(s.space);
  Rules rules(s.space, terms, &s.before, s.after, s.boundary);
  checker::Sharing grown(own, *check.before, check.after, check.boundary),
      shrunk(own, check.after, *check.before, check.boundary);
  for (const Obligation& o : all) {
    if (o.kind != Obligation::Kind::sharing && o.kind != Obligation::Kind::together) continue;
    checker::Sharing& sharing = o.of_before ? shrunk : grown;
    out.by_search = out.by_search && rules.shown(o);
    out.by_checker = out.by_checker && (o.kind == Obligation::Kind::sharing ? sharing.with_inputs(o.a)
                                                                            : sharing.with_outputs(o.a));
  }
  return out;
}

}  // namespace

TEST_CASE("sharing: shown only where no two places become one, and nearly always then", "[sharing]") {
  int right = 0, shown = 0;
  for (std::uint64_t seed = 0; seed < testing::sampled(4000); ++seed) {
    Showing s(seed);
    s.boundary.sharing_may_shrink = s.pick(3) != 0;
    INFO(seed);
    const std::string difference = sharing_difference(s.space, s.before, s.after, s.boundary, {});
    const Answers said = asked(s);
    if (!difference.empty()) {
      INFO(difference);
      CHECK_FALSE(said.by_search);
      CHECK_FALSE(said.by_checker);
      continue;
    }
    ++right;
    shown += said.by_search && said.by_checker ? 1 : 0;
  }
  CHECK(right > static_cast<int>(testing::sampled(500)));
  CHECK(10 * shown > 9 * right);
}

TEST_CASE("sharing: an output on one element twice, or on one that no input shows, is replayed",
          "[sharing]") {
  Space space;
  const Shape four{space.constant(4)};
  Trace before;
  before.storages = {{TraceStorage::Start::given, "in:x", four, 0, true, false},
                     {TraceStorage::Start::undefined, "fresh 0", four, 0, true, false}};
  const auto part = [&](StorageId storage, std::int64_t start, std::int64_t length) {
    Map map;
    map.kind = Map::Kind::slice;
    map.from = four, map.to = {space.constant(length)};
    map.start = space.constant(start), map.step = space.constant(1);
    return TraceView{storage, {map}, map.to, "f32", 0};
  };
  Map twice;
  twice.kind = Map::Kind::expand;
  twice.from = {space.constant(1)}, twice.to = {space.constant(2)};
  TraceView repeated = part(kFresh, 1, 1);
  repeated.maps.edit().push_back(twice), repeated.shape = twice.to;
  before.inputs = {{"x", part(kGiven, 0, 1)}};
  Boundary boundary;
  const auto broken = [&](const TraceView& was, const TraceView& is, const checker::Refutation& witness) {
    Certificate content;
    Trace first = before, second = before;
    first.outputs = {{was, "", {}, false, std::nullopt}},
    second.outputs = {{is, "", {}, false, std::nullopt}};
    content.checks.push_back({"", first, second, boundary});
    content.refutation = witness;
    return nc_check(space, content).said == Said::refuted;
  };
  const Obligation sharing{Obligation::Kind::sharing, false, 0, 0},
      together{Obligation::Kind::together, false, 0, 0}, less{Obligation::Kind::together, true, 0, 0};
  const TraceView alone = part(kFresh, 1, 2), hidden = part(kGiven, 2, 2);
  CHECK(broken(alone, repeated, {together, {0}, {1}, {{0, {}}}, {}}));
  CHECK_FALSE(broken(alone, repeated, {together, {1}, {1}, {{0, {}}}, {}}));
  CHECK_FALSE(broken(repeated, alone, {together, {0}, {1}, {{0, {}}}, {}}));
  CHECK_FALSE(broken(repeated, repeated, {together, {0}, {1}, {{0, {}}}, {}}));
  CHECK_FALSE(broken(repeated, alone, {less, {0}, {1}, {{0, {}}}, {}}));
  boundary.sharing_may_shrink = false;
  CHECK(broken(repeated, alone, {less, {0}, {1}, {{0, {}}}, {}}));
  CHECK(broken(alone, hidden, {sharing, {0}, {}, {}, {}}));
  CHECK_FALSE(broken(hidden, hidden, {sharing, {0}, {}, {}, {}}));
  CHECK_FALSE(broken(alone, part(kGiven, 0, 2), {sharing, {0}, {}, {}, {}}));  // an input shows one of them
}

}  // namespace sharing_test
