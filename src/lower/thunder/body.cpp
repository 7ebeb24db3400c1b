// Checks whether the lines printed below a call describe it. The call is what runs. The lines below it are
// remarks, which become stale when a pass renames the call alone.
#include "src/lower/thunder/body.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "src/lower/thunder/writes.h"

namespace noclobber {

namespace {

using Expr = PythonExpr;

/// True if both expressions are printed alike.
bool same_text(const Expr& a, const Expr& b) {
  if (a.kind != b.kind || a.text != b.text || a.integer != b.integer || a.boolean != b.boolean) return false;
  if (!(a.real == b.real || (a.real != a.real && b.real != b.real))) return false;
  const auto entry = [](const PythonEntry& x, const PythonEntry& y) {
    return x.first == y.first && same_text(x.second, y.second);
  };
  return std::ranges::equal(a.items, b.items, same_text) && std::ranges::equal(a.entries, b.entries, entry);
}

/// "_softmax" -> "softmax", "__getitem__" -> "getitem", "_log_softmax_backward_data" ->
/// "log_softmax_backward".
std::string_view plain(std::string_view name) {
  while (name.starts_with('_')) name.remove_prefix(1);
  if (name.ends_with("__")) name.remove_suffix(2);
  if (name.ends_with("_backward_data")) name.remove_suffix(5);
  return name == "sgn" ? "sign" : name;
}

/// True for None and False, which mean the same as a missing argument.
bool says_nothing(const Expr& given) {
  return given.kind == Expr::Kind::none || (given.kind == Expr::Kind::boolean && !given.boolean);
}

/// True if `other` has the same argument under that name, or has none and `given` says nothing.
bool same_keyword(const PythonEntry& given, const Expr& other) {
  const Expr* same = other.entry(given.first);
  return same == nullptr ? says_nothing(given.second) : same_text(given.second, *same);
}

/// True if both calls have the same arguments; an argument of only one call must say nothing.
bool same_arguments(const Expr& call, const Expr& below) {
  const std::size_t count = std::min(call.items.size(), below.items.size());
  for (std::size_t k = 0; k < std::max(call.items.size(), below.items.size()); ++k) {
    const Expr& given = k < call.items.size() ? call.items[k] : below.items[k];
    if (k < count ? !same_text(call.items[k], below.items[k]) : !says_nothing(given)) return false;
  }
  const auto in = [](const Expr& other) {
    return [&other](const PythonEntry& given) { return same_keyword(given, other); };
  };
  return std::ranges::all_of(call.entries, in(below)) && std::ranges::all_of(below.entries, in(call));
}

/// The names of tensors among the arguments of a call, in order.
std::vector<std::string> tensors(const Expr& call, const ThunderAsk& is_tensor) {
  std::vector<std::string> out;
  each_thunder_name(call, [&](const std::string& name) {
    if (is_tensor(name)) out.push_back(name);
  });
  return out;
}

std::optional<double> number(const Expr& expr) {
  if (expr.kind == Expr::Kind::integer) return static_cast<double>(expr.integer);
  if (expr.kind == Expr::Kind::real) return expr.real;
  return std::nullopt;
}

/// True if both are numbers, or both booleans, that differ. A negative integer above may be an axis that is
/// counted from the front below.
bool other_number(const Expr& above, const Expr& below) {
  if (above.kind == Expr::Kind::boolean && below.kind == Expr::Kind::boolean)
    return above.boolean != below.boolean;
  const auto x = number(above), y = number(below);
  if (!x || !y || *x == *y || (*x != *x && *y != *y)) return false;
  const bool integers = above.kind == Expr::Kind::integer && below.kind == Expr::Kind::integer;
  return !integers || *x >= 0 || *y < 0;
}

/// A visitor that adds names to a set.
auto into(ThunderNames& names) {
  return [&names](const std::string& name) { names.insert(name); };
}

}  // namespace

ThunderNames thunder_strange_names(const ThunderStatement& s) {
  ThunderNames known, out;
  each_thunder_name(s.value, into(known));
  for (const ThunderStatement& inner : s.inner) {
    ThunderNames read;
    each_thunder_name(inner.value, into(read));
    std::ranges::set_difference(read, known, std::inserter(out, out.end()));
    each_thunder_name(inner.target, into(known));
  }
  ThunderNames bound;
  each_thunder_name(s.target, into(bound));
  std::ranges::set_difference(bound, known, std::inserter(out, out.end()));
  return out;
}

bool thunder_same_name(std::string_view stem, std::string_view other) { return plain(stem) == plain(other); }

bool thunder_repeats(const ThunderStatement& s, std::string_view stem, std::string_view below) {
  const ThunderStatement& inner = s.inner[0];
  return plain(stem) == plain(below) && same_text(s.target, inner.target) &&
         same_arguments(s.value, inner.value);
}

bool thunder_writes_elsewhere(const ThunderStatement& s) {
  return std::ranges::any_of(s.value.entries, [](const PythonEntry& given) {
    return (given.first == "out" || given.first == "inplace") && !says_nothing(given.second);
  });
}

bool thunder_contradicts(const ThunderStatement& s, std::string_view stem, std::string_view below,
                         const ThunderAsk& is_tensor) {
  const Expr &above = s.value, &inner = s.inner[0].value;
  if (plain(stem) != plain(below)) return false;
  if (tensors(above, is_tensor) != tensors(inner, is_tensor)) return true;
  const std::size_t count = std::min(above.items.size(), inner.items.size());
  for (std::size_t k = 0; k < count; ++k)
    if (other_number(above.items[k], inner.items[k])) return true;
  return std::ranges::any_of(above.entries, [&](const PythonEntry& given) {
    const Expr* other = inner.entry(given.first);
    return other != nullptr && other_number(given.second, *other);
  });
}

}  // namespace noclobber
