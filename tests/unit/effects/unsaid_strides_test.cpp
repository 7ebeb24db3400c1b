// Results of which the dump says nothing: what is taken for their layout.
#include "tests/unit/effects/fx_traced.h"
#include "tests/unit/fuzz/found.h"

namespace unsaid_strides_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

/// y = sin(x), then w = 2 * y; or y is reshaped and overwritten, which only reaches y if reshape makes a
/// view.
Status doubled(const std::string& stride) {
  const std::string x = R"({"name":"x","type":{"dtype":"f32","shape":[2,3],"stride":)" + stride + "}}";
  const std::string sin = R"("steps":[{"name":"y","op":"aten.sin.default","args":[{"ref":"x"}]},)";
  return found::status_of(found::pair_of(
      x, sin + R"({"name":"w","op":"aten.mul.Tensor","args":[{"ref":"y"},2.0]}],"outputs":[{"ref":"w"}])",
      sin + R"({"name":"z","op":"aten.reshape.default","args":[{"ref":"y"},[6]]},
          {"name":"w","op":"aten.mul_.Tensor","args":[{"ref":"z"},2.0]}],"outputs":[{"ref":"y"}])"));
}

/// x stays; or it is reshaped and what that gives overwritten, which only reaches x if reshape makes a view.
Status kept(const std::string& shape, const std::string& stride) {
  const std::string inputs =
      R"({"inputs":[{"name":"x","type":{"dtype":"f32","shape":)" + shape + R"(,"stride":)" + stride + "}}],";
  return found::status_of(found::read(
      R"("symbols":{"s":{"min":1}},"before":)" + inputs + R"("steps":[],"outputs":[{"ref":"x"}]},"after":)" +
      inputs +
      R"("steps":[{"name":"z","op":"aten.reshape.default","args":[{"ref":"x"},[-1]]},{"name":"w","op":"aten.mul_.Tensor","args":[{"ref":"z"},2.0]}],"outputs":[{"ref":"x"}]})"));
}

}  // namespace

/// A kernel keeps its operand's order of strides: reshape may copy then.
TEST_CASE("a result of strided operands is not taken to be contiguous", "[effects]") {
  CHECK(doubled("[3,1]") == Status::proved);
  CHECK(doubled("[1,2]") != Status::proved);
}

TEST_CASE("results of a list do not have its items' shapes, but where the operator takes item by item",
          "[effects]") {
  const auto claims = [](const char* line) {
    const std::string lines = std::string(line) + "\na: \"f32[8]\" = m[0]\nreturn (a,)";
    return fx_traced(fx_case(R"(x: "f32[4]")", lines, "")).find("claim size said 8 computed 4") !=
           std::string::npos;
  };
  CHECK_FALSE(claims("m = torch.ops._c10d_functional.all_gather_into_tensor_coalesced.default([x], 2, '0')"));
  CHECK(claims("m = torch.ops.aten._foreach_neg.default([x])"));
}

/// A stride that is a symbol may be that of a view: to take the reshape for a copy would prove too much.
TEST_CASE("reshape is no copy where strides let it be a view in some run", "[effects]") {
  CHECK(kept("[2,3]", "[4,1]") == Status::proved);
  CHECK(kept("[2,3]", "[3,1]") == Status::refuted);
  CHECK(kept("[2,3]", R"(["s",1])") == Status::refuted);  // s = 3
  CHECK(kept(R"([2,"s"])", R"(["s",1])") == Status::refuted);
  CHECK(kept(R"([2,"s"])", "[3,0]") == Status::refuted);  // s = 1
  CHECK(kept(R"([2,"2*s"])", "[3,0]") != Status::refuted);
}

/// The dump says the type of a clone and not how it lies: in the order of its operand, or as it is asked for.
TEST_CASE("a clone lies as its operand does, where nothing else is said", "[effects]") {
  const std::string given = R"(x: "f32[2, 3]")";
  const auto status = [&](const std::string& clone, const std::string& after) {
    const std::string start =
        "p: \"f32[3, 2]\" = aten.permute.default(x, [1, 0])\nc: \"f32[3, 2]\" = " + clone + "\n";
    bool contradiction = false;
    const Case pair =
        fx_pair(given, start + "f = aten.reshape.default(c, [6])\nd = aten.clone.default(f)\nreturn (d, c)",
                start + after);
    return check_case(pair, {}, contradiction).status;
  };
  const std::string kept = "aten.clone.default(p)";
  const std::string dense = "aten.clone.default(p, memory_format = torch.contiguous_format)";
  const std::string written = "f = aten.reshape.default(c, [6])\nd = aten.clone.default(f)\n";
  for (const std::string& clone : {kept, dense})
    CHECK(status(clone, "f = aten.reshape.default(c, [6])\nd = aten.clone.default(f)\nreturn (d, c)") ==
          Status::proved);
  // The reshape of the one is a copy, that of the other a view.
  CHECK(status(kept, written + "m = aten.mul_.Tensor(f, 2)\nreturn (d, c)") == Status::proved);
  CHECK(status(dense, written + "m = aten.mul_.Tensor(f, 2)\nreturn (d, c)") == Status::refuted);
}

namespace {

/// r = a result of `call`, which stays as it is; or it is turned and reshaped, and what that gives
/// overwritten, which only reaches r if reshape makes a view.
Status result_kept(const std::string& call, bool turned) {
  const std::string x = R"({"name":"x","type":{"dtype":"f32","shape":[2,3,4,5]}},)"
                        R"({"name":"l","type":{"dtype":"f32","shape":[2,3,4],"stride":[12,1,3]}})";
  const std::string by = turned ? R"({"name":"t","op":"aten.transpose.int","args":[{"ref":"r"},1,2]},)" : "";
  const std::string z = std::string(R"({"name":"z","op":"aten.reshape.default","args":[{"ref":")") +
                        (turned ? "t" : "r") +
                        R"("},[-1]]},{"name":"w","op":"aten.mul_.Scalar","args":[{"ref":"z"},2]})";
  const std::string end = R"(],"outputs":[{"ref":"r"}])";
  return found::status_of(
      found::pair_of(x, "\"steps\":[" + call + end, "\"steps\":[" + call + "," + by + z + end));
}

}  // namespace

/// Seed 800454: gradients of attention lie with heads behind rows, however the operands lie.
TEST_CASE("kernels that lay out results in an order of their own", "[effects]") {
  const std::string x = R"({"ref":"x"},)";
  const std::string backward =
      R"({"names":["r","k","v"],"op":"aten._scaled_dot_product_flash_attention_for_cpu_backward.default","args":[)" +
      x + x + x + x + x + R"({"ref":"l"},0.0,false]})";
  CHECK(result_kept(backward, false) == Status::proved);
  CHECK(result_kept(backward, true) == Status::refuted);
  const std::string forward =
      R"({"names":["o","r"],"op":"aten._scaled_dot_product_flash_attention_for_cpu.default","args":[)" + x +
      x + R"({"ref":"x"}]})";
  CHECK(result_kept(forward, false) == Status::proved);
  CHECK(result_kept(forward, true) == Status::refuted);
}

/// Seed 803224: what a reduction is asked to give.
TEST_CASE("reductions of prims give the type that they are asked for", "[effects]") {
  for (const char* op : {"amin", "amax", "sum", "prod"}) {
    INFO(op);
    const std::string r = std::string(R"("steps":[{"name":"r","op":"prims.)") + op +
                          R"(.default","args":[{"ref":"x"},[0]],"kwargs":{"output_dtype":{"dtype":"bf16"}}})";
    const std::string out = R"(],"outputs":[{"ref":"r"}])";
    CHECK(found::status_of(found::pair_of(found::kX, r + out, r + out)) == Status::proved);
    const std::string other = std::string(R"(],"outputs":[{"ref":"s"}])");
    const std::string plain =
        std::string(R"(,{"name":"s","op":"prims.)") + op + R"(.default","args":[{"ref":"x"},[0]]})";
    CHECK(found::status_of(found::pair_of(found::kX, r + out, r + plain + other)) == Status::refuted);
  }
}

}  // namespace unsaid_strides_test
