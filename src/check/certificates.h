// `--certificate DIR`: one file for every check.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "src/certify/certify.h"
#include "src/check/check.h"
#include "src/graph/placement.h"
#include "src/interp/replay.h"
#include "src/values/certificate.h"

namespace noclobber {

/// The checker's answer to the certificate of what was proved by `checks`, the verdict's last; with
/// `--certificate` its text is left in DIR/<options.certificate_name>.cert. Lemmas are added to the checks.
Certified certify(const CheckOptions& options, const Case& value, Space& space, std::vector<Check>& checks,
                  const CheckRecord& record);

/// With `--certificate`: the certificate of what was not proved; `shown`: the replay that refuted it, if one
/// did.
void write_certificate(const CheckOptions& options, const Case& value, Space& space,
                       std::vector<Check> checks, const CheckRecord& record, const ReplayResult& shown);

/// As certify(), of a plan table that holds. `below`: per row, its neighbour below when it began to live.
Certified certify_plan(const CheckOptions& options, const PlanTable& table,
                       const std::vector<std::uint32_t>& below, std::int64_t capacity,
                       std::vector<std::string> assumed);

/// What the checker did not show is not proved; else it is among those who agreed, unless it took a solver's
/// word for it. So is nc-recheck, where it is asked and accepts the text.
void agree(CheckRecord& record, const CheckOptions& options, const Certified& certified);

/// Names that no two checks of a run share, whatever the inputs call them. Not thread-safe.
class CertificateNames {
 public:
  /// The check's id as a file name; the second of that name is called "<id>.2".
  std::string of(const std::string& id);

 private:
  std::map<std::string, int> taken_;
};

}  // namespace noclobber
