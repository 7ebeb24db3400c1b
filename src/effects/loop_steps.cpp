// A loop in the Trace: one opaque step that names the checks of its bodies.
#include <algorithm>
#include <map>

#include "src/effects/builder.h"
#include "src/graph/bodies.h"
#include "src/graph/uses.h"

namespace noclobber {
namespace {

/// Bodies are compared, whatever they are called.
Arg nameless(Arg arg) {
  for (Arg& item : arg.list) item = nameless(std::move(item));
  if (arg.kind == Arg::Kind::graph) arg.text = {};
  return arg;
}

/// All that is reached from k.
template <class Next>
std::set<std::uint32_t> closure(std::uint32_t k, Next next) {
  std::set<std::uint32_t> out{k};
  std::vector<std::uint32_t> open{k};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (std::uint32_t j : next(at))
      if (out.insert(j).second) open.push_back(j);
  }
  return out;
}

/// Inputs of the first trip whose storage result k may lie on, after any number of trips.
std::set<std::uint32_t> reachable(const LoopUse& use, std::uint32_t k) {
  return closure(k, [&](std::uint32_t at) {
    return at < use.own.from.size() ? use.own.from[at] : std::set<std::uint32_t>{};
  });
}

/// The same where results are those of a last trip: a scan has one, and other loops clone without one.
std::set<std::uint32_t> passed_on(const LoopUse& use, std::uint32_t k) {
  std::set<std::uint32_t> out;
  if (k < use.own.from.size())
    for (const std::uint32_t at : use.own.from[k]) out.merge(reachable(use, at));
  return out;
}

/// Where the storage of carried operand k may be carried at some trip.
std::set<std::uint32_t> places(const BodyFacts& facts, std::uint32_t k) {
  return closure(k, [&](std::uint32_t at) {
    std::set<std::uint32_t> out;
    for (std::uint32_t r = 0; r < facts.from.size(); ++r)
      if (facts.from[r].contains(at)) out.insert(r);
    return out;
  });
}

/// Is the storage of operand k written at no trip, here and in the other graph?
bool only_read(const LoopUse& use, std::uint32_t k) {
  const auto unwritten = [&](const BodyFacts& facts) {
    return std::ranges::none_of(places(facts, k), [&](std::uint32_t p) { return facts.written.contains(p); });
  };
  return unwritten(use.own) && unwritten(use.other) && !use.scratch.contains(k);
}

}  // namespace

/// Everything the loop is given, carried operands first.
bool Builder::add_operands(const Step& step, TraceStep& out, std::size_t& carried) {
  const bool loops = step.op.starts_with("higher_order.while_loop");
  for (std::size_t k = 0; k < step.args.size(); ++k) {
    if (step.args[k].kind == Arg::Kind::graph) continue;
    std::vector<ValueId> values;
    collect_uses(step.args[k], values);
    for (ValueId id : values) {
      if (!values_[id.index] || is_shadow(values_[id.index]->view.storage)) return false;
      out.reads.push_back(values_[id.index]->view);
    }
    if (loops && k == 2) carried = values.size();
    if (loops && k >= 2 && values.size() != step.args[k].list.size()) return false;  // not all are tensors
    out.key = *out.key + ";" + attribute(nameless(step.args[k]));
  }
  for (const auto& [name, arg] : step.kwargs) {
    std::vector<ValueId> values;
    collect_uses(arg, values);
    if (!values.empty() || arg.kind == Arg::Kind::graph) return false;
    out.key = *out.key + ";" + name + "=" + attribute(arg);
  }
  return true;
}

/// What keeps a loop from being understood; nullptr: nothing does.
const char* Builder::fault_of(const LoopUse& use, const TraceStep& step, std::size_t carried) const {
  if (!use.own.plain || !use.other.plain) return "a body with effects or outputs that share storage";
  std::map<StorageId, bool> seen;  // all operands on it are only read
  for (std::uint32_t k = 0; k < step.reads.size(); ++k) {
    const bool reads = only_read(use, k);
    const auto [at, is_new] = seen.try_emplace(step.reads[k].storage, reads);
    if (!is_new && !(reads && at->second))
      return k < carried ? "carried operands that share storage" : "operands that share storage";
  }
  for (const BodyFacts* facts : {&use.own, &use.other}) {
    for (std::uint32_t k : facts->written)
      if (k >= carried) return "a body that writes what is not carried";
    for (const auto& from : facts->from)
      for (std::uint32_t k : from)
        if (carried > 0 && k >= carried) return "a body that returns what is not carried";
  }
  return nullptr;
}

/// Do the last dimensions lie as the body says that its input does, as far as both are known?
bool Builder::lies_as(const Binding& operand, std::size_t first, const Type& type) {
  const Shape shape = sizes_.of(type.shape);
  const auto said = said_strides(type, shape);
  if (!operand.strides) return true;
  if (operand.strides->size() != first + shape.size()) return false;
  for (std::size_t d = 0; said && d < shape.size(); ++d)
    if (space_.value(shape[d]) != 1 && !space_.same((*operand.strides)[first + d], (*said)[d])) return false;
  return true;
}

/// Do operands lie as the bodies say their inputs do? A body is compared for these strides only.
bool Builder::lie_as_said(const Step& step) {
  const bool loops = step.op.starts_with("higher_order.while_loop"),
             scans = step.op.starts_with("higher_order.scan");
  if (!loops && !scans && !step.op.starts_with("higher_order.map")) return true;
  const std::size_t first = loops ? 2 : 1, rows = loops ? step.args.size() : scans ? 2 : 1;
  for (const auto& [place, name] : bodies_given(step)) {
    const Graph* body = find_body(*request_.value, *request_.graph, name);
    std::size_t input = 0;
    for (std::size_t k = first; body != nullptr && k < step.args.size(); ++k)
      for (const Arg& arg : step.args[k].list) {
        if (input == body->inputs.size()) return false;
        const SharedType& type = body->value(body->inputs[input++].value).type;
        const auto bound = bound_of(arg);
        if (bound && type && !lies_as(*bound, k == rows ? 1 : 0, *type)) return false;
      }
  }
  return true;
}

/// Carried operands that this loop writes at some trip, or keeps where the other graph's loop does not, hold
/// anything afterwards: something else in each graph.
TraceStep Builder::clobbered(const LoopUse& use, const TraceStep& step, std::size_t carried) const {
  TraceStep out;
  out.key = "clobbered by " + use.side + std::to_string(loops_);
  out.origin = step.origin;
  for (std::uint32_t k = 0; k < carried; ++k) {
    bool lost = false;
    for (const std::uint32_t p : places(use.own, k)) {
      lost = lost || use.own.written.contains(p);
      for (std::size_t r = 0; r < use.own.from.size(); ++r)
        lost = lost || (use.own.from[r].contains(p) &&
                        (r >= use.other.from.size() || !use.other.from[r].contains(p)));
    }
    if (lost) out.writes.push_back(step.reads[k]);
  }
  for (std::uint32_t k : use.scratch)
    if (k < step.reads.size()) out.writes.push_back(step.reads[k]);
  return out;
}

void Builder::share(const LoopUse& use, const TraceStep& step, std::size_t passing, bool may_be_operand) {
  for (std::uint32_t r = 0; r < std::min(step.writes.size(), passing); ++r) {
    const auto places = may_be_operand ? reachable(use, r) : passed_on(use, r);
    if (places.empty()) continue;
    loop_shared_.insert(step.writes[r].storage);
    auto& on = may_lie_on_[step.writes[r].storage];
    for (std::uint32_t k : places) {
      if (k >= step.reads.size()) continue;
      const StorageId operand = step.reads[k].storage;
      loop_shared_.insert(operand);
      on.insert(operand);
      if (const auto at = may_lie_on_.find(operand); at != may_lie_on_.end()) on.merge(std::set(at->second));
    }
  }
}

/// Of an output that a loop may have left on the storage of an input, or on that of another output, the
/// caller is told so: `before` must say the same.
void Builder::say_where_loops_lie() {
  if (request_.value->sharing_may_grow) return;
  for (TraceOutput& output : trace_.outputs) {
    const auto at = output.view ? may_lie_on_.find(output.view->storage) : may_lie_on_.end();
    if (at == may_lie_on_.end()) continue;
    std::set<std::string> places;
    for (const StorageId s : at->second)
      if (trace_.storages[s].start == TraceStorage::Start::given) places.insert(trace_.storages[s].key);
    for (std::size_t k = 0; k < trace_.outputs.size(); ++k)
      if (trace_.outputs[k].view && at->second.contains(trace_.outputs[k].view->storage))
        places.insert("output " + std::to_string(k));
    for (const std::string& place : places)
      output.scalar += (output.scalar.empty() ? "may be " : ", ") + place;
  }
}

void Builder::loop(const Step& step, std::uint32_t number) {
  const std::size_t at = loops_++;
  if (request_.loops == nullptr || at >= request_.loops->size() || !(*request_.loops)[at].understood)
    return unknown("unsupported-op", step.op);
  const LoopUse& use = (*request_.loops)[at];
  TraceStep out;
  out.key = step.op;
  out.origin = number;
  out.bodies = use.bodies;
  std::size_t carried = 0;
  if (!add_operands(step, out, carried)) return unknown("no-metadata", step.op);
  if (!lie_as_said(step)) return unknown("no-metadata", step.op + " (strides of operands)");
  if (const char* fault = fault_of(use, out, carried); fault != nullptr)
    return unknown("unsupported-op", step.op + " (" + fault + ")");
  Call call{&step, nullptr, step.op, {}, number};
  std::vector<Binding> results;
  for (std::size_t k = 0; k < step.results.size(); ++k) {
    auto bound =
        step.results[k].valid() && said(call, k) != nullptr ? fresh_for(call, k, std::nullopt) : std::nullopt;
    if (!bound && k < carried) bound = fresh(out.reads[k].shape, Dtype::other, std::nullopt);
    if (!bound) return unknown("no-metadata", step.op);
    if (k < carried && bound->view.shape != out.reads[k].shape)
      return unknown("no-metadata", step.op + " (a result unlike what is carried)");
    out.writes.push_back(bound->view);
    results.push_back(*bound);
  }
  out.access.assign(out.reads.size(), std::vector<Access>(out.writes.size(), Access::before_write));
  const TraceStep pushed = out;
  tell_sizes(number, out);
  push(std::move(out), {});
  if (TraceStep lost = clobbered(use, pushed, carried); !lost.writes.empty()) push(std::move(lost), {});
  share(use, pushed, carried > 0 ? carried : use.own.from.size(), carried > 0 && !clones_without_trips(step));
  for (std::size_t k = 0; k < results.size(); ++k) bind(call, k, results[k]);
}

}  // namespace noclobber
