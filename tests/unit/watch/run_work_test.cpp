// Runs of proofs and what they may cost: what is too large is not begun, and what is begun comes to its end.
#include "src/formats/case/case_json.h"
#include "src/interp/confirm.h"
#include "src/watch/proof_run.h"
#include "tests/catch.h"
#include "tests/support/corpus.h"
#include "tests/support/sample.h"
#include "tests/support/traced.h"

namespace run_work_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

/// Elements of all that a graph of known sizes names, by its Trace.
std::int64_t elements(const Modelled& m, const ValueViews& views) {
  std::int64_t all = 0;
  for (const auto& view : views.values) {
    std::int64_t n = 1;
    for (std::size_t d = 0; view && d < view->shape.size(); ++d) n *= *m.space.value(view->shape[d], {});
    all += view ? n : 64;
  }
  return all;
}

/// A buffer of which n rows are updated, each read whole afterwards. No result says its type.
std::string rows(int n, bool in_place) {
  std::string steps, latest = "b";
  const auto step = [&](const std::string& name, const std::string& op, const std::string& args) {
    steps += (steps.empty() ? "" : ",") + (R"({"name":")" + name + R"(","op":"aten.)") + op +
             R"(","args":[)" + args + "]}";
  };
  const auto ref = [](const std::string& name) { return R"({"ref":")" + name + "\"}"; };
  for (int i = 0; i < n; ++i) {
    const std::string k = std::to_string(i), slice = ",0," + k + "," + std::to_string(i + 1);
    if (in_place) {
      step("s" + k, "slice.Tensor", ref("b") + slice);
      step("w" + k, "copy_.default", ref("s" + k) + "," + ref("x"));
    } else {
      step("w" + k, "slice_scatter.default", ref(latest) + "," + ref("x") + slice);
      latest = "w" + k;
    }
    step("y" + k, "sin.default", ref(latest));
  }
  const std::string type = R"("type":{"dtype":"f32","shape":[)";
  return R"({"inputs":[{"name":"b",)" + type + std::to_string(n) + R"(,8]},"mutable":true},{"name":"x",)" +
         type + R"(1,8]}}],"steps":[)" + steps + R"(],"outputs":[)" + ref("y" + std::to_string(n - 1)) +
         R"(],"final":{"b":)" + ref(latest) + "}}";
}

Case updated_rows(int n) {
  auto read = read_case_json(R"({"format":"noclobber.case/1","name":"rows","before":)" + rows(n, false) +
                             R"(,"after":)" + rows(n, true) + "}");
  REQUIRE(read);
  return *std::move(read);
}

}  // namespace

TEST_CASE("a run of a proof that is begun comes to its end", "[watch]") {
  int begun = 0, number = 0;
  for (const auto& [path, value] : corpus_cases()) {
    if (!path.ends_with(".accept.json") || !value.symbols.empty() || !value.before) continue;
    if (!is_sampled(static_cast<std::size_t>(number++))) continue;
    Modelled m;
    if (!model(value, m) || !m.traced.after.unknown.empty() || !m.traced.before->unknown.empty()) continue;
    INFO(path);
    int runs = 0;
    ConfirmOptions options;
    options.elements = [&](bool before, const Symbols&) {
      return elements(m, before ? m.traced.views_before : m.traced.views);
    };
    options.onlooker = [&](bool, const Symbols&) {
      ++runs;
      return nullptr;
    };
    options.finish = [](Onlooker&, const Run&) {};
    options.work = 30'000'000;
    const bool ran = confirm(value, options).ran;
    if (runs == 0) continue;
    runs = 0;
    for (options.work = 1; options.work < 30'000'000 && runs == 0; options.work += options.work / 8 + 1) {
      const bool same = confirm(value, options).ran == ran;
      if (runs > 0) CHECK(same);
    }
    begun += runs > 0 ? 1 : 0;
  }
  CHECK(begun >= static_cast<int>(sampled(50)));
}

TEST_CASE("what results hold is foreseen where nothing says their types", "[watch]") {
  const Case value = updated_rows(40);
  Modelled m;
  REQUIRE(model(value, m));
  const auto ops = make_op_set(value.ops);
  // 80 and 120 steps of up to 320 elements.
  CHECK_FALSE(run_proof(value, m.traced, m.space, *ops, true, 20'000).ran);
  const ProofRun run = run_proof(value, m.traced, m.space, *ops, true, 60'000);
  CHECK(run.ran);
  CHECK(run.contradiction == "");
}

TEST_CASE("topk of a scalar takes its one element, however many are asked for (fuzz seed 18601)", "[watch]") {
  for (const char* asked : {"0", "1"}) {
    const std::string graph =
        std::string(R"({"inputs":[{"name":"x","type":{"dtype":"i32","shape":[]}}],"steps":[)") +
        R"({"names":["v","i"],"op":"aten.topk.default","args":[{"ref":"x"},)" + asked +
        R"(,-1,true,true]}],"outputs":[{"ref":"v"},{"ref":"i"}]})";
    const auto value = read_case_json(R"({"format":"noclobber.case/1","name":"topk","before":)" + graph +
                                      R"(,"after":)" + graph + "}");
    REQUIRE(value);
    Modelled m;
    REQUIRE(model(*value, m));
    const auto ops = make_op_set(value->ops);
    const ProofRun run = run_proof(*value, m.traced, m.space, *ops, true, 60'000);
    CHECK(run.ran);
    CHECK(run.contradiction == "");
  }
}

}  // namespace run_work_test
