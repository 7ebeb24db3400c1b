#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "src/ops/decl.h"

namespace noclobber {

namespace {

using Json = nlohmann::json;
using MaybeFault = std::optional<Diagnostic>;

MaybeFault read_word(const Json& value, const std::string& place,
                     std::initializer_list<std::string_view> allowed, std::string& into) {
  if (!value.is_string()) return Diagnostic{place, "expected a string"};
  into = value.get<std::string>();
  if (allowed.size() == 0 || std::find(allowed.begin(), allowed.end(), into) != allowed.end())
    return std::nullopt;
  return Diagnostic{place, "unknown value '" + into + "'"};
}

MaybeFault read_words(const Json& value, const std::string& place,
                      std::initializer_list<std::string_view> allowed, std::vector<std::string>& into) {
  if (!value.is_array()) return Diagnostic{place, "expected an array"};
  for (const Json& item : value) {
    const std::string at = place + "/" + std::to_string(into.size());
    if (const MaybeFault fault = read_word(item, at, allowed, into.emplace_back())) return fault;
  }
  return std::nullopt;
}

MaybeFault read_word_map(const Json& value, const std::string& place,
                         std::initializer_list<std::string_view> allowed,
                         std::map<std::string, std::string>& into) {
  if (!value.is_object()) return Diagnostic{place, "expected an object"};
  for (const auto& [name, item] : value.items()) {
    if (name == "*") return Diagnostic{member_pointer(place, name), "'*' is not an argument"};
    if (const MaybeFault fault = read_word(item, member_pointer(place, name), allowed, into[name]))
      return fault;
  }
  return std::nullopt;
}

MaybeFault read_may_alias(const Json& value, const std::string& place, OpDecl& decl) {
  if (!value.is_array()) return Diagnostic{place, "expected an array"};
  for (const Json& item : value) {
    const std::string at = place + "/" + std::to_string(decl.may_alias.size());
    if (!item.is_array() || item.size() != 2 || !item[0].is_number_integer() || !item[1].is_string()) {
      return Diagnostic{at, "expected [result number, argument name]"};
    }
    constexpr int kMostResults = 1 << 16;
    const bool low = item[0].is_number_unsigned() && item[0].get<std::uint64_t>() < kMostResults;
    if (!low) return Diagnostic{at + "/0", "no such result"};
    decl.may_alias.emplace_back(item[0].get<int>(), item[1].get<std::string>());
  }
  return std::nullopt;
}

MaybeFault read_field(const std::string& key, const Json& value, const std::string& place, OpDecl& decl) {
  if (key == "schema") return read_word(value, place, {}, decl.schema);
  if (key == "functional") return read_word(value, place, {}, decl.functional);
  if (key == "access") {
    if (value.is_string()) return read_word(value, place, {"elementwise", "any"}, decl.access["*"]);
    return read_word_map(value, place, {"elementwise", "any"}, decl.access);
  }
  if (key == "when") {
    std::string when;
    const MaybeFault fault = read_word(value, place, {"before_write", "any_time"}, when);
    decl.before_write = when == "before_write";
    return fault;
  }
  if (key == "reads_old") return read_words(value, place, {}, decl.reads_old.emplace());
  if (key == "writes") return read_word_map(value, place, {"all", "some"}, decl.writes);
  if (key == "result") {
    if (value.is_array()) return read_words(value, place, {"fresh", "view"}, decl.result);
    return read_word(value, place, {"fresh", "view"}, decl.result.emplace_back());
  }
  if (key == "may_alias") return read_may_alias(value, place, decl);
  if (key != "pure") return Diagnostic{place, "unknown field"};
  if (!value.is_boolean()) return Diagnostic{place, "expected true or false"};
  decl.pure = value.get<bool>();
  return std::nullopt;
}

Result<OpDecl> read_json_op(const Json& value, const std::string& place) {
  if (!value.is_object()) return Diagnostic{place, "expected an object"};
  OpDecl decl;
  for (const auto& [key, item] : value.items()) {
    if (const MaybeFault fault = read_field(key, item, member_pointer(place, key), decl)) return *fault;
  }
  if (!value.contains("schema")) return Diagnostic{place, "missing field 'schema'"};
  return decl;
}

Result<std::vector<OpDecl>> read_json_ops(std::string_view text) {
  std::vector<std::set<std::string>> keys;
  std::string twice;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) {
      twice = parsed.get<std::string>();
    }
    return true;
  };
  const Json value = Json::parse(text.begin(), text.end(), watch, false);
  if (value.is_discarded()) return Diagnostic{"", "not JSON"};
  if (!twice.empty()) return Diagnostic{"", "the field '" + twice + "' stands twice in one object"};
  if (!value.is_array()) return Diagnostic{"", "expected an array"};
  std::vector<OpDecl> decls;
  for (const Json& item : value) {
    const std::string place = "/" + std::to_string(decls.size());
    Result<OpDecl> decl = read_json_op(item, place);
    if (!decl) return decl.fault();
    if (const auto declared = declare_op(*decl, place); !declared) return declared.fault();
    decls.push_back(*std::move(decl));
  }
  return decls;
}

Result<std::vector<OpDecl>> read_schema_lines(std::string_view text) {
  std::vector<OpDecl> decls;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') continue;
    const std::size_t last = line.find_last_not_of(" \t\r");
    OpDecl& decl = decls.emplace_back();
    decl.schema = line.substr(first, last - first + 1);
    if (const auto declared = declare_op(decl, ""); !declared) {
      return Diagnostic{"line " + std::to_string(number), declared.fault().message};
    }
  }
  return decls;
}

}  // namespace

Result<std::vector<OpDecl>> read_ops_file(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && (text[first] == '[' || text[first] == '{');
  return json ? read_json_ops(text) : read_schema_lines(text);
}

}  // namespace noclobber
