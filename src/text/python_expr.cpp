#include "src/text/python_expr.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace noclobber {

namespace {

using Expr = ThunderExpr;

/// Of brackets: how many there are around what is read, and how many there may be.
struct Depth {
  int now = 0, most = 0;
  Depth inside() const { return {now + 1, most}; }
};

Expr expression(FxCursor& cursor, Depth depth);

Expr of_kind(Expr::Kind kind, std::size_t at) {
  Expr out;
  out.kind = kind;
  out.at = at;
  return out;
}

Expr number(FxCursor& cursor, bool negative) {
  const std::size_t start = cursor.at();
  bool real = false;
  for (;;) {
    const char c = cursor.peek();
    const bool exponent_sign =
        (c == '+' || c == '-') && cursor.at() > start && (cursor.since(start).back() | 0x20) == 'e';
    if (!is_fx_digit(c) && c != '.' && (c | 0x20) != 'e' && !exponent_sign) break;
    real = real || !is_fx_digit(c);
    cursor.take(c);
  }
  const std::string text = (negative ? "-" : "") + std::string(cursor.since(start));
  Expr out = of_kind(real ? Expr::Kind::real : Expr::Kind::integer, start);
  const char* end = text.data() + text.size();
  const auto got =
      real ? std::from_chars(text.data(), end, out.real) : std::from_chars(text.data(), end, out.integer);
  if (got.ec != std::errc() || got.ptr != end) cursor.fail_at(start, "bad number '" + text + "'");
  return out;
}

/// What stands between brackets, up to the closing one.
void arguments(FxCursor& cursor, char close, Depth depth, Expr& into, bool& comma) {
  while (!cursor.failed()) {
    cursor.skip_blanks();
    if (cursor.take(close)) return;
    const std::size_t start = cursor.at();
    const std::string_view word = cursor.identifier();
    const std::string key(word);
    cursor.skip_blanks();
    const bool keyword = close == ')' && !key.empty() && cursor.peek() == '=' && cursor.peek(1) != '=';
    if (keyword) {
      cursor.take('=');
      cursor.skip_blanks();
      into.entries.emplace_back(key, expression(cursor, depth.inside()));
    } else {
      cursor.back_to(start);
      into.items.push_back(expression(cursor, depth.inside()));
    }
    cursor.skip_blanks();
    if (cursor.take(close)) return;
    if (!cursor.take(',')) return cursor.fail(std::string("expected ',' or '") + close + "'");
    comma = true;
  }
}

Expr dict(FxCursor& cursor, Depth depth) {
  Expr out = of_kind(Expr::Kind::dict, cursor.at());
  cursor.take('{');
  while (!cursor.failed()) {
    cursor.skip_blanks();
    if (cursor.take('}')) return out;
    const Expr key = expression(cursor, depth.inside());
    if (key.kind != Expr::Kind::text && !cursor.failed()) cursor.fail("expected a string as key");
    cursor.skip_blanks();
    cursor.expect(':');
    cursor.skip_blanks();
    out.entries.emplace_back(key.text, expression(cursor, depth.inside()));
    cursor.skip_blanks();
    if (cursor.take('}')) return out;
    cursor.expect(',');
  }
  return out;
}

/// `float('inf')`, `float('nan')`.
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

/// `.name`, `[key]` and `(...)` behind something.
Expr trailers(FxCursor& cursor, Expr base, Depth depth) {
  for (bool again = true; again && !cursor.failed();) {
    const std::size_t start = cursor.at();
    again = false;
    if (cursor.peek() == '(') {
      Expr call = of_kind(base.kind == Expr::Kind::name ? Expr::Kind::call : Expr::Kind::opaque, base.at);
      call.text = base.text;
      cursor.take('(');
      bool comma = false;
      arguments(cursor, ')', depth, call, comma);
      base = folded(std::move(call));
      again = true;
    } else if (cursor.peek() == '[') {
      Expr subscript = of_kind(Expr::Kind::opaque, start);
      cursor.take('[');
      bool comma = false;
      arguments(cursor, ']', depth, subscript, comma);
      base = std::move(subscript);
      again = true;
    } else if (cursor.peek() == '.' && base.kind != Expr::Kind::name) {
      cursor.take('.');
      if (cursor.path().empty()) cursor.fail("expected a name");
      base = of_kind(Expr::Kind::opaque, start);
      again = true;
    }
  }
  return base;
}

Expr word(FxCursor& cursor, Depth depth) {
  const std::size_t start = cursor.at();
  Expr out = of_kind(Expr::Kind::name, start);
  out.text = std::string(cursor.path());
  if (out.text == "None") return of_kind(Expr::Kind::none, start);
  if (out.text == "True" || out.text == "False") {
    Expr truth = of_kind(Expr::Kind::boolean, start);
    truth.boolean = out.text == "True";
    return truth;
  }
  return trailers(cursor, std::move(out), depth);
}

Expr sequence(FxCursor& cursor, Depth depth) {
  Expr out = of_kind(Expr::Kind::sequence, cursor.at());
  const char close = cursor.peek() == '(' ? ')' : ']';
  out.list = close == ']';
  cursor.take(cursor.peek());
  bool comma = false;
  arguments(cursor, close, depth, out, comma);
  if (!out.entries.empty() && !cursor.failed()) cursor.fail("a keyword outside of a call");
  const bool grouped = close == ')' && !comma && out.items.size() == 1;  // (x) is x
  if (!grouped) return out;
  Expr inner = std::move(out.items[0]);
  return inner;
}

Expr negated(FxCursor& cursor, Depth depth) {
  cursor.take('-');
  if (is_fx_digit(cursor.peek()) || cursor.peek() == '.') return number(cursor, true);
  Expr out = expression(cursor, depth.inside());
  if (out.kind != Expr::Kind::real && !cursor.failed()) cursor.fail("expected a number after '-'");
  out.real = -out.real;
  return out;
}

Expr expression(FxCursor& cursor, Depth depth) {
  if (depth.now > depth.most) cursor.fail("nested too deeply");
  const char c = cursor.peek();
  if (cursor.failed()) return {};
  if (c == '(' || c == '[') return sequence(cursor, depth);
  if (c == '{') return dict(cursor, depth);
  if (c == '-') return negated(cursor, depth);
  if (is_fx_digit(c)) return number(cursor, false);
  const std::size_t start = cursor.at();
  if (cursor.take("...")) return of_kind(Expr::Kind::ellipsis, start);
  if (c == '\'' || c == '"') {
    Expr out = of_kind(Expr::Kind::text, start);
    out.text = cursor.string_literal();
    return out;
  }
  if (is_fx_letter(c)) return word(cursor, depth);
  cursor.fail("expected an expression");
  return {};
}

}  // namespace

const ThunderExpr* ThunderExpr::entry(std::string_view key) const {
  for (const auto& [name, value] : entries)
    if (name == key) return &value;
  return nullptr;
}

ThunderExpr thunder_expression(FxCursor& cursor, int depth, int deepest) {
  return expression(cursor, {depth, deepest});
}

ThunderExpr thunder_expressions(FxCursor& cursor) {
  Expr first = thunder_expression(cursor, 0);
  cursor.skip_blanks();
  if (cursor.failed() || cursor.peek() != ',') return first;
  Expr out = of_kind(Expr::Kind::sequence, first.at);
  out.items.push_back(std::move(first));
  while (!cursor.failed() && cursor.take(',')) {
    cursor.skip_blanks();
    if (cursor.at_end() || std::string_view("=#\\\r\n").find(cursor.peek()) != std::string_view::npos) break;
    out.items.push_back(thunder_expression(cursor, 0));
    cursor.skip_blanks();
  }
  return out;
}

}  // namespace noclobber
