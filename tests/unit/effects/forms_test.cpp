// Calls that a pass adds and nobody uses: PyTorch must have been seen to take them (attack 19: 51 of 158 that
// it refuses for their types or numbers were proved).
#include "src/ops/accepted.h"
#include "tests/unit/fuzz/found.h"

namespace forms_test {

using namespace noclobber;
using namespace noclobber::found;

namespace {

struct Added {
  const char* op;
  const char* args;
  const char* input;   // type of x
  const char* result;  // and of what is made
};

std::string step(const Added& call) {
  return R"({"name":"dead","op":"aten.)" + std::string(call.op) + R"(","args":)" + call.args +
         R"(,"types":[{"dtype":")" + call.result + R"(","shape":[4]}]})";
}

/// `after` makes what `before` makes, and calls that as well; both do where it was there before.
CheckRecord record_of(const Added& call, bool was_there) {
  const std::string inputs =
      R"({"name":"x","type":{"dtype":")" + std::string(call.input) + R"(","shape":[4]}})";
  const std::string own =
      R"({"name":"y","op":"aten.clone.default","args":[{"ref":"x"}],"types":[{"dtype":")" +
      std::string(call.input) + R"(","shape":[4]}]})";
  const std::string end = R"(],"outputs":[{"ref":"y"}])";
  const std::string both = R"("steps":[)" + own + "," + step(call) + end;
  bool alarm = false;
  CheckRecord out =
      check_case(pair_of(inputs, was_there ? both : R"("steps":[)" + own + end, both), {}, alarm);
  CHECK_FALSE(alarm);
  return out;
}

bool may_raise(const CheckRecord& record) {
  return std::ranges::any_of(record.unknown, [](const auto& one) { return one.reason == "may-raise"; });
}

constexpr Added kTaken[] = {
    {"erfinv.default", R"([{"ref":"x"}])", "f32", "f32"},
    {"bitwise_not.default", R"([{"ref":"x"}])", "i64", "i64"},
    {"gcd.default", R"([{"ref":"x"},{"ref":"x"}])", "i32", "i32"},
    {"softplus.default", R"([{"ref":"x"}])", "f64", "f64"},
    {"pow.Tensor_Scalar", R"([{"ref":"x"},2])", "i64", "i64"},
    {"add.Tensor", R"([{"ref":"x"},{"ref":"x"}])", "i64", "i64"},
    {"sub.Tensor", R"([{"ref":"x"},{"ref":"x"}])", "f32", "f32"},
    {"lgamma.default", R"([{"ref":"x"}])", "f32", "f32"},
    {"maximum.default", R"([{"ref":"x"},{"ref":"x"}])", "f32", "f32"},
    {"hardtanh.default", R"([{"ref":"x"},-1,1])", "f32", "f32"},
};

/// PyTorch 2.15 on these: "not implemented for", "not supported", "can't be cast", "negative integer powers".
constexpr Added kRefused[] = {
    {"erfinv.default", R"([{"ref":"x"}])", "c64", "c64"},
    {"bitwise_not.default", R"([{"ref":"x"}])", "f32", "f32"},
    {"gcd.default", R"([{"ref":"x"},{"ref":"x"}])", "f32", "f32"},
    {"softplus.default", R"([{"ref":"x"}])", "i64", "i64"},
    {"pow.Tensor_Scalar", R"([{"ref":"x"},-2])", "i64", "i64"},
    {"sub.Tensor", R"([{"ref":"x"},{"ref":"x"}])", "bool", "bool"},
    {"lgamma.default", R"([{"ref":"x"}])", "c64", "c64"},
    {"maximum.default", R"([{"ref":"x"},{"ref":"x"}])", "c64", "c64"},
    {"hardtanh.default", R"([{"ref":"x"},-1,1])", "bool", "bool"},
    {"hardswish.default", R"([{"ref":"x"}])", "i64", "i64"},
};

}  // namespace

TEST_CASE("attack 19: a call that nobody uses and PyTorch was seen to take is proved", "[found]") {
  for (const Added& call : kTaken) {
    INFO(call.op << " of " << call.input);
    CHECK(record_of(call, false).status == Status::proved);
  }
}

TEST_CASE("attack 19: a call that PyTorch refuses is not proved where a pass adds it", "[found]") {
  for (const Added& call : kRefused) {
    INFO(call.op << " of " << call.input);
    const CheckRecord record = record_of(call, false);
    CHECK((may_raise(record) || record.status == Status::refuted));  // the interpreter raises as well
  }
}

TEST_CASE("attack 19: what was called before may be called again", "[found]") {
  CHECK(record_of(kRefused[3], true).status == Status::proved);  // of such a program nothing else is said
}

TEST_CASE("the form of a call tells types, numbers and texts", "[ops]") {
  const auto form = [](const char* op, const std::vector<Arg>& arguments, const std::vector<Dtype>& types) {
    const Schema* const schema = find_schema(op);
    REQUIRE(schema != nullptr);
    auto next = types.begin();
    return call_form(*schema, arguments, [&](const Arg&) { return *next++; });
  };
  const Arg x = Arg::of(ValueId{0}), none;
  CHECK(form("aten.add.Tensor", {x, x, Arg::of(SymExpr(1))}, {Dtype::f32, Dtype::f32}) == "ff;n");
  CHECK(form("aten.add.Tensor", {x, x, Arg::of_real(0.5)}, {Dtype::f32, Dtype::f64}) == "ff~;r");
  CHECK(form("aten.add.Tensor", {x, Arg::of(SymExpr(-2)), Arg::of(SymExpr(1))}, {Dtype::i32}) == "im;n");
  CHECK(form("aten.cat.default", {Arg::of(std::vector<Arg>{x, x}), Arg::of(SymExpr(0))},
             {Dtype::i64, Dtype::bf16}) == "[hi]");
  CHECK(form("aten.sum.default", {x, Arg::of_dtype(Dtype::f64)}, {Dtype::boolean}) == "b;f");
  CHECK(form("aten.sum.default", {x, none}, {Dtype::u8}) == "u;-");
  CHECK(form("aten.gelu.default", {x, Arg::of_text("tanh")}, {Dtype::f16}) == "h;'tanh'");
  CHECK_FALSE(form("aten.sum.default", {x, none}, {Dtype::other}));
  CHECK_FALSE(form("aten.arange.default", {Arg::of(SymExpr(4))}, {}));
  CHECK(seen_accepted("aten.add.Tensor", "ff;n"));
  CHECK_FALSE(seen_accepted("aten.add.Tensor", "ii;r"));
  CHECK_FALSE(seen_accepted("aten.add.Tensor", "ff"));
  CHECK_FALSE(seen_accepted("aten.no_such.default", "f"));
}

}  // namespace forms_test
