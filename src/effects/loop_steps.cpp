#include "src/effects/loop_steps.h"

#include <algorithm>
#include <map>

#include "src/effects/boundary.h"
#include "src/effects/call_text.h"
#include "src/effects/dense.h"
#include "src/effects/emit.h"
#include "src/effects/loop_reach.h"
#include "src/effects/opaque.h"
#include "src/effects/results.h"
#include "src/effects/tracer.h"
#include "src/effects/view_steps.h"
#include "src/graph/bodies.h"
#include "src/graph/uses.h"

namespace noclobber::effects {

namespace {

/// Without the names of bodies: their contents are compared.
Arg nameless(Arg arg) {
  for (Arg& item : arg.list.items()) item = nameless(std::move(item));
  if (arg.kind == Arg::Kind::graph) arg.text = {};
  return arg;
}

/// Operators whose bodies take the operands in their order: while_loop, scan, map.
struct LoopForm {
  bool passes_on = false;                     // operands become the body's inputs
  std::size_t first = 0, rows = 0, more = 0;  // arguments: the first list, that of items, the uncarried ones
};

LoopForm form_of(const Step& step) {
  if (step.op->starts_with("higher_order.while_loop")) return {true, 2, step.args.size(), 3};
  if (step.op->starts_with("higher_order.scan")) return {true, 1, 2, 3};
  if (step.op->starts_with("higher_order.map")) return {true, 1, 1, 2};
  return {};
}

/// The operands of a loop, with its step under construction.
struct LoopOperands {
  TraceStep step;
  std::vector<std::optional<Binding>> inputs;               // per input of a body; empty for a number
  std::vector<std::size_t> reads;                           // per input: the number of its read
  std::vector<std::optional<std::vector<PolyId>>> strides;  // per input: as bodies declare it
  std::size_t carried = 0, rows = 0;                        // how many inputs are carried; how many are items
  bool passes_on = false, loops = false;                    // as LoopForm; true for while_loop
  bool is_row(std::size_t k) const { return k >= carried && k < carried + rows; }
  const Binding* tensor(std::size_t k) const {
    return k < inputs.size() && inputs[k] ? &*inputs[k] : nullptr;
  }
};

/// Aligns operands with the inputs of the bodies. A number is an input of its own, or the body has a symbol
/// and no input for it. False if they do not fit.
bool align(const Tracer& t, const Step& step, LoopOperands& out) {
  if (!out.passes_on) return true;
  std::set<std::size_t> counts;
  for (const auto& [place, name] : bodies_given(step))
    if (const Graph* body = find_body(*t.request.value, *t.request.graph, name))
      counts.insert(body->inputs.size());
  if (counts.empty() || counts == std::set{out.inputs.size()}) return true;
  for (std::size_t k = out.inputs.size(); k-- > 0;) {
    if (out.inputs[k]) continue;
    out.inputs.erase(out.inputs.begin() + static_cast<std::ptrdiff_t>(k));
    out.reads.erase(out.reads.begin() + static_cast<std::ptrdiff_t>(k));
  }
  return counts == std::set{out.inputs.size()};
}

/// Adds all operands of the loop, carried ones first. Numbers may occur among those that are not carried.
bool add_operands(Tracer& t, const Step& step, LoopOperands& out) {
  const LoopForm form = form_of(step);
  out.passes_on = form.passes_on;
  out.loops = step.op->starts_with("higher_order.while_loop");
  for (std::size_t k = 0; k < step.args.size(); ++k) {
    if (step.args[k].kind == Arg::Kind::graph) continue;
    std::vector<ValueId> values;
    collect_uses(step.args[k], values);
    for (const ValueId id : values) {
      if (!t.names.bound[id.index] || t.is_shadow(t.names.bound[id.index]->view.storage)) return false;
      out.step.reads.push_back(t.names.bound[id.index]->view);
    }
    std::size_t read = out.step.reads.size() - values.size();
    for (const Arg& arg : form.passes_on&& k >= form.first ? *step.args[k].list : std::vector<Arg>{}) {
      const bool tensor = arg.kind == Arg::Kind::ref;
      if (!tensor && (k != form.more || arg.kind == Arg::Kind::list)) return false;
      out.inputs.push_back(t.bound_of(arg));
      out.reads.push_back(tensor ? read++ : 0);
    }
    if (form.passes_on && k == form.first && k != form.rows) out.carried = out.inputs.size();
    if (form.passes_on && k == form.rows) out.rows = step.args[k].list.size();
    out.step.key = *out.step.key + ";" + attribute(t, nameless(step.args[k]));
  }
  for (const auto& [name, arg] : step.kwargs) {
    std::vector<ValueId> values;
    collect_uses(arg, values);
    if (!values.empty() || arg.kind == Arg::Kind::graph) return false;
    out.step.key = *out.step.key + ";" + name + "=" + attribute(t, arg);
  }
  return align(t, step, out);
}

/// The elements of an operand's storage in memory order, from its first one (or that of the storage) to its
/// last: a body that is given no more reaches none beyond. Empty if they are not known.
std::optional<TraceView> span_of(Tracer& t, const Binding& operand, bool from_start) {
  const Shape& shape = operand.view.shape;
  if (!operand.strides || operand.offset == Space::kBad || t.wide(operand.view.storage)) return std::nullopt;
  if (t.storages.layouts[operand.view.storage].dtype != operand.dtype) return std::nullopt;
  std::vector<Map> all = flat(t, operand);
  if (all.empty() || t.space.value(element_count(t.space, shape)) == 0) return std::nullopt;
  Map span;
  span.kind = Map::Kind::strided;
  span.from = all.back().to;
  span.start = from_start ? 0 : operand.offset;
  span.strides = {t.space.constant(1)};
  PolyId end = t.space.add(operand.offset, t.space.constant(1));
  for (std::size_t d = 0; d < shape.size(); ++d)
    end = t.space.add(end, t.space.mul((*operand.strides)[d], t.space.sub(shape[d], t.space.constant(1))));
  span.to = {t.space.sub(end, span.start)};
  all.push_back(span);
  return TraceView{operand.view.storage, std::move(all), span.to, operand.view.type, 0};
}

/// If a body touches an operand's storage outside of its view, the step also reads the elements in between.
/// Not for carried operands, which are on another storage at each trip, nor for items, the first of which
/// PyTorch copies.
bool reach(Tracer& t, const LoopUse& use, LoopOperands& operands) {
  const std::set<std::uint32_t> from_start = counted(use);
  std::set<std::uint32_t> beyond = use.own.beyond;  // in both graphs alike
  beyond.insert(use.other.beyond.begin(), use.other.beyond.end());
  for (const std::uint32_t k : from_start) {
    const Binding* bound = operands.tensor(k);
    if (bound == nullptr || operands.is_row(k)) return false;
    reaches(t, bound->view.storage, true);
  }
  for (const std::uint32_t k : beyond) {
    const Binding* bound = operands.tensor(k);
    if (bound == nullptr || k < operands.carried || operands.is_row(k)) return false;
    const auto span = span_of(t, *bound, from_start.contains(k));
    if (!span) return false;
    reaches(t, bound->view.storage, false);
    operands.step.reads[operands.reads[k]] = *span;
  }
  return true;
}

/// False if an associative_scan may have a single item, which PyTorch returns as it is.
bool combines(Tracer& t, const Step& step) {
  if (!step.op->starts_with("higher_order.associative_scan")) return true;
  for (const Arg& arg : step.args.size() > 1 ? *step.args[1].list : std::vector<Arg>{}) {
    const Binding* bound = t.seen(arg);
    if (bound == nullptr || bound->view.shape.empty() ||
        !t.space.nonnegative(t.space.sub(bound->view.shape[0], t.space.constant(2))))
      return false;
  }
  return true;
}

void share(Tracer& t, const LoopUse& use, const TraceStep& step, const LoopOperands& operands,
           bool may_be_operand) {
  for (std::uint32_t r = 0; r < std::min(step.writes.size(), operands.carried); ++r) {
    const auto places = may_be_operand ? reachable(use, r) : passed_on(use, r);
    if (places.empty()) continue;
    t.loops.shared.insert(step.writes[r].storage);
    auto& on = t.loops.may_lie_on[step.writes[r].storage];
    for (const std::uint32_t k : places) {
      if (operands.tensor(k) == nullptr) continue;
      const StorageId operand = operands.tensor(k)->view.storage;
      t.loops.shared.insert(operand);
      on.insert(operand);
      if (const auto at = t.loops.may_lie_on.find(operand); at != t.loops.may_lie_on.end())
        on.merge(std::set(at->second));
    }
  }
}

/// Why a loop is not understood; nullptr if it is.
const char* fault_of(const LoopUse& use, const LoopOperands& operands) {
  if (!use.own.plain || !use.other.plain) return "a body with effects or outputs that share storage";
  std::map<StorageId, bool> seen;  // all operands on it are only read
  for (std::uint32_t k = 0; k < operands.inputs.size(); ++k) {
    const Binding* bound = operands.tensor(k);
    if (bound == nullptr) continue;
    const bool reads = only_read(use, k);
    const auto [at, is_new] = seen.try_emplace(bound->view.storage, reads);
    if (!is_new && !(reads && at->second))
      return k < operands.carried ? "carried operands that share storage" : "operands that share storage";
  }
  for (const BodyFacts* facts : {&use.own, &use.other}) {
    for (const std::uint32_t k : facts->written)
      if (!operands.loops || k >= operands.carried) return "a body that writes what is not carried";
    for (const auto& from : facts->from)
      for (const std::uint32_t k : from)
        if (operands.loops && k >= operands.carried) return "a body that returns what is not carried";
  }
  return nullptr;
}

/// True if a tensor lies as a body declares its input. `first`: dimensions in front that the input lacks.
bool lies_as(Tracer& t, const Lies& tensor, std::size_t first, const Type& type, bool from_start) {
  const Shape shape = t.sizes.of(type.shape);
  const auto said = said_strides(t, type, shape);
  if (tensor.dtype != type.dtype || tensor.shape.size() != first + shape.size()) return false;
  if (from_start && (tensor.offset == Space::kBad || !t.space.same(tensor.offset, t.sizes.of(type.offset))))
    return false;
  bool strides = true;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (!t.space.same(tensor.shape[first + d], shape[d])) return false;
    if (!said || t.space.value(shape[d]) == 1) continue;
    strides = strides && tensor.strides && t.space.same((*tensor.strides)[first + d], (*said)[d]);
  }
  return strides || t.space.value(element_count(t.space, shape)) == 0;
}

/// True if operands and carried results lie as the bodies declare their inputs: only those are compared.
bool lie_as_said(Tracer& t, const Step& step, const LoopUse& use, LoopOperands& operands) {
  operands.strides.resize(operands.inputs.size());
  const std::set<std::uint32_t> from_starts = counted(use);
  for (const auto& [place, name] : bodies_given(step)) {
    const Graph* body = find_body(*t.request.value, *t.request.graph, name);
    for (std::uint32_t k = 0; operands.passes_on && body != nullptr && k < body->inputs.size(); ++k) {
      const SharedType& type = body->value(body->inputs[k].value).type;
      if (!type) continue;  // its Trace is not understood
      const Binding* bound = operands.tensor(k);
      if (bound == nullptr && !type->shape.empty()) return false;
      if (bound == nullptr) continue;
      if (!operands.strides[k]) operands.strides[k] = said_strides(t, *type, t.sizes.of(type->shape));
      const bool from_start = from_starts.contains(k);
      const Lies lies{bound->dtype, bound->view.shape, bound->strides, bound->offset};
      if (!lies_as(t, lies, operands.is_row(k) ? 1 : 0, *type, from_start)) return false;
      for (const auto& results : use.own.results)
        if (k < operands.carried &&
            (k >= results.size() || !results[k] || !lies_as(t, *results[k], 0, *type, from_start)))
          return false;
    }
  }
  return true;
}

/// Writes carried operands that this loop writes at some trip, or keeps where the other graph's loop does
/// not, and scratch: their contents are undefined afterwards, and different in each graph.
TraceStep clobbered(const Tracer& t, const LoopUse& use, const LoopOperands& operands) {
  TraceStep out;
  out.key = "clobbered by " + use.side + std::to_string(t.loops.count);
  out.origin = operands.step.origin;
  for (std::uint32_t k = 0; operands.loops && k < operands.carried; ++k) {
    bool lost = false;
    for (const std::uint32_t p : places(use.own, k)) {
      lost = lost || use.own.written.contains(p);
      for (std::size_t r = 0; r < use.own.from.size(); ++r)
        lost = lost || (use.own.from[r].contains(p) &&
                        (r >= use.other.from.size() || !use.other.from[r].contains(p)));
    }
    if (lost) out.writes.push_back(operands.step.reads[operands.reads[k]]);
  }
  for (const std::uint32_t k : use.scratch)
    if (operands.tensor(k) != nullptr) out.writes.push_back(operands.step.reads[operands.reads[k]]);
  return out;
}

/// A result that is not used, so that no dump describes it: what the body returns, once for each item.
std::optional<Binding> untold_result(Tracer& t, const Step& step, std::size_t k,
                                     const LoopOperands& operands) {
  const Binding* item = operands.rows > 0 ? operands.tensor(operands.carried) : nullptr;
  const SharedType type = returned_type(*t.request.value, *t.request.graph, step, k);
  if (item == nullptr || item->view.shape.empty() || k < operands.carried || !type) return std::nullopt;
  Shape shape = t.sizes.of(type->shape);
  shape.insert(shape.begin(), item->view.shape[0]);
  return fresh(t, shape, type->dtype, std::nullopt);
}

/// A storage for result k. A carried result has an unknown offset in a storage of unknown layout.
std::optional<Binding> loop_result(Tracer& t, const Call& call, std::size_t k, const LoopOperands& operands) {
  auto bound = call.step->results[k].valid() && said(t, call, k) != nullptr
                   ? fresh_for(t, call, k, std::nullopt)
                   : std::nullopt;
  const Binding* carried = k < operands.carried ? operands.tensor(k) : nullptr;
  if (!bound && carried != nullptr) bound = fresh(t, carried->view.shape, carried->dtype, std::nullopt);
  if (!bound) bound = untold_result(t, *call.step, k, operands);
  if (!bound) {
    t.unknown("no-metadata", call.step->op);
    return std::nullopt;
  }
  // Rows are stored without gaps. bind() compares the dump's strides with these.
  if (carried == nullptr && bound->strides) bound->strides = contiguous_strides(t.space, bound->view.shape);
  if (carried == nullptr) return bound;
  const bool alike = bound->view.shape == carried->view.shape && bound->dtype == carried->dtype;
  if (!alike) {
    t.unknown("no-metadata", call.step->op + " (a result unlike what is carried)");
    return std::nullopt;
  }
  // As the body declares; the clone that PyTorch makes if no trip runs has no gaps.
  const auto& strides = k < operands.strides.size() ? operands.strides[k] : std::nullopt;
  const bool kept =
      !clones_without_trips(*call.step) || (strides && is_dense(t.space, bound->view.shape, *strides));
  if (strides && kept) bound->strides = strides;
  t.storages.layouts[bound->view.storage].strides.reset();
  bound->offset = Space::kBad;
  return bound;
}

}  // namespace

/// Notes at each output which inputs and which other outputs it may share storage with because of a loop. The
/// output of `before` must have the same note.
void say_where_loops_lie(Tracer& t) {
  if (t.request.value->sharing_may_grow) return;
  for (TraceOutput& output : t.trace.outputs) {
    const auto at = output.view ? t.loops.may_lie_on.find(output.view->storage) : t.loops.may_lie_on.end();
    if (at == t.loops.may_lie_on.end()) continue;
    std::set<std::string> places;
    for (const StorageId s : at->second)
      if (t.trace.storages[s].start == TraceStorage::Start::given) places.insert(t.trace.storages[s].key);
    for (std::size_t k = 0; k < t.trace.outputs.size(); ++k)
      if (t.trace.outputs[k].view && at->second.contains(t.trace.outputs[k].view->storage))
        places.insert("output " + std::to_string(k));
    for (const std::string& place : places)
      output.scalar += (output.scalar.empty() ? "may be " : ", ") + place;
  }
}

void loop(Tracer& t, const Step& step, std::uint32_t number) {
  const std::size_t at = t.loops.count++;
  if (t.request.loops == nullptr || at >= t.request.loops->size() || !(*t.request.loops)[at].understood)
    return t.unknown("unsupported-op", step.op);
  const LoopUse& use = (*t.request.loops)[at];
  LoopOperands operands;
  TraceStep& out = operands.step;
  out.key = step.op + use.alone;
  out.origin = number;
  out.bodies = use.bodies;
  if (!add_operands(t, step, operands)) return t.unknown("no-metadata", step.op);
  if (!lie_as_said(t, step, use, operands)) return t.unknown("no-metadata", step.op + " (how operands lie)");
  if (const char* fault = fault_of(use, operands); fault != nullptr)
    return t.unknown("unsupported-op", step.op + " (" + fault + ")");
  if (!reach(t, use, operands))
    return t.unknown("unsupported-op", step.op + " (a body that sees more than operands)");
  if (!combines(t, step)) return t.unknown("unsupported-op", step.op + " (of a single item)");
  Call call{&step, nullptr, step.op, {}, number};
  std::vector<Binding> results;
  for (std::size_t k = 0; k < step.results.size(); ++k) {
    const auto bound = loop_result(t, call, k, operands);
    if (!bound) return;
    out.writes.push_back(bound->view);
    results.push_back(*bound);
  }
  // Results are written after the last trip, but with a memory plan rows may be stored during the trips.
  const Access reads = t.request.value->plan ? Access::any_time : Access::before_write;
  out.access.edit().assign(out.reads.size(), std::vector<Access>(out.writes.size(), reads));
  TraceStep pushed = out;
  tell_sizes(t, number, pushed);
  push(t, std::move(pushed), {});
  if (TraceStep lost = clobbered(t, use, operands); !lost.writes.empty()) push(t, std::move(lost), {});
  share(t, use, out, operands, operands.loops && !clones_without_trips(step));
  for (std::size_t k = 0; k < results.size(); ++k) bind(t, call, k, results[k]);
}

}  // namespace noclobber::effects
