// Finds the lemmas that the checker needs to compare two graphs: steps that compute the same, and storages
// that hold the same.
#pragma once
#include "src/values/certificate.h"

namespace noclobber {

/// Each follows from those before it. `every`: also of steps and contents that have an equal one already.
std::vector<checker::Lemma> find_lemmas(Space& space, const Check& check, bool every);
/// The lemmas that usually suffice, from contents that were computed before.
std::vector<checker::Lemma> find_lemmas(Space& space, Terms& terms, Contents& was, Contents& is);

}  // namespace noclobber
