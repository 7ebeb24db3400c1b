// `extract`: a check of any input as a case of its own.
#include <fmt/format.h>

#include <cstdio>

#include "src/cli/commands.h"
#include "src/formats/formats.h"

namespace noclobber {

int run_extract(const Options& options) {
  auto input = input_options(options);
  if (!input) {
    print_error("", input.fault().where, input.fault().message);
    return kUsageError;
  }
  WorkSource source(options.inputs, *std::move(input));
  std::size_t found = 0;
  bool fault = false;
  std::string text;
  while (auto work = source.next()) {
    work->open();
    if (work->kind == Work::Kind::error) {
      fault = true;
      print_error(work->input, work->fault.where, work->fault.message);
    }
    if (work->kind != Work::Kind::check) continue;
    if (++found == 2) print_error(work->input, "", "holds more than one check: name one with --only");
    work->value.name = work->id;
    if (found == 1) text = write_case_json(work->value);
  }
  if (found == 0 && !fault) print_error(options.inputs.at(0), "", "no check of that name");
  if (found == 1) fmt::print("{}", text);
  return found == 1 && !fault ? 0 : kUsageError;
}

}  // namespace noclobber
