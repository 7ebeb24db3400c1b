// The destination of outcomes during a run: prints records as lines, counts, and keeps all records if needed.
#pragma once
#include <cstdio>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "src/report/report.h"
#include "src/report/run_text.h"
#include "src/run/baseline.h"
#include "src/run/runner.h"

namespace noclobber {

struct Sink {
  bool json = false;             // print error records
  bool json_checks = false;      // print check records
  std::FILE* file = nullptr;     // --records: gets all records; not owned
  bool keeps = false;            // keep all records in `report`
  bool quiet = false;            // no notes
  Baseline* baseline = nullptr;  // not owned
  Report report;
  RunSummary summary;
  bool contradiction = false;
  std::vector<std::pair<double, std::string>> times;
  std::map<std::string, std::uint64_t> faults;  // causes so far, by fingerprint

  void take(Outcome&& outcome);
  void take_error(const std::string& input, const Diagnostic& fault);

 private:
  void take_record(Outcome&& outcome);
};

/// Owns the file of --records during a run.
class RecordsFile {
 public:
  /// Prints an error if the file cannot be written; get() is then nullptr, as without a path.
  explicit RecordsFile(const std::string& path);
  ~RecordsFile() {
    if (file_ != nullptr) std::fclose(file_);
  }
  RecordsFile(const RecordsFile&) = delete;
  RecordsFile& operator=(const RecordsFile&) = delete;
  std::FILE* get() const { return file_; }

 private:
  std::FILE* file_ = nullptr;
};

/// Prints one record and flushes, so that it is not lost if the process ends early.
void print_record(std::FILE* file, const std::string& line);
/// The text of a record. Bytes that are no UTF-8, as names of files may have them, are replaced.
std::string record_text(const nlohmann::ordered_json& record);
/// Prints an error and returns false if some record did not get into the file of --records.
bool records_written(std::FILE* file, const std::string& path);

}  // namespace noclobber
