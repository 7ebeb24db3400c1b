#include "src/lower/pte/branches.h"

#include <algorithm>
#include <utility>

#include "src/lower/pte/builder.h"
#include "src/lower/pte/calls.h"

namespace noclobber {
namespace {

struct PteArm {
  PteLevel level;
  std::vector<std::pair<std::uint32_t, std::int32_t>> moves;  // value -> definition, in order
};

constexpr std::size_t kDeepest = 16;  // nesting depth of bodies

constexpr std::size_t kBranches = 256;  // per method

constexpr std::int32_t kOneOfTwo = -2;

PteArm run_arm(PteBuilder& p, const std::string& name, std::size_t begin, std::size_t end) {
  p.levels.emplace_back().graph.name = p.names.fresh(name);
  p.moves.clear();
  run(p, begin, end);
  PteArm out;
  for (const auto& [id, made] : p.moves) {
    const auto same = [&](const auto& known) { return known.first == id; };
    std::erase_if(out.moves, same);
    out.moves.emplace_back(id, made);
    if (p.going()) {
      const ValueId value = as_view(p, id, made);
      if (value.valid()) p.graph().outputs.push_back(Arg::of(value));
    }
  }
  if (out.moves.size() != p.moves.size()) p.give_up("executorch.move twice in one branch");
  out.level = std::move(p.levels.back());
  p.levels.pop_back();
  return out;
}

/// Gives both arms the operands of either one, in the order of their first use.
void share_operands(PteBuilder& p, std::vector<PteArm>& arms) {
  std::vector<ValueId> all = arms[0].level.operands;
  for (const ValueId value : arms[1].level.operands)
    if (std::ranges::find(all, value) == all.end()) all.push_back(value);
  for (PteArm& arm : arms) {
    Graph& body = arm.level.graph;
    std::vector<Input> inputs;
    for (const ValueId value : all) {
      auto [known, added] = arm.level.imported.try_emplace(value.index, ValueId(body.values.size()));
      const auto number = static_cast<std::uint32_t>(inputs.size());
      if (added) {
        const Value& outer = p.graph().value(value);
        body.values.push_back({p.names.fresh(outer.name + "_in"), Value::From::input, number, 0, outer.type});
      }
      body.values[known->second.index].at = number;
      inputs.emplace_back().value = known->second;
    }
    body.inputs = std::move(inputs);
    arm.level.operands = all;
  }
}

/// A value that both arms move becomes a result, in one order. A value that only one of them moves must not
/// be read after the branch.
void common_moves(PteBuilder& p, std::vector<PteArm>& arms) {
  const auto place_of = [](const PteArm& arm, std::uint32_t id) {
    const auto same = [&](const auto& move) { return move.first == id; };
    return static_cast<std::size_t>(std::ranges::find_if(arm.moves, same) - arm.moves.begin());
  };
  std::vector<std::uint32_t> both;
  for (const auto& [id, made] : arms[0].moves)
    if (place_of(arms[1], id) < arms[1].moves.size()) both.push_back(id);
  for (PteArm& arm : arms) {
    std::vector<Arg> outputs;
    std::vector<std::pair<std::uint32_t, std::int32_t>> moves;
    for (const auto& [id, made] : arm.moves)
      if (std::ranges::find(both, id) == both.end()) p.now.unsettled.insert(id);
    for (const std::uint32_t id : both) {
      outputs.push_back(arm.level.graph.outputs[place_of(arm, id)]);
      moves.push_back(arm.moves[place_of(arm, id)]);
    }
    arm.level.graph.outputs = std::move(outputs);
    arm.moves = std::move(moves);
  }
}

void join(PteBuilder& p, ValueId condition, std::vector<PteArm> arms) {
  common_moves(p, arms);
  if (arms[0].moves.empty())
    return static_cast<void>(p.give_up("executorch.branches that move other values"));
  share_operands(p, arms);
  Step made;
  made.op = "higher_order.cond";
  std::vector<Arg> operands;
  for (const ValueId value : arms[0].level.operands) operands.push_back(Arg::of(value));
  made.args = {Arg::of(condition), Arg::of_graph(arms[0].level.graph.name),
               Arg::of_graph(arms[1].level.graph.name), Arg::of(std::move(operands))};
  const auto number = static_cast<std::uint32_t>(p.graph().steps.size());
  for (std::uint32_t k = 0; k < arms[0].moves.size(); ++k) {
    const std::uint32_t id = arms[0].moves[k].first;
    made.results.push_back(
        p.add_value({p.names.fresh("t" + std::to_string(id)), Value::From::step, number, k, type_of(p, id)}));
    p.now.bound[id] = p.define(id, made.results.back(), std::nullopt);
    p.now.unsettled.erase(id);
    p.moves.emplace_back(id, p.now.bound[id]);
  }
  p.graph().steps.push_back(std::move(made));
  for (PteArm& arm : arms) p.out.bodies.emplace(arm.level.graph.name, std::move(arm.level.graph));
}

}  // namespace

/// Returns the first instruction after the branch.
std::size_t branch(PteBuilder& p, std::size_t at, std::size_t end) {
  const PteInstruction& jump = p.method.instructions[at];
  const std::size_t other = jump.target;
  const auto unconditional = [&](const PteInstruction& step) {
    const PteValue& value = p.method.values[step.args[0]];
    return step.kind == PteInstruction::Kind::jump_false && value.kind == PteValue::Kind::boolean &&
           p.now.numbers[step.args[0]] == SymExpr(0);
  };
  if (other < at + 2 || other > end || !unconditional(p.method.instructions[other - 1]))
    return p.give_up("executorch.loop"), end;
  const std::size_t behind = p.method.instructions[other - 1].target;
  if (behind < other || behind > end) return p.give_up("executorch.jump"), end;
  if (!p.is_tensor(jump.args[0]) || p.levels.size() > kDeepest || p.conds >= kBranches)
    return p.give_up("executorch.jump"), end;
  const ValueId condition = read(p, jump.args[0]);
  if (!p.going()) return end;
  const std::string name = "cond" + std::to_string(p.conds++);
  std::vector<PteArm> arms;
  const auto own = p.now.own;
  const auto bound = p.now.bound;
  const auto numbers = p.now.numbers;
  std::vector<std::vector<std::optional<SymExpr>>> left;
  const PteMemory memory = p.memory;
  const auto outer_moves = p.moves;
  const auto unsettled = p.now.unsettled;
  const std::size_t logged = p.written.size();
  for (const bool first : {true, false}) {
    arms.push_back(
        run_arm(p, name + (first ? "_true" : "_false"), first ? at + 1 : other, first ? other - 1 : behind));
    p.now.own = own;
    p.now.bound = bound;
    p.memory = memory;
    left.push_back(std::exchange(p.now.numbers, numbers));
    p.now.unsettled.insert(unsettled.begin(), unsettled.end());
  }
  p.moves = outer_moves;
  for (std::size_t k = 0; k < p.now.numbers.size(); ++k)
    p.now.numbers[k] = left[0][k] == left[1][k] ? left[0][k] : std::nullopt;
  for (std::size_t k = logged; k < p.written.size(); ++k)
    p.memory.write(p.written[k].first.arena, p.written[k].first.offset, p.written[k].second, kOneOfTwo);
  if (p.going()) join(p, condition, std::move(arms));
  return behind;
}

}  // namespace noclobber
