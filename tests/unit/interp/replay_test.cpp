// Each rule: a case that shows it, beside the nearest legal one.
#include "src/interp/replay.h"

#include <algorithm>
#include <string>

#include "tests/catch.h"
#include "tests/unit/interp/replay_case.h"

namespace replay_test {

using namespace noclobber;

namespace {

using testing::add_and_sum;
using testing::find_rule;
using testing::GraphBuilder;
using testing::num;
using testing::pair_of;
using testing::ref;
using testing::sizes;
using testing::through_buffer;

}  // namespace

TEST_CASE("replay: a value read after its storage was overwritten is a stale read") {
  const ReplayResult result = replay(pair_of(add_and_sum(false, false), add_and_sum(true, false)), {});
  const Witness* w = find_rule(result, "NC001");
  REQUIRE(w != nullptr);
  CHECK(w->property == "stale-read");
  CHECK(w->define->name == "b");
  CHECK(w->clobber->name == "w");
  CHECK(w->read->name == "r");
  CHECK(w->storage == "b");
  CHECK(w->first_byte == 0);
  CHECK(w->last_byte == 16);
  CHECK(w->where == "output 1");
}

TEST_CASE("replay: the same write after the last read is right") {
  const ReplayResult result = replay(pair_of(add_and_sum(false, false), add_and_sum(true, true)), {});
  CHECK(result.witnesses.empty());
  CHECK_FALSE(result.approximated);
  CHECK_FALSE(result.unsupported);
}

TEST_CASE("replay: a graph is right for itself") {
  CHECK(replay(pair_of(add_and_sum(true, false), add_and_sum(true, false)), {}).witnesses.empty());
}

TEST_CASE("replay: reading a buffer that nothing has written is an uninitialised read") {
  const ReplayResult result = replay(through_buffer(false), {});
  const Witness* w = find_rule(result, "NC002");
  REQUIRE(w != nullptr);
  CHECK(w->define->name == "B");
  CHECK(w->read->name == "u");
}

TEST_CASE("replay: reading the buffer after it was written is right") {
  CHECK(replay(through_buffer(true), {}).witnesses.empty());
}

namespace {

Graph doubled(bool in_place, bool returned) {
  GraphBuilder g;
  const ValueId x = g.input("x", {3});
  const ValueId y = g.step("y", in_place ? "aten.mul_.Scalar" : "aten.mul.Scalar", {ref(x), num(2)});
  const ValueId z = returned ? y : g.step("z", "aten.neg.default", {ref(y)});
  return g.returning({z});
}

}  // namespace

TEST_CASE("replay: an input that before leaves alone may not be written") {
  const ReplayResult result = replay(pair_of(doubled(false, false), doubled(true, false)), {});
  const Witness* w = find_rule(result, "NC003");
  REQUIRE(w != nullptr);
  CHECK(w->clobber->name == "y");
  CHECK(w->storage == "x");
}

TEST_CASE("replay: an input that before writes as well may be written") {
  CHECK(replay(pair_of(doubled(true, false), doubled(true, false)), {}).witnesses.empty());
}

TEST_CASE("replay: an input with free contents at exit may be written") {
  Case value = pair_of(doubled(false, false), doubled(true, false));
  value.after.inputs[0].may_write = true;
  CHECK(replay(value, {}).witnesses.empty());
}

namespace {

Graph selected(std::int64_t index) {
  GraphBuilder g;
  const ValueId x = g.input("x", {4, 2});
  const ValueId y = g.step("y", "aten.select.int", {ref(x), num(0), num(index)});
  return g.returning({g.step("r", "aten.neg.default", {ref(y)})});
}

}  // namespace

TEST_CASE("replay: another row is a value mismatch") {
  const ReplayResult result = replay(pair_of(selected(1), selected(2)), {});
  REQUIRE(result.witnesses.size() == 1);
  CHECK(result.witnesses[0].rule == "NC004");
  CHECK(result.witnesses[0].index == std::vector<std::int64_t>{0});
}

TEST_CASE("replay: the same row counted from the end is right") {
  CHECK(replay(pair_of(selected(1), selected(-3)), {}).witnesses.empty());
}

namespace {

Graph written_back(bool returns_input) {
  GraphBuilder g;
  const ValueId x = g.input("x", {3});
  const ValueId y = g.step("y", "aten.add.Scalar", {ref(x), num(1)});
  const ValueId w = g.step("w", "aten.copy_.default", {ref(x), ref(y)});
  return g.returning({returns_input ? w : y});
}

}  // namespace

TEST_CASE("replay: an output that becomes an input is alias growth") {
  const ReplayResult result = replay(pair_of(written_back(false), written_back(true)), {});
  REQUIRE(result.witnesses.size() == 1);
  CHECK(result.witnesses[0].rule == "NC005");
}

TEST_CASE("replay: sharing may shrink, and may grow where the case allows it") {
  CHECK(replay(pair_of(written_back(true), written_back(false)), {}).witnesses.empty());
  Case value = pair_of(written_back(false), written_back(true));
  value.sharing_may_grow = true;
  CHECK(replay(value, {}).witnesses.empty());
}

namespace {

Graph counter(bool updated) {
  GraphBuilder g;
  const ValueId n = g.input("n", {2});
  const ValueId x = g.input("x", {2});
  const ValueId r = g.step("r", "aten.neg.default", {ref(x)});
  if (updated) g.step("w", "aten.add_.Tensor", {ref(n), ref(x)});
  return g.returning({r});
}

}  // namespace

TEST_CASE("replay: a dropped update of an input is a lost mutation") {
  const ReplayResult result = replay(pair_of(counter(true), counter(false)), {});
  const Witness* w = find_rule(result, "NC006");
  REQUIRE(w != nullptr);
  CHECK(w->where == "n at exit");
}

TEST_CASE("replay: an update that happens is not lost") {
  CHECK(replay(pair_of(counter(true), counter(true)), {}).witnesses.empty());
}

namespace {

Graph shifted(bool cloned) {
  GraphBuilder g;
  const ValueId x = g.input("x", {5});
  const ValueId b = g.step("b", "aten.neg.default", {ref(x)});
  const ValueId to = g.step("to", "aten.slice.Tensor", {ref(b), num(0), num(1), num(5)});
  ValueId from = g.step("from", "aten.slice.Tensor", {ref(b), num(0), num(0), num(4)});
  if (cloned) from = g.step("t", "aten.clone.default", {ref(from)});
  g.step("w", "aten.copy_.default", {ref(to), ref(from)});
  return g.returning({b});
}

}  // namespace

TEST_CASE("replay: a copy onto its own shifted source is an overlap within one step") {
  const ReplayResult result = replay(pair_of(shifted(true), shifted(false)), {});
  const Witness* w = find_rule(result, "NC007");
  REQUIRE(w != nullptr);
  CHECK(w->clobber->name == "w");
}

TEST_CASE("replay: the copy of a clone is right") {
  CHECK(replay(pair_of(shifted(true), shifted(true)), {}).witnesses.empty());
}

namespace {

Graph add_rows(bool in_place, bool expanded) {
  GraphBuilder g;
  const ValueId x = g.input("x", {2});
  const ValueId y = g.input("y", {3, 2});
  const ValueId b = g.step("b", "aten.neg.default", {ref(x)});
  ValueId e = g.step("e", "aten.expand.default", {ref(b), sizes({3, 2})});
  if (!expanded) e = g.step("c", "aten.clone.default", {ref(e)});
  return g.returning({g.step("r", in_place ? "aten.add_.Tensor" : "aten.add.Tensor", {ref(e), ref(y)})});
}

}  // namespace

TEST_CASE("replay: a write into an expanded view is a self overlap") {
  CHECK(find_rule(replay(pair_of(add_rows(false, true), add_rows(true, true)), {}), "NC008") != nullptr);
}

TEST_CASE("replay: a write into a clone of the expanded view is right") {
  CHECK(replay(pair_of(add_rows(false, true), add_rows(true, false)), {}).witnesses.empty());
}

namespace {

Case add_into(std::int64_t rows) {
  const auto graph = [rows](bool in_place) {
    GraphBuilder g;
    const ValueId x = g.input("x", {rows, 3});
    const ValueId y = g.input("y", {2, 3});
    const ValueId h = g.step("h", "aten.neg.default", {ref(x)});
    return g.returning({g.step("r", in_place ? "aten.add_.Tensor" : "aten.add.Tensor", {ref(h), ref(y)})});
  };
  return pair_of(graph(false), graph(true));
}

}  // namespace

TEST_CASE("replay: a result that outgrows its storage does not fit") {
  const ReplayResult result = replay(add_into(1), {});
  CHECK(find_rule(result, "NC021") != nullptr);
  CHECK(find_rule(result, "NC020") != nullptr);
}

TEST_CASE("replay: a result of its target's shape fits") { CHECK(replay(add_into(2), {}).witnesses.empty()); }

namespace {

Graph transposed(bool contiguous) {
  GraphBuilder g;
  const ValueId x = g.input("x", {2, 3});
  const ValueId n = g.step("n", "aten.neg.default", {ref(x)});
  const ValueId t = g.step("t", "aten.t.default", {ref(n)});
  return g.returning({contiguous ? g.step("c", "aten.clone.default", {ref(t)},
                                          {{"memory_format", Arg::of_text("contiguous_format")}})
                                 : t});
}

}  // namespace

TEST_CASE("replay: strides of an output count only where the case compares them") {
  Case value = pair_of(transposed(false), transposed(true));
  CHECK(replay(value, {}).witnesses.empty());
  value.compare_strides = true;
  CHECK(find_rule(replay(value, {}), "NC020") != nullptr);
}

}  // namespace replay_test
