// A torch.export archive.
#include "src/inputs/format.h"
#include "src/lower/pt2/pt2.h"
#include "src/text/zip.h"

namespace noclobber {
namespace {

/// Not every zip file is a torch.export archive.
Looks looks_archive(const Glimpse& file) {
  const bool is_program =
      has_any(file.begin, {"/archive_format", "weights_config.json", "model_param_config.json",
                           "constants_config.json", "serialized_exported_program.json"});
  return is_program ? Looks::ours : Looks::strange;
}

Result<Opened> open_archive(FileText file) {
  auto programs = read_pt2(file.text);
  if (!programs) return programs.fault();
  Opened out;
  for (Case& program : *programs) {
    FileCheck& check = out.checks.emplace_back();
    check.what = "single";
    if (programs->size() == 1) program.name.clear();
    check.value = std::move(program);
  }
  return out;
}

Result<Side> side_of_archive(const std::string& text, bool /*is_before*/) {
  auto programs = read_pt2(text, true);
  if (!programs) return programs.fault();
  if (programs->size() != 1) return Diagnostic{"", "holds several programs"};
  Case& program = programs->front();
  Side out;
  out.graph = std::move(program.after);
  out.facts.symbols = std::move(program.symbols);
  out.compares_strides = true;
  out.knows_kinds = true;
  return out;
}

}  // namespace

const InputFormat kPt2Format = {"exported program", is_zip, looks_archive, open_archive, side_of_archive};

}  // namespace noclobber
