// The oracle of src/fuzz, by the names that tests use.
#pragma once
#include "src/fuzz/brute.h"

namespace noclobber::testing {
using namespace noclobber::fuzz;
}
