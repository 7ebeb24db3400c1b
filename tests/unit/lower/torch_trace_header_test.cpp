// Headers that are read by hand are what the library reads, as far as they are kept.
#include "src/text/plain_json.h"

#include <chrono>
#include <cstdio>
#include <random>

#include "src/formats/torch_trace/records.h"
#include "src/text/file.h"
#include "tests/catch.h"
#include "tests/support/corpus.h"
#include "tests/support/json_damage.h"

namespace torch_trace_header_test {

using namespace noclobber;
using json = noclobber::OrderedJson;

namespace {

bool is_long(const json& item) {
  if (!item.is_string()) return false;
  const std::size_t spelled = item.dump().size() - 2;
  return spelled > item.get_ref<const std::string&>().size() && spelled > 1024;
}

/// What is kept of a header that the library reads.
json reduced(const json& object, int level = 1) {
  json out = json::object();
  for (const auto& [key, value] : object.items()) {
    if (value.is_object() && level < 2) out[key] = reduced(value, level + 1);
    const auto deep = [](const json& item) { return item.is_structured() || is_long(item); };
    if (!value.is_object() && !is_long(value) &&
        (!value.is_array() || std::none_of(value.begin(), value.end(), deep)))
      out[key] = value;
  }
  return out;
}

std::vector<std::string> headers_of(const std::string& file) {
  const std::string text = testing::corpus_text(file);
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size()) + 1) {
    const std::string_view line = std::string_view(text).substr(at, text.find('\n', at) - at);
    const std::size_t brace = line.find("] {");
    if (is_glog_line(line) && brace != line.npos) out.emplace_back(line.substr(brace + 2));
  }
  return out;
}

}  // namespace

TEST_CASE("log: headers of real logs are plain, and mean what the library reads", "[log]") {
  std::size_t all = 0, plain = 0;
  for (const std::string& file : testing::corpus_files("logs", ".log.gz"))
    for (const std::string& header : headers_of(file)) {
      const json whole = json::parse(header, nullptr, false);
      const auto read = read_plain_header(header);
      if (read) CHECK(plain_header_has(header, "has_payload") == whole.contains("has_payload"));
      ++all;
      if (!read) continue;
      ++plain;
      if (!whole.is_object() || *read != reduced(whole)) FAIL_CHECK(header);
    }
  CHECK(all > 5'000);
  CHECK(plain * 100 > all * 98);
}

TEST_CASE("log: a damaged header is never plain where the library refuses it or reads another", "[log]") {
  std::mt19937 random(20261127);
  std::size_t refused = 0, read = 0;
  for (const std::string& file : testing::corpus_files("logs/tlparse", ".log.gz")) {
    const std::vector<std::string> headers = headers_of(file);
    for (int k = 0; k < 300; ++k) {
      const std::string& whole_header = headers[random() % headers.size()];
      if (whole_header.size() > 4000) continue;
      const std::string header = testing::mistyped(whole_header, random);
      const auto plain = read_plain_header(header);
      const json whole = json::parse(header, nullptr, false);
      ++(plain ? read : refused);
      if (plain && (!whole.is_object() || *plain != reduced(whole))) FAIL_CHECK(header);
    }
  }
  CHECK(refused > 500);
  CHECK(read > 500);
}

TEST_CASE("log: what is not plain is left to the library", "[log]") {
  for (const char* text : {"",
                           "{",
                           "[]",
                           "1",
                           "{} x",
                           "{\"a\": 01}",
                           "{\"a\": 1e300}",
                           "{\"a\": 1e}",
                           "{\"a\": 1e+}",
                           "{\"a\": 1.e3}",
                           "{\"a\": 1.}",
                           "{\"a\": .5}",
                           "{\"a\": +1}",
                           "{\"a\": -}",
                           "{\"a\": 1234567890123456789}",
                           "{\"a\": \"\\u0041\"}",
                           "{\"a\": \"\xc3\xa9\"}",
                           "{\"a\": \"\\x\"}",
                           "{\"a\": \"\t\"}",
                           "{\"a\" 1}",
                           "{\"a\": 1,}",
                           "{,}",
                           "{\"a\": [1,]}",
                           "{\"a\": tru}",
                           "{\"a\": nul}",
                           "{'a': 1}",
                           "{\"a\": 1, \"a\": 1}",
                           "{\"a\": {\"b\": {\"c\": }}}",
                           "{\"a\": {\"b\": [[1}}",
                           "{\"a\": {\"b\": {\"c\": 1e400}}}"})
    CHECK_FALSE(read_plain_header(text));
  const auto read = read_plain_header(
      " { \"a\" : 1 , \"b\":-2,\"c\":[3, \"x\\n\\\"\"], \"d\": {\"e\": null, \"f\": {\"g\": [{}]}, \"h\": "
      "[[1]]}, "
      "\"i\": [], \"j\": {}, \"k\": true, \"l\": -1.25e-05, \"m\": 2E3 } ");
  REQUIRE(read);
  CHECK(*read ==
        json::parse("{\"a\": 1, \"b\": -2, \"c\": [3, \"x\\n\\\"\"], \"d\": {\"e\": null}, \"i\": [], "
                    "\"j\": {}, \"k\": true, \"l\": -1.25e-05, \"m\": 2E3}"));
  CHECK((*read)["b"].is_number_integer());
  CHECK((*read)["m"].is_number_float());
}

TEST_CASE("log: long texts with escapes are checked, and left out of headers", "[log]") {
  const std::string last(1022, 'x'), more(1023, 'x');
  const auto kept = [](const std::string& text) {
    const auto read = read_plain_header("{\"a\": \"" + text + "\", \"b\": 1}");
    REQUIRE(read);
    CHECK((*read)["b"] == 1);
    return read->contains("a");
  };
  CHECK(kept(last + "\\n"));
  CHECK_FALSE(kept(more + "\\n"));
  CHECK(kept(more + "nn"));  // without escapes: the expression of a guard
  CHECK_FALSE(read_plain_header("{\"a\": \"" + more + "\\x\"}"));
}

TEST_CASE("log: how long headers take by hand, and by the library", "[.header-speed]") {
  std::vector<std::string> headers;
  for (const std::string& file : testing::corpus_files("logs", ".log.gz"))
    for (std::string& header : headers_of(file)) headers.push_back(std::move(header));
  const auto seconds = [&](const auto& read) {
    const auto start = std::chrono::steady_clock::now();
    std::size_t members = 0;
    for (const std::string& header : headers) members += read(header);
    CHECK(members > headers.size());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  double own = 1e9, library = 1e9;
  for (int turn = 0; turn < 5; ++turn) {
    own = std::min(own, seconds([](const std::string& header) {
                     const auto read = read_plain_header(header);
                     return read ? read->size() : 0;
                   }));
    library = std::min(library, seconds([](const std::string& header) {
                         return json::parse(header, nullptr, false).size();
                       }));
  }
  std::printf("headers of the corpus: by hand %.4f s, by the library %.4f s, ratio %.1f\n", own, library,
              library / own);
}

}  // namespace torch_trace_header_test
