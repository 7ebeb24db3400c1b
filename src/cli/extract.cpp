// `extract`: one check of any input as a case or as a script.
#include <fmt/format.h>

#include <cstdio>

#include "src/cli/commands.h"
#include "src/cli/script.h"
#include "src/formats/case/case_json.h"
#include "src/ops/wrappers.h"

namespace noclobber {

namespace {

bool of_torch_compile(const Work& work) { return work.what == "pair" && work.id.ends_with("/post_grad"); }

/// The PyTorch script that shows the fault of a refuted check.
Result<std::string> script_of_work(const Work& work, const Options& options) {
  auto check = check_options(options);
  if (!check) return check.fault();
  if (work.kind == Work::Kind::plan) return Diagnostic{"", "a plan without a graph has nothing to run"};
  bool contradiction = false;
  CheckRecord record = check_case(work.value, *check, contradiction);
  record.input = work.input;
  record.id = work.id;
  record.version = NC_VERSION;
  Case value = work.value;
  prepare_case(value, *check);
  if (has_wrappers(value)) value = written_out(value).cases.at(0);
  return pytorch_script(value, record, of_torch_compile(work));
}

struct Extracted {
  std::size_t found = 0;
  bool fault = false;
  std::string text;
};

void take(Extracted& out, Work& work, const Options& options) {
  const bool script = options.as == "pytorch";
  if (work.kind == Work::Kind::error) {
    out.fault = true;
    return print_error(work.input, work.fault.where, work.fault.message);
  }
  if (work.kind != Work::Kind::check && !(script && work.kind == Work::Kind::plan)) return;
  if (++out.found == 2) print_error(work.input, "", "holds more than one check: name one with --only");
  work.value.name = work.id;
  if (out.found > 1) return;
  auto text = script ? script_of_work(work, options) : Result<std::string>(write_case_json(work.value));
  out.fault = out.fault || !text;
  if (text)
    out.text = *std::move(text);
  else
    print_error(work.input, work.id, text.fault().message);
}

}  // namespace

int run_extract(const Options& options) {
  auto input = input_options(options);
  if (!input) {
    print_error("", input.fault().where, input.fault().message);
    return kUsageError;
  }
  WorkSource source(options.inputs, *std::move(input));
  Extracted out;
  while (auto work = source.next()) {
    if (out.found < 2) work->open();
    take(out, *work, options);
  }
  if (out.found == 0 && !out.fault) print_error(options.inputs.at(0), "", "no check of that name");
  const bool good = out.found == 1 && !out.fault;
  if (good) fmt::print("{}", out.text);
  return good && flush_output() ? 0 : kUsageError;
}

}  // namespace noclobber
