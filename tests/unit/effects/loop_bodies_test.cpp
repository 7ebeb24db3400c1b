// Bodies of loops as cases of their own, what their Traces show, and the step that a loop becomes.
#include "src/check/check.h"
#include "src/effects/loops.h"
#include "tests/unit/effects/trace_lines.h"

namespace loop_bodies_test {
using namespace noclobber;
using namespace noclobber::trace_lines;

namespace {

std::string input(const std::string& name, const std::string& type, const std::string& more = "") {
  const std::size_t at = type.find('[');
  return R"({"name": ")" + name + "\"" +
         (type.empty()
              ? ""
              : R"(, "type": {"dtype": ")" + type.substr(0, at) + R"(", "shape": )" + type.substr(at) + "}") +
         more + "}";
}
std::string refs(const std::string& names) {
  std::string out;
  for (const char name : names)
    out += (out.empty() ? R"({"ref": ")" : R"(, {"ref": ")") + std::string(1, name) + R"("})";
  return out;
}
std::string step(const std::string& name, const std::string& op, const std::string& args) {
  return R"({"name": ")" + name + R"(", "op": ")" + op + R"(", "args": [)" + args + "]}";
}
std::string view_of(const std::string& name) {
  return R"({"name": "w", "op": "zoo.view.default", "args": [)" + refs(name) +
         R"(], "types": [{"dtype": "f32", "shape": [2], "stride": null}]})";
}
std::string graph(const std::string& inputs, const std::string& steps, const std::string& outputs) {
  return R"({"inputs": [)" + inputs + R"(], "steps": [)" + steps + R"(], "outputs": [)" + outputs + "]}";
}
Case read(const std::string& members) {
  auto value = read_case_json(
      R"~({"format": "noclobber.case/1", "name": "t", "ops": [{"schema": "zoo::view(Tensor(a) x) -> Tensor(a)", "result": "view"}], )~" +
      members + "}");
  INFO((value ? "" : value.fault().where + " " + value.fault().message));
  REQUIRE(value);
  return *std::move(value);
}

/// A loop that carries i and a, and is given y and s; the body is what differs.
std::string looping(const std::string& args) {
  return graph(input("z", "i64[]") + ", " + input("u", "f32[2]") + ", " + input("y", "f32[2]") + ", " +
                   input("s", "i32[3]"),
               R"({"names": ["n", "p"], "op": "higher_order.while_loop", "args": [)" + args + "]}",
               refs("p"));
}
const std::string kGiven = R"([{"ref": "z"}, {"ref": "u"}], [{"ref": "y"}, {"ref": "s"}])";
std::string operands(const std::string& s_type = "i32[3]") {
  return input("i", "i64[]") + ", " + input("a", "f32[2]", R"(, "storage": "S", "storage_numel": 2)") + ", " +
         input("y", "f32[2]") + ", " + input("s", s_type);
}
const std::string kCond = graph(operands(), step("c", "aten.lt.Scalar", refs("i") + ", 3"), refs("c"));
const std::string kMade =
    step("m", "aten.mul.Tensor", refs("ay")) + ", " + step("j", "aten.add.Tensor", refs("i") + ", 1");

Case loop_of(const std::string& cond, const std::string& one, const std::string& other,
             const std::string& more = "") {
  const std::string call = R"({"graph": "cond"}, {"graph": ")";
  return read(R"("graphs": {"cond": )" + cond + R"(, "one": )" + one + R"(, "other": )" + other +
              R"(}, "before": )" + looping(call + R"(one"}, )" + kGiven) + R"(, "after": )" +
              looping(call + R"(other"}, )" + kGiven) + more);
}

std::string text_of(const Graph& body) {
  std::string out;
  for (const Input& in : body.inputs) {
    const Value& value = body.value(in.value);
    CHECK(value.from == Value::From::input);
    CHECK(&body.inputs.at(value.at) == &in);
    CHECK(in.storage.empty());
    CHECK_FALSE(in.storage_numel);
    CHECK(in.may_write == true);
    out += (in.exit == Input::Exit::any ? "any " : "") + value.name + ", ";
  }
  for (const Step& s : body.steps) {
    for (const ValueId id : s.results) {
      CHECK(body.value(id).from == Value::From::step);
      CHECK(&body.steps.at(body.value(id).at) == &s);
      out += body.value(id).name;
    }
    out += s.kwargs.empty() ? "; " : " made " + std::string(name(s.kwargs[0].second.dtype)) + "; ";
  }
  return out;
}

std::string text_of(const std::vector<LoopBody>& bodies) {
  std::string out;
  for (const LoopBody& body : bodies) {
    out += body.key + (body.carries ? " carries" : "");
    for (const std::uint32_t k : body.scratch) out += " scratch " + std::to_string(k);
    out += " | " + text_of(*body.value.before) + "| " + text_of(body.value.after) + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("bodies of loops are cases of their own", "[loops]") {
  const std::string body = graph(operands(), kMade, refs("jm"));
  const std::string uses =
      graph(operands(), step("t", "aten.zero_.default", refs("s")) + ", " + kMade, refs("jm"));
  CHECK(text_of(loop_bodies(loop_of(kCond, body, body))) ==
        "loop0 body0 | 0, 1, 2, 3, c; | 0, 1, 2, 3, c; \nloop0 body1 carries | any 0, any 1, 2, 3, m; j; | "
        "any 0, any 1, 2, 3, m; j; \n");
  // Only `after` does anything with s: it is a buffer that holds anything when a trip begins.
  CHECK(text_of(loop_bodies(loop_of(kCond, body, uses))) ==
        "loop0 body0 scratch 3 | 0, 1, 2, 3 made i32; c; | 0, 1, 2, 3 made i32; c; \nloop0 body1 carries "
        "scratch 3 | any 0, any 1, 2, 3 made i32; m; j; | any 0, any 1, 2, 3 made i32; t; m; j; \n");
  CHECK(text_of(loop_bodies(loop_of(kCond, uses, uses))) ==
        "loop0 body0 | 0, 1, 2, 3, c; | 0, 1, 2, 3, c; \nloop0 body1 carries | any 0, any 1, 2, 3, t; m; j; "
        "| any 0, any 1, 2, 3, t; m; j; \n");
  CHECK(text_of(loop_bodies(loop_of(kCond, uses, body))) ==
        "loop0 body0 | 0, 1, 2, 3, c; | 0, 1, 2, 3, c; \nloop0 body1 carries | any 0, any 1, 2, 3, t; m; j; "
        "| any 0, any 1, 2, 3, m; j; \n");
}

TEST_CASE("what is asked of the whole is not asked of a loop's body", "[loops]") {
  const std::string body = graph(operands(), kMade, refs("jm"));
  Case whole = loop_of(kCond, body, body);
  whole.dataflow = whole.names_are_values = whole.compare_strides = true;
  whole.sharing_may_grow = false;
  whole.may_share = {{0, "y"}};
  whole.plan.emplace();
  whole.before->bodies["mine"] = whole.after.bodies["yours"] = {};
  for (const LoopBody& one : loop_bodies(whole)) {
    CHECK_FALSE(
        (one.value.dataflow || one.value.names_are_values || one.value.compare_strides || one.value.plan));
    CHECK(one.value.sharing_may_grow);
    CHECK(one.value.may_share.empty());
    for (const char* name : {"cond", "one", "other"}) CHECK(one.value.bodies.contains(name));
    CHECK((one.value.before->bodies.contains("mine") && one.value.after.bodies.contains("yours")));
    CHECK_FALSE((one.value.before->bodies.contains("yours") || one.value.after.bodies.contains("mine")));
  }
}

TEST_CASE("bodies of loops that no frontend makes", "[loops]") {
  const std::string body = graph(operands(), kMade, refs("jm"));
  const std::string uses =
      graph(operands(), step("t", "aten.zero_.default", refs("s")) + ", " + kMade, refs("jm"));
  Case odd = loop_of(kCond, body, uses);
  odd.bodies.at("cond").inputs.pop_back();
  CHECK(loop_bodies(odd).at(1).scratch.empty());
  odd.before->steps[0].args.resize(2), odd.after.steps[0].args.resize(2);
  CHECK_FALSE(loop_bodies(odd).at(1).carries);
  odd.before->steps[0].args.resize(1), odd.after.steps[0].args.resize(1);
  CHECK(loop_bodies(odd).size() == 1);
  // A buffer whose extent is not known cannot be made.
  Case untyped = loop_of(kCond, body, uses);
  Graph& one = untyped.bodies.at("one");
  one.values[one.inputs[3].value.index].type = std::nullopt;
  CHECK(loop_bodies(untyped).at(1).scratch.empty());
}

TEST_CASE("a body that the other loop does not call is not left uncompared", "[loops]") {
  const std::string body = graph(operands(), kMade, refs("jm"));
  CHECK(loop_bodies(loop_of(kCond, body, body)).size() == 2);
  Case shorter = loop_of(kCond, body, body);  // torch would raise: the loop hands it four
  shorter.bodies.at("other").inputs.pop_back();
  CHECK(loop_bodies(shorter).empty());
  Case exchanged = loop_of(kCond, body, body);
  std::swap(exchanged.after.steps[0].args[1], exchanged.after.steps[0].args[2]);
  CHECK(loop_bodies(exchanged).empty());
  Case unknown = loop_of(kCond, body, body);
  unknown.bodies.erase("other");
  CHECK(loop_bodies(unknown).empty());
}

namespace {

std::string text_of(const std::set<std::uint32_t>& numbers) {
  std::string out;
  for (const std::uint32_t k : numbers) out += std::to_string(k);
  return out.empty() ? "-" : out;
}
std::string text_of(const BodyFacts& facts) {
  std::string out = "from";
  for (const auto& from : facts.from) out += " " + text_of(from);
  return out + ", written " + text_of(facts.written) + (facts.plain ? "" : ", not plain");
}

/// What the Trace of a body shows whose inputs a and b are called so.
std::string shown(const std::string& first, const std::string& second, const std::string& steps,
                  const std::string& outputs) {
  Space space = searching_space();
  Case value =
      read(R"("after": )" + graph(input("a", "f32[2]") + ", " + input("b", "f32[2]"), steps, outputs));
  value.sharing_may_grow = true;
  value.after.values[value.after.inputs[0].value.index].name = first;
  value.after.values[value.after.inputs[1].value.index].name = second;
  return text_of(facts_of(traced(space, value).after));
}

}  // namespace

TEST_CASE("what the Trace of a loop's body shows", "[loops]") {
  const auto of = [](const std::string& steps, const std::string& outputs) {
    return shown("0", "1", steps, outputs);
  };
  const std::string neg = step("n", "aten.neg.default", refs("a"));
  CHECK(of(neg, refs("n")) == "from -, written -");
  CHECK(of(neg, refs("nb")) == "from - 1, written -");
  CHECK(of(neg, "3, " + refs("a")) == "from - 0, written -");
  CHECK(of(step("n", "aten.slice.Tensor", refs("b") + ", 0, 0, 1"), refs("na")) == "from 1 0, written -");
  CHECK(of(step("n", "aten.neg_.default", refs("b")), refs("n")) == "from 1, written 1");
  CHECK(of(step("n", "aten.slice.Tensor", refs("b") + ", 0, 0, 1"), refs("nb")) ==
        "from 1 1, written -, not plain");
  CHECK(of(step("n", "aten.bernoulli.default", refs("a")), refs("n")) == "from -, written -, not plain");
  CHECK(of(step("n", "zoo.op.default", refs("a")), refs("b")) == "from 1, written -, not plain");
  CHECK(of(view_of("a"), refs("w")) == "from -, written -, not plain");
  CHECK(shown("x", "1", "", refs("ab")) == "from - 1, written -");
  CHECK(shown("", "2", "", refs("ab")) == "from - 2, written -");
  CHECK(shown("1x", "123456789", "", refs("ab")) == "from - -, written -");
  BodyFacts all{{{0}}, {1}, true};
  merge(all, {{{2}, {1}}, {0}, true});
  CHECK(text_of(all) == "from 02 1, written 01");
  merge(all, {{}, {}, false});
  CHECK(text_of(all) == "from 02 1, written 01, not plain");
}

namespace {

const std::string kOperands = input("z", "i64[]") + ", " + input("u", "f32[2]") + ", " +
                              input("v", "f32[2]") + ", " + input("y", "f32[2]");
const std::string kAll = R"([{"ref": "z"}, {"ref": "u"}, {"ref": "v"}], [{"ref": "y"}])";
std::string loop(const std::string& args = kAll, const std::string& more = "",
                 const std::string& names = R"("n", "p", "q")") {
  return R"({"names": [)" + names + R"(], "op": "loop.loop.loop", "args": [null, null, )" + args + "]" +
         more + "}";
}
/// n is made anew; p and q are what the body leaves where u and v were.
LoopUse use_of(std::vector<std::set<std::uint32_t>> from = {{}, {1}, {2}},
               std::set<std::uint32_t> written = {}) {
  LoopUse out;
  out.understood = true;
  out.side = "after";
  out.own = out.other = {std::move(from), std::move(written), true};
  return out;
}
std::string became(const LoopUse& use, const std::string& steps = loop(),
                   const std::string& outputs = refs("p"), std::size_t times = 1) {
  Space space = searching_space();
  Case value = read(R"("after": )" + graph(kOperands, steps, outputs));
  for (Step& s : value.after.steps) {  // bodies that nobody looks into here, of any number of inputs
    if (s.op != "loop.loop.loop") continue;
    s.op = "higher_order.while_loop";
    s.args[0] = s.args[1] = Arg::of_graph("body");
  }
  const auto ops = make_op_set(value.ops);
  Sizes sizes(space);
  Loops loops;
  loops.after.assign(times, use);
  return lines_of(space, trace_case(value, *ops, sizes, Identities::none, loops).after, "step unknown claim",
                  true);
}

const std::string kPlain =
    "opaque \"higher_order.while_loop;[T,T,T,];[T,]\"  write S6:i64[], S7:f32[2], S8:f32[2]  read "
    "S2:i64[], S3:f32[2], S4:f32[2], S5:f32[2]  # graph step 0";
/// What is said of a loop that is not understood, and of what it would have made.
std::string not_understood(const std::string& reason) {
  return "unknown " + reason + "\nunknown no-metadata p";
}

}  // namespace

TEST_CASE("a loop becomes a step", "[loops]") {
  CHECK(became(use_of()) == kPlain);
  CHECK(became(use_of(), loop(kAll + ", 7", R"(, "kwargs": {"k": 5})")) ==
        "opaque \"higher_order.while_loop;[T,T,T,];[T,];7;k=5\"  write S6:i64[], S7:f32[2], S8:f32[2]  "
        "read S2:i64[], S3:f32[2], S4:f32[2], S5:f32[2]  # graph step 0");
  CHECK(became(use_of(), loop(kAll, R"(, "kwargs": {"k": {"ref": "y"}})")) ==
        not_understood("no-metadata higher_order.while_loop"));
  const std::string two = R"({"dtype": "f32", "shape": [2]})", three = R"({"dtype": "f32", "shape": [3]})";
  const std::string types = R"(, "types": [null, )" + two + ", " + two + "]";
  CHECK(became(use_of({{}, {}, {}}), loop(R"([{"ref": "z"}, {"ref": "u"}, 3], [])", types)) ==
        not_understood("no-metadata higher_order.while_loop"));
  CHECK(became(use_of(), loop(kAll, types)) ==
        "opaque \"higher_order.while_loop;[T,T,T,];[T,]\"  write S6:i64[], S7:f32[2], S8:f32[2]  read "
        "S2:i64[], S3:f32[2], S4:f32[2], S5:f32[2]  # graph step 0");
  CHECK(became(use_of(), loop(kAll, R"(, "types": [null, )" + two + ", " + three + "]")) ==
        not_understood("no-metadata higher_order.while_loop (a result unlike what is carried)"));
  // More results than are carried.
  const std::string names = R"("n", "p", "q", "r")";
  CHECK(became(use_of(), loop(kAll, R"(, "types": [null, null, null, )" + three + "]", names)) ==
        "opaque \"higher_order.while_loop;[T,T,T,];[T,]\"  write S6:i64[], S7:f32[2], S8:f32[2], "
        "S9:f32[3]  read S2:i64[], S3:f32[2], S4:f32[2], S5:f32[2]  # graph step 0");
  CHECK(became(use_of(), loop(kAll, "", names)) == not_understood("no-metadata higher_order.while_loop"));
  CHECK(became({}) == not_understood("unsupported-op higher_order.while_loop"));
  CHECK(became(use_of(), loop(), refs("p"), 0) == not_understood("unsupported-op higher_order.while_loop"));
  const std::string unknown = step("w", "zoo.op.default", refs("u")) + ", ";
  CHECK(became(use_of(), unknown + loop(R"([{"ref": "z"}, {"ref": "w"}, {"ref": "v"}], [])")) ==
        not_understood("unsupported-op zoo.op.default\nunknown no-metadata higher_order.while_loop"));
  const std::string shadow = view_of("u") + ", ";
  CHECK(became(use_of(), shadow + loop(R"([{"ref": "z"}, {"ref": "w"}, {"ref": "v"}], [])")) ==
        "opaque \"zoo.view.default;T;shown;1\"  write S6:f32[2]  read S3:f32[2]  # graph step 0\nunknown "
        "no-metadata higher_order.while_loop\nunknown no-metadata p");
}

TEST_CASE("loops that are not understood", "[loops]") {
  LoopUse effects = use_of(), others = use_of();
  effects.own.plain = others.other.plain = false;
  CHECK(became(effects) ==
        not_understood(
            "unsupported-op higher_order.while_loop (a body with effects or outputs that share storage)"));
  CHECK(became(others) ==
        not_understood(
            "unsupported-op higher_order.while_loop (a body with effects or outputs that share storage)"));
  const auto given = [](const std::string& carried, const std::string& more) {
    return loop("[" + refs(carried) + "], [" + refs(more) + "]");
  };
  const auto step_of = [](const std::string& read, const std::string& more) {
    return "opaque \"higher_order.while_loop;[T,T,T,];[" + more +
           "]\"  write S6:i64[], S7:f32[2], S8:f32[2]  read S2:i64[], " + read + "  # graph step 0";
  };
  // Operands may share what no trip writes, wherever it is carried to.
  const LoopUse writes_first = use_of({{}, {1}, {2}}, {1}), exchanges = use_of({{}, {2}, {1}}, {1});
  LoopUse other_writes = use_of(), keeps_scratch = use_of();
  other_writes.other.written = {2};
  keeps_scratch.scratch = {3};
  CHECK(became(use_of(), given("zuu", "y")) == step_of("S3:f32[2], S3:f32[2], S5:f32[2]", "T,"));
  CHECK(became(use_of(), given("zuv", "u")) == step_of("S3:f32[2], S4:f32[2], S3:f32[2]", "T,"));
  for (const LoopUse& use : {writes_first, exchanges, other_writes})
    CHECK(became(use, given("zuu", "y")) ==
          not_understood("unsupported-op higher_order.while_loop (carried operands that share storage)"));
  const std::string shared =
      not_understood("unsupported-op higher_order.while_loop (operands that share storage)");
  for (const LoopUse& use : {exchanges, other_writes}) CHECK(became(use, given("zuv", "v")) == shared);
  for (const char* more : {"u", "yy"}) CHECK(became(keeps_scratch, given("zuv", more)) == shared);
  CHECK(became(use_of(), given("zuv", "yy")) ==
        "opaque \"higher_order.while_loop;[T,T,T,];[T,T,]\"  write S6:i64[], S7:f32[2], S8:f32[2]  "
        "read S2:i64[], S3:f32[2], S4:f32[2], S5:f32[2], S5:f32[2]  # graph step 0");
  LoopUse own = use_of({{}, {1}, {2}}, {3}), other = use_of();  // y is the fourth operand
  other.other.written = {3};
  CHECK(became(own) ==
        not_understood("unsupported-op higher_order.while_loop (a body that writes what is not carried)"));
  CHECK(became(other) ==
        not_understood("unsupported-op higher_order.while_loop (a body that writes what is not carried)"));
  own = use_of({{}, {1}, {3}}), other = use_of();
  other.other.from = {{}, {1}, {3}};
  CHECK(became(own) ==
        not_understood("unsupported-op higher_order.while_loop (a body that returns what is not carried)"));
  CHECK(became(other) ==
        not_understood("unsupported-op higher_order.while_loop (a body that returns what is not carried)"));
}

TEST_CASE("what a loop overwrites holds anything afterwards", "[loops]") {
  CHECK(became(use_of({{}, {1}, {2}}, {1})) ==
        kPlain + "\nopaque \"clobbered by after1\"  write S3:f32[2]  # graph step 0");
  CHECK(became(use_of({{}, {2}, {1}}, {1})) ==
        kPlain + "\nopaque \"clobbered by after1\"  write S3:f32[2], S4:f32[2]  # graph step 0");  // in turn
  LoopUse keeps = use_of();
  keeps.other.from = {{}, {}, {2}};
  CHECK(became(keeps) == kPlain + "\nopaque \"clobbered by after1\"  write S3:f32[2]  # graph step 0");
  keeps.other.from = {{}};
  CHECK(became(keeps) ==
        kPlain + "\nopaque \"clobbered by after1\"  write S3:f32[2], S4:f32[2]  # graph step 0");
  keeps = use_of({{}, {}, {2}});
  keeps.other.from = {{}, {1}, {2}};
  CHECK(became(keeps) == kPlain);
  LoopUse scratch = use_of();
  scratch.scratch = {3};
  CHECK(became(scratch) == kPlain + "\nopaque \"clobbered by after1\"  write S5:f32[2]  # graph step 0");
  scratch.scratch = {4};
  CHECK(became(scratch) == kPlain);
  scratch.scratch = {3};
  CHECK(became(scratch, loop() + ", " + loop(kAll, "", R"("k", "l", "m")"), "", 2) ==
        kPlain +
            "\nopaque \"clobbered by after1\"  write S5:f32[2]  # graph step 0\nopaque "
            "\"higher_order.while_loop;[T,T,T,];[T,]\"  write S9:i64[], S10:f32[2], S11:f32[2]  read "
            "S2:i64[], S3:f32[2], S4:f32[2], S5:f32[2]  # graph step 1\nopaque \"clobbered by after2\"  "
            "write S5:f32[2]  # graph step 1");
}

TEST_CASE("what a loop's results may share is not written", "[loops]") {
  const auto shared = [](const LoopUse& use, const std::string& names) {
    std::string out;
    for (const char* name : {"n", "p", "q", "z", "u", "v", "y"}) {
      if (names.find(name) == std::string::npos && std::string("npq").find(name) != std::string::npos)
        continue;
      const std::string write = step("w", "aten.zero_.default", refs(name));
      const std::string said = last_line(became(use, loop(kAll, "", names) + ", " + write, ""));
      if (said == "unknown unsupported-op a write to what a loop may share") out += name;
    }
    return out;
  };
  const std::string all = R"("n", "p", "q")", some = R"("n", "p")";
  CHECK(shared(use_of(), all) == "npqzuv");
  CHECK(shared(use_of({{}, {}, {}}), all) == "npqzuv");
  CHECK(shared(use_of(), some) == "npzu");
  CHECK(shared(use_of({{}, {2}, {}}), some) == "npzuv");
  CHECK(shared(use_of({{}, {}, {}}), some) == "npzu");
  CHECK(shared(use_of({{2}}), some) == "npzuv");
  CHECK(shared(use_of({{1}}), some) == "npzu");
}
}  // namespace loop_bodies_test
