#include "src/effects/opaque.h"

#include <algorithm>
#include <functional>

#include "src/effects/boundary.h"
#include "src/effects/call_text.h"
#include "src/effects/collectives.h"
#include "src/effects/dense.h"
#include "src/effects/draws.h"
#include "src/effects/emit.h"
#include "src/effects/forms.h"
#include "src/effects/identities.h"
#include "src/effects/items.h"
#include "src/effects/remembered.h"
#include "src/effects/results.h"
#include "src/effects/shown.h"
#include "src/effects/tracer.h"
#include "src/effects/view_steps.h"
#include "src/graph/bodies.h"

namespace noclobber::effects {

namespace {

/// Tensor arguments in schema order, lists flattened. Empty if one is not known.
std::optional<std::vector<Operand>> operands(Tracer& t, const Call& call) {
  std::vector<Operand> out;
  const OpDecl* const declared = call.declared;
  const std::string& functional = call.functional;
  const std::string_view pure = functional.empty() ? std::string_view(call.op) : base_name(functional);
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    const SchemaSlot& slot = call.schema->arguments[k];
    const Arg& arg = call.arguments[k];
    const bool unread = declared == nullptr && contents_unread(pure, *call.schema, call.arguments, k);
    const std::span<const Arg> items = items_of(arg);
    const bool read =
        !slot.written || (declared == nullptr ? !slot.keyword_only
                                              : reads_old(*declared, slot) || writes_some(*declared, slot));
    for (std::size_t item = 0; item < items.size(); ++item) {
      if (items[item].kind != Arg::Kind::ref) continue;
      const Binding* bound = t.seen(items[item]);
      if (bound == nullptr) {
        t.unknown("no-metadata", call.step->op);
        return std::nullopt;
      }
      out.push_back({*bound, k, item, slot.written || call.silent_writes.contains(k), read && !unread, read});
    }
  }
  product_first(t, call, out);
  return out;
}

/// True if the operator computes item k of its result from item k of its lists.
bool takes_items(std::string_view op) { return op.find("._foreach_") != std::string_view::npos; }

/// The access contract between one read and one write of the step.
Access access(const Call& call, const Operand& read, const Binding& read_view, const Binding& write,
              std::size_t write_item, bool listed, bool by_elements) {
  if (const OpDecl* declared = call.declared) {
    const std::string& name = call.schema->arguments[read.argument].name;
    const auto own = declared->access.find(name);
    const auto all = declared->access.find("*");
    const bool element = own != declared->access.end()
                             ? own->second == "elementwise"
                             : all != declared->access.end() && all->second == "elementwise";
    if (element) return read_view.view.shape == write.view.shape ? Access::elementwise : Access::any_time;
    return declared->before_write ? Access::before_write : Access::any_time;
  }
  if (!by_elements && !takes_items(call.op)) return Access::any_time;
  if (listed && read.item != write_item) return Access::any_time;
  return read_view.view.shape == write.view.shape ? Access::elementwise : Access::any_time;
}

/// Random operators read and advance the generator; impure ones append to the sequence of effects. A step
/// that introduces a size writes its token.
void thread_tokens(Tracer& t, const Call& call, TraceStep& step) {
  const OpDecl* const declared = call.declared;
  const auto thread = [&](StorageId token) {
    const TraceView view{token, {}, {}, "token", 0};
    step.reads.push_back(view);
    step.writes.push_back(view);
    auto& access = step.access.edit();
    for (auto& row : access) row.push_back(Access::before_write);
    access.emplace_back(step.writes.size(), Access::before_write);
  };
  if (draws(call.op, *call.schema, call.arguments))
    for (const StorageId generator : generators_of(t, call)) thread(generator);
  // A symbol stands for the number that a declared operator returns, and symbols are not compared.
  const bool counts =
      declared != nullptr && std::ranges::any_of(call.schema->returns, [](const SchemaSlot& slot) {
        return slot.type == SchemaSlot::Type::other;
      });
  if (t.at_hand.effectful || is_impure(call.op, *call.schema) || counts ||
      (declared != nullptr && !declared->pure))
    thread(kEffects);
  tell_sizes(t, call.number, step);
}

/// The argument whose storage a result has. Empty if the result is fresh.
std::optional<std::size_t> aliased(const Schema& schema, const SchemaSlot& result) {
  if (result.alias.empty()) return std::nullopt;
  for (std::size_t k = 0; k < schema.arguments.size(); ++k)
    if (schema.arguments[k].alias == result.alias) return k;
  return std::nullopt;
}

/// The operand that the only result is a view of. Empty if it is no view.
std::optional<std::size_t> shown_operand(const Call& call, const Parts& parts) {
  if (call.schema->returns.size() != 1 || call.schema->returns[0].type != SchemaSlot::Type::tensor)
    return std::nullopt;
  const auto source = aliased(*call.schema, call.schema->returns[0]);
  if (!source || call.schema->arguments[*source].written) return std::nullopt;
  for (std::size_t k = 0; k < parts.operands.size(); ++k)
    if (parts.operands[k].argument == *source) return k;
  return std::nullopt;
}

/// Binds a view without a rule if it is contiguous and has as many elements as its storage: then it is all of
/// it, in memory order. False otherwise: its elements are not known.
bool view_of_all(Tracer& t, const Call& call, std::size_t result, std::size_t argument) {
  const auto base = t.tensor(call, argument);
  const Type* type = said(t, call, result);
  if (!base || type == nullptr || type->dtype != base->dtype || t.wide(base->view.storage)) return false;
  const Layout& layout = t.storages.layouts[base->view.storage];
  const Shape shape = t.sizes.of(type->shape);
  const auto strides = said_strides(t, *type, shape);
  const PolyId count = element_count(t.space, layout.shape);
  if (layout.dtype != base->dtype || !layout.strides || !is_dense(t.space, layout.shape, *layout.strides) ||
      strides != contiguous_strides(t.space, shape) || !t.space.same(element_count(t.space, shape), count))
    return false;
  reaches(t, base->view.storage, true);
  Binding out = *base;
  out.view.maps = flat(t, *base);
  out.view.maps.edit().push_back(reshape_map({count}, shape));
  if (layout.shape == shape && layout.strides == strides) out.view.maps.clear();
  out.view.shape = shape;
  out.strides = strides;
  out.offset = 0;
  bind_view(t, call, result, std::move(out));
  return true;
}

/// Claims that the computed shape is the target's: PyTorch broadcasts nothing into a target and resizes none.
void claim_target(Tracer& t, const Call& call, const Shape& target, const Shape& computed) {
  if (target.size() != computed.size())
    t.trace.claims.push_back({call.number, "rank", t.number(target.size()), Space::kBad});
  for (std::size_t k = 0; k < std::min(target.size(), computed.size()); ++k)
    if (target[k] != computed[k]) t.trace.claims.push_back({call.number, "size", target[k], computed[k]});
}

/// Adds what is written and not returned. What is computed for an out= must be known to fit.
bool add_targets(Tracer& t, const Call& call, Parts& parts, const std::vector<InferredMeta>& rules) {
  for (std::size_t k = 0; k < parts.operands.size(); ++k) {
    const bool done =
        std::find(parts.write_operands.begin(), parts.write_operands.end(), k) != parts.write_operands.end();
    if (!parts.operands[k].written || done) continue;
    const Operand& target = parts.operands[k];
    const bool is_out = call.schema->arguments[target.argument].keyword_only && call.declared == nullptr;
    const auto computed = is_out ? computed_item(t, call, rules, target.item) : std::nullopt;
    if (is_out && !computed) {
      t.unknown("no-metadata", call.step->op + " (whether its target takes it)");
      return false;
    }
    if (is_out) claim_target(t, call, target.bound.view.shape, *computed);
    parts.write(target.bound, target.item, k, kNoPart);
  }
  return true;
}

/// True if it returns only tensors whose shapes follow from its arguments. TorchScript's overloads for
/// numbers and lists return none.
bool gives_shapes(const Schema& schema) {
  return !schema.writes() && !schema.has(Tag::dynamic_output_shape) && !schema.returns.empty() &&
         schema.returns[0].type != SchemaSlot::Type::other;
}

/// True if all sizes that the call is given are numbers, so that no symbol keeps a rule from a result.
bool sizes_known(const Tracer& t, const Call& call, const std::vector<TensorMeta>& tensors) {
  const auto is_number = [&](PolyId extent) { return t.space.value(extent).has_value(); };
  const std::function<bool(const Arg&)> tells = [&](const Arg& arg) {
    return (arg.kind != Arg::Kind::sym || arg.sym.is_constant()) && std::ranges::all_of(arg.list, tells);
  };
  return std::ranges::all_of(call.arguments, tells) &&
         std::ranges::all_of(
             tensors, [&](const TensorMeta& one) { return std::ranges::all_of(one.shape, is_number); });
}

/// Adds results in the order of the schema: fresh, or the written argument that they are.
bool add_results(Tracer& t, const Call& call, Parts& parts) {
  std::vector<TensorMeta> metas;
  for (const Operand& o : parts.operands)
    if (o.counts) metas.push_back({o.bound.view.shape, o.bound.dtype});
  const std::vector<InferredMeta> rules = inferred(t, call, metas);
  const bool refused = rules.empty() && has_shape_rule(call.functional_name());
  if ((refused && gives_shapes(*call.schema) && sizes_known(t, call, metas)) ||
      is_refused({t.sizes, call.functional_name(), *call.schema, call.arguments, metas})) {
    t.unknown("no-metadata", call.step->op + " (what it is given)");
    return false;
  }
  std::size_t result = 0;
  for (const SchemaSlot& slot : call.schema->returns) {
    const auto source = slot.type == SchemaSlot::Type::other ? std::nullopt : aliased(*call.schema, slot);
    if (source && !call.schema->arguments[*source].written) {
      if (view_of_all(t, call, result++, *source)) continue;
      t.unknown("unsupported-op", call.step->op + " (a view of elements that are not known)");
      return false;
    }
    const std::size_t left = call.step->results.size() - std::min(result, call.step->results.size());
    const std::size_t fresh_count = slot.type == SchemaSlot::Type::tensor_list ? left : 1;
    if (slot.type == SchemaSlot::Type::other) {
      ++result;
    } else if (source) {
      if (refused && slot.type == SchemaSlot::Type::tensor) {
        t.unknown("no-metadata", call.step->op + " (whether its target takes it)");
        return false;
      }
      for (std::size_t k = 0; k < parts.operands.size(); ++k)
        if (parts.operands[k].argument == *source) {
          if (slot.type == SchemaSlot::Type::tensor && result < rules.size())
            claim_target(t, call, parts.operands[k].bound.view.shape, rules[result].shape);
          parts.write(parts.operands[k].bound, parts.operands[k].item, k, result++);
        }
    } else {
      for (std::size_t k = 0; k < fresh_count; ++k, ++result) {
        const bool named = result < call.step->results.size() && call.step->results[result].valid();
        const bool listed =
            slot.type == SchemaSlot::Type::tensor_list && k < metas.size() && takes_items(call.op);
        const auto own = listed                  ? std::optional(InferredMeta{metas[k].shape, std::nullopt})
                         : result < rules.size() ? std::optional(rules[result])
                                                 : std::nullopt;
        const bool told = named || (own && own->dtype);  // an unnamed result is unused
        const auto bound =
            told ? fresh_for(t, call, result, own) : fresh(t, {}, Dtype::other, std::vector<PolyId>{});
        if (!bound) {
          t.unknown("no-metadata", call.step->op);
          return false;
        }
        parts.write(*bound, k, kNoPart, result);
      }
    }
  }
  return add_targets(t, call, parts, rules);
}

/// True if the result of an in-place elementwise operator fits its target's type. PyTorch raises otherwise.
bool storable(Tracer& t, const Call& call, const Parts& parts) {
  if (!parts.elementwise || parts.writes.empty() || parts.write_operands[0] == kNoPart) return true;
  std::vector<TensorMeta> metas;
  for (const Operand& o : parts.operands)
    if (o.counts) metas.push_back({{}, o.bound.dtype});
  const auto rules = inferred(t, call, metas);
  return !rules.empty() && rules[0].dtype &&
         type_category(*rules[0].dtype) <= type_category(parts.writes[0].dtype);
}

/// Adds reads, each with its access contract with every write.
bool add_reads(Tracer& t, const Call& call, Parts& parts) {
  const bool spread = parts.elementwise && !parts.writes.empty();
  for (std::size_t number = 0; number < parts.operands.size(); ++number) {
    const Operand& o = parts.operands[number];
    if (!o.read) continue;
    const auto read = spread ? broadcast_to(t, o.bound, parts.writes[0].view.shape) : o.bound;
    if (!read) {
      t.unknown("no-metadata", call.step->op + " (shapes)");
      return false;
    }
    parts.step.reads.push_back(read->view);
    parts.reaching.push_back(o.bound.since);
    std::vector<Access>& row = parts.step.access.edit().emplace_back();
    const bool listed = call.schema->arguments[o.argument].type == SchemaSlot::Type::tensor_list;
    // An operator reads its own written argument before it writes.
    for (std::size_t w = 0; w < parts.writes.size(); ++w)
      row.push_back(
          parts.write_operands[w] == number && !spread
              ? Access::before_write
              : access(call, o, *read, parts.writes[w], parts.write_items[w], listed, parts.elementwise));
  }
  parts.step.elementwise = spread;
  return true;
}

/// Attaches the identity that was found, if the step is elementwise. For Form::number its text is the key
/// with the number in place of the tensor.
void put_identity(Tracer& t, TraceStep& step) {
  if (!t.identities.at_hand || !step.elementwise || step.writes.size() != 1) return;
  if (t.identities.at_hand->form == TraceIdentity::Form::number) {
    std::size_t at = 0;
    for (std::uint32_t k = 0; k <= t.identities.at_hand->argument && at != std::string::npos; ++k)
      at = step.key->find(';', at + (k == 0 ? 0 : 1));
    if (at == std::string::npos || step.key->compare(at, 2, ";T") != 0) return;
    std::string key = *step.key;
    t.identities.at_hand->text = key.replace(at + 1, 1, t.identities.at_hand->text);
  }
  step.identity = new NotedIdentity(*std::move(t.identities.at_hand));
}

}  // namespace

bool elementwise(const Call& call) {
  if (call.declared != nullptr) return false;
  if (draws(call.op, *call.schema, call.arguments)) return false;  // another number for each element
  return is_elementwise(call.op, *call.schema);
}

/// Makes step `number` of the graph write the tokens of the sizes that it introduces.
void tell_sizes(Tracer& t, std::uint32_t number, TraceStep& step) {
  StorageId size = kEffects;
  for (const auto& [symbol, maker] : t.request.sizes) {
    ++size;
    if (maker != number) continue;
    t.told.insert(symbol);
    step.writes.push_back({size, {}, {}, "token", 0});
    for (auto& row : step.access.edit()) row.push_back(Access::before_write);
  }
}

std::vector<InferredMeta> inferred(const Tracer& t, const Call& call,
                                   const std::vector<TensorMeta>& tensors) {
  return infer_meta({t.sizes, call.functional_name(), *call.schema, call.arguments, tensors});
}

void opaque(Tracer& t, const Call& given) {
  t.identities.at_hand.reset(), t.identities.folded.reset();
  if (simplified(t, given)) return;
  if (has_bodies(*given.step)) return t.unknown("unsupported-op", given.step->op + " (of graphs)");
  const std::optional<Call> scaled = with_scalars(t, given);
  const Call& call = scaled ? *scaled : given;
  auto all = operands(t, call);
  if (!all) return;
  const OpDecl* const declared = call.declared;
  if (declared != nullptr && !declared->may_alias.empty())
    return t.unknown("unsupported-op", call.step->op + " (may alias)");
  Parts parts;
  parts.operands = std::move(*all);
  parts.elementwise = elementwise(call);
  parts.step.origin = call.number;
  const auto base = shown_operand(call, parts);
  if (base && !view_of_all(t, call, 0, parts.operands[*base].argument)) {
    shows_unknown(t, call, parts, *base);
    return;
  }
  if (!add_results(t, call, parts)) return;
  note_sizes(t, call);
  parts.step.key = t.shared(attributes(t, call) + shapes_text(t, parts) + numbers_text(call, parts) +
                            drawn_text(t, call, parts) + told_text(call) + device_text(t, call, parts));
  if (!storable(t, call, parts)) return t.unknown("no-metadata", call.step->op + " (type of its target)");
  if (!add_reads(t, call, parts)) return;
  if (std::any_of(parts.operands.begin(), parts.operands.end(), [](const Operand& o) { return o.written; }))
    ++t.in_place;
  for (const Binding& w : parts.writes) parts.step.writes.push_back(w.view);
  thread_tokens(t, call, parts.step);
  parts.step.elementwise = parts.step.elementwise && parts.step.writes.size() == 1;
  while (parts.reaching.size() < parts.step.reads.size()) parts.reaching.push_back(t.now());
  put_identity(t, parts.step);
  const bool is_number = parts.step.identity && t.identities.folded;
  push(t, std::move(parts.step), parts.reaching);
  if (is_number) holds(t, parts.writes[0], *t.identities.folded);
  take_off(t, call, parts);
  note_product(t, call, parts);
  for (std::size_t w = 0; w < parts.writes.size(); ++w)
    if (parts.results[w] != kNoPart) bind(t, call, parts.results[w], parts.writes[w]);
  propose(t, call, parts);
}

/// An assertion of no more than the dtype and the device that the tensor is known to have always holds: it
/// may be added, removed and moved. One about sizes or strides, or of another type, is an effect.
void describe(Tracer& t, const Call& call) {
  const auto bound = t.bound_of(call.arguments[0]);
  if (!bound) return opaque(t, call);
  if (!t.devices.placed) t.devices.placed.emplace(*t.request.graph);
  for (std::size_t k = 1; k < call.arguments.size(); ++k) {
    const Arg& arg = call.arguments[k];
    const bool is_layout = call.schema->arguments[k].name == "layout";  // strided: run() rejects others
    const bool holds = arg.kind == Arg::Kind::none || is_layout ||
                       (arg.kind == Arg::Kind::dtype && arg.dtype == bound->dtype) ||
                       (arg.kind == Arg::Kind::device &&
                        same_device(*arg.text, t.devices.placed->of(call.arguments[0])) == true);
    if (!holds) return opaque(t, call);
  }
}

/// batch_norm and the like: in training they write the running statistics that they are given.
void normalize_running(Tracer& t, Call call) {
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    const std::string& what = call.schema->arguments[k].name;
    const bool trains = what == "training" || what == "use_input_stats";
    if (trains && call.arguments[k].kind != Arg::Kind::boolean)
      return t.unknown("unsupported-op", call.step->op);
  }
  for (const std::size_t k : silently_written(call.op, *call.schema, call.arguments))
    call.silent_writes.insert(k);
  opaque(t, call);
}

}  // namespace noclobber::effects
