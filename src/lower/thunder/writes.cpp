#include "src/lower/thunder/writes.h"

#include <algorithm>

namespace noclobber {

namespace {

using ExprKind = PythonExpr::Kind;

std::string last_part(const std::string& callee) { return callee.substr(callee.rfind('.') + 1); }

}  // namespace

ThunderWrites::ThunderWrites(std::span<const ThunderStatement> statements) {
  for (std::size_t k = 0; k < statements.size(); ++k) note(k, statements[k]);
}

ThunderWrites::Kind ThunderWrites::since(std::size_t at, const std::string& name) const {
  ThunderWrites::Kind out = ThunderWrites::Kind::none;
  const std::string wanted = root(name);
  for (const Write& write : writes_)
    if (write.at >= at && root(write.to) == wanted) out = std::max(out, write.kind);
  return out;
}

ThunderWrites::Kind ThunderWrites::behind_its_back(std::size_t at, const std::string& name) const {
  ThunderWrites::Kind out = ThunderWrites::Kind::none;
  const std::string wanted = root(name);
  std::set<std::string> known;
  for (const Write& write : writes_) {
    if (write.at >= at || write.kind <= out || root(write.to) != wanted) continue;
    if (known.empty()) known = sources_of(name);
    if (!known.contains(write.result)) out = write.kind;
  }
  return out;
}

/// The name, and all names of one tensor that it derives from.
std::set<std::string> ThunderWrites::sources_of(const std::string& name) const {
  std::set<std::string> out{name};
  for (std::vector<std::string> open{name}; !open.empty();) {
    const auto at = from_.find(open.back());
    open.pop_back();
    if (at == from_.end()) continue;
    for (const std::string& from : at->second)
      if (out.insert(from).second) open.push_back(from);
  }
  return out;
}

void ThunderWrites::note(std::size_t at, const ThunderStatement& s) {
  if (const PythonExpr* out = s.value.kind == ExprKind::call ? s.value.entry("out") : nullptr)
    each_thunder_name(*out, [&](const std::string& to) {
      writes_.push_back({at, to, s.target.text, ThunderWrites::Kind::other});
    });
  for (const ThunderStatement& inner : s.inner) note(at, inner);
  if (s.inner.empty()) note_leaf(at, s);
}

void ThunderWrites::note_leaf(std::size_t at, const ThunderStatement& s) {
  if (s.kind != ThunderStatement::Kind::call) return;
  const std::string name = last_part(s.value.text);
  const bool copy = name == "copy_" && s.value.items.size() >= 2;
  if (copy) {
    writes_.push_back({at, s.value.items[1].text, s.target.text, kind_of(s)});
    if (s.target.kind == ExprKind::name) join(s.target.text, s.value.items[1].text);
    return;
  }
  if (s.target.kind == ExprKind::name) made_by_[s.target.text] = &s;
  if (name.ends_with('_'))
    each_thunder_name(s.value, [&](const std::string& to) {
      writes_.push_back({at, to, s.target.text, ThunderWrites::Kind::other});
    });
  if (s.value.kind == ExprKind::call && thunder_result_is_fresh(name)) return;
  // A barrier rebinds each of its arguments, in order.
  const bool each = s.value.items.size() == 1 && s.target.kind == ExprKind::sequence &&
                    s.value.items[0].items.size() == s.target.items.size();
  for (std::size_t k = 0; each && k < s.target.items.size(); ++k)
    join(s.target.items[k].text, s.value.items[0].items[k].text);
  if (!each)
    each_thunder_name(s.target, [&](const std::string& target) {
      each_thunder_name(s.value, [&](const std::string& from) { join(target, from); });
    });
}

/// Classifies a write such as `copy_(add(x, y), x)`.
ThunderWrites::Kind ThunderWrites::kind_of(const ThunderStatement& copy) const {
  const auto made = made_by_.find(copy.value.items[0].text);
  if (made == made_by_.end() || made->second->value.items.size() != 2) return ThunderWrites::Kind::other;
  const PythonExpr& call = made->second->value;
  const std::string name = last_part(call.text);
  if (name != "add" && name != "sub") return ThunderWrites::Kind::other;
  const PythonExpr& to = copy.value.items[1];
  const auto number = [](const PythonExpr& e) {
    return e.kind == ExprKind::integer || e.kind == ExprKind::real;
  };
  const bool first = call.items[0].is_name(to.text), second = call.items[1].is_name(to.text);
  if (first && second) return ThunderWrites::Kind::other;
  if ((first && number(call.items[1])) || (second && number(call.items[0]) && name == "add"))
    return ThunderWrites::Kind::shift;
  if (!first && !(second && name == "add")) return ThunderWrites::Kind::other;
  const std::string other = root(call.items[first ? 1 : 0].text);
  return other == root(to.text) ? ThunderWrites::Kind::other : ThunderWrites::Kind::sum;
}

void ThunderWrites::join(const std::string& name, const std::string& from) {
  if (name != from) from_[name].insert(from);
  const std::string one = root(name), other = root(from);
  if (one != other) parent_[one] = other;
}

std::string ThunderWrites::root(std::string name) const {
  for (auto at = parent_.find(name); at != parent_.end(); at = parent_.find(name)) name = at->second;
  return name;
}

void rename_thunder(PythonExpr& expr, const ThunderRenamed& names) {
  if (expr.kind == PythonExpr::Kind::name)
    if (const auto at = names.find(expr.text); at != names.end()) expr.text = at->second;
  for (PythonExpr& item : expr.items) rename_thunder(item, names);
  for (auto& [key, value] : expr.entries) rename_thunder(value, names);
}

void rename_thunder(ThunderStatement& s, const ThunderRenamed& names) {
  rename_thunder(s.value, names);
  ThunderRenamed inside = names;
  for (ThunderStatement& inner : s.inner) {
    rename_thunder(inner, inside);
    each_thunder_name(inner.target, [&](const std::string& name) { inside.erase(name); });
  }
}

}  // namespace noclobber
