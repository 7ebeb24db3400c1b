#include "src/run/id_filter.h"

#include "tests/catch.h"

namespace id_filter_test {

using namespace noclobber;

TEST_CASE("only: ids, ranges and open ends", "[cli]") {
  const auto filter = IdFilter::parse("0,5,10-12,>30");
  REQUIRE(filter);
  for (const std::uint64_t id : {0, 5, 10, 11, 12, 31, 1000}) CHECK(filter->accepts("name", id));
  for (const std::uint64_t id : {1, 4, 9, 13, 30}) CHECK(!filter->accepts("name", id));
  CHECK(IdFilter::parse("")->accepts("x", 7));
  CHECK(IdFilter::parse("18446744073709551615")->accepts("x", 18446744073709551615ULL));
}

TEST_CASE("only: the frame of a compile id counts, not its place", "[cli]") {
  const auto filter = IdFilter::parse("3");
  CHECK(filter->accepts("-_3_0_0/post_grad", 0));
  CHECK(!filter->accepts("-_2_3_3/post_grad", 3));
  CHECK(filter->accepts("rank_1/-_3_0_0/joint", 0));
  CHECK(filter->accepts("1_3_0_0/joint", 0));
  CHECK(filter->accepts("a_b_c_d", 3));  // no compile id: its place
  CHECK(filter->accepts("rank_", 3));
}

TEST_CASE("only: an id as records hold it, or as reports print it", "[cli]") {
  for (const char* text : {"-_3_0_0/post_grad", "[3/0]", "3/0", "[3/0] post-grad", "7,3/0"}) {
    INFO(text);
    CHECK(IdFilter::parse(text)->accepts("-_3_0_0/post_grad", 0));
    CHECK(!IdFilter::parse(text)->accepts("-_3_1_0/post_grad", 0));
  }
  CHECK(IdFilter::parse("[3/0]")->accepts("-_3_0_0/joint", 0));
  CHECK(!IdFilter::parse("[3/0] post-grad")->accepts("-_3_0_0/joint", 0));
  CHECK(IdFilter::parse("05_delete-last-used")->accepts("05_delete-last-used", 9));
  CHECK(!IdFilter::parse("05_delete")->accepts("05_delete-last-used", 9));
}

TEST_CASE("only: refused texts", "[cli]") {
  for (const char* text :
       {"1-", "-1", "3-2", "1,,2", "1,", ",1", ">", ">18446744073709551615", "99999999999999999999", "a,"}) {
    INFO(text);
    CHECK(!IdFilter::parse(text));
  }
}

}  // namespace id_filter_test
