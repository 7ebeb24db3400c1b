// nc-check [--accept-solver] CERTIFICATE [INPUT...]: decides a certificate again, without solver, JSON
// library or operator table. Exit code: 0 proved, 1 refuted and replayed, 3 not proved, 2 unreadable or other
// inputs.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "checker/check.h"
#include "checker/text/hash.h"

using namespace noclobber;
using checker::Answer;

namespace {
std::optional<std::string> read(const std::string& name) {
  std::FILE* const file = std::fopen(name.c_str(), "rb");
  if (file == nullptr) return std::nullopt;
  std::error_code unknown;
  const auto said = std::filesystem::file_size(name, unknown);
  std::string out(unknown ? 1U << 16 : said + 1, '\0');
  std::size_t size = 0;
  while (const std::size_t got = std::fread(out.data() + size, 1, out.size() - size, file)) {
    size += got;
    if (size == out.size()) out.resize(2 * size);
  }
  out.resize(size);
  const bool bad = std::ferror(file) != 0;
  std::fclose(file);
  return bad ? std::nullopt : std::optional(std::move(out));
}

/// Empty if the files are exactly the inputs of the certificate, else a name and why it does not fit.
std::string unbound(const Answer& answer, const std::set<std::string>& names) {
  std::set<std::string> wanted, given;
  for (const auto& [hash, name] : answer.inputs) wanted.insert(hash);
  for (const std::string& name : names) {
    const auto text = read(name);
    if (!text) return name + ": cannot be read";
    if (!wanted.contains(*given.insert(sha256(*text)).first))
      return name + ": is not an input of this certificate";
  }
  for (const auto& [hash, name] : answer.inputs)
    if (!given.contains(hash)) return name + ": is an input of this certificate and was not given";
  return "";
}

int fail(const std::string& what) {
  std::cerr << what << "\n";
  return 2;
}

constexpr const char* kUsage =
    "usage: nc-check [--accept-solver] CERTIFICATE [INPUT...]\n"
    "Decides again what noclobber said of a check, from the certificate alone. With INPUTs, that it is of "
    "these.\n"
    "  --accept-solver  count equalities that rest on a solver's word alone\n"
    "  --help, --version\n"
    "Exit code: 0 proved, 1 refuted and replayed, 3 not proved, 2 unreadable or other inputs.\n";

/// A name of the text with control characters replaced, so that it stays on one line.
std::string shown(std::string name) {
  for (char& c : name)
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = '?';
  return name;
}

/// "pair NAME of FILE, FILE"
std::string subject(const Answer& answer) {
  std::string out = answer.what + " " + shown(answer.about);
  for (std::size_t k = 0; k < answer.inputs.size(); ++k)
    out += (k == 0 ? " of " : ", ") + shown(answer.inputs[k].second);
  return out;
}

int say(const Answer& answer, bool bound, bool accept_solver) {
  const bool believed = answer.by_solver == 0 || accept_solver;
  const bool proved = answer.said == Answer::Said::proved && believed,
             refuted = answer.said == Answer::Said::refuted;
  const std::string why = believed ? answer.why : "a solver's word is not taken without --accept-solver";
  std::cout << (proved ? "proved" : refuted ? "refuted: replayed on the Trace" : "not proved: " + why);
  if (answer.obligations > 0 || proved)
    std::cout << ": " << answer.obligations << " obligations, " << answer.by_rule << " by rule with "
              << answer.derivations << " derivations, "
              << (answer.by_identity > 0 ? "by_identity " + std::to_string(answer.by_identity) + ", " : "")
              << answer.by_solver << " assumed of the solver";
  std::cout << (bound ? "; inputs bound; " : "; input not bound; ") << subject(answer) << "\n";
  for (const std::string& one : answer.assumptions) std::cout << "assumed: " << shown(one) << "\n";
  std::cout.flush();
  return proved ? 0 : refuted ? 1 : 3;
}
}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  const auto given = [&](const char* option) { return std::erase(names, option) > 0; };
  if (given("--help")) return std::cout << kUsage, 0;
  if (given("--version")) return std::cout << "nc-check " NC_VERSION "\n", 0;
  const bool accept_solver = given("--accept-solver");
  if (names.empty() || names[0].starts_with("--")) return fail(kUsage);
  const auto text = read(names[0]);
  if (!text) return fail("nc-check: " + names[0] + ": cannot be read");
  Space space;
  const Answer out = checker::check(*text, space);
  if (out.said == Answer::Said::unreadable) return fail("nc-check: " + names[0] + ": " + out.why);
  const bool bound = names.size() > 1;
  const std::string why = bound ? unbound(out, {names.begin() + 1, names.end()}) : "";
  if (!why.empty()) return fail("nc-check: " + why);
  std::_Exit(say(out, bound, accept_solver));  // skips destructors
}
