#include "tests/support/decisions.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

#include "checker/certificate.h"
#include "src/cli/pipeline.h"
#include "src/fuzz/probe.h"
#include "src/report/names.h"
#include "tests/support/corpus.h"

namespace noclobber::testing {
namespace {

constexpr std::size_t kOfKind = 120;        // programs of each kind
constexpr std::uint64_t kLastSeed = 12000;  // what no seed up to here makes is not on the page
constexpr const char* kHead =
    "part\tcase or seed\tits text\tfault\tverdict\twhy\tin "
    "place/storages/obligations\tTraces\tevidence\tquestions";

/// A folder of this process, empty again after every look.
class Folder {
 public:
  Folder() {
    path_ = (std::filesystem::temp_directory_path() / "nc_decisions_XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no folder for certificates: " + path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

  /// "how many:the first 48 bits of a digest" of all that `read` makes of its files, in the order of their
  /// names.
  std::string digest(std::string (*read)(const std::string& text)) {
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) files.insert(entry.path());
    std::string all;
    for (const auto& file : files) {
      all += read(*read_file(file.string()));
      std::filesystem::remove(file);
    }
    return files.empty() ? "-" : fmt::format("{}:{:.12}", files.size(), sha256(all));
  }

 private:
  std::string path_;
};

/// A certificate without what names its inputs, the solver and its own sum.
std::string evidence_of(const std::string& text) {
  const std::size_t from = text.find("\nsymbols "), to = text.rfind("\nsum ");
  return from == text.npos || to == text.npos ? text : text.substr(from, to - from);
}

std::string question_of(const std::string& text) { return text; }

/// What the certificates of a check hold, and what the second engine asks.
std::string searched(const Case& value) {
  static Folder folder;
  CheckOptions certified, direct;
  certified.certificates = direct.questions = folder.path();
  direct.solver_only = true;
  bool contradiction = false;
  check_case(value, certified, contradiction);
  const std::string evidence = folder.digest(evidence_of);
  check_case(value, direct, contradiction);
  return evidence + "\t" + folder.digest(question_of);
}

std::string line_of(const std::string& part, const std::string& name, const std::string& fault,
                    const Case& value) {
  bool contradiction = false;
  const CheckRecord record = check_case(value, {}, contradiction);
  std::set<std::string> why;
  for (const Finding& finding : record.findings) why.insert(finding.rule);
  for (const Unknown& unknown : record.unknown) why.insert(unknown.reason);
  std::string listed;
  for (const std::string& one : why) listed += (listed.empty() ? "" : " ") + one;
  const auto dash = [](const std::string& text) { return text.empty() ? std::string("-") : text; };
  return fmt::format("{}\t{}\t{:.8}\t{}\t{}{}\t{}\t{}/{}/{}\t{:.12}\t{}", part, name,
                     sha256(write_case_json(value)), dash(fault), status_name(record.status),
                     contradiction ? " (contradiction)" : "", dash(listed), record.counts.in_place,
                     record.counts.storages, record.counts.obligations, sha256(trace_text(value, {})),
                     searched(value));
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
    const auto text = read_file(NC_SOURCE_DIR "/corpus/" + part + "/" + name);
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
    for (const auto& [file, value] : corpus_cases(NC_SOURCE_DIR "/corpus/" + std::string(part)))
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
  std::ifstream page(NC_SOURCE_DIR "/corpus/decisions.tsv");
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
