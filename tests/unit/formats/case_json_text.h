// A small case as text, changed at one place, and what the reader says of it.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "src/formats/case/case_json.h"
#include "tests/catch.h"

namespace noclobber {

inline constexpr const char* kSmall = R"json({"format": "noclobber.case/1", "name": "small",
  "symbols": {"s0": {}},
  "ops": [{"schema": "zoo::scale_(Tensor(a!) x, Tensor y) -> Tensor(a!)"}],
  "graphs": {"body": {"inputs": [{"name": "a", "type": {"dtype": "f32", "shape": [2]}}], "steps": [],
                      "outputs": [{"ref": "a"}]}},
  "before": {"inputs": [{"name": "x", "type": {"dtype": "f32", "shape": [2]}}], "steps": [], "outputs": []},
  "after": {"inputs": [{"name": "x", "type": {"dtype": "f32", "shape": [2]}}],
            "steps": [{"name": "a", "op": "aten.neg.default", "args": [{"ref": "x"}]},
                      {"name": "b", "op": "aten.neg.default", "args": [{"ref": "a"}]}],
            "outputs": [{"ref": "b"}]}})json";

inline Case read(std::string_view text) {
  auto result = read_case_json(text);
  if (!result) FAIL(result.fault().where << ": " << result.fault().message);
  return *std::move(result);
}

inline Diagnostic refused(std::string_view text) {
  auto result = read_case_json(text);
  INFO(text);
  REQUIRE_FALSE(result);
  CHECK(result.fault().where.find('\n') == std::string::npos);
  CHECK(result.fault().message.find('\n') == std::string::npos);
  CHECK_FALSE(result.fault().message.empty());
  return result.fault();
}

// kSmall with the member at `pointer` replaced by (or, for the text "null!", without) `value`.
inline std::string changed(const char* pointer, const char* value) {
  auto json = nlohmann::ordered_json::parse(kSmall);
  const nlohmann::ordered_json::json_pointer at(pointer);
  if (std::string_view(value) == "null!") {
    json[at.parent_pointer()].erase(at.back());
  } else {
    json[at] = nlohmann::ordered_json::parse(value);
  }
  return json.dump();
}

}  // namespace noclobber
