// What names and literals of a trace stand for.
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

/// What a name stands for while a trace is read.
struct ThunderThing {
  enum class Kind : std::uint8_t { other, tensor, argument, sequence };
  Kind kind = Kind::other;
  ValueId id;                        // tensor
  Arg argument;                      // argument: a number, a dtype, ...
  std::vector<ThunderThing> items;   // sequence
  std::string source;                // other: what unpacking it gives, "saved" or "grad"
  std::vector<std::uint32_t> after;  // steps at which what binds the name is done

  static ThunderThing of(ValueId id);
  static ThunderThing of(Arg argument);
  bool is_tensor() const { return kind == Kind::tensor; }
};

/// The names of a trace, and those below a statement in a scope of their own.
class ThunderScopes {
 public:
  using Scope = std::map<std::string, ThunderThing, std::less<>>;

  Scope& top() { return scopes_.front(); }
  bool at_top() const { return scopes_.size() == 1; }
  void enter() { scopes_.emplace_back(); }
  void leave() { scopes_.pop_back(); }
  void forget() { scopes_.assign(1, Scope()); }

  const ThunderThing* find(std::string_view name) const;
  /// `ok` becomes false where a name stands for nothing.
  ThunderThing resolve(const PythonExpr& expr, bool& ok) const;
  void bind(const PythonExpr& target, const ThunderThing& thing);
  /// What a statement binds, from the scope of what it is made of; false: a name is missing.
  bool collect(const PythonExpr& target, ThunderThing& into) const;
  /// Steps that must be done before the names in `expr` can be read.
  void gather(const PythonExpr& expr, std::vector<std::uint32_t>& into) const;
  /// The names of `target` can be read once the steps `after` are done.
  void mark_done(const PythonExpr& target, const std::vector<std::uint32_t>& after);

  void forget_objects() { objects_.clear(); }
  void note_objects(const ThunderStatement& statement);

 private:
  ThunderThing called(const PythonExpr& call) const;
  ThunderThing held(const std::string& object) const;

  std::vector<Scope> scopes_{1};
  std::map<std::string, std::set<std::string>> objects_;  // names of objects, without their number
};

/// `_DistParallelType_REPLICATED_1`, `_..._ProcessGroup_0`: a member of an enumeration or a group of
/// processes, without the number, which is a trace's own. Nothing: another name, or an object of which its
/// class says too little.
std::optional<std::string> thunder_object(const std::string& name);

}  // namespace noclobber
