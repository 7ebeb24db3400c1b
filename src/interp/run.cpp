#include <algorithm>

#include "src/interp/run_machine.h"

namespace noclobber {

void Machine::raise(const Frame& frame, std::string text) {
  if (run_.raised) return;
  run_.raised = Diagnostic{"", std::move(text)};
  run_.raised_at = frame.at;
}

void Machine::unsupported(std::string op) {
  if (run_.unsupported.empty()) run_.unsupported.push_back(std::move(op));
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

Result<Run> Machine::execute(const Graph& graph) {
  Frame frame;
  frame.graph = &graph;
  frame.values.resize(graph.values.size());
  frame.top = true;
  make_inputs(frame);
  if (going() && options_.onlooker != nullptr) {
    Onlooker::Named named;
    for (const Input& input : graph.inputs)
      if (const auto& tensor = frame.values[input.value.index].tensor)
        named.emplace_back(input.value, &*tensor);
    options_.onlooker->entry(run_.storages, named);
  }
  if (going()) run_steps(frame);
  if (going()) {
    frame.at = static_cast<std::uint32_t>(graph.steps.size());
    touched_.clear();
    if (options_.onlooker != nullptr) options_.onlooker->begins(frame.at, run_.storages);
    write_finals(frame);  // an output that is the input itself, or shows it, is seen after the write-back
    if (going() && options_.onlooker != nullptr)
      options_.onlooker->ends(frame.at, run_.storages, {}, touched_);
  }
  if (going()) make_outputs(frame);
  if (bound_) return *bound_;
  for (Bound& bound : frame.values) run_.values.push_back(std::move(bound.tensor));
  run_.work = std::min(kWorkBound, options_.work) - budget_;
  return std::move(run_);
}

Result<Run> run_graph(const Case& value, const Graph& graph, const std::set<std::string>& may_write,
                      const RunOptions& options) {
  Result<OpSet> ops = make_op_set(value.ops);
  if (!ops) return ops.fault();
  return Machine(value, *ops, may_write, options).execute(graph);
}

}  // namespace noclobber
