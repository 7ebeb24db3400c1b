#include "src/ops/schema.h"

#include <algorithm>

#include "src/ops/schema_reader.h"

namespace noclobber {

namespace {

bool starts_identifier(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_identifier(char c) { return starts_identifier(c) || (c >= '0' && c <= '9'); }

void describe(const TypeReading& type, SchemaSlot& slot) {
  slot.type_text = type.text;
  slot.spelling = type.spelling;
  slot.alias = type.alias;
  slot.written = type.written;
  slot.type = type.base != "Tensor" ? SchemaSlot::Type::other
              : type.list           ? SchemaSlot::Type::tensor_list
                                    : SchemaSlot::Type::tensor;
}

SchemaSlot variadic() {
  SchemaSlot slot;
  slot.type_text = slot.spelling = "...";
  return slot;
}

}  // namespace

bool Schema::writes() const {
  return std::any_of(arguments.begin(), arguments.end(), [](const SchemaSlot& slot) { return slot.written; });
}

bool SchemaReader::fail(std::string message) {
  if (!fault_) fault_ = Diagnostic{"column " + std::to_string(at_ + 1), std::move(message)};
  return false;
}

void SchemaReader::skip_space() {
  while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
}

bool SchemaReader::at(char c) {
  skip_space();
  return at_ < text_.size() && text_[at_] == c;
}

bool SchemaReader::take(char c) {
  if (!at(c)) return false;
  ++at_;
  return true;
}

bool SchemaReader::take(std::string_view word) {
  skip_space();
  if (text_.substr(at_, word.size()) != word) return false;
  at_ += word.size();
  return true;
}

bool SchemaReader::expect(char c) { return take(c) || fail(std::string("expected '") + c + "'"); }

std::string_view SchemaReader::identifier() {
  skip_space();
  if (at_ >= text_.size() || !starts_identifier(text_[at_])) return {};
  const std::size_t begin = at_;
  while (at_ < text_.size() && continues_identifier(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

bool SchemaReader::expect_identifier(std::string& into, std::string_view what) {
  const std::string_view word = identifier();
  if (word.empty()) return fail("expected " + std::string(what));
  into += word;
  return true;
}

bool SchemaReader::read_name(Schema& schema) {
  if (!expect_identifier(schema.ns, "a namespace")) return false;
  if (!take("::")) return fail("expected '::'");
  if (!expect_identifier(schema.name, "an operator name")) return false;
  if (take('.')) {
    if (!expect_identifier(schema.overload, "an overload name")) return false;
  } else {
    schema.overload = "default";
  }
  schema.op = schema.ns + "." + schema.name + "." + schema.overload;
  return true;
}

bool SchemaReader::read_argument(SchemaSlot& slot) {
  TypeReading type;
  if (!read_type(type) || !expect_identifier(slot.name, "an argument name")) return false;
  describe(type, slot);
  if (!take('=')) return true;
  slot.fallback.emplace();
  return read_default(type, *slot.fallback);
}

bool SchemaReader::read_arguments(std::vector<SchemaSlot>& into) {
  if (!expect('(')) return false;
  if (take(')')) return true;
  bool keyword_only = false;
  do {
    if (take("...")) {
      into.push_back(variadic());
      return expect(')');
    }
    if (take('*')) {
      if (keyword_only) return fail("a second '*'");
      keyword_only = true;
      continue;
    }
    SchemaSlot slot;
    slot.keyword_only = keyword_only;
    if (!read_argument(slot)) return false;
    into.push_back(std::move(slot));
  } while (take(','));
  return take(')') || fail("expected ',' or ')'");
}

bool SchemaReader::read_return(SchemaSlot& slot) {
  TypeReading type;
  if (!read_type(type)) return false;
  describe(type, slot);
  slot.name = identifier();
  return true;
}

bool SchemaReader::read_returns(std::vector<SchemaSlot>& into) {
  if (!take("->")) return fail("expected '->'");
  if (take("...")) {
    into.push_back(variadic());
    return true;
  }
  if (!take('(')) return read_return(into.emplace_back());
  if (take(')')) return true;
  do {
    if (take("...")) {
      into.push_back(variadic());
      return expect(')');
    }
    if (!read_return(into.emplace_back())) return false;
  } while (take(','));
  return take(')') || fail("expected ',' or ')'");
}

Result<Schema> SchemaReader::read() {
  Schema schema;
  bool good = read_name(schema) && read_arguments(schema.arguments) && read_returns(schema.returns);
  skip_space();
  if (good && at_ != text_.size()) good = fail("text after the schema");
  if (!good) return *fault_;
  return schema;
}

Result<Schema> parse_schema(std::string_view text) { return SchemaReader(text).read(); }

}  // namespace noclobber
