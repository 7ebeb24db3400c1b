// Seeded random programs, rewrites that are sound by construction, and rewrites with one planted fault.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/fuzz/random.h"
#include "src/graph/case.h"

namespace noclobber::fuzz {

/// The layout of a value as the generator assumes it. `known`: the strides are certain, so that operators
/// whose legality depends on them may follow.
struct Shown {
  int storage = 0;
  Dtype dtype = Dtype::f32;
  std::vector<std::int64_t> shape, stride;
  std::int64_t offset = 0;
  bool known = true;
  friend bool operator==(const Shown&, const Shown&) = default;
};

/// The type with dtype, shape, strides and offset.
Type type_of(const Shown& at);

/// A program whose values are plain numbers (ValueId(number) in its arguments), easy to rewrite.
struct Draft {
  struct Entry {
    int value = 0;
    std::string name, storage;
    std::optional<std::int64_t> storage_numel;
    std::vector<std::int64_t> contents = {};  // of a constant
  };
  struct Call {
    int result = -1;  // -1: none
    std::string op;
    std::vector<Arg> args;
    std::vector<std::pair<std::string, Arg>> kwargs;
    std::vector<int> more = {};    // results behind the first
    std::vector<Type> types = {};  // of the results, if the operator has no rule for them
    bool barrier = false;          // its results mean the contents at that point

    std::vector<int> results() const;
  };
  std::vector<Entry> inputs;
  std::vector<Call> calls;
  std::vector<int> outputs;
  std::map<int, Shown> shown;
  int values = 0, storages = 0;
  std::string prefix = "v";
  bool rebinds = false;  // a name stands for different views at different points

  Graph graph() const;
  bool is_input_storage(int storage) const;
  /// True if a view of that storage is used by call `from` or later, or returned.
  bool live_after(int storage, std::size_t from) const;
  /// True if a result of the call shares storage with an operand.
  bool is_view(const Call& call) const;
  /// Replaces every use of a value by another one, from call `begin` on and in the outputs.
  void replace(int value, int by, std::size_t begin = 0);
};

/// All tensor operands of a call, in order.
std::vector<int> operands(const Draft::Call& call);
/// The operands that a call may write: those in its schema; all if the schema is known not to declare its
/// writes.
std::vector<int> written(const Draft::Call& call);
inline bool writes(const Draft::Call& call) { return !written(call).empty(); }
/// True if the call draws random numbers or has a side effect outside storage: it may be neither dropped nor
/// moved.
bool is_effect(const Draft::Call& call);
bool contiguous(const Shown& at);
std::int64_t count(const std::vector<std::int64_t>& shape);

enum class Vocabulary : std::uint8_t { small, table };
/// `functional`: only inputs are written, at the very end. `table`: any operator of the vocabulary. `row`: a
/// row of the operator table; the program has a call that the row describes, if that can be run.
Draft random_program(Random& random, bool functional, Vocabulary vocabulary = Vocabulary::small,
                     std::optional<std::size_t> row = std::nullopt);
/// Appends a call of any operator, found by trial; false if none was found.
bool add_table_call(Draft& draft, Random& random);
/// As add_table_call(), for an operator that this row of the table describes.
bool add_call_of_row(Draft& draft, Random& random, std::size_t row);
/// True if the view contains every element at most once.
bool shows_once(const Shown& at);
/// Sets the layouts to those of a run of the program. False if it does not run to its end.
bool refresh(Draft& draft);
/// As refresh(); `bound`: the values that are tensors after the run.
bool run_layouts(Draft& draft, std::set<int>& bound);

/// Applies some rewrites that keep the meaning. Appends their names to `log`.
Draft rewritten(const Draft& program, Random& random, std::string& log);

enum class Fault : std::uint8_t {
  drop_clone,
  drop_write,
  swap_steps,
  shift_offset,
  resize_slice,
  make_in_place,
  other_value,
  drop_write_back,
  alias_output,
  reuse_buffer,
  recompute_later,
  repeat_write,
  item_size,
  uninitialized,
  write_expanded
};
constexpr int kFaults = 15;
std::string_view name(Fault fault);
/// Plants the fault. Empty if the program has no place for it. The fault may still be harmless.
std::optional<Draft> damaged(const Draft& program, Fault fault, Random& random);

Case pair_of_drafts(const Draft& before, const Draft& after);

}  // namespace noclobber::fuzz
