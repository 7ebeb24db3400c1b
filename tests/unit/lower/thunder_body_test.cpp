// What is printed below a call: does it repeat the call, or contradict it?
#include "src/lower/thunder/body.h"
#include "tests/unit/lower/thunder_program.h"

namespace thunder_body_test {

using namespace noclobber;
using namespace noclobber::thunder_program;

namespace {

/// A call of f with these arguments, and of another module's f with those below it.
ThunderStatement remarked(const std::string& above, const std::string& below) {
  const auto traces =
      parse_thunder(trace("a", "  t1 = x.f(" + above + ")\n    # t1 = y.f(" + below + ")\n  return a\n"));
  REQUIRE(traces);
  REQUIRE(traces->at(0).statements.at(0).inner.size() == 1);
  return traces->at(0).statements[0];
}

bool repeats(const std::string& above, const std::string& below) {
  return thunder_repeats(remarked(above, below), "f", "f");
}

bool contradicts(const std::string& above, const std::string& below) {
  return thunder_contradicts(remarked(above, below), "f", "f",
                             [](const std::string& name) { return name[0] == 't'; });
}

}  // namespace

TEST_CASE("thunder remarks: a call is repeated with the same arguments, as they are printed", "[thunder]") {
  for (const char* same : {"a", "a, 2", "a, 0.5", "a, float('nan')", "a, True", "a, None", "a, (b, c)",
                           "a, {'k': 1}", "a, g(b, k=1)", "a, k=2", "a, 'x'"}) {
    INFO(same);
    CHECK(repeats(same, same));
  }
  const char* const others[][2] = {{"a", "b"},
                                   {"a, 2", "a, 3"},
                                   {"a, 0.5", "a, 0.25"},
                                   {"a, float('nan')", "a, 0.5"},
                                   {"a, 0.5", "a, float('nan')"},
                                   {"a, True", "a, False"},
                                   {"a, (b, c)", "a, (b, d)"},
                                   {"a, (b, c)", "a, (b,)"},
                                   {"a, {'k': 1}", "a, {'k': 2}"},
                                   {"a, {'k': 1}", "a, {'j': 1}"},
                                   {"a, g(b, k=1)", "a, g(b, k=2)"},
                                   {"a, g(b, k=1)", "a, g(c, k=1)"},
                                   {"a, g(b, k=1)", "a, g(b)"},
                                   {"a, k=2", "a, k=3"}};
  for (const auto& [above, below] : others) {
    INFO(above << " | " << below);
    CHECK_FALSE(repeats(above, below));
  }
  CHECK_FALSE(repeats("a, k=2", "a"));  // an argument that one of them leaves out may say anything
  CHECK_FALSE(repeats("a, 2", "a"));
}

TEST_CASE("thunder remarks: another number contradicts, an axis from the other end does not", "[thunder]") {
  const char* const denied[][2] = {
      {"t1, 2", "t1, 3"},    {"t1, 0", "t1, 2"},      {"t1, -1", "t1, -2"},         {"t1, -1.0", "t1, 2"},
      {"t1, -1", "t1, 2.0"}, {"t1, 0.5", "t1, 0.25"}, {"t1, True", "t1, False"},    {"t1", "t2"},
      {"t1, t2", "t2, t1"},  {"t1, k=2", "t1, k=3"},  {"t1, 2", "t1, float('nan')"}};
  for (const auto& [above, below] : denied) {
    INFO(above << " | " << below);
    CHECK(contradicts(above, below));
  }
  const char* const left[][2] = {
      {"t1, 2", "t1, 2"},       {"t1, -1", "t1, 2"},   {"t1, -1", "t1, 0"},
      {"t1, 2", "t1, 2.0"},     {"t1, True", "t1, 1"}, {"t1, 0", "t1, True"},
      {"t1, True", "t1, True"}, {"t1, None", "t1, 2"}, {"t1, float('nan')", "t1, float('nan')"},
      {"t1, k=2", "t1, j=3"},   {"t1, 2", "t1"}};
  for (const auto& [above, below] : left) {
    INFO(above << " | " << below);
    CHECK_FALSE(contradicts(above, below));
  }
}

TEST_CASE("attack 8: that a call does what the lines below take it apart into is an assumption",
          "[thunder]") {
  const auto assumed = [](const std::string& lines) {
    const auto checks = read_thunder({"t", program(lines + "  return t1\n")}, "");
    REQUIRE(static_cast<bool>(checks.at(0).value));
    return checks[0].value->assumed;
  };
  const std::string type = "  # t1: \"cpu f32[2, 3]\"\n";
  const auto apart = [&](const std::string& indent) {
    return indent + "# t0 = prims.gt(a, 0.0)  # t0: \"cpu b8[2, 3]\"\n" + indent +
           "# t1 = prims.where(t0, a, 0.0)" + type;
  };
  const std::string relu = "    # t1 = ltorch.relu(a)" + type;
  CHECK(assumed("  t1 = torch.nn.functional.relu(a)" + type + relu + apart("      ")) ==
        std::vector<std::string>{"calls do what the lines below them say"});
  CHECK(assumed("  t1 = ltorch.relu(a)" + type + apart("    ")).empty());  // what Thunder means by it
  CHECK(assumed("  t1 = torch.sin(a)" + type + "    # t1 = ltorch.sin(a)" + type +
                "      # t1 = prims.sin(a)" + type)
            .empty());
}

}  // namespace thunder_body_test
