// The generator of src/fuzz, by the names that tests use.
#pragma once
#include "src/fuzz/draft.h"

namespace noclobber::testing {
using namespace noclobber::fuzz;
}
