// nc-check CERTIFICATE: decides again from the Traces alone, without solver, JSON library or operator table.
#include <fstream>
#include <iostream>
#include <sstream>

#include "checker/read.h"

using namespace noclobber;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: nc-check CERTIFICATE\n";
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) {
    std::cerr << "nc-check: " << argv[1] << " cannot be read\n";
    return 2;
  }
  Space space;
  std::string fault;
  const auto certificate = read_certificate(space, text.str(), fault);
  if (!certificate) {
    std::cerr << "nc-check: " << argv[1] << ": " << fault << "\n";
    return 2;
  }
  const Trace* before = certificate->before ? &*certificate->before : nullptr;
  Terms terms;
  Rules rules(space, terms, before, certificate->after, certificate->boundary);
  const auto obligations = enumerate(before, certificate->after, certificate->boundary);
  const Decision decision = decide(rules, obligations, certificate->by_solver);
  std::cout << (decision.proved ? "proved" : "not proved") << ": " << obligations.size() << " obligations, "
            << decision.by_rule << " by rule, " << decision.by_solver << " assumed of the solver, "
            << decision.open.size() << " open; input not bound\n";
  if (!certificate->assumptions.empty()) std::cout << "assumed: " << certificate->assumptions << "\n";
  return decision.proved ? 0 : 3;
}
