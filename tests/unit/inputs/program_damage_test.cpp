// Damaged programs and plans: what cannot be read is refused in one line that says where.
// NC_DAMAGED_PROGRAMS: how many files of each kind (`make damage-programs`: 100,000, with sanitizers).
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>

#include "src/formats/mlx/payload.h"
#include "src/formats/plan_table/plan_csv.h"
#include "src/fuzz/random.h"
#include "src/lower/pt2/pt2.h"
#include "src/lower/pte/case.h"
#include "src/plan/registers.h"
#include "src/text/file.h"
#include "src/text/zip.h"
#include "tests/catch.h"
#include "tests/support/source_dir.h"
#include "tests/support/zip_text.h"

namespace program_damage_test {

using namespace noclobber;

namespace {

using Fault = std::optional<Diagnostic>;

struct Kind {
  const char *name, *folder, *ending;
  Fault (*read)(const std::string& bytes);
};

Fault read_program(const std::string& bytes) {
  const auto methods = open_pte(bytes);
  if (!methods) return methods.fault();
  for (const PteMethod& method : *methods)
    if (const auto value = case_of_pte(method, nullptr); !value) return value.fault();
  return std::nullopt;
}

Fault read_exported(const std::string& bytes) {
  const auto cases = read_pt2(bytes, true);
  return cases ? Fault() : Fault(cases.fault());
}

Fault read_payload(const std::string& bytes) {
  const auto program = read_mlx(bytes, 0);
  if (!program) return program.fault();
  static_cast<void>(check_registers(*program));
  return std::nullopt;
}

Fault read_table(const std::string& bytes) {
  const auto table = read_plan_csv(bytes);
  return table ? Fault() : Fault(table.fault());
}

constexpr Kind kKinds[] = {{"pte", "programs", ".pte", read_program},
                           {"pt2", "pt2", ".pt2", read_exported},
                           {"pt2 inside", "programs", ".pt2", read_exported},
                           {"mlx", "programs", ".mlx", read_payload},
                           {"csv", "", ".csv", read_table}};

/// A plan of a few rows, whose numbers go up to what is allowed.
std::string plan_text(fuzz::Random& random) {
  std::string out = "id,lower,upper,size,offset\n";
  for (std::int64_t k = 0, n = random.between(1, 12); k < n; ++k) {
    const std::int64_t begin = random.between(0, 9);
    out +=
        "b" + std::to_string(k) + "," + std::to_string(begin) + "," +
        std::to_string(begin + random.between(0, 5)) + "," + std::to_string(random.between(0, 64)) + "," +
        std::to_string(random.below(8) == 0 ? std::int64_t{1} << random.below(62) : random.between(0, 256)) +
        "\n";
  }
  return out;
}

std::vector<std::string> originals(const Kind& kind, fuzz::Random& random) {
  std::vector<std::string> out;
  if (kind.folder[0] == '\0') {
    for (int k = 0; k < 20; ++k) out.push_back(plan_text(random));
    return out;
  }
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(in_sources("/corpus/") + kind.folder))
    if (file.path().string().ends_with(kind.ending)) names.push_back(file.path().string());
  std::ranges::sort(names);
  for (const std::string& name : names)
    if (const auto bytes = read_file(name)) out.push_back(*bytes);
  return out;
}

/// A third each: bits flipped, cut off, other bytes all through.
std::string damaged(std::string bytes, fuzz::Random& random) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  const auto flip = [&] {
    bytes[static_cast<std::size_t>(random.below(size))] ^= static_cast<char>(1 << random.below(8));
  };
  switch (random.below(3)) {
    case 0:
      for (std::int64_t k = random.between(1, 4); k > 0; --k) flip();
      break;
    case 1:
      bytes.resize(static_cast<std::size_t>(random.below(size)));
      break;
    default: {
      const std::int64_t kept = random.between(4, 64);  // what says which kind of file it is
      for (std::int64_t k = kept; k < size; ++k)
        if (random.below(kept) == 0)
          bytes[static_cast<std::size_t>(k)] = static_cast<char>(random.below(256));
    }
  }
  return bytes;
}

/// The same inside of an archive, so that its checksums hold.
std::string damaged_inside(const std::string& bytes, fuzz::Random& random) {
  const auto archive = Pt2Archive::open(bytes);
  REQUIRE(archive);
  std::vector<std::pair<std::string, std::string>> members;
  for (const std::string& name : archive->names()) {
    auto text = archive->read(name, std::size_t{1} << 20);
    REQUIRE(text);
    const bool program =
        name.ends_with("model.json") || name.ends_with("program.json") || name.ends_with("_config.json");
    members.emplace_back(name, program ? damaged(*text, random) : *std::move(text));
  }
  return zip_of(members);
}

}  // namespace

TEST_CASE("damaged programs and plans are refused in one line that says where", "[readers]") {
  const char* wanted = std::getenv("NC_DAMAGED_PROGRAMS");
  const int count = wanted != nullptr ? std::atoi(wanted) : 400;
  for (const Kind& kind : kKinds) {
    fuzz::Random random(11);
    const std::vector<std::string> all = originals(kind, random);
    REQUIRE(!all.empty());
    int refused = 0;
    for (int k = 0; k < count; ++k) {
      const std::string& one =
          all[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(all.size())))];
      const bool inside = std::string_view(kind.name) == "pt2 inside";
      const std::string bytes = inside ? damaged_inside(one, random) : damaged(one, random);
      const Fault fault = kind.read(bytes);
      if (!fault) continue;
      ++refused;
      INFO(kind.name << " " << k << ": " << fault->where << ": " << fault->message);
      REQUIRE(!fault->where.empty());
      REQUIRE(!fault->message.empty());
      REQUIRE((fault->where + fault->message).find('\n') == std::string::npos);
    }
    std::cout << "damaged programs, " << kind.name << ": " << count << ", refused " << refused << "\n";
    CHECK(refused > count / 4);
  }
}

}  // namespace program_damage_test
