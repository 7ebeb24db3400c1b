// What is promised between the reads and the writes of a step, what names mean, and what must run before
// what.
#include "tests/unit/effects/fx_traced.h"

namespace promised_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

Trace trace_of(const Case& value) {
  Modelled m;
  REQUIRE(model(value, m));
  return m.traced.after;
}

/// Per read of the last step a word: for each write e(lementwise), b(efore any write) or a(ny time).
std::string promised(const std::string& given, const std::string& lines, const std::string& declared = "") {
  const Trace trace = trace_of(fx_case(given, lines, declared));
  REQUIRE(!trace.steps.empty());
  std::string out = trace.steps.back().elementwise ? "each:" : "";
  for (const auto& row : trace.steps.back().access) {
    out += out.empty() ? "" : " ";
    for (const Access one : row)
      out += one == Access::elementwise ? 'e' : one == Access::before_write ? 'b' : 'a';
  }
  return out;
}

/// Per step the steps before which its reads mean what was there, then those of outputs.
std::string meant(const Case& value) {
  const Trace trace = trace_of(value);
  std::string out;
  for (const TraceStep& step : trace.steps) {
    for (const std::uint32_t at : step.reaching) out += std::to_string(at) + " ";
    out += "| ";
  }
  for (const TraceOutput& output : trace.outputs)
    out += output.reaching ? std::to_string(*output.reaching) + " " : "- ";
  return out;
}

}  // namespace

TEST_CASE("pointwise operators read an element before they write it", "[promised]") {
  const std::string given = R"(t: "f32[4]", x: "f32[4]", o: "f32[1]")";
  CHECK(promised(given, "a = torch.ops.aten.add_.Tensor(t, x)\nreturn (a,)") == "each: e e");
  CHECK(promised(given, "a = torch.ops.aten.add_.Tensor(t, o)\nreturn (a,)") == "each: e e");
  CHECK(promised(given, "a = torch.ops.aten.add.out(x, o, out = t)\nreturn (a,)") == "each: e e");
  CHECK(promised(given, "a = torch.ops.aten.cumsum_.default(t, 0)\nreturn (a,)") == "b");
  CHECK(promised(given, "a = torch.ops.aten.cumsum.out(x, 0, out = t)\nreturn (a,)") == "a");
  CHECK(promised(given,
                 "a = torch.ops.higher_order.with_effects(o, torch.ops.aten.neg.default, x)\n"
                 "b: \"f32[4]\" = a[1]\nreturn (b,)") == "eb bb");  // it is not that alone
  CHECK(promised(given, "a = torch.ops.aten.bernoulli_.float(t, 0.5)\nreturn (a,)") == "bb");
  CHECK(promised(given, "a = torch.ops.aten.rrelu_.default(t, 0.1, 0.3, True)\nreturn (a,)") == "bb bb");
}

TEST_CASE("an operator over lists reads an item before it writes it, others at any time", "[promised]") {
  const std::string given = R"(x: "f32[4]", y: "f32[4]", z: "f32[4]", s: "f32[2]")";
  CHECK(promised(given, "n = torch.ops.aten._foreach_add_.List([x, y], [y, x])\nreturn (x,)") ==
        "ba ab ea ae");
  CHECK(promised(given,
                 "n = torch.ops.aten._foreach_addcmul_.Tensor([x, y], [y, z], [z, x], s)\nreturn (x,)") ==
        "ba ab ea ae ea ae aa");
}

TEST_CASE("a declaration promises what it says, of arguments of the target's shape", "[promised]") {
  const std::string zoo = R"fx([
      {"schema": "zoo::all(Tensor(a!) t, Tensor x) -> Tensor(a!)"},
      {"schema": "zoo::each(Tensor(a!) t, Tensor x, Tensor y) -> Tensor(a!)", "access": {"x": "elementwise"}},
      {"schema": "zoo::none(Tensor(a!) t, Tensor x, Tensor y) -> Tensor(a!)", "access": {"x": "any"}},
      {"schema": "zoo::every(Tensor(a!) t, Tensor x, Tensor y) -> Tensor(a!)", "access": "elementwise"},
      {"schema": "zoo::first(Tensor(a!) t, Tensor x) -> Tensor(a!)", "when": "before_write"},
      {"schema": "zoo::tell(Tensor x) -> Tensor", "pure": false}])fx";
  const std::string given = R"(t: "f32[4]", x: "f32[4]", y: "f32[4]", o: "f32[1]")";
  const auto of = [&](const std::string& call) {
    return promised(given, "a: \"f32[4]\" = torch.ops.zoo." + call + "\nreturn (a,)", zoo);
  };
  CHECK(of("all.default(t, x)") == "b a");
  CHECK(of("each.default(t, x, y)") == "b e a");
  CHECK(of("each.default(t, o, y)") == "b a a");
  CHECK(of("none.default(t, x, y)") == "b a a");
  CHECK(of("every.default(t, x, y)") == "b e e");
  CHECK(of("every.default(t, x, o)") == "b e a");
  CHECK(of("first.default(t, x)") == "b b");
  CHECK(of("tell.default(x)") == "ab bb");
}

TEST_CASE("a name means what it held when it was made, a view what its argument meant", "[promised]") {
  const std::string given = R"(x: "f32[4]")";
  const auto value_of = [&](const std::string& lines) {
    Case out = fx_case(given, "y = torch.ops.aten.neg.default(x)\n" + lines);
    out.names_are_values = true;
    return out;
  };
  const std::string stored = "a = torch.ops.aten.add_.Tensor(y, 1)\n";
  const std::string viewed = "v = torch.ops.aten.view.default(y, [2, 2])\n";
  const std::string asked = "d = torch.ops.aten.neg.default(v)\nreturn (d, y, v, a)";
  CHECK(meant(value_of(stored + viewed + asked)) == "0 | 1 | 1 | 3 1 1 2 ");
  CHECK(meant(value_of(stored + "c = torch.ops.aten.t_.default(y)\nd = torch.ops.aten.neg.default(a)\n"
                                "e = torch.ops.aten.neg.default(y)\nreturn (d, e)")) ==
        "0 | 1 | 2 | 1 | 3 4 ");
  Case late = value_of(stored + viewed + asked);
  late.after.steps[2].barrier = true;
  CHECK(meant(late) == "0 | 1 | 2 | 3 1 2 2 ");
  CHECK(meant(value_of(
            "a: \"f32[8]\" = torch.ops._c10d_functional.all_gather_into_tensor.default(y, 2, '0')\n"
            "b = torch.ops._c10d_functional.wait_tensor.default(a)\nreturn (b,)")) == "0 | 1 1 | 2 1 | 3 ");
  CHECK(meant(value_of("a: \"f32[4]\" = torch.ops.aten.rand_like.default(y)\nreturn (a,)")) == "0 | 1 | 2 ");
}

TEST_CASE("what a view of nobody knows which shows is what is there when somebody asks", "[promised]") {
  Case value =
      fx_case(R"(x: "f32[4]")",
              "v: \"f32[3]\" = torch.ops.zoo.view.default(x)\nd = torch.ops.aten.neg.default(v)\nreturn (d,)",
              R"fx([{"schema": "zoo::view(Tensor(a) x) -> Tensor(a)", "result": "view"}])fx");
  value.names_are_values = true;
  CHECK(meant(value) == "0 | 1 | 1 | 3 ");
}

TEST_CASE("what is used twice runs before its user once", "[promised]") {
  Case value = fx_case(R"(x: "f32[4]")",
                       "b = torch.ops.aten.neg.default(x)\n"
                       "c = torch.ops.aten.mul.Tensor(b, b)\nreturn (c,)");
  value.dataflow = true;
  const Trace trace = trace_of(value);
  CHECK(trace.edges == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 1}, {0, 2}, {1, 2}});
}

TEST_CASE("what is held at exit is what was computed for it", "[promised]") {
  Case value = fx_case(R"(x: "f32[4]", y: "f32[4]")",
                       "b = torch.ops.aten.neg.default(x)\nc = torch.ops.aten.neg.default(y)\nreturn (b, c)");
  const ValueId x = value.after.find("x"), y = value.after.find("y");
  value.after.finals = {{x, Arg::of(value.after.find("c"))}, {y, Arg::of(value.after.find("b"))}};
  value.names_are_values = true;
  CHECK(meant(value) == "0 | 0 | 2 | 1 | 3 | 4 | 1 2 ");
  for (const ValueId written : {x, y}) value.after.inputs[value.after.value(written).at].may_write = true;
  CHECK(fx_status(value) == Status::proved);
  value.after.outputs = {Arg::of(x)};  // that is overwritten then
  CHECK(fx_status(value) != Status::proved);
}

TEST_CASE("a return comes behind all that it may show, and before what is held at exit", "[promised]") {
  Case value = fx_case(R"(x: "f32[4]", y: "f32[4]")",
                       "b = torch.ops.aten.neg.default(y)\nc = torch.ops.aten.neg.default(b)\n"
                       "d = torch.ops.aten.neg.default(x)\nreturn (b, c, d, 3)");
  Step leave;
  leave.op = "prims.return.default";
  leave.args = {value.after.outputs[0], value.after.outputs[1], value.after.outputs[2]};
  value.after.steps.push_back(leave);
  value.after.finals = {{value.after.find("x"), Arg::of(value.after.find("c"))}};
  value.after.inputs[0].may_write = true;
  value.dataflow = true;
  value.names_are_values = true;
  CHECK("\n" + fx_traced(value) == R"(
storage S4 [4]  fresh 0
storage S5 [4]  fresh 1
storage S6 [4]  fresh 2
storage S7 [4]  fresh 3
step 0 opaque "aten.neg;T"  write S4:f32[4]  read S3:f32[4]  # graph step 0
step 1 opaque "aten.neg;T"  write S5:f32[4]  read S4:f32[4]  # graph step 1
step 2 opaque "aten.neg;T"  write S6:f32[4]  read S2:f32[4]  # graph step 2
step 3 opaque "prims.return.default"  read S2:f32[4], S3:f32[4], S4:f32[4], S5:f32[4], S6:f32[4], S0:token[], S1:token[]  # graph step 3
step 4 move  write S7:f32[4]  read S5:f32[4]  # graph step 4
step 5 move  write S2:f32[4]  read S7:f32[4]  # graph step 4
output 0 read S4:f32[4]
output 1 read S5:f32[4]
output 2 read S6:f32[4]
output 3 scalar 3
)");
  CHECK(meant(value) == "0 | 1 | 0 | | 2 | 5 | 1 2 3 - ");
  std::string edges;
  for (const auto& [from, to] : trace_of(value).edges)
    edges += std::to_string(from) + "-" + std::to_string(to) + " ";
  CHECK(edges == "0-1 0-3 0-4 1-3 1-4 2-3 2-4 3-4 ");
  CHECK(fx_status(value) == Status::proved);
  value.after.steps[3].args.pop_back();  // it may leave before d is computed
  CHECK(fx_status(value) != Status::proved);
}

}  // namespace promised_test
