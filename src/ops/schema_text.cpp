#include <algorithm>
#include <cmath>
#include <cstdio>

#include "src/ops/schema_reader.h"

namespace noclobber {

namespace {

std::string quoted_text(std::string_view text) {
  constexpr std::string_view kMeanings = "\n\t\r\f\v\a\b\\\"'", kLetters = "ntrfvab\\\"'";
  std::string out = "\"";
  for (const char c : text) {
    const std::size_t letter = kMeanings.find(c);
    const auto byte = static_cast<unsigned char>(c);
    if (letter != std::string_view::npos) {
      out += '\\';
      out += kLetters[letter];
    } else if (byte < 0x20 || byte >= 0x7f) {
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(byte));
      out += octal;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// PyTorch's spelling: "2.", "0.5", "1.0000000000000001e-05".
std::string real_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.17g", value);
  std::string out = digits;
  if (out.find_first_of(".e") == std::string::npos) out += '.';
  return out;
}

std::string base_of(std::string_view type) { return std::string(type.substr(0, type.find_first_of("?[("))); }

/// `int[2] stride=1`: PyTorch prints one element where an int[N], N > 1, repeats it, but not for SymInt[N].
bool prints_one(const SchemaSlot& slot, const Arg& value) {
  return slot.type_text.starts_with("int[") && !slot.type_text.starts_with("int[]") &&
         value.list.size() > 1 && std::all_of(value.list.begin(), value.list.end(), [&](const Arg& item) {
           return item == value.list.front();
         });
}

std::string value_text(const SchemaSlot& slot, const Arg& value) {
  switch (value.kind) {
    case Arg::Kind::none:
    case Arg::Kind::ref:
    case Arg::Kind::graph:
      return "None";
    case Arg::Kind::sym:
      return value.sym.text();
    case Arg::Kind::real:
      return real_text(value.real);
    case Arg::Kind::boolean:
      return value.boolean ? "True" : "False";
    case Arg::Kind::dtype: {
      const auto code = code_of_dtype(value.dtype);
      return code ? std::to_string(*code) : std::string(torch_name(value.dtype));
    }
    case Arg::Kind::text: {
      const auto code = code_of_word(base_of(slot.type_text), value.text);
      return code ? std::to_string(*code) : quoted_text(value.text);
    }
    case Arg::Kind::device:
      return quoted_text(value.text);
    case Arg::Kind::list:
      break;
  }
  if (prints_one(slot, value)) return value_text(slot, value.list.front());
  std::string out = "[";
  for (const Arg& item : value.list) out += (out.size() > 1 ? ", " : "") + value_text(slot, item);
  return out + "]";
}

std::string slot_text(const SchemaSlot& slot) {
  std::string out = slot.spelling;
  if (!slot.name.empty()) out += " " + slot.name;
  if (slot.fallback) out += "=" + value_text(slot, *slot.fallback);
  return out;
}

}  // namespace

std::string schema_text(const Schema& schema) {
  std::string out = schema.ns + "::" + schema.name;
  if (schema.overload != "default") out += "." + schema.overload;
  out += "(";
  bool keyword_only = false, first = true;
  for (const SchemaSlot& slot : schema.arguments) {
    if (!first) out += ", ";
    first = false;
    if (slot.keyword_only && !keyword_only) out += "*, ";
    keyword_only = slot.keyword_only;
    out += slot_text(slot);
  }
  out += ") -> ";
  // One return of tuple type needs brackets of its own, or it would read as several returns.
  const bool single = schema.returns.size() == 1 && !schema.returns[0].spelling.starts_with("(");
  if (!single) out += "(";
  first = true;
  for (const SchemaSlot& slot : schema.returns) {
    if (!first) out += ", ";
    first = false;
    out += slot_text(slot);
  }
  return single ? out : out + ")";
}

}  // namespace noclobber
