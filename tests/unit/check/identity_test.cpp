// Every graph is right for itself, and not for itself with a fault.
#include <iostream>

#include "src/check/check.h"
#include "tests/catch.h"
#include "tests/support/brute.h"
#include "tests/support/corpus.h"
#include "tests/support/generator.h"
#include "tests/support/sample.h"

namespace identity_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

CheckRecord checked(const Case& value) {
  bool contradiction = false;
  CheckRecord out = check_case(value, {}, contradiction);
  REQUIRE_FALSE(contradiction);
  return out;
}

std::string first_unknown(const CheckRecord& record) {
  if (record.unknown.empty()) return "";
  return record.unknown[0].reason + (record.unknown[0].names.empty() ? "" : " " + record.unknown[0].names[0]);
}

}  // namespace

TEST_CASE("generated graphs are proved against themselves, and not with a fault", "[identity]") {
  int planted = 0, visible = 0, refuted = 0;
  for (std::uint64_t seed = 1; seed <= sampled(150); ++seed) {
    Random random(seed + 40000);
    const Draft draft = random_program(random, seed % 2 == 0);
    const Case same = pair_of_drafts(draft, draft);
    INFO("seed " << seed << "\n" << both_graphs(same));
    CHECK(checked(same).status == Status::proved);
    for (const Fault fault : {Fault::drop_write, Fault::swap_steps, Fault::shift_offset}) {
      const auto broken = damaged(draft, fault, random);
      if (!broken) continue;
      const Case value = pair_of_drafts(draft, *broken);
      const BruteForce truth = brute_force(value);
      ++planted;
      if (truth.difference.empty()) continue;
      ++visible;
      INFO(name(fault) << ": " << truth.difference << "\n" << both_graphs(value));
      const Status status = checked(value).status;
      CHECK(status != Status::proved);
      refuted += status == Status::refuted ? 1 : 0;
    }
  }
  std::cout << "identity: " << planted << " faults planted, " << visible << " visible, " << refuted
            << " refuted\n";
  CHECK(visible >= static_cast<int>(sampled(60)));
  CHECK(refuted * 100 >= visible * 95);
}

TEST_CASE("both graphs of every case of the corpus against themselves are never refuted", "[identity]") {
  int graphs = 0, proved = 0;
  std::map<std::string, int> open;
  for (const auto& [file, value] : corpus_cases()) {
    for (const bool first : {true, false}) {
      if (first && !value.before) continue;
      Case same = value;
      same.before = same.after = first ? *value.before : value.after;
      same.dataflow = false;
      same.plan.reset();
      INFO(file << (first ? " before" : " after"));
      const CheckRecord record = checked(same);
      CHECK(record.status != Status::refuted);
      CHECK(record.status != Status::error);
      ++graphs;
      proved += record.status == Status::proved ? 1 : 0;
      if (record.status != Status::proved) ++open[first_unknown(record)];
    }
  }
  std::cout << "identity: " << proved << " of " << graphs << " graphs of the corpus proved\n";
  for (const auto& [reason, n] : open) std::cout << "identity open: " << n << " x " << reason << "\n";
  CHECK(proved * 10 >= graphs * 8);
}

}  // namespace identity_test
