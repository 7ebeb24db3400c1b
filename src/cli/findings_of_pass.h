// What a campaign against a pass found: clusters of one cause each, with a reduced case, written as they
// come.
#pragma once
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/check/check.h"
#include "src/fuzz/trial.h"

namespace noclobber {

struct Cluster {
  std::string kind, cause, folder;
  std::set<std::string> fingerprints;  // of the reduced cases that belong to it
  std::uint64_t seed = 0;              // of the case that is shown
  std::uint64_t reduced = 0;           // findings that were made small and have this cause
  std::size_t steps = 0;               // of `after` of the case that is shown; of a table: buffers
  bool by_pass = true;
};

/// Writes DIR/NUMBER-CAUSE/: program.json, case.json, first.json, record.jsonl, script.py; of plans no
/// script, and of a table program.csv.
class PassFindings {
 public:
  PassFindings(std::filesystem::path folder, CheckOptions check, fuzz::Form form, bool json, std::FILE* out,
               std::FILE* records)
      : folder_(std::move(folder)),
        check_(std::move(check)),
        form_(form),
        json_(json),
        out_(out),
        records_(records) {}

  /// One that was made small. `first`: as it was found.
  void add(std::uint64_t seed, const fuzz::Trial& first, const fuzz::Reduced& reduced);
  const std::vector<Cluster>& clusters() const { return clusters_; }

 private:
  void write(const Cluster& cluster, const fuzz::Trial& first, const fuzz::Reduced& reduced) const;
  void tell(const Cluster& cluster, const fuzz::Trial& trial) const;

  std::filesystem::path folder_;
  CheckOptions check_;
  fuzz::Form form_;
  bool json_;
  std::FILE* out_;
  std::FILE* records_;
  std::vector<Cluster> clusters_;
};

}  // namespace noclobber
