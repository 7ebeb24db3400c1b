#include "src/check/order_advice.h"

#include <algorithm>

#include "src/prover/order_advice.h"

namespace noclobber {
namespace {

constexpr std::size_t kShownDependences = 4;

}  // namespace

FindingPlace place_of_statement(const Graph& graph, std::uint32_t step) {
  FindingPlace out;
  out.graph = "after";
  out.step = step;
  const Step& at = graph.steps[step];
  out.name = at.extras->id;
  for (const ValueId id : at.results)
    if (id.valid()) out.name = graph.value(id).name;
  if (is_return(at)) out.name = "return";
  out.loc = at.source->loc;
  out.statement = is_return(at) ? "return" : statement_text(graph, step);
  return out;
}

namespace {

/// The last step of the statement that begins here. Its name is the one in the dump.
std::uint32_t last_of(const Graph& graph, std::uint32_t step) {
  const std::uint32_t unit = graph.steps[step].unit;
  while (unit != 0 && step + 1 < graph.steps.size() && graph.steps[step + 1].unit == unit) ++step;
  return step;
}

std::string shown(const FindingPlace& place, const std::string& code) {
  if (code.empty() || place.statement == "return") return place.statement;
  return code + (place.loc.empty() ? "" : " (" + place.loc + ")");
}

std::string help_text(const std::vector<Dependence>& repairs) {
  std::string out = "order";
  for (std::size_t k = 0; k < std::min(repairs.size(), kShownDependences); ++k) {
    const Dependence& d = repairs[k];
    const bool one_line = d.first_code == d.second_code;
    out += (k > 0 ? "; " : " ") + shown(d.first, one_line ? "" : d.first_code) + " before " +
           shown(d.second, one_line ? "" : d.second_code);
  }
  const std::size_t more = repairs.size() - std::min(repairs.size(), kShownDependences);
  return more == 0 ? out : out + "; and " + std::to_string(more) + " more";
}

void advise_repairs(CheckRecord& record, const Graph& graph, const std::vector<Unordered>& open) {
  for (const Unordered& pair : least_dependences(graph, open)) {
    const std::uint32_t first = last_of(graph, pair.first), second = last_of(graph, pair.second);
    record.repairs.push_back({place_of_statement(graph, first), place_of_statement(graph, second),
                              graph.steps[first].source->code, graph.steps[second].source->code});
  }
  if (record.repairs.empty()) return;
  for (Finding& finding : record.findings)
    if (finding.rule == "NC010" || (finding.rule == "NC011" && finding.help.empty()))
      finding.help = help_text(record.repairs);
}

/// The name of the first step that writes a result of the barrier in place; "" if there is none. nvFuser
/// writes only inputs of its regions, and a barrier makes a tensor an input.
std::string writer_of(const Graph& graph, std::uint32_t barrier) {
  const auto named = [&](const Arg& arg) {
    return arg.kind == Arg::Kind::ref &&
           std::ranges::any_of(graph.steps[barrier].results, [&](ValueId id) { return id == arg.ref; });
  };
  for (const Step& step : graph.steps) {
    const std::string_view op = step.op;
    const bool writes = op.substr(0, op.rfind('.')).ends_with('_');
    if (writes && !step.args.empty() && named(step.args[0]) && !step.results.empty())
      return graph.value(step.results[0]).name;
  }
  return "";
}

void advise_barriers(CheckRecord& record, const Graph& graph, const BarrierAdvice& advice) {
  record.barriers = {advice.barriers, advice.regions, advice.split, {}};
  for (const std::uint32_t step : advice.idle) {
    record.barriers.idle.push_back(place_of_statement(graph, last_of(graph, step)));
    if (const std::string writer = writer_of(graph, step); !writer.empty())
      record.barriers.idle.back().note = "nvFuser needs it: " + writer + " writes what it names";
  }
}

}  // namespace

void advise_order(CheckRecord& record, const Case& value, Engine& engine) {
  const bool refuted = std::ranges::any_of(
      record.findings, [](const Finding& f) { return f.rule == "NC010" || f.rule == "NC011"; });
  const bool wrong = record.every_order == "refuted" || (value.dataflow && refuted);
  const bool barriers = std::ranges::any_of(value.after.steps, [](const Step& s) { return s.barrier; });
  if (!wrong && !barriers) return;
  Case alone = value;
  alone.before.reset();
  alone.names_are_values = false;
  alone.dataflow = true;
  const Traced traced = trace_case(alone, engine.ops, engine.sizes);
  if (!traced.after.unknown.empty()) return;
  if (wrong) {
    const OrderAnswer answer = unordered_conflicts(engine.space(), alone.after, traced.after);
    if (answer.known) advise_repairs(record, alone.after, answer.open);
  }
  if (barriers)
    advise_barriers(record, alone.after, barrier_advice(engine.space(), alone.after, traced.after));
}

}  // namespace noclobber
