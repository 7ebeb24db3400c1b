// Traces as text: expressions, lines that go on, types and places, before anything is concluded.
#include <cmath>

#include "src/formats/thunder/text.h"
#include "tests/unit/lower/thunder_program.h"

namespace thunder_text_test {

using namespace noclobber;
using namespace noclobber::thunder_program;

namespace {

ThunderTrace parsed(const std::string& text) {
  const auto traces = parse_thunder(text);
  INFO((traces ? "" : traces.fault().where + ": " + traces.fault().message));
  REQUIRE(traces);
  REQUIRE(traces->size() == 1);
  return traces->front();
}

/// The one argument of a call.
PythonExpr argument(const std::string& text) {
  const ThunderTrace trace = parsed(thunder_program::trace("a", "  t1 = f(" + text + ")\n  return a\n"));
  REQUIRE(trace.statements.at(0).value.items.size() == 1);
  return trace.statements[0].value.items[0];
}

std::string fault_in(const std::string& body) {
  const auto traces = parse_thunder(trace("a", body));
  return traces ? "" : traces.fault().message;
}

/// `open` so many times, a name, and as many times `close`.
std::string nested(int count, const std::string& open, const std::string& middle, const std::string& close) {
  std::string before, behind;
  for (int k = 0; k < count; ++k) before += open, behind += close;
  return "  t1 = f(" + before + middle + behind + ")\n  return a\n";
}

std::vector<std::string> names(const PythonExpr& of) {
  std::vector<std::string> out;
  for (const PythonExpr& item : of.items) out.push_back(item.text);
  return out;
}

}  // namespace

TEST_CASE("thunder text: floats that have no digits, and what else is called float", "[thunder]") {
  using Kind = PythonExpr::Kind;
  const double infinite = HUGE_VAL;
  CHECK((argument("float('inf')").kind == Kind::real && argument("float('inf')").real == infinite));
  CHECK((argument("float('-inf')").kind == Kind::real && argument("float('-inf')").real == -infinite));
  CHECK((argument("-float('inf')").kind == Kind::real && argument("-float('inf')").real == -infinite));
  CHECK((argument("float('nan')").kind == Kind::real && std::isnan(argument("float('nan')").real)));
  for (const char* call :
       {"float('1.5')", "float('inf', 2)", "float('inf', x=2)", "float(a)", "double('inf')", "float()"}) {
    INFO(call);
    CHECK(argument(call).kind == Kind::call);
  }
  CHECK((argument("1e-05").kind == Kind::real && argument("1e-05").real == 1e-05));
  CHECK((argument("-2").kind == Kind::integer && argument("-2").integer == -2));
}

TEST_CASE("thunder text: brackets, keywords, dictionaries and signs are nested up to 64 deep", "[thunder]") {
  const std::string deep = "values are nested too deeply";
  CHECK(fault_in(nested(60, "(", "a", ",)")).empty());
  CHECK(fault_in(nested(70, "(", "a", ",)")) == deep);
  CHECK(fault_in(nested(60, "f(x=", "a", ")")).empty());
  CHECK(fault_in(nested(70, "f(x=", "a", ")")) == deep);
  CHECK(fault_in(nested(60, "{'x': ", "a", "}")).empty());
  CHECK(fault_in(nested(70, "{'x': ", "a", "}")) == deep);
  CHECK(fault_in(nested(70, "{", "a", "}")) == deep);
  CHECK(fault_in(nested(60, "-", "float('inf')", "")).empty());
  CHECK(fault_in(nested(70, "-", "float('inf')", "")) == deep);
}

TEST_CASE("thunder text: blanks before commas, and what stands behind calls", "[thunder]") {
  const PythonExpr dict = argument("{'a' : 1 , 'b': 2 }");
  REQUIRE(dict.entries.size() == 2);
  CHECK(
      (dict.entries[0].first == "a" && dict.entries[1].first == "b" && dict.entries[1].second.integer == 2));
  using Kind = PythonExpr::Kind;
  for (const char* text : {"g(a).shape", "g(a)[0]", "a[0]", "g(a)(b)", "g(a).shape[0]"}) {
    INFO(text);
    CHECK(argument(text).kind == Kind::opaque);
  }
  const ThunderTrace trace =
      parsed(thunder_program::trace("a", "  t1 , t2 = f(a) , b  # t1: \"cpu f32[2]\"\n  return a\n"));
  CHECK(names(trace.statements.at(0).target) == std::vector<std::string>{"t1", "t2"});
  CHECK(trace.statements[0].value.items.size() == 2);
  CHECK(trace.statements[0].type == "cpu f32[2]");
}

TEST_CASE("thunder text: an unpacking may go on over several lines", "[thunder]") {
  const std::vector<std::string> all = {"t1", "t2", "t3", "t4", "t5"};
  for (const char* lines :
       {"t1, t2, \\\n  t3, t4, \\\n  t5 \\\n  = args", "t1, t2, \\\n  t3, t4, \\\n  t5, \\\n  = args",
        "t1, t2, \\\r\n  t3, t4, t5, \\\r\n  = args", "t1, t2, \\\n  t3, \\\n  t4, \\\n  t5 = args"}) {
    INFO(lines);
    const ThunderTrace trace =
        parsed(thunder_program::trace("args", "  " + std::string(lines) + "\n  return t1\n"));
    CHECK(names(trace.statements.at(0).target) == all);
    CHECK(trace.statements[0].kind == ThunderStatement::Kind::unpack);
    CHECK(trace.statements[0].value.text == "args");
  }
  CHECK(fault_in("  t1, t2, \\\n  t3, \\") == "the text is cut");
}

TEST_CASE("thunder text: types of names, and places that are none", "[thunder]") {
  const ThunderTrace trace = parsed(thunder_program::trace(
      "a, b",
      "  # a: \"cpu f32[2]: \tz\"\n  # b: \"t:: \tz\"\n  # c: \"open\n  # d\n  # m.py:3: \t  a.sin_() \n"
      "  t1 = f(a)  # t1: \"cpu f32[2]\"\n  t2 = f(a)  # t2: \"cpu\n  # m.py:x3: \tb.sin_()\n  t3 = f(a)\n  "
      "return a\n"));
  using Types = std::map<std::string, std::string>;
  CHECK(trace.types == Types{{"a", "cpu f32[2]: \tz"}, {"b", "t:: \tz"}});
  REQUIRE(trace.statements.size() == 4);
  CHECK(trace.statements[0].type == "cpu f32[2]");
  CHECK(trace.statements[1].type.empty());
  for (const ThunderStatement& s : trace.statements) {
    CHECK(s.loc == "m.py:3");
    CHECK(s.code == "a.sin_()");
  }
  CHECK(trace.line == 6);
  CHECK(trace.statements[0].line == 12);
}

TEST_CASE("thunder text: a trace begins without what the one before it left open", "[thunder]") {
  const std::string first = trace("a", "  # m.py:3: \ta.sin_()\n  t1 = f(a)\n    # t1 = g(a)\n  return a\n");
  const auto traces = parse_thunder(first + "\n" + trace("b", "  t2 = f(b)\n  return b\n"));
  REQUIRE(traces);
  REQUIRE(traces->size() == 2);
  CHECK(traces->at(0).statements.at(0).inner.size() == 1);
  CHECK(traces->at(1).parameters == std::vector<std::string>{"b"});
  CHECK(traces->at(1).statements.at(0).loc.empty());
  CHECK(traces->at(1).line == 17);
  const auto open = parse_thunder(first + "\n" + trace("b", "    # t2 = g(b)\n  return b\n"));
  REQUIRE_FALSE(open);
  CHECK(open.fault().message == "indented too far");
}

}  // namespace thunder_text_test
