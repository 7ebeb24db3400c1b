#include "src/interp/run_control.h"

#include <algorithm>

#include "src/graph/bodies.h"
#include "src/interp/run_machine.h"
#include "src/interp/run_step.h"
#include "src/interp/run_values.h"
#include "src/interp/run_wrapped.h"

namespace noclobber {
namespace {

/// "cond" of "higher_order.cond" or "higher_order.cond.default"; "" for other namespaces.
std::string higher_order_name(const std::string& op) {
  const std::string prefix = "higher_order.";
  if (!op.starts_with(prefix)) return "";
  const std::size_t dot = op.find('.', prefix.size());
  return op.substr(prefix.size(), dot == std::string::npos ? dot : dot - prefix.size());
}

const Graph* find_body(Machine& m, const Frame& frame, const Step& step, std::size_t argument) {
  const Graph* body = nullptr;
  if (argument < step.args.size() && step.args[argument].kind == Arg::Kind::graph)
    body = noclobber::find_body(m.value, *frame.graph, step.args[argument].text);
  if (!body) m.unsupported(step.op + " (a body that is not there)");
  return body;
}

/// An operand on storage that bodies may bind: live, or a clone of its snapshot if the storage has changed.
Datum operand(Machine& m, Frame& frame, const Arg& arg) {
  const Datum live = resolve(m, frame, arg, false);
  if (arg.kind == Arg::Kind::ref && live.kind == Datum::Kind::none)
    m.unsupported("a value that nothing has defined");
  if (live.kind != Datum::Kind::tensor || arg.kind != Arg::Kind::ref) return live;
  const Datum meant = resolve(m, frame, arg, true);
  if (meant.tensor.memory.bytes == live.tensor.memory.bytes) return live;
  if (!stale_element(m, frame.values[arg.ref.index].snapshot, live.tensor)) return live;
  return cloned(m, frame, meant);
}

std::vector<Datum> operands(Machine& m, Frame& frame, const Step& step, std::size_t argument) {
  std::vector<Datum> result;
  if (argument >= step.args.size()) return result;
  if (step.args[argument].kind != Arg::Kind::list) return {operand(m, frame, step.args[argument])};
  for (const Arg& arg : step.args[argument].list) result.push_back(operand(m, frame, arg));
  return result;
}

std::vector<Datum> run_body(Machine& m, Frame& frame, const Graph* body, const std::vector<Datum>& operands) {
  std::vector<Datum> results;
  if (!body || !m.going()) return results;
  if (body->inputs.size() != operands.size()) {
    m.raise(frame, "a body takes " + std::to_string(body->inputs.size()) + " operands and is given " +
                       std::to_string(operands.size()));
    return results;
  }
  if (++m.depth > kDepthBound) m.stop("bodies are nested too deeply");
  Frame inner;
  inner.graph = body;
  inner.values.resize(body->values.size());
  inner.at = frame.at;
  for (std::size_t i = 0; i < operands.size(); ++i) bind_value(m, inner, body->inputs[i].value, operands[i]);
  if (m.going()) run_steps(m, inner);
  for (const Arg& arg : body->outputs)
    if (m.going()) results.push_back(resolve(m, inner, arg, false));
  --m.depth;
  return results;
}

bool truth_of(Machine& m, const Frame& frame, const std::vector<Datum>& results) {
  if (!m.going()) return false;
  if (results.size() == 1 && results[0].kind == Datum::Kind::tensor) {
    const Array& a = results[0].tensor;
    Call call = m.new_call(frame);
    if (a.at.numel() == 1) return call.load(a, a.at.offset).truthy();
  } else if (results.size() == 1 && results[0].number()) {
    return results[0].number()->truthy();
  }
  m.raise(frame, "a condition that is not one boolean");
  return false;
}

void bind_all(Machine& m, Frame& frame, const Step& step, const std::vector<Datum>& results) {
  if (!m.going()) return;
  if (step.results.size() > results.size())
    return m.raise(frame, "a body returns fewer values than the step names");
  for (std::size_t i = 0; i < step.results.size(); ++i) bind_value(m, frame, step.results[i], results[i]);
}

void run_cond(Machine& m, Frame& frame, const Step& step) {
  const bool taken = truth_of(m, frame, operands(m, frame, step, 0));
  const Graph* body = find_body(m, frame, step, taken ? 1 : 2);
  bind_all(m, frame, step, run_body(m, frame, body, operands(m, frame, step, 3)));
}

void run_while(Machine& m, Frame& frame, const Step& step) {
  const Graph* condition = find_body(m, frame, step, 0);
  const Graph* body = find_body(m, frame, step, 1);
  std::vector<Datum> carried = operands(m, frame, step, 2);
  const std::vector<Datum> additional = operands(m, frame, step, 3);
  const std::size_t count = carried.size();
  for (int i = 0; m.going(); ++i) {
    if (i == kLoopBound) return m.stop("a while_loop runs longer than the interpreter's bound");
    std::vector<Datum> all = carried;
    all.insert(all.end(), additional.begin(), additional.end());
    if (!truth_of(m, frame, run_body(m, frame, condition, all)) || !m.going()) {
      if (i == 0 && clones_without_trips(step))
        for (Datum& value : carried) value = cloned(m, frame, value);
      break;
    }
    carried = run_body(m, frame, body, all);
    if (m.going() && carried.size() != count)
      m.raise(frame, "a loop's body returns another number of values than it carries");
  }
  bind_all(m, frame, step, carried);
}

/// Stacks the items along a new first dimension, in fresh memory.
Datum stacked(Machine& m, Frame& frame, const std::vector<Datum>& items) {
  Call call = m.new_call(frame);
  call.args = {Datum::of_list(items), Datum::of(std::int64_t{0})};
  const KernelRow* row = find_kernel("aten.stack.default");
  run_kernel(*row, call);
  m.adopt(call);
  if (call.fault) m.take_fault(frame, *call.fault);
  return call.results.empty() ? Datum{} : call.results[0];
}

/// map_impl(body, xs, additional), or scan(body, init, xs, additional) where the body also carries values.
void run_scan(Machine& m, Frame& frame, const Step& step, bool carries) {
  const Graph* body = find_body(m, frame, step, 0);
  std::vector<Datum> carried = carries ? operands(m, frame, step, 1) : std::vector<Datum>{};
  const std::size_t from = carries ? 2 : 1, count = carried.size();
  const std::vector<Datum> lists = operands(m, frame, step, from),
                           additional = operands(m, frame, step, from + 1);
  std::int64_t length = -1;
  for (const Datum& x : lists) {
    const bool sized = x.kind == Datum::Kind::tensor && !x.tensor.at.shape.empty();
    if (!sized || (length >= 0 && x.tensor.at.shape[0] != length))
      return m.raise(frame, "map and scan need tensors of one length");
    length = x.tensor.at.shape[0];
  }
  std::vector<std::vector<Datum>> columns;
  for (std::int64_t i = 0; i < length && m.going(); ++i) {
    std::vector<Datum> all = carried;
    for (const Datum& x : lists) {
      Call call = m.new_call(frame);
      const auto g = select_geometry(call, x.tensor.at, 0, i);
      all.push_back(g ? Datum::of(Array{*g, x.tensor.memory}) : Datum{});
    }
    all.insert(all.end(), additional.begin(), additional.end());
    const std::vector<Datum> results = run_body(m, frame, body, all);
    if (!m.going()) return;
    if (results.size() < count) return m.raise(frame, "a scan's body returns fewer values than it carries");
    carried.assign(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(count));
    columns.resize(results.size() - count);
    for (std::size_t j = count; j < results.size(); ++j)
      columns[std::min(j - count, columns.size() - 1)].push_back(results[j]);
  }
  if (length <= 0) return m.unsupported(step.op + " (over nothing)");
  for (const auto& column : columns) carried.push_back(stacked(m, frame, column));
  bind_all(m, frame, step, carried);
}

/// invoke_subgraph(body, "id", operands...), or control_deps(dependences, body, operands...)
void run_invoke(Machine& m, Frame& frame, const Step& step, std::size_t body_at) {
  const Graph* body = find_body(m, frame, step, body_at);
  std::vector<Datum> all;
  for (std::size_t i = 2; i < step.args.size(); ++i) {
    const auto more = operands(m, frame, step, i);
    all.insert(all.end(), more.begin(), more.end());
  }
  bind_all(m, frame, step, run_body(m, frame, body, all));
}

}  // namespace

/// False if the step is no higher-order operator.
bool run_higher_order(Machine& m, Frame& frame, const Step& step) {
  const std::string name = higher_order_name(step.op);
  if (name.empty()) return false;
  if (name == "cond")
    run_cond(m, frame, step);
  else if (name == "while_loop")
    run_while(m, frame, step);
  else if (name == "map_impl" || name == "scan")
    run_scan(m, frame, step, name == "scan");
  else if (name == "invoke_subgraph")
    run_invoke(m, frame, step, 0);
  else if (name == "control_deps")
    run_invoke(m, frame, step, 1);
  else if (name == "auto_functionalized")
    run_auto_functionalized(m, frame, step, false);
  else if (name == "auto_functionalized_v2")
    run_auto_functionalized(m, frame, step, true);
  else if (name == "with_effects")
    run_with_effects(m, frame, step);
  else
    m.unsupported(step.op);
  return true;
}

}  // namespace noclobber
