// Seeded random programs, rewrites that are right by construction, and rewrites with one planted fault.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/graph/case.h"

namespace noclobber::testing {

/// splitmix64: the same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  std::uint64_t next();
  /// 0 <= result < bound; bound > 0.
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(bound));
  }
  std::int64_t between(std::int64_t least, std::int64_t most) { return least + below(most - least + 1); }
  bool chance(int percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

/// Layout of a value as this generator believes it. `known`: strides are certain, so that operators whose
/// legality depends on them may follow.
struct Shown {
  int storage = 0;
  Dtype dtype = Dtype::f32;
  std::vector<std::int64_t> shape, stride;
  std::int64_t offset = 0;
  bool known = true;
  friend bool operator==(const Shown&, const Shown&) = default;
};

/// A program whose values are plain numbers (ValueId(number) in its arguments), easy to rewrite.
struct Draft {
  struct Entry {
    int value = 0;
    std::string name, storage;
    std::optional<std::int64_t> storage_numel;
  };
  struct Call {
    int result = 0;
    std::string op;
    std::vector<Arg> args;
    std::vector<std::pair<std::string, Arg>> kwargs;
  };
  std::vector<Entry> inputs;
  std::vector<Call> calls;
  std::vector<int> outputs;
  std::map<int, Shown> shown;
  int values = 0, storages = 0;
  std::string prefix = "v";

  Graph graph() const;
  bool is_input_storage(int storage) const;
  /// Is a view of that storage used by call `from` or later, or returned?
  bool live_after(int storage, std::size_t from) const;
  /// Every use of a value from call `begin` on, and in the outputs, becomes a use of another.
  void replace(int value, int by, std::size_t begin = 0);
};

bool writes(const Draft::Call& call);
bool is_view(const Draft::Call& call);
std::vector<int> operands(const Draft::Call& call);
bool contiguous(const Shown& at);
std::int64_t count(const std::vector<std::int64_t>& shape);

/// `functional`: nothing is written but inputs, at the very end.
Draft random_program(Random& random, bool functional);

/// Some rewrites that keep the meaning. What was done is appended to `log`.
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
  alias_output
};
constexpr int kFaults = 9;
std::string_view name(Fault fault);
/// Nothing where the program has no place for that fault. It may still be harmless there.
std::optional<Draft> damaged(const Draft& program, Fault fault, Random& random);

Case pair_of_drafts(const Draft& before, const Draft& after);

}  // namespace noclobber::testing
