#include "src/fuzz/trial.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "src/formats/case/case_json.h"
#include "src/formats/fx_text/fx_text.h"
#include "src/fuzz/planning.h"
#include "src/fuzz/reduce.h"

namespace noclobber::fuzz {
namespace {

using SortedJson = nlohmann::json;

constexpr std::size_t kSmall = 6;  // steps of a case that needs no further reduction

SortedJson parsed(const std::string& text) { return SortedJson::parse(text, nullptr, false); }

/// The case in canonical JSON: written, read and written again.
SortedJson canonical(const Case& value) {
  const std::string text = write_case_json(value);
  const auto again = read_case_json(text);
  return parsed(again ? write_case_json(*again) : text);
}

std::string without_newlines(std::string text) {
  const SortedJson value = parsed(text);
  return value.is_discarded() ? text : value.dump();
}

/// The first of these members in which the answer differs from the question; "" if none does.
std::string changed_member(const SortedJson& asked, const SortedJson& said,
                           std::span<const char* const> names) {
  for (const char* name : names)
    if (said.contains(name) && (!asked.contains(name) || asked[name] != said[name]))
      return std::string("/") + name;
  return "";
}

constexpr const char* kNoPass[] = {"symbols", "assume",  "ops",     "before",
                                   "order",   "strides", "sharing", "plan"};
constexpr const char* kNoPlanner[] = {"symbols", "assume",  "ops",     "before", "after",
                                      "order",   "strides", "sharing", "graphs"};

std::string changed_by_pass(const SortedJson& asked, const SortedJson& said) {
  if (const std::string name = changed_member(asked, said, kNoPass); !name.empty()) return name;
  const bool same =
      said["after"].value("inputs", SortedJson()) == asked["after"].value("inputs", SortedJson());
  return same ? "" : "/after/inputs";
}

void rename_graphs(Arg& arg, const std::map<std::string, std::string>& names) {
  if (arg.kind == Arg::Kind::graph)
    if (const auto at = names.find(arg.text); at != names.end()) arg.text = at->second;
  for (Arg& item : arg.list.items()) rename_graphs(item, names);
}

void rename_graphs(Graph& graph, const std::map<std::string, std::string>& names) {
  for (Step& step : graph.steps) {
    for (Arg& arg : step.args) rename_graphs(arg, names);
    for (auto& [name, arg] : step.kwargs.items()) rename_graphs(arg, names);
  }
}

/// Bodies that the pass changed get another name beside those of the question.
void merge_bodies(Case& value, std::map<std::string, Graph> bodies, const Case& question) {
  const SortedJson asked = canonical(question).value("graphs", SortedJson::object());
  Case said = question;
  said.bodies = bodies;
  const SortedJson made = canonical(said).value("graphs", SortedJson::object());
  std::map<std::string, std::string> names;
  for (const auto& [name, body] : bodies)
    if (!asked.contains(name) || asked[name] != made[name]) names[name] = name + "__after";
  if (names.empty()) return;
  for (auto& [name, body] : bodies) {  // a caller of a changed body uses its new name
    rename_graphs(body, names);
    value.bodies[name + "__after"] = std::move(body);
  }
  for (const auto& [name, body] : bodies) names[name] = name + "__after";
  rename_graphs(value.after, names);
}

Reading unreadable(const Diagnostic& fault) {
  return {std::nullopt, "unreadable", fault.where + ": " + fault.message};
}

Reading read_fx(const Case& question, const std::string& text) {
  auto read = read_fx_text(text);
  if (!read) return unreadable(read.fault());
  Case value = question;
  Graph graph = std::move(read->graph);
  if (graph.inputs.size() != question.after.inputs.size())
    return {std::nullopt, "changed-question", "another number of inputs"};
  for (std::size_t k = 0; k < graph.inputs.size(); ++k) {
    const Value& asked = question.after.value(question.after.inputs[k].value);
    Value& said = graph.values[graph.inputs[k].value.index];
    if (said.name != asked.name)
      return {std::nullopt, "changed-question", "input " + asked.name + " is called " + said.name};
    const ValueId id = graph.inputs[k].value;
    graph.inputs[k] = question.after.inputs[k];
    graph.inputs[k].value = id;
    said.type = asked.type;
  }
  graph.device = question.after.device;
  value.after = std::move(graph);
  return {std::move(value), "", ""};
}

/// An answer that declines: it failed, or it does not support the program.
std::optional<Reading> refusal(const SortedJson& said) {
  if (!said.is_object()) return unreadable({"", "is no JSON object"});
  for (const auto& [member, kind] : {std::pair{"error", "crash"}, std::pair{"skip", "skip"}})
    if (said.contains(member))
      return Reading{std::nullopt, kind, said[member].is_string() ? said[member].get<std::string>() : member};
  return std::nullopt;
}

/// The case in the answer. An answer that is only the member `name` is put into the question.
Result<Case> read_said(const SortedJson& asked, SortedJson said, const char* name, const char* known_by) {
  if (!said.contains(name) && said.contains(known_by)) {
    SortedJson whole = asked;
    if (name == std::string_view("after") && !said.contains("inputs"))
      said["inputs"] = asked["after"]["inputs"];
    whole[name] = std::move(said);
    said = std::move(whole);
  }
  return read_case_json(said.dump());
}

Reading read_json(const Case& question, const std::string& text) {
  const SortedJson said = parsed(text), asked = canonical(question);
  if (auto out = refusal(said)) return *std::move(out);
  auto read = read_said(asked, said, "after", "steps");
  if (!read) return unreadable(read.fault());
  if (const std::string member = changed_by_pass(asked, canonical(*read)); !member.empty())
    return {std::nullopt, "changed-question", member + " is not what was asked"};
  Case value = question;
  value.after = std::move(read->after);
  merge_bodies(value, std::move(read->bodies), question);
  return {std::move(value), "", ""};
}

/// Takes the places and the planner's claims of live ranges and sharing; arenas keep the alignment of the
/// question.
Reading read_plan(const Case& question, const std::string& text) {
  const SortedJson said = parsed(text), asked = canonical(question);
  if (auto out = refusal(said)) return *std::move(out);
  auto read = read_said(asked, said, "plan", "buffers");
  if (!read) return unreadable(read.fault());
  if (const std::string member = changed_member(asked, canonical(*read), kNoPlanner); !member.empty())
    return {std::nullopt, "changed-question", member + " is not what was asked"};
  Case value = question;
  value.plan = std::move(read->plan);
  value.plan->required = question.plan->required;
  for (PlanArena& arena : value.plan->arenas) arena.alignment = question.plan->arenas[0].alignment;
  return {std::move(value), "", ""};
}

/// Reads the text in a JSON string, as a persistent command sends it, or the text itself.
template <typename Read>
Reading read_quoted(const Case& question, const std::string& text, const Read& read) {
  const SortedJson line = parsed(text);
  if (line.is_object())
    if (auto out = refusal(line)) return *std::move(out);
  return read(question, line.is_string() ? line.get<std::string>() : text);
}

/// True if the pass still has the fault, of the same kind and cause.
bool is_like(const Trial& trial, const Trial& first, const std::string& cause) {
  return trial.kind == first.kind && !trial.alarm && cause_of(trial) == cause;
}

/// True if the program is well defined: it is proved equal to itself, and so is its plan that reuses nothing.
/// A table is always sound.
bool is_sound(const Case& program, const Judge& judge) {
  if (judge.form == Form::plan_table) return true;
  const auto is_proved = [&](const Case& value) {
    bool alarm = false;
    return judge.check(value, alarm).status == Status::proved && !alarm;
  };
  Case one = program;
  if (is_planning(judge.form)) {
    if (!is_proved(placed_apart(program))) return false;
    one.plan.reset();
  }
  return is_proved(question_of(one, Form::case_json));
}

Case alone(const Case& question) {
  Case out = question;
  if (question.before) out.after = *question.before;
  out.before.reset();
  return out;
}

/// The question to which this pair is the answer.
Case question_of_pair(const Case& value, Form form) {
  Case out = value;
  if (is_planning(form))
    out.plan->buffers.clear();
  else
    out.after = *value.before;
  return out;
}

std::size_t steps_of(const Trial& trial) {
  return trial.question.plan ? trial.value->plan->buffers.size() : trial.value->after.steps.size();
}

void judge_value(Trial& out, const Judge& judge) {
  out.record = judge.check(*out.value, out.alarm);
  if (out.record.status == Status::error) {
    out.kind = "unreadable";
    for (const Unknown& u : out.record.unknown)
      for (const std::string& name : u.names) out.why += (out.why.empty() ? "" : "; ") + name;
  }
  if (out.record.status != Status::refuted && out.record.status != Status::unknown) return;
  const bool sound = is_sound(alone(out.question), judge);
  if (out.record.status == Status::unknown) {
    out.is_beyond = !sound;
  } else if (sound) {  // otherwise the expected result is not defined
    out.kind = "refuted";
    for (const Finding& finding : out.record.findings)
      if (is_cause(finding) && out.why.empty())
        out.why = finding.rule + " " + finding.property + ": " + finding.message;
  } else {
    out.is_beyond = true;
  }
}

}  // namespace

Case question_of(const Case& program, Form form) {
  Case out = program;
  if (!is_planning(form)) out.before = program.after;
  return out;
}

std::string text_of_question(const Case& question, Form form, bool one_line) {
  if (form == Form::fx_text || form == Form::plan_table) {
    const std::string text = form == Form::fx_text ? write_fx_text(question.after) : table_of(*question.plan);
    return one_line ? SortedJson(text).dump() : text;
  }
  std::string text = write_case_json(question);
  return one_line ? without_newlines(std::move(text)) : text;
}

Reading read_answer(const Case& question, const std::string& text, Form form) {
  switch (form) {
    case Form::case_json:
      return read_json(question, text);
    case Form::plan_case:
      return read_plan(question, text);
    case Form::fx_text:
      return read_quoted(question, text, read_fx);
    case Form::plan_table:
      return read_quoted(question, text, read_placed_table);
  }
  return {};
}

Trial try_program(const Case& program, const Judge& judge, bool twice) {
  Trial out;
  out.question = question_of(program, judge.form);
  const std::string question = text_of_question(out.question, judge.form, judge.one_line);
  const auto kind_of = [](Answer::Kind kind) -> std::string {
    switch (kind) {
      case Answer::Kind::said:
        return "";
      case Answer::Kind::crash:
        return "crash";
      case Answer::Kind::hang:
        return "hang";
      case Answer::Kind::silent:
        return "silent";
      case Answer::Kind::surplus:
        return "two-answers";
    }
    return "";
  };
  const Answer answer = judge.ask(question);
  out.kind = kind_of(answer.kind), out.why = answer.why, out.is_absent = answer.is_absent;
  if (out.is_finding()) return out;
  if (twice && judge.ask(question).text != answer.text) {
    out.kind = "two-answers", out.why = "asked again, it said something else";
    return out;
  }
  Reading reading = read_answer(out.question, answer.text, judge.form);
  out.kind = reading.kind, out.why = reading.why, out.value = std::move(reading.value);
  if (out.kind == "skip") out.kind.clear(), out.is_beyond = true;
  if (out.value) judge_value(out, judge);
  return out;
}

Reduced reduce_trial(const Trial& first, const Judge& judge, std::size_t most) {
  Reduced out{first, true};
  const std::string cause = cause_of(first);
  const bool twice = first.kind == "two-answers";
  const auto same = [&](const Case& program) {
    if (!judge.go_on()) return false;
    Trial next = try_program(program, judge, twice);
    if (!judge.go_on() || !is_like(next, first, cause)) return false;
    if (first.kind != "refuted" && !is_sound(program, judge)) return false;  // a pass may reject nonsense
    out.trial = std::move(next);
    return true;
  };
  reduce_case(alone(first.question), same, most);
  if (first.kind != "refuted" || steps_of(out.trial) <= kSmall) return out;
  // The pass makes no such fault in smaller programs, so the pair itself is reduced.
  const auto still = [&](const Case& value) {
    Trial next{question_of_pair(value, judge.form), "refuted", "", value, {}, false, false, false};
    if (!judge.go_on()) return false;
    next.record = judge.check(value, next.alarm);
    if (next.record.status != Status::refuted || cause_of(next) != cause) return false;
    if (!is_sound(alone(next.question), judge)) return false;
    next.why = first.why;
    out.trial = std::move(next), out.by_pass = false;
    return true;
  };
  reduce_case(*out.trial.value, still, most);
  return out;
}

}  // namespace noclobber::fuzz
