// `--certificate DIR`: one file per check. `--dump-smt2 DIR`: the questions of each.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "src/certify/certify.h"
#include "src/check/check.h"
#include "src/graph/placement.h"
#include "src/interp/replay.h"
#include "src/prover/questions.h"
#include "src/values/certificate.h"

namespace noclobber {

/// Makes the certificate of a proof by `checks`, the verdict's last, and returns the checker's answer to it.
/// If the checker accepts it, `--certificate` writes its text to DIR/<options.certificate_name>.cert. Lemmas
/// are added to the checks.
Certified certify(const CheckOptions& options, const Case& value, Space& space, std::vector<Check>& checks,
                  const CheckRecord& record);

/// With `--certificate`: writes the certificate of a check that was not proved. `shown`: the replay that
/// refuted it, if there is one.
void write_certificate(const CheckOptions& options, const Case& value, Space& space,
                       std::vector<Check> checks, const CheckRecord& record, const ReplayResult& shown);

/// As certify(), for a plan table without faults. `below`: for each row, its neighbour at lower offsets when
/// its live range begins.
Certified certify_plan(const CheckOptions& options, const PlanTable& table,
                       const std::vector<std::uint32_t>& below, std::int64_t capacity,
                       std::vector<std::string> assumed);

/// Makes the record unknown if the checker did not accept the certificate. Otherwise adds nc-check to
/// `checked_by`, unless it relied on a solver; and nc-recheck, if that is to be asked and accepts the text.
void agree(CheckRecord& record, const CheckOptions& options, const Certified& certified);

/// The questions of one check, which `--dump-smt2` writes.
Questions questions_of(const CheckOptions& options);

/// File names that are unique among the checks of a run. Not thread-safe.
class CertificateNames {
 public:
  /// The check's id as a file name; the second check with that name is called "<id>.2".
  std::string of(const std::string& id);

 private:
  std::map<std::string, int> taken_;
};

}  // namespace noclobber
