// The right-hand sides of FX text: an operator's call, an item of a tuple, an attribute, a scalar.
#include <algorithm>
#include <array>
#include <utility>

#include "src/formats/fx_text/fx_text_module.h"
#include "src/graph/bodies.h"
#include "src/ops/overloads.h"

namespace noclobber {
namespace {

/// The name with the overload that is not printed; "" if `op` is no operator.
std::string fx_full_name(std::string op) {
  const auto dots = std::count(op.begin(), op.end(), '.');
  if (op.starts_with("higher_order.")) return dots == 1 ? op : "";
  if (dots == 1) return op + ".default";
  return dots == 2 ? op : "";
}

/// `torch.ops.aten.std(x, 1)` whose overload is unknown is treated like a Python function.
std::string fx_unknown_overload(std::string op) {
  std::replace(op.begin(), op.end(), '.', '_');
  return "python.torch_ops_" + op + ".default";
}

bool fx_is_size_query(std::string_view op) {
  return op.starts_with("aten.sym_size.") || op.starts_with("aten.sym_stride.") ||
         op.starts_with("aten.sym_numel.") || op.starts_with("aten.sym_storage_offset.");
}

}  // namespace

std::optional<SymExpr> fx_size(const Graph& graph, const Step& step) {
  if (step.args.empty() || step.args[0].kind != Arg::Kind::ref) return std::nullopt;
  const auto& type = graph.value(step.args[0].ref).type;
  if (!type) return std::nullopt;
  if (step.op->starts_with("aten.sym_numel.")) {
    SymExpr product = 1;
    for (const SymExpr& size : type->shape) product = product * size;
    return product;
  }
  const bool is_stride = step.op == "aten.sym_stride.int";
  if (!is_stride && step.op != "aten.sym_size.int") return std::nullopt;
  if (is_stride && type->strides != Type::Strides::given) return std::nullopt;
  const std::vector<SymExpr>& list = is_stride ? type->stride : type->shape;
  const bool is_number =
      step.args.size() == 2 && step.args[1].kind == Arg::Kind::sym && step.args[1].sym.is_constant();
  if (!is_number) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(list.size());
  const std::int64_t at = step.args[1].sym.constant(), from_left = at < 0 ? at + rank : at;
  if (from_left < 0 || from_left >= rank) return std::nullopt;
  return list[static_cast<std::size_t>(from_left)];
}

Step FxModule::new_step(std::string op) const {
  Step step;
  step.line = cursor_.line();
  step.op = std::move(op);
  step.source = source_;
  return step;
}

/// A scalar result has the value of its annotation; the step is kept for its other effects.
void FxModule::add(Step step, std::string_view name, std::size_t at, const FxAnnotation& annotation) {
  if (cursor_.failed()) return;
  clone_without_trips(step);
  if (annotation.kind != FxAnnotation::Kind::scalar)
    return check(at, names_.add_step(name, std::move(step), annotation.type));
  const auto size = fx_size(graph_, step);
  const bool is_query = fx_is_size_query(step.op);
  if (is_query && (step.args.empty() || step.args[0].kind != Arg::Kind::ref))
    return cursor_.fail_at(at, "a size of what is no tensor");
  if (!is_query) {
    step.extras.edit().id = std::string(name);
    if (annotation.scalar.kind == Arg::Kind::sym && !annotation.scalar.sym.is_constant())
      step.extras.edit().tells = annotation.scalar.sym.text();
    names_.add_effect(std::move(step));
  }
  check(at, names_.bind(name, size ? fx_settled(annotation.scalar, Arg::of(*size)) : annotation.scalar));
}

void FxModule::assign(std::string_view name, std::size_t at, const FxAnnotation& annotation) {
  if (cursor_.failed()) return;
  if (cursor_.starts_with("self.") || cursor_.starts_with("getattr(self"))
    return attribute(name, at, annotation);
  if (cursor_.take("torch.ops.")) return operation(std::string(cursor_.path()), name, at, annotation);
  if (cursor_.starts_with("aten.") && !names_.knows("aten"))
    return operation(std::string(cursor_.path()), name, at, annotation);
  if (begins_member()) return member(name, at, annotation);
  if (python_call(name, at, annotation)) return;
  if (begins_item()) return item(name, at, annotation);
  expression(name, at, annotation);
}

void FxModule::operation(std::string op, std::string_view name, std::size_t at,
                         const FxAnnotation& annotation) {
  const bool is_packet = std::count(op.begin(), op.end(), '.') == 1 && !op.starts_with("higher_order.");
  Step step = new_step(fx_full_name(op));
  if (step.op.empty()) return cursor_.fail("an operator's name is missing");
  if (cursor_.peek() != '(') return cursor_.fail("an operator that is not called");
  values_.waits = step.op->starts_with("higher_order.control_deps");
  values_.arguments(step);
  if (step.op->starts_with("higher_order.auto_functionalized"))  // a schema is no value
    std::erase_if(step.kwargs.edit(), [](const auto& given) { return given.first == "_op_schema"; });
  refuse_unread(at);
  if (is_packet) step.op = called_overload(op, step).value_or(fx_unknown_overload(op));
  add(std::move(step), name, at, annotation);
}

/// A Python function: `torch.nn.functional.linear(x, w)`, `torch__inductor_foo(x)`. Its step is
/// `python.torch_nn_functional_linear`, as FX mangles names itself.
bool FxModule::python_call(std::string_view name, std::size_t at, const FxAnnotation& annotation) {
  const std::size_t start = cursor_.at();
  const std::string_view path = cursor_.path();
  const bool is_known = path.empty() || names_.knows(path.substr(0, path.find('.')));
  if (is_known || cursor_.peek() != '(') {
    cursor_.back_to(start);
    return false;
  }
  constexpr std::string_view kHigherOrder = "torch._higher_order_ops.", kOperator = "operator.";
  const std::string_view last = path.substr(path.rfind('.') + 1);
  std::string op = "python." + std::string(path);
  std::replace(op.begin() + 7, op.end(), '.', '_');
  if (path.starts_with(kHigherOrder)) op = "higher_order." + std::string(last);
  if (path.starts_with(kOperator) || path.starts_with("_operator."))
    op = std::string(kOperator) + std::string(last);
  Step step = new_step(fx_full_name(std::move(op)));
  values_.arguments(step);
  refuse_unread(at);
  auto scalar = fx_is_scalar_function(path) || step.op->starts_with(kOperator)
                    ? fx_scalar_call(path, step.args)
                    : std::nullopt;
  if (annotation.kind == FxAnnotation::Kind::scalar)
    scalar = fx_settled(annotation.scalar, scalar ? *std::move(scalar) : annotation.scalar);
  if (scalar && !cursor_.failed())
    check(at, names_.bind(name, *std::move(scalar)));
  else
    add(std::move(step), name, at, annotation);
  return true;
}

bool FxModule::begins_member() const {
  std::size_t size = 0;
  while (is_fx_letter(cursor_.peek(size)) || is_fx_digit(cursor_.peek(size))) ++size;
  return size > 0 && cursor_.peek(size) == '.' && names_.knows(cursor_.rest().substr(0, size));
}

/// `x.view(-1)` is `method.view(x, -1)`, `x.shape` is `python.getattr(x, 'shape')`.
void FxModule::member(std::string_view name, std::size_t at, const FxAnnotation& annotation) {
  const std::size_t start = cursor_.at();
  Arg self;
  const std::string_view object = cursor_.identifier();
  check(start, names_.use(object, self));
  cursor_.take('.');
  const std::string_view path = cursor_.path();
  if (path.empty()) return cursor_.fail("a method's name is missing");
  const bool is_call = cursor_.peek() == '(';
  if (is_call && path.find('.') != path.npos) return cursor_.fail_at(start, "a method of an attribute");
  Step step = new_step(is_call ? "method." + std::string(path) + ".default" : "python.getattr.default");
  step.args.push_back(std::move(self));
  if (is_call)
    values_.arguments(step);
  else
    step.args.push_back(Arg::of_text(std::string(path)));
  refuse_unread(at);
  add(std::move(step), name, at, annotation);
}

bool FxModule::begins_item() const {
  std::size_t size = 0;
  while (is_fx_letter(cursor_.peek(size)) || is_fx_digit(cursor_.peek(size))) ++size;
  return size > 0 && cursor_.peek(size) == '[';
}

void FxModule::item(std::string_view name, std::size_t at, const FxAnnotation& annotation) {
  const std::string_view tuple = cursor_.identifier();
  cursor_.take('[');
  const std::size_t start = cursor_.at();
  Arg index = values_.value();
  refuse_unread(start);
  cursor_.expect(']');
  if (cursor_.failed()) return;
  const bool is_number = index.kind == Arg::Kind::sym && index.sym.is_constant();
  if (names_.is_tuple(tuple) && is_number)
    return check(at, names_.add_item(name, tuple, index.sym.constant(), annotation));
  if (names_.is_tuple(tuple) && index.kind == Arg::Kind::text && index.text != "Ellipsis")
    return check(at, names_.add_member(name, tuple, index.text, annotation));
  tensor_item(tuple, std::move(index), name, at, annotation);
}

/// `x[1:]` of a tensor, or an item of the result of a Python function.
void FxModule::tensor_item(std::string_view tensor, Arg index, std::string_view name, std::size_t at,
                           const FxAnnotation& annotation) {
  Step step = new_step("operator.getitem.default");
  Arg whole;
  check(at, names_.use(tensor, whole));
  if (annotation.kind == FxAnnotation::Kind::scalar && !cursor_.failed())
    return check(at, names_.bind(name, annotation.scalar));
  step.args = {std::move(whole), std::move(index)};
  add(std::move(step), name, at, annotation);
}

/// `x += y;  iadd = x` and `x[0] = y;  setitem = x`. False if the statement is another one.
bool FxModule::update(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kUpdates = {{
      {"+", "iadd"},
      {"-", "isub"},
      {"**", "ipow"},
      {"*", "imul"},
      {"//", "ifloordiv"},
      {"/", "itruediv"},
      {"%", "imod"},
      {"@", "imatmul"},
      {"&", "iand"},
      {"|", "ior"},
      {"^", "ixor"},
      {"<<", "ilshift"},
      {">>", "irshift"},
  }};
  constexpr std::string_view kFirst = "+-*/%@&|^<>[";
  if (kFirst.find(cursor_.peek()) == kFirst.npos) return false;
  const auto is_update = [&](const auto& row) {
    return cursor_.starts_with(row.first) && cursor_.peek(row.first.size()) == '=';
  };
  const auto row = std::find_if(kUpdates.begin(), kUpdates.end(), is_update);
  const bool is_item = cursor_.peek() == '[';
  if (!is_item && row == kUpdates.end()) return false;
  settle_parameters();
  const std::size_t at = cursor_.at();
  std::vector<Arg> args(1);
  check(at, names_.use(name, args.front()));
  std::string_view sign;
  if (is_item) {
    cursor_.take('[');
    args.push_back(values_.value());
    cursor_.expect(']');
    cursor_.skip_blanks();
  } else {
    sign = row->first;
    cursor_.take(sign);
  }
  cursor_.expect('=');
  cursor_.skip_blanks();
  args.push_back(values_.value());
  refuse_unread(at);
  update_result(name, is_item ? "setitem" : std::string(row->second), std::move(args), sign);
  return true;
}

/// Reads the part after `;`, which names the updated value.
void FxModule::update_result(std::string_view updated, std::string op, std::vector<Arg> args,
                             std::string_view sign) {
  Step step = new_step("operator." + op + ".default");
  const bool is_scalar = !sign.empty() && args[0].kind == Arg::Kind::sym;
  Arg scalar = is_scalar ? values_.apply(sign, args[0], args[1]) : Arg();
  refuse_unread(cursor_.at());
  step.args = std::move(args);
  if (!cursor_.take(';')) {
    if (!cursor_.failed()) names_.add_effect(std::move(step));
    return ending();
  }
  cursor_.skip_blanks();
  const std::size_t at = cursor_.at();
  const std::string_view name = cursor_.identifier();
  if (name.empty()) return cursor_.fail("a name is missing");
  FxAnnotation annotation;
  cursor_.skip_blanks();
  if (cursor_.take(':')) annotation = read_fx_annotation(text_);
  cursor_.skip_blanks();
  cursor_.expect('=');
  cursor_.skip_blanks();
  const std::size_t source = cursor_.at();
  if (cursor_.identifier() != updated) cursor_.fail_at(source, "not the name of what was updated");
  if (cursor_.failed()) return;
  if (annotation.kind == FxAnnotation::Kind::scalar)
    scalar = fx_settled(annotation.scalar, std::move(scalar));
  if (is_scalar)
    check(at, names_.bind(name, std::move(scalar)));
  else
    add(std::move(step), name, at, annotation);
  ending();
}

/// `self.a.b` or `getattr(self.a, "0").b`: a constant tensor, or a nested module.
void FxModule::attribute(std::string_view name, std::size_t at, const FxAnnotation& annotation) {
  const std::size_t start = cursor_.at();
  std::string_view attribute;
  if (cursor_.take("getattr(")) {
    cursor_.path();
    cursor_.take(", ");
    if (cursor_.peek() != '"' && cursor_.peek() != '\'')
      return cursor_.fail("an attribute's name is missing");
    cursor_.string_literal();
    cursor_.expect(')');
    if (cursor_.take('.')) cursor_.path();
    if (!cursor_.failed()) attribute = cursor_.since(start);
  } else {
    cursor_.take("self.");
    attribute = cursor_.path();
  }
  if (attribute.empty()) return cursor_.fail("an attribute's name is missing");
  if (cursor_.peek() == '(') return module_call(attribute, name, at, annotation);
  if (annotation.kind == FxAnnotation::Kind::scalar) return check(at, names_.bind(name, annotation.scalar));
  const bool is_module =
      annotation.kind == FxAnnotation::Kind::absent && (text_.annotated || text_.classes.contains(attribute));
  if (is_module) return check(at, names_.bind(name, Arg::of_graph(std::string(attribute))));
  check(at, names_.add_constant(name, attribute, annotation.type));
}

/// `self.fc1(x)` is `module.fc1(x)`. Guards only raise, so they add no step.
void FxModule::module_call(std::string_view module, std::string_view name, std::size_t at,
                           const FxAnnotation& annotation) {
  std::string op = "module." + std::string(module);
  for (char& c : op)
    if (!is_fx_letter(c) && !is_fx_digit(c)) c = '_';
  op[6] = '.';
  Step step = new_step(op + ".default");
  values_.arguments(step);
  refuse_unread(at);
  if (module == "_guards_fn" && !cursor_.failed()) return check(at, names_.bind(name, Arg()));
  add(std::move(step), name, at, annotation);
}

void FxModule::expression(std::string_view name, std::size_t at, const FxAnnotation& annotation) {
  const std::size_t start = cursor_.at();
  Arg value = values_.value();
  if (annotation.kind == FxAnnotation::Kind::scalar) {
    values_.unread.clear();
    values_.operation.reset();
    value = fx_settled(annotation.scalar, std::move(value));
  }
  if (auto operation = std::exchange(values_.operation, std::nullopt)) {
    values_.unread.clear();
    Step step = new_step("operator." + operation->name + ".default");
    step.args = std::move(operation->args);
    return add(std::move(step), name, at, annotation);
  }
  refuse_unread(start);
  if (!cursor_.failed()) check(at, names_.bind(name, std::move(value)));
}

void FxModule::refuse_unread(std::size_t at) {
  if (!values_.unread.empty()) cursor_.fail_at(at, "cannot be read: " + values_.unread);
}

}  // namespace noclobber
