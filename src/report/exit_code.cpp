#include "src/report/record.h"

namespace noclobber {

int exit_code(const SummaryRecord& summary, bool contradiction, FailOn fail_on) {
  if (contradiction) return 4;
  if (summary.refuted > summary.refuted_accepted && fail_on != FailOn::none) return 1;
  const bool nothing = summary.proved == 0 && summary.refuted == 0 && summary.unknown == 0;
  if (summary.error > 0 || nothing) return 2;
  if (summary.unknown > summary.unknown_accepted && fail_on == FailOn::unknown) return 3;
  return 0;
}

}  // namespace noclobber
