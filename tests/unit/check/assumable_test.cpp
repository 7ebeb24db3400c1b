// What is the same as numbers stands where nobody looks at bits: each pair beside one in which somebody does.
#include "src/formats/case/case_json.h"
#include "tests/unit/effects/fx_traced.h"

namespace assumable_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

const std::string kGiven =
    R"(x: "f32[4]", y: "f32[4]", h: "f16[4]", i: "i32[4]", m: "f32[4, 4]", n: "f32[4, 4]")";

Status said(const Case& value) {
  bool contradiction = false;
  CheckOptions options;
  options.run = CheckOptions::Runs::always;
  const Status out = check_case(value, options, contradiction).status;
  CHECK_FALSE(contradiction);
  return out;
}
Status said(const std::string& before, const std::string& after) {
  INFO(before << "\nafter\n" << after);
  return said(fx_pair(kGiven, before, after));
}

/// Two ways to make `r`, and what looks at it.
struct Looked {
  std::string one, other, numbers, bits;
};

const std::string kLoops = R"({"format": "noclobber.case/1", "name": "loop", "graphs": {
  "cond": {"inputs": [{"name": "i", "type": {"dtype": "i64", "shape": []}}, {"name": "a", "type": {"dtype": "f32", "shape": [4]}}],
    "steps": [{"op": "aten.lt.Scalar", "args": [{"ref": "i"}, 3], "name": "c"}], "outputs": [{"ref": "c"}]},
  "one": {"inputs": [{"name": "i", "type": {"dtype": "i64", "shape": []}}, {"name": "a", "type": {"dtype": "f32", "shape": [4]}}],
    "steps": [{"op": "aten.mul.Tensor", "args": [{"ref": "a"}, 1], "name": "m"},
              {"op": "aten.add.Scalar", "args": [{"ref": "i"}, 1], "name": "j"}], "outputs": [{"ref": "j"}, {"ref": "m"}]},
  "two": {"inputs": [{"name": "i", "type": {"dtype": "i64", "shape": []}}, {"name": "a", "type": {"dtype": "f32", "shape": [4]}}],
    "steps": [{"op": "aten.clone.default", "args": [{"ref": "a"}], "name": "m"},
              {"op": "aten.add.Scalar", "args": [{"ref": "i"}, 1], "name": "j"}], "outputs": [{"ref": "j"}, {"ref": "m"}]}},
  "before": @one@, "after": @two@})";
const std::string kLoop = R"({"inputs": [{"name": "x", "type": {"dtype": "f32", "shape": [4]}}], "steps": [
  {"op": "aten.zeros.default", "args": [[]], "name": "z", "kwargs": {"dtype": {"dtype": "i64"}}},
  {"op": "higher_order.while_loop", "args": [{"graph": "cond"}, {"graph": "@body"}, [{"ref": "z"}, {"ref": "x"}], []], "names": ["n", "r"]},
  {"op": "@look", "args": [{"ref": "r"}@more], "name": "v"}], "outputs": [{"ref": "v"}]})";

std::string with(std::string text, const std::string& name, const std::string& value) {
  return text.replace(text.find(name), name.size(), value);
}
Case looped(const std::string& look, const std::string& more) {
  std::string all = kLoops;
  for (const std::string body : {"one", "two"})
    all = with(all, "@" + body + "@", with(with(with(kLoop, "@body", body), "@look", look), "@more", more));
  auto value = read_case_json(all);
  REQUIRE(value);
  return std::move(*value);
}

}  // namespace

TEST_CASE("what is the same as numbers is proved where nobody looks at bits", "[identities]") {
  const std::string bits = "v = aten.view.dtype(r, torch.int32)\nreturn (v,)", numbers = "return (r,)";
  const Looked all[] = {
      {"r = aten.mul.Tensor(x, 1)\n", "r = aten.clone.default(x)\n", numbers, bits},
      {"r = aten.sub.Tensor(x, 0)\n", "r = aten.clone.default(x)\n", numbers, bits},
      {"r = aten.add.Tensor(x, 0)\n", "r = aten.clone.default(x)\n", numbers, bits},
      {"r = aten.add.Tensor(x, 0)\n", "r = aten.clone.default(x)\n", "v = aten.div.Tensor(r, y)\nreturn (v,)",
       "v = aten.div.Tensor(y, r)\nreturn (v,)"},
      {"r = aten.add.Tensor(x, 0)\n", "r = aten.clone.default(x)\n",
       "v = aten.pow.Tensor_Scalar(r, 2)\nreturn (v,)", "v = aten.pow.Tensor_Scalar(r, -1)\nreturn (v,)"},
      {"r = aten.add.Tensor(x, 0)\n", "r = aten.clone.default(x)\n",
       "v = aten.copysign.Tensor(r, y)\nreturn (v,)",
       "v = aten.neg.default(r)\nw = aten.copysign.Tensor(y, v)\nreturn (w,)"},
      {"c = aten._to_copy.default(h, dtype = torch.float32)\nr = aten._to_copy.default(c, dtype = "
       "torch.float16)\n",
       "r = aten.alias.default(h)\n", "v = aten.neg.default(r)\nreturn (v,)",
       "v = aten.view.dtype(r, torch.int16)\nreturn (v,)"},
      {"p = aten.mm.default(m, n)\nr = aten.add.Tensor(p, y)\n", "r = aten.addmm.default(y, m, n)\n", numbers,
       bits},
  };
  for (const Looked& pair : all) {
    INFO(pair.one << pair.other);
    CHECK(said(pair.one + pair.numbers, pair.other + pair.numbers) == Status::proved);
    CHECK(said(pair.one + pair.bits, pair.other + pair.bits) != Status::proved);
  }
}

TEST_CASE("what is the same to the bit is proved whoever looks, and so is what nobody looks at",
          "[identities]") {
  const std::string bits = "v = aten.view.dtype(r, torch.float32)\nreturn (v,)";
  CHECK(said("r = aten.mul.Tensor(i, 1)\n" + bits, "r = aten.clone.default(i)\n" + bits) == Status::proved);
  const std::string beside =
      "u = aten.view.dtype(y, torch.int32)\nw = aten.div.Tensor(x, y)\nreturn (r, u, w)";
  CHECK(said("r = aten.add.Tensor(x, 0)\n" + beside, "r = aten.clone.default(x)\n" + beside) ==
        Status::proved);
}

TEST_CASE("identities of a body do not stand where its results are looked at as bits", "[identities]") {
  CHECK(said(looped("aten.neg.default", "")) == Status::proved);
  CHECK(said(looped("aten.view.dtype", R"(, {"dtype": "i32"})")) != Status::proved);
}

}  // namespace assumable_test
