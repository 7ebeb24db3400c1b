// Register programs with branches and loops: as their Trace, as they are checked, and by running every path.
#include "src/fuzz/random.h"
#include "src/plan/registers.h"
#include "tests/catch.h"
#include "tests/support/sample.h"
#include "tests/support/traced.h"

namespace registers_trace_test {

using namespace noclobber;
using namespace noclobber::testing;
using Runs = RegisterStep::Runs;
using Registers = std::vector<std::uint32_t>;
using Chain = std::vector<RegisterStep>;

namespace {

// A register of each kind, and three temporaries.
constexpr std::uint32_t kConstant = 0, kInput = 1, kOutput = 2, kState = 3, kA = 4, kB = 5, kC = 6;

RegisterStep step(Registers reads, Registers writes) {
  RegisterStep out;
  out.op = "ExpNode";
  out.reads = std::move(reads), out.writes = std::move(writes);
  return out;
}
RegisterStep numbers(Registers reads, Registers writes) {
  RegisterStep out = step({}, {});
  out.read_numbers = std::move(reads), out.write_numbers = std::move(writes);
  return out;
}
RegisterStep branch(Registers chains, Registers read_numbers = {}) {
  RegisterStep out = numbers(std::move(read_numbers), {});
  out.op = "IfNode";
  out.runs = Runs::one_of;
  out.chains = std::move(chains);
  return out;
}
/// `carried`: read before the first trip, and kept from trip to trip.
RegisterStep loop(std::uint32_t chain, Registers carried, Registers rows) {
  RegisterStep out = step(carried, carried);
  out.op = "ScanNode";
  out.runs = Runs::repeatedly;
  out.chains = {chain};
  out.rows = std::move(rows);
  return out;
}

RegisterProgram program(std::vector<Chain> chains) {
  RegisterProgram out;
  out.name = "delegate";
  out.counts = {1, 1, 1, 1, 3};
  out.numbers = 2;
  out.inputs = {{kInput, true}};
  out.outputs = {{kOutput, true}};
  out.states = {{kState, true}};
  out.chains = std::move(chains);
  return out;
}

/// One run of a program, in which branches and trip counts are as `script` says.
class Path {
 public:
  Path(const RegisterProgram& program, std::vector<int>& script) : program_(program), script_(script) {}

  bool right() {
    for (std::uint32_t k = 0; k < program_.counts[0]; ++k) tensors_.insert(k);
    for (const auto* slots : {&program_.states, &program_.inputs})
      for (const auto& slot : *slots) (slot.is_tensor ? tensors_ : numbers_).insert(slot.at);
    chain(program_.main);
    for (const auto& slot : program_.outputs) need(slot.is_tensor ? tensors_ : numbers_, slot.at);
    return right_;
  }

 private:
  void need(const std::set<std::uint32_t>& in, std::uint32_t what) { right_ = right_ && in.contains(what); }
  int choice(int of) {
    if (next_ == script_.size()) script_.push_back(of - 1);
    return script_[next_++];
  }
  void write(const RegisterStep& one) {
    for (const auto k : one.writes) right_ = right_ && k >= program_.counts[0], tensors_.insert(k);
    numbers_.insert(one.write_numbers.begin(), one.write_numbers.end());
  }
  void chain(std::uint32_t number) {
    for (const RegisterStep& one : program_.chains[number]) {
      for (const auto k : one.reads) need(tensors_, k);
      for (const auto k : one.read_numbers) need(numbers_, k);
      if (one.runs == Runs::one_of) chain(one.chains[static_cast<std::size_t>(choice(2))]);
      if (one.runs == Runs::repeatedly) trips(one);
      write(one);
    }
  }
  void trips(const RegisterStep& one) {
    const int count = choice(3);
    for (int trip = 0; trip < count; ++trip) {
      for (const auto k : one.rows)
        if (trip == 0) tensors_.erase(k);
      chain(one.chains[0]);
      for (const auto k : one.rows) need(tensors_, k);
    }
    tensors_.insert(one.rows.begin(), one.rows.end());
  }

  const RegisterProgram& program_;
  std::vector<int>& script_;
  std::size_t next_ = 0;
  std::set<std::uint32_t> tensors_, numbers_;
  bool right_ = true;
};

/// Empty: there are too many paths.
std::optional<bool> right_on_every_path(const RegisterProgram& program) {
  std::vector<int> script;
  for (int paths = 0; paths < 2000; ++paths) {
    if (!Path(program, script).right()) return false;
    while (!script.empty() && script.back() == 0) script.pop_back();
    if (script.empty()) return true;
    --script.back();
  }
  return std::nullopt;
}

bool holds(const RegisterProgram& program) {
  const PlanAnswer answer = check_registers(program);
  CHECK(answer.open.empty());
  return answer.faults.empty();
}

/// As nc-check says it of the Trace.
bool traced(const RegisterProgram& program) {
  const auto trace = trace_of(program);
  REQUIRE(trace);
  Space space = searching_space();
  Certificate content;
  content.about = "registers";
  content.checks.push_back({"", std::nullopt, *trace, {}, {}});
  const Answer answer = nc_check_certified(space, content);
  INFO(answer.why);
  REQUIRE((answer.said == Said::proved || answer.said == Said::not_proved));
  return answer.said == Said::proved;
}

/// All three, where they agree.
bool right(const std::vector<Chain>& chains) {
  const RegisterProgram all = program(chains);
  const auto meant = right_on_every_path(all);
  REQUIRE(meant);
  CHECK(holds(all) == *meant);
  CHECK(traced(all) == *meant);
  return *meant;
}

const RegisterStep kMakesA = step({kInput}, {kA}), kMakesB = step({kInput}, {kB}),
                   kEnd = step({kA}, {kOutput});

}  // namespace

TEST_CASE("register traces: a register is written before it is read, numbers as well", "[registers]") {
  CHECK(right({{kMakesA, kEnd}}));
  CHECK_FALSE(right({{kMakesB, kEnd}}));
  CHECK_FALSE(right({{kEnd, kMakesA}}));
  CHECK_FALSE(right({{kMakesA}}));
  CHECK(right({{kMakesA, kEnd, step({kInput}, {kState})}}));
  CHECK_FALSE(right({{kMakesA, kEnd, step({kInput}, {kConstant})}}));
  CHECK(right({{numbers({}, {1}), numbers({1}, {}), kMakesA, kEnd}}));
  CHECK_FALSE(right({{numbers({}, {0}), numbers({1}, {}), kMakesA, kEnd}}));
}

TEST_CASE("register traces: after a branch there is what both arms leave", "[registers]") {
  CHECK(right({{branch({1, 2}), kEnd}, {kMakesA}, {kMakesA}}));
  CHECK_FALSE(right({{branch({1, 2}), kEnd}, {kMakesA}, {kMakesB}}));
  CHECK_FALSE(right({{branch({1, 2}), kEnd}, {kMakesB}, {kMakesA}}));
  CHECK_FALSE(right({{branch({1, 2}), kEnd}, {kMakesA}, {}}));
  CHECK(right({{kMakesA, branch({1, 2}), kEnd}, {kMakesA}, {}}));
  // An arm does not read what the other one leaves, nor by name what came before and is not there.
  CHECK(right({{kMakesB, branch({1, 2}), kEnd}, {kMakesA}, {step({kB}, {kA})}}));
  CHECK_FALSE(right({{branch({1, 2}), kEnd}, {kMakesA, kMakesB}, {step({kB}, {kA})}}));
  CHECK_FALSE(right({{branch({1, 2}), kEnd}, {step({kB}, {kA})}, {kMakesA, kMakesB}}));
  // What a branch is decided by.
  CHECK(right({{numbers({}, {0}), branch({1, 1}, {0}), kEnd}, {kMakesA}}));
  CHECK_FALSE(right({{numbers({}, {1}), branch({1, 1}, {0}), kEnd}, {kMakesA}}));
  CHECK(right({{branch({1, 2}), numbers({0}, {}), kMakesA, kEnd}, {numbers({}, {0})}, {numbers({}, {0})}}));
  CHECK_FALSE(right({{branch({1, 2}), numbers({0}, {}), kMakesA, kEnd}, {numbers({}, {0})}, {}}));
}

TEST_CASE("register traces: a loop may run no trip, and its first trip finds the least", "[registers]") {
  const Chain end{loop(1, {}, {kA}), kEnd};
  CHECK(right({end, {kMakesA}}));
  CHECK_FALSE(right({end, {kMakesB}}));
  CHECK_FALSE(right({end, {step({kA}, {kA})}}));
  CHECK_FALSE(right({{kMakesA, end[0], kEnd}, {kMakesB}}));  // the rows are the loop's own
  // What a trip leaves is there in the next one, and not behind the last.
  CHECK_FALSE(right({end, {step({kB}, {kA}), kMakesB}}));
  CHECK(right({{kMakesB, end[0], kEnd}, {step({kB}, {kA}), kMakesB}}));
  CHECK_FALSE(right({{loop(1, {}, {}), kEnd}, {kMakesA}}));
  CHECK(right({{kMakesA, loop(1, {}, {}), kEnd}, {kMakesA}}));
  // What is carried.
  CHECK(right({{kMakesB, loop(1, {kB}, {kA}), kEnd}, {step({kB}, {kA, kB})}}));
  CHECK_FALSE(right({{loop(1, {kB}, {kA}), kEnd}, {step({kB}, {kA, kB})}}));
  CHECK(right({{kMakesB, loop(1, {kB}, {}), step({kB}, {kOutput})}, {step({kB}, {kB})}}));
  CHECK_FALSE(right({{loop(1, {kConstant}, {kA}), kEnd}, {kMakesA}}));
}

TEST_CASE("register traces: a branch in a loop, and a loop in an arm", "[registers]") {
  CHECK(right({{loop(1, {}, {kA}), kEnd}, {branch({2, 3})}, {kMakesA}, {kMakesB, kMakesA}}));
  CHECK_FALSE(right({{loop(1, {}, {kA}), kEnd}, {branch({2, 3})}, {kMakesA}, {kMakesB}}));
  CHECK(right({{branch({1, 2}), kEnd}, {loop(2, {}, {kA})}, {kMakesA}}));
  CHECK_FALSE(right({{branch({1, 2}), kEnd}, {loop(2, {}, {})}, {kMakesA}}));
}

TEST_CASE("register traces: chains that run each other have no Trace and leave the check open",
          "[registers]") {
  const RegisterProgram deep = program({{branch({0, 0}), kMakesA, kEnd}});
  CHECK_FALSE(trace_of(deep).has_value());
  CHECK(check_registers(deep).faults.empty());
  CHECK(check_registers(deep).open.size() == 1);
  // 33 chains one in the other; one less is few enough.
  for (const std::uint32_t chains : {32U, 33U, 34U}) {
    std::vector<Chain> all;
    for (std::uint32_t k = 1; k < chains; ++k) all.push_back({branch({k, k})});
    all.push_back({kMakesA});
    all[0].push_back(kEnd);
    RegisterProgram nested = program(all);
    for (Chain& chain : nested.chains)
      for (RegisterStep& one : chain)
        if (!one.chains.empty()) one.chains.resize(1);
    CHECK(trace_of(nested).has_value() == (chains < 34));
    CHECK(check_registers(nested).open.empty() == (chains < 34));
  }
}

TEST_CASE("register programs: registers of numbers are given, read and returned by their number",
          "[registers]") {
  const auto message = [](const RegisterProgram& all) {
    const PlanAnswer answer = check_registers(all);
    return answer.faults.size() == 1 ? answer.faults[0].message : std::to_string(answer.faults.size());
  };
  RegisterProgram all = program({{numbers({0}, {1}), kMakesA, kEnd}});
  CHECK(message(all) == "number 0 is read by ExpNode at byte 0 and nothing wrote it");
  CHECK_FALSE(traced(all));
  all.inputs.push_back({0, false});
  CHECK(holds(all));
  CHECK(traced(all));
  all.outputs.push_back({1, false});
  CHECK(holds(all));
  CHECK(traced(all));
  all.inputs.push_back({0, false});
  CHECK(message(all) == "number 0 is listed twice as input");
  all.inputs.pop_back();
  all.chains[0][0] = numbers({0}, {0});
  CHECK(message(all) == "number 1 is read by the caller and nothing wrote it");
  CHECK_FALSE(traced(all));
}

TEST_CASE("register traces: as every path of random programs is", "[registers]") {
  fuzz::Random random(7);
  const auto some = [&](std::uint32_t from, std::int64_t most) {
    std::set<std::uint32_t> out;
    for (std::int64_t k = random.between(0, most); k > 0; --k)
      out.insert(from + static_cast<std::uint32_t>(random.below(7 - from)));
    return Registers(out.begin(), out.end());
  };
  int good = 0, bad = 0;
  for (std::size_t round = 0; round < sampled(3000); ++round) {
    std::vector<Chain> chains(4);
    for (std::uint32_t c = 0; c < 4; ++c)
      for (std::int64_t k = random.between(1, 4); k > 0; --k) {
        const std::uint32_t inner = c + 1 + static_cast<std::uint32_t>(random.below(3));
        if (inner > 3 || random.chance(50))
          chains[c].push_back(step(some(random.chance(90) ? 0 : 4, 1), some(random.chance(98) ? 2 : 0, 2)));
        else if (random.chance(50))
          chains[c].push_back(branch({inner, c + 1}));
        else
          chains[c].push_back(loop(inner, some(2, 1), some(4, 1)));
      }
    const RegisterProgram all = program(chains);
    const auto meant = right_on_every_path(all);
    if (!meant) continue;
    ++(*meant ? good : bad);
    INFO("round " << round);
    if (holds(all) != *meant) FAIL_CHECK("checked");
    if (traced(all) != *meant) FAIL_CHECK("traced");
  }
  CHECK(good > static_cast<int>(sampled(150)));
  CHECK(bad > static_cast<int>(sampled(150)));
}

}  // namespace registers_trace_test
