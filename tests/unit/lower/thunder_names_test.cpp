// One operator under the names that Thunder and its executors print.
#include "src/lower/thunder/builder.h"
#include "tests/unit/lower/thunder_program.h"

namespace thunder_names_test {

using namespace noclobber;
using namespace noclobber::thunder_program;

TEST_CASE("executors' names of Thunder's operators", "[thunder]") {
  // table: printed, the operator
  const std::pair<const char*, const char*> names[] = {
      {"torch_nll_loss_backward_impl", "nll_loss_backward"},
      {"torch_erfcinv_impl", "erfcinv"},
      {"torch_pad_prim_impl", "pad"},
      {"torch_prims_reshape_impl", "reshape"},
      {"torch_somebodys_impl", "torch_somebodys"},
      {"ltorch.nll_loss_backward", "nll_loss_backward"},
  };
  for (const auto& [printed, name] : names) CHECK(thunder_stem(printed) == name);
}

TEST_CASE("gradients without a function in PyTorch are functions of what they are given", "[thunder]") {
  const char* symbol =
      "  g = ltorch.nll_loss_backward(a, b, a, None, 'mean', -100, b)  # g: \"cpu f32[2, 3]\"\n  return g\n";
  const char* executed =
      "  g = torch_nll_loss_backward_impl(a, b, a, None, 'mean', -100, b)  # g: \"cpu f32[2, 3]\"\n  return "
      "g\n";
  const Ops one = ops_of(graph_of(program(symbol)));
  REQUIRE(one.size() == 1);
  CHECK(one[0].starts_with("thunder.nll_loss_backward_"));
  CHECK(ops_of(graph_of(program(executed))) == one);
}

TEST_CASE("pools with indices are PyTorch's, other bare names are somebody's own", "[thunder]") {
  const std::string given = "  # a: \"cpu f32[1, 2, 4, 4]\"\n";
  const auto pooled = [&](const std::string& name) {
    return ops_of(
        graph_of(trace("a", given + "  (x, i) = " + name + "(a, 2, 2, 0, 1, False)\n  return x\n")));
  };
  CHECK(pooled("max_pool2d_with_indices") == Ops{"aten.max_pool2d_with_indices.default"});
  CHECK(pooled("max_pool2d_of_mine") == Ops{"thunder.max_pool2d_of_mine"});
}

/// What is executed is described by the lines below it where both are the same operator.
TEST_CASE("an executed operator and its symbol below may differ in an underscore, _data, or sgn",
          "[thunder]") {
  const auto ops = [](const std::string& executed, const std::string& symbol) {
    return ops_of(
        graph_of(program("  g = " + executed + "  # g: \"cpu f32[2, 3]\"\n    # g = " + symbol +
                         "  # g: \"cpu f32[2, 3]\"\n      # g = prims.neg(a)  # g: \"cpu f32[2, 3]\"\n"
                         "  return g\n")));
  };
  const Ops below{"aten.neg.default"};
  CHECK(ops("torch.ops.aten._log_softmax_backward_data(a, b, 1, torch.float32)",
            "ltorch.log_softmax_backward(a, b, 1, torch.float32)") == below);
  CHECK(ops("torch.sgn(a)", "ltorch.sign(a)") == below);
  CHECK(ops("torch.sgn(a)", "ltorch.abs(a)") != below);
  CHECK(ops("torch.ops.aten._log_softmax_backward_data(a, b, 1, torch.float32)",
            "ltorch.log_softmax_backward(a, b, 0, torch.float32)") != below);
}

TEST_CASE("cpu is the tensor itself where it lies there", "[thunder]") {
  CHECK(ops_of(graph_of(program("  g = ltorch.cpu(a)  # g: \"cpu f32[2, 3]\"\n  return g\n"))) ==
        Ops{"aten.alias.default"});
  const std::string given = "  # a: \"cuda:0 f32[2, 3]\"\n";
  CHECK(ops_of(graph_of(trace("a", given + "  g = ltorch.cpu(a)  # g: \"cpu f32[2, 3]\"\n  return g\n"))) !=
        Ops{"aten.alias.default"});
}

}  // namespace thunder_names_test
