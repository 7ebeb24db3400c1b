// Instructions of MLX that hold numbers, each against a call of PyTorch that means another thing.
#include <algorithm>
#include <optional>
#include <utility>

#include "src/formats/case/case_json.h"
#include "src/lower/mlx/case.h"
#include "tests/unit/lower/pte_program.h"

namespace mlx_numbers_test {

using namespace noclobber;

namespace {

constexpr std::size_t kAt = 64;  // where the instruction stands

/// The fields of an instruction: those behind the first two, which are registers.
MlxFields behind_two(const std::vector<std::vector<double>>& numbers) {
  MlxFields out(2);
  out.insert(out.end(), numbers.begin(), numbers.end());
  return out;
}

/// One instruction on x, and the call of PyTorch that is meant.
struct Instruction {
  std::string op;
  MlxFields fields;
  std::string call;                      // operator and arguments
  std::string shape = "[2,3,4]";         // of x and of the result
  std::string dtype = "f32", made = "";  // of x; of the result, if another
};

/// What the payload has besides.
struct Besides {
  std::string number;              // a constant, which the instruction reads behind x
  Dtype dtype = Dtype::f32;        // of that
  std::vector<RegisterStep> more;  // the second chain
  std::int64_t init = -1;          // the chain that runs before all others
  bool branches = false;           // the instruction runs the second chain
};

CheckRecord said_of(const Instruction& one, const Besides& besides = {}) {
  const auto type = [&](const std::string& dtype) {
    return R"j({"dtype":")j" + dtype + R"j(","shape":)j" + one.shape + "}";
  };
  auto before =
      read_case_json(R"j({"format":"noclobber.case/1","name":"n","after":{"inputs":[{"name":"x","type":)j" +
                     type(one.dtype) + R"j(}],"steps":[{"name":"r","op":)j" + one.call + R"j(,"types":[)j" +
                     type(one.made.empty() ? one.dtype : one.made) + R"j(]}],"outputs":[{"ref":"r"}]}})j");
  INFO(one.call);
  REQUIRE(before);
  RegisterProgram program;
  program.name = "payload";
  program.counts = {1, 1, 1, 0, 1};
  program.inputs = {{1, true}};
  program.outputs = {{2, true}};
  program.init = besides.init;
  RegisterStep step;
  step.op = one.op;
  step.reads = {1};
  step.writes = {2};
  step.at = kAt;
  MlxHeldNumbers numbers;
  numbers.steps[kAt] = one.fields;
  if (!besides.number.empty()) {
    step.reads.push_back(0);
    program.names[0] = "0/_scalar_" + besides.number;
    numbers.dtypes[0] = besides.dtype;
  }
  if (besides.branches) {
    step.runs = RegisterStep::Runs::one_of;
    step.chains = {1};
  }
  program.chains = {{step}, besides.more};
  auto read = case_of_mlx(program, before->after, numbers);
  REQUIRE(read);
  Case value = *std::move(read);
  value.before = std::move(before->after);
  value.before->name = "before";
  bool contradiction = false;
  CheckRecord record = check_case(value, {}, contradiction);
  CHECK_FALSE(contradiction);
  return record;
}

/// Proved without an assumption about what the instruction holds.
bool is_said(const Instruction& one) {
  const CheckRecord record = said_of(one);
  return record.status == Status::proved &&
         std::ranges::none_of(record.assumptions, [](const std::string& what) {
           return what.starts_with("what instructions of MLX hold besides registers");
         });
}

std::string call(const std::string& op, const std::string& args, const std::string& kwargs = "{}") {
  return "\"" + op + R"j(","kwargs":)j" + kwargs + R"j(,"args":[{"ref":"x"})j" + args + "]";
}

}  // namespace

TEST_CASE("mlx: what is rolled moves by these shifts, along these axes, pair by pair", "[mlx]") {
  const auto rolled = [](std::vector<double> shifts, std::vector<double> axes, const std::string& meant) {
    return said_of(
        {"RollNode", behind_two({std::move(shifts), std::move(axes)}), call("aten.roll.default", meant)});
  };
  CHECK(rolled({1, 2}, {0, 1}, ",[1,2],[0,1]").status == Status::proved);
  CHECK(rolled({1, 2}, {0, -2}, ",[1,2],[0,1]").status == Status::proved);
  CHECK(rolled({1, 2}, {0, 1}, ",[1,2],[-3,-2]").status == Status::proved);
  CHECK(rolled({2, 1}, {0, 1}, ",[1,2],[0,1]").status == Status::refuted);
  CHECK(rolled({1, 2}, {0, 2}, ",[1,2],[0,1]").status == Status::refuted);
  CHECK(rolled({1, 3}, {0, 1}, ",[1,2],[0,1]").status == Status::refuted);
  CHECK(rolled({5}, {0}, ",[5]").status != Status::proved);  // of all elements, not of rows
}

TEST_CASE("mlx: sums that run along an axis run forwards, with the element itself, and keep the dtype",
          "[mlx]") {
  const auto run = [](double axis, double reverse, double inclusive, const std::string& args = ",1") {
    return said_of({"CumsumNode", behind_two({{axis}, {reverse}, {inclusive}}),
                    call("aten.cumsum.default", args)})
        .status;
  };
  CHECK(run(1, 0, 1) == Status::proved);
  CHECK(run(-2, 0, 1) == Status::proved);
  CHECK(run(1, 0, 1, ",-2") == Status::proved);
  CHECK(run(2, 0, 1) != Status::proved);
  CHECK(run(1, 1, 1) != Status::proved);
  CHECK(run(1, 0, 0) != Status::proved);
  // The instruction adds in the dtype of what it is given.
  const auto of_dtype = [](const std::string& dtype, const std::string& made, const std::string& kwargs) {
    return said_of({"CumsumNode", behind_two({{1}, {0}, {1}}), call("aten.cumsum.default", ",1", kwargs),
                    "[2,3,4]", dtype, made})
        .status;
  };
  CHECK(of_dtype("f32", "f32", R"j({"dtype":{"dtype":"f32"}})j") == Status::proved);
  CHECK(of_dtype("f16", "f32", R"j({"dtype":{"dtype":"f32"}})j") != Status::proved);
  CHECK(of_dtype("i32", "i64", "{}") != Status::proved);
  CHECK(of_dtype("i64", "i64", "{}") == Status::proved);
}

TEST_CASE("mlx: a reduction of no axes is of all of them", "[mlx]") {
  const auto reduced = [](const std::string& node, const std::string& op, std::vector<double> axes,
                          const std::string& args) {
    return is_said({node, behind_two({std::move(axes), {1}}), call(op, args), "[1,1,4]"});
  };
  // Of [1,1,4], with dimensions kept: only sizes of one stay.
  CHECK(reduced("SumNode", "aten.sum.dim_IntList", {0, 1}, ",[0,1],true"));
  CHECK(reduced("SumNode", "aten.sum.dim_IntList", {1, 0}, ",[0,-2],true"));
  CHECK_FALSE(reduced("SumNode", "aten.sum.dim_IntList", {0}, ",[0,1],true"));
  const auto all = [](std::vector<double> axes, const std::string& args) {
    return is_said({"MeanNode", behind_two({std::move(axes), {1}}), call("aten.mean.dim", args), "[1,1,1]"});
  };
  CHECK(all({}, ",[0,1,2],true"));
  CHECK(all({}, ",[],true"));
  CHECK(all({0, 1, 2}, ",[],true"));
  CHECK_FALSE(all({}, ",[0,1],true"));
  CHECK_FALSE(all({0, 2}, ",[],true"));
  CHECK_FALSE(all({}, ",[0,1,2],false"));
}

TEST_CASE("mlx: a transposition exchanges two axes and leaves the rest", "[mlx]") {
  const auto turned = [](std::vector<double> order, const std::string& args) {
    return is_said(
        {"TransposeNode", behind_two({std::move(order)}), call("aten.transpose_copy.int", args), "[3,3,3]"});
  };
  CHECK(turned({2, 1, 0}, ",0,2"));
  CHECK(turned({2, 1, 0}, ",-1,-3"));
  CHECK(turned({0, 2, 1}, ",1,2"));
  CHECK_FALSE(turned({0, 2, 1}, ",0,2"));
  CHECK_FALSE(turned({1, 2, 0}, ",0,2"));
}

TEST_CASE("mlx: rows are normed along the last axis alone", "[mlx]") {
  const auto layers = [](const std::string& args) {
    return said_of({"LayerNormNode", behind_two({{0}, {0}, {1e-5}}), call("aten.layer_norm.default", args)})
        .status;
  };
  CHECK(layers(",[4]") == Status::proved);
  CHECK(layers(",[4],null,null,1e-05") == Status::proved);
  CHECK(layers(",[4],null,null,1e-06") != Status::proved);
  CHECK(layers(",[3,4]") != Status::proved);
  CHECK(layers(",[2,3,4]") != Status::proved);
  const auto squares = [](const std::string& args) {
    const std::vector<double> none{0}, eps{1e-6};
    return said_of(
               {"RMSNormNode", {std::nullopt, none, std::nullopt, eps}, call("aten.rms_norm.default", args)})
        .status;
  };
  CHECK(squares(",[4],null,1e-06") == Status::proved);
  CHECK(squares(",[4],null,1e-05") != Status::proved);
  CHECK(squares(",[3,4],null,1e-06") != Status::proved);
}

TEST_CASE("mlx: a softmax is of the dtype of what it is given", "[mlx]") {
  const auto soft = [](const std::string& op, const std::string& dtype, const std::string& made,
                       const std::string& args, const std::string& kwargs = "{}") {
    return said_of({"SoftmaxNode", behind_two({{-1}}), call(op, args, kwargs), "[2,3,4]", dtype, made})
        .status;
  };
  CHECK(soft("aten._softmax.default", "f32", "f32", ",2,false") == Status::proved);
  CHECK(soft("aten._softmax.default", "f32", "f32", ",1,false") != Status::proved);
  CHECK(soft("aten._softmax.default", "f16", "f32", ",2,true") != Status::proved);
  CHECK(soft("aten.softmax.int", "f16", "f32", ",2", R"j({"dtype":{"dtype":"f32"}})j") != Status::proved);
}

TEST_CASE("mlx: a number of half precision is that of the program where it is exact", "[mlx]") {
  const auto sum = [](const std::string& number, Dtype dtype) {
    return said_of({"AddNode", {}, call("aten.add.Tensor", "," + number)}, {number, dtype, {}, -1, false})
        .status;
  };
  CHECK(sum("0.5", Dtype::f16) == Status::proved);
  CHECK(sum("0.1", Dtype::f32) == Status::proved);
  CHECK(sum("0.1", Dtype::f16) != Status::proved);   // 0.0999756
  CHECK(sum("0.1", Dtype::bf16) != Status::proved);  // 0.1000977
  CHECK(sum("2049.0", Dtype::f16) != Status::proved);
  CHECK(sum("2048.0", Dtype::f16) == Status::proved);
}

TEST_CASE("mlx: a chain that runs first, or in a branch, is of operators that nobody knows", "[mlx]") {
  const Instruction sine{"SinNode", {}, call("aten.sin.default", "")};
  RegisterStep step;
  step.op = "FullNode";
  const auto first = [&](std::uint32_t written, std::int64_t init) {
    step.writes = {written};
    return said_of(sine, {"", Dtype::f32, {step}, init, false}).status;
  };
  CHECK(first(3, -1) == Status::proved);  // it never runs
  CHECK(first(3, 1) == Status::unknown);
  CHECK(first(1, 1) != Status::proved);  // writes what the main chain reads
  step.reads = {1};                      // x, which is not given yet
  const CheckRecord early = said_of(sine, {"", Dtype::f32, {step}, 1, false});
  CHECK(early.status == Status::refuted);
  REQUIRE_FALSE(early.findings.empty());
  CHECK(early.findings[0].rule == "NC002");
  const auto in_branch = [&](bool branches) {
    step.writes = {2};
    return said_of(sine, {"", Dtype::f32, {step}, -1, branches}).status;
  };
  CHECK(in_branch(false) == Status::proved);
  CHECK(in_branch(true) == Status::unknown);
}

}  // namespace mlx_numbers_test
