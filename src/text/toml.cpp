#include "src/text/toml.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <tuple>

namespace noclobber {

namespace {

void set_value(TomlItem& item, const toml::node& node) {
  using enum TomlItem::Kind;
  if (const auto* text_value = node.as_string()) {
    item.kind = text;
    item.text = text_value->get();
  } else if (const auto* number_value = node.as_integer()) {
    item.kind = number;
    item.number = number_value->get();
  } else if (const auto* flag_value = node.as_boolean()) {
    item.kind = flag;
    item.flag = flag_value->get();
  } else if (const auto* date = node.as_date()) {
    const toml::date day = date->get();
    item.kind = text;
    item.text = fmt::format("{:04}-{:02}-{:02}", day.year, static_cast<unsigned>(day.month),
                            static_cast<unsigned>(day.day));
  }
}

/// require: nesting is bounded by the parser.
void collect(const toml::table& table, const std::string& name, std::size_t element,
             std::vector<TomlItem>& out) {
  for (const auto& [key, node] : table) {
    const std::string own(key.str());
    const std::string path = name.empty() ? own : name + "." + own;
    const toml::array* list = node.as_array();
    if (const toml::table* inner = node.as_table()) {
      collect(*inner, path, 0, out);
    } else if (list != nullptr && !list->empty() && list->is_homogeneous(toml::node_type::table)) {
      for (std::size_t k = 0; k < list->size(); ++k) {
        const toml::table& one = *list->get(k)->as_table();
        TomlItem& item = out.emplace_back();
        item.kind = TomlItem::Kind::table;
        item.table = path;
        item.element = k;
        item.line = one.source().begin.line;
        collect(one, path, k, out);
      }
    } else {
      TomlItem& item = out.emplace_back();
      item.table = name;
      item.element = element;
      item.key = own;
      item.line = key.source().begin.line;
      set_value(item, node);
    }
  }
}

}  // namespace

Result<std::vector<TomlItem>> read_toml(std::string_view text) {
  try {
    const toml::table file = toml::parse(text);
    std::vector<TomlItem> out;
    collect(file, "", 0, out);
    std::ranges::stable_sort(out, {}, &TomlItem::line);
    return out;
  } catch (const toml::parse_error& fault) {
    const toml::source_position at = fault.source().begin;
    return Diagnostic{fmt::format("line {}, column {}", at.line, at.column),
                      std::string(fault.description())};
  }
}

}  // namespace noclobber
