// `advise --repair` over the inputs of a command line.
#include <fmt/format.h>

#include <set>

#include "src/advise/repair.h"
#include "src/cli/commands.h"
#include "src/formats/case/case_json.h"
#include "src/report/names.h"
#include "src/run/output.h"

namespace noclobber {
namespace {

/// Prints the copies of a repair to standard error, and the repaired case to standard output.
void tell_repair(const Work& work, const Repair& repair) {
  for (const RepairCopy& copy : repair.copies)
    fmt::print(stderr, "noclobber: {}: {} {} before `{}`, {} bytes{}\n", printable(work.input),
               copy.keeps ? "copy" : "write to a copy of", printable(copy.value),
               printable(statement_text(work.value.after, copy.step)), copy.bytes,
               copy.is_known ? "" : " (a guess)");
  fmt::print(stderr, "noclobber: {}: {} copies, {} bytes, proved\n", printable(work.input),
             repair.copies.size(), repair.bytes);
  write_out(stdout, write_case_json(repair.value));
}

/// Repairs one check and returns its exit code.
int repair_one(const Work& work, const CheckOptions& check) {
  bool contradiction = false;
  const CheckRecord record = check_case(work.value, check, contradiction);
  if (record.status != Status::refuted) {
    print_note(work.input, work.id,
               fmt::format("is {}: there is nothing to repair", status_name(record.status)));
    return record.status == Status::proved ? 0 : 3;
  }
  const Repair repair = repair_case(work.value, check);
  if (repair.status == Status::proved) return tell_repair(work, repair), 0;
  print_note(work.input, work.id, "is refuted, and not repaired by copies: " + repair.why);
  return 1;
}

}  // namespace

int run_repair(const Options& options) {
  auto asked = work_options(options);
  if (!asked) return kUsageError;
  const CheckOptions& check = asked->second;
  WorkSource source(options.inputs, std::move(asked->first));
  std::set<int> codes;
  while (auto work = source.next()) {
    work->open();
    if (work->kind == Work::Kind::error)
      print_error(work->input, work->fault.where, work->fault.message), codes.insert(kUsageError);
    if (work->kind == Work::Kind::check) codes.insert(repair_one(*work, check));
  }
  for (const int code : {1, kUsageError, 3})
    if (codes.contains(code)) return code;
  return codes.empty() ? kUsageError : 0;
}

}  // namespace noclobber
