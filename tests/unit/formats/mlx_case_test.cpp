// Payloads of MLX held against the graphs that were lowered to them.
#include <algorithm>

#include "src/formats/mlx.h"
#include "src/formats/mlx_case.h"
#include "tests/unit/formats/pte_program.h"

using namespace noclobber;

namespace {

CheckRecord of_payload(const std::string& graph, const std::string& payload) {
  return compared_files("mlx-" + graph + ".case.json", "mlx-" + payload + ".mlx");
}

RegisterProgram payload_of(const std::string& name) {
  const auto bytes = read_file(kPrograms + name + ".mlx");
  REQUIRE(bytes);
  auto program = read_mlx(*bytes, 0);
  REQUIRE(program);
  return *std::move(program);
}

/// What is said where the payload is this one.
CheckRecord with(const std::string& graph, RegisterProgram program) {
  const Work work =
      work_of_pair(kPrograms + "mlx-" + graph + ".case.json", kPrograms + "mlx-" + graph + ".mlx");
  REQUIRE(work.kind == Work::Kind::check);
  Case value = work.value;
  auto made = case_of_mlx(program, *value.before);
  REQUIRE(made);
  value.after = std::move(made->after);
  value.registers = {std::move(program)};
  bool contradiction = false;
  CheckRecord record = check_case(value, {}, contradiction);
  CHECK_FALSE(contradiction);
  return record;
}

}  // namespace

TEST_CASE("mlx: what was lowered is what the payload computes") {
  for (const char* name : {"seed", "chain"}) {
    INFO(name);
    CHECK(of_payload(name, name).status == Status::proved);
  }
  CHECK(of_payload("seed", "edited-dead-instruction").status == Status::proved);
}

TEST_CASE("mlx: a register that was given to another value too early is refuted") {
  CHECK(found(of_payload("seed", "edited-seed-first-bug"), "value-mismatch"));
  CHECK(found(of_payload("seed", "edited-inputs-permuted"), "value-mismatch"));
  CHECK(found(of_payload("chain", "edited-output-written-before-self-is-read"), "value-mismatch"));
  for (const char* name :
       {"edited-read-before-write", "edited-output-never-written", "edited-fewer-inputs"}) {
    INFO(name);
    CHECK(found(of_payload("seed", name), "uninitialized-read"));
  }
  CHECK(found(of_payload("chain", "edited-constant-written"), "immutable-write"));
}

TEST_CASE("mlx: every exchange of one register of an instruction is refuted or changes nothing") {
  const RegisterProgram right = payload_of("mlx-seed");
  int refuted = 0, kept = 0;
  for (std::size_t step = 0; step < right.chains[right.main].size(); ++step)
    for (std::size_t read = 0; read < right.chains[right.main][step].reads.size(); ++read)
      for (std::uint32_t other = 0; other < 7; ++other) {
        RegisterProgram program = right;
        std::uint32_t& at = program.chains[program.main][step].reads[read];
        if (at == other) continue;
        at = other;
        INFO(step << " " << read << " " << other);
        const CheckRecord record = with("seed", std::move(program));
        CHECK(record.status == Status::refuted);
        refuted += record.status == Status::refuted ? 1 : 0;
        kept += record.status == Status::proved ? 1 : 0;
      }
  CHECK((refuted == 48 && kept == 0));
}

TEST_CASE("mlx: operands of a sum may be exchanged, those of a difference may not") {
  for (const auto& [index, right] : {std::pair<std::size_t, bool>{1, true}, {7, false}}) {
    RegisterProgram program = payload_of("mlx-chain");
    RegisterStep& step = program.chains[program.main][index];
    REQUIRE(step.reads.size() == 2);
    std::swap(step.reads[0], step.reads[1]);
    CHECK((with("chain", std::move(program)).status != Status::refuted) == right);
  }
}

TEST_CASE("mlx: a payload that takes more than the graph is given is an error") {
  RegisterProgram program = payload_of("mlx-seed");
  const Work work = work_of_pair(kPrograms + "mlx-chain.case.json", kPrograms + "mlx-seed.mlx");
  CHECK(work.kind != Work::Kind::check);
  CHECK(work.fault.message == "the payload takes 3 tensors, BEFORE is given 2");
}

TEST_CASE("mlx: an instruction of a kind that nobody knows leaves the rest open") {
  RegisterProgram program = payload_of("mlx-seed");
  program.chains[program.main][4].op.clear();
  CHECK(with("seed", std::move(program)).status == Status::unknown);
}
