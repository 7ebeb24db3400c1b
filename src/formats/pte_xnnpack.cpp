#include "src/formats/pte_xnnpack.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/formats/pte_xnnpack_steps.h"
#include "src/ops/meaning.h"
#include "src/ops/overloads.h"

namespace noclobber {
namespace {

constexpr float kXnnInfinity = std::numeric_limits<float>::infinity();

/// The bounds of an activation; nothing where the step is none, or they are no numbers.
std::optional<std::pair<float, float>> bounds_of(const Step& step) {
  const std::string op = functional_op(step.op);
  if (op == "aten.relu.default") return std::pair(0.0F, kXnnInfinity);
  const bool clamps = op == "aten.clamp.default", is_hard = op == "aten.hardtanh.default";
  const Schema* schema = clamps || is_hard ? find_schema(op) : nullptr;
  if (schema == nullptr) return std::nullopt;
  float out[2] = {clamps ? -kXnnInfinity : -1.0F, clamps ? kXnnInfinity : 1.0F};
  for (std::size_t k = 0; k < 2; ++k) {
    const Arg* given = argument_given(step, *schema, schema->arguments[k + 1].name);
    if (given == nullptr || given->kind == Arg::Kind::none) continue;
    const auto number = xnn_number(*given);
    if (!number) return std::nullopt;
    out[k] = static_cast<float>(*number);
  }
  return std::pair(out[0], out[1]);
}

}  // namespace

std::optional<double> xnn_number(const Arg& arg) {
  if (arg.kind == Arg::Kind::real) return arg.real;
  if (arg.kind == Arg::Kind::sym && arg.sym.is_constant()) return static_cast<double>(arg.sym.constant());
  return std::nullopt;
}

bool xnn_is(const Arg& arg, float wanted) {
  const auto number = xnn_number(arg);
  return number && static_cast<float>(*number) == wanted;
}

bool xnn_holds(const Arg& arg, const XnnSizes& numbers) {
  const std::vector<Arg> items = arg.kind == Arg::Kind::list ? arg.list : std::vector<Arg>{arg};
  if (items.size() != numbers.size() && items.size() != 1) return false;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const Arg& item = items[items.size() == 1 ? 0 : k];
    if (item.kind != Arg::Kind::sym || item.sym != SymExpr(numbers[k])) return false;
  }
  return true;
}

Arg xnn_list(const XnnSizes& numbers) {
  XnnArgs out;
  for (const std::int64_t number : numbers) out.push_back(Arg::of(SymExpr(number)));
  return Arg::of(std::move(out));
}

Arg xnn_whole(std::int64_t value) { return Arg::of(SymExpr(value)); }

std::optional<std::int64_t> xnn_windows(std::int64_t size, std::int64_t before, std::int64_t behind,
                                        std::int64_t kernel, std::int64_t dilation, std::int64_t stride) {
  const std::int64_t span = dilation * (kernel - 1) + 1, room = size + before + behind;
  if (kernel < 1 || dilation < 1 || stride < 1 || room < span) return std::nullopt;
  return (room - span) / stride + 1;
}

std::int64_t xnn_count(const XnnSizes& shape) {
  std::int64_t out = 1;
  for (const std::int64_t size : shape)
    if (__builtin_mul_overflow(out, size, &out)) return -1;
  return out;
}

void XnnSteps::refuse(const XnnNode& node, const std::string& why) {
  if (going()) into.refused = std::string(node.kind.empty() ? "node" : node.kind) + " (" + why + ")";
}

const XnnGiven* XnnSteps::held(std::uint32_t id) const {
  const auto at = values.find(id);
  return at == values.end() ? nullptr : &at->second;
}

void XnnSteps::run(const XnnNode& node) {
  const XnnRow* row = xnn_row(node.kind);
  if (row == nullptr) return refuse(node, "not read");
  const bool optional_flags = node.kind == "FullyConnected" || node.kind == "StaticResizeBilinear2D";
  if (node.flags != row->flags && !(optional_flags && node.flags == 0)) return refuse(node, "other flags");
  if (node.clamp && !row->clamps) return refuse(node, "bounds of what it makes");
  const XnnValue* made = program.find(node.output);
  const bool fits =
      made != nullptr && made->dtype == Dtype::f32 && made->data == 0 && !values.contains(made->id);
  if (!fits) return refuse(node, "a result that is quantised, half, constant, or made twice");
  row->rule(*this, node);
}

ValueId XnnSteps::push(Step step, std::optional<XnnSizes> shape, std::size_t results) {
  std::optional<Type> type;
  if (shape) {
    type.emplace().dtype = Dtype::f32;
    type->shape.assign(shape->begin(), shape->end());
  }
  const auto number = static_cast<std::uint32_t>(into.graph.steps.size());
  into.graph.values.push_back({into.names.fresh("xnn"), Value::From::step, number, 0, std::move(type)});
  const ValueId out(into.graph.values.size() - 1);
  step.results.assign(results, ValueId{});
  step.results[0] = out;
  into.graph.steps.push_back(std::move(step));
  return out;
}

ValueId XnnSteps::emit(const char* op, XnnArgs args, std::optional<XnnSizes> shape) {
  Step step;
  step.op = op;
  step.args = std::move(args);
  return push(std::move(step), std::move(shape));
}

/// The step of the functional program, of these tensors.
ValueId XnnSteps::like(const Step& meant, XnnArgs tensors, std::optional<XnnSizes> shape,
                       std::size_t results) {
  Step step;
  step.op = functional_op(meant.op);
  step.args = meant.args;
  step.kwargs = meant.kwargs;
  for (std::size_t k = 0; k < tensors.size(); ++k) step.args[k] = std::move(tensors[k]);
  return push(std::move(step), std::move(shape), results);
}

/// Steps of the functional program whose operator is that one, in whatever form.
std::vector<const Step*> XnnSteps::meant(std::string_view base) const {
  std::vector<const Step*> out;
  for (const Step& step : into.functional.steps)
    if (base_name(functional_op(step.op)) == base && !step.args.empty()) out.push_back(&step);
  return out;
}

/// Of several that say the same in other words, the next one: nodes come in the order of the program.
const Step* XnnSteps::one_of(const std::string& key, const std::vector<const Step*>& all) {
  if (all.empty()) return nullptr;
  return all[std::min(spellings[key]++, all.size() - 1)];
}

const Arg* XnnSteps::argument(const Step& step, std::string_view name) const {
  const Schema* schema = find_schema(step.op);
  return schema == nullptr ? nullptr : argument_given(step, *schema, name);
}

std::optional<XnnGiven> XnnSteps::operand(const XnnNode& node, std::size_t k) {
  const std::uint32_t id = node.inputs[k];
  if (const XnnGiven* known = held(id)) return *known;
  const XnnValue* value = program.find(id);
  if (value == nullptr || value->data == 0 || value->dtype != Dtype::f32 || data_of(id) == nullptr) {
    refuse(node, "an operand that nothing makes, or that is no float");
    return std::nullopt;
  }
  XnnGiven out{xnn_any_constant(*this, *value), value->dims};
  values[id] = out;
  return out;
}

/// An image as PyTorch has it.
ValueId XnnSteps::channels_first(const XnnGiven& x) {
  const auto known = images.find(x.value.index);
  if (known != images.end()) return known->second;
  const XnnSizes& s = x.shape;
  const ValueId out = emit("aten.permute_copy.default", {Arg::of(x.value), xnn_list({0, 3, 1, 2})},
                           {{s[0], s[3], s[1], s[2]}});
  images[x.value.index] = out;
  return out;
}

/// A number has one element in XNNPACK.
bool XnnSteps::has_sizes(const XnnValue& value, const XnnSizes& shape) {
  return value.dims == (shape.empty() ? XnnSizes{1} : shape);
}

/// Says what the value is, where nothing has.
void XnnSteps::type(ValueId value, const XnnSizes& shape) {
  SharedType& known = into.graph.values[value.index].type;
  if (known) return;
  Type out;
  out.dtype = Dtype::f32;
  out.shape.assign(shape.begin(), shape.end());
  known = std::move(out);
}

void XnnSteps::make(const XnnNode& node, ValueId value, XnnSizes shape) {
  if (node.clamp && node.kind != "Clamp") value = clamped(value, node.clamp->first, node.clamp->second);
  if (!has_sizes(*program.find(node.output), shape))
    return refuse(node, "a result that is said to have other sizes");
  type(value, shape);
  values[node.output] = {value, std::move(shape)};
}

void XnnSteps::make_image(const XnnNode& node, ValueId value, const XnnSizes& s) {
  if (node.clamp) value = clamped(value, node.clamp->first, node.clamp->second);
  const XnnSizes shape{s[0], s[2], s[3], s[1]};
  if (!has_sizes(*program.find(node.output), shape))
    return refuse(node, "a result that is said to have other sizes");
  type(value, s);
  const ValueId turned = emit("aten.permute_copy.default", {Arg::of(value), xnn_list({0, 2, 3, 1})}, shape);
  images[turned.index] = value;
  values[node.output] = {turned, shape};
}

ValueId XnnSteps::clamped(ValueId x, float least, float most) {
  if (least == -kXnnInfinity && most == kXnnInfinity) return x;
  std::vector<const Step*> all;
  for (const Step& step : into.functional.steps)
    if (bounds_of(step) == std::pair(least, most)) all.push_back(&step);
  const std::string key = "clamp " + std::to_string(least) + " " + std::to_string(most);
  if (const Step* meant = one_of(key, all)) return like(*meant, {Arg::of(x)});
  const auto bound = [](float value) { return std::isinf(value) ? Arg{} : Arg::of_real(value); };
  if (!std::isinf(least) && !std::isinf(most) && !meant("aten.hardtanh").empty())
    return emit("aten.hardtanh.default", {Arg::of(x), bound(least), bound(most)});
  return emit("aten.clamp.default", {Arg::of(x), bound(least), bound(most)});
}

std::map<std::uint32_t, XnnGiven> run_xnnpack(const XnnProgram& program,
                                              const std::map<std::uint32_t, XnnGiven>& given, XnnInto& into) {
  XnnSteps steps(program, into);
  std::map<std::uint32_t, XnnGiven> out;
  std::map<std::uint32_t, std::size_t> ids;
  for (const XnnValue& value : program.values) {
    if (++ids[value.id] > 1) into.refused = "two values of one number";
    const bool inside = value.external == kNoXnnId;
    if (inside ? value.flags != 0 : value.flags != 1 && value.flags != 2)
      into.refused = "a value of other flags";
    const auto at = given.find(value.external);
    if (at == given.end()) continue;
    const bool fits = value.dtype == Dtype::f32 && value.data == 0 && value.flags == 1 &&
                      XnnSteps::has_sizes(value, at->second.shape);
    if (!fits || steps.held(value.id) != nullptr) into.refused = "an argument that is no input of floats";
    steps.give(value.id, at->second);
  }
  for (const XnnNode& node : program.nodes)
    if (into.refused.empty()) steps.run(node);
  for (const XnnValue& value : program.values) {
    if (value.external == kNoXnnId || given.contains(value.external)) continue;
    const XnnGiven* made = steps.held(value.id);
    if (made == nullptr || value.flags != 2) {
      if (into.refused.empty()) into.refused = "a result that nothing makes";
      continue;
    }
    if (!out.emplace(value.external, *made).second && into.refused.empty())
      into.refused = "two results in one argument";
  }
  return out;
}

}  // namespace noclobber
