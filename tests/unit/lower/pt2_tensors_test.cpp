// What an exported program says of its tensors, scalars and results: kept, or refused at its place.
#include "tests/unit/formats/arg_text.h"
#include "tests/unit/lower/pt2_text.h"

namespace pt2_tensors_test {

using namespace noclobber;

namespace {

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::string was = json_of(from);
  const std::size_t at = text.find(was);
  REQUIRE(at != text.npos);
  return text.replace(at, was.size(), json_of(to));
}

/// y = neg(x) with a member of x changed: the fault, without where its tensor stands, or "accepted".
std::string fault_with(const std::string& from, const std::string& to) {
  const std::string text = pt2_fault(zipped(changed(kPlain, from, to)));
  const std::string tensor = "root/models/model.json: /graph_module/graph/tensor_values/x";
  return text.starts_with(tensor) ? text.substr(tensor.size()) : text;
}

const std::string kSizes = "'sizes': [{'as_int': 3}]", kStrides = "'strides': [{'as_int': 1}]",
                  kOffset = "'storage_offset': {'as_int': 0}";

Case case_with(const std::string& from, const std::string& to) {
  const auto cases = read_pt2(zipped(changed(kPlain, from, to)));
  INFO(from << " := " << to << (cases ? "" : ": " + cases.fault().message));
  REQUIRE(cases);
  return cases->front();
}

std::string expression(const std::string& text) { return "{'as_expr': {'expr_str': '" + text + "'}}"; }

}  // namespace

TEST_CASE("pt2: sizes, strides and offsets of tensors") {
  CHECK(fault_with(kSizes, "'sizes': [{'as_int': -1}]") == "/sizes/0: is negative");
  CHECK(fault_with(kSizes, "'sizes': [{'as_int': 0}]") == "accepted");
  CHECK(fault_with(kSizes, "'sizes': []") == ": a tensor has not one stride per dimension");
  CHECK(fault_with(kSizes, "'sizes': [{'as_int': 9223372036854775807}]") ==
        ": the tensor is larger than 64 bits can address");
  CHECK(fault_with(kSizes, "'sizes': [" + expression("Float(0.5)") + "]")
            .starts_with("/sizes/0: a size is no integer"));
  CHECK(fault_with(kSizes, "'sizes': [" + expression("Integer(") + "]")
            .starts_with("/sizes/0/as_expr/expr_str: column "));
  CHECK(fault_with(kOffset, "'storage_offset': {'as_int': true}") ==
        "/storage_offset/as_int: expected an integer, got true");
  const auto symbol = [](const Case& value) { return value.symbols.at("s0"); };
  CHECK(symbol(case_with(kSizes, "'sizes': [" + expression("Symbol(\\\"s0\\\")") + "]")).min == 0);
  CHECK(symbol(case_with(kStrides, "'strides': [" + expression("Symbol(\\\"s0\\\")") + "]")).min < 0);
  const Case moved = case_with(kOffset, "'storage_offset': " + expression("Symbol(\\\"s0\\\")"));
  CHECK(symbol(moved).min < 0);
  CHECK(moved.after.value(moved.after.inputs.at(0).value).type->offset == SymExpr::symbol("s0"));
  CHECK_FALSE(case_with("'layout': 7", "'layout': 1").after.value(ValueId(0)).type);
}

TEST_CASE("pt2: operators by every name that programs give them") {
  const auto op_of = [](const std::string& target) {
    const auto cases = read_pt2(zipped(program_with(node_of(kSelf, target))));
    REQUIRE(cases);
    return cases->front().after.steps.at(0).op;
  };
  CHECK(op_of("torch.ops.aten.neg.default") == "aten.neg.default");
  CHECK(op_of("torch._higher_order_ops.flex") == "higher_order.flex");
  CHECK(op_of("_operator.neg") == "operator.neg.default");
  CHECK(op_of("operator.neg") == "operator.neg.default");
  CHECK(op_of("math.trunc") == "python.math_trunc.default");
}

TEST_CASE("pt2: results that are no tensors") {
  const std::string node = node_of(kSelf);
  const auto with = [&](const std::string& outputs) {
    return read_pt2(zipped(program_with(changed(node, "[{'as_tensor': {'name': 'y'}}]", outputs))));
  };
  const auto more = with("[{'as_tensor': {'name': 'y'}}, {'as_none': true}, {'as_int': 3}]");
  REQUIRE(more);
  const Step& step = more->front().after.steps.at(0);
  REQUIRE(step.results.size() == 3);
  CHECK(step.results[0].valid());
  CHECK_FALSE(step.results[1].valid());
  CHECK(step.extras->tells.empty());
  const auto none = with("{}");
  REQUIRE_FALSE(none);
  CHECK(none.fault().message == "expected an array, got {}");
}

TEST_CASE("pt2: numbers that JSON does not have stand as bare words, and as words in strings") {
  const auto argument = [](const std::string& given) {
    const auto cases = read_pt2(zipped(program_with(
        node_of(kSelf + json_of(", {'name': 'k', 'arg': " + given + "}"), "torch.ops.zoo.f.default"))));
    REQUIRE(cases);
    const Step& step = cases->front().after.steps.at(0);
    return text_of(cases->front().after, step.kwargs.empty() ? step.args.back() : step.kwargs[0].second);
  };
  CHECK(argument("{'as_float': Infinity}") == "inf");
  CHECK(argument("{'as_floats': [-Infinity, NaN]}") == "[-inf nan ]");
  CHECK(argument("{'as_string': 'NaN or Infinity'}") == "'NaN or Infinity'");
}

}  // namespace pt2_tensors_test
