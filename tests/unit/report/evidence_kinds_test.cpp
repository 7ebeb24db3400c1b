// Found by `fuzz --start 620627`: the name of an identity lemma was read behind the end of the table of
// names.
#include "src/report/evidence_kinds.h"
#include "tests/catch.h"

namespace evidence_kinds_test {

using namespace noclobber;
using checker::Lemma;

TEST_CASE("fuzz 620627: every kind of lemma and of line has a name of its own", "[report]") {
  const Space space;
  std::set<std::string> names;
  for (const auto kind :
       {Lemma::Kind::calls, Lemma::Kind::contents, Lemma::Kind::writes, Lemma::Kind::identity}) {
    checker::Certificate certificate;
    certificate.checks.emplace_back().lemmas.push_back({.kind = kind});
    const auto found = evidence_kinds(space, certificate);
    REQUIRE(found.size() == 1);
    names.insert(*found.begin());
  }
  CHECK(names == std::set<std::string>{"same-calls", "same-contents", "same-writes", "identity"});
  const auto all = all_evidence_kinds();
  CHECK(std::ranges::includes(all, names));
  CHECK(all.contains("divide"));
  CHECK(all.size() == 28);  // 16 of certificates, 8 rules of lines, 4 kinds of lemmas
  checker::Certificate none;
  CHECK(evidence_kinds(space, none).empty());
}

}  // namespace evidence_kinds_test
