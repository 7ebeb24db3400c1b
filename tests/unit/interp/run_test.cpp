#include <algorithm>

#include "src/interp/interp.h"
#include "src/ops/array.h"
#include "tests/catch.h"
#include "tests/unit/interp/replay_case.h"

namespace run_test {

namespace {

using namespace noclobber;
using namespace noclobber::testing;

std::vector<double> numbers(const Run::Output& output) {
  std::vector<double> result;
  const auto width = static_cast<std::size_t>(item_bytes(output.tensor->dtype));
  for (std::size_t at = 0; at < output.bytes.size(); at += width)
    result.push_back(load_number(output.tensor->dtype, output.bytes.data() + at).as_real());
  return result;
}

std::vector<double> input_numbers(const Run& run, const std::string& name, Dtype type = Dtype::f32) {
  Run::Output whole;
  whole.tensor = Tensor{0, type, {}, {}, 0};
  whole.bytes = run.storages[run.input_storage.at(name)].bytes;
  return numbers(whole);
}

Result<Run> run_all(const Graph& graph, const RunOptions& options = {}, std::vector<OpDecl> ops = {}) {
  Case value;
  value.after = graph;
  value.ops = std::move(ops);
  std::set<std::string> may_write;
  for (const Input& input : graph.inputs) may_write.insert(graph.value(input.value).name);
  return run_graph(value, value.after, may_write, options);
}

Run run_good(const Graph& graph, const RunOptions& options = {}, std::vector<OpDecl> ops = {}) {
  const Result<Run> run = run_all(graph, options, std::move(ops));
  REQUIRE(static_cast<bool>(run));
  INFO((run->raised ? run->raised->message : "") << (run->unsupported.empty() ? "" : run->unsupported[0]));
  REQUIRE(!run->raised);
  REQUIRE(run->unsupported.empty());
  return *run;
}

using Doubles = std::vector<double>;

Graph shifted_copy() {  // x[1:4].copy_(x[0:3])
  GraphBuilder b;
  const ValueId x = b.input("x", {4});
  const ValueId to = b.step("to", "aten.slice.Tensor", {ref(x), num(0), num(1), num(4)});
  const ValueId from = b.step("from", "aten.slice.Tensor", {ref(x), num(0), num(0), num(3)});
  return b.returning({b.step("r", "aten.copy_.default", {ref(to), ref(from)})});
}

}  // namespace

TEST_CASE("an overlapping copy reads what it has just written") {
  CHECK(input_numbers(run_good(shifted_copy()), "x") == Doubles{1, 1, 1, 1});
  RunOptions backwards;
  backwards.backwards = true;
  CHECK(input_numbers(run_good(shifted_copy(), backwards), "x") == Doubles{1, 1, 2, 3});
}

TEST_CASE("an overlapping pointwise operator visits its elements in order") {
  GraphBuilder b;
  const ValueId x = b.input("x", {4});
  const ValueId to = b.step("to", "aten.slice.Tensor", {ref(x), num(0), num(1), num(4)});
  const ValueId from = b.step("from", "aten.slice.Tensor", {ref(x), num(0), num(0), num(3)});
  const Graph graph = b.returning({b.step("r", "aten.add_.Tensor", {ref(to), ref(from)})});
  CHECK(input_numbers(run_good(graph), "x") == Doubles{1, 3, 6, 10});
  RunOptions backwards;
  backwards.backwards = true;
  CHECK(input_numbers(run_good(graph, backwards), "x") == Doubles{1, 3, 5, 7});
}

TEST_CASE("a matrix product into its own operand reads clobbered rows") {
  GraphBuilder b;
  const ValueId x = b.input("x", {2, 2});
  const ValueId r = b.step("r", "aten.mm.out", {ref(x), ref(x)}, {{"out", ref(x)}});
  CHECK(numbers(run_good(b.returning({r})).outputs[0]) != Doubles{7, 10, 15, 22});
  GraphBuilder apart;
  const ValueId y = apart.input("x", {2, 2});
  CHECK(
      numbers(run_good(apart.returning({apart.step("r", "aten.mm.default", {ref(y), ref(y)})})).outputs[0]) ==
      Doubles{7, 10, 15, 22});
}

TEST_CASE("reshape shares storage where strides allow, else it copies") {
  GraphBuilder b;
  const ValueId x = b.input("x", {2, 3});
  const ValueId flat = b.step("flat", "aten.reshape.default", {ref(x), sizes({6})});
  const ValueId t = b.step("t", "aten.t.default", {ref(x)});
  const ValueId copy = b.step("copy", "aten.reshape.default", {ref(t), sizes({6})});
  const Run run = run_good(b.returning({flat, copy}));
  CHECK(run.outputs[0].tensor->storage == run.input_storage.at("x"));
  CHECK(run.outputs[1].tensor->storage != run.input_storage.at("x"));
  CHECK(numbers(run.outputs[1]) == Doubles{1, 4, 2, 5, 3, 6});
}

TEST_CASE("an in-place result must fit the target's shape and dtype") {
  GraphBuilder grows;
  const ValueId x = grows.input("x", {3});
  const ValueId y = grows.input("y", {2, 3});
  CHECK(
      run_all(grows.returning({grows.step("r", "aten.add_.Tensor", {ref(x), ref(y)})}))->raised.has_value());
  GraphBuilder casts;
  const ValueId i = casts.input("i", {3}, Dtype::i64);
  CHECK(run_all(casts.returning({casts.step("r", "aten.add_.Scalar", {ref(i), Arg::of_real(0.5)})}))
            ->raised.has_value());
  GraphBuilder fits;
  const ValueId k = fits.input("k", {3}, Dtype::i64);
  CHECK(
      numbers(run_good(fits.returning({fits.step("r", "aten.add_.Scalar", {ref(k), num(1)})})).outputs[0]) ==
      Doubles{2, 3, 4});
}

TEST_CASE("an integer quotient by zero raises, a float one is infinite") {
  for (const Dtype type : {Dtype::i64, Dtype::f32}) {
    GraphBuilder b;
    const ValueId x = b.input("x", {2}, type);
    const ValueId zero = b.step("zero", "aten.zeros_like.default", {ref(x)});
    const auto run = run_all(b.returning({b.step("r", "aten.floor_divide.default", {ref(x), ref(zero)})}));
    REQUIRE(static_cast<bool>(run));
    CHECK(run->raised.has_value() == (type == Dtype::i64));
  }
}

TEST_CASE("a reshape that copies copies what its name means") {
  GraphBuilder b;
  const ValueId x = b.input("x", {2, 2});
  const ValueId t = b.step("t", "aten.t.default", {ref(x)});
  b.step("w", "aten.zero_.default", {ref(x)});
  RunOptions values;
  values.value_semantics = true;
  const Run run = run_good(b.returning({b.step("r", "aten.reshape.default", {ref(t), sizes({4})})}), values);
  CHECK(numbers(run.outputs[0]) == Doubles{1, 3, 2, 4});
  CHECK(run.stale.size() == 1);
}

TEST_CASE("t_ changes the view of a name and no byte") {
  GraphBuilder b;
  const ValueId x = b.input("x", {2, 3});
  const ValueId r = b.step("r", "aten.t_.default", {ref(x)});
  const Run run = run_good(b.returning({r, x}));
  CHECK(run.outputs[0].tensor->shape == std::vector<std::int64_t>{3, 2});
  CHECK(run.outputs[1].tensor->shape == std::vector<std::int64_t>{3, 2});
  CHECK(input_numbers(run, "x") == Doubles{1, 2, 3, 4, 5, 6});
}

TEST_CASE("a read of an overwritten value is stale, a read of the new value is not") {
  GraphBuilder b;
  const ValueId x = b.input("x", {2});
  const ValueId a = b.step("a", "aten.add.Scalar", {ref(x), num(1)});
  const ValueId c = b.step("c", "aten.neg_.default", {ref(a)});
  const ValueId old = b.step("old", "aten.mul.Scalar", {ref(a), num(10)});
  const ValueId now = b.step("now", "aten.mul.Scalar", {ref(c), num(10)});
  const Graph graph = b.returning({old, now});
  CHECK(numbers(run_good(graph).outputs[0]) == Doubles{-20, -30});
  RunOptions values;
  values.value_semantics = true;
  const Run run = run_good(graph, values);
  REQUIRE(run.stale.size() == 1);
  CHECK(run.stale[0].step == 2);
  CHECK(run.stale[0].value == a);
  CHECK(run.stale[0].writer == 1);
  CHECK(numbers(run.outputs[0]) == Doubles{20, 30});
  CHECK(numbers(run.outputs[1]) == Doubles{-20, -30});
  RunOptions repaired;
  repaired.repaired.insert({2, a});
  CHECK(numbers(run_good(graph, repaired).outputs[0]) == Doubles{20, 30});
}

TEST_CASE("a view of an overwritten value shows what the value was") {
  GraphBuilder b;
  const ValueId x = b.input("x", {3});
  const ValueId a = b.step("a", "aten.neg.default", {ref(x)});
  b.step("w", "aten.zero_.default", {ref(a)});
  const ValueId v = b.step("v", "aten.slice.Tensor", {ref(a), num(0), num(1), num(3)});
  RunOptions values;
  values.value_semantics = true;
  const Run run = run_good(b.returning({b.step("r", "aten.neg.default", {ref(v)})}), values);
  CHECK(numbers(run.outputs[0]) == Doubles{2, 3});
  REQUIRE(run.stale.size() == 1);
  CHECK(run.stale[0].value == v);
}

TEST_CASE("undefined elements stay undefined through moves and arithmetic") {
  GraphBuilder b;
  const ValueId e = b.step("e", "aten.empty.memory_format", {sizes({4})});
  const ValueId part = b.step("part", "aten.slice.Tensor", {ref(e), num(0), num(0), num(2)});
  b.step("f", "aten.fill_.Scalar", {ref(part), num(3)});
  const Run run = run_good(b.returning({b.step("r", "aten.neg.default", {ref(e)})}));
  CHECK(run.outputs[0].defined == std::vector<std::uint8_t>{1, 1, 0, 0});
  CHECK(numbers(run.outputs[0])[0] == -3);
}

TEST_CASE("a declared operator and its functional twin give the same contents") {
  OpDecl pure, in_place;
  pure.schema = "zoo::f(Tensor x, Tensor y) -> Tensor";
  in_place.schema = "zoo::f_(Tensor(a!) x, Tensor y) -> Tensor(a!)";
  in_place.functional = "zoo::f";
  in_place.access = {{"*", "elementwise"}};
  GraphBuilder b;
  const ValueId x = b.input("x", {3}), y = b.input("y", {3});
  const ValueId f = b.step("f", "zoo.f.default", {ref(x), ref(y)});
  b.type_last(Dtype::f32, {3});
  const ValueId other = b.step("other", "zoo.f.default", {ref(y), ref(x)});
  b.type_last(Dtype::f32, {3});
  const ValueId g = b.step("g", "zoo.f_.default", {ref(x), ref(y)});
  const Run run = run_good(b.returning({f, g, other}), {}, {pure, in_place});
  CHECK(numbers(run.outputs[0]) == numbers(run.outputs[1]));
  CHECK(numbers(run.outputs[0]) != numbers(run.outputs[2]));
  CHECK(run.hashed == std::set<std::string>{"zoo.f.default"});
}

TEST_CASE("an operator without a kernel still depends on every element it reads") {
  auto result = [](std::uint64_t seed) {
    GraphBuilder b;
    const ValueId x = b.input("x", {2, 3});
    const ValueId r = b.step("r", "aten.linalg_inv.default", {ref(x)});
    b.type_last(Dtype::f32, {2, 3});
    RunOptions options;
    options.contents_seed = seed;
    return numbers(run_good(b.returning({r}), options).outputs[0]);
  };
  CHECK(result(2) == result(2));
  CHECK(result(2) != result(4));
}

TEST_CASE("an unknown operator ends the run by name") {
  GraphBuilder b;
  const ValueId x = b.input("x", {2});
  const auto run = run_all(b.returning({b.step("r", "nobody.knows.default", {ref(x)})}));
  REQUIRE(static_cast<bool>(run));
  CHECK(run->unsupported == std::vector<std::string>{"nobody.knows.default"});
}

TEST_CASE("random draws are effects and differ from each other") {
  GraphBuilder b;
  const ValueId r = b.step("r", "aten.rand.default", {sizes({4})});
  b.type_last(Dtype::f32, {4});
  const ValueId s = b.step("s", "aten.rand.default", {sizes({4})});
  b.type_last(Dtype::f32, {4});
  const Run run = run_good(b.returning({r, s}));
  CHECK(run.effects.size() == 2);
  CHECK(numbers(run.outputs[0]) != numbers(run.outputs[1]));
}

TEST_CASE("final contents are written all at once") {
  GraphBuilder b;
  const ValueId x = b.input("x", {2}), y = b.input("y", {2});
  b.graph.finals = {{x, ref(y)}, {y, ref(x)}};
  const Run run = run_good(b.returning({}));
  CHECK(input_numbers(run, "x") == Doubles{1001, 1002});
  CHECK(input_numbers(run, "y") == Doubles{1, 2});
}

TEST_CASE("stores into an input that may not be written are recorded") {
  Case value;
  GraphBuilder b;
  const ValueId x = b.input("x", {2});
  value.after = b.returning({b.step("r", "aten.fill_.Scalar", {ref(x), num(1)})});
  CHECK(run_graph(value, value.after, {}, {})->immutable_writes == std::vector<std::uint32_t>{0});
  CHECK(run_graph(value, value.after, {"x"}, {})->immutable_writes.empty());
}

TEST_CASE("inputs of one storage see each other's stores") {
  GraphBuilder b;
  const ValueId x = b.input("x", {2}), y = b.input("y", {2});
  b.graph.inputs[0].storage = b.graph.inputs[1].storage = "S";
  b.graph.values[y.index].type.edit().offset = 1;
  b.step("w", "aten.fill_.Scalar", {ref(y), num(9)});
  CHECK(numbers(run_good(b.returning({x})).outputs[0]) == Doubles{1, 9});
}

TEST_CASE("steps run in the order that is asked for") {
  GraphBuilder b;
  const ValueId x = b.input("x", {1});
  b.step("a", "aten.add_.Scalar", {ref(x), num(1)});
  b.step("b", "aten.mul_.Scalar", {ref(x), num(10)});
  const Graph graph = b.returning({});
  CHECK(input_numbers(run_good(graph), "x") == Doubles{20});
  RunOptions options;
  options.order = {1, 0};
  CHECK(input_numbers(run_good(graph, options), "x") == Doubles{11});
}

}  // namespace run_test
