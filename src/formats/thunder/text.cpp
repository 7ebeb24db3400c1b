#include "src/formats/thunder/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace noclobber {

namespace {

constexpr int kDepth = 60;

bool opens_header(std::string_view line) {
  return line.starts_with("import ") || line.starts_with("from ") || line.starts_with("@") ||
         line.starts_with("def ");
}

/// True for provenance without "# Constructed by", as some passes print it: "Constant Folding pass", only
/// words, directly above the imports of its trace.
bool is_bare_provenance(std::string_view line, std::string_view behind) {
  const auto is_word = [](char c) {
    return is_fx_letter(c) || is_fx_digit(c) || c == ' ' || c == '-' || c == '(' || c == ')' || c == '\r';
  };
  const std::size_t below = behind.find_first_not_of("\r\n");
  return !line.empty() && is_fx_letter(line[0]) && !opens_header(line) &&
         std::ranges::all_of(line, is_word) && below != std::string_view::npos &&
         opens_header(behind.substr(below));
}

class ThunderReader {
 public:
  explicit ThunderReader(std::string_view text) : text_(text), cursor_(text) {}

  Result<std::vector<ThunderTrace>> read() {
    std::vector<ThunderTrace> out;
    while (!cursor_.failed() && !cursor_.at_end()) {
      if (!header()) break;
      body();
      out.push_back(std::move(trace_));
      trace_ = {};
    }
    if (!cursor_.failed() && out.empty()) cursor_.fail("no trace: expected 'def'");
    if (cursor_.failed()) return cursor_.fault();
    return out;
  }

 private:
  bool header();
  void signature();
  void body();
  void line_of_body();
  void comment();
  bool location();
  void declared_type();
  void statement(int depth);
  void place(ThunderStatement statement, int depth);
  ThunderStatement parse(int depth);
  void parse_value(ThunderStatement& out);
  void type_comment(ThunderStatement& out);
  void annotation(ThunderStatement& out);
  bool free_text() const;

  std::string_view text_;
  FxCursor cursor_;
  ThunderTrace trace_;
  std::vector<ThunderStatement*> open_;  // the last statement of every depth
  std::string loc_, code_;
};

/// Reads the lines at column 0 up to and including `def`. False at the end of the text.
bool ThunderReader::header() {
  bool begun = false;
  while (!cursor_.failed() && !cursor_.at_end()) {
    const std::string_view made = "# Constructed by ";
    if (cursor_.take(made)) {
      std::string pass(cursor_.rest_of_line());
      pass = pass.substr(0, pass.find(" (took "));
      while (!pass.empty() && (pass.back() == '\r' || pass.back() == ' ')) pass.pop_back();
      trace_.pass = pass;
    } else if (cursor_.starts_with("def ")) {
      signature();
      return !cursor_.failed();
    } else {
      const std::size_t start = cursor_.at();
      const std::string_view rest = cursor_.rest_of_line();
      const bool blank = rest.find_first_not_of(" \t\r") == std::string_view::npos;
      if (!begun && is_bare_provenance(rest, cursor_.rest())) {
        trace_.pass = std::string(rest.substr(0, rest.find_last_not_of(" \t\r") + 1));
        trace_.pass.resize(std::min(trace_.pass.size(), trace_.pass.find(" (took ")));
      } else if (!blank && !rest.starts_with('#') && !rest.starts_with('@') && !rest.starts_with("import ") &&
                 !rest.starts_with("from ")) {
        cursor_.fail_at(start, "expected an import, a decorator or 'def' of a trace");
      }
      begun = begun || !blank;
    }
    cursor_.next_line();
  }
  if (!cursor_.failed() && !trace_.pass.empty()) cursor_.fail("a trace without 'def'");
  return false;
}

void ThunderReader::signature() {
  trace_.line = cursor_.line();
  cursor_.take("def ");
  trace_.name = std::string(cursor_.identifier());
  if (trace_.name.empty()) return cursor_.fail("expected the name of a trace");
  cursor_.expect('(');
  while (!cursor_.failed() && !cursor_.take(')')) {
    cursor_.skip_blanks();
    while (cursor_.take('*')) {
    }
    const std::string name(cursor_.identifier());
    if (!name.empty()) trace_.parameters.push_back(name);
    if (cursor_.take('=')) python_expression(cursor_);
    cursor_.skip_blanks();
    if (cursor_.peek() != ')') cursor_.expect(',');
  }
  cursor_.expect(':');
  cursor_.next_line();
  auto names = trace_.parameters;
  std::ranges::sort(names);
  if (std::ranges::adjacent_find(names) != names.end()) cursor_.fail("a parameter is named twice");
}

void ThunderReader::body() {
  open_.clear();
  loc_.clear();
  code_.clear();
  while (!cursor_.failed() && !cursor_.at_end()) {
    const bool blank = cursor_.peek() == '\n' || cursor_.peek() == '\r';
    if (!blank && cursor_.peek() != ' ') break;
    if (!blank) line_of_body();
    if (cursor_.failed()) return;
    const std::size_t end = cursor_.at();
    const std::string_view rest = cursor_.rest_of_line();
    if (rest.find_first_not_of(" \t\r") != std::string_view::npos) {
      return cursor_.fail_at(end, "unexpected text behind a statement");
    }
    cursor_.next_line();
  }
  const bool returns = std::ranges::any_of(
      trace_.statements, [](const ThunderStatement& s) { return s.kind == ThunderStatement::Kind::leave; });
  if (!cursor_.failed() && !returns && trace_.name != "prologue" && trace_.name != "epilogue")
    cursor_.fail("a trace without 'return': the text is cut");
}

void ThunderReader::line_of_body() {
  std::size_t indent = 0;
  while (cursor_.take(' ')) ++indent;
  if (cursor_.at_end() || cursor_.peek() == '\n' || cursor_.peek() == '\r') return;
  if (indent % 2 != 0) return cursor_.fail("indented by an odd number of spaces");
  if (indent == 2) {
    if (cursor_.peek() == '#') {
      return comment();
    }
    return statement(0);
  }
  const int depth = static_cast<int>(indent / 2) - 1;
  if (!cursor_.take("# ")) return cursor_.fail("expected '# ' before what a statement is made of");
  if (depth > kDepth) return cursor_.fail("nested too deeply");
  if (static_cast<std::size_t>(depth) > open_.size()) return cursor_.fail("indented too far");
  if (free_text()) {
    cursor_.rest_of_line();
    return;
  }
  if (cursor_.peek() == '#') return comment();  // a comment from the trace before fusion
  statement(depth);
}

/// True at a remark on the following statement. All other text below level 1 is a statement.
bool ThunderReader::free_text() const {
  return cursor_.starts_with("[alias tensor args]") || cursor_.peek() == '`';
}

void ThunderReader::comment() {
  cursor_.take('#');
  cursor_.take(' ');
  if (!location()) declared_type();
  cursor_.rest_of_line();
}

/// FILE:LINE: <TAB>source
bool ThunderReader::location() {
  const std::size_t start = cursor_.at();
  std::string_view line = cursor_.rest_of_line();
  cursor_.back_to(start);
  const std::size_t tab = line.find(": \t");
  if (tab == std::string_view::npos) return false;
  const std::string_view file = line.substr(0, tab);
  const std::size_t colon = file.rfind(':');
  if (colon == std::string_view::npos || colon + 1 >= file.size()) return false;
  for (const char c : file.substr(colon + 1))
    if (!is_fx_digit(c)) return false;
  loc_ = std::string(file);
  std::string_view source = line.substr(tab + 3);
  while (!source.empty() && (source.front() == ' ' || source.front() == '\t')) source.remove_prefix(1);
  while (!source.empty() && (source.back() == '\r' || source.back() == ' ')) source.remove_suffix(1);
  code_ = std::string(source);
  return true;
}

/// NAME: "TYPE"
void ThunderReader::declared_type() {
  const std::string name(cursor_.identifier());
  if (name.empty() || !cursor_.take(": \"")) return;
  const std::string_view line = cursor_.rest_of_line();
  if (const std::size_t end = line.rfind('"'); end != std::string_view::npos)
    trace_.types[name] = std::string(line.substr(0, end));
}

void ThunderReader::statement(int depth) {
  ThunderStatement parsed = parse(depth);
  if (!cursor_.failed()) place(std::move(parsed), depth);
}

void ThunderReader::place(ThunderStatement statement, int depth) {
  std::vector<ThunderStatement>& into =
      depth == 0 ? trace_.statements : open_[static_cast<std::size_t>(depth) - 1]->inner;
  into.push_back(std::move(statement));
  open_.resize(static_cast<std::size_t>(depth));
  open_.push_back(&into.back());
}

ThunderStatement ThunderReader::parse(int depth) {
  ThunderStatement out;
  out.at = cursor_.at();
  out.line = cursor_.line();
  out.loc = loc_;
  out.code = code_;
  if (depth == 0 && cursor_.take_word("return")) {
    out.kind = ThunderStatement::Kind::leave;
  } else if (depth == 0 && cursor_.take_word("del")) {
    out.kind = ThunderStatement::Kind::drop;
  } else {
    parse_value(out);
    return out;
  }
  cursor_.skip_blanks();
  if (!cursor_.at_end() && cursor_.peek() != '\n' && cursor_.peek() != '\r') {
    out.value = python_expressions(cursor_);
  }
  return out;
}

void ThunderReader::parse_value(ThunderStatement& out) {
  PythonExpr first = python_expressions(cursor_);
  annotation(out);
  cursor_.skip_blanks();
  if (cursor_.take("\\")) {  // an unpacking too long for its line
    while (!cursor_.failed() && cursor_.peek() != '=') {
      while (cursor_.peek() == '\r') cursor_.take('\r');
      cursor_.next_line();
      cursor_.skip_blanks();
      if (cursor_.peek() == '=') break;
      PythonExpr more = python_expressions(cursor_);
      if (more.kind == PythonExpr::Kind::sequence)
        first.items.insert(first.items.end(), more.items.begin(), more.items.end());
      else
        first.items.push_back(std::move(more));
      cursor_.take("\\");
      if (cursor_.at_end()) return cursor_.fail("the text is cut");
    }
  }
  if (cursor_.failed()) return;
  if (cursor_.take('=')) {
    cursor_.skip_blanks();
    out.target = std::move(first);
    out.value = python_expressions(cursor_);
    if (out.value.kind == PythonExpr::Kind::name && out.target.kind == PythonExpr::Kind::sequence)
      out.kind = ThunderStatement::Kind::unpack;
  } else {
    out.value = std::move(first);
    if (out.value.kind != PythonExpr::Kind::call && !cursor_.failed())
      return cursor_.fail_at(out.at, "expected a statement");
  }
  type_comment(out);
}

/// `y: "TYPE" = args[0]`
void ThunderReader::annotation(ThunderStatement& out) {
  if (cursor_.failed() || !cursor_.take(": ")) return;
  if (cursor_.peek() != '"') return cursor_.fail("expected a type");
  out.type = cursor_.string_literal();
}

void ThunderReader::type_comment(ThunderStatement& out) {
  if (cursor_.failed() || cursor_.peek() != '#') return;
  const std::string_view line = cursor_.rest_of_line();
  const std::size_t from = line.find(": \""), to = line.rfind('"');
  if (from != std::string_view::npos && to > from + 2)
    out.type = std::string(line.substr(from + 3, to - from - 3));
}

}  // namespace

Result<std::vector<ThunderTrace>> parse_thunder(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return ThunderReader(text).read();
}

std::string thunder_place(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return fmt::format("line {}, column {}", line, before.size() - start + 1);
}

}  // namespace noclobber
