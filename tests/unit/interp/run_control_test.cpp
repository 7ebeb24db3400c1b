#include "src/graph/bodies.h"
#include "src/interp/interp.h"
#include "src/ops/array.h"
#include "tests/catch.h"
#include "tests/unit/interp/replay_case.h"

namespace run_control_test {

namespace {

using namespace noclobber;
using namespace noclobber::testing;
using Doubles = std::vector<double>;

Doubles output_numbers(const Run& run, std::size_t i) {
  Doubles result;
  const Run::Output& output = run.outputs[i];
  const auto width = static_cast<std::size_t>(item_bytes(output.tensor->dtype));
  for (std::size_t at = 0; at < output.bytes.size(); at += width)
    result.push_back(load_number(output.tensor->dtype, output.bytes.data() + at).as_real());
  return result;
}

Graph body_of(const std::string& op, std::vector<Arg> more) {
  GraphBuilder b;
  const ValueId x = b.input("x", {2});
  more.insert(more.begin(), ref(x));
  return b.returning({b.step("r", op, more)});
}

Result<Run> run_bodies(const Graph& graph, std::map<std::string, Graph> bodies,
                       std::vector<OpDecl> ops = {}) {
  Case value;
  value.after = graph;
  value.bodies = std::move(bodies);
  value.ops = std::move(ops);
  return run_graph(value, value.after, {"x"}, {});
}

}  // namespace

TEST_CASE("cond runs the branch its predicate names, on the operands' storage") {
  for (const bool taken : {true, false}) {
    GraphBuilder b;
    const ValueId x = b.input("x", {2});
    const ValueId r =
        b.step("r", "higher_order.cond",
               {Arg::of_bool(taken), Arg::of_graph("then"), Arg::of_graph("else"), Arg::of({ref(x)})});
    const auto run = run_bodies(b.returning({r, x}), {{"then", body_of("aten.neg_.default", {})},
                                                      {"else", body_of("aten.alias.default", {})}});
    REQUIRE(static_cast<bool>(run));
    CHECK(output_numbers(*run, 0) == (taken ? Doubles{-1, -2} : Doubles{1, 2}));
    CHECK(run->outputs[0].tensor->storage == run->input_storage.at("x"));
  }
}

TEST_CASE("a while_loop carries until its condition fails") {
  GraphBuilder condition;
  const ValueId c = condition.input("c", {});
  const Graph until = condition.returning({condition.step("p", "aten.lt.Scalar", {ref(c), num(5)})});
  GraphBuilder body;
  const ValueId d = body.input("d", {});
  const Graph next = body.returning({body.step("n", "aten.add.Scalar", {ref(d), num(1)})});
  GraphBuilder b;
  const ValueId x = b.input("x", {});
  const ValueId r =
      b.step("r", "higher_order.while_loop",
             {Arg::of_graph("c"), Arg::of_graph("b"), Arg::of({ref(x)}), Arg::of(std::vector<Arg>{})});
  const auto run = run_bodies(b.returning({r}), {{"c", until}, {"b", next}});
  REQUIRE(static_cast<bool>(run));
  CHECK(output_numbers(*run, 0) == Doubles{5});
}

TEST_CASE("a while_loop that runs no trip gives its operands back, PyTorch's clones them") {
  GraphBuilder condition;
  const ValueId c = condition.input("c", {});
  const Graph never = condition.returning({condition.step("p", "aten.lt.Scalar", {ref(c), num(0)})});
  for (const bool clones : {false, true}) {
    GraphBuilder b;
    const ValueId x = b.input("x", {});
    const ValueId r =
        b.step("r", "higher_order.while_loop",
               {Arg::of_graph("c"), Arg::of_graph("b"), Arg::of({ref(x)}), Arg::of(std::vector<Arg>{})});
    if (clones) clone_without_trips(b.graph.steps.back());
    const auto run = run_bodies(b.returning({r}), {{"c", never}, {"b", never}});
    REQUIRE(static_cast<bool>(run));
    CHECK(output_numbers(*run, 0) == Doubles{1});
    CHECK((run->outputs[0].tensor->storage == run->input_storage.at("x")) == !clones);
  }
}

TEST_CASE("an endless while_loop is a diagnostic, not a hang") {
  GraphBuilder condition;
  const ValueId c = condition.input("c", {});
  const Graph forever = condition.returning({condition.step("p", "aten.ge.Scalar", {ref(c), num(0)})});
  GraphBuilder b;
  const ValueId x = b.input("x", {});
  const ValueId r =
      b.step("r", "higher_order.while_loop",
             {Arg::of_graph("c"), Arg::of_graph("b"), Arg::of({ref(x)}), Arg::of(std::vector<Arg>{})});
  GraphBuilder same;
  const Graph body = same.returning({same.input("d", {})});
  CHECK(!run_bodies(b.returning({r}), {{"c", forever}, {"b", body}}));
}

TEST_CASE("auto_functionalized leaves its operands alone and returns the mutated clone") {
  OpDecl inc;
  inc.schema = "zoo::inc_(Tensor(a!) x) -> ()";
  GraphBuilder b;
  const ValueId x = b.input("x", {2});
  b.step("af", "higher_order.auto_functionalized.default", {Arg::of_text("zoo.inc_.default")},
         {{"x", ref(x)}});
  b.graph.values.push_back({"clone", Value::From::step, 0, 1, {}});
  b.graph.steps.back().results = {ValueId{}, ValueId(b.graph.values.size() - 1)};
  const auto run = run_bodies(b.returning({ValueId(b.graph.values.size() - 1), x}), {}, {inc});
  REQUIRE(static_cast<bool>(run));
  CHECK(output_numbers(*run, 0) != Doubles{1, 2});
  CHECK(output_numbers(*run, 1) == Doubles{1, 2});
}

TEST_CASE("auto_functionalized_v2 rebuilds views of cloned bases") {
  OpDecl put;
  put.schema = "zoo::put_(Tensor(a!) x, Tensor(b!) y) -> ()";
  put.access = {{"*", "elementwise"}};
  GraphBuilder b;
  const ValueId x = b.input("x", {6});
  std::vector<std::pair<std::string, Arg>> kwargs = {
      {"_x_base_index", num(0)},     {"_x_size", sizes({2})},   {"_x_stride", sizes({1})},
      {"_x_storage_offset", num(1)}, {"_y_base_index", num(0)}, {"_y_slice_dim", num(0)},
      {"_y_slice_start", num(4)},    {"_y_slice_end", num(6)},  {"_all_bases", Arg::of({ref(x)})}};
  b.step("af", "higher_order.auto_functionalized_v2", {Arg::of_text("zoo.put_")}, kwargs);
  b.graph.values.push_back({"base", Value::From::step, 0, 1, {}});
  b.graph.steps.back().results = {ValueId{}, ValueId(b.graph.values.size() - 1)};
  const auto run = run_bodies(b.returning({ValueId(b.graph.values.size() - 1), x}), {}, {put});
  REQUIRE(static_cast<bool>(run));
  REQUIRE(run->outputs.size() == 2);
  const Doubles base = output_numbers(*run, 0);
  CHECK(base[0] == 1);
  CHECK(base[3] == 4);
  CHECK(output_numbers(*run, 1) == Doubles{1, 2, 3, 4, 5, 6});
  CHECK(base != output_numbers(*run, 1));
}

TEST_CASE("a Triton wrapper is named as unsupported") {
  GraphBuilder b;
  const ValueId x = b.input("x", {2});
  const auto run =
      run_bodies(b.returning({b.step("r", "higher_order.triton_kernel_wrapper_mutation", {ref(x)})}), {});
  CHECK(run->unsupported.size() == 1);
}

}  // namespace run_control_test
