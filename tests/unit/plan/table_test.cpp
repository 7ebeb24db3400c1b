#include "src/plan/table.h"

#include <random>

#include "src/formats/plan_table/plan_csv.h"
#include "tests/catch.h"

namespace table_test {

using namespace noclobber;

static PlanTable table_of(const std::string& rows, const char* header = "id,lower,upper,size,offset\n") {
  auto out = read_plan_csv(header + rows);
  REQUIRE(out);
  return *std::move(out);
}

static std::vector<PlanFault> faults(const std::string& rows, const TableLimits& limits = {}) {
  return check_table(table_of(rows), limits).faults;
}

TEST_CASE("plan tables: one right plan, and one fault of each kind", "[plan]") {
  using Kind = PlanFault::Kind;
  struct Row {
    const char* why;
    const char* rows;
    std::optional<Kind> fault;
  };
  const std::vector<Row> cases = {
      {"right", "a,0,4,8,0\nb,0,4,8,8\nc,4,6,16,0\n", std::nullopt},
      {"one byte too many", "a,0,4,9,0\nb,0,4,8,8\nc,4,6,16,0\n", Kind::overlap},
      {"one step too long", "a,0,5,8,0\nb,0,4,8,8\nc,4,6,16,0\n", Kind::overlap},
      {"negative offset", "a,0,4,8,-8\nb,0,4,8,8\nc,4,6,16,0\n", Kind::bounds},
      {"negative size", "a,0,4,-8,0\nb,0,4,8,8\nc,4,6,16,0\n", Kind::bounds},
      {"behind the arena", "a,0,4,8,0\nb,0,4,9,8\nc,4,6,16,0\n", Kind::bounds},
      {"twice", "a,0,4,8,0\nb,0,4,8,8\na,4,6,8,0\n", Kind::bounds},
      {"backwards in time", "a,4,0,8,0\nb,0,4,8,8\n", Kind::bounds},
  };
  TableLimits limits;
  limits.capacity = 16;
  for (const Row& row : cases) {
    INFO(row.why);
    const auto found = faults(row.rows, limits);
    REQUIRE(found.empty() == !row.fault);
    if (row.fault) CHECK(found[0].kind == *row.fault);
  }
}

TEST_CASE("plan tables: what the instance asks for", "[plan]") {
  const PlanTable wanted = table_of("a,0,4,8\nb,2,4,8\n", "id,lower,upper,size\n");
  TableLimits limits;
  limits.instance = &wanted;
  CHECK(faults("a,0,4,8,0\nb,2,4,8,8\n", limits).empty());
  CHECK(faults("a,0,4,8,0\nb,1,5,9,8\n", limits).empty());
  CHECK(faults("a,0,4,8,0\n", limits).at(0).kind == PlanFault::Kind::bounds);
  CHECK(faults("a,0,4,8,0\nb,3,4,8,8\n", limits).at(0).kind == PlanFault::Kind::lifetime);
  CHECK(faults("a,0,4,8,0\nb,2,4,7,8\n", limits).at(0).kind == PlanFault::Kind::size_fit);
}

TEST_CASE("plan tables: faults name the line and the byte", "[plan]") {
  struct Row {
    const char* text;
    const char* where;
  };
  const std::string header = "id,lower,upper,size,offset\n";
  for (const Row& row : std::vector<Row>{{"a,0,4,8\n", "line 2, byte 34"},
                                         {"a,0,4,8,x\n", "line 2, byte 35"},
                                         {"a,0,4,8,0,0\n", "line 2, byte 36"},
                                         {"a,0,4,8,0\n,1,2,3,4\n", "line 3, byte 37"},
                                         {"a,0,4,99999999999999999999,0\n", "line 2, byte 33"}}) {
    INFO(row.text);
    const auto read = read_plan_csv(header + row.text);
    REQUIRE_FALSE(read);
    CHECK(read.fault().where == row.where);
  }
  CHECK_FALSE(read_plan_csv("id,lower\n"));
  CHECK(read_plan_csv(header)->rows.empty());
  CHECK(read_plan_csv(header + "a,0,4,8,0\r\n\r\nb,0,4,8,8")->rows.size() == 2);
}

TEST_CASE("plan tables: damaged text is read or refused, never worse", "[plan]") {
  std::mt19937 random(11);
  const std::string good = "id,lower,upper,size,offset\na,0,4,8,0\nb,0,4,8,8\nlonger,4,6,16,0\n";
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = good;
    for (unsigned k = 0; k < 1 + random() % 3; ++k) {
      const std::size_t at = 27 + random() % (text.size() - 27);
      text[at] = static_cast<char>(random() % 256);
    }
    if (random() % 3 == 0) text.resize(27 + random() % (text.size() - 27));
    const auto read = read_plan_csv(text);
    if (read) {
      check_table(*read, {});
    } else {
      ++refused;
      CHECK(read.fault().where.starts_with("line "));
    }
  }
  CHECK(refused > 1000);
}

TEST_CASE("plan tables: numbers up to 2^62, so that sums of two stay within 64 bits", "[plan]") {
  const std::string most = "4611686018427387904", beyond = "4611686018427387905";
  const auto reads = [](const std::string& first, const std::string& offset) {
    return read_plan_csv("id,lower,upper,size,offset\na," + first + ",4,8," + offset + "\n").operator bool();
  };
  CHECK(reads("-" + most, most));
  CHECK_FALSE(reads("-" + beyond, "0"));
  CHECK_FALSE(reads("0", beyond));
  CHECK(table_of("a,0,4,8,0\r").rows.size() == 1);
  CHECK_FALSE(read_plan_csv("id,lower,upper,size,offset\na,0,4,8"));
}

}  // namespace table_test
