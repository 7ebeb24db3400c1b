#include <algorithm>

#include "src/interp/run_inputs.h"
#include "src/interp/run_machine.h"
#include "src/interp/run_step.h"

namespace noclobber {
namespace {

Result<Run> execute(Machine& m, const Graph& graph) {
  Frame frame;
  frame.graph = &graph;
  frame.values.resize(graph.values.size());
  frame.top = true;
  make_inputs(m, frame);
  if (m.going() && m.options.onlooker != nullptr) {
    Onlooker::Named named;
    for (const Input& input : graph.inputs)
      if (const auto& tensor = frame.values[input.value.index].tensor)
        named.emplace_back(input.value, &*tensor);
    m.options.onlooker->entry(m.run.storages, named);
  }
  if (m.going()) run_steps(m, frame);
  if (m.going()) {
    frame.at = static_cast<std::uint32_t>(graph.steps.size());
    m.touched.clear();
    if (m.options.onlooker != nullptr) m.options.onlooker->begins(frame.at, m.run.storages);
    write_finals(m, frame);  // before the outputs, which may be the input itself or a view of it
    if (m.going() && m.options.onlooker != nullptr)
      m.options.onlooker->ends(frame.at, m.run.storages, {}, m.touched);
  }
  if (m.going()) make_outputs(m, frame);
  if (m.stopped) return *m.stopped;
  for (Bound& bound : frame.values) m.run.values.push_back(std::move(bound.tensor));
  m.run.work = std::min(kWorkBound, m.options.work) - m.work_left;
  return std::move(m.run);
}

}  // namespace

void Machine::raise(const Frame& frame, std::string text) {
  if (run.raised) return;
  run.raised = Diagnostic{"", std::move(text)};
  run.raised_at = frame.at;
}

void Machine::unsupported(std::string op) {
  if (run.unsupported.empty()) run.unsupported.push_back(std::move(op));
}

void Machine::take_fault(const Frame& frame, const Fault& fault) {
  switch (fault.kind) {
    case Fault::Kind::raised:
      return raise(frame, fault.text);
    case Fault::Kind::declined:
      return unsupported(fault.text);
    case Fault::Kind::bound:
      return stop(fault.text);
  }
}

Result<Run> run_graph(const Case& value, const Graph& graph, const std::set<std::string>& may_write,
                      const RunOptions& options) {
  Result<OpSet> ops = make_op_set(value.ops);
  if (!ops) return ops.fault();
  Machine machine(value, *ops, may_write, options);
  return execute(machine, graph);
}

}  // namespace noclobber
