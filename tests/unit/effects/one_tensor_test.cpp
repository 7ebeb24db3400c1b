// A tensor that an operator writes and returns has two names then: one that is made to stand for another view
// does so under both.
#include "tests/unit/effects/fx_traced.h"

namespace one_tensor_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

constexpr const char* kGiven = R"(x: "f32[2, 2]")";

Status of(const std::string& before, const std::string& after) {
  return fx_status(fx_pair(kGiven, "y = torch.ops.aten.clone.default(x)\n" + before,
                           "y = torch.ops.aten.clone.default(x)\n" + after));
}

const std::string kTurned = "a = torch.ops.aten.t_.default(y)\n";
const std::string kTwice = kTurned + "b = torch.ops.aten.t_.default(a)\n";
const std::string kStored = "a = torch.ops.aten.add_.Tensor(y, 1)\n";
const std::string kNegative = "d = torch.ops.aten.neg.default(y)\nreturn (d,)";
const std::string kOther = "d = torch.ops.aten.neg.default(a)\nreturn (d,)";

}  // namespace

TEST_CASE("a name of a tensor that is turned under another name is turned", "[one_tensor]") {
  CHECK(of(kNegative, kTwice + kNegative) == Status::proved);
  CHECK(of(kTurned + kNegative, kTwice + kNegative) == Status::refuted);
  CHECK(of(kTurned + kOther, kTurned + kNegative) == Status::proved);
  const std::string turned =
      "t = torch.ops.aten.t.default(a)\nd = torch.ops.aten.neg.default(t)\nreturn (d,)";
  CHECK(of(kStored + turned, kStored + "c = torch.ops.aten.t_.default(y)\n" + kOther) == Status::proved);
  CHECK(of(kStored + kOther, kStored + "c = torch.ops.aten.t_.default(y)\n" + kOther) == Status::refuted);
}

TEST_CASE("a tensor that is resized or set is so under all of its names", "[one_tensor]") {
  const std::string part = "p = torch.ops.aten.as_strided.default(y, [2], [1])\n";
  const std::string resized = "c = torch.ops.aten.resize_.default(y, [2])\n";
  const std::string of_part = "d = torch.ops.aten.neg.default(p)\nreturn (d,)";
  CHECK(of(kStored + part + of_part, kStored + resized + kOther) == Status::proved);
  CHECK(of(kStored + kOther, kStored + resized + kOther) == Status::refuted);
  const std::string zeros = "z = torch.ops.aten.zeros_like.default(x)\n";
  const std::string set = "c = torch.ops.aten.set_.source_Tensor(y, z)\n";
  const std::string of_zeros = "d = torch.ops.aten.neg.default(z)\nreturn (d,)";
  CHECK(of(zeros + kStored + of_zeros, zeros + kStored + set + kOther) == Status::proved);
  CHECK(of(zeros + kStored + kOther, zeros + kStored + set + kOther) == Status::refuted);
  CHECK(of("t = torch.ops.aten.t.default(x)\nd = torch.ops.aten.neg.default(t)\nreturn (d,)",
           "c = torch.ops.aten.set_.source_Tensor(y, x)\n" + kTurned + kNegative) == Status::proved);
  // The source stays what it is when its reader is turned.
  CHECK(of(zeros + of_zeros, zeros + set + kTurned + of_zeros) == Status::proved);
}

TEST_CASE("a view of a tensor that is turned stays what it is", "[one_tensor]") {
  const std::string viewed = "a = torch.ops.aten.view.default(y, [4])\n";
  CHECK(of(viewed + kOther, viewed + "c = torch.ops.aten.t_.default(y)\n" + kOther) == Status::proved);
}

TEST_CASE("an input is not turned under another name, nor what may be an input", "[one_tensor]") {
  const auto turned = [](const std::string& lines) {
    return fx_status(
        fx_pair(kGiven, lines + "return (x,)", lines + "c = torch.ops.aten.t_.default(a)\nreturn (x,)"));
  };
  CHECK(turned("a = torch.ops.aten.add_.Tensor(x, 1)\n") == Status::refuted);  // its caller sees it turned
  CHECK(turned("a = torch.ops.aten.contiguous.default(x)\n") == Status::unknown);
  CHECK(turned("a = torch.ops.aten.clone.default(x)\n") == Status::proved);
}

TEST_CASE("what may be its argument itself is turned where nobody asks for the argument again",
          "[one_tensor]") {
  const std::string same = "a = torch.ops.aten.contiguous.default(y)\n";
  const std::string once = "c = torch.ops.aten.t_.default(a)\n";
  const std::string turned =
      "t = torch.ops.aten.t.default(a)\nd = torch.ops.aten.neg.default(t)\nreturn (d,)";
  CHECK(of(same + turned, same + once + kOther) == Status::proved);
  CHECK(of(same + kNegative, same + once + kNegative) == Status::unknown);
  CHECK(of(same + "return (y,)", same + once + "return (y,)") == Status::unknown);
  const std::string back = "c = torch.ops.aten.t_.default(y)\n";
  CHECK(of(same + kOther, same + back + kOther) == Status::unknown);
  CHECK(of(same + "return (x,)", same + back + "return (x,)") == Status::proved);
  // It is asked for by the step itself, which has read it by then.
  const std::string set = "c = torch.ops.aten.set_.source_Tensor(a, y)\n";
  CHECK(of(same + kOther, same + set + kOther) == Status::proved);
  // What is held at exit is asked for as well.
  Case held = fx_pair(kGiven, "y = torch.ops.aten.clone.default(x)\n" + same + once + "return (x, y, a)",
                      "y = torch.ops.aten.clone.default(x)\n" + same + once + "return (x, y, a)");
  for (Graph* graph : {&*held.before, &held.after}) {
    graph->finals = {{graph->find("x"), graph->outputs[1]}};
    graph->outputs = {graph->outputs[0]};
  }
  CHECK(fx_status(held) == Status::unknown);
  for (Graph* graph : {&*held.before, &held.after}) graph->finals.clear();
  CHECK(fx_status(held) == Status::proved);
}

}  // namespace one_tensor_test
