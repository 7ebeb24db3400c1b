#include "src/text/python_tree.h"

#include <charconv>
#include <limits>

#include "src/text/python_expr.h"

namespace noclobber {

namespace {

using Expr = PythonExpr;

Expr of_kind(Expr::Kind kind, std::size_t at) {
  Expr out;
  out.kind = kind;
  out.at = at;
  return out;
}

/// Folds `float('inf')` and `float('nan')` into a real.
Expr folded(Expr call) {
  const bool one = call.items.size() == 1 && call.entries.empty();
  if (call.text != "float" || !one || call.items[0].kind != Expr::Kind::text) return call;
  Expr out = of_kind(Expr::Kind::real, call.at);
  const std::string& text = call.items[0].text;
  if (text == "inf") out.real = std::numeric_limits<double>::infinity();
  if (text == "-inf") out.real = -std::numeric_limits<double>::infinity();
  if (text == "nan") out.real = std::numeric_limits<double>::quiet_NaN();
  return text == "inf" || text == "-inf" || text == "nan" ? out : call;
}

/// Makes the tree (PythonReader).
struct TreeMaker {
  using Value = PythonExpr;
  using Keywords = std::vector<PythonEntry>;
  static constexpr bool kOverLines = false, kOperators = false, kTrailers = true, kObjects = false;

  FxCursor& cursor;

  void begins_value() {}
  void took_positional() {}
  bool grouped(Expr& /*out*/) { return false; }

  Expr number(std::string_view digits, bool negative, std::size_t at) {
    const bool real = digits.find_first_not_of("0123456789") != digits.npos;
    const std::string text = (negative ? "-" : "") + std::string(digits);
    Expr out = of_kind(real ? Expr::Kind::real : Expr::Kind::integer, at);
    const char* end = text.data() + text.size();
    const auto got =
        real ? std::from_chars(text.data(), end, out.real) : std::from_chars(text.data(), end, out.integer);
    if (got.ec != std::errc() || got.ptr != end) cursor.fail_at(at, "bad number '" + text + "'");
    return out;
  }
  Expr text(std::string value, std::size_t at) {
    Expr out = of_kind(Expr::Kind::text, at);
    out.text = std::move(value);
    return out;
  }
  Expr ellipsis(std::size_t at) { return of_kind(Expr::Kind::ellipsis, at); }
  /// A sign before an expression that is not a literal: -float('inf').
  Expr unary(char sign, Expr inner) {
    if (inner.kind != Expr::Kind::real && !cursor.failed())
      cursor.fail(std::string("expected a number after '") + sign + "'");
    inner.real = -inner.real;
    return inner;
  }
  Expr name(std::string_view path, std::size_t at) {
    if (path == "None") return of_kind(Expr::Kind::none, at);
    Expr out = of_kind(Expr::Kind::name, at);
    if (path == "True" || path == "False") {
      out.kind = Expr::Kind::boolean;
      out.boolean = path == "True";
    } else {
      out.text = std::string(path);
    }
    return out;
  }
  bool calls(std::string_view path) { return path != "None" && path != "True" && path != "False"; }
  Expr call(std::string_view path, std::vector<Expr> args, Keywords kwargs, std::size_t at) {
    Expr out = of_kind(Expr::Kind::call, at);
    out.text = std::string(path);
    out.items = std::move(args);
    out.entries = std::move(kwargs);
    return folded(std::move(out));
  }
  Expr sequence(std::vector<Expr> items, bool brackets, std::size_t at) {
    Expr out = of_kind(Expr::Kind::sequence, at);
    out.list = brackets;
    out.items = std::move(items);
    return out;
  }
  Expr dict(std::size_t at) { return of_kind(Expr::Kind::dict, at); }
  void entry(Expr& dict, Expr key, Expr content) {
    if (key.kind != Expr::Kind::text && !cursor.failed()) cursor.fail_at(key.at, "expected a string as key");
    dict.entries.emplace_back(std::move(key.text), std::move(content));
  }
  Expr called(Expr base, std::vector<Expr> args, Keywords kwargs) {
    Expr out = of_kind(Expr::Kind::opaque, base.at);
    out.text = std::move(base.text);
    out.items = std::move(args);
    out.entries = std::move(kwargs);
    return out;
  }
  Expr indexed(std::vector<Expr> items, std::size_t at) {
    Expr out = of_kind(Expr::Kind::opaque, at);
    out.items = std::move(items);
    return out;
  }
  Expr attribute(std::size_t at) { return of_kind(Expr::Kind::opaque, at); }
};

}  // namespace

const PythonExpr* PythonExpr::entry(std::string_view key) const {
  for (const auto& [name, value] : entries)
    if (name == key) return &value;
  return nullptr;
}

PythonExpr python_expression(FxCursor& cursor, int deepest) {
  TreeMaker make{cursor};
  return PythonReader<TreeMaker>(cursor, make, deepest).value();
}

PythonExpr python_expressions(FxCursor& cursor) {
  Expr first = python_expression(cursor);
  if (cursor.failed() || cursor.peek() != ',') return first;
  Expr out = of_kind(Expr::Kind::sequence, first.at);
  out.items.push_back(std::move(first));
  while (!cursor.failed() && cursor.take(',')) {
    cursor.skip_blanks();
    if (cursor.at_end() || std::string_view("=#\\\r\n").find(cursor.peek()) != std::string_view::npos) break;
    out.items.push_back(python_expression(cursor));
  }
  return out;
}

}  // namespace noclobber
