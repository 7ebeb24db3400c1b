// What a certificate's text may hold: each noun in its place, and just beyond it.
#include "checker/text/read.h"
#include "src/certify/certificate_text.h"
#include "src/values/certificate.h"
#include "tests/catch.h"
#include "tests/support/damage.h"
#include "tests/support/traced.h"

namespace form_test {

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
    trace.inputs.push_back({"c", {2, {}, {}, "b8", 0}});
    TraceStep step;
    step.kind = TraceStep::Kind::move;
    step.reads = {all(0)}, step.writes = {all(1)};
    step.access = {{Access::elementwise}};
    trace.steps = {step};
    trace.outputs.push_back({all(1), "", {space.symbol("s")}, true, std::nullopt});
    trace.arenas = {space.constant(64)};
    TracePlacement p;
    p.size = space.constant(16), p.last = 2, p.storage = 2;
    trace.placements = {p};
  }
  TraceView all(StorageId storage, std::int16_t lanes = 4) const { return {storage, {}, four, "f32", lanes}; }
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
  const Answer out = nc_check(text);
  return out.said == Said::unreadable ? out.why.substr(out.why.find("expected")) : "";
}

template <class Change>
std::string fault_with(Change change) {
  Written w;
  change(w, w.trace);
  return fault_of(w.text());
}

/// A certificate of nothing but tables, which is not one: "expected a check" is all that is wrong.
std::string tables(const std::string& table, const std::string& views, const std::string& steps,
                   const std::string& symbols = "0") {
  return fault_of(hashed("noclobber.cert/2\nabout 1:x\ninputs 0\noperators 1:x\nassumptions 0\nsymbols " +
                         symbols + "\nnumbers " + table + "\nfacts 0\nviews " + views +
                         "\nstorages 0\nsteps " + steps + "\nevidence 0\nchecks 0\nrefutation 0\n"));
}
std::string numbers(const std::string& symbols, const std::string& table) {
  return tables(table, "0", "0", symbols);
}

}  // namespace

TEST_CASE("what a certificate says is what is read", "[form]") {
  Written w;
  Space space;
  const std::string text = w.text();
  const checker::Certificate read = checker::read(space, text, false);
  CHECK(read.symbols == std::map<std::string, std::int64_t>{{"s", 3}});
  CHECK(space.plain(space.sub(space.symbol("s"), space.constant(1))));
  CHECK_FALSE(space.plain(space.sub(space.symbol("s"), space.constant(2))));
  CHECK(space.plain(space.sub(space.constant(5), space.symbol("s"))));
  CHECK(read.checks[0].boundary.may_share == w.content.checks[0].boundary.may_share);
  Space values;
  checker::read(values, text, true);
  CHECK(values.atom_count() == 0);  // symbols are their values
}

TEST_CASE("views are made of maps that fit their storage", "[form]") {
  CHECK(fault_with([](Written& w, Trace& t) { t.inputs[0].view = w.part(w.four, 2); }).empty());
  const std::string fit = "expected maps that fit one another, from the storage to the view";
  CHECK(fault_with([](Written& w, Trace& t) { t.inputs[0].view = w.part({w.space.constant(5)}, 2); }) == fit);
  CHECK(fault_with([](Written& w, Trace& t) { t.inputs[0].view = w.all(0, 2); }) == fit);
  CHECK(fault_with([](Written& w, Trace& t) { t.inputs[0].view = w.all(0, -1); }) ==
        "expected a count of parts");
  CHECK(fault_with([](Written& w, Trace& t) { t.inputs[0].view = w.all(0, 0); }) == fit);
  CHECK(fault_with([](Written& w, Trace& t) { t.inputs[0].view.shape = {w.space.constant(5)}; }) == fit);
  CHECK(fault_with([](Written& w, Trace& t) {
          t.inputs[0].view = w.part(w.four, 2);
          t.inputs[0].view.shape = w.four;
        }) == fit);
  CHECK(fault_with([](Written& w, Trace& t) {  // no map sees a dimension of no bytes
          t.storages[2].shape = w.four;
          t.inputs.pop_back(), t.placements.clear();
          Map flat{Map::Kind::reshape, {w.four[0], w.space.constant(0)}, {0}, 0, 0, 0, 0, {}, {}};
          t.inputs[0].view = {2, {flat}, {0}, "f32", 0};
        }) == fit);
  CHECK(fault_with([](Written& w, Trace& t) {  // nor does a view of one storage fit another
          t.storages[1].shape = {w.space.constant(5)};
          t.inputs[1].view.shape = t.storages[1].shape;
        }) == fit);
}

TEST_CASE("a map has the dimensions it speaks of", "[form]") {
  const std::string good = "expected a check", maps = "expected dimensions of the map",
                    equal = "expected groups of equally many elements",
                    all = "expected groups of all dimensions";
  const auto view = [](const std::string& map) {
    return tables("2\np 1 4 0\np 1 1 0", "1\n 3:f32 0 1 0 1 " + map, "0");
  };
  CHECK(view("0 1 0 1 0 0 1 0 0 0") == good);  // i0 -> 4 + 4 i0
  CHECK(view("0 1 0 1 0 0 0") == good);
  CHECK(view("0 1 0 1 0 0 1 1 0 0") == maps);
  CHECK(view("0 1 0 1 0 0 1 0 1 0") == maps);
  CHECK(view("0 1 0 1 0 0 1 0 0 2") == "expected a number of the table");
  CHECK(view("0 1 0 1 0 2 1 0 0 0") == "expected a number of the table");
  CHECK(view("2 1 0 1 0 0 1 0 0 0") == "expected 0 or 1");
  CHECK(view("1 2 0 0 2 0 0 1 2 2") == good);
  CHECK(view("1 2 0 0 2 0 0 2 1 1 2 2") == good);
  CHECK(view("1 2 0 1 1 0 2 1 1 2 1") == good);  // the later of both has dimensions of one side only
  CHECK(view("1 2 0 0 1 0 1 2 1") == good);      // that a reshape keeps its elements is not known
  CHECK(view("1 2 0 0 2 0 0 2 2 1 2 2") == equal);
  CHECK(view("1 2 0 0 2 0 0 2 0 1 2 2") == equal);
  CHECK(view("1 2 0 0 2 0 0 2 2 2 1 2") == equal);  // not in order
  CHECK(view("1 2 0 0 2 0 0 1 1 2") == equal);
  CHECK(view("1 2 0 0 2 0 0 1 2 3") == equal);
  CHECK(view("1 2 0 0 2 0 0 1 1 1") == all);
  CHECK(view("1 2 0 0 2 0 0 0") == all);
  CHECK(view("1 0 0 0") == good);
}

TEST_CASE("a form of a step has a place for each read and write", "[form]") {
  const std::string good = "expected a check", form = "expected a step of this form";
  const auto step = [](const std::string& text) { return tables("0", "0", "1\n " + text); };
  CHECK(step("0 0: 0 1 1 1 1 0 0") == good);  // a move
  CHECK(step("0 0: 0 2 1 2 1 0 1 0 0") == form);
  CHECK(step("0 0: 0 0 1 0 0") == form);
  CHECK(step("0 0: 0 1 2 1 2 0 0 0") == form);
  CHECK(step("0 0: 1 1 1 1 1 0 0") == form);
  CHECK(step("1 1:1 0 0 1 0 0") == good);  // a fill
  CHECK(step("1 1:1 0 1 1 1 1 0 0") == form);
  CHECK(step("1 1:1 0 0 2 0 0") == form);
  CHECK(step("1 1:1 0 0 0 0 0") == form);
  CHECK(step("2 1:f 0 2 2 2 2 0 1 2 2 0 0") == good);  // an operator
  CHECK(step("2 1:f 0 2 2 1 2 0 1 0") == form);
  CHECK(step("2 1:f 0 2 2 2 2 0 1 1 2 0") == form);
  CHECK(step("2 1:f 0 2 2 2 2 0 1 2 2 3 0") == "expected a smaller kind");
  CHECK(step("2 1:f 0 0 0 0 0") == good);
  CHECK(step("2 1:f 1 1 1 1 1 1 0") == good);
  CHECK(step("2 1:f 1 1 2 1 2 1 1 0") == form);
  CHECK(step("3 1:f 0 0 0 0 0") == "expected a smaller kind");
}

TEST_CASE("what is one size for a whole Trace depends on no index of an element", "[form]") {
  const std::string none = "expected numbers without an index";
  const auto starts_at = [](auto number) {
    return fault_with([&](Written& w, Trace& t) {
      t.steps[0].writes[0] = t.steps[0].reads[0] = w.part(w.four, 1);
      t.steps[0].writes[0].maps.edit()[0].start = number(w);
    });
  };
  CHECK(starts_at([](Written&) { return PolyId{0}; }).empty());
  CHECK(starts_at([](Written& w) { return w.space.symbol("s"); }).empty());
  CHECK(starts_at([](Written& w) { return w.space.index(0, w.four[0]); }) ==
        none);  // each element, one by one
  CHECK(starts_at([](Written& w) { return w.space.index(Space::kLane, w.four[0]); }) == none);
  CHECK(starts_at([](Written& w) {
          return w.space.quotient_in(w.space.index(0, w.four[0]), w.space.constant(3));
        }) == none);
  CHECK(starts_at([](Written& w) { return w.space.opaque("n", {w.space.index(0, w.four[0])}); }) == none);
  CHECK(fault_with([](Written& w, Trace& t) { t.arenas = {w.space.index(0, w.four[0])}; }) == none);
  CHECK(fault_with([](Written& w, Trace& t) { t.placements[0].size = w.space.index(0, w.four[0]); }) == none);
  CHECK(fault_with([](Written& w, Trace& t) { t.outputs[0].strides = {w.space.index(0, w.four[0])}; }) ==
        none);
}

TEST_CASE("a shape has fewer dimensions than the number of the running byte", "[form]") {
  const auto with = [](std::size_t rank) {
    return fault_with([&](Written& w, Trace& t) {
      t.storages[2].shape = t.inputs[2].view.shape = Shape(rank, w.space.constant(1));
    });
  };
  CHECK(with(Space::kLane - 1).empty());
  CHECK(with(Space::kLane) == "expected fewer dimensions");
}

TEST_CASE("steps, edges and placements are about what there is", "[form]") {
  const std::string step = "expected a step of this form", storage = "expected a storage of the trace";
  CHECK(fault_with([](Written&, Trace&) {}).empty());
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

TEST_CASE("a number is in normal form, and each is there once", "[form]") {
  const std::string good = "expected a check", order = "expected products in order, of atoms in order",
                    normal = "expected a number in normal form, not one of those before";
  const auto three = [](const std::string& more) {
    const auto lines = 4 + std::count(more.begin(), more.end(), '\n');
    return numbers("3\n 1:s 1 2 0 2\n 1:t 1 2 0 2\n 1:u 1 2 0 2",
                   std::to_string(lines) + "\ns 1:s\ns 1:t\ns 1:u\n" + more);
  };
  CHECK(three("p 3 7 0 2 2 0 1 -1 1 1") == good);
  CHECK(three("p 2 -1 1 1 2 2 0 1") == order);    // products
  CHECK(three("p 2 2 2 1 0 -1 1 1") == order);    // factors
  CHECK(three("p 2 2 2 0 0 -1 1 1") == good);     // a square
  CHECK(three("p 2 2 1 0 -1 1 0") == order);      // of one kind
  CHECK(three("p 2 0 1 0 -1 1 1") == order);      // none
  CHECK(three("p 1 2 1 0\np 1 3 1 3") == order);  // of a sum
  CHECK(three("p 1 2 1 0\nq 0 2\np 1 3 1 4") == good);
  CHECK(three("p 1 1 1 0") == normal);  // s itself
  CHECK(three("p 1 1 2 0 0") == good);
  CHECK(three("p 0\np 1 0 0") == order);
  CHECK(three("p 0\np 1 1 0") == good);
  CHECK(three("p 0\np 0") == normal);
  CHECK(three("s 1:s") == normal);
  CHECK(three("bad\nbad") == normal);
  CHECK(three("p 1 1 0\nq 0 3") == normal);  // s / 1
  CHECK(three("p 1 1 0\ni 0 3") == normal);  // 0, in a dimension of one element
  CHECK(three("p 1 2 0\nq 0 3\ni 0 3\nf 1:f 1 3") == good);
  CHECK(three("p 1 2 0\nf 1:f 1 3\nf 1:f 1 3") == normal);
}

TEST_CASE("of one content there is one text", "[form]") {
  Written w;
  const std::string text = body_of(w.text());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    REQUIRE(other.find(from) != std::string::npos);
    other.replace(other.find(from), from.size(), to);
    const Answer out = nc_check(hashed(other));
    return out.said == Said::unreadable ? out.why : "";
  };
  const auto says = [](const std::string& said, const std::string& line, const std::string& wanted) {
    return said.starts_with("line " + line + ", byte ") && said.ends_with(": expected " + wanted);
  };
  CHECK(with("about", "about").empty());
  CHECK(says(with("about 4:form", "about  4:form"), "2", "a text"));
  CHECK(says(with("about 4:form", "about\n4:form"), "2", "one blank"));
  CHECK(says(with("about 4:form", "about 04:form"), "2", "a number without needless zeros"));
  CHECK(says(with("inputs 0\n", "inputs 0 "), "3", "a line's end"));
  CHECK(says(with("inputs 0\n", "inputs 0\n\n"), "4", "operators"));
  CHECK(says(with(" 1:s 1 1 1 5 3", " 1:s 1 1 1 05 3"), "7", "a number without needless zeros"));
  CHECK(says(with(" 1:s 1 1 1 5 3", " 1:s 1 -0 1 5 3"), "7", "a number without needless zeros"));
  CHECK(with(" 1:s 1 1 1 5 3", " 1:s 1 -1 1 5 3").empty());
  CHECK(says(with("noclobber.cert/2", "\nnoclobber.cert/2"), "1", "noclobber.cert/2"));
  CHECK(with("noclobber.cert/2", "noclobber.cert/1") ==
        "a text of noclobber.cert/1, which is no longer read: write it again as noclobber.cert/2");
  const std::string whole = hashed(text);
  CHECK(nc_check(whole).said != Said::unreadable);
  CHECK(nc_check(whole + "\n").said == Said::unreadable);
  CHECK(nc_check(whole.substr(0, whole.size() - 1)).said == Said::unreadable);
}

TEST_CASE("each form is in its table once", "[form]") {
  const std::string good = "expected a check", another = "expected another form";
  const std::string view = "\n 3:f32 0 1 0 0", step = "\n 1 1:1 0 0 1 0 0";
  CHECK(tables("1\np 1 4 0", "2" + view + "\n 3:i32 0 1 0 0", "0") == good);
  CHECK(tables("1\np 1 4 0", "2" + view + view, "0") == another);
  CHECK(tables("0", "0", "2" + step + "\n 1 1:2 0 0 1 0 0") == good);
  CHECK(tables("0", "0", "2" + step + step) == another);
}

}  // namespace form_test
