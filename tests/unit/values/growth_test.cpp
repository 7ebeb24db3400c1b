// How much work a check takes as its input grows: counted, not timed, so that it is one number on any
// machine.
#include <string>

#include "src/formats/case/case_json.h"
#include "src/values/sharing.h"
#include "tests/catch.h"
#include "tests/support/traced.h"

namespace growth_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

std::string step(const std::string& name, const std::string& op, const std::string& args) {
  return R"({"name": ")" + name + R"(", "op": "aten.)" + op + R"(", "args": [)" + args + "]}";
}
std::string named(const std::string& name) { return R"({"ref": ")" + name + R"("})"; }
std::string named(const char* kind, int k) { return named(kind + std::to_string(k)); }

struct Text {
  std::string shape, before, after, outputs;
  static void add(std::string& to, const std::string& one) { to += (to.empty() ? "" : ", ") + one; }
};

Modelled modelled(const Text& text) {
  const auto graph = [&](const std::string& steps) {
    return R"({"inputs": [{"name": "x", "type": {"dtype": "f32", "shape": [)" + text.shape +
           R"(]}}], "steps": [)" + steps + R"(], "outputs": [)" + text.outputs + "]}";
  };
  const auto value = read_case_json(R"({"format": "noclobber.case/1", "name": "t", "before": )" +
                                    graph(text.before) + R"(, "after": )" + graph(text.after) + "}");
  REQUIRE(value);
  Modelled out;
  REQUIRE(model(*value, out));
  REQUIRE(out.traced.after.unknown.empty());
  return out;
}

/// for k in range(rows): x[k] *= 2
Text row_writes(int rows) {
  Text out{std::to_string(rows) + ", 2", "", "", ""};
  std::string last = "x";
  for (int k = 0; k < rows; ++k) {
    const std::string n = std::to_string(k);
    Text::add(out.before, step("s" + n, "select.int", named(last) + ", 0, " + n));
    Text::add(out.before, step("m" + n, "mul.Tensor", named("s", k) + ", 2"));
    Text::add(out.before,
              step("c" + n, "select_scatter.default", named(last) + ", " + named("m", k) + ", 0, " + n));
    Text::add(out.after, step("s" + n, "select.int", named("x") + ", 0, " + n));
    Text::add(out.after, step("m" + n, "mul_.Tensor", named("s", k) + ", 2"));
    last = "c" + n;
  }
  Text::add(out.before, step("w", "copy_.default", named("x") + ", " + named(last)));
  return out;
}

/// y = y + sin(y), so often, of x before or after it is doubled.
Text residual(int layers) {
  Text out{"4", "", "", named("y", layers - 1)};
  const std::string clone = step("k", "clone.default", named("x")),
                    twice = step("t", "mul_.Tensor", named("x") + ", 2");
  std::string steps;
  for (int k = 0; k < layers; ++k) {
    const std::string last = k == 0 ? named("k") : named("y", k - 1), n = std::to_string(k);
    Text::add(steps, step("r" + n, "sin.default", last));
    Text::add(steps, step("y" + n, "add.Tensor", last + ", " + named("r", k)));
  }
  out.before = clone + ", " + twice + ", " + steps;
  out.after = twice + ", " + clone + ", " + steps;
  return out;
}

/// Twice as many elements each time: more than anybody can name.
Text doubled(int times) {
  Text out{"1", "", "", named("d", times - 1)};
  for (int k = 0; k < times; ++k) {
    const std::string last = k == 0 ? named("x") : named("d", k - 1);
    Text::add(out.before, step("d" + std::to_string(k), "cat.default", "[" + last + ", " + last + "]"));
  }
  out.after = out.before;
  return out;
}

/// Rows of one result, of which one graph has more than it returns.
Text row_outputs(int rows) {
  Text out{"4", "", "", ""};
  out.before = step("b", "full.default", "[" + std::to_string(rows) + ", 2], 1");
  out.after = step("b", "full.default", "[" + std::to_string(rows + 1) + ", 2], 1");
  for (int k = 0; k < rows; ++k) {
    Text::add(out.before,
              step("s" + std::to_string(k), "select.int", named("b") + ", 0, " + std::to_string(k)));
    Text::add(out.after,
              step("s" + std::to_string(k), "select.int", named("b") + ", 0, " + std::to_string(k + 1)));
    Text::add(out.outputs, named("s", k));
  }
  return out;
}

struct Work {
  bool proved = false;
  std::size_t looked_up = 0, passed = 0, compared = 0;
};

Work work_of(const Text& text) {
  Modelled m = modelled(text);
  const Trace &before = *m.traced.before, &after = m.traced.after;
  Terms terms(m.space);
  Rules rules(m.space, terms, &before, after, m.boundary);
  Work out;
  out.proved = decide(rules, enumerate(&before, after, m.boundary), {}).proved;
  out.looked_up = rules.of_after().looked_up(), out.passed = rules.of_after().passed();
  out.compared = static_cast<std::size_t>(rules.comparisons());
  return out;
}

}  // namespace

TEST_CASE("growth: a thousand rows written one by one", "[growth]") {
  const Work half = work_of(row_writes(500)), whole = work_of(row_writes(1000));
  CHECK(half.proved);
  CHECK(whole.proved);
  CHECK(whole.looked_up < 5 * half.looked_up / 2);
  CHECK(whole.passed < 9 * half.passed / 2);  // each row passes those that were written before
  CHECK(whole.passed < 2'000'000);
}

TEST_CASE("growth: values that are used twice, and differ from the start", "[growth]") {
  const Work half = work_of(residual(24)), whole = work_of(residual(48));
  CHECK_FALSE(half.proved);
  CHECK_FALSE(whole.proved);
  CHECK(whole.looked_up < 5 * half.looked_up / 2);
  CHECK(whole.compared < 5 * half.compared / 2);
  CHECK(whole.compared > 48);
}

TEST_CASE("growth: more elements than can be named end the search, and prove nothing", "[growth]") {
  const Work few = work_of(doubled(4)), many = work_of(doubled(30));
  CHECK(few.proved);
  CHECK_FALSE(many.proved);
  CHECK(many.looked_up < 200'000);
}

TEST_CASE("growth: outputs that are rows of one storage", "[growth]") {
  Modelled m = modelled(row_outputs(600));
  const Trace &before = *m.traced.before, &after = m.traced.after;
  const std::vector<Obligation> all = enumerate(&before, after, m.boundary);
  Sharing sharing(m.space, before, after, m.boundary);
  for (std::uint32_t k = 0; k < 600; ++k) CHECK(sharing.with_outputs(k));
  CHECK(sharing.work() < 1'200);  // each with itself: the others are told apart by their bounds
  CHECK(all.size() < 6 * 600);
}

}  // namespace growth_test
