// What tests of findings share: a pair of graphs in JSON, and what the command says of it.
#pragma once
#include "src/cli/pipeline.h"
#include "src/formats/formats.h"
#include "tests/catch.h"

namespace noclobber::found {

inline Case pair_of(const std::string& inputs, const std::string& before, const std::string& after) {
  const auto graph = [&](const std::string& rest) { return "{\"inputs\":[" + inputs + "]," + rest + "}"; };
  auto value =
      read_case_json("{\"format\":\"noclobber.case/1\",\"name\":\"found\",\"before\":" + graph(before) +
                     ",\"after\":" + graph(after) + "}");
  REQUIRE(value);
  return *std::move(value);
}

inline Status status_of(const Case& value, bool solver_only = false) {
  bool alarm = false;
  CheckOptions options;
  options.solver_only = solver_only;
  const CheckRecord record = check_case(value, options, alarm);
  CHECK_FALSE(alarm);
  return record.status;
}

constexpr const char* kX = R"({"name":"x","type":{"dtype":"f32","shape":[4]}})";

}  // namespace noclobber::found
