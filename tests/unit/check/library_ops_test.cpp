// Operators that libraries beside PyTorch register are known by their schemas (corpus/schemas/libraries.txt).
#include "tests/support/brute.h"
#include "tests/unit/effects/fx_traced.h"

namespace library_ops_test {

using namespace noclobber;
using namespace noclobber::testing;

/// Experts of transformers, and boxes of torchvision: a step that runs in place behind the operator is right,
/// one before it that writes what it reads is not.
TEST_CASE("operators of transformers and torchvision read what their schemas say") {
  const std::tuple<const char*, const char*, const char*> calls[] = {
      {R"(x: "f32[6, 4]", y: "f32[3, 4, 5]", z: "i32[3]")",
       R"("f32[6, 5][5, 1]" = torch.ops.transformers.grouped_mm_fallback.default(s, y, z))",
       R"("f32[6, 4][4, 1]")"},
      {R"(x: "f32[1, 2, 8, 8]", y: "f32[3, 5]")",
       R"("f32[3, 2, 2, 2][8, 4, 2, 1]" = torch.ops.torchvision.roi_align.default(s, y, 1.0, 2, 2, -1, False))",
       R"("f32[1, 2, 8, 8][128, 64, 8, 1]")"},
  };
  for (const auto& [given, call, type] : calls) {
    const std::string made = std::string("s: ") + type + " = aten.sin.default(x)\n";
    const std::string read = std::string("m: ") + call + "\n";
    const std::string after = std::string("t: ") + type + " = aten.relu.default(s)\nreturn (m, t)";
    const std::string in_place = std::string("t: ") + type + " = aten.relu_.default(s)\n";
    INFO(call);
    bool contradiction = false;
    const auto status = [&](const std::string& changed) {
      return check_case(fx_pair(given, made + read + after, made + changed), {}, contradiction).status;
    };
    CHECK(status(read + in_place + "return (m, t)") == Status::proved);
    CHECK(status(in_place + read + "return (m, t)") == Status::refuted);
    CHECK_FALSE(contradiction);
  }
}

}  // namespace library_ops_test
