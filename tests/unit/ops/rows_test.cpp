// Rows of the operator table against recorded calls of PyTorch, and against the kernels that agree with
// those.
#include <cmath>
#include <filesystem>
#include <fstream>

#include "src/kernels/kernels.h"
#include "src/ops/identities.h"
#include "src/ops/row.h"
#include "tests/catch.h"
#include "tests/support/row_facts.h"
#include "tests/support/source_dir.h"

namespace rows_test {

using namespace noclobber;

namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> out;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) out.push_back(line);
  return out;
}

/// The types that a kernel gives; nothing where it does not take such arguments.
std::optional<std::vector<Dtype>> computed_types(const golden::GoldenCall& call) {
  const auto run = run_graph(call.value, call.value.after, call.may_write, call.options);
  if (!run || run->raised || !run->unsupported.empty() || !run->hashed.empty()) return std::nullopt;
  std::vector<Dtype> out;
  for (const Run::Output& output : run->outputs)
    if (output.tensor) out.push_back(output.tensor->dtype);
  return out;
}

/// A call f(x, c) of a kernel with two operands, as one step over inputs of one element each.
std::optional<std::string> computed(const std::string& op, const Type& type, const Arg& x, const Arg& c) {
  Case value;
  RunOptions options;
  Step step;
  step.op = op;
  const auto add = [&](const Arg& arg) {
    const auto at = static_cast<std::uint32_t>(value.after.values.size());
    const std::string name = "t" + std::to_string(at);
    Value input{name, Value::From::input, at, 0, type};
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(item_bytes(type.dtype)));
    store_number(type.dtype, bytes.data(),
                 arg.kind == Arg::Kind::real ? Number::of_real(arg.real) : Number::of(arg.sym.constant()));
    options.contents[name] = bytes;
    value.after.values.push_back(std::move(input));
    value.after.inputs.emplace_back();
    value.after.inputs.back().value = ValueId(at);
    step.args.push_back(Arg::of(ValueId(at)));
  };
  add(x), add(c);
  value.after.values.push_back({"r", Value::From::step, 0, 0, {}});
  step.results = {ValueId(2U)};
  value.after.outputs = {Arg::of(ValueId(2U))};
  value.after.steps.push_back(std::move(step));
  const auto run = run_graph(value, value.after, {}, options);
  if (!run || run->raised || !run->unsupported.empty() || !run->hashed.empty() || !run->outputs[0].tensor ||
      run->outputs[0].tensor->dtype != type.dtype)
    return std::nullopt;
  const auto& bytes = run->outputs[0].bytes;
  return std::string(bytes.begin(), bytes.end());
}

std::string stored(Dtype dtype, const Arg& x) {
  std::string out(static_cast<std::size_t>(item_bytes(dtype)), 0);
  store_number(dtype, reinterpret_cast<std::uint8_t*>(out.data()),
               x.kind == Arg::Kind::real ? Number::of_real(x.real) : Number::of(x.sym.constant()));
  return out;
}

/// Of f(x, c), or f(c, x): is it x for every x, where it has the type of x? `but_zero_sign`: not for -0.
struct Unchanged {
  bool all = false, but_zero_sign = false;
};

Unchanged unchanged(const std::string& op, std::int64_t c, bool first) {
  std::vector<std::pair<Dtype, Arg>> values;
  for (const double x : {-3.5, -1.0, -0.0, 0.0, 0.25, 1.0, 2.0, 1e30, HUGE_VAL, -HUGE_VAL})
    values.emplace_back(Dtype::f32, Arg::of_real(x));
  for (const std::int64_t x : {-7, -1, 0, 1, 2, 1000}) values.emplace_back(Dtype::i64, Arg::of(SymExpr(x)));
  Unchanged out{true, false};  // whole numbers give none of their type where they are divided
  for (const auto& [dtype, x] : values) {
    Type type;
    type.dtype = dtype;
    const Arg constant = Arg::of(SymExpr(c));
    const auto result = first ? computed(op, type, constant, x) : computed(op, type, x, constant);
    if (result == stored(dtype, x) || (!result && !is_floating(dtype))) continue;
    const bool zero = result && x.kind == Arg::Kind::real && x.real == 0 && std::signbit(x.real);
    out.but_zero_sign = out.but_zero_sign || zero;
    out.all = out.all && zero;
  }
  return out;
}

Arg whole_number(std::int64_t value) { return Arg::of(SymExpr(value)); }

/// What the shape rule gives for these tensors, and these other arguments behind them in their order.
std::string rule_of(std::string_view op,
                    const std::vector<std::pair<Dtype, std::vector<std::int64_t>>>& tensors,
                    const std::vector<Arg>& others) {
  Space space;
  Sizes sizes(space);
  const Schema* schema = find_schema(op);
  REQUIRE(schema != nullptr);
  std::vector<TensorMeta> metas;
  for (const auto& [dtype, shape] : tensors) {
    metas.push_back({{}, dtype});
    for (const std::int64_t extent : shape) metas.back().shape.push_back(space.constant(extent));
  }
  std::vector<Arg> arguments;
  std::size_t next = 0, tensor = 0;
  for (const SchemaSlot& slot : schema->arguments)
    if (slot.type != SchemaSlot::Type::other)
      arguments.push_back(tensor < tensors.size() ? Arg::of(ValueId(tensor++)) : Arg{});
    else
      arguments.push_back(next < others.size() ? others[next++] : slot.fallback.value_or(Arg{}));
  std::string out;
  for (const InferredMeta& meta : infer_meta({sizes, base_name(op), *schema, arguments, metas})) {
    out += (out.empty() ? "" : ", ") + std::string(meta.dtype ? name(*meta.dtype) : "open");
    for (const PolyId extent : meta.shape) out += " " + std::to_string(space.value(extent).value_or(-1));
  }
  return out;
}

}  // namespace

/// Who changes a row renews the page with `build/bin/nc_tests --rows > corpus/rows.tsv`.
TEST_CASE("corpus/rows.tsv is what rows say and what recorded calls say of them") {
  const auto held = lines_of(in_sources("/corpus/rows.tsv")), now = golden::rows_page();
  CHECK(held.size() == now.size());
  for (std::size_t k = 0; k < std::min(held.size(), now.size()); ++k) CHECK(now[k] == held[k]);
}

TEST_CASE("no rule of a row differs from what PyTorch recorded") {
  for (const auto& [row, facts] : golden::row_facts())
    for (const std::string& fault : facts.faults) {
      INFO(row);
      CHECK(fault == "");
    }
}

TEST_CASE("shape rules give the types that kernels give, whatever the arguments' types are") {
  int compared = 0, open = 0;
  for (const auto& entry : std::filesystem::directory_iterator(in_sources("/corpus/golden"))) {
    const std::string op = entry.path().stem().string();
    const Schema* schema = entry.path().extension() == ".json" ? find_schema(op) : nullptr;
    if (schema == nullptr || schema->writes()) continue;
    const auto calls = golden::calls_of(entry.path().string(), false);
    const auto from = calls.empty() ? std::nullopt : golden::leading_type(calls[0]);
    for (const Dtype to : golden::retypes()) {
      if (!from) continue;
      const golden::GoldenCall call = golden::retyped(calls[0], *from, to);
      const golden::Inferred rule = golden::inferred(call);
      const auto result = rule.dtypes.empty() ? std::nullopt : computed_types(call);
      for (std::size_t k = 0; result && k < std::min(rule.dtypes.size(), result->size()); ++k) {
        INFO(op << " of " << name(to) << ", result " << k << ": "
                << (rule.dtypes[k] ? name(*rule.dtypes[k]) : "open") << ", " << name((*result)[k]));
        CHECK((!rule.dtypes[k] || *rule.dtypes[k] == (*result)[k]));
        ++(rule.dtypes[k] ? compared : open);
      }
    }
  }
  CHECK(compared > 1000);
  CHECK(open < compared);
}

/// Not said: prims.div and prims.pow, whose second operand is a tensor.
TEST_CASE("an argument is neutral exactly where the kernel gives the other one") {
  std::size_t named = 0;
  for (const OpRow& row : op_rows()) {
    std::string op;
    for (const char* overload : {".Tensor", ".Tensor_Tensor", ".default"})
      if (op.empty() && find_kernel(std::string(row.op) + overload)) op = std::string(row.op) + overload;
    const Schema* schema = op.empty() ? nullptr : find_schema(op);
    if (schema == nullptr || schema->arguments.size() < 2 ||
        schema->arguments[1].type != SchemaSlot::Type::tensor || !row.same_as.empty() ||
        !is_elementwise(row.op, *schema))
      continue;
    for (const std::int64_t c : {0, 1}) {
      const Unchanged second = unchanged(op, c, false), first = unchanged(op, c, true);
      const Identity* keeps = find_identity(Identity::Form::keeps, row.op);
      const bool says = keeps != nullptr && keeps->value == c;
      INFO(op << " with " << c);
      CHECK(second.all == (says || (c == 1 && (op == "prims.div.default" || op == "prims.pow.default"))));
      if (!says) continue;
      ++named;
      CHECK(keeps->either == first.all);
      CHECK(keeps->assumed.contains(Dtype::f32) == second.but_zero_sign);
    }
  }
  CHECK(named == 8);
}

TEST_CASE("names of one function have one kernel, and the other way round") {
  for (const OpRow& row : op_rows()) {
    const OpRow* other = row.same_as.empty() ? nullptr : find_row(row.same_as);
    INFO(row.op);
    if (other == nullptr) continue;
    CHECK((other->kernel == row.kernel || other->kernel.empty() || row.kernel.empty()));
    CHECK(other->shape == row.shape);
    CHECK(other->reach == row.reach);
  }
}

/// Nobody recorded them: their kin are tested.
TEST_CASE("operators without recorded calls have the shape rule of their kin") {
  const std::pair<std::string_view, std::string_view> kin[] = {
      {"aten.erfinv", "aten.erf"},
      {"prims.erf_inv", "prims.erf"},
      {"prims.xor_sum", "prims.sum"},
      {"aten._batch_norm_impl_index", "aten._native_batch_norm_legit"},
      {"aten.cudnn_batch_norm", "aten._native_batch_norm_legit"},
      {"aten.miopen_batch_norm", "aten._native_batch_norm_legit"},
      {"aten.instance_norm", "aten.batch_norm"},
      {"_c10d_functional_autograd.all_gather_into_tensor", "_c10d_functional.all_gather_into_tensor"},
      {"_c10d_functional_autograd.all_to_all_single", "_c10d_functional.all_to_all_single"},
      {"_c10d_functional_autograd.reduce_scatter_tensor", "_c10d_functional.reduce_scatter_tensor"},
      {"c10d_functional.all_to_all_single", "_c10d_functional.all_to_all_single"},
  };
  for (const auto& [row, other] : kin) {
    INFO(row);
    REQUIRE(find_row(row) != nullptr);
    CHECK(find_row(row)->shape != nullptr);
    CHECK(find_row(row)->shape == find_row(other)->shape);
  }
}

TEST_CASE("shape rules where recorded calls do not tell them from simpler ones") {
  using Tensors = std::vector<std::pair<Dtype, std::vector<std::int64_t>>>;
  const auto on = Arg::of_bool(true), dim = whole_number(0), half = Arg::of_dtype(Dtype::f16);
  const Tensors halves{{Dtype::f16, {2, 3}}}, floats{{Dtype::f32, {2, 3}}, {Dtype::f32, {2, 3}}};
  CHECK(rule_of("aten._softmax.default", halves, {dim, on}) == "f32 2 3");
  CHECK(rule_of("aten._log_softmax.default", halves, {dim, on}) == "f32 2 3");
  CHECK(rule_of("aten._softmax.default", halves, {dim, Arg::of_bool(false)}) == "f16 2 3");
  CHECK(rule_of("aten._softmax_backward_data.default", floats, {dim, half}) == "f16 2 3");
  CHECK(rule_of("aten._log_softmax_backward_data.default", floats, {dim, half}) == "f16 2 3");
  CHECK(rule_of("aten.native_dropout.default", halves, {Arg::of_real(0.5), on}) == "f16 2 3, bool 2 3");
  CHECK(rule_of("aten.bernoulli.default", halves, {}) == "f16 2 3");
  const Tensors mixed{{Dtype::f32, {2, 3}}, {Dtype::f64, {2, 3}}};
  const Arg none = whole_number(0);
  CHECK(rule_of("aten.huber_loss.default", mixed, {none}) == "f32 2 3");  // attacks 18 and 21
  CHECK(rule_of("aten.soft_margin_loss.default", mixed, {none}) == "f32 2 3");
  CHECK(rule_of("aten.mse_loss.default", mixed, {none}) == "f64 2 3");
  CHECK(rule_of("aten.float_power.Tensor_Tensor", floats, {}) == "f64 2 3");  // attack 20
  const Tensors wide{{Dtype::f32, {1}}, {Dtype::f32, {4}}};
  CHECK(rule_of("aten.hardshrink_backward.default", wide, {Arg::of_real(0.5)}) == "f32 4");
  CHECK(rule_of("aten.softshrink_backward.default", wide, {Arg::of_real(0.5)}) == "f32 4");
  CHECK(rule_of("aten.log_sigmoid_backward.default",
                {{Dtype::f32, {1}}, {Dtype::f32, {4}}, {Dtype::f32, {0}}}, {}) == "f32 4");
  const Arg sizes = Arg::of(std::vector<Arg>{whole_number(3), whole_number(4)});
  for (const char* op :
       {"_c10d_functional.all_to_all_single.default", "c10d_functional.all_to_all_single.default"})
    CHECK(rule_of(op, {{Dtype::f32, {2, 5}}}, {sizes, sizes}) == "f32 7 5");
  const Tensors of_mask{{Dtype::i32, {4}}, {Dtype::boolean, {4}}, {Dtype::i64, {}}};
  CHECK(rule_of("aten.masked_fill.Tensor", of_mask, {}) == "i32 4");
  CHECK(rule_of("aten.where.self", {{Dtype::boolean, {4}}, {Dtype::f32, {4}}, {Dtype::f32, {}}}, {}) ==
        "f32 4");
}

TEST_CASE("lazy views are refused of complex numbers, and are the argument of others") {
  for (const char* op : {"aten.conj", "aten._conj", "aten.resolve_conj", "prims.conj"}) {
    INFO(op);
    Space space;
    Sizes sizes(space);
    const auto view = [&](Dtype dtype) {
      return find_row(op)->view(sizes, Viewed{{space.constant(3)}, std::nullopt, dtype},
                                {Arg::of(ValueId(0U))});
    };
    CHECK_FALSE(view(Dtype::c64));
    REQUIRE(view(Dtype::f32));
    CHECK(view(Dtype::f32)->front().maps.empty());
  }
}

}  // namespace rows_test
