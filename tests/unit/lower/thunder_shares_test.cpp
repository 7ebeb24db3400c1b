// What a call shares with what it is given, and what is still there at the end.
#include "tests/unit/lower/thunder_program.h"

namespace thunder_shares_test {

using namespace noclobber;
using namespace noclobber::thunder_program;

TEST_CASE("what runs decides what is a view, whatever is printed below", "[thunder]") {
  /// `module` "torch", `call` "flip(a, ())", and what Thunder's symbol of that call is made of.
  const auto ops = [](const std::string& module, const std::string& call, const std::string& type,
                      const std::vector<std::string>& below) {
    std::string text = "  t1 = " + module + "." + call + "  # t1: \"cpu " + type + "\"\n    # t1 = ltorch." +
                       call + "  # t1: \"cpu " + type + "\"\n";
    for (const std::string& line : below) text += "      # " + line + "\n";
    return ops_of(graph_of(program(text + "  return (t1,)\n")));
  };
  const std::vector<std::string> taken = {
      "t0 = prims.reshape(a, (6,))  # t0: \"cpu f32[6]\"",
      "t2 = prims.iota(2, start=0, step=4, device=devices.Device(\"cpu\"), dtype=dtypes.int64)"
      "  # t2: \"cpu i64[2]\"",
      "t1 = prims.take(t0, t2, 0)  # t1: \"cpu f32[2]\""};
  CHECK(ops("torch", "diagonal(a, 0, 0, 1)", "f32[2]", taken) == Ops{"aten.diagonal.default"});
  CHECK(ops("torch", "amax(a, 1)", "f32[2]", taken).size() == 3);  // both have storage of their own
  const std::vector<std::string> same = {"t1 = prims.shallow_copy(a)  # t1: \"cpu f32[2, 3]\""};
  CHECK(ops("torch", "flip(a, ())", "f32[2, 3]", same) == Ops{"aten.flip.default"});
  CHECK(ops("torch", "floor(a)", "f32[2, 3]", same) == Ops{"aten.floor.default"});
  CHECK(ops("Tensor", "view(a, (2, 3))", "f32[2, 3]", same) == Ops{"aten.alias.default"});
  const std::vector<std::string> spread = {
      "t0 = prims.broadcast_in_dim(a, (1, 2, 1, 3), (1, 3))  # t0: \"cpu f32[1, 2, 1, 3]\"",
      "t1 = prims.reshape(t0, (2, 3))  # t1: \"cpu f32[2, 3]\""};
  CHECK(ops("Tensor", "repeat(a, 1, 1)", "f32[2, 3]", spread) == Ops{"aten.repeat.default"});
  const auto unfold = [](const std::string& of) {
    return ops_of(graph_of(
        program("  t1 = " + of + ".unfold(a, 2, 2, 2)  # t1: \"cpu f32[2, 1, 2]\"\n  return (t1,)\n")));
  };
  CHECK(unfold("torch.nn.functional") == Ops{"thunder.torch.nn.functional.unfold"});
}

TEST_CASE("what flat_args names is there when the trace returns", "[thunder]") {
  const std::string exit = "  return {'output': (b,), 'flat_args': [a, b]}\n";
  CHECK(graph_of(program(exit)).outputs.size() == 1);
  const Graph gone = graph_of(program("  del a\n" + exit));  // memory that nobody wrote leaves the graph
  CHECK(ops_of(gone)[0] == "aten.empty.memory_format");
  CHECK(gone.outputs == std::vector<Arg>{Arg::of(gone.inputs[1].value), Arg::of(gone.steps[1].results[0])});
}

TEST_CASE("a number in a tensor chooses a view, other tensors choose copies", "[thunder]") {
  const auto ops = [](const std::string& index) {
    return ops_of(graph_of(
        trace("a, k", "  # a: \"cpu f32[2, 3]\"\n  # k: \"cpu " + index +
                          "\"\n  t1 = Tensor.__getitem__(a, k)  # t1: \"cpu f32[3]\"\n    # t1 = "
                          "ltorch.getitem(a, k)  # t1: \"cpu f32[3]\"\n"
                          "      # t0 = prims.reshape(k, (1,))  # t0: \"cpu i64[1]\"\n      # t2 = "
                          "prims.take(a, t0, 0)  # t2: \"cpu f32[1, 3]\"\n"
                          "      # t1 = prims.squeeze(t2, (0,))  # t1: \"cpu f32[3]\"\n  return (t1,)\n")));
  };
  const Ops copied = {"aten.reshape.default", "aten.index_select.default", "aten.squeeze.dims"};
  CHECK(ops("i64[1]") == copied);
  CHECK(ops("f32[]") == copied);
  CHECK(ops("i64[]") == Ops{"thunder.Tensor.__getitem__"});
}

TEST_CASE("what is known to have storage of its own is no view of what is below it", "[thunder]") {
  const auto ops = [](const std::string& below) {
    return ops_of(
        graph_of(program("  t1 = torch.floor(a, foo=1)  # t1: \"cpu f32[2, 3]\"\n    # t1 = ltorch.floor(a, "
                         "foo=1)  # t1: \"cpu f32[2, 3]\"\n      # t1 = prims." +
                         below + "  # t1: \"cpu f32[2, 3]\"\n  return (t1,)\n")));
  };
  CHECK(ops("shallow_copy(a)") == Ops{"thunder.torch.floor"});
  CHECK(ops("reshape(a, (2, 3))") == Ops{"aten.reshape.default"});  // which may be one
  CHECK(ops("floor(a)") == Ops{"aten.floor.default"});
}

TEST_CASE("a gradient that only a line below asks for is forgotten with what stands there", "[thunder]") {
  const std::string text = program(
      "  t1 = other.op(a)  # t1: \"cpu f32[2, 3]\"\n"
      "    # t5 = prims.get_grad(a)  # t5: \"cpu f32[2, 3]\"\n"
      "    # t1 = prims.bogus(t5)  # t1: \"cpu f32[2, 3]\"\n"
      "  t6 = prims.get_grad(a)  # t6: \"cpu f32[2, 3]\"\n  t7 = prims.neg(t6)  # t7: \"cpu f32[2, 3]\"\n"
      "  return (t1, t7)\n");
  const auto traces = parse_thunder(text);
  REQUIRE(traces);
  const auto made = thunder_graph(traces->at(0), text, {}, ThunderPart::whole);
  REQUIRE(made);
  const Graph& graph = made->graph;
  REQUIRE(graph.inputs.size() == 3);
  REQUIRE(graph.steps.size() == 2);
  CHECK(graph.steps[0].op == "thunder.other.op");
  CHECK(graph.steps[1].args.at(0).ref == graph.inputs[2].value);
}

TEST_CASE("a view of what came by with the line is no view of what was there before", "[thunder]") {
  const std::string call = "floor(a, a, a)", type = "  # t1: \"cpu f32[2, 3]\"\n";
  CHECK(ops_of(graph_of(program("  t1 = torch." + call + type + "    # t1 = ltorch." + call + type +
                                "      # t5 = prims.get_grad(a)  # t5: \"cpu f32[2, 3]\"\n"
                                "      # t1 = prims.shallow_copy(t5)" +
                                type + "  return (t1,)\n"))) == Ops{"aten.alias.default"});
}

TEST_CASE("a barrier with a number among its tensors leaves no step of its own behind", "[thunder]") {
  const Graph graph = graph_of(program("  (t1, t2) = update_aliases((a, 1.0))\n  return (a,)\n"));
  CHECK(ops_of(graph) == Ops{"thunder.update_aliases"});
}

}  // namespace thunder_shares_test
