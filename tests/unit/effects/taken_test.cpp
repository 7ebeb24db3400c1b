// One call written in two ways is one call; with another dimension or number it is another.
#include "tests/unit/effects/fx_traced.h"

namespace taken_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

struct Spelling {
  const char* one;
  const char* same;
  const char* other;
  const char* type = "";  // of the result, where no rule says it
};

Case spelled(const char* one, const char* two, const std::string& type) {
  const auto body = [&](const char* call) {
    return "r" + (type.empty() ? "" : ": \"" + type + "\"") + " = torch.ops.aten." + std::string(call) +
           "\nreturn (r,)";
  };
  return fx_pair(R"(x: "f32[2, 2, 2]", i: "i64[2, 2, 2]")", body(one), body(two));
}

constexpr const char* kCube = "f32[2, 2, 2]";
// table: a call, the same call, another one
const Spelling kSpellings[] = {
    {"sum.dim_IntList(x, [-1])", "sum.dim_IntList(x, [2])", "sum.dim_IntList(x, [1])"},
    {"sum.dim_IntList(x, -1)", "sum.dim_IntList(x, [2])", "sum.dim_IntList(x, 1)"},
    {"mean.dim(x, [-1, -2])", "mean.dim(x, [2, 1])", "mean.dim(x, [2, 0])"},
    {"_softmax.default(x, -1, False)", "_softmax.default(x, 2, False)", "_softmax.default(x, 1, False)"},
    {"softmax.int(x, -2)", "softmax.int(x, 1)", "softmax.int(x, 2)", kCube},
    {"cumsum.default(x, -3)", "cumsum.default(x, 0)", "cumsum.default(x, 1)"},
    {"logcumsumexp.default(x, -1)", "logcumsumexp.default(x, 2)", "logcumsumexp.default(x, 1)", kCube},
    {"argmax.default(x, -1)", "argmax.default(x, 2)", "argmax.default(x, 1)"},
    {"select.int(x, -1, 0)", "select.int(x, 2, 0)", "select.int(x, 1, 0)"},
    {"cat.default([x, x], -1)", "cat.default([x, x], 2)", "cat.default([x, x], 1)"},
    {"stack.default([x, x], -1)", "stack.default([x, x], 3)", "stack.default([x, x], 2)"},
    {"diag_embed.default(x, 0, -2, -1)", "diag_embed.default(x, 0, 2, 3)", "diag_embed.default(x, 0, 1, 2)"},
    {"elu.default(x, 2)", "elu.default(x, 2.0)", "elu.default(x, 2.5)"},
    {"celu.default(x, 1)", "celu.default(x, 1.0)", "celu.default(x, 1.5)", kCube},
    {"renorm.default(x, 2, -1, 1)", "renorm.default(x, 2.0, -1, 1.0)", "renorm.default(x, 2.0, 0, 1.0)",
     kCube},
    {"add.Tensor(x, x)", "add.Tensor(x, x, alpha = 1)", "add.Tensor(x, x, alpha = 2)"},
    {"sum.dim_IntList(x, [1])", "sum.dim_IntList(self = x, dim = [1], keepdim = False)",
     "sum.dim_IntList(x, [1], dtype = torch.float64)"},
};

}  // namespace

TEST_CASE("dimensions count from either end, and numbers as they are taken") {
  for (const Spelling& row : kSpellings) {
    INFO(row.one);
    CHECK(fx_status(spelled(row.one, row.same, row.type)) == Status::proved);
    CHECK(fx_status(spelled(row.one, row.other, row.type)) == Status::refuted);
  }
}

TEST_CASE("a float is a float however it is written") {
  const auto norm = [](const std::string& eps) {
    return "n = torch.ops.aten.native_layer_norm.default(x, [2], None, None, " + eps +
           ")\nr: \"f32[2, 2]\" = n[0]\nreturn (r,)";
  };
  const std::string given = R"(x: "f32[2, 2]")";
  CHECK(fx_status(fx_pair(given, norm("1"), norm("1.0"))) == Status::proved);
  CHECK(fx_status(fx_pair(given, norm("1"), norm("9.0"))) == Status::refuted);
}

TEST_CASE("a declared operator's arguments are what is written") {
  const std::string given = R"(x: "f32[2, 2]")",
                    last = "r: \"f32[2, 2]\" = torch.ops.zoo.f.default(x, -1)\nreturn (r,)";
  Case pair = fx_pair(given, last, "r: \"f32[2, 2]\" = torch.ops.zoo.f.default(x, 1)\nreturn (r,)");
  const auto declared = read_ops_file("zoo::f(Tensor self, int dim) -> Tensor");
  REQUIRE(declared);
  pair.ops = *declared;
  CHECK(fx_status(pair) == Status::refuted);
  pair.after = fx_graph(given, last).graph;
  CHECK(fx_status(pair) == Status::proved);
}

TEST_CASE("a norm of each item is what the items' norms are") {
  const std::string given = R"(x: "f32[2, 3]", y: "f32[4]")";
  const auto listed = [](const std::string& more) {
    return "n = torch.ops.aten._foreach_norm.Scalar([x, y]" + more + ")\nr: \"f32[]\" = n[1]\nreturn (r,)";
  };
  const auto single = [](const std::string& call) {
    return "r = torch.ops.aten.linalg_vector_norm.default(" + call + ")\nreturn (r,)";
  };
  CHECK(fx_status(fx_pair(given, listed(""), single("y"))) == Status::proved);
  CHECK(fx_status(fx_pair(given, listed(", 1"), single("y, 1.0"))) == Status::proved);
  CHECK(fx_status(fx_pair(given, listed(", 1"), single("y, 2.0"))) == Status::refuted);
  CHECK(fx_status(fx_pair(given, listed(""), single("x"))) == Status::refuted);
  const std::string wrong =
      "n = torch.ops.aten._foreach_norm.Scalar([x, y])\nr: \"f32[4]\" = n[1]\nreturn (r,)";
  CHECK(fx_status(fx_pair(given, wrong, wrong)) != Status::proved);
}

}  // namespace taken_test
