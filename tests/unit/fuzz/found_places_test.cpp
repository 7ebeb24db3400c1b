// Writes and reads at places that only a run tells.
#include "tests/unit/fuzz/found.h"

namespace found_places_test {

using namespace noclobber;
using namespace noclobber::found;

TEST_CASE("attack 7: a write at an index that may count from the end", "[found]") {
  const std::string given =
      R"("inputs":[{"name":"x","type":{"dtype":"f32","shape":[6,4]},"mutable":true},{"name":"v","type":{"dtype":"f32","shape":[4]}}])";
  const auto status = [&](const std::string& before, const std::string& after, const char* least = "-6") {
    const std::string bounds = std::string(R"({"min":)") + least + R"(,"max":5,"unbacked":true})";
    return status_of(read(R"("symbols":{"u0":)" + bounds + R"(,"u1":)" + bounds + R"(},"before":{)" + given +
                          "," + before + R"(},"after":{)" + given + "," + after + "}"));
  };
  const auto graph = [](const std::string& steps, const std::string& outputs = "") {
    return R"("steps":[)" + steps + R"(],"outputs":[)" + outputs + "]";
  };
  const auto step = [](const std::string& name, const std::string& op, const std::string& args) {
    return R"({"name":")" + name + R"(","op":"aten.)" + op + R"(","args":[)" + args + "]}";
  };
  const std::string x = R"({"ref":"x"})", v = R"({"ref":"v"})", u0 = R"({"sym":"u0"})",
                    u1 = R"({"sym":"u1"})";
  const auto scattered = [&](const std::string& at) {
    return step("y", "select_scatter.default", x + "," + v + ",0," + at) + "," +
           step("c", "copy_.default", x + R"(,{"ref":"y"})");
  };
  const auto written = [&](const std::string& at) {
    return step("s", "select.int", x + ",0," + at) + "," + step("w", "copy_.default", R"({"ref":"s"},)" + v);
  };
  const auto read_at = [&](const std::string& at) {
    return step("r", "select.int", x + ",0," + at) + "," + step("k", "clone.default", R"({"ref":"r"})");
  };
  const std::string kept = R"({"ref":"k"})";
  for (const char* least : {"-6", "0", "-9223372036854775807"}) {
    INFO(least);
    CHECK(status(graph(scattered(u0)), graph(written(u0)), least) == Status::proved);
    CHECK(status(graph(scattered(u0)), graph(written(u1)), least) != Status::proved);
    CHECK(status(graph(scattered(u0)), graph(written("0")), least) != Status::proved);
    CHECK(status(graph(read_at(u0) + "," + scattered(u0), kept), graph(read_at(u0) + "," + written(u0), kept),
                 least) == Status::proved);
    CHECK(status(graph(read_at(u0) + "," + scattered(u0), kept), graph(written(u0) + "," + read_at(u0), kept),
                 least) ==
          (std::string(least) == "-9223372036854775807" ? Status::unknown : Status::refuted));
    CHECK(status(graph(read_at(u0) + "," + scattered(u1), kept), graph(written(u1) + "," + read_at(u0), kept),
                 least) != Status::proved);
    CHECK(status(graph(scattered(u0) + "," + read_at(u0), kept), graph(written(u0) + "," + read_at(u0), kept),
                 least) == Status::proved);
    CHECK(status(graph(scattered(u0)),
                 graph(step("s", "slice.Tensor", x + R"(,0,{"sym":"u0"},{"sym":"u0 + 1"})") + "," +
                       step("w", "copy_.default", R"({"ref":"s"},)" + v)),
                 least) == (std::string(least) == "0" ? Status::proved : Status::unknown));
    // It may raise where nothing did.
    CHECK((status(graph("", v), graph(read_at(u0), v), least) == Status::proved) ==
          (std::string(least) != "-9223372036854775807"));
    CHECK(status(graph(read_at(u0), v), graph("", v), least) == Status::proved);
  }
}

TEST_CASE("attack 20: float_power computes in double precision, in place as well", "[found]") {
  const auto in_place = [](const std::string& dtype) {
    const std::string x = R"({"name":"x","type":{"dtype":")" + dtype + R"(","shape":[4]}})";
    const auto steps = [](const std::string& op) {
      return R"("steps":[{"name":"c","op":"aten.clone.default","args":[{"ref":"x"}]},{"name":"z","op":"aten.)" +
             op + R"(","args":[{"ref":"c"},2]}],"outputs":[{"ref":"z"}])";
    };
    return status_of(pair_of(x, steps("float_power.Tensor_Scalar"), steps("float_power_.Scalar")));
  };
  CHECK(in_place("f64") == Status::proved);
  CHECK(in_place("f32") != Status::proved);  // it raises
  const std::string made =
      R"("steps":[{"name":"z","op":"aten.float_power.Tensor_Scalar","args":[{"ref":"x"},2]},)";
  const auto narrowed = [&](const std::string& dtype) {
    return made +
           R"({"name":"w","op":"aten._to_copy.default","args":[{"ref":"z"}],"kwargs":{"dtype":{"dtype":")" +
           dtype + R"("}}}],"outputs":[{"ref":"w"}])";
  };
  const std::string kept =
      made + R"({"name":"w","op":"aten.clone.default","args":[{"ref":"z"}]}],"outputs":[{"ref":"w"}])";
  CHECK(status_of(pair_of(kX, narrowed("f64"), kept)) == Status::proved);
  CHECK(status_of(pair_of(kX, narrowed("f32"), kept)) != Status::proved);
}

TEST_CASE("seed 738012706: a step in place reads what is in flight as it did before", "[found]") {
  const std::string made =
      R"("steps":[{"name":"f","op":"_c10d_functional.all_gather_into_tensor.default","args":[{"ref":"x"},2,"g"],)"
      R"("types":[{"dtype":"f32","shape":[8]}]},{"name":"n","op":"aten.neg.default","args":[{"ref":"f"}]},)";
  const auto graph = [&](const std::string& op, const std::string& first, const std::string& second) {
    return made + R"({"name":"m","op":"aten.)" + op + R"(.Tensor","args":[{"ref":")" + first +
           R"("},{"ref":")" + second + R"("}]}],"outputs":[])";
  };
  const std::string before = graph("mul", "n", "f");
  CHECK(status_of(pair_of(kX, before, before)) == Status::proved);
  CHECK(status_of(pair_of(kX, before, graph("mul_", "n", "f"))) == Status::proved);
  CHECK(status_of(pair_of(kX, before, graph("mul_", "f", "n"))) !=
        Status::proved);  // it writes what is in flight
  CHECK(status_of(pair_of(kX, graph("mul", "n", "n"), graph("mul_", "n", "f"))) != Status::proved);
}

}  // namespace found_places_test
