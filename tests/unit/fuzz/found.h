// What tests of findings share: a pair of graphs in JSON, and what the command says of it.
#pragma once
#include "src/check/check.h"
#include "src/formats/case/case_json.h"
#include "tests/catch.h"

namespace noclobber::found {

/// `graphs`: the members of a case that hold them.
inline Case read(const std::string& graphs) {
  auto value = read_case_json(R"({"format":"noclobber.case/1","name":"found",)" + graphs + "}");
  REQUIRE(value);
  return *std::move(value);
}

inline Case pair_of(const std::string& inputs, const std::string& before, const std::string& after) {
  const auto graph = [&](const std::string& rest) { return "{\"inputs\":[" + inputs + "]," + rest + "}"; };
  return read("\"before\":" + graph(before) + ",\"after\":" + graph(after));
}

inline Status status_of(const Case& value, bool solver_only = false) {
  bool alarm = false;
  CheckOptions options;
  options.solver_only = solver_only;
  const CheckRecord record = check_case(value, options, alarm);
  INFO(record.contradiction);
  CHECK_FALSE(alarm);
  return record.status;
}

/// A step of ATen with one result of 4 elements.
inline std::string made(const std::string& name, const std::string& op, const std::string& args,
                        const std::string& dtype = "f32") {
  return R"({"name":")" + name + R"(","op":"aten.)" + op + R"(","args":)" + args + R"(,"types":[{"dtype":")" +
         dtype + R"(","shape":[4],"stride":[1]}]})";
}

constexpr const char* kX = R"({"name":"x","type":{"dtype":"f32","shape":[4]}})";

}  // namespace noclobber::found
