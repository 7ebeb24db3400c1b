// Where values lie: as said, as asked for, as their operands do.
#include "src/ops/devices.h"

#include "tests/unit/fuzz/found.h"

namespace devices_test {

using namespace noclobber;
using namespace noclobber::found;

namespace {

std::string input(const char* device) {
  const std::string said = *device ? std::string(R"(,"device":")") + device + "\"" : "";
  return R"({"name":"x","type":{"dtype":"f32","shape":[4])" + said + "}}";
}

std::string step(const char* name, const char* op, const char* args, const char* device = "") {
  const std::string asked =
      *device ? std::string(R"(,"kwargs":{"device":{"device":")") + device + "\"}}" : "";
  return R"({"name":")" + std::string(name) + R"(","op":")" + op + R"(","args":)" + args + asked + "}";
}

std::string steps(const std::string& listed) {
  return "\"steps\":[" + listed + R"(],"outputs":[{"ref":"o"}])";
}

Status status(const char* device, const std::string& before, const std::string& after) {
  return status_of(pair_of(input(device), steps(before), steps(after)));
}

constexpr const char* kCopy = "aten._to_copy.default";

}  // namespace

TEST_CASE("an output on another device is another output, whoever tells where it lies") {
  const std::string stays = step("o", kCopy, R"([{"ref":"x"}])");
  const auto asks = [](const char* device) { return step("o", kCopy, R"([{"ref":"x"}])", device); };
  CHECK(status("cpu", stays, asks("cpu")) == Status::proved);
  CHECK(status("", stays, asks("cpu")) == Status::proved);  // where nothing is said
  CHECK(status("cpu", stays, asks("cuda:0")) == Status::refuted);
  CHECK(status("", stays, asks("cuda:0")) == Status::refuted);
  CHECK(status("cuda:0", stays, asks("cuda:0")) == Status::proved);
  CHECK(status("cuda:0", stays, asks("cuda:1")) == Status::refuted);
  CHECK(status("cuda:1", asks("cpu"), asks("cpu")) == Status::proved);
  const auto zeros = [](const char* device) { return step("o", "aten.zeros.default", "[[4]]", device); };
  CHECK(status("", zeros(""), zeros("cpu")) == Status::proved);
  CHECK(status("", zeros("cpu"), zeros("cuda:0")) == Status::refuted);
  const auto relu = [](const char* device) {
    return step("c", kCopy, R"([{"ref":"x"}])", device) + "," +
           step("o", "aten.relu.default", R"([{"ref":"c"}])");
  };
  CHECK(status("", relu("cpu"), relu("cpu")) == Status::proved);
  CHECK(status("", relu("cpu"), relu("cuda:0")) == Status::refuted);
}

TEST_CASE("`to` copies where the device changes, and is its argument where it does not") {
  const std::string doubled = step("d", "aten.mul_.Tensor", R"([{"ref":"c"},2])") + "," +
                              step("o", "aten.add.Tensor", R"([{"ref":"x"},{"ref":"d"}])"),
                    cloned = step("c", "aten.clone.default", R"([{"ref":"x"}])") + "," + doubled;
  const auto moved = [&](const std::string& how) { return how + "," + doubled; };
  const std::string to_cpu = step("c", "aten.to.device", R"([{"ref":"x"},{"device":"cpu"},{"dtype":"f32"}])");
  const std::string round_trip =
      step("g", "aten.to.device", R"([{"ref":"x"},{"device":"cuda:0"},{"dtype":"f32"}])") + "," +
      step("c", "aten.to.device", R"([{"ref":"g"},{"device":"cpu"},{"dtype":"f32"}])");
  CHECK(status("", cloned, moved(round_trip)) == Status::proved);
  CHECK(status("", cloned, moved(to_cpu)) == Status::refuted);
  CHECK(status("cpu", cloned, moved(to_cpu)) == Status::refuted);
}

TEST_CASE("a device without a number may be that with any") {
  CHECK(same_device("cuda:0", "cuda:0") == true);
  CHECK(same_device("cuda:0", "cuda:1") == false);
  CHECK(same_device("cuda:0", "cpu") == false);
  CHECK(same_device("cuda", "cuda") == true);
  CHECK_FALSE(same_device("cuda", "cuda:1").has_value());
  CHECK_FALSE(same_device("", "cpu").has_value());
  CHECK_FALSE(same_device("cpu", "").has_value());
}

TEST_CASE("what nobody knows tells no device, nor do operands that lie apart") {
  Case value = read(R"("ops":[{"schema":"zoo::f(Tensor x) -> Tensor"}],
    "after":{"inputs":[{"name":"x","type":{"dtype":"f32","shape":[4],"device":"cuda:0"}},
      {"name":"y","type":{"dtype":"f32","shape":[]}}],
    "steps":[{"name":"f","op":"zoo.f.default","args":[{"ref":"x"}],"types":[{"dtype":"f32","shape":[4]}]},
      {"name":"m","op":"aten.mul.Tensor","args":[{"ref":"x"},{"ref":"y"}]},
      {"name":"n","op":"aten.neg.default","args":[{"ref":"x"}]},
      {"name":"k","op":"aten.neg.default","args":[{"ref":"y"}]}],"outputs":[]})");
  const auto where = [&](const char* name) {
    return Devices(value.after).of(Arg::of(value.after.find(name)));
  };
  CHECK(where("f") == "");
  CHECK(where("m") == "");
  CHECK(where("n") == "cuda:0");
  CHECK(where("k") == "cpu");
  CHECK(Devices(value.after).of(Arg::of(SymExpr(3))) == "");
  value.after.device.clear();
  CHECK(where("k") == "");
  CHECK(where("n") == "cuda:0");
}

}  // namespace devices_test
