// Exchanges of one operator for others, each beside its nearest wrong form.
#include "src/check/check.h"
#include "src/formats/case/case_json.h"
#include "tests/catch.h"
#include "tests/unit/effects/fx_traced.h"

namespace exchange_test {

using namespace noclobber;

namespace {

struct Exchange {
  const char* why;
  const char* type;    // of the inputs x and y
  const char* before;  // steps that end in r
  const char* wrong;
  const char* right;
};

CheckRecord checked(const Exchange& exchange, const std::string& after, bool no_assumptions = false) {
  const auto graph = [&](const std::string& steps) {
    std::string out = "{\"inputs\": [";
    for (const char* name : {"x", "y"})
      out += std::string(name[0] == 'y' ? ", " : "") + "{\"name\": \"" + name +
             "\", \"type\": " + exchange.type + "}";
    return out + "], \"steps\": [" + steps + "], \"outputs\": [{\"ref\": \"r\"}]}";
  };
  const auto value = read_case_json(R"({"format": "noclobber.case/1", "name": "t", "before": )" +
                                    graph(exchange.before) + ", \"after\": " + graph(after) + "}");
  INFO((value ? "" : value.fault().where + " " + value.fault().message));
  REQUIRE(value);
  bool contradiction = false;
  CheckOptions options;
  options.no_assumptions = no_assumptions;
  return check_case(*value, options, contradiction);
}

std::string step(const char* name, const char* op, const char* args, const char* kwargs = "{}") {
  return std::string(R"({"name": ")") + name + R"(", "op": ")" + op + R"(", "args": )" + args +
         R"(, "kwargs": )" + kwargs + "}";
}

constexpr const char* kFloats = R"({"dtype": "f32", "shape": [3, 4]})";
constexpr const char* kInts = R"({"dtype": "i64", "shape": [3, 4]})";
constexpr const char* kVector = R"({"dtype": "f32", "shape": [6]})";

// table: one row per exchange
const Exchange kExchanges[] =
    {
        {"x * 1", kFloats, R"({"name": "r", "op": "aten.mul.Tensor", "args": [{"ref": "x"}, 1]})",
         R"({"name": "r", "op": "aten.clone.default", "args": [{"ref": "y"}]})",
         R"({"name": "r", "op": "aten.clone.default", "args": [{"ref": "x"}]})"},
        {"x + 3 * 0", kFloats,
         R"({"name": "r", "op": "aten.add.Tensor", "args": [{"ref": "x"}, 0], "kwargs": {"alpha": 3}})",
         R"({"name": "r", "op": "aten.add.Tensor", "args": [{"ref": "x"}, 1], "kwargs": {"alpha": 3}})",
         R"({"name": "r", "op": "aten.clone.default", "args": [{"ref": "x"}]})"},
        {"a sum of whole numbers is not rounded away", kInts,
         R"({"name": "r", "op": "aten.add.Tensor", "args": [{"ref": "x"}, 1]})",
         R"({"name": "r", "op": "aten.clone.default", "args": [{"ref": "x"}]})",
         R"({"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}]}, {"name": "r", "op": "aten.add.Tensor", "args": [{"ref": "c"}, 1]})"},
        {"x * 1.0 of whole numbers is another type", kInts,
         R"({"name": "m", "op": "aten.mul.Tensor", "args": [{"ref": "x"}, 1.0], "types": [{"dtype": "f32", "shape": [3, 4]}]}, {"name": "r", "op": "aten._to_copy.default", "args": [{"ref": "m"}], "kwargs": {"dtype": {"dtype": "i64"}}})",
         R"({"name": "r", "op": "aten.clone.default", "args": [{"ref": "x"}]})",
         R"({"name": "m", "op": "aten.mul.Tensor", "args": [{"ref": "x"}, 1.0], "types": [{"dtype": "f32", "shape": [3, 4]}]}, {"name": "c", "op": "aten.clone.default", "args": [{"ref": "m"}]}, {"name": "r", "op": "aten._to_copy.default", "args": [{"ref": "c"}], "kwargs": {"dtype": {"dtype": "i64"}}})"},
        {"x - 0 with its factor", kFloats,
         R"({"name": "r", "op": "aten.sub.Tensor", "args": [{"ref": "x"}, 0]})",
         R"({"name": "r", "op": "aten.rsub.Scalar", "args": [{"ref": "x"}, 0]})",
         R"({"name": "r", "op": "aten.clone.default", "args": [{"ref": "x"}]})"},
        {"a sum with zeros of another shape grows", kFloats,
         R"({"name": "z", "op": "aten.full.default", "args": [[2, 3, 4], 0], "kwargs": {"dtype": {"dtype": "f32"}}}, {"name": "r", "op": "aten.mul.Tensor", "args": [{"ref": "x"}, {"ref": "z"}]})",
         R"({"name": "z", "op": "aten.full.default", "args": [[3, 4], 0], "kwargs": {"dtype": {"dtype": "f32"}}}, {"name": "r", "op": "aten.mul.Tensor", "args": [{"ref": "x"}, {"ref": "z"}]})",
         R"({"name": "z", "op": "aten.full.default", "args": [[4], 0], "kwargs": {"dtype": {"dtype": "f32"}}}, {"name": "e", "op": "aten.expand.default", "args": [{"ref": "z"}, [2, 3, 4]]}, {"name": "r", "op": "aten.mul.Tensor", "args": [{"ref": "x"}, {"ref": "e"}]})"},
        {"x / 1 rounded", kFloats, R"({"name": "r", "op": "aten.div.Tensor", "args": [{"ref": "x"}, 1]})",
         R"({"name": "r", "op": "aten.div.Tensor_mode", "args": [{"ref": "x"}, 1], "kwargs": {"rounding_mode": "floor"}})",
         R"({"name": "r", "op": "aten.clone.default", "args": [{"ref": "x"}]})"},
        {"full plus a number", kFloats,
         R"({"name": "f", "op": "aten.full.default", "args": [[3, 4], 66], "kwargs": {"dtype": {"dtype": "f32"}}}, {"name": "r", "op": "aten.add.Tensor", "args": [{"ref": "f"}, 2]})",
         R"({"name": "r", "op": "aten.full.default", "args": [[3, 4], 69], "kwargs": {"dtype": {"dtype": "f32"}}})",
         R"({"name": "r", "op": "aten.full.default", "args": [[3, 4], 68], "kwargs": {"dtype": {"dtype": "f32"}}})"},
        {"whole numbers that f32 does not hold", kFloats,
         R"({"name": "f", "op": "aten.full.default", "args": [[3, 4], 16777216], "kwargs": {"dtype": {"dtype": "f32"}}}, {"name": "r", "op": "aten.add.Tensor", "args": [{"ref": "f"}, 1]})",
         R"({"name": "r", "op": "aten.full.default", "args": [[3, 4], 16777218], "kwargs": {"dtype": {"dtype": "f32"}}})",
         R"({"name": "f", "op": "aten.full.default", "args": [[3, 4], 16777216], "kwargs": {"dtype": {"dtype": "f32"}}}, {"name": "r", "op": "aten.add.Scalar", "args": [{"ref": "f"}, 1]})"},
        {"a sum beyond i8 wraps", kFloats,
         R"({"name": "f", "op": "aten.full.default", "args": [[3], 100], "kwargs": {"dtype": {"dtype": "i8"}}}, {"name": "r", "op": "aten.add.Tensor", "args": [{"ref": "f"}, 100]})",
         R"({"name": "r", "op": "aten.full.default", "args": [[3], 127], "kwargs": {"dtype": {"dtype": "i8"}}})",
         R"({"name": "f", "op": "aten.full.default", "args": [[3], 100], "kwargs": {"dtype": {"dtype": "i8"}}}, {"name": "r", "op": "aten.add.Tensor", "args": [{"ref": "f"}, {"ref": "f"}]})"},
        {"0 * -1 is -0", kFloats,
         R"({"name": "f", "op": "aten.full.default", "args": [[3], 0], "kwargs": {"dtype": {"dtype": "f32"}}}, {"name": "r", "op": "aten.mul.Tensor", "args": [{"ref": "f"}, -1]})",
         R"({"name": "r", "op": "aten.full.default", "args": [[3], 0], "kwargs": {"dtype": {"dtype": "f32"}}})",
         R"({"name": "r", "op": "aten.full.default", "args": [[3], 0], "kwargs": {"dtype": {"dtype": "f32"}}}, {"name": "q", "op": "aten.mul_.Tensor", "args": [{"ref": "r"}, -1]})"},
        {"a tensor of one number for the number", kFloats,
         R"({"name": "s", "op": "aten.scalar_tensor.default", "args": [3], "kwargs": {"dtype": {"dtype": "f32"}}}, {"name": "r", "op": "aten.maximum.default", "args": [{"ref": "x"}, {"ref": "s"}]})",
         R"({"name": "s", "op": "aten.full.default", "args": [[3, 1], 2], "kwargs": {"dtype": {"dtype": "f32"}}}, {"name": "r", "op": "aten.maximum.default", "args": [{"ref": "x"}, {"ref": "s"}]})",
         R"({"name": "s", "op": "aten.full.default", "args": [[3, 1], 3], "kwargs": {"dtype": {"dtype": "f32"}}}, {"name": "r", "op": "aten.maximum.default", "args": [{"ref": "x"}, {"ref": "s"}]})"},
        {"another name of the same function", kFloats,
         R"({"name": "r", "op": "aten.multiply.Tensor", "args": [{"ref": "x"}, {"ref": "y"}]})",
         R"({"name": "r", "op": "aten.divide.Tensor", "args": [{"ref": "x"}, {"ref": "y"}]})",
         R"({"name": "r", "op": "aten.mul.Tensor", "args": [{"ref": "x"}, {"ref": "y"}]})"},
        {"comparisons with a number or a tensor of it", kFloats,
         R"({"name": "s", "op": "aten.full.default", "args": [[], 2], "kwargs": {"dtype": {"dtype": "f32"}}}, {"name": "r", "op": "aten.gt.Tensor", "args": [{"ref": "x"}, {"ref": "s"}]})",
         R"({"name": "r", "op": "aten.ge.Scalar", "args": [{"ref": "x"}, 2]})",
         R"({"name": "r", "op": "aten.gt.Scalar", "args": [{"ref": "x"}, 2.0]})"},
        {"flip along which dimension", kFloats,
         R"({"name": "r", "op": "aten.flip.default", "args": [{"ref": "x"}, [0]]})",
         R"({"name": "r", "op": "aten.flip.default", "args": [{"ref": "x"}, [1]]})",
         R"({"name": "f", "op": "prims.rev.default", "args": [{"ref": "x"}, [0, 1]]}, {"name": "r", "op": "aten.flip.default", "args": [{"ref": "f"}, [-1]]})"},
        {"roll as two slices", kVector, R"({"name": "r", "op": "aten.roll.default", "args": [{"ref": "x"}, [2], [0]]})", R"({"name": "a", "op": "aten.slice.Tensor", "args": [{"ref": "x"}, 0, 0, 4]}, {"name": "b", "op": "aten.slice.Tensor", "args": [{"ref": "x"}, 0, 4]}, {"name": "r", "op": "aten.cat.default", "args": [[{"ref": "a"}, {"ref": "b"}]]})",
         R"({"name": "a", "op": "aten.slice.Tensor", "args": [{"ref": "x"}, 0, 0, 4]}, {"name": "b", "op": "aten.slice.Tensor", "args": [{"ref": "x"}, 0, 4]}, {"name": "r", "op": "aten.cat.default", "args": [[{"ref": "b"}, {"ref": "a"}]]})"},
        {"padding as a slice of a fill", kVector,
         R"({"name": "r", "op": "aten.constant_pad_nd.default", "args": [{"ref": "x"}, [1, -2], 7]})",
         R"({"name": "s", "op": "aten.slice.Tensor", "args": [{"ref": "x"}, 0, 1, 5]}, {"name": "f", "op": "aten.full.default", "args": [[5], 7], "kwargs": {"dtype": {"dtype": "f32"}}}, {"name": "r", "op": "aten.slice_scatter.default", "args": [{"ref": "f"}, {"ref": "s"}, 0, 1]})",
         R"({"name": "s", "op": "aten.slice.Tensor", "args": [{"ref": "x"}, 0, 0, 4]}, {"name": "f", "op": "aten.full.default", "args": [[5], 7], "kwargs": {"dtype": {"dtype": "f32"}}}, {"name": "r", "op": "aten.slice_scatter.default", "args": [{"ref": "f"}, {"ref": "s"}, 0, 1]})"},
        {"repeat as a cat", kVector,
         R"({"name": "r", "op": "aten.repeat.default", "args": [{"ref": "x"}, [2]]})",
         R"({"name": "r", "op": "aten.repeat_interleave.self_int", "args": [{"ref": "x"}, 2]})",
         R"({"name": "r", "op": "aten.cat.default", "args": [[{"ref": "x"}, {"ref": "x"}]]})"},
        {"repeat_interleave as a stack", kVector,
         R"({"name": "r", "op": "aten.repeat_interleave.self_int", "args": [{"ref": "x"}, 2]})",
         R"({"name": "s", "op": "aten.stack.default", "args": [[{"ref": "x"}, {"ref": "x"}], 0]}, {"name": "r", "op": "aten.reshape.default", "args": [{"ref": "s"}, [12]]})",
         R"({"name": "s", "op": "aten.stack.default", "args": [[{"ref": "x"}, {"ref": "x"}], 1]}, {"name": "r", "op": "aten.reshape.default", "args": [{"ref": "s"}, [12]]})"},
        {"select_backward as a scatter into zeros", kVector,
         R"({"name": "r", "op": "aten.select_backward.default", "args": [{"ref": "x"}, [2, 6], 0, 1]})",
         R"({"name": "z", "op": "aten.zeros.default", "args": [[2, 6]]}, {"name": "r", "op": "aten.select_scatter.default", "args": [{"ref": "z"}, {"ref": "x"}, 0, 0]})",
         R"({"name": "z", "op": "aten.zeros.default", "args": [[2, 6]]}, {"name": "r", "op": "aten.select_scatter.default", "args": [{"ref": "z"}, {"ref": "x"}, 0, -1]})"},
        {"diag_embed as a write to a diagonal", kVector,
         R"({"name": "r", "op": "aten.diag_embed.default", "args": [{"ref": "x"}, 1]})",
         R"({"name": "z", "op": "aten.zeros.default", "args": [[7, 7]]}, {"name": "r", "op": "aten.diagonal_scatter.default", "args": [{"ref": "z"}, {"ref": "x"}, -1]})",
         R"({"name": "z", "op": "aten.zeros.default", "args": [[7, 7]]}, {"name": "r", "op": "aten.diagonal_scatter.default", "args": [{"ref": "z"}, {"ref": "x"}, 1]})"},
        {"broadcast_tensors shares, expand_copy does not", kVector,
         R"({"name": "r", "op": "aten.expand_copy.default", "args": [{"ref": "x"}, [2, 6]]})",
         R"({"name": "r", "op": "aten.expand.default", "args": [{"ref": "x"}, [2, 6]]})",
         R"({"name": "e", "op": "aten.expand.default", "args": [{"ref": "x"}, [2, 6]]}, {"name": "r", "op": "aten.clone.default", "args": [{"ref": "e"}]})"},
        {"movedim as a permutation", R"({"dtype": "f32", "shape": [2, 3, 4]})",
         R"({"name": "v", "op": "aten.movedim.int", "args": [{"ref": "x"}, 0, 2]}, {"name": "r", "op": "aten.clone.default", "args": [{"ref": "v"}]})",
         R"({"name": "v", "op": "aten.permute.default", "args": [{"ref": "x"}, [2, 0, 1]]}, {"name": "r", "op": "aten.clone.default", "args": [{"ref": "v"}]})",
         R"({"name": "v", "op": "aten.permute.default", "args": [{"ref": "x"}, [1, 2, 0]]}, {"name": "r", "op": "aten.clone.default", "args": [{"ref": "v"}]})"},
        {"tensor_split gives the longer pieces first", R"({"dtype": "f32", "shape": [7]})",
         R"({"names": ["a", "b", "c"], "op": "aten.tensor_split.sections", "args": [{"ref": "x"}, 3]}, {"name": "r", "op": "aten.clone.default", "args": [{"ref": "b"}]})",
         R"({"name": "b", "op": "aten.slice.Tensor", "args": [{"ref": "x"}, 0, 2, 4]}, {"name": "r", "op": "aten.clone.default", "args": [{"ref": "b"}]})",
         R"({"name": "b", "op": "aten.slice.Tensor", "args": [{"ref": "x"}, 0, 3, 5]}, {"name": "r", "op": "aten.clone.default", "args": [{"ref": "b"}]})"},
        {"the real part of a complex number is a view", R"({"dtype": "c64", "shape": [3]})",
         R"({"name": "v", "op": "aten.real.default", "args": [{"ref": "x"}]}, {"name": "r", "op": "aten.clone.default", "args": [{"ref": "v"}]})",
         R"({"name": "v", "op": "aten.imag.default", "args": [{"ref": "x"}]}, {"name": "r", "op": "aten.clone.default", "args": [{"ref": "v"}]})",
         R"({"name": "w", "op": "aten.view_as_real.default", "args": [{"ref": "x"}]}, {"name": "v", "op": "aten.select.int", "args": [{"ref": "w"}, 1, 0]}, {"name": "r", "op": "aten.clone.default", "args": [{"ref": "v"}]})"},
        {"resize_ to fewer elements shows the first ones", kVector, R"({"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}]}, {"name": "v", "op": "aten.slice.Tensor", "args": [{"ref": "c"}, 0, 0, 2]}, {"name": "r", "op": "aten.clone.default", "args": [{"ref": "v"}]})", R"({"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}]}, {"name": "v", "op": "aten.resize_.default", "args": [{"ref": "c"}, [3]]}, {"name": "r", "op": "aten.clone.default", "args": [{"ref": "c"}]})",
         R"({"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}]}, {"name": "v", "op": "aten.resize_.default", "args": [{"ref": "c"}, [2]]}, {"name": "r", "op": "aten.clone.default", "args": [{"ref": "c"}]})"},
        {"a write while a collective is in flight", kVector,
         R"({"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}]}, {"name": "g", "op": "_c10d_functional.all_gather_into_tensor.default", "args": [{"ref": "c"}, 2, "0"], "types": [{"dtype": "f32", "shape": [12]}]}, {"name": "w", "op": "_c10d_functional.wait_tensor.default", "args": [{"ref": "g"}]}, {"name": "r", "op": "aten.clone.default", "args": [{"ref": "w"}]})",
         R"({"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}]}, {"name": "g", "op": "_c10d_functional.all_gather_into_tensor.default", "args": [{"ref": "c"}, 2, "0"], "types": [{"dtype": "f32", "shape": [12]}]}, {"name": "z", "op": "aten.zero_.default", "args": [{"ref": "c"}]}, {"name": "w", "op": "_c10d_functional.wait_tensor.default", "args": [{"ref": "g"}]}, {"name": "r", "op": "aten.clone.default", "args": [{"ref": "w"}]})",
         R"({"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}]}, {"name": "g", "op": "_c10d_functional.all_gather_into_tensor.default", "args": [{"ref": "c"}, 2, "0"], "types": [{"dtype": "f32", "shape": [12]}]}, {"name": "w", "op": "_c10d_functional.wait_tensor.default", "args": [{"ref": "g"}]}, {"name": "z", "op": "aten.zero_.default", "args": [{"ref": "c"}]}, {"name": "r", "op": "aten.clone.default", "args": [{"ref": "w"}]})"},
};

}  // namespace

TEST_CASE("exchanges: the right one is proved, its nearest wrong form is not") {
  for (const Exchange& exchange : kExchanges) {
    INFO(exchange.why);
    CHECK(checked(exchange, exchange.right).status == Status::proved);
    CHECK(checked(exchange, exchange.wrong).status != Status::proved);
  }
}

TEST_CASE("an exchange that forgets the sign of a zero names that, and needs leave") {
  const std::string sum = step("r", "aten.add.Tensor", R"([{"ref": "x"}, 0])");
  const std::string copy = step("r", "aten.clone.default", R"([{"ref": "x"}])");
  const Exchange floats{"", kFloats, sum.c_str(), "", ""}, ints{"", kInts, sum.c_str(), "", ""};
  const CheckRecord found = checked(floats, copy);
  CHECK(found.status == Status::proved);
  REQUIRE(found.assumptions.size() == 1);
  CHECK(found.assumptions[0].find("-0") != std::string::npos);
  CHECK(checked(floats, copy, true).status == Status::unknown);
  CHECK(checked(floats, sum).assumptions.empty());
  CHECK(checked(ints, copy).assumptions.empty());
  CHECK(checked(ints, copy, true).status == Status::proved);
}

TEST_CASE("what may not be written may not be written with what it holds") {
  const std::string copy = step("r", "aten.clone.default", R"([{"ref": "x"}])");
  const Exchange exchange{"", kInts, copy.c_str(), "", ""};
  const std::string written = step("w", "aten.add_.Tensor", R"([{"ref": "x"}, 0])") + ", " + copy;
  CHECK(checked(exchange, written).status != Status::proved);
}

TEST_CASE("judge 60000005: an assertion of what the type says may come, go and move", "[effects]") {
  const auto asserts = [](const char* of, const char* dtype) {
    return std::string("is_") + of + " = torch.ops.aten._assert_tensor_metadata.default(" + std::string(of) +
           ", None, None, torch." + dtype + ", device = device(type='cpu'), layout = torch.strided)\n";
  };
  const std::string sine = "s = torch.ops.aten.sin.default(x)\n", end = "return (s,)";
  const std::string x = asserts("x", "float32"), y = asserts("y", "int64"), wrong = asserts("x", "float64"),
                    too = asserts("y", "int32");
  const auto status = [&](const std::string& before, const std::string& after) {
    bool contradiction = false;
    const Case pair = testing::fx_pair(R"(x: "f32[4]cpu", y: "i64[4]cpu")", before, after);
    const Status out = check_case(pair, {}, contradiction).status;
    CHECK_FALSE(contradiction);
    return out;
  };
  CHECK(status(x + y + sine + end, sine + y + x + end) == Status::proved);
  CHECK(status(x + y + sine + end, sine + end) == Status::proved);
  CHECK(status(sine + end, x + sine + y + end) == Status::proved);
  // What does not hold is an effect.
  CHECK(status(sine + end, wrong + sine + end) != Status::proved);
  CHECK(status(wrong + sine + end, sine + end) != Status::proved);
  CHECK(status(wrong + too + sine + end, too + wrong + sine + end) != Status::proved);
}

}  // namespace exchange_test
