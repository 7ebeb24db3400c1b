// nc-check CERTIFICATE [INPUT...]: decides again from the certificate, without solver, JSON library or
// operator table. Exit code: 0 proved, 1 refuted and replayed, 3 not proved, 2 unreadable or other inputs.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "checker/certificate.h"

using namespace noclobber;

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
std::pair<std::string, std::string> unbound(const Certificate& certificate,
                                            const std::set<std::string>& names) {
  std::set<std::string> wanted, given;
  for (const auto& [hash, name] : certificate.inputs) wanted.insert(hash);
  for (const std::string& name : names) {
    const auto text = read(name);
    if (!text) return {name, "cannot be read"};
    if (!wanted.contains(*given.insert(sha256(*text)).first))
      return {name, "is not an input of this certificate"};
  }
  for (const auto& [hash, name] : certificate.inputs)
    if (!given.contains(hash)) return {name, "is an input of this certificate and was not given"};
  return {};
}

int tell(const Judgement& out, const std::string& bound) {
  const bool proved = out.verdict == Judgement::Verdict::proved;
  std::cout << (proved ? "proved" : "not proved: " + out.why) << ": " << out.obligations << " obligations, "
            << out.by_rule << " by rule with " << out.derivations << " derivations, " << out.by_solver
            << " assumed of the solver; " << bound << "\n";
  return proved ? 0 : 3;
}

int decide(const Certificate& certificate, Space& space, std::string_view text, const std::string& bound) {
  if (certificate.refutation) {
    Space concrete;
    std::string fault;
    const auto again = read_certificate(concrete, text, true, fault);
    const bool broken = again && breaks(concrete, *again);
    std::cout << (broken ? "refuted: replayed on the Trace; " : "not proved: the witness breaks nothing; ")
              << bound << "\n";
    return broken ? 1 : 3;
  }
  return tell(judge(space, certificate), bound);
}
}  // namespace

int main(int argc, char** argv) {
  const auto fail = [](const std::string& what) {
    std::cerr << what << "\n";
    return 2;
  };
  if (argc < 2) return fail("usage: nc-check CERTIFICATE [INPUT...]");
  const std::string name = argv[1];
  const auto content = read(name);
  if (!content) return fail("nc-check: " + name + ": cannot be read");
  const std::string_view text = *content;
  Space space;
  std::string fault;
  Judgement plan;
  const bool is_plan = text.starts_with(kPlanFormat);
  const auto parsed = is_plan ? read_plan(text, plan, fault) : read_certificate(space, text, false, fault);
  if (!parsed) return fail("nc-check: " + name + ": " + fault);
  if (argc > 2) {
    const auto [input, why] = unbound(*parsed, {argv + 2, argv + argc});
    if (!why.empty()) return fail("nc-check: " + input + ": " + why);
  }
  const std::string bound = argc > 2 ? "inputs bound" : "input not bound";
  const int out = is_plan ? tell(plan, bound) : decide(*parsed, space, text, bound);
  for (const std::string& one : parsed->assumptions) std::cout << "assumed: " << one << "\n";
  std::cout.flush();
  std::_Exit(out);  // what was read need not be given back piece by piece
}
