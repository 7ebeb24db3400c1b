// `--certificate DIR`: one file for every check.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "src/cli/pipeline.h"
#include "src/graph/placement.h"
#include "src/interp/replay.h"
#include "src/values/certificate.h"

namespace noclobber {

/// Writes DIR/<options.certificate_name>.cert: `checks`, the verdict's last; `shown`: the replay that refuted
/// it, if one did.
void write_certificate(const CheckOptions& options, const Case& value, Space& space,
                       std::vector<Check> checks, const CheckRecord& record, const ReplayResult& shown);

/// The same of a plan table that holds. `below`: per row, its neighbour below when it began to live.
void write_plan_certificate(const CheckOptions& options, const PlanTable& table,
                            const std::vector<std::uint32_t>& below, std::int64_t capacity,
                            std::vector<std::string> assumed);

/// Names that no two checks of a run share, whatever the inputs call them. Not thread-safe.
class CertificateNames {
 public:
  /// The check's id as a file name; the second of that name is called "<id>.2".
  std::string of(const std::string& id);

 private:
  std::map<std::string, int> taken_;
};

}  // namespace noclobber
