// What names and literals of a trace stand for.
#include <algorithm>

#include "src/formats/thunder_builder.h"
#include "src/formats/thunder_writes.h"

namespace noclobber {

namespace {

/// `_DistParallelType_REPLICATED_1`, `_object_3`: printed for what a trace holds and cannot print.
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

const ThunderThing* ThunderBuilder::find(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto at = scope->find(name); at != scope->end()) return &at->second;
  return nullptr;
}

namespace {

/// `devices.Device("cpu")`, `torch.device("cpu")`
std::optional<ThunderThing> device_of(const ThunderExpr& call) {
  const bool device = call.text.ends_with("Device") || call.text.ends_with("device");
  if (!device || call.items.size() != 1 || call.items[0].kind != ThunderExpr::Kind::text) return std::nullopt;
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

/// `slice(None,3,None)`, `complex(1.0, 2.0)`: the name and what is given to it.
ThunderThing ThunderBuilder::called(const ThunderExpr& call) const {
  if (auto device = device_of(call)) return *std::move(device);
  Thing out;
  out.kind = Thing::Kind::sequence;
  out.items.push_back(Thing::of(Arg::of_text(call.text)));
  bool ok = true;
  for (const ThunderExpr& item : call.items) out.items.push_back(resolve(item, ok));
  for (const ThunderEntry& entry : call.entries) {
    out.items.push_back(Thing::of(Arg::of_text(entry.first)));
    out.items.push_back(resolve(entry.second, ok));
  }
  return ok ? out : Thing();
}

/// An object that a trace names. Of several that are called alike nobody can tell which is meant in another
/// trace; members of enumerations and of the only kind of object tell it.
ThunderThing ThunderBuilder::held(const std::string& object) const {
  const auto count = objects_.find(object);
  const bool one = count != objects_.end() && count->second.size() == 1;
  return one ? Thing::of(Arg::of_text(object)) : Thing();
}

ThunderThing ThunderBuilder::resolve(const ThunderExpr& expr, bool& ok) const {
  switch (expr.kind) {
    case ThunderExpr::Kind::integer:
      return Thing::of(Arg::of(SymExpr(expr.integer)));
    case ThunderExpr::Kind::real:
      return Thing::of(Arg::of_real(expr.real));
    case ThunderExpr::Kind::boolean:
      return Thing::of(Arg::of_bool(expr.boolean));
    case ThunderExpr::Kind::none:
      return Thing::of(Arg());
    case ThunderExpr::Kind::text:
      return Thing::of(Arg::of_text(expr.text));
    case ThunderExpr::Kind::ellipsis:
      return Thing::of(Arg::of_text("..."));
    case ThunderExpr::Kind::dict: {
      ThunderExpr entries = expr;
      entries.text = "dict";
      Thing out = called(entries);  // as an argument it is none
      out.kind = Thing::Kind::other;
      return out;
    }
    case ThunderExpr::Kind::opaque:
      return {};
    case ThunderExpr::Kind::call:
      return called(expr);
    case ThunderExpr::Kind::name: {
      if (const Thing* thing = find(expr.text)) return *thing;
      if (const auto object = thunder_object(expr.text)) return held(*object);
      Thing constant = named_constant(expr.text);
      const bool type =
          expr.text == "int" || expr.text == "float" || expr.text == "bool" || expr.text == "complex";
      if (type) return Thing::of(Arg::of_text(expr.text));
      if (is_object(expr.text)) return {};
      ok = ok && (constant.kind != Thing::Kind::other || expr.text.find('.') != std::string::npos);
      return constant;
    }
    case ThunderExpr::Kind::sequence: {
      Thing out;
      out.kind = Thing::Kind::sequence;
      for (const ThunderExpr& item : expr.items) out.items.push_back(resolve(item, ok));
      return out;
    }
  }
  return {};
}

/// Names the first name in `expr` that stands for nothing.
void ThunderBuilder::fail_unbound(const ThunderExpr& expr) {
  bool ok = true;
  resolve(expr, ok);
  if (ok || failed()) return;
  for (const ThunderExpr& item : expr.items) fail_unbound(item);
  if (expr.items.empty()) fail(expr.at, "'" + expr.text + "' is not bound");
}

/// A name that the trace binds elsewhere, or that looks like a tensor's, has to be bound here.
void ThunderBuilder::check_bound(const ThunderExpr& expr) {
  if (expr.kind == ThunderExpr::Kind::name && find(expr.text) == nullptr) {
    const bool digits = expr.text.size() > 1 && std::ranges::all_of(expr.text.substr(1), is_fx_digit);
    if (targets_.contains(expr.text) || (expr.text[0] == 't' && digits))
      fail(expr.at, "'" + expr.text + "' is not bound");
  }
  for (const ThunderExpr& item : expr.items) check_bound(item);
  for (const ThunderEntry& entry : expr.entries) check_bound(entry.second);
}

void ThunderBuilder::note_objects(const Statement& s) {
  each_thunder_name(s.value, [&](const std::string& name) {
    if (const auto object = thunder_object(name)) objects_[*object].insert(name);
  });
  for (const Statement& inner : s.inner) note_objects(inner);
}

}  // namespace noclobber
