#include <algorithm>

#include "src/text/file.h"
#include "tests/unit/lower/pte_program.h"

namespace pte_delegates_test {

using namespace noclobber;

namespace {

/// The same payload as that of a backend that nobody knows.
std::string of_another_backend(std::string bytes) {
  std::size_t changed = 0;
  for (std::size_t at = 0; (at = bytes.find("XH00", at)) != std::string::npos; ++changed)
    bytes.replace(at, 4, "XX00");
  REQUIRE(changed > 0);
  return bytes;
}

PteInstruction& call_of_delegate(PteMethod& method) {
  const auto at =
      std::ranges::find(method.instructions, PteInstruction::Kind::delegate, &PteInstruction::kind);
  REQUIRE(at != method.instructions.end());
  return *at;
}

bool assumes(const CheckRecord& record, const std::string& text) {
  return std::ranges::any_of(record.assumptions,
                             [&](const std::string& one) { return one.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("pte: a delegate of XNNPACK makes what its payload says, of what it is given alone", "[pte]") {
  const PteMethod method = method_of(bytes_of("xnnpack-state"));
  REQUIRE(method.delegates.size() == 1);
  REQUIRE(method.delegates[0].roles);
  CHECK((method.delegates[0].roles->inputs == 3 && method.delegates[0].roles->outputs == 2));
  CHECK(method.delegates[0].roles->is_function);
  for (const char* right : {"xnnpack-state", "xnnpack-twice"}) {
    const CheckRecord record = alone(right);
    INFO(right);
    CHECK(record.status == Status::proved);
    CHECK(record.assumptions.empty());
  }
  for (const char* wrong : {"xnnpack-state-on-result", "xnnpack-twice-overwritten"}) {
    INFO(wrong);
    CHECK(found(alone(wrong), "plan-overlap"));
  }
}

TEST_CASE(
    "pte: state that lies where something else is written may be another name of that, by an assumption",
    "[pte]") {
  const CheckRecord record = alone("xnnpack-state-on-sum");
  CHECK(record.status == Status::proved);
  CHECK(assumes(record, "value 0, which is stored into, is no state"));
  CHECK_FALSE(assumes(alone("xnnpack-state"), "is no state"));
}

TEST_CASE("pte: a delegate of Vulkan is given what its payload says, and may keep more than it returns",
          "[pte]") {
  PteMethod method = method_of(bytes_of("vulkan-state"));
  REQUIRE((method.delegates.size() == 2 && method.delegates[0].roles));
  CHECK((method.delegates[0].roles->inputs == 1 && !method.delegates[0].roles->is_function));
  CHECK(alone(method).status == Status::proved);
  CHECK(alone(method).assumptions.empty());
  const std::uint32_t sorted = call_of_delegate(method).args[1];
  for (const PteInstruction& step : method.instructions)
    if (step.kind == PteInstruction::Kind::kernel)  // what is sorted lies on what is returned
      method.values[step.args[3]].tensor.place = method.values[sorted].tensor.place;
  CHECK(found(alone(method), "plan-overlap"));
}

TEST_CASE("pte: of a payload that is not read, results are what nothing named before, by an assumption",
          "[pte]") {
  const CheckRecord right = alone(method_of(of_another_backend(bytes_of("xnnpack-state"))));
  CHECK(right.status == Status::proved);
  CHECK(assumes(right, "delegate XnnpackBackend writes the last of its arguments"));
  CHECK(found(alone(method_of(of_another_backend(bytes_of("xnnpack-state-on-result")))), "plan-overlap"));
}

TEST_CASE("pte: a delegate of the functional program is the one of the same payload", "[pte]") {
  CHECK(compared("xnnpack-twice").status == Status::proved);
  CHECK(compared_files("xnnpack-twice.case.json", "xnnpack-twice-overwritten.pte").status == Status::refuted);
  const auto with = [](const auto& change) {
    auto before = read_side(*read_file(kPrograms + "xnnpack-twice.case.json"), true);
    auto after = read_side(bytes_of("xnnpack-twice"), false);
    REQUIRE((before && after));
    change(after->program.front());
    const auto value = pair_of(*std::move(before), *std::move(after));
    bool contradiction = false;
    return value ? check_case(*value, {}, contradiction) : CheckRecord();
  };
  CHECK(with([](PteMethod&) {}).status == Status::proved);
  const CheckRecord other =
      with([](PteMethod& method) { method.delegates[0].digest = std::string(64, '0'); });
  CHECK(names_unknown(other, "XnnpackBackend_0"));
  const CheckRecord same =
      with([](PteMethod& method) { method.delegates[1].digest = method.delegates[0].digest; });
  CHECK(same.status != Status::proved);
}

TEST_CASE("pte: a delegate is a function where its payload says so, and else may keep what it likes",
          "[pte]") {
  const auto is_pure = [](const std::string& bytes) {
    const auto value = case_of_pte(method_of(bytes), nullptr);
    REQUIRE((value && !value->ops.empty()));
    return value->ops[0].pure;
  };
  CHECK(is_pure(bytes_of("xnnpack-state")));
  CHECK_FALSE(is_pure(bytes_of("vulkan-state")));
  CHECK_FALSE(is_pure(bytes_of("mlx-cache-update")));
  const std::string other = of_another_backend(bytes_of("xnnpack-twice"));
  CHECK_FALSE(is_pure(other));
  const CheckRecord twice = alone(method_of(other));  // what the second is given was named before
  CHECK(twice.status == Status::proved);
  CHECK(assumes(twice, "writes the last of its arguments"));
}

TEST_CASE("pte: a new value that is stored into later, before the results, may be state or one of them",
          "[pte]") {
  PteMethod method = method_of(of_another_backend(bytes_of("xnnpack-state")));
  std::vector<std::uint32_t>& args = call_of_delegate(method).args;
  CHECK(call_of_delegate(method).results == 3);
  std::swap(args[0], args[2]);  // the state is the last that it is given
  split_delegate_calls(method);
  CHECK_FALSE(call_of_delegate(method).results);
  CHECK(names_unknown(alone(method), "roles are not known"));
}

TEST_CASE("pte: arguments of a delegate whose roles are not known are not guessed", "[pte]") {
  const std::string bytes = bytes_of("xnnpack-state");
  for (const bool known : {true, false}) {
    PteMethod method = method_of(known ? bytes : of_another_backend(bytes));
    INFO(known);
    std::vector<std::uint32_t>& args = call_of_delegate(method).args;
    const std::vector<std::uint32_t> own = args;
    args.push_back(args[0]);  // named before, behind the results
    split_delegate_calls(method);
    CHECK_FALSE(call_of_delegate(method).results);
    CHECK(names_unknown(alone(method), "roles are not known"));
    args = {own[0], own[1], own[2]};  // no results at all
    split_delegate_calls(method);
    CHECK(names_unknown(alone(method), "roles are not known"));
  }
}

TEST_CASE("pte: a number that the method is given is the one that it was exported with", "[pte]") {
  PteMethod method = method_of(bytes_of("xnnpack-twice"));
  REQUIRE(method.inputs.size() == 2);
  PteValue& number = method.values[method.inputs[1]];
  REQUIRE((number.kind == PteValue::Kind::integer && number.integer == 3));
  const auto value = case_of_pte(method, nullptr);
  REQUIRE(value);
  const auto is_user = [](const Input& input) { return input.kind == Input::Kind::user; };
  CHECK(std::ranges::count_if(value->after.inputs, is_user) == 1);
  number.kind = PteValue::Kind::integers;  // the runtime takes no lists
  CHECK(names_unknown(alone(method), "input that is a list"));
}

TEST_CASE("pte: a tensor is not read before the call that makes it, whatever its bytes hold", "[pte]") {
  PteMethod method = method_of(bytes_of("xnnpack-twice"));
  REQUIRE(method.instructions.size() == 4);
  const std::uint32_t sums = method.instructions[3].args[0], rows = method.instructions[1].args[1];
  std::swap(method.instructions[2], method.instructions[3]);
  split_delegate_calls(method);
  CHECK(found(alone(method), "uninitialized-read"));
  method.values[sums].tensor.place = method.values[rows].tensor.place;  // bytes that another call wrote
  CHECK(found(alone(method), "uninitialized-read"));
}

TEST_CASE("pte: a call that stores its result under the name of another tensor is not followed", "[pte]") {
  PteMethod method = method_of(bytes_of("xnnpack-twice"));
  PteInstruction& sums = method.instructions[2];
  REQUIRE((sums.kind == PteInstruction::Kind::kernel && sums.args[3] == sums.args[4]));
  CHECK(alone(method).status == Status::proved);
  sums.args[4] = sums.args[0];
  CHECK(names_unknown(alone(method), "result gets another name"));
}

TEST_CASE("pte: numbers among the inputs do not shift the tensors behind them", "[pte]") {
  for (const char* name : {"number-first", "number-first-unplanned"}) {
    INFO(name);
    CHECK(alone(name).status == Status::proved);
    CHECK(compared_files("number-first.exported.pt2", std::string(name) + ".pte").status == Status::proved);
  }
}

TEST_CASE("pte: sizes of what is given are known, as bounds or as the functional program names them",
          "[pte]") {
  const CheckRecord record = alone("encoder-dynamic");
  CHECK(record.status == Status::proved);
  CHECK(assumes(record, "sizes are their upper bounds"));
  CHECK(compared_files("encoder-dynamic.exported.pt2", "encoder-dynamic.pte").status == Status::proved);
}

TEST_CASE("pte: a payload that is cut off, or whose table is not in it, is refused with its place", "[pte]") {
  const std::string bytes = bytes_of("xnnpack-state");
  const std::size_t at = bytes.find("XH00");
  REQUIRE(at != std::string::npos);
  const auto fault_with = [&](std::size_t offset, char byte) {
    std::string changed = bytes;
    changed[at + offset] = byte;
    const auto methods = open_pte(changed);
    return methods ? std::string() : methods.fault().where + ": " + methods.fault().message;
  };
  const std::string header = "byte " + std::to_string(at - 4 + 10);
  CHECK(fault_with(6, '\4') == header + ": the table of this delegate's payload lies outside of it");
  CHECK(fault_with(12, '\x7f') == header + ": the table of this delegate's payload lies outside of it");
  PteDelegate out;
  const auto cut = read_payload(std::string_view(bytes).substr(at - 4, 20), 7, out);
  REQUIRE(cut);
  CHECK((cut->where == "byte 7" && cut->message == "the header of this delegate's payload is cut off"));
}

TEST_CASE("pte: delegates are those that the functional program calls in the same order, by an assumption",
          "[pte]") {
  const CheckRecord right = compared("vulkan-mlp");
  CHECK(right.status == Status::proved);
  CHECK(assumes(right, "delegate VulkanBackend computes what delegate.lowered_module_0.default stands for"));
  Work wrong = work_of_pair(kPrograms + "vulkan-mlp.case.json", kPrograms + "vulkan-mlp.pte");
  REQUIRE(wrong.kind == Work::Kind::check);
  auto& steps = wrong.value.before->steps;
  REQUIRE(steps.size() == 1);
  Graph& graph = *wrong.value.before;  // it should have been given x + x
  const ValueId sum{static_cast<std::uint32_t>(graph.values.size())};
  graph.values.push_back({"sum", Value::From::step, 0, 0, graph.value(graph.inputs[0].value).type});
  for (const ValueId id : steps[0].results) graph.values[id.index].at = 1;
  Step add;
  add.results = {sum};
  add.op = "aten.add.Tensor";
  add.args = {Arg::of(graph.inputs[0].value), Arg::of(graph.inputs[0].value)};
  steps[0].args[0] = Arg::of(sum);
  steps.insert(steps.begin(), add);
  bool contradiction = false;
  CHECK(check_case(wrong.value, {}, contradiction).status != Status::proved);
  CHECK_FALSE(contradiction);
}

TEST_CASE("pte: what a delegate computes is not known where the other program does not call it", "[pte]") {
  CHECK(compared("vulkan-mlp", ".exported.pt2").status == Status::unknown);
  CHECK(compared("xnnpack-counter", ".exported.pt2").status == Status::proved);  // its payload is read
  CHECK(compared("xnnpack-counter").status == Status::proved);
}

}  // namespace pte_delegates_test
