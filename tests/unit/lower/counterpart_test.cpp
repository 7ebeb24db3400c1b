// "before ... makes what is meant" names the counterpart of the step that defines: its value is, in runs that
// the search did not make, what the value that is read holds right before it is overwritten.
#include <algorithm>

#include "src/check/check.h"
#include "src/graph/uses.h"
#include "src/interp/interp.h"
#include "src/ops/wrappers.h"
#include "tests/catch.h"
#include "tests/support/corpus.h"
#include "tests/support/sample.h"
#include "tests/support/source_dir.h"

namespace counterpart_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

/// What the values hold once the first `steps` steps have run.
std::vector<Run::Output> held_after(const Case& value, const Graph& graph, std::uint32_t steps,
                                    const std::vector<ValueId>& ids, const RunOptions& options) {
  Graph prefix = graph;
  prefix.steps.resize(std::min<std::size_t>(steps, prefix.steps.size()));
  prefix.finals.clear();
  prefix.outputs.clear();
  for (const ValueId id : ids) prefix.outputs.push_back(Arg::of(id));
  const Result<Run> run = run_graph(value, prefix, {}, options);
  return run && !run->raised && run->unsupported.empty() ? run->outputs : std::vector<Run::Output>{};
}

std::vector<std::string> inputs_of(const Graph& graph) {
  std::vector<std::string> out;
  for (const Input& input : graph.inputs) out.push_back(graph.value(input.value).name);
  return out;
}

/// What the read may mean: the operands of its step, or what is returned.
std::vector<ValueId> read_values(const Graph& graph, const FindingPlace& read) {
  if (read.step < graph.steps.size()) return uses_of(graph.steps[read.step]);
  std::vector<ValueId> out;
  for (const Arg& output : graph.outputs) collect_uses(output, out);
  for (const auto& [input, contents] : graph.finals) collect_uses(contents, out);
  return out;
}

/// Does one of the values that the read is given hold what the named value of `before` holds?
bool is_counterpart(const Case& value, const Finding& finding, std::uint64_t seed) {
  RunOptions options;
  options.symbols = {finding.witness_symbols.begin(), finding.witness_symbols.end()};
  options.contents_seed = seed;
  options.garbage_seed = 3;
  const Graph& before = *value.before;
  const ValueId meant = before.find(finding.before->name);
  if (!meant.valid()) return false;
  const std::uint32_t made = finding.before->step < before.steps.size() ? finding.before->step + 1 : 0;
  const auto then = held_after(value, before, made, {meant}, options);
  const auto now =
      held_after(value, value.after, finding.clobber->step, read_values(value.after, *finding.read), options);
  if (then.empty() || now.empty()) return false;
  return std::ranges::any_of(now, [&](const Run::Output& output) { return output.bytes == then[0].bytes; });
}

}  // namespace

TEST_CASE("the step of before is the counterpart of the step that defines, over the corpus",
          "[counterpart]") {
  int named = 0, unnamed = 0;
  std::size_t number = 0;
  for (const char* folder : {"/corpus/cases", "/corpus/oneshot", "/corpus/inductor"})
    for (const auto& [file, value] : corpus_cases(in_sources(folder))) {
      if (!file.ends_with(".refute.json") || !value.before || has_wrappers(value)) continue;
      if (inputs_of(*value.before) != inputs_of(value.after) || !testing::is_sampled(number++)) continue;
      bool contradiction = false;
      const CheckRecord record = check_case(value, {}, contradiction);
      for (const Finding& finding : record.findings) {
        if (finding.rule != "NC001" || !finding.clobber || !finding.read) continue;
        INFO(file << ": " << finding.define->statement << " means "
                  << (finding.before ? finding.before->statement : "?"));
        if (!finding.before) {
          ++unnamed;
          continue;
        }
        ++named;
        CHECK(is_counterpart(value, finding, 6));
        CHECK(is_counterpart(value, finding, 12));
        const std::string moved = "keep " + finding.read->statement + " before " + finding.clobber->statement;
        CHECK((finding.help == moved || finding.help.find(finding.before->statement) != std::string::npos));
      }
    }
  CHECK(named >= static_cast<int>(testing::sampled(35)));
  CHECK(unnamed <= std::max(named / 10, 1));
}

}  // namespace counterpart_test
