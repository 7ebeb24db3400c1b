// The payload of an MLX delegate alone: a program of registers without a graph.
#include "src/formats/mlx/payload.h"
#include "src/inputs/format.h"
#include "src/text/file.h"

namespace noclobber {
namespace {

Looks looks_payload(const Glimpse&) { return Looks::ours; }

Result<Opened> open_payload(FileText file) {
  auto program = read_mlx(file.text, 0);
  if (!program) return program.fault();
  Case value;
  program->name = stem_of(file.path);
  value.registers.push_back(*std::move(program));
  Opened out;
  FileCheck& check = out.checks.emplace_back();
  check.what = "program";
  check.unchecked = {"what the instructions of payloads compute, no graph being given"};
  check.value = std::move(value);
  return out;
}

Result<Side> side_of_payload(const std::string& text, bool is_before) {
  if (is_before) return Diagnostic{"", "is the payload of a delegate; it can only be AFTER"};
  Side out;
  auto program = read_mlx(text, 0, &out.payload_numbers);
  if (!program) return program.fault();
  program->name = "payload";
  out.payload = *std::move(program);
  out.knows_storages = true;
  return out;
}

}  // namespace

const InputFormat kMlxFormat = {"MLX payload", is_mlx, looks_payload, open_payload, side_of_payload};

}  // namespace noclobber
