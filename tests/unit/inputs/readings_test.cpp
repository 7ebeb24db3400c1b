// What was read before is read again. A change is no fault by itself: who makes one renews the page with
// `build/bin/nc_tests --readings > corpus/readings.tsv`, and the review sees of which files another thing is
// said.
#include "tests/support/readings.h"

#include "tests/catch.h"
#include "tests/support/sample.h"

namespace readings_test {

using namespace noclobber;

namespace {

void compare(const std::string& reader, std::size_t at_least) {
  const testing::Readings held = testing::held_readings(reader);
  CHECK(held.size() >= at_least);
  for (std::size_t k = 0; k < held.size(); ++k)
    if (testing::is_sampled(k)) CHECK(testing::read_again(held[k]) == held[k]);
}

}  // namespace

TEST_CASE("readings: cases", "[readings]") { compare("case", 300); }
TEST_CASE("readings: certificates", "[readings]") { compare("certificate", 200); }
TEST_CASE("readings: plans", "[readings]") { compare("csv", 15); }
TEST_CASE("readings: graphs", "[readings]") { compare("fx", 300); }
TEST_CASE("readings: logs", "[readings]") { compare("log", 300); }
TEST_CASE("readings: payloads", "[readings]") { compare("mlx", 30); }
TEST_CASE("readings: exported programs", "[readings]") { compare("pt2", 15); }
TEST_CASE("readings: programs", "[readings]") { compare("pte", 150); }
TEST_CASE("readings: traces", "[readings]") { compare("thunder", 400); }
TEST_CASE("readings: compilations of traces", "[readings]") { compare("thunder-folder", 25); }

}  // namespace readings_test
