#include "src/interp/run_wrapped.h"

#include <algorithm>

#include "src/interp/run_hash.h"
#include "src/interp/run_machine.h"
#include "src/interp/run_step.h"
#include "src/interp/run_values.h"

namespace noclobber {
namespace {

const Arg* keyword(const Step& step, const std::string& name) {
  for (const auto& [key, value] : step.kwargs)
    if (key == name) return &value;
  return nullptr;
}

std::string wrapped_op(const Step& step, std::size_t argument) {
  if (argument >= step.args.size() || step.args[argument].kind != Arg::Kind::text) return "";
  return full_op_name(step.args[argument].text);
}

/// Runs `schema`'s operator on arguments that are already values; its returns are named by the outer
/// step's results from `first_result` on.
void run_inner(Machine& m, Frame& frame, const Step& outer, const Schema& schema, std::vector<Datum> args,
               std::size_t first_result) {
  Step inner;
  inner.op = schema.op;
  for (std::size_t i = 0; i < schema.returns.size() && first_result + i < outer.results.size(); ++i)
    inner.results.push_back(outer.results[first_result + i]);
  Invocation invocation(schema.op, schema);
  invocation.names.resize(args.size());
  invocation.unread.resize(args.size(), false);
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!schema.arguments[i].written) continue;
    if (args[i].kind == Datum::Kind::tensor) invocation.targets.push_back(args[i].tensor);
    for (const Datum& item : args[i].list)
      if (item.kind == Datum::Kind::tensor) invocation.targets.push_back(item.tensor);
  }
  invocation.live = args;
  invocation.args = std::move(args);
  if (!m.going()) return;
  const OpDecl* decl = m.ops.declaration(schema.op);
  if (decl)
    run_declared(m, frame, inner, invocation, *decl);
  else
    dispatch(m, frame, inner, invocation);
  if (m.going()) m.note_writes(frame, invocation.targets);
}

/// Clones of `_all_bases` in v2, of every written argument in schema order in v1.
std::vector<Datum> cloned_bases(Machine& m, Frame& frame, const Step& step, const Schema& schema,
                                bool second) {
  std::vector<Datum> bases;
  if (second) {
    const Arg* all = keyword(step, "_all_bases");
    if (!all || all->kind != Arg::Kind::list) {
      m.unsupported(step.op + " (no _all_bases)");
      return bases;
    }
    for (const Arg& arg : all->list) bases.push_back(cloned(m, frame, resolve(m, frame, arg, true)));
    return bases;
  }
  for (const SchemaSlot& slot : schema.arguments) {
    if (!slot.written) continue;
    const Arg* arg = keyword(step, slot.name);
    bases.push_back(arg ? cloned(m, frame, resolve(m, frame, *arg, true)) : Datum{});
  }
  return bases;
}

/// The written argument that v2 describes: a base, or a slice or as_strided view of one.
Datum regenerated(Machine& m, Frame& frame, const Step& step, const std::string& prefix,
                  const std::vector<Datum>& bases) {
  const Arg* which = keyword(step, prefix + "_base_index");
  if (!which || which->kind == Arg::Kind::none) return {};
  const Datum index = resolve(m, frame, *which, true);
  if (index.kind != Datum::Kind::integer || index.integer < 0 ||
      index.integer >= static_cast<std::int64_t>(bases.size())) {
    m.raise(frame, step.op + ": " + prefix + "_base_index is not the index of a base");
    return {};
  }
  const Datum& base = bases[static_cast<std::size_t>(index.integer)];
  Call call = m.new_call(frame);
  std::string op;
  call.args = {base};
  auto take = [&](const char* suffix) {
    const Arg* arg = keyword(step, prefix + suffix);
    call.args.push_back(arg ? resolve(m, frame, *arg, true) : Datum{});
    return arg != nullptr;
  };
  if (keyword(step, prefix + "_stride")) {
    op = "aten.as_strided.default";
    take("_size"), take("_stride"), take("_storage_offset");
  } else if (keyword(step, prefix + "_slice_dim")) {
    op = "aten.slice.Tensor";
    take("_slice_dim"), take("_slice_start"), take("_slice_end");
  } else {
    return base;
  }
  run_kernel(*find_kernel(op), call);
  m.adopt(call);
  if (call.fault) m.take_fault(frame, *call.fault);
  return call.fault ? Datum{} : call.results[0];
}

}  // namespace

Datum cloned(Machine& m, const Frame& frame, const Datum& datum) {
  if (datum.kind == Datum::Kind::list) {
    std::vector<Datum> items;
    for (const Datum& item : datum.list) items.push_back(cloned(m, frame, item));
    return Datum::of_list(std::move(items));
  }
  if (datum.kind != Datum::Kind::tensor) return datum;
  Call call = m.new_call(frame);
  call.output_clone(datum.tensor);
  m.adopt(call);
  if (call.fault) m.take_fault(frame, *call.fault);
  return call.results.empty() ? Datum{} : call.results[0];
}

void run_auto_functionalized(Machine& m, Frame& frame, const Step& step, bool second) {
  const std::string op = wrapped_op(step, 0);
  const Schema* schema = op.empty() ? nullptr : m.ops.find(op);
  if (!schema) return m.unsupported(op.empty() ? *step.op : op);
  const std::vector<Datum> bases = cloned_bases(m, frame, step, *schema, second);
  if (!m.going()) return;
  std::vector<Datum> args;
  std::size_t written = 0;
  for (const SchemaSlot& slot : schema->arguments) {
    const Arg* given = keyword(step, slot.name);
    const Arg* length = second && slot.written ? keyword(step, "_" + slot.name + "_length") : nullptr;
    if (length) {
      const std::int64_t count = resolve(m, frame, *length, true).integer;
      std::vector<Datum> items;
      for (std::int64_t i = 0; i < count && i < 4096 && m.going(); ++i)
        items.push_back(regenerated(m, frame, step, "_" + slot.name + "_" + std::to_string(i), bases));
      args.push_back(Datum::of_list(std::move(items)));
    } else if (slot.written) {
      args.push_back(second ? regenerated(m, frame, step, "_" + slot.name, bases) : bases[written]);
    } else if (given) {
      args.push_back(resolve(m, frame, *given, true));
    } else {
      args.push_back(slot.fallback ? resolve(m, frame, *slot.fallback, true) : Datum{});
    }
    if (slot.written) ++written;
  }
  run_inner(m, frame, step, *schema, std::move(args), 0);
  const std::size_t first = std::max<std::size_t>(schema->returns.size(), 1);
  for (std::size_t i = 0; i < bases.size() && m.going(); ++i)
    if (first + i < step.results.size()) bind_value(m, frame, step.results[first + i], bases[i]);
}

/// with_effects(token, op, args...) gives (token, returns...): the order of tokens is the order of steps.
void run_with_effects(Machine& m, Frame& frame, const Step& step) {
  const std::string op = wrapped_op(step, 1);
  const Schema* schema = op.empty() ? nullptr : m.ops.find(op);
  if (!schema) return m.unsupported(op.empty() ? *step.op : op);
  std::vector<Datum> args;
  for (std::size_t i = 0; i < schema->arguments.size(); ++i) {
    const SchemaSlot& slot = schema->arguments[i];
    const Arg* given = i + 2 < step.args.size() ? &step.args[i + 2] : keyword(step, slot.name);
    if (!given && slot.fallback) given = &*slot.fallback;
    args.push_back(given ? resolve(m, frame, *given, !slot.written) : Datum{});
  }
  if (!step.args.empty() && !step.results.empty())
    bind_value(m, frame, step.results[0], resolve(m, frame, step.args[0], false));
  run_inner(m, frame, step, *schema, std::move(args), 1);
}

}  // namespace noclobber
