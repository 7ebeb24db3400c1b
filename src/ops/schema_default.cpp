#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "src/ops/schema_reader.h"

namespace noclobber {

namespace {

// c10/core/ScalarType.h, c10/core/MemoryFormat.h, c10/core/Layout.h of PyTorch 2.
constexpr std::pair<std::int64_t, Dtype> kDtypeCodes[] = {
    {0, Dtype::u8},       {1, Dtype::i8},    {2, Dtype::i16},     {3, Dtype::i32},       {4, Dtype::i64},
    {5, Dtype::f16},      {6, Dtype::f32},   {7, Dtype::f64},     {9, Dtype::c64},       {10, Dtype::c128},
    {11, Dtype::boolean}, {15, Dtype::bf16}, {23, Dtype::f8e5m2}, {24, Dtype::f8e4m3fn}, {27, Dtype::u16},
    {28, Dtype::u32},     {29, Dtype::u64},
};
struct WordCode {
  std::string_view base, word;
  std::int64_t code;
};
constexpr WordCode kWordCodes[] = {
    {"MemoryFormat", "contiguous_format", 0},
    {"MemoryFormat", "preserve_format", 1},
    {"MemoryFormat", "channels_last", 2},
    {"MemoryFormat", "channels_last_3d", 3},
    {"Layout", "strided", 0},
    {"Layout", "sparse_coo", 1},
    {"Layout", "sparse_csr", 2},
    {"Layout", "_mkldnn", 3},
    {"Layout", "sparse_csc", 4},
    {"Layout", "sparse_bsr", 5},
    {"Layout", "sparse_bsc", 6},
    {"Layout", "jagged", 7},
};

bool is_word_type(std::string_view base) { return base == "MemoryFormat" || base == "Layout"; }

}  // namespace

std::optional<Dtype> dtype_of_code(std::int64_t code) {
  for (const auto& [number, type] : kDtypeCodes) {
    if (number == code) return type;
  }
  return std::nullopt;
}

std::optional<std::int64_t> code_of_dtype(Dtype type) {
  for (const auto& [number, known] : kDtypeCodes) {
    if (known == type) return number;
  }
  return std::nullopt;
}

std::optional<std::string> word_of_code(std::string_view base, std::int64_t code) {
  for (const WordCode& row : kWordCodes) {
    if (row.base == base && row.code == code) return std::string(row.word);
  }
  return std::nullopt;
}

std::optional<std::int64_t> code_of_word(std::string_view base, std::string_view word) {
  for (const WordCode& row : kWordCodes) {
    if (row.base == base && row.word == word) return row.code;
  }
  return std::nullopt;
}

bool SchemaReader::read_default(const TypeReading& type, Arg& into) {
  if (at('[')) return type.list ? read_list(type, into, 0) : fail("a list is no value of " + type.text);
  if (!read_single(type, into)) return false;
  if (!type.list || into.kind == Arg::Kind::none) return true;
  if (!type.list_size) return fail("expected a list");
  if (*type.list_size > kMaxSizedList) return fail("the list is too long to fill");
  into = Arg::of(std::vector<Arg>(static_cast<std::size_t>(*type.list_size), into));
  return true;
}

bool SchemaReader::read_list(const TypeReading& type, Arg& into, int depth) {
  if (depth > kMaxSchemaDepth) return fail("the default is nested too deeply");
  if (!expect('[')) return false;
  into.kind = Arg::Kind::list;
  if (take(']')) return true;
  do {
    Arg& item = into.list.edit().emplace_back();
    if (at('[') ? !read_list(type, item, depth + 1) : !read_single(type, item)) return false;
  } while (take(','));
  return expect(']');
}

bool SchemaReader::read_single(const TypeReading& type, Arg& into) {
  if (at('"') || at('\'')) {
    std::string value;
    if (!read_text(value)) return false;
    into = type.base == "Device" ? Arg::of_device(std::move(value)) : Arg::of_text(std::move(value));
    return true;
  }
  const std::size_t begin = at_;
  const bool negative = take('-');
  const std::string_view word = identifier();
  if (!word.empty()) return read_word(type, word, negative, into);
  at_ = begin;
  return read_number(type, into);
}

bool SchemaReader::read_word(const TypeReading& type, std::string_view word, bool negative, Arg& into) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (word == "inf" || word == "nan") {
    const double value = word == "inf" ? kInfinity : std::numeric_limits<double>::quiet_NaN();
    into = Arg::of_real(negative ? -value : value);
  } else if (negative) {
    return fail("expected a number");
  } else if (word == "True" || word == "False") {
    into = Arg::of_bool(word == "True");
  } else if (word == "None") {
    into = Arg();
  } else if (word == "Mean") {  // PyTorch's own spelling of Reduction::Mean
    into = Arg::of(SymExpr(1));
  } else if (const auto code = code_of_word(type.base, word); code || word == "contiguous_format") {
    into = Arg::of_text(std::string(word));
  } else if (word == "float" || word == "long" || word == "complex") {
    into = Arg::of_dtype(word == "float" ? Dtype::f32 : word == "long" ? Dtype::i64 : Dtype::c64);
  } else if (const auto dtype = parse_torch_dtype(word)) {
    into = Arg::of_dtype(*dtype);
  } else {
    return fail("unknown default value '" + std::string(word) + "'");
  }
  return true;
}

bool SchemaReader::read_number(const TypeReading& type, Arg& into) {
  skip_space();
  const std::size_t begin = at_;
  const auto more = [&](std::size_t at) {
    const bool sign = (text_[at] == '-' || text_[at] == '+') &&
                      (at == begin || text_[at - 1] == 'e' || text_[at - 1] == 'E');
    return sign || std::string_view("0123456789.eE").find(text_[at]) != std::string_view::npos;
  };
  while (at_ < text_.size() && more(at_)) ++at_;
  const std::string_view number = text_.substr(begin, at_ - begin);
  const char* end = number.data() + number.size();
  if (type.base == "float" || number.find_first_of(".eE") != std::string_view::npos) {
    double value = 0;
    const auto read = std::from_chars(number.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end) return fail("expected a default value");
    into = Arg::of_real(value);
    return true;
  }
  std::int64_t value = 0;
  const auto read = std::from_chars(number.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return fail("expected a default value");
  if (type.base == "ScalarType") {
    const auto dtype = dtype_of_code(value);
    if (!dtype) return fail("an element type without a name here");
    into = Arg::of_dtype(*dtype);
  } else if (is_word_type(type.base)) {
    auto word = word_of_code(type.base, value);
    if (!word) return fail("no such " + type.base);
    into = Arg::of_text(std::move(*word));
  } else {
    into = Arg::of(SymExpr(value));
  }
  return true;
}

bool SchemaReader::read_escape(std::string& into) {
  constexpr std::string_view kLetters = "ntrfvab\\\"'", kMeanings = "\n\t\r\f\v\a\b\\\"'";
  if (at_ >= text_.size()) return fail("the text does not end");
  const std::size_t letter = kLetters.find(text_[at_]);
  if (letter != std::string_view::npos) {
    ++at_;
    into += kMeanings[letter];
    return true;
  }
  unsigned value = 0;  // three octal digits, as PyTorch prints what it has no letter for
  const char* begin = text_.data() + at_;
  const std::size_t length = std::min<std::size_t>(3, text_.size() - at_);
  const auto read = std::from_chars(begin, begin + length, value, 8);
  if (read.ec != std::errc() || read.ptr != begin + 3 || value > 255) return fail("unknown escape in a text");
  at_ += 3;
  into += static_cast<char>(value);
  return true;
}

bool SchemaReader::read_text(std::string& into) {
  const char quote = text_[at_++];
  while (at_ < text_.size() && text_[at_] != quote) {
    const char c = text_[at_++];
    if (c != '\\') {
      into += c;
    } else if (!read_escape(into)) {
      return false;
    }
  }
  if (at_ >= text_.size()) return fail("the text does not end");
  ++at_;
  return true;
}

}  // namespace noclobber
