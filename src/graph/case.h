// The data model that every reader produces: what a compiler wrote down, before any analysis.
//
//   Case   = before? + after, symbols, relations, declared operators
//   Graph  = inputs, steps in listed order, outputs, final contents
//   Step   = one operator call; its results are Values
//   Value  = a name for a tensor; a step's several results are several Values
//
// Readers resolve names: an Arg refers to a Value by id. A `getitem` of a multi-output step is resolved to
// that step's result and is not a Step. Scalar arithmetic on symbolic sizes is folded into SymExpr.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/base/few.h"
#include "src/base/ids.h"
#include "src/base/shared.h"
#include "src/base/sym.h"
#include "src/graph/dtype.h"
#include "src/graph/plan.h"
#include "src/graph/registers.h"

namespace noclobber {

using ValueId = Id<struct ValueTag>;

/// Logical type of a tensor. Strides and offset count elements.
struct Type {
  enum class Strides : std::uint8_t { contiguous, given, unknown };
  Dtype dtype = Dtype::other;
  Strides strides = Strides::contiguous;  // contiguous: none given, and the format implies it
  std::vector<SymExpr> shape;
  std::vector<SymExpr> stride;  // one per dimension if strides == given, else empty
  SymExpr offset = 0;
  Shared<std::string> device;  // "": not given
  friend bool operator==(const Type&, const Type&) = default;
};

/// The type of a value; empty if the dump gives none. Copies share one Type until one of them is edited.
class SharedType {
 public:
  SharedType() = default;
  SharedType(std::nullopt_t) {}                                       // NOLINT: implicit on purpose
  SharedType(Type type) : at_(new Counted<Type>(std::move(type))) {}  // NOLINT
  SharedType(std::optional<Type> type) {
    if (type) *this = *std::move(type);
  }  // NOLINT
  explicit operator bool() const { return static_cast<bool>(at_); }
  operator std::optional<Type>() const { return at_ ? std::optional(at_->value) : std::nullopt; }  // NOLINT
  const Type& operator*() const { return at_->value; }
  const Type* operator->() const { return &at_->value; }
  /// require: not empty.
  Type& edit() { return own(at_); }
  friend bool operator==(const SharedType& a, const SharedType& b) {
    return a.at_ == b.at_ || (a.at_ && b.at_ && *a == *b);
  }

 private:
  boost::intrusive_ptr<Counted<Type>> at_;
};

/// True if the number of bytes and the offset of the last byte, by the constant sizes and strides, fit 64
/// bits. Symbolic sizes are ignored.
bool is_addressable(const Type& type);

/// An argument of a step, or an output of a graph.
struct Arg {
  enum class Kind : std::uint8_t { none, ref, sym, real, boolean, text, dtype, device, graph, list };
  Kind kind = Kind::none;
  bool boolean = false;           // boolean
  Dtype dtype = Dtype::other;     // dtype
  ValueId ref;                    // ref
  SymExpr sym;                    // sym: every integer, constant or symbolic
  double real = 0;                // real: floats, inf, nan
  Shared<std::string> text;       // text, device ("cpu"), graph (name of a body), memory formats and layouts
  Shared<std::vector<Arg>> list;  // list and tuple

  static Arg of(ValueId value);
  static Arg of(SymExpr value);
  static Arg of_real(double value);
  static Arg of_bool(bool value);
  static Arg of_text(std::string value);
  static Arg of_dtype(Dtype value);
  static Arg of_device(std::string value);
  static Arg of_graph(std::string name);
  static Arg of(std::vector<Arg> list);
  /// Same kind and same content; NaN equals NaN (an Arg is syntax, not a number).
  friend bool operator==(const Arg& a, const Arg& b);
};

/// The items of a list; for any other argument the argument itself. The span refers to `arg`.
inline std::span<const Arg> items_of(const Arg& arg) {
  return arg.kind == Arg::Kind::list ? std::span<const Arg>(arg.list) : std::span<const Arg>(&arg, 1);
}

/// A name for a tensor. Defined by input `at`, or as result number `result` of step `at`.
struct Value {
  enum class From : std::uint8_t { input, step };
  Value() = default;
  Value(std::string text, From where, std::uint32_t number, std::uint32_t of_step = 0, SharedType of = {})
      : name(std::move(text)), from(where), result(of_step), type(std::move(of)) {
    at = number;
  }
  std::string name;
  From from : 1 = From::input;
  std::uint32_t at : 31 = 0;  // no graph has 2^31 steps
  std::uint32_t result = 0;
  SharedType type;  // as the dump gives it
  friend bool operator==(const Value&, const Value&) = default;
};

struct Input {
  enum class Kind : std::uint8_t { user, buffer, parameter, constant };
  enum class Exit : std::uint8_t { as_before, any };
  ValueId value;
  Kind kind = Kind::user;
  std::optional<bool> may_write;             // "mutable"; absent: only if `before` writes it
  std::optional<Exit> exit;                  // absent: the format's default
  std::string storage;                       // inputs with the same name share a storage; "": its own
  std::optional<SymExpr> storage_numel;      // in elements of this input
  std::optional<std::vector<Arg>> contents;  // of a constant, row-major; one element stands for all
  Shared<std::string> digest;                // SHA-256 of the contents in row-major order; "": not known
  Shared<std::string> bytes;                 // the bytes of that digest, if available
  friend bool operator==(const Input&, const Input&) = default;
};

/// Attributes that few steps have.
struct StepExtras {
  std::string id;                  // a name for a step without results
  std::string tells;               // the symbol bound to its scalar result: "zuf0"
  std::vector<std::string> after;  // extra ordering edges: names of results or ids
  std::string stream;
  friend bool operator==(const StepExtras&, const StepExtras&) = default;
};

/// Location of a step in the user's program.
struct StepSource {
  std::string loc;   // "model.py:29 in forward"
  std::string code;  // the user's source line, if the dump has it
  friend bool operator==(const StepSource&, const StepSource&) = default;
};

struct Step {
  Few<ValueId> results;    // [] for none; an invalid id: a result without a name
  Shared<std::string> op;  // "aten.add.Tensor": namespace.name.overload, never without overload
  std::vector<Arg> args;
  Shared<std::vector<std::pair<std::string, Arg>>> kwargs;
  Shared<StepExtras> extras;
  std::uint32_t unit : 30 = 0;  // steps with the same number other than 0 run consecutively
  bool barrier : 1 = false;     // runs after all its operands; its results have the contents then
  bool fused : 1 = false;       // part of a region that the compiler runs as one kernel
  int line = 0;                 // line of the dump, 1-based; 0: the dump is not text
  Shared<StepSource> source;
  friend bool operator==(const Step&, const Step&) = default;
};

/// True for a step that leaves the graph: steps listed after it do not run.
inline bool is_return(const Step& step) { return step.op->starts_with("prims.return"); }

struct Graph {
  std::string name;
  std::vector<Value> values;
  std::vector<Input> inputs;
  std::vector<std::pair<std::string, SymExpr>> numbers;  // scalar parameters and their values, if given
  std::vector<Step> steps;
  std::vector<Arg> outputs;
  std::vector<std::string> output_keys;  // path of each in the caller's result, "['p'][0]"; empty: unknown
  std::vector<std::pair<ValueId, Arg>> finals;  // contents of inputs at exit, stored all at once
  std::map<std::string, Graph> bodies;          // nested graphs of control-flow operators, by name
  std::string device;                           // default for inputs and new tensors; "": unknown

  const Value& value(ValueId id) const;
  /// The value of that name, or an invalid id. Linear in the number of values.
  ValueId find(std::string_view name) const;
  friend bool operator==(const Graph&, const Graph&) = default;
};

/// Makes values of equal type share one Type object, in bodies too. Compares with the 16 latest types only.
void share_types(Graph& graph);

/// Range of one symbol; `max` absent: unbounded.
struct SymbolRange {
  std::int64_t min = 0;
  std::optional<std::int64_t> max;
  std::int64_t multiple_of = 1;
  bool unbacked = false;
  std::optional<std::int64_t> hint;  // a value the compiler saw
  bool told = true;                  // false: mentioned in a text that gives no ranges
  friend bool operator==(const SymbolRange&, const SymbolRange&) = default;
};

/// A declared operator, as in format.md (OPDECL). Texts are kept as written; src/ops interprets them.
struct OpDecl {
  std::string schema;
  std::string functional;
  std::map<std::string, std::string> access;  // per argument name; key "*" for all: "elementwise" | "any"
  bool before_write = false;                  // "when"
  std::optional<std::vector<std::string>> reads_old;
  std::map<std::string, std::string> writes;  // "all" | "some"
  std::vector<std::string> result;            // "fresh" | "view"
  std::vector<std::pair<int, std::string>> may_alias;
  bool pure = true;
  friend bool operator==(const OpDecl&, const OpDecl&) = default;
};

/// One thing to check. For a single graph `before` is absent.
struct Case {
  std::string name;  // a case's own name, or the check's id ("-_0_0_0/post_grad")
  std::string title;
  std::string source;
  std::map<std::string, SymbolRange> symbols;
  std::vector<SymRelation> assume;
  std::vector<OpDecl> ops;
  std::map<std::string, Graph> bodies;
  std::optional<Graph> before;
  Graph after;
  bool dataflow = false;          // "order": any order that the dataflow allows may run
  bool names_are_values = false;  // without `before`: a name means a value, not a storage
  bool compare_strides = false;
  bool sharing_may_grow = false;   // "sharing": "any"
  bool sharing_may_shrink = true;  // not with "sharing": "same"
  /// (output, input): the caller replaces the output by a new view of an input, or copies it into one. So the
  /// output may share this input's storage, and its sharing with other outputs is not observable.
  std::vector<std::pair<std::uint32_t, std::string>> may_share;
  std::optional<Plan> plan;                // where `after` places its values
  std::vector<RegisterProgram> registers;  // programs of the delegates that `after` calls
  std::vector<std::string> assumed;        // assumptions of the reader, as sentences
  bool portable_kernels = false;           // in-place kernels are those of ExecuTorch's portable library
  bool inputs_may_overlap = false;         // unknown whether inputs share storage (bare FX text)
  std::string pass;                        // the transform that made `after`, if known
  bool return_is_last = false;             // its system allows no writing step after the return
  bool every_order = false;                // report a verdict for every order beside that for the listed one
  std::vector<std::string> one_sided;      // used constants whose contents one graph alone gives
  std::vector<std::string> assumed_pure;   // undeclared operators, assumed to be pure
  friend bool operator==(const Case&, const Case&) = default;
};

}  // namespace noclobber
