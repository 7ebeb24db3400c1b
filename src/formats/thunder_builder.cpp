// Statements of level 1, names, and what leaves a trace.
#include "src/formats/thunder_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/formats/thunder_writes.h"

namespace noclobber {

ThunderThing ThunderThing::of(ValueId id) {
  ThunderThing out;
  out.kind = Kind::tensor;
  out.id = id;
  return out;
}

ThunderThing ThunderThing::of(Arg argument) {
  ThunderThing out;
  out.kind = Kind::argument;
  out.argument = std::move(argument);
  return out;
}

void ThunderBuilder::fail(std::size_t at, std::string message) {
  if (!fault_) fault_ = Diagnostic{thunder_place(text_, at), std::move(message)};
}

std::string ThunderBuilder::free_name(const std::string& wanted) {
  std::string out = wanted;
  for (int k = used_[wanted]++; k > 0 && used_.contains(out); ++k) out = fmt::format("{}__{}", wanted, k);
  if (out != wanted) ++used_[out];
  return out;
}

ValueId ThunderBuilder::new_value(const std::string& name, std::optional<Type> type, ThunderLayout layout) {
  Value value;
  value.name = free_name(name);
  if (type && layout != ThunderLayout::plain) type->strides = Type::Strides::unknown;
  value.type = std::move(type);
  graph_.values.push_back(std::move(value));
  layouts_.push_back(layout);
  return ValueId(graph_.values.size() - 1);
}

namespace {

ThunderLayout layout_of(const Type& type) {
  if (type.strides != Type::Strides::given) return ThunderLayout::plain;
  bool plain = true, ordered = true;
  std::int64_t dense = 1, last = 0;
  for (std::size_t k = type.shape.size(); k-- > 0;) {
    const std::int64_t size = type.shape[k].constant(), stride = type.stride[k].constant();
    if (size != 1) {
      plain = plain && stride == dense;
      ordered = ordered && (stride == 0 || stride >= last);
      if (stride != 0) last = stride;
    }
    if (__builtin_mul_overflow(dense, size, &dense)) plain = false;
  }
  return plain ? ThunderLayout::plain : ordered ? ThunderLayout::ordered : ThunderLayout::open;
}

}  // namespace

ValueId ThunderBuilder::add_input(const std::string& name, std::optional<Type> type) {
  const ThunderLayout layout = type ? layout_of(*type) : ThunderLayout::open;
  const ValueId id = new_value(name, std::move(type), ThunderLayout::plain);
  layouts_[id.index] = layout;
  graph_.values[id.index].at = static_cast<std::uint32_t>(graph_.inputs.size());
  Input input;
  input.value = id;
  graph_.inputs.push_back(std::move(input));
  return id;
}

ValueId ThunderBuilder::gradient(const std::string& name, std::optional<Type> type) {
  if (const auto known = gradients_.find(name); known != gradients_.end()) return known->second;
  return gradients_[name] = add_input(name, std::move(type));
}

void ThunderBuilder::bind_parameters(const ThunderTrace& trace) {
  for (const ThunderInput& input : facts_->inputs) {
    Type type = input.type;
    if (const auto said = trace.types.find(input.name); said != trace.types.end() && type.device->empty())
      if (const auto printed = thunder_tensor_type(said->second)) type.device = *printed->device;
    scopes_[0][input.name] = Thing::of(add_input(input.name, std::move(type)));
    graph_.inputs.back().storage = input.storage;
    graph_.inputs.back().storage_numel = input.storage_numel;
  }
  for (const std::string& name : trace.parameters) {
    if (scopes_[0].contains(name)) continue;
    const auto said = trace.types.find(name);
    const std::string type = said == trace.types.end() ? "" : said->second;
    Thing thing;
    if (auto tensor = thunder_tensor_type(type)) {
      thing = Thing::of(add_input(name, std::move(tensor)));
      untold_ = facts_->known;
    } else if (auto number = thunder_number(type)) {
      thing = Thing::of(*std::move(number));
    } else if (name == "cotangents") {
      thing.source = "grad";
    } else if (name == "saved_for_backward") {
      thing.source = "saved";
    }
    scopes_[0][name] = std::move(thing);
  }
}

void ThunderBuilder::run(const ThunderTrace& trace, ThunderPart part) {
  graph_.name = trace.name;
  part_ = part;
  trace_ = &trace;
  bind_parameters(trace);
  run_statements(trace);
}

void ThunderBuilder::run_backward(const ThunderTrace& trace, std::string_view text) {
  text_ = text;
  trace_ = &trace;
  forward_outputs_ = std::move(outputs_);
  outputs_.clear();
  left_ = false;
  scopes_.assign(1, Scope());
  for (const std::string& name : trace.parameters) {
    Thing thing;
    if (name == "cotangents") thing.source = "grad";
    scopes_[0][name] = name == "saved_for_backward" ? saved_ : thing;
  }
  run_statements(trace);
}

void ThunderBuilder::run_statements(const ThunderTrace& trace) {
  for (const Statement& s : trace.statements) {
    if (s.kind != Statement::Kind::leave) continue;
    const ThunderExpr& dict =
        s.value.kind == ThunderExpr::Kind::sequence && !s.value.items.empty() ? s.value.items[0] : s.value;
    if (const ThunderExpr* results = dict.entry("fw_flat_out"))
      for (std::size_t k = 0; k < results->items.size(); ++k)
        forward_results_.emplace(results->items[k].text, k);
  }
  targets_.clear();
  objects_.clear();
  for (const Statement& s : trace.statements) {
    each_thunder_name(s.target, [&](const std::string& name) { targets_.insert(name); });
    note_objects(s);
  }
  for (std::size_t k = 0; k < trace.statements.size() && !failed(); ++k) {
    const Statement& s = trace.statements[k];
    const bool last =
        std::all_of(trace.statements.begin() + static_cast<std::ptrdiff_t>(k) + 1, trace.statements.end(),
                    [](const Statement& t) { return t.kind == Statement::Kind::drop; });
    s.kind == Statement::Kind::leave ? leave(s, last) : statement(s);
  }
}

void ThunderBuilder::statement(const Statement& s) {
  if (s.kind == Statement::Kind::drop) return drop(s);
  if (part_ == ThunderPart::forward && skipped(s)) return;
  check_bound(s.value);
  ++unit_;
  std::vector<std::uint32_t> after;
  gather(s.value, after);
  std::ranges::sort(after);
  after.erase(std::unique(after.begin(), after.end()), after.end());
  const std::size_t first = graph_.steps.size();
  if (s.kind == Statement::Kind::unpack) {
    unpack(s);
  } else if (!lower(s) && !failed()) {
    lower_unknown(s);
  }
  if (failed()) return;
  close_unit(first, after, s);
}

/// Steps that must be done before the names in `expr` can be read.
void ThunderBuilder::gather(const ThunderExpr& expr, std::vector<std::uint32_t>& into) const {
  if (expr.kind == ThunderExpr::Kind::name) {
    if (const Thing* thing = find(expr.text))
      into.insert(into.end(), thing->after.begin(), thing->after.end());
  }
  for (const ThunderExpr& item : expr.items) gather(item, into);
  for (const auto& [key, value] : expr.entries) gather(value, into);
}

const std::string& ThunderBuilder::step_name(std::uint32_t step) const {
  for (const ValueId id : graph_.steps[step].results)
    if (id.valid()) return graph_.values[id.index].name;
  return graph_.steps[step].id;
}

/// One behind the other, the first behind all that the statement's arguments come from.
void ThunderBuilder::close_unit(std::size_t first, const std::vector<std::uint32_t>& after,
                                const Statement& s) {
  // Operators have a module, or are Thunder's own and end in no number; "nvFusion0" has neither.
  const bool fused = !s.inner.empty() && s.value.kind == ThunderExpr::Kind::call && !s.value.text.empty() &&
                     s.value.text.find('.') == std::string::npos && is_fx_digit(s.value.text.back());
  for (std::size_t k = first; k < graph_.steps.size(); ++k) {
    Step& step = graph_.steps[k];
    step.unit = unit_;
    step.fused = fused;
    step.line = s.line;
    step.loc = s.loc;
    step.code = s.code;
    for (ValueId id : step.results) {
      graph_.values[id.index].from = Value::From::step;
      graph_.values[id.index].at = static_cast<std::uint32_t>(k);
    }
    if (step.results.empty()) step.id = free_name(fmt::format("line{}", s.line));
    if (k > first) {
      step.after.push_back(step_name(static_cast<std::uint32_t>(k - 1)));
    } else {
      for (const std::uint32_t other : after) step.after.push_back(step_name(other));
    }
  }
  const bool any = graph_.steps.size() > first;
  mark_done(s.target, any ? std::vector{static_cast<std::uint32_t>(graph_.steps.size() - 1)} : after);
}

void ThunderBuilder::mark_done(const ThunderExpr& target, const std::vector<std::uint32_t>& after) {
  if (target.kind == ThunderExpr::Kind::name) {
    if (const auto at = scopes_[0].find(target.text); at != scopes_[0].end()) at->second.after = after;
  }
  for (const ThunderExpr& item : target.items) mark_done(item, after);
}

/// In the forward part: does the statement depend on a gradient? Then what it binds does as well.
bool ThunderBuilder::skipped(const Statement& s) {
  const auto depends = [&](const auto& self, const ThunderExpr& expr) -> bool {
    if (expr.kind == ThunderExpr::Kind::name && skipped_.contains(expr.text)) return true;
    return std::ranges::any_of(expr.items, [&](const ThunderExpr& e) { return self(self, e); }) ||
           std::ranges::any_of(expr.entries, [&](const auto& e) { return self(self, e.second); });
  };
  const bool asks = s.value.kind == ThunderExpr::Kind::call && s.value.text.ends_with("get_grad");
  if (!asks && !depends(depends, s.value)) return false;
  const auto note = [&](const auto& self, const ThunderExpr& expr) -> void {
    if (expr.kind == ThunderExpr::Kind::name) skipped_.insert(expr.text);
    for (const ThunderExpr& item : expr.items) self(self, item);
  };
  note(note, s.target);
  return true;
}

void ThunderBuilder::drop(const Statement& s) {
  const auto erase = [&](const ThunderExpr& expr) {
    if (expr.kind != ThunderExpr::Kind::name) return fail(expr.at, "expected a name");
    if (scopes_[0].erase(expr.text) == 0 && !skipped_.contains(expr.text))
      fail(expr.at, "'" + expr.text + "' is not bound");
  };
  if (s.value.kind == ThunderExpr::Kind::sequence) {
    for (const ThunderExpr& item : s.value.items) erase(item);
  } else {
    erase(s.value);
  }
}

ThunderThing ThunderBuilder::element(const Thing& from, std::size_t k, const ThunderExpr& target) {
  if (from.kind == Thing::Kind::sequence) return from.items[k];
  Thing out;
  out.source = from.source;
  const auto said = trace_->types.find(target.text);
  auto type = said == trace_->types.end() ? std::nullopt : thunder_tensor_type(said->second);
  if (!type) return out;
  // Gradients by their place: of results that need none there is only a place.
  const std::size_t place = from.source == "grad" ? k : taken_[from.source]++;
  const std::string name = fmt::format("{}_{}", from.source.empty() ? "given" : from.source, place);
  return Thing::of(gradient(name, std::move(type)));
}

/// `C0, C1, = saved_for_backward`
void ThunderBuilder::unpack(const Statement& s) {
  const Thing* from = find(s.value.text);
  if (from == nullptr) return fail(s.value.at, "'" + s.value.text + "' is not bound");
  const Thing whole = *from;
  if (whole.kind == Thing::Kind::tensor || whole.kind == Thing::Kind::argument)
    return fail(s.value.at, "'" + s.value.text + "' is no collection");
  if (whole.kind == Thing::Kind::sequence && whole.items.size() != s.target.items.size())
    return fail(s.at, fmt::format("{} names for {} values", s.target.items.size(), whole.items.size()));
  for (std::size_t k = 0; k < s.target.items.size(); ++k) {
    const ThunderExpr& target = s.target.items[k];
    bind(target, element(whole, k, target));
  }
}

/// What leaves and nothing is known of is the result of an operator that nobody knows.
void ThunderBuilder::flatten(const Thing& thing, std::vector<Arg>& into) {
  switch (thing.kind) {
    case Thing::Kind::tensor:
      into.push_back(Arg::of(thing.id));
      return;
    case Thing::Kind::argument:
      into.push_back(thing.argument);
      return;
    case Thing::Kind::other: {
      const ValueId id = new_value("unknown", std::nullopt, ThunderLayout::open);
      graph_.values[id.index].from = Value::From::step;
      graph_.values[id.index].at = static_cast<std::uint32_t>(graph_.steps.size());
      Step step = new_step({"thunder.unknown_result"});
      step.results = {id};
      graph_.steps.push_back(std::move(step));
      into.push_back(Arg::of(id));
      return;
    }
    case Thing::Kind::sequence:
      for (const Thing& item : thing.items) flatten(item, into);
  }
}

void ThunderBuilder::flatten(const ThunderExpr& expr, std::vector<Arg>& into) {
  if (expr.kind == ThunderExpr::Kind::dict) {
    for (const auto& [key, value] : expr.entries) flatten(value, into);
    return;
  }
  if (expr.kind == ThunderExpr::Kind::sequence) {
    for (const ThunderExpr& item : expr.items) flatten(item, into);
    return;
  }
  bool ok = true;
  const Thing thing = resolve(expr, ok);
  if (!ok) return fail_unbound(expr);
  flatten(thing, into);
}

/// Of `{'output': ..., 'flat_args': ..., 'fw_flat_out': ...}` or of a plain value.
void ThunderBuilder::keep_outputs(const ThunderExpr& value) {
  const ThunderExpr* output = value.entry("output");
  const ThunderExpr* results = value.entry("fw_flat_out");
  const bool forward = part_ == ThunderPart::forward && results != nullptr;
  if (!forward) flatten(output != nullptr ? *output : value, outputs_);
  if (results != nullptr) flatten(*results, outputs_);
}

void ThunderBuilder::leave(const Statement& s, bool last) {
  if (left_) return fail(s.at, "a second return");
  left_ = true;
  const bool pair = s.value.kind == ThunderExpr::Kind::sequence && s.value.items.size() == 2 &&
                    s.value.items[0].kind == ThunderExpr::Kind::dict;
  const ThunderExpr& value = pair ? s.value.items[0] : s.value;
  keep_outputs(value);
  if (failed()) return;
  if (pair) {
    bool ok = true;
    saved_ = resolve(s.value.items[1], ok);
    if (!ok) return fail_unbound(s.value.items[1]);
    if (part_ == ThunderPart::saving) flatten(saved_, outputs_);
  }
  const ThunderExpr* arguments = value.entry("flat_args");
  if (arguments != nullptr && part_ == ThunderPart::whole)
    each_thunder_name(*arguments, [&](const std::string& name) {
      if (find(name) == nullptr) fail(arguments->at, "'" + name + "' is not bound");
    });
  const bool movable = arguments != nullptr && !pair && part_ == ThunderPart::whole;
  if (last && !movable) return;
  ++unit_;
  Emit what{"prims.return.default", outputs_};
  std::vector<std::uint32_t> after;
  gather(s.value, after);
  std::ranges::sort(after);
  after.erase(std::unique(after.begin(), after.end()), after.end());
  const std::size_t first = graph_.steps.size();
  graph_.steps.push_back(new_step(std::move(what)));
  close_unit(first, after, s);
}

ThunderGraph ThunderBuilder::finish() {
  ThunderGraph out;
  outputs_.insert(outputs_.end(), forward_outputs_.begin(), forward_outputs_.end());
  graph_.outputs = std::move(outputs_);
  out.graph = std::move(graph_);
  out.ops = std::move(ops_);
  out.assumed = std::move(assumed_);
  out.undefined = std::move(undefined_);
  out.untold = untold_;
  return out;
}

}  // namespace noclobber
