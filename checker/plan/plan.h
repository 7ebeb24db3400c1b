// Plans that are tables.
#pragma once
#include <string_view>

#include "checker/kernel/certificate.h"

namespace noclobber::checker {

constexpr const char* kPlanFormat = "noclobber.plan/1";

/// Reads a table of buffers and decides whether any two of them meet.
Answer check_plan(std::string_view text);

}  // namespace noclobber::checker
