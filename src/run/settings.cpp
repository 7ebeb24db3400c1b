// Conversion of options to settings of the stages.
#include <fmt/format.h>
#include <filesystem>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "src/check/recheck.h"
#include "src/formats/case/case_json.h"
#include "src/ops/schema.h"
#include "src/prover/solver.h"
#include "src/report/names.h"
#include "src/run/output.h"
#include "src/run/settings.h"
#include "src/text/file.h"

namespace noclobber {

namespace {

constexpr std::size_t kMostOperatorBytes = std::size_t{64} << 20;

void print_line(std::string_view kind, std::string_view file, std::string_view where,
                std::string_view message) {
  std::string out = fmt::format("noclobber: {}: ", kind);
  for (const std::string_view part : {file, where}) {
    if (!part.empty()) out += fmt::format("{}: ", printable(part));
  }
  write_out(stderr, fmt::format("{}{}\n", out, shortened(printable(message), 2000)));
  std::fflush(stderr);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Wraps the list in a case, so that --ops accepts what the "ops" of a case accept.
Result<std::vector<OpDecl>> operators_of_json(std::string_view text) {
  const bool whole = nlohmann::json::accept(text);
  const std::string wrapped = fmt::format(R"({{"format":"noclobber.case/1","name":"ops","ops":{},)"
                                          R"("after":{{"inputs":[],"steps":[],"outputs":[]}}}})",
                                          text);
  if (!whole) return Diagnostic{"", "is not JSON"};
  auto value = read_case_json(wrapped);
  if (!value) return value.fault();
  return std::move(value->ops);
}

Result<std::vector<OpDecl>> operators_of_lines(std::string_view text) {
  std::vector<OpDecl> out;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    at = end + 1;
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    const auto schema = parse_schema(line);
    if (!schema) {
      return Diagnostic{fmt::format("line {}, {}", number, schema.fault().where), schema.fault().message};
    }
    out.emplace_back().schema = line;
  }
  return out;
}

}  // namespace

void print_error(std::string_view file, std::string_view where, std::string_view message) {
  print_line("error", file, where, message);
}

bool flush_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
  print_error("standard output", "", "cannot be written");
  return false;
}

void print_note(std::string_view file, std::string_view where, std::string_view message) {
  print_line("note", file, where, message);
}

Result<std::vector<OpDecl>> read_operators(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool list = first != std::string_view::npos && text[first] == '[';
  return list ? operators_of_json(text) : operators_of_lines(text);
}

Result<CheckOptions> check_options(const Options& options) {
  CheckOptions out;
  out.solver_only = options.engine == "z3";
  if (out.solver_only && !solver_fault().empty())
    return Diagnostic{"--engine z3", "no solver: " + solver_fault()};
  out.effort = options.effort;
  out.no_assumptions = options.no_assumptions;
  out.strict = options.strict;
  using enum CheckOptions::Runs;
  out.run = options.run == "always" ? always : options.run == "never" ? never : automatic;
  out.certificates = options.certificate;
  out.questions = options.dump_smt2;
  out.rechecker = options.recheck ? rechecker() : "";
  if (options.recheck && out.rechecker.empty())
    return Diagnostic{"--recheck", "there is no nc-recheck beside this program: `make recheck` builds it"};
  for (const auto& [folder, what] :
       {std::pair{options.certificate, "certificates"}, std::pair{options.dump_smt2, "questions"}}) {
    std::error_code fault;
    if (!folder.empty()) std::filesystem::create_directories(folder, fault);
    if (fault) return Diagnostic{folder, fmt::format("no folder for {}: {}", what, fault.message())};
  }
  if (options.ops.empty()) return out;
  const auto text = read_file(options.ops, kMostOperatorBytes);
  if (!text) return Diagnostic{options.ops, text.fault().message};
  auto operators = read_operators(*text);
  if (!operators) {
    const std::string& where = operators.fault().where;
    const std::string place = where.empty() ? options.ops : fmt::format("{}: {}", options.ops, where);
    return Diagnostic{place, operators.fault().message};
  }
  out.extra_ops = *std::move(operators);
  return out;
}

Result<InputOptions> input_options(const Options& options) {
  InputOptions out;
  auto only = IdFilter::parse(options.only);
  if (!only) return Diagnostic{fmt::format("--only: {}", only.fault().where), only.fault().message};
  out.only = *std::move(only);
  out.capacity = static_cast<std::int64_t>(std::min<std::uint64_t>(options.capacity, INT64_MAX));
  out.instance = options.instance;
  if (!options.order.empty()) out.dataflow = options.order == "dataflow";
  return out;
}

std::optional<std::pair<InputOptions, CheckOptions>> work_options(const Options& options) {
  auto input = input_options(options);
  auto check = check_options(options);
  if (input && check) return std::pair(*std::move(input), *std::move(check));
  const Diagnostic& fault = input ? check.fault() : input.fault();
  print_error("", fault.where, fault.message);
  return std::nullopt;
}

}  // namespace noclobber
