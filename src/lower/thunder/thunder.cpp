// The checks of one trace of Lightning Thunder, of two, and of a recorded sequence.
#include <algorithm>
#include <set>
#include <span>

#include "src/lower/checks.h"
#include "src/lower/thunder/graph.h"
#include "src/lower/thunder/source.h"
#include "src/lower/thunder/thunder.h"
#include "src/lower/thunder/undefined.h"

namespace noclobber {

namespace {

/// True for a trace with symbolic sizes. It holds for other sizes too; only the traced ones are checked.
bool is_symbolic(std::string_view text) { return text.find("[IntegerProxy name=") != std::string_view::npos; }

Diagnostic in_file(const std::string& name, const Diagnostic& fault) {
  return {name.empty() ? fault.where : name + ": " + fault.where, fault.message};
}

Result<ThunderSource> source_of(const ThunderFile& file) {
  auto traces = parse_thunder(file.text);
  if (!traces) return traces.fault();
  if (traces->size() != 1) return Diagnostic{"", "several traces in one text; one is expected"};
  return thunder_source(file.name, file.text, std::move(traces->front()));
}

void take_ops(Case& value, ThunderGraph& graph) {
  for (OpDecl& op : graph.ops) {
    const bool known = std::ranges::any_of(value.ops, [&](const OpDecl& o) { return o.schema == op.schema; });
    if (!known) value.ops.push_back(std::move(op));
  }
  for (std::string& op : graph.assumed)
    if (std::ranges::find(value.assumed_pure, op) == value.assumed_pure.end())
      value.assumed_pure.push_back(std::move(op));
  const std::string believed = "calls do what the lines below them say";
  if (graph.believed && std::ranges::find(value.assumed, believed) == value.assumed.end())
    value.assumed.push_back(believed);
}

/// True for passes before the one that inserts barriers: Thunder reorders statements only after it.
bool is_before_barriers(std::string_view pass) {
  return pass == "Return arguments to track copies onto them" || pass == "Remove context manager prims" ||
         pass.starts_with("Duplicate alias args");
}

Case case_of(ThunderGraph after, const ThunderFacts& facts, const ThunderTrace& trace) {
  Case value;
  value.source = "Lightning Thunder";
  value.pass = trace.pass;
  value.return_is_last = true;
  value.every_order = !is_before_barriers(trace.pass);
  value.inputs_may_overlap = !facts.known || after.untold;
  take_ops(value, after);
  value.after = std::move(after.graph);
  return value;
}

/// Adds to each graph the inputs that only the other one has.
void share_inputs(Graph& before, Graph& after) {
  const auto add_missing = [](const Graph& from, Graph& to) {
    for (const Input& input : from.inputs) {
      const Value& value = from.value(input.value);
      if (to.find(value.name).valid()) continue;
      Value copy = value;
      copy.at = static_cast<std::uint32_t>(to.inputs.size());
      to.values.push_back(std::move(copy));
      Input more = input;
      more.value = ValueId(to.values.size() - 1);
      to.inputs.push_back(std::move(more));
    }
  };
  add_missing(before, after);
  add_missing(after, before);
}

/// A use of an undefined name counts as a read, whatever is computed from it: the contents become an output,
/// in place of an input that `before` returns.
void see_undefined(ThunderGraph* before, ThunderGraph& after) {
  for (const ValueId id : after.undefined) {
    after.graph.outputs.push_back(Arg::of(id));
    if (before == nullptr) continue;
    Value meant = after.graph.value(id);
    meant.name = name_as_meant(undefined_name(meant.name));
    meant.from = Value::From::input;
    meant.at = static_cast<std::uint32_t>(before->graph.inputs.size());
    before->graph.values.push_back(std::move(meant));
    Input input;
    input.value = ValueId(before->graph.values.size() - 1);
    before->graph.outputs.push_back(Arg::of(input.value));
    before->graph.inputs.push_back(std::move(input));
  }
}

Result<Case> pair_case(Result<ThunderGraph> before, Result<ThunderGraph> after, const ThunderFacts& facts,
                       const ThunderTrace& trace) {
  if (!before) return before.fault();
  if (!after) return after.fault();
  see_undefined(&*before, *after);
  share_inputs(before->graph, after->graph);
  Case value = case_of(*std::move(after), facts, trace);
  take_ops(value, *before);
  value.inputs_may_overlap = value.inputs_may_overlap || before->untold;
  value.before = std::move(before->graph);
  return value;
}

/// Adds an output of which nothing is known.
void add_unknown_output(Graph& graph) {
  Value value;
  value.name = "saved_for_backward__other";
  value.from = Value::From::step;
  value.at = static_cast<std::uint32_t>(graph.steps.size());
  graph.values.push_back(std::move(value));
  Step step;
  step.op = "thunder.other_values_saved";
  step.results = {ValueId(graph.values.size() - 1)};
  graph.steps.push_back(std::move(step));
  graph.outputs.push_back(Arg::of(ValueId(graph.values.size() - 1)));
}

/// Compares two forward traces, with what they save as outputs. If they save different numbers of values,
/// only a backward trace, which is not here, can decide.
Result<Case> forward_pair(const ThunderSource& before, const ThunderSource& after,
                          const ThunderFacts& facts) {
  auto from = thunder_graph(before.trace, before.text, facts, ThunderPart::saving);
  if (!from) return in_file(before.name, from.fault());
  auto to = thunder_graph(after.trace, after.text, facts, ThunderPart::saving);
  if (to && to->graph.outputs.size() != from->graph.outputs.size()) {
    from = thunder_graph(before.trace, before.text, facts, ThunderPart::whole);
    to = thunder_graph(after.trace, after.text, facts, ThunderPart::whole);
    add_unknown_output(from->graph);
    add_unknown_output(to->graph);
  }
  return pair_case(std::move(from), std::move(to), facts, after.trace);
}

Result<Case> pair_case(const ThunderSource& left_source, const ThunderSource& right_source,
                       const ThunderFacts& facts) {
  const ThunderSource before = thunder_beside(left_source, right_source, true),
                      after = thunder_beside(right_source, left_source, false);
  if (is_thunder_forward(before.trace) && is_thunder_forward(after.trace))
    return forward_pair(before, after, facts);
  const ThunderPart left = before.joint && !after.joint ? ThunderPart::forward : ThunderPart::whole;
  const ThunderPart right = after.joint && !before.joint ? ThunderPart::forward : ThunderPart::whole;
  auto from = thunder_graph(before.trace, before.text, facts, left);
  if (!from) return in_file(before.name, from.fault());
  return pair_case(std::move(from), thunder_graph(after.trace, after.text, facts, right), facts, after.trace);
}

/// The check of a trace by itself. The gradients of a joint trace follow names, which mean what the forward
/// statements read.
Result<Case> single_case(const ThunderSource& source, const ThunderFacts& facts) {
  auto graph = thunder_graph(source.trace, source.text, facts, ThunderPart::whole);
  if (!source.joint) {
    if (!graph) return graph.fault();
    see_undefined(nullptr, *graph);
    return case_of(*std::move(graph), facts, source.trace);
  }
  auto value =
      pair_case(thunder_graph(with_kept_values(source.trace), source.text, facts, ThunderPart::whole),
                std::move(graph), facts, source.trace);
  if (!value) return value.fault();
  Case out = *std::move(value);
  out.sharing_may_grow = true;  // the kept values are copies
  return out;
}

/// The check of gradients that may miss a write; empty if there are none.
std::optional<Result<Case>> gradients_case(const ThunderSource& source, const ThunderFacts& facts) {
  const auto marked = with_missed_gradients(source.trace);
  if (!marked) return std::nullopt;
  auto graph = thunder_graph(*marked, source.text, facts, ThunderPart::whole);
  if (!graph) return Result<Case>(graph.fault());
  Case out = case_of(*std::move(graph), facts, source.trace);
  out.every_order = false;
  return Result<Case>(std::move(out));
}

TraceCheck check_named(TraceCheck::What what, std::string id, Result<Case> value, bool symbolic = false) {
  TraceCheck out;
  out.what = what;
  out.id = std::move(id);
  out.value = std::move(value);
  if (out.value && symbolic) out.unchecked = {"other_sizes"};
  if (out.value) {
    Case named = *std::move(out.value);
    named.name = out.id;
    // Steps within a pass do not print its name, but their files have one: "06_fused-rematerialize".
    if (named.pass.empty() && what == TraceCheck::What::pair)
      named.pass = out.id.substr(std::min(out.id.find('_'), out.id.size() - 1) + 1);
    out.value = std::move(named);
  }
  return out;
}

/// Records two assumptions about Thunder: names of parameters mean more than their printed types, and a
/// collective whose result is not read may be dropped, since every process drops it.
void note_gathered(Result<Case>& value, const ThunderSource& before, const ThunderSource& now) {
  if (!value || (!before.whole && before.tied.empty() && now.tied.empty())) return;
  Case out = *std::move(value);
  if (before.whole) out.assumed.emplace_back("parameters stand for all that a later pass gathers of them");
  if (!before.tied.empty() || !now.tied.empty())
    out.assumed.emplace_back("parameters that are one tensor are so in every process, and gathered once");
  value = std::move(out);
}

Result<ThunderFacts> facts_in(const std::string& inputs) {
  if (inputs.empty()) return ThunderFacts();
  auto facts = read_thunder_inputs(inputs);
  if (!facts) return in_file("inputs.json", facts.fault());
  return facts;
}

/// Splits one text into the traces it holds.
Result<std::vector<ThunderSource>> sources_in(const ThunderFile& file) {
  auto traces = parse_thunder(file.text);
  if (!traces) return traces.fault();
  std::vector<ThunderSource> out;
  for (ThunderTrace& trace : *traces) out.push_back(thunder_source(file.name, file.text, std::move(trace)));
  return out;
}

std::vector<TraceCheck> one_fault(const std::string& id, const Diagnostic& fault) {
  std::vector<TraceCheck> out;
  out.push_back(check_named(TraceCheck::What::single, id, fault));
  return out;
}

/// True if the trace ends with its return.
bool returns_last(const ThunderTrace& trace) {
  const auto live = [](const ThunderStatement& s) { return s.kind != ThunderStatement::Kind::drop; };
  const auto last = std::find_if(trace.statements.rbegin(), trace.statements.rend(), live);
  return last == trace.statements.rend() || last->kind == ThunderStatement::Kind::leave;
}

/// The last readable trace before the `at`-th that binds all that the `at`-th does; nullptr if there is none.
const ThunderSource* compared_with(const std::vector<ThunderSource>& all, std::size_t at) {
  for (std::size_t k = at; k-- > 0;) {
    const auto bound = [&](const auto& name) { return all[at].undefined.contains(name.first); };
    if (!all[k].unreadable && std::ranges::all_of(all[k].undefined, bound)) return &all[k];
  }
  return nullptr;
}

/// If a later trace has its return in the last place again, it is not required here.
void note_later_passes(TraceCheck& check, const std::vector<ThunderSource>& all, std::size_t at) {
  const auto later = std::span(all).subspan(at + 1);
  if (!check.value ||
      !std::ranges::any_of(later, [](const ThunderSource& s) { return returns_last(s.trace); }))
    return;
  Case value = *std::move(check.value);
  value.return_is_last = false;
  check.value = std::move(value);
}

bool is_readable(const ThunderSource& source, const ThunderFacts& facts) {
  return static_cast<bool>(thunder_graph(source.trace, source.text, facts, ThunderPart::whole));
}

void add_step(std::vector<TraceCheck>& out, std::vector<ThunderSource>& all, std::size_t at,
              const ThunderFacts& facts) {
  const ThunderSource& now = all[at];
  const ThunderSource* before = compared_with(all, at);
  const bool split = before != nullptr && asks_thunder_gradients(before->trace) && !now.joint &&
                     is_thunder_forward(now.trace);  // checked with its backward
  if (before != nullptr && !split) {
    out.push_back(
        check_named(TraceCheck::What::pair, now.name, pair_case(*before, now, facts), is_symbolic(now.text)));
    note_gathered(out.back().value, *before, now);
    if (!returns_last(now.trace)) note_later_passes(out.back(), all, at);
    if (!out.back().value) all[at].unreadable = !is_readable(thunder_beside(now, *before, false), facts);
  }
  if (!now.joint || (before != nullptr && before->joint)) return;
  out.push_back(check_named(TraceCheck::What::single, now.name + "/joint",
                            single_case(thunder_alone(now, true), facts), is_symbolic(now.text)));
  note_gathered(out.back().value, now, now);
  if (auto missed = gradients_case(thunder_alone(now, true), facts))
    out.push_back(check_named(TraceCheck::What::single, now.name + "/gradients", *std::move(missed)));
}

/// The check of a trace without a predecessor to be compared with.
TraceCheck alone_check(const ThunderSource& source, const ThunderFacts& facts) {
  return check_named(TraceCheck::What::single, source.name, single_case(thunder_alone(source), facts),
                     is_symbolic(source.text));
}

/// Traces state what gradients are, not for which results of the program autograd has a grad_fn.
void leave_out_bookkeeping(std::vector<TraceCheck>& checks) {
  for (TraceCheck& check : checks)
    if (check.value) check.unchecked.emplace_back("grad_fn of results");
}

/// Compares the joint trace with the first forward and backward, and each further backward with the one
/// before.
void add_backward(std::vector<TraceCheck>& out, const std::vector<ThunderSource>& forward,
                  const std::vector<ThunderSource>& backward, const ThunderFacts& facts) {
  const auto split =
      std::ranges::find_if(forward, [](const ThunderSource& s) { return is_thunder_forward(s.trace); });
  if (split == forward.end()) return;
  // A backward may perform writes of the forward; until it runs, the caller sees that they are missing.
  if (!backward.empty() && split != forward.begin() && std::prev(split)->joint &&
      copies_in_thunder(backward[0].trace))
    out.push_back(check_named(TraceCheck::What::pair, split->name + "/forward",
                              pair_case(*std::prev(split), *split, facts)));
  const auto joined = [&](const ThunderSource& with) {
    return thunder_joined(split->trace, split->text, with.trace, with.text, facts);
  };
  for (std::size_t k = 0; k < backward.size(); ++k) {
    const bool from_joint = k == 0 && split != forward.begin() && std::prev(split)->joint;
    if (k == 0 && !from_joint) {
      if (forward.size() == 1) out.push_back(alone_check(*split, facts));
      out.push_back(alone_check(backward[k], {}));
      continue;
    }
    const ThunderSource& earlier = k == 0 ? *std::prev(split) : backward[k - 1];
    const ThunderSource from = thunder_beside(earlier, backward[k], true),
                        to = thunder_beside(backward[k], earlier, false);
    auto before = k == 0 ? thunder_graph(from.trace, from.text, facts, ThunderPart::whole) : joined(from);
    out.push_back(check_named(TraceCheck::What::pair, to.name,
                              pair_case(std::move(before), joined(to), facts, to.trace)));
  }
}

}  // namespace

std::vector<TraceCheck> read_thunder(const ThunderFile& file, const std::string& inputs) {
  const auto facts = facts_in(inputs);
  if (!facts) return one_fault(file.name, facts.fault());
  auto sources = sources_in(file);
  if (!sources) return one_fault(file.name, sources.fault());
  std::vector<TraceCheck> out;
  if (sources->size() == 1) {
    out.push_back(alone_check(sources->front(), *facts));
    return out;
  }
  gather_thunder_parameters(*sources, *facts);
  for (std::size_t k = 0; k < sources->size(); ++k) {
    (*sources)[k].name += "/" + std::to_string(k);
    add_step(out, *sources, k, *facts);
  }
  return out;
}

Result<Case> read_thunder_pair(const ThunderFile& before, const ThunderFile& after,
                               const std::string& inputs) {
  const auto facts = facts_in(inputs);
  if (!facts) return facts.fault();
  std::vector<ThunderSource> both;
  for (const ThunderFile* file : {&before, &after}) {
    auto source = source_of(*file);
    if (!source) return file == &before ? in_file(before.name, source.fault()) : source.fault();
    both.push_back(*std::move(source));
  }
  gather_thunder_parameters(both, *facts);
  auto out = pair_case(both[0], both[1], *facts);
  note_gathered(out, both[0], both[1]);
  return out;
}

std::vector<TraceCheck> read_thunder_sequence(const std::vector<ThunderFile>& forward,
                                              const std::vector<ThunderFile>& backward,
                                              const std::string& inputs) {
  const auto facts = facts_in(inputs);
  if (!facts) return one_fault("inputs.json", facts.fault());
  std::vector<TraceCheck> out;
  std::vector<ThunderSource> first, second;
  const auto read = [&](const std::vector<ThunderFile>& files, std::vector<ThunderSource>& into) {
    for (const ThunderFile& file : files) {
      auto source = source_of(file);
      if (!source) {
        out.push_back(check_named(TraceCheck::What::single, file.name, in_file(file.name, source.fault())));
      } else {
        into.push_back(*std::move(source));
      }
    }
  };
  read(forward, first);
  read(backward, second);
  if (first.size() == 1 && second.empty() && out.empty()) {
    out.push_back(alone_check(first[0], *facts));
    return out;
  }
  gather_thunder_parameters(first, *facts);
  for (std::size_t k = 0; k < first.size(); ++k) add_step(out, first, k, *facts);
  add_backward(out, first, second, *facts);
  if (!second.empty() || std::ranges::any_of(first, &ThunderSource::joint)) leave_out_bookkeeping(out);
  return out;
}

}  // namespace noclobber
