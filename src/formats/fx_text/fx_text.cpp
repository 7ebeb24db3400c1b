// Recursive descent over what torch/fx/graph.py prints.
//
//   module    = class-line def-line { statement } return { module }      nested ones one level deeper
//   statement = name [: annotation] = right-hand side [; name { = name } = None]
//
// The part after `;` ends the live ranges of values: a later use would read None.
#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "src/formats/fx_text/fx_text.h"
#include "src/formats/fx_text/fx_text_module.h"

namespace noclobber {
namespace {

constexpr std::size_t kLongestComment = 1000;  // characters of a location or of its source line

std::size_t fx_indent(const FxCursor& cursor) {
  std::size_t width = 0;
  while (cursor.peek(width) == ' ' || cursor.peek(width) == '\t') ++width;
  return width;
}

std::size_t fx_to_code(FxCursor& cursor) {
  while (!cursor.at_end()) {
    const std::size_t width = fx_indent(cursor);
    const char c = cursor.peek(width);
    const bool is_end = cursor.rest().size() == width;
    if (!is_end && c != '#' && c != '\n' && c != '\r') return width;
    cursor.next_line();
  }
  return 0;
}

/// A bounded prefix, cut between characters of UTF-8: steps below a comment keep it.
std::string fx_shortened(std::string_view text) {
  if (text.size() <= kLongestComment) return std::string(text);
  std::size_t size = kLongestComment;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  return std::string(text.substr(0, size));
}

/// Names of all modules, by their `class` lines.
std::unordered_set<std::string_view> fx_classes(std::string_view text) {
  std::unordered_set<std::string_view> names;
  for (std::size_t at = 0; (at = text.find("class ", at)) != text.npos;) {
    at += 6;
    const std::size_t end = text.find_first_of("(\n", at);
    if (end == text.npos) break;
    if (text[end] == '(') names.insert(fx_last_name(text.substr(at, end - at)));
    at = end;
  }
  return names;
}

}  // namespace

std::size_t fx_indentation(FxCursor& cursor) { return fx_to_code(cursor); }

void FxModule::class_line() {
  cursor_.skip_blanks();
  if (cursor_.take_word("class")) {
    cursor_.skip_blanks();
    const std::string_view line = cursor_.rest_of_line();
    const std::size_t open = line.find('(');
    if (open == line.npos || line.find(':', open) == line.npos)
      return cursor_.fail("a class line has no '(...):'");
    graph_.name = std::string(line.substr(0, open));
    cursor_.next_line();
    indent_ = fx_to_code(cursor_);
    skip_to_forward();
    cursor_.skip_blanks();
  }
  if (!cursor_.take_word("def")) return cursor_.fail("expected 'def forward('");
  cursor_.skip_blanks();
  if (cursor_.identifier() != "forward") return cursor_.fail("expected 'forward'");
}

/// Skips what else a class may contain: `def __init__(self):`, attributes, decorators.
void FxModule::skip_to_forward() {
  while (!cursor_.at_end() && !cursor_.rest().substr(indent_).starts_with("def forward(")) {
    const std::size_t before = cursor_.at();
    cursor_.next_line();
    const std::size_t width = fx_to_code(cursor_);
    if (cursor_.at_end() || (width <= start_ && start_ < indent_)) {
      cursor_.back_to(before);
      return;
    }
    if (width < indent_) indent_ = width;
  }
}

void FxModule::parameters() {
  cursor_.expect('(');
  cursor_.skip_all();
  if (cursor_.take_word("self")) {
    cursor_.skip_all();
    if (cursor_.peek() != ')') cursor_.expect(',');
    cursor_.skip_all();
  }
  while (!cursor_.failed() && !cursor_.take(')')) {
    parameter();
    cursor_.skip_all();
    if (cursor_.take(')')) break;
    cursor_.expect(',');
    cursor_.skip_all();
  }
  cursor_.skip_blanks();
  if (cursor_.take("->")) read_fx_annotation(text_);
  cursor_.skip_blanks();
  cursor_.expect(':');
  cursor_.next_line();
}

void FxModule::parameter() {
  FxParameter parameter{.name = {}, .annotation = {}, .at = cursor_.at()};
  const bool is_starred = cursor_.take('*');
  if (cursor_.take('/') || (is_starred && cursor_.peek() == ',')) return;  // how arguments are passed
  cursor_.take('*');
  parameter.name = cursor_.identifier();
  if (parameter.name.empty()) return cursor_.fail("a parameter's name is missing");
  cursor_.skip_blanks();
  if (cursor_.take(':')) parameter.annotation = read_fx_annotation(text_);
  cursor_.skip_blanks();
  if (cursor_.take('=')) {
    cursor_.skip_blanks();
    values_.value();
    refuse_unread(parameter.at);
  }
  parameters_.push_back(std::move(parameter));
}

void FxModule::line() {
  if (cursor_.at_end()) return cursor_.fail("the text ends before 'return'");
  const bool is_inside = std::exchange(mid_line_, false) || fx_indent(cursor_) > indent_;
  cursor_.skip_blanks();
  const char c = cursor_.peek();
  if (c == '#') return comment();
  if (c == '\n' || cursor_.at_end()) return cursor_.next_line();
  if (!is_inside) return cursor_.fail("'forward' ends without 'return'");
  if (cursor_.take_word("return")) return outputs();
  statement();
}

/// "# File: model.py:29 in forward, code: x = self.fc1(x)"; the code may be anything.
void FxModule::comment() {
  const std::string_view line = cursor_.rest_of_line();
  cursor_.next_line();
  constexpr std::string_view kFile = "File: ", kCode = ", code: ";
  if (line.starts_with("# No stacktrace")) {
    source_.clear();
  }
  const std::size_t file = line.find(kFile);
  if (file == line.npos) return;
  const std::string_view place = line.substr(file + kFile.size());
  const std::size_t code = place.find(kCode);
  source_ = StepSource{fx_shortened(place.substr(0, code)),
                       code == place.npos ? "" : fx_shortened(place.substr(code + kCode.size()))};
}

void FxModule::statement() {
  const std::size_t at = cursor_.at();
  const std::string_view name = cursor_.identifier();
  if (name.empty()) return cursor_.fail("a statement cannot begin here");
  cursor_.skip_blanks();
  if (cursor_.peek() == ',') {
    std::vector<std::string_view> names = {name};
    while (cursor_.take(',')) {
      cursor_.skip_blanks();
      if (const std::string_view next = cursor_.identifier(); !next.empty()) names.push_back(next);
      cursor_.skip_blanks();
    }
    return flatten(std::move(names));
  }
  if (update(name)) return;
  if (!cursor_.take(':')) return assignment(name, at, FxAnnotation());
  const FxAnnotation& annotation = read_fx_annotation(text_);
  cursor_.skip_blanks();
  if (cursor_.failed()) return;
  if (cursor_.peek() == '=')
    assignment(name, at, annotation);
  else
    declaration(name, at, annotation);
}

void FxModule::assignment(std::string_view name, std::size_t at, const FxAnnotation& annotation) {
  if (cursor_.peek() != '=' || cursor_.peek(1) == '=') return cursor_.fail_at(at, "not an assignment");
  cursor_.take('=');
  cursor_.skip_blanks();
  const bool is_deletion = names_.knows(name) && cursor_.take_word("None");
  settle_parameters();
  if (is_deletion)
    names_.forget(name);
  else
    assign(name, at, annotation);
  ending();
}

/// `primals_1: "f32[2]"`, before the line that unpacks the arguments; several may share a line.
void FxModule::declaration(std::string_view name, std::size_t at, const FxAnnotation& annotation) {
  if (parameters_settled_) return cursor_.fail_at(at, "a name without a value");
  if (!declared_.try_emplace(name, FxParameter{name, annotation, at}).second)
    return cursor_.fail_at(at, "a parameter is declared twice");
  cursor_.take(';');
  mid_line_ = true;
}

/// `primals_1, tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)`
void FxModule::flatten(std::vector<std::string_view> names) {
  if (parameters_settled_) return cursor_.fail("the arguments are taken apart too late");
  cursor_.expect('=');
  cursor_.skip_blanks();
  if (cursor_.failed()) return;
  const std::string_view path = cursor_.path();
  if (path != "fx_pytree.tree_flatten_spec" && path != "pytree.tree_flatten_spec")
    return cursor_.fail("several names on the left");
  parameters_.clear();
  for (const std::string_view name : names) {
    const auto found = declared_.find(name);
    FxParameter parameter{.name = name, .annotation = {}, .at = cursor_.at()};
    if (found != declared_.end()) parameter.annotation = std::move(found->second.annotation);
    parameters_.push_back(std::move(parameter));
  }
  declared_.clear();
  settle_parameters();
  cursor_.next_line();
}

void FxModule::settle_parameters() {
  if (parameters_settled_) return;
  parameters_settled_ = true;
  if (!declared_.empty()) return cursor_.fail("annotated parameters are never taken from the arguments");
  for (FxParameter& parameter : parameters_) {
    const std::string_view name = parameter.name;
    FxAnnotation& annotation = parameter.annotation;
    if (annotation.kind == FxAnnotation::Kind::scalar) {
      if (annotation.scalar.kind == Arg::Kind::sym) graph_.numbers.emplace_back(name, annotation.scalar.sym);
      check(parameter.at, names_.bind(name, std::move(annotation.scalar)));
    } else {
      check(parameter.at, names_.add_input(name, Input::Kind::user, std::move(annotation.type)));
    }
  }
}

/// `;  a = b = None`, a comment, the line's end.
void FxModule::ending() {
  cursor_.skip_blanks();
  while (cursor_.take(';')) {
    cursor_.skip_blanks();
    bool is_none = false;
    std::string_view name;
    while (!is_none && !(name = cursor_.identifier()).empty()) {
      names_.forget(name);
      cursor_.skip_blanks();
      cursor_.expect('=');
      cursor_.skip_blanks();
      is_none = cursor_.take_word("None");
    }
    if (!is_none) return cursor_.fail("a second statement on a line");
    cursor_.skip_blanks();
  }
  if (cursor_.peek() == '#') cursor_.rest_of_line();
  if (cursor_.peek() != '\n' && !cursor_.at_end()) return cursor_.fail("unexpected text behind a statement");
  cursor_.next_line();
}

/// A body that returns all results of one step: `return name`, where the name is a tuple.
bool FxModule::whole_tuple() {
  const std::size_t at = cursor_.at();
  graph_.outputs = names_.whole_tuple(cursor_.identifier());
  if (graph_.outputs.empty() || (cursor_.peek() != ';' && cursor_.peek() != '\n' && !cursor_.at_end())) {
    graph_.outputs.clear();
    cursor_.back_to(at);
    return false;
  }
  ending();
  return returned_ = true;
}

void FxModule::outputs() {
  settle_parameters();
  const std::size_t at = cursor_.at();
  cursor_.skip_blanks();
  const bool is_tree = cursor_.take("pytree.tree_unflatten(");
  if (is_tree) cursor_.skip_all();
  const bool is_bare = cursor_.peek() == '\n' || cursor_.at_end();
  if (whole_tuple()) return;
  const bool is_tree_node = cursor_.peek() == '{';
  const bool is_list = is_tree_node || cursor_.peek() == '(' || cursor_.peek() == '[';
  Arg value = is_bare ? Arg() : values_.value();
  refuse_unread(at);
  if (is_tree) cursor_.rest_of_line();
  ending();
  returned_ = true;
  if (is_tree_node) {  // the values of a dictionary, in order
    for (Arg& member : value.list.items()) {
      const Arg& key = member.list.front();
      graph_.output_keys.push_back(key.kind == Arg::Kind::text ? "['" + *key.text + "']"
                                                               : "[" + key.sym.text() + "]");
      member = Arg(std::move(member.list.back()));
    }
  }
  if (is_list && value.kind == Arg::Kind::list)
    graph_.outputs = std::move(value.list);
  else
    graph_.outputs.push_back(std::move(value));
}

namespace {

/// Reads the text after the graph of a printed exported program, for the ranges of symbols.
void fx_signature(FxCursor& cursor, std::map<std::string, SymbolRange>& symbols) {
  const std::string_view rest = cursor.rest();
  if (rest.find("_MUTATION") != rest.npos)
    return cursor.fail("the mutations in a printed signature are not read; the .pt2 has them");
  constexpr std::string_view kRange = ": VR[";
  const std::size_t ranges = rest.find("Range constraints:");
  for (auto& [name, range] : symbols) {
    const std::size_t at = rest.find(name + std::string(kRange), ranges);
    if (ranges == rest.npos || at == rest.npos) continue;
    const std::string_view bounds = rest.substr(at + name.size() + kRange.size());
    const std::size_t comma = bounds.find(", "), close = bounds.find(']');
    if (comma == bounds.npos || close == bounds.npos || close < comma) continue;
    const auto low = parse_sym(bounds.substr(0, comma)),
               high = parse_sym(bounds.substr(comma + 2, close - comma - 2));
    if (low && low->is_constant()) range.min = std::max(range.min, low->constant());
    if (high && high->is_constant()) range.max = high->constant();
    range.told = true;
  }
}

}  // namespace

Result<FxGraph> read_fx_text(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  FxText whole{.cursor = FxCursor(text), .symbols = {}, .classes = fx_classes(text), .annotations = {}};
  FxGraph result;
  const bool is_exported = text.starts_with("ExportedProgram:");
  if (is_exported) whole.cursor.next_line();
  FxModule(whole, result.graph, 0).read();
  fx_qualify_attributes(result.graph, "");
  fx_lift_constants(result.graph);
  result.symbols = whole.symbols.take();
  if (!whole.cursor.failed()) {
    const bool is_signed = is_exported && whole.cursor.starts_with("Graph signature");
    if (is_signed)
      fx_signature(whole.cursor, result.symbols);
    else if (!whole.cursor.at_end())
      whole.cursor.fail("unexpected text behind the graph");
  }
  if (whole.cursor.failed()) return whole.cursor.fault();
  result.has_strides = whole.has_strides;
  return result;
}

}  // namespace noclobber
