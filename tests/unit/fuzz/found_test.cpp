// What the fuzzer found, named after its seeds. Each stands beside the nearest case that is decided
// otherwise.
#include "tests/unit/fuzz/found.h"
#include "src/formats/case/case_json.h"
#include "src/fuzz/brute.h"
#include "src/fuzz/draft.h"

namespace found_test {

using namespace noclobber;
using namespace noclobber::found;

TEST_CASE("seed 45: an output that is a written-back input is seen after the write-back", "[found]") {
  const std::string neg = R"({"name":"v","op":"aten.neg.default","args":[{"ref":"x"}]})";
  const std::string before = "\"steps\":[" + neg + R"(],"outputs":[{"ref":"x"}],"final":{"x":{"ref":"v"}})";
  const std::string copy = R"({"name":"c","op":"aten.copy_.default","args":[{"ref":"x"},{"ref":"v"}]})";
  const Case good = pair_of(kX, before, "\"steps\":[" + neg + "," + copy + R"(],"outputs":[{"ref":"x"}])");
  CHECK(fuzz::brute_force(good).difference == "");
  CHECK(status_of(good) == Status::proved);
  const std::string clone = R"({"name":"k","op":"aten.clone.default","args":[{"ref":"x"}]})";
  const Case old =
      pair_of(kX, before, "\"steps\":[" + clone + "," + neg + "," + copy + R"(],"outputs":[{"ref":"k"}])");
  CHECK(fuzz::brute_force(old).difference != "");
  CHECK(status_of(old) == Status::refuted);
}

TEST_CASE("seed 245: prims.as_strided shows its argument and writes nothing, whatever its schema says",
          "[found]") {
  const std::string view = R"({"name":"v","op":"prims.as_strided.default","args":[{"ref":"x"},[2],[2],0]})";
  const Case shown = pair_of(kX, R"("steps":[],"outputs":[])", "\"steps\":[" + view + R"(],"outputs":[])");
  CHECK(fuzz::brute_force(shown).difference == "");
  CHECK(status_of(shown) == Status::proved);
  const std::string write = R"({"name":"w","op":"aten.zero_.default","args":[{"ref":"v"}]})";
  const Case written =
      pair_of(kX, R"("steps":[],"outputs":[])", "\"steps\":[" + view + "," + write + R"(],"outputs":[])");
  CHECK(fuzz::brute_force(written).difference != "");
  CHECK(status_of(written) == Status::refuted);
}

TEST_CASE("a dump that gives a scatter strides of another rank ends no process", "[found]") {
  const std::string inputs = std::string(kX) + R"(,{"name":"y","type":{"dtype":"f32","shape":[1]}})";
  const auto scatter = [](const std::string& type) {
    return R"("steps":[{"name":"v","op":"aten.slice_scatter.default","args":[{"ref":"x"},{"ref":"y"},0,1,2,1],)"
           R"("types":[)" +
           type + R"(]}],"outputs":[{"ref":"v"}])";
  };
  const std::string right = R"({"dtype":"f32","shape":[4],"stride":[1]})";
  CHECK(status_of(pair_of(inputs, scatter(right), scatter(right))) == Status::proved);
  for (const char* other :
       {R"({"dtype":"f32","shape":[],"stride":[]})", R"({"dtype":"f32","shape":[4,1],"stride":[1,1]})"})
    CHECK(status_of(pair_of(inputs, scatter(right), scatter(other))) == Status::unknown);
}

TEST_CASE("seed 500312: ranks and dtypes that a dump claims are numbers, for both engines", "[found]") {
  const auto sine = [](const std::string& type) {
    return R"("steps":[{"name":"v","op":"aten.sin.default","args":[{"ref":"x"}],"types":[)" + type +
           R"(]}],"outputs":[{"ref":"v"}])";
  };
  const std::string right = R"({"dtype":"f32","shape":[4],"stride":[1]})";
  for (const bool solver_only : {false, true}) {
    CHECK(status_of(pair_of(kX, sine(right), sine(right)), solver_only) == Status::proved);
    const std::string of_rank_2 = sine(R"({"dtype":"f32","shape":[4,1],"stride":[1,1]})"),
                      of_f64 = sine(R"({"dtype":"f64","shape":[4],"stride":[1]})");
    CHECK(status_of(pair_of(kX, sine(right), of_rank_2), solver_only) == Status::unknown);
    CHECK(status_of(pair_of(kX, sine(right), of_f64), solver_only) == Status::refuted);  // a run shows f32
  }
}

TEST_CASE("seed 995: the out= form of a view stores what it shows", "[found]") {
  const std::string neg = R"({"name":"v","op":"aten.neg.default","args":[{"ref":"x"}]})";
  const std::string before =
      "\"steps\":[" + neg +
      R"(,{"name":"c","op":"aten.copy_.default","args":[{"ref":"x"},{"ref":"v"}]}],"outputs":[])";
  const auto lift = [&](const char* from) {
    return "\"steps\":[" + neg + R"(,{"name":"c","op":"aten.lift.out","args":[{"ref":")" + from +
           R"("}],"kwargs":{"out":{"ref":"x"}}}],"outputs":[])";
  };
  const Case good = pair_of(kX, before, lift("v")),
             none = pair_of(kX, before, "\"steps\":[" + neg + R"(],"outputs":[])");
  CHECK(fuzz::brute_force(good).difference == "");
  CHECK(status_of(good) == Status::proved);
  CHECK(fuzz::brute_force(none).difference != "");
  CHECK(status_of(none) == Status::refuted);
}

TEST_CASE("seed 1318: dropout outside of training is its argument and draws nothing", "[found]") {
  for (const std::string op : {"dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout"})
    for (const char* arguments : {"0.5,false", "0.5,true", "0.0,true", "1.0,true", "1,true"}) {
      const Case value =
          pair_of(kX,
                  R"("steps":[{"name":"v","op":"aten.)" + op + R"(.default","args":[{"ref":"x"},)" +
                      arguments + R"(],"types":[{"dtype":"f32","shape":[4],"stride":[1]}]}],"outputs":[])",
                  R"("steps":[],"outputs":[])");
      const bool draws = std::string(arguments) == "0.5,true";
      INFO(op << " " << arguments);
      CHECK((fuzz::brute_force(value).difference != "") == draws);
      CHECK((status_of(value) == Status::proved) != draws);
    }
}

TEST_CASE("seed 1902: a tensor that has dimensions fills nothing", "[found]") {
  const auto value = [](const std::string& shape) {
    const std::string inputs =
        std::string(kX) + R"(,{"name":"y","type":{"dtype":"f32","shape":)" + shape + "}}";
    return pair_of(
        inputs,
        R"("steps":[{"name":"c","op":"aten.copy_.default","args":[{"ref":"x"},{"ref":"y"}]}],"outputs":[])",
        R"("steps":[{"name":"c","op":"aten.fill_.Tensor","args":[{"ref":"x"},{"ref":"y"}]}],"outputs":[])");
  };
  CHECK(status_of(value("[]")) == Status::proved);
  CHECK(fuzz::brute_force(value("[]")).difference == "");
  CHECK(status_of(value("[4]")) == Status::refuted);
  CHECK(fuzz::brute_force(value("[4]")).difference != "");
}

TEST_CASE("seed 10293: what is computed in place has its target's shape", "[found]") {
  const std::string inputs =
      R"({"name":"x","type":{"dtype":"f32","shape":[3]}},{"name":"a","type":{"dtype":"f32",)"
      R"("shape":[2,3]}},{"name":"b","type":{"dtype":"f32","shape":[3,3]}})";
  const auto steps = [](const std::string& target, const std::string& op) {
    return R"("steps":[{"name":"t","op":"aten.)" + target +
           R"(","args":[{"ref":"x"}]},{"name":"v","op":"aten.)" + op +
           R"(.default","args":[{"ref":"t"},{"ref":"a"},{"ref":"b"}]}],"outputs":[])";
  };
  const Case other = pair_of(inputs, steps("clone.default", "addmm"), steps("clone.default", "addmm_"));
  CHECK(fuzz::brute_force(other).difference != "");
  CHECK(status_of(other) == Status::refuted);
  const std::string square =
      R"({"name":"x","type":{"dtype":"f32","shape":[2,3]}})" + inputs.substr(inputs.find("},{") + 1);
  const Case same = pair_of(square, steps("clone.default", "addmm"), steps("clone.default", "addmm_"));
  CHECK(fuzz::brute_force(same).difference == "");
  CHECK(status_of(same) == Status::proved);
}

TEST_CASE("seed 14287: a wait for several collectives is no effect of its own", "[found]") {
  const auto value = [](const std::string& op) {
    return pair_of(kX, R"("steps":[{"names":["v"],"op":"_c10d_functional.)" + op + R"(}],"outputs":[])",
                   R"("steps":[],"outputs":[])");
  };
  const Case waits = value(R"(wait_tensors.default","args":[[{"ref":"x"}]])");
  CHECK(fuzz::brute_force(waits).difference == "");
  CHECK(status_of(waits) == Status::proved);
  const Case starts =
      value(R"(all_reduce.default","args":[{"ref":"x"},"sum","0"],"types":[{"dtype":"f32","shape":[4]}])");
  CHECK(fuzz::brute_force(starts).difference != "");
  CHECK(status_of(starts) != Status::proved);
}

TEST_CASE("seed 23078: a constant that the call itself overwrites on its way is none", "[found]") {
  const std::string made = R"({"name":"o","op":"aten.ones_like.default","args":[{"ref":"x"}]},)"
                           R"({"name":"t","op":"aten.slice.Tensor","args":[{"ref":"o"},0,1,4]},)"
                           R"({"name":"s","op":"aten.slice.Tensor","args":[{"ref":"o"},0,0,3]},)";
  const auto add = [](const char* what) {
    return std::string(R"({"name":"a","op":"aten.add_.Tensor","args":[{"ref":"t"},{"ref":")") + what +
           R"("}]}],"outputs":[{"ref":"o"}])";
  };
  const std::string clone = R"({"name":"c","op":"aten.clone.default","args":[{"ref":"s"}]},)";
  const Case moved = pair_of(kX, "\"steps\":[" + made + clone + add("c"), "\"steps\":[" + made + add("s"));
  CHECK(fuzz::brute_force(moved).difference != "");
  CHECK(status_of(moved) == Status::refuted);
  const std::string own = R"({"name":"c","op":"aten.clone.default","args":[{"ref":"t"}]},)";
  const Case same = pair_of(kX, "\"steps\":[" + made + own + add("c"), "\"steps\":[" + made + add("t"));
  CHECK(fuzz::brute_force(same).difference == "");
  CHECK(status_of(same) == Status::proved);
}

TEST_CASE("seed 31179: dropout draws in place what it draws otherwise", "[found]") {
  const std::string type = R"(,"types":[{"dtype":"f32","shape":[4],"stride":[1]}]})";
  const auto drops = [&](const std::string& op) {
    return R"("steps":[{"name":"t","op":"aten.clone.default","args":[{"ref":"x"}]},{"name":"v","op":"aten.)" +
           op + R"(.default","args":[{"ref":"t"},0.75,true])" + type + R"(],"outputs":[])";
  };
  CHECK(fuzz::brute_force(pair_of(kX, drops("feature_dropout"), drops("feature_dropout_"))).difference == "");
  CHECK(status_of(pair_of(kX, drops("feature_dropout"), drops("feature_dropout_"))) == Status::proved);
  CHECK(fuzz::brute_force(pair_of(kX, drops("feature_dropout"), drops("dropout"))).difference != "");
  CHECK(status_of(pair_of(kX, drops("feature_dropout"), drops("dropout"))) != Status::proved);
}

TEST_CASE("seed 23445: the conjugate of real numbers is no buffer", "[found]") {
  const std::string conj = R"("steps":[{"name":"v","op":"aten.conj_physical.default","args":[{"ref":"x"}]},)"
                           R"({"name":"w","op":"aten.neg_.default","args":[{"ref":"v"}]}],"outputs":[])";
  const std::string none = R"("steps":[],"outputs":[])";
  CHECK(fuzz::brute_force(pair_of(kX, none, conj)).difference != "");
  CHECK(status_of(pair_of(kX, none, conj)) == Status::refuted);
  const std::string complex = R"({"name":"x","type":{"dtype":"c64","shape":[4]}})";
  CHECK(fuzz::brute_force(pair_of(complex, none, conj)).difference == "");
  CHECK(status_of(pair_of(complex, none, conj)) == Status::proved);
}

TEST_CASE("seed 101061: a constant written in place is read in an order, though it changes nothing",
          "[found]") {
  const auto value = [](const std::string& barrier) {
    auto out = read_case_json(
        R"({"format":"noclobber.case/1","name":"found","order":"dataflow","names":"storages","before":{"inputs":[)" +
        std::string(kX) +
        R"(],"steps":[{"name":"w","op":"aten.clone.default","args":[{"ref":"x"}]}],)"
        R"("outputs":[{"ref":"w"}]},"after":{"inputs":[)" +
        kX +
        R"(],"steps":[{"name":"v","op":"aten.neg.default","args":[{"ref":"x"}]},)"
        R"({"name":"o","op":"aten.ones_like.default","args":[{"ref":"x"}]},)"
        R"({"name":"f","op":"aten.copy_.default","args":[{"ref":"v"},{"ref":"o"}]},)"
        R"({"name":"m","op":"aten.mul.Tensor","args":[{"ref":"x"},{"ref":"v"}])" +
        barrier + R"(}],"outputs":[{"ref":"m"}]}})");
    REQUIRE(out);
    return *std::move(out);
  };
  CHECK(fuzz::brute_force(value("")).difference != "");
  CHECK(status_of(value("")) == Status::refuted);
  CHECK(fuzz::brute_force(value(R"(,"after":["f"])")).difference == "");
  CHECK(status_of(value(R"(,"after":["f"])")) == Status::proved);
}

TEST_CASE("seed 39131: copy_ of TorchScript stores what copy_ does", "[found]") {
  const std::string inputs = std::string(kX) + R"(,{"name":"y","type":{"dtype":"f32","shape":[4]}})";
  const auto copy = [](const char* op, const char* from) {
    return R"("steps":[{"name":"c","op":"aten.)" + std::string(op) + R"(","args":[{"ref":"x"},{"ref":")" +
           from + R"("}]}],"outputs":[])";
  };
  CHECK(
      fuzz::brute_force(pair_of(inputs, copy("copy_.default", "y"), copy("copy_.Tensor", "y"))).difference ==
      "");
  CHECK(status_of(pair_of(inputs, copy("copy_.default", "y"), copy("copy_.Tensor", "y"))) == Status::proved);
  CHECK(
      fuzz::brute_force(pair_of(inputs, copy("copy_.default", "y"), copy("copy_.Tensor", "x"))).difference !=
      "");
  CHECK(status_of(pair_of(inputs, copy("copy_.default", "y"), copy("copy_.Tensor", "x"))) == Status::refuted);
}

TEST_CASE("seed 37997: concatenate joins what cat joins", "[found]") {
  const auto join = [](const char* op, const char* what) {
    return R"("steps":[{"name":"c","op":")" + std::string(op) + R"(","args":[[{"ref":"x"},{"ref":")" + what +
           R"("}],0]}],"outputs":[{"ref":"c"}])";
  };
  const std::string inputs = std::string(kX) + R"(,{"name":"y","type":{"dtype":"f32","shape":[4]}})";
  for (const char* op : {"aten.concatenate.default", "prims.cat.default"}) {
    CHECK(status_of(pair_of(inputs, join("aten.cat.default", "y"), join(op, "y"))) == Status::proved);
    CHECK(fuzz::brute_force(pair_of(inputs, join("aten.cat.default", "y"), join(op, "y"))).difference == "");
    CHECK(status_of(pair_of(inputs, join("aten.cat.default", "y"), join(op, "x"))) == Status::refuted);
  }
}

TEST_CASE("seed 103397: draws keep their order, and other effects theirs", "[found]") {
  const std::string type = R"(,"types":[{"dtype":"f32","shape":[4],"stride":[1]}]})";
  const std::string draw = R"({"name":"d","op":"aten.dropout.default","args":[{"ref":"x"},0.5,true])" + type;
  const std::string other =
      R"({"name":"e","op":"aten.dropout.default","args":[{"ref":"x"},0.25,true])" + type;
  const std::string sum =
      R"({"name":"s","op":"_c10d_functional.all_reduce.default","args":[{"ref":"x"},"sum","0"])" + type;
  const auto both = [](const std::string& a, const std::string& b) {
    return "\"steps\":[" + a + "," + b + R"(],"outputs":[])";
  };
  CHECK(fuzz::brute_force(pair_of(kX, both(draw, sum), both(sum, draw))).difference == "");
  CHECK(status_of(pair_of(kX, both(draw, sum), both(sum, draw))) == Status::proved);
  CHECK(fuzz::brute_force(pair_of(kX, both(draw, other), both(other, draw))).difference != "");
  CHECK(status_of(pair_of(kX, both(draw, other), both(other, draw))) != Status::proved);
}

TEST_CASE("seed 5001030: what an operator draws does not depend on what out= held", "[found]") {
  const std::string x = R"({"name":"x","type":{"dtype":"u8","shape":[4]},"mutable":true})";
  const std::string draw = R"({"name":"d","op":"aten._cudnn_init_dropout_state.out","args":[0.5,true,0],)"
                           R"("kwargs":{"out":{"ref":"x"}},"types":[{"dtype":"u8","shape":[4]}]})";
  const std::string zero = R"({"name":"z","op":"aten.zero_.default","args":[{"ref":"x"}]})";
  const std::string add = R"({"name":"a","op":"aten.bernoulli_.float","args":[{"ref":"x"},0.5]})";
  const auto steps = [](const std::string& all) {
    return "\"steps\":[" + all + R"(],"outputs":[{"ref":"x"}])";
  };
  const Case good = pair_of(x, steps(draw), steps(zero + "," + draw));
  CHECK(fuzz::brute_force(good).difference == "");
  CHECK(status_of(good) == Status::proved);
  const Case more = pair_of(x, steps(draw), steps(add + "," + draw));
  CHECK(fuzz::brute_force(more).difference != "");
  CHECK(status_of(more) == Status::unknown);  // nobody knows what cudnn draws
}

TEST_CASE("seed 5004464: transpose_ of a view writes nothing", "[found]") {
  const std::string x = R"({"name":"x","type":{"dtype":"f32","shape":[4,2]}})";
  const std::string view = R"("steps":[{"name":"n","op":"aten.narrow.default","args":[{"ref":"x"},0,1,3]},)";
  const auto then = [&](const std::string& op, const std::string& args) {
    return view + R"({"name":"t","op":")" + op + R"(","args":[{"ref":"n"})" + args + R"(]}],"outputs":[])";
  };
  const std::string before = R"("steps":[],"outputs":[])";
  const Case good = pair_of(x, before, then("aten.transpose_.default", ",0,1"));
  CHECK(fuzz::brute_force(good).difference == "");
  CHECK(status_of(good) == Status::proved);
  const Case bad = pair_of(x, before, then("aten.zero_.default", ""));
  CHECK(fuzz::brute_force(bad).difference != "");
  CHECK(status_of(bad) == Status::refuted);
}

TEST_CASE("seed 20001626: where a write of two results is dropped, its targets stand for both", "[found]") {
  fuzz::Draft program;
  const fuzz::Shown row{0, Dtype::f32, {2}, {1}};
  for (const int v : {0, 1, 2}) {
    program.inputs.push_back({v, "x" + std::to_string(v), "", std::nullopt});
    program.shown[v] = program.shown[v + 3] = row;
    program.shown[v].storage = program.shown[v + 3].storage = v;
  }
  const auto value = [](int v) { return Arg::of(ValueId(static_cast<std::size_t>(v))); };
  program.calls.push_back(
      {4, "aten.sort.values", {value(0)}, {{"values", value(1)}, {"indices", value(2)}}, {5}});
  program.outputs = {4, 5};
  fuzz::Random random(1);
  const auto damaged = fuzz::damaged(program, fuzz::Fault::drop_write, random);
  REQUIRE(damaged);
  CHECK(damaged->calls.empty());
  CHECK(damaged->outputs == std::vector<int>{1, 2});
  CHECK(damaged->graph().outputs.size() == 2);
}

TEST_CASE("seed 20006123: a write that a mask holds back is a write", "[found]") {
  const std::string inputs =
      R"({"name":"x","type":{"dtype":"f32","shape":[2]}},)"
      R"({"name":"m","type":{"dtype":"bool","shape":[2]},"kind":"constant","value":[0,0]},)"
      R"({"name":"a","type":{"dtype":"f32","shape":[2,2]}},{"name":"b","type":{"dtype":"f32","shape":[2,2]}})";
  const std::string fill =
      R"({"name":"f","op":"aten.masked_fill_.Scalar","args":[{"ref":"x"},{"ref":"m"},1]})";
  const auto steps = [&](const std::string& product, const std::string& more) {
    return "\"steps\":[" + fill + "," + product + "],\"outputs\":[{\"ref\":\"p\"}" + more + "]";
  };
  // Sums in another order: nothing but rounding differs, and what is stored into x is not held against it.
  const std::string one = R"({"name":"p","op":"aten.mm.default","args":[{"ref":"a"},{"ref":"b"}]})",
                    other = R"({"name":"q","op":"aten.unsqueeze.default","args":[{"ref":"a"},0]},)"
                            R"({"name":"r","op":"aten.unsqueeze.default","args":[{"ref":"b"},0]},)"
                            R"({"name":"s","op":"aten.bmm.default","args":[{"ref":"q"},{"ref":"r"}]},)"
                            R"({"name":"p","op":"aten.squeeze.dim","args":[{"ref":"s"},0]})";
  const auto status = [](const Case& value) {
    bool alarm = false;
    return check_case(value, {}, alarm).status;
  };
  CHECK(status(pair_of(inputs, steps(one, ""), steps(other, ""))) != Status::refuted);
  const std::string bare = "\"steps\":[" + one + "],\"outputs\":[{\"ref\":\"p\"}]";
  CHECK(status(pair_of(inputs, bare, steps(one, ""))) == Status::refuted);
}

TEST_CASE("seed 20024478: a pointwise operator that nobody runs is one function at every place", "[found]") {
  const auto value = pair_of(R"({"name":"x","type":{"dtype":"f32","shape":[3,2]}})",
                             R"("steps":[{"name":"f","op":"aten.fill_.Scalar","args":[{"ref":"x"},3]},
        {"name":"i","op":"aten.i0.default","args":[{"ref":"x"}]},
        {"name":"s","op":"aten.slice.Tensor","args":[{"ref":"i"},1,1,2]}],"outputs":[{"ref":"s"}])",
                             R"("steps":[{"name":"f","op":"aten.fill_.Scalar","args":[{"ref":"x"},3]},
        {"name":"i","op":"aten.i0.default","args":[{"ref":"x"}]},
        {"name":"s","op":"aten.slice.Tensor","args":[{"ref":"i"},1,0,1]}],"outputs":[{"ref":"s"}])");
  const fuzz::BruteForce truth = fuzz::brute_force(value);
  CHECK(truth.difference == "");
  bool alarm = false;
  CHECK(check_case(value, {}, alarm).status == Status::proved);
}

TEST_CASE("seed 20014788: other pairs of places are more sharing, a clone is less", "[found]") {
  const auto value = [](const char* own, const char* other) {
    return pair_of(R"({"name":"x","type":{"dtype":"f32","shape":[2,2]}})",
                   R"("steps":[{"name":"f","op":"aten.fill_.Scalar","args":[{"ref":"x"},3]}],"outputs":[)" +
                       std::string(own) + "]",
                   R"("steps":[{"name":"f","op":"aten.fill_.Scalar","args":[{"ref":"x"},3]},
                     {"name":"t","op":"aten.permute.default","args":[{"ref":"x"},[1,0]]},
                     {"name":"s","op":"aten.clone.default","args":[{"ref":"x"}]}],"outputs":[)" +
                       std::string(other) + "]");
  };
  bool alarm = false;
  CHECK(fuzz::brute_force(value(R"({"ref":"x"})", R"({"ref":"t"})")).difference != "");
  CHECK(check_case(value(R"({"ref":"x"})", R"({"ref":"t"})"), {}, alarm).status == Status::refuted);
  CHECK(check_case(value(R"({"ref":"x"})", R"({"ref":"s"})"), {}, alarm).status == Status::proved);
}

TEST_CASE("seed 90038912: the greatest common divisor of the least integer ends nothing", "[found]") {
  const std::string least = "-9223372036854775808";
  const auto value = [&](const char* op) {
    const std::string steps = std::string(R"("steps":[{"name":"g","op":")") + op +
                              R"(","args":[{"ref":"x"},{"ref":"y"}]}],"outputs":[{"ref":"g"}])";
    return pair_of(R"({"name":"x","type":{"dtype":"i64","shape":[3]},"kind":"constant","value":[)" + least +
                       "," + least +
                       R"(,6]},{"name":"y","type":{"dtype":"i64","shape":[3]},"kind":"constant","value":[)" +
                       least + R"(,12,)" + least + "]}",
                   steps, steps);
  };
  for (const char* op : {"aten.gcd.default", "aten.lcm.default"}) CHECK(fuzz::brute_force(value(op)).usable);
}

}  // namespace found_test
