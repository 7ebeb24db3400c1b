#include "src/interp/run_step.h"

#include <algorithm>

#include "src/interp/run_composed.h"
#include "src/interp/run_control.h"
#include "src/interp/run_hash.h"
#include "src/interp/run_machine.h"
#include "src/interp/run_special.h"
#include "src/interp/run_values.h"
#include "src/ops/same_tensor.h"

namespace noclobber {
namespace {

/// The operator whose kernel runs `op`: its functional form, else that of its in-place name, else `op`.
std::string kernel_name(const OpSet& ops, const std::string& op) {
  if (op == "prims._unsafe_index_put_.default") return "aten._unsafe_index_put.default";
  std::string functional = ops.functional(op);
  if (!functional.empty()) return functional;
  const std::string_view base = base_name(op);  // TorchScript's own overloads do what the default one does
  if (!base.ends_with('_')) return op;
  for (const char* overload : {".default", ".int"}) {  // transpose_ is transpose.int
    functional = std::string(base.substr(0, base.size() - 1)) + overload;
    if (find_kernel(functional) != nullptr) return functional;
  }
  return op;
}

/// The arguments in the order of the functional operator's schema: by name, else by position.
std::vector<Datum> functional_args(const OpSet& ops, const Invocation& from, const std::vector<Datum>& args,
                                   const std::string& functional) {
  const Schema* to = functional == from.op ? nullptr : ops.find(functional);
  if (!to) return args;
  std::vector<Datum> result;
  for (std::size_t i = 0; i < to->arguments.size(); ++i) {
    std::size_t found = args.size();
    for (std::size_t j = 0; j < from.schema->arguments.size(); ++j)
      if (from.schema->arguments[j].name == to->arguments[i].name) found = j;
    if (found == args.size() && i < args.size() && !from.schema->arguments[i].keyword_only) found = i;
    result.push_back(found < args.size() ? args[found] : Datum{});
  }
  return result;
}

/// Rank of the first argument. Empty until it is resolved, or if it is no tensor.
std::optional<std::size_t> rank_of(const Invocation& from) {
  if (from.live.empty() || from.live[0].kind != Datum::Kind::tensor) return std::nullopt;
  return from.live[0].tensor.at.shape.size();
}

/// For the out= form of a view: stores its elements in the target.
void store_shown(Call& call) {
  const Array &from = call.results[0].tensor, &to = call.targets[0];
  if (from.at.shape != to.at.shape || from.at.dtype != to.at.dtype)
    return call.raise("out is of another shape or type");
  if (call.ok()) copy_elements(call, from, to);
}

/// Operators that store every element of their written argument and do not read it.
bool only_stores(Meaning meaning) {
  return meaning == Meaning::copy_into || meaning == Meaning::copy_each || meaning == Meaning::fill_into;
}

/// True if the other arguments decide whether argument 0 is the result itself, or is read.
bool may_give_itself(Meaning meaning) {
  return meaning == Meaning::self_if_real || meaning == Meaning::random_or_self ||
         meaning == Meaning::reduce_or_self;
}

/// Only shape and dtype of argument `at` are used if it is `other` of view_as, `self` of zeros_like, copy or
/// sym_size, or the operand of a wait.
Use use_of(Meaning meaning, std::size_t at) {
  const bool views =
      meaning == Meaning::view || meaning == Meaning::may_view || meaning == Meaning::may_convert;
  const bool makes = meaning == Meaning::fill || meaning == Meaning::empty || meaning == Meaning::copy;
  const bool sizes = meaning == Meaning::ignored || meaning == Meaning::wait;
  return sizes || (views && at > 0) || (makes && at == 0) ? Use::shape_only : Use::read;
}

/// Binds the step's arguments to its schema. False if the run has ended.
bool invoke(Machine& m, Frame& frame, const Step& step, Invocation& invocation) {
  const auto bound = bind_arguments(*invocation.schema, step);
  if (!bound) {
    m.raise(frame, step.op + ": " + bound.fault().where + ": " + bound.fault().message);
    return false;
  }
  // The schema of prims.as_strided marks its operand as written, though it is a view. set_ and resize_ write
  // no element.
  const Meaning meaning = invocation.meaning;
  const bool shows = meaning == Meaning::view || meaning == Meaning::set || meaning == Meaning::resize;
  const std::string functional = kernel_name(m.ops, step.op);
  const KernelRow* const row = find_kernel(functional);
  const bool declared = m.ops.declaration(step.op) != nullptr;
  // An overload with `out=` uses the elements of the same arguments as its functional form.
  const Schema* const pure = meaning == Meaning::opaque ? m.ops.find(functional) : nullptr;
  const Meaning asked = pure == nullptr ? meaning : meaning_of(base_name(functional), *pure);
  invocation.draws = draws(base_name(step.op), *invocation.schema, *bound);
  invocation.silent = silently_written(base_name(step.op), *invocation.schema, *bound);
  for (std::size_t i = 0; i < bound->size(); ++i) {
    const SchemaSlot& slot =
        invocation.schema->arguments[std::min(i, invocation.schema->arguments.size() - 1)];
    const bool plain = !declared && meaning == Meaning::opaque;
    const Arg arg = plain ? as_taken(*invocation.schema, i, (*bound)[i], rank_of(invocation)) : (*bound)[i];
    const bool out = slot.written && (slot.keyword_only || only_stores(meaning));
    const bool view = invocation.schema->has(Tag::inplace_view);
    invocation.live.push_back(resolve(m, frame, arg, false));
    invocation.args.push_back(out || view ? invocation.live.back() : Datum{});
    invocation.names.push_back(arg.kind == Arg::Kind::ref ? arg.ref : ValueId{});
    if (slot.written && !shows && !view) flatten_tensors(invocation.live.back(), invocation.targets);
    const bool missing = arg.kind == Arg::Kind::ref && invocation.live.back().kind == Datum::Kind::none;
    if (missing) {
      const bool known = arg.ref.valid() && arg.ref.index < frame.graph->values.size();
      m.unsupported("a value that nothing has defined: " +
                    (known ? frame.graph->value(arg.ref).name : std::string("?")));
    }
    invocation.unread.push_back(!declared &&
                                contents_unread(base_name(functional), *invocation.schema, *bound, i));
    const bool views = invocation.unread[i] ||
                       (i == 0 && ((row && row->shares) || may_give_itself(meaning))) ||
                       use_of(asked, i) == Use::shape_only;
    if (!out && !view && !views) invocation.args.back() = resolve(m, frame, arg, true);
    if (views) invocation.args.back() = invocation.live.back();
  }
  if (may_give_itself(meaning) && !gives_itself(invocation))
    invocation.args[0] = resolve(m, frame, (*bound)[0], true);
  return m.going();
}

void run_step(Machine& m, Frame& frame, const Step& step) {
  if (run_higher_order(m, frame, step)) return;
  const Schema* const schema = m.ops.find(step.op);
  if (schema == nullptr) return m.unsupported(step.op);
  Invocation invocation(step.op, *schema);
  if (!invoke(m, frame, step, invocation)) return;
  const OpDecl* decl = m.ops.declaration(step.op);
  if (decl) {
    if (!run_mlx(m, frame, step, invocation) && m.going()) run_declared(m, frame, step, invocation, *decl);
  } else {
    dispatch(m, frame, step, invocation);
  }
  if (!m.going()) return;
  m.note_writes(frame, invocation.targets);
  for (const std::size_t k : invocation.silent)
    m.note_writes(frame, std::span(&invocation.live[k].tensor, 1));
}

void watch_step(Machine& m, Frame& frame, const Step& step) {
  m.touched.clear();
  m.options.onlooker->begins(frame.at, m.run.storages);
  run_step(m, frame, step);
  if (!m.going()) return;
  Onlooker::Named named;
  for (const ValueId id : step.results)
    if (id.valid() && frame.values[id.index].tensor) named.emplace_back(id, &*frame.values[id.index].tensor);
  m.options.onlooker->ends(frame.at, m.run.storages, named, m.touched);
}

/// Repeats a call that made a copy, on its operand as read (a snapshot, if options ask for one). If the
/// result now shares the operand, it is copied with the strides of the first result.
Call copied_as_meant(Machine& m, const Frame& frame, const KernelRow& row, Call& call, const Datum& operand) {
  Call again = m.new_call(frame);
  again.args = call.args;
  again.args[0] = operand;
  run_kernel(row, again);
  const bool shares = !again.fault && again.results[0].tensor.memory.bytes == operand.tensor.memory.bytes;
  if (!shares) return again;
  const Array from = again.results[0].tensor;
  Call copy = m.new_call(frame);
  const Array out = copy.output(from.at.dtype, from.at.shape, call.results[0].tensor.at.stride);
  if (copy.ok()) copy_elements(copy, from, out);
  return copy;
}

/// `to(device)` copies only if the device changes, so the device is dropped unless it is another one. False
/// if it is unknown whether the tensor is on it.
bool drop_same_device(Machine& m, const Graph& graph, const Invocation& from, std::vector<Datum>& args) {
  bool told = true;
  for (std::size_t i = 0; i < from.schema->arguments.size(); ++i) {
    if (from.schema->arguments[i].name != "device" || args[i].kind != Datum::Kind::text) continue;
    const Devices& devices = m.devices.try_emplace(&graph, graph).first->second;
    const auto same = same_device(devices.of(Arg::of(from.names[0])), args[i].text);
    told = told && same.has_value();
    if (same != false) args[i] = {};
  }
  return told;
}

/// True for type_as and to.other of a tensor on another device: they copy, whatever the dtype is.
bool follows_elsewhere(Machine& m, const Graph& graph, const Invocation& from) {
  if (from.meaning != Meaning::may_convert) return false;
  for (std::size_t i = 1; i < from.schema->arguments.size() && i < from.names.size(); ++i) {
    if (from.schema->arguments[i].name != "other") continue;
    const Devices& devices = m.devices.try_emplace(&graph, graph).first->second;
    return same_device(devices.of(Arg::of(from.names[0])), devices.of(Arg::of(from.names[i]))) == false;
  }
  return false;
}

/// A call whose result is a copy of the view that `shows` has as its result.
Call copied(Machine& m, const Frame& frame, const Call& shows) {
  const Array from = shows.results[0].tensor;
  Call copy = m.new_call(frame);
  copy.args = shows.args;
  const Array out = copy.output(from.at.dtype, from.at.shape, preserved_strides(from.at));
  if (copy.ok()) copy_elements(copy, from, out);
  return copy;
}

/// Runs the kernel of the step's functional operator. False if there is none, or it declined.
bool run_row(Machine& m, Frame& frame, const Step& step, const Invocation& invocation) {
  const std::string functional = kernel_name(m.ops, step.op);
  const KernelRow* row = find_kernel(functional);
  if (!row) return false;
  Call call = m.new_call(frame);
  call.args = functional_args(m.ops, invocation, invocation.args, functional);
  const bool moves = row->shares && functional == invocation.op && !invocation.names.empty();
  const bool told = !moves || drop_same_device(m, *frame.graph, invocation, call.args);
  call.targets = invocation.targets;
  call.resizes = invocation.schema->has(Tag::out);
  const std::size_t touched = m.watched != nullptr ? m.watched->size() : 0;
  run_kernel(*row, call);
  if (call.fault && call.fault->kind == Fault::Kind::declined) return false;
  if (!told && !call.fault && call.fresh.empty()) {
    m.unsupported(step.op + " (device)");
    return true;
  }
  if (moves && !call.fault && call.fresh.empty() && follows_elsewhere(m, *frame.graph, invocation))
    call = copied(m, frame, call);
  const bool copies = row->shares && !call.results.empty() && !call.fresh.empty();
  if (!call.fault && copies && !invocation.names.empty() && invocation.names[0].valid()) {
    if (m.watched != nullptr) m.watched->resize(touched);  // only the accesses of the second run count
    call = copied_as_meant(m, frame, *row, call, read_value(m, frame, invocation.names[0]));
  }
  if (row->shares && !call.fault && !call.targets.empty()) store_shown(call);
  m.adopt(call);
  if (call.fault)
    m.take_fault(frame, *call.fault);
  else
    bind_results(m, frame, step, invocation, call.results);
  return true;
}

/// Rebinds `name`, and all other names of its tensor before this step, to `shown`.
void rename(Machine& m, Frame& frame, const Step& step, ValueId name, const Datum& shown) {
  if (frame.first_names.empty()) frame.first_names = first_names(*frame.graph, m.ops);
  const ValueId result = step.results.empty() ? ValueId{} : step.results[0],
                own = frame.first_names[name.index];
  for (std::size_t k = 0; k < frame.values.size(); ++k)
    if (frame.values[k].tensor && frame.first_names[k] == own && k != result.index)
      bind_value(m, frame, ValueId(k), shown);
}

/// set_, resize_: rebinds the first argument to another storage, or to more or less of its own. False if it
/// is neither operator.
bool rebind_storage(Machine& m, Frame& frame, const Step& step, const Invocation& invocation) {
  const bool set = invocation.meaning == Meaning::set;
  if (!set && invocation.meaning != Meaning::resize) return false;
  const bool known = !invocation.names.empty() && invocation.names[0].valid() &&
                     invocation.live[0].kind == Datum::Kind::tensor;
  const bool from = !set || (invocation.schema->overload == "source_Tensor" &&
                             invocation.live[1].kind == Datum::Kind::tensor);
  if (!known || !from) return m.unsupported(step.op), true;
  Datum shown = invocation.live[set ? 1 : 0];
  if (!set) {
    Geometry& g = shown.tensor.at;
    const Extents shape = extents_of(invocation.live[1]);
    const bool stays = shape == g.shape;
    g.shape = shape;
    if (!stays) g.stride = contiguous_strides(shape);
    const auto end = reach(g);
    const bool plain = invocation.live[2].kind == Datum::Kind::none;
    if (!plain || !end || *end * item_bytes(g.dtype) > shown.tensor.memory.size)
      return m.unsupported(step.op + " (may need more storage)"), true;
  }
  if (!step.results.empty()) bind_value(m, frame, step.results[0], shown);
  rename(m, frame, step, invocation.names[0], shown);
  return true;
}

/// t_, unsqueeze_, as_strided_: rebinds the name to another view. No byte changes.
void rebind_view(Machine& m, Frame& frame, const Step& step, const Invocation& invocation) {
  const std::string functional = kernel_name(m.ops, step.op);
  const KernelRow* row = functional.empty() ? nullptr : find_kernel(functional);
  if (!row || !row->shares || invocation.names.empty() || !invocation.names[0].valid())
    return m.unsupported(step.op);
  Call call = m.new_call(frame);
  call.args = functional_args(m.ops, invocation, invocation.live, functional);
  const Datum base = call.args.empty() ? Datum{} : call.args[0];
  run_kernel(*row, call);
  m.adopt(call);
  if (call.fault) return m.take_fault(frame, *call.fault);
  const Datum view = call.results[0];
  if (!step.results.empty()) bind_value(m, frame, step.results[0], view, &base, invocation.names[0]);
  rename(m, frame, step, invocation.names[0], view);
}

}  // namespace

void run_steps(Machine& m, Frame& frame) {
  const Graph& graph = *frame.graph;
  const bool reordered = frame.top && !m.options.order.empty();
  const std::size_t count = reordered ? m.options.order.size() : graph.steps.size();
  for (std::size_t i = 0; i < count && m.going(); ++i) {
    const std::size_t step = reordered ? m.options.order[i] : i;
    if (step >= graph.steps.size()) return m.stop("an order names a step that is not there");
    if (is_return(graph.steps[step])) return;
    if (frame.top) frame.at = static_cast<std::uint32_t>(step);
    if (frame.top && m.options.onlooker != nullptr)
      watch_step(m, frame, graph.steps[step]);
    else
      run_step(m, frame, graph.steps[step]);
    if (frame.top) m.temporaries.clear();
  }
}

Call Machine::new_call(const Frame& frame) {
  Call call;
  call.backwards = options.backwards;
  call.garbage_seed = options.garbage_seed;
  call.step = static_cast<std::int32_t>(frame.at);
  call.budget = work_left;
  call.watched = watched;
  call.memory_left = memory_left;
  call.first_id = static_cast<std::uint32_t>(run.storages.size());
  return call;
}

void dispatch(Machine& m, Frame& frame, const Step& step, const Invocation& invocation) {
  if (run_special(m, frame, step, invocation) || !m.going()) return;
  if (rebind_storage(m, frame, step, invocation)) return;
  if (invocation.schema->has(Tag::inplace_view)) return rebind_view(m, frame, step, invocation);
  if (run_foreach(m, frame, step, invocation) || !m.going()) return;
  if (run_row(m, frame, step, invocation) || !m.going()) return;
  if (run_attention(m, frame, step, invocation) || !m.going()) return;
  // A sum_to_size that is no identity is a function, and a normalization has known writes.
  const bool settled =
      invocation.meaning == Meaning::reduce_or_self || invocation.meaning == Meaning::normalize_running;
  if (!settled && schema_is_silent(base_name(step.op), *invocation.schema)) return m.unsupported(step.op);
  run_hash(m, frame, step, invocation, 0);
}

/// A result that is a written argument by the schema is bound to that argument; others come from `results`.
void bind_results(Machine& m, Frame& frame, const Step& step, const Invocation& invocation,
                  std::span<const Datum> results) {
  const Schema& schema = *invocation.schema;
  for (std::size_t i = 0; i < step.results.size(); ++i) {
    const bool listed = schema.returns.size() == 1 && schema.returns[0].type == SchemaSlot::Type::tensor_list;
    const std::size_t at = listed ? 0 : i;
    const SchemaSlot* slot = at < schema.returns.size() ? &schema.returns[at] : nullptr;
    const Datum* datum = i < results.size() ? &results[i] : nullptr;
    for (std::size_t j = 0;
         slot && slot->written && j < schema.arguments.size() && j < invocation.live.size(); ++j) {
      if (!schema.arguments[j].written || schema.arguments[j].alias != slot->alias) continue;
      const Datum& live = invocation.live[j];
      if (live.kind == Datum::Kind::tensor) datum = &live;
      if (listed && i < live.list.size()) datum = &live.list[i];
    }
    if (!datum) continue;
    const bool viewed = !invocation.live.empty() && invocation.live[0].kind == Datum::Kind::tensor &&
                        datum->kind == Datum::Kind::tensor && invocation.targets.empty() &&
                        datum->tensor.memory.id == invocation.live[0].tensor.memory.id;
    if (viewed && !step.barrier)
      bind_value(m, frame, step.results[i], *datum, &invocation.live[0], invocation.names[0]);
    else
      bind_value(m, frame, step.results[i], *datum);
  }
}

void flatten_tensors(const Datum& datum, std::vector<Array>& into) {
  if (datum.kind == Datum::Kind::tensor) into.push_back(datum.tensor);
  for (const Datum& item : datum.list) flatten_tensors(item, into);
}

Extents extents_of(const Datum& sizes) {
  Extents out;
  for (const Datum& size : sizes.list) out.push_back(size.integer);
  return out;
}

}  // namespace noclobber
