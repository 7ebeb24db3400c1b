// Payloads of MLX made from nothing: which registers each field of an instruction reads and writes.
#include <algorithm>
#include <array>
#include <iterator>

#include "src/formats/mlx/payload.h"
#include "tests/catch.h"
#include "tests/unit/formats/flat_text.h"

namespace mlx_made_test {

using namespace noclobber;

namespace {

constexpr std::string_view kNames[] = {
#define NC_MLX_NODE(name, fields) name,
#include "src/formats/mlx/nodes.def"
#undef NC_MLX_NODE
};

FlatPart node(std::string_view name, std::vector<FlatField> body) {
  const auto* const at = std::find(std::begin(kNames), std::end(kNames), name);
  REQUIRE(at != std::end(kNames));
  const auto number = static_cast<std::uint8_t>(at - std::begin(kNames) + 1);
  return flat_table({FlatField::of(0, number), FlatField::of(1, flat_table(std::move(body)))});
}

FlatField reg(unsigned field, std::uint32_t number) { return FlatField::of(field, number); }
FlatField regs(unsigned field, std::vector<std::uint32_t> numbers) {
  return FlatField::of(field, flat_list(std::move(numbers)));
}

FlatPart slot(std::uint32_t at, bool is_tensor) {
  return flat_table(
      {FlatField::of(0, at), FlatField::of(1, std::uint8_t{is_tensor ? std::uint8_t{0} : std::uint8_t{1}})});
}

struct Payload {
  std::vector<FlatPart> steps;
  std::size_t chains = 3;  // the first holds the steps, the others nothing
  std::uint32_t main = 0;
  std::int32_t init = -1;
  std::vector<FlatPart> inputs;

  /// Of two constants, two inputs, one output, one state and two temporaries, and four numbers.
  std::string bytes() const {
    std::vector<FlatPart> all = {flat_table({FlatField::of(0, flat_parts(steps))})};
    while (all.size() < chains) all.push_back(flat_table({FlatField::of(0, flat_parts({}))}));
    std::string table(4, '\0');
    const std::size_t root = flat_table(
        {reg(1, 2), reg(2, 2), reg(3, 1), reg(4, 1), reg(5, 2), reg(6, 4), FlatField::of(7, flat_parts(all)),
         reg(8, main), FlatField::of(9, init), FlatField::of(10, flat_parts(inputs))})(table);
    flat_offset(table, 0, root);
    return std::string("\0\0\0\0MLX0", 8) + std::string(16, '\0') + table;
  }
  std::string fault() const {
    const auto out = read_mlx(bytes(), 0);
    return out ? "" : out.fault().message;
  }
  RegisterProgram value() const {
    auto out = read_mlx(bytes(), 0);
    INFO((out ? "" : out.fault().where + ": " + out.fault().message));
    REQUIRE(out);
    return *std::move(out);
  }
};

std::string text(const std::string& what, const std::vector<std::uint32_t>& numbers) {
  std::string out;
  for (const std::uint32_t number : numbers) out += " " + std::to_string(number);
  return numbers.empty() ? "" : " " + what + out;
}

/// What one instruction reads and writes, or why it is not read.
std::string said(const FlatPart& step) {
  Payload payload;
  payload.steps = {step};
  if (const std::string fault = payload.fault(); !fault.empty()) return fault;
  const RegisterStep made = payload.value().chains.at(0).at(0);
  constexpr const char* kRuns[] = {"", " one of", " repeatedly"};
  return made.op + text("reads", made.reads) + text("writes", made.writes) +
         text("numbers", made.read_numbers) + text("into numbers", made.write_numbers) +
         text("rows", made.rows) + kRuns[static_cast<std::size_t>(made.runs)] + text("chains", made.chains);
}

/// A number: of a register, or 7.
FlatPart number(bool known) {
  return flat_table({FlatField::of(0, std::int64_t{7}), reg(1, 3),
                     FlatField::of(2, std::uint8_t{known ? std::uint8_t{0} : std::uint8_t{1}})});
}

}  // namespace

TEST_CASE("mlx: tensors that are read and written, one by one and in lists") {
  CHECK(said(node("NoopNode", {})) == "NoopNode");
  CHECK(said(node("IdCopyNode", {reg(0, 2), reg(1, 7)})) == "IdCopyNode reads 2 writes 7");
  CHECK(said(node("AddmmNode", {reg(0, 0), reg(1, 1), reg(2, 6), reg(3, 2)})) ==
        "AddmmNode reads 0 1 2 writes 6");
  CHECK(said(node("AddmmNode", {reg(0, 0), reg(1, 1), reg(2, 6)})) == "AddmmNode reads 0 1 writes 6");
  CHECK(said(node("SplitNode", {reg(0, 2), regs(1, {6, 7}),
                                FlatField::of(2, flat_parts({number(true), number(false)}))})) ==
        "SplitNode reads 2 writes 6 7 numbers 3");
  CHECK(said(node("IndexCopyNode", {reg(0, 0), reg(1, 1), reg(2, 2), reg(3, 7)})) ==
        "IndexCopyNode reads 0 2 1 writes 7");
  CHECK(said(node("UpdateAndAttendNode", {reg(0, 0), reg(1, 1), reg(2, 2), reg(3, 3), reg(4, 7)})) ==
        "UpdateAndAttendNode reads 0 1 2 3 writes 7");
  CHECK(said(node("ScanNode", {regs(0, {0, 1}), regs(1, {6}), regs(2, {7}), regs(3, {5}), reg(4, 1)})) ==
        "ScanNode reads 0 1 5 writes 6 5 rows 7 repeatedly chains 1");
}

TEST_CASE("mlx: numbers that stand in a register, in a tensor or in the instruction") {
  CHECK(said(node("ItemIntNode", {reg(0, 2), reg(1, 3)})) == "ItemIntNode reads 2 into numbers 3");
  const auto either = [](std::uint8_t kind) {
    return flat_table({FlatField::of(0, std::int64_t{7}), reg(1, 3), reg(2, 1), FlatField::of(3, kind)});
  };
  CHECK(said(node("TakeNode", {reg(0, 2), reg(1, 7), FlatField::of(2, either(0))})) ==
        "TakeNode reads 2 writes 7");
  CHECK(said(node("TakeNode", {reg(0, 2), reg(1, 7), FlatField::of(2, either(1))})) ==
        "TakeNode reads 2 writes 7 numbers 3");
  CHECK(said(node("TakeNode", {reg(0, 2), reg(1, 7), FlatField::of(2, either(2))})) ==
        "TakeNode reads 2 1 writes 7");
  CHECK(said(node("IfNode", {FlatField::of(0, number(false)), reg(1, 1), reg(2, 2)})) ==
        "IfNode numbers 3 one of chains 1 2");
  CHECK(said(node("IfNode", {FlatField::of(0, number(true)), reg(1, 1), reg(2, 2)})) ==
        "IfNode one of chains 1 2");
}

TEST_CASE("mlx: registers and chains that are not there") {
  CHECK(said(node("IdCopyNode", {reg(0, 2), reg(1, 8)})) == "register 8 of 8 is named");
  CHECK(said(node("IdCopyNode", {reg(0, 2)})) == "a field of this instruction is missing");
  CHECK(said(node("SplitNode", {reg(0, 2), regs(1, {6, 8})})) == "a register that is not there is named");
  CHECK(said(node("ItemIntNode", {reg(0, 2), reg(1, 4)})) == "register 4 of 4 is named");
  CHECK(said(node("IfNode", {FlatField::of(0, number(true)), reg(1, 1), reg(2, 3)})) ==
        "register 3 of 3 is named");
  const auto unknown = [](std::size_t kind) {
    return said(
        flat_table({FlatField::of(0, static_cast<std::uint8_t>(kind)), FlatField::of(1, flat_table({}))}));
  };
  CHECK(unknown(0) == "an instruction without contents");
  CHECK(unknown(std::size(kNames)) == "a field of this instruction is missing");  // the last that is known
  CHECK(unknown(std::size(kNames) + 1).empty());
}

TEST_CASE("mlx: inputs name tensors and numbers, main and first chains exist") {
  Payload payload;
  payload.inputs = {slot(7, true), slot(3, false)};
  const RegisterProgram value = payload.value();
  REQUIRE(value.inputs.size() == 2);
  CHECK((value.inputs[0].is_tensor && value.inputs[0].at == 7 && !value.inputs[1].is_tensor &&
         value.inputs[1].at == 3));
  CHECK(value.counts == std::array<std::uint32_t, 5>{2, 2, 1, 1, 2});
  for (const FlatPart& wrong : {slot(8, true), slot(4, false)}) {
    payload.inputs = {wrong};
    CHECK(payload.fault() == "a register that is not there is named");
  }
  const auto chains = [](std::uint32_t main, std::int32_t init) {
    Payload own;
    own.main = main;
    own.init = init;
    return own.fault();
  };
  const std::string missing = "a chain of instructions that is not there";
  CHECK(chains(2, 2).empty());
  CHECK(chains(0, -1).empty());
  CHECK(chains(3, -1) == missing);
  CHECK(chains(0, 3) == missing);
  CHECK(chains(0, -2) == missing);
}

}  // namespace mlx_made_test
