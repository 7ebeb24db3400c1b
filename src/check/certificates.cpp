#include "src/check/certificates.h"
#include "checker/plan/plan.h"
#include "checker/text/hash.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <mutex>
#include <sstream>

#include "src/base/write_file.h"
#include "src/certify/plan_text.h"
#include "src/check/recheck.h"
#include "src/ops/schema.h"
#include "src/prover/prover.h"

namespace noclobber {
namespace {

/// The sha256 of a file on disk; "" if it is no regular file that can be read (standard input).
std::string hash_of_file(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = known.emplace(path, "");
  if (!is_new) return at->second;
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (file) at->second = sha256(text.str());
  return at->second;
}

/// The record's assumptions, and those that the Traces cannot express.
std::vector<std::string> assumed(const CheckRecord& record, const Case& value) {
  std::vector<std::string> out = record.assumptions;
  const std::string apart = "inputs do not overlap";  // not listed yet under --no-assumptions
  if (value.inputs_may_overlap && std::find(out.begin(), out.end(), apart) == out.end()) out.push_back(apart);
  return out;
}

/// The head of every certificate. Input files are hashed only for certificates that are kept.
Certificate headed(const CheckOptions& options) {
  Certificate out;
  out.about = options.certificate_name;
  if (options.certificates.empty()) return out;
  for (const std::string& path : options.files)
    if (std::string hash = hash_of_file(path); !hash.empty()) out.inputs.emplace_back(hash, path);
  return out;
}

Certificate content_of(const CheckOptions& options, const Case& value, const CheckRecord& record) {
  Certificate out = headed(options);
  out.operators = vocabulary_digest();
  out.assumptions = assumed(record, value);
  out.symbols = sample(value);
  return out;
}

void keep(const CheckOptions& options, const std::string& text) {
  if (options.certificates.empty() || text.empty()) return;
  const std::string path = options.certificates + "/" + options.certificate_name + ".cert";
  if (!write_file(path, text) && options.unwritten != nullptr)
    *options.unwritten = Diagnostic{path, "cannot be written"};
}

}  // namespace

Certified certify(const CheckOptions& options, const Case& value, Space& space, std::vector<Check>& checks,
                  const CheckRecord& record) {
  Certificate content = content_of(options, value, record);
  content.checks = std::move(checks);
  Certified out = certified(space, content);
  checks = std::move(content.checks);
  if (out.answer.said == checker::Answer::Said::proved) keep(options, out.text);
  return out;
}

void write_certificate(const CheckOptions& options, const Case& value, Space& space,
                       std::vector<Check> checks, const CheckRecord& record, const ReplayResult& shown) {
  if (options.certificates.empty()) return;
  Certificate content = content_of(options, value, record);
  content.checks = std::move(checks);
  Trace& after = content.checks.back().after;
  for (const Unknown& u : record.unknown)  // what was not examined must not look proved
    for (const std::string& name : u.names) after.unknown.emplace_back(u.reason, name);
  if (record.status == Status::refuted && !shown.witnesses.empty()) {
    content.symbols = shown.witnesses[0].symbols;
    keep(options, refuted(space, content, shown.witnesses[0].options.order));
  } else {
    keep(options, certified(space, content).text);
  }
}

Certified certify_plan(const CheckOptions& options, const PlanTable& table,
                       const std::vector<std::uint32_t>& below, std::int64_t capacity,
                       std::vector<std::string> assumed) {
  Certificate content = headed(options);
  content.assumptions = std::move(assumed);
  Certified out{certified_plan(content, table.rows, below, capacity), {}};
  keep(options, out.text);
  out.answer.why = "a number of the plan has more than 17 digits";
  if (!out.text.empty()) out.answer = checker::check_plan(out.text);
  return out;
}

void agree(CheckRecord& record, const CheckOptions& options, const Certified& certified) {
  const checker::Answer& answer = certified.answer;
  record.counts.by_identity = answer.by_identity;
  if (answer.said != checker::Answer::Said::proved) {
    record.status = Status::unknown;
    record.unknown.push_back({"not-certified", {answer.why}});
  } else if (answer.by_solver == 0) {
    record.checked_by = {"nc-check"};
    if (!options.rechecker.empty() && rechecked(options.rechecker, certified.text))
      record.checked_by.emplace_back("nc-recheck");
  }
}

Questions questions_of(const CheckOptions& options) {
  return Questions(options.effort, options.questions, options.certificate_name + options.reading,
                   options.unwritten);
}

std::string CertificateNames::of(const std::string& id) {
  std::string out = id.empty() ? "check" : id;
  for (char& c : out)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_' && c != '.') c = '_';
  const int count = ++taken_[out];
  return count == 1 ? out : out + "." + std::to_string(count);
}

}  // namespace noclobber
