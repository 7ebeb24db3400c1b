// `check`, `compare`, `advise`, `bisect` and `diff`.
#include <deque>

#include "src/advise/repair.h"
#include "src/cli/commands.h"
#include "src/inputs/format.h"
#include "src/inputs/thunder_files.h"
#include "src/lower/pairs/pairing.h"
#include "src/lower/thunder/thunder.h"
#include "src/run/run.h"
#include "src/text/file.h"

namespace noclobber {

static int check_inputs(const Options& options, bool advises) {
  auto input = input_options(options);
  if (!input) {
    print_error("", input.fault().where, input.fault().message);
    return kUsageError;
  }
  if (!options.against.empty()) input->records = true;
  WorkSource source(options.inputs, *std::move(input));
  return run_source(source, options, advises);
}

int run_check(const Options& options) { return check_inputs(options, false); }
int run_advise(const Options& options) {
  return options.repair ? run_repair(options) : check_inputs(options, true);
}

int run_bisect(const Options& options) {
  Options asked = options;
  asked.until_refuted = true;
  return check_inputs(asked, false);
}

int run_diff(const Options& options) {
  Options asked = options;
  asked.against = options.inputs.at(0);
  asked.inputs = {options.inputs.at(1)};
  asked.only_changes = true;
  return check_inputs(asked, false);
}

/// One side of a comparison.
struct NamedText {
  std::string path, text;
};

/// The pair of two Thunder traces; empty if one of them is not a Thunder trace.
static std::optional<Work> thunder_pair_of(const NamedText& before, const NamedText& after) {
  if (format_of(before.text) != &kThunderFormat || format_of(after.text) != &kThunderFormat)
    return std::nullopt;
  std::string inputs = thunder_inputs_beside(before.path);
  if (inputs.empty()) inputs = thunder_inputs_beside(after.path);
  auto value = read_thunder_pair({stem_of(before.path), before.text}, {"", after.text}, inputs);
  return value ? check_of(after.path, *std::move(value), "pair") : error_of(after.path, value.fault());
}

static Work work_of_texts(const NamedText& before, const NamedText& after) {
  if (auto traces = thunder_pair_of(before, after)) return *std::move(traces);
  auto left = read_side(before.text, true);
  if (!left) return error_of(before.path, left.fault());
  auto right = read_side(after.text, false);
  if (!right) return error_of(after.path, right.fault());
  auto pair = pair_of(*std::move(left), *std::move(right));
  if (!pair) return error_of(after.path, pair.fault());
  Work work = check_of(after.path, *std::move(pair), "pair");
  work.files = {before.path, after.path};
  if (work.value.plan) work.what = "plan";
  return work;
}

Work work_of_pair(const std::string& before, const std::string& after) {
  if (before == "-" && after == "-") return error_of("-", {"", "only one side can be standard input"});
  auto left = read_file(before);
  if (!left) return error_of(before, {"", left.fault().message});
  auto right = read_file(after);
  if (!right) return error_of(after, {"", right.fault().message});
  return work_of_texts({before, *std::move(left)}, {after, *std::move(right)});
}

int run_compare(const Options& options) {
  const auto input = input_options(options);
  if (!input) {
    print_error("", input.fault().where, input.fault().message);
    return kUsageError;
  }
  Work work = work_of_pair(options.inputs.at(0), options.inputs.at(1));
  if (input->dataflow) work.value.dataflow = *input->dataflow;
  std::deque<Work> works;
  if (work.kind != Work::Kind::check || input->only.accepts(work.id, 0)) works.push_back(std::move(work));
  WorkSource source(std::move(works));
  return run_source(source, options);
}

}  // namespace noclobber
