#include "src/graph/case.h"

#include <limits>

#include "tests/catch.h"

namespace case_test {

using namespace noclobber;

TEST_CASE("every dtype is read back from its own name") {
  for (int at = 0; at <= static_cast<int>(Dtype::other); ++at) {
    const auto type = static_cast<Dtype>(at);
    CHECK(parse_dtype(name(type)) == type);
    CHECK(parse_torch_dtype(torch_name(type)) == type);
    CHECK(parse_torch_dtype("torch." + std::string(torch_name(type))) == type);
  }
  CHECK(parse_dtype("b8") == Dtype::boolean);
  CHECK(parse_dtype("f8e8m0fnu") == Dtype::other);
  CHECK(parse_torch_dtype("torch.long") == Dtype::i64);
  CHECK(parse_torch_dtype("torch.float8_e4m3fnuz") == Dtype::other);
  for (const char* text : {"", "f31", "float32", "F32", "f32 "}) CHECK_FALSE(parse_dtype(text));
  for (const char* text : {"", "f32", "torch.", "torch.Float32"}) CHECK_FALSE(parse_torch_dtype(text));
}

TEST_CASE("widths and classes of dtypes") {
  CHECK(bit_width(Dtype::boolean) == 8);
  CHECK(bit_width(Dtype::u4) == 4);
  CHECK(bit_width(Dtype::c128) == 128);
  CHECK(bit_width(Dtype::other) == 0);
  CHECK(is_floating(Dtype::bf16));
  CHECK_FALSE(is_floating(Dtype::c64));
  CHECK(is_complex(Dtype::c64));
  CHECK_FALSE(is_complex(Dtype::i64));
  CHECK(is_signed(Dtype::i8));
  CHECK(is_signed(Dtype::f32));
  CHECK_FALSE(is_signed(Dtype::u8));
  CHECK_FALSE(is_signed(Dtype::boolean));
}

TEST_CASE("arguments are equal if kind and content are") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(Arg() == Arg());
  CHECK(Arg::of_real(nan) == Arg::of_real(nan));
  CHECK_FALSE(Arg::of_real(0.0) == Arg::of_real(-0.0));
  CHECK_FALSE(Arg::of_real(1) == Arg::of(SymExpr(1)));
  CHECK(Arg::of(SymExpr(1)) == Arg::of(SymExpr(1)));
  CHECK_FALSE(Arg::of_bool(true) == Arg::of(SymExpr(1)));
  CHECK_FALSE(Arg::of_bool(true) == Arg::of_bool(false));
  CHECK_FALSE(Arg::of_text("cpu") == Arg::of_device("cpu"));
  CHECK_FALSE(Arg::of_graph("a") == Arg::of_text("a"));
  CHECK(Arg::of(ValueId(2)) == Arg::of(ValueId(2)));
  CHECK_FALSE(Arg::of(ValueId(2)) == Arg::of(ValueId(3)));
  CHECK_FALSE(Arg::of_dtype(Dtype::f32) == Arg::of_dtype(Dtype::f64));
  CHECK(Arg::of({Arg(), Arg::of_bool(true)}) == Arg::of({Arg(), Arg::of_bool(true)}));
  CHECK_FALSE(Arg::of({Arg()}) == Arg::of({Arg(), Arg()}));
}

TEST_CASE("a graph finds its values by name") {
  Graph graph;
  graph.values.resize(2);
  graph.values[0].name = "x";
  graph.values[1].name = "y";
  CHECK(graph.find("y") == ValueId(1));
  CHECK(graph.value(ValueId(1)).name == "y");
  CHECK_FALSE(graph.find("z").valid());
}

TEST_CASE("a tensor's last byte must be within 64 bits") {
  Type type;
  type.dtype = Dtype::f32;
  type.shape = {SymExpr(std::int64_t{1} << 30), SymExpr(std::int64_t{1} << 30)};
  CHECK(is_addressable(type));
  type.shape.push_back(SymExpr(8));
  CHECK_FALSE(is_addressable(type));
  type.shape[0] = SymExpr(0);
  CHECK(is_addressable(type));  // empty: no byte at all
  type.shape = {SymExpr(2)};
  type.strides = Type::Strides::given;
  type.stride = {SymExpr(std::int64_t{1} << 60)};
  CHECK(is_addressable(type));
  type.stride = {SymExpr(std::int64_t{1} << 61)};
  CHECK_FALSE(is_addressable(type));
}

TEST_CASE("programs over registers are equal where all of their parts are") {
  RegisterProgram one;
  one.counts = {1, 2, 3, 4, 5};
  one.chains = {{RegisterStep{}}};
  one.inputs = {{1, true}}, one.names = {{1, "x"}};
  Case value, other;
  value.registers = other.registers = {one};
  CHECK(value == other);
  const auto differs = [&](auto change) {
    Case changed = value;
    change(changed.registers.at(0));
    return !(changed == value) && !(value == changed);
  };
  const auto of_step = [&](auto change) {
    return differs([&](RegisterProgram& program) { change(program.chains.at(0).at(0)); });
  };
  CHECK(of_step([](RegisterStep& step) { step.op = "ExpNode"; }));
  CHECK(of_step([](RegisterStep& step) { step.runs = RegisterStep::Runs::repeatedly; }));
  CHECK(of_step([](RegisterStep& step) { step.reads = {0}; }));
  CHECK(of_step([](RegisterStep& step) { step.writes = {0}; }));
  CHECK(of_step([](RegisterStep& step) { step.read_numbers = {0}; }));
  CHECK(of_step([](RegisterStep& step) { step.write_numbers = {0}; }));
  CHECK(of_step([](RegisterStep& step) { step.chains = {0}; }));
  CHECK(of_step([](RegisterStep& step) { step.rows = {0}; }));
  CHECK(of_step([](RegisterStep& step) { step.at = 1; }));
  CHECK(of_step([](RegisterStep& step) { step.refused = "no"; }));
  CHECK(differs([](RegisterProgram& program) { program.name = "p"; }));
  CHECK(differs([](RegisterProgram& program) { program.counts[4] = 6; }));
  CHECK(differs([](RegisterProgram& program) { program.numbers = 1; }));
  CHECK(differs([](RegisterProgram& program) { program.chains.emplace_back(); }));
  CHECK(differs([](RegisterProgram& program) { program.main = 1; }));
  CHECK(differs([](RegisterProgram& program) { program.init = 0; }));
  CHECK(differs([](RegisterProgram& program) { program.inputs[0].is_tensor = false; }));
  CHECK(differs([](RegisterProgram& program) { program.inputs[0].at = 2; }));
  CHECK(differs([](RegisterProgram& program) { program.outputs = {{1, true}}; }));
  CHECK(differs([](RegisterProgram& program) { program.states = {{1, true}}; }));
  CHECK(differs([](RegisterProgram& program) { program.names[1] = "y"; }));
  CHECK(differs([](RegisterProgram& program) { program.names[2] = "x"; }));
}

}  // namespace case_test
