// Numbers that a wider type holds and gives back: Inductor drops such a pair of conversions.
#include "tests/support/brute.h"
#include "tests/unit/effects/fx_traced.h"

namespace widened_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

const std::string kGiven =
    R"(h: "f16[2, 4]", b: "bf16[2, 4]", x: "f32[2, 4]", d: "f64[2, 4]", i: "i32[2, 4]", c: "i8[2, 4]", t: "b8[2, 4]")";

Status status_of(const std::string& before, const std::string& after) {
  bool contradiction = false;
  const CheckRecord out = check_case(fx_pair(kGiven, before, after), {}, contradiction);
  CHECK_FALSE(contradiction);
  return out.status;
}

/// `of` as one type after the other, an operator of it, and whatever else stands in between.
std::string chain(const std::string& of, const std::vector<std::string>& types,
                  const std::string& between = "") {
  std::string out, last = of;
  for (std::size_t k = 0; k < types.size(); ++k) {
    const std::string name = "v" + std::to_string(k);
    out += name + " = torch.ops.prims.convert_element_type.default(" + last + ", torch." + types[k] + ")\n";
    last = name;
    if (k == 0) out += between;
  }
  return out + "r = aten.clone.default(" + last + ")\nreturn (r,)";
}

}  // namespace

TEST_CASE("a wider type gives back what was converted to it", "[identities]") {
  // table: of, types in a row, types that do as well
  const std::tuple<std::string, std::vector<std::string>, std::vector<std::string>> chains[] = {
      {"b", {"float32", "bfloat16"}, {}},
      {"h", {"float32", "float64", "float16"}, {}},
      {"x", {"float64", "float32"}, {}},
      {"x", {"float64", "float16"}, {"float16"}},
      {"b", {"float32", "float16"}, {"float16"}},
      {"b", {"float64", "bool"}, {"bool"}},
      {"i", {"int64", "int32"}, {}},
      {"i", {"float64", "float32"}, {"float32"}},
      {"i", {"int64", "int8"}, {"int8"}},
      {"c", {"float16", "int8"}, {}},
      {"c", {"float32", "int16"}, {"int16"}},
      {"t", {"float32", "int64"}, {"int64"}},
      {"t", {"bfloat16", "bool"}, {}},
  };
  for (const auto& [of, longer, shorter] : chains) {
    INFO(of << " " << longer[0] << " " << longer[1]);
    CHECK(status_of(chain(of, longer), chain(of, shorter)) == Status::proved);
    CHECK(status_of(chain(of, shorter), chain(of, longer)) == Status::proved);
    CHECK(brute_force(fx_pair(kGiven, chain(of, longer), chain(of, shorter))).difference.empty());
  }
}

TEST_CASE("a conversion that loses numbers stays", "[identities]") {
  // table: of, types in a row, types that would do as well if nothing were lost
  const std::tuple<std::string, std::vector<std::string>, std::vector<std::string>> chains[] = {
      {"x", {"float16", "float32"}, {}},      {"x", {"bfloat16", "float32"}, {}},
      {"h", {"bfloat16", "float16"}, {}},     {"b", {"float16", "bfloat16"}, {}},
      {"d", {"float32", "float64"}, {}},      {"d", {"float32", "float16"}, {"float16"}},
      {"i", {"float32", "int32"}, {}},        {"i", {"int16", "int32"}, {}},
      {"i", {"bool", "int32"}, {}},           {"i", {"uint8", "int32"}, {}},
      {"c", {"uint8", "int16"}, {"int16"}},   {"x", {"int32", "float32"}, {}},
      {"x", {"float64", "int32"}, {"int32"}}, {"c", {"bool", "float32"}, {"float32"}},
      {"i", {"float64", "int8"}, {"int8"}},
  };
  for (const auto& [of, longer, shorter] : chains) {
    INFO(of << " " << longer[0] << " " << longer[1]);
    CHECK(status_of(chain(of, longer), chain(of, shorter)) != Status::proved);
    CHECK(status_of(chain(of, shorter), chain(of, longer)) != Status::proved);
  }
}

TEST_CASE("numbers that were written since are not those that were converted", "[identities]") {
  const std::vector<std::string> there_and_back{"float64", "float32"};
  // table: what stands between, is the chain still x as it was
  const std::pair<std::string, bool> between[] = {
      {"w = aten.add.Tensor(x, 1)\n", true},
      {"w = aten.mul_.Tensor(v0, 2)\n", false},
      {"s = aten.select.int(v0, 0, 1)\nw = aten.fill_.Scalar(s, 2)\n", false},
  };
  for (const auto& [text, same] : between) {
    INFO(text);
    const Status status = status_of(chain("x", there_and_back, text), chain("x", {}));
    CHECK((status == Status::proved) == same);
  }
  // Of the converted one a part is read; what it was converted from is zero by then, or was before.
  const std::string part = "v = torch.ops.prims.convert_element_type.default(y, torch.float64)\n",
                    read =
                        "p = aten.select.int(v, 0, 1)\nr = torch.ops.prims.convert_element_type.default(p, "
                        "torch.float32)\nreturn (r,)",
                    zero = "z = aten.zero_.default(y)\n", made = "y = aten.sin.default(x)\n";
  const auto shorter = [&](const std::string& first, const std::string& then) {
    return made + first + "p = aten.select.int(y, 0, 1)\nr = aten.clone.default(p)\n" + then + "return (r,)";
  };
  CHECK(status_of(made + part + read, shorter("", "")) == Status::proved);
  CHECK(status_of(made + zero + part + read, shorter(zero, "")) == Status::proved);
  CHECK(status_of(made + part + zero + read, shorter(zero, "")) == Status::refuted);
  CHECK(status_of(made + part + zero + read, shorter("", zero)) != Status::refuted);
}

}  // namespace widened_test
