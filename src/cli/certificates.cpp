#include "src/cli/certificates.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <mutex>
#include <sstream>

#include "src/ops/schema.h"
#include "src/prover/certify.h"
#include "src/prover/plan_text.h"
#include "src/prover/prover.h"

namespace noclobber {
namespace {

/// sha256 of a file as it lies on the disk; "" if it is no regular file that can be read (standard input).
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

/// The record's assumptions, and what the Traces say nothing about.
std::vector<std::string> assumed(const CheckRecord& record, const Case& value) {
  std::vector<std::string> out = record.assumptions;
  const std::string apart = "inputs do not overlap";  // not listed yet under --no-assumptions
  if (value.inputs_may_overlap && std::find(out.begin(), out.end(), apart) == out.end()) out.push_back(apart);
  return out;
}

}  // namespace

void write_plan_certificate(const CheckOptions& options, const PlanTable& table,
                            const std::vector<std::uint32_t>& below, std::int64_t capacity,
                            std::vector<std::string> assumed) {
  if (options.certificates.empty()) return;
  Certificate content;
  content.about = options.certificate_name;
  for (const std::string& path : options.files)
    if (std::string hash = hash_of_file(path); !hash.empty()) content.inputs.emplace_back(hash, path);
  content.assumptions = std::move(assumed);
  const std::string text = certified_plan(content, table.rows, below, capacity);
  if (!text.empty())
    std::ofstream(options.certificates + "/" + options.certificate_name + ".cert", std::ios::binary) << text;
}

std::string CertificateNames::of(const std::string& id) {
  std::string out = id.empty() ? "check" : id;
  for (char& c : out)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_' && c != '.') c = '_';
  const int count = ++taken_[out];
  return count == 1 ? out : out + "." + std::to_string(count);
}

void write_certificate(const CheckOptions& options, const Case& value, Space& space,
                       std::vector<Check> checks, const CheckRecord& record, const ReplayResult& shown) {
  if (options.certificates.empty()) return;
  Certificate content;
  content.about = options.certificate_name;
  for (const std::string& path : options.files)
    if (std::string hash = hash_of_file(path); !hash.empty()) content.inputs.emplace_back(hash, path);
  content.operators = vocabulary_digest();
  content.assumptions = assumed(record, value);
  content.symbols = sample(value);
  content.checks = std::move(checks);
  Trace& after = content.checks.back().after;
  for (const Unknown& u : record.unknown)  // what nobody looked at must not look proved
    for (const std::string& name : u.names) after.unknown.emplace_back(u.reason, name);
  std::string text;
  if (record.status == Status::refuted && !shown.witnesses.empty()) {
    content.symbols = shown.witnesses[0].symbols;
    text = refuted(space, content, shown.witnesses[0].options.order);
  } else {
    text = certified(space, content);
  }
  std::ofstream(options.certificates + "/" + options.certificate_name + ".cert") << text;
}

}  // namespace noclobber
