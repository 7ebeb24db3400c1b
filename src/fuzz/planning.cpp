#include "src/fuzz/planning.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/formats/plan_table/plan_csv.h"
#include "src/fuzz/profiles.h"
#include "src/fuzz/random.h"
#include "src/fuzz/sharing.h"
#include "src/graph/uses.h"

namespace noclobber::fuzz {
namespace {

constexpr std::uint64_t kTableSalt = 0x706c616eULL;  // tables other than those of the programs of these seeds

/// A storage that a step makes; live in steps [first, last).
struct Made {
  std::string name;
  std::int64_t bytes = 0, first = 0, last = 0;
};

/// Bytes from the first element to the end of the last one; empty if that is not a known whole number.
std::optional<std::int64_t> bytes_of(const SharedType& type) {
  if (!type || bit_width(type->dtype) < 8) return std::nullopt;
  std::int64_t count = 1, span = 1;
  for (std::size_t d = 0; d < type->shape.size(); ++d) {
    if (!type->shape[d].is_constant()) return std::nullopt;
    const std::int64_t size = type->shape[d].constant();
    count *= size;
    if (type->strides != Type::Strides::given) continue;
    if (!type->stride[d].is_constant()) return std::nullopt;
    span += (size - 1) * type->stride[d].constant();
  }
  if (type->strides == Type::Strides::unknown) return std::nullopt;
  const std::int64_t elements = count == 0 || type->strides != Type::Strides::given ? count : span;
  return elements * bit_width(type->dtype) / 8;
}

/// The storages in the order of steps. Empty if a size is not known, or a step has a body.
std::optional<std::vector<Made>> storages_made(const Case& program) {
  const auto ops = make_op_set(program.ops);
  if (!ops || !program.bodies.empty()) return std::nullopt;
  const Graph& graph = program.after;
  const Sharing sharing = sharing_of(*ops, graph);
  std::map<std::uint32_t, Made> out;  // by root value; ids are in the order of steps
  std::int64_t now = 0;
  const auto touch = [&](ValueId v) {
    if (const auto at = out.find(sharing.root.at(v.index)); at != out.end()) at->second.last = now + 1;
  };
  for (const Step& step : graph.steps) {
    std::ranges::for_each(uses_of(step), touch);
    for (const ValueId v : step.results) {
      if (!v.valid() || sharing.root.at(v.index) != v.index) continue;
      const auto bytes = bytes_of(graph.value(v).type);
      if (!bytes) return std::nullopt;
      if (*bytes > 0) out[v.index] = {graph.value(v).name, *bytes, now, now + 1};
    }
    ++now;
  }
  std::vector<ValueId> leaving;
  for (const Arg& arg : graph.outputs) collect_uses(arg, leaving);
  for (const auto& [input, arg] : graph.finals) collect_uses(arg, leaving);
  std::ranges::for_each(leaving, touch);
  std::vector<Made> list;
  for (auto& [value, made] : out) list.push_back(std::move(made));
  return list;
}

Case table_case(const std::vector<Made>& buffers) {
  Case out;
  Plan plan;
  plan.arenas.push_back({"0", SymExpr(0), 1});
  for (const Made& made : buffers) {
    PlanBuffer one;
    one.name = made.name;
    one.size = SymExpr(made.bytes);
    one.lower = made.first, one.upper = made.last;
    plan.buffers.push_back(std::move(one));
    plan.required.push_back(made.name);
  }
  out.plan = std::move(plan);
  return out;
}

std::int64_t some_bytes(Random& random) {
  const std::int64_t kind = random.below(10);
  if (kind < 4) return std::int64_t{1} << random.between(0, 12);
  return kind < 7 ? 64 * random.between(1, 40) : random.between(1, 3000);
}

/// Most buffers live for a few steps, some for a third of the program, one in ten for up to all of it.
std::vector<Made> drawn_buffers(Random& random) {
  const std::int64_t steps = random.between(4, 48);
  std::vector<Made> out;
  for (std::int64_t k = random.between(3, 64); k > 0; --k) {
    const std::int64_t first = random.below(steps), kind = random.below(10);
    const std::int64_t longest = kind < 7 ? 4 : kind < 9 ? std::max<std::int64_t>(steps / 3, 1) : steps;
    const std::int64_t last = std::min(first + random.between(1, longest), steps);
    out.push_back({"b" + std::to_string(out.size()), some_bytes(random), first, last});
  }
  return out;
}

}  // namespace

std::optional<Case> planning_problem(std::uint64_t seed, const std::vector<std::string>& profiles,
                                     Form form) {
  Random random(seed ^ kTableSalt);
  const bool drawn = form == Form::plan_table && profiles.empty() && random.chance(60);
  std::optional<Case> out;
  if (drawn) {
    out = table_case(drawn_buffers(random));
  } else {
    out = program_of(seed, profiles);
    const auto made = out ? storages_made(*out) : std::nullopt;
    if (!made || made->empty()) return std::nullopt;
    if (form == Form::plan_table) {
      out = table_case(*made);
    } else {
      out->plan.emplace();
      out->plan->arenas.push_back({"0", SymExpr(0), random.chance(50) ? 16 : 1});
      for (const Made& one : *made) out->plan->required.push_back(one.name);
    }
  }
  out->name = fmt::format("problem-{}", seed);
  out->source = fmt::format("noclobber fuzz --planner CMD --start {} --count 1", seed);
  return out;
}

Case placed_apart(const Case& problem) {
  Case out = problem;
  PlanArena& arena = out.plan->arenas[0];
  std::int64_t top = 0;
  for (const std::string& name : problem.plan->required) {
    const ValueId v = problem.after.find(name);
    const auto bytes = v.valid() ? bytes_of(problem.after.value(v).type) : std::nullopt;
    if (!bytes) continue;
    PlanBuffer one;
    one.name = name;
    one.is_value = true;
    one.offset = SymExpr(top), one.size = SymExpr(*bytes);
    out.plan->buffers.push_back(std::move(one));
    top += (*bytes + arena.alignment - 1) / arena.alignment * arena.alignment;
  }
  arena.size = SymExpr(top);
  return out;
}

std::string table_of(const Plan& plan) {
  std::string out = "id,lower,upper,size\n";
  for (const PlanBuffer& b : plan.buffers)
    out += fmt::format("{},{},{},{}\n", b.name, *b.lower, *b.upper, b.size.constant());
  return out;
}

Reading read_placed_table(const Case& problem, const std::string& text) {
  const auto table = read_plan_csv(text);
  if (!table) return {std::nullopt, "unreadable", table.fault().where + ": " + table.fault().message};
  if (!table->has_offsets) return {std::nullopt, "unreadable", "the table has no offsets"};
  std::map<std::string, const PlanBuffer*> asked;
  for (const PlanBuffer& b : problem.plan->buffers) asked[b.name] = &b;
  Case value = problem;
  Plan& plan = *value.plan;
  plan.buffers.clear();
  std::int64_t most = 0;
  for (std::size_t k = 0; k < table->rows.size(); ++k) {
    const Placement& row = table->rows[k];
    const auto at = asked.find(std::string(table->name(k)));
    if (at == asked.end() || *at->second->lower != row.first || *at->second->upper != row.last ||
        at->second->size.constant() != row.size)
      return {std::nullopt, "changed-question",
              fmt::format("row {} is no buffer that was asked", table->name(k))};
    plan.buffers.push_back(*at->second);
    plan.buffers.back().offset = SymExpr(row.offset);
    most = std::max(most, row.offset + row.size);
  }
  plan.arenas[0].size = SymExpr(most);
  return {std::move(value), "", ""};
}

}  // namespace noclobber::fuzz
