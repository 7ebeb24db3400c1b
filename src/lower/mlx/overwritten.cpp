// Registers that are overwritten too early. The write becomes an in-place copy into the storage of the old
// value, and the later reader keeps the old value: the check then finds a read of an overwritten storage.
#include <algorithm>

#include "src/graph/uses.h"
#include "src/lower/mlx/case.h"
#include "src/lower/mlx/values.h"
#include "src/ops/schema.h"

namespace noclobber {
namespace {

constexpr std::size_t kMostOverwritten = 16;

/// The instruction that last replaced `meant` in the register; empty if none did.
std::optional<std::size_t> overwriter(const MlxHistory& stored, ValueId meant) {
  for (std::size_t k = stored.size(); k-- > 1;)
    if (stored[k - 1].second == meant.index) return stored[k].first;
  return std::nullopt;
}

}  // namespace

/// Finds the first operator that the instruction would stand for if registers still held earlier values.
void MlxCase::find_overwritten(const RegisterStep& step, const MlxOp& kind) {
  for (std::size_t k = 0; k < functional_.steps.size(); ++k) {
    const Step& meant = functional_.steps[k];
    if (!could_be(step, kind, k)) continue;
    const auto operands = mlx_reads_for(meant, kind);
    if (!operands || operands->size() != step.reads.size()) continue;
    std::set<MlxOverwritten> late;
    bool fits = true;
    for (std::size_t j = 0; j < operands->size() && fits; ++j) {
      const MlxOperand& one = (*operands)[j];
      if (is_held(step.reads[j], one)) continue;
      const auto writer = one.tensor.valid() ? overwriter(history_[step.reads[j]], one.tensor) : std::nullopt;
      fits = writer.has_value();
      if (fits) late.insert({*writer, step.reads[j], one.tensor.index, number_});
    }
    if (fits) return found_.merge(late);
  }
}

/// Names the first operand that differs from the unmatched operator with the fewest differing operands.
std::string MlxCase::odd_reason(const RegisterStep& step) const {
  const MlxOp kind = mlx_op_of(step.op);
  const auto is_other = [&](std::uint32_t at, const MlxOperand& one) { return !is_held(at, one); };
  std::size_t least = step.reads.size() + 1;
  std::string out = "no operator of before is left that it could stand for";
  for (std::size_t k = 0; k < functional_.steps.size(); ++k) {
    const Step& meant = functional_.steps[k];
    if (matched_[k] || meant.results.empty() || !is_mlx_kin(kind, meant.op)) continue;
    const auto operands = mlx_reads_for(meant, kind);
    if (!operands || operands->size() != step.reads.size()) continue;
    std::size_t others = 0, first = 0;
    for (std::size_t j = operands->size(); j-- > 0;)
      if (is_other(step.reads[j], (*operands)[j])) ++others, first = j;
    if (others == 0 || others >= least) continue;
    least = others;
    const MlxHeld& held = held_[step.reads[first]];
    const MlxOperand& one = (*operands)[first];
    const std::string has = held.kind == MlxHeld::Kind::value    ? graph_.value(held.value).name
                            : held.kind == MlxHeld::Kind::number ? std::to_string(held.number)
                                                                 : "nothing yet";
    const ValueId made = meant.results[0];
    out = "slot " + std::to_string(step.reads[first]) + " holds " + has + ", and " +
          (made.valid() ? functional_.value(made).name + " of before, " : "") + meant.op + ", takes " +
          (one.tensor.valid() ? functional_.value(one.tensor).name : std::to_string(one.number));
  }
  return out;
}

/// True if the register's value is a fresh result of the same type as `made`, in no other register or view.
bool MlxCase::may_write_over(std::uint32_t at, ValueId made) const {
  const MlxHeld& old = held_[at];
  if (old.kind != MlxHeld::Kind::value || graph_.value(old.value).from != Value::From::step) return false;
  const auto &type = graph_.value(old.value).type, &own = graph_.value(made).type;
  if (!type || !own || type->shape != own->shape || type->dtype != own->dtype) return false;
  const Schema* schema = find_schema(graph_.steps[graph_.value(old.value).at].op);
  if (schema == nullptr ||
      std::ranges::any_of(schema->returns, [](const auto& s) { return !s.alias.empty(); }))
    return false;
  for (const Step& step : graph_.steps) {  // no other step may give a view of it
    const Schema* by = find_schema(step.op);
    const auto used = uses_of(step);
    const bool views =
        by == nullptr || std::ranges::any_of(by->returns, [](const auto& s) { return !s.alias.empty(); });
    if (views && std::ranges::find(used, old.value) != used.end()) return false;
  }
  return std::ranges::count_if(held_, [&](const MlxHeld& one) {
           return one.kind == MlxHeld::Kind::value && one.value == old.value;
         }) == 1;
}

/// Copies `made` into the storage of the register's old value, which a later instruction still needs.
ValueId MlxCase::write_over(std::uint32_t at, ValueId made, const std::string& name) {
  Step copy;
  copy.op = "aten.copy_.default";
  copy.args = {Arg::of(held_[at].value), Arg::of(made)};
  copy.source = graph_.steps.back().source;
  const ValueId id = add_value(name + "_in_slot" + std::to_string(at), graph_.value(made).type, 0);
  copy.results = {id};
  graph_.steps.push_back(std::move(copy));
  return id;
}

/// Puts the values that the reader needs into its registers, and returns the previous contents.
std::vector<std::pair<std::uint32_t, MlxHeld>> MlxCase::as_meant(std::size_t reader) {
  std::vector<std::pair<std::uint32_t, MlxHeld>> out;
  for (const MlxOverwritten& one : overwritten_) {
    const auto same = same_.find(one.meant);
    if (one.reader != reader || same == same_.end() || !written_over_.contains({one.writer, one.at}))
      continue;
    out.emplace_back(one.at, held_[one.at]);
    held_[one.at] = {MlxHeld::Kind::value, ValueId{same->second}};
  }
  return out;
}

/// Finds outputs whose register was overwritten before the end.
void MlxCase::find_returned_late() {
  for (std::size_t k = 0; k < program_.outputs.size() && k < functional_.outputs.size(); ++k) {
    const Arg& meant = functional_.outputs[k];
    if (meant.kind != Arg::Kind::ref || !program_.outputs[k].is_tensor) continue;
    const std::uint32_t at = program_.outputs[k].at;
    const auto writer = is_held(at, {meant.ref, 0}) ? std::nullopt : overwriter(history_[at], meant.ref);
    if (writer) found_.insert({*writer, at, meant.ref.index, number_});
  }
}

Result<Case> case_of_mlx(const RegisterProgram& program, const Graph& functional,
                         const MlxHeldNumbers& numbers) {
  std::set<MlxOverwritten> late;
  for (;;) {
    MlxCase made(program, functional, numbers, late);
    Result<Case> out = made.read();
    std::set<MlxOverwritten> next = late;
    next.insert(made.found().begin(), made.found().end());
    if (!out || next.size() == late.size() || late.size() >= kMostOverwritten) return out;
    late = std::move(next);
  }
}

}  // namespace noclobber
