// What the fuzzer found, further: operators that nobody ran before, and what the interpreter did not know of
// them. The earlier ones are in found_test.cpp.
#include "src/cli/pipeline.h"
#include "src/formats/formats.h"
#include "src/fuzz/probe.h"
#include "src/interp/interp.h"
#include "src/ops/row.h"
#include "tests/catch.h"

using namespace noclobber;

TEST_CASE("every call that nobody runs is one of the vocabulary, and stays unproved", "[found]") {
  REQUIRE(fuzz::foreign_calls() > 40);
  for (std::size_t k = 0; k < fuzz::foreign_calls(); ++k) {
    Case value;
    value.before.emplace();
    REQUIRE(fuzz::append_foreign(value, k, false));
    INFO(value.after.steps.back().op);
    for (const Step& step : value.after.steps) CHECK(find_schema(step.op) != nullptr);
    bool alarm = false;
    CHECK(check_case(value, {}, alarm).status == Status::unknown);
    CHECK_FALSE(alarm);
  }
}

TEST_CASE("seeds in a row visit every row of the operator table", "[found]") {
  std::set<std::string> reached;
  fuzz::Random random(7);
  for (std::size_t row = 0; row < op_rows().size(); ++row) {
    fuzz::Draft draft = fuzz::random_program(random, false);
    const std::size_t calls = draft.calls.size();
    if (!fuzz::refresh(draft) || !fuzz::add_call_of_row(draft, random, row)) continue;
    REQUIRE(draft.calls.size() == calls + 1);
    const std::string& op = draft.calls.back().op;
    const std::string functional = functional_op(op);
    const OpRow &wanted = op_rows()[row], *own = find_row(base_name(op)),
                *of = find_row(base_name(functional));
    INFO(op << " for " << wanted.op);
    CHECK((own == &wanted || of == &wanted));
    reached.insert(std::string(wanted.op));
  }
  std::printf("rows called at the first try: %zu of %zu\n", reached.size(), op_rows().size());
  CHECK(reached.size() > 500);
}
