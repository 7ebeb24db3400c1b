#include "tests/support/decisions.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "checker/check.h"
#include "src/cli/pipeline.h"
#include "src/fuzz/probe.h"
#include "src/report/names.h"
#include "tests/support/corpus.h"
#include "tests/support/source_dir.h"
#include "tests/support/temp_folder.h"

namespace noclobber::testing {
namespace {

constexpr std::size_t kOfKind = 120;        // programs of each kind
constexpr std::uint64_t kLastSeed = 12000;  // what no seed up to here makes is not on the page
constexpr const char* kHead =
    "part\tcase or seed\tits text\tfault\tverdict\twhy\tin "
    "place/storages/obligations\tTraces\tevidence\tquestions";

/// The texts of a folder's files, in the order of their names; the folder is empty then.
std::vector<std::string> taken(const TempFolder& folder) {
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) files.insert(entry.path());
  std::vector<std::string> out;
  for (const auto& file : files) {
    out.push_back(*read_file(file.string()));
    std::filesystem::remove(file);
  }
  return out;
}

/// "how many:the first 48 bits of a digest".
std::string digest(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text;
  return texts.empty() ? "-" : fmt::format("{}:{:.12}", texts.size(), sha256(all));
}

/// A certificate without what names its inputs, the solver and its own sum.
std::string evidence_of(const std::string& text) {
  const std::size_t from = text.find("\nsymbols "), to = text.rfind("\nsum ");
  return from == text.npos || to == text.npos ? text : text.substr(from, to - from);
}

/// Without remarks, which no solver reads.
std::string asked(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (text[at] != ';') out += text.substr(at, end - at);
    at = end;
  }
  return out;
}

/// What the second engine asks.
std::vector<std::string> questions_about(const Case& value, const TempFolder& folder) {
  CheckOptions options;
  options.solver_only = true;
  options.questions = folder.path();
  bool contradiction = false;
  check_case(value, options, contradiction);
  std::vector<std::string> out = taken(folder);
  for (std::string& text : out) text = asked(text);
  return out;
}

std::string line_of(const std::string& part, const std::string& name, const std::string& fault,
                    const Case& value) {
  static const TempFolder folder;
  CheckOptions options;
  options.certificates = folder.path();
  bool contradiction = false;
  const CheckRecord record = check_case(value, options, contradiction);
  std::vector<std::string> certificates = taken(folder);
  for (std::string& text : certificates) text = evidence_of(text);
  std::set<std::string> why;
  for (const Finding& finding : record.findings) why.insert(finding.rule);
  for (const Unknown& unknown : record.unknown) why.insert(unknown.reason);
  std::string listed;
  for (const std::string& one : why) listed += (listed.empty() ? "" : " ") + one;
  const auto dash = [](const std::string& text) { return text.empty() ? std::string("-") : text; };
  return fmt::format("{}\t{}\t{:.8}\t{}\t{}{}\t{}\t{}/{}/{}\t{:.12}\t{}\t{}", part, name,
                     sha256(write_case_json(value)), dash(fault), status_name(record.status),
                     contradiction ? " (contradiction)" : "", dash(listed), record.counts.in_place,
                     record.counts.storages, record.counts.obligations, sha256(trace_text(value, {})),
                     digest(certificates), digest(questions_about(value, folder)));
}

std::string line_of(const fuzz::Probe& probe) {
  return line_of(std::string(name(probe.kind)), std::to_string(probe.seed), probe.fault, probe.value);
}

/// Part, and case or seed.
std::pair<std::string, std::string> subject(const std::string& line) {
  const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
  return {line.substr(0, first), line.substr(first + 1, second - first - 1)};
}

std::string decided(const std::string& line) {
  const auto [part, name] = subject(line);
  if (name.ends_with(".json")) {
    const auto text = read_file(in_sources("/corpus/") + part + "/" + name);
    const auto value = text ? read_case_json(*text) : Result<Case>(text.fault());
    return value ? line_of(part, name, "", *value) : value.fault().message;
  }
  const auto probe = fuzz::make_probe(std::stoull(name));
  return probe ? line_of(*probe) : "seed " + name + " makes no program";
}

}  // namespace

Decisions decisions() {
  Decisions out{kHead};
  for (const char* part : {"cases", "later", "oneshot"})
    for (const auto& [file, value] : corpus_cases(in_sources("/corpus/") + std::string(part)))
      out.push_back(line_of(part, file, "", value));
  std::map<std::string, Decisions> by_kind;
  for (std::uint64_t seed = 1; seed <= kLastSeed; ++seed) {
    const auto probe = fuzz::make_probe(seed);
    if (!probe) continue;
    Decisions& lines = by_kind[std::string(name(probe->kind))];
    if (lines.size() < kOfKind) lines.push_back(line_of(*probe));
  }
  for (const auto& [kind, lines] : by_kind) out.insert(out.end(), lines.begin(), lines.end());
  return out;
}

Decisions held_decisions(const std::string& part) {
  std::ifstream page(in_sources("/corpus/decisions.tsv"));
  Decisions out;
  for (std::string line; std::getline(page, line);)
    if (subject(line).first == part) out.push_back(line);
  return out;
}

Decisions decided_again(const Decisions& held) {
  Decisions out;
  for (const std::string& line : held) out.push_back(decided(line));
  return out;
}

}  // namespace noclobber::testing
