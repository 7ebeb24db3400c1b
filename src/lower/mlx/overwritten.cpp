// Registers that got another array too early. The reader then takes what it means from where it was, and
// what took its place is stored over it: a read of an overwritten storage, which is what it is.
#include <algorithm>

#include "src/graph/uses.h"
#include "src/lower/mlx/case.h"
#include "src/lower/mlx/values.h"
#include "src/ops/schema.h"

namespace noclobber {
namespace {

constexpr std::size_t kMostOverwritten = 16;

/// The instruction that stored something else where the value was.
std::optional<std::size_t> overwriter(const MlxHistory& stored, ValueId meant) {
  for (std::size_t k = stored.size(); k-- > 1;)
    if (stored[k - 1].second == meant.index) return stored[k].first;
  return std::nullopt;
}

}  // namespace

/// The first operator that the instruction would stand for if its registers still held what they did.
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

/// Of the operator that it is nearest to: the first operand that is another one.
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

/// Is the value that the register holds in no other, and of the type of the one that takes its place?
bool MlxCase::may_write_over(std::uint32_t at, ValueId made) const {
  const MlxHeld& old = held_[at];
  if (old.kind != MlxHeld::Kind::value || graph_.value(old.value).from != Value::From::step) return false;
  const auto &type = graph_.value(old.value).type, &own = graph_.value(made).type;
  if (!type || !own || type->shape != own->shape || type->dtype != own->dtype) return false;
  const Schema* schema = find_schema(graph_.steps[graph_.value(old.value).at].op);
  if (schema == nullptr ||
      std::ranges::any_of(schema->returns, [](const auto& s) { return !s.alias.empty(); }))
    return false;
  for (const Step& step : graph_.steps) {  // nor does another one show its elements
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

/// What is stored in the register lies where the value that somebody still means was.
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

/// Gives the reader the names of what it means, and returns what its registers hold.
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

/// What is returned out of a register that got something else since.
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
