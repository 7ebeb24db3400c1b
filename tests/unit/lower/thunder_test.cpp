#include <algorithm>
#include <random>

#include "src/inputs/format.h"
#include "src/lower/thunder/graph.h"
#include "tests/catch.h"
#include "tests/unit/lower/thunder_program.h"

namespace thunder_test {

using namespace noclobber;
using namespace noclobber::thunder_program;

namespace {

const std::string kSin =
    "  (t1,) = prims.update_aliases((a,))\n"
    "\n"
    "  # f.py:3: \t    a.sin_()\n"
    "  t6 = ltorch.sin_(t1)  # t6: \"cpu f32[2, 3]\"\n"
    "    # t5 = ltorch.sin(t1)  # t5: \"cpu f32[2, 3]\"\n"
    "      # t5 = prims.sin(t1)  # t5: \"cpu f32[2, 3]\"\n"
    "    # t6 = prims.copy_(t5, t1, grad_enabled=True)  # t6: \"cpu f32[2, 3]\"\n"
    "  return {'output': (t6,), 'flat_args': [t6, b]}\n";

}  // namespace

TEST_CASE("a write in a composite is a step of the statement", "[thunder]") {
  const Graph g = graph_of(program(kSin));
  CHECK(ops_of(g) ==
        Ops{"aten.alias.default", "aten.sin.default", "aten.copy_.default", "prims.return.default"});
  REQUIRE(g.steps[2].args.size() == 2);
  CHECK(g.value(g.steps[2].args[0].ref).name == "t1");  // destination first
  CHECK(g.value(g.steps[2].args[1].ref).name == "t5");
  CHECK(g.steps[1].unit == g.steps[2].unit);
  CHECK(g.steps[0].unit != g.steps[1].unit);
  CHECK(g.steps[2].extras->after == std::vector<std::string>{"t5"});
  CHECK(g.steps[1].source->loc == "f.py:3");
  CHECK(g.steps[1].source->code == "a.sin_()");
  REQUIRE(g.outputs.size() == 1);
  CHECK(g.value(g.outputs[0].ref).name == "t6");
}

TEST_CASE("without what it is made of, an in-place function is its ATen operator", "[thunder]") {
  const Graph g = graph_of(program("  t6 = ltorch.sin_(a)  # t6: \"cpu f32[2, 3]\"\n  return t6\n"));
  CHECK(ops_of(g) == Ops{"aten.sin_.default"});
  const Graph relu =
      graph_of(program("  t6 = torch.relu(a, True)  # t6: \"cpu f32[2, 3]\"\n  return (t6,)\n"));
  CHECK(ops_of(relu) == Ops{"aten.relu_.default"});
}

TEST_CASE("a fused region without a body is unknown, never pure", "[thunder]") {
  const Graph g = graph_of(program("  [t6] = nvFusion0(a)\n  return (t6,)\n"));
  CHECK(ops_of(g) == Ops{"thunder.nvFusion0"});
  const auto checks =
      read_thunder({"t", program("  t6 = mymm(a, b)  # t6: \"cpu f32[2, 3]\"\n  return t6\n")}, "");
  REQUIRE(static_cast<bool>(checks.at(0).value));
  CHECK(checks[0].value->assumed_pure == std::vector<std::string>{"mymm"});
}

TEST_CASE("a line that runs is read itself where what is below it says something else", "[thunder]") {
  const auto read = [](const std::string& line) {
    return graph_of(program(std::string("  t1 = ") + line + "  # t1: \"cpu f32[2, 3]\"\n" +
                            "    # t1 = ltorch.sub(a, b, alpha=1)  # t1: \"cpu f32[2, 3]\"\n" +
                            "      # t1 = prims.sub(a, b)  # t1: \"cpu f32[2, 3]\"\n  return (t1,)\n"));
  };
  CHECK(read("torch.sub(a, b, alpha=1)").steps.at(0).kwargs.empty());  // the prim below
  const Graph other = read("torch.add(b, a)");
  CHECK(ops_of(other) == Ops{"aten.add.Tensor"});
  CHECK(other.value(other.steps[0].args.at(0).ref).name == "b");
  CHECK(ops_of(read("ltorch.sub(a, b)")) == Ops{"aten.sub.Tensor"});
  CHECK(ops_of(read("ltorch.sub(a, a)")) == Ops{"aten.sub.Tensor"});  // b is not given to it
  CHECK(read("ltorch.sub(a, a)").steps[0].args.at(1) == read("torch.sub(a, a)").steps[0].args.at(1));
  CHECK(ops_of(read("TorchCompile0(a)")) == Ops{"thunder.TorchCompile0"});
}

TEST_CASE("a remark below a remark that contradicts it is not what runs", "[thunder]") {
  const auto read = [](const std::string& call, const std::string& below) {
    const std::string type = "  # t1: \"cpu f32[2, 3]\"\n";
    return graph_of(program("  t1 = torch." + call + type + "    # t1 = ltorch." + call + type +
                            "      # t1 = prims." + below + type + "  return (t1,)\n"));
  };
  const Step meant = read("mul(a, 3.0)", "mul(a, 3.0)").steps.at(0);
  const Step stale = read("mul(a, 3.0)", "mul(a, 2.0)").steps.at(0);
  CHECK(stale.op == meant.op);
  CHECK(stale.args == meant.args);
  const Graph swapped = read("sub(a, b)", "sub(b, a)");
  CHECK(swapped.value(swapped.steps.at(0).args.at(0).ref).name == "a");
  // Twins: an axis counted from the front, a number printed as its type, and another order of arguments.
  CHECK(read("mul(a, 3)", "mul(a, 3.0)").steps.at(0).args == meant.args);
  CHECK(ops_of(read("cat((a, b), -1)", "cat((a, b), 1)")) == Ops{"aten.cat.default"});
}

TEST_CASE("tensors between slices are read, and slices are told apart", "[thunder]") {
  const auto set = [](const std::string& key) {
    return graph_of(program(std::string("  t1 = prims.copy_with_setitem(a, ") + key +
                            ", 1.0)  # t1: \"cpu f32[2, 3]\"\n" + "  return (t1,)\n"))
        .steps.at(0);
  };
  const Step one = set("(slice(0,1,None), b)");
  REQUIRE(one.args.size() == 4);  // a, the key, b out of it, the value
  CHECK(one.args[2].kind == Arg::Kind::ref);
  CHECK(one.args[1] == set("(slice(0,1,None), a)").args[1]);
  CHECK_FALSE(one.args[1] == set("(slice(1,2,None), b)").args[1]);
  CHECK(set("(slice(0,1,None), _object_3)").op ==
        "thunder.prims.copy_with_setitem");  // nobody knows what that is
}

TEST_CASE("complex numbers and results of topk are known", "[thunder]") {
  const Graph g =
      graph_of(program("  t1 = prims.mul(a, complex(2.0, 1.0))  # t1: \"cpu c64[2, 3]\"\n"
                       "  (t2, t3) = prims.topk(b, 2, 1, True, True)\n  return (t1, t2, t3)\n"));
  CHECK(ops_of(g) == Ops{"thunder.mul_ta.default", "aten.topk.default"});
}

TEST_CASE("sorting is told apart by its direction, however it is written", "[thunder]") {
  const auto one = [](const std::string& call) {
    return graph_of(program("  " + call + "\n  return (t1,)\n")).steps.at(0);
  };
  const Step plain = one("(t1, t2) = ltorch.sort(a, -1, False, False)");
  CHECK(plain.op == "aten.sort.stable");
  CHECK(plain.kwargs == one("(t1, t2) = torch.sort(a, dim=-1, descending=False, stable=False)").kwargs);
  CHECK(plain.kwargs == one("(t1, t2) = prims.sort(a, -1, False, None)").kwargs);
  CHECK_FALSE(plain.kwargs == one("(t1, t2) = ltorch.sort(a, -1, True, False)").kwargs);
  CHECK_FALSE(plain.kwargs == one("(t1, t2) = ltorch.sort(a, 0, False, False)").kwargs);
  CHECK(one("t1 = ltorch.argsort(a, -1, False, False)  # t1: \"cpu i64[2, 3]\"").op == "aten.argsort.stable");
  CHECK(one("t1 = Tensor.double(a)  # t1: \"cpu f64[2, 3]\"").op == "aten.to.dtype");
  CHECK(
      one("t1 = prims.convolution(a, b, None, (2,), (0,), (1,), False, (0,), 1)  # t1: \"cpu f32[1]\"").op ==
      one("t1 = torch.convolution(a, b, None, (2,), (0,), (1,), False, (0,), 1)  # t1: \"cpu f32[1]\"").op);
}

TEST_CASE("instance_norm writes its statistics, whatever is printed below it", "[thunder]") {
  const auto norm = [](const std::string& given) {
    const std::string below =
        "    # t0 = prims.mul(a, 2.0)  # t0: \"cpu f32[2, 3]\"\n    # t1 = prims.neg(t0)  # t1: ";
    return graph_of(trace("a, m, v",
                          "  # a: \"cpu f32[2, 3]\"\n  # m: \"cpu f32[3]\"\n  # v: \"cpu f32[3]\"\n"
                          "  t1 = ltorch.instance_norm(a, " +
                              given +
                              ", None, None, True, 0.1)"
                              "  # t1: \"cpu f32[2, 3]\"\n" +
                              below + "\"cpu f32[2, 3]\"\n  return (t1,)\n"));
  };
  CHECK(ops_of(norm("m, v")) == Ops{"thunder.instance_norm_twwaaaa.default"});
  CHECK(ops_of(norm("None, None")) == Ops{"aten.mul.Scalar", "aten.neg.default"});
}

TEST_CASE("what a forward saves is compared, and an unbound name is named", "[thunder]") {
  const auto forward = [](const std::string& saved) {
    return program(
        "  t1 = prims.sin(a)  # t1: \"cpu f32[2, 3]\"\n  t2 = prims.cos(a)  # t2: \"cpu f32[2, 3]\"\n"
        "  return {'output': (t1,), 'flat_args': [a, b], 'flat_output': (t1,)}, ((" +
        saved + "), ())\n");
  };
  const auto outputs = [&](const std::string& one, const std::string& other) {
    const auto pair = read_thunder_pair({"x", forward(one)}, {"y", forward(other)}, "");
    REQUIRE(static_cast<bool>(pair));
    std::vector<std::string> out;
    for (const Arg& output : pair->after.outputs) out.push_back(pair->after.value(output.ref).name);
    return out;
  };
  CHECK(outputs("t2,", "a,") == std::vector<std::string>{"t1", "a"});
  CHECK(outputs("t2,", "t2,") == std::vector<std::string>{"t1", "t2"});
  CHECK(outputs("t2,", "t2, a") == std::vector<std::string>{"t1", "saved_for_backward__other"});
  const auto other = read_thunder_pair({"x", forward("t2,")}, {"y", forward("t2, a")}, "");
  for (const Graph* graph : {&*other->before, &other->after}) {  // a backward that is not here decides
    REQUIRE(graph->outputs.size() == 2);
    CHECK(graph->steps.back().op == "thunder.other_values_saved");
    CHECK(Arg::of(graph->steps.back().results.at(0)) == graph->outputs[1]);
    CHECK(graph->value(graph->outputs[1].ref).from == Value::From::step);
    CHECK(graph->value(graph->outputs[1].ref).at + std::size_t{1} == graph->steps.size());
  }
  const Graph lost = graph_of(program("  (t3,) = update_aliases((t9,))\n  return (a, b)\n"));
  CHECK(ops_of(lost) == Ops{"thunder.t9_is_not_bound", "aten.alias.default"});
  CHECK(ops_of(graph_of(program("  return (a, (b, t8))\n"))) == Ops{"thunder.t8_is_not_bound"});
}

TEST_CASE("a memory format without what is below it is unknown, not unreadable", "[thunder]") {
  const Graph g = graph_of(
      program("  t1 = ltorch.clone(a, memory_format=_torch_memory_format_0)  # t1: \"cpu f32[2, 3]\"\n"
              "  return (t1,)\n"));
  CHECK(ops_of(g) == Ops{"thunder.ltorch.clone"});
  CHECK(ops_of(graph_of(program("  t1 = ltorch.clone(t0)  # t1: \"cpu f32[2, 3]\"\n  return (t1,)\n"))) ==
        Ops{"thunder.t0_is_not_bound", "aten.clone.default"});
}

TEST_CASE("inputs that the facts leave out may overlap", "[thunder]") {
  const std::string a =
      R"({"name": "a", "dtype": "f32", "shape": [2, 3], "stride": [3, 1], "storage": "S0"})";
  const std::string b =
      R"({"name": "b", "dtype": "f32", "shape": [2, 3], "stride": [3, 1], "storage": "S1"})";
  const auto overlap = [&](const std::string& inputs) {
    const std::string facts = R"({"format": "noclobber.inputs/1", "inputs": [)" + inputs + "]}";
    const auto checks = read_thunder({"t", program("  return (a, b)\n")}, facts);
    REQUIRE(static_cast<bool>(checks.at(0).value));
    return checks[0].value->inputs_may_overlap;
  };
  CHECK_FALSE(overlap(a + "," + b));
  CHECK(overlap(a));
}

TEST_CASE("an operand that is not bound is named, though what is below does not read it", "[thunder]") {
  const auto zeros = [](const std::string& first, const std::string& last) {
    return program(first +
                   "  t2 = ltorch.zeros_like(t1)  # t2: \"cpu f32[2, 3]\"\n"
                   "    # t2 = prims.full((2, 3), 0, device=devices.Device(\"cpu\"), dtype=dtypes.float32)"
                   "  # t2: \"cpu f32[2, 3]\"\n" +
                   last + "  return (t2,)\n");
  };
  const std::string barrier = "  (t1,) = update_aliases((a,))\n";
  CHECK(graph_of(zeros(barrier, "")).outputs.size() == 1);
  CHECK(ops_of(graph_of(zeros("", barrier)))[0] == "thunder.t1_is_not_bound");
  CHECK(ops_of(graph_of(zeros(barrier + "  del t1\n", "")))[1] == "thunder.t1_is_not_bound");
}

TEST_CASE("what leaves and nobody knows is not nothing", "[thunder]") {
  CHECK(ops_of(graph_of(program("  t6 = get_thing()\n  return (t6, None)\n"))) ==
        Ops{"thunder.unknown_result"});
  CHECK(ops_of(graph_of(program("  [t6] = TorchCompile0()\n  return (t6,)\n"))) ==
        Ops{"thunder.TorchCompile0"});
  CHECK(graph_of(program("  check_len(a, 1)\n  return (None, 3)\n")).outputs.size() == 2);
}

TEST_CASE("a barrier orders what comes after it behind all it is given", "[thunder]") {
  const Graph g = graph_of(
      program("  t1 = prims.neg(a)  # t1: \"cpu f32[2, 3]\"\n  t2 = prims.exp(b)  # t2: \"cpu f32[2, 3]\"\n"
              "  (t3, t4) = update_aliases((t1, t2))\n  t5 = prims.sin(t3)  # t5: \"cpu f32[2, 3]\"\n"
              "  return (t5,)\n"));
  REQUIRE(g.steps.size() == 5);
  CHECK(g.steps[2].extras->after == std::vector<std::string>{"t1", "t2"});
  CHECK(g.steps[4].extras->after == std::vector<std::string>{"t4"});  // the barrier's last step
}

TEST_CASE("a remark that a fusion took into its region is none of its statements", "[thunder]") {
  const Graph graph =
      graph_of(program("  [v0] = TorchCompile0(a)\n"
                       "    # # [alias tensor args] `b` is replaced by `a`\n"
                       "    # v0 = ltorch.neg(a)  # v0: \"cpu f32[2, 3]\"\n"
                       "      # # f.py:3: \t    -a\n"
                       "      # v0 = prims.neg(a)  # v0: \"cpu f32[2, 3]\"\n"
                       "  return (v0,)\n"));
  CHECK(ops_of(graph) == Ops{"aten.neg.default"});
}

TEST_CASE("names below level 1 live in their statement and may be bound again", "[thunder]") {
  const Graph g =
      graph_of(program("  [t3] = CPUFusion0(a)\n    # t1 = prims.neg(a)  # t1: \"cpu f32[2, 3]\"\n"
                       "    # t3 = prims.exp(t1)  # t3: \"cpu f32[2, 3]\"\n"
                       "  [t4] = CPUFusion1(a)\n    # t1 = prims.sin(a)  # t1: \"cpu f32[2, 3]\"\n"
                       "    # t4 = prims.exp(t1)  # t4: \"cpu f32[2, 3]\"\n  return (t3, t4)\n"));
  REQUIRE(g.steps.size() == 4);
  CHECK(g.steps[3].args[0].ref == g.steps[2].results[0]);
  CHECK(g.value(g.steps[0].results[0]).name != g.value(g.steps[2].results[0]).name);
  const Graph outside =
      graph_of(program("  [t3] = CPUFusion0(a)\n    # t1 = prims.neg(a)  # t1: \"cpu f32[2, 3]\"\n"
                       "    # t3 = prims.exp(t1)  # t3: \"cpu f32[2, 3]\"\n  return (t1,)\n"));
  CHECK(ops_of(outside) ==
        Ops{"aten.neg.default", "aten.exp.default", "aten.empty.memory_format", "aten.clone.default"});
}

TEST_CASE("setitem is a clone, a view of it and a write into the view", "[thunder]") {
  const Graph g =
      graph_of(program("  t1 = prims.copy_with_setitem(a, (0,slice(None,2,None)), 7)  # t1: \"cpu f32[2, "
                       "3]\"\n  return (t1,)\n"));
  CHECK(ops_of(g) == Ops{"aten.clone.default", "aten.select.int", "aten.slice.Tensor", "aten.fill_.Scalar",
                         "aten.alias.default"});
  const Graph by_tensor =
      graph_of(program("  t1 = prims.copy_with_setitem(a, b, 7)  # t1: \"cpu f32[2, 3]\"\n  return (t1,)\n"));
  CHECK(ops_of(by_tensor) == Ops{"thunder.copy_with_setitem_tta.default"});  // no places: reals
}

TEST_CASE("setitem by a mask as large as the tensor fills", "[thunder]") {
  const auto set = [](const std::string& mask, const std::string& value) {
    return ops_of(
        graph_of(trace("a, b, m", "  # a: \"cpu f32[2, 3]\"\n  # b: \"cpu f32[2, 3]\"\n  # m: \"cpu " + mask +
                                      "\"\n  t1 = prims.copy_with_setitem(a, m, " + value +
                                      ")  # t1: \"cpu f32[2, 3]\"\n  return (t1,)\n")));
  };
  CHECK(set("b8[2, 3]", "1.0") == Ops{"aten.masked_fill.Scalar"});
  CHECK(set("b8[2]", "1.0") == Ops{"aten.clone.default", "aten.scalar_tensor.default",
                                   "aten.index_put_.default", "aten.alias.default"});
  CHECK(set("i64[2, 3]", "1.0") != set("b8[2, 3]", "1.0"));  // places, not a choice
}

TEST_CASE("views of prims are views", "[thunder]") {
  const Graph g = graph_of(
      program("  t1 = prims.slice_prim(a, [0, 1], [2, 3], [1, 1])  # t1: \"cpu f32[2, 2]\"\n"
              "  t2 = prims.broadcast_in_dim(t1, (2, 5, 2), (0, 2))  # t2: \"cpu f32[2, 5, 2]\"\n"
              "  t3 = prims.transpose(t2, (1, 0, 2))  # t3: \"cpu f32[5, 2, 2]\"\n  return (t3,)\n"));
  CHECK(ops_of(g) ==
        Ops{"aten.slice.Tensor", "aten.unsqueeze.default", "aten.expand.default", "aten.permute.default"});
}

TEST_CASE("what stands behind the return stays behind it", "[thunder]") {
  const Graph g =
      graph_of(program("  return (b,)\n  t1 = copy_(b, a, grad_enabled=True)  # t1: \"cpu f32[2, 3]\"\n"));
  CHECK(ops_of(g) == Ops{"prims.return.default", "aten.copy_.default"});
  const Graph last = graph_of(
      program("  t1 = copy_(b, a, grad_enabled=True)  # t1: \"cpu f32[2, 3]\"\n  return (b,)\n  del b\n"));
  CHECK(ops_of(last) == Ops{"aten.copy_.default"});
}

TEST_CASE("gradients are inputs, named after the forward's results", "[thunder]") {
  const Graph g = graph_of(program(
      "  t1 = prims.exp(a)  # t1: \"cpu f32[2, 3]\"\n  t2 = prims.get_grad(t1)  # t2: \"cpu f32[2, 3]\"\n"
      "  t3 = prims.mul(t2, t1)  # t3: \"cpu f32[2, 3]\"\n"
      "  return {'output': (t3, None), 'flat_args': [a, b], 'fw_flat_out': (t1,)}\n"));
  REQUIRE(g.inputs.size() == 3);
  CHECK(g.value(g.inputs[2].value).name == "grad_0");
  CHECK(g.outputs.size() == 3);
}

TEST_CASE("inputs.json says where inputs lie", "[thunder]") {
  const std::string inputs =
      R"({"format": "noclobber.inputs/1", "inputs": [
        {"name": "a", "dtype": "f32", "shape": [3], "stride": [1], "offset": 0, "storage": "S0"},
        {"name": "b", "dtype": "f32", "shape": [3], "stride": [1], "offset": 3, "storage": "S0"},
        {"name": "c", "dtype": "f32", "shape": [3], "stride": [2], "offset": 0, "storage": "S1"}]})";
  const std::string text = trace("a, b", "  return (a, b)\n");
  const auto checks = read_thunder({"t", text}, inputs);
  REQUIRE(static_cast<bool>(checks.at(0).value));
  const Case& value = *checks[0].value;
  CHECK_FALSE(value.inputs_may_overlap);
  REQUIRE(value.after.inputs.size() == 3);
  CHECK(value.after.inputs[1].storage == "S0");
  CHECK(value.after.inputs[1].storage_numel == SymExpr(6));
  CHECK(value.after.value(value.after.inputs[1].value).type->offset == SymExpr(3));
  CHECK(value.after.inputs[2].storage.empty());
  CHECK(read_thunder({"t", text}, "").at(0).value->inputs_may_overlap);
  const auto bad = read_thunder({"t", text}, R"({"format": "noclobber.inputs/1", "inputs": [{"name": 1}]})");
  CHECK(bad.at(0).value.fault().where == "inputs.json: /inputs/0/name");
}

TEST_CASE("faults name the place", "[thunder]") {
  CHECK(fault_of(program("  t1 = prims.neg(x)  # t1: \"cpu f32[2, 3]\"\n  return (t1,)\n")) ==
        Diagnostic{"line 9, column 18", "'x' is not bound"});
  CHECK(fault_of(program("  t1 = prims.neg(a\n  return (t1,)\n")).where == "line 9, column 19");
  CHECK(fault_of(program("  del a\n  del a\n  return (b,)\n")).where == "line 10, column 7");
  CHECK(fault_of(program("  t1 = prims.neg(a)\n")).message == "a trace without 'return': the text is cut");
  CHECK(fault_of(program("  t1 = prims.neg(a)\n      # t1 = prims.neg(a)\n  return (a,)\n")).message ==
        "indented too far");
  CHECK(fault_of(program("  return (a,)\n  return (a,)\n")).message == "a second return");
  CHECK(fault_of(program("  t1 = prims.neg(a) b\n  return (a,)\n")).where.starts_with("line 9, column 2"));
}

TEST_CASE("several traces in one text are consecutive pairs", "[thunder]") {
  const std::string one = program(kSin);
  const auto checks = read_thunder({"t", one + "\n" + one}, "");
  REQUIRE(checks.size() == 1);
  CHECK(checks[0].what == TraceCheck::What::pair);
  REQUIRE(static_cast<bool>(checks[0].value));
  CHECK(checks[0].value->before.has_value());
  CHECK(checks[0].value->pass == "Dead Code Elimination");
  std::string unnamed = one;
  unnamed.replace(unnamed.find("# Constructed"), unnamed.find('\n'), "# x");
  const auto steps =
      read_thunder_sequence({{"05_first", unnamed}, {"06_fused-rematerialize", unnamed}}, {}, "");
  CHECK(steps.back().value->pass == "fused-rematerialize");
}

TEST_CASE("sniffed by its first lines", "[thunder]") {
  CHECK(format_of(program(kSin)) == &kThunderFormat);
  CHECK(format_of("import torch\nfrom thunder.executors.torchex import no_autocast\n\n@no_autocast\n"
                  "def prologue(*args):\n") == &kThunderFormat);
  CHECK(format_of("def forward(self, x):\n    return x\n") == &kFxTextFormat);
}

TEST_CASE("damaged traces end in a fault or a case", "[thunder]") {
  const std::string whole =
      program("  C0, t2, = b\n" + kSin) + program("  [t6, _] = ltorch.split(a, -1, 1e-05)\n" + kSin);
  std::mt19937 random(7);
  const std::string_view pieces = "()[]{},=:\"'#\n .-_\\\t9at";
  std::size_t read = 0;
  for (int k = 0; k < 4000; ++k) {
    std::string text = whole;
    const std::size_t at = random() % text.size();
    switch (random() % 4) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text.erase(at, 1 + random() % 5);
        break;
      case 2:
        text.insert(at, 1, pieces[random() % pieces.size()]);
        break;
      case 3:
        text[at] = pieces[random() % pieces.size()];
        break;
    }
    for (const TraceCheck& check : read_thunder({"t", text}, "")) {
      if (check.value) ++read;
      if (!check.value) CHECK_FALSE(check.value.fault().message.empty());
    }
  }
  CHECK(read < 4000);
}

}  // namespace thunder_test
