#include "src/check/findings.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "src/base/number.h"
#include "src/check/finding_picture.h"
#include "src/check/finding_unbound.h"
#include "src/check/finding_words.h"
#include "src/graph/bodies.h"
#include "src/report/rules.h"

namespace noclobber {
namespace {

static_assert(Place::kEntry == kEntryStep);

std::optional<FindingPlace> place(const Graph& graph, const std::optional<Place>& from) {
  if (!from) return std::nullopt;
  FindingPlace out;
  out.graph = "after";
  out.step = from->step;
  out.name = from->name;
  out.loc = from->loc;
  out.statement = from->step == Place::kEntry ? "input " + from->name : statement_text(graph, from->step);
  return out;
}

/// The line of the user's code at fault: that of the first place that has one, in the order in which the
/// terminal shows them.
std::string code_of(const Case& value, const Finding& finding) {
  const auto code = [](const Graph& graph, const std::optional<FindingPlace>& place) {
    return place && place->step < graph.steps.size() ? graph.steps[place->step].source->code : std::string();
  };
  std::string out = code(value.after, finding.define);
  if (out.empty() && value.before) out = code(*value.before, finding.before);
  if (out.empty()) out = code(value.after, finding.read);
  return out.empty() ? code(value.after, finding.clobber) : out;
}

const char* role_name(InnerPlace::Role role) {
  switch (role) {
    case InnerPlace::Role::define:
      return "define";
    case InnerPlace::Role::clobber:
      return "clobber";
    case InnerPlace::Role::read:
      return "read";
    case InnerPlace::Role::differs:
      return "differs";
  }
  return "";
}

const char* role_note(InnerPlace::Role role) {
  switch (role) {
    case InnerPlace::Role::define:
      return "a. the value it means";
    case InnerPlace::Role::clobber:
      return "b. overwrites it";
    case InnerPlace::Role::read:
      return "c. reads it: means a, finds b";
    case InnerPlace::Role::differs:
      return "before has no such step";
  }
  return "";
}

/// Adds the places inside of bodies, with their statements.
void put_inside(Finding& out, const Case& value, const Witness& w) {
  for (const InnerPlace& inner : w.inside) {
    const Graph* body = find_body(value, value.after, inner.body);
    if (body == nullptr) continue;
    FindingPlace at = *place(*body, inner.place);
    at.body = inner.body;
    at.note = role_note(inner.role);
    out.inside.emplace_back(role_name(inner.role), std::move(at));
  }
}

/// Adds what a fingerprint has of the output or the storage at fault.
void put_subjects(Finding& out, const Case& value, const Witness& w) {
  const Graph& after = value.after;
  const auto k = leading_number<std::size_t>(out.witness_where, "output ");
  const bool tensor = k && *k < after.outputs.size() && after.outputs[*k].kind == Arg::Kind::ref;
  if (tensor && (w.rule == "NC005" || w.rule == "NC020" || w.rule == "NC022"))
    out.subjects.push_back(value_key(after, after.outputs[*k].ref));
  if (w.rule == "NC003" || w.rule == "NC005" || w.rule == "NC006")
    out.subjects.push_back(value_key(after, after.find(w.storage)));
  if (w.rule == "NC006" && w.before && value.before)
    out.subjects.push_back(step_key(*value.before, w.before->step));
}

Finding finding_of(const Case& value, const Witness& w) {
  Finding out;
  out.rule = w.rule;
  out.property = w.property;
  out.aspect = w.aspect;
  out.pass = value.pass;
  out.storage = w.storage;
  out.storage_type = type_and_bytes(value.after, w.storage);
  if (w.last_byte > w.first_byte) out.bytes = std::pair{w.first_byte, w.last_byte};
  out.define = place(value.after, w.define);
  out.clobber = place(value.after, w.clobber);
  out.read = place(value.after, w.read);
  note_places(out, value, w);
  out.message = w.message;
  out.witness_symbols = w.symbols;
  out.witness_inputs = w.inputs;
  out.witness_where = w.where;
  out.witness_seed = w.options.contents_seed;
  out.witness_order = w.options.order;
  out.index = w.index;
  out.expected = w.expected;
  out.actual = w.actual;
  tell_unbound(out, value, w);
  out.before = place_in_before(out, value, w);
  put_subjects(out, value, w);
  const Graph none;
  out.fingerprint = fingerprint(out, value.before ? *value.before : none, value.after);
  put_boundary(out, value, w);
  out.code = code_of(value, out);
  out.replayed = true;
  out.help = help_for_pass(out, value);
  out.help_model = help_for_model(out, value);
  out.reaches = w.reaches;
  put_inside(out, value, w);
  put_lanes(out, w);
  put_picture(out, value);
  return out;
}

Finding flight_finding(const Case& value, const Flown& flown) {
  Finding out;
  out.rule = "NC010";
  out.property = "order-hazard";
  out.pass = value.pass;
  out.define = place_of_step(value.after, flown.launched);
  out.define->note = "in flight from here on";
  out.storage = out.define->name;
  std::optional<FindingPlace>& touches = flown.writes ? out.clobber : out.read;
  touches = place_of_step(value.after, flown.at);
  touches->note = flown.writes ? "overwrites what is in use" : "reads what may not be there yet";
  const std::string touching = touches->name;
  out.message = touching + (flown.writes ? " writes what " : " reads what ") + out.define->name +
                (flown.writes ? " still uses" : " still makes") + ": nobody has waited for it";
  out.witness_where =
      "every run in which " + out.define->name + " takes longer than what stands between them";
  out.replayed = true;
  out.help = "wait for " + out.define->name + " before " + touching;
  out.code = code_of(value, out);
  const Graph none;
  out.fingerprint = fingerprint(out, value.before ? *value.before : none, value.after);
  return out;
}

/// Marks a finding as a consequence of another: both are one error.
void follow(std::vector<Finding>& findings, std::size_t cause, std::size_t at) {
  Finding& follows = findings[at];
  follows.follows = findings[cause].rule;
  follows.fingerprint = findings[cause].fingerprint;
  findings[cause].also_breaks.push_back({follows.rule, follows.property, follows.message});
}

}  // namespace

FindingPlace place_of_step(const Graph& graph, std::uint32_t step) {
  FindingPlace out;
  out.graph = "after";
  out.step = step;
  out.name = "return";
  out.statement = statement_text(graph, step);
  if (step >= graph.steps.size()) return out;
  const Step& at = graph.steps[step];
  const bool named = !at.results.empty() && at.results[0].valid();
  out.name = named ? graph.value(at.results[0]).name : *at.op;
  out.loc = at.source->loc;
  return out;
}

FindingPlace place_of_value(const Graph& graph, const Value& value) {
  FindingPlace out;
  if (value.from == Value::From::step) {
    out = place_of_step(graph, value.at);
  } else {
    out.graph = "after";
    out.step = kEntryStep;
    out.statement = "input " + value.name;
  }
  out.name = value.name;
  return out;
}

/// An unwritten value that a payload returns is no tensor. It has a finding about registers and one about the
/// pair of graphs, in the same order.
static void follow_unwritten(std::vector<Finding>& findings, std::size_t first) {
  std::size_t cause = 0;
  const auto unwritten = [&](const Finding& f) {
    return f.rule == "NC002" && f.aspect == "read by the caller";
  };
  for (std::size_t k = first; k < findings.size(); ++k) {
    if (findings[k].rule != "NC020" || findings[k].actual != "no tensor" || !findings[k].follows.empty())
      continue;
    while (cause < first && !unwritten(findings[cause])) ++cause;
    if (cause == first) return;
    follow(findings, cause++, k);
  }
}

void report_replay(CheckRecord& record, const Case& value, const ReplayResult& shown) {
  const std::size_t first = record.findings.size();
  for (const Witness& w : shown.witnesses) record.findings.push_back(finding_of(value, w));
  for (std::size_t k = 0; k < shown.witnesses.size(); ++k)
    if (shown.witnesses[k].follows < shown.witnesses.size())
      follow(record.findings, first + shown.witnesses[k].follows, first + k);
  follow_unwritten(record.findings, first);
  if (!shown.witnesses.empty()) record.status = Status::refuted;
}

void report_flights(CheckRecord& record, const Case& value, const std::vector<Flown>& flown) {
  for (const Flown& one : flown) {
    if (!one.surely) continue;
    record.findings.push_back(flight_finding(value, one));
    record.status = Status::refuted;
  }
}

void fill_properties(CheckRecord& record, const Case& value) {
  complete_reasons(record, value);
  std::vector<std::string> asked{"immutable-write", "intra-op-overlap", "metadata"};
  if (value.before)
    asked = {"stale-read",    "uninitialized-read", "immutable-write", "value-mismatch", "alias-growth",
             "lost-mutation", "intra-op-overlap",   "self-overlap",    "metadata",       "signature"};
  if (!value.before && value.names_are_values) asked.emplace_back("stale-read");
  if (value.plan) asked.insert(asked.end(), {"plan-overlap", "plan-bounds", "plan-lifetime", "size-fit"});
  // One refutation leaves the other properties undecided.
  const Status rest = record.status == Status::proved ? Status::proved : Status::unknown;
  for (const std::string& property : asked) record.properties[property] = rest;
  for (const Finding& finding : record.findings) record.properties[finding.property] = finding.status;
}

}  // namespace noclobber
