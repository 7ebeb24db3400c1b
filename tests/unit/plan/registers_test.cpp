// Programs over registers: what is read was written, constants stay, what the caller is told of is there.
#include "src/plan/registers.h"

#include "src/formats/mlx/payload.h"
#include "src/text/file.h"
#include "tests/catch.h"
#include "tests/support/source_dir.h"

namespace registers_test {

using namespace noclobber;

namespace {

using Steps = std::vector<RegisterStep>;
using Registers = std::vector<std::uint32_t>;

// One register of each kind but two temporaries.
constexpr std::uint32_t kConstant = 0, kInput = 1, kOutput = 2, kState = 3, kTemporary = 4, kOther = 5;

RegisterStep step(Registers reads, Registers writes) {
  RegisterStep out;
  out.op = "ExpNode";
  out.reads = std::move(reads);
  out.writes = std::move(writes);
  return out;
}

RegisterStep of_chains(RegisterStep::Runs runs, Registers chains, Registers rows = {}) {
  RegisterStep out;
  out.op = runs == RegisterStep::Runs::one_of ? "IfNode" : "ScanNode";
  out.runs = runs;
  out.chains = std::move(chains);
  out.rows = std::move(rows);
  return out;
}

RegisterProgram program(Steps main, std::vector<Steps> more = {}) {
  RegisterProgram out;
  out.name = "delegate";
  out.counts = {1, 1, 1, 1, 2};
  out.numbers = 1;
  out.inputs = {{kInput, true}};
  out.outputs = {{kOutput, true}};
  out.states = {{kState, true}};
  out.chains = {std::move(main)};
  for (Steps& chain : more) out.chains.push_back(std::move(chain));
  return out;
}

/// The only fault, "" where there is none.
std::string fault_of(const RegisterProgram& program) {
  const PlanAnswer answer = check_registers(program);
  CHECK(answer.faults.size() < 2);
  CHECK(answer.open.empty());
  CHECK(answer.obligations > 0);
  return answer.faults.empty() ? "" : answer.faults[0].message;
}

bool says(const RegisterProgram& program, const std::string& text) {
  const std::string fault = fault_of(program);
  INFO(fault);
  return !fault.empty() && fault.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("registers: a temporary is written before it is read, in place as well", "[registers]") {
  const Steps right = {step({kInput}, {kTemporary}), step({kTemporary}, {kTemporary}),
                       step({kTemporary, kConstant}, {kOutput})};
  CHECK(fault_of(program(right)).empty());
  CHECK(says(program({right[1], right[2]}), "temporary 4 is read by ExpNode"));
  // The slot went to another value before this one was there: recycled too early.
  CHECK(says(program({step({kInput}, {kTemporary}), step({kOther}, {kOutput})}), "temporary 5 is read"));
}

TEST_CASE("registers: constants are never written, state and inputs may be", "[registers]") {
  const Steps end = {step({kInput}, {kOutput})};
  const auto writing = [&](std::uint32_t what) { return program({step({kInput}, {what}), end[0]}); };
  CHECK(fault_of(writing(kState)).empty());
  CHECK(fault_of(writing(kInput)).empty());
  CHECK(says(writing(kConstant), "constant 0 is a constant and is written"));
}

TEST_CASE("registers: what the caller gives and takes is listed once and as what it is", "[registers]") {
  const Steps steps = {step({kInput, kState}, {kOutput})};
  RegisterProgram twice = program(steps);
  twice.inputs.push_back({kInput, true});
  CHECK(says(twice, "is listed twice as input"));
  RegisterProgram other = program(steps);
  other.states = {{kTemporary, true}};
  CHECK_FALSE(check_registers(other).faults.empty());
  RegisterProgram unlisted = program(steps);
  unlisted.inputs.clear();
  CHECK(says(unlisted, "input 1 is read"));
  RegisterProgram unwritten = program({step({kInput}, {kTemporary})});
  CHECK(says(unwritten, "output 2 is read by the caller"));
  CHECK(fault_of(program(steps)).empty());
}

TEST_CASE("registers: of two ways only what both write is there", "[registers]") {
  const Steps main = {of_chains(RegisterStep::Runs::one_of, {1, 2}), step({kTemporary}, {kOutput})};
  const Steps writes = {step({kInput}, {kTemporary})}, does_not = {step({kInput}, {kOther})};
  CHECK(fault_of(program(main, {writes, writes})).empty());
  CHECK(says(program(main, {writes, does_not}), "temporary 4 is read"));
}

TEST_CASE("registers: what a loop makes is there only as its rows", "[registers]") {
  const Steps main = {of_chains(RegisterStep::Runs::repeatedly, {1}, {kTemporary}),
                      step({kTemporary}, {kOutput})};
  CHECK(fault_of(program(main, {{step({kInput}, {kTemporary})}})).empty());
  CHECK(says(program(main, {{step({kInput}, {kOther})}}), "temporary 4 is read"));
  const Steps beside = {of_chains(RegisterStep::Runs::repeatedly, {1}), step({kTemporary}, {kOutput})};
  CHECK(says(program(beside, {{step({kInput}, {kTemporary})}}), "temporary 4 is read"));
}

TEST_CASE("registers: what runs once before all else leaves state behind, nothing more", "[registers]") {
  RegisterProgram state = program({step({kInput, kState}, {kOutput})}, {{step({kConstant}, {kState})}});
  state.init = 1;
  CHECK(fault_of(state).empty());
  RegisterProgram temporary = program({step({kTemporary}, {kOutput})}, {{step({kConstant}, {kTemporary})}});
  temporary.init = 1;
  CHECK(says(temporary, "temporary 4 is read"));
}

TEST_CASE("registers: an instruction of a later version leaves open what follows", "[registers]") {
  RegisterStep later;
  const PlanAnswer answer = check_registers(program({later, step({kTemporary}, {kOutput})}));
  CHECK(answer.faults.empty());
  CHECK(answer.open.size() == 1);
}

TEST_CASE("registers: an instruction is dead where nobody reads what it makes, nor through each other",
          "[registers]") {
  using Places = std::vector<std::size_t>;
  const auto dead = [](Steps main, std::vector<Steps> more = {}) {
    return dead_steps(program(std::move(main), std::move(more)));
  };
  const RegisterStep given = step({kInput}, {kOutput});
  CHECK(dead({given}).empty());
  CHECK(dead({given, given}) == Places{0});
  CHECK(dead({given, step({kOutput}, {kOutput})}).empty());
  CHECK(dead({given, step({kInput}, {kTemporary})}) == Places{1});
  CHECK(dead({step({kInput}, {kTemporary}), step({kTemporary}, {kOther}), given}) == Places{0, 1});
  CHECK(dead({step({kInput}, {kTemporary}), step({kTemporary}, {kOutput})}).empty());
  CHECK(dead({given, step({kInput}, {kState})}).empty());
  CHECK(dead({given, step({kInput}, {kState}), step({kConstant}, {kState})}) == Places{1});
  CHECK(dead({given, step({kInput}, {kTemporary, kState})}).empty());
  CHECK(dead({given, step({kInput}, {})}).empty());
  RegisterStep number = step({kInput}, {});
  number.write_numbers = {0};
  CHECK(dead({number, given}) == Places{0});
  RegisterStep reads = given;
  reads.read_numbers = {0};
  CHECK(dead({number, reads}).empty());
}

TEST_CASE("registers: of what a chain or a later version may read nothing is dead", "[registers]") {
  const RegisterStep given = step({kInput}, {kOutput}), made = step({kInput}, {kTemporary});
  const RegisterStep runs = of_chains(RegisterStep::Runs::one_of, {1, 1});
  RegisterStep later;
  for (const RegisterStep& reader : {runs, later}) {
    CHECK(dead_steps(program({made, reader, given}, {{made}})).empty());
    CHECK(dead_steps(program({reader, made, given}, {{made}})) == std::vector<std::size_t>{1});
  }
}

TEST_CASE("registers: payloads that were recorded are read and hold", "[registers]") {
  for (const char* name : {"mlx-cache-update", "mlx-unary-chain"}) {
    const auto bytes = read_file(in_sources("/corpus/programs/") + name + ".mlx");
    REQUIRE(bytes);
    const auto program = read_mlx(*bytes, 0);
    REQUIRE(program);
    CHECK(fault_of(*program).empty());
    CHECK(program->chains.at(program->main).size() > 1);
    CHECK(dead_steps(*program).empty());
    CHECK(steps_of(*program) >= program->chains.at(program->main).size());
  }
}

}  // namespace registers_test
