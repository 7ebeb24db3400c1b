// A parser of Python expressions as programs print them. `Make` decides what an expression becomes: a tree
// (python_tree.h), or directly the argument of a step (formats/fx_text).
//
//   value     = operand { OPERATOR operand }             by precedence
//   operand   = (+|-|~) operand | atom
//   atom      = number | string | ... | word | ( ... ) | [ ... ] | { ... } | < ... >
//   word      = path [ ( arguments ) ] { .name | [ ... ] | ( ... ) }
//   arguments = [ NAME = ] value { , [ NAME = ] value }
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/text/cursor.h"

namespace noclobber {

struct PythonOperator {
  std::string_view sign;
  int level;  // higher binds tighter
  std::string_view name;
};
// A sign that is a prefix of another is listed after it.
inline constexpr std::array kPythonOperators = {
    PythonOperator{"==", 1, "eq"},    PythonOperator{"!=", 1, "ne"},       PythonOperator{"<=", 1, "le"},
    PythonOperator{">=", 1, "ge"},    PythonOperator{"<<", 5, "lshift"},   PythonOperator{">>", 5, "rshift"},
    PythonOperator{"<", 1, "lt"},     PythonOperator{">", 1, "gt"},        PythonOperator{"|", 2, "or_"},
    PythonOperator{"^", 3, "xor"},    PythonOperator{"&", 4, "and_"},      PythonOperator{"+", 6, "add"},
    PythonOperator{"-", 6, "sub"},    PythonOperator{"//", 7, "floordiv"}, PythonOperator{"/", 7, "truediv"},
    PythonOperator{"%", 7, "mod"},    PythonOperator{"**", 9, "pow"},      PythonOperator{"*", 7, "mul"},
    PythonOperator{"@", 7, "matmul"},
};
inline constexpr int kPythonPower = 9, kPythonUnary = 8;

/// The operator at the cursor; nullptr if there is none.
inline const PythonOperator* python_operator_at(const FxCursor& cursor) {
  constexpr std::string_view kFirst = "=!<>|^&+-/%*@";
  if (kFirst.find(cursor.peek()) == kFirst.npos) return nullptr;
  for (const PythonOperator& row : kPythonOperators)
    if (cursor.starts_with(row.sign)) return &row;
  return nullptr;
}

/// Takes the number at the cursor, with the letters attached to it: "12", "1e-05", "2j".
inline std::string_view python_number(FxCursor& cursor) {
  const std::string_view rest = cursor.rest();
  std::size_t size = 0;
  for (; size < rest.size(); ++size) {
    const char c = rest[size];
    const bool exponent = (c == '+' || c == '-') && size > 0 && (rest[size - 1] | 0x20) == 'e';
    if (!is_fx_digit(c) && c != '.' && !is_fx_letter(c) && !exponent) break;
  }
  cursor.take(rest.substr(0, size));
  return rest.substr(0, size);
}

/// Reads with `Make`, which has
///   Value, Keywords        of an expression; a list of keywords with emplace_back(name, Value)
///   kOverLines             line ends may stand inside brackets
///   kOperators, kTrailers, kObjects   are there operators; attributes, indices and calls of values; `<...>`
///   number, text, ellipsis, name, calls, call, sequence, dict, entry, grouped
///   begins_value, took_positional
/// and with kOperators unary and binary, with kTrailers called, indexed and attribute, with kObjects object.
template <class Make>
class PythonReader {
 public:
  using Value = typename Make::Value;

  /// `deepest`: bound on the brackets and signs around a value.
  PythonReader(FxCursor& cursor, Make& make, int deepest) : cursor_(cursor), make_(make), deepest_(deepest) {}

  /// Reads one value and the blanks after it. Faults are recorded in the cursor.
  Value value() {
    make_.begins_value();
    Value out = binary(0);
    cursor_.skip_blanks();
    return out;
  }

  /// `(a, b, k = c)` with the parentheses.
  void arguments(std::vector<Value>& args, typename Make::Keywords& kwargs) {
    cursor_.expect('(');
    skip();
    while (!cursor_.failed() && !cursor_.take(')')) {
      const std::size_t start = cursor_.at();
      const std::string_view name = cursor_.identifier();
      cursor_.skip_blanks();
      if (!name.empty() && cursor_.peek() == '=' && cursor_.peek(1) != '=') {
        cursor_.take('=');
        skip();
        Value given = value();
        kwargs.emplace_back(std::string(name), std::move(given));
      } else {
        cursor_.back_to(start);
        if (!kwargs.empty()) cursor_.fail("a positional argument behind a keyword");
        args.push_back(value());
        make_.took_positional();
      }
      if (ends_or_goes_on(')')) return;
    }
  }

 private:
  /// Counts one more bracket or sign around what is read, for its lifetime.
  class Level {
   public:
    explicit Level(PythonReader& reader) : reader_(reader) {
      if (reader_.depth_++ > reader_.deepest_) reader_.cursor_.fail("values are nested too deeply");
    }
    ~Level() { --reader_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    PythonReader& reader_;
  };

  void skip() {
    if constexpr (Make::kOverLines)
      cursor_.skip_all();
    else
      cursor_.skip_blanks();
  }

  /// After a value in brackets: takes `close` and returns true, or takes a comma.
  bool ends_or_goes_on(char close) {
    skip();
    if (cursor_.take(close)) return true;
    cursor_.expect(',');
    skip();
    return false;
  }

  Value binary(int lowest) {
    const Level level(*this);
    Value left = cursor_.failed() ? Value() : operand();
    if constexpr (Make::kOperators) {
      while (!cursor_.failed()) {
        const std::size_t before = cursor_.at();
        cursor_.skip_blanks();
        const PythonOperator* row = python_operator_at(cursor_);
        if (!row || row->level < lowest) {
          cursor_.back_to(before);
          break;
        }
        cursor_.take(row->sign);
        cursor_.skip_blanks();
        const Value right = binary(row->level == kPythonPower ? kPythonPower : row->level + 1);
        left = make_.binary(row->sign, left, right);
      }
    }
    return left;
  }

  Value operand() {
    const char sign = cursor_.peek();
    if (sign != '-' && (!Make::kOperators || (sign != '+' && sign != '~'))) return atom();
    const std::size_t start = cursor_.at();
    cursor_.take(sign);
    cursor_.skip_blanks();
    const char next = cursor_.peek();
    if (sign == '-' && (is_fx_digit(next) || next == '.')) {
      const std::size_t digits = cursor_.at();
      const std::string_view number = python_number(cursor_);
      const std::size_t end = cursor_.at();
      cursor_.skip_blanks();
      if (!cursor_.starts_with("**")) {
        cursor_.back_to(end);
        return make_.number(number, true, start);
      }
      cursor_.back_to(digits);
    }
    return make_.unary(sign, binary(kPythonUnary));
  }

  Value atom() {
    const char c = cursor_.peek();
    const std::size_t start = cursor_.at();
    if (cursor_.take("...")) return make_.ellipsis(start);
    if (is_fx_digit(c) || c == '.') return make_.number(python_number(cursor_), false, start);
    if (is_fx_letter(c)) return word();
    switch (c) {
      case '\'':
      case '"':
        return make_.text(cursor_.string_literal(), start);
      case '(':
        return parenthesized();
      case '[':
        cursor_.take('[');
        return make_.sequence(items(']'), true, start);
      case '{':
        return dictionary();
      default:
        break;
    }
    if constexpr (Make::kObjects)
      if (c == '<') return make_.object();
    cursor_.fail(cursor_.at_end() || c == '\n' ? "a value is missing" : "a value cannot begin here");
    return {};
  }

  Value word() {
    const std::size_t start = cursor_.at();
    const std::string_view path = cursor_.path();
    if (cursor_.peek() != '(' || !make_.calls(path)) return trailers(make_.name(path, start));
    std::vector<Value> args;
    typename Make::Keywords kwargs;
    arguments(args, kwargs);
    return trailers(make_.call(path, std::move(args), std::move(kwargs), start));
  }

  Value trailers(Value base) {
    if constexpr (Make::kTrailers) {
      while (!cursor_.failed()) {
        const std::size_t start = cursor_.at();
        if (cursor_.peek() == '(') {
          std::vector<Value> args;
          typename Make::Keywords kwargs;
          arguments(args, kwargs);
          base = make_.called(std::move(base), std::move(args), std::move(kwargs));
        } else if (cursor_.take('[')) {
          base = make_.indexed(items(']'), start);
        } else if (cursor_.take('.')) {
          if (cursor_.path().empty()) cursor_.fail("a name is missing");
          base = make_.attribute(start);
        } else {
          break;
        }
      }
    }
    return base;
  }

  /// Reads the values after an opening bracket, and the closing one.
  std::vector<Value> items(char close) {
    std::vector<Value> list;
    skip();
    while (!cursor_.failed() && !cursor_.take(close)) {
      list.push_back(value());
      if (ends_or_goes_on(close)) break;
    }
    return list;
  }

  /// `(x)` is x, `(x,)` a tuple.
  Value parenthesized() {
    const std::size_t start = cursor_.at();
    cursor_.take('(');
    skip();
    if (cursor_.take(')')) return make_.sequence({}, false, start);
    Value first;
    if (make_.grouped(first)) return first;
    first = value();
    if (ends_or_goes_on(')')) return first;
    std::vector<Value> list = items(')');
    list.insert(list.begin(), std::move(first));
    return make_.sequence(std::move(list), false, start);
  }

  Value dictionary() {
    Value out = make_.dict(cursor_.at());
    cursor_.take('{');
    skip();
    while (!cursor_.failed() && !cursor_.take('}')) {
      Value key = value();
      skip();
      cursor_.expect(':');
      skip();
      Value content = value();
      make_.entry(out, std::move(key), std::move(content));
      if (ends_or_goes_on('}')) break;
    }
    return out;
  }

  FxCursor& cursor_;
  Make& make_;
  int depth_ = 0, deepest_ = 0;
};

}  // namespace noclobber
