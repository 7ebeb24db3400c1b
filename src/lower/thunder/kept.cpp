// The meaning of the gradients of a joint trace: they belong to the values that its forward statements read.
#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "src/lower/thunder/graph.h"
#include "src/lower/thunder/writes.h"

namespace noclobber {

namespace {

using Renamed = ThunderRenamed;

bool calls(const ThunderStatement& s, std::string_view callee) {
  return s.value.kind == PythonExpr::Kind::call && s.value.text.ends_with(callee);
}

/// In-place operators end in "_", and so does `copy_`, to which they are lowered.
bool writes(const ThunderStatement& s) { return calls(s, "_") || std::ranges::any_of(s.inner, writes); }

bool asks_gradient(const ThunderStatement& s) {
  return calls(s, "get_grad") || std::ranges::any_of(s.inner, asks_gradient);
}

/// The last place where the value of a name is known, and its type.
struct Known {
  std::size_t at = 0;  // number of statements before the place
  std::string type;
};

class Kept {
 public:
  explicit Kept(const ThunderTrace& joint)
      : joint_(joint),
        cut_(static_cast<std::size_t>(std::ranges::find_if(joint.statements, asks_gradient) -
                                      joint.statements.begin())),
        writes_(std::span(joint.statements).first(cut_)) {
    const auto& all = joint.statements;
    for (const std::string& name : joint.parameters)
      if (const auto type = joint.types.find(name); type != joint.types.end())
        known_[name] = {0, type->second};
    for (std::size_t k = 0; k < cut_; ++k) note(all[k], k + 1);
  }

  ThunderTrace trace() const {
    const Renamed names = wanted(), results = returned();
    Copies copies(names.begin(), names.end());
    copies.insert(results.begin(), results.end());
    return with(copies, names, results);
  }

  std::optional<ThunderTrace> missing() const {
    Copies marks;
    for (std::size_t k = 0; k < cut_; ++k) not_followed(joint_.statements[k], k, marks);
    return marks.empty() ? std::nullopt : std::optional(with(marks, {}, {}));
  }

 private:
  using Copies = std::set<std::pair<std::string, std::string>>;

  /// The trace with copies of some names, each at the last place where its value is known. Backward
  /// statements read the copies.
  ThunderTrace with(const Copies& copies, const Renamed& names, const Renamed& results) const {
    ThunderTrace out = joint_;
    out.statements.clear();
    for (std::size_t k = 0; k <= joint_.statements.size(); ++k) {
      for (const auto& [name, kept] : copies)
        if (known_.at(name).at == k) out.statements.push_back(copy_of(name, kept, k));
      if (k == joint_.statements.size()) break;
      out.statements.push_back(joint_.statements[k]);
      if (out.statements.back().kind == ThunderStatement::Kind::leave)
        for (auto& [key, value] : out.statements.back().value.entries)
          if (key == "fw_flat_out") rename_thunder(value, results);
      if (k < cut_ || out.statements.back().kind != ThunderStatement::Kind::call) continue;
      rename_thunder(out.statements.back(), calls(out.statements.back(), "get_grad") ? results : names);
    }
    return out;
  }

  void note(const ThunderStatement& s, std::size_t behind) {
    const bool barrier = calls(s, "update_aliases");
    if (!barrier && !writes(s))
      each_thunder_name(s.value, [&](const std::string& name) {
        if (const auto at = known_.find(name); at != known_.end()) at->second.at = behind;
      });
    if (s.target.kind == PythonExpr::Kind::name) known_[s.target.text] = {behind, s.type};
    if (s.target.kind != PythonExpr::Kind::sequence || !barrier || s.value.items.size() != 1) return;
    const std::vector<PythonExpr>& from = s.value.items[0].items;
    for (std::size_t k = 0; k < std::min(from.size(), s.target.items.size()); ++k)
      if (const auto at = known_.find(from[k].text); at != known_.end())
        known_[s.target.items[k].text] = {behind, at->second.type};
  }

  /// Collects names that a statement reads after a write through a name they do not derive from: derivatives,
  /// which follow names, miss the write.
  void not_followed(const ThunderStatement& s, std::size_t k, Copies& out) const {
    for (const ThunderStatement& inner : s.inner) not_followed(inner, k, out);
    const auto type = thunder_tensor_type(s.type);
    const bool real = type && (is_floating(type->dtype) || is_complex(type->dtype));
    if (!s.inner.empty() || s.kind != ThunderStatement::Kind::call || !real) return;
    const auto look = [&](const std::string& name) {
      if (known_.contains(name) && writes_.behind_its_back(k, name) > ThunderWrites::Kind::shift)
        out.emplace(name, name + std::string(kBehind));
    };
    if (calls(s, "copy_") && !s.value.items.empty()) return each_thunder_name(s.value.items[0], look);
    each_thunder_name(s.value, look);
  }

  /// Tensors of the forward statements that backward statements read.
  Renamed wanted() const {
    Renamed out;
    for (std::size_t k = cut_; k < joint_.statements.size(); ++k) read_by(joint_.statements[k], out);
    return out;
  }

  /// Results whose gradients are requested. These are gradients of the values kept under their names, so the
  /// kept values must be returned.
  Renamed returned() const {
    std::set<std::string> results;
    for (const ThunderStatement& s : joint_.statements)
      if (const PythonExpr* all = s.value.entry("fw_flat_out");
          s.kind == ThunderStatement::Kind::leave && all)
        each_thunder_name(*all, [&](const std::string& name) { results.insert(name); });
    Renamed out;
    for (std::size_t k = cut_; k < joint_.statements.size(); ++k)
      if (calls(joint_.statements[k], "get_grad"))
        each_thunder_name(joint_.statements[k].value, [&](const std::string& name) {
          if (results.contains(name)) keep_result(joint_.statements[k], name, out);
        });
    return out;
  }

  /// A number that is added to a result later does not change its gradient. An added tensor has a gradient of
  /// its own, and a gradient that is never read may not be missing at all: the meaning is unknown in both
  /// cases.
  void keep_result(const ThunderStatement& asked, const std::string& name, Renamed& out) const {
    const auto at = known_.find(name);
    if (at == known_.end()) return;
    const ThunderWrites::Kind kind = writes_.since(at->second.at, name);
    if (kind == ThunderWrites::Kind::shift) return;
    keep(name, out);
    const bool open =
        kind == ThunderWrites::Kind::sum || (kind == ThunderWrites::Kind::other && !read(asked));
    if (const auto kept = out.find(name); open && kept != out.end()) kept->second = name + std::string(kOpen);
  }

  bool read(const ThunderStatement& gradient) const {
    bool out = false;
    for (const ThunderStatement& s : joint_.statements)
      each_thunder_name(s.value,
                        [&](const std::string& name) { out = out || gradient.target.is_name(name); });
    return out;
  }

  void keep(const std::string& name, Renamed& out) const {
    const auto at = known_.find(name);
    if (at != known_.end() && thunder_tensor_type(at->second.type)) out.emplace(name, name + "__kept");
  }

  void read_by(const ThunderStatement& s, Renamed& out) const {
    if (s.kind != ThunderStatement::Kind::call || calls(s, "get_grad")) return;
    each_thunder_name(s.value, [&](const std::string& name) { keep(name, out); });
    for (const ThunderStatement& inner : s.inner) read_by(inner, out);
  }

  ThunderStatement copy_of(const std::string& name, const std::string& kept, std::size_t k) const {
    ThunderStatement out;
    const ThunderStatement& near = joint_.statements[k == 0 ? 0 : k - 1];
    out.at = near.at;
    out.line = near.line;
    out.loc = near.loc;
    out.code = near.code;
    out.type = known_.at(name).type;
    out.target.kind = PythonExpr::Kind::name;
    out.target.text = kept;
    PythonExpr from = out.target;
    from.text = name;
    out.value.kind = PythonExpr::Kind::call;
    out.value.text = kept.ends_with(kOpen)     ? "with_gradient_of_later_writes"
                     : kept.ends_with(kBehind) ? "gradients.of_a_tensor_written_by_another_name"
                                               : "prims.clone";
    out.value.items = {from};
    return out;
  }

  static constexpr std::string_view kOpen = "__open", kBehind = "__behind";
  const ThunderTrace& joint_;
  std::size_t cut_ = 0;
  ThunderWrites writes_;
  std::map<std::string, Known> known_;
};

}  // namespace

ThunderTrace with_kept_values(const ThunderTrace& joint) { return Kept(joint).trace(); }

std::optional<ThunderTrace> with_missed_gradients(const ThunderTrace& joint) { return Kept(joint).missing(); }

}  // namespace noclobber
