// Verdicts of random pairs against the interpreter.
#include <cstdlib>
#include <iostream>

#include "src/check/check.h"
#include "tests/catch.h"
#include "tests/support/brute.h"
#include "tests/support/generator.h"
#include "tests/support/sample.h"

namespace random_pairs_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

std::uint64_t pairs_wanted() {
  const char* text = std::getenv("NC_FUZZ_COUNT");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : sampled(400);
}

CheckRecord checked(const Case& value, bool solver_only = false) {
  bool contradiction = false;
  CheckOptions options;
  options.solver_only = solver_only;
  CheckRecord out = check_case(value, options, contradiction);
  REQUIRE_FALSE(contradiction);
  return out;
}

std::string reasons(const CheckRecord& record) {
  std::string out;
  for (const Unknown& u : record.unknown) {
    out += u.reason;
    for (const std::string& n : u.names) out += " " + n + ",";
  }
  return out;
}

bool verbose() { return std::getenv("NC_FUZZ_VERBOSE") != nullptr; }

void show(const char* what, std::uint64_t seed, const CheckRecord& record, const Case& value,
          const std::string& more) {
  if (verbose())
    std::cout << what << " seed " << seed << " " << more << " [" << reasons(record) << "]\n"
              << both_graphs(value) << std::endl;
}

}  // namespace

TEST_CASE("random sound rewrites are proved, and never refuted", "[random]") {
  std::uint64_t usable = 0, proved = 0, directly = 0;
  for (std::uint64_t seed = 1; seed <= pairs_wanted() / 2; ++seed) {
    Random random(seed);
    const Draft before = random_program(random, seed % 2 == 0);
    std::string log;
    const Draft after = rewritten(before, random, log);
    const Case value = pair_of_drafts(before, after);
    const BruteForce truth = brute_force(value);
    INFO("seed " << seed << ": " << log << "\n" << both_graphs(value) << truth.difference);
    CHECK(truth.difference == "");  // else the generator is at fault
    if (!truth.usable) continue;
    ++usable;
    const CheckRecord record = checked(value);
    CHECK(record.status != Status::refuted);
    if (record.status == Status::proved) ++proved;
    if (checked(value, true).status == Status::proved) ++directly;
    if (record.status != Status::proved) show("SOUND not proved", seed, record, value, log);
  }
  std::cout << "random sound pairs: " << proved << " of " << usable << " proved, " << directly
            << " by the second engine\n";
  CHECK(usable * 100 >= pairs_wanted() / 2 * 90);
  CHECK(proved * 100 >= usable * 90);
  CHECK(directly * 100 >= usable * 90);
}

TEST_CASE("a random pair with one fault that can be seen is refuted, and never proved", "[random]") {
  std::uint64_t injected = 0, seen = 0, refuted = 0;
  for (std::uint64_t seed = 1; injected < pairs_wanted() / 2 && seed <= 20 * pairs_wanted(); ++seed) {
    Random random(seed + 1000000);
    const Draft before = random_program(random, seed % 3 == 0);
    const auto fault = static_cast<Fault>(seed % kFaults);
    std::string log;
    const Draft sound = random.chance(60) ? rewritten(before, random, log) : before;
    const std::optional<Draft> after = damaged(sound, fault, random);
    if (!after) continue;
    const Case value = pair_of_drafts(before, *after);
    const BruteForce truth = brute_force(value);
    if (!truth.usable) continue;
    ++injected;
    const CheckRecord record = checked(value);
    INFO("seed " << seed << ": " << log << name(fault) << ": " << truth.difference << "\n"
                 << both_graphs(value));
    if (truth.difference.empty()) continue;  // harmless, or visible only for contents that were not tried
    ++seen;
    CHECK(record.status != Status::proved);
    CHECK(checked(value, true).status != Status::proved);
    if (record.status == Status::refuted) ++refuted;
    if (record.status != Status::refuted)
      show("FAULT not refuted", seed, record, value, std::string(name(fault)) + ": " + truth.difference);
  }
  std::cout << "random faults: " << injected << " injected, " << seen << " visible, " << refuted
            << " refuted\n";
  CHECK(seen * 100 >= injected * 30);
  CHECK(refuted * 100 >= seen * 95);
}

}  // namespace random_pairs_test
