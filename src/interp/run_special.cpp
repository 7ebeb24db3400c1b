#include "src/interp/run_special.h"

#include <algorithm>

#include "src/interp/run_hash.h"
#include "src/interp/run_machine.h"
#include "src/interp/run_step.h"
#include "src/interp/run_values.h"
#include "src/ops/meaning.h"

namespace noclobber {
namespace {

bool starts_with_any(std::string_view op, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return op.starts_with(p); });
}

bool is_host_effect(std::string_view op) {
  return starts_with_any(op,
                         {"aten._assert_async.", "aten._functional_assert_async.", "aten._assert_scalar.",
                          "aten._functional_assert_scalar.", "aten._assert_tensor_metadata.", "aten._print.",
                          "aten.sym_constrain_range", "aten._functional_sym_constrain_range"});
}

bool is_collective(std::string_view op) {
  return starts_with_any(op, {"_c10d_functional.", "_c10d_functional_autograd.", "c10d_functional.", "c10d.",
                              "_dtensor.shard_dim_alltoall."});
}

/// Results of size and stride operators, which may be steps of the dump. Empty for other operators.
std::optional<Datum> metadata(std::string_view op, const std::vector<Datum>& args) {
  if (args.empty() || args[0].kind != Datum::Kind::tensor) return std::nullopt;
  const Geometry& g = args[0].tensor.at;
  const std::int64_t rank = g.rank();
  std::int64_t dim = args.size() > 1 ? args[1].integer : 0;
  if (dim < 0) dim += rank;
  const bool inside = dim >= 0 && dim < rank;
  if (op == "aten.sym_size.int" && inside) return Datum::of(g.shape[static_cast<std::size_t>(dim)]);
  if (op == "aten.sym_stride.int" && inside) return Datum::of(g.stride[static_cast<std::size_t>(dim)]);
  if (op == "aten.sym_numel.default") return Datum::of(g.numel());
  if (op == "aten.sym_storage_offset.default") return Datum::of(g.offset);
  return std::nullopt;
}

/// True if the dropout probability of the operator is 0, so that it computes what its kernel does.
bool drops_nothing(const Invocation& invocation) {
  for (std::size_t i = 0; i < invocation.schema->arguments.size() && i < invocation.args.size(); ++i)
    if (invocation.schema->arguments[i].name == "dropout_p") {
      const auto p = invocation.args[i].number();
      return invocation.args[i].kind == Datum::Kind::none || (p && p->as_real() == 0);
    }
  return false;
}

/// True if sum_to_size is given the shape of its argument.
bool reduces_nothing(const Invocation& invocation) {
  if (invocation.live[0].kind != Datum::Kind::tensor) return false;
  const Extents to = extents_of(invocation.args[1]);  // an empty list always sums
  return !to.empty() && to == invocation.live[0].tensor.at.shape;
}

/// Item i of a list, or of a 1-D tensor of scalars; otherwise the argument itself. Other lists do not occur
/// in _foreach operators.
Datum item_of(const Datum& datum, const SchemaSlot& slot, std::size_t i, Call& call) {
  if (datum.kind == Datum::Kind::list) return i < datum.list.size() ? datum.list[i] : Datum{};
  const bool scalars =
      slot.name == "scalars" && datum.kind == Datum::Kind::tensor && datum.tensor.at.rank() == 1;
  if (!scalars) return datum;
  const Number n = call.load(
      datum.tensor, datum.tensor.at.offset + static_cast<std::int64_t>(i) * datum.tensor.at.stride[0]);
  return n.kind == Number::Kind::integer ? Datum::of(n.integer) : Datum::of_real(n.re);
}

const KernelRow* foreach_row(const std::string& name, bool scalar_first, bool tensor_weight) {
  if (scalar_first) return find_kernel("aten." + name + ".Scalar");
  const std::string_view weighted = tensor_weight ? ".Tensor" : ".Scalar";
  if (name == "lerp") return find_kernel("aten.lerp" + std::string(weighted));
  for (const char* overload : {".Tensor", ".default", ".Tensor_Tensor"})
    if (const KernelRow* row = find_kernel("aten." + name + overload)) return row;
  return nullptr;
}

/// The arguments of an item's kernel: those of the list's operator, except its `out` arguments.
std::vector<std::optional<std::size_t>> in_order(const Schema& list) {
  std::vector<std::optional<std::size_t>> out;
  for (std::size_t k = 0; k < list.arguments.size(); ++k)
    if (!list.arguments[k].written || !list.arguments[k].keyword_only) out.emplace_back(k);
  return out;
}

/// The device of a draw. "" if the case names one device, or the device is unknown.
std::string drawn_on(Machine& m, const Graph& graph, const Step& step, const Invocation& invocation) {
  if (!m.draws.several_devices) {
    std::set<std::string> all = named_devices(m.value.after);
    if (m.value.before) all.merge(named_devices(*m.value.before));
    m.draws.several_devices = all.size() > 1;
  }
  if (!*m.draws.several_devices) return "";
  const Devices& devices = m.devices.try_emplace(&graph, graph).first->second;
  for (const ValueId result : step.results)
    if (result.valid()) return devices.of(Arg::of(result));
  return invocation.names.empty() ? "" : devices.of(Arg::of(invocation.names[0]));
}

/// True for an assertion about dtype and device that holds: it has no effect and raises in no run.
bool is_as_described(Machine& m, const Graph& graph, const Invocation& invocation) {
  if (invocation.meaning != Meaning::describe || invocation.live[0].kind != Datum::Kind::tensor) return false;
  const Devices& devices = m.devices.try_emplace(&graph, graph).first->second;
  for (std::size_t k = 1; k < invocation.args.size(); ++k) {
    const Datum& said = invocation.args[k];
    const std::string& what = invocation.schema->arguments[k].name;
    const bool is =
        said.kind == Datum::Kind::none || what == "layout" ||
        (what == "dtype" && said.dtype == invocation.live[0].tensor.at.dtype) ||
        (what == "device" && same_device(said.text, devices.of(Arg::of(invocation.names[0]))) == true);
    if (!is) return false;
  }
  return true;
}

/// Binds the results of a wait to its operand: a tensor, or each item of a list.
void bind_waited(Machine& m, Frame& frame, const Step& step, const Invocation& invocation) {
  const Datum& given = invocation.live[0];
  if (given.kind == Datum::Kind::list) {
    for (std::size_t k = 0; k < std::min(step.results.size(), given.list.size()); ++k)
      bind_value(m, frame, step.results[k], given.list[k]);
  } else if (!step.results.empty()) {
    bind_value(m, frame, step.results[0], given, &given, invocation.names[0]);
  }
}

}  // namespace

void note_effect(Machine& m, const Invocation& invocation, std::uint64_t extra, const std::string& device) {
  Digest digest;
  digest.add(extra);
  Call call;
  call.budget = m.work_left;
  call.watched = m.watched;
  for (std::size_t i = 0; i < invocation.args.size(); ++i) {
    const SchemaSlot& slot =
        invocation.schema->arguments[std::min(i, invocation.schema->arguments.size() - 1)];
    if (!slot.written || !slot.keyword_only)
      add_datum(digest, call, counted(invocation, i));  // out= is not read
  }
  m.work_left = call.budget;
  if (call.fault) m.stop(call.fault->text);
  const std::string functional = m.ops.functional(invocation.op);  // dropout_ draws what dropout does
  const std::string text =
      (functional.empty() ? invocation.op : functional) + " " + std::to_string(digest.value());
  // Draws are a sequence of their own per device, and come first, whatever ran before them.
  if (!is_random(base_name(invocation.op), *invocation.schema)) {
    m.run.effects.push_back(text);
    return;
  }
  ++m.draws.effects[device];
  std::ptrdiff_t place = -1;
  for (auto at = m.draws.effects.begin(); at != m.draws.effects.end() && at->first <= device; ++at)
    place += at->second;
  m.run.effects.insert(m.run.effects.begin() + place, device.empty() ? text : text + " on " + device);
}

bool run_special(Machine& m, Frame& frame, const Step& step, const Invocation& invocation) {
  const std::string& op = step.op;
  if (const auto scalar = metadata(op, invocation.live)) {
    if (!step.results.empty()) bind_value(m, frame, step.results[0], *scalar);
    return true;
  }
  const bool item = op == "aten.item.default";
  if (item || op == "aten._local_scalar_dense.default") {
    note_effect(m, invocation, 0);
    const bool given = !invocation.args.empty() && invocation.args[0].kind == Datum::Kind::tensor;
    const std::int64_t count = given ? invocation.args[0].tensor.at.numel() : 0;
    const bool one = count == 1 || (count > 1 && !item);  // _local_scalar_dense takes the first
    if (!one) return m.raise(frame, "a Tensor with several elements cannot be converted to Scalar"), true;
    Call call = m.new_call(frame);
    const Array& a = invocation.args[0].tensor;
    const Number n = call.load(a, a.at.offset);
    Datum d = n.kind == Number::Kind::integer ? Datum::of(n.integer) : Datum::of_real(n.re);
    if (a.at.dtype == Dtype::boolean) d = Datum::of_bool(n.integer != 0);
    if (!step.results.empty()) bind_value(m, frame, step.results[0], d);
    return true;
  }
  if (is_as_described(m, *frame.graph, invocation)) return true;
  if (is_host_effect(op)) {
    const bool asserts = starts_with_any(op, {"aten._assert_scalar.", "aten._functional_assert_scalar."});
    const auto told = asserts && !invocation.args.empty() ? invocation.args[0].number() : std::nullopt;
    if (told && told->as_real() == 0) return m.raise(frame, "an assertion fails"), true;
    note_effect(m, invocation, 0);
    if (!step.results.empty()) run_hash(m, frame, step, invocation, 0);  // functional ones thread a token
    return true;
  }
  if (is_collective(op)) {
    const bool waits = invocation.meaning == Meaning::wait;
    if (!waits) note_effect(m, invocation, 0);  // waits may be reordered, collectives may not
    if (!waits) return run_hash(m, frame, step, invocation, 1), true;
    if (!invocation.live.empty()) bind_waited(m, frame, step, invocation);
    return true;
  }
  const bool random = (invocation.schema->has(Tag::nondeterministic_seeded) && invocation.draws) ||
                      op.starts_with("prims.inductor_seed") || op.starts_with("prims.inductor_random") ||
                      op.starts_with("prims.inductor_randint");
  const bool seeded = op.starts_with("prims.inductor_random") || op.starts_with("prims.inductor_randint");
  if (gives_itself(invocation)) {
    if (!step.results.empty())
      bind_value(m, frame, step.results[0], invocation.live[0], &invocation.live[0], invocation.names[0]);
    return true;
  }
  if (!random || seeded) return false;
  const std::string device = drawn_on(m, *frame.graph, step, invocation);
  const std::uint64_t count = ++m.draws.drawn[device];
  note_effect(m, invocation, count, device);
  if (drops_nothing(invocation)) return false;
  Digest salt;  // each device has a generator of its own
  salt.add(count);
  salt.add(device);
  run_hash(m, frame, step, invocation, device.empty() ? count : salt.value());
  return true;
}

/// Makes one call per list item, in order. False if the step is no such operator, or items have no kernel.
bool run_foreach(Machine& m, Frame& frame, const Step& step, const Invocation& invocation) {
  const Schema& schema = *invocation.schema;
  if (schema.ns != "aten" || !schema.name.starts_with("_foreach_")) return false;
  std::string name = schema.name.substr(9);
  if (name.ends_with("_")) name.pop_back();
  const bool scalar_first = schema.overload == "ScalarAndTensor";
  const bool weights =
      schema.arguments.size() > 2 && schema.arguments[2].type == SchemaSlot::Type::tensor_list;
  const KernelRow* row = foreach_row(name, scalar_first, weights);
  const Schema* list = row == nullptr ? find_schema(functional_op(invocation.op)) : nullptr;
  const Schema* item = list != nullptr ? find_schema(item_op(list->op)) : nullptr;
  if (item != nullptr) row = find_kernel(item->op);
  const auto places = item != nullptr ? item_places(*list, *item) : in_order(schema);
  std::size_t count = 0;
  for (const Datum& arg : invocation.args) count = std::max(count, arg.list.size());
  if (!row) return false;
  std::vector<Datum> results;
  for (std::size_t i = 0; i < count && m.going(); ++i) {
    Call call = m.new_call(frame);
    for (const auto& at : places)
      call.args.push_back(at && *at < invocation.args.size()
                              ? item_of(invocation.args[*at], schema.arguments[*at], i, call)
                              : Datum{});
    if (!invocation.targets.empty() && i < invocation.targets.size()) call.targets = {invocation.targets[i]};
    call.resizes = schema.has(Tag::out);
    run_kernel(*row, call);
    m.adopt(call);
    if (call.fault)
      m.take_fault(frame, *call.fault);
    else
      results.push_back(call.results[0]);
  }
  if (m.going()) bind_results(m, frame, step, invocation, results);
  return true;
}

bool gives_itself(const Invocation& invocation) {
  const Meaning meaning = invocation.meaning;
  if (meaning == Meaning::self_if_real)
    return invocation.live[0].kind == Datum::Kind::tensor && !is_complex(invocation.live[0].tensor.at.dtype);
  if (meaning == Meaning::reduce_or_self) return reduces_nothing(invocation);
  if (meaning != Meaning::random_or_self) return false;
  if (invocation.args.size() < 3 || invocation.args[2].kind != Datum::Kind::boolean) return false;
  const auto p = invocation.args[1].number();
  return !invocation.args[2].boolean || (p && p->as_real() == 0);
}

}  // namespace noclobber
