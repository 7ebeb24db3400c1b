// Memory plans given as tables.
#pragma once
#include <string_view>

#include "checker/kernel/certificate.h"

namespace noclobber::checker {

constexpr const char* kPlanFormat = "noclobber.plan/1";

/// Reads a table of buffers and decides whether each lies in the arena and live ones never overlap.
Answer check_plan(std::string_view text);

}  // namespace noclobber::checker
