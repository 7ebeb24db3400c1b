// The right-hand sides of FX text: an operator's call, an item of a tuple, an attribute, a scalar.
#include <algorithm>
#include <utility>

#include "src/formats/fx_text_module.h"

namespace noclobber {
namespace {

/// Adds the overload that is not printed; "" if `op` is no operator.
std::string fx_full_name(std::string op) {
  const auto dots = std::count(op.begin(), op.end(), '.');
  if (op.starts_with("higher_order.")) return dots == 1 ? op : "";
  if (dots == 1) return op + ".default";
  return dots == 2 ? op : "";
}

bool fx_is_size_query(std::string_view op) {
  return op.starts_with("aten.sym_size.") || op.starts_with("aten.sym_stride.") ||
         op.starts_with("aten.sym_numel.") || op.starts_with("aten.sym_storage_offset.");
}

}  // namespace

void FxModule::assign(std::string_view name, std::size_t at, const FxAnnotation& annotation) {
  if (cursor_.failed()) return;
  if (cursor_.starts_with("self.") || cursor_.starts_with("getattr(self"))
    return attribute(name, at, annotation);
  const std::size_t start = cursor_.at();
  if (cursor_.take("torch.ops.")) return operation(std::string(cursor_.path()), name, at, annotation);
  if (cursor_.starts_with("aten.") && !names_.knows("aten"))
    return operation(std::string(cursor_.path()), name, at, annotation);
  // A function of Python whose name was mangled: torch__inductor_fx_passes_reinplace__generalized_scatter.
  if (cursor_.starts_with("torch_")) {
    const std::string_view function = cursor_.identifier();
    if (cursor_.peek() == '(') return operation("python." + std::string(function), name, at, annotation);
    cursor_.back_to(start);
  }
  if (begins_item()) return item(name, at, annotation);
  expression(name, at, annotation);
}
void FxModule::operation(std::string op, std::string_view name, std::size_t at,
                         const FxAnnotation& annotation) {
  Step step;
  step.line = cursor_.line();
  step.op = fx_full_name(std::move(op));
  if (step.op.empty()) return cursor_.fail("an operator's name is missing");
  if (cursor_.peek() != '(') return cursor_.fail("not an ATen graph: an operator that is not called");
  values_.arguments(step.args, step.kwargs);
  refuse_unfolded(at);
  if (cursor_.failed()) return;
  step.loc = loc_;
  step.code = code_;
  if (annotation.kind != FxAnnotation::Kind::scalar)
    return check(at, names_.add_step(name, std::move(step), annotation.type));
  if (!fx_is_size_query(step.op)) {
    step.id = std::string(name);
    names_.add_effect(std::move(step));
  }
  check(at, names_.bind(name, annotation.scalar));
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
  const Arg index = values_.value();
  refuse_unfolded(start);
  cursor_.expect(']');
  if (cursor_.failed()) return;
  if (index.kind != Arg::Kind::sym || !index.sym.is_constant())
    return cursor_.fail_at(start, "not an ATen graph: an index that is no number");
  check(at, names_.add_item(name, tuple, index.sym.constant(), annotation));
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
  if (cursor_.peek() == '(') return cursor_.fail_at(start, "not an ATen graph: a call of a module");
  if (annotation.kind == FxAnnotation::Kind::scalar) return check(at, names_.bind(name, annotation.scalar));
  const bool is_module =
      annotation.kind == FxAnnotation::Kind::absent && (text_.annotated || text_.classes.contains(attribute));
  if (is_module) return check(at, names_.bind(name, Arg::of_graph(std::string(attribute))));
  check(at, names_.add_constant(name, attribute, annotation.type));
}

void FxModule::expression(std::string_view name, std::size_t at, const FxAnnotation& annotation) {
  const std::size_t start = cursor_.at();
  Arg value = values_.value();
  if (annotation.kind == FxAnnotation::Kind::scalar) {
    values_.needs_annotation.clear();
    value = annotation.scalar;
  }
  refuse_unfolded(start);
  if (!cursor_.failed()) check(at, names_.bind(name, std::move(value)));
}

void FxModule::refuse_unfolded(std::size_t at) {
  if (!values_.needs_annotation.empty())
    cursor_.fail_at(at, "not an ATen graph: " + values_.needs_annotation);
}

}  // namespace noclobber
