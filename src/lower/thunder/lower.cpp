// Lowers one statement: by the lines below it if they describe it, else by the row of its operator.
#include <fmt/format.h>

#include <algorithm>

#include "src/lower/thunder/body.h"
#include "src/lower/thunder/builder.h"
#include "src/lower/thunder/undefined.h"

namespace noclobber {

std::string thunder_stem(const std::string& callee) {
  std::string out = callee.substr(callee.rfind('.') + 1);
  const bool own = out.starts_with("torch_") && out.ends_with("_impl"),
             prim = out.ends_with("_prim_impl") && own;
  if (out.ends_with("_impl")) out.resize(out.size() - 5);
  if (own && !prim && is_thunder_prim(out.substr(6))) return out.substr(6);
  for (const std::string_view prefix : {"torch_prims_", "_torch_prims_"})
    if (out.starts_with(prefix)) out = out.substr(prefix.size());
  if (prim) out = out.substr(6);
  if (prim && !is_thunder_prim(out)) out.resize(out.size() - 5);
  return out;
}

bool is_torch_call(const std::string& callee) {
  for (const std::string_view prefix : {"ltorch.", "torch.", "Tensor.", "thunder.torch."})
    if (callee.starts_with(prefix)) return true;
  return false;
}

namespace {

/// True for prims, and for executor operators that are prims under another name. Any other bare name is a
/// user-defined operator, whatever its name.
bool is_thunders(const std::string& callee) {
  constexpr std::string_view kBare[] = {
      "bookend",        "clear_mutable_collection", "copy_", "setitem", "shallow_copy", "sink", "shape",
      "update_aliases", "copy_with_setitem"};
  if (callee.starts_with("prims.") || callee.starts_with("thunder."))
    return !callee.starts_with("thunder.torch.");
  if (callee.find('.') != std::string::npos) return false;
  const bool pool = callee.starts_with("max_pool") && is_thunder_prim(callee);
  return pool || callee.ends_with("_impl") || callee.find("torch_prims_") != std::string::npos ||
         std::ranges::find(kBare, callee) != std::end(kBare);
}

/// True if the name suggests writes. Fusions and autograd functions are numbered; without a body, their
/// writes are unknown.
bool may_write(const std::string& name) {
  return name.ends_with('_') || is_fx_digit(name.back()) || name.find("inplace") != std::string::npos;
}

/// True for operators of thunder.distributed. Without a row, it is unknown what such an operator has in
/// flight or keeps.
bool is_distributed(const std::string& name) {
  constexpr std::string_view kNames[] = {"all_gather",      "all_reduce",          "broadcast",   "pack",
                                         "reduce_scatter",  "stash_grad_for_fsdp", "synchronize", "unpack",
                                         "unpack_for_fsdp", "update_bucket_view",  "wait"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

/// True for a call whose lines below count elements, although PyTorch has a single operator for it.
bool is_whole(const ThunderStatement& s) {
  const std::string& callee = s.value.text;
  return s.value.kind == PythonExpr::Kind::call &&
         (callee == "ltorch.all_tensor" || callee == "ltorch.any_tensor");
}

/// True for queries of a tensor that its type answers.
bool is_question(const std::string& name) {
  constexpr std::string_view kQuestions[] = {"dim",       "is_complex", "is_cuda", "is_floating_point",
                                             "is_nested", "ndim",       "numel",   "size",
                                             "torch_type"};
  return std::ranges::find(kQuestions, name) != std::end(kQuestions);
}

/// True for a call without side effects, if it has no tensor among its arguments and results: checks of
/// arguments, numbers computed from sizes, bookkeeping.
bool is_harmless(const ThunderStatement& s, const std::string& name) {
  if (name.starts_with("clear_") || name.starts_with("unpack_")) return true;
  return s.target.kind != PythonExpr::Kind::sequence && name.find("rng") == std::string::npos &&
         name.find("seed") == std::string::npos && !may_write(name);
}

bool holds_tensor(const ThunderThing& thing) {
  return thing.is_tensor() || std::ranges::any_of(thing.items, holds_tensor);
}

bool runs_as_written(const ThunderStatement& s) {
  const std::string& callee = s.value.text;
  return s.value.kind == PythonExpr::Kind::call && !callee.starts_with("ltorch.") &&
         !callee.starts_with("prims.") && (is_torch_call(callee) || is_thunders(callee));
}

/// True if the lines below decompose the call, and do not only repeat it under its name in Thunder.
bool is_taken_apart(const ThunderStatement& s) {
  const ThunderStatement* at = &s;
  for (; at->inner.size() == 1; at = &at->inner[0])
    if (!thunder_same_name(thunder_stem(at->value.text), thunder_stem(at->inner[0].value.text))) return true;
  return !at->inner.empty();
}

/// True if the lines below describe the call. A call that is executed as printed must be repeated below, as
/// Thunder's symbol of the same name; any other must not be contradicted by its only line below. The lines
/// below may only read tensors that the call is given.
bool described(const ThunderScopes& names, const ThunderStatement& s) {
  const std::string& callee = s.value.text;
  const bool runs = runs_as_written(s);
  const auto is_tensor = [&](const std::string& name) {
    const ThunderThing* thing = names.find(name);
    return thing != nullptr && holds_tensor(*thing);
  };
  if (runs && thunder_writes_elsewhere(s)) return false;
  if (s.value.kind == PythonExpr::Kind::call && s.inner.size() == 1) {
    const std::string stem = thunder_stem(callee), below = thunder_stem(s.inner[0].value.text);
    if (runs ? !thunder_repeats(s, stem, below) : thunder_contradicts(s, stem, below, is_tensor))
      return false;
  }
  return std::ranges::none_of(thunder_strange_names(s), is_tensor);
}

}  // namespace

const ThunderThing* ThunderBuilder::Call::keyword(std::string_view key) const {
  for (const auto& [word, thing] : kwargs)
    if (word == key) return &thing;
  return nullptr;
}

bool ThunderBuilder::lower(const Statement& s) {
  if (is_whole(s) && lower_leaf(s)) return true;
  if (s.inner.empty() || thunder_hides_writes(s) || !described(names_, s)) return lower_leaf(s);
  const ThunderMark before = draft_.mark();
  if (!lower_inner(s)) {
    draft_.back_to(before);
    return false;
  }
  const auto otherwise = thunder_shares_otherwise(draft_.graph, names_, s, before);
  if (otherwise != false) {
    draft_.back_to(before);
    if (lower_leaf(s)) return true;
    if (otherwise || !lower_inner(s)) return false;
  }
  draft_.believed = draft_.believed || (runs_as_written(s) && is_taken_apart(s));
  return true;
}

bool ThunderBuilder::lower_inner(const Statement& s) {
  names_.enter();
  bool good = std::ranges::all_of(s.inner, [&](const Statement& inner) { return lower(inner); });
  Thing made;
  good = good && names_.collect(s.target, made);
  names_.leave();
  if (good && s.target.kind != PythonExpr::Kind::none) names_.bind(s.target, made);
  return good;
}

/// Lowers `y = x`, `y: "cpu f32[3]" = args[0]`, `i0 = m1.training`, which compute nothing.
bool ThunderBuilder::rename(const Statement& s) {
  Thing thing;
  if (s.value.kind == PythonExpr::Kind::name || s.value.kind == PythonExpr::Kind::sequence) {
    bool ok = true;
    thing = names_.resolve(s.value, ok);
    if (!ok && names_.at_top()) fail_unbound(s.value);
    if (!ok) return false;
  } else if (auto type = thunder_tensor_type(s.type); type && s.target.kind == PythonExpr::Kind::name) {
    thing = Thing::of(draft_.add_input(s.target.text, std::move(type)));
  } else if (auto number = thunder_number(s.type)) {
    thing = Thing::of(*std::move(number));
  }
  names_.bind(s.target, thing);
  return true;
}

/// Lowers the definition of an undefined name: uninitialised memory, or an input with the meaning that the
/// name has in the earlier trace.
bool ThunderBuilder::lower_undefined(const Statement& s) {
  auto type = thunder_tensor_type(s.type);
  if (s.value.text == kThunderGivenName) {
    names_.bind(s.target, Thing::of(draft_.gradient(s.target.text, std::move(type))));
    return true;
  }
  if (!type) return false;
  Call call;
  call.statement = &s;
  call.name = s.target.text;
  Emit what{"aten.empty.memory_format", {}, {{"dtype", Arg::of_dtype(type->dtype)}}};
  std::vector<Arg> sizes;
  for (const SymExpr& size : type->shape) sizes.push_back(Arg::of(size));
  what.args.push_back(Arg::of(std::move(sizes)));
  if (!type->device->empty()) what.kwargs.emplace_back("device", Arg::of_device(*type->device));
  emit(call, std::move(what));
  const Thing made = *names_.find(s.target.text);
  draft_.undefined.push_back(
      emit_part(call, {"aten.clone.default", {Arg::of(made.id)}, {}, ThunderLayout::plain, {*type}}));
  draft_.graph.values[draft_.undefined.back().index].name = seen_as_undefined(s.target.text);
  return true;
}

bool ThunderBuilder::lower_leaf(const Statement& s) {
  if (s.value.kind != PythonExpr::Kind::call) return rename(s);
  if (s.value.text == kThunderUndefinedName || s.value.text == kThunderGivenName) return lower_undefined(s);
  if (s.value.text.ends_with(kThunderUnbound)) return false;
  Call call;
  call.statement = &s;
  call.name = thunder_stem(s.value.text);
  bool tensors = thunder_tensor_type(s.type).has_value();
  const auto take = [&](const PythonExpr& expr) {
    bool ok = true;
    Thing thing = names_.resolve(expr, ok);
    if (!ok && names_.at_top()) fail_unbound(expr);
    tensors = tensors || holds_tensor(thing);
    if (!ok) call.name.clear();
    return thing;
  };
  for (const PythonExpr& item : s.value.items) call.args.push_back(take(item));
  for (const auto& [key, value] : s.value.entries) call.kwargs.emplace_back(key, take(value));
  if (failed() || call.name.empty()) return false;
  if (auto number = thunder_number(s.type)) {
    names_.bind(s.target, Thing::of(*std::move(number)));
    return true;
  }
  if (call.name.starts_with("check_") || (!tensors && is_harmless(s, call.name))) {
    names_.bind(s.target, Thing());
    return true;
  }
  if (s.target.is_name("_") && is_question(call.name)) return true;
  return lower_rows(s, call);
}

bool ThunderBuilder::lower_rows(const Statement& s, Call& call) {
  const std::string& callee = s.value.text;
  if (is_thunders(callee) && lower_thunder_call(*this, call)) return true;
  if (is_torch_call(callee) && lower_torch_call(*this, call)) return true;
  const bool gradients = thunder_vjp(*this, call);
  if (gradients) assume_pure(call.name);
  if (gradients) return true;
  // An executor's own operator without a body: Thunder takes one without a tag to be pure.
  const bool own = callee.find('.') == std::string::npos && s.inner.empty() && !may_write(call.name) &&
                   !(is_thunders(callee) && is_distributed(call.name)) &&
                   s.target.kind == PythonExpr::Kind::name;
  if (!own) return false;
  if (!emit_thunder_function(*this, call, {})) return false;
  assume_pure(call.name);
  return true;
}

/// Appends a step of an unknown operator with the arguments of the statement.
void ThunderBuilder::lower_unknown(const Statement& s) {
  Emit what{"thunder." + (s.value.text.empty() ? std::string("statement") : s.value.text),
            {},
            {},
            ThunderLayout::open};
  for (char& c : what.op)
    if (c == ' ') c = '_';
  const auto take = [&](const PythonExpr& expr) {
    bool ok = true;
    const Thing thing = names_.resolve(expr, ok);
    if (!ok) fail_unbound(expr);
    if (auto arg = thunder_argument(thing)) what.args.push_back(*std::move(arg));
  };
  for (const PythonExpr& item : s.value.items) take(item);
  for (const auto& [key, value] : s.value.entries) take(value);
  if (failed()) return;
  Call call;
  call.statement = &s;
  s.target.kind == PythonExpr::Kind::none ? emit_effect(call, std::move(what)) : emit(call, std::move(what));
}

Step thunder_step(ThunderBuilder::Emit what) {
  Step step;
  step.op = std::move(what.op);
  step.args = std::move(what.args);
  step.kwargs = std::move(what.kwargs);
  return step;
}

ValueId ThunderBuilder::emit_part(const Call& call, Emit what) {
  const PythonExpr& target = call.statement->target;
  const std::string name =
      target.kind == PythonExpr::Kind::name && target.text != "_" ? target.text : call.name;
  const ThunderLayout layout = what.layout;
  std::optional<Type> type;
  if (!what.types.empty()) type = std::move(what.types[0]);
  Step step = thunder_step(std::move(what));
  const ValueId id = draft_.new_value(name + "__part", std::move(type), layout);
  step.results = {id};
  draft_.graph.steps.push_back(std::move(step));
  return id;
}

void ThunderBuilder::emit(const Call& call, Emit what) {
  const Statement& s = *call.statement;
  const bool many = s.target.kind == PythonExpr::Kind::sequence;
  std::vector<PythonExpr> targets = many ? s.target.items : std::vector<PythonExpr>{s.target};
  const ThunderLayout layout = what.layout;
  const std::vector<Type> types = what.types;
  Step step = thunder_step(std::move(what));
  Thing made;
  made.kind = Thing::Kind::sequence;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const bool named = targets[k].kind == PythonExpr::Kind::name && targets[k].text != "_";
    std::optional<Type> type = many ? std::nullopt : thunder_tensor_type(s.type);
    if (!type && k < types.size()) type = types[k];
    const ValueId id =
        draft_.new_value(named ? targets[k].text : call.name + "__unused", std::move(type), layout);
    draft_.graph.values[id.index].result = static_cast<std::uint32_t>(k);
    step.results.push_back(id);
    made.items.push_back(Thing::of(id));
  }
  draft_.graph.steps.push_back(std::move(step));
  names_.bind(s.target, many ? made : made.items[0]);
}

void ThunderBuilder::emit_effect(const Call&, Emit what) {
  draft_.graph.steps.push_back(thunder_step(std::move(what)));
}

void ThunderBuilder::bind_target(const Call& call, const Thing& thing) {
  names_.bind(call.statement->target, thing);
}

/// `prims.get_grad(x)`: an input, named after the position of x among the forward's results.
void ThunderBuilder::bind_gradient(const Call& call) {
  const PythonExpr& of = call.statement->value.items[0];
  const auto at = forward_results_.find(of.text);
  const std::string name =
      at != forward_results_.end() ? fmt::format("grad_{}", at->second) : "grad_of_" + of.text;
  names_.bind(call.statement->target,
              Thing::of(draft_.gradient(name, thunder_tensor_type(call.statement->type))));
}

void ThunderBuilder::declare(OpDecl decl) {
  if (std::ranges::none_of(draft_.ops, [&](const OpDecl& known) { return known.schema == decl.schema; }))
    draft_.ops.push_back(std::move(decl));
}

void ThunderBuilder::assume_pure(const std::string& op) {
  if (std::ranges::find(draft_.assumed, op) == draft_.assumed.end()) draft_.assumed.push_back(op);
}

}  // namespace noclobber
