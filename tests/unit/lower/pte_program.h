// Programs of ExecuTorch in corpus/programs, and what is said of them.
#pragma once
#include <fstream>
#include <sstream>
#include <string>

#include "src/cli/commands.h"
#include "src/lower/pairs/pairing.h"
#include "src/lower/pte/case.h"
#include "tests/catch.h"
#include "tests/support/source_dir.h"

namespace noclobber {

inline const std::string kPrograms = in_sources("/corpus/programs/");

inline std::string bytes_of(const std::string& name) {
  std::ifstream file(kPrograms + name + ".pte", std::ios::binary);
  std::stringstream out;
  out << file.rdbuf();
  REQUIRE(out.str().size() > 100);
  return out.str();
}

inline CheckRecord compared_files(const std::string& functional, const std::string& program) {
  const Work work = work_of_pair(kPrograms + functional, kPrograms + program);
  INFO(program << " " << work.fault.where << " " << work.fault.message);
  REQUIRE(work.kind == Work::Kind::check);
  bool contradiction = false;
  return check_case(work.value, {}, contradiction);
}

inline CheckRecord compared(const std::string& name, const char* ending = ".case.json") {
  return compared_files(name + ending, name + ".pte");
}

inline CheckRecord alone(const PteMethod& method) {
  const auto value = case_of_pte(method, nullptr);
  REQUIRE(value);
  bool contradiction = false;
  return check_case(*value, {}, contradiction);
}

inline PteMethod method_of(const std::string& bytes) {
  const auto methods = open_pte(bytes);
  REQUIRE(methods);
  REQUIRE(methods->size() == 1);
  return methods->front();
}

inline CheckRecord alone(const std::string& name) { return alone(method_of(bytes_of(name))); }

inline bool found(const CheckRecord& record, const std::string& property) {
  for (const Finding& finding : record.findings)
    if (finding.property == property && finding.replayed) return true;
  return false;
}

inline bool names_unknown(const CheckRecord& record, const std::string& name) {
  if (record.status != Status::unknown) return false;
  for (const Unknown& unknown : record.unknown)
    for (const std::string& one : unknown.names)
      if (one.find(name) != std::string::npos) return true;
  return false;
}

}  // namespace noclobber
