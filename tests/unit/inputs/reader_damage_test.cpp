// Readers survive damaged bytes. libFuzzer goes further (`make fuzz-readers`); what it found lies in
// corpus/fuzz. NC_READER_SECONDS: how long.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "src/formats/case/case_json.h"
#include "src/formats/fx_text/fx_text.h"
#include "src/fuzz/random.h"
#include "src/text/file.h"
#include "tests/catch.h"
#include "tests/support/damage.h"
#include "tests/support/readers.h"
#include "tests/support/source_dir.h"

namespace reader_damage_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t kLargest = 12000;  // bytes of a text that is damaged

std::vector<std::string> texts_below(const std::string& folder, const std::string& ending) {
  std::vector<std::string> names, out;
  const fs::path root = fs::path(in_sources()) / "corpus" / folder;
  if (!fs::exists(root)) return out;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.is_regular_file() && entry.path().string().ends_with(ending))
      names.push_back(entry.path().string());
  std::sort(names.begin(), names.end());
  for (const std::string& name : names)
    if (const auto text = read_file(name); text && text->size() <= kLargest && !text->empty())
      out.push_back(*text);
  return out;
}

std::vector<std::string> seeds_of(std::string_view reader) {
  std::vector<std::string> out = texts_below("fuzz/" + std::string(reader), "");
  const auto add = [&](const char* folder, const char* ending) {
    for (std::string& text : texts_below(folder, ending)) out.push_back(std::move(text));
  };
  if (reader == "case") add("cases", ".json"), add("doc", ".json");
  if (reader == "log") add("logs", ".log.gz");
  if (reader == "mlx") add("programs", ".mlx");
  if (reader == "pt2") add("pt2", ".pt2"), add("programs", "functional.pt2");
  if (reader == "pte") add("programs", ".pte");
  if (reader == "thunder") add("thunder", "");
  if (reader == "fx") {
    for (const std::string& text : texts_below("cases", ".accept.json"))
      if (const auto value = read_case_json(text)) out.push_back(write_fx_text(value->after));
  }
  if (reader == "csv") out.emplace_back("id,lower,upper,size,offset\na,0,4,16,0\nb,2,6,8,16\n");
  return out;
}

std::string broken(std::string text, const std::string& other, fuzz::Random& random) {
  static constexpr std::string_view kBits[] = {"-1",
                                               "9223372036854775807",
                                               "9223372036854775808",
                                               "\"",
                                               "[[[[",
                                               "{",
                                               "]",
                                               "\n",
                                               "\0",
                                               "s0",
                                               "1e400",
                                               "//0",
                                               "\xff"};
  for (std::int64_t k = random.between(1, 4); k > 0 && !text.empty(); --k) {
    const auto at = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(text.size())));
    switch (random.below(5)) {
      case 0:
        text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text.erase(at, static_cast<std::size_t>(random.between(1, 40)));
        break;
      case 2:
        text.insert(at, kBits[static_cast<std::size_t>(random.below(std::size(kBits)))]);
        break;
      case 3:
        text.insert(
            at, other.substr(std::min(at, other.size()), static_cast<std::size_t>(random.between(1, 60))));
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

}  // namespace

// One second each, and 250 texts where that takes longer. NC_READER_SECONDS: so many seconds each.
TEST_CASE("every reader survives what damage makes of recorded texts", "[readers]") {
  const char* wanted = std::getenv("NC_READER_SECONDS");
  const double seconds = wanted != nullptr ? std::atof(wanted) : 1;
  const auto since = [](std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (const Reader& reader : readers()) {
    if (reader.name == "certificate") continue;  // tests/unit/checker/certificate_test.cpp
    const std::vector<std::string> seeds = seeds_of(reader.name);
    INFO(reader.name);
    REQUIRE(!seeds.empty());
    fuzz::Random random(77);
    const auto any = [&]() -> const std::string& {
      return seeds[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(seeds.size())))];
    };
    double slowest = 0;
    for (const std::string& seed : seeds) static_cast<void>(reader.text(seed));
    int count = 0;
    for (const auto begin = std::chrono::steady_clock::now(); count < 250 || since(begin) < seconds;
         ++count) {
      const std::string text = broken(any(), any(), random);
      const auto start = std::chrono::steady_clock::now();
      static_cast<void>(reader.text(text));
      slowest = std::max(slowest, since(start));
    }
    std::cout << "damaged texts, " << reader.name << ": " << count << " of " << seeds.size()
              << " seeds, slowest " << slowest << " s\n";
    CHECK(slowest < 10);
  }
}

}  // namespace reader_damage_test
