// What the checker needs to see two graphs side by side: steps that make the same, storages that hold the
// same.
#pragma once
#include "src/values/certificate.h"

namespace noclobber {

/// Each follows from those before it. `every`: also of things that have an equal one already.
std::vector<checker::Lemma> find_lemmas(Space& space, const Check& check, bool every);
/// As many as are needed as a rule, from contents that were looked at before.
std::vector<checker::Lemma> find_lemmas(Space& space, Terms& terms, Contents& was, Contents& is);

}  // namespace noclobber
