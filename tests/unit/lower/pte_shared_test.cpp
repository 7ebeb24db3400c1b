// State that methods share, and arguments of delegates, where nothing but the program's lists tells.
#include <algorithm>

#include "tests/unit/lower/pte_made.h"

namespace pte_shared_test {

using namespace noclobber;

namespace {

/// A method whose only values are these, of two elements each, in this arena: by name and offset.
PteMethod method_with(const std::vector<std::pair<std::string, std::int64_t>>& values,
                      std::uint32_t arena = 1) {
  MadeMethod made;
  made.method.arenas.assign(18, 64);
  for (const auto& [name, offset] : values) {
    PteTensor& tensor = made.of(made.tensor({2}, offset));
    tensor.fqn = name;
    tensor.place->arena = arena;
  }
  return made.method;
}

std::string shared_names(std::vector<PteMethod> methods) {
  share_states(methods);
  std::string out;
  for (const PteTensor& tensor : methods.back().shared) out += tensor.fqn + " ";
  for (const PteMethod& method : methods) CHECK(method.shared.size() == methods.back().shared.size());
  return out;
}

}  // namespace

TEST_CASE("pte: an arena is shared where one method has nothing but state there and another has that too",
          "[pte]") {
  const PteMethod alone = method_with({{"a", 0}, {"b", 8}}), mixed = method_with({{"a", 0}, {"", 16}}),
                  other = method_with({{"c", 0}}), without = method_with({{"", 0}});
  CHECK(shared_names({alone, alone}) == "a b ");
  CHECK(shared_names({alone, mixed}) == "a b ");
  CHECK(shared_names({mixed, alone}) == "a b ");
  CHECK(shared_names({alone, alone, without}) == "a b ");
  CHECK(shared_names({mixed, mixed}).empty());    // no arena of state
  CHECK(shared_names({alone, other}).empty());    // other state
  CHECK(shared_names({alone, without}).empty());  // state of one method
}

TEST_CASE("pte: arenas that are shared exist, and are the first sixteen", "[pte]") {
  const auto shared_in = [](std::uint32_t arena, std::size_t arenas) {
    PteMethod method = method_with({{"a", 0}}, arena);
    method.arenas.resize(arenas, 64);
    return !shared_names({method, method}).empty();
  };
  CHECK(shared_in(1, 2));
  CHECK(shared_in(2, 3));
  CHECK_FALSE(shared_in(2, 2));
  CHECK(shared_in(16, 18));
  CHECK_FALSE(shared_in(17, 18));
}

TEST_CASE("pte: what a list names is no result of a later delegate", "[pte]") {
  for (const bool first : {true, false}) {  // of the list
    MadeMethod made;
    const auto a = made.tensor({2}, 0), b = made.tensor({2}, 8), x = made.given({2}, 16),
               fresh = made.tensor({2}, 24), both = made.tensor({4}, 32),
               list = made.list(PteValue::Kind::tensors, {a, -1, b});
    made.method.delegates.emplace_back().id = "Unheard";
    made.call("aten.cat.out", {list, made.number(0), both, both});
    made.instruction(PteInstruction::Kind::delegate, 0, {x, first ? a : b, fresh});
    split_delegate_calls(made.method);
    CHECK(made.method.instructions.back().results == 2);
    CHECK(made.method.instructions.back().guessed);
    made.method.instructions.erase(made.method.instructions.begin());
    split_delegate_calls(made.method);
    CHECK(made.method.instructions.back().results == 1);
  }
}

TEST_CASE("pte: a delegate has its number where the functional program calls none of its payload", "[pte]") {
  MadeMethod made;
  const auto x = made.given({2}, 0), out = made.tensor({2}, 8);
  made.method.delegates.emplace_back().id = "Unheard";
  made.method.delegates.back().digest = std::string(32, 'd') + "rest";
  made.instruction(PteInstruction::Kind::delegate, 0, {x, out}).results = 1;
  made.method.outputs = {out};
  const auto schema_beside = [&](const std::string& op) {
    MadeGraph functional;
    functional.input("x", MadeGraph::type({2}));
    functional.step("y", op, functional.args({"x"}), MadeGraph::type({2}));
    functional.graph.outputs = functional.args({"y"});
    const Case value = made.value(&functional.graph);
    REQUIRE(value.ops.size() == 1);
    return value.ops[0].schema;
  };
  const std::string by_contents = "Unheard_" + std::string(32, 'd');
  CHECK(schema_beside("aten.neg.default") == "executorch_delegate::Unheard_0(Tensor a0) -> (Tensor)");
  CHECK(schema_beside("executorch_delegate." + by_contents + ".default") ==
        "executorch_delegate::" + by_contents + "(Tensor a0) -> (Tensor)");
}

}  // namespace pte_shared_test
