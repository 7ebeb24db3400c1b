#include "src/run/progress.h"

#include "tests/catch.h"

namespace progress_test {

using namespace noclobber;

TEST_CASE("progress names the slowest item on one line", "[cli]") {
  CHECK(progress_text(3, 12.4, "", 0) == "3 checked in 12 s");
  CHECK(progress_text(3, 12.4, "a.log -_0_0_0/post_grad", 7) ==
        "3 checked in 12 s; 7 s in a.log -_0_0_0/post_grad");
  const std::string text = progress_text(0, 0, std::string(300, 'x') + "\n\x1b[2J", 1);
  CHECK(text.size() < 100);
  CHECK(text.find('\n') == std::string::npos);
}

TEST_CASE("progress is quiet at first", "[cli]") {
  CHECK(!Progress(true).due());
  CHECK(!Progress(false).due());
}

}  // namespace progress_test
