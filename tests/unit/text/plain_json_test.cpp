// Documents that are read by hand are what the library reads.
#include "src/text/plain_json.h"

#include <random>

#include "tests/catch.h"
#include "tests/support/corpus.h"
#include "tests/support/json_damage.h"

namespace plain_json_test {

using namespace noclobber;

namespace {

/// As the library reads it; discarded: it is no JSON.
OrderedJson by_library(const std::string& text) { return OrderedJson::parse(text, nullptr, false); }

}  // namespace

TEST_CASE("json: cases are plain, and mean what the library reads", "[json]") {
  std::size_t all = 0, plain = 0;
  for (const std::string& file : testing::corpus_files("cases", ".json")) {
    const std::string text = testing::corpus_text(file);
    const auto read = read_plain_json(text);
    ++all;
    if (!read) continue;
    ++plain;
    if (*read != by_library(text)) FAIL_CHECK(file);
  }
  CHECK(all > 200);
  CHECK(plain * 100 > all * 90);
}

TEST_CASE("json: a damaged document is never plain where the library refuses it or reads another", "[json]") {
  std::mt19937 random(20261128);
  std::size_t refused = 0, read = 0;
  for (const std::string& file : testing::corpus_files("cases", ".accept.json")) {
    const std::string whole = testing::corpus_text(file);
    if (whole.size() > 20'000) continue;
    for (int k = 0; k < 20; ++k) {
      const std::string text = testing::mistyped(whole, random);
      const auto plain = read_plain_json(text);
      ++(plain ? read : refused);
      if (plain && *plain != by_library(text)) FAIL_CHECK(file << " " << k);
      const auto strict = parse_strict_json(text);
      if (plain && (!strict || *strict != *plain)) FAIL_CHECK(file << " " << k);
    }
  }
  CHECK(refused > 200);
  CHECK(read > 200);
}

TEST_CASE("json: nesting, names said twice and numbers that are not plain are the library's", "[json]") {
  const auto nested = [](std::size_t levels, const std::string& open, const std::string& close) {
    std::string out = "{\"a\": ";
    for (std::size_t k = 1; k < levels; ++k) out += open;
    out += "1";
    for (std::size_t k = 1; k < levels; ++k) out += close;
    return out + "}";
  };
  CHECK(read_plain_json(nested(64, "[", "]")));
  CHECK_FALSE(read_plain_json(nested(65, "[", "]")));
  CHECK(read_plain_json(nested(64, "{\"b\": ", "}")));
  CHECK_FALSE(read_plain_json(nested(65, "{\"b\": ", "}")));
  CHECK(parse_strict_json(nested(200, "[", "]")));
  CHECK_FALSE(parse_strict_json(nested(201, "[", "]")));
  for (const std::size_t members : {2, 15, 16, 17, 40}) {
    std::string text = "{";
    for (std::size_t k = 0; k < members; ++k)
      text += "\"m" + std::to_string(k) + "\": " + std::to_string(k) + ", ";
    CHECK(read_plain_json(text + "\"more\": 0}"));
    for (const std::size_t again : {std::size_t{0}, members - 1}) {
      const std::string twice = text + "\"m" + std::to_string(again) + "\": 0}";
      CHECK_FALSE(read_plain_json(twice));
      const auto strict = parse_strict_json(twice);
      REQUIRE_FALSE(strict);
      CHECK(strict.fault().where == "/m" + std::to_string(again));
    }
  }
  const auto numbers =
      read_plain_json("{\"a\": [0, -1, 999999999999999999, 1.5, -2e3, [], {}, [[\"x\\\"y\"]]]}");
  REQUIRE(numbers);
  CHECK(*numbers ==
        OrderedJson::parse("{\"a\": [0, -1, 999999999999999999, 1.5, -2e3, [], {}, [[\"x\\\"y\"]]]}"));
  CHECK((*numbers)["a"][2].is_number_integer());
  CHECK_FALSE(read_plain_json("{\"a\": 1000000000000000000}"));
  CHECK(parse_strict_json("{\"a\": 1000000000000000000}"));
}

TEST_CASE("json: a frame and the items of its lists are the document", "[json]") {
  for (const std::string& file : testing::corpus_files("cases", ".json")) {
    const std::string text = testing::corpus_text(file);
    auto frame = read_plain_frame(text, "steps");
    CHECK(frame.has_value() == read_plain_json(text).has_value());
    if (!frame) continue;
    OrderedJson item;  // one for all: what was in it before is gone
    for (auto& [name, list] : frame->lists) {
      OrderedJson& whole = frame->json[name]["steps"];
      REQUIRE((whole.is_array() && whole.empty()));
      while (list.next(item)) whole.push_back(item);
      CHECK((list.ended() && whole.size() == list.size()));
      CHECK_FALSE(list.next(item));
    }
    if (frame->json != by_library(text)) FAIL_CHECK(file);
  }
  auto frame =
      read_plain_frame("{\"b\": {\"l\": [ ], \"c\": {\"l\": [1]}}, \"l\": [2], \"a\": {\"l\": 3}}", "l");
  REQUIRE(frame);
  CHECK(frame->lists.size() == 1);
  OrderedJson item;
  CHECK((!frame->lists.at("b").next(item) && frame->lists.at("b").ended()));
  frame = read_plain_frame("{\"b\": {\"l\": [{\"x\": 1}, {\"x\": 1, \"x\": 2}, 3]}}", "l");
  REQUIRE(frame);
  CHECK(frame->lists.at("b").next(item));
  CHECK_FALSE(frame->lists.at("b").next(item));
  CHECK_FALSE(frame->lists.at("b").ended());
  CHECK_FALSE(read_plain_frame("{\"b\": {\"l\": [1 2]}}", "l"));
  CHECK_FALSE(read_plain_frame("{\"b\": {\"l\": [1,]}}", "l"));
  CHECK_FALSE(read_plain_frame("{\"b\": {\"l\": [1}}", "l"));
}

TEST_CASE("json: a place within an object that was read before has its name", "[json]") {
  const auto fault = parse_strict_json("{\"a\": {\"b\": [1, {\"c\": 2, \"d\": {\"e\": 1, \"e\": 2}}]}}");
  REQUIRE_FALSE(fault);
  CHECK(fault.fault().where == "/a/b/1/d/e");
}

}  // namespace plain_json_test
