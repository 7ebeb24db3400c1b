// One call after another in the words of the core of ATen, or left as it is spelled.
#include "tests/unit/lower/pte_made.h"

namespace pte_spelling_test {

using namespace noclobber;

namespace {

/// What becomes of a call of `op` on tensors of these shapes and on `more`.
std::string respelled(const std::string& op, const std::vector<std::vector<SymExpr>>& shapes,
                      const std::vector<Arg>& more = {}, Dtype dtype = Dtype::f32) {
  MadeGraph made;
  std::vector<Arg> args;
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    made.input("x" + std::to_string(k), MadeGraph::type(shapes[k], dtype));
    args.push_back(made.arg("x" + std::to_string(k)));
  }
  args.insert(args.end(), more.begin(), more.end());
  made.step("r", op, args, MadeGraph::type({2}, dtype));
  Step step = std::move(made.graph.steps.back());
  made.graph.steps.pop_back();
  respell(made.graph, step);
  made.graph.values[made.graph.find("r").index].at = static_cast<std::uint32_t>(made.graph.steps.size());
  made.graph.steps.push_back(std::move(step));
  made.graph.outputs = made.args({"r"});
  return made.text();
}

Arg number(std::int64_t value) { return Arg::of(SymExpr(value)); }

bool is_left(const std::string& text, const std::string& op) {
  return text.find(" = " + op + "(") != std::string::npos;
}

}  // namespace

TEST_CASE("pte: groups are normed of two dimensions or more", "[pte]") {
  CHECK(respelled("aten.group_norm.default", {{2, 4}}, {number(2)}) ==
        R"x(r:f32, _, _ = aten.native_group_norm.default(x0, -, -, 2, 4, 1, 2, 0.000010)
-> r
)x");
  CHECK(is_left(respelled("aten.group_norm.default", {{2}}, {number(2)}), "aten.group_norm.default"));
}

TEST_CASE("pte: glu halves a dimension that there is", "[pte]") {
  CHECK(respelled("aten.glu.default", {{4, 2}}, {number(0)}) ==
        R"x(respelled = aten.slice_copy.Tensor(x0, 0, 0, 2, 1)
respelled_3 = aten.slice_copy.Tensor(x0, 0, 2, 4, 1)
respelled_4 = aten.sigmoid.default(respelled_3)
r:f32 = aten.mul.Tensor(respelled, respelled_4)
-> r
)x");
  CHECK(respelled("aten.glu.default", {{4, 2}}, {number(-2)}) ==
        respelled("aten.glu.default", {{4, 2}}, {number(0)}));
  for (const std::int64_t dim : {2, -3})
    CHECK(is_left(respelled("aten.glu.default", {{4, 2}}, {number(dim)}), "aten.glu.default"));
}

TEST_CASE("pte: pixels are shuffled by one or more", "[pte]") {
  CHECK(respelled("aten.pixel_shuffle.default", {{1, 4, 2, 2}}, {number(1)}) ==
        R"x(respelled = aten.view_copy.default(x0, [1 4 1 1 2 2])
respelled_3 = aten.permute_copy.default(respelled, [0 1 4 2 5 3])
r:f32 = aten.view_copy.default(respelled_3, [1 4 2 2])
-> r
)x");
  for (const std::int64_t by : {0, (1 << 15) + 1})
    CHECK(is_left(respelled("aten.pixel_shuffle.default", {{1, 4, 2, 2}}, {number(by)}),
                  "aten.pixel_shuffle.default"));
}

TEST_CASE("pte: attention by a scale of zero or more", "[pte]") {
  const std::vector<SymExpr> shape = {1, 2, 3, 4};
  const auto scaled = [&](double scale) {
    const std::string op = "aten.scaled_dot_product_attention.default";
    return is_left(respelled(op, {shape, shape, shape},
                             {Arg{}, Arg::of_real(0), Arg::of_bool(false), Arg::of_real(scale)}),
                   op);
  };
  CHECK_FALSE(scaled(0.5));
  CHECK_FALSE(scaled(0));
  CHECK(scaled(-0.5));
}

TEST_CASE("pte: ranges say their dtype, and sorting gives its second result", "[pte]") {
  CHECK(respelled("aten.arange.default", {}, {number(4)}, Dtype::i64) ==
        R"x(r:i64 = aten.arange.start_step(0, 4, 1, dtype=i64)
-> r
)x");
  CHECK(respelled("aten.arange.start", {}, {number(1), number(4)}, Dtype::i64) ==
        R"x(r:i64 = aten.arange.start_step(1, 4, 1, dtype=i64)
-> r
)x");
  CHECK(respelled("aten.argsort.default", {{4}}) == R"x(_, r:f32 = aten.sort.default(x0, -1, false)
-> r
)x");
}

TEST_CASE("pte: what rounds on its way is left alone where floats are narrow, what does not is not",
          "[pte]") {
  const std::vector<SymExpr> matrix = {2, 4}, heads = {1, 2, 3, 4};
  const Arg dims = Arg::of({number(1)});
  struct Row {
    std::string op;
    std::vector<std::vector<SymExpr>> shapes;
    std::vector<Arg> more;
  };
  const Row rows[] = {{"aten.rms_norm.default", {matrix}, {Arg::of({number(4)})}},
                      {"aten.silu.default", {matrix}, {}},
                      {"aten.glu.default", {matrix}, {}},
                      {"aten.std.dim", {matrix}, {dims}},
                      {"aten.std.correction", {matrix}, {dims}},
                      {"aten.linalg_vector_norm.default", {matrix}, {}},
                      {"aten.scaled_dot_product_attention.default", {heads, heads, heads}, {}}};
  for (const auto& [op, shapes, more] : rows) {
    INFO(op);
    CHECK_FALSE(is_left(respelled(op, shapes, more), op));
    CHECK_FALSE(is_left(respelled(op, shapes, more, Dtype::f64), op));
    CHECK(is_left(respelled(op, shapes, more, Dtype::bf16), op));
    CHECK(is_left(respelled(op, shapes, more, Dtype::f16), op));
  }
  const std::string norm = "aten.layer_norm.default";
  CHECK_FALSE(is_left(respelled(norm, {matrix}, {Arg::of({number(4)})}, Dtype::bf16), norm));
  CHECK_FALSE(is_left(respelled("aten.var.dim", {matrix}, {dims}, Dtype::bf16), "aten.var.dim"));
}

}  // namespace pte_spelling_test
