#include "tests/support/readings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <tuple>

#include "checker/certificate.h"
#include "src/formats/formats.h"
#include "src/formats/mlx.h"
#include "src/formats/pte_case.h"
#include "tests/support/readers.h"

namespace noclobber::testing {
namespace {

constexpr const char* kHead = "reader\tfile\tbytes of what is read\tits text";
const std::filesystem::path kCorpus = NC_SOURCE_DIR "/corpus";

std::string text_of(const Diagnostic& fault) {
  return fmt::format("refused at {}: {}\n", fault.where, fault.message);
}
std::string text_of(const Result<Case>& value) {
  return value ? write_case_json(*value) : text_of(value.fault());
}

std::string text_of(std::vector<TraceCheck> checks) {
  std::string out;
  for (TraceCheck& check : checks) {
    check.read();
    out += fmt::format("{} {} line {} {} {}\n{}\n", check.id, check.what == TraceCheck::What::pair,
                       check.line, check.file, fmt::join(check.unchecked, ","), text_of(check.value));
  }
  return out;
}

std::string case_text(const std::string& bytes) { return text_of(read_case_json(bytes)); }

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
  return out + text_of(std::move(log.checks));
}

std::string pt2_text(const std::string& bytes) {
  const auto all = read_pt2(bytes, true);
  if (!all) return text_of(all.fault());
  std::string out;
  for (const Case& value : *all) out += write_case_json(value) + "\n";
  return out;
}

std::string pte_text(const std::string& bytes) {
  const auto methods = read_pte(bytes);
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
  return text_of(read_thunder({"00_fuzz", bytes}, "")) +
         text_of(read_thunder({"00_fuzz", "import thunder\n"}, bytes));
}

std::string certificate_text(const std::string& bytes) {
  if (bytes.starts_with(kPlanFormat)) {
    Judgement plan;
    std::string wrong;
    const bool good = read_plan(bytes, plan, wrong).has_value();
    return fmt::format("plan {} {} {} {}\n", good, static_cast<int>(plan.verdict), plan.why, wrong);
  }
  std::string out;
  for (const bool concrete : {false, true}) {
    Space space;
    std::string fault;
    const auto certificate = read_certificate(space, bytes, concrete, fault);
    out += fmt::format("{} {}\n", certificate.has_value(), fault);
    if (!certificate) continue;
    if (certificate->refutation && concrete) out += fmt::format("breaks {}\n", breaks(space, *certificate));
    if (certificate->refutation || concrete) continue;
    const Judgement said = judge(space, *certificate);
    out += fmt::format("{} {} {} {} {} {}\n", static_cast<int>(said.verdict), said.why, said.obligations,
                       said.by_rule, said.by_solver, said.derivations);
  }
  return out;
}

using Text = std::string (*)(const std::string&);
const std::map<std::string_view, Text> kTexts = {{"case", case_text},      {"certificate", certificate_text},
                                                 {"csv", csv_text},        {"fx", fx_text},
                                                 {"log", log_text},        {"mlx", mlx_text},
                                                 {"pt2", pt2_text},        {"pte", pte_text},
                                                 {"thunder", thunder_text}};

/// Files of a folder beneath corpus/ whose names end so, by name.
std::vector<std::string> files_of(const std::string& folder, std::string_view ending) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kCorpus / folder))
    if (entry.is_regular_file() && entry.path().filename().string().ends_with(ending))
      out.push_back(entry.path().lexically_relative(kCorpus).string());
  std::ranges::sort(out);
  return out;
}

std::string line_of(const std::string& reader, const std::string& file) {
  const auto bytes = read_file((kCorpus / file).string());
  if (!bytes) return bytes.fault().message;
  const std::string text = reading(reader, *bytes);
  return fmt::format("{}\t{}\t{}\t{:.12}", reader, file, text.size(), sha256(text));
}

}  // namespace

std::string reading(std::string_view reader, const std::string& bytes) { return kTexts.at(reader)(bytes); }

Readings readings() {
  // reader, folder, how its files end
  const std::tuple<const char*, const char*, const char*> kept[] = {
      {"log", "logs", ".log.gz"},         {"thunder", "thunder", ".trace.txt"}, {"mlx", "programs", ".mlx"},
      {"pte", "programs", ".pte"},        {"pt2", "programs", ".pt2"},          {"pt2", "pt2", ".pt2"},
      {"case", "programs", ".case.json"},
  };
  Readings out{kHead};
  for (const auto& [reader, folder, ending] : kept)
    for (const std::string& file : files_of(folder, ending)) out.push_back(line_of(reader, file));
  for (const Reader& reader : readers())
    for (const std::string& file : files_of("fuzz/" + std::string(reader.name), ""))
      out.push_back(line_of(std::string(reader.name), file));
  return out;
}

Readings held_readings(const std::string& reader) {
  std::ifstream page(kCorpus / "readings.tsv");
  Readings out;
  for (std::string line; std::getline(page, line);)
    if (line.starts_with(reader + "\t")) out.push_back(line);
  return out;
}

std::string read_again(const std::string& line) {
  const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
  return line_of(line.substr(0, first), line.substr(first + 1, second - first - 1));
}

}  // namespace noclobber::testing
