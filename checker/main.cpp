// nc-check CERTIFICATE [INPUT...]: decides again from the certificate, without solver, JSON library or
// operator table. Exit code: 0 proved, 1 refuted and replayed, 3 not proved, 2 unreadable or other inputs.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "checker/check.h"

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
  while (const std::size_t got = std::fread(out.data() + size, 1, out.size() - size, file))
    if ((size += got) == out.size()) out.resize(2 * size);
  out.resize(size);
  const bool bad = std::ferror(file) != 0;
  std::fclose(file);
  return bad ? std::nullopt : std::optional(std::move(out));
}

/// Every input of the certificate is among the files, and every file among the inputs: else a name and why.
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
}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return fail("usage: nc-check CERTIFICATE [INPUT...]");
  const std::string name = argv[1];
  const auto text = read(name);
  if (!text) return fail("nc-check: " + name + ": cannot be read");
  Space space;
  const Answer out = checker::check(*text, space);
  if (out.said == Answer::Said::unreadable) return fail("nc-check: " + name + ": " + out.why);
  const std::string why = argc > 2 ? unbound(out, {argv + 2, argv + argc}) : "";
  if (!why.empty()) return fail("nc-check: " + why);
  const bool proved = out.said == Answer::Said::proved, refuted = out.said == Answer::Said::refuted;
  std::cout << (proved ? "proved" : refuted ? "refuted: replayed on the Trace" : "not proved: " + out.why);
  if (out.obligations > 0 || proved)
    std::cout << ": " << out.obligations << " obligations, " << out.by_rule << " by rule with "
              << out.derivations << " derivations, " << out.by_solver << " assumed of the solver";
  std::cout << (argc > 2 ? "; inputs bound\n" : "; input not bound\n");
  for (const std::string& one : out.assumptions) std::cout << "assumed: " << one << "\n";
  std::cout.flush();
  std::_Exit(proved ? 0 : refuted ? 1 : 3);  // what was read need not be given back piece by piece
}
