// Calls that a pass adds and nobody uses, with sizes or numbers that PyTorch refuses: of 110 of them, found
// while the comments of view_cuts.cpp were read, 21 were proved without a run, and 8 with one.
#include "tests/unit/fuzz/found.h"

namespace added_sizes_test {

using namespace noclobber;
using namespace noclobber::found;

namespace {

struct Added {
  const char* op;
  const char* args;
  const char* shape;  // of x
};

std::string typed(const char* shape) { return R"({"dtype":"f32","shape":)" + std::string(shape) + "}"; }

/// `after` clones x as `before` does, and makes the call as well; `before` does if `was_there`. What is
/// proved is not run: a run would find the error.
CheckRecord record_of(const Added& call, bool was_there) {
  const std::string inputs = R"({"name":"x","type":)" + typed(call.shape) + "}";
  const std::string own =
      R"({"name":"y","op":"aten.clone.default","args":[{"ref":"x"}],"types":[)" + typed(call.shape) + "]}";
  const std::string dead =
      R"({"names":[],"op":"aten.)" + std::string(call.op) + R"(","args":)" + call.args + "}";
  const std::string end = R"(],"outputs":[{"ref":"y"}])";
  const std::string both = R"("steps":[)" + own + "," + dead + end;
  CheckOptions options;
  options.run = CheckOptions::Runs::never;
  bool alarm = false;
  const CheckRecord out =
      check_case(pair_of(inputs, was_there ? both : R"("steps":[)" + own + end, both), options, alarm);
  CHECK_FALSE(alarm);
  return out;
}

/// PyTorch 2.15 raises on each.
constexpr Added kRefused[] = {
    {"vsplit.int", R"([{"ref":"x"},2])", "[5,4]"},
    {"vsplit.int", R"([{"ref":"x"},7])", "[7]"},
    {"vsplit.array", R"([{"ref":"x"},[1,2]])", "[7]"},
    {"hsplit.int", R"([{"ref":"x"},3])", "[5,4]"},
    {"hsplit.int", R"([{"ref":"x"},2])", "[7]"},
    {"dsplit.int", R"([{"ref":"x"},2])", "[5,4]"},
    {"roll.default", R"([{"ref":"x"},[1],[0,1]])", "[5,4]"},
    {"flip.default", R"([{"ref":"x"},[0,0]])", "[5,4]"},
    {"rot90.default", R"([{"ref":"x"},1,[0,0]])", "[5,4]"},
    {"rot90.default", R"([{"ref":"x"},1,[0,1]])", "[7]"},
    {"tile.default", R"([{"ref":"x"},[-1]])", "[5,4]"},
    {"repeat.default", R"([{"ref":"x"},[2]])", "[5,4]"},
    {"pixel_shuffle.default", R"([{"ref":"x"},2])", "[5,4]"},
    {"constant_pad_nd.default", R"([{"ref":"x"},[-3,-3]])", "[5,4]"},
    {"constant_pad_nd.default", R"([{"ref":"x"},[1]])", "[5,4]"},
    {"channel_shuffle.default", R"([{"ref":"x"},2])", "[5,4]"},
    {"repeat_interleave.self_int", R"([{"ref":"x"},-1])", "[5,4]"},
    {"diag_embed.default", R"([{"ref":"x"},0,0,0])", "[5,4]"},
    {"vander.default", R"([{"ref":"x"}])", "[5,4]"},
    {"combinations.default", R"([{"ref":"x"},2])", "[5,4]"},
};

constexpr Added kTaken[] = {
    {"vsplit.int", R"([{"ref":"x"},5])", "[5,4]"},
    {"vsplit.array", R"([{"ref":"x"},[1,2]])", "[5,4]"},
    {"hsplit.int", R"([{"ref":"x"},2])", "[5,4]"},
    {"hsplit.int", R"([{"ref":"x"},7])", "[7]"},
    {"dsplit.int", R"([{"ref":"x"},2])", "[5,4,2]"},
    {"roll.default", R"([{"ref":"x"},[1,1],[0,1]])", "[5,4]"},
    {"flip.default", R"([{"ref":"x"},[0,1]])", "[5,4]"},
    {"tile.default", R"([{"ref":"x"},[2]])", "[5,4]"},
    {"repeat.default", R"([{"ref":"x"},[2,1]])", "[5,4]"},
    {"constant_pad_nd.default", R"([{"ref":"x"},[-1,-3]])", "[5,4]"},
    {"repeat_interleave.self_int", R"([{"ref":"x"},2])", "[5,4]"},
    {"diag_embed.default", R"([{"ref":"x"},0,0,1])", "[5,4]"},
};

}  // namespace

TEST_CASE("sizes that PyTorch refuses are not proved where a pass adds the call", "[found]") {
  for (const Added& call : kRefused) {
    INFO(call.op << call.args << " of " << call.shape);
    CHECK(record_of(call, false).status != Status::proved);  // refuted where the interpreter raises
  }
}

TEST_CASE("sizes that a rule knows to fit are proved where a pass adds the call", "[found]") {
  for (const Added& call : kTaken) {
    INFO(call.op << call.args << " of " << call.shape);
    CHECK(record_of(call, false).status == Status::proved);
  }
}

TEST_CASE("a call whose sizes no rule knows may be repeated, but not with other sizes or numbers",
          "[found]") {
  const Added turned{"rot90.default", R"([{"ref":"x"},1,[0,1]])", "[5,4]"};
  CHECK(record_of(turned, true).status == Status::proved);
  const CheckRecord added = record_of(turned, false);
  CHECK(added.status == Status::unknown);
  const auto at =
      std::ranges::find(added.unknown, std::string("may-raise"), [](const auto& one) { return one.reason; });
  REQUIRE(at != added.unknown.end());
  CHECK(at->names == std::vector<std::string>{"aten.rot90.default"});
}

}  // namespace added_sizes_test
