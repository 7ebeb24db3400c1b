#include "src/fuzz/trial.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/formats/formats.h"
#include "src/fuzz/reduce.h"

namespace noclobber::fuzz {
namespace {

using SortedJson = nlohmann::json;

constexpr std::size_t kSmall = 6;  // steps of a case that needs no further reduction

SortedJson parsed(const std::string& text) { return SortedJson::parse(text, nullptr, false); }

/// The same members in the same words, as the writer of cases has them of what was read.
SortedJson canonical(const Case& value) {
  const std::string text = write_case_json(value);
  const auto again = read_case_json(text);
  return parsed(again ? write_case_json(*again) : text);
}

std::string without_newlines(std::string text) {
  const SortedJson value = parsed(text);
  return value.is_discarded() ? text : value.dump();
}

/// A member of the answer that says something else than the question did; "" for none.
std::string changed_member(const SortedJson& asked, const SortedJson& said) {
  for (const char* name : {"symbols", "assume", "ops", "before", "order", "strides", "sharing", "plan"})
    if (said.contains(name) && (!asked.contains(name) || asked[name] != said[name]))
      return std::string("/") + name;
  if (said["after"].value("inputs", SortedJson()) != asked["after"].value("inputs", SortedJson()))
    return "/after/inputs";
  return "";
}

void rename_graphs(Arg& arg, const std::map<std::string, std::string>& names) {
  if (arg.kind == Arg::Kind::graph)
    if (const auto at = names.find(arg.text); at != names.end()) arg.text = at->second;
  for (Arg& item : arg.list) rename_graphs(item, names);
}

void rename_graphs(Graph& graph, const std::map<std::string, std::string>& names) {
  for (Step& step : graph.steps) {
    for (Arg& arg : step.args) rename_graphs(arg, names);
    for (auto& [name, arg] : step.kwargs) rename_graphs(arg, names);
  }
}

/// Bodies that the pass changed have another name beside those of the question.
void merge_bodies(Case& value, std::map<std::string, Graph> bodies, const Case& question) {
  const SortedJson asked = canonical(question).value("graphs", SortedJson::object());
  Case said = question;
  said.bodies = bodies;
  const SortedJson made = canonical(said).value("graphs", SortedJson::object());
  std::map<std::string, std::string> names;
  for (const auto& [name, body] : bodies)
    if (!asked.contains(name) || asked[name] != made[name]) names[name] = name + "__after";
  if (names.empty()) return;
  for (auto& [name, body] : bodies) {  // whoever calls a changed one calls it by its new name
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

Reading read_json(const Case& question, const std::string& text) {
  SortedJson said = parsed(text);
  if (!said.is_object()) return unreadable({"", "is no JSON object"});
  if (said.contains("error"))
    return {std::nullopt, "crash", said["error"].is_string() ? said["error"].get<std::string>() : "error"};
  if (said.contains("skip"))
    return {std::nullopt, "skip", said["skip"].is_string() ? said["skip"].get<std::string>() : ""};
  const SortedJson asked = canonical(question);
  if (!said.contains("after") && said.contains("steps")) {
    SortedJson whole = asked;
    if (!said.contains("inputs")) said["inputs"] = asked["after"]["inputs"];
    whole["after"] = std::move(said);
    said = std::move(whole);
  }
  auto read = read_case_json(said.dump());
  if (!read) return unreadable(read.fault());
  if (const std::string member = changed_member(asked, canonical(*read)); !member.empty())
    return {std::nullopt, "changed-question", member + " is not what was asked"};
  Case value = question;
  value.after = std::move(read->after);
  merge_bodies(value, std::move(read->bodies), question);
  return {std::move(value), "", ""};
}

/// Is the pass still at fault, and in the same way?
bool is_like(const Trial& trial, const Trial& first, const std::string& cause) {
  return trial.kind == first.kind && !trial.alarm && cause_of(trial) == cause;
}

/// A program that means something: beside itself it is proved.
bool is_sound(const Case& program, const Judge& judge) {
  bool alarm = false;
  return judge.check(question_of(program), alarm).status == Status::proved && !alarm;
}

Case alone(const Case& question) {
  Case out = question;
  out.after = *question.before;
  out.before.reset();
  return out;
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
  } else if (sound) {  // else nobody can say what the program should have done
    out.kind = "refuted";
    for (const Finding& finding : out.record.findings)
      if (is_cause(finding) && out.why.empty())
        out.why = finding.rule + " " + finding.property + ": " + finding.message;
  } else {
    out.is_beyond = true;
  }
}

}  // namespace

Case question_of(const Case& program) {
  Case out = program;
  out.before = program.after;
  return out;
}

std::string text_of_question(const Case& question, Form form, bool one_line) {
  if (form == Form::fx_text) {
    const std::string text = write_fx_text(question.after);
    return one_line ? SortedJson(text).dump() : text;
  }
  std::string text = write_case_json(question);
  return one_line ? without_newlines(std::move(text)) : text;
}

Reading read_answer(const Case& question, const std::string& text, Form form) {
  if (form == Form::case_json) return read_json(question, text);
  const SortedJson line = parsed(text);  // of a persistent pass: the text as a JSON string
  return read_fx(question, line.is_string() ? line.get<std::string>() : text);
}

Trial try_program(const Case& program, const Judge& judge, bool twice) {
  Trial out;
  out.question = question_of(program);
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
    if (first.kind != "refuted" && !is_sound(program, judge)) return false;  // a pass may refuse nonsense
    out.trial = std::move(next);
    return true;
  };
  reduce_case(alone(first.question), same, most);
  if (first.kind != "refuted" || out.trial.value->after.steps.size() <= kSmall) return out;
  // The pass does it no more to anything smaller: then the pair itself is made smaller.
  const auto still = [&](const Case& value) {
    Trial next{question_of(value), "refuted", "", value, {}, false, false, false};
    next.question.before = *value.before;
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
