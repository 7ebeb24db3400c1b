// A recursive descent parser for integer expressions in sympy's notation.
//
//   relation = call of Eq Ne Lt Le Gt Ge | sum RELATION sum
//   sum      = product { (+|-) product }
//   product  = factor { (*|/|//|%) factor }
//   factor   = - factor | power
//   power    = atom [ ** factor ]
//   atom     = number | name | name ( sum , ... ) | ( sum )
#include <array>
#include <charconv>
#include <utility>

#include "src/base/sym.h"

namespace noclobber {
namespace {

constexpr std::size_t kLongestText = 16384;  // characters
constexpr int kDeepest = 128;                // nested parentheses, calls and signs
constexpr int kMostQuotients = 16;           // inexact `/` in one expression

constexpr bool is_digit_char(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit_char(c);
}

class SymParser {
 public:
  explicit SymParser(std::string_view text) : text_(text) {}

  Result<SymExpr> whole() {
    SymExpr value = begin() ? sum() : SymExpr();
    if (!fault_ && !at_end()) fail(unexpected());
    if (fault_) return *fault_;
    // An integer that is a single quotient has no remainder, so floor division gives the same value.
    if (quotients_ > 0 && value == quotient_)
      return SymExpr::binary(SymExpr::Op::floor_div, dividend_, divisor_);
    return value;
  }

  Result<SymRelation> relation() {
    SymRelation result = begin() ? either_relation() : SymRelation{};
    if (!fault_ && !at_end()) fail(unexpected());
    if (fault_) return *fault_;
    return result;
  }

 private:
  bool begin() {
    if (text_.size() > kLongestText) fail("expression is longer than 16384 characters");
    return !fault_;
  }

  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool at_end() {
    skip();
    return at_ == text_.size();
  }
  bool take(std::string_view token) {
    skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!fault_ && !take(token)) fail("expected '" + std::string(token) + "'");
  }
  void fail(std::string message) {
    if (!fault_) fault_ = Diagnostic{"column " + std::to_string(at_ + 1), std::move(message)};
  }
  std::string unexpected() const {
    if (at_ >= text_.size()) return "unexpected end of the expression";
    const char c = text_[at_];
    return c > ' ' && c < 0x7f ? std::string("unexpected '") + c + "'" : "unexpected character";
  }

  SymExpr sum() {
    if (++depth_ > kDeepest) fail("expression is nested too deep");
    SymExpr left = fault_ ? SymExpr() : product();
    while (!fault_) {
      if (take("+")) {
        left = SymExpr::binary(SymExpr::Op::add, std::move(left), product());
      } else if (take("-")) {
        left = SymExpr::binary(SymExpr::Op::add, std::move(left),
                               SymExpr::binary(SymExpr::Op::mul, -1, product()));
      } else {
        break;
      }
    }
    --depth_;
    return left;
  }

  SymExpr product() {
    SymExpr left = factor();
    while (!fault_) {
      if (take("//")) {
        left = SymExpr::binary(SymExpr::Op::floor_div, std::move(left), factor());
      } else if (take("/")) {
        left = exact_quotient(std::move(left), factor());
      } else if (take("*")) {
        left = SymExpr::binary(SymExpr::Op::mul, std::move(left), factor());
      } else if (take("%")) {
        left = SymExpr::binary(SymExpr::Op::mod, std::move(left), factor());
      } else {
        break;
      }
    }
    return left;
  }

  // sympy's `a/b` is a rational number: s0/2 + s1/2 may be an integer where neither half is. So the quotient
  // stays opaque, unless both are constants that divide or it is the whole expression.
  SymExpr exact_quotient(SymExpr a, SymExpr b) {
    if (a.is_constant() && b.is_constant()) {
      const auto rest = SymExpr::binary(SymExpr::Op::mod, a, b);
      if (!rest.is_constant() || rest.constant() != 0) fail("a fraction is no integer");
      return SymExpr::binary(SymExpr::Op::floor_div, std::move(a), std::move(b));
    }
    if (++quotients_ > kMostQuotients) fail("too many fractions in one expression");
    if (fault_) return {};
    dividend_ = a;
    divisor_ = b;
    quotient_ = SymExpr::opaque("ExactDiv", {std::move(a), std::move(b)});
    return quotient_;
  }

  SymExpr factor() {
    if (fault_ || !take("-")) return power();
    skip();
    if (at_ < text_.size() && is_digit_char(text_[at_])) {
      const std::size_t start = at_;
      if (auto number = literal(true)) {
        if (!take("**")) return *std::move(number);
        at_ = start;  // -2**n is -(2**n)
      }
    }
    if (++depth_ > kDeepest) fail("expression is nested too deep");
    SymExpr operand = fault_ ? SymExpr() : factor();
    --depth_;
    return SymExpr::binary(SymExpr::Op::mul, -1, std::move(operand));
  }

  SymExpr power() {
    SymExpr base = atom();
    if (fault_ || !take("**")) return base;
    if (++depth_ > kDeepest) fail("expression is nested too deep");
    SymExpr exponent = fault_ ? SymExpr() : factor();
    --depth_;
    return SymExpr::binary(SymExpr::Op::pow, std::move(base), std::move(exponent));
  }

  SymExpr atom() {
    skip();
    if (fault_ || at_ >= text_.size()) {
      fail("unexpected end of the expression");
      return {};
    }
    if (is_digit_char(text_[at_])) return literal(false).value_or(SymExpr());
    if (is_name_char(text_[at_])) return name_or_call();
    if (!take("(")) {
      fail(unexpected());
      return {};
    }
    SymExpr inner = sum();
    expect(")");
    return inner;
  }

  void digits() {
    while (at_ < text_.size() && is_digit_char(text_[at_])) ++at_;
  }

  // Reads a number. `negative`: its minus sign has been read already.
  std::optional<SymExpr> literal(bool negative) {
    const std::size_t start = at_;
    digits();
    if (at_ < text_.size() && text_[at_] == '.') return real(start, negative);
    if (at_ < text_.size() && is_name_char(text_[at_])) {
      fail(unexpected());
      return std::nullopt;
    }
    const std::string spelled = (negative ? "-" : "") + std::string(text_.substr(start, at_ - start));
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(spelled.data(), spelled.data() + spelled.size(), value);
    if (error != std::errc() || end != spelled.data() + spelled.size()) {
      at_ = start;
      fail("integer does not fit 64 bits");
      return std::nullopt;
    }
    return SymExpr(value);
  }

  // Reads a real number. It occurs only inside uninterpreted functions, and is represented as one without
  // arguments.
  SymExpr real(std::size_t start, bool negative) {
    ++at_;
    digits();
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      digits();
    }
    SymExpr value = SymExpr::opaque(std::string(text_.substr(start, at_ - start)), {});
    return negative ? SymExpr::binary(SymExpr::Op::mul, -1, std::move(value)) : value;
  }

  std::string name() {
    skip();
    const std::size_t start = at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  SymExpr name_or_call() {
    const std::size_t start = at_;
    std::string called = name();
    if (take("(")) {
      if (called == "Symbol" || called == "Dummy") return named_symbol();
      if (called == "Where") return where();
      std::vector<SymExpr> arguments = list();
      return fault_ ? SymExpr() : call(start, std::move(called), std::move(arguments));
    }
    for (const std::string_view word : {"True", "False", "int_oo", "oo", "zoo", "nan"}) {
      if (called != word) continue;
      at_ = start;
      fail("'" + called + "' is no integer");
    }
    return SymExpr::symbol(std::move(called));
  }

  // Reads the rest of a symbol as sympy's srepr prints it: 's0', integer=True, ...). Its assumptions are not
  // used.
  SymExpr named_symbol() {
    expect("'");
    std::string symbol = fault_ ? "" : name();
    expect("'");
    while (!fault_ && take(",")) {
      name();
      expect("=");
      name();
    }
    expect(")");
    if (symbol.empty() && !fault_) fail("a symbol has no name");
    return SymExpr::symbol(std::move(symbol));
  }

  // Reads `relation, a, b)`: a if the relation holds, else b. It becomes an uninterpreted function of all
  // four.
  SymExpr where() {
    const std::size_t start = at_;
    const SymRelation relation = either_relation();
    expect(",");
    std::vector<SymExpr> arguments = fault_ ? std::vector<SymExpr>{} : list();
    if (fault_ || !has_count(start, "Where", arguments, 2)) return {};
    arguments.insert(arguments.begin(), {relation.left, relation.right});
    constexpr std::string_view kNames[] = {"Where_eq", "Where_ne", "Where_lt", "Where_le"};
    return SymExpr::opaque(std::string(kNames[static_cast<std::size_t>(relation.kind)]), arguments);
  }

  // Reads the arguments and the closing parenthesis.
  std::vector<SymExpr> list() {
    std::vector<SymExpr> result;
    if (take(")")) return result;
    do {
      result.push_back(sum());
    } while (!fault_ && take(","));
    expect(")");
    return result;
  }

  SymExpr call(std::size_t start, std::string called, std::vector<SymExpr> arguments) {
    using Op = SymExpr::Op;
    const bool smallest = called == "min" || called == "Min";
    if (smallest || called == "max" || called == "Max") {
      if (!has_count(start, called, arguments, arguments.empty() ? 1 : arguments.size())) return {};
      SymExpr result = std::move(arguments[0]);
      for (std::size_t at = 1; at < arguments.size(); ++at) {
        result = SymExpr::binary(smallest ? Op::min : Op::max, std::move(result), std::move(arguments[at]));
      }
      return result;
    }
    if (called == "Add" || called == "Mul") {  // srepr
      SymExpr result = called == "Add" ? 0 : 1;
      for (SymExpr& a : arguments)
        result = SymExpr::binary(called == "Add" ? Op::add : Op::mul, std::move(result), std::move(a));
      return result;
    }
    if (called == "Identity" || called == "Integer")
      return has_count(start, called, arguments, 1) ? arguments[0] : SymExpr();
    if (called == "Pow") {
      return has_count(start, called, arguments, 2) ? SymExpr::binary(Op::pow, arguments[0], arguments[1])
                                                    : SymExpr();
    }
    if (called == "FloorDiv" || called == "CleanDiv") {
      return has_count(start, called, arguments, 2)
                 ? SymExpr::binary(Op::floor_div, arguments[0], arguments[1])
                 : SymExpr();
    }
    if (called == "Mod" || called == "PythonMod") {
      return has_count(start, called, arguments, 2) ? SymExpr::binary(Op::mod, arguments[0], arguments[1])
                                                    : SymExpr();
    }
    if (called == "ModularIndexing") {
      if (!has_count(start, called, arguments, 3)) return {};
      return SymExpr::binary(Op::mod, SymExpr::binary(Op::floor_div, arguments[0], arguments[1]),
                             arguments[2]);
    }
    return SymExpr::opaque(std::move(called), arguments);
  }

  bool has_count(std::size_t start, const std::string& called, const std::vector<SymExpr>& arguments,
                 std::size_t count) {
    if (arguments.size() == count) return true;
    at_ = start;
    fail("'" + called + "' takes " + std::to_string(count) + " arguments");
    return false;
  }

  static SymRelation ordered(std::string_view sign, SymExpr left, SymExpr right) {
    using Kind = SymRelation::Kind;
    if (sign == "==" || sign == "Eq") return {Kind::eq, std::move(left), std::move(right)};
    if (sign == "!=" || sign == "Ne") return {Kind::ne, std::move(left), std::move(right)};
    if (sign == "<=" || sign == "Le") return {Kind::le, std::move(left), std::move(right)};
    if (sign == "<" || sign == "Lt") return {Kind::lt, std::move(left), std::move(right)};
    if (sign == ">=" || sign == "Ge") return {Kind::le, std::move(right), std::move(left)};
    return {Kind::lt, std::move(right), std::move(left)};
  }

  SymRelation either_relation() {
    const std::size_t start = at_;
    const std::string called = name();
    for (const std::string_view word : {"Eq", "Ne", "Le", "Lt", "Ge", "Gt"}) {
      if (called != word || !take("(")) continue;
      std::vector<SymExpr> sides = list();
      if (fault_ || !has_count(start, called, sides, 2)) return {};
      return ordered(word, std::move(sides[0]), std::move(sides[1]));
    }
    at_ = start;
    SymExpr left = sum();
    for (const std::string_view sign : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (fault_ || !take(sign)) continue;
      SymExpr right = sum();
      return ordered(sign, std::move(left), std::move(right));
    }
    fail("expected a relation such as 'i + 4 <= n'");
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::optional<Diagnostic> fault_;
  int quotients_ = 0;
  SymExpr quotient_, dividend_, divisor_;  // the last inexact `/`, if quotients_ > 0
};

}  // namespace

Result<SymExpr> parse_sym(std::string_view text) { return SymParser(text).whole(); }

Result<SymRelation> parse_relation(std::string_view text) { return SymParser(text).relation(); }

}  // namespace noclobber
