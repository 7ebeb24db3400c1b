#include "tests/support/readers.h"

#include "checker/certificate.h"
#include "src/formats/formats.h"
#include "src/formats/mlx.h"
#include "src/formats/pte_case.h"

namespace noclobber::testing {
namespace {

/// What was read prints, and reads again.
void read_case(const std::string& bytes) {
  const auto value = read_case_json(bytes);
  if (value) static_cast<void>(read_case_json(write_case_json(*value)));
}

void read_fx(const std::string& bytes) {
  const auto value = read_fx_text(bytes);
  if (value) static_cast<void>(write_fx_text(value->graph));
}

void read_log(const std::string& bytes) {
  for (TraceCheck& check : read_torch_trace(bytes).checks) check.read();
}
void read_archive(const std::string& bytes) { static_cast<void>(read_pt2(bytes, true)); }
void read_payload(const std::string& bytes) { static_cast<void>(read_mlx(bytes, 0)); }

void read_program(const std::string& bytes) {
  const auto methods = read_pte(bytes);
  if (!methods) return;
  for (const PteMethod& method : *methods) static_cast<void>(case_of_pte(method, nullptr));
}

void read_table(const std::string& bytes) { static_cast<void>(read_plan_csv(bytes)); }

void read_traces(const std::string& bytes) {
  static_cast<void>(read_thunder({"00_fuzz", bytes}, ""));
  static_cast<void>(read_thunder({"00_fuzz", "import thunder\n"}, bytes));
}

/// As nc-check does.
void read_proof(const std::string& bytes) {
  Judgement plan;
  std::string wrong;
  if (bytes.starts_with(kPlanFormat)) return static_cast<void>(read_plan(bytes, plan, wrong));
  for (const bool concrete : {false, true}) {
    Space space;
    std::string fault;
    const auto certificate = read_certificate(space, bytes, concrete, fault);
    if (!certificate) continue;
    if (certificate->refutation && concrete) static_cast<void>(breaks(space, *certificate));
    if (!certificate->refutation && !concrete) static_cast<void>(judge(space, *certificate));
  }
}

constexpr Reader kReaders[] = {{"case", read_case},   {"certificate", read_proof}, {"csv", read_table},
                               {"fx", read_fx},       {"log", read_log},           {"mlx", read_payload},
                               {"pt2", read_archive}, {"pte", read_program},       {"thunder", read_traces}};

}  // namespace

std::span<const Reader> readers() { return kReaders; }

const Reader* find_reader(std::string_view name) {
  for (const Reader& reader : kReaders)
    if (reader.name == name) return &reader;
  return nullptr;
}

}  // namespace noclobber::testing
