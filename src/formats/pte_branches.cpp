// Jumps that are a condition with two arms, as one step with two bodies:
//
//   JumpFalse c -> B;  arm A, moves into results;  JumpFalse false -> E;  B: arm B, moves;  E:
#include <algorithm>
#include <utility>

#include "src/formats/pte_builder.h"

namespace noclobber {
namespace {

constexpr std::size_t kDeepest = 16;    // bodies in bodies
constexpr std::size_t kBranches = 256;  // of one method
constexpr std::int32_t kOneOfTwo = -2;

}  // namespace

/// Returns the first instruction behind the branch.
std::size_t PteBuilder::branch(std::size_t at, std::size_t end) {
  const PteInstruction& jump = method_.instructions[at];
  const std::size_t other = jump.target;
  const auto unconditional = [&](const PteInstruction& step) {
    const PteValue& value = method_.values[step.args[0]];
    return step.kind == PteInstruction::Kind::jump_false && value.kind == PteValue::Kind::boolean &&
           numbers_[step.args[0]] == SymExpr(0);
  };
  if (other < at + 2 || other > end || !unconditional(method_.instructions[other - 1]))
    return give_up("executorch.loop"), end;
  const std::size_t behind = method_.instructions[other - 1].target;
  if (behind < other || behind > end) return give_up("executorch.jump"), end;
  if (!is_tensor(jump.args[0]) || levels_.size() > kDeepest || conds_ >= kBranches)
    return give_up("executorch.jump"), end;
  const ValueId condition = read(jump.args[0]);
  if (!going()) return end;
  const std::string name = "cond" + std::to_string(conds_++);
  std::vector<Arm> arms;
  const auto own = own_;
  const auto bound = bound_;
  const auto numbers = numbers_;
  std::vector<std::vector<std::optional<SymExpr>>> left;
  const PteMemory memory = memory_;
  const auto outer_moves = moves_;
  const auto unsettled = unsettled_;
  const std::size_t logged = written_.size();
  for (const bool first : {true, false}) {
    arms.push_back(
        run_arm(name + (first ? "_true" : "_false"), first ? at + 1 : other, first ? other - 1 : behind));
    own_ = own;
    bound_ = bound;
    memory_ = memory;
    left.push_back(std::exchange(numbers_, numbers));
    unsettled_.insert(unsettled.begin(), unsettled.end());
  }
  moves_ = outer_moves;
  for (std::size_t k = 0; k < numbers_.size(); ++k)
    numbers_[k] = left[0][k] == left[1][k] ? left[0][k] : std::nullopt;
  for (std::size_t k = logged; k < written_.size(); ++k)
    memory_.write(written_[k].first.arena, written_[k].first.offset, written_[k].second, kOneOfTwo);
  if (going()) join(condition, std::move(arms));
  return behind;
}

PteBuilder::Arm PteBuilder::run_arm(const std::string& name, std::size_t begin, std::size_t end) {
  levels_.emplace_back().graph.name = names_.fresh(name);
  moves_.clear();
  run(begin, end);
  Arm out;
  for (const auto& [id, made] : moves_) {
    const auto same = [&](const auto& known) { return known.first == id; };
    std::erase_if(out.moves, same);
    out.moves.emplace_back(id, made);
    if (going()) {
      const ValueId value = as_view(id, made);
      if (value.valid()) graph().outputs.push_back(Arg::of(value));
    }
  }
  if (out.moves.size() != moves_.size()) give_up("executorch.move twice in one branch");
  out.level = std::move(levels_.back());
  levels_.pop_back();
  return out;
}

/// Both arms take all operands of either, in the order of their first use.
void PteBuilder::share_operands(std::vector<Arm>& arms) {
  std::vector<ValueId> all = arms[0].level.operands;
  for (const ValueId value : arms[1].level.operands)
    if (std::ranges::find(all, value) == all.end()) all.push_back(value);
  for (Arm& arm : arms) {
    Graph& body = arm.level.graph;
    std::vector<Input> inputs;
    for (const ValueId value : all) {
      auto [known, added] = arm.level.imported.try_emplace(value.index, ValueId(body.values.size()));
      const auto number = static_cast<std::uint32_t>(inputs.size());
      if (added) {
        const Value& outer = graph().value(value);
        body.values.push_back({names_.fresh(outer.name + "_in"), Value::From::input, number, 0, outer.type});
      }
      body.values[known->second.index].at = number;
      inputs.emplace_back().value = known->second;
    }
    body.inputs = std::move(inputs);
    arm.level.operands = all;
  }
}

/// What both arms move is a result, in one order; what one of them moves is not to be read behind them.
void PteBuilder::common_moves(std::vector<Arm>& arms) {
  const auto place_of = [](const Arm& arm, std::uint32_t id) {
    const auto same = [&](const auto& move) { return move.first == id; };
    return static_cast<std::size_t>(std::ranges::find_if(arm.moves, same) - arm.moves.begin());
  };
  std::vector<std::uint32_t> both;
  for (const auto& [id, made] : arms[0].moves)
    if (place_of(arms[1], id) < arms[1].moves.size()) both.push_back(id);
  for (Arm& arm : arms) {
    std::vector<Arg> outputs;
    std::vector<std::pair<std::uint32_t, std::int32_t>> moves;
    for (const auto& [id, made] : arm.moves)
      if (std::ranges::find(both, id) == both.end()) unsettled_.insert(id);
    for (const std::uint32_t id : both) {
      outputs.push_back(arm.level.graph.outputs[place_of(arm, id)]);
      moves.push_back(arm.moves[place_of(arm, id)]);
    }
    arm.level.graph.outputs = std::move(outputs);
    arm.moves = std::move(moves);
  }
}

void PteBuilder::join(ValueId condition, std::vector<Arm> arms) {
  common_moves(arms);
  if (arms[0].moves.empty()) return static_cast<void>(give_up("executorch.branches that move other values"));
  share_operands(arms);
  Step made;
  made.op = "higher_order.cond";
  std::vector<Arg> operands;
  for (const ValueId value : arms[0].level.operands) operands.push_back(Arg::of(value));
  made.args = {Arg::of(condition), Arg::of_graph(arms[0].level.graph.name),
               Arg::of_graph(arms[1].level.graph.name), Arg::of(std::move(operands))};
  const auto number = static_cast<std::uint32_t>(graph().steps.size());
  for (std::uint32_t k = 0; k < arms[0].moves.size(); ++k) {
    const std::uint32_t id = arms[0].moves[k].first;
    made.results.push_back(
        add_value({names_.fresh("t" + std::to_string(id)), Value::From::step, number, k, type_of(id)}));
    bound_[id] = define(id, made.results.back(), std::nullopt);
    unsettled_.erase(id);
    moves_.emplace_back(id, bound_[id]);
  }
  graph().steps.push_back(std::move(made));
  for (Arm& arm : arms) out_.bodies.emplace(arm.level.graph.name, std::move(arm.level.graph));
}

}  // namespace noclobber
