// The cause of a finding, which one fix would cure, as far as a case shows it.
#include <algorithm>
#include <map>
#include <set>

#include "src/fuzz/sharing.h"
#include "src/fuzz/trial.h"
#include "src/graph/uses.h"
#include "src/ops/schema.h"

namespace noclobber::fuzz {
namespace {

constexpr const char* kInPlace = "made in place";

bool is_write(const OpSet& ops, const Step& step) {
  const Schema* schema = ops.find(step.op);
  return schema != nullptr && schema->writes();
}

std::string edit_of(const OpSet& ops, const Step& before, const Step& after) {
  if (before.op == after.op) return "";
  if (is_write(ops, after) && !is_write(ops, before)) return kInPlace;
  return is_write(ops, after) ? "another write" : "another operator";
}

std::string dropped(const OpSet& ops, const Step& step) {
  if (is_write(ops, step)) return "dropped a write";
  return step.op->starts_with("aten.clone") ? "dropped a copy" : "dropped a step";
}

std::string key_of(const Graph& graph, const Step& step, std::size_t at) {
  if (step.results.empty() || !step.results[0].valid()) return "step " + step.op + std::to_string(at);
  return graph.value(step.results[0]).name;
}

std::map<std::string, std::size_t> steps_by_name(const Graph& graph) {
  std::map<std::string, std::size_t> out;
  for (std::size_t k = 0; k < graph.steps.size(); ++k) out.emplace(key_of(graph, graph.steps[k], k), k);
  return out;
}

/// The edits of the pass, each kind once.
std::set<std::string> edits_of(const OpSet& ops, const Graph& before, const Graph& after) {
  std::set<std::string> out;
  const auto old = steps_by_name(before), made = steps_by_name(after);
  std::size_t last = 0;
  for (std::size_t k = 0; k < after.steps.size(); ++k) {
    const auto at = old.find(key_of(after, after.steps[k], k));
    if (at == old.end()) {
      out.insert(is_write(ops, after.steps[k]) ? "added a write" : "added a step");
      continue;
    }
    if (const std::string edit = edit_of(ops, before.steps[at->second], after.steps[k]); !edit.empty())
      out.insert(edit);
    if (at->second < last) out.insert("moved a step");
    last = std::max(last, at->second);
  }
  for (const auto& [name, k] : old)
    if (!made.contains(name)) out.insert(dropped(ops, before.steps[k]));
  return out;
}

const Finding* cause_in(const CheckRecord& record) {
  for (const Finding& finding : record.findings)
    if (is_cause(finding)) return &finding;
  return record.findings.empty() ? nullptr : &record.findings[0];
}

/// By which kind of name the program sees the storage that step `step` of `after` overwrites.
std::string seen_through(const OpSet& ops, const Case& value, std::size_t step) {
  if (step >= value.after.steps.size()) return "";
  const Sharing sharing = sharing_of(ops, *value.before);
  for (const Arg& arg : value.after.steps[step].args) {
    if (arg.kind != Arg::Kind::ref) continue;
    const ValueId known = value.before->find(value.after.value(arg.ref).name);
    if (!known.valid()) return "";
    const auto how = sharing.how.find(sharing.root.at(known.index));
    return how == sharing.how.end() ? "its own name" : how->second;
  }
  return "";
}

/// The first step that writes in place and did not before; one past the last if there is none.
std::size_t first_reused(const OpSet& ops, const Case& value) {
  const auto old = steps_by_name(*value.before);
  for (std::size_t k = 0; k < value.after.steps.size(); ++k) {
    const auto at = old.find(key_of(value.after, value.after.steps[k], k));
    if (at != old.end() && edit_of(ops, value.before->steps[at->second], value.after.steps[k]) == kInPlace)
      return k;
  }
  return value.after.steps.size();
}

/// What the planner overlooked about the lost value: "plan-overlap; read through views".
std::string cause_of_plan(const OpSet& ops, const Graph& graph, const Finding& finding) {
  const ValueId lost = graph.find(finding.storage);
  if (!lost.valid() || !finding.clobber || finding.clobber->step >= graph.steps.size())
    return finding.property + (finding.aspect.empty() ? "" : "; " + finding.aspect);
  const Sharing sharing = sharing_of(ops, graph);
  const std::uint32_t root = sharing.root.at(lost.index);
  const auto shares = [&](ValueId v) { return sharing.root.at(v.index) == root; };
  if (std::ranges::any_of(uses_of(graph.steps[finding.clobber->step]), shares))
    return finding.property + "; in place of an operand";
  const bool leaves = !finding.read || finding.read->step >= graph.steps.size();
  const ValueId first(root);
  const bool by_name = leaves ? is_used(graph, first, graph.steps.size())
                              : std::ranges::count(uses_of(graph.steps[finding.read->step]), first) > 0;
  return finding.property + (by_name ? "; read again" : "; read through another name");
}

/// Rules of one family: contents are overwritten that are still needed.
bool is_overwrite(const std::string& rule) {
  return rule == "NC001" || rule == "NC003" || rule == "NC004" || rule == "NC005" || rule == "NC006" ||
         rule == "NC009";
}

/// The last nonblank line, with numbers left out: crashes of one cause differ in little else.
std::string last_words(const std::string& why) {
  const std::size_t end = why.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return "";
  const std::size_t begin = why.rfind('\n', end);
  std::string out;
  for (std::size_t k = begin == std::string::npos ? 0 : begin + 1; k <= end; ++k) {
    const bool digit = why[k] >= '0' && why[k] <= '9';
    if (!digit)
      out += why[k];
    else if (!out.ends_with('#'))
      out += '#';
  }
  return out;
}

}  // namespace

std::string cause_of(const Trial& trial) {
  if (trial.kind == "crash" || trial.kind == "changed-question")
    return trial.kind + ": " + last_words(trial.why);
  if (trial.kind != "refuted" || !trial.value) return trial.kind;
  const Finding* finding = cause_in(trial.record);
  const auto declared = make_op_set(trial.value->ops);
  if (!declared) return trial.kind;
  const OpSet& ops = *declared;
  if (!trial.value->before)
    return finding == nullptr ? trial.kind : cause_of_plan(ops, trial.value->after, *finding);
  std::string out;
  for (const std::string& edit : edits_of(ops, *trial.value->before, trial.value->after))
    out += (out.empty() ? "" : ", ") + edit;
  if (out.empty()) out = "another order or operand";
  if (finding == nullptr) return out;
  if (out.starts_with("dropped a write")) return "dropped a write";
  if (!is_overwrite(finding->rule)) return out + "; " + finding->property;
  const bool here = finding->clobber && finding->clobber->graph == "after" && finding->clobber->body.empty();
  const std::size_t step = here ? finding->clobber->step : first_reused(ops, *trial.value);
  const std::string how = seen_through(ops, *trial.value, step);
  return out + (how.empty() ? "; " + finding->property : "; seen through " + how);
}

}  // namespace noclobber::fuzz
