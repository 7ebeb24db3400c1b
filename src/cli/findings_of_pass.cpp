#include "src/cli/findings_of_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/cli/script.h"
#include "src/formats/case/case_json.h"
#include "src/ops/wrappers.h"
#include "src/report/names.h"
#include "src/run/output.h"
#include "src/run/settings.h"
#include "src/run/sink.h"

namespace noclobber {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSlug = 60;

std::string slug(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain)
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  out.resize(std::min(out.size(), kMostSlug));
  while (out.ends_with('-')) out.pop_back();
  return out;
}

const Finding* main_finding(const CheckRecord& record) {
  const auto at = std::ranges::find_if(record.findings, is_cause);
  return at == record.findings.end() ? nullptr : &*at;
}

/// True if `special` is the cause `general` through views of another dtype. A pass that ignores views ignores
/// those too, so this is not a cause of its own.
bool is_case_of(const std::string& special, const std::string& general) {
  return special == general + " of another dtype";
}

/// The PyTorch script, or a comment with the reason why there is none.
std::string script_or_reason(Case value, const CheckRecord& record, const CheckOptions& check) {
  prepare_case(value, check);
  if (has_wrappers(value)) value = written_out(value).cases.at(0);
  auto text = pytorch_script(value, record, false);
  return text ? *std::move(text) : "# no script: " + text.fault().message + "\n";
}

}  // namespace

void PassFindings::add(std::uint64_t seed, const fuzz::Trial& first, const fuzz::Reduced& reduced) {
  const fuzz::Trial& trial = reduced.trial;
  const std::string cause = fuzz::cause_of(trial);
  const std::size_t steps = form_ == fuzz::Form::plan_table ? trial.question.plan->buffers.size()
                                                            : trial.question.after.steps.size();
  auto at = std::ranges::find_if(clusters_, [&](const Cluster& c) {
    return c.kind == trial.kind &&
           (c.cause == cause || is_case_of(c.cause, cause) || is_case_of(cause, c.cause));
  });
  const bool is_new = at == clusters_.end();
  if (is_new) {
    clusters_.push_back({trial.kind, cause, "", {}, seed, 0, steps, reduced.by_pass});
    at = clusters_.end() - 1;
    at->folder = (folder_ / fmt::format("{}-{}", clusters_.size(), slug(cause))).string();
  }
  ++at->reduced;
  if (const Finding* finding = main_finding(trial.record)) at->fingerprints.insert(finding->fingerprint);
  const bool general = is_case_of(at->cause, cause);
  if (general) at->cause = cause;
  const bool better = general || std::pair(!reduced.by_pass, steps) < std::pair(!at->by_pass, at->steps);
  if (!is_new && !better) return;
  at->seed = seed, at->steps = steps, at->by_pass = reduced.by_pass;
  write(*at, first, reduced);
  if (is_new) tell(*at, trial);
}

void PassFindings::write(const Cluster& cluster, const fuzz::Trial& first,
                         const fuzz::Reduced& reduced) const {
  const fs::path folder(cluster.folder);
  const fuzz::Trial& trial = reduced.trial;
  const bool table = form_ == fuzz::Form::plan_table, plan = fuzz::is_planning(form_);
  write_or_error(folder / (table ? "program.csv" : "program.json"),
                 fuzz::text_of_question(trial.question, plan ? form_ : fuzz::Form::case_json, false));
  write_or_error(folder / "first.json", write_case_json(first.value.value_or(first.question)));
  if (!trial.value || trial.kind != "refuted") {
    write_or_error(folder / "why.txt", trial.why + "\n");
    return;
  }
  write_or_error(folder / "case.json", write_case_json(*trial.value));
  CheckRecord record = trial.record;
  record.input = "case.json", record.id = trial.value->name, record.what = plan ? "plan" : "pair",
  record.version = NC_VERSION;
  write_or_error(folder / "record.jsonl", to_json(record) + "\n");
  if (!plan) write_or_error(folder / "script.py", script_or_reason(*trial.value, record, check_));
}

void PassFindings::tell(const Cluster& cluster, const fuzz::Trial& trial) const {
  const Finding* finding = main_finding(trial.record);
  nlohmann::ordered_json line{
      {"schema", "noclobber.fuzz/1"}, {"kind", "finding"},    {"what", cluster.kind},
      {"cause", cluster.cause},       {"seed", cluster.seed}, {"steps", cluster.steps},
      {"by_pass", cluster.by_pass},   {"message", trial.why}, {"folder", cluster.folder}};
  if (finding != nullptr) line["rule"] = finding->rule, line["fingerprint"] = finding->fingerprint;
  if (records_ != nullptr) print_record(records_, record_text(line));
  if (json_) return print_record(out_, record_text(line));
  write_out(out_, fmt::format("{}[{}] seed {}: {}\n  {} {}{}; written to {}\n", cluster.kind,
                              printable(cluster.cause), cluster.seed, shortened(printable(trial.why), 300),
                              cluster.steps, form_ == fuzz::Form::plan_table ? "buffers" : "steps",
                              cluster.by_pass ? ""
                                              : " (the answer was made smaller: it is given to nothing "
                                                "smaller)",
                              cluster.folder));
  std::fflush(out_);
}

}  // namespace noclobber
