#include "tests/support/decisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "checker/check.h"
#include "checker/text/hash.h"
#include "src/check/check.h"
#include "src/cli/commands.h"
#include "src/formats/case/case_json.h"
#include "src/fuzz/probe.h"
#include "src/report/names.h"
#include "src/run/inputs.h"
#include "src/text/file.h"
#include "tests/support/corpus.h"
#include "tests/support/source_dir.h"
#include "tests/support/temp_folder.h"

namespace noclobber::testing {
namespace {

constexpr std::size_t kOfKind = 120;        // programs of each kind
constexpr std::uint64_t kLastSeed = 12000;  // what no seed up to here makes is not on the page
constexpr const char* kHead =
    "part\tcase, seed or input\tits text\tfault\tverdict\twhy\tin "
    "place/storages/obligations\tTraces\tnc-check\tevidence\tquestions";

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

/// What nc-check says of each certificate: "proved", "2 proved", "1 not proved, 2 proved"; "-" of none.
std::string confirmed(const std::vector<std::string>& certificates) {
  std::map<std::string, std::size_t> answers;
  for (const std::string& text : certificates) {
    Space space;
    switch (checker::check(text, space).said) {
      case checker::Answer::Said::proved:
        ++answers["proved"];
        break;
      case checker::Answer::Said::refuted:
        ++answers["refuted"];
        break;
      case checker::Answer::Said::not_proved:
        ++answers["not proved"];
        break;
      case checker::Answer::Said::unreadable:
        ++answers["unreadable"];
        break;
    }
  }
  std::string out;
  for (const auto& [answer, count] : answers) {
    out += out.empty() ? "" : ", ";
    out += certificates.size() == 1 ? answer : fmt::format("{} {}", count, answer);
  }
  return out.empty() ? "-" : out;
}

std::string line_of(const std::string& part, const std::string& name, const std::string& fault,
                    const Case& value, bool with_questions = true) {
  static const TempFolder folder;
  CheckOptions options;
  options.certificates = folder.path();
  bool contradiction = false;
  const CheckRecord record = check_case(value, options, contradiction);
  std::vector<std::string> certificates = taken(folder);
  const std::string kernel = confirmed(certificates);
  for (std::string& text : certificates) text = evidence_of(text);
  std::set<std::string> why;
  for (const Finding& finding : record.findings) why.insert(finding.rule);
  for (const Unknown& unknown : record.unknown) why.insert(unknown.reason);
  std::string listed;
  for (const std::string& one : why) listed += (listed.empty() ? "" : " ") + one;
  const auto dash = [](const std::string& text) { return text.empty() ? std::string("-") : text; };
  return fmt::format("{}\t{}\t{:.8}\t{}\t{}{}\t{}\t{}/{}/{}\t{:.12}\t{}\t{}\t{}", part, name,
                     sha256(write_case_json(value)), dash(fault), status_name(record.status),
                     contradiction ? " (contradiction)" : "", dash(listed), record.counts.in_place,
                     record.counts.storages, record.counts.obligations, sha256(trace_text(value, {})), kernel,
                     digest(certificates), with_questions ? digest(questions_about(value, folder)) : "-");
}

std::string line_of(const fuzz::Probe& probe) {
  return line_of(std::string(name(probe.kind)), std::to_string(probe.seed), probe.fault, probe.value);
}

/// What is to be looked at in one input, which is a path beneath corpus/, or two that are compared.
std::deque<Work> works_of(const std::string& input) {
  const std::size_t between = input.find(' ');
  const auto path = [](const std::string& below) { return in_sources("/corpus/") + below; };
  std::deque<Work> out;
  if (between != input.npos) {
    out.push_back(work_of_pair(path(input.substr(0, between)), path(input.substr(between + 1))));
    return out;
  }
  WorkSource source({path(input)}, {});
  while (auto work = source.next()) out.push_back(*std::move(work));
  return out;
}

/// A line for each check of an input, and for what could not be read in it.
Decisions lines_of_input(const std::string& part, const std::string& input) {
  Decisions out;
  for (Work& work : works_of(input)) {
    work.open();
    const std::string name = input + "#" + work.id;
    if (work.kind == Work::Kind::error)
      out.push_back(
          fmt::format("{}\t{}\t-\t-\tunreadable\t{}\t-\t-\t-\t-\t-", part, name, work.fault.message));
    if (work.kind != Work::Kind::check) continue;
    if (work.dataflow) work.value.dataflow = *work.dataflow;
    out.push_back(line_of(part, name, "", work.value, false));
  }
  return out;
}

/// The inputs of a part, which are files as compilers write them or folders of such.
std::vector<std::string> inputs_of(const std::string& part) {
  if (part == "log") return corpus_files("logs", ".log.gz");
  if (part == "thunder") {
    const std::set<std::string> folders = corpus_folders("thunder", ".trace.txt");
    return {folders.begin(), folders.end()};
  }
  std::vector<std::string> out, compiled;
  for (const char* folder : {"programs", "mlx_graphs"})
    for (const char* ending : {".pte", ".mlx"})
      std::ranges::copy(corpus_files(folder, ending), std::back_inserter(compiled));
  if (part == "program") {
    out = compiled;
    for (const char* folder : {"programs", "pt2"})
      std::ranges::copy(corpus_files(folder, ".pt2"), std::back_inserter(out));
    return out;
  }
  // What was compiled is compared with the graphs whose names it begins with: `plain.case.json` and
  // `plain-input-shape.pte`.
  for (const char* folder : {"programs", "mlx_graphs"})
    for (const char* ending : {".exported.pt2", ".functional.pt2", ".edge.pt2", ".case.json"})
      for (const std::string& graph : corpus_files(folder, ending)) {
        const std::string stem = graph.substr(0, graph.size() - std::string_view(ending).size());
        for (const std::string& file : compiled)
          if (file.starts_with(stem) && (file[stem.size()] == '.' || file[stem.size()] == '-'))
            out.push_back(graph + " " + file);
      }
  return out;
}

constexpr const char* kInputs[] = {"log", "thunder", "program", "compared"};

bool is_input(const std::string& part) { return std::ranges::count(kInputs, part) != 0; }

/// Part, and what of it: a case, a seed, a check of an input.
std::pair<std::string, std::string> subject(const std::string& line) {
  const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
  return {line.substr(0, first), line.substr(first + 1, second - first - 1)};
}

Decisions lines_of_page() {
  std::ifstream page(in_sources("/corpus/decisions.tsv"));
  Decisions out;
  for (std::string line; std::getline(page, line);) out.push_back(line);
  return out;
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
  for (const char* part : kInputs)
    for (const std::string& input : inputs_of(part))
      std::ranges::copy(lines_of_input(part, input), std::back_inserter(out));
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
  Decisions out = lines_of_page();
  std::erase_if(out, [&](const std::string& line) { return subject(line).first != part; });
  return out;
}

Decisions decided_again(const Decisions& held) {
  Decisions out;
  const Decisions page = lines_of_page();
  std::string last;             // the input that was looked at last
  std::vector<std::string> of;  // its lines
  for (const std::string& line : held) {
    const auto [part, name] = subject(line);
    if (!is_input(part)) {
      out.push_back(decided(line));
      continue;
    }
    const std::string input = name.substr(0, name.rfind('#'));
    if (input != last) {
      of = lines_of_input(part, input);
      const auto kept = std::ranges::count_if(
          page, [&](const std::string& each) { return each.starts_with(part + "\t" + input + "#"); });
      if (std::cmp_not_equal(of.size(), kept)) of = {fmt::format("\t{}#\t has {} checks", input, of.size())};
    }
    last = input;
    const auto same =
        std::ranges::find_if(of, [&](const std::string& each) { return subject(each).second == name; });
    out.push_back(same == of.end() ? "other checks: " + of.at(0) : *same);
  }
  return out;
}

}  // namespace noclobber::testing
