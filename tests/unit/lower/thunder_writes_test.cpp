// What a forward trace does to its tensors: nothing, a number added, a tensor added, anything else.
#include "src/lower/thunder/writes.h"

#include "tests/unit/lower/thunder_program.h"

namespace thunder_writes_test {

using namespace noclobber;
using namespace noclobber::thunder_program;

namespace {

using Kind = ThunderWrites::Kind;

struct Noted {
  explicit Noted(const std::string& body)
      : traces(parse_thunder(program(body + "  return a\n"))), writes(statements()) {}
  std::span<const ThunderStatement> statements() const {
    REQUIRE(traces);
    return traces->front().statements;
  }
  Result<std::vector<ThunderTrace>> traces;
  ThunderWrites writes;
};

/// What `  t1 = MADE` and then `  t2 = prims.copy_(t1, a)` do to a.
Kind of_copy(const std::string& made) {
  return Noted("  t1 = " + made + "\n  t2 = prims.copy_(t1, a)\n").writes.since(0, "a");
}

}  // namespace

TEST_CASE("thunder writes: a number or a tensor added is told from everything else", "[thunder]") {
  CHECK(of_copy("prims.add(a, 2)") == Kind::shift);
  CHECK(of_copy("prims.add(a, 2.5)") == Kind::shift);
  CHECK(of_copy("prims.add(2.5, a)") == Kind::shift);
  CHECK(of_copy("prims.sub(a, 2)") == Kind::shift);
  CHECK(of_copy("prims.sub(2, a)") == Kind::other);
  CHECK(of_copy("prims.add(a, b)") == Kind::sum);
  CHECK(of_copy("prims.add(b, a)") == Kind::sum);
  CHECK(of_copy("prims.sub(a, b)") == Kind::sum);
  CHECK(of_copy("prims.sub(b, a)") == Kind::other);
  CHECK(of_copy("prims.add(a, a)") == Kind::other);
  CHECK(of_copy("prims.add(b, 2)") == Kind::other);
  CHECK(of_copy("prims.mul(a, 2)") == Kind::other);
  CHECK(of_copy("prims.neg(a)") == Kind::other);
  const Noted view("  t0 = prims.reshape(a, (6,))\n  t1 = prims.add(a, t0)\n  prims.copy_(t1, a)\n");
  CHECK(view.writes.since(0, "a") == Kind::other);
}

TEST_CASE("thunder writes: the worst of those from a statement on, by every name of the tensor",
          "[thunder]") {
  const Noted two(
      "  t1 = prims.mul(a, 2)\n  t2 = prims.copy_(t1, a)\n  t3 = prims.add(t2, 1)\n  t4 = prims.copy_(t3, "
      "t2)\n");
  CHECK(two.writes.since(0, "a") == Kind::other);
  CHECK(two.writes.since(1, "a") == Kind::other);
  CHECK(two.writes.since(2, "a") == Kind::shift);
  CHECK(two.writes.since(3, "t4") == Kind::shift);
  CHECK(two.writes.since(4, "a") == Kind::none);
  CHECK(two.writes.since(0, "b") == Kind::none);
  CHECK(two.writes.since(0, "t1") == Kind::none);
  const Noted effect("  t1 = prims.add(a, 1)\n  prims.copy_(t1, a)\n");
  CHECK(effect.writes.since(0, "a") == Kind::shift);
  CHECK(effect.writes.since(0, "t1") == Kind::none);
  const Noted barrier("  (t1, t2) = prims.update_aliases((a, b))\n  t3 = ltorch.mul_(t1, 2)\n");
  CHECK(barrier.writes.since(0, "a") == Kind::other);
  CHECK(barrier.writes.since(0, "b") == Kind::none);
}

TEST_CASE("thunder writes: what a name does not know of was written by names that it does not come from",
          "[thunder]") {
  const Noted views(
      "  t1 = prims.transpose(a, (1, 0))\n  t2 = prims.transpose(a, (1, 0))\n  t3 = prims.mul(t1, 2)\n"
      "  t4 = prims.copy_(t3, t1)\n  t5 = prims.transpose(t4, (1, 0))\n");
  CHECK(views.writes.behind_its_back(5, "t4") == Kind::none);
  CHECK(views.writes.behind_its_back(5, "t5") == Kind::none);
  CHECK(views.writes.behind_its_back(5, "t2") == Kind::other);
  CHECK(views.writes.behind_its_back(5, "a") == Kind::other);
  CHECK(views.writes.behind_its_back(3, "t2") == Kind::none);
  CHECK(views.writes.behind_its_back(5, "b") == Kind::none);
}

}  // namespace thunder_writes_test
