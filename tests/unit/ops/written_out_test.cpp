// Wrappers as the steps that stand for them, compared as text.
#include "src/ops/wrappers.h"
#include "tests/catch.h"
#include "tests/support/graph_text.h"

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
g1 = aten.alias.default(auto_functionalized_5_base)
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
g1 = aten.alias.default(auto_functionalized_4_base)
-> g1
mine::op(Tensor? x, SymInt n, Tensor(a2!)? y) -> ()
after:
auto_functionalized_4_base = aten.clone.default(b)
mine.op.default(a, 3, auto_functionalized_4_base)
g1 = aten.alias.default(auto_functionalized_4_base)
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
g1 = aten.alias.default(auto_functionalized_5_base)
g2 = aten.alias.default(auto_functionalized_6_base)
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
      "_last_base_index": 1, "_bad_base_index": 7, "_all_bases": [)" +
      kA + ", " + kB + "]";
  const auto after = testing::json_graph(kAB, v2(R"("g0", "g1", "g2")", kwargs),
                                         R"({"ref": "g0"}, {"ref": "g1"}, {"ref": "g2"})");
  CHECK(shown(written_out(testing::read_as("", "", after))) ==
        R"x(mine::op(Tensor(a0!)[] outs, Tensor(a1!)? last, Tensor(a2!)? bad, float alpha, bool flag) -> ()
after:
auto_functionalized_5_base = aten.clone.default(a)
auto_functionalized_6_base = aten.clone.default(b)
mine.op.default([auto_functionalized_5_base auto_functionalized_6_base], auto_functionalized_6_base, -, 0.500000, true)
g1 = aten.alias.default(auto_functionalized_5_base)
g2 = aten.alias.default(auto_functionalized_6_base)
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
g2:f32 = aten.alias.default(auto_functionalized_5_base)
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
g1 = aten.alias.default(auto_functionalized_4_base)
-> g1
)x");
  const auto first = testing::json_graph(kAB, v1(R"("g0", "g1")", R"("dst": )" + kA + R"(, "src": )" + kB),
                                         R"({"ref": "g1"})");
  CHECK(shown(written_out(testing::read_as(ops, "", first))) ==
        R"x(mine::op(Tensor src, Tensor(a!) dst, float scale=2.0) -> ()
after:
auto_functionalized_4_base = aten.clone.default(a)
mine.op.default(b, auto_functionalized_4_base, 2.000000)
g1 = aten.alias.default(auto_functionalized_4_base)
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
