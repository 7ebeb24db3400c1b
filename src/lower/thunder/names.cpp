#include "src/lower/thunder/names.h"

#include <algorithm>

#include "src/lower/thunder/builder.h"
#include "src/lower/thunder/writes.h"

namespace noclobber {

namespace {

/// True for `_DistParallelType_REPLICATED_1`, `_object_3`: names printed for objects that cannot be printed.
bool is_object(const std::string& name) {
  const std::size_t number = name.rfind('_');
  const bool numbered = name.starts_with('_') && number > 1 && number + 1 < name.size() &&
                        std::ranges::all_of(name.substr(number + 1), is_fx_digit);
  const bool capital = name.size() > 1 && name[1] >= 'A' && name[1] <= 'Z';
  return name.starts_with("_object_") || name.starts_with("_torch_") || (numbered && capital);
}

}  // namespace

std::optional<std::string> thunder_object(const std::string& name) {
  if (!is_object(name)) return std::nullopt;
  std::string object = name.substr(0, name.rfind('_'));
  const std::string member = object.substr(object.rfind('_') + 1);
  const bool is_member = object.rfind('_') > 0 && std::ranges::all_of(member, [](char c) {
                           return (c >= 'A' && c <= 'Z') || is_fx_digit(c);
                         });
  return is_member || object.ends_with("ProcessGroup") ? std::optional(std::move(object)) : std::nullopt;
}

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

const ThunderThing* ThunderScopes::find(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto at = scope->find(name); at != scope->end()) return &at->second;
  return nullptr;
}

namespace {

/// `devices.Device("cpu")`, `torch.device("cpu")`
std::optional<ThunderThing> device_of(const PythonExpr& call) {
  const bool device = call.text.ends_with("Device") || call.text.ends_with("device");
  if (!device || call.items.size() != 1 || call.items[0].kind != PythonExpr::Kind::text) return std::nullopt;
  return ThunderThing::of(Arg::of_device(call.items[0].text));
}

ThunderThing named_constant(const std::string& name) {
  const bool qualified =
      name.starts_with("dtypes.") || name.starts_with("torch.") || name.starts_with("thunder.");
  if (qualified) {
    if (const auto dtype = thunder_dtype(name)) return ThunderThing::of(Arg::of_dtype(*dtype));
    return ThunderThing::of(Arg::of_text(name));
  }
  return {};
}

}  // namespace

/// `slice(None,3,None)`, `complex(1.0, 2.0)`: a sequence of the name and its arguments.
ThunderThing ThunderScopes::called(const PythonExpr& call) const {
  if (auto device = device_of(call)) return *std::move(device);
  ThunderThing out;
  out.kind = ThunderThing::Kind::sequence;
  out.items.push_back(ThunderThing::of(Arg::of_text(call.text)));
  bool ok = true;
  for (const PythonExpr& item : call.items) out.items.push_back(resolve(item, ok));
  for (const PythonEntry& entry : call.entries) {
    out.items.push_back(ThunderThing::of(Arg::of_text(entry.first)));
    out.items.push_back(resolve(entry.second, ok));
  }
  return ok ? out : ThunderThing();
}

/// An object that a trace names. Unknown if several objects have the same name without number, since they
/// cannot be matched with those of another trace. Members of enumerations and the only object of a kind can
/// be.
ThunderThing ThunderScopes::held(const std::string& object) const {
  const auto count = objects_.find(object);
  const bool one = count != objects_.end() && count->second.size() == 1;
  return one ? ThunderThing::of(Arg::of_text(object)) : ThunderThing();
}

ThunderThing ThunderScopes::resolve(const PythonExpr& expr, bool& ok) const {
  switch (expr.kind) {
    case PythonExpr::Kind::integer:
      return ThunderThing::of(Arg::of(SymExpr(expr.integer)));
    case PythonExpr::Kind::real:
      return ThunderThing::of(Arg::of_real(expr.real));
    case PythonExpr::Kind::boolean:
      return ThunderThing::of(Arg::of_bool(expr.boolean));
    case PythonExpr::Kind::none:
      return ThunderThing::of(Arg());
    case PythonExpr::Kind::text:
      return ThunderThing::of(Arg::of_text(expr.text));
    case PythonExpr::Kind::ellipsis:
      return ThunderThing::of(Arg::of_text("..."));
    case PythonExpr::Kind::dict: {
      PythonExpr entries = expr;
      entries.text = "dict";
      ThunderThing out = called(entries);  // cannot be an argument
      out.kind = ThunderThing::Kind::other;
      return out;
    }
    case PythonExpr::Kind::opaque:
      return {};
    case PythonExpr::Kind::call:
      return called(expr);
    case PythonExpr::Kind::name: {
      if (const ThunderThing* thing = find(expr.text)) return *thing;
      if (const auto object = thunder_object(expr.text)) return held(*object);
      ThunderThing constant = named_constant(expr.text);
      const bool type =
          expr.text == "int" || expr.text == "float" || expr.text == "bool" || expr.text == "complex";
      if (type) return ThunderThing::of(Arg::of_text(expr.text));
      if (is_object(expr.text)) return {};
      ok = ok && (constant.kind != ThunderThing::Kind::other || expr.text.find('.') != std::string::npos);
      return constant;
    }
    case PythonExpr::Kind::sequence: {
      ThunderThing out;
      out.kind = ThunderThing::Kind::sequence;
      for (const PythonExpr& item : expr.items) out.items.push_back(resolve(item, ok));
      return out;
    }
  }
  return {};
}

void ThunderScopes::note_objects(const ThunderStatement& s) {
  each_thunder_name(s.value, [&](const std::string& name) {
    if (const auto object = thunder_object(name)) objects_[*object].insert(name);
  });
  for (const ThunderStatement& inner : s.inner) note_objects(inner);
}

void ThunderScopes::bind(const PythonExpr& target, const ThunderThing& thing) {
  if (target.kind == PythonExpr::Kind::name) {
    if (target.text != "_") scopes_.back()[target.text] = thing;
    return;
  }
  const bool fits = thing.kind == ThunderThing::Kind::sequence && thing.items.size() == target.items.size();
  for (std::size_t k = 0; k < target.items.size(); ++k)
    bind(target.items[k], fits ? thing.items[k] : ThunderThing());
}

bool ThunderScopes::collect(const PythonExpr& target, ThunderThing& into) const {
  if (target.kind == PythonExpr::Kind::name) {
    if (target.text == "_") return true;
    const ThunderThing* thing = find(target.text);
    if (thing == nullptr) return false;
    into = *thing;
    return true;
  }
  into.kind = ThunderThing::Kind::sequence;
  into.items.resize(target.items.size());
  for (std::size_t k = 0; k < target.items.size(); ++k)
    if (!collect(target.items[k], into.items[k])) return false;
  return true;
}

void ThunderScopes::gather(const PythonExpr& expr, std::vector<std::uint32_t>& into) const {
  if (expr.kind == PythonExpr::Kind::name) {
    if (const ThunderThing* thing = find(expr.text))
      into.insert(into.end(), thing->after.begin(), thing->after.end());
  }
  for (const PythonExpr& item : expr.items) gather(item, into);
  for (const auto& [key, value] : expr.entries) gather(value, into);
}

void ThunderScopes::mark_done(const PythonExpr& target, const std::vector<std::uint32_t>& after) {
  if (target.kind == PythonExpr::Kind::name) {
    if (const auto at = scopes_[0].find(target.text); at != scopes_[0].end()) at->second.after = after;
  }
  for (const PythonExpr& item : target.items) mark_done(item, after);
}

}  // namespace noclobber
