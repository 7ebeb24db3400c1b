#include "src/lower/xnnpack/payload.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "src/lower/pte/case.h"
#include "src/lower/xnnpack/steps.h"
#include "src/ops/meaning.h"
#include "src/ops/overloads.h"

namespace noclobber {
namespace {

constexpr float kXnnInfinity = std::numeric_limits<float>::infinity();

/// The bounds of a clamping activation; empty if the step is none, or if a bound is not a number.
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

/// The operator that makes the argument, without its overload; "" for none.
std::string made_by(const Graph& graph, const Arg& arg) {
  if (arg.kind != Arg::Kind::ref || !arg.ref.valid()) return "";
  const Value& value = graph.value(arg.ref);
  return value.from == Value::From::step ? std::string(base_name(functional_op(graph.steps[value.at].op)))
                                         : "";
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
  const std::span<const Arg> items = items_of(arg);
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
  if (made == nullptr || made->data != 0 || values.contains(made->id))
    return refuse(node, "a result that is constant, or made twice");
  if (fits_types(node, *row)) row->rule(*this, node);
}

/// Operands and result are quantised, or none is. A node that only moves elements keeps their scale.
bool XnnSteps::fits_types(const XnnNode& node, const XnnRow& row) {
  const XnnValue& made = *program.find(node.output);
  const bool integers = made.dtype == Dtype::i8 && made.quantum && made.quantum->scales == 0;
  if (!integers && (made.dtype != Dtype::f32 || made.quantum))
    return refuse(node, "a result of other types"), false;
  if (node.kind == "Convert") return true;
  if (integers && row.quantised == XnnRow::Quantised::no) return refuse(node, "quantised"), false;
  for (std::size_t k = 0; k < (row.weighs ? 1 : node.inputs.size()); ++k) {
    const XnnValue* given = program.find(node.inputs[k]);
    if (given == nullptr || (k > 0 && node.inputs[k] == kNoXnnId)) continue;
    const bool same =
        given->quantum.has_value() == integers &&
        (!integers || row.quantised == XnnRow::Quantised::computes || given->quantum == made.quantum);
    if (!same) return refuse(node, "integers of other scales, or none, among its operands"), false;
  }
  return true;
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

/// Appends a copy of a functional step with these tensors as leading arguments.
ValueId XnnSteps::like(const Step& meant, XnnArgs tensors, std::optional<XnnSizes> shape,
                       std::size_t results) {
  Step step;
  step.op = functional_op(meant.op);
  step.args = meant.args;
  step.kwargs = meant.kwargs;
  for (std::size_t k = 0; k < tensors.size(); ++k) step.args[k] = std::move(tensors[k]);
  return push(std::move(step), std::move(shape), results);
}

/// The steps of the functional program whose operator is `base`, of any overload and in any form.
std::vector<const Step*> XnnSteps::meant(std::string_view base) const {
  std::vector<const Step*> out;
  for (const Step& step : into.functional.steps)
    if (base_name(functional_op(step.op)) == base && !step.args.empty()) out.push_back(&step);
  return out;
}

/// The next of several steps that compute the same with another spelling: nodes are in program order.
const Step* XnnSteps::one_of(const std::string& key, const std::vector<const Step*>& all) {
  if (all.empty()) return nullptr;
  return all[std::min(spellings[key]++, all.size() - 1)];
}

const Arg* XnnSteps::argument(const Step& step, std::string_view name) const {
  const Schema* schema = find_schema(step.op);
  return schema == nullptr ? nullptr : argument_given(step, *schema, name);
}

std::optional<XnnGiven> XnnSteps::stored(const XnnNode& node, std::size_t k) {
  const std::uint32_t id = node.inputs[k];
  if (const XnnGiven* known = held(id); known != nullptr && !known->value.valid() && !integers(id).valid())
    return refuse(node, "a scale that the exported program does not quantise with"), std::nullopt;
  if (const XnnGiven* known = held(id)) return *known;
  const XnnValue* value = program.find(id);
  const bool fits = value != nullptr && value->data != 0 && data_of(id, value->dtype) != nullptr &&
                    (value->quantum ? value->dtype == Dtype::i8 : value->dtype == Dtype::f32);
  if (!fits) return refuse(node, "an operand that nothing makes, or of other types"), std::nullopt;
  XnnGiven out{xnn_any_constant(*this, *value), value->dims, value->dtype};
  values[id] = out;
  return out;
}

/// Quantises a value that exists only dequantised; invalid if no step gives the same integers.
ValueId XnnSteps::integers(std::uint32_t id) {
  XnnGiven& out = values.at(id);
  const XnnQuantum& by = *program.find(id)->quantum;
  if (out.value.valid() || !bytes_return(static_cast<double>(by.scale), by.zero)) return out.value;
  const XnnGiven& of = numbers.at(id);
  const auto image = images.find(of.value.index);
  const ValueId made = xnn_quantised(*this, image == images.end() ? of.value : image->second, by);
  if (made.valid()) out.value = image == images.end() ? made : channels_last(made, out.shape);
  return out.value;
}

std::optional<XnnGiven> XnnSteps::operand(const XnnNode& node, std::size_t k) {
  const std::uint32_t id = node.inputs[k];
  if (const auto known = numbers.find(id); known != numbers.end()) return known->second;
  const auto x = stored(node, k);
  if (!x || !program.find(id)->quantum) return x;
  const auto made = xnn_numbers_of(*this, *x, *program.find(id)->quantum);
  if (!made) return refuse(node, "a scale that the exported program does not have"), std::nullopt;
  numbers[id] = *made;
  return made;
}

/// The image in the order of PyTorch.
ValueId XnnSteps::channels_first(const XnnGiven& x) {
  const auto known = images.find(x.value.index);
  if (known != images.end()) return known->second;
  const auto shape = x.dtype == Dtype::f32 ? std::optional(xnn_first(x.shape)) : std::nullopt;
  const ValueId out = emit("aten.permute_copy.default", {Arg::of(x.value), xnn_list({0, 3, 1, 2})}, shape);
  images[x.value.index] = out;
  return out;
}

/// The image in the order of XNNPACK, with sizes `shape`.
ValueId XnnSteps::channels_last(ValueId image, const XnnSizes& shape) {
  const SharedType& known = into.graph.values[image.index].type;
  const bool typed = known && known->dtype == Dtype::f32;
  const ValueId out = emit("aten.permute_copy.default", {Arg::of(image), xnn_list({0, 2, 3, 1})},
                           typed ? std::optional(shape) : std::nullopt);
  images[out.index] = image;
  return out;
}

/// A tensor without dimensions has one dimension of size 1 in XNNPACK.
bool XnnSteps::has_sizes(const XnnValue& value, const XnnSizes& shape) {
  return value.dims == (shape.empty() ? XnnSizes{1} : shape);
}

/// Sets the type of the value to f32 of `shape`, unless it has a type.
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
  type(value, shape);
  hold(node, value, std::move(shape), false);
}

void XnnSteps::make_image(const XnnNode& node, ValueId value, const XnnSizes& s) {
  if (node.clamp && node.kind != "Clamp") value = clamped(value, node.clamp->first, node.clamp->second);
  type(value, s);
  hold(node, value, {s[0], s[2], s[3], s[1]}, true);
}

/// Stores `value` as the node's result: quantised if the result is, and channels-last if it is an image.
void XnnSteps::hold(const XnnNode& node, ValueId value, XnnSizes shape, bool is_image) {
  const XnnValue& made = *program.find(node.output);
  if (!has_sizes(made, shape)) return refuse(node, "a result that is said to have other sizes");
  const auto laid = [&](ValueId of) { return is_image ? channels_last(of, shape) : of; };
  if (!made.quantum) {
    values[node.output] = {laid(value), std::move(shape)};
    return;
  }
  if (xnn_are_bytes(*this, value, *made.quantum)) {  // quantised later, if needed
    numbers[node.output] = {laid(value), shape};
    values[node.output] = {ValueId{}, std::move(shape), Dtype::i8};
    return;
  }
  const ValueId integers = xnn_quantised(*this, value, *made.quantum);
  if (!integers.valid()) return refuse(node, "a scale that the exported program does not quantise with");
  values[node.output] = {laid(integers), std::move(shape), Dtype::i8};
}

ValueId XnnSteps::clamped(ValueId x, float least, float most) {
  if (least == -kXnnInfinity && most == kXnnInfinity) return x;
  std::vector<const Step*> all;
  for (const Step& step : into.functional.steps)
    if (bounds_of(step) == std::pair(least, most)) all.push_back(&step);
  // Of several with the same bounds, those that bound a result of the same operator are preferred.
  const auto bounds_alike = [&](const Step* step) {
    const std::string own = made_by(into.graph, Arg::of(x));
    return !own.empty() && own == made_by(into.functional, step->args[0]);
  };
  if (std::ranges::any_of(all, bounds_alike)) std::erase_if(all, std::not_fn(bounds_alike));
  const std::string key =
      "clamp " + std::to_string(least) + " " + std::to_string(most) + " " + made_by(into.graph, Arg::of(x));
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
    const bool fits = value.dtype == at->second.dtype && value.data == 0 && value.flags == 1 &&
                      (value.dtype == Dtype::f32 || (value.quantum && value.quantum->scales == 0)) &&
                      XnnSteps::has_sizes(value, at->second.shape);
    if (!fits || steps.held(value.id) != nullptr) into.refused = "an argument that is no input of its type";
    steps.give(value.id, at->second);
  }
  for (const XnnNode& node : program.nodes)
    if (into.refused.empty()) steps.run(node);
  for (const XnnValue& value : program.values) {
    if (value.external == kNoXnnId || given.contains(value.external)) continue;
    const XnnGiven* made = steps.held(value.id);
    if (made != nullptr && !made->value.valid()) steps.integers(value.id);
    if (made == nullptr || !made->value.valid() || value.flags != 2) {
      if (into.refused.empty()) into.refused = "a result that nothing makes";
      continue;
    }
    if (!out.emplace(value.external, *made).second && into.refused.empty())
      into.refused = "two results in one argument";
  }
  return out;
}

}  // namespace noclobber
