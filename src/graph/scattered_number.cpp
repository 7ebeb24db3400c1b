#include "src/graph/scattered_number.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "src/graph/rewritten.h"

namespace noclobber {
namespace {

constexpr std::string_view kScatter = "aten.scatter.value";

bool scatters(const Graph& graph) {
  return std::ranges::any_of(graph.steps, [](const Step& step) { return step.op == kScatter; });
}

const Type* tensor_type(const Graph& graph, const Arg& arg) {
  const bool is_tensor = arg.kind == Arg::Kind::ref && arg.ref.valid();
  const SharedType* type = is_tensor ? &graph.value(arg.ref).type : nullptr;
  return type != nullptr && *type ? &**type : nullptr;
}

/// The fill value if the tensor is the result of `aten.full`, else nullptr.
const Arg* filled_with(const Graph& graph, const Arg& arg) {
  const Value& value = graph.value(arg.ref);
  if (value.from != Value::From::step) return nullptr;
  const Step& step = graph.steps[value.at];
  const bool is_filled = step.op == "aten.full.default" && step.args.size() == 2 &&
                         step.args[1].kind != Arg::Kind::ref && step.args[1].kind != Arg::Kind::list;
  return is_filled ? &step.args[1] : nullptr;
}

/// The dimension, if the step scatters one number along it and the index has the full extent of all others.
std::optional<std::size_t> scattered_along(const Graph& graph, const Step& step) {
  if (step.op != kScatter || step.args.size() != 4 || !step.kwargs.empty() || step.results.size() != 1)
    return std::nullopt;
  const Type *into = tensor_type(graph, step.args[0]), *index = tensor_type(graph, step.args[2]);
  const Arg &along = step.args[1], &number = step.args[3];
  if (into == nullptr || index == nullptr || !step.results[0].valid() || !graph.value(step.results[0]).type)
    return std::nullopt;
  if (along.kind != Arg::Kind::sym || !along.sym.is_constant() || number.kind == Arg::Kind::ref ||
      filled_with(graph, step.args[0]) == nullptr)
    return std::nullopt;
  const auto rank = static_cast<std::int64_t>(into->shape.size());
  const std::int64_t given = along.sym.constant(), d = given < 0 ? given + rank : given;
  const bool fits = d >= 0 && d < rank && index->shape.size() == into->shape.size() &&
                    index->dtype == Dtype::i64 && graph.value(step.results[0]).type->dtype == into->dtype;
  if (!fits) return std::nullopt;
  for (std::size_t k = 0; k < into->shape.size(); ++k) {
    const SymExpr want = k == static_cast<std::size_t>(d) ? SymExpr(1) : into->shape[k];
    if (!(index->shape[k] == want)) return std::nullopt;
  }
  return static_cast<std::size_t>(d);
}

std::vector<Arg> sizes_of(const std::vector<SymExpr>& shape) {
  std::vector<Arg> out;
  for (const SymExpr& size : shape) out.push_back(Arg::of(size));
  return out;
}

Type like_shape(const Type& type, Dtype dtype, std::vector<SymExpr> shape) {
  Type out;
  out.dtype = dtype;
  out.shape = std::move(shape);
  out.device = type.device;
  return out;
}

/// True if every dtype involved represents the number exactly. The narrowest has eight significant bits.
bool is_exact(const Arg& number) {
  if (number.kind == Arg::Kind::sym)
    return number.sym.is_constant() && std::abs(number.sym.constant()) <= 256;
  int exponent = 0;
  const double scaled = std::frexp(number.real, &exponent) * 256;
  return number.kind == Arg::Kind::real && scaled == std::floor(scaled) && std::abs(exponent) <= 8;
}

/// The dtype of the `where` on the two numbers: the default dtype of Python scalars, as in PyTorch, if
/// converting it to `into` changes neither number; else `into`.
Dtype through_dtype(const Arg& one, const Arg& other, Dtype into) {
  if (!is_floating(into) || !is_exact(one) || !is_exact(other)) return into;
  const bool whole = one.kind == Arg::Kind::sym && other.kind == Arg::Kind::sym;
  return whole ? Dtype::i64 : Dtype::f32;
}

/// Appends the call rewritten as a comparison; its result keeps its name.
void compare(GraphRewriter& graph, Step step, std::size_t d) {
  const Type into = *tensor_type(graph.graph(), step.args[0]);
  const Arg size = Arg::of(into.shape[d]), device = Arg::of_device(into.device);
  std::vector<SymExpr> row(into.shape.size(), SymExpr(1));
  row[d] = into.shape[d];
  const ValueId places =
      graph.add(step, "prims.iota.default", {size}, like_shape(into, Dtype::i64, {into.shape[d]}), "places");
  graph.last().kwargs = {{"start", Arg::of(SymExpr(0))},
                         {"step", Arg::of(SymExpr(1))},
                         {"dtype", Arg::of_dtype(Dtype::i64)},
                         {"device", device},
                         {"requires_grad", Arg::of_bool(false)}};
  const ValueId in_row = graph.add(step, "aten.view.default", {Arg::of(places), Arg::of(sizes_of(row))},
                                   like_shape(into, Dtype::i64, row), "places_row");
  Type spread = like_shape(into, Dtype::i64, into.shape);
  spread.strides = Type::Strides::unknown;
  const ValueId wanted = graph.add(step, "aten.expand.default", {step.args[2], Arg::of(sizes_of(into.shape))},
                                   spread, "index_row");
  const ValueId hit = graph.add(step, "aten.eq.Tensor", {Arg::of(wanted), Arg::of(in_row)},
                                like_shape(into, Dtype::boolean, into.shape), "is_scattered");
  const Arg filled = *filled_with(graph.graph(), step.args[0]);
  const Dtype through = through_dtype(filled, step.args[3], into.dtype);
  const auto one_number = [&](const Arg& number, const char* name) {
    const Type type = like_shape(into, through, {});
    const ValueId made = graph.add(step, "aten.scalar_tensor.default", {number}, type, name);
    graph.last().kwargs = {
        {"dtype", Arg::of_dtype(through)}, {"layout", Arg::of_text("strided")}, {"device", device}};
    return Arg::of(made);
  };
  const Arg rest = one_number(filled, "filled");
  const Arg number = one_number(step.args[3], "scattered");
  if (through != into.dtype) {
    const ValueId chosen = graph.add(step, "aten.where.self", {Arg::of(hit), number, rest},
                                     like_shape(into, through, into.shape), "chosen");
    step.op = "prims.convert_element_type.default";
    step.args = {Arg::of(chosen), Arg::of_dtype(into.dtype)};
  } else {
    step.op = "aten.where.self";
    step.args = {Arg::of(hit), number, rest};
  }
  graph.append(std::move(step));
}

}  // namespace

void compare_instead_of_scatter(Case& value) {
  if (!value.before || !scatters(*value.before) || scatters(value.after)) return;
  GraphRewriter graph(*value.before);
  for (Step& step : graph.take_old()) {
    if (const auto along = scattered_along(graph.graph(), step))
      compare(graph, std::move(step), *along);
    else
      graph.append(std::move(step));
  }
}

}  // namespace noclobber
