// What a caller is promised: the same program, held to a stronger or weaker boundary.
#include <algorithm>
#include <set>

#include "src/fuzz/edits.h"
#include "src/fuzz/probe.h"
#include "src/ops/meaning.h"

namespace noclobber::fuzz {

void finals_of_copies(Graph& graph) {
  const auto is_input = [&](ValueId v) { return graph.value(v).from == Value::From::input; };
  std::set<std::uint32_t> done;
  while (!graph.steps.empty()) {
    const Step& last = graph.steps.back();
    if (last.op != "aten.copy_.default" || last.args.size() != 2 || last.args[0].kind != Arg::Kind::ref ||
        last.args[1].kind != Arg::Kind::ref || !is_input(last.args[0].ref) || is_input(last.args[1].ref))
      return;
    const auto used = [&](const Arg& arg) {
      return arg.kind == Arg::Kind::ref && arg.ref == last.results[0];
    };
    const Input& input = graph.inputs[graph.value(last.args[0].ref).at];
    const Value& source = graph.value(last.args[1].ref);
    const Step& maker = graph.steps[source.at];
    const Schema* schema = find_schema(maker.op);
    const bool fresh = schema != nullptr && !schema->writes() &&
                       !schema_is_silent(base_name(maker.op), *schema) && schema->returns.size() == 1 &&
                       schema->returns[0].alias.empty();
    if (!input.storage.empty() || !fresh || done.contains(last.args[0].ref.index) ||
        std::any_of(graph.outputs.begin(), graph.outputs.end(), used))
      return;
    const Arg outputs_input = Arg::of(last.args[0].ref);
    if (std::find(graph.outputs.begin(), graph.outputs.end(), outputs_input) != graph.outputs.end()) return;
    done.insert(last.args[0].ref.index);
    graph.finals.emplace_back(last.args[0].ref, last.args[1]);
    graph.values.pop_back();
    graph.steps.pop_back();
  }
}

void vary_boundary(Case& value, Random& random) {
  if (random.chance(25)) finals_of_copies(value.after);
  value.compare_strides = random.chance(15);
  for (Input& input : value.after.inputs) {
    if (input.contents || random.chance(60)) continue;
    if (random.chance(70)) input.may_write = random.chance(80);
    if (random.chance(60)) input.exit = random.chance(70) ? Input::Exit::any : Input::Exit::as_before;
  }
}

}  // namespace noclobber::fuzz
