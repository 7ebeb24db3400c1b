// A program compiled by ExecuTorch.
#include "src/inputs/format.h"
#include "src/lower/pte/case.h"
#include "src/text/file.h"

namespace noclobber {
namespace {

Looks looks_program(const Glimpse&) { return Looks::ours; }

/// One check per method. A single method is named after its file.
Result<Opened> open_program(FileText file) {
  const auto methods = open_pte(file.text);
  if (!methods) return methods.fault();
  Opened out;
  for (const PteMethod& method : *methods) {
    FileCheck& check = out.checks.emplace_back();
    check.what = "program";
    check.id = methods->size() > 1 ? method.name : stem_of(file.path);
    check.value = case_of_pte(method, nullptr);
    if (!check.value)
      check.value = Diagnostic{check.value.fault().where, method.name + ": " + check.value.fault().message};
    else if (methods->size() == 1)
      check.value->name = check.id;
  }
  return out;
}

Result<Side> side_of_program(const std::string& text, bool is_before) {
  if (is_before) return Diagnostic{"", "is a program; it can only be AFTER"};
  auto program = open_pte(text);
  if (!program) return program.fault();
  Side out;
  out.program = *std::move(program);
  out.knows_storages = true;
  return out;
}

}  // namespace

const InputFormat kPteFormat = {"program", is_pte, looks_program, open_program, side_of_program};

}  // namespace noclobber
