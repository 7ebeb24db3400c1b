// Values of expressions: arguments of steps, and arithmetic on sizes.
#include "src/formats/fx_text/fx_text_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace noclobber {
namespace {

constexpr std::size_t kMostValues = 8000000;  // of one text; each takes over 100 bytes

std::string_view fx_operator_name(std::string_view sign) {
  for (const PythonOperator& row : kPythonOperators)
    if (row.sign == sign) return row.name;
  return "";
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

Arg FxValues::value() { return reader_.value(); }

void FxValues::arguments(std::vector<Arg>& args, Keywords& kwargs) { reader_.arguments(args, kwargs); }

void FxValues::arguments(Step& step) {
  Keywords named;
  arguments(step.args, named);
  step.kwargs = std::move(named);
}

void FxValues::begins_value() {
  if (++count_ > kMostValues) cursor_.fail("the graph has too many values");
}

Arg FxValues::unfolded(std::string_view what) {
  if (unread.empty()) unread = std::string(what.substr(0, 80));
  operation.reset();
  return {};
}

/// Keeps the operation if nothing before it was unread.
Arg FxValues::unfolded(std::string_view what, std::string_view name, std::vector<Arg> args) {
  const bool is_first = unread.empty();
  unfolded(what);
  if (is_first) operation = FxOperation{std::string(name), std::move(args)};
  return {};
}

Arg FxValues::binary(std::string_view sign, const Arg& left, const Arg& right) {
  const std::string_view name = fx_operator_name(sign);
  if (left.kind != Arg::Kind::sym || right.kind != Arg::Kind::sym) {
    if (auto scalar = fx_scalar_call(name, {left, right})) return *std::move(scalar);
    return unfolded("'" + std::string(sign) + "' between values that are not integers", name, {left, right});
  }
  // Each line may double the expression of the line before it.
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

Arg FxValues::unary(char sign, const Arg& inner) {
  if (sign == '+') return inner;
  if (sign == '-' && inner.kind == Arg::Kind::real) return Arg::of_real(-inner.real);
  if (sign == '-' && inner.kind == Arg::Kind::sym) return binary("*", Arg::of(SymExpr(-1)), inner);
  const std::string_view name = sign == '~' ? "invert" : "neg";
  if (auto scalar = fx_scalar_call(name, {inner})) return *std::move(scalar);
  return unfolded("'" + std::string(1, sign) + "' of a value that is no number", name, {inner});
}

Arg FxValues::number(std::string_view digits, bool negative, std::size_t at) {
  const bool integer = std::ranges::all_of(digits, is_fx_digit);
  const std::string text = (negative ? "-" : "") + std::string(digits);
  if (text.ends_with('j')) return Arg::of_text(text);
  const char* const end = text.data() + text.size();
  std::int64_t whole = 0;
  double real = 0;
  const auto done =
      integer ? std::from_chars(text.data(), end, whole) : std::from_chars(text.data(), end, real);
  if (done.ec == std::errc::result_out_of_range) {
    cursor_.fail_at(at, integer ? "an integer needs more than 64 bits" : "a number is out of range");
  } else if (done.ec != std::errc() || done.ptr != end) {
    cursor_.fail_at(at, "'" + text.substr(0, 40) + "' is no number");
  }
  return integer ? Arg::of(SymExpr(whole)) : Arg::of_real(real);
}

/// False if `path(...)` calls a method of a value.
bool FxValues::calls(std::string_view path) const {
  const std::string_view head = path.substr(0, path.find('.'));
  return !(head.size() < path.size() && names_.knows(head));
}

Arg FxValues::name(std::string_view path, std::size_t at) {
  const std::string_view head = path.substr(0, path.find('.'));
  if (names_.knows(head)) {
    if (head.size() < path.size() || cursor_.peek() == '[') {
      cursor_.fail_at(at, "'" + std::string(path.substr(0, 80)) +
                              "' is a method, an attribute or an index inside another value");
      return {};
    }
    Arg value;
    const std::string fault = waits ? names_.wait_for(head, value) : names_.use(head, value);
    if (!fault.empty()) cursor_.fail_at(at, fault);
    return value;
  }
  if (path != "None") {
    Arg value = constant(path);
    if (value.kind != Arg::Kind::none) return value;
    cursor_.fail_at(at, "'" + std::string(path.substr(0, 80)) + "' is not defined");
  }
  return {};
}

/// The value of a name that the text need not define; Kind::none if there is none.
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
  // A mangled name of an object in a module: torch__dynamo_variables_foo.
  return is_word || path.starts_with("torch_") ? Arg::of_text(std::string(path)) : Arg();
}

Arg FxValues::call(std::string_view head, std::vector<Arg> args, Keywords kwargs, std::size_t /*at*/) {
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
    // No kernel here computes with complex numbers, so they are compared by their text.
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

/// After an opening parenthesis: a complex number by repr, (1+2j), is kept as its text.
bool FxValues::grouped(Arg& out) {
  if (!is_fx_digit(cursor_.peek()) && cursor_.peek() != '-') return false;
  const std::string_view inside = cursor_.rest();
  const std::size_t close = inside.substr(0, 64).find(')');
  if (close == inside.npos || close == 0 || inside[close - 1] != 'j' || inside.find_first_of(", (") <= close)
    return false;
  out = Arg::of_text(std::string(inside.substr(0, close)));
  cursor_.take(inside.substr(0, close + 1));
  return true;
}

/// `<OpOverload(op='aten.slice', overload='Tensor')>` becomes the operator's name, any other object its text.
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

}  // namespace noclobber
