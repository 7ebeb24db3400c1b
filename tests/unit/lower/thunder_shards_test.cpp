// Parameters of which a trace is given a shard: what gathers them, and what earlier traces mean by their
// names.
#include "src/lower/thunder/shards.h"

#include "tests/catch.h"

namespace thunder_shards_test {

using namespace noclobber;

namespace {

ThunderTrace trace_of(const std::string& lines) {
  const std::string text = "import thunder\n\ndef computation(x, w):\n  # x: \"cpu f32[4, 8]\"\n" + lines;
  auto traces = parse_thunder(text);
  REQUIRE(traces);
  REQUIRE(traces->size() == 1);
  return traces->front();
}

ThunderTrace earlier(const std::string& shard = "2, 8") {
  return trace_of("  # w: \"cpu f32[" + shard +
                  "]\"\n"
                  "  t1 = prims.linear(x, w, None)  # t1: \"cpu f32[4, 3]\"\n"
                  "  return {'output': (t1, w), 'flat_args': [x, w]}\n");
}

/// Of a parameter of three rows, in shards of two on two devices.
std::string gather(const std::string& cut, const std::string& kind = "FULLY_SHARDED") {
  return "  # w: \"cpu f32[2, 8]\"\n"
         "  t2 = thunder.distributed.prims.synchronize(w, group_1, _DistParallelType_" +
         kind +
         "_2)  # t2: \"cpu f32[4, 8]\"\n"
         "  t3 = ltorch.getitem(t2, slice(None,-1,None))  # t3: \"cpu f32[3, 8]\"\n"
         "    # t3 = prims.slice_prim(t2, " +
         cut +
         ")  # t3: \"cpu f32[3, 8]\"\n"
         "  t1 = prims.linear(x, t3, None)  # t1: \"cpu f32[4, 3]\"\n"
         "  return {'output': (t1, w), 'flat_args': [x, w]}\n";
}

/// What the parameter is named once it is gathered, and "" where nothing gathers it.
std::string whole(const std::string& lines) {
  const ThunderGathered gathered = thunder_gathered(earlier(), trace_of(lines));
  return gathered.parameters.empty() ? "" : gathered.parameters[0].whole;
}

}  // namespace

TEST_CASE("thunder shards: what gathers a parameter, and cuts off its padding", "[thunder]") {
  CHECK(whole(gather("[0, 0], [3, 8], [1, 1]")) == "t3");
  CHECK(whole(gather("[1, 0], [4, 8], [1, 1]")) == "t2");  // the other end
  CHECK(whole(gather("[0, 0], [3, 8], [2, 1]")) == "t2");
  CHECK(whole(gather("[0, 0], [3, 7], [1, 1]")) == "t2");
  CHECK(whole(gather("[0, 0], [3, 8], [1, 1]", "REPLICATED")).empty());
  // More rows than there are devices without one cannot be padding.
  std::string more = gather("[0, 0], [2, 8], [1, 1]");
  for (std::size_t at = 0; (at = more.find("[3, 8]", at)) != std::string::npos;)
    more.replace(at, 6, "[2, 8]");
  CHECK(whole(more) == "t2");
  // A view that the program itself makes is none.
  const ThunderTrace own = trace_of(
      "  # w: \"cpu f32[2, 8]\"\n"
      "  t3 = ltorch.getitem(w, slice(None,-1,None))  # t3: \"cpu f32[3, 8]\"\n"
      "  return (t3,)\n");
  CHECK(thunder_gathered(own, trace_of(gather("[0, 0], [3, 8], [1, 1]"))).parameters[0].whole == "t2");
  // What was gathered before is gathered no second time.
  const ThunderTrace again = trace_of(gather("[0, 0], [3, 8], [1, 1]"));
  CHECK(thunder_gathered(again, again).parameters.empty());
}

TEST_CASE("thunder shards: earlier traces mean all of a parameter, and return what they are given",
          "[thunder]") {
  const ThunderGathered gathered = thunder_gathered(earlier(), trace_of(gather("[0, 0], [3, 8], [1, 1]")));
  const auto out = with_gathered(earlier(), gathered);
  REQUIRE(out);
  REQUIRE(out->statements.size() == 4);
  CHECK(out->statements[0].target.text == "t2__whole");
  CHECK(out->statements[0].value.items[0].text == "w");
  CHECK(out->statements[1].inner[0].value.items[0].text == "t2__whole");
  CHECK(out->statements[2].value.items[1].text == "t3__whole");
  const PythonExpr& returned = out->statements[3].value;
  CHECK(returned.entry("output")->items[1].text == "t3__whole");
  CHECK(returned.entry("flat_args")->items[1].text == "w");
  // Sizes of another trace are not those of the shards: nothing is known of its names.
  CHECK_FALSE(with_gathered(earlier("3, 8"), gathered));
}

namespace {

/// Two parameters that are gathered, of which `read` is read.
ThunderTrace gathered_twice(const std::string& read, const std::string& group = "group_1") {
  const auto gathers = [](const std::string& name, const std::string& from, const std::string& in) {
    return "  " + name + " = thunder.distributed.prims.synchronize(" + from + ", " + in +
           ", _DistParallelType_FULLY_SHARDED_2)  # " + name + ": \"cpu f32[4, 8]\"\n";
  };
  return trace_of("  # w: \"cpu f32[2, 8]\"\n" + gathers("t2", "w", group) + gathers("t3", "x", "group_1") +
                  "  t1 = prims.add(" + read +
                  ")  # t1: \"cpu f32[4, 8]\"\n"
                  "  del t2, t3\n"
                  "  return {'output': (t1, w), 'flat_args': [x, w]}\n");
}

ThunderFacts stored(const std::string& x, const std::string& w, std::int64_t more = 0) {
  Type type;
  type.shape = {SymExpr(2), SymExpr(8)};
  Type other = type;
  other.shape[0] = SymExpr(2 + more);
  return {true, {{"x", type, x, {}}, {"w", other, w, {}}}};
}

std::string left_out(const ThunderTrace& trace, const ThunderFacts& facts) {
  ThunderTied tied;
  const auto once = gathered_once(trace, facts, tied);
  return once ? tied[0].first + " as " + tied[0].second : "";
}

}  // namespace

TEST_CASE("thunder shards: of two gathers of one tensor, one that nobody reads is left out", "[thunder]") {
  const ThunderFacts one = stored("S0", "S0");
  CHECK(left_out(gathered_twice("t3, t3"), one) == "w as x");
  CHECK(left_out(gathered_twice("t2, t2"), one) == "x as w");
  CHECK(left_out(gathered_twice("t2, t3"), one).empty());
  CHECK(left_out(gathered_twice("t3, t3", "group_2"), one).empty());
  CHECK(left_out(gathered_twice("t3, t3"), stored("S0", "S1")).empty());
  CHECK(left_out(gathered_twice("t3, t3"), stored("", "")).empty());
  CHECK(left_out(gathered_twice("t3, t3"), stored("S0", "S0", 1)).empty());
}

}  // namespace thunder_shards_test
