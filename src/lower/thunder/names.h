// The meanings of names and literals of a trace.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/formats/thunder/text.h"
#include "src/graph/case.h"

namespace noclobber {

/// The meaning of a name while a trace is read.
struct ThunderThing {
  enum class Kind : std::uint8_t { other, tensor, argument, sequence };
  Kind kind = Kind::other;
  ValueId id;                        // tensor
  Arg argument;                      // argument: a number, a dtype, ...
  std::vector<ThunderThing> items;   // sequence
  std::string source;                // other: kind of its elements, "saved" or "grad"
  std::vector<std::uint32_t> after;  // steps after which the name can be read

  static ThunderThing of(ValueId id);
  static ThunderThing of(Arg argument);
  bool is_tensor() const { return kind == Kind::tensor; }
};

/// The scopes of a trace: its own names, and one nested scope for the lines below each statement.
class ThunderScopes {
 public:
  using Scope = std::map<std::string, ThunderThing, std::less<>>;

  Scope& top() { return scopes_.front(); }
  bool at_top() const { return scopes_.size() == 1; }
  void enter() { scopes_.emplace_back(); }
  void leave() { scopes_.pop_back(); }
  void forget() { scopes_.assign(1, Scope()); }

  const ThunderThing* find(std::string_view name) const;
  /// `ok` becomes false if a name is not bound.
  ThunderThing resolve(const PythonExpr& expr, bool& ok) const;
  void bind(const PythonExpr& target, const ThunderThing& thing);
  /// Collects the targets of a statement from the scope of the lines below it. False if a name is missing.
  bool collect(const PythonExpr& target, ThunderThing& into) const;
  /// Appends the steps that must be done before the names in `expr` can be read.
  void gather(const PythonExpr& expr, std::vector<std::uint32_t>& into) const;
  /// Notes that the names of `target` can be read once the steps `after` are done.
  void mark_done(const PythonExpr& target, const std::vector<std::uint32_t>& after);

  void forget_objects() { objects_.clear(); }
  void note_objects(const ThunderStatement& statement);

 private:
  ThunderThing called(const PythonExpr& call) const;
  ThunderThing held(const std::string& object) const;

  std::vector<Scope> scopes_{1};
  std::map<std::string, std::set<std::string>> objects_;  // names of objects, by name without number
};

/// `_DistParallelType_REPLICATED_1`, `_..._ProcessGroup_0`: the name of an enumeration member or a process
/// group, without the number, which is specific to a trace. Empty for another name, or for an object that its
/// class does not identify.
std::optional<std::string> thunder_object(const std::string& name);

}  // namespace noclobber
