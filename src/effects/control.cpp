#include "src/effects/control.h"

#include <algorithm>

#include "src/effects/boundary.h"
#include "src/effects/call_text.h"
#include "src/effects/dispatch.h"
#include "src/effects/emit.h"
#include "src/effects/loop_steps.h"
#include "src/effects/opaque.h"
#include "src/effects/results.h"
#include "src/effects/tracer.h"
#include "src/graph/bodies.h"
#include "src/graph/uses.h"

namespace noclobber::effects {

namespace {

/// Texts of the bodies of one branch and of the bodies in them, each once and before those that refer to it.
struct BodyTexts {
  std::vector<std::string> all;
  std::map<std::string, std::size_t> places;                   // in `all`
  std::map<const Graph*, std::optional<std::size_t>> numbers;  // empty: the body does more than compute
  bool see_storages = false;  // a body may touch elements outside of its operands
};

std::optional<std::size_t> body_number(const Tracer& t, const Graph& body, BodyTexts& texts, int depth);

constexpr int kDeepestBranch = 64;  // levels of bodies in bodies

bool pure(const OpSet& ops, const Step& step) {
  const Schema* schema = ops.find(step.op);
  if (schema == nullptr || schema->ns == "higher_order" || schema->writes()) return false;
  if (const OpDecl* declared = ops.declaration(step.op)) return declared->pure && declared->may_alias.empty();
  const std::string_view op = base_name(step.op);
  for (const Meaning other : {Meaning::unsupported, Meaning::normalize_running,
                              Meaning::empty})  // contents of `empty` are a function of nothing
    if (meaning_of(op, *schema) == other) return false;
  return !is_impure(op, *schema) && !is_random(op, *schema);
}

/// True if the step's result has a storage of its own, whatever its arguments are.
bool makes_fresh(const OpSet& ops, const Step& step) {
  const Schema& schema = *ops.find(step.op);
  const OpDecl* declared = ops.declaration(step.op);
  if (declared == nullptr) return gives_fresh(meaning_of(base_name(step.op), schema));
  if (std::find(declared->result.begin(), declared->result.end(), "view") != declared->result.end())
    return false;
  return std::all_of(schema.returns.begin(), schema.returns.end(),
                     [](const SchemaSlot& slot) { return slot.alias.empty(); });
}

/// True if it only runs the bodies that it is given.
bool computes_by_bodies(const Step& step) {
  return (step.op == "higher_order.cond" || step.op->starts_with("higher_order.invoke_subgraph")) &&
         step.kwargs.empty();
}

/// invoke_subgraph(body, "name", ...): the name has no meaning.
bool is_label(const Step& step, const Arg& arg) {
  return step.op != "higher_order.cond" && (arg.kind == Arg::Kind::text || arg.kind == Arg::Kind::none);
}

/// True if its result may lie outside of the operand's view.
bool sees_storage(const OpSet& ops, const Step& step) {
  if (counts_in_storage(step)) return true;
  const Schema& schema = *ops.find(step.op);
  const OpDecl* declared = ops.declaration(step.op);
  if (declared != nullptr && std::ranges::find(declared->result, "view") != declared->result.end())
    return true;
  const bool has_rule = declared == nullptr && meaning_of(base_name(step.op), schema) != Meaning::opaque;
  return !has_rule &&
         std::ranges::any_of(schema.returns, [](const SchemaSlot& s) { return !s.alias.empty(); });
}

/// Text of a body that is equal for bodies that compute the same, with the numbers of the bodies in it. Empty
/// if the body does more than compute fresh results.
std::optional<std::string> body_text(const Tracer& t, const Graph& body, BodyTexts& texts, int depth) {
  std::vector<std::string> names(body.values.size());  // start with %, as no size or type does
  std::string out = "{";
  for (std::size_t k = 0; k < body.inputs.size(); ++k) {
    if (body.inputs[k].kind == Input::Kind::constant) return std::nullopt;  // its contents are no operand
    names[body.inputs[k].value.index] = "%i" + std::to_string(k);
  }
  bool all_known = true;
  const auto text = [&](const Arg& arg, const auto& self) -> std::string {
    if (arg.kind == Arg::Kind::ref) {
      all_known = all_known && arg.ref.valid() && !names[arg.ref.index].empty();
      return arg.ref.valid() ? names[arg.ref.index] : "";
    }
    if (arg.kind != Arg::Kind::list) return attribute(t, arg);
    std::string items = "[";
    for (const Arg& item : arg.list) items += self(item, self) + ",";
    return items + "]";
  };
  std::set<ValueId> fresh_values;
  std::size_t count = 0;
  for (const Step& step : body.steps) {
    const bool branch = computes_by_bodies(step) && depth < kDeepestBranch;
    if (!branch && !pure(t.ops, step)) return std::nullopt;
    texts.see_storages = texts.see_storages || (!branch && sees_storage(t.ops, step));
    out += step.op + "(";
    for (const Arg& arg : step.args) {
      const bool nested = branch && arg.kind == Arg::Kind::graph;
      const Graph* inner = nested ? find_body(*t.request.value, body, arg.text) : nullptr;
      const auto inside = inner != nullptr ? body_number(t, *inner, texts, depth + 1) : std::nullopt;
      if (nested && !inside) return std::nullopt;
      if (is_label(step, arg)) continue;
      out += (nested ? "#" + std::to_string(*inside) : text(arg, text)) + ",";
    }
    for (const auto& [key, arg] : step.kwargs) out += key + "=" + text(arg, text) + ",";
    out += ");";
    for (ValueId id : step.results) {
      ++count;
      if (!id.valid()) continue;
      names[id.index] = "%v" + std::to_string(count);
      if (const SharedType& type = body.value(id).type) out += std::string(name(type->dtype)) + ";";
      if (branch || makes_fresh(t.ops, step)) fresh_values.insert(id);
    }
  }
  std::set<ValueId> returned;
  for (const Arg& arg : body.outputs) {
    if (gives_number(arg)) return std::nullopt;
    std::vector<ValueId> values;
    collect_uses(arg, values);
    for (const ValueId id : values)
      if (!fresh_values.contains(id) || !returned.insert(id).second) return std::nullopt;
    out += text(arg, text) + ",";
  }
  return all_known ? std::optional(out + "}") : std::nullopt;
}

/// The number of a body's text among `texts`. Empty if the body does more than compute fresh results.
std::optional<std::size_t> body_number(const Tracer& t, const Graph& body, BodyTexts& texts, int depth) {
  const auto [known, is_new] = texts.numbers.try_emplace(&body, std::nullopt);  // empty for a body in itself
  if (!is_new) return known->second;
  const auto text = body_text(t, body, texts, depth);
  const auto number =
      text ? std::optional(texts.places.try_emplace(*text, texts.all.size()).first->second) : std::nullopt;
  if (number == texts.all.size()) texts.all.push_back(*text);
  return texts.numbers[&body] = number;
}

/// with_effects(token, op, args...) returns (token, results of op...): op in the sequence of effects. The
/// order of tokens is the order of steps.
void with_effects(Tracer& t, const Step& step, std::uint32_t number) {
  const bool named = step.args.size() > 1 && step.args[1].kind == Arg::Kind::text;
  const std::string op = named ? full_op_name(step.args[1].text) : "";
  if (op.empty() || t.ops.find(op) == nullptr) return t.unknown("unsupported-op", op.empty() ? *step.op : op);
  const auto token = t.bound_of(step.args[0]);
  if (!token) return t.unknown("no-metadata", step.op);
  Step inner = step;
  inner.op = op;
  inner.args.erase(inner.args.begin(), inner.args.begin() + 2);
  if (!inner.results.empty()) inner.results.erase(inner.results.begin());
  t.at_hand.effectful = true;
  run(t, inner, number);
  t.at_hand.effectful = false;
  const Call call{&step, nullptr, step.op, {}, number};
  if (!step.results.empty() && step.results[0].valid()) bind(t, call, 0, *token);
}

/// Text of the strides of an operand, which a branch may depend on. Empty if they are contiguous.
std::string laid_text(const Tracer& t, const Binding& operand) {
  if (!operand.strides) return ",?";
  std::string out;
  if (*operand.strides != contiguous_strides(t.space, operand.view.shape))
    for (const PolyId stride : *operand.strides) out += "," + size_text(t.space, stride);
  return out;
}

/// All of the storage of an operand. Appends to `key` how both lie in memory. Empty if that is not known.
std::optional<TraceView> all_of_storage(Tracer& t, const Binding& operand, Text& key) {
  const TraceStorage& storage = t.trace.storages[operand.view.storage];
  const Layout& layout = t.storages.layouts[operand.view.storage];
  if (!layout.strides || !operand.strides || operand.offset == Space::kBad) return std::nullopt;
  if (layout.dtype != operand.dtype || storage.lanes > 0) return std::nullopt;
  std::string lies =
      ";at " + size_text(t.space, operand.offset) + " sized";  // the read is the storage, no longer the view
  for (const PolyId extent : operand.view.shape) lies += "," + size_text(t.space, extent);
  const auto strides_text = [&](const std::vector<PolyId>& strides) {
    for (const PolyId stride : strides) lies += "," + size_text(t.space, stride);
  };
  lies += " by";
  strides_text(*operand.strides);
  lies += " in";
  strides_text(*layout.strides);
  key = *key + lies;
  return TraceView{operand.view.storage, {}, storage.shape, t.type_text(layout.dtype), 0};
}

}  // namespace

void control(Tracer& t, const Step& step, std::uint32_t number) {
  if (is_loop(step)) return loop(t, step, number);
  if (step.op == "higher_order.with_effects") return with_effects(t, step, number);
  if (!computes_by_bodies(step)) return t.unknown("unsupported-op", step.op);
  TraceStep opaque;
  opaque.key = step.op;
  opaque.origin = number;
  std::vector<std::uint32_t> reaching;
  BodyTexts texts;
  for (const Arg& arg : step.args) {
    if (arg.kind != Arg::Kind::graph) continue;
    const Graph* body = find_body(*t.request.value, *t.request.graph, arg.text);
    const auto inside = body != nullptr ? body_number(t, *body, texts, 0) : std::nullopt;
    if (!inside)
      return t.unknown("unsupported-op", step.op + " (" + arg.text + " writes, shares or is not known)");
    opaque.key = *opaque.key + ";#" + std::to_string(*inside);
  }
  for (const std::string& text : texts.all)
    opaque.key = *opaque.key + ";" + std::to_string(text.size()) + text;
  for (const Arg& arg : step.args) {
    if (arg.kind != Arg::Kind::graph && !is_label(step, arg))
      opaque.key = *opaque.key + ";" + attribute(t, arg);
    std::vector<ValueId> values;
    collect_uses(arg, values);
    for (ValueId id : values) {
      if (!t.names.bound[id.index]) return t.unknown("no-metadata", step.op);
      const Binding& operand = *t.names.bound[id.index];
      const auto seen = texts.see_storages ? all_of_storage(t, operand, opaque.key) : operand.view;
      if (!seen) return t.unknown("unsupported-op", step.op + " (a body that sees more than operands)");
      if (texts.see_storages) reaches(t, operand.view.storage, true);
      opaque.reads.push_back(*seen);
      opaque.key = *opaque.key + laid_text(t, operand);
      reaching.push_back(operand.since);
    }
  }
  Call call{&step, nullptr, step.op, {}, number};
  std::vector<Binding> results;
  for (std::size_t k = 0; k < step.results.size(); ++k) {
    auto bound = step.results[k].valid() ? fresh_for(t, call, k, std::nullopt)
                                         : fresh(t, {}, Dtype::other, std::vector<PolyId>{});
    if (!bound) return t.unknown("no-metadata", step.op);
    opaque.writes.push_back(bound->view);
    results.push_back(*bound);
  }
  opaque.access.edit().assign(opaque.reads.size(),
                              std::vector<Access>(opaque.writes.size(), Access::any_time));
  tell_sizes(t, number, opaque);
  push(t, std::move(opaque), reaching);
  for (std::size_t k = 0; k < results.size(); ++k) bind(t, call, k, results[k]);
}

}  // namespace noclobber::effects
