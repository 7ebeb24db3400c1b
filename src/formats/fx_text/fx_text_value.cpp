// Precedence climbing over Python's operators.
//
//   value   = operand { OPERATOR operand }
//   operand = (+|-|~) operand | atom [ ** operand ]
//   atom    = number | string | name | path | call | ( ... ) | [ ... ] | { ... } | < ... >
#include "src/formats/fx_text/fx_text_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace noclobber {
namespace {

constexpr int kDeepestValue = 100;
constexpr std::size_t kMostValues = 8000000;  // of one text; each takes over 100 bytes

struct FxOperator {
  std::string_view sign;
  int level;  // higher binds tighter
  std::string_view name;
};
// A sign that begins another stands behind it.
constexpr std::array kFxOperators = {
    FxOperator{"==", 1, "eq"},    FxOperator{"!=", 1, "ne"},       FxOperator{"<=", 1, "le"},
    FxOperator{">=", 1, "ge"},    FxOperator{"<<", 5, "lshift"},   FxOperator{">>", 5, "rshift"},
    FxOperator{"<", 1, "lt"},     FxOperator{">", 1, "gt"},        FxOperator{"|", 2, "or_"},
    FxOperator{"^", 3, "xor"},    FxOperator{"&", 4, "and_"},      FxOperator{"+", 6, "add"},
    FxOperator{"-", 6, "sub"},    FxOperator{"//", 7, "floordiv"}, FxOperator{"/", 7, "truediv"},
    FxOperator{"%", 7, "mod"},    FxOperator{"**", 9, "pow"},      FxOperator{"*", 7, "mul"},
    FxOperator{"@", 7, "matmul"},
};

std::string_view fx_operator_name(std::string_view sign) {
  for (const FxOperator& row : kFxOperators)
    if (row.sign == sign) return row.name;
  return "";
}

const FxOperator* fx_operator_at(const FxCursor& cursor) {
  constexpr std::string_view kFirst = "=!<>|^&+-/%*@";
  if (kFirst.find(cursor.peek()) == kFirst.npos) return nullptr;
  for (const FxOperator& row : kFxOperators)
    if (cursor.starts_with(row.sign)) return &row;
  return nullptr;
}

/// "cuda:0" from device(type='cuda', index=0).
std::string fx_device(const std::vector<Arg>& args, const std::vector<std::pair<std::string, Arg>>& kwargs) {
  std::string text = !args.empty() ? args.front().text : "";
  for (const auto& [name, value] : kwargs) {
    if (name == "type") text = value.text;
    if (name == "index" && value.kind == Arg::Kind::sym && value.sym.is_constant())
      text += ":" + value.sym.text();
  }
  return text;
}

Arg fx_pair(std::string key, Arg value) { return Arg::of({Arg::of_text(std::move(key)), std::move(value)}); }

Arg fx_path_value(std::string_view path) {
  if (auto dtype = parse_torch_dtype(path)) return Arg::of_dtype(*dtype);
  if (path.starts_with("torch.ops.")) path.remove_prefix(10);
  if (path.starts_with("torch.") && path.find('.', 6) == path.npos) path.remove_prefix(6);
  return Arg::of_text(std::string(path));
}

}  // namespace

Arg FxValues::value() {
  if (++count_ > kMostValues) cursor_.fail("the graph has too many values");
  Arg result = binary(0);
  cursor_.skip_blanks();
  return result;
}

Arg FxValues::unfolded(std::string_view what) {
  if (unread.empty()) unread = std::string(what.substr(0, 80));
  operation.reset();
  return {};
}

/// The operation is kept if it is the only thing that is no value.
Arg FxValues::unfolded(std::string_view what, std::string_view name, std::vector<Arg> args) {
  const bool is_first = unread.empty();
  unfolded(what);
  if (is_first) operation = FxOperation{std::string(name), std::move(args)};
  return {};
}

Arg FxValues::fold(std::string_view sign, const Arg& left, const Arg& right) {
  const std::string_view name = fx_operator_name(sign);
  if (left.kind != Arg::Kind::sym || right.kind != Arg::Kind::sym) {
    if (auto scalar = fx_scalar_call(name, {left, right})) return *std::move(scalar);
    return unfolded("'" + std::string(sign) + "' between values that are not integers", name, {left, right});
  }
  // Each line may double what the line before it made.
  if (left.sym.nodes().size() + right.sym.nodes().size() > kFxLargestFold)
    return unfolded("a very large expression");
  using Kind = SymRelation::Kind;
  const SymExpr &a = left.sym, &b = right.sym;
  if (sign == "+") return Arg::of(a + b);
  if (sign == "-") return Arg::of(a - b);
  if (sign == "*") return Arg::of(a * b);
  if (sign == "//") return Arg::of(SymExpr::binary(SymExpr::Op::floor_div, a, b));
  if (sign == "%") return Arg::of(SymExpr::binary(SymExpr::Op::mod, a, b));
  if (sign == "**") return Arg::of(SymExpr::binary(SymExpr::Op::pow, a, b));
  if (sign == "==") return Arg::of(fx_relation(Kind::eq, a, b));
  if (sign == "!=") return Arg::of(fx_relation(Kind::ne, a, b));
  if (sign == "<") return Arg::of(fx_relation(Kind::lt, a, b));
  if (sign == "<=") return Arg::of(fx_relation(Kind::le, a, b));
  if (sign == ">") return Arg::of(fx_relation(Kind::lt, b, a));
  if (sign == ">=") return Arg::of(fx_relation(Kind::le, b, a));
  return Arg::of(SymExpr::opaque(std::string(name), {a, b}));
}

Arg FxValues::binary(int lowest) {
  if (++depth_ > kDeepestValue) cursor_.fail("values are nested too deep");
  Arg left = cursor_.failed() ? Arg() : operand();
  while (!cursor_.failed()) {
    const std::size_t before = cursor_.at();
    cursor_.skip_blanks();
    const FxOperator* row = fx_operator_at(cursor_);
    if (!row || row->level < lowest) {
      cursor_.back_to(before);
      break;
    }
    cursor_.take(row->sign);
    cursor_.skip_blanks();
    const Arg right = binary(row->level == 9 ? 9 : row->level + 1);
    left = fold(row->sign, left, right);
  }
  --depth_;
  return left;
}

Arg FxValues::operand() {
  const char c = cursor_.peek();
  if (c != '-' && c != '+' && c != '~') return atom();
  if (++depth_ > kDeepestValue) cursor_.fail("values are nested too deep");
  cursor_.take(c);
  cursor_.skip_blanks();
  Arg result = cursor_.failed() ? Arg() : unary(c);
  --depth_;
  return result;
}

Arg FxValues::unary(char sign) {
  const char next = cursor_.peek();
  if (sign == '-' && (is_fx_digit(next) || next == '.')) {
    Arg literal = number(true);
    cursor_.skip_blanks();
    if (!cursor_.starts_with("**")) return literal;
    cursor_.take("**");
    cursor_.skip_blanks();
    if (literal.kind == Arg::Kind::sym) literal.sym = SymExpr(-1) * literal.sym;
    if (literal.kind == Arg::Kind::real) literal.real = -literal.real;
    return fold("*", Arg::of(SymExpr(-1)), fold("**", literal, binary(9)));
  }
  const Arg inner = binary(8);
  if (sign == '+') return inner;
  if (sign == '-' && inner.kind == Arg::Kind::real) return Arg::of_real(-inner.real);
  if (sign == '-' && inner.kind == Arg::Kind::sym) return fold("*", Arg::of(SymExpr(-1)), inner);
  const std::string_view name = sign == '~' ? "invert" : "neg";
  if (auto scalar = fx_scalar_call(name, {inner})) return *std::move(scalar);
  return unfolded("'" + std::string(1, sign) + "' of a value that is no number", name, {inner});
}

Arg FxValues::atom() {
  const char c = cursor_.peek();
  if (cursor_.take("...")) return Arg::of_text("Ellipsis");
  if (is_fx_digit(c) || c == '.') return number(false);
  if (is_fx_letter(c)) return word();
  switch (c) {
    case '\'':
    case '"':
      return Arg::of_text(cursor_.string_literal());
    case '(':
      return parenthesized();
    case '[':
      cursor_.take('[');
      return sequence(']');
    case '{':
      return dictionary();
    case '<':
      return object();
    default:
      break;
  }
  cursor_.fail(cursor_.at_end() || c == '\n' ? "a value is missing" : "a value cannot begin here");
  return {};
}

Arg FxValues::number(bool negative) {
  const std::string_view rest = cursor_.rest();
  std::size_t size = 0;
  bool integer = true;
  for (; size < rest.size(); ++size) {
    const char c = rest[size];
    const bool exponent = (c == '+' || c == '-') && size > 0 && (rest[size - 1] | 0x20) == 'e';
    if (!is_fx_digit(c) && c != '.' && !is_fx_letter(c) && !exponent) break;
    if (!is_fx_digit(c)) integer = false;
  }
  const std::string text = (negative ? "-" : "") + std::string(rest.substr(0, size));
  const char* const end = text.data() + text.size();
  if (text.ends_with('j')) {
    cursor_.take(rest.substr(0, size));
    return Arg::of_text(text);
  }
  std::int64_t whole = 0;
  double real = 0;
  const auto done =
      integer ? std::from_chars(text.data(), end, whole) : std::from_chars(text.data(), end, real);
  if (done.ec == std::errc::result_out_of_range) {
    cursor_.fail(integer ? "an integer needs more than 64 bits" : "a number is out of range");
  } else if (done.ec != std::errc() || done.ptr != end) {
    cursor_.fail("'" + text.substr(0, 40) + "' is no number");
  }
  cursor_.take(rest.substr(0, size));
  return integer ? Arg::of(SymExpr(whole)) : Arg::of_real(real);
}

Arg FxValues::word() {
  const std::size_t start = cursor_.at();
  const std::string_view path = cursor_.path();
  const std::string_view head = path.substr(0, path.find('.'));
  if (cursor_.peek() == '(' && !(head.size() < path.size() && names_.knows(head))) return call(path);
  if (names_.knows(head)) {
    if (head.size() < path.size() || cursor_.peek() == '[') {
      cursor_.fail_at(start, "'" + std::string(path.substr(0, 80)) +
                                 "' is a method, an attribute or an index inside another value");
      return {};
    }
    Arg value;
    const std::string fault = waits ? names_.wait_for(head, value) : names_.use(head, value);
    if (!fault.empty()) cursor_.fail_at(start, fault);
    return value;
  }
  if (path != "None") {
    Arg value = constant(path);
    if (value.kind != Arg::Kind::none) return value;
    cursor_.fail_at(start, "'" + std::string(path.substr(0, 80)) + "' is not defined");
  }
  return {};
}

/// A name that stands for itself; none if it does not.
Arg FxValues::constant(std::string_view path) {
  if (path == "True" || path == "False") return Arg::of_bool(path == "True");
  if (path == "inf" || path == "math.inf" || path == "torch.inf")
    return Arg::of_real(std::numeric_limits<double>::infinity());
  if (path == "nan" || path == "math.nan" || path == "torch.nan")
    return Arg::of_real(std::numeric_limits<double>::quiet_NaN());
  if (path.find('.') != path.npos) return fx_path_value(path);
  constexpr std::array<std::string_view, 11> kWords = {"Ellipsis", "int",  "float", "bool", "str",  "list",
                                                       "tuple",    "dict", "set",   "type", "slice"};
  const bool is_word = std::find(kWords.begin(), kWords.end(), path) != kWords.end();
  // A mangled name of something in a module: torch__dynamo_variables_foo.
  return is_word || path.starts_with("torch_") ? Arg::of_text(std::string(path)) : Arg();
}

Arg FxValues::call(std::string_view head) {
  std::vector<Arg> args;
  std::vector<std::pair<std::string, Arg>> kwargs;
  arguments(args, kwargs);
  if (head == "device" || head == "torch.device") return Arg::of_device(fx_device(args, kwargs));
  const bool is_class =
      head == "slice" || head == "torch.Tensor" || (head.front() >= 'A' && head.front() <= 'Z');
  if (head == "float" && args.size() == 1 && args.front().kind == Arg::Kind::text) {
    const std::string& text = args.front().text;
    const double sign = text.starts_with('-') ? -1 : 1;
    if (text.ends_with("inf")) return Arg::of_real(sign * std::numeric_limits<double>::infinity());
    if (text == "nan") return Arg::of_real(std::numeric_limits<double>::quiet_NaN());
  }
  if (head == "complex" && args.size() == 2 && kwargs.empty()) {
    const auto part = [](const Arg& arg) -> std::optional<double> {
      if (arg.kind == Arg::Kind::real) return arg.real;
      if (arg.kind != Arg::Kind::sym || !arg.sym.is_constant()) return std::nullopt;
      return static_cast<double>(arg.sym.constant());
    };
    // No kernel here computes with it: two are equal as they are written.
    if (const auto real = part(args[0]), imaginary = part(args[1]); real && imaginary)
      return Arg::of_text(fmt::format("complex({:.17g}, {:.17g})", *real, *imaginary));
  }
  if (head == "torch.Size" && args.size() == 1) return std::move(args.front());
  if (!is_class && fx_is_scalar_function(head) && kwargs.empty())
    if (auto scalar = fx_scalar_call(head, args)) return *std::move(scalar);
  if (!is_class) return unfolded("a call of '" + std::string(head.substr(0, 80)) + "' inside another value");
  std::vector<Arg> list = {Arg::of_text(std::string(head))};
  for (Arg& arg : args) list.push_back(std::move(arg));
  for (auto& [name, value] : kwargs) list.push_back(fx_pair(std::move(name), std::move(value)));
  return Arg::of(std::move(list));
}

Arg FxValues::sequence(char close) {
  std::vector<Arg> list;
  cursor_.skip_all();
  while (!cursor_.failed() && !cursor_.take(close)) {
    list.push_back(value());
    cursor_.skip_all();
    if (cursor_.take(close)) break;
    cursor_.expect(',');
    cursor_.skip_all();
  }
  return Arg::of(std::move(list));
}

Arg FxValues::parenthesized() {
  cursor_.take('(');
  cursor_.skip_all();
  if (cursor_.take(')')) return Arg::of(std::vector<Arg>());
  const std::size_t start = cursor_.at();
  const bool digits = is_fx_digit(cursor_.peek()) || cursor_.peek() == '-';
  const std::string_view inside = cursor_.rest();
  const std::size_t close = digits ? inside.substr(0, 64).find(')') : inside.npos;
  // A complex number by repr, (1+2j), is kept as its text.
  if (close != inside.npos && close > 0 && inside[close - 1] == 'j' && inside.find_first_of(", (") > close) {
    cursor_.back_to(start + close + 1);
    return Arg::of_text(std::string(inside.substr(0, close)));
  }
  Arg first = value();
  cursor_.skip_all();
  if (cursor_.take(')')) return first;
  cursor_.expect(',');
  Arg rest = sequence(')');
  rest.list.insert(rest.list.begin(), std::move(first));
  return rest;
}

Arg FxValues::dictionary() {
  std::vector<Arg> list;
  cursor_.take('{');
  cursor_.skip_all();
  while (!cursor_.failed() && !cursor_.take('}')) {
    Arg key = value();
    cursor_.skip_all();
    cursor_.expect(':');
    cursor_.skip_all();
    Arg content = value();
    list.push_back(Arg::of({std::move(key), std::move(content)}));
    cursor_.skip_all();
    if (cursor_.take('}')) break;
    cursor_.expect(',');
    cursor_.skip_all();
  }
  return Arg::of(std::move(list));
}

/// `<OpOverload(op='aten.slice', overload='Tensor')>` is the operator's name, any other object its text.
Arg FxValues::object() {
  const std::string_view rest = cursor_.rest();
  const std::size_t close = rest.find_first_of(">\n");
  if (close == rest.npos || rest[close] == '\n') {
    cursor_.fail("'<' has no '>'");
    return {};
  }
  std::string_view text = rest.substr(0, close + 1);
  cursor_.take(text);
  constexpr std::string_view kBegin = "<OpOverload(op='", kMiddle = "', overload='", kEnd = "')>";
  const std::size_t middle = text.find(kMiddle);
  if (!text.starts_with(kBegin) || !text.ends_with(kEnd) || middle == text.npos)
    return Arg::of_text(std::string(text));
  text.remove_suffix(kEnd.size());
  return Arg::of_text(std::string(text.substr(kBegin.size(), middle - kBegin.size())) + "." +
                      std::string(text.substr(middle + kMiddle.size())));
}

void FxValues::arguments(std::vector<Arg>& args, std::vector<std::pair<std::string, Arg>>& kwargs) {
  if (++depth_ > kDeepestValue) cursor_.fail("values are nested too deep");
  cursor_.expect('(');
  cursor_.skip_all();
  while (!cursor_.failed() && !cursor_.take(')')) {
    const std::size_t start = cursor_.at();
    const std::string_view name = cursor_.identifier();
    cursor_.skip_blanks();
    const bool keyword = !name.empty() && cursor_.peek() == '=' && cursor_.peek(1) != '=';
    if (keyword) {
      cursor_.take('=');
      cursor_.skip_all();
      kwargs.emplace_back(std::string(name), value());
    } else {
      cursor_.back_to(start);
      if (!kwargs.empty()) cursor_.fail("a positional argument behind a keyword");
      args.push_back(value());
      waits = false;
    }
    cursor_.skip_all();
    if (cursor_.take(')')) break;
    cursor_.expect(',');
    cursor_.skip_all();
  }
  --depth_;
}

}  // namespace noclobber
