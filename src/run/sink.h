// Where outcomes go while a run goes on: records as lines, counts for the end, and all of it where that is
// asked for.
#pragma once
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/report/report.h"
#include "src/report/run_text.h"
#include "src/run/baseline.h"
#include "src/run/runner.h"

namespace noclobber {

struct Sink {
  bool json = false;             // error records are printed
  bool json_checks = false;      // and check records
  std::FILE* file = nullptr;     // --records: all records; not owned
  bool keeps = false;            // everything is kept in `report`
  bool quiet = false;            // no notes
  Baseline* baseline = nullptr;  // what is accepted; not owned
  Report report;
  RunSummary summary;
  bool contradiction = false;
  std::vector<std::pair<double, std::string>> times;
  std::map<std::string, std::uint64_t> faults;  // findings so far, by fingerprint

  void take(Outcome&& outcome);
  void take_error(const std::string& input, const Diagnostic& fault);

 private:
  void take_record(Outcome&& outcome);
};

/// One record, at once: what is known stays known, whatever happens next.
void print_record(std::FILE* file, const std::string& line);

}  // namespace noclobber
