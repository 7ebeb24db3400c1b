// Loops and branches as the steps that stand for them, compared as text.
#include "src/ops/branches.h"
#include "src/ops/unrolled.h"
#include "tests/catch.h"
#include "tests/support/graph_text.h"

namespace written_loops_test {

using namespace noclobber;

namespace {

const std::string kPair = testing::json_tensor("a") + ", " + testing::json_tensor("b");
const std::string kFirst = R"({"ref": "a"})", kSecond = R"({"ref": "b"})";

const std::string kBodies =
    R"("graphs": {"t": )" +
    testing::json_graph(testing::json_tensor("x"),
                        R"({"name": "y", "op": "aten.neg.default", "args": [{"ref": "x"}], "id": "n"})",
                        R"({"ref": "y"})") +
    R"(, "f": )" +
    testing::json_graph(
        testing::json_tensor("x"),
        R"({"names": ["y"], "op": "higher_order.invoke_subgraph", "args": [{"graph": "t"}, "t", {"ref": "x"}]})",
        R"({"ref": "y"})") +
    R"(, "g": )" +
    testing::json_graph(
        testing::json_tensor("x") + R"(, {"name": "c", "type": {"dtype": "bool", "shape": []}})",
        R"({"names": ["y"], "op": "higher_order.cond", "args": [{"ref": "c"}, {"graph": "t"}, {"graph": "f"}, [{"ref": "x"}]]})",
        R"({"ref": "y"})") +
    "}, ";
const std::string kGiven =
    testing::json_tensor("a") + R"(, {"name": "c", "type": {"dtype": "bool", "shape": []}})";
const std::string kIf = R"({"ref": "c"})";

std::string cond(const std::string& name, const std::string& pred, const std::string& yes,
                 const std::string& no, const std::string& operands) {
  return R"({"names": [")" + name + R"("], "op": "higher_order.cond", "args": [)" + pred +
         R"(, {"graph": ")" + yes + R"("}, {"graph": ")" + no + R"("}, [)" + operands + "]]}";
}

std::string worlds(const std::string& steps) {
  std::string out;
  const Case value = testing::read_as(kBodies, testing::json_graph(kGiven, "", kFirst),
                                      testing::json_graph(kGiven, steps, R"({"ref": "r"})"));
  for (const World& w : worlds_of(value)) out += "if " + w.name + "\n" + testing::graph_text(w.value.after);
  return out;
}

}  // namespace

TEST_CASE("written out: loops over rows") {
  const std::string body =
      R"("graphs": {"f": )" +
      testing::json_graph(
          testing::json_tensor("c") + ", " + testing::json_tensor("x") + ", " + testing::json_tensor("k"),
          R"({"name": "s", "op": "aten.add.Tensor", "args": [{"ref": "c"}, {"ref": "x"}]},
                                   {"name": "p", "op": "aten.mul.Tensor", "args": [{"ref": "s"}, {"ref": "k"}]})",
          R"({"ref": "s"}, {"ref": "p"})") +
      R"(, "m": )" +
      testing::json_graph(testing::json_tensor("x") + ", " + testing::json_tensor("k"),
                          R"({"name": "p", "op": "aten.mul.Tensor", "args": [{"ref": "x"}, {"ref": "k"}]})",
                          R"({"ref": "p"})") +
      "}, ";
  const std::string inputs = testing::json_tensor("a") + ", " + testing::json_tensor("rows", "2, 4") + ", " +
                             testing::json_tensor("b");
  const auto after = testing::json_graph(
      inputs,
      R"({"names": ["last", "all"], "op": "higher_order.scan", "args": [{"graph": "f"}, [)" + kFirst +
          R"(], [{"ref": "rows"}], [)" + kSecond +
          R"(]], "types": [{"dtype": "f32", "shape": [4]}, {"dtype": "f32", "shape": [2, 4]}]},
      {"names": ["each"], "op": "higher_order.map_impl", "args": [{"graph": "m"}, [{"ref": "all"}], [)" +
          kSecond + R"(]], "types": [{"dtype": "f32", "shape": [2, 4]}]})",
      R"({"ref": "last"}, {"ref": "each"})");
  CHECK(testing::graph_text(with_loops_written_out(testing::read_as(body, after, after)).after) ==
        R"x(last/loop = aten.clone.default(a)
all/loop:f32 = aten.empty.memory_format([2 4], dtype=f32)
f/item0 = aten.select.int(rows, 0, 0)
f/s.0 = aten.add.Tensor(last/loop, f/item0)
f/p.0 = aten.mul.Tensor(f/s.0, b)
row = aten.select.int(all/loop, 0, 0)
stored = aten.copy_.default(row, f/p.0)
stored_1 = aten.copy_.default(last/loop, f/s.0)
f/item1 = aten.select.int(rows, 0, 1)
f/s.1 = aten.add.Tensor(stored_1, f/item1)
f/p.1 = aten.mul.Tensor(f/s.1, b)
row_1 = aten.select.int(all/loop, 0, 1)
stored_2 = aten.copy_.default(row_1, f/p.1)
stored_3 = aten.copy_.default(stored_1, f/s.1)
last:f32 = aten.alias.default(stored_3) barrier
all:f32 = aten.alias.default(all/loop) barrier
each/loop:f32 = aten.empty.memory_format([2 4], dtype=f32)
m/item0 = aten.select.int(all, 0, 0)
m/p.0 = aten.mul.Tensor(m/item0, b)
row_2 = aten.select.int(each/loop, 0, 0)
stored_4 = aten.copy_.default(row_2, m/p.0)
m/item1 = aten.select.int(all, 0, 1)
m/p.1 = aten.mul.Tensor(m/item1, b)
row_3 = aten.select.int(each/loop, 0, 1)
stored_5 = aten.copy_.default(row_3, m/p.1)
each:f32 = aten.alias.default(each/loop) barrier
-> last each
)x");
}

TEST_CASE("written out: what is carried by two names is kept apart") {
  const std::string body =
      R"("graphs": {"f": )" +
      testing::json_graph(
          testing::json_tensor("c") + ", " + testing::json_tensor("d") + ", " + testing::json_tensor("x"),
          R"({"name": "s", "op": "aten.add.Tensor", "args": [{"ref": "d"}, {"ref": "x"}]})",
          R"({"ref": "d"}, {"ref": "s"}, {"ref": "c"})") +
      "}, ";
  const std::string inputs = kPair + ", " + testing::json_tensor("rows", "2, 4");
  const auto scan = [&](const std::string& shape) {
    return testing::read_as(
        body, "",
        testing::json_graph(
            inputs,
            R"({"names": ["p", "q", "all"], "op": "higher_order.scan", "args": [{"graph": "f"}, [)" + kFirst +
                ", " + kSecond +
                R"(], [{"ref": "rows"}], []], "types": [{"dtype": "f32", "shape": [4]},
      {"dtype": "f32", "shape": [4]}, {"dtype": "f32", "shape": [)" +
                shape + "]}]}",
            R"({"ref": "p"}, {"ref": "q"}, {"ref": "all"})"));
  };
  CHECK(testing::graph_text(with_loops_written_out(scan("2, 4")).after) == R"x(p/loop = aten.clone.default(a)
q/loop = aten.clone.default(b)
all/loop:f32 = aten.empty.memory_format([2 4], dtype=f32)
f/item0 = aten.select.int(rows, 0, 0)
f/s.0 = aten.add.Tensor(q/loop, f/item0)
row = aten.select.int(all/loop, 0, 0)
stored = aten.copy_.default(row, p/loop)
kept = aten.clone.default(q/loop)
kept_1 = aten.clone.default(f/s.0)
stored_1 = aten.copy_.default(p/loop, kept)
stored_2 = aten.copy_.default(q/loop, kept_1)
f/item1 = aten.select.int(rows, 0, 1)
f/s.1 = aten.add.Tensor(stored_2, f/item1)
row_1 = aten.select.int(all/loop, 0, 1)
stored_3 = aten.copy_.default(row_1, stored_1)
kept_2 = aten.clone.default(stored_2)
kept_3 = aten.clone.default(f/s.1)
stored_4 = aten.copy_.default(stored_1, kept_2)
stored_5 = aten.copy_.default(stored_2, kept_3)
p:f32 = aten.alias.default(stored_4) barrier
q:f32 = aten.alias.default(stored_5) barrier
all:f32 = aten.alias.default(all/loop) barrier
-> p q all
)x");
  CHECK(with_loops_written_out(scan("3, 4")).after.steps.size() ==
        1);  // another number of rows: left as it is
}

TEST_CASE("written out: every way through branches") {
  CHECK(worlds(cond("q", kIf, "t", "f", kFirst) + ", " +
               cond("r", "true", "g", "g", R"({"ref": "q"}, )" + kIf)) == R"x(if cond0 true, cond1 true
noclobber.branch.default(c, 'cond0')
1.y = aten.neg.default(a) #1.n
noclobber.branch.default(c, 'cond1')
2.3.y = aten.neg.default(1.y) #2.3.n
-> 2.3.y
if cond0 true, cond1 false
noclobber.branch.default(c, 'cond0')
1.y = aten.neg.default(a) #1.n
noclobber.branch.default(c, 'cond1')
2.3.3.y = aten.neg.default(1.y) #2.3.3.n
-> 2.3.3.y
if cond0 false, cond1 true
noclobber.branch.default(c, 'cond0')
1.1.y = aten.neg.default(a) #1.1.n
noclobber.branch.default(c, 'cond1')
2.3.y = aten.neg.default(1.1.y) #2.3.n
-> 2.3.y
if cond0 false, cond1 false
noclobber.branch.default(c, 'cond0')
1.1.y = aten.neg.default(a) #1.1.n
noclobber.branch.default(c, 'cond1')
2.3.3.y = aten.neg.default(1.1.y) #2.3.3.n
-> 2.3.3.y
)x");
}

TEST_CASE("written out: a branch whose way is known, or none") {
  CHECK(worlds(cond("r", "true", "t", "f", kFirst)) == R"x(if 
0.y = aten.neg.default(a) #0.n
-> 0.y
)x");
  CHECK(worlds(cond("r", "false", "t", "f", kFirst)) == R"x(if 
0.0.y = aten.neg.default(a) #0.0.n
-> 0.0.y
)x");
  CHECK(worlds(cond("r", "3", "t", "f", kFirst)) == "");
}

namespace {

std::string call_of(const std::string& body, const std::string& operands, const std::string& names = "\"r\"",
                    const std::string& kwargs = "") {
  return R"({"names": [)" + names + R"(], "op": "higher_order.invoke_subgraph", "args": [{"graph": ")" +
         body + R"("}, "f", )" + operands + "]" + (kwargs.empty() ? "" : ", \"kwargs\": {" + kwargs + "}") +
         "}";
}

Case with_step(const std::string& bodies, const std::string& step) {
  return testing::read_as(bodies, "", testing::json_graph(kGiven, step, kFirst));
}

}  // namespace

/// What its results are is not asked for: to leave the step out would lose what the body writes.
TEST_CASE("written out: a body that does not take what it is given is not followed") {
  const std::string two = kFirst + ", " + kFirst;
  CHECK(worlds_of(with_step(kBodies, call_of("t", kFirst))).size() == 1);
  CHECK(worlds_of(with_step(kBodies, call_of("t", "[" + kFirst + "]"))).size() == 1);
  CHECK(worlds_of(with_step(kBodies, call_of("t", two))).empty());
  CHECK(worlds_of(with_step(kBodies, call_of("t", "[" + two + "]"))).empty());
  CHECK(worlds_of(with_step(kBodies, call_of("t", kFirst, R"("r", "s")"))).empty());
  CHECK(worlds_of(with_step(kBodies, call_of("t", kFirst, "\"r\"", R"("k": 1)"))).empty());
  const std::string inside =
      kBodies.substr(0, kBodies.rfind('}')) + R"(, "h": )" +
      testing::json_graph(testing::json_tensor("x"), call_of("t", R"({"ref": "x"}, 3)"), R"({"ref": "x"})") +
      "}, ";
  CHECK(worlds_of(with_step(inside, call_of("h", kFirst))).empty());
  Case itself = with_step(kBodies, call_of("f", kFirst));
  CHECK(worlds_of(itself).size() == 1);
  itself.bodies["t"] = itself.bodies["f"];  // which calls t
  CHECK(worlds_of(itself).empty());
}

TEST_CASE("written out: branches without operands, and what else their graph has") {
  const std::string bodies =
      R"("graphs": {"z": )" +
      testing::json_graph("", R"({"name": "y", "op": "aten.zeros.default", "args": [[4]]})",
                          R"({"ref": "y"})") +
      "}, ";
  const std::string step =
      R"({"names": ["r"], "op": "higher_order.cond", "loc": "model.py:3", "args": [{"ref": "c"}, {"graph": "z"}, {"graph": "z"}]})";
  Case value =
      with_step(bodies, step + R"(, {"name": "w", "op": "aten.neg.default", "args": [{"ref": "r"}]})");
  value.after.name = "outer";
  value.after.bodies["more"] = {};
  value.after.finals.emplace_back(value.after.find("a"), Arg::of(value.after.find("w")));
  const auto all = worlds_of(value);
  REQUIRE(all.size() == 2);
  CHECK(testing::graph_text(all[1].value.after) == R"x(noclobber.branch.default(c, 'cond0')
1.y = aten.zeros.default([4])
w = aten.neg.default(1.y)
-> a, a at exit w
)x");
  CHECK(all[1].value.after.name == "outer");
  CHECK(all[1].value.after.bodies.size() == 1);
  CHECK(all[1].value.after.steps[0].source->loc == "model.py:3");
  std::swap(value.after.steps[0], value.after.steps[1]);  // used before it is there
  CHECK(worlds_of(value).empty());
}

namespace {

std::string map_over(const std::string& items, const std::string& more, const std::string& rows = "2") {
  return R"({"names": ["each"], "op": "higher_order.map_impl", "loc": "model.py:5", "args": [{"graph": "m"}, [)" +
         items + "]" + more + R"(], "types": [{"dtype": "f32", "shape": [)" + rows + ", 4]}]}";
}

const std::string kRows = R"({"ref": "rows"})";
const std::string kNegated =
    R"("graphs": {"m": )" +
    testing::json_graph(testing::json_tensor("x"),
                        R"({"name": "p", "op": "aten.neg.default", "args": [{"ref": "x"}]})",
                        R"({"ref": "p"})") +
    "}, ";

}  // namespace

TEST_CASE("written out: what stands around a loop stays, in both graphs and in the plan") {
  const std::string plan =
      R"("plan": {"arenas": {"1": {"size": 64}}, "buffers": [{"value": "w", "arena": "1", "offset": 32, "size": 32},
      {"value": "m/p", "arena": "1", "offset": 16, "size": 16}]}, )";
  const std::string graph = testing::json_graph(
      testing::json_tensor("rows", "2, 4"),
      map_over(kRows, "") + R"(, {"name": "w", "op": "aten.neg.default", "args": [{"ref": "each"}]})",
      R"({"ref": "w"})");
  Case value = testing::read_as(kNegated + plan, graph, graph);
  value.after.name = "outer";
  value.after.bodies["more"] = {};
  value.after.finals.emplace_back(ValueId(0U), Arg::of(value.after.find("w")));
  value.plan->buffers[1].lower = 3, value.plan->buffers[1].upper = 4;
  const Case out = with_loops_written_out(value);
  const std::string steps = R"x(each/loop:f32 = aten.empty.memory_format([2 4], dtype=f32)
m/item0 = aten.select.int(rows, 0, 0)
m/p.0 = aten.neg.default(m/item0)
row = aten.select.int(each/loop, 0, 0)
stored = aten.copy_.default(row, m/p.0)
m/item1 = aten.select.int(rows, 0, 1)
m/p.1 = aten.neg.default(m/item1)
row_1 = aten.select.int(each/loop, 0, 1)
stored_1 = aten.copy_.default(row_1, m/p.1)
each:f32 = aten.alias.default(each/loop) barrier
w = aten.neg.default(each)
-> w)x";
  CHECK(testing::graph_text(out.after) == steps + ", rows at exit w\n");
  CHECK(testing::graph_text(*out.before) == steps + "\n");
  CHECK(out.after.inputs.size() == 1);
  CHECK(out.after.name == "outer");
  CHECK(out.after.bodies.size() == 1);
  for (std::size_t k = 0; k < 10; ++k)
    CHECK((out.after.steps[k].source->loc == "model.py:5" || out.after.steps[k].op == "aten.neg.default"));
  std::string places;
  for (const PlanBuffer& b : out.plan->buffers)
    places += b.name + " " + b.offset.text() + (b.lower || b.upper ? " alive by itself" : "") + "\n";
  CHECK(places == "w 32\nm/p.0 16\nm/p.1 16\n");  // each trip takes its place anew
}

TEST_CASE("written out: a loop that only carries") {
  const std::string body =
      R"("graphs": {"f": )" +
      testing::json_graph(testing::json_tensor("c") + ", " + testing::json_tensor("x"),
                          R"({"name": "s", "op": "aten.add.Tensor", "args": [{"ref": "c"}, {"ref": "x"}]})",
                          R"({"ref": "s"})") +
      "}, ";
  const std::string no_place = R"("plan": {"arenas": {"1": {"size": 64}}, "buffers": []}, )";
  const Case value = testing::read_as(
      body + no_place, "",
      testing::json_graph(testing::json_tensor("a") + ", " + testing::json_tensor("rows", "1, 4"),
                          R"({"names": ["last"], "op": "higher_order.scan", "args": [{"graph": "f"}, [)" +
                              kFirst + "], [" + kRows + R"(]], "types": [{"dtype": "f32", "shape": [4]}]})",
                          R"({"ref": "last"})"));
  CHECK(testing::graph_text(with_loops_written_out(value).after) == R"x(last/loop = aten.clone.default(a)
f/item0 = aten.select.int(rows, 0, 0)
f/s.0 = aten.add.Tensor(last/loop, f/item0)
stored = aten.copy_.default(last/loop, f/s.0)
last:f32 = aten.alias.default(stored) barrier
-> last
)x");
  CHECK(with_loops_written_out(value).plan->buffers.empty());
}

TEST_CASE("written out: a loop over no rows, over unlike many, or given what is no tensor is left as it is") {
  const std::string two =
      R"("graphs": {"m": )" +
      testing::json_graph(testing::json_tensor("x") + ", " + testing::json_tensor("y"),
                          R"({"name": "p", "op": "aten.add.Tensor", "args": [{"ref": "x"}, {"ref": "y"}]})",
                          R"({"ref": "p"})") +
      "}, ";
  const auto steps = [](const std::string& bodies, const std::string& step, const std::string& rows,
                        const std::string& others) {
    const std::string inputs =
        testing::json_tensor("rows", rows + ", 4") + ", " + testing::json_tensor("other", others + ", 4");
    return with_loops_written_out(
               testing::read_as(bodies, "", testing::json_graph(inputs, step, R"({"ref": "each"})")))
        .after.steps.size();
  };
  const std::string both = kRows + R"(, {"ref": "other"})";
  CHECK(steps(two, map_over(both, ""), "2", "2") == 12);
  CHECK(steps(two, map_over(both, ""), "2", "3") == 1);
  CHECK(steps(two, map_over(both, ""), "3", "2") == 1);
  CHECK(steps(kNegated, map_over(kRows, ", []"), "2", "2") == 10);
  CHECK(steps(kNegated, map_over(kRows, ", 3"), "2", "2") == 1);
  CHECK(steps(kNegated, map_over(kRows, "", "0"), "0", "2") == 1);
}

}  // namespace written_loops_test
