// Advice that a run prints besides its verdicts: orders, barriers, writes after the return, rewrites.
#pragma once
#include <string>

#include "src/report/run_text.h"

namespace noclobber {

/// The advice of all checks of the run; "" if there is none. No verdict depends on it.
std::string advice_text(const RunSummary& summary, const Look& look);

}  // namespace noclobber
