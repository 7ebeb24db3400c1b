// A register program as a Trace: each result is a storage of its own, and where two arms leave different
// storages in one register, a step makes a new storage from both.
#include <map>
#include <set>

#include "src/plan/registers.h"

namespace noclobber {
namespace {

constexpr std::size_t kDeepestTraced = 32, kStepsTraced = 20'000;

class RegisterTrace {
 public:
  explicit RegisterTrace(const RegisterProgram& program) : program_(program) {}

  std::optional<Trace> run() {
    nothing_ = storage(TraceStorage::Start::undefined, true);
    order_ = storage(TraceStorage::Start::given, true);
    for (std::uint32_t k = 0; k < program_.counts[RegisterProgram::constant]; ++k)
      held_[{true, k}] = storage(TraceStorage::Start::given, false);
    given(program_.states);
    const Held lasting = held_;
    if (program_.init >= 0) chain(static_cast<std::uint32_t>(program_.init), 0);
    held_ = lasting;
    given(program_.inputs);
    chain(program_.main, 0);
    for (const RegisterProgram::Slot& slot : program_.outputs) returned(of({slot.is_tensor, slot.at}));
    returned(order_);
    return fits_ ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  using Register = std::pair<bool, std::uint32_t>;  // (is a tensor, number)
  using Held = std::map<Register, StorageId>;       // a missing register is undefined

  StorageId storage(TraceStorage::Start start, bool writable) {
    TraceStorage out;
    out.start = start;
    out.key = std::to_string(out_.storages.size());
    out.writable = writable;
    out.compared = false;
    out_.storages.push_back(std::move(out));
    return static_cast<StorageId>(out_.storages.size() - 1);
  }
  static TraceView all(StorageId storage) { return {storage, {}, {}, "register", 0}; }
  void returned(StorageId storage) { out_.outputs.emplace_back().view = all(storage); }
  void given(const std::vector<RegisterProgram::Slot>& slots) {
    for (const RegisterProgram::Slot& slot : slots)
      held_[{slot.is_tensor, slot.at}] = storage(TraceStorage::Start::given, true);
  }
  StorageId of(const Register& what) const {
    const auto at = held_.find(what);
    return at == held_.end() ? nothing_ : at->second;
  }

  /// Appends a step that reads `reads` and leaves a result in each of `writes`.
  void step(const std::string& key, const std::vector<StorageId>& reads,
            const std::vector<StorageId>& writes) {
    TraceStep out;
    out.key = key;
    out.origin = origin_;
    for (const StorageId s : reads) out.reads.push_back(all(s));
    for (const StorageId s : writes) out.writes.push_back(all(s));
    out.access.edit().assign(reads.size(), std::vector<Access>(writes.size(), Access::before_write));
    out_.steps.push_back(std::move(out));
  }

  /// The storage that an instruction writes: a fresh one, or the constant that it must not write.
  StorageId result(const Register& what) {
    const bool constant = what.first && program_.space_of(what.second) == RegisterProgram::constant;
    return constant ? of(what) : held_[what] = storage(TraceStorage::Start::undefined, true);
  }

  void instruction(const std::string& op, const std::vector<Register>& reads,
                   const std::vector<Register>& writes) {
    std::vector<StorageId> from{order_}, to{order_};
    for (const Register& r : reads) from.push_back(of(r));
    for (const Register& w : std::set<Register>(writes.begin(), writes.end())) to.push_back(result(w));
    step(op, from, to);
  }
  static std::vector<Register> all_of(const std::vector<std::uint32_t>& tensors,
                                      const std::vector<std::uint32_t>& numbers) {
    std::vector<Register> out;
    for (const std::uint32_t k : tensors) out.emplace_back(true, k);
    for (const std::uint32_t k : numbers) out.emplace_back(false, k);
    return out;
  }

  void chain(std::uint32_t number, std::size_t depth) {
    for (const RegisterStep& one : program_.chains[number]) {
      if (depth > kDeepestTraced || ++steps_ > kStepsTraced) fits_ = false;
      if (!fits_) return;
      const auto reads = all_of(one.reads, one.read_numbers), writes = all_of(one.writes, one.write_numbers);
      switch (one.runs) {
        case RegisterStep::Runs::itself:
          instruction(one.op, reads, writes);
          break;
        case RegisterStep::Runs::one_of:
          instruction(one.op, reads, {});
          either(one, depth);
          instruction(one.op, {}, writes);
          break;
        case RegisterStep::Runs::repeatedly:
          instruction(one.op, reads, {});
          trip(one, depth);
          instruction(one.op, {}, writes);
          break;
      }
      ++origin_;
    }
  }

  /// Joins `held_` and `other` register by register; a register that is undefined in one of them stays
  /// undefined.
  void join(const Held& other) {
    for (auto at = held_.begin(); at != held_.end();) {
      const auto same = other.find(at->first);
      if (same == other.end()) {
        at = held_.erase(at);
        continue;
      }
      if (same->second != at->second) {
        const StorageId both = storage(TraceStorage::Start::undefined, true);
        step("either", {at->second, same->second}, {both});
        at->second = both;
      }
      ++at;
    }
  }

  void either(const RegisterStep& one, std::size_t depth) {
    const Held before = held_;
    std::optional<Held> common;
    for (const std::uint32_t way : one.chains) {
      held_ = before;
      chain(way, depth + 1);
      if (common) join(*common);
      common = held_;
    }
    if (!common) held_ = before;
  }

  /// The first iteration has the fewest defined registers; the trip count may be 0.
  void trip(const RegisterStep& one, std::size_t depth) {
    const Held before = held_;
    for (const std::uint32_t k : one.writes) result({true, k});
    std::vector<StorageId> entered;
    for (const std::uint32_t k : one.writes) entered.push_back(of({true, k}));
    step("trip", {}, entered);
    for (const std::uint32_t k : one.rows) held_.erase({true, k});
    for (const std::uint32_t way : one.chains) chain(way, depth + 1);
    instruction("rows", all_of(one.rows, {}), {});
    join(before);
    for (const std::uint32_t k : one.rows) {
      const StorageId rows = storage(TraceStorage::Start::undefined, true);
      step("rows", {order_}, {rows});
      held_[{true, k}] = rows;
    }
  }

  const RegisterProgram& program_;
  Trace out_;
  Held held_;
  StorageId nothing_ = 0, order_ = 0;
  std::uint32_t origin_ = 0;
  std::size_t steps_ = 0;
  bool fits_ = true;
};

}  // namespace

std::optional<Trace> trace_of(const RegisterProgram& program) { return RegisterTrace(program).run(); }

}  // namespace noclobber
