#include "src/check/finding_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "src/base/number.h"
#include "src/check/finding_picture.h"
#include "src/check/findings.h"
#include "src/check/register_help.h"
#include "src/graph/uses.h"

namespace noclobber {
namespace {

std::string range_text(const Witness& w) {
  if (w.last_byte <= w.first_byte) return "";
  return " [" + std::to_string(w.first_byte) + ", " + std::to_string(w.last_byte) + ")";
}

void note(std::optional<FindingPlace>& place, const std::string& text) {
  if (place) place->note = text;
}

void note_stale(Finding& finding, const Witness& w) {
  const bool itself = finding.clobber && finding.read && finding.clobber->step == finding.read->step;
  note(finding.define, "the value lives in " + w.storage);
  note(finding.clobber, (itself ? "writes" : "overwritten") + range_text(w));
  note(finding.read, itself ? "and still reads it: finds what it wrote itself" : "reads: means 1, finds 2");
}

/// The kind of the hazard determines which of the two steps comes first.
void note_order(Finding& finding, const Witness& w) {
  if (w.aspect == "write-read") {
    note(finding.define, "what " + w.storage + " holds before");
    note(finding.clobber, "writes" + range_text(w) + ": comes first");
    note(finding.read, "reads: means 2, but nothing orders it behind 2");
  } else if (w.aspect == "read-write") {
    note(finding.define, "the value lives in " + w.storage);
    note(finding.clobber, "writes" + range_text(w) + ": comes last, but nothing orders it behind 3");
    note(finding.read, "reads: comes first, means 1");
  } else if (w.aspect == "write-write") {
    note(finding.define, "writes last: what it makes is meant, but nothing orders it behind 2");
    note(finding.clobber, "writes" + range_text(w) + ": comes first");
    note(finding.read, "means 1");
  } else {
    note(finding.define, "comes last, but nothing orders it behind 2");
    note(finding.clobber, "comes first");
  }
}

/// True if the step writes into an existing tensor.
bool writes_in_place(const Graph& graph, const std::optional<FindingPlace>& place) {
  if (!place || place->step >= graph.steps.size()) return false;
  const std::string& op = graph.steps[place->step].op;
  const std::string name = op.substr(0, op.rfind('.'));
  const auto& kwargs = graph.steps[place->step].kwargs;
  return (name.ends_with('_') && !name.ends_with("__")) ||
         std::ranges::any_of(kwargs, [](const auto& entry) { return entry.first == "out"; });
}

FindingPlace place_before(const Graph& before, std::uint32_t step, const std::string& name,
                          const std::string& says) {
  FindingPlace out;
  out.graph = "before";
  out.step = step;
  out.name = name;
  out.note = says;
  out.statement = step == kEntryStep ? "input " + name : statement_text(before, step);
  if (step < before.steps.size()) out.loc = before.steps[step].source->loc;
  return out;
}

std::optional<FindingPlace> same_name(const Graph& before, const std::string& name) {
  for (std::uint32_t k = 0; k < before.steps.size(); ++k)
    for (const ValueId id : before.steps[k].results)
      if (id.valid() && before.value(id).name == name)
        return place_before(before, k, name, "the same in before");
  return std::nullopt;
}

/// The dtypes of the defining step here and of the step of the same name in `before`, if they are known and
/// differ.
std::optional<std::pair<Dtype, Dtype>> other_dtype(const Finding& finding, const Case& value) {
  if (!finding.define || !value.before) return std::nullopt;
  const auto there = same_name(*value.before, finding.define->name);
  const std::pair of{dtype_made(value.after, finding.define->step),
                     dtype_made(*value.before, there ? there->step : kEntryStep)};
  const bool known = of.first != Dtype::other && of.second != Dtype::other;
  return known && of.first != of.second ? std::optional(of) : std::nullopt;
}

void note_mismatch(Finding& finding, const Case& value) {
  const auto dtypes = other_dtype(finding, value);
  note(finding.define, dtypes ? fmt::format("the first that differs from before: {} here, {} there",
                                            name(dtypes->first), name(dtypes->second))
                              : "the first whose result is another than in before");
  note(finding.clobber,
       writes_in_place(value.after, finding.clobber) ? "writes what is seen last" : "makes what is seen");
  note(finding.read, "differs from before");
}

const Value* output_of(const Graph& graph, const std::string& where) {
  const auto k = leading_number<std::size_t>(where, "output ");
  const bool tensor = k && *k < graph.outputs.size() && graph.outputs[*k].kind == Arg::Kind::ref;
  return tensor ? &graph.value(graph.outputs[*k].ref) : nullptr;
}

/// The statement of the step of `before`, or the input there; else that of the defining step.
std::string meant(const Finding& finding) {
  const FindingPlace& of = finding.before ? *finding.before : *finding.define;
  return of.statement;
}

bool listed_before(const Graph& graph, const std::string& first, const std::string& second) {
  const auto at = [&](const std::string& name) {
    const ValueId id = graph.find(name);
    return id.valid() && graph.value(id).from == Value::From::step ? std::int64_t{graph.value(id).at} : -1;
  };
  return at(first) >= 0 && at(second) >= 0 && at(first) < at(second);
}

/// True if the write is in place in both graphs, and stands after the read in `before` and ahead of it in
/// `after`.
bool only_moved(const Finding& finding, const Case& value) {
  if (!finding.clobber || !finding.read || !value.before) return false;
  const auto write = same_name(*value.before, finding.clobber->name);
  return write && writes_in_place(*value.before, write) && writes_in_place(value.after, finding.clobber) &&
         listed_before(*value.before, finding.read->name, finding.clobber->name) &&
         listed_before(value.after, finding.clobber->name, finding.read->name);
}

/// Where the output at fault lies.
std::string sharing_note(const Value& output, const Witness& w) {
  if (w.storage != output.name && !w.storage.empty()) return "lies in the storage of " + w.storage;
  return output.from == Value::From::step ? "has a storage of its own" : "what the caller gave";
}

/// The step of `before` with the same statement but for being in place; empty if there is none or several.
std::optional<FindingPlace> functional_twin(const Graph& before, const std::string& statement) {
  const auto said = [](std::string text) {
    text.erase(0, std::min(text.find(" = "), text.size()));
    if (const std::size_t at = text.find("_("); at != text.npos) text.erase(at, 1);
    return text;
  };
  std::optional<FindingPlace> out;
  for (std::uint32_t k = 0; k < before.steps.size(); ++k) {
    const std::string text = statement_text(before, k);
    if (text == statement || said(text).empty() || said(text) != said(statement)) continue;
    if (out) return std::nullopt;
    out = place_before(before, k, before.steps[k].extras->id, "");
  }
  return out;
}

std::string stale_help(const Finding& finding, const Case& value) {
  const std::string at = finding.clobber->statement;
  if (!value.registers.empty() && !finding.clobber->loc.empty()) return slot_help(finding);
  if (only_moved(finding, value)) return "keep " + finding.read->statement + " before " + at;
  if (!finding.define) return "clone what is read before " + at;
  const bool moved_in = finding.before && finding.before->step < value.before->steps.size() &&
                        writes_in_place(value.after, finding.define) &&
                        finding.before->statement != finding.define->statement;
  if (moved_in) return "keep " + meant(finding) + " functional here, or clone it before " + at;
  auto was = value.before ? same_name(*value.before, finding.clobber->name) : std::nullopt;
  if (!was && value.before && writes_in_place(value.after, finding.clobber))
    was = functional_twin(*value.before, at);
  const bool rewritten = was && was->statement != at && !writes_in_place(*value.before, was);
  const bool entry = finding.define->step >= value.after.steps.size();
  const std::string clone = entry ? "clone " + meant(finding) : "clone what " + meant(finding) + " makes";
  return (rewritten ? "keep " + was->statement + " functional here, or " : "") + clone + " before " + at;
}

std::string code_line(const Case& value, const std::optional<FindingPlace>& place) {
  if (!place) return "";
  const bool before = place->graph == "before";
  if (before && !value.before) return "";
  const Graph& graph = before ? *value.before : value.after;
  if (place->step >= graph.steps.size() || graph.steps[place->step].source->code.empty()) return "";
  return graph.steps[place->step].source->code + (place->loc.empty() ? "" : " (" + place->loc + ")");
}

}  // namespace

void note_places(Finding& finding, const Case& value, const Witness& w) {
  if (w.rule == "NC001") note_stale(finding, w);
  if (!w.aspect.empty() && (w.rule == "NC010" || w.rule == "NC011")) return note_order(finding, w);
  if (w.rule == "NC004") note_mismatch(finding, value);
  if (w.rule == "NC002") {
    note(finding.define, "nothing is written into it");
    note(finding.read, "reads what is there");
  } else if (w.rule == "NC003") {
    note(finding.clobber, "writes" + range_text(w) + " of " + w.storage);
  } else if (w.rule == "NC006") {
    note(finding.clobber, "leaves what was there at entry");
    note(finding.read, "what is seen was not written");
  } else if (w.rule == "NC007") {
    const bool twice = w.aspect == "results";
    note(finding.define, "an operand, in " + w.storage);
    note(finding.clobber, twice ? "writes two results into the same bytes"
                                : "writes" + range_text(w) + ", where the operand lies");
    note(finding.read, twice ? "the same step" : "the same step: finds what it wrote itself");
  } else if (w.rule == "NC008") {
    note(finding.clobber, "writes one element through two indices");
  } else if (w.rule == "NC009") {
    note(finding.clobber, "once more than before");
  } else if (w.rule == "NC011") {
    note(finding.clobber, "behind the return");
  } else if (w.rule == "NC020" && w.aspect == "in place") {
    note(finding.clobber, "in place: the result stays " + w.actual + ", and the graph says " + w.expected);
  } else if (w.rule == "NC020" && w.aspect == "told") {
    note(finding.clobber, "makes " + w.actual + ", and the graph says " + w.expected);
  } else if (w.rule == "NC021" && !w.storage.empty()) {
    note(finding.clobber, "raises: the result does not fit into " + w.storage);
  } else if (w.rule == "NC020" || w.rule == "NC021" || w.rule == "NC023") {
    note(finding.clobber, "raises");
  }
}

void put_boundary(Finding& finding, const Case& value, const Witness& w) {
  const bool told = finding.define || finding.clobber || finding.read;
  if (told || (w.rule != "NC005" && w.rule != "NC006" && w.rule != "NC020" && w.rule != "NC022")) return;
  const Graph& after = value.after;
  if (w.rule == "NC006" && w.storage.empty()) return;
  if (w.rule != "NC006" && w.rule != "NC022" && !w.where.starts_with("output ")) return;
  finding.read = place_of_step(after, static_cast<std::uint32_t>(after.steps.size()));
  const Value* output = output_of(after, w.where);
  if (w.rule == "NC006") {
    finding.read->note = "what is seen was not written";
  } else if (w.aspect == "number of outputs") {
    finding.read->note = "returns " + w.actual + ", and before returns " + w.expected;
  } else if (w.rule == "NC022") {
    finding.read->note = "gives it as " + w.where;
    if (output != nullptr) finding.define = place_of_value(after, *output);
    note(finding.define, "makes what another receives in before");
  } else if (w.rule == "NC005") {
    finding.read->note = w.message.substr(0, w.message.find(" and did not before"));
    if (output != nullptr) finding.define = place_of_value(after, *output);
    note(finding.define, output == nullptr ? "" : sharing_note(*output, w));
  } else {
    finding.read->note = w.where + " should have " + w.aspect + " " + w.expected;
    if (output != nullptr) finding.define = place_of_value(after, *output);
    note(finding.define, "has " + w.aspect + " " + w.actual);
  }
}

std::optional<FindingPlace> place_in_before(const Finding& finding, const Case& value, const Witness& w) {
  if (!value.before) return std::nullopt;
  const Graph& before = *value.before;
  if (w.rule == "NC001" || w.rule == "NC006") {
    if (!w.before) return std::nullopt;
    const bool entry = w.before->step >= before.steps.size();
    const char* says = w.rule == "NC006" ? "the write that is gone"
                       : entry           ? "holds what is meant"
                                         : "makes what is meant";
    return place_before(before, w.before->step, w.before->name, says);
  }
  if (w.aspect == "number of outputs")
    return place_before(before, static_cast<std::uint32_t>(before.steps.size()), "return",
                        "returns " + w.expected);
  if (finding.aspect == "undefined name")
    if (auto same = same_name(before, finding.define->name)) return same;
  const Value* output = output_of(before, finding.witness_where);
  if (output != nullptr && output->from == Value::From::step)
    return place_before(before, output->at, output->name, "makes what is meant");
  if (output != nullptr && (w.rule == "NC005" || w.rule == "NC020" || w.rule == "NC022"))
    return place_before(before, kEntryStep, output->name, "is what is meant");
  for (const auto* at : {&finding.read, &finding.define, &finding.clobber})
    if (*at)
      if (auto same = same_name(before, (*at)->name)) {
        if (same->statement == (*at)->statement) same->note = "the same in before";
        return same;
      }
  return std::nullopt;
}

namespace {

std::string sharing_help(const Finding& finding) {
  if (finding.aspect.ends_with("lost"))
    return "return " + (finding.before ? "what " + finding.before->statement + " makes" : "the view itself") +
           ": the caller counts on one storage";
  if (finding.aspect == "itself") return "return a clone: a write into one element would change another";
  const bool made = finding.before && !finding.before->statement.starts_with("input ");
  const std::string what =
      made ? "return what " + finding.before->statement + " of before makes, without sharing more than it did"
           : "return a clone";
  return what + ": the caller may write one of the two";
}

/// For a step with the same statement as in `before`: names a write that it follows there, and precedes here.
std::string early_help(const Finding& finding, const Case& value) {
  const auto& place = finding.define ? finding.define : finding.clobber;
  const auto there = place && value.before ? same_name(*value.before, place->name) : std::nullopt;
  if (finding.rule != "NC004" || !there || there->statement != place->statement) return "";
  const Graph& before = *value.before;
  const std::vector<ValueId> uses = uses_of(before.steps[there->step]);
  for (std::uint32_t k = there->step; k-- > 0;) {
    const Step& write = before.steps[k];
    if (write.args.empty() || write.results.empty() || !write.results[0].valid()) continue;
    const std::string& result = before.value(write.results[0]).name;
    const bool written = std::ranges::find(uses, write.args[0].ref) != uses.end() &&
                         writes_in_place(before, place_before(before, k, result, ""));
    if (!written || !listed_before(value.after, place->name, result)) continue;
    return "keep " + place->statement + " behind " + statement_text(before, k) + ", which writes " +
           before.value(write.args[0].ref).name + " before it in before";
  }
  return "";
}

/// For a difference from `before` that no memory effect explains.
std::string difference_help(const Finding& finding, const Case& value) {
  const auto dtypes = other_dtype(finding, value);
  if (finding.rule == "NC004" && dtypes) {
    const auto [made, meant] = *dtypes;
    return fmt::format("let {} make {}, as before does, and not {}{}", finding.define->statement, name(meant),
                       name(made),
                       is_floating(made) && bit_width(made) < bit_width(meant) ? ", which rounds it" : "");
  }
  if (const std::string early = early_help(finding, value); !early.empty()) return early;
  if (finding.rule == "NC004" && finding.define)
    return "let " + finding.define->statement + " make what before makes: it is the first step that does not";
  if (finding.rule == "NC004" && finding.before)
    return "compare what this step is given with " + finding.before->statement + " of before";
  if (finding.rule != "NC020" && finding.rule != "NC022") return "";
  if (finding.aspect == "number of outputs") return "return as many values as before, in the same order";
  return finding.before ? "return what " + finding.before->statement + " of before makes" : "";
}

}  // namespace

std::string help_for_pass(const Finding& finding, const Case& value) {
  if (finding.rule == "NC004" && !value.registers.empty())
    if (const std::string odd = odd_help(value); !odd.empty()) return odd;
  const std::string at = finding.clobber ? finding.clobber->statement : "";
  if (finding.rule == "NC001" && finding.clobber) return stale_help(finding, value);
  if (finding.rule == "NC002" && finding.aspect == "undefined name")
    return "define " + finding.define->name +
           (finding.before ? ", as " + finding.before->statement + " of before does," : "") + " ahead of " +
           finding.read->statement;
  if (finding.rule == "NC002" && finding.define)
    return "write all of " + finding.storage + " before it is read, or make it by a step that fills it";
  if (finding.rule == "NC003")
    return "copy " + finding.storage + " first: the caller does not expect it to change";
  if (finding.rule == "NC005") return sharing_help(finding);
  if (finding.rule == "NC006" && finding.before) return "keep " + finding.before->statement;
  if (finding.rule == "NC007")
    return finding.aspect == "results" ? "let " + at + " write each result into a tensor of its own"
                                       : "clone the operand that meets the target before " + at;
  if (finding.rule == "NC008")
    return "write into a tensor of its own, then copy: the target holds an element twice";
  if (finding.rule == "NC009" && finding.clobber) return "let " + at + " run once";
  const bool misfit = finding.rule == "NC020" || finding.rule == "NC021" || finding.rule == "NC023";
  if (misfit && finding.clobber && writes_in_place(value.after, finding.clobber) && value.before) {
    auto was = finding.before ? finding.before : functional_twin(*value.before, at);
    if (was)
      return "keep " + was->statement + " functional: the result does not fit what it would be written into";
  }
  if ((finding.rule == "NC021" || finding.rule == "NC023") && finding.before)
    return "keep " + finding.before->statement;
  if (finding.rule == "NC023" && finding.clobber)
    return "compare what " + at + " is given with what before checks or computes there";
  if (finding.rule == "NC020" && finding.aspect == "told")
    return "give " + at + " the dtype that the graph says, or say the one that it makes";
  if (finding.rule == "NC011" && finding.clobber)
    return at.starts_with("return(")
               ? "let every write come before the return, which a barrier before it does"
               : "move " + at + " before the return, or drop it if nobody sees it";
  return difference_help(finding, value);
}

std::string help_for_model(const Finding& finding, const Case& value) {
  if (!value.registers.empty()) return "";  // the instructions of a payload have no line of the model
  if (only_moved(finding, value) && value.name.ends_with("/post_grad"))
    return "torch._inductor.config.reorder_for_locality = False leaves the steps in their order";
  if (finding.rule == "NC001") {
    std::string line = code_line(value, finding.before);
    if (line.empty()) line = code_line(value, finding.define);
    if (!line.empty()) return "until then, use .clone() of what this line makes: " + line;
  }
  if (finding.rule == "NC005") {
    const std::string line = code_line(value, finding.before);
    if (!line.empty()) return "until then, return .clone() of what this line makes: " + line;
  }
  if (finding.rule == "NC003" || finding.rule == "NC007" || finding.rule == "NC008") {
    const std::string line = code_line(value, finding.clobber);
    if (!line.empty()) return "until then, let this line work on a .clone(): " + line;
  }
  return "";
}

}  // namespace noclobber
