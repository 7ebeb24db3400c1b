// Reductions that keep dimensions, and dead readers, as the steps that stand for them.
#include "src/ops/kept_dims.h"

#include <set>

#include "src/interp/interp.h"
#include "src/ops/dead_readers.h"
#include "src/ops/row.h"
#include "src/ops/schema.h"
#include "tests/catch.h"
#include "tests/support/graph_text.h"

namespace kept_dims_test {

using namespace noclobber;

namespace {

std::string reduction(const std::string& name, const std::string& op, const std::string& more,
                      const std::string& kwargs = "") {
  return R"({"name": ")" + name + R"(", "op": ")" + op + R"(", "args": [{"ref": "a"})" + more + "]" + kwargs +
         "}";
}

Case pair(const std::string& before, const std::string& after, const std::string& sizes = "3, 4") {
  const std::string inputs = testing::json_tensor("a", sizes), output = R"({"ref": "r"})";
  return testing::read_as("", testing::json_graph(inputs, before, output),
                          testing::json_graph(inputs, after, output));
}

std::string written_out(const std::string& call, const std::string& other,
                        const std::string& sizes = "3, 4") {
  Case value = pair(call, other, sizes);
  show_kept_dims(value);
  return testing::graph_text(*value.before);
}

std::vector<std::uint8_t> result_of(const Case& value, const Graph& graph) {
  const auto run = run_graph(value, graph, {}, {});
  REQUIRE(run);
  REQUIRE(run->outputs.size() == 1);
  REQUIRE(run->outputs[0].tensor);
  std::vector<std::uint8_t> out = run->outputs[0].bytes;
  for (const std::int64_t size : run->outputs[0].tensor->shape)
    out.push_back(static_cast<std::uint8_t>(size));
  return out;
}

}  // namespace

TEST_CASE("kept dimensions are put back behind the reduction") {
  const std::string plain = reduction("r", "aten.sum.dim_IntList", ", [1], false");
  CHECK(
      written_out(reduction("r", "aten.sum.dim_IntList", ", [1], true"), plain) ==
      "r__reduced = aten.sum.dim_IntList(a, [1], false)\nr = aten.unsqueeze.default(r__reduced, 1)\n-> r\n");
  CHECK(written_out(reduction("r", "aten.amax.default", ", [1, 0]", R"(, "kwargs": {"keepdim": true})"),
                    plain) ==
        "r__reduced = aten.amax.default(a, [1 0], keepdim=false)\n"
        "r__reduced_1 = aten.unsqueeze.default(r__reduced, 0)\n"
        "r = aten.unsqueeze.default(r__reduced_1, 1)\n-> r\n");
  for (const char* kept : {", [1], false", ", [-1, -2], true", ", [1, 1], true", ", [], true"}) {
    INFO(kept);
    CHECK(written_out(reduction("r", "aten.sum.dim_IntList", kept), plain).find("unsqueeze") ==
          std::string::npos);
  }
  const std::string kept = reduction("r", "aten.sum.dim_IntList", ", [0], true");
  CHECK(written_out(kept, kept).find("unsqueeze") == std::string::npos);       // as often in both
  CHECK(written_out(kept, plain, "").find("unsqueeze") == std::string::npos);  // no dimension is put back
}

TEST_CASE("kept dimensions: both spellings run alike") {
  const struct {
    const char *op, *more, *kwargs;
  } calls[] = {
      {"aten.sum.dim_IntList", ", [1], true", ""},
      {"aten.sum.dim_IntList", ", [0, 2], true", ""},
      {"aten.sum.dim_IntList", ", [-1], true", ""},
      {"aten.mean.dim", ", [1], true", ""},
      {"aten.amax.default", ", [-2], true", ""},
      {"aten.amin.default", ", [0, 1], true", ""},
      {"aten.argmax.default", ", 1, true", ""},
      {"aten.argmin.default", ", -1, true", ""},
      {"aten.any.dim", ", 2, true", ""},
      {"aten.all.dim", ", 0, true", ""},
      {"aten.prod.dim_int", ", 1, true", ""},
      {"aten.logsumexp.default", ", [1], true", ""},
      {"aten.var.dim", ", [1], true, true", ""},
      {"aten.std.dim", ", [0], true, true", ""},
      {"aten.var.correction", ", [1]", R"(, "kwargs": {"correction": 1, "keepdim": true})"},
      {"aten.std.correction", ", [2]", R"(, "kwargs": {"correction": 0, "keepdim": true})"},
      {"aten.all.dims", ", [0, 1], true", ""},
      {"aten.any.dims", ", [2], true", ""},
      {"aten.nansum.default", ", [0, 2], true", ""},
      {"aten.linalg_vector_norm.default", ", 2, [1], true", ""},
  };
  std::set<std::string_view> asked;
  for (const auto& [op, more, kwargs] : calls) {
    INFO(op << more << kwargs);
    asked.insert(base_name(op));
    const Case kept =
        pair(reduction("r", op, more, kwargs), reduction("r", "aten.neg.default", ""), "2, 3, 4");
    Case out = kept;
    show_kept_dims(out);
    REQUIRE(testing::graph_text(*out.before).find("unsqueeze") != std::string::npos);
    CHECK(result_of(kept, *kept.before) == result_of(out, *out.before));
  }
  for (const OpRow& row : op_rows()) CHECK(row.keeps_dims == asked.contains(row.op));
}

TEST_CASE("attack 15: sums of everything, in both spellings") {
  for (const auto& [whole, over] : {std::pair("aten.sum.default", "aten.sum.dim_IntList"),
                                    std::pair("aten.mean.default", "aten.mean.dim")})
    for (const char* sizes : {"3, 4", "3", ""}) {
      INFO(whole << " of " << sizes);
      const Case kept = pair(reduction("r", whole, ""), reduction("r", over, ", []"), sizes);
      Case out = kept;
      show_whole_sums(out);
      CHECK(testing::graph_text(*out.before) == testing::graph_text(out.after));
      CHECK(result_of(kept, *kept.before) == result_of(out, *out.before));
      CHECK(result_of(kept, *kept.before) == result_of(kept, kept.after));
      Case same = pair(reduction("r", whole, ""), reduction("r", whole, ""), sizes);
      show_whole_sums(same);
      CHECK(same.after.steps[0].op == whole);  // as often in both
    }
  Case typed =
      pair(reduction("r", "aten.sum.default", "", R"(, "kwargs": {"dtype": {"dtype": "f64"}})"),
           reduction("r", "aten.sum.dim_IntList", ", []", R"(, "kwargs": {"dtype": {"dtype": "f64"}})"));
  show_whole_sums(typed);
  CHECK(typed.before->steps == typed.after.steps);
}

TEST_CASE("dead readers: what nobody reads finds anything, in an order by data flow") {
  const auto with = [](const std::string& dead, const std::string& output, const std::string& order) {
    const std::string typed = R"(, "types": [{"dtype": "f32", "shape": [3, 4]}]})";
    const auto steps = [&](const std::string& add) {
      return R"({"name": "t", "op": "aten.exp.default", "args": [{"ref": "a"}])" + typed + ", " + dead +
             R"(, {"name": "r", "op": "aten.)" + add + R"(.Scalar", "args": [{"ref": "t"}, 1]})";
    };
    const std::string inputs = testing::json_tensor("a", "3, 4");
    Case value = testing::read_as(order, testing::json_graph(inputs, steps("add"), output),
                                  testing::json_graph(inputs, steps("add_"), output));
    leave_out_dead_readers(value);
    return testing::graph_text(value.after);
  };
  const std::string any = R"("order": "dataflow", )", r = R"({"ref": "r"})";
  const std::string dead = R"({"name": "d", "op": "aten.neg.default", "args": [{"ref": "t"}]})";
  CHECK(with(dead, r, any).find("d = aten.empty.memory_format([3 4], dtype=f32)") != std::string::npos);
  CHECK(with(dead, r, "").find("d = aten.neg.default(t)") != std::string::npos);
  CHECK(with(dead, r + R"(, {"ref": "d"})", any).find("d = aten.neg.default(t)") != std::string::npos);
  for (const char* other :
       {R"({"name": "d", "op": "aten.sum.default", "args": [{"ref": "t"}]})",
        R"({"name": "d", "op": "aten.copy_.default", "args": [{"ref": "t"}, {"ref": "a"}]})",
        R"({"name": "d", "op": "aten.neg.default", "args": [{"ref": "t"}], "after": ["t"]})",
        R"({"name": "d", "op": "aten.bernoulli.default", "args": [{"ref": "t"}]})"}) {
    INFO(other);
    CHECK(with(other, r, any).find("aten.empty") == std::string::npos);
  }
}

}  // namespace kept_dims_test
