// Numbers that programs read out of tensors, and calls that are matched by what they are given.
#include <algorithm>

#include "tests/unit/lower/pte_program.h"

namespace pte_items_test {

using namespace noclobber;

TEST_CASE("pte: a number read out of a tensor is the functional program's symbol", "[pte]") {
  const CheckRecord record = compared("item");
  CHECK(record.status == Status::proved);
  CHECK(std::ranges::find(record.assumptions,
                          "numbers that are read out of tensors have their symbols in order") !=
        record.assumptions.end());
  CHECK(found(compared_files("item-other-row.case.json", "item.pte"), "value-mismatch"));
}

TEST_CASE("pte: results of bounded sizes are those of the call that is given the same values", "[pte]") {
  const CheckRecord record = compared("views-dynamic");
  CHECK(record.status == Status::proved);
  CHECK(record.assumptions.empty());
  CHECK(found(compared_files("views-dynamic-negated.case.json", "views-dynamic.pte"), "value-mismatch"));
}

}  // namespace pte_items_test
