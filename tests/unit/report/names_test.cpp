#include "src/report/names.h"
#include "tests/catch.h"

namespace names_test {

using namespace noclobber;

TEST_CASE("printable: text passes, commands to the terminal do not", "[report]") {
  CHECK(printable("ü → ×") == "ü → ×");
  CHECK(printable("a\x1b[31m\nb") == "a\\x1b[31m\\x0ab");
  CHECK(printable("\x7f") == "\\x7f");
  CHECK(printable("\xc2\x9b") == "\\xc2\\x9b");           // C1: another spelling of ESC [
  CHECK(printable("\xe2\x80\xae") == "\\xe2\\x80\\xae");  // right-to-left override
  CHECK(printable("\xff\xc3") == "??");                   // broken
  CHECK(printable("\xe0\x80\x80") == "???");              // overlong
  CHECK(printable("\xed\xa0\x80") == "???");              // surrogate
  CHECK(printable("\xf4\x90\x80\x80") == "????");         // beyond Unicode
  CHECK(printable("\xf0\x9f\x98\x80") == "\xf0\x9f\x98\x80");
}

TEST_CASE("shortened: by columns, never inside a character", "[report]") {
  CHECK(shortened("abcd", 4) == "abcd");
  CHECK(shortened("abcde", 4) == "abc…");
  CHECK(shortened("üüüü", 3) == "üü…");
  CHECK(shortened("ab", 1) == "…");
  CHECK(columns("ü×a") == 3);
}

TEST_CASE("shown id: as tlparse shows it", "[report]") {
  CHECK(shown_id("-_0_0_0/post_grad") == "[0/0] post-grad");
  CHECK(shown_id("-_3_1_2/joint") == "[3/1_2] joint");
  CHECK(shown_id("1_-_-_-/post_grad") == "[!1/-/-] post-grad");
  CHECK(shown_id("rank_3/-_0_0_0/post_grad") == "rank 3 [0/0] post-grad");
  CHECK(shown_id("-_0_0_0") == "[0/0]");
  // Anything else is a name and stays one.
  for (const char* name : {"slice-zero", "a_b_c_d/x", "-_0_0", "rank_", "", "-_0_0_0_0/x", "rank_1"}) {
    CHECK(shown_id(name) == name);
  }
}

TEST_CASE("status names", "[report]") {
  CHECK(status_name(Status::proved) == "proved");
  CHECK(status_name(Status::refuted) == "refuted");
  CHECK(status_name(Status::unknown) == "unknown");
  CHECK(status_name(Status::error) == "error");
}

}  // namespace names_test
