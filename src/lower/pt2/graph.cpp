#include "src/lower/pt2/graph.h"

#include <algorithm>
#include <utility>

#include "src/formats/fx_text/fx_text_value.h"
#include "src/graph/bodies.h"
#include "src/lower/pt2/expr.h"
#include "src/ops/schema.h"

namespace noclobber {
namespace {

constexpr int kDeepestBody = 20;
constexpr std::size_t kMostPt2Dimensions = 1024;
constexpr std::int64_t kStrided = 7;

/// ExecuTorch's dialects use PyTorch's operator names behind prefixes of their own: exir.save and
/// torch.export write these two.
constexpr std::string_view kEdgeOps[] = {"executorch.exir.dialects.edge.ops.",
                                         "executorch.exir.dialects.edge._ops."};

/// The operator of a target: "aten.add.Tensor", "higher_order.cond", "operator.getitem.default";
/// "python.math_ceil.default" for a Python function. "" if it is no operator.
std::string pt2_op(std::string_view target) {
  constexpr std::string_view kOps = "torch.ops.", kHigherOrder = "torch._higher_order_ops.";
  std::string op(target);
  for (const std::string_view edge : kEdgeOps)
    if (op.starts_with(edge)) op.replace(0, edge.size(), kOps);
  if (target.starts_with(kHigherOrder)) return "higher_order." + op.substr(op.rfind('.') + 1);
  if (target.starts_with("_operator.") || target.starts_with("operator."))
    return "operator." + op.substr(op.find('.') + 1) + ".default";
  if (!op.starts_with(kOps)) {
    std::replace(op.begin(), op.end(), '.', '_');
    return "python." + op + ".default";
  }
  op.erase(0, kOps.size());
  const auto dots = std::count(op.begin(), op.end(), '.');
  if (op.starts_with("higher_order.")) return dots == 1 ? op : "";
  if (dots == 1) op += ".default";
  return dots == 1 || dots == 2 ? op : "";
}

bool pt2_is_query(std::string_view op) {
  return op.starts_with("operator.") || op.starts_with("python.") || op.starts_with("aten.sym_");
}

}  // namespace

Graph Pt2Graph::read(const OrderedJson& json, const JsonAt& at) {
  graph_ = {};
  if (!faults_.object(json, at)) return {};
  types(json, at);
  for (const std::string_view key : {"sym_int_values", "sym_bool_values", "sym_float_values"})
    scalars(json, at, key);
  const auto each = [&](std::string_view key, auto&& read) {
    const OrderedJson* list = faults_.required(json, at, key);
    const JsonAt inside(at, key);
    if (!list || !faults_.array(*list, inside)) return;
    for (std::size_t k = 0; k < list->size() && !faults_.failed(); ++k) read((*list)[k], JsonAt(inside, k));
  };
  each("inputs", [&](const OrderedJson& item, const JsonAt& place) { input(item, place); });
  each("nodes", [&](const OrderedJson& item, const JsonAt& place) { node(item, place); });
  each("outputs", [&](const OrderedJson& item, const JsonAt& place) {
    graph_.outputs.push_back(argument(item, place));
  });
  return std::move(graph_);
}

void Pt2Graph::types(const OrderedJson& json, const JsonAt& at) {
  const OrderedJson* all = faults_.required(json, at, "tensor_values");
  const JsonAt inside(at, "tensor_values");
  if (!all || !faults_.object(*all, inside)) return;
  for (const auto& [name, meta] : all->get_ref<const OrderedJson::object_t&>()) {
    if (faults_.failed()) return;
    types_[name] = type(meta, JsonAt(inside, name));
  }
}

SymExpr Pt2Graph::size(const OrderedJson& json, const JsonAt& at) {
  const Arg value = scalar(json, at);
  if (value.kind == Arg::Kind::sym) return value.sym;
  faults_.fail(at, "a size is no integer");
  return 0;
}

std::vector<SymExpr> Pt2Graph::sizes(const OrderedJson& json, const JsonAt& at, std::string_view key) {
  std::vector<SymExpr> list;
  const OrderedJson* all = faults_.required(json, at, key);
  const JsonAt inside(at, key);
  if (!all || !faults_.array(*all, inside)) return list;
  if (all->size() > kMostPt2Dimensions) faults_.fail(inside, "a tensor has too many dimensions");
  for (std::size_t k = 0; k < all->size() && !faults_.failed(); ++k) {
    list.push_back(size((*all)[k], JsonAt(inside, k)));
    program_.symbols.mention(list.back(), key == "sizes");
    if (list.back().is_constant() && list.back().constant() < 0)
      faults_.fail(JsonAt(inside, k), "is negative");
  }
  return list;
}

std::optional<Type> Pt2Graph::type(const OrderedJson& json, const JsonAt& at) {
  if (!faults_.object(json, at)) return std::nullopt;
  const OrderedJson* code = faults_.required(json, at, "dtype");
  if (!code) return std::nullopt;
  Type result;
  result.dtype = dtype(*code, JsonAt(at, "dtype")).dtype;
  result.shape = sizes(json, at, "sizes");
  result.stride = sizes(json, at, "strides");
  result.strides = Type::Strides::given;
  if (!faults_.failed() && result.stride.size() != result.shape.size())
    faults_.fail(at, "a tensor has not one stride per dimension");
  if (const OrderedJson* offset = find_member(json, "storage_offset")) {
    result.offset = size(*offset, JsonAt(at, "storage_offset"));
  }
  if (const OrderedJson* where = find_member(json, "device"))
    result.device = device(*where, JsonAt(at, "device")).text;
  if (!faults_.failed() && !is_addressable(result))
    faults_.fail(at, "the tensor is larger than 64 bits can address");
  const OrderedJson* layout = find_member(json, "layout");
  const bool is_strided = !layout || faults_.integer(*layout, JsonAt(at, "layout")) == kStrided;
  if (!is_strided) return std::nullopt;
  return result;
}

/// {"as_int": 3} or {"as_expr": {"expr_str": "...", "hint": {"as_int": 4}}}
Arg Pt2Graph::scalar(const OrderedJson& json, const JsonAt& at) {
  std::string tag;
  const OrderedJson* value = only_member(json, at, tag);
  if (!value) return {};
  const JsonAt inside(at, tag);
  if (tag == "as_int") return integer(*value, inside);
  if (tag == "as_bool") return boolean(*value, inside);
  if (tag == "as_float") return real(*value, inside);
  if (tag != "as_expr") faults_.fail(at, "unknown kind of scalar " + in_quotes(tag));
  if (faults_.failed() || !faults_.object(*value, inside)) return {};
  const OrderedJson* text = faults_.required(*value, inside, "expr_str");
  if (!text) return {};
  const JsonAt place(inside, "expr_str");
  auto expression = parse_pt2_scalar(faults_.text(*text, place));
  if (!expression) {
    faults_.fail(place, expression.fault().where + ": " + expression.fault().message);
    return {};
  }
  program_.symbols.mention(*expression);
  const bool is_symbol = expression->kind == Arg::Kind::sym && expression->sym.nodes().size() == 1 &&
                         expression->sym.nodes().front().op == SymExpr::Op::symbol;
  const OrderedJson* hint = find_member(*value, "hint");
  if (is_symbol && hint && hint->is_object()) {
    const OrderedJson* number = find_member(*hint, "as_int");
    if (number && number->is_number_integer())
      program_.hints[expression->sym.nodes().front().text] = number->get<std::int64_t>();
  }
  return *std::move(expression);
}

void Pt2Graph::scalars(const OrderedJson& json, const JsonAt& at, std::string_view key) {
  const OrderedJson* all = find_member(json, key);
  const JsonAt inside(at, key);
  if (!all || faults_.failed() || !faults_.object(*all, inside)) return;
  for (const auto& [name, value] : all->get_ref<const OrderedJson::object_t&>()) {
    if (faults_.failed()) return;
    names_[name] = scalar(value, JsonAt(inside, name));
  }
}

ValueId Pt2Graph::new_value(const std::string& name, Value::From from, std::size_t at, std::size_t result,
                            const JsonAt& place) {
  const ValueId id(graph_.values.size());
  if (!names_.try_emplace(name, Arg::of(id)).second)
    faults_.fail(place, in_quotes(name) + " is defined twice");
  const auto known = types_.find(name);
  graph_.values.push_back({name, from, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(result),
                           known == types_.end() ? std::nullopt : known->second});
  return id;
}

/// Tensors and custom objects become inputs. Scalars are only checked: `names_` has their values already.
void Pt2Graph::input(const OrderedJson& json, const JsonAt& at) {
  std::string tag;
  const OrderedJson* value = only_member(json, at, tag);
  if (!value) return;
  const JsonAt inside(at, tag);
  if (tag != "as_tensor" && tag != "as_custom_obj") {
    argument(json, at);
    return;
  }
  if (!faults_.object(*value, inside)) return;
  const OrderedJson* name = faults_.required(*value, inside, "name");
  if (!name) return;
  const JsonAt place(inside, "name");
  Input added;
  added.value = new_value(faults_.text(*name, place), Value::From::input, graph_.inputs.size(), 0, place);
  graph_.inputs.push_back(std::move(added));
}

void Pt2Graph::node(const OrderedJson& json, const JsonAt& at) {
  if (!faults_.object(json, at)) return;
  const OrderedJson* target = faults_.required(json, at, "target");
  if (!target) return;
  Step step;
  step.op = pt2_op(faults_.text(*target, JsonAt(at, "target")));
  if (step.op.empty()) return faults_.fail(JsonAt(at, "target"), "is no operator");
  arguments(json, at, step);
  clone_without_trips(step);
  place(json, step);
  const bool has_tensors = results(json, at, step);
  if (faults_.failed()) return;
  if (!has_tensors && pt2_is_query(step.op)) return settle(json, step);
  if (!has_tensors) {
    const OrderedJson* name = find_member(json, "name");
    step.results.clear();
    if (name && name->is_string()) step.extras.edit().id = name->get<std::string>();
  }
  graph_.steps.push_back(std::move(step));
}

/// Sets a scalar to the value that its node computes, unless that is the value that the program states.
void Pt2Graph::settle(const OrderedJson& json, const Step& step) {
  const OrderedJson* target = find_member(json, "target");
  const OrderedJson* outputs = find_member(json, "outputs");
  const OrderedJson* only = outputs->size() == 1 && outputs->front().is_object() && !outputs->front().empty()
                                ? &outputs->front().front()
                                : nullptr;
  const OrderedJson* name = only != nullptr && only->is_object() ? find_member(*only, "as_name") : nullptr;
  const auto said =
      name != nullptr && name->is_string() ? names_.find(name->get<std::string>()) : names_.end();
  if (said == names_.end() || !step.kwargs.empty()) return;
  if (const auto size = fx_size(graph_, step)) said->second = fx_settled(said->second, Arg::of(*size));
  const std::string& function = target->get_ref<const std::string&>();
  if (!step.op->starts_with("operator.") && !fx_is_scalar_function(function)) return;
  if (auto computed = fx_scalar_call(function, step.args))
    said->second = fx_settled(said->second, *std::move(computed));
}

/// Older programs do not state which arguments are keywords; the schema then decides. For an operator without
/// a schema, the leading tensors are positional and everything else is a keyword.
void Pt2Graph::arguments(const OrderedJson& json, const JsonAt& at, Step& step) {
  const OrderedJson* all = faults_.required(json, at, "inputs");
  const JsonAt inside(at, "inputs");
  if (!all || !faults_.array(*all, inside)) return;
  const Schema* schema = find_schema(step.op);
  for (std::size_t k = 0; k < all->size() && !faults_.failed(); ++k) {
    const OrderedJson& item = (*all)[k];
    const JsonAt place(inside, k);
    if (!faults_.object(item, place)) return;
    const OrderedJson* value = faults_.required(item, place, "arg");
    const OrderedJson* name = faults_.required(item, place, "name");
    if (!value || !name) return;
    const std::string key = faults_.text(*name, JsonAt(place, "name"));
    Arg arg = argument(*value, JsonAt(place, "arg"));
    const OrderedJson* kind = find_member(item, "kind");
    const std::int64_t said = kind && kind->is_number_integer() ? kind->get<std::int64_t>() : 0;
    const std::size_t position = step.args.size();
    const bool fits = schema ? position < schema->arguments.size() && step.kwargs.empty() &&
                                   schema->arguments[position].name == key &&
                                   !schema->arguments[position].keyword_only
                             : step.kwargs.empty() && arg.kind == Arg::Kind::ref;
    if (said == 1 || key.empty() || (said == 0 && fits)) {
      if (!step.kwargs.empty()) return faults_.fail(place, "a positional argument behind a keyword");
      step.args.push_back(std::move(arg));
    } else {
      step.kwargs.edit().emplace_back(key, std::move(arg));
    }
  }
}

/// Returns whether any result is a tensor.
bool Pt2Graph::results(const OrderedJson& json, const JsonAt& at, Step& step) {
  const OrderedJson* all = faults_.required(json, at, "outputs");
  const JsonAt inside(at, "outputs");
  if (!all || !faults_.array(*all, inside)) return false;
  for (std::size_t k = 0; k < all->size() && !faults_.failed(); ++k)
    result((*all)[k], JsonAt(inside, k), step);
  const auto is_tensor = [](ValueId id) { return id.valid(); };
  return std::any_of(step.results.begin(), step.results.end(), is_tensor);
}

/// Adds one result, or those of a list. A result that is no tensor has an invalid id.
void Pt2Graph::result(const OrderedJson& json, const JsonAt& at, Step& step) {
  std::string tag;
  const OrderedJson* value = only_member(json, at, tag);
  if (!value) return;
  const JsonAt inside(at, tag);
  const auto add = [&](const OrderedJson& tensor, const JsonAt& where) {
    if (!faults_.object(tensor, where)) return;
    const OrderedJson* name = faults_.required(tensor, where, "name");
    if (!name) return;
    const JsonAt place(where, "name");
    step.results.push_back(new_value(faults_.text(*name, place), Value::From::step, graph_.steps.size(),
                                     step.results.size(), place));
  };
  if (tag == "as_tensor" || tag == "as_custom_obj") return add(*value, inside);
  const bool is_optional = tag == "as_optional_tensor" || tag == "as_optional_tensors";
  if (tag == "as_tensors" || tag == "as_optional_tensors" || tag == "as_nested_tensors") {
    if (!faults_.array(*value, inside)) return;
    for (std::size_t k = 0; k < value->size() && !faults_.failed(); ++k) {
      const JsonAt place(inside, k);
      const char* item = is_optional           ? "as_optional_tensor"
                         : tag == "as_tensors" ? "as_tensor"
                                               : "as_tensors";
      result(OrderedJson{{item, (*value)[k]}}, place, step);
    }
    return;
  }
  if (tag == "as_optional_tensor" && value->is_object() && find_member(*value, "as_tensor"))
    return add(*find_member(*value, "as_tensor"), inside);
  const Arg scalar = is_optional ? Arg() : argument(json, at);  // fails if it is not defined
  if (scalar.kind == Arg::Kind::sym && !scalar.sym.is_constant())
    step.extras.edit().tells = scalar.sym.text();
  step.results.emplace_back();
}

/// Sets the source to the innermost frame of "File "m.py", line 3, in f\n    y = x + 1\n".
void Pt2Graph::place(const OrderedJson& json, Step& step) {
  const OrderedJson* metadata = find_member(json, "metadata");
  if (!metadata || !metadata->is_object()) return;
  const OrderedJson* trace = find_member(*metadata, "stack_trace");
  if (!trace || !trace->is_string()) return;
  const std::string_view text = trace->get_ref<const std::string&>();
  constexpr std::string_view kFile = "File \"", kLine = "\", line ", kIn = ", in ";
  const std::size_t file = text.rfind(kFile), line = text.find(kLine, file), in = text.find(kIn, line);
  if (file == text.npos || line == text.npos || in == text.npos) return;
  const std::size_t end = std::min(text.find('\n', in), text.size());
  StepSource& source = step.source.edit();
  source.loc = std::string(text.substr(file + kFile.size(), line - file - kFile.size())) + ":" +
               std::string(text.substr(line + kLine.size(), in - line - kLine.size())) + " in " +
               std::string(text.substr(in + kIn.size(), end - in - kIn.size()));
  std::string_view code = text.substr(end);
  while (!code.empty() && (code.front() == '\n' || code.front() == ' ')) code.remove_prefix(1);
  source.code = std::string(code.substr(0, code.find('\n')));
}

Arg Pt2Graph::body(const OrderedJson& json, const JsonAt& at) {
  if (!faults_.object(json, at)) return {};
  const OrderedJson* name = faults_.required(json, at, "name");
  const OrderedJson* graph = faults_.required(json, at, "graph");
  if (!name || !graph) return {};
  if (depth_ == kDeepestBody) {
    faults_.fail(at, "bodies are nested too deep");
    return {};
  }
  const std::string wanted = faults_.text(*name, JsonAt(at, "name"));
  std::string free = wanted;
  for (int k = 1; graph_.bodies.contains(free); ++k) free = wanted + "_" + std::to_string(k);
  Graph inner = Pt2Graph(program_, depth_ + 1).read(*graph, JsonAt(at, "graph"));
  inner.name = free;
  graph_.bodies.emplace(free, std::move(inner));
  return Arg::of_graph(std::move(free));
}

}  // namespace noclobber
