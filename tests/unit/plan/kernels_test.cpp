// What kernels of ExecuTorch's portable library take, and in which place of an operand they may write.
#include <algorithm>

#include "src/check/check.h"
#include "src/formats/case/case_json.h"
#include "src/plan/contract.h"
#include "tests/catch.h"

namespace kernels_test {

using namespace noclobber;

namespace {

CheckRecord put_record(const std::string& indices, const std::string& values, const std::string& index,
                       const std::string& rest = "false", const std::string& dtype = "f32") {
  const std::string text =
      R"j({"format":"noclobber.case/1","name":"put","symbols":{"s0":{"min":1,"max":8},"s1":{"min":1,"max":8}},)j"
      R"j("after":{"inputs":[{"name":"kc","type":{"dtype":"f32","shape":[1,2,8,4]},"kind":"buffer","mutable":true},)j"
      R"j({"name":"v","type":{"dtype":")j" +
      dtype + R"j(","shape":)j" + values + R"j(}},{"name":"p","type":)j" + index +
      R"j(}],"steps":[{"name":"w","op":"aten.index_put_.default","args":[{"ref":"kc"},)j" + indices +
      R"j(,{"ref":"v"},)j" + rest +
      R"j(]}],"outputs":[]},"plan":{"arenas":{"1":{"size":4096}},"buffers":[]},"facts":{"portable_kernels":true}})j";
  auto value = read_case_json(text);
  REQUIRE(value);
  bool contradiction = false;
  return check_case(*std::move(value), {}, contradiction);
}

const std::string kOne = R"j({"dtype":"i64","shape":[1]})j", kThird = R"j([null,null,{"ref":"p"}])j";

bool is_refused(const CheckRecord& record) {
  return record.status == Status::refuted &&
         std::ranges::any_of(record.findings, [](const Finding& f) { return f.rule == "NC023"; });
}

CheckRecord softmax_in_place(const std::string& facts, const CheckOptions& options = {}) {
  const std::string x = R"j({"dtype":"f32","shape":[4,6]})j";
  const std::string text =
      R"j({"format":"noclobber.case/1","name":"softmax","after":{"inputs":[{"name":"x","type":)j" + x +
      R"j(}],"steps":[{"name":"t","op":"aten.exp.default","args":[{"ref":"x"}],"types":[)j" + x +
      R"j(]},{"name":"s","op":"aten._softmax.default","args":[{"ref":"t"},1,false],"types":[)j" + x +
      R"j(]},{"name":"r","op":"aten.neg.default","args":[{"ref":"s"}],"types":[)j" + x +
      R"j(]}],"outputs":[{"ref":"r"}]},"plan":{"arenas":{"1":{"size":192}},"buffers":[)j"
      R"j({"value":"t","arena":"1","offset":0,"size":96},{"value":"s","arena":"1","offset":0,"size":96},)j"
      R"j({"value":"r","arena":"1","offset":96,"size":96}]})j" +
      facts + "}";
  auto value = read_case_json(text);
  REQUIRE(value);
  bool contradiction = false;
  return check_case(*std::move(value), options, contradiction);
}

/// map of three rows over what each trip reads; the results at `place`. Without types the loop stays one
/// step.
Status map_at(const std::string& place, bool typed) {
  const auto type = [&](const std::string& shape) {
    return typed ? R"j(,"types":[{"dtype":"f32","shape":)j" + shape + "}]" : std::string();
  };
  const std::string text =
      R"j({"format":"noclobber.case/1","name":"map","graphs":{"f":{"inputs":[)j"
      R"j({"name":"x","type":{"dtype":"f32","shape":[4]}},{"name":"a","type":{"dtype":"f32","shape":[4]}}],)j"
      R"j("steps":[{"name":"y","op":"aten.mul.Tensor","args":[{"ref":"x"},{"ref":"a"}]}],"outputs":[{"ref":"y"}]}},)j"
      R"j("after":{"inputs":[{"name":"x","type":{"dtype":"f32","shape":[3,4]}},)j"
      R"j({"name":"a","type":{"dtype":"f32","shape":[4]}}],"steps":[)j"
      R"j({"name":"t","op":"aten.exp.default","args":[{"ref":"x"}])j" +
      type("[3,4]") + R"j(},{"name":"e","op":"aten.exp.default","args":[{"ref":"a"}])j" + type("[4]") +
      R"j(},{"names":["r"],"op":"higher_order.map_impl","args":[{"graph":"f"},[{"ref":"t"}],[{"ref":"e"}]],)j"
      R"j("types":[{"dtype":"f32","shape":[3,4]}]}],"outputs":[{"ref":"r"}]},)j"
      R"j("plan":{"arenas":{"1":{"size":128,"alignment":4}},"buffers":[)j"
      R"j({"value":"t","arena":"1","offset":0,"size":48},{"value":"e","arena":"1","offset":48,"size":16},)j"
      R"j({"value":"r","arena":"1","offset":)j" +
      place + R"j(,"size":48}]}})j";
  auto value = read_case_json(text);
  REQUIRE(value);
  bool contradiction = false;
  return check_case(*std::move(value), {}, contradiction).status;
}

}  // namespace

TEST_CASE("rows of a loop are stored as the trips go, be it written out or not", "[plan]") {
  CHECK(map_at("64", true) == Status::proved);
  CHECK(map_at("64", false) == Status::proved);
  CHECK(map_at("48", true) == Status::refuted);
  CHECK(map_at("48", false) == Status::unknown);
}

TEST_CASE("index_put_ of the portable library takes one index of whole numbers at any dimension", "[plan]") {
  const std::string narrow = R"j({"dtype":"i32","shape":[1]})j", open = R"j({"dtype":"i64","shape":["s0"]})j";
  CHECK(put_record(kThird, "[1,2,1,4]", kOne).status == Status::proved);
  CHECK(put_record(R"j([{"ref":"p"}])j", "[1,2,8,4]", kOne).status == Status::proved);
  CHECK(put_record(R"j([null,null,null,{"ref":"p"}])j", "[1,2,8,1]", kOne).status == Status::proved);
  CHECK(put_record(R"j([null,{"ref":"p"}])j", "[1,1,8,4]", narrow).status == Status::proved);
  CHECK(put_record(kThird, R"j([1,2,"s0",4])j", open).status == Status::proved);
  CHECK(put_record(kThird, R"j([1,2,"s1",4])j", open).status == Status::unknown);
}

TEST_CASE("index_put_ of the portable library refuses negative indices, which is assumed or shown",
          "[plan]") {
  const auto with = [](const std::string& numbers) {
    return put_record(kThird, "[1,2,1,4]", kOne + R"j(,"kind":"constant","value":)j" + numbers);
  };
  const CheckRecord open = put_record(kThird, "[1,2,1,4]", kOne);
  CHECK(std::ranges::count(open.assumptions, kIndicesNotNegative) == 1);
  CHECK(with("[3]").status == Status::proved);
  CHECK(std::ranges::count(with("[3]").assumptions, kIndicesNotNegative) == 0);
  CHECK(is_refused(with("[-1]")));
}

TEST_CASE("index_put_ of the portable library refuses what would be broadcast, and more", "[plan]") {
  CHECK(is_refused(put_record(kThird, "[2,1,4]", kOne)));  // as eager mode would take it
  CHECK(is_refused(put_record(kThird, "[1,1,1,4]", kOne)));
  CHECK(is_refused(put_record(R"j([{"ref":"p"}])j", "[2,8,4]", kOne)));
  CHECK(is_refused(put_record(R"j([{"ref":"p"},{"ref":"p"}])j", "[1,8,4]", kOne)));
  CHECK(is_refused(put_record("[null,null]", "[1,2,8,4]", kOne)));
  CHECK(is_refused(put_record(kThird, "[1,2,1,4]", kOne, "true")));
  CHECK(is_refused(put_record(kThird, "[1,2,1,4]", R"j({"dtype":"bool","shape":[8]})j")));
  CHECK(is_refused(put_record(R"j([null,{"ref":"p"}])j", "[1,1,8,4]", R"j({"dtype":"i16","shape":[1]})j")));
  CHECK(is_refused(put_record(kThird, "[1,2,1,1,4]", R"j({"dtype":"i64","shape":[1,1]})j")));
  CHECK(is_refused(put_record(kThird, "[1,2,1,4]", kOne, "false", "f16")));
}

TEST_CASE("softmax in place of its operand rests on the portable kernel, by name where nobody names it",
          "[plan]") {
  const CheckRecord portable = softmax_in_place(R"j(,"facts":{"portable_kernels":true})j");
  CHECK(portable.status == Status::proved);
  CHECK(portable.assumptions.empty());
  const CheckRecord open = softmax_in_place("");
  CHECK(open.status == Status::proved);
  REQUIRE(open.assumptions.size() == 1);
  CHECK(open.assumptions[0].starts_with("aten._softmax runs in ExecuTorch's portable kernel"));
  CheckOptions strict;
  strict.no_assumptions = true;
  CHECK(softmax_in_place("", strict).status == Status::unknown);
}

}  // namespace kernels_test
