// Numbers that no program has, in every argument of recorded calls: neither the checker nor the interpreter
// ends, overflows or contradicts itself.
#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <set>

#include "src/check/check.h"
#include "src/interp/interp.h"
#include "tests/catch.h"
#include "tests/support/golden.h"
#include "tests/support/sample.h"
#include "tests/support/source_dir.h"

namespace row_odd_numbers_test {

using namespace noclobber;

namespace {

constexpr std::size_t kMostCalls = 6;  // of one file
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kOdd[] = {-1, 0, -9, std::int64_t{1} << 31, kMost, -kMost - 1};

/// Visits with one number of `arg` replaced, with an item more and an item less.
void variants(Arg& arg, const std::function<void()>& visit) {
  const Arg own = arg;
  if (own.kind == Arg::Kind::sym && own.sym.is_constant())
    for (const std::int64_t number : kOdd) arg = Arg::of(SymExpr(number)), visit();
  if (own.kind == Arg::Kind::real)
    for (const double number : {-1e300, std::numeric_limits<double>::quiet_NaN()})
      arg = Arg::of_real(number), visit();
  arg = own;
  if (own.kind != Arg::Kind::list || own.list.empty()) return;
  for (Arg& item : arg.list.items()) variants(item, visit);
  arg.list.edit().push_back(own.list.back());
  visit();
  arg.list.edit().resize(own.list.size() - 1);
  visit();
  arg = own;
}

/// The call with outputs that nobody looks at, after nothing at all.
Case dead(const golden::GoldenCall& call) {
  Case out = call.value;
  out.after.outputs.clear();
  for (Value& value : out.after.values)
    if (value.from == Value::From::step) value.type = {};
  for (Input& input : out.after.inputs) input.may_write = true;
  return out;
}

void run_and_check(Case value, int& runs, int& declined) {
  std::set<std::string> inputs;
  for (const Input& input : value.after.inputs) inputs.insert(value.after.value(input.value).name);
  const auto run = run_graph(value, value.after, inputs, {});
  if (!run) ++declined;
  value.before = value.after;
  value.before->steps.clear();
  std::erase_if(value.before->values, [](const Value& v) { return v.from == Value::From::step; });
  bool contradiction = false;
  const CheckRecord record = check_case(std::move(value), {}, contradiction);
  INFO(record.contradiction);
  CHECK_FALSE(contradiction);
  ++runs;
}

}  // namespace

TEST_CASE("no number in an argument ends the program", "[rows]") {
  int runs = 0, declined = 0;
  std::size_t number = 0;
  for (const auto& entry : std::filesystem::directory_iterator(in_sources("/corpus/golden"))) {
    if (entry.path().extension() != ".json" || !testing::is_sampled(number++)) continue;
    auto calls = golden::calls_of(entry.path().string(), false);
    if (calls.size() > kMostCalls) calls.resize(kMostCalls);
    for (const golden::GoldenCall& call : calls) {
      INFO(call.op);
      Case value = dead(call);
      const auto visit = [&] { run_and_check(value, runs, declined); };
      for (Step& step : value.after.steps) {
        for (Arg& arg : step.args) variants(arg, visit);
        for (auto& [name, arg] : step.kwargs.items()) variants(arg, visit);
      }
    }
  }
  std::printf("odd numbers: %d calls, %d of them declined\n", runs, declined);
  CHECK(runs > static_cast<int>(testing::sampled(7000)));
  CHECK(declined < runs / 20);  // larger than the interpreter is willing to run
}

}  // namespace row_odd_numbers_test
