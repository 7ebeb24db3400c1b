// What the fuzzer found where the interpreter did otherwise than PyTorch, named after its seeds.
#include "src/fuzz/brute.h"
#include "src/fuzz/probe.h"
#include "tests/unit/fuzz/found.h"

namespace found_runs_test {

using namespace noclobber;
using namespace noclobber::found;

namespace {
std::string only(const std::string& steps) { return R"("steps":[)" + steps + R"(],"outputs":[])"; }
}  // namespace

TEST_CASE("seed 200040628: empty_like writes into out what nobody knows", "[found]") {
  const std::string atan = made("t", "atan.default", R"([{"ref":"x"}])") + ",";
  const std::string like = made("v", "empty_like.out", R"([{"ref":"x"}],"kwargs":{"out":{"ref":"t"}})") + ",";
  const std::string copy = made("c", "copy_.default", R"([{"ref":"x"},{"ref":"t"}])");
  const Case both = pair_of(kX, only(atan + like + copy),
                            only(made("t", "empty.memory_format", "[[4]]") + "," + like + copy));
  CHECK(status_of(both) == Status::proved);
  CHECK(status_of(both, true) == Status::proved);
  const Case lost = pair_of(kX, only(atan + copy), only(atan + like + copy));
  CHECK(fuzz::brute_force(lost).difference != "");
  CHECK(status_of(lost) == Status::refuted);
}

TEST_CASE("seed 200029145: a functional assertion gives a tensor of its own", "[found]") {
  const std::string assertion = made("v", "_functional_assert_scalar.default", R"([1,"none",{"ref":"x"}])");
  const auto written = [&](const std::string& to) {
    const std::string add = made("w", "add_.Tensor", R"([{"ref":")" + to + R"("},{"ref":"v"}])");
    return pair_of(kX, only(assertion), only(assertion + "," + add));
  };
  CHECK(fuzz::brute_force(written("v")).difference == "");
  CHECK(status_of(written("v")) == Status::proved);
  CHECK(fuzz::brute_force(written("x")).difference != "");
  CHECK(status_of(written("x")) == Status::refuted);
}

TEST_CASE("seed 610013836: what the table knows to be elementwise runs as a hash of elements", "[found]") {
  const auto shown = [&](const std::string& first, int at) {
    const std::string number = std::to_string(at);
    return R"("steps":[)" + first +
           R"({"name":"p","op":"prims.ndtri.default","args":[{"ref":"x"}],"types":[{"dtype":"f32","shape":[4],"stride":[1]}]})" +
           R"(,{"name":"s","op":"aten.select.int","args":[{"ref":"p"},0,)" + number +
           R"(],"types":[{"dtype":"f32","shape":[],"stride":[],"offset":)" + number +
           R"(}]}],"outputs":[{"ref":"s"}])";
  };
  const std::string zero = made("z", "zero_.default", R"([{"ref":"x"}])") + ",";
  const Case same = pair_of(kX, shown(zero, 2), shown(zero, 3)),
             other = pair_of(kX, shown("", 2), shown("", 3));
  CHECK(fuzz::brute_force(same).difference == "");
  CHECK(status_of(same) == Status::proved);
  CHECK(fuzz::brute_force(other).difference != "");
  CHECK(status_of(other) == Status::refuted);
}

TEST_CASE("changed d-nested_read, seed 701: what a case frees may be written and end as anything",
          "[found]") {
  const auto pair = [&](const std::string& said) {
    const std::string x = R"({"name":"x","type":{"dtype":"f32","shape":[4]})" + said + "}";
    const auto shown = [](const std::string& op) {
      return R"("steps":[)" + made("y", op, R"([{"ref":"x"}])") + R"(],"outputs":[{"ref":"y"}])";
    };
    Case value = pair_of(x, shown("relu.default"), shown("relu_.default"));
    value.sharing_may_grow = true;
    return value;
  };
  for (const char* said : {R"(,"mutable":true,"exit":"any")", R"(,"mutable":true)"}) {
    INFO(said);
    CHECK(fuzz::brute_force(pair(said)).usable);
    CHECK(fuzz::brute_force(pair(said)).difference == "");
    CHECK(status_of(pair(said)) == Status::proved);
  }
  const Case kept = pair(R"(,"mutable":true,"exit":"as_before")");
  CHECK(fuzz::brute_force(kept).difference.find("x at exit") == 0);
  CHECK(status_of(kept) == Status::refuted);
  CHECK(fuzz::brute_force(pair("")).difference == "writes an input");
  CHECK(status_of(pair("")) == Status::refuted);
}

TEST_CASE("seed 8100108329: fill with out= asks for the shape of what it is given", "[found]") {
  const auto graph = [](const std::string& op, const std::string& args) {
    const std::string first =
        made("a", "neg.default", R"([{"ref":"x"}])") + "," + made("b", "clone.default", R"([{"ref":"x"}])");
    const std::string write = made("c", "copy_.default", R"([{"ref":"a"},{"ref":"x"}])");
    Case value = read(
        R"("names":"values","after":{"inputs":[{"name":"x","type":{"dtype":"f32","shape":[4]}}],"steps":[)" +
        first + "," + write + "," + made("d", op, args + R"(,"kwargs":{"out":{"ref":"b"}})") +
        R"(],"outputs":[{"ref":"d"}]})");
    return value;
  };
  const Case filled = graph("fill.Scalar_out", R"([{"ref":"a"},2])"),
             read_again = graph("neg.out", R"([{"ref":"a"}])");
  CHECK(fuzz::stale_name(filled) == "");
  CHECK(status_of(filled) == Status::proved);
  CHECK(fuzz::stale_name(read_again) == "a is no longer what it was");
  CHECK(status_of(read_again) == Status::refuted);
}

TEST_CASE("seed 9100635806: what is made of no elements reads none of a stale name", "[found]") {
  const auto stale = [](const char* times, const char* shape) {
    return fuzz::stale_name(read(
        R"("names":"values","after":{"inputs":[{"name":"x","type":{"dtype":"f32","shape":[2,3]},"mutable":true}],
      "steps":[{"name":"w","op":"aten.add_.Tensor","args":[{"ref":"x"},{"ref":"x"}]},
        {"name":"t","op":"aten.tile.default","args":[{"ref":"x"},[)" +
        std::string(times) + R"(]],"types":[{"dtype":"f32","shape":)" + shape +
        R"(}]}],"outputs":[{"ref":"t"}]})"));
  };
  CHECK(stale("0", "[2,0]") == "");
  CHECK(stale("1", "[2,3]") == "x is no longer what it was");
}

TEST_CASE("seed 700093454: masked_fill takes no value that has dimensions", "[found]") {
  const auto filled = [](const std::string& op, const std::string& value) {
    return std::string(R"({"name":"m","op":"aten.gt.Scalar","args":[{"ref":"x"},0]},)") +
           R"({"name":"e","op":"aten.select.int","args":[{"ref":"x"},0,0]},)" + R"({"name":"f","op":"aten.)" +
           op + R"(.Tensor","args":[{"ref":"x"},{"ref":"m"},{"ref":")" + value + R"("}]})";
  };
  const std::string back = R"(,{"name":"c","op":"aten.copy_.default","args":[{"ref":"x"},{"ref":"f"}]})";
  const auto pair = [&](const std::string& value) {
    return pair_of(kX, only(filled("masked_fill", value) + back), only(filled("masked_fill_", value)));
  };
  CHECK_FALSE(fuzz::brute_force(pair("x")).usable);
  CHECK(fuzz::brute_force(pair("e")).usable);
  CHECK(fuzz::brute_force(pair("e")).difference == "");
}

TEST_CASE("seed 800009497: a name of which only the shape is looked at may hold something else", "[found]") {
  const auto stale = [](const std::string& op) {
    Case value = read(std::string(R"("after":{"inputs":[)") + kX + "]," +
                      only(made("v", "clone.default", R"([{"ref":"x"}])") + "," +
                           made("w", "add_.Tensor", R"([{"ref":"v"},{"ref":"v"}])") + "," +
                           made("u", op, R"([{"ref":"w"},{"ref":"v"}])")) +
                      "}");
    value.names_are_values = true;
    return fuzz::stale_name(value).value_or("does not run");
  };
  CHECK(stale("view_as.default") == "");
  CHECK(stale("mul.Tensor") == "v is no longer what it was");
}

TEST_CASE("seed 800043686: an out= that takes another size is not run, an in-place call of one raises",
          "[found]") {
  const std::string wide = R"({"name":"w","op":"aten.zeros.default","args":[[2,4]]},)";
  const Case sized = pair_of(
      kX, only(""),
      only(wide + R"({"name":"o","op":"aten.neg.out","args":[{"ref":"x"}],"kwargs":{"out":{"ref":"w"}}})"));
  CHECK_FALSE(fuzz::brute_force(sized).usable);
  const Case raises = pair_of(
      kX, only(""), only(wide + R"({"name":"o","op":"aten.add_.Tensor","args":[{"ref":"x"},{"ref":"w"}]})"));
  CHECK(fuzz::brute_force(raises).difference.starts_with("raises: output with shape"));
}

TEST_CASE("seed 800043394: where names are values, no identity leaves out what reads them", "[found]") {
  const auto alone = [](const std::string& from) {
    return read(R"("after":{"inputs":[{"name":"x","mutable":true,"type":{"dtype":"f32","shape":[4]}}],)" +
                only(made("z", "zeros.out", R"([[4]],"kwargs":{"out":{"ref":"x"}})") + "," +
                     made("w", "add_.Tensor", R"([{"ref":")" + from + R"("},{"ref":")" + from + R"("}])")) +
                "}");
  };
  CHECK(status_of(alone("x")) == Status::refuted);
  CHECK(status_of(alone("z")) == Status::proved);
}

TEST_CASE("seed 3100027431: dropout outside of training gives its argument and reads nothing", "[found]") {
  const auto behind_a_write = [](const std::string& op, const std::string& more) {
    const std::string steps = made("v", "clone.default", R"([{"ref":"x"}])") + "," +
                              made("w", "add_.Tensor", R"([{"ref":"v"},{"ref":"v"}])") + "," +
                              made("d", op, R"([{"ref":"v"})" + more + "]");
    Case value = read(std::string(R"("after":{"inputs":[)") + kX + "]," + only(steps) + "}");
    value.names_are_values = true;
    return value;
  };
  const Case itself = behind_a_write("dropout.default", ",0.5,false"),
             fresh = behind_a_write("neg.default", "");
  CHECK(fuzz::stale_name(itself) == "");
  CHECK(status_of(itself) == Status::proved);
  CHECK(fuzz::stale_name(fresh) != "");
  CHECK(status_of(fresh) == Status::refuted);
}

TEST_CASE("seed 3100032806: an index out of range in what nobody uses is no question of memory", "[found]") {
  const std::string x =
      R"({"name":"x","type":{"dtype":"f32","shape":[1,1,1,2]}},{"name":"i","type":{"dtype":"i64","shape":[1,1,1,2]}})";
  const Case added = pair_of(
      x, only(""),
      only(
          R"({"name":"g","op":"aten.max_pool2d_with_indices_backward.default","args":[{"ref":"x"},{"ref":"x"},[1,1],[1,1],[0,0],[1,1],false,{"ref":"i"}]})"));
  CHECK(fuzz::brute_force(added).difference == "");  // of contents
  CHECK(status_of(added) == Status::refuted);        // it raises where nothing did
}

TEST_CASE("seed 6000127754: who asks for an offset reads nothing", "[found]") {
  const auto stale = [](const std::string& op) {
    const std::string steps = made("v", "clone.default", R"([{"ref":"x"}])") + "," +
                              made("w", "add_.Tensor", R"([{"ref":"v"},{"ref":"v"}])") +
                              R"(,{"name":"n","op":"aten.)" + op + R"(","args":[{"ref":"v"}]})";
    Case value = read(std::string(R"("after":{"inputs":[)") + kX + "]," + only(steps) + "}");
    value.names_are_values = true;
    return fuzz::stale_name(value).value_or("does not run");
  };
  CHECK(stale("sym_storage_offset.default") == "");
  CHECK(stale("neg.default") == "v is no longer what it was");
}

TEST_CASE("seed 6100125069: a write of no elements is a write", "[found]") {
  const auto rows = [](const std::string& end) {
    return R"("steps":[{"name":"v","op":"aten.slice.Tensor","args":[{"ref":"x"},0,0,)" + end +
           R"(,1]},{"name":"w","op":"aten.zero_.default","args":[{"ref":"v"}]}],"outputs":[])";
  };
  const std::string itself = only(made("c", "copy_.default", R"([{"ref":"x"},{"ref":"x"}])"));
  CHECK(fuzz::brute_force(pair_of(kX, rows("0"), itself)).difference == "");
  CHECK(status_of(pair_of(kX, rows("0"), itself)) == Status::proved);
  CHECK(fuzz::brute_force(pair_of(kX, only(""), itself)).difference == "writes an input");
  CHECK(status_of(pair_of(kX, only(""), itself)) == Status::refuted);
}

TEST_CASE("seed 12100006810: that undefined bytes agree in some runs is chance", "[found]") {
  const std::string square = R"({"name":"x","type":{"dtype":"f32","shape":[4,4]},"mutable":true})";
  const auto made_so = [](const char* name, const std::string& op, const std::string& args) {
    return R"({"name":")" + std::string(name) + R"(","op":"aten.)" + op + R"(","args":[{"ref":)" + args +
           R"(],"types":[{"dtype":"f32","shape":[4,4],"stride":[4,1]}]})";
  };
  const auto both = [&](const char* like, const std::string& last) {
    return made_so("e", "empty_like.default", '"' + std::string(like) + "\"}") + "," +
           made_so("m", "addbmm_.default", R"("e"},{"ref":"x"},{"ref":"x"})") + "," +
           made_so("l", last, R"("e"})") + "," + made_so("w", "copy_.default", R"("x"},{"ref":"l"})") +
           R"(],"outputs":[])";
  };
  const std::string clone = made_so("c", "clone.default", R"("x"})") + ",";
  const std::string unwritten = made_so("c", "empty_like.default", R"("x"})") + ",";
  for (const char* last : {"logit.default", "neg.default"}) {
    const auto behind = [&](const std::string& first) {
      return status_of(
          pair_of(square, "\"steps\":[" + both("x", last), "\"steps\":[" + first + both("c", last)));
    };
    CHECK(behind(clone) == Status::proved);
    CHECK(behind(unwritten) == Status::unknown);  // which of the two is meant?
  }
  const std::string logit = made_so("l", "logit.default", R"("x"})") + "," +
                            made_so("w", "copy_.default", R"("x"},{"ref":"l"})") + R"(],"outputs":[])";
  CHECK(status_of(pair_of(square, "\"steps\":[" + logit, R"("steps":[],"outputs":[])")) == Status::refuted);
}

TEST_CASE("seeds 15101156428, 15101560146: copies look at nothing but the shape of what they cover",
          "[found]") {
  const auto alone = [](const std::string& op, const std::string& more = "") {
    Case value =
        read(std::string(
                 R"("after":{"inputs":[{"name":"x","type":{"dtype":"f32","shape":[4]},"mutable":true}],)") +
             only(made("v", "cumsum_.default", R"([{"ref":"x"},0])") + "," + R"({"names":[],"op":")" + op +
                  R"(","args":[{"ref":"x"})" + more + "]}") +
             "}");
    value.names_are_values = true;
    return value;
  };
  const std::string from = R"(,{"ref":"v"})";
  for (const char* op : {"aten.copy.default", "aten.copy_.default", "fsdp.copy_.default"}) {
    INFO(op);
    CHECK(fuzz::stale_name(alone(op, from)) == "");
    CHECK(status_of(alone(op, from)) == Status::proved);
  }
  CHECK(fuzz::stale_name(alone("aten.add.Tensor", from)) == "x is no longer what it was");
  CHECK(status_of(alone("aten.add.Tensor", from)) == Status::refuted);
}

TEST_CASE("seed 15100948737: a list of targets of other sizes is given other sizes, and not proved",
          "[found]") {
  const auto norms = [](const char* shape) {
    const std::string inputs =
        std::string(kX) + R"(,{"name":"o","type":{"dtype":"f32","shape":)" + shape + R"(},"mutable":true})";
    const auto steps = [](const char* cumsum) {
      return only(made("v", cumsum, R"([{"ref":"x"},0])") +
                  R"(,{"names":[],"op":"aten._foreach_norm.Scalar_out","args":[[{"ref":"v"}],2,null],
                  "kwargs":{"out":[{"ref":"o"}]}})");
    };
    return pair_of(inputs, steps("cumsum.default"), steps("cumsum.default"));
  };
  CHECK(status_of(norms("[]")) == Status::proved);
  CHECK(status_of(norms("[4]")) != Status::proved);
  CHECK(fuzz::brute_force(norms("[]")).difference == "");
  CHECK_FALSE(fuzz::brute_force(norms("[4]")).usable);
}

}  // namespace found_runs_test
