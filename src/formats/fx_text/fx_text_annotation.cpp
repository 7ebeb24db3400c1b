#include "src/formats/fx_text/fx_text_annotation.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "src/formats/fx_text/fx_text_module.h"
#include "src/text/cursor.h"

namespace noclobber {
namespace {

constexpr std::size_t kMostDimensions = 1024;

std::string_view fx_trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

Result<SymExpr> fx_dimension(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return SymExpr(number);
  auto value = parse_sym(text);
  if (!value)
    return Diagnostic{"", "size '" + std::string(text.substr(0, 60)) + "': " + value.fault().message};
  return value;
}

/// Reads the list in brackets at the start of `text`, and removes it from `text`.
Result<std::vector<SymExpr>> fx_bracketed(std::string_view& text) {
  std::vector<SymExpr> list;
  int depth = 0;
  std::size_t start = 1;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[') ++depth;
    if (depth > 0 && (c == ')' || c == ']')) {
      --depth;
      continue;
    }
    if (depth > 0 || (c != ',' && c != ']')) continue;
    const std::string_view item = fx_trimmed(text.substr(start, i - start));
    start = i + 1;
    if (!(item.empty() && c == ']' && list.empty())) {
      auto value = fx_dimension(item);
      if (!value) return value.fault();
      if (list.size() == kMostDimensions) return Diagnostic{"", "a tensor has too many dimensions"};
      list.push_back(*std::move(value));
    }
    if (c == ']') {
      text.remove_prefix(i + 1);
      return list;
    }
  }
  return Diagnostic{"", "an annotation lacks ']'"};
}

Result<FxAnnotation> fx_tensor_annotation(std::string_view text, FxSymbols& symbols) {
  FxAnnotation result{.kind = FxAnnotation::Kind::tensor, .type = {}, .has_strides = false, .scalar = {}};
  Type type;
  const std::size_t open = text.find('[');
  if (open == text.npos || !is_fx_identifier(text.substr(0, open)))
    return Diagnostic{"", "unknown annotation '" + std::string(text.substr(0, 60)) + "'"};
  type.dtype = parse_dtype(text.substr(0, open)).value_or(Dtype::other);
  text.remove_prefix(open);
  auto shape = fx_bracketed(text);
  if (!shape) return shape.fault();
  type.shape = *std::move(shape);
  type.strides = Type::Strides::unknown;
  for (const SymExpr& size : type.shape) symbols.mention(size, true);
  if (text.starts_with('[')) {
    auto stride = fx_bracketed(text);
    if (!stride) return stride.fault();
    if (stride->size() != type.shape.size())
      return Diagnostic{"", "an annotation has not one stride per dimension"};
    type.strides = Type::Strides::given;
    type.stride = *std::move(stride);
    for (const SymExpr& step : type.stride) symbols.mention(step, false);
    result.has_strides = true;
  }
  if (!is_addressable(type)) return Diagnostic{"", "the tensor is larger than 64 bits can address"};
  for (const char c : text)
    if (!is_fx_letter(c) && !is_fx_digit(c) && c != ':')
      return Diagnostic{"", "unknown device '" + std::string(text.substr(0, 60)) + "'"};
  type.device = std::string(text);
  result.type = std::move(type);
  return result;
}

/// Names in `text` that are not called, sorted, each once.
std::vector<SymExpr> fx_names_in(std::string_view text) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_fx_letter(text[i])) {
      // 1e-05 is a number, not a symbol e.
      const bool number = is_fx_digit(text[i]);
      ++i;
      while (number && i < text.size() && (is_fx_digit(text[i]) || is_fx_letter(text[i]) || text[i] == '.'))
        ++i;
      continue;
    }
    const std::size_t start = i;
    while (i < text.size() && (is_fx_letter(text[i]) || is_fx_digit(text[i]))) ++i;
    const std::string_view name = text.substr(start, i - start);
    const bool is_word = name == "True" || name == "False" || name.ends_with("oo") || name == "nan";
    if ((i == text.size() || text[i] != '(') && !is_word) names.insert(name);
  }
  std::vector<SymExpr> symbols;
  for (const std::string_view name : names) symbols.push_back(SymExpr::symbol(std::string(name)));
  return symbols;
}

SymbolRange fx_default_range(std::string_view name) {
  SymbolRange range;
  const auto numbered = [&](std::string_view prefix) {
    return name.starts_with(prefix) && name.size() > prefix.size() && is_fx_digit(name[prefix.size()]);
  };
  range.unbacked = numbered("u") || numbered("zuf");
  range.min = kFxUnbounded;
  range.told = false;
  return range;
}

/// Skips `[...]`, which may be nested, within one line.
void fx_over_brackets(FxCursor& cursor) {
  int depth = 0;
  do {
    if (cursor.at_end() || cursor.peek() == '\n') return cursor.fail("an annotation lacks ']'");
    if (cursor.peek() == '[') ++depth;
    if (cursor.peek() == ']') --depth;
    cursor.take(cursor.peek());
  } while (depth > 0);
}

/// The text from the quote at the cursor through the next such quote, as a look-up key; empty if none.
std::string_view fx_quoted_at(const FxCursor& cursor) {
  const char quote = cursor.peek();
  if (quote != '"' && quote != '\'') return {};
  const std::string_view rest = cursor.rest();
  const std::size_t end = rest.find(quote, 1);
  return end == rest.npos ? std::string_view() : rest.substr(0, end + 1);
}

}  // namespace

void FxSymbols::mention(const SymExpr& value, bool as_dimension) {
  if (value.is_constant()) return;
  const bool bare = value.nodes().size() == 1;
  for (const std::string& name : value.symbols()) {
    const auto [at, is_new] = ranges_.try_emplace(name);
    if (is_new) at->second = fx_default_range(name);
    if (as_dimension && bare) at->second.min = std::max<std::int64_t>(at->second.min, 0);
  }
}

void FxSymbols::mention(const Arg& value) {
  if (value.kind == Arg::Kind::sym) mention(value.sym, false);
}

SymExpr fx_relation(SymRelation::Kind kind, const SymExpr& left, const SymExpr& right) {
  switch (kind) {
    case SymRelation::Kind::eq:
      return SymExpr::opaque("eq", {left, right});
    case SymRelation::Kind::ne:
      return SymExpr::opaque("ne", {left, right});
    case SymRelation::Kind::lt:
      return SymExpr::opaque("lt", {left, right});
    case SymRelation::Kind::le:
      return SymExpr::opaque("le", {left, right});
  }
  return {};
}

Arg fx_scalar(std::string_view text) {
  text = fx_trimmed(text);
  if (text == "True" || text == "False") return Arg::of_bool(text == "True");
  double real = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), real);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (is_number && text.find_first_of(".en") != text.npos) return Arg::of_real(real);
  if (auto value = parse_sym(text)) return Arg::of(*std::move(value));
  if (auto relation = parse_relation(text))
    return Arg::of(fx_relation(relation->kind, relation->left, relation->right));
  return Arg::of(SymExpr::opaque(std::string(text), fx_names_in(text)));
}

Result<FxAnnotation> parse_fx_annotation(std::string_view text, FxSymbols& symbols) {
  text = fx_trimmed(text);
  const std::size_t open = text.find_first_of("([");
  FxAnnotation result;
  if (text == "None") return result;
  if (open == 0 || (open == text.npos && is_fx_identifier(text))) {  // a tuple, a list, a class
    const bool is_closed = open == text.npos || text.ends_with(text.front() == '(' ? ')' : ']');
    if (!is_closed) return Diagnostic{"", "an annotation has no end"};
    result.kind = FxAnnotation::Kind::wrapped;
    return result;
  }
  if (open == text.npos || text[open] == '[') return fx_tensor_annotation(text, symbols);
  if (!text.ends_with(')')) return Diagnostic{"", "an annotation lacks ')'"};
  if (text.substr(0, open) != "Sym") {
    result.kind = FxAnnotation::Kind::wrapped;
    return result;
  }
  result.kind = FxAnnotation::Kind::scalar;
  result.scalar = fx_scalar(text.substr(open + 1, text.size() - open - 2));
  symbols.mention(result.scalar);
  return result;
}

const FxAnnotation& read_fx_annotation(FxText& text) {
  static const FxAnnotation kAbsent;
  FxCursor& cursor = text.cursor;
  cursor.skip_blanks();
  const std::size_t start = cursor.at();
  const auto known = text.annotations.find(fx_quoted_at(cursor));
  if (known != text.annotations.end()) {
    cursor.take(known->first);
    return known->second;
  }
  const bool is_quoted = cursor.peek() == '"' || cursor.peek() == '\'';
  std::string written;
  if (is_quoted) {
    written = cursor.string_literal();
  } else {  // a Python type, as in `x : torch.Tensor`, or the old form `x: f32[8, 16]`
    const std::string_view path = cursor.path();
    if (path.empty()) cursor.fail("an annotation is missing");
    while (cursor.peek() == '[' && !cursor.failed()) fx_over_brackets(cursor);
    const bool is_tensor = parse_dtype(path).has_value() && cursor.at() > start + path.size();
    if (!is_tensor) return kAbsent;
    written = std::string(cursor.since(start));
  }
  auto result = parse_fx_annotation(written, text.symbols);
  if (cursor.failed()) return kAbsent;
  if (!result) {
    cursor.fail_at(start, result.fault().message);
    return kAbsent;
  }
  text.annotated = true;
  text.has_strides = text.has_strides || result->has_strides;
  return text.annotations.try_emplace(cursor.since(start), *std::move(result)).first->second;
}

}  // namespace noclobber
