// Tensors that a trace reads while their name is not bound: before their definition, after their `del`, or in
// a region from which a pass removed the line that defines them.
#include <algorithm>
#include <set>

#include "src/lower/thunder/graph.h"
#include "src/lower/thunder/writes.h"

namespace noclobber {

namespace {

using UndefinedTypes = std::map<std::string, std::string>;

void note_types(const ThunderStatement& s, UndefinedTypes& out) {
  if (s.target.kind == PythonExpr::Kind::name && !s.type.empty()) out.emplace(s.target.text, s.type);
  for (const ThunderStatement& inner : s.inner) note_types(inner, out);
}

/// The names bound at a place, and those bound by the enclosing lines.
struct Bound {
  const Bound* around = nullptr;
  std::set<std::string> names = {};
  bool has(const std::string& name) const {
    return names.contains(name) || (around != nullptr && around->has(name));
  }
};

/// True for `[t6] = TorchCompile0(t4)`, and for `TorchCompile0(t4)`, whose result is not read.
bool is_region(const ThunderStatement& s) {
  const std::string& callee = s.value.text;
  return s.value.kind == PythonExpr::Kind::call && callee.find('.') == std::string::npos && !callee.empty() &&
         is_fx_digit(callee.back()) && (s.target.kind == PythonExpr::Kind::none || s.target.list);
}

/// Rewrites a trace with a statement before the first use of each name that is not bound.
class UndefinedNames {
 public:
  UndefinedNames(const ThunderTrace& trace, const UndefinedTypes& types, const std::set<std::string>& given)
      : out_(trace), types_(types), given_(given) {
    for (const auto& [name, type] : thunder_types(trace)) types_.emplace(name, type);
    Bound bound;
    bound.names.insert(trace.parameters.begin(), trace.parameters.end());
    out_.statements.clear();
    for (const ThunderStatement& s : trace.statements) outer(s, bound);
  }

  ThunderTrace trace() const { return out_; }
  UndefinedTypes found() const { return found_; }

 private:
  void outer(const ThunderStatement& s, Bound& bound) {
    if (s.kind == ThunderStatement::Kind::drop) {
      each_thunder_name(s.value, [&](const std::string& name) { bound.names.erase(name); });
      return out_.statements.push_back(s);
    }
    define(s, bound, out_.statements);
    out_.statements.push_back(s);
    out_.statements.back().inner = below(s, bound);
    each_thunder_name(s.target, [&](const std::string& name) { bound.names.insert(name); });
  }

  /// The lines of a region are what runs; below other calls they are remarks.
  std::vector<ThunderStatement> below(const ThunderStatement& s, const Bound& around) {
    if (!is_region(s)) return s.inner;
    Bound bound{&around};
    std::vector<ThunderStatement> out;
    for (const ThunderStatement& inner : s.inner) {
      define(inner, bound, out);
      out.push_back(inner);
      each_thunder_name(inner.target, [&](const std::string& name) { bound.names.insert(name); });
    }
    return out;
  }

  void define(const ThunderStatement& use, Bound& bound, std::vector<ThunderStatement>& into) {
    each_thunder_name(use.value, [&](const std::string& name) {
      if (bound.has(name) || !is_tensor(name)) return;
      bound.names.insert(name);
      const auto type = types_.find(name);
      found_[name] = type == types_.end() ? "" : type->second;
      into.push_back(definition(use, name));
    });
  }

  bool is_tensor(const std::string& name) const {
    const auto type = types_.find(name);
    if (type != types_.end()) return thunder_tensor_type(type->second).has_value();
    return name.size() > 1 && name[0] == 't' && std::ranges::all_of(name.substr(1), is_fx_digit);
  }

  ThunderStatement definition(const ThunderStatement& use, const std::string& name) const {
    ThunderStatement out;
    out.at = use.at, out.line = use.line;
    out.loc = use.loc, out.code = use.code;
    out.type = found_.at(name);
    out.target.kind = PythonExpr::Kind::name;
    out.target.text = name;
    out.value.kind = PythonExpr::Kind::call;
    out.value.text = given_.contains(name) ? std::string(kThunderGivenName)
                     : out.type.empty()    ? name + std::string(kThunderUnbound)
                                           : std::string(kThunderUndefinedName);
    return out;
  }

  ThunderTrace out_;
  UndefinedTypes types_, found_;
  const std::set<std::string>& given_;
};

}  // namespace

std::map<std::string, std::string> thunder_types(const ThunderTrace& trace) {
  UndefinedTypes out = trace.types;
  for (const ThunderStatement& s : trace.statements) note_types(s, out);
  return out;
}

std::map<std::string, std::string> thunder_undefined(const ThunderTrace& trace) {
  return UndefinedNames(trace, {}, {}).found();
}

ThunderTrace with_undefined(const ThunderTrace& trace, const std::map<std::string, std::string>& types,
                            const std::set<std::string>& given) {
  return UndefinedNames(trace, types, given).trace();
}

}  // namespace noclobber
