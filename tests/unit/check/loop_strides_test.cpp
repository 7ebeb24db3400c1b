// What a dump says of the strides of a loop's results is held against how loops make them. Found by
// `noclobber fuzz --start 14213`: other strides were believed, and the run of the proof contradicted them.
#include <string>

#include "src/check/check.h"
#include "src/formats/case/case_json.h"
#include "tests/catch.h"

namespace loop_strides_test {

using namespace noclobber;

namespace {

const std::string kBodies = R"("graphs": {
  "while_cond": {"inputs": [{"name": "i", "type": {"dtype": "i64", "shape": []}},
                            {"name": "x", "type": {"dtype": "f32", "shape": [2]}}],
                 "steps": [{"name": "c", "op": "aten.lt.Scalar", "args": [{"ref": "i"}, 3]}],
                 "outputs": [{"ref": "c"}]},
  "while_body": {"inputs": [{"name": "i", "type": {"dtype": "i64", "shape": []}},
                            {"name": "x", "type": {"dtype": "f32", "shape": [2]}}],
                 "steps": [{"name": "j", "op": "aten.add.Scalar", "args": [{"ref": "i"}, 1]},
                           {"name": "r", "op": "aten.neg.default", "args": [{"ref": "x"}]}],
                 "outputs": [{"ref": "j"}, {"ref": "r"}]},
  "combine": {"inputs": [{"name": "c", "type": {"dtype": "f32", "shape": [2]}},
                         {"name": "x", "type": {"dtype": "f32", "shape": [2]}}],
              "steps": [{"name": "n", "op": "aten.add.Tensor", "args": [{"ref": "c"}, {"ref": "x"}]},
                        {"name": "y", "op": "aten.mul.Tensor", "args": [{"ref": "c"}, {"ref": "x"}]}],
              "outputs": [{"ref": "n"}, {"ref": "y"}]},
  "row": {"inputs": [{"name": "x", "type": {"dtype": "f32", "shape": [2]}}],
          "steps": [{"name": "y", "op": "aten.neg.default", "args": [{"ref": "x"}]}],
          "outputs": [{"ref": "y"}]}})";

std::string graph(const std::string& loop, const std::string& output) {
  return R"({"inputs": [{"name": "a", "type": {"dtype": "f32", "shape": [2]}},
                        {"name": "m", "type": {"dtype": "f32", "shape": [3, 2]}}],
             "steps": [)" +
         loop + R"(], "outputs": [{"ref": ")" + output + R"("}]})";
}

/// A loop, of whose result `strides` are told.
using Loop = std::string (*)(const std::string& strides);
std::string told(const std::string& shape, const std::string& strides) {
  return R"({"dtype": "f32", "shape": )" + shape + R"(, "stride": )" + strides + "}";
}
std::string while_loop(const std::string& strides) {
  return R"({"name": "z", "op": "aten.zeros.default", "args": [[]], "kwargs": {"dtype": {"dtype": "i64"}}},
    {"names": ["k", "r"], "op": "higher_order.while_loop",
     "args": [{"graph": "while_cond"}, {"graph": "while_body"}, [{"ref": "z"}, {"ref": "a"}], []],
     "types": [{"dtype": "i64", "shape": [], "stride": []}, )" +
         told("[2]", strides) + "]}";
}
std::string scan(const std::string& carry, const std::string& rows) {
  return R"({"names": ["r", "ys"], "op": "higher_order.scan",
    "args": [{"graph": "combine"}, [{"ref": "a"}], [{"ref": "m"}], []], "types": [)" +
         told("[2]", carry) + ", " + told("[3, 2]", rows) + "]}";
}
std::string scan_carry(const std::string& strides) { return scan(strides, "[2, 1]"); }
std::string scan_rows(const std::string& strides) { return scan("[1]", strides); }
std::string map_rows(const std::string& strides) {
  return R"({"names": ["ys"], "op": "higher_order.map_impl", "args": [{"graph": "row"}, [{"ref": "m"}], []],
             "types": [)" +
         told("[3, 2]", strides) + "]}";
}

struct Checked {
  Status status = Status::error;
  std::string unknown;
  bool contradicted = false;
};
Checked checked(const std::string& before, const std::string& after, const std::string& output,
                const std::string& compare) {
  auto value = read_case_json(R"({"format": "noclobber.case/1", "name": "loop", "strides": ")" + compare +
                              "\", " + kBodies + ", \"before\": " + graph(before, output) +
                              ", \"after\": " + graph(after, output) + "}");
  REQUIRE(value);
  CheckOptions options;
  options.run = CheckOptions::Runs::always;
  bool contradiction = false;
  const CheckRecord record = check_case(*std::move(value), options, contradiction);
  return {record.status, record.unknown.empty() ? "" : record.unknown[0].names.at(0), contradiction};
}

}  // namespace

TEST_CASE("what is told of the strides of a loop's result is held against them", "[loops]") {
  struct Row {
    const char* name;
    Loop loop;
    std::string output, right, wrong;
  };
  for (const Row& row :
       {Row{"while_loop", while_loop, "r", "[1]", "[3]"}, Row{"scan, carried", scan_carry, "r", "[1]", "[3]"},
        Row{"scan, rows", scan_rows, "ys", "[2, 1]", "[1, 3]"},
        Row{"map", map_rows, "ys", "[2, 1]", "[1, 3]"}}) {
    CAPTURE(row.name);
    for (const std::string compare : {"ignore", "compare"}) {
      CAPTURE(compare);
      const Checked right = checked(row.loop(row.right), row.loop(row.right), row.output, compare);
      CHECK((right.status == Status::proved && !right.contradicted));
      for (const bool both : {false, true}) {
        const Checked wrong =
            checked(row.loop(both ? row.wrong : row.right), row.loop(row.wrong), row.output, compare);
        CHECK_FALSE(wrong.contradicted);
        // Written out, a loop's results are the same in both, whatever was told of them.
        if (compare == "ignore" || both) continue;
        CHECK(wrong.status == Status::unknown);
        CHECK(wrong.unknown.starts_with("stride: "));
      }
    }
  }
}

}  // namespace loop_strides_test
