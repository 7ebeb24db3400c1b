// One line of a trace each: what it is in ATen, with its arguments, and what nobody models.
#include <string>

#include "tests/unit/formats/arg_text.h"
#include "tests/unit/lower/thunder_program.h"

namespace thunder_lines_test {

using namespace noclobber;
using namespace noclobber::thunder_program;

namespace {

struct Line {
  const char *type, *call,
      *said;  // F: f32[2, 3], I: i64[2, 3], B: b8[2, 3], V: f32[2]; "": a whole statement
};

std::string text_of(const Graph& graph, const Step& step) {
  std::string out = step.op + "(";
  for (const Arg& arg : step.args) out += text_of(graph, arg) + " ";
  for (const auto& [key, arg] : step.kwargs) out += key + "=" + text_of(graph, arg) + " ";
  out += ")";
  for (const ValueId id : step.results)
    if (const auto& type = graph.value(id).type) {
      out += ":" + std::string(name(type->dtype));
      for (const SymExpr& size : type->shape) out += " " + size.text();
    }
  return out;
}

std::string said_of(const Line& line) {
  std::string type = line.type;
  if (type == "F") type = "cpu f32[2, 3]";
  if (type == "I") type = "cpu i64[2, 3]";
  if (type == "B") type = "cpu b8[2, 3]";
  if (type == "V") type = "cpu f32[2]";
  const std::string call = line.call;
  const std::string statement = type.empty() ? call : "t1 = " + call + "  # t1: \"" + type + "\"";
  const auto checks = read_thunder(
      {"t", trace("a, b, c, i",
                  "  # a: \"cpu f32[2, 3]\"\n  # b: \"cpu f32[2, 3]\"\n  # c: \"cpu i64[2, 3]\"\n"
                  "  # i: \"cpu i64[2]\"\n  " +
                      statement + "\n  return a\n")},
      "");
  if (!checks.at(0).value) return checks[0].value.fault().message;
  std::string out;
  for (const Step& step : checks[0].value->after.steps)
    out += (out.empty() ? "" : " ") + text_of(checks[0].value->after, step);
  for (const OpDecl& one : checks[0].value->ops) out += " {" + one.schema + (one.pure ? "}" : " impure}");
  return out;
}

// table
constexpr Line kPointwise[] = {
    {"F", "prims.add(a, b)", "aten.add.Tensor(a b ):f32 2 3"},
    {"F", "prims.add(a, 2.0)", "aten.add.Scalar(a 2.00 ):f32 2 3"},
    {"F", "prims.add(2.0, a)", "aten.add.Scalar(a 2.00 ):f32 2 3"},
    {"F", "prims.sub(a, b)", "aten.sub.Tensor(a b ):f32 2 3"},
    {"F", "prims.sub(a, 2.0)", "aten.sub.Scalar(a 2.00 ):f32 2 3"},
    {"F", "prims.sub(2.0, a)", "aten.rsub.Scalar(a 2.00 ):f32 2 3"},
    {"F", "prims.mul(a, b)", "aten.mul.Tensor(a b ):f32 2 3"},
    {"F", "prims.mul(a, 2.0)", "aten.mul.Scalar(a 2.00 ):f32 2 3"},
    {"F", "prims.mul(2.0, a)", "aten.mul.Scalar(a 2.00 ):f32 2 3"},
    {"F", "prims.div(a, b)", "aten.div.Tensor(a b ):f32 2 3"},
    {"F", "prims.div(a, 2.0)", "aten.div.Scalar(a 2.00 ):f32 2 3"},
    {"F", "prims.div(2.0, a)",
     "thunder.div_at.default(2.00 a ):f32 2 3 {thunder::div_at(Any a0, Tensor a1) -> Tensor}"},
    {"B", "prims.eq(a, b)", "aten.eq.Tensor(a b ):bool 2 3"},
    {"B", "prims.eq(a, 2.0)", "aten.eq.Scalar(a 2.00 ):bool 2 3"},
    {"B", "prims.eq(2.0, a)", "aten.eq.Scalar(a 2.00 ):bool 2 3"},
    {"B", "prims.ne(a, b)", "aten.ne.Tensor(a b ):bool 2 3"},
    {"B", "prims.ne(a, 2.0)", "aten.ne.Scalar(a 2.00 ):bool 2 3"},
    {"B", "prims.ne(2.0, a)", "aten.ne.Scalar(a 2.00 ):bool 2 3"},
    {"B", "prims.lt(a, b)", "aten.lt.Tensor(a b ):bool 2 3"},
    {"B", "prims.lt(a, 2.0)", "aten.lt.Scalar(a 2.00 ):bool 2 3"},
    {"B", "prims.lt(2.0, a)", "aten.gt.Scalar(a 2.00 ):bool 2 3"},
    {"B", "prims.le(a, b)", "aten.le.Tensor(a b ):bool 2 3"},
    {"B", "prims.le(a, 2.0)", "aten.le.Scalar(a 2.00 ):bool 2 3"},
    {"B", "prims.le(2.0, a)", "aten.ge.Scalar(a 2.00 ):bool 2 3"},
    {"B", "prims.gt(a, b)", "aten.gt.Tensor(a b ):bool 2 3"},
    {"B", "prims.gt(a, 2.0)", "aten.gt.Scalar(a 2.00 ):bool 2 3"},
    {"B", "prims.gt(2.0, a)", "aten.lt.Scalar(a 2.00 ):bool 2 3"},
    {"B", "prims.ge(a, b)", "aten.ge.Tensor(a b ):bool 2 3"},
    {"B", "prims.ge(a, 2.0)", "aten.ge.Scalar(a 2.00 ):bool 2 3"},
    {"B", "prims.ge(2.0, a)", "aten.le.Scalar(a 2.00 ):bool 2 3"},
    {"F", "prims.pow(a, b)", "aten.pow.Tensor_Tensor(a b ):f32 2 3"},
    {"F", "prims.pow(a, 2.0)", "aten.pow.Tensor_Scalar(a 2.00 ):f32 2 3"},
    {"F", "prims.pow(2.0, a)", "aten.pow.Scalar(2.00 a ):f32 2 3"},
    {"F", "prims.remainder(a, b)", "aten.remainder.Tensor(a b ):f32 2 3"},
    {"F", "prims.remainder(a, 2.0)", "aten.remainder.Scalar(a 2.00 ):f32 2 3"},
    {"F", "prims.remainder(2.0, a)",
     "thunder.remainder_at.default(2.00 a ):f32 2 3 {thunder::remainder_at(Any a0, Tensor a1) -> Tensor}"},
    {"F", "prims.atan2(a, b)", "aten.atan2.default(a b ):f32 2 3"},
    {"F", "prims.atan2(a, 2.0)",
     "thunder.atan2_ta.default(a 2.00 ):f32 2 3 {thunder::atan2_ta(Tensor a0, Any a1) -> Tensor}"},
    {"F", "prims.atan2(2.0, a)",
     "thunder.atan2_at.default(2.00 a ):f32 2 3 {thunder::atan2_at(Any a0, Tensor a1) -> Tensor}"},
    {"F", "prims.maximum(a, b)", "aten.maximum.default(a b ):f32 2 3"},
    {"F", "prims.maximum(a, 2.0)",
     "thunder.maximum_ta.default(a 2.00 ):f32 2 3 {thunder::maximum_ta(Tensor a0, Any a1) -> Tensor}"},
    {"F", "prims.maximum(2.0, a)",
     "thunder.maximum_at.default(2.00 a ):f32 2 3 {thunder::maximum_at(Any a0, Tensor a1) -> Tensor}"},
    {"I", "prims.div(c, c)",
     "thunder.div_tt.default(c c ):i64 2 3 {thunder::div_tt(Tensor a0, Tensor a1) -> Tensor}"},
    {"F", "prims.add(a, (1.0, 2.0))",
     "thunder.add_ta.default(a [1.00 2.00 ] ):f32 2 3 {thunder::add_ta(Tensor a0, Any a1) -> Tensor}"},
    {"F", "prims.add(a)", "thunder.prims.add(a ):f32 2 3"},
    {"F", "prims.add(a, b, alpha=2)", "thunder.prims.add(a b 2 ):f32 2 3"},
    {"F", "prims.where(c, a, b)", "aten.where.self(c a b ):f32 2 3"},
    {"F", "prims.where(c, a, 0.0)", "aten.where.ScalarOther(c a 0.00 ):f32 2 3"},
    {"F", "prims.where(c, 0.0, b)", "aten.where.ScalarSelf(c 0.00 b ):f32 2 3"},
    {"F", "prims.where(c, 0.0, 1.0)",
     "thunder.where_taa.default(c 0.00 1.00 ):f32 2 3 {thunder::where_taa(Tensor a0, Any a1, Any a2) -> "
     "Tensor}"},
    {"F", "prims.where(c, a)", "thunder.prims.where(c a ):f32 2 3"},
    {"F", "prims.where(True, a, b)", "thunder.prims.where(True a b ):f32 2 3"},
    {"F", "prims.where(c, (1.0, 2.0), b)",
     "thunder.where_tat.default(c [1.00 2.00 ] b ):f32 2 3 {thunder::where_tat(Tensor a0, Any a1, Tensor a2) "
     "-> Tensor}"},
    {"I", "prims.convert_element_type(a, dtypes.int64)", "aten.to.dtype(a dtype:i64 ):i64 2 3"},
    {"F", "prims.convert_element_type(2.0, dtypes.int64)",
     "thunder.prims.convert_element_type(2.00 dtype:i64 ):f32 2 3"},
    {"F", "prims.convert_element_type(a, 3)", "thunder.prims.convert_element_type(a 3 ):f32 2 3"},
    {"F", "prims.convert_element_type(a)", "thunder.prims.convert_element_type(a ):f32 2 3"},
};

// table
constexpr Line kOthers[] = {
    {"F", "prims.stride_order(a)", "aten.contiguous.default(a ):f32 2 3"},
    {"F", "prims.stride_order(a, (1, 0))", "aten.contiguous.default(a ):f32 2 3"},
    {"F", "prims.stride_order(a, (0, 1))", "thunder.prims.stride_order(a [0 1 ] ):f32 2 3"},
    {"F", "prims.stride_order(2.0)", "thunder.prims.stride_order(2.00 ):f32 2 3"},
    {"F", R"l(prims.device_put(a, devices.Device("cpu")))l", "aten.alias.default(a ):f32 2 3"},
    {"cuda:0 f32[2, 3]", R"l(prims.device_put(a, devices.Device("cuda:0")))l",
     "thunder.device_put_ta.default(a device:cuda:0 ):f32 2 3 {thunder::device_put_ta(Tensor a0, Any a1) -> "
     "Tensor}"},
    {"F", "prims.device_put(a)", "thunder.prims.device_put(a ):f32 2 3"},
    {"V", "prims.sum(a, (1,))", "aten.sum.dim_IntList(a [1 ] ):f32 2"},
    {"cpu i64[2]", "prims.sum(c, (1,))", "aten.sum.dim_IntList(c [1 ] ):i64 2"},
    {"V", "prims.sum(c, (1,))", "thunder.prims.sum(c [1 ] ):f32 2"},
    {"V", "prims.amax(a, (1,))", "aten.amax.default(a [1 ] ):f32 2"},
    {"cpu i64[2]", "prims.amax(c, (1,))",
     "thunder.amax_ta.default(c [1 ] ):i64 2 {thunder::amax_ta(Tensor a0, Any a1) -> Tensor}"},
    {"V", "prims.sum(a)", "thunder.prims.sum(a ):f32 2"},
    {"V", "prims.sum(a, b)", "thunder.prims.sum(a b ):f32 2"},
    {"V", "prims.var(a, (1,), correction=0)", "aten.var.correction(a [1 ] correction=0 ):f32 2"},
    {"V", "prims.var(a, (1,), correction=1.0)", "aten.var.correction(a [1 ] correction=1.00 ):f32 2"},
    {"V", "prims.var(a, (1,))", "thunder.prims.var(a [1 ] ):f32 2"},
    {"V", "prims.var(a, (1,), correction=f)", "'f' is not bound"},
    {"cpu f32[2, 2]", "prims.as_strided(a, (2, 2), (3, 1), 0)",
     "aten.as_strided.default(a [2 2 ] [3 1 ] 0 ):f32 2 2"},
    {"cpu f32[2, 2, 2]", "prims.unfold(a, 1, 2, 1)", "aten.unfold.default(a 1 2 1 ):f32 2 2 2"},
    {"cpu f32[2, 2, 2]", "prims.unfold(a, 1, 2, step=1)", "thunder.prims.unfold(a 1 2 1 ):f32 2 2 2"},
    {"F", "prims.real(a)", "aten.real.default(a ):f32 2 3"},
    {"F", R"l(prims.full((2, 3), 1.0, device=devices.Device("cpu"), dtype=dtypes.float32))l",
     "aten.full.default([2 3 ] 1.00 device=device:cpu dtype=dtype:f32 ):f32 2 3"},
    {"cpu c64[2]", R"l(prims.full((2,), (1.0, 2.0), device=devices.Device("cpu"), dtype=dtypes.complex64))l",
     "thunder.full_aaaa.default([2 ] [1.00 2.00 ] device:cpu dtype:c64 ):c64 2 {thunder::full_aaaa(Any a0, "
     "Any "
     "a1, Any kw_device, Any kw_dtype) -> Tensor}"},
    {"cpu i64[4]", R"l(prims.iota(4, start=0, step=1, device=devices.Device("cpu"), dtype=dtypes.int64))l",
     "prims.iota.default(4 start=0 step=1 device=device:cpu dtype=dtype:i64 requires_grad=False ):i64 4"},
    {"F", "prims.gather(a, c, 1)", "aten.gather.default(a 1 c ):f32 2 3"},
    {"F", "prims.gather(a, c, dim=1)", "aten.gather.default(a 1 c ):f32 2 3"},
    {"F", "prims.gather(a, c)", "thunder.prims.gather(a c ):f32 2 3"},
    {"F", "prims.scatter(a, c, b, 1)", "aten.scatter.src(a 1 c b ):f32 2 3"},
    {"F", "prims.scatter(a, c, 2.0, dim=1)", "aten.scatter.value(a 1 c 2.00 ):f32 2 3"},
    {"F", "prims.scatter_add(a, c, b, dim=1)", "aten.scatter_add.default(a 1 c b ):f32 2 3"},
    {"F", "prims.scatter_add(a, c, 2.0, 1)",
     "thunder.scatter_add_ttaa.default(a c 2.00 1 ):f32 2 3 {thunder::scatter_add_ttaa(Tensor a0, Tensor a1, "
     "Any a2, Any a3) -> Tensor}"},
    {"F", "prims.index_add(a, i, b, 0)", "aten.index_add.default(a 0 i b ):f32 2 3"},
    {"F", "prims.take(a, i, 0)", "aten.index_select.default(a 0 i ):f32 2 3"},
    {"F", "prims.gather(a, c, axis=1)", "thunder.prims.gather(a c 1 ):f32 2 3"},
    {"F", "prims.gather(a, c, b)", "thunder.prims.gather(a c b ):f32 2 3"},
    {"cpu f32[3, 2]", "prims.transpose(a, (1, 0))", "aten.permute.default(a [1 0 ] ):f32 3 2"},
    {"F", "prims.topk(a, 1, 1, True, True)", "aten.topk.default(a 1 1 True True ):f32 2 3"},
    {"F", "prims.flip(a, (0,))", "aten.flip.default(a [0 ] ):f32 2 3"},
    {"F", "prims.cat([a, b], 0)", "aten.cat.default([a b ] 0 ):f32 2 3"},
    {"F", "prims.clone(a, memory_format=None)", "aten.clone.default(a ):f32 2 3"},
    {"F", "prims.clone(a, memory_format=True)", "aten.clone.default(a memory_format=True ):f32 2 3"},
    {"F", "prims.linear(a, b, bias=None)", "aten.linear.default(a b ):f32 2 3"},
    {"F", "prims.linear(a, b, bias=i)", "aten.linear.default(a b bias=i ):f32 2 3"},
    {"F", "prims.shallow_copy(a)", "aten.alias.default(a ):f32 2 3"},
    {"F", "prims.shallow_copy(2.0)", "thunder.prims.shallow_copy(2.00 ):f32 2 3"},
    {"F", "prims.bookend(a, b)", "thunder.prims.bookend(a b ):f32 2 3"},
    {"F", "prims.lerp(a, b, 0.5)",
     "thunder.lerp_tta.default(a b 0.50 ):f32 2 3 {thunder::lerp_tta(Tensor a0, Tensor a1, Any a2) -> "
     "Tensor}"},
    {"F", "prims.lerp(a, [b, i])",
     "thunder.lerp_tl.default(a [b i ] ):f32 2 3 {thunder::lerp_tl(Tensor a0, Tensor[] a1) -> Tensor}"},
    {"F", "prims.lerp(a, (slice(None, None, None), (i, b)))",
     "thunder.lerp_tatt.default(a [['slice' None None None ] ['tensor' 'tensor' ] ] i b ):f32 2 3 "
     "{thunder::lerp_tatt(Tensor a0, Any a1, Tensor a1_0, Tensor a1_1) -> Tensor}"},
    {"F", "prims.lerp(a, w=b)",
     "thunder.lerp_tt.default(a b ):f32 2 3 {thunder::lerp_tt(Tensor a0, Tensor kw_w) -> Tensor}"},
    {"F", "prims.lerp(a, 2.0, w=None)",
     "thunder.lerp_taa.default(a 2.00 None ):f32 2 3 {thunder::lerp_taa(Tensor a0, Any a1, Any kw_w) -> "
     "Tensor}"},
    {"F", "prims.randn((2, 3))", "aten.randn.default([2 3 ] ):f32 2 3"},
    {"F", "prims.randint(0, 2, (2, 3))", "aten.randint.low(0 2 [2 3 ] ):f32 2 3"},
    {"F", "prims.empty((2, 3))", "aten.empty.memory_format([2 3 ] ):f32 2 3"},
    {"B", "prims.isfinite(a)", "aten.isfinite.default(a ):bool 2 3"},
    {"F", "prims.nextafter(a, b)", "aten.nextafter.default(a b ):f32 2 3"},
    {"I", "prims.argmax(a, 1)", "aten.argmax.default(a 1 ):i64 2 3"},
    {"I", "prims.argmin(a, None)", "aten.argmin.default(a None ):i64 2 3"},
    {"V", "prims.std(a, (1,), correction=0)", "aten.std.correction(a [1 ] correction=0 ):f32 2"},
    {"F", "torch.add(1.0, a)", "aten.add.Scalar(a 1.00 ):f32 2 3"},
    {"F", "torch.sub(1.0, a)", "aten.rsub.Scalar(a 1.00 ):f32 2 3"},
    {"B", "ltorch.all_tensor(a, None, False, out=None)", "aten.all.dims(a None False ):bool 2 3"},
    {"", "_ = ltorch.is_cuda(a)", ""},
    {"", "_ = ltorch.torch_type(a, None, False)", ""},
    {"", "(m, e) = prims.frexp(a)",
     "thunder.frexp_t2.default(a ):f32 2 3:i32 2 3 {thunder::frexp_t2(Tensor a0) -> (Tensor, Tensor)}"},
    {"F", "prims.multinomial(a, 2)",
     "thunder.multinomial_ta.default(a 2 ):f32 2 3 {thunder::multinomial_ta(Tensor a0, Any a1) -> Tensor "
     "impure}"},
    {"", "prims.sink(a)", ""},
    {"", "prims.clear_mutable_collection(a)", ""},
    {"", "prims.copy_(a, b)", "aten.copy_.default(b a )"},
    {"F", "prims.copy_(a, b)", "aten.copy_.default(b a ):f32 2 3"},
    {"", "(i0, i1) = prims.shape(a)", ""},
    {"", "(t7, t8) = prims.update_aliases((a, b))",
     "aten.alias.default(a ):f32 2 3 aten.alias.default(b ):f32 2 3"},
    {"", "(t7, t8) = prims.update_aliases(a)", "thunder.prims.update_aliases(a )"},
    {"", "(t7, t8) = prims.update_aliases((a,))", "thunder.prims.update_aliases([a ] )"},
    {"", "t7 = get_grad(a)", "thunder.get_grad_t.default(a ) {thunder::get_grad_t(Tensor a0) -> Tensor}"},
    {"", "(t7, t8) = torch.sort(a)",
     "aten.sort.stable(a dim=-1 descending=False stable=False ):f32 2 3:i64 2 3"},
    {"", "(t7, t8) = torch.sort(a, 0, True, stable=True)",
     "aten.sort.stable(a dim=0 descending=True stable=True ):f32 2 3:i64 2 3"},
};

// table
constexpr Line kTorch[] = {
    {"F", "torch.nn.functional.relu(a, False)", "aten.relu.default(a ):f32 2 3"},
    {"F", "torch.nn.functional.relu(a, True)", "aten.relu_.default(a ):f32 2 3"},
    {"F", "torch.nn.functional.relu(a, inplace=True)", "aten.relu_.default(a ):f32 2 3"},
    {"F", "torch.nn.functional.relu(a, inplace=False)", "aten.relu.default(a ):f32 2 3"},
    {"F", "torch.nn.functional.relu(a)", "aten.relu.default(a ):f32 2 3"},
    {"F", "torch.nn.functional.leaky_relu(a, 0.1, True)", "aten.leaky_relu_.default(a 0.10 ):f32 2 3"},
    {"F", "torch.nn.functional.leaky_relu(a, 0.1, inplace=True)",
     "aten.leaky_relu_.default(a 0.10 ):f32 2 3"},
    {"F", "torch.nn.functional.leaky_relu(a, 0.1)", "aten.leaky_relu.default(a 0.10 ):f32 2 3"},
    {"cpu f32[3, 2]", "torch.moveaxis(a, 0, 1)", "aten.permute.default(a [1 0 ] ):f32 3 2"},
    {"cpu f32[3, 2]", "torch.moveaxis(a, (0, 1), (1, 0))", "aten.permute.default(a [1 0 ] ):f32 3 2"},
    {"cpu f32[3, 2]", "torch.movedim(a, -1, 0)", "aten.permute.default(a [1 0 ] ):f32 3 2"},
    {"cpu f32[3, 2]", "torch.moveaxis(a, 0, 2)", "aten.moveaxis.int(a 0 2 ):f32 3 2"},
    {"cpu f32[3, 2]", "torch.moveaxis(a, -3, 0)", "aten.moveaxis.int(a -3 0 ):f32 3 2"},
    {"cpu f32[3, 2]", "torch.moveaxis(a, 2, 0)", "aten.moveaxis.int(a 2 0 ):f32 3 2"},
    {"cpu f32[3, 2]", "torch.moveaxis(a, 0, -3)", "aten.moveaxis.int(a 0 -3 ):f32 3 2"},
    {"cpu f32[3, 2]", "torch.moveaxis(a, (0, 0), (1, 0))", "aten.moveaxis.intlist(a [0 0 ] [1 0 ] ):f32 3 2"},
    {"cpu f32[3, 2]", "torch.moveaxis(a, (0, 1), (1, 1))", "aten.moveaxis.intlist(a [0 1 ] [1 1 ] ):f32 3 2"},
    {"cpu f32[3, 2]", "torch.moveaxis(a, (0, 1), 1)", "aten.moveaxis.intlist(a [0 1 ] [1 ] ):f32 3 2"},
    {"cpu f32[3, 2]", "torch.moveaxis(a, 0)", "thunder.torch.moveaxis(a 0 ):f32 3 2"},
    {"cpu f32[3, 2]", "torch.moveaxis(2.0, 0, 1)", "thunder.torch.moveaxis(2.00 0 1 ):f32 3 2"},
    {"cpu f32[3, 2]", "torch.moveaxis(a, a, 1)", "thunder.torch.moveaxis(a a 1 ):f32 3 2"},
    {"cpu f32[6]", "torch.ravel(a)", "aten.reshape.default(a [-1 ] ):f32 6"},
    {"cpu f32[6]", "torch.ravel(a, 2)", "thunder.torch.ravel(a 2 ):f32 6"},
    {"cpu f32[6]", "torch.ravel(2.0)", "thunder.torch.ravel(2.00 ):f32 6"},
    {"I", "torch.argsort(a)", "aten.argsort.stable(a dim=-1 descending=False stable=False ):i64 2 3"},
    {"I", "torch.argsort(a, 0, True)", "aten.argsort.stable(a dim=0 descending=True stable=False ):i64 2 3"},
    {"I", "torch.argsort(a, dim=0, stable=True)",
     "aten.argsort.stable(a dim=0 descending=False stable=True ):i64 2 3"},
    {"I", "torch.argsort()", "thunder.torch.argsort():i64 2 3"},
    {"", "torch.add_(a, b)", "aten.add_.Tensor(a b )"},
    {"F", "torch.instance_norm(a, i, i, None, None, True)",
     "thunder.instance_norm_twwaaa.default(a i i None None True ):f32 2 3 "
     "{thunder::instance_norm_twwaaa(Tensor a0, Tensor(a1!) a1, Tensor(a2!) a2, Any a3, Any a4, Any a5) -> "
     "Tensor}"},
    {"F", "torch.instance_norm(a, i)", "thunder.torch.instance_norm(a i ):f32 2 3"},
};

// table
constexpr Line kKeys[] = {
    {"F", "prims.copy_with_setitem(a, (..., 0), 7.0)",
     "aten.clone.default(a ):f32 2 3 aten.select.int(t1__part 1 0 ) aten.fill_.Scalar(t1__part__1 7.00 ) "
     "aten.alias.default(t1__part ):f32 2 3"},
    {"F", "prims.copy_with_setitem(a, (0, ...), 7.0)",
     "aten.clone.default(a ):f32 2 3 aten.select.int(t1__part 0 0 ) aten.fill_.Scalar(t1__part__1 7.00 ) "
     "aten.alias.default(t1__part ):f32 2 3"},
    {"F", "prims.copy_with_setitem(a, (..., slice(None,2,None)), 7.0)",
     "aten.clone.default(a ):f32 2 3 aten.slice.Tensor(t1__part 1 None 2 1 ) aten.fill_.Scalar(t1__part__1 "
     "7.00 ) aten.alias.default(t1__part ):f32 2 3"},
    {"F", "prims.copy_with_setitem(a, (slice(1,None,None), 0), 7.0)",
     "aten.clone.default(a ):f32 2 3 aten.slice.Tensor(t1__part 0 1 None 1 ) aten.select.int(t1__part__1 1 0 "
     ") aten.fill_.Scalar(t1__part__2 7.00 ) aten.alias.default(t1__part ):f32 2 3"},
    {"F", "prims.copy_with_setitem(a, (slice(0,None,2), ...), 7.0)",
     "aten.clone.default(a ):f32 2 3 aten.slice.Tensor(t1__part 0 0 None 2 ) aten.fill_.Scalar(t1__part__1 "
     "7.00 ) aten.alias.default(t1__part ):f32 2 3"},
    {"F", "prims.copy_with_setitem(a, ..., 7.0)",
     "aten.clone.default(a ):f32 2 3 aten.fill_.Scalar(t1__part 7.00 ) aten.alias.default(t1__part ):f32 2 "
     "3"},
    {"F", "prims.copy_with_setitem(a, [0, 1], 7.0)",
     "aten.clone.default(a ):f32 2 3 aten.select.int(t1__part 0 0 ) aten.fill_.Scalar(t1__part__1 7.00 ) "
     "aten.select.int(t1__part 0 1 ) aten.fill_.Scalar(t1__part__3 7.00 ) aten.alias.default(t1__part ):f32 "
     "2 3"},
    {"F", "prims.copy_with_setitem(a, ([0, 1], 0), 7.0)",
     "aten.clone.default(a ):f32 2 3 aten.select.int(t1__part 0 0 ) aten.select.int(t1__part__1 0 0 ) "
     "aten.fill_.Scalar(t1__part__2 7.00 ) aten.select.int(t1__part 0 1 ) aten.select.int(t1__part__4 0 0 ) "
     "aten.fill_.Scalar(t1__part__5 7.00 ) aten.alias.default(t1__part ):f32 2 3"},
    {"F", "prims.copy_with_setitem(a, (0, [0, 2]), 7.0)",
     "aten.clone.default(a ):f32 2 3 aten.select.int(t1__part 0 0 ) aten.select.int(t1__part__1 0 0 ) "
     "aten.fill_.Scalar(t1__part__2 7.00 ) aten.select.int(t1__part 0 0 ) aten.select.int(t1__part__4 0 2 ) "
     "aten.fill_.Scalar(t1__part__5 7.00 ) aten.alias.default(t1__part ):f32 2 3"},
    {"F", "prims.copy_with_setitem(a, [0, 0], 7.0)",
     "aten.clone.default(a ):f32 2 3 aten.select.int(t1__part 0 0 ) aten.fill_.Scalar(t1__part__1 7.00 ) "
     "aten.select.int(t1__part 0 0 ) aten.fill_.Scalar(t1__part__3 7.00 ) aten.alias.default(t1__part ):f32 "
     "2 3"},
    {"F", "prims.copy_with_setitem(a, (..., ..., 0), 7.0)",
     "thunder.prims.copy_with_setitem(a ['...' '...' 0 ] 7.00 ):f32 2 3"},
    {"F", "prims.copy_with_setitem(a, (0, 0, 0), 7.0)",
     "thunder.prims.copy_with_setitem(a [0 0 0 ] 7.00 ):f32 2 3"},
    {"F", "prims.copy_with_setitem(a, (i, 0), 7.0)",
     "aten.clone.default(a ):f32 2 3 aten.slice.Tensor(t1__part 0 None None 1 ) aten.select.int(t1__part__1 "
     "1 0 ) aten.scalar_tensor.default(7.00 dtype=dtype:f32 ):f32 aten.index_put_.default(t1__part__2 [i ] "
     "t1__part__3 ) aten.alias.default(t1__part ):f32 2 3"},
    {"F", "prims.copy_with_setitem(a, (0, i), 7.0)",
     "aten.clone.default(a ):f32 2 3 aten.select.int(t1__part 0 0 ) aten.slice.Tensor(t1__part__1 0 None "
     "None 1 ) aten.scalar_tensor.default(7.00 dtype=dtype:f32 ):f32 aten.index_put_.default(t1__part__2 [i "
     "] t1__part__3 ) aten.alias.default(t1__part ):f32 2 3"},
    {"F", "prims.copy_with_setitem(a, (i, slice(None,2,None)), 7.0)",
     "aten.clone.default(a ):f32 2 3 aten.slice.Tensor(t1__part 0 None None 1 ) "
     "aten.slice.Tensor(t1__part__1 1 None 2 1 ) aten.scalar_tensor.default(7.00 dtype=dtype:f32 ):f32 "
     "aten.index_put_.default(t1__part__2 [i None ] t1__part__3 ) aten.alias.default(t1__part ):f32 2 3"},
    {"F", "prims.copy_with_setitem(a, (slice(None,1,None), i), 7.0)",
     "aten.clone.default(a ):f32 2 3 aten.slice.Tensor(t1__part 0 None 1 1 ) aten.slice.Tensor(t1__part__1 1 "
     "None None 1 ) aten.scalar_tensor.default(7.00 dtype=dtype:f32 ):f32 "
     "aten.index_put_.default(t1__part__2 [None i ] t1__part__3 ) aten.alias.default(t1__part ):f32 2 3"},
    {"F", "prims.copy_with_setitem(a, (..., i), 7.0)",
     "aten.clone.default(a ):f32 2 3 aten.slice.Tensor(t1__part 0 None None 1 ) "
     "aten.slice.Tensor(t1__part__1 1 None None 1 ) aten.scalar_tensor.default(7.00 dtype=dtype:f32 ):f32 "
     "aten.index_put_.default(t1__part__2 [None i ] t1__part__3 ) aten.alias.default(t1__part ):f32 2 3"},
    {"F", "prims.copy_with_setitem(a, (i, ...), 7.0)",
     "aten.clone.default(a ):f32 2 3 aten.slice.Tensor(t1__part 0 None None 1 ) "
     "aten.slice.Tensor(t1__part__1 1 None None 1 ) aten.scalar_tensor.default(7.00 dtype=dtype:f32 ):f32 "
     "aten.index_put_.default(t1__part__2 [i None ] t1__part__3 ) aten.alias.default(t1__part ):f32 2 3"},
    {"F", "prims.copy_with_setitem(a, i, 7.0)",
     "aten.clone.default(a ):f32 2 3 aten.scalar_tensor.default(7.00 dtype=dtype:f32 ):f32 "
     "aten.index_put_.default(t1__part [i ] t1__part__1 ) aten.alias.default(t1__part ):f32 2 3"},
    {"F", "prims.copy_with_setitem(a, (0, ...), b)",
     "aten.clone.default(a ):f32 2 3 aten.select.int(t1__part 0 0 ) aten.copy_.default(t1__part__1 b ) "
     "aten.alias.default(t1__part ):f32 2 3"},
    {"F", "prims.copy_with_setitem(a, [0, 1], b)",
     "aten.clone.default(a ):f32 2 3 aten.select.int(t1__part 0 0 ) aten.select.int(b 0 0 ) "
     "aten.copy_.default(t1__part__1 t1__part__2 ) aten.select.int(t1__part 0 1 ) aten.select.int(b 0 1 ) "
     "aten.copy_.default(t1__part__4 t1__part__5 ) aten.alias.default(t1__part ):f32 2 3"},
    {"F", "prims.copy_with_setitem(a, (i, 0), b)",
     "aten.clone.default(a ):f32 2 3 aten.slice.Tensor(t1__part 0 None None 1 ) aten.select.int(t1__part__1 "
     "1 0 ) aten.index_put_.default(t1__part__2 [i ] b ) aten.alias.default(t1__part ):f32 2 3"},
    {"", "prims.setitem(a, (..., 0), 7.0)", "aten.select.int(a 1 0 ) aten.fill_.Scalar(setitem__part 7.00 )"},
    {"F", "prims.setitem(a, (0, ...), 7.0)",
     "aten.select.int(a 0 0 ) aten.fill_.Scalar(t1__part 7.00 ) aten.alias.default(a ):f32 2 3"},
    {"", "prims.setitem(a, [0, 1], 7.0)",
     "aten.select.int(a 0 0 ) aten.fill_.Scalar(setitem__part 7.00 ) aten.select.int(a 0 1 ) "
     "aten.fill_.Scalar(setitem__part__2 7.00 )"},
    {"cpu f32[6]", "prims.reshape(a, (6,))", "aten.reshape.default(a [6 ] ):f32 6"},
    {"F", "prims.reshape(2.0, (6,))", "thunder.prims.reshape(2.00 [6 ] ):f32 2 3"},
    {"F", "prims.reshape(a)", "thunder.prims.reshape(a ):f32 2 3"},
    {"F", "prims.squeeze(a, (0,))", "aten.squeeze.dims(a [0 ] ):f32 2 3"},
    {"F", "prims.squeeze(2.0, (0,))", "thunder.prims.squeeze(2.00 [0 ] ):f32 2 3"},
    {"F", "prims.squeeze(a)", "thunder.prims.squeeze(a ):f32 2 3"},
    {"cpu f32[2, 5, 3]", "prims.broadcast_in_dim(a, (2, 5, 3), (0, 2))",
     "aten.unsqueeze.default(a 1 ) aten.expand.default(t1__part [2 5 3 ] ):f32 2 5 3"},
    {"F", "prims.broadcast_in_dim(a, (2, 3), (0, 2))",
     "thunder.prims.broadcast_in_dim(a [2 3 ] [0 2 ] ):f32 2 3"},
    {"F", "prims.broadcast_in_dim(a, (2, 3), (0, -1))",
     "thunder.prims.broadcast_in_dim(a [2 3 ] [0 -1 ] ):f32 2 3"},
    {"cpu f32[3, 2]", "prims.broadcast_in_dim(a, (3, 2), (1, 0))", "aten.expand.default(a [3 2 ] ):f32 3 2"},
    {"cpu f32[2, 3, 4]", "prims.broadcast_in_dim(a, (2, 3, 4), (1, 0))",
     "thunder.prims.broadcast_in_dim(a [2 3 4 ] [1 0 ] ):f32 2 3 4"},
    {"F", "prims.broadcast_in_dim(a, (2, 3))", "thunder.prims.broadcast_in_dim(a [2 3 ] ):f32 2 3"},
    {"V", "prims.tensor_from_sequence([1.0, 2.0], dtype=dtypes.float32)",
     "aten.scalar_tensor.default(1.00 dtype=dtype:f32 ):f32 aten.scalar_tensor.default(2.00 dtype=dtype:f32 "
     "):f32 aten.stack.default([t1__part t1__part__1 ] ):f32 2"},
    {"V", "prims.tensor_from_sequence([], dtype=dtypes.float32)",
     "thunder.tensor_from_sequence_aa.default([] dtype:f32 ):f32 2 {thunder::tensor_from_sequence_aa(Any a0, "
     "Any kw_dtype) -> Tensor}"},
    {"cpu f32[1, 2]", "prims.tensor_from_sequence([[1.0, 2.0]], dtype=dtypes.float32)",
     "thunder.tensor_from_sequence_aa.default([[1.00 2.00 ] ] dtype:f32 ):f32 1 2 "
     "{thunder::tensor_from_sequence_aa(Any a0, Any kw_dtype) -> Tensor}"},
};

}  // namespace

TEST_CASE("thunder lines: between tensors and numbers, which may stand on either side", "[thunder]") {
  for (const Line& line : kPointwise) {
    INFO(line.call);
    CHECK(said_of(line) == line.said);
  }
}

TEST_CASE("thunder lines: windows, sums, indices, factories and effects", "[thunder]") {
  for (const Line& line : kOthers) {
    INFO(line.call);
    CHECK(said_of(line) == line.said);
  }
}

TEST_CASE("thunder lines: PyTorch's own functions, with flags, defaults and dimensions from either end",
          "[thunder]") {
  for (const Line& line : kTorch) {
    INFO(line.call);
    CHECK(said_of(line) == line.said);
  }
}

TEST_CASE("thunder lines: writes by keys, and views of other ranks", "[thunder]") {
  for (const Line& line : kKeys) {
    INFO(line.call);
    CHECK(said_of(line) == line.said);
  }
}

}  // namespace thunder_lines_test
