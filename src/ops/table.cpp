#include <algorithm>
#include <array>
#include <string>

#include "src/base/name_table.h"
#include "src/graph/bodies.h"
#include "src/ops/fit_rules.h"
#include "src/ops/row.h"
#include "src/ops/shape_rules.h"
#include "src/ops/view_rules.h"

namespace noclobber {
namespace op_table {

using namespace move_rules;
using namespace fit_rules;
using namespace shape_rules;
using namespace view_rules;
using enum Meaning;

constexpr auto kRows = [] {
#define OP(name, ...) OpRow{.op = name __VA_OPT__(, ) __VA_ARGS__},
  // table
  auto rows = std::to_array<OpRow>({
#include "src/ops/table_compute.def"
#include "src/ops/table_effects.def"
#include "src/ops/table_moves.def"
#include "src/ops/table_pointwise.def"
#include "src/ops/table_views.def"
  });
#undef OP
  std::sort(rows.begin(), rows.end(), [](const OpRow& a, const OpRow& b) { return a.op < b.op; });
  return rows;
}();

static_assert(std::adjacent_find(kRows.begin(), kRows.end(),
                                 [](const OpRow& a, const OpRow& b) { return a.op == b.op; }) == kRows.end());

}  // namespace op_table

namespace {

const OpRow* row_named(std::string_view op) {
  static const auto rows = [] {
    NameTable<const OpRow*> out(op_table::kRows.size());
    for (const OpRow& row : op_table::kRows) out.add(row.op, &row);
    return out;
  }();
  const auto* row = rows.find(op);
  return row != nullptr ? *row : nullptr;
}

bool is_out_overload(const Schema& schema) {
  return schema.overload == "out" || schema.overload.ends_with("_out");
}

bool shows_view(const Schema& schema) {
  return std::any_of(schema.returns.begin(), schema.returns.end(),
                     [](const SchemaSlot& r) { return !r.alias.empty() && !r.written; });
}

}  // namespace

std::span<const OpRow> op_rows() { return op_table::kRows; }

const OpRow* find_row(std::string_view op) {
  if (const OpRow* row = row_named(op)) return row;
  const std::size_t dot = op.find('.');
  return dot == std::string_view::npos ? nullptr : row_named(std::string(op.substr(0, dot)) + ".*");
}

ViewRule find_view_rule(std::string_view op) {
  const OpRow* row = find_row(op);
  if (row != nullptr && row->view != nullptr) return row->view;
  return op.ends_with("_copy") ? find_view_rule(op.substr(0, op.size() - 5)) : nullptr;
}

std::string_view base_name(std::string_view op) {
  const std::size_t first = op.find('.');
  const std::size_t second = first == std::string_view::npos ? first : op.find('.', first + 1);
  return op.substr(0, second);
}

/// The overload's own row, or that of the functional operator, whose effects it has besides its writes.
const OpRow* row_of_overload(std::string_view op, const Schema& schema) {
  if (const OpRow* row = find_row(op); row != nullptr || !schema.writes()) return row;
  const std::string functional = functional_op(schema.op);
  return functional.empty() ? nullptr : find_row(base_name(functional));
}

namespace {
/// True if the row's meaning also holds for overloads that fill `out` or write their argument. Such an
/// overload returns what it writes, so a meaning of the result alone does not apply to it.
bool holds_where_written(const OpRow& row) {
  return row.meaning == Meaning::normalize_running || row.writes_silently;
}
}  // namespace

Meaning meaning_of(std::string_view op, const Schema& schema) {
  const OpRow* of_overload = row_of_overload(op, schema);
  if (of_overload != nullptr && holds_where_written(*of_overload)) return of_overload->meaning;
  const OpRow* row = is_out_overload(schema) ? nullptr : find_row(op);
  if (row != nullptr && row->meaning != Meaning::opaque) return row->meaning;
  if (op.ends_with("_copy") && !schema.writes() && find_view_rule(op) != nullptr) return Meaning::view_copy;
  if (schema.has(Tag::inplace_view)) {
    const OpRow* shown = find_row(op.substr(0, op.size() - 1));
    return shown != nullptr && shown->meaning == Meaning::view ? Meaning::rebind : Meaning::unsupported;
  }
  if (schema.has(Tag::maybe_aliasing_or_mutating) || shows_view(schema)) return Meaning::unsupported;
  return Meaning::opaque;
}

bool writes_nothing(const Step& step) {
  const Schema* schema = find_schema(step.op);
  return schema != nullptr && !schema->writes() && !has_bodies(step);
}

bool gives_fresh(Meaning meaning) {
  switch (meaning) {
    case Meaning::opaque:
    case Meaning::clone:
    case Meaning::view_copy:
    case Meaning::moved:
    case Meaning::convert:
    case Meaning::copy:
    case Meaning::fill:
    case Meaning::view_scatter:
    case Meaning::concatenate:
    case Meaning::stack:
      return true;
    case Meaning::view:
    case Meaning::may_view:
    case Meaning::view_each:
    case Meaning::rebind:
    case Meaning::set:
    case Meaning::resize:
    case Meaning::may_convert:
    case Meaning::copy_into:
    case Meaning::copy_each:
    case Meaning::fill_into:
    case Meaning::empty:
    case Meaning::self_if_real:
    case Meaning::random_or_self:
    case Meaning::reduce_or_self:
    case Meaning::normalize_running:
    case Meaning::describe:
    case Meaning::ignored:
    case Meaning::wait:
    case Meaning::unsupported:
      return false;
  }
  return false;
}

bool schema_is_silent(std::string_view op, const Schema& schema) {
  switch (meaning_of(op, schema)) {
    case Meaning::view:
    case Meaning::may_view:
    case Meaning::view_each:
    case Meaning::rebind:
    case Meaning::set:
    case Meaning::resize:
    case Meaning::may_convert:
    case Meaning::self_if_real:
    case Meaning::random_or_self:
    case Meaning::reduce_or_self:
    case Meaning::normalize_running:
    case Meaning::unsupported:
      return true;
    case Meaning::opaque:
    case Meaning::clone:
    case Meaning::view_copy:
    case Meaning::moved:
    case Meaning::convert:
    case Meaning::copy:
    case Meaning::fill:
    case Meaning::view_scatter:
    case Meaning::concatenate:
    case Meaning::stack:
    case Meaning::copy_into:
    case Meaning::copy_each:
    case Meaning::fill_into:
    case Meaning::empty:
    case Meaning::ignored:
    case Meaning::describe:
    case Meaning::wait:
      return false;
  }
  return false;
}

bool is_impure(std::string_view op, const Schema& schema) {
  const OpRow* row = row_of_overload(op, schema);
  return row != nullptr && (row->token == Token::effects || row->token == Token::both);
}

bool is_random(std::string_view op, const Schema& schema) {
  const OpRow* row = row_of_overload(op, schema);
  return schema.has(Tag::nondeterministic_seeded) ||
         (row != nullptr && (row->token == Token::generator || row->token == Token::both));
}

namespace {

const Arg* argument_named(const Schema& schema, const std::vector<Arg>& arguments, std::string_view name) {
  for (std::size_t k = 0; k < std::min(arguments.size(), schema.arguments.size()); ++k)
    if (schema.arguments[k].name == name) return &arguments[k];
  return nullptr;
}

bool is_number(const Arg& arg, int number) {
  if (arg.kind == Arg::Kind::real) return arg.real == number;
  return arg.kind == Arg::Kind::sym && arg.sym.is_constant() && arg.sym.constant() == number;
}
bool is_zero(const Arg& arg) { return is_number(arg, 0); }

}  // namespace

bool draws(std::string_view op, const Schema& schema, const std::vector<Arg>& arguments) {
  if (!is_random(op, schema)) return false;
  const OpRow* row = row_of_overload(op, schema);
  const bool composite = row != nullptr && row->meaning == Meaning::random_or_self;
  for (std::size_t k = 0; k < std::min(arguments.size(), schema.arguments.size()); ++k) {
    const std::string& name = schema.arguments[k].name;
    const Arg& arg = arguments[k];
    const bool trains = name == "train" || name == "training";
    if (trains && arg.kind == Arg::Kind::boolean && !arg.boolean) return false;
    if ((name == "dropout_p" || name == "dropout") && is_zero(arg)) return false;
    if (composite && name == "p" && is_number(arg, 1)) return false;  // p = 1 is a product with zero
  }
  return true;
}

bool contents_unread(std::string_view op, const Schema& schema, const std::vector<Arg>& arguments,
                     std::size_t at) {
  const OpRow* row = at == 0 ? find_row(op) : nullptr;
  if (row == nullptr) return false;
  switch (row->unread) {
    case Unread::never:
      return false;
    case Unread::always:
      return true;
    case Unread::given_p:
      return argument_named(schema, arguments, "p") != nullptr;
    case Unread::beta_zero: {
      const Arg* beta = argument_named(schema, arguments, "beta");
      return beta != nullptr && is_zero(*beta);
    }
  }
  return false;
}

bool is_delegate(std::string_view op) {
  return op.starts_with("executorch_delegate.") || op.starts_with("delegate.");
}

bool is_elementwise(std::string_view op, const Schema& schema) {
  const OpRow* row = find_row(op);
  if (schema.has(Tag::pointwise) || (row != nullptr && row->reach == Reach::elementwise)) return true;
  if (row != nullptr && !row->same_as.empty()) {
    const Schema* same = find_schema(std::string(row->same_as) + "." + schema.overload);
    if (same != nullptr && is_elementwise(row->same_as, *same)) return true;
  }
  // PyTorch tags gelu and relu6, but not gelu_ and relu6_.
  const Schema* pure = schema.writes() ? find_schema(functional_op(schema.op)) : nullptr;
  return pure != nullptr && !pure->writes() && is_elementwise(base_name(pure->op), *pure);
}

}  // namespace noclobber
