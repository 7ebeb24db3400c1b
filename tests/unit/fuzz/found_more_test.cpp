// What the fuzzer found, further: operators that nobody ran before, and what the interpreter did not know of
// them. The earlier ones are in found_test.cpp.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "src/fuzz/brute.h"
#include "src/fuzz/probe.h"
#include "src/interp/interp.h"
#include "src/ops/row.h"
#include "src/prover/prover.h"
#include "tests/unit/fuzz/found.h"

namespace found_more_test {

using namespace noclobber;
using namespace noclobber::found;

TEST_CASE("every call that nobody runs is one of the vocabulary, and stays unproved", "[found]") {
  REQUIRE(fuzz::foreign_calls() > 40);
  for (std::size_t k = 0; k < fuzz::foreign_calls(); ++k) {
    Case value;
    value.before.emplace();
    REQUIRE(fuzz::append_foreign(value, k, false));
    INFO(*value.after.steps.back().op);
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

TEST_CASE("seed 90011077: a primitive of floating numbers gives floating numbers of that type", "[found]") {
  const auto pair = [](const std::string& dtype) {
    const std::string inputs =
        R"("inputs":[{"name":"x","type":{"dtype":"f32","shape":[2,3]}}],"outputs":[{"ref":"c"}],"steps":[)";
    const auto graph = [&](const std::string& said) {
      return "{" + inputs +
             R"({"name":"v","op":"prims.rsqrt.default","args":[{"ref":"x"}],"types":[{"dtype":")" + said +
             R"(","shape":[2,3]}]},{"name":"c","op":"aten.clone.default","args":[{"ref":"x"}]}]})";
    };
    return read("\"before\":" + graph("f32") + ",\"after\":" + graph(dtype));
  };
  CHECK(status_of(pair("f32")) == Status::proved);
  CHECK(status_of(pair("f64")) != Status::proved);
}

TEST_CASE("seed 301102331: arange counts as many as its bounds hold", "[found]") {
  const auto pair = [](const std::string& extent) {
    const auto graph = [](const std::string& size) {
      return R"({"inputs":[{"name":"x","type":{"dtype":"f32","shape":[2]}}],"steps":[{"name":"r","op":"aten.arange.start_step","args":[1,6,2],"types":[{"dtype":"i64","shape":[)" +
             size +
             R"(]}]},{"name":"c","op":"aten.clone.default","args":[{"ref":"x"}]}],"outputs":[{"ref":"c"}]})";
    };
    return read("\"before\":" + graph("3") + ",\"after\":" + graph(extent));
  };
  CHECK(status_of(pair("3")) == Status::proved);
  CHECK(status_of(pair("4")) != Status::proved);
}

TEST_CASE("seed 300501343: the values that show relations of symbols are found upwards", "[found]") {
  const auto sized = [](const std::string& more) {
    const std::string graph =
        R"({"inputs":[{"name":"x","type":{"dtype":"f32","shape":["s0","s1"]}}],"steps":[],"outputs":[{"ref":"x"}]})";
    return read(R"("symbols":{"s0":{"min":6,"max":6},"s1":{"min":2,"max":)" + more +
                R"(}},"assume":["s0 <= s1"],"before":)" + graph + ",\"after\":" + graph);
  };
  CHECK(sample(sized("10")) == std::map<std::string, std::int64_t>{{"s0", 6}, {"s1", 6}});
  CHECK(sample(sized("5")).empty());
  CHECK(status_of(sized("10")) == Status::proved);
  CHECK(status_of(sized("5")) == Status::error);
}

TEST_CASE("seed 302062821: only the collective of its namespace has an effect", "[found]") {
  const auto without = [](const std::string& op, const std::string& args) {
    const std::string around =
        R"({"inputs":[{"name":"x","type":{"dtype":"f32","shape":[2]}}],"outputs":[],"steps":[)";
    const std::string step = R"({"names":[],"op":")" + op + R"(","args":[)" + args + "]}";
    return read("\"before\":" + around + step + "]},\"after\":" + around + "]}");
  };
  const Case group = without("_dtensor.mesh_get_process_group.default", "1,2");
  CHECK(status_of(group) == Status::proved);
  CHECK(fuzz::brute_force(group).difference.empty());
  const Case moved = without("_dtensor.shard_dim_alltoall.default", R"({"ref":"x"},0,1,"g")");
  CHECK(status_of(moved) != Status::proved);
  CHECK(fuzz::brute_force(moved).difference == "effects");
}

TEST_CASE("seed 900063371: what padding makes of a size is known, also where nobody uses it", "[found]") {
  const auto padded = [](const std::string& type) {
    return R"("steps":[{"name":"v","op":"aten.replication_pad3d.default","args":[{"ref":"x"},[1,0,2,0,0,1]],)"
           R"("types":[)" +
           type + R"(]}],"outputs":[])";
  };
  const std::string x = R"({"name":"x","type":{"dtype":"f32","shape":[1,1,2,3]}})",
                    right = padded(R"({"dtype":"f32","shape":[1,2,4,4]})");
  CHECK(status_of(pair_of(x, right, right)) == Status::proved);
  const std::string wider = padded(R"({"dtype":"f32","shape":[1,2,4,5]})"),
                    of_f64 = padded(R"({"dtype":"f64","shape":[1,2,4,4]})");
  CHECK(status_of(pair_of(x, right, wider)) == Status::unknown);
  CHECK(status_of(pair_of(x, right, of_f64)) == Status::refuted);  // a run shows f32
}

TEST_CASE("seed 5100111488: ravel copies what is not contiguous, although a view would do", "[found]") {
  const std::string x = R"({"name":"x","type":{"dtype":"f32","shape":[]}})";
  const auto raveled = [&](const std::string& size) {
    const std::string expand =
        R"({"name":"e","op":"aten.expand.default","args":[{"ref":"x"},[)" + size + "]]}";
    const std::string ravel = R"(,{"name":"r","op":"aten.ravel.default","args":[{"ref":"e"}]})";
    const Case value = pair_of(x, R"("steps":[)" + expand + ravel + R"(],"outputs":[{"ref":"r"}])",
                               R"("steps":[)" + expand + R"(],"outputs":[{"ref":"e"}])");
    CHECK((fuzz::brute_force(value).difference == "") == (status_of(value) == Status::proved));
    return status_of(value);
  };
  CHECK(raveled("1") == Status::proved);
  CHECK(raveled("2") == Status::refuted);
}

TEST_CASE("seed 8200024856: what no rule types is another value where it is stored in another type",
          "[found]") {
  const std::string inputs =
      R"({"name":"x","type":{"dtype":"f32","shape":[1,4]}},{"name":"y","type":{"dtype":"f32","shape":[1,4]}})";
  const std::string view =
      R"({"name":"v","op":"aten.view.dtype","args":[{"ref":"x"},{"dtype":"i32"}],"types":[{"dtype":"i32","shape":[1,4]}]},)";
  const auto stored = [](const char* out, const char* dtype) {
    return std::string(
               R"({"name":"w","op":"aten._values_copy.out","args":[{"ref":"y"}],"kwargs":{"out":{"ref":")") +
           out + R"("}},"types":[{"dtype":")" + dtype + R"(","shape":[1,4]}]})";
  };
  const auto steps = [](const std::string& text) { return "\"steps\":[" + text + "],\"outputs\":[]"; };
  const std::string plain = steps(stored("x", "f32"));
  const std::string copied = steps(
      R"({"name":"w","op":"aten._values_copy.default","args":[{"ref":"y"}],"types":[{"dtype":"f32","shape":[1,4]}]},)"
      R"({"name":"c","op":"aten.copy_.default","args":[{"ref":"x"},{"ref":"w"}]})");
  CHECK(status_of(pair_of(inputs, steps(view + stored("v", "i32")), plain)) != Status::proved);
  CHECK(status_of(pair_of(inputs, steps(view + stored("v", "i32")), steps(view + stored("v", "i32")))) ==
        Status::proved);
  CHECK(status_of(pair_of(inputs, copied, plain)) == Status::proved);
}

TEST_CASE("seed 8300009648: a name that is waited for, turned or shown means what it meant", "[found]") {
  const auto status = [](const std::string& names, const std::string& step) {
    return status_of(
        read(R"("names":")" + names + R"~(","ops":[{"schema":"zoo::odd(Tensor(a) x) -> Tensor(a)"}],)~" +
             R"("sharing":"any","after":{"inputs":[{"name":"x","type":{"dtype":"f32","shape":[4]}}],
        "steps":[{"name":"y","op":"aten.relu.default","args":[{"ref":"x"}]},
          {"name":"w","op":"aten.mul_.Tensor","args":[{"ref":"y"},{"ref":"x"}]},)" +
             step + R"(],"outputs":[{"ref":"v"}]})"));
  };
  const std::string wait = R"({"name":"v","op":"_c10d_functional.wait_tensor.default","args":[{"ref":"y"}]})",
                    turn = R"({"name":"v","op":"aten.unsqueeze_.default","args":[{"ref":"y"},0]})",
                    show = R"({"name":"v","op":"zoo.odd.default","args":[{"ref":"y"}],
                      "types":[{"dtype":"f32","shape":[4]}]})";
  for (const std::string& step : {wait, turn, show}) {
    CAPTURE(step);
    CHECK(status("values", step) == Status::refuted);
    CHECK(status("storages", step) == Status::proved);
  }
}

TEST_CASE("seed 8400523853: a tensor without dimensions raises the category of a type", "[found]") {
  const auto product = [](const char* scalar, const char* given, const char* said) {
    const std::string inputs = std::string(R"({"name":"s","type":{"dtype":")") + scalar +
                               R"(","shape":[]}},{"name":"t","type":{"dtype":")" + given +
                               R"(","shape":[4]}})";
    const std::string steps = "\"steps\":[" + made("v", "mul.Tensor", R"([{"ref":"s"},{"ref":"t"}])", said) +
                              R"(],"outputs":[{"ref":"v"}])";
    return status_of(pair_of(inputs, steps, steps));
  };
  CHECK(product("f32", "i32", "f32") == Status::proved);
  CHECK(product("f32", "i32", "i32") != Status::proved);
  CHECK(product("f64", "f16", "f16") == Status::proved);
  CHECK(product("f64", "f16", "f64") != Status::proved);
  CHECK(product("i64", "bool", "i64") == Status::proved);
  CHECK(product("i64", "i8", "i8") == Status::proved);
  CHECK(product("bool", "i8", "bool") != Status::proved);
}

TEST_CASE("seed 8400353847: prims.copy_to reads nothing of what it writes", "[found]") {
  const auto stale = [](const std::string& step) {
    return fuzz::stale_name(
        read(R"("names":"values","after":{"inputs":[{"name":"x","type":{"dtype":"f32","shape":[4]},
      "mutable":true}],"steps":[)" +
             made("v", "log_.default", R"([{"ref":"x"}])") + "," + step + R"(],"outputs":[{"ref":"w"}]})"));
  };
  CHECK(stale(R"({"name":"w","op":"prims.copy_to.default","args":[{"ref":"x"},{"ref":"v"}],
    "types":[{"dtype":"f32","shape":[4],"stride":[1]}]})") == "");
  CHECK(stale(made("w", "relu.default", R"([{"ref":"x"}])")) == "x is no longer what it was");
}

TEST_CASE("seed 8400463165: the first power is a copy, whatever the sign of a NaN", "[found]") {
  const std::string nan = made("r", "log.default", R"([{"ref":"x"}])") + "," +
                          made("n", "neg.default", R"([{"ref":"r"}])"),
                    end = R"(],"outputs":[{"ref":"o"}])";
  const std::string x =
      R"({"name":"x","type":{"dtype":"f32","shape":[4]},"kind":"constant","value":[-1,-2,1,0]})";
  const auto difference = [&](const char* exponent) {
    return fuzz::brute_force(
               pair_of(x, "\"steps\":[" + nan + "," + made("o", "clone.default", R"([{"ref":"n"}])") + end,
                       "\"steps\":[" + nan + "," +
                           made("o", "pow.Tensor_Scalar", R"([{"ref":"n"},)" + std::string(exponent) + "]") +
                           end))
        .difference;
  };
  CHECK(difference("1") == "");
  CHECK(difference("2") != "");
}

TEST_CASE("seed 8500012098: a pointwise result that nobody describes lies as its kernel lays it", "[found]") {
  const auto status = [](const char* stride, const char* op) {
    const std::string x = std::string(R"({"name":"x","type":{"dtype":"f32","shape":[4,3],"stride":)") +
                          stride + R"(},"mutable":true})";
    const auto steps = [](const std::string& name) {
      return R"("steps":[{"name":"n","op":"aten.)" + name +
             R"(","args":[{"ref":"x"}]}],"outputs":[{"ref":"n"}])";
    };
    Case value = pair_of(x, steps("neg.default"), steps(op));
    value.compare_strides = value.sharing_may_grow = true;
    for (Input& input : value.after.inputs) input.exit = Input::Exit::any;
    return status_of(value);
  };
  CHECK(status("[1,4]", "neg_.default") == Status::proved);
  CHECK(status("[1,10]", "neg_.default") == Status::refuted);  // keeps the gaps
  CHECK(status("[1,10]", "neg.default") == Status::proved);
}

TEST_CASE("seed 20002033934: a product of a slice of any size closes its gaps, in place it keeps them",
          "[found]") {
  const auto status = [](const char* end, const std::string& op) {
    const std::string x = R"({"name":"x","type":{"dtype":"f32","shape":["s0","s1","s2"]},"mutable":true})";
    const auto steps = [&](const std::string& name) {
      return R"("steps":[{"name":"c","op":"aten.cumsum.default","args":[{"ref":"x"},1]},)"
             R"({"name":"v","op":"aten.slice.Tensor","args":[{"ref":"c"},1,0,)" +
             std::string(end) + R"(,1]},{"name":"n","op":"aten.)" + name +
             R"(","args":[{"ref":"v"},{"ref":"v"}]}],"outputs":[{"ref":"n"}])";
    };
    Case value = read("\"symbols\":{\"s0\":{},\"s1\":{},\"s2\":{}},\"before\":{\"inputs\":[" + x + "]," +
                      steps("mul.Tensor") + "},\"after\":{\"inputs\":[" + x + "]," + steps(op) + "}");
    value.compare_strides = true;
    for (auto& [name, range] : value.symbols) range.min = 3, range.max = 14;
    return status_of(value);
  };
  CHECK(status("2", "mul_.Tensor") == Status::refuted);
  CHECK(status("2", "mul.Tensor") == Status::proved);
  CHECK(status("null", "mul_.Tensor") == Status::proved);  // all of it: no gaps to keep
}

TEST_CASE("seed 8800042553: strides that are said for another rank are those of nothing", "[found]") {
  const std::string x = R"({"name":"x","type":{"dtype":"f32","shape":[2,2],"stride":null}})";
  const auto status = [&](const char* type) {
    const std::string steps =
        R"("steps":[{"name":"s","op":"aten.select.int","args":[{"ref":"x"},1,1],"types":[)" +
        std::string(type) +
        R"(]},{"name":"r","op":"aten.reshape.default","args":[{"ref":"s"},[2,1]]}],)"
        R"("outputs":[{"ref":"r"}])";
    return status_of(pair_of(x, steps, steps));
  };
  CHECK(status(R"({"dtype":"f32","shape":[2],"stride":[4]})") == Status::proved);
  CHECK(status(R"({"dtype":"f32","shape":[2,2,2],"stride":[4,2,1]})") != Status::proved);
  CHECK(status(R"({"dtype":"f32","shape":[],"stride":[]})") != Status::proved);
}

TEST_CASE("seed 8900100080: what PyTorch refuses to store is not proved, used or not", "[found]") {
  const auto status = [](const std::string& op, const char* dtype) {
    const std::string y = std::string(R"(,{"name":"y","type":{"dtype":")") + dtype + R"(","shape":[4]}})",
                      i = R"(,{"name":"i","kind":"constant","value":[2],"type":{"dtype":"i64","shape":[1]}})";
    const std::string rest = R"(],"outputs":[{"ref":"x"}])";
    return status_of(pair_of(kX + y + i, "\"steps\":[" + rest,
                             R"("steps":[{"name":"c","op":"aten.clone.default","args":[{"ref":"x"}]},
      {"name":"p","op":"aten.)" + op +
                                 R"(","args":[{"ref":"c"},[{"ref":"i"}],{"ref":"y"}]})" + rest));
  };
  for (const char* op : {"index_put.default", "index_put_.default"}) {
    INFO(op);
    CHECK(status(op, "f32") == Status::refuted);  // four values for one place
    CHECK(status(op, "i32") == Status::refuted);
  }
  const auto one = [](const char* op, const char* dtype) {
    const std::string y = std::string(R"(,{"name":"y","type":{"dtype":")") + dtype + R"(","shape":[1]}})",
                      i = R"(,{"name":"i","kind":"constant","value":[2],"type":{"dtype":"i64","shape":[1]}})";
    const std::string rest = R"(],"outputs":[{"ref":"x"}])";
    return status_of(
        pair_of(kX + y + i, "\"steps\":[" + rest,
                std::string(R"("steps":[{"name":"c","op":"aten.clone.default","args":[{"ref":"x"}]},
      {"name":"p","op":"aten.)") +
                    op + R"(","args":[{"ref":"c"},[{"ref":"i"}],{"ref":"y"}]})" + rest));
  };
  CHECK(one("index_put.default", "f32") == Status::unknown);  // that its index is in range is not asked
  CHECK(one("index_put_.default", "f32") == Status::unknown);
  CHECK(one("index_put_.default", "f16") == Status::refuted);
}

TEST_CASE("seeds 11000186001, 11100421863: what a step refuses is not proved, though nobody uses it",
          "[found]") {
  const std::string x = R"({"name":"x","type":{"dtype":"f32","shape":[1,1]},"mutable":true,"exit":"any"})",
                    i = R"(,{"name":"i","type":{"dtype":"u8","shape":[]}})";
  const auto added = [&](const std::string& step) {
    return status_of(pair_of(x + i, R"("steps":[],"outputs":[])",
                             R"("steps":[{"name":"d",)" + step + R"(}],"outputs":[])"));
  };
  const auto softmax = [&](const char* dtype) {
    return added(
        R"("op":"aten._softmax_backward_data.default","args":[{"ref":"x"},{"ref":"x"},1,{"dtype":")" +
        std::string(dtype) + R"("}])");
  };
  CHECK(softmax("f32") == Status::proved);
  CHECK(softmax("i32") != Status::proved);
  const auto quotient = [&](const char* by) {
    return added(R"("op":"aten.addcdiv.out","args":[{"ref":"x"},{"ref":"i"},{"ref":")" + std::string(by) +
                 R"("}],"kwargs":{"out":{"ref":"x"}})");
  };
  CHECK(quotient("x") == Status::proved);
  CHECK(quotient("i") != Status::proved);
}

TEST_CASE("seed 15001027138: what is stored must fit the places for every size", "[found]") {
  const auto status = [](const char* values) {
    const std::string inputs =
        std::string(R"({"name":"v","type":{"dtype":"f32","shape":)") + values +
        R"(}},{"name":"x","type":{"dtype":"f32","shape":["s1","s1"]},"exit":"as_before"})";
    const std::string end = R"(],"outputs":[])";
    return status_of(
        read(R"("symbols":{"s0":{"min":2,"max":2},"s1":{"min":2,"max":10}},"before":{"inputs":[)" + inputs +
             R"(],"steps":[)" + end + R"(},"after":{"inputs":[)" + inputs + R"(],"steps":[
        {"name":"i","op":"aten.full.default","args":[[{"sym":"s0"}],1],"kwargs":{"dtype":{"dtype":"i64"}}},
        {"name":"p","op":"aten.index_put.default","args":[{"ref":"x"},[{"ref":"i"}],{"ref":"v"},true]})" +
             end + "}"));
  };
  CHECK(status(R"(["s0"])") == Status::refuted);
  CHECK(status(R"(["s1"])") == Status::unknown);  // fits; that the index is in range is not asked
  CHECK(status(R"(["s0","s1"])") == Status::unknown);
}

TEST_CASE("seed 20000399664: a view of a storage that turns out to be read at two widths, and out= beside it",
          "[found]") {
  const auto status = [](const std::string& size, const std::string& call) {
    const std::string steps =
        R"("steps":[{"name":"v","op":"aten.view.dtype","args":[{"ref":"x"},{"dtype":"i16"}]},
        {"name":"s","op":"aten.as_strided.default","args":[{"ref":"v"},[)" +
        size +
        R"(]},{"name":"n","op":"aten.neg.default","args":[{"ref":"s"}]},
        {"names":[],"op":"aten.)" +
        call + R"("out":{"ref":"x"}}}],"outputs":[{"ref":"n"}])";
    return status_of(pair_of(
        R"({"name":"x","type":{"dtype":"f32","shape":[4]},"storage":"S","storage_numel":8})", steps, steps));
  };
  const std::string sums = R"(cumsum.out","args":[{"ref":"s"},0],"kwargs":{"dtype":{"dtype":"f32"},)";
  CHECK(status("3],[2],2", R"(q_per_channel_zero_points.out","args":[{"ref":"s"}],"kwargs":{)") ==
        Status::unknown);
  CHECK(status("4],[2],2", sums) == Status::unknown);  // an operand meets out
  CHECK(status("4],[2],8", sums) == Status::proved);
}

}  // namespace found_more_test
