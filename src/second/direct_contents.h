// The contents of a storage's element, as a formula over the contents at entry, for both Traces of a check.
#pragma once
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/second/direct_ask.h"

namespace noclobber {

enum class DirectSide : std::uint8_t { before, after };

/// What stands for contents of `before` that were never written: symbols of their own, or the contents that
/// `after` leaves in the storage of the same key. It is one choice for the whole check.
enum class Unwritten : std::uint8_t { symbols, left_by_after };

class DirectContents {
 public:
  /// `before` may be nullptr.
  DirectContents(DirectSizes& sizes, DirectAsk& ask, const Trace* before, const Trace& after,
                 Unwritten unwritten);

  /// The content of element `index` (without byte) of the view when step `time` begins; bad if it is not
  /// known.
  FormulaId at(DirectSide side, const TraceView& view, const DirectIndex& index, std::size_t time);
  /// The content of a storage's own element; `index` includes the byte if the storage has lanes.
  FormulaId element(DirectSide side, StorageId storage, const DirectIndex& index, std::size_t time);
  /// True if the step's accesses keep the promises of TraceStep::access, and no element is written twice.
  bool clean(DirectSide side, std::uint32_t step);
  const Trace& trace(DirectSide side) const { return *sides_[static_cast<std::size_t>(side)].trace; }

  /// Storages that were never written and that the content depends on: directly, or inside calls.
  struct Undefined {
    std::vector<FormulaId> plain, nested;  // calls of kUndefined functions
  };
  Undefined undefined(FormulaId content);
  /// The condition under which the content depends on something never written.
  FormulaId undefined_where(FormulaId content);
  static constexpr const char* kUndefined = "undefined:";

 private:
  struct Write {
    std::uint32_t step = 0, slot = 0;
  };
  struct Side {
    const Trace* trace = nullptr;
    std::vector<std::vector<Write>> writes;         // per storage
    std::vector<std::optional<std::size_t>> calls;  // per step: index into calls_
    std::vector<std::optional<bool>> clean;
  };
  /// A class of opaque steps that are one and the same call.
  struct Call {
    DirectSide side = DirectSide::before;
    std::string signature;
    std::vector<FormulaId> operands;
    std::optional<bool> tainted;
  };

  void run(DirectSide side, std::uint32_t step);
  std::optional<std::size_t> call_of(DirectSide side, const TraceStep& step, std::size_t number);
  bool same_call(const Call& a, const Call& b);
  FormulaId version_of(DirectSide side, StorageId storage, std::size_t version, const DirectIndex& index);
  FormulaId found(DirectSide side, StorageId storage, std::size_t version, const DirectIndex& index);
  FormulaId written(DirectSide side, const Write& write, DirectIndex index);
  FormulaId moved(DirectSide side, const Write& write, const DirectIndex& index, FormulaId byte);
  FormulaId computed(DirectSide side, const Write& write, const DirectIndex& index);
  FormulaId entry(DirectSide side, StorageId storage, const DirectIndex& index);
  std::optional<FormulaId> left_by_after(const TraceStorage& fresh, const DirectIndex& index);
  FormulaId packed(const std::vector<FormulaId>& bytes);
  FormulaId byte_of(FormulaId content, FormulaId byte, std::int64_t width);
  bool clean_now(const TraceStep& step);
  bool holds_once(const TraceView& view);
  bool elements_kept(const TraceView& read, const TraceView& write);
  std::vector<FormulaId> parts_below(FormulaId content, bool into_calls) const;
  bool tainted(std::size_t call);

  DirectSizes& sizes_;
  Formulas& f_;
  DirectAsk& ask_;
  Side sides_[2];
  std::vector<Call> calls_;
  std::unordered_map<std::string, std::vector<std::size_t>> calls_by_signature_;
  std::unordered_map<std::string, FormulaId> memo_;
  int depth_ = 0;
  std::size_t passed_ = 0;  // writes looked at, for all contents
  Unwritten unwritten_;
};

/// The storage of `trace` with the same start and key as `wanted`; nullptr if there is none, or more than
/// one.
const TraceStorage* partner_of(const Trace& trace, const TraceStorage& wanted);

}  // namespace noclobber
