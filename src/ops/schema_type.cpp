#include <charconv>

#include "src/ops/schema_reader.h"

namespace noclobber {

namespace {

void append_both(TypeReading& type, std::string_view piece) {
  type.text += piece;
  type.spelling += piece;
}

/// Appends a part of a type. The alias set of a part counts only if no earlier one was found.
void append_part(TypeReading& type, const TypeReading& part) {
  type.text += part.text;
  type.spelling += part.spelling;
  if (type.alias.empty()) type.alias = part.alias;
  type.written = type.written || part.written;
}

bool takes_parameters(std::string_view name) {
  return name == "Dict" || name == "Union" || name == "Future" || name == "Await" || name == "RRef" ||
         name == "Optional" || name == "List" || name == "Tuple";
}

}  // namespace

bool SchemaReader::read_type(TypeReading& type, int depth) {
  if (depth > kMaxSchemaDepth) return fail("the type is nested too deeply");
  if (!read_type_name(type, depth)) return false;
  bool again = true;
  while (again) {
    if (type.spelling.size() > text_.size() + 16) return fail("the type is too long");
    if (!read_suffix(type, again)) return false;
  }
  return true;
}

bool SchemaReader::read_type_name(TypeReading& type, int depth) {
  if (at('(')) {
    type.base = "Tuple";
    return read_type_parameters(type, depth) && read_alias(type);
  }
  if (!expect_identifier(type.base, "a type")) return false;
  while (take('.')) {
    type.base += '.';
    if (!expect_identifier(type.base, "a type")) return false;
  }
  append_both(type, type.base);
  if (takes_parameters(type.base)) {
    if (!at('(')) return fail("expected the parameters of " + type.base);
    if (!read_type_parameters(type, depth)) return false;
  }
  return read_alias(type);
}

bool SchemaReader::read_type_parameters(TypeReading& type, int depth) {
  if (!expect('(')) return false;
  append_both(type, "(");
  if (type.base == "Tuple" && take(')')) {
    append_both(type, ")");
    return true;
  }
  bool first = true;
  do {
    if (!first) append_both(type, ", ");
    first = false;
    TypeReading part;
    if (!read_type(part, depth + 1)) return false;
    append_part(type, part);
  } while (take(','));
  append_both(type, ")");
  return expect(')');
}

bool SchemaReader::read_suffix(TypeReading& type, bool& again) {
  again = true;
  if (take('?')) {
    append_both(type, "?");
    return true;
  }
  if (!take('[')) {
    again = false;
    return true;
  }
  type.list = true;
  type.list_size.reset();
  skip_space();
  std::int64_t size = 0;
  const char* begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), size);
  if (error == std::errc::result_out_of_range || size < 0) return fail("the list's size is out of range");
  if (error == std::errc()) {
    at_ += static_cast<std::size_t>(end - begin);
    type.list_size = size;
  }
  append_both(type, type.list_size ? "[" + std::to_string(size) + "]" : "[]");
  return expect(']') && read_alias(type);
}

bool SchemaReader::read_alias_set(std::string& into) {
  do {
    if (!into.empty()) into += '|';
    if (take('*')) {
      into += '*';
    } else if (!expect_identifier(into, "the name of an alias set")) {
      return false;
    }
  } while (take('|'));
  return true;
}

bool SchemaReader::read_alias(TypeReading& type) {
  std::string set;
  if (take('!')) {
    set = "$" + std::to_string(fresh_aliases_++);
    type.written = true;
    type.spelling += '!';
  } else if (take('(')) {
    if (!read_alias_set(set)) return false;
    type.spelling += "(" + set;
    if (take('!')) {
      type.written = true;
      type.spelling += '!';
    }
    if (take("->")) {
      std::string later;
      if (!read_alias_set(later)) return false;
      type.spelling += " -> " + later;
    }
    type.spelling += ')';
    if (!expect(')')) return false;
  }
  if (type.alias.empty()) type.alias = set;
  return true;
}

}  // namespace noclobber
