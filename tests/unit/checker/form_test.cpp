// What a certificate's text may hold: each noun in its place, and just beyond it.
#include "checker/certificate.h"
#include "src/prover/certificate_text.h"
#include "tests/catch.h"
#include "tests/support/damage.h"

using namespace noclobber;
using namespace noclobber::testing;

namespace {

/// Two inputs of 4 elements of 4 bytes; y becomes x.
struct Written {
  Space space;
  Certificate content;
  Shape four{space.constant(4)};
  Trace trace;

  Written() {
    content.about = "form";
    content.symbols = {{"s", 3}};
    space.range("s", 1, 5);
    for (const char* key : {"in:x", "in:y"})
      trace.storages.push_back({TraceStorage::Start::given, key, four, 4, true, true});
    trace.storages.push_back({TraceStorage::Start::given, "in:c", {}, 0, true, true});
    trace.inputs = {{"x", all(0)}, {"y", all(1)}};
    trace.guards = {{{2, {}, {}, "b8", 0}, 0}};
    TraceStep step;
    step.kind = TraceStep::Kind::move;
    step.reads = {all(0)}, step.writes = {all(1)};
    step.access = {{Access::elementwise}};
    step.guards = {{0, true}};
    trace.steps = {step};
    trace.outputs.push_back({all(1), "", {space.symbol("s")}, true, std::nullopt});
    trace.arenas = {space.constant(64)};
    TracePlacement p;
    p.size = space.constant(16), p.last = 2, p.storage = 2;
    trace.placements = {p};
  }
  TraceView all(StorageId storage, std::int64_t lanes = 4) const { return {storage, {}, four, "f32", lanes}; }
  TraceView part(Shape from, std::int64_t length) {
    Map map;
    map.kind = Map::Kind::slice;
    map.from = std::move(from), map.to = {space.constant(length)};
    map.start = 0, map.step = space.constant(1);
    return {0, {map}, map.to, "f32", 4};
  }
  std::string text() {
    content.checks = {{"", trace, trace, {}, {}}};
    content.checks[0].boundary.may_share = {{0, 0}, {0, 1}};
    return certificate_text(space, content);
  }
};

std::string fault_of(const std::string& text) {
  Space space;
  std::string fault;
  return read_certificate(space, text, false, fault) ? "" : fault.substr(fault.find("expected"));
}

template <class Change>
std::string fault_with(Change change) {
  Written w;
  change(w, w.trace);
  return fault_of(w.text());
}

/// A certificate of nothing but symbols and numbers, which is not one: "expected a check" is all that is
/// wrong.
std::string numbers(const std::string& symbols, const std::string& table) {
  return fault_of(hashed("noclobber.cert/1\nabout 1:x\ninputs 0\noperators 1:x\nassumptions 0\nsymbols " +
                         symbols + "\nnumbers " + table +
                         "\nfacts 0\nviews 0\nstorages 0\nsteps 0\nevidence 0\nchecks 0\nrefutation 0\n"));
}

}  // namespace

TEST_CASE("what a certificate says is what is read", "[form]") {
  Written w;
  Space space;
  std::string fault;
  const auto read = read_certificate(space, w.text(), false, fault);
  INFO(fault);
  REQUIRE(read);
  CHECK(read->symbols == std::map<std::string, std::int64_t>{{"s", 3}});
  CHECK(space.plain(space.sub(space.symbol("s"), space.constant(1))));
  CHECK_FALSE(space.plain(space.sub(space.symbol("s"), space.constant(2))));
  CHECK(space.plain(space.sub(space.constant(5), space.symbol("s"))));
  CHECK(read->checks[0].boundary.may_share == w.content.checks[0].boundary.may_share);
  Space values;
  REQUIRE(read_certificate(values, w.text(), true, fault));
  CHECK(values.atom_count() == 0);  // symbols are their values
}

TEST_CASE("views are made of maps that fit their storage", "[form]") {
  CHECK(fault_with([](Written& w, Trace& t) { t.inputs[0].view = w.part(w.four, 2); }).empty());
  const std::string fit = "expected maps that fit one another",
                    end = "expected maps that end in the view's shape";
  CHECK(fault_with([](Written& w, Trace& t) { t.inputs[0].view = w.part({w.space.constant(5)}, 2); }) == fit);
  CHECK(fault_with([](Written& w, Trace& t) { t.inputs[0].view = w.all(0, 2); }) == end);
  CHECK(fault_with([](Written& w, Trace& t) { t.inputs[0].view = w.all(0, -1); }) == end);
  CHECK(fault_with([](Written& w, Trace& t) { t.inputs[0].view = w.all(0, 0); }) == end);
  CHECK(fault_with([](Written& w, Trace& t) { t.inputs[0].view.shape = {w.space.constant(5)}; }) == end);
  CHECK(fault_with([](Written& w, Trace& t) {
          t.inputs[0].view = w.part(w.four, 2);
          t.inputs[0].view.shape = w.four;
        }) == end);
  CHECK(fault_with([](Written& w, Trace& t) {  // no map sees a dimension of no bytes
          t.storages[2].shape = w.four;
          t.guards.clear(), t.steps[0].guards.clear(), t.placements.clear();
          Map flat{Map::Kind::reshape, {w.four[0], w.space.constant(0)}, {0}, 0, 0, 0, 0, {}, {}};
          t.inputs[0].view = {2, {flat}, {0}, "f32", 0};
        }) == fit);
}

TEST_CASE("steps, edges and placements are about what there is", "[form]") {
  const std::string step = "expected a step of this form", storage = "expected a storage of the trace";
  CHECK(fault_with([](Written&, Trace&) {}).empty());
  CHECK(fault_with([](Written&, Trace& t) { t.steps[0].guards = {{1, true}}; }) == step);
  CHECK(fault_with([](Written&, Trace& t) { t.steps[0].origin = TraceStep::kMostOrigin; }) == step);
  CHECK(fault_with([](Written&, Trace& t) { t.steps[0].origin = TraceStep::kMostOrigin - 1; }).empty());
  CHECK(fault_with([](Written& w, Trace& t) { t.steps[0].reads = {w.part(w.four, 2)}; }) == step);
  CHECK(fault_with([](Written& w, Trace& t) {
          t.steps[0].kind = TraceStep::Kind::opaque;  // which may read anything
          t.steps[0].reads = {w.part(w.four, 2)};
        }).empty());
  CHECK(fault_with([](Written& w, Trace& t) {
          t.steps[0].kind = TraceStep::Kind::opaque, t.steps[0].elementwise = true;
          t.steps[0].reads = {w.part(w.four, 2)};
        }) == step);
  CHECK(fault_with([](Written&, Trace& t) {
          t.edges = {{0, TraceStep::kMostOrigin}};
        }) == "expected a graph step");
  CHECK(fault_with([](Written&, Trace& t) { t.edges = {{0, TraceStep::kMostOrigin - 1}}; }).empty());
  CHECK(fault_with([](Written&, Trace& t) { t.placements[0].storage = 3; }) == storage);
  CHECK(fault_with([](Written&, Trace& t) { t.placements[0].storage.reset(); }).empty());
  CHECK(fault_with([](Written& w, Trace& t) { t.outputs[0].strides.push_back(w.four[0]); }) ==
        "expected the output's strides");
  CHECK(fault_with([](Written&, Trace& t) { t.outputs[0].view.reset(); }) == "expected the output's strides");
  CHECK(fault_with([](Written&, Trace& t) { t.arenas = {Space::kBad}; }) == "expected a number of the table");
}

TEST_CASE("symbols have names of their own and values in range, numbers a kind", "[form]") {
  const std::string good = "expected a check", range = "expected a value in range";
  CHECK(numbers("2\n 1:s 1 0 1 5 3\n 1:t 0 0 -7", "2\nbad\ns 1:s") == good);
  CHECK(numbers("1\n 1:s 1 3 1 3 3", "0") == good);
  CHECK(numbers("1\n 1:s 1 3 1 3 2", "0") == range);
  CHECK(numbers("1\n 1:s 1 3 1 3 4", "0") == range);
  CHECK(numbers("1\n 1:s 1 3 0 2", "0") == range);
  CHECK(numbers("1\n 1:s 0 1 3 4", "0") == range);
  CHECK(numbers("1\n 1:s 2 0 1 5 3", "0") == "expected 0 or 1");
  CHECK(numbers("2\n 1:s 0 0 1\n 1:s 0 0 1", "0") == "expected another name");
  CHECK(numbers("0", "1\nbad") == good);
  CHECK(numbers("0", "1\nz") == "expected a kind of number");
  CHECK(numbers("0", "2\nbad\nq 0 0") == "expected a number of the table");
  CHECK(numbers("0", "1\nq 0 0") == "expected a number of the table");
}
