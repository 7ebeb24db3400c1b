// Which steps of two graphs are said to be one, for the checker to show. What it is not told it follows
// through operators of elements alone; what it is told in vain costs it another reading.
#include "src/certify/lemmas.h"

#include "checker/check.h"
#include "src/certify/certificate_text.h"
#include "tests/unit/effects/trace_lines.h"

namespace lemmas_test {

using namespace noclobber;
using namespace noclobber::trace_lines;

namespace {

constexpr const char* kInputs = R"(x: "f32[4, 4][4, 1]cpu", w: "f32[4, 4][4, 1]cpu")";

struct Told {
  std::size_t lemmas = 0;
  std::string why;  // not proved at once; "": it is
};

Told told(const std::string& before, const std::string& after, const std::string& outputs) {
  Space space = searching_space();
  Case value = alone(kInputs, after, outputs);
  value.before = alone(kInputs, before, outputs).after;
  Traced both = traced(space, value);
  Certificate content;
  content.checks.push_back({"", std::move(both.before), std::move(both.after), {}, {}});
  content.checks[0].lemmas = find_lemmas(space, content.checks[0], false);
  const CertificateText text = certificate_parts(space, content, true);
  Space own;
  return {content.checks[0].lemmas.size(), checker::check(text.whole, own).why};
}

}  // namespace

TEST_CASE("lemmas: a step that stands for several is told for each of them", "[certify]") {
  const std::string end = " d = aten.mm.default(a, b); e = aten.mm.default(d, c);";
  const std::string one = "a = aten.mm.default(x, w);", two = " b = aten.mm.default(x, w);",
                    three = " c = aten.mm.default(x, w);";
  const std::string once = one + " d = aten.mm.default(a, a); e = aten.mm.default(d, a);";
  const Told same = told(one + two + three + end, one + two + three + end, "e");
  CHECK(same.why.empty());
  CHECK(same.lemmas == 5);
  const Told fewer = told(one + two + three + end, once, "e");
  CHECK(fewer.why.empty());
  CHECK(fewer.lemmas == 5);
  const Told more = told(once, one + two + three + end, "e");
  CHECK(more.why.empty());
  CHECK(more.lemmas == 5);
}

TEST_CASE("lemmas: as many on both sides stand for each other in turn", "[certify]") {
  const std::string two = "a = aten.mm.default(x, w); b = aten.mm.default(x, w); c = aten.mm.default(a, b);";
  const Told out = told(two, two, "c");
  CHECK(out.why.empty());
  CHECK(out.lemmas == 3);
}

TEST_CASE("lemmas: of several steps of elements the checker sees by itself which are the same", "[certify]") {
  const std::string two = "a = aten.mul.Tensor(x, w); b = aten.mul.Tensor(x, w); c = aten.mm.default(";
  const Told crossed = told(two + "a, b);", two + "b, a);", "c");
  CHECK(crossed.why.empty());
  CHECK(crossed.lemmas == 1);
  // But not by more looks than a few.
  std::string chain;
  for (const std::string name : {"a", "b"})
    for (int k = 1; k <= 5; ++k)
      chain += name + std::to_string(k) + " = aten.mul.Tensor(" +
               (k == 1 ? "x" : name + std::to_string(k - 1)) + ", w);";
  chain += "c = aten.mm.default(a5, b5);";
  const Told deep = told(chain, chain, "c");
  CHECK(deep.why.empty());
  CHECK(deep.lemmas == 2 * 2 + 1);
}

TEST_CASE("lemmas: steps of other shapes are not the same, whatever they hold", "[certify]") {
  const std::string sum = "s = aten.sum.default(x); v = aten.view.default(s, [1]);",
                    number = " a = aten.erf.default(s);", vector = " b = aten.erf.default(v);";
  const Told out = told(sum + number + vector, sum + vector + number, "a, b");
  CHECK(out.why.empty());
  CHECK(out.lemmas == 3);
}

}  // namespace lemmas_test
