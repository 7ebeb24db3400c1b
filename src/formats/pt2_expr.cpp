#include "src/formats/pt2_expr.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "src/formats/fx_text_annotation.h"
#include "src/formats/fx_text_cursor.h"
#include "src/formats/fx_text_value.h"

namespace noclobber {
namespace {

constexpr int kDeepestSrepr = 200;
constexpr std::size_t kLargestSrepr = 20000;  // nodes

class SreprReader {
 public:
  explicit SreprReader(std::string_view text) : cursor_(text) {}

  Result<Arg> read() {
    Arg value = expression();
    if (!cursor_.at_end()) cursor_.fail("unexpected text behind an expression");
    if (!cursor_.failed()) return value;
    const std::string& where = cursor_.fault().where;  // "line 1, column N"
    return Diagnostic{where.substr(where.find(", ") + 2), cursor_.fault().message};
  }

 private:
  Arg expression();
  Arg leaf(std::string_view head);
  Arg literal();
  void keyword();
  std::vector<Arg> arguments();
  Arg function(std::string_view head, std::vector<Arg> args);
  Arg fault(std::string message) {
    cursor_.fail(std::move(message));
    return {};
  }

  FxCursor cursor_;
  int depth_ = 0;
  std::size_t count_ = 0;
};

Arg SreprReader::expression() {
  if (++count_ > kLargestSrepr) return fault("an expression is too large");
  cursor_.skip_blanks();
  const std::string_view head = cursor_.path();
  if (head.empty()) return literal();
  if (cursor_.peek() != '(') {
    if (head == "true" || head == "True") return Arg::of_bool(true);
    if (head == "false" || head == "False") return Arg::of_bool(false);
    return Arg::of(SymExpr::opaque(std::string(head), {}));  // oo, int_oo, nan
  }
  if (++depth_ > kDeepestSrepr) return fault("an expression is nested too deep");
  cursor_.take('(');
  Arg value =
      head == "Symbol" || head == "Integer" || head == "Float" ? leaf(head) : function(head, arguments());
  --depth_;
  return value;
}

Arg SreprReader::literal() {
  if (cursor_.peek() == '\'' || cursor_.peek() == '"') return Arg::of_text(cursor_.string_literal());
  const std::size_t start = cursor_.at();
  cursor_.take('-');
  while (is_fx_digit(cursor_.peek()) || cursor_.peek() == '.') cursor_.take(cursor_.peek());
  if (cursor_.at() == start) return fault("an expression is missing");
  return fx_scalar(cursor_.since(start));
}

/// `, integer=True`
void SreprReader::keyword() {
  cursor_.expect(',');
  cursor_.skip_blanks();
  cursor_.identifier();
  cursor_.expect('=');
  if (cursor_.identifier().empty()) literal();
}

/// Symbol('s0', positive=True, integer=True), Integer(-1), Float('0.5', precision=53)
Arg SreprReader::leaf(std::string_view head) {
  Arg value = literal();
  while (!cursor_.failed() && !cursor_.take(')')) keyword();
  if (cursor_.failed()) return {};
  const bool is_text = value.kind == Arg::Kind::text;
  if (head == "Symbol") {
    if (!is_text || !is_fx_identifier(value.text)) return fault("a symbol has no name");
    return Arg::of(SymExpr::symbol(value.text));
  }
  if (head == "Float" && is_text) value = fx_scalar(value.text);
  if (head == "Float" && value.kind == Arg::Kind::sym && value.sym.is_constant())
    value = Arg::of_real(static_cast<double>(value.sym.constant()));
  const bool is_integer = value.kind == Arg::Kind::sym && value.sym.is_constant();
  if (head == "Integer" && !is_integer) return fault("an integer needs more than 64 bits");
  if (value.kind == Arg::Kind::text) return fault("a number is missing");
  return value;
}

std::vector<Arg> SreprReader::arguments() {
  std::vector<Arg> args;
  while (!cursor_.failed() && !cursor_.take(')')) {
    args.push_back(expression());
    cursor_.skip_blanks();
    if (cursor_.take(')')) break;
    cursor_.expect(',');
  }
  return args;
}

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
  using Kind = SymRelation::Kind;
  if (head == "Equality" || head == "Eq") return fx_relation(Kind::eq, terms[0], terms[1]);
  if (head == "Unequality" || head == "Ne") return fx_relation(Kind::ne, terms[0], terms[1]);
  if (head == "StrictLessThan" || head == "Lt") return fx_relation(Kind::lt, terms[0], terms[1]);
  if (head == "LessThan" || head == "Le") return fx_relation(Kind::le, terms[0], terms[1]);
  if (head == "StrictGreaterThan" || head == "Gt") return fx_relation(Kind::lt, terms[1], terms[0]);
  if (head == "GreaterThan" || head == "Ge") return fx_relation(Kind::le, terms[1], terms[0]);
  return std::nullopt;
}

Arg SreprReader::function(std::string_view head, std::vector<Arg> args) {
  std::vector<SymExpr> terms;
  bool are_integers = true;
  for (const Arg& arg : args) {
    are_integers = are_integers && arg.kind == Arg::Kind::sym;
    if (arg.kind == Arg::Kind::sym) terms.push_back(arg.sym);
  }
  if (cursor_.failed()) return {};
  if (are_integers) {
    if (auto value = srepr_folded(head, terms)) return Arg::of(*std::move(value));
    if (auto value = srepr_relation(head, terms)) return Arg::of(*std::move(value));
  }
  auto opaque = fx_scalar_call(head, args);
  if (!opaque) return fault("an argument of '" + std::string(head.substr(0, 40)) + "' is no number");
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
