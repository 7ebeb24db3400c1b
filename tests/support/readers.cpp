#include "tests/support/readers.h"
#include "checker/check.h"
#include "checker/plan/plan.h"
#include "checker/text/read.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "checker/kernel/certificate.h"
#include "checker/text/scan.h"
#include "src/formats/case/case_json.h"
#include "src/formats/fx_text/fx_text.h"
#include "src/formats/mlx/payload.h"
#include "src/formats/plan_table/plan_csv.h"
#include "src/lower/checks.h"
#include "src/lower/pt2/pt2.h"
#include "src/lower/pte/case.h"
#include "src/lower/thunder/thunder.h"
#include "src/lower/torch_trace/torch_trace.h"

namespace noclobber::testing {
namespace {

std::string text_of(const Diagnostic& fault) {
  return fmt::format("refused at {}: {}\n", fault.where, fault.message);
}
std::string text_of(const Result<Case>& value) {
  return value ? write_case_json(*value) : text_of(value.fault());
}

}  // namespace

std::string checks_text(std::vector<TraceCheck> checks) {
  std::string out;
  for (TraceCheck& check : checks) {
    check.read();
    out += fmt::format("{} {} line {} {} {}\n{}\n", check.id, check.what == TraceCheck::What::pair,
                       check.line, check.file, fmt::join(check.unchecked, ","), text_of(check.value));
  }
  return out;
}

namespace {

/// What was read prints, and reads again.
std::string case_text(const std::string& bytes) {
  const auto value = read_case_json(bytes);
  if (!value) return text_of(value.fault());
  std::string text = write_case_json(*value);
  static_cast<void>(read_case_json(text));
  return text;
}

std::string fx_text(const std::string& bytes) {
  const auto read = read_fx_text(bytes);
  if (!read) return text_of(read.fault());
  Case value;
  value.after = read->graph, value.symbols = read->symbols, value.ops = read->ops;
  return fmt::format("{}\n{}\n{}", read->has_strides, write_case_json(value), write_fx_text(read->graph));
}

std::string log_text(const std::string& bytes) {
  TraceLog log = read_torch_trace(bytes);
  std::string out = fmt::format("{} records {} {} {}\n", log.records, log.truncated, log.any_graph,
                                fmt::join(log.unchecked, ","));
  for (const Diagnostic& note : log.notes) out += text_of(note);
  return out + checks_text(std::move(log.checks));
}

std::string pt2_text(const std::string& bytes) {
  const auto all = read_pt2(bytes, true);
  if (!all) return text_of(all.fault());
  std::string out;
  for (const Case& value : *all) out += write_case_json(value) + "\n";
  return out;
}

std::string pte_text(const std::string& bytes) {
  const auto methods = open_pte(bytes);
  if (!methods) return text_of(methods.fault());
  std::string out;
  for (const PteMethod& method : *methods) out += text_of(case_of_pte(method, nullptr)) + "\n";
  return out;
}

std::string mlx_text(const std::string& bytes) {
  const auto read = read_mlx(bytes, 0);
  if (!read) return text_of(read.fault());
  std::string out = fmt::format("{} {} numbers {} main {} init {}\n", read->name,
                                fmt::join(read->counts, " "), read->numbers, read->main, read->init);
  for (const auto* slots : {&read->inputs, &read->outputs, &read->states})
    for (const auto& slot : *slots) out += fmt::format("{} {}\n", slot.at, slot.is_tensor);
  for (const auto& [at, name] : read->names) out += fmt::format("{} {}\n", at, name);
  for (const auto& chain : read->chains) {
    out += "chain\n";
    for (const RegisterStep& s : chain)
      out += fmt::format("{} {} {} | {} | {} | {} | {} | {} at {}\n", s.op, static_cast<int>(s.runs),
                         fmt::join(s.reads, " "), fmt::join(s.writes, " "), fmt::join(s.read_numbers, " "),
                         fmt::join(s.write_numbers, " "), fmt::join(s.chains, " "), fmt::join(s.rows, " "),
                         s.at);
  }
  return out;
}

std::string csv_text(const std::string& bytes) {
  const auto table = read_plan_csv(bytes);
  if (!table) return text_of(table.fault());
  std::string out = fmt::format("{}\n", table->has_offsets);
  for (std::size_t k = 0; k < table->rows.size(); ++k) {
    const Placement& row = table->rows[k];
    out += fmt::format("{} {} {} {} {}\n", table->name(k), row.first, row.last, row.size, row.offset);
  }
  return out;
}

/// A text alone, and as the facts beside a trace of nothing.
std::string thunder_text(const std::string& bytes) {
  return checks_text(read_thunder({"00_fuzz", bytes}, "")) +
         checks_text(read_thunder({"00_fuzz", "import thunder\n"}, bytes));
}

/// As nc-check does; and read where symbols are values, which nc-check does for a refutation alone.
std::string certificate_text(const std::string& bytes) {
  Space space, concrete;
  const checker::Answer said = checker::check(bytes, space);
  std::string out = fmt::format("{} {} {} {} {} {}\n", static_cast<int>(said.said), said.why,
                                said.obligations, said.by_rule, said.by_solver, said.derivations);
  if (bytes.starts_with(checker::kPlanFormat)) return out;
  try {
    const checker::Certificate certificate = checker::read(concrete, bytes, true);
    out += fmt::format("{} checks, {} numbers\n", certificate.checks.size(), certificate.numbers.size());
  } catch (const checker::Unreadable& fault) {
    out += fmt::format("{}\n", fault.what());
  }
  return out;
}

constexpr Reader kReaders[] = {{"case", case_text},      {"certificate", certificate_text},
                               {"csv", csv_text},        {"fx", fx_text},
                               {"log", log_text},        {"mlx", mlx_text},
                               {"pt2", pt2_text},        {"pte", pte_text},
                               {"thunder", thunder_text}};

}  // namespace

std::span<const Reader> readers() { return kReaders; }

const Reader* find_reader(std::string_view name) {
  const auto* found = std::ranges::find(kReaders, name, &Reader::name);
  return found == std::end(kReaders) ? nullptr : found;
}

}  // namespace noclobber::testing
