// Wrappers as the steps that stand for them, compared as text.
#include "src/ops/wrappers.h"
#include "tests/catch.h"
#include "tests/support/graph_text.h"

namespace written_out_test {

using namespace noclobber;

namespace {

std::string shown(const Readings& readings) {
  std::string out;
  for (const Case& reading : readings.cases) {
    for (const OpDecl& decl : reading.ops) out += decl.schema + (decl.pure ? "" : " impure") + "\n";
    if (reading.before) out += "before:\n" + testing::graph_text(*reading.before);
    out += "after:\n" + testing::graph_text(reading.after);
  }
  for (const std::string& op : readings.inferred) out += "inferred " + op + "\n";
  return out;
}

const std::string kAB = testing::json_tensor("a") + ", " + testing::json_tensor("b");
const std::string kA = R"({"ref": "a"})", kB = R"({"ref": "b"})";

std::string v2(const std::string& names, const std::string& kwargs) {
  return R"({"names": [)" + names +
         R"(], "op": "higher_order.auto_functionalized_v2", "args": ["mine.op.default"], "kwargs": {)" +
         kwargs + "}}";
}

std::string v1(const std::string& names, const std::string& kwargs) {
  return R"({"names": [)" + names +
         R"(], "op": "higher_order.auto_functionalized", "args": ["mine.op.default"], "kwargs": {)" + kwargs +
         "}}";
}

}  // namespace

TEST_CASE("written out: the wrapper that copies back names what is written") {
  const auto after = testing::json_graph(
      kAB, R"({"name": "r", "op": "mine.op.default", "args": [)" + kA + ", " + kB + "]}", kA);
  const auto before = testing::json_graph(kAB,
                                          v1(R"("g0", "g1")", R"("x": )" + kA + R"(, "y": )" + kB) +
                                              R"(, {"name": "c", "op": "aten.copy_.default", "args": [)" +
                                              kA + R"(, {"ref": "g1"}]})",
                                          R"({"ref": "g1"})");
  CHECK(shown(written_out(testing::read_as("", before, after))) ==
        R"x(mine::op(Tensor(a0!)? x, Tensor? y) -> ()
before:
auto_functionalized_5_base = aten.clone.default(a)
mine.op.default(auto_functionalized_5_base, b)
g1 = aten.alias.default(auto_functionalized_5_base) barrier
c = aten.copy_.default(a, g1)
-> g1
after:
r = mine.op.default(a, b)
-> a
inferred mine.op.default
)x");
}

TEST_CASE("written out: without a copy either argument may be written") {
  const auto after = testing::json_graph(
      kAB, v1(R"("g0", "g1")", R"("x": )" + kA + R"(, "n": 3, "y": )" + kB), R"({"ref": "g1"})");
  CHECK(shown(written_out(testing::read_as("", "", after))) ==
        R"x(mine::op(Tensor(a0!)? x, SymInt n, Tensor? y) -> ()
after:
auto_functionalized_4_base = aten.clone.default(a)
mine.op.default(auto_functionalized_4_base, 3, b)
g1 = aten.alias.default(auto_functionalized_4_base) barrier
-> g1
mine::op(Tensor? x, SymInt n, Tensor(a2!)? y) -> ()
after:
auto_functionalized_4_base = aten.clone.default(b)
mine.op.default(a, 3, auto_functionalized_4_base)
g1 = aten.alias.default(auto_functionalized_4_base) barrier
-> g1
inferred mine.op.default
)x");
}

TEST_CASE("written out: views of bases, in the order of a direct call") {
  const std::string kwargs =
      R"("src": )" + kB +
      R"(, "_dst_base_index": 0, "_dst_slice_dim": 0, "_dst_slice_start": 1, "_dst_slice_end": 3,
      "_row_base_index": 1, "_row_size": [2], "_row_stride": [2], "_row_storage_offset": 1,
      "_all_bases": [)" +
      kA + ", " + kB + "]";
  const auto before =
      testing::json_graph(kAB, v2(R"("g0", "g1", "g2")", kwargs), R"({"ref": "g1"}, {"ref": "g2"})");
  const auto after =
      testing::json_graph(kAB,
                          R"({"name": "v", "op": "aten.slice.Tensor", "args": [)" + kA + R"(, 0, 1, 3]},
              {"name": "w", "op": "aten.as_strided.default", "args": [)" +
                              kB + R"(, [2], [2], 1]},
              {"name": "r", "op": "mine.op.default", "args": [{"ref": "v"}, )" +
                              kB + R"(, {"ref": "w"}]})",
                          kA + ", " + kB);
  CHECK(shown(written_out(testing::read_as("", before, after))) ==
        R"x(mine::op(Tensor(a0!)? dst, Tensor? src, Tensor(a2!)? row) -> ()
before:
auto_functionalized_5_base = aten.clone.default(a)
auto_functionalized_6_base = aten.clone.default(b)
auto_functionalized_7_view = aten.slice.Tensor(auto_functionalized_5_base, 0, 1, 3)
auto_functionalized_8_view = aten.as_strided.default(auto_functionalized_6_base, [2], [2], 1)
mine.op.default(auto_functionalized_7_view, b, auto_functionalized_8_view)
g1 = aten.alias.default(auto_functionalized_5_base) barrier
g2 = aten.alias.default(auto_functionalized_6_base) barrier
-> g1 g2
after:
v = aten.slice.Tensor(a, 0, 1, 3)
w = aten.as_strided.default(b, [2], [2], 1)
r = mine.op.default(v, b, w)
-> a b
inferred mine.op.default
)x");
}

TEST_CASE("written out: lists of views, whole bases, results before them") {
  const std::string kwargs =
      R"("alpha": 0.5, "flag": true, "_outs_length": 2, "_outs_0_base_index": 0, "_outs_1_base_index": 1,
      "_last_base_index": 1, "_bad_base_index": 2, "_all_bases": [)" +
      kA + ", " + kB + "]";
  const auto after = testing::json_graph(kAB, v2(R"("g0", "g1", "g2")", kwargs),
                                         R"({"ref": "g0"}, {"ref": "g1"}, {"ref": "g2"})");
  CHECK(shown(written_out(testing::read_as("", "", after))) ==
        R"x(mine::op(Tensor(a0!)[] outs, Tensor(a1!)? last, Tensor(a2!)? bad, float alpha, bool flag) -> ()
after:
auto_functionalized_5_base = aten.clone.default(a)
auto_functionalized_6_base = aten.clone.default(b)
mine.op.default([auto_functionalized_5_base auto_functionalized_6_base], auto_functionalized_6_base, -, 0.500000, true)
g1 = aten.alias.default(auto_functionalized_5_base) barrier
g2 = aten.alias.default(auto_functionalized_6_base) barrier
-> g0 g1 g2
inferred mine.op.default
)x");
  const std::string typed =
      R"("types": [{"dtype": "f32", "shape": [2]}, {"dtype": "f32", "shape": [4]}, {"dtype": "f32", "shape": [4]}])";
  auto with_types = v2(R"("g0", "g1", "g2")", R"("_x_base_index": 0, "_all_bases": [)" + kA + "]");
  with_types.insert(with_types.size() - 1, ", " + typed);
  const auto many = testing::json_graph(kAB, with_types, R"({"ref": "g0"}, {"ref": "g1"}, {"ref": "g2"})");
  CHECK(shown(written_out(testing::read_as("", "", many))) == R"x(mine::op(Tensor(a0!)? x) -> (Tensor, Tensor)
after:
auto_functionalized_5_base = aten.clone.default(a)
g0:f32, g1:f32 = mine.op.default(auto_functionalized_5_base)
g2:f32 = aten.alias.default(auto_functionalized_5_base) barrier
-> g0 g1 g2
inferred mine.op.default
)x");
}

TEST_CASE("written out: a declared operator says itself what it writes") {
  const std::string ops =
      R"x("ops": [{"schema": "mine::op(Tensor src, Tensor(a!) dst, float scale=2.0) -> ()"}], )x";
  const std::string kwargs = R"("src": )" + kB + R"(, "_dst_base_index": 0, "_all_bases": [)" + kA + "]";
  const auto after = testing::json_graph(kAB, v2(R"("g0", "g1")", kwargs), R"({"ref": "g1"})");
  CHECK(shown(written_out(testing::read_as(ops, "", after))) ==
        R"x(mine::op(Tensor src, Tensor(a!) dst, float scale=2.0) -> ()
after:
auto_functionalized_4_base = aten.clone.default(a)
mine.op.default(b, auto_functionalized_4_base, 2.000000)
g1 = aten.alias.default(auto_functionalized_4_base) barrier
-> g1
)x");
  const auto first = testing::json_graph(kAB, v1(R"("g0", "g1")", R"("dst": )" + kA + R"(, "src": )" + kB),
                                         R"({"ref": "g1"})");
  CHECK(shown(written_out(testing::read_as(ops, "", first))) ==
        R"x(mine::op(Tensor src, Tensor(a!) dst, float scale=2.0) -> ()
after:
auto_functionalized_4_base = aten.clone.default(a)
mine.op.default(b, auto_functionalized_4_base, 2.000000)
g1 = aten.alias.default(auto_functionalized_4_base) barrier
-> g1
)x");
}

TEST_CASE("written out: too many readings are none") {
  std::string kwargs;
  for (int k = 0; k < 10; ++k) kwargs += (k > 0 ? ", " : "") + ("\"x" + std::to_string(k) + "\": ") + kA;
  const auto after = testing::json_graph(kAB, v1(R"("g0", "g1", "g2")", kwargs), R"({"ref": "g1"})");
  CHECK(written_out(testing::read_as("", "", after)).cases.empty());
  for (int k = 10; k < 13; ++k) kwargs += ", \"x" + std::to_string(k) + "\": 1";
  CHECK(written_out(testing::read_as(
                        "", "", testing::json_graph(kAB, v1(R"("g0", "g1")", kwargs), R"({"ref": "g1"})")))
            .cases.empty());
}

TEST_CASE("written out: operators inside of with_effects are declared, and impure") {
  const auto after =
      testing::json_graph(kAB,
                          R"({"name": "k", "op": "prims._make_token.default", "args": []},
      {"names": ["k1", "r", "s"], "op": "higher_order.with_effects", "args": [{"ref": "k"}, "mine.noise.default", )" +
                              kA + R"(, 2.5, true, "text", [1, 2], [)" + kB + R"(]], "kwargs": {"p": 1}},
      {"names": ["k2"], "op": "higher_order.with_effects", "args": [{"ref": "k1"}, "mine.say.default"]})",
                          R"({"ref": "r"}, {"ref": "s"})");
  const Case value = testing::read_as("", "", after);
  CHECK(has_wrappers(value));
  CHECK(
      shown(written_out(value)) ==
      R"x(mine::noise(Tensor? a0, float a1, bool a2, str a3, SymInt[] a4, Tensor[] a5, SymInt p) -> (Tensor, Tensor) impure
mine::say() -> () impure
after:
k = prims._make_token.default()
k1, r, s = higher_order.with_effects(k, 'mine.noise.default', a, 2.500000, true, 'text', [1 2], [b], p=1)
k2 = higher_order.with_effects(k1, 'mine.say.default')
-> r s
inferred mine.noise.default
inferred mine.say.default
)x");
  CHECK_FALSE(has_wrappers(testing::read_as("", "", testing::json_graph(kAB, "", kA))));
}

namespace {

/// Declarations that the calls of mine.op in the second graph leave open for the wrapper in the first.
std::string declared_by(const std::string& kwargs, const std::vector<std::string>& calls) {
  std::string steps;
  for (std::size_t k = 0; k < calls.size(); ++k)
    steps += (k > 0 ? ", " : "") + (R"({"name": "r)" + std::to_string(k)) +
             R"(", "op": "mine.op.default", "args": [)" + calls[k] + "]}";
  const std::string before = testing::json_graph(kAB, v2(R"("g0", "g1")", kwargs), R"({"ref": "g1"})");
  std::string out;
  for (const Case& reading :
       written_out(testing::read_as("", before, testing::json_graph(kAB, steps, kA))).cases)
    out += (out.empty() ? "" : "; ") + reading.ops.at(0).schema;
  return out;
}

const std::string kDst = R"("_dst_base_index": 0, "_all_bases": [)" + kA + "]";

}  // namespace

/// A wrong order would compare what is written in one graph with what is read in the other.
TEST_CASE("written out: the order of arguments is that of a call with the same ones") {
  const std::string with_src = R"("src": )" + kB + ", " + kDst, with_n = R"("n": 3, )" + with_src;
  const std::string a_b = kA + ", " + kB, b_a = kB + ", " + kA;
  const std::string src_dst = "mine::op(Tensor? src, Tensor(a1!)? dst) -> ()";
  const std::string dst_src = "mine::op(Tensor(a0!)? dst, Tensor? src) -> ()";
  CHECK(declared_by(with_src, {b_a}) == src_dst);
  CHECK(declared_by(with_src, {a_b}) == dst_src);
  CHECK(declared_by(with_src, {"null, " + kB}) == dst_src);
  CHECK(declared_by(with_src, {"3, " + kA}).empty());
  const std::string numbered = R"("src": )" + kB + R"(, "n": 3, )" + kDst;
  const std::string dst_src_n = "mine::op(Tensor(a0!)? dst, Tensor? src, SymInt n) -> ()";
  CHECK(declared_by(numbered, {b_a + ", 4", a_b + ", 3"}) == dst_src_n);
  CHECK(declared_by(numbered, {b_a + ", 4"}) ==
        dst_src_n + "; mine::op(Tensor? src, Tensor(a1!)? dst, SymInt n) -> ()");
}

TEST_CASE("written out: lists are the same where their items are") {
  const std::string kwargs = R"("ins": [)" + kA + ", " + kB +
                             R"(], "_outs_length": 2, "_outs_0_base_index": 0, "_outs_1_base_index": 1,
      "_all_bases": [)" + kA +
                             ", " + kB + "]";
  const std::string ab = "[" + kA + ", " + kB + "]", ba = "[" + kB + ", " + kA + "]";
  const std::string abb = "[" + kA + ", " + kB + ", " + kB + "]";
  const std::string ins_outs = "mine::op(Tensor[] ins, Tensor(a1!)[] outs) -> ()";
  const std::string outs_ins = "mine::op(Tensor(a0!)[] outs, Tensor[] ins) -> ()";
  CHECK(declared_by(kwargs, {ab + ", " + ba}) == ins_outs);
  CHECK(declared_by(kwargs, {ba + ", " + ab}) == outs_ins);
  CHECK(declared_by(kwargs, {ab + ", " + abb, ab + ", " + ba}) == ins_outs);
  CHECK(declared_by(kwargs, {ba + ", " + ba}) == outs_ins + "; " + ins_outs);
  CHECK(declared_by(kwargs, {kA + ", " + ab}).empty());
}

TEST_CASE("written out: more orders than are tried are none") {
  const std::string one = R"("p": )" + kA + R"(, "q": )" + kA + R"(, "r": )" + kA + ", " + kDst;
  const auto count = [](const std::string& kwargs, const std::string& call) {
    return written_out(testing::read_as(
                           "", testing::json_graph(kAB, v2(R"("g0", "g1")", kwargs), R"({"ref": "g1"})"),
                           testing::json_graph(
                               kAB, R"({"name": "r", "op": "mine.op.default", "args": [)" + call + "]}", kA)))
        .cases.size();
  };
  const std::string four = kA + ", " + kA + ", " + kA + ", " + kA;
  CHECK(count(one, four) == 4);
  CHECK(count(R"("_more_base_index": 0, )" + one, four + ", " + kA) == 0);  // of ten
}

TEST_CASE("written out: a result of another type than its base is a result of the operator") {
  const auto typed = [](const std::string& names, const std::string& types) {
    std::string step = v2(names, R"("_x_base_index": 0, "_all_bases": [)" + kA + "]");
    step.insert(step.size() - 1, R"(, "types": [)" + types + "]");
    return shown(written_out(testing::read_as("", "", testing::json_graph(kAB, step, R"({"ref": "g0"})"))));
  };
  const std::string two = R"({"dtype": "f32", "shape": [2]})", four = R"({"dtype": "f32", "shape": [4]})";
  CHECK(typed(R"("g0", "g1")", two + ", " + two) == R"x(mine::op(Tensor(a0!)? x) -> (Tensor, Tensor)
after:
auto_functionalized_4_base = aten.clone.default(a)
g0:f32, g1:f32 = mine.op.default(auto_functionalized_4_base)
-> g0
inferred mine.op.default
)x");
  CHECK(typed(R"("g0", "g1")", two + ", " + four) == R"x(mine::op(Tensor(a0!)? x) -> Tensor
after:
auto_functionalized_4_base = aten.clone.default(a)
g0:f32 = mine.op.default(auto_functionalized_4_base)
g1:f32 = aten.alias.default(auto_functionalized_4_base) barrier
-> g0
inferred mine.op.default
)x");
  CHECK(typed(R"("g0", null)", two + ", null") == R"x(mine::op(Tensor(a0!)? x) -> Tensor
after:
auto_functionalized_3_base = aten.clone.default(a)
g0:f32 = mine.op.default(auto_functionalized_3_base)
-> g0
inferred mine.op.default
)x");
}

TEST_CASE("written out: what the wrapper does not name, or not in full") {
  const auto after = [](const std::string& ops, const std::string& step) {
    return shown(written_out(testing::read_as(ops, "", testing::json_graph(kAB, step, kA))));
  };
  CHECK(after("", v1(R"("g0")", R"("x": )" + kA)) == R"x(mine::op(Tensor(a0!)? x) -> ()
after:
auto_functionalized_3_base = aten.clone.default(a)
mine.op.default(auto_functionalized_3_base)
-> a
inferred mine.op.default
)x");
  CHECK(after("", v2(R"("g0")", R"("_x_base_index": 0, "_outs_length": 0, "_all_bases": [)" + kA + "]")) ==
        R"x(mine::op(Tensor(a0!)? x, Tensor(a1!)[] outs) -> ()
after:
auto_functionalized_3_base = aten.clone.default(a)
mine.op.default(auto_functionalized_3_base, [])
-> a
inferred mine.op.default
)x");
  CHECK(after(R"x("ops": [{"schema": "mine::op(Tensor(a!) x, Tensor(b!)? more=None) -> ()"}], )x",
              v2(R"("g0")", R"("_x_base_index": 0, "_all_bases": [)" + kA + "]")) ==
        R"x(mine::op(Tensor(a!) x, Tensor(b!)? more=None) -> ()
after:
auto_functionalized_3_base = aten.clone.default(a)
mine.op.default(auto_functionalized_3_base, -)
-> a
)x");
}

TEST_CASE("written out: every operator that is wrapped, and from where each step is") {
  std::string other = v1(R"("h0", "h1")", R"("x": )" + kB);
  other.replace(other.find("mine.op"), 7, "mine.po");
  const std::string both = v1(R"("g0", "g1")", R"("x": )" + kA) + ", " + other;
  Case value = testing::read_as("", "", testing::json_graph(kAB, both, R"({"ref": "g1"}, {"ref": "h1"})"));
  for (int k : {0, 1}) {
    Step& step = value.after.steps[static_cast<std::size_t>(k)];
    step.source.edit().loc = "model.py:" + std::to_string(k), step.source.edit().code = "f(x)",
    step.line = 7 + k;
  }
  const Readings readings = written_out(value);
  REQUIRE(readings.cases.size() == 1);
  const std::vector<Step>& steps = readings.cases[0].after.steps;
  REQUIRE(steps.size() == 6);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    CHECK_FALSE(steps[k].op->starts_with("higher_order"));
    CHECK(steps[k].source->loc == (k < 3 ? "model.py:0" : "model.py:1"));
    CHECK(steps[k].source->code == "f(x)");
    CHECK(steps[k].line == (k < 3 ? 7 : 8));
  }
}

/// Nothing can be concluded from them, and nothing is looked for behind their end.
TEST_CASE("written out: copies of nothing, and wrappers that name more than they give") {
  const std::string first = v1(R"("g0", "g1")", R"("x": )" + kA + R"(, "y": )" + kB);
  const auto readings = [](const std::string& steps) {
    return written_out(testing::read_as("", "", testing::json_graph(kAB, steps, kA))).cases.size();
  };
  const std::string copy = R"(, {"name": "c", "op": "aten.copy_.default", "args": [)" + kA;
  CHECK(readings(first) == 2);
  CHECK(readings(first + copy + R"(, {"ref": "g1"}]})") == 1);
  CHECK(readings(first + copy + "]}") == 2);
  CHECK(readings(first + ", " + v1(R"("h0", "h1", "h2")", R"("x": )" + kA + R"(, "y": )" + kB)) == 2);
  const std::string ops = R"x("ops": [{"schema": "mine::op(Tensor(a!) x) -> ()"}], )x";
  const auto more = testing::json_graph(kAB, v1(R"("g0", "g1", "g2")", R"("x": )" + kA), R"({"ref": "g1"})");
  CHECK(shown(written_out(testing::read_as(ops, "", more))).find("g2 = ") == std::string::npos);
}

}  // namespace written_out_test
