// Inputs that share storage, and outputs: what the Trace says of them.
#include "src/check/check.h"
#include "src/formats/case/case_json.h"
#include "tests/unit/effects/trace_lines.h"

namespace inputs_outputs_test {

using namespace noclobber;
using namespace noclobber::trace_lines;

namespace {

std::string input(const std::string& name, const std::string& type, const std::string& more) {
  return R"({"name": ")" + name + R"(", "type": {)" + type + "}" + (more.empty() ? "" : ", " + more) + "}";
}
const std::string kOps = R"~("ops": [{"schema": "zoo::view(Tensor(a) x) -> Tensor(a)", "result": "view"}])~";

Case alone_of(const std::string& inputs, const std::string& rest = R"("steps": [], "outputs": [])",
              const std::string& more = "") {
  auto value = read_case_json(R"({"format": "noclobber.case/1", "name": "t", )" + kOps + more +
                              R"(, "after": {"inputs": [)" + inputs + "], " + rest + "}}");
  INFO((value ? "" : value.fault().where + " " + value.fault().message));
  REQUIRE(value);
  return *std::move(value);
}

const std::string kFour = R"("dtype": "f32", "shape": [4])", kEight = R"("dtype": "f32", "shape": [8])";
const std::string kOf = R"("storage": "S")";

}  // namespace

TEST_CASE("inputs of one storage", "[inputs]") {
  const auto both = [](const std::string& x, const std::string& more_x, const std::string& y,
                       const std::string& more_y) {
    return lines(
        alone_of(
            input("x", x, kOf + more_x) + ", " + input("y", y, kOf + more_y),
            R"("steps": [{"name": "r", "op": "aten.neg.default", "args": [{"ref": "y"}]}], "outputs": [])"),
        "storage step unknown");
  };
  CHECK(both(kEight, "", kFour, "") ==
        "storage S2 [8]  input in:storage S  compared at exit\nstorage S3 [4]  fresh 0\nopaque "
        "\"aten.neg;T\"  write S3:f32[4]  read S2:f32.strided(0, [1])[4]");
  CHECK(both(kFour, "", kEight, "") ==
        "storage S2 [4]  input in:storage S  compared at exit\nunknown no-metadata inputs of storage "
        "S\nunknown no-metadata aten.neg.default");
  CHECK(both(kFour, R"(, "storage_numel": 8)", kEight, "") ==
        "storage S2 [8]  input in:storage S  compared at exit\nstorage S3 [8]  fresh 0\nopaque "
        "\"aten.neg;T\"  write S3:f32[8]  read S2:f32.strided(0, [1])[8]");
  CHECK(both(kEight, "", kFour + R"(, "offset": 4)", "") ==
        "storage S2 [8]  input in:storage S  compared at exit\nstorage S3 [4]  fresh 0\nopaque "
        "\"aten.neg;T\"  write S3:f32[4]  read S2:f32.strided(4, [1])[4]");
  CHECK(both(kEight, "", kFour + R"(, "offset": 5)", "") ==
        "storage S2 [8]  input in:storage S  compared at exit\nunknown no-metadata inputs of storage "
        "S\nunknown no-metadata aten.neg.default");
  CHECK(both(kEight, "", R"("dtype": "f32", "shape": [4], "stride": [2])", "") ==
        "storage S2 [8]  input in:storage S  compared at exit\nstorage S3 [4]  fresh 0\nopaque "
        "\"aten.neg;T\"  write S3:f32[4]  read S2:f32.strided(0, [2])[4]");
  CHECK(both(kEight, "", R"("dtype": "f32", "shape": [2, 2], "stride": [1, 4], "offset": 2)", "") ==
        "storage S2 [8]  input in:storage S  compared at exit\nstorage S3 [2, 2]  fresh 0\nopaque "
        "\"aten.neg;T\"  write S3:f32[2, 2]  read S2:f32.strided(2, [1, 4])[2, 2]");
  CHECK(both(kEight, "", R"("dtype": "f32", "shape": [0, 2], "stride": [9, 9], "offset": 2)", "") ==
        "storage S2 [8]  input in:storage S  compared at exit\nstorage S3 [0, 2]  fresh 0\nopaque "
        "\"aten.neg;T\"  write S3:f32[0, 2]  read S2:f32.strided(2, [9, 9])[0, 2]");
  CHECK(both(kEight, "", R"("dtype": "i32", "shape": [4])", "") ==
        "storage S2 [8]  input in:storage S  compared at exit\nunknown no-metadata inputs of storage "
        "S\nunknown no-metadata aten.neg.default");
  CHECK(both(kEight, "", R"("dtype": "f32", "shape": [4], "stride": null)", "") ==
        "storage S2 [8]  input in:storage S  compared at exit\nunknown no-metadata y\nunknown no-metadata "
        "aten.neg.default");
  CHECK(both(kEight, R"(, "mutable": true)", kFour, R"(, "mutable": true)") ==
        "storage S2 [8]  input in:storage S  writable\nstorage S3 [4]  fresh 0\nopaque \"aten.neg;T\"  write "
        "S3:f32[4]  read S2:f32.strided(0, [1])[4]");
  CHECK(both(kEight, R"(, "mutable": true)", kFour, R"(, "mutable": false)") ==
        "storage S2 [8]  input in:storage S  compared at exit\nstorage S3 [4]  fresh 0\nopaque "
        "\"aten.neg;T\"  write S3:f32[4]  read S2:f32.strided(0, [1])[4]");
  CHECK(both(kEight, R"(, "mutable": false)", kFour, R"(, "mutable": true)") ==
        "storage S2 [8]  input in:storage S  compared at exit\nstorage S3 [4]  fresh 0\nopaque "
        "\"aten.neg;T\"  write S3:f32[4]  read S2:f32.strided(0, [1])[4]");
}

TEST_CASE("an input in a storage of its own", "[inputs]") {
  const auto one = [](const std::string& type, const std::string& more = "") {
    return lines(
        alone_of(
            input("x", type, more),
            R"("steps": [{"name": "r", "op": "aten.neg.default", "args": [{"ref": "x"}]}], "outputs": [])"),
        "storage step unknown");
  };
  CHECK(one(kFour) ==
        "storage S2 [4]  input in:x  compared at exit\nstorage S3 [4]  fresh 0\nopaque \"aten.neg;T\"  write "
        "S3:f32[4]  read S2:f32[4]");
  CHECK(one(R"("dtype": "f32", "shape": [4], "stride": null)") ==
        "storage S2 [4]  input in:x  compared at exit\nstorage S3 [4]  fresh 0\nopaque \"aten.neg;T\"  write "
        "S3:f32[4]  read S2:f32[4]");
  CHECK(one(R"("dtype": "f32", "shape": [4], "stride": [2])") ==
        "storage S2 [7]  input in:x  compared at exit\nstorage S3 [4]  fresh 0\nopaque \"aten.neg;T\"  write "
        "S3:f32[4]  read S2:f32.strided(0, [2])[4]");
  CHECK(one(R"("dtype": "f32", "shape": [2, 3], "stride": [1, 2])") ==
        "storage S2 [2, 3]  input in:x  compared at exit\nstorage S3 [2, 3]  fresh 0\nopaque \"aten.neg;T\"  "
        "write S3:f32[2, 3]  read S2:f32[2, 3]");
  CHECK(one(R"("dtype": "f32", "shape": [2, 3], "stride": [4, 1], "offset": 3)") ==
        "storage S2 [10]  input in:x  compared at exit\nstorage S3 [2, 3]  fresh 0\nopaque \"aten.neg;T\"  "
        "write S3:f32[2, 3]  read S2:f32.strided(3, [4, 1])[2, 3]");
  CHECK(one(R"("dtype": "f32", "shape": [4], "offset": 3)") ==
        "storage S2 [7]  input in:x  compared at exit\nstorage S3 [4]  fresh 0\nopaque \"aten.neg;T\"  write "
        "S3:f32[4]  read S2:f32.strided(3, [1])[4]");
  CHECK(one(kFour, R"("storage_numel": 9)") ==
        "storage S2 [9]  input in:x  compared at exit\nstorage S3 [4]  fresh 0\nopaque \"aten.neg;T\"  write "
        "S3:f32[4]  read S2:f32.strided(0, [1])[4]");
  CHECK(one(R"("dtype": "f32", "shape": [4], "stride": null, "offset": 1)") ==
        "unknown no-metadata x\nunknown no-metadata aten.neg.default");
}

TEST_CASE("outputs", "[outputs]") {
  const auto of = [](const std::string& steps, const std::string& outputs, bool free = false) {
    Case value = alone_of(input("x", R"("dtype": "f32", "shape": [2, 3])", ""),
                          R"("steps": [)" + steps + R"(], "outputs": [)" + outputs + "]");
    value.sharing_may_grow = free;
    Space space = searching_space();
    const Traced out = traced(space, value);
    std::string strides;
    for (const TraceOutput& output : out.after.outputs) {
      strides += output.strides_known ? " known" : " -";
      for (const PolyId stride : output.strides) strides += " " + std::to_string(*space.value(stride));
    }
    return lines_of(space, out.after, "step output unknown") + "\n" + strides;
  };
  const std::string x = R"({"ref": "x"})";
  CHECK(of("", x + R"(, 7, null, "a", [3])") ==
        "output 0 read S2:f32[2, 3]\noutput 1 scalar 7\noutput 2 scalar -\noutput 3 scalar 1'a'\noutput 4 "
        "scalar [3,]\n known 3 1 - - - -");
  CHECK(of("", R"([3, [{"ref": "x"}]])") ==
        "output 0 scalar [3,[T,],]\nunknown unsupported-op an output that is a list of tensors\n -");
  CHECK(of(R"({"name": "t", "op": "aten.t.default", "args": [{"ref": "x"}]})", R"({"ref": "t"})") ==
        "output 0 read S2:f32.permute(1, 0)\n known 1 3");
  CHECK(
      of(R"({"name": "t", "op": "aten.neg.default", "args": [{"ref": "x"}], "types": [{"dtype": "f32", "shape": [2, 3], "stride": null}]})",
         R"({"ref": "t"})") ==
      "opaque \"aten.neg;T\"  write S3:f32[2, 3]  read S2:f32[2, 3]\noutput 0 read S3:f32[2, 3]\n -");
  CHECK(of(R"({"name": "t", "op": "zoo.nothing.default", "args": [{"ref": "x"}]})", R"({"ref": "t"})") ==
        "output 0 scalar \nunknown unsupported-op zoo.nothing.default\nunknown no-metadata t\n -");
  const std::string view =
      R"({"name": "t", "op": "zoo.view.default", "args": [{"ref": "x"}], "types": [{"dtype": "f32", "shape": [2, 3], "stride": null}]})";
  CHECK(of(view, R"({"ref": "t"})") ==
        "opaque \"zoo.view.default;T;shown;3;1\"  write S3:f32[2, 3]  read S2:f32[2, 3]\nopaque "
        "\"zoo.view.default;T;shown;3;1\"  write S3:f32[2, 3]  read S2:f32[2, 3]\noutput 0 read S3:f32[2, "
        "3]\nunknown unsupported-op an output that shows elements that are not known\n -");
  CHECK(of(view, R"({"ref": "t"})", true) ==
        "opaque \"zoo.view.default;T;shown;3;1\"  write S3:f32[2, 3]  read S2:f32[2, 3]\nopaque "
        "\"zoo.view.default;T;shown;3;1\"  write S3:f32[2, 3]  read S2:f32[2, 3]\noutput 0 read S3:f32[2, "
        "3]\n -");
  CHECK(of(view + R"(, {"name": "r", "op": "aten.neg.default", "args": [{"ref": "t"}]})", R"({"ref": "t"})",
           true) ==
        "opaque \"zoo.view.default;T;shown;3;1\"  write S3:f32[2, 3]  read S2:f32[2, 3]\nopaque "
        "\"zoo.view.default;T;shown;3;1\"  write S3:f32[2, 3]  read S2:f32[2, 3]\nopaque \"aten.neg;T\"  "
        "write S4:f32[2, 3]  read S3:f32[2, 3]\nopaque \"zoo.view.default;T;shown;3;1\"  write S3:f32[2, 3]  "
        "read S2:f32[2, 3]\noutput 0 read S3:f32[2, 3]\n -");
  CHECK(
      of(R"({"names": [], "op": "prims.return.default", "args": [{"ref": "x"}]}, {"name": "z", "op": "aten.zero_.default", "args": [{"ref": "x"}]})",
         x) == "output 0 read S2:f32[2, 3]\n known 3 1");
}

TEST_CASE("contents at the end", "[outputs]") {
  const auto of = [](const std::string& final, const std::string& steps = "") {
    return lines(
        alone_of(input("x", kFour, "") + ", " + input("y", kFour, "") + ", " + input("w", kEight, ""),
                 R"("steps": [)" + steps + R"(], "outputs": [], "final": )" + final),
        "step unknown");
  };
  CHECK(of(R"({"x": {"ref": "y"}, "y": {"ref": "x"}})") ==
        "move  write S5:f32[4]  read S3:f32[4]\nmove  write S6:f32[4]  read S2:f32[4]\nmove  write S2:f32[4] "
        " read S5:f32[4]\nmove  write S3:f32[4]  read S6:f32[4]");
  CHECK(of(R"({"x": {"ref": "w"}})") == "move  write S5:f32[8]  read S4:f32[8]\nunknown no-metadata final");
  CHECK(of(R"({"x": 3})") == "unknown no-metadata final");
  CHECK(
      of(R"({"x": {"ref": "r"}})", R"({"name": "r", "op": "zoo.nothing.default", "args": [{"ref": "x"}]})") ==
      "unknown unsupported-op zoo.nothing.default\nunknown no-metadata final");
}

// What mutants of the builder led to: the text of a list said no more than that tensors stand in it.
TEST_CASE("a list of tensors is not proved to be another list", "[outputs]") {
  const auto returning = [](const std::string& after) {
    const std::string inputs = R"("inputs": [)" + input("x", kFour, "") + ", " + input("y", kFour, "") +
                               R"(], "steps": [], "outputs": [)";
    auto value = read_case_json(R"({"format": "noclobber.case/1", "name": "t", "before": {)" + inputs +
                                R"([{"ref": "x"}]]}, "after": {)" + inputs + after + "]}}");
    REQUIRE(value);
    bool alarm = false;
    const Status status = check_case(*value, {}, alarm).status;
    CHECK_FALSE(alarm);
    return status;
  };
  CHECK(returning(R"([{"ref": "y"}])") != Status::proved);
  CHECK(returning(R"([{"ref": "x"}])") == Status::unknown);
}

}  // namespace inputs_outputs_test
