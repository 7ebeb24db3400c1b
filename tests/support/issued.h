// Certificates of the corpus and of random programs, and what a run of their Traces says of them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tests/support/trace_boundary.h"
#include "tests/support/traced.h"

namespace noclobber::testing {

struct Issued {
  std::string name, text;
  Said said;
  std::shared_ptr<const Modelled> of;
};

/// Each made once.
const std::vector<Issued>& issued();

/// What a run of its Traces says of a certificate that was accepted.
Seen meaning(const std::string& text, Said said, Random& random);

}  // namespace noclobber::testing
