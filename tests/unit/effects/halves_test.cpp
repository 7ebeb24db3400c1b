// Elements of four bits, two in a byte: which bytes and halves are touched, beside enumeration.
#include "src/check/check.h"
#include "src/formats/case/case_json.h"
#include "tests/catch.h"

namespace halves_test {

using namespace noclobber;

namespace {

/// Eight elements of four bits in four bytes; one side is an input, the other its view.dtype.
/// `before` copies elements [low, high) of the input before element 1 of the view is written, `after` behind
/// it.
Case halves(const std::string& own, int size, const std::string& as, int low, int high) {
  const std::string inputs = R"("inputs":[{"name":"x","type":{"dtype":")" + own + R"(","shape":[)" +
                             std::to_string(size) + R"(]}},{"name":"v","type":{"dtype":")" + as +
                             R"(","shape":[1]}}],)";
  const std::string read = R"({"name":"s","op":"aten.slice.Tensor","args":[{"ref":"x"},0,)" +
                           std::to_string(low) + "," + std::to_string(high) +
                           R"(,1]},{"name":"r","op":"aten.clone.default","args":[{"ref":"s"}]})";
  const std::string write = R"({"name":"b","op":"aten.view.dtype","args":[{"ref":"x"},{"dtype":")" + as +
                            R"("}]},{"name":"w","op":"aten.slice.Tensor","args":[{"ref":"b"},0,1,2,1]},)"
                            R"({"name":"c","op":"aten.copy_.default","args":[{"ref":"w"},{"ref":"v"}]})";
  const std::string rest = R"(],"outputs":[{"ref":"r"}]})";
  const auto value = read_case_json(R"({"format":"noclobber.case/1","name":"halves","before":{)" + inputs +
                                    "\"steps\":[" + read + "," + write + rest + ",\"after\":{" + inputs +
                                    "\"steps\":[" + write + "," + read + rest + "}");
  REQUIRE(value);
  return *value;
}

void compare(const std::string& own, int own_bits, const std::string& as, int as_bits) {
  const int size = 32 / own_bits;
  for (int low = 0; low < size; ++low)
    for (int high = low + 1; high <= size; ++high) {
      const bool meet = low * own_bits < 2 * as_bits && as_bits < high * own_bits;
      const Case value = halves(own, size, as, low, high);
      for (const bool solver_only : {false, true}) {
        CheckOptions options;
        options.solver_only = solver_only;
        bool alarm = false;
        const Status status = check_case(value, options, alarm).status;
        INFO(own << " as " << as << " [" << low << ", " << high << ")");
        CHECK_FALSE(alarm);
        CHECK(status == (meet ? Status::unknown : Status::proved));  // no run shows halves of bytes
      }
    }
}

}  // namespace

TEST_CASE("elements of four bits are apart from bytes that do not hold them", "[effects]") {
  compare("u4", 4, "u8", 8);
  compare("u8", 8, "u4", 4);
  compare("i16", 16, "i4", 4);
}

}  // namespace halves_test
