#include "src/lower/pt2/expr.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "src/formats/fx_text/fx_text_annotation.h"
#include "src/formats/fx_text/fx_text_value.h"
#include "src/text/python_tree.h"

namespace noclobber {
namespace {

constexpr int kDeepestSrepr = 200;
constexpr std::size_t kLargestSrepr = 20000;  // nodes

std::optional<SymExpr> srepr_folded(std::string_view head, const std::vector<SymExpr>& terms) {
  struct Row {
    std::string_view name;
    SymExpr::Op op;
    bool is_binary;
  };
  constexpr std::array kRows = {
      Row{"Add", SymExpr::Op::add, false},
      Row{"Mul", SymExpr::Op::mul, false},
      Row{"Max", SymExpr::Op::max, false},
      Row{"Min", SymExpr::Op::min, false},
      Row{"FloorDiv", SymExpr::Op::floor_div, true},
      Row{"CleanDiv", SymExpr::Op::floor_div, true},
      Row{"Mod", SymExpr::Op::mod, true},
      Row{"PythonMod", SymExpr::Op::mod, true},
      Row{"Pow", SymExpr::Op::pow, true},
      Row{"PowByNatural", SymExpr::Op::pow, true},
  };
  for (const Row& row : kRows) {
    if (row.name != head || terms.empty() || (row.is_binary && terms.size() != 2)) continue;
    SymExpr result = terms.front();
    for (std::size_t k = 1; k < terms.size(); ++k) result = SymExpr::binary(row.op, result, terms[k]);
    return result;
  }
  if (head == "ModularIndexing" && terms.size() == 3)
    return SymExpr::binary(SymExpr::Op::mod, SymExpr::binary(SymExpr::Op::floor_div, terms[0], terms[1]),
                           terms[2]);
  if (head == "Identity" && terms.size() == 1) return terms.front();
  return std::nullopt;
}

std::optional<SymExpr> srepr_relation(std::string_view head, const std::vector<SymExpr>& terms) {
  if (terms.size() != 2) return std::nullopt;
  using Relation = SymRelation::Kind;
  if (head == "Equality" || head == "Eq") return fx_relation(Relation::eq, terms[0], terms[1]);
  if (head == "Unequality" || head == "Ne") return fx_relation(Relation::ne, terms[0], terms[1]);
  if (head == "StrictLessThan" || head == "Lt") return fx_relation(Relation::lt, terms[0], terms[1]);
  if (head == "LessThan" || head == "Le") return fx_relation(Relation::le, terms[0], terms[1]);
  if (head == "StrictGreaterThan" || head == "Gt") return fx_relation(Relation::lt, terms[1], terms[0]);
  if (head == "GreaterThan" || head == "Ge") return fx_relation(Relation::le, terms[1], terms[0]);
  return std::nullopt;
}

class SreprReader {
 public:
  explicit SreprReader(std::string_view text) : cursor_(text) {}

  Result<Arg> read() {
    cursor_.skip_blanks();
    const PythonExpr tree = python_expression(cursor_, kDeepestSrepr);
    cursor_.skip_blanks();
    if (!cursor_.at_end()) cursor_.fail("unexpected text behind an expression");
    Arg value = cursor_.failed() ? Arg() : value_of(tree);
    if (!cursor_.failed()) return value;
    const std::string& where = cursor_.fault().where;  // "line 1, column N"
    return Diagnostic{where.substr(where.find(", ") + 2), cursor_.fault().message};
  }

 private:
  Arg value_of(const PythonExpr& expr);
  Arg leaf(const PythonExpr& call);
  Arg function(const PythonExpr& call);
  Arg fault(const PythonExpr& at, std::string message) {
    cursor_.fail_at(at.at, std::move(message));
    return {};
  }

  FxCursor cursor_;
  std::size_t count_ = 0;
};

Arg SreprReader::value_of(const PythonExpr& expr) {
  if (cursor_.failed()) return {};
  if (++count_ > kLargestSrepr) return fault(expr, "an expression is too large");
  using Kind = PythonExpr::Kind;
  switch (expr.kind) {
    case Kind::integer:
      return Arg::of(SymExpr(expr.integer));
    case Kind::real:
      return Arg::of_real(expr.real);
    case Kind::boolean:
      return Arg::of_bool(expr.boolean);
    case Kind::text:
      return Arg::of_text(expr.text);
    case Kind::name:
      if (expr.text == "true" || expr.text == "false") return Arg::of_bool(expr.text == "true");
      return Arg::of(SymExpr::opaque(expr.text, {}));  // oo, int_oo, nan
    case Kind::none:
      return Arg::of(SymExpr::opaque("None", {}));
    case Kind::call:
      return expr.text == "Symbol" || expr.text == "Integer" || expr.text == "Float" ? leaf(expr)
                                                                                     : function(expr);
    case Kind::ellipsis:
    case Kind::sequence:
    case Kind::dict:
    case Kind::opaque:
      break;
  }
  return fault(expr, "an expression is missing");
}

/// Symbol('s0', positive=True, integer=True), Integer(-1), Float('0.5', precision=53)
Arg SreprReader::leaf(const PythonExpr& call) {
  Arg value = call.items.size() == 1 ? value_of(call.items[0]) : Arg();
  if (cursor_.failed()) return {};
  const bool is_text = value.kind == Arg::Kind::text;
  if (call.text == "Symbol") {
    if (!is_text || !is_fx_identifier(value.text)) return fault(call, "a symbol has no name");
    return Arg::of(SymExpr::symbol(value.text));
  }
  if (call.text == "Float" && is_text) value = fx_scalar(value.text);
  if (call.text == "Float" && value.kind == Arg::Kind::sym && value.sym.is_constant())
    value = Arg::of_real(static_cast<double>(value.sym.constant()));
  const bool is_integer = value.kind == Arg::Kind::sym && value.sym.is_constant();
  if (call.text == "Integer" ? !is_integer : value.kind != Arg::Kind::real)
    return fault(call, "a number is missing");
  return value;
}

Arg SreprReader::function(const PythonExpr& call) {
  if (!call.entries.empty()) return fault(call, "a keyword that means nothing here");
  const std::string& head = call.text;
  std::vector<SymExpr> terms;
  std::vector<Arg> args;
  bool are_integers = true;
  for (const PythonExpr& item : call.items) {
    const Arg& arg = args.emplace_back(value_of(item));
    are_integers = are_integers && arg.kind == Arg::Kind::sym;
    if (arg.kind == Arg::Kind::sym) terms.push_back(arg.sym);
  }
  if (cursor_.failed()) return {};
  if (are_integers) {
    if (auto value = srepr_folded(head, terms)) return Arg::of(*std::move(value));
    if (auto value = srepr_relation(head, terms)) return Arg::of(*std::move(value));
  }
  auto opaque = fx_scalar_call(head, args);
  if (!opaque) return fault(call, "an argument of '" + head.substr(0, 40) + "' is no number");
  return *std::move(opaque);
}

}  // namespace

Result<Arg> parse_pt2_scalar(std::string_view text) {
  const bool is_srepr =
      text.find("Symbol(") != text.npos || text.find("Integer(") != text.npos || text.starts_with("Float(");
  if (is_srepr) return SreprReader(text).read();
  if (text.empty()) return Diagnostic{"column 1", "an expression is missing"};
  return fx_scalar(text);
}

}  // namespace noclobber
