// What a run says beside its verdicts: orders, barriers, writes behind the return, rewrites.
#pragma once
#include <string>

#include "src/report/run_text.h"

namespace noclobber {

/// Advice of all checks of the run, which no verdict depends on; "" where there is none.
std::string advice_text(const RunSummary& summary, const Look& look);

}  // namespace noclobber
