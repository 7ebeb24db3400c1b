// Views that say in a certificate what no view of a program says: each beside its honest twin.
#include <regex>

#include "checker/check.h"
#include "tests/support/damage.h"
#include "tests/unit/checker/two.h"

namespace forged_views_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

/// The text with one place of it, which must be there, as it may be read, too.
std::string forged(const std::string& text, const std::string& from, const std::string& to) {
  const std::string out = std::regex_replace(body_of(text), std::regex(from), to);
  REQUIRE(out != body_of(text));
  return hashed(out);
}

/// x is cleared, and shown: by some view before, as a whole after.
std::string shown_as_a_whole(Space& space, const Shape& shape, const TraceView& before) {
  Trace trace;
  trace.storages.push_back({TraceStorage::Start::given, "in:x", shape, 0, true, true});
  const TraceView all{0, {}, shape, "f32", 0};
  trace.inputs = {{"x", all}};
  trace.steps = {fill("f32:0", all)};
  trace.outputs = {{all, "", {}, false, std::nullopt}};
  Certificate content;
  content.checks.push_back({"", trace, trace, {}});
  content.checks[0].before->outputs[0].view = before;
  return certificate_text(space, content);
}

}  // namespace

TEST_CASE("an output shows a whole storage where it shows each element, for all sizes", "[forged]") {
  Space space;
  space.range("s", 0, 1);
  const Shape four{space.constant(4)};
  const auto said = [&](PolyId stride) {
    Map map;
    map.kind = Map::Kind::strided;
    map.from = map.to = four;
    map.strides = {stride};
    return nc_check(shown_as_a_whole(space, four, {0, {map}, four, "f32", 0}));
  };
  CHECK(said(space.constant(1)).said == Said::proved);
  CHECK(said(0).why == kOpen);
  CHECK(said(space.symbol("s")).said == Said::not_proved);  // of stride 0 it shows one element
  CHECK(said(space.symbol("s")).why == kOpen);
}

TEST_CASE("a diagonal that is repeated shows no whole storage", "[forged]") {
  Space space;
  const PolyId four = space.constant(4);
  const Shape square{four, four};
  Map map;
  map.kind = Map::Kind::permute;
  map.from = map.to = square, map.order = {0, 1};
  const std::string text = shown_as_a_whole(space, square, {0, {map}, square, "f32", 0});
  CHECK(nc_check(text).said == Said::proved);
  const std::string twice = forged(text, R"( 2 0 0 (\d+) 1 1 \1)", " 2 0 0 $1 0 1 $1");
  CHECK(nc_check(twice).said == Said::not_proved);
  CHECK(nc_check(twice).why == kOpen);
}

TEST_CASE("groups of a reshape hold equally many elements", "[forged]") {
  // s, [4, 2], has columns 0 and 1; a, [2, 4], becomes the same elements, so that its columns are 0, 1, 0, 1.
  Space space;
  const PolyId one = space.constant(1), two = space.constant(2), four = space.constant(4);
  const Shape high{four, two}, wide{two, four};
  Trace before;
  before.storages.push_back({TraceStorage::Start::given, "in:a", wide, 0, true, true});
  before.storages.push_back({TraceStorage::Start::undefined, "fresh 0", high, 0, true, false});
  const TraceView a{0, {}, wide, "f32", 0}, s{1, {}, high, "f32", 0};
  before.inputs = {{"a", a}};
  Map turned;
  turned.from = wide, turned.to = high;
  const TraceView a_high{0, {turned}, high, "f32", 0};
  const auto column = [&](TraceView view, std::int64_t number) {
    Map map;
    map.kind = Map::Kind::slice;
    map.from = map.to = view.shape, map.to[1] = one;
    map.dim = 1, map.start = space.constant(number), map.step = one;
    view.shape = map.to, view.maps.edit().push_back(map);
    return view;
  };
  const auto columns = [&](const TraceView& view) {
    return std::vector{fill("f32:2", view), fill("f32:0", column(view, 0)), fill("f32:1", column(view, 1))};
  };
  before.steps = columns(s);
  before.steps.push_back(move(s, a_high));
  Certificate content;
  content.checks.push_back({"", before, before, {}});
  Trace& after = content.checks[0].after;
  after.steps = columns(a_high);
  CHECK(nc_check_certified(space, content).said == Said::proved);
  after.steps = columns(a);  // 0, 1, 2, 2
  CHECK(nc_check_certified(space, content).why == kOpen);
  const std::string each = forged(certificate_text(space, content), R"(1 2 (\d+) (\d+) 2 \2 \1 1 2 2)",
                                  "1 2 $1 $2 2 $2 $1 2 1 1 2 2");
  Space searching = searching_space();
  CHECK(checker::check(each, searching).said != Said::proved);
}

}  // namespace forged_views_test
