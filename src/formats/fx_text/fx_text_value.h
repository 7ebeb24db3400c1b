// Values in FX text: arguments, outputs, and the scalar arithmetic on symbolic sizes.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/formats/fx_text/fx_text_names.h"
#include "src/text/python_expr.h"

namespace noclobber {

/// A Python operator on values that are not all scalars: "add" of a tensor and a number.
struct FxOperation {
  std::string name;  // as in Python's module `operator`
  std::vector<Arg> args;
};

constexpr std::size_t kFxLargestFold = 1000;  // bound on the nodes of computed expressions

/// The result of a function of scalars. On integers, max, min, sum, int, neg and most of Python's operators
/// are interpreted; all else stays opaque. Empty if an argument is no scalar, or on expressions of more than
/// kFxLargestFold nodes. (fx_text_scalar.cpp)
std::optional<Arg> fx_scalar_call(std::string_view function, const std::vector<Arg>& args);
/// The scalar of a statement: that of its annotation, unless its code computes a different one.
Arg fx_settled(const Arg& said, Arg computed);
/// The result of a query of a tensor's size, stride or numel, by its type; empty if unknown.
std::optional<SymExpr> fx_size(const Graph& graph, const Step& step);
/// True for functions that only take and return scalars: torch.sym_max, math.ceil, int.
bool fx_is_scalar_function(std::string_view path);

/// Reads values as arguments of steps, in one pass (PythonReader).
class FxValues {
 public:
  FxValues(FxCursor& cursor, FxNames& names)
      : cursor_(cursor), names_(names), reader_(cursor, *this, kDeepest) {}
  FxValues(const FxValues&) = delete;
  FxValues& operator=(const FxValues&) = delete;

  /// Reads one value. An expression that is no value (`x.shape`, `x + y` of tensors) becomes Kind::none, and
  /// `unread` describes it; if it is a single operator, that is in `operation` as well.
  Arg value();
  std::string unread;
  std::optional<FxOperation> operation;
  bool waits = false;  // the next argument lists values that are waited for but not read
  /// The same for `left SIGN right` with Python's sign.
  Arg apply(std::string_view sign, const Arg& left, const Arg& right) { return binary(sign, left, right); }
  /// `(a, b, k = c)` with the parentheses.
  void arguments(std::vector<Arg>& args, std::vector<std::pair<std::string, Arg>>& kwargs);
  void arguments(Step& step);

 private:
  friend class PythonReader<FxValues>;
  using Value = Arg;
  using Keywords = std::vector<std::pair<std::string, Arg>>;
  static constexpr bool kOverLines = true, kOperators = true, kTrailers = false, kObjects = true;
  static constexpr int kDeepest = 100;

  void begins_value();
  void took_positional() { waits = false; }
  bool grouped(Arg& out);
  Arg number(std::string_view digits, bool negative, std::size_t at);
  Arg text(std::string value, std::size_t /*at*/) { return Arg::of_text(std::move(value)); }
  Arg ellipsis(std::size_t /*at*/) { return Arg::of_text("Ellipsis"); }
  Arg unary(char sign, const Arg& inner);
  Arg binary(std::string_view sign, const Arg& left, const Arg& right);
  bool calls(std::string_view path) const;
  Arg name(std::string_view path, std::size_t at);
  Arg call(std::string_view head, std::vector<Arg> args, Keywords kwargs, std::size_t at);
  Arg sequence(std::vector<Arg> items, bool /*brackets*/, std::size_t /*at*/) {
    return Arg::of(std::move(items));
  }
  Arg dict(std::size_t /*at*/) { return Arg::of(std::vector<Arg>()); }
  void entry(Arg& dict, Arg key, Arg content) {
    dict.list.edit().push_back(Arg::of({std::move(key), std::move(content)}));
  }
  Arg object();
  Arg constant(std::string_view path);
  Arg unfolded(std::string_view what);
  Arg unfolded(std::string_view what, std::string_view name, std::vector<Arg> args);

  FxCursor& cursor_;
  FxNames& names_;
  PythonReader<FxValues> reader_;
  std::size_t count_ = 0;  // of values read
};

}  // namespace noclobber
