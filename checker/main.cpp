// nc-check CERTIFICATE [INPUT...]: decides again from the certificate, without solver, JSON library or
// operator table. Exit code: 0 proved, 1 refuted and replayed, 3 not proved, 2 unreadable or other inputs.
#include <fstream>
#include <iostream>
#include <sstream>

#include "checker/certificate.h"

using namespace noclobber;

namespace {
int fail(const std::string& name, const std::string& fault) {
  std::cerr << "nc-check: " << name << ": " << fault << "\n";
  return 2;
}

std::optional<std::string> read(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return std::nullopt;
  return text.str();
}

/// Every input of the certificate is among the files, and every file among the inputs.
int bind(const Certificate& certificate, const std::vector<std::string>& names) {
  std::set<std::string> wanted, given;
  for (const auto& [hash, name] : certificate.inputs) wanted.insert(hash);
  for (const std::string& name : names) {
    const auto text = read(name);
    if (!text) return fail(name, "cannot be read");
    if (!wanted.contains(*given.insert(sha256(*text)).first))
      return fail(name, "is not an input of this certificate");
  }
  for (const auto& [hash, name] : certificate.inputs)
    if (!given.contains(hash)) return fail(name, "is an input of this certificate and was not given");
  return 0;
}

int decide(const Certificate& certificate, Space& space, const std::string& text, const std::string& bound) {
  if (certificate.refutation) {
    Space concrete;
    std::string fault;
    const auto again = read_certificate(concrete, text, true, fault);
    const bool broken = again && breaks(concrete, *again);
    std::cout << (broken ? "refuted: replayed on the Trace; " : "not proved: the witness breaks nothing; ")
              << bound << "\n";
    return broken ? 1 : 3;
  }
  const Judgement out = judge(space, certificate);
  const bool proved = out.verdict == Judgement::Verdict::proved;
  std::cout << (proved ? "proved" : "not proved: " + out.why) << ": " << out.obligations << " obligations, "
            << out.by_rule << " by rule with " << out.derivations << " derivations, " << out.by_solver
            << " assumed of the solver; " << bound << "\n";
  return proved ? 0 : 3;
}
}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: nc-check CERTIFICATE [INPUT...]\n";
    return 2;
  }
  const auto text = read(argv[1]);
  if (!text) return fail(argv[1], "cannot be read");
  Space space;
  std::string fault;
  const auto certificate = read_certificate(space, *text, false, fault);
  if (!certificate) return fail(argv[1], fault);
  if (argc > 2)
    if (const int code = bind(*certificate, {argv + 2, argv + argc}); code != 0) return code;
  const int out = decide(*certificate, space, *text, argc > 2 ? "inputs bound" : "input not bound");
  for (const std::string& one : certificate->assumptions) std::cout << "assumed: " << one << "\n";
  return out;
}
