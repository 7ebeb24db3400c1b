// The findings of a campaign against a pass: a cluster for each cause, with a reduced case.
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
  std::set<std::string> fingerprints;  // of its reduced cases
  std::uint64_t seed = 0;              // of the case that is written
  std::uint64_t reduced = 0;           // reduced findings with this cause
  std::size_t steps = 0;               // of the program of the case that is written; of a table: buffers
  bool by_pass = true;
};

/// Writes DIR/NUMBER-CAUSE/: program.json, first.json, case.json, record.jsonl and script.py. A plan has no
/// script, a table has program.csv. A finding other than a refutation has why.txt for the last three.
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

  /// Adds a reduced finding. `first`: the finding before its reduction.
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
