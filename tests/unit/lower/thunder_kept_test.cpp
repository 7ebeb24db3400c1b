// Joint traces: of which values backward statements have copies, and which gradients miss a write.
#include "src/lower/checks.h"
#include "src/lower/thunder/graph.h"
#include "src/lower/thunder/thunder.h"
#include "tests/unit/lower/thunder_program.h"

namespace thunder_kept_test {

using namespace noclobber;
using namespace noclobber::thunder_program;

namespace {

/// NAME = CALL, of f32[2, 3].
std::string line(const std::string& name, const std::string& call) {
  return "  " + name + " = " + call + "  # " + name + ": \"cpu f32[2, 3]\"\n";
}

ThunderTrace joint(const std::string& body, const std::string& results) {
  const auto traces =
      parse_thunder(program(body + "  return {'output': (t99,), 'fw_flat_out': (" + results + ",)}\n"));
  INFO((traces ? "" : traces.fault().where + ": " + traces.fault().message));
  REQUIRE(traces);
  return traces->front();
}

std::string text(const PythonExpr& expr) {
  std::string out = expr.text;
  if (expr.kind == PythonExpr::Kind::integer) out = std::to_string(expr.integer);
  if (expr.items.empty()) return out;
  out += "(";
  for (const PythonExpr& item : expr.items) out += (out.back() == '(' ? "" : " ") + text(item);
  return out + ")";
}

std::string text(const ThunderTrace& trace) {
  std::string out;
  for (const ThunderStatement& s : trace.statements) {
    out += std::to_string(s.line) + ": ";
    if (s.kind == ThunderStatement::Kind::leave)
      out += "-> " + text(*s.value.entry("fw_flat_out"));
    else
      out += text(s.target) + " = " + text(s.value);
    for (const ThunderStatement& inner : s.inner)
      out += " | " + text(inner.target) + " = " + text(inner.value);
    out += "\n";
  }
  return out;
}

std::string missed(const std::string& body) {
  const auto out = with_missed_gradients(joint(body, "t4"));
  return out ? text(*out) : "none";
}

}  // namespace

TEST_CASE("thunder kept: backward statements read what a name held, wherever it was written since",
          "[thunder]") {
  const std::string forward = line("t1", "prims.neg(a)") + line("t2", "prims.exp(t1)") +
                              line("t3", "prims.mul(t2, 2)") + line("t4", "prims.copy_(t3, t2)");
  CHECK(text(with_kept_values(
            joint(forward + line("t5", "prims.get_grad(t4)") + line("t99", "prims.mul(t5, t2)"), "t4"))) ==
        R"x(9: t1 = prims.neg(a)
10: t2 = prims.exp(t1)
11: t3 = prims.mul(t2 2)
11: t2__kept = prims.clone(t2)
12: t4 = prims.copy_(t3 t2)
12: t4__kept = prims.clone(t4)
13: t5 = prims.get_grad(t4__kept)
14: t99 = prims.mul(t5 t2__kept)
15: -> (t4__kept)
)x");
  CHECK(text(with_kept_values(
            joint(forward + line("t5", "prims.get_grad(t4)") +
                      "  t99 = ltorch.mul(t5, t1)  # t99: \"cpu f32[2, 3]\"\n    # t1 = prims.abs(t1)  # t1: "
                      "\"cpu f32[2, 3]\"\n    # t99 = prims.mul(t5, t1)  # t99: \"cpu f32[2, 3]\"\n",
                  "t4"))) == R"x(9: t1 = prims.neg(a)
10: t2 = prims.exp(t1)
10: t1__kept = prims.clone(t1)
11: t3 = prims.mul(t2 2)
12: t4 = prims.copy_(t3 t2)
12: t4__kept = prims.clone(t4)
13: t5 = prims.get_grad(t4__kept)
14: t99 = ltorch.mul(t5 t1__kept) | t1 = prims.abs(t1__kept) | t99 = prims.mul(t5 t1)
17: -> (t4__kept)
)x");
}

TEST_CASE("thunder kept: a copy stands where the statement before it does", "[thunder]") {
  const ThunderTrace trace = with_kept_values(
      joint(line("t1", "prims.neg(a)") + line("t2", "prims.mul(t1, 2)") + line("t3", "prims.copy_(t2, t1)") +
                line("t5", "prims.get_grad(t3)") + line("t99", "prims.mul(t5, t1)"),
            "t3"));
  REQUIRE(trace.statements.size() == 8);
  CHECK(trace.statements[2].target.text == "t1__kept");
  CHECK(trace.statements[2].at == trace.statements[1].at);
  CHECK(trace.statements[2].type == "cpu f32[2, 3]");
}

TEST_CASE("thunder kept: results whose gradients are asked for are returned as they were", "[thunder]") {
  const auto written = [](const std::string& made, const std::string& more) {
    return text(with_kept_values(joint(line("t1", "prims.neg(a)") + line("t2", made) +
                                           line("t3", "prims.copy_(t2, t1)") +
                                           line("t5", "prims.get_grad(t1)") + more,
                                       "t1")));
  };
  CHECK(written("prims.add(t1, 2)", line("t99", "prims.neg(t5)")) == R"x(9: t1 = prims.neg(a)
10: t2 = prims.add(t1 2)
11: t3 = prims.copy_(t2 t1)
12: t5 = prims.get_grad(t1)
13: t99 = prims.neg(t5)
14: -> (t1)
)x");
  CHECK(written("prims.add(t1, b)", line("t99", "prims.neg(t5)")) == R"x(9: t1 = prims.neg(a)
10: t2 = prims.add(t1 b)
10: t1__open = with_gradient_of_later_writes(t1)
11: t3 = prims.copy_(t2 t1)
12: t5 = prims.get_grad(t1__open)
13: t99 = prims.neg(t5)
14: -> (t1__open)
)x");
  CHECK(written("prims.mul(t1, 2)", line("t99", "prims.neg(t5)")) == R"x(9: t1 = prims.neg(a)
10: t2 = prims.mul(t1 2)
10: t1__kept = prims.clone(t1)
11: t3 = prims.copy_(t2 t1)
12: t5 = prims.get_grad(t1__kept)
13: t99 = prims.neg(t5)
14: -> (t1__kept)
)x");
  CHECK(written("prims.mul(t1, 2)", line("t99", "prims.neg(b)")) == R"x(9: b__kept = prims.clone(b)
9: t1 = prims.neg(a)
10: t2 = prims.mul(t1 2)
10: t1__open = with_gradient_of_later_writes(t1)
11: t3 = prims.copy_(t2 t1)
12: t5 = prims.get_grad(t1__open)
13: t99 = prims.neg(b__kept)
14: -> (t1__open)
)x");
}

TEST_CASE("thunder kept: gradients miss what is written by another name, but for numbers that are added",
          "[thunder]") {
  const auto behind = [](const std::string& made) {
    return missed(line("t1", "prims.neg(a)") + line("t2", "prims.transpose(t1, (1, 0))") + line("t3", made) +
                  line("t6", "prims.copy_(t3, t2)") + line("t4", "prims.sin(t1)") +
                  line("t5", "prims.get_grad(t4)") + line("t99", "prims.neg(t5)"));
  };
  CHECK(behind("prims.mul(t2, 2)") == R"x(9: t1 = prims.neg(a)
10: t2 = prims.transpose(t1 (1 0))
11: t3 = prims.mul(t2 2)
12: t6 = prims.copy_(t3 t2)
13: t4 = prims.sin(t1)
13: t1__behind = gradients.of_a_tensor_written_by_another_name(t1)
14: t5 = prims.get_grad(t4)
15: t99 = prims.neg(t5)
16: -> (t4)
)x");
  CHECK(behind("prims.add(t2, 2)") == R"x(none)x");
  CHECK(behind("prims.add(t2, b)") == R"x(9: t1 = prims.neg(a)
10: t2 = prims.transpose(t1 (1 0))
11: t3 = prims.add(t2 b)
12: t6 = prims.copy_(t3 t2)
13: t4 = prims.sin(t1)
13: t1__behind = gradients.of_a_tensor_written_by_another_name(t1)
14: t5 = prims.get_grad(t4)
15: t99 = prims.neg(t5)
16: -> (t4)
)x");
  const auto checks = read_thunder_sequence(
      {{"f0", program(line("t1", "prims.neg(a)") + "  return t1\n")},
       {"f1", program(line("t1", "prims.neg(a)") + line("t2", "prims.transpose(t1, (1, 0))") +
                      line("t3", "prims.mul(t2, 2)") + line("t6", "prims.copy_(t3, t2)") +
                      line("t4", "prims.sin(t1)") + line("t5", "prims.get_grad(t4)") +
                      line("t99", "prims.neg(t5)") +
                      "  return {'output': (t99,), 'flat_args': [a, b], 'fw_flat_out': (t4,)}\n")}},
      {}, "");
  std::string ids;
  for (const TraceCheck& check : checks) {
    REQUIRE(check.value);
    ids += check.id + (check.value->every_order ? " in every order\n" : "\n");
  }
  CHECK(ids == R"x(f1 in every order
f1/joint in every order
f1/gradients
)x");
}

}  // namespace thunder_kept_test
