// Statements of level 1, names, and the outputs of a trace.
#include "src/lower/thunder/builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/lower/thunder/writes.h"

namespace noclobber {

void ThunderBuilder::fail(std::size_t at, std::string message) {
  if (!fault_) fault_ = Diagnostic{thunder_place(text_, at), std::move(message)};
}

void ThunderBuilder::bind_parameters(const ThunderTrace& trace) {
  for (const ThunderInput& input : facts_->inputs) {
    Type type = input.type;
    if (const auto said = trace.types.find(input.name); said != trace.types.end() && type.device->empty())
      if (const auto printed = thunder_tensor_type(said->second)) type.device = *printed->device;
    names_.top()[input.name] = Thing::of(draft_.add_input(input.name, std::move(type)));
    draft_.graph.inputs.back().storage = input.storage;
    draft_.graph.inputs.back().storage_numel = input.storage_numel;
  }
  for (const std::string& name : trace.parameters) {
    if (names_.top().contains(name)) continue;
    const auto said = trace.types.find(name);
    const std::string type = said == trace.types.end() ? "" : said->second;
    Thing thing;
    if (auto tensor = thunder_tensor_type(type)) {
      thing = Thing::of(draft_.add_input(name, std::move(tensor)));
      untold_ = facts_->known;
    } else if (auto number = thunder_number(type)) {
      thing = Thing::of(*std::move(number));
    } else if (name == "cotangents") {
      thing.source = "grad";
    } else if (name == "saved_for_backward") {
      thing.source = "saved";
    }
    names_.top()[name] = std::move(thing);
  }
}

void ThunderBuilder::run(const ThunderTrace& trace, ThunderPart part) {
  draft_.graph.name = trace.name;
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
  names_.forget();
  for (const std::string& name : trace.parameters) {
    Thing thing;
    if (name == "cotangents") thing.source = "grad";
    names_.top()[name] = name == "saved_for_backward" ? saved_ : thing;
  }
  run_statements(trace);
}

void ThunderBuilder::run_statements(const ThunderTrace& trace) {
  for (const Statement& s : trace.statements) {
    if (s.kind != Statement::Kind::leave) continue;
    const PythonExpr& dict =
        s.value.kind == PythonExpr::Kind::sequence && !s.value.items.empty() ? s.value.items[0] : s.value;
    if (const PythonExpr* results = dict.entry("fw_flat_out"))
      for (std::size_t k = 0; k < results->items.size(); ++k)
        forward_results_.emplace(results->items[k].text, k);
  }
  targets_.clear();
  names_.forget_objects();
  for (const Statement& s : trace.statements) {
    each_thunder_name(s.target, [&](const std::string& name) { targets_.insert(name); });
    names_.note_objects(s);
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
  names_.gather(s.value, after);
  std::ranges::sort(after);
  after.erase(std::unique(after.begin(), after.end()), after.end());
  const std::size_t first = draft_.graph.steps.size();
  if (s.kind == Statement::Kind::unpack) {
    unpack(s);
  } else if (!lower(s) && !failed()) {
    lower_unknown(s);
  }
  if (failed()) return;
  close_unit(first, after, s);
}

/// Orders the steps of a statement one after another, the first one after all definitions of the statement's
/// arguments.
void ThunderBuilder::close_unit(std::size_t first, const std::vector<std::uint32_t>& after,
                                const Statement& s) {
  // Operators have a module, or are Thunder's own and do not end in a digit; a fusion like "nvFusion0" does
  // neither.
  const bool fused = !s.inner.empty() && s.value.kind == PythonExpr::Kind::call && !s.value.text.empty() &&
                     s.value.text.find('.') == std::string::npos && is_fx_digit(s.value.text.back());
  for (std::size_t k = first; k < draft_.graph.steps.size(); ++k) {
    Step& step = draft_.graph.steps[k];
    step.unit = unit_;
    step.fused = fused;
    step.line = s.line;
    step.source = StepSource{s.loc, s.code};
    for (ValueId id : step.results) {
      draft_.graph.values[id.index].from = Value::From::step;
      draft_.graph.values[id.index].at = static_cast<std::uint32_t>(k);
    }
    if (step.results.empty()) step.extras.edit().id = draft_.free_name(fmt::format("line{}", s.line));
    if (k > first) {
      step.extras.edit().after.push_back(draft_.step_name(static_cast<std::uint32_t>(k - 1)));
    } else {
      for (const std::uint32_t other : after) step.extras.edit().after.push_back(draft_.step_name(other));
    }
  }
  const bool any = draft_.graph.steps.size() > first;
  names_.mark_done(s.target,
                   any ? std::vector{static_cast<std::uint32_t>(draft_.graph.steps.size() - 1)} : after);
}

/// True if the statement depends on a gradient (in the forward part). Its targets then do as well.
bool ThunderBuilder::skipped(const Statement& s) {
  const auto depends = [&](const auto& self, const PythonExpr& expr) -> bool {
    if (expr.kind == PythonExpr::Kind::name && skipped_.contains(expr.text)) return true;
    return std::ranges::any_of(expr.items, [&](const PythonExpr& e) { return self(self, e); }) ||
           std::ranges::any_of(expr.entries, [&](const auto& e) { return self(self, e.second); });
  };
  const bool asks = s.value.kind == PythonExpr::Kind::call && s.value.text.ends_with("get_grad");
  if (!asks && !depends(depends, s.value)) return false;
  const auto note = [&](const auto& self, const PythonExpr& expr) -> void {
    if (expr.kind == PythonExpr::Kind::name) skipped_.insert(expr.text);
    for (const PythonExpr& item : expr.items) self(self, item);
  };
  note(note, s.target);
  return true;
}

void ThunderBuilder::drop(const Statement& s) {
  const auto erase = [&](const PythonExpr& expr) {
    if (expr.kind != PythonExpr::Kind::name) return fail(expr.at, "expected a name");
    if (names_.top().erase(expr.text) == 0 && !skipped_.contains(expr.text))
      fail(expr.at, "'" + expr.text + "' is not bound");
  };
  if (s.value.kind == PythonExpr::Kind::sequence) {
    for (const PythonExpr& item : s.value.items) erase(item);
  } else {
    erase(s.value);
  }
}

ThunderThing ThunderBuilder::element(const Thing& from, std::size_t k, const PythonExpr& target) {
  if (from.kind == Thing::Kind::sequence) return from.items[k];
  Thing out;
  out.source = from.source;
  const auto said = trace_->types.find(target.text);
  auto type = said == trace_->types.end() ? std::nullopt : thunder_tensor_type(said->second);
  if (!type) return out;
  // Gradients are numbered by position, which counts results that need no gradient too.
  const std::size_t place = from.source == "grad" ? k : taken_[from.source]++;
  const std::string name = fmt::format("{}_{}", from.source.empty() ? "given" : from.source, place);
  return Thing::of(draft_.gradient(name, std::move(type)));
}

/// `C0, C1, = saved_for_backward`
void ThunderBuilder::unpack(const Statement& s) {
  const Thing* from = names_.find(s.value.text);
  if (from == nullptr) return fail(s.value.at, "'" + s.value.text + "' is not bound");
  const Thing whole = *from;
  if (whole.kind == Thing::Kind::tensor || whole.kind == Thing::Kind::argument)
    return fail(s.value.at, "'" + s.value.text + "' is no collection");
  if (whole.kind == Thing::Kind::sequence && whole.items.size() != s.target.items.size())
    return fail(s.at, fmt::format("{} names for {} values", s.target.items.size(), whole.items.size()));
  for (std::size_t k = 0; k < s.target.items.size(); ++k) {
    const PythonExpr& target = s.target.items[k];
    names_.bind(target, element(whole, k, target));
  }
}

/// A returned name without a definition is modelled as the result of an unknown operator.
void ThunderBuilder::flatten(const Thing& thing, std::vector<Arg>& into) {
  switch (thing.kind) {
    case Thing::Kind::tensor:
      into.push_back(Arg::of(thing.id));
      return;
    case Thing::Kind::argument:
      into.push_back(thing.argument);
      return;
    case Thing::Kind::other: {
      const ValueId id = draft_.new_value("unknown", std::nullopt, ThunderLayout::open);
      draft_.graph.values[id.index].from = Value::From::step;
      draft_.graph.values[id.index].at = static_cast<std::uint32_t>(draft_.graph.steps.size());
      Step step = thunder_step({"thunder.unknown_result"});
      step.results = {id};
      draft_.graph.steps.push_back(std::move(step));
      into.push_back(Arg::of(id));
      return;
    }
    case Thing::Kind::sequence:
      for (const Thing& item : thing.items) flatten(item, into);
  }
}

void ThunderBuilder::flatten(const PythonExpr& expr, std::vector<Arg>& into) {
  if (expr.kind == PythonExpr::Kind::dict) {
    for (const auto& [key, value] : expr.entries) flatten(value, into);
    return;
  }
  if (expr.kind == PythonExpr::Kind::sequence) {
    for (const PythonExpr& item : expr.items) flatten(item, into);
    return;
  }
  bool ok = true;
  const Thing thing = names_.resolve(expr, ok);
  if (!ok) return fail_unbound(expr);
  flatten(thing, into);
}

/// Keeps the outputs of `{'output': ..., 'flat_args': ..., 'fw_flat_out': ...}` or of a plain value.
void ThunderBuilder::keep_outputs(const PythonExpr& value) {
  const PythonExpr* output = value.entry("output");
  const PythonExpr* results = value.entry("fw_flat_out");
  const bool forward = part_ == ThunderPart::forward && results != nullptr;
  if (!forward) flatten(output != nullptr ? *output : value, outputs_);
  if (results != nullptr) flatten(*results, outputs_);
}

void ThunderBuilder::leave(const Statement& s, bool last) {
  if (left_) return fail(s.at, "a second return");
  left_ = true;
  const bool pair = s.value.kind == PythonExpr::Kind::sequence && s.value.items.size() == 2 &&
                    s.value.items[0].kind == PythonExpr::Kind::dict;
  const PythonExpr& value = pair ? s.value.items[0] : s.value;
  keep_outputs(value);
  if (failed()) return;
  if (pair) {
    bool ok = true;
    saved_ = names_.resolve(s.value.items[1], ok);
    if (!ok) return fail_unbound(s.value.items[1]);
    if (part_ == ThunderPart::saving) flatten(saved_, outputs_);
  }
  const PythonExpr* arguments = value.entry("flat_args");
  if (arguments != nullptr && part_ == ThunderPart::whole)
    each_thunder_name(*arguments, [&](const std::string& name) {
      if (names_.find(name) == nullptr) fail(arguments->at, "'" + name + "' is not bound");
    });
  const bool movable = arguments != nullptr && !pair && part_ == ThunderPart::whole;
  if (last && !movable) return;
  ++unit_;
  Emit what{"prims.return.default", outputs_};
  std::vector<std::uint32_t> after;
  names_.gather(s.value, after);
  std::ranges::sort(after);
  after.erase(std::unique(after.begin(), after.end()), after.end());
  const std::size_t first = draft_.graph.steps.size();
  draft_.graph.steps.push_back(thunder_step(std::move(what)));
  close_unit(first, after, s);
}

/// Fails with the first name in `expr` that is not bound.
void ThunderBuilder::fail_unbound(const PythonExpr& expr) {
  bool ok = true;
  names_.resolve(expr, ok);
  if (ok || failed()) return;
  for (const PythonExpr& item : expr.items) fail_unbound(item);
  if (expr.items.empty()) fail(expr.at, "'" + expr.text + "' is not bound");
}

/// Fails for an unbound name if the trace binds it elsewhere, or if it looks like a tensor's.
void ThunderBuilder::check_bound(const PythonExpr& expr) {
  if (expr.kind == PythonExpr::Kind::name && names_.find(expr.text) == nullptr) {
    const bool digits = expr.text.size() > 1 && std::ranges::all_of(expr.text.substr(1), is_fx_digit);
    if (targets_.contains(expr.text) || (expr.text[0] == 't' && digits))
      fail(expr.at, "'" + expr.text + "' is not bound");
  }
  for (const PythonExpr& item : expr.items) check_bound(item);
  for (const PythonEntry& entry : expr.entries) check_bound(entry.second);
}

ThunderGraph ThunderBuilder::finish() {
  ThunderGraph out;
  outputs_.insert(outputs_.end(), forward_outputs_.begin(), forward_outputs_.end());
  draft_.graph.outputs = std::move(outputs_);
  out.graph = std::move(draft_.graph);
  out.ops = std::move(draft_.ops);
  out.assumed = std::move(draft_.assumed);
  out.believed = draft_.believed;
  out.undefined = std::move(draft_.undefined);
  out.untold = untold_;
  return out;
}

}  // namespace noclobber
