// `reduce`: the smallest case with the same finding.
#include "src/fuzz/reduce.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/cli/commands.h"
#include "src/formats/case/case_json.h"
#include "src/report/names.h"
#include "src/run/output.h"
#include "src/text/file.h"

namespace noclobber {
namespace {

/// True if the record has the status of `first` and, by fingerprint, its first finding or reason for unknown.
bool says_the_same(const CheckRecord& first, const CheckRecord& record) {
  if (record.status != first.status) return false;
  if (first.status == Status::unknown)
    return std::ranges::any_of(record.unknown, [&](const Unknown& unknown) {
      return fingerprint(unknown) == fingerprint(first.unknown[0]);
    });
  return std::any_of(record.findings.begin(), record.findings.end(), [&](const Finding& f) {
    return f.rule == first.findings[0].rule && f.fingerprint == first.findings[0].fingerprint;
  });
}

}  // namespace

int run_reduce(const Options& options) {
  const auto check = check_options(options);
  const auto text = read_file(options.inputs.at(0));
  const auto value = text ? read_case_json(*text) : Result<Case>(Diagnostic{"", text.fault().message});
  if (!check || !value) {
    const Diagnostic& fault = check ? value.fault() : check.fault();
    print_error(options.inputs[0], fault.where, fault.message);
    return kUsageError;
  }
  bool alarm = false;
  const CheckRecord first = check_case(*value, *check, alarm);
  const bool open = first.status == Status::unknown && !first.unknown.empty();
  if (!open && (first.status != Status::refuted || first.findings.empty())) {
    print_error(options.inputs[0], "",
                fmt::format("is {}: there is no finding to keep", status_name(first.status)));
    return kUsageError;
  }
  const auto same = [&](const Case& next) {
    bool ignored = false;
    return says_the_same(first, check_case(next, *check, ignored));
  };
  const Case small = fuzz::reduce_case(*value, same, options.count > 0 ? options.count : 2000);
  write_out(stdout, write_case_json(small));
  fmt::print(stderr, "noclobber: reduced: {}\nnoclobber:      to: {}\n", fuzz::size_of(*value).text(),
             fuzz::size_of(small).text());
  return 0;
}

}  // namespace noclobber
