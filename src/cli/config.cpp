#include "src/cli/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <vector>

#include "src/base/suggest.h"
#include "src/report/names.h"
#include "src/text/file.h"
#include "src/text/toml.h"

namespace noclobber {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostConfigBytes = std::size_t{1} << 20;
constexpr std::string_view kTable = "tool.noclobber";

/// An option and the member of Options that holds it: one of the three is not null.
struct Setting {
  std::string name;
  std::string_view value;  // of options.def: "FILE", "a|b"
  bool Options::*flag = nullptr;
  std::uint64_t Options::*number = nullptr;
  std::string Options::*text = nullptr;
};

Setting setting(std::string_view flag, std::string_view value, bool Options::*field) {
  return {setting_name(flag), value, field, nullptr, nullptr};
}
Setting setting(std::string_view flag, std::string_view value, std::uint64_t Options::*field) {
  return {setting_name(flag), value, nullptr, field, nullptr};
}
Setting setting(std::string_view flag, std::string_view value, std::string Options::*field) {
  return {setting_name(flag), value, nullptr, nullptr, field};
}

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all = {
#define NC_OPTION(field, type, fallback, flag, value, scope, help) setting(flag, value, &Options::field),
#include "src/run/options.def"
#undef NC_OPTION
  };
  return all;
}

struct Found {
  std::string path, text;
  bool is_project = false;  // pyproject.toml: only [tool.noclobber] is read
};

/// Empty if there is no such file, or a pyproject.toml that does not mention tool.noclobber.
std::optional<Found> found_at(const fs::path& path, bool is_project) {
  std::error_code fault;
  if (!fs::is_regular_file(path, fault)) return std::nullopt;
  auto text = read_file(path.string(), kMostConfigBytes);
  if (!text) return std::nullopt;
  if (is_project && text->find(kTable) == std::string::npos) return std::nullopt;
  return Found{path.string(), *std::move(text), is_project};
}

std::optional<Found> nearest_config() {
  std::error_code fault;
  for (fs::path folder = fs::current_path(fault); !fault && !folder.empty(); folder = folder.parent_path()) {
    if (auto found = found_at(folder / "noclobber.toml", false)) return found;
    if (auto found = found_at(folder / "pyproject.toml", true)) return found;
    if (folder == folder.parent_path()) break;
  }
  return std::nullopt;
}

Result<std::optional<Found>> config_file(const std::string& asked) {
  if (asked == "none") return std::optional<Found>();
  if (asked.empty()) return nearest_config();
  auto text = read_file(asked, kMostConfigBytes);
  if (!text) return Diagnostic{asked, text.fault().message};
  return std::optional(Found{asked, *std::move(text), fs::path(asked).filename() == "pyproject.toml"});
}

std::string unknown_setting(const std::string& key) {
  std::vector<std::string_view> names;
  for (const Setting& one : settings())
    if (one.name != "config") names.push_back(one.name);
  return fmt::format("unknown key '{}'{}", printable(key), suggestion(key, names));
}

/// Sets an option. Returns the error in the value; "" if there is none.
std::string set(Options& options, const Setting& to, const TomlItem& item, const fs::path& folder) {
  using enum TomlItem::Kind;
  if (to.flag != nullptr) {
    if (item.kind != flag) return fmt::format("'{}' must be true or false", to.name);
    options.*to.flag = item.flag;
    return "";
  }
  if (to.number != nullptr) {
    if (item.kind != number || item.number < 0) return fmt::format("'{}' must be a number from 0", to.name);
    options.*to.number = static_cast<std::uint64_t>(item.number);
    return "";
  }
  if (item.kind != text) return fmt::format("'{}' must be a text", to.name);
  const bool choice = to.value.find('|') != to.value.npos;
  if (choice && ("|" + std::string(to.value) + "|").find("|" + item.text + "|") == std::string::npos)
    return fmt::format("'{}' must be one of {}", to.name, to.value);
  const bool path = to.value == "FILE" || to.value == "DIR" || to.value == "OLD";
  const bool beside = path && !item.text.empty() && item.text != "-" && !folder.empty();
  options.*to.text = beside ? (folder / item.text).lexically_normal().string() : item.text;
  return "";
}

}  // namespace

std::string setting_name(std::string_view flag) {
  const std::string_view first = flag.substr(0, flag.find(','));
  return std::string(first.substr(std::min<std::size_t>(2, first.size())));
}

Result<Origins> apply_config(Options& options, const std::set<std::string>& given) {
  Origins out;
  for (const std::string& name : given) out[name] = "command line";
  auto file = config_file(options.config);
  if (!file) return file.fault();
  if (!*file) return out;
  const Found& found = **file;
  auto items = read_toml(found.text);
  if (!items)
    return Diagnostic{fmt::format("{}: {}", found.path, items.fault().where), items.fault().message};
  const std::string wanted(found.is_project ? kTable : "");
  std::error_code fault;
  const fs::path here = fs::current_path(fault), folder = fs::absolute(found.path, fault).parent_path();
  for (const TomlItem& item : *items) {
    const bool below =
        item.table.starts_with(std::string(kTable) + ".") || (!found.is_project && !item.table.empty());
    if (item.table != wanted && !below) continue;
    const std::string where = fmt::format("{}:{}", found.path, item.line);
    const auto at = std::ranges::find(settings(), item.key, &Setting::name);
    if (below || at == settings().end() || at->name == "config")
      return Diagnostic{where, unknown_setting(below ? item.table : item.key)};
    if (given.contains(item.key)) continue;
    if (std::string wrong = set(options, *at, item, folder == here ? fs::path() : folder); !wrong.empty())
      return Diagnostic{where, std::move(wrong)};
    out[item.key] = fmt::format("{}:{}", fs::path(found.path).lexically_relative(here).string(), item.line);
  }
  return out;
}

std::string config_text(const Options& options, const Origins& origins) {
  std::vector<std::pair<std::string, std::string>> lines;
  std::size_t width = 0;
  for (const Setting& one : settings()) {
    if (one.name == "config") continue;
    std::string value;
    if (one.flag != nullptr) value = options.*one.flag ? "true" : "false";
    if (one.number != nullptr) value = fmt::format("{}", options.*one.number);
    if (one.text != nullptr) value = nlohmann::json(printable(options.*one.text)).dump();
    const auto origin = origins.find(one.name);
    lines.emplace_back(fmt::format("{} = {}", one.name, value),
                       origin == origins.end() ? "default" : origin->second);
    width = std::max(width, columns(lines.back().first));
  }
  std::string out;
  for (const auto& [line, origin] : lines)
    out += line + std::string(width - columns(line), ' ') + "  # " + origin + "\n";
  return out;
}

}  // namespace noclobber
