// Steps behind the return, which never run.
#include <algorithm>

#include "src/graph/uses.h"
#include "src/interp/replay_session.h"

namespace noclobber {

std::vector<std::uint32_t> writes_behind_return(const OpSet& ops, const Graph& graph) {
  std::vector<std::uint32_t> out;
  const auto leaves = std::find_if(graph.steps.begin(), graph.steps.end(), is_return);
  for (auto step = leaves; step != graph.steps.end(); ++step)
    if (!is_return(*step) && step_refs(ops, *step).writes())
      out.push_back(static_cast<std::uint32_t>(step - graph.steps.begin()));
  return out;
}

std::vector<std::uint32_t> misplaced_writes(const OpSet& ops, const Case& value) {
  const bool asked = value.return_is_last && goes_on_after_return(value.after);
  const bool before = value.before && !writes_behind_return(ops, *value.before).empty();
  return asked && !before ? writes_behind_return(ops, value.after) : std::vector<std::uint32_t>();
}

/// Reports misplaced writes that store at least one byte if they are run.
void replay_return(Session& session) {
  const std::vector<std::uint32_t> late = misplaced_writes(session.ops, session.value);
  if (late.empty() || session.found("NC011")) return;
  const Graph& graph = session.value.after;
  const Graph all = with_return_last(graph);
  for (const Input& input : graph.inputs) session.may_write.insert(graph.value(input.value).name);
  for (const Trial& trial : trials(session.value, session.hint, 4)) {
    RunOptions options;
    options.symbols = trial.symbols;
    options.contents_seed = trial.contents_seed;
    const std::optional<Run> run = session.run(all, options);
    if (!run || run->raised) continue;
    for (const std::uint32_t step : late) {
      const auto wrote = [&](const Storage& storage) {
        return std::count(storage.writer.begin(), storage.writer.end(), static_cast<std::int32_t>(step) - 1);
      };
      std::ptrdiff_t bytes = 0;
      for (const Storage& storage : run->storages) bytes += wrote(storage);
      if (bytes == 0) continue;
      int none = 0;
      const Expectation nothing;
      const Scene scene{session.value, session.ops, session.may_write, nothing, {}, {&all, &*run},
                        options,       none};
      Witness w = named("NC011");
      w.clobber = place_of(graph, step);
      w.where = "step " + std::to_string(step);
      w.message = "the write by " + w.clobber->name + " stands behind the return, where it never runs";
      Difference d;
      d.expected = std::to_string(bytes) + " bytes written";
      d.actual = "none";
      session.add(std::move(w), scene, d);
    }
    if (session.found("NC011")) return;
  }
}

}  // namespace noclobber
