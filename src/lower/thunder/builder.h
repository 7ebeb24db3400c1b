// Builds the Graph of one trace, or of a forward and a backward one. Internal to lower/thunder.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/lower/thunder/draft.h"
#include "src/lower/thunder/graph.h"
#include "src/lower/thunder/names.h"

namespace noclobber {

class ThunderBuilder {
 public:
  using Thing = ThunderThing;
  using Statement = ThunderStatement;

  ThunderBuilder(std::string_view text, const ThunderFacts& facts) : text_(text), facts_(&facts) {}
  void run(const ThunderTrace& trace, ThunderPart part);
  /// Runs the backward of the trace that was run. It sees only what that trace saved.
  void run_backward(const ThunderTrace& trace, std::string_view text);
  ThunderGraph finish();
  bool failed() const { return fault_.has_value(); }
  const Diagnostic& fault() const { return *fault_; }

  // For the rows.
  struct Call {
    const Statement* statement = nullptr;
    std::string name;  // without namespace and "_impl"
    std::vector<Thing> args;
    std::vector<std::pair<std::string, Thing>> kwargs;
    const Thing* keyword(std::string_view key) const;
  };
  struct Emit {
    std::string op;
    std::vector<Arg> args = {};
    std::vector<std::pair<std::string, Arg>> kwargs = {};
    ThunderLayout layout = ThunderLayout::plain;  // of the results
    std::vector<Type> types = {};                 // per result, where the trace prints none
  };
  /// Appends a step with one result that has no name in the trace.
  ValueId emit_part(const Call& call, Emit what);
  /// Appends a step whose results are bound to the names that the call binds.
  void emit(const Call& call, Emit what);
  /// Marks the step that was emitted last as a barrier.
  void mark_barrier() { draft_.graph.steps.back().barrier = true; }
  /// Appends a step without results.
  void emit_effect(const Call& call, Emit what);
  /// Binds the call's name to something that exists already.
  void bind_target(const Call& call, const Thing& thing);
  void bind_gradient(const Call& call);
  void declare(OpDecl decl);
  void assume_pure(const std::string& op);
  const SharedType& type_of(ValueId id) const { return draft_.graph.values[id.index].type; }
  ThunderLayout layout(ValueId id) const { return draft_.layouts[id.index]; }

 private:
  void fail(std::size_t at, std::string message);
  void fail_unbound(const PythonExpr& expr);
  void check_bound(const PythonExpr& expr);
  void bind_parameters(const ThunderTrace& trace);
  void run_statements(const ThunderTrace& trace);
  void statement(const Statement& statement);
  void leave(const Statement& statement, bool last);
  void keep_outputs(const PythonExpr& value);
  void drop(const Statement& statement);
  void unpack(const Statement& statement);
  Thing element(const Thing& from, std::size_t k, const PythonExpr& target);
  bool skipped(const Statement& statement);
  void close_unit(std::size_t first, const std::vector<std::uint32_t>& after, const Statement& statement);
  bool lower(const Statement& statement);
  bool lower_inner(const Statement& statement);
  bool lower_leaf(const Statement& statement);
  bool lower_undefined(const Statement& statement);
  bool lower_rows(const Statement& statement, Call& call);
  void lower_unknown(const Statement& statement);
  bool rename(const Statement& statement);
  void flatten(const Thing& thing, std::vector<Arg>& into);
  void flatten(const PythonExpr& expr, std::vector<Arg>& into);

  std::string_view text_;
  const ThunderFacts* facts_;
  const ThunderTrace* trace_ = nullptr;
  ThunderScopes names_;
  ThunderDraft draft_;
  ThunderPart part_ = ThunderPart::whole;
  std::map<std::string, std::size_t, std::less<>> forward_results_;  // positions of names in fw_flat_out
  std::set<std::string, std::less<>> skipped_;                       // names that depend on gradients
  std::set<std::string, std::less<>> targets_;                       // all names that the trace binds
  std::map<std::string, std::size_t> taken_;                         // number of elements unpacked, by source
  std::vector<Arg> outputs_, forward_outputs_;
  Thing saved_;
  std::uint32_t unit_ = 0;
  bool left_ = false;
  bool untold_ = false;
  std::optional<Diagnostic> fault_;
};

/// A step of this operator with these arguments, without results.
Step thunder_step(ThunderBuilder::Emit what);
/// True if the operator that runs and the lines below it disagree about whether the result is a view. The
/// operator decides: the lines below may compute the same elements in another way. Empty if the lines below
/// leave it open.
std::optional<bool> thunder_shares_otherwise(const Graph& graph, const ThunderScopes& names,
                                             const ThunderStatement& statement, const ThunderMark& mark);
/// The effects of a declared operator besides reading its arguments, by position of its arguments.
struct ThunderFootprint {
  bool pure = true;
  std::span<const std::size_t> written = {};
  std::span<const std::size_t> shared = {};  // its results may be views of these
  std::vector<Type> types = {};              // of its results, where the trace prints none
  ThunderLayout layout = ThunderLayout::plain;
};
/// Appends a step of an operator that is declared here: by default a pure function with fresh results. False
/// if some operand cannot be an argument.
bool emit_thunder_function(ThunderBuilder& builder, const ThunderBuilder::Call& call,
                           ThunderFootprint footprint);
/// True if the call writes something that the lines below it do not; these are not read then.
bool thunder_hides_writes(const ThunderStatement& statement);
/// "prims.copy_" -> "copy_", "torch.nn.functional.relu" -> "relu", "copy_with_setitem_impl" ->
/// "copy_with_setitem", "torch_pad_prim_impl" -> "pad": the prims that the torch executor runs itself.
std::string thunder_stem(const std::string& callee);
/// True for a function or method of PyTorch, and for Thunder's symbol of one.
bool is_torch_call(const std::string& callee);
/// Lowers a call of Thunder's own (prims and executor operators). False if no row fits; nothing is added
/// then.
bool lower_thunder_call(ThunderBuilder& builder, const ThunderBuilder::Call& call);
bool is_thunder_prim(const std::string& name);
/// Lowers a call of a PyTorch function (`torch.mul`, `ltorch.mul`, `Tensor.view`). False if no operator fits;
/// nothing is added then.
bool lower_torch_call(ThunderBuilder& builder, const ThunderBuilder::Call& call);
/// Lowers `NAME_vjp(((a, b), {}), grad)`: the gradients of an operator that Thunder registers automatically
/// (lower/thunder/gradients.cpp).
bool thunder_vjp(ThunderBuilder& builder, const ThunderBuilder::Call& call);
/// The thing as an argument of a step. Empty if it is none (a module, a collection of such).
std::optional<Arg> thunder_argument(const ThunderThing& thing);

}  // namespace noclobber
