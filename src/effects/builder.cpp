#include "src/effects/builder.h"

#include <algorithm>
#include <numeric>

#include "src/graph/uses.h"

namespace noclobber {

namespace {

bool may_be_empty(Space& space, const Shape& shape) {
  return std::any_of(shape.begin(), shape.end(), [&](PolyId extent) { return space.value(extent) == 0; });
}

}  // namespace

std::optional<std::vector<std::uint32_t>> dense_order(Space& space, const Shape& shape,
                                                      const std::vector<PolyId>& strides) {
  std::vector<std::uint32_t> all(shape.size()), left, inner;
  std::iota(all.begin(), all.end(), 0U);
  if (may_be_empty(space, shape)) return all;
  for (std::uint32_t k : all)
    if (space.value(shape[k]) != 1) left.push_back(k);
  PolyId expected = space.constant(1);
  while (!left.empty()) {
    const auto next = std::find_if(left.rbegin(), left.rend(),
                                   [&](std::uint32_t k) { return space.same(strides[k], expected); });
    if (next == left.rend()) return std::nullopt;
    expected = space.mul(expected, shape[*next]);
    inner.push_back(*next);
    left.erase(std::next(next).base());
  }
  if (std::is_sorted(inner.rbegin(), inner.rend())) return all;
  std::erase_if(all, [&](std::uint32_t k) { return space.value(shape[k]) != 1; });  // ones lie anywhere
  all.insert(all.end(), inner.rbegin(), inner.rend());
  return all;
}

bool is_dense(Space& space, const Shape& shape, const std::vector<PolyId>& strides) {
  return dense_order(space, shape, strides).has_value();
}

void Builder::unknown(const std::string& reason, const std::string& name) {
  failed_ = true;
  const std::pair entry{reason, name};
  if (std::find(trace_.unknown.begin(), trace_.unknown.end(), entry) == trace_.unknown.end())
    trace_.unknown.push_back(entry);
}

Trace Builder::build() {
  const Graph& graph = *request_.graph;
  values_.resize(graph.values.size());
  add_tokens();
  for (const Input& input : graph.inputs) add_input(input);
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k) {
    if (is_return(graph.steps[k])) break;  // what stands behind never runs
    failed_ = false;
    run(graph.steps[k], k);
    unmodelled_ += failed_ ? 1 : 0;
  }
  for (const auto& [symbol, step] : request_.sizes)
    if (!told_.contains(symbol)) unknown("no-metadata", "size " + symbol);
  add_finals();
  add_outputs();
  return_flights();
  say_where_loops_lie();
  return std::move(trace_);
}

ValueViews Builder::take_views() {
  ValueViews out;
  out.values.resize(values_.size());
  for (std::size_t k = 0; k < values_.size(); ++k)
    if (values_[k]) out.values[k] = std::move(values_[k]->view);
  for (Layout& layout : layouts_) out.layouts.push_back({std::move(layout.strides), layout.dtype});
  return out;
}

Reached Builder::reached() const {
  Reached out = reached_;
  for (const Arg& arg : request_.graph->outputs) {
    const auto bound = bound_of(arg);
    out.outputs.push_back(
        bound ? std::optional(Lies{bound->dtype, bound->view.shape, bound->strides, bound->offset})
              : std::nullopt);
  }
  return out;
}

/// Elements of the storage are named by where they lie in it: the views that the graph is given do not tell
/// which. `from_start`: counted from its first element, wherever those views begin.
void Builder::reaches(StorageId storage, bool from_start) {
  reached_.beyond.insert(storage);
  if (from_start) reached_.from_start.insert(storage);
}

/// The flat index space of a storage that an input shows through strides, and the input's map into it.
/// Nothing where the strides are not known.
std::optional<std::pair<Shape, Map>> Builder::flat_input(const Input& input, const Binding& bound) {
  if (!bound.strides) return std::nullopt;
  const Shape& shape = bound.view.shape;
  PolyId numel = space_.add(bound.offset, space_.constant(1));
  for (std::size_t k = 0; k < shape.size(); ++k)
    numel = space_.add(numel, space_.mul((*bound.strides)[k], space_.sub(shape[k], space_.constant(1))));
  if (may_be_empty(space_, shape)) numel = bound.offset;
  if (input.storage_numel) numel = sizes_.of(*input.storage_numel);
  Map map;
  map.kind = Map::Kind::strided;
  map.from = {numel};
  map.to = shape;
  map.start = bound.offset;
  map.strides = *bound.strides;
  return std::pair{Shape{numel}, map};
}

/// An input that lies densely in a storage of its own gives the storage its index space; any other lies
/// in a flat one.
void Builder::add_input(const Input& input) {
  const Value& value = request_.graph->value(input.value);
  if (!value.type) return unknown("no-metadata", value.name);
  const Dtype dtype = value.type->dtype;
  const Shape shape = sizes_.of(value.type->shape);
  const auto strides = said_strides(*value.type, shape);
  Binding bound{{static_cast<StorageId>(trace_.storages.size()), {}, shape, type_text(dtype), 0},
                dtype,
                strides,
                sizes_.of(value.type->offset),
                0};
  const bool own = input.storage.empty() && bound.offset == 0 && !input.storage_numel &&
                   (!strides || is_dense(space_, shape, *strides));
  TraceStorage storage;
  storage.start = TraceStorage::Start::given;
  storage.key = "in:" + (input.storage.empty() ? value.name : "storage " + input.storage);
  storage.shape = shape;
  storage.writable = !request_.writable || request_.writable->contains(value.name);
  if (!own) {
    const auto flat = flat_input(input, bound);
    if (!flat) return unknown("no-metadata", value.name);
    storage.shape = flat->first;
    bound.view.maps = {flat->second};
  }
  if (const auto known = shared_.find(input.storage); !input.storage.empty() && known != shared_.end()) {
    if (!join_storage(known->second, storage, dtype))
      return unknown("no-metadata", "inputs of storage " + input.storage);
    bound.view.storage = known->second;
    for (Map& map : bound.view.maps) map.from = trace_.storages[known->second].shape;
  } else {
    if (request_.lanes->contains(storage.key)) storage.lanes = parts(storage.key, dtype);
    if (!input.storage.empty()) shared_[input.storage] = bound.view.storage;
    layouts_.push_back(
        {storage.shape, own ? strides : std::optional(std::vector<PolyId>{space_.constant(1)}), dtype});
    trace_.storages.push_back(std::move(storage));
  }
  bound.view.lanes = trace_.storages[bound.view.storage].lanes;
  trace_.inputs.push_back({value.name, bound.view});
  values_[input.value.index] = std::move(bound);
}

/// A further input on a known storage: of the same type, and within its elements.
bool Builder::join_storage(StorageId known, const TraceStorage& more, Dtype dtype) {
  TraceStorage& old = trace_.storages[known];
  if (layouts_[known].dtype != dtype || !space_.nonnegative(space_.sub(old.shape[0], more.shape[0])))
    return false;
  old.writable = old.writable && more.writable;
  return true;
}

void Builder::add_finals() {
  std::vector<std::pair<Binding, Binding>> moves;
  for (const auto& [id, arg] : request_.graph->finals) {
    const auto from = bound_of(arg);
    if (!from || !values_[id.index]) return unknown("no-metadata", "final");
    Binding kept = fresh(from->view.shape, from->dtype, std::nullopt);
    move(kept, *from, static_cast<std::uint32_t>(request_.graph->steps.size()));
    kept.since = now();
    moves.emplace_back(*values_[id.index], kept);
  }
  for (const auto& [to, from] : moves) {
    if (to.view.shape != from.view.shape) return unknown("no-metadata", "final");
    move(to, from, static_cast<std::uint32_t>(request_.graph->steps.size()));
  }
}

void Builder::add_outputs() {
  for (const Arg& arg : request_.graph->outputs) {
    TraceOutput output;
    if (arg.kind == Arg::Kind::ref) {
      const auto bound = bound_of(arg);
      if (!bound) {
        unknown("no-metadata", request_.graph->value(arg.ref).name);
      } else {
        if (is_shadow(bound->view.storage)) {
          const auto end = static_cast<std::uint32_t>(request_.graph->steps.size());
          if (!request_.value->sharing_may_grow)
            unknown("unsupported-op", "an output that shows elements that are not known");
          refresh_one(bound->view.storage, end, now());
        }
        output.view = bound->view;
        output.strides_known = bound->strides.has_value();
        if (bound->strides) output.strides = *bound->strides;
        if (request_.names_are_values) output.means = bound->since;
      }
    } else {
      std::vector<ValueId> within;
      collect_uses(arg, within);
      if (!within.empty()) unknown("unsupported-op", "an output that is a list of tensors");
      output.scalar = attribute(arg);
    }
    trace_.outputs.push_back(std::move(output));
  }
}

namespace {
/// Is it a type that has no name here? Several of PyTorch's are one then.
bool names_no_type(const Arg& arg) { return arg.kind == Arg::Kind::dtype && arg.dtype == Dtype::other; }
}  // namespace

void Builder::run(const Step& step, std::uint32_t number) {
  if (step.op.starts_with("higher_order.")) return control(step, number);
  const Schema* schema = ops_.find(step.op);
  if (schema == nullptr) return unknown("unsupported-op", step.op);
  auto arguments = bind_arguments(*schema, step);
  if (!arguments) return unknown("unsupported-op", step.op + " (" + arguments.fault().message + ")");
  if (std::ranges::any_of(*arguments, names_no_type)) return unknown("unsupported-op", step.op + " (dtype)");
  for (std::size_t k = 0; k < std::min(arguments->size(), schema->arguments.size()); ++k)
    if ((*arguments)[k].kind == Arg::Kind::text && schema->arguments[k].name == "layout" &&
        (*arguments)[k].text->find("strided") == std::string::npos)
      return unknown("unsupported-op", step.op + " (layout)");
  const Call call = call_of(step, *schema, std::move(*arguments), number);
  note_raising(call);
  may_land(call);
  dispatch(call);
}

Builder::Call Builder::call_of(const Step& step, const Schema& schema, std::vector<Arg> arguments,
                               std::uint32_t number) const {
  return {&step,
          &schema,
          std::string(base_name(step.op)),
          std::move(arguments),
          number,
          ops_.functional(step.op),
          ops_.declaration(step.op)};
}

namespace {
/// How many arguments that meaning looks at. TorchScript's overloads for lists and dictionaries have fewer.
std::size_t arguments_of(Meaning meaning) {
  switch (meaning) {
    case Meaning::opaque:
    case Meaning::fill:
    case Meaning::empty:
    case Meaning::ignored:
    case Meaning::unsupported:
      return 0;
    case Meaning::set:
    case Meaning::resize:
    case Meaning::copy_into:
    case Meaning::copy:
    case Meaning::view_scatter:
    case Meaning::concatenate:
    case Meaning::stack:
    case Meaning::moved:
    case Meaning::reduce_or_self:
      return 2;
    case Meaning::random_or_self:
      return 3;
    default:
      return 1;
  }
}

Meaning meaning_of_call(std::string_view op, const Schema& schema) {
  const Meaning meaning = meaning_of(op, schema);
  return schema.arguments.size() < arguments_of(meaning) ? Meaning::unsupported : meaning;
}
}  // namespace

void Builder::dispatch(const Call& call) {
  if (!call.declared && (out_variant(call) || moved_in_place(call) || each_item(call))) return;
  switch (const Meaning m = call.declared ? Meaning::opaque : meaning_of_call(call.op, *call.schema); m) {
    case Meaning::opaque:
      return opaque(call);
    case Meaning::view:
      return view(call);
    case Meaning::may_view:
      return may_view(call);
    case Meaning::view_each:
      return view_each(call);
    case Meaning::rebind:
      return rebind(call);
    case Meaning::set:
      return set(call);
    case Meaning::resize:
      return resize(call);
    case Meaning::clone:
      return clone(call);
    case Meaning::view_copy:
      return view_copy(call);
    case Meaning::moved:
      return moved(call);
    case Meaning::convert:
      return convert(call);
    case Meaning::may_convert:
      return may_convert(call);
    case Meaning::copy_into:
      return copy_into(call);
    case Meaning::copy_each:
      return copy_each(call);
    case Meaning::copy:
      return copy(call);
    case Meaning::fill_into:
      return fill_into(call);
    case Meaning::fill:
      return fill(call);
    case Meaning::empty:
      return empty(call);
    case Meaning::view_scatter:
      return view_scatter(call);
    case Meaning::concatenate:
    case Meaning::stack:
      return concatenate(call, m == Meaning::stack);
    case Meaning::self_if_real:
    case Meaning::random_or_self:
    case Meaning::reduce_or_self:
      return self_if(call, is_itself(call));
    case Meaning::normalize_running:
      return normalize_running(call);
    case Meaning::describe:
      return describe(call);
    case Meaning::wait:
      return wait(call);
    case Meaning::ignored:
      return;
    case Meaning::unsupported:
      return unknown("unsupported-op", call.step->op);
  }
}

void Builder::push(TraceStep step, const std::vector<std::uint32_t>& means) {
  if (!shadows_.empty()) refresh(step);
  if (request_.names_are_values) step.means = means;
  for (const TraceView& written : step.writes) {
    constants_.erase(written.storage);
    written_[written.storage] = trace_.steps.size() + 1;
    if (loop_shared_.contains(written.storage)) unknown("unsupported-op", "a write to what a loop may share");
  }
  meet_flights(step);
  if (request_.value->before) hash_step(step);
  trace_.steps.push_back(std::move(step));
}

void Builder::move(const Binding& to, const Binding& of, std::uint32_t origin) {
  std::optional<Dtype> source;
  const Binding from = unwidened(of, to.dtype, source);
  TraceStep step;
  step.kind = TraceStep::Kind::move;
  step.reads = {from.view};
  step.writes = {to.view};
  step.access = {{Access::elementwise}};
  step.origin = origin;
  const auto number = constant_of(from);
  if (request_.use == Identities::none && source)
    step.identity = {"convert-wider", TraceIdentity::Form::converts, 0, 0, std::string(name(*source)), ""};
  push(std::move(step), {from.since});
  if (number) holds(to, *number);
  note_widened(to, from);
}

/// The storage behind `to` holds that number everywhere, where `to` is all of it.
void Builder::holds(const Binding& to, std::int64_t number, const Arg& device) {
  if (to.view.maps.empty() && to.view.lanes == 0 && holds_whole(to.dtype, number))
    constants_[to.view.storage] = {number, to.dtype, device};
}

void Builder::fill_with(const Binding& to, const std::string& scalar, std::uint32_t origin) {
  TraceStep step;
  step.kind = TraceStep::Kind::fill;
  step.key = scalar;
  step.writes = {to.view};
  step.origin = origin;
  push(std::move(step), {});
}

std::optional<Binding> Builder::bound_of(const Arg& arg) const {
  if (arg.kind != Arg::Kind::ref || !arg.ref.valid()) return std::nullopt;
  return values_[arg.ref.index];
}

std::optional<Binding> Builder::tensor(const Call& call, std::size_t argument) {
  auto bound = bound_of(call.arguments[argument]);
  if (!bound) unknown("no-metadata", call.step->op);
  return bound;
}

}  // namespace noclobber
