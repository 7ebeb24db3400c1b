// What directed attacks found: in each test the first pair was proved, refuted or ended the program, wrongly.
#include "src/ops/meaning.h"
#include "tests/unit/fuzz/found.h"

namespace found_attacks_test {

using namespace noclobber;
using namespace noclobber::found;

namespace {

constexpr const char* kScale = R"~("ops":[{"schema":"zoo::scale_(Tensor(a!) x, Tensor y) -> ()"}],)~";
constexpr const char* kTell = R"~("ops":[{"schema":"zoo::p(Tensor x) -> Tensor","pure":false},
  {"schema":"zoo::q(Tensor x) -> Tensor","pure":false}],)~";

/// Steps and an output of a graph that is given x, y and a token.
std::string graph(const std::string& steps, const std::string& output) {
  return R"({"inputs":[{"name":"x","type":{"dtype":"f32","shape":[4]},"mutable":true},
    {"name":"y","type":{"dtype":"f32","shape":[4]}},{"name":"t","type":{"dtype":"f32","shape":[0]}}],"steps":[)" +
         steps + R"(],"outputs":[{"ref":")" + output + "\"}]}";
}

std::string call(const std::string& name, const std::string& op, const std::string& args,
                 const std::string& type, const std::string& more = "") {
  return R"({"name":")" + name + R"(","op":")" + op + R"(","args":)" + args + more + R"(,"types":[)" + type +
         "]}";
}

constexpr const char* kFour = R"({"dtype":"f32","shape":[4]})";

/// A body of four numbers i.
std::string body(const std::string& steps, const std::string& output) {
  return R"({"inputs":[{"name":"i","type":{"dtype":"f32","shape":[4]}}],"steps":[)" + steps +
         R"(],"outputs":[)" + output + "]}";
}

/// y is what one of two bodies makes of x; then more.
std::string cond(const std::string& yes, const std::string& no, const std::string& type,
                 const std::string& more, const std::string& output) {
  return R"({"inputs":[{"name":"p","type":{"dtype":"bool","shape":[]}},
      {"name":"x","type":{"dtype":"f32","shape":[4]}}],"steps":[)" +
         call("y", "higher_order.cond",
              R"([{"ref":"p"},{"graph":")" + yes + R"("},{"graph":")" + no + R"("},[{"ref":"x"}]])", type) +
         more + R"(],"outputs":[{"ref":")" + output + "\"}]}";
}

}  // namespace

TEST_CASE("attack: what a functional wrapper has written may be read", "[found]") {
  const std::string made = R"({"names":["n","o"],"op":"higher_order.auto_functionalized",
    "args":["zoo.scale_.default"],"kwargs":{"x":{"ref":"x"},"y":{"ref":"y"}},"types":[null,)" +
                           std::string(kFour) + "]}";
  const std::string stored = call("z", "aten.copy_.default", R"([{"ref":"x"},{"ref":"o"}])", kFour);
  const std::string stale = call("q", "aten.relu.default", R"([{"ref":"x"}])", kFour);
  const auto status = [](const std::string& steps, const std::string& output) {
    return status_of(read(std::string(kScale) + R"("names":"values","after":)" + graph(steps, output)));
  };
  CHECK(status(made, "o") == Status::proved);
  CHECK(status(made + "," + stored + "," + stale, "q") == Status::refuted);
}

TEST_CASE("attack: operators in the sequence of effects run, and their order counts", "[found]") {
  const auto told = [](const char* names, const char* token, const char* op) {
    return std::string(R"({"names":)") + names + R"(,"op":"higher_order.with_effects","args":[{"ref":")" +
           token + R"("},")" + op + R"(",{"ref":"x"}],"types":[{"dtype":"f32","shape":[0]},)" + kFour + "]}";
  };
  const std::string one = told(R"(["s","a"])", "t", "zoo.p.default") + "," +
                          told(R"(["u","b"])", "s", "zoo.q.default"),
                    other = told(R"(["s","b"])", "t", "zoo.q.default") + "," +
                            told(R"(["u","a"])", "s", "zoo.p.default");
  const auto status = [&](const std::string& before, const std::string& after) {
    return status_of(
        read(kTell + std::string(R"("before":)") + graph(before, "a") + R"(,"after":)" + graph(after, "a")));
  };
  CHECK(status(one, one) == Status::proved);
  CHECK(status(one, other) == Status::refuted);
}

TEST_CASE("attack: a size that contents decide is that of the same contents", "[found]") {
  const std::string rows = R"({"dtype":"i64","shape":["u0",1]})", many = R"({"dtype":"f32","shape":["u0"]})";
  const auto found = [&](const char* of) {
    return call("n", "aten.nonzero.default", std::string(R"([{"ref":")") + of + R"("}])", rows) + ",";
  };
  const std::string full = call("f", "aten.full.default", R"([[{"sym":"u0"}],1.0])", many);
  const std::string zeroed = call("z", "aten.zero_.default", R"([{"ref":"x"}])", kFour) + ",";
  const auto status = [&](const std::string& before, const std::string& after) {
    return status_of(
        read(R"("symbols":{"u0":{"min":0,"max":4,"unbacked":true}},"names":"storages","before":)" +
             graph(before, "f") + R"(,"after":)" + graph(after, "f")));
  };
  CHECK(status(found("x") + full, found("x") + full) == Status::proved);
  CHECK(status(found("x") + full, found("y") + full) != Status::proved);
  CHECK(status(found("x") + zeroed + full, found("x") + zeroed + full) == Status::proved);
  CHECK(status(found("x") + zeroed + full, zeroed + found("x") + full) != Status::proved);
  CHECK(status(found("x") + full, full) != Status::proved);
  // Said in other words by the same step, and brought in by a loop.
  const auto many_of = [&](const char* size) {
    return call("n", "aten.masked_select.default", R"([{"ref":"x"},{"ref":"x"}])",
                std::string(R"({"dtype":"f32","shape":[")") + size + "\"]}") +
           ",";
  };
  CHECK(status(many_of("u0") + full, many_of("u0") + full) == Status::proved);
  CHECK(status(many_of("2*u0") + full, many_of("u0") + full) != Status::proved);
}

TEST_CASE("attack: a size that a branch brings in is that of the same branch", "[found]") {
  const auto branch = [](const char* op) {
    return body(
        call("a", op, R"([{"ref":"i"}])", kFour) + "," +
            call("n", "aten.nonzero.default", R"([{"ref":"a"}])", R"({"dtype":"i64","shape":["u1",1]})"),
        R"({"ref":"n"})");
  };
  const std::string full =
      "," + call("f", "aten.full.default", R"([[{"sym":"u0"}],1.0])", R"({"dtype":"f32","shape":["u0"]})");
  const auto goes = [&](const char* yes) {
    return cond(yes, "abs", R"({"dtype":"i64","shape":["u0",1]})", full, "f");
  };
  const auto status = [&](const char* after) {
    return status_of(
        read(R"("symbols":{"u0":{"min":0,"max":4,"unbacked":true},"u1":{"min":0,"max":4,"unbacked":true}},)"
             R"("order":"dataflow","graphs":{"abs":)" +
             branch("aten.abs.default") + R"(,"relu":)" + branch("aten.relu.default") + R"(},"before":)" +
             goes("abs") + R"(,"after":)" + goes(after)));
  };
  CHECK(status("abs") == Status::proved);
  CHECK(status("relu") != Status::proved);
}

TEST_CASE("attack: another layout is another tensor", "[found]") {
  const auto zeros = [](const char* layout) {
    return call("z", "aten.zeros.default", "[[4]]", kFour,
                std::string(R"(,"kwargs":{"layout":")") + layout + "\"}");
  };
  const auto status = [&](const std::string& before, const std::string& after) {
    return status_of(read(R"("before":)" + graph(before, "z") + R"(,"after":)" + graph(after, "z")));
  };
  CHECK(status(zeros("strided"), zeros("torch.strided")) == Status::proved);
  CHECK(status(zeros("strided"), zeros("sparse_coo")) != Status::proved);
}

TEST_CASE("attack: a branch is not the same where a result inside has another type", "[found]") {
  const auto branch = [](const char* dtype) {
    return body(call("q", "zoo.f.default", R"([{"ref":"i"}])",
                     std::string(R"({"dtype":")") + dtype + R"(","shape":[4]})") +
                    "," +
                    call("r", "aten._to_copy.default", R"([{"ref":"q"}])", kFour,
                         R"(,"kwargs":{"dtype":{"dtype":"f32"}})"),
                R"({"ref":"r"})");
  };
  const auto goes = [](const char* yes) { return cond(yes, "wide", kFour, "", "y"); };
  const auto status = [&](const char* after) {
    return status_of(
        read(R"~("ops":[{"schema":"zoo::f(Tensor x) -> Tensor"}],"order":"dataflow","graphs":{"wide":)~" +
             branch("f64") + R"(,"narrow":)" + branch("f16") + R"(},"before":)" + goes("wide") +
             R"(,"after":)" + goes(after)));
  };
  CHECK(status("wide") == Status::proved);
  CHECK(status("narrow") != Status::proved);
}

TEST_CASE("attack: random numbers are drawn in a row, whatever shape they get", "[found]") {
  const auto four = [](const char* op, const char* args) {
    return call("r", op, args, R"({"dtype":"f32","shape":[2,2]})");
  };
  const auto row = [](const char* op, const char* args) {
    return call("f", op, args, kFour) + "," +
           call("r", "aten.view.default", R"([{"ref":"f"},[2,2]])", R"({"dtype":"f32","shape":[2,2]})");
  };
  const auto status = [](const std::string& before, const std::string& after) {
    return status_of(
        read(R"("sharing":"any","before":)" + graph(before, "r") + R"(,"after":)" + graph(after, "r")));
  };
  CHECK(status(four("aten.rand.default", "[[2,2]]"), row("aten.rand.default", "[[4]]")) != Status::refuted);
  // The second draw is another one.
  const auto second = [&](const char* shown) {
    return call("f", "aten.rand.default", "[[4]]", kFour) + "," +
           call("g", "aten.rand.default", "[[4]]", kFour) + "," +
           call("r", "aten.view.default", std::string(R"([{"ref":")") + shown + R"("},[2,2]])",
                R"({"dtype":"f32","shape":[2,2]})");
  };
  CHECK(status(second("f"), second("f")) == Status::proved);
  CHECK(status(second("f"), second("g")) == Status::refuted);
}

TEST_CASE("attack: the number that a branch returns is not one symbol for all branches", "[found]") {
  const auto goes = [](const std::string& yes, const std::string& no) {
    return R"({"inputs":[{"name":"p","type":{"dtype":"bool","shape":[]}},
      {"name":"x","type":{"dtype":"f32","shape":[4]}}],"steps":[{"names":[null],"op":"higher_order.cond","args":[{"ref":"p"},)"
           R"({"graph":")" +
           yes + R"("},{"graph":")" + no + R"("},[{"ref":"x"}]]},)" +
           call("f", "aten.full.default", R"([[{"sym":"u0"}],1.0])", R"({"dtype":"f32","shape":["u0"]})") +
           R"(],"outputs":[{"ref":"f"}]})";
  };
  const auto status = [&](const char* yes, const char* no) {
    return status_of(read(R"("symbols":{"u0":{"min":1,"max":3,"unbacked":true}},"graphs":{"one":)" +
                          body("", "1") + R"(,"three":)" + body("", "3") + R"(},"before":)" +
                          goes("one", "three") + R"(,"after":)" + goes(yes, no)));
  };
  CHECK(status("three", "one") != Status::proved);
}

TEST_CASE("attack: a body is compared for the sizes and strides that its operands have", "[found]") {
  const std::string row = R"({"dtype":"f32","shape":[2,3]})",
                    rows = R"({"dtype":"f32","shape":[5,2,3],"stride":[6,1,2]})";
  const std::string negated =
      R"({"inputs":[{"name":"r","type":)" + row + R"(}],"steps":[)" +
      call("d", "aten.as_strided.default", R"([{"ref":"r"},[6],[1]])", R"({"dtype":"f32","shape":[6]})") +
      "," + call("e", "aten.neg.default", R"([{"ref":"d"}])", R"({"dtype":"f32","shape":[6]})") +
      R"(],"outputs":[{"ref":"e"}]})";
  const auto mapped = [&](const std::string& first, const char* over) {
    return R"({"inputs":[{"name":"q","type":)" + rows + R"(}],"steps":[)" + first +
           call("m", "higher_order.map_impl",
                std::string(R"([{"graph":"b"},[{"ref":")") + over + R"("}],[]])",
                R"({"dtype":"f32","shape":[5,6]})") +
           R"(],"outputs":[{"ref":"m"}]})";
  };
  const std::string plain =
      call("c", "aten.clone.default", R"([{"ref":"q"}])", R"({"dtype":"f32","shape":[5,2,3]})",
           R"(,"kwargs":{"memory_format":"contiguous_format"})") +
      ",";
  const auto status = [&](const std::string& before, const std::string& after) {
    return status_of(
        read(R"("graphs":{"b":)" + negated + R"(},"before":)" + before + R"(,"after":)" + after));
  };
  CHECK(status(mapped(plain, "c"), mapped(plain, "c")) == Status::proved);
  CHECK(status(mapped("", "q"), mapped(plain, "c")) != Status::proved);
}

TEST_CASE("attack: what a wrapper alone tells of an operator refutes no buffer that it fills", "[found]") {
  const auto status = [](const std::string& more) {
    const std::string steps =
        call("e", "aten.empty.memory_format", "[[4]]", kFour) + "," +
        R"({"names":["n","o"],"op":"higher_order.auto_functionalized","args":["zoo.fill_.default"],
            "kwargs":{"x":{"ref":"e"},"y":{"ref":"y"}},"types":[null,)" +
        std::string(kFour) + "]}";
    return status_of(read(more + R"("names":"values","after":)" + graph(steps, "o")));
  };
  CHECK(status("") == Status::unknown);
  CHECK(status(R"~("ops":[{"schema":"zoo::fill_(Tensor(a!) x, Tensor y) -> ()"}],)~") == Status::refuted);
  CHECK(
      status(
          R"~("ops":[{"schema":"zoo::fill_(Tensor(a!) x, Tensor y) -> ()","reads_old":[],"writes":{"x":"all"}}],)~") ==
      Status::proved);
}

TEST_CASE("a constant that one graph has written out is no lost write: it is assumed to hold that number",
          "[found]") {
  const std::string inputs = R"({"name":"x","type":{"dtype":"f32","shape":[4]},"mutable":true},)"
                             R"({"name":"k","type":{"dtype":"f32","shape":[]},"kind":"constant"})";
  const auto steps = [](const std::string& factor, const std::string& stored) {
    return "\"steps\":[" + factor + made("m", "mul.Tensor", R"([{"ref":"x"},{"ref":"f"}])") + "," +
           made("s", "add.Tensor", R"([{"ref":"x"},{"ref":"m"}])") + stored + R"(],"outputs":[])";
  };
  const std::string number = R"("types":[{"dtype":"f32","shape":[]}]},)",
                    read_it =
                        R"({"name":"f","op":"aten.lift_fresh_copy.default","args":[{"ref":"k"}],)" + number,
                    written_out = R"({"name":"f","op":"aten.full.default","args":[[],0.5],)" + number,
                    store = "," + made("w", "copy_.default", R"([{"ref":"x"},{"ref":"s"}])");
  CheckOptions options;
  bool alarm = false;
  const Case folded = pair_of(inputs, steps(read_it, store), steps(written_out, store));
  const CheckRecord record = check_case(folded, options, alarm);
  CHECK(record.status == Status::proved);
  CHECK(std::ranges::any_of(record.assumptions,
                            [](const std::string& a) { return a.find("holds throughout") != a.npos; }));
  options.no_assumptions = true;
  CHECK(check_case(folded, options, alarm).status == Status::unknown);
  CHECK(status_of(pair_of(inputs, steps(read_it, store), steps(written_out, ""))) == Status::refuted);
}

TEST_CASE("what is drawn behind draws that one graph spells otherwise is open", "[found]") {
  const std::string rand = made("r", "rand.default", "[[4]]"),
                    perm = made("p", "randperm.default", "[4]", "i64"),
                    seeded = R"({"name":"s","op":"prims.inductor_seeds.default","args":[1,{"device":"cpu"}],
        "types":[{"dtype":"i64","shape":[1]}]},
      {"name":"l","op":"prims.inductor_lookup_seed.default","args":[{"ref":"s"},0],
        "types":[{"dtype":"i64","shape":[]}]},
      {"name":"r","op":"prims.inductor_random.default","args":[[4],{"ref":"l"},"rand"],
        "types":[{"dtype":"f32","shape":[4]}]})";
  const auto steps = [](const std::string& first, const std::string& second) {
    return "\"steps\":[" + first + "," + second + R"(],"outputs":[{"ref":"p"}])";
  };
  CHECK(status_of(pair_of(kX, steps(rand, perm), steps(seeded, perm))) == Status::unknown);
  CHECK(status_of(pair_of(kX, steps(rand, perm), steps(perm, rand))) == Status::refuted);
  CHECK(status_of(pair_of(kX, steps(rand, perm), steps(rand, perm))) == Status::proved);
}

TEST_CASE("seed 9800064630: elements of a caller's storage that no input shows are not given away",
          "[found]") {
  const std::string input =
      R"({"name":"x","type":{"dtype":"f32","shape":[1]},"storage":"S","storage_numel":2})";
  const auto graph = [](const char* output, int extent) {
    return R"("steps":[{"name":"v","op":"aten.as_strided.default","args":[{"ref":"x"},[)" +
           std::to_string(extent) +
           R"(],[1],1]},{"name":"c","op":"aten.clone.default","args":[{"ref":"v"}]}],"outputs":[{"ref":")" +
           output + "\"}]";
  };
  for (const bool solver_only : {false, true}) {
    CHECK(status_of(pair_of(input, graph("c", 1), graph("v", 1)), solver_only) == Status::refuted);
    CHECK(status_of(pair_of(input, graph("v", 1), graph("v", 1)), solver_only) == Status::proved);
    CHECK(status_of(pair_of(input, graph("v", 1), graph("c", 1)), solver_only) == Status::proved);
    CHECK(status_of(pair_of(input, graph("c", 0), graph("v", 0)), solver_only) == Status::proved);
  }
}

TEST_CASE("found by changed calls: pieces of another rank are not stacked", "[found]") {
  const auto stacked = [](const char* shape, const char* dim) {
    const std::string inputs =
        R"({"name":"x","type":{"dtype":"f32","shape":[2,3]}},{"name":"y","type":{"dtype":"f32","shape":)" +
        std::string(shape) + "}}";
    const std::string steps =
        R"("steps":[{"name":"s","op":"aten.stack.default","args":[[{"ref":"x"},{"ref":"y"}],)" +
        std::string(dim) + R"(]}],"outputs":[{"ref":"s"}])";
    return status_of(pair_of(inputs, steps, steps));
  };
  CHECK(stacked("[2,3]", "-1") == Status::proved);
  CHECK(stacked("[3]", "-1") != Status::proved);  // ended the program
  CHECK(stacked("[2,2,3]", "-1") != Status::proved);
}

TEST_CASE("attack 2: a recurrent network without dropout draws nothing", "[found]") {
  const std::string inputs =
      R"({"name":"x","type":{"dtype":"f32","shape":[4,2,3]}},{"name":"h","type":{"dtype":"f32","shape":[2,2,3]}},)"
      R"({"name":"w","type":{"dtype":"f32","shape":[9,3]}},{"name":"b","type":{"dtype":"f32","shape":[9]}})";
  for (const char* dropout : {"0.0", "0", "0.5"}) {
    const std::string draw =
        R"({"name":"r","op":"aten.rand.default","args":[[3]],"types":[{"dtype":"f32","shape":[3]}]})";
    const std::string net =
        std::string(
            R"({"names":["y","n"],"op":"aten.gru.input","args":[{"ref":"x"},{"ref":"h"},[{"ref":"w"},{"ref":"w"},{"ref":"b"},{"ref":"b"},{"ref":"w"},{"ref":"w"},{"ref":"b"},{"ref":"b"}],true,2,)") +
        dropout +
        R"(,true,false,false],"types":[{"dtype":"f32","shape":[4,2,3]},{"dtype":"f32","shape":[2,2,3]}]})";
    const auto steps = [&](const std::string& both) {
      return R"("steps":[)" + both + R"(],"outputs":[{"ref":"y"},{"ref":"r"}])";
    };
    const Case value = pair_of(inputs, steps(net + "," + draw), steps(draw + "," + net));
    INFO(dropout);
    CHECK(status_of(value) == (std::string(dropout) == "0.5" ? Status::refuted : Status::proved));
  }
}

TEST_CASE("attacks 1 and 17: results that are one tensor, or an argument, are not told apart", "[found]") {
  for (const std::string op :
       {"_thnn_differentiable_lstm_cell_backward", "_thnn_fused_lstm_cell_backward", "histogramdd"}) {
    const Schema* schema =
        find_schema("aten." + op + (op == "histogramdd" ? ".TensorList_bins" : ".default"));
    REQUIRE(schema != nullptr);
    CHECK(meaning_of("aten." + op, *schema) == Meaning::unsupported);
  }
}

}  // namespace found_attacks_test
