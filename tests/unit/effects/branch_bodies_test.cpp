// Which bodies of branches only compute, and the step that a branch becomes.
#include "src/formats/case/case_json.h"
#include "src/ops/branches.h"
#include "tests/unit/effects/trace_lines.h"

namespace branch_bodies_test {

using namespace noclobber;
using namespace noclobber::trace_lines;

namespace {

std::string ref(const std::string& name) { return R"({"ref": ")" + name + R"("})"; }
std::string step(const std::string& name, const std::string& op, const std::string& args,
                 const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "op": ")" + op + R"(", "args": [)" + args + "]" + more + "}";
}
std::string input(const std::string& name, const std::string& shape = "[2]",
                  const std::string& dtype = "f32") {
  return R"({"name": ")" + name + R"(", "type": {"dtype": ")" + dtype + R"(", "shape": )" + shape + "}}";
}
std::string graph(const std::string& inputs, const std::string& steps, const std::string& outputs) {
  return R"({"inputs": [)" + inputs + R"(], "steps": [)" + steps + R"(], "outputs": [)" + outputs + "]}";
}
std::string body(const std::string& steps, const std::string& outputs = ref("r")) {
  return graph(input("p") + ", " + input("q"), steps, outputs);
}

const std::string kOps = R"~([
  {"schema": "zoo::pure(Tensor x) -> Tensor"},
  {"schema": "zoo::impure(Tensor x) -> Tensor", "pure": false},
  {"schema": "zoo::view(Tensor x) -> Tensor", "result": "view"},
  {"schema": "zoo::fresh(Tensor x) -> Tensor", "result": "fresh"},
  {"schema": "zoo::alias(Tensor(a) x) -> Tensor(a)"},
  {"schema": "zoo::may(Tensor x) -> Tensor", "may_alias": [[0, "x"]]}])~";

Case branching(const std::string& yes, const std::string& steps, const std::string& more = "") {
  const std::string whole =
      R"({"format": "noclobber.case/1", "name": "t", "ops": )" + kOps + R"(, "graphs": {"yes": )" + yes +
      R"(, "no": )" + body(step("r", "aten.neg.default", ref("p"))) + more + R"(}, "after": )" +
      graph(input("x") + ", " + input("z") + ", " + input("c", "[]", "bool"), steps, ref("r")) + "}";
  auto value = read_case_json(whole);
  INFO(whole << (value ? "" : value.fault().where + " " + value.fault().message));
  REQUIRE(value);
  return *std::move(value);
}

const std::string kCall =
    R"({"name": "r", "op": "higher_order.cond", "args": [{"ref": "c"}, {"graph": "yes"}, {"graph": "no"}, [{"ref": "x"}, {"ref": "z"}]], "types": [{"dtype": "f32", "shape": [2]}]})";

const std::string kRefused =
    "unknown unsupported-op higher_order.cond (yes writes, shares or is not known)\nunknown no-metadata r";

/// The step that the branch becomes, or why it is none.
std::string became(const std::string& yes, const std::string& more = "") {
  return lines(branching(yes, kCall, more), "step unknown");
}

}  // namespace

TEST_CASE("a body of a branch is compared where it only computes", "[branches]") {
  const auto compared = [](const std::string& steps) {
    const std::string said = became(body(steps));
    CHECK((said.starts_with("opaque \"higher_order.cond;#0;#1;") || said == kRefused));
    return said != kRefused;
  };
  for (const char* op : {"aten.sin.default", "zoo.pure.default", "zoo.fresh.default"}) {
    INFO(op);
    CHECK(compared(step("r", op, ref("p"))));
  }
  for (const char* op : {"zoo.impure.default", "zoo.may.default", "zoo.unknown.default",
                         "aten.empty_like.default", "aten.sin_.default", "aten.rand_like.default"}) {
    INFO(op);
    CHECK_FALSE(compared(step("r", op, ref("p"))));
    CHECK_FALSE(compared(step("w", op, ref("p")) + ", " + step("r", "aten.sin.default", ref("w"))));
  }
  // Their results may lie on the operands, which matters where they are returned.
  for (const char* op :
       {"zoo.view.default", "zoo.alias.default", "aten.slice.Tensor", "aten.contiguous.default"}) {
    INFO(op);
    CHECK_FALSE(compared(step("r", op, ref("p"))));
    CHECK(compared(step("w", op, ref("p")) + ", " + step("r", "aten.sin.default", ref("w"))));
  }
  // A number is a symbol outside, which is not compared.
  CHECK(became(body("", "7")) == kRefused);
  CHECK(became(body(step("r", "aten.sin.default", ref("p")), ref("r") + ", 7")) == kRefused);
  CHECK(
      became(body(R"({"names": ["a", null, "r"], "op": "aten.unbind.int", "args": [{"ref": "p"}]})")) ==
      "unknown unsupported-op higher_order.cond (yes writes, shares or is not known)\nunknown no-metadata r");
  CHECK(became(body(R"({"names": [null, "r"], "op": "aten.topk.default", "args": [{"ref": "p"}, 1]})")) ==
        "opaque "
        "\"higher_order.cond;#0;#1;32{aten.topk.default(%i0,1,);%v2,};29{aten.neg.default(%i0,);%v1,};T;[T,T,"
        "]\"  "
        "write S5:f32[2]  read S4:bool[], S2:f32[2], S3:f32[2]");
  CHECK(became(body(R"({"names": ["r"], "op": "aten.topk.default", "args": [{"ref": "p"}, 1]})")) ==
        "opaque "
        "\"higher_order.cond;#0;#1;32{aten.topk.default(%i0,1,);%v1,};29{aten.neg.default(%i0,);%v1,};T;[T,T,"
        "]\"  "
        "write S5:f32[2]  read S4:bool[], S2:f32[2], S3:f32[2]");
}

TEST_CASE("a branch with keywords is not understood", "[branches]") {
  const std::string sin = body(step("r", "aten.sin.default", ref("p")));
  Case outer = branching(sin, kCall);
  outer.after.steps[0].kwargs = {{"k", outer.after.steps[0].args[0]}};
  CHECK(lines(outer, "step unknown") == "unknown unsupported-op higher_order.cond\nunknown no-metadata r");
  CHECK(worlds_of(outer).empty());
  const std::string call = R"({"ref": "p"}, {"graph": "no"}, {"graph": "no"}, [{"ref": "p"}, {"ref": "q"}])";
  CHECK(became(body(step("r", "higher_order.cond", call, R"(, "kwargs": {"k": {"ref": "q"}})"))) == kRefused);
}

TEST_CASE("a body of a branch that returns a list returns what it lists", "[branches]") {
  const std::string sin = step("r", "aten.sin.default", ref("p"));
  CHECK(became(body(sin, "[" + ref("p") + "]")) == kRefused);
  CHECK(became(body(sin, "[" + ref("r") + "], " + ref("r"))) == kRefused);
  CHECK(became(body(sin, "[" + ref("r") + "]")) != kRefused);
}

TEST_CASE("a body of a branch holds branches, but not itself", "[branches]") {
  const std::string nested =
      body(step("r", "higher_order.cond",
                R"({"ref": "p"}, {"graph": "inner"}, {"graph": "no"}, [{"ref": "p"}, {"ref": "q"}])"));
  const auto inner = [](const std::string& steps, const std::string& output) {
    return R"(, "inner": )" + body(steps, ref(output));
  };
  CHECK(became(nested, inner(step("s", "aten.sin.default", ref("q")), "s")) ==
        "opaque "
        "\"higher_order.cond;#2;#1;29{aten.sin.default(%i1,);%v1,};29{aten.neg.default(%i0,);%v1,};47{higher_"
        "order.cond(%i0,#0,#1,[%i0,%i1,],);%v1,};T;[T,T,]\"  write S5:f32[2]  read S4:bool[], S2:f32[2], "
        "S3:f32[2]");
  CHECK(became(nested, inner("", "p")) == kRefused);
  Case value = branching(nested, kCall, inner(step("s", "aten.sin.default", ref("q")), "s"));
  value.bodies.at("yes").steps[0].args[1].text = "yes";
  CHECK(lines(value, "step unknown") == kRefused);
}

TEST_CASE("of a branch whose body sees a storage all of it is read", "[branches]") {
  const std::string seen = step("w", "aten.as_strided.default", ref("p") + ", [1], [1]") + ", " +
                           step("r", "aten.sin.default", ref("w"));
  CHECK(became(body(seen)) ==
        "opaque "
        "\"higher_order.cond;#0;#1;69{aten.as_strided.default(%i0,[1,],[1,],);aten.sin.default(%v1,);%v2,};"
        "29{aten.neg.default(%i0,);%v1,};T;at 0 sized by in;[T,T,];at 0 sized,2 by,1 in,1;at 0 sized,2 by,1 "
        "in,1\"  write S5:f32[2]  "
        "read S4:bool[], S2:f32[2], S3:f32[2]");
}

TEST_CASE("a branch means what its operands held when it was called", "[branches]") {
  Case value = branching(
      body(step("r", "aten.add.Tensor", ref("p") + ", " + ref("q"))),
      step("k", "aten.neg.default", ref("x")) + ", " + step("w", "aten.zero_.default", ref("z")) +
          R"(, {"name": "r", "op": "higher_order.cond", "args": [{"ref": "c"}, {"graph": "yes"}, {"graph": "no"}, [{"ref": "k"}, {"ref": "z"}]], "types": [{"dtype": "f32", "shape": [2]}]})");
  value.names_are_values = true;
  Space space = searching_space();
  const Traced out = traced(space, value);
  CHECK(lines_of(space, out.after, "step unknown", true) ==
        "opaque \"aten.neg;T\"  write S5:f32[2]  read S2:f32[2]  # graph step 0\nfill f32:0  write S3:f32[2] "
        " # graph step 1\nopaque "
        "\"higher_order.cond;#0;#1;32{aten.add.Tensor(%i0,%i1,);%v1,};29{aten.neg.default(%i0,);%v1,};T;[T,T,"
        "]\"  write "
        "S6:f32[2]  read S4:bool[], S5:f32[2], S3:f32[2]  # graph step 2");
  std::string means;
  for (const std::uint32_t since : out.after.steps.back().reaching) means += std::to_string(since);
  CHECK(means == "010");
}

TEST_CASE("steps in the sequence of effects", "[branches]") {
  const auto effects = [](const std::string& args, const std::string& names = R"("t", "r")") {
    return lines(branching(body(step("r", "aten.sin.default", ref("p"))),
                           R"({"names": [)" + names + R"(], "op": "higher_order.with_effects", "args": [)" +
                               args + "]}"),
                 "step unknown output");
  };
  CHECK(effects(R"({"ref": "c"}, "aten.neg.default", {"ref": "x"})") ==
        "opaque \"aten.neg;T\"  write S5:f32[2], S1:token[]  read S2:f32[2], S1:token[]\noutput 0 read "
        "S5:f32[2]");
  CHECK(effects(R"({"ref": "c"}, "aten.neg.default")") ==
        "output 0 scalar \nunknown unsupported-op aten.neg.default (missing)\nunknown no-metadata r");
  CHECK(effects(R"({"ref": "c"}, "zoo.nothing.default", {"ref": "x"})") ==
        "output 0 scalar \nunknown unsupported-op zoo.nothing.default\nunknown no-metadata r");
  CHECK(effects(R"({"ref": "c"}, 3, {"ref": "x"})") ==
        "output 0 scalar \nunknown unsupported-op higher_order.with_effects\nunknown no-metadata r");
  CHECK(effects(R"({"ref": "c"})") ==
        "output 0 scalar \nunknown unsupported-op higher_order.with_effects\nunknown no-metadata r");
  CHECK(effects(R"(3, "aten.neg.default", {"ref": "x"})") ==
        "output 0 scalar \nunknown no-metadata higher_order.with_effects\nunknown no-metadata r");
  CHECK(effects(R"({"ref": "c"}, "aten.neg.default", {"ref": "x"})", R"("r")") ==
        "opaque \"aten.neg;T\"  write S5:f32[2], S1:token[]  read S2:f32[2], S1:token[]\noutput 0 read "
        "S4:bool[]");
  CHECK(effects(R"({"ref": "c"}, "aten.neg.default", {"ref": "x"})", R"(null, "r")") ==
        "opaque \"aten.neg;T\"  write S5:f32[2], S1:token[]  read S2:f32[2], S1:token[]\noutput 0 read "
        "S5:f32[2]");
}

}  // namespace branch_bodies_test
