// What noclobber decided of many cases, as corpus/decisions.tsv holds it: any change of it is seen in a
// review.
#pragma once
#include <string>
#include <vector>

namespace noclobber::testing {

/// Lines of the page, a tab between the columns: part (a folder of the corpus, a kind of random programs, or
/// a kind of inputs as compilers write them), case or seed or check of an input ("FILE#ID", "BEFORE
/// AFTER#ID"), digest of its text (another one: another program), injected fault or -, verdict, rules and
/// reasons of it or -, counts (steps in place/storages/obligations), the first 48 bits of the SHA-256 of its
/// Traces as text, what nc-check says of the certificates; then how many certificates there are and what the
/// second engine asks (not of inputs), with such a digest of all that they hold and that is asked, or -.
using Decisions = std::vector<std::string>;

/// The whole page, its head first: every case of some folders, every check of some inputs, and the first
/// programs of each kind.
Decisions decisions();

/// Lines of the page that is held, of one part; the same decided anew.
Decisions held_decisions(const std::string& part);
Decisions decided_again(const Decisions& held);

}  // namespace noclobber::testing
