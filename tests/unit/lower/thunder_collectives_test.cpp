// Collectives, objects that a trace holds, and gradients of operators that Thunder registers by itself.
#include "tests/support/graph_text.h"
#include "tests/unit/lower/thunder_program.h"

namespace thunder_collectives_test {

using namespace noclobber;
using namespace noclobber::thunder_program;

namespace {

std::string collective(const std::string& lines) {
  return testing::graph_text(graph_of(program(lines + "  return (t1,)\n")));
}

const std::string kGroup = "_torch_distributed_distributed_c10d_ProcessGroup_";

std::string line(const std::string& name, const std::string& call, const std::string& type) {
  return "  " + name + " = " + call + "  # " + name + ": \"" + type + "\"\n";
}

const std::string kFuture = "FUTURE thunder.devices.Device(type='cpu') f32";

}  // namespace

TEST_CASE("thunder collectives: in flight until their wait", "[thunder]") {
  CHECK(
      collective(
          line("ft0",
               "torch_all_reduce_prim_impl(a, _DistributedReduceOps_SUM_1, " + kGroup + "2, True, False)",
               kFuture + "[2, 3]") +
          line("t1", "torch_wait_prim_impl(ft0)", "cpu f32[2, 3]")) ==
      R"x(ft0:f32 = _c10d_functional.all_reduce.default(a, '_DistributedReduceOps_SUM', '_torch_distributed_distributed_c10d_ProcessGroup')
t1:f32 = _c10d_functional.wait_tensor.default(ft0)
-> t1
)x");
  const std::string own = line("ft0",
                               "thunder.distributed.prims.all_reduce(a, _DistributedReduceOps_SUM_1, " +
                                   kGroup + "2, True, True)",
                               kFuture + "[2, 3]") +
                          line("t1", "thunder.distributed.prims.wait(ft0)", "cpu f32[2, 3]");
  CHECK(collective(own).find("all_reduce_.default(a") != std::string::npos);  // without a clone
  const std::string blocking =
      line("t1", "torch_broadcast_prim_impl(a, 0, " + kGroup + "0, False)", "cpu f32[2, 3]");
  CHECK(ops_of(graph_of(program(blocking + "  return (t1,)\n"))) ==
        Ops{"_c10d_functional.broadcast.default", "_c10d_functional.wait_tensor.default"});
}

TEST_CASE("thunder collectives: sizes say how many take part", "[thunder]") {
  const std::string gathered =
      line("ft0", "torch_all_gather_prim_impl(a, " + kGroup + "0, True, None)", kFuture + "[8, 3]") +
      line("t1", "torch_wait_prim_impl(ft0)", "cpu f32[8, 3]");
  CHECK(collective(gathered).find("all_gather_into_tensor.default(a, 4, ") != std::string::npos);
  const std::string scattered =
      line("ft0",
           "torch_reduce_scatter_prim_impl(a, _DistributedReduceOps_SUM_1, " + kGroup + "0, True, None)",
           kFuture + "[1, 3]") +
      line("t1", "torch_wait_prim_impl(ft0)", "cpu f32[1, 3]");
  CHECK(collective(scattered).find("reduce_scatter_tensor.default(a, '_DistributedReduceOps_SUM', 2, ") !=
        std::string::npos);
  // Along another dimension, or into a size that is no multiple, nobody knows.
  const std::string across =
      line("t1", "torch_all_gather_prim_impl(a, " + kGroup + "0, False, 1)", "cpu f32[2, 6]");
  CHECK(ops_of(graph_of(program(across + "  return (t1,)\n"))) == Ops{"thunder.torch_all_gather_prim_impl"});
  const std::string odd =
      line("t1", "torch_all_gather_prim_impl(a, " + kGroup + "0, False)", "cpu f32[3, 3]");
  CHECK(ops_of(graph_of(program(odd + "  return (t1,)\n"))) == Ops{"thunder.torch_all_gather_prim_impl"});
}

TEST_CASE("thunder collectives: a replicated parameter is itself, a sharded one is gathered", "[thunder]") {
  const auto ops = [](const std::string& kind, const std::string& type) {
    return ops_of(graph_of(program(
        line("t1",
             "thunder.distributed.prims.synchronize(a, " + kGroup + "0, _DistParallelType_" + kind + "_1)",
             type) +
        "  return (t1,)\n")));
  };
  CHECK(ops("REPLICATED", "cpu f32[2, 3]") == Ops{"aten.alias.default"});
  CHECK(ops("FULLY_SHARDED", "cpu f32[4, 3]") ==
        Ops{"_c10d_functional.all_gather_into_tensor.default", "_c10d_functional.wait_tensor.default"});
  CHECK(ops("COLUMN_WISE", "cpu f32[2, 3]") == Ops{"thunder.thunder.distributed.prims.synchronize"});
}

TEST_CASE("thunder objects: of two groups nobody knows which is which in another trace", "[thunder]") {
  const auto reduced = [](const std::string& result, const std::string& of, const std::string& group) {
    return line(result,
                "torch_all_reduce_prim_impl(" + of + ", _DistributedReduceOps_SUM_1, " + kGroup + group +
                    ", False, False)",
                "cpu f32[2, 3]");
  };
  const auto ops = [&](const std::string& second) {
    return ops_of(
        graph_of(program(reduced("t0", "a", "0") + reduced("t1", "t0", second) + "  return (t1,)\n")));
  };
  CHECK(ops("0")[2] == "_c10d_functional.all_reduce.default");
  CHECK(ops("1") == Ops{"thunder.torch_all_reduce_prim_impl", "thunder.torch_all_reduce_prim_impl"});
}

TEST_CASE("thunder gradients: of operators registered by themselves, typed like what they are of",
          "[thunder]") {
  const auto read = [](const std::string& statement) {
    const auto checks = read_thunder({"t", program("  " + statement + "\n  return (t1,)\n")}, "");
    REQUIRE(checks.at(0).value);
    return *checks[0].value;
  };
  const Case both = read("(t1, t2) = smooth_l1_loss_vjp(((a, b), {}), b)");
  CHECK(both.assumed_pure == std::vector<std::string>{"smooth_l1_loss_vjp"});
  REQUIRE(ops_of(both.after) == Ops{"thunder.smooth_l1_loss_vjp_ttat2.default"});
  CHECK(both.after.value(both.after.find("t2")).type->shape.size() == 2);
  CHECK(both.after.value(both.after.find("t1")).type->strides == Type::Strides::unknown);
  CHECK(ops_of(read("(t1, _) = roll_vjp(((a, 1), {}), b)").after) == Ops{"thunder.roll_vjp_taat.default"});
  // Other keywords are another function of its arguments.
  const auto args = [&](const std::string& of) {
    return read("(t1,) = roll_vjp(((a,), {'dims': " + of + "}), b)");
  };
  CHECK_FALSE(args("0").after.steps[0].args == args("1").after.steps[0].args);
  // Gradients of views may be views, and what draws numbers draws others.
  REQUIRE(read("(t1,) = swapaxes_vjp(((a,), {}), b)").ops.size() == 1);
  CHECK(read("(t1,) = swapaxes_vjp(((a,), {}), b)").ops[0].may_alias.size() == 1);
  CHECK(read("(t1,) = detach_vjp(((a,), {}), b)").ops[0].may_alias.empty());
  CHECK(ops_of(read("(t1,) = alpha_dropout_vjp(((a,), {}), b)").after) == Ops{"thunder.alpha_dropout_vjp"});
  CHECK(ops_of(read("(t1, t2) = roll_vjp(((a, 1), {}), b)").after) == Ops{"thunder.roll_vjp"});
}

TEST_CASE("thunder rows: bytes as elements of another type are a view", "[thunder]") {
  const std::string read = collective(line("t1", "prims.bitcast(a, dtypes.int32)", "cpu i32[2, 3]"));
  CHECK(read == "t1:i32 = aten.view.dtype(a, i32)\n-> t1\n");
}

}  // namespace thunder_collectives_test
